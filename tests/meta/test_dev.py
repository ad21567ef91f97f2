"""dev.py where something goes wrong around it: names of folders, signals, ports, a book that fails."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest
from dev_checkout import checkout_in

from tools.environment import ROOT

posix = pytest.mark.skipif(os.name == "nt", reason="signals, scripts and names of POSIX")


def dev(program, *arguments, **variables):
    environment = {name: text for name, text in os.environ.items() if name != "MINIBERT_VENV"}
    environment |= {"PIP_NO_INDEX": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, program, *arguments],
        capture_output=True,
        text=True,
        env=environment | variables,
    )


def with_dev(folder, arguments, prepare=""):
    """A program that runs dev.py with an environment of scripts in `folder`, and nothing to set up."""
    return f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
import dev
from pathlib import Path
dev.set_up = lambda: None
dev.SCRIPTS = Path({str(folder)!r})
dev.PYTHON = Path(sys.executable)
{prepare}
sys.argv = ["dev.py", *{arguments!r}]
sys.exit(dev.main())
"""


def script(path, text):
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o755)


# ---------------------------------------------------------------- names of folders


@posix
@pytest.mark.parametrize(
    ("name", "said"), [(b"with:colon", "has ':' in it"), (b"caf\xe9", "is not UTF-8")]
)
def test_a_name_with_which_no_environment_can_be_made_is_told(name, said, tmp_path):
    program = checkout_in(tmp_path / "checkout")
    venv = tmp_path / os.fsdecode(name)
    done = dev(program, "book", MINIBERT_VENV=str(venv))
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.strip().count("\n") == 0
    assert "MINIBERT_VENV names" in done.stderr and said in done.stderr
    assert not venv.exists()
    program = checkout_in(venv)
    before = sorted(os.listdir(venv))
    done = dev(program, "book")
    assert (done.returncode, done.stdout) == (2, "") and done.stderr.strip().count("\n") == 0
    assert "move the checkout" in done.stderr and said in done.stderr
    assert sorted(os.listdir(venv)) == before


@posix
def test_a_name_that_is_not_utf_8_can_be_printed(tmp_path):
    venv = tmp_path / os.fsdecode(b"caf\xe9")
    venv.mkdir()
    program = checkout_in(tmp_path / "checkout")
    strict = {"PYTHONIOENCODING": "utf-8:strict"}
    done = dev(program, "clean", "--all", MINIBERT_VENV=str(venv), **strict)
    assert (done.returncode, done.stderr) == (0, "") and "left " in done.stdout and venv.is_dir()


def test_a_removal_that_was_stopped_can_be_repeated(tmp_path, monkeypatch):
    """The marker, which says that the folder is dev.py's own, is removed last."""
    monkeypatch.syspath_prepend(ROOT)
    import dev as module

    monkeypatch.setattr(module, "VENV", tmp_path / "venv")
    monkeypatch.setattr(module, "READY", tmp_path / "venv" / module.READY.name)
    for name in ("bin", "lib"):
        (tmp_path / "venv" / name).mkdir(parents=True)
    module.READY.write_text("", encoding="utf-8")
    whole = shutil.rmtree

    def stopped(path):
        whole(path)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(shutil, "rmtree", stopped)
        module.remove(module.VENV)
    assert module.READY.exists() and len(os.listdir(module.VENV)) == 2
    module.remove(module.VENV)
    assert os.listdir(tmp_path) == []


def test_the_help_of_a_python_without_docstrings(tmp_path):
    done = dev(checkout_in(tmp_path / "checkout"), "--help", PYTHONOPTIMIZE="2")
    assert (done.returncode, done.stderr) == (0, "") and "notebooks" in done.stdout


# ---------------------------------------------------------------- a book that fails


@posix
@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("import os; os.kill(os.getpid(), 9)", 137, "jupyter-book was ended by signal 9."),
        ("raise SystemExit(1)", 1, "The book was not built: the warnings above count as errors."),
    ],
)
def test_a_failed_book_takes_nothing_along_that_was_not_being_built(text, status, said, tmp_path):
    script(tmp_path / "jupyter-book", text)
    checkout_in(tmp_path / "checkout")
    for name in ("html", ".doctrees", "jupyter_execute", "pdf", "epub"):
        (tmp_path / "checkout" / "_build" / name).mkdir(parents=True)
    code = with_dev(tmp_path, ["book"]).replace(str(ROOT), str(tmp_path / "checkout"))
    done = dev("-c", code)
    assert (done.returncode, done.stderr.strip()) == (status, said)
    assert sorted(os.listdir(tmp_path / "checkout" / "_build")) == ["epub", "pdf"]


