"""Task heads: what stands on top of BERT to make it predict something.

Every model here has its BertModel as `.bert`, takes BertModel's arguments (`inputs`) plus labels by name, and returns
a small dataclass whose loss is None where no labels were given. A label of -100 is never counted.
"""

import math
from dataclasses import dataclass

import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.encoder import ACTIVATIONS
from minibert.model import BertModel, BertOutputs, BertPreTrainedModel

IGNORE = -100       # "no prediction here"; an index of its own, so that no class and no token is lost


@dataclass
class HeadOutputs:
    """What a model with one head gives back."""

    loss: Tensor | None                              # a scalar
    logits: Tensor                                   # [B, classes] or [B, S, classes] or [B, choices]
    hidden_states: list[Tensor] | None = None        # L + 1 times [B, S, H] or [B · choices, S, H]
    attentions: list[Tensor] | None = None           # L times [B, A, S, S] or [B · choices, A, S, S]


@dataclass
class PreTrainingOutputs:
    """What BertForPreTraining gives back."""

    loss: Tensor | None                              # masked words plus next sentence, a scalar
    prediction_logits: Tensor                        # [B, S, V]
    seq_relationship_logits: Tensor                  # [B, 2]
    hidden_states: list[Tensor] | None = None        # L + 1 times [B, S, H]
    attentions: list[Tensor] | None = None           # L times [B, A, S, S]


@dataclass
class QuestionAnsweringOutputs:
    """What BertForQuestionAnswering gives back."""

    loss: Tensor | None                              # mean of the losses of start and end, a scalar
    start_logits: Tensor                             # [B, S]
    end_logits: Tensor                               # [B, S]
    hidden_states: list[Tensor] | None = None        # L + 1 times [B, S, H]
    attentions: list[Tensor] | None = None           # L times [B, A, S, S]


class PredictionTransform(nn.Module):
    """Prepares a hidden state for the word table: linear map, activation, LayerNorm; [B, S, H] or [M, H] -> [B, S, H] or [M, H]."""

    def __init__(self, config: BertConfig):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = ACTIVATIONS[config.hidden_act]
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, hidden: Tensor) -> Tensor:
        """hidden [B, S, H], or [M, H] at the masked words only -> [B, S, H] or [M, H]."""
        return self.LayerNorm(self.activation(self.dense(hidden)))      # [B, S, H] or [M, H]


class MaskedWordHead(nn.Module):
    """Scores every word of the vocabulary at every position.

    The decoder is the word table itself (Press & Wolf 2016): logits = transform(h) E^T + b. The table is handed in,
    so there is one tensor only and nothing that could come untied.
    """

    def __init__(self, config: BertConfig):
        super().__init__()
        self.transform = PredictionTransform(config)
        self.bias = nn.Parameter(self.transform.dense.bias.new_zeros(config.vocab_size))    # [V]

    def forward(self, hidden: Tensor, word_table: Tensor) -> Tensor:
        """hidden [B, S, H], or [M, H] at the masked words only, word_table [V, H] -> logits [B, S, V] or [M, V]."""
        return F.linear(self.transform(hidden), word_table, self.bias)  # [B, S, V] or [M, V]


class PreTrainingHeads(nn.Module):
    """The heads that BERT was pretrained with: masked words (`predictions`) and next sentence (`seq_relationship`)."""

    def __init__(self, config: BertConfig, masked_words: bool = True, next_sentence: bool = True):
        super().__init__()
        if masked_words:
            self.predictions = MaskedWordHead(config)
        if next_sentence:
            self.seq_relationship = nn.Linear(config.hidden_size, 2)


