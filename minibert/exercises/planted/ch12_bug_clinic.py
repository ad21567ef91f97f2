"""Answers on which the exercises of chapter 12 are tried: right ones, and wrong ones with what the check must say."""

import copy
import math
from collections import Counter

import torch
import torch.nn.functional as F

from minibert.exercises.ch12_bug_clinic import DISEASES, best_probe, first_and_best, idle_parameters, layer_with
from minibert.exercises.planted import Answers, named

# -- warm-up: a probe for padding --------------------------------------------------------------------------------------

def probe_with_noise(attend, query, key, value, padding=3):
    """Another right answer: what is appended is drawn, and the batch is longer from the first."""
    def longer(x):
        return torch.cat([x, torch.randn(*x.shape[:2], padding, x.size(3), dtype=x.dtype)], dim=2)
    S = query.size(2)
    mask = torch.cat([torch.ones(S), torch.zeros(padding)]).bool()
    with_padding, _ = attend(longer(query), longer(key), longer(value), mask)
    without, _ = attend(query, key, value, None)
    return float(torch.dist(with_padding.narrow(2, 0, S), without, p=torch.inf))


def probe_by_rows(attend, query, key, value, padding=3):
    """Another right answer: a mask of four axes, and the largest by hand."""
    S = query.shape[2]
    mask = torch.ones(1, 1, 1, S + padding, dtype=torch.bool)
    mask[..., S:] = False
    alone = attend(query, key, value, mask[..., :S])[0]
    padded = attend(*(F.pad(x, (0, 0, 0, padding)) for x in (query, key, value)), mask)[0]
    return max(abs(a - b) for a, b in zip(alone.flatten().tolist(), padded[:, :, :S].flatten().tolist()))


def probe(mask=lambda S, n: torch.arange(n) < S, change=lambda padded, alone, S: padded[:, :, :S] - alone, number=lambda moved, alone: moved.abs().max().item(),
          more=lambda padding: padding):
    """A planted wrong answer: one of the parts made in another way."""
    def wrong(attend, query, key, value, padding=3):
        S, padding = query.size(2), more(padding)
        alone = attend(query, key, value, torch.ones(S, dtype=torch.bool))[0]
        longer = [F.pad(x, (0, 0, 0, padding), value=1.0) for x in (query, key, value)]
        padded = attend(*longer, mask(S, S + padding))[0]
        return number(change(padded, alone, S), alone)
    return wrong


def probe_spoils(attend, query, key, value, padding=3):
    value += 1
    return 0.0


probe_all_seen = named("probe_all_seen", probe(mask=lambda S, n: torch.ones(n, dtype=torch.bool)))
probe_without_mask = named("probe_without_mask", probe(mask=lambda S, n: None))
probe_mask_turned = named("probe_mask_turned", probe(mask=lambda S, n: torch.arange(n) >= S))
probe_mask_short = named("probe_mask_short", probe(mask=lambda S, n: torch.arange(n) < S - 1))
probe_three = named("probe_three", probe(more=lambda padding: 3))
probe_nothing_appended = named("probe_nothing_appended", probe(more=lambda padding: 0))
probe_last_tokens = named("probe_last_tokens", probe(change=lambda padded, alone, S: padded[:, :, -S:] - alone))
probe_signed = named("probe_signed", probe(number=lambda moved, alone: moved.max().item()))
probe_mean = named("probe_mean", probe(number=lambda moved, alone: moved.abs().mean().item()))
probe_sum = named("probe_sum", probe(number=lambda moved, alone: moved.abs().sum().item()))
probe_norm = named("probe_norm", probe(number=lambda moved, alone: moved.norm().item()))
probe_first_token = named("probe_first_token", probe(number=lambda moved, alone: moved[:, :, 0].abs().max().item()))
probe_first_row = named("probe_first_row", probe(number=lambda moved, alone: moved[0].abs().max().item()))
probe_in_proportion = named("probe_in_proportion", probe(number=lambda moved, alone: (moved.abs().max() / alone.abs().max()).item()))
probe_tensor = named("probe_tensor", probe(number=lambda moved, alone: moved.abs().amax(dim=(1, 2, 3))))
probe_verdict = named("probe_verdict", probe(number=lambda moved, alone: bool(moved.abs().max() < 1e-5)))
probe_all_is_well = named("probe_all_is_well", probe(number=lambda moved, alone: 0.0))


