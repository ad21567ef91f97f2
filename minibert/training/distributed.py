"""Training in several processes that torchrun started: ranks, sums over all ranks, DDP and FSDP.

With DDP, every process holds the whole model and reads its own sequences; the gradients are summed
over the processes after each batch (Li et al. 2020). With FSDP (fully_shard), every process keeps
only its shard of each weight, gradient and optimiser moment, and gathers a layer from the others
when it needs it (Zhao et al. 2023).
"""

import os
import re
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from minibert.config import InputError

# the environment variables that torchrun sets
TORCHRUN = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
# how long processes wait for each other: rank 0 may be writing a large checkpoint
TIMEOUT = timedelta(minutes=30)

Model = TypeVar("Model", bound=nn.Module)


class ProcessLost(RuntimeError):
    """Another process of the run has ended, so this one cannot continue."""


@dataclass(frozen=True)
class ProcessGroup:
    """The processes of a run; by default, there is only this one."""

    rank: int = 0  # of this process, counted from 0
    world: int = 1  # number of processes

    def sum(self, values: Tensor) -> Tensor:
        """Sum a CPU tensor over all processes, in place; every process gets the same result."""
        if self.world > 1:
            dist.all_reduce(values)
        return values

    def check_alike(self, **facts: object) -> None:
        """Check that every process has the same facts, such as settings or file contents.

        Raises an InputError in every process if any of them differ.
        """
        if self.world == 1:
            return
        digests = torch.tensor([zlib.crc32(repr(fact).encode()) for fact in facts.values()])
        lowest, highest = digests.clone(), digests.clone()
        dist.all_reduce(lowest, dist.ReduceOp.MIN)
        dist.all_reduce(highest, dist.ReduceOp.MAX)
        same = (lowest == highest).tolist()
        different = [name for name, alike in zip(facts, same, strict=True) if not alike]
        if different:
            mine = ", ".join(f"{name} {facts[name]!r}" for name in different)
            raise InputError(
                f"the processes of this run differ in their {' and '.join(different)}: start the "
                f"same command on every machine; process {self.rank} has {mine}"
            )

    def wrap_parallel(self, forward: nn.Module, shard: bool, all_used: bool) -> nn.Module:
        """Wrap the module that computes the losses: with FSDP if `shard` is set, otherwise DDP.

        A single process needs no DDP, so its module is returned unchanged. All processes start from
        the weights of rank 0. `all_used` says whether every parameter gets a gradient in every
        step. FSDP replaces the parameters, so create the optimisers after this call.
        """
        if shard:
            return _shard(forward, self.world)
        if self.world == 1:
            return forward
        # no device_ids: pretraining.fused moves the batches to the device itself
        return DistributedDataParallel(
            forward,
            find_unused_parameters=not all_used,
        )


def accumulate(forward: nn.Module, last: bool) -> AbstractContextManager[None]:
    """The context for one of several micro-batches whose gradients are accumulated.

    With DDP, gradients are summed over the processes for the last micro-batch only. FSDP sums them
    for each one, because unsharded gradients would need the memory that sharding saves.
    """
    return (
        nullcontext()
        if last or not isinstance(forward, DistributedDataParallel)
        else forward.no_sync()
    )


# -- joining and leaving ---------------------------------------------------------------------------


def started_by_torchrun() -> bool:
    """Whether this process was started by torchrun."""
    return all(name in os.environ for name in TORCHRUN)


def own_device(kind: str) -> torch.device:
    """This process's device; with several GPUs, the one whose number is its local rank.

    Raises an InputError if torchrun started more processes than there are GPUs.
    """
    if kind != "cuda" or not started_by_torchrun():
        return torch.device(kind)
    number = int(os.environ["LOCAL_RANK"])
    processes = int(os.environ.get("LOCAL_WORLD_SIZE", 1))
    found = torch.cuda.device_count()
    if processes > found:
        raise InputError(
            f"torchrun started {processes} processes on a machine with {found} GPUs: "
            f"start it with --nproc-per-node {found}, or use the device cpu"
        )
    return torch.device("cuda", number)


@contextmanager
def joined(device: torch.device) -> Iterator[ProcessGroup]:
    """Join the process group that torchrun started, and leave it at the end.

    Without torchrun, the group has this process only. If a process dies, the remaining ones raise
    ProcessLost. Raises an InputError for a device that cannot be shared, such as mps.
    """
    if not started_by_torchrun():
        yield ProcessGroup()
        return
    if device.type == "cuda":
        torch.cuda.set_device(device)
    elif device.type != "cpu":
        raise InputError(
            f"several processes can share CPUs or NVIDIA GPUs, not the device {device.type}: "
            "use cpu"
        )
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    try:
        # counts and flags are summed on the CPU, so gloo is needed besides NCCL
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo", timeout=TIMEOUT
        )
        yield ProcessGroup(rank, world)
    except RuntimeError as error:
        if _is_connection_error(error):
            raise ProcessLost(
                f"another process of this run has ended, so process {rank} of {world} stops too"
            ) from error
        raise
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def _is_connection_error(error: RuntimeError) -> bool:
    # gloo raises a plain RuntimeError whose message begins with a path in gloo's source
    return (
        isinstance(error, dist.DistError)
        or re.search(r"gloo[/\\]transport", str(error)) is not None
    )


# -- FSDP ------------------------------------------------------------------------------------------


def _shard(forward: nn.Module, world: int) -> nn.Module:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    if not dist.is_initialized():
        raise InputError(
            "sharding needs torchrun, also for one process: "
            "torchrun --nproc-per-node 1 -m minibert …"
        )
    for tensor in (*forward.parameters(), *forward.buffers()):
        dist.broadcast(tensor.data, src=0)
    mesh = init_device_mesh(next(forward.parameters()).device.type, (world,))
    layers: nn.ModuleList = forward.layers  # type: ignore[assignment]
    for layer in layers:
        fully_shard(layer, mesh=mesh)
    sharded: nn.Module = fully_shard(forward, mesh=mesh)  # type: ignore[assignment]
    return sharded


def full_tensor(tensor: Tensor) -> Tensor:
    """Gather a sharded tensor; a tensor that is not sharded is returned unchanged.

    Every process must call this, and every process gets the full tensor.
    """
    if not hasattr(tensor, "full_tensor"):
        return tensor
    whole: Tensor = tensor.full_tensor()
    return whole


def shard_like(tensor: Tensor, like: Tensor) -> Tensor:
    """Shard a full tensor in the same way as `like`; unchanged if `like` is not sharded."""
    if not hasattr(like, "full_tensor"):
        return tensor
    from torch.distributed.tensor import DTensor, distribute_tensor  # slow to import

    assert isinstance(like, DTensor)
    whole = tensor.to(like.device)
    return distribute_tensor(whole, like.device_mesh, like.placements, src_data_rank=None)


def full_model(model: Model) -> Model:
    """The model itself, or under FSDP an unsharded copy on the CPU; every process must call it."""
    if not any(hasattr(parameter, "full_tensor") for parameter in model.parameters()):
        return model
    copy = type(model)(model.config)
    copy.load_state_dict(
        {name: full_tensor(tensor).cpu() for name, tensor in model.state_dict().items()},
        assign=True,
    )
    return copy
