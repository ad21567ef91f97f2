"""BertSumExt: BERT reads a document, each sentence gets a vector, and a head scores the sentences (Liu 2019)."""

import inspect
from contextlib import nullcontext
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from minibert.config import SENTENCE_HEAD, BertConfig
from minibert.model import BertModel, BertPreTrainedModel
from minibert.summarization.heads import InterSentenceEncoder, SentenceClassifier, SentenceHead, SentenceRNN, sentence_loss

HEADS = {"transformer": InterSentenceEncoder, "classifier": SentenceClassifier, "rnn": SentenceRNN}
VECTORS = ("cls", "mean")


@dataclass
class SummarizationOutputs:
    """What a BertSumExt gives back."""

    loss: Tensor | None             # a scalar, None without labels
    logits: Tensor                  # [B, N]; what stands at padding means nothing
    scores: Tensor                  # [B, N], between 0 and 1, exactly 0 at padding


class BertSumExt(BertPreTrainedModel):
    """BERT with a head that scores every sentence of a document.

    bert                a BertModel, whose weights it shares; or the config of a saved BertSumExt
    head                "transformer", "classifier" or "rnn", with its `sizes`; or one that is there already
    sentence_vector     "cls": the vector of the [CLS] before the sentence, as published; "mean": the mean over the
                        sentence's tokens, both special ones included, for encoders that were trained for means
    segments            whether its documents have segments 0 and 1 in turn, as published

    Raises a ValueError that names the argument, what it was and what it may be.
    """

    def __init__(self, bert: BertModel | BertConfig, head: str | SentenceHead = "transformer", sentence_vector: str = "cls",
                 segments: bool = True, **sizes):
        saved = isinstance(bert, BertConfig)
        if not saved and not isinstance(bert, BertModel):
            raise ValueError(f"bert must be a BertModel, not a {type(bert).__name__}" + (": give its .bert" if hasattr(bert, "bert") else ""))
        config = bert if saved else bert.config
        if saved:
            if config.sentence_head is None:
                raise ValueError("the config has no sentence_head: give a BertModel, and say which head to put on it")
            head, sentence_vector, segments, sizes = (config.sentence_head[key] for key in SENTENCE_HEAD)
        if sentence_vector not in VECTORS:
            raise ValueError(f"sentence_vector must be one of {', '.join(VECTORS)}, not {sentence_vector!r}")
        super().__init__(config)
        with nullcontext() if saved else torch.device("meta"):
            self.bert = BertModel(config, add_pooling_layer=False)      # a pooler would never be used, nor trained
        if not saved:
            self.bert.embeddings, self.bert.encoder = bert.embeddings, bert.encoder
            self.source_folder = getattr(bert, "source_folder", None)   # of its vocabulary
        self.head = _head(head, config.hidden_size, sizes).to(next(self.bert.parameters()))
        self.sentence_vector, self.segments = sentence_vector, segments
        kind = next(name for name, cls in HEADS.items() if isinstance(self.head, cls))
        self.config = replace(config, sentence_head=dict(zip(SENTENCE_HEAD, (kind, sentence_vector, segments, self.head.sizes))))

    def forward(self, *inputs, sentence_positions: Tensor, sentence_mask: Tensor, labels: Tensor | None = None, **more_inputs) -> SummarizationOutputs:
        """As BertModel, plus `sentence_positions` [B, N] (where each sentence's [CLS] stands), boolean `sentence_mask` [B, N]
        (True = a sentence) and `labels` [B, N] from 0 to 1. `minibert.summarization.collate` makes all but the labels.

        The loss is the sum of the binary cross-entropies of the real sentences.
        """
        vectors = self.sentence_vectors(*inputs, sentence_positions=sentence_positions, sentence_mask=sentence_mask, **more_inputs)     # [B, N, H]
        logits = self.head.logits(vectors, sentence_mask)                                       # [B, N]
        loss = sentence_loss(logits, labels, sentence_mask) if labels is not None else None
        return SummarizationOutputs(loss, logits, logits.sigmoid().masked_fill(~sentence_mask, 0.0))

    def sentence_vectors(self, *inputs, sentence_positions: Tensor, sentence_mask: Tensor, **more_inputs) -> Tensor:
        """A vector for every sentence, 0 at padding: [B, N, H]."""
        hidden = self.bert(*inputs, **more_inputs).last_hidden_state                            # [B, S, H]
        _check_positions(sentence_positions, sentence_mask, hidden)
        if self.sentence_vector == "cls":
            places = sentence_positions.masked_fill(~sentence_mask, 0).long().unsqueeze(-1)     # [B, N, 1]
            vectors = hidden.gather(1, places.expand(-1, -1, hidden.size(-1)))                  # [B, N, H]
        else:
            attention_mask = more_inputs.get("attention_mask", inputs[2] if len(inputs) > 2 else None)
            vectors = sentence_means(hidden, sentence_positions, sentence_mask, attention_mask)         # [B, N, H]
        return vectors.masked_fill(~sentence_mask.unsqueeze(-1), 0.0)                           # [B, N, H]


