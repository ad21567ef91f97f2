"""Answers on which the exercises of chapter 0 are tried: right ones, and wrong ones with what the check must say."""

import torch
import torch.nn.functional as F

from minibert.exercises.ch00_first_look import certainly_equal, cosine, search
from minibert.exercises.planted import Answers
from minibert.sentence import mean_pool


# 0.1 ------------------------------------------------------------------------------------------------------------------

def cosine_of_units(one, other):
    """Another right answer: both made as long as 1 first."""
    return (F.normalize(one, dim=-1) * F.normalize(other, dim=-1)).sum(-1)


def cosine_by_einsum(one, other):
    """Another right answer: sums of squares, and one root."""
    squares = one.square().sum(-1) * other.square().sum(-1)
    return torch.einsum("...h,...h->...", one, other) / squares.sqrt()


def dot_only(one, other):
    return (one * other).sum(-1)


def divided_once(one, other):
    return (one * other).sum(-1) / one.norm(dim=-1)


def divided_by_squares(one, other):
    return (one * other).sum(-1) / (one.square().sum(-1) * other.square().sum(-1))


def divided_by_sum(one, other):
    return (one * other).sum(-1) / (one.norm(dim=-1) + other.norm(dim=-1))


def divided_by_taxicab(one, other):
    return (one * other).sum(-1) / (one.abs().sum(-1) * other.abs().sum(-1))


def mean_product(one, other):
    return (one * other).mean(-1) / (one.norm(dim=-1) * other.norm(dim=-1))


def unsigned(one, other):
    return cosine(one, other).abs()


def distance(one, other):
    return 1 - cosine(one, other)


def centred(one, other):
    return cosine(one - one.mean(-1, keepdim=True), other - other.mean(-1, keepdim=True))


def length_of_everything(one, other):
    return (one * other).sum(-1) / (one.norm() * other.norm())


def second_length_only(one, other):
    return (one * other).sum(-1) / other.norm(dim=-1)


def brackets_missing(one, other):
    return (one * other).sum(-1) / one.norm(dim=-1) * other.norm(dim=-1)


def angle(one, other):
    return torch.acos(cosine(one, other))


def along_dim_1(one, other):
    return (one * other).sum(dim=1) / (one.norm(dim=1) * other.norm(dim=1))


def every_pair(one, other):
    return one @ other.T / (one.norm(dim=-1)[:, None] * other.norm(dim=-1))


def halved(one, other):
    return (1 + cosine(one, other)) / 2


def squared(one, other):
    return cosine(one, other) ** 2


def never_below_zero(one, other):
    return cosine(one, other).clamp(min=0)


def largest_length(one, other):
    return (one * other).sum(-1) / (one.norm(dim=-1) * other.norm(dim=-1)).max()


def in_single_precision_too(one, other):
    return cosine(one.float(), other.float()).to(one.dtype)


COSINE_MISTAKES = (
    (halved, "Your {0} is moved and halved, so that it runs from 0 to 1; the cosine runs from -1 to 1, and is {1} here."),
    (squared, "You square the cosine: {0} where {1} is right, and its sign is lost."),
    (never_below_zero, "You cut off what is below 0; opposite directions have the cosine -1."),
    (largest_length, "You divide every product by the largest lengths of the batch: {0}. Each pair has lengths of its own: {1}."),
    (dot_only, "Your number is the dot product alone, {0}: a vector twice as long would double it. Divided by both lengths it is {1}."),
    (divided_once, "You divide by the length of the first vector only: {0}. With both lengths it is {1}."),
    (second_length_only, "You divide by the length of the second vector only: {0}. With both lengths it is {1}."),
    (brackets_missing, "You divide by the first length and multiply by the second: {0}. Put their product in brackets; then it is {1}."),
    (angle, "Your {0} is the angle itself, in radians; wanted is its cosine, {1}."),
    (divided_by_squares, "You divide by the squared lengths: {0}. The length is the root of the sum of squares; with it you get {1}."),
    (divided_by_sum, "You divide by the sum of the two lengths: {0}. Their product makes every vector's cosine with itself 1; here it gives {1}."),
    (divided_by_taxicab, "Your lengths are sums of absolute values, which gives {0}; the length that belongs to a dot product is the root of the sum of squares: {1}."),
    (mean_product, "You take the mean of the products, {0}, where a dot product is their sum: {1}."),
    (unsigned, "Your sign is lost: {0} where {1} is right. Opposite directions have the cosine -1."),
    (distance, "Your {0} is 1 minus the cosine, a distance: small for what is alike. The cosine itself is {1}."),
    (centred, "You take each vector's mean away first: {0}. That is a correlation; the cosine leaves the vectors where they are: {1}."),
    (length_of_everything, "You divide by the length of the whole batch, all 3 vectors at once: {0}. Each vector has a length of its own: {1}."),
)


