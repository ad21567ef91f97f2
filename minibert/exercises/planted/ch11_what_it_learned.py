"""Answers on which the exercises of chapter 11 are tried: right ones, and wrong ones with what the check must say."""

import random

import torch

from minibert.exercises.ch11_what_it_learned import rollout
from minibert.exercises.planted import Answers, named


# -- warm-up: where a head looks ---------------------------------------------------------------------------------------

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


rollout_no_residual = named("rollout_no_residual", rollout(mix=lambda mean, eye: mean))
rollout_not_halved = named("rollout_not_halved", rollout(mix=lambda mean, eye: mean + eye))
rollout_half_lost = named("rollout_half_lost", rollout(mix=lambda mean, eye: 0.5 * mean))
rollout_other_order = named("rollout_other_order", rollout(step=lambda mixed, rolled: rolled @ mixed))
rollout_by_entry = named("rollout_by_entry", rollout(step=lambda mixed, rolled: mixed * rolled))
rollout_single_layers = named("rollout_single_layers", rollout(step=lambda mixed, rolled: mixed))
rollout_turned = named("rollout_turned", rollout(step=lambda mixed, rolled: mixed.T @ rolled))
rollout_sum_of_heads = named("rollout_sum_of_heads", rollout(heads=lambda maps: maps.sum(dim=0)))
rollout_first_head = named("rollout_first_head", rollout(heads=lambda maps: maps[0]))
rollout_largest_head = named("rollout_largest_head", rollout(heads=lambda maps: maps.amax(dim=0)))
rollout_last_layer_only = named("rollout_last_layer_only", lambda attentions: rollout_by_recursion(attentions)[-1])


# -- build: labels that mean nothing -----------------------------------------------------------------------------------

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


copies_all_tokens = named("copies_all_tokens", lambda ids, mask_id: (torch.where(torch.eye(len(ids), dtype=torch.bool), mask_id, ids), torch.arange(len(ids))))
copies_cumulative = named("copies_cumulative", _copies(lambda place, at, ids: (place <= at) & (place > 0)))
copies_left_to_right = named("copies_left_to_right", _copies(lambda place, at, ids: (place >= at) & (place < len(ids) - 1)))
copies_all_but_one = named("copies_all_but_one", _copies(lambda place, at, ids: (place > 0) & (place < len(ids) - 1) & (place != at)))
copies_all_hidden = named("copies_all_hidden", _copies(lambda place, at, ids: (place > 0) & (place < len(ids) - 1)))
copies_one_early = named("copies_one_early", _copies(lambda place, at, ids: place == at - 1))
copies_by_token = named("copies_by_token", _copies(lambda place, at, ids: ids == ids[at]))
copies_nothing = named("copies_nothing", _copies(lambda place, at, ids: place < 0))
copies_places_from_zero = named("copies_places_from_zero", lambda ids, mask_id: (copies_by_loop(ids, mask_id)[0], torch.arange(len(ids) - 2)))


def copies_in_place(ids, mask_id):
    copies, places = copies_by_loop(ids, mask_id)
    ids[-2] = mask_id
    return copies, places


# -- think: what a probe shows -----------------------------------------------------------------------------------------

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


credit_no_majority = named("credit_no_majority", _credit(["the probe", "the input"]))
credit_no_control = named("credit_no_control", _credit(["nobody", "the input"]))
credit_no_twin = named("credit_no_twin", _credit(["nobody", "the probe"]))
credit_input_first = named("credit_input_first", _credit(["nobody", "the input", "the probe"]))
credit_probe_first = named("credit_probe_first", _credit(["the probe", "nobody", "the input"]))
credit_no_margin = named("credit_no_margin", _credit(["nobody", "the probe", "the input"], margin_used=False))
credit_fixed_margin = named("credit_fixed_margin", lambda accuracy, majority, untrained, control, margin=0.05: credit_by_list(accuracy, majority, untrained, control))
credit_always = named("credit_always", lambda *numbers, **more: "nobody")
credit_yes = named("credit_yes", lambda accuracy, majority, untrained, control, margin=0.05: accuracy > majority)


