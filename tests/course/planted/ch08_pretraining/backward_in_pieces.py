"""Answers to `backward_in_pieces` on which its check is tried."""

import torch
import torch.nn.functional as F

from planted import Answers, named


def _sums(model, piece):
    words, relation = model(piece)
    return (
        F.cross_entropy(words.flatten(0, 1), piece["labels"].flatten(), reduction="sum"),
        F.cross_entropy(relation, piece["next_sentence_label"], reduction="sum"),
    )


def _counts(pieces):
    """Masked tokens and pairs of each piece."""
    return [(int(p["labels"].ge(0).sum()), len(p["labels"])) for p in pieces]


def pieces_divided_at_the_end(model, pieces):
    counts, totals = _counts(pieces), [0.0, 0.0]
    tokens, pairs = map(sum, zip(*counts))
    for piece in pieces:
        mlm, nsp = _sums(model, piece)
        (mlm + nsp * tokens / pairs).backward()
        totals = [totals[0] + mlm.item(), totals[1] + nsp.item()]
    for parameter in model.parameters():
        parameter.grad /= tokens
    return totals[0] / tokens, totals[1] / pairs


def pieces_by_their_share(model, pieces):
    counts, found = _counts(pieces), []
    tokens, pairs = map(sum, zip(*counts))
    for piece, (own_tokens, own_pairs) in zip(pieces, counts):
        words, relation = model(piece)
        mlm = F.cross_entropy(words.flatten(0, 1), piece["labels"].flatten())
        nsp = F.cross_entropy(relation, piece["next_sentence_label"])
        shares = torch.stack([mlm * own_tokens / tokens, nsp * own_pairs / pairs])
        shares.sum().backward()
        found.append(shares.detach())
    return list(sum(found))


def pieces_row_by_row(model, pieces):
    rows = [
        {key: values[i : i + 1] for key, values in piece.items()}
        for piece in pieces
        for i in range(len(piece["labels"]))
    ]
    return pieces_divided_at_the_end(model, rows)


def _weighed(name, mlm=None, nsp=None, result=lambda a, b: (a, b)):
    """A planted wrong answer: each piece's summed loss times mlm or nsp of (its number, the counts of all pieces)."""

    def right(number, counts):
        return 1 / sum(counts)

    def pieces_wrongly(model, pieces):
        tokens, pairs = zip(*_counts(pieces))
        totals = [0.0, 0.0]
        for number, piece in enumerate(pieces):
            a, b = _sums(model, piece)
            a, b = a * (mlm or right)(number, tokens), b * (nsp or right)(number, pairs)
            (a + b).backward()
            totals = [totals[0] + a.item(), totals[1] + b.item()]
        return result(*totals)

    return named(name, pieces_wrongly)


def _mean_of_means(number, counts):
    return 1 / (counts[number] * len(counts))


pieces_mean_of_means = _weighed("pieces_mean_of_means", _mean_of_means, _mean_of_means)
pieces_nsp_mean_of_means = _weighed("pieces_nsp_mean_of_means", nsp=_mean_of_means)
pieces_sum_of_means = _weighed("pieces_sum_of_means", lambda i, counts: 1 / counts[i])
pieces_nsp_sum_of_means = _weighed("pieces_nsp_sum_of_means", nsp=lambda i, counts: 1 / counts[i])
pieces_summed = _weighed("pieces_summed", lambda i, counts: 1)
pieces_by_pieces = _weighed("pieces_by_pieces", lambda i, counts: 1 / len(counts))
pieces_nsp_by_pieces = _weighed("pieces_nsp_by_pieces", nsp=lambda i, counts: 1 / len(counts))
pieces_by_rows = _weighed("pieces_by_rows", lambda i, counts: 1 / 8)
pieces_nsp_by_tokens = _weighed("pieces_nsp_by_tokens", nsp=lambda i, counts: 1 / 10)
pieces_by_both = _weighed("pieces_by_both", lambda i, counts: 1 / 18)
pieces_by_positions = _weighed("pieces_by_positions", lambda i, counts: 1 / 48)
pieces_so_far = _weighed("pieces_so_far", lambda i, counts: 1 / sum(counts[: i + 1]))
pieces_divided_twice = _weighed(
    "pieces_divided_twice", lambda i, counts: 1 / (sum(counts) * len(counts))
)
pieces_without_nsp = _weighed("pieces_without_nsp", nsp=lambda i, counts: 0)
pieces_upside_down = _weighed("pieces_upside_down", lambda i, counts: -1 / sum(counts))
pieces_by_the_first = _weighed("pieces_by_the_first", lambda i, counts: 1 / counts[0])
pieces_nsp_halved = _weighed("pieces_nsp_halved", nsp=lambda i, counts: 0.5 / sum(counts))
pieces_by_share_of_rows = _weighed(
    "pieces_by_share_of_rows", lambda i, counts: (3, 2, 3)[i] / 8 / counts[i]
)
pieces_nsp_by_share_of_tokens = _weighed(
    "pieces_nsp_by_share_of_tokens", nsp=lambda i, counts: (7, 2, 1)[i] / 10 / counts[i]
)
pieces_weighed_twice = _weighed("pieces_weighed_twice", lambda i, counts: counts[i] / sum(counts))
pieces_means_by_words = _weighed(
    "pieces_means_by_words", lambda i, counts: 1 / (counts[i] * sum(counts))
)
pieces_by_heart = _weighed("pieces_by_heart", lambda i, counts: 1 / 10, lambda i, counts: 1 / 8)
pieces_one_number = _weighed("pieces_one_number", result=lambda a, b: a + b)
pieces_turned = _weighed("pieces_turned", result=lambda a, b: (b, a))


