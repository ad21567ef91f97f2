"""The tensors and options in a checkpoint that `torch.save` wrote, without running its pickle.

A pickle is a program: opening one with `pickle.load` runs whatever its author wrote. Here nothing
that the file names is imported or called; `pickle_machine` runs the program. The few functions
below rebuild dictionaries and tensors; everything else (the options, the optimizer, any class or
function) becomes an `Inert`, which does nothing. Neither the time nor the memory that a file can
ask for is far above what an honest one of its length needs.

`torch.load(weights_only=True)` is no replacement. It refuses a file that names an unknown class,
and every checkpoint of BertSum holds an optimizer of the class `models.optimizers.Optimizer`.
"""

import errno
import io
import math
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from reprlib import repr as shown  # a value in a message, shortened
from typing import IO, Any, BinaryIO, NamedTuple

import torch
from torch import Tensor

from minibert.config import InputError
from minibert.summarization.convert.pickle_machine import Inert, PickleMachine, make_dict


def read_original(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read the tensors of 'model' and the options of 'opt' from a file that `torch.save` wrote, in
    the zip format or the older one.

    Raises a ValueError if the file cannot be read or holds something else, and a MemoryError, or
    PyTorch's RuntimeError, if there is too little memory for it.
    """
    try:
        if path.exists() and not path.is_file():  # opening a pipe would wait for its other end
            raise OSError(errno.EINVAL, "it is no ordinary file")
        with open(path, "rb") as file:
            content, read = (_read_zip if file.read(4) == b"PK\3\4" else _read_legacy)(file)
            if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
                found = (
                    shown(sorted(map(str, content))[:5])
                    if isinstance(content, dict)
                    else type(content).__name__
                )
                raise InputError(
                    "wanted is a dictionary with 'model', a dictionary of tensors, and perhaps "
                    f"'opt'; found {found}"
                )
            records = _checked(content["model"], os.fstat(file.fileno()).st_size)
            tensors = _tensors(records, read)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except Exception as error:  # a broken pickle can raise anything
        if isinstance(error, MemoryError) or "DefaultCPUAllocator" in str(error):
            raise  # it says nothing about the file
        raise InputError(
            f"{path} is no checkpoint of BertSum: "
            + (str(error) if isinstance(error, ValueError) else "it is no readable pickle")
        ) from error
    options = content.get("opt")
    return tensors, options.state if isinstance(options, Inert) and isinstance(
        options.state, dict
    ) else {}


LARGEST = 2**63  # no number of a tensor's shape reaches this
DIMENSIONS = 64  # nor has a tensor of PyTorch more
SHARED = 4  # how often the numbers of a file may be in its tensors, on average


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
STAND_INS: dict[tuple[str, str], Callable[..., object]] = {
    ("collections", "OrderedDict"): lambda pairs=(), *_: make_dict(pairs),
    ("torch._utils", "_rebuild_tensor"): lambda *arguments: TensorRecord(*arguments),
    ("torch._utils", "_rebuild_tensor_v2"): lambda *arguments: TensorRecord(*arguments[:4]),
    ("torch._utils", "_rebuild_parameter"): lambda *arguments: arguments[0],
}


class TensorPickles:
    """Runs the pickles of one file without ever looking for what they name: see `STAND_INS`; all
    else is `Inert`. `storages` are those that they refer to."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.storages: dict[str, Storage] = {}

    def load(self) -> object:
        """What the next pickle holds."""
        return PickleMachine(self._find, self._refer).run(self.file)

    def _find(self, module: str, name: str) -> object:
        if module in ("torch", "torch.cuda") and name in STORAGES:
            return STORAGES[name]
        return STAND_INS.get((module, name), Inert())

    def _refer(self, pid: object) -> Storage:
        # the fourth is on which device it was, a sixth the part of another storage that it is
        match pid:
            case ("storage", torch.dtype() as dtype, str(key), _, int(length), *part) if (
                0 <= length < LARGEST and part in ([], [None])
            ):
                return self.storages.setdefault(key, Storage(key, dtype, length))
        raise InputError("it refers to what is no plain storage of numbers")


def _read_zip(file: BinaryIO) -> tuple[object, Callable[[Storage], bytes]]:
    """As written since PyTorch 1.6: FOLDER/data.pkl, and FOLDER/data/KEY for every storage."""
    archive = zipfile.ZipFile(file)
    length = os.fstat(file.fileno()).st_size

    def unpacked(name: str) -> bytes:
        if archive.getinfo(name).file_size > length:  # torch.save packs nothing
            raise InputError(f"{name} in it unpacks to more bytes than the whole file has")
        return archive.read(name)

    pickles = [name for name in archive.namelist() if name.endswith("/data.pkl")]
    if len(pickles) != 1:
        raise InputError(f"it is a zip file with {len(pickles)} times data.pkl in it, not once")
    folder = pickles[0].removesuffix("data.pkl")
    order = f"{folder}byteorder"
    if order in archive.namelist() and unpacked(order) != b"little":
        raise InputError("its numbers are stored with the highest byte first")
    content = TensorPickles(io.BytesIO(unpacked(pickles[0]))).load()
    return content, lambda storage: unpacked(f"{folder}data/{storage.key}")


def _read_legacy(file: BinaryIO) -> tuple[object, Callable[[Storage], bytes]]:
    """As written before: five pickles (a number, a version, the machine, the content, the keys of
    the storages), then for each key a length and its numbers."""
    file.seek(0)
    pickles = TensorPickles(file)
    if pickles.load() != MAGIC:
        raise InputError("torch.save did not write it")
    for _ in ("version", "machine"):
        pickles.load()
    found, keys = pickles.load(), pickles.load()
    places = {}  # bytes from the start of the file
    for key in keys if isinstance(keys, list) else ():
        if not isinstance(key, str) or key not in pickles.storages:
            raise InputError("its list of storages names one that it does not use")
        places[key] = file.tell() + 8
        file.seek(places[key] + pickles.storages[key].size)

    def read(storage: Storage) -> bytes:
        file.seek(places[storage.key])
        return file.read(storage.size)

    return found, read


def _checked(model: dict[Any, Any], length: int) -> dict[str, TensorRecord]:
    """The records of a model, whose tensors need no more memory than a file of `length` bytes may.

    Raises an InputError for what is no tensor, and for tensors that are too large for such a file,
    because they repeat its numbers.
    """
    records, stored, needed = dict[str, TensorRecord](), dict[str, int](), 0
    for name, record in model.items():
        if type(name) is not str or not _is_tensor(record):
            what = shown(name) if type(name) is str else f"a {type(name).__name__}"
            raise InputError(f"{what} in 'model' is no tensor")
        records[name] = record
        stored[record.storage.key] = record.storage.size
        needed += math.prod(record.size) * record.storage.dtype.itemsize
        if needed > SHARED * length or sum(record.size) > length:
            raise InputError(
                f"{shown(name)} of the shape {shown(list(record.size))} repeats the same numbers: "
                f"the file has only {length:,} bytes"
            )
    if (total := sum(stored.values())) > length:
        raise InputError(f"its tensors should have {total:,} bytes, but the file has {length:,}")
    return records


def _is_tensor(record: object) -> bool:
    return (
        isinstance(record, TensorRecord)
        and isinstance(record.storage, Storage)
        and type(record.offset) is int
        and all(
            isinstance(numbers, tuple)
            and len(numbers) <= DIMENSIONS
            and all(type(n) is int and 0 <= n < LARGEST for n in numbers)
            for numbers in (record.size, record.stride)
        )
    )


def _tensors(
    records: dict[str, TensorRecord], read: Callable[[Storage], bytes]
) -> dict[str, Tensor]:
    """The tensors in their order; each storage is read once."""
    users: dict[Storage, list[str]] = {}
    for name, record in records.items():
        users.setdefault(record.storage, []).append(name)
    tensors: dict[str, Tensor] = {}
    for storage, names in users.items():
        data = read(storage)
        if len(data) != storage.size:
            raise InputError(
                f"{names[0]} should have {storage.size} bytes, but the file holds {len(data)} of "
                "them"
            )
        numbers = torch.frombuffer(bytearray(data), dtype=storage.dtype)
        for name in names:
            _, offset, size, stride = records[name]
            tensors[name] = numbers.as_strided(size, stride, offset).clone()
    return {name: tensors[name] for name in records}
