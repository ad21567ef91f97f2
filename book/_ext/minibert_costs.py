"""What pretraining costs: the table and the pictures on book/what_pretraining_costs.md, made from the logs while the book is built.

The page has a marker for each part, such as `<!-- costs: choices -->`. A difference is of the held-out MLM loss, seed by seed:
first the mean, then the lowest and the highest of the seeds.
"""

import json
import re
from html import escape
from pathlib import Path
from statistics import fmean

import log_page

PAGE = "book/what_pretraining_costs"
MARKER = re.compile(r"<!-- costs: (\w+) -->")
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 480, 300, 34, 22, 40, 17  # of a picture, of its labels
CHOICES = [  # what was changed, and in what; the log, the changed run, the run that it is compared with
    (
        "**Five minutes of one core, real text, the teaching shape**",
        [
            ("minibert's code instead of `transformers`", "AdamW", "peer, AdamW"),
            ("Muon instead of AdamW, in `transformers`", "peer, Muon", "peer, AdamW"),
            ("both of these", "best, post-norm", "peer, AdamW"),
            ("pre-norm instead of post-norm", "best, pre-norm", "best, post-norm"),
        ],
    ),
    (
        "**100 seconds of one core, the rest as before**",
        [
            (
                f"{what}",
                f"best, post-norm, {variant}",
                "best, post-norm, a third of the time",
            )
            for what, variant in (
                ("AdamW instead of Muon", "AdamW for Muon"),
                ("30% of the tokens to predict instead of 15%", "30% masked"),
                ("no sequences of 32 tokens at the beginning", "no short rows"),
            )
        ],
    ),
]
SMALL_WORLD = [
    ("5% of the tokens to predict instead of 15%", "mask 5%"),
    ("40% instead of 15%", "mask 40%"),
    ("no next-sentence prediction", "no next sentence"),
    ("batches of 256 instead of 64", "batch 256"),
    ("batches of 32 instead of 64", "batch 32"),
    ("AdamW instead of Muon", "AdamW 1e-2"),
]
CONTESTANTS = [  # of the picture: variant, label, colour, dashes
    ("peer, AdamW", "transformers, AdamW", "var(--mb-edge)", "2 4"),
    ("peer, Muon", "transformers, Muon", "var(--mb-series-2)", "7 4"),
    ("AdamW", "minibert, AdamW", "var(--mb-series-3)", "7 3 2 3"),
    ("best, post-norm", "minibert, Muon", "var(--mb-series-1)", ""),
]


def read(root: Path, name: str) -> dict:
    return json.loads((root / "benchmarks" / "logs" / f"{name}.json").read_text(encoding="utf-8"))


def runs(log: dict, variant: str) -> dict[int | None, dict]:
    """The rows of a variant by seed."""
    return {row["seed"]: row for row in log["rows"] if row["variant"] == variant}


# ---------------------------------------------------------------- the table


def choices(root: Path) -> str:
    """A row for each choice that was measured: how far it moves the loss, and what a step costs."""
    clock, world, norms = (read(root, name) for name in ("equal_time", "small_world", "norms"))
    [seconds] = runs(clock, "seconds per step").values()
    lines = [
        "| what was changed | change of the loss, nats | time of a step |",
        "|---|---|---|",
    ]
    for heading, rows in CHOICES:
        lines.append(f"| {heading} | | |")
        lines += [
            line(what, clock, changed, base, seconds[changed] / seconds[base])
            for what, changed, base in rows
        ]
    lines.append("| **First 800 steps of *minibert-small*, real text, equal steps** | | |")
    lines.append(line("pre-norm instead of post-norm", norms, "pre-norm", "post-norm"))
    lines.append("| **Small world, equal numbers of sequences** | | whole run |")
    for what, variant in SMALL_WORLD:
        times = [
            fmean(row["cpu_seconds"] for row in runs(world, name).values())
            for name in (variant, "base")
        ]
        lines.append(line(what, world, variant, "base", times[0] / times[1]))
    return "\n".join(lines)


def line(what: str, log: dict, changed: str, base: str, time: float | None = None) -> str:
    cell = "" if time is None else f"× {time:.2f}"
    return f"| {what} | {change(log, changed, base)} | {cell} |"


def change(log: dict, changed: str, base: str) -> str:
    """The differences of the seeds that both variants have."""
    left, right = runs(log, changed), runs(log, base)
    found = [left[seed]["mlm_loss"] - right[seed]["mlm_loss"] for seed in left if seed in right]
    if len(found) == 1:
        return f"{signed(found[0])} (one seed)"
    return f"{signed(fmean(found))} <small>({signed(min(found))} to {signed(max(found))})</small>"


def signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


# ---------------------------------------------------------------- the pictures


