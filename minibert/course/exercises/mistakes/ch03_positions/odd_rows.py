"""Wrong answers to `odd_rows` that its check recognises, each with the feedback for it."""

import torch
import torch.nn.functional as F


def cosines(table):
    """The cosine of each row of table [S, H] with the row before and the row after, each [S]."""
    step = F.cosine_similarity(table[:-1], table[1:], dim=1)
    return torch.cat((step[:1], step)), torch.cat((step, step[-1:]))


def lowest(values, count):
    return values.argsort()[:count].tolist()


def most_alike(table, count):
    before, after = cosines(table)
    return (before + after).argsort(descending=True)[:count].tolist()


def highest_last(table, count):
    before, after = cosines(table)
    return (before + after).argsort()[-count:].tolist()


def dot_products(table, count):
    step = (table[:-1] * table[1:]).sum(dim=1)
    return lowest(torch.cat((step[:1], step)) + torch.cat((step, step[-1:])), count)


def row_after_only(table, count):
    return lowest(cosines(table)[1], count)


def row_before_only(table, count):
    return lowest(cosines(table)[0], count)


def in_a_circle(table, count):
    step = F.cosine_similarity(table, table.roll(-1, dims=0), dim=1)
    return lowest(step + step.roll(1), count)


def longest(table, count):
    return lowest(-table.norm(dim=1), count)


def like_all_rows(table, count):
    unit = F.normalize(table, dim=1)
    return lowest((unit @ unit.T).mean(dim=1), count)


KNOWN = (
    (most_alike, "these are the rows that fit best. A low cosine makes a row odd."),
    (highest_last, "these are the rows that fit best. `argsort()` puts the lowest value first."),
    (dot_products, "you take dot products of rows of different length, so short rows look odd. Divide every row by its length."),
    (row_after_only, "you compare with the row after only, so the row before an odd one looks odd, too. Take the mean of both sides."),
    (row_before_only, "you compare with the row before only, so the row after an odd one looks odd, too. Take the mean of both sides."),
    (in_a_circle, "your first row is compared with the last one. They are no neighbours; each has one neighbour only."),
    (longest, "you return the longest rows. A row can be odd at any length, so compare directions."),
    (like_all_rows, "you compare each row with all others. Distant rows may differ; the task asks for neighbours."),
)  # fmt: skip
