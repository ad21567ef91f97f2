"""Answers to `idle_parameters` on which its check is tried."""

import copy

import torch

from minibert.course.exercises.ch13_bug_clinic.idle_parameters import idle_parameters
from planted import Answers, named


def idle_in_a_copy(module, x):
    """Another right answer: a copy, whose gradients may be stored."""
    twin = copy.deepcopy(module)
    twin.zero_grad(set_to_none=True)
    out = twin(x)
    (out * torch.rand_like(out)).sum().backward()
    sizes = {
        name: 0.0 if p.grad is None else float(p.grad.abs().max())
        for name, p in twin.named_parameters()
    }
    return [name for name in sizes if sizes[name] < 1e-6 * max(sizes.values())]


def idle_output_by_output(module, x):
    """Another right answer: one output after the other, the largest gradient of all."""
    parameters = dict(module.named_parameters())
    sizes = dict.fromkeys(parameters, 0.0)
    for number in module(x).flatten():
        for name, gradient in zip(
            sizes,
            torch.autograd.grad(
                number, list(parameters.values()), allow_unused=True, retain_graph=True
            ),
        ):
            sizes[name] = max(sizes[name], 0.0 if gradient is None else gradient.abs().max().item())
    return [name for name, size in sizes.items() if size < 1e-6 * max(sizes.values())]


def _idle(
    number=lambda out: (out * torch.randn_like(out)).sum(),
    is_idle=lambda gradient, most: gradient is None or gradient.abs().max() <= 1e-6 * most,
    give=lambda names, idle, parameters: [name for name, flag in zip(names, idle) if flag],
):
    """A planted wrong answer: one of the parts made in another way."""

    def wrong(module, x):
        names, parameters = zip(*module.named_parameters())
        gradients = torch.autograd.grad(number(module(x)), parameters, allow_unused=True)
        most = max(
            0.0 if gradient is None else gradient.abs().max().item() for gradient in gradients
        )
        return give(names, [bool(is_idle(gradient, most)) for gradient in gradients], parameters)

    return wrong


idle_plain_sum = named("idle_plain_sum", _idle(number=lambda out: out.sum()))


idle_squares = named("idle_squares", _idle(number=lambda out: out.square().sum()))


idle_one_output = named("idle_one_output", _idle(number=lambda out: out[0, 0]))


idle_none_only = named("idle_none_only", _idle(is_idle=lambda gradient, most: gradient is None))


idle_exact_zero = named(
    "idle_exact_zero",
    _idle(
        is_idle=lambda gradient, most: gradient is not None and gradient.abs().max() <= 1e-6 * most
    ),
)


idle_the_busy = named(
    "idle_the_busy",
    _idle(
        give=lambda names, idle, parameters: [name for name, flag in zip(names, idle) if not flag]
    ),
)


idle_tensors = named(
    "idle_tensors",
    _idle(
        give=lambda names, idle, parameters: (
            [p for p, flag in zip(parameters, idle) if flag] or [parameters[0]]
        )
    ),
)


idle_as_set = named(
    "idle_as_set",
    _idle(give=lambda names, idle, parameters: {name for name, flag in zip(names, idle) if flag}),
)


idle_how_many = named("idle_how_many", _idle(give=lambda names, idle, parameters: sum(idle)))


idle_sorted = named(
    "idle_sorted",
    _idle(
        give=lambda names, idle, parameters: sorted(name for name, flag in zip(names, idle) if flag)
    ),
)


idle_modules = named(
    "idle_modules",
    _idle(
        give=lambda names, idle, parameters: list(
            dict.fromkeys(name.rpartition(".")[0] for name, flag in zip(names, idle) if flag)
        )
    ),
)


def idle_by_backward(module, x):
    out = module(x)
    (out * torch.randn_like(out)).sum().backward()
    return [
        name for name, p in module.named_parameters() if p.grad is None or p.grad.abs().max() < 1e-6
    ]


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


ANSWERS = Answers(
    right=(idle_in_a_copy, idle_output_by_output),
    wrong={
        idle_plain_sum: r"the plain sum or mean",
        idle_squares: r"the sum of the squares",
        idle_one_output: r"all 20 outputs, or a part",
        idle_none_only: r"nothing but rounding",
        idle_exact_zero: r"its gradient is None",
        idle_by_backward: r"changed it, from 0\.25",
        idle_cleared: r"has cleared it",
        idle_left_in_eval: r"left it in the other",
        idle_by_shaking: r"used, but detached",
        idle_shaken: r"has other numbers",
        idle_the_busy: r"that are at work",
        idle_tensors: r"of type Parameter",
        idle_as_set: r"of type set",
        idle_how_many: r"of type int",
        idle_sorted: r"in the order of `named_parameters\(\)`; you have",
        idle_modules: r"something 'unused_norm'",
    },
)
