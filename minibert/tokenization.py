"""Text to ids and back: BERT's normalisation and WordPiece, run by the `tokenizers` library.

A text is cleaned (control characters dropped, spaces unified, CJK characters set apart,
lower-cased, accents stripped), split at spaces and punctuation into words, and each word is cut
into the longest pieces that the vocabulary knows, from left to right (google-research/bert,
tokenization.py, `WordpieceTokenizer`).
"""

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from tokenizers import (
    Encoding,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from torch import Tensor

from minibert.config import InputError, check_size
from minibert.hub import tokenizer_files
from minibert.hub.find_pretrained import expanded, find_pretrained, local_folder
from minibert.hub.tokenizer_files import SPECIAL_TOKENS, TokenizerFiles
from minibert.hub.truncation import shortened

CONTINUATION = "##"  # opens every piece that does not begin a word
MAX_CHARS_PER_WORD = 100  # a longer word is [UNK], as in the reference (the original program: 200)
MOST_CHARS = 10_000_000  # of a text; the library needs some 150 bytes for each
MAX_ALPHABET = 1000  # rarer characters get no entry of their own when a vocabulary is trained


class Batch(dict[str, Tensor]):
    """Tensors by name, as a model takes them: `model(**batch)`."""

    def to(self, device: torch.device | str) -> "Batch":
        """The same tensors on another device."""
        return Batch({name: tensor.to(device) for name, tensor in self.items()})


class WordPieceTokenizer:
    """BERT's tokenizer over one vocabulary (a dict of token to id).

    `strip_accents=None` means: strip them when lower-casing, as the original does. The five special
    tokens are recognised where they stand in a text ("a [MASK] b"), in capitals only. Raises a
    ValueError for a vocabulary without one of them, or whose ids are not 0, 1, 2, … .
    """

    def __init__(
        self, vocab: dict[str, int], lowercase: bool = True, strip_accents: bool | None = None
    ):
        tokenizer_files.check_vocab(vocab)
        self.vocab = dict(sorted(vocab.items(), key=lambda item: item[1]))
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.special_ids = [self.vocab[token] for token in SPECIAL_TOKENS]
        self.pad_id, self.unk_id, self.cls_id, self.sep_id, self.mask_id = self.special_ids
        self._tokens = list(self.vocab)
        self._lock = threading.Lock()  # truncation is a setting of the library's tokenizer
        model = models.WordPiece(
            self.vocab,
            unk_token="[UNK]",
            max_input_chars_per_word=MAX_CHARS_PER_WORD,
            continuing_subword_prefix=CONTINUATION,
        )
        self._tokenizer = _pipeline(model, lowercase, strip_accents)
        self._tokenizer.add_special_tokens(list(SPECIAL_TOKENS))
        self._tokenizer.post_processor = processors.BertProcessing(
            ("[SEP]", self.sep_id), ("[CLS]", self.cls_id)
        )

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        vocab_size: int,
        lowercase: bool = True,
        strip_accents: bool | None = None,
        min_frequency: int = 2,
        show_progress: bool = False,
    ) -> "WordPieceTokenizer":
        """Learn a vocabulary of at most `vocab_size` tokens from texts, special ones included.

        The pieces come from the library's trainer: it joins the most frequent pair of neighbours
        again and again, as long as the pair occurs `min_frequency` times (byte-pair encoding:
        Sennrich et al. 2016, algorithm 1). The trainer that made BERT's own vocabulary was never
        published. The same texts give the same vocabulary. Words that are too long are left out.
        """
        limits = (vocab_size, min_frequency, show_progress)
        return cls(_learn_vocab(texts, lowercase, strip_accents, *limits), lowercase, strip_accents)

    @classmethod
    def from_vocab_file(
        cls, path: str | Path, lowercase: bool = True, strip_accents: bool | None = None
    ) -> "WordPieceTokenizer":
        """From a vocab.txt: one token a line, the id is the line number counted from 0, UTF-8."""
        return cls(tokenizer_files.read_vocab_file(expanded(path)), lowercase, strip_accents)

    @classmethod
    def from_pretrained(cls, name: str | Path) -> "WordPieceTokenizer":
        """From the vocab.txt or tokenizer.json of a folder or a hub id, with its lower-casing."""
        files = tokenizer_files.read_tokenizer_files(local_folder(name) or find_pretrained(name))
        return cls(files.vocab, files.lowercase, files.strip_accents)

    def save(self, folder: str | Path) -> None:
        """Write vocab.txt and tokenizer_config.json, in place of older ones. Raises OSError."""
        files = TokenizerFiles(self.vocab, self.lowercase, self.strip_accents)
        tokenizer_files.write_tokenizer_files(files, expanded(folder))

    def tokenize(self, text: str) -> list[str]:
        """The pieces of a text, without [CLS] and [SEP]."""
        return self._encode_all([text], None, None, add_special_tokens=False)[0].tokens

    def encode(
        self,
        text: str,
        pair: str | None = None,
        max_length: int | None = None,
        add_special_tokens: bool = True,
    ) -> list[int]:
        """Ids of [CLS] text [SEP], or of [CLS] text [SEP] pair [SEP]: one int per token.

        Beyond `max_length` tokens the longer of the two texts loses its last token until it fits.
        """
        pairs = None if pair is None else [pair]
        return self._encode_all([text], pairs, max_length, add_special_tokens)[0].ids

    def encode_texts(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of every text, without [CLS] and [SEP]; faster than one text at a time."""
        encodings = self._encode_all(texts, None, None, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def encoding(
        self, text: str, pair: str | None = None, max_length: int | None = None
    ) -> Encoding:
        """All that the library knows: ids, tokens, type_ids, offsets, word_ids, …"""
        pairs = None if pair is None else [pair]
        return self._encode_all([text], pairs, max_length, add_special_tokens=True)[0]

    def decode(self, ids: Sequence[int] | Tensor, skip_special_tokens: bool = False) -> str:
        """The text of ids, as far as it survives lower-casing: pieces joined, spaces restored."""
        ids = tokenizer_files.whole_numbers(ids)
        tokenizer_files.check_switches(skip_special_tokens=skip_special_tokens)
        for token_id in ids:
            self.id_to_token(token_id)  # the library would drop an unknown id in silence
        return self._tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)

    def __call__(
        self,
        texts: str | Sequence[str],
        pairs: str | Sequence[str] | None = None,
        max_length: int | None = None,
        pad_to: int | None = None,
    ) -> Batch:
        """Texts, or pairs, as a padded batch for a model: `model(**tokenizer(texts))`.

        Returns integer input_ids, token_type_ids and attention_mask [B, S]. token_type_ids are 0 up
        to and including the first [SEP], 1 up to and including the second, 0 on padding (Devlin et
        al. 2018, figure 2); attention_mask is 1 on a token, 0 on padding. S is the length of the
        longest text, or `pad_to` if that is more; padding is on the right.
        """
        texts = [texts] if isinstance(texts, str) else texts
        pairs = [pairs] if isinstance(pairs, str) else pairs
        if pad_to is not None:
            check_size("pad_to", pad_to, most=10**6)
        encodings = self._encode_all(texts, pairs, max_length, add_special_tokens=True)
        length = max([pad_to or 0, *(len(encoding) for encoding in encodings)])
        for encoding in encodings:
            encoding.pad(length, pad_id=self.pad_id, pad_token="[PAD]")
        columns = {
            "input_ids": [encoding.ids for encoding in encodings],
            "token_type_ids": [encoding.type_ids for encoding in encodings],
            "attention_mask": [encoding.attention_mask for encoding in encodings],
        }
        return Batch({name: torch.tensor(rows, device="cpu") for name, rows in columns.items()})

    def _encode_all(
        self,
        texts: Sequence[str],
        pairs: Sequence[str] | None,
        max_length: int | None,
        add_special_tokens: bool,
    ) -> list[Encoding]:
        texts = tokenizer_files.list_of_texts("texts", texts, MOST_CHARS)
        if not texts:
            raise InputError("texts is empty: a batch needs at least one text")
        pairs = None if pairs is None else tokenizer_files.list_of_texts("pairs", pairs, MOST_CHARS)
        if pairs is not None and len(pairs) != len(texts):
            raise InputError(f"{len(texts)} texts but {len(pairs)} pairs: each text needs one")
        tokenizer_files.check_switches(add_special_tokens=add_special_tokens)
        least = (3 if pairs is None else 5) if add_special_tokens else 1
        if max_length is not None:
            check_size("max_length", max_length)
        if max_length is not None and max_length < least:
            raise InputError(f"max_length {max_length} leaves no room for text: at least {least}")
        with self._lock:
            self._tokenizer.no_truncation()
            rows = texts if pairs is None else shortened(self._tokenizer, texts, pairs, max_length)
            if max_length is not None:
                self._tokenizer.enable_truncation(max_length, strategy="longest_first")
            return self._tokenizer.encode_batch(rows, add_special_tokens=add_special_tokens)

    @property
    def vocab_size(self) -> int:
        """V: how many tokens there are, the special ones included."""
        return len(self._tokens)

    def token_to_id(self, token: str) -> int | None:
        """The id of a token, None if the vocabulary does not have it."""
        tokenizer_files.list_of_texts("token", [token])
        return self.vocab.get(token)

    def id_to_token(self, token_id: int) -> str:
        """The token of an id; a ValueError outside 0 … V - 1."""
        token_id = tokenizer_files.whole_numbers([token_id])[0]
        if not 0 <= token_id < self.vocab_size:
            raise InputError(f"id {token_id} is outside the vocabulary: 0 to {self.vocab_size - 1}")
        return self._tokens[token_id]

    def __len__(self) -> int:
        return self.vocab_size

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (self.vocab, self.lowercase, self.strip_accents)  # a lock has no copy

    def __repr__(self) -> str:
        return f"WordPieceTokenizer({self.vocab_size} tokens, lowercase={self.lowercase})"


def _pipeline(model: models.Model, lowercase: bool, strip_accents: bool | None) -> Tokenizer:
    """The library's tokenizer with BERT's normalisation and splitting in front of a model."""
    tokenizer_files.check_switches(lowercase=lowercase, strip_accents=strip_accents)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=strip_accents, lowercase=lowercase
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix=CONTINUATION)
    return tokenizer


def _learn_vocab(
    texts: Iterable[str],
    lowercase: bool,
    strip_accents: bool | None,
    vocab_size: int,
    min_frequency: int,
    show_progress: bool,
) -> dict[str, int]:
    """The library's trainer, made repeatable.

    Left alone it numbers the "##x" characters in the order of a hash map, which changes from run to
    run and decides ties. So the alphabet is handed over in a fixed order, as if of special tokens.
    """
    check_size("vocab_size", vocab_size)
    check_size("min_frequency", min_frequency)
    tokenizer_files.check_switches(show_progress=show_progress)
    texts = tokenizer_files.list_of_texts("texts", texts)
    tokenizer = _pipeline(models.WordPiece(unk_token="[UNK]"), lowercase, strip_accents)
    normalize, split = tokenizer.normalizer.normalize_str, tokenizer.pre_tokenizer.pre_tokenize_str
    words: Counter[str] = Counter()
    for number, text in enumerate(texts):
        found = [word for word, _ in split(normalize(text))]
        short = [word for word in found if len(word) <= MAX_CHARS_PER_WORD]
        words.update(short)
        if len(short) < len(found):
            texts[number] = " ".join(short)
    if not words:
        raise InputError(f"texts has no words of at most {MAX_CHARS_PER_WORD} characters")
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for char in word:
            counts[char] += count
    kept = sorted(sorted(counts, key=lambda char: (-counts[char], char))[:MAX_ALPHABET])
    inner = {char for word in words for char in word[1:]}
    alphabet = kept + [CONTINUATION + char for char in kept if char in inner]
    needed = len(SPECIAL_TOKENS) + len(alphabet)
    if vocab_size < needed:
        raise InputError(
            f"vocab_size={vocab_size} is too small: {len(SPECIAL_TOKENS)} special tokens and "
            f"{len(alphabet)} single characters need {needed}"
        )
    trainer = trainers.WordPieceTrainer(
        # it makes room for that many tokens; no more than one for each letter can be found
        vocab_size=min(vocab_size, needed + sum(map(len, words))),
        min_frequency=min_frequency,
        show_progress=show_progress,
        special_tokens=[*SPECIAL_TOKENS, *alphabet],
        initial_alphabet=kept,
        limit_alphabet=len(kept),
        continuing_subword_prefix=CONTINUATION,
    )
    tokenizer.train_from_iterator(texts, trainer, length=len(texts))
    return tokenizer.get_vocab()
