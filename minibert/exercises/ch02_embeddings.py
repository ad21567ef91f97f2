"""Chapter 02: looking rows up, counting parameters, LayerNorm, and the embeddings of a whole BERT."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.exercises.base import Exercise, Mistake, expect_tensor, known, recognise

CHAPTER = "02_embeddings"


# ---------------------------------------------------------------- 2.1 a lookup is a matrix product

def one_hot_lookup(ids, table):
    """The row of every id, by a matrix product: ids [B, S], table [V, H] -> [B, S, H]."""
    one_hot = F.one_hot(ids, num_classes=table.size(0))     # blank: a row of V zeros and ones for every id: [B, S, V]
    return one_hot.to(table.dtype) @ table                  # blank: ones and zeros, in the table's precision, times the table


def check_one_hot_lookup(answer) -> None:
    table = torch.randn(11, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1))     # [V, H]
    ids = torch.tensor([[7, 0, 2, 7], [4, 1, 1, 5]])                                                 # [B, S]
    try:
        found = answer(ids, table)
    except RuntimeError as error:
        if "dtype" in str(error) or "expected" in str(error):
            raise Mistake(f"your matrix product needs two factors of one precision: the table is {table.dtype}, and your rows are not (F.one_hot alone gives torch.int64).") from None
        raise Mistake(f"your two factors do not fit each other: the one-hot rows stand on the left (F.one_hot alone makes them only {int(ids.max()) + 1} long, since the "
                      f"largest id here is {int(ids.max())}), and must be as long as the table is high, {table.size(0)}; the table stands on the right as it is, {list(table.shape)}.") from None
    if isinstance(found, Tensor) and found.shape == ids.shape + table.shape[1:] and found.dtype != table.dtype:
        raise Mistake(f"your result is {found.dtype}, but the table is {table.dtype}: turn the ones and zeros into the table's precision, not the other way round.")
    right = table[ids]                                                                               # [B, S, H]
    expect_tensor(found, right.shape, "your result")
    recognise(found, right, [
        (table[torch.arange(4)].expand(2, 4, 3), f"you took the rows 0 to {ids.size(1) - 1}: that is where the tokens stand; the row to take is the id, {int(ids[0, 0])} for the first token."),
        (table[ids - 1], f"every row is one too early: id {int(ids[0, 0])} is row {int(ids[0, 0])}, because rows are counted from 0."),
        (table.roll(-1, 0)[ids], f"every row is one too late: id {int(ids[0, 0])} is row {int(ids[0, 0])}, counted from 0."),
        (ids[..., None] * table[0], f"you multiplied one row by the id, as if token {int(ids[0, 0])} were {int(ids[0, 0])} times token 1; an id only says which row."),
        (right * (ids != 0)[..., None], "you set the vector of id 0 to zero; a lookup copies whatever stands in row 0."),
        (table.flip(0)[ids], f"you read the table from below: id 0 is its first row, and you took row {table.size(0) - 1}."),
    ], "your result")


# ---------------------------------------------------------------- 2.2 counting parameters

def embedding_parameters(config):
    """How many numbers the embeddings of this config learn -> int."""
    rows = config.vocab_size + config.type_vocab_size + config.max_position_embeddings    # blank: the rows of the three tables together
    layer_norm = 2 * config.hidden_size                                                   # blank: what LayerNorm learns
    return rows * config.hidden_size + layer_norm                                         # blank: every row is H numbers wide


def check_embedding_parameters(answer) -> None:
    odd = BertConfig(vocab_size=1009, hidden_size=60, num_attention_heads=6, max_position_embeddings=53, type_vocab_size=5)
    for config in (odd, BertConfig.preset("base")):     # in base 2 segment types and LayerNorm's 2 vectors look alike
        V, H, T, P = config.vocab_size, config.hidden_size, config.type_vocab_size, config.max_position_embeddings
        right, found = (V + T + P) * H + 2 * H, answer(config)
        if isinstance(found, bool) or not isinstance(found, int):
            raise Mistake(f"a count is a whole number (int), and you return a {type(found).__name__}.")
        if found == right:
            continue
        here = f"with V = {V:,}, H = {H}, P = {P} and {T} segment types you count {found:,}, and that is {abs(found - right):,} too {'many' if found > right else 'few'}"
        suspects = {
            right + (V - T) * H: "your segment table has a row for every word of the vocabulary; it has one for every kind of segment.",
            right - 2 * H: "LayerNorm is missing: it learns two vectors of length H.",
            right - H: "LayerNorm learns two vectors of length H, gamma and beta; or did you leave out the padding row, which is a row like any other?",
            right + 4 * H: "there is one LayerNorm, after the sum, not one for each table.",
            right - 2 * H + 2: "LayerNorm's gamma and beta are two vectors of H numbers, not two numbers.",
            right - 2 * H + H * H: "LayerNorm has no matrix: it learns two vectors of length H.",
            V * H: "the segment table, the position table and LayerNorm are missing.",
            (V + 2) * H: "the segment table and the position table are missing.",
            23_837_184: "that is BERT-base's number, whatever the config says.",
            right + (512 - P) * H: "you always count 512 positions; the config says how many there are.",
            right + (30522 - V) * H: "you always count 30,522 words; the config says how many there are.",
            right - P * H: "the position table is missing.",
            right - T * H: "the segment table is missing.",
            right - V * H: "the word table is missing.",
            right + 3 * H: "a lookup has no bias; you added one vector of length H for each table.",
            right + (2 - T) * H: "you always count 2 segment types; the config says how many there are.",
            right + (16 - T) * H: "you always count 16 segment types; the config says how many there are.",
            V * H + T * P * H + 2 * H: "the segment table and the position table stand side by side: their rows are added, not multiplied.",
            V + P + T + 2 * H: "a row of a table is a vector of H numbers, not one number.",
        }
        raise Mistake(f"{here}: {suspects[found]}" if found in suspects else f"{here}; right is {right:,}.")


# ---------------------------------------------------------------- 2.3 LayerNorm

def layer_norm(x, gamma, beta, eps=1e-12):
    """Each vector of H numbers by itself: x [..., H], gamma, beta [H] -> [..., H]."""
    mean = x.mean(dim=-1, keepdim=True)                             # blank: one mean per token: [..., 1]
    variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)         # blank: the mean squared distance from it: [..., 1]
    normed = (x - mean) / torch.sqrt(variance + eps)                # blank: equation 2.2
    return gamma * normed + beta                                    # blank: stretch every feature, then shift it


def check_layer_norm(answer) -> None:
    generator = torch.Generator().manual_seed(2)
    x = torch.randn(2, 3, 5, dtype=torch.float64, generator=generator) * 2 + 1                                # [B, S, H]
    gamma, beta = torch.rand(2, 5, dtype=torch.float64, generator=generator) + 0.5                            # [H], [H]
    one = torch.tensor([[[1.0, 0.0, 0.0, 0.0]]], dtype=torch.float64)                                         # [1, 1, H]
    found = answer(one, torch.ones(4, dtype=torch.float64), torch.zeros(4, dtype=torch.float64), eps=1e-12)
    other = answer(torch.tensor([[[3.0, 1.0, 0.0, 0.0]]], dtype=torch.float64), torch.ones(4, dtype=torch.float64), torch.zeros(4, dtype=torch.float64), eps=1e-12)
    if (isinstance(found, Tensor) and found.shape == one.shape and abs(found[0, 0, 0] - 1.5) < 1e-3
            and abs(other[0, 0, 0] - math.sqrt(2)) < 1e-3):      # 2 over the root of 6/3: no other mistake makes both numbers
        raise Mistake("on [1, 0, 0, 0] your first number is 1.50: you divide the squared distances by H - 1 = 3, the unbiased variance; LayerNorm divides by H = 4, which gives 1.73.")
    numbers = dict(B=2, S=3, H=5, less=4)
    for eps in (0.5, 1e-12):
        right = layer_norm(x, gamma, beta, eps)
        suspects = [(wrong(x, gamma, beta, eps), sentence.format(eps=eps, **numbers)) for wrong, sentence in known(layer_norm)]
        found = answer(x, gamma, beta, eps=eps)
        if _is_double(found) and found.shape == right.shape and not torch.allclose(found, right, rtol=1e-10, atol=1e-10) and torch.allclose(found, right, atol=1e-5):
            raise Mistake(f"x is torch.float64, but your result is right to {-math.log10((found - right).abs().max()):.0f} digits only: you calculate in float32 on the way. "
                          "Keep the precision that comes in.")
        recognise(found, right, _with_numbers(suspects, right), f"your result with eps = {eps}", tolerance=1e-10 if _is_double(found) else 1e-5)
    try:
        two_dimensions = answer(x[0], gamma, beta, eps=1e-12)                                                 # [S, H]
    except (RuntimeError, IndexError):
        two_dimensions = None
    if two_dimensions is None or not torch.allclose(two_dimensions.double(), layer_norm(x[0], gamma, beta), atol=1e-5):
        raise Mistake("you are right for x of [2, 3, 5], but not for x of [3, 5], tokens without a batch: name the features' dimension -1, not 2.")
    constant = torch.full((1, 1, 5), 3.0, dtype=torch.float64)                                                # [1, 1, H]
    found = answer(constant, gamma, beta, eps=1e-12)
    if not torch.isfinite(found).all():
        raise Mistake("on a token whose five numbers are all 3 your result is not finite: without eps the variance 0 is divided by.")
    if not _is_double(answer(x, gamma, beta)):
        raise Mistake("your result is torch.float32, but x is torch.float64: keep the precision that comes in.")


def _is_double(found) -> bool:
    return isinstance(found, Tensor) and found.dtype == torch.float64


def _with_numbers(suspects, right: Tensor) -> list[tuple[Tensor, str]]:
    """Every suspect's sentence, with a number that it gives and the right one, from where they differ most."""
    told = []
    for value, sentence in suspects:
        worst = (value - right).abs().nan_to_num(0).argmax()
        at = [int(i) for i in torch.unravel_index(worst, right.shape)]
        told.append((value, f"at {at} you have {value.flatten()[worst]:.3f} where {right.flatten()[worst]:.3f} is right: {sentence}"))
    return told


