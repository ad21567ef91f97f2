"""`minibert finetune` and `minibert predict` as a user meets them: every task from its file to an answer, stops, and errors in one line."""

import dataclasses
import errno
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
import torch
from tiny_finetuning import (
    LENGTH,
    choices,
    questions,
    reviews,
    save_tiny,
    sentences,
    write_csv,
    write_lines,
)

from minibert import BertConfig
from minibert.cli import finetune as command
from minibert.cli import finetune_session as session
from minibert.cli import main as cli
from minibert.cli import predict as prediction
from minibert.cli.finetune_data import Data, sorted_labels
from minibert.cli.finetune_options import COLUMNS, RECIPE, make_options, tasks_help
from minibert.cli.predict import run_predict
from minibert.config import InputError
from minibert.finetuning import FineTuning, FineTuningOptions, TaggedExample, TextExample
from minibert.finetuning.model_io import open_finetuned
from minibert.finetuning.tables.readers import CLASSES, Reader
from minibert.finetuning.tasks import registry
from minibert.finetuning.tasks.base import Task
from minibert.finetuning.tasks.registry import TaskEntry, register_task, task_entry, task_names
from minibert.finetuning.tasks.texts import Classification
from minibert.training.optim import update

FILES = {
    "model.safetensors",
    "config.json",
    "vocab.txt",
    "tokenizer_config.json",
    "finetuning.json",
    "log.jsonl",
}


def pairs() -> list[dict]:
    return [
        {
            "sentence1": row["text"],
            "sentence2": "the film was good",
            "score": 5.0 * (row["label"] == "pos"),
        }
        for row in reviews()
    ]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture
def quick(tiny):
    """The options of a run that takes two seconds."""
    return [
        "--model",
        str(tiny),
        "--learning-rate",
        "3e-2",
        "--epochs",
        "5",
        "--batch-size",
        "8",
        "--precision",
        "float32",
        "--threads",
        "1",
    ]


@pytest.fixture
def run(capsys):
    """Run a command line; exit status, stdout, stderr."""

    def run(*argv):
        try:
            status = cli.main([str(argument) for argument in argv])
        except SystemExit as exit:
            status = exit.code
        return status, *capsys.readouterr()

    return run


@pytest.fixture(scope="module")
def trained(tiny, tmp_path_factory):
    """The folder of a classifier that has learned its forty reviews, and the file of these."""
    folder = tmp_path_factory.mktemp("trained")
    rows = write_csv(folder / "reviews.csv", reviews())
    assert (
        cli.main(
            [
                "finetune",
                "classification",
                "--train",
                str(rows),
                "--dev",
                str(rows),
                "--out",
                str(folder / "model"),
                "--model",
                str(tiny),
                "--learning-rate",
                "3e-2",
                "--epochs",
                "6",
                "--batch-size",
                "8",
                "--precision",
                "float32",
                "--threads",
                "1",
            ]
        )
        == 0
    )
    return folder / "model", rows


# -- every task --------------------------------------------------------------------------------------------------------


def test_everything_is_known_everywhere():
    """Every task has its parts, and every field of the recipe and every column its help."""
    for name in task_names():
        task = task_entry(name).load_task()
        assert task.name == name and task.baseline is not Task.baseline, name
        assert isinstance(task_entry(name).load_reader(), Reader) and f"  {name} " in tasks_help()
        assert set(task_entry(name).columns) <= set(COLUMNS)
    assert set(RECIPE) == {field.name for field in dataclasses.fields(FineTuningOptions)}


class Shouting(Classification):
    """A new task: the tests below register it, as `tasks.base` tells."""

    name = "shouting"


@pytest.fixture
def new_task(monkeypatch):
    """A seventh task, for the time of a test."""
    monkeypatch.setattr(registry, "_ENTRIES", dict(registry._ENTRIES))
    entry = TaskEntry("shouting", "who shouts", ("text", "label"), Shouting, CLASSES)
    register_task(entry)
    return entry


def test_a_new_task_appears_in_the_command_line_by_itself(new_task, quick, run, tmp_path):
    status, out, _ = run("finetune", "--help")
    assert status == 0 and "shouting        who shouts" in out
    rows = write_csv(tmp_path / "rows.csv", reviews())
    status, out, err = run(
        "finetune", "shouting", "--train", rows, "--dev", rows, "--out", tmp_path / "model", *quick
    )
    assert status == 0 and "baseline: always" in out, err
    status, out, err = run("predict", tmp_path / "model", "the film was good")
    assert status == 0 and out.split("\t")[0] == "pos", err


def test_a_name_is_registered_once(new_task):
    with pytest.raises(InputError, match="there is a task 'shouting' already"):
        register_task(new_task)


LEARNED = {
    "classification": (reviews, ["a film was so good"], "pos"),
    "regression": (pairs, ["a film was so good", "--pair", "the film was good"], None),
    "similarity": (pairs, ["the film was good", "--pair", "the film was good"], "1.000"),
    "tagging": (sentences, ["Ada went to Rome."], "Ada/B-person went/O to/O Rome/B-place ./O"),
    "questions": (
        questions,
        ["--question", "where was ada ?", "--context", "So so film . Ada went to Rome ."],
        None,
    ),
    "choice": (choices, ["one two", "--choices", "bad", "good"], "good"),
}


