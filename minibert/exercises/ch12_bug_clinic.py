"""Exercises of chapter 12: a probe for padding, idle parameters, an operation on a layer, the height of a stuck loss, which probe first."""

import itertools
import math
from collections import Counter

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.attention import attend
from minibert.config import BertConfig
from minibert.encoder import BertLayer
from minibert.exercises.base import Exercise, Mistake, Unforeseen, draw, expect_tensor, known

CHAPTER = "12_bug_clinic"


# -- warm-up: a probe for padding --------------------------------------------------------------------------------------

def padding_probe(attend, query, key, value, padding=3):
    """How far an answer moves when tokens are appended at which nobody may look; 0 for attention that is in order.

    attend(query, key, value, mask) -> (mixed, weights); the mask is boolean over the keys, True = may be looked at.
    query, key, value [B, A, S, D]. Returns a float: the largest change of any number of the S tokens.
    """
    S = query.size(2)
    alone = attend(query, key, value, torch.ones(S, dtype=torch.bool))[0]       # [B, A, S, D]
    longer = [F.pad(x, (0, 0, 0, padding), value=1.0) for x in (query, key, value)]    # [B, A, S + padding, D] each
    mask = torch.arange(S + padding) < S            # blank: who may be looked at? [S + padding], boolean
    padded = attend(*longer, mask)[0]               # [B, A, S + padding, D]
    moved = padded[:, :, :S] - alone                # blank: the change of the tokens that were there before
    return moved.abs().max().item()                 # blank: the largest of all, as a float


def attend_by_length(query, key, value, mask):
    """Sick: the scores are divided by the root of the number of tokens."""
    return attend(query * math.sqrt(query.size(-1) / query.size(2)), key, value, mask)


def attend_everywhere(query, key, value, mask):
    """Sick: the mask is never used."""
    return attend(query, key, value)


def attend_turned(query, key, value, mask):
    """Sick: the mask is read the other way round, True = hide; where that hides everything it is left."""
    return attend(query, key, value, mask if mask is None or mask.all() else ~mask)


WARD = (("in order", attend), ("A1", attend_by_length), ("a mask that is ignored", attend_everywhere), ("a mask that is turned round", attend_turned))


def check_padding_probe(answer):
    query, key, value = (draw(2, 2, 5, 3, seed=seed) for seed in (1, 2, 3))     # [B, A, S, D] each
    found = {}
    for name, attention in WARD:
        seen = []

        def watched(query, key, value, mask=None):
            seen.append((query.size(2), mask))
            return attention(query, key, value, mask)

        found[name] = answer(watched, query, key, value, 4)
        if isinstance(found[name], Tensor):
            raise Mistake(f"Your probe gives back a tensor of shape {list(found[name].shape)}. One number is wanted, a float: `.item()` makes it one.")
        if isinstance(found[name], bool) or not isinstance(found[name], float):
            raise Mistake(f"Your probe says {found[name]!r}. How far is wanted, a float: the one who calls it decides what is too far.")
        _check_what_attention_saw(seen)
    _check_padding_findings(found, query, key, value)


def _check_what_attention_saw(seen):
    longest, mask = max(seen, key=lambda call: call[0], default=(0, None))
    if longest != 9:
        raise Mistake(f"Asked to append 4 tokens to 5, your probe shows attention {longest}: `padding` says how many.")
    if mask is None or mask.all():
        raise Mistake("Your mask lets everybody look at the 4 appended tokens. Then attention that is in order moves as well, and the probe tells nothing apart.")
    row = mask.reshape(-1, mask.size(-1))[0]                                    # [T]
    if torch.equal(row, torch.arange(9) >= 5):
        raise Mistake("Your mask is True at the 4 tokens of padding, and at no other. Here True means: may be looked at.")
    if not torch.equal(row, torch.arange(9) < 5):
        raise Mistake(f"Your mask is True at {int(row.sum())} of {row.numel()} tokens; it should be True at the 5 that were there before, and at no other.")


