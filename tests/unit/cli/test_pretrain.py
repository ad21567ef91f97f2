"""`minibert pretrain` as a user meets it: what it writes and says, kills at any moment, and errors in one line."""

import dataclasses
import json
import math
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from interruptions import at_operation

import minibert
from minibert.cli import main as cli
from minibert.cli.pretrain_options import MEASURED, SOURCES, make_settings
from minibert.cli.session_options import duration
from minibert.course.figures import benchmark_log
from minibert.pretraining.checkpointing import checkpoints
from minibert.pretraining.log import read_log
from minibert.pretraining.options import PretrainingOptions
from minibert.pretraining.settings import Settings
from minibert.pretraining.trainer import Pretraining

SHAPE = dict(
    vocab_size=99,
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=24,
    max_position_embeddings=32,
    hidden_dropout_prob=0.1,
    attention_probs_dropout_prob=0.1,
)
WORDS = "the a cat dog bird house river tree runs sees eats sleeps near under over big small old red green day night".split()


@pytest.fixture(scope="module")
def given(tmp_path_factory) -> list[str]:
    """The options of a run that takes two seconds."""
    folder = tmp_path_factory.mktemp("given")
    draw = np.random.default_rng(0)

    def document():
        return " ".join(
            " ".join(draw.choice(WORDS, draw.integers(4, 9))).capitalize() + "."
            for _ in range(draw.integers(4, 9))
        )

    (folder / "texts").mkdir()
    (folder / "texts" / "a.txt").write_text("\n\n\n".join(document() for _ in range(60)))
    (folder / "config.json").write_text(json.dumps(SHAPE))
    return [
        "--corpus",
        str(folder / "texts"),
        "--preset",
        str(folder / "config.json"),
        "--vocab-size",
        "90",
        "--short-length",
        "8",
        "--length",
        "16",
        "--long-length",
        "32",
        "--batch-size",
        "8",
        "--micro-batch",
        "4",
        "--steps",
        "30",
        "--warmup",
        "3",
        "--eval-sequences",
        "8",
        "--eval-every",
        "10",
        "--log-every",
        "5",
        "--checkpoint-every",
        "7",
        "--precision",
        "float32",
        "--threads",
        "1",
        "--device",
        "auto",
    ]


@pytest.fixture
def run(capsys):
    """Run a command line; returns its exit status, stdout and stderr."""

    def run(*argv):
        try:
            status = cli.main(["pretrain", *map(str, argv)])
        except SystemExit as exit:
            status = exit.code
        return status, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def finished(given, tmp_path_factory) -> Path:
    """A run that nobody disturbed."""
    out = tmp_path_factory.mktemp("finished") / "run"
    assert cli.main(["pretrain", *given, "--out", str(out)]) == 0
    return out


def without_times(log: Path) -> list[dict]:
    return [
        {
            name: value
            for name, value in record.items()
            if name not in ("seconds", "tokens_per_second")
        }
        for record in read_log(log)
    ]


def assert_same(out: Path, finished: Path) -> None:
    for name in (
        "model/model.safetensors",
        "model/config.json",
        "model/vocab.txt",
        "train.tokens",
        "valid.tokens",
    ):
        assert (out / name).read_bytes() == (finished / name).read_bytes(), name
    assert without_times(out / "log.jsonl") == without_times(finished / "log.jsonl")


def at_step(step: int, happens, monkeypatch) -> None:
    """Let something happen at the end of a step."""
    original = Pretraining.train_step

    def train_step(self):
        progress = original(self)
        if self.step == step:
            happens(self)
        return progress

    monkeypatch.setattr(Pretraining, "train_step", train_step)


# -- a run -------------------------------------------------------------------------------------------------------------


def test_what_a_run_leaves_behind(finished):
    assert {path.name for path in finished.iterdir()} == {
        ".lock",
        "run.json",
        "vocabulary",
        "train.tokens",
        "valid.tokens",
        "checkpoints",
        "log.jsonl",
        "model",
    }
    assert [path.name for path in checkpoints(finished / "checkpoints")] == [
        "step-00000028",
        "step-00000030",
    ]
    log = read_log(finished / "log.jsonl")
    assert [record["step"] for record in log] == [5, 10, 15, 20, 25, 30]
    assert [record["step"] for record in log if "held_out" in record] == [10, 20, 30]
    assert {
        "mlm_loss",
        "mlm_accuracy",
        "nsp_loss",
        "nsp_accuracy",
        "learning_rate",
        "gradient_norm",
        "tokens",
        "tokens_per_second",
        "seconds",
    } < log[0].keys()
    assert log[-1]["held_out"].keys() == {
        "mlm_loss",
        "mlm_accuracy",
        "bits_per_word",
        "unigram_loss",
        "nsp_loss",
        "nsp_accuracy",
    }
    record = json.loads((finished / "run.json").read_text())
    assert (
        record["config"]["hidden_size"] == 16
        and record["settings"]["options"]["steps"] == 30
        and len(record["sessions"]) == 1
    )
    assert {"command", "code", "versions", "device", "threads", "precision", "from_step"} < record[
        "sessions"
    ][0].keys()
    assert {"train.tokens", "valid.tokens", "vocabulary/vocab.txt"} == record["digests"].keys()