@pytest.mark.parametrize("seed", [0, 1])
def test_how_many_rows_are_held_out_where_most_are_equal(seed, quick, run, tmp_path):
    rows = [{"text": "so so film", "label": ("neg", "pos")[n % 2]} for n in range(40)]
    rows.append({"text": "good film", "label": "pos"})
    file = write_csv(tmp_path / "rows.csv", rows)
    argv = ["--train", file, "--out", tmp_path / "model", "--seed", seed, *quick]
    status, out, err = run("finetune", "classification", *argv)
    assert status == 0, err
    assert "dev    1 rows: 2% of the training rows, because those of one text stay together" in out


@pytest.mark.parametrize("name", ["log.jsonl", "model.safetensors", "finetuning.json"])
def test_a_link_that_comes_during_a_run_is_not_written_through(
    name, quick, run, monkeypatch, tmp_path
):
    train = session.finetune

    def with_link(*given, **options):
        (tmp_path / "elsewhere").write_text("mine")
        (tmp_path / "model" / name).symlink_to(tmp_path / "elsewhere")
        return train(*given, **options)

    monkeypatch.setattr(session, "finetune", with_link)
    file = write_csv(tmp_path / "rows.csv", reviews())
    argv = ["--train", file, "--out", tmp_path / "model", *quick]
    status, _, err = run("finetune", "classification", *argv)
    assert status == 2 and f"{name} is a link" in err, err
    assert (tmp_path / "elsewhere").read_text() == "mine"


@pytest.mark.parametrize("task", LEARNED)
def test_each_task_from_its_file_to_an_answer(task, quick, run, tmp_path):
    rows, words, wanted = LEARNED[task]
    status, out, err = run(
        "finetune",
        task,
        "--train",
        write_lines(tmp_path / "rows.jsonl", rows()),
        "--out",
        tmp_path / "model",
        *quick,
    )
    assert status == 0, err
    assert (
        f"dev    {dict(questions=2, tagging=3, choice=3).get(task, 4)} rows: a tenth of the" in out
        and "held out at random (--seed 0)" in out
    )
    assert (
        out.count("epoch ") >= 5
        and "<- best on dev so far" in out
        and "  baseline: " in out
        and "Try it: minibert predict" in out
    )
    assert {path.name for path in (tmp_path / "model").iterdir()} == FILES
    status, out, _ = run("predict", tmp_path / "model", *words)
    assert (
        status == 0
        and out
        and (wanted is None or out.split("\t")[0].strip().splitlines()[0] == wanted)
    )
    status, out, _ = run(
        "predict", tmp_path / "model", "--json", *words
    )  # options before the texts
    answer, given = json.loads(out)["prediction"], set(json.loads(out)) - {"prediction"}
    assert given == {
        "questions": {"question", "context"},
        "tagging": {"text", "words"},
        "choice": {"text", "choices"},
        "classification": {"text"},
    }.get(task, {"text", "pair"})
    assert (
        status == 0
        and answer.keys()
        == {
            "classification": {"label", "probabilities"},
            "regression": {"value"},
            "similarity": {"cosine"},
            "tagging": {"words", "tags", "probabilities", "entities"},
            "questions": {"answer", "start", "end", "probability"},
            "choice": {"choice", "text", "probabilities"},
        }[task]
    )
    status, out, _ = run("predict", tmp_path / "model", "--file", tmp_path / "rows.jsonl", "--json")
    found = [json.loads(line) for line in out.splitlines()]
    assert (
        status == 0
        and [{key: value for key, value in row.items() if key != "prediction"} for row in found]
        == rows()
    ), "joined to the input"


def test_what_a_run_says_and_leaves(trained, run):
    folder, _rows = trained
    log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [record["epoch"] for record in log] == [1, 2, 3, 4, 5, 6] and {
        "step",
        "loss",
        "scores",
        "is_best",
        "seconds",
    } < log[0].keys()
    about = json.loads((folder / "finetuning.json").read_text())
    best = max((record for record in log if record["is_best"]), key=lambda record: record["epoch"])
    assert about["epoch"] == best["epoch"] and about["scores"]["dev"] == best["scores"]
    assert about["scores"]["dev"]["accuracy"] > 0.9 and about["scores"]["dev_baseline"] == {
        "what": "always 'pos'",
        "accuracy": 0.5,
        "macro_f1": pytest.approx(1 / 3),
    }
    assert (
        about["rows"] == {"train": 40, "dev": 40}
        and about["columns"] == {"text": "text", "label": "label"}
        and about["labels"] == ["neg", "pos"]
    )
    assert (
        about["recipe"]["epochs"] == 6
        and {"minibert", "torch", "python", "tokenizers"} == about["versions"].keys()
    )


