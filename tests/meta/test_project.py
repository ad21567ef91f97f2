"""What stands around the package: the two commands, the environments and their pins, the workflows, what git holds."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from dev_checkout import checkout_in

from minibert.data.wikipedia import articles
from minibert.hub import find_pretrained as hub
from tools import stamp
from tools.environment import ROOT

FIVE = {"torch", "jupyter-book", "nbval", "ipywidgets", "matplotlib"}
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def requirements(lines):
    """The names in lines of a requirements file, normalised."""
    names = (re.match(r"[A-Za-z][\w.-]*", line) for line in lines)
    return {re.sub(r"[-_.]+", "-", name[0]).lower() for name in names if name}


@pytest.fixture
def tracked(needs_git):
    done = subprocess.run([needs_git, "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not a clone: what git holds cannot be asked")
    return [ROOT / name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


# ---------------------------------------------------------------- dev.py


def dev(*arguments, python=sys.executable):
    return subprocess.run([python, ROOT / "dev.py", *arguments], capture_output=True, text=True)


def test_readme_and_ci_run_the_same_two_commands():
    commands = re.findall(r"^python3 dev\.py \w+", read("README.md"), re.MULTILINE)
    assert commands == ["python3 dev.py book", "python3 dev.py test"]
    for command in ("python3 dev.py book", "python3 dev.py test --all"):
        assert f"\n{command}\n" in read(".ci/run")
    assert "export MINIBERT_NO_SKIPS=1" in read(".ci/run")


@pytest.mark.parametrize("form", ["pdf", "epub"])
@pytest.mark.parametrize("named", [None, "/no/such/browser"])
def test_a_missing_browser_is_told_before_anything_is_built(form, named, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("MINIBERT_VENV", str(tmp_path / "venv"))
    monkeypatch.setenv("CHROMIUM", named) if named else monkeypatch.delenv(
        "CHROMIUM", raising=False
    )
    done = dev(form)
    assert (
        done.returncode == 2
        and "Chromium or Chrome" in done.stderr
        and (named or "google-chrome") in done.stderr
        and "Traceback" not in done.stderr
    )
    assert not (tmp_path / "venv").exists()


def test_the_same_browsers_are_looked_for_everywhere():
    names = re.search(r"^BROWSERS = (\(.*?\))", read("dev.py"), re.MULTILINE)[1]
    assert names in read("tools/stills.py")


def test_help_is_friendly_and_a_wrong_command_is_refused():
    help_text = dev("--help").stdout
    for command in (
        "book",
        "pdf",
        "epub",
        "serve",
        "lab",
        "test",
        "notebooks",
        "bench",
        "publish",
        "clean",
    ):
        assert f"    {command}" in help_text
        assert dev(command, "--help").returncode == 0
        assert re.search(rf"^book .*\b{command}\b|^{command} ", read("Makefile"), re.MULTILINE), (
            "make X is an alias"
        )
    wrong = dev("bok")
    assert wrong.returncode == 2 and "'bok'" in wrong.stderr


def test_dev_uses_the_standard_library_only_and_an_old_python_can_read_it():
    tree = ast.parse(read("dev.py"), feature_version=(3, 7))
    imported = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    imported |= {
        node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
    }
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.10", "3.14"])
def test_another_python_gets_a_sentence(version):
    python = shutil.which(f"python{version}")
    if not python or subprocess.run([python, "--version"], capture_output=True).returncode:
        version_info = f"({version.replace('.', ', ')}, 0, 'final', 0)"  # not installed here: dev.py is told that it is this one
        code = f"import sys; sys.version_info = {version_info}; sys.argv = ['dev.py', 'book']; exec(open({str(ROOT / 'dev.py')!r}, encoding='utf-8').read())"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    else:
        done = dev("book", python=python)
    assert done.returncode == 1
    assert (
        done.stderr.strip()
        == f"minibert needs Python 3.11, 3.12 or 3.13, and this is {version}. If another one is installed, name it, for example: python3.11 dev.py book"
    )


def refused(*arguments, venv):
    """What dev.py says where it refuses a folder for its environment, or a name."""
    done = subprocess.run(
        [sys.executable, ROOT / "dev.py", *arguments],
        capture_output=True,
        text=True,
        env={"PATH": "", "MINIBERT_VENV": str(venv)},
    )
    assert done.returncode == 2 and done.stdout == "" and done.stderr.strip().count("\n") == 0
    return done.stderr


def test_the_environment_goes_into_no_file_and_no_folder_of_others(tmp_path):
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    assert "which is a file; name a new folder" in refused("book", venv=tmp_path / "file")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "pyvenv.cfg").write_text("somebody's environment", encoding="utf-8")
    assert "not made by dev.py" in refused("book", venv=tmp_path / "folder")
    assert os.listdir(tmp_path / "folder") == ["pyvenv.cfg"]


@pytest.mark.parametrize("marker", [b"0123 /somewhere/else", b"\xff"])
def test_the_environment_of_another_checkout_is_left_alone(marker, tmp_path):
    (tmp_path / "pyvenv.cfg").write_text("an environment", encoding="utf-8")
    (tmp_path / ".minibert-ready").write_bytes(marker)
    assert "not made by dev.py of this checkout" in refused("book", venv=tmp_path)
    assert (tmp_path / ".minibert-ready").read_bytes() == marker


def test_an_environment_without_pip_is_completed(tmp_path):
    """As Ctrl-C leaves it while pip is put into a new environment."""
    code = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
import dev
dev.venv.create(dev.VENV)
dev.READY.write_text(f"not yet complete {{dev.ROOT}}", encoding="utf-8")
dev.pip = lambda *arguments: None  # nothing is fetched
dev.set_up()
assert dev.marker() == dev.wanted()
"""
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        env=os.environ | {"MINIBERT_VENV": str(tmp_path / "venv")},
    )
    done = subprocess.run(
        [tmp_path / "venv" / "bin" / "python", "-m", "pip", "--version"], capture_output=True
    )
    assert done.returncode == 0


