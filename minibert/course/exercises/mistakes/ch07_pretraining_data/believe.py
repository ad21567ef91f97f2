"""Wrong answers to `believe` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.ch07_pretraining_data.believe import believe


def believe_context(context, vocab_size, kept=0.1, replaced=0.1):
    return context


def believe_share(context, vocab_size, kept=0.1, replaced=0.1):
    return kept / (kept + replaced)


def believe_without_vocabulary(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (kept * context + replaced)


def believe_without_shares(context, vocab_size, kept=0.1, replaced=0.1):
    return context / (context + 1 / vocab_size)


def disbelieve(context, vocab_size, kept=0.1, replaced=0.1):
    return 1 - believe(context, vocab_size, kept, replaced)


def believe_unnormalised(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context


def believe_without_context(context, vocab_size, kept=0.1, replaced=0.1):
    return kept / (kept + replaced / vocab_size)


def believe_exchanged(context, vocab_size, kept=0.1, replaced=0.1):
    return replaced * context / (replaced * context + kept / vocab_size)


def believe_without_kept(context, vocab_size, kept=0.1, replaced=0.1):
    return context / (context + replaced / vocab_size)


def believe_without_replaced(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (kept * context + 1 / vocab_size)


def believe_with_masked(context, vocab_size, kept=0.1, replaced=0.1):
    return (0.8 + kept) * context / ((0.8 + kept) * context + replaced / vocab_size)


def believe_forged_elsewhere(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (kept * context + replaced * (1 - context))


def believe_share_times_context(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (kept + replaced)


BELIEVE_MISTAKES = (
    (believe_context, "That is the probability by the context alone; you have also seen the token"),
    (
        believe_share,
        "That is the share of visible tokens that were kept, whatever the token; it ignores how well this token fits the context",
    ),
    (
        believe_without_vocabulary,
        "The 1/V is missing, or it is in both ways and cancels: it belongs to the second way only, because a replacement is one of V tokens",
    ),
    (
        believe_without_shares,
        "Your number does not depend on the two shares, and here they are not equal",
    ),
    (disbelieve, "That is the probability that the token was replaced"),
    (
        believe_unnormalised,
        "That is the probability that the token is the true one and was kept, before you have seen it; divide it by the probability of seeing this token at all",
    ),
    (
        believe_without_context,
        "The context has no effect, or it is in both ways and cancels: it belongs to the first way only, because a replacement is drawn without regard to the context",
    ),
    (
        believe_with_masked,
        "The 80% became [MASK]; you see another token here, so they are out of the question",
    ),
    (
        believe_exchanged,
        "You have exchanged the two shares: the first way needs `kept`, the second `replaced`",
    ),
    (
        believe_forged_elsewhere,
        "The vocabulary is missing: a replacement is drawn without regard to the context, so the token that you see has the probability 1/V there, and not what the context leaves to the others",
    ),
    (
        believe_share_times_context,
        "Divide by the probability that this token is seen at all, in the first way or the second, and not by the probability that any visible token is",
    ),
    (believe_without_kept, "In the first way `kept` is missing: most chosen tokens are not kept"),
    (
        believe_without_replaced,
        "In the second way `replaced` is missing: most chosen tokens are not replaced",
    ),
)


KNOWN = BELIEVE_MISTAKES