def test_the_best_epoch_is_what_is_kept(quick, run, tmp_path):
    """A rate that ruins the weights at the end: what was best is in the folder, with its own scores, and a test file is scored with it."""
    rows = write_csv(tmp_path / "rows.csv", reviews())
    _, out, _ = run(
        "finetune",
        "classification",
        "--train",
        rows,
        "--dev",
        rows,
        "--test",
        rows,
        "--out",
        tmp_path / "model",
        *quick,
        "--warmup",
        "1",
        "--learning-rate",
        "0.3",
    )
    about = json.loads((tmp_path / "model" / "finetuning.json").read_text())
    _status, out, _ = run("predict", tmp_path / "model", "--file", rows, "--json")
    found = [json.loads(line) for line in out.splitlines()]
    accuracy = sum(row["label"] == row["prediction"]["label"] for row in found) / len(found)
    assert accuracy == about["scores"]["dev"]["accuracy"] == about["scores"]["test"]["accuracy"]


def test_the_output_of_predict_is_json_and_loses_no_column(quick, run, tmp_path):
    """A cell that is not a number is null, and a column 'prediction' is not overwritten."""
    train = write_csv(tmp_path / "rows.csv", reviews())
    model = tmp_path / "model"
    run("finetune", "classification", "--train", train, "--out", model, *quick)
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "fine", "a": NaN, "b": [1, {"c": -Infinity}], "d": null}\n')
    status, out, _ = run("predict", model, "--file", rows, "--json")
    found = json.loads(out, parse_constant=pytest.fail)
    assert status == 0 and found["text"] == "fine"
    assert (found["a"], found["b"], found["d"]) == (None, [1, {"c": None}], None)
    rows.write_text('{"text": "fine"}\n{"text": "good", "prediction": "mine"}\n')
    status, out, err = run("predict", model, "--file", rows, "--json")
    assert status == 2 and not out and err.count("\n") == 1
    assert f"--file {rows} has a column 'prediction'" in err and "rename that column" in err
    assert run("predict", model, "--file", rows)[0] == 0
    for depth in range(100, 1000, 50):  # up to what the reader refuses
        rows.write_text('{"text": "fine", "deep": ' + "[" * depth + "]" * depth + "}\n")
        status, _, err = run("predict", model, "--file", rows, "--json")
        assert status == 0 or (status == 2 and err.count("\n") == 1), err


def test_a_test_file_and_the_labels_of_training_rows(quick, run, tmp_path):
    rows = write_csv(tmp_path / "rows.csv", reviews())
    status, out, _ = run(
        "finetune",
        "classification",
        "--train",
        rows,
        "--dev",
        rows,
        "--test",
        rows,
        "--out",
        tmp_path / "model",
        *quick,
        "--epochs",
        "1",
        "--rows",
        "10",
    )
    assert (
        status == 0
        and "10 of them at random (--rows, --seed 0)" in out
        and "test, 40 rows" in out
        and re.search(r"labels 2: (neg|pos) \(\d\), (neg|pos) \(\d\)\n", out)
    )
    assert json.loads((tmp_path / "model" / "finetuning.json").read_text())["rows"] == {
        "train": 10,
        "dev": 40,
        "test": 40,
    }
    other = write_csv(tmp_path / "other.csv", [*reviews(5), {"text": "x", "label": "so-so"}])
    status, _, err = run(
        "finetune",
        "classification",
        "--train",
        rows,
        "--dev",
        other,
        "--out",
        tmp_path / "other",
        *quick,
    )
    assert (
        status == 2
        and "other.csv, line 7: 'so-so' is not among the labels of the training rows: neg, pos"
        in err
        and not (tmp_path / "other").exists()
    )


def test_a_pair_that_is_not_read_is_noted(tmp_path, capsys):
    """Not if it is read, as the second text or as the only one, and not for another column."""
    note = "the column 'Pair' is not read (--pair Pair would read it)"
    rows = [row | {"Pair": row["text"] + " x", "n": "1"} for row in reviews()]
    given = {"task": "classification", "train": str(write_csv(tmp_path / "rows.csv", rows))}
    for columns, notes in (({}, 1), ({"pair": "Pair"}, 0), ({"text": "Pair"}, 0)):
        Data(given | columns, 0)
        out = capsys.readouterr().out
        assert out.count(note) == out.count("is not read") == notes, out


def test_rows_with_a_text_that_was_seen_are_noted(tmp_path, capsys):
    rows = reviews()
    given = {
        "task": "classification",
        "train": str(write_csv(tmp_path / "train.csv", rows[:20])),
        "dev": str(write_csv(tmp_path / "dev.csv", rows[20:30])),
        "test": str(write_csv(tmp_path / "test.csv", rows[15:30])),
    }
    Data(given, 0)
    out = capsys.readouterr().out
    assert "note   5 of 15 rows of test have a text that rows of train have, too" in out
    assert "note   10 of 15 rows of test have a text that rows of dev have, too" in out
    assert out.count("note ") == 2, out


def test_a_test_row_that_cannot_be_read_is_reported_before_training(quick, run, tmp_path):
    rows = write_lines(tmp_path / "rows.jsonl", questions())
    answers = {"text": ["\u200b"], "answer_start": [4]}
    bad = [{"question": "who ?", "context": "ada \u200b", "answers": answers}]
    test = write_lines(tmp_path / "test.jsonl", bad)
    columns = ["--train", rows, "--test", test, "--out", tmp_path / "out"]
    status, out, err = run("finetune", "questions", *columns, *quick)
    assert status == 2 and "leaves nothing of the answer" in err and "epoch 1" not in out
    assert not (tmp_path / "out").exists()


