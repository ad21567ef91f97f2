"""Exercise `first_difference`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch06_bert.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def first_difference(ours, theirs, real, tolerance=1e-5):
    """The name of the first output that differs, or None.

    ours and theirs are dicts, name -> tensor; real, B × S, is True
    at the real tokens; tolerance is a share of an output's size. If
    no name is in both: a ValueError.
    """
    # blank from here: the comparison
    if not ours.keys() & theirs.keys():
        raise ValueError("the two have no name in common, so there is nothing to compare")
    for name, output in ours.items():
        if name not in theirs:
            continue
        other = theirs[name]
        if output.shape != other.shape:
            return name
        # a vector for each token, and not one for each text
        if output.dim() > 2 and output.shape[:2] == real.shape:
            output, other = output[real], other[real]
        # each vector by itself: in the norm of the whole output one wrong token hardly counts
        errors, sizes = (output - other).norm(dim=-1), other.norm(dim=-1)
        # a comparison with NaN is False, so NaN is a difference
        if not (errors <= tolerance * sizes).all():
            return name
    return None


# the outputs of a small model in the order in which its modules finish, and the size of their numbers
OUTPUTS = {
    "embeddings.word_embeddings": 0.01,
    "embeddings.LayerNorm": 1.0,
    "embeddings": 1.0,
    "encoder.layer.0.attention.self": 0.5,
    "encoder.layer.0.output.dense": 100.0,
    "encoder.layer.0": 1.0,
    "pooler": 0.1,
    "last_hidden_state": 1.0,
    "pooler_output": 0.1,
}
SMALL, MIDDLE, _, LATER, LARGE, *_ = OUTPUTS  # the first two and the last by their numbers


def _outputs():
    """Name -> output of a reference, and the mask of its two texts."""
    generator = torch.Generator().manual_seed(0)
    real = torch.tensor([[1] * 7, [1] * 5 + [0] * 2]).bool()  # [B, S]
    return {
        name: size * torch.randn((2, 12) if "pooler" in name else (2, 7, 12), generator=generator)
        for name, size in OUTPUTS.items()
    }, real


def _changed(theirs, names, by):
    """The same outputs, of which some are changed by a share of their size."""
    generator = torch.Generator().manual_seed(1)
    return {
        name: output + by * OUTPUTS[name] * torch.randn(output.shape, generator=generator)
        if name in names
        else output.clone()
        for name, output in theirs.items()
    }


def check_first_difference(answer):
    theirs, real = _outputs()

    def expect(right, ours, what, hint="", other=theirs, mask=real, **tolerance):
        try:
            found = answer(dict(ours), dict(other), mask, **tolerance)
        except IndexError as error:
            raise Mistake(
                f"Your function stops with IndexError ({error}). The mask [B, S] selects tokens; an output such as the pooler's [B, H] has none, so compare it whole."
            ) from None
        if found is not None and not isinstance(found, str):
            raise Mistake(f"You return {found!r}; expected is the name of an output, or None.")
        if found != right:
            raise Mistake(f"{what} Expected is {right!r}, and you return {found!r}.{hint}")

    expect(None, theirs, "Both models give the same outputs.")
    _check_names(answer, theirs, real)
    _check_rounding(expect, theirs)
    _check_faults(expect, theirs)
    _check_padding(expect, theirs, real)
    _check_special(expect, theirs)
    _check_tolerance(expect, theirs)
    _check_one_token(expect)
    _check_nothing_shared(answer, theirs, real)


def _check_names(answer, theirs, real):
    """One of the two has an output that the other lacks."""
    longer = {"embeddings.extra": torch.ones(2, 7, 12), **theirs}
    for ours, other, owner in ((longer, theirs, "ours"), (theirs, longer, "theirs")):
        try:
            found = answer(dict(ours), dict(other), real)
        except (KeyError, AttributeError, TypeError) as error:
            raise Mistake(
                f"Only {owner} has an output embeddings.extra here, and your function stops with {type(error).__name__}: skip such names."
            ) from None
        if found is not None:
            raise Mistake(
                f"Only {owner} has an output embeddings.extra here; every other output is the same, and you return {found!r}."
            )


def _check_rounding(expect, theirs):
    """5e-6 of an output's size is rounding, however large its numbers are."""
    for share in ("1e-6", "5e-6"):
        expect(
            None,
            {**theirs, MIDDLE: theirs[MIDDLE] * (1 + float(share))},
            f"Each number of {MIDDLE} differs by {share} of itself, as after rounding.",
            " A difference of at most 5e-6 has to pass.",
        )
    for name, hint in (
        (
            MIDDLE,
            " Rounding changes a number by a share of the size of the whole output, so numbers near 0 may change by much of their own size.",
        ),
        (LARGE, " Of 100, 1e-6 is 0.0001: make your tolerance relative."),
    ):
        expect(
            None,
            _changed(theirs, (name,), 1e-6),
            f"{name} has numbers of about {OUTPUTS[name]:g} here, and they differ by about 1e-6 of that, as rounding does.",
            hint,
        )


def _check_faults(expect, theirs):
    """A fault of 1e-4; the chapter's change the hidden states by 4e-4 and more."""
    later = list(theirs)[3:]
    for name, hint in (
        (
            SMALL,
            " Your tolerance is too large for the size of that output: measure the difference in relation to it.",
        ),
        (
            "pooler_output",
            " It has a vector for each text, and no tokens to select: compare it whole.",
        ),
    ):
        expect(
            name,
            _changed(theirs, (name,), 1e-4),
            f"{name} has numbers of about {OUTPUTS[name]:g} here, and they differ by 1e-4 of that.",
            hint,
        )
    expect(
        LATER,
        {**theirs, LATER: theirs[LATER] - 1},
        f"All numbers of {LATER} are too small by 1.",
        " A negative difference is one too: take its absolute value or its square.",
    )
    order = " Take the first in the order of ours, which is the order in which your modules finish."
    several = _changed(theirs, later, 0.1)
    expect(LATER, several, f"{LATER} and all outputs after it differ.", order)
    other = dict(reversed(theirs.items()))
    expect(LATER, several, "Here theirs has its names in another order.", order, other=other)


