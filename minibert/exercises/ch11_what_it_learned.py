"""Exercises of chapter 11: where a head looks, rollout, one word hidden at a time, labels that mean nothing, what a probe shows."""

import random

import torch
from torch import Tensor

from minibert.exercises.base import Exercise, Mistake, also, expect_tensor, recognise

CHAPTER = "11_what_it_learned"


def _maps(*shape):
    """Attention maps that are not even, in float64: every row sums to 1."""
    generator = torch.Generator().manual_seed(1)
    return (2 * torch.randn(*shape, generator=generator, dtype=torch.float64)).softmax(dim=-1)


# -- warm-up: where a head looks ---------------------------------------------------------------------------------------

def offset_share(attention, offset):
    """What each head gives, on average, to the token `offset` places further (-1 = the one before): [A, S, S] -> [A].

    A token that has no such neighbour is left out of the mean.
    """
    given = attention.diagonal(offset, dim1=-2, dim2=-1)    # blank: of each token that has such a neighbour: [A, S - |offset|]
    return given.mean(dim=-1)                               # blank: one number for each head


def check_offset_share(answer):
    maps = _maps(3, 6, 6)                                   # [A, S, S]
    for offset, name in ((-1, "before"), (2, "two places on")):
        _check_share(answer(maps.clone(), offset), maps, offset, name)
    also(answer, offset_share, (_maps(2, 4, 4).float(), 1), (_maps(5, 3, 3), -2), (_maps(1, 7, 7), 0))


def _check_share(found, maps, offset, name):
    S, left = maps.size(-1), maps.size(-1) - abs(offset)
    right, other = (maps.diagonal(o, 1, 2) for o in (offset, -offset))          # [A, S - |offset|] each
    around = maps.gather(-1, ((torch.arange(S) + offset) % S).expand(3, S)[..., None])[..., 0]     # [A, S]
    if isinstance(found, Tensor) and found.dim() == 0:
        raise Mistake(f"Your result is one number for all {len(maps)} heads. Every head has a habit of its own: give one number for each.")
    recognise(found, right.mean(-1), [
        (other.mean(-1), f"With offset {offset} you measure the weight on the token at offset {-offset}. A row is a token that looks, a column one that is looked at: [i, i + offset]."),
        (right.sum(-1), f"You add the weights of {left} tokens up and do not divide: head 0 gives {right[0].sum():.2f} where a share is at most 1."),
        (right.sum(-1) / S, f"You divide by {S} tokens, but only {left} of them have a token {name}."),
        (around.mean(-1), f"Your offset of {offset} goes round the end: the first token has no token before it, and yours looks at the last one."),
        (maps.diagonal(0, 1, 2).mean(-1), "You measure what each token gives to itself, whatever the offset."),
        (right.amax(-1), f"You take the largest of the {left} weights; one token is no habit. Take their mean."),
        ((maps.argmax(-1) == torch.arange(S) + offset).double().sum(-1) / left, f"You count how many of {left} tokens look there *most*. Asked for is how much they give, on average."),
        (right.mean(0), f"Your mean runs over the heads, so that {left} numbers are left, one for each token. It should run over the tokens."),
        ((right.mean(-1) + other.mean(-1)) / 2, f"You take the mean of both directions; asked for is offset {offset}, and not {-offset}."),
        (right.median(-1).values, f"You take the median of the {left} weights; asked for is their mean."),
        (maps.diagonal(1 if offset > 0 else -1, 1, 2).mean(-1), f"You measure the neighbour next to each token, whatever the offset; here it is {offset}."),
    ], f"what the {len(maps)} heads give to offset {offset}")


# -- build, and swapped in: rollout ------------------------------------------------------------------------------------

def attention_rollout(attentions):
    """How much of every input token has flowed into each position, layer by layer: [L, A, S, S] -> [L, S, S]."""
    eye = torch.eye(attentions.size(-1), dtype=attentions.dtype)        # [S, S]
    rolled, layers = eye, []
    for maps in attentions:                         # from the first layer to the last
        mean = maps.mean(dim=0)                     # blank: [S, S], the heads as one
        mixed = 0.5 * mean + 0.5 * eye              # blank: half of it passes round the attention
        rolled = mixed @ rolled                     # blank: this layer, after all layers before it
        layers.append(rolled)
    return torch.stack(layers)


