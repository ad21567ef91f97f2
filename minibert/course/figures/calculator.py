"""An interactive calculator of the cost of a BERT (chapter 5, and the page of that name)."""

from minibert.config import PRESETS, BertConfig
from minibert.course.figures.moving import Moving, moving
from minibert.inference.model_cost import GPUS

# Names of the model's sizes in the form, and in `BertConfig`.
FIELDS = {
    "words": "vocab_size",
    "hidden": "hidden_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "wide": "intermediate_size",
    "positions": "max_position_embeddings",
    "segments": "type_vocab_size",
    "kind": "position_embedding_type",
    "first": "norm_first",
}
STEP = {"batch": 32, "length": 128, "precision": "float32", "fused": "fused"}
TRAINING = {"tokens": 10, "peak": round(GPUS["A100"] / 1e12), "used": 20, "machines": 1}


def calculator(preset: str = "base") -> Moving:
    """Returns a form for the sizes of a BERT that shows its parameters, memory, operations and
    training time.

    The formulas are those of `minibert.inference.model_cost`: `count_parameters`, `memory`,
    `activations`, `flops` and `training_flops`. The form starts with the given preset and a
    training step on 32 sequences of 128 tokens. Raises ValueError if the preset is unknown.
    """
    presets = {name: _fields(BertConfig.preset(name)) for name in PRESETS}
    start = {"preset": preset, **_fields(BertConfig.preset(preset)), **STEP, **TRAINING}
    return moving(
        "calculator",
        {
            "names": list(presets),
            "presets": presets,
            "start": start,
            "gpus": [[name, speed / 1e12] for name, speed in GPUS.items()],
        },
        label="What a BERT of any size costs: parameters, memory and time",
        alt=(
            "Four bars on one scale, each beginning where the last one ends: the memory of the"
            " weights of a BERT, of their gradients, of the optimiser and of the activations. A"
            " fifth bar holds all four: the memory of a training step, with how many times the"
            " weights it is. Below are the parameters, the operations of a step and the time of a"
            " training. Above are the preset, the number of layers and the number of sequences in"
            " a step; all other sizes are in a folded form, and all numbers in folded tables."
        ),
        try_this=(
            "Move the layers, then the sequences. Which of the four bars does each of them change?"
        ),
        needs=["stage.js", "costs.js"],
    )


def _fields(config: BertConfig) -> dict:
    values = {name: getattr(config, field) for name, field in FIELDS.items()}
    return values | {"first": "pre" if config.norm_first else "post"}