def _check_padding_findings(found, query, key, value):
    longer = [F.pad(x, (0, 0, 0, 4), value=1.0) for x in (query, key, value)]
    alone = attend_by_length(query, key, value, None)[0]                        # [B, A, S, D]
    moved = attend_by_length(*longer, torch.arange(9) < 5)[0][:, :, :5] - alone             # [B, A, S, D]
    right, mine = moved.abs().max().item(), found["A1"]
    for wrong, sentence in (
        (moved.max(), f"You take the largest change with its sign, {mine:.3f}. One of {moved.min():.3f} is larger, and in the other direction: `.abs()` first."),
        (moved.abs().mean(), f"You take the mean of all changes, {mine:.3f}. A patient in whom one token is ill would look well; the largest is wanted, {right:.3f}."),
        (moved.abs().sum(), f"You add all changes up, {mine:.2f}: a larger batch would look more ill. The largest is wanted, {right:.3f}."),
        (moved.norm(), f"You take the root of the sum of squares, {mine:.3f}, which grows with the batch. The largest change is wanted, {right:.3f}."),
        (moved[:, :, 0].abs().max(), f"You look at the first token only and find {mine:.3f}; another one has moved by {right:.3f}."),
        (moved[0].abs().max(), f"You look at the first row of the batch only and find {mine:.3f}; the other one has moved by {right:.3f}."),
        (moved.abs().max() / alone.abs().max(), f"You divide by the largest number of the answer and find {mine:.3f}; asked for is how far, {right:.3f}, not how far in proportion."),
    ):
        if math.isclose(mine, wrong, rel_tol=1e-9):
            raise Mistake(sentence)
    if not found["in order"] < 1e-9:
        raise Mistake(f"Your probe finds {found['in order']:.3f} in attention that is in order. Do you compare the 5 tokens that were there before with themselves, and no others?")
    if not math.isclose(mine, right, rel_tol=1e-9):
        raise Mistake(f"In attention that divides by the root of the length your probe finds {mine:.3f}, where a number has moved by {right:.3f}.")
    for name, value in found.items():
        if name != "in order" and not value > 1e-3:
            raise Mistake(f"Your probe finds {value:.3f} in attention with {name}.")


# -- build: parameters that cannot learn -------------------------------------------------------------------------------

def idle_parameters(module, x):
    """The names of the parameters to which no output of module(x) sends a gradient, in the order of module.named_parameters().

    module(x) is a tensor. A gradient below a millionth of the largest one is rounding and counts as none. The module stays
    as it was: its gradients, its mode, its weights.
    """
    names, parameters = zip(*module.named_parameters())
    out = module(x)
    weights = torch.randn_like(out)             # blank: a weight of its own for each output, so that none cancel
    gradients = torch.autograd.grad((out * weights).sum(), parameters, allow_unused=True)      # blank: None where no path leads
    sizes = [0.0 if gradient is None else gradient.abs().max().item() for gradient in gradients]    # blank: one float for each, None counts 0
    return [name for name, size in zip(names, sizes) if size <= 1e-6 * max(sizes)]              # blank: the names of the idle ones


class _Shares(nn.Module):
    """Shares of a budget that can grow. All of it can learn, though the outputs always add up to the budget."""

    def __init__(self):
        super().__init__()
        self.budget = nn.Parameter(torch.ones(1))
        self.dense = nn.Linear(4, 3)

    def forward(self, x):
        return self.budget * self.dense(x).softmax(dim=-1)          # [S, 3]


class _Forgotten(nn.Module):
    """A norm that is made and never called, and one at the end that is."""

    def __init__(self):
        super().__init__()
        self.unused_norm = nn.LayerNorm(4)
        self.dense = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4, eps=1e-12)

    def forward(self, x):
        return self.norm(x + self.dense(x).tanh())                  # [S, H]


class _CutOff(nn.Module):
    """A branch whose result is used, but detached."""

    def __init__(self):
        super().__init__()
        self.main = nn.Linear(4, 4)
        self.side = nn.Linear(4, 4, bias=False)

    def forward(self, x):
        return self.main(x) + self.side(x).detach()                 # [S, H]


class _Shifted(nn.Module):
    """Attention of one head: adding the same number to all scores of a row changes nothing, so the keys' bias does nothing."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        return (self.query(x) @ self.key(x).T).softmax(dim=-1) @ self.value(x)      # [S, H]


class _TwoHalves(nn.Module):
    """Two maps side by side: no output hears of both. All of them can learn."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(4, 2), nn.Linear(4, 2)

    def forward(self, x):
        return torch.cat([self.left(x), self.right(x)], dim=-1)     # [S, H]


