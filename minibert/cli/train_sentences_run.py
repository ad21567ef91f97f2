"""What `minibert train-sentences` does, from its options to the finished encoder."""

import dataclasses
import shlex
import time
from pathlib import Path

import torch

from minibert.cli.common import device_kind, unused_parts_ignored, use_threads
from minibert.cli.pretrain_options import OF_A_SESSION, REMEMBERED, refuse_changes
from minibert.cli.pretrain_run import (
    Options,
    announce_machine,
    announce_model,
    how_to_continue,
    raise_about_folder,
    record_session,
    to_remember,
)
from minibert.cli.session_options import make_intervals
from minibert.config import BertConfig, InputError
from minibert.finetuning.sentence_vectors.bag import CONSTANT
from minibert.finetuning.sentence_vectors.options import OF_PAIRS, make_sentence_settings
from minibert.finetuning.sentence_vectors.preparation import (
    SentenceRunDir,
    Texts,
    judged_files,
    prepare_texts,
)
from minibert.finetuning.sentence_vectors.reporting import SentenceReporter, score_line
from minibert.finetuning.sentence_vectors.teacher import FOLDER, Targets, make_targets
from minibert.finetuning.sentence_vectors.trainer import (
    SentenceTraining,
    keep_layers,
)
from minibert.finetuning.sentence_vectors.validation import JudgedPair, read_judged_pairs
from minibert.hub.find_pretrained import MINILM, expanded, find_pretrained
from minibert.hub.pretrained_io import from_pretrained, save_pretrained
from minibert.model import BertModel
from minibert.pretraining.checkpointing import checkpoints, resume_newest
from minibert.pretraining.preparation import find_corpus, keep_vocabulary, refuse_other_vocabulary
from minibert.pretraining.session import train
from minibert.tokenization import WordPieceTokenizer
from minibert.training.distributed import ProcessGroup, started_by_torchrun
from minibert.training.loop import Stop
from minibert.training.memory import keep_freed_memory

COMMAND = "train-sentences"
# what decides the numbers of such a run, beside what decides those of pretraining
DECIDING = ("finetuning/sentence_vectors", "inference/sentence_embeddings.py")


def train_sentences(given: Options) -> int:
    """Start or continue a run with the options that were given; returns the exit status."""
    resume, out = given.pop("resume", False), expanded(given.pop("out"))
    session = {name: given.pop(name) for name in (*OF_A_SESSION, *REMEMBERED) if name in given}
    if given.get("teacher") == MINILM.rpartition("/")[2]:
        given["teacher"] = MINILM
    if started_by_torchrun():
        raise InputError(f"{COMMAND} runs in one process: start it without torchrun")
    keep_freed_memory()
    device = device_kind(session.get("device", "auto"))
    try:
        return _train(out, resume, given, session, device)
    except torch.OutOfMemoryError as error:
        raise InputError(
            f"the memory of {device} is too small for this: a smaller --batch-size or --max-length "
            "needs less"
        ) from error
    except OSError as error:  # a full disk, a folder that may not be written
        raise_about_folder(error, out)


def _train(out: Path, resume: bool, given: Options, session: Options, device: str) -> int:
    started = time.monotonic()
    run_dir, texts, model, tokenizer, pairs = _open(out, resume, given, session)
    session = run_dir.remembered | session
    if "threads" in session:
        use_threads(session["threads"])
    model = model.to(device)
    options, targets = run_dir.settings.options, None
    if options.objective == "distill":
        try:
            with Stop(session.get("time_limit")).listening() as stop:
                targets = _targets(run_dir, texts, model, device, stop)
        except InputError:
            if not resume and not any((run_dir.path / FOLDER).iterdir()):
                run_dir.abandon()
            raise
        if targets is None:
            status: int = stop.status
            print(f"stopped among the teacher's vectors; {how_to_continue(COMMAND, run_dir.path)}")
            return status
    run = SentenceTraining(model, texts, tokenizer, options, targets)
    if checkpoints(run_dir.checkpoints):
        checkpoint, complaints = resume_newest(run, run_dir.checkpoints)
        for complaint in complaints:
            print(f"{complaint}. It was set aside")
        print(f"resuming from {checkpoint}")
    elif options.start_from_bag:
        run.start_from_bag()
    announce_machine(run, session, asked_precision=options.precision)
    _announce(run, texts)
    record_session(run, run_dir, session, also=DECIDING)
    validation = run.validation(pairs)
    if validation is not None and run.step == 0:
        what = "the bag of words" if options.start_from_bag else "the trunk"
        scores = validation.evaluate(run.forward, run.processes)
        print(f"step 0, {what}: {score_line(scores)}", flush=True)
    intervals = make_intervals(session, run.steps)
    if intervals.time_limit is not None:
        left = max(0.0, intervals.time_limit - (time.monotonic() - started))
        intervals = dataclasses.replace(intervals, time_limit=left)
    status = train(run, run_dir, intervals, validation, reporter_class=SentenceReporter)
    _finish(run, run_dir)
    return status