def test_positions_are_copied_in_new_runs_from_nothing_only(finished):
    """A saved model's positions are trained; and a run older than the option goes on without it."""
    settings = json.loads((finished / "run.json").read_text())["settings"]
    assert settings["options"]["copy_positions"] is True
    assert make_settings({"start": "minibert-small"}).options.copy_positions is False
    assert (
        make_settings({"start": "minibert-small", "copy_positions": True}).options.copy_positions
        is True
    )
    del settings["options"]["copy_positions"]
    assert Settings.from_dict(settings).options.copy_positions is False


def test_the_model_opens_here_and_in_the_reference(finished):
    ours = minibert.from_pretrained(finished / "model")
    theirs = transformers.BertForPreTraining.from_pretrained(finished / "model").eval()
    ids = torch.tensor([[2, 10, 4, 20, 3]])
    with torch.no_grad():
        assert (ours(ids).prediction_logits - theirs(ids).prediction_logits).abs().max() < 1e-5
    assert isinstance(ours, minibert.BertForPreTraining)


def test_what_a_run_says(given, run, tmp_path):
    status, out, err = run(*given, "--out", tmp_path / "run", "--steps", "4")
    assert status == 0 and "Traceback" not in err
    for pattern in (
        r"computing on cpu \(PyTorch finds no GPU\), 1 thread \(--threads\), in float32 \(--precision\)",
        r"model: 2 layers, hidden size 16, \d+ word pieces, [\d,]+ parameters",
        r"text: [\d,]+ tokens in 55 documents; 4 steps of 128 tokens are \d\.\d epochs",
        r"step 4 of 4: MLM \d\.\d+ \(\d+\.\d%\), NSP 0\.\d+ \(\d+\.\d%\), [\d,]+ tokens/s, 00:00 left",
        r"step 4, validation: MLM \d\.\d+ \(\d+\.\d% right; unigram guess \d\.\d+\), \d\.\d+ bits per word; NSP 0\.\d+ \(\d+\.\d% right\)",
        r"finished: the model is in .*/run/model. Try it: minibert fill-mask",
    ):
        assert re.search(pattern, out), pattern


def test_the_held_out_scores_are_those_of_the_readable_model(finished):
    """Fixed rows with fixed masks, 15% of the words at 80/10/10; every number once more, without the fast forward."""
    from minibert.data import PairSequences, TokenFile, mask_tokens
    from minibert.pretraining.validation import SEED

    model, tokenizer = (
        minibert.from_pretrained(finished / "model"),
        minibert.WordPieceTokenizer.from_pretrained(finished / "model"),
    )
    rows = PairSequences(
        TokenFile(finished / "valid.tokens"),
        16,
        tokenizer.cls_id,
        tokenizer.sep_id,
        tokenizer.pad_id,
        seed=SEED,
        short_rate=0.0,
    ).batch(0, 8)
    rows["input_ids"], labels = mask_tokens(
        rows["input_ids"],
        mask_token_id=tokenizer.mask_id,
        vocab_size=tokenizer.vocab_size,
        special_ids=tokenizer.special_ids,
        generator=torch.Generator().manual_seed(SEED),
    )
    follows = rows.pop("next_sentence_label")
    with torch.no_grad():
        out = model(**rows)
    masked = labels != -100
    counts = (
        np.bincount(
            np.array(TokenFile(finished / "train.tokens").tokens), minlength=tokenizer.vocab_size
        )
        + 1.0
    )
    counts[tokenizer.special_ids] = 1e-300
    loss = torch.nn.functional.cross_entropy
    wanted = {
        "mlm_loss": float(loss(out.prediction_logits[masked], labels[masked])),
        "mlm_accuracy": float((out.prediction_logits.argmax(-1) == labels)[masked].float().mean()),
        "nsp_loss": float(loss(out.seq_relationship_logits, follows)),
        "nsp_accuracy": float((out.seq_relationship_logits.argmax(-1) == follows).float().mean()),
        "unigram_loss": float(-np.log(counts / counts.sum())[labels[masked]].mean()),
    }
    found = read_log(finished / "log.jsonl")[-1]["held_out"]
    assert {name: found[name] for name in wanted} == pytest.approx(wanted, abs=1e-5)


def test_tensorboard_holds_what_the_log_holds(given, run, tmp_path):
    event_accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator"
    )
    assert run(*given, "--out", tmp_path / "run", "--steps", "10", "--tensorboard")[0] == 0
    events = event_accumulator.EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
    log = read_log(tmp_path / "run" / "log.jsonl")
    assert [event.value for event in events.Scalars("training/mlm_loss")] == pytest.approx(
        [record["mlm_loss"] for record in log]
    )
    assert [(event.step, event.value) for event in events.Scalars("held_out/nsp_loss")] == [
        (10, pytest.approx(log[-1]["held_out"]["nsp_loss"]))
    ]


