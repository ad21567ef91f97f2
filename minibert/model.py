"""BERT itself: embeddings, encoder, pooler, and the checks that keep wrong input out."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.encoder import BertEncoder


@dataclass
class BertOutputs:
    """What a BertModel gives back."""

    last_hidden_state: Tensor                        # [B, S, H]
    pooler_output: Tensor | None = None              # [B, H]
    hidden_states: list[Tensor] | None = None        # L + 1 times [B, S, H]: the embeddings, then every layer
    attentions: list[Tensor] | None = None           # L times [B, A, S, S], before dropout; every row sums to 1


class BertPooler(nn.Module):
    """The vector of a whole text: the last layer's [CLS] through a linear map and tanh.

    google-research/bert, modeling.py, class BertModel ("pooler"); pretrained by next-sentence prediction.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, last_hidden_state: Tensor) -> Tensor:
        """[B, S, H] -> [B, H]."""
        return self.dense(last_hidden_state[:, 0]).tanh()           # [B, H]


class BertPreTrainedModel(nn.Module):
    """What every model here shares: its config, and weights drawn as published.

    Linear and embedding weights N(0, initializer_range), biases 0, LayerNorm 1 and 0, the padding row 0.
    The original program truncates the normal distribution at two standard deviations; the reference
    implementation, and this one, do not.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.config = config

    def initialize_weights(self) -> None:
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=self.config.initializer_range)
                if isinstance(module, nn.Linear):
                    nn.init.zeros_(module.bias)
                elif module.padding_idx is not None:
                    with torch.no_grad():
                        module.weight[module.padding_idx].zero_()


class BertModel(BertPreTrainedModel):
    """The bidirectional encoder of Devlin et al. 2018, without a task head.

    Its modules are named as in the published checkpoints, so that they load without any renaming.
    """

    def __init__(self, config: BertConfig, add_pooling_layer: bool = True):
        super().__init__(config)
        self.embeddings = BertEmbeddings(config)
        self.encoder = BertEncoder(config)
        self.pooler = BertPooler(config) if add_pooling_layer else None
        self.initialize_weights()

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None, attention_mask: Tensor | None = None,
                position_ids: Tensor | None = None, output_attentions: bool = False,
                output_hidden_states: bool = False) -> BertOutputs:
        """Run the encoder.

        input_ids       [B, S] integer ids below vocab_size
        token_type_ids  [B, S] segment of each token; 0 everywhere by default
        attention_mask  [B, S], 1 or True = a real token, 0 or False = padding; or boolean [B, S, S],
                        True = query (row) may look at key (column), for several texts packed into one row
        position_ids    [B, S] or [1, S]; 0, 1, 2, … by default

        Errors: a ValueError, with the numbers in it, for ids outside their table, a sequence beyond the positions,
        a mask of another shape or dtype, an empty batch.
        """
        self._check_ids(input_ids, token_type_ids, position_ids)
        mask = extended_mask(attention_mask, input_ids)                 # [B, 1, 1 or S, S]
        embedded = self.embeddings(input_ids, token_type_ids, position_ids)     # [B, S, H]
        states, weights = self.encoder(embedded, mask, output_attentions)
        last = states[-1]                                               # [B, S, H]
        return BertOutputs(
            last_hidden_state=last,
            pooler_output=self.pooler(last) if self.pooler is not None else None,       # [B, H]
            hidden_states=states if output_hidden_states else None,
            attentions=weights if output_attentions else None,
        )

    def _check_ids(self, input_ids, token_type_ids, position_ids) -> None:
        config = self.config
        if input_ids.dim() != 2 or input_ids.numel() == 0:
            raise ValueError(f"input_ids must have the shape [batch, tokens], both at least 1, not {list(input_ids.shape)}")
        length = input_ids.size(1)
        if length > config.max_position_embeddings and position_ids is None and config.position_embedding_type != "none":
            raise ValueError(f"a sequence of {length} tokens is longer than max_position_embeddings "
                             f"{config.max_position_embeddings}: truncate it")
        _check_range("input_ids", input_ids, config.vocab_size, "vocab_size")
        if token_type_ids is not None:
            _check_shape("token_type_ids", token_type_ids, input_ids, batch_may_be_one=False)
            _check_range("token_type_ids", token_type_ids, config.type_vocab_size, "type_vocab_size")
        if position_ids is not None:
            _check_shape("position_ids", position_ids, input_ids, batch_may_be_one=True)
            _check_range("position_ids", position_ids, config.max_position_embeddings, "max_position_embeddings")


def extended_mask(attention_mask: Tensor | None, input_ids: Tensor) -> Tensor | None:
    """A mask over tokens as attention needs it: boolean, True = may be looked at, broadcasting over heads.

    attention_mask [B, S] or boolean [B, S, S] -> [B, 1, 1, S] or [B, 1, S, S]; the first where every query sees the same keys.
    None stays None.
    """
    if attention_mask is None:
        return None
    batch, length = input_ids.shape
    shape = list(attention_mask.shape)
    if shape == [batch, length, length] and attention_mask.dim() == 3:
        if attention_mask.dtype != torch.bool:
            raise ValueError(f"attention_mask of shape {shape} must be boolean (True = may look), not {attention_mask.dtype}")
        return attention_mask[:, None]                                  # [B, 1, S, S]
    if shape != [batch, length]:
        raise ValueError(f"attention_mask must have the shape {[batch, length]} of input_ids, "
                         f"or {[batch, length, length]}, not {shape}")
    if attention_mask.dtype.is_floating_point or attention_mask.dtype.is_complex:
        raise ValueError(f"attention_mask must be boolean or whole numbers, 1 = real token and 0 = padding, "
                         f"not {attention_mask.dtype}")
    if attention_mask.dtype != torch.bool and not torch.compiler.is_compiling():
        low, high = int(attention_mask.min()), int(attention_mask.max())
        if low < 0 or high > 1:
            raise ValueError(f"attention_mask holds values from {low} to {high}; it may hold 1 (real token) and 0 (padding)")
    return attention_mask.bool()[:, None, None, :]                      # [B, 1, 1, S]


def _check_shape(name: str, ids: Tensor, input_ids: Tensor, batch_may_be_one: bool) -> None:
    wanted = [list(input_ids.shape)] + ([[1, input_ids.size(1)]] if batch_may_be_one else [])
    if list(ids.shape) not in wanted:
        raise ValueError(f"{name} must have the shape {' or '.join(map(str, wanted))}, not {list(ids.shape)}")


def _check_range(name: str, ids: Tensor, rows: int, limit: str) -> None:
    if ids.dtype not in (torch.int64, torch.int32):
        raise ValueError(f"{name} must be whole numbers of dtype int64 or int32, not {ids.dtype}")
    if torch.compiler.is_compiling():       # a look at the values would cut the compiled graph in two
        return
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= rows:
        raise ValueError(f"{name} must lie between 0 and {rows - 1} ({limit} is {rows}), but they go from {low} to {high}")
