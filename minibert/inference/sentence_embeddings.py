"""Sentence embeddings: the mean of a sentence's token vectors, and the model that trains an encoder
for them.
"""

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm.auto import tqdm

from minibert.config import BertConfig, InputError
from minibert.heads.base import HeadOutputs, check_label_shape, rows
from minibert.inference.unpadded import UnpaddedBert, batches_by_tokens, is_plain, token_budget
from minibert.model import BertModel, BertPreTrainedModel, evaluating
from minibert.tokenization import Batch, WordPieceTokenizer

TOKENIZED = 4096  # texts that are tokenized at once


def mean_pool(last_hidden_state: Tensor, attention_mask: Tensor) -> Tensor:
    """Mean over the real tokens (Reimers & Gurevych 2019, section 3, "MEAN-strategy").

    last_hidden_state [B, S, H], attention_mask [B, S] with 1 = a real token -> [B, H]. Padding is
    not counted, neither in the sum nor in the number it is divided by.
    """
    real = attention_mask.unsqueeze(-1).to(last_hidden_state.dtype)  # [B, S, 1]
    return (last_hidden_state * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)  # [B, H]


@torch.no_grad()
def embed(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[str],
    batch_size: int | None = None,
    dtype: torch.dtype = torch.float32,
    progress: bool = False,
) -> Tensor:
    """Sentence embeddings of length 1 for texts, in their order: [N, H].

    A dot product of two is their cosine.

    The model is a BertModel, or one with a head, whose BertModel is used. Longer texts are cut at
    the model's max_position_embeddings.

    batch_size  how many texts may go through the model at once; by default as many as have
                about 1,000 tokens together. Texts of similar lengths share a batch, and on a CPU
                padding is left out, so a vector does not depend on the other texts but for
                rounding (below 1e-6).
    dtype       torch.bfloat16 computes the matrix products in that format, which moves the numbers
                of a vector by less than 1e-3; faster on a GPU and on processors with AMX, slower
                on others
    progress    show a bar on stderr

    Raises an InputError for a text that is not in a list, an empty list, or another dtype.
    """
    if isinstance(texts, str) or not texts:
        raise InputError(f"texts must be a list of at least one text, not {texts!r}")
    if dtype not in (torch.float32, torch.bfloat16):
        raise InputError(f"dtype must be torch.float32 or torch.bfloat16, not {dtype}")
    bert: Any = getattr(model, "bert", model)  # a model that a reader wrote will do, too
    device, longest = next(bert.parameters()).device, bert.config.max_position_embeddings
    run = UnpaddedBert(bert) if is_plain(bert) else bert
    vectors = torch.empty(0)
    bar = tqdm(total=len(texts), desc="Embedding", unit=" texts", leave=False, disable=not progress)
    with evaluating(bert), bar, torch.autocast(device.type, dtype, dtype != torch.float32):
        run.training = False
        for start in range(0, len(texts), TOKENIZED):
            tokens = tokenizer(texts[start : start + TOKENIZED], max_length=longest)
            # with padding on the left too: the last column of each text that is not padding
            columns = torch.arange(1, tokens["attention_mask"].size(1) + 1)  # [S]
            lengths = (tokens["attention_mask"] * columns).amax(dim=1).clamp(min=1).tolist()
            for rows_of_batch in batches_by_tokens(lengths, batch_size, token_budget(device)):
                width = max(lengths[row] for row in rows_of_batch)  # S
                batch = Batch({n: t[rows_of_batch, :width] for n, t in tokens.items()}).to(device)
                hidden = run(**batch).last_hidden_state  # [B, S, H]
                hidden = hidden if dtype == torch.float32 else hidden.float()  # [B, S, H]
                pooled = mean_pool(hidden, batch["attention_mask"])  # [B, H]
                if not len(vectors):
                    vectors = pooled.new_empty(len(texts), pooled.size(-1))  # [N, H]
                places = torch.tensor(rows_of_batch, device=device) + start  # [B]
                vectors[places] = F.normalize(pooled, dim=-1)  # [B, H]
                bar.update(len(rows_of_batch))
    return vectors


class BertForSentenceSimilarity(BertPreTrainedModel):
    """How alike two texts are in meaning.

    The cosine of their mean vectors (Reimers & Gurevych 2019, section 3).

    Both go through the same encoder, apart from each other: the vectors of a million texts are made
    once, and comparing two of them costs one dot product. There is no head; what `embed` gives of
    `.bert` is what was trained.
    """

    def __init__(self, config: BertConfig):
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)

    def forward(
        self,
        input_ids: Tensor | None = None,
        *,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        labels: Tensor | None = None,
    ) -> HeadOutputs:
        """As BertModel, but for the two texts of each pair.

        Ids and attention_mask are (B × 2 × S), inputs_embeds (B × 2 × S × H); `labels` (B) are the
        expected cosines.

        Logits [B], the cosines found. The loss is their mean squared error ("regression objective
        function").
        """
        given = input_ids if input_ids is not None else inputs_embeds
        if given is not None and (given.dim() < 3 or given.size(1) != 2):
            raise InputError(
                f"input_ids must have the shape [batch, 2, tokens], not {list(given.shape)}"
            )
        hidden = self.bert(
            rows(input_ids),
            token_type_ids=rows(token_type_ids),
            attention_mask=rows(attention_mask),
            position_ids=rows(position_ids),
            inputs_embeds=rows(inputs_embeds),
        ).last_hidden_state  # [2 · B, S, H]
        mask = rows(attention_mask)  # [2 · B, S]
        if mask is None:
            mask = torch.ones_like(hidden[..., 0])  # [2 · B, S]
        pooled = mean_pool(hidden, mask)  # [2 · B, H]
        pooled = pooled.to(self.dtype)  # [2 · B, H], also under autocast
        cosines = F.cosine_similarity(pooled[::2], pooled[1::2])  # [B]
        if labels is not None:
            check_label_shape("labels", labels, cosines.shape)
        loss = F.mse_loss(cosines, labels.to(cosines.dtype)) if labels is not None else None
        return HeadOutputs(loss, cosines)
