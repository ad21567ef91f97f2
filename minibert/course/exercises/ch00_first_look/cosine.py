"""Exercise `cosine`: task, hints, solution and check."""

import torch
from torch.overrides import TorchFunctionMode

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch00_first_look.common import (
    CHAPTER,
    cosine,
)
from minibert.course.exercises.compare import (
    Mistake,
    also,
    draw,
    recognise,
)


class NoReadyMadeCosine(TorchFunctionMode):
    """Raises Mistake if torch's own cosine is called inside the block."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function.__name__ == "cosine_similarity":
            raise Mistake(
                "You call torch's own cosine. Write it yourself, with products, sums and lengths."
            )
        return function(*args, **(kwargs or {}))


def first_result(answer, one, other):
    """What the answer returns for two batches [3, 5], without a ready-made cosine."""
    try:
        with NoReadyMadeCosine():
            return answer(one, other)
    except RuntimeError as error:
        if "cannot be multiplied" not in str(error):
            raise
        raise Mistake(
            "For two batches [3, 5], `one @ other` is a matrix product, and the shapes do not fit. A dot product of each row with "
            "its partner multiplies component by component, `one * other`, and sums over the last axis."
        ) from None


def check_cosine(answer):
    one, other = (
        draw(3, 5) + 0.4,
        2 * draw(3, 5, seed=1) - 0.7,
    )  # [3, H], with neither mean 0 nor norm 1
    found, right = first_result(answer, one, other), cosine(one, other)  # [3]
    if isinstance(found, torch.Tensor) and found.shape == one.shape:
        raise Mistake(
            "Two batches of 3 vectors give you [3, 5], a number for every component; sum over the 5 components, and [3] is left."
        )
    if isinstance(found, torch.Tensor) and list(found.shape) == [3, 3]:
        raise Mistake(
            "Two batches of 3 vectors give you [3, 3], every vector with every other; row by row it is [3]: multiply component by component, then sum."
        )
    if isinstance(found, torch.Tensor) and found.dim() == 0:
        raise Mistake(
            "Two batches of 3 vectors give you one number for the whole batch; row by row it is [3]. Without `dim=-1`, a sum or a norm runs over all numbers."
        )
    value, want = (lambda wrong: f"{wrong(one, other)[0]:.2f}"), f"{right[0]:.2f}"
    suspects = [
        (wrong(one, other), sentence.format(value(wrong), want))
        for wrong, sentence in known(cosine)
    ]
    recognise(found, right, suspects, "The cosine")
    for what, a, b in (
        ("two single vectors [5]", one[0], other[0]),
        ("a batch [3, 5] and one vector [5]", one, other[0]),
        ("[3, 1, 5] and [1, 3, 5], all pairs", one[:, None], other[None]),
    ):
        want = cosine(a, b)
        try:
            fits = torch.allclose(answer(a, b), want)
        except (RuntimeError, IndexError, TypeError):
            fits = False
        if not fits:
            raise Mistake(
                f"For two batches you are right, but not for {what}, where the result has the shape {list(want.shape)}: work along the last axis, "
                "dim=-1, with nothing but products and sums, and every shape fits."
            )
    also(
        answer,
        cosine,
        (draw(4, 7).float(), draw(7, seed=1).float()),
        (draw(2, 3, 6), draw(2, 3, 6, seed=1)),
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=5,
    title="The cosine, by hand",
    task="""
            Write the cosine of two vectors: their dot product, divided by both of their lengths. It should work for two vectors [H] and, row by
            row, for two batches [N, H]. Work along the last axis, and it will work for all shapes that PyTorch can combine.
            Do not call a ready-made cosine.
            """,
    hints=(
        "A dot product is a product component by component, then a sum. Over which axis, so that a batch of vectors gives one number per row?",
        "`one.norm(dim=-1)` is the length of every vector along the last axis: [N, H] gives [N].",
    ),
    paragraph="How alike are two vectors?",
    solution=cosine,
    check=check_cosine,
)