def test_a_model_that_is_no_better_than_the_majority_is_told(quick, run, tmp_path):
    rows = write_csv(
        tmp_path / "rows.csv",
        [
            {
                "text": f"the film {'one two three four five'.split()[n % 5]}",
                "label": "ab"[n % 7 == 0],
            }
            for n in range(30)
        ],
    )
    status, out, _ = run(
        "finetune",
        "classification",
        "--train",
        rows,
        "--dev",
        rows,
        "--out",
        tmp_path / "model",
        *quick,
        "--epochs",
        "1",
        "--learning-rate",
        "1e-6",
    )
    assert status == 0 and "This is NOT better than the baseline on dev" in out


def test_it_learns_on_from_its_own_folder(trained, quick, run, tmp_path):
    folder, rows = trained
    options = [*quick[2:], "--learning-rate", "1e-9", "--epochs", "1"]
    status, _out, _ = run(
        "finetune",
        "classification",
        "--train",
        rows,
        "--dev",
        rows,
        "--model",
        folder,
        "--out",
        tmp_path / "on",
        *options,
    )
    assert (
        status == 0
        and json.loads((tmp_path / "on" / "finetuning.json").read_text())["scores"]["dev"][
            "accuracy"
        ]
        > 0.9
    ), "the head was kept"


def test_notes(quick, run, tmp_path):
    rows = write_csv(
        tmp_path / "rows.csv", [{"text": "κόσμε " * 60 + str(n), "label": n % 2} for n in range(12)]
    )
    _status, out, _ = run(
        "finetune",
        "classification",
        "--train",
        rows,
        "--out",
        tmp_path / "model",
        *quick,
        "--epochs",
        "2",
        "--patience",
        "1",
        "--learning-rate",
        "1e-9",
    )
    assert (
        f"note   10 of 10 rows have more than {LENGTH} tokens: the rest is not read (--max-length)"
        in out
    )
    assert (
        re.search(r"note   9\d?% of these tokens are not in the vocabulary of", out)
        and "use another --model" in out
    )


@pytest.mark.parametrize(
    ("task", "hidden", "rate", "length"),
    [
        ("classification", 256, 2e-4, 128),
        ("classification", 768, 5e-5, 128),
        ("similarity", 384, 5e-5, 128),
        ("questions", 768, 5e-5, 384),
    ],
)
def test_what_suits_the_task_and_the_model(task, hidden, rate, length):
    config = BertConfig(vocab_size=9, hidden_size=hidden, num_attention_heads=4)
    options = make_options(task, {}, config)
    assert (options.learning_rate, options.max_length) == (rate, length)
    assert make_options(
        task, {"learning_rate": 1e-3, "max_length": 64}, config
    ) == dataclasses.replace(options, learning_rate=1e-3, max_length=64)
    assert (
        make_options(task, {}, dataclasses.replace(config, max_position_embeddings=100)).max_length
        == 100
    )


# -- stops -------------------------------------------------------------------------------------------------------------


def at_step(step: int, happens, monkeypatch) -> None:
    original = FineTuning.train_step

    def train_step(self):
        if self.step == step:
            happens()
        return original(self)

    monkeypatch.setattr(FineTuning, "train_step", train_step)


@pytest.mark.parametrize(
    ("number", "name", "status"), [(signal.SIGINT, "Ctrl-C", 130), (signal.SIGTERM, "SIGTERM", 143)]
)
def test_stopped_in_the_third_epoch(number, name, status, quick, run, tmp_path, monkeypatch):
    rows = write_csv(tmp_path / "rows.csv", reviews())
    at_step(12, lambda: os.kill(os.getpid(), number), monkeypatch)
    code, out, err = run(
        "finetune",
        "classification",
        "--train",
        rows,
        "--dev",
        rows,
        "--out",
        tmp_path / "model",
        *quick,
    )
    assert (
        code == status
        and f"stopped by {name} in epoch 3 of 5. The best weights so far, from epoch " in out
        and "Traceback" not in err
    )
    assert {path.name for path in (tmp_path / "model").iterdir()} == FILES
    assert run("predict", tmp_path / "model", "the film was good")[0] == 0


def test_stopped_before_there_is_anything(quick, run, tmp_path, monkeypatch):
    rows = write_csv(tmp_path / "rows.csv", reviews())
    at_step(2, lambda: os.kill(os.getpid(), signal.SIGINT), monkeypatch)
    status, out, _ = run(
        "finetune", "classification", "--train", rows, "--out", tmp_path / "model", *quick
    )
    assert (
        status == 130
        and "stopped by Ctrl-C in epoch 1 of 5. No epoch was completed, so nothing was saved" in out
        and not (tmp_path / "model").exists()
    )


