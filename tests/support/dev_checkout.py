"""What dev.py needs before it makes an environment, in a folder of its own."""

import shutil

from tools.environment import ROOT

FILES = ("dev.py", "requirements.txt", "constraints.txt", "pyproject.toml", "setup.py")


def checkout_in(folder):
    """Make the folder where it is missing, and copy the files into it. -> its dev.py."""
    folder.mkdir(exist_ok=True)
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    return folder / "dev.py"
