"""Training BertSum: losses against formulas written again, what learns and what stays, the same
seed, wrong labels."""

import functools
import inspect
import io
import math
import re

import pytest
import torch
from tqdm import tqdm

from minibert import BertConfig, BertModel, WordPieceTokenizer
from minibert.config import InputError
from minibert.finetuning import FineTuningOptions
from minibert.summarization import (
    BertSumExt,
    InterSentenceEncoder,
    SentenceClassifier,
    encode_sentences,
    score_document,
    train,
    train_head,
    training,
)
from minibert.summarization.losses import listwise_loss, sentence_loss
from minibert.training.loop import POOL, Diverged, random_batches
from minibert.training.optim import make_optimizers

DOCUMENTS = [
    ["the cat sat.", "a dog barked loudly.", "red red red."],
    ["red red red.", "one more."],
    ["the end of it.", "a fish.", "red red red."],
]
LABELS = [[0, 0, 1], [1, 0], [0, 0, 1]]  # the red one


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.from_pretrained("minibert-small")


@pytest.fixture
def model(tokenizer):
    return make_model(tokenizer)


def make_model(tokenizer, **more):
    torch.manual_seed(0)
    config = BertConfig(
        len(tokenizer.vocab),
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=24,
    )
    return BertSumExt(BertModel(config), "classifier", sentence_vector="mean", **more).eval()


def random_vectors(count=20, hidden=16):
    """Documents of three to six sentences; the best sentence is the one with the largest first
    number."""
    generator = torch.Generator().manual_seed(0)
    vectors = [torch.randn(3 + i % 4, hidden, generator=generator) for i in range(count)]
    return vectors, [(rows[:, 0] == rows[:, 0].max()).float().tolist() for rows in vectors]


def choices(head, vectors):
    return [
        int(head(rows[None], torch.ones(1, len(rows), dtype=torch.bool)).argmax())
        for rows in vectors
    ]


# -- what decays -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "head, norms", [("transformer", 2 * 2 - 1 + 1), ("classifier", 0), ("rnn", 2 * 3)]
)
def test_no_norm_decays_neither_in_a_head_nor_in_a_bare_encoder(head, norms):
    """By the modules themselves: a closing norm is called `norm` here, and `bert.encoder.norm` in a
    model around it.

    The transformer's first layer has one norm, and the stack a closing one; the LSTM has three in
    each direction.
    """
    config = BertConfig(
        30,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=9,
        norm_first=True,
    )
    model = BertSumExt(BertModel(config), head)
    for module, count in (
        (model.head, norms),
        (model.bert, 1 + 2 * 2 + 1),
        (model, norms + 1 + 2 * 2 + 1),
    ):
        (optimizer,) = make_optimizers(module, "adamw", 1e-3, 1e-3, 0.01)
        spared = {
            name
            for group in optimizer.param_groups
            if group["weight_decay"] == 0
            for name in group["param_names"]
        }
        of_norms = {
            f"{place}.{name}"
            for place, part in module.named_modules()
            if isinstance(part, torch.nn.LayerNorm)
            for name, _ in part.named_parameters()
        }
        assert spared == of_norms | {
            name for name, _ in module.named_parameters() if name.endswith("bias")
        }
        assert sum(name.endswith("weight") for name in of_norms) == count


# -- the listwise loss
# -------------------------------------------------------------------------------------------------


def test_the_listwise_loss_is_its_formula():
    logits, labels = (
        torch.tensor([[1.0, -2.0, 0.5, 9.0], [0.3, 0.1, 7.0, 7.0]]),
        torch.tensor([[0.4, 0.1, 0.3, 0.9], [0.0, 1.0, 0.5, 0.5]]),
    )
    mask = torch.tensor([[True, True, True, False], [True, True, False, False]])
    total = 0.0
    for row, wanted, n in zip(logits.tolist(), labels.tolist(), (3, 2)):
        p = [math.exp(w / 0.1) for w in wanted[:n]]
        q = [math.exp(x) for x in row[:n]]
        total -= sum(a / sum(p) * math.log(b / sum(q)) for a, b in zip(p, q))
    assert listwise_loss(logits, labels, mask).item() == pytest.approx(total, rel=1e-5)