# -- build: parameters that cannot learn -------------------------------------------------------------------------------

def idle_in_a_copy(module, x):
    """Another right answer: a copy, whose gradients may be stored."""
    twin = copy.deepcopy(module)
    twin.zero_grad(set_to_none=True)
    out = twin(x)
    (out * torch.rand_like(out)).sum().backward()
    sizes = {name: 0.0 if p.grad is None else float(p.grad.abs().max()) for name, p in twin.named_parameters()}
    return [name for name in sizes if sizes[name] < 1e-6 * max(sizes.values())]


def idle_output_by_output(module, x):
    """Another right answer: one output after the other, the largest gradient of all."""
    parameters = dict(module.named_parameters())
    sizes = dict.fromkeys(parameters, 0.0)
    for number in module(x).flatten():
        for name, gradient in zip(sizes, torch.autograd.grad(number, list(parameters.values()), allow_unused=True, retain_graph=True)):
            sizes[name] = max(sizes[name], 0.0 if gradient is None else gradient.abs().max().item())
    return [name for name, size in sizes.items() if size < 1e-6 * max(sizes.values())]


def _idle(number=lambda out: (out * torch.randn_like(out)).sum(), is_idle=lambda gradient, most: gradient is None or gradient.abs().max() <= 1e-6 * most,
          give=lambda names, idle, parameters: [name for name, flag in zip(names, idle) if flag]):
    """A planted wrong answer: one of the parts made in another way."""
    def wrong(module, x):
        names, parameters = zip(*module.named_parameters())
        gradients = torch.autograd.grad(number(module(x)), parameters, allow_unused=True)
        most = max(0.0 if gradient is None else gradient.abs().max().item() for gradient in gradients)
        return give(names, [bool(is_idle(gradient, most)) for gradient in gradients], parameters)
    return wrong


idle_plain_sum = named("idle_plain_sum", _idle(number=lambda out: out.sum()))
idle_squares = named("idle_squares", _idle(number=lambda out: out.square().sum()))
idle_one_output = named("idle_one_output", _idle(number=lambda out: out[0, 0]))
idle_none_only = named("idle_none_only", _idle(is_idle=lambda gradient, most: gradient is None))
idle_exact_zero = named("idle_exact_zero", _idle(is_idle=lambda gradient, most: gradient is not None and gradient.abs().max() <= 1e-6 * most))
idle_the_busy = named("idle_the_busy", _idle(give=lambda names, idle, parameters: [name for name, flag in zip(names, idle) if not flag]))
idle_tensors = named("idle_tensors", _idle(give=lambda names, idle, parameters: [p for p, flag in zip(parameters, idle) if flag] or [parameters[0]]))
idle_as_set = named("idle_as_set", _idle(give=lambda names, idle, parameters: {name for name, flag in zip(names, idle) if flag}))
idle_how_many = named("idle_how_many", _idle(give=lambda names, idle, parameters: sum(idle)))
idle_sorted = named("idle_sorted", _idle(give=lambda names, idle, parameters: sorted(name for name, flag in zip(names, idle) if flag)))
idle_modules = named("idle_modules", _idle(give=lambda names, idle, parameters: list(dict.fromkeys(name.rpartition(".")[0] for name, flag in zip(names, idle) if flag))))


def idle_by_backward(module, x):
    out = module(x)
    (out * torch.randn_like(out)).sum().backward()
    return [name for name, p in module.named_parameters() if p.grad is None or p.grad.abs().max() < 1e-6]