@pytest.mark.parametrize("command", ["bench", "notebooks"])
def test_a_wrong_name_is_told_before_anything_is_set_up(command, tmp_path):
    for name in ("nosuch", "log"):  # the second is no benchmark, but code that they share
        assert f"There is no {name!r}" in refused(command, name, venv=tmp_path / "venv")
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize("command", ["bench", "notebooks"])
@pytest.mark.parametrize("absolute", [True, False])
def test_a_name_holds_no_path(command, absolute, tmp_path):
    for name in ("stsb.py", "04_attention.ipynb"):
        (tmp_path / name).write_text("raise SystemExit('run')", encoding="utf-8")
    folder = ROOT / ("benchmarks" if command == "bench" else "notebooks")
    path = tmp_path / ("stsb" if command == "bench" else "04_attention")
    name = str(path if absolute else os.path.relpath(path, folder))
    # a file as environment, so that nothing is set up where the name is accepted
    assert f"There is no {name!r}" in refused(command, name, venv=tmp_path / "stsb.py")


def test_nothing_is_installed_in_the_environment_of_another_checkout(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / ".minibert-ready").write_text("of another checkout", encoding="utf-8")
    checkout_in(tmp_path / "checkout")
    (tmp_path / "checkout" / ".venv").symlink_to(tmp_path / "other", target_is_directory=True)
    done = subprocess.run(
        [sys.executable, tmp_path / "checkout" / "dev.py", "lab"],
        capture_output=True,
        text=True,
        env={"PATH": ""},
    )
    assert (done.returncode, done.stdout) == (2, "") and "is a link to" in done.stderr
    ready = tmp_path / "other" / ".minibert-ready"
    assert ready.read_text(encoding="utf-8") == "of another checkout"


