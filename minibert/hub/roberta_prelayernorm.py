"""Pre-norm models in files: what `transformers` calls RobertaPreLayerNorm is our BERT with
norm_first, under other names.

Its layers, its closing norm, its pooler and its heads compute what ours compute. What differs
stands in the file:

- Positions. The reference counts them from pad_token_id + 1 on. Its table has so many rows in front
  that no word stands at, and its max_position_embeddings counts them too; ours is the longest
  sequence. Padding gets the row of the padding token, so only the vectors *at* padding differ,
  which nobody reads.
- The classifier of a sequence has the pooler inside (`classifier.dense`, `classifier.out_proj`). In
  training the reference drops out once more, in front of it.
- The masked-word head uses the exact GELU there, whatever hidden_act says. With another activation
  it has no counterpart.
- The reference has no next-sentence head and no sentence head of a summarizer. Ours stay in the
  file, and it leaves them unread.
"""

from typing import Any

import torch
from torch import Tensor

from minibert.config import PRE_NORM_TYPE, BertConfig, unused_positions
from minibert.hub.safetensors_io import weights_of
from minibert.model import BertModel, BertPreTrainedModel

POSITIONS = "bert.embeddings.position_embeddings.weight"

# The reference's class for each head that it has too.
COUNTERPARTS = {
    "BertForPreTraining": "RobertaPreLayerNormForMaskedLM",
    "BertForMaskedLM": "RobertaPreLayerNormForMaskedLM",
    "BertForSequenceClassification": "RobertaPreLayerNormForSequenceClassification",
    "BertForTokenClassification": "RobertaPreLayerNormForTokenClassification",
    "BertForQuestionAnswering": "RobertaPreLayerNormForQuestionAnswering",
    "BertForMultipleChoice": "RobertaPreLayerNormForMultipleChoice",
}

# Beginnings of names, ours and the reference's, where they differ.
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
    """What the reference's form cannot hold of a pre-norm model, None where it holds its body and
    its masked-word head.
    """
    config = model.config
    if (
        config.norm_first
        and config.hidden_act != "gelu"
        and hasattr(getattr(model, "cls", None), "predictions")
    ):
        return f"norm_first=True and a masked-word head with hidden_act={config.hidden_act!r}"
    return None


def reference_config(model: BertPreTrainedModel) -> dict[str, Any]:
    """The entries of config.json that make `transformers` build the same model.

    Our class stands second in `architectures`.
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
    """A pre-norm model's tensors under the reference's names, the unused positions as rows of
    zeros.
    """
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
    """What a tensor of the reference is called here, with `bert.` before the body.

    Other names stay as they are.
    """
    if name.startswith(("embeddings.", "encoder.", "LayerNorm.", "pooler.")):
        name = "roberta_prelayernorm." + name
    return _renamed(name, [(theirs, ours) for ours, theirs in _pairs(config, True)])


def our_positions(table: Tensor, config: BertConfig) -> Tensor:
    """The rows of the reference's position table that words stand at.

    [unused + positions, H] -> [positions, H].
    """
    return table[unused_positions(config.pad_token_id) :]  # [positions, H]


def _kinds(model: BertPreTrainedModel) -> list[str]:
    """The names of a model's class and of those that it is made from, the nearest first."""
    return [kind.__name__ for kind in type(model).__mro__]


def _pairs(config: BertConfig, classifier: bool) -> list[tuple[str, str]]:
    """Of two that fit a name the first one counts."""
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
