"""Read and write pre-norm models in the format of RobertaPreLayerNorm in `transformers`.

RobertaPreLayerNorm (below: the reference) is our BERT with norm_first, with other tensor names. Its
layers, final norm, pooler and heads compute the same as ours. These are the differences:

- Positions. The reference counts them from pad_token_id + 1, so the first rows of its table belong
  to no token, and its max_position_embeddings includes them; ours is the length of the longest
  sequence. The reference gives padding tokens the row of the padding token, so only the vectors at
  padding positions differ, and these are not used.
- Its sequence classifier contains the pooler (`classifier.dense`, `classifier.out_proj`). In
  training, the reference applies dropout once more, before it.
- Its MLM head always uses the exact GELU and ignores hidden_act. A model with another activation
  and an MLM head has no counterpart.
- The reference has no NSP head and no summarization head. Ours are saved in the file, and the
  reference does not read them.
"""

from typing import Any

import torch
from torch import Tensor

from minibert.config import PRE_NORM_TYPE, BertConfig, unused_positions
from minibert.hub.safetensors_io import weights_of
from minibert.model import BertModel, BertPreTrainedModel

POSITIONS = "bert.embeddings.position_embeddings.weight"

# The reference's class for each of our classes whose head it has as well.
COUNTERPARTS = {
    "BertForPreTraining": "RobertaPreLayerNormForMaskedLM",
    "BertForMaskedLM": "RobertaPreLayerNormForMaskedLM",
    "BertForSequenceClassification": "RobertaPreLayerNormForSequenceClassification",
    "BertForTokenClassification": "RobertaPreLayerNormForTokenClassification",
    "BertForQuestionAnswering": "RobertaPreLayerNormForQuestionAnswering",
    "BertForMultipleChoice": "RobertaPreLayerNormForMultipleChoice",
}

# Prefixes of tensor names that differ: ours, then the reference's.
CLASSIFIER = (("bert.pooler.dense.", "classifier.dense."), ("classifier.", "classifier.out_proj."))
HEADS = (
    ("cls.predictions.transform.dense.", "lm_head.dense."),
    ("cls.predictions.transform.LayerNorm.", "lm_head.layer_norm."),
    ("cls.predictions.", "lm_head."),
)
BODY = (
    ("bert.encoder.norm.", "roberta_prelayernorm.LayerNorm."),
    ("bert.", "roberta_prelayernorm."),
)


def without_counterpart(model: BertPreTrainedModel) -> str | None:
    """Describe what the reference cannot represent in a model; None if it can represent it."""
    config = model.config
    if (
        config.norm_first
        and config.hidden_act != "gelu"
        and hasattr(getattr(model, "cls", None), "predictions")
    ):
        return f"norm_first=True and an MLM head with hidden_act={config.hidden_act!r}"
    return None


def reference_config(model: BertPreTrainedModel) -> dict[str, Any]:
    """The entries of config.json with which `transformers` builds the same model.

    Our class is the second entry of `architectures`.
    """
    config = model.config
    theirs = next(
        (COUNTERPARTS[kind] for kind in _kinds(model) if kind in COUNTERPARTS),
        "RobertaPreLayerNormModel",
    )
    return {
        "model_type": PRE_NORM_TYPE,
        "architectures": [theirs, type(model).__name__],
        "max_position_embeddings": config.max_position_embeddings
        + unused_positions(config.pad_token_id),
    }


def to_reference(model: BertPreTrainedModel) -> dict[str, Tensor]:
    """A pre-norm model's tensors with the reference's names; unused positions get rows of zeros."""
    bare = isinstance(model, BertModel)
    tensors = {"bert." * bare + name: tensor for name, tensor in weights_of(model).items()}
    table = tensors[POSITIONS]  # [positions, H]
    unused = table.new_zeros(
        unused_positions(model.config.pad_token_id), table.size(1)
    )  # [unused, H]
    tensors[POSITIONS] = torch.cat((unused, table))  # [unused + positions, H]
    pairs = _pairs(model.config, "BertForSequenceClassification" in _kinds(model))
    renamed = {_renamed(name, pairs): tensor for name, tensor in tensors.items()}
    return (
        {name.removeprefix("roberta_prelayernorm."): tensor for name, tensor in renamed.items()}
        if bare
        else renamed
    )


def our_name(name: str, config: BertConfig) -> str:
    """Our name for a tensor of the reference, with the prefix `bert.` for the encoder.

    Unknown names are returned unchanged.
    """
    if name.startswith(("embeddings.", "encoder.", "LayerNorm.", "pooler.")):
        name = "roberta_prelayernorm." + name
    return _renamed(name, [(theirs, ours) for ours, theirs in _pairs(config, True)])


def our_positions(table: Tensor, config: BertConfig) -> Tensor:
    """The rows of the reference's position table that belong to tokens.

    [unused + positions, H] -> [positions, H].
    """
    return table[unused_positions(config.pad_token_id) :]  # [positions, H]


def _kinds(model: BertPreTrainedModel) -> list[str]:
    """The names of a model's class and its base classes, in Python's method resolution order."""
    return [kind.__name__ for kind in type(model).__mro__]


def _pairs(config: BertConfig, classifier: bool) -> list[tuple[str, str]]:
    """Prefixes of tensor names, ours and the reference's; the first match applies."""
    layers = [
        (f"bert.encoder.layer.{n}.{ours}", f"roberta_prelayernorm.encoder.layer.{n}.{theirs}")
        for n in range(config.num_hidden_layers)
        for ours, theirs in (
            ("attention.output.LayerNorm.", "attention.LayerNorm."),
            ("output.LayerNorm.", "intermediate.LayerNorm."),
        )
    ]
    return [*(CLASSIFIER if classifier else ()), *HEADS, *layers, *BODY]


def _renamed(name: str, pairs: list[tuple[str, str]]) -> str:
    return next((new + name.removeprefix(old) for old, new in pairs if name.startswith(old)), name)
