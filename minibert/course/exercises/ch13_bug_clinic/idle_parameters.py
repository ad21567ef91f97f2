"""Exercise `idle_parameters`: task, hints, solution and check."""

import torch
from torch import nn

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch13_bug_clinic.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    draw,
)


def idle_parameters(module, x):
    """The names of the parameters to which no output of module(x) sends a gradient, in the order of module.named_parameters().

    module(x) is a tensor. A gradient below a millionth of the largest one is rounding and counts as none. The module stays
    as it was: its gradients, its mode, its weights.
    """
    names, parameters = zip(*module.named_parameters())
    out = module(x)
    weights = torch.randn_like(out)  # blank: a weight of its own for each output, so that none cancel  # fmt: skip
    gradients = torch.autograd.grad((out * weights).sum(), parameters, allow_unused=True)  # blank: None where no path leads  # fmt: skip
    sizes = [0.0 if gradient is None else gradient.abs().max().item() for gradient in gradients]  # blank: one float for each, None counts 0  # fmt: skip
    return [name for name, size in zip(names, sizes) if size <= 1e-6 * max(sizes)]  # blank: the names of the idle ones  # fmt: skip


class _Shares(nn.Module):
    """A softmax times a parameter. All parameters can learn, although the outputs sum to a constant
    for a fixed budget.
    """

    def __init__(self):
        super().__init__()
        self.budget = nn.Parameter(torch.ones(1))
        self.dense = nn.Linear(4, 3)

    def forward(self, x):
        return self.budget * self.dense(x).softmax(dim=-1)  # [S, 3]


class _Forgotten(nn.Module):
    """Has two norms: one is never called, the other is applied to the output."""

    def __init__(self):
        super().__init__()
        self.unused_norm = nn.LayerNorm(4)
        self.dense = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4, eps=1e-12)

    def forward(self, x):
        return self.norm(x + self.dense(x).tanh())  # [S, H]


class _CutOff(nn.Module):
    """Has a branch whose result is used, but detached from the graph."""

    def __init__(self):
        super().__init__()
        self.main = nn.Linear(4, 4)
        self.side = nn.Linear(4, 4, bias=False)

    def forward(self, x):
        return self.main(x) + self.side(x).detach()  # [S, H]


class _Shifted(nn.Module):
    """Attention with one head, in which the bias of the keys has no effect, because it adds the same
    number to all scores of a row.
    """

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(4, 4) for _ in range(3))

    def forward(self, x):
        return (self.query(x) @ self.key(x).T).softmax(dim=-1) @ self.value(x)  # [S, H]


