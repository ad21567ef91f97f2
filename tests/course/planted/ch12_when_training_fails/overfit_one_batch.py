"""Answers to `overfit_one_batch` on which its check is tried."""

import copy

import torch
import torch.nn.functional as F

from planted import Answers, named


def with_class_loss(model, batch, steps, learning_rate):
    mine = copy.deepcopy(model).eval()
    optimizer = torch.optim.AdamW(mine.parameters(), lr=learning_rate)
    scored, found = batch["labels"] != -100, []
    while len(found) < steps:
        optimizer.zero_grad()
        out = mine(**batch)
        logs = out.prediction_logits[scored].log_softmax(-1)
        words = -logs.gather(1, batch["labels"][scored][:, None]).mean()
        found.append([words.item(), (out.loss - words).item()])
        out.loss.backward()
        optimizer.step()
    return found


def adding_both(model, batch, steps, learning_rate):
    mine = copy.deepcopy(model).eval()
    optimizer, found = torch.optim.AdamW(mine.parameters(), lr=learning_rate), ()
    for _ in range(steps):
        out = mine(**batch)
        words = F.cross_entropy(out.prediction_logits.transpose(1, 2), batch["labels"])
        pairs = F.cross_entropy(out.seq_relationship_logits, batch["next_sentence_label"])
        found += ((float(words.detach()), float(pairs.detach())),)
        (words + pairs).backward()
        optimizer.step()
        mine.zero_grad()
    return found


def _wrong(name, train=False, itself=False, zero=True, step=True, total=False, words=False,
           after=False, count=0, tensors=False, swapped=False, alone=False, rate=1.0):  # fmt: skip
    def answer(model, batch, steps, learning_rate):
        mine = model.eval() if itself else copy.deepcopy(model)
        mine.train(train)
        optimizer = torch.optim.AdamW(mine.parameters(), lr=rate * learning_rate)

        def losses():
            out = mine(**batch)
            logits = out.prediction_logits
            return F.cross_entropy(logits.flatten(0, 1), batch["labels"].flatten()), out.loss

        found = []
        for _ in range(steps + count):
            of_words, both = losses()
            (of_words if words else both).backward()
            if step:
                optimizer.step()
            if zero:
                optimizer.zero_grad()
            if after:
                of_words, both = losses()
            pair = (of_words, both if total else both - of_words)
            pair = pair[::-1] if swapped else pair
            pair = pair if tensors else tuple(loss.item() for loss in pair)
            found.append(pair[0] if alone else pair)
        return found

    return named(name, answer)


dropout_on = _wrong("dropout_on", train=True)
itself = _wrong("itself", itself=True)
no_zero = _wrong("no_zero", zero=False)
no_step = _wrong("no_step", step=False)
sum_recorded = _wrong("sum_recorded", total=True)
pairs_first = _wrong("pairs_first", swapped=True)
words_alone = _wrong("words_alone", alone=True)
words_only = _wrong("words_only", words=True)
recorded_after = _wrong("recorded_after", after=True)
one_more = _wrong("one_more", count=1)
tensors = _wrong("tensors", tensors=True)
other_rate = _wrong("other_rate", rate=0.1)

ANSWERS = Answers(
    right=(with_class_loss, adding_both),
    wrong={
        dropout_on: r"without dropout they are",
        itself: r"the model itself has been trained",
        no_zero: r"gradients of all steps add up",
        no_step: r"no step changes the weights",
        sum_recorded: r"second number is the sum of both",
        pairs_first: r"the NSP loss first",
        words_alone: r"each entry should be a list of 2 numbers",
        words_only: r"minimise the MLM loss alone",
        recorded_after: r"after its step",
        one_more: r"you return 9 entries",
        tensors: r"you return tensors",
        other_rate: r"AdamW with the rate that you are given",
    },
)