def check_attention_rollout(answer):
    maps = _maps(3, 2, 5, 5)                        # [L, A, S, S]
    found = answer(maps.clone())
    if isinstance(found, Tensor) and found.dim() == 2:
        raise Mistake(f"Your result is one table; asked for is one after each of the {len(maps)} layers: {[3, 5, 5]}.")
    expect_tensor(found, (3, 5, 5), "what you give back")
    right = attention_rollout(maps)
    sums = found.double().sum(-1)
    recognise(found, right, [
        (rollout(mix=lambda mean, eye: mean)(maps), "You multiply the maps and leave out the residual connections: half of every token passes round each attention."),
        (rollout(mix=lambda mean, eye: mean + eye)(maps), f"Your rows sum to {sums[0, 0]:.0f}, {sums[1, 0]:.0f} and {sums[2, 0]:.0f}: you add the identity and do not halve. What flows into a place is shared out, so a row sums to 1."),
        (rollout(mix=lambda mean, eye: 0.5 * mean)(maps), f"Your rows sum to {sums[0, 0]:.3f}, {sums[1, 0]:.3f} and {sums[2, 0]:.3f}: you halve the maps, and the half that passes round them is lost."),
        (rollout(step=lambda mixed, rolled: rolled @ mixed)(maps), "Your layers stand in the wrong order. What flows into the last layer is `mixed @ rolled`: this layer's rows choose among what the layers before have made."),
        (rollout(step=lambda mixed, rolled: mixed * rolled)(maps), "You multiply entry by entry, so that nothing flows from one token over another to a third. A way in two steps is a matrix product, @."),
        (rollout(step=lambda mixed, rolled: mixed)(maps), "Every layer of yours begins anew: the tables are those of single layers, without what flowed before."),
        (rollout(step=lambda mixed, rolled: mixed.T @ rolled)(maps), "Your maps are turned over: a row is the token that takes, and its weights sum to 1."),
        (rollout(heads=lambda maps: maps.sum(dim=0))(maps), f"You add the {maps.size(1)} heads up; their mean is wanted, so that a row of it sums to 1."),
        (rollout(heads=lambda maps: maps[0])(maps), f"You roll out head 0 alone; the mean of all {maps.size(1)} heads is wanted."),
        (rollout(heads=lambda maps: maps.amax(dim=0))(maps), f"You take the larger weight of {maps.size(1)} heads; then a row sums to more than 1 (yours to {sums[0, 0]:.2f}). The mean is wanted."),
        (right.mT, "Your tables lie on their sides: row i is the place that has taken, column j the token that it came from."),
        (attention_rollout(maps.flip(0)), "You begin with the last layer; what flows in comes through the first layer first."),
        (right.cumsum(0), "You add the tables of the layers up; each layer's is the product of this layer with what stood before, and nothing more."),
        (attention_rollout(maps[:, -1:]), f"You roll out the last head alone; the mean of all {maps.size(1)} heads is wanted."),
    ], f"the rollout of {len(maps)} layers")
    also(answer, attention_rollout, (_maps(2, 3, 4, 4).float(),), (_maps(1, 1, 2, 2),))


def rollout(heads=lambda maps: maps.mean(dim=0), mix=lambda mean, eye: 0.5 * mean + 0.5 * eye, step=lambda mixed, rolled: mixed @ rolled):
    """A planted wrong answer: one of the three steps made in another way."""
    def wrong(attentions):
        eye = torch.eye(attentions.size(-1), dtype=attentions.dtype)
        rolled, layers = eye, []
        for maps in attentions:
            rolled = step(mix(heads(maps), eye), rolled)
            layers.append(rolled)
        return torch.stack(layers)
    return wrong


# -- build: labels that mean nothing -----------------------------------------------------------------------------------

def random_labels(words, labels, seed):
    """A control task: each different word gets a label at random, as often as `labels` has it, and keeps it wherever it occurs.

    words and labels are two lists of one length -> a list of that length.
    """
    draw = random.Random(seed)
    types = sorted(set(words))                                  # blank: every word once, in an order that is always the same
    label_of = {word: draw.choice(labels) for word in types}    # blank: for every word a label, drawn from the list as it is
    return [label_of[word] for word in words]                   # blank: a label for each occurrence