def in_checkout(program, *arguments, **options):
    environment = {name: text for name, text in os.environ.items() if name != "MINIBERT_VENV"}
    return subprocess.run(
        [sys.executable, program, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=environment | {"PIP_NO_INDEX": "1"},
        **options,
    )


@pytest.mark.parametrize("marker", [None, "0123 /somewhere/else"])
@pytest.mark.parametrize("python", [True, False])
@pytest.mark.parametrize("arguments", [["lab"], ["clean", "--all"]], ids=" ".join)
def test_a_venv_of_somebody_is_left_as_it_is(arguments, python, marker, tmp_path):
    program, folder = checkout_in(tmp_path), tmp_path / ".venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text("somebody's environment", encoding="utf-8")
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    if python:
        (folder / "bin" / "python").write_text("its Python", encoding="utf-8")
    if marker:
        (folder / ".minibert-ready").write_text(marker, encoding="utf-8")
    before = sorted(folder.rglob("*"))
    done = in_checkout(program, *arguments, stdout=subprocess.PIPE)
    said = done.stderr if arguments == ["lab"] else done.stdout
    assert f"{folder}" in said and "not made by dev.py of this checkout" in said
    assert said.strip().count("\n") == 0 and "Traceback" not in done.stderr
    assert done.returncode == (2 if arguments == ["lab"] else 0)
    assert sorted(folder.rglob("*")) == before
    assert not marker or (folder / ".minibert-ready").read_text(encoding="utf-8") == marker


def test_a_file_in_the_place_of_the_environment_is_told(tmp_path):
    program = checkout_in(tmp_path)
    (tmp_path / ".venv").write_text("mine", encoding="utf-8")
    done = in_checkout(program, "lab", stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (2, "") and ".venv is a file: remove" in done.stderr


@pytest.mark.parametrize("stopped", [True, False])
def test_an_environment_of_ours_whose_python_is_gone_is_made_anew(stopped, tmp_path):
    """A newer Python may have replaced the one that it was made with; Ctrl-C may stop its making."""
    checkout_in(tmp_path)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(tmp_path / "gone")
    (tmp_path / ".venv" / "old").write_text("left over", encoding="utf-8")
    (tmp_path / ".venv" / ".minibert-ready").write_text(f"0123 {tmp_path}", encoding="utf-8")
    code = f"""
import sys; sys.path.insert(0, {str(tmp_path)!r})
import dev
dev.pip = lambda *arguments: None  # nothing is fetched
create = dev.venv.create
def stop(*arguments):
    raise KeyboardInterrupt
if {stopped}:
    dev.venv.create = stop
    try:
        dev.set_up()
    except KeyboardInterrupt:
        assert dev.marker().endswith(f" {{dev.ROOT}}")
    else:
        raise AssertionError
dev.venv.create = create
dev.set_up()
assert dev.PYTHON.exists() and dev.marker() == dev.wanted()
"""
    done = in_checkout("-c", code)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / ".venv" / "old").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a disk that is full, on Linux only")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments", [["clean"], ["lab"], ["--help"], ["serve", "--help"]], ids=" ".join
)
def test_a_full_disk_is_one_line(arguments, unbuffered, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    program = checkout_in(tmp_path / "checkout")
    (tmp_path / "checkout" / "dist").mkdir()
    if arguments == ["lab"]:
        (tmp_path / "checkout" / ".venv").write_text("a file", encoding="utf-8")
    with open("/dev/full", "w") as full:
        done = in_checkout(program, *arguments, stdout=full)
    if arguments == ["lab"]:  # it has written nothing to it
        assert done.returncode == 2 and "is a file" in done.stderr
    else:
        assert done.returncode == 1
        assert done.stderr.strip() == "The output cannot be written: No space left on device"


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (None, "_config.yml cannot be read: No such file or directory."),
        (b"title: minibert\n", "_config.yml has no line `  url: ` below `repository:`"),
        (b"\xff", "_config.yml cannot be read: it is not UTF-8."),
    ],
)
@pytest.mark.parametrize("more", [[], ["--repository", "https://github.com/me/course"]])
def test_publish_without_an_address_in_the_configuration_says_so(config, said, more, tmp_path):
    program = checkout_in(tmp_path)
    if config is not None:
        (tmp_path / "_config.yml").write_bytes(config)
    done = in_checkout(program, "publish", "--check", *more, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (2, "") and said in done.stderr
    assert done.stderr.strip().count("\n") == 0
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("number", ["99999", "-1", "0", "http"])
def test_a_port_that_cannot_be_is_told(number):
    done = subprocess.run(
        [sys.executable, ROOT / "dev.py", "serve", f"--port={number}"],
        capture_output=True,
        text=True,
        env={"PATH": "", "MINIBERT_VENV": __file__},  # a file: nothing is set up
    )
    assert done.returncode == 2 and "a port is a number from 1 to 65535" in done.stderr
    assert "Traceback" not in done.stderr


def test_clean_removes_a_file_and_a_link_but_not_what_it_leads_to(tmp_path):
    (tmp_path / "dist").write_text("a file", encoding="utf-8")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "pyvenv.cfg").write_text("of another checkout", encoding="utf-8")
    for name in ("_build", ".venv"):
        (tmp_path / name).symlink_to(tmp_path / "other", target_is_directory=True)
    shutil.copy(ROOT / "dev.py", tmp_path)
    done = subprocess.run(
        [sys.executable, tmp_path / "dev.py", "clean", "--all"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(os.listdir(tmp_path)) == ["dev.py", "other"]
    assert os.listdir(tmp_path / "other") == ["pyvenv.cfg"]


def test_clean_leaves_an_environment_of_others(tmp_path):
    (tmp_path / "pyvenv.cfg").write_text("somebody's environment", encoding="utf-8")
    (tmp_path / ".minibert-ready").write_text("0123 /somewhere/else", encoding="utf-8")
    code = (
        "import dev, pathlib; dev.ROOT = pathlib.Path('empty').absolute(); "
        "dev.clean(dev.parse(['clean', '--all']))"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=tmp_path,
        env=os.environ | {"MINIBERT_VENV": str(tmp_path), "PYTHONPATH": str(ROOT)},
    )
    assert sorted(os.listdir(tmp_path)) == [".minibert-ready", "pyvenv.cfg"]


def test_a_failed_step_is_a_sentence_and_not_a_traceback(tmp_path):
    (tmp_path / "taken").write_text("a file where the environment should be", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, ROOT / "dev.py", "book"],
        capture_output=True,
        text=True,
        env={"PATH": "", "MINIBERT_VENV": str(tmp_path / "taken" / "venv")},
    )
    assert (
        done.returncode == 1
        and "could not be made" in done.stderr
        and "Traceback" not in done.stderr
    )


# ---------------------------------------------------------------- environments


def constraints():
    return [
        line for line in read("constraints.txt").splitlines() if line and not line.startswith("#")
    ]


def test_constraints_are_exact_and_cover_what_is_asked_for():
    assert all(
        re.fullmatch(r"[\w.-]+==[\w.]+(; python_version [<>=]+ '3\.\d+')?", line)
        for line in constraints()
    ), "exact, and no local tag such as +cpu"
    pinned = requirements(constraints())
    project = tomllib.loads(read("pyproject.toml"))["project"]
    asked = requirements(read("requirements.txt").splitlines())
    assert FIVE <= asked <= pinned
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    assert requirements(project["dependencies"]) <= pinned and requirements(extras) <= asked
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+", line) for line in project["dependencies"]), (
        "lower bounds only: Colab's torch is never replaced"
    )