class BertForPreTraining(BertPreTrainedModel):
    """BERT with both heads of its pretraining (Devlin et al. 2018, section 3.1)."""

    def __init__(self, config: BertConfig):
        super().__init__(config)
        self.bert = BertModel(config)
        self.cls = PreTrainingHeads(config)
        self.initialize_weights()

    def forward(self, *inputs, labels: Tensor | None = None, next_sentence_label: Tensor | None = None, **more_inputs) -> PreTrainingOutputs:
        """As BertModel, plus `labels` [B, S] (the hidden words' ids, -100 elsewhere) and
        `next_sentence_label` [B] (0 = the second text follows the first, 1 = it is a random one, as in the original).

        The loss is the sum of the two mean losses, of one where only one kind of label is given.
        """
        out = self.bert(*inputs, **more_inputs)
        words = self.cls.predictions(out.last_hidden_state, self.bert.embeddings.word_embeddings.weight)    # [B, S, V]
        follows = self.cls.seq_relationship(out.pooler_output)                                              # [B, 2]
        losses = [class_loss(logits, target, name)
                  for logits, target, name in ((words, labels, "labels"), (follows, next_sentence_label, "next_sentence_label"))
                  if target is not None]
        return PreTrainingOutputs(sum(losses) if losses else None, words, follows, out.hidden_states, out.attentions)


class BertForMaskedLM(BertPreTrainedModel):
    """BERT that fills masked words; no pooler, as in the reference."""

    def __init__(self, config: BertConfig):
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.cls = PreTrainingHeads(config, next_sentence=False)
        self.initialize_weights()

    def forward(self, *inputs, labels: Tensor | None = None, **more_inputs) -> HeadOutputs:
        """As BertModel, plus `labels` [B, S]: the hidden words' ids, -100 elsewhere. Logits [B, S, V]."""
        out = self.bert(*inputs, **more_inputs)
        logits = self.cls.predictions(out.last_hidden_state, self.bert.embeddings.word_embeddings.weight)   # [B, S, V]
        return _head_outputs(out, logits, labels)


class BertForNextSentencePrediction(BertPreTrainedModel):
    """BERT that says whether a second text follows the first: class 0 = it does, class 1 = it is a random one."""

    def __init__(self, config: BertConfig):
        super().__init__(config)
        self.bert = BertModel(config)
        self.cls = PreTrainingHeads(config, masked_words=False)
        self.initialize_weights()

    def forward(self, *inputs, labels: Tensor | None = None, **more_inputs) -> HeadOutputs:
        """As BertModel, plus `labels` [B]. Logits [B, 2]."""
        out = self.bert(*inputs, **more_inputs)
        return _head_outputs(out, self.cls.seq_relationship(out.pooler_output), labels)


class BertForSequenceClassification(BertPreTrainedModel):
    """A linear classifier on the pooled [CLS] vector; with one class, a regression (mean squared error)."""

    def __init__(self, config: BertConfig):
        super().__init__(config)
        self.bert = BertModel(config)
        self.dropout = _classifier_dropout(config)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.initialize_weights()

    def forward(self, *inputs, labels: Tensor | None = None, **more_inputs) -> HeadOutputs:
        """As BertModel, plus `labels` [B]: class ids, or real numbers where there is one class. Logits [B, classes]."""
        out = self.bert(*inputs, **more_inputs)
        logits = self.classifier(self.dropout(out.pooler_output))       # [B, classes]
        if self.config.num_labels > 1 or labels is None:
            return _head_outputs(out, logits, labels)
        if labels.shape != logits.shape[:1]:
            raise ValueError(f"labels must have the shape {list(logits.shape[:1])}, not {list(labels.shape)}")
        loss = F.mse_loss(logits[:, 0], labels.to(logits.dtype))
        return HeadOutputs(loss, logits, out.hidden_states, out.attentions)


class BertForTokenClassification(BertPreTrainedModel):
    """A linear classifier on every token's vector; no pooler."""

    def __init__(self, config: BertConfig):
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.dropout = _classifier_dropout(config)
        self.classifier = nn.Linear(config.hidden_size, config.num_labels)
        self.initialize_weights()

    def forward(self, *inputs, labels: Tensor | None = None, **more_inputs) -> HeadOutputs:
        """As BertModel, plus `labels` [B, S]: class ids, -100 where a token is not to be scored. Logits [B, S, classes]."""
        out = self.bert(*inputs, **more_inputs)
        return _head_outputs(out, self.classifier(self.dropout(out.last_hidden_state)), labels)