def test_a_stop_in_the_first_epoch_keeps_the_files_of_others(quick, run, tmp_path, monkeypatch):
    rows, out = write_csv(tmp_path / "rows.csv", reviews()), tmp_path / "model"

    def put_files_and_stop():
        (out / "notes").mkdir()
        (out / "notes.txt").write_text("mine")
        (out / "config.json").write_text("mine")
        os.kill(os.getpid(), signal.SIGTERM)

    at_step(2, put_files_and_stop, monkeypatch)
    status, _, err = run("finetune", "classification", "--train", rows, "--out", out, *quick)
    assert (status, err.count("Traceback")) == (143, 0)
    assert sorted(path.name for path in out.iterdir()) == ["config.json", "notes", "notes.txt"]


def test_a_failed_first_save_keeps_the_files_of_others(quick, run, tmp_path, monkeypatch):
    rows, out = write_csv(tmp_path / "rows.csv", reviews()), tmp_path / "model"
    monkeypatch.setattr("minibert.hub.pretrained_io._move_into", full)
    at_step(2, lambda: (out / "notes.txt").write_text("mine"), monkeypatch)
    status, _, _ = run("finetune", "classification", "--train", rows, "--out", out, *quick)
    assert status == 2
    assert [path.name for path in out.iterdir()] == ["notes.txt"]


def test_a_loss_that_is_no_number(quick, run, tmp_path, monkeypatch):
    rows = write_csv(tmp_path / "rows.csv", reviews())
    monkeypatch.setattr(
        "minibert.finetuning.trainer.update",
        lambda optimizers, clip: update(optimizers, clip) * float("nan"),
    )
    status, _, err = run(
        "finetune", "classification", "--train", rows, "--out", tmp_path / "model", *quick
    )
    assert (
        status == 2
        and "training has diverged" in err
        and "nothing was saved" in err
        and not (tmp_path / "model").exists()
    )


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "what",
    ["minibert.hub.pretrained_io.write_weights", "minibert.hub.pretrained_io._move_into"],
)
def test_a_full_disk_at_once_and_later(what, quick, run, tmp_path, monkeypatch):
    rows = write_csv(tmp_path / "rows.csv", reviews())
    arguments = ("finetune", "classification", "--train", rows, "--dev", rows, *quick)
    with monkeypatch.context() as patch:
        patch.setattr(what, full)
        status, _, err = run(*arguments, "--out", tmp_path / "at-once")
        assert (
            status == 2
            and "No space left on device" in err
            and err.count("\n") == 1
            and not (tmp_path / "at-once").exists()
        )
    original, calls = session.save_finetuned, []

    def save(*args, **kwargs):
        calls.append(1)
        if len(calls) == 2:
            monkeypatch.setattr(what, full)
        original(*args, **kwargs)

    monkeypatch.setattr(session, "save_finetuned", save)
    status, _out, err = run(*arguments, "--out", tmp_path / "later", "--learning-rate", "1e-2")
    assert len(calls) == 2, "the test needs a run that becomes better once at least"
    assert (
        status == 2
        and "No space left on device. The best weights so far, from epoch 1, are in" in err
        and not list((tmp_path / "later").glob(".*"))
    )
    tuned = open_finetuned(tmp_path / "later")
    assert tuned.task.labels == ["neg", "pos"]


def test_killed_between_epochs(quick, tiny, tmp_path):
    """A real process, killed without warning: what it had saved opens."""
    rows = write_csv(tmp_path / "rows.csv", reviews())
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "minibert",
            "finetune",
            "classification",
            "--train",
            str(rows),
            "--dev",
            str(rows),
            "--out",
            str(tmp_path / "model"),
            *quick,
            "--epochs",
            "2000",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 300
        while not (tmp_path / "model" / "finetuning.json").exists():
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.05)
    finally:
        process.kill()
        process.wait()
    assert open_finetuned(tmp_path / "model").task.labels == ["neg", "pos"]


# -- mistakes ----------------------------------------------------------------------------------------------------------

