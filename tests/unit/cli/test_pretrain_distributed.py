"""`minibert pretrain` under torchrun, as a user starts it: one process killed, then gone on with by fewer and by more."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from minibert.hub.safetensors_io import read_tensors

STEPS = 80
CONFIG = {
    "vocab_size": 100,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}
pytestmark = pytest.mark.slow


def start(processes: int, *arguments) -> subprocess.Popen:
    """The command by itself, or by so many processes."""
    launcher = (
        ["torch.distributed.run", "--standalone", "--nproc-per-node", str(processes), "-m"]
        if processes > 1
        else []
    )
    return subprocess.Popen(
        [sys.executable, "-m", *launcher, "minibert", "pretrain", *map(str, arguments)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


def finish(process: subprocess.Popen) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=240)
    return process.returncode, out, err


def children(parent: int) -> list[int]:
    table = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout
    return [
        pid for pid, of in (map(int, line.split()) for line in table.splitlines()) if of == parent
    ]


@pytest.fixture(scope="module")
def asked(tmp_path_factory) -> list:
    """The options of a tiny run."""
    folder, draw = tmp_path_factory.mktemp("asked"), random.Random(0)
    words = "the a cat dog bird house tree river runs sleeps sees finds old red small big near under with and".split()
    sentence = lambda: " ".join(draw.choices(words, k=draw.randint(4, 12))).capitalize() + "."  # noqa: E731
    (folder / "text.txt").write_text(
        "\n\n\n".join(" ".join(sentence() for _ in range(draw.randint(4, 12))) for _ in range(60))
    )
    (folder / "config.json").write_text(json.dumps(CONFIG))
    return [
        "--corpus",
        folder / "text.txt",
        "--preset",
        folder / "config.json",
        "--vocab-size",
        100,
        "--short-length",
        16,
        "--length",
        32,
        "--long-length",
        64,
        "--batch-size",
        12,
        "--steps",
        STEPS,
        "--precision",
        "float32",
        "--optimizer",
        "adamw",
        "--warmup",
        3,
        "--eval-sequences",
        16,
        "--eval-every",
        20,
        "--log-every",
        1,
        "--checkpoint-every",
        10,
    ]


def learned(folder: Path) -> tuple[dict[str, torch.Tensor], list[dict]]:
    """The weights of a finished run, and its log without the times."""
    records = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    for record in records:
        for name in ("tokens_per_second", "seconds"):
            del record[name]
    return read_tensors(folder / "model" / "model.safetensors"), records


def assert_same(folder: Path, wanted: Path) -> None:
    (weights, log), (other_weights, other_log) = learned(folder), learned(wanted)
    assert [record["step"] for record in log] == list(range(1, STEPS + 1))
    for record, other in zip(log, other_log, strict=True):
        for name, value in (record | record.pop("held_out", {})).items():
            assert value == pytest.approx(
                (other | other.get("held_out", {}))[name], rel=1e-3, abs=1e-5
            ), (record["step"], name)
    for name, tensor in other_weights.items():
        assert torch.allclose(weights[name], tensor, rtol=0, atol=1e-4), (
            name
        )  # float32, AdamW and 80 steps


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL and ps")
def test_one_process_is_killed_and_fewer_or_more_go_on(asked, tmp_path):
    alone, together = tmp_path / "alone", tmp_path / "together"
    status, _, err = finish(start(1, *asked, "--out", alone))
    assert status == 0, err

    job = start(2, *asked, "--out", together)
    log = together / "log.jsonl"
    deadline = time.monotonic() + 120
    while not (log.exists() and log.read_text().count("\n") > 12):
        assert job.poll() is None and time.monotonic() < deadline, finish(job)
        time.sleep(0.02)
    os.kill(max(children(job.pid)), signal.SIGKILL)
    status, _, err = finish(job)
    assert status != 0
    assert (
        "minibert pretrain: another process of this run has ended, so process 0 of 2 stops too. Start all of them again with --resume"
        in err
    )
    assert not (together / "model").exists()

    for processes, more in ((1, []), (3, ["--shard"])):
        again = tmp_path / f"by {processes}"
        shutil.copytree(together, again)
        status, out, err = finish(start(processes, "--out", again, "--resume", *more))
        assert status == 0, err
        assert "resuming from" in out and out.count("finished: the model is in") == 1, (
            "one of them speaks"
        )
        assert_same(again, alone)


def test_a_folder_that_the_others_cannot_use_ends_all(asked, tmp_path):
    status, _out, err = finish(
        start(2, *asked, "--out", tmp_path, "--shard", "--optimizer", "muon")
    )
    assert status != 0 and "a sharded model needs the optimizer adamw, not muon" in err
    assert not (tmp_path / "run.json").exists(), "nothing is left of a run that could not begin"
