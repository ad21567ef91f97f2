"""Answers to `fresh_start` on which its check is tried."""

import copy

import torch
from torch import nn

from planted import Answers


def by_initialisers(encoder, std):
    for name, parameter in encoder.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=std)
        elif "norm" in name and "weight" in name:
            nn.init.ones_(parameter)
        else:
            nn.init.zeros_(parameter)
    return encoder


def by_modules(encoder, std):
    for module in encoder.modules():
        if isinstance(module, nn.LayerNorm):
            module.reset_parameters()
        elif isinstance(module, nn.Linear):
            module.weight.normal_(0, std)
            module.bias.zero_()
        elif isinstance(module, nn.MultiheadAttention):
            module.in_proj_weight.normal_(0, std)
            module.in_proj_bias.zero_()
    return encoder


def linear_only(encoder, std):
    for module in encoder.modules():
        if isinstance(module, nn.LayerNorm):
            module.reset_parameters()
        elif isinstance(module, nn.Linear):
            module.weight.normal_(0, std)
            module.bias.zero_()
    return encoder


def everything_random(encoder, std):
    for parameter in encoder.parameters():
        parameter.normal_(0, std)
    return encoder


def norms_to_zero(encoder, std):
    for parameter in encoder.parameters():
        if parameter.dim() == 2:
            parameter.normal_(0, std)
        else:
            parameter.zero_()
    return encoder


def biases_forgotten(encoder, std):
    for name, parameter in encoder.named_parameters():
        if parameter.dim() == 2:
            parameter.normal_(0, std)
        elif "norm" in name and name.endswith("weight"):
            parameter.fill_(1)
    return encoder


def one_seed_for_all(encoder, std):
    for layer in encoder.layers:
        torch.manual_seed(0)
        by_initialisers(layer, std)
    return encoder


def variance_for_deviation(encoder, std):
    return by_initialisers(encoder, std**2)


def xavier(encoder, std):
    by_initialisers(encoder, std)
    for parameter in encoder.parameters():
        if parameter.dim() == 2:
            nn.init.xavier_normal_(parameter)
    return encoder


def uniform(encoder, std):
    by_initialisers(encoder, std)
    for parameter in encoder.parameters():
        if parameter.dim() == 2:
            nn.init.uniform_(parameter, -std * 3**0.5, std * 3**0.5)
    return encoder


def nothing_back(encoder, std):
    by_initialisers(encoder, std)


def one_more_layer(encoder, std):
    encoder.layers.append(copy.deepcopy(encoder.layers[0]))
    return by_initialisers(encoder, std)


ANSWERS = Answers(
    right=(by_initialisers, by_modules),
    wrong={
        linear_only: "in_proj_weight \\[96, 32\\] has its old values. It belongs to",
        everything_random: "a bias, starts at 0; yours has random numbers",
        norms_to_zero: "scale of a norm, starts at 1; yours has 0.00",
        biases_forgotten: "a bias, has its old values 0.3",
        one_seed_for_all: "is the same in layers 0 and 1",
        variance_for_deviation: "That is std squared",
        xavier: "expected is N\\(0, 0.02²\\).$|expected is N\\(0, 0.02²\\)\\. ",
        uniform: "uniform distribution",
        nothing_back: "not NoneType",
        one_more_layer: "parameters of other names",
    },
)
