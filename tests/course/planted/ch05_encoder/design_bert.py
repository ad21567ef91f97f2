"""Answers to `design_bert` on which its check is tried."""

from minibert.config import BertConfig
from minibert.course.exercises.ch05_encoder.design_bert import design_bert
from minibert.inference.model_cost import activations, count_parameters
from planted import Answers, named


def candidate(width, layers, **changes):
    shape = {"num_attention_heads": width // 64, "intermediate_size": 4 * width} | changes
    return BertConfig(vocab_size=30522, hidden_size=width, num_hidden_layers=layers, **shape)


def search(
    parameters,
    budget,
    batch,
    length,
    each=16,
    kept=1,
    tolerance=0.02,
    pick=max,
    pooler=1,
    left_out=(),
    deepest=48,
    **changes,
):
    """A search that walks from one width to the next; its mistakes are its options."""
    found = []
    for width in range(1024, 0, -64):
        layer = 12 * width**2 + 13 * width
        rest = 31038 * width + pooler * (width**2 + width)
        for layers in range(max(1, round((parameters - rest) / layer) - 2), deepest + 1):
            count = rest + layers * layer
            if count > (1 + tolerance) * parameters:
                break
            config = candidate(width, layers, **changes)
            sizes = activations(config, batch, length)
            held = sum(
                size
                for part, size in sizes.items()
                if part != "attention: weights" and part not in left_out
            )
            if count >= (1 - tolerance) * parameters and each * count + kept * held <= budget:
                found.append(config)
    return pick(found, key=lambda config: config.num_hidden_layers)


def variant(name, **options):
    return named(name, lambda p, budget, batch, length: search(p, budget, batch, length, **options))


def narrowest(parameters, budget, batch, length):
    return search(
        parameters, budget, batch, length, pick=lambda found, key: sorted(found, key=key)[-1]
    )


def counted_by_the_package(parameters, budget, batch, length):
    """Builds the count of every shape, the largest too; the check has to stay quick."""
    found = []
    for width in range(64, 1025, 64):
        for layers in range(1, 49):
            config = candidate(width, layers)
            count = sum(count_parameters(config).values())
            sizes = activations(config, batch, length) | {"attention: weights": 0}
            right_size = abs(count - parameters) <= 0.02 * parameters
            if right_size and 16 * count + sum(sizes.values()) <= budget:
                found.append(config)
    return max(found, key=lambda config: config.num_hidden_layers)


def first_found(parameters, budget, batch, length):
    return search(
        parameters, budget, batch, length,
        pick=lambda found, key: min(found, key=lambda c: (c.hidden_size, c.num_hidden_layers)),
    )  # fmt: skip


def always_the_first(parameters, budget, batch, length):
    return candidate(384, 10)


def shape_only(parameters, budget, batch, length):
    best = design_bert(parameters, budget, batch, length)
    return best.hidden_size, best.num_hidden_layers


def none_fits(parameters, budget, batch, length):
    return max([])


no_activations = variant("no_activations", kept=0)
weights_only = variant("weights_only", each=4)
widest = variant("widest", pick=min)
loose = variant("loose", tolerance=0.1)
default_inner = variant("default_inner", intermediate_size=3072)
without_pooler = variant("without_pooler", pooler=0)
strict = variant("strict", tolerance=0.01)
no_dropout_masks = variant("no_dropout_masks", left_out=("dropout",))
to_47 = variant("to_47", deepest=47)
one_moment = variant("one_moment", each=12)
one_head = variant("one_head", num_attention_heads=1)

ANSWERS = Answers(
    right=(named("another_walk", search), narrowest, counted_by_the_package),
    wrong={
        no_activations: "the activations are missing",
        weights_only: "if only the weights counted",
        widest: "A deeper one fits",
        loose: "% off; 2% is allowed",
        strict: "97,000,000 parameters, .*A deeper one fits: 10 layers of width 768",
        no_dropout_masks: "97,000,000 parameters, .*without the activations of “dropout”",
        to_47: "27,000,000 parameters, .*A deeper one fits: 48 layers of width 192",
        one_moment: "Adam keeps two moments",
        first_found: "45,000,000 parameters, .*A deeper one fits: 47 layers of width 256",
        without_pooler: "45,000,000 parameters, .*48 layers of width 256: .*2% is allowed",
        default_inner: "intermediate_size 3072; asked for is",
        one_head: "num_attention_heads 1; asked for is",
        always_the_first: "1,024 MiB, .*10 layers of width 384",
        shape_only: "A BertConfig is expected",
        none_fits: "finds no model at all",
    },
)
