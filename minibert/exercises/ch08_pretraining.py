"""Exercises of chapter 8: accuracy, the two losses, batches in pieces, groups of parameters, the learning rate, a log."""

import math
from numbers import Real

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from minibert.exercises.base import Exercise, Mistake, expect_tensor, recognise

CHAPTER = "08_pretraining"


# -- warm-up: accuracy over the right positions ----------------------------------------------------------------------

def word_accuracy(logits, labels):
    """The share of the masked words that are guessed: logits [B, S, V], labels [B, S] (-100 = not masked) -> a scalar."""
    chosen = labels != -100                         # blank: [B, S], True where a word was to be guessed
    hits = logits.argmax(dim=-1) == labels          # blank: [B, S], True where the highest score is the word's
    return hits[chosen].float().mean()              # blank: hits among the chosen


def check_word_accuracy(answer):
    labels = torch.full((2, 8), -100)                                           # [B, S]
    labels[0, [1, 2, 3, 5]], labels[1, [2, 4, 6]] = torch.tensor([5, 0, 2, 6]), torch.tensor([3, 1, 7])
    counted = labels != -100                                                    # [B, S]
    words = int(counted.sum())
    perfect = 5.5 * F.one_hot(labels.clamp(min=0), 8).float()                   # [B, S, V], S = V: a wrong axis does not show by its shape
    logits = torch.randn(2, 8, 8).where(~counted[..., None], perfect)           # [B, S, V]
    logits[0, 1] *= 0.2                                                         # found, with a probability below a half
    logits[0, 3], logits[1, 4, 6] = -logits[0, 3], 8.0                          # two of the seven are missed, one by far and one as the second best
    logits[0, [0, 4, 6], 0] = 9.0                                               # word 0 leads where nothing was asked
    logits[0, 0, 2] = logits[1, 3, 2] = logits[1, 1, 4] = 8.0                   # an argmax over positions finds three of them
    found = _number(answer(logits.clone(), labels.clone()), "word_accuracy")
    hits = logits.argmax(dim=-1) == labels                                      # [B, S]
    rows = [float(hits[i][counted[i]].float().mean()) for i in range(2)]
    you = f"Your accuracy is {found:.2f}"
    recognise(found, hits[counted].double().mean(), [
        (hits.float().mean(), f"{you}: you divide by all {labels.numel()} positions, where {words} words were to be guessed. A perfect model would score {words / labels.numel():.2f} with you."),
        (hits.sum().float(), f"You count the hits, {found:.0f} of them; an accuracy is a share of the {words} masked words."),
        (hits.sum() / 2, f"{you}, hits per row of the batch; divide by the {words} masked words."),
        (torch.tensor(rows).mean(), f"{you}, the mean of the rows' {rows[0]:.2f} and {rows[1]:.2f}: the three words of the second row count as much as the four of the first."),
        (hits[labels > 0].float().mean(), f"{you}: you leave out the word with id 0. It is an id like any other; what is not to be guessed has the label -100."),
        (hits[labels != 0].float().mean(), f"{you}: you take the label 0 for 'not asked'. It is a word's; what was not asked has the label -100."),
        ((hits | ~counted).float().mean(), f"{you}, for a model that misses two words in seven: every position that was not masked counts as a hit."),
        ((logits.argmax(dim=-1) == labels.clamp(min=0)).sum() / words, f"{you}: hits at positions that were not asked are among yours. A label of -100 that becomes 0 is taken for word 0."),
        ((logits.argmax(dim=-1) == labels.clamp(min=0)).float().mean(), f"{you}: you divide by all {labels.numel()} positions, and the labels -100 have become word 0. Only {words} words were to be guessed."),
        (torch.ones(()), f"{you}, for a model that misses two words in seven. Is it rounded, or an `any`? Wanted is the mean of {words} hits and misses, as floats."),
        (1 - hits[counted].float().mean(), f"Your accuracy, {found:.2f}, is the share of wrong guesses."),
        (100 * hits[counted].float().mean(), f"{you}: that is per cent. A share lies between 0 and 1."),
        ((logits.argmin(dim=-1) == labels)[counted].float().mean(), f"{you}: you take the word with the lowest score (argmin)."),
        ((logits.argmax(dim=1) == labels)[counted].float().mean(), f"{you}: your argmax runs over the {labels.size(1)} positions. The scores of the words lie along the last axis."),
        ((logits.topk(5).indices == labels[..., None]).any(-1)[counted].float().mean(), f"{you}: you count a word as guessed that is among the first few. Only the highest score counts."),
        ((logits.softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0] > 0.5)[counted].float().mean(),
         f"{you}: you ask for a probability above a half. A guess is the highest score, however low its probability."),
        (logits.softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0][counted].mean(),
         f"{found:.2f} is the mean probability of the right words. Accuracy asks only whether their score is the highest."),
        (torch.zeros(()), f"{you}: no hit of yours lies where a word was to be guessed. Compare the *place* of the highest score with the label, where the label is not -100."),
    ], "your accuracy")
    again = float(answer(perfect, labels.clone()))
    if not math.isclose(again, 1, rel_tol=1e-6):
        raise Mistake(f"A perfect model scores {again:.2f} with you, where it must score 1; for another model you had {found:.2f}, which is right.")


def accuracy_by_counting(logits, labels):
    hits = total = 0
    for scores, label in zip(logits.flatten(0, 1), labels.flatten()):
        if label >= 0:
            total += 1
            hits += int(scores.argmax()) == int(label)
    return hits / total


def accuracy_by_sums(logits, labels):
    return (logits.max(dim=-1).indices == labels).sum() / labels.ge(0).sum()


def accuracy_of_all_positions(logits, labels):
    return (logits.argmax(dim=-1) == labels).float().mean()


def accuracy_not_divided(logits, labels):
    return (logits.argmax(dim=-1) == labels).sum()


def accuracy_per_row(logits, labels):
    return (logits.argmax(dim=-1) == labels).sum() / len(labels)


def accuracy_of_rows(logits, labels):
    return torch.stack([accuracy_by_sums(x, y) for x, y in zip(logits, labels)]).mean()


def accuracy_without_id_zero(logits, labels):
    return (logits.argmax(dim=-1) == labels)[labels > 0].float().mean()


def accuracy_with_gifts(logits, labels):
    return ((logits.argmax(dim=-1) == labels) | (labels == -100)).float().mean()


def accuracy_of_errors(logits, labels):
    return (logits.argmax(dim=-1) != labels)[labels != -100].float().mean()


def accuracy_of_the_lowest(logits, labels):
    return (logits.argmin(dim=-1) == labels)[labels != -100].float().mean()


def accuracy_over_positions(logits, labels):
    return (logits.argmax(dim=1) == labels)[labels != -100].float().mean()


def accuracy_as_probability(logits, labels):
    return logits.softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0][labels != -100].mean()


def accuracy_of_each(logits, labels):
    return (logits.argmax(dim=-1) == labels)[labels != -100]


def accuracy_of_five(logits, labels):
    return (logits.topk(5).indices == labels[..., None]).any(-1)[labels != -100].float().mean()


def accuracy_above_a_half(logits, labels):
    return (logits.softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0] > 0.5)[labels != -100].float().mean()


def accuracy_of_clamped_labels(logits, labels):
    return (logits.argmax(dim=-1) == labels.clamp(min=0)).sum() / (labels != -100).sum()


def accuracy_of_all_labels_but_zero(logits, labels):
    return (logits.argmax(dim=-1) == labels)[labels != 0].float().mean()


def accuracy_in_per_cent(logits, labels):
    return 100 * accuracy_by_sums(logits, labels)


def accuracy_of_the_unasked(logits, labels):
    return (logits.argmax(dim=-1) == labels)[labels == -100].float().mean()


def accuracy_rounded(logits, labels):
    return accuracy_by_sums(logits, labels).round()


def accuracy_by_heart(logits, labels):
    return torch.tensor(5 / 7)


def accuracy_in_numpy(logits, labels):
    chosen = labels.numpy() != -100
    return (logits.numpy().argmax(-1) == labels.numpy())[chosen].mean()


# -- build: the two losses -------------------------------------------------------------------------------------------

def pretraining_losses(word_logits, word_labels, pair_logits, pair_labels):
    """The mean loss of the masked words and the mean loss of the pairs, in nats: two scalars.

    word_logits [B, S, V], word_labels [B, S] (-100 = not masked); pair_logits [B, 2], pair_labels [B] (0 or 1).
    """
    chosen = word_labels != -100                                            # [B, S]
    logs = word_logits[chosen].log_softmax(dim=-1)                          # blank: [M, V], log-probabilities at the masked positions
    word_loss = -logs.gather(1, word_labels[chosen][:, None]).mean()        # blank: minus those of the true words, the mean over M
    pair_loss = F.cross_entropy(pair_logits, pair_labels)                   # blank: the same for two classes, in one call
    return word_loss, pair_loss


