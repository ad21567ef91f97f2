"""Read and write safetensors files, with error messages that name the file and the problem."""

import json
import os
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import load, save_file
from torch import Tensor, nn

from minibert.config import InputError, read_json_file
from minibert.hub.atomic_io import ctrl_c_afterwards
from minibert.hub.tokenizer_files import HALF

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")


def read_weights(folder: Path) -> dict[str, Tensor]:
    """Read all tensors of a saved model, by name.

    They are in model.safetensors, or in the shards that model.safetensors.index.json lists. Pickled
    files are never opened. Raises an InputError that names the file and what is wrong with it.
    """
    if (folder / SINGLE).is_file():
        return read_tensors(folder / SINGLE)
    if (folder / INDEX).is_file():
        return _read_shards(folder)
    pickled = sorted(path.name for pattern in PICKLES for path in folder.glob(pattern))
    if pickled:
        raise InputError(
            f"{folder} has no {SINGLE}, only {pickled[0]}. A pickled file can run any code "
            "when it is opened, so minibert never opens one. Save the model as safetensors with "
            "the program that wrote it "
            "(for a checkpoint of the original BertSum: minibert convert-bertsum)"
        )
    raise InputError(f"{folder} has no {SINGLE} and no {INDEX}, so there are no weights to read")


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """A model's tensors by name.

    torch.compile puts "_orig_mod." before the names inside what it wraps; here it is left out.
    """
    return {name.replace("_orig_mod.", ""): tensor for name, tensor in model.state_dict().items()}


def write_weights(tensors: dict[str, Tensor], path: Path) -> None:
    """Write tensors to a safetensors file and wait until they are on the disk.

    It gets the permissions that any new file gets, or keeps those of the file that is there. Raises
    an OSError if it cannot be written.
    """
    path.touch()
    mode = path.stat().st_mode
    try:
        save_file(
            {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()},
            path,
            metadata={"format": "pt"},
        )  # transformers refuses a file without this entry
    except SafetensorError as error:
        raise OSError(str(error)) from error
    path.chmod(mode)  # safetensors leaves a file that only its owner may read
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _read_shards(folder: Path) -> dict[str, Tensor]:
    try:
        shard_of = read_json_file(folder / INDEX, "index")["weight_map"]
        names = set(shard_of.values())
        misplaced = [name for name in names if not name or Path(name).name != name]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{folder / INDEX} is not a list of shards (a JSON object with 'weight_map': "
            f"{{tensor: file}})"
        ) from error
    if misplaced:
        raise InputError(f"{folder / INDEX} names a shard outside its folder: {misplaced[0]!r}")
    tensors: dict[str, Tensor] = {}
    for name in sorted(names):
        if not os.path.isfile(folder / name):  # unlike is_file, also for a name that is too long
            raise InputError(f"the shard {folder / name} is missing; {INDEX} lists it")
        tensors |= read_tensors(folder / name)
    absent = sorted(shard_of.keys() - tensors.keys())
    if absent:
        raise InputError(
            f"{folder / INDEX} lists {absent[0]} in {shard_of[absent[0]]}, but that file lacks it"
        )
    return tensors


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read all tensors of one safetensors file; raises an InputError if it is invalid."""
    try:
        with ctrl_c_afterwards():
            if HALF.search(str(path)):  # a name that is not UTF-8, which it does not open
                return load(path.read_bytes())
            with safe_open(path, framework="pt") as file:
                names = file.keys()
                return {name: file.get_tensor(name) for name in names}
    except (SafetensorError, OSError, ValueError) as error:
        raise InputError(
            f"{path} {_what_is_wrong(path) or f'cannot be read as safetensors: {error}'}"
        ) from error


def _what_is_wrong(path: Path) -> str | None:
    """Diagnose a file that the safetensors library refused; None if nothing is found.

    A valid file has the header's length in eight bytes, then a JSON header, then the tensors.
    """
    size = path.stat().st_size
    with open(path, "rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        header = file.read(length) if length <= size else b""
    if start[:2] == b"PK" or start[:1] == b"\x80":
        return "is a pickled PyTorch file with the wrong suffix; minibert never opens such files"
    if start == b"version ":
        return "is a Git LFS pointer, not the weights: fetch the real file with 'git lfs pull'"
    if size < 8:
        return f"is cut off: it has {size} bytes, fewer than a header needs"
    if length > size - 8:
        return (
            f"is not a safetensors file, or is cut off inside its header: it has {size} bytes, "
            f"but its first eight bytes specify a header of {length} bytes"
        )
    try:
        entries = json.loads(header)
        end = (
            8
            + length
            + max(
                entry["data_offsets"][1]
                for name, entry in entries.items()
                if name != "__metadata__"
            )
        )
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return (
            "is not a safetensors file: its header is not a JSON object with the tensors' names, "
            "types and positions"
        )
    if end > size:
        return f"is cut off: its header describes {end} bytes, the file has {size}"
    return None
