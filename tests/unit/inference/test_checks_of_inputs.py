"""What embeddings and filled masks refuse: broken weights, another vocabulary, wrong texts and batch sizes."""

import pytest
import torch
from safetensors.torch import save_file
from tiny_cli import SHAPE, VOCABULARY

import minibert
import minibert.cli.main as cli
from minibert import BertConfig, BertForMaskedLM, WordPieceTokenizer, from_pretrained
from minibert.config import InputError
from minibert.inference.interpretability import ablate_heads, capture, dense_maps, head_means
from minibert.inference.model_cost import (
    activations,
    count_parameters,
    flops,
    gpu_hours,
    memory,
    training_flops,
)
from minibert.inference.probes import control_task, majority_accuracy, train_probe
from minibert.summarization.model import BertSumExt
from minibert.summarization.scoring import score_document

WORDS = WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)})
LARGER = WordPieceTokenizer(WORDS.vocab | {"far": 10, "away": 11})


@pytest.fixture
def model():
    torch.manual_seed(0)
    return BertForMaskedLM(BertConfig(**SHAPE)).eval()


# Weights that are NaN or infinite


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_result_that_is_not_finite_is_refused(value, model, tmp_path, capsys):
    model.save_pretrained(tmp_path, WORDS)
    with torch.no_grad():
        model.bert.encoder.layer[0].output.dense.weight[3, 2] = value
    name = "bert.encoder.layer.0.output.dense.weight"
    before = (tmp_path / "model.safetensors").read_bytes()
    with pytest.raises(InputError, match=f"cannot save to .*: {name} holds numbers that are NaN"):
        model.save_pretrained(tmp_path, WORDS)
    assert (tmp_path / "model.safetensors").read_bytes() == before
    save_file(model.state_dict(), tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=f"{name} holds numbers that are NaN or infinite"):
        from_pretrained(tmp_path)
    with pytest.raises(InputError, match=f"NaN or infinite.* {name}"):
        minibert.fill_mask("the [MASK]", model=model, tokenizer=WORDS)
    with pytest.raises(InputError, match="NaN or infinite.* encoder.layer.0.output.dense.weight"):
        minibert.embed(["the cat"], model=model, tokenizer=WORDS)
    with pytest.raises(InputError, match="NaN or infinite"):
        minibert.similarity("the cat", "the dog", model=model, tokenizer=WORDS)
    with pytest.raises(InputError, match="NaN or infinite"):
        summarizer = BertSumExt(model.bert, "classifier")
        minibert.summarize("The cat sat. A dog ran.", model=summarizer, tokenizer=WORDS)
    for command in (("fill-mask", "the [MASK]"), ("embed", "the cat")):
        assert cli.main([*command, "--model", str(tmp_path)]) == 2
        out, err = capsys.readouterr()
        assert not out and "NaN or infinite" in err and err.count("\n") == 1


def test_a_model_without_numbers_is_refused(model):
    model.to("meta")
    summarizer = BertSumExt(model.bert, "classifier")
    for call in (
        lambda: minibert.embed(["the cat"], model=model, tokenizer=WORDS),
        lambda: minibert.fill_mask("the [MASK]", model=model, tokenizer=WORDS),
        lambda: minibert.score(["the cat"], model=model, tokenizer=WORDS),
        lambda: minibert.summarize("The cat sat.", model=summarizer, tokenizer=WORDS),
        lambda: capture(model, WORDS, ["the cat"]),
    ):
        with pytest.raises(InputError, match='weights of the model are on the device "meta"'):
            call()


# The texts and the batch size


