"""Exercises of chapter 9: a text's scores, a label for each word, entities, the best span, how many test examples a difference needs."""

import math

import torch
from torch import Tensor

from minibert.exercises.base import Exercise, Mistake, also, draw, recognise
from minibert.heads import IGNORE

CHAPTER = "09_finetuning"


def _listed(found, what: str) -> list:
    """A list, a tuple or a tensor of whole numbers, as a list."""
    if isinstance(found, Tensor):
        found = found.tolist()
    if not isinstance(found, list | tuple):
        raise Mistake(f"{what} should be a list, not a {type(found).__name__}.")
    return list(found)


def _name(found, right, suspects: list[tuple[object, str]], what: str) -> None:
    """As `recognise`, for lists and tuples."""
    if found == right:
        return
    for value, sentence in suspects:
        if found == value:
            raise Mistake(sentence)
    raise Mistake(f"{what} should be {right}, but you have {found}.")


# -- warm-up: the scores of a text -------------------------------------------------------------------------------------

def text_logits(hidden, pooler_weight, pooler_bias, weight, bias):
    """The logits of K classes for each text of a batch.

    hidden [B, S, H], the last layer's vectors; the pooler's linear map, pooler_weight [H, H] and pooler_bias [H], with tanh; the
    classifier's, weight [K, H] and bias [K]. A weight has a row for each output, as in nn.Linear. -> [B, K]
    """
    first = hidden[:, 0]                                                # blank: [B, H], the vector of [CLS]
    pooled = torch.tanh(first @ pooler_weight.T + pooler_bias)          # blank: [B, H], through the pooler
    return pooled @ weight.T + bias                                     # blank: [B, K], logits


def check_text_logits(answer):
    hidden = torch.randn(2, 5, 4, dtype=torch.float64)                                                  # [B, S, H]
    pooler_weight, pooler_bias = torch.randn(4, 4, dtype=torch.float64), torch.randn(4, dtype=torch.float64)    # [H, H], [H]
    weight, bias = torch.randn(3, 4, dtype=torch.float64), torch.randn(3, dtype=torch.float64)          # [K, H], [K]

    def logits(vector=hidden[:, 0], turn=torch.tanh, matrix=pooler_weight, shift=pooler_bias, last=bias):
        return turn(vector @ matrix.T + shift) @ weight.T + last

    right = logits()
    recognise(answer(hidden.clone(), pooler_weight.clone(), pooler_bias.clone(), weight.clone(), bias.clone()), right, [
        (logits(hidden.mean(1)), "You read the mean of all 5 tokens. This head reads one vector, that of [CLS], at place 0."),
        (logits(hidden[:, -1]), "You read the token at place 4, the last. [CLS] stands at place 0."),
        (logits(hidden[:, 1]), "You read the token at place 1, the first word. [CLS] stands before it, at place 0."),
        (hidden[:, 0] @ weight.T + bias, "The pooler is missing: you hand the vector of [CLS] to the classifier as it is."),
        (logits(turn=lambda x: x), "The tanh is missing: without it, pooler and classifier together are one linear map, and the pooler adds nothing."),
        (logits(turn=torch.sigmoid), "You have a sigmoid where the pooler has tanh: your pooled values lie between 0 and 1, its between -1 and 1."),
        (logits(turn=torch.relu), "You have a ReLU where the pooler has tanh: a value below 0 would be lost."),
        (logits(matrix=pooler_weight.T), "Your pooler's matrix lies on its side. It is square, [4, 4], so nothing complains: a weight has a row for each *output*, so transpose it."),
        (logits(shift=0.0), "The pooler's bias is missing."),
        (logits(last=0.0), "The classifier's bias is missing."),
        (right.softmax(-1), f"You give back probabilities, which sum to 1; wanted are logits, here {right[0, 0]:.2f} for the first class. Cross-entropy takes the softmax itself."),
        (right.log_softmax(-1), "You give back log-probabilities; wanted are logits. Cross-entropy takes the softmax itself."),
        (logits(hidden.amax(1)), "You read the largest of each number over all 5 tokens. This head reads one vector, that of [CLS], at place 0."),
        (logits(hidden.sum(1)), "You read the sum of all 5 tokens. This head reads one vector, that of [CLS], at place 0."),
        (logits(turn=torch.nn.functional.gelu), "You have a GELU where the pooler has tanh."),
        (right.sigmoid(), f"You give back a sigmoid, from 0 to 1; wanted are logits, here {right[0, 0]:.2f} for the first class."),
        (logits(torch.tanh(hidden[:, 0] @ pooler_weight.T + pooler_bias)), "The vector goes through the pooler twice."),
        (torch.tanh(right), "There is a tanh behind the classifier too: its logits could never leave -1 to 1."),
    ], "text_logits")
    also(answer, text_logits, (draw(3, 2, 5).float(), *(draw(*shape, seed=n).float() for n, shape in enumerate(((5, 5), (5,), (2, 5), (2,)), 1))), gradient=True)


