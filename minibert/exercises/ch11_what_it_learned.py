"""Exercises of chapter 11: where a head looks, rollout, one word hidden at a time, labels that mean nothing, what a probe shows."""

import random

import torch
from torch import Tensor

from minibert.exercises.base import Exercise, Mistake, expect_tensor, recognise

CHAPTER = "11_what_it_learned"


def _named(name, function):
    function.__name__ = name
    return function


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
    ], f"what the {len(maps)} heads give to offset {offset}")


def share_by_loop(attention, offset):
    S = attention.size(-1)
    return torch.stack([attention[:, i, i + offset] for i in range(S) if 0 <= i + offset < S]).mean(dim=0)


def share_by_mask(attention, offset):
    place = torch.arange(attention.size(-1))
    there = (place[None] - place[:, None] == offset).to(attention)
    return (attention * there).sum(dim=(1, 2)) / there.sum()


def share_turned(attention, offset):
    return attention.diagonal(-offset, dim1=-2, dim2=-1).mean(dim=-1)


def share_sum(attention, offset):
    return attention.diagonal(offset, dim1=-2, dim2=-1).sum(dim=-1)


def share_of_all(attention, offset):
    return attention.diagonal(offset, dim1=-2, dim2=-1).sum(dim=-1) / attention.size(-1)


def share_round_the_end(attention, offset):
    return attention.roll(-offset, dims=-1).diagonal(dim1=-2, dim2=-1).mean(dim=-1)


def share_of_itself(attention, offset):
    return attention.diagonal(dim1=-2, dim2=-1).mean(dim=-1)


def share_largest(attention, offset):
    return attention.diagonal(offset, dim1=-2, dim2=-1).amax(dim=-1)


def share_all_heads(attention, offset):
    return attention.diagonal(offset, dim1=-2, dim2=-1).mean()


def share_over_heads(attention, offset):
    return attention.diagonal(offset, dim1=-2, dim2=-1).mean(dim=0)


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
    right = rollout_by_recursion(maps)
    sums = found.double().sum(-1)
    recognise(found, right, [
        (_rollout(mix=lambda mean, eye: mean)(maps), "You multiply the maps and leave out the residual connections: half of every token passes round each attention."),
        (_rollout(mix=lambda mean, eye: mean + eye)(maps), f"Your rows sum to {sums[0, 0]:.0f}, {sums[1, 0]:.0f} and {sums[2, 0]:.0f}: you add the identity and do not halve. What flows into a place is shared out, so a row sums to 1."),
        (_rollout(mix=lambda mean, eye: 0.5 * mean)(maps), f"Your rows sum to {sums[0, 0]:.3f}, {sums[1, 0]:.3f} and {sums[2, 0]:.3f}: you halve the maps, and the half that passes round them is lost."),
        (_rollout(step=lambda mixed, rolled: rolled @ mixed)(maps), "Your layers stand in the wrong order. What flows into the last layer is `mixed @ rolled`: this layer's rows choose among what the layers before have made."),
        (_rollout(step=lambda mixed, rolled: mixed * rolled)(maps), "You multiply entry by entry, so that nothing flows from one token over another to a third. A way in two steps is a matrix product, @."),
        (_rollout(step=lambda mixed, rolled: mixed)(maps), "Every layer of yours begins anew: the tables are those of single layers, without what flowed before."),
        (_rollout(step=lambda mixed, rolled: mixed.T @ rolled)(maps), "Your maps are turned over: a row is the token that takes, and its weights sum to 1."),
        (_rollout(heads=lambda maps: maps.sum(dim=0))(maps), f"You add the {maps.size(1)} heads up; their mean is wanted, so that a row of it sums to 1."),
        (_rollout(heads=lambda maps: maps[0])(maps), f"You roll out head 0 alone; the mean of all {maps.size(1)} heads is wanted."),
        (_rollout(heads=lambda maps: maps.amax(dim=0))(maps), f"You take the larger weight of {maps.size(1)} heads; then a row sums to more than 1 (yours to {sums[0, 0]:.2f}). The mean is wanted."),
    ], f"the rollout of {len(maps)} layers")


def rollout_by_recursion(attentions):
    mixed = (attentions.mean(1) + torch.eye(attentions.size(-1), dtype=attentions.dtype)) / 2     # [L, S, S]
    return torch.stack([torch.linalg.multi_dot([*mixed[:n].flip(0)]) if n > 1 else mixed[0] for n in range(1, len(mixed) + 1)])


