"""Checkpoints of the original BertSum: files of that shape, made here, come out as safetensors;
what a pickle names is never run."""

import argparse
import collections
import contextlib
import io
import json
import os
import pickle
import re
import sys
import time
import tracemalloc
import types
import zipfile

import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from original_bertsum import original_scores, original_state

from minibert import BertConfig, WordPieceTokenizer, from_pretrained
from minibert.cli import main as cli
from minibert.config import InputError
from minibert.summarization import (
    BertSumExt,
    InterSentenceEncoder,
    SentenceClassifier,
    SentenceRNN,
    collate,
    encode_document,
)
from minibert.summarization.convert.converter import convert_bertsum
from minibert.summarization.convert.pickle_machine import Inert, PickleMachine, make_dict
from minibert.summarization.convert.restricted_pickle import read_original
from minibert.summarization.head_store import open_summarizer

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.lists(inner, max_size=5).map(tuple)
        | st.dictionaries(st.text() | st.integers(1 - 2**60, 2**60 - 1), inner, max_size=5)
    ),
)
H = 128  # two heads of 64, as every published BERT has them
TOKENIZER = WordPieceTokenizer(
    {
        token: n
        for n, token in enumerate(
            ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{n}" for n in range(30)))
        )
    }
)
BATCH = collate(
    [
        encode_document(document, TOKENIZER)
        for document in (["w0 w1", "w2", "w3 w4 w5 w6"], ["w7 w8 w9"], ["w1 w1", "w2 w3"])
    ]
)


def published_bert(seed=0):
    """A BERT of the reference with random weights: the encoder of every checkpoint here."""
    torch.manual_seed(seed)
    model = transformers.BertModel(
        transformers.BertConfig(
            vocab_size=35,
            hidden_size=H,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=80,
            max_position_embeddings=24,
        )
    )
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return model.eval()


def lstm_state(hidden=H):
    state = {"wo.weight": torch.randn(1, hidden), "wo.bias": torch.randn(1)}
    for direction in (0, 1):
        at, half = f"rnn.hidden{direction}.0.", hidden // 2
        for name, size in (
            ("weight_ih", [4 * half, hidden]),
            ("weight_hh", [4 * half, half]),
            ("bias_ih", [4 * half]),
            ("bias_hh", [4 * half]),
            ("ln_ih.weight", [4 * half]),
            ("ln_ih.bias", [4 * half]),
            ("ln_hh.weight", [4 * half]),
            ("ln_hh.bias", [4 * half]),
            ("ln_ho.weight", [half]),
            ("ln_ho.bias", [half]),
        ):
            state[at + name] = 0.3 * torch.randn(size)
    return state


