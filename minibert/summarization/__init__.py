"""Extractive summarization with BertSum (Liu 2019): score a document's sentences and select the
best."""

from minibert.summarization.convert.original import load_bertsum_head
from minibert.summarization.documents.windows import (
    EncodedDocument,
    best_places,
    collate,
    encode_document,
    encode_windows,
)
from minibert.summarization.heads import (
    InterSentenceEncoder,
    SentenceClassifier,
    SentenceHead,
    SentenceRNN,
)
from minibert.summarization.model import BertSumExt, first_layers
from minibert.summarization.oracle import greedy_oracle
from minibert.summarization.scoring import DocumentScores, Summary, score_document, summarize
from minibert.summarization.selection import select_sentences
from minibert.summarization.training import encode_sentences, train, train_head

__all__ = [
    "BertSumExt",
    "DocumentScores",
    "EncodedDocument",
    "InterSentenceEncoder",
    "SentenceClassifier",
    "SentenceHead",
    "SentenceRNN",
    "Summary",
    "best_places",
    "collate",
    "encode_document",
    "encode_sentences",
    "encode_windows",
    "first_layers",
    "greedy_oracle",
    "load_bertsum_head",
    "score_document",
    "select_sentences",
    "summarize",
    "train",
    "train_head",
]