def test_another_default_device_changes_nothing(model, tmp_path):
    """Not even "meta", on which a tensor has no numbers."""
    sentences = ["the cat sat.", "a dog."]
    model.save_pretrained(tmp_path / "bert", WORDS)
    BertSumExt(model.bert, "transformer", feedforward_size=8, num_heads=2).save_pretrained(
        tmp_path / "summarizer", WORDS
    )

    def results():
        bert = tmp_path / "bert"
        opened = from_pretrained(tmp_path / "summarizer")
        return [
            minibert.similarity("the cat", "a dog sat", model=bert),
            minibert.fill_mask("the [MASK]", model=bert),
            minibert.score(["the cat", "a dog sat"], model=bert).tolist(),
            minibert.summarize(sentences, 1, model=tmp_path / "summarizer"),
            score_document(opened, WORDS, sentences).scores,
            type(BertSumExt(opened.bert, "classifier").head).__name__,
        ]

    expected = results()
    torch.set_default_device("meta")
    try:
        assert results() == expected
    finally:
        torch.set_default_device(None)


def test_no_texts_give_no_vectors(model):
    vectors = minibert.embed([], model=model, tokenizer=WORDS)
    assert vectors.shape == (0, 8) and vectors.dtype == torch.float32


@pytest.mark.parametrize("empty", ["", " \n"])
def test_an_empty_text_is_refused(empty, model):
    with pytest.raises(InputError, match=r"texts\[1\] is empty"):
        minibert.embed(["the cat", empty], model=model, tokenizer=WORDS)


def test_a_cosine_is_at_most_one(model, monkeypatch):
    longer = torch.tensor([[1.0, 0.0], [1.0 + 2e-7, 0.0]])
    monkeypatch.setattr(minibert.inference.sentence_embeddings, "embed", lambda *_, **__: longer)
    assert minibert.similarity("the cat", "the cat", model=model, tokenizer=WORDS) == 1.0


def test_a_vocabulary_that_may_have_been_cut_short_is_told(monkeypatch):
    large = BertForMaskedLM(BertConfig(**SHAPE | {"vocab_size": 20})).eval()
    minibert.embed(["the cat"], model=large, tokenizer=WORDS)
    monkeypatch.setattr("minibert.inference.checks.SPARE", 9)
    with pytest.warns(UserWarning, match="10 tokens, .* vocab_size is 20: .* may have been cut"):
        minibert.embed(["the cat"], model=large, tokenizer=WORDS)


def test_a_vocabulary_of_less_than_half_of_the_tokens_is_refused():
    large = BertForMaskedLM(BertConfig(**SHAPE | {"vocab_size": 21})).eval()
    with pytest.raises(InputError, match="10 tokens, .* vocab_size is 21: its vocabulary was cut"):
        minibert.embed(["the cat"], model=large, tokenizer=WORDS)


@pytest.mark.parametrize("size", [0, -1, 2.0, "2", True])
def test_a_wrong_batch_size_is_refused(size, model):
    with pytest.raises(InputError, match=f"batch_size must be a whole number of .* not {size!r}"):
        minibert.embed(["the cat"], model=model, tokenizer=WORDS, batch_size=size)


@pytest.mark.parametrize("text", [None, 5, 1.5, b"cat", ["cat"]])
def test_a_text_that_is_no_string_is_named_by_its_index(text, model):
    with pytest.raises(InputError, match=rf"texts\[2\] must be a str, not {type(text).__name__}"):
        minibert.embed(["the cat", "a dog", text], model=model, tokenizer=WORDS, batch_size=1)


@pytest.mark.parametrize(
    "texts", ["one text " * 999, None, 5, {"a", "b"}, {"a": 1}, torch.tensor(1)]
)
def test_texts_that_are_no_list_are_refused(texts, model):
    """Also a set, whose order may differ from one run to the next."""
    for call in (minibert.embed, minibert.score):
        with pytest.raises(InputError, match="^texts must be a list of texts, not .{,60}$"):
            call(texts, model=model, tokenizer=WORDS)
    if not isinstance(texts, str):
        with pytest.raises(InputError, match="^text must be a str or a list of sentences, not"):
            summarizer = BertSumExt(model.bert, "classifier")
            minibert.summarize(texts, model=summarizer, tokenizer=WORDS)


