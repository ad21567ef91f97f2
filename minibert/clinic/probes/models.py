"""The models and texts that the probes measure with."""

from torch import Tensor, arange

from minibert.config import BertConfig

WORDS: Tensor = arange(5, 12)[None]         # [1, S], seven words


def tiny(**changes) -> BertConfig:
    """A BERT of a few thousand parameters; its weights are drawn so large that no softmax is flat."""
    sizes = dict(vocab_size=61, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48, max_position_embeddings=20,
                 initializer_range=0.3)
    return BertConfig(**{**sizes, **changes})
