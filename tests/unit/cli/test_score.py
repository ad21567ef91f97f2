"""`minibert score`."""

import io
import json

import pytest
from tiny_cli import VOCABULARY

from minibert import BertForMaskedLM, BertForPreTraining, BertModel, WordPieceTokenizer
from minibert.hub.pretrained_io import from_pretrained
from minibert.inference.pseudo_likelihood import score_sentences

TEXTS = ["the cat sat", "the dog ran the dog"]


@pytest.fixture
def expected(saved):
    """The folder of a model, and its scores of TEXTS."""
    folder = saved(BertForPreTraining)
    tokenizer = WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})
    return folder, score_sentences(from_pretrained(folder), tokenizer, TEXTS)


def check(out, scores):
    rows = [line.split("\t") for line in out.splitlines()]
    assert [row[3] for row in rows] == TEXTS and [row[1] for row in rows] == ["3", "5"]
    for row, score in zip(rows, scores, strict=True):
        assert float(row[0]) == pytest.approx(score.total, abs=6e-4)
        assert float(row[2]) == pytest.approx(score.per_token, abs=6e-4)


def test_typed_sentences(run, expected):
    folder, scores = expected
    status, out, _ = run("score", folder, *TEXTS)
    assert status == 0
    check(out, scores)
    assert run("score", folder, TEXTS[0], "--within-word", TEXTS[1])[1] == out  # no word is cut


def test_a_sentence_that_is_too_long_for_a_file_name(run, expected):
    status, out, err = run("score", expected[0], "the" + " " * 300 + "cat")
    assert (status, err) == (0, "") and out.split("\t")[1] == "2"


def test_a_file_and_standard_input(run, expected, tmp_path, monkeypatch):
    folder, scores = expected
    file = tmp_path / "my sentences.txt"
    file.write_text("\n".join([TEXTS[0], TEXTS[1], ""]) + "\n")
    status, out, _ = run("score", folder, file)
    assert status == 0
    check(out, scores)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
    assert run("score", folder, "-")[1] == out


def test_json_has_every_token(run, expected):
    folder, scores = expected
    status, out, _ = run("score", folder, *TEXTS, "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert status == 0 and [row["text"] for row in rows] == TEXTS
    for row, score in zip(rows, scores, strict=True):
        assert [one["token"] for one in row["tokens"]] == score.tokens
        assert [one["score"] for one in row["tokens"]] == pytest.approx(
            score.log_probabilities, abs=1e-5
        )
        assert row["score"] == pytest.approx(score.total, abs=1e-5)
        assert row["per_token"] == pytest.approx(score.per_token, abs=1e-5)


def test_within_word_reaches_the_model(run, saved, monkeypatch):
    asked = []

    def score(*arguments, within_word, **options):
        asked.append(within_word)
        return score_sentences(*arguments, within_word=within_word)

    monkeypatch.setattr("minibert.inference.pseudo_likelihood.score_sentences", score)
    folder = saved(BertForMaskedLM)
    run("score", folder, "the cat", "--within-word")
    run("score", folder, "the cat")
    assert asked == [True, False]


@pytest.mark.parametrize(
    "given, message",
    [
        (["no_such_file.txt"], "there is no file 'no_such_file.txt', and a sentence has more"),
        (["the cat", "sat"], "expected one file, or sentences of more than one word, not 'sat'"),
        ([" "], "expected one file, or sentences of more than one word, not ' '"),
        (["the [MASK]"], "text 1 holds [MASK]"),
        (["the cat " * 9], "text 1 has 20 tokens with [CLS] and [SEP], but the model has 12"),
    ],
)
def test_bad_input(given, message, run, saved):
    status, out, err = run("score", saved(BertForMaskedLM), *given)
    assert status == 2 and not out and err.count("\n") == 1 and message in err


def test_a_model_without_the_head_is_refused(run, saved):
    status, out, err = run("score", saved(BertModel), "the cat")
    assert status == 2 and not out and "a BertModel has no masked-language-model head" in err
