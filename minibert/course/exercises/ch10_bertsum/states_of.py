"""Exercise `states_of`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch10_bertsum.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    expect_tensor,
    recognise,
)


def states_of(cells, x):
    """Run a recurrent network of k layers over the N sentences of a document; keep every state.

    cells: k functions (input [B, H], state [B, H]) -> the next state [B, H]; layer 0 reads x [B, N, H], layer i reads the states of
    layer i - 1. All begin at zeros. -> for each sentence a list of its k states [B, H].
    """
    length, k = x.size(1), len(cells)
    states = [[None] * k for _ in range(length)]  # blank: for each of `length` sentences a list of k places  # fmt: skip
    for i, cell in enumerate(cells):
        state = torch.zeros_like(x[:, 0])  # [B, H]
        for n in range(length):
            below = x[:, n] if i == 0 else states[n][i - 1]  # blank: [B, H], what layer i reads at sentence n  # fmt: skip
            state = cell(below, state)  # [B, H]
            states[n][i] = state
    return states


def _cells():
    generator = torch.Generator().manual_seed(0)
    maps = [
        0.5 * torch.randn(2, 3, 3, generator=generator, dtype=torch.float64) for _ in range(3)
    ]  # [input or state, H, H]

    def cell(pair):
        return lambda below, state: torch.tanh(below @ pair[0] + state @ pair[1])  # [B, H]

    return [cell(pair) for pair in maps]


def check_states_of(answer):
    cells, x = _cells(), torch.randn(2, 4, 3, dtype=torch.float64)  # x [B, N, H]
    try:
        found = answer(cells, x)
    except IndexError as error:
        if "assignment" in str(error):
            raise Mistake(
                "Your lists have no places that could be filled: for each of the 4 sentences there is to be a list [None] * k, not []."
            ) from None
        raise Mistake(
            "A place is looked up that your lists do not have: there are to be 4 lists, one for each sentence, with 3 places each, one for each layer, states[n][i]."
        ) from None
    except TypeError as error:
        if "item assignment" in str(error):
            raise Mistake(
                "Each of the 4 entries of `states` is to be a list with a place for each layer; yours are None."
            ) from None
        if "NoneType" in str(error):
            raise Mistake(
                "A layer reads a place that is still None. Layer 0 has nothing below it and reads x; layer i reads states[n][i - 1], which layer i - 1 has filled."
            ) from None
        raise
    except RuntimeError as error:
        if "size of tensor" in str(error):
            raise Mistake(
                f"What a cell reads does not fit its state: x is {list(x.shape)}, documents first; sentence n of all documents is x[:, n], of shape [2, 3]."
            ) from None
        raise
    if (
        not isinstance(found, list | tuple)
        or len(found) != 4
        or not all(isinstance(row, list | tuple) and len(row) == 3 for row in found)
    ):
        shape = (
            f"{len(found)} lists of {len(found[0])}"
            if isinstance(found, list) and found and isinstance(found[0], list | tuple)
            else f"a {type(found).__name__}"
        )
        raise Mistake(
            f"For 4 sentences and 3 layers states_of should give back 4 lists of 3 states, not {shape}."
        )
    if any(state is None for row in found for state in row):
        raise Mistake(
            f"{sum(state is None for row in found for state in row)} of the 12 places of your lists are still None."
        )
    for row in found:
        for state in row:
            expect_tensor(state, (2, 3), "each state")
    right = all_states(cells, x)  # [N, k, B, H]
    mine = torch.stack([torch.stack(list(row)) for row in found])  # [N, k, B, H]
    last = torch.stack([right[-1]] * 4)  # [N, k, B, H]
    shared = all(row is found[0] for row in found)
    if shared:
        raise Mistake(
            f"All 4 sentences share one inner list, so each has the states of sentence 3, {found[0][1][0, 0]:.2f} first. `[row] * length` repeats the *name*, not the list."
        )
    # where the states of sentence 0 differ most
    at = tuple(torch.unravel_index((mine - right)[0].abs().argmax(), right.shape[1:]))
    recognise(
        mine,
        right,
        [
            (
                last,
                f"Every sentence has the last states, {mine[0, 1, 0, 0]:.2f} first: what was written for sentence 3 was written into all.",
            ),
            (
                all_states(cells, x, parallel=True),
                f"Your layer 1 reads x, as layer 0 does; it should read the states of layer 0, at the same sentence: then sentence 0 has {right[0, 1, 0, 0]:.2f} first, where you have {mine[0, 1, 0, 0]:.2f}.",
            ),
            (
                all_states(cells, x, forget=True),
                f"At every sentence you begin at zeros again, so sentence 3 knows nothing of sentence 2: its first number is {mine[3, 0, 0, 0]:.2f}, with a memory it is {right[3, 0, 0, 0]:.2f}.",
            ),
            (
                all_states(cells, x.flip(1)).flip(0),
                f"You run from the last sentence to the first: sentence 0 then knows all others, and has {mine[0][at]:.2f} where {right[0][at]:.2f} is right.",
            ),
            (
                all_states(cells, x, late=True),
                f"Your layer 1 reads the *last* state of layer 0 at every sentence: at sentence 0 it has {mine[0, 1, 0, 0]:.2f} first, and {right[0, 1, 0, 0]:.2f} is right.",
            ),
            (
                all_states(cells, x, bottom=True),
                f"Your layer 2 reads layer 0; it should read layer 1: then sentence 0 has {right[0, 2, 0, 0]:.2f} first, where you have {mine[0, 2, 0, 0]:.2f}.",
            ),
            (
                all_states(cells, x, before=True),
                f"Your layer 1 reads layer 0 at the sentence *before*; it should read it at the same: then sentence 3 has {right[3, 1, 0, 0]:.2f} first, where you have {mine[3, 1, 0, 0]:.2f}.",
            ),
            (
                all_states(cells, x, own=True),
                f"Your layer 1 reads its own state and nothing from below: sentence 0 has {mine[0, 1, 0, 0]:.2f} first, and {right[0, 1, 0, 0]:.2f} is right.",
            ),
            (
                all_states(cells, x, carried=True),
                f"Your layer 1 begins with the last state of layer 0 instead of zeros: {mine[0, 1, 0, 0]:.2f} first, where {right[0, 1, 0, 0]:.2f} is right.",
            ),
        ],
        "your result, as a tensor [N, k, B, H],",
        1e-9,
    )
    short = torch.randn(1, 6, 3, dtype=torch.float64, requires_grad=True)  # [B, N, H]
    again = answer(cells[:2], short)
    if [len(again), len(again[0])] != [6, 2]:
        raise Mistake(
            f"For 4 sentences and 3 layers you are right; for 6 sentences and 2 layers you give back {len(again)} lists of {len(again[0])}. Take the numbers from x and cells."
        )
    if not again[-1][-1].requires_grad:
        raise Mistake(
            "No gradient goes from your states back to x, so what stands before the network would never learn: no detach, no torch.no_grad."
        )


def all_states(
    cells,
    x,
    parallel=False,
    forget=False,
    late=False,
    carried=False,
    bottom=False,
    before=False,
    own=False,
):
    """All states [N, k, B, H], correct or with one mistake."""
    below, columns, state = list(x.unbind(1)), [], torch.zeros_like(x[:, 0])
    for cell in cells:
        state, column = (state if carried else torch.zeros_like(x[:, 0])), []
        for vector in below:
            state = cell(
                state if own and columns else vector, torch.zeros_like(state) if forget else state
            )
            column.append(state)
        columns.append(column)
        below = (
            below
            if parallel
            else [column[-1]] * len(column)
            if late
            else columns[0]
            if bottom
            else [column[-1], *column[:-1]]
            if before
            else column
        )
    return torch.stack([torch.stack(column) for column in columns], dim=1)


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=10,
    title="A list for every step",
    solution=states_of,
    check=check_states_of,
    task="Mend the original's recurrent network: keep the states of all layers at all sentences, so that no sentence overwrites another's.",
    hints=(
        "`[row] * length` makes a list with `length` names of *one* row. What makes a new row each time?",
        "A list comprehension: `[[None] * k for _ in range(length)]`. Layer 0 reads `x[:, n]`, every other layer what the one below it has stored for sentence n.",
    ),
    paragraph="First finding: one list, many names",
)
