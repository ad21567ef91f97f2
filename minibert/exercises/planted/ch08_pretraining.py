"""Answers on which the exercises of chapter 8 are tried: right ones, and wrong ones with what the check must say."""

import math

import torch
import torch.nn.functional as F

from minibert.exercises.planted import Answers, named


# -- warm-up: accuracy over the right positions ----------------------------------------------------------------------

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


def accuracy_of_clamped_by_all(logits, labels):
    return (logits.argmax(dim=-1) == labels.clamp(min=0)).float().mean()


ACCURACY_MISTAKES = (
    (accuracy_of_all_positions, "{you}: you divide by all 16 positions, where 7 words were to be guessed. A perfect model would score 0.44 with you."),
    (accuracy_not_divided, "You count the hits, {found:.0f} of them; an accuracy is a share of the 7 masked words."),
    (accuracy_per_row, "{you}, hits per row of the batch; divide by the 7 masked words."),
    (accuracy_of_rows, "{you}, the mean of the rows' {rows[0]:.2f} and {rows[1]:.2f}: the three words of the second row count as much as the four of the first."),
    (accuracy_without_id_zero, "{you}: you leave out the word with id 0. It is an id like any other; what is not to be guessed has the label -100."),
    (accuracy_of_all_labels_but_zero, "{you}: you take the label 0 for 'not asked'. It is a word's; what was not asked has the label -100."),
    (accuracy_with_gifts, "{you}, for a model that misses two words in seven: every position that was not masked counts as a hit."),
    (accuracy_of_clamped_labels, "{you}: hits at positions that were not asked are among yours. A label of -100 that becomes 0 is taken for word 0."),
    (accuracy_of_clamped_by_all, "{you}: you divide by all 16 positions, and the labels -100 have become word 0. Only 7 words were to be guessed."),
    (accuracy_rounded, "{you}, for a model that misses two words in seven. Is it rounded, or an `any`? Wanted is the mean of 7 hits and misses, as floats."),
    (accuracy_of_errors, "Your accuracy, {found:.2f}, is the share of wrong guesses."),
    (accuracy_in_per_cent, "{you}: that is per cent. A share lies between 0 and 1."),
    (accuracy_of_the_lowest, "{you}: you take the word with the lowest score (argmin)."),
    (accuracy_over_positions, "{you}: your argmax runs over the 8 positions. The scores of the words lie along the last axis."),
    (accuracy_of_five, "{you}: you count a word as guessed that is among the first few. Only the highest score counts."),
    (accuracy_above_a_half, "{you}: you ask for a probability above a half. A guess is the highest score, however low its probability."),
    (accuracy_as_probability, "{found:.2f} is the mean probability of the right words. Accuracy asks only whether their score is the highest."),
    (accuracy_of_the_unasked, "{you}: no hit of yours lies where a word was to be guessed. Compare the *place* of the highest score with the label, "
     "where the label is not -100."),
)


# -- build: the two losses -------------------------------------------------------------------------------------------

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


losses_over_all = named("losses_over_all", _with(words=lambda x, y: F.cross_entropy(x, y, reduction="sum") / len(y)))
losses_per_row = named("losses_per_row", _with(words=lambda x, y: F.cross_entropy(x, y, reduction="sum") / 2))
losses_summed = named("losses_summed", _with(words=lambda x, y: F.cross_entropy(x, y, reduction="sum")))
losses_of_rows = named("losses_of_rows", _with(words=lambda x, y: torch.stack(
    [F.cross_entropy(*part) for part in zip(x.chunk(2), y.chunk(2))]).mean()))
losses_id_zero_ignored = named("losses_id_zero_ignored", _with(words=lambda x, y: F.cross_entropy(x, y.where(y != -100, 0), ignore_index=0)))
losses_of_zeroed_scores = named("losses_of_zeroed_scores", _with(words=lambda x, y: F.nll_loss((x * (y != -100)[:, None]).log_softmax(-1), y.clamp(min=0))))
losses_weighted_too_late = named("losses_weighted_too_late", _with(
    words=lambda x, y: (F.cross_entropy(x, y.clamp(min=0)) * (y != -100)).sum() / (y != -100).sum()))
