"""What may change the last bits of a run: the code, the machine, the versions of libraries."""

import hashlib
import platform
from pathlib import Path
from typing import Any, Protocol

import numpy
import tokenizers
import torch

import minibert
from minibert.training.distributed import ProcessGroup

# The files and folders of the package that decide the numbers of a run; no other command, nothing
# of the course.
DECIDING = (
    "attention.py",
    "config.py",
    "data",
    "embeddings.py",
    "encoder.py",
    "heads",
    "hub",
    "model.py",
    "positions.py",
    "pretraining",
    "tokenization.py",
    "training",
)
PACKAGE = Path(__file__).parents[1]


class ComputingRun(Protocol):
    """What is asked about a run: `Pretraining` is such a run."""

    processes: ProcessGroup

    @property
    def device(self) -> torch.device:
        """Where it computes."""

    @property
    def precision(self) -> torch.dtype:
        """In which dtype."""


def environment(run: ComputingRun, also: tuple[str, ...] = ()) -> dict[str, Any]:
    """What run.json says about a session: two sessions that agree in it compute the same bits.

    `also` names more files and folders of the package that decide the numbers of this kind of run.
    """
    return {
        "processes": run.processes.world,
        "device": run.device.type,
        "threads": torch.get_num_threads(),
        "precision": str(run.precision).removeprefix("torch."),
        "code": code_digest(also=also),
        "versions": {
            "minibert": minibert.__version__,
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": numpy.__version__,
            "tokenizers": tokenizers.__version__,
        },
    }


def deciding_files(package: Path = PACKAGE, also: tuple[str, ...] = ()) -> list[Path]:
    """The source files that decide the numbers of a run."""
    found: list[Path] = []
    for name in (*DECIDING, *also):
        path = package / name
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return found


def code_digest(package: Path = PACKAGE, also: tuple[str, ...] = ()) -> str:
    """A sha256 over the source files that decide the numbers of a run."""
    digest = hashlib.sha256()
    for path in deciding_files(package, also):
        digest.update(path.read_bytes())
    return digest.hexdigest()
