"""A teacher's vectors of all texts: computed once, in chunks, and reduced to the student's size."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor
from tqdm.auto import tqdm

from minibert.config import InputError
from minibert.hub.atomic_io import replacing, sha256
from minibert.hub.find_pretrained import find_pretrained
from minibert.hub.safetensors_io import read_tensors, write_weights
from minibert.inference.checks import unknown_words_ignored
from minibert.inference.sentence_embeddings import embed, open_encoder
from minibert.pretraining.run_dir import RunFolder
from minibert.pretraining.session import LINE_EVERY
from minibert.training.precision import choose_precision

CHUNK = 2048  # texts in a file: what a kill costs at most
FOLDER, VECTORS, PROJECTION, KEPT = "teacher", "vectors", "projection", "kept"
AGAIN = "delete it, and --resume makes it again"


@dataclass(frozen=True)
class Targets:
    """What the student's vectors are to become."""

    vectors: Tensor  # [N, T] float16, the teacher's vectors of length 1
    projection: Tensor  # [T, H] float32, from the teacher's size to the student's
    kept: float  # share of the squared length that the projection keeps, on the texts of the PCA

    @property
    def dimensions(self) -> int:
        """Dimensions of the targets that are not always 0."""
        return int(self.projection.any(dim=0).sum())

    def reduced(self) -> Tensor:
        """The projected vectors of all texts, as long as the projection leaves them: [N, H]."""
        return torch.cat(
            [part.float() @ self.projection for part in self.vectors.split(CHUNK)]
        )  # [N, H]

    def rows(self, indices: Sequence[int]) -> Tensor:
        """The targets of some texts, of length 1: [B, H]."""
        chosen = self.vectors[torch.as_tensor(indices)].float()  # [B, T]
        return F.normalize(chosen @ self.projection, dim=-1)  # [B, H]


def fit_projection(vectors: Tensor, size: int, empty: int = 0) -> tuple[Tensor, float]:
    """The projection of vectors [N, T] that keeps most of their squared length -> [T, size].

    Its last `empty` columns are 0.

    Principal components without centring: the eigenvectors of the largest eigenvalues of XᵀX, which
    are the first right singular vectors of X (Eckart & Young 1936). Because nothing is subtracted,
    the cosines of the projected vectors approximate the cosines of the vectors. With a size of T or
    more nothing is lost: the vectors stay as they are, with zeros appended.

    Returns the projection, float32, and the share of the squared length that it keeps.
    """
    width, used = vectors.size(1), size - empty
    if used >= width:
        return torch.eye(width, size), 1.0  # [T, size]
    exact = vectors.double()  # [N, T]
    values, directions = torch.linalg.eigh(exact.T @ exact)  # [T], [T, T]; ascending
    projection = torch.zeros(width, size)  # [T, size]
    projection[:, :used] = directions.flip(1)[:, :used]
    return projection, float(values.flip(0)[:used].sum() / values.sum())


def make_targets(
    run_dir: RunFolder,
    texts: Sequence[str],
    teacher: str,
    size: int,
    pca_texts: int,
    device: torch.device | str,
    stopped: Callable[[], bool],
    empty: int = 0,
) -> Targets | None:
    """The targets of all texts, in their order; None where `stopped` became true before the end.

    They have `size` dimensions, of which the last `empty` are 0.

    The teacher's vectors are written to the folder `teacher` of the run, in chunks. Those that are
    there already are read, so a run that was stopped goes on where it was.

    Raises an InputError where a file of the folder is not what was written there, or the teacher is
    not the one that the run began with.
    """
    folder = run_dir.path / FOLDER
    if not folder.is_dir():
        folder.mkdir()
        run_dir.made.append(folder)
    if not _compute_missing(run_dir, folder, texts, teacher, device, stopped):
        return None
    parts, width = list[Tensor](), None
    for part in _chunks(texts):
        shape = {VECTORS: (len(part), width)}
        parts.append(_read(run_dir, _path(folder, part), shape, torch.float16)[VECTORS])  # [C, T]
        width = parts[0].size(1)
    vectors = torch.cat(parts)  # [N, T]
    path = folder / f"{PROJECTION}.safetensors"
    if not path.is_file():
        projection, kept = fit_projection(vectors[:pca_texts].float(), size, empty)
        _write(path, {PROJECTION: projection, KEPT: torch.tensor(kept)})
    tensors = _read(run_dir, path, {PROJECTION: (width, size), KEPT: ()}, torch.float32)
    run_dir.write_record()
    return Targets(vectors, tensors[PROJECTION], float(tensors[KEPT]))


