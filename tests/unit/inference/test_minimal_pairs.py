"""Minimal pairs: BLiMP's files in all their forms, the sample, and accuracies counted by hand."""

import gzip
import json
import lzma

import pytest
from reference import draw_weights, small_config

from minibert import BertForMaskedLM, InputError, WordPieceTokenizer
from minibert.inference.minimal_pairs import (
    MinimalPair,
    by_paradigm,
    compare_pairs,
    evaluate_pairs,
    read_blimp,
    sample_pairs,
)
from minibert.inference.pseudo_likelihood import score_sentences

ROWS = [
    {
        "UID": paradigm,
        "linguistics_term": phenomenon,
        "pairID": str(number),
        "sentence_good": f"w{number} w1",
        "sentence_bad": f"w{number} w2",
    }
    for paradigm, phenomenon in (
        ("island_1", "island_effects"),
        ("island_2", "island_effects"),
        ("animate", "s-selection"),
        ("passive", "argument_structure"),
    )
    for number in range(5)
]
PAIRS = [
    MinimalPair(
        row["UID"],
        "argument_structure"
        if row["linguistics_term"] == "s-selection"
        else "island_effects"
        if "island" in row["UID"]
        else "argument_structure",
        row["sentence_good"],
        row["sentence_bad"],
    )
    for row in ROWS
]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, opener",
    [("blimp.jsonl.xz", lzma.open), ("blimp.jsonl.gz", gzip.open), ("blimp.jsonl", open)],
)
def test_all_paradigms_in_one_file(name, opener, tmp_path):
    with opener(tmp_path / name, "wt", encoding="utf-8") as file:
        file.write(lines(ROWS))
    (tmp_path / "models_summary.jsonl").write_text('{"UID": "overall", "lstm": 0.7}\n')
    assert read_blimp(tmp_path) == read_blimp(str(tmp_path)) == PAIRS


@pytest.mark.parametrize("inside", ["", "data"])
def test_a_file_for_each_paradigm_as_published(inside, tmp_path):
    folder = tmp_path / inside
    folder.mkdir(exist_ok=True)
    for paradigm in {row["UID"] for row in ROWS}:
        some = [row for row in ROWS if row["UID"] == paradigm]
        (folder / f"{paradigm}.jsonl").write_text(lines(some) + "\n")
    (folder / "models_summary.jsonl").write_text('{"UID": "overall", "lstm": 0.7}\n')
    found = read_blimp(tmp_path)
    assert sorted(found, key=str) == sorted(PAIRS, key=str)
    assert list(by_paradigm(found)) == ["animate", "island_1", "island_2", "passive"]


def test_the_developers_copy_is_whole(needs_shared_data):
    pairs = read_blimp(needs_shared_data / "blimp")
    groups = by_paradigm(pairs)
    assert len(groups) == 67 and {len(some) for some in groups.values()} == {1000}
    assert len({pair.phenomenon for pair in pairs}) == 12
    with open(needs_shared_data / "blimp" / "models_summary.jsonl", encoding="utf-8") as file:
        published = {row["UID"]: row["linguistics_term"] for row in map(json.loads, file)}
    assert {pair.paradigm: pair.phenomenon for pair in pairs}.items() <= published.items()


@pytest.mark.parametrize(
    "text, message",
    [
        ("{not JSON\n", "blimp.jsonl, line 1: not JSON"),
        ("[1]\n", "line 1: expected an object with the names UID, linguistics_term"),
        (lines([*ROWS[:2], ROWS[2] | {"sentence_bad": " "}]), "line 3: .*'sentence_bad'"),
        (lines([{"UID": "a"}]), "line 1: expected a text under 'linguistics_term', found None"),
    ],
)
def test_what_is_not_a_pair_is_named(text, message, tmp_path):
    (tmp_path / "blimp.jsonl").write_text(text)
    with pytest.raises(InputError, match=message):
        read_blimp(tmp_path)


def test_folders_without_pairs(tmp_path):
    with pytest.raises(InputError, match="has neither blimp.jsonl.xz nor a .jsonl file"):
        read_blimp(tmp_path)
    with pytest.raises(InputError, match="there is no folder 'no/where'"):
        read_blimp("no/where")


# -- the sample --------------------------------------------------------------------------------------------------------


def test_a_sample_depends_on_the_seed_alone():
    some = sample_pairs(PAIRS, 2, 0)
    assert [len(group) for group in by_paradigm(some).values()] == [2, 2, 2, 2]
    assert some == sample_pairs(PAIRS, 2, 0) and some == [pair for pair in PAIRS if pair in some]
    assert any(sample_pairs(PAIRS, 2, seed) != some for seed in range(1, 4))
    assert sample_pairs(PAIRS[5:], 2, 0) == [p for p in some if p.paradigm != "island_1"]
    assert sample_pairs(PAIRS, 99, 0) == PAIRS
    drawn = {tuple(pair.good for pair in group) for group in by_paradigm(some).values()}
    assert len(drawn) > 1  # every paradigm has a draw of its own
    with pytest.raises(InputError, match="limit must be at least 1, not 0"):
        sample_pairs(PAIRS, 0, 0)


# -- accuracies --------------------------------------------------------------------------------------------------------


def test_accuracies_counted_by_hand():
    """In island_1 all are right, in island_2 two of four and a tie, in the others none."""
    values = {
        "island_1": [(2.0, 1.0)] * 5,
        "island_2": [(2.0, 1.0), (2.0, 1.0), (1.0, 1.0), (0.0, 1.0), (0.0, 1.0)],
        "animate": [(-2.0, -1.0)] * 5,
        "passive": [(-2.0, -1.0)] * 5,
    }
    asked = []

    def score(texts):
        asked.extend(texts)
        return [value for some in values.values() for pair in some for value in pair]

    found = compare_pairs(PAIRS, score)
    assert asked == [text for pair in PAIRS for text in (pair.good, pair.bad)]
    assert found.paradigms == {"island_1": 1.0, "island_2": 0.5, "animate": 0.0, "passive": 0.0}
    assert found.phenomena == {"argument_structure": 0.0, "island_effects": 0.75}
    assert found.accuracy == 0.375 and found.pairs == 20


def test_the_total_is_the_mean_over_paradigms_and_not_over_pairs():
    found = compare_pairs(PAIRS[:6], lambda texts: [1.0, 0.0] * 5 + [0.0, 1.0])
    assert found.accuracy == 0.5 and found.pairs == 6


def test_no_pairs():
    with pytest.raises(InputError, match="there are no pairs"):
        compare_pairs([], lambda texts: [])


def test_a_model_is_scored_by_its_pseudo_log_likelihoods():
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{n}" for n in range(56))]
    tokenizer = WordPieceTokenizer({token: number for number, token in enumerate(vocabulary)})
    model = draw_weights(BertForMaskedLM(small_config())).eval()
    found = evaluate_pairs(model, tokenizer, PAIRS)
    right = 0
    for pair in PAIRS[:5]:
        good, bad = score_sentences(model, tokenizer, [pair.good, pair.bad])
        right += good.total > bad.total
    assert found.paradigms["island_1"] == right / 5