class BertForQuestionAnswering(BertPreTrainedModel):
    """Scores every token as the start and as the end of an answer (Devlin et al. 2018, section 4.2); no pooler."""

    def __init__(self, config: BertConfig):
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)
        self.qa_outputs = nn.Linear(config.hidden_size, 2)
        self.initialize_weights()

    def forward(self, *inputs, start_positions: Tensor | None = None, end_positions: Tensor | None = None, **more_inputs) -> QuestionAnsweringOutputs:
        """As BertModel, plus `start_positions` and `end_positions` [B]: indices of tokens, -100 = not in this window.

        The loss is the mean of both cross-entropies over the positions.
        """
        if (start_positions is None) != (end_positions is None):
            raise ValueError("start_positions and end_positions go together: give both or neither")
        out = self.bert(*inputs, **more_inputs)
        start, end = self.qa_outputs(out.last_hidden_state).unbind(dim=-1)      # [B, S], [B, S]
        loss = None
        if start_positions is not None:
            loss = (class_loss(start, start_positions, "start_positions") + class_loss(end, end_positions, "end_positions")) / 2
        return QuestionAnsweringOutputs(loss, start, end, out.hidden_states, out.attentions)


class BertForMultipleChoice(BertPreTrainedModel):
    """Scores each of several choices, every one a sequence of its own; the softmax runs over the choices."""

    def __init__(self, config: BertConfig):
        super().__init__(config)
        self.bert = BertModel(config)
        self.dropout = _classifier_dropout(config)
        self.classifier = nn.Linear(config.hidden_size, 1)
        self.initialize_weights()

    def forward(self, input_ids: Tensor, token_type_ids: Tensor | None = None, attention_mask: Tensor | None = None,
                position_ids: Tensor | None = None, output_attentions: bool = False, output_hidden_states: bool = False,
                *, labels: Tensor | None = None) -> HeadOutputs:
        """As BertModel, but input_ids, token_type_ids and position_ids [B, choices, S], attention_mask [B, choices, S] or
        [B, choices, S, S]; plus `labels` [B], the right choice. Logits [B, choices].

        A choice of which attention_mask leaves nothing is no choice: its logit is -inf, it can neither win nor take a share.
        Hidden states and attentions come back with B · choices rows.
        """
        if input_ids.dim() != 3:
            raise ValueError(f"input_ids must have the shape [batch, choices, tokens], not {list(input_ids.shape)}")
        flat = [x.flatten(0, 1) if x is not None else None                      # [B · choices, S] or [B · choices, S, S] each
                for x in (input_ids, token_type_ids, attention_mask, position_ids)]
        out = self.bert(*flat, output_attentions, output_hidden_states)
        scores = self.classifier(self.dropout(out.pooler_output)).view(input_ids.shape[:2])      # [B, choices]
        if attention_mask is not None:
            scores = scores.masked_fill(~attention_mask.flatten(2).any(-1), -math.inf)           # [B, choices]
        return _head_outputs(out, scores, labels)


def class_loss(logits: Tensor, labels: Tensor, name: str = "labels") -> Tensor:
    """Mean cross-entropy of logits [..., classes] against labels [...] over the labels that are not -100; a scalar.

    Where every label is -100 there is nothing to predict and the loss is 0 (a mean of nothing would be NaN).
    Errors: a ValueError for labels of another shape, outside the classes, or not whole numbers.
    """
    classes = logits.size(-1)
    if labels.shape != logits.shape[:-1]:
        raise ValueError(f"{name} must have the shape {list(logits.shape[:-1])}, not {list(labels.shape)}")
    if labels.is_floating_point():
        raise ValueError(f"{name} must be whole numbers, not {labels.dtype}")
    counted = labels != IGNORE                                                  # [...]
    wrong = counted & ((labels < 0) | (labels >= classes))                      # [...]
    if wrong.any():
        raise ValueError(f"{name} must lie between 0 and {classes - 1}, or be {IGNORE} where nothing is predicted, "
                         f"but one is {int(labels[wrong][0])}")
    total = F.cross_entropy(logits.flatten(0, -2), labels.flatten().long(), ignore_index=IGNORE, reduction="sum")
    return total / counted.sum().clamp(min=1)


def _head_outputs(out: BertOutputs, logits: Tensor, labels: Tensor | None) -> HeadOutputs:
    loss = class_loss(logits, labels) if labels is not None else None
    return HeadOutputs(loss, logits, out.hidden_states, out.attentions)


def _classifier_dropout(config: BertConfig) -> nn.Dropout:
    rate = config.classifier_dropout
    return nn.Dropout(config.hidden_dropout_prob if rate is None else rate)
