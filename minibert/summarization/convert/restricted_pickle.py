"""The tensors and options in a checkpoint that `torch.save` wrote, without running its pickle.

A pickle is a program: opening one with `pickle.load` runs whatever its author wrote. Here nothing
that the file names is imported or called. The few functions below rebuild dictionaries and tensors;
everything else (the options, the optimizer, any class or function) becomes an `Inert`, which does
nothing.

`torch.load(weights_only=True)` is no replacement. It refuses a file that names an unknown class,
and every checkpoint of BertSum holds an optimizer of the class `models.optimizers.Optimizer`.
"""

import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple

import torch
from torch import Tensor

from minibert.config import InputError


def read_original(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read the tensors of 'model' and the options of 'opt' from a file that `torch.save` wrote, in
    the zip format or the older one.

    Raises a ValueError if the file cannot be read or holds something else.
    """
    try:
        with open(path, "rb") as file:
            content, read = (_read_zip if file.read(4) == b"PK\3\4" else _read_legacy)(file)
            if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
                found = (
                    sorted(map(str, content))[:5]
                    if isinstance(content, dict)
                    else type(content).__name__
                )
                raise InputError(
                    "wanted is a dictionary with 'model', a dictionary of tensors, and perhaps "
                    f"'opt'; found {found}"
                )
            tensors = {
                name: _tensor(name, record, read) for name, record in content["model"].items()
            }
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except Exception as error:  # a broken pickle can raise anything
        raise InputError(
            f"{path} is no checkpoint of BertSum: {error or type(error).__name__}"
        ) from error
    options = content.get("opt")
    return tensors, options.state if isinstance(options, Inert) and isinstance(
        options.state, dict
    ) else {}


class Storage(NamedTuple):
    """A storage of tensor values in the file."""

    key: str
    dtype: torch.dtype
    length: int  # numbers

    @property
    def size(self) -> int:
        """Bytes."""
        return self.length * self.dtype.itemsize


class TensorRecord(NamedTuple):
    """A tensor whose values have not been read yet."""

    storage: Storage
    offset: int  # numbers
    size: tuple[int, ...]
    stride: tuple[int, ...]


class Inert:
    """A stand-in for any class, function or object: it can be created, called, filled and given a
    state, and does nothing."""

    state: Any = None

    def __new__(cls, *args: Any, **options: Any) -> "Inert":
        return super().__new__(cls)

    def __init__(self, *args: Any, **options: Any) -> None:
        pass

    def __call__(self, *args: Any, **options: Any) -> "Inert":
        return self

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def _ignore(self, value: Any) -> None:
        pass

    append = extend = add = _ignore


class Names(dict[Any, Any]):
    """A stand-in for an OrderedDict that drops any attributes."""

    def __setstate__(self, state: Any) -> None:
        pass


MAGIC = 0x1950A86A20F9469CFC6C  # the magic number of the older format
STORAGES = {
    "FloatStorage": torch.float32,
    "DoubleStorage": torch.float64,
    "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16,
    "LongStorage": torch.int64,
    "IntStorage": torch.int32,
    "ShortStorage": torch.int16,
    "CharStorage": torch.int8,
    "ByteStorage": torch.uint8,
    "BoolStorage": torch.bool,
}
STAND_INS = {
    ("collections", "OrderedDict"): Names,
    ("torch._utils", "_rebuild_tensor"): lambda *arguments: TensorRecord(*arguments),
    ("torch._utils", "_rebuild_tensor_v2"): lambda *arguments: TensorRecord(*arguments[:4]),
    ("torch._utils", "_rebuild_parameter"): lambda *arguments: arguments[0],
}


class RestrictedUnpickler(pickle.Unpickler):
    """Runs a pickle without ever looking for what it names: see `STAND_INS`; all else is `Inert`.
    `storages` are those that it refers to."""

    def __init__(self, file: IO[bytes]):
        super().__init__(file, encoding="utf-8")
        self.storages: dict[str, Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        if module in ("torch", "torch.cuda") and name in STORAGES:
            return STORAGES[name]
        return STAND_INS.get((module, name), Inert)

    def persistent_load(self, pid: Any) -> Storage:
        kind, dtype, key, _, length, *view = pid  # the fourth: on which device it was
        if kind != "storage" or not isinstance(dtype, torch.dtype) or any(view):
            raise InputError(f"it refers to {kind!r} {key!r}, which is no plain storage of numbers")
        return self.storages.setdefault(key, Storage(key, dtype, length))


def _read_zip(file: BinaryIO) -> tuple[object, Callable[[Storage], bytes]]:
    """As written since PyTorch 1.6: FOLDER/data.pkl, and FOLDER/data/KEY for every storage."""
    archive = zipfile.ZipFile(file)
    pickles = [name for name in archive.namelist() if name.endswith("/data.pkl")]
    if len(pickles) != 1:
        raise InputError(f"it is a zip file with {len(pickles)} times data.pkl in it, not once")
    folder = pickles[0].removesuffix("data.pkl")
    if (
        f"{folder}byteorder" in archive.namelist()
        and archive.read(f"{folder}byteorder") != b"little"
    ):
        raise InputError("its numbers are stored with the highest byte first")
    with archive.open(pickles[0]) as data:
        content = RestrictedUnpickler(data).load()
    return content, lambda storage: archive.read(f"{folder}data/{storage.key}")


def _read_legacy(file: BinaryIO) -> tuple[object, Callable[[Storage], bytes]]:
    """As written before: five pickles (a number, a version, the machine, the content, the keys of
    the storages), then for each key a length and its numbers."""
    file.seek(0)
    if RestrictedUnpickler(file).load() != MAGIC:
        raise InputError("torch.save did not write it")
    for _ in ("version", "machine"):
        RestrictedUnpickler(file).load()
    content = RestrictedUnpickler(file)
    found = content.load()
    places = {}  # bytes from the start of the file
    for key in RestrictedUnpickler(file).load():
        places[key] = file.tell() + 8
        file.seek(places[key] + content.storages[key].size)

    def read(storage: Storage) -> bytes:
        file.seek(places[storage.key])
        return file.read(storage.size)

    return found, read


def _tensor(name: object, record: object, read: Callable[[Storage], bytes]) -> Tensor:
    if not isinstance(name, str) or not isinstance(record, TensorRecord):
        raise InputError(f"{name!r} in 'model' is no tensor")
    data = read(record.storage)
    if len(data) != record.storage.size:
        raise InputError(
            f"{name} should have {record.storage.size} bytes, but the file holds {len(data)} of "
            "them"
        )
    return (
        torch.frombuffer(bytearray(data), dtype=record.storage.dtype)
        .as_strided(record.size, record.stride, record.offset)
        .clone()
    )
