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
    # 18 layers of width 192 have exactly 14,003,904 parameters
    *(
        (14_003_904 - less, 2048, 8192)
        for less in (0, 1, 300, 3_000, 10_000, 15_000, 20_000, 34_000)
    ),
    (25_000_000, 1024, 512),  # a hundred layers
    (180_000_000, 4096, 2048),  # only a width of 1,024 fits
)
# what a count may leave out, and how many numbers this is for L layers of width H
LEFT_OUT = {
    "the pooler": lambda L, H: H * H + H,
    "the pooler's bias": lambda L, H: H,
    "all biases": lambda L, H: 9 * L * H + H,
    "the biases of the feed-forward networks": lambda L, H: 5 * L * H,
    "4H numbers in each layer (its LayerNorms, or the biases of attention)": lambda L, H: 4 * L * H,
    "one of the two LayerNorms of each layer": lambda L, H: 2 * L * H,
    "2H numbers around the layers (the segments, or the LayerNorm of the embeddings)": lambda L, H: (
        2 * H
    ),
    "the positions": lambda L, H: POSITIONS * H,
}


def _shape_or_none(answer, *given):
    """What the answer returns; None if it takes the maximum of an empty list."""
    try:
        return answer(*given)
    except ValueError as error:
        if "empty" not in str(error):
            raise
        return None


def _left_out(answer):
    """A sentence about what the count of an answer leaves out; an empty string if nothing explains all its shapes."""

    def shape(missing, parameters, memory, tokens):
        fitting = [(0, 0)]
        for width in range(64, 1025, 64):
            around = (WORDS + POSITIONS + SEGMENTS + 3) * width + width * width
            for layers in range(1, 101):
                size = around + layers * (12 * width * width + 13 * width) - missing(layers, width)
                needed = 16 * size + 66 * tokens * layers * width
                if 0.95 * parameters <= size <= parameters and needed <= memory:
                    fitting.append((layers, width))
        return max(fitting)

    given = [(parameters, mebibytes * 2**20, tokens) for parameters, mebibytes, tokens in TRIALS]
    found = [_shape_or_none(answer, *each) or (0, 0) for each in given]
    for name, missing in LEFT_OUT.items():
        if found == [shape(missing, *each) for each in given]:
            return f" Your shapes are those of a count that leaves out {name}."
    return ""


def check_design_bert(answer):
    for parameters, mebibytes, tokens in TRIALS:
        memory = mebibytes * 2**20
        right = design_bert(parameters, memory, tokens)
        found = _shape_or_none(answer, parameters, memory, tokens)
        if found is None:
            raise Mistake(
                f"For {parameters:,} parameters, {mebibytes:,} MiB and {tokens:,} tokens you find no shape, but L = {right[0]} and H = {right[1]} fit.{_left_out(answer)}"
            )
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
                f"{asked}. That model has {size:,} parameters, {size - parameters:,} too many.{_left_out(answer) or ' Is every table, bias, LayerNorm and the pooler counted?'}"
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
                + f" model, L = {right[0]} and H = {right[1]}, with {_cost(right, tokens)[0]:,} parameters."
            )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=20,
    title="Design a BERT for your memory",
    solution=design_bert,
    check=check_design_bert,
    task="You may train a BERT of at most `parameters` parameters and want to use at least 95 percent of them. Among these models, with at most a hundred layers, find the deepest; "
    "if two are equally deep, take the wider. $H$ is a multiple of 64 up to 1,024, $I = 4H$, and the vocabulary, the positions, the segments and the pooler are those of BERT-base. "
    "Training has to fit into `memory` bytes. Adam in float32 keeps 16 bytes for each parameter, and for the backward pass each layer keeps $66H$ bytes "
    "for each of the `tokens` tokens in a batch (take this number as given). Ignore everything else. At least one shape fits. Your count is compared with the package's model. "
    "With a pencil first: does a deeper model with as many parameters need more memory, or less?",
    hints=(
        "You can try every shape: there are sixteen widths and a hundred depths. Which parts of the count above depend on $L$, and which do not?",
        "First write the count as a function of $L$ and $H$, and let it give BERT-base's 109,482,240. Only then add the two conditions. "
        "If a shape is refused for its memory, work out by hand which of the two terms is the larger one.",
    ),
    paragraph="109,482,240 parameters, counted",
)