rollout_on_its_side = named("rollout_on_its_side", lambda attentions: rollout_by_recursion(attentions).mT)
rollout_from_the_last = named("rollout_from_the_last", lambda attentions: rollout_by_recursion(attentions.flip(0)))
rollout_added_up = named("rollout_added_up", lambda attentions: rollout_by_recursion(attentions).cumsum(0))
rollout_last_head = named("rollout_last_head", lambda attentions: rollout_by_recursion(attentions[:, -1:]))


share_of_both_sides = named("share_of_both_sides", lambda attention, offset: (share_by_loop(attention, offset) + share_by_loop(attention, -offset)) / 2)
share_median = named("share_median", lambda attention, offset: attention.diagonal(offset, dim1=-2, dim2=-1).median(dim=-1).values)
share_of_the_neighbour = named("share_of_the_neighbour", lambda attention, offset: share_by_loop(attention, 1 if offset > 0 else -1))


copies_as_floats = named("copies_as_floats", lambda ids, mask_id: (copies_by_loop(ids, mask_id)[0].float(), copies_by_loop(ids, mask_id)[1]))
copies_of_103 = named("copies_of_103", lambda ids, mask_id: copies_by_loop(ids, 103))


ANSWERS = {
    "offset_share": Answers(
        right=(share_by_loop, share_by_mask),
        wrong={share_turned: r"weight on the token at offset 1", share_sum: r"do not divide", share_of_all: r"divide by 6 tokens", share_round_the_end: r"goes round the end",
               share_of_itself: r"gives to itself", share_largest: r"largest of the 5", share_all_heads: r"one number for all 3", share_over_heads: r"runs over the heads|shape \[3\]",
               share_of_both_sides: r"both directions", share_median: r"take the median", share_of_the_neighbour: r"whatever the offset; here it is 2"}),
    "attention_rollout": Answers(
        right=(rollout_by_recursion, rollout_by_loops),
        wrong={rollout_no_residual: r"leave out the residual", rollout_not_halved: r"do not halve", rollout_half_lost: r"passes round them is lost", rollout_other_order: r"wrong order", rollout_by_entry: r"entry by entry",
               rollout_single_layers: r"begins anew", rollout_turned: r"turned over", rollout_sum_of_heads: r"add the 2 heads", rollout_first_head: r"head 0 alone", rollout_largest_head: r"larger weight", rollout_last_layer_only: r"one table",
               rollout_on_its_side: r"on their sides", rollout_from_the_last: r"begin with the last layer", rollout_added_up: r"of the layers up", rollout_last_head: r"last head alone"}),
    "random_labels": Answers(
        right=(labels_by_index, labels_by_torch),
        wrong={labels_per_occurrence: r"one label here and another there", labels_uniform: r"draw from the list as it is", labels_kept: r"kept its true label", labels_of_types: r"600 labels for 2000",
               labels_one: r"the same label", labels_without_seed: r"does not use the seed", labels_new_each_time: r"Called twice", labels_in_order_of_text: r"in the other order"}),
    "masked_copies": Answers(
        right=(copies_by_index, copies_by_loop),
        wrong={copies_all_tokens: r"7 copies for 5 words", copies_cumulative: r"more and more", copies_left_to_right: r"all that follows", copies_all_but_one: r"every word but one", copies_all_hidden: r"all 5 words at once",
               copies_one_early: r"too early", copies_by_token: r"hide both at once", copies_nothing: r"Nothing is hidden", copies_places_from_zero: r"your places are \[0", copies_in_place: r"changes `ids`",
               copies_as_floats: r"torch\.float32, where torch\.int64", copies_of_103: r"you have 103"}),
    "what_it_shows": Answers(
        right=(credit_by_list, credit_by_dict),
        wrong={credit_no_majority: r"commonest answer scores 0.62", credit_no_control: r"0.92 on labels that mean nothing", credit_no_twin: r"twin has 0.91", credit_input_first: r"asked first",
               credit_probe_first: r"whatever the others do", credit_no_margin: r"0.77, but not by more", credit_fixed_margin: r"margin that it is given", credit_always: r"credit to nobody", credit_yes: r"not to True"}),
}
