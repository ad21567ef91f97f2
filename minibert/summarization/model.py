"""BertSumExt (Liu 2019): BERT encodes a document, each sentence gets a vector, and a head scores
the sentences."""

import inspect
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from minibert.config import BertConfig, InputError
from minibert.embeddings import check_device, values_are_readable
from minibert.hub.shapes_only import shapes_only
from minibert.hub.tokenizer_files import check_switches
from minibert.model import BertModel, BertPreTrainedModel, model_outputs
from minibert.summarization.heads import (
    InterSentenceEncoder,
    SentenceClassifier,
    SentenceHead,
    SentenceRNN,
)
from minibert.summarization.losses import check_mask, sentence_loss

HEADS: dict[str, type[SentenceHead]] = {
    "transformer": InterSentenceEncoder,
    "classifier": SentenceClassifier,
    "rnn": SentenceRNN,
}
VECTORS = ("cls", "mean")
SENTENCE_HEAD = ("kind", "vector", "segments", "sizes")  # the keys of a config's `sentence_head`


@model_outputs
class SummarizationOutputs:
    """The output of a BertSumExt."""

    loss: Tensor | None  # a scalar, None without labels
    logits: Tensor  # [B, N]; ignore the values at padding
    scores: Tensor  # [B, N], between 0 and 1, exactly 0 at padding


class BertSumExt(BertPreTrainedModel):
    """BERT with a head that scores every sentence of a document.

    bert                a BertModel, whose weights it shares; or the config of a saved BertSumExt
    head                "transformer", "classifier" or "rnn", with its `sizes`; or an existing head
    sentence_vector     "cls": the vector of the [CLS] before the sentence, as published; "mean":
                        the mean over the sentence's tokens, [CLS] and [SEP] included, for encoders
                        that were trained with mean pooling
    segments            whether the sentences alternate between segments 0 and 1, as published

    Raises a ValueError that names a bad argument, its value and the allowed values.
    """

    unused_keys: list[str]  # tensors of the original file that were not used

    def __init__(
        self,
        bert: BertModel | BertConfig,
        head: str | SentenceHead = "transformer",
        sentence_vector: str = "cls",
        segments: bool = True,
        **sizes: Any,
    ):
        if not isinstance(bert, BertModel | BertConfig):
            raise InputError(
                f"bert must be a BertModel, not a {type(bert).__name__}"
                + (": pass its .bert" if hasattr(bert, "bert") else "")
            )
        config = bert if isinstance(bert, BertConfig) else bert.config
        if isinstance(bert, BertConfig):
            if config.sentence_head is None:
                raise InputError(
                    "the config has no sentence_head: pass a BertModel and choose a head"
                )
            check_sentence_head(config.sentence_head)
            head, sentence_vector, segments, sizes = (
                config.sentence_head[key] for key in SENTENCE_HEAD
            )
        if sentence_vector not in VECTORS:
            raise InputError(
                f"sentence_vector must be one of {', '.join(VECTORS)}, not {sentence_vector!r}"
            )
        check_switches(segments=segments)
        super().__init__(config)
        with shapes_only() if isinstance(bert, BertModel) else nullcontext():
            self.bert = BertModel(config, add_pooling_layer=False)  # a pooler would be unused
        if isinstance(bert, BertModel):
            self.bert.embeddings, self.bert.encoder = bert.embeddings, bert.encoder
            self.source_folder = getattr(bert, "source_folder", None)  # holds its vocabulary
        on_meta = next(self.bert.parameters()).is_meta
        with torch.device("meta" if on_meta else "cpu"):  # whatever the default device is
            fresh = _head(head, config.hidden_size, sizes)
        self.head = fresh.to(next(self.bert.parameters()))
        self.sentence_vector, self.segments = sentence_vector, segments
        kind = next(name for name, cls in HEADS.items() if isinstance(self.head, cls))
        about = (kind, sentence_vector, segments, self.head.sizes)
        self.config = replace(
            config,
            sentence_head=dict(zip(SENTENCE_HEAD, about, strict=True)),
        )

    def forward(
        self,
        input_ids: Tensor | None = None,
        *,
        sentence_positions: Tensor,
        sentence_mask: Tensor,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        labels: Tensor | None = None,
    ) -> SummarizationOutputs:
        """Score the sentences of a batch of documents.

        The arguments are those of BertModel, plus `sentence_positions` (B × N) (the index of each
        sentence's [CLS]), boolean `sentence_mask` (B × N) (True = a sentence) and `labels` (B × N)
        from 0 to 1. `minibert.summarization.collate` makes all of them except the labels.

        The loss is the binary cross-entropy summed over the real sentences.
        """
        vectors = self.sentence_vectors(
            input_ids,
            sentence_positions=sentence_positions,
            sentence_mask=sentence_mask,
            token_type_ids=token_type_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            inputs_embeds=inputs_embeds,
        )  # [B, N, H]
        logits = self.head.logits(vectors, sentence_mask)  # [B, N]
        loss = sentence_loss(logits, labels, sentence_mask) if labels is not None else None
        return SummarizationOutputs(loss, logits, logits.sigmoid().masked_fill(~sentence_mask, 0.0))

    def sentence_vectors(
        self,
        input_ids: Tensor | None = None,
        *,
        sentence_positions: Tensor,
        sentence_mask: Tensor,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
    ) -> Tensor:
        """Return a vector for every sentence, 0 at padding: [B, N, H]."""
        out = self.bert(
            input_ids,
            token_type_ids=token_type_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            inputs_embeds=inputs_embeds,
        )
        hidden: Tensor = out.last_hidden_state  # [B, S, H]
        _check_positions(sentence_positions, sentence_mask, hidden)
        if self.sentence_vector == "cls":
            index = (
                sentence_positions.masked_fill(~sentence_mask, 0).long().unsqueeze(-1)
            )  # [B, N, 1]
            vectors = hidden.gather(1, index.expand(-1, -1, hidden.size(-1)))  # [B, N, H]
        else:
            vectors = sentence_means(
                hidden, sentence_positions, sentence_mask, attention_mask
            )  # [B, N, H]
        return vectors.masked_fill(~sentence_mask.unsqueeze(-1), 0.0)  # [B, N, H]