# -- build: a label for each word --------------------------------------------------------------------------------------

def first_piece_labels(word_ids, tags, number):
    """A label for each token: a word's tag at its first piece, -100 (nothing to predict) everywhere else.

    word_ids: for each token the number of its word, None for [CLS] and [SEP]; tags: one for each word; number: {tag: its number}.
    A word of which nothing is left, such as a control character, has no token.
    """
    labels, before = [], None
    for word in word_ids:
        is_first = word is not None and word != before          # blank: True at the first piece of a word, and nowhere else
        label = number[tags[word]] if is_first else IGNORE      # blank: the tag's number, or -100
        labels.append(label)
        before = word
    return labels


_WORD_IDS = [None, 0, 1, 1, 1, 3, 4, 4, None]       # word 2 is a control character: the tokenizer leaves nothing of it
_TAGS = ["O", "B-per", "O", "I-per", "B-loc"]
_NUMBER = {"O": 0, "B-per": 1, "I-per": 2, "B-loc": 3, "I-loc": 4}


def check_first_piece_labels(answer):
    labels = _listed(answer(list(_WORD_IDS), list(_TAGS), dict(_NUMBER)), "first_piece_labels")
    if len(labels) != len(_WORD_IDS):
        raise Mistake(f"You give {len(labels)} labels for {len(_WORD_IDS)} tokens; every token needs one, [CLS] and [SEP] too.")
    n = IGNORE
    shown = f"Your labels are {labels}"
    _name(labels, [n, 0, 1, n, n, 2, 3, n, n], [
        ([n, 0, 1, 1, 1, 2, 3, 3, n], f"{shown}: every piece of a word is labelled. A name of three pieces is then three names to the loss, and a long word counts more than a short one."),
        ([n, 0, 1, 2, 2, 2, 3, 4, n], f"{shown}: every piece is labelled, the later ones as inside. One label for a word, at its first piece."),
        ([n, 0, n, n, 1, 2, n, 3, n], f"{shown}: a word's tag stands at its *last* piece; it belongs to the first."),
        ([0, 0, 1, 0, 0, 2, 3, 0, 0], f"{shown}: where nothing is to be predicted you have 0, which is the tag O. So the model is taught that a later piece of a name is no name."),
        ([0, 0, 1, n, n, 2, 3, n, 0], f"{shown}: [CLS] and [SEP] are taught to be O. Nobody asks them: -100."),
        ([n, 0, 1, 0, 0, 2, 3, 0, n], f"{shown}: the later pieces of a word are taught to be O. Nobody asks them: -100."),
        ([n, 0, 1, n, n, 0, 2, n, n], f"{shown}: you count the words that you meet. Word 2 has no token, and from there on every word gets the tag of the word before. word_ids says which word it is."),
        ([n, 0, 1, 0, 2, 3, n, n, n], f"{shown}: tag i stands at token i + 1, as if every word were one piece. From the first long word on, all tags are in the wrong place."),
        ([n, 0, n, 1, 1, n, n, 3, n], f"{shown}: the later pieces are labelled and the first is not, where a word has several."),
        ([n, n, 0, 1, n, n, 2, 3, n], f"{shown}: one token too late."),
        ([n, n, 1, n, n, 2, 3, n, n], f"{shown}: word 0 gets none. Its number is 0, which Python takes for false; ask whether it `is not None`."),
        ([n, "O", "B-per", n, n, "I-per", "B-loc", n, n], f"{shown}: names. The loss wants numbers, which `number` gives."),
    ], "the labels")
    also(answer, first_piece_labels, ([None, 0, 1, 1, None], ["X", "Y"], {"X": 7, "Y": 2}), ([2, None, 3], ["O", "O", "Z", "O"], {"O": 0, "Z": 1}))
    again = _listed(answer([None, 0, 0, None], ["B-loc"], dict(_NUMBER)), "first_piece_labels")
    _name(again, [n, 3, n, n], [], "the labels of one word of two pieces")