# 0.2 ------------------------------------------------------------------------------------------------------------------

def equal_by_walking(one, other, reading):
    """Another right answer: walk as long as nothing differs."""
    length, equal = min(len(one), len(other)), []
    if reading == "both":
        return [*range(length)] if one == other else []
    if reading == "right to left" and len(one) != len(other):
        return []
    for i in (range(length) if reading == "left to right" else reversed(range(length))):
        if one[i] != other[i]:
            break
        equal.append(i)
    return sorted(equal)


def equal_by_what_is_seen(one, other, reading):
    """Another right answer: write down what each position sees, with its place."""
    def seen(ids, i):
        places = {"left to right": range(i + 1), "right to left": range(i, len(ids)), "both": range(len(ids))}[reading]
        return {(place, ids[place]) for place in places}
    return [i for i in range(min(len(one), len(other))) if seen(one, i) == seen(other, i)]


def equal_tokens(one, other, reading):
    return [i for i in range(min(len(one), len(other))) if one[i] == other[i]]


def forgets_itself(one, other, reading):
    length = min(len(one), len(other))
    if reading == "left to right":
        return [i for i in range(length) if one[:i] == other[:i]]
    return certainly_equal(one, other, reading)


def one_too_few(one, other, reading):
    found = certainly_equal(one, other, reading)
    return found[:-1] if reading == "left to right" else found


def directions_swapped(one, other, reading):
    swapped = {"left to right": "right to left", "right to left": "left to right", "both": "both"}
    return certainly_equal(one, other, swapped[reading])


def both_is_either(one, other, reading):
    if reading != "both":
        return certainly_equal(one, other, reading)
    return sorted({*certainly_equal(one, other, "left to right"), *certainly_equal(one, other, "right to left")})


def both_is_left_to_right(one, other, reading):
    return certainly_equal(one, other, "left to right" if reading == "both" else reading)


def aligned_at_the_end(one, other, reading):
    if reading != "right to left":
        return certainly_equal(one, other, reading)
    shift = len(other) - len(one)
    return [i for i in range(len(one)) if i + shift >= 0 and one[i:] == other[i + shift:]]


def never_equal(one, other, reading):
    return []


def counted(one, other, reading):
    return len(certainly_equal(one, other, reading))


def bag_of_tokens(one, other, reading):
    def same(i):
        seen = {"left to right": slice(i + 1), "right to left": slice(i, None), "both": slice(None)}[reading]
        return sorted(one[seen]) == sorted(other[seen])
    return [i for i in range(min(len(one), len(other))) if same(i)]


def cut_to_the_shorter(one, other, reading):
    length = min(len(one), len(other))
    return certainly_equal(one[:length], other[:length], reading)


def yes_or_no(one, other, reading):
    found = certainly_equal(one, other, reading)
    return [i in found for i in range(min(len(one), len(other)))]


def positions_from_one(one, other, reading):
    return [i + 1 for i in certainly_equal(one, other, reading)]


def tokens_for_positions(one, other, reading):
    return [one[i] for i in certainly_equal(one, other, reading)]


# 0.3 ------------------------------------------------------------------------------------------------------------------

