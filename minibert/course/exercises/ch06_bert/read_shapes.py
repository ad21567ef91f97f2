"""Exercise `read_shapes`: task, hints, solution and check."""

import torch

from minibert.config import BertConfig
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch06_bert.common import CHAPTER
from minibert.course.exercises.compare import Mistake
from minibert.model import BertModel


def read_shapes(shapes):
    """The config that can be read off a BERT checkpoint's shapes (name -> shape); None for what they do not tell."""
    # blank from here: a dict of seven numbers
    vocab_size, hidden_size = shapes["embeddings.word_embeddings.weight"]
    layers = {name.split(".")[2] for name in shapes if name.startswith("encoder.layer.")}
    return {
        "vocab_size": vocab_size,
        "hidden_size": hidden_size,
        "num_hidden_layers": len(layers),
        "intermediate_size": shapes["encoder.layer.0.intermediate.dense.weight"][0],
        "max_position_embeddings": shapes["embeddings.position_embeddings.weight"][0],
        "type_vocab_size": shapes["embeddings.token_type_embeddings.weight"][0],
        "num_attention_heads": None,  # any number that divides H has the same matrices
    }


def check_read_shapes(answer):
    for sizes in (
        {
            "vocab_size": 31,
            "hidden_size": 24,
            "num_hidden_layers": 14,
            "intermediate_size": 40,
            "max_position_embeddings": 17,
            "type_vocab_size": 16,
        },
        {
            "vocab_size": 50,
            "hidden_size": 128,
            "num_hidden_layers": 2,
            "intermediate_size": 512,
            "max_position_embeddings": 512,
            "type_vocab_size": 2,
        },
    ):
        with torch.device("meta"):
            model = BertModel(BertConfig(**sizes, num_attention_heads=2))
        shapes = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
        try:
            found = answer(shapes)
        except KeyError as error:
            raise Mistake(
                f"The checkpoint has no tensor called {error}. A line `print(*shapes)` in your function shows the names that it has."
            ) from None
        if not isinstance(found, dict):
            raise Mistake(
                f"Your answer should be a dict of the config's names, but it is a {type(found).__name__}."
            )
        unknown = [name for name in found if name not in sizes and name != "num_attention_heads"]
        if unknown:
            raise Mistake(f"No field of the config is called {unknown[0]!r}.")
        for name, right in sizes.items():
            if name not in found:
                raise Mistake(f"Your dict has no {name}; the shapes tell it: {right}.")
            if found[name] is None:
                raise Mistake(
                    f"Your {name} is None, but the checkpoint tells it: here it is {right}."
                )
            if not isinstance(found[name], int):
                raise Mistake(
                    f"Your {name} is {found[name]!r}, a {type(found[name]).__name__}; a config holds whole numbers."
                )
            if found[name] != right:
                raise Mistake(
                    f"You read {name} {found[name]} off a checkpoint of {right}.{_reason(name, found[name], sizes)}"
                )
        if found.get("num_attention_heads") is not None:
            raise Mistake(
                f"You say {found['num_attention_heads']} heads; a checkpoint with other heads has the same shapes. One head for every 64 numbers is only a habit: "
                "MiniLM has 384 numbers and 12 heads. This one is for config.json to tell."
            )
        if "num_attention_heads" not in found:
            raise Mistake(
                "Your dict says nothing of num_attention_heads: put None there, since no shape tells it."
            )


def _reason(name, value, sizes):
    if name == "num_hidden_layers":
        return {
            sizes[name] - 1: " The layers count from 0.",
            12: " That is BERT-base's number; this checkpoint has its own.",
            9: " Mind numbers of two digits: as words, '9' comes after '10'.",
            10: " Mind numbers of two digits: as words, '9' comes after '10'.",
        }.get(
            value,
            " Several tensors belong to one layer: count the different layer numbers."
            if value > sizes[name]
            else " Count the different layer numbers.",
        )
    if name == "intermediate_size" and value == sizes["hidden_size"]:
        return " A Linear's weight is [out, in]; the way up ends in I."
    if name == "intermediate_size" and value not in (4 * sizes["hidden_size"], 3072):
        return " It is the number of rows of `intermediate.dense.weight`."
    if name == "intermediate_size":
        return " Four times the hidden size is a habit, not a law."
    if name in ("vocab_size", "hidden_size"):
        return " The word table is [V, H]."
    return (
        " That is the usual number; this checkpoint has its own."
        if value in (2, 512)
        else " It is the number of rows of that table."
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=8,
    title="A stranger's checkpoint",
    solution=read_shapes,
    check=check_read_shapes,
    task="Someone hands you the weights of a BERT and has lost the `config.json`. Which numbers of the config can you recover? `shapes` is a dict of tensor "
    "name and shape. Return a dict with `vocab_size`, `hidden_size`, `num_hidden_layers`, `intermediate_size`, `max_position_embeddings`, `type_vocab_size` and "
    "`num_attention_heads`. Put `None` where the names and shapes do not determine the number. "
    "(The names are those of the parts that you have built; `print(*shapes)` inside the function shows them.)",
    hints=(
        "Ask of each number: which tensor would have another shape, or another name, if this number were different?",
        "The weight of a linear map is `[out, in]`, so `encoder.layer.0.intermediate.dense.weight` is `[I, H]`. For the layers, count the different numbers after `encoder.layer.`, and not the tensors.",
    ),
    paragraph="A checkpoint is a dictionary of names",
)
