"""The encoder: L layers of attention and feed-forward, with residual connections and norms."""

from collections.abc import Callable
from functools import partial

import torch.nn.functional as F
from torch import Tensor, nn

from minibert.attention import BertAttention
from minibert.config import BertConfig

# Hendrycks & Gimpel 2016: x Φ(x). "gelu" is exact: x (1 + erf(x / √2)) / 2. "gelu_new" is its tanh
# approximation: x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2. They differ by up to 5e-4; a checkpoint
# was trained with one of them.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": partial(F.gelu, approximate="tanh"),
    "relu": F.relu,
}


class BertIntermediate(nn.Module):
    """The wide half of the feed-forward: [B, S, H] -> [B, S, I], with its activation."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)
        self.activation = ACTIVATIONS[config.hidden_act]

    def forward(self, hidden: Tensor) -> Tensor:
        """hidden [B, S, H] -> [B, S, I]."""
        return self.activation(self.dense(hidden))  # [B, S, I]


class BertOutput(nn.Module):
    """The way back, [B, S, I] -> [B, S, H], with dropout, the residual connection and its norm."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.dense = nn.Linear(config.intermediate_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)
        self.norm_first = config.norm_first

    def forward(self, wide: Tensor, residual: Tensor) -> Tensor:
        """wide [B, S, I] and what came in, residual [B, S, H] -> [B, S, H]."""
        out = residual + self.dropout(self.dense(wide))  # [B, S, H]
        return out if self.norm_first else self.LayerNorm(out)  # [B, S, H]


class BertLayer(nn.Module):
    """One encoder layer: tokens exchange information (attention), then each thinks for itself
    (feed-forward).

    Vaswani et al. 2017, section 3.1, post-norm: LayerNorm(x + Sublayer(x)), twice, as BERT was
    published. With `norm_first` (Xiong et al. 2020): x + Sublayer(LayerNorm(x)), twice.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.attention = BertAttention(config)
        self.intermediate = BertIntermediate(config)
        self.output = BertOutput(config)
        self.norm_first = config.norm_first

    def forward(
        self, hidden: Tensor, mask: Tensor | None = None, output_attentions: bool = False
    ) -> tuple[Tensor, Tensor | None]:
        """hidden [B, S, H], mask [B, 1, 1 or S, S] -> hidden [B, S, H], weights [B, A, S, S].

        The weights are None unless `output_attentions` asks for them.
        """
        hidden, weights = self.attention(hidden, mask, output_attentions)  # [B, S, H], [B, A, S, S]
        inner = self.output.LayerNorm(hidden) if self.norm_first else hidden  # [B, S, H]
        return self.output(self.intermediate(inner), hidden), weights  # [B, S, H], [B, A, S, S]


class BertEncoder(nn.Module):
    """L layers one after the other, each with weights of its own.

    A pre-norm stack ends in one more LayerNorm: its residual stream is never normalised on the way.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.layer = nn.ModuleList(BertLayer(config) for _ in range(config.num_hidden_layers))
        if config.norm_first:
            self.norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.norm_first = config.norm_first

    def forward(
        self, hidden: Tensor, mask: Tensor | None = None, output_attentions: bool = False
    ) -> tuple[list[Tensor], list[Tensor | None]]:
        """hidden [B, S, H], mask [B, 1, 1 or S, S].

        Returns the hidden states, L + 1 times [B, S, H] (the input, then every layer's output),
        and the attention weights, L times [B, A, S, S] (None where they were not asked for).
        """
        states, all_weights = [hidden], []
        for layer in self.layer:
            hidden, weights = layer(hidden, mask, output_attentions)  # [B, S, H], [B, A, S, S]
            states.append(hidden)
            all_weights.append(weights)
        if self.norm_first:
            states[-1] = self.norm(hidden)  # [B, S, H]
        return states, all_weights
