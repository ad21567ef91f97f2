"""Every shape in a comment or a docstring of the package is what the tensor has; and the tracer that proves it misses nothing.

The chapters' shapes are held against their tensors where the chapters are run solved: tests/notebooks/test_standalone.py.
"""

import re
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from shape_runs import RUNS

from tools.environment import ROOT
from tools.execute import run
from tools.shape_cells import complaints, watch_cells
from tools.shape_comments import Check, Shape, read_comment, read_source
from tools.shape_verdicts import Call, Verdict, judge
from tools.shapes import Watch, load, package_sources, place

MODEL_FILES = [
    f"minibert/{name}.py"
    for name in (
        "attention",
        "data/masking",
        "embeddings",
        "encoder",
        "pretraining/fused",
        "heads/base",
        "heads/pretraining",
        "heads/tasks",
        "model",
        "positions",
        "inference/sentence_embeddings",
        "summarization/heads",
        "summarization/model",
    )
]

# Tests that reach the rest of the package in a few seconds.
TESTS = [
    "-m",
    "not slow",
    "-k",
    "not learns and not thousands and not any_text and not enumerate and not documents_around and not steps",
    "tests/unit/pretraining/test_mlm_evaluation.py",
    "tests/unit/pretraining/test_nsp_evaluation.py",
    "tests/unit/inference/test_fill_mask.py",
    "tests/unit/finetuning/tasks/test_choices.py",
    "tests/unit/finetuning/sentence_vectors/test_bag.py",
    "tests/unit/finetuning/sentence_vectors/test_objectives.py",
    "tests/unit/finetuning/sentence_vectors/test_teacher.py",
    "tests/unit/finetuning/sentence_vectors/test_trainer.py",
    "tests/unit/finetuning/sentence_vectors/test_validation.py",
    "tests/unit/finetuning/sentence_vectors/test_whitening.py",
    "tests/unit/finetuning/test_metrics.py",
    "tests/unit/finetuning/tasks/test_questions.py",
    "tests/unit/finetuning/tasks/test_similarity.py",
    "tests/unit/finetuning/tasks/test_tagging.py",
    "tests/unit/finetuning/tasks/test_texts.py",
    "tests/unit/inference/test_interpretability.py",
    "tests/unit/inference/test_probes.py",
    "tests/unit/inference/test_sentence_embeddings.py",
    "tests/unit/inference/test_unpadded.py",
    "tests/unit/inference/test_one_call.py",
    "tests/unit/inference/test_passage_search.py",
    "tests/unit/inference/test_pseudo_likelihood.py",
    "tests/unit/summarization/test_rouge.py",
    "tests/unit/summarization/test_scoring.py",
    "tests/unit/summarization/test_training.py",
    "tests/unit/data/test_small_world.py::test_rows_that_cannot_come_about_are_refused",
    "tests/unit/data/test_small_world.py::test_the_floor_is_the_mean_loss_of_the_posteriors",
    "tests/unit/summarization/convert/test_converter.py::test_older_names_and_what_is_never_used",
    "tests/unit/summarization/convert/test_converter.py::test_a_checkpoint_scores_as_the_original",
    "tests/unit/test_tokenization.py::test_batches_as_in_transformers",
]
NOT_REACHED: dict[tuple[str, str], str] = {
    ("minibert/training/distributed.py", "digests"): "needs several processes",
}


def watched(run, sources, strict=frozenset(), sizes=None) -> dict[str, list[Call]]:
    watch, before = Watch(sources, strict, sizes), sys.gettrace()
    sys.settrace(watch)
    try:
        run()
    finally:
        sys.settrace(before)
    return watch.recorded()


# ---------------------------------------------------------------- the package


@pytest.fixture(scope="module")
def sources():
    return {place(file): source for file, source in package_sources().items()}


@pytest.fixture(scope="module")
def calls() -> dict[str, list[Call]]:
    """All that the runs of the model do, in the files of the model."""
    found = {}
    whole = package_sources()
    for shape_run, sizes in RUNS:
        torch.manual_seed(0)
        for file, some in watched(shape_run, whole, frozenset(whole), sizes).items():
            found.setdefault(place(file), []).extend(some)
    return found


@pytest.mark.parametrize("file", MODEL_FILES)
def test_every_shape_in_the_model_is_that_of_the_tensor(file, sources, calls):
    verdict = judge(sources[file], calls[file])
    problems = [f"{file}:{line} {problem}" for line, problem in sorted(verdict.wrong.items())]
    problems += [
        f"{file}:{check.line} is never reached"
        for number, check in enumerate(sources[file].checks)
        if number not in verdict.seen
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("file", MODEL_FILES)
def test_every_line_of_the_model_that_makes_a_tensor_says_its_shape(file, sources, calls):
    problems = [
        f"{file}:{line} {problem}"
        for line, problem in sorted(judge(sources[file], calls[file]).missing.items())
    ]
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="module")
def other_calls(calls, tmp_path_factory) -> dict[str, list[Call]]:
    """And what some tests do, in all files of the package."""
    path = tmp_path_factory.mktemp("shapes") / "calls.json"
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "shapes.py", "--record", path, "--", *TESTS],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    found = load(path)
    return {file: calls.get(place(file), []) + found.get(file, []) for file in package_sources()}