# -- build: entities ---------------------------------------------------------------------------------------------------

def entities_in(tags):
    """The entities that tags describe: a list of (first word, word behind the last, kind).

    "B-per" begins an entity of the kind per, "I-per" goes on with one, "O" is in none. An "I-per" with no open entity of its
    kind before it begins one, as in the scoring program of CoNLL.
    """
    entities, start, kind = [], None, None          # of the open entity
    for place, tag in enumerate([*tags, "O"]):      # the last O closes what is open at the end
        begins = tag[0] == "B" or (tag[0] == "I" and tag[2:] != kind)       # blank: True where a new entity begins
        ends = kind is not None and (begins or tag == "O")                  # blank: True where the open one is over
        if ends:
            entities.append((start, place, kind))
            start, kind = None, None
        if begins:
            start, kind = place, tag[2:]            # blank: the new one: its place and its kind
    return entities


_SEQUENCES = (
    (["B-per", "I-per", "O", "B-loc", "B-loc", "I-loc"], [(0, 2, "per"), (3, 4, "loc"), (4, 6, "loc")]),
    (["O", "B-per", "I-loc", "I-loc", "O", "I-per"], [(1, 2, "per"), (2, 4, "loc"), (5, 6, "per")]),
    (["B-creative-work", "I-creative-work", "O", "I-per", "O", "I-per"], [(0, 2, "creative-work"), (3, 4, "per"), (5, 6, "per")]),
)


def check_entities_in(answer):
    for (tags, right), suspects in zip(_SEQUENCES, ([
        ([(0, 2, "per"), (3, 6, "loc")], "Words 3 and 4 are two entities, each with its B; you join them into one, (3, 6, 'loc')."),
        ([(0, 2, "per"), (3, 4, "loc")], "The entity at the end of the sentence, (4, 6, 'loc'), is lost: nothing comes behind it that would close it."),
        ([(0, 1, "per"), (3, 3, "loc"), (4, 5, "loc")], "Your entities end at their last word; the second number should be the word *behind* it, 2 for the first, as in a slice."),
        ([(1, 3, "per"), (4, 5, "loc"), (5, 7, "loc")], "You count words from 1; the first is 0."),
        ([(0, 2), (3, 4), (4, 6)], "The kind is missing: the right words of the wrong kind must not count as right."),
        ([(0, 1, "per"), (1, 2, "per"), (3, 4, "loc"), (4, 5, "loc"), (5, 6, "loc")], "You have 5 entities where 3 are: each I begins a new one."),
        ([(0, 2, "B-per"), (3, 4, "B-loc"), (4, 6, "B-loc")], "Your kinds are whole tags, such as 'B-per'; the kind is what follows 'B-'."),
        ([(0, 1, "per"), (3, 4, "loc"), (4, 5, "loc")], "Your entities are one word long: an I of the same kind goes on with the open one."),
    ], [
        ([(1, 4, "per"), (5, 6, "per")], "Your first entity runs from 1 to 4, though its words 2 and 3 are of the kind loc: an I of another kind begins a new one."),
        ([(1, 2, "per")], "Words 2 and 3 are 'I-loc' with no B before them, and you drop them. Models write such tags; the scoring program of CoNLL lets an entity begin there."),
        ([(1, 2, "per"), (2, 4, "loc")], "Word 5 is an 'I-per' behind an O, and you drop it: an entity begins there."),
        ([(1, 2, "per"), (2, 3, "loc"), (3, 4, "loc"), (5, 6, "per")], "You have 4 entities where 3 are: the second 'I-loc' goes on with the one before it."),
        ([(1, 2, "per"), (5, 6, "per")], "Words 2 and 3 are 'I-loc' right behind a person, and you drop them: an entity of the kind loc begins at 2."),
    ], [
        ([(0, 2, "creative"), (3, 4, "per"), (5, 6, "per")], "Your first entity is of the kind 'creative', the right one of the kind 'creative-work': a kind may have a hyphen of its own. "
         "It is all that follows the first two letters."),
        ([(0, 2, "creative-work"), (3, 4, "per")], "Word 5 is an 'I-per' behind an O, and you drop it: the person before it is over. Where an entity ends, forget its kind."),
    ])):
        found = [tuple(entity) if isinstance(entity, list | tuple) else entity for entity in _listed(answer(list(tags)), "entities_in")]
        _name(found, right, suspects, f"the entities of {tags}")
    _name(_listed(answer(["O", "O"]), "entities_in"), [], [], "the entities of two O's")
    _name(_listed(answer([]), "entities_in"), [], [], "the entities of no words at all")


