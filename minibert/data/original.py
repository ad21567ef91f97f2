"""Pretraining data as BERT's own program creates it, from lists of strings and with the same random
draws.

This follows create_pretraining_data.py of google-research/bert. With `reference_quirks=True` and
the same `random.Random`, every instance equals the original's, draw for draw. By default it makes
the same draws, but one more draw or condition fixes each known fault of the original:

- A word piece `##x` at the start of text B counts as a separate word; the original joins it to the
  last word of A, across [SEP].
- A "random" next text always comes from another document; the original gives up after ten tries,
  takes the same document, and still labels it random. A single document is an error.
- A special token never replaces a word, and is never masked; the original excludes [CLS] and [SEP]
  from masking, but allows every token as a replacement.

Both versions share the following: a chunk of one sentence always gets a random next text, so more
than half of all labels are "random"; the target length is drawn once per document; each word piece
of a masked word draws its own replacement.
"""

import random
import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from minibert.config import InputError

Document = Sequence[Sequence[str]]  # sentences, each a list of tokens

SPECIAL = re.compile(r"\[(PAD|UNK|CLS|SEP|MASK|unused\d+)\]")
# how often the original draws a document for the random text before it keeps the last one drawn
TRIES = 10


@dataclass
class Instance:
    """One pair of texts, masked: [CLS] A [SEP] B [SEP], S tokens without padding, M of them to be
    predicted."""

    tokens: list[str]  # after masking, S of them
    segment_ids: list[int]  # 0 up to and including the first [SEP], then 1; S of them
    is_random_next: bool  # the next-sentence label: 1 = random
    masked_lm_positions: list[int]  # ascending, M of them
    masked_lm_labels: list[str]  # the original tokens at these positions, M of them


def read_documents(
    lines: Iterable[str], tokenize: Callable[[str], list[str]]
) -> list[list[list[str]]]:
    """Read the original's text format: one sentence per line, an empty line ends a document.

    Sentences without tokens and documents without sentences are left out.
    """
    documents: list[list[list[str]]] = [[]]
    for line in lines:
        line = line.strip()
        if not line:
            documents.append([])
        elif tokens := tokenize(line):
            documents[-1].append(tokens)
    return [document for document in documents if document]


def create_training_instances(
    documents: Sequence[Document], *, dupe_factor: int = 10, rng: random.Random, **options: Any
) -> list[Instance]:
    """All instances of a corpus: shuffle the documents, make `dupe_factor` passes with new masks
    each, and shuffle the instances.

    `options` are those of `create_instances_from_document`. The masking is static: every epoch over
    the result sees the same masks. `documents` itself is not changed.
    """
    if dupe_factor < 1:
        raise InputError(f"dupe_factor must be at least 1, not {dupe_factor}")
    documents = list(documents)
    rng.shuffle(documents)
    instances = [
        instance
        for _ in range(dupe_factor)
        for index in range(len(documents))
        for instance in create_instances_from_document(documents, index, rng=rng, **options)
    ]
    rng.shuffle(instances)
    return instances


def create_instances_from_document(
    documents: Sequence[Document],
    document_index: int,
    *,
    max_seq_length: int,
    short_seq_prob: float,
    masked_lm_prob: float,
    max_predictions_per_seq: int,
    vocab_words: Sequence[str],
    rng: random.Random,
    whole_word_mask: bool = False,
    reference_quirks: bool = False,
) -> list[Instance]:
    """Cut one document into pairs of texts, mask them: Devlin et al. 2018, appendix A.2.

    Sentences are collected until they fill the target length, and cut in two at a random place. In
    about half of the cases the second part is replaced by text from another document; what was not
    used goes into the next pair.

    documents: each a list of sentences, each a list of tokens. Errors: a ValueError that names the
    argument.
    """
    _check(documents, document_index, max_seq_length, short_seq_prob, reference_quirks)
    document = documents[document_index]
    room = max_seq_length - 3  # [CLS] and two [SEP] take the rest
    target = rng.randint(2, room) if rng.random() < short_seq_prob else room
    instances, chunk, place = [], [], 0
    while place < len(document):
        chunk.append(document[place])
        place += 1
        if place < len(document) and sum(map(len, chunk)) < target:
            continue
        cut = rng.randint(1, len(chunk) - 1) if len(chunk) > 1 else 1
        first = _joined(chunk[:cut])
        is_random_next = (
            len(chunk) == 1 or rng.random() < 0.5
        )  # one sentence alone has no next: always random
        if is_random_next:
            second = _text_from_another(
                documents, document_index, target - len(first), rng, reference_quirks
            )
            place -= len(chunk) - cut  # the sentences after the cut were not used
        else:
            second = _joined(chunk[cut:])
        first, second = truncate_pair(first, second, room, rng)
        tokens, positions, labels = create_masked_lm_predictions(
            ["[CLS]", *first, "[SEP]", *second, "[SEP]"],
            masked_lm_prob=masked_lm_prob,
            max_predictions_per_seq=max_predictions_per_seq,
            vocab_words=vocab_words,
            rng=rng,
            whole_word_mask=whole_word_mask,
            reference_quirks=reference_quirks,
        )
        segment_ids = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        instances.append(Instance(tokens, segment_ids, is_random_next, positions, labels))
        chunk = []
    return instances


