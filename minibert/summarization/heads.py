"""What scores the sentences of a document: a linear classifier, a recurrent network, or a transformer over sentences.

Liu 2019, "Fine-tune BERT for Extractive Summarization", section 2.3; nlpyang/BertSum, src/models/encoder.py and rnn.py.
Every head takes sentence vectors [B, N, H] with a boolean mask [B, N] (True = a sentence, False = padding).
"""

import logging
import re

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.encoder import BertEncoder
from minibert.positions import sinusoidal_table

logger = logging.getLogger(__name__)


class SentenceHead(nn.Module):
    """Logits in, scores out: what the three heads share. `sizes` are the arguments that make another one of its shape."""

    sizes: dict

    def logits(self, sentence_vectors: Tensor, sentence_mask: Tensor) -> Tensor:
        """[B, N, H] and [B, N] -> [B, N], before the sigmoid; what stands at padding means nothing."""
        raise NotImplementedError

    def forward(self, sentence_vectors: Tensor, sentence_mask: Tensor) -> Tensor:
        """[B, N, H] and [B, N] -> scores [B, N] between 0 and 1, exactly 0 where there is no sentence."""
        check_sentences(sentence_vectors, sentence_mask)
        return self.logits(sentence_vectors, sentence_mask).sigmoid() * sentence_mask       # [B, N]


class SentenceClassifier(SentenceHead):
    """A linear map of each sentence's vector, on its own: sigmoid(w T_n + b); section 2.3.1."""

    def __init__(self, hidden_size: int):
        super().__init__()
        self.sizes = {}
        self.scorer = nn.Linear(hidden_size, 1)

    def logits(self, sentence_vectors: Tensor, sentence_mask: Tensor) -> Tensor:
        return self.scorer(sentence_vectors).squeeze(-1)                    # [B, N]


class InterSentenceEncoder(SentenceHead):
    """The second transformer, whose tokens are sentences; section 2.3.2 "Inter-sentence Transformer".

    It is the encoder of chapter 5 with the norms inside, on T + positions, with a norm and a linear map on top:

        x = T · mask + sinusoidal positions;  L times: x += Attention(LN(x)), x += FeedForward(LN(x));
        score = sigmoid(w LN(x) + b)

    As in the original program the first layer's attention sees x itself, without a norm; the paper's equations 3 and 4
    have the norms outside instead. tanh GELU, LayerNorm eps 1e-6. The original also drops out inside the
    feed-forward, which only training would notice. The sizes by default are the published ones; the table of positions
    can be left out.
    """

    def __init__(self, hidden_size: int, feedforward_size: int = 2048, num_heads: int = 8, num_layers: int = 2, dropout: float = 0.1,
                 positions: bool = True):
        super().__init__()
        self.sizes = {"feedforward_size": feedforward_size, "num_heads": num_heads, "num_layers": num_layers, "dropout": dropout, "positions": positions}
        shape = BertConfig(vocab_size=1, hidden_size=hidden_size, intermediate_size=feedforward_size, num_attention_heads=num_heads,
                           num_hidden_layers=num_layers, hidden_act="gelu_new", layer_norm_eps=1e-6, norm_first=True,
                           hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout)
        self.encoder = BertEncoder(shape)
        self.encoder.layer[0].attention.output.LayerNorm = nn.Identity()
        self.scorer = nn.Linear(hidden_size, 1)
        self.positions = positions
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def logits(self, sentence_vectors: Tensor, sentence_mask: Tensor) -> Tensor:
        x = sentence_vectors * sentence_mask.unsqueeze(-1)                  # [B, N, H]
        if self.positions:
            x = x + sinusoidal_table(x.size(1), x.size(2)).to(x)            # [B, N, H]
        states, _ = self.encoder(x, sentence_mask[:, None, None, :])        # [B, N, H] each
        return self.scorer(states[-1]).squeeze(-1)                          # [B, N]


