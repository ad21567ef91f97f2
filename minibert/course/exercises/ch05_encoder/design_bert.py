"""Exercise `design_bert`: task, hints, solution and check."""

from minibert.config import BertConfig
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch05_encoder.common import CHAPTER
from minibert.course.exercises.compare import Mistake
from minibert.inference.model_cost import count_parameters

WORDS, POSITIONS, SEGMENTS = 30522, 512, 2


def design_bert(parameters, memory, tokens):
    """(L, H) of the deepest BERT that has 95 to 100 percent of `parameters` and trains on batches of `tokens` in `memory` bytes."""
    # blank from here: count, and search
    fitting = []
    for width in range(64, 1025, 64):
        attention = 4 * (width * width + width)
        feed_forward = 2 * width * 4 * width + 4 * width + width
        layer = attention + feed_forward + 4 * width  # with two LayerNorms
        around = (30522 + 512 + 2 + 2) * width + width * width + width
        for layers in range(1, 101):
            size = around + layers * layer
            needed = 16 * size + 66 * tokens * layers * width
            if 0.95 * parameters <= size <= parameters and needed <= memory:
                fitting.append((layers, width))
    return max(fitting)  # the deepest, and of these the widest


def _config(layers, width):
    return BertConfig(
        vocab_size=WORDS, hidden_size=width, num_hidden_layers=layers, num_attention_heads=width // 64,
        intermediate_size=4 * width, max_position_embeddings=POSITIONS, type_vocab_size=SEGMENTS,
    )  # fmt: skip


def _cost(shape, tokens):
    """(parameters of the package's model, bytes that a training step keeps)."""
    size = sum(count_parameters(_config(*shape)).values())
    return size, 16 * size + 66 * tokens * shape[0] * shape[1]


TRIALS = (  # parameters, MiB, tokens in a batch
    (30_000_000, 2048, 4096),
    (30_000_000, 1600, 4096),
    (30_000_000, 1024, 1024),
    (30_000_000, 1024, 4096),
    (110_000_000, 8192, 4096),
    (110_000_000, 4096, 4096),
    (11_000_000, 1024, 2048),
)


def check_design_bert(answer):
    for parameters, mebibytes, tokens in TRIALS:
        memory = mebibytes * 2**20
        found, right = answer(parameters, memory, tokens), design_bert(parameters, memory, tokens)
        asked = f"For {parameters:,} parameters, {mebibytes:,} MiB and {tokens:,} tokens you return"
        if (
            not isinstance(found, tuple)
            or len(found) != 2
            or not all(isinstance(each, int) for each in found)
        ):
            raise Mistake(f"{asked} {found!r}; a tuple of two whole numbers, (L, H), is expected.")
        layers, width = found
        asked = f"{asked} L = {layers} and H = {width}"
        if layers < 1 or width not in range(64, 1025, 64):
            flipped = layers in range(64, 1025, 64) and 1 <= width <= 100
            raise Mistake(
                f"{asked}. "
                + (
                    "The number of layers comes first."
                    if flipped
                    else "H has to be a multiple of 64 up to 1,024, and L at least 1."
                )
            )
        size, needed = _cost(found, tokens)
        if size > parameters:
            raise Mistake(
                f"{asked}. That model has {size:,} parameters, which is too many. Is every table, bias, LayerNorm and the pooler counted?"
            )
        if needed > memory:
            raise Mistake(
                f"{asked}. It needs {needed / 2**20:,.0f} MiB: {16 * size / 2**20:,.0f} for its parameters and the optimizer, the rest for activations."
            )
        if size < 0.95 * parameters:
            raise Mistake(
                f"{asked}. That model has {size:,} parameters, which is less than 95 percent."
            )
        if found != right:
            raise Mistake(
                f"{asked}. It fits, but so does a better one: "
                + ("a deeper" if right[0] > layers else "an equally deep and wider")
                + f" model, with {_cost(right, tokens)[0]:,} parameters."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=18,
    title="Design a BERT for your memory",
    solution=design_bert,
    check=check_design_bert,
    task="You may train a BERT of at most `parameters` parameters and want to use at least 95 percent of them. Among these models, with at most a hundred layers, find the deepest; "
    "if two are equally deep, take the wider. $H$ is a multiple of 64 up to 1,024, $I = 4H$, and the vocabulary, the positions, the segments and the pooler are those of BERT-base. "
    "Training has to fit into `memory` bytes. Adam in float32 keeps 16 bytes for each parameter, and for the backward pass each layer keeps about $66H$ bytes "
    "for each of the `tokens` tokens in a batch. Ignore everything else. At least one shape fits. Your count is compared with the package's model. "
    "With a pencil first: does a deeper model with as many parameters need more memory, or less?",
    hints=(
        "You can try every shape: there are sixteen widths and a hundred depths. Which parts of the count above depend on $L$, and which do not?",
        "First write the count as a function of $L$ and $H$, and let it give BERT-base's 109,482,240. Only then add the two conditions. "
        "If a shape is refused for its memory, work out by hand which of the two terms is the larger one.",
    ),
    paragraph="109,482,240 parameters, counted",
)
