"""Answers to `parameter_groups` on which its check is tried."""

from planted import Answers, named


def groups_by_shape(named_parameters, weight_decay):
    named = list(named_parameters)
    return [
        {
            "params": [p for _, p in named if (p.dim() > 1) == matrix],
            "weight_decay": weight_decay * matrix,
        }
        for matrix in (True, False)
    ]


def groups_by_last_words(named_parameters, weight_decay):
    groups = {weight_decay: [], 0.0: []}
    for name, parameter in named_parameters:
        *_, owner, kind = name.split(".")
        groups[0.0 if kind == "bias" or owner == "LayerNorm" else weight_decay].append(parameter)
    return [{"params": parameters, "weight_decay": decay} for decay, parameters in groups.items()]


def _groups(name, spare, decays=(1.0, 0.0)):
    """A planted wrong answer: another test for what is spared, or other decays."""

    def groups_wrongly(named_parameters, weight_decay):
        named = list(named_parameters)
        return [
            {
                "params": [p for n, p in named if not spare(n)],
                "weight_decay": decays[0] * weight_decay,
            },
            {"params": [p for n, p in named if spare(n)], "weight_decay": decays[1] * weight_decay},
        ]

    return named(name, groups_wrongly)


def _spared(name):
    return name.endswith("bias") or "LayerNorm" in name


groups_by_whole_names = _groups(
    "groups_by_whole_names", lambda name: name in ("bias", "LayerNorm.bias", "LayerNorm.weight")
)


groups_biases_only = _groups("groups_biases_only", lambda name: name.endswith("bias"))


groups_norms_only = _groups("groups_norms_only", lambda name: "LayerNorm" in name)


groups_norm_weights_only = _groups(
    "groups_norm_weights_only", lambda name: name.endswith("LayerNorm.weight")
)


groups_upside_down = _groups("groups_upside_down", lambda name: not _spared(name))


groups_without_words = _groups(
    "groups_without_words", lambda name: _spared(name) or "word_embeddings" in name
)


groups_with_head_bias = _groups(
    "groups_with_head_bias", lambda name: _spared(name) and not name.startswith("cls")
)


groups_without_decay = _groups("groups_without_decay", _spared, (0.0, 0.0))


groups_double_decay = _groups("groups_double_decay", _spared, (2.0, 0.0))


groups_without_pooler = _groups(
    "groups_without_pooler", lambda name: _spared(name) or "pooler" in name
)


def groups_that_forget(named_parameters, weight_decay):
    named = list(named_parameters)
    return [{"params": [p for n, p in named if not _spared(n)], "weight_decay": weight_decay}]


def groups_one_by_one(named_parameters, weight_decay):
    return [
        {"params": [p], "weight_decay": 0.0 if _spared(n) else weight_decay}
        for n, p in named_parameters
    ]


groups_that_both_decay = _groups("groups_that_both_decay", _spared, (1.0, 0.5))


groups_without_embeddings = _groups(
    "groups_without_embeddings",
    lambda name: _spared(name) or name.startswith("bert.pooler") or "embeddings" in name,
)


def groups_by_heart(named_parameters, weight_decay):
    return _groups("", _spared)(named_parameters, 0.01)


def groups_turned_round(named_parameters, weight_decay):
    return _groups("", _spared)(named_parameters, weight_decay)[::-1]


def groups_by_another_key(named_parameters, weight_decay):
    return [
        {"params": group["params"], "decay": group["weight_decay"]}
        for group in _groups("", _spared)(named_parameters, weight_decay)
    ]


def groups_of_bare_parameters(named_parameters, weight_decay):
    return [parameter for _, parameter in named_parameters]


def groups_that_overlap(named_parameters, weight_decay):
    named = list(named_parameters)
    return [
        {"params": [p for _, p in named], "weight_decay": weight_decay},
        {"params": [p for n, p in named if _spared(n)], "weight_decay": 0.0},
    ]


def groups_that_run_dry(named_parameters, weight_decay):
    return [
        {
            "params": [p for n, p in named_parameters if not _spared(n)],
            "weight_decay": weight_decay,
        },
        {"params": [p for n, p in named_parameters if _spared(n)], "weight_decay": 0},
    ]


ANSWERS = Answers(
    right=(groups_by_shape, groups_by_last_words),
    wrong={
        groups_that_run_dry: r"second group is empty",
        groups_by_whole_names: r"All 10 parameters decay",
        groups_biases_only: r"weights of LayerNorm decay",
        groups_norms_only: r"biases outside the norms decay",
        groups_norm_weights_only: r"All 4 biases decay",
        groups_upside_down: r"upside down",
        groups_without_words: r"word table does not decay",
        groups_with_head_bias: r"cls\.predictions\.bias decays",
        groups_without_decay: r"Nothing decays",
        groups_double_decay: r"does so by 0\.1",
        groups_without_pooler: r"bert\.pooler\.dense\.weight is in the wrong group",
        groups_that_forget: r"4 of the 10 parameters|6 of the 10 parameters are in no group",
        groups_one_by_one: r"two groups",
        groups_that_both_decay: r"second group decays too, by 0\.025",
        groups_by_heart: r"does so by 0\.01;",
        groups_turned_round: r"wrong order",
        groups_by_another_key: r"no weight_decay of its own",
        groups_of_bare_parameters: r"list of 10 \(Parameter",
        groups_that_overlap: r"more than one parameter group",
        groups_without_embeddings: r"is in the wrong group; your groups have \[2, 8\]",
    },
)
