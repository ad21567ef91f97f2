"""Passages and their vectors, kept between searches.

One safetensors file for every file that was read, in `$XDG_CACHE_HOME/minibert/search` (by default
`~/.cache`), in a folder for the model and the version of minibert. It is named after the sha256 of
the file's content, so it can never be out of date, and a file that moves keeps its vectors. It
holds the vectors as a tensor and the passages as JSON, and no code. It is written atomically.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from minibert import __version__
from minibert.config import InputError
from minibert.hub.atomic_io import ctrl_c_afterwards, replacing, sha256
from minibert.hub.find_pretrained import expanded, named_folder

# What of a model's folder decides about its vectors.
MODEL_FILES = ("config.json", "vocab.txt", "tokenizer.json", "tokenizer_config.json")
VECTORS, PASSAGES = "vectors", "passages"


@dataclass(frozen=True)
class Passage:
    """A few sentences of a file, and the lines on which they begin and end, counted from 1."""

    text: str
    line: int
    end_line: int


class PassageCache:
    """The kept passages of one model.

    Nothing here raises: what cannot be read or written is said in `notes`, and is made anew.
    """

    def __init__(self, model_folder: Path, root: Path | None = None) -> None:
        """model_folder: of the model that makes the vectors; root: `cache_root()` by default."""
        self.notes: list[str] = []
        self.folder: Path | None = None  # nothing is kept
        try:
            self.folder = (root or cache_root()) / f"{__version__}-{_digest(model_folder)}"
        except InputError as error:
            self.notes.append(str(error))

    def read(self, key: str, path: Path, size: int) -> tuple[list[Passage], Tensor] | None:
        """The passages of the file with this key and their vectors (P × H); None if they are not
        there. `path` is the file, for the note about a damaged entry; `size` is H."""
        if self.folder is None:
            return None
        kept = self.folder / f"{key}.safetensors"
        try:
            if not kept.is_file():
                return None
            with ctrl_c_afterwards(), safe_open(kept, framework="pt") as file:
                vectors: Tensor = file.get_tensor(VECTORS)
                entries = json.loads((file.metadata() or {})[PASSAGES])
            passages = [Passage(**entry) for entry in entries]
            wrong = vectors.shape != (len(passages), size) or vectors.dtype != torch.float32
            if wrong or not passages or not all(map(_is, passages)) or not _are_unit(vectors):
                raise ValueError("its parts do not fit together")
        except OSError:  # `write` says why
            return None
        except (SafetensorError, ValueError, KeyError, TypeError, RecursionError):
            self.notes.append(f"the kept vectors of {path} are damaged: made anew")
            return None
        return passages, vectors

    def write(self, key: str, passages: list[Passage], vectors: Tensor) -> None:
        """Keep the passages of a file and their vectors [P, H]."""
        if self.folder is None:
            return
        kept = self.folder / f"{key}.safetensors"
        about = {PASSAGES: json.dumps([asdict(passage) for passage in passages])}
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # it holds what you wrote
            if kept.is_symlink():  # what it names is no file of this cache
                kept.unlink()
            with replacing(kept) as writing:
                save_file({VECTORS: vectors.float().contiguous()}, writing, metadata=about)
        except (SafetensorError, OSError) as error:
            note = f"the vectors cannot be kept in {self.folder}: {error}"
            if note.split(":")[0] not in {other.split(":")[0] for other in self.notes}:
                self.notes.append(note)


def cache_root() -> Path:
    """The folder of all kept vectors. Raises an InputError if there is no home folder for it."""
    try:
        base = named_folder("XDG_CACHE_HOME") or expanded("~/.cache")
    except InputError as error:
        raise InputError(
            "there is no home folder to keep vectors in: name a folder in the environment variable "
            "XDG_CACHE_HOME, or keep none (--no-cache)"
        ) from error
    return base / "minibert" / "search"


def _digest(model_folder: Path) -> str:
    """What tells a model, its tokenizer and its weights, from another."""
    files = [model_folder / name for name in MODEL_FILES]
    files += sorted(model_folder.glob("*.safetensors"))
    both = "\n".join(f"{file.name} {sha256(file)}" for file in files if file.is_file())
    return hashlib.sha256(both.encode()).hexdigest()


def _is(passage: Passage) -> bool:
    """Whether what was read from JSON has the types that a Passage has."""
    lines = (passage.line, passage.end_line)
    is_text = isinstance(passage.text, str) and bool(passage.text.strip())
    return is_text and all(type(line) is int for line in lines) and 1 <= lines[0] <= lines[1]


def _are_unit(vectors: Tensor) -> bool:
    """Whether all lengths are 1, but for rounding in any number format; not of NaN."""
    return bool(((vectors.norm(dim=-1) - 1).abs() < 0.01).all())