def check_pretraining_losses(answer):
    word_labels = torch.full((2, 6), -100)                                      # [B, S]
    word_labels[0, [1, 3, 5]], word_labels[1, 2] = torch.tensor([4, 0, 2]), 3
    pair_labels = torch.tensor([0, 1])                                          # [B]
    word_logits = 2 * torch.randn(2, 6, 5, dtype=torch.float64)                 # [B, S, V]
    pair_logits = torch.tensor([[1.5, -0.5], [2.0, 0.7]], dtype=torch.float64)  # [B, 2]
    found = answer(word_logits.clone().requires_grad_(), word_labels.clone(), pair_logits.clone().requires_grad_(), pair_labels.clone())
    if not isinstance(found, tuple | list | torch.Tensor) or isinstance(found, torch.Tensor) and found.shape != (2,) or len(found) != 2:
        raise Mistake(f"pretraining_losses should give back two losses, the words' and the pairs', not a {type(found).__name__}"
                      f"{f' of shape {list(found.shape)}' if isinstance(found, torch.Tensor) else ''}.")
    word, pair = _number(found[0], "the word loss"), _number(found[1], "the pair loss")

    chosen, flat, scores = word_labels != -100, word_labels.flatten(), word_logits.flatten(0, 1)    # [B, S], [B · S], [B · S, V]
    each = F.cross_entropy(scores, flat, reduction="none")                      # [B · S]
    probabilities = scores.softmax(-1)                                          # [B · S, V]
    of_the_word = probabilities[flat != -100].gather(1, flat[flat != -100, None])       # [M, 1]
    words, pairs = each.sum() / 4, F.cross_entropy(pair_logits, pair_labels)
    asked, logs = flat[flat != -100], scores[flat != -100].log_softmax(-1)      # [M], [M, V]
    unasked = F.cross_entropy(scores, flat.clamp(min=0), reduction="sum") - each.sum()
    rows = [each.view(2, 6)[i][chosen[i]].mean() for i in range(2)]
    lowest = math.log(1 + 4 / math.e)
    if torch.isclose(word, pairs) and torch.isclose(pair, words):
        raise Mistake(f"Your losses stand in the wrong order: {word:.2f} is the pairs' and comes second. That is how a log comes to say what is not so.")
    recognise(word, words, [
        (each.sum() / 12, f"Your word loss, {word:.2f}, is divided by all {flat.numel()} positions. Only 4 have a word to guess, and each of these costs {words:.2f}."),
        (each.sum() / 2, f"Your word loss, {word:.2f}, is the sum divided by the 2 rows; divide by the 4 masked words."),
        (each.sum(), f"Your word loss, {word:.2f}, is a sum: a batch with twice the words would have twice the loss. Divide by the 4 words."),
        (torch.stack(rows).mean(), f"Your word loss, {word:.2f}, is the mean of the rows' means {rows[0]:.2f} and {rows[1]:.2f}: the one word of the second row counts as much as the three of the first."),
        (F.cross_entropy(scores, flat.where(flat != 0, -100)), f"Your word loss, {word:.2f}, leaves out the masked word whose id is 0. To ignore an id is to lose a word; -100 is no word's."),
        (F.cross_entropy(scores * (flat != -100)[:, None], flat.clamp(min=0)),
         f"Your word loss, {word:.2f}, is a mean over all 12 positions with the scores of 8 set to 0. Each of those costs ln V = {math.log(5):.2f} for ever; leave them out instead."),
        (F.cross_entropy(scores, flat.clamp(min=0)),
         f"Your word loss, {word:.2f}, is a mean over all 12 positions, with word 0 as the answer where nothing was asked. Weights that come after the mean cannot mend it: they cancel."),
        (F.cross_entropy(probabilities, flat), f"Your word loss, {word:.2f}, takes the softmax twice: cross-entropy wants scores. Yours can never fall below ln(1 + (V-1)/e) = {lowest:.2f}."),
        (-of_the_word.mean(), f"Your word loss, {word:.2f}, is minus the mean probability. The logarithm is missing."),
        (-of_the_word.mean().log(), f"Your word loss, {word:.2f}, is the logarithm of a mean; wanted is the mean of the 4 logarithms, {words:.2f}."),
        (-words, f"Your word loss is {word:.2f}. The sign is wrong: minus the log-probability, so that better is lower."),
        (words / math.log(2), f"Your word loss is in bits, {word:.2f}; in nats, with the natural logarithm, it is {words:.2f}."),
        (F.nll_loss(scores, flat), f"Your word loss, {word:.2f}, is minus the mean score. The softmax is missing, and scores alone can grow for ever."),
        (words + pairs, f"Your first loss, {word:.2f}, is the sum of both. Give them back one by one."),
        (F.nll_loss(word_logits.log_softmax(1).flatten(0, 1), flat), f"Your word loss, {word:.2f}, takes the softmax over the {word_labels.size(1)} positions; the words stand along the last axis."),
        (F.nll_loss(word_logits.log_softmax(0).flatten(0, 1), flat), f"Your word loss, {word:.2f}, takes the softmax over the rows of the batch; the words stand along the last axis."),
        (words / 5, f"Your word loss, {word:.2f}, is divided by the 5 words of the vocabulary as well: a one-hot table has M · V entries, and only M of them count."),
        (-logs.mean(), f"Your word loss, {word:.2f}, is the mean over every word of the vocabulary; of each row only the true word's log-probability counts."),
        (-logs[:, asked].mean(), f"Your word loss, {word:.2f}, takes from every row the log-probabilities of all {len(asked)} true words. Each row has one of its own: `gather(1, ids[:, None])`."),
        (words.exp(), f"Your word loss, {word:.2f}, is e to the power of the loss (the perplexity); the loss is {words:.2f}."),
        (words / math.log(10), f"Your word loss, {word:.2f}, has logarithms to the base 10; in nats, with the natural logarithm, it is {words:.2f}."),
        (unasked / 8, f"Your word loss, {word:.2f}, is that of the 8 positions where nothing was asked. Turn the condition round."),
        ((each.sum() + unasked) / 4, f"Your word loss, {word:.2f}, divides by the 4 masked words, but its sum has all 12 positions in it, with word 0 as the answer where nothing was asked."),
        ((each.sum() + 8 * math.log(5)) / 4, f"Your word loss, {word:.2f}, divides by the 4 masked words, but its sum has all 12 positions in it: 8 with their scores set to 0, for ln V = {math.log(5):.2f} each."),
        (F.cross_entropy(word_logits.transpose(1, 2).reshape(-1, 5), flat), f"Your word loss, {word:.2f}, has scores and labels out of step: transpose and then reshape mixes the positions. `flatten(0, 1)` keeps them."),
        (-logs.max(-1).values.mean(), f"Your word loss, {word:.2f}, takes the highest log-probability of each row, whatever the word was."),
    ], "your word loss")
    one_hot = F.one_hot(pair_labels, 2).double()                                # [B, 2]
    recognise(pair, pairs, [
        (F.cross_entropy(pair_logits, pair_labels, ignore_index=0),
         f"Your pair loss, {pair:.2f}, ignores label 0: 'it follows' is never trained, and a model that always says 'random' has the loss 0. Two classes, none of them ignored."),
        (F.cross_entropy(pair_logits, pair_labels, reduction="sum"), f"Your pair loss, {pair:.2f}, is a sum; the mean of the 2 pairs is {pairs:.2f}."),
        (F.binary_cross_entropy_with_logits(pair_logits, one_hot),
         f"Your pair loss, {pair:.2f}, asks two questions with yes or no (BCE on one-hot labels) where there is one question with two answers: {pairs:.2f}."),
        (F.cross_entropy(pair_logits.softmax(-1), pair_labels), f"Your pair loss, {pair:.2f}, takes the softmax twice; on the scores it is {pairs:.2f}."),
        (F.cross_entropy(pair_logits, 1 - pair_labels), f"Your pair loss, {pair:.2f}, has the labels upside down: 0 says that B follows A."),
        (pairs / 2, f"Your pair loss, {pair:.2f}, is divided by the two classes as well as by the two pairs."),
        (F.mse_loss(pair_logits.softmax(-1), one_hot), f"Your pair loss, {pair:.2f}, is a squared error of probabilities; the cross-entropy is {pairs:.2f}."),
        (F.binary_cross_entropy_with_logits(pair_logits, one_hot, reduction="sum") / 2,
         f"Your pair loss, {pair:.2f}, adds up two questions with yes or no (BCE on one-hot labels) where there is one question with two answers: {pairs:.2f}."),
        (F.binary_cross_entropy_with_logits(pair_logits[:, 1], pair_labels.double()), f"Your pair loss, {pair:.2f}, looks at one of the two scores. What counts is how they differ."),
        (-pairs, f"Your pair loss is {pair:.2f}. The sign is wrong: better must be lower."),
        (pairs / math.log(2), f"Your pair loss is in bits, {pair:.2f}; in nats it is {pairs:.2f}."),
        (F.nll_loss(pair_logits, pair_labels), f"Your pair loss, {pair:.2f}, is minus the mean score; the softmax is missing."),
        (F.nll_loss(pair_logits.softmax(-1), pair_labels), f"Your pair loss, {pair:.2f}, is minus the mean probability; the logarithm is missing."),
        (-(-F.nll_loss(pair_logits.softmax(-1), pair_labels)).log(), f"Your pair loss, {pair:.2f}, is the logarithm of a mean; wanted is the mean of the logarithms, {pairs:.2f}."),
        (F.nll_loss(pair_logits.log_softmax(0), pair_labels), f"Your pair loss, {pair:.2f}, takes the softmax over the pairs of the batch; the two answers stand along the last axis."),
        (F.cross_entropy(pair_logits[:1], pair_labels[:1]), f"Your pair loss, {pair:.2f}, is that of the first pair alone, the only one whose answer is 0."),
        (words, f"Your pair loss, {pair:.2f}, is the words' loss once more."),
    ], "your pair loss")
    for loss, name, example in ((found[0], "word", words), (found[1], "pair", pairs)):
        if not getattr(loss, "requires_grad", False):
            raise Mistake(f"Your {name} loss, {example:.2f}, is right but a bare number: no gradient can go back through it. Leave it a tensor (no `.item()`, no `.detach()`).")


def losses_in_two_calls(word_logits, word_labels, pair_logits, pair_labels):
    return F.cross_entropy(word_logits.flatten(0, 1), word_labels.flatten()), F.cross_entropy(pair_logits, pair_labels)


