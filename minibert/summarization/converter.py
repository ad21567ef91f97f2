"""A checkpoint of the original BertSum or PreSumm (a .pt file) to a BertSumExt: the one place where minibert opens a pickle.

A pickle is a program: whoever runs one with Python's own means runs whatever its author wrote. Here nothing that the file
names is ever called or imported. Dictionaries and tensors are rebuilt by the few functions below, and everything else (the
options, the optimiser, any class or function) becomes an `Inert`, which does nothing.
"""

import pickle
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple

import torch
from torch import Tensor

from minibert.config import BertConfig
from minibert.model import BertModel
from minibert.summarization.heads import SentenceClassifier, SentenceHead, SentenceRNN
from minibert.summarization.model import BertSumExt
from minibert.summarization.original import fill_from_original, load_bertsum_head, replacing

BERT, HEAD = "bert.model.", ("encoder.", "ext_layer.")     # how names begin; the head's in BertSum and in PreSumm
PUBLISHED_HEADS = 8                 # of the inter-sentence transformer
HEAD_SIZE = 64                      # of every published BERT
RNN_NAMES = (("directions.0.", "rnn.hidden0.0."), ("directions.1.", "rnn.hidden1.0."), ("input_map.weight", "weight_ih"), ("input_map.bias", "bias_ih"),
             ("hidden_map.weight", "weight_hh"), ("hidden_map.bias", "bias_hh"), ("input_norm", "ln_ih"), ("hidden_norm", "ln_hh"), ("cell_norm", "ln_ho"),
             ("scorer", "wo"))


