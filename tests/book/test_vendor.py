"""What the book serves itself is what was published: names, versions, licences and digests."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

sys.path.insert(0, str(ROOT / "tools"))
import vendor

LICENCES = {
    "Apache-2.0": "Apache License",
    "OFL-1.1": "SIL OPEN FONT LICENSE",
    "MIT": "Permission is hereby granted, free of charge",
}


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the vendored files, for mistakes."""
    monkeypatch.setattr(vendor, "VENDOR", shutil.copytree(vendor.VENDOR, tmp_path / "vendor"))
    return vendor.VENDOR


def test_vendored_files_are_those_of_the_manifest():
    assert vendor.problems() == []


def test_the_manifest_says_version_licence_and_digest_of_everything():
    for package in json.loads((vendor.VENDOR / "MANIFEST.json").read_text(encoding="utf-8"))[
        "packages"
    ]:
        assert re.fullmatch(r"\d+\.\d+\.\d+", package["version"]) and package["licence"] in LICENCES
        text = (vendor.VENDOR / package["licence_file"]).read_text(encoding="utf-8")
        assert LICENCES[package["licence"]].lower() in text.lower()
        assert all(re.fullmatch(r"[0-9a-f]{64}", entry["sha256"]) for entry in package["files"])


def test_nothing_of_others_stands_beside_the_vendored_files():
    names = [path.name for path in (ROOT / "book" / "_static").glob("*.*")]
    assert [
        name
        for name in names
        if ".min." in name or name.endswith((".woff", ".woff2", ".wasm", ".map"))
    ] == []


def test_each_licence_stands_in_the_book():
    about = (ROOT / "book" / "about.md").read_text(encoding="utf-8")
    for package in json.loads((vendor.VENDOR / "MANIFEST.json").read_text(encoding="utf-8"))[
        "packages"
    ]:
        assert re.search(
            rf"\| {package['name']} {package['version']} \|.*\| {package['licence']} \|", about
        ), f"book/about.md does not list {package['name']}"


@pytest.mark.parametrize(
    "change, told",
    [
        (
            lambda folder: (folder / "mathjax" / "core.js").write_text("//"),
            "mathjax/core.js: is not the file that was fetched",
        ),
        (
            lambda folder: (folder / "mathjax" / "LICENSE").write_text("free"),
            "mathjax/LICENSE: is not the file that was fetched",
        ),
        (lambda folder: (folder / "mathjax" / "core.js").unlink(), "mathjax/core.js: missing"),
        (lambda folder: (folder / "more.js").write_text("//"), "more.js: not in the manifest"),
    ],
)
def test_a_file_that_was_changed_is_named(copy, change, told):
    change(copy)
    assert vendor.problems() == [told]


def test_a_package_that_the_tool_does_not_name_is_told(copy, monkeypatch):
    (name, version, *rest), *others = vendor.PACKAGES
    monkeypatch.setattr(vendor, "PACKAGES", [(name, "9.9.9", *rest), ("another", "1.0.0"), *others])
    assert vendor.problems() == [
        f"{name}: the manifest says {version}, tools/vendor.py does not",
        "another: in tools/vendor.py, not in the manifest",
    ]
