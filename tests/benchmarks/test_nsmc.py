"""The benchmark on Korean reviews: what lower-casing does to Hangul, what the script measures on made-up reviews, what its log promises."""

import json
import sys
import unicodedata
from pathlib import Path
from statistics import mean

import pytest

from minibert import WordPieceTokenizer
from minibert.finetuning import TextExample

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import log
import nsmc

REVIEWS = [
    TextExample(text, label=label)
    for text, label in (
        ("정말 좋은 영화", "kind"),
        ("이 영화 최고", "kind"),
        ("좋은 배우 좋은 음악", "kind"),
        ("정말 나쁜 영화", "unkind"),
        ("이 영화 최악", "unkind"),
        ("나쁜 배우 나쁜 음악", "unkind"),
    )
    for _ in range(4)
]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Six made-up reviews, each four times, stand for both splits."""
    monkeypatch.setattr(nsmc, "CACHE", tmp_path)
    monkeypatch.setattr(nsmc, "DEV", 6)
    monkeypatch.setattr(nsmc, "reviews", lambda split: REVIEWS)
    monkeypatch.setattr(nsmc, "tokenizer", nsmc.tokenizer.__wrapped__)


def letters(text: str) -> str:
    """Unicode's own way: apart, without the accents."""
    return "".join(
        letter
        for letter in unicodedata.normalize("NFD", text.lower())
        if unicodedata.category(letter) != "Mn"
    )


@pytest.mark.parametrize(
    ("strip_accents", "wanted"), [(None, letters), (True, letters), (False, str.lower)]
)
def test_what_the_normaliser_does_to_a_word(strip_accents, wanted):
    normalizer = WordPieceTokenizer(
        {token: n for n, token in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"))},
        strip_accents=strip_accents,
    )._tokenizer.normalizer
    for word in ("영화", "값", "재밌었어요", "Café", "ABC"):
        assert normalizer.normalize_str(word) == wanted(word)
    assert [len(wanted("영화")), len(wanted("값"))] == (
        [5, 3] if strip_accents is not False else [2, 1]
    )


def test_letters_are_three_times_as_many_and_come_back_composed(toy):
    found = {
        variant: nsmc.texts_as_tokens(
            nsmc.tokenizer(recipe.units, recipe.strip_accents, recipe.learned_with), 64
        )
        for variant, recipe in nsmc.RECIPES.items()
    }
    texts = [review.text.replace(" ", "") for review in REVIEWS]
    assert found["characters, syllables"]["tokens"] == pytest.approx(
        mean(map(len, texts)), abs=0.05
    )
    assert found["characters, letters"]["tokens"] == pytest.approx(
        mean(len(letters(text)) for text in texts), abs=0.05
    )
    assert found["characters, letters"]["tokens"] > 2 * found["characters, syllables"]["tokens"]
    for units in ("pieces", "characters"):
        assert (
            found[f"{units}, syllables"]["back"],
            found[f"{units}, letters"]["back"],
            found[f"{units}, letters"]["back_composed"],
        ) == (1, 0, 1)
    assert (
        found["syllable vocabulary, letters"]["unknown"] == 1
        and found["pieces, letters"]["unknown"] == 0
    )


def test_cut_rows_are_counted(toy):
    reader = nsmc.tokenizer("characters", False, False)
    assert nsmc.texts_as_tokens(reader, 64)["cut"] == 0
    assert nsmc.texts_as_tokens(reader, 8)["cut"] == pytest.approx(
        sum(len(review.text.replace(" ", "")) > 6 for review in REVIEWS) / len(REVIEWS), abs=1e-4
    )


def test_controls_and_a_row_that_is_kept(toy):
    assert nsmc.measure("majority", None)["test"] == 0.5
    assert (
        nsmc.measure("words", None)["test"] > 0.7 and nsmc.measure("characters", None)["test"] > 0.7
    )
    row = nsmc.measure("pieces, syllables", 0)
    assert (
        0 <= row["test"] <= 1
        and nsmc.measure("pieces, syllables", 0) == row
        and len(list(nsmc.CACHE.iterdir())) == 4
    )


def test_without_the_data_it_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(nsmc, "FOLDER", tmp_path)
    monkeypatch.setattr(nsmc, "CACHE", tmp_path)
    monkeypatch.setattr(nsmc, "reviews", nsmc.reviews.__wrapped__)
    assert nsmc.main([]) == 2
    assert "the Korean reviews are absent: sample_train_20k.tsv.gz" in capsys.readouterr().err


def test_the_reviews(needs_shared_data):
    train, test = nsmc.reviews("train"), nsmc.reviews("test")
    assert (len(train), len(test)) == (20_000, 5_000)
    assert sum(review.label == "kind" for review in test) == 2_500 and {
        review.label for review in train
    } == set(nsmc.LABELS)
    assert not {review.text for review in train} & {review.text for review in test}


def test_what_the_log_shows():
    written = json.loads((log.LOGS / "nsmc.json").read_text(encoding="utf-8"))
    rows = {(row["variant"], row["seed"]): row for row in written["rows"]}
    assert list(rows) == nsmc.ROWS
    test = {
        variant: mean(row["test"] for (name, _), row in rows.items() if name == variant)
        for variant, _ in nsmc.ROWS
    }
    tokens = {variant: rows[variant, 0]["tokens"] for variant in nsmc.RECIPES}
    assert abs(test["pieces, syllables"] - test["pieces, letters"]) < 0.02, (
        "a vocabulary of its own sets nearly all of it right"
    )
    assert tokens["characters, letters"] > 2.2 * tokens["characters, syllables"]
    assert (
        test["syllable vocabulary, letters"]
        < test["majority"] + 0.1
        < test["characters, letters"] - 0.04
    )
    assert test["characters"] > test["pieces, syllables"] > test["words"], (
        "counted pairs of characters are better than this small model"
    )
