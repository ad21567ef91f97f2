"""Run `minibert pretrain`, from its options to the final model."""

import datetime
import errno
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import torch

from minibert.cli.common import device_kind, use_threads
from minibert.cli.pretrain_options import (
    EVAL_SEQUENCES,
    OF_A_SESSION,
    REMEMBERED,
    make_settings,
    refuse_changes,
)
from minibert.cli.session_options import make_intervals
from minibert.cli.streams import DISK_FULL
from minibert.config import InputError
from minibert.data.tokens import TokenFile, shared_documents
from minibert.heads import BertForPreTraining
from minibert.hub.find_pretrained import expanded
from minibert.hub.pretrained_io import save_pretrained
from minibert.model import BertPreTrainedModel
from minibert.pretraining.checkpointing import checkpoints, resume_newest
from minibert.pretraining.environment import ComputingRun, environment
from minibert.pretraining.preparation import PreparedText, Sources, open_prepared, prepare
from minibert.pretraining.run_dir import RunDir, RunFolder
from minibert.pretraining.session import SessionRun, train
from minibert.pretraining.setup import make_run, make_validation
from minibert.pretraining.trainer import Pretraining
from minibert.training.distributed import ProcessGroup, ProcessLost, full_model, joined, own_device
from minibert.training.memory import keep_freed_memory

Options = dict[str, Any]


def pretrain(given: Options) -> int:
    """Start or continue a run with the given options, and return the exit status.

    Raises an InputError for bad input, too little memory, a file that cannot be written, and if
    another process of a distributed run has ended.
    """
    resume, out = given.pop("resume", False), expanded(given.pop("out"))
    session = {name: given.pop(name) for name in (*OF_A_SESSION, *REMEMBERED) if name in given}
    if session.get("tensorboard"):
        _summary_writer()  # raises an error before anything is written
    keep_freed_memory()
    device: torch.device | str = "the device"
    try:
        device = own_device(device_kind(session.get("device", "auto")))
        with joined(device) as processes:
            return _pretrain(out, resume, given, session, device, processes)
    except ProcessLost as error:
        raise InputError(f"{error}. Start all of them again with --resume") from error
    except torch.OutOfMemoryError as error:
        raise InputError(f"out of memory on {device}: use a smaller --micro-batch") from error
    except OSError as error:  # for example, the disk is full or the folder is read-only
        raise_about_folder(error, out)


def raise_about_folder(error: OSError, out: Path) -> NoReturn:
    """Raise an InputError about the folder of a run, or again what may be standard output's."""
    if error.errno == errno.EPIPE or (error.filename is None and error.errno in DISK_FULL):
        raise error
    raise InputError(f"{error.filename or out}: {error.strerror or error}") from error


def _pretrain(
    out: Path,
    resume: bool,
    given: Options,
    session: Options,
    device: torch.device,
    processes: ProcessGroup,
) -> int:
    first = processes.rank == 0
    run_dir = None
    try:
        if first:
            run_dir, text = _open(out, resume, given, session)
        processes.sum(torch.zeros(1))  # the other processes wait here until the folder is ready
        if run_dir is None:
            run_dir = RunDir.open(out, writes=False)
            text = open_prepared(run_dir)
        session = run_dir.remembered | session
        if "threads" in session:
            use_threads(session["threads"])
        is_new = not checkpoints(run_dir.checkpoints)
        run = make_run(run_dir, text, device, processes, session.get("shard", False), is_new)
        sequences = session.get("eval_sequences", EVAL_SEQUENCES)
        validation = make_validation(run_dir, text, processes, sequences)
    except Exception:
        if run_dir and first and not resume:
            run_dir.abandon()
        raise
    if not is_new:
        checkpoint, complaints = resume_newest(run, run_dir.checkpoints)
        if first:
            for complaint in complaints:
                print(f"{complaint}. It was set aside")
            print(f"resuming from {checkpoint}")
    try:
        if first:
            announce_machine(run, session, asked_precision=run.options.precision)
            _announce(run)
            record_session(run, run_dir, session)
        intervals = make_intervals(session, run.options.steps)
        with _scalars(run_dir, session, run) as write_scalars:
            status = train(run, run_dir, intervals, validation, write_scalars)
    except Exception:
        if first and not resume and run.step == 0:  # such as too little memory for a step
            run_dir.abandon()
        raise
    model = full_model(run.model)
    if first:
        _finish(run, model, run_dir)
    return status


def _open(out: Path, resume: bool, given: Options, session: Options) -> tuple[RunDir, PreparedText]:
    """Create or open the run's folder, and prepare its vocabulary and tokens; for rank 0 only."""
    if resume:
        run_dir = RunDir.open(out)
        refuse_changes(run_dir.settings, given)
        return run_dir, prepare(run_dir)
    settings = make_settings(given)
    sources = Sources.find(settings)  # raises an error before anything is written
    run_dir = RunDir.create(out, settings, to_remember(session))
    try:
        text = prepare(run_dir, sources)
        if settings.held_out and text.validation is not None:
            _note_trained_on(text.validation, text.training)
    except Exception:
        run_dir.abandon()
        raise
    return run_dir, text


def _note_trained_on(held_out: TokenFile, training: TokenFile) -> None:
    """Say how many documents are trained on that --held-out has; files are compared before."""
    if count := shared_documents(held_out, training):
        print(
            f"note: {count:,} of {len(held_out.documents) - 1:,} documents of --held-out are in "
            "the corpus, too: the validation says little about new text"
        )