PATIENTS = ((_Shares, []), (_Forgotten, ["unused_norm.weight", "unused_norm.bias"]), (_CutOff, ["side.weight"]), (_Shifted, ["key.bias"]), (_TwoHalves, []))


def check_idle_parameters(answer):
    x = draw(5, 4, seed=2)          # [S, H]
    for make, right in PATIENTS:
        module = make().double().train(make is not _Shifted)
        names = [name for name, _ in module.named_parameters()]
        for parameter in module.parameters():       # what an earlier step may have left behind
            parameter.grad = torch.full_like(parameter, 0.25)
        before, mode = {name: value.clone() for name, value in module.state_dict().items()}, module.training
        found = answer(module, x)
        _check_untouched(module, before, mode)
        if not isinstance(found, list):
            raise Mistake(f"What you give back is of type {type(found).__name__}; a list of names is wanted, in the order of `module.named_parameters()`.")
        if strangers := [name for name in found if not isinstance(name, str) or name not in names]:
            what = repr(strangers[0]) if isinstance(strangers[0], str) else f"of type {type(strangers[0]).__name__}"
            raise Mistake(f"Your list holds something {what}, and no parameter has that name; the {len(names)} names are {', '.join(names)}.")
        if found == right:
            continue
        if found == [name for name in names if name not in right]:
            raise Mistake(f"You name the {len(found)} parameters that are at work, {', '.join(found)}. Wanted are the idle ones.")
        _explain_idle(make, module, x, names, found, right)


def _check_untouched(module, before, mode):
    for name, parameter in module.named_parameters():
        if parameter.grad is None or not torch.equal(parameter.grad, torch.full_like(parameter, 0.25)):
            done = "cleared it" if parameter.grad is None or not parameter.grad.any() else f"changed it, from 0.25 to {parameter.grad.flatten()[0]:.2f}"
            raise Mistake(f"An earlier step had left a gradient at {name}, and your probe has {done}. A probe leaves no trace: `torch.autograd.grad` hands gradients out and stores none.")
        if not torch.equal(parameter, before[name]):
            raise Mistake(f"After your probe {name} has other numbers than before: an examination is no operation.")
    if module.training != mode:
        raise Mistake(f"The module was in {'train' if mode else 'eval'} mode and your probe has left it in the other.")


def _explain_idle(make, module, x, names, found, right):
    def idle(total):
        gradients = torch.autograd.grad(total, list(module.parameters()), allow_unused=True)
        sizes = [0.0 if gradient is None else gradient.abs().max().item() for gradient in gradients]
        return [name for name, size in zip(names, sizes) if size <= 1e-6 * max(sizes)]

    out = module(x)
    missing, too_many = [name for name in right if name not in found], [name for name in found if name not in right]
    if make is _Shares and "dense.weight" in too_many:
        raise Mistake(f"You differentiate the plain sum or mean of the outputs. They are shares of 1 here, and always add up to the same: {too_many[0]} looks idle, and is not. Give each output a weight of its own.")
    if make is _Forgotten and found == idle(out.square().sum()):
        raise Mistake(f"You differentiate the sum of the squares. The last part of this module is a LayerNorm, whose squares always add up to the same: {too_many[0]} looks idle, and is not. Give each output a weight of its own.")
    if missing and make is _Forgotten:
        raise Mistake(f"You miss {missing[0]}: no path leads from it to the output, so its gradient is None, and an old gradient may still lie there from an earlier step.")
    if make is _CutOff and missing:
        raise Mistake("You miss side.weight: its result is used, but detached, so no gradient comes back and it can never learn.")
    if make is _Shifted and missing:
        raise Mistake("You miss key.bias: its gradient is there, and is nothing but rounding, 1e-17 beside 1. Nothing depends on it: a softmax does not notice one number added to all scores of a row.")
    if too_many:
        raise Mistake(f"You call {too_many[0]} idle, one of {len(too_many)} names too many: some output does depend on it. Do you ask all {out.numel()} outputs, or a part of them?")
    raise Mistake(f"The idle ones are {right}, in the order of `named_parameters()`; you have {found}.")


# -- build, and swapped in: an operation -------------------------------------------------------------------------------