def rollout_by_loops(attentions):
    L, A, S, _ = attentions.shape
    layers = []
    for layer in range(L):
        before = layers[-1] if layers else torch.eye(S).to(attentions)
        layers.append(before / 2 + sum(attentions[layer, a] @ before for a in range(A)) / (2 * A))
    return torch.stack(layers)


def _rollout(heads=lambda maps: maps.mean(dim=0), mix=lambda mean, eye: 0.5 * mean + 0.5 * eye, step=lambda mixed, rolled: mixed @ rolled):
    """A planted wrong answer: one of the three steps made in another way."""
    def wrong(attentions):
        eye = torch.eye(attentions.size(-1), dtype=attentions.dtype)
        rolled, layers = eye, []
        for maps in attentions:
            rolled = step(mix(heads(maps), eye), rolled)
            layers.append(rolled)
        return torch.stack(layers)
    return wrong


rollout_no_residual = _named("rollout_no_residual", _rollout(mix=lambda mean, eye: mean))
rollout_not_halved = _named("rollout_not_halved", _rollout(mix=lambda mean, eye: mean + eye))
rollout_half_lost = _named("rollout_half_lost", _rollout(mix=lambda mean, eye: 0.5 * mean))
rollout_other_order = _named("rollout_other_order", _rollout(step=lambda mixed, rolled: rolled @ mixed))
rollout_by_entry = _named("rollout_by_entry", _rollout(step=lambda mixed, rolled: mixed * rolled))
rollout_single_layers = _named("rollout_single_layers", _rollout(step=lambda mixed, rolled: mixed))
rollout_turned = _named("rollout_turned", _rollout(step=lambda mixed, rolled: mixed.T @ rolled))
rollout_sum_of_heads = _named("rollout_sum_of_heads", _rollout(heads=lambda maps: maps.sum(dim=0)))
rollout_first_head = _named("rollout_first_head", _rollout(heads=lambda maps: maps[0]))
rollout_largest_head = _named("rollout_largest_head", _rollout(heads=lambda maps: maps.amax(dim=0)))
rollout_last_layer_only = _named("rollout_last_layer_only", lambda attentions: rollout_by_recursion(attentions)[-1])


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


def labels_by_index(words, labels, seed):
    draw, types = random.Random(seed), sorted(set(words))
    drawn = draw.choices(sorted(labels), k=len(types))
    return [drawn[types.index(word)] for word in words]


def labels_by_torch(words, labels, seed):
    generator, types = torch.Generator().manual_seed(seed), sorted(set(words))
    table = dict(zip(types, torch.randint(len(labels), (len(types),), generator=generator).tolist()))
    pool = sorted(labels)
    return [pool[table[word]] for word in words]


def labels_per_occurrence(words, labels, seed):
    draw = random.Random(seed)
    return [draw.choice(labels) for _ in words]


def labels_uniform(words, labels, seed):
    draw, kinds = random.Random(seed), sorted(set(labels))
    table = {word: draw.choice(kinds) for word in sorted(set(words))}
    return [table[word] for word in words]


def labels_kept(words, labels, seed):
    return list(labels)


def labels_of_types(words, labels, seed):
    draw = random.Random(seed)
    return [draw.choice(labels) for _ in sorted(set(words))]


def labels_one(words, labels, seed):
    label = random.Random(seed).choice(labels)
    return [label for _ in words]


def labels_without_seed(words, labels, seed):
    return labels_by_index(words, labels, 0)


_CALLS = random.Random(0)


def labels_new_each_time(words, labels, seed):
    return labels_by_index(words, labels, _CALLS.random())


def labels_in_order_of_text(words, labels, seed):
    draw = random.Random(seed)
    table = {word: draw.choice(labels) for word in dict.fromkeys(words)}
    return [table[word] for word in words]


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
    before, S = ids.clone(), 7
    found = answer(ids, 103)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Mistake(f"masked_copies should give back copies and places, not a {type(found).__name__}.")
    copies, places = found
    if not isinstance(copies, Tensor) or copies.dim() != 2:
        raise Mistake(f"copies should be a table [{S - 2}, {S}], but it is {list(copies.shape) if isinstance(copies, Tensor) else type(copies).__name__}.")
    if not torch.equal(ids, before):
        raise Mistake("Your function has changed the sentence that it was given. Make copies first.")
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
    recognise(copies.double(), right.double(), [(torch.where(hidden, 103, before.expand(S - 2, S)).double(), text) for hidden, text in suspects], "copies")


def copies_by_index(ids, mask_id):
    places = torch.arange(len(ids))[1:-1]
    copies = ids.repeat(len(places), 1)
    copies[torch.arange(len(places)), places] = mask_id
    return copies, places


