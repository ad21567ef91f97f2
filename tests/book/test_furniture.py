"""What every chapter has around its content: header, predictions, quiz, summary, differences, further reading. Every rule can fail.

The rules of `notebook_rules` hold for any notebook; these hold for chapters. Text alternatives, exercises, the moving figure
and the measured running time are rules there.
"""

import copy
import math
import re
import tomllib
from functools import cache

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from notebook_rules import markdown_cells

from tools.environment import NOTEBOOKS, ROOT
from tools.stamp import TIME_LINE, quiz_cells, reading_minutes, shuffled

CHAPTERS = sorted(path.stem for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
SPECIMEN = "05_encoder"
PREDICTIONS = 6  # in a chapter, at least
CLOSING = [r"Quiz", r"Summary", r"What the \w+ (do|does) differently", r"Further reading"]
WORKS = set(
    re.findall(
        r"\burl\s*=\s*\{(.*?)/?\}", (ROOT / "book" / "references.bib").read_text(encoding="utf-8")
    )
)
each_chapter = pytest.mark.parametrize("stem", CHAPTERS)


@cache
def read(stem):
    return nbformat.read(NOTEBOOKS / f"{stem}.ipynb", 4)


def sections(notebook):
    """Heading of level 2 -> the Markdown below it."""
    text = "\n\n".join(cell.source for cell in markdown_cells(notebook))
    parts = re.split(
        r"^## (.+)$",
        re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL),
        flags=re.MULTILINE,
    )
    return dict(zip(parts[1::2], parts[2::2]))


def section(notebook, pattern):
    """The section whose heading fits; without text if there is none."""
    return next(
        (text for heading, text in sections(notebook).items() if re.fullmatch(pattern, heading)), ""
    )


def items(text):
    return re.findall(r"^(?:[-*]|\d\.) (.+(?:\n {2,}.+)*)", text, re.MULTILINE)


# ---------------------------------------------------------------- the rules


def says_what_it_teaches(notebook, stem):
    found = re.search(
        r"After this chapter you can\n\n((?:[-*] .+\n(?:  .+\n)*)+)", notebook.cells[0].source
    )
    if not found or len(items(found[1])) < 3:
        yield "the header does not say 'After this chapter you can', with at least three points"


def says_what_it_needs(notebook, stem):
    needs = re.search(
        r"^\*\*What you need first\*\* · (.+(?:\n.+)*)", notebook.cells[0].source, re.MULTILINE
    )
    chapters = re.findall(r"\]\((\d\d)_\w+\.ipynb\)", needs[1]) if needs else []
    if not needs or not (chapters or "No chapter comes before" in needs[1]):
        yield "the header does not say `**What you need first** · `, with a link to the chapters"
    if late := [chapter for chapter in chapters if int(chapter) >= int(stem[:2])]:
        yield f"what a chapter needs first comes before it, but it names chapter {', '.join(late)}"


def asks_before_it_runs(notebook, stem):
    """A prediction is a question about the next thing that is run, and that shows something."""
    predictions = [
        i
        for i, cell in enumerate(notebook.cells)
        if cell.cell_type == "markdown"
        and re.search(r"^> \*\*Predict\*\* · \S", cell.source, re.MULTILINE)
    ]
    if len(predictions) < PREDICTIONS:
        yield f"{len(predictions)} predictions; at least {PREDICTIONS} are wanted"
    for i in predictions:
        asked = notebook.cells[i].source
        if re.search(r"^#", asked[asked.rindex("> **Predict**") :], re.MULTILINE):
            yield f"a heading between the question and its answer: {asked[-60:]!r}"
        following = notebook.cells[i + 1 : i + 4]
        end = next(
            (
                j
                for j, cell in enumerate(following)
                if cell.cell_type == "markdown"
                and re.search(r"^(#|> \*\*Predict)", cell.source, re.MULTILINE)
            ),
            3,
        )
        if not any(cell.cell_type == "code" and cell.outputs for cell in following[:end]):
            yield f"nothing that is run answers the prediction: {asked[asked.rindex('> **Predict**') :][:60]!r}"


