"""A run on disk: checkpoints that are whole or not there at all, and the way back into the run."""

import dataclasses
import json
import os
import secrets
import shutil
from pathlib import Path

import torch

from minibert.checkpoint import save_pretrained
from minibert.training import Pretraining, PretrainingOptions
from minibert.weights import read_weights, write_weights, read_tensors

KEPT = 2        # checkpoints: the newest, and one more in case of a damaged disk


def save_checkpoint(run: Pretraining, folder: str | Path) -> Path:
    """Write a run's state to folder/step-00000123: model, optimisers, options. Returns that path.

    The state is written aside, forced to the disk and renamed once: whatever happens on the way, a checkpoint that has
    its name is whole, and the one before it stays. Raises a ValueError where it cannot be written (a full disk).
    """
    folder = Path(folder)
    final = folder / f"step-{run.step:08d}"
    writing = folder / f".writing-{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for leftover in folder.glob(".writing-*"):              # of a process that was killed
            shutil.rmtree(leftover, ignore_errors=True)
        save_pretrained(run.model, writing, run.batches.tokenizer)
        write_weights(optimizer_tensors(run), writing / "optimizer.safetensors")
        state = {"step": run.step, "options": dataclasses.asdict(run.options), "corpus": run.batches.rows.corpus.checksum}
        with open(writing / "training.json", "w", encoding="utf-8") as file:
            json.dump(state, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        if final.exists():
            shutil.rmtree(final)
        os.rename(writing, final)
        _fsync_folder(folder)
    except OSError as error:
        shutil.rmtree(writing, ignore_errors=True)
        raise ValueError(f"cannot write the checkpoint {final}: {error.strerror or error}") from error
    for old in checkpoints(folder)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return final


def checkpoints(folder: str | Path) -> list[Path]:
    """The checkpoints of a run, the newest last."""
    return sorted(path for path in Path(folder).glob("step-*") if (path / "training.json").is_file())


def optimizer_tensors(run: Pretraining) -> dict[str, torch.Tensor]:
    """The state of all optimisers, each tensor under 'parameter name/what it is'."""
    names = {parameter: name for name, parameter in run.model.named_parameters()}
    return {f"{names[parameter]}/{key}": torch.as_tensor(value)
            for optimizer in run.optimizers for parameter, state in optimizer.state.items() for key, value in state.items()}


def load_optimizers(run: Pretraining, tensors: dict[str, torch.Tensor]) -> None:
    """Put back what `optimizer_tensors` gave."""
    parameters = dict(run.model.named_parameters())
    owner = {parameter: optimizer for optimizer in run.optimizers for group in optimizer.param_groups for parameter in group["params"]}
    for place, tensor in tensors.items():
        name, key = place.rsplit("/", 1)
        parameter = parameters[name]
        owner[parameter].state[parameter][key] = tensor.to(parameter.device) if tensor.dim() else tensor.clone()


def load_checkpoint(run: Pretraining, checkpoint: str | Path) -> None:
    """Put a run where a checkpoint left it."""
    checkpoint = Path(checkpoint)
    state = json.loads((checkpoint / "training.json").read_text(encoding="utf-8"))
    run.model.load_state_dict(read_tensors(checkpoint / "model.safetensors"))
    load_optimizers(run, read_tensors(checkpoint / "optimizer.safetensors"))
    run.step = state["step"]


def _fsync_folder(folder: Path) -> None:
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