MISTAKES = {
    "no such task": (
        ["finetune", "sentiment", "--train", "ROWS", "--out", "OUT"],
        "invalid choice: 'sentiment'",
    ),
    "no --out": (["finetune", "classification", "--train", "ROWS"], "required: --out"),
    "a missing column": (
        ["finetune", "classification", "--train", "ROWS", "--label", "lable", "--out", "OUT"],
        "has no column 'lable' (--label); it has 'text', 'label'; did you mean 'label'?",
    ),
    "a missing file": (
        ["finetune", "classification", "--train", "nothing.csv", "--out", "OUT"],
        "there is no file 'nothing.csv'",
    ),
    "an option of another task": (
        ["finetune", "classification", "--train", "ROWS", "--words", "text", "--out", "OUT"],
        "--words has no meaning for classification",
    ),
    "a setting of another task": (
        ["finetune", "classification", "--train", "ROWS", "--stride", "9", "--out", "OUT"],
        "--stride has no meaning for classification",
    ),
    "too long": (
        ["finetune", "classification", "--train", "ROWS", "--max-length", "600", "--out", "OUT"],
        f"--max-length 600 is too much for this model: it accepts at most {LENGTH} tokens",
    ),
    "too short": (
        ["finetune", "classification", "--train", "ROWS", "--max-length", "2", "--out", "OUT"],
        "max_length must be a whole number of at least 8, not 2",
    ),
    "no epochs": (
        ["finetune", "classification", "--train", "ROWS", "--epochs", "0", "--out", "OUT"],
        "epochs must be a whole number of at least 1, not 0",
    ),
    "a rate that is none": (
        ["finetune", "classification", "--train", "ROWS", "--learning-rate", "-1", "--out", "OUT"],
        "learning_rate must be a number above 0, not -1.0",
    ),
    "more layers than there are": (
        ["finetune", "classification", "--train", "ROWS", "--trained-layers", "3", "--out", "OUT"],
        "trained_layers is 3, but the model has 1 layers",
    ),
    "no such model": (
        [
            "finetune",
            "classification",
            "--train",
            "ROWS",
            "--model",
            "/no/such/model",
            "--out",
            "OUT",
        ],
        "there is no folder '/no/such/model'",
    ),
    "a folder that is there": (
        ["finetune", "classification", "--train", "ROWS", "--out", "FULL"],
        "already exists and is not empty: name a new folder with --out",
    ),
    "one class": (
        ["finetune", "classification", "--train", "ONE", "--out", "OUT"],
        "all rows have the label 'pos', so there is nothing to learn",
    ),
    "one number": (
        ["finetune", "regression", "--train", "SAME", "--out", "OUT"],
        "all rows have the label 2.5, so there is nothing to learn",
    ),
    "one class left to train on": (
        ["finetune", "classification", "--train", "TWO", "--out", "OUT"],
        "two.csv, the rows that are left to train on: all rows have the label",
    ),
    "standard input twice": (
        ["finetune", "classification", "--train", "-", "--dev", "-", "--out", "OUT"],
        "only one of --train, --dev and --test can be standard input ('-')",
    ),
    "no choices": (
        ["finetune", "choice", "--train", "ROWS", "--choices", ",", "--out", "OUT"],
        "--choices: expected the names of columns, such as a,b,c,d",
    ),
    "a dev file without a name": (
        ["finetune", "classification", "--train", "ROWS", "--dev", "", "--out", "OUT"],
        "dev: expected a name, not an empty text",
    ),
    "no numbers": (
        ["finetune", "regression", "--train", "ROWS", "--out", "OUT"],
        "line 2: 'label' must be a number",
    ),
    "no GPU": (
        ["finetune", "classification", "--train", "ROWS", "--device", "cuda", "--out", "OUT"],
        "PyTorch finds no GPU",
    ),
    "a pair that is missing": (
        ["predict", "PAIRS", "a text"],
        "this model was trained on pairs of texts: give the second one as well",
    ),
    "a column of pairs that is missing": (
        ["predict", "PAIRS", "--file", "ROWS"],
        "this model was trained on pairs of texts: name the column of the second one with --pair",
    ),
    "a column too many": (
        ["predict", "MODEL", "--file", "ROWS", "--text", "text", "--pair", "label"],
        "this model was trained on single texts, but",
    ),
    "a pair too many": (
        ["predict", "MODEL", "a text", "--pair", "another"],
        "this model was trained on single texts",
    ),
    "nothing to predict": (["predict", "MODEL", " "], "an empty text"),
    "a text and standard input": (["predict", "MODEL", "a film", "-"], "'-' means standard input"),
    "an empty text, not standard input": (["predict", "MODEL", "--text", ""], "an empty text"),
    "a folder without a model": (
        ["predict", "FULL", "x"],
        "holds neither config.json nor vocab.txt",
    ),
    "a model without a task": (
        ["predict", "minibert-small", "x"],
        "is a BertForPreTraining without finetuning.json",
    ),
    "a file and a text": (["predict", "MODEL", "x", "--file", "ROWS"], "not both"),
    "a format without a file": (
        ["predict", "MODEL", "x", "--format", "csv"],
        "--format needs a file",
    ),
    "a column that the file lacks": (
        ["predict", "MODEL", "--file", "OTHER"],
        "no column has a usual name for --text",
    ),
    "a header that is there": (
        ["finetune", "classification", "--train", "ROWS", "--header", "text,label", "--out", "OUT"],
        "reviews.csv, line 1: this line has the names given in --header. Leave out --header",
    ),
    "a header that a file to predict has": (
        ["predict", "MODEL", "--file", "ROWS", "--header", "Text, label"],
        "reviews.csv, line 1: this line has the names given in --header. Leave out --header",
    ),
    "an unknown option": (["predict", "MODEL", "x", "--jsn"], "unrecognized arguments: --jsn"),
}