def test_going_on_from_a_model(given, finished, run, tmp_path):
    status, _out, _ = run(
        *given[:2],
        *given[6:],
        "--from",
        finished / "model",
        "--out",
        tmp_path / "further",
        "--steps",
        "2",
    )
    assert status == 0
    start, old = (
        minibert.from_pretrained(path).state_dict()
        for path in (tmp_path / "further" / "checkpoints" / "step-00000000", finished / "model")
    )
    assert all(torch.equal(start[name], old[name]) for name in old)
    assert (tmp_path / "further" / "model" / "vocab.txt").read_bytes() == (
        finished / "model" / "vocab.txt"
    ).read_bytes()
    assert read_log(tmp_path / "further" / "log.jsonl")[-1]["held_out"][
        "unigram_loss"
    ] == pytest.approx(read_log(finished / "log.jsonl")[-1]["held_out"]["unigram_loss"])


def test_without_held_out_text(given, run, tmp_path):
    status, out, _ = run(*given, "--out", tmp_path / "run", "--steps", "2", "--held-out", "none")
    assert (
        status == 0
        and "validation" not in out
        and "held_out" not in read_log(tmp_path / "run" / "log.jsonl")[-1]
    )


def test_a_corpus_too_small_to_hold_anything_out_trains_all_the_same(given, run, tmp_path):
    (tmp_path / "small.txt").write_text(
        "The cat sees a dog. It runs.\n\n\nA bird sleeps. The tree is old.\n"
    )
    status, out, _ = run(
        "--corpus",
        tmp_path / "small.txt",
        *given[2:4],
        *given[6:],
        "--out",
        tmp_path / "run",
        "--steps",
        "2",
    )
    assert status == 0 and "no held-out evaluation: the corpus has no text left for it" in out


def test_held_out_text_that_was_named_must_be_usable(given, run, tmp_path):
    (tmp_path / "one.txt").write_text("The cat sees a dog. It runs.\n")
    options = ["--held-out", tmp_path / "one.txt", "--no-next-sentence", "--steps", "2"]
    status, _, err = run(*given, "--out", tmp_path / "run", *options)
    assert status == 2
    assert "--held-out cannot be used for the evaluation: " in err and "has 1 documents" in err


# -- stopped and resumed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_waits_for_the_step_and_leaves_a_checkpoint(
    number, status, given, finished, run, tmp_path, monkeypatch
):
    at_step(11, lambda _: signal.raise_signal(number), monkeypatch)
    found, out, _err = run(*given, "--out", tmp_path / "run")
    assert (
        found == status
        and f"stopped at step 11 of 30; continue with: minibert pretrain --out {tmp_path}/run --resume"
        in out
    )
    assert checkpoints(tmp_path / "run" / "checkpoints")[-1].name == "step-00000011"
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, "as before"
    found, out, _ = run("--out", tmp_path / "run", "--resume")
    assert found == 0 and "resuming from" in out and "note:" not in out
    assert_same(tmp_path / "run", finished)


def test_a_time_limit(given, finished, run, tmp_path):
    status, out, _ = run(*given, "--out", tmp_path / "run", "--time-limit", "0s")
    assert status == 0 and "stopped at step 0 of 30" in out
    assert run("--out", tmp_path / "run", "--resume")[0] == 0
    assert_same(tmp_path / "run", finished)
    before = (tmp_path / "run" / "log.jsonl").read_bytes()
    status, out, _ = run(
        "--out", tmp_path / "run", "--resume"
    )  # a run that is at its end stays there
    assert (
        status == 0
        and "finished" in out
        and (tmp_path / "run" / "log.jsonl").read_bytes() == before
    )


def test_a_kill_before_the_model_was_saved(finished, run, tmp_path):
    shutil.copytree(finished, tmp_path / "run", ignore=shutil.ignore_patterns("model"))
    (tmp_path / "run" / "log.jsonl").open("a").write('{"step": 30, "word_lo')
    assert run("--out", tmp_path / "run", "--resume")[0] == 0
    assert_same(tmp_path / "run", finished)


def test_a_log_that_is_gone_is_not_begun_again_without_a_word(finished, run, tmp_path):
    shutil.copytree(finished, tmp_path / "run", ignore=shutil.ignore_patterns("log.jsonl"))
    status, out, _ = run("--out", tmp_path / "run", "--resume")
    assert status == 0 and "log.jsonl is not there: a new one begins at step 30" in out


@pytest.mark.parametrize("harm", ["deleted", "moved", "link", "link to nowhere"])
def test_a_log_that_loses_its_name_during_a_run_gets_it_back(
    harm, given, finished, run, tmp_path, monkeypatch
):
    log, other = tmp_path / "run" / "log.jsonl", tmp_path / "other"

    def happens(_):
        if harm == "moved":
            log.rename(tmp_path / "moved")
        else:
            log.unlink()
        if harm.startswith("link"):
            log.symlink_to(other)

    if harm == "link":
        other.write_text("somebody's")
    at_step(17, happens, monkeypatch)
    assert run(*given, "--out", tmp_path / "run")[0] == 0
    assert_same(tmp_path / "run", finished)
    assert (other.read_text() if other.exists() else None) == (
        "somebody's" if harm == "link" else None
    )


