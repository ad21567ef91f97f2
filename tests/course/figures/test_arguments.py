"""Arguments that a reader may get wrong while trying a figure: one sentence that says what was expected."""

import pytest
import torch

from minibert import BertConfig, BertModel, WordPieceTokenizer
from minibert.course.figures import (
    all_heads,
    attention_head,
    embedding_sum,
    heat_table,
    marks,
    mask_sampler,
    position_clocks,
    residual_stream,
)

TOKENIZER = WordPieceTokenizer.from_pretrained("minibert-small")
BERT = BertModel(
    BertConfig(
        len(TOKENIZER),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=32,
    )
).eval()
TEXTS = ["the bank by the river", "the bank of the town"]
LAST = ["bank", "river"]
ROWS = {"a": ["[CLS]", "the", "bank", "[SEP]"]}


@pytest.mark.parametrize(
    "figure, message",
    [
        (lambda: all_heads(BERT, TOKENIZER, [], BERT), r"texts must be a list .*, not \[\]"),
        (lambda: all_heads(BERT, TOKENIZER, "the bank", BERT), "texts must be a list .*'the bank'"),
        (lambda: all_heads(BERT, TOKENIZER, TEXTS, BERT, word=99), "word must be 0 to 6 .* not 99"),
        (lambda: attention_head(BERT, TOKENIZER, "the old", LAST, {}), "heads is empty"),
        (
            lambda: attention_head(BERT, TOKENIZER, "the old", LAST, {0: "a"}, asks=99),
            "asks must be 0 to 4 and padding 0 to 27, not 99 and 2",
        ),
        (
            lambda: attention_head(BERT, TOKENIZER, "the old", LAST, {0: "a"}, padding=28),
            "asks must be 0 to 4 and padding 0 to 27, not 2 and 28",
        ),
        (
            lambda: embedding_sum(BERT, TOKENIZER, ["bank"], "bank", (0,)),
            r"places must be two positions, each 0 to 15, not \(0,\)",
        ),
        (lambda: position_clocks(8, (1,)), r"positions must be two, each 0 to 63, not \(1,\)"),
        (
            lambda: residual_stream(BERT, TOKENIZER, TEXTS, BERT, ["water", "money"], token=99),
            "token must be 0 to 6, not 99",
        ),
        (lambda: mask_sampler(ROWS, ["a"], most=0), "most must be at least 1 .* not 0 and 0.15"),
        (lambda: mask_sampler(ROWS, ["a"], rate=2), "rate above 0 and at most 1, not 20 and 2"),
        (lambda: heat_table([1, 2]), r"the shape \[rows, columns\], and a number, not \[2\]"),
        (lambda: heat_table(torch.zeros(0, 0)), r"a number, not \[0, 0\]"),
        (
            lambda: marks("x", [True, False], texts=["a"]),
            "texts must be one for each of 2 marks, not 1",
        ),
    ],
)
def test_one_sentence_says_what_was_expected(figure, message):
    with pytest.raises(ValueError, match=message) as error:
        figure()
    assert "\n" not in str(error.value)