@pytest.mark.parametrize(("argv", "complaint"), list(MISTAKES.values()), ids=list(MISTAKES))
def test_mistakes_are_one_line_and_leave_nothing(argv, complaint, trained, tiny, run, tmp_path):
    if "cuda" in argv and torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    pair = tmp_path / "pairs"
    if "PAIRS" in argv:
        pair.mkdir()
        for path in trained[0].iterdir():
            (pair / path.name).write_bytes(path.read_bytes())
        about = json.loads((pair / "finetuning.json").read_text())
        (pair / "finetuning.json").write_text(
            json.dumps(about | {"columns": {"text": "a", "pair": "b", "label": "c"}})
        )
    places = {
        "ROWS": trained[1],
        "MODEL": trained[0],
        "OUT": tmp_path / "out",
        "FULL": tmp_path / "full",
        "PAIRS": pair,
        "ONE": write_csv(tmp_path / "one.csv", [row for row in reviews() if row["label"] == "pos"]),
        "TWO": write_csv(tmp_path / "two.csv", reviews()[:2]),
        "SAME": write_csv(tmp_path / "same.csv", [{"text": "x", "label": 2.5}] * 3),
        "OTHER": write_csv(tmp_path / "other.csv", [{"a": 1, "b": 2}]),
    }
    model = [] if "--model" in argv or argv[0] == "predict" else ["--model", tiny]
    status, _out, err = run(*(places.get(word, word) for word in argv), *model)
    assert status == 2 and complaint in err and "Traceback" not in err
    assert err.count("\n") == 1 or err.startswith("usage: ")
    assert not (tmp_path / "out").exists() and [
        path.name for path in (tmp_path / "full").iterdir()
    ] == ["file"]


def test_a_place_that_may_not_be_written(trained, quick, run, tmp_path):
    (tmp_path / "file").write_text("mine")
    status, _, err = run(
        "finetune",
        "classification",
        "--train",
        trained[1],
        "--out",
        tmp_path / "file" / "model",
        *quick,
    )
    assert status == 2 and "Not a directory" in err and err.count("\n") == 1


# -- predict -----------------------------------------------------------------------------------------------------------


def stdin(text: bytes, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), encoding="utf-8"))


def test_texts_that_are_typed_or_piped(trained, run, monkeypatch):
    typed = run("predict", trained[0], "the film was good", "a play was\tbad")
    for argv in (["-"], []):
        stdin("\ufeffthe film was good\r\n a play was\tbad \n".encode(), monkeypatch)
        assert run("predict", trained[0], *argv) == typed
    rows = [line.split("\t") for line in typed[1].splitlines()]
    assert [row[0] for row in rows] == ["pos", "neg"] and [row[3] for row in rows] == [
        "the film was good",
        "a play was bad",
    ]
    _label, probability, others = rows[0][:3]
    assert (
        float(probability) + float(others.removeprefix("neg ")) == pytest.approx(1, abs=0.002)
        and float(probability) > 0.5
    )
    stdin(b"caf\xe9\n", monkeypatch)
    assert "standard input is not UTF-8 text: byte 3 is 0xe9" in run("predict", trained[0])[2]
    stdin(b"good\n \nbad\n", monkeypatch)
    assert run("predict", trained[0])[::2] == (
        2,
        "minibert predict: standard input, line 2: the line is blank\n",
    )
    stdin(b"\n\n", monkeypatch)
    assert "standard input has no text" in run("predict", trained[0])[2]


def test_a_text_that_is_cut_is_noted(trained, run):
    status, out, err = run("predict", trained[0], "good " * 400, "a good film")
    assert status == 0 and len(out.splitlines()) == 2
    assert err == f"note: 1 of 2 inputs have more than {LENGTH} tokens; the rest was not read\n"


def test_a_text_of_which_the_tokenizer_leaves_nothing_is_noted(trained, run):
    status, out, err = run("predict", trained[0], "\u200b", "a good film")
    assert status == 0 and len(out.splitlines()) == 2
    assert err.startswith("note: the tokenizer leaves nothing of 1 of 2 inputs, so their"), err


def test_columns_of_a_file(trained, run, tmp_path):
    """Those of the training file; a usual name where they are not there; or as they are named."""
    folder, rows = trained
    wanted = run("predict", folder, "--file", rows)[1]
    texts = [row["text"] for row in reviews()]
    assert (
        run(
            "predict",
            folder,
            "--file",
            write_lines(tmp_path / "a.jsonl", [{"sentence": text} for text in texts]),
        )[1]
        == wanted
    )
    assert (
        run(
            "predict",
            folder,
            "--file",
            write_csv(tmp_path / "a.csv", [{"t": text, "text": "x"} for text in texts]),
            "--text",
            "t",
        )[1]
        == wanted
    )
    (tmp_path / "a.tsv").write_text("\n".join(texts))
    assert run("predict", folder, "--file", tmp_path / "a.tsv", "--header", "text")[1] == wanted


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.tsv", "text\tx\nfoo\t1\n\t\nbar\t2\n", "line 3: 'text' is empty"),
        ("a.tsv", "text\tx\nfoo\t1\n \t1\nbar\t2\n", "line 3: 'text' is empty"),
        ("a.tsv", "text\nfoo\n\nbar\n", "line 3: the line is blank"),
        ("a.csv", "text,x\nfoo,1\n,\nbar,2\n", "line 3: 'text' is empty"),
        ("a.csv", "text,x\nfoo,1\n\nbar,2\n", "line 3: the line is blank"),
        ("a.csv", 'text\n"foo\n\nbar"\n  \nbar\n', "line 5: the line is blank"),
        ("a.txt", "0 foo\n\n0 bar\n", "line 2: the line is blank"),
        ("a.jsonl", '{"text": "foo"}\n{"text": ""}\n', "line 2: 'text' is empty"),
    ],
)
def test_a_row_to_predict_without_a_text_is_refused(name, content, said, trained, run, tmp_path):
    """Left out, it would shift the answers below it against the rows. At the end it shifts none."""
    argv = "predict", trained[0], "--file", tmp_path / name
    argv += ("--format", "label-text") if name == "a.txt" else ()
    (tmp_path / name).write_text(content)
    status, out, err = run(*argv)
    assert (status, out) == (2, "") and err.endswith(f"{name}, {said}\n")
    if name != "a.jsonl":
        lines = content.splitlines()
        at = int(said.split()[1].rstrip(":")) - 1
        (tmp_path / name).write_text("\n".join([*lines[:at], *lines[at + 1 :], "", " ", ""]))
        status, out, _ = run(*argv)
        assert status == 0 and len(out.splitlines()) == 2 and "bar" in out.splitlines()[1]