def pooled_by_matrix(last_hidden_state, attention_mask):
    """Another right answer: the weights 1/n and 0 as a matrix product."""
    weights = attention_mask.to(last_hidden_state.dtype)                # [B, S]
    weights = weights / weights.sum(-1, keepdim=True)
    return (weights[:, None] @ last_hidden_state)[:, 0]


def pooled_one_by_one(last_hidden_state, attention_mask):
    """Another right answer: text by text."""
    return torch.stack([vectors[mask.bool()].mean(0) for vectors, mask in zip(last_hidden_state, attention_mask)])


def padding_included(hidden, mask):
    return hidden.mean(dim=1)


def divided_by_length(hidden, mask):
    return (hidden * mask[..., None]).mean(dim=1)


def padding_only(hidden, mask):
    return mean_pool(hidden, 1 - mask)


def first_token(hidden, mask):
    return hidden[:, 0]


def without_specials(hidden, mask):
    mask = mask.clone()
    mask[torch.arange(len(mask)), mask.sum(1) - 1] = 0
    mask[:, 0] = 0
    return mean_pool(hidden, mask)


def sum_only(hidden, mask):
    return (hidden * mask[..., None]).sum(dim=1)


def largest(hidden, mask):
    return hidden.masked_fill(mask[..., None] == 0, -torch.inf).amax(dim=1)


def one_count_for_all(hidden, mask):
    return (hidden * mask[..., None]).sum(dim=1) * len(mask) / mask.sum()


def masked_numerator_only(hidden, mask):
    return hidden.sum(dim=1) / mask.sum(dim=1, keepdim=True)


def over_texts(hidden, mask):
    return (hidden * mask[..., None]).mean(dim=0)


def one_count_of_all(hidden, mask):
    return (hidden * mask[..., None]).sum(dim=1) / mask.sum()


def divided_by_texts(hidden, mask):
    return (hidden * mask[..., None]).sum(dim=1) / len(hidden)


def without_cls(hidden, mask):
    return mean_pool(hidden[:, 1:], mask[:, 1:])


def without_sep(hidden, mask):
    return mean_pool(hidden[:, :-1], mask[:, 1:])


def unit_length(hidden, mask):
    return F.normalize(mean_pool(hidden, mask), dim=-1)


def largest_of_zeroed(hidden, mask):
    return (hidden * mask[..., None]).amax(dim=1)


def in_single_precision(hidden, mask):
    return mean_pool(hidden.float(), mask)


def one_token_less(hidden, mask):
    return (hidden * mask[..., None]).sum(dim=1) / (mask.sum(dim=1, keepdim=True) - 1)


def by_softmax(hidden, mask):
    return (hidden * mask.to(hidden.dtype).softmax(dim=1)[..., None]).sum(dim=1)


def by_median(hidden, mask):
    return torch.stack([vectors[real.bool()].median(dim=0).values for vectors, real in zip(hidden, mask)])


def what_is_not_zero(hidden, mask):
    seen = hidden * mask[..., None]
    return seen.sum(dim=1) / (seen != 0).sum(dim=1)


def counted_prefix(hidden, mask):
    return torch.stack([vectors[:int(real.sum())].mean(dim=0) for vectors, real in zip(hidden, mask)])


