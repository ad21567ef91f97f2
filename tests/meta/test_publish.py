"""Publishing: the refusals, the lock, what the sdist holds, and the check of a site's addresses, each with what it has to find."""

import json
import re
import subprocess
import sys
import zipfile

import pytest
from packaging.requirements import Requirement

from tools import publish
from tools.environment import ROOT
from tools.published_links import Repository, problems

ADDRESS, PAGES = "https://github.com/Me/course", "https://me.github.io/course/"
COLAB = "https://colab.research.google.com/github/Me/course/blob/main/notebooks/01_a.ipynb"
BINDER = "https://mybinder.org/v2/gh/Me/course/main?urlpath=lab/tree/notebooks/01_a.ipynb"


# ---------------------------------------------------------------- dev.py


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Nothing is uploaded from here."),
        (["--repository", ADDRESS], "Nothing is uploaded from here."),
        (["--check"], "minibert.invalid/minibert-course is no address of a repository on GitHub"),
        (["--check", "--repository", "https://gitlab.com/me/course"], "gitlab.com/me/course is no"),
        (["--check", "--repository", "https://github.com/me"], "github.com/me is no address"),
        (["--check", "--repository", "https://github.com/me/a b"], "github.com/me/a b is no"),
    ],
)
def test_without_check_or_address_it_only_says_what_to_do(arguments, told, tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "dev.py", "publish", *arguments],
        capture_output=True,
        text=True,
        env={"PATH": "", "MINIBERT_VENV": str(tmp_path / "venv")},
    )
    assert done.returncode == 2 and told in done.stderr and done.stdout == ""
    assert "publish --check --repository https://github.com/OWNER/NAME" in done.stderr
    assert not (tmp_path / "venv").exists()


# ---------------------------------------------------------------- the lock


