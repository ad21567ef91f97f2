"""Exercise `mend_program`: task, hints, solution and check."""

import inspect

import torch

from minibert.course.clinic import found_program
from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch13_bug_clinic.common import CHAPTER
from minibert.course.exercises.compare import Mistake, Unforeseen


def mend_program(source):
    """The text of the found program without its bug. source: its text, a str, with the bug in it."""
    wrong = "x.mean(-1, keepdim=True)\n        var = (x - mean).pow(2).mean(-1, keepdim=True)"  # blank: what is wrong, exactly as it stands in the text  # fmt: skip
    right = "x.mean(1, keepdim=True)\n        var = (x - mean).pow(2).mean(1, keepdim=True)"  # blank: what should stand there; the channels are axis 1  # fmt: skip
    return source.replace(wrong, right)


SOURCE = inspect.getsource(found_program)


def outputs(source):
    """What a program's fresh network says of two sentences together, and of the shorter one alone.

    Three tensors: the vectors of the shorter sentence in the batch and alone [S, H], and the scores
    of the batch [B, S, V].
    """
    program = {"__name__": "mended"}
    exec(source, program)
    short, long = ([2, 4, 6, 12, 17, 3], [2, 4, 14, 19, 5, 4, 7, 8, 13, 18, 3])
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        net = program["Net"]()
        ids = program["collate"]([short, long])
        return net.encode(ids)[0, : len(short)], net.encode(ids[:1, : len(short)])[0], net(ids)


def check_mend_program(answer):
    mended = answer(SOURCE)
    if not isinstance(mended, str):
        raise Mistake(
            f"Your function returns a {type(mended).__name__}; expected the text of the program, a str."
        )
    if mended == SOURCE:
        raise Mistake(
            f"The text that you return is the one that you got, all {len(SOURCE.splitlines())} lines: either nothing was replaced, because what you replace does not occur in it, or the new lines are the old ones."
        )
    try:
        together, alone, scores = outputs(mended)
    except Exception as error:
        raise Mistake(
            f"Your program does not run: {type(error).__name__}: {error}. It needs the names Net, collate and train, and a Net with encode."
        ) from error
    right, before = outputs(mend_program(SOURCE))[2], outputs(SOURCE)[2]
    if scores.shape == right.shape and torch.allclose(scores, right, atol=1e-4):
        return
    moved = (together - alone).abs().max().item()
    if scores.shape == right.shape:
        if torch.allclose(scores, before, atol=1e-4):
            raise Mistake(
                f"Your text differs from the program's, but its network computes what it computed before, to within {(scores - before).abs().max():.0e}. What you changed is not the bug."
            )
        for wrong, sentence in known(mend_program):
            if torch.allclose(scores, outputs(wrong(SOURCE))[2], atol=1e-4):
                raise Mistake(sentence.format(moved=moved))
    raise Unforeseen(
        f"A sentence of 6 tokens alone and the same sentence beside one of 11 differ by {moved:.2f} in your program, and its scores are not those of a program without the bug."
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=30,
    title="A bug that nobody has described",
    task="The program above has one bug. It is none of the 54, no symptom is given, and the log does not show it. Find it by measuring: choose a property that a BERT must have, test the whole network for it, and where it fails, test the parts. Then write the function that takes the text of the program and returns it without the bug. The check runs what you return, and compares what the network computes.",
    hints=(
        "Put one short sentence through `net.encode` alone, and again in a batch with a longer one. Compare the two. If they differ, do the same with each part of a block on its own: `net.blocks[0].mix`, `norm1`, and the two convolutions.",
        "The attention is in order, its mask included, although both look unusual. Activations are laid out as (batch, channels, time). A layer norm takes its mean over the channels of one token. Over which axis does `Norm` take it?",
    ),
    paragraph="A program that somebody else wrote",
    solution=mend_program,
    check=check_mend_program,
)
