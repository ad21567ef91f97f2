"""Answers to `masked_copies` on which its check is tried."""

import torch

from planted import Answers, named


def copies_by_index(ids, mask_id):
    places = torch.arange(len(ids))[1:-1]
    copies = ids.repeat(len(places), 1)
    copies[torch.arange(len(places)), places] = mask_id
    return copies, places


def copies_by_loop(ids, mask_id):
    rows = []
    for place in range(1, len(ids) - 1):
        row = ids.clone()
        row[place] = mask_id
        rows.append(row)
    return torch.stack(rows), torch.arange(1, len(ids) - 1)


def _copies(hide):
    """A planted wrong answer: hide(place [S], at [S - 2, 1], ids [S]) -> what is hidden."""

    def wrong(ids, mask_id):
        at = torch.arange(1, len(ids) - 1)
        hidden = hide(torch.arange(len(ids)), at[:, None], ids).expand(len(at), len(ids))
        return torch.where(hidden, mask_id, ids), at

    return wrong


copies_all_tokens = named(
    "copies_all_tokens",
    lambda ids, mask_id: (
        torch.where(torch.eye(len(ids), dtype=torch.bool), mask_id, ids),
        torch.arange(len(ids)),
    ),
)


copies_cumulative = named(
    "copies_cumulative", _copies(lambda place, at, ids: (place <= at) & (place > 0))
)


copies_left_to_right = named(
    "copies_left_to_right", _copies(lambda place, at, ids: (place >= at) & (place < len(ids) - 1))
)


copies_all_but_one = named(
    "copies_all_but_one",
    _copies(lambda place, at, ids: (place > 0) & (place < len(ids) - 1) & (place != at)),
)


copies_all_hidden = named(
    "copies_all_hidden", _copies(lambda place, at, ids: (place > 0) & (place < len(ids) - 1))
)


copies_one_early = named("copies_one_early", _copies(lambda place, at, ids: place == at - 1))


copies_by_token = named("copies_by_token", _copies(lambda place, at, ids: ids == ids[at]))


copies_nothing = named("copies_nothing", _copies(lambda place, at, ids: place < 0))


copies_places_from_zero = named(
    "copies_places_from_zero",
    lambda ids, mask_id: (copies_by_loop(ids, mask_id)[0], torch.arange(len(ids) - 2)),
)


def copies_in_place(ids, mask_id):
    copies, places = copies_by_loop(ids, mask_id)
    ids[-2] = mask_id
    return copies, places


copies_as_floats = named(
    "copies_as_floats",
    lambda ids, mask_id: (copies_by_loop(ids, mask_id)[0].float(), copies_by_loop(ids, mask_id)[1]),
)


copies_of_103 = named("copies_of_103", lambda ids, mask_id: copies_by_loop(ids, 103))


ANSWERS = Answers(
    right=(copies_by_index, copies_by_loop),
    wrong={
        copies_all_tokens: r"7 copies for 5 words",
        copies_cumulative: r"more and more",
        copies_left_to_right: r"all that follows",
        copies_all_but_one: r"every word but one",
        copies_all_hidden: r"all 5 words at once",
        copies_one_early: r"too early",
        copies_by_token: r"hide both at once",
        copies_nothing: r"Nothing is hidden",
        copies_places_from_zero: r"your places are \[0",
        copies_in_place: r"changes `ids`",
        copies_as_floats: r"torch\.float32, where torch\.int64",
        copies_of_103: r"you have 103",
    },
)
