"""The baselines that a model has to beat: fitted to the training labels, scored as the task scores."""

import pytest

from minibert.finetuning import (
    ChoiceExample,
    Classification,
    MultipleChoice,
    QuestionAnswering,
    QuestionExample,
    Regression,
    Similarity,
    TaggedExample,
    Tagging,
    TextExample,
)
from minibert.finetuning.baselines import score_baseline


def texts(*labels):
    return [TextExample("x", "y", label) for label in labels]


def test_the_majority_class():
    name, scores = score_baseline(
        Classification(["a", "b", "c"]), texts("a", "b", "b"), texts("b", "a", "c", "b")
    )
    assert (
        name == "always 'b'"
        and scores["accuracy"] == 0.5
        and scores["macro_f1"] == pytest.approx((2 / 3 + 0 + 0) / 3)
    )


@pytest.mark.parametrize("task", [Regression(), Similarity()])
def test_the_mean_of_all_numbers_correlates_with_nothing(task):
    assert score_baseline(task, texts(1.0, 2.0, 6.0), texts(0.0, 5.0)) == (
        "always 3.00, the mean",
        {"spearman": 0.0, "pearson": 0.0},
    )


def test_the_most_frequent_tag_of_each_word():
    """'may' was a name twice and a verb once; a new word gets the majority tag."""
    training = [
        TaggedExample(["may", "is", "here"], ["B-x", "O", "O"]),
        TaggedExample(["may", "may", "go"], ["B-x", "O", "O"]),
    ]
    name, scores = score_baseline(
        Tagging(["O", "B-x"]),
        training,
        [TaggedExample(["may", "go"], ["B-x", "O"]), TaggedExample(["new", "may"], ["B-x", "O"])],
    )
    assert name == "each word's most frequent tag"
    assert scores == {
        "entity_f1": 0.5,
        "entity_precision": 0.5,
        "entity_recall": 0.5,
        "accuracy": 0.5,
    }


def test_the_whole_passage():
    examples = [QuestionExample("q", "it was ada lovelace", ["ada lovelace"])]
    name, scores = score_baseline(QuestionAnswering(), examples, examples)
    assert name == "the whole passage" and scores == {
        "f1": pytest.approx(2 * 2 / (4 + 2)),
        "exact_match": 0.0,
    }


@pytest.mark.parametrize("training, examples", [(0, 1), (1, 0)])
def test_a_baseline_of_no_examples(training, examples):
    rows = [TextExample("x", label="a")]
    with pytest.raises(ValueError, match="a baseline needs examples to fit and examples to score"):
        score_baseline(Classification(["a", "b"]), rows[:training], rows[:examples])


def test_the_number_that_was_right_most_often():
    """Where there are fewer choices, the last one."""
    training = [ChoiceExample("x", list("abc"), label) for label in (2, 2, 0)]
    name, scores = score_baseline(
        MultipleChoice(),
        training,
        [
            ChoiceExample("x", list("abc"), 2),
            ChoiceExample("x", list("ab"), 1),
            ChoiceExample("x", list("abc"), 1),
        ],
    )
    assert name == "always choice 2" and scores == {"accuracy": pytest.approx(2 / 3)}
