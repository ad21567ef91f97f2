"""A run on disk: checkpoints that are written atomically, and the way back into the run."""

import dataclasses
import hashlib
import json
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor
from torch.optim import Optimizer

from minibert.config import BertConfig, InputError, read_json_file
from minibert.hub.atomic_io import remove_leftovers, sha256, sync
from minibert.hub.pretrained_io import ModelFolder, canonical_names, save_pretrained
from minibert.hub.safetensors_io import read_tensors, write_weights
from minibert.model import BertModel, BertPreTrainedModel
from minibert.pretraining.options import with_new_names
from minibert.tokenization import WordPieceTokenizer
from minibert.training.distributed import ProcessGroup, full_model, full_tensor, shard_like

KEPT = 2  # checkpoints: the newest, and one more in case of a damaged disk
MODEL, OPTIMIZER, STATE = "model.safetensors", "optimizer.safetensors", "training.json"
NAME = re.compile(r"step-(\d{8,})")  # a copy under another name is no checkpoint of the run
LEFT_FOLDER = re.compile(r"\.(writing|discarded)-[0-9a-f]{8}")  # of a process that was killed


class CheckpointedRun(Protocol):
    """What a checkpoint is made of: `Pretraining` is such a run."""

    step: int  # updates done
    processes: ProcessGroup

    @property
    def model(self) -> BertPreTrainedModel:
        """The model that is trained."""

    @property
    def optimizers(self) -> list[Optimizer]:
        """Its optimisers."""

    @property
    def options(self) -> Any:
        """The recipe, a dataclass."""

    @property
    def batches(self) -> Any:
        """What it trains on: `tokenizer`, and `corpus` with `path` and `checksum`."""


class DamagedCheckpoint(InputError):
    """A checkpoint that does not hold what was written."""


# -- writing ---------------------------------------------------------------------------------------


def save_checkpoint(run: CheckpointedRun, folder: str | Path) -> Path:
    """Write a run's state to folder/step-00000123: model, optimisers, options. Returns that path.

    The state is written to a temporary folder, flushed to the disk and renamed once: a checkpoint
    that has its name is whole, and the one before it stays. Raises an InputError where it cannot be
    written (a full disk). All processes must call it, because each may hold a part of the state;
    the first one writes.
    """
    folder = Path(folder)
    final = folder / f"step-{run.step:08d}"
    model, moments = full_model(run.model), optimizer_tensors(run)
    if run.processes.rank > 0:
        return final
    writing = folder / f".writing-{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder, folders=LEFT_FOLDER)
        writing.mkdir()
        _write(run, model, moments, writing)
        if final.exists():
            if (
                damage(final) is None
                and (final / STATE).read_bytes() == (writing / STATE).read_bytes()
            ):
                return final  # the very same state: a run that was resumed and stopped at once
            _discard(final)
        os.rename(writing, final)
        sync(folder)
        others = [checkpoint for checkpoint in checkpoints(folder) if checkpoint != final]
        for old in others[: 1 - KEPT]:
            _discard(old)
    except (OSError, ValueError) as error:
        reason = (
            (error.__cause__ or error) if isinstance(error, ValueError) else error
        )  # what save_pretrained wrapped
        raise InputError(
            f"cannot write the checkpoint {final}: {getattr(reason, 'strerror', None) or reason}"
        ) from error
    finally:
        shutil.rmtree(writing, ignore_errors=True)
    return final


def _write(
    run: CheckpointedRun, model: BertPreTrainedModel, moments: dict[str, Tensor], folder: Path
) -> None:
    save_pretrained(model, folder, run.batches.tokenizer)
    write_weights(moments, folder / OPTIMIZER)
    state = {
        "step": run.step,
        "options": dataclasses.asdict(run.options),
        "corpus": run.batches.corpus.checksum,
        "files": {path.name: sha256(path) for path in sorted(folder.iterdir())},
    }
    (folder / STATE).write_text(
        json.dumps(state | {"digest": _digest(state)}, indent=2), encoding="utf-8"
    )
    for path in (*folder.iterdir(), folder):
        sync(path)


def _discard(checkpoint: Path) -> None:
    """Take away a checkpoint's name first, so that a half deleted one is never taken for whole."""
    renamed = checkpoint.with_name(f".discarded-{secrets.token_hex(4)}")
    os.rename(checkpoint, renamed)
    shutil.rmtree(renamed, ignore_errors=True)


