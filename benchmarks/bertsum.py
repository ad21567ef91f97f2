"""What each part of BertSum is worth: heads, layers, positions, segments, vectors, blocking; five seeds each.

    python benchmarks/bertsum.py            # measure everything, write logs/bertsum.json
    python benchmarks/bertsum.py --check    # measure one seed of each anew, fail outside the bands

On the default corpus, so without a network. BERT stays as it is; a head is trained on the vectors of the sentences, in
seconds. Half of the articles are for training (up to four sections each, gap-sentence labels), the others for testing: their sections
(`found`: how many of the three labelled sentences are among the three chosen, in percent), and their bodies against their leads (ROUGE
F1 of three sentences). A document is read up to 512 tokens, as published; LEAD, random, longest and oracle choose from the same sentences.

Vectors are shifted and scaled so that each of their numbers has mean 0 and deviation 1 over the training sentences; the rows
'raw' leave them as BERT gives them. This is a small set: `rouge1_low` and `rouge1_high` are the bootstrap's 95% band of the mean over
the test articles. The differences between heads are to be read beside it.
"""

import random
import sys
from functools import cache
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

import log

from minibert import BertConfig, BertModel, WordPieceTokenizer, from_pretrained
from minibert.encoder import BertEncoder
from minibert.hub.find_pretrained import MINILM
from minibert.positions import sinusoidal_table
from minibert.summarization import (
    BertSumExt,
    InterSentenceEncoder,
    SentenceClassifier,
    SentenceRNN,
    greedy_oracle,
    select_sentences,
)
from minibert.summarization.examples import Example, lead_examples, section_examples
from minibert.summarization.heads import SentenceHead
from minibert.summarization.rouge import bootstrap_band, rouge_scores
from minibert.summarization.training import encode_sentences, train_head

SMALL = "minibert-small"
K = 3  # sentences of a summary
WIDE = 512  # of the feed-forward; the published 2048 is for H = 768
TRAIN_SECTIONS, TEST_SECTIONS = 4, 2  # of each article


class PositionsOnly(SentenceHead):
    """The inter-sentence encoder with no layer at all: positions, a norm, a linear map."""

    def __init__(self, hidden_size: int):
        super().__init__()
        self.hidden_size, self.sizes = hidden_size, {}
        self.norm, self.scorer = nn.LayerNorm(hidden_size, eps=1e-6), nn.Linear(hidden_size, 1)
        self._draw_weights()

    def _logits(self, x: Tensor, sentence_mask: Tensor) -> Tensor:
        return self.scorer(self.norm(x + sinusoidal_table(x.size(1), x.size(2)))).squeeze(
            -1
        )  # [B, N]


class PostNorm(InterSentenceEncoder):
    """As the paper writes it: the norms outside, none at the end."""

    def __init__(self, hidden_size: int):
        super().__init__(hidden_size, WIDE)
        self.encoder = BertEncoder(
            BertConfig(
                vocab_size=1,
                hidden_size=hidden_size,
                intermediate_size=WIDE,
                num_attention_heads=8,
                num_hidden_layers=2,
                hidden_act="gelu_new",
                layer_norm_eps=1e-6,
            )
        )
        self._draw_weights()


