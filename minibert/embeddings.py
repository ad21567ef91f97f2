"""From ids to vectors: token, segment and position embeddings, added and normalised."""

import torch
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.positions import SinusoidalPositions


class BertEmbeddings(nn.Module):
    """One vector per token: what it is, plus which segment it is in, plus where it stands.

    Devlin et al. 2018, figure 2: E = E_token + E_segment + E_position. The original program then applies
    LayerNorm and dropout (google-research/bert, modeling.py, `embedding_postprocessor`); the paper does not say so.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.config = config
        # padding_idx keeps the padding row at zero: it gets no gradient from the lookup (as in the reference)
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        if config.position_embedding_type == "absolute":
            self.position_embeddings = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        elif config.position_embedding_type == "sinusoidal":
            self.position_embeddings = SinusoidalPositions(config.max_position_embeddings, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None,
                position_ids: Tensor | None = None) -> Tensor:
        """input_ids [B, S] -> vectors [B, S, H].

        `token_type_ids` [B, S] are 0 everywhere by default, `position_ids` [B, S] or [1, S] count 0, 1, 2, ….
        """
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)                                # [B, S]
        embeddings = self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)  # [B, S, H]
        if self.config.position_embedding_type != "none":
            if position_ids is None:
                position_ids = torch.arange(input_ids.size(1), device=input_ids.device)[None]      # [1, S]
            embeddings = embeddings + self.position_embeddings(position_ids)            # [B, S, H]
        return self.dropout(self.LayerNorm(embeddings))                                 # [B, S, H]