def check_sentence_head(values: object) -> None:
    """Raise an InputError unless `values` describes a head, as in a config or head.json."""
    if (
        not isinstance(values, dict)
        or set(values) != set(SENTENCE_HEAD)
        or not isinstance(values["sizes"], dict)
    ):
        raise InputError(
            f"sentence_head must be an object with {', '.join(SENTENCE_HEAD)}, "
            f"where sizes is an object too, not {values!r}"
        )


def _head(head: str | SentenceHead, hidden_size: int, sizes: dict[str, Any]) -> SentenceHead:
    if isinstance(head, SentenceHead) and type(head) in HEADS.values():
        if sizes:
            raise InputError(
                f"{', '.join(sizes)}: an existing head has its sizes already; pass the name of a "
                "head to make a new one"
            )
        if head.hidden_size != hidden_size:
            raise InputError(
                f"the head takes vectors of size {head.hidden_size}, but bert has hidden_size "
                f"{hidden_size}"
            )
        return head
    if not isinstance(head, str) or head not in HEADS:
        raise InputError(f"head must be one of {', '.join(HEADS)}, not {head!r}")
    known = list(inspect.signature(HEADS[head]).parameters)[1:]
    if unknown := sorted(sizes.keys() - known):
        raise InputError(
            f"the head {head!r} has no argument {', '.join(unknown)}; "
            + (f"it takes {', '.join(known)}" if known else "it takes no sizes")
        )
    try:
        return HEADS[head](hidden_size, **sizes)
    except (TypeError, RuntimeError) as error:
        raise InputError(f"the head {head!r} cannot have the sizes {sizes!r}: {error}") from error


def first_layers(bert: BertModel, count: int) -> BertModel:
    """Return a BertModel of the first `count` layers, which shares their weights.

    Middle layers can suit a head better, because the last layers are specialised for the
    pretraining task. On SciTLDR a head on the fourth of MiniLM's six layers gains two points of
    ROUGE-1 over one on the sixth (benchmarks/logs/scitldr.json), and a third of the compute is
    saved. Raises a ValueError for a `count` outside 1 to the number of layers.
    """
    depth = bert.config.num_hidden_layers
    if not 0 < count <= depth:
        raise InputError(f"count must lie between 1 and {depth}, the number of layers, not {count}")
    first = BertModel(replace(bert.config, num_hidden_layers=count), add_pooling_layer=False)
    first.embeddings, first.encoder.layer = bert.embeddings, bert.encoder.layer[:count]
    if bert.config.norm_first:
        first.encoder.norm = bert.encoder.norm
    first.source_folder = getattr(bert, "source_folder", None)
    return first.train(bert.training)


def sentence_means(
    hidden: Tensor, positions: Tensor, sentence_mask: Tensor, attention_mask: Tensor | None
) -> Tensor:
    """Return the mean over each sentence's tokens, from its [CLS] up to the next [CLS] or the
    end of the text: [B, N, H]."""
    indices = torch.arange(hidden.size(1), device=hidden.device)  # [S]
    # the number of sentences that begin at or before a token is the number of its own sentence
    begun = ((positions.unsqueeze(-1) <= indices) & sentence_mask.unsqueeze(-1)).sum(
        dim=1
    )  # [B, S], 1 for the first sentence
    numbers = torch.arange(1, positions.size(1) + 1, device=hidden.device)  # [N]
    member = begun.unsqueeze(1) == numbers[:, None]  # [B, N, S]
    if attention_mask is not None:
        member = member & attention_mask.bool().unsqueeze(1)  # [B, N, S]
    member = member.to(hidden.dtype)  # [B, N, S]
    return member @ hidden / member.sum(dim=-1, keepdim=True).clamp(min=1)  # [B, N, H]


def _check_positions(positions: Tensor, mask: Tensor, hidden: Tensor) -> None:
    if not isinstance(positions, Tensor):
        raise InputError(f"sentence_positions must be a tensor, not a {type(positions).__name__}")
    if positions.dim() != 2 or positions.size(0) != hidden.size(0) or positions.size(1) == 0:
        raise InputError(
            f"sentence_positions must have the shape [{hidden.size(0)}, sentences] with at least "
            f"one sentence, not {list(positions.shape)}"
        )
    if positions.dtype not in (torch.int64, torch.int32):
        raise InputError(
            f"sentence_positions must be of dtype int64 or int32, not {positions.dtype}"
        )
    check_device(hidden.device, sentence_positions=positions)
    check_mask(mask, positions)
    if not values_are_readable(positions):
        return
    real = positions[mask]  # [all real sentences]
    if real.numel() and not (int(real.min()) >= 0 and int(real.max()) < hidden.size(1)):
        raise InputError(
            f"sentence_positions must lie between 0 and {hidden.size(1) - 1}, but they range "
            f"from {int(real.min())} to {int(real.max())}"
        )
    if ((positions[:, 1:] <= positions[:, :-1]) & mask[:, 1:]).any() or (
        mask[:, 1:] & ~mask[:, :-1]
    ).any():
        raise InputError(
            "sentence_positions must increase within a document, and its padding must come last"
        )