def test_padding_and_a_constant_change_nothing_in_the_listwise_loss():
    logits, labels, mask = (
        torch.randn(2, 4),
        torch.rand(2, 4),
        torch.tensor([[True] * 4, [True, True, False, False]]),
    )
    before = listwise_loss(logits, labels, mask)
    torch.testing.assert_close(
        listwise_loss(logits + ~mask * 50.0, labels + ~mask * 3.0, mask), before
    )
    torch.testing.assert_close(
        listwise_loss(logits + 5.0, labels + 2.0, mask), before
    )  # only differences count
    empty = listwise_loss(
        logits, labels, mask & torch.tensor([[True], [False]])
    )  # a document of padding alone
    torch.testing.assert_close(empty, listwise_loss(logits[:1], labels[:1], mask[:1]))


# -- a head on its own
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ("bce", "listwise"))
def test_a_head_learns_which_sentence_is_best(loss):
    vectors, labels = random_vectors(60)
    torch.manual_seed(0)
    head = SentenceClassifier(16)
    losses = train_head(head, vectors, labels, loss=loss, epochs=30, learning_rate=0.03)
    assert losses[-1] < losses[0] / 1.5 and not head.training
    hits = [
        chosen == of_document.index(1)
        for chosen, of_document in zip(choices(head, vectors), labels)
    ]
    assert sum(hits) > 54  # of 60; chance is 14


def test_the_same_seed_gives_the_same_head():
    vectors, labels = random_vectors()
    found = {}
    for name, seed in (("one", 1), ("again", 1), ("other", 2)):
        torch.manual_seed(0)
        head = InterSentenceEncoder(16, 32, 2, 1, dropout=0.2)
        found[name] = (
            train_head(head, vectors, labels, epochs=2, batch_size=8, seed=seed),
            head.scorer.weight.detach(),
        )
    assert found["one"][0] == found["again"][0] and torch.equal(found["one"][1], found["again"][1])
    assert found["one"][0] != found["other"][0]


def test_the_loss_that_is_returned_is_the_mean_of_a_document():
    vectors, labels = random_vectors(5)
    head = SentenceClassifier(16)
    total = sum(
        torch.nn.functional.binary_cross_entropy(
            head(rows[None], torch.ones(1, len(rows), dtype=torch.bool))[0],
            torch.tensor(of_document),
            reduction="sum",
        ).item()
        for rows, of_document in zip(vectors, labels)
    )
    assert train_head(head, vectors, labels, epochs=1, batch_size=5)[0] == pytest.approx(
        total / 5, rel=1e-5
    )  # before the first step


def test_training_leaves_the_global_random_numbers_as_they_were():
    (vectors, labels), head = random_vectors(3), InterSentenceEncoder(16, 32, 2, 1)
    torch.manual_seed(7)
    before = torch.get_rng_state()
    train_head(head, vectors, labels, epochs=1)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("loss", ["bce", "listwise"])
def test_a_rate_that_diverges_raises(loss):
    """The shared loop looks at every step's loss and gradient; without it the head would be NaN."""
    torch.manual_seed(0)
    vectors, labels = [torch.randn(3, 16) for _ in range(8)], [[0, 0, 1]] * 8
    with pytest.raises(Diverged, match="step [2-9]: the loss is (nan|inf)"):
        train_head(
            SentenceClassifier(16), vectors, labels, loss=loss, learning_rate=1e38, batch_size=2
        )


def test_vectors_and_labels_have_to_fit():
    vectors, labels = random_vectors(3)
    head = SentenceClassifier(16)
    with pytest.raises(ValueError, match="3 documents of vectors, but labels for 2"):
        train_head(head, vectors, labels[:2])
    with pytest.raises(
        ValueError, match=r"document 1 has vectors of the shape \[4, 16\] and 2 labels"
    ):
        train_head(head, vectors, [labels[0], [0, 1], labels[2]])
    with pytest.raises(ValueError, match="loss must be one of bce, listwise, not 'mse'"):
        train_head(head, vectors, labels, loss="mse")
    with pytest.raises(ValueError, match="no documents"):
        train_head(head, [], [])


@pytest.mark.parametrize("loss", [sentence_loss, listwise_loss])
@pytest.mark.parametrize("mask", [torch.ones(2, 3), torch.ones(2, 2, dtype=bool)])
def test_the_mask_of_a_loss_is_boolean_and_of_its_shape(loss, mask):
    with pytest.raises(ValueError, match=r"sentence_mask must be boolean with shape \[2, 3\], not"):
        loss(torch.zeros(2, 3), torch.zeros(2, 3), mask)


@pytest.mark.parametrize("warmup, moves", [(0.0, True), (0.001, False), (0.1, False)])
def test_the_smallest_share_of_warmup_is_a_step(warmup, moves):
    """Whose rate is 0, as in the original: a fresh head does not begin at the peak because a run is
    short."""
    vectors, labels = random_vectors(4)
    head = SentenceClassifier(16)
    first, second = train_head(head, vectors, labels, epochs=2, batch_size=4, warmup=warmup)
    assert (first != pytest.approx(second, rel=1e-5)) == moves


