"""The heads that BERT is pretrained with.

Masked language modelling (MLM) and next-sentence prediction (NSP).
"""

import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.encoder import ACTIVATIONS
from minibert.heads.base import BertWithHead, class_loss
from minibert.model import BertModel, BertOutputs, BertPreTrainedModel, model_outputs


@model_outputs
class PreTrainingOutputs:
    """What BertForPreTraining returns."""

    loss: Tensor | None  # MLM loss plus NSP loss, a scalar
    prediction_logits: Tensor  # [B, S, V]
    seq_relationship_logits: Tensor  # [B, 2]
    hidden_states: list[Tensor] | None = None  # L + 1 times [B, S, H]
    attentions: list[Tensor] | None = None  # L times [B, A, S, S]


class PredictionTransform(nn.Module):
    """Prepares hidden states for the word table: linear map, activation, LayerNorm."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = ACTIVATIONS[config.hidden_act]
        self.LayerNorm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)

    def forward(self, hidden: Tensor) -> Tensor:
        """hidden [B, S, H], or [M, H] at the masked words only -> [B, S, H] or [M, H]."""
        return self.LayerNorm(self.activation(self.dense(hidden)))  # [B, S, H] or [M, H]


class MaskedLMHead(nn.Module):
    """Scores every word of the vocabulary at every position.

    The decoder is the word table itself (Press & Wolf 2016): logits = transform(h) E^T + b. The
    table is passed in, so there is only one tensor and the two cannot come untied.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.transform = PredictionTransform(config)
        self.bias = nn.Parameter(self.transform.dense.bias.new_zeros(config.vocab_size))  # [V]

    def forward(self, hidden: Tensor, word_table: Tensor) -> Tensor:
        """hidden [B, S, H] or [M, H], word_table [V, H] -> logits [B, S, V] or [M, V].

        M vectors are those at the masked words only.
        """
        return F.linear(self.transform(hidden), word_table, self.bias)  # [B, S, V] or [M, V]


class PreTrainingHeads(nn.Module):
    """The heads that BERT was pretrained with.

    Masked words (`predictions`), next sentence (`seq_relationship`).
    """

    def __init__(
        self, config: BertConfig, masked_words: bool = True, next_sentence: bool = True
    ) -> None:
        super().__init__()
        if masked_words:
            self.predictions = MaskedLMHead(config)
        if next_sentence:
            self.seq_relationship = nn.Linear(config.hidden_size, 2)


class BertForPreTraining(BertPreTrainedModel):
    """BERT with both heads of its pretraining (Devlin et al. 2018, section 3.1)."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.bert = BertModel(config)
        self.cls = PreTrainingHeads(config)
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
        next_sentence_label: Tensor | None = None,
    ) -> PreTrainingOutputs:
        """As BertModel, plus `labels` [B, S] (the masked words' ids, -100 elsewhere) and
        `next_sentence_label` [B] (0 = the second text follows the first, 1 = it is a random one, as
        in the original).

        The loss is the sum of the two mean losses, or the one for which labels are given.
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
        table = self.bert.embeddings.word_embeddings.weight  # [V, H]
        words = self.cls.predictions(out.last_hidden_state, table)  # [B, S, V]
        follows = self.cls.seq_relationship(out.pooler_output)  # [B, 2]
        loss = None
        if labels is not None:
            loss = class_loss(words, labels)
        if next_sentence_label is not None:
            nsp_loss = class_loss(follows, next_sentence_label, "next_sentence_label")
            loss = nsp_loss if loss is None else loss + nsp_loss
        return PreTrainingOutputs(loss, words, follows, out.hidden_states, out.attentions)


class BertForMaskedLM(BertWithHead):
    """BERT that fills masked words; no pooler, as in the reference.

    Labels (B × S): the masked words' ids, -100 elsewhere. Logits (B × S × V).
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config, add_pooling_layer=False)
        self.cls = PreTrainingHeads(config, next_sentence=False)
        self.initialize_weights()

    def logits(self, out: BertOutputs) -> Tensor:
        table = self.bert.embeddings.word_embeddings.weight  # [V, H]
        return self.cls.predictions(out.last_hidden_state, table)  # [B, S, V]


class BertForNextSentencePrediction(BertWithHead):
    """BERT that says whether a second text follows the first. Labels (B): 0 = it does, 1 = random.

    Logits (B × 2).
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.cls = PreTrainingHeads(config, masked_words=False)
        self.initialize_weights()

    def logits(self, out: BertOutputs) -> Tensor:
        return self.cls.seq_relationship(out.pooler_output)  # [B, 2]