class LayerNormLSTMCell(nn.Module):
    """One step of an LSTM with a LayerNorm on each group of gates (Ba et al. 2016, equations 20 to 22).

        i, f, o, g = LN(W_x x + b_x) + LN(W_h h + b_h);  c' = σ(f) c + σ(i) tanh(g);  h' = σ(o) tanh(LN(c'))
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
        gates = self.input_norm(self.input_map(x)) + self.hidden_norm(self.hidden_map(hidden))      # [B, 4 · H/2]
        take, keep, give, new = gates.chunk(4, dim=-1)                      # [B, H/2] each
        cell = keep.sigmoid() * cell + take.sigmoid() * new.tanh()          # [B, H/2]
        return give.sigmoid() * self.cell_norm(cell).tanh(), cell           # [B, H/2], [B, H/2]


class SentenceRNN(SentenceHead):
    """An LSTM over the sentences, in both directions, added to their vectors; section 2.3.3 "Recurrent Neural Network".

    `recurrent` gives what the LSTM says of each sentence, before it is added. With `reference_quirks` it does what the
    original program does: its list of results, `[[None] * k] * length`, is one inner list, `length` times, so that every
    sentence gets the last states written, all the same; and padding runs through the LSTM as if it were sentences.
    """

    def __init__(self, hidden_size: int, dropout: float = 0.1, reference_quirks: bool = False):
        super().__init__()
        if hidden_size % 2:
            raise ValueError(f"hidden_size must be even, half of it for each direction, not {hidden_size}")
        self.sizes = {"dropout": dropout, "reference_quirks": reference_quirks}
        self.directions = nn.ModuleList(LayerNormLSTMCell(hidden_size, hidden_size // 2) for _ in range(2))
        self.dropout = nn.Dropout(dropout)
        self.scorer = nn.Linear(hidden_size, 1)
        self.reference_quirks = reference_quirks

    def logits(self, sentence_vectors: Tensor, sentence_mask: Tensor) -> Tensor:
        x = sentence_vectors * sentence_mask.unsqueeze(-1)                  # [B, N, H]
        return self.scorer(self.dropout(self.recurrent(x, sentence_mask)) + x).squeeze(-1)          # [B, N]

    def recurrent(self, x: Tensor, sentence_mask: Tensor) -> Tensor:
        """x [B, N, H] -> what the LSTM makes of each sentence, forwards and backwards: [B, N, H]."""
        forward = self._run(self.directions[0], x, sentence_mask, range(x.size(1)))                 # N times [B, H/2]
        backward = self._run(self.directions[1], x, sentence_mask, range(x.size(1) - 1, -1, -1))
        if self.reference_quirks:
            forward, backward = [forward[-1]] * x.size(1), [backward[0]] * x.size(1)
        return torch.stack([torch.cat(pair, dim=-1) for pair in zip(forward, backward)], dim=1)     # [B, N, H]

    def _run(self, cell: LayerNormLSTMCell, x: Tensor, mask: Tensor, order: range) -> list[Tensor]:
        """One direction's hidden state at every sentence, in document order; padding leaves the state as it is."""
        states = [None] * x.size(1)
        hidden = memory = x.new_zeros(x.size(0), x.size(2) // 2)            # [B, H/2]
        for n in order:
            new_hidden, new_memory = cell(x[:, n], hidden, memory)          # [B, H/2]
            real = mask[:, n, None] | self.reference_quirks                 # [B, 1]
            hidden, memory = torch.where(real, new_hidden, hidden), torch.where(real, new_memory, memory)   # [B, H/2]
            states[n] = hidden
        return states


def check_sentences(sentence_vectors: Tensor, sentence_mask: Tensor) -> None:
    """Raise a ValueError, with the shapes in it, for vectors and a mask that do not fit each other."""
    if sentence_vectors.dim() != 3 or sentence_vectors.size(1) == 0:
        raise ValueError(f"sentence_vectors must have the shape [batch, sentences, hidden], at least one sentence, not {list(sentence_vectors.shape)}")
    if sentence_mask.shape != sentence_vectors.shape[:2] or sentence_mask.dtype != torch.bool:
        raise ValueError(f"sentence_mask must be boolean of the shape {list(sentence_vectors.shape[:2])}, not {sentence_mask.dtype} of {list(sentence_mask.shape)}")


def sentence_loss(logits: Tensor, labels: Tensor, sentence_mask: Tensor) -> Tensor:
    """Binary cross-entropy summed over the real sentences, as the original program does; a scalar.

    logits and labels [B, N]; a label is 1 for a sentence of the summary, 0 for another, or a share in between.
    """
    if labels.shape != logits.shape:
        raise ValueError(f"labels must have the shape {list(logits.shape)}, not {list(labels.shape)}")
    wrong = sentence_mask & ((labels < 0) | (labels > 1))                   # [B, N]
    if wrong.any():
        raise ValueError(f"labels must lie between 0 and 1, but one is {float(labels[wrong][0])}")
    losses = F.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype), reduction="none")      # [B, N]
    return losses.masked_fill(~sentence_mask, 0.0).sum()