def lstm_scores(state, vectors, mask):
    """The original's recurrent head, aliased list and all: every sentence gets the states that were
    written last."""

    def last(direction, sentences):
        def part(name):
            return state[f"rnn.hidden{direction}.0.{name}"]

        def norm(x, name):
            return torch.layer_norm(x, x.shape[-1:], part(f"{name}.weight"), part(f"{name}.bias"))

        h = c = torch.zeros(len(vectors), H // 2)
        for x in sentences:
            gates = norm(x @ part("weight_ih").T + part("bias_ih"), "ln_ih") + norm(
                h @ part("weight_hh").T + part("bias_hh"), "ln_hh"
            )
            i, f, o, g = gates.chunk(4, dim=1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * norm(c, "ln_ho").tanh()
        return h

    states = torch.cat([last(0, vectors.unbind(1)), last(1, vectors.flip(1).unbind(1))], dim=1)
    return ((states[:, None] + vectors) @ state["wo.weight"][0] + state["wo.bias"]).sigmoid() * mask


def head_state(kind, seed=1):
    torch.manual_seed(seed)
    return {
        "transformer": lambda: original_state(2, H, 96),
        "rnn": lstm_state,
        "classifier": lambda: {"linear1.weight": torch.randn(1, H), "linear1.bias": torch.randn(1)},
    }[kind]()


def head_scores(kind, state, vectors, mask):
    if kind == "classifier":
        return (vectors @ state["linear1.weight"][0] + state["linear1.bias"]).sigmoid() * mask
    return (
        lstm_scores(state, vectors, mask)
        if kind == "rnn"
        else original_scores(state, 4, vectors, mask)
    )


def checkpoint(kind="transformer", prefix="encoder.", options=None, **more):
    """What the original's trainer saves: an ordered state dict, a namespace of options, an
    optimiser of its own class (from a module that is then gone)."""
    model = collections.OrderedDict(
        (f"bert.model.{name}", tensor) for name, tensor in published_bert().state_dict().items()
    )
    model.update((prefix + name, tensor) for name, tensor in head_state(kind).items())
    model._metadata = collections.OrderedDict(version=1)  # as every real state dict has
    optimiser = Optimizer()
    optimiser.optimizer = torch.optim.Adam([torch.nn.Parameter(torch.ones(3))])
    optimiser.optimizer.param_groups[0]["params"][0].grad = torch.ones(3)
    optimiser.optimizer.step()
    optimiser.betas, optimiser.method, optimiser.device, optimiser.seen = (
        [0.9, 0.999],
        "adam",
        torch.device("cpu"),
        {1, 2},
    )
    options = {"heads": 4, "encoder": kind, "use_interval": True} if options is None else options
    return {"model": model, "opt": argparse.Namespace(**options), "optim": optimiser, **more}


class Optimizer:
    """Stands for the original's class."""


@pytest.fixture
def save(tmp_path, monkeypatch):
    """Write a checkpoint as the original would: its Optimizer is of the module models.optimizers,
    which nobody can import afterwards."""

    def save(content, legacy=False):
        with monkeypatch.context() as patch:
            module = types.ModuleType("models.optimizers")
            module.Optimizer = Optimizer
            patch.setitem(sys.modules, "models", types.ModuleType("models"))
            patch.setitem(sys.modules, "models.optimizers", module)
            patch.setattr(Optimizer, "__module__", "models.optimizers")
            torch.save(content, tmp_path / "model.pt", _use_new_zipfile_serialization=not legacy)
        assert "models.optimizers" not in sys.modules
        return tmp_path / "model.pt"

    return save


def scores(model):
    with torch.no_grad():
        return model(**BATCH).scores


def wanted_scores(kind):
    """Of the reference's encoder with the formulas of the original's head."""
    with torch.no_grad():
        hidden = published_bert()(
            BATCH["input_ids"],
            token_type_ids=BATCH["token_type_ids"],
            attention_mask=BATCH["attention_mask"],
        ).last_hidden_state
        mask = BATCH["sentence_mask"]
        vectors = (
            torch.stack([row[places] for row, places in zip(hidden, BATCH["sentence_positions"])])
            * mask[:, :, None]
        )
        return head_scores(kind, head_state(kind), vectors, mask)


# ---------------------------------------------------------------- whole checkpoints


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
@pytest.mark.parametrize(
    "kind, cls",
    [
        ("transformer", InterSentenceEncoder),
        ("rnn", SentenceRNN),
        ("classifier", SentenceClassifier),
    ],
)
def test_a_checkpoint_scores_as_the_original(kind, cls, legacy, save):
    model = convert_bertsum(save(checkpoint(kind), legacy))
    assert type(model) is BertSumExt and type(model.head) is cls and not model.training
    assert (
        model.config.hidden_act == "gelu"
        and model.config.num_attention_heads == 2
        and model.sentence_vector == "cls"
        and model.segments
    )
    torch.testing.assert_close(scores(model), wanted_scores(kind), rtol=0, atol=2e-6)


def test_pickles_own_means_cannot_open_it(save):
    """So the test above would fail if a class were looked up."""
    path = save(checkpoint())
    with pytest.raises(ModuleNotFoundError, match="models"):
        torch.load(path, weights_only=False)


@pytest.mark.parametrize(
    "options, argument, heads",
    [
        ({"heads": 4}, None, 4),
        ({"heads": 4}, 2, 2),
        ({}, None, 8),
        ({"ext_heads": 16, "heads": 4}, None, 16),
        ({"heads": "4"}, None, 8),
    ],
)
def test_where_the_number_of_heads_comes_from(options, argument, heads, save):
    assert (
        convert_bertsum(save(checkpoint(options=options)), argument).head.sizes["num_heads"]
        == heads
    )


def test_presumm_calls_the_head_otherwise(save):
    content = checkpoint(prefix="ext_layer.", options={"ext_heads": 4})
    torch.testing.assert_close(
        scores(convert_bertsum(save(content))), wanted_scores("transformer"), rtol=0, atol=2e-6
    )


def test_without_segments(save):
    assert (
        convert_bertsum(save(checkpoint(options={"heads": 4, "use_interval": False}))).segments
        is False
    )


def test_the_baseline_has_eight_heads(save):
    content = checkpoint("classifier", options={"encoder": "baseline"})
    assert convert_bertsum(save(content)).config.num_attention_heads == 8
    assert (
        convert_bertsum(
            save(checkpoint("classifier", "ext_layer.", {"encoder": "baseline", "ext_heads": 4}))
        ).config.num_attention_heads
        == 4
    )


def test_older_names_and_what_is_never_used(save):
    content = checkpoint()
    for name in [name for name in content["model"] if "LayerNorm" in name]:
        content["model"][
            name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            )
        ] = content["model"].pop(name)
    content["model"]["bert.model.embeddings.position_ids"] = torch.arange(24)[None]
    content["model"]["encoder.pos_emb.pe"] = torch.stack(
        [torch.sin(x := torch.arange(50)[:, None] / 10000 ** (torch.arange(0, H, 2) / H)), x.cos()],
        -1,
    ).flatten(1)[None]
    model = convert_bertsum(save(content))
    torch.testing.assert_close(scores(model), wanted_scores("transformer"), rtol=0, atol=2e-6)
    assert set(model.unused_keys) == {
        "bert.model.pooler.dense.weight",
        "bert.model.pooler.dense.bias",
        "bert.model.embeddings.position_ids",
        "encoder.transformer_inter.0.layer_norm.weight",
        "encoder.transformer_inter.0.layer_norm.bias",
    }


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_half_precision_views_parameters_and_every_type(legacy, save):
    whole = torch.arange(24.0).reshape(4, 6)
    tensors = {
        "half": whole.half(),
        "bfloat": whole.bfloat16(),
        "double": whole.double(),
        "long": whole.long(),
        "bytes": whole.byte(),
        "truth": whole > 3,
        "row": whole[2],
        "columns": whole[:, 1:3],
        "turned": whole.T,
        "parameter": torch.nn.Parameter(whole.clone()),
        "scalar": torch.tensor(7.0),
    }
    found, options = read_original(save({"model": tensors}, legacy))
    assert options == {} and found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert found[name].dtype == tensor.dtype and torch.equal(found[name], tensor.detach()), name


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_of_pickles_is_read(protocol, legacy, tmp_path):
    tensors = collections.OrderedDict(one=torch.ones(2), other=torch.arange(6).reshape(2, 3))
    content = {
        "model": tensors,
        "opt": argparse.Namespace(heads=4, rate=0.5, name="größe", big=2**70, none=None, yes=True),
        "more": [(1, 2, 3, 4), {"a": {1, 2}, (1, 2): frozenset([3])}, b"bytes", bytearray(b"more")],
        "nested": collections.defaultdict(list, {5: [[]]}),
    }
    torch.save(
        content,
        tmp_path / "model.pt",
        pickle_protocol=protocol,
        _use_new_zipfile_serialization=not legacy,
    )
    found, options = read_original(tmp_path / "model.pt")
    assert found.keys() == tensors.keys()
    assert all(torch.equal(found[name], tensors[name]) for name in found)
    assert options == vars(content["opt"])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@settings(max_examples=60, deadline=None)
@given(value=VALUES)
def test_the_machine_builds_what_python_builds(protocol, value):
    machine = PickleMachine(lambda module, name: Inert(), lambda reference: reference)
    file = io.BytesIO(pickle.dumps(value, protocol) + b"rest")
    assert repr(machine.run(file)) == repr(value)  # 1 is not True, and NaN is NaN
    assert file.read() == b"rest"


@pytest.mark.parametrize("key", [2**60, -(2**60), 2**61 * 5, 1 << 1_000_000], ids=range(4))
@pytest.mark.parametrize("form", [b"(%bNd", b"}%bNs", b"}(%bNu"])
def test_numbers_whose_hash_takes_long_or_is_shared_are_no_keys(key, form):
    machine = PickleMachine(lambda module, name: Inert(), lambda reference: reference)
    program = form % pickle.dumps(key, 2)[2:-1]
    (found,) = machine.run(io.BytesIO(b"\x80\x02" + program + b"."))
    assert isinstance(found, Inert)


@settings(max_examples=200, deadline=None)
@given(program=st.binary(max_size=60))
def test_any_bytes_end_soon_and_call_nothing(program):
    found = []
    machine = PickleMachine(lambda *name: found.append(name) or Inert(), lambda reference: Inert())
    with contextlib.suppress(Exception):
        machine.run(io.BytesIO(b"\x80\x02" + program + b"."))


def test_only_the_model_is_read_from_a_large_file(save, monkeypatch):
    """The optimiser's numbers are twice as many as the model's."""
    read = []
    real = zipfile.ZipFile.read
    monkeypatch.setattr(
        zipfile.ZipFile,
        "read",
        lambda self, name, *more: read.append(name) or real(self, name, *more),
    )
    content = {"model": {"one": torch.ones(2)}, "optim": [torch.ones(3), torch.ones(4)]}
    assert list(read_original(save(content))[0]) == ["one"]
    assert sum("/data/" in name for name in read) == 1


# ---------------------------------------------------------------- what a file may not do


class Attack:
    """Calls a function when it is unpickled by ordinary means."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


class Sleeper:
    """Made by NEWOBJ, with a state: no function is called, but __setstate__ of a class is."""

    def __init__(self, trace):
        self.trace = trace

    def __setstate__(self, state):
        open(state["trace"], "w").close()


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
@pytest.mark.parametrize(
    "where", ["optim", "opt", "model", "beside a tensor", "key", "attribute", "all of it"]
)
@pytest.mark.parametrize(
    "payload",
    [
        lambda trace: Attack(os.mkdir, trace),
        lambda trace: Attack(exec, f"open({trace!r}, 'w')"),
        Sleeper,
        lambda trace: Attack(eval, f"open({trace!r}, 'w')"),
    ],
    ids=["mkdir", "exec", "setstate", "eval"],
)
def test_nothing_in_the_file_is_run(payload, where, legacy, tmp_path, save):
    trace = tmp_path / "trace"
    bad, content = payload(str(trace)), checkpoint("classifier")
    if where == "beside a tensor":
        content["model"]["bert.model.more"] = bad
    elif where == "key":
        content[bad] = 1
    elif where == "attribute":
        content["model"]._metadata = bad
    elif where == "all of it":
        content = bad
    else:
        content[where] = bad
    path = save(content, legacy)
    if where in ("optim", "opt", "key", "attribute"):
        torch.testing.assert_close(
            scores(convert_bertsum(path)), wanted_scores("classifier"), rtol=0, atol=2e-6
        )
    else:
        with pytest.raises(ValueError, match="is no checkpoint of BertSum"):
            convert_bertsum(path)
    assert not trace.exists()
    if where == "all of it":
        torch.load(path, weights_only=False)
        assert trace.exists(), "by ordinary means it would have run"


@pytest.mark.parametrize(
    "program",
    [
        b"cos\nmkdir\n(S'TRACE'\ntR.",  # protocol 0: a call
        b"(S'TRACE'\nios\nmkdir\n.",  # INST
        b"(cos\nmkdir\nS'TRACE'\no.",  # OBJ
        b"\x80\x04\x8c\x02os\x8c\x05mkdir\x93\x8c\x05TRACE\x85R.",  # STACK_GLOBAL
        # functions reached through others
        b"cbuiltins\ngetattr\n(cos\n__dict__\nS'get'\ntR(S'mkdir'\ntR(S'TRACE'\ntR.",
        b"cbuiltins\n__import__\n(S'os'\ntR.",
        b"ccollections\nOrderedDict\n(tRS'x'\nb.",  # a state of another kind
        b"ctorch._utils\n_rebuild_tensor_v2\n(S'a'\nS'b'\ntR.",
        b"ctorch\nFloatStorage\n(I9\ntR.",
        b"S'a string'\n.",
        b"N.",
        b"]q\x00h\x00a.",
    ],
    ids=range(12),
)
@pytest.mark.parametrize("form", ["bare", "zip", "legacy"])
def test_programs_of_the_pickle_machine(program, form, tmp_path):
    trace = tmp_path / "TRACE"
    program = program.replace(
        b"\x8c\x05TRACE", b"\x8c" + bytes([len(str(trace))]) + str(trace).encode()
    ).replace(b"'TRACE'", repr(str(trace)).encode())
    path = tmp_path / "bad.pt"
    if form == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("bad/data.pkl", program)
    else:
        start = (
            b"".join(pickle.dumps(part, 2) for part in (0x1950A86A20F9469CFC6C, 1001, {}))
            if form == "legacy"
            else b""
        )
        path.write_bytes(start + program + pickle.dumps([], 2))
    with pytest.raises(ValueError, match="bad.pt is no checkpoint of BertSum"):
        convert_bertsum(path)
    assert not trace.exists()


def legacy_of(program):
    """A file of the older format whose content is this program."""
    start = b"".join(pickle.dumps(part, 2) for part in (0x1950A86A20F9469CFC6C, 1001, {}))
    return start + program + pickle.dumps([], 2)


NESTED = b")" + b"2\x86" * 60  # a tuple of two tuples of two tuples …: 2^60 of them, one by one
DEEP = b")" + b"\x85" * 100_000


@pytest.mark.parametrize(
    "program",
    [
        b"}" + NESTED + b"Ns.",
        b"(" + NESTED + b"Nd.",
        b"}(" + NESTED + b"Nu.",
        b"}(" + DEEP + b"Nu.",
        b"(" + NESTED + b"\x91.",
        b"\x8f(" + NESTED + b"\x90.",
        b"(X\1\0\0\0xN" + NESTED + b"NNtQ.",
        b"(X\7\0\0\0storagectorch\nFloatStorage\n" + NESTED + b"NK\1tQ.",
        NESTED + b"Q.",
        NESTED + b"X\1\0\0\0x\x93.",
        b"ccollections\nOrderedDict\n](" + NESTED + b"N\x86e\x85R.",
        b"}X\5\0\0\0model}(" + NESTED + b"Nus.",
        b"Nr\xff\xff\xff\xff.",
        b"Np4000000000\n.",
        b"X\xff\xff\xff\xffx.",
        b"\x8d" + b"\xff" * 7 + b"\x0fx.",
    ],
    ids=range(16),
)
@pytest.mark.parametrize("form", ["zip", "legacy"])
def test_a_small_file_asks_for_no_long_work_and_no_large_memory(program, form, tmp_path):
    """With Python's unpickler the first would take 2^60 steps, and others 68 GB."""
    path = tmp_path / "bad.pt"
    program = b"\x80\x02" + program
    path.write_bytes(zip_of(bad__data_pkl=program) if form == "zip" else legacy_of(program))
    tracemalloc.start()
    started = time.process_time()
    try:
        with pytest.raises(InputError, match="bad.pt is no checkpoint of BertSum") as error:
            convert_bertsum(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.process_time() - started < 20 and peak < 2e8
    assert len(str(error.value)) < 400 and "\n" not in str(error.value)


PAIRS = b"](" + b"K\1K\1\x86q\1" + b"h\1" * 100_000 + b"e"  # one pair again and again
MANY = b"](" + b"".join(b"M" + n.to_bytes(2, "little") + b"N\x86" for n in range(60_000)) + b"e"
TEXTS = b"}(" + b"".join(b"X\2\0\0\0%02dN" % n for n in range(10, 100)) + b"u"  # keys like pairs
PARAMETER = b"ctorch._utils\n_rebuild_parameter\nq\0"
ORDERED = b"ccollections\nOrderedDict\nq\0"


@pytest.mark.parametrize(
    "program",
    [
        ORDERED + PAIRS + b"\x85q\2" + b"h\0h\2R0" * 30_000,
        ORDERED + PAIRS + b"\x85q\2" + b"h\0h\2\x810" * 30_000,
        ORDERED + PAIRS + b"\x85q\2" + b"h\0h\2N\x920" * 30_000,
        ORDERED + PAIRS + b"q\2" + b"(h\0h\2o0" * 30_000,
        ORDERED + PAIRS + b"q\2" + b"(h\2icollections\nOrderedDict\n0" * 30_000,
        ORDERED + MANY + b"\x85q\2" + b"h\0h\2R" * 30_000,
        ORDERED + TEXTS + b"\x85q\2" + b"h\0h\2R0" * 300_000,
        PARAMETER + b"(" + b"N" * 200_000 + b"tq\1" + b"h\0h\1R0" * 30_000,
    ],
    ids=["REDUCE", "NEWOBJ", "NEWOBJ_EX", "OBJ", "INST", "kept", "dict", "arguments"],
)
def test_the_same_list_does_not_go_to_many_calls(program, tmp_path):
    """Otherwise a file of one megabyte has billions of items copied."""
    path = tmp_path / "bad.pt"
    path.write_bytes(legacy_of(b"\x80\x02" + program + b"."))
    tracemalloc.start()
    started = time.process_time()
    try:
        with pytest.raises(InputError, match="they would copy more items than it has bytes") as e:
            convert_bertsum(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.process_time() - started < 20 and peak < 1e8
    assert "\n" not in str(e.value)


@settings(max_examples=60, deadline=None)
@given(value=st.dictionaries(st.text(max_size=2), st.integers(0, 9)), again=st.integers(1, 3))
def test_what_is_copied_once_is_read(value, again):
    """Python 2 wrote an OrderedDict so: a call that is given a list of pairs."""
    pairs = [collections.OrderedDict(value) for _ in range(again)]
    program = b"(" + b"".join(
        b"ccollections\nOrderedDict\n"
        + pickle.dumps(([[*p] for p in one.items()],), 2)[2:-1]
        + b"R"
        for one in pairs
    )
    machine = PickleMachine(lambda *name: make_dict, lambda reference: reference)
    assert machine.run(io.BytesIO(b"\x80\x02" + program + b"l.")) == pairs


@pytest.mark.parametrize("change", ["length", "size", "stride", "dimensions"])
def test_shapes_of_no_tensor_are_refused_before_they_are_added_up(change, tmp_path):
    """One long tuple, or one long number, in many records would take as long as many of them."""
    huge, long = pickle.dumps(10**100_000, 2)[2:-1], b"(" + b"K\0" * 100_000 + b"t"
    parts = {"length": b"K\1", "size": b"K\0\x85", "stride": b"K\0\x85", "dimensions": b""}
    parts[change] = long if change == "dimensions" else huge
    if change in ("size", "stride"):
        parts[change] += b"\x85"
    storage = b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\x000X\3\0\0\0cpu"
    record = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + parts["length"] + b"tQK\0"
    record += (long if change == "dimensions" else parts["size"]) + parts["stride"] + b"tR"
    program = b"}X\5\0\0\0model}X\1\0\0\0a" + record + b"ss."
    path = tmp_path / "bad.pt"
    path.write_bytes(legacy_of(b"\x80\x02" + program))
    said = "no plain storage of numbers" if change == "length" else "'a' in 'model' is no tensor"
    with pytest.raises(InputError, match=said):
        read_original(path)


@pytest.mark.parametrize(
    "error", [MemoryError(), RuntimeError("DefaultCPUAllocator: can't allocate memory")]
)
def test_too_little_memory_is_not_said_to_be_a_bad_file(error, save, monkeypatch, capsys, tmp_path):
    path = save(checkpoint())

    def fail(*_):
        raise error

    monkeypatch.setattr("minibert.summarization.convert.restricted_pickle._tensors", fail)
    with pytest.raises(type(error)):
        read_original(path)
    status, out, err = run(capsys, path, "--out", tmp_path / "out")
    assert status == 2 and not out and "there is not enough memory for this" in err
    assert "pickle" not in err


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
@pytest.mark.parametrize(
    "tensors",
    [
        {"bert.model.a": torch.zeros(1).expand(400_000_000)},
        {"bert.model.a": torch.zeros(1).expand(20_000, 20_000)},
        dict.fromkeys("abcdefgh", torch.zeros(100_000)),
    ],
    ids=["one", "two dimensions", "many"],
)
def test_numbers_that_are_repeated_are_refused_before_they_take_memory(tensors, legacy, save):
    with pytest.raises(InputError, match="repeats the same numbers: the file has only"):
        read_original(save({"model": tensors}, legacy))


def test_a_zip_file_that_unpacks_to_more_than_it_is_long_is_refused(tmp_path):
    path = tmp_path / "bomb.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb/data.pkl", b"\x80\x02" + b"N" * 10_000_000 + b".")
    with pytest.raises(InputError, match="unpacks to more bytes than the whole file has"):
        read_original(path)


@pytest.mark.parametrize(
    "change, said",
    [
        ({"embeddings.position_embeddings.weight": torch.zeros(1).expand(4000, 0)}, "position_emb"),
        ({"embeddings.word_embeddings.weight": torch.zeros(1, 4096)}, "has the shape"),
        ({f"encoder.layer.{n}.x": torch.zeros(1) for n in range(2000)}, "names 2,000 layers, but"),
    ],
    ids=["no columns", "wide", "layers"],
)
def test_a_model_that_does_not_fit_is_refused_before_it_is_built(change, said, save, monkeypatch):
    content = checkpoint()
    content["model"].update({f"bert.model.{name}": tensor for name, tensor in change.items()})
    path = save(content)
    real = torch.nn.Parameter.__new__

    def no_memory(cls, data=None, requires_grad=True):
        assert data is None or data.is_meta
        return real(cls, data, requires_grad)

    monkeypatch.setattr(torch.nn.Parameter, "__new__", no_memory)
    with pytest.raises(InputError, match=said):
        convert_bertsum(path)


def test_options_of_other_objects_do_not_replace_those_of_the_model(save):
    content = checkpoint(options={"heads": 4}, more=argparse.Namespace(heads=2))
    assert convert_bertsum(save(content)).head.sizes["num_heads"] == 4


def zip_of(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/").replace("_pkl", ".pkl"), content)
    return packed.getvalue()


@pytest.mark.parametrize(
    "content, said",
    [
        (b"", "is no checkpoint of BertSum: "),
        (b"no pickle at all", "is no checkpoint of BertSum: "),
        (b"hello", "is no checkpoint of BertSum: it is no readable pickle"),
        (pickle.dumps({"model": {}}), "torch.save did not write it"),
        (b"PK\3\4" + b"x" * 50, "is no checkpoint of BertSum: "),
        (zip_of(a="b"), "a zip file with 0 times data.pkl in it"),
        (zip_of(a__data_pkl=b"", b__data_pkl=b""), "a zip file with 2 times data.pkl"),
        (zip_of(a__data_pkl=pickle.dumps({}), a__byteorder=b"big"), "highest byte first"),
        (zip_of(a__data_pkl=pickle.dumps([1])), "found list"),
        (zip_of(a__data_pkl=pickle.dumps({"state": 1, "x": 2})), r"found \['state', 'x'\]"),
        (zip_of(a__data_pkl=pickle.dumps({"model": {"a": 1}})), "'a' in 'model' is no tensor"),
        (zip_of(a__data_pkl=pickle.dumps({"model": {}})), "holds no BERT under bert.model"),
    ],
)
def test_other_files(content, said, tmp_path):
    (tmp_path / "other.pt").write_bytes(content)
    with pytest.raises(ValueError, match=said):
        convert_bertsum(tmp_path / "other.pt")


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_a_file_that_is_cut_off(legacy, tmp_path, save):
    path = save(checkpoint("classifier"), legacy)
    whole = path.read_bytes()
    for length in (10, 1000, len(whole) // 2, len(whole) - 100):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="model.pt"):
            convert_bertsum(path)


def test_a_file_whose_last_numbers_are_missing_says_which(save):
    path = save({"model": {"one": torch.ones(300)}}, legacy=True)
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(
        ValueError, match="one should have 1200 bytes, but the file holds 1192 of them"
    ):
        read_original(path)


def test_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")  # which nobody writes to
    for path in (tmp_path / "none.pt", tmp_path, tmp_path / "pipe", tmp_path / ("x" * 300)):
        with pytest.raises(ValueError, match=re.escape(f"cannot read {path}")):
            convert_bertsum(path)


@pytest.mark.parametrize(
    "change, said",
    [
        (
            lambda m: m.pop("bert.model.encoder.layer.1.output.dense.bias"),
            "model.pt: .*bert.model.encoder.layer.1.output.dense.bias is missing",
        ),
        (lambda m: m.update({"bert.model.more": torch.ones(1)}), "bert.model.more has no place"),
        (
            lambda m: m.update({"bert.model.embeddings.LayerNorm.bias": torch.ones(3)}),
            r"LayerNorm.bias has the shape \[3\], wanted \[128\]",
        ),
        (
            lambda m: m.pop("bert.model.embeddings.token_type_embeddings.weight"),
            r"holds no BERT under bert.model.\*: a table of",
        ),
        (
            lambda m: m.update({"decoder.bias": torch.ones(1)}),
            r"is no extractive BertSum: tensors such as decoder.bias \(1 in all\) are part of neither bert.model.\* nor encoder",
        ),
        (lambda m: m.pop("encoder.wo.bias"), "model.pt: .*wo.bias is missing"),
        (
            lambda m: [m.pop(name) for name in list(m) if name.startswith("encoder.")],
            "holds no head of BertSum",
        ),
    ],
)
def test_models_that_do_not_fit(change, said, save):
    content = checkpoint()
    change(content["model"])
    with pytest.raises(ValueError, match=said):
        convert_bertsum(save(content))


def test_a_recurrent_head_of_two_layers_is_refused(save):
    content = checkpoint("rnn")
    content["model"]["encoder.rnn.hidden0.1.weight_ih"] = torch.ones(256, 128)
    with pytest.raises(ValueError, match="rnn.hidden0.1.weight_ih has no place"):
        convert_bertsum(save(content))


# ---------------------------------------------------------------- the command


@pytest.fixture
def vocabulary(tmp_path):
    TOKENIZER.save(tmp_path / "vocabulary")
    return str(tmp_path / "vocabulary" / "vocab.txt")


def run(capsys, *arguments):
    return cli.main(["convert-bertsum", *map(str, arguments)]), *capsys.readouterr()


@pytest.mark.parametrize("kind", ["transformer", "rnn", "classifier"])
def test_the_command_writes_a_folder_that_summarises(
    kind, tmp_path, save, vocabulary, capsys, recwarn
):
    status, out, _ = run(
        capsys, save(checkpoint(kind)), "--out", tmp_path / "out", "--vocab", vocabulary
    )
    assert (
        status == 0
        and out.startswith(f"{tmp_path / 'out'}: a BertSumExt with the head '{kind}', ")
        and len(out.splitlines()) == 1
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "config.json",
        "model.safetensors",
        "tokenizer_config.json",
        "vocab.txt",
    ]
    model = from_pretrained(tmp_path / "out")
    torch.testing.assert_close(scores(model), wanted_scores(kind), rtol=0, atol=2e-6)
    opened, tokenizer = open_summarizer(str(tmp_path / "out"))
    assert torch.equal(scores(opened), scores(model)) and tokenizer.vocab == TOKENIZER.vocab
    assert BertConfig.from_json_file(tmp_path / "out" / "config.json") == model.config
    assert not [str(warning.message) for warning in recwarn if "minibert" in str(warning.filename)]


def test_the_command_without_a_vocabulary_says_so(tmp_path, save, capsys):
    status, out, _ = run(capsys, save(checkpoint()), "--out", tmp_path / "out", "--num-heads", "2")
    assert status == 0 and "it has no vocabulary: put the vocab.txt" in out
    assert (
        json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))["sentence_head"][
            "sizes"
        ]["num_heads"]
        == 2
    )


def test_the_commands_errors_are_one_line_and_leave_nothing(tmp_path, save, vocabulary, capsys):
    path = save(checkpoint())
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note").write_text("mine")
    (tmp_path / "short.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n")
    for arguments, said in [
        (
            (path, "--out", tmp_path / "full"),
            "full already exists and is not empty: name a new folder with --out",
        ),
        ((path, "--out", path), "model.pt is a file; name a new folder with --out"),
        (
            (path, "--out", tmp_path / "out", "--vocab", tmp_path / "short.txt"),
            "has 5 tokens, but the model has 35",
        ),
        (
            (path, "--out", tmp_path / "out", "--vocab", tmp_path / "none.txt"),
            "no vocabulary file at",
        ),
        ((path, "--out", tmp_path / "out", "--num-heads", "7"), "num_attention_heads 7"),
        (
            (path, "--out", tmp_path / "out", "--num-heads", "0"),
            "num_attention_heads must be a whole number of at least 1, not 0",
        ),
        ((vocabulary, "--out", tmp_path / "out"), "vocab.txt is no checkpoint of BertSum"),
        ((tmp_path / "none.pt", "--out", tmp_path / "out"), "cannot read"),
    ]:
        status, out, err = run(capsys, *arguments)
        assert status == 2 and not out and said in err and err.strip().count("\n") == 0, err
        assert not (tmp_path / "out").exists()
    assert (tmp_path / "full" / "note").read_text() == "mine"


def test_the_command_refuses_numbers_that_are_none_and_heads_of_a_linear_head(
    tmp_path, save, capsys
):
    content, out = checkpoint("classifier"), tmp_path / "out"
    status, _, err = run(capsys, save(content), "--out", out, "--num-heads", "2")
    assert status == 2 and "--num-heads has no meaning for this checkpoint" in err
    next(iter(content["model"].values()))[0, 0] = torch.nan
    status, _, err = run(capsys, save(content), "--out", out)
    assert status == 2 and "holds numbers that are NaN or infinite" in err and not out.exists()