def operated_layer(layer, hidden, mask):
    """One encoder layer after the operation: hidden [B, S, H], mask [B, 1, 1, S] -> [B, S, H].

    `layer` is a BertLayer, whose weights are used; in `mask` True = may be looked at. Post-norm, GELU by erf.
    """
    attention, heads = layer.attention, layer.attention.self.num_heads
    query, key, value = (part(hidden).unflatten(-1, (heads, -1)).transpose(1, 2)
                         for part in (attention.self.query, attention.self.key, attention.self.value))     # [B, A, S, D] each
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))      # blank: divided by the root of what? [B, A, S, S]
    scores = scores.masked_fill(~mask, -math.inf)                           # blank: who must not be looked at? [B, A, S, S]
    weights = scores.softmax(dim=-1)                                        # blank: along which axis does it sum to 1? [B, A, S, S]
    mixed = (weights @ value).transpose(1, 2).flatten(2)                    # blank: a token's heads side by side: [B, S, H]
    hidden = attention.output.LayerNorm(hidden + attention.output.dense(mixed))     # blank: what does a token keep? [B, S, H]
    inner = layer.intermediate.dense(hidden)                                # [B, S, I]
    wide = inner * 0.5 * (1 + torch.erf(inner / math.sqrt(2)))              # blank: GELU: [B, S, I]
    return layer.output.LayerNorm(hidden + layer.output.dense(wide))        # blank: and here, what does it keep? [B, S, H]


# What stands in the sick layer, part by part: the disease, and what it means there.
DISEASES = {
    "scale": "the scores are divided by the root of 6, the number of tokens, not by that of 4, the head size",
    "mask": "the mask is read the other way round, so that the second row looks at its padding and at nothing else",
    "axis": "the softmax runs over the queries, so that what one token gives to all others does not add up to 1",
    "merge": "the heads are put together without moving their axis back: one token's numbers come from several tokens",
    "residual of attention": "what came in is not added to what attention found",
    "gelu": "in the GELU a * stands where the + should be: it gives 0.34 for -1 and for 1",
    "residual of the feed-forward": "what came in is not added to what the feed-forward found",
}


def layer_with(sick: frozenset, hidden_from_view: float = -10000.0):
    """The layer with these diseases left in it; `hidden_from_view` is what a masked score becomes."""
    def ill_layer(layer, hidden, mask):
        attention, heads = layer.attention, layer.attention.self.num_heads
        query, key, value = (part(hidden).unflatten(-1, (heads, -1)).transpose(1, 2)
                             for part in (attention.self.query, attention.self.key, attention.self.value))     # [B, A, S, D] each
        scores = query @ key.transpose(-2, -1) / math.sqrt(hidden.size(1) if "scale" in sick else query.size(-1))      # [B, A, S, S]
        scores = scores.masked_fill(mask if "mask" in sick else ~mask, hidden_from_view)    # [B, A, S, S]
        mixed = scores.softmax(dim=-2 if "axis" in sick else -1) @ value                    # [B, A, S, D]
        mixed = mixed.reshape(hidden.shape) if "merge" in sick else mixed.transpose(1, 2).flatten(2)           # [B, S, H]
        kept = 0 if "residual of attention" in sick else hidden
        hidden = attention.output.LayerNorm(kept + attention.output.dense(mixed))           # [B, S, H]
        inner = layer.intermediate.dense(hidden)                            # [B, S, I]
        wide = inner * 0.5 * (torch.erf(inner / math.sqrt(2)) + (0 if "gelu" in sick else 1))               # [B, S, I]
        kept = 0 if "residual of the feed-forward" in sick else hidden
        return layer.output.LayerNorm(kept + layer.output.dense(wide))      # [B, S, H]
    return ill_layer


def check_operated_layer(answer):
    layer = BertLayer(BertConfig(vocab_size=10, hidden_size=12, num_attention_heads=3, intermediate_size=20)).double().eval()
    for seed, parameter in enumerate(layer.parameters()):       # large enough that no part hides behind another
        parameter.data = 0.6 * draw(*parameter.shape, seed=seed)
    hidden = draw(2, 6, 12, seed=100)                                       # [B, S, H]
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])[:, None, None]              # [B, 1, 1, S]
    with torch.no_grad():
        right = layer(hidden, mask)[0]                                      # [B, S, H]
        found = answer(layer, hidden, mask)
        expect_tensor(found, hidden.shape, "what the layer gives")
        if torch.allclose(found, right, atol=1e-8):
            return
        for size, fill in itertools.product(range(1, len(DISEASES) + 1), (-10000.0, -math.inf)):
            for sick in itertools.combinations(DISEASES, size):
                if torch.allclose(found, layer_with(frozenset(sick), fill)(layer, hidden, mask), atol=1e-8):
                    left = "One disease is left" if size == 1 else f"{size} diseases are left"
                    raise Mistake(f"{left}: {'; '.join(DISEASES[name] for name in sick)}.")
        _explain_layer(found, layer, hidden, mask, right)