def truncate_pair(
    first: Sequence[str], second: Sequence[str], room: int, rng: random.Random
) -> tuple[list[str], list[str]]:
    """Shorten two texts to `room` tokens in total: remove one token at a time from the longer text
    (the second if they are equally long), from its front or its back with equal probability."""
    first, second = deque(first), deque(second)
    while len(first) + len(second) > max(room, 0):
        longer = first if len(first) > len(second) else second
        if rng.random() < 0.5:
            longer.popleft()
        else:
            longer.pop()
    return list(first), list(second)


def create_masked_lm_predictions(
    tokens: Sequence[str],
    *,
    masked_lm_prob: float,
    max_predictions_per_seq: int,
    vocab_words: Sequence[str],
    rng: random.Random,
    whole_word_mask: bool = False,
    reference_quirks: bool = False,
) -> tuple[list[str], list[int], list[str]]:
    """Choose the tokens to predict and replace them: Devlin et al. 2018, section 3.1, "Task #1".

    M = masked_lm_prob · S, rounded, at least 1 and at most `max_predictions_per_seq`; S includes
    [CLS] and [SEP]. Each chosen token becomes [MASK] (80%), stays unchanged (10%), or becomes a
    random word (10%). With `whole_word_mask` the word pieces of a word are chosen together; a word
    with more pieces than the rest of M is skipped.

    Returns the tokens after masking (S), the chosen positions in ascending order (M) and the
    original tokens at these positions (M). Raises a ValueError if `masked_lm_prob` is outside 0 to
    1, `max_predictions_per_seq` is below 1, or `vocab_words` has no ordinary word.
    """
    if not 0 <= masked_lm_prob <= 1:
        raise InputError(f"masked_lm_prob must lie between 0 and 1, not {masked_lm_prob}")
    if max_predictions_per_seq < 1:
        raise InputError(
            f"max_predictions_per_seq must be at least 1, not {max_predictions_per_seq}"
        )
    if all(map(SPECIAL.fullmatch, vocab_words)):
        raise InputError(
            f"vocab_words must hold at least one ordinary word; its {len(vocab_words)} are "
            "special tokens only"
        )
    words: list[list[int]] = []  # each a list of positions that are masked together
    for position, token in enumerate(tokens):
        if token in ("[CLS]", "[SEP]") or (not reference_quirks and SPECIAL.fullmatch(token)):
            continue
        goes_on = whole_word_mask and token.startswith("##") and words
        if goes_on and (reference_quirks or words[-1][-1] == position - 1):
            words[-1].append(position)
        else:
            words.append([position])
    rng.shuffle(words)
    wanted = min(max_predictions_per_seq, max(1, round(len(tokens) * masked_lm_prob)))
    masked, chosen = list(tokens), list[int]()
    for word in words:
        if len(chosen) + len(word) <= wanted:
            for position in word:
                masked[position] = _replacement(
                    tokens[position], vocab_words, rng, reference_quirks
                )
            chosen += word
    chosen.sort()
    return masked, chosen, [tokens[position] for position in chosen]


def _replacement(
    token: str, vocab_words: Sequence[str], rng: random.Random, reference_quirks: bool
) -> str:
    """[MASK] with probability 80%, the token itself with 10%, a word drawn from the vocabulary with
    10% (it may be the same)."""
    if rng.random() < 0.8:
        return "[MASK]"
    if rng.random() < 0.5:
        return token
    drawn = vocab_words[rng.randint(0, len(vocab_words) - 1)]
    if reference_quirks or not SPECIAL.fullmatch(drawn):
        return drawn
    return rng.choice(
        [word for word in vocab_words if not SPECIAL.fullmatch(word)]
    )  # all ordinary words are equally likely


def _text_from_another(
    documents: Sequence[Document], own: int, length: int, rng: random.Random, reference_quirks: bool
) -> list[str]:
    """Whole sentences of another document, starting with a random one, until they have `length`
    tokens; at least one sentence."""
    for _ in range(TRIES):
        index = rng.randint(0, len(documents) - 1)
        if index != own:
            break
    if index == own and not reference_quirks:
        index = (own + rng.randint(1, len(documents) - 1)) % len(
            documents
        )  # one of the others, for certain
    _check_sentences(documents, index)
    document, text = documents[index], list[str]()
    for sentence in document[rng.randint(0, len(document) - 1) :]:
        text += sentence
        if len(text) >= length:
            break
    return text


def _joined(sentences: Document) -> list[str]:
    return [token for sentence in sentences for token in sentence]


def _check(
    documents: Sequence[Document],
    document_index: int,
    max_seq_length: int,
    short_seq_prob: float,
    reference_quirks: bool,
) -> None:
    if not 0 <= document_index < len(documents):
        raise InputError(
            f"document_index must lie between 0 and {len(documents) - 1}, not {document_index}"
        )
    if len(documents) == 1 and not reference_quirks:
        raise InputError(
            "documents holds one document alone: a random next text must come from another, so "
            "give at least 2"
        )
    _check_sentences(documents, document_index)
    if max_seq_length < 5:
        raise InputError(
            "max_seq_length must be at least 5: [CLS] A [SEP] B [SEP] with a token in A and in "
            f"B; not {max_seq_length}"
        )
    if not 0 <= short_seq_prob <= 1:
        raise InputError(f"short_seq_prob must lie between 0 and 1, not {short_seq_prob}")


def _check_sentences(documents: Sequence[Document], index: int) -> None:
    if not documents[index]:
        raise InputError(f"documents[{index}] must hold at least one sentence, but it is empty")
    for place, sentence in enumerate(documents[index]):
        if isinstance(sentence, str) or not sentence:
            raise InputError(
                f"documents[{index}][{place}] must be a list of at least one token, not "
                f"{sentence!r}"
            )
