"""Wrong answers to `row_step` that its check recognises, each with the feedback for it."""

import torch

from minibert.course.exercises.mistakes import named


def _shares(counts):
    return counts / counts.sum()


def _softmax(scores):
    return scores.softmax(dim=0)


def _variant(
    name,
    predicted=_softmax,
    observed=_shares,
    error=lambda p, q: p - q,
    end=lambda row, gradient, lr: row - lr * gradient,
    with_bias=True,
):
    """Returns a step in which one part is replaced."""

    def answer(row, counts, weight, bias, lr):
        p = predicted(weight @ row + bias * with_bias)
        return end(row, error(p, observed(counts)) @ weight, lr)

    return named(name, answer)


_uphill = _variant("_uphill", end=lambda row, gradient, lr: row + lr * gradient)
_gradient_only = _variant("_gradient_only", end=lambda row, gradient, lr: gradient)
_change_only = _variant("_change_only", end=lambda row, gradient, lr: -lr * gradient)
_without_lr = _variant("_without_lr", end=lambda row, gradient, lr: row - gradient)
_without_bias = _variant("_without_bias", with_bias=False)
_raw_counts = _variant("_raw_counts", observed=lambda counts: counts)
_each_word_once = _variant("_each_word_once", observed=lambda counts: _shares((counts > 0) * 1.0))
_raw_scores = _variant("_raw_scores", predicted=lambda scores: scores)
_sigmoid = _variant("_sigmoid", predicted=torch.sigmoid)
_log_p = _variant("_log_p", predicted=lambda scores: scores.log_softmax(dim=0))
_predicted_only = _variant("_predicted_only", error=lambda p, q: p)
_observed_only = _variant("_observed_only", error=lambda p, q: -q)
_squared_error = _variant("_squared_error", error=lambda p, q: 2 * (p - q))


def _added_up(row, counts, weight, bias, lr):
    p = _softmax(weight @ row + bias)
    return row - lr * (counts.sum() * p - counts) @ weight


def _mean_over_vocabulary(row, counts, weight, bias, lr):
    p = _softmax(weight @ row + bias)
    return row - lr * (p - _shares(counts)) @ weight / len(counts)


def _counts_over_vocabulary(row, counts, weight, bias, lr):
    p = _softmax(weight @ row + bias)
    return row - lr * (counts.sum() * p - counts) @ weight / len(counts)


KNOWN = (
    (
        _mean_over_vocabulary,
        "you divide by the number of words in the vocabulary, {V}, for example with `.mean()`. The shares are an average already, so the loss is a sum over the words.",
    ),
    (
        _counts_over_vocabulary,
        "you average over the {V} words of the vocabulary. The loss is the average over the {n} neighbours.",
    ),
    (
        _uphill,
        "you add the gradient, so the loss rises. Gradient descent subtracts it; check the sign of p − q as well.",
    ),
    (_gradient_only, "this is the gradient. The step from the old row is still missing."),
    (_change_only, "this is the change of the row. Add it to the old row."),
    (_without_lr, "the step is the whole gradient; multiply it by lr, here {lr}."),
    (_without_bias, "your scores are weight @ row alone. The layer also adds its bias."),
    (
        _raw_counts,
        "you subtract the counts from the probabilities. Divide them by their sum, {n}, so that both add up to 1.",
    ),
    (
        _each_word_once,
        "you count each neighbour once. A word that occurs three times has three times the share.",
    ),
    (_raw_scores, "you compare the observed shares with the scores; apply softmax to the scores."),
    (
        _sigmoid,
        "you apply a sigmoid to each score. The shares of all words add up to 1, so they need softmax.",
    ),
    (
        _log_p,
        "you subtract the shares from the logarithm of the softmax; the derivative has the probabilities themselves.",
    ),
    (
        _predicted_only,
        "your gradient has only the predicted shares p, so it is the same for all neighbours. Where do the counts enter?",
    ),
    (
        _observed_only,
        "your gradient has only the observed shares. The softmax in log p depends on every score, which adds the predicted shares p.",
    ),
    (
        _squared_error,
        "your gradient is twice too large, as for a squared error. The loss is the cross-entropy.",
    ),
    (
        _added_up,
        "you add the losses of the {n} neighbours. The loss is their average, so divide by {n}.",
    ),
)