def idle_cleared(module, x):
    found = idle_in_a_copy(module, x)
    module.zero_grad()
    return found


def idle_left_in_eval(module, x):
    return idle_parameters(module.eval(), x)


def idle_by_shaking(module, x):
    """Moves every parameter and looks at the output: that a detached one shows, too."""
    still, found = module(x), []
    for name, p in module.named_parameters():
        kept = p.data.clone()
        p.data += torch.rand_like(p)
        if torch.allclose(module(x), still, atol=1e-9):
            found.append(name)
        p.data.copy_(kept)
    return found


def idle_shaken(module, x):
    with torch.no_grad():
        for p in module.parameters():
            p += 0.01
    return []


# -- build, and swapped in: an operation -------------------------------------------------------------------------------

def layer_by_its_parts(layer, hidden, mask):
    """Another right answer: through the fused attention and PyTorch's GELU."""
    heads = layer.attention.self.num_heads
    query, key, value = (getattr(layer.attention.self, name)(hidden).unflatten(-1, (heads, -1)).mT.mT.transpose(1, 2) for name in ("query", "key", "value"))
    mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=mask).permute(0, 2, 1, 3).reshape(hidden.shape)
    middle = layer.attention.output.LayerNorm(layer.attention.output.dense(mixed) + hidden)
    return layer.output.LayerNorm(layer.output.dense(F.gelu(layer.intermediate.dense(middle))) + middle)


def layer_head_by_head(layer, hidden, mask):
    """Another right answer: a loop over the heads, and a mask that is added."""
    part, H = layer.attention.self, hidden.size(-1)
    D, found = H // part.num_heads, []
    closed = torch.zeros(mask.shape, dtype=hidden.dtype).masked_fill(~mask, -1e30)[:, 0]        # [B, 1, S]
    for head in range(part.num_heads):
        query, key, value = (m(hidden)[..., head * D:(head + 1) * D] for m in (part.query, part.key, part.value))
        found.append(torch.softmax(query @ key.mT * D ** -0.5 + closed, -1) @ value)            # [B, S, D]
    hidden = layer.attention.output(torch.cat(found, -1), hidden)                               # [B, S, H]
    return layer.output(layer.intermediate(hidden), hidden)


def whole_layer(scale=None, use_mask=True, branch_norm=False, first_input=False, activation=F.gelu):
    """The layer with a mistake of another kind than those that were planted."""
    def wrong(layer, hidden, mask):
        attention, heads = layer.attention, layer.attention.self.num_heads
        query, key, value = (part(hidden).unflatten(-1, (heads, -1)).transpose(1, 2)
                             for part in (attention.self.query, attention.self.key, attention.self.value))     # [B, A, S, D] each
        scores = query @ key.transpose(-2, -1) / (scale(query.size(-1)) if scale else math.sqrt(query.size(-1)))     # [B, A, S, S]
        scores = scores.masked_fill(~mask, -math.inf) if use_mask else scores
        mixed = attention.output.dense((scores.softmax(dim=-1) @ value).transpose(1, 2).flatten(2))         # [B, S, H]
        middle = hidden + attention.output.LayerNorm(mixed) if branch_norm else attention.output.LayerNorm(hidden + mixed)
        out = layer.output.dense(activation(layer.intermediate.dense(middle)))                              # [B, S, H]
        return middle + layer.output.LayerNorm(out) if branch_norm else layer.output.LayerNorm((hidden if first_input else middle) + out)
    return wrong


def layer_in_place(layer, hidden, mask):
    hidden += layer.attention(hidden, mask)[0]
    return hidden


def layer_of_tuple(layer, hidden, mask):
    return layer(hidden, mask)


def layer_with_nan(layer, hidden, mask):
    return layer_with(frozenset({"mask"}), -math.inf)(layer, hidden, mask)