# -- build: the best span ----------------------------------------------------------------------------------------------

def best_span(start, end, allowed, max_answer):
    """The best answer: the first and the last token of the span with the largest start[i] + end[j].

    start, end [S]: logits; allowed [S]: True for tokens of the passage. Both ends must be allowed, the end not before the start,
    and the span at most `max_answer` tokens long. -> (i, j), two ints
    """
    places = torch.arange(len(start))                           # [S]
    length = places[None, :] - places[:, None] + 1              # [S, S], tokens from start i (row) to end j (column)
    scores = start[:, None] + end[None, :]                      # blank: [S, S], of start i (row) with end j (column)
    valid = allowed[:, None] & allowed[None, :] & (length >= 1) & (length <= max_answer)    # blank: [S, S], True where (i, j) may be an answer
    best = scores.masked_fill(~valid, -torch.inf).argmax()      # blank: where in the matrix, read row by row, the best valid one is
    return divmod(int(best), len(start))                        # blank: its row and its column


_START = [9.0, 0.0, 3.0, 0.5, 1.0, 6.0, 2.0, 0.0, 4.0]      # 0 and 1 are the question's, 8 is [SEP]
_END = [9.0, 3.0, 7.0, 2.0, 1.5, 0.5, 4.5, 6.5, 6.0]
_ALLOWED = [False, False, True, True, True, True, True, True, False]


def check_best_span(answer):
    start, end = (torch.tensor(values, dtype=torch.float64) for values in (_START, _END))       # [S], [S]
    allowed = torch.tensor(_ALLOWED)                                                            # [S]

    def span(start, end, allowed, max_answer):
        found = answer(start.clone(), end.clone(), allowed.clone(), max_answer)
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise Mistake(f"best_span should give back two places, (i, j), not {found!r}.")
        return int(found[0]), int(found[1])

    found = span(start, end, allowed, 3)
    shown = f"You answer {found}"
    _name(found, (5, 7), [
        ((0, 0), f"{shown}, the best start and the best end of all tokens: that is no place in the passage. Both ends must be allowed."),
        ((0, 2), f"{shown}: it starts at [CLS], which is not allowed. Both ends must be."),
        ((5, 2), f"{shown}: the end stands before the start. That is what best start and best end give, chosen apart; and also a matrix in which a length below 1 is valid."),
        ((2, 2), f"{shown} with the score {3.0 + 7.0}. (5, 7) has {6.0 + 6.5}, the best of those that are valid. Do you look at the end only? Or have start and end "
         "changed places in the sum: row i is a start, start[:, None]?"),
        ((7, 5), f"{shown}: end and start have changed places. Rows are starts, columns are ends."),
        ((5, 8), f"{shown}: the end runs one too far, to a token that is not allowed. Both are the tokens *themselves*, the last one included."),
        ((5, 6), f"{shown}: that span has 2 tokens, and 3 are allowed: (5, 7) scores {6.0 + 6.5} where yours has {6.0 + 4.5}. A span from i to j has j - i + 1."),
    ], "the best span")
    long = span(start + torch.tensor([0, 0, 5.0, 0, 0, 0, 0, 0, 0]), end - torch.tensor([0, 0, 9.0, 0, 0, 0, 0, 0, 0]), allowed, 3)
    _name(long, (5, 7), [
        ((2, 7), f"You answer {long}, 6 tokens, where at most 3 are allowed."),
        ((2, 4), f"You take the best start, 2, and then the best end behind it, {long}: its score is {8.0 + 1.5}; (5, 7) has {6.0 + 6.5}. Choose both together."),
        ((2, 3), f"You answer {long}, which begins at the best start: its score is {8.0 + 2.0}; (5, 7) has {6.0 + 6.5}. Choose both together, by the sum of their *logits*, not of probabilities."),
    ], "the best span of at most 3 tokens")
    behind = span(start, end + torch.tensor([0, 0, 0, 0, 0, 0, 0, 0, 9.0]), allowed, 3)
    _name(behind, (5, 7), [((6, 8), f"You answer {behind}: token 8 is [SEP]. You ask of the start whether it is allowed; the end must be, too.")],
          "the best span where [SEP] is a good end")
    also(answer, best_span, (torch.tensor([0.0, 4.0, 1.0]), torch.tensor([0.0, 3.0, 2.0]), torch.tensor([False, True, True]), 2))
    one = span(torch.tensor([0.0, 4.0, 1.0]), torch.tensor([0.0, 1.0, 2.0]), torch.tensor([False, True, True]), 1)
    _name(one, (1, 1), [((1, 2), "Asked for answers of 1 token you give (1, 2), which are two."), ], "the best answer of one token")
    below = span(torch.tensor([9.0, -4.0, -3.0]), torch.tensor([9.0, -2.0, -6.0]), torch.tensor([False, True, True]), 2)
    _name(below, (1, 1), [
        ((1, 2), f"Where all logits of the passage are below 0 you answer (1, 2), with {-4.0} and {-6.0}: their product is large, their *sum* is not. Logits are logarithms; they add."),
        ((0, 0), "Where all logits of the passage are below 0 you answer (0, 0), which is not allowed: what is forbidden must lose to everything, so fill it with -∞, and not with 0 or another number."),
    ], "the best span where all logits are below 0")


