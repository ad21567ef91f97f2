"""Heads that score the sentences of a document: a linear classifier, a recurrent network, or a
transformer over sentences.

Liu 2019, "Fine-tune BERT for Extractive Summarization", section 2.3; nlpyang/BertSum,
src/models/encoder.py and rnn.py. Every head takes sentence vectors and a boolean mask (True = a
sentence, False = padding).
"""

from typing import Any

import torch
from torch import Tensor, nn

from minibert.config import BertConfig, InputError
from minibert.encoder import BertEncoder
from minibert.positions import sinusoidal_table
from minibert.summarization.losses import check_mask


class SentenceHead(nn.Module):
    """The base class of the three heads: checks the input, and turns logits into scores.

    `sizes` holds the constructor arguments that make another head of the same shape. Vectors at
    padding are never used, so they may hold anything, even NaN.
    """

    unused_keys: list[str]  # tensors of the original file that were not used
    sizes: dict[str, Any]
    hidden_size: int

    def logits(self, sentence_vectors: Tensor, sentence_mask: Tensor) -> Tensor:
        """[B, N, H] and [B, N] -> [B, N], before the sigmoid; ignore the values at padding.

        Raises a ValueError that names the shapes if the vectors and the mask do not fit each other
        or the head.
        """
        _check_sentences(sentence_vectors, sentence_mask, self.hidden_size)
        return self._logits(
            sentence_vectors.masked_fill(~sentence_mask.unsqueeze(-1), 0.0), sentence_mask
        )  # [B, N]

    def forward(self, sentence_vectors: Tensor, sentence_mask: Tensor) -> Tensor:
        """[B, N, H] and [B, N] -> scores [B, N] between 0 and 1, exactly 0 at
        padding."""
        return (
            self.logits(sentence_vectors, sentence_mask).sigmoid().masked_fill(~sentence_mask, 0.0)
        )  # [B, N]

    def _logits(self, x: Tensor, sentence_mask: Tensor) -> Tensor:
        """x [B, N, H], 0 at padding, and [B, N] -> [B, N]."""
        raise NotImplementedError

    def _draw_weights(self) -> None:
        """Initialise the matrices as the original does (Glorot & Bengio 2010, equation 16) and
        leave all other parameters as PyTorch initialised them."""
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)


class SentenceClassifier(SentenceHead):
    """A linear classifier on each sentence vector: sigmoid(w T_n + b); section 2.3.1.

    With an `inner_size`, the vector first passes a LayerNorm and a hidden layer of that many units:
    sigmoid(w GELU(W LN(T_n) + c) + b). The paper does not have this; it helps on a frozen encoder.
    """

    def __init__(self, hidden_size: int, inner_size: int = 0, dropout: float = 0.1):
        super().__init__()
        self.hidden_size = hidden_size
        self.sizes = {"inner_size": inner_size, "dropout": dropout} if inner_size else {}
        self.inner = (
            nn.Sequential(
                nn.LayerNorm(hidden_size),
                nn.Dropout(dropout),
                nn.Linear(hidden_size, inner_size),
                nn.GELU(),
                nn.Dropout(dropout),
            )
            if inner_size
            else nn.Identity()
        )
        self.scorer = nn.Linear(inner_size or hidden_size, 1)
        self._draw_weights()

    def _logits(self, x: Tensor, sentence_mask: Tensor) -> Tensor:
        logits: Tensor = self.scorer(self.inner(x)).squeeze(-1)  # [B, N]
        return logits


class InterSentenceEncoder(SentenceHead):
    """A transformer whose tokens are sentences; section 2.3.2 "Inter-sentence Transformer".

    It is the encoder of chapter 5 in its pre-norm form, applied to T + positions, with a LayerNorm
    and a linear map on top:

        x = T · mask + sinusoidal positions;  L times: x += Attention(LN(x)), x +=
        FeedForward(LN(x)); score = sigmoid(w LN(x) + b)

    As in the original program, the first layer's attention reads x itself, without a norm; the
    paper's equations 2 and 3 are post-norm instead. It uses the tanh GELU and a LayerNorm eps of
    1e-6. The original also applies dropout inside the feed-forward layer, which matters only in
    training. The default sizes are the published ones. `positions=False` omits the position table.
    """

    def __init__(
        self,
        hidden_size: int,
        feedforward_size: int = 2048,
        num_heads: int = 8,
        num_layers: int = 2,
        dropout: float = 0.1,
        positions: bool = True,
    ):
        super().__init__()
        self.hidden_size = hidden_size
        self.sizes = {
            "feedforward_size": feedforward_size,
            "num_heads": num_heads,
            "num_layers": num_layers,
            "dropout": dropout,
            "positions": positions,
        }
        shape = BertConfig(
            vocab_size=1,
            hidden_size=hidden_size,
            intermediate_size=feedforward_size,
            num_attention_heads=num_heads,
            num_hidden_layers=num_layers,
            hidden_act="gelu_new",
            layer_norm_eps=1e-6,
            norm_first=True,
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
            position_embedding_type="sinusoidal" if positions else "none",
        )
        self.encoder = BertEncoder(shape)
        self.encoder.layer[0].attention.output.LayerNorm = nn.Identity()  # type: ignore[union-attr]
        self.scorer = nn.Linear(hidden_size, 1)
        self.positions = positions
        self._draw_weights()

    def _logits(self, x: Tensor, sentence_mask: Tensor) -> Tensor:
        if self.positions:
            x = x + sinusoidal_table(x.size(1), x.size(2)).to(x)  # [B, N, H]
        states, _ = self.encoder(x, sentence_mask[:, None, None, :])  # [B, N, H] each
        logits: Tensor = self.scorer(states[-1]).squeeze(-1)  # [B, N]
        return logits


