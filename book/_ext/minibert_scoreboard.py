"""The scoreboard: tables and a picture on book/scoreboard.md, made from benchmarks/logs/scoreboard.json while the book is built.

The page has a marker for each part, such as `<!-- scoreboard: table -->`. Of a column that was not measured yet, the page
says which command measures it.
"""

import json
import re
from html import escape
from pathlib import Path

import log_page

PAGE = "book/scoreboard"
MARKER = re.compile(r"<!-- scoreboard: (\w+) -->")
COLUMNS = {  # as in the log -> the measure, for the head of the table
    "BLiMP": "accuracy",
    "CoLA": "Matthews",
    "SST-2": "accuracy",
    "STS-B": "Spearman",
    "TREC": "accuracy",
    "WNUT17": "F1",
    "masked words": "accuracy",
    "next sentence": "accuracy",
}
SYSTEMS = {  # as in the log -> as in the table
    "minibert-small": "**minibert-small**",
    "minibert-sentences": "minibert-sentences",
    "untrained": "untrained control",
    "bag of words": "bag of words",
    "unigram": "unigram guess",
    "majority": "majority guess",
    "MiniLM": "MiniLM",
    "BERT-Mini": "BERT-Mini (published)",
    "BERT-base": "BERT-base (published)",
}
COMMANDS = {"BLiMP": "blimp", "CoLA": "cola"}  # measured by scoreboard.py itself
BAR, LEFT, WIDTH, ROW = 300, 170, 640, 30  # of the picture: bars, names, all, height of a row
CHANCE = 0.5  # of BLiMP
FEW = 3  # phenomena that are named as the weakest
SAME = 0.01  # a smaller lead over a control counts as none, and so does one within the range of the seeds


def read(root: Path) -> dict[str, dict[str, dict]]:
    """The cells of the table: column -> system -> row of the log."""
    path = root / "benchmarks" / "logs" / "scoreboard.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.is_file() else []
    cells: dict[str, dict[str, dict]] = {column: {} for column in COLUMNS}
    for row in rows:
        if row["seed"] is None:
            column, system = row["variant"].split(", ", 1)
            cells[column][system] = row
    return cells


def missing(cells: dict) -> list[str]:
    """What was not measured yet, as sentences."""
    return [
        f"{column} was not measured yet: `python benchmarks/scoreboard.py --only {group}`."
        for column, group in COMMANDS.items()
        if "minibert-small" not in cells[column]
    ]


def table(cells: dict) -> str:
    """A row for each system, a column for each task."""
    lines = [
        f"| | {' | '.join(f'{column}<br>{measure}' for column, measure in COLUMNS.items())} |",
        "|---|" + "---:|" * len(COLUMNS),
    ]
    for system, name in SYSTEMS.items():
        found = [cells[column].get(system) for column in COLUMNS]
        if any(found):
            lines.append(f"| {name} | {' | '.join(number(cell) for cell in found)} |")
    return "\n\n".join(["\n".join(lines), *missing(cells)])


def number(cell: dict | None) -> str:
    """A score, with the range of its runs below where there are several."""
    if cell is None:
        return ""
    text = f"{cell['score']:.3f}"
    if cell["runs"] > 1 and cell["low"] < cell["high"]:
        text += f"<br><small>{cell['low']:.3f} to {cell['high']:.3f}</small>"
    return text


def budgets(cells: dict) -> str:
    """The published neighbours of BLiMP and what they learned from."""
    lines = [
        "| | accuracy | words of training text | parameters | source |",
        "|---|---:|---|---|---|",
    ]
    for name, cell in ranked(cells["BLiMP"]):
        if cell.get("published"):
            words, parameters = (cell[key] or "not stated" for key in ("words", "parameters"))
            if name == "people":
                words = parameters = ""
            lines.append(
                f"| {name} | {cell['score']:.3f} | {words} | {parameters} | [{cell['note']}]({cell['source']}) |"
            )
    return "\n".join(lines)


def ranked(cells: dict[str, dict]) -> list[tuple[str, dict]]:
    return sorted(cells.items(), key=lambda item: item[1]["score"])


