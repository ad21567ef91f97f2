"""The head that the reader follows from scores to weights: what the page computes is what the package computes."""

import math

import pytest
import torch
from figure_page import load, show, status
from tiny_run import CONFIG, TOKENIZER

import minibert
from minibert.attention import attend
from minibert.course.figures import attention_head
from minibert.course.figures.moving import without_floats
from minibert.course.figures.packed import packed, unpacked

LAST = ["w10", "w11", "w9"]
S = 7  # [CLS], two words and the last one, [SEP] and two [PAD]s


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
    return attention_head(bert, TOKENIZER, "w5 w7", LAST, {1: "second head", 0: "first head"})


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
    if tab.locator(".mb-numbers:not([open])").count():
        tab.locator(".mb-numbers summary").click()
        tab.wait_for_selector(".mb-heat")
    rows = tab.evaluate(
        "[...document.querySelectorAll('.mb-heat tbody tr')].map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    )
    return torch.tensor(
        [[float(value.replace("−∞", "-inf").replace("−", "-")) for value in row] for row in rows]
    )


def unfold(tab, figure) -> None:
    """Draws the figure with its steps unfolded."""
    show(tab, figure)
    tab.locator(".mb-more summary").click()


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
    mask[:, seed % 6] = True
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


# ---------------------------------------------------------------- the figure


def test_every_last_word_and_head_has_the_models_own_weights(tab, bert, figure):
    show(tab, figure)
    for word in LAST:
        tab.get_by_role("radio", name=word).check()
        for name, head in (("first head", 0), ("second head", 1)):
            tab.get_by_role("radio", name=name).check()
            assert_weights(tab, weights_of(bert, f"w5 w7 {word}", head))


def test_the_last_words_are_compared_for_every_token_that_asks(tab, bert, figure):
    unfold(tab, figure)
    for query, name in ((2, "w7"), (1, "w5")):
        tab.get_by_role("button", name=name).click()
        assert tab.locator(".words legend").inner_text() == (
            f"In second head, “{name}” gives this share of its weight to the last word:"
        )
        assert tab.locator(".text .asking").all_inner_texts() == [name] * len(LAST)
        for label, word in zip(tab.locator(".words label").all(), LAST, strict=True):
            weight = float(weights_of(bert, f"w5 w7 {word}", 1)[query, 3])
            assert float(label.get_attribute("data-tip").split()[-1]) == pytest.approx(
                weight, abs=0.0055
            )
            assert label.locator("i").evaluate("bar => parseFloat(bar.style.width)") == (
                pytest.approx(100 * weight, abs=0.1)
            )


def test_the_scale_and_the_mask_are_switched_off_by_key(tab, bert, figure):
    unfold(tab, figure)
    everything = torch.ones(1, S, S, dtype=torch.bool)
    assert tab.locator("tr.off").count() == 2
    tab.get_by_label("hide the padding").press(" ")
    assert_weights(tab, weights_of(bert, "w5 w7 w10", 1, everything))
    assert not tab.locator("tr.off").count()
    tab.get_by_label("hide the padding").press(" ")
    tab.get_by_label("divide by √D = 2.83").press(" ")
    batch, part = TOKENIZER("w5 w7 w10", pad_to=S), bert.encoder.layer[0].attention.self
    with torch.no_grad():
        hidden = bert.embeddings(batch["input_ids"])
        query, key = part.split_heads(part.query(hidden)), part.split_heads(part.key(hidden))
        mask = batch["attention_mask"].bool()
        expected = attend(query * math.sqrt(8), key, key, mask)[1]
    torch.testing.assert_close(drawn(tab), expected[0, 1], atol=0.02, rtol=0)


def test_bars_and_numbers_of_one_query_are_the_steps_of_equation_1(tab, bert, figure):
    unfold(tab, figure)
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


def test_the_title_compares_the_last_words(bert, figure):
    shares = [f"{weights_of(bert, f'w5 w7 {word}', 1)[2, 3]:.0%}" for word in LAST]
    assert figure.label == (
        f"In second head, “w7” gives “w10” {shares[0]} of its weight; in its place,"
        f" “w11” would get {shares[1]} and “w9” would get {shares[2]}"
    )


def test_another_token_asks_by_pointer_and_by_key_and_the_figure_says_so(tab, bert, figure):
    unfold(tab, figure)
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
        ({"last": ["w10"]}, r"at least two words to compare, not \['w10'\]"),
        ({"text": "w5 qq"}, "must be one token of the vocabulary, and 'qq' is not"),
        ({"heads": {2: "third"}}, "no head 2 in a layer whose heads are 0 to 1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(bert, changes, message):
    with pytest.raises(ValueError, match=message):
        attention_head(
            bert,
            TOKENIZER,
            **{"text": "w5 w7", "last": LAST, "heads": {0: "first"}} | changes,
        )
