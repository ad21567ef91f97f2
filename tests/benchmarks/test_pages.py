"""The benchmark of the pages: what it counts."""

import gzip
import json
import sys
from pathlib import Path

import pytest

from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))
import pages


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "page.html").write_text("a page " * 1000, encoding="utf-8")
    (tmp_path / "letters.woff2").write_bytes(b"letters " * 1000)
    return tmp_path


def test_text_is_counted_compressed_and_each_file_once(folder):
    asked = [
        "http://host:1/page.html",
        "http://host:1/letters.woff2?v=1",
        "http://host:1/letters.woff2?v=2",
        "data:image/png;base64,AAAA",
        "blob:http://host:1/x",
        "http://host:1/absent.js",
    ]
    assert pages.sizes(folder, asked) == {
        "page.html": len(gzip.compress(b"a page " * 1000, 6)),
        "letters.woff2": 8000,
    }


def test_what_a_chapter_weighs_before_it_can_be_used():
    log = json.loads((ROOT / "benchmarks" / "logs" / "pages.json").read_text(encoding="utf-8"))
    rows = {row["variant"]: row for row in log["rows"]}
    assert set(rows) == {pages.EMPTY, *pages.pages()}
    for name, row in rows.items():
        if name != pages.EMPTY:
            assert row["kilobytes"] <= row["all_kilobytes"] < pages.LARGEST
            assert 0 < row["seen"] <= row["ready"]
        if name.startswith("notebooks/"):
            assert row["kilobytes"] < pages.LIGHT