def clock(root: Path) -> str:
    """The held-out loss over five minutes of one core, four contestants."""
    log = read(root, "equal_time")
    lines = []
    for variant, label, colour, dashes in CONTESTANTS:
        curves = [row["curve"] for row in runs(log, variant).values()]
        points = [
            (at[0][0], [loss for _, loss in at]) for at in zip(*curves, strict=True)
        ]  # seconds, losses of the seeds
        lines.append((f"{label} {fmean(points[-1][1]):.2f}", colour, dashes, points))
    unigram = next(row["unigram_loss"] for row in log["rows"] if "unigram_loss" in row)
    return picture(
        lines,
        level=(unigram, f"unigram guess {unigram:.2f}"),
        across=(0, 300, (0, 75, 150, 225, 300), "seconds of one core"),
        up=(4.6, 7.2, (5, 6, 7), "held-out MLM loss, nats"),
        room=190,
        caption="Held-out loss over five minutes of one core, on real text. Lines are means, and bands reach from the lowest to the highest seed.",
    )


def longer(root: Path) -> str:
    """The held-out loss of minibert-small over the hours of its training."""
    log, hours, lines = read(root, "minibert-small"), 0.0, []
    for number, part in enumerate((*log["before"], log), 1):
        points = [
            (hours + point["seconds"] / 3600, [point["held_out"]["mlm_loss"]])
            for point in part["curve"]
            if "held_out" in point
        ]
        hours += part["curve"][-1]["seconds"] / 3600
        name = f"part {number}: {points[-1][1][0]:.2f}"
        lines.append((name, f"var(--mb-{'edge' if number == 1 else 'series-1'})", "", points))
    unigram = part["curve"][-1]["held_out"]["unigram_loss"]
    return picture(
        lines,
        level=(unigram, f"unigram guess {unigram:.2f}"),
        across=(0, 4.2, (0, 1, 2, 3, 4), "hours on two cores"),
        up=(2.0, 7.2, (2, 3, 4, 5, 6, 7), "held-out MLM loss, nats"),
        room=0,
        caption="Held-out loss over the training of minibert-small. In part 1 every token to predict became [MASK], so its curve does not compare with the others.",
    )


def picture(lines, *, level, across, up, room: int, caption: str) -> str:
    """Curves with their bands: `lines` holds (label, colour, dashes, [(x, values)]), `level` a value and its label, an axis (low, high, ticks, title).

    With `room` for them the labels stand at the right, in the order of the curves, otherwise below the last points, or above where the one before is close.
    """
    right = WIDTH - (room or 12)

    def x(value: float) -> float:
        return LEFT + (right - LEFT) * (value - across[0]) / (across[1] - across[0])

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (up[1] - value) / (up[1] - up[0])

    parts = [f'<text x="0" y="12" fill="var(--mb-soft)">{escape(up[3])}</text>']
    for tick in up[2]:
        parts.append(
            f'<line x1="{LEFT}" x2="{right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="var(--mb-line)"/>'
            f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end" fill="var(--mb-soft)">{tick}</text>'
        )
    for tick in across[2]:
        parts.append(
            f'<text x="{x(tick):.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle" fill="var(--mb-soft)">{tick}</text>'
        )
    parts.append(
        f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 5}" text-anchor="middle" fill="var(--mb-soft)">{escape(across[3])}</text>'
        f'<line x1="{LEFT}" x2="{right}" y1="{y(level[0]):.1f}" y2="{y(level[0]):.1f}" stroke="currentColor" stroke-dasharray="3 3"/>'
        f'<text x="{right}" y="{y(level[0]) - 6:.1f}" text-anchor="end" font-size="12">{escape(level[1])}</text>'
    )
    floor = before = 0.0
    for label, colour, dashes, points in sorted(lines, key=lambda one: -fmean(one[3][-1][1])):
        band = [f"{x(at):.1f},{y(min(values)):.1f}" for at, values in points]
        band += [f"{x(at):.1f},{y(max(values)):.1f}" for at, values in reversed(points)]
        means = " ".join(f"{x(at):.1f},{y(fmean(values)):.1f}" for at, values in points)
        at, values = points[-1]
        if room:
            floor = max(floor + GAP, y(fmean(values)) + 4)
            place = f'x="{right + 8}" y="{floor:.1f}"'
        else:
            beside = x(at) - before < GAP * 6
            height, before = y(fmean(values)) + (-GAP if beside else GAP), x(at)
            place = f'x="{before:.1f}" y="{height:.1f}" text-anchor="end"'
        parts.append(
            f'<polygon points="{" ".join(band)}" fill="{colour}" opacity="0.2"/>'
            f'<polyline points="{means}" fill="none" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dashes}"/>'
            f'<text {place} fill="{colour}" font-weight="600">{escape(label)}</text>'
        )
    spoken = f"{caption} At the end: {'; '.join(label for label, *_ in lines)}; {level[1]}."
    drawing = (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="620" style="max-width: 100%; height: auto" font-size="13" font-family="var(--mb-sans)" fill="currentColor" '
        f'role="img" aria-label="{escape(spoken)}">{"".join(parts)}</svg>'
    )
    return f"```{{raw}} html\n{drawing}\n```\n\n*{caption}*"


PARTS = {"choices": choices, "clock": clock, "longer": longer}


def fill(text: str, root: Path) -> str:
    """The page with every marker replaced by its part."""
    return MARKER.sub(lambda marker: PARTS[marker[1]](root), text)


def setup(app):
    """Sphinx calls this."""
    return log_page.connect(app, PAGE, fill)
