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
    (believe_context, "That is what the context says alone; you have also seen the word"),
    (
        believe_share,
        "That is how many are kept, whatever the word; a word that fits is kept more often than it is drawn",
    ),
    (
        believe_without_vocabulary,
        "The 1/V is missing, or it stands in both ways and cancels: it belongs to the second, since a replacement is one of V words",
    ),
    (
        believe_without_shares,
        "Your number does not depend on the two shares, and here they are not equal",
    ),
    (disbelieve, "That is the chance that the word is forged"),
    (
        believe_unnormalised,
        "That is how often it was this word and was kept, out of everything; compare it with how often this word is seen at all",
    ),
    (
        believe_without_context,
        "The context has no say, or it stands in both ways and cancels: it belongs to the first, since a replacement is drawn blindly",
    ),
    (believe_with_masked, "The 80% are [MASK]; where you see a word, they are out of the question"),
    (
        believe_exchanged,
        "You have exchanged the two shares: a word that is honest was kept, a forged one was replaced",
    ),
    (
        believe_forged_elsewhere,
        "The vocabulary is missing: a replacement is drawn blindly, so the word that you see has the chance 1/V, and not what the context leaves to the others",
    ),
    (
        believe_share_times_context,
        "Divide by how often this word is seen at all, in the one way or the other, and not by how often any word is seen",
    ),
    (believe_without_kept, "In the first way `kept` is missing: most chosen words are not kept"),
    (
        believe_without_replaced,
        "In the second way `replaced` is missing: most chosen words are not replaced",
    ),
)


KNOWN = BELIEVE_MISTAKES
