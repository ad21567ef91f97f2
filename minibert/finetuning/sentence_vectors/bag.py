"""The best bag of word pieces for a teacher's vectors: a control, and a start for the student."""

import warnings
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from minibert.config import InputError
from minibert.encoder import BertLayer
from minibert.model import BertModel

CONSTANT = 2  # dimensions that hold a constant


def fit_bag(
    pieces: Sequence[Sequence[int]], targets: Tensor, vocab_size: int, ridge: float
) -> Tensor:
    """One vector for each word piece, so that a text's target is about the mean over its pieces.

    pieces      the ids of each text, without [CLS] and [SEP]
    targets     [N, K]
    -> [V, K], float32; zeros for pieces that no text has

    With X (N × V), the share of each piece among the pieces of each text, the vectors W minimise
    |X W - targets|² + ridge · |W|², which is solved by (XᵀX + ridge · I) W = Xᵀ targets (Hoerl &
    Kennard 1970, equation 2.1). The order of the pieces has no influence: no bag of words can be
    closer to the teacher, but for the ridge.

    Raises an InputError where there are not as many targets as texts, or the ridge is not above 0.
    """
    if len(pieces) != len(targets):
        raise InputError(f"{len(pieces)} texts, but targets for {len(targets)}")
    if not ridge > 0:
        raise InputError(f"ridge must be above 0, not {ridge!r}")
    rows = [row for row, ids in enumerate(pieces) for _ in ids]
    places = torch.tensor([rows, [piece for ids in pieces for piece in ids]])  # [2, pieces]
    shares = torch.tensor([1 / len(ids) for ids in pieces for _ in ids])  # [pieces]
    shape = (len(pieces), vocab_size)
    bags = torch.sparse_coo_tensor(places, shares, shape, check_invariants=True).coalesce()
    columns = bags.t().coalesce()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        gram = torch.sparse.mm(columns, bags).to_dense()  # [V, V]
    gram.diagonal().add_(ridge)
    return torch.cholesky_solve(
        torch.sparse.mm(columns, targets.float()), torch.linalg.cholesky(gram)
    )  # [V, K]


@torch.no_grad()
def start_from_bag(model: BertModel, table: Tensor) -> None:
    """Make a pre-norm model compute the bag of word pieces of a table [V, H - 2].

    Its word table becomes the table; segments and positions become 0, but for the last two
    dimensions, where a large constant and its negative keep the mean and the variance of every
    token about the same: the LayerNorms then hardly change the vectors' proportions. The layers are
    fresh, and the last maps of their residual branches are 0, so that at first the layers change
    nothing (as in Goyal et al. 2017, section 5.1).

    Raises an InputError for a post-norm model, whose layers would change the vectors whatever their
    weights, and for a table of another shape.
    """
    config = model.config
    if not config.norm_first:
        raise InputError(
            "a bag of words is a start for pre-norm models only, and the trunk has post-norm layers"
        )
    width = config.hidden_size - CONSTANT
    if table.shape != (config.vocab_size, width):
        raise InputError(
            f"the table has the shape {list(table.shape)}, expected {[config.vocab_size, width]}"
        )
    for module in model.encoder.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=config.initializer_range)
            nn.init.zeros_(module.bias)
    for module in model.modules():
        if isinstance(module, nn.LayerNorm):
            module.reset_parameters()
    for layer in model.encoder.layer:
        assert isinstance(layer, BertLayer)
        nn.init.zeros_(layer.attention.output.dense.weight)
        nn.init.zeros_(layer.output.dense.weight)
    embeddings = model.embeddings
    for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        part = getattr(embeddings, name, None)  # there may be no positions, or computed ones
        if isinstance(part, nn.Embedding):
            part.weight.zero_()
    embeddings.word_embeddings.weight[:, :width] = table
    constant = (config.hidden_size / 2) ** 0.5  # a standard deviation of about 1 in every token
    embeddings.token_type_embeddings.weight[:, width] = constant
    embeddings.token_type_embeddings.weight[:, width + 1] = -constant
    model.encoder.norm.weight[width:] = 0  # the constant is no part of the vectors
