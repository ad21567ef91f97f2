"""`minibert pretrain`: a corpus in, a BERT out; stopped and resumed at any moment."""

import argparse
import datetime
import os
import platform
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy
import tokenizers
import torch

from minibert import __version__
from minibert.checkpoint import from_pretrained, save_pretrained
from minibert.commands import device_kind
from minibert.commands.pretrain_options import EVAL_ROWS, OF_A_SESSION, REMEMBERED, add_options, make_rhythm, make_settings, refuse_changes
from minibert.config import BertConfig
from minibert.distributed import ProcessLost, Processes, joined, own_device, whole_model
from minibert.fast import keep_freed_memory
from minibert.heads import BertForPreTraining
from minibert.held_out import HeldOut
from minibert.resume import checkpoints, resume_newest
from minibert.run_folder import NO_HELD_OUT, RunFolder, code_digest
from minibert.run_loop import train
from minibert.training import Pretraining


def add(commands) -> None:
    add_options(commands, run_pretrain)


def run_pretrain(arguments: argparse.Namespace) -> int:
    given = {name: value for name, value in vars(arguments).items() if name not in ("command", "run")}
    resume, out = given.pop("resume", False), Path(given.pop("out"))
    session = {name: given.pop(name) for name in (*OF_A_SESSION, *REMEMBERED) if name in given}
    if session.get("tensorboard"):
        _tensorboard()              # before anything is written
    if "threads" in session:
        torch.set_num_threads(session["threads"])
    keep_freed_memory()
    try:
        device = own_device(device_kind(session.get("device", "auto")))
        with joined(device) as processes:
            return _pretrain(out, resume, given, session, device, processes)
    except ProcessLost as error:
        raise ValueError(f"{error}. Start all of them again with --resume") from error
    except torch.OutOfMemoryError as error:
        raise ValueError(f"the memory of {device} is too small for this: a smaller --micro-batch needs less") from error
    except OSError as error:        # a full disk, a folder that may not be written
        raise ValueError(f"{error.filename or out}: {error.strerror or error}") from error


def _pretrain(out: Path, resume: bool, given: dict, session: dict, device: torch.device, processes: Processes) -> int:
    first = processes.rank == 0
    folder = None
    try:
        if first:
            folder = _open(out, resume, given, session)
        processes.sum(torch.zeros(1))           # the others wait here until the folder is ready for them
        folder = folder or RunFolder(out, writes=False)
        session = folder.remembered | session
        is_new = not checkpoints(folder.checkpoints)
        run, held_out = _begin(folder, session, device, processes, is_new)
    except (ValueError, OSError):
        if folder and first and not resume:
            folder.abandon()
        raise
    if not is_new:
        checkpoint, complaints = resume_newest(run, folder.checkpoints)
        if first:
            for complaint in complaints:
                print(f"{complaint}. It was set aside")
            print(f"resuming from {checkpoint}")
    if first:
        _say(run, session)
        _note(run, folder, session)
    with _scalars(folder, session, run) as write_scalars:
        status = train(run, folder, make_rhythm(session, run.options.steps), held_out, write_scalars)
    model = whole_model(run.model)
    if first:
        _finish(run, model, folder)
    return status


def _open(out: Path, resume: bool, given: dict, session: dict) -> RunFolder:
    """The folder of the run, with vocabulary and tokens in it."""
    folder = RunFolder(out, None if resume else make_settings(given), given=_to_remember(session))
    if resume:
        refuse_changes(folder.settings, given)
    try:
        folder.prepare()
    except (ValueError, OSError):
        if not resume:
            folder.abandon()
        raise
    return folder


def _begin(folder: RunFolder, session: dict, device: torch.device, processes: Processes, is_new: bool) -> tuple[Pretraining, HeldOut | None]:
    """The run before its first step, and its held-out evaluation."""
    settings, options = folder.settings, folder.settings.options
    tokenizer, training, text = folder.prepare()
    torch.manual_seed(options.seed)
    if settings.start and is_new:
        dropout = {} if settings.dropout is None else {"hidden_dropout_prob": settings.dropout, "attention_probs_dropout_prob": settings.dropout}
        model = from_pretrained(settings.start, BertForPreTraining, **dropout)
        folder.note("config", model.config.to_dict)
    else:
        model = BertForPreTraining(BertConfig.from_dict(folder.note("config", lambda: settings.config(tokenizer.vocab_size).to_dict())))
    run = Pretraining(model.to(device), training, tokenizer, options, processes, session.get("shard", False))
    if settings.held_out == NO_HELD_OUT:
        return run, None
    try:
        if text is None:
            raise ValueError("the corpus has no text left for it; --held-out names some")
        return run, HeldOut(text, training, tokenizer, options.length, max(session.get("eval_rows", EVAL_ROWS), processes.world))
    except ValueError as error:
        if processes.rank == 0:
            print(f"no held-out evaluation: {error}")
        return run, None


