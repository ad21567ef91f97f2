"""Judged pairs: every form of file, what is wrong with which line, and the correlation."""

import gzip
import lzma

import pytest
import torch
from scipy.stats import spearmanr
from tiny_sentences import TOKENIZER, TRUNK, WORDS

from minibert import BertModel
from minibert.finetuning.sentence_vectors.validation import (
    EncoderValidation,
    JudgedPair,
    read_judged_pairs,
)
from minibert.inference.sentence_embeddings import embed
from minibert.training.distributed import ProcessGroup

PAIRS = [JudgedPair("A cat, asleep.", 'A "dog"', 4.5), JudgedPair("one", "two", 0.0)]
TABS = 'A cat, asleep.\tA "dog"\t4.5\none\ttwo\t0\n'
COMMAS = '"A cat, asleep.","A ""dog""",4.5\none,two,0\n'


@pytest.mark.parametrize(
    "name, text",
    [
        ("pairs.tsv", TABS),
        ("pairs.txt", TABS),
        ("pairs.tsv", "sentence1\tsentence2\tscore\n" + TABS),
        ("pairs.csv", COMMAS),
        ("pairs.csv", "one,other,score\n\n" + COMMAS),
    ],
)
@pytest.mark.parametrize("packed", ["", ".gz", ".xz"])
def test_forms(name, text, packed, tmp_path):
    pack = {".gz": gzip.compress, ".xz": lzma.compress}.get(packed, bytes)
    (tmp_path / (name + packed)).write_bytes(pack(text.encode()))
    assert read_judged_pairs(tmp_path / (name + packed)) == PAIRS


@pytest.mark.parametrize(
    "text, message",
    [
        ("a\tb\t1\nc\td\n", r"pairs.tsv, line 2: expected three columns .*, found 2"),
        ("a\tb\t1\nc\td\tvery\n", r"pairs.tsv, line 2: the third column is 'very'"),
        ("a\tb\t1\nc\td\tnan\n", r"pairs.tsv, line 2: the third column is 'nan'"),
        ("a\tb\tnan\nc\td\t1\n", r"pairs.tsv, line 1: the third column is 'nan'"),
        ("a\tb\t1\nc\td\t1e400\n", r"pairs.tsv, line 2: the third column is '1e400'"),
        ("a\tb\t1\nc\td\t1_0\n", r"pairs.tsv, line 2: the third column is '1_0'"),
        ("a\tb\t1\n \td\t2\n", r"pairs.tsv, line 2: a text is empty"),
        ("a\tb\t1\n", r"pairs.tsv has 1 judged pairs"),
        ("one\tother\tscore\n", r"pairs.tsv has 0 judged pairs"),
        ("", r"pairs.tsv is empty"),
        ("\xff", r"pairs.tsv, line 1: not UTF-8"),
    ],
)
def test_what_is_wrong(text, message, tmp_path):
    (tmp_path / "pairs.tsv").write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=message):
        read_judged_pairs(tmp_path / "pairs.tsv")


def test_a_quoted_text_of_two_lines_keeps_them_apart(tmp_path):
    (tmp_path / "pairs.csv").write_text('"A dog runs\nover","b",1\nc,d,2\n')
    assert read_judged_pairs(tmp_path / "pairs.csv")[0].one.split() == ["A", "dog", "runs", "over"]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match=r"cannot read .*pairs.tsv: No such file"):
        read_judged_pairs(tmp_path / "pairs.tsv")


def test_the_correlation_is_scipys_and_the_model_stays_in_training_mode():
    torch.manual_seed(0)
    model = BertModel(TRUNK).train()
    pairs = [
        JudgedPair(" ".join(WORDS[i : i + 4]), " ".join(WORDS[2 * i : 2 * i + 3]), (i * 7) % 10)
        for i in range(9)
    ]
    scores = EncoderValidation(TOKENIZER, pairs).evaluate(model, ProcessGroup())
    found, cosine = scores.spearman, scores.cosine
    assert cosine is None
    one = embed(model, TOKENIZER, [pair.one for pair in pairs])
    other = embed(model, TOKENIZER, [pair.other for pair in pairs])
    wanted = spearmanr((one * other).sum(-1), [pair.score for pair in pairs]).statistic
    assert found == pytest.approx(wanted, abs=1e-6) and model.training


def test_the_cosine_with_held_out_targets():
    torch.manual_seed(0)
    model, texts = BertModel(TRUNK).eval(), ["the cat", "a dog runs over", "the cat"]
    targets = torch.nn.functional.normalize(torch.randn(3, 16), dim=-1)
    scores = EncoderValidation(TOKENIZER, (), texts, targets).evaluate(model, ProcessGroup())
    wanted = torch.cosine_similarity(embed(model, TOKENIZER, texts), targets).mean()
    assert scores.cosine == pytest.approx(float(wanted), abs=1e-6) and scores.spearman is None
    with pytest.raises(ValueError, match="2 held-out texts need as many targets"):
        EncoderValidation(TOKENIZER, (), texts[:2], targets)