POOLING_MISTAKES = (
    (one_token_less, "You divide by one token less than there are, 2 of 3 ({0} instead of {1})."),
    (by_softmax, "You take a softmax of the mask: e⁰ = 1, so padding keeps a weight ({0} instead of {1})."),
    (by_median, "You take the median of the real tokens ({0}); asked is their mean ({1})."),
    (padding_included, "Your mean has the padding in it: the first text has 3 real tokens and 2 of padding, and you average all 5 ({0} instead of {1})."),
    (divided_by_length, "Your sum leaves the padding out, but you divide by 5, the length of the batch; the first text has 3 real tokens ({0} instead of {1})."),
    (masked_numerator_only, "You divide by 3 real tokens, but your sum still has the vectors of the 2 padding tokens in it ({0} instead of {1})."),
    (first_token, "Your vector is that of the first token, [CLS], alone ({0}); asked is the mean over all 3 real ones ({1})."),
    (without_specials, "You leave out [CLS] and [SEP] ({0}). They are real tokens: the mask has 1 for them, and MiniLM was trained with them ({1})."),
    (without_cls, "You leave out [CLS] ({0}). It is a real token: the mask has 1 for it ({1})."),
    (without_sep, "You leave out the last real token, [SEP] ({0}). The mask has 1 for it ({1})."),
    (one_count_of_all, "You divide by 8, the real tokens of both texts together; the first has 3 of its own: sum the mask over dim=1 ({0} instead of {1})."),
    (divided_by_texts, "You divide by 2, the number of texts; the first text has 3 real tokens ({0} instead of {1})."),
    (unit_length, "Your vector is made as long as 1 ({0}); asked is the mean as it is ({1})."),
    (largest_of_zeroed, "Your result is the largest value in each column, with padding as 0 ({0}); asked is the mean ({1})."),
    (sum_only, "Your result is the sum ({0}), 3 times the mean ({1}): divide by the number of real tokens."),
    (largest, "Your result is the largest value in each column ({0}); asked is the mean ({1})."),
    (one_count_for_all, "You divide both texts by 4, the average number of real tokens; the first has 3 and the second 5 ({0} instead of {1})."),
)


# 0.4 ------------------------------------------------------------------------------------------------------------------

def search_by_sorting(query, documents, k):
    """Another right answer: all cosines sorted, in plain Python."""
    scores = F.cosine_similarity(documents, query[None], dim=-1).tolist()
    return sorted(range(len(scores)), key=lambda row: -scores[row])[:k]


def search_with_units(query, documents, k):
    """Another right answer: directions first, then one matrix product."""
    return (F.normalize(documents, dim=-1) @ query).argsort(descending=True)[:k].tolist()


def by_dot_product(query, documents, k):
    return (documents @ query).topk(k).indices.tolist()


def by_distance(query, documents, k):
    return (documents - query).norm(dim=-1).topk(k, largest=False).indices.tolist()


def by_squared_length(query, documents, k):
    return (documents @ query / documents.square().sum(-1)).topk(k).indices.tolist()


def one_too_many(query, documents, k):
    return search(query, documents, k + 1)


def always_three(query, documents, k):
    return search(query, documents, 3)


def worst_first(query, documents, k):
    return cosine(documents, query).argsort()[:k].tolist()


def best_last(query, documents, k):
    return search(query, documents, k)[::-1]


def in_order_of_rows(query, documents, k):
    return sorted(search(query, documents, k))


def scores_instead(query, documents, k):
    return cosine(documents, query).topk(k).values.tolist()


def only_the_best(query, documents, k):
    return search(query, documents, 1)


def everything(query, documents, k):
    return search(query, documents, len(documents))


def by_size_of_cosine(query, documents, k):
    return cosine(documents, query).abs().topk(k).indices.tolist()


def counts_from_one(query, documents, k):
    return [row + 1 for row in search(query, documents, k)]


def as_tensor(query, documents, k):
    return cosine(documents, query).topk(k).indices


SEARCH_MISTAKES = (
    (by_dot_product, "Your order {0} is that of dot products: document 0 comes in because it is 30 long, though it points 80° away. By direction it is {1}."),
    (by_distance, "Your order {0} is that of distances, which a vector's length changes: document 1 points much the same way (40°) but is 8 long, and drops out. By direction it is {1}."),
    (by_squared_length, "Your order {0} comes from dividing by the squared lengths: document 1, 8 long, falls behind. With the lengths themselves it is {1}."),
    (worst_first, "Your {0} are the least alike, worst first: document 2 points the other way (175°). The most alike are {1}."),
    (best_last, "Your {0} are the right documents with the best one last; wanted is {1}."),
    (in_order_of_rows, "Your {0} are the right documents in the order of their rows; wanted is the order of likeness: {1}."),
    (only_the_best, "You return {0}, the best one only, where 3 were asked for: {1}."),
    (everything, "You return all 6 documents, {0}, where 3 were asked for: {1}."),
    (by_size_of_cosine, "Your {0} holds document 2, which points the other way (175°): a cosine of -1 is as unlike as can be, not as alike. Wanted is {1}."),
    (counts_from_one, "Your rows {0} are counted from 1; Python counts from 0: {1}."),
)