def test_the_weights_are_named_alike_everywhere():
    pin = re.search(r'^WEIGHTS = "(.+?)"', read("dev.py"), re.MULTILINE)[1]
    assert pin == stamp.WEIGHTS
    assert pin in constraints() and pin in read("requirements.txt")
    assert pin in {f"{name}=={version}" for name, version, _ in hub.WHEELS.values()}


def test_the_corpus_is_named_alike_everywhere():
    assert stamp.CORPUS in constraints()
    assert (
        stamp.CORPUS
        in tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]["corpora"]
    )
    assert stamp.CORPUS in articles.INSTALL


def test_conda_gets_the_same_environment():
    content = yaml.safe_load(read("environment.yml"))
    assert content.keys() == {"name", "channels", "dependencies"}
    *from_conda, from_pip = content["dependencies"]
    assert from_conda == ["python=3.11", "pip"], (
        "conda brings Python, and pip before the packages of pip"
    )
    assert from_pip.keys() == {"pip"}
    assert (
        from_pip["pip"][0] == "-r requirements.txt"
        and read("requirements.txt").count("\n-c constraints.txt\n") == 1
    )
    named = from_pip["pip"][1:]
    assert requirements(named) == FIVE
    assert set(named) <= set(constraints()), "the versions agree with constraints.txt"