def locked() -> dict[Requirement, list[str]]:
    """requirements.lock: requirement -> digests."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {
        Requirement(line.partition("--hash")[0]): re.findall(r"--hash=(\S+)", line)
        for line in lines
    }


def versions(requirements, python: str) -> set[tuple[str, str]]:
    """(name, version) of what would be installed on a version of Python."""
    where = {"python_version": python, "python_full_version": f"{python}.9"}
    return {
        (re.sub(r"[-_.]+", "-", one.name).lower(), str(one.specifier))
        for one in requirements
        if one.marker is None or one.marker.evaluate(where)
    }


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_lock_and_constraints_agree(python):
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    asked = versions(map(Requirement, lines), python)
    (torch,) = [one for one in asked if one[0] == "torch"]
    assert versions(locked(), python) == asked - {torch}


def test_every_version_in_the_lock_has_digests():
    for requirement, digests in locked().items():
        assert digests, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in digests), requirement


# ---------------------------------------------------------------- the packages


@pytest.mark.slow
def test_the_sdist_holds_what_git_holds(tmp_path, needs_git):
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone: what git holds cannot be asked")
    names = publish.tracked()
    publish.copy_with_address(names, tmp_path / "copy", ADDRESS)
    notebook = tmp_path / "copy" / "notebooks" / "04_attention.ipynb"
    assert f"git+{ADDRESS}" in notebook.read_text(encoding="utf-8")
    sdist, wheel = publish.build_packages(names, tmp_path / "copy", tmp_path / "dist")
    assert sdist.suffix == ".gz" and wheel.suffix == ".whl"
    with pytest.raises(publish.NotReady, match="The sdist lacks tests/more.py"):
        publish.compare([*names, "tests/more.py"], sdist)
    with pytest.raises(publish.NotReady, match="holds what git does not: dev.py"):
        publish.compare([name for name in names if name != "dev.py"], sdist)


# ---------------------------------------------------------------- the site


@pytest.fixture
def world(tmp_path):
    """A small repository and its site, with nothing wrong: (the site's folder, what the repository is)."""
    files, site = tmp_path / "files", tmp_path / "site"
    for name in ("minibert/attention.py", "notebooks/01_a.ipynb"):
        (files / name).parent.mkdir(parents=True, exist_ok=True)
        (files / name).write_text("one\ntwo\n", encoding="utf-8")
    (site / "_static" / "share").mkdir(parents=True)
    (site / "_static" / "share" / "a.png").touch()
    (site / "notebooks").mkdir()
    write_page(site, "")
    (site / "downloads").mkdir()
    notebook = json.dumps(f"git+{ADDRESS}")
    (site / "downloads" / "01_a.ipynb").write_text(notebook, encoding="utf-8")
    with zipfile.ZipFile(site / "downloads" / "minibert-notebooks.zip", "w") as archive:
        archive.writestr("minibert-notebooks/01_a.ipynb", notebook)
    return site, Repository(files, ADDRESS, "main", PAGES)


def write_page(site, more: str, **instead: str) -> None:
    page = f"""<link rel="canonical" href="{PAGES}notebooks/01_a.html" />
<meta property="og:url" content="{PAGES}notebooks/01_a.html">
<meta property="og:image" content="{PAGES}_static/share/a.png">
<a href="{COLAB}">Colab</a> <a href="{BINDER}">Binder</a> <a href="{ADDRESS}">home</a>
<a href="{ADDRESS}/issues/new?title=a">issue</a>
<a href="{ADDRESS}/blob/main/minibert/attention.py#L3">code</a>
<a href="https://github.com/Me/course-of-others/blob/main/x.py">elsewhere</a>
<a href="https://colab.research.google.com">Colab itself</a> {more}"""
    for old, new in instead.items():
        assert old in page
        page = page.replace(old, new)
    (site / "notebooks" / "01_a.html").write_text(page, encoding="utf-8")


def test_a_right_site_has_no_problems(world):
    assert problems(*world) == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("git+https://minibert.invalid/course", "the placeholder minibert.invalid is left"),
        ("https://github.com/OWNER/NAME", "the placeholder OWNER/NAME is left"),
        (f'<a href="{ADDRESS}/blob/main/gone.py">', "names a file that is not there"),
        (f'<a href="{ADDRESS}/blob/main/minibert/attention.py#L9">', "names a line that is not"),
        (f'<a href="{ADDRESS}/blob/dev/minibert/attention.py">', "has an unknown form"),
        (f'<a href="{ADDRESS}/wiki">', "has an unknown form"),
        (f'<a href="{COLAB.replace("01_a", "02_b")}">', "names a file that is not there"),
        (f'<a href="{COLAB.replace("Me/", "You/")}">', "has an unknown form"),
        (f'<a href="{BINDER.replace("01_a", "02_b")}">', "names a file that is not there"),
        (f'<a href="{PAGES}notebooks/02_b.html">', "names a page or picture that is not there"),
    ],
)
def test_a_wrong_address_is_named(world, more, told):
    write_page(world[0], more)
    (problem,) = problems(*world)
    assert problem.startswith("notebooks/01_a.html: ") and told in problem


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (f'<a href="{COLAB}">', "", "no link opens the notebook on colab.research.google.com"),
        (f'<a href="{BINDER}">', "", "no link opens the notebook on mybinder.org"),
        ("og:url", "og:locale", "og:url is None"),
        ("canonical", "next", "canonical is None"),
        (f"{PAGES}_static", "../_static", "og:image is ../_static/share/a.png"),
        ("share/a.png", "share/b.png", "share/b.png names a page or picture that is not there"),
    ],
)
def test_what_is_missing_is_named(world, old, new, told):
    write_page(world[0], "", **{old: new})
    (problem,) = problems(*world)
    assert told in problem


@pytest.mark.parametrize("text", ["git+https://minibert.invalid/course " + ADDRESS, "no address"])
def test_a_notebook_to_take_along_names_the_repository(world, text):
    (world[0] / "downloads" / "01_a.ipynb").write_text(text, encoding="utf-8")
    (problem,) = problems(*world)
    assert problem.startswith("downloads: 01_a.ipynb")


# ---------------------------------------------------------------- what is left


def test_what_is_done_is_not_asked_for_again(tmp_path, monkeypatch, needs_git):
    monkeypatch.setattr(publish, "ROOT", tmp_path)
    subprocess.run([needs_git, "init", "-q", tmp_path], check=True)
    done = {
        ".gitignore": "*",
        "_config.yml": f"repository:\n  url: {ADDRESS}\n",
        "CITATION.cff": f"repository-code: {ADDRESS}\n",
        "pyproject.toml": '[project]\nname = "a"\nversion = "1"\nurls = { Source = "b" }\n',
        "CHANGELOG.md": "## 0.1.0\n",
    }
    undone = {
        ".gitignore": "",
        "_config.yml": "repository:\n  url: https://b.invalid\n",
        "CITATION.cff": "",
        "pyproject.toml": '[project]\nname = "a"\nversion = "1"\n',
        "CHANGELOG.md": "## 0.2.0, not released\n",
    }
    for name, text in done.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    repository = Repository(tmp_path, ADDRESS, "main", PAGES)
    least = publish.left(repository)
    for name, text in undone.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert len(publish.left(repository)) == len(least) + 1, name
        (tmp_path / name).write_text(done[name], encoding="utf-8")
