"""Several processes: the same numbers as one, whatever they share out; and what happens when one of them dies."""

import multiprocessing
import os
import socket
from unittest.mock import patch

import numpy as np
import pytest
import torch
from deviation import deviation
from torch.nn.parallel import DistributedDataParallel

from minibert import BertConfig, BertForPreTraining, WordPieceTokenizer
from minibert.data import TokenFile, write_tokens
from minibert.hub.safetensors_io import read_tensors
from minibert.pretraining import trainer as training
from minibert.pretraining.batches import Batches
from minibert.pretraining.checkpointing import checkpoints, load_checkpoint, save_checkpoint
from minibert.pretraining.fused import FusedPreTraining
from minibert.pretraining.options import PretrainingOptions
from minibert.pretraining.trainer import Pretraining
from minibert.training.distributed import (
    ProcessGroup,
    ProcessLost,
    accumulate,
    full_model,
    full_tensor,
    joined,
    own_device,
)

V = 60
TOKENIZER = WordPieceTokenizer(
    {
        token: i
        for i, token in enumerate(
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{i}" for i in range(5, V))]
        )
    }
)
OPTIONS = dict(
    steps=5,
    batch_size=12,
    micro_batch=12,
    short_length=8,
    short_share=0.2,
    length=16,
    long_length=32,
    long_share=0.4,
    warmup=1,
    clip=0.5,
)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory) -> TokenFile:
    draw = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("corpus") / "text.tokens"
    write_tokens(
        path,
        (
            [
                draw.integers(5, V, draw.integers(2, 12)).tolist()
                for _ in range(draw.integers(1, 15))
            ]
            for _ in range(40)
        ),
        V,
    )
    return TokenFile(path)


# -- starting processes ------------------------------------------------------------------------------------------------

CONTEXT = multiprocessing.get_context("spawn" if os.name == "nt" else "forkserver")
CONTEXT.set_forkserver_preload(
    ["minibert.pretraining.trainer", "torch.distributed.fsdp", "torch.optim"]
)


