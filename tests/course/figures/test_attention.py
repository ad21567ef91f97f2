"""The head that the reader follows from scores to weights: what the page computes is what the package computes."""

import math

import pytest
import torch
from figure_page import chosen, load, menu, show, status
from tiny_run import CONFIG, TOKENIZER

import minibert
from minibert.attention import attend
from minibert.course.figures import attention_head
from minibert.course.figures.moving import without_floats
from minibert.course.figures.packed import packed, unpacked

WORDS = [["w5", "w6"], ["w7", "w8", "w9"], ["w10", "w11"]]
S = len(WORDS) + 4  # [CLS], [SEP] and two [PAD]s


@pytest.fixture(scope="module")
def bert():
    """Weights large enough for heads that prefer something."""
    torch.manual_seed(3)
    bert = minibert.BertModel(CONFIG).eval()
    with torch.no_grad():
        for parameter in bert.encoder.layer[0].attention.self.parameters():
            parameter.normal_(std=0.6)
    return bert


@pytest.fixture(scope="module")
def figure(bert):
    return attention_head(
        bert, TOKENIZER, ["w5 w7 w10", "w6 w9 w11"], WORDS, {1: "second head", 0: "first head"}
    )


def weights_of(bert, text, head, mask=None):
    """The weights [S, S] that the model itself computes for a padded text."""
    batch = TOKENIZER(text, pad_to=S)
    with torch.no_grad():
        outputs = bert(
            batch["input_ids"],
            attention_mask=batch["attention_mask"] if mask is None else mask,
            output_attentions=True,
        )
    return outputs.attentions[0][0, head]


