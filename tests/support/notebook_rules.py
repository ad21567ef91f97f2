"""What has to hold in a notebook and what nbval does not see. Every rule takes a notebook and its stem, and yields complaints."""

import base64
import configparser
import copy
import io
import json
import re
import shutil
import sys
from html import unescape

import nbformat
from PIL import Image

from minibert.course.exercises.base import exercises
from tools.environment import IGNORING, ROOT
from tools.execute import WIDGETS, read_log
from tools.stamp import TIME_LINE, about, book_config, prose, stamp
from tools.stills import VIEW, digest, figures_of

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from minibert_predict import ANSWER, QUOTE, predictions

CHAPTER = re.compile(r"\d\d_\w+")
KNOWN_TAGS = IGNORING | {
    "hide-input",
    "hide-output",
    "hide-cell",
    "remove-input",
    "remove-output",
    "remove-cell",
    "raises-exception",
    "scroll-output",
}
COMMENT_MARKERS = re.compile(r"#\s*(NBVAL_\w+|PYTEST_VALIDATE_IGNORE_OUTPUT)")
HIDING = re.compile(
    r"%%capture|warnings\.(filterwarnings|simplefilter|catch_warnings)|logging\.disable|redirect_std(out|err)|clear_output|"
    r"\.set_verbosity|/dev/null|os\.devnull|showwarning\s*="
)
FORBIDDEN_WORDS = re.compile(r"\b(just|simply|obviously|easy|easily)\b", re.IGNORECASE)
FOLDERS = re.compile(
    r"(?<![\w.~])/(?:tm[p]|wor[k]|roo[t]|home|Users|content|var/folders)/\S*|\b[A-Z]:\\Users\S*"
)
REFERENCE = re.compile(
    r"`((?:tests|minibert|tools|benchmarks|book|notebooks)/[\w./-]+\.(?:py|md|json|toml|ipynb))(?:::([\w.:]+))?`"
)
OUTPUT_LIMIT, NOTEBOOK_LIMIT = 400_000, 3_000_000  # characters, bytes


def copy_settings(folder):
    """Put into a new folder what `pytest --nbval` needs here: its settings, and how it compares."""
    for name in (
        "conftest.py",
        "pyproject.toml",
        "tests/nbval_sanitize.cfg",
        "tools/__init__.py",
        "tools/environment.py",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def markdown_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]


def tags(cell):
    return set(cell.metadata.get("tags", []))


def opening(cell):
    """How a complaint names a cell: its first line."""
    return repr(cell.source.strip().split("\n")[0][:60])


def ignored_cells(notebook):
    return [
        cell
        for cell in code_cells(notebook)
        if tags(cell) & IGNORING or COMMENT_MARKERS.search(cell.source)
    ]


def sanitizers():
    parser = configparser.RawConfigParser()
    parser.read(ROOT / "tests" / "nbval_sanitize.cfg", encoding="utf-8")
    return [(parser[section]["regex"], parser[section]["replace"]) for section in parser.sections()]


def sanitize(text):
    """A text without what differs from machine to machine, as nbval compares it."""
    for pattern, replacement in sanitizers():
        text = re.sub(pattern, replacement, text)
    return text


# ---------------------------------------------------------------- the rules


def valid_format(notebook, stem):
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        yield f"not a valid notebook: {error.message}"


def run_in_order(notebook, stem):
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"not run from top to bottom, each cell once: {counts}"


def no_trailing_semicolon(notebook, stem):
    for cell in code_cells(notebook):
        if cell.source.rstrip().endswith(";"):
            yield f"a closing ';' does not hide a result under nbval, assign it to _: {opening(cell)}"


def errors_are_announced(notebook, stem):
    for cell in code_cells(notebook):
        failed = any(output.output_type == "error" for output in cell.outputs)
        if failed != ("raises-exception" in tags(cell)):
            yield f"an error and the tag raises-exception go together: {opening(cell)}"
        if "raises-exception" in tags(cell) and tags(cell) & IGNORING:
            yield f"an error that nobody compares: {opening(cell)}"