def _explain_layer(found, layer, hidden, mask, right):
    for wrong, sentence in known(operated_layer):
        if torch.allclose(found, wrong(layer, hidden, mask), atol=1e-8):
            raise Mistake(sentence)
    if found.isnan().any():
        raise Mistake(f"{int(found.isnan().sum())} of your {found.numel()} numbers are NaN: a softmax over nothing but minus infinity. Who is looked at in the first row, which has no padding?")
    if torch.allclose(found[0], right[0], atol=1e-8):
        raise Mistake(f"Your layer is right in the row without padding, and off by up to {(found - right).abs().max():.2f} in the one with 2 tokens of it: look at the mask.")
    raise Unforeseen(f"Your layer is off by up to {(found - right).abs().max():.2f}, in the row without padding too.")


# -- think: where a loss begins, and how far it can fall ----------------------------------------------------------------

def first_and_best(vocab_size, asked=0.15):
    """Of each disease of the loss: the value for a model that gives every word the same score, and the lowest one there is.

    A dict name -> (first, best), in nats. The healthy loss is the mean over the asked places, which are the share `asked`.
    "zeroed": the logits of places that are not asked are set to 0, and the mean is taken over all places.
    "softmax twice": the model gives probabilities, and a cross-entropy that takes logits gets them.
    "divided by all": the sum over the asked places is divided by the number of all places.
    """
    nothing = math.log(vocab_size)
    zeroed = (nothing, (1 - asked) * nothing)                               # blank: a perfect model, and yet ...
    softmax_twice = (nothing, math.log(1 + (vocab_size - 1) / math.e))      # blank: at best the "scores" are one 1 and else 0
    divided_by_all = (asked * nothing, 0.0)                                 # blank: too small from the first value on
    return {"healthy": (nothing, 0.0), "zeroed": zeroed, "softmax twice": softmax_twice, "divided by all": divided_by_all}


