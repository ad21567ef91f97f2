"""Answers to `logits_in_two_parts` on which its check is tried."""

import torch

from planted import Answers, named


def parts_by_einsum(vectors, recurrent, weight, bias):
    return torch.einsum("bnh,h->bn", vectors, weight), torch.einsum(
        "bh,h->b", recurrent, weight
    ).add(bias).reshape(-1, 1)


def parts_by_difference(vectors, recurrent, weight, bias):
    logits = ((vectors + recurrent.unsqueeze(1)) * weight).sum(dim=-1) + bias
    own = (vectors * weight).sum(dim=-1)
    return own, (logits - own)[:, :1]


parts_whole = named(
    "parts_whole", lambda v, r, w, b: ((v + r[:, None]) @ w + b, (r @ w + b)[:, None])
)


parts_bias_first = named("parts_bias_first", lambda v, r, w, b: (v @ w + b, (r @ w)[:, None]))


parts_without_bias = named("parts_without_bias", lambda v, r, w, b: (v @ w, (r @ w)[:, None]))


parts_only_bias = named(
    "parts_only_bias", lambda v, r, w, b: (v @ w, torch.full((len(v), 1), b, dtype=v.dtype))
)


parts_swapped = named("parts_swapped", lambda v, r, w, b: ((r @ w + b)[:, None], v @ w))


parts_flat = named("parts_flat", lambda v, r, w, b: (v @ w, r @ w + b))


parts_repeated = named(
    "parts_repeated", lambda v, r, w, b: (v @ w, (r @ w + b)[:, None].expand(-1, v.size(1)))
)


parts_unweighted = named("parts_unweighted", lambda v, r, w, b: (v.sum(-1), (r @ w + b)[:, None]))


parts_r_unweighted = named(
    "parts_r_unweighted", lambda v, r, w, b: (v @ w, r.sum(-1, keepdim=True) + b)
)


parts_added = named("parts_added", lambda v, r, w, b: (v + r[:, None]) @ w + b)


parts_centred = named(
    "parts_centred",
    lambda v, r, w, b: (v @ w - (v @ w).mean(1, keepdim=True), (r @ w + b)[:, None]),
)


parts_multiplied = named("parts_multiplied", lambda v, r, w, b: (v @ w, (r @ w * b)[:, None]))


parts_r_first = named(
    "parts_r_first",
    lambda v, r, w, b: ((v + r[:, None]) @ w, torch.full((len(v), 1), b, dtype=v.dtype)),
)


parts_squashed = named(
    "parts_squashed", lambda v, r, w, b: ((v @ w).sigmoid(), (r @ w + b)[:, None])
)


parts_in_a_row = named("parts_in_a_row", lambda v, r, w, b: (v @ w, (r @ w + b)[None]))


parts_less_bias = named("parts_less_bias", lambda v, r, w, b: (v @ w, (r @ w - b)[:, None]))


parts_counted = named("parts_counted", lambda v, r, w, b: (v @ w, (v.size(1) * r @ w + b)[:, None]))


parts_halved = named(
    "parts_halved", lambda v, r, w, b: (v.float() @ w.float(), (r @ w + b)[:, None])
)


parts_of_one_bias = named(
    "parts_of_one_bias",
    lambda vectors, recurrent, weight, bias: parts_by_einsum(vectors, recurrent, weight, 0.7),
)


parts_detached = named(
    "parts_detached",
    lambda vectors, recurrent, weight, bias: parts_by_einsum(
        vectors.detach(), recurrent, weight, bias
    ),
)


parts_of_two_documents = named(
    "parts_of_two_documents",
    lambda vectors, recurrent, weight, bias: (
        vectors @ weight,
        (recurrent @ weight + bias).view(2, 1),
    ),
)


ANSWERS = Answers(
    right=(parts_by_einsum, parts_by_difference),
    wrong={
        parts_whole: "is the whole logit",
        parts_bias_first: "holds the bias 0.7",
        parts_without_bias: "bias 0.7 is missing",
        parts_only_bias: "what the recurrent network says is missing",
        parts_swapped: "wrong order",
        parts_flat: "Give it a second axis",
        parts_repeated: "one is enough",
        parts_unweighted: "sums up the vectors",
        parts_r_unweighted: "sums up r",
        parts_added: "not a Tensor",
        parts_centred: "no longer add up",
        parts_multiplied: "you multiply by it",
        parts_r_first: "holds r, which",
        parts_squashed: "before any sigmoid",
        parts_in_a_row: r"shape \[1, 2\]",
        parts_less_bias: "subtract the bias",
        parts_counted: "once for each of the 4",
        parts_halved: "digits only",
        parts_of_one_bias: "with -1.3, for 3",
        parts_detached: "No gradient",
        parts_of_two_documents: "for 3 documents of 2 sentences you stop",
    },
)
