"""Exercises of chapter 10: the input, the greedy oracle, the encoder over sentences, a list that is not aliased, a sum taken apart, the choice."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.encoder import BertEncoder
from minibert.exercises.base import Exercise, Mistake, draw, Unforeseen, expect_tensor, recognise
from minibert.positions import sinusoidal_table
from minibert.summarization.heads import InterSentenceEncoder
from minibert.summarization.oracle import ngrams, overlap_f1

CHAPTER = "10_bertsum"


def _name(found, right: list, suspects: list[tuple[list, str]], what: str) -> None:
    """As `recognise`, for lists."""
    if found == right:
        return
    for value, sentence in suspects:
        if found == value:
            raise Mistake(sentence)
    raise Unforeseen(f"{what} should be {right}, but you have {found}.")


# -- warm-up: the input ----------------------------------------------------------------------------------------------

def bertsum_input(sentences, cls_id, sep_id):
    """A document as BertSum reads it. `sentences`: for each its list of piece ids.

    -> the ids of all tokens, their segments, and the place of each sentence's [CLS]: three lists.
    """
    ids, segments, places = [], [], []
    for n, pieces in enumerate(sentences):
        tokens = [cls_id, *pieces, sep_id]      # blank: the sentence, with a special token on either side
        segment = n % 2                         # blank: 0 for the first sentence, 1 for the second, 0 for the third, …
        place = len(ids)                        # blank: where this [CLS] is going to stand
        ids += tokens
        segments += [segment] * len(tokens)
        places.append(place)
    return ids, segments, places


def check_bertsum_input(answer):
    sentences = [[7, 8, 9], [4], [5, 6], [3, 3]]
    found = answer([list(pieces) for pieces in sentences], 101, 102)
    if not isinstance(found, tuple | list) or len(found) != 3:
        raise Mistake(f"bertsum_input should give back three lists, ids, segments and places, not a {type(found).__name__}.")
    ids, segments, places = (part.tolist() if isinstance(part, Tensor) else list(part) for part in found)
    if inner := [token for token in ids if isinstance(token, list)]:
        raise Mistake(f"Your ids hold lists, {inner[0]} the first of them: the pieces have to be unpacked into the row, *pieces.")
    right = [101, 7, 8, 9, 102, 101, 4, 102, 101, 5, 6, 102, 101, 3, 3, 102]
    _name(ids, right, [
        ([101, 7, 8, 9, 102, 4, 102, 5, 6, 102, 3, 3, 102], f"Your ids have 1 [CLS] for {len(sentences)} sentences: that is one vector for the whole document. Every sentence gets its own."),
        ([101, 7, 8, 9, 101, 4, 101, 5, 6, 101, 3, 3], "No sentence of yours ends: the [SEP]s are missing."),
        ([101, 7, 8, 9, 101, 4, 101, 5, 6, 101, 3, 3, 102], "Your only [SEP] stands at the end of the document; one belongs behind every sentence."),
        ([102, 7, 8, 9, 101, 102, 4, 101, 102, 5, 6, 101, 102, 3, 3, 101], "Your sentences begin with [SEP] and end with [CLS]: it is the other way round."),
        ([7, 8, 9, 4, 5, 6, 3, 3], "Your ids have no special token at all; nothing could be read off for a sentence."),
        ([7, 8, 9, 102, 4, 102, 5, 6, 102, 3, 3, 102], "No sentence of yours has a [CLS], and that is where its vector is going to be read off."),
        ([101, 7, 8, 9, 101, 101, 4, 101, 101, 5, 6, 101, 101, 3, 3, 101], "Your sentences end with a [CLS]; behind a sentence stands [SEP]."),
    ], "the ids")
    if len(segments) != len(ids):
        raise Mistake(f"You have {len(segments)} segments for {len(ids)} tokens; every token has one, [CLS] and [SEP] too.")
    if isinstance(segments[0], list):
        raise Mistake("Each of your segments is a list: `segment` is one number, and the stub repeats it for every token.")
    lengths = [len(pieces) + 2 for pieces in sentences]

    def spread(values):
        return [value for value, length in zip(values, lengths) for _ in range(length)]

    shown = f"Your segments are {segments}"
    _name(segments, spread([0, 1, 0, 1]), [
        (spread([0, 1, 2, 3]), f"{shown}: a number for each sentence. BERT's table has two rows, 0 and 1; they take turns."),
        (spread([0, 1, 1, 1]), f"{shown}: 0 for the first and 1 for all others, as in a pair. Here they take turns."),
        (spread([1, 0, 1, 0]), f"{shown}: they begin with 1; the first sentence has 0."),
        ([0] * len(ids), f"{shown}: all the same, so that nothing marks where a sentence begins. They take turns."),
        ([i % 2 for i in range(len(ids))], f"{shown}: they change with every token; they should change with every sentence."),
        ([0] + spread([0, 1, 0, 1])[:-1], f"{shown}: one token too late. A sentence's segment begins with its [CLS]."),
        (spread([0, 0, 1, 1]), f"{shown}: the half of n, rounded down, so they change with every second sentence. Wanted is the remainder, n % 2."),
        (spread([0, 0.5, 1, 1.5]), f"{shown}: the half of n. Wanted is the remainder, n % 2."),
        (spread([0, 1, 2, 0]), f"{shown}: there is a 2 in them; BERT's table has the rows 0 and 1."),
        (spread([0, 0, 0, 1]), f"{shown}: 1 for the last sentence alone. Here they take turns."),
    ], "the segments")
    _name(places, [0, 5, 8, 12], [
        ([4, 7, 11, 15], f"Your places are {places}: there stand the [SEP]s. Wanted is where each [CLS] stands."),
        ([5, 8, 12, 16], f"Your places are {places}: one sentence too late, each is where the *next* [CLS] stands. Look before you append."),
        ([1, 6, 9, 13], f"Your places are {places}: the first piece of each sentence, one behind its [CLS]."),
        ([0, 1, 2, 3], f"Your places are {places}: you count sentences; count tokens."),
        ([0, 3, 4, 6], f"Your places are {places}: the special tokens are not counted, but they stand in the row like all others."),
        ([0, 4, 6, 9], f"Your places are {places}: you count one special token a sentence; there are two, [CLS] and [SEP]."),
        ([-1, 4, 7, 11], f"Your places are {places}: the last token before each [CLS]. Places count from 0."),
        ([5, 3, 4, 4], f"Your places are {places}: the lengths of the sentences. Wanted is where each begins in the document."),
        ([0, 0, 0, 0], f"Your places are {places}: where each [CLS] stands in its own sentence. Wanted is where it stands in the document."),
        ([101] * 4, f"Your places are {places}: that is what a [CLS] is. Wanted is where it stands."),
    ], "the places")
    again = answer([[9], [8, 8]], 1, 2)
    for part, wanted, name in zip(again, bertsum_input([[9], [8, 8]], 1, 2), ("ids", "segments", "places")):
        mine = part.tolist() if isinstance(part, Tensor) else list(part)
        if mine != wanted:
            raise Mistake(f"With cls_id 1 and sep_id 2, for two sentences of 1 and 2 pieces, your {name} are {mine}; {wanted} is right. Take the ids of [CLS] and [SEP] as they are given.")


# -- build: the greedy oracle ----------------------------------------------------------------------------------------

def greedy_choice(sentences, summary, k):
    """At most k sentences that together overlap most with a summary, found greedily: their numbers, in document order.

    sentences: lists of words; summary: one list of words. Words count by F1 on sets, and so do pairs of neighbours; a pair
    never runs from one sentence of the document into the next.
    """
    def overlap(numbers):
        words, pairs = (set().union(*(ngrams(sentences[n], size) for n in numbers)) for size in (1, 2))
        return overlap_f1(words, ngrams(summary, 1)) + overlap_f1(pairs, ngrams(summary, 2))

    chosen, best = [], 0.0
    while len(chosen) < k:
        left = [n for n in range(len(sentences)) if n not in chosen]
        scores = {n: overlap([*chosen, n]) for n in left}       # blank: for each number left, the overlap that it would lead to
        winner = max(left, key=scores.get, default=None)        # blank: the number with the highest, the first of equals
        if winner is None or scores[winner] <= best:
            break
        chosen.append(winner)
        best = scores[winner]                                   # blank: what the next one has to beat
    return sorted(chosen)                                       # blank: in document order


# a summary in two parts: 2 covers most of it alone, 0 the rest; 1 says what 2 says, and 3 has one stray word of it
_DOCUMENT = [text.split() for text in ("police saw nothing at the gate", "the dog barked at the old cat",
                                       "at night the dog barked at the cat", "rain fell all night", "the dog barked at the old cat")]
_SUMMARY = "the dog barked at the cat police saw nothing".split()


def check_greedy_choice(answer):
    def run(document, summary, k):
        try:
            return _numbers_of(answer([list(words) for words in document], list(summary), k), "greedy_choice")
        except ValueError as error:
            if "empty" not in str(error):
                raise
            raise Mistake(f"Asked for {k} of {len(document)} sentences, your function takes the largest of nothing: when no sentence is left, max(left, …, default=None) gives None.") from None
        except KeyError as error:
            raise Mistake(f"Your winner is {error}, and `scores` knows no such sentence: the winner is the number of a sentence, a key of `scores`, not a score and not a place in `left`.") from None

    found = run(_DOCUMENT, _SUMMARY, 3)

    def overlap(numbers, sizes=(1, 2), joined=False):
        parts = [sum((_DOCUMENT[n] for n in numbers), [])] if joined else [_DOCUMENT[n] for n in numbers]
        return sum(overlap_f1(set().union(*(ngrams(words, size) for words in parts)), ngrams(_SUMMARY, size)) for size in sizes)

    alone = sorted(range(5), key=lambda n: -overlap([n]))
    _name(found, [0, 2], [
        (sorted(alone[:3]), f"You choose {found}, the three that overlap most *alone*. Sentences 1 and 4 say what 2 has said: score each together with what is chosen already."),
        ([2, 0], f"You choose {found}, in the order of choice; a summary is read in the order of the document."),
        ([2], f"You choose {found} and stop: sentence 0 overlaps less alone ({overlap([0]):.2f}) than sentence 2 ({overlap([2]):.2f}), but both together reach {overlap([0, 2]):.2f}."),
        ([0, 1, 2], f"You choose {found}: with sentence 1 the overlap falls from {overlap([0, 2]):.2f} to {overlap([0, 1, 2]):.2f}. Stop as soon as nothing raises it."),
        ([0, 2, 4], f"You choose {found}: with sentence 4 the overlap falls from {overlap([0, 2]):.2f} to {overlap([0, 2, 4]):.2f}. Stop as soon as nothing raises it."),
        ([4], "You choose sentence 4, the largest *number*: max of a dict compares its keys. Compare their scores, with key=scores.get."),
        ([], f"You choose nothing, though sentence 2 has an overlap of {overlap([2]):.2f}. Do you look for the lowest overlap, or begin with a `best` that nothing beats?"),
    ], "your choice")
    twice = run([_DOCUMENT[1], _DOCUMENT[4], _DOCUMENT[3]], "the dog barked at the old cat".split(), 3)
    _name(twice, [0], [
        ([1], "Sentences 0 and 1 are the same, and you choose 1. Of equals the first one is chosen."),
        ([0, 1], "Sentences 0 and 1 are the same, and you choose both: one that adds nothing does not *raise* the overlap."),
    ], "your choice from two equal sentences")
    cut = run(_DOCUMENT, _SUMMARY, 1)
    _name(cut, [2], [([0, 2], "Asked for 1 sentence you choose 2."), ([], "Asked for 1 sentence you choose none: the loop goes on as long as fewer than k are chosen.")], "your choice of 1 sentence")
    thirds = run([list("abc"), list("def"), list("ghi")], list("abcdefghi"), 3)
    _name(thirds, [0, 1, 2], [([0, 1], "Three sentences each bring a third of the summary, and you choose two: what the next one has to beat is the overlap that is reached, "
                                       "not a sum of overlaps.")], "your choice from three thirds of a summary")
    none = run([["rain"], ["snow"]], ["sun"], 2)
    _name(none, [], [([0, 1], "No word of the document is in the summary, and you choose 2 sentences all the same: an overlap of 0 is none.")], "your choice where nothing overlaps")
    crossing = run([["b"], ["a", "x"], ["a", "b"]], ["a", "b"], 2)
    _name(crossing, [2], [], "your choice from 'b', 'a x', 'a b' for the summary 'a b'")
    few = run([["a", "b"]], ["a", "b", "c"], 3)
    _name(few, [0], [], "your choice of 3 from a document of one sentence")
    trap = run([text.split() for text in ("b b b a", "a f b c", "e f f", "e b e f", "f f")], "d f b f e".split(), 3)
    _name(trap, [1, 3], [
        ([1, 2], "Where the best set of sentences does not hold the best sentence, you find the best set. That is no greedy choice: begin with sentence 3, the best alone, and keep it."),
        ([2, 3], "You join sentences and count pairs that run from one into the next; a pair stands inside a sentence."),
        ([0, 2, 3], "You join sentences in the order of choice and count pairs that run from one into the next; a pair stands inside a sentence."),
        ([1], "Pairs of neighbours alone decide with you; single words count as well."),
        ([3], "Single words alone decide with you; pairs of neighbours count as well."),
    ], "your choice where the best sentence is not in the best set")


def _numbers_of(found, what):
    if isinstance(found, Tensor):
        found = found.tolist()
    if found is None:
        raise Mistake(f"{what} gives back None: list.sort() sorts in place and returns nothing, sorted(…) makes a new list.")
    if isinstance(found, list | tuple) and any(isinstance(n, Tensor) for n in found):
        raise Mistake(f"{what} gives back tensors in a list; wanted are whole numbers: .tolist() makes them of a tensor.")
    if not isinstance(found, list | tuple | range) or not all(isinstance(n, int) for n in found):
        raise Mistake(f"{what} should give back a list of sentence numbers, but it is {found!r}.")
    if set(found) == {0, 1} and len(found) > 2:
        raise Mistake(f"{what} gives back {list(found)}: a 0 or a 1 for every sentence, labels. Wanted are the numbers of the sentences that are chosen.")
    if len(set(found)) < len(found):
        raise Mistake(f"{what} gives back {list(found)}: a sentence is in it twice.")
    return list(found)


# -- build, and swapped in: the encoder over sentences -----------------------------------------------------------------

class SentenceEncoder(nn.Module):
    """A second transformer, whose tokens are sentences; its parts have the names that the package gives them."""

    def __init__(self, hidden_size, feedforward_size=2048, num_heads=8, num_layers=2):
        super().__init__()
        config = BertConfig(vocab_size=1, hidden_size=hidden_size, intermediate_size=feedforward_size, num_attention_heads=num_heads,
                            num_hidden_layers=num_layers, hidden_act="gelu_new", layer_norm_eps=1e-6, norm_first=True)
        self.encoder = BertEncoder(config)      # chapter 5, with the norms inside
        self.encoder.layer[0].attention.output.LayerNorm = nn.Identity()    # the first layer's attention sees x itself
        self.scorer = nn.Linear(hidden_size, 1)

    def logits(self, vectors, mask):
        """vectors [B, N, H] and mask [B, N], True = a sentence -> [B, N]."""
        table = sinusoidal_table(vectors.size(1), vectors.size(2)).to(vectors)  # [N, H]
        x = vectors * mask.unsqueeze(-1) + table                    # blank: [B, N, H], 0 for padding, plus the positions as they are
        states, _ = self.encoder(x, mask[:, None, None, :])         # blank: all states [B, N, H]; no sentence looks at padding
        return self.scorer(states[-1]).squeeze(-1)                  # blank: [B, N], from the last state

    def forward(self, vectors, mask):
        """Scores [B, N] from 0 to 1, exactly 0 at padding."""
        return self.logits(vectors, mask).sigmoid() * mask          # blank: [B, N]


def check_sentence_encoder(answer):
    head = InterSentenceEncoder(12, 20, 3, 2, dropout=0.0).double().eval()
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.normal_(std=0.4)      # large enough that no mistake hides behind small numbers
        vectors = torch.randn(2, 5, 12, dtype=torch.float64)                    # [B, N, H], something stands at padding too
        mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])             # [B, N]
        head.scorer.bias.sub_(head.logits(vectors, mask)[mask].mean())          # some logits are above 0, some below
    mine = answer(12, 20, 3, 2)
    if not isinstance(mine, nn.Module):
        raise Mistake(f"{answer.__name__}(12, 20, 3, 2) should be an nn.Module, but it is a {type(mine).__name__}.")
    mine = mine.double().eval()
    try:
        mine.load_state_dict(head.state_dict())
    except RuntimeError as error:
        own, missing = set(mine.state_dict()) - set(head.state_dict()), set(head.state_dict()) - set(mine.state_dict())
        if own and not missing and all(name.startswith("encoder.layer.0.attention.output.LayerNorm") for name in own):
            raise Mistake(f"Your class has {len(own)} tensors too many, the first layer's first norm: the published encoder does not normalise there.") from None
        raise Mistake(f"Your class cannot take the weights of the package's: {error}.") from None
    with torch.no_grad():
        _compare_with(head, mine, vectors, mask)
    vectors.requires_grad_()
    if not (score := mine(vectors, mask)[0, 0]).requires_grad or torch.autograd.grad(score, vectors, allow_unused=True)[0] is None:
        raise Mistake("No gradient goes from your scores back to the vectors, so the model that makes them would never learn: no detach, no comparison.")
    small = answer(8, 12, 2, 1)
    if (found := {name: list(p.shape) for name, p in small.state_dict().items()}) != (wanted := {name: list(p.shape) for name, p in InterSentenceEncoder(8, 12, 2, 1).state_dict().items()}):
        name = next(name for name in {**wanted, **found} if found.get(name) != wanted.get(name))
        raise Mistake(f"{answer.__name__}(12, 20, 3, 2) is right, but in {answer.__name__}(8, 12, 2, 1) {name} is {found.get(name)} where {wanted.get(name)} is right: use the sizes that are given.")


def _fitting(part, vectors, mask):
    """What a part of the answer gives, or the mistake by which its shapes do not fit."""
    try:
        return part(vectors, mask)
    except RuntimeError as error:       # NotImplementedError is one of these
        if "mat1" in str(error) and f"x{2 * vectors.size(2)} and" in str(error):
            raise Mistake(f"What you give to the encoder is {2 * vectors.size(2)} wide, its vectors are {vectors.size(2)}: the table is added to the sentences, not set beside them.") from None
        if "bitwise" in str(error):
            raise Mistake("The mask that you give to the encoder is no longer boolean; leave it as it is, and add two axes.") from None
        if "size of tensor" in str(error):
            raise Mistake(f"The mask is {list(mask.shape)}, and somewhere it does not fit: beside the vectors {list(vectors.shape)} it needs one more axis at the end, mask.unsqueeze(-1); "
                          "for the encoder two in the middle, [B, 1, 1, N]; beside the logits none.") from None
        raise


def _compare_with(head, mine, vectors, mask):
    right, table = head.logits(vectors, mask), sinusoidal_table(5, 12).double()         # [B, N], [N, H]
    real = mask.double().unsqueeze(-1)                                          # [B, N, 1]
    found = _fitting(mine.logits, vectors, mask)
    expect_tensor(found, mask.shape, "what your logits give back")
    scores = _fitting(mine, vectors, mask)
    for documents, sentences in ((1, 5), (2, 1)):
        shape = list(mine.logits(vectors[:documents, :sentences], mask[:documents, :sentences]).shape)
        if shape != [documents, sentences]:
            raise Mistake(f"For {documents} documents of {sentences} sentences your logits have the shape {shape}, where [{documents}, {sentences}] is right: "
                          "squeeze() takes away every axis of length 1; squeeze(-1) takes the last alone.")

    def run(x, key_mask, state=-1):
        return head.scorer(head.encoder(x, key_mask)[0][state]).squeeze(-1)             # [B, N]

    keys = mask[:, None, None, :]                                               # [B, 1, 1, N]
    x = vectors * real + table                                                  # [B, N, H]
    what = "logits of a document of 5 sentences"
    whole, recognised = slice(0, 1), [      # the first document has no padding: what goes wrong there is no matter of masks
        (run(vectors * real, keys), f"Your {what} know no positions: exchange two sentences and you exchange their scores."),
        (run(vectors * real * 12 ** 0.5 + table, keys), f"Your {what} are those of vectors scaled by √H = 3.46. The module of the original can do that, but this encoder adds the table as it is."),
        (run(vectors * real + table.flip(0), keys), f"Your {what} count the positions from the end."),
        (run(x, keys, -2), f"Your {what} are read off the first layer; two are to be run."),
        (run(x, keys, 0), f"Your {what} are read off what goes into the encoder: no sentence has seen another."),
        (run(x, ~keys), f"Your {what} come from sentences that may look at nothing: the mask is the wrong way round. True means 'may be looked at'."),
        (right.sigmoid(), f"Your {what} lie between 0 and 1: the sigmoid belongs into forward, or it is taken twice."),
        (head.scorer(F.layer_norm(head.encoder(x, keys)[0][1], (12,))).squeeze(-1), f"Your {what} leave out the second layer."),
        (run(table.expand_as(vectors), keys), f"Your {what} come from the positions alone: the vectors of the sentences are not in your x."),
        (run(vectors * real * table, keys), f"Your {what} come from vectors *times* the table; positions are added."),
        (head.encoder(x, keys)[0][-1][..., 0], f"Your {what} are the first number of each state; the scorer makes one number of all {vectors.size(2)}."),
        (head.encoder(x, keys)[0][-1].mean(dim=-1), f"Your {what} are the means of the states; the scorer makes one number of each state."),
        (head.scorer(F.layer_norm(head.encoder(x, keys)[0][-1], (12,))).squeeze(-1), f"Your {what} are normalised once too often: the encoder ends in a norm of its own."),
    ]
    recognise(found[whole], right[whole], [(value[whole], sentence) for value, sentence in recognised], "what your logits give for a document without padding", 1e-7)
    recognise(found[mask], right[mask], [
        (run(x, None)[mask], f"In a batch with a longer document your logits change: 3 sentences look at {int((~mask).sum())} that are padding. The encoder takes a mask [B, 1, 1, N]."),
        (run(x, mask[:, None, :, None])[mask], "Your mask is [B, 1, N, 1]: it forbids padding to *look*. What is looked *at* is the last axis, [B, 1, 1, N]."),
    ], "what your logits give for a document of 3 sentences and padding", 1e-7)
    recognise(scores, right.sigmoid() * mask, [
        (right.sigmoid(), f"Your score of padding is {right.sigmoid()[1, 4]:.2f}: padding would be in the race for a summary. Its score is exactly 0."),
        (right * mask, f"Your scores are logits, {right[0, 0]:.2f} for the first sentence; a score lies between 0 and 1."),
        (right.masked_fill(~mask, -torch.inf).softmax(dim=-1), "Your scores share out 1 among the sentences of a document (softmax). Each sentence is a question of its own: a sigmoid."),
        ((right * mask).sigmoid(), "Your score of padding is 0.50, the sigmoid of 0: multiply by the mask after the sigmoid."),
        (right.sigmoid() * ~mask, "You score the padding and nothing else: the mask is True where there is a sentence."),
        (right.tanh() * mask, "Your scores are a tanh, from -1 to 1; a score lies between 0 and 1, by a sigmoid."),
        (right.relu() * mask, "Your scores are the positive logits (ReLU); a score lies between 0 and 1, by a sigmoid."),
        (((right > 0) & mask).double(), "Your scores are 0 or 1: a decision. A summary needs to know which sentence is ahead."),
        (head.scorer(vectors).squeeze(-1).sigmoid() * mask, "Your scores come from the vectors as they went in; forward begins with self.logits(vectors, mask)."),
    ], "what your forward gives", 1e-7)


# -- build: a list for every step --------------------------------------------------------------------------------------

def states_of(cells, x):
    """Run a recurrent network of k layers over the N sentences of a document; keep every state.

    cells: k functions (input [B, H], state [B, H]) -> the next state [B, H]; layer 0 reads x [B, N, H], layer i reads the states of
    layer i - 1. All begin at zeros. -> for each sentence a list of its k states [B, H].
    """
    length, k = x.size(1), len(cells)
    states = [[None] * k for _ in range(length)]        # blank: for each of `length` sentences a list of k places
    for i, cell in enumerate(cells):
        state = torch.zeros_like(x[:, 0])               # [B, H]
        for n in range(length):
            below = x[:, n] if i == 0 else states[n][i - 1]     # blank: [B, H], what layer i reads at sentence n
            state = cell(below, state)                  # [B, H]
            states[n][i] = state
    return states


def _cells():
    generator = torch.Generator().manual_seed(0)
    maps = [0.5 * torch.randn(2, 3, 3, generator=generator, dtype=torch.float64) for _ in range(3)]      # [input or state, H, H]

    def cell(pair):
        return lambda below, state: torch.tanh(below @ pair[0] + state @ pair[1])       # [B, H]
    return [cell(pair) for pair in maps]


def check_states_of(answer):
    cells, x = _cells(), torch.randn(2, 4, 3, dtype=torch.float64)              # x [B, N, H]
    try:
        found = answer(cells, x)
    except IndexError as error:
        if "assignment" in str(error):
            raise Mistake("Your lists have no places that could be filled: for each of the 4 sentences there is to be a list [None] * k, not [].") from None
        raise Mistake("A place is looked up that your lists do not have: there are to be 4 lists, one for each sentence, with 3 places each, one for each layer, states[n][i].") from None
    except TypeError as error:
        if "item assignment" in str(error):
            raise Mistake("Each of the 4 entries of `states` is to be a list with a place for each layer; yours are None.") from None
        if "NoneType" in str(error):
            raise Mistake("A layer reads a place that is still None. Layer 0 has nothing below it and reads x; layer i reads states[n][i - 1], which layer i - 1 has filled.") from None
        raise
    except RuntimeError as error:
        if "size of tensor" in str(error):
            raise Mistake(f"What a cell reads does not fit its state: x is {list(x.shape)}, documents first; sentence n of all documents is x[:, n], of shape [2, 3].") from None
        raise
    if not isinstance(found, list | tuple) or len(found) != 4 or not all(isinstance(row, list | tuple) and len(row) == 3 for row in found):
        shape = f"{len(found)} lists of {len(found[0])}" if isinstance(found, list) and found and isinstance(found[0], list | tuple) else f"a {type(found).__name__}"
        raise Mistake(f"For 4 sentences and 3 layers states_of should give back 4 lists of 3 states, not {shape}.")
    if any(state is None for row in found for state in row):
        raise Mistake(f"{sum(state is None for row in found for state in row)} of the 12 places of your lists are still None.")
    for row in found:
        for state in row:
            expect_tensor(state, (2, 3), "each state")
    right = all_states(cells, x)                                                   # [N, k, B, H]
    mine = torch.stack([torch.stack(list(row)) for row in found])               # [N, k, B, H]
    last = torch.stack([right[-1]] * 4)                                         # [N, k, B, H]
    shared = all(row is found[0] for row in found)
    if shared:
        raise Mistake(f"All 4 sentences share one inner list, so each has the states of sentence 3, {found[0][1][0, 0]:.2f} first. `[row] * length` repeats the *name*, not the list.")
    at = tuple(torch.unravel_index((mine - right)[0].abs().argmax(), right.shape[1:]))      # where sentence 0 is furthest off
    recognise(mine, right, [
        (last, f"Every sentence has the last states, {mine[0, 1, 0, 0]:.2f} first: what was written for sentence 3 was written into all."),
        (all_states(cells, x, parallel=True), f"Your layer 1 reads x, as layer 0 does; it should read the states of layer 0, at the same sentence: then sentence 0 has {right[0, 1, 0, 0]:.2f} first, where you have {mine[0, 1, 0, 0]:.2f}."),
        (all_states(cells, x, forget=True), f"At every sentence you begin at zeros again, so sentence 3 knows nothing of sentence 2: its first number is {mine[3, 0, 0, 0]:.2f}, with a memory it is {right[3, 0, 0, 0]:.2f}."),
        (all_states(cells, x.flip(1)).flip(0), f"You run from the last sentence to the first: sentence 0 then knows all others, and has {mine[0][at]:.2f} where {right[0][at]:.2f} is right."),
        (all_states(cells, x, late=True), f"Your layer 1 reads the *last* state of layer 0 at every sentence: at sentence 0 it has {mine[0, 1, 0, 0]:.2f} first, and {right[0, 1, 0, 0]:.2f} is right."),
        (all_states(cells, x, bottom=True), f"Your layer 2 reads layer 0; it should read layer 1: then sentence 0 has {right[0, 2, 0, 0]:.2f} first, where you have {mine[0, 2, 0, 0]:.2f}."),
        (all_states(cells, x, before=True), f"Your layer 1 reads layer 0 at the sentence *before*; it should read it at the same: then sentence 3 has {right[3, 1, 0, 0]:.2f} first, where you have {mine[3, 1, 0, 0]:.2f}."),
        (all_states(cells, x, own=True), f"Your layer 1 reads its own state and nothing from below: sentence 0 has {mine[0, 1, 0, 0]:.2f} first, and {right[0, 1, 0, 0]:.2f} is right."),
        (all_states(cells, x, carried=True), f"Your layer 1 begins with the last state of layer 0 instead of zeros: {mine[0, 1, 0, 0]:.2f} first, where {right[0, 1, 0, 0]:.2f} is right."),
    ], "your result, as a tensor [N, k, B, H],", 1e-9)
    short = torch.randn(1, 6, 3, dtype=torch.float64, requires_grad=True)       # [B, N, H]
    again = answer(cells[:2], short)
    if [len(again), len(again[0])] != [6, 2]:
        raise Mistake(f"For 4 sentences and 3 layers you are right; for 6 sentences and 2 layers you give back {len(again)} lists of {len(again[0])}. Take the numbers from x and cells.")
    if not again[-1][-1].requires_grad:
        raise Mistake("No gradient goes from your states back to x, so what stands before the network would never learn: no detach, no torch.no_grad.")


def all_states(cells, x, parallel=False, forget=False, late=False, carried=False, bottom=False, before=False, own=False):
    """All states [N, k, B, H], right or with one mistake."""
    below, columns, state = list(x.unbind(1)), [], torch.zeros_like(x[:, 0])
    for cell in cells:
        state, column = (state if carried else torch.zeros_like(x[:, 0])), []
        for vector in below:
            state = cell(state if own and columns else vector, torch.zeros_like(state) if forget else state)
            column.append(state)
        columns.append(column)
        below = (below if parallel else [column[-1]] * len(column) if late else columns[0] if bottom
                 else [column[-1], *column[:-1]] if before else column)
    return torch.stack([torch.stack(column) for column in columns], dim=1)


# -- think: what the recurrent network adds ----------------------------------------------------------------------------

def logits_in_two_parts(vectors, recurrent, weight, bias):
    """The logits w · (r + T_n) + b of a head whose r is the same for all sentences of a document, as a sum of two tensors.

    vectors T [B, N, H], recurrent r [B, H], weight w [H], bias b a number
    -> what depends on the sentence [B, N], and what does not, b included: [B, 1].
    """
    of_sentence = vectors @ weight                          # blank: [B, N], different for each sentence
    of_document = (recurrent @ weight + bias)[:, None]      # blank: [B, 1], the same for all sentences of a document
    return of_sentence, of_document


def check_logits_in_two_parts(answer):
    vectors, recurrent = torch.randn(2, 4, 3, dtype=torch.float64), torch.randn(2, 3, dtype=torch.float64)      # [B, N, H], [B, H]
    weight, bias = torch.randn(3, dtype=torch.float64), 0.7                     # [H]
    found = answer(vectors, recurrent, weight, bias)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Mistake(f"logits_in_two_parts should give back two tensors, the sentences' part and the documents', not a {type(found).__name__}.")
    one, other = found
    total = (vectors + recurrent[:, None]) @ weight + bias                      # [B, N]
    sentence, document = vectors @ weight, (recurrent @ weight)[:, None]        # [B, N], [B, 1]
    if isinstance(one, Tensor) and isinstance(other, Tensor) and one.shape == (2, 1) and other.shape == (2, 4):
        raise Mistake("Your two parts stand in the wrong order: the sentences' part [2, 4] comes first.")
    recognise(one, sentence, [
        (total - bias, "Your first part holds r, which is the same for all sentences of a document; it belongs to the second part."),
        (sentence.sigmoid(), "Your first part is a sigmoid; the *logit* is to be taken apart, before any sigmoid."),
        (total, f"Your first part is the whole logit, {total[0, 0]:.2f} for the first sentence: r is in it, and r is the same for all sentences."),
        (sentence + bias, f"Your first part holds the bias {bias}. It is the same for every sentence, so it belongs to the second part."),
        (vectors.sum(dim=-1), "Your first part sums up the vectors; each number has its weight."),
        (vectors.mean(dim=-1), "Your first part is a mean of the vectors' numbers; each number has its weight."),
        (sentence - sentence.mean(dim=1, keepdim=True), "Your first part is taken less its mean over the document. That keeps the order, but the two parts no longer add up to the logit."),
    ], "the part of the sentences", 1e-9)
    if isinstance(other, Tensor) and other.shape == (2,):
        raise Mistake("Your second part has the shape [2]: beside [2, 4] it would be added along the sentences. Give it a second axis, [2, 1].")
    if isinstance(other, Tensor) and other.shape == (2, 4):
        raise Mistake("Your second part has 4 numbers for each document, [2, 4]. It does not depend on the sentence, so one is enough: [2, 1].")
    if isinstance(other, Tensor) and other.shape == (1, 2):
        raise Mistake("Your second part has the shape [1, 2]: documents stand along the first axis, [2, 1].")
    expect_tensor(other, (2, 1), "the part of the document")
    recognise(other, document + bias, [
        (document, f"The two parts add up to {float((one + other)[0, 0]):.2f} where the logit is {total[0, 0]:.2f}: the bias {bias} is missing."),
        (torch.full_like(document, bias), f"Your second part is {bias} for every document: what the recurrent network says is missing from it."),
        (document + 2 * bias, "The bias is in it twice."),
        (document - bias, f"You subtract the bias {bias}; it is added."),
        (4 * document + bias, "You count r once for each of the 4 sentences; every logit has it once."),
        (document * bias, f"The bias is a number that is added, {bias}; you multiply by it."),
        (recurrent.sum(dim=-1, keepdim=True) + bias, "Your second part sums up r; each number has its weight."),
        (sentence.mean(dim=1, keepdim=True) + bias, "Your second part is made of the sentences; the part that all share comes from r."),
    ], "the part of the document", 1e-9)
    vectors, recurrent = draw(3, 2, 4).requires_grad_(), draw(3, 4, seed=1)     # [B, N, H], [B, H]
    try:
        parts = answer(vectors, recurrent, draw(4, seed=2), -1.3)
    except RuntimeError as error:
        raise Mistake(f"For 2 documents of 4 sentences you are right; for 3 documents of 2 sentences you stop ({error}). Take the sizes from what is given.") from None
    for part, wanted, name in zip(parts, logits_in_two_parts(vectors, recurrent, draw(4, seed=2), -1.3), ("first", "second")):
        if part.shape != wanted.shape or not torch.allclose(part, wanted):
            raise Mistake(f"With the bias 0.7 you are right; with -1.3, for 3 documents of 2 sentences, your {name} part begins with {part.flatten()[0]:.2f} where {wanted.flatten()[0]:.2f} is right. "
                          "Use the bias and the sizes that are given.")
    if not parts[0].requires_grad:
        raise Mistake("No gradient goes from your parts back to the vectors: no detach.")


# -- build: the choice -------------------------------------------------------------------------------------------------

def choose_sentences(scores, sentences, k):
    """At most k sentences, the best first, none that shares three words in a row with one already chosen.

    scores: a number for each sentence; sentences: texts, cut into words at white space. -> their numbers, in document order.
    """
    order = sorted(range(len(scores)), key=lambda n: -scores[n])    # blank: numbers of the sentences, the best score first
    chosen, taken = [], set()
    for n in order:
        if len(chosen) == k:
            break
        trigrams = ngrams(sentences[n].split(), 3)      # blank: every three words in a row, as a set
        repeats = bool(trigrams & taken)                # blank: True where one of them is taken
        if not repeats:
            chosen.append(n)
            taken |= trigrams
    return sorted(chosen)                               # blank: in the order of the document


_TEXTS = ["the old bank by the river", "it rained", "a flood at the bank by the river", "the town is old", "nobody stood by the door"]
_SCORES = [0.7, 0.2, 0.9, 0.3, 0.4]


def check_choose_sentences(answer):
    found = _numbers_of(answer(list(_SCORES), list(_TEXTS), 3), "choose_sentences")
    shown = f"You choose {found}"
    if found == [0, 2, 4] and answer([0.2, 0.9], ["a b c", "a b c"], 2) == [1]:
        raise Mistake(f"{shown}: 'bank by the' stands in sentences 0 and 2. You pass over a text that is the same word for word, but one run of three in common is enough, "
                      "anywhere in the sentence: what two sets have in common is `&`.")
    if found == [1, 2] and answer([0.9, 0.8], ["a rainbow", "no bow"], 2) != [0, 1]:
        raise Mistake(f"{shown}: 'a rainbow' and 'no bow' would block each other with you. Those are three *letters* in a row; cut the sentence into words first, by .split().")
    _name(found, [2, 3, 4], [
        ([], f"{shown}, nothing: `repeats` is True where nothing is repeated. The best sentence cannot repeat anything."),
        ([1], f"{shown}, the one that is too short for three words in a row: for all others `repeats` is True, though nothing is taken yet. What two sets have in common is `&`."),
        ([4, 3, 2], f"{shown}, from the end; a summary is read in the order of the document."),
        ([0, 2, 4], f"{shown}: 'bank by the' stands in sentences 0 and 2, and 2 has the better score. Without blocking the reader is told of the bank twice; `repeats` is True where the two sets have *any* trigram in common."),
        ([2, 0, 4], f"{shown}, in order of score and without blocking."),
        ([0, 1, 3], f"{shown}: sentence 2 has the best score of all ({_SCORES[2]}). Choose by score, not by place."),
        ([2, 4, 3], f"{shown}, in order of score; a summary is read in the order of the document."),
        ([2, 4], f"{shown}: sentence 0 is passed over, and its place should go to the next best. Stop when 3 are *chosen*, not when 3 were looked at."),
        ([2], f"{shown}: a sentence that repeats is passed over; the ones behind it still have their turn."),
        ([1, 2], f"{shown}: single words in common, such as 'the', are no repetition. Three in a row are."),
        ([1, 2, 3], f"{shown}: sentence 4 shares 'by the' with sentence 2, two words in a row. Three are wanted, so it is free, and better than 1."),
        ([1, 3, 4], f"{shown}, beginning with the lowest scores."),
    ], "your choice")
    one = _numbers_of(answer([0.1, 0.8, 0.5], ["a b c d", "a b", "a b"], 2), "choose_sentences")
    _name(one, [1, 2], [
        ([1], "Two texts of two words block each other with you. Fewer than three words have no three in a row."),
        ([0, 1], "Two texts of two words block each other with you, or the last two words of a longer text. Fewer than three words are no trigram: stop two words before the end."),
    ], "your choice from texts of two words")
    apart = _numbers_of(answer([0.9, 0.8, 0.7], ["rain by the old bank", "snow by an old bank", "the by old hail"], 3), "choose_sentences")
    _name(apart, [0, 1, 2], [
        ([0], "You pass over sentences that have three words in common which do not stand in a row, such as 'by … old bank'."),
        ([0, 2], "You pass over a sentence that has three words in common which do not stand in a row, 'by … old bank'."),
        ([0, 1], "You pass over 'the by old', since 'by the old' is taken: three words in a row are the same only in the same order."),
    ], "your choice from sentences with the same words in other places")
    tie = _numbers_of(answer([0.5, 0.5, 0.1], ["a b c", "d e f", "g h i"], 1), "choose_sentences")
    _name(tie, [0], [([1], "Two sentences have the score 0.5, and you choose the later. The first of equals is chosen.")], "your choice between equal scores")
    both = _numbers_of(answer([0.5, 0.5, 0.1], ["a b c", "d e f", "g h i"], 2), "choose_sentences")
    _name(both, [0, 1], [([0, 2], "Sentences 0 and 1 have the score 0.5, and you choose 0 and 2: looked up by its score, sentence 1 is taken for sentence 0. Sort the numbers, not the scores.")],
          "your choice of 2 where two scores are equal")
    logits = _numbers_of(answer([-3.0, -1.0, -2.0], ["a b c", "d e f", "g h i"], 2), "choose_sentences")
    _name(logits, [1, 2], [([], "Of scores below 0 you choose none: logits are scores as well, only their order counts.")], "your choice from scores below 0")
    few = _numbers_of(answer([0.2, 0.9], ["a b c d", "a b c d"], 2), "choose_sentences")
    _name(few, [1], [([0, 1], "From two equal texts you choose both, to have 2: a shorter summary is better than one that says a thing twice.")], "your choice from two equal texts")
    end = _numbers_of(answer([0.9, 0.8], ["a b c d", "x b c d"], 2), "choose_sentences")
    _name(end, [0], [([0, 1], "'a b c d' and 'x b c d' share their last three words, and you choose both: a text of n words has n - 2 trigrams, one from each of its first n - 2 words on.")],
          "your choice from 'a b c d' and 'x b c d'")
    many = _numbers_of(answer([0.2, 0.9], ["a b", "c d"], 5), "choose_sentences")
    _name(many, [0, 1], [], "your choice of 5 from 2 sentences")
    chain = ["a b c x", "d e f y", "z a b c", "w d e f", "b c x", "z a b", "r s t r s t"]
    found = _numbers_of(answer([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3], list(chain), 7), "choose_sentences")
    _name(found, [0, 1, 5, 6], [
        ([0, 1, 2, 3, 4, 5, 6], "You compare a sentence with the one chosen last; it must repeat none of those that are chosen."),
        ([0, 1, 3, 5, 6], "You compare a sentence with the one chosen first; it must repeat none of those that are chosen."),
        ([0, 1, 6], "You keep the trigrams of sentences that were passed over: 'z a b' stands in one of them, which no reader will see. Only what is chosen is taken."),
        ([0, 1, 5], "You pass over 'r s t r s t', which repeats itself and no other sentence."),
    ], "your choice from sentences that repeat others")
    nothing = _numbers_of(answer([0.9], ["a b c"], 0), "choose_sentences")
    _name(nothing, [], [([0], "Asked for 0 sentences you choose 1: look whether there are k *before* you choose.")], "your choice of 0 sentences")


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=8, title="A document, ready to be read", solution=bertsum_input, check=check_bertsum_input,
        task="Write a document as BertSum reads it: a [CLS] before every sentence, a [SEP] behind it, segments in turn. Give back where each [CLS] stands, "
             "for that is where the sentence's vector will be read off.",
        hints=("Three things for each sentence: its tokens, its segment, the place at which its [CLS] lands. Find the place *before* you append.",
               "`[cls_id, *pieces, sep_id]`; the remainder of n by 2; and the length of what is there already."),
        paragraph="The input, by hand"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="The greedy oracle", solution=greedy_choice, check=check_greedy_choice,
        task="Write the oracle. Start from nothing; add the sentence with which the overlap becomes largest; stop when none raises it, or when there are $k$. "
             "The overlap itself is written for you.",
        hints=("A sentence is never judged alone: only together with those that are chosen already.",
               "`{n: overlap([*chosen, n]) for n in left}`; `max(left, key=scores.get, default=None)` takes the first of equals."),
        paragraph="Labels that nobody wrote"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="A transformer whose tokens are sentences", solution=SentenceEncoder, check=check_sentence_encoder,
        task="Write the encoder over sentences: positions are added, the encoder of chapter 5 runs with a mask, a linear map gives a number for each sentence. "
             "The parts are made for you, with the names that the package gives them; your class will score real documents below.",
        hints=("Padding becomes 0, then the table of positions is added as it is. The mask [B, N] hides *keys*, so the encoder wants it as [B, 1, 1, N].",
               "`self.encoder(x, mask[:, None, None, :])` gives a list of states and the weights. The last state is the result; `squeeze(-1)` takes away the axis of length 1."),
        paragraph="The second transformer, by hand"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=10, title="A list for every step", solution=states_of, check=check_states_of,
        task="Mend the original's recurrent network: keep the states of all layers at all sentences, so that no sentence overwrites another's.",
        hints=("`[row] * length` makes a list with `length` names of *one* row. What makes a new row each time?",
               "A list comprehension: `[[None] * k for _ in range(length)]`. Layer 0 reads `x[:, n]`, every other layer what the one below it has stored for sentence n."),
        paragraph="First finding: one list, many names"),
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="What can the broken network change?", solution=logits_in_two_parts, check=check_logits_in_two_parts,
        task="The original's recurrent head computes $w \\cdot (r + T_n) + b$, with one $r$ for all sentences of a document. Take the logit apart. Then answer without running "
             "anything: which of these can $r$ change, the scores, the order of the sentences, the summary?",
        hints=("A dot product with a sum is a sum of dot products. Which of the summands know n?",
               "`vectors @ weight` is [B, N]. `recurrent @ weight` is [B]; with `[:, None]` it becomes [B, 1], and is added to every sentence alike."),
        paragraph="What could it still change?"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=12, title="Choose, and do not repeat", solution=choose_sentences, check=check_choose_sentences,
        task="Write the choice: the best scores first, a sentence is passed over that has three words in a row in common with one already chosen, and the summary comes "
             "in the order of the document.",
        hints=("Go through the sentences from the best score to the worst, and remember all trigrams of those that you have chosen.",
               "`sorted(range(len(scores)), key=lambda n: -scores[n])` keeps the first of equals first. Two sets have something in common where `one & other` is not empty."),
        paragraph="From scores to a summary"),
]