# variant -> encoder, sentence vector, segments, scaled, head
VARIANTS = {
    "classifier": (SMALL, "mean", True, True, SentenceClassifier),
    "classifier of two layers": (
        SMALL,
        "mean",
        True,
        True,
        lambda size: SentenceClassifier(size, WIDE),
    ),
    "transformer": (SMALL, "mean", True, True, lambda size: InterSentenceEncoder(size, WIDE)),
    "LSTM, as published": (
        SMALL,
        "mean",
        True,
        True,
        lambda size: SentenceRNN(size, reference_quirks=True),
    ),
    "LSTM, mended": (SMALL, "mean", True, True, SentenceRNN),
    "no layer": (SMALL, "mean", True, True, PositionsOnly),
    "1 layer": (
        SMALL,
        "mean",
        True,
        True,
        lambda size: InterSentenceEncoder(size, WIDE, num_layers=1),
    ),
    "3 layers": (
        SMALL,
        "mean",
        True,
        True,
        lambda size: InterSentenceEncoder(size, WIDE, num_layers=3),
    ),
    "without positions": (
        SMALL,
        "mean",
        True,
        True,
        lambda size: InterSentenceEncoder(size, WIDE, positions=False),
    ),
    "post-norm": (SMALL, "mean", True, True, PostNorm),
    "one segment": (SMALL, "mean", False, True, lambda size: InterSentenceEncoder(size, WIDE)),
    "[CLS]": (SMALL, "cls", True, True, lambda size: InterSentenceEncoder(size, WIDE)),
    "raw": (SMALL, "mean", True, False, lambda size: InterSentenceEncoder(size, WIDE)),
    "raw, without positions": (
        SMALL,
        "mean",
        True,
        False,
        lambda size: InterSentenceEncoder(size, WIDE, positions=False),
    ),
    "MiniLM": (MINILM, "mean", True, True, lambda size: InterSentenceEncoder(size, WIDE)),
    "MiniLM, classifier": (MINILM, "mean", True, True, SentenceClassifier),
    "MiniLM, [CLS]": (MINILM, "cls", True, True, lambda size: InterSentenceEncoder(size, WIDE)),
}
UNTRAINED = ("lead", "longest", "oracle")


@cache
def examples() -> dict[str, list[Example]]:
    """Sections to train on, sections and articles to test on; no article is on both sides."""
    sections, articles = section_examples(K), lead_examples()
    titles = sorted({example.name for example in sections + articles})
    training = set(titles[::2])

    def first(names, count):
        return [
            example
            for name in names
            for example in [section for section in sections if section.name == name][:count]
        ]

    return {
        "train": first(titles[::2], TRAIN_SECTIONS),
        "sections": first(titles[1::2], TEST_SECTIONS),
        "articles": [article for article in articles if article.name not in training],
    }


@cache
def vectors(encoder: str, kind: str, segments: bool, part: str) -> list[Tensor]:
    """The vectors of the sentences that the encoder reads, [N, H] for each example."""
    model = BertSumExt(
        from_pretrained(encoder, BertModel), "classifier", sentence_vector=kind, segments=segments
    )
    found, numbers = encode_sentences(
        model,
        WordPieceTokenizer.from_pretrained(encoder),
        [example.sentences for example in examples()[part]],
    )
    assert all(
        of_document == list(range(len(of_document))) for of_document in numbers
    )  # no sentence is empty
    return found


def measure(variant: str, seed: int | None) -> dict:
    if variant in VARIANTS:
        return _measure_head(*VARIANTS[variant], seed)
    generator = random.Random(seed)
    choose = {
        "lead": lambda example, read: range(min(K, read)),
        "random": lambda example, read: sorted(generator.sample(range(read), min(K, read))),
        "longest": lambda example, read: sorted(
            sorted(range(read), key=lambda n: -len(example.sentences[n].split()))[:K]
        ),
        "oracle": _oracle,
    }[variant]
    chosen = {
        part: [
            list(choose(example, len(rows)))
            for example, rows in zip(examples()[part], vectors(SMALL, "mean", True, part))
        ]
        for part in ("sections", "articles")
    }
    return _judge(chosen)


def _oracle(example: Example, read: int) -> list[int]:
    """The labelled sentences of a section; of an article, the greedy oracle's choice among those that are read."""
    if len(example.references[0]) == K and all(
        sentence in example.sentences for sentence in example.references[0]
    ):
        return [n for n in range(read) if example.labels[n]]
    lower = [
        [sentence.lower().split() for sentence in part]
        for part in (example.sentences[:read], example.references[0])
    ]
    return greedy_oracle(*lower, K)