OTHER_LAYERS = (
    (named("layer_unscaled", whole_layer(scale=lambda D: 1.0)), "Your scores are not divided at all; the root of the head size, 4, is 2."),
    (named("layer_by_head_size", whole_layer(scale=lambda D: D)), "You divide the scores by the head size, 4, and not by its root, 2."),
    (named("layer_unmasked", whole_layer(use_mask=False)), "Your mask is not used: the second row has 2 tokens of padding, and every token looks at them."),
    (named("layer_branch_norm", whole_layer(branch_norm=True)), "You normalise what attention and feed-forward have found, and then add: LayerNorm(x + f(x)) is wanted, not x + LayerNorm(f(x))."),
    (named("layer_first_input", whole_layer(first_input=True)), "Your second residual connection adds what came into the *layer*; it should add what went into the feed-forward."),
    (named("layer_tanh", whole_layer(activation=lambda x: F.gelu(x, approximate="tanh"))), "Your GELU is the one by tanh, which is up to 5e-4 off; this layer has the exact one, by erf."),
    (named("layer_relu", whole_layer(activation=F.relu)), "You have a ReLU where the GELU should stand: whatever lies below 0 is gone."),
)
LEFT_IN = {
    frozenset({"scale"}): r"One disease is left: the scores are divided by the root of 6",
    frozenset({"mask"}): r"One disease is left: the mask is read the other way",
    frozenset({"axis"}): r"One disease is left: the softmax runs over the queries",
    frozenset({"merge"}): r"One disease is left: the heads are put together",
    frozenset({"residual of attention"}): r"One disease is left: what came in is not added to what attention",
    frozenset({"gelu"}): r"One disease is left: in the GELU",
    frozenset({"residual of the feed-forward"}): r"One disease is left: what came in is not added to what the feed-forward",
    frozenset({"scale", "gelu"}): r"2 diseases are left: the scores .*; in the GELU",
    frozenset({"mask", "axis", "merge"}): r"3 diseases are left: the mask .*; the softmax .*; the heads",
    frozenset(DISEASES): r"7 diseases are left",
}


# -- think: where a loss begins, and how far it can fall ---------------------------------------------------------------

def losses_from_logits(vocab_size, asked=0.15):
    """Another right answer: each number by an experiment with one word."""
    even, sure = torch.zeros(vocab_size, dtype=torch.float64), F.one_hot(torch.tensor(0), vocab_size).double()
    word = torch.tensor(0)
    nothing, twice = F.cross_entropy(even, word).item(), F.cross_entropy(sure, word).item()
    return {"healthy": (nothing, 0.0), "zeroed": (nothing, nothing - asked * nothing), "softmax twice": (nothing, twice), "divided by all": (nothing * asked, 0.0)}


def losses_in_lists(vocab_size, asked=0.15):
    """Another right answer: lists, and the logarithm taken apart."""
    start = -math.log(1 / vocab_size)
    return {"divided by all": [start * asked, 0], "softmax twice": [start, math.log(math.e + vocab_size - 1) - 1],
            "zeroed": [start, start * (1 - asked)], "healthy": [start, 0]}


def _losses(**changes):
    """A planted wrong answer: some of the pairs are others. Each change is a function of ln V, the share and V."""
    def wrong(vocab_size, asked=0.15):
        made = {name: change(math.log(vocab_size), asked, vocab_size) for name, change in changes.items()}
        return first_and_best(vocab_size, asked) | {name.replace("_", " "): value for name, value in made.items()}
    return wrong


def _best(V):
    return math.log(1 + (V - 1) / math.e)


def losses_in_bits(vocab_size, asked=0.15):
    return {name: (first / math.log(2), best / math.log(2)) for name, (first, best) in first_and_best(vocab_size, asked).items()}