# ---------------------------------------------------------------- 2.4 which vectors are the same?

def same_vectors(ids_a, ids_b, types_a, types_b):
    """Positions at which both texts get the same vector: four lists of ints -> list of ints."""
    shorter = min(len(ids_a), len(ids_b))
    return [i for i in range(shorter) if ids_a[i] == ids_b[i] and types_a[i] == types_b[i]]    # blank: what has to agree at position i?


def check_same_vectors(answer) -> None:
    cases = (
        ([101, 7, 8, 9, 7, 102], [101, 7, 5, 9, 102], [0] * 6, [0] * 5, "two texts of one segment"),
        ([101, 7, 102, 8, 9, 102], [101, 7, 102, 8, 9, 102], [0, 0, 0, 1, 1, 1], [0] * 6, "the same ids as a pair and as one text"),
        ([101, 7, 8, 102], [101, 8, 7, 102], [0] * 4, [0] * 4, "two words that change places"),
        ([101, 7, 102, 8, 9, 102], [101, 7, 102, 8, 5, 102], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1], "two pairs"),
        ([101, 7, 8, 102], [101, 7, 9, 102], [0, 0, 1, 1], [0, 0, 0, 1], "id 8 with segment 1 against id 9 with segment 0"),
    )
    for ids_a, ids_b, types_a, types_b, name in cases:
        pairs = list(zip(ids_a, ids_b))
        right = [i for i, (a, b) in enumerate(pairs) if a == b and types_a[i] == types_b[i]]
        found = answer(ids_a, ids_b, types_a, types_b)
        if isinstance(found, range | tuple | set):
            found = sorted(found)
        if found == right:
            continue
        if not isinstance(found, list):
            raise Mistake(f"the answer is a list of positions, such as {right}, and you return {found!r}.")
        if any(isinstance(value, bool) for value in found):
            raise Mistake(f"for {name} you say {found}, a yes or no for each position; asked for are the positions of the yes: {right}.")
        suspects = (
            ([i for i in right if i < len(pairs) - 1], "you leave out the last position of the shorter text."),
            ([i for i in range(len(pairs)) if i not in right], "those are the positions at which the vectors differ."),
            ([i for i in right if types_a[i] == 0], "you leave out segment 1; two tokens that are both of segment 1 agree in their segment as well."),
            ([i for i, (a, b) in enumerate(pairs) if a + types_a[i] == b + types_b[i]],
             "id and segment are rows of two tables; that their numbers add up to the same says nothing about the vectors."),
            ([i for i, (a, b) in enumerate(pairs) if a == b], "the ids agree there, but not all the segments do: the segment vector is part of the sum."),
            ([i for i, a in enumerate(ids_a) if a in ids_b], "the same token at another place gets another position vector, so it is not the same sum."),
            ([ids_a[i] for i in right], "those are ids; asked for are the positions where they stand."),
            ([i for i in range(len(pairs)) if ids_a[:i + 1] == ids_b[:i + 1] and types_a[:i + 1] == types_b[:i + 1]],
             "you stop at the first difference; but no token looks at another one here, so a later one can agree again."),
            ([0], "[CLS] is the same in both, but it is not the only one: any token with the same id, place and segment is."),
            ([], "LayerNorm and the sum look at one token at a time; the rest of the text changes nothing."),
            ([i + 1 for i in right], "positions count from 0."),
            ([i for i in range(len(pairs)) if types_a[i] == types_b[i]], "the segments agree there, but not all the tokens do: both must."),
            ([i for i in right if ids_a[i] not in (101, 102)], "[CLS] and [SEP] are tokens like any other: they have a row, a place and a segment."),
        )
        for value, sentence in suspects:
            if found == value:
                raise Mistake(f"for {name} you say {found}: {sentence}")
        raise Mistake(f"for {name} you say {found}; right is {right}.")


