"""Next-sentence evaluation against judges whose score is known beforehand."""

import types

import numpy as np
import pytest
import torch
from reference import draw_weights, small_config
from torch import nn

from minibert import BertForPreTraining, WordPieceTokenizer
from minibert.data import TokenFile, write_tokens
from minibert.pretraining.nsp_evaluation import NSPScores, _draw_pairs, evaluate_nsp

WORDS = [f"w{number}" for number in range(40)]


PIECES = [f"##p{number}" for number in range(16)]


VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *PIECES]


FIRST_WORD, FIRST_PIECE, END = 5, 45, 61


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Twelve documents of sentences of a few words; a word is one to three pieces; one is longer than a row."""
    generator = torch.Generator().manual_seed(1)

    def draw(low, high):
        return int(torch.randint(low, high, (), generator=generator))

    documents = []
    for _ in range(12):
        document = []
        for _ in range(draw(8, 14)):
            sentence = []
            for _ in range(draw(3, 9)):
                sentence += [
                    draw(FIRST_WORD, FIRST_PIECE),
                    *(draw(FIRST_PIECE, END) for _ in range(draw(0, 3))),
                ]
            document.append(sentence)
        documents.append(document)
    documents.append(
        [[FIRST_WORD, *range(FIRST_PIECE, END), *range(FIRST_PIECE, END)], [FIRST_WORD + 1, 1]]
    )
    path = tmp_path_factory.mktemp("corpus") / "text.tokens"
    write_tokens(path, documents, END)
    return TokenFile(path)


@pytest.fixture(scope="module")
def model():
    return draw_weights(BertForPreTraining(small_config())).double().eval()


def test_pairs_begin_at_sentences_and_follow_each_other(corpus):
    text, bounds = corpus.tokens.tolist(), corpus.document_bounds()
    drawn = _draw_pairs(corpus, 17, seed=0, pairs=60)
    assert len(drawn) == 60 and drawn == _draw_pairs(corpus, 17, seed=0, pairs=60) != _draw_pairs(
        corpus, 17, seed=1, pairs=60
    )
    starts = corpus.sentences[:-1].tolist()

    def places(wanted):
        """The sentence starts at which a text stands, and their documents."""
        return {
            start: int(np.searchsorted(bounds, start, "right"))
            for start in starts
            if text[start : start + len(wanted)] == wanted
        }

    for a, b, other in drawn:
        assert len(a) + len(b) == 17 and len(other) == len(b)
        own = places(a + b)
        assert own and any(start + len(a) in places(b) for start in own)
        assert set(places(other).values()) - set(own.values())


class Judge(nn.Module):
    """A stand-in for next-sentence prediction that says 'follows' (class 0) where `verdict(ids, types)` is true."""

    def __init__(self, verdict):
        super().__init__()
        self.anything = nn.Parameter(torch.zeros(()))
        self.bert = lambda ids, token_type_ids: judged(ids, token_type_ids, verdict)
        self.cls = types.SimpleNamespace(seq_relationship=lambda pooled: pooled)


def judged(ids, kinds, verdict):
    follows = torch.tensor([verdict(*pair) for pair in zip(ids.tolist(), kinds.tolist())]).double()
    return types.SimpleNamespace(pooler_output=torch.stack([follows, 1 - follows], dim=1))


def test_next_sentence_scores_of_judges_that_know(corpus, tokenizer):
    text = corpus.tokens.tolist()

    def joined(one, other):
        return any(text[i : i + len(one + other)] == one + other for i in range(len(text)))

    def knows(ids, kinds):
        cut = ids.index(3)
        return joined(ids[1:cut], ids[cut + 1 : -1])

    scores = evaluate_nsp(Judge(knows), corpus, 20, tokenizer, seed=0, pairs=60)
    assert scores.pairs == 60 and scores.following == scores.swapped == scores.order_accuracy == 1
    assert scores.other_document > 0.95  # the next document's first words do follow, now and then
    always = evaluate_nsp(Judge(lambda ids, kinds: True), corpus, 20, tokenizer, seed=0, pairs=60)
    assert (
        always == NSPScores(60, 1.0, 0.0, 0.0) and always.accuracy == always.order_accuracy == 0.5
    )

    def same_topic(ids, kinds):
        """Sees which texts belong together and nothing of their order: the fault that next-sentence prediction allows."""
        cut = ids.index(3)
        one, other = ids[1:cut], ids[cut + 1 : -1]
        return joined(one, other) or joined(other, one)

    blind = evaluate_nsp(Judge(same_topic), corpus, 20, tokenizer, seed=0, pairs=60)
    assert blind.following == 1 and blind.other_document > 0.9 and blind.swapped == 0
    assert blind.accuracy > 0.95 and blind.order_accuracy == 0.5


def test_next_sentence_equals_the_models_own_answers(corpus, model, tokenizer):
    ones = evaluate_nsp(model, corpus, 20, tokenizer, seed=0, pairs=40, batch_size=1)
    assert ones == evaluate_nsp(model, corpus, 20, tokenizer, seed=0, pairs=40, batch_size=33)
    answers = []

    def ask(ids, kinds):
        with torch.no_grad():
            logits = model(
                torch.tensor([ids]), token_type_ids=torch.tensor([kinds])
            ).seq_relationship_logits[0]
        answers.append(bool(logits[0] > logits[1]))
        return answers[-1]

    assert evaluate_nsp(Judge(ask), corpus, 20, tokenizer, seed=0, pairs=40) == ones
    assert len(answers) == 120


def test_pairs_lie_where_the_model_lies(corpus, model, tokenizer):
    """Not where PyTorch would put them: here a device without memory, so that it is seen without a GPU."""
    wanted = evaluate_nsp(model, corpus, 20, tokenizer, seed=0, pairs=10)
    with torch.device("meta"):
        assert evaluate_nsp(model, corpus, 20, tokenizer, seed=0, pairs=10) == wanted


def test_a_judge_that_cannot_decide_has_not_said_that_it_follows(corpus, tokenizer):
    undecided = Judge(None)
    undecided.bert = lambda ids, token_type_ids: types.SimpleNamespace(
        pooler_output=torch.zeros(len(ids), 2)
    )
    assert evaluate_nsp(undecided, corpus, 20, tokenizer, seed=0, pairs=10) == NSPScores(
        10, 0.0, 1.0, 1.0
    )


def test_too_little_text_for_pairs_is_an_error(corpus, model, tokenizer):
    with pytest.raises(ValueError, match="needs two documents of 997 tokens or more"):
        evaluate_nsp(model, corpus, 1000, tokenizer, seed=0)
    with pytest.raises(
        ValueError, match=r"has \d+ pairs of texts with 17 tokens together; 5000 were asked for"
    ):
        evaluate_nsp(model, corpus, 20, tokenizer, seed=0, pairs=5000)


def test_one_long_document_is_not_enough_for_pairs(tmp_path):
    """Where would a text of another document come from?"""
    write_tokens(tmp_path / "one", [[[10 + place] * 3 for place in range(9)], [[20, 21]]], 40)
    with pytest.raises(ValueError, match="needs two documents of 9 tokens or more"):
        _draw_pairs(TokenFile(tmp_path / "one"), 9, 0, 1)


def test_two_documents_are_enough_for_pairs(tmp_path):
    write_tokens(
        tmp_path / "two",
        [[[10 * document + place] * 3 for place in range(6)] for document in (1, 2)],
        40,
    )
    pairs = _draw_pairs(TokenFile(tmp_path / "two"), 9, 0, 4)
    assert len(pairs) == 4 and all(
        a[0] // 10 == b[0] // 10 != other[0] // 10 for a, b, other in pairs
    )
