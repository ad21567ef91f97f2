"""What only a process of its own shows: streams that the shell closed, Ctrl-C during the imports, a disk that is really full."""

import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minibert.hub.new_folder import new_folder

pytestmark = pytest.mark.slow
MINIBERT = f"{shlex.quote(sys.executable)} -m minibert"


def shell(line: str, folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        line, shell=True, executable="/bin/sh", cwd=folder, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("line", "status", "says"),
    [
        ("info base >&-", 2, "standard output is closed"),
        ("info base > /dev/full", 2, "No space left on device"),
        ("--help >&-", 2, "standard output is closed"),
        ("--help > /dev/full", 2, "No space left on device"),
        ("finetune --help > /dev/full", 2, "No space left on device"),
        ("summarize --lead <&-", 2, "empty"),
        ("summarize --lead <&- >&-", 2, "standard output is closed"),
        ("info nosuch/a/b 2>&-", 2, ""),
        ("info nosuch/a/b 2> /dev/full", 2, ""),
        ("info nosuch/a/b <&- >&- 2>&-", 2, ""),
        ("info base 2>&-", 0, ""),
        ("info base | head -1", 0, ""),
    ],
)
def test_streams_as_the_shell_makes_them(line, status, says, forker):
    done = shell(f"{MINIBERT} {line}", forker.world)
    assert done.returncode == status, (done.stdout, done.stderr)
    assert says in done.stderr and done.stderr.count("\n") <= bool(says), done.stderr


@pytest.mark.parametrize("number", range(12))
def test_ctrl_c_at_a_random_moment_of_a_process(number, forker):
    """Most of the moments are among the imports. Python's own start, before any code of ours, is left out."""
    seconds = 0.15 + random.Random(number).random() * 3
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "print('started', flush=True)\nimport sys\nsys.argv[0] = 'minibert'\n"
            "from minibert.__main__ import run\nsys.exit(run())",
            "fill-mask",
            "a [MASK] film",
            "--model",
            "model",
        ],
        cwd=forker.world,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "started\n"
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    # killed by the signal itself while Python was starting: a shell reports 130 for that too
    assert process.returncode in (0, 130, -signal.SIGINT), errors
    assert "Traceback" not in errors and "Exception ignored" not in errors, errors


@pytest.mark.parametrize(
    "line",
    [
        "tokenizer --corpus corpus.txt --vocab-size 200 --out disk/new",
        "embed --file lines.txt --model model --out disk/new.npy",
        "finetune classification --train reviews.csv --model model --epochs 1 --out disk/new",
        "pretrain --corpus corpus.txt --preset shape.json --vocab-size 200 --steps 2 --length 16 --long-share 0 --short-share 0 --out disk/new",
        "export model --out disk/new.onnx",
    ],
)
def test_a_disk_that_is_really_full(line, forker):
    """A small tmpfs, in a mount namespace of its own, which ordinary users may have too."""
    if shell("unshare --user --map-root-user --mount true", forker.world).returncode:
        pytest.skip("this system lets nobody mount a tmpfs in a namespace")
    inside = (
        "mount -t tmpfs -o size=16k tmpfs disk && cat /dev/zero > disk/filler 2> /dev/null; "
        f"{MINIBERT} {line}; status=$?; ls -A disk; exit $status"
    )
    folder = forker.folder / "full"
    folder.mkdir(exist_ok=True)
    (folder / "disk").mkdir(exist_ok=True)
    for path in forker.world.iterdir():
        if not (folder / path.name).is_symlink():
            (folder / path.name).symlink_to(path)
    done = shell(f"unshare --user --map-root-user --mount sh -c {shlex.quote(inside)}", folder)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stderr.count("\n") == 1 and "No space left" in done.stderr, done.stderr
    assert done.stdout.splitlines()[-1] == "filler", done.stdout


def test_a_folder_that_another_process_fills_is_refused(forker):
    line = "finetune classification --train reviews.csv --model model --out taken"
    with new_folder(forker.world / "taken"):
        done = forker.run(line.split(), forker.world)
    assert done.status == 2 and done.err.count("\n") == 1, done.err
    assert "another process is at work in taken" in done.err


def test_two_processes_do_not_train_into_one_folder(forker):
    """The second is refused at once, and the model of the first stays."""
    line = (
        "finetune classification --train reviews.csv --model model --out both --epochs 400 "
        "--patience 400"
    )
    first = subprocess.Popen(
        f"exec {MINIBERT} {line}", shell=True, cwd=forker.world, stdout=subprocess.PIPE, text=True
    )
    both = forker.world / "both"
    try:
        while not (both / ".lock").exists() and first.poll() is None:
            time.sleep(0.01)
        done = forker.run(line.split(), forker.world)
        assert done.status == 2 and done.err.count("\n") == 1, done.err
        assert "both" in done.err  # it is filled, if an epoch has ended meanwhile
        first.send_signal(signal.SIGINT)
        printed, _ = first.communicate(timeout=120)
        assert first.returncode == 130, printed
        assert not (both / ".lock").exists()
        assert both.exists() == ("epoch 1 of" in printed), printed
    finally:
        first.kill()
        shutil.rmtree(both, ignore_errors=True)
