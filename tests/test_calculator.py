"""The calculator page: its script computes what the package computes, says what is wrong with a wrong number, and loads nothing."""

import re

import pytest
from playwright.sync_api import sync_playwright

from minibert import BertConfig
from minibert.config import PRESETS
from minibert.inspection import GPUS, activations, count_parameters, flops, gpu_hours, memory, training_flops
from test_book_browser import PHONE, QUIET, overflow
from tools.environment import ROOT

FRAGMENT, SCRIPT = ROOT / "book" / "calculator.html", ROOT / "book" / "_static" / "calculator.js"
FIELDS = {"words": "vocab_size", "hidden": "hidden_size", "layers": "num_hidden_layers", "heads": "num_attention_heads", "wide": "intermediate_size",
          "positions": "max_position_embeddings", "segments": "type_vocab_size", "kind": "position_embedding_type", "first": "norm_first"}
STEP = {"batch": 32, "length": 128, "precision": "float32", "fused": True}
TRAINING = {"tokens": 10, "peak": 312, "used": 20, "machines": 1}
BASE = {"words": 30522, "hidden": 768, "layers": 12, "heads": 12, "wide": 3072, "positions": 512, "segments": 2, "kind": "absolute", "first": False}
CONFIGS = [
    BASE, BASE | {"length": 512, "batch": 1}, BASE | {"heads": 24, "fused": False}, BASE | {"first": True, "precision": "mixed"},
    BASE | {"kind": "sinusoidal", "length": 500, "fused": False, "precision": "mixed"}, BASE | {"kind": "none", "length": 2048, "batch": 3},
    BASE | {"hidden": 1024, "heads": 16, "layers": 24, "wide": 4096, "tokens": 137.5, "machines": 64, "used": 33.3},
    {"words": 90, "hidden": 24, "layers": 3, "heads": 4, "wide": 40, "positions": 16, "segments": 1, "kind": "absolute", "first": False, "length": 10, "batch": 7},
    {"words": 7, "hidden": 6, "layers": 1, "heads": 6, "wide": 1, "positions": 30, "segments": 5, "kind": "none", "first": True, "length": 30, "batch": 1, "peak": 8.1},
    {"words": 1, "hidden": 1, "layers": 1, "heads": 1, "wide": 1, "positions": 1, "segments": 1, "kind": "absolute", "first": False, "length": 1, "batch": 1},
    BASE | {"words": 250_000, "segments": 16, "length": 50, "fused": False}, BASE | {"layers": 30, "positions": 100_000, "length": 70_000, "fused": False},
]


@pytest.fixture(scope="module")
def browser(needs_chromium):
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=needs_chromium, args=QUIET)
        yield started
        started.close()


