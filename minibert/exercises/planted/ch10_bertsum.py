"""Answers on which the exercises of chapter 10 are tried: right ones, and wrong ones with what the check must say."""

import itertools
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

from minibert.config import BertConfig
from minibert.encoder import BertEncoder
from minibert.exercises.ch10_bertsum import SentenceEncoder, all_states
from minibert.exercises.planted import Answers, named
from minibert.positions import sinusoidal_table
from minibert.summarization.oracle import ngrams, overlap_f1


# -- warm-up: the input ----------------------------------------------------------------------------------------------

def input_by_loops(sentences, cls_id, sep_id):
    rows = [[cls_id, *pieces, sep_id] for pieces in sentences]
    places = [sum(map(len, rows[:n])) for n in range(len(rows))]
    return sum(rows, []), [n & 1 for n, row in enumerate(rows) for _ in row], places


def input_read_back(sentences, cls_id, sep_id):
    ids = [token for pieces in sentences for token in (cls_id, *pieces, sep_id)]
    places = [i for i, token in enumerate(ids) if token == cls_id]
    return torch.tensor(ids), torch.tensor([(sum(place <= i for place in places) - 1) % 2 for i in range(len(ids))]), torch.tensor(places)


def _input(tokens=lambda n, pieces, c, s: [c, *pieces, s], segment=lambda n, length: [n % 2] * length, place=lambda n, ids, tokens: len(ids)):
    """A planted wrong answer: one of the three parts made in another way."""
    def wrong(sentences, cls_id, sep_id):
        ids, segments, places = [], [], []
        for n, pieces in enumerate(sentences):
            row = tokens(n, pieces, cls_id, sep_id)
            places.append(place(n, ids, row))
            segments += segment(n, len(row))
            ids += row
        return ids, segments, places
    return wrong


input_one_cls = named("input_one_cls", _input(tokens=lambda n, pieces, c, s: [*([] if n else [c]), *pieces, s]))
input_no_sep = named("input_no_sep", _input(tokens=lambda n, pieces, c, s: [c, *pieces]))
input_swapped = named("input_swapped", _input(tokens=lambda n, pieces, c, s: [s, *pieces, c]))
input_bare = named("input_bare", _input(tokens=lambda n, pieces, c, s: list(pieces)))
input_numbered = named("input_numbered", _input(segment=lambda n, length: [n] * length))
input_as_pair = named("input_as_pair", _input(segment=lambda n, length: [min(n, 1)] * length))
input_from_one = named("input_from_one", _input(segment=lambda n, length: [1 - n % 2] * length))
input_one_segment = named("input_one_segment", _input(segment=lambda n, length: [0] * length))
input_short_segments = named("input_short_segments", _input(segment=lambda n, length: [n % 2] * (length - 2)))
input_ends = named("input_ends", _input(place=lambda n, ids, tokens: len(ids) + len(tokens) - 1))
input_next = named("input_next", _input(place=lambda n, ids, tokens: len(ids) + len(tokens)))
input_first_piece = named("input_first_piece", _input(place=lambda n, ids, tokens: len(ids) + 1))
input_counts_sentences = named("input_counts_sentences", _input(place=lambda n, ids, tokens: n))
input_counts_pieces = named("input_counts_pieces", _input(place=lambda n, ids, tokens: len(ids) - 2 * n))