# ---------------------------------------------------------------- 2.5 the embeddings of a BERT

class Embeddings(nn.Module):
    """Token, segment and position vectors, added, normalised, dropped out."""

    def __init__(self, config):
        super().__init__()
        H = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, H, padding_idx=config.pad_token_id)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, H)            # blank: a table with a row for every kind of segment
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, H)      # blank: a table with a row for every place
        self.LayerNorm = nn.LayerNorm(H, eps=config.layer_norm_eps)                     # blank: torch's eps is 1e-5, this model's is in the config
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, input_ids, token_type_ids=None, position_ids=None):
        """Ids [B, S] -> vectors [B, S, H]."""
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(input_ids)                                # [B, S]
        if position_ids is None:
            position_ids = torch.arange(input_ids.size(1), device=input_ids.device)[None]    # blank: 0, 1, 2, … as far as this batch goes: [1, S]
        total = (self.word_embeddings(input_ids) + self.token_type_embeddings(token_type_ids)
                 + self.position_embeddings(position_ids))                              # blank: the sum of three lookups: [B, S, H]
        return self.dropout(self.LayerNorm(total))                                      # blank: what comes first, what comes second?


SMALL = BertConfig(vocab_size=13, hidden_size=6, num_attention_heads=2, max_position_embeddings=9, type_vocab_size=3,
                   hidden_dropout_prob=0.25, layer_norm_eps=0.01, pad_token_id=0)


