"""The command line as a whole: errors, exit statuses, --help, and how fast it answers."""

import argparse
import os
import re
import subprocess
import sys
import time
import warnings

import pytest

from minibert.cli import main as cli
from minibert.cli.main import parse
from minibert.config import InputError
from minibert.hub.find_pretrained import MINILM
from minibert.hub.pretrained_io import UnreadWeightsWarning


@pytest.mark.parametrize(
    "argv, message",
    [
        (["info", "./nowhere"], r"there is no folder './nowhere'.*name a preset: tiny, mini"),
        (
            ["info", "base", "--length", "513"],
            "--length 513 is more than the model's 512 positions",
        ),
        (
            ["info", "base", "--batch", "0"],
            "argument --batch: expected a whole number of at least 1",
        ),
        (["similarity"], "give two or more texts, or --pairs FILE"),
        (["similarity", "a"], "there is only one text; give two or more"),
        (["similarity", "a", "b", "--pairs", "-"], "not both"),
        (["similarity", "--pairs", "nowhere.tsv"], "cannot read --pairs nowhere.tsv: No such file"),
        (["similarity", "a", "b", "--model", "./nowhere"], "no folder './nowhere'"),
        (
            ["fill-mask", "the [mask] sat", "--model", "x"],
            r"the text has no \[MASK\] \(in capitals\): 'the \[mask\] sat'",
        ),
        (
            ["fill-mask", "the [MASK]", "--model", "x", "--top", "0"],
            "--top must be at least 1, not 0",
        ),
        (
            ["fill-mask", "the [MASK]", "--model", MINILM],
            "a BertModel has no masked-language-model head",
        ),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    argv, message, needs_minilm, run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*argv)
    assert (
        status == 2 and not out and err.count("\n") == 1 and err.startswith(f"minibert {argv[0]}: ")
    )
    assert re.search(message, err), err


@pytest.mark.parametrize(
    "argv",
    [
        *([], ["nonsense"], ["info"], ["info", "base", "--length", "many"], ["fill-mask"]),
        *(
            ["search", "", "x"],
            ["embed", "x", "--out", ""],
            ["tokenizer", "--corpus", "", "--out", "x"],
            ["pretrain", "--from", "", "--out", "x"],
            ["pretrain", "--held-out", "a.txt", "", "--out", "x"],
            ["train-sentences", "--valid", "", "--out", "x"],
            ["tokenizer", "--out", "a\x1b[31mb"],
            ["pretrain", "--out", "a\nb"],
        ),
    ],
)
def test_bad_usage_is_one_line_that_names_the_help(argv, run):
    status, _out, err = run(*argv)
    assert status == 2 and err.startswith("minibert") and err.count("\n") == 1
    assert "--help' explains the options" in err


@pytest.mark.parametrize(
    "argv",
    [
        ["--help"],
        *(
            [name, "--help"]
            for name in ("info", "similarity", "fill-mask", "score", "embed", "search")
        ),
    ],
)
def test_help_is_friendly(argv, run):
    status, out, _ = run(*argv)
    assert status == 0 and ("examples:\n  minibert" in out or "explains a command" in out)


def options_of() -> dict[str, list[argparse.Action]]:
    """The arguments of every command, without --help."""
    commands = next(
        action
        for action in cli.build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    ).choices
    return {
        name: [action for action in parser._actions if action.dest != "help"]
        for name, parser in commands.items()
    }


COMMANDS = (
    "info",
    "similarity",
    "fill-mask",
    "score",
    "evaluate",
    "embed",
    "search",
    "export",
    "pretrain",
    "train-sentences",
    "finetune",
    "predict",
    "summarize",
    "tokenizer",
    "convert-bertsum",
)
# What stands in --help for what you fill in: few words, which mean the same in every command.
PLACEHOLDERS = {
    "A",
    "A,B,…",
    "COLUMN",
    "FILE",
    "FILE.pt",
    "FILE_OR_FOLDER",
    "FOLDER",
    "K",
    "MODEL",
    "N",
    "NAME",
    "P",
    "PRESET_OR_FOLDER",
    "QUESTION",
    "SHARE",
    "TASK",
    "TEXT",
    "TEXT_OR_FILE",
    "TIME",
    "WHEN",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_of_every_argument_what_it_is_and_what_to_fill_in(name):
    for action in options_of()[name]:
        assert action.help and len(action.help) > 3, action.dest
        if action.nargs != 0 and (
            action.metavar or not action.option_strings
        ):  # without one argparse shows the option's own name in capitals
            assert action.metavar in PLACEHOLDERS, action.dest


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_to_be_a_number_is_one(name):
    for action in options_of()[name]:
        if action.metavar in ("A", "N", "K", "P", "SHARE"):
            with pytest.raises((ValueError, argparse.ArgumentTypeError)):
                action.type("many")


def test_what_has_to_be_given():
    """Where something is written, its place has no default."""
    assert set(options_of()) == set(COMMANDS)
    assert {
        name: {
            action.option_strings[0]
            for action in actions
            if action.required and action.option_strings
        }
        for name, actions in options_of().items()
    } == {
        name: {
            "pretrain": {"--out"},
            "train-sentences": {"--out"},
            "finetune": {"--train", "--out"},
            "tokenizer": {"--out"},
            "export": {"--out"},
            "evaluate": {"--blimp"},
            "convert-bertsum": {"--out"},
        }.get(name, set())
        for name in COMMANDS
    }


def test_ctrl_c_is_130(needs_minilm, run, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("minibert.hub.pretrained_io.read_config", interrupted)
    status, _out, err = run("info", MINILM)
    assert status == 130 and "Traceback" not in err


def test_a_reader_that_goes_away_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)  # nobody will ever read: the first write fails
    buffered = {
        key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"
    }  # as on most machines
    done = subprocess.run(
        [sys.executable, "-m", "minibert", "info", "base"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        env=buffered,
    )
    os.close(writing)
    assert done.returncode == 141 and done.stderr == ""


# -- bugs and bad input ------------------------------------------------------------------------------------------------


def planted(error: BaseException):
    def run_info(arguments):
        raise error

    return run_info


@pytest.mark.parametrize("error", [ValueError("a bug"), KeyError("a bug"), OSError(5, "a bug")])
def test_a_bug_is_a_traceback_and_not_bad_input(error, run, monkeypatch):
    monkeypatch.setattr("minibert.cli.info.run_info", planted(error))
    with pytest.raises(type(error)) as raised:
        run("info", "base")
    assert raised.value is error


def test_a_bug_in_a_process_of_its_own():
    """As a user would see it: Python's traceback and status 1, not one line and status 2."""
    code = (
        "import sys\nfrom minibert.cli import info, main\n"
        "def bug(arguments):\n    raise ValueError('planted')\n"
        "info.run_info = bug\nsys.exit(main.main(['info', 'base']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.endswith("ValueError: planted\n")
    assert "Traceback (most recent call last)" in done.stderr


def test_a_file_of_the_user_that_does_not_open_is_bad_input(run, monkeypatch, tmp_path):
    error = PermissionError(13, "Permission denied", str(tmp_path / "mine.txt"))
    monkeypatch.setattr("minibert.cli.info.run_info", planted(error))
    status, out, err = run("info", "base")
    assert status == 2 and not out
    assert err == f"minibert info: {tmp_path / 'mine.txt'}: Permission denied\n"


def test_a_file_of_the_package_that_is_missing_is_a_bug(run, monkeypatch):
    error = FileNotFoundError(2, "No such file", str(cli.PACKAGE / "hub" / "gone.json"))
    monkeypatch.setattr("minibert.cli.info.run_info", planted(error))
    with pytest.raises(FileNotFoundError):
        run("info", "base")


@pytest.mark.parametrize("argv", [["--debug", "info"], ["info", "--debug"]])
def test_debug_shows_the_traceback_of_bad_input(argv, run, monkeypatch):
    monkeypatch.setattr("minibert.cli.info.run_info", planted(InputError("too long")))
    status, _, err = run(*argv, "base")
    assert status == 2 and "Traceback (most recent call last)" in err
    assert err.endswith("minibert info: too long\n")
    assert run("info", "base")[2] == "minibert info: too long\n"


def test_warnings_are_shown_but_for_those_that_a_command_hides(run, monkeypatch):
    from minibert.cli.common import unused_parts_ignored

    def run_info(arguments):
        with unused_parts_ignored():
            warnings.warn("a head is left unread", UnreadWeightsWarning, stacklevel=1)
            warnings.warn("look out", UserWarning, stacklevel=1)

    monkeypatch.setattr("minibert.cli.info.run_info", run_info)
    assert run("info", "base")[2] == "minibert info: look out\n"


def test_a_warning_cannot_command_the_terminal(run, monkeypatch):
    def run_info(arguments):
        warnings.warn("the folder \x1b[31mred\nand\u202emore", UserWarning, stacklevel=1)

    monkeypatch.setattr("minibert.cli.info.run_info", run_info)
    assert run("info", "base")[2] == "minibert info: the folder [31mred andmore\n"


# -- what surrounds a command ------------------------------------------------------------------------------------------


@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows keeps a folder that is somebody's current one"
)
@pytest.mark.parametrize("argv", [["info", "base"], ["embed", "a"], ["search", ".", "a"]])
def test_a_current_folder_that_is_gone(argv, tmp_path):
    code = (
        f"import os, sys\nos.chdir({str(tmp_path)!r})\nos.rmdir({str(tmp_path)!r})\n"
        f"from minibert.cli.main import main\nsys.exit(main({argv!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    wanted = (
        f"minibert {argv[0]}: the current folder is not there any more: change to one that exists\n"
    )
    assert (done.returncode, done.stderr) == (2, wanted)


def test_a_wrong_setting_of_the_progress_bars(tmp_path):
    (tmp_path / "a.txt").write_text("The cat sleeps.")
    done = subprocess.run(
        [sys.executable, "-m", "minibert", "search", str(tmp_path), "cat", "--no-cache"],
        capture_output=True,
        text=True,
        env=os.environ | {"TQDM_MININTERVAL": "abc"},
    )
    assert done.returncode == 2 and done.stderr.startswith(
        "minibert search: the progress bars cannot take the environment variable TQDM_"
    )
    assert "TQDM_MININTERVAL" in done.stderr
    assert done.stderr.count("\n") == 1


# -- texts after the options -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "texts"),
    [
        (["a", "b"], ["a", "b"]),
        (["--", "-a", "--json"], ["-a", "--json"]),
        (["a", "--json", "b"], ["a", "b"]),
        (["a", "--json", "--", "b"], ["a", "b"]),
        (["a", "--json", "--", "-b", "--x"], ["a", "-b", "--x"]),
        (["a", "--json", "b", "--", "-c", "--"], ["a", "b", "-c", "--"]),
        (["--json", "--", "-a"], ["-a"]),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("command", ["embed", "score model", "predict model"])
def test_texts_may_follow_options_and_after_two_dashes_begin_with_one(command, argv, texts):
    arguments = parse([*command.split(), *argv])
    assert arguments.texts == texts and arguments.json is (argv != ["a", "b"] and argv[0] != "--")


def test_in_similarity_and_summarize_as_well():
    assert parse(["similarity", "a", "--model", "m", "--", "-b"]).texts == ["a", "-b"]
    assert parse(["similarity", "a", "--model", "m", "b"]).texts == ["a", "b"]
    assert parse(["summarize", "a", "--json", "--", "-b"]).files == ["a", "-b"]


@pytest.mark.parametrize(
    "argv",
    [
        ["embed", "a", "--json", "--b"],
        ["embed", "a", "--json", "-b", "--", "c"],
        ["info", "base", "--", "b"],
    ],
)
def test_before_two_dashes_a_word_with_a_dash_is_an_option(argv, run):
    status, _, err = run(*argv)
    assert status == 2 and err.startswith(f"minibert {argv[0]}: unrecognized arguments: ")
    assert f"'minibert {argv[0]} --help'" in err


# -- how fast it answers -----------------------------------------------------------------------------------------------

SLOW_TO_IMPORT = ("torch", "numpy", "tokenizers", "huggingface_hub", "matplotlib", "datasets")


def test_the_parser_is_built_without_torch():
    code = (
        "import sys\nfrom minibert.cli.main import build_parser\nbuild_parser().format_help()\n"
        f"print([name for name in {SLOW_TO_IMPORT!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("argv", "status"),
    [(["--help"], 0), (["--version"], 0), (["finetune", "--nonsense"], 2), (["nosuch"], 2)],
)
def test_help_version_and_wrong_options_answer_at_once(argv, status):
    """Under half a second on a quiet machine. A busy one gets two; importing torch takes longer."""
    seconds = []
    for _ in range(5):
        started = time.monotonic()
        done = subprocess.run([sys.executable, "-m", "minibert", *argv], capture_output=True)
        seconds.append(time.monotonic() - started)
        assert done.returncode == status
        if seconds[-1] < 0.5:
            break
    assert min(seconds) < 2


@pytest.mark.parametrize(
    "argv, name",
    [
        (["tokenizer", "--out", "v", "--corpus", "a", "--corpus", "b", "c"], "corpus"),
        (["pretrain", "--out", "v", "--corpus", "a", "--corpus", "b", "c"], "corpus"),
        (["pretrain", "--out", "v", "--held-out", "a", "--held-out", "b", "c"], "held_out"),
        (["train-sentences", "--out", "v", "--exclude", "a", "--exclude", "b", "c"], "exclude"),
        (["predict", "m", "--choices", "a", "--choices", "b", "c"], "choices"),
    ],
)
def test_a_list_given_in_two_groups_is_one_list(argv, name):
    assert list(getattr(parse(argv), name)) == ["a", "b", "c"]