def in_processes(world: int, work, *arguments, on_gpu: bool = False) -> list:
    """Call work(processes, *arguments) in `world` processes as torchrun would; what each returned, or its exception."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    children = []
    for rank in range(world):
        mine, theirs = CONTEXT.Pipe(duplex=False)
        child = CONTEXT.Process(
            target=one_process,
            args=(theirs, rank, world, port, work, arguments, on_gpu),
            daemon=True,
        )
        child.start()
        theirs.close()
        children.append((child, mine))
    results = []
    for child, pipe in children:
        try:
            results.append(
                pipe.recv() if pipe.poll(120) else TimeoutError("no answer within two minutes")
            )
        except EOFError as error:  # it was killed
            results.append(error)
        child.join(20)
    return results


def one_process(pipe, rank, world, port, work, arguments, on_gpu) -> None:
    torch.set_num_threads(1)
    os.environ |= {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(world),
        "LOCAL_WORLD_SIZE": str(world),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }
    try:
        with joined(own_device("cuda" if on_gpu else "cpu")) as processes:
            pipe.send(work(processes, *arguments))
    except Exception as error:
        pipe.send(error)


def make_run(
    path, processes, shard=False, dropout=0.0, device="cpu", dtype=torch.float64, **changes
) -> Pretraining:
    """A run in double precision, so that nothing but the order of sums can differ."""
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=V,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=32,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    model = BertForPreTraining(config).to(device, dtype)
    with patch.object(training, "choose_precision", lambda wanted, device: dtype):
        return Pretraining(
            model,
            TokenFile(path),
            TOKENIZER,
            PretrainingOptions(**OPTIONS | changes),
            processes,
            shard,
        )


def train(processes, path, shard=False, **changes):
    """All steps; what was logged, and the weights as arrays."""
    run = make_run(path, processes, shard, **changes)
    logged = [run.train_step() for _ in range(run.options.steps)]
    return logged, {
        name: full_tensor(tensor).numpy() for name, tensor in run.model.state_dict().items()
    }


def test_too_many_processes_for_a_batch_are_refused(corpus):
    with pytest.raises(
        ValueError, match=r"7 processes cannot share a batch of 6 sequences: raise batch_size 12"
    ):
        make_run(corpus.path, ProcessGroup(rank=2, world=7))


# -- several processes are one -----------------------------------------------------------------------------------------

VARIANTS = [
    dict(),
    dict(optimizer="adamw"),
    dict(next_sentence=False, micro_batch=2),
    dict(micro_batch=3),
]


def train_variants(processes, path, variants):
    return [train(processes, path, **changes) for changes in variants]


def assert_same_run(found, wanted):
    for mine, theirs in zip(found[0], wanted[0], strict=True):
        assert vars(mine) == pytest.approx(vars(theirs), rel=1e-12)
    for name, array in wanted[1].items():
        assert np.abs(found[1][name] - array).max() < 1e-13, name


@pytest.mark.parametrize("world", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_several_processes_learn_what_one_learns(corpus, world):
    """Losses, accuracies, gradient norms and weights of every step; rows short and long, with accumulation and without."""
    alone = train_variants(ProcessGroup(), corpus.path, VARIANTS)
    assert (
        len({alone[0][0][-1].mlm_loss, alone[1][0][-1].mlm_loss, alone[2][0][-1].mlm_loss}) == 3
    ), "the variants differ"
    for results in in_processes(world, train_variants, corpus.path, VARIANTS):
        for found, wanted in zip(results, alone, strict=True):
            assert_same_run(found, wanted)


@deviation(
    "The mean over a batch",
    original="sum / (count + 1e-5) of each batch on its own",
    reference="a mean of each micro-batch, and then a mean of means (mended in its later versions)",
    here="the sum over all micro-batches and processes, divided by the number of predictions in all of them",
    why="a micro-batch with three masked words must not count as much as one with thirty",
)
def test_accumulation_is_the_big_batch(corpus):
    big, *small = (train(ProcessGroup(), corpus.path, micro_batch=rows) for rows in (12, 6, 5, 1))
    for found in small:
        assert_same_run(found, big)


def test_gradients_travel_once_an_update():
    wrapped = DistributedDataParallel.__new__(
        DistributedDataParallel
    )  # no processes needed for this
    torch.nn.Module.__init__(wrapped)
    wrapped.require_backward_grad_sync = True
    for last in (False, True):
        with accumulate(wrapped, last):
            assert wrapped.require_backward_grad_sync is last
    with accumulate(torch.nn.Linear(1, 1), last=False):
        pass


DROPOUT = [dict(dropout=0.2, micro_batch=6)]


def test_with_dropout_too_where_the_micro_batches_are_the_same(corpus):
    alone = train_variants(ProcessGroup(), corpus.path, DROPOUT)
    assert alone[0][0] != train(ProcessGroup(), corpus.path, micro_batch=6)[0]
    for found in in_processes(2, train_variants, corpus.path, DROPOUT):
        assert_same_run(found[0], alone[0])


# -- sharded -----------------------------------------------------------------------------------------------------------

SHARDED = [dict(optimizer="adamw"), dict(optimizer="adamw", next_sentence=False, micro_batch=3)]


def train_sharded(processes, path, folder):
    """The variants, sharded; then one of them stopped after three steps, with a checkpoint, and gone on with from it."""
    results = [train(processes, path, shard=True, **changes) for changes in SHARDED]
    run = make_run(path, processes, shard=True, **SHARDED[0])
    parts = {
        name: (parameter.to_local().numel(), parameter.numel())
        for name, parameter in run.model.named_parameters()
    }
    moments_before = [run.train_step() for _ in range(3)]
    save_checkpoint(run, folder)
    processes.sum(torch.zeros(1))  # nobody reads before the first process has written
    again = make_run(path, processes, shard=True, **SHARDED[0])
    load_checkpoint(again, checkpoints(folder)[-1])
    rest = [again.train_step() for _ in range(2)]
    results.append(
        (
            moments_before + rest,
            {
                name: full_tensor(tensor).numpy()
                for name, tensor in again.model.state_dict().items()
            },
        )
    )
    return results, parts


def test_sharded_processes_learn_what_one_learns_and_hold_a_part_each(corpus, tmp_path):
    alone = train_variants(ProcessGroup(), corpus.path, SHARDED + SHARDED[:1])
    found = in_processes(2, train_sharded, corpus.path, tmp_path)
    for results, _parts in found:
        for mine, wanted in zip(results, alone, strict=True):
            assert_same_run(mine, wanted)
    for name in found[0][1]:
        mine, all_of_it = zip(*(parts[name] for _, parts in found))
        assert sum(mine) == all_of_it[0] and max(mine) <= all_of_it[0] / 2 + 24, (
            f"{name}: no row more than half of them"
        )
    # state on disk knows no processes: one alone goes on with what two sharded ones wrote
    run = make_run(corpus.path, ProcessGroup(), **SHARDED[0])
    load_checkpoint(run, checkpoints(tmp_path)[-1])
    rest = [run.train_step() for _ in range(2)]
    assert_same_run(
        (rest, {name: tensor.numpy() for name, tensor in run.model.state_dict().items()}),
        (alone[0][0][3:], alone[0][1]),
    )


def test_sharding_needs_adamw(corpus):
    with pytest.raises(ValueError, match="a sharded model needs the optimizer adamw, not muon"):
        make_run(corpus.path, ProcessGroup(), shard=True)


def test_sharding_needs_torchrun(corpus):
    with pytest.raises(ValueError, match="sharding needs torchrun, also for one process"):
        make_run(corpus.path, ProcessGroup(), shard=True, optimizer="adamw")


# -- the tied table ----------------------------------------------------------------------------------------------------


def look_at_the_tie(processes, path, folder):
    """Under DDP, then FSDP, then saved: whether the word table is one tensor, trained by both of its uses."""
    found = {}
    for shard in (False, True):
        run = make_run(path, processes, shard=shard, optimizer="adamw")
        run.train_step()
        tables = [
            name for name, parameter in run.model.named_parameters() if parameter.shape == (V, 16)
        ]
        before = full_tensor(run.model.bert.embeddings.word_embeddings.weight).clone()
        # "w5 w5" never occurs as an input below, so only the decoder can move its row; [MASK] is never predicted
        micro_batches = [
            ({name: tensor.clone() for name, tensor in micro_batch.items()}, seed)
            for micro_batch, seed in run.batches.micro_batches(1, processes.rank, processes.world)
        ]
        for micro_batch, _ in micro_batches:
            micro_batch["input_ids"][micro_batch["input_ids"] == 5] = 6
        run.batches.micro_batches = lambda *place: iter(micro_batches)
        for group in run.optimizers[0].param_groups:
            group["weight_decay"] = 0.0
        optimizer_state = run.optimizers[0].state
        optimizer_state.clear()  # no momentum from the step before
        run.train_step()
        moved = (
            (full_tensor(run.model.bert.embeddings.word_embeddings.weight) - before).abs().amax(1)
        )
        save_checkpoint(run, folder / str(shard))
        found[shard] = (
            tables,
            moved[4].item(),
            moved[5].item(),
            len(full_model(run.model).state_dict()),
        )
    return found


def test_the_table_stays_one_under_ddp_and_fsdp_and_when_saved(corpus, tmp_path):
    for found in in_processes(2, look_at_the_tie, corpus.path, tmp_path):
        for tables, as_input, as_output, tensors in found.values():  # noqa: B007
            assert tables == ["bert.embeddings.word_embeddings.weight"]
            assert as_input > 0, "[MASK] is an input only"
            assert as_output > 0, "w5 is a prediction only"
    ddp, fsdp = (
        read_tensors(checkpoints(tmp_path / str(shard))[-1] / "model.safetensors")
        for shard in (False, True)
    )
    assert ddp.keys() == fsdp.keys() and not any("decoder" in name for name in ddp)
    for name, tensor in ddp.items():
        assert torch.allclose(tensor, fsdp[name], rtol=0, atol=1e-13), name
    assert tensors == len(ddp)


@pytest.mark.parametrize(
    "move",
    [
        lambda model: model.to("meta"),
        lambda model: model.to(torch.float64),
        lambda model: model.half().float(),
    ],
    ids=["device", "precision", "there and back"],
)
def test_the_table_stays_one_when_moved(move):
    model = move(
        BertForPreTraining(
            BertConfig(
                vocab_size=V,
                hidden_size=16,
                num_hidden_layers=1,
                num_attention_heads=2,
                intermediate_size=24,
            )
        )
    )
    fast = FusedPreTraining(model)
    assert fast.embeddings.word_embeddings.weight is model.bert.embeddings.word_embeddings.weight
    assert [name for name, parameter in model.named_parameters() if parameter.shape == (V, 16)] == [
        "bert.embeddings.word_embeddings.weight"
    ]


# -- processes that were not started alike -----------------------------------------------------------------------------


def start_unlike(processes, path):
    with pytest.raises(ValueError) as options:
        make_run(path, processes, seed=processes.rank)
    run = make_run(path, processes)
    run.step = 2 * processes.rank
    with pytest.raises(ValueError) as steps:
        run.train_step()
    return str(options.value), str(steps.value)


def test_processes_that_differ_are_refused_in_each(corpus):
    for rank, (options, steps) in enumerate(in_processes(2, start_unlike, corpus.path)):
        assert (
            f"differ in their options: start the same command on every machine; process {rank} has options PretrainingOptions("
            in options
        )
        assert (
            f"process {rank} is at step {2 * rank}, others are not: every machine must see the same checkpoints"
            in steps
        )


def vanish(processes, path):
    run = make_run(path, processes)
    run.train_step()
    if processes.rank == 1:
        os._exit(1)  # no farewell to the others
    run.train_step()


def test_the_others_notice_that_one_has_died(corpus):
    left, lost, other = in_processes(3, vanish, corpus.path)
    assert isinstance(lost, EOFError)
    for rank, error in ((0, left), (2, other)):
        assert (
            isinstance(error, ProcessLost)
            and str(error)
            == f"another process of this run has ended, so process {rank} of 3 stops too"
        )


# -- devices -----------------------------------------------------------------------------------------------------------


def train_on_best_device(processes, path):
    """Three steps sharded by one process: on a GPU, with NCCL, where there is one, else on the CPU, with gloo."""
    device = own_device("cuda" if torch.cuda.is_available() else "cpu")
    run = make_run(
        path, processes, shard=True, device=device, optimizer="adamw", dtype=torch.float32
    )
    layer = next(run.forward.layers[0].parameters())
    return (
        [run.train_step() for _ in range(3)],
        str(layer.device),
        torch.distributed.get_backend(layer.device_mesh.get_group()),
    )


def test_one_process_with_nccl_where_there_is_a_gpu_else_with_gloo(corpus):
    run = make_run(corpus.path, ProcessGroup(), optimizer="adamw", dtype=torch.float32)
    wanted = [run.train_step() for _ in range(3)]
    ((found, device, backend),) = in_processes(
        1, train_on_best_device, corpus.path, on_gpu=torch.cuda.is_available()
    )
    assert (device, backend) == (
        ("cuda:0", "nccl") if torch.cuda.is_available() else ("cpu", "gloo")
    )
    for mine, theirs in zip(found, wanted, strict=True):
        assert vars(mine) == pytest.approx(vars(theirs), rel=1e-4)


def of_one(monkeypatch):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for name, value in {
        "RANK": 0,
        "LOCAL_RANK": 0,
        "WORLD_SIZE": 1,
        "LOCAL_WORLD_SIZE": 1,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": port,
    }.items():
        monkeypatch.setenv(name, str(value))


def test_a_process_joins_and_leaves(monkeypatch):
    of_one(monkeypatch)
    assert not torch.distributed.is_initialized()
    with joined(torch.device("cpu")) as processes:
        assert (
            processes == ProcessGroup(0, 1)
            and torch.distributed.is_initialized()
            and torch.distributed.get_backend() == "gloo"
        )
    assert not torch.distributed.is_initialized()


def test_on_a_gpu_gloo_is_there_beside_nccl(monkeypatch):
    """For numbers of the program itself, which are on the CPU everywhere."""
    asked = []
    of_one(monkeypatch)
    monkeypatch.setattr(torch.cuda, "set_device", asked.append)
    monkeypatch.setattr(
        torch.distributed, "init_process_group", lambda backend, timeout: asked.append(backend)
    )
    with joined(torch.device("cuda", 0)):
        assert asked == [torch.device("cuda", 0), "cpu:gloo,cuda:nccl"]


def test_a_copy_of_a_sharded_model_keeps_its_precision():
    model = BertForPreTraining(
        BertConfig(
            vocab_size=V,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=24,
        )
    ).to(torch.bfloat16)
    next(model.parameters()).full_tensor = lambda: (
        None
    )  # what marks a tensor of which every process has a part
    copy = full_model(model)
    assert copy is not model and {tensor.dtype for tensor in copy.state_dict().values()} == {
        torch.bfloat16
    }
    assert all(
        torch.equal(tensor, copy.state_dict()[name]) for name, tensor in model.state_dict().items()
    )


def test_a_gpu_for_each_process(monkeypatch):
    assert own_device("cuda") == torch.device("cuda")
    for name, value in {
        "RANK": "5",
        "WORLD_SIZE": "8",
        "LOCAL_RANK": "1",
        "LOCAL_WORLD_SIZE": "4",
        "MASTER_ADDR": "a",
        "MASTER_PORT": "1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    assert own_device("cuda") == torch.device("cuda", 1) and own_device("cpu") == torch.device(
        "cpu"
    )
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(
        ValueError,
        match="torchrun started 4 processes on a machine with 2 GPUs: start it with --nproc-per-node 2",
    ):
        own_device("cuda")
    with pytest.raises(ValueError, match="not the device mps"), joined(torch.device("mps")):
        pass


def test_the_shares_of_that_run_are_unequal(corpus):
    """Else a mean over processes would pass the test above."""
    batches = Batches(corpus, TOKENIZER, PretrainingOptions(**OPTIONS))
    words = [
        [
            sum(
                int((micro_batch["labels"] != -100).sum())
                for micro_batch, _ in batches.micro_batches(step, rank, 2)
            )
            for rank in (0, 1)
        ]
        for step in range(5)
    ]
    assert sum(one != other for one, other in words) >= 4, words
