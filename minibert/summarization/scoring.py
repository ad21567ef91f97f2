"""Score every sentence of a document with a model, and choose its summary."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from tqdm.auto import tqdm

from minibert.hub.tokenizer_files import check_switches
from minibert.inference.checks import check_finite, check_tokenizer
from minibert.inference.unpadded import batches_by_tokens, token_budget, without_padding
from minibert.model import evaluating
from minibert.summarization.documents.windows import (
    all_windows,
    best_places,
    collate,
    first_window,
    tokenize_sentences,
)
from minibert.summarization.model import BertSumExt
from minibert.summarization.selection import select_sentences
from minibert.tokenization import WordPieceTokenizer


@dataclass(frozen=True)
class DocumentScores:
    """A model's scores for the sentences of a document, and how much of the document it read."""

    scores: list[float]  # [all sentences], between 0 and 1; -inf where the sentence was not read
    tokens: int  # of all sentences, including a [CLS] and a [SEP] each
    unknown: int  # how many of these tokens are [UNK]
    tokens_read: int
    sentences_read: int
    sentences_cut: list[int]  # the sentences whose end was not read
    windows: int


@dataclass(frozen=True)
class Summary:
    """The indices of the chosen sentences in document order, and the scores of all sentences."""

    chosen: list[int]
    document: DocumentScores


@torch.no_grad()
def score_document(
    model: BertSumExt,
    tokenizer: WordPieceTokenizer,
    sentences: Sequence[str],
    *,
    windows: bool = True,
    progress: bool = False,
) -> DocumentScores:
    """Score the sentences of a document.

    With `windows`, BERT reads the whole document in overlapping windows of as many tokens as the
    model has positions, and the head then reads the vectors of all sentences at once. Without it,
    only the beginning that fits is read, as published. `progress` shows a progress bar. The model
    runs in eval mode, and each of its modules gets its previous mode back.

    Raises a ValueError for a document without any text.
    """
    check_tokenizer(tokenizer, model)
    check_switches(windows=windows)
    length, device = model.config.max_position_embeddings, next(model.parameters()).device
    ids = tokenize_sentences(sentences, tokenizer)
    read = (
        all_windows(ids, tokenizer, length, model.segments)
        if windows
        else [first_window(ids, tokenizer, length, model.segments)]
    )
    batches = batches_by_tokens(
        [len(window.input_ids) for window in read], None, token_budget(device)
    )
    bar = tqdm(total=len(read), desc="Reading", unit=" windows", disable=not progress)
    # a frozen encoder may be in another mode than its head
    with evaluating(model), without_padding(model), bar, torch.device("cpu"):
        vectors = [torch.empty(0)] * len(read)
        for chosen in batches:
            batch = {
                name: tensor.to(device)
                for name, tensor in collate([read[n] for n in chosen], tokenizer.pad_id).items()
            }
            found = model.sentence_vectors(**batch)  # [B, N, H]
            for n, of_window in zip(chosen, found, strict=True):
                vectors[n] = of_window  # [N of the batch, H]
            bar.update(len(chosen))
        places = best_places(read)
        numbers = sorted(places)
        document = torch.stack(
            [vectors[window][place] for window, place in (places[n] for n in numbers)]
        ).unsqueeze(0)  # [1, N, H]
        scores = model.head(
            document, torch.ones(document.shape[:2], dtype=torch.bool, device=device)
        )  # [1, N]

    check_finite(scores, model)
    result = [-math.inf] * len(sentences)
    for n, score in zip(numbers, scores[0].tolist(), strict=True):
        result[n] = score
    sizes = [len(sentence) + 2 if sentence else 0 for sentence in ids]  # tokens
    # Of a truncated sentence, only the tokens in its window were read.
    shown = {
        window.sentences[-1]: len(window.input_ids) - window.sentence_positions[-1]
        for window in read
        if window.cut
    }
    return DocumentScores(
        scores=result,
        tokens=sum(sizes),
        unknown=sum(sentence.count(tokenizer.unk_id) for sentence in ids),
        tokens_read=sum(shown.get(n, sizes[n]) for n in numbers),
        sentences_read=len(numbers),
        sentences_cut=sorted(shown),
        windows=len(read),
    )


def summarize(
    model: BertSumExt,
    tokenizer: WordPieceTokenizer,
    sentences: Sequence[str],
    k: int = 3,
    *,
    block_trigrams: bool = True,
    windows: bool = True,
    progress: bool = False,
) -> Summary:
    """Score a document and choose up to `k` of its sentences; see `score_document` and
    `select_sentences` for the other arguments."""
    check_switches(block_trigrams=block_trigrams)
    document = score_document(model, tokenizer, sentences, windows=windows, progress=progress)
    return Summary(select_sentences(document.scores, list(sentences), k, block_trigrams), document)
