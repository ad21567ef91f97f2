"""The package as a stranger installs it: a wheel in an empty environment, with no extra and no network."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools.environment import ROOT

pytestmark = pytest.mark.slow

TEXT = (
    "The ferry stopped running in March. It had crossed the river for two hundred years. "
    "The council says that nobody used it. People on the other bank disagree. "
    "They collected nine hundred signatures in a week. A decision is expected in May."
)


def call(*command, code: int = 0, **options) -> subprocess.CompletedProcess:
    kept = ("PATH", "HOME", "LANG", "TMPDIR", "SYSTEMROOT")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, env=environment, **options
    )
    assert done.returncode == code, done.stdout[-2000:] + done.stderr[-4000:]
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """An environment with the wheel and what it depends on, and nothing else.

    The wheel is MINIBERT_WHEEL, as `dev.py publish` has built it, or else made from this folder.
    """
    folder = tmp_path_factory.mktemp("wheel")
    if given := os.environ.get("MINIBERT_WHEEL"):
        shutil.copy(given, folder)
    else:
        build_wheel(folder)
    subprocess.run([sys.executable, "-m", "venv", folder / "environment"], check=True)
    wheel = next(folder.glob("*.whl"))
    subprocess.run(
        [python(folder), "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel],
        check=True,
    )
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    return folder


def build_wheel(folder: Path) -> None:
    """The wheel of this folder, from no more than what it is made of."""
    source = folder / "source"
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("minibert", "benchmarks/logs"):
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "LICENSE-text.md"):
        shutil.copy(ROOT / name, source)
    pip = (sys.executable, "-m", "pip")
    subprocess.run([*pip, "wheel", "-q", "--no-deps", "-w", folder, source], check=True)


def python(folder: Path) -> Path:
    return folder / "environment" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def minibert(folder: Path, *arguments, code: int = 0) -> subprocess.CompletedProcess:
    return call(python(folder), "-m", "minibert", *arguments, code=code, cwd=folder)


def test_the_environment_holds_nothing_for_notebooks(folder):
    done = call(python(folder), "-m", "pip", "list", "--format", "json")
    installed = {row["name"].lower() for row in json.loads(done.stdout)}
    assert {"torch", "numpy", "tokenizers", "safetensors"} <= installed
    assert not {"matplotlib", "ipywidgets", "anywidget", "transformers", "onnx"} & installed


def test_the_logs_are_inside_the_package(folder):
    """And nothing is put beside it, into the environment itself."""
    names = zipfile.ZipFile(next(folder.glob("*.whl"))).namelist()
    logs = {name for name in names if name.startswith("minibert/course/logs/")}
    assert {Path(name).name for name in logs} == {
        path.name for path in (ROOT / "benchmarks" / "logs").glob("*.json")
    }
    assert not [name for name in names if ".data/" in name]


def test_a_blank_is_filled(folder):
    first = minibert(folder, "fill-mask", "The capital of the [MASK] is old.").stdout.splitlines()
    assert len(first) == 5 and float(first[0].split("\t")[0]) > 0


@pytest.mark.parametrize("model", [(), ("--model", "minibert-small")], ids=["default", "small"])
def test_a_text_gets_a_vector(folder, model):
    done = minibert(folder, "embed", "A boat.", *model, "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    vector = rows[0]["vector"]
    assert len(vector) == 256 and abs(sum(x * x for x in vector) - 1) < 1e-4


def test_texts_are_compared_and_searched(folder):
    done = minibert(folder, "similarity", "A cat sleeps.", "The kitten dozes.", "Stocks fell.")
    assert done.stdout.splitlines()[0].endswith("A cat sleeps.\tThe kitten dozes.")
    found = minibert(folder, "search", "text.txt", "a boat", "--top", "1", "--no-cache")
    assert "The ferry stopped running" in found.stdout


def test_a_text_is_summarized(folder):
    done = minibert(folder, "summarize", "text.txt", "--sentences", "2")
    assert all(line in TEXT for line in done.stdout.split("\n") if line)
    assert done.stdout.strip()


def test_an_export_without_its_extra_says_what_to_install(folder):
    done = minibert(folder, "export", "minibert-small", "--out", "model.onnx", code=2)
    assert "onnx" in done.stderr and "Traceback" not in done.stderr
    assert not (folder / "model.onnx").exists()


def test_a_model_is_exported(folder):
    packages = ("onnx", "onnxscript", "onnxruntime")
    pip = (python(folder), "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt")
    subprocess.run([*pip, *packages], check=True)
    minibert(folder, "export", "minibert-small", "--out", "model.onnx")
    assert (folder / "model.onnx").stat().st_size > 1000


def test_one_call_from_text_to_result(folder):
    code = (
        "import minibert; "
        "print(minibert.fill_mask('The [MASK] is deep.')[0][0][0]); "
        "print(minibert.embed(['A boat.']).shape[1]); "
        f"print(len(minibert.summarize({TEXT!r}, sentences=2)))"
    )
    word, width, sentences = call(python(folder), "-c", code, cwd=folder).stdout.split()
    assert word.isalpha() and (width, sentences) == ("256", "2")