def _weights(generator) -> dict[str, Tensor]:
    """Random weights for SMALL, no two parts alike, float64."""
    shapes = {name: value.shape for name, value in BertEmbeddings(SMALL).state_dict().items()}
    return {name: torch.randn(shape, dtype=torch.float64, generator=generator) for name, shape in shapes.items()}


def _expected(weights, ids, types, places, word=1.0, segment=1.0, position=1.0, norm=True, eps=SMALL.layer_norm_eps) -> Tensor:
    """The embeddings as a formula, with the weight of each part: a weight of 0 forgets it."""
    total = (word * weights["word_embeddings.weight"][ids] + segment * weights["token_type_embeddings.weight"][types]
             + position * weights["position_embeddings.weight"][places])
    return F.layer_norm(total, total.shape[-1:], weights["LayerNorm.weight"], weights["LayerNorm.bias"], eps) if norm else total


def check_embeddings(answer) -> None:
    generator = torch.Generator().manual_seed(3)
    weights, mine = _weights(generator), answer(SMALL).double()
    _check_parameters(mine, weights)
    mine.load_state_dict(weights)
    mine.eval()
    ids = torch.tensor([[5, 3, 7, 3, 12], [2, 9, 4, 11, 0]])            # [B, S]
    types = torch.tensor([[0, 0, 1, 1, 2], [0, 1, 1, 2, 0]])            # [B, S]
    places = torch.tensor([[4, 2, 0, 8, 1], [3, 3, 5, 6, 7]])           # [B, S]
    count, zero = torch.arange(5).expand(2, 5), torch.zeros_like(ids)   # [B, S], [B, S]
    for what, arguments, t, p in (("with segments given", (ids, types), types, count), ("with ids alone", (ids,), zero, count),
                                  ("with segments and positions given", (ids, types, places), types, places)):
        root = SMALL.hidden_size ** 0.5
        suspects = [
            (_expected(weights, ids, t, p, position=0), "the position vectors are not in your sum."),
            (_expected(weights, ids, t, p, segment=0), "the segment vectors are not in your sum."),
            (_expected(weights, ids, t, p, word=0), "the word vectors are not in your sum."),
            (_expected(weights, ids, t, p, norm=False), "your sum is right, but LayerNorm is not applied to it."),
            (_expected(weights, ids, t, p, eps=1e-5), f"your LayerNorm has eps = 1e-5, torch's own choice; the config says {SMALL.layer_norm_eps}."),
            (_expected(weights, ids, t, p, eps=1e-12), f"your LayerNorm has eps = 1e-12; the config says {SMALL.layer_norm_eps}."),
            (_expected(weights, ids, t, p + 1 if p.max() < 8 else p), "your positions start at 1; the first place is 0."),
            (_expected(weights, ids, t, p, word=root), f"you multiply the word vectors by √H = {root:.2f}, as the first Transformer did; BERT does not."),
            (_expected(weights, ids, zero, p), "the token_type_ids that are passed in are ignored: you use segment 0 for every token."),
            (_expected(weights, ids, t, count), "the position_ids that are passed in are ignored: you count 0, 1, 2, … in any case."),
            (_expected(weights, ids, zero + 1, p), "where no token_type_ids are given you use segment 1; the default is 0."),
        ]
        suspects += [(_expected(weights, ids, t, q), "your positions are the same for every token.") for q in (zero, zero + 5)]
        try:
            found = mine(*arguments)
        except (RuntimeError, IndexError) as error:
            if "size of tensor" in str(error):
                raise Mistake(f"your position vectors do not fit the batch: it has {ids.size(1)} tokens, and the table has {SMALL.max_position_embeddings} rows; take exactly as many as there are tokens, input_ids.size(1).") from None
            raise
        right = _expected(weights, ids, t, p)                           # [B, S, H]
        if isinstance(found, Tensor) and (found == 0).any() and not torch.equal(found, mine(*arguments)):
            raise Mistake(f"in evaluation {int((found == 0).sum())} of your numbers are 0, others at each call: dropout must stop there, as nn.Dropout does by itself.")
        recognise(found, right, _with_numbers(suspects, right), f"your result {what}", tolerance=1e-10)
    _check_dropout(mine, _expected(weights, ids, zero, count), ids)
    mine.train().word_embeddings.zero_grad()
    mine(ids).sum().backward()
    for part in ("token_type_embeddings", "position_embeddings"):
        if getattr(mine, part).weight.grad[0].abs().sum() == 0:
            raise Mistake(f"row 0 of your {part} gets no gradient, though {ids.numel() if part[0] == 't' else len(ids)} tokens use it: padding_idx belongs to the word table only.")
    if mine.word_embeddings.weight.grad[SMALL.pad_token_id].abs().sum() > 0:
        raise Mistake(f"row {SMALL.pad_token_id} of your word table gets a gradient; nn.Embedding's padding_idx keeps the padding row out of training.")


