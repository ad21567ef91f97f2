"""Is all ready to be published? `python3 dev.py publish --check --repository https://github.com/OWNER/NAME` asks this; nothing is uploaded.

Everything is done to a copy of what git holds, in which the address stands: sdist and wheel are built and tried in fresh environments,
and the site is built and its addresses compared with the files. The packages are left in dist/. What only a person can do is said at the end.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "book" / "_ext")]
import yaml
from minibert_share import pages_address

from tools.published_links import Repository, problems

# What the unpacked sdist runs: the package, its command, the shipped models, and the files of the book.
TESTS = (
    "tests/unit/test_attention.py",
    "tests/unit/test_tokenization.py",
    "tests/unit/cli/test_info.py",
    "tests/unit/hub/test_minibert_small.py",
    "tests/meta/test_structure.py",
    "tests/book/test_vendor.py",
)
# Only the address of the repository is new in the notebooks, so they are not run.
STAMP = """
import nbformat
from tools.environment import NOTEBOOKS
from tools.stamp import stamp
for path in NOTEBOOKS.glob("*.ipynb"):
    nbformat.write(stamp(nbformat.read(path, 4), path.stem), path)
"""


class NotReady(Exception):
    """Something has to be mended before the course can be published; the message says what."""


def run(*command, cwd: Path, failure: str, **environment: str) -> None:
    """Run a command in a folder, without what this process adds to Python's path."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if index := kept.get("TORCH_INDEX_URL"):
        kept["PIP_EXTRA_INDEX_URL"] = index
    if subprocess.run([*map(str, command)], cwd=cwd, env=kept | environment).returncode:
        raise NotReady(failure)


def say(step: str) -> None:
    print(f"\n{step} …", flush=True)


def tracked() -> list[str]:
    """The names of all files that git holds."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise NotReady("This folder is no clone, and only what git holds is published.")
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


def copy_with_address(names: list[str], folder: Path, address: str) -> None:
    """What git holds, as it will be once the address stands in _config.yml and the notebooks were stamped."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    config = folder / "_config.yml"
    text = config.read_text(encoding="utf-8")
    text, count = re.subn(r"(?m)^(  url: ).*", rf"\g<1>{address}", text)
    if count != 1:
        raise NotReady("_config.yml has no line `  url: ` below `repository:`, or several.")
    config.write_text(text, encoding="utf-8")
    run(sys.executable, "-c", STAMP, cwd=folder, failure="The notebooks could not be stamped.")


def build_packages(names: list[str], folder: Path, target: Path) -> tuple[Path, Path]:
    """sdist and wheel of the copy, alone in `target`; the wheel is built from the sdist."""
    shutil.rmtree(target, ignore_errors=True)
    command = (sys.executable, "-m", "build", "--outdir", target, folder)
    run(*command, cwd=folder, failure="sdist and wheel could not be built.")
    (sdist,), (wheel,) = target.glob("*.tar.gz"), target.glob("*.whl")
    compare(names, sdist)
    return sdist, wheel


def compare(names: list[str], sdist: Path) -> None:
    """Raise NotReady unless an sdist holds the files of these names, and no others but those that a build makes."""
    with tarfile.open(sdist) as archive:
        held = {member.name.partition("/")[2] for member in archive if member.isfile()}
    if missing := sorted({*names} - held):
        raise NotReady(f"The sdist lacks {', '.join(missing[:9])}: MANIFEST.in says what it holds.")
    made = {"PKG-INFO", "setup.cfg"}
    added = [name for name in held - {*names} - made if ".egg-info/" not in name]
    if added:
        raise NotReady(f"The sdist holds what git does not: {', '.join(sorted(added)[:9])}.")


