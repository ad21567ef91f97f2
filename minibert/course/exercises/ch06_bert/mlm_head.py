"""Exercise `MLMHead`: task, hints, solution and check."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch06_bert.common import CHAPTER, SMALL
from minibert.course.exercises.compare import Mistake, draw, give_weights, recognise
from minibert.heads import MaskedLMHead


class MLMHead(nn.Module):
    """Scores for every token of the vocabulary, with the word table as the last matrix.

    forward(hidden, table) takes hidden, ... × H, and table, V × H, and returns scores, ... × V.
    """

    def __init__(self, config):
        super().__init__()
        # blank from here: transform and bias, and forward
        size = config.hidden_size
        norm = nn.LayerNorm(size, eps=config.layer_norm_eps)
        self.transform = nn.ModuleDict({"dense": nn.Linear(size, size), "LayerNorm": norm})
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))  # [V]

    def forward(self, hidden, table):
        changed = F.gelu(self.transform["dense"](hidden))  # [..., H]
        return self.transform["LayerNorm"](changed) @ table.T + self.bias  # [..., V]


def _known(right, hidden, table):
    """The scores of known mistakes, each with its feedback."""
    dense, norm, bias = right.transform.dense, right.transform.LayerNorm, right.bias

    def scores(vectors):
        return vectors @ table.T + bias  # [..., V]

    whole = right(hidden, table)  # [..., V]
    larger_eps = nn.LayerNorm(norm.normalized_shape, eps=1e-5).double()
    larger_eps.load_state_dict(norm.state_dict())
    return [
        (whole - bias, f"The bias is missing: {len(bias)} numbers, one for each token."),
        (scores(hidden), "The transform is missing: your scores read the hidden vectors."),
        (scores(F.gelu(dense(hidden))), "The LayerNorm of the transform is missing."),
        (scores(norm(dense(hidden))), "The GELU of the transform is missing."),
        (scores(norm(F.gelu(hidden))), "The linear map of the transform is missing."),
        (scores(F.gelu(norm(dense(hidden)))), "GELU comes before the LayerNorm, not after it."),
        (scores(norm(dense(hidden).relu())), "The transform has GELU; yours has ReLU."),
        (
            scores(larger_eps(F.gelu(dense(hidden)))),
            "Your LayerNorm has PyTorch's eps of 1e-5; take config.layer_norm_eps, 1e-12.",
        ),
        (
            whole.softmax(-1),
            "These are probabilities. The head returns scores, and whoever needs probabilities takes the softmax.",
        ),
    ]


def check_mlm_head(answer):
    # [V, H] from other numbers than the hidden vectors
    table = draw(SMALL.vocab_size, SMALL.hidden_size, seed=1)
    reference = MaskedLMHead(SMALL).double()
    with torch.no_grad():
        for number, parameter in enumerate(reference.parameters()):
            parameter.copy_(0.5 * draw(*parameter.shape, seed=2 + number))
    give_weights(mine := answer(SMALL), reference.state_dict(), "Your head")
    mine = mine.double()
    mine.load_state_dict(reference.state_dict())
    for shape in ((3, SMALL.hidden_size), (2, 4, SMALL.hidden_size)):
        hidden = draw(*shape)  # [M, H] or [B, S, H]
        right = reference(hidden, table)  # [M, V] or [B, S, V]
        recognise(
            mine(hidden, table),
            right,
            _known(reference, hidden, table),
            f"The result for hidden vectors {list(shape)}",
            tolerance=1e-8,
        )
    mine(hidden, table.requires_grad_()).sum().backward()
    if table.grad is None:
        raise Mistake(
            "No gradient reaches the word table: the head has to train it, so no detach and no .data."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=8,
    title="The head that fills gaps",
    solution=MLMHead,
    check=check_mlm_head,
    task="Write the head of equation 6.2. The checkpoint calls its weights `transform.dense.weight`, `transform.dense.bias`, `transform.LayerNorm.weight`, "
    '`transform.LayerNorm.bias` and `bias`. The word table belongs to the embeddings, so the head has no copy of it and receives it with every call. The activation is `F.gelu`, because minibert-small has `hidden_act` "gelu" in its config. How you initialise the head does not matter here, because trained weights replace the initial ones.',
    hints=(
        "A bias that belongs to no linear map is an `nn.Parameter`. How many numbers does it have? The LayerNorm takes its eps from the config.",
        'The order is `dense`, `F.gelu`, `LayerNorm`, word table, bias. An `nn.ModuleDict` with the keys "dense" and "LayerNorm" gives the names; a vector times `table.T` gives one score for each token.',
    ),
    paragraph="Your model fills a gap",
)
