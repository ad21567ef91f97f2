"""Wrong answers to `longer_table` that its check recognises, each with the feedback for it."""

import torch
import torch.nn.functional as F


def rows_twice(weight, length):
    copies = -(-length // len(weight))
    return weight.repeat_interleave(copies, dim=0)[:length]


def stretched(weight, length):
    stretched = F.interpolate(weight.T[None], size=length, mode="linear", align_corners=True)
    return stretched[0].T


def last_row_for_the_rest(weight, length):
    return weight[torch.arange(length).clamp(max=len(weight) - 1)]


def zeros_for_the_rest(weight, length):
    return torch.cat((weight, weight.new_zeros(length - len(weight), weight.size(1))))


def mirrored(weight, length):
    copies = -(-length // (2 * len(weight)))
    return torch.cat((weight, weight.flip(0))).repeat(copies, 1)[:length]


def begins_at_row_one(weight, length):
    index = torch.arange(length)
    later = (index - len(weight)) % (len(weight) - 1) + 1
    return weight[torch.where(index < len(weight), index, later)]


def from_the_end(weight, length):
    copies = -(-length // len(weight))
    return weight.repeat(copies, 1)[-length:]


KNOWN = (
    (
        rows_twice,
        "Each of your rows comes several times in a row, so position 1 has the vector of position 0, and texts that the model could read get other vectors. Repeat the whole table, not each row.",
    ),
    (
        stretched,
        "You stretch the table over the new length, so nearly every position of a short text gets another vector than in training. The first rows must stay as they are.",
    ),
    (
        last_row_for_the_rest,
        "All your new rows are copies of the last one, so no two of the new positions differ.",
    ),
    (zeros_for_the_rest, "All your new rows are zero, so no two of the new positions differ."),
    (
        mirrored,
        "Your copy runs backwards: the row after the last one is the last one again, and then they go down. Begin again with row 0.",
    ),
    (begins_at_row_one, "Your copies begin with row 1, and row 0 is left out of them."),
    (
        from_the_end,
        "You cut off the beginning, not the end: your row 0 is not row 0 of the old table, so every text gets other vectors.",
    ),
)
