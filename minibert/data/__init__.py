"""From text to batches: corpora, sentences, token files, sequences and masking.

This package works with text, ids and arrays; it does not import any model. `original` creates the
instances as BERT's own program does; `small_world` is a corpus whose lowest possible loss is known.
"""

from minibert.data.masking import mask_tokens
from minibert.data.mixing import MixedSequences, make_sequences
from minibert.data.original import (
    Instance,
    create_instances_from_document,
    create_masked_lm_predictions,
    create_training_instances,
    read_documents,
)
from minibert.data.packing import PackedSequences
from minibert.data.sequences import PairSequences, TextSequences
from minibert.data.tokens import TokenFile, join_tokens, write_tokens

__all__ = [
    "Instance",
    "MixedSequences",
    "PackedSequences",
    "PairSequences",
    "TextSequences",
    "TokenFile",
    "create_instances_from_document",
    "create_masked_lm_predictions",
    "create_training_instances",
    "join_tokens",
    "make_sequences",
    "mask_tokens",
    "read_documents",
    "write_tokens",
]