@posix
def test_what_a_stopped_build_left_is_built_again(tmp_path):
    """Ctrl-C comes after a page with a warning was remembered: the next build must not pass over it."""
    script(tmp_path / "jupyter-book", "import os, signal; os.kill(os.getppid(), signal.SIGINT)")
    checkout_in(tmp_path / "checkout")
    html, remembered = (tmp_path / "checkout" / "_build" / name for name in ("html", ".doctrees"))
    for folder in (html, remembered):
        folder.mkdir(parents=True)
    (html / ".built-from").write_text("", encoding="utf-8")
    code = with_dev(tmp_path, ["book"]).replace(str(ROOT), str(tmp_path / "checkout"))
    assert dev("-c", code).returncode == 130
    assert remembered.exists() and not (html / ".built-from").exists()
    script(tmp_path / "jupyter-book", f"import os; os.makedirs({str(html)!r})")
    assert dev("-c", code).returncode == 0
    assert (html / ".built-from").exists() and not remembered.exists()


@posix
def test_a_second_build_of_the_book_is_refused_while_one_is_under_way(tmp_path):
    """It would remove the pages of the first one, which is under way."""
    checkout_in(tmp_path / "checkout")
    code = with_dev(tmp_path, ["book"]).replace(str(ROOT), str(tmp_path / "checkout"))
    second = [sys.executable, "-c", code]
    script(
        tmp_path / "jupyter-book",
        f"""
import os, subprocess
if "MAKES" not in os.environ:
    os.environ["MAKES"] = "1"
    done = subprocess.run({second!r}, capture_output=True, text=True)
    print(done.returncode, done.stderr.strip())
os.makedirs({str(tmp_path / "checkout" / "_build" / "html")!r})
""",
    )
    done = dev("-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("2 Another command is making the book: wait until it ends.\n")
    assert (tmp_path / "checkout" / "_build" / "html" / ".built-from").exists()


# ---------------------------------------------------------------- signals

NEW_BOOK = '''
def book(arguments):
    """make the book"""
dev.book = book
'''
WAITS = """
import os, sys, time
from pathlib import Path
file = Path(sys.argv[0]).parent / "pid"
file.with_suffix(".new").write_text(str(os.getpid()), encoding="utf-8")
file.with_suffix(".new").rename(file)
time.sleep(120)
"""


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def eventually(is_so):
    for _ in range(600):
        if is_so():
            return True
        time.sleep(0.1)
    return False


@posix
@pytest.mark.parametrize("ignored", [True, False], ids=["no Ctrl-C", "Ctrl-C"])
@pytest.mark.parametrize("command", ["lab", "serve"])
def test_sigterm_ends_the_child_too(command, ignored, tmp_path):
    """Also where Ctrl-C is ignored, as in what a script puts into the background."""
    script(tmp_path / "jupyter", WAITS)
    prepare = ""
    if command == "serve":
        script(tmp_path / "python", WAITS)
        prepare = f"{NEW_BOOK}\ndev.PYTHON = dev.SCRIPTS / 'python'"
    old = signal.signal(signal.SIGINT, signal.SIG_IGN) if ignored else None
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", with_dev(tmp_path, [command], prepare)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    finally:
        if ignored:
            signal.signal(signal.SIGINT, old)
    eventually(lambda: (tmp_path / "pid").exists() or process.poll() is not None)
    child = int((tmp_path / "pid").read_text(encoding="utf-8"))
    try:
        process.terminate()
        process.wait(60)
        assert eventually(lambda: not is_alive(child))
    finally:
        if is_alive(child):
            os.kill(child, signal.SIGKILL)
    assert process.returncode == 143 and "dev.py" not in process.communicate()[1]


# ---------------------------------------------------------------- ports


def test_a_port_that_is_taken_is_told_before_the_book_is_made():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        port = taken.getsockname()[1]
        done = dev(ROOT / "dev.py", "serve", f"--port={port}", MINIBERT_VENV=__file__)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.strip().count("\n") == 0
    assert f"cannot be served on port {port} (" in done.stderr


def test_a_port_that_may_not_be_used_is_told(tmp_path):
    refuse = """
import errno
def create_server(address):
    raise PermissionError(errno.EACCES, "no")
dev.socket.create_server = create_server
"""
    done = dev("-c", with_dev(tmp_path, ["serve", "--port=80"], refuse))
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.strip() == (
        f"The book cannot be served on port 80 ({os.strerror(13)}); another one may be free: "
        "python3 dev.py serve --port 8000"
    )


def test_a_port_is_free_again_at_once():
    """What has served pages there leaves connections behind that wait for their end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            server.accept()[0].close()
    done = dev(ROOT / "dev.py", "serve", f"--port={port}", MINIBERT_VENV=__file__)
    assert "is a file" in done.stderr, "it is past the port"