def _chunks(texts: Sequence[str]) -> list[range]:
    return [range(start, min(start + CHUNK, len(texts))) for start in range(0, len(texts), CHUNK)]


def _path(folder: Path, part: range) -> Path:
    return folder / f"{VECTORS}-{part.start // CHUNK:05d}.safetensors"


def _compute_missing(
    run_dir: RunFolder,
    folder: Path,
    texts: Sequence[str],
    teacher: str,
    device: torch.device | str,
    stopped: Callable[[], bool],
) -> bool:
    """Write the chunks that are not there; whether all of them are there in the end."""
    for leftover in folder.glob(".*.safetensors"):  # of a process that was killed
        leftover.unlink()
    missing = [part for part in _chunks(texts) if not _path(folder, part).is_file()]
    if not missing:
        return True
    found = find_pretrained(teacher)
    weights = found / "model.safetensors"
    digest = sha256(weights) if weights.is_file() else None  # None: shards
    if run_dir.remember("teacher", lambda: digest) != digest:
        raise InputError(
            f"{found} is not the teacher that this run began with: its weights have changed"
        )
    model, tokenizer = open_encoder(found)
    model.to(device)
    dtype = choose_precision("auto", torch.device(device))
    with _Progress(len(texts), done=len(texts) - sum(map(len, missing))) as progress:
        for part in missing:
            if stopped():
                return False
            with unknown_words_ignored():
                vectors = embed(model, tokenizer, [texts[i] for i in part], dtype=dtype)  # [C, T]
            _write(_path(folder, part), {VECTORS: vectors.half().cpu()})
            progress.add(len(part))
    return True


def _read(
    run_dir: RunFolder, path: Path, shapes: Mapping[str, tuple[int | None, ...]], dtype: torch.dtype
) -> dict[str, Tensor]:
    """The tensors of a file, which have these shapes; None is any size."""
    try:
        tensors = read_tensors(path)
        for name, shape in shapes.items():
            found = tensors[name]
            fits = found.dim() == len(shape) and all(
                wanted in (None, size) for size, wanted in zip(found.shape, shape, strict=True)
            )
            if not fits:
                wanted = " × ".join("any" if size is None else str(size) for size in shape)
                raise InputError(
                    f"{path} holds {name} of shape {list(found.shape)}, "
                    f"expected {wanted or 'one number'}"
                )
            if found.dtype != dtype or not found.isfinite().all():
                raise InputError(f"{path} holds {name} that are not finite numbers of {dtype}")
    except KeyError as error:
        raise InputError(f"{path} holds no {error.args[0]} ({AGAIN})") from error
    except InputError as error:
        raise InputError(f"{error} ({AGAIN})") from error
    run_dir.check_digest(f"{FOLDER}/{path.name}", sha256(path))
    return tensors


def _write(path: Path, tensors: dict[str, Tensor]) -> None:
    with replacing(path, follow=False) as writing:
        write_weights(tensors, writing)


class _Progress:
    """A progress bar, or lines where there is no terminal."""

    def __init__(self, total: int, done: int) -> None:
        self.total, self.done = total, done
        self.first, self.started = done, time.monotonic()
        self.last_line = self.started
        self.bar = tqdm(
            total=total,
            initial=done,
            disable=None,
            unit=" texts",
            desc="teacher's vectors",
            dynamic_ncols=True,
        )

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def add(self, texts: int) -> None:
        """Count texts that are done."""
        self.done += texts
        self.bar.update(texts)
        now = time.monotonic()
        if self.bar.disable and (now - self.last_line >= LINE_EVERY or self.done == self.total):
            self.last_line = now
            speed = (self.done - self.first) / max(now - self.started, 1e-9)
            left = tqdm.format_interval((self.total - self.done) / speed)
            print(
                f"teacher's vectors: {self.done:,} of {self.total:,} texts, {speed:,.0f} texts/s, "
                f"{left} left",
                flush=True,
            )
