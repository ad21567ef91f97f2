"""Fetch what the book serves itself and did not write: MathJax, the fonts and the search.

    python tools/vendor.py           # renew book/_static/vendor and its MANIFEST.json
    python tools/vendor.py --check   # only compare the committed files with the manifest

Packages come from npm by name and version; npm checks each one's integrity. Files are copied unchanged, so anybody can
compare them with the published package. A new version: change PACKAGES, run, look at the book, commit.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from fnmatch import fnmatch
from pathlib import Path

VENDOR = Path(__file__).resolve().parent.parent / "book" / "_static" / "vendor"

# Each package: name, version, folder under VENDOR, and (pattern in the package -> folder below that one).
PACKAGES = [
    # The formulas of the pages: TeX in, HTML, MathML for screen readers and fonts out. The parts one by one: the file that
    # holds them all has a menu too, which is 40% of it and offers what is not here.
    (
        "mathjax",
        "3.2.2",
        "mathjax",
        {
            "es5/startup.js": "",
            "es5/core.js": "",
            "es5/input/tex.js": "input",
            "es5/output/chtml.js": "output",
            "es5/a11y/assistive-mml.js": "a11y",
            "es5/output/chtml/fonts/tex.js": "output/chtml/fonts",
            "es5/output/chtml/fonts/woff-v2/*.woff": "output/chtml/fonts/woff-v2",
        },
    ),
    # Prose, headings, code. Latin subsets; other letters fall back to the reader's own fonts.
    (
        "@fontsource-variable/source-serif-4",
        "5.3.1",
        "fonts/source-serif-4",
        {"files/*-latin-wght-*.woff2": ""},
    ),
    (
        "@fontsource-variable/bricolage-grotesque",
        "5.3.0",
        "fonts/bricolage-grotesque",
        {"files/*-latin-wght-normal.woff2": ""},
    ),
    (
        "@fontsource-variable/jetbrains-mono",
        "5.3.0",
        "fonts/jetbrains-mono",
        {"files/*-latin-wght-normal.woff2": ""},
    ),
    # The search of the book, in the page.
    ("minisearch", "7.2.0", "minisearch", {"dist/umd/index.js": ""}),
]


def sha256(path):
    """Hex digest of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fetch(name, version, folder):
    """Download one package with npm and unpack it; returns the folder that holds its files."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit(
            "npm is needed to fetch the packages; install Node.js, or use --check to verify what is committed"
        )
    done = subprocess.run(
        [npm, "pack", "--silent", f"{name}@{version}"],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    target = Path(folder) / name.replace("/", "-")
    with tarfile.open(Path(folder) / done.stdout.split()[-1]) as archive:
        archive.extractall(target, filter="data")
    return target / "package"


def renew():
    """Write every vendored file again, and the manifest that lists them."""
    shutil.rmtree(VENDOR)
    packages = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, version, place, wanted in PACKAGES:
            package = fetch(name, version, scratch)
            home = VENDOR / place
            home.mkdir(parents=True, exist_ok=True)
            (licence,) = package.glob("LICENSE*")
            shutil.copyfile(licence, home / "LICENSE")
            files = []
            for source in sorted(p for p in package.rglob("*") if p.is_file()):
                inside = source.relative_to(package).as_posix()
                for folder in (
                    below for pattern, below in wanted.items() if fnmatch(inside, pattern)
                ):
                    copy = home / folder / source.name
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source, copy)
                    files.append(
                        {
                            "file": copy.relative_to(VENDOR).as_posix(),
                            "from": inside,
                            "sha256": sha256(copy),
                        }
                    )
            packages.append(
                {
                    "name": name,
                    "version": version,
                    "licence": json.loads((package / "package.json").read_text())["license"],
                    "licence_file": (home / "LICENSE").relative_to(VENDOR).as_posix(),
                    "licence_sha256": sha256(home / "LICENSE"),
                    "files": files,
                }
            )
    (VENDOR / "MANIFEST.json").write_text(json.dumps({"packages": packages}, indent=1) + "\n")


def problems():
    """What is wrong with the committed files: a list of sentences, empty when they are as the manifest says."""
    manifest = json.loads((VENDOR / "MANIFEST.json").read_text())
    found, listed = [], {"MANIFEST.json"}
    versions = {name: version for name, version, *_ in PACKAGES}
    for package in manifest["packages"]:
        if versions.pop(package["name"], None) != package["version"]:
            found.append(
                f"{package['name']}: the manifest says {package['version']}, tools/vendor.py does not"
            )
        listed |= {package["licence_file"]} | {entry["file"] for entry in package["files"]}
        if not package["files"]:
            found.append(f"{package['name']}: no file")
        for entry in [
            *package["files"],
            {"file": package["licence_file"], "sha256": package["licence_sha256"]},
        ]:
            path = VENDOR / entry["file"]
            if not path.exists():
                found.append(f"{entry['file']}: missing")
            elif sha256(path) != entry["sha256"]:
                found.append(f"{entry['file']}: is not the file that was fetched")
    found += [f"{name}: in tools/vendor.py, not in the manifest" for name in versions]
    there = {p.relative_to(VENDOR).as_posix() for p in VENDOR.rglob("*") if p.is_file()}
    found += [f"{name}: not in the manifest" for name in sorted(there - listed)]
    return found


if __name__ == "__main__":
    if sys.argv[1:] == []:
        renew()
    elif sys.argv[1:] != ["--check"]:
        sys.exit(__doc__)
    sys.exit("\n".join(problems()) or 0)
