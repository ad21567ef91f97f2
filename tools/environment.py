"""The one environment in which notebooks run: tools/execute.py stores outputs in it, conftest.py compares them in it."""

import os
from collections.abc import MutableMapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
CELL_TIMEOUT = 1200  # seconds: a cell of 20 s took 300 on two cores with eight other programs
IGNORING = {
    "nbval-ignore-output",
    "nbval-skip",
}  # tags of cells whose output nbval does not compare

FIXED = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",  # sums in one order
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TQDM_DISABLE": "1",  # a progress bar is never twice the same
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "COLUMNS": "100",  # width of what wraps at the terminal's
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "JUPYTER_PREFER_ENV_PATH": "1",  # this environment's kernel, not one of the user's
    "IPYTHONDIR": str(ROOT / ".cache" / "ipython"),  # no start-up files of the user
    "MPLCONFIGDIR": str(ROOT / ".cache" / "matplotlib"),
    "MINIBERT_CACHE_DIR": str(ROOT / ".cache" / "minibert"),  # the cleaned default corpus
    "MINIBERT_PROGRESS": str(
        ROOT / ".cache" / "minibert" / "progress.json"
    ),  # what runs here is no reader's progress
}


def fix_environment(variables: MutableMapping[str, str] = os.environ, root: Path = ROOT) -> None:
    """Set the variables, here or among those of another process; kernels that are started later inherit them."""
    variables.update({name: value.replace(str(ROOT), str(root)) for name, value in FIXED.items()})
    profile = Path(variables["IPYTHONDIR"]) / "profile_default"
    for folder in (profile, Path(variables["MPLCONFIGDIR"])):
        folder.mkdir(parents=True, exist_ok=True)
    # A kernel warns about its unencrypted connection to this same machine; errors it may still report.
    (profile / "ipython_kernel_config.py").write_text(
        "c.IPKernelApp.log_level = 40\n", encoding="utf-8"
    )