# -- think: how many test examples -------------------------------------------------------------------------------------

def examples_needed(one, other, z=2.0):
    """How many test examples tell two accuracies apart: their difference is then `z` standard errors.

    An accuracy p, measured on n examples, has the variance p (1 - p) / n; that of a difference is the sum of both (the two are
    measured on n examples each, drawn afresh). -> a whole number, rounded up
    """
    variance = one * (1 - one) + other * (1 - other)        # blank: of the difference, times n
    difference = one - other                                # blank: what is to be seen
    return math.ceil(z ** 2 * variance / difference ** 2)   # blank: n, from |difference| = z · √(variance / n)


def check_examples_needed(answer):
    def compare(one, other, z=2.0):
        found = answer(one, other, z)
        if isinstance(found, Tensor):
            found = found.item()
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise Mistake(f"examples_needed should give a number, not a {type(found).__name__}.")
        p, q = one * (1 - one), other * (1 - other)
        gap = abs(one - other)
        right = math.ceil(z ** 2 * (p + q) / gap ** 2)
        if found == right:
            return
        for value, sentence in (
            (math.ceil(z * (p + q) / gap ** 2), f"Your {found:.0f} has z = {z:g} in it as it is. It stands before a root, and n under it: z squared."),
            (math.ceil(z ** 2 * (p + q) / gap), f"Your {found:.0f} divides by the difference {gap:g}; half the difference needs *four* times the examples: its square."),
            (math.ceil(z ** 2 * p / gap ** 2), f"Your {found:.0f} has the variance of the first accuracy only. Both are measured, so both waver."),
            (math.ceil(z ** 2 * q / gap ** 2), f"Your {found:.0f} has the variance of the second accuracy only. Both are measured, so both waver."),
            (math.ceil(z ** 2 * (math.sqrt(p) + math.sqrt(q)) ** 2 / gap ** 2), f"Your {found:.0f} adds up standard deviations; it is the variances that add."),
            (math.ceil(z ** 2 * (p + q) / 2 / gap ** 2), f"Your {found:.0f} takes the mean of the two variances; that of a difference is their *sum*."),
            (math.ceil((p + q) / gap ** 2), f"Your {found:.0f} makes the difference one standard error. Chance alone does that one time in three; {z:g} were asked for."),
            (math.floor(z ** 2 * (p + q) / gap ** 2), f"Your {found:.0f} is rounded down: it is not quite enough. Round up."),
            (math.ceil(z ** 2 * abs(p - q) / gap ** 2), f"Your {found:.0f} takes one variance from the other. Chance does not cancel: variances add, also for a difference."),
            (math.ceil(z ** 2 * 2 * (one + other) / 2 * (1 - (one + other) / 2) / gap ** 2),
             f"Your {found:.0f} takes both accuracies for one, their mean. That is for the question whether they are equal; here each has a variance of its own."),
            (math.ceil(4 * (p + q) / gap ** 2), f"Your {found:.0f} has 2 for z, and z is {z:g} here."),
            (math.ceil(z ** 2 * (one + other) / gap ** 2), f"Your {found:.0f} has p where the variance has p (1 - p)."),
            (math.ceil(z * math.sqrt(p + q) / gap), f"Your {found:.0f} is the root of what is wanted: solve for n, not for √n."),
        ):
            if found == value:
                raise Mistake(sentence)
        if abs(found - z ** 2 * (p + q) / gap ** 2) < 1e-6:
            raise Mistake(f"{found:.2f} examples there are none: round up.")
        raise Mistake(f"For {one:g} and {other:g} and z = {z:g} it takes {right} examples; you have {found:.2f}.")

    compare(0.91, 0.87, 3.0)
    compare(0.55, 0.7)
    compare(0.62, 0.51, 2.5)


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=6, title="From hidden states to the scores of a text", solution=text_logits, check=check_text_logits,
        task="Write the head for whole texts: the vector of [CLS], the pooler, the classifier. Give back logits, one for each class.",
        hints=("Three steps, three lines. Which of the S vectors is [CLS]'s, and in which range do the pooled values lie?",
               "`hidden[:, 0]`; `torch.tanh(x @ weight.T + bias)`; and a linear map with nothing behind it."),
        paragraph="The head, by hand"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=10, title="The right label on the right piece", solution=first_piece_labels, check=check_first_piece_labels,
        task="A tag for each word, several tokens for a word: write the labels of all tokens. A word's tag stands at its first piece; nothing is predicted at the other "
             "pieces, at [CLS] and at [SEP]. Your function will label real sentences further down.",
        hints=("A token is the first piece of its word where its word is another than that of the token before it. [CLS] and [SEP] have no word.",
               "`word is not None and word != before`; and `number[tags[word]]`: ask for the word by its number, do not count along."),
        paragraph="The right piece"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=12, title="From tags to names", solution=entities_in, check=check_entities_in,
        task="Read the entities off a list of tags: where each begins, where it ends, and of which kind it is. Be ready for tags that no person would write: a model "
             "may give an I with nothing before it.",
        hints=("At each word ask two things: is the open entity over, and does a new one begin? Both may be true at once.",
               "A new one begins at a B, and at an I whose kind is not that of the open entity. The open one is over where a new one begins, and at an O."),
        paragraph="Entities, not tokens"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=12, title="The best answer that is one", solution=best_span, check=check_best_span,
        task="Choose start and end of an answer *together*: the largest sum of the two logits among all spans that are possible. Your function will answer real questions further down.",
        hints=("There are S · S pairs of a start and an end. Make the matrix of all their sums, strike out what cannot be an answer, take the largest of the rest.",
               "`start[:, None] + end[None, :]`; valid is an *and* of four conditions; `masked_fill(~valid, -torch.inf)`; `argmax` counts along the rows, S to a row: `divmod`."),
        paragraph="Both ends together"),
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="Is it better, or was it lucky?", solution=examples_needed, check=check_examples_needed,
        task="Two systems have the accuracies $p$ and $q$. On how many test examples does their difference reach $z$ standard errors, so that chance is an unlikely reason for it? "
             "Guess first: how many does it take to tell 90% from 89%?",
        hints=("The standard error of the difference is $\\sqrt{(p(1-p) + q(1-q)) / n}$. Set $|p - q| = z$ times that, and solve for $n$.",
               "Square both sides: $n = z^2 \\cdot (p(1-p) + q(1-q)) / (p - q)^2$, rounded up."),
        paragraph="How sure is a score?"),
]
