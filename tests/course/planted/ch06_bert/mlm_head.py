"""Answers to `MLMHead` on which its check is tried."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.ch06_bert.mlm_head import MLMHead
from planted import Answers


class HeadByLinear(MLMHead):
    def forward(self, hidden, table):
        transform = self.transform
        return F.linear(transform.LayerNorm(F.gelu(transform.dense(hidden))), table, self.bias)


class Transform(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, hidden):
        return self.LayerNorm(F.gelu(self.dense(hidden)))


class HeadOfParts(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.transform = Transform(config)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden, table):
        return torch.einsum("...h,vh->...v", self.transform(hidden), table) + self.bias


class HeadWithoutBias(MLMHead):
    def forward(self, hidden, table):
        return super().forward(hidden, table) - self.bias


class HeadWithoutTransform(MLMHead):
    def forward(self, hidden, table):
        return hidden @ table.T + self.bias


class HeadWithoutNorm(MLMHead):
    def forward(self, hidden, table):
        return F.gelu(self.transform.dense(hidden)) @ table.T + self.bias


class HeadWithoutGelu(MLMHead):
    def forward(self, hidden, table):
        return self.transform.LayerNorm(self.transform.dense(hidden)) @ table.T + self.bias


class HeadWithoutDense(MLMHead):
    def forward(self, hidden, table):
        return self.transform.LayerNorm(F.gelu(hidden)) @ table.T + self.bias


class HeadNormsFirst(MLMHead):
    def forward(self, hidden, table):
        normed = self.transform.LayerNorm(self.transform.dense(hidden))
        return F.gelu(normed) @ table.T + self.bias


class HeadWithRelu(MLMHead):
    def forward(self, hidden, table):
        return self.transform.LayerNorm(self.transform.dense(hidden).relu()) @ table.T + self.bias


class HeadWithLargerEps(MLMHead):
    def __init__(self, config):
        super().__init__(config)
        self.transform.LayerNorm.eps = 1e-5


class HeadOfProbabilities(MLMHead):
    def forward(self, hidden, table):
        return super().forward(hidden, table).softmax(-1)


class HeadWithOwnTable(MLMHead):
    def __init__(self, config):
        super().__init__(config)
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size, bias=False)


class HeadWithBiasOfWidth(MLMHead):
    def __init__(self, config):
        super().__init__(config)
        self.bias = nn.Parameter(torch.zeros(config.hidden_size))


class HeadDetached(MLMHead):
    def forward(self, hidden, table):
        return super().forward(hidden, table.detach())


ANSWERS = Answers(
    right=(HeadByLinear, HeadOfParts),
    wrong={
        HeadWithoutBias: "bias is missing: 19",
        HeadWithoutTransform: "The transform is missing",
        HeadWithoutNorm: "LayerNorm of the transform is missing",
        HeadWithoutGelu: "GELU of the transform is missing",
        HeadWithoutDense: "linear map of the transform is missing",
        HeadNormsFirst: "GELU comes before",
        HeadWithRelu: "yours has ReLU",
        HeadWithLargerEps: "eps of 1e-5",
        HeadOfProbabilities: "These are probabilities",
        HeadWithOwnTable: "too many, decoder.weight",
        HeadWithBiasOfWidth: "its bias is \\[12\\] where \\[19\\]",
        HeadDetached: "No gradient reaches the word table",
    },
)
