"""The benchmark of encyclopaedia summaries, on a handful of tiny articles: no head is tested on what it saw, lengths are kept."""

import sys

import pytest
import torch

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import wikipedia_summaries as benchmark

from minibert.summarization.examples import Example

WORDS = "one two three four five six seven eight nine ten".split()


@pytest.fixture
def small(monkeypatch):
    """Nine articles of twelve sentences; a sentence's vector says how long it is. Returns what heads were trained on."""

    def examples(kind):
        return [
            Example(
                f"article {number}",
                [" ".join(WORDS[: 2 + (n * 7 + number) % 8]) for n in range(12)],
                [[" ".join(WORDS[number:])]],
                [0] * 12,
            )
            for number in range(9)
            for _ in range(1 if kind == "leads" else 2)
        ]

    monkeypatch.setattr(benchmark, "examples", examples)
    monkeypatch.setattr(
        benchmark,
        "vectors",
        lambda kind, *_: [
            torch.tensor([[len(sentence.split()) / 5.0, 1.0] * 4 for sentence in example.sentences])
            for example in examples(kind)
        ],
    )
    monkeypatch.setattr(benchmark, "WORDS", 20)
    seen = []
    monkeypatch.setattr(
        benchmark,
        "train_head",
        lambda head, rows, labels, **_: seen.append((head.eval(), rows, labels)),
    )
    for cached in (benchmark.fold, benchmark.labels, benchmark.lead_rows):
        cached.cache_clear()
    yield seen
    for cached in (benchmark.fold, benchmark.labels, benchmark.lead_rows):
        cached.cache_clear()


@pytest.mark.parametrize(
    "variant",
    [
        "minibert-small; mean; classifier; leads",
        "MiniLM, 4 layers; cls; two layers; gap sentences",
        "MiniLM; mean; nearest to the mean",
        *benchmark.CONTROLS,
    ],
)
def test_a_row(variant, small):
    row = benchmark.measure(variant, 0)
    assert (
        0 <= row["rouge2"] <= row["rouge1"] <= 100
        and row["words_100_words"] <= 20
        and 0 <= row["first_three"] <= 1
    )
    assert row["over_lead_low"] <= row["over_lead"] <= row["over_lead_high"]
    assert len(small) == (0 if len(variant.split("; ")) < 4 else benchmark.FOLDS)
    if variant == "lead":
        assert row["first_three"] == 1 and row["over_lead"] == 0


def test_an_article_is_scored_by_a_head_that_has_not_seen_it(small):
    found = benchmark.scores("minibert-small", "mean", "classifier", "gap sentences", 0)
    numbers = [example.name for example in benchmark.examples("gap sentences")]
    for left_out, (head, rows, labels) in enumerate(small):
        kept = [name for name in numbers if benchmark.fold(name) != left_out]
        assert len(rows) == len(labels) == len(kept) < len(numbers)
        for example, vectors, scores in zip(
            benchmark.examples("leads"), benchmark.vectors("leads"), found
        ):
            if benchmark.fold(example.name) == left_out:
                assert (
                    scores
                    == pytest.approx(
                        head.logits(vectors[None], torch.ones(1, 12, dtype=torch.bool))[0].tolist()
                    )
                    and example.name not in kept
                )
    assert {benchmark.fold(name) for name in numbers} == set(range(benchmark.FOLDS))


def test_a_summary_of_so_many_words(small):
    example = Example(
        "", ["a b c d e f g h", "a b c d e f g h i j k l m", "a b", "a b c d"], [["a"]]
    )
    assert benchmark.within([1, 0, 3, 2], example) == [1, 3, 2], "what does not fit is passed over"
    assert benchmark.within([0, 2, 3], example) == [0, 2, 3]
