"""Answers to `backward_in_pieces` on which its check is tried."""

import torch
import torch.nn.functional as F

from planted import Answers, named


def pieces_divided_at_the_end(model, pieces):
    total, words = 0.0, 0
    for inputs, labels in pieces:
        loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum")
        loss.backward()
        total, words = total + loss.item(), words + int(labels.ge(0).sum())
    for parameter in model.parameters():
        parameter.grad /= words
    return total / words


def pieces_by_their_share(model, pieces):
    counts = [int(labels.ge(0).sum()) for _, labels in pieces]
    losses = []
    for (inputs, labels), count in zip(pieces, counts):
        losses.append(
            F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten()) * count / sum(counts)
        )
        losses[-1].backward()
    return sum(losses).detach()


def _weighed(name, weigh):
    """A planted wrong answer: every piece's summed loss times weigh(its number, masked words of all pieces)."""

    def pieces_wrongly(model, pieces):
        counts, total = [int((labels != -100).sum()) for _, labels in pieces], 0.0
        for number, (inputs, labels) in enumerate(pieces):
            loss = weigh(number, counts) * F.cross_entropy(
                model(inputs).flatten(0, 1), labels.flatten(), reduction="sum"
            )
            loss.backward()
            total += loss.item()
        return total

    return named(name, pieces_wrongly)


pieces_mean_of_means = _weighed(
    "pieces_mean_of_means", lambda number, counts: 1 / (counts[number] * len(counts))
)


pieces_sum_of_means = _weighed("pieces_sum_of_means", lambda number, counts: 1 / counts[number])


pieces_summed = _weighed("pieces_summed", lambda number, counts: 1)


pieces_by_pieces = _weighed("pieces_by_pieces", lambda number, counts: 1 / len(counts))


pieces_by_rows = _weighed("pieces_by_rows", lambda number, counts: 1 / 8)


pieces_by_positions = _weighed("pieces_by_positions", lambda number, counts: 1 / 48)


pieces_so_far = _weighed("pieces_so_far", lambda number, counts: 1 / sum(counts[: number + 1]))


pieces_divided_twice = _weighed(
    "pieces_divided_twice", lambda number, counts: 1 / (sum(counts) * len(counts))
)


def pieces_cleared(model, pieces):
    words, total = sum(int(labels.ge(0).sum()) for _, labels in pieces), 0.0
    for inputs, labels in pieces:
        model.zero_grad()
        loss = (
            F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum") / words
        )
        loss.backward()
        total += loss.item()
    return total


def pieces_first_only(model, pieces):
    words = sum(int(labels.ge(0).sum()) for _, labels in pieces)
    for inputs, labels in pieces:
        loss = (
            F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum") / words
        )
        loss.backward()
        return loss.item()


def pieces_without_backward(model, pieces):
    words = sum(int(labels.ge(0).sum()) for _, labels in pieces)
    return (
        sum(
            F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum").item()
            for x, y in pieces
        )
        / words
    )


def pieces_glued(model, pieces):
    inputs, labels = (torch.cat(part) for part in zip(*pieces))
    loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten())
    loss.backward()
    return loss.item()


def pieces_last_loss(model, pieces):
    words = sum(int(labels.ge(0).sum()) for _, labels in pieces)
    for inputs, labels in pieces:
        loss = (
            F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum") / words
        )
        loss.backward()
    return loss.item()


def pieces_in_one_backward(model, pieces):
    words = sum(int(labels.ge(0).sum()) for _, labels in pieces)
    loss = (
        sum(
            F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum") for x, y in pieces
        )
        / words
    )
    loss.backward()
    return loss.item()


def pieces_that_step(model, pieces):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    words, total = sum(int(labels.ge(0).sum()) for _, labels in pieces), 0.0
    for inputs, labels in pieces:
        loss = (
            F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), reduction="sum") / words
        )
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


pieces_by_the_first = _weighed("pieces_by_the_first", lambda number, counts: 1 / counts[0])


pieces_upside_down = _weighed("pieces_upside_down", lambda number, counts: -1 / sum(counts))


pieces_by_share_of_rows = _weighed(
    "pieces_by_share_of_rows", lambda number, counts: (3, 2, 3)[number] / 8 / counts[number]
)


pieces_weighed_twice = _weighed(
    "pieces_weighed_twice", lambda number, counts: counts[number] / sum(counts)
)


pieces_means_by_words = _weighed(
    "pieces_means_by_words", lambda number, counts: 1 / (counts[number] * sum(counts))
)


pieces_by_heart = _weighed("pieces_by_heart", lambda number, counts: 1 / 10)


def pieces_row_by_row(model, pieces):
    words, total = sum(int((labels >= 0).sum()) for _, labels in pieces), 0.0
    for inputs, labels in (row for piece in pieces for row in zip(*piece)):
        loss = F.cross_entropy(model(inputs), labels, reduction="sum") / words
        loss.backward()
        total += loss.detach()
    return total


ANSWERS = Answers(
    right=(pieces_divided_at_the_end, pieces_by_their_share, pieces_row_by_row),
    wrong={
        pieces_mean_of_means: r"mean of the pieces' means",
        pieces_sum_of_means: r"add up the pieces' means",
        pieces_summed: r"never divide by the 10 words",
        pieces_by_pieces: r"divide by the 3 pieces;",
        pieces_by_rows: r"divide by the 8 rows",
        pieces_by_positions: r"all 48 positions",
        pieces_so_far: r"so far",
        pieces_divided_twice: r"3 pieces as well",
        pieces_cleared: r"only the last piece",
        pieces_first_only: r"only the first piece",
        pieces_without_backward: r"have no gradient",
        pieces_glued: r"You run 8 rows at once",
        pieces_last_loss: r"gradient is right, but you return",
        pieces_in_one_backward: r"3 pieces wait for one",
        pieces_that_step: r"weights have moved",
        pieces_by_the_first: r"direction is right, the length is not",
        pieces_upside_down: r"opposite directions",
        pieces_by_share_of_rows: r"by their rows, 3, 2 and 3",
        pieces_weighed_twice: r"a sum has the weight of its words already",
        pieces_means_by_words: r"has been divided once already",
        pieces_by_heart: r"two pieces with 3 and 4 words",
    },
)
