"""Answers to `read_shapes` on which its check is tried."""

from minibert.course.exercises.ch06_bert.read_shapes import read_shapes
from planted import Answers


def read_shapes_by_probing(shapes):
    def rows(name):
        return shapes[f"embeddings.{name}_embeddings.weight"][0]

    count = 0
    while f"encoder.layer.{count}.output.dense.bias" in shapes:
        count += 1
    return dict(
        vocab_size=rows("word"),
        hidden_size=shapes["pooler.dense.bias"][0],
        num_hidden_layers=count,
        num_attention_heads=None,
        intermediate_size=shapes["encoder.layer.0.output.dense.weight"][1],
        max_position_embeddings=rows("position"),
        type_vocab_size=rows("token_type"),
    )


def read_shapes_by_regex(shapes):
    import re

    layers = (
        max(int(m[1]) for m in (re.match(r"encoder\.layer\.(\d+)\.", name) for name in shapes) if m)
        + 1
    )
    return read_shapes(shapes) | {"num_hidden_layers": layers}


def read_with_heads(shapes):
    return read_shapes(shapes) | {
        "num_attention_heads": max(1, shapes["pooler.dense.bias"][0] // 64)
    }


def read_without_heads(shapes):
    return {name: value for name, value in read_shapes(shapes).items() if value is not None}


def read_last_layer_number(shapes):
    return read_shapes(shapes) | {
        "num_hidden_layers": max(int(name.split(".")[2]) for name in shapes if "layer." in name)
    }


def read_last_layer_as_word(shapes):
    return read_shapes(shapes) | {
        "num_hidden_layers": int(max(name.split(".")[2] for name in shapes if "layer." in name)) + 1
    }


def read_tensors_as_layers(shapes):
    return read_shapes(shapes) | {"num_hidden_layers": sum("layer." in name for name in shapes)}


def read_twelve_layers(shapes):
    return read_shapes(shapes) | {"num_hidden_layers": 12}


def read_two_segments(shapes):
    return read_shapes(shapes) | {"type_vocab_size": 2}


def read_usual_heads(shapes):
    return read_shapes(shapes) | {"num_attention_heads": 12}


def read_other_name(shapes):
    found = read_shapes(shapes)
    return found | {"max_length": found.pop("max_position_embeddings")}


def read_wrong_axis(shapes):
    return read_shapes(shapes) | {
        "intermediate_size": shapes["encoder.layer.0.intermediate.dense.weight"][1]
    }


def read_four_times(shapes):
    return read_shapes(shapes) | {"intermediate_size": 4 * shapes["pooler.dense.bias"][0]}


def read_swapped(shapes):
    hidden, vocab = shapes["embeddings.word_embeddings.weight"]
    return read_shapes(shapes) | {"vocab_size": vocab, "hidden_size": hidden}


def read_as_text(shapes):
    return {
        name: value if value is None else str(value) for name, value in read_shapes(shapes).items()
    }


def read_another_prefix(shapes):
    return read_shapes(shapes) | {"vocab_size": shapes["bert.embeddings.word_embeddings.weight"][0]}


def read_whole_shape(shapes):
    return read_shapes(shapes) | {"vocab_size": shapes["embeddings.word_embeddings.weight"]}


def read_exchanged_tables(shapes):
    found = read_shapes(shapes)
    return found | {
        "type_vocab_size": found["max_position_embeddings"],
        "max_position_embeddings": found["type_vocab_size"],
    }


def read_nothing(shapes):
    return dict.fromkeys(read_shapes(shapes))


def read_by_heart(shapes):
    return {
        "vocab_size": 31,
        "hidden_size": 24,
        "num_hidden_layers": 14,
        "intermediate_size": 40,
        "max_position_embeddings": 17,
        "type_vocab_size": 16,
        "num_attention_heads": None,
    }


def read_using_up(shapes):
    found = read_shapes(shapes)
    shapes.clear()
    return found


def read_usual_positions(shapes):
    return read_shapes(shapes) | {"max_position_embeddings": 512}


ANSWERS = Answers(
    right=(read_shapes_by_probing, read_shapes_by_regex),
    wrong={
        read_with_heads: "1 heads; a checkpoint with other heads",
        read_without_heads: "says nothing of num_attention_heads",
        read_last_layer_number: "count from 0",
        read_last_layer_as_word: "two digits",
        read_tensors_as_layers: "Several tensors belong to one layer",
        read_wrong_axis: "the way up ends in I",
        read_four_times: "a habit, not a law",
        read_swapped: "word table is",
        read_usual_positions: "512 off a checkpoint of 17. That is the usual number",
        read_twelve_layers: "BERT-base's number",
        read_two_segments: "type_vocab_size 2 off a checkpoint of 16",
        read_usual_heads: "12 heads; a checkpoint",
        read_other_name: "called 'max_length'",
        read_as_text: "'31', a str",
        read_another_prefix: "no tensor called 'bert",
        read_whole_shape: "\\(31, 24\\), a tuple",
        read_exchanged_tables: "max_position_embeddings 16 off a checkpoint of 17",
        read_nothing: "vocab_size is None",
        read_by_heart: "31 off a checkpoint of 50",
        read_using_up: "changes `shapes`",
    },
)
