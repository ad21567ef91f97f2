"""Exercise `embedding_parameters`: task, hints, solution and check."""

from minibert.config import BertConfig
from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch02_embeddings.common import CHAPTER
from minibert.course.exercises.compare import Mistake


def embedding_parameters(config):
    """How many numbers the embeddings of this config learn -> int."""
    rows = config.vocab_size + config.type_vocab_size + config.max_position_embeddings  # blank: the rows of the three tables together  # fmt: skip
    layer_norm = 2 * config.hidden_size  # blank: what LayerNorm learns
    return rows * config.hidden_size + layer_norm  # blank: every row is H numbers wide


def check_embedding_parameters(answer) -> None:
    odd = BertConfig(
        vocab_size=1009,
        hidden_size=60,
        num_attention_heads=6,
        max_position_embeddings=53,
        type_vocab_size=5,
    )
    # `odd` comes first, because base has 2 segment types, as many as LayerNorm has vectors
    for config in (odd, BertConfig.preset("base")):
        V, H, T, P = (
            config.vocab_size,
            config.hidden_size,
            config.type_vocab_size,
            config.max_position_embeddings,
        )
        try:
            right, found = (V + T + P) * H + 2 * H, answer(config)
        except (AttributeError, TypeError) as error:
            raise Mistake(
                f"{error}: a field of the config is read as config.vocab_size. The four to use are vocab_size, hidden_size, type_vocab_size and max_position_embeddings."
            ) from None
        if isinstance(found, bool) or not isinstance(found, int):
            raise Mistake(
                f"a count is a whole number (int), and you return a {type(found).__name__}."
            )
        if found == right:
            continue
        here = f"with V = {V:,}, H = {H}, P = {P} and {T} segment types you count {found:,}, and that is {abs(found - right):,} too {'many' if found > right else 'few'}"
        for wrong, sentence in known(embedding_parameters):
            if found == wrong(config):
                raise Mistake(f"{here}: {sentence.format(heads=config.num_attention_heads)}")
        raise Mistake(f"{here}; right is {right:,}.")


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="think",
    minutes=6,
    title="Count the parameters",
    task="""Write `embedding_parameters(config)`: how many numbers do the embeddings of this config learn? Use `config.vocab_size`,
        `hidden_size`, `type_vocab_size` and `max_position_embeddings`. BERT-base must give 23,837,184; your function must be right for any
        other config as well.""",
    hints=(
        "Three tables, each with its own number of rows and all with the same width; then what LayerNorm learns. Dropout learns nothing.",
        "Rows: $V$, the number of segment types, the number of positions. LayerNorm learns $\\gamma$ and $\\beta$, two vectors of length $H$.",
    ),
    paragraph="23,837,184 parameters, one table at a time",
    solution=embedding_parameters,
    check=check_embedding_parameters,
)