def convert_bertsum(path, num_heads: int | None = None) -> BertSumExt:
    """The model in a checkpoint that BertSum or PreSumm (extractive) saved, in eval mode.

    Its head may be any of the three; a recurrent one computes what the original computes, `reference_quirks` and all.
    `num_heads` of the inter-sentence transformer are what the file's options say, 8 where they say nothing.
    `unused_keys` of what is returned names the tensors that were left out: a pooler, and the norm that the original never uses.

    Raises a ValueError that says what is wrong with the file, or names the tensors that do not fit.
    """
    tensors, options = read_original(Path(path))
    tensors = {re.sub(r"LayerNorm\.gamma$", "LayerNorm.weight", re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", name)): tensor for name, tensor in tensors.items()}
    encoder = {name: tensor for name, tensor in tensors.items() if name.startswith(BERT)}
    prefix = next((prefix for prefix in HEAD if any(name.startswith(prefix) for name in tensors)), "encoder.")
    head = {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
    if others := sorted(name for name in tensors if not name.startswith((BERT, prefix))):
        raise ValueError(f"{path} is no extractive BertSum: {others[0]} and {len(others) - 1} more are part of neither {BERT}* nor {prefix}*")
    try:
        unused = [name for name in encoder if name.startswith(f"{BERT}pooler.") or name == f"{BERT}embeddings.position_ids"]
        bert = _encoder({name: tensor for name, tensor in encoder.items() if name not in unused}, options)
        if num_heads is None:
            num_heads = _number(options, "ext_heads", "heads") or PUBLISHED_HEADS
        model = BertSumExt(bert, _head(head, num_heads), segments=options.get("use_interval", True) is not False)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    model.unused_keys = unused + [prefix + name for name in getattr(model.head, "unused_keys", [])]
    return model.eval()


def _encoder(tensors: dict[str, Tensor], options: dict) -> BertModel:
    words, positions, types, wide = (tensors.get(f"{BERT}{name}.weight", torch.empty(0)) for name in (
        "embeddings.word_embeddings", "embeddings.position_embeddings", "embeddings.token_type_embeddings", "encoder.layer.0.intermediate.dense"))
    if not all(tensor.dim() == 2 for tensor in (words, positions, types, wide)):
        raise ValueError(f"the file holds no BERT under {BERT}*: a table of words, positions or segments or the first layer is missing")
    layers = len({match[1] for name in tensors if (match := re.match(rf"{BERT}encoder\.layer\.(\d+)\.", name))})
    # 'baseline' is a transformer that was not pretrained, with heads of its own
    heads = _number(options, "ext_heads") or PUBLISHED_HEADS if options.get("encoder") == "baseline" else max(words.size(1) // HEAD_SIZE, 1)
    bert = BertModel(BertConfig(vocab_size=words.size(0), hidden_size=words.size(1), num_hidden_layers=layers, num_attention_heads=heads,
                                intermediate_size=wide.size(0), max_position_embeddings=positions.size(0), type_vocab_size=types.size(0)), add_pooling_layer=False)
    fill_from_original(bert, tensors, lambda name: BERT + name)
    return bert


def _head(tensors: dict[str, Tensor], num_heads: int) -> SentenceHead:
    scorer = tensors.get("wo.weight", tensors.get("linear1.weight", torch.empty(0)))
    if scorer.dim() != 2:
        raise ValueError(f"the file holds no head of BertSum, but {sorted(tensors)[:3]}")
    if "linear1.weight" in tensors:
        head = SentenceClassifier(scorer.size(1))
        fill_from_original(head, tensors, lambda name: name.replace("scorer", "linear1"))
    elif any(name.startswith("rnn.") for name in tensors):
        head = SentenceRNN(scorer.size(1), reference_quirks=True)
        fill_from_original(head, tensors, replacing(RNN_NAMES))
    else:
        head = load_bertsum_head(tensors, num_heads)
    return head


def _number(options: dict, *names: str) -> int | None:
    return next((options[name] for name in names if type(options.get(name)) is int), None)


# -- the file ----------------------------------------------------------------------------------------------------------

def read_original(path: Path) -> tuple[dict[str, Tensor], dict]:
    """The tensors of 'model' and the options of 'opt' in a file that `torch.save` wrote, as a zip or in the older form.

    Raises a ValueError where it cannot be read, or holds something else.
    """
    try:
        with open(path, "rb") as file:
            content, read = (_read_zip if file.read(4) == b"PK\3\4" else _read_legacy)(file)
            if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
                found = sorted(map(str, content))[:5] if isinstance(content, dict) else type(content).__name__
                raise ValueError(f"wanted is a dictionary with 'model', a dictionary of tensors, and perhaps 'opt'; found {found}")
            tensors = {name: _tensor(name, record, read) for name, record in content["model"].items()}
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror or error}") from error
    except Exception as error:      # a broken pickle can raise anything
        raise ValueError(f"{path} is no checkpoint of BertSum: {error or type(error).__name__}") from error
    options = content.get("opt")
    return tensors, options.state if isinstance(options, Inert) and isinstance(options.state, dict) else {}


class Storage(NamedTuple):
    """A row of numbers in the file."""

    key: str
    dtype: torch.dtype
    length: int             # numbers

    @property
    def size(self) -> int:
        """Bytes."""
        return self.length * self.dtype.itemsize


class TensorRecord(NamedTuple):
    """A tensor that has not been read."""

    storage: Storage
    offset: int             # numbers
    size: tuple[int, ...]
    stride: tuple[int, ...]


class Inert:
    """Stands for any class, function or object: it can be made, called, filled and given a state, and does nothing."""

    state = None

    def __new__(cls, *args, **options):
        return super().__new__(cls)

    def __init__(self, *args, **options):
        pass

    def __call__(self, *args, **options):
        return self

    def __setstate__(self, state):
        self.state = state

    def __setitem__(self, key, value):
        pass

    def _ignore(self, value):
        pass

    append = extend = add = _ignore


class Names(dict):
    """Stands for an OrderedDict, which may carry attributes: these are dropped."""

    def __setstate__(self, state):
        pass


MAGIC = 0x1950A86A20F9469CFC6C      # with which torch.save opened its files
STORAGES = {"FloatStorage": torch.float32, "DoubleStorage": torch.float64, "HalfStorage": torch.float16, "BFloat16Storage": torch.bfloat16,
            "LongStorage": torch.int64, "IntStorage": torch.int32, "ShortStorage": torch.int16, "CharStorage": torch.int8,
            "ByteStorage": torch.uint8, "BoolStorage": torch.bool}
STAND_INS = {("collections", "OrderedDict"): Names,
             ("torch._utils", "_rebuild_tensor"): lambda *arguments: TensorRecord(*arguments),
             ("torch._utils", "_rebuild_tensor_v2"): lambda *arguments: TensorRecord(*arguments[:4]),
             ("torch._utils", "_rebuild_parameter"): lambda *arguments: arguments[0]}


class RestrictedUnpickler(pickle.Unpickler):
    """Runs a pickle without ever looking for what it names: see `STAND_INS`; all else is `Inert`. `storages` are those that it refers to."""

    def __init__(self, file):
        super().__init__(file, encoding="utf-8")
        self.storages: dict[str, Storage] = {}

    def find_class(self, module: str, name: str):
        if module in ("torch", "torch.cuda") and name in STORAGES:
            return STORAGES[name]
        return STAND_INS.get((module, name), Inert)

    def persistent_load(self, pid) -> Storage:
        kind, dtype, key, _, length, *view = pid            # the fourth: on which device it was
        if kind != "storage" or not isinstance(dtype, torch.dtype) or any(view):
            raise ValueError(f"it refers to {kind!r} {key!r}, which is no plain storage of numbers")
        return self.storages.setdefault(key, Storage(key, dtype, length))


def _read_zip(file: BinaryIO) -> tuple[object, Callable[[Storage], bytes]]:
    """As written since PyTorch 1.6: FOLDER/data.pkl, and FOLDER/data/KEY for every storage."""
    archive = zipfile.ZipFile(file)
    pickles = [name for name in archive.namelist() if name.endswith("/data.pkl")]
    if len(pickles) != 1:
        raise ValueError(f"it is a zip file with {len(pickles)} times data.pkl in it, not once")
    folder = pickles[0].removesuffix("data.pkl")
    if f"{folder}byteorder" in archive.namelist() and archive.read(f"{folder}byteorder") != b"little":
        raise ValueError("its numbers are stored with the highest byte first")
    with archive.open(pickles[0]) as data:
        content = RestrictedUnpickler(data).load()
    return content, lambda storage: archive.read(f"{folder}data/{storage.key}")


def _read_legacy(file: BinaryIO) -> tuple[object, Callable[[Storage], bytes]]:
    """As written before: five pickles (a number, a version, the machine, the content, the keys of the storages), then for each key a length and its numbers."""
    file.seek(0)
    if RestrictedUnpickler(file).load() != MAGIC:
        raise ValueError("torch.save did not write it")
    for _ in ("version", "machine"):
        RestrictedUnpickler(file).load()
    content = RestrictedUnpickler(file)
    found = content.load()
    places = {}                                             # bytes from the start of the file
    for key in RestrictedUnpickler(file).load():
        places[key] = file.tell() + 8
        file.seek(places[key] + content.storages[key].size)

    def read(storage: Storage) -> bytes:
        file.seek(places[storage.key])
        return file.read(storage.size)
    return found, read


def _tensor(name: str, record, read: Callable[[Storage], bytes]) -> Tensor:
    if not isinstance(name, str) or not isinstance(record, TensorRecord):
        raise ValueError(f"{name!r} in 'model' is no tensor")
    data = read(record.storage)
    if len(data) != record.storage.size:
        raise ValueError(f"{name} should have {record.storage.size} bytes, but the file holds {len(data)} of them")
    return torch.frombuffer(bytearray(data), dtype=record.storage.dtype).as_strided(record.size, record.stride, record.offset).clone()
