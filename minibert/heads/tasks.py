"""The heads that a pretrained BERT is fine-tuned with.

Classification of texts and tokens, questions, choices.
"""

import math

import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig, InputError
from minibert.heads.base import BertWithHead, HeadOutputs, check_label_shape, class_loss, rows
from minibert.model import BertModel, BertOutputs, BertPreTrainedModel, model_outputs


@model_outputs
class QuestionAnsweringOutputs:
    """What BertForQuestionAnswering returns."""

    loss: Tensor | None  # mean of the losses of start and end, a scalar
    start_logits: Tensor  # [B, S]
    end_logits: Tensor  # [B, S]
    hidden_states: list[Tensor] | None = None  # L + 1 times [B, S, H]
    attentions: list[Tensor] | None = None  # L times [B, A, S, S]


class BertForSequenceClassification(BertWithHead):
    """A linear classifier on the pooled [CLS] vector.

    With one class, a regression (mean squared error).

    Labels (B): class ids, or real numbers where there is one class. Logits (B × classes).
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.dropout = classifier_dropout(config)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.initialize_weights()

    def logits(self, out: BertOutputs) -> Tensor:
        return self.classifier(self.dropout(out.pooler_output))  # [B, classes]

    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        if self.config.num_labels > 1:
            return class_loss(logits, labels)
        check_label_shape("labels", labels, logits.shape[:1])
        return F.mse_loss(logits[:, 0], labels.to(logits.dtype))


class BertForTokenClassification(BertWithHead):
    """A linear classifier on every token's vector; no pooler.

    Labels (B × S): class ids, -100 where a token is not to be scored. Logits (B × S × classes).
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config, add_pooling_layer=False)
        self.dropout = classifier_dropout(config)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.initialize_weights()

    def logits(self, out: BertOutputs) -> Tensor:
        return self.classifier(self.dropout(out.last_hidden_state))  # [B, S, classes]


class BertForQuestionAnswering(BertPreTrainedModel):
    """Scores every token as the start and the end of an answer; no pooler.

    Devlin et al. 2018, section 4.2.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.qa_outputs = nn.Linear(config.hidden_size, 2)
        self.initialize_weights()

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
        start_positions: Tensor | None = None,
        end_positions: Tensor | None = None,
    ) -> QuestionAnsweringOutputs:
        """As BertModel, plus `start_positions` and `end_positions` [B].

        Indices of tokens, -100 = not in this window.

        The loss is the mean of both cross-entropies over the positions.
        """
        out = self.bert(
            input_ids,
            token_type_ids=token_type_ids,
            attention_mask=attention_mask,
            position_ids=position_ids,
            inputs_embeds=inputs_embeds,
            output_attentions=output_attentions,
            output_hidden_states=output_hidden_states,
        )
        start, end = self.qa_outputs(out.last_hidden_state).unbind(dim=-1)  # [B, S], [B, S]
        if (start_positions is None) != (end_positions is None):
            raise InputError("start_positions and end_positions go together: give both or neither")
        loss = None
        if start_positions is not None and end_positions is not None:
            start_loss = class_loss(start, start_positions, "start_positions")
            loss = (start_loss + class_loss(end, end_positions, "end_positions")) / 2
        return QuestionAnsweringOutputs(loss, start, end, out.hidden_states, out.attentions)


class BertForMultipleChoice(BertWithHead):
    """Scores each of several choices, every one a sequence of its own.

    The softmax runs over the choices.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.dropout = classifier_dropout(config)
        self.classifier = nn.Linear(config.hidden_size, 1)
        self.initialize_weights()

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
        """As BertModel, for the choices of every row; plus `labels` [B], the right choice.

        input_ids, token_type_ids and position_ids are (B × choices × S), attention_mask
        (B × choices × S) or (B × choices × S × S); inputs_embeds has H numbers for each of the ids.
        Logits [B, choices].

        A choice that attention_mask hides completely gets the logit -inf: it cannot win, and has no
        share in the softmax. Hidden states and attentions are returned with B · choices rows.
        """
        given = input_ids if input_ids is not None else inputs_embeds
        if isinstance(input_ids, Tensor) and input_ids.dim() != 3:
            raise InputError(
                "input_ids must have the shape [batch, choices, tokens], "
                f"not {list(input_ids.shape)}"
            )
        out = self.bert(
            rows(input_ids, given),
            token_type_ids=rows(token_type_ids, given),
            attention_mask=rows(attention_mask, given),
            position_ids=rows(position_ids, given),
            inputs_embeds=rows(inputs_embeds, given),
            output_attentions=output_attentions,
            output_hidden_states=output_hidden_states,
        )
        assert given is not None  # or self.bert would have raised
        scores = self.logits(out).view(given.shape[:2])  # [B, choices]
        if attention_mask is not None:
            hidden = ~attention_mask.flatten(2).any(-1)  # [B, choices]
            scores = scores.masked_fill(hidden, -math.inf)  # [B, choices]
        loss = self.loss(scores, labels) if labels is not None else None
        return HeadOutputs(loss, scores, out.hidden_states, out.attentions)

    def logits(self, out: BertOutputs) -> Tensor:
        return self.classifier(self.dropout(out.pooler_output))  # [B · choices, 1]


def classifier_dropout(config: BertConfig) -> nn.Dropout:
    rate = config.classifier_dropout
    return nn.Dropout(config.hidden_dropout_prob if rate is None else rate)
