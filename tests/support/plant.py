"""Runs tests against changed sources of minibert, each in a process of its own: python tests/plant.py < jobs > results

A job is a line of JSON, {"name": …, "sources": {"attention.py": its whole text, …}, "tests": [ids]}; its result is {"name": …, "code":
pytest's exit status, "said": the end of its output}. Nothing is written into the package: an import hook gives the changed text.
What takes long to import is imported once, and every job is a fork of that.
"""

import gc
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import resource
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300  # of computing that a job may take


class Changed(importlib.abc.MetaPathFinder):
    """Finds the modules of minibert whose source is changed."""

    def __init__(self, sources: dict[str, str]):
        self.sources = {
            "minibert." + file.removesuffix(".py").replace("/", "."): (
                ROOT / "minibert" / file,
                text,
            )
            for file, text in sources.items()
        }

    def find_spec(self, name, path=None, target=None):
        if name not in self.sources:
            return None
        loader = ChangedLoader(name, *self.sources[name])
        return importlib.util.spec_from_file_location(name, loader.path, loader=loader)


class ChangedLoader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: Path, text: str):
        super().__init__(name, str(path))
        self.text = text

    def get_code(self, name):  # not the compiled one that lies beside the file
        return compile(self.text, self.path, "exec")

    def get_source(self, name):
        return self.text


def run(job: dict) -> dict:
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if not child:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            sys.meta_path.insert(0, Changed(job["sources"]))
            code = int(
                pytest.main(["-q", "-x", "-p", "no:cacheprovider", "--tb=line", *job["tests"]])
            )
            os._exit(code)
        _, status = os.waitpid(child, 0)
        said.seek(0)
        return {
            "name": job["name"],
            "code": os.waitstatus_to_exitcode(status),
            "said": said.read()[-2000:],
        }


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": "1"}

    import hypothesis  # noqa: F401
    import pytest
    import scipy.stats  # noqa: F401
    import tokenizers  # noqa: F401
    import torch._dynamo  # noqa: F401 - the optimisers import it
    from transformers import BertForPreTraining  # noqa: F401

    import minibert  # noqa: F401 - its finder of old names, before which `Changed` is put

    gc.freeze()  # a fork has no need to go through all of this when it collects its own garbage
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