def test_a_link_that_is_put_there_while_a_run_begins_is_not_followed(
    given, finished, run, tmp_path, monkeypatch
):
    original, other = Pretraining.__init__, tmp_path / "other"
    other.write_text("somebody's")

    def init(self, *arguments, **more):
        for name in ("log.jsonl", "run.json"):
            (tmp_path / "run" / name).unlink(missing_ok=True)
            (tmp_path / "run" / name).symlink_to(other)
        original(self, *arguments, **more)

    monkeypatch.setattr(Pretraining, "__init__", init)
    assert run(*given, "--out", tmp_path / "run")[0] == 0
    assert other.read_text() == "somebody's"
    assert_same(tmp_path / "run", finished)


def test_the_newest_checkpoint_is_damaged(finished, run, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    (tmp_path / "run" / "checkpoints" / "step-00000030" / "optimizer.safetensors").write_bytes(b"")
    status, out, _ = run("--out", tmp_path / "run", "--resume")
    assert status == 0 and re.search(
        r"step-00000030 is damaged: optimizer.safetensors is not as it was written. It was set aside\nresuming from .*step-00000028",
        out,
    )
    assert_same(tmp_path / "run", finished)


def test_threads_are_remembered(finished, run, tmp_path):
    """A run that was begun with --threads 1 goes on with one, whatever PyTorch would choose."""
    shutil.copytree(finished, tmp_path / "run")
    assert json.loads((finished / "run.json").read_text())["sessions"][0]["given"]["threads"] == 1
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        status, out, _ = run("--out", tmp_path / "run", "--resume")
        assert status == 0 and torch.get_num_threads() == 1 and "differ from" not in out
    finally:
        torch.set_num_threads(before)


def test_another_machine_is_noted(finished, run, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    record = json.loads((finished / "run.json").read_text())
    record["sessions"][0] |= {"precision": "bfloat16", "threads": 7}
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    status, out, _ = run("--out", tmp_path / "run", "--resume")
    assert (
        status == 0
        and "note: threads, precision differ from the last session (run.json has both), so the results may not be the same bit for bit"
        in out
    )


def test_what_was_given_once_is_remembered(given, run, tmp_path):
    run(*given, "--out", tmp_path / "run", "--time-limit", "0s", "--log-every", "3")
    run("--out", tmp_path / "run", "--resume")
    assert [record["step"] for record in read_log(tmp_path / "run" / "log.jsonl")][:4] == [
        3,
        6,
        9,
        10,
    ]
    assert checkpoints(tmp_path / "run" / "checkpoints")[0].name == "step-00000028", (
        "--checkpoint-every 7"
    )


def test_a_run_that_ended_before_its_first_step_remembers_too(
    given, finished, run, tmp_path, monkeypatch
):
    def end(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("minibert.cli.pretrain_run.make_run", end)
        assert run(*given, "--out", tmp_path / "run")[0] == 130
    assert run("--out", tmp_path / "run", "--resume")[0] == 0
    assert_same(tmp_path / "run", finished)


CONTEXT = multiprocessing.get_context("forkserver" if hasattr(os, "fork") else "spawn")
CONTEXT.set_forkserver_preload(["minibert.cli.main"])


def slow_disk(argv: list[str], delay: float) -> None:
    """The command on a disk that takes its time."""
    fsync = os.fsync
    os.fsync = lambda descriptor: (time.sleep(delay), fsync(descriptor))
    sys.exit(cli.main(argv))


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["random", "writing"])
def test_kill_9_at_any_moment(moment, given, finished, tmp_path):
    """Killed again and again, at random or as soon as a checkpoint is half written, a run ends with the very same bytes."""
    draw, out, kills, half_written = np.random.default_rng(8), tmp_path / "run", 0, 0
    started = time.monotonic()
    child = CONTEXT.Process(
        target=slow_disk, args=(["pretrain", "--out", str(tmp_path / "undisturbed"), *given], 0.02)
    )
    child.start()
    child.join()
    whole = time.monotonic() - started  # on this machine
    while True:
        options = ["--resume"] if (out / "run.json").is_file() else given
        last = kills == 8
        child = CONTEXT.Process(
            target=slow_disk,
            args=(["pretrain", "--out", str(out), *options], 0.0 if last else 0.02),
        )
        child.start()
        if last:
            child.join()
        elif moment == "random":
            child.join(draw.uniform(0.0, 0.4 * whole))
        else:
            seen, number = (
                {path.name for path in out.glob("checkpoints/.writing-*")},
                draw.integers(1, 3),
            )
            while child.is_alive() and number:
                now = {path.name for path in out.glob("checkpoints/.writing-*")}
                number -= bool(now - seen)
                seen |= now
                time.sleep(0.002)
            child.join(draw.uniform(0.0, 0.2))
        child.kill()
        child.join()
        half_written += bool(list(out.glob("checkpoints/.writing-*")))
        if child.exitcode == 0:
            break
        assert child.exitcode == -signal.SIGKILL
        kills += 1
    assert kills >= 1 and (moment == "random" or half_written >= 1), (kills, half_written)
    assert_same(out, finished)
    assert sorted(path.name for path in (out / "checkpoints").iterdir()) == [
        "step-00000028",
        "step-00000030",
    ]


def dying(argv: list[str], number: int, folder: Path) -> None:
    """The command, dead before an operation of a number on files in a folder."""
    at_operation(number, folder, lambda: os._exit(9))
    sys.exit(cli.main(argv))


@pytest.mark.slow
def test_death_while_the_text_is_prepared(given, finished, tmp_path):
    """Before every 40th operation on a file, until the first checkpoint is written: the same command, with --resume where it must be, ends well."""
    deaths = 0
    for number in range(18, 1000, 40):
        out = tmp_path / str(number)
        for _ in range(2):
            options = ["--resume"] if (out / "run.json").is_file() else given
            child = CONTEXT.Process(
                target=dying,
                args=(["pretrain", "--out", str(out), *options, "--time-limit", "0s"], number, out),
            )
            child.start()
            child.join()
            if child.exitcode == 0:
                break
            assert child.exitcode == 9
            deaths, number = deaths + 1, 10**9
        assert child.exitcode == 0
        for name in ("vocabulary/vocab.txt", "train.tokens", "valid.tokens"):
            assert (out / name).read_bytes() == (finished / name).read_bytes()
        assert (
            json.loads((out / "run.json").read_text())["digests"]
            == json.loads((finished / "run.json").read_text())["digests"]
        )
        assert [path.name for path in (out / "checkpoints").iterdir()] == ["step-00000000"]
        assert not [
            path for path in out.iterdir() if path.name.startswith(".") and path.name != ".lock"
        ]
        if number < 10**9:
            break
    assert deaths > 2


@pytest.mark.slow
def test_the_command_itself_killed_and_interrupted(given, finished, tmp_path):
    """A process of its own, as from a shell: SIGKILL once there is a checkpoint, then SIGTERM, then to the end."""
    out = tmp_path / "run"
    command = [sys.executable, "-m", "minibert", "pretrain", "--out", str(out)]
    for number, options, wait_for in (
        (signal.SIGKILL, given, "step-00000007"),
        (signal.SIGTERM, ["--resume"], None),
        (None, ["--resume"], None),
    ):
        with subprocess.Popen(
            [*command, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        ) as process:
            if wait_for:
                while process.poll() is None and not (out / "checkpoints" / wait_for).exists():
                    time.sleep(0.005)
            elif number:
                for line in process.stdout:
                    if line.startswith("text:"):
                        break
                time.sleep(0.2)
            if number:
                process.send_signal(number)
            _said, errors = process.communicate()
        assert "Traceback" not in errors
        assert (
            process.returncode
            in {signal.SIGKILL: (-9,), signal.SIGTERM: (143, 0), None: (0,)}[number]
        )
    assert_same(out, finished)


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv, message",
    [
        ([], "the following arguments are required: --out"),
        (
            ["--out", "OUT", "--preset", "mni"],
            "preset must be one of tiny, .* or the path of a config.json, not 'mni'",
        ),
        (
            ["--out", "OUT", "--corpus", "nowhere"],
            "there is no file or folder 'nowhere'.*known by name are default, wikitext-2",
        ),
        (
            ["--out", "OUT", "--corpus", "default", "nowhere"],
            "'default' is known by its name: give",
        ),
        (["--out", "OUT", "--held-out", "nowhere"], "there is no file or folder 'nowhere'"),
        (["--out", "OUT", "--vocab", "nowhere.txt"], "nowhere.txt"),
        (
            ["--out", "OUT", "--vocab", "v.txt", "--vocab-size", "9"],
            "--vocab-size is for a vocabulary that is learned",
        ),
        (
            ["--out", "OUT", "--from", "m", "--preset", "mini"],
            "--from determines the shape and the vocabulary: leave out --preset",
        ),
        (["--out", "OUT", "--from", "./nowhere"], "there is no folder './nowhere'"),
        (["--out", "OUT", "--vocab-size", "0"], "expected a whole number of at least 1, not '0'"),
        (["--out", "OUT", "--steps", "0"], "steps must be a whole number of at least 1, not 0"),
        (
            ["--out", "OUT", "--steps", "many"],
            "argument --steps: expected a whole number, not 'many'",
        ),
        (
            ["--out", "OUT", "--mask-rate", "15"],
            "mask_rate is a share: it must lie between 0 and 1, not 15.0",
        ),
        (["--out", "OUT", "--dropout", "1"], "hidden_dropout_prob"),
        (
            ["--out", "OUT", "--time-limit", "soon"],
            "expected a time such as 90s, 55m or 1h30m, not 'soon'",
        ),
        (
            ["--out", "OUT", "--checkpoint-every", "0"],
            "expected a whole number of at least 1, not '0'",
        ),
        (
            ["--out", "OUT", "--eval-every", "-1"],
            "expected a whole number of at least 1, not '-1'|expected one argument",
        ),
        (["--out", "OUT", "--shard"], "sharded|sharding|adamw"),
        (
            ["--out", "OUT", "--resume"],
            "there is no run to resume in OUT: it has no run.json. Without --resume a new run begins there",
        ),
        (["--out", "given.txt/run"], "given.txt/run: Not a directory"),
    ],
)
def test_errors_are_one_line_and_leave_nothing(argv, message, given, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("given.txt").write_text("a file")
    base = (
        given
        if not {"--corpus", "--preset", "--vocab", "--from", "--resume"} & set(argv)
        else given[6:]
        if "--resume" not in argv
        else []
    )
    if base is not given and base and "--corpus" not in argv:
        base = [*given[:2], *base]
    status, _, err = run(*base, *argv)
    assert status == 2 and re.search(message, err) and "Traceback" not in err, err
    assert len(err.strip().splitlines()) == 1 or "usage:" in err
    assert not Path("OUT/run.json").exists() and not Path("OUT/checkpoints").exists()


def test_a_folder_with_a_run_is_not_written_over(given, finished, run):
    status, _, err = run(*given, "--out", finished)
    assert (
        status == 2
        and f"{finished} already holds a run: continue it with --resume, or name another folder with --out"
        in err
    )


@pytest.mark.parametrize(
    "argv, message",
    [
        (
            ["--steps", "31"],
            "--steps cannot change in the middle of a run (it started with 30). Leave it out, or start a new run",
        ),
        (["--learning-rate", "0.1"], "--learning-rate cannot change"),
        (
            ["--corpus", "default"],
            "--corpus cannot change in the middle of a run (it started with '",
        ),
        (["--from", "minibert-small"], "--from cannot change"),
        (["--dropout", "0.5"], "--dropout cannot change"),
    ],
)
def test_a_run_does_not_change_its_recipe_on_the_way(argv, message, finished, run):
    status, _, err = run("--out", finished, "--resume", *argv)
    assert status == 2 and message in err


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    "harm, message",
    [
        (
            lambda out: edit(out / "vocabulary" / "vocab.txt", "cat", "cut"),
            "vocab.txt is not the one that this run began with",
        ),
        (
            lambda out: (out / "train.tokens").write_bytes(
                (out / "train.tokens").read_bytes()[:-8]
            ),
            r"train.tokens has \d+ bytes, .* \(delete it, and --resume makes it again\)",
        ),
        (
            lambda out: shutil.copy(out / "valid.tokens", out / "train.tokens"),
            "train.tokens is not the one that this run began with",
        ),
        (
            lambda out: (out / "run.json").write_text('{"settings": {}'),
            "run.json is not what minibert wrote there",
        ),
        (
            lambda out: edit(out / "run.json", '"hidden_size": 16', '"hidden_size": 32'),
            "the checkpoint .* is of another run: its config field hidden_size is 16, this run's is 32",
        ),
        (
            lambda out: edit(out / "run.json", '"mask_rate": 0.15', '"mask_rate": 0.3'),
            "is of another run: its option mask_rate is 0.15, this run's is 0.3",
        ),
        (
            lambda out: [
                (path / "model.safetensors").unlink() for path in checkpoints(out / "checkpoints")
            ],
            "no checkpoint in .* can be used; .*step-00000030 is damaged",
        ),
    ],
    ids=[
        "vocabulary",
        "tokens cut short",
        "other tokens",
        "run.json",
        "config",
        "options",
        "no model",
    ],
)
def test_a_run_that_was_tampered_with(harm, message, finished, run, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    harm(tmp_path / "run")
    names = sorted(os.listdir(tmp_path / "run" / "checkpoints"))
    status, _, err = run("--out", tmp_path / "run", "--resume")
    assert status == 2 and re.search(message, err) and "Traceback" not in err
    assert sorted(os.listdir(tmp_path / "run" / "checkpoints")) == names


def test_a_deleted_token_file_is_made_again(finished, run, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    (tmp_path / "run" / "train.tokens").unlink()
    assert run("--out", tmp_path / "run", "--resume")[0] == 0
    assert (tmp_path / "run" / "train.tokens").read_bytes() == (
        finished / "train.tokens"
    ).read_bytes()


def test_a_run_that_cannot_begin_leaves_what_was_there(given, finished, run, tmp_path):
    """A vocabulary and tokens that somebody made, perhaps in hours; what the run itself made goes."""
    out = tmp_path / "run"
    shutil.copytree(finished / "vocabulary", out / "vocabulary")
    shutil.copy(finished / "train.tokens", out)
    (out / "valid.tokens").write_bytes(b"no tokens")
    status, _, err = run(*given, "--out", out)
    assert status == 2 and "valid.tokens" in err
    assert sorted(set(os.listdir(out)) - {".lock"}) == [
        "train.tokens",
        "valid.tokens",
        "vocabulary",
    ]
    (out / "valid.tokens").unlink()
    status, said, _ = run(*given, "--out", out)
    assert status == 0 and f"{out} holds vocabulary, train.tokens already: used" in said
    assert_same(out, finished)


def test_a_vocabulary_in_the_folder_must_be_the_one_that_is_named(given, finished, run, tmp_path):
    out = tmp_path / "run"
    shutil.copytree(finished / "vocabulary", out / "vocabulary")
    corpus = given[:2]
    status, _, err = run(*corpus, "--vocab", "minibert-small", "--out", out)
    assert status == 2
    assert f"{out / 'vocabulary'} holds another vocabulary than --vocab minibert-small" in err
    assert sorted(set(os.listdir(out)) - {".lock"}) == ["vocabulary"]


def test_a_vocabulary_in_the_folder_must_be_that_of_the_model_to_start_from(
    given, finished, run, tmp_path
):
    """Also one of the same size: with its tokens in another order, every id means another token."""
    out, start = tmp_path / "run", finished / "model"
    vocab = minibert.WordPieceTokenizer.from_pretrained(start).vocab
    tokens = [*list(vocab)[:5], *reversed(list(vocab)[5:])]
    other = minibert.WordPieceTokenizer({token: n for n, token in enumerate(tokens)})
    other.save(out / "vocabulary")
    before = (out / "vocabulary" / "vocab.txt").read_bytes()
    argv = [*given[:2], "--from", start, *given[6:], "--out", out]
    status, _, err = run(*argv)
    assert status == 2
    assert f"{out / 'vocabulary'} holds another vocabulary than --from {start}" in err
    assert (out / "vocabulary" / "vocab.txt").read_bytes() == before
    shutil.rmtree(out / "vocabulary")
    shutil.copytree(finished / "vocabulary", out / "vocabulary")
    assert run(*argv, "--time-limit", "0s")[0] == 0


@pytest.mark.parametrize("name", ["train.tokens", "valid.tokens"])
def test_tokens_without_their_vocabulary_are_refused(name, given, finished, run, tmp_path):
    """Another vocabulary of that size is learned, or named, and the ids would mean other tokens."""
    out = tmp_path / "run"
    out.mkdir()
    shutil.copy(finished / name, out)
    status, _, err = run(*given, "--out", out)
    assert status == 2 and f"{out} holds {name}, but not the vocabulary of its token ids" in err
    assert sorted(set(os.listdir(out)) - {".lock"}) == [name]


def test_a_share_of_pairs_that_leaves_batches_without_one(given, run, tmp_path):
    for share in ("0.1", "0.9"):
        out = tmp_path / share
        options = ("--batch-size", "4", "--steps", "12", "--pair-share", share)
        status, _, err = run(*given, *options, "--out", out)
        assert (status, err) == (0, ""), err
        assert all(math.isfinite(record["loss"]) for record in read_log(out / "log.jsonl"))


def test_a_run_goes_on_without_the_file_of_its_vocabulary(given, finished, run, tmp_path):
    shutil.copytree(finished / "vocabulary", tmp_path / "mine")
    at, out = given.index("--vocab-size"), tmp_path / "run"
    argv = [*given[:at], *given[at + 2 :], "--vocab", tmp_path / "mine", "--out", out]
    assert run(*argv, "--time-limit", "0s")[0] == 0
    shutil.rmtree(tmp_path / "mine")
    assert run("--out", out, "--resume")[0] == 0
    assert_same(out, finished)


def test_a_file_that_is_new_or_gone_is_refused_where_the_text_is_still_needed(given, run, tmp_path):
    shutil.copytree(given[1], tmp_path / "texts")
    shutil.copy(tmp_path / "texts" / "a.txt", tmp_path / "texts" / "b.txt")
    argv = ["--corpus", tmp_path / "texts", *given[2:], "--out", tmp_path / "run"]
    assert run(*argv, "--time-limit", "0s")[0] == 0
    for path in ("train.tokens", "checkpoints"):  # as if it had been killed before
        kill = tmp_path / "run" / path
        shutil.rmtree(kill) if kill.is_dir() else kill.unlink()
    for name, what in (("new.txt", "new.txt is new"), ("a.txt", "a.txt is gone")):
        other = tmp_path / "texts" / name
        content = other.read_bytes() if other.exists() else None
        other.unlink() if content else other.write_text("Another cat.")
        status, _, err = run("--out", tmp_path / "run", "--resume")
        assert status == 2 and f"{what} since this run began: put the text back as it was" in err
        other.write_bytes(content) if content else other.unlink()
    assert run("--out", tmp_path / "run", "--resume")[0] == 0


def test_other_weights_to_start_from_are_refused(given, run, tmp_path):
    assert run(*given, "--out", tmp_path / "first")[0] == 0
    start = tmp_path / "start"
    shutil.copytree(tmp_path / "first" / "model", start)
    argv = [*given[:2], "--from", start, *given[6:], "--out", tmp_path / "run"]
    assert run(*argv, "--time-limit", "0s")[0] == 0
    shutil.rmtree(tmp_path / "run" / "checkpoints")
    model = minibert.from_pretrained(start)
    with torch.no_grad():
        model.cls.predictions.bias.add_(1.0)
    minibert.save_pretrained(model, start, minibert.WordPieceTokenizer.from_pretrained(start))
    status, _, err = run("--out", tmp_path / "run", "--resume")
    assert status == 2 and f"the weights of {start} have changed since this run began" in err
    shutil.rmtree(start)
    shutil.copytree(tmp_path / "first" / "model", start)
    assert run("--out", tmp_path / "run", "--resume")[0] == 0


def test_a_corpus_that_has_changed_is_refused(given, run, tmp_path):
    shutil.copytree(given[1], tmp_path / "texts")
    argv = ["--corpus", tmp_path / "texts", *given[2:], "--out", tmp_path / "run"]
    assert run(*argv, "--time-limit", "0s")[0] == 0
    edit(tmp_path / "texts" / "a.txt", "cat", "cut")
    status, _, err = run("--out", tmp_path / "run", "--resume")
    assert (
        status == 2
        and "texts/a.txt has changed since this run began: put the old text back, or begin a new run with another --out"
        in err
    )
    shutil.rmtree(tmp_path / "texts")  # the tokens are enough
    assert run("--out", tmp_path / "run", "--resume")[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="no such locks")
def test_two_processes_do_not_share_a_run(finished, run):
    import fcntl

    with open(finished / ".lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        status, _, err = run("--out", finished, "--resume")
    assert status == 2 and "another process is at work in" in err


def test_a_loss_that_is_no_number_ends_the_run(given, run, tmp_path, monkeypatch):
    def poison(training):
        training.model.cls.predictions.bias.data[7] = float("nan")

    at_step(9, poison, monkeypatch)
    status, _, err = run(*given, "--out", tmp_path / "run")
    assert (
        status == 2
        and "step 10: the loss is nan" in err
        and "training has diverged" in err
        and "the newest checkpoint is of step 7" in err.lower()
    )
    assert [path.name for path in checkpoints(tmp_path / "run" / "checkpoints")] == [
        "step-00000000",
        "step-00000007",
    ]


def test_a_full_disk_ends_the_run_with_a_sentence(given, finished, run, tmp_path, monkeypatch):
    def fill(_):
        def no_space(descriptor):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", no_space)

    at_step(13, fill, monkeypatch)
    status, _, err = run(*given, "--out", tmp_path / "run")
    assert status == 2 and "No space left on device" in err and "Traceback" not in err
    monkeypatch.undo()
    assert run("--out", tmp_path / "run", "--resume")[0] == 0
    assert_same(tmp_path / "run", finished)


def test_tensorboard_that_is_missing(given, run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    status, _, err = run(*given, "--out", tmp_path / "run", "--tensorboard")
    assert (
        status == 2
        and "--tensorboard needs the package tensorboard: pip install tensorboard" in err
        and not (tmp_path / "run").exists()
    )


# -- the options -------------------------------------------------------------------------------------------------------


def test_every_option_of_the_recipe_is_there_with_its_default(run):
    status, out, _ = run("--help")
    text = " ".join(out.split())
    assert status == 0 and "examples:" in text
    for field in dataclasses.fields(PretrainingOptions):
        default = (
            1000
            if field.name == "steps"
            else {True: "yes", False: "no"}[field.default]
            if isinstance(field.default, bool)
            else field.default
        )
        assert re.search(
            rf"--{field.name.replace('_', '-')}\b.*?{re.escape(field.metadata['help'])} \(default: {default}\)",
            text,
        ), field.name


def test_what_the_help_says_a_switch_is_worth_stands_in_a_committed_log():
    def means(log, *variants, name="mlm_loss"):
        found = [
            [row[name] for row in benchmark_log(log)["rows"] if row["variant"] == variant]
            for variant in variants
        ]
        return [f"{sum(values) / len(values):.2f}" for values in found]

    world, shifted = partial(means, "small_world"), "4x places, shifted 20%"
    for option, quoted in (
        ("norm_first", means("equal_time", "best, pre-norm", "best, post-norm")),
        ("batch_size", world("batch 32", "base", "batch 256")),
        ("mask_rate", world("mask 5%", "base", "mask 25%", "mask 40%")),
        ("next_sentence", world("base", "no next sentence")),
        (
            "shift_share",
            world(shifted, name="late_word_loss")
            + world("4x places", name="late_word_loss")
            + world(shifted, "4x places"),
        ),
        ("all_mask", world("100/0/0", "base", name="clean_word_accuracy")),
        (
            "nsp_weight",
            world("pair weight 0.2", "base") + world("pair weight 0.2", "base", name="nsp_loss"),
        ),
        (
            "pair_share",
            world("pairs in 40%", "base") + world("pairs in 40%", "base", name="nsp_loss"),
        ),
        (
            "optimizer",
            world("base", "AdamW 1e-2")
            + means("speed", "mini: minibert, Muon", "teaching: minibert, Muon", name="times"),
        ),
        (
            "warmup",
            world("AdamW 1e-2", "AdamW 1e-2, no warm-up"),
        ),
        (
            "precision",
            means("speed", "mini: minibert, float32", "teaching: minibert, float32", name="times"),
        ),
    ):
        assert re.findall(r"(?<!at )\b\d+\.\d\d\b", MEASURED[option]) == quoted, option
    assert re.findall(r"\d+\.\d\d\b", SOURCES) == world("floor", "unigrams")
    logs = re.findall(r"(\w+)\.json", SOURCES)
    assert len(logs) == 3
    for log in logs:
        assert benchmark_log(log)["rows"]


def test_times():
    assert [duration(text) for text in ("90s", "55m", "1h30m", "2h", "0s", "1.5m")] == [
        90,
        3300,
        5400,
        7200,
        0,
        90,
    ]