def numbers_its_exercises_in_order(notebook, stem):
    tasks = [
        cell.source
        for cell in notebook.cells
        if cell.metadata.get("minibert", {}).get("part") == "task"
    ]
    found = [re.match(r"### Exercise ([\d.]+)", task)[1] for task in tasks]
    if found != [f"{int(stem[:2])}.{i}" for i in range(1, len(tasks) + 1)]:
        yield f"the exercises stand in the order {', '.join(found)}; sort EXERCISES in minibert/course/exercises/ch{stem}.py as the chapter shows them"


def closes_like_the_others(notebook, stem):
    last = list(sections(notebook))[-len(CLOSING) :]
    if not all(re.fullmatch(pattern, heading) for pattern, heading in zip(CLOSING, last)):
        yield f"a chapter ends with {', '.join(CLOSING)}; this one with {', '.join(last)}"


def quiz_is_whole(notebook, stem):
    """Five questions, each option with its letter and its explanation, exactly one of them right, as the page shows it."""
    cells = [
        cell
        for cell in notebook.cells
        if cell.metadata.get("minibert", {}).get("generated") == "quiz"
    ]
    questions = (
        re.split(r"^\*\*Question \d\.\*\* ", cells[0].source, flags=re.MULTILINE)[1:]
        if cells
        else []
    )
    if len(questions) != 5:
        yield f"{len(questions)} questions; five are wanted"
    for question in questions:
        options = re.findall(
            r"<details><summary>([A-F])\. (.+?)</summary>\n\n(Right|No)\. (.{20,}?)\n\n</details>",
            question,
            re.DOTALL,
        )
        if question.count("<details>") != len(options) or [
            letter for letter, *_ in options
        ] != list("ABCD"[: len(options)]):
            yield f"an option without its letter or its explanation: {question[:60]!r}"
        if [verdict for *_, verdict, _ in options].count("Right") != 1:
            yield f"not exactly one option is right: {question[:60]!r}"


def sums_up_in_five_lines(notebook, stem):
    lines = items(section(notebook, "Summary"))
    if len(lines) != 5:
        yield f"the summary has {len(lines)} points; five are wanted"
    for line in lines:
        if len(line.split()) > 60:
            yield f"a point of the summary with {len(line.split())} words is no line: {line[:60]!r}"


def says_what_differs_and_why(notebook, stem):
    rows = re.findall(r"^\|.+\|$", section(notebook, CLOSING[2]), re.MULTILINE)
    if len(rows) < 2 + 4 or not rows[0].endswith("why |"):
        yield "what the original does differently wants a table with four rows, whose last column ends in 'and why'"


def leads_on(notebook, stem):
    entries = items(section(notebook, "Further reading"))
    if len(entries) < 4 or not all("](" in entry for entry in entries):
        yield f"further reading has {len(entries)} entries; four are wanted, each with a link"
    unknown = [
        url
        for entry in entries
        for url in re.findall(r"\]\((https?://[^)]+)\)", entry)
        if url.rstrip("/") not in WORKS
    ]
    if unknown:
        yield f"further reading that book/references.bib does not know: {', '.join(unknown)}"


RULES = [
    says_what_it_teaches,
    says_what_it_needs,
    asks_before_it_runs,
    numbers_its_exercises_in_order,
    closes_like_the_others,
    quiz_is_whole,
    sums_up_in_five_lines,
    says_what_differs_and_why,
    leads_on,
]


@each_chapter
def test_chapter_has_all_its_furniture(stem):
    notebook = read(stem)
    assert not [
        f"{rule.__name__}: {complaint}" for rule in RULES for complaint in rule(notebook, stem)
    ]


# ---------------------------------------------------------------- every rule can fail


def change(notebook, pattern, replacement):
    """Change the first text of an author or a tool that fits."""
    for cell in markdown_cells(notebook):
        if re.search(pattern, cell.source, re.MULTILINE):
            cell.source = re.sub(pattern, replacement, cell.source, count=1, flags=re.MULTILINE)
            return
    raise AssertionError(f"the specimen has no {pattern}")