def copies_by_loop(ids, mask_id):
    rows = []
    for place in range(1, len(ids) - 1):
        row = ids.clone()
        row[place] = mask_id
        rows.append(row)
    return torch.stack(rows), torch.arange(1, len(ids) - 1)


def _copies(hide):
    """A planted wrong answer: hide(place [S], at [S - 2, 1], ids [S]) -> what is hidden."""
    def wrong(ids, mask_id):
        at = torch.arange(1, len(ids) - 1)
        hidden = hide(torch.arange(len(ids)), at[:, None], ids).expand(len(at), len(ids))
        return torch.where(hidden, mask_id, ids), at
    return wrong


copies_all_tokens = _named("copies_all_tokens", lambda ids, mask_id: (torch.where(torch.eye(len(ids), dtype=torch.bool), mask_id, ids), torch.arange(len(ids))))
copies_cumulative = _named("copies_cumulative", _copies(lambda place, at, ids: (place <= at) & (place > 0)))
copies_left_to_right = _named("copies_left_to_right", _copies(lambda place, at, ids: (place >= at) & (place < len(ids) - 1)))
copies_all_but_one = _named("copies_all_but_one", _copies(lambda place, at, ids: (place > 0) & (place < len(ids) - 1) & (place != at)))
copies_all_hidden = _named("copies_all_hidden", _copies(lambda place, at, ids: (place > 0) & (place < len(ids) - 1)))
copies_one_early = _named("copies_one_early", _copies(lambda place, at, ids: place == at - 1))
copies_by_token = _named("copies_by_token", _copies(lambda place, at, ids: ids == ids[at]))
copies_nothing = _named("copies_nothing", _copies(lambda place, at, ids: place < 0))
copies_places_from_zero = _named("copies_places_from_zero", lambda ids, mask_id: (copies_by_loop(ids, mask_id)[0], torch.arange(len(ids) - 2)))


def copies_in_place(ids, mask_id):
    copies, places = copies_by_loop(ids, mask_id)
    ids[-2] = mask_id
    return copies, places


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


def credit_by_list(accuracy, majority, untrained, control, margin=0.05):
    for rival, name in ((majority, "nobody"), (control, "the probe"), (untrained, "the input")):
        if accuracy <= rival + margin:
            return name
    return "the training"


def credit_by_dict(accuracy, majority, untrained, control, margin=0.05):
    rivals = {"nobody": majority, "the probe": control, "the input": untrained}
    return next((name for name, rival in rivals.items() if not accuracy - rival > margin), "the training")


def _credit(order, margin_used=True):
    """A planted wrong answer: other rivals, or in another order."""
    def wrong(accuracy, majority, untrained, control, margin=0.05):
        rivals = {"nobody": majority, "the probe": control, "the input": untrained}
        for name in order:
            if not accuracy - rivals[name] > (margin if margin_used else 0):
                return name
        return "the training"
    return wrong


