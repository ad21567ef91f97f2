"""The benchmark of summaries of news: its samples, its judge, the full recipe on a stand-in for the hub, and the committed log."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from minibert import BertConfig, BertModel, WordPieceTokenizer, from_pretrained, save_pretrained
from minibert.summarization import BertSumExt, summarize

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import cnndm
import cnndm_full
import log

SENTENCES = [
    "By Some One",
    "The red fox jumped over the old wall on Monday .",
    "Nobody in the village had seen it before .",
    "It had come from the forest behind the hill .",
    "On Monday it jumped over the old wall again .",
]
FOX = "the red fox jumped over the old wall ."
SUMMARY = ["The fox jumped over the old wall on Monday .", "It came from the forest ."]


# ---------------------------------------------------------------- the samples


@pytest.fixture
def samples(needs_shared_data):
    return cnndm.articles()


def test_the_samples(samples):
    counts = {}
    for article in samples:
        counts[article.sample] = counts.get(article.sample, 0) + 1
        assert (
            len(article.sentences) >= 3
            and article.summary
            and all(len(sentence.split()) > 5 for sentence in article.sentences)
        )
        assert (
            article.oracle == sorted(set(article.oracle))
            and len(article.oracle) <= 3
            and article.oracle[-1] < len(article.sentences)
        )
    assert counts == {"hub-100": 100, "hub-15": 15, "bertsum-6": 6, "neusum-100": 99}
    assert len({tuple(article.sentences) for article in samples}) == 220


def test_neusums_scores_are_reached_to_the_last_digit(needs_shared_data):
    """The published scores of somebody else's oracle: a check of words, stems, pairs and F1."""
    rows = cnndm.neusum_rows()
    assert len(rows) == 100
    for sentences, summary, chosen, score in rows:
        assert cnndm.pair_f1([sentences[i] for i in chosen], summary) == pytest.approx(
            score, abs=1e-12
        )


