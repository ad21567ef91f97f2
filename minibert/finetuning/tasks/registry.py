"""Which tasks there are. Nothing here imports torch, so that the command line knows them at once.

`minibert.finetuning.tasks.base` says how to add one.
"""

from dataclasses import dataclass
from importlib import import_module
from reprlib import repr as shown  # a value in a message, shortened
from typing import TYPE_CHECKING, Any

from minibert.config import InputError

if TYPE_CHECKING:
    from minibert.finetuning.tables.readers import Reader
    from minibert.finetuning.tasks.base import Task


@dataclass(frozen=True)
class TaskEntry:
    """One task: its name, what `--help` says of it, and where its two classes are."""

    name: str  # on the command line
    summary: str  # what the task predicts, for `minibert finetune --help`
    columns: tuple[str, ...]  # what it reads of a row of data, by the names of the options
    task: "str | type[Task]"  # the Task subclass; as 'module:name' it is imported when needed
    reader: "str | Reader"  # what makes examples of rows, in the same two ways
    optional: tuple[str, ...] = ()  # those of the columns that need not be there

    def load_task(self) -> "type[Task]":
        """The Task subclass."""
        task: type[Task] = _load(self.task)
        return task

    def load_reader(self) -> "Reader":
        """What makes examples of rows."""
        reader: Reader = _load(self.reader)
        return reader


def register_task(entry: TaskEntry) -> None:
    """Make a task known to `make_task`, `read_examples` and the command line.

    Raises an InputError for a name that is taken.
    """
    if entry.name in _ENTRIES:
        raise InputError(f"there is a task {entry.name!r} already")
    _ENTRIES[entry.name] = entry


def task_names() -> tuple[str, ...]:
    """The names of all tasks, in the order of registration."""
    return tuple(_ENTRIES)


def task_entry(name: str) -> TaskEntry:
    """The task of a name. Raises an InputError that lists the names for an unknown one."""
    if not isinstance(name, str) or name not in _ENTRIES:
        raise InputError(f"task must be one of {', '.join(_ENTRIES)}, not {shown(name)}")
    return _ENTRIES[name]


def _load(what: Any) -> Any:
    if not isinstance(what, str):
        return what
    module, name = what.split(":")
    return getattr(import_module(module), name)


_ENTRIES: dict[str, TaskEntry] = {}
_TASKS, _READERS = "minibert.finetuning.tasks", "minibert.finetuning.tables.readers"

register_task(
    TaskEntry(
        "classification",
        "which of several classes a text, or a pair of texts, belongs to",
        ("text", "pair", "label"),
        f"{_TASKS}.texts:Classification",
        f"{_READERS}:CLASSES",
        optional=("pair",),
    )
)
register_task(
    TaskEntry(
        "regression",
        "a number for a text, or for a pair of texts",
        ("text", "pair", "label"),
        f"{_TASKS}.texts:Regression",
        f"{_READERS}:NUMBERS",
        optional=("pair",),
    )
)
register_task(
    TaskEntry(
        "similarity",
        "how alike two texts are, as the cosine of their vectors; "
        "trains sentence encoders such as all-MiniLM-L6-v2",
        ("text", "pair", "label"),
        f"{_TASKS}.similarity:Similarity",
        f"{_READERS}:PAIRS",
    )
)
register_task(
    TaskEntry(
        "tagging",
        "a tag for every word, such as named entities in IOB (B-person, I-person, O)",
        ("words", "tags"),
        f"{_TASKS}.tagging:Tagging",
        f"{_READERS}:TAGS",
    )
)
register_task(
    TaskEntry(
        "questions",
        "which span of a passage answers a question (SQuAD)",
        ("question", "context", "answer", "answer_start"),
        f"{_TASKS}.questions:QuestionAnswering",
        "minibert.finetuning.tables.question_reader:QUESTIONS",
        optional=("answer_start",),
    )
)
register_task(
    TaskEntry(
        "choice",
        "which of several texts continues a text, or answers it",
        ("text", "choices", "label"),
        f"{_TASKS}.choices:MultipleChoice",
        f"{_READERS}:CHOICES",
    )
)