def try_sdist(sdist: Path, folder: Path) -> None:
    """Unpack it in an empty folder, install it into the tested environment, and run its own tests."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    environment = folder / "environment"
    make = (sys.executable, "-m", "venv", environment)
    run(*make, cwd=folder, failure="No environment could be made.")
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    failure = "The tested environment could not be installed; pip's reason stands above."
    for arguments in (
        ("--no-deps", "--require-hashes", "-r", "requirements.lock"),
        ("-c", "constraints.txt", "torch"),
        ("--no-deps", "."),
    ):
        install = (python, "-m", "pip", "install", "-q", *arguments)
        run(*install, cwd=unpacked, failure=failure)
    command = (python, "-m", "pytest", "-q", "-n", "2", *TESTS)
    failure = "The sdist fails its own tests."
    run(*command, cwd=unpacked, failure=failure, MINIBERT_NO_SKIPS="1")


def build_site(folder: Path) -> Path:
    """The book of the copy, with warnings as errors."""
    program = shutil.which("jupyter-book", path=str(Path(sys.executable).parent))
    command = (program, "build", folder, "-W", "--keep-going", "--quiet")
    run(*command, cwd=folder, failure="The book was not built; the warnings above count as errors.")
    return folder / "_build" / "html"


def left(repository: Repository) -> list[str]:
    """What only a person can do, in order."""

    def text(name: str) -> str:
        return (ROOT / name).read_text(encoding="utf-8")

    steps = []
    project = tomllib.loads(text("pyproject.toml"))["project"]
    if yaml.safe_load(text("_config.yml"))["repository"]["url"] != repository.address:
        steps.append(
            f"Put `url: {repository.address}` into _config.yml and run `python3 dev.py notebooks`."
        )
    if "repository-code:" not in text("CITATION.cff"):
        steps.append(f"Add `repository-code: {repository.address}` to CITATION.cff.")
    if "urls" not in project:
        steps.append(f'Add `urls = {{ Source = "{repository.address}" }}` to pyproject.toml.')
    if pending := re.search(r"^## ([\d.]+), not released$", text("CHANGELOG.md"), re.MULTILINE):
        steps.append(
            f"Say in CHANGELOG.md that {pending[1]} is released, and give pyproject.toml, minibert and CITATION.cff that version "
            f"(the packages in dist/ are {project['version']})."
        )
    status = ["git", "status", "--porcelain"]
    if subprocess.run(status, cwd=ROOT, capture_output=True, text=True).stdout:
        steps.append("Commit: the working tree has changes that are not committed.")
    return [
        *steps,
        f"Run this command once more and push the branch {repository.branch} to {repository.address}.",
        "On GitHub, choose under Settings > Pages the source GitHub Actions, and under Settings > Security private vulnerability reporting.",
        f"Once the workflow Book has run, open {repository.pages} and the links to Colab and Binder of one chapter.",
        f"Upload dist/ to the package index with `twine upload dist/*`, as an owner of the name {project['name']}.",
    ]


def check(address: str) -> None:
    branch = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["repository"][
        "branch"
    ]
    with tempfile.TemporaryDirectory(prefix="minibert-publish-") as name:
        copy, unpacked = Path(name) / "copy", Path(name) / "sdist"
        repository = Repository(copy, address, branch, pages_address(address))
        names = tracked()
        say(f"Copying what git holds, with the address {address}")
        copy_with_address(names, copy, address)
        say("Building sdist and wheel")
        sdist, wheel = build_packages(names, copy, ROOT / "dist")
        say(f"Trying {wheel.name} in a fresh environment")
        tests = (sys.executable, "-m", "pytest", "-q", "tests/meta/test_wheel.py")
        run(*tests, cwd=copy, failure="The wheel fails its tests.", MINIBERT_WHEEL=str(wheel))
        say(f"Trying {sdist.name} in an empty folder, in the environment of requirements.lock")
        unpacked.mkdir()
        try_sdist(sdist, unpacked)
        say(f"Building the site for {repository.pages}")
        if wrong := problems(build_site(copy), repository):
            raise NotReady("The site has wrong addresses:\n" + "\n".join(wrong[:30]))
        steps = "\n".join(f"{i}. {step}" for i, step in enumerate(left(repository), 1))
        print(f"\nAll is well, and nothing was uploaded. Left for you:\n{steps}")


if __name__ == "__main__":
    try:
        check(sys.argv[1])
    except NotReady as error:
        sys.exit(f"\n{error}")