def test_every_shape_in_the_rest_of_the_package_is_that_of_the_tensor(other_calls):
    problems = []
    for file, source in package_sources().items():
        verdict, name = judge(source, other_calls[file]), place(file)
        problems += [f"{name}:{line} {problem}" for line, problem in verdict.wrong.items()]
        problems += [
            f"{name}:{check.line} is never reached"
            for number, check in enumerate(source.checks)
            if number not in verdict.seen and (name, check.value) not in NOT_REACHED
        ]
    assert not problems, "\n".join(problems)


def test_every_shape_that_is_written_belongs_to_something(sources):
    assert not [
        f"{name}:{line} {text}"
        for name, source in sources.items()
        for line, text in source.unread.items()
    ]


# ---------------------------------------------------------------- slips

LETTERS = ["H", "A", "D", "I", "V"]


def slips(shape: Shape) -> list[Shape]:
    """A shape, wrong in every way that a slip of the pen makes it: a size left out, one too many, two exchanged, another letter, another number."""
    sizes, wrong = shape.sizes, []
    if ("…",) not in sizes:
        wrong += [(("1",), *sizes), *[sizes[:i] + sizes[i + 1 :] for i in range(len(sizes))]]
        wrong += [
            (*sizes[:i], sizes[i + 1], sizes[i], *sizes[i + 2 :])
            for i in range(len(sizes) - 1)
            if sizes[i] != sizes[i + 1]
        ]
    for i, choices in enumerate(sizes):
        others = [re.sub(r"\d+", lambda found: str(int(found[0]) + 1), " or ".join(choices))]
        others += [
            " or ".join(choices).replace(letter, other)
            for letter in LETTERS
            for other in LETTERS
            if letter in choices
        ]
        wrong += [
            (*sizes[:i], tuple(other.split(" or ")), *sizes[i + 1 :])
            for other in others
            if other != " or ".join(choices)
        ]
    return [Shape(found, shape.times) for found in wrong]


def mutants(check: Check) -> list[Check]:
    """A check with one slip in it; not where one shape of several is meant, and a word in them (`classes`) fits any number."""
    return [
        replace(
            check,
            shapes=(
                *check.shapes[:at],
                (*some[:which], wrong, *some[which + 1 :]),
                *check.shapes[at + 1 :],
            ),
        )
        for at, some in enumerate(check.shapes)
        for which, shape in enumerate(some)
        if len(some) == 1 or not re.search("[a-z]{2}", "".join(map(str, some)).replace(" or ", ""))
        for wrong in slips(shape)
        if wrong.sizes
    ]


@pytest.mark.parametrize("file", MODEL_FILES)
def test_every_slip_in_a_comment_of_the_model_is_found(file, sources, calls):
    source, missed = sources[file], []
    for number, check in enumerate(source.checks):
        visits = [
            call
            for call in calls[file]
            if any(kind == "value" and found == number for kind, found, *_ in call.events)
        ]
        for wrong in mutants(check):
            checks = [*source.checks[:number], wrong, *source.checks[number + 1 :]]
            if wrong.line not in judge(replace(source, checks=checks), visits).wrong:
                missed.append(
                    f"{file}:{check.line} might say {' '.join(map(str, (some[0] for some in wrong.shapes)))}"
                )
    assert not missed, "\n".join(missed)


# ---------------------------------------------------------------- the tracer

TOY = '''
from dataclasses import dataclass
import torch

@dataclass
class Found:
    states: list            # L + 1 times [B, S, H]
    mixed: torch.Tensor     # [B, H]

def attention(x, heads):
    """x [B, S, H] -> [B, S, H], and the weights [B, A, S, S]."""
    split = x.unflatten(-1, (heads, -1)).transpose(1, 2)        # [B, A, S, D]
    query, key = split, split * 2                               # [B, A, S, D] each
    scores = (
        query @ key.transpose(-2, -1)
    )                                                           # [B, A, S, S]
    mixed, _ = scores @ split, None                             # [B, A, S, D]
    both = torch.cat([mixed, mixed])                            # the batch twice: [2 · B, A, S, D]
    half = x[..., ::2]                                          # [B, S, H/2]
    given = {"half": half, "sum": x.sum(1),                     # [B, S, H/2], [B, H]
             "both": both}                                      # [2 · B, A, S, D]
    for row in x:                                               # [S, H]
        first = row[1:]                                         # [S - 1, H]
    rows = []
    for length in (2, 3):
        rows.append(x[0, :length])                              # [n, H]
    return mixed.transpose(1, 2).flatten(2), scores             # [B, S, H], [B, A, S, S]

def pooled(x, mean):
    """[B, S, H] -> [B, H]."""
    return Found([x, x, x], x.mean(1)).mixed if mean else x.amax(1)     # [B, H]

def found(x):
    return Found([x] * 3, x.mean(1))
'''


