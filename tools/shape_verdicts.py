"""What was seen of the shapes in a run, held against what a source says: `judge`."""

from dataclasses import dataclass, field
from fractions import Fraction
from re import findall, split

from tools.shape_comments import NAME, Shape, Shapes, Source

Sizes = dict[str, int]  # what the letters mean in a call
Measured = tuple  # ("tensor", sizes) | ("list", length, what is in it) | ("other", name of the type) | ("nothing",), which fits everything


@dataclass
class Call:
    """What happened in one call of a function, in its order: ("value", check, Measured), ("loop", first line, last line), ("new", line, Measured)."""

    sizes: Sizes
    events: list[tuple] = field(default_factory=list)


@dataclass
class Verdict:
    """On one file: what is wrong, {line: sentence}; which checks were held against something; which lines made a new tensor and do not say so."""

    wrong: dict[int, str] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    missing: dict[int, str] = field(default_factory=dict)


def judge(source: Source, calls: list[Call]) -> Verdict:
    """Hold what a source says against what happened in some calls."""
    verdict = Verdict()
    for call in calls:
        sizes, made = dict(call.sizes), {}
        for kind, *event in call.events:
            if kind == "loop":
                first, last = event
                for letter in [letter for letter, line in made.items() if first <= line <= last]:
                    del made[letter], sizes[letter]
            elif kind == "new":
                verdict.missing.setdefault(event[0], f"says nothing, and makes {written(event[1])}")
            else:
                check, before = source.checks[event[0]], set(sizes)
                verdict.seen.add(event[0])
                if problem := compare(check.shapes, event[1], sizes):
                    verdict.wrong.setdefault(check.line, problem)
                made |= dict.fromkeys(set(sizes) - before, check.line)
    return verdict


def compare(shapes: Shapes, found: Measured, sizes: Sizes) -> str | None:
    """What is wrong with what was found, None if nothing is; letters that were free are bound in `sizes`."""
    if found[0] == "nothing":
        return None
    alone = tuple(shape for shape in shapes[0] if shape.times == "1") if len(shapes) == 1 else ()
    if found[0] == "tensor":
        right = one_of(alone, tuple(found[1]), sizes)
    else:
        several = [one for one in found[2] if one[0] != "other"] if found[0] == "list" else []
        right = nested(alone, found, sizes) or (
            several and each_fits(shapes, several, found[1], sizes)
        )
    if right:
        return None
    sizes_said = [
        choice
        for some in shapes
        for shape in some
        for choices in (*shape.sizes, (shape.times,))
        for choice in choices
    ]
    letters = sorted({name for size in sizes_said for name in findall(NAME, size)} & set(sizes))
    known = (
        f", where {', '.join(f'{letter} = {sizes[letter]}' for letter in letters)}"
        if letters
        else ""
    )
    said = ", ".join(
        " or ".join(
            ("" if shape.times == "1" else f"{shape.times or 'each'} · ") + str(shape)
            for shape in some
        )
        for some in shapes
    )
    return f"says {said}{known}, and is {written(found)}"


def one_of(some: tuple[Shape, ...], found: tuple[int, ...], sizes: Sizes) -> bool:
    for shape in some:
        tried = dict(sizes)
        if fits(shape.sizes, found, tried):
            sizes.update(tried)
            return True
    return False


def nested(some: tuple[Shape, ...], found: Measured, sizes: Sizes) -> bool:
    """Lists in lists, as if they were an array."""
    return any(one_of((shape,), lengths(found, len(shape.sizes)), sizes) for shape in some)


def lengths(found: Measured, depth: int) -> tuple[int, ...]:
    if found[0] == "tensor":
        return tuple(found[1])
    if found[0] != "list" or not depth:
        return ()
    return (found[1], *(lengths(found[2][0], depth - 1) if found[2] else ()))


def each_fits(shapes: Shapes, several: list[Measured], length: int, sizes: Sizes) -> bool:
    """Several tensors, one after the other; a single shape is the shape of all of them."""

    def fit(some, one):
        return (
            one_of(some, tuple(one[1]), sizes)
            if one[0] == "tensor"
            else compare((some,), one, sizes) is None
        )

    if len(shapes) == 1:
        times = shapes[0][0].times
        return (times in ("", "1") or size_fits((times,), length, sizes)) and all(
            fit(shapes[0], one) for one in several
        )
    if len(shapes) == len(several) and any(one[0] == "list" for one in several):
        return all(fit(some, one) for some, one in zip(shapes, several))
    at = 0
    for some in shapes:
        times = some[0].times
        count = number(times, sizes) if times else Fraction(len(several) - at - (len(shapes) - 1))
        if (
            count is None
            or at + count > len(several)
            or not all(fit(some, one) for one in several[at : at + int(count)])
        ):
            return False
        at += int(count)
    return at == len(several)


def fits(said: tuple[tuple[str, ...], ...], found: tuple[int, ...], sizes: Sizes) -> bool:
    if ("…",) in said:
        at = said.index(("…",))
        tail = len(said) - at - 1
        if len(found) < at + tail:
            return False
        said, found = said[:at] + said[at + 1 :], found[:at] + found[len(found) - tail :]
    return len(said) == len(found) and all(
        size_fits(choices, size, sizes)
        for choices, size in sorted(zip(said, found), key=lambda pair: len(pair[0]))
    )


def size_fits(choices: tuple[str, ...], found: int, sizes: Sizes) -> bool:
    """Is a number one of the choices? Where none of those that are known fits, one with a single free letter binds it."""
    known = [number(choice, sizes) for choice in choices]
    return found in known or any(
        bind(choice, found, sizes) for choice, value in zip(choices, known) if value is None
    )


def terms(text: str) -> list[tuple[Fraction, list[str]]]:
    """A sum of products: `2 · B + 1` is [(2, ["B"]), (1, [])]."""
    signs = ["+", *findall(r" ([+-]) ", text)]
    result = []
    for sign, term in zip(signs, split(r" [+-] ", text)):
        factor = Fraction(-1 if sign == "-" else 1)
        for division in findall(r"/(\d+)", term):
            factor /= int(division)
        for digits in findall(r"(?<![\w/])\d+", term):
            factor *= int(digits)
        result.append((factor, findall(NAME, term)))
    return result


def number(text: str, sizes: Sizes) -> int | None:
    """What a size is; None where a letter in it is free."""
    total = Fraction(0)
    for factor, names in terms(text):
        for name in names:
            if name not in sizes:
                return None
            factor *= sizes[name]
        total += factor
    return total


def bind(text: str, found: int, sizes: Sizes) -> bool:
    """Give the free letter of a size its number; with two free letters anything fits."""
    free = {name for _, names in terms(text) for name in names} - set(sizes)
    if len(free) > 1:
        return True
    name = free.pop()
    rest = number(text, sizes | {name: 0})
    slope = number(text, sizes | {name: 1}) - rest
    value = (found - rest) / slope if slope else Fraction(-1)
    if value < 0 or value.denominator != 1:
        return False
    sizes[name] = int(value)
    return True


def written(found: Measured) -> str:
    if found[0] == "tensor":
        return str(list(found[1]))
    if found[0] in ("other", "nothing"):
        return f"a {found[1]}" if found[0] == "other" else "None"
    inner = list(dict.fromkeys(map(written, found[2])))
    return f"{found[1]} things" + (f": {', '.join(inner[:6])}" if inner else "")
