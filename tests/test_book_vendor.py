"""What the book serves itself is what was published: names, versions, licences and digests."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

sys.path.insert(0, str(ROOT / "tools"))
import vendor  # noqa: E402


def test_vendored_files_are_those_of_the_manifest():
    assert vendor.problems() == []


def test_each_licence_stands_in_the_book():
    about = (ROOT / "book" / "about.md").read_text(encoding="utf-8")
    for name, version, *_ in vendor.PACKAGES:
        assert f"{name} {version}" in about, f"book/about.md does not list {name} {version}"