def run_toy(text=TOY, sizes=None) -> Verdict:
    names = {}
    source = read_source(text)
    exec(compile(text, "toy.py", "exec"), names)

    def run():
        x = torch.zeros(2, 5, 12)
        names["attention"](x, 3)
        names["pooled"](x, True)
        names["found"](x)

    verdict = judge(
        source, watched(run, {"toy.py": source}, frozenset(["toy.py"]), sizes)["toy.py"]
    )
    assert not source.unread and verdict.seen == set(range(len(source.checks)))
    return verdict


def line_of(text: str) -> int:
    return TOY[: TOY.index(text)].count("\n") + 1


def test_right_comments_in_every_form_are_held_against_the_tensors_and_pass():
    verdict = run_toy(sizes={"L": 2})
    assert not verdict.wrong and not verdict.missing


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        (
            "# [B, A, S, D]\n    query",
            "# [B, S, A, D]\n    query",
            "says [B, S, A, D], where B = 2, S = 5, and is [2, 3, 5, 4]",
        ),
        (
            "# [B, A, S, D] each",
            "# [B, A, D, S] each",
            "says each · [B, A, D, S], where A = 3, B = 2, D = 4, S = 5, and is 2 things: [2, 3, 5, 4]",
        ),
        (
            "# [B, A, S, S]\n",
            "# [B, A, S, H]\n",
            "says [B, A, S, H], where A = 3, B = 2, H = 12, S = 5, and is [2, 3, 5, 5]",
        ),
        ("# [B, A, S, S]\n", "# [B, A, S]\n", "and is [2, 3, 5, 5]"),
        (
            "# the batch twice: [2 · B, A, S, D]",
            "# the batch twice: [3 · B, A, S, D]",
            "says [3 · B, A, S, D], where A = 3, B = 2, D = 4, S = 5, and is [4, 3, 5, 4]",
        ),
        ("# [B, S, H/2]\n    given", "# [B, S, H/3]\n    given", "and is [2, 5, 6]"),
        ("# [B, S, H/2], [B, H]", "# [B, S, H/2], [B, S]", "and is 2 things: [2, 5, 6], [2, 12]"),
        ("# [S, H]\n", "# [B, H]\n", "and is [5, 12]"),
        ("# [S - 1, H]", "# [S - 2, H]", "and is [4, 12]"),
        ("# [n, H]", "# [n, S]", "and is [2, 12]"),
        ("L + 1 times", "L times", "says L · [B, S, H], where L = 2, and is 3 things: [2, 5, 12]"),
        (
            "x [B, S, H] -> [B, S, H], and the weights [B, A, S, S]",
            "x [B, S, H] -> [B, S, H], and the weights [B, S, A, S]",
            "and is 2 things: [2, 5, 12], [2, 3, 5, 5]",
        ),
        ('"""x [B, S, H]', '"""x [S, B, H]', "where B = 5, S = 2, and is [2, 3, 5, 4]"),
        (
            "[B, S, H] -> [B, H]",
            "[B, S, H] -> [B, S]",
            "says [B, S], where B = 2, S = 5, and is [2, 12]",
        ),
        ("[2 · B, A, S, D]\n    for", "[B, A, S, D]\n    for", "and is [4, 3, 5, 4]"),
    ],
)
def test_a_wrong_comment_is_told_with_its_line(right, wrong, says):
    assert TOY.count(right) == 1
    problems = run_toy(TOY.replace(right, wrong), {"L": 2}).wrong
    assert any(says in problem for problem in problems.values()), problems
    assert line_of(right) in problems or "x [" in right


def test_letters_mean_the_same_in_all_of_a_call_and_may_mean_another_number_in_the_next():
    text = "def f(x):\n    y = x * 2    # [B, S]\n    return y.sum(0)    # [S]\n"
    names, source = {}, read_source(text)
    exec(compile(text, "f.py", "exec"), names)
    seen = watched(
        lambda: [names["f"](torch.zeros(2, 3)), names["f"](torch.zeros(5, 7))], {"f.py": source}
    )["f.py"]
    assert not judge(source, seen).wrong
    wrong = read_source(text.replace("# [S]", "# [B]"))
    assert judge(wrong, seen).wrong == {3: "says [B], where B = 2, and is [3]"}