def _check_parameters(mine, weights) -> None:
    found = {name: list(value.shape) for name, value in mine.state_dict().items()}
    wanted = {name: list(value.shape) for name, value in weights.items()}
    rows = found.get("token_type_embeddings.weight", [None])[0]
    if rows == SMALL.vocab_size:
        raise Mistake(f"your segment table has {rows} rows, as many as the vocabulary; this config has {SMALL.type_vocab_size} kinds of segment.")
    for name, shape in wanted.items():
        if name not in found:
            raise Mistake(f"a BERT has {name}, and yours has not; it has {', '.join(found) or 'no parameters'}.")
        if found[name] != shape:
            raise Mistake(f"your {name} has the shape {found[name]}; this config asks for {shape}.")
    if extra := found.keys() - wanted.keys():
        raise Mistake(f"you have parameters that a BERT has not: {', '.join(sorted(extra))}.")


def _check_dropout(mine, right, ids) -> None:
    """In training a share p of the result is exactly 0, and the rest is what it was, over 1 - p."""
    p = SMALL.hidden_dropout_prob
    mine.train()
    torch.manual_seed(4)
    draws = torch.stack([mine(ids).detach() for _ in range(40)])        # [40, B, S, H]
    dropped = draws == 0
    share = dropped.double().mean()
    kept = torch.where(dropped, right, draws)
    if torch.allclose(draws, right.expand_as(draws), atol=1e-10):
        raise Mistake(f"in training your result is the same as in evaluation: dropout with p = {p} is missing.")
    if share < 0.01:
        raise Mistake(f"in training none of your numbers is 0, but with p = {p} every fourth should be: dropout comes last, after LayerNorm.")
    if abs(share - p) > 0.06 or not torch.allclose(torch.where(dropped, right, kept * (1 - p)), right, atol=1e-10):
        raise Mistake(f"in training {share:.0%} of your numbers are 0 and the others do not come out as value / (1 - {p}); dropout comes once, after LayerNorm.")


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="A lookup is a matrix product",
        task="""Write `one_hot_lookup(ids, table)`: turn every id into a row of zeros with a single one, and multiply
        those rows by the table. The result must be what `table[ids]` gives.""",
        hints=("`F.one_hot(ids, num_classes=…)` makes the rows. How long must a row be, so that it can be multiplied by the table `[V, H]`?",
               "`num_classes=table.size(0)`. The result holds whole numbers; `.to(table.dtype)` makes them fit for a product with the table: `… @ table`."),
        paragraph="One-hot times a table is a row", solution=one_hot_lookup, check=check_one_hot_lookup,
    ),
    Exercise(
        chapter=CHAPTER, size="build", minutes=12, title="LayerNorm by hand",
        task="""Write `layer_norm(x, gamma, beta, eps)` from equation 2.2. `x` may have any number of dimensions; the last one is H.
        Keep the precision that comes in.""",
        hints=("Every token is normalised over its own H numbers: `dim=-1`. With `keepdim=True` the mean has the shape `[..., 1]` and can be subtracted from `x`.",
               "The variance is the mean of `(x - mean) ** 2` over the last dimension: a mean, so it divides by H. Then `(x - mean) / torch.sqrt(variance + eps)`, times `gamma`, plus `beta`."),
        paragraph="LayerNorm by hand", solution=layer_norm, check=check_layer_norm,
    ),
    Exercise(
        chapter=CHAPTER, size="think", minutes=6, title="Count the parameters",
        task="""Write `embedding_parameters(config)`: how many numbers do the embeddings of this config learn? Use `config.vocab_size`,
        `hidden_size`, `type_vocab_size` and `max_position_embeddings`. BERT-base must give 23,837,184; your function must be right for any
        other config as well.""",
        hints=("Three tables, each with its own number of rows and all with the same width; then what LayerNorm learns. Dropout learns nothing.",
               "Rows: $V$, the number of segment types, the number of positions. LayerNorm learns $\\gamma$ and $\\beta$, two vectors of length $H$."),
        paragraph="23,837,184 parameters, one table at a time", solution=embedding_parameters, check=check_embedding_parameters,
    ),
    Exercise(
        chapter=CHAPTER, size="think", minutes=6, title="Which vectors are the same?",
        task="""Two texts go through the embeddings (in evaluation, so without dropout). At which positions do both get *the very same* vector?
        Write `same_vectors(ids_a, ids_b, types_a, types_b)`, which answers without running any model: it gets two lists of token ids and
        two lists of segment ids, and returns the list of positions.""",
        hints=("Which numbers decide a token's vector at this stage? And which numbers of its neighbours?",
               "A vector depends on its token id, its segment id and its position, and on nothing else. The position is the same anyway when you compare place by place."),
        paragraph="What is the [CLS] vector before attention?", solution=same_vectors, check=check_same_vectors,
    ),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="The embeddings of a BERT",
        task="""Write the class `Embeddings(config)`: three tables, their sum, LayerNorm, dropout. The names of the parts are those of every BERT
        checkpoint, because right below your class gets the weights of a real one: `word_embeddings`, `token_type_embeddings`,
        `position_embeddings`, `LayerNorm`.""",
        hints=("`nn.Embedding(rows, width)` is a table. Without `position_ids` the places are 0, 1, 2, … up to the length of *this* batch, `input_ids.size(1)`.",
               "`torch.arange(input_ids.size(1), device=input_ids.device)[None]` has the shape `[1, S]`; its vectors `[1, S, H]` are added to those of every text. At the end: `self.dropout(self.LayerNorm(total))`."),
        paragraph="The order: sum, LayerNorm, dropout", solution=Embeddings, check=check_embeddings,
    ),
]