@pytest.mark.parametrize("value", ["no", 1, None, torch.tensor([True, False])])
def test_a_switch_is_true_or_false(value, model):
    """ "no" would have the effect of True."""
    with pytest.raises(InputError, match="within_word must be True or False"):
        minibert.score(["the cat"], model=model, tokenizer=WORDS, within_word=value)
    summarizer = BertSumExt(model.bert, "classifier")
    with pytest.raises(InputError, match="block_trigrams must be True or False"):
        minibert.summarize("A.", model=summarizer, tokenizer=WORDS, block_trigrams=value)


# A tokenizer of another model


@pytest.mark.parametrize(
    "wrong", ["", "words", [], 5, int, WordPieceTokenizer, torch.nn.Linear(1, 1)]
)
def test_what_is_no_tokenizer_is_refused(wrong):
    for call in (minibert.embed, minibert.score, minibert.summarize, minibert.fill_mask):
        text = "a [MASK] c" if call is minibert.fill_mask else ["a b c"]
        with pytest.raises(InputError, match="the tokenizer must be a WordPieceTokenizer, not a"):
            call(text, tokenizer=wrong)


def test_a_tokenizer_with_more_tokens_than_the_model_is_refused(model, tmp_path, capsys):
    said = "the tokenizer has 12 tokens, but the model's vocab_size is 10"
    for call in (
        lambda: minibert.embed(["far away"], model=model, tokenizer=LARGER),
        lambda: minibert.fill_mask("far [MASK]", model=model, tokenizer=LARGER),
        lambda: minibert.summarize(
            "It is far away.", model=BertSumExt(model.bert, "classifier"), tokenizer=LARGER
        ),
    ):
        with pytest.raises(InputError, match=said):
            call()
    model.save_pretrained(tmp_path)
    LARGER.save(tmp_path)
    for command in (("fill-mask", "far [MASK]"), ("embed", "far")):
        assert cli.main([*command, "--model", str(tmp_path)]) == 2
        assert said in capsys.readouterr().err


# A user that does not exist


@pytest.mark.parametrize("name", ["~nosuch", "~nosuch/model"])
def test_an_unknown_user_is_named(name, capsys):
    said = f"there is no home folder for {name}"
    for call in (from_pretrained, WordPieceTokenizer.from_pretrained):
        with pytest.raises(InputError, match=said):
            call(name)
    for call in (minibert.fill_mask, minibert.summarize, minibert.embed):
        text = ["[MASK]"] if call is minibert.embed else "[MASK]"
        with pytest.raises(InputError, match=said):
            call(text, model=name)
    for command in (("fill-mask", "[MASK]", "--model"), ("embed", "a", "--model"), ("info",)):
        assert cli.main([*command, name]) == 2
        assert said in capsys.readouterr().err


# What a look inside a model, a probe and a cost refuse