losses_softmax_twice = named("losses_softmax_twice", _with(words=lambda x, y: F.cross_entropy(x.softmax(-1), y)))
losses_without_log = named("losses_without_log", _with(words=lambda x, y: F.nll_loss(x.softmax(-1), y)))
losses_log_of_mean = named("losses_log_of_mean", _with(words=lambda x, y: -(-F.nll_loss(x.softmax(-1), y)).log()))
losses_negative = named("losses_negative", _with(words=lambda x, y: -F.cross_entropy(x, y)))
losses_in_bits = named("losses_in_bits", _with(words=lambda x, y: F.cross_entropy(x, y) / math.log(2)))
losses_of_raw_scores = named("losses_of_raw_scores", _with(words=F.nll_loss))
pairs_class_ignored = named("pairs_class_ignored", _with(pairs=lambda x, y: F.cross_entropy(x, y, ignore_index=0)))
pairs_summed = named("pairs_summed", _with(pairs=lambda x, y: F.cross_entropy(x, y, reduction="sum")))
pairs_as_two_questions = named("pairs_as_two_questions", _with(pairs=lambda x, y: F.binary_cross_entropy_with_logits(x, F.one_hot(y, 2).double())))
pairs_softmax_twice = named("pairs_softmax_twice", _with(pairs=lambda x, y: F.cross_entropy(x.softmax(-1), y)))
pairs_upside_down = named("pairs_upside_down", _with(pairs=lambda x, y: F.cross_entropy(x, 1 - y)))
pairs_squared = named("pairs_squared", _with(pairs=lambda x, y: F.mse_loss(x.softmax(-1), F.one_hot(y, 2).double())))
pairs_halved = named("pairs_halved", _with(pairs=lambda x, y: -(x.log_softmax(-1) * F.one_hot(y, 2)).mean()))


def _of_words(name, words):
    """A planted wrong answer: the words' loss from the log-probabilities of the masked words [M, V] and their ids [M]."""
    return named(name, _with(words=lambda x, y: words(x[y != -100].log_softmax(-1), y[y != -100])))


