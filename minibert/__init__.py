"""minibert: BERT, built piece by piece and equal to the reference.

From text to a result in one call:

    minibert.fill_mask("Paris is the [MASK] of France.")
    minibert.score(["The cats sleep.", "The cats sleeps."])
    minibert.embed(["A sentence.", "Another one."])
    minibert.similarity("A sentence.", "Another one.")
    minibert.summarize(text, sentences=3)

Everything here is imported on first use, so that `import minibert` alone does not wait for PyTorch.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minibert.config import BertConfig, InputError
    from minibert.heads import (
        BertForMaskedLM,
        BertForMultipleChoice,
        BertForNextSentencePrediction,
        BertForPreTraining,
        BertForQuestionAnswering,
        BertForSequenceClassification,
        BertForTokenClassification,
    )
    from minibert.hub.pretrained_io import from_pretrained, save_pretrained
    from minibert.inference.one_call import embed, fill_mask, score, similarity, summarize
    from minibert.inference.sentence_embeddings import BertForSentenceSimilarity
    from minibert.model import BertModel
    from minibert.summarization.model import BertSumExt
    from minibert.tokenization import WordPieceTokenizer

__version__ = "0.1.0"

__all__ = [
    "BertConfig",
    "BertForMaskedLM",
    "BertForMultipleChoice",
    "BertForNextSentencePrediction",
    "BertForPreTraining",
    "BertForQuestionAnswering",
    "BertForSentenceSimilarity",
    "BertForSequenceClassification",
    "BertForTokenClassification",
    "BertModel",
    "BertSumExt",
    "InputError",
    "WordPieceTokenizer",
    "embed",
    "fill_mask",
    "from_pretrained",
    "save_pretrained",
    "score",
    "similarity",
    "summarize",
]

# Where each of these names is defined; the models that are not listed are in minibert.heads.
_MODULES = {
    "BertConfig": "config",
    "BertForSentenceSimilarity": "inference.sentence_embeddings",
    "BertModel": "model",
    "BertSumExt": "summarization.model",
    "InputError": "config",
    "WordPieceTokenizer": "tokenization",
    "embed": "inference.one_call",
    "fill_mask": "inference.one_call",
    "from_pretrained": "hub.pretrained_io",
    "save_pretrained": "hub.pretrained_io",
    "score": "inference.one_call",
    "similarity": "inference.one_call",
    "summarize": "inference.one_call",
}

_SUBMODULES = (
    "attention",
    "cli",
    "config",
    "course",
    "data",
    "embeddings",
    "encoder",
    "finetuning",
    "heads",
    "hub",
    "inference",
    "model",
    "positions",
    "pretraining",
    "summarization",
    "tokenization",
    "training",
)


def __getattr__(name: str) -> Any:
    """Import a public name or a module of the package when it is first asked for (PEP 562)."""
    if name in _SUBMODULES:
        return importlib.import_module(f"minibert.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'minibert' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"minibert.{_MODULES.get(name, 'heads')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBMODULES})


# Import paths of the first edition, for notebooks that were downloaded then.
importlib.import_module("minibert.course.old_names").install()