credit_no_majority = _named("credit_no_majority", _credit(["the probe", "the input"]))
credit_no_control = _named("credit_no_control", _credit(["nobody", "the input"]))
credit_no_twin = _named("credit_no_twin", _credit(["nobody", "the probe"]))
credit_input_first = _named("credit_input_first", _credit(["nobody", "the input", "the probe"]))
credit_probe_first = _named("credit_probe_first", _credit(["the probe", "nobody", "the input"]))
credit_no_margin = _named("credit_no_margin", _credit(["nobody", "the probe", "the input"], margin_used=False))
credit_fixed_margin = _named("credit_fixed_margin", lambda accuracy, majority, untrained, control, margin=0.05: credit_by_list(accuracy, majority, untrained, control))
credit_always = _named("credit_always", lambda *numbers, **more: "nobody")
credit_yes = _named("credit_yes", lambda accuracy, majority, untrained, control, margin=0.05: accuracy > majority)


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=6, title="Where a head looks",
        task="A head's map of a text is a table: row *i* is how token *i* shares out its 1. How much does each head give to the token `offset` places further on, in the mean over the tokens that have one? With −1 it is the token before, with 1 the token after.",
        hints=("The entries that you want are `[i, i + offset]` for every *i*. They stand on a line that runs parallel to the diagonal.",
               "`tensor.diagonal(offset, dim1=-2, dim2=-1)` takes exactly those, as the last axis. Then one mean."),
        paragraph="Count, do not look", solution=offset_share, check=check_offset_share, right=(share_by_loop, share_by_mask),
        wrong={share_turned: r"weight on the token at offset 1", share_sum: r"do not divide", share_of_all: r"divide by 6 tokens", share_round_the_end: r"goes round the end",
               share_of_itself: r"gives to itself", share_largest: r"largest of the 5", share_all_heads: r"one number for all 3", share_over_heads: r"runs over the heads|shape \[3\]"}),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="Attention rollout",
        task="Follow the attention through all layers. In each layer a token keeps half of itself (the residual connection) and takes the other half as the mean of the heads says: $A_l = \\frac12 W_l + \\frac12 I$. What has flowed from input token *j* into place *i* after layer *l* is $R_l = A_l R_{l-1}$, with $R_0 = I$. Give back the table after each layer.",
        hints=("The three lines of the equation are the three blanks. A mean over heads leaves `[S, S]`.",
               "`mixed @ rolled`, in this order: row *i* of `mixed` says from which places to take, and the rows of `rolled` say what has flowed into those."),
        paragraph="Attention rollout", solution=attention_rollout, check=check_attention_rollout, right=(rollout_by_recursion, rollout_by_loops),
        wrong={rollout_no_residual: r"leave out the residual", rollout_not_halved: r"do not halve", rollout_half_lost: r"passes round them is lost", rollout_other_order: r"wrong order", rollout_by_entry: r"entry by entry",
               rollout_single_layers: r"begins anew", rollout_turned: r"turned over", rollout_sum_of_heads: r"add the 2 heads", rollout_first_head: r"head 0 alone", rollout_largest_head: r"larger weight", rollout_last_layer_only: r"one table"}),
    Exercise(
        chapter=CHAPTER, size="build", minutes=12, title="Labels that mean nothing",
        task="A *control task* has the words of the real task and labels without any meaning. Each different word gets a label by lot, as often as the real labels have it, and keeps it wherever it occurs. The order of the words must not decide: the seed alone does.",
        hints=("Three steps: the different words, a label for each of them, a label for each occurrence.",
               "`draw.choice(labels)` draws from the list as it is, so a label that stands in it nine times as often is drawn nine times as often. A `set` has no fixed order: sort it."),
        paragraph="A task without meaning", solution=random_labels, check=check_random_labels, right=(labels_by_index, labels_by_torch),
        wrong={labels_per_occurrence: r"one label here and another there", labels_uniform: r"draw from the list as it is", labels_kept: r"kept its true label", labels_of_types: r"600 labels for 2000",
               labels_one: r"the same label", labels_without_seed: r"does not use the seed", labels_new_each_time: r"Called twice", labels_in_order_of_text: r"in the other order"}),
    Exercise(
        chapter=CHAPTER, size="build", minutes=10, title="One word hidden at a time",
        task="To ask a masked-word model how surprising each word of a sentence is, you need the sentence once for every word, with that word replaced by [MASK]. Make all copies as one batch. [CLS] and [SEP] are never hidden.",
        hints=("Which places are hidden? All but the first and the last of `S`. Copy *n* hides the n-th of them.",
               "`places[:, None] == torch.arange(S)` compares every copy's place with every column: a table with one True in each row. `torch.where(table, mask_id, ids)` does the rest."),
        paragraph="One word at a time", solution=masked_copies, check=check_masked_copies, right=(copies_by_index, copies_by_loop),
        wrong={copies_all_tokens: r"7 copies for 5 words", copies_cumulative: r"more and more", copies_left_to_right: r"all that follows", copies_all_but_one: r"every word but one", copies_all_hidden: r"all 5 words at once",
               copies_one_early: r"too early", copies_by_token: r"hide both at once", copies_nothing: r"Nothing is hidden", copies_places_from_zero: r"your places are \[0", copies_in_place: r"changed the sentence"}),
    Exercise(
        chapter=CHAPTER, size="think", minutes=12, title="Who deserves the credit?",
        task="A probe reads something off a model's vectors, with an accuracy. Before you write 'the model has learned it', three others must be asked: the commonest answer, the probe itself (by its control task), and the input (by the untrained twin). Write the rule down, so that it gives the credit to the first who can do it without training.",
        hints=("'Ahead by more than the margin' is the same comparison three times, each with another rival.",
               "The order is in the description: nobody, the probe, the input. What none of them can do goes to the training."),
        paragraph="Four rivals for one number", solution=what_it_shows, check=check_what_it_shows, right=(credit_by_list, credit_by_dict),
        wrong={credit_no_majority: r"commonest answer scores 0.62", credit_no_control: r"0.92 on labels that mean nothing", credit_no_twin: r"twin has 0.91", credit_input_first: r"asked first",
               credit_probe_first: r"whatever the others do", credit_no_margin: r"0.77, but not by more", credit_fixed_margin: r"margin that it is given", credit_always: r"credit to nobody", credit_yes: r"not to True"}),
]