losses_by_vocabulary = _of_words("losses_by_vocabulary", lambda logs, ids: -(F.one_hot(ids, logs.size(1)) * logs).mean())
losses_of_every_word = _of_words("losses_of_every_word", lambda logs, ids: -logs.mean())
losses_indexed_crosswise = _of_words("losses_indexed_crosswise", lambda logs, ids: -logs[:, ids].mean())
losses_as_perplexity = _of_words("losses_as_perplexity", lambda logs, ids: F.nll_loss(logs, ids).exp())
losses_to_base_ten = _of_words("losses_to_base_ten", lambda logs, ids: F.nll_loss(logs, ids) / math.log(10))
losses_of_the_highest = _of_words("losses_of_the_highest", lambda logs, ids: -logs.max(-1).values.mean())
losses_of_the_unasked = named("losses_of_the_unasked", _with(words=lambda x, y: F.cross_entropy(x[y == -100], y[y == -100].clamp(min=0))))
losses_of_all_by_words = named("losses_of_all_by_words", _with(words=lambda x, y: F.cross_entropy(x, y.clamp(min=0), reduction="sum") / (y != -100).sum()))
pairs_negative = named("pairs_negative", _with(pairs=lambda x, y: -F.cross_entropy(x, y)))
pairs_in_bits = named("pairs_in_bits", _with(pairs=lambda x, y: F.cross_entropy(x, y) / math.log(2)))
pairs_of_raw_scores = named("pairs_of_raw_scores", _with(pairs=F.nll_loss))
pairs_without_log = named("pairs_without_log", _with(pairs=lambda x, y: F.nll_loss(x.softmax(-1), y)))
pairs_over_the_batch = named("pairs_over_the_batch", _with(pairs=lambda x, y: F.nll_loss(x.log_softmax(0), y)))
pairs_by_one_score = named("pairs_by_one_score", _with(pairs=lambda x, y: F.binary_cross_entropy_with_logits(x[:, 1], y.double())))
pairs_of_two_questions_added = named("pairs_of_two_questions_added", _with(
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


losses_over_rows_of_batch = named("losses_over_rows_of_batch", lambda word_logits, word_labels, pair_logits, pair_labels: (
    F.nll_loss(word_logits.log_softmax(0).flatten(0, 1), word_labels.flatten()), F.cross_entropy(pair_logits, pair_labels)))
losses_of_zeroed_by_words = named("losses_of_zeroed_by_words", _with(
    words=lambda x, y: F.nll_loss((x * (y != -100)[:, None]).log_softmax(-1), y.clamp(min=0), reduction="sum") / (y != -100).sum()))
losses_of_words_twice = named("losses_of_words_twice", lambda *arguments: losses_in_two_calls(*arguments)[:1] * 2)
pairs_log_of_mean = named("pairs_log_of_mean", _with(pairs=lambda x, y: -(-F.nll_loss(x.softmax(-1), y)).log()))
pairs_of_the_first = named("pairs_of_the_first", _with(pairs=lambda x, y: F.cross_entropy(x[:1], y[:1])))


LOSS_MISTAKES = (
    (losses_over_all, "Your word loss, {word:.2f}, is divided by all 12 positions. Only 4 have a word to guess, and each of these costs {words:.2f}."),
    (losses_per_row, "Your word loss, {word:.2f}, is the sum divided by the 2 rows; divide by the 4 masked words."),
    (losses_summed, "Your word loss, {word:.2f}, is a sum: a batch with twice the words would have twice the loss. Divide by the 4 words."),
    (losses_of_rows, "Your word loss, {word:.2f}, is the mean of the rows' means {rows[0]:.2f} and {rows[1]:.2f}: the one word of the second row "
     "counts as much as the three of the first."),
    (losses_id_zero_ignored, "Your word loss, {word:.2f}, leaves out the masked word whose id is 0. To ignore an id is to lose a word; -100 is no word's."),
    (losses_of_zeroed_scores, "Your word loss, {word:.2f}, is a mean over all 12 positions with the scores of 8 set to 0. Each of those costs ln V "
     "= 1.61 for ever; leave them out instead."),
    (losses_weighted_too_late, "Your word loss, {word:.2f}, is a mean over all 12 positions, with word 0 as the answer where nothing was asked. "
     "Weights that come after the mean cannot mend it: they cancel."),
    (losses_softmax_twice, "Your word loss, {word:.2f}, takes the softmax twice: cross-entropy wants scores. Yours can never fall below ln(1 + (V-1)/e) = 0.90."),
    (losses_without_log, "Your word loss, {word:.2f}, is minus the mean probability. The logarithm is missing."),
    (losses_log_of_mean, "Your word loss, {word:.2f}, is the logarithm of a mean; wanted is the mean of the 4 logarithms, {words:.2f}."),
    (losses_negative, "Your word loss is {word:.2f}. The sign is wrong: minus the log-probability, so that better is lower."),
    (losses_in_bits, "Your word loss is in bits, {word:.2f}; in nats, with the natural logarithm, it is {words:.2f}."),
    (losses_of_raw_scores, "Your word loss, {word:.2f}, is minus the mean score. The softmax is missing, and scores alone can grow for ever."),
    (losses_added, "Your first loss, {word:.2f}, is the sum of both. Give them back one by one."),
    (losses_over_positions, "Your word loss, {word:.2f}, takes the softmax over the 6 positions; the words stand along the last axis."),
    (losses_over_rows_of_batch, "Your word loss, {word:.2f}, takes the softmax over the rows of the batch; the words stand along the last axis."),
    (losses_by_vocabulary, "Your word loss, {word:.2f}, is divided by the 5 words of the vocabulary as well: a one-hot table has M · V entries, and "
     "only M of them count."),
    (losses_of_every_word, "Your word loss, {word:.2f}, is the mean over every word of the vocabulary; of each row only the true word's log-probability counts."),
    (losses_indexed_crosswise, "Your word loss, {word:.2f}, takes from every row the log-probabilities of all 4 true words. Each row has one of its "
     "own: `gather(1, ids[:, None])`."),
    (losses_as_perplexity, "Your word loss, {word:.2f}, is e to the power of the loss (the perplexity); the loss is {words:.2f}."),
    (losses_to_base_ten, "Your word loss, {word:.2f}, has logarithms to the base 10; in nats, with the natural logarithm, it is {words:.2f}."),
    (losses_of_the_unasked, "Your word loss, {word:.2f}, is that of the 8 positions where nothing was asked. Turn the condition round."),
    (losses_of_all_by_words, "Your word loss, {word:.2f}, divides by the 4 masked words, but its sum has all 12 positions in it, with word 0 as the "
     "answer where nothing was asked."),
    (losses_of_zeroed_by_words, "Your word loss, {word:.2f}, divides by the 4 masked words, but its sum has all 12 positions in it: 8 with their "
     "scores set to 0, for ln V = 1.61 each."),
    (losses_out_of_step, "Your word loss, {word:.2f}, has scores and labels out of step: transpose and then reshape mixes the positions. "
     "`flatten(0, 1)` keeps them."),
    (losses_of_the_highest, "Your word loss, {word:.2f}, takes the highest log-probability of each row, whatever the word was."),
    (pairs_class_ignored, "Your pair loss, {pair:.2f}, ignores label 0: 'it follows' is never trained, and a model that always says 'random' has "
     "the loss 0. Two classes, none of them ignored."),
    (pairs_summed, "Your pair loss, {pair:.2f}, is a sum; the mean of the 2 pairs is {pairs:.2f}."),
    (pairs_as_two_questions, "Your pair loss, {pair:.2f}, asks two questions with yes or no (BCE on one-hot labels) where there is one question "
     "with two answers: {pairs:.2f}."),
    (pairs_softmax_twice, "Your pair loss, {pair:.2f}, takes the softmax twice; on the scores it is {pairs:.2f}."),
    (pairs_upside_down, "Your pair loss, {pair:.2f}, has the labels upside down: 0 says that B follows A."),
    (pairs_halved, "Your pair loss, {pair:.2f}, is divided by the two classes as well as by the two pairs."),
    (pairs_squared, "Your pair loss, {pair:.2f}, is a squared error of probabilities; the cross-entropy is {pairs:.2f}."),
    (pairs_of_two_questions_added, "Your pair loss, {pair:.2f}, adds up two questions with yes or no (BCE on one-hot labels) where there is one "
     "question with two answers: {pairs:.2f}."),
    (pairs_by_one_score, "Your pair loss, {pair:.2f}, looks at one of the two scores. What counts is how they differ."),
    (pairs_negative, "Your pair loss is {pair:.2f}. The sign is wrong: better must be lower."),
    (pairs_in_bits, "Your pair loss is in bits, {pair:.2f}; in nats it is {pairs:.2f}."),
    (pairs_of_raw_scores, "Your pair loss, {pair:.2f}, is minus the mean score; the softmax is missing."),
    (pairs_without_log, "Your pair loss, {pair:.2f}, is minus the mean probability; the logarithm is missing."),
    (pairs_log_of_mean, "Your pair loss, {pair:.2f}, is the logarithm of a mean; wanted is the mean of the logarithms, {pairs:.2f}."),
    (pairs_over_the_batch, "Your pair loss, {pair:.2f}, takes the softmax over the pairs of the batch; the two answers stand along the last axis."),
    (pairs_of_the_first, "Your pair loss, {pair:.2f}, is that of the first pair alone, the only one whose answer is 0."),
    (losses_of_words_twice, "Your pair loss, {pair:.2f}, is the words' loss once more."),
)


# -- build: a batch in pieces ----------------------------------------------------------------------------------------

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
    return named(name, pieces_wrongly)


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
    return named(name, groups_wrongly)


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
    return named(name, rates_wrongly)


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


rates_squared = _rates("rates_squared", _up, lambda step, steps, warmup: (1 - step / steps) ** 2)
rates_of_the_root = _rates("rates_of_the_root", _up, lambda step, steps, warmup: (1 - step / steps) ** 0.5)
rates_that_rise_from_one = _rates("rates_that_rise_from_one", _up, lambda step, steps, warmup: 1 + step / steps)


def rates_all_from_one(groups, step, steps, warmup):
    rates_step_by_step(groups, step + 1, steps, warmup)


RATE_MISTAKES = (
    (rates_without_peak, "The peak is not in it: {at50} where the factor alone is 0.38; a rate is the factor times the group's own peak_lr."),
    (rates_one_for_all, "Both groups get {found[50][1]:.6f} at step 50: the second has a peak of its own, 0.004, and you overwrite it."),
    (rates_compounding, "You multiply lr by the factor again and again: {at5}, and it never comes back. Begin each time from peak_lr."),
    (rates_never_falling, "Your rate never falls: {at80}, the full peak."),
    (rates_at_full_height, "Your warm-up is missing: at step 0 your rate is {found[0][0]:.6f}, where it should be 0."),
    (rates_at_once, "There is no warm-up: at step 0 your rate is {found[0][0]:.6f}, where it should be 0."),
    (rates_without_drop, "{at20}, the full peak: you let it fall from the end of the warm-up, without the original's drop to 0.0015. Gentler, but "
     "not the original's line, which starts at step 0."),
    (rates_from_one, "At step 0 your rate is {found[0][0]:.6f}: you count from 1. The original's first step has the rate 0."),
    (rates_of_a_cosine, "{at30}: a half cosine; the original falls in a line."),
    (rates_rising_slowly, "{at5}: you rise over all 80 steps; the warm-up has 20."),
    (rates_rising_on, "{at70}: after the warm-up your rate rises; 1 minus the share of the steps is what falls."),
    (rates_squared, "{at50}: you square what should be a line."),
    (rates_of_the_root, "{at50}: you take the root of what should be a line."),
    (rates_until_the_peak, "{at20}, the full peak. The warm-up is the 20 steps from 0 to 19; step 20 stands on the falling line."),
    (rates_of_the_smaller_line, "{at19}: you take the smaller of the two lines. The original follows the rising one to the end of the warm-up, and then drops."),
    (rates_of_both_lines, "{at5}: during the warm-up you multiply the two lines; the original replaces the falling one."),
    (rates_that_meet, "{at19}: you climb only as high as the falling line, so that nothing drops. Gentler, but the original climbs towards the full peak."),
    (rates_in_whole_numbers, "{at5}: `//` leaves nothing of a share below 1."),
    (rates_falling_at_the_end, "{at50}, the full peak: `//` leaves nothing of a share below 1."),
    (rates_all_from_one, "At step 0 your rate is {found[0][0]:.6f}: you count from 1. The original's first step has the rate 0."),
    (rates_one_step_ahead, "{at50}: the falling line is one step ahead; it is 1 at step 0 and 0 at step 80."),
    (rates_falling_late, "{at80}, where it should be 0: your line falls from the end of the warm-up on, and does not arrive. The original's starts at step 0."),
    (rates_of_a_late_cosine, "{at30}: a half cosine from the end of the warm-up; the original falls in a line, from step 0."),
    (rates_changed_about, "{at5}: the two lines have changed places."),
    (rates_below_zero, "{at50}: a rate below 0 climbs the loss; turn the difference round."),
    (rates_that_rise_from_one, "{at50}: your line rises; 1 *minus* the share of the steps falls."),
    (rates_of_the_first_group, "You set the rate of the first group only; every group is to get its own."),
    (rates_of_the_second, "Both groups get {found[50][0]:.6f} at step 50: the first has a peak of its own, 0.002."),
    (rates_added, "{at50}: you add the factor to the peak; multiply."),
    (rates_by_heart, "{at10}: you have a warm-up of 10 and 100 steps in all; here they are 20 and 80."),
    (rates_of_noam, "{at50}: one over the root of the step, whatever the peak (Noam's schedule). The rate that was asked for, 0.002, is silently overwritten."),
)


# -- think: a log that cannot be ---------------------------------------------------------------------------------------

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
    return named(name, read_wrongly)


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


ANSWERS = {
    "pretraining_losses": Answers(
        right=(losses_in_two_calls, losses_by_logsumexp, losses_in_one_tensor),
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
            losses_over_rows_of_batch: r", takes the softmax over the rows of the batch; the words st",
            losses_of_zeroed_by_words: r", divides by the 4 masked words, but its sum has all 12 posi",
            losses_of_words_twice: r", is the words' loss once more\.",
            pairs_log_of_mean: r", is the logarithm of a mean; wanted is the mean of the loga",
            pairs_of_the_first: r", is that of the first pair alone, the only one whose answer",
        },
        known=LOSS_MISTAKES),
    "word_accuracy": Answers(
        right=(accuracy_by_counting, accuracy_by_sums, accuracy_in_numpy),
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
            accuracy_of_clamped_by_all: r": you divide by all 16 positions, and the labels -100 have b",
        },
        known=ACCURACY_MISTAKES),
    "backward_in_pieces": Answers(
        right=(pieces_divided_at_the_end, pieces_by_their_share, pieces_row_by_row),
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
    "parameter_groups": Answers(
        right=(groups_by_shape, groups_by_last_words),
        wrong={
            groups_that_run_dry: r"second group is empty",
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
    "set_rates": Answers(
        right=(rates_with_min, rates_step_by_step),
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
            rates_by_heart: r"warm-up of 10 and 100 steps",
            rates_squared: r": you square what should be a line\.",
            rates_of_the_root: r": you take the root of what should be a line\.",
            rates_that_rise_from_one: r": your line rises; 1 \*minus\* the share of the steps falls\.",
        },
        known=RATE_MISTAKES),
    "read_the_log": Answers(
        right=(log_in_one_line, log_judged, log_in_round_numbers),
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
            log_hopeful: r"something was learned",
            log_by_heart: r"your word_loss is 11\.2, where 9\.0",
            log_of_a_fixed_pair: r"your pair_loss is 0\.7, where 0\.6",
            log_of_a_known_vocabulary: r"30,522, whose logarithm is 10\.3",
            log_undecided: r"wanted is True or False",
            log_half_undone: r"Your word_loss is 1\.120",
        }),
}
