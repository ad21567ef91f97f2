"""What the heads share: their outputs, the loss over classes, and the forward pass of a model with
one head.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.config import IGNORE, BertConfig, InputError
from minibert.embeddings import check_device, values_are_readable
from minibert.model import BertModel, BertOutputs, BertPreTrainedModel, model_outputs

# dtypes of labels: all whole numbers that fit into int64
WHOLE: tuple[torch.dtype, ...] = (torch.int64, torch.int32, torch.int16, torch.int8, torch.bool)
WHOLE += (torch.uint8, torch.uint16, torch.uint32)


@model_outputs
class HeadOutputs:
    """What a model with one head returns."""

    loss: Tensor | None  # a scalar
    logits: Tensor  # [B, classes] or [B, S, classes] or [B, choices]
    hidden_states: list[Tensor] | None = None  # L + 1 times [B, S, H] or [B · choices, S, H]
    attentions: list[Tensor] | None = None  # L times [B, A, S, S] or [B · choices, A, S, S]


class BertWithHead(BertPreTrainedModel):
    """BERT with one head, whose `logits` a class made from this one defines."""

    def __init__(self, config: BertConfig, add_pooling_layer: bool = True) -> None:
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer)

    def forward(
        self,
        input_ids: Tensor | None = None,
        *,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
        labels: Tensor | None = None,
    ) -> HeadOutputs:
        """As BertModel, plus `labels`, which the class describes."""
        out = self.bert(
            input_ids,
            token_type_ids=token_type_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            inputs_embeds=inputs_embeds,
            output_attentions=output_attentions,
            output_hidden_states=output_hidden_states,
        )
        logits = self.logits(out)  # [B, classes] or [B, S, classes]
        check_device(logits.device, labels=labels)
        loss = self.loss(logits, labels) if labels is not None else None
        return HeadOutputs(loss, logits, out.hidden_states, out.attentions)

    def logits(self, out: BertOutputs) -> Tensor:
        """The head's scores for BERT's outputs."""
        raise NotImplementedError

    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Mean cross-entropy over the labels that are not -100, a scalar."""
        return class_loss(logits, labels)


def rows(inputs: Tensor | None, given: Tensor | None) -> Tensor | None:
    """Several texts for each row as rows of their own: [B, choices, …] -> [B · choices, …].

    Raises an InputError unless the shape begins with the B and choices of `given`, the ids.
    """
    if not isinstance(inputs, Tensor) or not isinstance(given, Tensor):
        return inputs
    if inputs.dim() < 3 or inputs.shape[:2] != given.shape[:2]:
        raise InputError(f"all inputs have one shape [batch, texts, …], not {list(inputs.shape)}")
    return inputs.flatten(0, 1)  # [B · choices, …]


def class_loss(logits: Tensor, labels: Tensor, name: str = "labels") -> Tensor:
    """Mean cross-entropy of logits [..., classes] against labels [...] but for -100; a scalar.

    Where every label is -100 the loss is 0 (a mean of nothing would be NaN). Raises an InputError
    for labels of another shape, outside the classes, or not whole numbers.
    """
    check_label_shape(name, labels, logits.shape[:-1])
    check_device(logits.device, **{name: labels})
    labels = whole_labels(name, labels)  # [...]
    check_classes(name, labels, logits.size(-1))
    counted = labels != IGNORE  # [...]
    total = F.cross_entropy(
        logits.flatten(0, -2), labels.flatten().long(), ignore_index=IGNORE, reduction="sum"
    )
    return total / counted.sum().clamp(min=1)


def whole_labels(name: str, labels: Tensor) -> Tensor:
    """The labels as int64: in eight bits without a sign, -100 and 156 would be one number.

    Raises an InputError for labels that are not whole numbers.
    """
    if labels.dtype not in WHOLE:
        raise InputError(f"{name} must be whole numbers, not {labels.dtype}")
    return labels.long()  # [...]


def check_classes(name: str, labels: Tensor, classes: int) -> None:
    """Raise an InputError for labels that are neither a class nor -100."""
    labels = whole_labels(name, labels)  # [...]
    wrong = (labels != IGNORE) & ((labels < 0) | (labels >= classes))  # [...]
    if values_are_readable(wrong) and wrong.any():
        raise InputError(
            f"{name} must lie between 0 and {classes - 1}, or be {IGNORE} where nothing is "
            f"predicted, but one is {int(labels[wrong][0])}"
        )


def check_label_shape(name: str, labels: Tensor, shape: torch.Size) -> None:
    if not isinstance(labels, Tensor):
        raise InputError(f"{name} must be a tensor, not a {type(labels).__name__}")
    if labels.shape != shape:
        raise InputError(f"{name} must have the shape {list(shape)}, not {list(labels.shape)}")
