"""Answers to `effect_of_context` on which its check is tried."""

import torch
import torch.nn.functional as F

from planted import Answers, named


@torch.no_grad()
def row_by_row(model, batch):
    model.eval()
    ids, labels = batch["input_ids"], batch["labels"]
    new = ids.clone()
    for row in range(len(ids)):
        for column in range(ids.size(1)):
            here, other = (row, column), (row - 1, column)
            if all(ids[spot] > 4 and labels[spot] == -100 for spot in (here, other)):
                new[here] = ids[other]
    out = [model(**{**batch, "input_ids": some}).prediction_logits for some in (ids, new)]
    before, after = (some.softmax(-1) for some in out)
    losses = [F.cross_entropy(some.flatten(0, 1), labels.flatten()) for some in out]
    distance = ((before - after).abs().sum(-1) / 2)[labels != -100].mean()
    return float(distance), float(losses[1] - losses[0])


@torch.no_grad()
def by_the_positive_part(model, batch):
    model.eval()
    ids, free = batch["input_ids"], (batch["labels"] == -100) & (batch["input_ids"] > 4)
    other = torch.cat([ids[-1:], ids[:-1]])
    allowed = free & torch.cat([free[-1:], free[:-1]])
    chosen = batch["labels"] != -100
    pair = [
        model(**(batch | {"input_ids": some})).prediction_logits[chosen].log_softmax(-1)
        for some in (ids, torch.where(allowed, other, ids))
    ]
    right = [some.gather(1, batch["labels"][chosen][:, None]).mean() for some in pair]
    distance = (pair[0].exp() - pair[1].exp()).clamp(min=0).sum(-1).mean()
    return distance.item(), (right[0] - right[1]).item()


def _wrong(name, factor=1, softmax=True, everywhere=False, specials=False, gaps=False, shift=1,
           in_place=False, tensor=False, nothing=False, mean=False, off=True, shown=False, masks=False, axis=0,
           turned=False, summed=False):  # fmt: skip
    @torch.no_grad()
    def answer(model, batch):
        if off:
            model.eval()
        ids, chosen = batch["input_ids"], batch["labels"] != -100
        chosen = ids == 4 if masks else chosen
        word = ((ids > 4) | chosen) if gaps else ids > 4 if shown else ((ids > 4) & ~chosen)
        both = torch.ones_like(word) if specials else word & word.roll(shift, axis)
        new = ids if nothing else ids.roll(shift, axis).where(both, ids)
        out = model(**batch).prediction_logits
        if in_place:
            ids.copy_(new)
        moved = model(**(batch | {"input_ids": new})).prediction_logits
        losses = [
            F.cross_entropy(
                some.flatten(0, 1),
                batch["labels"].flatten(),
                reduction="sum" if summed else "mean",
            )
            for some in (out, moved)
        ]
        rise = losses[0] - losses[1] if turned else losses[1] - losses[0]
        if softmax:
            out, moved = out.softmax(-1), moved.softmax(-1)
        distance = (out - moved).abs()
        distance = distance.mean(-1) if mean else factor * distance.sum(-1) / 2  # [B, S]
        found = distance.mean() if everywhere else distance[chosen].mean()
        return (found, rise) if tensor else (found.item(), rise.item())

    return named(name, answer)


def distance_only(model, batch):
    return row_by_row(model, batch)[0]


ANSWERS = Answers(
    right=(row_by_row, by_the_positive_part),
    wrong={
        _wrong("not_halved", factor=2): r"half of it",
        _wrong("scores", softmax=False): r"Take the softmax first",
        _wrong("everywhere", everywhere=True): r"mean over all positions",
        _wrong("specials_too", specials=True): r"exchange every position",
        _wrong("gaps_too", gaps=True): r"Their inputs must stay",
        _wrong("next_row", shift=-1): r"the row after",
        _wrong("in_place", in_place=True): r"changes `batch`.*in place",
        _wrong("tensor", tensor=True): r"you return tensors",
        _wrong("turned", turned=True): r"wrong sign",
        _wrong("summed", summed=True): r"the rise is not",
        distance_only: r"expected two floats",
        _wrong("nothing", nothing=True): r"both inputs are the same",
        _wrong("chosen_words", shown=True): r"chosen positions that show a word",
        _wrong("masks_only", masks=True): r"Chosen is where the label is not -100",
        _wrong("other_axis", axis=1): r"have a word that is not chosen",
        _wrong("with_dropout", off=False): r"that is dropout",
        _wrong("mean_of_words", mean=True): r"sum of the absolute differences over all words",
    },
)