@pytest.mark.parametrize(
    "line",
    [
        "    made = x @ x.T",
        "    x = x + 1",
        "    both = x, x * 2",
        "    many = [x * 2]",
        "    return x * 2",
        "    return x, x.T",
    ],
)
def test_a_new_tensor_without_a_comment_is_told(line):
    text = f"def f(x):\n{line}\n"
    names, source = {}, read_source(text)
    exec(compile(text, "f.py", "exec"), names)
    seen = watched(lambda: names["f"](torch.zeros(2, 2)), {"f.py": source}, frozenset(["f.py"]))[
        "f.py"
    ]
    assert list(judge(source, seen).missing) == [2]


@pytest.mark.parametrize(
    "line",
    [
        "    same = x",
        "    return x",
        "    total = x.sum()",
        "    number = len(x)",
        "    x[0] = 1",
        "    nothing = None",
    ],
)
def test_what_makes_no_tensor_needs_no_comment(line):
    text = f"def f(x):\n{line}\n"
    names, source = {}, read_source(text)
    exec(compile(text, "f.py", "exec"), names)
    seen = watched(lambda: names["f"](torch.zeros(2, 2)), {"f.py": source}, frozenset(["f.py"]))[
        "f.py"
    ]
    assert not judge(source, seen).missing


@pytest.mark.parametrize(
    "text",
    [
        "# [B, S]\nx = 1",
        "if x:    # [B, S]\n    y = 1",
        "x = 1    # rows and columns [B, S]",
        "x = 1    # [B, S], and later [B, H]",
        'def f(x):\n    """How many of all the weights [B, S] count."""',
        '"""All masks are [B, S]."""',
    ],
)
def test_a_shape_that_belongs_to_nothing_is_told(text):
    assert len(read_source(text).unread) == 1


@pytest.mark.parametrize(
    "text",
    [
        "x = 1    # [CLS] and [SEP]",
        "x = 1    # context[start:end]",
        'def f(x):\n    """`rows[i]` [MASK]; see [1]."""',
    ],
)
def test_brackets_that_are_no_shape(text):
    assert not read_source(text).unread and not read_source(text).checks


def test_what_a_refused_call_was_given_does_not_count():
    text = 'def f(x):\n    """x [B, S] -> [B]"""\n    if x.dim() != 2:\n        raise ValueError("shape")\n    return x.sum(1)\n'
    names, source = {}, read_source(text)
    exec(compile(text, "f.py", "exec"), names)

    def run():
        with pytest.raises(ValueError, match="shape"):
            names["f"](torch.zeros(3))
        names["f"](torch.zeros(2, 3))

    assert not judge(source, watched(run, {"f.py": source})["f.py"]).wrong


@pytest.mark.parametrize(
    ("comment", "shapes"),
    [
        ("# [B, S]", "[B, S]"),
        ("# [B, S or 1], padding", "[B, S or 1]"),
        ("# [L + 1, B]: all", "[L + 1, B]"),
        ("# L * A: [L * A, 3H]", "[L * A, 3H]"),
        ("# each [B, S]", "[B, S]"),
        ("# [B, S], [B]", "[B, S] [B]"),
        ("# nothing", ""),
        ("# [a b c, …]", "[a b c, …]"),
    ],
)
def test_how_a_comment_is_read(comment, shapes):
    assert " ".join(str(some[0]) for some in read_comment(comment)) == shapes


# ---------------------------------------------------------------- cells

CELLS = [
    """\
import torch
H = 12

def double(x):
    \"\"\"x [B, S, H] -> [B, S, H]\"\"\"
    return torch.cat([x, x], dim=0)

def never(x):
    return x * 2                    # [B, S]""",
    """\
x = torch.zeros(2, 5, 12)           # [B, S, H]
y = x.transpose(0, 1)               # [B, S, H]
z = x[:, 0]                         # [B, H]""",
    """\
print(double(x).shape)              # see [B, S]
for row in x:
    print(row.shape)""",
]


def test_in_a_notebook_a_wrong_comment_is_told_with_its_cell_and_line(tmp_path):
    notebook = new_notebook(cells=[new_markdown_cell("Text."), *map(new_code_cell, CELLS)])
    watch_cells(notebook)
    run(notebook, "toy", tmp_path)
    found = complaints(notebook, "toy")
    assert [cell.source for cell in notebook.cells] == ["Text.", *CELLS] and notebook.cells[
        3
    ].outputs[0].text.startswith("torch.Size([4, 5, 12])")
    assert [line.split(": ")[0] for line in found] == [
        "toy, cell 1, line 5 says [B, S, H], where B = 2, H = 12, S = 5, and is [4, 5, 12]",
        "toy, cell 1, line 9 is never reached",
        "toy, cell 2, line 2 says [B, S, H], where B = 2, H = 12, S = 5, and is [5, 2, 12]",
        "toy, cell 3, line 1 belongs to nothing",
    ]
