"""Chapter 02: looking rows up, counting parameters, LayerNorm, and the embeddings of a whole BERT."""

import math
import re

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.exercises.base import Exercise, Mistake, expect_module, known, recognise

CHAPTER = "02_embeddings"


# ---------------------------------------------------------------- 2.1 a lookup is a matrix product

def one_hot_lookup(ids, table):
    """The row of every id, by a matrix product: ids [B, S], table [V, H] -> [B, S, H]."""
    one_hot = F.one_hot(ids, num_classes=table.size(0))     # blank: a row of V zeros and ones for every id: [B, S, V]
    return one_hot.to(table.dtype) @ table                  # blank: ones and zeros, in the table's precision, times the table


def check_one_hot_lookup(answer) -> None:
    generator = torch.Generator().manual_seed(1)
    for ids, rows, width, dtype in (([[7, 0, 2, 7], [4, 1, 1, 5]], 11, 3, torch.float64), ([[2, 4], [0, 3], [1, 2]], 6, 2, torch.float32)):
        table = torch.randn(rows, width, dtype=dtype, generator=generator, requires_grad=True)      # [V, H]
        _check_lookup(answer, torch.tensor(ids), table)                                              # [B, S]


def _check_lookup(answer, ids, table) -> None:
    try:
        found = answer(ids, table)
    except RuntimeError as error:
        if "dtype" in str(error) or "expected" in str(error):
            raise Mistake(f"your matrix product needs two factors of one precision: the table is {table.dtype}, and your rows are not (F.one_hot alone gives torch.int64).") from None
        sizes = re.search(r"\(\d+x(\d+) and (\d+)x\d+\)", str(error))
        yours = f"your left factor is {sizes[1]} wide and your right one {sizes[2]} high: " if sizes else ""
        raise Mistake(f"your two factors do not fit each other: {yours}the one-hot rows stand on the left (F.one_hot alone makes them only {int(ids.max()) + 1} long, since the "
                      f"largest id here is {int(ids.max())}), and must be as long as the table is high, {table.size(0)}; the table stands on the right as it is, {list(table.shape)}.") from None
    what = f"your result for {len(ids)} texts of {ids.size(1)} tokens"
    if isinstance(found, Tensor) and found.shape == ids.shape + table.shape[1:] and found.dtype != table.dtype:
        raise Mistake(f"your result is {found.dtype}, but the table is {table.dtype}: turn the ones and zeros into the table's precision, not the other way round.")
    given, right = int(ids[0, 0]), table.detach()[ids]                                               # [B, S, H]
    recognise(found, right, [(wrong(ids, table.detach()), sentence.format(last=ids.size(1) - 1, id=given, bottom=table.size(0) - 1, root=table.size(1) ** 0.5))
                             for wrong, sentence in known(one_hot_lookup)], what, tolerance=1e-12)
    if not found.requires_grad:
        raise Mistake(f"{what} has the right numbers, but no gradient goes through it to the table (a detach, or numbers copied out of it), so no row could ever learn.")


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
        try:
            right, found = (V + T + P) * H + 2 * H, answer(config)
        except (AttributeError, TypeError) as error:
            raise Mistake(f"{error}: a field of the config is read as config.vocab_size. The four to use are vocab_size, hidden_size, type_vocab_size and max_position_embeddings.") from None
        if isinstance(found, bool) or not isinstance(found, int):
            raise Mistake(f"a count is a whole number (int), and you return a {type(found).__name__}.")
        if found == right:
            continue
        here = f"with V = {V:,}, H = {H}, P = {P} and {T} segment types you count {found:,}, and that is {abs(found - right):,} too {'many' if found > right else 'few'}"
        for wrong, sentence in known(embedding_parameters):
            if found == wrong(config):
                raise Mistake(f"{here}: {sentence.format(heads=config.num_attention_heads)}")
        raise Mistake(f"{here}; right is {right:,}.")


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
    x[1, 2] /= 10                       # a token whose variance is smaller than the larger eps
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
        try:
            found = answer(x, gamma, beta, eps=eps)
        except RuntimeError as error:
            if "must match" not in str(error):
                raise
            raise Mistake(f"x is [2, 3, 5], and what you subtract or divide by does not fit it ({error}): with keepdim=True a mean over the last dimension has the shape [2, 3, 1]; "
                          "gamma and beta are [5], and take part number by number, by * and +.") from None
        recognise(found, right, _with_numbers(suspects, right), f"your result with eps = {eps}", tolerance=1e-10 if _is_double(found) else 1e-5)
    for tokens, what in ((x[0], "[3, 5], tokens without a batch"), (x[0, 0], "[5], one token alone"), (x[None], "[1, 2, 3, 5], one dimension more")):
        try:
            fits = torch.allclose(answer(tokens, gamma, beta, eps=1e-12).double(), layer_norm(tokens, gamma, beta), atol=1e-5)
        except (RuntimeError, IndexError, ValueError):
            fits = False
        if not fits:
            raise Mistake(f"you are right for x of [2, 3, 5], but not for x of {what}: name the features' dimension -1, and x may have any number of others.")
    close = x / 10000                                                                                         # variances of about 1e-8
    if not torch.allclose(answer(close, gamma, beta).double(), layer_norm(close, gamma, beta), rtol=1e-3):
        raise Mistake(f"called without eps, on numbers of about 0.0001, your first number is {answer(close, gamma, beta)[0, 0, 0]:.3f} where "
                      f"{layer_norm(close, gamma, beta)[0, 0, 0]:.3f} is right: the eps that you take by default is too large. It is 1e-12, in the first line.")
    constant = torch.full((1, 1, 5), 3.0, dtype=torch.float64)                                                # [1, 1, H]
    found = answer(constant, gamma, beta, eps=1e-12)
    if not torch.isfinite(found).all():
        raise Mistake("on a token whose five numbers are all 3 your result is not finite: without eps the variance 0 is divided by.")
    for dtype in (torch.float64, torch.float32):
        if (kind := answer(x.to(dtype), gamma.to(dtype), beta.to(dtype)).dtype) != dtype:
            raise Mistake(f"your result is {kind}, but x is {dtype}: keep the precision that comes in.")


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
        ([101, 7, 8, 102], [101, 7, 16, 102], [0, 0, 1, 1], [0, 0, 0, 1], "id 8 with segment 1 against id 16 with segment 0"),
        ([101, 7, 102, 0, 0], [101, 7, 102], [0] * 5, [0] * 3, "a text with two places of padding, id 0, against one without"),
        ([101, *map(int, ("2307", "2314", "102"))], [101, *map(int, ("2307", "2300", "102"))], [0] * 4, [0] * 4, "two texts with ids above 2,000"),
    )
    for ids_a, ids_b, types_a, types_b, name in cases:
        pairs = list(zip(ids_a, ids_b))
        right = [i for i, (a, b) in enumerate(pairs) if a == b and types_a[i] == types_b[i]]
        try:
            found = answer(ids_a, ids_b, types_a, types_b)
        except IndexError:
            raise Mistake(f"for {name}, of {len(ids_a)} and {len(ids_b)} tokens, your function looks for a token behind the end of a text: go as far as the shorter one.") from None
        if isinstance(found, range | tuple | set):
            found = list(found)
        if found == right:
            continue
        if not isinstance(found, list):
            raise Mistake(f"the answer is a list of positions, such as {right}, and you return {found!r}.")
        if any(isinstance(value, bool) for value in found):
            raise Mistake(f"for {name} you say {found}, a yes or no for each position; asked for are the positions of the yes: {right}.")
        if any(not isinstance(value, int) for value in found):
            raise Mistake(f"for {name} you say {found}; asked for are positions, whole numbers: {right}.")
        if sorted(found) == right:
            continue
        if max(found, default=0) >= max(len(ids_a), len(ids_b)) and set(found) <= {*ids_a, *ids_b}:
            raise Mistake(f"for {name} you say {found}: those are ids; asked for are the positions where they stand.")
        if len(set(found)) < len(found):
            raise Mistake(f"for {name} you say {found}, with a position twice: `list.index` finds the first place where an id stands, whichever one you are looking at.")
        for wrong, sentence in known(same_vectors):
            if found == wrong(ids_a, ids_b, types_a, types_b):
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
                   hidden_dropout_prob=0.25, layer_norm_eps=0.01, pad_token_id=4)