def _check_padding(expect, theirs, real):
    """Nothing reads the vectors at padding."""
    hidden = ~real[..., None]  # [B, S, 1]
    for value in (5.0, torch.nan):
        ours = {
            name: output.masked_fill(hidden, value) if output.dim() == 3 else output
            for name, output in theirs.items()
        }
        expect(
            None,
            ours,
            "The two models differ at padding only, which nothing reads.",
            " Compare the real tokens.",
        )
        if value == 5.0:
            expect(
                SMALL,
                ours,
                "Here all tokens are real, and the last two of the second text differ.",
                mask=torch.ones_like(real),
            )
    large = {**theirs, MIDDLE: theirs[MIDDLE].masked_fill(hidden, 1e6)}
    expect(
        MIDDLE,
        _changed(large, (MIDDLE,), 1e-4),
        f"{MIDDLE} has numbers of a million at padding, and its real tokens, of about 1, differ by 1e-4.",
        " Measure the size of the output at the real tokens as well.",
        other=large,
    )


def _check_special(expect, theirs):
    """NaN, another shape, and an output that is 0."""
    broken = theirs[MIDDLE].clone()
    broken[0, 0, 0] = torch.nan
    expect(
        MIDDLE,
        {**theirs, MIDDLE: broken},
        f"One number of {MIDDLE} is NaN at a real token.",
        " NaN > 1e-5 is False: ask whether the difference is small, and take everything else for a difference.",
    )
    same = {**theirs, "last_hidden_state": theirs["last_hidden_state"][:1].expand(2, -1, -1)}
    expect(
        "last_hidden_state",
        {**same, "last_hidden_state": same["last_hidden_state"][:1]},
        "Our last_hidden_state is [1, S, H] and theirs is [2, S, H], with equal numbers, so that a comparison broadcasts.",
        " Compare the shapes first.",
        other=same,
    )
    zero = {**theirs, MIDDLE: 0 * theirs[MIDDLE]}
    expect(
        None,
        zero,
        f"{MIDDLE} is 0 everywhere in both models.",
        " 0 divided by 0 is NaN: multiply the size by the tolerance instead.",
        other=zero,
    )


def _check_tolerance(expect, theirs):
    """The tolerance is that of the caller, and float64 stays float64."""
    expect(
        None,
        _changed(theirs, (MIDDLE,), 1e-4),
        f"{MIDDLE} differs by 1e-4 of its size, and the call says tolerance=1e-2.",
        " Use the argument, and no constant.",
        tolerance=1e-2,
    )
    precise = {name: output.double() for name, output in theirs.items()}
    ours = {**precise, MIDDLE: precise[MIDDLE] * (1 + 1e-9)}
    expect(
        MIDDLE,
        ours,
        f"In float64 {MIDDLE} differs by 1e-9 of its size, and the call says tolerance=1e-11.",
        " Use the argument, and compute in the outputs' own dtype.",
        other=precise,
        tolerance=1e-11,
    )


def _check_one_token(expect):
    """One wrong token among many has to be found."""
    generator = torch.Generator().manual_seed(2)
    other = torch.randn(4, 300, 12, generator=generator)  # [B, S, H]
    real = torch.ones(4, 300).bool()  # [B, S]
    ours = other.clone()
    ours[2, 150] += 1e-4 * other[2, 150].flip(0)
    expect(
        MIDDLE,
        {MIDDLE: ours},
        f"The vector of one token of {real.numel()} in {MIDDLE} differs by 1e-4 of its size.",
        " The norm or the mean over the whole output dilutes such a difference: measure each token by itself.",
        other={MIDDLE: other},
        mask=real,
    )


def _check_nothing_shared(answer, theirs, real):
    """None would say that everything agrees, although nothing was compared."""
    ours = {f"bert.{name}": output for name, output in theirs.items()}
    try:
        found = answer(ours, dict(theirs), real)
    except ValueError:
        return
    raise Mistake(
        f"Here every name of ours begins with 'bert.', so ours and theirs have no name in common, and you return {found!r}: expected is a ValueError, since nothing was compared."
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=20,
    title="Find the first wrong output",
    solution=first_difference,
    check=check_first_difference,
    task="""Write the comparison. `ours` and `theirs` are two results of `record`. Go through the outputs in the order of `ours`, and return the name of the first that differs, or None. Skip names that only one of the two has. If no name is left, raise a `ValueError`, because None would report that two models agree although nothing was compared.

- **Mask**: `real` is a boolean tensor `[B, S]`. Compare an output with a vector for each token, `[B, S, …]`, at the real tokens only, and any other output whole. (The pooler's is `[B, H]`.)
- **Tolerance**: it is relative to the size of what you compare, because in the check some outputs have numbers of about 100 and others of about a hundredth. How you measure the difference is up to you. Your function must notice when one token's vector in a thousand is off by ten times the tolerance, and must accept a difference of half the tolerance.""",
    hints=(
        "What would a fixed tolerance of 0.001 say about numbers of about 100, and about numbers of about a hundredth? What would a tolerance relative to each single number say where that number is nearly 0?",
        "Try your comparison on three small cases: a NaN in ours, two outputs that are 0 everywhere, and the shapes [1, S, H] and [2, S, H]. What do `>`, `/` and `-` return there, and what should your function say?",
    ),
    paragraph="Compare with a reference, output by output",
)