def widgets_have_state(notebook, stem):
    state = notebook.metadata.get("widgets", {}).get(WIDGETS, {}).get("state", {})
    known = json.dumps(state)
    for cell in code_cells(notebook):
        for output in cell.outputs:
            view = output.get("data", {}).get(VIEW)
            if view and view["model_id"] not in state:
                yield f"the state of a widget is missing, the page would be empty: {opening(cell)}"
            elif view and "_esm" not in state[view["model_id"]]["state"]:
                yield f"a widget that needs a kernel, the page would be empty; use minibert.course.figures.moving: {opening(cell)}"
            shown_as = output.get("data", {}).get("text/plain", "")
            if not view and re.match(r"moving figure “|\w*Box\(children|\w*Slider\(", shown_as):
                yield f"the view of a widget is missing: {opening(cell)}"
    for missing in sorted(set(re.findall(r"IPY_MODEL_(\w+)", known)) - set(state)):
        yield f"a widget refers to {missing}, whose state is missing"


def moving_figures_have_pictures(notebook, stem):
    for output, state in figures_of(notebook):
        if output.metadata.get("still") != digest(state) or "image/png" not in output.data:
            yield f"the picture of a moving figure is missing or old: {state['label']}"
        for key in ("alt", "try_this"):
            if len(state[key].strip()) < 20:
                yield f"a moving figure without {key}: {state['label']}"


def images_are_drawn_and_described(notebook, stem):
    for cell in code_cells(notebook):
        images = [
            output.data["image/png"]
            for output in cell.outputs
            if "image/png" in output.get("data", {})
        ]
        moves = any(
            VIEW in output.get("data", {}) for output in cell.outputs
        )  # has a text alternative of its own
        for image in images:
            if (
                not moves
                and len(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "").strip())
                < 20
            ):
                yield f"a figure without a text alternative (metadata mystnb.image.alt): {opening(cell)}"
            try:
                colours = (
                    Image.open(io.BytesIO(base64.b64decode(image)))
                    .convert("RGB")
                    .getcolors(maxcolors=2)
                )  # None: more than two
            except (OSError, ValueError):
                yield f"a stored figure is not a PNG: {opening(cell)}"
            else:
                if colours is not None:
                    yield f"a stored figure is blank: {opening(cell)}"
        if "plt.show()" in cell.source and not images and "raises-exception" not in tags(cell):
            yield f"plt.show() without a stored figure: {opening(cell)}"
    for cell in markdown_cells(notebook):
        if re.search(r"!\[[^\]]*\]\(https?:|<img[^>]+src=[\"']?https?:", cell.source):
            yield f"an image on another host: {opening(cell)}"
        if re.search(r"!\[\s*\]\(", cell.source):
            yield f"an image without a text alternative: {opening(cell)}"


def sizes(notebook, stem):
    for cell in code_cells(notebook):
        if (size := len(json.dumps(cell.outputs))) > OUTPUT_LIMIT:
            yield f"an output of {size:,} characters; the limit is {OUTPUT_LIMIT:,}: {opening(cell)}"
    if (size := len(nbformat.writes(notebook).encode())) > NOTEBOOK_LIMIT:
        yield f"{size:,} bytes; the limit is {NOTEBOOK_LIMIT:,}"


def few_cells_are_ignored(notebook, stem):
    ignored, total = ignored_cells(notebook), len(code_cells(notebook))
    if len(ignored) > max(1, 0.05 * total):
        yield f"{len(ignored)} of {total} code cells are not compared: {', '.join(map(opening, ignored))}"


def half_of_the_cells_show_what_is_compared(notebook, stem):
    def is_compared(output):
        if output.output_type in ("stream", "error"):
            return True
        texts = {
            kind: text for kind, text in output.data.items() if kind not in (VIEW, "image/png")
        }
        return bool(texts) and not (
            set(texts) == {"text/plain"} and "<Figure size" in texts["text/plain"]
        )

    cells = [
        cell
        for cell in code_cells(notebook)
        if cell.metadata.get("minibert", {}).get("generated") != "setup"
    ]
    shown = [
        cell
        for cell in cells
        if cell not in ignored_cells(notebook) and any(map(is_compared, cell.outputs))
    ]
    if 2 * len(shown) < len(cells):
        yield f"only {len(shown)} of {len(cells)} code cells show an output that is compared"


