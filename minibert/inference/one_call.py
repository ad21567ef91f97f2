"""From text to a result in one call.

These functions are `minibert.embed`, `minibert.fill_mask` and so on.

Each takes `model`, which is a folder, a name or a model that is open already, and `tokenizer`,
which is only needed for a model that was not opened from a folder. A model that is named is opened
once per process and kept; one in a folder of your own is opened at every call, since its files may
have changed.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from torch import Tensor

from minibert.config import InputError
from minibert.hub.find_pretrained import MINILM, SMALL
from minibert.hub.pretrained_io import UnreadWeightsWarning, from_pretrained
from minibert.inference import fill_mask as masks
from minibert.inference import sentence_embeddings
from minibert.model import BertModel, BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer

KEPT = 4  # models that stay open

Model = TypeVar("Model", bound=BertPreTrainedModel)
Opened = tuple[BertPreTrainedModel, WordPieceTokenizer]


def embed(
    texts: Sequence[str],
    *,
    model: str | Path | BertPreTrainedModel = MINILM,
    tokenizer: WordPieceTokenizer | None = None,
    batch_size: int = 32,
) -> Tensor:
    """Sentence embeddings of length 1 for texts: [N, H].

    A dot product of two is their cosine similarity.

    The default is all-MiniLM-L6-v2, which comes in a package of its own. Raises an InputError for a
    text that is not in a list, and for a model that is not here, with what to install.
    """
    opened, its_tokenizer = _opened(model, tokenizer, _open_encoder)
    return sentence_embeddings.embed(opened, its_tokenizer, texts, batch_size)


def similarity(
    one: str,
    other: str,
    *,
    model: str | Path | BertPreTrainedModel = MINILM,
    tokenizer: WordPieceTokenizer | None = None,
) -> float:
    """How similar two texts are in meaning.

    The cosine of their sentence embeddings, from -1 to 1.
    """
    vectors = embed([one, other], model=model, tokenizer=tokenizer)
    return float(vectors[0] @ vectors[1])


def fill_mask(
    text: str,
    *,
    model: str | Path | BertPreTrainedModel = SMALL,
    tokenizer: WordPieceTokenizer | None = None,
    top: int = 5,
) -> list[list[tuple[str, float]]]:
    """For every [MASK] of a text, from left to right.

    The `top` most probable tokens with their probabilities.

    Raises an InputError for a text without [MASK] (in capitals) and a model without a
    masked-language-model head.
    """
    opened, its_tokenizer = _opened(model, tokenizer, masks.open_masked_lm)
    return masks.fill_mask(opened, its_tokenizer, text, top)


def summarize(
    text: str | Sequence[str],
    sentences: int = 3,
    *,
    model: str | Path | BertPreTrainedModel = SMALL,
    tokenizer: WordPieceTokenizer | None = None,
    block_trigrams: bool = True,
) -> list[str]:
    """The sentences of a text that say the most, in their order in the text.

    text            English text, which is cut into sentences; or a list of sentences
    sentences       how many to choose, at most
    model           an encoder with a trained head ("minibert-small", MiniLM), or a BertSumExt
    block_trigrams  leave out a sentence that shares three words in a row with a better one

    Raises an InputError for a text without any sentence, and a model without a head for sentences.
    """
    # deferred: nothing else here needs the summarizers
    from minibert.data.sentences import split_sentences
    from minibert.summarization.head_store import open_summarizer
    from minibert.summarization.model import BertSumExt
    from minibert.summarization.scoring import summarize as choose

    if sentences < 1:
        raise InputError(f"sentences must be at least 1, not {sentences}")
    opened, its_tokenizer = _opened(model, tokenizer, open_summarizer)
    if not isinstance(opened, BertSumExt):
        raise InputError(f"model must be a BertSumExt, not a {type(opened).__name__}")
    document = split_sentences(text) if isinstance(text, str) else list(text)
    summary = choose(opened, its_tokenizer, document, sentences, block_trigrams=block_trigrams)
    return [document[number] for number in summary.chosen]


def _opened(
    model: str | Path | BertPreTrainedModel,
    tokenizer: WordPieceTokenizer | None,
    opener: Callable[[str], Opened],
) -> Opened:
    """A model and its tokenizer: opened by `opener`, where it is not open already."""
    if not isinstance(model, BertPreTrainedModel):
        is_folder = Path(model).expanduser().is_dir()
        opened, its_own = opener(str(model)) if is_folder else _kept(opener, str(model))
        return opened, tokenizer or its_own
    if tokenizer is None:
        if model.source_folder is None:
            raise InputError("the model was not opened from a folder: give its tokenizer as well")
        tokenizer = WordPieceTokenizer.from_pretrained(model.source_folder)
    return model, tokenizer


@lru_cache(KEPT)
def _kept(opener: Callable[[str], Opened], name: str) -> Opened:
    return opener(name)


def _open_encoder(name: str) -> Opened:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreadWeightsWarning)  # of heads, which give no vectors
        model = from_pretrained(name, BertModel)
    return model, WordPieceTokenizer.from_pretrained(str(model.source_folder))
