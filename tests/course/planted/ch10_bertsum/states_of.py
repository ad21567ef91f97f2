"""Answers to `states_of` on which its check is tried."""

import torch

from minibert.course.exercises.ch10_bertsum.states_of import all_states
from planted import Answers, named


def states_by_append(cells, x):
    rows = [[] for _ in x.unbind(1)]
    below = list(x.unbind(1))
    for cell in cells:
        state = x.new_zeros(x.size(0), x.size(2))
        for n, vector in enumerate(below):
            state = cell(vector, state)
            rows[n].append(state)
        below = [row[-1] for row in rows]
    return rows


def states_sentence_by_sentence(cells, x):
    states, before = [], [torch.zeros_like(x[:, 0])] * len(cells)
    for vector in x.unbind(1):
        for i, cell in enumerate(cells):
            vector = cell(vector, before[i])
            before = [*before[:i], vector, *before[i + 1 :]]
        states.append(before)
    return states


def states_aliased(cells, x):
    states = [[None] * len(cells)] * x.size(1)
    for i, cell in enumerate(cells):
        state = torch.zeros_like(x[:, 0])
        for n in range(x.size(1)):
            state = cell(x[:, n] if i == 0 else states[n][i - 1], state)
            states[n][i] = state
    return states


def _wrong_states(**mistake):
    return lambda cells, x: [
        list(column.unbind(0)) for column in all_states(cells, x, **mistake).unbind(0)
    ]


states_copied_late = named(
    "states_copied_late",
    lambda cells, x: [list(all_states(cells, x)[-1].unbind(0)) for _ in range(x.size(1))],
)


states_parallel = named("states_parallel", _wrong_states(parallel=True))


states_forgetful = named("states_forgetful", _wrong_states(forget=True))


states_late = named("states_late", _wrong_states(late=True))


states_carried = named("states_carried", _wrong_states(carried=True))


states_backwards = named(
    "states_backwards", lambda cells, x: _wrong_states()(cells, x.flip(1))[::-1]
)


states_by_layer = named(
    "states_by_layer", lambda cells, x: [list(column) for column in zip(*_wrong_states()(cells, x))]
)


states_last_layer = named(
    "states_last_layer",
    lambda cells, x: [[None] * (len(row) - 1) + [row[-1]] for row in _wrong_states()(cells, x)],
)


states_stacked = named("states_stacked", all_states)


def states_in_place(cells, x):
    states = _wrong_states()(cells, x)
    x.zero_()
    return states


states_of_the_bottom = named("states_of_the_bottom", _wrong_states(bottom=True))


states_before = named("states_before", _wrong_states(before=True))


states_of_its_own = named("states_of_its_own", _wrong_states(own=True))


def _stopping(make, below=lambda x, states, i, n: x[:, n] if i == 0 else states[n][i - 1]):
    """A planted wrong answer that ends in an error: other lists, or something else that a layer reads."""

    def wrong(cells, x):
        states = make(x.size(1), len(cells))
        for i, cell in enumerate(cells):
            state = torch.zeros_like(x[:, 0])  # [B, H]
            for n in range(x.size(1)):
                state = cell(below(x, states, i, n), state)  # [B, H]
                states[n][i] = state
        return states

    return wrong


states_without_places = named("states_without_places", _stopping(lambda length, k: [[]] * length))


states_other_way_round = named(
    "states_other_way_round", _stopping(lambda length, k: [[None] * length for _ in range(k)])
)


states_flat = named("states_flat", _stopping(lambda length, k: [None] * length))


states_of_a_document = named(
    "states_of_a_document",
    _stopping(
        lambda length, k: [[None] * k for _ in range(length)],
        lambda x, states, i, n: x[n] if i == 0 else states[n][i - 1],
    ),
)


states_from_nothing = named(
    "states_from_nothing",
    _stopping(
        lambda length, k: [[None] * k for _ in range(length)],
        lambda x, states, i, n: states[n][i - 1],
    ),
)


def states_of_four(cells, x):
    return _wrong_states()(cells, x)[:4]


def states_detached(cells, x):
    return _wrong_states()(cells, x.detach())


ANSWERS = Answers(
    right=(states_by_append, states_sentence_by_sentence),
    wrong={
        states_aliased: "share one inner list",
        states_copied_late: "written into all",
        states_parallel: "layer 1 reads x",
        states_forgetful: "begin at zeros again",
        states_late: "\\*last\\* state of layer 0",
        states_carried: "begins with the last state",
        states_backwards: "from the last sentence to the first",
        states_by_layer: "not 3 lists of 4",
        states_last_layer: "8 of the 12 places",
        states_stacked: "not a Tensor",
        states_in_place: "changes `x`",
        states_of_the_bottom: "layer 2 reads layer 0",
        states_before: r"sentence \*before\*",
        states_of_its_own: "reads its own state",
        states_without_places: "could be filled",
        states_other_way_round: "lists do not have",
        states_flat: "yours are None",
        states_of_a_document: "documents first",
        states_from_nothing: "still None. Layer 0 has nothing",
        states_of_four: "give back 4 lists of 2",
        states_detached: "No gradient",
    },
)
