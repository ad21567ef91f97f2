"""Definitions that several exercises of this chapter share."""

from minibert.config import BertConfig

CHAPTER = "06_bert"
# the shape of the models that answers are tested on
SMALL = BertConfig(
    vocab_size=19,
    hidden_size=12,
    num_hidden_layers=3,
    num_attention_heads=3,
    intermediate_size=20,
    max_position_embeddings=9,
)