def _measure_head(encoder: str, kind: str, segments: bool, scaled: bool, make, seed: int) -> dict:
    parts = {part: vectors(encoder, kind, segments, part) for part in examples()}
    if scaled:
        together = torch.cat(parts["train"])  # [sentences, H]
        parts = {
            part: [(rows - together.mean(dim=0)) / together.std(dim=0) for rows in found]
            for part, found in parts.items()
        }
    torch.manual_seed(seed)
    head = make(parts["train"][0].size(1))
    # a linear map of the vectors themselves wants a higher rate than one behind a norm
    epochs, learning_rate = (
        (20, 3e-3)
        if make in (SentenceClassifier, PositionsOnly)
        else (10, 3e-3)
        if isinstance(head, SentenceRNN)
        else (8, 3e-4)
    )
    losses = train_head(
        head,
        parts["train"],
        [example.labels[: len(rows)] for example, rows in zip(examples()["train"], parts["train"])],
        epochs=epochs,
        batch_size=16,
        learning_rate=learning_rate,
        seed=seed,
    )
    with torch.no_grad():
        logits = {
            part: [
                head.logits(rows[None], torch.ones(1, len(rows), dtype=torch.bool))[0]
                for rows in parts[part]
            ]
            for part in ("sections", "articles")
        }
    chosen = {
        part: [
            select_sentences(scores, example.sentences, K, block_trigrams=False)
            for example, scores in zip(examples()[part], found)
        ]
        for part, found in logits.items()
    }
    blocked = [
        select_sentences(scores, example.sentences, K)
        for example, scores in zip(examples()["articles"], logits["articles"])
    ]
    return _judge(chosen) | {
        "rouge1_blocked": _mean(_rouge(blocked, "rouge1")),
        "rouge2_blocked": _mean(_rouge(blocked, "rouge2")),
        "blocking_changes": _mean(
            [100.0 * (one != other) for one, other in zip(blocked, chosen["articles"])]
        ),
        "loss": round(losses[-1], 2),
    }


def _judge(chosen: dict[str, list[list[int]]]) -> dict:
    found = [
        100 * sum(example.labels[n] for n in numbers) / max(1, sum(example.labels[: len(rows)]))
        for example, numbers, rows in zip(
            examples()["sections"], chosen["sections"], vectors(SMALL, "mean", True, "sections")
        )
    ]
    values = {"found": _mean(found)} | {
        name: _mean(_rouge(chosen["articles"], name)) for name in ("rouge1", "rouge2", "rougeLsum")
    }
    values["rouge1_low"], values["rouge1_high"] = (
        round(end, 2) for end in bootstrap_band(_rouge(chosen["articles"], "rouge1"))
    )
    numbers = [n for of_article in chosen["articles"] for n in of_article]
    words = [
        len(example.sentences[n].split())
        for example, of_article in zip(examples()["articles"], chosen["articles"])
        for n in of_article
    ]
    return values | {
        "among_first_three": _mean([100.0 * (n < K) for n in numbers]),
        "words": _mean(words),
    }


def _rouge(chosen: list[list[int]], name: str) -> list[float]:
    return [_score(i, tuple(numbers))[name] for i, numbers in enumerate(chosen)]


@cache
def _score(article: int, numbers: tuple[int, ...]) -> dict[str, float]:
    example = examples()["articles"][article]
    return rouge_scores([example.sentences[n] for n in numbers], example.references)


def _mean(values) -> float:
    return round(sum(values) / len(values), 2)


ROWS = [
    *((variant, None) for variant in UNTRAINED),
    *((variant, seed) for variant in ("random", *VARIANTS) for seed in range(5)),
]
# No head reaches the longest sentences, or falls to chance; a [CLS] that nobody fine-tuned is chance, and takes the first sentences
BANDS = {
    "longest": {"found": (73, 78)},
    "oracle": {"found": (96, 100)},
    "random": {"found": (18, 35)},
    **{
        name: {"found": (40, 65)}
        for name in (
            "classifier",
            "transformer",
            "LSTM, as published",
            "LSTM, mended",
            "no layer",
            "without positions",
        )
    },
    "[CLS]": {"found": (20, 32), "among_first_three": (60, 100)},
    "MiniLM, [CLS]": {"found": (20, 30), "among_first_three": (85, 100)},
}


def main(argv: list[str] | None = None) -> int:
    return log.run(
        __file__,
        "BertSum on the default corpus: what each part is worth",
        measure,
        ROWS,
        BANDS,
        tolerance={"found": 4.0, "rouge1": 2.0, "rouge2": 1.0, "rougeLsum": 2.0},
        argv=argv,
    )


if __name__ == "__main__":
    raise SystemExit(main())
