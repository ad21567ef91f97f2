"""What each task's scores would be without looking at the text: the control that a model has to beat."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean

from minibert.finetuning.choices import ChoicePrediction
from minibert.finetuning.questions import AnswerPrediction
from minibert.finetuning.similarity import CosinePrediction
from minibert.finetuning.tagging import TagsPrediction
from minibert.finetuning.task import Task
from minibert.finetuning.texts import ClassPrediction, ValuePrediction


def guess(task: Task, training: Sequence, examples: Sequence) -> tuple[str, dict[str, float]]:
    """The name of the control of a task, learned from the training examples' labels, and its scores on others.

    classification      the commonest class of all
    regression          the mean of all labels, and so with similarity: one number for all, a correlation of 0
    tagging             for each word the tag that it had most often in training; the commonest of all for new words
    questions           the whole passage
    choice              the number that was right most often
    """
    name, predict = GUESSES[task.name](training)
    return name, task.score(examples, [predict(example) for example in examples])


def _class(training: Sequence) -> tuple[str, Callable]:
    label = _commonest(example.label for example in training)
    return f"always {label!r}", lambda example: ClassPrediction(label, {})


def _mean(prediction: type) -> Callable[[Sequence], tuple[str, Callable]]:
    def control(training: Sequence) -> tuple[str, Callable]:
        value = fmean(example.label for example in training)
        return f"always {value:.2f}, the mean", lambda example: prediction(value)
    return control


def _tags(training: Sequence) -> tuple[str, Callable]:
    of_word = defaultdict(Counter)
    for example in training:
        for word, tag in zip(example.words, example.tags):
            of_word[word][tag] += 1
    usual = {word: counts.most_common(1)[0][0] for word, counts in of_word.items()}
    commonest = _commonest(tag for example in training for tag in example.tags)

    def predict(example) -> TagsPrediction:
        tags = [usual.get(word, commonest) for word in example.words]
        return TagsPrediction(list(example.words), tags, [1.0] * len(tags), [])
    return "each word's usual tag", predict


def _passage(training: Sequence) -> tuple[str, Callable]:
    return "the whole passage", lambda example: AnswerPrediction(example.context, 0, len(example.context), 1.0)


def _choice(training: Sequence) -> tuple[str, Callable]:
    number = _commonest(example.label for example in training)

    def predict(example) -> ChoicePrediction:
        choice = min(number, len(example.choices) - 1)
        return ChoicePrediction(choice, example.choices[choice], [])
    return f"always choice {number}", predict


def _commonest(values):
    return Counter(values).most_common(1)[0][0]


GUESSES = {"classification": _class, "regression": _mean(ValuePrediction), "similarity": _mean(CosinePrediction),
           "tagging": _tags, "questions": _passage, "choice": _choice}