ANSWERS = {
    "cosine": Answers(
        right=(cosine_of_units, cosine_by_einsum),
        wrong={dot_only: r"dot product alone, -?\d", divided_once: r"first vector only", divided_by_squares: r"squared lengths",
               divided_by_sum: r"sum of the two lengths", divided_by_taxicab: r"sums of absolute values", mean_product: r"mean of the products",
               unsigned: r"sign is lost", distance: r"1 minus the cosine", centred: r"mean away first", length_of_everything: r"whole batch",
               second_length_only: r"second vector only", brackets_missing: r"in brackets", angle: r"in radians", along_dim_1: r"not for two single vectors",
               every_pair: r"every vector with every other",
               halved: r"moved and halved", squared: r"square the cosine", never_below_zero: r"cut off what is below 0", largest_length: r"largest lengths",
               in_single_precision_too: r"digits only"},
        known=COSINE_MISTAKES),
    "certainly_equal": Answers(
        right=(equal_by_walking, equal_by_what_is_seen),
        wrong={equal_tokens: r"\[0, 1, 2, 4, 6, 7\] are the positions with the same token", forgets_itself: r"position 3, where the tokens are 3 and 6",
               one_too_few: r"stop at \[0, 1\]", directions_swapped: r"directions are swapped", both_is_either: r"\[0, 1, 2, 6, 7\], what either",
               both_is_left_to_right: r"as for left to right", aligned_at_the_end: r"texts of 8 and 9 tokens", never_equal: r"you name \[\]\.",
               counted: r"you return 3, which is no list", bag_of_tokens: r"change places.*order counts", cut_to_the_shorter: r"ninth token",
               yes_or_no: r"yes or no", positions_from_one: r"counted from 1", tokens_for_positions: r"are the tokens"}),
    "mean_pooling": Answers(
        right=(pooled_by_matrix, pooled_one_by_one),
        wrong={padding_included: r"padding in it.*average all 5", divided_by_length: r"divide by 5", masked_numerator_only: r"sum still has",
               padding_only: r"wrong way round", first_token: r"first token, \[CLS\], alone", without_specials: r"leave out \[CLS\]",
               sum_only: r"3 times the mean", largest: r"largest value", one_count_for_all: r"both texts by 4", over_texts: r"\[5, 3\]",
               one_count_of_all: r"divide by 8", divided_by_texts: r"divide by 2, the number of texts", without_cls: r"leave out \[CLS\] \(",
               without_sep: r"last real token", unit_length: r"as long as 1", largest_of_zeroed: r"with padding as 0", in_single_precision: r"For vectors in float16 you return float32",
               one_token_less: r"one token less", by_softmax: r"softmax of the mask", by_median: r"median", what_is_not_zero: r"of int64 you have", counted_prefix: r"of int64 you have -"},
        known=POOLING_MISTAKES),
    "search": Answers(
        right=(search_by_sorting, search_with_units),
        wrong={by_dot_product: r"dot products", by_distance: r"that of distances", worst_first: r"least alike", best_last: r"best one last",
               in_order_of_rows: r"order of their rows", scores_instead: r"holds the cosines", only_the_best: r"best one only", everything: r"all 6 documents",
               by_size_of_cosine: r"as unlike as can be", counts_from_one: r"counted from 1", as_tensor: r"a tensor of shape \[3\]",
               by_squared_length: r"squared lengths", one_too_many: r"you return 4", always_three: r"Asked for 1 document you return \[3, 1, 4\]"},
        known=SEARCH_MISTAKES),
}