class _TwoHalves(nn.Module):
    """Two linear maps side by side. Each output depends on only one of them, but both can learn."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(4, 2), nn.Linear(4, 2)

    def forward(self, x):
        return torch.cat([self.left(x), self.right(x)], dim=-1)  # [S, H]


PATIENTS = (
    (_Shares, []),
    (_Forgotten, ["unused_norm.weight", "unused_norm.bias"]),
    (_CutOff, ["side.weight"]),
    (_Shifted, ["key.bias"]),
    (_TwoHalves, []),
)


def check_idle_parameters(answer):
    x = draw(5, 4, seed=2)  # [S, H]
    for make, right in PATIENTS:
        module = make().double().train(make is not _Shifted)
        names = [name for name, _ in module.named_parameters()]
        for parameter in module.parameters():  # as if left over from an earlier step
            parameter.grad = torch.full_like(parameter, 0.25)
        before, mode = (
            {name: value.clone() for name, value in module.state_dict().items()},
            module.training,
        )
        found = answer(module, x)
        _check_untouched(module, before, mode)
        if not isinstance(found, list):
            raise Mistake(
                f"What you give back is of type {type(found).__name__}; a list of names is wanted, in the order of `module.named_parameters()`."
            )
        if strangers := [name for name in found if not isinstance(name, str) or name not in names]:
            what = (
                repr(strangers[0])
                if isinstance(strangers[0], str)
                else f"of type {type(strangers[0]).__name__}"
            )
            raise Mistake(
                f"Your list holds something {what}, and no parameter has that name; the {len(names)} names are {', '.join(names)}."
            )
        if found == right:
            continue
        if found == [name for name in names if name not in right]:
            raise Mistake(
                f"You name the {len(found)} parameters that are at work, {', '.join(found)}. Wanted are the idle ones."
            )
        _explain_idle(make, module, x, names, found, right)


def _check_untouched(module, before, mode):
    for name, parameter in module.named_parameters():
        if parameter.grad is None or not torch.equal(
            parameter.grad, torch.full_like(parameter, 0.25)
        ):
            done = (
                "cleared it"
                if parameter.grad is None or not parameter.grad.any()
                else f"changed it, from 0.25 to {parameter.grad.flatten()[0]:.2f}"
            )
            raise Mistake(
                f"An earlier step had left a gradient at {name}, and your probe has {done}. A probe leaves no trace: `torch.autograd.grad` hands gradients out and stores none."
            )
        if not torch.equal(parameter, before[name]):
            raise Mistake(
                f"After your probe {name} has other numbers than before: an examination is no operation."
            )
    if module.training != mode:
        raise Mistake(
            f"The module was in {'train' if mode else 'eval'} mode and your probe has left it in the other."
        )


def _explain_idle(make, module, x, names, found, right):
    def idle(total):
        gradients = torch.autograd.grad(total, list(module.parameters()), allow_unused=True)
        sizes = [0.0 if gradient is None else gradient.abs().max().item() for gradient in gradients]
        return [name for name, size in zip(names, sizes) if size <= 1e-6 * max(sizes)]

    out = module(x)
    missing, too_many = (
        [name for name in right if name not in found],
        [name for name in found if name not in right],
    )
    if make is _Shares and "dense.weight" in too_many:
        raise Mistake(
            f"You differentiate the plain sum or mean of the outputs. They are shares of 1 here, and always add up to the same: {too_many[0]} looks idle, and is not. Give each output a weight of its own."
        )
    if make is _Forgotten and found == idle(out.square().sum()):
        raise Mistake(
            f"You differentiate the sum of the squares. The last part of this module is a LayerNorm, whose squares always add up to the same: {too_many[0]} looks idle, and is not. Give each output a weight of its own."
        )
    if missing and make is _Forgotten:
        raise Mistake(
            f"You miss {missing[0]}: no path leads from it to the output, so its gradient is None, and an old gradient may still lie there from an earlier step."
        )
    if make is _CutOff and missing:
        raise Mistake(
            "You miss side.weight: its result is used, but detached, so no gradient comes back and it can never learn."
        )
    if make is _Shifted and missing:
        raise Mistake(
            "You miss key.bias: its gradient is there, and is nothing but rounding, 1e-17 beside 1. Nothing depends on it: a softmax does not notice one number added to all scores of a row."
        )
    if too_many:
        raise Mistake(
            f"You call {too_many[0]} idle, one of {len(too_many)} names too many: some output does depend on it. Do you ask all {out.numel()} outputs, or a part of them?"
        )
    raise Mistake(
        f"The idle ones are {right}, in the order of `named_parameters()`; you have {found}."
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=12,
    title="Parameters that cannot learn",
    task="A norm that was made and never called; a branch behind a `.detach()`; a bias that a softmax cancels. None of them raises an error, all of them stand in `parameters()`, and none will ever learn. Write the probe that names them: for any module and one input.",
    hints=(
        "A gradient needs one number to start from. The plain sum of the outputs is a trap: behind a LayerNorm it is a constant. Give every output a random weight of its own.",
        "`torch.autograd.grad(number, parameters, allow_unused=True)` hands the gradients out, None where no path leads, and stores nothing in the module. Compare each gradient's largest number with the largest of all.",
    ),
    paragraph="A probe for what cannot learn",
    solution=idle_parameters,
    check=check_idle_parameters,
)
