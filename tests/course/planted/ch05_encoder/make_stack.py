"""Answers to `make_stack` on which its check is tried."""

import copy
import dataclasses

from torch import nn

from minibert.attention import BertAttention
from minibert.config import BertConfig
from minibert.encoder import BertLayer
from planted import Answers


def stack_by_append(config, count):
    stack = nn.ModuleList()
    for _ in range(count):
        stack.append(BertLayer(config))
    return stack


def stack_by_insert(config, count):
    stack = nn.ModuleList([BertLayer(config)])
    while len(stack) < count:
        stack.insert(0, BertLayer(config))
    return stack


def stack_shared(config, count):
    return nn.ModuleList([BertLayer(config)] * count)


def stack_of_copies(config, count):
    layer = BertLayer(config)
    return nn.ModuleList(copy.deepcopy(layer) for _ in range(count))


def stack_as_list(config, count):
    return [BertLayer(config) for _ in range(count)]


def stack_of_one(config, count):
    return nn.ModuleList([BertLayer(config)])


def stack_sequential(config, count):
    return nn.Sequential(*(BertLayer(config) for _ in range(count)))


def stack_of_attention(config, count):
    return nn.ModuleList(BertAttention(config) for _ in range(count))


def stack_of_base(config, count):
    return nn.ModuleList(BertLayer(BertConfig(vocab_size=11)) for _ in range(count))


def stack_of_the_config(config, count):
    return nn.ModuleList(BertLayer(config) for _ in range(config.num_hidden_layers))


def stack_of_two_by_turns(config, count):
    pair = BertLayer(config), BertLayer(config)
    return nn.ModuleList(pair[i % 2] for i in range(count))


def stack_with_a_late_copy(config, count):
    stack = nn.ModuleList(BertLayer(config) for _ in range(count))
    stack[-1] = copy.deepcopy(stack[-2])
    return stack


def stack_of_another_config(config, count):
    other = BertConfig(
        vocab_size=11,
        hidden_size=config.hidden_size,
        num_attention_heads=config.num_attention_heads,
        intermediate_size=config.intermediate_size,
    )
    return nn.ModuleList(BertLayer(other) for _ in range(count))


def stack_with_one_head(config, count):
    return nn.ModuleList(
        BertLayer(dataclasses.replace(config, num_attention_heads=1)) for _ in range(count)
    )


ANSWERS = Answers(
    right=(stack_by_append, stack_by_insert),
    wrong={
        stack_shared: "one and the same layer: .* parameters where",
        stack_of_copies: "Layers 0 and 1 start with exactly the same weights",
        stack_as_list: "plain list",
        stack_of_one: "Asked for 3 layers, your stack holds 1",
        stack_sequential: "but it is a Sequential",
        stack_of_attention: "holds a BertAttention where",
        stack_of_base: "has the hidden_size 768",
        stack_of_the_config: "the config's num_hidden_layers",
        stack_of_two_by_turns: "Places 0 and 2 hold one and the same",
        stack_with_a_late_copy: "Layers 1 and 2 start",
        stack_of_another_config: "hidden_dropout_prob 0.1; the config that was handed in says 0.3",
        stack_with_one_head: "num_attention_heads 1",
    },
)
