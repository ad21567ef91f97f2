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
from hostile_world import PRETRAIN

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
        ("--version > /dev/full", 2, "No space left on device"),
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


def test_without_a_folder_for_temporary_files(forker):
    """Which an import asks for where the package dill is installed."""
    if shell("unshare --user --map-root-user --mount true", forker.world).returncode:
        pytest.skip("this system lets nobody mount in a namespace")
    inside = (
        "for folder in /tmp /var/tmp; do "
        "mount --bind $folder $folder && mount -o remount,ro,bind $folder || exit 1; done; "
        f"cd /proc && exec env -u TMPDIR -u TEMP -u TMP {MINIBERT} info base"
    )
    line = f"unshare --user --map-root-user --mount sh -c {shlex.quote(inside)}"
    done = shell(line, forker.world)
    assert done.returncode in (0, 2) and done.stderr.count("\n") <= 1, done.stderr
    assert done.returncode == 0 or "TMPDIR" in done.stderr, done.stderr


def test_a_terminal_that_is_closed_ends_a_run_as_ctrl_c_does(forker):
    """And not under nohup, where the signal is ignored."""
    line = PRETRAIN.replace("--steps 2", "--steps 100000").replace("--out run", "--out hung")
    first = subprocess.Popen(
        f"exec {MINIBERT} {line}", shell=True, cwd=forker.world, stdout=subprocess.PIPE, text=True
    )
    log = forker.world / "hung" / "log.jsonl"
    try:
        while not (log.exists() and log.stat().st_size) and first.poll() is None:
            time.sleep(0.01)
        first.send_signal(signal.SIGHUP)
        first.send_signal(signal.SIGHUP)
        printed, _ = first.communicate(timeout=60)
        assert first.returncode == 130 and "--resume" in printed, printed
    finally:
        first.kill()
        shutil.rmtree(forker.world / "hung", ignore_errors=True)


def test_what_a_closed_terminal_ends_leaves_no_half_file(forker):
    line = "finetune classification --train reviews.csv --model model --out hung --epochs 400"
    first = subprocess.Popen(
        f"exec {MINIBERT} {line}", shell=True, cwd=forker.world, stdout=subprocess.DEVNULL
    )
    hung = forker.world / "hung"
    try:
        while not (hung / ".lock").exists() and first.poll() is None:
            time.sleep(0.01)
        first.send_signal(signal.SIGHUP)
        assert first.wait(timeout=60) == 130
        assert not hung.exists() or not list(hung.glob(".*"))
    finally:
        first.kill()
        shutil.rmtree(hung, ignore_errors=True)


def test_a_run_whose_reader_has_gone_saves_what_it_has_done(forker):
    """Standard output is a pipe that is closed after the first line, as by `| head -1`."""
    line = PRETRAIN.replace("--steps 2", "--steps 100000").replace("--out run", "--out piped")
    line = line.replace("--held-out none", "--eval-every 5").replace("every 1", "every 1h")
    first = subprocess.Popen(
        f"exec {MINIBERT} {line}",
        shell=True,
        cwd=forker.world,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        for _ in range(3):  # up to the amount of text
            first.stdout.readline()
        first.stdout.close()
        assert first.wait(timeout=60) == 141 and not first.stderr.read()
        names = {path.name for path in (forker.world / "piped" / "checkpoints").iterdir()}
        assert names == {"step-00000000", "step-00000005"}
    finally:
        first.kill()
        shutil.rmtree(forker.world / "piped", ignore_errors=True)


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
        assert both.exists() == ("No epoch was completed" not in printed), printed
    finally:
        first.kill()
        shutil.rmtree(both, ignore_errors=True)