# ---------------------------------------------------------------- workflows


def lint(*paths):
    program = shutil.which(
        "zizmor", path=str(Path(sys.executable).parent)
    )  # the one of this environment
    return subprocess.run(
        [program, "--offline", "--no-progress", "--strict-collection", *paths],
        capture_output=True,
        text=True,
    )


def test_workflows_pass_the_linter():
    assert [path.stem for path in WORKFLOWS] == ["book", "colab", "tests", "weekly"]
    done = lint(*WORKFLOWS)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("runs-on:", "run-on:"),
        ("@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2", "@v4"),
        ("python dev.py book", "echo ${{ github.event.head_commit.message }}"),
    ],
)
def test_the_linter_finds_what_is_wrong(tmp_path, old, new):
    broken = tmp_path / ".github" / "workflows" / "book.yml"
    broken.parent.mkdir(parents=True)
    text = read(".github/workflows/book.yml")
    assert old in text
    broken.write_text(text.replace(old, new), encoding="utf-8")
    assert lint(broken).returncode != 0


def test_workflows_run_what_a_reader_runs():
    jobs = {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"] for path in WORKFLOWS
    }
    systems = {
        job["system"].split("-")[0]
        for job in jobs["tests"]["tests"]["strategy"]["matrix"]["include"]
    }
    assert systems == {"ubuntu", "macos", "windows"}
    assert [step["run"] for step in jobs["tests"]["tests"]["steps"] if "run" in step] == [
        "python dev.py book",
        "python dev.py test --all",
    ]
    assert [step["run"] for step in jobs["tests"]["publish"]["steps"] if "run" in step] == [
        'python dev.py publish --check --repository "$REPOSITORY"'
    ]
    assert [step["run"] for step in jobs["book"]["build"]["steps"] if "run" in step] == [
        "python dev.py book",
        "python dev.py pdf",
        "python dev.py epub",
    ]
    assert any("pip-audit --" in step.get("run", "") for step in jobs["weekly"]["audit"]["steps"])
    assert "schedule" in read(".github/workflows/colab.yml") and "gh issue create" in read(
        ".github/workflows/colab.yml"
    )


# ---------------------------------------------------------------- what git holds


def test_git_holds_nothing_of_one_machine(tracked):
    leaks = re.compile(
        r"/wor[k]/|/roo[t]/|/op[t]/|/tm[p]/\w+/|https?://[^\s)\"']*/(simple|packages)/|pypi\.or[g]|files\.pythonhosted|registry\.npm|pip install miniber[t]\b(?!-)"
    )
    found = []
    for path in tracked:
        if (
            path.suffix in {".png", ".woff2", ".ico", ".gz", ".safetensors"}
            or "vendor" in path.parts
        ):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")  # a fuzzer's findings are bytes
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in leaks.finditer(text)]
    assert not found


def test_git_holds_nothing_large_and_ignores_nothing_that_the_book_needs(tracked, needs_git):
    shipped = {hub.PACKAGED / name / "model.safetensors" for name in (hub.SMALL, hub.SENTENCES)}
    assert not [path for path in tracked if path.stat().st_size > 4_500_000 and path not in shipped]
    vendored = [path for path in (ROOT / "book" / "_static").rglob("*") if path.is_file()]
    done = subprocess.run(
        [needs_git, "-C", ROOT, "check-ignore", *map(str, vendored)], capture_output=True, text=True
    )
    assert not done.stdout, f"git ignores {done.stdout}"


def test_git_ignores_an_environment_that_is_a_link(tmp_path, needs_git):
    """`.venv/` with a slash would ignore a folder only."""
    shutil.copy(ROOT / ".gitignore", tmp_path)
    (tmp_path / ".venv").symlink_to(tmp_path / "elsewhere")
    subprocess.run([needs_git, "init", "-q", tmp_path], check=True)
    assert (
        subprocess.run([needs_git, "-C", tmp_path, "check-ignore", "-q", ".venv"]).returncode == 0
    )