@pytest.fixture
def tab(browser, tmp_path):
    """The form alone in a page, from a file; whatever it asks for besides its script is an error."""
    script = "../_static/calculator.js"
    html = FRAGMENT.read_text(encoding="utf-8")
    assert html.count(script) == 1
    place = tmp_path / "page.html"
    place.write_text(f'<!DOCTYPE html><meta charset="utf-8"><title>page</title>{html.replace(script, SCRIPT.as_uri())}', encoding="utf-8")
    opened, wrong = browser.new_page(), []
    opened.on("request", lambda request: wrong.append(request.url) if request.url not in (place.as_uri(), SCRIPT.as_uri()) else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.goto(place.as_uri())
    yield opened
    opened.close()
    assert wrong == []


def config_of(values):
    return BertConfig(**{FIELDS[name]: value for name, value in values.items() if name in FIELDS})


def same(found, expected):
    """Equal numbers, to the last digit while a float64 counts by ones."""
    return found == pytest.approx(expected, rel=1e-12, abs=0) if expected > 2 ** 53 or isinstance(expected, float) else found == expected


@pytest.mark.parametrize("values", CONFIGS, ids=range(len(CONFIGS)))
def test_the_script_computes_what_the_package_computes(tab, values):
    values = STEP | TRAINING | values
    found = tab.evaluate("values => minibertCalculator.cost(values)", values)
    config, shape = config_of(values), (values["batch"], values["length"])
    half = values["precision"] == "mixed"
    parameters, forward = count_parameters(config), flops(config, *shape)
    kept = activations(config, *shape, number=2 if half else 4)
    operations = training_flops(config, values["tokens"] * 1e9, values["length"])
    hours = gpu_hours(operations, values["peak"] * 1e12, values["used"] / 100)
    for part in set(parameters) | set(found["parameters"]):
        assert same(found["parameters"][part], parameters.get(part, 0)), part
    for part in set(forward) | set(found["forward"]):
        assert same(found["forward"][part], forward.get(part, 0)), part
    for part in kept:
        assert same(found["activations"].pop(part), kept[part] if part != "attention: weights" or not values["fused"] else 0), part
    assert found["activations"] == {}
    assert same(found["total"], sum(parameters.values())) and same(found["step"], 3 * sum(forward.values()))
    assert found["memory"]["weights"] == memory(found["total"])["weights float16" if half else "weights float32"] == found["memory"]["gradients"]
    assert sum(found["memory"].values()) == memory(found["total"])["training with AdamW"]
    assert same(found["operations"], operations) and found["days"] == pytest.approx(hours / 24 / values["machines"], rel=1e-12)


def test_the_presets_are_those_of_the_package(tab):
    assert set(tab.evaluate("minibertCalculator.presets")) == set(PRESETS)
    for name in PRESETS:
        assert config_of(tab.evaluate("name => minibertCalculator.preset(name)", name)) == BertConfig.preset(name)
    offered = tab.evaluate("[...document.querySelector('[name=preset]').options].map(option => option.value)")
    assert sorted(offered) == ["", *sorted(PRESETS)]


def shown(tab, table):
    return dict(re.findall(r"^(.+?)\t(.+?)\t.*$", tab.locator(f"table[data-of={table}] tbody").inner_text(), re.MULTILINE))


def test_the_page_begins_with_base_and_shows_its_109_482_240_parameters(tab):
    assert shown(tab, "parameters")["total"] == "109,482,240" and shown(tab, "parameters")["feed-forward"] == "56,669,184"
    assert shown(tab, "memory") == {"weights": "417.6 MiB", "gradients": "417.6 MiB", "optimiser": "835.3 MiB", "activations": "2,403.8 MiB", "total": "4,074.3 MiB"}
    assert "109,482,240 parameters" in tab.get_by_role("status").inner_text() and "24.3 hours" in tab.get_by_role("status").inner_text()


def test_it_is_worked_by_keyboard(tab):
    tab.keyboard.press("Tab")       # the first field
    assert tab.evaluate("document.activeElement.name") == "preset"
    tab.keyboard.type("mini")
    assert shown(tab, "parameters")["total"] == "11,170,560"
    tab.keyboard.press("Tab")
    tab.keyboard.press("ArrowUp")   # a fifth layer
    assert shown(tab, "parameters")["total"] == f"{sum(count_parameters(BertConfig.preset('mini', num_hidden_layers=5)).values()):,}"
    assert tab.locator("[name=preset]").input_value() == "", "it is no preset any more"
    tab.keyboard.press("Enter")
    assert tab.locator("form").is_visible(), "there is nowhere to send a form"


def test_every_field_has_a_name(tab):
    for field in tab.locator("input, select").all():
        assert field.evaluate("field => field.labels.length === 1 && field.labels[0].innerText.trim().length > 3")
    for table in tab.locator("table").all():
        assert table.locator("caption").inner_text() and table.locator("th[scope=row]").count() >= 4


@pytest.mark.parametrize("field, value, sentence", [
    ("layers", "0", "Layers must be a whole number from 1 to 1,000,000, not 0."),
    ("layers", "1.5", "Layers must be a whole number from 1 to 1,000,000, not 1.5."),
    ("words", "", "Words must be a whole number from 1 to 1,000,000; the field holds no number."),
    ("wide", "-3", "Feed-forward width must be a whole number from 1 to 1,000,000, not -3."),
    ("positions", "2e6", "Positions must be a whole number from 1 to 1,000,000, not 2000000."),
    ("heads", "5", "A hidden size of 768 cannot be shared out evenly among 5 heads: 3 would be left over."),
    ("length", "513", "A row of 513 tokens is longer than the model's 512 positions."),
    ("tokens", "0", "Billions of tokens must be a number above 0, not 0."),
    ("used", "101", "The share of them that training uses is at most 100 per cent, not 101."),
])
def test_bad_input_gets_a_sentence_at_its_field(tab, field, value, sentence):
    tab.locator(f"[name={field}]").fill(value)
    assert tab.get_by_role("alert").inner_text() == sentence
    assert tab.evaluate("[...document.querySelectorAll('[aria-invalid]')].map(field => field.name)") == [field]
    assert tab.locator(f"[name={field}]").get_attribute("aria-describedby") == tab.get_by_role("alert").get_attribute("id")
    assert not tab.get_by_role("status").is_visible(), "no number stands beside a mistake"
    tab.locator("[name=preset]").select_option("tiny")
    if field in FIELDS:
        assert tab.get_by_role("alert").inner_text() == "" and tab.get_by_role("status").is_visible()


def test_odd_sizes_cannot_be_sinusoidal(tab):
    tab.locator("[name=kind]").select_option("sinusoidal")
    tab.locator("[name=heads]").fill("1")
    tab.locator("[name=hidden]").fill("7")
    assert tab.get_by_role("alert").inner_text() == "Sinusoidal positions come in pairs of sine and cosine, so the hidden size must be even, not 7."


def test_a_wrong_number_is_wrong_for_the_package_too():
    for changes in ({"num_hidden_layers": 0}, {"num_attention_heads": 5}, {"hidden_size": 7, "num_attention_heads": 1, "position_embedding_type": "sinusoidal"}):
        with pytest.raises(ValueError):
            BertConfig.preset("base", **changes)


def test_the_table_for_paper_is_right():
    rows = re.findall(r"^\| (\w+) \| (\d.*) \|$", (ROOT / "book" / "calculator.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in rows] == ["mini", "teaching", "base", "large"]
    for name, row in rows:
        config = BertConfig.preset(name)
        total, forward, kept = sum(count_parameters(config).values()), sum(flops(config, 32).values()), activations(config, 32)
        hours = gpu_hours(training_flops(config, 1e10), GPUS["A100"], 0.2)
        kept.pop("attention: weights")
        assert row.split(" | ") == [f"{total:,}", f"{memory(total)['training with AdamW'] / 2 ** 20:,.1f} MiB", f"{sum(kept.values()) / 2 ** 20:,.1f} MiB",
                                    f"{forward / 1e9:,.2f} billion", f"{3 * forward / 1e9:,.2f} billion", f"{hours:,.1f} hours"]


def test_the_page_in_the_book(browser, site, tmp_path):
    """From a file, as the book is built: it fits a phone, says without scripts where the numbers are, and prints its results without its form."""
    address = (site / "book" / "calculator.html").as_uri()
    page = browser.new_page(viewport=PHONE)
    page.goto(address)
    assert shown(page, "parameters")["total"] == "109,482,240"
    assert overflow(page) == ""
    page.emulate_media(media="print")
    assert not page.locator(".calculator form").is_visible() and page.locator(".calculator-sum").is_visible()
    page.close()
    without = browser.new_context(java_script_enabled=False)
    page = without.new_page()
    page.goto(address)
    assert not page.locator(".calculator").is_visible() and "Scripts are off" in page.locator(".bd-article").inner_text() and "335,141,888" in page.locator(".bd-article").inner_text()
    without.close()
