"""Makes mistakes in minibert on purpose, one at a time, and sees which of them no test notices.

    python tools/mutation.py                                  # the files whose code has changed since the log was written
    python tools/mutation.py --file minibert/attention.py     # these; --all: every one
    python tools/mutation.py --file minibert/pretraining/fused.py --survivors      # once more, those that survived

Writes benchmarks/logs/mutation.json. A file stands there with a hash of its code without docstrings and comments. Survivors that
no test can tell from the right code are in mutation_equivalent.toml, each with a reason.

Nothing is written into the package. Per file, one process imports torch, the package and the tests, runs these once to learn which
of them reach which line and how long each takes, and is then copied (fork) for every mutant. The copy puts the changed code into
the functions that exist already and runs the tests that reach the line until one fails, first those that are fast or have killed.
A mistake that acts at import (a default, a constant, a decorator) needs the package imported anew, and all tests of the file. Time
limits count processor time, so that a busy machine kills nobody.

Why not a kept tool. mutmut 3.8 forks as well, but it leaves out whatever has a decorator (`torch.no_grad`, properties, context
managers) and whatever is outside functions (the defaults of every config), draws no sample, and runs a second copy of the
repository in a folder inside it. cosmic-ray 8.7 writes every mutant into the checkout and starts Python, and torch, anew for each.
"""

import argparse
import ast
import hashlib
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from tools.mutation_operators import Mutant, mutants

LOG = ROOT / "benchmarks" / "logs" / "mutation.json"
SEED = 0
TARGET = 0.95  # share of the mutants that must be killed in each group of SCOPE
SAMPLE, SMALL_SAMPLE = 30, 6  # mutants of a file, in SCOPE and elsewhere
# Folders and files of the package by group; in these, at least TARGET of the mutants must be killed.
SCOPE = {
    "model": (
        "config.py",
        "positions.py",
        "embeddings.py",
        "attention.py",
        "encoder.py",
        "model.py",
        "heads/",
        "pretraining/fused.py",
        "inference/sentence_embeddings.py",
    ),
    "data": ("data/",),
    "training": (
        "training/loop.py",
        "training/optim.py",
        "training/precision.py",
        "pretraining/batches.py",
        "pretraining/mlm_evaluation.py",
        "pretraining/nsp_evaluation.py",
        "pretraining/options.py",
        "pretraining/trainer.py",
        "finetuning/metrics.py",
        "finetuning/trainer.py",
        "summarization/training.py",
    ),
}
# Tests of a file beside those that mirror it: tests/unit/FOLDER/test_NAME.py.
ALSO = {
    "embeddings.py": ("test_positions.py",),
    "attention.py": ("test_encoder.py",),
    "heads/base.py": ("test_heads.py",),
    "heads/pretraining.py": ("test_heads.py",),
    "heads/tasks.py": ("test_heads.py", "finetuning/tasks/test_questions.py"),
    "training/optim.py": ("pretraining/test_trainer.py",),
    "training/loop.py": ("finetuning/test_trainer.py",),
    "data/tokens.py": ("data/test_tokens_join.py",),
}
# Exercises and clinic hold wrong code themselves, which tests of their own plant: they are not mutated.
NOT_MUTATED = ("exercises", "clinic")


def sources() -> list[str]:
    """The files that are mutated, those of SCOPE first."""
    return sorted(filter(tests_of, _code()), key=lambda name: (group_of(name) == "rest", name))


def left_out() -> list[str]:
    """Files with code that are not mutated: most are tested through commands or notebooks only."""
    return sorted({*_code()} - {*sources()})


def stale(rows: dict[str, dict]) -> list[str]:
    """Files whose code, or whose tests, have changed since the log was written."""
    return [
        name
        for name in sources()
        if name not in rows
        or rows[name]["sha256"] != code_hash((ROOT / name).read_text(encoding="utf-8"))
        or rows[name]["tests"] != tests_of(name)
    ]


def _code() -> list[str]:
    names = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "minibert").rglob("*.py"))
        if not set(path.parts) & set(NOT_MUTATED)
    ]
    return [name for name in names if path_mutants(name)]


def group_of(name: str) -> str:
    short = name.removeprefix("minibert/")
    return next((group for group, begins in SCOPE.items() if short.startswith(begins)), "rest")


def tests_of(name: str) -> list[str]:
    """The tests that mirror a file, or where there are none those of its folder; and ALSO."""
    short = Path(name).relative_to("minibert")
    folder = ROOT / "tests" / "unit" / short.parent
    own = folder / f"test_{short.name}"
    tests = [own] if own.exists() or len(short.parts) == 1 else sorted(folder.glob("test_*.py"))
    tests += [ROOT / "tests" / "unit" / also for also in ALSO.get(short.as_posix(), ())]
    return [test.relative_to(ROOT).as_posix() for test in tests if test.exists()]


def code_hash(source: str) -> str:
    """A sha256 of the code alone: docstrings, comments and layout count for nothing. The same in every version of Python."""
    return hashlib.sha256(json.dumps(_plain(ast.parse(source))).encode()).hexdigest()