def nothing_hides_output(notebook, stem):
    for cell in code_cells(notebook):
        if hidden := HIDING.search(cell.source):
            yield f"{hidden[0]} hides output: {opening(cell)}"
        if marker := COMMENT_MARKERS.search(cell.source):
            yield f"{marker[0]} shows in the page; use a tag: {opening(cell)}"
        if unknown := tags(cell) - KNOWN_TAGS:
            yield f"unknown tags do nothing: {', '.join(sorted(unknown))}: {opening(cell)}"


def generated_cells_are_current(notebook, stem):
    fresh = stamp(copy.deepcopy(notebook), stem)
    if [cell.source for cell in fresh.cells] != [cell.source for cell in notebook.cells]:
        changed = next(
            (new for old, new in zip(notebook.cells, fresh.cells) if old.source != new.source),
            fresh.cells[-1],
        )
        yield f"a generated cell is out of date; run `python3 dev.py notebooks {stem}`: {opening(changed)}"
    elif fresh != notebook:
        yield f"ids or metadata are out of date; run `python3 dev.py notebooks {stem}`"


def set_up_comes_first(notebook, stem):
    setups = [
        i
        for i, cell in enumerate(notebook.cells)
        if cell.metadata.get("minibert", {}).get("generated") == "setup"
    ]
    if setups != [1]:
        yield f"a title, then {{{{setup}}}}, which makes the set-up cell: the set-up cells are {setups}, not [1]"


def opener_is_short(notebook, stem):
    """The first screen: question, minutes, diagram. Code is folded, and how to run it stands at the foot."""
    if not CHAPTER.fullmatch(stem):
        return
    if not re.match(
        r"# .+\n\n> \*\*Question\*\* · [^\n]+\?\n\n\*\*Time\*\*", notebook.cells[0].source
    ):
        yield "under the title stand `> **Question** · …?` and the line of the time, then the rest"
    if "<details><summary>" not in notebook.cells[0].source.partition("\n\nAfter this")[0]:
        yield "the goals and what is needed first are not folded"
    if notebook.cells[2].metadata.get("minibert", {}).get("generated") != "diagram":
        yield "the diagram is missing; `minibert/course/diagrams/model.py` says what a chapter lights"
    if notebook.cells[-1].metadata.get("minibert", {}).get("generated") != "launch":
        yield "{{launch}} is not the last cell"
    for cell in notebook.cells[1:4]:
        if cell.cell_type == "code" and "hide-input" not in tags(cell):
            yield f"code on the first screen is not folded: {opening(cell)}"


def header_is_complete(notebook, stem):
    if not CHAPTER.fullmatch(stem):
        return
    header = notebook.cells[0].source
    if not re.match(r"# \S", header):
        yield "the first cell does not begin with a title"
    if not re.search(r"^[-*] \S", header, re.MULTILINE):
        yield "the header has no list of what a reader will be able to do"
    if not (time := TIME_LINE.search(header)):
        yield "the header has no line `**Time** · reading 25 min · exercises 30 min · running about 20 s on two cores`"
    elif (
        stem not in read_log()["notebooks"]
        or f"about {about(read_log()['notebooks'][stem]['processor_seconds'])} s" not in time[0]
    ):
        yield "the header's running time is not the one in benchmarks/logs/notebooks.json"


def chapter_is_complete(notebook, stem):
    if not CHAPTER.fullmatch(stem):
        return
    origins = [cell.metadata.get("minibert", {}) for cell in notebook.cells]
    shown = {origin["name"] for origin in origins if origin.get("generated") == "exercise"}
    own = {exercise.name for exercise in exercises().values() if exercise.chapter == stem}
    if shown != own or not own:
        yield f"the exercises of the chapter are {sorted(own)}; it shows {sorted(shown)}"
    if not any(origin.get("generated") == "quiz" for origin in origins):
        yield "no quiz"
    if not any(
        VIEW in output.get("data", {}) for cell in code_cells(notebook) for output in cell.outputs
    ):
        yield "no figure that the reader can move"


