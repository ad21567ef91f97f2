"""The data of pretraining: corpora, token files, rows cut from them, masked words; and the original's own way of making them."""

from minibert.data.masking import mask_tokens
from minibert.data.original import Instance, create_instances_from_document, create_masked_lm_predictions, create_training_instances, read_documents
from minibert.data.rows import MixedRows, PackedRows, PairRows, TextRows, make_rows
from minibert.data.tokens import TokenFile, join_tokens, write_tokens