def _digest(state: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def optimizer_tensors(run: CheckpointedRun) -> dict[str, Tensor]:
    """The state of all optimisers, each tensor under 'parameter name/what it is'."""
    names: dict[Tensor, str] = {parameter: name for name, parameter in run.model.named_parameters()}
    return {
        f"{names[parameter]}/{key}": full_tensor(torch.as_tensor(value))
        for optimizer in run.optimizers
        for parameter, state in optimizer.state.items()
        for key, value in state.items()
    }


# -- reading ---------------------------------------------------------------------------------------


def checkpoints(folder: str | Path) -> list[Path]:
    """The checkpoints of a run, by their steps: the newest last."""
    found = [
        (int(match[1]), path)
        for path in Path(folder).glob("step-*")
        if (match := NAME.fullmatch(path.name)) and path.is_dir()
    ]
    return [path for _, path in sorted(found)]


def resume_newest(run: CheckpointedRun, folder: str | Path) -> tuple[Path, list[str]]:
    """Restore a run from its newest good checkpoint; returns that, and a complaint per damaged one.

    A damaged checkpoint is renamed to damaged-step-…, and the one before it is used. Raises an
    InputError when none is left, and when the checkpoint is that of another run (see
    `load_checkpoint`): then nothing is renamed or changed.
    """
    complaints = []
    for checkpoint in reversed(checkpoints(folder)):
        try:
            load_checkpoint(run, checkpoint)
        except DamagedCheckpoint as error:
            complaints.append(str(error))
            continue
        for damaged in (
            checkpoints(folder)[-len(complaints) :]
            if complaints and run.processes.rank == 0
            else ()
        ):
            os.rename(damaged, damaged.with_name(f"damaged-{damaged.name}-{secrets.token_hex(2)}"))
        return checkpoint, complaints
    raise InputError("; ".join([f"no checkpoint in {folder} can be used", *complaints]))


def load_checkpoint(run: CheckpointedRun, checkpoint: str | Path) -> None:
    """Restore a run from a checkpoint.

    Raises a DamagedCheckpoint when a file is missing, cut short or changed, and another InputError
    when the checkpoint belongs to a run with another config, vocabulary, corpus or other options.
    """
    checkpoint = Path(checkpoint)
    if problem := damage(checkpoint):
        raise DamagedCheckpoint(f"the checkpoint {checkpoint} is damaged: {problem}")
    try:
        state = _read_state(checkpoint)
        folder = ModelFolder.find(checkpoint)
        tokenizer = WordPieceTokenizer.from_pretrained(checkpoint)
        weights, moments = (
            canonical_names(read_tensors(checkpoint / MODEL), folder),
            read_tensors(checkpoint / OPTIMIZER),
        )
    except (ValueError, KeyError) as error:
        raise DamagedCheckpoint(f"the checkpoint {checkpoint} is damaged: {error}") from error
    _check_same_run(run, checkpoint, state, folder.config, tokenizer)
    prefix = "bert." if isinstance(run.model, BertModel) else ""  # canonical, but not its own
    try:
        own = run.model.state_dict()
        names = {name: name.removeprefix(prefix) for name in weights}
        run.model.load_state_dict(
            {names[name]: shard_like(tensor, own[names[name]]) for name, tensor in weights.items()}
        )
        load_optimizers(run, moments)
    except (RuntimeError, KeyError) as error:
        raise InputError(f"the checkpoint {checkpoint} does not fit the model: {error}") from error
    run.step = state["step"]


def damage(checkpoint: Path) -> str | None:
    """What is wrong with a checkpoint's files, None if they are as they were written."""
    try:
        state = _read_state(checkpoint)
        if (match := NAME.fullmatch(checkpoint.name)) and int(match[1]) != state["step"]:
            return f"its step is {state['step']}, not that of its name"
        if "digest" in state and state["digest"] != _digest(
            {key: value for key, value in state.items() if key != "digest"}
        ):
            return f"{STATE} is not as it was written"
        for name in (MODEL, OPTIMIZER, *state.get("files", ())):
            if not (checkpoint / name).is_file():
                return f"{name} is missing"
        for name, digest in state.get("files", {}).items():
            if sha256(checkpoint / name) != digest:
                return f"{name} is not as it was written"
    except (ValueError, FileNotFoundError) as error:
        return f"{STATE} cannot be read ({error})"
    return None


def _read_state(checkpoint: Path) -> dict[str, Any]:
    state = read_json_file(checkpoint / STATE, "state")
    kinds = {"step": int, "options": dict, "files": dict}
    wrong = [name for name, kind in kinds.items() if not isinstance(state.get(name, kind()), kind)]
    wrong = wrong or [name for name in state.get("files", ()) if len(name.encode()) > 255]
    if wrong or not {"step", "options", "corpus"} <= state.keys():
        raise InputError("its step, options, corpus or files are missing or wrong")
    return state


def _check_same_run(
    run: CheckpointedRun,
    checkpoint: Path,
    state: dict[str, Any],
    config: BertConfig,
    tokenizer: WordPieceTokenizer,
) -> None:
    """Raise an InputError that names the first thing in which a checkpoint differs from a run."""
    defaults = {
        field.name: field.default for field in dataclasses.fields(run.options)
    }  # of options newer than the checkpoint
    for kind, found, wanted in (
        ("option", defaults | with_new_names(state["options"]), dataclasses.asdict(run.options)),
        ("config field", config.to_dict(), run.model.config.to_dict()),
    ):
        for name in found | wanted:
            if found.get(name) != wanted.get(name):
                raise InputError(
                    f"the checkpoint {checkpoint} is of another run: its {kind} {name} is "
                    f"{found.get(name)!r}, this run's is {wanted.get(name)!r}"
                )
    ours = run.batches.tokenizer
    if tokenizer.vocab != ours.vocab or tokenizer.lowercase != ours.lowercase:
        raise InputError(
            f"the checkpoint {checkpoint} is of another run: it has another vocabulary"
        )
    if state["corpus"] != run.batches.corpus.checksum:
        raise InputError(
            f"the checkpoint {checkpoint} is of another run: it was trained on another corpus than "
            f"{run.batches.corpus.path} "
            f"(checksum {state['corpus']}, this one has {run.batches.corpus.checksum})"
        )


def load_optimizers(run: CheckpointedRun, tensors: dict[str, Tensor]) -> None:
    """Put back what `optimizer_tensors` gave."""
    parameters = dict(run.model.named_parameters())
    owner = {
        parameter: (optimizer, group)
        for optimizer in run.optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    for optimizer in run.optimizers:
        optimizer.state.clear()
    for place, tensor in tensors.items():
        name, key = place.rsplit("/", 1)
        parameter = parameters[name]
        optimizer, group = owner[parameter]
        # AdamW's step counter stays on the CPU, except with the fused kernel; a copy, because what
        # was read may be a view of a file that a later checkpoint deletes
        on_device = tensor.dim() or group.get("fused")
        tensor = tensor.to(parameter.device if on_device else "cpu", copy=True)
        optimizer.state[parameter][key] = shard_like(tensor, parameter) if tensor.dim() else tensor
