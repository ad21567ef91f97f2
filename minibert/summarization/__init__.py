"""Extractive summaries with BertSum (Liu 2019): documents in, sentences with scores, a summary out."""

from minibert.summarization.documents import EncodedDocument, best_places, collate, encode_document, encode_windows
from minibert.summarization.heads import InterSentenceEncoder, SentenceClassifier, SentenceHead, SentenceRNN
from minibert.summarization.model import BertSumExt, first_layers
from minibert.summarization.oracle import greedy_oracle
from minibert.summarization.original import load_bertsum_head
from minibert.summarization.scoring import DocumentScores, Summary, score_document, summarize
from minibert.summarization.selection import select_sentences
from minibert.summarization.training import encode_sentences, train, train_head
