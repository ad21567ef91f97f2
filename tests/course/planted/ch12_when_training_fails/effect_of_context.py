"""Answers to `effect_of_context` on which its check is tried."""

import torch

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
    before = model(**batch).prediction_logits.softmax(-1)
    after = model(**{**batch, "input_ids": new}).prediction_logits.softmax(-1)
    return float(((before - after).abs().sum(-1) / 2)[labels != -100].mean())


@torch.no_grad()
def by_the_positive_part(model, batch):
    model.eval()
    ids, free = batch["input_ids"], (batch["labels"] == -100) & (batch["input_ids"] > 4)
    other = torch.cat([ids[-1:], ids[:-1]])
    allowed = free & torch.cat([free[-1:], free[:-1]])
    pair = [
        model(**(batch | {"input_ids": some})).prediction_logits.softmax(-1)
        for some in (ids, torch.where(allowed, other, ids))
    ]
    return (pair[0] - pair[1]).clamp(min=0).sum(-1)[batch["labels"] != -100].mean().item()


def _wrong(name, factor=1, softmax=True, everywhere=False, specials=False, gaps=False, shift=1,
           in_place=False, tensor=False, nothing=False, mean=False, off=True, shown=False, masks=False, axis=0):  # fmt: skip
    @torch.no_grad()
    def answer(model, batch):
        if off:
            model.eval()
        ids, scored = batch["input_ids"], batch["labels"] != -100
        scored = ids == 4 if masks else scored
        word = ((ids > 4) | scored) if gaps else ids > 4 if shown else ((ids > 4) & ~scored)
        both = torch.ones_like(word) if specials else word & word.roll(shift, axis)
        new = ids if nothing else ids.roll(shift, axis).where(both, ids)
        out = model(**batch).prediction_logits
        if in_place:
            ids.copy_(new)
        moved = model(**(batch | {"input_ids": new})).prediction_logits
        if softmax:
            out, moved = out.softmax(-1), moved.softmax(-1)
        distance = (out - moved).abs()
        distance = distance.mean(-1) if mean else factor * distance.sum(-1) / 2  # [B, S]
        found = distance.mean() if everywhere else distance[scored].mean()
        return found if tensor else found.item()

    return named(name, answer)


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
        _wrong("tensor", tensor=True): r"expected one float",
        _wrong("nothing", nothing=True): r"both inputs are the same",
        _wrong("scored_words", shown=True): r"scored positions that show a word",
        _wrong("masks_only", masks=True): r"Scored is where the label is not -100",
        _wrong("other_axis", axis=1): r"have an unscored word",
        _wrong("with_dropout", off=False): r"that is dropout",
        _wrong("mean_of_words", mean=True): r"sum of the absolute differences over all words",
    },
)
