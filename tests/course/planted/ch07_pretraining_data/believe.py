"""Answers to `believe` on which its check is tried."""

import math

from minibert.course.exercises.mistakes.ch07_pretraining_data.believe import (
    believe_context,
    believe_exchanged,
    believe_forged_elsewhere,
    believe_share,
    believe_share_times_context,
    believe_unnormalised,
    believe_with_masked,
    believe_without_context,
    believe_without_kept,
    believe_without_replaced,
    believe_without_shares,
    believe_without_vocabulary,
    disbelieve,
)
from planted import Answers


def believe_by_odds(context, vocab_size, kept=0.1, replaced=0.1):
    if not replaced:
        return 1.0
    odds = kept * context * vocab_size / replaced
    return odds / (1 + odds)


def believe_by_logs(context, vocab_size, kept=0.1, replaced=0.1):
    if not replaced:
        return 1.0
    evidence = math.log(kept * context) - math.log(replaced / vocab_size)
    return 1 / (1 + math.exp(-evidence))


def believe_exactly(context, vocab_size, kept=0.1, replaced=0.1):
    """Counts a replacement that hits the true word as kept."""
    seen = kept * context + replaced / vocab_size
    return context * (kept + replaced / vocab_size) / seen


def believe_another_word(context, vocab_size, kept=0.1, replaced=0.1):
    """Counts only the true words that are another word than the one seen."""
    honest = kept * context
    return honest / (honest + replaced * (1 - context) / vocab_size)


def believe_ratio(context, vocab_size, kept=0.1, replaced=0.1):
    return kept * context / (replaced / vocab_size)


ANSWERS = Answers(
    right=(believe_by_odds, believe_by_logs),
    wrong={
        believe_context: "context alone",
        believe_share: "visible tokens that were kept",
        believe_without_vocabulary: "1/V is missing",
        believe_without_shares: "does not depend on the two",
        disbelieve: "was replaced",
        believe_unnormalised: "before you have seen it",
        believe_without_context: "no effect",
        believe_with_masked: "out of the question",
        believe_exchanged: "exchanged",
        believe_forged_elsewhere: "vocabulary is missing",
        believe_share_times_context: "seen at all",
        believe_without_kept: "`kept` is missing",
        believe_without_replaced: "`replaced` is missing",
        believe_ratio: "divide by zero",
        believe_exactly: "draw the true token again",
        believe_another_word: "any token may have been there before",
    },
)
