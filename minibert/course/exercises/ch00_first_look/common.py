"""Definitions that several exercises of this chapter share."""

CHAPTER = "00_first_look"


def cosine(one, other):
    """How alike the directions of two vectors are, from -1 to 1: [..., H] and [..., H] -> [...]."""
    product = (one * other).sum(dim=-1)  # blank: the dot product along the last axis
    return product / (one.norm(dim=-1) * other.norm(dim=-1))  # blank: divided by both lengths
