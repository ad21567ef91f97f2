"""Task heads: what is added on top of BERT to make it predict something.

Every model here has its BertModel as `.bert`, takes BertModel's arguments plus labels by name, and
returns a small dataclass whose loss is None where no labels were given. A class or a token of -100
is never counted; where the labels are real numbers (a regression, similarities), -100 is a number
like any other. To add a head of your own, make a class from `BertWithHead`.
"""

from minibert.config import IGNORE
from minibert.heads.base import BertWithHead, HeadOutputs, class_loss
from minibert.heads.pretraining import (
    BertForMaskedLM,
    BertForNextSentencePrediction,
    BertForPreTraining,
    MaskedLMHead,
    PredictionTransform,
    PreTrainingHeads,
    PreTrainingOutputs,
)
from minibert.heads.tasks import (
    BertForMultipleChoice,
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
    QuestionAnsweringOutputs,
)

__all__ = [
    "IGNORE",
    "BertForMaskedLM",
    "BertForMultipleChoice",
    "BertForNextSentencePrediction",
    "BertForPreTraining",
    "BertForQuestionAnswering",
    "BertForSequenceClassification",
    "BertForTokenClassification",
    "BertWithHead",
    "HeadOutputs",
    "MaskedLMHead",
    "PreTrainingHeads",
    "PreTrainingOutputs",
    "PredictionTransform",
    "QuestionAnsweringOutputs",
    "class_loss",
]
