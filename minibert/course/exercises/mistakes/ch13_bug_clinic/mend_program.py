"""Wrong answers to `mend_program` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.mistakes import named

MEAN, VARIANCE = "mean = x.mean(-1, keepdim=True)", "pow(2).mean(-1, keepdim=True)"
STILL = " A sentence still changes by {moved:.2f} when a longer one stands beside it."


def _replacing(name, *pairs):
    def wrong(source):
        for old, new in pairs:
            source = source.replace(old, new)
        return source

    return named(name, wrong)


KNOWN = (
    (
        _replacing("scale_by_length", ("math.sqrt(q.shape[2])", "math.sqrt(q.shape[-1])")),
        "You divide the scores by the root of the number of tokens. `q` is (batch, heads, channels, time) here, so `q.shape[2]`, the width of a head, was right."
        + STILL,
    ),
    (
        _replacing("softmax_over_queries", ("score.softmax(-1)", "score.softmax(-2)")),
        "Your softmax runs over the queries. The last axis of `score`, j, holds the keys, so it was right."
        + STILL,
    ),
    (
        _replacing("mask_turned", ("pad[:, None, None].float()", "(~pad)[:, None, None].float()")),
        "You hide the words and leave the padding: `pad` is True where there is no word, so the sign was right."
        + STILL,
    ),
    (
        _replacing("no_mask", ("        score = score - 1e4 * pad[:, None, None].float()\n", "")),
        "You took the mask of attention away; without it every token reads the padding." + STILL,
    ),
    (
        _replacing("mean_alone", (MEAN, "mean = x.mean(1, keepdim=True)")),
        "The mean of the norm runs over the channels now, but the variance does not." + STILL,
    ),
    (
        _replacing("variance_alone", (VARIANCE, "pow(2).mean(1, keepdim=True)")),
        "The variance of the norm runs over the channels now, but the mean does not." + STILL,
    ),
    (
        _replacing(
            "both_axes",
            (MEAN, "mean = x.mean((1, 2), keepdim=True)"),
            (VARIANCE, "pow(2).mean((1, 2), keepdim=True)"),
        ),
        "Your norm takes one mean over the channels and all tokens of a sentence, its padding included."
        + STILL,
    ),
    (
        _replacing(
            "over_the_batch",
            (MEAN, "mean = x.mean(0, keepdim=True)"),
            (VARIANCE, "pow(2).mean(0, keepdim=True)"),
        ),
        "Your norm takes its mean over the sentences of the batch." + STILL,
    ),
    (
        _replacing(
            "sample_variance",
            (MEAN, "mean = x.mean(1, keepdim=True)"),
            (f"(x - mean).{VARIANCE}", "x.var(1, keepdim=True)"),
        ),
        "The axis of the norm is right now, and a sentence changes by {moved:.2f} in a batch. But you divide by the variance of a sample (C - 1 in place of C), which the program did not: a second change that nobody asked for.",
    ),
    (
        _replacing(
            "no_norm",
            (
                "return self.gain * (x - mean) * (var + self.eps).rsqrt() + self.bias",
                "return self.gain * x + self.bias",
            ),
        ),
        "You took the normalisation away. A sentence changes by {moved:.2f} in a batch now, but a norm that does not normalise is no repair: find what it gets wrong.",
    ),
)
