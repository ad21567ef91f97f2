"""One vector per sentence: the mean of its tokens' vectors, as sentence encoders such as MiniLM are trained to be used; and their training."""

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.config import BertConfig
from minibert.heads import HeadOutputs
from minibert.model import BertModel, BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer


def mean_pool(last_hidden_state: Tensor, attention_mask: Tensor) -> Tensor:
    """Mean over the real tokens (Reimers & Gurevych 2019, section 3, "MEAN-strategy").

    last_hidden_state [B, S, H], attention_mask [B, S] with 1 = a real token -> [B, H]. Padding is not counted,
    neither in the sum nor in the number it is divided by.
    """
    real = attention_mask.unsqueeze(-1).to(last_hidden_state.dtype)         # [B, S, 1]
    return (last_hidden_state * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)     # [B, H]


@torch.no_grad()
def embed(model: BertModel, tokenizer: WordPieceTokenizer, texts: list[str], batch_size: int = 32) -> Tensor:
    """Sentence vectors of length 1 for texts, in their order: [N, H]; a dot product of two is their cosine.

    Longer texts are cut at the model's max_position_embeddings. The model is put into eval mode and back.
    Errors: a ValueError for a text that is not in a list, or an empty list.
    """
    if isinstance(texts, str) or not texts:
        raise ValueError(f"texts must be a list of at least one text, not {texts!r}")
    was_training = model.training
    model.eval()
    vectors = []
    for start in range(0, len(texts), batch_size):
        batch = tokenizer(texts[start:start + batch_size], max_length=model.config.max_position_embeddings)
        batch = {name: ids.to(next(model.parameters()).device) for name, ids in batch.items()}
        pooled = mean_pool(model(**batch).last_hidden_state, batch["attention_mask"])       # [B, H]
        vectors.append(F.normalize(pooled, dim=-1))                                         # [B, H]
    model.train(was_training)
    return torch.cat(vectors)                                                               # [N, H]


class BertForSentenceSimilarity(BertPreTrainedModel):
    """How alike two texts are in meaning: the cosine of their mean vectors (Reimers & Gurevych 2019, section 3).

    Both go through the same encoder, apart from each other: the vectors of a million texts are made once, and comparing
    two of them costs one dot product. There is no head; what `embed` gives of `.bert` is what was trained.
    """

    def __init__(self, config: BertConfig):
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None, attention_mask: Tensor | None = None, *,
                labels: Tensor | None = None) -> HeadOutputs:
        """As BertModel, but input_ids, token_type_ids and attention_mask [B, 2, S], the two texts of each pair; plus `labels` [B],
        the cosines wanted.

        Logits [B], the cosines found. The loss is their mean squared error ("regression objective function").
        """
        if input_ids.dim() != 3 or input_ids.size(1) != 2:
            raise ValueError(f"input_ids must have the shape [batch, 2, tokens], not {list(input_ids.shape)}")
        if attention_mask is None:
            attention_mask = torch.ones_like(input_ids)                                         # [B, 2, S]
        flat = [x.flatten(0, 1) if x is not None else None for x in (input_ids, token_type_ids, attention_mask)]   # [2 · B, S]
        pooled = mean_pool(self.bert(*flat).last_hidden_state, flat[2])                         # [2 · B, H]
        pooled = pooled.to(self.bert.embeddings.word_embeddings.weight.dtype)                   # [2 · B, H], also under autocast
        cosines = F.cosine_similarity(pooled[::2], pooled[1::2])                                # [B]
        return HeadOutputs(F.mse_loss(cosines, labels.to(cosines.dtype)) if labels is not None else None, cosines)
