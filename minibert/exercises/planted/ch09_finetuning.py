"""Answers on which the exercises of chapter 9 are tried: right ones, and wrong ones with what the check must say."""

import math

import torch
import torch.nn.functional as F

from minibert.exercises.planted import Answers, named
from minibert.heads import IGNORE


# -- warm-up: the scores of a text -------------------------------------------------------------------------------------

def logits_by_modules(hidden, pooler_weight, pooler_bias, weight, bias):
    return F.linear(F.linear(hidden.select(1, 0), pooler_weight, pooler_bias).tanh(), weight, bias)


def logits_by_sums(hidden, pooler_weight, pooler_bias, weight, bias):
    every = torch.einsum("bsh,kh->bsk", hidden, pooler_weight).add(pooler_bias).tanh()
    return torch.einsum("bsh,kh->bsk", every, weight)[:, 0] + bias


def _logits(vector=lambda hidden: hidden[:, 0], turn=torch.tanh, transposed=False, shift=1.0, last=1.0, after=lambda x: x, pooler=True):
    """A planted wrong answer: one thing changed."""
    def wrong(hidden, pooler_weight, pooler_bias, weight, bias):
        x = vector(hidden)
        if pooler:
            x = turn(x @ (pooler_weight if transposed else pooler_weight.T) + shift * pooler_bias)
        return after(x @ weight.T + last * bias)
    return wrong


logits_of_mean = named("logits_of_mean", _logits(vector=lambda hidden: hidden.mean(1)))
logits_of_last = named("logits_of_last", _logits(vector=lambda hidden: hidden[:, -1]))
logits_of_first_word = named("logits_of_first_word", _logits(vector=lambda hidden: hidden[:, 1]))
logits_unpooled = named("logits_unpooled", _logits(pooler=False))
logits_linear = named("logits_linear", _logits(turn=lambda x: x))
logits_sigmoid = named("logits_sigmoid", _logits(turn=torch.sigmoid))
logits_relu = named("logits_relu", _logits(turn=torch.relu))
logits_sideways = named("logits_sideways", _logits(transposed=True))
logits_without_pooler_bias = named("logits_without_pooler_bias", _logits(shift=0.0))
logits_without_bias = named("logits_without_bias", _logits(last=0.0))
logits_as_probabilities = named("logits_as_probabilities", _logits(after=lambda x: x.softmax(-1)))
logits_as_logs = named("logits_as_logs", _logits(after=lambda x: x.log_softmax(-1)))
logits_squeezed = named("logits_squeezed", _logits(after=torch.tanh))
logits_of_every_token = named("logits_of_every_token", _logits(vector=lambda hidden: hidden))


# -- build: a label for each word --------------------------------------------------------------------------------------

def labels_by_neighbours(word_ids, tags, number):
    return [IGNORE if word is None or word == before else number[tags[word]] for before, word in zip([None, *word_ids], word_ids)]


def labels_by_first_places(word_ids, tags, number):
    labels = torch.full((len(word_ids),), IGNORE)
    for word in set(word_ids) - {None}:
        labels[word_ids.index(word)] = number[tags[word]]
    return labels


def _pieces(rule):
    """A planted wrong answer. rule(word, is_first, is_last, tag's number) -> a label."""
    def wrong(word_ids, tags, number):
        labels = []
        for i, word in enumerate(word_ids):
            first = word is not None and (i == 0 or word_ids[i - 1] != word)
            last = word is not None and (i == len(word_ids) - 1 or word_ids[i + 1] != word)
            labels.append(rule(word, first, last, None if word is None else number[tags[word]]))
        return labels
    return wrong


labels_every_piece = named("labels_every_piece", _pieces(lambda word, first, last, tag: IGNORE if word is None else tag))
labels_last_piece = named("labels_last_piece", _pieces(lambda word, first, last, tag: tag if last else IGNORE))
labels_rest_is_o = named("labels_rest_is_o", _pieces(lambda word, first, last, tag: tag if first else 0))
labels_specials_are_o = named("labels_specials_are_o", _pieces(lambda word, first, last, tag: 0 if word is None else tag if first else IGNORE))
labels_later_are_o = named("labels_later_are_o", _pieces(lambda word, first, last, tag: IGNORE if word is None else tag if first else 0))
labels_inside = named("labels_inside", _pieces(lambda word, first, last, tag: IGNORE if word is None else tag if first or tag % 2 == 0 else tag + 1))
labels_short = named("labels_short", lambda word_ids, tags, number: [label for label in labels_by_neighbours(word_ids, tags, number) if label != IGNORE])
labels_late = named("labels_late", lambda word_ids, tags, number: [IGNORE, *labels_by_neighbours(word_ids, tags, number)][:-2] + [IGNORE])
labels_zero_is_false = named("labels_zero_is_false", _pieces(lambda word, first, last, tag: tag if word and first else IGNORE))
labels_names = named("labels_names", lambda word_ids, tags, number: labels_by_neighbours(word_ids, tags, {tag: tag for tag in tags}))