LOSSES = {
    named("zeroed_from_its_best", _losses(zeroed=lambda n, a, V: ((1 - a) * n, (1 - a) * n))): r"Your zeroed loss begins at",
    named("zeroed_to_the_asked", _losses(zeroed=lambda n, a, V: (n, a * n))): r"the share that is asked",
    named("zeroed_to_nothing", _losses(zeroed=lambda n, a, V: (n, 0.0))): r"Your zeroed loss can fall to 0\.",
    named("zeroed_for_ever", _losses(zeroed=lambda n, a, V: (n, n))): r"Your zeroed loss stays at",
    named("twice_from_its_best", _losses(softmax_twice=lambda n, a, V: (_best(V), _best(V)))): r"Your first loss with two softmaxes",
    named("twice_the_price", _losses(softmax_twice=lambda n, a, V: (2 * n, _best(V)))): r"Two softmaxes do not cost twice",
    named("twice_to_nothing", _losses(softmax_twice=lambda n, a, V: (n, 0.0))): r"a lead of 1, not of infinity",
    named("twice_minus_one", _losses(softmax_twice=lambda n, a, V: (n, n - 1))): r"minus 1: nearly",
    named("twice_one_too_many", _losses(softmax_twice=lambda n, a, V: (n, math.log(1 + V / math.e)))): r"You count [\d,]+ wrong words",
    named("twice_sign", _losses(softmax_twice=lambda n, a, V: (n, -_best(V)))): r"logarithm of the probability",
    named("twice_without_the_score", _losses(softmax_twice=lambda n, a, V: (n, _best(V) + 1))): r"has to be taken off",
    named("all_from_the_whole", _losses(divided_by_all=lambda n, a, V: (n, 0.0))): r"Divided by all places, the first loss is not",
    named("all_by_the_others", _losses(divided_by_all=lambda n, a, V: ((1 - a) * n, 0.0))): r"and not the others",
    named("all_at_a_price", _losses(divided_by_all=lambda n, a, V: (a * n, a * n))): r"A perfect model pays nothing",
    named("all_of_fifteen", _losses(divided_by_all=lambda n, a, V: (0.15 * n, 0.0))): r"which is 15% of",
    losses_in_bits: r"You count in bits",
    named("losses_as_numbers", lambda vocab_size, asked=0.15: {name: best for name, (_, best) in first_and_best(vocab_size, asked).items()}): r"two numbers are wanted",
    named("losses_as_list", lambda vocab_size, asked=0.15: [math.log(vocab_size), (1 - asked) * math.log(vocab_size)]): r"Wanted is a dict",
}


# -- think: which probe first ------------------------------------------------------------------------------------------

def probe_by_pairs(findings):
    """Another right answer: how many pairs of patients a probe cannot tell apart."""
    alike = [sum(one[q] == other[q] for one in findings for other in findings) for q in range(len(findings[0]))]
    return min(range(len(alike)), key=alike.__getitem__)


def probe_by_groups(findings):
    """Another right answer: from the last probe to the first, so that the first of equals stays."""
    best = None
    for number in reversed(range(len(findings[0]))):
        groups = {}
        for row in findings:
            groups.setdefault(row[number], []).append(row)
        left = sum(len(group) ** 2 for group in groups.values())
        if best is None or left <= best[0]:
            best = left, number
    return best[1]


def _chosen(measure, choose=min):
    def wrong(findings):
        values = [measure(Counter(answers)) for answers in zip(*findings)]
        return values.index(choose(values))
    return wrong


def probe_last_of_equals(findings):
    left = [sum(n * n for n in Counter(answers).values()) for answers in zip(*findings)]
    return max(number for number, value in enumerate(left) if value == min(left))


def probe_most_true(findings):
    values = [sum(bool(answer) for answer in answers) for answers in zip(*findings)]
    return values.index(max(values))


def probe_across(findings):
    left = [sum(n * n for n in Counter(row).values()) / len(row) for row in findings]
    return left.index(min(left))