input_nested = named("input_nested", _input(tokens=lambda n, pieces, c, s: [c, pieces, s]))
input_no_cls = named("input_no_cls", _input(tokens=lambda n, pieces, c, s: [*pieces, s]))
input_two_cls = named("input_two_cls", _input(tokens=lambda n, pieces, c, s: [c, *pieces, c]))
input_halves = named("input_halves", _input(segment=lambda n, length: [n // 2] * length))
input_fractions = named("input_fractions", _input(segment=lambda n, length: [n / 2] * length))
input_thirds = named("input_thirds", _input(segment=lambda n, length: [n % 3] * length))
input_last_segment = named("input_last_segment", _input(segment=lambda n, length: [int(n == 3)] * length))
input_lists_of_segments = named("input_lists_of_segments", _input(segment=lambda n, length: [[n % 2] * length] * length))
input_one_special = named("input_one_special", _input(place=lambda n, ids, tokens: len(ids) - n))
input_before = named("input_before", _input(place=lambda n, ids, tokens: len(ids) - 1))
input_lengths = named("input_lengths", _input(place=lambda n, ids, tokens: len(tokens)))
input_own_place = named("input_own_place", _input(place=lambda n, ids, tokens: tokens.index(101)))
input_ids_for_places = named("input_ids_for_places", _input(place=lambda n, ids, tokens: tokens[0]))


def input_of_berts_ids(sentences, cls_id, sep_id):
    return input_by_loops(sentences, 101, 102)


def input_that_grows(sentences, cls_id, sep_id):
    for pieces in sentences:
        pieces.append(sep_id)
    return input_by_loops([pieces[:-1] for pieces in sentences], cls_id, sep_id)


# -- build: the greedy oracle ----------------------------------------------------------------------------------------

def _overlap(sentences, summary, numbers, sizes=(1, 2)):
    return sum(overlap_f1(set().union(*(ngrams(sentences[n], size) for n in numbers)), ngrams(summary, size)) for size in sizes)


def greedy_by_recursion(sentences, summary, k, chosen=()):
    now = _overlap(sentences, summary, chosen)
    better = [(_overlap(sentences, summary, (*chosen, n)), -n) for n in range(len(sentences)) if n not in chosen]
    if len(chosen) == k or not better or max(better)[0] <= now:
        return sorted(chosen)
    return greedy_by_recursion(sentences, summary, k, (*chosen, -max(better)[1]))


def greedy_by_gains(sentences, summary, k):
    chosen = []
    for _ in range(k):
        now, winner, most = _overlap(sentences, summary, chosen), None, 0.0
        for n in set(range(len(sentences))) - set(chosen):
            gain = _overlap(sentences, summary, [*chosen, n]) - now
            if gain > most or (gain == most > 0 and n < winner):
                winner, most = n, gain
        if winner is not None:
            chosen.append(winner)
    return [n for n in range(len(sentences)) if n in chosen]


def greedy_alone(sentences, summary, k):
    order = sorted(range(len(sentences)), key=lambda n: -_overlap(sentences, summary, [n]))
    return sorted(order[:k])


def greedy_in_order_of_choice(sentences, summary, k):
    found = greedy_by_recursion(sentences, summary, k)
    return sorted(found, key=lambda n: -_overlap(sentences, summary, [n]))


def _greedy(score=_overlap, stop=lambda new, best: new <= best, last=False, lowest=False, again=False,
            reached=lambda best, value: value):
    """A planted wrong answer: the loop with one thing changed."""
    def wrong(sentences, summary, k):
        chosen, best = [], 0.0
        while len(chosen) < k:
            left = [n for n in range(len(sentences)) if again or n not in chosen]
            if not left:
                break
            values = {n: score(sentences, summary, [*chosen, n]) for n in left}
            winner = (min if lowest else max)(left[::-1] if last else left, key=values.get)
            if stop(values[winner], best):
                break
            chosen.append(winner)
            best = reached(best, values[winner])
        return sorted(chosen)
    return wrong


greedy_never_stops = named("greedy_never_stops", _greedy(stop=lambda new, best: new == 0))
greedy_takes_ties = named("greedy_takes_ties", _greedy(stop=lambda new, best: new < best or new == 0))
greedy_takes_nothing_for_something = named("greedy_takes_nothing_for_something", _greedy(stop=lambda new, best: new <= best and best > 0))
greedy_last_of_equals = named("greedy_last_of_equals", _greedy(last=True))
greedy_lowest = named("greedy_lowest", _greedy(lowest=True))
greedy_last_alone = named("greedy_last_alone", _greedy(score=lambda s, t, numbers: _overlap(s, t, numbers[-1:])))
greedy_twice = named("greedy_twice", _greedy(again=True, stop=lambda new, best: False))
greedy_one_too_few = named("greedy_one_too_few", lambda sentences, summary, k: greedy_by_recursion(sentences, summary, k - 1))
greedy_sums = named("greedy_sums", _greedy(reached=lambda best, value: best + value))
greedy_largest_number = named("greedy_largest_number", lambda sentences, summary, k: [max(range(len(sentences)))])
greedy_labels = named("greedy_labels", lambda sentences, summary, k: [int(n in greedy_by_recursion(sentences, summary, k)) for n in range(len(sentences))])
greedy_sorts_in_place = named("greedy_sorts_in_place", lambda sentences, summary, k: greedy_by_recursion(sentences, summary, k).sort())
greedy_tensors = named("greedy_tensors", lambda sentences, summary, k: list(torch.tensor(greedy_by_recursion(sentences, summary, k))))
greedy_one_too_many = named("greedy_one_too_many", lambda sentences, summary, k: greedy_by_recursion(sentences, summary, k + 1))


def greedy_of_nothing(sentences, summary, k):
    found = greedy_by_recursion(sentences, summary, k)
    if len(found) < k:
        max(n for n in range(len(sentences)) if n not in found and len(sentences) > 1)
    return found


def greedy_by_value(sentences, summary, k):
    scores = {n: _overlap(sentences, summary, [n]) for n in range(len(sentences))}
    return [scores[max(scores.values())]]


def greedy_of_all_sets(sentences, summary, k):
    sets = [numbers for size in range(k + 1) for numbers in itertools.combinations(range(len(sentences)), size)]
    return list(max(sets, key=lambda numbers: (_overlap(sentences, summary, numbers), -len(numbers))))


def _joined(sentences, summary, numbers):
    words = [word for n in numbers for word in sentences[n]]
    return sum(overlap_f1(ngrams(words, size), ngrams(summary, size)) for size in (1, 2))


greedy_across_sentences = named("greedy_across_sentences", _greedy(score=lambda s, t, numbers: _joined(s, t, sorted(numbers))))
greedy_across_choices = named("greedy_across_choices", _greedy(score=_joined))
greedy_by_pairs = named("greedy_by_pairs", _greedy(score=lambda s, t, numbers: _overlap(s, t, numbers, (2,))))


# -- build, and swapped in: the encoder over sentences -----------------------------------------------------------------

class EncoderByHand(SentenceEncoder):
    def logits(self, vectors, mask):
        x = torch.where(mask[..., None], vectors, 0.0) + sinusoidal_table(*vectors.shape[1:]).to(vectors)
        for layer in self.encoder.layer:
            x, _ = layer(x, mask[:, None, None])
        return (self.encoder.norm(x) @ self.scorer.weight.T + self.scorer.bias)[..., 0]

    def forward(self, vectors, mask):
        return torch.sigmoid(self.logits(vectors, mask)).masked_fill(~mask, 0.0)


class EncoderOneByOne(SentenceEncoder):
    def logits(self, vectors, mask):
        rows = []
        for document, real in zip(vectors, mask):
            short = document[real][None]
            states, _ = self.encoder(short + sinusoidal_table(*short.shape[1:]).to(short))
            rows.append(F.pad(self.scorer(states[-1])[0, :, 0], (0, len(real) - int(real.sum()))))
        return torch.stack(rows)

    def forward(self, vectors, mask):
        return torch.where(mask, self.logits(vectors, mask).sigmoid(), torch.zeros(()).to(vectors))


class _Other(SentenceEncoder):
    """The ways to get it wrong: what goes in, who may look where, what is read off."""

    def before(self, vectors, mask):
        return vectors * mask.unsqueeze(-1) + sinusoidal_table(*vectors.shape[1:]).to(vectors)

    def keys(self, mask):
        return mask[:, None, None]

    state = -1

    def logits(self, vectors, mask):
        states, _ = self.encoder(self.before(vectors, mask), self.keys(mask))
        return self.scorer(states[self.state]).squeeze(-1)


class EncoderWithoutPositions(_Other):
    def before(self, vectors, mask):
        return vectors * mask.unsqueeze(-1)


class EncoderScaled(_Other):
    def before(self, vectors, mask):
        return vectors * mask.unsqueeze(-1) * vectors.size(2) ** 0.5 + sinusoidal_table(*vectors.shape[1:]).to(vectors)


class EncoderBackwards(_Other):
    def before(self, vectors, mask):
        return vectors * mask.unsqueeze(-1) + sinusoidal_table(*vectors.shape[1:]).flip(0).to(vectors)


class EncoderWithoutMask(_Other):
    def keys(self, mask):
        return None


class EncoderMaskRound(_Other):
    def keys(self, mask):
        return ~mask[:, None, None]


class EncoderOneLayer(_Other):
    state = -2


class EncoderNoLayer(_Other):
    state = 0


class EncoderTwiceSigmoid(_Other):
    def logits(self, vectors, mask):
        return super().logits(vectors, mask).sigmoid()


class EncoderScoresPadding(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask).sigmoid()


class EncoderGivesLogits(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask) * mask


class EncoderSharesOne(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask).masked_fill(~mask, -torch.inf).softmax(dim=-1)


class EncoderHalfForPadding(SentenceEncoder):
    def forward(self, vectors, mask):
        return (self.logits(vectors, mask) * mask).sigmoid()


class EncoderWithDeadNorm(SentenceEncoder):
    def __init__(self, hidden_size, feedforward_size=2048, num_heads=8, num_layers=2):
        super().__init__(hidden_size, feedforward_size, num_heads, num_layers)
        self.encoder.layer[0].attention.output.LayerNorm = nn.LayerNorm(hidden_size, eps=1e-6)


class EncoderPostNorm(SentenceEncoder):
    def __init__(self, hidden_size, feedforward_size=2048, num_heads=8, num_layers=2):
        super().__init__(hidden_size, feedforward_size, num_heads, num_layers)
        self.encoder = BertEncoder(BertConfig(vocab_size=1, hidden_size=hidden_size, intermediate_size=feedforward_size,
                                              num_attention_heads=num_heads, num_hidden_layers=num_layers))


class EncoderThreeNumbers(SentenceEncoder):
    def logits(self, vectors, mask):
        return super().logits(vectors, mask).unsqueeze(-1)


class EncoderSqueezes(_Other):
    def logits(self, vectors, mask):
        states, _ = self.encoder(self.before(vectors, mask), self.keys(mask))
        return self.scorer(states[-1]).squeeze()


class EncoderOfPositions(_Other):
    def before(self, vectors, mask):
        return super().before(vectors * 0, mask)


class EncoderTimesPositions(_Other):
    def before(self, vectors, mask):
        return vectors * sinusoidal_table(*vectors.shape[1:]).to(vectors)


class EncoderBesidePositions(_Other):
    def before(self, vectors, mask):
        return torch.cat([vectors, sinusoidal_table(*vectors.shape[1:]).to(vectors).expand_as(vectors)], dim=-1)


class EncoderMaskOfQueries(_Other):
    def keys(self, mask):
        return mask[:, None, :, None]


class EncoderMaskFlat(_Other):
    def keys(self, mask):
        return mask


class EncoderMaskOfNumbers(_Other):
    def keys(self, mask):
        return mask[:, None, None].float()


class EncoderWithoutScorer(_Other):
    def logits(self, vectors, mask):
        return self.encoder(self.before(vectors, mask), self.keys(mask))[0][-1][..., 0]


class EncoderOfMeans(_Other):
    def logits(self, vectors, mask):
        return self.encoder(self.before(vectors, mask), self.keys(mask))[0][-1].mean(dim=-1)


class EncoderNormedTwice(_Other):
    def logits(self, vectors, mask):
        last = self.encoder(self.before(vectors, mask), self.keys(mask))[0][-1]
        return self.scorer(F.layer_norm(last, last.shape[-1:])).squeeze(-1)


class EncoderScoresOnlyPadding(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask).sigmoid() * ~mask


class EncoderTanh(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask).tanh() * mask


class EncoderRelu(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask).relu() * mask


class EncoderDecides(SentenceEncoder):
    def forward(self, vectors, mask):
        return (self.logits(vectors, mask).sigmoid() > 0.5) * mask


class EncoderScoresInputs(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.scorer(vectors).squeeze(-1).sigmoid() * mask


class EncoderDetached(SentenceEncoder):
    def logits(self, vectors, mask):
        return super().logits(vectors.detach(), mask)


class EncoderOfTwelve(SentenceEncoder):
    def __init__(self, hidden_size, feedforward_size=2048, num_heads=8, num_layers=2):
        super().__init__(12, 20, 3, 2)


# -- build: a list for every step --------------------------------------------------------------------------------------

def states_by_append(cells, x):
    rows = [[] for _ in x.unbind(1)]
    below = list(x.unbind(1))
    for cell in cells:
        state = x.new_zeros(x.size(0), x.size(2))
        for n, vector in enumerate(below):
            state = cell(vector, state)
            rows[n].append(state)
        below = [row[-1] for row in rows]
    return rows


def states_sentence_by_sentence(cells, x):
    states, before = [], [torch.zeros_like(x[:, 0])] * len(cells)
    for vector in x.unbind(1):
        for i, cell in enumerate(cells):
            vector = cell(vector, before[i])
            before = [*before[:i], vector, *before[i + 1:]]
        states.append(before)
    return states


def states_aliased(cells, x):
    states = [[None] * len(cells)] * x.size(1)
    for i, cell in enumerate(cells):
        state = torch.zeros_like(x[:, 0])
        for n in range(x.size(1)):
            state = cell(x[:, n] if i == 0 else states[n][i - 1], state)
            states[n][i] = state
    return states


def _wrong_states(**mistake):
    return lambda cells, x: [list(column.unbind(0)) for column in all_states(cells, x, **mistake).unbind(0)]


states_copied_late = named("states_copied_late", lambda cells, x: [list(all_states(cells, x)[-1].unbind(0)) for _ in range(x.size(1))])
states_parallel = named("states_parallel", _wrong_states(parallel=True))
states_forgetful = named("states_forgetful", _wrong_states(forget=True))
states_late = named("states_late", _wrong_states(late=True))
states_carried = named("states_carried", _wrong_states(carried=True))
states_backwards = named("states_backwards", lambda cells, x: _wrong_states()(cells, x.flip(1))[::-1])
states_by_layer = named("states_by_layer", lambda cells, x: [list(column) for column in zip(*_wrong_states()(cells, x))])
states_last_layer = named("states_last_layer", lambda cells, x: [[None] * (len(row) - 1) + [row[-1]] for row in _wrong_states()(cells, x)])
states_stacked = named("states_stacked", all_states)


def states_in_place(cells, x):
    states = _wrong_states()(cells, x)
    x.zero_()
    return states


states_of_the_bottom = named("states_of_the_bottom", _wrong_states(bottom=True))
states_before = named("states_before", _wrong_states(before=True))
states_of_its_own = named("states_of_its_own", _wrong_states(own=True))


def _stopping(make, below=lambda x, states, i, n: x[:, n] if i == 0 else states[n][i - 1]):
    """A planted wrong answer that ends in an error: other lists, or something else that a layer reads."""
    def wrong(cells, x):
        states = make(x.size(1), len(cells))
        for i, cell in enumerate(cells):
            state = torch.zeros_like(x[:, 0])               # [B, H]
            for n in range(x.size(1)):
                state = cell(below(x, states, i, n), state)     # [B, H]
                states[n][i] = state
        return states
    return wrong


states_without_places = named("states_without_places", _stopping(lambda length, k: [[]] * length))
states_other_way_round = named("states_other_way_round", _stopping(lambda length, k: [[None] * length for _ in range(k)]))
states_flat = named("states_flat", _stopping(lambda length, k: [None] * length))
states_of_a_document = named("states_of_a_document", _stopping(lambda length, k: [[None] * k for _ in range(length)], lambda x, states, i, n: x[n] if i == 0 else states[n][i - 1]))
states_from_nothing = named("states_from_nothing", _stopping(lambda length, k: [[None] * k for _ in range(length)], lambda x, states, i, n: states[n][i - 1]))


def states_of_four(cells, x):
    return _wrong_states()(cells, x)[:4]


def states_detached(cells, x):
    return _wrong_states()(cells, x.detach())


# -- think: what the recurrent network adds ----------------------------------------------------------------------------

def parts_by_einsum(vectors, recurrent, weight, bias):
    return torch.einsum("bnh,h->bn", vectors, weight), torch.einsum("bh,h->b", recurrent, weight).add(bias).reshape(-1, 1)


def parts_by_difference(vectors, recurrent, weight, bias):
    logits = ((vectors + recurrent.unsqueeze(1)) * weight).sum(dim=-1) + bias
    own = (vectors * weight).sum(dim=-1)
    return own, (logits - own)[:, :1]


parts_whole = named("parts_whole", lambda v, r, w, b: ((v + r[:, None]) @ w + b, (r @ w + b)[:, None]))
parts_bias_first = named("parts_bias_first", lambda v, r, w, b: (v @ w + b, (r @ w)[:, None]))
parts_without_bias = named("parts_without_bias", lambda v, r, w, b: (v @ w, (r @ w)[:, None]))
parts_only_bias = named("parts_only_bias", lambda v, r, w, b: (v @ w, torch.full((len(v), 1), b, dtype=v.dtype)))
parts_swapped = named("parts_swapped", lambda v, r, w, b: ((r @ w + b)[:, None], v @ w))
parts_flat = named("parts_flat", lambda v, r, w, b: (v @ w, r @ w + b))
parts_repeated = named("parts_repeated", lambda v, r, w, b: (v @ w, (r @ w + b)[:, None].expand(-1, v.size(1))))
parts_unweighted = named("parts_unweighted", lambda v, r, w, b: (v.sum(-1), (r @ w + b)[:, None]))
parts_r_unweighted = named("parts_r_unweighted", lambda v, r, w, b: (v @ w, r.sum(-1, keepdim=True) + b))
parts_added = named("parts_added", lambda v, r, w, b: (v + r[:, None]) @ w + b)
parts_centred = named("parts_centred", lambda v, r, w, b: (v @ w - (v @ w).mean(1, keepdim=True), (r @ w + b)[:, None]))
parts_multiplied = named("parts_multiplied", lambda v, r, w, b: (v @ w, (r @ w * b)[:, None]))

parts_r_first = named("parts_r_first", lambda v, r, w, b: ((v + r[:, None]) @ w, torch.full((len(v), 1), b, dtype=v.dtype)))
parts_squashed = named("parts_squashed", lambda v, r, w, b: ((v @ w).sigmoid(), (r @ w + b)[:, None]))
parts_in_a_row = named("parts_in_a_row", lambda v, r, w, b: (v @ w, (r @ w + b)[None]))
parts_less_bias = named("parts_less_bias", lambda v, r, w, b: (v @ w, (r @ w - b)[:, None]))
parts_counted = named("parts_counted", lambda v, r, w, b: (v @ w, (v.size(1) * r @ w + b)[:, None]))
parts_halved = named("parts_halved", lambda v, r, w, b: (v.float() @ w.float(), (r @ w + b)[:, None]))


parts_of_one_bias = named("parts_of_one_bias", lambda vectors, recurrent, weight, bias: parts_by_einsum(vectors, recurrent, weight, 0.7))
parts_detached = named("parts_detached", lambda vectors, recurrent, weight, bias: parts_by_einsum(vectors.detach(), recurrent, weight, bias))
parts_of_two_documents = named("parts_of_two_documents", lambda vectors, recurrent, weight, bias: (vectors @ weight, (recurrent @ weight + bias).view(2, 1)))


# -- build: the choice -------------------------------------------------------------------------------------------------

def choice_by_argmax(scores, sentences, k):
    left, chosen = list(range(len(scores))), []
    while left and len(chosen) < k:
        best = max(left, key=lambda n: scores[n])
        left.remove(best)
        words = [sentences[n].split() for n in (*chosen, best)]
        runs = [{" ".join(row[i:i + 3]) for i in range(len(row) - 2)} for row in words]
        if all(runs[-1].isdisjoint(run) for run in runs[:-1]):
            chosen.append(best)
    return [n for n in range(len(scores)) if n in chosen]


def choice_by_tensor(scores, sentences, k):
    chosen = []
    for n in torch.tensor(scores).argsort(descending=True, stable=True).tolist():
        if len(chosen) < k and not any(ngrams(sentences[n].split(), 3) & ngrams(sentences[m].split(), 3) for m in chosen):
            chosen.append(n)
    return sorted(chosen)


def _runs_of(size, text):
    return ngrams(text.split(), size)


def _choice(runs_of=partial(_runs_of, 3), repeats=lambda runs, taken: bool(runs & taken), order=lambda scores: sorted(range(len(scores)), key=lambda n: -scores[n]), arrange=sorted,
            looked_at=False, stop=False):
    """A planted wrong answer: the loop with one thing changed."""
    def wrong(scores, sentences, k):
        chosen, taken = [], set()
        for n in order(scores)[:k] if looked_at else order(scores):
            if len(chosen) == k:
                break
            runs = runs_of(sentences[n])
            if repeats(runs, taken):
                if stop:
                    break
                continue
            chosen.append(n)
            taken |= runs
        return arrange(chosen)
    return wrong


choice_without_blocking = named("choice_without_blocking", _choice(repeats=lambda runs, taken: False))
choice_by_place = named("choice_by_place", _choice(order=lambda scores: list(range(len(scores)))))
choice_by_score_order = named("choice_by_score_order", _choice(arrange=list))
choice_looked_at = named("choice_looked_at", _choice(looked_at=True))
choice_stops = named("choice_stops", _choice(stop=True))
choice_by_words = named("choice_by_words", _choice(partial(_runs_of, 1)))
choice_by_pairs = named("choice_by_pairs", _choice(partial(_runs_of, 2)))
choice_lowest = named("choice_lowest", _choice(order=lambda scores: sorted(range(len(scores)), key=lambda n: scores[n])))
choice_last_of_equals = named("choice_last_of_equals", _choice(order=lambda scores: sorted(range(len(scores)), key=lambda n: (-scores[n], -n))))
choice_above_zero = named("choice_above_zero", _choice(order=lambda scores: [n for n in sorted(range(len(scores)), key=lambda n: -scores[n]) if scores[n] > 0]))

choice_by_letters = named("choice_by_letters", _choice(lambda text: ngrams(text, 3)))
choice_by_bags = named("choice_by_bags", _choice(lambda text: set(map(frozenset, ngrams(text.split(), 3)))))
choice_by_combinations = named("choice_by_combinations", _choice(lambda text: set(itertools.combinations(text.split(), 3))))
choice_past_the_end = named("choice_past_the_end", _choice(lambda text: {tuple(text.split()[i:i + 3]) for i in range(len(text.split()))}))
choice_before_the_end = named("choice_before_the_end", _choice(lambda text: {tuple(text.split()[i:i + 3]) for i in range(len(text.split()) - 3)}))
choice_by_all = named("choice_by_all", _choice(repeats=lambda runs, taken: bool(taken) and runs <= taken))
choice_always_blocks = named("choice_always_blocks", _choice(repeats=lambda runs, taken: runs.isdisjoint(taken)))
choice_by_union = named("choice_by_union", _choice(repeats=lambda runs, taken: bool(runs | taken)))
choice_backwards = named("choice_backwards", _choice(arrange=lambda chosen: sorted(chosen, reverse=True)))
choice_by_lookup = named("choice_by_lookup", _choice(order=lambda scores: [scores.index(score) for score in sorted(scores, reverse=True)]))
choice_of_nothing = named("choice_of_nothing", _choice(arrange=lambda chosen: chosen.sort()))


def choice_filled_up(scores, sentences, k):
    chosen = choice_by_argmax(scores, sentences, k)
    return sorted([*chosen, *[n for n in range(len(scores)) if n not in chosen][:k - len(chosen)]])


def _comparing(name, repeats):
    """A planted wrong answer: repeats(trigrams of a sentence, trigrams of the chosen ones, of all that were looked at) decides."""
    def answer(scores, sentences, k):
        chosen, taken, seen = [], [], set()
        for n in sorted(range(len(scores)), key=lambda n: -scores[n]):
            trigrams = ngrams(sentences[n].split(), 3)
            if len(chosen) < k and not repeats(trigrams, taken, seen):
                chosen.append(n)
                taken.append(trigrams)
            seen |= trigrams
        return sorted(chosen)
    return named(name, answer)


choice_beside_the_last = _comparing("choice_beside_the_last", lambda trigrams, taken, seen: any(trigrams & other for other in taken[-1:]))
choice_beside_the_first = _comparing("choice_beside_the_first", lambda trigrams, taken, seen: any(trigrams & other for other in taken[:1]))
choice_of_all_seen = _comparing("choice_of_all_seen", lambda trigrams, taken, seen: bool(trigrams & seen))


def choice_of_one_at_least(scores, sentences, k):
    return choice_by_argmax(scores, sentences, max(k, 1))


ANSWERS = {
    "bertsum_input": Answers(
        right=(input_by_loops, input_read_back),
        wrong={input_one_cls: "1 \\[CLS\\] for 4 sentences", input_no_sep: "No sentence of yours ends", input_swapped: "begin with \\[SEP\\]",
               input_bare: "no special token at all", input_numbered: "a number for each sentence", input_as_pair: "1 for all others",
               input_from_one: "begin with 1", input_one_segment: "nothing marks where", input_short_segments: "8 segments for 16 tokens",
               input_ends: "there stand the \\[SEP\\]s", input_next: "one sentence too late", input_first_piece: "first piece of each",
               input_counts_sentences: "count tokens", input_counts_pieces: "special tokens are not counted", input_nested: r"hold lists, \[7, 8, 9\]",
               input_no_cls: "has a \\[CLS\\], and", input_two_cls: "end with a \\[CLS\\];", input_halves: "rounded down", input_fractions: "half of n\\. ",
               input_thirds: "there is a 2", input_last_segment: "last sentence alone", input_lists_of_segments: "one number, and the stub repeats",
               input_one_special: "one special token a sentence", input_before: "last token before", input_lengths: "the lengths of the sentences",
               input_own_place: "in its own sentence", input_ids_for_places: "what a \\[CLS\\] is",
               input_of_berts_ids: "cls_id 1 and sep_id 2", input_that_grows: "changes `sentences`"}),
    "greedy_choice": Answers(
        right=(greedy_by_recursion, greedy_by_gains),
        wrong={greedy_alone: "overlap most \\*alone\\*", greedy_in_order_of_choice: "order of choice", greedy_last_alone: "and stop: sentence 0",
               greedy_never_stops: "with sentence [14] the overlap falls", greedy_takes_ties: "does not \\*raise\\*",
               greedy_takes_nothing_for_something: "an overlap of 0 is none", greedy_last_of_equals: "first one is chosen",
               greedy_lowest: "lowest overlap", greedy_twice: "in it twice", greedy_one_too_many: "Asked for 1 sentence you choose 2", greedy_one_too_few: "Asked for 1 sentence you choose none",
               greedy_sums: "not a sum of overlaps", greedy_largest_number: "the largest \\*number\\*", greedy_labels: "every sentence, labels",
               greedy_sorts_in_place: "sorts in place", greedy_tensors: "tensors in a list", greedy_of_nothing: "the largest of nothing", greedy_by_value: "not a score and not a place",
               greedy_of_all_sets: "no greedy choice", greedy_across_sentences: "run from one into the next", greedy_across_choices: "in the order of choice and count", greedy_by_pairs: "Pairs of neighbours alone"}),
    "SentenceEncoder": Answers(
        right=(EncoderByHand, EncoderOneByOne),
        wrong={EncoderWithoutPositions: "know no positions", EncoderScaled: "scaled by √H = 3.46", EncoderBackwards: "from the end",
               EncoderWithoutMask: "look at 2 that are padding", EncoderMaskRound: "wrong way round", EncoderOneLayer: "first layer; two",
               EncoderNoLayer: "no sentence has seen another", EncoderTwiceSigmoid: "the sigmoid belongs into forward", EncoderScoresPadding: "in the race",
               EncoderGivesLogits: "Your scores are logits", EncoderSharesOne: "share out 1", EncoderHalfForPadding: "0.50, the sigmoid of 0",
               EncoderWithDeadNorm: "2 tensors too many", EncoderPostNorm: "cannot take the weights", EncoderThreeNumbers: "should have the shape \\[2, 5\\]", EncoderSqueezes: r"squeeze\(\) takes away every axis", EncoderOfPositions: "positions alone",
               EncoderTimesPositions: "\\*times\\* the table", EncoderBesidePositions: "is 24 wide", EncoderMaskOfQueries: r"\[B, 1, N, 1\]", EncoderMaskFlat: "somewhere it does not fit",
               EncoderMaskOfNumbers: "no longer boolean", EncoderWithoutScorer: "first number of each state", EncoderOfMeans: "means of the states",
               EncoderNormedTwice: "once too often", EncoderScoresOnlyPadding: "padding and nothing else", EncoderTanh: "a tanh", EncoderRelu: "positive logits",
               EncoderDecides: "a decision", EncoderScoresInputs: "as they went in", EncoderDetached: "No gradient", EncoderOfTwelve: r"SentenceEncoder\(8, 12, 2, 1\)"}),
    "states_of": Answers(
        right=(states_by_append, states_sentence_by_sentence),
        wrong={states_aliased: "share one inner list", states_copied_late: "written into all", states_parallel: "layer 1 reads x", states_forgetful: "begin at zeros again",
               states_late: "\\*last\\* state of layer 0", states_carried: "begins with the last state", states_backwards: "from the last sentence to the first",
               states_by_layer: "not 3 lists of 4", states_last_layer: "8 of the 12 places", states_stacked: "not a Tensor", states_in_place: "changes `x`",
               states_of_the_bottom: "layer 2 reads layer 0", states_before: r"sentence \*before\*", states_of_its_own: "reads its own state", states_without_places: "could be filled",
               states_other_way_round: "lists do not have", states_flat: "yours are None", states_of_a_document: "documents first", states_from_nothing: "still None. Layer 0 has nothing", states_of_four: "give back 4 lists of 2", states_detached: "No gradient"}),
    "logits_in_two_parts": Answers(
        right=(parts_by_einsum, parts_by_difference),
        wrong={parts_whole: "is the whole logit", parts_bias_first: "holds the bias 0.7", parts_without_bias: "bias 0.7 is missing",
               parts_only_bias: "what the recurrent network says is missing", parts_swapped: "wrong order", parts_flat: "Give it a second axis",
               parts_repeated: "one is enough", parts_unweighted: "sums up the vectors", parts_r_unweighted: "sums up r", parts_added: "not a Tensor",
               parts_centred: "no longer add up", parts_multiplied: "you multiply by it", parts_r_first: "holds r, which", parts_squashed: "before any sigmoid", parts_in_a_row: r"shape \[1, 2\]",
               parts_less_bias: "subtract the bias", parts_counted: "once for each of the 4", parts_halved: "digits only", parts_of_one_bias: "with -1.3, for 3", parts_detached: "No gradient", parts_of_two_documents: "for 3 documents of 2 sentences you stop"}),
    "choose_sentences": Answers(
        right=(choice_by_argmax, choice_by_tensor),
        wrong={choice_without_blocking: "told of the bank twice", choice_by_place: "not by place", choice_by_score_order: "in order of score; a summary",
               choice_looked_at: "not when 3 were looked at", choice_stops: "still have their turn", choice_by_words: "single words", choice_by_pairs: "two words in a row",
               choice_lowest: "lowest scores", choice_last_of_equals: "you choose the later", choice_above_zero: "Of scores below 0", choice_filled_up: "From two equal texts",
               choice_by_letters: "three \\*letters\\*", choice_by_bags: "only in the same order", choice_by_combinations: "which do not stand in a row", choice_past_the_end: "two words before the end",
               choice_before_the_end: "share their last three words", choice_by_all: "the same word for word",
               choice_always_blocks: "where nothing is repeated", choice_by_union: "nothing is taken yet", choice_backwards: "from the end",
               choice_by_lookup: "looked up by its score", choice_of_nothing: "sorts in place",
               choice_beside_the_last: "the one chosen last", choice_beside_the_first: "the one chosen first", choice_of_all_seen: "passed over: .z a b", choice_of_one_at_least: "Asked for 0"}),
}