def check_first_and_best(answer):
    for size, asked in ((131, 0.15), (30522, 0.2)):
        nothing, found = math.log(size), answer(size, asked)
        right = first_and_best(size, asked)
        if not isinstance(found, dict) or found.keys() != right.keys():
            raise Mistake(f"Wanted is a dict with the names {', '.join(right)}, not {found!r}.")
        for name, value in found.items():
            if not isinstance(value, (tuple, list)) or len(value) != 2:
                raise Mistake(f"For {name!r} you give {value!r}; two numbers are wanted, the first loss and the best.")
        first, best = ({name: float(value[i]) for name, value in found.items()} for i in (0, 1))
        twice = right["softmax twice"][1]
        for wrong, sentence in (
            (math.isclose(first["healthy"], math.log2(size)), f"You count in bits, {math.log2(size):.2f}; all losses here are in nats, {nothing:.2f}."),
            (math.isclose(first["zeroed"], (1 - asked) * nothing), f"Your zeroed loss begins at {first['zeroed']:.2f}. At the first step *all* places guess evenly, those with their logits set to 0 and the asked ones: {nothing:.2f}."),
            (math.isclose(best["zeroed"], asked * nothing), f"Your zeroed loss can fall to {best['zeroed']:.2f}, the share that is asked. It is the share that is *not* asked, {1 - asked:.2f}, that guesses evenly for ever."),
            (best["zeroed"] == 0, f"Your zeroed loss can fall to 0. At {1 - asked:.0%} of the places the logits are 0 whatever the model learns, and each of those costs {nothing:.2f}."),
            (math.isclose(best["zeroed"], nothing), f"Your zeroed loss stays at {nothing:.2f}. The asked places, {asked:.0%} of all, do learn."),
            (math.isclose(first["softmax twice"], twice), f"Your first loss with two softmaxes is {twice:.2f}, the best one. At the first step every probability is 1/{size:,}: equal scores, an even guess, {nothing:.2f}."),
            (math.isclose(first["softmax twice"], 2 * nothing), f"Two softmaxes do not cost twice: you have {2 * nothing:.2f}, and equal scores stay equal, {nothing:.2f}."),
            (best["softmax twice"] == 0, "With two softmaxes the loss cannot fall to 0: at best the second one gets a 1 for the right word and 0 for the others, and that is a lead of 1, not of infinity."),
            (math.isclose(best["softmax twice"], nothing - 1), f"You have {nothing - 1:.4f}, which is the logarithm of {size:,} minus 1: nearly. A softmax of one 1 and {size - 1:,} zeros gives the right word e / (e + {size - 1:,}), and so {twice:.4f}."),
            (math.isclose(best["softmax twice"], math.log(1 + size / math.e)), f"You count {size:,} wrong words; the right one is not among them: {size - 1:,}."),
            (math.isclose(best["softmax twice"], math.log(math.e / (math.e + size - 1))), f"Your {best['softmax twice']:.2f} is the logarithm of the probability; the loss is minus that."),
            (math.isclose(best["softmax twice"], math.log(math.e + size - 1)), f"Your {best['softmax twice']:.2f} is the logarithm of the sum of all e^score; the score of the right word, 1, has to be taken off."),
            (math.isclose(first["divided by all"], nothing), f"Divided by all places, the first loss is not {nothing:.2f}: {asked:.0%} of the places pay it, and all of them share."),
            (math.isclose(first["divided by all"], (1 - asked) * nothing), f"You have {first['divided by all']:.2f} for the first loss divided by all places: the asked ones pay, {asked:.2f} of all, and not the others."),
            (math.isclose(first["divided by all"], 0.15 * nothing) and asked != 0.15, f"You have {first['divided by all']:.2f} for the first loss divided by all places, which is 15% of {nothing:.2f}; here {asked:.0%} are asked."),
            (math.isclose(best["divided by all"], asked * nothing), f"A perfect model pays nothing at the asked places, and nothing divided by all is nothing, not {best['divided by all']:.2f}."),
        ):
            if wrong:
                raise Mistake(sentence)
        for name, (wanted, lowest) in right.items():
            if not math.isclose(first[name], wanted, rel_tol=1e-9) or not math.isclose(best[name], lowest, rel_tol=1e-9, abs_tol=1e-9):
                raise Unforeseen(f"For {size:,} words of which {asked:.0%} are asked, {name!r} is ({first[name]:.3f}, {best[name]:.3f}) with you, where ({wanted:.3f}, {lowest:.3f}) is right.")


# -- think: which probe first ------------------------------------------------------------------------------------------

def best_probe(findings):
    """Which probe to try first: its number, from 0; of several that are as good the first.

    findings: for every patient that may lie behind the curtain (all equally likely) a list of what each probe finds. After a
    probe those patients are left with whom it finds the same. The best probe leaves the fewest, on average over the patients.
    """
    left = []
    for answers in zip(*findings):                  # of one probe, every patient's
        counts = Counter(answers)                   # blank: finding -> how many patients share it
        mean = sum(counts[answer] for answer in answers) / len(answers)     # blank: each patient leaves as many as share its finding
        left.append(mean)
    return left.index(min(left))                    # blank: the number of the best probe


def _table(*probes):
    """Each probe given by how many patients share each of its findings -> findings, a list for each patient."""
    columns = [[f"finding {letter}" for letter, count in zip("abcdefgh", sizes) for _ in range(count)] for sizes in probes]
    return [list(answers) for answers in zip(*columns)]


# What each table is a trap for: counting the different findings; the largest group; what is left of information; a tie; the last one
TABLES = (_table((5, 1, 1, 1), (8,), (3, 3, 2)), _table((4, 4), (5, 1, 1, 1)), _table((6, 1, 1), (5, 3)), _table((9,), (3, 3, 3), (3, 3, 3), (9,)),
          [[True, 1], [True, 1], [True, 2], [True, 2], [False, 3]])


def _mean_left(findings, probe):
    counts = Counter(row[probe] for row in findings)
    return sum(n * n for n in counts.values()) / len(findings)


