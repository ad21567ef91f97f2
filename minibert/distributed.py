"""One run on many processes, as torchrun starts them: who is who, sums over all, the model shared out.

With DDP every process holds the whole model and sees its own rows; gradients are added up after each batch. With FSDP
(fully_shard) every process also keeps only its part of each weight, gradient and moment, and asks the others for a
layer when it needs it. Li et al. 2020 and Zhao et al. 2023 describe the two.
"""

import os
import re
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

TORCHRUN = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")      # what it puts into the environment
TIMEOUT = timedelta(minutes=30)         # for the others to arrive: the first one may be writing a large checkpoint


class ProcessLost(RuntimeError):
    """Another process of the run has ended, and nothing can be added up without it."""


@dataclass(frozen=True)
class Processes:
    """The processes of a run, and which of them this one is; alone by default, where everything here costs nothing."""

    rank: int = 0
    world: int = 1

    def sum(self, values: Tensor) -> Tensor:
        """The sum over all processes of a tensor on the CPU, the same on each of them."""
        if self.world > 1:
            dist.all_reduce(values)
        return values

    def check_alike(self, **facts) -> None:
        """Raise a ValueError, in every process, where one was started with something else than the others."""
        if self.world == 1:
            return
        digests = torch.tensor([zlib.crc32(repr(fact).encode()) for fact in facts.values()])       # [facts]
        lowest, highest = digests.clone(), digests.clone()
        dist.all_reduce(lowest, dist.ReduceOp.MIN)
        dist.all_reduce(highest, dist.ReduceOp.MAX)
        different = [name for name, same in zip(facts, lowest == highest) if not same]
        if different:
            raise ValueError(f"the processes of this run differ in their {' and '.join(different)}: start the same command on every "
                             f"machine; process {self.rank} has {', '.join(f'{name} {facts[name]!r}' for name in different)}")

    def share_out(self, forward: nn.Module, shard: bool, all_used: bool) -> nn.Module:
        """Wrap what computes the losses: with DDP, or with FSDP where `shard` is set; alone it stays as it is.

        All processes begin with the weights of the first. `all_used` says whether every parameter gets a gradient.
        FSDP replaces the parameters, so optimisers are made afterwards.
        """
        if shard:
            return _shard(forward, self.world)
        if self.world == 1:
            return forward
        device = next(forward.parameters()).device
        return DistributedDataParallel(forward, device_ids=[device] if device.type == "cuda" else None, find_unused_parameters=not all_used)


def accumulate(forward: nn.Module, last: bool) -> AbstractContextManager:
    """Around one of several passes before an update: DDP adds gradients up over the processes in the last one only.

    FSDP does it in each, because whole gradients would need the memory that it is there to save.
    """
    return nullcontext() if last or not isinstance(forward, DistributedDataParallel) else forward.no_sync()


# -- joining and leaving -----------------------------------------------------------------------------------------------

def started_by_torchrun() -> bool:
    return all(name in os.environ for name in TORCHRUN)


def own_device(kind: str) -> torch.device:
    """This process's device: of several GPUs the one with its number on this machine."""
    if kind != "cuda" or not started_by_torchrun():
        return torch.device(kind)
    number, processes, found = int(os.environ["LOCAL_RANK"]), int(os.environ.get("LOCAL_WORLD_SIZE", 1)), torch.cuda.device_count()
    if processes > found:
        raise ValueError(f"torchrun started {processes} processes on a machine with {found} GPUs: "
                         f"start it with --nproc-per-node {found}, or use the device cpu")
    return torch.device("cuda", number)


@contextmanager
def joined(device: torch.device) -> Iterator[Processes]:
    """Join the other processes that torchrun started, and leave them at the end; alone without torchrun.

    Raises ProcessLost, in every process that is left, when one of them has died.
    """
    if not started_by_torchrun():
        yield Processes()
        return
    if device.type == "cuda":
        torch.cuda.set_device(device)
    elif device.type != "cpu":
        raise ValueError(f"several processes can share CPUs or NVIDIA GPUs, not the device {device.type}: use cpu")
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    try:
        # numbers of the program itself are on the CPU everywhere, so gloo is there beside NCCL
        dist.init_process_group("cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo", timeout=TIMEOUT)
        yield Processes(rank, world)
    except RuntimeError as error:
        if _is_about_the_others(error):
            raise ProcessLost(f"another process of this run has ended, so process {rank} of {world} stops too") from error
        raise
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def _is_about_the_others(error: RuntimeError) -> bool:
    # gloo raises a bare RuntimeError that begins with the place in its source
    return isinstance(error, dist.DistError) or re.search(r"gloo[/\\]transport", str(error)) is not None


# -- FSDP --------------------------------------------------------------------------------------------------------------

def _shard(forward: nn.Module, world: int) -> nn.Module:
    try:
        from torch.distributed.fsdp import fully_shard
    except ImportError as error:
        raise ValueError(f"sharding needs PyTorch 2.6 or later; this is {torch.__version__}") from error
    if not dist.is_initialized():
        raise ValueError("sharding needs torchrun, also for one process: torchrun --nproc-per-node 1 -m minibert …")
    for tensor in (*forward.parameters(), *forward.buffers()):
        dist.broadcast(tensor.data, src=0)
    mesh = dist.init_device_mesh(next(forward.parameters()).device.type, (world,))
    for layer in forward.layers:
        fully_shard(layer, mesh=mesh)
    return fully_shard(forward, mesh=mesh)


def whole(tensor: Tensor) -> Tensor:
    """All of a tensor of which every process has a part; every process must ask for it. Others stay as they are."""
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def part_like(tensor: Tensor, like: Tensor) -> Tensor:
    """This process's part of a tensor that every process has, cut as `like` is; all of it where `like` is not cut."""
    if not hasattr(like, "full_tensor"):
        return tensor
    from torch.distributed.tensor import distribute_tensor
    return distribute_tensor(tensor.to(like.device), like.device_mesh, like.placements, src_data_rank=None)


def whole_model(model: nn.Module) -> nn.Module:
    """A model whose tensors are whole: itself, or under FSDP a copy on the CPU; every process must ask for it."""
    if not any(hasattr(parameter, "full_tensor") for parameter in model.parameters()):
        return model
    copy = type(model)(model.config)
    copy.load_state_dict({name: whole(tensor).cpu() for name, tensor in model.state_dict().items()}, assign=True)
    return copy
