"""Kill commands with SIGKILL at random moments, start them again, and compare with what an undisturbed run leaves.

    python tests/robustness/kills.py --times 50      # of each command; writes kills.json

After a kill the next start has to go on, begin anew, or say in one line what to do, and that is done here. What it leaves
has to be the same, byte for byte. Now and then the second start is killed too. `test_kills.py` does a few of these.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support"), str(ROOT / "benchmarks")]

import log
from forked_command import Done, Forker
from hostile_world import PRETRAIN, TEXT, build

from minibert.data.wikipedia.cache import cached

RUN = PRETRAIN.replace("--out run --steps 2", "--out new --steps 12").replace(
    "--checkpoint-every 1", "--checkpoint-every 3"
)
LONGER = 120  # seconds that an undisturbed command may take on a busy machine


# a corpus that is quick to clean and slow to write
CACHE, RECORDS = "articles.jsonl.xz", [{"text": f"{TEXT}Number {n * n}."} for n in range(9000)]
FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Work:
    """A command; how it goes on after a kill, if it has left run.json; and what it leaves at the end."""

    line: str
    resume: str = ""
    files: tuple[str, ...] = ()
    opens: str = ""  # a command that opens what a killed one has left

    def fingerprint(self, folder: Path, done: Done) -> str:
        """What the files hold; of a search, what it prints."""
        if not self.files:
            return done.out
        return " ".join(
            hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in self.files
        )


WORKS = {
    "pretrain": Work(
        RUN, "pretrain --resume --out new", ("new/model/model.safetensors", "new/model/vocab.txt")
    ),
    "text of pretrain": Work(
        RUN.replace("corpus.txt", "longer.txt") + " --time-limit 0s",
        "pretrain --resume --out new --time-limit 0s",
        ("new/vocabulary/vocab.txt", "new/train.tokens"),
    ),
    "train-sentences": Work(
        "train-sentences --corpus corpus.txt --from model --teacher model --steps 12 --max-length 16 "
        "--no-start-from-bag --checkpoint-every 3 --out new",
        "train-sentences --resume --out new",
        ("new/model/model.safetensors", "new/texts.txt"),
    ),
    "finetune": Work(
        "finetune classification --train reviews.csv --model model --out new --epochs 6",
        files=("new/model.safetensors", "new/config.json", "new/vocab.txt"),
        opens="predict new 'film'",
    ),
    "tokenizer": Work(
        "tokenizer --corpus longer.txt --vocab-size 300 --out new", files=("new/vocab.txt",)
    ),
    "search": Work("search texts film --model model --json"),
}


def prepare(world: Path) -> None:
    """A longer corpus and more files to search than the hostile world has."""
    texts = (f"{TEXT}Number {n} is a text of word{n % 71} and ring{n % 53}." for n in range(2000))
    (world / "longer.txt").write_text("\n\n\n".join(texts))
    (world / "texts").mkdir()
    for number in range(30):
        (world / "texts" / f"{number}.txt").write_text(f"{TEXT}Page {number} was good. " * 6)


class Killer:
    """Kills and starts again, in folders of its own."""

    def __init__(self, forker: Forker, world: Path) -> None:
        self.forker, self.world = forker, world
        self.undisturbed: dict[str, tuple[str, float]] = {}

    def folder(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="kill-", dir=self.forker.folder))
        for path in self.world.iterdir():
            (folder / path.name).symlink_to(path)
        return folder

    def run(self, line: str, folder: Path, limit: float = LONGER) -> Done:
        return self.forker.run(
            line.replace("'", "").split(),
            folder,
            limit=limit,
            env={"XDG_CACHE_HOME": str(folder / "cache"), "TQDM_DISABLE": "1"},
        )

    def whole(self, name: str) -> tuple[str, float]:
        """The fingerprint of undisturbed runs, and the seconds of the fastest."""
        if name not in self.undisturbed:
            seconds, found = [], set()
            for _ in range(3):  # the first is slower
                folder = self.folder()
                done = self.run(WORKS[name].line, folder)
                assert done.status == 0, done.err
                seconds.append(done.seconds)
                found.add(WORKS[name].fingerprint(folder, done))
                shutil.rmtree(folder)
            assert len(found) == 1, f"{name}: undisturbed runs differ"
            self.undisturbed[name] = found.pop(), min(seconds)
        return self.undisturbed[name]

    def kill_once(self, name: str, draw: random.Random) -> dict:
        """Kill a command at a random moment, go on, and compare: what happened."""
        work, (expected, seconds) = WORKS[name], self.whole(name)
        folder = self.folder()
        try:
            row = {"kills": 0, "how": "had ended before", "wrong": ""}
            moment = draw.random() * seconds
            done = self.run(work.line, folder, moment)
            while done.status == -9:
                row["kills"] += 1
                if work.opens and (folder / "new").exists():
                    opened = self.run(work.opens, folder)
                    if not told(opened):
                        row["wrong"] = f"{work.opens}: {opened.err}"
                can_resume = work.resume and (folder / "new" / "run.json").is_file()
                row["how"] = "resumed" if can_resume else "began anew"
                again = draw.random() < 0.25 and row["kills"] < 3
                limit = draw.random() * seconds if again else LONGER
                done = self.run(work.resume if can_resume else work.line, folder, limit)
                if done.status == 2 and "name a new folder" in done.err and told(done):
                    row["how"] = "was refused, as something is there: another folder"
                    if (folder / "new").exists():
                        shutil.move(folder / "new", folder / "old")
                    done = self.run(work.line, folder)
            if done.status:
                row["wrong"] = f"status {done.status}: {done.err}"
            elif work.fingerprint(folder, done) != expected:
                row["wrong"] = "another result than undisturbed"
            row["moment"] = round(moment, 3)
            return row
        finally:
            shutil.rmtree(folder)


def told(done: Done) -> bool:
    """Whether a command ended well or said in one line why not."""
    return done.status == 0 or (done.status == 2 and done.err.strip().count("\n") == 0)


def two_at_once(name: str, one: Killer, other: Killer, draw: random.Random):
    """A command run twice at once in one folder, one of them until a random moment.

    Returns the folder, what the other did, and a row.
    """
    seconds, folder, found = one.whole(name)[1], one.folder(), {}

    def killed():
        limit = draw.random() * 2 * seconds
        found["killed"] = other.run(WORKS[name].line, folder, limit)

    thread = threading.Thread(target=killed)
    thread.start()
    beside = one.run(WORKS[name].line, folder)
    thread.join()
    return folder, beside, {"kills": int(found["killed"].status == -9), "how": "two at once"}


def two_searches(one: Killer, other: Killer, draw: random.Random) -> dict:
    """Two processes fill one cache, and a third reads it."""
    folder, beside, row = two_at_once("search", one, other, draw)
    after, expected = one.run(WORKS["search"].line, folder), one.whole("search")[0]
    wrong = [done.err for done in (beside, after) if done.status or done.out != expected]
    wrong += [after.err] * (" 0 of them read anew" not in after.err)
    return row | {"wrong": "".join(wrong)}


def two_tokenizers(one: Killer, other: Killer, draw: random.Random) -> dict:
    """Two processes learn one vocabulary into one folder; one may find the other or its vocabulary and be refused."""
    folder, beside, row = two_at_once("tokenizer", one, other, draw)
    if "another process is at work in" in beside.err and told(beside):
        beside = one.run(WORKS["tokenizer"].line, folder)  # the other has ended
    refused = "name a new folder" in beside.err and told(beside)
    if beside.status and not refused:
        return row | {"wrong": beside.err}
    found = WORKS["tokenizer"].fingerprint(folder, beside)
    same = found == one.whole("tokenizer")[0]
    return row | {"wrong": "" if same else "another result than undisturbed"}


def corpus_cache(one: Killer, other: Killer, draw: random.Random) -> dict:
    """One or two processes fill the cache of the cleaned corpus; one is killed; the next start reads or makes it."""
    folder, started = Path(tempfile.mkdtemp(dir=one.forker.folder)), time.monotonic()
    fill_cache(folder)
    seconds = time.monotonic() - started
    (folder / CACHE).unlink()
    count = draw.choice((1, 2))
    processes = [FORK.Process(target=fill_cache, args=(folder,)) for _ in range(count)]
    for process in processes:
        process.start()
    time.sleep(draw.random() * seconds)
    processes[0].kill()
    for process in processes:
        process.join()
    there, wrong = (folder / CACHE).exists(), ""
    found, made = fill_cache(folder)
    if found != RECORDS or any(process.exitcode for process in processes[1:]):
        wrong = "another result than undisturbed"
    elif there and made:
        wrong = "the cache was not whole"
    shutil.rmtree(folder)
    kills = int(processes[0].exitcode == -signal.SIGKILL)
    return {"kills": kills, "how": f"{count} at work", "wrong": wrong}


def fill_cache(folder: Path) -> tuple[list[dict], bool]:
    """The records of the cache, and whether they had to be made."""
    made = []
    with patch.dict(os.environ, MINIBERT_CACHE_DIR=str(folder)):
        return list(cached(CACHE, lambda: made.append(1) or RECORDS)), bool(made)


OTHERS = {
    "two searches": two_searches,
    "two tokenizers": two_tokenizers,
    "corpus cache": corpus_cache,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw, started, rows = random.Random(given.seed), time.monotonic(), {}
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder, "world")
        world.mkdir()
        forkers = []
        for name in ("one", "other"):
            Path(folder, name).mkdir()
            forkers.append(Forker(Path(folder, name)))
        build(world, forkers[0])
        prepare(world)
        one, other = (Killer(forker, world) for forker in forkers)
        for name in (*WORKS, *OTHERS):
            tried = []
            for _ in range(given.times):
                work = OTHERS.get(name)
                row = work(one, other, draw) if work else one.kill_once(name, draw)
                tried.append(row)
                if row["wrong"]:
                    print(f"{name}: {row}", flush=True)
            rows[name] = {
                "starts": len(tried),
                "kills": sum(row["kills"] for row in tried),
                "afterwards": {
                    how: sum(row["how"] == how for row in tried)
                    for how in sorted({row["how"] for row in tried})
                },
                "wrong": [row["wrong"] for row in tried if row["wrong"]],
            }
            print(f"{(time.monotonic() - started) / 60:.1f} min, {name}: {rows[name]}", flush=True)
        for forker in forkers:
            forker.close()
    about = {
        "command": f"python tests/robustness/kills.py --times {given.times} --seed {given.seed}",
        "versions": log.versions(),
        "machine": log.machine(),
        "minutes": round((time.monotonic() - started) / 60, 1),
        "rows": rows,
    }
    (HERE / "kills.json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return int(any(row["wrong"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