def _plain(value):
    if isinstance(value, list):
        return [
            _plain(item)
            for item in value
            if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))
        ]
    if isinstance(value, ast.AST):
        fields = (
            (name, getattr(value, name, None))
            for name in value._fields
            if name not in ("kind", "type_comment")
        )
        return [
            type(value).__name__,
            *([name, _plain(item)] for name, item in fields if item is not None and item != []),
        ]
    return value if isinstance(value, str | int | bool | None) else repr(value)


def path_mutants(name: str) -> list[Mutant]:
    return mutants(ast.parse((ROOT / name).read_text(encoding="utf-8")))


def sample(name: str, found: list[Mutant], size: int) -> list[Mutant]:
    """`size` of the mutants, in the order of the source. Each has a number from SEED and what it is, and the lowest are taken: a
    change of the file leaves the rest of the sample as it was."""

    def number(mutant: Mutant) -> str:
        return hashlib.sha256(
            f"{SEED}|{name}|{mutant.function}|{mutant.change}".encode()
        ).hexdigest()

    chosen = set(sorted(map(number, found))[:size])
    return [mutant for mutant in found if number(mutant) in chosen]


def row(name: str, only: set[tuple[str, str]] | None = None) -> dict:
    """What the log says of a file. `only` names the mutants that are to be tried, the others count as killed."""
    from tools.mutation_judge import examine  # needs fork; what is read of the log does not

    path, group = ROOT / name, group_of(name)
    every, started = path_mutants(name), os.times()
    chosen = sample(name, every, SMALL_SAMPLE if group == "rest" else SAMPLE)
    tried = [
        mutant for mutant in chosen if only is None or (mutant.function, mutant.change) in only
    ]
    survivors = examine(path, tried, tests_of(name))
    ended = os.times()
    return {
        "group": group,
        "sha256": code_hash(path.read_text(encoding="utf-8")),
        "tests": tests_of(name),
        "possible": len(every),
        "mutants": len(chosen),
        "killed": len(chosen) - len(survivors),
        "survivors": [
            {
                "line": mutant.lines[0],
                "function": mutant.function,
                "operator": mutant.operator,
                "change": mutant.change,
            }
            for mutant in survivors
        ],
        "seconds": round(
            ended.children_user
            + ended.children_system
            - started.children_user
            - started.children_system,
            1,
        ),
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--file",
        action="append",
        metavar="PATH",
        help="examine this file, from the root of the repository; may be given again",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="examine every file, not those alone whose code has changed",
    )
    parser.add_argument(
        "--survivors",
        action="store_true",
        help="try those alone that survived the last time; the others count as killed",
    )
    parser.add_argument(
        "--stale",
        action="store_true",
        help="run nothing: name the files that have changed since the log was written",
    )
    options = parser.parse_args(argv)
    if options.stale:
        changed = stale(json.loads(LOG.read_text(encoding="utf-8"))["files"])
        print("\n".join(changed) or "the log is of the code that is here")
        return 1 if changed else 0
    os.environ.update(
        OMP_NUM_THREADS="1",
        TOKENIZERS_PARALLELISM="false",
        HYPOTHESIS_STORAGE_DIRECTORY=tempfile.gettempdir(),
        TQDM_DISABLE="1",
    )
    sys.dont_write_bytecode = True  # a copy has other code than the file
    import log as benchmarks
    import torch
    import transformers  # noqa: F401       # copies have it already

    torch.set_num_threads(1)
    rows = json.loads(LOG.read_text(encoding="utf-8"))["files"] if LOG.exists() else {}
    known, status = sources(), 0
    rows = {name: row for name, row in rows.items() if name in known}
    for name in options.file or known:
        if name not in known:
            print(
                f"{name} is not among the files that are mutated: {', '.join(known)}",
                file=sys.stderr,
            )
            return 2
        before = rows.get(name)
        if (
            not (options.file or options.all)
            and before
            and before["sha256"] == code_hash((ROOT / name).read_text(encoding="utf-8"))
        ):
            continue
        only = (
            {(mutant["function"], mutant["change"]) for mutant in before["survivors"]}
            if options.survivors and before
            else None
        )
        try:
            rows[name] = row(name, only)
        except ValueError as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
            continue
        print(
            f"{name}: {rows[name]['killed']} of {rows[name]['mutants']} killed, {rows[name]['seconds']} s",
            flush=True,
        )
        for mutant in rows[name]["survivors"]:
            print(f"    {mutant['line']:4} {mutant['function']}: {mutant['change']}", flush=True)
        totals = Counter()
        for entry in rows.values():
            totals[entry["group"], "mutants"] += entry["mutants"]
            totals[entry["group"], "killed"] += entry["killed"]
        LOG.write_text(
            json.dumps(
                {
                    "benchmark": "which mistakes in minibert no test notices",
                    "command": "python tools/mutation.py",
                    "machine": benchmarks.machine(),
                    "versions": benchmarks.versions(),
                    "seed": SEED,
                    "target": TARGET,
                    "groups": {
                        group: {what: totals[group, what] for what in ("mutants", "killed")}
                        for group in (*SCOPE, "rest")
                    },
                    "left_out": left_out(),
                    "files": {name: rows[name] for name in known if name in rows},
                },
                indent=1,
                ensure_ascii=False,
            )
            + "\n",
            encoding="utf-8",
        )
    return status


if __name__ == "__main__":
    sys.exit(main())