def _weights(generator) -> dict[str, Tensor]:
    """Random weights for SMALL, no two parts alike, float64."""
    shapes = {name: value.shape for name, value in BertEmbeddings(SMALL).state_dict().items()}
    return {name: torch.randn(shape, dtype=torch.float64, generator=generator) for name, shape in shapes.items()}


def _expected(weights, ids, types, places) -> Tensor:
    """The embeddings as a formula: ids, types, places [B, S] -> [B, S, H]."""
    total = weights["word_embeddings.weight"][ids] + weights["token_type_embeddings.weight"][types] + weights["position_embeddings.weight"][places]
    return F.layer_norm(total, total.shape[-1:], weights["LayerNorm.weight"], weights["LayerNorm.bias"], SMALL.layer_norm_eps)


def check_embeddings(answer) -> None:
    generator = torch.Generator().manual_seed(3)
    try:
        mine = answer(SMALL)
    except TypeError as error:
        if "not iterable" not in str(error):
            raise
        raise Mistake(f"your LayerNorm cannot be made ({error}): its first argument is the width, nn.LayerNorm(H, eps=…).") from None
    expect_module(mine, "Embeddings(config)")
    weights, mine = _weights(generator), mine.double()
    _check_parameters(mine, weights)
    mine.load_state_dict(weights)
    mine.eval()
    ids = torch.tensor([[5, 3, 7, 3, 12], [2, 9, 4, 11, 0]])            # [B, S], with the id of padding, 4, in the second text
    types = torch.tensor([[0, 0, 1, 1, 2], [0, 1, 1, 2, 0]])            # [B, S]
    places = torch.tensor([[4, 2, 0, 8, 1], [3, 3, 5, 6, 7]])           # [B, S]
    count, zero = torch.arange(5).expand(2, 5), torch.zeros_like(ids)   # [B, S], [B, S]
    longer = torch.tensor([[1, 12, 6, 0, 8, 10, 7], [2, 9, 5, 11, 0, 3, 3], [5, 5, 7, 1, 9, 6, 2]])     # [B, S]
    for what, arguments, t, p in (("with segments given", (ids, types), types, count), ("with ids alone", (ids,), zero, count),
                                  ("with segments and positions given", (ids, types, places), types, places),
                                  ("of 3 texts of 7 tokens", (longer,), torch.zeros_like(longer), torch.arange(7).expand(3, 7)),
                                  ("of one text of 2 tokens", (longer[:1, :2],), zero[:1, :2], count[:1, :2])):
        _check_result(mine, weights, what, arguments, t, p)
    _check_dropout(mine, _expected(weights, ids, zero, count), ids)
    _check_gradients(mine.train(), ids)