@contextmanager
def _scalars(folder: RunFolder, session: dict, run: Pretraining) -> Iterator[Callable[[dict, int], None] | None]:
    """A function that gives all numbers of a log record to TensorBoard; None where that was not asked for."""
    if not session.get("tensorboard") or run.processes.rank > 0:
        yield None
        return

    def write(record: dict, step: int) -> None:
        held_out = record.get("held_out", {})
        for name, value in [(f"training/{name}", value) for name, value in record.items()] + [(f"held_out/{name}", value) for name, value in held_out.items()]:
            if name not in ("training/step", "training/held_out"):
                writer.add_scalar(name, value, step)
        writer.flush()              # so that it is there after a kill

    with _tensorboard()(folder.path / "tensorboard", purge_step=run.step + 1) as writer:
        yield write


def _tensorboard():
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise ValueError("--tensorboard needs the package tensorboard: pip install tensorboard") from error
    return SummaryWriter


def _say(run: Pretraining, session: dict) -> None:
    """Tell what is about to happen, with which means and why."""
    config, options, corpus = run.model.config, run.options, run.batches.corpus
    on_cpu = run.device.type == "cpu"
    device = str(run.device) if on_cpu else f"{run.device} ({torch.cuda.get_device_name(run.device)})"
    threads, precision = torch.get_num_threads(), str(run.precision).removeprefix("torch.")
    choices = [("device", "PyTorch finds no GPU" if on_cpu else "a GPU that PyTorch finds"),
               ("threads", "OMP_NUM_THREADS" if "OMP_NUM_THREADS" in os.environ else "as PyTorch chooses"),
               ("precision", f"this {'processor' if on_cpu else 'GPU'} computes {'' if precision == 'bfloat16' else 'faster '}in it")]
    asked = session | ({"precision": options.precision} if options.precision != "auto" else {})
    why = {name: f"--{name}" if asked.get(name, "auto") != "auto" else reason for name, reason in choices}
    parameters = sum(parameter.numel() for parameter in run.model.parameters())
    seen = options.steps * options.batch_size * options.length / len(corpus.tokens)
    processes = f" in each of {run.processes.world} processes" if run.processes.world > 1 else ""
    print(f"computing on {device} ({why['device']}){processes}, {threads} {'thread' if threads == 1 else 'threads'} ({why['threads']}), "
          f"in {precision} ({why['precision']})")
    print(f"model: {config.num_hidden_layers} layers, hidden size {config.hidden_size}, {config.vocab_size:,} word pieces, {parameters:,} parameters")
    print(f"text: {len(corpus.tokens):,} tokens in {len(corpus.documents) - 1:,} documents; {options.steps:,} steps of "
          f"{options.batch_size * options.length:,} tokens go through it {seen:.1f} times", flush=True)


def _note(run: Pretraining, folder: RunFolder, session: dict) -> None:
    """Note this session in run.json, and say in what it differs from the one before."""
    now = {"processes": run.processes.world, "device": run.device.type, "threads": torch.get_num_threads(),
           "precision": str(run.precision).removeprefix("torch."), "code": code_digest(),
           "versions": {"minibert": __version__, "python": platform.python_version(), "torch": torch.__version__,
                        "numpy": numpy.__version__, "tokenizers": tokenizers.__version__}}
    before = folder.sessions[-1] if folder.sessions and run.step else {}
    if different := [name for name in now if name in before and before[name] != now[name]]:
        print(f"note: {', '.join(different)} {'differs' if len(different) == 1 else 'differ'} from the last session "
              "(run.json has both): the run goes on, but perhaps not bit for bit")
    folder.add_session({"command": shlex.join(["minibert", *sys.argv[1:]]), "from_step": run.step,
                        "time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                        "given": _to_remember(session), **now})


def _to_remember(session: dict) -> dict:
    return {name: session[name] for name in REMEMBERED if name in session}


def _finish(run: Pretraining, model: BertForPreTraining, folder: RunFolder) -> None:
    """Save the model of a run that is at its end, or say how to go on."""
    if run.step < run.options.steps:
        print(f"stopped at step {run.step:,} of {run.options.steps:,}; go on with: minibert pretrain --out {shlex.quote(str(folder.path))} --resume")
        return
    save_pretrained(model, folder.model, run.batches.tokenizer)
    print(f"finished: the model is in {folder.model}. Try it: minibert fill-mask 'The [MASK] of the city.' --model {shlex.quote(str(folder.model))}")