@contextmanager
def _scalars(
    run_dir: RunDir, session: Options, run: Pretraining
) -> Iterator[Callable[[Options, int], None] | None]:
    """A function that writes a log record to TensorBoard; None without --tensorboard."""
    if not session.get("tensorboard") or run.processes.rank > 0:
        yield None
        return

    def write(record: Options, step: int) -> None:
        for name, value in record.items():
            if name == "held_out":
                for score, number in value.items():
                    writer.add_scalar(f"held_out/{score}", number, step)
            elif name != "step":
                writer.add_scalar(f"training/{name}", value, step)
        writer.flush()  # so that it is not lost if the process is killed

    with _summary_writer()(run_dir.path / "tensorboard", purge_step=run.step + 1) as writer:
        yield write


def _summary_writer() -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter  # needs an optional package
    except ImportError as error:
        raise InputError(
            "--tensorboard needs the package tensorboard: pip install tensorboard"
        ) from error
    return SummaryWriter


def announce_machine(run: ComputingRun, session: Options, asked_precision: str) -> None:
    """Print the device, the threads and the precision of a run, and why they were chosen."""
    threads = torch.get_num_threads()
    precision = str(run.precision).removeprefix("torch.")
    on_cpu = run.device.type == "cpu"
    if on_cpu:
        device, chip, device_reason = "cpu", "processor", "PyTorch finds no GPU"
    else:
        device = f"{run.device} ({torch.cuda.get_device_name(run.device)})"
        chip, device_reason = "GPU", "PyTorch finds this GPU"
    verb = "supports it" if precision == "bfloat16" else "is faster with it"
    reasons = {
        "device": device_reason,
        "threads": "OMP_NUM_THREADS" if "OMP_NUM_THREADS" in os.environ else "PyTorch's choice",
        "precision": f"this {chip} {verb}",
    }
    requested = session | {"precision": asked_precision}
    why = {
        name: f"--{name}" if requested.get(name, "auto") != "auto" else reason
        for name, reason in reasons.items()
    }
    processes = f" in each of {run.processes.world} processes" if run.processes.world > 1 else ""
    print(
        f"computing on {device} ({why['device']}){processes}, "
        f"{threads} {'thread' if threads == 1 else 'threads'} ({why['threads']}), "
        f"in {precision} ({why['precision']})"
    )


def announce_model(model: BertPreTrainedModel) -> None:
    """Print the size of a model."""
    config = model.config
    parameters = sum(parameter.numel() for parameter in model.parameters())
    layers = f"{config.num_hidden_layers} layer{'s' * (config.num_hidden_layers > 1)}"
    print(
        f"model: {layers}, hidden size {config.hidden_size}, "
        f"{config.vocab_size:,} word pieces, {parameters:,} parameters"
    )


def _announce(run: Pretraining) -> None:
    """Print the model and the amount of text."""
    options, corpus = run.options, run.batches.corpus
    tokens = options.batch_size * options.length  # in a step
    epochs = options.steps * tokens / len(corpus.tokens)
    announce_model(run.model)
    print(
        f"text: {len(corpus.tokens):,} tokens in {len(corpus.documents) - 1:,} documents; "
        f"{options.steps:,} steps of {tokens:,} tokens are {epochs:.1f} epochs",
        flush=True,
    )


def record_session(
    run: SessionRun, run_dir: RunFolder, session: Options, also: tuple[str, ...] = ()
) -> None:
    """Write this session to run.json, and print how it differs from the previous one.

    `also` names further files of the package whose code determines the results of the run.
    """
    now = environment(run, also)
    before = run_dir.sessions[-1] if run_dir.sessions and run.step else {}
    different = [name for name in now if name in before and before[name] != now[name]]
    if different:
        print(
            f"note: {', '.join(different)} {'differs' if len(different) == 1 else 'differ'} from "
            "the last session (run.json has both), so the results may not be the same bit for bit"
        )
    now_utc = datetime.datetime.now(datetime.UTC)
    run_dir.add_session(
        {
            "command": shlex.join(["minibert", *sys.argv[1:]]),
            "from_step": run.step,
            "time": now_utc.isoformat(timespec="seconds"),
            "given": to_remember(session),
            **now,
        }
    )


def to_remember(session: Options) -> Options:
    """The options of a session that the next one takes over."""
    return {name: session[name] for name in REMEMBERED if name in session}


def how_to_continue(command: str, out: Path) -> str:
    """The command line that resumes a run."""
    return f"continue with: minibert {command} --out {shlex.quote(str(out))} --resume"


def _finish(run: Pretraining, model: BertForPreTraining, run_dir: RunDir) -> None:
    """Save the final model if the run is complete, or else print how to continue."""
    if run.step < run.steps:
        print(
            f"stopped at step {run.step:,} of {run.steps:,}; "
            f"{how_to_continue('pretrain', run_dir.path)}"
        )
        return
    run_dir.check_links()
    save_pretrained(model, run_dir.model, run.batches.tokenizer)
    print(
        f"finished: the model is in {run_dir.model}. Try it: minibert fill-mask "
        f"'The [MASK] of the city.' --model {shlex.quote(str(run_dir.model))}"
    )