def check_random_labels(answer):
    draw = random.Random(5)
    types = [f"w{n}" for n in range(600)]
    meaning = {word: "noun" if n % 10 else "verb" for n, word in enumerate(types)}      # nine nouns for every verb
    words = types + draw.choices(types, k=1400)
    labels = [meaning[word] for word in words]
    found = answer(list(words), list(labels), 3)
    if not isinstance(found, list | tuple):
        raise Mistake(f"random_labels should give back a list, but it is a {type(found).__name__}.")
    if len(found) != len(words):
        raise Mistake(f"You have {len(found)} labels for {len(words)} words: every occurrence needs one, not every different word.")
    if wrong := [label for label in found if label not in ("noun", "verb")]:
        raise Mistake(f"Your labels hold {wrong[0]!r}; the labels here are 'noun' and 'verb'.")
    of_word = {}
    for word, label in zip(words, found):
        of_word.setdefault(word, set()).add(label)
    if broken := sum(len(labels) > 1 for labels in of_word.values()):
        raise Mistake(f"{broken} of {len(types)} words have one label here and another there. What changes from place to place nobody can learn by heart, and that is what a control task is to measure.")
    kept = sum(meaning[word] in labels for word, labels in of_word.items()) / len(types)
    if kept == 1:
        raise Mistake("Every word has kept its true label. They should mean nothing.")
    verbs = sum("verb" in labels for labels in of_word.values()) / len(types)
    if verbs == 0 or verbs == 1:
        raise Mistake(f"All {len(types)} words have the same label: there is nothing to learn in that.")
    if 0.4 < verbs < 0.6:
        raise Mistake(f"{verbs:.0%} of your words are verbs; in the labels it is 10%. With all labels equally often the control is harder than the task: draw from the list as it is.")
    if not 0.05 < verbs < 0.15:
        raise Mistake(f"{verbs:.0%} of your words are verbs; in the labels it is 10%.")
    if list(answer(list(words), list(labels), 3)) != list(found):
        raise Mistake("Called twice with seed 3 you give different labels. Draw from a generator that begins with the seed.")
    if list(answer(list(words), list(labels), 4)) == list(found):
        raise Mistake("Seeds 3 and 4 give the same labels: your draw does not use the seed.")
    other = dict(zip(words[::-1], answer(words[::-1], list(labels), 3)))
    moved = sum(other[word] not in labels for word, labels in of_word.items())
    if moved:
        raise Mistake(f"With the words in the other order, {moved} of {len(types)} change their label. Sort them, so that the draw depends on the seed alone.")
    few = answer(["b", "a", "b"], ["x", "x", "x"], 0)
    if list(few) != ["x", "x", "x"]:
        raise Mistake(f"Where every label is 'x' you give {list(few)}: draw from the labels that are handed in.")


# -- build: one word hidden at a time ----------------------------------------------------------------------------------

def masked_copies(ids, mask_id):
    """A sentence once for each of its words, with that word hidden: ids [S] -> copies [S - 2, S], places [S - 2].

    ids begin with [CLS] and end with [SEP], which are never hidden. Copy n hides the token at places[n].
    """
    places = torch.arange(1, len(ids) - 1)                              # blank: 1, 2, …, S - 2
    hidden = places[:, None] == torch.arange(len(ids))                  # blank: [S - 2, S], True at the one place that a copy hides
    copies = torch.where(hidden, mask_id, ids)                          # blank: [S - 2, S]
    return copies, places