# -- the original's weights --------------------------------------------------------------------------------------------

ORIGINAL_NAMES = (      # of one layer, and ours
    ("self_attn.linear_query", "attention.self.query"), ("self_attn.linear_keys", "attention.self.key"),
    ("self_attn.linear_values", "attention.self.value"), ("self_attn.final_linear", "attention.output.dense"),
    ("layer_norm", "attention.output.LayerNorm"), ("feed_forward.layer_norm", "output.LayerNorm"),
    ("feed_forward.w_1", "intermediate.dense"), ("feed_forward.w_2", "output.dense"))
LAYER = re.compile(r"transformer_inter\.(\d+)\.(.+)\.(weight|bias)")
TOP = {"layer_norm": "encoder.norm", "wo": "scorer"}
POSITIONS = "pos_emb.pe"
UNUSED = "transformer_inter.0.layer_norm"       # the original makes it, and never calls it


def load_bertsum_head(state_dict: dict[str, Tensor], num_heads: int) -> InterSentenceEncoder:
    """The original's inter-sentence transformer from its state dict, under the original's names; in eval mode.

    Sizes are read from the tensors; how many heads they are cut into cannot be, so `num_heads` says it (8 in the
    published models). The position table may be there or not. The first layer's first norm, which the original never
    uses, may be there: it is left out, listed in `unused_keys` of what is returned, and logged.

    Raises a ValueError that names the tensors for names that are missing or too many, wrong shapes, or a position
    table that is not the sinusoidal one.
    """
    tensors = {name: tensor for name, tensor in state_dict.items() if not name.startswith(UNUSED)}
    unused = [name for name in state_dict if name.startswith(UNUSED)]
    table = tensors.pop(POSITIONS, None)
    renamed = {_our_name(name): tensor for name, tensor in tensors.items()}
    layers = {int(match[1]) for name in tensors if (match := LAYER.fullmatch(name))}
    try:
        feedforward_size, hidden_size = tensors["transformer_inter.0.feed_forward.w_1.weight"].shape
    except (KeyError, ValueError) as error:
        raise ValueError("state_dict is no inter-sentence transformer of BertSum: it has no matrix "
                         f"'transformer_inter.0.feed_forward.w_1.weight' but {sorted(state_dict)[:3]}, …") from error
    head = InterSentenceEncoder(hidden_size, feedforward_size, num_heads, len(layers), dropout=0.0).eval()
    wanted = head.state_dict()
    problems = [f"{name} is missing" for name in sorted(wanted.keys() - renamed.keys())]
    problems += [f"{name} has no place" for name in sorted(renamed.keys() - wanted.keys())]
    problems += [f"{name} has the shape {list(renamed[name].shape)}, wanted {list(wanted[name].shape)}"
                 for name in sorted(wanted.keys() & renamed.keys()) if renamed[name].shape != wanted[name].shape]
    if problems:
        raise ValueError(f"state_dict does not fit an inter-sentence transformer of {len(layers)} layers (names as here): {'; '.join(problems[:5])}")
    if table is not None and not torch.allclose(table.flatten(0, -2).float(), sinusoidal_table(table.shape[-2], hidden_size), atol=1e-3):
        raise ValueError(f"{POSITIONS} is not the table of sines and cosines of {hidden_size} columns, which is all that the original has there")
    head.load_state_dict(renamed)
    head.unused_keys = unused
    if unused:
        logger.warning("%s is in the file, but the original never uses it: left out", ", ".join(unused))
    return head


def _our_name(name: str) -> str:
    match = LAYER.fullmatch(name)
    if match:
        ours = dict(ORIGINAL_NAMES).get(match[2])
        return f"encoder.layer.{match[1]}.{ours}.{match[3]}" if ours else name
    stem, _, kind = name.rpartition(".")
    return f"{TOP[stem]}.{kind}" if stem in TOP else name