def picture(cells: dict) -> str:
    """BLiMP as bars, from the lowest to the highest."""
    rows = ranked(cells["BLiMP"])
    height = ROW * len(rows) + 46
    parts = []
    for i, (name, cell) in enumerate(rows):
        ours, top = name == "minibert-small", 6 + ROW * i
        colour = (
            "var(--mb-token)"
            if ours
            else "var(--mb-edge)"
            if cell.get("published")
            else "var(--mb-mask)"
        )
        words = cell.get("words") and f"{cell['words']} words"
        note = "this course, 35 million words" if ours else words or ""
        end = LEFT + BAR * cell["score"]
        bold = ' font-weight="700"' if ours else ""
        parts.append(
            f'<text x="{LEFT - 8}" y="{top + 16}" text-anchor="end"{bold}>{escape(name)}</text>'
            f'<rect x="{LEFT}" y="{top}" width="{end - LEFT:.1f}" height="22" rx="3" fill="{colour}"/>'
            f'<text x="{end + 6:.1f}" y="{top + 16}"{bold}>{cell["score"]:.3f}'
            f'<tspan dx="8" font-size="11" font-weight="400" fill="var(--mb-soft)">{escape(note)}</tspan></text>'
        )
    chance = LEFT + BAR * CHANCE
    parts.append(
        f'<line x1="{chance:.1f}" x2="{chance:.1f}" y1="0" y2="{height - 34}" stroke="currentColor" stroke-dasharray="4 4"/>'
        f'<text x="{chance:.1f}" y="{height - 18}" text-anchor="middle" font-size="12">a random choice: {CHANCE}</text>'
    )
    spoken = "; ".join(f"{name} {cell['score']:.3f}" for name, cell in rows)
    drawing = (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" style="max-width: 100%; height: auto" font-size="14" fill="currentColor" '
        f'role="img" aria-label="Bars of the accuracy on BLiMP. {escape(spoken)}.">{"".join(parts)}</svg>'
    )
    caption = (
        "Accuracy on BLiMP. Blue: the model of this course. Yellow: its controls. Grey: published results, with the words "
        "of their training text."
    )
    notes = [sentence for sentence in missing(cells) if sentence.startswith("BLiMP")]
    return "\n\n".join([f"```{{raw}} html\n{drawing}\n```", f"*{caption}*", *notes])


def phenomena(cells: dict) -> str:
    """The accuracy on each phenomenon of BLiMP, ours and published."""
    systems = [name for name, cell in ranked(cells["BLiMP"]) if "phenomena" in cell]
    found = {name: cells["BLiMP"][name]["phenomena"] for name in systems}
    if not found:
        return ""
    lines = ["| phenomenon | " + " | ".join(systems) + " |", "|---|" + "---:|" * len(systems)]
    for name in sorted(next(iter(found.values()))):
        values = " | ".join(f"{found[system][name]:.3f}" for system in systems)
        lines.append(f"| {name.replace('_', ' ')} | {values} |")
    return "\n".join(lines)


def weak(cells: dict) -> str:
    """Where the model is weak: the phenomena that it fails most, and the tasks on which a control is as good or reaches its worst seed."""
    lines = []
    ours = cells["BLiMP"].get("minibert-small")
    if ours:
        worst = sorted(ours["phenomena"].items(), key=lambda item: item[1])[:FEW]
        named = ", ".join(f"{name.replace('_', ' ')} ({value:.3f})" for name, value in worst)
        below = sum(value < CHANCE for value in ours["paradigms"].values())
        lines.append(
            f"- **Grammar.** Its weakest phenomena of BLiMP are {named}. In {below} of the {len(ours['paradigms'])} paradigms "
            "it is below chance, which means that it prefers the ungrammatical sentence."
        )
    for column, systems in cells.items():
        mine = systems.get("minibert-small")
        controls = {
            name: cell
            for name, cell in systems.items()
            if name in ("untrained", "bag of words", "unigram", "majority")
        }
        if mine and controls:
            best = max(controls, key=lambda name: controls[name]["score"])
            score = controls[best]["score"]
            if mine["score"] < score + SAME or mine["low"] <= controls[best]["high"]:
                worse = "is worse than" if mine["score"] < score - SAME else "is no better than"
                seeds = f" (seeds {mine['low']:.3f} to {mine['high']:.3f})" * (mine["runs"] > 1)
                lines.append(
                    f"- **{column}.** It {worse} the {SYSTEMS[best]}: "
                    f"{mine['score']:.3f}{seeds} against {score:.3f}."
                )
    return "\n".join(lines)


PARTS = {
    "table": table,
    "picture": picture,
    "budgets": budgets,
    "phenomena": phenomena,
    "weak": weak,
}


def fill(text: str, root: Path) -> str:
    """The page with every marker replaced by its part."""
    cells = read(root)
    return MARKER.sub(lambda marker: PARTS[marker[1]](cells), text)


def setup(app):
    """Sphinx calls this."""
    return log_page.connect(app, PAGE, fill)
