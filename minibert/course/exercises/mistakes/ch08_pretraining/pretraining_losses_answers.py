"""Wrong answers to `pretraining_losses`; the module `pretraining_losses` has the feedback for each."""

import math

import torch
import torch.nn.functional as F

from minibert.course.exercises.mistakes import named


def losses_in_two_calls(word_logits, word_labels, pair_logits, pair_labels):
    return F.cross_entropy(word_logits.flatten(0, 1), word_labels.flatten()), F.cross_entropy(
        pair_logits, pair_labels
    )


def _with(words=None, pairs=None):
    """Returns a wrong answer with another formula for one of the losses.

    The formula takes flat logits [N, classes] and labels [N].
    """

    def losses(word_logits, word_labels, pair_logits, pair_labels):
        flat = word_logits.flatten(0, 1), word_labels.flatten()
        return (words or F.cross_entropy)(*flat), (pairs or F.cross_entropy)(
            pair_logits, pair_labels
        )

    return losses


losses_over_all = named(
    "losses_over_all", _with(words=lambda x, y: F.cross_entropy(x, y, reduction="sum") / len(y))
)


losses_per_row = named(
    "losses_per_row", _with(words=lambda x, y: F.cross_entropy(x, y, reduction="sum") / 2)
)


losses_summed = named(
    "losses_summed", _with(words=lambda x, y: F.cross_entropy(x, y, reduction="sum"))
)


losses_of_rows = named(
    "losses_of_rows",
    _with(
        words=lambda x, y: torch.stack(
            [F.cross_entropy(*part) for part in zip(x.chunk(2), y.chunk(2))]
        ).mean()
    ),
)


losses_id_zero_ignored = named(
    "losses_id_zero_ignored",
    _with(words=lambda x, y: F.cross_entropy(x, y.where(y != -100, 0), ignore_index=0)),
)


losses_of_zeroed_scores = named(
    "losses_of_zeroed_scores",
    _with(
        words=lambda x, y: F.nll_loss((x * (y != -100)[:, None]).log_softmax(-1), y.clamp(min=0))
    ),
)


losses_weighted_too_late = named(
    "losses_weighted_too_late",
    _with(
        words=lambda x, y: (
            (F.cross_entropy(x, y.clamp(min=0)) * (y != -100)).sum() / (y != -100).sum()
        )
    ),
)


losses_softmax_twice = named(
    "losses_softmax_twice", _with(words=lambda x, y: F.cross_entropy(x.softmax(-1), y))
)


losses_without_log = named(
    "losses_without_log", _with(words=lambda x, y: F.nll_loss(x.softmax(-1), y))
)


losses_log_of_mean = named(
    "losses_log_of_mean", _with(words=lambda x, y: -(-F.nll_loss(x.softmax(-1), y)).log())
)


losses_negative = named("losses_negative", _with(words=lambda x, y: -F.cross_entropy(x, y)))


losses_in_bits = named(
    "losses_in_bits", _with(words=lambda x, y: F.cross_entropy(x, y) / math.log(2))
)


losses_of_raw_scores = named("losses_of_raw_scores", _with(words=F.nll_loss))


pairs_class_ignored = named(
    "pairs_class_ignored", _with(pairs=lambda x, y: F.cross_entropy(x, y, ignore_index=0))
)


pairs_summed = named(
    "pairs_summed", _with(pairs=lambda x, y: F.cross_entropy(x, y, reduction="sum"))
)


pairs_as_two_questions = named(
    "pairs_as_two_questions",
    _with(pairs=lambda x, y: F.binary_cross_entropy_with_logits(x, F.one_hot(y, 2).double())),
)


pairs_softmax_twice = named(
    "pairs_softmax_twice", _with(pairs=lambda x, y: F.cross_entropy(x.softmax(-1), y))
)


pairs_upside_down = named("pairs_upside_down", _with(pairs=lambda x, y: F.cross_entropy(x, 1 - y)))


pairs_squared = named(
    "pairs_squared", _with(pairs=lambda x, y: F.mse_loss(x.softmax(-1), F.one_hot(y, 2).double()))
)


pairs_halved = named(
    "pairs_halved", _with(pairs=lambda x, y: -(x.log_softmax(-1) * F.one_hot(y, 2)).mean())
)


def _of_words(name, words):
    """Returns a wrong answer that computes the MLM loss with `words`.

    `words` takes the log-probabilities at the masked positions [M, V] and the ids [M].
    """
    return named(name, _with(words=lambda x, y: words(x[y != -100].log_softmax(-1), y[y != -100])))