def labels_counted(word_ids, tags, number):
    labels, count, before = [], 0, None
    for word in word_ids:
        if word is None or word == before:
            labels.append(IGNORE)
        else:
            labels.append(number[tags[count]])
            count += 1
        before = word
    return labels


def labels_by_place(word_ids, tags, number):
    labels = [IGNORE, *(number[tag] for tag in tags)]
    return labels + [IGNORE] * (len(word_ids) - len(labels))


# -- build: entities ---------------------------------------------------------------------------------------------------

def entities_by_looking_ahead(tags):
    entities, place = [], 0
    while place < len(tags):
        end = place + 1
        if tags[place] != "O":
            kind = tags[place].split("-", 1)[1]
            while end < len(tags) and tags[end] == f"I-{kind}":
                end += 1
            entities.append((place, end, kind))
        place = end
    return entities


def entities_by_edges(tags):
    kinds = [None if tag == "O" else tag[2:] for tag in tags]
    begins = [i for i, kind in enumerate(kinds) if kind and (tags[i].startswith("B") or i == 0 or kinds[i - 1] != kind)]
    edges = sorted({*begins, *(i for i, kind in enumerate(kinds) if kind is None), len(tags)})
    return [[i, next(edge for edge in edges if edge > i), kinds[i]] for i in begins]


def _entities(joins_b=False, joins_kinds=False, orphans=True, loses_last=False, each=False, change=lambda start, end, kind: (start, end, kind)):
    """A planted wrong answer: the loop with one thing changed."""
    def wrong(tags):
        entities, start, kind = [], None, None
        for place, tag in enumerate(tags if loses_last else [*tags, "O"]):
            other = tag != "O" and tag[2:] != kind and not (joins_kinds and kind)
            begins = other or (tag[0] == "B" and not (joins_b and kind == tag[2:])) or (each and tag != "O")
            if kind is not None and (begins or tag == "O"):
                entities.append(change(start, place, kind))
                start, kind = None, None
            if begins and (orphans or tag[0] == "B"):
                start, kind = place, tag[2:]
        return entities
    return wrong


def entities_remembering(tags):
    entities, start, kind = [], None, None
    for place, tag in enumerate([*tags, "O"]):
        begins = tag[0] == "B" or (tag[0] == "I" and tag[2:] != kind)
        if start is not None and (begins or tag == "O"):
            entities.append((start, place, kind))
            start = None
        if begins:
            start, kind = place, tag[2:]
    return entities


entities_joined = named("entities_joined", _entities(joins_b=True))
entities_mixed = named("entities_mixed", _entities(joins_kinds=True))
entities_strict = named("entities_strict", _entities(orphans=False))
entities_open_end = named("entities_open_end", _entities(loses_last=True))
entities_every_word = named("entities_every_word", _entities(each=True))
entities_inclusive = named("entities_inclusive", _entities(change=lambda start, end, kind: (start, end - 1, kind)))
entities_from_one = named("entities_from_one", _entities(change=lambda start, end, kind: (start + 1, end + 1, kind)))
entities_without_kind = named("entities_without_kind", _entities(change=lambda start, end, kind: (start, end)))
entities_whole_tags = named("entities_whole_tags", _entities(change=lambda start, end, kind: (start, end, f"B-{kind}")))
entities_cut_at_hyphen = named("entities_cut_at_hyphen", _entities(change=lambda start, end, kind: (start, end, kind.split("-")[0])))
entities_one_word = named("entities_one_word", _entities(change=lambda start, end, kind: (start, start + 1, kind)))


# -- build: the best span ----------------------------------------------------------------------------------------------

def span_by_loops(start, end, allowed, max_answer):
    best, found = -math.inf, None
    for i in range(len(start)):
        for j in range(i, min(i + max_answer, len(end))):
            if allowed[i] and allowed[j] and start[i] + end[j] > best:
                best, found = start[i] + end[j], (i, j)
    return found


def span_by_band(start, end, allowed, max_answer):
    scores = torch.outer(start.exp() * allowed, end.exp() * allowed).triu().tril(max_answer - 1)
    return tuple(int(i) for i in torch.unravel_index(scores.argmax(), scores.shape))


