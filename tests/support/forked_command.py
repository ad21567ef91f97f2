"""Run many command lines of minibert in forked children of one process that has imported everything.

A command then takes milliseconds instead of seconds, and still has a process of its own: streams, environment, user,
working directory and limits can be set for it, and a crash or a hang of it is seen.
"""

import gc
import json
import os
import resource
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

ENCODINGS = ("utf_8_sig", "utf_16", "utf_16_le", "utf_32", "cp1252", "latin_1", "euc_kr", "idna")
LIMIT = 20  # seconds that a command may take
MEMORY = 6 * 2**30  # bytes of addresses, of which torch's libraries take about two


@dataclass
class Done:
    """What a command left: its exit status (negative: the signal that ended it), and what it wrote."""

    status: int
    out: str
    err: str
    seconds: float


class Forker:
    """The process that forks; `run` asks it for one command."""

    def __init__(self, folder: Path, **environment: str):
        self.folder = folder
        self.server = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ
            | {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
            | environment,
        )

    def run(self, argv: list[str], cwd: Path, **how) -> Done:
        """Run a command line in a folder.

        how  env: more of the environment, None removes a name; uid: another user; stdin: a text, or "closed";
             stdout, stderr: "closed", "left" (a pipe whose reader has gone) or the path of a file; interrupt: seconds until SIGINT; limit: seconds;
             memory: bytes of addresses; processes: how many the user may have, threads among them; disk: bytes that a file may have; windows: refuse what Windows would
        """
        out, err = self.folder / "stdout", self.folder / "stderr"
        given = self.folder / "stdin"
        if how.get("stdin", "closed") != "closed":
            text = how["stdin"]
            given.write_bytes(text if isinstance(text, bytes) else text.encode())
            how["stdin"] = str(given)
        request = {"stdin": os.devnull, "stdout": str(out), "stderr": str(err)} | how
        for path in (out, err):
            path.write_bytes(b"")
            path.chmod(0o666)
        print(json.dumps(request | {"argv": argv, "cwd": str(cwd)}), file=self.server.stdin)
        self.server.stdin.flush()
        answer = json.loads(self.server.stdout.readline())
        texts = (path.read_text("utf-8", "replace") for path in (out, err))
        return Done(answer["status"], *texts, answer["seconds"])

    def close(self) -> None:
        self.server.stdin.close()
        self.server.wait()


def serve() -> None:
    """Answer requests, one a line, until stdin ends."""
    import importlib
    import pkgutil

    import torch
    import torch._dynamo  # which an optimiser would import

    import minibert

    for name in ENCODINGS:  # whose files another user may not be allowed to read
        importlib.import_module(f"encodings.{name}")
    for module in pkgutil.walk_packages(minibert.__path__, "minibert."):
        if not module.name.startswith(("minibert.course", "minibert.__main__")):
            importlib.import_module(module.name)
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))  # for a child in its first moments
    with torch.device("meta"):  # PyTorch imports much only now
        torch.nn.Linear(1, 1)
    gc.freeze()  # a child has no need to go through all of this when it collects its own garbage
    for line in sys.stdin:
        request = json.loads(line)
        started = time.monotonic()
        pid = os.fork()
        if not pid:
            become(request)
        status = wait(pid, request)
        print(json.dumps({"status": status, "seconds": time.monotonic() - started}), flush=True)


def wait(pid: int, request: dict) -> int:
    """The exit status of a child, which is interrupted or killed after its time."""
    started, interrupt = time.monotonic(), request.get("interrupt")
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - started
        if interrupt is not None and seconds >= interrupt:
            os.kill(pid, signal.SIGINT)
            interrupt = None
        if seconds > request.get("limit", LIMIT):
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)


def become(request: dict) -> None:
    """Be the process of a command: never returns."""
    status = 1
    try:
        os.chdir(request["cwd"])
        for name, value in request.get("env", {}).items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        redirect(request)
        memory = request.get("memory", MEMORY)
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if "uid" in request:
            os.setgroups([])
            os.setgid(request["uid"])
            os.setuid(request["uid"])
        if "processes" in request:
            resource.setrlimit(resource.RLIMIT_NPROC, (request["processes"],) * 2)
        if "disk" in request:
            resource.setrlimit(resource.RLIMIT_FSIZE, (request["disk"],) * 2)
        from minibert.__main__ import run

        if request.get("windows"):
            import as_windows

            as_windows.install()
        sys.argv = ["minibert", *request["argv"]]
        status = run()
    except SystemExit as exit:
        status = exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    except BaseException:
        status = 1
        if sys.stderr:
            traceback.print_exc()
    try:  # as the interpreter does when it ends
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except (OSError, ValueError):
        status = 120
    os._exit(status)


def redirect(request: dict) -> None:
    """Open the standard streams as Python does at its start."""
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "utf-8").partition(":")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.close(number)
        if request[name] == "closed":
            setattr(sys, name, None)
            continue
        flags = os.O_RDONLY if name == "stdin" else os.O_WRONLY | os.O_APPEND
        if request[name] == "left":
            reader, opened = os.pipe()
            os.close(reader)
        else:
            opened = os.open(request[name], flags)
        if opened != number:  # an earlier stream is closed
            os.dup2(opened, number)
            os.close(opened)
        how = "backslashreplace" if name == "stderr" else errors or "strict"
        mode = "r" if name == "stdin" else "w"
        stream = open(number, mode, encoding=encoding, errors=how, closefd=False)  # noqa: SIM115 (stays open)
        setattr(sys, name, stream)


if __name__ == "__main__":
    serve()
