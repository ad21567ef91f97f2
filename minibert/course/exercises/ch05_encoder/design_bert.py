"""Exercise `design_bert`: task, hints, solution and check."""

from minibert.config import BertConfig
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import Mistake
from minibert.inference.model_cost import activations, count_parameters

MIB = 2**20


def design_bert(parameters, budget, batch, length):
    """The deepest BertConfig of `parameters`, say 30_000_000, within 2%, whose training step takes at most `budget` bytes."""
    # blank from here: the whole search
    found = []
    for width in range(64, 1025, 64):
        for layers in range(1, 49):
            config = BertConfig(
                vocab_size=30522, hidden_size=width, num_hidden_layers=layers,
                num_attention_heads=width // 64, intermediate_size=4 * width,
            )  # fmt: skip
            kept = activations(config, batch, length)
            kept["attention: weights"] = 0  # fused attention keeps none
            embeddings = (30522 + 512 + 2 + 2) * width  # three tables and a LayerNorm
            count = embeddings + layers * (12 * width**2 + 13 * width) + width**2 + width
            step = 16 * count + sum(kept.values())  # bytes
            if abs(count - parameters) <= 0.02 * parameters and step <= budget:
                found.append(config)
    return max(found, key=lambda config: config.num_hidden_layers)


def step_bytes(config, batch, length, each=16, with_activations=True):
    """(parameters, bytes of a training step with `each` bytes for a parameter)."""
    count = sum(count_parameters(config).values())
    kept = activations(config, batch, length)
    kept["attention: weights"] = 0
    return count, each * count + with_activations * sum(kept.values())


CASES = (
    (30_000_000, 1536 * MIB, 32, 128),
    (30_000_000, 1024 * MIB, 32, 128),
    (110_000_000, 4200 * MIB, 32, 128),
    (30_000_000, 1536 * MIB, 16, 128),
    (30_000_000, 1536 * MIB, 32, 64),
    (
        45_000_000,
        3968 * MIB,
        32,
        128,
    ),  # two depths of one width fit; without the pooler three seem to
    (97_000_000, 4480 * MIB, 32, 128),  # others win within 1% or 2.5%, or without a part
    (27_000_000, 2816 * MIB, 32, 128),  # the deepest has all 48 layers
)


def check_design_bert(answer):
    for parameters, budget, batch, length in CASES:
        asked = f"{parameters:,} parameters, {budget // MIB:,} MiB, {batch} sequences of {length} tokens"
        try:
            mine = answer(parameters, budget, batch, length)
        except ValueError as error:
            if "empty" not in str(error):
                raise
            raise Mistake(
                f"For {asked} your search finds no model at all, and there is one: are the bytes of the step, or the parameters, counted too high?"
            ) from None
        if not isinstance(mine, BertConfig):
            raise Mistake(f"A BertConfig is expected, not {type(mine).__name__}.")
        width, layers = mine.hidden_size, mine.num_hidden_layers
        own = f"For {asked} you design {layers} layers of width {width}"
        for name, value in (
            ("vocab_size", 30522), ("intermediate_size", 4 * width), ("num_attention_heads", width // 64),
        ):  # fmt: skip
            if getattr(mine, name) != value:
                raise Mistake(
                    f"{own} with {name} {getattr(mine, name)}; asked for is {value}. (intermediate_size is 3072 unless you set it.)"
                )
        count, step = step_bytes(mine, batch, length)
        if abs(count - parameters) > 0.02 * parameters:
            raise Mistake(
                f"{own}: {count:,} parameters, {abs(count / parameters - 1):.2%} off; 2% is allowed."
            )
        if step > budget:
            raise Mistake(
                f"{own}: its step takes {step / MIB:,.0f} MiB. {_forgotten(mine, budget, batch, length)}"
            )
        best = design_bert(parameters, budget, batch, length)
        if best.num_hidden_layers > layers:
            raise Mistake(
                f"{own}, {step / MIB:,.0f} MiB. A deeper one fits: {best.num_hidden_layers} layers of width {best.hidden_size}."
            )


def _forgotten(config, budget, batch, length):
    """What a sum may lack by which a step that is too large seems to fit."""
    kept = activations(config, batch, length)
    for part in ("dropout", "embeddings, last output"):
        if step_bytes(config, batch, length)[1] - kept[part] <= budget:
            return f"It would fit without the activations of “{part}”: is every entry but the attention weights in your sum?"
    for each, with_activations, sentence in (
        (12, True, "It would fit with 12 bytes for a parameter: Adam keeps two moments, not one."),
        (8, True, "It would fit with 8 bytes for a parameter: count weight, gradient and both of Adam's moments, 4 bytes each."),
        (4, True, "It would fit if only the weights counted: training also keeps a gradient and two moments for each."),
        (16, False, "The weights, their gradients and Adam's moments alone would fit: the activations are missing in your sum."),
    ):  # fmt: skip
        if step_bytes(config, batch, length, each, with_activations)[1] <= budget:
            return sentence
    return "It does not fit even with the weights and the activations alone: is the budget compared at all?"


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=20,
    title="Design a BERT for this memory",
    solution=design_bert,
    check=check_design_bert,
    task="With a pencil first: suppose you double $H$ but keep the layers' total number of parameters, about $12LH^2$, fixed. What happens to $L$? "
    "And to the activations, which grow like $LH$? Why does $L$ change by more than this if the *total* number of parameters is fixed, embeddings included? Then write a search for a real budget. You have 1,536 MiB of memory and want the "
    "deepest BERT of about 30 million parameters (within 2 percent) that fits, among the widths 64, 128, … 1,024 and the depths 1 to 48: vocabulary 30,522, 512 positions, heads of 64, $I = 4H$. A step trains on 32 sequences of 128 "
    'tokens in float32, with Adam and fused attention. `activations(config, batch, length)` returns a dict of bytes; leave out its entry `"attention: weights"`. The budget is for the encoder, without any output head. Return a `BertConfig`.',
    hints=(
        "$L$ falls to a quarter, so $LH$, and the activations with it, falls to half. With a fixed total, $L$ falls further, because the embeddings grow with $H$ and leave fewer parameters for the layers. "
        "Try every width and depth: count the parameters as above, then the bytes of a step.",
        "Count the embeddings (three tables and a LayerNorm), $L$ layers and the pooler. With $I = 4H$ a layer has $12H^2 + 13H$ parameters; check that against 7,087,872. "
        "A step takes 16 bytes for each parameter, plus the rest of `activations`.",
    ),
    paragraph="What a training step keeps in memory",
)
