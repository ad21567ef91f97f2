"""From text to a result in one call: `minibert.embed`, `minibert.fill_mask` and so on.

Each function takes a `model`, which is a folder, a name or a model object. It needs a `tokenizer`
only for a model object that was not opened from a folder; the vocabulary of that folder is read at
the first call. A model given by name is opened once per process and then kept in memory. A model
given by folder is opened in every call, because its files may have changed.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from minibert.config import InputError, check_size
from minibert.hub.find_pretrained import SENTENCES, SMALL, local_folder
from minibert.hub.tokenizer_files import listed
from minibert.inference import fill_mask as masks
from minibert.inference import sentence_embeddings
from minibert.model import BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer

KEPT = 4  # number of models that stay in memory
# the folder and the tokenizer of each model object that was used without one
_TOKENIZERS: WeakKeyDictionary[BertPreTrainedModel, tuple[Path, WordPieceTokenizer]]
_TOKENIZERS = WeakKeyDictionary()

Model = TypeVar("Model", bound=BertPreTrainedModel)
Opened = tuple[BertPreTrainedModel, WordPieceTokenizer]


def embed(
    texts: Iterable[str],
    *,
    model: str | Path | BertPreTrainedModel = SENTENCES,
    tokenizer: WordPieceTokenizer | None = None,
    batch_size: int | None = None,
    dtype: torch.dtype = torch.float32,
) -> Tensor:
    """Sentence embeddings of length 1 for texts: [N, H].

    The dot product of two embeddings is their cosine similarity. The default model,
    minibert-sentences, is part of the package. "sentence-transformers/all-MiniLM-L6-v2" is larger
    and usually better, and a package of its own. `batch_size` and `dtype` are explained in
    `minibert.inference.sentence_embeddings.embed`. Raises an InputError if `texts` is a string, and
    for a model that cannot be found, with advice on what to install.
    """
    opened, its_tokenizer = _opened(model, tokenizer, sentence_embeddings.open_encoder)
    return sentence_embeddings.embed(opened, its_tokenizer, texts, batch_size, dtype=dtype)


def similarity(
    one: str,
    other: str,
    *,
    model: str | Path | BertPreTrainedModel = SENTENCES,
    tokenizer: WordPieceTokenizer | None = None,
) -> float:
    """How similar two texts are in meaning: the cosine of their embeddings, from -1 to 1."""
    vectors = embed([one, other], model=model, tokenizer=tokenizer)
    return float((vectors[0] @ vectors[1]).clamp(-1, 1))  # rounding may lead out of this range


def fill_mask(
    text: str,
    *,
    model: str | Path | BertPreTrainedModel = SMALL,
    tokenizer: WordPieceTokenizer | None = None,
    top: int = 5,
) -> list[list[tuple[str, float]]]:
    """Return the `top` most probable tokens, with their probabilities, for every [MASK] of a text.

    The masks are in order from left to right, and the tokens from most to least probable. Raises an
    InputError for a text without [MASK] (in capitals) and for a model without a
    masked-language-model head.
    """
    opened, its_tokenizer = _opened(model, tokenizer, masks.open_masked_lm)
    return masks.fill_mask(opened, its_tokenizer, text, top)


def score(
    texts: Iterable[str],
    *,
    model: str | Path | BertPreTrainedModel = SMALL,
    tokenizer: WordPieceTokenizer | None = None,
    within_word: bool = False,
) -> Tensor:
    """How probable a model finds each text, as pseudo-log-likelihoods in nats (float32): [N].

    Each token is masked in turn, and the log-probabilities of the true tokens are added up (Salazar
    et al. 2020, equation 2), so the higher number is the more probable text. Longer texts get lower
    numbers: compare texts that differ in a word or in the order of their words. `within_word` also
    masks the later pieces of the token's word (PLL-word-l2r, Kauf & Ivanova 2023). Raises an
    InputError if `texts` is a string, for a text without tokens or longer than the model's
    positions, and for a model without a masked-language-model head.
    """
    # imported here because no other function needs a progress bar
    from minibert.inference.pseudo_likelihood import score_sentences

    opened, its_tokenizer = _opened(model, tokenizer, masks.open_masked_lm)
    scores = score_sentences(opened, its_tokenizer, texts, within_word=within_word)
    totals = [sentence.total for sentence in scores]
    return torch.tensor(totals, dtype=torch.float32, device="cpu")  # [N]


def summarize(
    text: str | Sequence[str],
    sentences: int = 3,
    *,
    model: str | Path | BertPreTrainedModel = SMALL,
    tokenizer: WordPieceTokenizer | None = None,
    block_trigrams: bool = True,
) -> list[str]:
    """Summarize a text by its most important sentences, in their order in the text.

    text            English text, which is split into sentences; or a list of sentences
    sentences       how many sentences to choose, at most
    model           an encoder with a trained head ("minibert-small", MiniLM), or a BertSumExt
    block_trigrams  skip a sentence that shares three consecutive words with a better one

    Raises an InputError for a text without sentences and for a model without a summarization head.
    """
    # imported here because no other function needs the summarizers
    from minibert.data.sentences import split_sentences
    from minibert.summarization.head_store import open_summarizer
    from minibert.summarization.model import BertSumExt
    from minibert.summarization.scoring import summarize as choose

    check_size("sentences", sentences)
    opened, its_tokenizer = _opened(model, tokenizer, open_summarizer)
    if not isinstance(opened, BertSumExt):
        raise InputError(f"model must be a BertSumExt, not a {type(opened).__name__}")
    wanted = "a str or a list of sentences"
    document = split_sentences(text) if isinstance(text, str) else listed("text", text, wanted)
    summary = choose(opened, its_tokenizer, document, sentences, block_trigrams=block_trigrams)
    return [document[number] for number in summary.chosen]


def _opened(
    model: str | Path | BertPreTrainedModel,
    tokenizer: WordPieceTokenizer | None,
    opener: Callable[[str | Path], tuple[Model, WordPieceTokenizer]],
) -> Opened:
    """A model and its tokenizer; `opener` opens a model that is given by name or folder."""
    if not isinstance(model, BertPreTrainedModel):
        opened, its_own = opener(model) if local_folder(model) else _kept(opener, str(model))
        return opened, its_own if tokenizer is None else tokenizer
    if tokenizer is None:
        if model.source_folder is None:
            raise InputError("the model was not opened from a folder: give its tokenizer as well")
        # read once: a vocabulary that is replaced on the disk is not that of these weights
        folder, tokenizer = _TOKENIZERS.get(model, (None, None))
        if tokenizer is None or folder != model.source_folder:
            tokenizer = WordPieceTokenizer.from_pretrained(model.source_folder)
            _TOKENIZERS[model] = (model.source_folder, tokenizer)
    return model, tokenizer


@lru_cache(KEPT)
def _kept(opener: Callable[[str | Path], tuple[Model, WordPieceTokenizer]], name: str) -> Opened:
    return opener(name)
