"""The benchmark of speed on a GPU, run on tiny models without one."""

import json
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import gpu
import speed_gpu

TINY = ["--device", "cpu", "--tiny", "--out"]


def run(path: Path, *options: str) -> dict:
    assert speed_gpu.main([*TINY, str(path), *options]) == 0
    return json.loads(path.read_text(encoding="utf-8"))


def test_every_variant_of_every_size_has_a_row(tmp_path):
    log = run(tmp_path / "log.json")
    rows = {row["variant"]: row for row in log["rows"]}
    assert not log["missing"] and not [row for row in log["rows"] if "error" in row]
    names = [speed_gpu.MINE, speed_gpu.PEER, *speed_gpu.FILLED]
    assert [*rows] == [
        "matrix product",
        *(f"{size} {length}: {name}" for size, length in speed_gpu.ORDER for name in names),
        *(f"{size} {length}: {speed_gpu.FASTER}" for size, length in speed_gpu.COMPILED),
    ]
    for name, row in rows.items():
        if name != "matrix product":
            assert row["lowest"] <= row["tokens_per_second"] <= row["highest"]
            assert row["times_low"] <= row["times"] <= row["times_high"]
            assert row["losses"] == sorted(row["losses"], reverse=True)  # it learns its batch
            assert row["share_of_peak"] > 0
    full, padded = rows["base 128: minibert"], rows["base 128: transformers, careful, 60% filled"]
    assert (full["fill"], padded["fill"]) == (1.0, pytest.approx(0.6, abs=0.01))


def test_an_error_ends_its_own_row_only(tmp_path, monkeypatch):
    monkeypatch.setattr(speed_gpu, "ORDER", speed_gpu.ORDER[:1])
    monkeypatch.setattr(speed_gpu, "COMPILED", ())

    def broken(*_, **__):
        raise RuntimeError("no\nmemory")

    monkeypatch.setattr(speed_gpu, "careful", broken)
    rows = run(tmp_path / "log.json")["rows"][1:]
    assert [row.get("error") for row in rows] == [None, "RuntimeError: no memory"] * 2
    assert [row.get("times") for row in rows] == [None] * 4 and rows[0]["tokens_per_second"] > 0


def test_it_stops_when_its_seconds_are_over(tmp_path):
    log = run(tmp_path / "log.json", "--seconds", "0")
    assert log["rows"] == [] and log["missing"][:2] == ["matrix product", "base 512"]


def test_what_hangs_is_interrupted():
    with pytest.raises(gpu.TimeOver), gpu.until(gpu.time.perf_counter() + 0.2):
        gpu.time.sleep(30)


def test_without_a_gpu_it_says_so(capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert speed_gpu.main([]) == 2
    assert capsys.readouterr().err.count("\n") == 1
