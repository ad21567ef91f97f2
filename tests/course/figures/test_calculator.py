"""The calculator, in a notebook and on its page: it computes what the package computes, says what is wrong with a wrong number, and loads nothing."""

import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pytest
from book_browser import PHONE, overflow
from figure_page import load, show, status
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from minibert import BertConfig
from minibert.config import PRESETS
from minibert.course import figures
from minibert.course.figures import calculator
from minibert.inference.model_cost import (
    GPUS,
    activations,
    count_parameters,
    flops,
    gpu_hours,
    memory,
    training_flops,
)
from tools import page_stills
from tools.environment import ROOT
from tools.stills import digest

FIELDS = {
    "words": "vocab_size",
    "hidden": "hidden_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "wide": "intermediate_size",
    "positions": "max_position_embeddings",
    "segments": "type_vocab_size",
    "kind": "position_embedding_type",
    "first": "norm_first",
}
STEP = {"batch": 32, "length": 128, "precision": "float32", "fused": True}
TRAINING = {"tokens": 10, "peak": 312, "used": 20, "machines": 1}
BASE = {
    "words": 30522,
    "hidden": 768,
    "layers": 12,
    "heads": 12,
    "wide": 3072,
    "positions": 512,
    "segments": 2,
    "kind": "absolute",
    "first": False,
}
CONFIGS = [
    BASE,
    BASE | {"length": 512, "batch": 1},
    BASE | {"heads": 24, "fused": False},
    BASE | {"first": True, "precision": "mixed"},
    BASE | {"kind": "sinusoidal", "length": 500, "fused": False, "precision": "mixed"},
    BASE | {"kind": "none", "length": 2048, "batch": 3},
    BASE
    | {
        "hidden": 1024,
        "heads": 16,
        "layers": 24,
        "wide": 4096,
        "tokens": 137.5,
        "machines": 64,
        "used": 33.3,
    },
    {
        "words": 90,
        "hidden": 24,
        "layers": 3,
        "heads": 4,
        "wide": 40,
        "positions": 16,
        "segments": 1,
        "kind": "absolute",
        "first": False,
        "length": 10,
        "batch": 7,
    },
    {
        "words": 7,
        "hidden": 6,
        "layers": 1,
        "heads": 6,
        "wide": 1,
        "positions": 30,
        "segments": 5,
        "kind": "none",
        "first": True,
        "length": 30,
        "batch": 1,
        "peak": 8.1,
    },
    {
        "words": 1,
        "hidden": 1,
        "layers": 1,
        "heads": 1,
        "wide": 1,
        "positions": 1,
        "segments": 1,
        "kind": "absolute",
        "first": False,
        "length": 1,
        "batch": 1,
    },
    BASE | {"words": 250_000, "segments": 16, "length": 50, "fused": False},
    BASE | {"layers": 30, "positions": 100_000, "length": 70_000, "fused": False},
]


UNFOLD = (
    "() => document.querySelectorAll('.mb-figure details').forEach(each => { each.open = true; })"
)


@pytest.fixture
def form(tab):
    """The figure alone in a page, with all that it folds opened; whatever it asks for is an error."""
    show(tab, calculator()).evaluate(UNFOLD)
    tab.locator("table").first.wait_for()
    return tab


def config_of(values):
    return BertConfig(**{FIELDS[name]: value for name, value in values.items() if name in FIELDS})


def same(found, expected):
    """Equal numbers, to the last digit while a float64 counts by ones."""
    return (
        found == pytest.approx(expected, rel=1e-12, abs=0)
        if expected > 2**53 or isinstance(expected, float)
        else found == expected
    )


@pytest.fixture(scope="module")
def formulas(tab):
    """The figure's functions without the figure."""
    load(tab, "costs.js")
    return [tab.evaluate("values => cost(values)", STEP | TRAINING | values) for values in CONFIGS]


@pytest.mark.parametrize("number", range(len(CONFIGS)))
def test_the_script_computes_what_the_package_computes(formulas, number):
    values, found = STEP | TRAINING | CONFIGS[number], formulas[number]
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
        assert same(
            found["activations"].pop(part),
            kept[part] if part != "attention: weights" or not values["fused"] else 0,
        ), part
    assert found["activations"] == {}
    assert same(found["total"], sum(parameters.values())) and same(
        found["step"], 3 * sum(forward.values())
    )
    assert (
        found["memory"]["weights"]
        == memory(found["total"])["weights float16" if half else "weights float32"]
        == found["memory"]["gradients"]
    )
    assert sum(found["memory"].values()) == memory(found["total"])["training with AdamW"]
    assert same(found["operations"], operations) and found["days"] == pytest.approx(
        hours / 24 / values["machines"], rel=1e-12
    )


