"""Search for files that a reader neither reads nor refuses with an InputError.

    python tests/robustness/fuzz.py --minutes 30      # of processor time; writes fuzz.json and findings/

Real files are changed a little, again and again; a change that reaches a line of minibert which none before has reached
is kept and changed further. The seed is in the log: pass another one with --seed. What is found stays in findings/, where
test_fuzz.py reads it for good.
"""

import argparse
import contextlib
import hashlib
import json
import random
import resource
import shlex
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "benchmarks")]

import log
import torch
from forked_command import Forker
from fuzz_targets import TARGETS, Target, more_files
from hostile_world import build
from mutations import mutated

from minibert.config import InputError

PACKAGE = str(ROOT / "minibert")
SECONDS = 20  # of processor time, with every line traced, that an input of at most 100 kB may take


class TooSlow(BaseException):
    """An input that takes longer than SECONDS."""


class Fuzzer:
    """Changed files for the targets, in a folder of their own."""

    def __init__(self, world: Path, folder: Path, seed: int) -> None:
        self.draw, self.folder = random.Random(seed), folder
        self.found: list[tuple[str, bytes]] = []
        for target in TARGETS.values():
            top = Path(target.file).parts[0]
            if not (folder / top).exists():
                (shutil.copytree if (world / top).is_dir() else shutil.copy)(
                    world / top, folder / top
                )
            target.kept = [(folder / target.file).read_bytes()]

    def try_one(self, name: str, data: bytes | None = None) -> str | None:
        """Try a change of a target's file, or the data given; returns the traceback of a new finding."""
        target = TARGETS[name]
        path, original = self.folder / target.file, target.kept[0]
        if data is None:
            data = mutated(self.draw.choice(target.kept), target.kept, self.draw, target.kind)
        path.write_bytes(data)
        before, found = len(target.lines), None
        try:
            with traced(target.lines):
                found = attempt(target, path)
        finally:
            path.write_bytes(original)
        target.inputs += 1
        if found:
            if found.splitlines()[-1] in target.findings:
                return None
            target.findings[found.splitlines()[-1]] = found
            self.found.append((name, data))
        elif len(target.lines) > before:
            target.kept.append(data)
        return found


def attempt(target: Target, path: Path) -> str | None:
    """The error that must not be, as text; None if the file was read or refused."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        target.read(path)
    except InputError as error:
        target.refused += 1
        if not str(error).strip():
            return "an InputError that says nothing"
    except (Exception, TooSlow) as error:
        frames = [
            f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(PACKAGE)
        ]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "?"
        return traceback.format_exc() + f"{type(error).__name__} in {place}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return None


@contextlib.contextmanager
def traced(lines: set[tuple[str, int]]):
    """Collect the lines of minibert that are run inside the block."""

    def inside(frame, event, _):
        if event == "line":
            lines.add((frame.f_code.co_filename, frame.f_lineno))
        return inside

    def called(frame, event, _):
        return inside if frame.f_code.co_filename.startswith(PACKAGE) else None

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


def be_limited() -> None:
    """Let an endless loop and an enormous allocation raise an exception."""

    def stop(*_):
        raise TooSlow

    signal.signal(signal.SIGVTALRM, stop)
    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, resource.getrlimit(resource.RLIMIT_AS)[1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30, help="of processor time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=TARGETS, nargs="+", default=list(TARGETS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for made in (world := Path(folder, "world"), copy := Path(folder, "copy")):
            made.mkdir()
        forker = Forker(Path(folder))
        build(world, forker)
        forker.close()
        more_files(world)
        fuzzer = Fuzzer(world, copy, given.seed)
        be_limited()
        started = time.process_time()
        while (spent := time.process_time() - started) < given.minutes * 60:
            for name in given.only:
                share = time.process_time() + 2
                while time.process_time() < share:
                    if found := fuzzer.try_one(name):
                        print(f"{spent / 60:.1f} min, {name}: {found}", flush=True)
                        digest = hashlib.sha256(data := fuzzer.found[-1][1]).hexdigest()[:8]
                        case = f"{name.replace(' ', '_')}.{digest}"
                        (HERE / "findings" / case).write_bytes(data)
    only = "" if given.only == list(TARGETS) else f" --only {shlex.join(given.only)}"
    about = {
        "command": f"python tests/robustness/fuzz.py --minutes {given.minutes:g} --seed {given.seed}{only}",
        "versions": log.versions(),
        "machine": log.machine(),
        "processor_minutes": round(time.process_time() / 60, 1),
    }
    rows = {name: about | TARGETS[name].row() for name in given.only}
    path = HERE / "fuzz.json"
    kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps(kept | rows, indent=2) + "\n", encoding="utf-8")
    return int(any(row["findings"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