def check_masked_copies(answer):
    ids = torch.tensor([101, 7, 8, 7, 9, 5, 102])                       # one word stands in it twice
    S = 7
    found = answer(ids, 103)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Mistake(f"masked_copies should give back copies and places, not a {type(found).__name__}.")
    copies, places = found
    if not isinstance(copies, Tensor) or copies.dim() != 2:
        raise Mistake(f"copies should be a table [{S - 2}, {S}], but it is {list(copies.shape) if isinstance(copies, Tensor) else type(copies).__name__}.")
    if len(copies) == S:
        raise Mistake(f"You have {S} copies for {S - 2} words: [CLS] and [SEP] are no words, nobody asks the model for them.")
    expect_tensor(copies, (S - 2, S), "copies")
    expect_tensor(torch.as_tensor(places), (S - 2,), "places")
    lines, at = torch.arange(S - 2), torch.arange(1, S - 1)             # [S - 2], [S - 2]
    right, place = ids.repeat(S - 2, 1), torch.arange(S)                # [S - 2, S], [S]
    right[lines, at] = 103
    if torch.equal(copies, right) and not torch.equal(torch.as_tensor(places), at):
        raise Mistake(f"Your copies are right, but your places are {torch.as_tensor(places).tolist()}: copy 0 hides the token at 1, behind [CLS].")
    suspects = [((place > 0) & (place <= at[:, None]), "Your copies hide more and more, for each mask stays in the next copy. Every copy hides one word."),
                ((place < S - 1) & (place >= at[:, None]), "Your copies hide a word and all that follows: that is how a model reads from left to right. Here both sides stay in sight."),
                ((place > 0) & (place < S - 1) & (place != at[:, None]), "Your copies hide every word but one. Hide that one, and show the others."),
                ((place > 0) & (place < S - 1), f"Your copies hide all {S - 2} words at once, so that the model has nothing to go by."),
                (place == at[:, None] - 1, "Your copies hide one place too early: the first of them hides [CLS]."),
                (ids == ids[at][:, None], "The token 7 stands at 1 and at 3, and your copies hide both at once. Compare places, not tokens."),
                (torch.zeros(S - 2, S, dtype=torch.bool), "Nothing is hidden in your copies: the model would see the word that it is asked for.")]
    recognise(copies.double(), right.double(), [(torch.where(hidden, 103, ids.expand(S - 2, S)).double(), text) for hidden, text in suspects], "copies")
    also(answer, masked_copies, (torch.tensor([1, 6, 4, 2]), 3), (torch.tensor([1, 5, 2]), 0))


# -- think: what a probe shows -----------------------------------------------------------------------------------------

def what_it_shows(accuracy, majority, untrained, control, margin=0.05):
    """Who deserves the credit for a probe's accuracy? The first rival that it is not ahead of by more than `margin`.

    majority   of always answering with the commonest label
    control    of the same probe, on the same vectors, for labels that mean nothing
    untrained  of the same probe and labels, on the vectors of the untrained twin
    -> "nobody" (no better than the majority), else "the probe" (as good at learning anything), else "the input"
       (it was there before training), else "the training"
    """
    found = accuracy - majority > margin            # blank: is there anything to give credit for?
    selective = accuracy - control > margin         # blank: is it more than learning by heart?
    learned = accuracy - untrained > margin         # blank: is it more than was there before?
    return "nobody" if not found else "the probe" if not selective else "the input" if not learned else "the training"    # blank: one of the four


_CASES = (      # accuracy, majority, untrained, control -> credit, and what is said of a wrong one
    ((0.80, 0.40, 0.45, 0.50), "the training", "The probe finds 0.80, and majority (0.40), twin (0.45) and control task (0.50) are all far behind"),
    ((0.90, 0.40, 0.91, 0.50), "the input", "The untrained twin has 0.91 where the model has 0.90"),
    ((0.90, 0.40, 0.50, 0.92), "the probe", "The probe has 0.92 on labels that mean nothing, and 0.90 on the real ones"),
    ((0.95, 0.30, 0.96, 0.97), "the probe", "Twin (0.96) and control task (0.97) both do as well as 0.95. Where a probe can learn anything, the twin's success proves nothing either, so the probe is asked first"),
    ((0.60, 0.62, 0.30, 0.20), "nobody", "0.60 looks like a lot, but always giving the commonest answer scores 0.62"),
    ((0.43, 0.45, 0.44, 0.44), "nobody", "At 0.43 against a majority of 0.45 there is nothing to give credit for, whatever the others do"),
    ((0.80, 0.40, 0.77, 0.50), "the input", "0.80 is ahead of the twin's 0.77, but not by more than the margin of 0.05"),
    ((0.80, 0.40, 0.50, 0.78), "the probe", "0.80 is ahead of the control task's 0.78, but not by more than the margin of 0.05"),
    ((0.80, 0.40, 0.62, 0.55), "the training", "0.80 is ahead of the twin's 0.62 by far more than the margin, and the twin need not be at the majority's 0.40"),
)