def test_the_presets_are_those_of_the_package(form):
    offered = form.evaluate(
        "[...document.querySelector('[name=preset]').options].map(option => option.value)"
    )
    assert offered == ["", *PRESETS]
    for name in PRESETS:
        form.locator("[name=preset]").select_option(name)
        values = {field: form.locator(f"[name={field}]").input_value() for field in FIELDS}
        numbers = {
            field: int(value) if value.isdigit() else value for field, value in values.items()
        }
        assert config_of(
            numbers | {"first": {"pre": True, "post": False}[values["first"]]}
        ) == BertConfig.preset(name)


def test_it_can_begin_with_any_preset(tab):
    assert (
        shown(show(tab, calculator("mini")), "parameters")["total"]
        == f"{sum(count_parameters(BertConfig.preset('mini')).values()):,}"
    )
    assert tab.locator("[name=preset]").input_value() == "mini"
    with pytest.raises(ValueError, match="preset must be one of"):
        calculator("huge")


def shown(tab, table):
    tab.evaluate(UNFOLD)
    return dict(
        re.findall(
            r"^(.+?)\t(.+?)\t.*$",
            tab.locator(f"table[data-of={table}] tbody").inner_text(),
            re.MULTILINE,
        )
    )


def test_it_begins_with_base_and_shows_its_109_482_240_parameters(form):
    assert (
        shown(form, "parameters")["total"] == "109,482,240"
        and shown(form, "parameters")["feed-forward"] == "56,669,184"
    )
    assert shown(form, "memory") == {
        "weights": "417.6 MiB",
        "gradients": "417.6 MiB",
        "optimiser": "835.3 MiB",
        "activations": "2,403.8 MiB",
        "total": "4,074.3 MiB",
    }
    assert (
        "109,482,240 parameters" in form.get_by_role("status").inner_text()
        and "24.3 hours" in form.get_by_role("status").inner_text()
    )


def test_title_and_bars_follow_the_form(form):
    """They say what the tables say, for a preset and for sizes of one's own."""

    def title():
        return form.locator(".mb-label").inner_text()

    def parts(row):
        return form.locator(".mb-row").nth(row).locator("[data-tip]")

    def tips(row):
        return [part.get_attribute("data-tip") for part in parts(row).all()]

    def facts():
        return [" ".join(fact.split()) for fact in form.locator(".mb-facts p").all_inner_texts()]

    assert title() == (
        "Training BERT-base takes 4.0 GiB of memory, 9.8 times what its 109 million weights take"
    )
    each = [
        "weights: 417.6 MiB, 10.3% of a training step",
        "gradients: 417.6 MiB, 10.3% of a training step",
        "optimiser: 835.3 MiB, 20.5% of a training step",
        "activations: 2,403.8 MiB, 59.0% of a training step",
    ]
    assert [tips(row) for row in range(5)] == [[tip] for tip in each] + [each]
    assert form.locator(".mb-value").all_inner_texts() == [
        "0.41 GiB",
        "0.41 GiB · 1 ×",
        "0.82 GiB · 2 ×",
        "2.3 GiB · 5.8 ×",
        "4.0 GiB = 9.8 × the weights",
    ]
    assert facts() == [
        "109,482,240 parameters 52% in feed-forward layers",
        "2.15 trillion operations per step 3 × a forward pass",
        "24.3 hours to train 10 billion tokens on one A100",
    ]
    form.locator("[name=layers]").fill("24")
    assert title().startswith("Training this BERT takes 7.6 GiB of memory, 10.4 times what its 195")
    form.locator("[name=peak]").fill("100")
    assert facts()[2].endswith("on one processor")
    form.locator("[name=preset]").select_option("teaching")
    assert title().startswith("Training the teaching model takes ")
    form.locator("[name=heads]").fill("5")
    assert title() == calculator().label and not form.locator(".mb-row").first.is_visible()


@pytest.mark.parametrize("preset, length", [("base", 128), ("tiny", 128), ("large", 512)])
def test_bars_lie_to_scale_one_behind_the_other(form, preset, length):
    form.locator("[name=preset]").select_option(preset)
    form.locator("[name=length]").fill(str(length))
    config = BertConfig.preset(preset)
    kept, bytes_ = activations(config, 32, length), memory(sum(count_parameters(config).values()))
    kept.pop("attention: weights")
    weights = bytes_["weights float32"]
    held = [weights, weights, 2 * weights, sum(kept.values())]
    boxes = [part.bounding_box() for part in form.locator(".mb-fill").all()]
    whole = boxes.pop()
    at = whole["x"]
    for box, size in zip(boxes, held, strict=True):
        width = whole["width"] * size / sum(held)
        assert box["x"] == pytest.approx(at, abs=1) and box["width"] == pytest.approx(width, abs=1)
        at += width
    edge = whole["x"] + whole["width"]
    for value in form.locator(".mb-value").all():
        box = value.bounding_box()
        assert whole["x"] - 1 <= box["x"] and box["x"] + box["width"] <= edge + 1, "it sticks out"


