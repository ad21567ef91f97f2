"""Answers to `text_logits` on which its check is tried."""

import torch
import torch.nn.functional as F

from planted import Answers, named


def logits_by_modules(hidden, pooler_weight, pooler_bias, weight, bias):
    return F.linear(F.linear(hidden.select(1, 0), pooler_weight, pooler_bias).tanh(), weight, bias)


def logits_by_sums(hidden, pooler_weight, pooler_bias, weight, bias):
    every = torch.einsum("bsh,kh->bsk", hidden, pooler_weight).add(pooler_bias).tanh()
    return torch.einsum("bsh,kh->bsk", every, weight)[:, 0] + bias


def _logits(
    vector=lambda hidden: hidden[:, 0],
    turn=torch.tanh,
    transposed=False,
    shift=1.0,
    last=1.0,
    after=lambda x: x,
    pooler=True,
):
    """A planted wrong answer: one thing changed."""

    def wrong(hidden, pooler_weight, pooler_bias, weight, bias):
        x = vector(hidden)
        if pooler:
            x = turn(x @ (pooler_weight if transposed else pooler_weight.T) + shift * pooler_bias)
        return after(x @ weight.T + last * bias)

    return wrong


logits_of_mean = named("logits_of_mean", _logits(vector=lambda hidden: hidden.mean(1)))


logits_of_last = named("logits_of_last", _logits(vector=lambda hidden: hidden[:, -1]))


logits_of_first_word = named("logits_of_first_word", _logits(vector=lambda hidden: hidden[:, 1]))


logits_unpooled = named("logits_unpooled", _logits(pooler=False))


logits_linear = named("logits_linear", _logits(turn=lambda x: x))


logits_sigmoid = named("logits_sigmoid", _logits(turn=torch.sigmoid))


logits_relu = named("logits_relu", _logits(turn=torch.relu))


logits_sideways = named("logits_sideways", _logits(transposed=True))


logits_without_pooler_bias = named("logits_without_pooler_bias", _logits(shift=0.0))


logits_without_bias = named("logits_without_bias", _logits(last=0.0))


logits_as_probabilities = named("logits_as_probabilities", _logits(after=lambda x: x.softmax(-1)))


logits_as_logs = named("logits_as_logs", _logits(after=lambda x: x.log_softmax(-1)))


logits_squeezed = named("logits_squeezed", _logits(after=torch.tanh))


logits_of_every_token = named("logits_of_every_token", _logits(vector=lambda hidden: hidden))


def _head(
    name, read=lambda hidden: hidden[:, 0], turn=torch.tanh, last=lambda logits: logits, times=1
):
    """A planted wrong head: another vector, another activation, something behind it."""

    def answer(hidden, pooler_weight, pooler_bias, weight, bias):
        vector = read(hidden)
        for _ in range(times):
            vector = turn(vector @ pooler_weight.T + pooler_bias)
        return last(vector @ weight.T + bias)

    return named(name, answer)


logits_of_the_largest = _head("logits_of_the_largest", read=lambda hidden: hidden.amax(1))


logits_of_the_sum = _head("logits_of_the_sum", read=lambda hidden: hidden.sum(1))


logits_by_gelu = _head("logits_by_gelu", turn=torch.nn.functional.gelu)


logits_squashed = _head("logits_squashed", last=torch.sigmoid)


logits_pooled_twice = _head("logits_pooled_twice", times=2)


logits_detached = _head("logits_detached", last=torch.detach)


ANSWERS = Answers(
    right=(logits_by_modules, logits_by_sums),
    wrong={
        logits_of_mean: "mean of all 5 tokens",
        logits_of_last: "place 4, the last",
        logits_of_first_word: "place 1, the first word",
        logits_unpooled: "The pooler is missing",
        logits_linear: "The tanh is missing",
        logits_sigmoid: "a sigmoid where",
        logits_relu: "a ReLU where",
        logits_sideways: "lies on its side",
        logits_without_pooler_bias: "The pooler's bias",
        logits_without_bias: "The classifier's bias",
        logits_as_probabilities: "give back probabilities",
        logits_as_logs: "log-probabilities",
        logits_squeezed: "behind the classifier too",
        logits_of_every_token: "should have the shape \\[2, 3\\]",
        logits_of_the_largest: "largest of each number",
        logits_of_the_sum: "sum of all 5",
        logits_by_gelu: "a GELU where",
        logits_squashed: "sigmoid, from 0 to 1",
        logits_pooled_twice: "pooler twice",
        logits_detached: "no gradient goes",
    },
)
