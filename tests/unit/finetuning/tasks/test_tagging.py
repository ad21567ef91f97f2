"""Tagging: rows against transformers' own tokenizer and model, windows that lose no word, predictions, scores, errors."""

import numpy as np
import pytest
import torch
from deviation import deviation
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import draw_weights, reference_twin, small_config
from transformers import AutoTokenizer

from minibert import BertConfig, WordPieceTokenizer
from minibert.finetuning import (
    Entity,
    FineTuning,
    FineTuningOptions,
    TaggedExample,
    Tagging,
    evaluate,
    finetune,
    model_for,
    predict,
)
from minibert.hub.find_pretrained import SMALL, find_pretrained

LABELS = ["O", "B-place", "I-place", "B-person", "I-person"]
WORDS = [
    "in",
    "of",
    "saw",
    "paris",
    "rome",
    "new",
    "york",
    "anna",
    "bob",
    "##s",
    "##a",
    "a",
    "b",
    "c",
]
TOKENIZER = WordPieceTokenizer(
    {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
)
CONFIG = BertConfig(
    vocab_size=len(TOKENIZER),
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=32,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
OPTIONS = FineTuningOptions(
    epochs=8,
    batch_size=10,
    learning_rate=1e-2,
    weight_decay=0.0,
    max_length=32,
    precision="float32",
)
TASK = Tagging(LABELS)
SENTENCE = st.lists(
    st.sampled_from(["a", "b", "as", "assa", "annas", "a" + "s" * 9, "", "\u200d", "zzz"]),
    min_size=1,
    max_size=25,
)


@pytest.fixture(scope="module")
def small():
    folder = find_pretrained(SMALL)
    return WordPieceTokenizer.from_pretrained(folder), AutoTokenizer.from_pretrained(str(folder))


def from_transformers(fast, sentence, tags, labels, max_length=512):
    """The row and its labels by another way: the library that is told that words are given, and asked whose piece each token is."""
    encoding = fast(sentence, is_split_into_words=True, truncation=True, max_length=max_length)
    numbers, before = [], None
    for word in encoding.word_ids():
        numbers.append(labels.index(tags[word]) if word is not None and word != before else -100)
        before = word
    return encoding, numbers


def test_rows_and_labels_are_those_of_transformers(small):
    tokenizer, fast = small
    sentences = [
        "Anna-Louise doesn't live in Köln , i.e. not at the Rhine's bank .".split(),
        ["Straßenbahn", "東京", "e\u0301te\u0301", "x", "🙂", "http://a.b/c?d=1"],
    ]
    tags = [[LABELS[i % 5] for i in range(len(sentence))] for sentence in sentences]
    features = TASK.features(tokenizer, [TaggedExample(*pair) for pair in zip(sentences, tags)], 64)
    for number, (feature, sentence, gold) in enumerate(zip(features, sentences, tags, strict=True)):
        encoding, numbers = from_transformers(fast, sentence, gold, LABELS)
        assert (feature.example, feature.input_ids, feature.token_type_ids) == (
            number,
            encoding["input_ids"],
            encoding["token_type_ids"],
        )
        assert feature.labels == {"labels": numbers}
        assert [word for word in feature.words if word is not None] == list(range(len(sentence)))


@pytest.mark.parametrize("padded", [False, True])
def test_loss_and_gradient_of_a_step_are_those_of_transformers(small, padded):
    tokenizer, fast = small
    sentences = [
        "Anna-Louise lives in Reykjavik .".split(),
        ["Bob"],
        "the bank of the river Aare in Bern".split(),
    ][: 3 if padded else 1]
    tags = [
        [LABELS[(i + len(sentence)) % 5] for i in range(len(sentence))] for sentence in sentences
    ]
    model = (
        draw_weights(
            model_for(TASK, small_config(vocab_size=len(tokenizer), max_position_embeddings=40))
        )
        .double()
        .train()
    )
    features = TASK.features(tokenizer, [TaggedExample(*pair) for pair in zip(sentences, tags)], 40)
    loss = model(**TASK.collate(features, tokenizer.pad_id)).loss
    loss.backward()
    twin = reference_twin(model)
    rows = [from_transformers(fast, *pair, LABELS) for pair in zip(sentences, tags)]
    batch = fast.pad([encoding for encoding, _ in rows], return_tensors="pt")
    length = batch["input_ids"].size(1)
    theirs = twin(
        **batch,
        labels=torch.tensor([numbers + [-100] * (length - len(numbers)) for _, numbers in rows]),
    ).loss
    theirs.backward()
    assert loss.item() == pytest.approx(theirs.item(), abs=1e-10)
    wanted = dict(twin.named_parameters())
    for name, parameter in model.named_parameters():
        assert torch.allclose(parameter.grad, wanted[name].grad, rtol=0, atol=1e-10), name


@deviation(
    "A sentence longer than a row, word by word",
    reference="its example program for tagging cuts the end off: those words are neither learned from nor scored",
    here="windows that overlap by half; each word is asked once, where it has most around it",
    why="a score that leaves out the ends of long sentences is a score of something else",
)
@settings(max_examples=100, deadline=None)
@given(SENTENCE, st.integers(3, 20))
def test_every_word_is_asked_once_where_it_has_most_around_it(sentence, max_length):
    tags = [LABELS[i % 5] for i in range(len(sentence))]
    features = TASK.features(
        TOKENIZER, [TaggedExample(["a"]), TaggedExample(sentence, tags)], max_length
    )[1:]
    pieces = [
        TOKENIZER.encode(word, add_special_tokens=False) or [TOKENIZER.unk_id] for word in sentence
    ]
    ids, first = (
        [i for word in pieces for i in word],
        [sum(map(len, pieces[:n])) for n in range(len(pieces))],
    )
    room = max_length - 2
    asked = {}
    for feature in features:
        assert (
            len(feature.input_ids)
            == len(feature.token_type_ids)
            == len(feature.words)
            == len(feature.labels["labels"])
            <= max_length
        )
        assert feature.example == 1 and not any(feature.token_type_ids)
        assert (feature.input_ids[0], feature.input_ids[-1]) == (TOKENIZER.cls_id, TOKENIZER.sep_id)
        here = {n: at for at, n in enumerate(feature.words) if n is not None}
        assert here and not here.keys() & asked.keys()
        n, at = next(iter(here.items()))
        begin = first[n] - at + 1  # of the window, in pieces
        assert (
            begin % max(1, room // 2) == 0 and ids[begin : begin + room] == feature.input_ids[1:-1]
        )
        for n, at in here.items():
            assert at == first[n] - begin + 1
            assert feature.labels["labels"][at] == n % 5
            asked[n] = min(at - 1, len(feature.input_ids) - 2 - at)
        assert sum(label != -100 for label in feature.labels["labels"]) == len(here)
    assert sorted(asked) == list(range(len(sentence)))
    # no window of the grid has more on the poorer side
    for n, around in asked.items():
        for begin in range(0, first[n] + 1, max(1, room // 2)):
            end = min(begin + room, len(ids))
            assert first[n] >= end or around >= min(first[n] - begin, end - 1 - first[n])


@deviation(
    "A word of which the tokenizer leaves nothing",
    reference="has no token, and gets no tag",
    here="is [UNK], and is tagged",
    why="every word has a tag in the data, so each needs one in the prediction",
)
def test_words_of_which_nothing_is_left_are_unknown_words(small):
    tokenizer, _ = small
    examples = [TaggedExample(["a", "\u200d", "", "b"], ["O", "B-place", "I-place", "O"])]
    a, b = tokenizer.encode_texts(["a", "b"])
    (feature,) = TASK.features(tokenizer, examples, 16)
    assert feature.input_ids == [
        tokenizer.cls_id,
        *a,
        tokenizer.unk_id,
        tokenizer.unk_id,
        *b,
        tokenizer.sep_id,
    ]
    assert feature.labels["labels"] == [-100, 0, 1, 2, 0, -100]


def test_predictions_and_scores_from_answers_made_by_hand():
    examples = [
        TaggedExample(["anna", "saw", "new", "york"], ["B-person", "O", "B-place", "I-place"]),
        TaggedExample(["as"], ["O"]),
    ]
    features = TASK.features(
        TOKENIZER, examples, 5
    )  # three pieces in a window, begun one after the other
    assert len(features) == 3
    answers = {(0, 0): 3, (0, 1): 0, (0, 2): 1, (0, 3): 1, (1, 0): 2}  # word: class
    rows = []
    for feature in features:
        row = torch.full((len(feature.words) + 3, 5), 0.0)  # three of padding
        row[:, 4] = 9.0  # whatever is asked nowhere would be I-person
        for at, n in enumerate(feature.words):
            if n is not None:
                row[at] = torch.zeros(5)
                row[at, answers[feature.example, n]] = 2.0
        rows.append(row)
    first, second = predictions = TASK.predict(examples, features, rows)
    assert first.words == examples[0].words and first.tags == [
        "B-person",
        "O",
        "B-place",
        "B-place",
    ]
    assert first.entities == [Entity("person", 0, 1), Entity("place", 2, 3), Entity("place", 3, 4)]
    sure = torch.tensor(2.0).exp().item()
    assert first.probabilities == pytest.approx([sure / (sure + 4)] * 4)
    assert second.tags == ["I-place"] and second.entities == [Entity("place", 0, 1)]
    # names: found 4, wanted 2, right 1
    assert TASK.score(examples, predictions) == pytest.approx(
        {"entity_f1": 2 / 6, "entity_precision": 1 / 4, "entity_recall": 1 / 2, "accuracy": 3 / 5}
    )
    assert tuple(TASK.score(examples, predictions)) == TASK.metrics


def test_tags_that_spell_no_names_are_scored_by_accuracy():
    task = Tagging(["NOUN", "VERB", "O"])
    examples = [TaggedExample(["a", "b", "c"], ["NOUN", "VERB", "VERB"])]
    features = task.features(TOKENIZER, examples, 8)
    (found,) = predictions = task.predict(examples, features, [torch.eye(3)[[2, 0, 1, 0, 2]]])
    assert found.tags == ["NOUN", "VERB", "NOUN"] and found.entities == []
    assert task.score(examples, predictions) == pytest.approx(
        {"accuracy": 2 / 3, "macro_f1": 2 / 3}
    )
    assert (
        tuple(task.score(examples, predictions)) == task.metrics
        and Tagging(LABELS).metrics[0] == "entity_f1"
    )
    assert task.id2label() == {0: "NOUN", 1: "VERB", 2: "O"}


def toy():
    """After 'in' stands a place, of one word or two; a or b, plural or not, is no name; 'anna' and 'bob' are people."""
    examples = []
    for i in range(60):
        place = (["paris"], ["rome"], ["new", "york"])[i % 3]
        person, rest = ("anna", "bob", "annas")[i // 3 % 3], [("a", "b", "cs")[i % 3]] * (i % 7)
        words, tags = (
            [person, "saw", *rest, "in", *place],
            ["B-person", "O", *["O"] * len(rest), "O", "B-place", *["I-place"] * (len(place) - 1)],
        )
        examples.append(TaggedExample(words, tags))
    return examples


def test_it_learns_a_toy_and_reads_sentences_longer_than_a_row():
    task, examples = Tagging(LABELS[:4]), toy()
    run = FineTuning(model_for(task, CONFIG), task, TOKENIZER, examples, OPTIONS)
    finetune(run)
    scores, _ = evaluate(run.model, task, TOKENIZER, examples)
    assert scores["entity_f1"] == scores["accuracy"] == 1
    joined = TaggedExample(
        *[
            [item for example in examples[:20] for item in getattr(example, part)]
            for part in ("words", "tags")
        ]
    )
    scores, (found,) = evaluate(run.model, task, TOKENIZER, [joined], max_length=24)
    assert len(found.tags) == len(joined.words) > 100 and scores["entity_f1"] > 0.9
    assert predict(run.model, task, TOKENIZER, [TaggedExample(joined.words)], max_length=24) == [
        found
    ]


def test_a_wrong_tag_on_dev_is_reported_before_the_first_step():
    run = FineTuning(
        model_for(TASK, CONFIG), TASK, TOKENIZER, [TaggedExample(["a"], ["O"])], OPTIONS
    )
    with pytest.raises(ValueError, match="unknown tag 'B-plaice'"):
        finetune(run, [TaggedExample(["a"], ["B-plaice"])])
    with pytest.raises(
        ValueError, match="example 0 has no label: every example to score needs one"
    ):
        finetune(run, [TaggedExample(["a"])])
    assert run.step == 0


def test_words_and_tags_from_a_table():
    words, tags = np.array(["anna", "saw"]), np.array(["B-person", "O"])
    (feature,) = TASK.features(TOKENIZER, [TaggedExample(words, tags)], 8)
    assert feature.labels == {"labels": [-100, 3, 0, -100]}


@pytest.mark.parametrize("what", ["learn", "score", "predict"])
def test_a_model_with_other_classes_is_refused(what):
    examples, model = [TaggedExample(["a"], ["O"])], model_for(Tagging(LABELS[:3]), CONFIG)
    with pytest.raises(ValueError, match="the model has 3 classes, the task has 5"):
        {
            "learn": lambda: FineTuning(model, TASK, TOKENIZER, examples, OPTIONS),
            "score": lambda: evaluate(model, TASK, TOKENIZER, examples),
            "predict": lambda: predict(model, TASK, TOKENIZER, examples),
        }[what]()


def test_what_cannot_be_tagged():
    for words in ("a sentence", [], ()):
        with pytest.raises(ValueError, match="words must be a list of at least one word"):
            TaggedExample(words)
    for tags in (["O"], "OO", []):
        with pytest.raises(
            ValueError, match="tags must be a list with one for each of the 2 words"
        ):
            TaggedExample(["a", "b"], tags)
    with pytest.raises(ValueError, match="unknown tag 'B-plaice': this task has O, B-place"):
        TASK.features(TOKENIZER, [TaggedExample(["a"], ["B-plaice"])], 8)
    with pytest.raises(ValueError, match="max_length=2 leaves no room for the words"):
        TASK.features(TOKENIZER, [TaggedExample(["a"])], 2)
    for labels in (["O"], ["O", "O"], []):
        with pytest.raises(ValueError, match="at least two different names"):
            Tagging(labels)
