"""From ids to vectors: token, segment and position embeddings, added and normalised."""

import torch
from torch import Tensor, nn

from minibert.config import BertConfig, InputError
from minibert.positions import SinusoidalPositions


class BertEmbeddings(nn.Module):
    """One vector per token: the sum of what it is, which segment it is in, and where it is.

    Devlin et al. 2018, figure 2: E = E_token + E_segment + E_position. The original program then
    applies LayerNorm and dropout (google-research/bert, modeling.py, `embedding_postprocessor`);
    the paper does not say so.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        # padding_idx keeps the padding row at zero: it gets no gradient from the lookup (as in the
        # reference)
        self.word_embeddings = nn.Embedding(
            config.vocab_size, config.hidden_size, padding_idx=config.pad_token_id
        )
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, config.hidden_size)
        if config.position_embedding_type != "none":
            positions = {"absolute": nn.Embedding, "sinusoidal": SinusoidalPositions}
            self.position_embeddings = positions[config.position_embedding_type](
                config.max_position_embeddings, config.hidden_size
            )
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(
        self,
        input_ids: Tensor | None = None,
        *,
        token_type_ids: Tensor | None = None,
        position_ids: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
    ) -> Tensor:
        """input_ids [B, S], or word vectors as inputs_embeds [B, S, H] -> vectors [B, S, H].

        `token_type_ids` [B, S] are 0 everywhere by default, `position_ids` [B, S] or [1, S] count
        0, 1, 2, ….
        """
        words = (
            self.word_embeddings(input_ids) if inputs_embeds is None else inputs_embeds
        )  # [B, S, H]
        if token_type_ids is None:
            token_type_ids = torch.zeros_like(words[..., 0], dtype=torch.long)  # [B, S]
        embeddings = words + self.token_type_embeddings(token_type_ids)  # [B, S, H]
        if self.config.position_embedding_type != "none":
            if position_ids is None:
                position_ids = torch.arange(words.size(1), device=words.device)[None]  # [1, S]
            embeddings = embeddings + self.position_embeddings(position_ids)  # [B, S, H]
        return self.dropout(self.LayerNorm(embeddings))  # [B, S, H]


def check_inputs(
    config: BertConfig,
    input_ids: Tensor | None,
    token_type_ids: Tensor | None = None,
    position_ids: Tensor | None = None,
    inputs_embeds: Tensor | None = None,
) -> None:
    """Raise an InputError, with the numbers in it, for ids that the tables of a BertEmbeddings do
    not have.
    """
    if (input_ids is None) == (inputs_embeds is None):
        raise InputError("give input_ids or inputs_embeds: one of the two, not both")
    for value in (input_ids, token_type_ids, position_ids, inputs_embeds):
        if value is not None and not isinstance(value, Tensor):
            raise InputError(f"a model takes tensors, not a {type(value).__name__}")
    if input_ids is not None:
        if input_ids.dim() != 2 or input_ids.numel() == 0:
            raise InputError(
                "input_ids must have the shape [batch, tokens], both at least 1, "
                f"not {list(input_ids.shape)}"
            )
        _check_range("input_ids", input_ids, config.vocab_size, "vocab_size")
        shape = list(input_ids.shape)
    elif inputs_embeds is not None:
        if inputs_embeds.dim() != 3 or inputs_embeds.numel() == 0:
            raise InputError(
                "inputs_embeds must have the shape [batch, tokens, hidden], all at least 1, "
                f"not {list(inputs_embeds.shape)}"
            )
        if inputs_embeds.size(-1) != config.hidden_size:
            raise InputError(
                f"inputs_embeds holds vectors of {inputs_embeds.size(-1)} numbers; "
                f"hidden_size is {config.hidden_size}"
            )
        shape = list(inputs_embeds.shape[:2])
    positions = config.max_position_embeddings
    if shape[1] > positions and position_ids is None and config.position_embedding_type != "none":
        raise InputError(
            f"a sequence of {shape[1]} tokens is longer than max_position_embeddings "
            f"{positions}: truncate it"
        )
    if token_type_ids is not None:
        _check_shape("token_type_ids", token_type_ids, [shape])
        _check_range("token_type_ids", token_type_ids, config.type_vocab_size, "type_vocab_size")
    if position_ids is not None:
        _check_shape("position_ids", position_ids, [shape, [1, shape[1]]])
        _check_range("position_ids", position_ids, positions, "max_position_embeddings")


def check_device(device: torch.device, **inputs: Tensor | None) -> None:
    """Raise an InputError for a tensor that is on another device."""
    for name, tensor in inputs.items():
        if isinstance(tensor, Tensor) and tensor.device != device:
            raise InputError(
                f"{name} is on the device {tensor.device}, but expected on {device}, "
                "where the model is"
            )


def values_are_readable(tensor: Tensor) -> bool:
    """Whether a check may read the values of a tensor.

    torch.compile, torch.export, torch.jit.trace and torch.onnx.export record a forward pass for
    inputs that come later: reading a value would cut the recording in two, or fail. On the device
    "meta" a tensor has a shape and no values.
    """
    return not (tensor.is_meta or torch.compiler.is_compiling() or is_traced())


def is_traced() -> bool:
    """Whether torch.jit.trace is recording, which the exporter to ONNX without dynamo uses too."""
    return bool(torch.jit.is_tracing())  # type: ignore[attr-defined, no-untyped-call]


def _check_shape(name: str, ids: Tensor, allowed: list[list[int]]) -> None:
    if list(ids.shape) not in allowed:
        raise InputError(
            f"{name} must have the shape {' or '.join(map(str, allowed))}, not {list(ids.shape)}"
        )


def _check_range(name: str, ids: Tensor, rows: int, limit: str) -> None:
    if ids.dtype not in (torch.int64, torch.int32):
        raise InputError(f"{name} must be whole numbers of dtype int64 or int32, not {ids.dtype}")
    if not values_are_readable(ids):
        return
    low, high = int(ids.min()), int(ids.max())
    if low < 0 or high >= rows:
        raise InputError(
            f"{name} must lie between 0 and {rows - 1} ({limit} is {rows}), "
            f"but they go from {low} to {high}"
        )