def test_a_run_of_one_update_learns(model, tokenizer):
    """Its only step is none of the warm-up, whose first has a rate of 0."""
    torch.manual_seed(0)
    head, vectors = SentenceClassifier(8), [torch.randn(len(each), 8) for each in LABELS]
    before = head.scorer.weight.detach().clone()
    train_head(head, vectors, LABELS, epochs=1)
    assert not torch.equal(head.scorer.weight, before)
    before = model.bert.encoder.layer[0].output.dense.weight.detach().clone()
    train(model, tokenizer, DOCUMENTS, LABELS, epochs=1)
    assert not torch.equal(model.bert.encoder.layer[0].output.dense.weight, before)


@pytest.mark.parametrize("epochs", [0, -1, 1.5])
def test_epochs_are_whole_and_at_least_one(model, tokenizer, epochs):
    with pytest.raises(InputError, match="epochs must be a whole number of at least 1"):
        train(model, tokenizer, DOCUMENTS, LABELS, epochs=epochs)
    assert not model.training
    with pytest.raises(InputError, match="epochs must be a whole number of at least 1"):
        train_head(SentenceClassifier(8), [torch.randn(2, 8)], [[0, 1]], epochs=epochs)


def test_what_is_not_given_is_as_documented():
    """With BERT as in Devlin et al. 2018, appendix A.3; a head alone has the ten passes that
    benchmarks/cnndm.py gives it, and the rate that Adam's authors found good (Kingma & Ba 2014,
    algorithm 1), with which the shipped heads were trained."""
    with_bert, alone = (
        {
            name: parameter.default
            for name, parameter in inspect.signature(function).parameters.items()
        }
        for function in (train, train_head)
    )
    assert (
        with_bert["batch_size"] in (16, 32)
        and with_bert["learning_rate"] in (5e-5, 3e-5, 2e-5)
        and with_bert["epochs"] in (2, 3, 4)
    )
    assert (alone["epochs"], alone["batch_size"], alone["learning_rate"]) == (
        10,
        32,
        1e-3,
    ) and with_bert["head_learning_rate"] == alone["learning_rate"]
    assert (
        with_bert["warmup"] == alone["warmup"] == FineTuningOptions.warmup
        and with_bert["loss"] == alone["loss"] == "bce"
    )


@pytest.mark.parametrize("training", [True, False])
def test_reading_leaves_the_mode_as_it_was(model, tokenizer, training):
    """And is done without dropout: a model in training mode reads the same vectors."""
    wanted, _ = encode_sentences(model, tokenizer, DOCUMENTS)
    found, _ = encode_sentences(model.train(training), tokenizer, DOCUMENTS)
    assert all(torch.equal(one, other) for one, other in zip(found, wanted, strict=True)) and all(
        module.training == training for module in model.modules()
    )


def test_documents_of_about_one_length_are_read_together(model, tokenizer, monkeypatch):
    """Long and short by turns: hardly any padding, where half would be in batches as they come."""
    real, shares = model.sentence_vectors, []
    monkeypatch.setattr(
        model,
        "sentence_vectors",
        lambda **batch: (
            shares.append(batch["attention_mask"].float().mean().item()) or real(**batch)
        ),
    )
    long, short = ["the cat sat and a dog barked loudly.", "red red red red red red."], ["a."]
    vectors, _ = encode_sentences(model, tokenizer, [long, short] * 4, batch_size=4)
    assert shares == [1.0] * 2 and [len(rows) for rows in vectors] == [2, 1] * 4


