"""minibert: BERT, built piece by piece, and proved equal to the reference."""

from minibert.checkpoint import from_pretrained, save_pretrained
from minibert.config import BertConfig
from minibert.heads import (
    BertForMaskedLM,
    BertForMultipleChoice,
    BertForNextSentencePrediction,
    BertForPreTraining,
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
)
from minibert.model import BertModel
from minibert.sentence import BertForSentenceSimilarity
from minibert.summarization.model import BertSumExt
from minibert.tokenization import WordPieceTokenizer

__version__ = "0.1.0"
