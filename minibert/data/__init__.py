"""The data of pretraining: corpora, token files, rows cut from them, masked words; and the original's own way of making them."""

from minibert.data.masking import mask_tokens
from minibert.data.rows import PackedRows, PairRows
from minibert.data.tokens import TokenFile, write_tokens
