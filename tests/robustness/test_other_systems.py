"""Windows and macOS, as far as Linux can show them: names, encodings, ends of lines, open files, folders without case, and what only Unix has.

What these tests cannot show, a run on these systems has to: `.github/workflows/tests.yml`.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PureWindowsPath

import as_windows
import kills
import pytest
from forked_command import Forker
from hostile_world import PRETRAIN, VECTORS

from minibert.config import InputError
from minibert.hub.find_pretrained import SMALL, find_pretrained
from tools.environment import ROOT

# Each runs in a folder of its own; a second line of a command runs after the first, in the same folder.
RUN = PRETRAIN.replace("--out run --steps 2", "--out new --steps 4")
COMMANDS = {
    "info": ["info model --length 20"],
    "fill-mask": ["fill-mask '[MASK] film' --model model"],
    "predict": ["predict tuned --file reviews.csv"],
    "score": ["score model 'the film was good'"],
    "similarity": ["similarity --model model --pairs pairs.tsv"],
    "embed": ["embed --file lines.txt --model model --out vectors.npy"],
    "search": ["search notes film --model model"] * 2,
    "summarize": ["summarize page.txt --lead", "summarize page.html --lead"],
    "tokenizer": ["tokenizer --corpus corpus.txt --vocab-size 100 --out new"],
    "classification": [
        "finetune classification --train reviews.csv --model model --out new",
        "predict new 'a film'",
    ],
    "questions": ["finetune questions --train questions.jsonl --model model --out new"],
    "choice": ["finetune choice --train choices.jsonl --model model --out new"],
    "tagging": ["finetune tagging --train tags.conll --model model --out new"],
    "pretrain": [f"{RUN} --time-limit 0s", "pretrain --resume --out new --time-limit 1h"],
    "train-sentences": [
        VECTORS.replace("--out vectors", "--out new"),
        "train-sentences --resume --out new",
    ],
    "evaluate": ["evaluate model --blimp blimp"],
    "export": ["export model --out model.onnx"],
}


@pytest.fixture(scope="module")
def windows(forker):
    """Like `forker`; its commands warn of a text that is opened without an encoding."""
    folder = Path(tempfile.mkdtemp(prefix="windows-", dir=forker.folder))
    running = Forker(folder, PYTHONWARNDEFAULTENCODING="1")
    running.world = forker.world
    yield running
    running.close()
    shutil.rmtree(folder)


# ---------------------------------------------------------------- what Windows refuses


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_does_nothing_that_windows_refuses(windows, name):
    folder = kills.Killer(windows, windows.world).folder()
    home = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
    for line in COMMANDS[name]:
        done = windows.run(shlex.split(line), folder, windows=True, limit=200, env=home)
        assert done.status == 0, done.err
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("file = open('a', 'w', encoding='utf-8'); os.replace('b', 'a')", "a'"),
        ("file = open('b', encoding='utf-8'); os.replace('b', 'a')", "b'"),
        ("file = open('b', encoding='utf-8'); os.remove('b')", "b'"),
        ("file = open('c/d', encoding='utf-8'); os.rename('c', 'e')", "c/d'"),
        ("file = open('c/d', encoding='utf-8'); shutil.rmtree('c')", "c/d'"),
        ("array = np.memmap('b', 'u1', 'r'); os.replace('b', 'a')", "b'"),
        ("open('aux.txt', 'w', encoding='utf-8')", "'aux.txt'"),
        ("open('a:b', 'w', encoding='utf-8')", "'a:b'"),
        ("os.mkdir('end.')", "'end.'"),
        ("exec('open(\"b\")', {'__name__': 'minibert.x'})", "'encoding' argument not specified"),
        ("open('a', 'w', encoding='utf-8').close(); os.replace('b', 'a'); shutil.rmtree('c')", ""),
    ],
)
def test_what_windows_refuses_is_noticed(tmp_path, code, told):
    (tmp_path / "b").write_text("text", encoding="utf-8")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "d").touch()
    code = f"import os, shutil, as_windows, numpy as np; as_windows.install(); {code}"
    environment = {"PYTHONPATH": str(Path(as_windows.__file__).parent)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | environment | {"PYTHONWARNDEFAULTENCODING": "1"},
        capture_output=True,
        text=True,
    )
    last = done.stderr.strip().rpartition("\n")[2]
    assert (done.returncode == 0) == (not told) and last.endswith(told), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_nothing_is_called_that_a_system_lacks(system, tmp_path):
    """Such as fcntl: mypy knows what each system has."""
    # of a branch for one system, the others never reach what follows
    options = ("--platform", system, "--no-warn-unreachable", "--cache-dir", tmp_path)
    command = (sys.executable, "-m", "mypy", *options)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


# ---------------------------------------------------------------- ends of lines


def with_returns(path: Path) -> None:
    """End the lines of a text file as Windows does, also of those in a folder."""
    for file in [path] if path.is_file() else path.rglob("*"):
        if file.suffix in {".txt", ".csv", ".tsv", ".json", ".jsonl", ".conll", ".md", ".html"}:
            file.write_bytes(file.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("fill-mask '[MASK] film' --model model", ()),
        ("predict tuned --file reviews.csv", ()),
        ("similarity --model model --pairs pairs.tsv", ()),
        ("search notes film --model model --no-cache", ()),
        ("summarize page.txt --lead", ()),
        ("summarize page.md --lead", ()),
        ("summarize page.html --lead", ()),
        ("tokenizer --corpus corpus.txt --vocab-size 100 --out new", ("new/vocab.txt",)),
        (RUN, ("new/model/model.safetensors", "new/model/vocab.txt")),
        *(
            (f"finetune {task} --train {name} --model model --out new", ("new/model.safetensors",))
            for task, name in (
                ("classification", "reviews.csv"),
                ("classification", "reviews.tsv"),
                ("classification", "reviews.jsonl"),
                ("classification --format label-text", "label.txt"),
                ("questions", "questions.jsonl"),
                ("tagging", "tags.conll"),
            )
        ),
    ],
)
def test_ends_of_lines_change_no_result(forker, line, files):
    results = []
    for change in (lambda path: None, with_returns):
        folder = Path(tempfile.mkdtemp(prefix="lines-", dir=forker.folder))
        for path in forker.world.iterdir():
            if path.name in line.split() or path.name == "shape.json":
                (shutil.copytree if path.is_dir() else shutil.copy)(path, folder / path.name)
                change(folder / path.name)
        done = forker.run(shlex.split(line), folder, limit=60)
        assert done.status == 0, done.err
        text = "" if files else done.out
        results.append((text, [(folder / name).read_bytes() for name in files]))
        shutil.rmtree(folder)
    assert results[0] == results[1]


# ---------------------------------------------------------------- names and paths


@pytest.fixture
def names(needs_git) -> list[str]:
    done = subprocess.run(
        [needs_git, "-C", ROOT, "ls-files", "-z", "--stage"], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip("not a clone: what git holds cannot be asked")
    entries = [entry.partition("\t") for entry in done.stdout.split("\0") if entry]
    assert not [name for mode, _, name in entries if mode.startswith("120000")], "no links"
    return [name for _, _, name in entries]


def test_every_name_in_git_is_one_on_windows_and_macos(names):
    parts = {part for name in names for part in name.split("/")}
    assert not [part for part in parts if as_windows.ILLEGAL.fullmatch(part)]
    assert all(part.isascii() for part in parts), "macOS writes é in another way"
    folders = {str(parent) for name in names for parent in Path(name).parents}
    assert len({name.lower() for name in {*names, *folders}}) == len({*names, *folders})
    assert max(map(len, names)) <= 120, "Windows takes 259 characters, the reader's folder included"


def test_a_path_far_longer_than_windows_has_by_itself(forker, tmp_path):
    deep = Path("a" * 100, "b" * 100, "c" * 100)
    folder = Path(tempfile.mkdtemp(prefix="deep-", dir=forker.folder))
    (folder / deep).mkdir(parents=True)
    for name in ("corpus.txt", "shape.json"):
        shutil.copy(forker.world / name, folder / deep)
    done = forker.run(shlex.split(RUN), folder / deep, limit=60)
    assert done.status == 0, done.err
    done = forker.run(["fill-mask", "[MASK] film", "--model", str(deep / "new/model")], folder)
    assert done.status == 0 and done.out, done.err
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", ["C:\\models\\mine", "C:/models/mine", "..\\mine", "\\\\host\\a"])
def test_a_windows_path_without_a_model_is_never_looked_for_on_the_hub(name):
    with pytest.raises(InputError, match=r"there is no folder .* cannot be a name on the hub"):
        find_pretrained(name)


def test_a_name_on_the_hub_may_be_a_path_of_windows(needs_minilm):
    """`Path("owner/model")` has a backslash there."""
    assert find_pretrained(PureWindowsPath(SMALL)).name == SMALL
    assert find_pretrained(PureWindowsPath(needs_minilm)) == find_pretrained(needs_minilm)
