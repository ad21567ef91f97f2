"""How probable a masked language model finds a sentence: its pseudo-log-likelihood.

A masked language model gives no probability of a whole sentence. Its pseudo-log-likelihood (PLL)
takes the place: mask one token at a time, take the log-probability of the true token, and add all
of them up (Salazar et al. 2020, "Masked Language Model Scoring", equation 2). It compares sentences
that differ in little, such as a grammatical one and its ungrammatical neighbour.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from minibert.config import InputError
from minibert.heads import BertForMaskedLM, BertForPreTraining
from minibert.hub.tokenizer_files import check_switches, listed
from minibert.inference.checks import UnknownWordsWarning, check_finite, check_tokenizer
from minibert.inference.fill_mask import check_masked_lm
from minibert.model import BertPreTrainedModel, evaluating
from minibert.tokenization import CONTINUATION, WordPieceTokenizer

BATCH_TOKENS = 4096  # that go through the model at once, padding included


@dataclass(frozen=True)
class SentenceScore:
    """The pseudo-log-likelihood of one sentence, token by token."""

    tokens: list[str]  # without [CLS] and [SEP]
    log_probabilities: list[float]  # ln P(token | the other tokens), in the same order

    @property
    def total(self) -> float:
        """The pseudo-log-likelihood: the sum over the tokens, in nats."""
        return sum(self.log_probabilities)

    @property
    def per_token(self) -> float:
        """The mean over the tokens, in nats; comparable between sentences of different lengths."""
        return self.total / len(self.tokens)


@torch.no_grad()
def score_sentences(
    model: BertPreTrainedModel,
    tokenizer: WordPieceTokenizer,
    texts: Iterable[str],
    *,
    within_word: bool = False,
    batch_tokens: int = BATCH_TOKENS,
    progress: bool = False,
) -> list[SentenceScore]:
    """Score sentences by their pseudo-log-likelihood, in their order.

    model         a BertForMaskedLM or a BertForPreTraining
    within_word   while a token is predicted, also mask the later pieces of its word: the variant
                  PLL-word-l2r of Kauf & Ivanova 2023. Without it, a rare word of several pieces
                  gets too high a score, because each piece gives the others away
    batch_tokens  tokens that go through the model at once; at least one sequence always does
    progress      show a progress bar on stderr, if that is a terminal

    An UnknownWordsWarning tells how many texts hold words that are [UNK] for the tokenizer.

    A sentence of T tokens needs T sequences, which are sorted by length and batched across
    sentences. The vocabulary head runs at the masked positions only.

    Raises an InputError if `texts` is a string, for a text without tokens, with a special token
    such as [MASK], or longer than the model's positions, for a model without a
    masked-language-model head, a tokenizer with more tokens than the model, and a result that is
    NaN or infinite.
    """
    checked = check_masked_lm(model)
    check_tokenizer(tokenizer, model)
    check_switches(within_word=within_word)
    texts = listed("texts", texts)
    if batch_tokens < 1:
        raise InputError(f"batch_tokens must be at least 1, not {batch_tokens}")
    if not texts:
        return []
    from tqdm.auto import tqdm  # deferred: importing minibert needs few packages

    sentences = tokenizer.encode_texts(texts)
    _check(sentences, texts, tokenizer, model)
    unknown = sum(tokenizer.unk_id in sentence for sentence in sentences)
    if unknown:
        warnings.warn(
            f"{unknown:,} of {len(texts):,} texts hold words that the vocabulary does not know, "
            "which are scored as [UNK]: compare them with no other text",
            UnknownWordsWarning,
            stacklevel=2,
        )
    continues = [token.startswith(CONTINUATION) for token in tokenizer.vocab]
    found = [[0.0] * len(sentence) for sentence in sentences]
    order = sorted(range(len(sentences)), key=lambda number: len(sentences[number]))
    questions = ((number, place) for number in order for place in range(len(sentences[number])))
    total = sum(map(len, sentences))
    with (
        evaluating(model),
        tqdm(
            total=total, disable=None if progress else True, unit=" tokens", desc="Scoring"
        ) as bar,
    ):
        for batch in _batches(questions, sentences, batch_tokens):
            sequences = []
            for number, place in batch:
                ids = list(sentences[number])
                end = place + 1
                while within_word and end < len(ids) and continues[ids[end]]:
                    end += 1
                ids[place:end] = [tokenizer.mask_id] * (end - place)
                sequences.append([tokenizer.cls_id, *ids, tokenizer.sep_id])
            places = [place + 1 for _, place in batch]  # after [CLS]
            true_ids = [sentences[number][place] for number, place in batch]
            values = _log_probabilities(checked, sequences, places, true_ids, tokenizer.pad_id)
            for (number, place), value in zip(batch, values, strict=True):
                found[number][place] = value
            bar.update(len(batch))
    return [
        SentenceScore([tokenizer.id_to_token(token) for token in sentence], values)
        for sentence, values in zip(sentences, found, strict=True)
    ]


def _log_probabilities(
    model: BertForMaskedLM | BertForPreTraining,
    sequences: list[list[int]],
    places: list[int],
    true_ids: list[int],
    pad_id: int,
) -> list[float]:
    """ln P(true id) at one place of each sequence; the sequences may differ in length."""
    device = next(model.parameters()).device
    longest = max(map(len, sequences))
    ids = torch.tensor(
        [sequence + [pad_id] * (longest - len(sequence)) for sequence in sequences], device=device
    )  # [N, S]
    lengths = torch.tensor([len(sequence) for sequence in sequences], device=device)  # [N]
    mask = (torch.arange(longest, device=device) < lengths[:, None]).long()  # [N, S]
    states = model.bert(ids, attention_mask=mask).last_hidden_state  # [N, S, H]
    rows = torch.arange(len(places), device=device)  # [N]
    masked = states[rows, torch.tensor(places, device=device)]  # [N, H]
    table = model.bert.embeddings.word_embeddings.weight  # [V, H]
    logits = model.cls.predictions(masked, table).float()  # [N, V]
    targets = torch.tensor(true_ids, device=device)  # [N]
    found = -F.cross_entropy(logits, targets, reduction="none")  # [N]
    check_finite(found, model)
    values: list[float] = found.tolist()
    return values


def _batches(
    questions: Iterator[tuple[int, int]], sentences: list[list[int]], batch_tokens: int
) -> Iterator[list[tuple[int, int]]]:
    """Questions in batches of at most `batch_tokens` tokens with padding, or of one question.

    The questions are sorted by the length of their sentence, so the last of a batch is its longest.
    """
    batch: list[tuple[int, int]] = []
    for number, place in questions:
        length = len(sentences[number]) + 2  # with [CLS] and [SEP]
        if batch and (len(batch) + 1) * length > batch_tokens:
            yield batch
            batch = []
        batch.append((number, place))
    if batch:
        yield batch


def _check(
    sentences: list[list[int]],
    texts: Sequence[str],
    tokenizer: WordPieceTokenizer,
    model: BertPreTrainedModel,
) -> None:
    special = {*tokenizer.special_ids} - {tokenizer.unk_id}
    config = model.config
    longest = config.max_position_embeddings
    unlimited = config.position_embedding_type == "none"
    for number, (sentence, text) in enumerate(zip(sentences, texts, strict=True), start=1):
        if not sentence:
            raise InputError(f"text {number} has no tokens: {text!r}")
        if len(sentence) + 2 > longest and not unlimited:
            raise InputError(
                f"text {number} has {len(sentence) + 2} tokens with [CLS] and [SEP], but the model "
                f"has {longest} positions: {text[:60]!r}"
            )
        if used := special.intersection(sentence):
            raise InputError(
                f"text {number} holds {tokenizer.id_to_token(min(used))}, which has no probability "
                f"as a word: {text[:60]!r}"
            )