def _span(score=lambda start, end: start[:, None] + end[None, :], least=1, slack=0, most=True, inside=True, fill=-torch.inf, change=lambda i, j: (i, j)):
    """A planted wrong answer: the matrix with one thing changed."""
    def wrong(start, end, allowed, max_answer):
        places = torch.arange(len(start))
        length = places[None, :] - places[:, None] + 1
        valid = length >= least
        if most:
            valid &= length <= max_answer + slack
        if inside:
            valid &= allowed[:, None] & allowed[None, :]
        return change(*divmod(int(score(start, end).masked_fill(~valid, fill).argmax()), len(start)))
    return wrong


def span_apart_inside(start, end, allowed, max_answer):
    return int(start.masked_fill(~allowed, -torch.inf).argmax()), int(end.masked_fill(~allowed, -torch.inf).argmax())


def span_start_first(start, end, allowed, max_answer):
    i = int(start.masked_fill(~allowed, -torch.inf).argmax())
    reach = allowed & (torch.arange(len(end)) >= i) & (torch.arange(len(end)) < i + max_answer)
    return i, int(end.masked_fill(~reach, -torch.inf).argmax())


def span_end_anywhere(start, end, allowed, max_answer):
    return _span(inside=False)(start.masked_fill(~allowed, -torch.inf), end, allowed, max_answer)


span_start_anywhere = named("span_start_anywhere", lambda start, end, allowed, max_answer: _span(inside=False)(start, end.masked_fill(~allowed, -torch.inf), allowed, max_answer))
span_apart = named("span_apart", lambda start, end, allowed, max_answer: (int(start.argmax()), int(end.argmax())))
span_product = named("span_product", _span(score=lambda start, end: start[:, None] * end[None, :]))
span_end_only = named("span_end_only", _span(score=lambda start, end: (0 * start)[:, None] + end[None, :]))
span_unlimited = named("span_unlimited", _span(most=False))
span_too_short = named("span_too_short", _span(slack=-1))
span_swapped = named("span_swapped", _span(change=lambda i, j: (j, i)))
span_behind = named("span_behind", _span(change=lambda i, j: (i, j + 1)))
span_filled_with_zero = named("span_filled_with_zero", _span(fill=0.0))
span_flat = named("span_flat", lambda start, end, allowed, max_answer: int(_span()(start, end, allowed, max_answer)[0] * len(start)))


# -- think: how many test examples -------------------------------------------------------------------------------------

def needed_by_standard_error(one, other, z=2.0):
    n = 1
    while abs(one - other) < z * math.sqrt((one * (1 - one) + other * (1 - other)) / n):
        n += 1
    return n


def needed_by_bernoulli(one, other, z=2.0):
    both = torch.tensor([one, other], dtype=torch.float64)
    return int(torch.ceil(torch.distributions.Bernoulli(both).variance.sum() * (z / both.diff()) ** 2))


def _needed(formula):
    return lambda one, other, z=2.0: math.ceil(formula(one * (1 - one), other * (1 - other), abs(one - other), z))


needed_z = named("needed_z", _needed(lambda p, q, gap, z: z * (p + q) / gap ** 2))
needed_gap = named("needed_gap", _needed(lambda p, q, gap, z: z ** 2 * (p + q) / gap))
needed_first_only = named("needed_first_only", _needed(lambda p, q, gap, z: z ** 2 * p / gap ** 2))
needed_second_only = named("needed_second_only", _needed(lambda p, q, gap, z: z ** 2 * q / gap ** 2))
needed_deviations = named("needed_deviations", _needed(lambda p, q, gap, z: z ** 2 * (math.sqrt(p) + math.sqrt(q)) ** 2 / gap ** 2))
needed_mean = named("needed_mean", _needed(lambda p, q, gap, z: z ** 2 * (p + q) / 2 / gap ** 2))
needed_without_z = named("needed_without_z", _needed(lambda p, q, gap, z: (p + q) / gap ** 2))
needed_cancelled = named("needed_cancelled", _needed(lambda p, q, gap, z: z ** 2 * abs(p - q) / gap ** 2))
needed_root = named("needed_root", _needed(lambda p, q, gap, z: z * math.sqrt(p + q) / gap))
needed_down = named("needed_down", lambda one, other, z=2.0: int(z ** 2 * (one * (1 - one) + other * (1 - other)) / (one - other) ** 2))
needed_fraction = named("needed_fraction", lambda one, other, z=2.0: z ** 2 * (one * (1 - one) + other * (1 - other)) / (one - other) ** 2)
needed_pooled = named("needed_pooled", lambda one, other, z=2.0: math.ceil(z ** 2 * (one + other) * (1 - (one + other) / 2) / (one - other) ** 2))
needed_two = named("needed_two", _needed(lambda p, q, gap, z: 4 * (p + q) / gap ** 2))
needed_p = named("needed_p", lambda one, other, z=2.0: math.ceil(z ** 2 * (one + other) / (one - other) ** 2))


