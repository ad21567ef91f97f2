"""Exercise `lookup_gradient`: task, hints, solution and check."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch02_embeddings.common import CHAPTER
from minibert.course.exercises.compare import Mistake, recognise


def lookup_gradient(ids, picked_grad, V):
    """ids [n], picked_grad [n, H] -> gradient of the table [V, H]."""
    # blank from here: the whole function, without autograd
    one_hot = F.one_hot(ids, V).to(picked_grad.dtype)  # [n, V]
    return one_hot.T @ picked_grad


def check_lookup_gradient(answer) -> None:
    generator = torch.Generator().manual_seed(5)
    for ids, V, H in (
        ([0, 1, 2, 0, 3], 6, 3),  # a row that is used twice, and two that are not used
        ([4, 4, 4, 1], 5, 2),
        ([2, 0, 1, 3], 8, 4),
    ):
        picked = torch.tensor(ids)  # [n]
        picked_grad = torch.randn(len(ids), H, generator=generator)  # [n, H]
        try:
            found = answer(picked, picked_grad, V)
        except RuntimeError as error:
            if "cannot be multiplied" not in str(error):
                raise
            raise Mistake(
                f"you multiply matrices that do not fit ({error}): the one-hot vectors are [{len(ids)}, {V}] and the gradients [{len(ids)}, {H}], so the first has to be transposed."
            ) from None
        recognise(
            found,
            lookup_gradient(picked, picked_grad, V),
            [
                (wrong(picked, picked_grad, V), sentence.format(ids=ids, n=len(ids)))
                for wrong, sentence in known(lookup_gradient)
            ],
            f"the gradient of a table with {V} rows, picked by {ids},",
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=10,
    title="The gradient of a look-up",
    task="""A look-up has picked the rows `ids` of a table with *V* rows, and the backward pass has arrived at the picked vectors: `picked_grad`
        holds the gradient of the loss with respect to each of them. Write `lookup_gradient(ids, picked_grad, V)`, which returns the
        gradient with respect to the whole table, without autograd. Begin with the forward pass as a product of one-hot vectors with the table, and differentiate the product.""",
    hints=(
        "The picked vectors are Y = O W, with the one-hot vectors in the rows of O and the table W. If G is the gradient of the loss with respect to Y, what is its gradient with respect to W? The shapes leave only one product.",
        "`F.one_hot(ids, V)` gives O as integers, [n, V], so convert it to the dtype of `picked_grad` first. Instead of the product, you can also add each gradient to its row of a table of zeros.",
    ),
    paragraph="A look-up is a matrix product",
    solution=lookup_gradient,
    check=check_lookup_gradient,
)