@pytest.mark.parametrize(
    "value, said", [("0", "invalid positive value"), ("2.5", "invalid positive value")]
)
@pytest.mark.parametrize("option", ["--stride", "--max-answer", "--rows"])
def test_numbers_that_cannot_be(option, value, said, run):
    status, out, err = run("finetune", "questions", "--train", "x", "--out", "y", option, value)
    assert status == 2 and not out and option in err and ("whole number" in err or said in err)


def test_what_is_given_of_the_files_is_used(tmp_path, capsys):
    """The encoding, and whether questions without their answer are left out, of training rows and of others."""
    (tmp_path / "rows.csv").write_bytes(
        b"text,label\n"
        + b"".join(f"un caf\u00e9 {n},{n % 2}\n".encode("cp1252") for n in range(20))
    )
    data = Data(
        {
            "task": "classification",
            "train": str(tmp_path / "rows.csv"),
            "test": str(tmp_path / "rows.csv"),
            "encoding": "cp1252",
        },
        0,
    )
    assert {example.text[:7] for example in [*data.train, *data.dev, *data.test]} == {
        "un caf\u00e9"
    } and data.labels == ["0", "1"]
    rows = [
        *questions(),
        {
            "question": "who ?",
            "context": "so so",
            "answers": {"text": ["ada"], "answer_start": [0]},
        },
    ]
    given = {
        "task": "questions",
        "train": str(write_lines(tmp_path / "q.jsonl", rows)),
        "test": str(tmp_path / "q.jsonl"),
    }
    data = Data(given | {"skip_bad_answers": True}, 0)
    assert len(data.train) + len(data.dev) == len(data.test) == len(rows) - 1
    with pytest.raises(ValueError):
        Data(given, 0)
    capsys.readouterr()


def test_labels_are_in_an_order_that_people_expect():
    """Numbers by their size, tags by what they name, and nothing before anything."""
    named = [TaggedExample(["x"] * 5, ["I-person", "B-place", "O", "B-person", "I-place"])]
    assert sorted_labels("tagging", named, "f") == [
        "O",
        "B-person",
        "I-person",
        "B-place",
        "I-place",
    ]
    assert sorted_labels(
        "classification",
        [
            TextExample("x", None, label)
            for label in ("1" * 5000, "10", "9", "0", "O", "b-z", "c-a")
        ],
        "f",
    ) == ["O", "b-z", "c-a", "0", "9", "10", "1" * 5000]


def test_labels_command_no_terminal(tmp_path, capsys):
    rows = [{"text": f"row {n}", "label": ("\x1b[31mred\x07", "blue")[n % 2]} for n in range(20)]
    name = "rows\x1b[1m.jsonl"
    write_lines(tmp_path / name, rows)
    Data({"task": "classification", "train": str(tmp_path / name)}, 0)
    out = capsys.readouterr().out
    assert "[31mred (" in out and not {"\x1b", "\x07"} & {*out}


def test_predict_goes_where_it_is_told(trained, run, monkeypatch):
    asked = []
    monkeypatch.setattr(prediction, "device_kind", lambda name: asked.append(name) or "cpu")
    for options in ([], ["--device", "cpu"], ["--device", "cuda"]):
        assert run("predict", trained[0], "the film was good", *options)[0] == 0
    assert asked == ["auto", "cpu", "cuda"]


def test_help_is_enough(run):
    """What a newcomer needs stands in --help: every option with its default or its use, and examples at the end."""
    for name in ("finetune", "predict"):
        status, out, _ = run(name, "--help")
        assert (
            status == 0
            and f"minibert {name}" in out
            and "examples:" in out
            and max(map(len, out.splitlines())) < 150
        )
        for example in re.findall(r"^  minibert (.*)", out.split("examples:")[1], re.MULTILINE):
            assert cli.parse(shlex.split(example, comments=True)).run in (
                command.run_finetune,
                run_predict,
            ), example
    out = run("finetune", "--help")[1]
    for words in (
        "tasks (TASK)",
        "minibert predict",
        "finetuning.json",
        "exit status",
        "default: 3",
        "CoNLL",
    ):
        assert words in out