def test_a_hand_pulls_a_number_and_follows_it(form):
    """The one of the sequences goes by powers of two."""
    layers, batch = form.get_by_label("Layers").last, form.get_by_label("Sequences per step").last
    assert layers.input_value() == "12" and batch.input_value() == "5"
    batch.press("ArrowRight")
    assert form.locator("[name=batch]").input_value() == "64"
    assert shown(form, "memory")["activations"] == "4,807.6 MiB"
    assert form.locator("[name=preset]").input_value() == "base", "a step is no size of the model"
    layers.press("End")
    assert form.locator("[name=layers]").input_value() == "48"
    assert form.locator("[name=preset]").input_value() == ""
    form.locator("[name=layers]").fill("100")
    assert layers.input_value() == "48" and "100" in layers.get_attribute("aria-valuetext")
    form.locator("[name=batch]").fill("")
    assert batch.input_value() == "0"


def test_it_is_worked_by_keyboard(form):
    form.keyboard.press("Tab")  # the first field
    assert form.evaluate("document.activeElement.name") == "preset"
    form.keyboard.type("mini")
    assert shown(form, "parameters")["total"] == "11,170,560"
    form.keyboard.press("Tab")
    form.keyboard.press("ArrowUp")  # a fifth layer
    assert (
        shown(form, "parameters")["total"]
        == f"{sum(count_parameters(BertConfig.preset('mini', num_hidden_layers=5)).values()):,}"
    )
    assert form.locator("[name=preset]").input_value() == "", "it is no preset any more"
    form.keyboard.press("Enter")
    assert form.locator("form").is_visible(), "there is nowhere to send a form"


def test_every_field_has_a_name(form):
    for field in form.locator("input, select").all():
        assert field.evaluate(
            "field => (field.ariaLabel || field.labels.length === 1 && field.labels[0].innerText.trim()).length > 3"
        )
    for table in form.locator("table").all():
        assert table.locator("caption").inner_text() and table.locator("th[scope=row]").count() >= 4


@pytest.mark.parametrize(
    "field, value, sentence",
    [
        ("layers", "0", "Layers must be a whole number from 1 to 1,000,000, not 0."),
        ("layers", "1.5", "Layers must be a whole number from 1 to 1,000,000, not 1.5."),
        (
            "words",
            "",
            "Words must be a whole number from 1 to 1,000,000; the field holds no number.",
        ),
        ("wide", "-3", "Feed-forward width must be a whole number from 1 to 1,000,000, not -3."),
        ("positions", "2e6", "Positions must be a whole number from 1 to 1,000,000, not 2000000."),
        (
            "heads",
            "5",
            "A hidden size of 768 cannot be shared out evenly among 5 heads: 3 would be left over.",
        ),
        ("length", "513", "A row of 513 tokens is longer than the model's 512 positions."),
        ("tokens", "0", "Billions of tokens must be a number from 0.000001 to 1,000,000, not 0."),
        (
            "peak",
            "1e-320",
            "Trillions of operations a second must be a number from 0.000001 to 1,000,000, not 1e-320.",
        ),
        ("used", "101", "The share of them that training uses is at most 100 per cent, not 101."),
    ],
)
def test_bad_input_gets_a_sentence_at_its_field(form, field, value, sentence):
    form.locator(f"[name={field}]").fill(value)
    assert form.get_by_role("alert").inner_text() == sentence
    assert form.evaluate(
        "[...document.querySelectorAll('[aria-invalid]')].map(field => field.name)"
    ) == [field]
    assert form.locator(f"[name={field}]").get_attribute("aria-describedby") == form.get_by_role(
        "alert"
    ).get_attribute("id")
    assert status(form) == "" and not form.locator("table").count(), (
        "no number stands beside a mistake"
    )
    form.locator("[name=preset]").select_option("tiny")
    if field in FIELDS:
        assert form.get_by_role("alert").inner_text() == "" and "parameters" in status(form)


def test_a_time_is_said_in_the_unit_that_fits_it(tab):
    load(tab, "costs.js")
    times = [1e-9, 0.5 / 1440, 1 / 1440, 1 / 24, 1.9, 2, 1234.56, 2e6, 3e40]
    assert tab.evaluate("times => times.map(timeOf)", times) == [
        "less than a second",
        "30.0 seconds",
        "1.0 minutes",
        "1.0 hours",
        "45.6 hours",
        "2.0 days",
        "1,234.6 days",
        "2.00 million days",
        "3.00 × 10⁴⁰ days",
    ]


def test_odd_sizes_cannot_be_sinusoidal(form):
    form.locator("[name=kind]").select_option("sinusoidal")
    form.locator("[name=heads]").fill("1")
    form.locator("[name=hidden]").fill("7")
    assert (
        form.get_by_role("alert").inner_text()
        == "Sinusoidal positions come in pairs of sine and cosine, so the hidden size must be even, not 7."
    )