def drawn(tab) -> torch.Tensor:
    """The weights in the folded table of all queries."""
    if tab.locator("details:not([open])").count():
        tab.locator("summary").click()
        tab.wait_for_selector(".mb-heat")
    rows = tab.evaluate(
        "[...document.querySelectorAll('.mb-heat tbody tr')].map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )
    return torch.tensor(
        [[float(value.replace("−∞", "-inf").replace("−", "-")) for value in row] for row in rows]
    )


def assert_weights(tab, expected) -> None:
    torch.testing.assert_close(
        drawn(tab), expected, atol=0.0055, rtol=0
    )  # two decimals, of vectors with four digits


# ---------------------------------------------------------------- numbers in a text


@pytest.mark.parametrize(
    "bits, values",
    [
        (16, torch.linspace(-3, 7, 60).view(3, 4, 5)),
        (8, torch.rand(2, 5)),
        (16, torch.zeros(3)),
        (8, torch.tensor([255.0])),
    ],
)
def test_packed_numbers_come_back_in_python_and_in_the_page(tab, bits, values):
    data = packed(values, bits)
    back = unpacked(data)
    torch.testing.assert_close(back, values.double(), atol=data["step"] / 2 + 1e-12, rtol=0)
    load(tab, "packed.js")
    torch.testing.assert_close(
        torch.tensor(tab.evaluate("data => unpack(data)", data), dtype=torch.float64), back
    )


@pytest.mark.parametrize(
    "values, bits, message",
    [
        (torch.ones(2), 32, "8 or 16, not 32"),
        (torch.tensor([1.0, -0.5]), 8, "the smallest is -0.5: use 16"),
        (torch.ones(0), 16, "at least one"),
        (torch.tensor([math.inf]), 16, "finite"),
    ],
)
def test_what_cannot_be_packed_is_refused(values, bits, message):
    with pytest.raises(ValueError, match=message):
        packed(values, bits)


def test_late_digits_of_packed_numbers_do_not_count_in_what_a_notebook_compares():
    values, floats = torch.rand(50), []
    one, other = (
        without_floats({"a": packed(values + noise)}, floats)
        for noise in (0, 1e-6 * torch.rand(50))
    )
    assert one == other == {"a": [50]} and len(floats) == 100


# ---------------------------------------------------------------- equation 1


@pytest.mark.parametrize("seed", range(12))
def test_the_page_attends_as_the_package_does(tab, seed):
    generator = torch.Generator().manual_seed(seed)
    query, key, value = (
        torch.randn(1, 1, 6, 8, generator=generator, dtype=torch.float64) for _ in range(3)
    )
    mask = torch.rand(6, 6, generator=generator) < 0.6
    mask[seed % 6] = False  # a query that may look at nothing
    load(tab, "attention_head.js")
    for scale in (math.sqrt(8), 1, 8, 2.5):
        mixed, weights = attend(query * math.sqrt(8) / scale, key, value, mask)
        found = tab.evaluate(
            "([query, key, value, mask, scale]) => query.map((q, i) => attendOne(q, key, value, mask[i], scale))",
            [query[0, 0].tolist(), key[0, 0].tolist(), value[0, 0].tolist(), mask.tolist(), scale],
        )
        torch.testing.assert_close(
            torch.tensor([each["weights"] for each in found], dtype=torch.float64), weights[0, 0]
        )
        torch.testing.assert_close(
            torch.tensor([each["mixture"] for each in found], dtype=torch.float64), mixed[0, 0]
        )


@pytest.mark.parametrize("causal", [False, True])
def test_a_mask_hides_keys_and_under_a_causal_one_what_comes_later(tab, causal):
    seen = torch.tensor([True, True, False, True, False])
    expected = seen.expand(5, 5) & (torch.ones(5, 5).tril().bool() if causal else True)
    load(tab, "attention_head.js")
    assert (
        tab.evaluate(
            "([seen, causal]) => seen.map((_, query) => visibleTo(query, seen, causal))",
            [seen.tolist(), causal],
        )
        == expected.tolist()
    )


# ---------------------------------------------------------------- the figure


def test_every_sentence_and_head_has_the_models_own_weights(tab, bert, figure):
    show(tab, figure)
    for text in ("w5 w7 w10", "w6 w9 w11"):
        menu(tab, "Sentence").select_option(text)
        for name, head in (("first head", 0), ("second head", 1)):
            tab.locator(".heads label", has_text=name).click()
            assert_weights(tab, weights_of(bert, text, head))


def test_other_words_are_computed_anew_and_the_sentence_is_then_ones_own(tab, bert, figure):
    show(tab, figure)
    tab.get_by_label("word 2").select_option("w9")
    tab.get_by_label("word 3").press("ArrowDown")
    assert (
        chosen(tab, "Sentence") == "your own"
        and not menu(tab, "Sentence").locator("option").last.is_disabled()
    )
    assert_weights(tab, weights_of(bert, "w5 w9 w11", 1))
    tab.get_by_label("word 1").select_option("w6")
    assert (
        chosen(tab, "Sentence") == "w6 w9 w11"
        and menu(tab, "Sentence").locator("option").last.is_disabled()
    ), "there is none to choose"


def test_masks_are_the_packages(tab, bert, figure):
    show(tab, figure)
    text, ones = "w5 w7 w10", torch.ones(1, S, S, dtype=torch.bool)
    real = torch.arange(S) < S - 2
    menu(tab, "Hidden").select_option("nothing")
    assert_weights(tab, weights_of(bert, text, 1, ones))
    menu(tab, "Hidden").select_option("padding and what comes later")
    assert_weights(tab, weights_of(bert, text, 1, (ones & real).tril()))
    later = tab.get_by_label("w10, place 3, may be looked at")
    assert (
        later.is_disabled() and not later.is_checked()
    )  # the token that is followed is the second
    menu(tab, "Hidden").select_option("padding")
    assert_weights(tab, weights_of(bert, text, 1))


def test_a_token_is_hidden_by_pointer_and_shown_by_key(tab, bert, figure):
    show(tab, figure)
    box = tab.get_by_label("w7, place 2, may be looked at")
    box.click()
    real = (torch.arange(S) < S - 2) & (torch.arange(S) != 2)
    assert_weights(tab, weights_of(bert, "w5 w7 w10", 1, real.expand(1, S, S)))
    assert chosen(tab, "Hidden") == "your choice"
    assert tab.locator("tr.off").count() == 3
    box.press(" ")
    assert_weights(tab, weights_of(bert, "w5 w7 w10", 1))
    assert chosen(tab, "Hidden") == "padding"


def test_a_query_that_may_look_at_nothing_gets_equal_weights_and_the_page_says_so(tab, figure):
    show(tab, figure)
    for box in tab.locator("table.steps input").all()[:-2]:
        box.press(" ")
    assert_weights(tab, torch.full((S, S), 1 / S))
    assert "Nothing may be looked at" in status(tab)


@pytest.mark.parametrize(
    "label, scale", [("1", 1), ("D = 8", 8), ("√T = 2.65, the wrong root", math.sqrt(S))]
)
def test_another_scale_is_another_softmax(tab, bert, figure, label, scale):
    show(tab, figure)
    menu(tab, "Scale").select_option(label)
    batch, part = TOKENIZER("w5 w7 w10", pad_to=S), bert.encoder.layer[0].attention.self
    with torch.no_grad():
        hidden = bert.embeddings(batch["input_ids"])
        query, key = part.split_heads(part.query(hidden)), part.split_heads(part.key(hidden))
        expected = attend(query * math.sqrt(8) / scale, key, key, batch["attention_mask"].bool())[1]
    torch.testing.assert_close(
        drawn(tab), expected[0, 1], atol=0.02 if scale == 1 else 0.0055, rtol=0
    )


def test_bars_and_numbers_of_one_query_are_the_steps_of_equation_1(tab, bert, figure):
    show(tab, figure)
    weights = drawn(tab)[2]
    rows = tab.evaluate(
        "[...document.querySelectorAll('.followed tbody tr')].map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )
    torch.testing.assert_close(torch.tensor([float(row[3]) for row in rows]), weights)
    assert [row[2] for row in rows[-2:]] == ["−∞", "−∞"]
    plain = [[float(value.replace("−", "-")) for value in row[:2]] for row in rows]
    for score, scaled in plain:
        assert scaled == pytest.approx(score / math.sqrt(8), abs=0.006)
    bars = tab.evaluate(
        "[...document.querySelectorAll('table.steps tbody tr:not(.sum)')].map(row => [...row.querySelectorAll('.bar')].map(bar => parseFloat(bar.style.width)))"
    )
    most = max(abs(score) for score, _ in plain)
    for (score, scaled), (first, second, third, last), weight in zip(plain, bars, weights):
        assert first == pytest.approx(50 * abs(score) / most, abs=0.5)
        assert second == pytest.approx(50 * abs(scaled) / most, abs=0.5)
        assert last == pytest.approx(100 * float(weight), abs=0.6)
        assert third in (pytest.approx(second, abs=0.01), 0)
    tips = tab.evaluate(
        "[...document.querySelectorAll('table.steps td[data-tip]')].map(cell => cell.dataset.tip)"
    )
    assert tips[0] == f"scores, query · key: {rows[0][0]}"


def test_the_title_states_what_the_first_head_does(bert, figure):
    row = weights_of(bert, "w5 w7 w10", 1)[2]
    best = [*TOKENIZER.encoding("w5 w7 w10").tokens, "[PAD]", "[PAD]"][row.argmax()]
    assert figure.label == f"In second head, “w7” gives {row.max():.0%} of its weight to “{best}”"


def test_another_token_asks_by_pointer_and_by_key_and_the_figure_says_so(tab, bert, figure):
    show(tab, figure)
    for act, asks in (
        (lambda: tab.get_by_role("button", name="w10").press("Enter"), 3),
        (lambda: tab.get_by_role("button", name="w5").click(), 1),
    ):
        act()
        row = weights_of(bert, "w5 w7 w10", 1)[asks]
        name = TOKENIZER.encoding("w5 w7 w10").tokens[asks]
        best = (TOKENIZER.encoding("w5 w7 w10").tokens + ["[PAD] 5", "[PAD] 6"])[row.argmax()]
        assert status(tab).startswith(
            f"In second head, “{name}” looks at “{best}” with {row.max():.2f}"
        )
        assert tab.locator("button[aria-pressed=true]").inner_text() == name


@pytest.mark.parametrize("theme, width", [("light", 320), ("dark", 390)])
def test_nothing_sticks_out_on_a_phone(tab, figure, theme, width):
    before = tab.viewport_size
    tab.set_viewport_size({"width": width, "height": 800})
    show(tab, figure, theme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.set_viewport_size(before)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"texts": ["w5 w7"]}, "'w5 w7' must take one of `words` at each of 3 places"),
        ({"texts": ["w5 w5 w10"]}, "'w5 w5 w10' must take one"),
        (
            {"words": [["w5"], ["w7", "qq"], ["w10"]]},
            "must be one token of the vocabulary, and 'qq' is not",
        ),
        ({"heads": {2: "third"}}, "no head 2 in a layer whose heads are 0 to 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(bert, changes, message):
    with pytest.raises(ValueError, match=message):
        attention_head(
            bert,
            TOKENIZER,
            **{"texts": ["w5 w7 w10"], "words": WORDS, "heads": {0: "first"}} | changes,
        )