def _head(head: str | SentenceHead, hidden_size: int, sizes: dict) -> SentenceHead:
    if isinstance(head, tuple(HEADS.values())):
        if sizes:
            raise ValueError(f"{', '.join(sizes)}: sizes of a head that is there already; give its name to make one")
        if head.hidden_size != hidden_size:
            raise ValueError(f"the head takes vectors of {head.hidden_size} numbers, but bert makes them of hidden_size {hidden_size}")
        return head
    if not isinstance(head, str) or head not in HEADS:
        raise ValueError(f"head must be one of {', '.join(HEADS)}, not {head!r}")
    known = list(inspect.signature(HEADS[head]).parameters)[1:]
    if unknown := sorted(sizes.keys() - known):
        raise ValueError(f"the head {head!r} knows no {', '.join(unknown)}; " + (f"it takes {', '.join(known)}" if known else "it takes no sizes"))
    return HEADS[head](hidden_size, **sizes)


def first_layers(bert: BertModel, count: int) -> BertModel:
    """The first `count` layers of a BertModel as a model of its own, which shares their weights.

    What a sentence says is still there in the middle of an encoder; its last layers were made for another task. On
    SciTLDR a head on the fourth of MiniLM's six layers is worth two points of ROUGE-1 more than on the sixth
    (benchmarks/logs/scitldr.json), and a third less to compute.
    """
    depth = bert.config.num_hidden_layers
    if not 0 < count <= depth:
        raise ValueError(f"count must lie between 1 and {depth}, the layers that there are, not {count}")
    first = BertModel(replace(bert.config, num_hidden_layers=count), add_pooling_layer=False)
    first.embeddings, first.encoder.layer = bert.embeddings, bert.encoder.layer[:count]
    if bert.config.norm_first:
        first.encoder.norm = bert.encoder.norm
    first.source_folder = getattr(bert, "source_folder", None)
    return first.train(bert.training)


def sentence_means(hidden: Tensor, positions: Tensor, sentence_mask: Tensor, attention_mask: Tensor | None) -> Tensor:
    """The mean of each sentence's tokens, from its [CLS] to the one before the next [CLS] or the text's end: [B, N, H]."""
    places = torch.arange(hidden.size(1), device=hidden.device)                                 # [S]
    # a token belongs to the last sentence that began at it or before it
    begun = ((positions.unsqueeze(-1) <= places) & sentence_mask.unsqueeze(-1)).sum(dim=1)      # [B, S], 1 for the first sentence
    numbers = torch.arange(1, positions.size(1) + 1, device=hidden.device)                      # [N]
    member = begun.unsqueeze(1) == numbers[:, None]                                             # [B, N, S]
    if attention_mask is not None:
        member = member & attention_mask.bool().unsqueeze(1)                                    # [B, N, S]
    member = member.to(hidden.dtype)                                                            # [B, N, S]
    return member @ hidden / member.sum(dim=-1, keepdim=True).clamp(min=1)                      # [B, N, H]


def _check_positions(positions: Tensor, mask: Tensor, hidden: Tensor) -> None:
    if positions.dim() != 2 or positions.size(0) != hidden.size(0) or positions.size(1) == 0:
        raise ValueError(f"sentence_positions must have the shape [{hidden.size(0)}, sentences], at least one sentence, not {list(positions.shape)}")
    if positions.dtype not in (torch.int64, torch.int32):
        raise ValueError(f"sentence_positions must be whole numbers of dtype int64 or int32, not {positions.dtype}")
    if mask.shape != positions.shape or mask.dtype != torch.bool:
        raise ValueError(f"sentence_mask must be boolean of the shape {list(positions.shape)}, not {mask.dtype} of {list(mask.shape)}")
    real = positions[mask]                                                                      # [all real sentences]
    if real.numel() and not (0 <= int(real.min()) and int(real.max()) < hidden.size(1)):
        raise ValueError(f"sentence_positions must lie between 0 and {hidden.size(1) - 1}, but they go from {int(real.min())} to {int(real.max())}")
    if ((positions[:, 1:] <= positions[:, :-1]) & mask[:, 1:]).any() or (mask[:, 1:] & ~mask[:, :-1]).any():
        raise ValueError("sentence_positions must rise within a document, and padding stand behind its sentences")