def _check_result(mine, weights, what, arguments, types, places) -> None:
    """Compare the vectors of one batch: arguments (ids, and perhaps types and places), the types and places that hold then [B, S]."""
    ids, right = arguments[0], _expected(weights, arguments[0], types, places)      # [B, S], [B, S, H]
    try:
        found = mine(*arguments)
    except (RuntimeError, IndexError) as error:
        if "size of tensor" in str(error):
            raise Mistake(f"your vectors {what} do not fit each other: this batch has {ids.size(1)} tokens and the table has {SMALL.max_position_embeddings} rows; "
                          f"take exactly as many positions as there are tokens in *this* batch, input_ids.size(1), in the shape [1, {ids.size(1)}].") from None
        if "out of range" in str(error):
            raise Mistake(f"your forward asks a table for a row that it does not have: the ids, up to {int(ids.max())} here, are rows of the word table ({SMALL.vocab_size} rows), segments of the segment table "
                          f"({SMALL.type_vocab_size}), positions, from 0 to {ids.size(1) - 1}, of the position table ({SMALL.max_position_embeddings}).") from None
        if "normalized_shape" in str(error):
            raise Mistake(f"what you give to LayerNorm does not have {SMALL.hidden_size} numbers for each token ({error}): the three vectors are added, not set side by side.") from None
        raise
    if isinstance(found, Tensor) and (found == 0).any() and not torch.equal(found, mine(*arguments)):
        raise Mistake(f"in evaluation {int((found == 0).sum())} of your numbers are 0, others at each call: dropout must stop there, as nn.Dropout does by itself.")
    suspects = []
    for wrong, sentence in known(Embeddings):
        other = wrong(SMALL).double().eval()
        other.load_state_dict(weights)
        suspects.append((other(*arguments).detach(), sentence.format(eps=SMALL.layer_norm_eps, root=SMALL.hidden_size ** 0.5, pad=SMALL.pad_token_id)))
    recognise(found, right, _with_numbers(suspects, right), f"your result {what}", tolerance=1e-10)


def _check_gradients(mine, ids) -> None:
    """Every row that is used must learn, but the padding row of the word table."""
    for parameter in mine.parameters():
        parameter.grad = None
    total = mine(ids).sum()
    if not total.requires_grad:
        raise Mistake("no gradient goes through your forward, so none of the tables would ever learn: no torch.no_grad, no detach.")
    total.backward()
    for part, row, uses in (("word_embeddings", 3, 2), ("token_type_embeddings", 0, ids.numel()), ("position_embeddings", 0, len(ids))):
        gradient = getattr(mine, part).weight.grad
        if gradient is None:
            raise Mistake(f"your {part} get no gradient: the table is frozen, or its vectors are detached, and it would never learn.")
        if gradient[row].abs().sum() == 0:
            raise Mistake(f"row {row} of your {part} gets no gradient, though {uses} tokens use it: padding_idx belongs to the word table only.")
    words, pad = mine.word_embeddings.weight.grad, SMALL.pad_token_id
    if words[0].abs().sum() == 0:
        raise Mistake(f"row 0 of your word table gets no gradient, though a token uses it: the padding of this config has the id {pad}, and you say that it is 0.")
    if words[pad].abs().sum() > 0:
        raise Mistake(f"row {pad} of your word table, the padding row of this config, gets a gradient; nn.Embedding's padding_idx, here config.pad_token_id, keeps it out of training.")


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
