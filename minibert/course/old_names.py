"""Import paths and names of the first edition, so that notebooks downloaded then still import.

`from minibert.exercises import check` gives `minibert.course.exercises.check`, and warns once. New
code does not use these names. `install` is called when minibert is imported; nothing is imported
until an old name is asked for.
"""

import contextlib
import importlib.util
import pkgutil
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

# Where the names of a module of the first edition are defined now. Some of these modules still
# exist (`training` is a package today): for them, this is where names they have lost are found.
MODULES: dict[str, tuple[str, ...]] = {
    "checkpoint": ("hub.pretrained_io",),
    "data": ("data",),
    "data.rows": ("data",),
    "data.wikipedia": ("data.wikipedia.articles",),
    "data.wikipedia_tasks": ("data.wikipedia.tasks", "data.wikipedia.span_tasks"),
    "distributed": ("training.distributed",),
    "evaluation": ("pretraining.mlm_evaluation", "pretraining.nsp_evaluation"),
    "fast": ("pretraining.fused", "pretraining.fused_layer", "training.memory"),
    "files": ("hub.atomic_io",),
    "filling": ("inference.fill_mask",),
    "heads": ("heads.pretraining",),
    "held_out": ("pretraining.validation",),
    "inspection": ("inference.model_cost",),
    "interpretability": ("inference.interpretability", "inference.probes"),
    "model": ("attention",),
    "optim": ("training.optim",),
    "pre_norm": ("hub.roberta_prelayernorm",),
    "resume": ("pretraining.checkpointing",),
    "sentence": ("inference.sentence_embeddings",),
    "summarization.documents": ("summarization.documents.windows",),
    "summarization.original": ("summarization.convert.original",),
    "summarization.packaged": ("summarization.head_store",),
    "summarization.reading": ("summarization.documents.reading",),
    "training": (
        "pretraining.trainer",
        "pretraining.options",
        "pretraining.batches",
        "training.precision",
    ),
    "weights": ("hub.safetensors_io",),
}

# Packages that were moved as a whole, with every module in them.
PACKAGES = ("clinic", "exercises", "figures")

# Modules that have the name of a function of the first edition. Calling the module calls it.
NAMESAKES = ("cli.main", "hub.find_pretrained")

# Old names of classes and functions, and their new names.
NAMES = {
    "FastLayer": "FusedLayer",
    "FastPreTraining": "FusedPreTraining",
    "HeldOut": "ValidationSet",
    "HeldOutScores": "ValidationScores",
    "MaskedWordHead": "MaskedLMHead",
    "MaskedWordScores": "MLMScores",
    "MixedRows": "MixedSequences",
    "NextSentenceScores": "NSPScores",
    "PackedRows": "PackedSequences",
    "PairRows": "PairSequences",
    "TextRows": "TextSequences",
    "evaluate_masked_words": "evaluate_mlm",
    "evaluate_next_sentence": "evaluate_nsp",
    "make_rows": "make_sequences",
    "part_like": "shard_like",
    "replace_file": "write_atomically",
    "schedule": "learning_rate_schedule",
    "whole_model": "full_model",
}


def install() -> None:
    """Makes the old import paths work in this process; a second call changes nothing."""
    if not any(isinstance(finder, _OldNamesFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _OldNamesFinder())


def _new_places(old: str) -> tuple[str, ...]:
    """The modules that define the names of an old module now, without `minibert.`; () if none."""
    if old.partition(".")[0] in PACKAGES:
        return (f"course.{old}",)
    return MODULES.get(old, ())


def _warn(old: str, new: str) -> None:
    message = f"{old} is a name of the first edition of this course: write {new}"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


def _give_old_names(module: ModuleType, places: tuple[str, ...]) -> None:
    """Makes `module` look up names that it does not define in the modules `places`."""
    own_lookup = vars(module).get("__getattr__")
    submodules = {found.name for found in pkgutil.iter_modules(getattr(module, "__path__", ()))}

    def lookup(name: str) -> Any:
        if own_lookup is not None:
            with contextlib.suppress(AttributeError):
                return own_lookup(name)
        if not name.startswith("__") and name not in submodules:
            new_name = NAMES.get(name, name)
            for place in places:
                home = importlib.import_module(f"minibert.{place}")
                if new_name in vars(home):
                    _warn(f"{module.__name__}.{name}", f"{home.__name__}.{new_name}")
                    value = vars(module)[name] = vars(home)[new_name]
                    return value
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    module.__getattr__ = lookup  # type: ignore[method-assign]


class _Namesake(ModuleType):
    """A module that can be called like the function of the same name that it defines."""

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        name = self.__name__.rpartition(".")[2]
        _warn(f"{self.__name__} as a function", f"{self.__name__}.{name}")
        return vars(self)[name](*inputs, **named)


class _OldNamesLoader(Loader):
    """Runs the module that is at the old path today, if any, and adds the old names to it."""

    def __init__(self, old: str, today: Loader | None) -> None:
        self.old, self.today = old, today

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.today.create_module(spec) if self.today else None

    def exec_module(self, module: ModuleType) -> None:
        if self.today:
            self.today.exec_module(module)
        if self.old in NAMESAKES:
            module.__class__ = _Namesake
        if places := _new_places(self.old):
            _give_old_names(module, places)

    def __getattr__(self, name: str) -> Any:
        """Delegates get_source, get_data and similar methods to today's loader."""
        if name == "today" or self.today is None:
            raise AttributeError(name)
        return getattr(self.today, name)


class _OldNamesFinder(MetaPathFinder):
    """Finds old modules, and today's modules that have taken over an old module's path."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, old = fullname.partition(".")
        if package != "minibert" or not (_new_places(old) or old in NAMESAKES):
            return None
        if old.partition(".")[0] in PACKAGES:
            if importlib.util.find_spec(f"minibert.course.{old}") is None:
                return None
        elif (today := PathFinder.find_spec(fullname, path)) is not None:
            today.loader = _OldNamesLoader(old, today.loader)
            return today
        return ModuleSpec(fullname, _OldNamesLoader(old, None), is_package=True)
