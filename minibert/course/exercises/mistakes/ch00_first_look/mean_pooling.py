"""Wrong answers to `mean_pooling` that its check recognises, each with the feedback for it."""

import torch
import torch.nn.functional as F

from minibert.inference.sentence_embeddings import mean_pool


def padding_included(hidden, mask):
    return hidden.mean(dim=1)


def divided_by_length(hidden, mask):
    return (hidden * mask[..., None]).mean(dim=1)


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


def one_token_less(hidden, mask):
    return (hidden * mask[..., None]).sum(dim=1) / (mask.sum(dim=1, keepdim=True) - 1)


def by_softmax(hidden, mask):
    return (hidden * mask.to(hidden.dtype).softmax(dim=1)[..., None]).sum(dim=1)


def by_median(hidden, mask):
    return torch.stack(
        [vectors[real.bool()].median(dim=0).values for vectors, real in zip(hidden, mask)]
    )


POOLING_MISTAKES = (
    (one_token_less, "You divide by one token less than there are, 2 of 3 ({0} instead of {1})."),
    (
        by_softmax,
        "You take a softmax of the mask: e⁰ = 1, so padding keeps a weight ({0} instead of {1}).",
    ),
    (by_median, "You take the median of the real tokens ({0}); asked is their mean ({1})."),
    (
        padding_included,
        "Your mean has the padding in it: the first text has 3 real tokens and 2 of padding, and you average all 5 ({0} instead of {1}).",
    ),
    (
        divided_by_length,
        "Your sum leaves the padding out, but you divide by 5, the length of the batch; the first text has 3 real tokens ({0} instead of {1}).",
    ),
    (
        masked_numerator_only,
        "You divide by 3 real tokens, but your sum still has the vectors of the 2 padding tokens in it ({0} instead of {1}).",
    ),
    (
        first_token,
        "Your vector is that of the first token, [CLS], alone ({0}); asked is the mean over all 3 real ones ({1}).",
    ),
    (
        without_specials,
        "You leave out [CLS] and [SEP] ({0}). They are real tokens: the mask has 1 for them, and MiniLM was trained with them ({1}).",
    ),
    (without_cls, "You leave out [CLS] ({0}). It is a real token: the mask has 1 for it ({1})."),
    (without_sep, "You leave out the last real token, [SEP] ({0}). The mask has 1 for it ({1})."),
    (
        one_count_of_all,
        "You divide by 8, the real tokens of both texts together; the first has 3 of its own: sum the mask over dim=1 ({0} instead of {1}).",
    ),
    (
        divided_by_texts,
        "You divide by 2, the number of texts; the first text has 3 real tokens ({0} instead of {1}).",
    ),
    (unit_length, "Your vector is made as long as 1 ({0}); asked is the mean as it is ({1})."),
    (
        largest_of_zeroed,
        "Your result is the largest value in each column, with padding as 0 ({0}); asked is the mean ({1}).",
    ),
    (
        sum_only,
        "Your result is the sum ({0}), 3 times the mean ({1}): divide by the number of real tokens.",
    ),
    (largest, "Your result is the largest value in each column ({0}); asked is the mean ({1})."),
    (
        one_count_for_all,
        "You divide both texts by 4, the average number of real tokens; the first has 3 and the second 5 ({0} instead of {1}).",
    ),
)


KNOWN = POOLING_MISTAKES
