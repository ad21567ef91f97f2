"""Answers to `repair` on which its check is tried."""

from torch import nn

from minibert.course.exercises.ch06_bert.repair import repair
from minibert.encoder import ACTIVATIONS, BertEncoder
from planted import Answers

FIRST, SECOND = "encoder.layer.1.intermediate", "encoder.layer.3.attention.output.LayerNorm"


def repair_every_layer(model):
    for layer in model.encoder.layer:
        layer.intermediate.activation = ACTIVATIONS[model.config.hidden_act]
        layer.norm_first = layer.attention.norm_first = False
    return (FIRST, SECOND)


def repair_like_a_neighbour(model):
    layers = model.encoder.layer
    vars(layers[1].intermediate).update(activation=layers[2].intermediate.activation)
    layers[3].attention.norm_first = layers[2].attention.norm_first
    return [FIRST, SECOND]


def repair_by_eval(model):
    model.eval()
    return [FIRST, SECOND]


def repair_the_activation_only(model):
    repair(model)
    model.encoder.layer[3].attention.norm_first = True
    return [FIRST, SECOND]


def repair_with_relu(model):
    repair(model)
    model.encoder.layer[1].intermediate.activation = ACTIVATIONS["relu"]
    return [FIRST, SECOND]


def repair_by_training(model):
    repair(model)
    model.train()
    return [FIRST, SECOND]


def repair_the_named_norm(model):
    repair(model)
    output = model.encoder.layer[3].attention.output
    output.norm_first = True
    return [FIRST, SECOND]


def repair_with_fresh_layers(model):
    model.encoder = BertEncoder(model.config).eval()
    return [FIRST, SECOND]


def repair_a_renamed_norm(model):
    output = model.encoder.layer[3].attention.output
    output.norm = nn.LayerNorm(len(output.LayerNorm.weight))
    return [FIRST, SECOND]


def repair_in_silence(model):
    repair(model)


def repair_in_another_order(model):
    return repair(model)[::-1]


ANSWERS = Answers(
    right=(repair_every_layer, repair_like_a_neighbour),
    wrong={
        repair_by_eval: "is encoder.layer.1.intermediate, as before",
        repair_by_training: "is embeddings.dropout. Compare again",
        repair_the_activation_only: "is encoder.layer.3.attention.output.LayerNorm. Compare again",
        repair_the_named_norm: "is encoder.layer.3.attention.output. Compare again",
        repair_with_fresh_layers: "changes .* weights",
        repair_a_renamed_norm: "changes the names of the weights",
        repair_in_silence: "you return None",
        repair_in_another_order: "are not those that the comparison gives",
    },
)