def _open(
    out: Path, resume: bool, given: Options, session: Options
) -> tuple[SentenceRunDir, Texts, BertModel, WordPieceTokenizer, list[JudgedPair]]:
    """The folder of the run with the texts in it, and the encoder before the first step."""
    corpus = None
    if resume:
        run_dir = SentenceRunDir.open(out)
        refuse_changes(run_dir.settings, given)
    else:
        settings = make_sentence_settings(given)
        corpus = find_corpus(settings.corpus)  # these complain before anything is written
        find_pretrained(settings.start)
        if settings.options.objective == "distill":
            find_pretrained(settings.options.teacher)
        for name in judged_files(settings):
            read_judged_pairs(name)
        run_dir = SentenceRunDir.create(out, settings, to_remember(session))
    try:
        settings = run_dir.settings
        if not resume:
            refuse_other_vocabulary(run_dir, "--from", settings.start)
        tokenizer = keep_vocabulary(
            run_dir, lambda: WordPieceTokenizer.from_pretrained(settings.start)
        )
        model = _encoder(run_dir, is_new=not checkpoints(run_dir.checkpoints))
        texts = prepare_texts(run_dir, corpus)
        SentenceTraining.check(model, texts, settings.options)
        pairs = read_judged_pairs(settings.valid) if settings.valid else []
    except Exception:
        if not resume:
            run_dir.abandon()
        raise
    return run_dir, texts, model, tokenizer, pairs


def _encoder(run_dir: SentenceRunDir, is_new: bool) -> BertModel:
    """The trunk, with the layers and the dropout of the run.

    Where the run has a checkpoint, which brings the weights, a model of that shape.
    """
    settings = run_dir.settings
    with torch.random.fork_rng([]):
        torch.manual_seed(settings.options.seed)  # of a pooler that the trunk lacks
        if not is_new:
            return BertModel(BertConfig.from_dict(run_dir.record["config"]))
        dropout = settings.options.dropout
        with unused_parts_ignored():
            model = from_pretrained(
                settings.start,
                BertModel,
                hidden_dropout_prob=dropout,
                attention_probs_dropout_prob=dropout,
            )
    model = keep_layers(model, settings.options.layers)
    run_dir.remember("config", model.config.to_dict)
    return model


def _targets(
    run_dir: SentenceRunDir, texts: Texts, model: BertModel, device: str, stop: Stop
) -> Targets | None:
    options = run_dir.settings.options
    with unused_parts_ignored():
        return make_targets(
            run_dir,
            [item[0] for item in texts.items],
            options.teacher,
            model.config.hidden_size,
            options.pca_texts,
            device,
            lambda: stop.agreed(ProcessGroup(), False)[0],
            empty=CONSTANT if options.start_from_bag else 0,
        )


def _announce(run: SentenceTraining, texts: Texts) -> None:
    """Say what is about to happen: with which encoder, objective and texts."""
    options = run.options
    announce_model(run.model)
    what = {
        "distill": f"distillation from {options.teacher}",
        "dropout": f"contrastive, a sentence and itself under dropout {options.dropout:g}",
        "neighbours": "contrastive, a sentence and its neighbour",
        "titles": "contrastive, a title and the first sentence of its document",
    }[options.objective]
    if run.targets is not None:
        what += (
            f"; {run.targets.projection.size(0)} dimensions reduced to "
            f"{run.targets.dimensions}, which keep {run.targets.kept:.1%}"
        )
    print(f"objective: {what}")
    kind = "pairs" if options.objective in OF_PAIRS else "texts"
    print(
        f"text: {len(texts.items):,} {kind}; {run.steps:,} steps of {options.batch_size} are "
        f"{run.steps / run.batches.epoch_steps:.1f} epochs",
        flush=True,
    )


def _finish(run: SentenceTraining, run_dir: SentenceRunDir) -> None:
    """Save the encoder of a run that is at its end, or say how to continue."""
    if run.step < run.steps:
        print(
            f"stopped at step {run.step:,} of {run.steps:,}; "
            f"{how_to_continue(COMMAND, run_dir.path)}"
        )
        return
    run_dir.check_links()
    save_pretrained(run.model, run_dir.model, run.batches.tokenizer)
    print(
        f"finished: the encoder is in {run_dir.model}. Try it: minibert similarity "
        f"'A boat on the lake.' 'A ship at sea.' --model {shlex.quote(str(run_dir.model))}"
    )
