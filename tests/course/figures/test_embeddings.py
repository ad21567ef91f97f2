"""The three rows that are added, in the page: the script adds and normalises as the package's embeddings do."""

import pytest
import torch
from figure_page import load, show, status

from minibert import BertConfig, BertModel, WordPieceTokenizer, from_pretrained
from minibert.course.figures import embedding_sum

WORDS = ["[CLS]", "the", "bank", "##s", "[SEP]"]
ALL = {"token": True, "segment": True, "position": True, "norm": True}


@pytest.fixture(scope="module")
def small():
    return from_pretrained("minibert-small").bert.eval(), WordPieceTokenizer.from_pretrained(
        "minibert-small"
    )


@pytest.fixture(scope="module")
def figure(small):
    return embedding_sum(*small, WORDS, "the", (4, 1), feature=20)


def by_script(tab, figure, choices):
    load(tab, "embedding_sum.js", needs=("common.js", "packed.js"))
    return tab.evaluate(
        "([data, choices]) => { const tables = tablesOf(data); return choices.map((choice) => embedded(tables, choice)); }",
        [figure.data, choices],
    )


def test_the_page_adds_and_normalises_as_the_package(tab, figure, small):
    bert, tokenizer = small
    choices = [
        {"word": word, "segment": segment, "place": place, "on": ALL}
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


@pytest.mark.parametrize("off", ["token", "segment", "position", "norm"])
def test_a_part_that_is_switched_off_is_not_added(tab, figure, small, off):
    bert, tokenizer = small
    found = by_script(
        tab, figure, [{"word": 2, "segment": 1, "place": 3, "on": ALL | {off: False}}]
    )[0]
    tables = bert.embeddings
    parts = {
        "token": tables.word_embeddings.weight[tokenizer.token_to_id("bank")],
        "segment": tables.token_type_embeddings.weight[1],
        "position": tables.position_embeddings.weight[3],
    }
    with torch.no_grad():
        total = sum(row for part, row in parts.items() if part != off)
        expected = total if off == "norm" else tables.LayerNorm(total)
    assert torch.allclose(torch.tensor(found["sum"], dtype=torch.float32), total, atol=2e-4)
    assert torch.allclose(torch.tensor(found["norm"], dtype=torch.float32), expected, atol=2e-3)


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


def test_the_first_state_compares_a_word_at_two_positions(tab, figure, small):
    bert, tokenizer = small
    show(tab, figure)
    ids = torch.tensor([[tokenizer.token_to_id("the")] * 5])
    with torch.no_grad():
        out = bert.embeddings(ids)[0]
        sums = (
            bert.embeddings.word_embeddings(ids)[0]
            + bert.embeddings.token_type_embeddings.weight[0]
            + bert.embeddings.position_embeddings.weight[:5]
        )
    cosines = [
        float(torch.cosine_similarity(vectors[1], vectors[4], dim=0)) for vectors in (sums, out)
    ]
    assert status(tab) == (
        "“the” at position 4, segment 0. The outline is “the” at position 1, segment 0. "
        f"Cosine of the two sums: {cosines[0]:.2f}, after LayerNorm {cosines[1]:.2f}."
    )
    assert figure.label.endswith(f"with a cosine of {cosines[0]:.2f}")
    assert (
        tab.locator(".mb-one")
        .inner_text()
        .endswith(f"= {sums[4, 20]:.3f}, after LayerNorm {out[4, 20]:.3f}.".replace("-", "−"))
    )
    assert (
        tab.locator(".mb-row-token .mb-length")
        .inner_text()
        .startswith(f"length {bert.embeddings.word_embeddings.weight[ids[0, 0]].norm():.2f}")
    )


def test_bars_stand_above_zero_and_hang_below(tab, figure, small):
    bert, tokenizer = small
    show(tab, figure)
    bars = tab.evaluate(
        "[...document.querySelectorAll('.mb-row-token .mb-bar')].map((bar) => ['y', 'height'].map((name) => Number(bar.getAttribute(name))))"
    )
    values = bert.embeddings.word_embeddings.weight[tokenizer.token_to_id("the"), :24]
    signed = torch.tensor([height if y < 30 else -height for y, height in bars])
    assert torch.allclose(signed / signed.abs().max(), values / values.abs().max(), atol=0.01)


def test_word_position_and_segment_are_changed_by_keyboard(tab, figure):
    show(tab, figure)
    tab.get_by_role("slider", name="Position").press("ArrowRight")
    assert status(tab).startswith("“the” at position 5, segment 0.")
    tab.get_by_role("slider", name="Position").press("ArrowLeft")
    tab.get_by_label("1", exact=True).check()
    assert status(tab).startswith("“the” at position 4, segment 1.")
    tab.get_by_role("combobox", name="Word").select_option("bank")
    assert status(tab).startswith("“bank” at position 4, segment 1.")
    assert tab.locator(".mb-row-token p span").first.inner_text() == "the row of “bank”"
    tab.get_by_text("More controls").click()
    tab.get_by_role("button", name="Keep this one as outline").press("Enter")
    assert (
        "The outline is “bank” at position 4, segment 1. Cosine of the two sums: 1.00, after LayerNorm 1.00."
        in status(tab)
    )


def test_parts_are_switched_off_by_pointer(tab, figure):
    show(tab, figure)
    tab.get_by_text("More controls").click()
    bars = "[...document.querySelectorAll('.mb-row-position .mb-bar')].map((bar) => Number(bar.getAttribute('height')))"
    assert max(tab.evaluate(bars)) > 1
    tab.get_by_label("position row").click()
    assert max(tab.evaluate(bars)) == 0
    assert status(tab).startswith("“the” at position 4, segment 0, no position row.")
    assert tab.locator(".mb-row-position .mb-length").inner_text() == "switched off"
    tab.get_by_label("LayerNorm").click()
    assert "no LayerNorm" in status(tab) and tab.locator(".mb-one").inner_text().endswith(
        "and no LayerNorm."
    )


def test_a_bar_that_is_clicked_is_spelt_out(tab, figure):
    show(tab, figure)
    box = tab.locator(".mb-row-sum svg").bounding_box()
    tab.mouse.click(box["x"] + box["width"] * 3.5 / 24, box["y"] + 10)
    assert tab.locator(".mb-one").inner_text().startswith("Feature 3:")
    tab.get_by_text("More controls").click()
    assert tab.get_by_label("Feature").input_value() == "3"
    tab.get_by_label("Feature").press("End")
    assert tab.locator(".mb-one").inner_text().startswith("Feature 255:")


def test_wrong_arguments_are_named(small):
    bert, tokenizer = small
    with pytest.raises(ValueError, match="'riverbanks' is not one token"):
        embedding_sum(bert, tokenizer, ["the", "riverbanks"], "the", (0, 1))
    with pytest.raises(ValueError, match="word must be one of the, bank, not 'river'"):
        embedding_sum(bert, tokenizer, ["the", "bank"], "river", (0, 1))
    with pytest.raises(ValueError, match="places: each must be 0 to 15, not 16"):
        embedding_sum(bert, tokenizer, ["the"], "the", (0, 16))
    with pytest.raises(ValueError, match="feature must be 0 to 255, not 256"):
        embedding_sum(bert, tokenizer, ["the"], "the", (0, 1), feature=256)
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