def check_best_probe(answer):
    found = []
    for table in TABLES:
        found.append(answer([list(row) for row in table]))
        if isinstance(found[-1], bool) or not isinstance(found[-1], int):
            raise Mistake(f"You give back {found[-1]!r}; the number of a probe is wanted, a whole number from 0 to {len(table[0]) - 1}.")
    right = [best_probe(table) for table in TABLES]
    for at, table in enumerate(TABLES):
        mine, best = found[at], right[at]
        if mine == best:
            continue
        if not 0 <= mine < len(table[0]):
            raise Mistake(f"You choose probe {mine}; there are {len(table[0])}, counted from 0.")
        measured = f"Of {len(table)} patients your probe {mine} leaves {_mean_left(table, mine):.2f} on average, and probe {best} {_mean_left(table, best):.2f}"
        for wrong, sentence in known(best_probe):
            if [wrong(other) for other in TABLES] == found:
                raise Mistake(f"{measured}: {sentence}")
        raise Unforeseen(f"{measured}.")


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=8, title="A probe for padding",
        task="Padding is what a batch adds to a short text; the text must not notice. Write the probe that asks for it: run attention on `S` tokens, run it again with `padding` tokens appended at which nobody may look, and give back how far the answers of the first `S` tokens have moved. It takes any `attend` of the usual form, well or ill.",
        hints=("Three blanks: a mask over `S + padding` tokens, a difference, and one number out of it.",
               "`torch.arange(n) < S` is True in the first `S` places. The longer answer has `S + padding` tokens along axis 2: take the first `S`. A change can be negative."),
        paragraph="Examine before you operate", solution=padding_probe, check=check_padding_probe),
    Exercise(
        chapter=CHAPTER, size="build", minutes=12, title="Parameters that cannot learn",
        task="A norm that was made and never called; a branch behind a `.detach()`; a bias that a softmax cancels. None of them raises an error, all of them stand in `parameters()`, and none will ever learn. Write the probe that names them: for any module and one input.",
        hints=("A gradient needs one number to start from. The plain sum of the outputs is a trap: behind a LayerNorm it is a constant. Give every output a random weight of its own.",
               "`torch.autograd.grad(number, parameters, allow_unused=True)` hands the gradients out, None where no path leads, and stores nothing in the module. Compare each gradient's largest number with the largest of all."),
        paragraph="A probe for what cannot learn", solution=idle_parameters, check=check_idle_parameters),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="The operation",
        task="Seven lines of `sick_layer` are ill. Write the layer as it should be, line by line; the blanks are those seven lines. The check says which diseases are left.",
        hints=("Use what you have found: what does the padding probe say, do the weights of a token add up to 1, is the answer another one when two heads change places, what comes out when attention and feed-forward give zero?",
               "Head size: `query.size(-1)`. Where `mask` is False, minus infinity. Softmax over the last axis. `transpose(1, 2)` before `flatten(2)`. Twice `hidden +`. And GELU is x/2 · (1 + erf(x/√2))."),
        paragraph="A whole layer, and seven diseases", solution=operated_layer, check=check_operated_layer),
    Exercise(
        chapter=CHAPTER, size="think", minutes=12, title="Where it begins, and how far it can fall",
        task="A loss has two numbers that you can know before any run: its first value, and its lowest. Find both for three sick losses. No run is needed: paper, and `math.log`.",
        hints=("A model that gives all words the same score guesses evenly, and pays ln V wherever it is asked. Who is asked, and by how many is it divided?",
               "At best, the sick softmax hands on 1 for the right word and 0 for all others. As scores these give the right word the probability e / (e + V - 1)."),
        paragraph="Two numbers before any run", solution=first_and_best, check=check_first_and_best),
    Exercise(
        chapter=CHAPTER, size="think", minutes=12, title="Which probe first?",
        task="Every patient may lie behind the curtain, and for each you know what each probe would find. A probe sends most of them home: only those stay who have the same finding. Which probe leaves the fewest, on average? If a finding is shared by *n* patients, each of the *n* leaves *n*.",
        hints=("For one probe: count how many patients share each finding. Then every patient looks up its own count.",
               "`Counter(answers)[answer]` is that count. Add it up over the patients, not over the different findings, and divide by the number of patients."),
        paragraph="The mystery ward", solution=best_probe, check=check_best_probe),
]
