"""Exercise `backward_in_pieces`: task, hints, solution and check."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch08_pretraining.common import CHAPTER
from minibert.course.exercises.compare import Mistake, recognise


def backward_in_pieces(model, pieces):
    """Leaves the gradient of the whole batch's loss in `.grad`.

    Returns the two losses of the whole batch, MLM and NSP.
    model(piece) returns two tensors: the MLM logits, B × S × V,
    and the NSP logits, B × 2. A piece is a dict with the inputs,
    "labels" of B × S (-100 = not chosen) and
    "next_sentence_label" of B. Only one piece's activations may
    be held at a time.
    """
    # blank from here: one call of `backward` for each piece
    tokens = sum(int((piece["labels"] != -100).sum()) for piece in pieces)
    pairs = sum(len(piece["next_sentence_label"]) for piece in pieces)
    totals = [0.0, 0.0]
    for piece in pieces:
        words, relation = model(piece)
        words, labels = words.flatten(0, 1), piece["labels"].flatten()
        mlm = F.cross_entropy(words, labels, reduction="sum") / tokens
        labels = piece["next_sentence_label"]
        nsp = F.cross_entropy(relation, labels, reduction="sum") / pairs
        (mlm + nsp).backward()
        totals[0] += mlm.item()
        totals[1] += nsp.item()
    return tuple(totals)


class _Toy(nn.Module):
    """One vector for each token, and a linear head for each of the two losses."""

    def __init__(self):
        super().__init__()
        self.table, self.words, self.pair = nn.Embedding(9, 4), nn.Linear(4, 5), nn.Linear(4, 2)
        self.double()

    def forward(self, piece):
        states = self.table(piece["input_ids"]).tanh()  # [B, S, 4]
        return self.words(states), self.pair(states[:, 0])  # [B, S, 5], [B, 2]


def _piece(rows, masked):
    labels = torch.full((rows, 6), -100)  # [B, S]
    labels.view(-1)[:masked] = torch.randint(5, (masked,))
    return {
        "input_ids": torch.randint(9, (rows, 6)),
        "labels": labels,
        "next_sentence_label": torch.randint(2, (rows,)),
    }


def _losses(model, piece):
    """The summed losses of a piece, MLM and NSP."""
    words, relation = model(piece)
    return (
        F.cross_entropy(words.flatten(0, 1), piece["labels"].flatten(), reduction="sum"),
        F.cross_entropy(relation, piece["next_sentence_label"], reduction="sum"),
    )


def _watch(model, pieces, answer):
    """Calls the answer. -> what it returned, the rows of each forward pass, and how many passes waited for `backward` at most."""
    rows, waiting, most = [], set(), 0

    def remember(module, inputs, outputs):
        nonlocal most
        number = len(rows)
        rows.append(len(outputs[0]))
        if outputs[0].requires_grad:
            waiting.add(number)
            outputs[0].register_hook(lambda gradient: waiting.discard(number))
        most = max(most, len(waiting))

    handle = model.register_forward_hook(remember)
    try:
        return answer(model, pieces), rows, most
    except RuntimeError as error:
        if "second time" not in str(error):
            raise
        raise Mistake(
            "You call `backward` twice for one piece, and the first call frees what the second one needs. Add the two losses and call it once."
        ) from None
    finally:
        handle.remove()


def check_backward_in_pieces(answer):
    model, pieces = _Toy(), [_piece(3, 7), _piece(2, 2), _piece(3, 1)]
    losses = [_losses(model, piece) for piece in pieces]
    before = [weight.detach().clone() for weight in model.parameters()]

    def gradient(of, weights):
        """Of one head, for the sum of a loss over the pieces with these weights: that of a right answer, or of a known mistake."""
        total = sum(weight * pair[of] for weight, pair in zip(weights, losses))
        return torch.autograd.grad(total, (model.words, model.pair)[of].weight, retain_graph=True)[
            0
        ]

    found, rows, most = _watch(model, pieces, answer)
    if all(weight.grad is None for weight in model.parameters()):
        raise Mistake(
            f"After your {len(rows)} forward passes the parameters have no gradient: `backward` is missing."
        )
    if max(rows, default=0) > 3:
        raise Mistake(
            f"You run {max(rows)} rows at once: all pieces in one. That is the big batch itself, which is what does not fit."
        )
    if not all(map(torch.equal, before, model.parameters())):
        raise Mistake(
            f"The weights have moved. Leave a gradient and nothing else; the optimiser steps once, after all {len(pieces)} pieces."
        )
    for of, name, kind, counts in (
        (0, "MLM", "chosen tokens", (7, 2, 1)),
        (1, "NSP", "pairs", (3, 2, 3)),
    ):
        head, all_of = (model.words, model.pair)[of], sum(counts)
        if head.weight.grad is None or not head.weight.grad.any():
            raise Mistake(
                f"The {name} head has no gradient: the {name} loss is not part of the sum on which you call `backward`."
            )
        right = gradient(of, [1 / all_of] * 3)
        size = f"{name} loss: the norm of your gradient is {head.weight.grad.norm():.3f}, that of the big batch {right.norm():.3f}"
        recognise(
            head.weight.grad,
            right,
            [
                (gradient(of, weights), f"{size}: {sentence}")
                for weights, sentence in _suspects(of, kind, counts)
            ]
            + [
                (-right, f"{size}, and they point in opposite directions: a minus too many."),
                (
                    right * ((head.weight.grad * right).sum() / right.square().sum()),
                    f"{size}: the direction is right, the length is not. Divide by the {all_of} {kind} of all pieces, once.",
                ),
            ],
            f"the {name} part of your gradient",
            tolerance=1e-6,
        )
    if most > 1:
        raise Mistake(
            f"The gradient is right, but {most} pieces wait for one `backward`, and so the activations of all of them are held: as much memory as the big batch. "
            "Call `backward` for each piece before the next goes in."
        )
    _check_losses(found, [sum(each).item() / all_of for each, all_of in zip(zip(*losses), (10, 8))])
    other = [_piece(2, 3), _piece(1, 4)]
    again = answer(model, other)
    sums = zip(*(_losses(model, piece) for piece in other))
    _check_losses(
        again,
        [sum(each).item() / count for each, count in zip(sums, (7, 3))],
        "Three pieces are right; for two pieces with 7 chosen tokens and 3 pairs ",
    )


def _suspects(of, kind, counts):
    """Weights of the pieces' summed losses that belong to known mistakes, each with its feedback."""
    all_of, other = sum(counts), ("pairs", "chosen tokens")[of]
    rows, tokens = (3, 2, 3), (7, 2, 1)
    return [
        (
            [1 / (3 * count) for count in counts],
            f"you take the mean of the pieces' means, so a piece with few {kind} weighs as much as one with many. Divide sums by the {all_of} {kind} of all pieces.",
        ),
        (
            [1 / count for count in counts],
            f"you add up the pieces' means, so the gradient grows with the number of pieces, and their {kind} weigh unequally.",
        ),
        ([1, 1, 1], f"you add up sums and never divide by the {all_of} {kind}."),
        ([1 / 3] * 3, f"you divide by the 3 pieces; divide by the {all_of} {kind}."),
        (
            [1 / (18 - all_of)] * 3,
            f"you divide by the {18 - all_of} {other}. Each of the two losses is a mean of its own: divide this one by the {all_of} {kind}.",
        ),
        ([1 / 18] * 3, f"you divide by tokens and pairs together; divide by the {all_of} {kind}."),
        ([1 / 48] * 3, f"you divide by all 48 positions; divide by the {all_of} {kind}."),
        (
            [0, 0, 1 / all_of],
            "only the last piece is in it. The gradient is cleared on the way, or `backward` comes after the loop.",
        ),
        ([1 / all_of, 0, 0], "only the first piece is in it; the loop ends too early."),
        ([1 / all_of, 1 / all_of, 0], "the last piece is missing from it."),
        (
            [1 / sum(counts[: i + 1]) for i in range(3)],
            f"you divide each piece by the {kind} counted *so far*. Count all of them before the first piece.",
        ),
        (
            [1 / (all_of * count) for count in counts],
            f'you divide the mean of each piece by the {all_of} {kind}. A mean has been divided once already; take each piece\'s sum (`reduction="sum"`).',
        ),
        (
            [1 / (all_of * 3)] * 3,
            f"you divide by the {all_of} {kind} and then by the 3 pieces as well.",
        ),
        (
            [(rows, tokens)[of][i] / (8, 10)[of] / count for i, count in enumerate(counts)],
            f"you weigh the pieces' means by their {other}; the weight of a piece in this loss is its number of {kind}.",
        ),
        (
            [count / all_of for count in counts],
            f"you weigh the pieces' *sums* by their {kind}; a sum has this weight already. Divide by {all_of}.",
        ),
    ]