class LayerNormLSTMCell(nn.Module):
    """One step of an LSTM with a LayerNorm on each group of gates.

    Ba et al. 2016, equations 20 to 22:

        i, f, o, g = LN(W_x x + b_x) + LN(W_h h + b_h)
        c' = σ(f) c + σ(i) tanh(g);  h' = σ(o) tanh(LN(c'))
    """

    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.input_map = nn.Linear(input_size, 4 * hidden_size)
        self.hidden_map = nn.Linear(hidden_size, 4 * hidden_size)
        self.input_norm = nn.LayerNorm(4 * hidden_size)
        self.hidden_norm = nn.LayerNorm(4 * hidden_size)
        self.cell_norm = nn.LayerNorm(hidden_size)

    def forward(self, x: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """x [B, H], hidden and cell [B, H/2] -> the next hidden and cell."""
        gates = self.input_norm(self.input_map(x)) + self.hidden_norm(
            self.hidden_map(hidden)
        )  # [B, 4 · H/2]
        input_gate, forget_gate, output_gate, candidate = gates.chunk(4, dim=-1)  # [B, H/2] each
        cell = forget_gate.sigmoid() * cell + input_gate.sigmoid() * candidate.tanh()  # [B, H/2]
        return output_gate.sigmoid() * self.cell_norm(cell).tanh(), cell  # [B, H/2], [B, H/2]


class SentenceRNN(SentenceHead):
    """A bidirectional LSTM over the sentences, added to their vectors.

    Section 2.3.3 "Recurrent Neural Network". `recurrent` gives the LSTM's output for each sentence,
    before the addition. With `reference_quirks` it reproduces two bugs of the original program: its
    list of results, `[[None] * k] * length`, holds the same inner list `length` times, so every
    sentence gets the states that were written last; and padding runs through the LSTM as if it were
    sentences.
    """

    def __init__(self, hidden_size: int, dropout: float = 0.1, reference_quirks: bool = False):
        super().__init__()
        if hidden_size % 2:
            raise InputError(
                f"hidden_size must be even (half for each direction), not {hidden_size}"
            )
        self.hidden_size = hidden_size
        self.sizes = {"dropout": dropout, "reference_quirks": reference_quirks}
        self.directions = nn.ModuleList(
            LayerNormLSTMCell(hidden_size, hidden_size // 2) for _ in range(2)
        )
        self.dropout = nn.Dropout(dropout)
        self.scorer = nn.Linear(hidden_size, 1)
        self.reference_quirks = reference_quirks
        self._draw_weights()

    def _logits(self, x: Tensor, sentence_mask: Tensor) -> Tensor:
        states = self.dropout(self.recurrent(x, sentence_mask)) + x  # [B, N, H]
        logits: Tensor = self.scorer(states).squeeze(-1)  # [B, N]
        return logits

    def recurrent(self, x: Tensor, sentence_mask: Tensor) -> Tensor:
        """x [B, N, H] -> the LSTM's output for each sentence, both directions: [B, N, H]."""
        onwards = range(x.size(1))
        forward = self._run(self.directions[0], x, sentence_mask, onwards)  # N times [B, H/2]
        backward = self._run(
            self.directions[1], x, sentence_mask, onwards[::-1]
        )  # N times [B, H/2]
        if self.reference_quirks:
            forward, backward = [forward[-1]] * x.size(1), [backward[0]] * x.size(1)
        pairs = zip(forward, backward, strict=True)
        return torch.stack([torch.cat(pair, dim=-1) for pair in pairs], dim=1)  # [B, N, H]

    def _run(self, cell: nn.Module, x: Tensor, mask: Tensor, order: range) -> list[Tensor]:
        """One direction's hidden state at every sentence, in document order: N times [B, H/2].

        Padding leaves the state unchanged.
        """
        states = [None] * x.size(1)
        hidden = memory = x.new_zeros(x.size(0), x.size(2) // 2)  # [B, H/2]
        for n in order:
            new_hidden, new_memory = cell(x[:, n], hidden, memory)  # [B, H/2]
            real = mask[:, n, None] | self.reference_quirks  # [B, 1]
            hidden, memory = (
                torch.where(real, new_hidden, hidden),
                torch.where(real, new_memory, memory),
            )  # [B, H/2]
            states[n] = hidden  # type: ignore[call-overload]
        return states  # type: ignore[return-value]


def _check_sentences(sentence_vectors: Tensor, sentence_mask: Tensor, hidden_size: int) -> None:
    if (
        sentence_vectors.dim() != 3
        or sentence_vectors.size(1) == 0
        or sentence_vectors.size(2) != hidden_size
    ):
        raise InputError(
            f"sentence_vectors must have the shape [batch, sentences, {hidden_size}] with at least "
            f"one sentence, not {list(sentence_vectors.shape)}"
        )
    check_mask(sentence_mask, sentence_vectors[..., 0])
