"""From the sentences of a document to its summary: read it, score every sentence, choose."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tqdm.auto import tqdm

from minibert.summarization.documents import best_places, collate, encode_document, encode_windows
from minibert.summarization.model import BertSumExt
from minibert.summarization.selection import select_sentences
from minibert.tokenization import WordPieceTokenizer

BATCH = 8               # windows that go through BERT at once


@dataclass(frozen=True)
class DocumentScores:
    """What a model says about the sentences of a document, and how much of it it read."""

    scores: list[float]             # [all sentences], between 0 and 1; -inf where the sentence was not read
    tokens: int                     # of all sentences, with a [CLS] and a [SEP] each
    tokens_read: int
    sentences_read: int
    sentences_cut: list[int]        # of those, the ones whose end was not read
    windows: int


@dataclass(frozen=True)
class Summary:
    """The sentences chosen, by their numbers in document order, and why."""

    chosen: list[int]
    document: DocumentScores


@torch.no_grad()
def score_document(model: BertSumExt, tokenizer: WordPieceTokenizer, sentences: Sequence[str], *, windows: bool = True,
                   progress: bool = False) -> DocumentScores:
    """Score the sentences of a document.

    With `windows` the whole document is read, in overlapping windows of as many tokens as the model has positions; the
    head then sees the vectors of all its sentences at once. Without, only the beginning that fits, as published.
    `progress` shows a bar. The model is put into eval mode, and each part of it back into the mode it was in.

    Raises a ValueError for a document without any text.
    """
    length, device = model.config.max_position_embeddings, next(model.parameters()).device
    read = (encode_windows(sentences, tokenizer, length, segments=model.segments) if windows
            else [encode_document(sentences, tokenizer, length, segments=model.segments)])
    modes = [(module, module.training) for module in model.modules()]       # a frozen encoder may be in another than its head
    model.eval()
    try:
        vectors = []
        for start in tqdm(range(0, len(read), BATCH), desc="Reading", unit_scale=BATCH, unit=" windows", disable=not progress):
            batch = {name: tensor.to(device) for name, tensor in collate(read[start:start + BATCH], tokenizer.pad_id).items()}
            vectors += list(model.sentence_vectors(**batch))                            # [N of the batch, H] each
        places = best_places(read)
        numbers = sorted(places)
        document = torch.stack([vectors[window][place] for window, place in map(places.get, numbers)]).unsqueeze(0)     # [1, N, H]
        scores = model.head(document, torch.ones(document.shape[:2], dtype=torch.bool, device=device))                  # [1, N]
    finally:
        for module, mode in modes:
            module.training = mode

    result = [-math.inf] * len(sentences)
    for n, score in zip(numbers, scores[0].tolist()):
        result[n] = score
    tokens = [len(ids) + 2 if ids else 0 for ids in tokenizer.encode_texts(sentences)]
    cut = sorted({window.sentences[-1] for window in read if window.cut})
    shown = {window.sentences[-1]: len(window.input_ids) - window.sentence_positions[-1] for window in read if window.cut}
    tokens_read = sum(shown.get(n, tokens[n]) for n in numbers)
    return DocumentScores(result, sum(tokens), tokens_read, len(numbers), cut, len(read))


def summarize(model: BertSumExt, tokenizer: WordPieceTokenizer, sentences: Sequence[str], k: int = 3, *, block_trigrams: bool = True,
              windows: bool = True, progress: bool = False) -> Summary:
    """Choose `k` sentences of a document; the other arguments as `select_sentences` and `score_document` have them."""
    document = score_document(model, tokenizer, sentences, windows=windows, progress=progress)
    return Summary(select_sentences(document.scores, list(sentences), k, block_trigrams), document)