losses_by_vocabulary = _of_words(
    "losses_by_vocabulary", lambda logs, ids: -(F.one_hot(ids, logs.size(1)) * logs).mean()
)


losses_of_every_word = _of_words("losses_of_every_word", lambda logs, ids: -logs.mean())


losses_indexed_crosswise = _of_words(
    "losses_indexed_crosswise", lambda logs, ids: -logs[:, ids].mean()
)


losses_as_perplexity = _of_words(
    "losses_as_perplexity", lambda logs, ids: F.nll_loss(logs, ids).exp()
)


losses_to_base_ten = _of_words(
    "losses_to_base_ten", lambda logs, ids: F.nll_loss(logs, ids) / math.log(10)
)


losses_of_the_highest = _of_words(
    "losses_of_the_highest", lambda logs, ids: -logs.max(-1).values.mean()
)


losses_of_the_unasked = named(
    "losses_of_the_unasked",
    _with(words=lambda x, y: F.cross_entropy(x[y == -100], y[y == -100].clamp(min=0))),
)


losses_of_all_by_words = named(
    "losses_of_all_by_words",
    _with(
        words=lambda x, y: F.cross_entropy(x, y.clamp(min=0), reduction="sum") / (y != -100).sum()
    ),
)


pairs_negative = named("pairs_negative", _with(pairs=lambda x, y: -F.cross_entropy(x, y)))


pairs_in_bits = named(
    "pairs_in_bits", _with(pairs=lambda x, y: F.cross_entropy(x, y) / math.log(2))
)


pairs_of_raw_scores = named("pairs_of_raw_scores", _with(pairs=F.nll_loss))


pairs_without_log = named(
    "pairs_without_log", _with(pairs=lambda x, y: F.nll_loss(x.softmax(-1), y))
)


pairs_over_the_batch = named(
    "pairs_over_the_batch", _with(pairs=lambda x, y: F.nll_loss(x.log_softmax(0), y))
)


pairs_by_one_score = named(
    "pairs_by_one_score",
    _with(pairs=lambda x, y: F.binary_cross_entropy_with_logits(x[:, 1], y.double())),
)


pairs_of_two_questions_added = named(
    "pairs_of_two_questions_added",
    _with(
        pairs=lambda x, y: (
            F.binary_cross_entropy_with_logits(x, F.one_hot(y, 2).double(), reduction="sum")
            / len(y)
        )
    ),
)


def losses_over_positions(word_logits, word_labels, pair_logits, pair_labels):
    return F.nll_loss(
        word_logits.log_softmax(1).flatten(0, 1), word_labels.flatten()
    ), F.cross_entropy(pair_logits, pair_labels)


def losses_out_of_step(word_logits, word_labels, pair_logits, pair_labels):
    mixed = word_logits.transpose(1, 2).reshape(-1, word_logits.size(-1))
    return F.cross_entropy(mixed, word_labels.flatten()), F.cross_entropy(pair_logits, pair_labels)


def losses_added(*arguments):
    words, pairs = losses_in_two_calls(*arguments)
    return words + pairs, pairs


losses_over_rows_of_batch = named(
    "losses_over_rows_of_batch",
    lambda word_logits, word_labels, pair_logits, pair_labels: (
        F.nll_loss(word_logits.log_softmax(0).flatten(0, 1), word_labels.flatten()),
        F.cross_entropy(pair_logits, pair_labels),
    ),
)


losses_of_zeroed_by_words = named(
    "losses_of_zeroed_by_words",
    _with(
        words=lambda x, y: (
            F.nll_loss((x * (y != -100)[:, None]).log_softmax(-1), y.clamp(min=0), reduction="sum")
            / (y != -100).sum()
        )
    ),
)


losses_of_words_twice = named(
    "losses_of_words_twice", lambda *arguments: losses_in_two_calls(*arguments)[:1] * 2
)


pairs_log_of_mean = named(
    "pairs_log_of_mean", _with(pairs=lambda x, y: -(-F.nll_loss(x.softmax(-1), y)).log())
)


pairs_of_the_first = named(
    "pairs_of_the_first", _with(pairs=lambda x, y: F.cross_entropy(x[:1], y[:1]))
)


losses_over_masked_words = named(
    "losses_over_masked_words",
    _with(words=lambda x, y: F.nll_loss(x[y != -100].log_softmax(0), y[y != -100])),
)


pairs_of_class_one = named(
    "pairs_of_class_one", _with(pairs=lambda x, y: -x.log_softmax(-1)[:, 1].mean())
)