def test_without_the_samples(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(cnndm, "FOLDER", tmp_path / "absent")
    assert cnndm.main([]) == 2
    assert "there is no folder" in (said := capsys.readouterr().err) and "--full" in said


# ---------------------------------------------------------------- the judge


def test_short_sentences_are_left_out_and_the_numbers_follow():
    article = cnndm.as_article("test", SENTENCES, SUMMARY, neusum=[0, 1, 4])
    assert (
        article.sentences == SENTENCES[1:] and article.oracle == [0, 3] and article.neusum == [0, 3]
    )


def test_ways_to_choose():
    article = cnndm.as_article("test", SENTENCES, SUMMARY)
    assert cnndm.lead(article) == [0, 1, 2] and cnndm.lead(article, block_trigrams=True) == [
        0,
        1,
        2,
    ]
    twice = replace(article, sentences=[article.sentences[0]] * 2 + article.sentences[1:])
    assert cnndm.lead(twice, block_trigrams=True) == [0, 2, 3]
    assert cnndm.blocked([0, 1, 3], twice) == [0, 3] and cnndm.blocked([], twice) == []
    assert cnndm.blocked([1, 2, 3, 4], twice) == [1, 2, 3], (
        "no limit of three, and the last shares 'over the old'"
    )


def test_what_a_row_says():
    articles = [
        cnndm.as_article("test", SENTENCES, SUMMARY),
        cnndm.as_article("test", SENTENCES, [SENTENCES[4]]),
    ]
    values = cnndm.judge(articles, [[0, 2], [3]])
    assert (
        values["articles"] == 2
        and values["sentences"] == 1.5
        and values["among_first_three"] == pytest.approx(66.67)
    )
    by_hand = [cnndm.rouge_scores([SENTENCES[1], SENTENCES[3]], [SUMMARY])["rouge1"], 100.0]
    assert values["rouge1"] == pytest.approx(sum(by_hand) / 2, abs=0.006)
    lead = [cnndm.score(article, [0, 1, 2])["rouge1"] for article in articles]
    assert values["over_lead"] == pytest.approx((sum(by_hand) - sum(lead)) / 2, abs=0.006)
    assert (
        values["rouge1_low"] <= values["rouge1"] <= values["rouge1_high"]
        and values["over_lead_low"] <= values["over_lead"] <= values["over_lead_high"]
    )


def test_pairs_and_brackets():
    assert cnndm.pair_f1(["Cats were jumping", "a b"], ["cat were jumped a b"]) == pytest.approx(
        2 * 3 / (3 + 4)
    )
    assert cnndm.pair_f1(["a"], ["a"]) == 0
    assert (
        cnndm.plain("LONDON , England -LRB- CNN -RRB- -- `` Yes ''")
        == 'LONDON , England ( CNN ) -- " Yes "'
    )


# ---------------------------------------------------------------- the model


@pytest.fixture
def eleven(monkeypatch):
    """Eleven articles of four sentences, of which three have a vector; the vector of the oracle's sentence says so."""
    texts = [[" ".join(f"w{i}{n}{j}" for j in range(6)) for n in range(4)] for i in range(11)]
    articles = [
        cnndm.as_article("test", sentences, [sentences[i % 3]]) for i, sentences in enumerate(texts)
    ]
    assert [article.oracle for article in articles] == [[i % 3] for i in range(11)]
    vectors = [
        5 * torch.eye(3)[i % 3].unsqueeze(1) * torch.ones(12) + torch.eye(3, 12) for i in range(11)
    ]  # [3, 12] each
    monkeypatch.setattr(cnndm, "articles", lambda: articles)
    monkeypatch.setattr(cnndm, "sentence_vectors", lambda: (vectors, [[0, 1, 2]] * 11))
    cnndm.train_heads.cache_clear()
    yield vectors
    cnndm.train_heads.cache_clear()


def test_nobody_is_tested_on_what_it_learned_from(eleven, monkeypatch):
    learned, tested = {}, []

    def train_head(head, vectors, labels, **options):
        learned[head] = [next(i for i, one in enumerate(eleven) if one is mine) for mine in vectors]
        assert labels == [[float(n == i % 3) for n in range(3)] for i in learned[head]]

    def choose(heads, vectors, numbers, article, block_trigrams):
        i = next(i for i, one in enumerate(eleven) if one is vectors)
        assert article is cnndm.articles()[i] and all(i not in learned[head] for head in heads)
        tested.append((i, len(heads)))
        return [i]

    monkeypatch.setattr(cnndm, "train_head", train_head)
    monkeypatch.setattr(cnndm, "choose", choose)
    assert cnndm.cross_validate("two layers", [0]) == [[i] for i in range(11)] and tested == [
        (i, 1) for i in range(11)
    ]
    assert [len(one) for one in learned.values()] == [8, 9, 9, 9, 9]
    cnndm.cross_validate("two layers", [0, 1, 2])
    assert len(learned) == 15 and tested[11:] == [(i, 3) for i in range(11)]
    learned.clear()
    cnndm.cross_validate("two layers", [0], every=4)
    assert [len(one) for one in learned.values()] == [2, 3, 3, 3, 3]


def test_a_sentence_that_was_not_read_is_not_chosen(eleven):
    article, head = cnndm.articles()[0], cnndm.HEADS["linear"](12)
    torch.nn.init.ones_(head.scorer.weight)
    assert cnndm.choose([head], eleven[0][1:], [3, 1], article, True) == [1, 3]
    head.scorer.bias.data.fill_(-1000)
    assert cnndm.choose([head, head], eleven[0], [0, 1, 2], article, True) == [0, 1, 2], (
        "a score of 0 is still better than none"
    )


# ---------------------------------------------------------------- the full recipe


def test_the_learning_rate():
    rates = [
        cnndm_full.learning_rate(step, cnndm_full.RECIPE) for step in (1, 5000, 10_000, 40_000)
    ]
    assert rates == pytest.approx([2e-9, 1e-5, 2e-5, 1e-5])


@pytest.fixture
def small_world(tmp_path, monkeypatch):
    """A set of twelve articles whose summary is their second sentence, about the fox, and a BERT of a few thousand parameters."""
    words = sorted(
        {word for sentence in SENTENCES for word in sentence.lower().split()}
        | {f"w{i}" for i in range(8)}
    )
    tokenizer = WordPieceTokenizer(
        {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words])}
    )
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer.vocab),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
    )
    save_pretrained(BertModel(config), tmp_path / "bert", tokenizer)

    def examples(split):
        rows = []
        for number in range(12):
            sentences = [
                f"w{number % 8} in the village on the hill behind .",
                FOX,
                *SENTENCES[2:4],
                "on the hill the old village had nobody .",
            ]
            rows.append(cnndm_full.cnndm.as_article(split, sentences, [FOX]))
        return rows

    monkeypatch.setattr(cnndm_full, "load", examples)
    monkeypatch.setattr(cnndm_full, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(
        cnndm_full,
        "RECIPE",
        cnndm_full.Recipe(
            str(tmp_path / "bert"),
            learning_rate=0.03,
            warmup=5,
            steps=20,
            batch=4,
            at_once=4,
            checkpoint=5,
            averaged=2,
        ),
    )
    monkeypatch.setattr(log, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(log, "ROOT", tmp_path)
    return tmp_path


def test_the_full_recipe_learns_in_a_small_world(small_world):
    assert cnndm.main(["--full"]) == 0
    written = json.loads((small_world / "logs" / "cnndm_full.json").read_text())
    assert written["command"] == "python benchmarks/cnndm.py --full"
    found = {row["variant"]: row for row in written["rows"]}
    assert found.keys() == {
        "lead 3",
        "lead 3, blocking",
        "oracle",
        "oracle, blocking",
        "BertSumExt",
    }
    assert found["oracle"]["rouge1"] == 100 and found["BertSumExt"]["sentences"] == 3
    model, tokenizer = (
        from_pretrained(small_world / "cache" / "bertsum-cnndm"),
        WordPieceTokenizer.from_pretrained(small_world / "cache" / "bertsum-cnndm"),
    )
    assert isinstance(model, BertSumExt)
    assert summarize(model, tokenizer, cnndm_full.load("test")[5].sentences, 1).chosen == [1]


def test_micro_batches_make_the_gradient_of_the_whole(small_world):
    gradients = []
    for at_once in (1, 3, 8):
        torch.manual_seed(0)
        model = BertSumExt(from_pretrained(cnndm_full.RECIPE.encoder, BertModel), dropout=0.0)
        for module in model.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        recipe = replace(cnndm_full.RECIPE, steps=1, checkpoint=1, at_once=at_once)
        tokenizer = WordPieceTokenizer.from_pretrained(recipe.encoder)
        list(
            cnndm_full.train(
                model, tokenizer, cnndm_full.load("train"), cnndm_full.load("valid"), recipe, seed=0
            )
        )
        gradients.append(
            torch.cat(
                [
                    parameter.grad.flatten()
                    for parameter in model.parameters()
                    if parameter.grad is not None
                ]
            )
        )
    assert torch.allclose(gradients[0], gradients[1], atol=1e-5) and torch.allclose(
        gradients[0], gradients[2], atol=1e-5
    )


# ---------------------------------------------------------------- the committed log


def test_what_the_committed_log_says():
    rows = json.loads((ROOT / "benchmarks" / "logs" / "cnndm.json").read_text())["rows"]
    assert [(row["variant"], row["seed"]) for row in rows] == cnndm.ROWS
    found = {}
    for row in rows:
        found.setdefault(row["variant"], []).append(row)
    mean = {
        variant: {
            name: sum(row[name] for row in of_it) / len(of_it)
            for name in ("rouge1", "rouge2", "rougeLsum")
        }
        for variant, of_it in found.items()
    }
    for name in ("rouge1", "rouge2", "rougeLsum"):
        assert (
            mean["random 3"][name]
            < mean["BertSumExt"][name]
            < mean["oracle, first 512 tokens"][name]
            < mean["oracle"][name]
        )
        assert mean["oracle, blocking"][name] <= mean["oracle"][name]
    # each oracle is best at what it looks for
    theirs, ours = found["NeuSum's oracle"][0], found["oracle, NeuSum's articles"][0]
    assert (
        theirs["pair_f1"] > ours["pair_f1"]
        and theirs["rouge2"] > ours["rouge2"]
        and theirs["rouge1"] < ours["rouge1"]
    )
    assert theirs["articles"] == ours["articles"] == 99 and {row["articles"] for row in rows} == {
        220,
        99,
    }
    # 176 articles teach a head as much as the lead knows, and no more: their bands hold both
    for row in found["BertSumExt"]:
        assert row["over_lead_low"] < row["over_lead_high"] and abs(row["over_lead"]) < 1.5
