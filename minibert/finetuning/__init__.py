"""Fine-tuning: tasks, examples, the run, predictions (Devlin et al. 2018, sections 3.2 and 4).

What imports torch is imported on first use, so that the command line can read the list of tasks
without waiting for torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from minibert.finetuning.entities import Entity, entities, entity_f1, entity_scores
from minibert.finetuning.options import FineTuningOptions
from minibert.finetuning.squad import answer_f1, exact_match
from minibert.finetuning.tasks.registry import TaskEntry, register_task

if TYPE_CHECKING:
    from minibert.finetuning.evaluation import evaluate, predict
    from minibert.finetuning.model_io import (
        FineTuned,
        make_task,
        model_for,
        open_finetuned,
        save_finetuned,
    )
    from minibert.finetuning.tables.examples import read_examples
    from minibert.finetuning.tasks.base import Feature, Task
    from minibert.finetuning.tasks.choices import ChoiceExample, ChoicePrediction, MultipleChoice
    from minibert.finetuning.tasks.questions import (
        AnswerPrediction,
        QuestionAnswering,
        QuestionExample,
    )
    from minibert.finetuning.tasks.similarity import CosinePrediction, Similarity
    from minibert.finetuning.tasks.tagging import TaggedExample, Tagging, TagsPrediction
    from minibert.finetuning.tasks.texts import (
        Classification,
        ClassPrediction,
        Regression,
        TextExample,
        ValuePrediction,
    )
    from minibert.finetuning.trainer import Epoch, FineTuning, finetune

_MODULES = {
    "evaluation": ("evaluate", "predict"),
    "model_io": ("FineTuned", "make_task", "model_for", "open_finetuned", "save_finetuned"),
    "tables.examples": ("read_examples",),
    "tasks.base": ("Feature", "Task"),
    "tasks.choices": ("ChoiceExample", "ChoicePrediction", "MultipleChoice"),
    "tasks.questions": ("AnswerPrediction", "QuestionAnswering", "QuestionExample"),
    "tasks.similarity": ("CosinePrediction", "Similarity"),
    "tasks.tagging": ("TaggedExample", "Tagging", "TagsPrediction"),
    "tasks.texts": (
        "ClassPrediction",
        "Classification",
        "Regression",
        "TextExample",
        "ValuePrediction",
    ),
    "trainer": ("Epoch", "FineTuning", "finetune"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "AnswerPrediction",
    "ChoiceExample",
    "ChoicePrediction",
    "ClassPrediction",
    "Classification",
    "CosinePrediction",
    "Entity",
    "Epoch",
    "Feature",
    "FineTuned",
    "FineTuning",
    "FineTuningOptions",
    "MultipleChoice",
    "QuestionAnswering",
    "QuestionExample",
    "Regression",
    "Similarity",
    "TaggedExample",
    "Tagging",
    "TagsPrediction",
    "Task",
    "TaskEntry",
    "TextExample",
    "ValuePrediction",
    "answer_f1",
    "entities",
    "entity_f1",
    "entity_scores",
    "evaluate",
    "exact_match",
    "finetune",
    "make_task",
    "model_for",
    "open_finetuned",
    "predict",
    "read_examples",
    "register_task",
    "save_finetuned",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