def predictions_are_right(notebook, stem):
    """What a prediction says is right is printed by the cell under it (book/_ext/minibert_predict.py has the form)."""
    for i, cell in enumerate(notebook.cells):
        if cell.cell_type != "markdown":
            continue
        for quote in QUOTE.findall(cell.source):
            if "answer:" in quote and not ANSWER.search(quote):
                yield f"the answer of a prediction cannot be read: {quote.splitlines()[0][:60]!r}"
        for quote, choices, found in predictions(cell.source):
            name = repr(quote.splitlines()[0][:60])
            if choices and not (
                found["low"] is None and 1 <= float(found["right"]) <= len(choices)
            ):
                yield f"the right choice is none of the choices: {name}"
            elif not choices and found["low"] is None:
                yield f"a prediction with neither choices nor a slider: {name}"
            elif not choices and not float(found["low"]) <= float(found["right"]) <= float(
                found["high"]
            ):
                yield f"the right answer lies beyond the slider: {name}"
            elif not choices and not number_in(found["right"], found["printed"]):
                yield f"what is printed does not hold the answer: {name}"
            if not is_printed(found["printed"], notebook.cells[i + 1 :]):
                yield f"the next cell does not print {found['printed']!r}: {name}"


def number_in(number, text):
    """Whether a text holds a number, perhaps with more digits."""
    return any(
        round(float(each), len(number.partition(".")[2])) == float(number)
        for each in re.findall(r"-?\d+(?:\.\d+)?", text)
    )


def is_printed(text, cells):
    """Whether the next code cell shows a text, however it is spaced."""
    cell = next((cell for cell in cells if cell.cell_type == "code"), None)
    shown = []
    for output in cell.outputs if cell else []:
        data = output.get("data", {})
        shown += [output.get("text", ""), data.get("text/plain", "")]
        shown.append(unescape(re.sub(r"<[^>]+>", " ", data.get("text/html", ""))))
    return " ".join(text.split()) in " ".join(" ".join(shown).split())


def one_address(notebook, stem):
    url = book_config()["repository"]["url"]
    for cell in notebook.cells:
        yield from other_addresses(cell.source, url)


def other_addresses(text, url):
    """Addresses of a repository of this course, other than the one in _config.yml."""
    for found in re.findall(r"https?://[^\s\"'`<>)\]]*", text):
        of_this_course = "minibert" in found.lower() or re.search(
            r"colab\.[^/]+/github/|mybinder\.org/v2/", found
        )
        launch = url.removeprefix("https://github.com/")
        if (
            of_this_course
            and not found.startswith(url)
            and f"/github/{launch}/" not in found
            and f"/gh/{launch}/" not in found
        ):
            yield f"an address that _config.yml does not know: {found}"


def no_folders_of_a_machine(notebook, stem):
    for cell in notebook.cells:
        texts = [cell.source]
        for output in cell.get("outputs", []):
            texts += [
                output.get("text", ""),
                "\n".join(output.get("traceback", [])),
                *map(str, output.get("data", {}).values()),
            ]
        for text in texts:
            if found := FOLDERS.search(text):
                yield f"a folder of one machine, {found[0][:60]}: {opening(cell)}"


def references_exist(notebook, stem):
    for cell in markdown_cells(notebook):
        yield from missing_references(cell.source)


def missing_references(text):
    """Files and tests that a text names in backticks and that are not there."""
    for path, name in REFERENCE.findall(text):
        if re.search("NN|NAME", path):  # a pattern of names, in instructions
            continue
        if not (ROOT / path).is_file():
            yield f"`{path}` does not exist"
        elif name and not re.search(
            rf"^\s*(def|class) {re.escape(name.split('::')[-1])}\b",
            (ROOT / path).read_text(encoding="utf-8"),
            re.MULTILINE,
        ):
            yield f"`{path}::{name}` does not exist"


def words(notebook, stem):
    for cell in markdown_cells(notebook):
        for found in FORBIDDEN_WORDS.finditer(prose(cell.source)):
            yield f"the word {found[0]!r} tells a reader that it should not be hard: {opening(cell)}"


RULES = [
    valid_format,
    run_in_order,
    no_trailing_semicolon,
    errors_are_announced,
    widgets_have_state,
    moving_figures_have_pictures,
    images_are_drawn_and_described,
    sizes,
    few_cells_are_ignored,
    half_of_the_cells_show_what_is_compared,
    nothing_hides_output,
    generated_cells_are_current,
    set_up_comes_first,
    opener_is_short,
    header_is_complete,
    chapter_is_complete,
    predictions_are_right,
    one_address,
    no_folders_of_a_machine,
    references_exist,
    words,
]


def complaints(notebook, stem):
    return [f"{rule.__name__}: {complaint}" for rule in RULES for complaint in rule(notebook, stem)]