def _head(name, read=lambda hidden: hidden[:, 0], turn=torch.tanh, last=lambda logits: logits, times=1):
    """A planted wrong head: another vector, another activation, something behind it."""
    def answer(hidden, pooler_weight, pooler_bias, weight, bias):
        vector = read(hidden)
        for _ in range(times):
            vector = turn(vector @ pooler_weight.T + pooler_bias)
        return last(vector @ weight.T + bias)
    return named(name, answer)


logits_of_the_largest = _head("logits_of_the_largest", read=lambda hidden: hidden.amax(1))
logits_of_the_sum = _head("logits_of_the_sum", read=lambda hidden: hidden.sum(1))
logits_by_gelu = _head("logits_by_gelu", turn=torch.nn.functional.gelu)
logits_squashed = _head("logits_squashed", last=torch.sigmoid)
logits_pooled_twice = _head("logits_pooled_twice", times=2)
logits_detached = _head("logits_detached", last=torch.detach)


ANSWERS = {
    "text_logits": Answers(
        right=(logits_by_modules, logits_by_sums),
        wrong={logits_of_mean: "mean of all 5 tokens", logits_of_last: "place 4, the last", logits_of_first_word: "place 1, the first word", logits_unpooled: "The pooler is missing",
               logits_linear: "The tanh is missing", logits_sigmoid: "a sigmoid where", logits_relu: "a ReLU where", logits_sideways: "lies on its side",
               logits_without_pooler_bias: "The pooler's bias", logits_without_bias: "The classifier's bias", logits_as_probabilities: "give back probabilities",
               logits_as_logs: "log-probabilities", logits_squeezed: "behind the classifier too", logits_of_every_token: "should have the shape \\[2, 3\\]",
               logits_of_the_largest: "largest of each number", logits_of_the_sum: "sum of all 5", logits_by_gelu: "a GELU where", logits_squashed: "sigmoid, from 0 to 1",
               logits_pooled_twice: "pooler twice", logits_detached: "no gradient goes"}),
    "first_piece_labels": Answers(
        right=(labels_by_neighbours, labels_by_first_places),
        wrong={labels_every_piece: "is then three names", labels_inside: "the later ones as inside", labels_last_piece: "at its \\*last\\* piece", labels_rest_is_o: "is the tag O",
               labels_specials_are_o: "\\[CLS\\] and \\[SEP\\] are taught", labels_later_are_o: "later pieces of a word are taught", labels_counted: "you count the words",
               labels_by_place: "as if every word were one piece", labels_late: "one token too late", labels_zero_is_false: "takes for false", labels_names: "The loss wants numbers",
               labels_short: "4 labels for 9 tokens"}),
    "entities_in": Answers(
        right=(entities_by_looking_ahead, entities_by_edges),
        wrong={entities_joined: "you join them", entities_mixed: "runs from 1 to 4", entities_strict: "'I-loc' right behind a person|no B before them", entities_open_end: "is lost",
               entities_every_word: "You have 5 entities", entities_inclusive: "end at their last word", entities_from_one: "count words from 1",
               entities_without_kind: "The kind is missing", entities_whole_tags: "whole tags", entities_one_word: "one word long",
               entities_cut_at_hyphen: "a hyphen of its own", entities_remembering: "forget its kind"}),
    "best_span": Answers(
        right=(span_by_loops, span_by_band),
        wrong={span_apart: "no place in the passage", span_apart_inside: "chosen apart", span_start_first: "Choose both together", span_product: "their product is large", span_end_only: "look at the end only",
               span_unlimited: "6 tokens, where at most 3", span_too_short: "that span has 2 tokens", span_swapped: "have changed places",
               span_behind: "runs one too far", span_filled_with_zero: "fill it with -∞", span_flat: "two places",
               span_end_anywhere: "the end must be, too", span_start_anywhere: "starts at \\[CLS\\]"}),
    "examples_needed": Answers(
        right=(needed_by_standard_error, needed_by_bernoulli),
        wrong={needed_z: "z squared", needed_gap: "\\*four\\* times", needed_first_only: "first accuracy only", needed_second_only: "second accuracy only",
               needed_deviations: "adds up standard deviations", needed_mean: "mean of the two variances", needed_without_z: "one standard error", needed_cancelled: "does not cancel",
               needed_root: "the root of what is wanted", needed_down: "rounded down", needed_fraction: "there are none: round up", needed_p: "p where the variance",
               needed_pooled: "takes both accuracies for one", needed_two: "has 2 for z"}),
}