def drop_answers(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []


def ask_nothing(notebook):
    notebook.cells = [cell for cell in notebook.cells if "**Predict**" not in cell.source]


def move_to_the_end(notebook, heading):
    cell = next(cell for cell in notebook.cells if cell.source.startswith(heading))
    notebook.cells.remove(cell)
    notebook.cells.append(cell)


MUTATIONS = {
    "says_what_it_teaches": [
        (r"^After this chapter you can$", "Read on."),
        (r"^- write one(.|\n)*?1\.\n|^- (tell|count|write) .*$", ""),
        (r"^- (.|\n)*?(?=\n\n\*\*What)", "- learn"),
    ],
    "says_what_it_needs": [
        (r"^\*\*What you need first\*\*", "You need"),
        (r"04_attention\.ipynb", "06_bert.ipynb"),
        (r"^\*\*What you need first\*\*.*$", "**What you need first** · courage"),
    ],
    "asks_before_it_runs": [
        ask_nothing,
        (r"^(> \*\*Predict\*\*.*)$", r"\1\n\n## Meanwhile"),
        drop_answers,
    ],
    "numbers_its_exercises_in_order": [
        (r"^### Exercise 5\.1", "### Exercise 5.2"),
        (r"^### Exercise 5\.4", "### Exercise 5.5"),
    ],
    "closes_like_the_others": [
        (r"^## Quiz", "## Questions"),
        (r"^## Further reading", "### Further reading"),
        lambda nb: move_to_the_end(nb, "## Quiz"),
    ],
    "quiz_is_whole": [
        (r"\n\nRight\. ", "\n\nNo. "),
        (r"\n\nNo\. ", "\n\nRight. "),
        (r"<summary>B\.", "<summary>A."),
        (r"\n\nNo\. .*\n", "\n\nNo. So.\n"),
        (r"^\*\*Question 5\.\*\*", "**And**"),
    ],
    "sums_up_in_five_lines": [
        (r"(## Summary\n\n)1\. .*\n", r"\1"),
        (r"(## Summary\n\n)", r"\1- One more.\n"),
        (r"(## Summary\n\n1\. )", r"\1" + "word " * 60),
    ],
    "says_what_differs_and_why": [
        (r"\| elsewhere, and why \|", "| elsewhere |"),
        (r"^## What the original does differently\n\n", "\\g<0>Nothing.\n\n## More\n\n"),
    ],
    "leads_on": [
        (r"(## Further reading\n\n)(- .*\n)+", r"\1- Nothing.\n"),
        (r"(## Further reading\n\n- \[.*?\]\()https", r"\1http"),
    ],
}


def test_every_rule_has_its_mutations():
    assert set(MUTATIONS) == {rule.__name__ for rule in RULES}


@pytest.mark.parametrize(
    ("rule", "mutation"),
    [(rule, mutation) for rule in RULES for mutation in MUTATIONS[rule.__name__]],
    ids=[f"{rule.__name__}-{i}" for rule in RULES for i, _ in enumerate(MUTATIONS[rule.__name__])],
)
def test_a_rule_can_fail(rule, mutation):
    notebook = copy.deepcopy(read(SPECIMEN))
    assert not list(rule(notebook, SPECIMEN))
    mutation(notebook) if callable(mutation) else change(notebook, *mutation)
    assert list(rule(notebook, SPECIMEN))


# ---------------------------------------------------------------- reading time


def test_reading_time_follows_its_rule():
    """200 words or 20 lines of code a minute, in steps of five minutes; formulas, addresses and exercises are not counted."""
    words, code = new_markdown_cell("word " * 2000), new_code_cell("x = 1\n\n" * 200)
    not_counted = [
        new_markdown_cell("word " * 9000, metadata={"minibert": {"generated": "exercise"}}),
        new_markdown_cell("$a " + "b " * 9000 + "$ `" + "c " * 9000 + "`"),
    ]
    assert [
        reading_minutes(cells)
        for cells in ([words], [code], [words, code], [words, code, *not_counted], [])
    ] == [10, 10, 20, 20, 5]


@each_chapter
def test_reading_time_is_the_counted_one(stem):
    """Counted here in another way: what is left of the text when everything but words is gone; the difference is less than one step."""
    words = lines = 0
    for cell in read(stem).cells:
        if "generated" not in cell.metadata.get("minibert", {}):
            if cell.cell_type == "markdown":
                words += len(
                    re.findall(
                        r"(?<![\w'’.-])[\w'’.,-]*[A-Za-z0-9][\w'’.,-]*",
                        re.sub(
                            r"`+[^`]*`+|\$+[^$]*\$+|\(https?:\S*\)|\(\d\d_\w+\.ipynb\S*\)",
                            "",
                            cell.source,
                        ),
                    )
                )
            else:
                lines += len(re.findall(r"\S.*$", cell.source, re.MULTILINE))
    stated = int(
        re.search(r"reading (\d+) min", TIME_LINE.search(read(stem).cells[0].source)[0])[1]
    )
    assert abs(words / 200 + lines / 20 - stated) < 5


# ---------------------------------------------------------------- what a quiz gives away


def questions():
    return [
        question
        for stem in CHAPTERS
        for question in tomllib.loads(
            (NOTEBOOKS / "quizzes" / f"{stem}.toml").read_text(encoding="utf-8")
        )["question"]
    ]


def surprise(hits, chances):
    """How many standard deviations from its expectation the number of hits lies, where each had its own chance."""
    return (sum(hits) - sum(chances)) / math.sqrt(sum(chance * (1 - chance) for chance in chances))


def test_options_stand_in_an_order_of_their_own():
    question = {
        "ask": "Which?",
        "option": [{"text": text} for text in ("one", "two", "three", "four")],
    }
    order = [option["text"] for option in shuffled(question)]
    assert sorted(order) == ["four", "one", "three", "two"]
    assert order == [
        option["text"] for option in shuffled({**question, "option": question["option"][::-1]})
    ], "it does not depend on the file"
    others = {
        tuple(option["text"] for option in shuffled({**question, "ask": f"Which {i}?"}))
        for i in range(200)
    }
    assert len(others) == 24, "another question, another order: all there are"


@each_chapter
def test_the_page_shows_the_shuffled_options(stem):
    asked = tomllib.loads((NOTEBOOKS / "quizzes" / f"{stem}.toml").read_text(encoding="utf-8"))[
        "question"
    ]
    shown = re.findall(
        r"<summary>[A-D]\. (.+?)</summary>\n\n(Right|No)\.", quiz_cells(stem)[0].source
    )
    assert shown == [
        (option["text"].strip(), "Right" if option.get("right") else "No")
        for question in asked
        for option in shuffled(question)
    ]


@pytest.mark.parametrize("place", range(4), ids="ABCD")
def test_the_place_of_an_option_tells_nothing(place):
    hits = [
        place < len(question["option"]) and bool(shuffled(question)[place].get("right"))
        for question in questions()
    ]
    chances = [
        1 / len(question["option"]) if place < len(question["option"]) else 0
        for question in questions()
    ]
    assert abs(surprise(hits, chances)) < 2.5


@pytest.mark.parametrize("rank", [max, min], ids=["longest", "shortest"])
def test_the_length_of_an_option_tells_nothing(rank):
    """The longest option is right as often as chance has it: authors tend to write the right one with more care. So is the shortest."""
    hits, chances = [], []
    for question in questions():
        lengths = [len(option["text"].strip()) for option in question["option"]]
        extreme = [
            option for option, length in zip(question["option"], lengths) if length == rank(lengths)
        ]
        hits.append(len(extreme) == 1 and bool(extreme[0].get("right")))
        chances.append(1 / len(lengths) if len(extreme) == 1 else 0)
    assert abs(surprise(hits, chances)) < 2


def test_such_a_quiz_would_be_noticed():
    assert (
        surprise([True] * 41 + [False] * 19, [0.285] * 60) > 5
    )  # the longest was right 41 times in 60, once
    assert (
        surprise([True] * 25 + [False] * 35, [0.285] * 60)
        > 2
        > surprise([True] * 20 + [False] * 40, [0.285] * 60)
    )


# ---------------------------------------------------------------- terms


def test_every_term_of_the_glossary_is_explained_somewhere():
    """A chapter or page sets it in italics; the book's extension links it there, see `tests/book/test_pages.py`."""
    lines = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8").splitlines()
    terms = [before for before, line in zip(lines, lines[1:]) if line.startswith(": ")]
    texts = [cell.source for stem in CHAPTERS for cell in markdown_cells(read(stem))]
    texts += [
        path.read_text(encoding="utf-8")
        for path in (ROOT / "book").glob("*.md")
        if path.stem != "glossary"
    ]
    italics = {
        " ".join(found.lower().split()).removesuffix("s")
        for text in texts
        for found in re.findall(r"\*(?!\s)([^*]+)(?<!\s)\*", text)
    }
    names = {
        term: [
            name.removesuffix("s") for name in re.sub(r"\s*\(.*?\)", "", term.lower()).split(", ")
        ]
        for term in terms
    }
    assert [term for term in terms if not italics.intersection(names[term])] == []