def check_what_it_shows(answer):
    for numbers, right, why in _CASES:
        found = answer(*numbers)
        if found not in ("nobody", "the probe", "the input", "the training"):
            raise Mistake(f"The credit goes to 'nobody', 'the probe', 'the input' or 'the training', not to {found!r}.")
        if found != right:
            raise Mistake(f"{why}: you give the credit to {found}, and it belongs to {right}.")
    if answer(0.8, 0.4, 0.7, 0.5, margin=0.2) != "the input":
        raise Mistake("With a margin of 0.20, a lead of 0.10 over the twin is not enough: your function does not use the margin that it is given.")


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=6, title="Where a head looks",
        task="A head's map of a text is a table: row *i* is how token *i* shares out its 1. How much does each head give to the token `offset` places further on, in the mean over the tokens that have one? With −1 it is the token before, with 1 the token after.",
        hints=("The entries that you want are `[i, i + offset]` for every *i*. They stand on a line that runs parallel to the diagonal.",
               "`tensor.diagonal(offset, dim1=-2, dim2=-1)` takes exactly those, as the last axis. Then one mean."),
        paragraph="Count, do not look", solution=offset_share, check=check_offset_share),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="Attention rollout",
        task="Follow the attention through all layers. In each layer a token keeps half of itself (the residual connection) and takes the other half as the mean of the heads says: $A_l = \\frac12 W_l + \\frac12 I$. What has flowed from input token *j* into place *i* after layer *l* is $R_l = A_l R_{l-1}$, with $R_0 = I$. Give back the table after each layer.",
        hints=("The three lines of the equation are the three blanks. A mean over heads leaves `[S, S]`.",
               "`mixed @ rolled`, in this order: row *i* of `mixed` says from which places to take, and the rows of `rolled` say what has flowed into those."),
        paragraph="Attention rollout", solution=attention_rollout, check=check_attention_rollout),
    Exercise(
        chapter=CHAPTER, size="build", minutes=12, title="Labels that mean nothing",
        task="A *control task* has the words of the real task and labels without any meaning. Each different word gets a label by lot, as often as the real labels have it, and keeps it wherever it occurs. The order of the words must not decide: the seed alone does.",
        hints=("Three steps: the different words, a label for each of them, a label for each occurrence.",
               "`draw.choice(labels)` draws from the list as it is, so a label that stands in it nine times as often is drawn nine times as often. A `set` has no fixed order: sort it."),
        paragraph="A task without meaning", solution=random_labels, check=check_random_labels),
    Exercise(
        chapter=CHAPTER, size="think", minutes=12, title="Who deserves the credit?",
        task="A probe reads something off a model's vectors, with an accuracy. Before you write 'the model has learned it', three others must be asked: the commonest answer, the probe itself (by its control task), and the input (by the untrained twin). Write the rule down, so that it gives the credit to the first who can do it without training.",
        hints=("'Ahead by more than the margin' is the same comparison three times, each with another rival.",
               "The order is in the description: nobody, the probe, the input. What none of them can do goes to the training."),
        paragraph="Four rivals for one number", solution=what_it_shows, check=check_what_it_shows),
    Exercise(
        chapter=CHAPTER, size="build", minutes=10, title="One word hidden at a time",
        task="To ask a masked-word model how surprising each word of a sentence is, you need the sentence once for every word, with that word replaced by [MASK]. Make all copies as one batch. [CLS] and [SEP] are never hidden.",
        hints=("Which places are hidden? All but the first and the last of `S`. Copy *n* hides the n-th of them.",
               "`places[:, None] == torch.arange(S)` compares every copy's place with every column: a table with one True in each row. `torch.where(table, mask_id, ids)` does the rest."),
        paragraph="One word at a time", solution=masked_copies, check=check_masked_copies),
]