def pieces_cleared(model, pieces):
    (tokens, pairs), totals = map(sum, zip(*_counts(pieces))), [0.0, 0.0]
    for piece in pieces:
        model.zero_grad()
        mlm, nsp = _sums(model, piece)
        (mlm / tokens + nsp / pairs).backward()
        totals = [totals[0] + mlm.item() / tokens, totals[1] + nsp.item() / pairs]
    return totals


def pieces_first_only(model, pieces):
    tokens, pairs = map(sum, zip(*_counts(pieces)))
    for piece in pieces:
        mlm, nsp = _sums(model, piece)
        (mlm / tokens + nsp / pairs).backward()
        return mlm.item() / tokens, nsp.item() / pairs


def pieces_last_loss(model, pieces):
    tokens, pairs = map(sum, zip(*_counts(pieces)))
    for piece in pieces:
        mlm, nsp = _sums(model, piece)
        (mlm / tokens + nsp / pairs).backward()
    return mlm.item() / tokens, nsp.item() / pairs


def pieces_without_backward(model, pieces):
    tokens, pairs = map(sum, zip(*_counts(pieces)))
    sums = [_sums(model, piece) for piece in pieces]
    return sum(a for a, _ in sums).item() / tokens, sum(b for _, b in sums).item() / pairs


def pieces_glued(model, pieces):
    whole = {key: torch.cat([piece[key] for piece in pieces]) for key in pieces[0]}
    return pieces_first_only(model, [whole])


def pieces_in_one_backward(model, pieces):
    tokens, pairs = map(sum, zip(*_counts(pieces)))
    sums = [_sums(model, piece) for piece in pieces]
    mlm, nsp = sum(a for a, _ in sums) / tokens, sum(b for _, b in sums) / pairs
    (mlm + nsp).backward()
    return mlm.item(), nsp.item()


def pieces_with_two_backwards(model, pieces):
    tokens, pairs = map(sum, zip(*_counts(pieces)))
    for piece in pieces:
        mlm, nsp = _sums(model, piece)
        (mlm / tokens).backward()
        (nsp / pairs).backward()
    return mlm.item(), nsp.item()


def pieces_that_step(model, pieces):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    tokens, pairs = map(sum, zip(*_counts(pieces)))
    for piece in pieces:
        mlm, nsp = _sums(model, piece)
        (mlm / tokens + nsp / pairs).backward()
        optimizer.step()
    return mlm.item(), nsp.item()


ANSWERS = Answers(
    right=(pieces_divided_at_the_end, pieces_by_their_share, pieces_row_by_row),
    wrong={
        pieces_mean_of_means: r"MLM loss: .* mean of the pieces' means",
        pieces_nsp_mean_of_means: r"NSP loss: .* mean of the pieces' means",
        pieces_sum_of_means: r"MLM loss: .* add up the pieces' means",
        pieces_nsp_sum_of_means: r"NSP loss: .* add up the pieces' means",
        pieces_summed: r"never divide by the 10 chosen tokens",
        pieces_by_pieces: r"divide by the 3 pieces;",
        pieces_nsp_by_pieces: r"NSP loss: .* divide by the 3 pieces;",
        pieces_by_rows: r"MLM loss: .* divide by the 8 pairs",
        pieces_nsp_by_tokens: r"NSP loss: .* divide by the 10 chosen tokens\. Each",
        pieces_by_both: r"tokens and pairs together",
        pieces_by_positions: r"all 48 positions",
        pieces_so_far: r"so far",
        pieces_divided_twice: r"3 pieces as well",
        pieces_without_nsp: r"NSP head has no gradient",
        pieces_cleared: r"only the last piece",
        pieces_first_only: r"only the first piece",
        pieces_without_backward: r"have no gradient",
        pieces_glued: r"You run 8 rows at once",
        pieces_last_loss: r"gradient is right, but you return .* Count what is there",
        pieces_one_number: r"expected the two losses",
        pieces_turned: r"MLM comes first",
        pieces_in_one_backward: r"3 pieces wait for one",
        pieces_with_two_backwards: r"twice for one piece",
        pieces_that_step: r"weights have moved",
        pieces_by_the_first: r"direction is right, the length is not",
        pieces_nsp_halved: r"NSP loss: .* direction is right",
        pieces_upside_down: r"opposite directions",
        pieces_by_share_of_rows: r"by their pairs; the weight",
        pieces_nsp_by_share_of_tokens: r"by their chosen tokens; the weight",
        pieces_weighed_twice: r"a sum has this weight already",
        pieces_means_by_words: r"has been divided once already",
        pieces_by_heart: r"two pieces with 7 chosen tokens and 3 pairs",
    },
)