def losses_by_logsumexp(word_logits, word_labels, pair_logits, pair_labels):
    losses = []
    for scores, labels in ((word_logits.flatten(0, 1), word_labels.flatten()), (pair_logits, pair_labels)):
        scores, labels = scores[labels >= 0], labels[labels >= 0]
        losses.append((scores.logsumexp(-1) - scores[torch.arange(len(labels)), labels]).sum() / len(labels))
    return losses


def _with(words=None, pairs=None):
    """A planted wrong answer: one of the two losses by another formula on flat scores [N, classes] and labels [N]."""
    def losses(word_logits, word_labels, pair_logits, pair_labels):
        flat = word_logits.flatten(0, 1), word_labels.flatten()
        return (words or F.cross_entropy)(*flat), (pairs or F.cross_entropy)(pair_logits, pair_labels)
    return losses


def _named(name, function):
    function.__name__ = name
    return function


losses_over_all = _named("losses_over_all", _with(words=lambda x, y: F.cross_entropy(x, y, reduction="sum") / len(y)))
losses_per_row = _named("losses_per_row", _with(words=lambda x, y: F.cross_entropy(x, y, reduction="sum") / 2))
losses_summed = _named("losses_summed", _with(words=lambda x, y: F.cross_entropy(x, y, reduction="sum")))
losses_of_rows = _named("losses_of_rows", _with(words=lambda x, y: torch.stack(
    [F.cross_entropy(*part) for part in zip(x.chunk(2), y.chunk(2))]).mean()))
losses_id_zero_ignored = _named("losses_id_zero_ignored", _with(words=lambda x, y: F.cross_entropy(x, y.where(y != -100, 0), ignore_index=0)))
losses_of_zeroed_scores = _named("losses_of_zeroed_scores", _with(words=lambda x, y: F.nll_loss((x * (y != -100)[:, None]).log_softmax(-1), y.clamp(min=0))))
losses_weighted_too_late = _named("losses_weighted_too_late", _with(
    words=lambda x, y: (F.cross_entropy(x, y.clamp(min=0)) * (y != -100)).sum() / (y != -100).sum()))
losses_softmax_twice = _named("losses_softmax_twice", _with(words=lambda x, y: F.cross_entropy(x.softmax(-1), y)))
losses_without_log = _named("losses_without_log", _with(words=lambda x, y: F.nll_loss(x.softmax(-1), y)))
losses_log_of_mean = _named("losses_log_of_mean", _with(words=lambda x, y: -(-F.nll_loss(x.softmax(-1), y)).log()))
losses_negative = _named("losses_negative", _with(words=lambda x, y: -F.cross_entropy(x, y)))
losses_in_bits = _named("losses_in_bits", _with(words=lambda x, y: F.cross_entropy(x, y) / math.log(2)))
losses_of_raw_scores = _named("losses_of_raw_scores", _with(words=F.nll_loss))
pairs_class_ignored = _named("pairs_class_ignored", _with(pairs=lambda x, y: F.cross_entropy(x, y, ignore_index=0)))
pairs_summed = _named("pairs_summed", _with(pairs=lambda x, y: F.cross_entropy(x, y, reduction="sum")))
pairs_as_two_questions = _named("pairs_as_two_questions", _with(pairs=lambda x, y: F.binary_cross_entropy_with_logits(x, F.one_hot(y, 2).double())))
pairs_softmax_twice = _named("pairs_softmax_twice", _with(pairs=lambda x, y: F.cross_entropy(x.softmax(-1), y)))
pairs_upside_down = _named("pairs_upside_down", _with(pairs=lambda x, y: F.cross_entropy(x, 1 - y)))
pairs_squared = _named("pairs_squared", _with(pairs=lambda x, y: F.mse_loss(x.softmax(-1), F.one_hot(y, 2).double())))
pairs_halved = _named("pairs_halved", _with(pairs=lambda x, y: -(x.log_softmax(-1) * F.one_hot(y, 2)).mean()))


def _of_words(name, words):
    """A planted wrong answer: the words' loss from the log-probabilities of the masked words [M, V] and their ids [M]."""
    return _named(name, _with(words=lambda x, y: words(x[y != -100].log_softmax(-1), y[y != -100])))


losses_by_vocabulary = _of_words("losses_by_vocabulary", lambda logs, ids: -(F.one_hot(ids, logs.size(1)) * logs).mean())
losses_of_every_word = _of_words("losses_of_every_word", lambda logs, ids: -logs.mean())
losses_indexed_crosswise = _of_words("losses_indexed_crosswise", lambda logs, ids: -logs[:, ids].mean())
losses_as_perplexity = _of_words("losses_as_perplexity", lambda logs, ids: F.nll_loss(logs, ids).exp())
losses_to_base_ten = _of_words("losses_to_base_ten", lambda logs, ids: F.nll_loss(logs, ids) / math.log(10))
losses_of_the_highest = _of_words("losses_of_the_highest", lambda logs, ids: -logs.max(-1).values.mean())
losses_of_the_unasked = _named("losses_of_the_unasked", _with(words=lambda x, y: F.cross_entropy(x[y == -100], y[y == -100].clamp(min=0))))
losses_of_all_by_words = _named("losses_of_all_by_words", _with(words=lambda x, y: F.cross_entropy(x, y.clamp(min=0), reduction="sum") / (y != -100).sum()))
pairs_negative = _named("pairs_negative", _with(pairs=lambda x, y: -F.cross_entropy(x, y)))
pairs_in_bits = _named("pairs_in_bits", _with(pairs=lambda x, y: F.cross_entropy(x, y) / math.log(2)))
pairs_of_raw_scores = _named("pairs_of_raw_scores", _with(pairs=F.nll_loss))
pairs_without_log = _named("pairs_without_log", _with(pairs=lambda x, y: F.nll_loss(x.softmax(-1), y)))
pairs_over_the_batch = _named("pairs_over_the_batch", _with(pairs=lambda x, y: F.nll_loss(x.log_softmax(0), y)))
pairs_by_one_score = _named("pairs_by_one_score", _with(pairs=lambda x, y: F.binary_cross_entropy_with_logits(x[:, 1], y.double())))
pairs_of_two_questions_added = _named("pairs_of_two_questions_added", _with(
    pairs=lambda x, y: F.binary_cross_entropy_with_logits(x, F.one_hot(y, 2).double(), reduction="sum") / len(y)))


def losses_over_positions(word_logits, word_labels, pair_logits, pair_labels):
    return F.nll_loss(word_logits.log_softmax(1).flatten(0, 1), word_labels.flatten()), F.cross_entropy(pair_logits, pair_labels)


def losses_out_of_step(word_logits, word_labels, pair_logits, pair_labels):
    mixed = word_logits.transpose(1, 2).reshape(-1, word_logits.size(-1))
    return F.cross_entropy(mixed, word_labels.flatten()), F.cross_entropy(pair_logits, pair_labels)


def losses_as_bare_numbers(*arguments):
    words, pairs = losses_in_two_calls(*arguments)
    return words.item(), pairs.item()


def losses_in_one_tensor(*arguments):
    return torch.stack(losses_in_two_calls(*arguments))


def losses_swapped(*arguments):
    return losses_in_two_calls(*arguments)[::-1]


def losses_added(*arguments):
    words, pairs = losses_in_two_calls(*arguments)
    return words + pairs, pairs


# -- build: a batch in pieces ----------------------------------------------------------------------------------------

def backward_in_pieces(model, pieces):
    """Leave in the parameters the gradient of the mean loss over all masked words of all pieces; return that loss.

    Each piece is (inputs, labels); model(inputs) gives logits [B, S, V], labels are [B, S] (-100 = not masked).
    Only one piece's activations may be held at a time.
    """
    words = sum(int((labels != -100).sum()) for _, labels in pieces)            # blank: masked words in the whole batch
    total = 0.0
    for inputs, labels in pieces:
        logits = model(inputs)                                                  # [B, S, V]
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum") / words     # blank: this piece's share of the loss
        loss.backward()
        total += loss.item()
    return total