def test_bars_count_steps_and_batches_where_they_are_asked_for(model, tokenizer, monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(
        training, "tqdm", functools.partial(tqdm, file=screen, mininterval=0, miniters=1)
    )
    encode_sentences(model, tokenizer, DOCUMENTS, batch_size=2)
    vectors, labels = random_vectors(5)
    train_head(SentenceClassifier(16), vectors, labels, epochs=2, batch_size=2)
    assert screen.getvalue() == ""
    encode_sentences(model, tokenizer, DOCUMENTS, batch_size=2, progress=True)
    assert re.search(r"Reading: 100%.*\| 2/2 \[.* batches/s\]", screen.getvalue())
    losses = train_head(
        SentenceClassifier(16), vectors, labels, epochs=2, batch_size=2, progress=True
    )
    assert re.search(
        rf"Training: 100%.*\| 6/6 \[.* steps/s, loss={losses[-1]:.3f}\]", screen.getvalue()
    )


def test_batches_hold_every_document_once_and_those_of_one_length_together():
    lengths = torch.randint(1, 400, (1003,), generator=torch.Generator().manual_seed(0)).tolist()
    first, second = (
        random_batches(lengths, 4, torch.Generator().manual_seed(seed)) for seed in (0, 1)
    )
    assert sorted(sum(first, [])) == list(range(1003)) and first != second and len(first) == 251
    spread = [max(found) - min(found) for batch in first if (found := [lengths[i] for i in batch])]
    assert (
        sum(spread) / len(spread) < 2 * 400 / POOL
    )  # of 240 on average where they are drawn blindly
    assert sorted(batch_sizes := list(map(len, first)))[0] == 3 and batch_sizes.count(4) == 250


# -- BERT and its head
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [0, -1, 2.5])
def test_a_batch_has_at_least_one_document(model, tokenizer, batch_size):
    said = "batch_size must be a whole number of at least 1, not"
    labels = [[1.0] * len(sentences) for sentences in DOCUMENTS]
    with pytest.raises(InputError, match=said):
        train(model, tokenizer, DOCUMENTS, labels, batch_size=batch_size)
    with pytest.raises(InputError, match=said):
        vectors = [torch.ones(3, 16)]
        train_head(SentenceClassifier(16), vectors, [[1.0] * 3], batch_size=batch_size)


def test_encoded_sentences_are_what_the_head_sees(model, tokenizer):
    vectors, numbers = encode_sentences(model, tokenizer, DOCUMENTS, batch_size=2)
    assert numbers == [[0, 1, 2], [0, 1], [0, 1, 2]]
    for rows, sentences in zip(vectors, DOCUMENTS):
        scores = model.head(rows[None], torch.ones(1, len(rows), dtype=torch.bool))[0]
        assert scores.tolist() == pytest.approx(
            score_document(model, tokenizer, sentences).scores, abs=1e-5
        )


@pytest.mark.parametrize("loss", ("bce", "listwise"))
def test_bert_and_head_learn_together(model, tokenizer, loss):
    losses = train(
        model,
        tokenizer,
        DOCUMENTS,
        LABELS,
        loss=loss,
        epochs=30,
        learning_rate=1e-2,
        head_learning_rate=1e-2,
    )
    assert losses[-1] < losses[0] / 3 and not model.training
    for sentences, of_document in zip(DOCUMENTS, LABELS):
        scores = score_document(model, tokenizer, sentences).scores
        assert scores.index(max(scores)) == of_document.index(1)


def test_only_the_layers_asked_for_learn(tokenizer):
    for layers, still in (
        (1, ("bert.embeddings", "bert.encoder.layer.0", "bert.encoder.layer.1")),
        (None, ()),
    ):
        model = make_model(tokenizer)
        before = {name: tensor.clone() for name, tensor in model.named_parameters()}
        train(
            model, tokenizer, DOCUMENTS, LABELS, epochs=2, batch_size=3, layers=layers, warmup=0.5
        )
        for name, tensor in model.named_parameters():
            assert torch.equal(tensor, before[name]) == name.startswith(still), name
        assert all(parameter.requires_grad for parameter in model.parameters())


def test_labels_of_sentences_that_were_not_read_are_left_out(model, tokenizer):
    long = [
        "one two three four five six seven eight.",
        "",
        "red red.",
        *["one two three four five six seven."] * 9,
    ]
    vectors, numbers = encode_sentences(model, tokenizer, [long])
    assert len(vectors[0]) == len(numbers[0]) < len(long) and 1 not in numbers[0]
    # with a large label at each sentence without a vector, and at none of the others
    labels = [[0.0 if n in numbers[0] else 1.0 for n in range(len(long))]]
    head = SentenceClassifier(32)
    first = train_head(head, vectors, [[0.0] * len(vectors[0])], epochs=1)
    torch.manual_seed(0)
    model.head.load_state_dict(head.state_dict())
    again = train(model, tokenizer, [long], labels, epochs=1, learning_rate=1e-9)
    assert again[0] == pytest.approx(first[0], rel=0.1)


def test_documents_and_labels_have_to_fit(model, tokenizer):
    with pytest.raises(ValueError, match="8 sentences of 3 documents, 5 labels of 2"):
        train(model, tokenizer, DOCUMENTS, LABELS[:2])
    with pytest.raises(
        ValueError, match="layers must lie between 1 and 3, or be None for all of BERT, not 4"
    ):
        train(model, tokenizer, DOCUMENTS, LABELS, layers=4)