PROBES = (
    (named("probe_most_findings", _chosen(len, max)), "you count the different findings, and one that hardly anybody has counts as much as one that half the ward has."),
    (named("probe_smallest_worst", _chosen(lambda counts: max(counts.values()))), "you look at the largest group alone, the worst case; asked is the mean over the patients."),
    (named("probe_most_information", _chosen(lambda counts: sum(n * math.log(n) for n in counts.values()))), "you choose by the information that is left, which is a good rule too; asked is the mean number of patients left."),
    (named("probe_worst", _chosen(lambda counts: sum(n * n for n in counts.values()), max)), "you take the probe that leaves the most."),
    (named("probe_always_first", lambda findings: 0), "you take the first probe, whatever it finds."),
    (named("probe_always_last", lambda findings: len(findings[0]) - 1), "you take the last probe, whatever it finds."),
    (probe_last_of_equals, "of several that are as good you take the last; wanted is the first."),
    (probe_most_true, "you count the patients in whom something is found at all."),
    (named("probe_smallest_group", _chosen(lambda counts: min(counts.values()))), "you look at the smallest group alone, which is the luckiest case."),
)


ANSWERS = {
    "padding_probe": Answers(
        right=(probe_with_noise, probe_by_rows),
        wrong={probe_all_seen: r"lets everybody look at the 4", probe_mask_turned: r"True at the 4 tokens of padding", probe_mask_short: r"True at 4 of 9 tokens",
               probe_three: r"shows attention 8", probe_nothing_appended: r"shows attention 5", probe_last_tokens: r"in attention that is in order", probe_signed: r"with its sign",
               probe_mean: r"mean of all changes", probe_sum: r"add all changes up", probe_norm: r"root of the sum of squares", probe_first_token: r"first token only",
               probe_first_row: r"first row of the batch", probe_in_proportion: r"not how far in proportion", probe_tensor: r"gives back a tensor of shape \[2\]",
               probe_verdict: r"says True", probe_all_is_well: r"your probe finds 0\.000, where", probe_spoils: r"changes `value`"}),
    "idle_parameters": Answers(
        right=(idle_in_a_copy, idle_output_by_output),
        wrong={idle_plain_sum: r"the plain sum or mean", idle_squares: r"the sum of the squares", idle_one_output: r"all 20 outputs, or a part", idle_none_only: r"nothing but rounding",
               idle_exact_zero: r"its gradient is None", idle_by_backward: r"changed it, from 0\.25", idle_cleared: r"has cleared it", idle_left_in_eval: r"left it in the other",
               idle_by_shaking: r"used, but detached", idle_shaken: r"has other numbers", idle_the_busy: r"that are at work", idle_tensors: r"of type Parameter",
               idle_as_set: r"of type set", idle_how_many: r"of type int", idle_sorted: r"in the order of `named_parameters\(\)`; you have",
               idle_modules: r"something 'unused_norm'"}),
    "operated_layer": Answers(
        right=(layer_by_its_parts, layer_head_by_head), known=OTHER_LAYERS,
        wrong={named("layer_left_" + "_".join(sorted(name.replace(" ", "_") for name in sick)), layer_with(sick)): pattern for sick, pattern in LEFT_IN.items()}
        | {wrong: sentence.partition(",")[0].partition(";")[0].replace("*", r"\*").replace("(", r"\(") for wrong, sentence in OTHER_LAYERS}
        | {layer_in_place: r"changes `hidden`", layer_of_tuple: r"but it is a tuple", layer_with_nan: r"NaN"}),
    "first_and_best": Answers(right=(losses_from_logits, losses_in_lists), wrong=LOSSES),
    "best_probe": Answers(right=(probe_by_pairs, probe_by_groups), known=PROBES,
                          wrong={wrong: sentence.partition(",")[0].partition(";")[0].rstrip(".") for wrong, sentence in PROBES}
                          | {probe_across: r"."}),
}