CONFIG, VECTORS = BertConfig(**SHAPE), torch.arange(6.0).reshape(3, 2)
PROBE = train_probe(VECTORS, ["a", "b", "b"])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: capture(m, WORDS, 5), "texts must be a list of texts, not 5"),
        (lambda m: capture(m, WORDS, [None]), "a text must be a str, not NoneType"),
        (lambda m: capture(m, WORDS, ["cat"], "dog"), "pairs must be a list of texts, not 'dog'"),
        (lambda m: capture(m, WORDS, ["cat"], attentions=2), "attentions must be True or False"),
        (lambda m: head_means(m, WORDS, "cat"), "texts must be a list of texts, not 'cat'"),
        (lambda m: dense_maps("bert"), "bert must be a BertModel, not a str: 'bert'"),
        (lambda m: ablate_heads(m, [0]).__enter__(), "heads must be a Mapping, not a list"),
        (lambda m: ablate_heads(m, {0: None}).__enter__(), "heads of layer 0 must be a list"),
        (lambda m: ablate_heads(m, {0: [1.0]}).__enter__(), "there is no head 1.0 in layer 0"),
        (lambda m: ablate_heads(m, {0: [1]}, "0").__enter__(), "instead must be a Tensor, not a"),
        (lambda m: train_probe("ab", ["a", "b"]), "vectors must be a Tensor, not a str: 'ab'"),
        (lambda m: train_probe(VECTORS, "abc"), "labels must be a list of labels, not 'abc'"),
        (lambda m: train_probe(VECTORS, None), "labels must be a list of labels, not None"),
        (lambda m: train_probe(VECTORS, torch.ones(3)), "labels must be a list .* not a Tensor"),
        (lambda m: train_probe(VECTORS, [1, "a", 2]), "labels must be all texts or all numbers"),
        (lambda m: train_probe(VECTORS, [1, 2, 2], "1"), "penalty must be above 0 .* not '1'"),
        (lambda m: PROBE.predict([[1.0, 2.0]]), "vectors must be a Tensor, not a list"),
        (lambda m: PROBE.accuracy(None, ["a"]), "vectors must be a Tensor, not a NoneType"),
        (lambda m: PROBE.accuracy(VECTORS[:0], []), "with at least one label"),
        (lambda m: majority_accuracy("aab", ["a"]), "train_labels must be a list of labels"),
        (lambda m: majority_accuracy(["a"], None), "test_labels must be a list of labels"),
        (lambda m: majority_accuracy([["a"]], ["a"]), "train_labels must be all texts or all"),
        (lambda m: control_task("ab", ["a", "b"]), "words must be a list of words, not 'ab'"),
        (lambda m: control_task(["a"], 1), "labels must be a list of labels, not 1"),
        (lambda m: control_task(["a", 1], [1, 2]), "words must be all texts or all numbers"),
        (lambda m: control_task(["a"], ["b"], seed=[1]), "seed must be a whole number, not"),
        (lambda m: count_parameters("base"), "config_or_model must be a BertConfig or a model"),
        (lambda m: count_parameters(CONFIG, "BertModel"), "model_class must be a class, not a str"),
        (lambda m: memory("110M"), "parameters must be a whole number, not '110M'"),
        (lambda m: memory(-1), "parameters must be at least 0, not -1"),
        (lambda m: activations("base"), "config must be a BertConfig, not a str: 'base'"),
        (lambda m: activations(CONFIG, batch=-1), "batch must be a whole number of at least 1"),
        (lambda m: activations(CONFIG, mask=-1), "mask must be at least 0, not -1"),
        (lambda m: flops("base"), "config must be a BertConfig, not a str: 'base'"),
        (lambda m: flops(CONFIG, length="8"), "length must be a whole number of .* not '8'"),
        (lambda m: flops(CONFIG, predictions=-1), "predictions must be at least 0, not -1"),
        (lambda m: training_flops("base", 1), "config must be a BertConfig, not a str: 'base'"),
        (lambda m: training_flops(CONFIG, "1"), "tokens must be a number, not '1'"),
        (lambda m: training_flops(CONFIG, 1, 0), "length must be a whole number of at least 1"),
        (lambda m: training_flops(CONFIG, 1, mask_rate="all"), "mask_rate must be a number"),
        (lambda m: training_flops(CONFIG, 1, mask_rate=1.5), "mask_rate .* at most 1, not 1.5"),
        (lambda m: gpu_hours(-1, 1e12, 0.5), "operations must be at least 0, not -1"),
        (lambda m: gpu_hours("1", 1e12, 0.5), "operations must be a number, not '1'"),
        (lambda m: gpu_hours(1, None, 0.5), "peak must be a number, not None"),
        (lambda m: gpu_hours(1, 1e12, "half"), "utilisation must be a number, not 'half'"),
    ],
)
def test_arguments_of_another_kind_are_named(call, said, model):
    with pytest.raises(InputError, match=f"^.{{,60}}{said}"):
        call(model)