def test_a_wrong_number_is_wrong_for_the_package_too():
    for changes in (
        {"num_hidden_layers": 0},
        {"num_attention_heads": 5},
        {"hidden_size": 7, "num_attention_heads": 1, "position_embedding_type": "sinusoidal"},
    ):
        with pytest.raises(ValueError):
            BertConfig.preset("base", **changes)


def test_the_table_for_paper_is_right():
    rows = re.findall(
        r"^\| (\w+) \| (\d.*) \|$",
        (ROOT / "book" / "calculator.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert [name for name, _ in rows] == ["teaching", "mini", "base", "large"]
    for name, row in rows:
        config = BertConfig.preset(name)
        total, forward, kept = (
            sum(count_parameters(config).values()),
            sum(flops(config, 32).values()),
            activations(config, 32),
        )
        hours = gpu_hours(training_flops(config, 1e10), GPUS["A100"], 0.2)
        kept.pop("attention: weights")
        assert row.split(" | ") == [
            f"{total:,}",
            f"{memory(total)['training with AdamW'] / 2**20:,.1f}",
            f"{sum(kept.values()) / 2**20:,.1f}",
            f"{forward / 1e9:,.2f}",
            f"{3 * forward / 1e9:,.2f}",
            f"{hours:,.1f}",
        ]


def test_the_page_in_the_book(tab, site):
    """From a file, as the book is built: it fits a phone, says without scripts where the numbers are, and prints its results without its form."""
    address, started = (site / "book" / "calculator.html").as_uri(), tab.context.browser
    page = started.new_page(viewport=PHONE)
    page.goto(address)
    page.locator("[name=preset]").wait_for()
    assert shown(page, "parameters")["total"] == "109,482,240"
    assert overflow(page) == ""
    page.emulate_media(media="print")
    assert (
        not page.locator(".mb-calculator form").is_visible()
        and "109,482,240" in page.get_by_role("status").inner_text()
    )
    page.close()
    page = started.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    assert page.locator("img.figure-still").is_visible() and overflow(page) == ""
    assert (
        not page.locator("form [name=preset]").count()
        and "Scripts are off" in page.locator(".bd-article").inner_text()
        and "335,141,888" in page.locator(".bd-article").inner_text()
    )
    page.context.close()


@pytest.mark.parametrize("name", page_stills.named())
def test_the_picture_on_a_page_is_that_of_its_figure(name):
    """`python tools/page_stills.py` draws it anew."""
    assert page_stills.drawn_from(page_stills.FOLDER / f"{name}.png") == digest(
        getattr(figures, name)().get_state()
    )


def test_only_a_picture_of_another_figure_is_drawn_anew(needs_chromium, tmp_path):
    def store():
        with ThreadPoolExecutor(1) as threads:  # Playwright runs once in a thread
            return threads.submit(page_stills.store, tmp_path).result()

    assert store() == page_stills.named() == ["calculator"] and store() == []
    with Image.open(tmp_path / "calculator.png") as image:
        assert image.width > 1000 and image.height < 1.8 * image.width, (
            "it fits on a sheet of paper"
        )
        image.save(tmp_path / "calculator.png")  # without what it was drawn from
    assert store() == ["calculator"]


def test_a_page_names_a_figure_that_there_is(tmp_path):
    """The directive: a name that minibert.course.figures has not stops the build with a sentence, and so does a figure without its picture."""
    (tmp_path / "conf.py").write_text(
        f"import sys; sys.path.insert(0, {str(ROOT / 'book' / '_ext')!r}); extensions = ['minibert_moving']",
        encoding="utf-8",
    )
    (tmp_path / "index.rst").write_text(
        "Page\n====\n\n.. moving-figure:: calculator\n\n.. moving-figure:: oracle\n\n.. moving-figure:: flipbook\n",
        encoding="utf-8",
    )
    shutil.copytree(page_stills.FOLDER, tmp_path / "book" / "stills")
    warnings = StringIO()
    with docutils_namespace():  # what Sphinx registers is global: leave nothing behind
        Sphinx(
            tmp_path,
            tmp_path,
            tmp_path / "out",
            tmp_path / "trees",
            "html",
            status=None,
            warning=warnings,
        ).build()
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "minibert.course.figures has no figure called 'oracle'" in warnings.getvalue()
    assert (
        "there is no picture of the figure 'flipbook': run `python tools/page_stills.py`"
        in warnings.getvalue()
    )
    assert (
        page.count("widget-view+json") == page.count("figure-still") == 1 and "figures.js" in page
    )
    assert page.index("figure-still") < page.index("widget-view+json"), (
        "the picture is there before the script has run"
    )