def _check_losses(found, right, start="The gradient is right, but "):
    wanted = "{:.3f} and {:.3f}".format(*right)
    if not isinstance(found, tuple | list) or len(found) != 2:
        raise Mistake(
            f"{start}you return {found!r}; expected the two losses, MLM and NSP: {wanted}."
        )
    shown = [float(each) for each in found]
    if all(abs(mine - loss) < 1e-6 for mine, loss in zip(shown, right)):
        return
    turned = all(abs(mine - loss) < 1e-6 for mine, loss in zip(shown, reversed(right)))
    raise Mistake(
        "{}you return {:.3f} and {:.3f}; expected {}.{}".format(
            start, *shown, wanted, " MLM comes first." if turned else " Count what is there."
        )
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=20,
    title="A batch in pieces",
    task="A batch goes through the model in pieces, which differ in their numbers of chosen tokens and of pairs. After the call, each parameter's `.grad` must be what BERT's loss, MLM plus NSP, of the whole batch would have produced, "
    "and the function returns the two losses of the whole batch. Ask yourself over what each of the two is a mean.",
    hints=(
        "`backward` adds to the gradients in `.grad`. So each piece must contribute a share of each loss, and the shares must add up to the losses of the whole batch.",
        "Count the chosen tokens and the pairs of all pieces before the first piece; `F.cross_entropy` has a `reduction` that gives a sum.",
    ),
    paragraph="A batch that does not fit",
    solution=backward_in_pieces,
    check=check_backward_in_pieces,
)
