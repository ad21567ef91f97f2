"""The three rows that are added, in the page: the script adds and normalises as the package's embeddings do."""

import pytest
import torch
from figure_page import load, show, status

from minibert import BertConfig, BertModel, WordPieceTokenizer, from_pretrained
from minibert.course.figures import embedding_sum

WORDS = ["[CLS]", "the", "bank", "##s", "[SEP]"]


@pytest.fixture(scope="module")
def small():
    return from_pretrained("minibert-small").bert.eval(), WordPieceTokenizer.from_pretrained(
        "minibert-small"
    )


@pytest.fixture(scope="module")
def figure(small):
    return embedding_sum(*small, WORDS, "the", (1, 4), first=8)


def by_script(tab, figure, choices):
    load(tab, "embedding_sum.js", needs=("common.js", "packed.js"))
    return tab.evaluate(
        "([data, choices]) => { const tables = tablesOf(data); return choices.map((choice) => embedded(tables, choice)); }",
        [figure.data, choices],
    )


def test_the_page_adds_and_normalises_as_the_package(tab, figure, small):
    bert, tokenizer = small
    choices = [
        {"word": word, "segment": segment, "place": place}
        for word in range(len(WORDS))
        for segment in (0, 1)
        for place in (0, 1, 7, 15)
    ]
    for choice, found in zip(choices, by_script(tab, figure, choices), strict=True):
        ids = torch.tensor([[tokenizer.token_to_id(WORDS[choice["word"]])]])
        with torch.no_grad():
            expected = bert.embeddings(
                ids,
                token_type_ids=torch.tensor([[choice["segment"]]]),
                position_ids=torch.tensor([[choice["place"]]]),
            )[0, 0]
        assert torch.allclose(
            torch.tensor(found["norm"], dtype=torch.float32), expected, atol=2e-3
        ), choice


def test_a_sum_has_one_sign_before_each_number(tab):
    load(tab, "embedding_sum.js", needs=("common.js", "packed.js"))
    assert tab.evaluate("[[0.1, -0.055, 0], [-0.1, -0.0001, 2]].map(summed)") == [
        "0.100 − 0.055 + 0.000",
        "−0.100 + 0.000 + 2.000",
    ]


def test_the_scale_of_the_bars_is_round(tab):
    load(tab, "embedding_sum.js", needs=("common.js", "packed.js"))
    assert tab.evaluate("[0, 0.03, 0.1, 0.11, 0.5, 0.7, 1, 1.2, 3, 7, 12].map(niceAbove)") == [
        0.1,
        0.1,
        0.1,
        0.2,
        0.5,
        1,
        1,
        2,
        5,
        10,
        20,
    ]


def verdicts(tab) -> list[str]:
    return tab.locator(".mb-name strong").all_inner_texts()


def test_the_first_state_compares_a_word_at_two_positions(tab, figure, small):
    bert, tokenizer = small
    show(tab, figure)
    ids = torch.tensor([[tokenizer.token_to_id("the")] * 5])
    positions = bert.embeddings.position_embeddings.weight[:5]
    with torch.no_grad():
        out = bert.embeddings(ids)[0]
        sums = (
            bert.embeddings.word_embeddings(ids)[0]
            + bert.embeddings.token_type_embeddings.weight[0]
            + positions
        )
        cosines = [
            f"{torch.cosine_similarity(vectors[1], vectors[4], dim=0):.2f}"
            for vectors in (positions, sums, out)
        ]
    assert status(tab) == (
        "“the” at position 1, segment 0, and “the” at position 4, segment 0: features 8 to 23 of 256. "
        f"Cosine of the two sums: {cosines[1]}, after LayerNorm {cosines[2]}."
    )
    assert verdicts(tab) == ["same", "same"] + [f"different, cosine {each}" for each in cosines]
    assert f"cosine of {cosines[1]}" in figure.alt
    tip = tab.locator(".mb-row-sum .mb-reach").last.get_attribute("data-tip")
    assert tip.startswith("feature 23: ") and tip.endswith(f"= {sums[4, 23]:.3f}".replace("-", "−"))


def test_bars_rise_above_zero_and_hang_below(tab, figure, small):
    bert, tokenizer = small
    show(tab, figure)
    bars = tab.evaluate(
        "[...document.querySelectorAll('.mb-row-token .mb-bar')].map((bar) => ['y', 'height'].map((name) => Number(bar.getAttribute(name))))"
    )
    values = bert.embeddings.word_embeddings.weight[tokenizer.token_to_id("the"), 8:24]
    signed = torch.tensor([height if y < 30 else -height for y, height in bars]).view(2, 16)
    for side in signed:
        assert torch.allclose(side / side.abs().max(), values / values.abs().max(), atol=0.01)


def test_word_position_and_segment_are_changed_by_keyboard(tab, figure):
    show(tab, figure)
    tab.get_by_role("slider", name="Position").press("ArrowRight")
    assert "and “the” at position 5, segment 0:" in status(tab)
    for _ in range(4):
        tab.get_by_role("slider", name="Position").press("ArrowLeft")
    assert verdicts(tab) == ["same"] * 5
    tab.get_by_label("1", exact=True).check()
    assert "and “the” at position 1, segment 1:" in status(tab)
    assert [text == "same" for text in verdicts(tab)] == [True, False, True, False, False]
    tab.get_by_role("combobox", name="Word").select_option("bank")
    assert "and “bank” at position 1, segment 1:" in status(tab)
    assert [text == "same" for text in verdicts(tab)] == [False, False, True, False, False]


def test_wrong_arguments_are_named(small):
    bert, tokenizer = small
    with pytest.raises(ValueError, match="'riverbanks' is not one token"):
        embedding_sum(bert, tokenizer, ["the", "riverbanks"], "the", (0, 1))
    with pytest.raises(ValueError, match="word must be one of the, bank, not 'river'"):
        embedding_sum(bert, tokenizer, ["the", "bank"], "river", (0, 1))
    with pytest.raises(ValueError, match="places must be two positions, each 0 to 15, not"):
        embedding_sum(bert, tokenizer, ["the"], "the", (0, 16))
    with pytest.raises(ValueError, match="first must be 0 to 240, not 241"):
        embedding_sum(bert, tokenizer, ["the"], "the", (0, 1), first=241)
    bare = BertModel(
        BertConfig(
            vocab_size=tokenizer.vocab_size,
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=8,
            position_embedding_type="none",
        )
    )
    with pytest.raises(ValueError, match="a row for each of 16 positions"):
        embedding_sum(bare, tokenizer, ["the"], "the", (0, 1))