def check_backward_in_pieces(answer):
    def piece(rows, masked):
        labels = torch.full((rows, 6), -100)                                    # [B, S]
        labels.view(-1)[:masked] = torch.randint(5, (masked,))
        return torch.randn(rows, 6, 4, dtype=torch.float64), labels             # [B, S, 4], [B, S]

    pieces = [piece(3, 7), piece(2, 2), piece(3, 1)]
    counts = [int((labels != -100).sum()) for _, labels in pieces]
    model = nn.Linear(4, 5).double()

    def gradient(weights):
        """Of the weighted sum of the pieces' summed losses, and that sum: what each known mistake would leave."""
        losses = [F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum") for x, y in pieces]
        total = sum(weight * loss for weight, loss in zip(weights, losses))
        return torch.autograd.grad(total, model.weight)[0], total.item()

    (right, value), words = gradient([1 / sum(counts)] * 3), sum(counts)
    before = model.weight.detach().clone()
    held, waiting, most_waiting = [], set(), []         # rows of each forward; which have not gone backward yet; how many, at each

    def remember(module, inputs, output):
        number = len(held)
        held.append(output.numel() // (6 * 5))
        if output.requires_grad:
            waiting.add(number)
            output.register_hook(lambda gradient: waiting.discard(number))
        most_waiting.append(len(waiting))

    handle = model.register_forward_hook(remember)
    try:
        found = answer(model, pieces)
    finally:
        handle.remove()
    if model.weight.grad is None:
        raise Mistake(f"After your {len(held)} forward passes the parameters have no gradient: `backward` is missing.")
    if max(held, default=0) > 3:
        raise Mistake(f"You run {max(held)} rows at once: all pieces in one. That is the big batch itself, which is what does not fit.")
    if not torch.equal(before, model.weight):
        raise Mistake(f"The weights have moved, by up to {(before - model.weight).abs().max():.3f}. Leave a gradient and nothing else; the optimiser steps once, after all {len(pieces)} pieces.")
    size = f"The norm of your gradient is {model.weight.grad.norm():.3f}, that of the big batch {right.norm():.3f}"
    recognise(model.weight.grad, right, [
        (gradient([1 / (3 * count) for count in counts])[0],
         f"{size}: you take the mean of the pieces' means, so the 1 masked word of the last piece weighs as much as the 7 of the first. Divide sums by the {words} words of all pieces."),
        (gradient([1 / count for count in counts])[0],
         f"{size}: you add up the pieces' means; it grows with the number of pieces ({len(pieces)}), and their words weigh unequally."),
        (gradient([1, 1, 1])[0], f"{size}: you add up sums and never divide by the {words} words."),
        (gradient([1 / 3] * 3)[0], f"{size}: you divide by the 3 pieces; divide by the {words} masked words."),
        (gradient([1 / 8] * 3)[0], f"{size}: you divide by the 8 rows; the loss is per masked word, and there are {words}."),
        (gradient([1 / 48] * 3)[0], f"{size}: you divide by all 48 positions; {words} of them have a word to guess."),
        (gradient([0, 0, 1 / words])[0], f"{size}: only the last piece is in it. The gradient is cleared on the way, or `backward` comes after the loop."),
        (gradient([1 / words, 0, 0])[0], f"{size}: only the first piece is in it; the loop ends too early."),
        (gradient([1 / 7, 1 / 9, 1 / 10])[0], f"{size}: you divide each piece by the words counted *so far*, 7, 9 and 10. Count all of them before the first piece."),
        (gradient([1 / (words * 3)] * 3)[0], f"{size}: you divide by the {words} words and then by the 3 pieces as well."),
        (gradient([3 / 56, 2 / 16, 3 / 8])[0], f"{size}: you weigh the pieces' means by their rows, 3, 2 and 3; their masked words are {', '.join(map(str, counts))}."),
        (gradient([count / words for count in counts])[0], f"{size}: you weigh the pieces' *sums* by their words; a sum has the weight of its words already. Divide by {words}."),
        (gradient([1 / words, 1 / words, 0])[0], f"{size}: the last piece is missing from it."),
        (-right, f"{size}, and they point in opposite directions: a minus too many."),
        (right * ((model.weight.grad * right).sum() / right.square().sum()),
         f"{size}: the direction is right, the length is not. You weigh all pieces alike, by the wrong number: divide by the {words} masked words of all pieces, once."),
    ], "your gradient", tolerance=1e-6)
    if max(most_waiting) > 1:
        raise Mistake(f"The gradient is right, but {max(most_waiting)} pieces wait for one `backward`, and so the activations of all of them are held: as much memory as the big batch. "
                      "Call `backward` for each piece before the next goes in.")
    if not isinstance(found, int | float | torch.Tensor) or abs(float(found) - value) > 1e-6:
        shown = f"{float(found):.3f}" if isinstance(found, int | float | torch.Tensor) else repr(found)
        raise Mistake(f"The gradient is right, but you return {shown}; the mean loss over the {words} words is {value:.3f}.")
    model.zero_grad()
    other = [piece(2, 3), piece(1, 4)]
    again = float(answer(model, other))
    wanted = F.cross_entropy(torch.cat([model(x).flatten(0, 1) for x, _ in other]), torch.cat([y.flatten() for _, y in other])).item()
    if abs(again - wanted) > 1e-6:
        raise Mistake(f"Three pieces with {words} words are right; for two pieces with 3 and 4 words you return {again:.3f}, where {wanted:.3f} is right. Count the words that are there.")


def pieces_divided_at_the_end(model, pieces):
    total, words = 0.0, 0
    for inputs, labels in pieces:
        loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum")
        loss.backward()
        total, words = total + loss.item(), words + int(labels.ge(0).sum())
    for parameter in model.parameters():
        parameter.grad /= words
    return total / words


def pieces_by_their_share(model, pieces):
    counts = [int(labels.ge(0).sum()) for _, labels in pieces]
    losses = []
    for (inputs, labels), count in zip(pieces, counts):
        losses.append(F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten()) * count / sum(counts))
        losses[-1].backward()
    return sum(losses).detach()


def _weighed(name, weigh):
    """A planted wrong answer: every piece's summed loss times weigh(its number, masked words of all pieces)."""
    def pieces_wrongly(model, pieces):
        counts, total = [int((labels != -100).sum()) for _, labels in pieces], 0.0
        for number, (inputs, labels) in enumerate(pieces):
            loss = weigh(number, counts) * F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum")
            loss.backward()
            total += loss.item()
        return total
    return _named(name, pieces_wrongly)


pieces_mean_of_means = _weighed("pieces_mean_of_means", lambda number, counts: 1 / (counts[number] * len(counts)))
pieces_sum_of_means = _weighed("pieces_sum_of_means", lambda number, counts: 1 / counts[number])
pieces_summed = _weighed("pieces_summed", lambda number, counts: 1)
pieces_by_pieces = _weighed("pieces_by_pieces", lambda number, counts: 1 / len(counts))
pieces_by_rows = _weighed("pieces_by_rows", lambda number, counts: 1 / 8)
pieces_by_positions = _weighed("pieces_by_positions", lambda number, counts: 1 / 48)
pieces_so_far = _weighed("pieces_so_far", lambda number, counts: 1 / sum(counts[:number + 1]))
pieces_divided_twice = _weighed("pieces_divided_twice", lambda number, counts: 1 / (sum(counts) * len(counts)))


def pieces_cleared(model, pieces):
    words, total = sum(int(labels.ge(0).sum()) for _, labels in pieces), 0.0
    for inputs, labels in pieces:
        model.zero_grad()
        loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum") / words
        loss.backward()
        total += loss.item()
    return total


def pieces_first_only(model, pieces):
    words = sum(int(labels.ge(0).sum()) for _, labels in pieces)
    for inputs, labels in pieces:
        loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum") / words
        loss.backward()
        return loss.item()


def pieces_without_backward(model, pieces):
    words = sum(int(labels.ge(0).sum()) for _, labels in pieces)
    return sum(F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum").item() for x, y in pieces) / words


def pieces_glued(model, pieces):
    inputs, labels = (torch.cat(part) for part in zip(*pieces))
    loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten())
    loss.backward()
    return loss.item()


def pieces_last_loss(model, pieces):
    words = sum(int(labels.ge(0).sum()) for _, labels in pieces)
    for inputs, labels in pieces:
        loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum") / words
        loss.backward()
    return loss.item()


def pieces_in_one_backward(model, pieces):
    words = sum(int(labels.ge(0).sum()) for _, labels in pieces)
    loss = sum(F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum") for x, y in pieces) / words
    loss.backward()
    return loss.item()


def pieces_that_step(model, pieces):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    words, total = sum(int(labels.ge(0).sum()) for _, labels in pieces), 0.0
    for inputs, labels in pieces:
        loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum") / words
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


pieces_by_the_first = _weighed("pieces_by_the_first", lambda number, counts: 1 / counts[0])
pieces_upside_down = _weighed("pieces_upside_down", lambda number, counts: -1 / sum(counts))
pieces_by_share_of_rows = _weighed("pieces_by_share_of_rows", lambda number, counts: (3, 2, 3)[number] / 8 / counts[number])
pieces_weighed_twice = _weighed("pieces_weighed_twice", lambda number, counts: counts[number] / sum(counts))
pieces_by_heart = _weighed("pieces_by_heart", lambda number, counts: 1 / 10)


def pieces_row_by_row(model, pieces):
    words, total = sum(int((labels >= 0).sum()) for _, labels in pieces), 0.0
    for inputs, labels in (row for piece in pieces for row in zip(*piece)):
        loss = F.cross_entropy(model(inputs), labels, reduction="sum") / words
        loss.backward()
        total += loss.detach()
    return total


# -- build: what decays ----------------------------------------------------------------------------------------------

def parameter_groups(named_parameters, weight_decay):
    """Two groups for AdamW: {"params": [...], "weight_decay": ...}, what decays first, then biases and norms, which do not.

    named_parameters: pairs (name, parameter), the names as in BERT's checkpoints.
    """
    decayed, spared = [], []
    for name, parameter in named_parameters:
        spare = name.endswith("bias") or "LayerNorm" in name        # blank: True for a bias and for a norm's weight
        (spared if spare else decayed).append(parameter)
    groups = [{"params": decayed, "weight_decay": weight_decay}, {"params": spared, "weight_decay": 0.0}]     # blank: the two groups, each with its decay
    return groups


NAMES = ("bert.embeddings.word_embeddings.weight", "bert.embeddings.LayerNorm.weight", "bert.embeddings.LayerNorm.bias",
         "bert.encoder.layer.0.attention.self.query.weight", "bert.encoder.layer.0.attention.self.query.bias",
         "bert.encoder.layer.0.output.LayerNorm.weight", "bert.encoder.layer.0.output.LayerNorm.bias",
         "bert.pooler.dense.weight", "cls.predictions.bias", "cls.seq_relationship.weight")


def check_parameter_groups(answer):
    named = [(name, nn.Parameter(torch.zeros(3, 3) if name.endswith("weight") and "LayerNorm" not in name else torch.zeros(3))) for name in NAMES]
    groups = answer(iter(named), 0.05)
    if not isinstance(groups, list | tuple) or not all(isinstance(group, dict) and "params" in group for group in groups):
        raise Mistake(f"Wanted is a list of two dicts, each with its params and its weight_decay; yours is {_described(groups)}.")
    try:
        taken = torch.optim.AdamW([dict(group) for group in groups], lr=0.001, weight_decay=0.0123).param_groups
        decay_of_groups = [float(group["weight_decay"]) for group in taken]
    except (TypeError, ValueError, KeyError) as error:
        raise Mistake(f"AdamW does not take your groups: {type(error).__name__}: {error}.") from None
    if 0.0123 in decay_of_groups:
        raise Mistake(f"Group {decay_of_groups.index(0.0123)} has no weight_decay of its own, so AdamW gives it its default. Both groups must name one, under that key.")
    name_of = {parameter: name for name, parameter in named}
    decay = {name_of[parameter]: group["weight_decay"] for group in taken for parameter in group["params"]}
    sizes = [len(group["params"]) for group in taken]
    if missing := [name for name in NAMES if name not in decay]:
        raise Mistake(f"{len(missing)} of the {len(NAMES)} parameters are in no group and would never be trained: {missing[0]} for one.")
    decays = {name for name in NAMES if decay[name]}
    wanted = {name for name in NAMES if not (name.endswith("bias") or "LayerNorm" in name)}
    norms, biases = ({name for name in NAMES if part in name} for part in ("LayerNorm.weight", "bias"))
    if decays == set(NAMES) and {name for name in NAMES if decay[name] == decay_of_groups[0]} == wanted:
        raise Mistake(f"You have sorted well, {sizes[0]} and {sizes[1]} parameters, but the second group decays too, by {decay_of_groups[1]}. What is spared has the decay 0.")
    if decays == set(NAMES):
        raise Mistake(f"All {len(NAMES)} parameters decay, biases and norms among them: your groups have {sizes} parameters. "
                      "A test for whole names (`name in [\"bias\", \"LayerNorm.weight\"]`) never fits; look at how the names end.")
    if not decays:
        raise Mistake(f"Nothing decays: your groups of {sizes} parameters all have the decay 0.")
    if decays == set(NAMES) - wanted:
        raise Mistake(f"Your groups are upside down: the {len(decays)} biases and norms decay, the matrices do not.")
    if decays == wanted | norms:
        raise Mistake(f"The {len(norms)} weights of LayerNorm decay: they are called weight, and still belong to a norm. Decay would pull them from 1 to 0.")
    if decays == wanted | biases - {name for name in biases if "LayerNorm" in name}:
        raise Mistake(f"The biases outside the norms decay, {sorted(decays & biases)[0]} for one; {len(decays & biases)} of them are in your first group.")
    if decays == wanted | biases:
        raise Mistake(f"All {len(biases)} biases decay, those of the norms too.")
    if decays == wanted | {"cls.predictions.bias"}:
        raise Mistake("cls.predictions.bias decays: a bias that stands in no layer, 1 of 4, and a bias all the same.")
    if decays == wanted - {NAMES[0]}:
        raise Mistake(f"The word table does not decay, the {len(decays)} other matrices do. In the original it does, like every matrix.")
    if decays != wanted:
        raise Mistake(f"{sorted(decays ^ wanted)[0]} is in the wrong group; your groups have {sizes} parameters.")
    if max(decay.values()) != 0.05:
        raise Mistake(f"What decays does so by {max(decay.values())}; weight_decay was 0.05.")
    if len(groups) != 2:
        raise Mistake(f"Wanted are two groups; yours are {len(groups)}, of {sizes} parameters.")
    if decay_of_groups[1]:
        raise Mistake(f"Your groups are right and in the wrong order: the one of {sizes[1]} parameters that decays comes first.")


def _described(groups):
    kinds = [type(group).__name__ for group in groups] if isinstance(groups, list | tuple) else []
    return f"a {type(groups).__name__}" + (f" of {len(kinds)} ({kinds[0]} and so on)" if kinds else "")


def groups_by_shape(named_parameters, weight_decay):
    named = list(named_parameters)
    return [{"params": [p for _, p in named if (p.dim() > 1) == matrix], "weight_decay": weight_decay * matrix} for matrix in (True, False)]


def groups_by_last_words(named_parameters, weight_decay):
    groups = {weight_decay: [], 0.0: []}
    for name, parameter in named_parameters:
        *_, owner, kind = name.split(".")
        groups[0.0 if kind == "bias" or owner == "LayerNorm" else weight_decay].append(parameter)
    return [{"params": parameters, "weight_decay": decay} for decay, parameters in groups.items()]


def _groups(name, spare, decays=(1.0, 0.0)):
    """A planted wrong answer: another test for what is spared, or other decays."""
    def groups_wrongly(named_parameters, weight_decay):
        named = list(named_parameters)
        return [{"params": [p for n, p in named if not spare(n)], "weight_decay": decays[0] * weight_decay},
                {"params": [p for n, p in named if spare(n)], "weight_decay": decays[1] * weight_decay}]
    return _named(name, groups_wrongly)


def _spared(name):
    return name.endswith("bias") or "LayerNorm" in name


groups_by_whole_names = _groups("groups_by_whole_names", lambda name: name in ("bias", "LayerNorm.bias", "LayerNorm.weight"))
groups_biases_only = _groups("groups_biases_only", lambda name: name.endswith("bias"))
groups_norms_only = _groups("groups_norms_only", lambda name: "LayerNorm" in name)
groups_norm_weights_only = _groups("groups_norm_weights_only", lambda name: name.endswith("LayerNorm.weight"))
groups_upside_down = _groups("groups_upside_down", lambda name: not _spared(name))
groups_without_words = _groups("groups_without_words", lambda name: _spared(name) or "word_embeddings" in name)
groups_with_head_bias = _groups("groups_with_head_bias", lambda name: _spared(name) and not name.startswith("cls"))
groups_without_decay = _groups("groups_without_decay", _spared, (0.0, 0.0))
groups_double_decay = _groups("groups_double_decay", _spared, (2.0, 0.0))
groups_without_pooler = _groups("groups_without_pooler", lambda name: _spared(name) or "pooler" in name)


def groups_that_forget(named_parameters, weight_decay):
    named = list(named_parameters)
    return [{"params": [p for n, p in named if not _spared(n)], "weight_decay": weight_decay}]


def groups_one_by_one(named_parameters, weight_decay):
    return [{"params": [p], "weight_decay": 0.0 if _spared(n) else weight_decay} for n, p in named_parameters]


groups_that_both_decay = _groups("groups_that_both_decay", _spared, (1.0, 0.5))
groups_of_small_letters = _groups("groups_of_small_letters", lambda name: name.endswith("bias") or "layernorm" in name)
groups_without_embeddings = _groups("groups_without_embeddings", lambda name: _spared(name) or name.startswith("bert.pooler") or "embeddings" in name)


def groups_by_heart(named_parameters, weight_decay):
    return _groups("", _spared)(named_parameters, 0.01)


def groups_turned_round(named_parameters, weight_decay):
    return _groups("", _spared)(named_parameters, weight_decay)[::-1]


def groups_by_another_key(named_parameters, weight_decay):
    return [{"params": group["params"], "decay": group["weight_decay"]} for group in _groups("", _spared)(named_parameters, weight_decay)]


def groups_of_bare_parameters(named_parameters, weight_decay):
    return [parameter for _, parameter in named_parameters]


def groups_that_overlap(named_parameters, weight_decay):
    named = list(named_parameters)
    return [{"params": [p for _, p in named], "weight_decay": weight_decay}, {"params": [p for n, p in named if _spared(n)], "weight_decay": 0.0}]


def groups_that_run_dry(named_parameters, weight_decay):
    return [{"params": [p for n, p in named_parameters if not _spared(n)], "weight_decay": weight_decay},
            {"params": [p for n, p in named_parameters if _spared(n)], "weight_decay": 0}]


# -- warm-up: the learning rate --------------------------------------------------------------------------------------

def set_rates(groups, step, steps, warmup):
    """Set group["lr"] of every group for a step counted from 0: group["peak_lr"] times the original's factor.

    Up in a line from 0 over `warmup` steps, then the line that falls from 1 at step 0 to 0 at `steps`.
    """
    factor = step / warmup if step < warmup else 1 - step / steps       # blank: between 0 and 1
    for group in groups:
        group["lr"] = group["peak_lr"] * factor                         # blank: this group's rate


def check_set_rates(answer):
    steps, warmup, peaks = 80, 20, (0.002, 0.004)
    groups = [{"peak_lr": peak, "lr": peak} for peak in peaks]
    seen = []
    for step in range(steps + 1):
        answer(groups, step, steps, warmup)
        seen.append([float(group["lr"]) for group in groups])
    found = torch.tensor(seen, dtype=torch.float64)                             # [steps + 1, 2]
    t = torch.arange(steps + 1, dtype=torch.float64)                            # [steps + 1]
    peak = torch.tensor(peaks, dtype=torch.float64)                             # [2]
    down, rest = 1 - t / steps, (steps - t) / (steps - warmup)                  # [steps + 1]
    if [group["peak_lr"] for group in groups] != list(peaks):
        raise Mistake(f"You change peak_lr, from {peaks[0]} to {groups[0]['peak_lr']:.4f}: set lr, and leave the peak as it is.")

    if (found == peak).all():
        raise Mistake(f"The groups are as they were, {peaks[0]} and {peaks[1]} at every step: set group[\"lr\"] in the dicts that you are given.")

    def suspect(early, late):
        return torch.where(t < warmup, early, late)[:, None] * peak             # [steps + 1, 2]

    def at(step):
        return f"at step {step} your rate is {found[step, 0]:.6f}"

    factor = torch.where(t < warmup, t / warmup, down)                          # [steps + 1]
    noam = torch.minimum((t + 1) ** -0.5, (t + 1) * warmup ** -1.5)             # [steps + 1]
    recognise(found, factor[:, None] * peak, [
        (factor[:, None].expand(-1, 2).double(), f"The peak is not in it: {at(50)} where the factor alone is {factor[50]:.2f}; a rate is the factor times the group's own peak_lr."),
        (factor[:, None] * peak[:1].expand(2), f"Both groups get {found[50, 1]:.6f} at step 50: the second has a peak of its own, {peaks[1]}, and you overwrite it."),
        (peak * factor[:, None].cumprod(0), f"You multiply lr by the factor again and again: {at(5)}, and it never comes back. Begin each time from peak_lr."),
        (suspect(t / warmup, torch.ones_like(t)), f"Your rate never falls: {at(steps)}, the full peak."),
        (suspect(torch.ones_like(t), down), f"Your warm-up is missing: at step 0 your rate is {found[0, 0]:.6f}, where it should be 0."),
        (down[:, None] * peak, f"There is no warm-up: at step 0 your rate is {found[0, 0]:.6f}, where it should be 0."),
        (suspect(t / warmup, rest), f"{at(warmup)}, the full peak: you let it fall from the end of the warm-up, without the original's drop to {peaks[0] * down[warmup]:.4f}. Gentler, but not the original's line, which starts at step 0."),
        (suspect((t + 1) / warmup, down), f"At step 0 your rate is {found[0, 0]:.6f}: you count from 1. The original's first step has the rate 0."),
        (suspect(t / warmup, 0.5 * (1 + torch.cos(math.pi * t / steps))), f"{at(30)}: a half cosine; the original falls in a line."),
        (suspect(t / steps, down), f"{at(5)}: you rise over all {steps} steps; the warm-up has {warmup}."),
        (suspect(t / warmup, t / steps), f"{at(70)}: after the warm-up your rate rises; 1 minus the share of the steps is what falls."),
        (suspect(t / warmup, down ** 2), f"{at(50)}: you square what should be a line."),
        (suspect(t / warmup, down.sqrt()), f"{at(50)}: you take the root of what should be a line."),
        (torch.where(t <= warmup, t / warmup, down)[:, None] * peak, f"{at(warmup)}, the full peak. The warm-up is the {warmup} steps from 0 to {warmup - 1}; step {warmup} stands on the falling line."),
        (torch.minimum(t / warmup, down)[:, None] * peak, f"{at(warmup - 1)}: you take the smaller of the two lines. The original follows the rising one to the end of the warm-up, and then drops."),
        (suspect(t / warmup * down, down), f"{at(5)}: during the warm-up you multiply the two lines; the original replaces the falling one."),
        (suspect(t / warmup * (1 - warmup / steps), down), f"{at(warmup - 1)}: you climb only as high as the falling line, so that nothing drops. Gentler, but the original climbs towards the full peak."),
        (suspect(t // warmup, down), f"{at(5)}: `//` leaves nothing of a share below 1."),
        (suspect(t / warmup, 1 - t // steps), f"{at(50)}, the full peak: `//` leaves nothing of a share below 1."),
        (torch.where(t + 1 < warmup, (t + 1) / warmup, 1 - (t + 1) / steps)[:, None] * peak, f"At step 0 your rate is {found[0, 0]:.6f}: you count from 1. The original's first step has the rate 0."),
        (suspect(t / warmup, 1 - (t + 1) / steps), f"{at(50)}: the falling line is one step ahead; it is 1 at step 0 and 0 at step {steps}."),
        (suspect(t / warmup, 1 - (t - warmup) / steps), f"{at(steps)}, where it should be 0: your line falls from the end of the warm-up on, and does not arrive. The original's starts at step 0."),
        (suspect(t / warmup, 0.5 * (1 + torch.cos(math.pi * (t - warmup) / (steps - warmup)))), f"{at(30)}: a half cosine from the end of the warm-up; the original falls in a line, from step 0."),
        (suspect(down, t / warmup), f"{at(5)}: the two lines have changed places."),
        (suspect(t / warmup, -down), f"{at(50)}: a rate below 0 climbs the loss; turn the difference round."),
        (suspect(t / warmup, 1 + t / steps), f"{at(50)}: your line rises; 1 *minus* the share of the steps falls."),
        (torch.stack([factor * peak[0], torch.full_like(t, peaks[1])], 1), "You set the rate of the first group only; every group is to get its own."),
        (factor[:, None] * peak[1:].expand(2), f"Both groups get {found[50, 0]:.6f} at step 50: the first has a peak of its own, {peaks[0]}."),
        (factor[:, None] + peak, f"{at(50)}: you add the factor to the peak; multiply."),
        (noam[:, None].expand(-1, 2), f"{at(50)}: one over the root of the step, whatever the peak (Noam's schedule). The rate that was asked for, {peaks[0]}, is silently overwritten."),
    ], "your rate at [step, group]", tolerance=1e-9)


def rates_with_min(groups, step, steps, warmup):
    for group in groups:
        group.update(lr=(step / warmup if warmup > step else (steps - step) / steps) * group["peak_lr"])


def rates_step_by_step(groups, step, steps, warmup):
    factor = 1.0 - step / steps
    if step < warmup:
        factor = step / warmup
    for group in groups:
        group["lr"] = factor * group["peak_lr"]


def _rates(name, early, late, peak=lambda group: group["peak_lr"]):
    """A planted wrong answer: other factors before and after the warm-up, or another peak."""
    def rates_wrongly(groups, step, steps, warmup):
        factor = early(step, steps, warmup) if step < warmup else late(step, steps, warmup)
        for group in groups:
            group["lr"] = peak(group) * factor
    return _named(name, rates_wrongly)


def _up(step, steps, warmup):
    return step / warmup


def _down(step, steps, warmup):
    return 1 - step / steps


def _noam(step, steps, warmup):
    return min((step + 1) ** -0.5, (step + 1) * warmup ** -1.5)


rates_without_peak = _rates("rates_without_peak", _up, _down, lambda group: 1.0)
rates_one_for_all = _rates("rates_one_for_all", _up, _down, lambda group: 0.002)
rates_never_falling = _rates("rates_never_falling", _up, lambda step, steps, warmup: 1.0)
rates_at_once = _rates("rates_at_once", _down, _down)
rates_at_full_height = _rates("rates_at_full_height", lambda step, steps, warmup: 1.0, _down)
rates_without_drop = _rates("rates_without_drop", _up, lambda step, steps, warmup: (steps - step) / (steps - warmup))
rates_from_one = _rates("rates_from_one", lambda step, steps, warmup: (step + 1) / warmup, _down)
rates_of_a_cosine = _rates("rates_of_a_cosine", _up, lambda step, steps, warmup: 0.5 * (1 + math.cos(math.pi * step / steps)))
rates_rising_slowly = _rates("rates_rising_slowly", lambda step, steps, warmup: step / steps, _down)
rates_rising_on = _rates("rates_rising_on", _up, lambda step, steps, warmup: step / steps)
rates_of_noam = _rates("rates_of_noam", _noam, _noam, lambda group: 1.0)


rates_until_the_peak = _rates("rates_until_the_peak", _up, lambda step, steps, warmup: 1.0 if step == warmup else 1 - step / steps)
rates_of_the_smaller_line = _rates("rates_of_the_smaller_line", *[lambda step, steps, warmup: min(step / warmup, 1 - step / steps)] * 2)
rates_of_both_lines = _rates("rates_of_both_lines", lambda step, steps, warmup: step / warmup * (1 - step / steps), _down)
rates_that_meet = _rates("rates_that_meet", lambda step, steps, warmup: step / warmup * (1 - warmup / steps), _down)
rates_in_whole_numbers = _rates("rates_in_whole_numbers", lambda step, steps, warmup: step // warmup, _down)
rates_falling_at_the_end = _rates("rates_falling_at_the_end", _up, lambda step, steps, warmup: 1 - step // steps)
rates_one_step_ahead = _rates("rates_one_step_ahead", _up, lambda step, steps, warmup: 1 - (step + 1) / steps)
rates_falling_late = _rates("rates_falling_late", _up, lambda step, steps, warmup: 1 - (step - warmup) / steps)
rates_of_a_late_cosine = _rates("rates_of_a_late_cosine", _up, lambda step, steps, warmup: 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup))))
rates_changed_about = _rates("rates_changed_about", _down, _up)
rates_below_zero = _rates("rates_below_zero", _up, lambda step, steps, warmup: step / steps - 1)
rates_of_the_second = _rates("rates_of_the_second", _up, _down, lambda group: 0.004)
rates_by_heart = _rates("rates_by_heart", lambda step, steps, warmup: min(1.0, step / 10), lambda step, steps, warmup: 1 - step / 100)


def rates_of_the_first_group(groups, step, steps, warmup):
    rates_step_by_step(groups[:1], step, steps, warmup)


def rates_of_copies(groups, step, steps, warmup):
    rates_step_by_step([dict(group) for group in groups], step, steps, warmup)


def rates_added(groups, step, steps, warmup):
    for group in groups:
        group["lr"] = group["peak_lr"] + (_up if step < warmup else _down)(step, steps, warmup)


def rates_compounding(groups, step, steps, warmup):
    for group in groups:
        group["lr"] *= step / warmup if step < warmup else 1 - step / steps


def rates_of_the_peak(groups, step, steps, warmup):
    for group in groups:
        group["peak_lr"] *= step / warmup if step < warmup else 1 - step / steps


# -- think: a log that cannot be ---------------------------------------------------------------------------------------

def read_the_log(printed_pair_loss, printed_word_loss):
    """What a log really says whose program swaps the names of the losses and divides each by 10.

    Returns a dict: word_loss and pair_loss in nats; words, between how many equally likely ones the model wavers;
    and learnt, True if the model knows more about either task than a guess does.
    """
    word_loss = 10 * printed_pair_loss          # blank: from which number, and how?
    pair_loss = 10 * printed_word_loss          # blank: and this one?
    words = math.exp(word_loss)                 # blank: whose loss is ln of how many?
    return {"word_loss": word_loss, "pair_loss": pair_loss, "words": words, "learnt": False}    # blank: the four, and your verdict


def check_read_the_log(answer):
    found = answer(1.12, 0.07)
    if not isinstance(found, dict) or {"word_loss", "pair_loss", "words", "learnt"} - found.keys():
        raise Mistake(f"Wanted is a dict with word_loss, pair_loss, words and learnt, not {found!r}.")
    word, pair, words = (float(found[name]) for name in ("word_loss", "pair_loss", "words"))
    for pattern, message in (
        ((1.12, 0.07), f"You swap the names back and leave the division: {word:.2f} and {pair:.2f} are tenths. Each loss was divided by 10 before it was printed."),
        ((0.07, 1.12), f"You believe the names: a word loss of {word:.2f} with a pair loss of {pair:.2f}, worse than tossing a coin (0.69). The words, the harder task, learnt first?"),
        ((0.7, 11.2), f"You undo the division and believe the names: a pair loss of {pair:.1f} would be worse than a coin (0.69) by far. The names are swapped."),
        ((0.112, 0.007), f"You divide once more, to {word:.3f} and {pair:.3f}; the program has divided already, so multiply."),
        ((0.007, 0.112), f"You divide by 10 again and keep the names: {word:.3f} and {pair:.3f}. Both steps go the other way."),
    ):
        if math.isclose(word, pattern[0], rel_tol=1e-6) and math.isclose(pair, pattern[1], rel_tol=1e-6):
            raise Mistake(message)
    for name, value, right in (("word_loss", word, 11.2), ("pair_loss", pair, 0.7)):
        if not math.isclose(value, right, rel_tol=1e-6):
            raise Mistake(f"Your {name} is {value:.3f}. Which printed number is it, and what had been done to it?")
    for value, message in (
        (2 ** 11.2, f"You take 2 to the power of the loss and get {words:,.0f} words; the loss is in nats, so the base is e."),
        (10 ** 11.2, f"You take 10 to the power of the loss: {words:,.0f} words are more than any language has. The base is e."),
        (math.exp(0.7), f"{words:.1f}: you took e to the power of the *pair* loss; the words are behind the other one."),
        (math.exp(1.12), f"{words:.1f}: you took e to the power of the printed number; undo the division first."),
        (math.exp(11.9), f"You count {words:,.0f} words from the sum of both losses; the word loss alone is their logarithm."),
        (11.2, "You give the loss itself as the number of words, 11.2: it is the logarithm of that number."),
    ):
        if math.isclose(words, value, rel_tol=1e-6):
            raise Mistake(message)
    if not math.isclose(words, math.exp(11.2), rel_tol=1e-4):       # a rounded number is right too
        raise Mistake(f"Your number of words is {words:,.0f}, whose logarithm is {math.log(max(words, 1e-9)):.1f}; a model that wavers between n words evenly has the loss ln n, and that is 11.2.")
    if found["learnt"] is None or isinstance(found["learnt"], str):
        raise Mistake(f"Your verdict is {found['learnt']!r}; wanted is True or False: does the model know more about either task than a guess does?")
    if found["learnt"]:
        raise Mistake(f"You say that something was learnt: {words:,.0f} words in the running is a whole vocabulary, and a pair loss of {pair:.1f} is a coin's, ln 2 = 0.69.")
    again = answer(0.9, 0.06)
    for name, right in (("word_loss", 9.0), ("pair_loss", 0.6), ("words", math.exp(9))):
        if not math.isclose(float(again[name]), right, rel_tol=1e-4):
            raise Mistake(f"With other numbers in the log, 0.90 and 0.06, your {name} is {float(again[name]):,.1f}, where {right:,.1f} is right. Compute with what you are given.")


def log_in_one_line(printed_pair_loss, printed_word_loss):
    return dict(word_loss=printed_pair_loss * 10, pair_loss=printed_word_loss / 0.1, words=math.e ** (10 * printed_pair_loss), learnt=False)


def log_judged(printed_pair_loss, printed_word_loss):
    words, pairs = 10 * printed_pair_loss, 10 * printed_word_loss
    return {"pair_loss": pairs, "word_loss": words, "words": torch.tensor(words, dtype=torch.float64).exp().item(), "learnt": pairs < 0.5 or words < 5}


def _log(name, word, pair, words=lambda word, pair: math.exp(word), learnt=False):
    """A planted wrong reading, from the two printed numbers (pair, word)."""
    def read_wrongly(printed_pair_loss, printed_word_loss):
        word_loss, pair_loss = word(printed_pair_loss, printed_word_loss), pair(printed_pair_loss, printed_word_loss)
        return {"word_loss": word_loss, "pair_loss": pair_loss, "words": words(word_loss, pair_loss), "learnt": learnt}
    return _named(name, read_wrongly)


def _ten_first(first, second):
    return 10 * first


def _ten_second(first, second):
    return 10 * second


log_as_printed = _log("log_as_printed", lambda a, b: b, lambda a, b: a)
log_swapped_only = _log("log_swapped_only", lambda a, b: a, lambda a, b: b)
log_times_ten_only = _log("log_times_ten_only", _ten_second, _ten_first)
log_divided_again = _log("log_divided_again", lambda a, b: a / 10, lambda a, b: b / 10)
log_divided_and_believed = _log("log_divided_and_believed", lambda a, b: b / 10, lambda a, b: a / 10)
log_in_powers_of_two = _log("log_in_powers_of_two", _ten_first, _ten_second, lambda word, pair: 2 ** word)
log_in_powers_of_ten = _log("log_in_powers_of_ten", _ten_first, _ten_second, lambda word, pair: 10 ** word)
log_of_the_pairs = _log("log_of_the_pairs", _ten_first, _ten_second, lambda word, pair: math.exp(pair))
log_of_the_sum = _log("log_of_the_sum", _ten_first, _ten_second, lambda word, pair: math.exp(word + pair))
log_of_the_printed = _log("log_of_the_printed", _ten_first, _ten_second, lambda word, pair: math.exp(word / 10))
log_without_power = _log("log_without_power", _ten_first, _ten_second, lambda word, pair: word)
log_hopeful = _log("log_hopeful", _ten_first, _ten_second, learnt=True)


def log_in_round_numbers(printed_pair_loss, printed_word_loss):
    return {"word_loss": round(10 * printed_pair_loss, 1), "pair_loss": round(10 * printed_word_loss, 1), "words": round(math.exp(10 * printed_pair_loss)), "learnt": 0}


def log_of_a_fixed_pair(printed_pair_loss, printed_word_loss):
    return {"word_loss": 10 * printed_pair_loss, "pair_loss": 0.7, "words": math.exp(10 * printed_pair_loss), "learnt": False}


log_of_a_known_vocabulary = _log("log_of_a_known_vocabulary", _ten_first, _ten_second, lambda word, pair: 30522)
log_undecided = _log("log_undecided", _ten_first, _ten_second, learnt="no")
log_half_undone = _log("log_half_undone", lambda a, b: a, _ten_second)


def log_by_heart(printed_pair_loss, printed_word_loss):
    return {"word_loss": 11.2, "pair_loss": 0.7, "words": math.exp(11.2), "learnt": False}


def _number(value, what):
    """A loss or an accuracy as a scalar of float64; a Mistake for anything that is not one number."""
    if isinstance(value, Real | np.ndarray) and np.ndim(value) == 0:
        value = torch.tensor(float(value))
    expect_tensor(value, [], what)
    return value.detach().double()


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="The two losses",
        task="Write both losses of pretraining on the model's logits: the mean over the *masked words* and the mean over the *pairs*, each in nats. "
             "Neither may look at what was not asked, and none of the two answers to 'does B follow A?' may be left out.",
        hints=("Choose the masked positions first, `word_logits[chosen]`, and nothing that happens at the others can get into the loss.",
               "`log_softmax` turns scores into log-probabilities; `gather(1, ids[:, None])` takes from each row the entry with that id. "
               "For the pairs, `F.cross_entropy` does both and takes the mean."),
        paragraph="The loss, by hand",
        solution=pretraining_losses, check=check_pretraining_losses, right=(losses_in_two_calls, losses_by_logsumexp, losses_in_one_tensor),
        wrong={
            losses_over_all: r"divided by all 12 positions",
            losses_per_row: r"divided by the 2 rows",
            losses_summed: r"word loss, .* is a sum",
            losses_of_rows: r"mean of the rows' means",
            losses_id_zero_ignored: r"masked word whose id is 0",
            losses_of_zeroed_scores: r"scores of 8 set to 0",
            losses_weighted_too_late: r"they cancel",
            losses_softmax_twice: r"word loss.* softmax twice.*ln\(1",
            losses_without_log: r"logarithm is missing",
            losses_log_of_mean: r"logarithm of a mean",
            losses_negative: r"sign is wrong",
            losses_in_bits: r"in bits",
            losses_of_raw_scores: r"word loss.* minus the mean score",
            losses_added: r"sum of both",
            losses_swapped: r"wrong order",
            pairs_class_ignored: r"ignores label 0",
            pairs_summed: r"pair loss, .* is a sum",
            pairs_as_two_questions: r"two questions",
            pairs_softmax_twice: r"pair loss.* softmax twice",
            pairs_upside_down: r"upside down",
            pairs_squared: r"squared error",
            pairs_halved: r"divided by the two classes",
            losses_over_positions: r"softmax over the 6 positions",
            losses_by_vocabulary: r"5 words of the vocabulary as well",
            losses_of_every_word: r"mean over every word",
            losses_indexed_crosswise: r"of all 4 true words",
            losses_as_perplexity: r"perplexity",
            losses_to_base_ten: r"base 10",
            losses_of_the_highest: r"highest log-probability",
            losses_of_the_unasked: r"8 positions where nothing was asked",
            losses_of_all_by_words: r"its sum has all 12 positions",
            losses_out_of_step: r"out of step",
            losses_as_bare_numbers: r"bare number",
            pairs_negative: r"pair loss is .*sign is wrong",
            pairs_in_bits: r"pair loss is in bits",
            pairs_of_raw_scores: r"pair loss.* minus the mean score",
            pairs_without_log: r"pair loss.* minus the mean probability",
            pairs_over_the_batch: r"over the pairs of the batch",
            pairs_by_one_score: r"one of the two scores",
            pairs_of_two_questions_added: r"adds up two questions",
        }),
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="How many words were guessed?",
        task="Write the accuracy of the masked words: of those that were to be guessed, the share whose score is the highest. A perfect model must score 1.",
        hints=("Positions that were not masked have the label -100. They belong neither among the hits nor among what you divide by.",
               "`hits[chosen]` keeps the chosen ones only, as one flat list. Its mean, as floats, is the share."),
        paragraph="Accuracies, over the right positions",
        solution=word_accuracy, check=check_word_accuracy, right=(accuracy_by_counting, accuracy_by_sums, accuracy_in_numpy),
        wrong={
            accuracy_of_all_positions: r"all 16 positions.*perfect model would score 0\.44",
            accuracy_not_divided: r"count the hits, 5",
            accuracy_per_row: r"hits per row",
            accuracy_of_rows: r"mean of the rows'",
            accuracy_without_id_zero: r"word with id 0",
            accuracy_with_gifts: r"not masked counts as a hit",
            accuracy_of_errors: r"share of wrong guesses",
            accuracy_of_the_lowest: r"argmin",
            accuracy_over_positions: r"argmax runs over the 8 positions",
            accuracy_as_probability: r"mean probability",
            accuracy_of_each: r"shape \[\], but it has \[7\]",
            accuracy_of_five: r"among the first few",
            accuracy_above_a_half: r"probability above a half",
            accuracy_of_clamped_labels: r"hits at positions that were not asked",
            accuracy_of_all_labels_but_zero: r"label 0 for 'not asked'",
            accuracy_in_per_cent: r"per cent",
            accuracy_of_the_unasked: r"no hit of yours",
            accuracy_rounded: r"misses two words in seven. Is it rounded",
            accuracy_by_heart: r"A perfect model scores 0\.71",
        }),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="A batch in pieces",
        task="A batch does not fit, so it goes through the model in pieces. Leave in the parameters exactly the gradient that the whole batch would have left, and return its loss. "
             "The pieces have different numbers of masked words.",
        hints=("`backward` adds to the gradients that are there. So the pieces' losses must be shares that add up to the loss of the whole.",
               "The loss of the whole is one sum over all masked words, divided by their number. Count them before the first piece; then each piece gives its own sum, divided by that number."),
        paragraph="Divide by the count of the whole batch",
        solution=backward_in_pieces, check=check_backward_in_pieces, right=(pieces_divided_at_the_end, pieces_by_their_share, pieces_row_by_row),
        wrong={
            pieces_mean_of_means: r"mean of the pieces' means",
            pieces_sum_of_means: r"add up the pieces' means",
            pieces_summed: r"never divide by the 10 words",
            pieces_by_pieces: r"divide by the 3 pieces;",
            pieces_by_rows: r"divide by the 8 rows",
            pieces_by_positions: r"all 48 positions",
            pieces_so_far: r"so far",
            pieces_divided_twice: r"3 pieces as well",
            pieces_cleared: r"only the last piece",
            pieces_first_only: r"only the first piece",
            pieces_without_backward: r"have no gradient",
            pieces_glued: r"You run 8 rows at once",
            pieces_last_loss: r"gradient is right, but you return",
            pieces_in_one_backward: r"3 pieces wait for one",
            pieces_that_step: r"weights have moved",
            pieces_by_the_first: r"direction is right, the length is not",
            pieces_upside_down: r"opposite directions",
            pieces_by_share_of_rows: r"by their rows, 3, 2 and 3",
            pieces_weighed_twice: r"a sum has the weight of its words already",
            pieces_by_heart: r"two pieces with 3 and 4 words",
        }),
    Exercise(
        chapter=CHAPTER, size="build", minutes=10, title="What decays",
        task="Sort BERT's parameters into the two groups of the original: everything decays except biases and the weights of the norms.",
        hints=("The names are long: `bert.encoder.layer.0.attention.self.query.bias`. No name *is* `bias`; many end in it.",
               "A norm is recognised by `LayerNorm` somewhere in the name. AdamW takes a list of dicts, each with its `params` and its own `weight_decay`."),
        paragraph="What decays, and what does not",
        solution=parameter_groups, check=check_parameter_groups, right=(groups_by_shape, groups_by_last_words),
        wrong={
            groups_by_whole_names: r"All 10 parameters decay",
            groups_biases_only: r"weights of LayerNorm decay",
            groups_norms_only: r"biases outside the norms decay",
            groups_norm_weights_only: r"All 4 biases decay",
            groups_upside_down: r"upside down",
            groups_without_words: r"word table does not decay",
            groups_with_head_bias: r"cls\.predictions\.bias decays",
            groups_without_decay: r"Nothing decays",
            groups_double_decay: r"does so by 0\.1",
            groups_without_pooler: r"bert\.pooler\.dense\.weight is in the wrong group",
            groups_that_forget: r"4 of the 10 parameters|6 of the 10 parameters are in no group",
            groups_one_by_one: r"two groups",
            groups_that_both_decay: r"second group decays too, by 0\.025",
            groups_by_heart: r"does so by 0\.01;",
            groups_turned_round: r"wrong order",
            groups_by_another_key: r"no weight_decay of its own",
            groups_of_bare_parameters: r"list of 10 \(Parameter",
            groups_that_overlap: r"more than one parameter group",
            groups_without_embeddings: r"is in the wrong group; your groups have \[2, 8\]",
        }),
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=10, title="The learning rate of a step",
        task="Set the learning rate of every group as the original does: up in a line during the warm-up, and then along the line that falls from 1 *at step 0* to 0 at the end. "
             "Each group has its own peak.",
        hints=("At the hand-over the rate does not continue where the warm-up ended: it jumps onto a line that has been falling since step 0.",
               "With 100 steps and a warm-up of 10 the factors of steps 0, 5, 9, 10, 55 are 0, 0.5, 0.9, 0.9, 0.45. The factor is new each time; multiply the peak by it, never the last rate."),
        paragraph="Warm-up and decay",
        solution=set_rates, check=check_set_rates, right=(rates_with_min, rates_step_by_step),
        wrong={
            rates_without_peak: r"The peak is not in it",
            rates_one_for_all: r"Both groups get",
            rates_compounding: r"again and again",
            rates_of_the_peak: r"change peak_lr",
            rates_never_falling: r"never falls",
            rates_at_once: r"There is no warm-up",
            rates_at_full_height: r"warm-up is missing",
            rates_without_drop: r"without the original's drop",
            rates_from_one: r"count from 1",
            rates_of_a_cosine: r"half cosine",
            rates_rising_slowly: r"rise over all 80 steps",
            rates_rising_on: r"after the warm-up your rate rises",
            rates_of_noam: r"Noam",
            rates_until_the_peak: r"steps from 0 to 19",
            rates_of_the_smaller_line: r"smaller of the two lines",
            rates_of_both_lines: r"multiply the two lines",
            rates_that_meet: r"so that nothing drops",
            rates_in_whole_numbers: r"at step 5.*`//`",
            rates_falling_at_the_end: r"at step 50.*`//`",
            rates_one_step_ahead: r"one step ahead",
            rates_falling_late: r"does not arrive",
            rates_of_a_late_cosine: r"half cosine from the end",
            rates_changed_about: r"changed places",
            rates_below_zero: r"below 0 climbs",
            rates_of_the_second: r"the first has a peak of its own",
            rates_of_the_first_group: r"first group only",
            rates_of_copies: r"groups are as they were",
            rates_added: r"add the factor",
            rates_by_heart: r"your rate at \[step, group\] is wrong",
        }),
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="A log that cannot be",
        task="A published tutorial prints `NSP 1.12, MLM 0.07` and is content. Its program adds each loss to the *other* one's running sum, and divides the sum of one step by 10. "
             "What were the losses? Between how many words did the model waver, and had it learnt anything?",
        hints=("Undo both mistakes: swap the names back, multiply by 10. Then compare each loss with what a guess costs.",
               "A guess among n equally likely words costs ln n; so a loss of x is a guess among e to the power of x. For the pairs, n is 2."),
        paragraph="The last patient: a puzzle",
        solution=read_the_log, check=check_read_the_log, right=(log_in_one_line, log_judged, log_in_round_numbers),
        wrong={
            log_as_printed: r"You believe the names: a word loss of 0\.07",
            log_swapped_only: r"leave the division",
            log_times_ten_only: r"undo the division and believe",
            log_divided_again: r"divide once more",
            log_divided_and_believed: r"divide by 10 again",
            log_in_powers_of_two: r"2 to the power",
            log_in_powers_of_ten: r"10 to the power",
            log_of_the_pairs: r"\*pair\* loss",
            log_of_the_sum: r"sum of both losses",
            log_of_the_printed: r"printed number; undo",
            log_without_power: r"the loss itself as the number",
            log_hopeful: r"something was learnt",
            log_by_heart: r"your word_loss is 11\.2, where 9\.0",
            log_of_a_fixed_pair: r"your pair_loss is 0\.7, where 0\.6",
            log_of_a_known_vocabulary: r"30,522, whose logarithm is 10\.3",
            log_undecided: r"wanted is True or False",
            log_half_undone: r"Your word_loss is 1\.120",
        }),
]
