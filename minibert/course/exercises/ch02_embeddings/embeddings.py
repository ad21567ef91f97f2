"""Exercise `Embeddings`: task, hints, solution and check."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch02_embeddings.common import (
    CHAPTER,
    _with_numbers,
)
from minibert.course.exercises.compare import (
    Mistake,
    expect_module,
    recognise,
)
from minibert.embeddings import BertEmbeddings


class Embeddings(nn.Module):
    """Token, segment and position: added, normalised, dropout."""

    def __init__(self, config):
        super().__init__()
        H = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, H, padding_idx=config.pad_token_id)  # blank: with a special row for [PAD]  # fmt: skip
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, H)  # blank: for segments
        self.position_embeddings = nn.Embedding(
            config.max_position_embeddings, H
        )  # blank: for positions
        self.LayerNorm = nn.LayerNorm(H, eps=config.layer_norm_eps)  # blank: with this model's eps
        self.dropout = nn.Dropout(
            config.hidden_dropout_prob
        )  # blank: its probability is in the config

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        """Ids [B, S] -> vectors [B, S, H]."""
        # blank from here: two defaults, then the computation
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)  # [B, S]
        if position_ids is None:
            position_ids = torch.arange(input_ids.size(1), device=input_ids.device)[None]  # [1, S]
        total = (
            self.word_embeddings(input_ids)
            + self.token_type_embeddings(token_type_ids)
            + self.position_embeddings(position_ids)
        )  # [B, S, H]
        return self.dropout(self.LayerNorm(total))


SMALL = BertConfig(
    vocab_size=13,
    hidden_size=6,
    num_attention_heads=2,
    max_position_embeddings=9,
    type_vocab_size=3,
    hidden_dropout_prob=0.25,
    layer_norm_eps=0.01,
    pad_token_id=4,
)


FIELDS = {
    "word_embeddings.weight": ("vocab_size", "hidden_size"),
    "token_type_embeddings.weight": ("type_vocab_size", "hidden_size"),
    "position_embeddings.weight": ("max_position_embeddings", "hidden_size"),
    "LayerNorm.weight": ("hidden_size",),
    "LayerNorm.bias": ("hidden_size",),
}  # the fields of the config that decide a parameter's shape


def _weights(generator) -> dict[str, Tensor]:
    """Random float64 weights for a model with the config SMALL."""
    shapes = {name: value.shape for name, value in BertEmbeddings(SMALL).state_dict().items()}
    return {
        name: torch.randn(shape, dtype=torch.float64, generator=generator)
        for name, shape in shapes.items()
    }


def _expected(weights, ids, types, places) -> Tensor:
    """The correct embeddings, by formula: ids, types, places [B, S] -> [B, S, H]."""
    total = (
        weights["word_embeddings.weight"][ids]
        + weights["token_type_embeddings.weight"][types]
        + weights["position_embeddings.weight"][places]
    )
    return F.layer_norm(
        total,
        total.shape[-1:],
        weights["LayerNorm.weight"],
        weights["LayerNorm.bias"],
        SMALL.layer_norm_eps,
    )


def check_embeddings(answer) -> None:
    generator = torch.Generator().manual_seed(3)
    try:
        mine = answer(SMALL)
    except TypeError as error:
        if "not iterable" not in str(error):
            raise
        raise Mistake(
            f"your LayerNorm cannot be made ({error}): its first argument is the width, nn.LayerNorm(H, eps=…)."
        ) from None
    expect_module(mine, "Embeddings(config)")
    weights, mine = _weights(generator), mine.double()
    _check_parameters(mine, weights)
    mine.load_state_dict(weights)
    mine.eval()
    # the second text contains 4, the id of padding
    ids = torch.tensor([[5, 3, 7, 3, 12], [2, 9, 4, 11, 0]])  # [B, S]
    types = torch.tensor([[0, 0, 1, 1, 2], [0, 1, 1, 2, 0]])  # [B, S]
    places = torch.tensor([[4, 2, 0, 8, 1], [3, 3, 5, 6, 7]])  # [B, S]
    count, zero = torch.arange(5).expand(2, 5), torch.zeros_like(ids)  # [B, S], [B, S]
    longer = torch.tensor(
        [[1, 12, 6, 0, 8, 10, 7], [2, 9, 5, 11, 0, 3, 3], [5, 5, 7, 1, 9, 6, 2]]
    )  # [B, S]
    for what, batch, t, p, given in (
        ("with segments given", ids, types, count, {"token_type_ids": types}),
        ("with ids alone", ids, zero, count, {}),
        (
            "with segments and positions given",
            ids,
            types,
            places,
            {"token_type_ids": types, "position_ids": places},
        ),
        (
            "of 3 texts of 7 tokens",
            longer,
            torch.zeros_like(longer),
            torch.arange(7).expand(3, 7),
            {},
        ),
        ("of one text of 2 tokens", longer[:1, :2], zero[:1, :2], count[:1, :2], {}),
    ):
        _check_result(mine, weights, what, batch, t, p, given)
    _check_dropout(mine, _expected(weights, ids, zero, count), ids)
    _check_gradients(mine.train(), ids)


def _check_result(mine, weights, what, ids, types, places, given) -> None:
    """Compares the vectors of one batch with the correct ones.

    ids, types, places [B, S]: the expected inputs. given: the keyword arguments of the answer's
    forward.
    """
    right = _expected(weights, ids, types, places)  # [B, S, H]
    try:
        found = mine(ids, **given)
    except (RuntimeError, IndexError) as error:
        if "size of tensor" in str(error):
            raise Mistake(
                f"your vectors {what} do not fit each other ({error}): this batch has {len(ids)} texts of {ids.size(1)} tokens, and the position table {SMALL.max_position_embeddings} rows; "
                f"take as many positions as a text of *this* batch has tokens, input_ids.size(1), in the shape [1, {ids.size(1)}]."
            ) from None
        if "out of range" in str(error):
            raise Mistake(
                f"your forward asks a table for a row that it does not have: the ids, up to {int(ids.max())} here, are rows of the word table ({SMALL.vocab_size} rows), segments of the segment table "
                f"({SMALL.type_vocab_size}), positions, from 0 to {ids.size(1) - 1}, of the position table ({SMALL.max_position_embeddings})."
            ) from None
        if "normalized_shape" in str(error):
            raise Mistake(
                f"what you give to LayerNorm does not have {SMALL.hidden_size} numbers for each token ({error}): the three vectors are added, not set side by side."
            ) from None
        raise
    if (
        isinstance(found, Tensor)
        and (found == 0).any()
        and not torch.equal(found, mine(ids, **given))
    ):
        raise Mistake(
            f"in evaluation {int((found == 0).sum())} of your numbers are 0, others at each call: dropout must stop there, as nn.Dropout does by itself."
        )
    suspects = []
    for wrong, sentence in known(Embeddings):
        other = wrong(SMALL).double().eval()
        other.load_state_dict(weights)
        suspects.append(
            (
                other(ids, **given).detach(),
                sentence.format(
                    eps=SMALL.layer_norm_eps, root=SMALL.hidden_size**0.5, pad=SMALL.pad_token_id
                ),
            )
        )
    recognise(found, right, _with_numbers(suspects, right), f"your result {what}", tolerance=1e-10)


def _check_gradients(mine, ids) -> None:
    """Checks that every used row gets a gradient, except the padding row of the word table."""
    for parameter in mine.parameters():
        parameter.grad = None
    total = mine(ids).sum()
    if not total.requires_grad:
        raise Mistake(
            "no gradient goes through your forward, so none of the tables would ever learn: no torch.no_grad, no detach."
        )
    total.backward()
    for part, row, uses in (
        ("word_embeddings", 3, 2),
        ("token_type_embeddings", 0, ids.numel()),
        ("position_embeddings", 0, len(ids)),
    ):
        gradient = getattr(mine, part).weight.grad
        if gradient is None:
            raise Mistake(
                f"your {part} get no gradient: the table is frozen, or its vectors are detached, and it would never learn."
            )
        if gradient[row].abs().sum() == 0:
            raise Mistake(
                f"row {row} of your {part} gets no gradient, though {uses} tokens use it: padding_idx belongs to the word table only."
            )
    words, pad = mine.word_embeddings.weight.grad, SMALL.pad_token_id
    if words[0].abs().sum() == 0:
        raise Mistake(
            f"row 0 of your word table gets no gradient, though a token uses it: the padding of this config has the id {pad}, and you say that it is 0."
        )
    if words[pad].abs().sum() > 0:
        raise Mistake(
            f"row {pad} of your word table, the padding row of this config, gets a gradient; nn.Embedding's padding_idx, here config.pad_token_id, keeps it out of training."
        )


def _check_parameters(mine, weights) -> None:
    found = {name: list(value.shape) for name, value in mine.state_dict().items()}
    wanted = {name: list(value.shape) for name, value in weights.items()}
    rows = found.get("token_type_embeddings.weight", [None])[0]
    if rows == SMALL.vocab_size:
        raise Mistake(
            f"your segment table has {rows} rows, as many as the vocabulary; this config has {SMALL.type_vocab_size} kinds of segment, config.type_vocab_size."
        )
    for name, shape in wanted.items():
        if name not in found:
            raise Mistake(
                f"a BERT has {name}, and yours has not; it has {', '.join(found) or 'no parameters'}."
            )
        if found[name] != shape:
            fields = ", ".join(
                f"config.{field} = {getattr(SMALL, field)}" for field in FIELDS[name]
            )
            raise Mistake(
                f"your {name} has the shape {found[name]}; this config asks for {shape}: {fields}."
            )
    if extra := found.keys() - wanted.keys():
        raise Mistake(f"you have parameters that a BERT has not: {', '.join(sorted(extra))}.")


def _check_dropout(mine, right, ids) -> None:
    """Checks that training sets a share p of the result to 0 and divides the rest by 1 - p."""
    p = SMALL.hidden_dropout_prob
    mine.train()
    torch.manual_seed(4)
    draws = torch.stack([mine(ids).detach() for _ in range(40)])  # [40, B, S, H]
    dropped = draws == 0
    share = dropped.double().mean()
    kept = torch.where(dropped, right, draws)
    if torch.allclose(draws, right.expand_as(draws), atol=1e-10):
        raise Mistake(
            f"in training your result is the same as in evaluation: dropout with p = {p} is missing."
        )
    if share < 0.01:
        raise Mistake(
            f"in training none of your numbers is 0, but with p = {p} every fourth should be: dropout comes last, after LayerNorm."
        )
    if abs(share - p) > 0.06 or not torch.allclose(
        torch.where(dropped, right, kept * (1 - p)), right, atol=1e-10
    ):
        raise Mistake(
            f"in training {share:.0%} of your numbers are 0 and the others do not come out as value / (1 - {p}); dropout comes once, after LayerNorm."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=25,
    title="The embeddings of a BERT",
    task="""Write the class `Embeddings(config)`: three tables, their sum, LayerNorm, dropout. Without
        `token_type_ids` every token is in segment 0, and without `position_ids` positions run 0, 1, 2, … . Use the names of the
        checkpoints in Hugging Face's format, `word_embeddings`, `token_type_embeddings`, `position_embeddings` and `LayerNorm`, so that
        your class can load real weights in the next cell. The sizes are in the config: `vocab_size` tokens, `type_vocab_size`
        segments, `max_position_embeddings` positions, `hidden_size` numbers per vector, `layer_norm_eps` for LayerNorm's ε and
        `hidden_dropout_prob` for dropout. As in Hugging Face's BERT, the row of [PAD], `pad_token_id`, starts at zero and gets no gradient from the look-up;
        `nn.Embedding` has an argument for that. Leave the other initial values to `nn.Embedding`: the next cell replaces
        them.""",
    hints=(
        "`nn.Embedding(rows, width)` is a table, and one of the three needs `padding_idx`. How many positions does *this* batch need, and what shape must their vectors have so that they can be added to those of every text?",
        "`torch.arange` counts; with `[None]` it has the shape `[1, S]`, so its vectors `[1, S, H]` are added to those of every text. It has to be on the same device as the ids. For the last line, reread which of LayerNorm and dropout comes first.",
    ),
    paragraph="The embeddings as a module",
    solution=Embeddings,
    check=check_embeddings,
)
