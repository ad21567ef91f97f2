"""The model page: the program in the browser computes what the package computes on the same weights, and these stay near the shipped ones."""

import random
import re
import sys
import tomllib
from base64 import b64decode, b64encode

import numpy as np
import pytest
import torch
from book_browser import PHONE, opened, overflow, until
from playwright.sync_api import expect
from reference import draw_weights, small_config

from minibert import BertForPreTraining
from minibert.data.sentences import split_sentences
from minibert.hub.find_pretrained import SMALL
from minibert.summarization.scoring import score_document
from minibert.summarization.selection import select_sentences
from tools.environment import ROOT

sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "benchmarks")]
import minibert_model
import model_page

FERRY = (ROOT / "tests" / "support" / "documents" / "ferry.txt").read_text(encoding="utf-8")
TOWN = re.search(
    r"<textarea id=\"model-document\".*?>(.*?)</textarea>",
    (ROOT / "book" / "model" / "summary.html").read_text(encoding="utf-8"),
    re.DOTALL,
)[1]
PROSE = [
    sentence
    for path in [
        *sorted((ROOT / "book").glob("*.md")),
        ROOT / "README.md",
        *sorted((ROOT / "minibert" / "hub" / "pretrained").rglob("README.md")),
    ]
    for sentence in split_sentences(
        re.sub(r"[`*|#\[\]<>]|\$.*?\$", "", path.read_text(encoding="utf-8"))
    )
]
ODD = [
    "The caf\u00e9 in \u0141\u00f3d\u017a served [MASK] and \u5317\u4eac noodles.",
    "[MASK]",
    "[MASK] [MASK] [MASK]",
    "He said: \u201c[MASK]!\u201d \u2014 and left\u2026",
    "supercalifragilistic [MASK] \U0001f600 xyzzy " + "a" * 150,
    "the sea and the land " * 60 + "and the [MASK]",
]


def wait(tab) -> None:
    """A first touch, and then until all tools have answered."""
    tab.evaluate("minibertModel.wake()")
    until(
        tab,
        "document.querySelector('[data-tool=summary] .model-status').textContent.startsWith('It takes 3 of 15')",
    )


@pytest.fixture(scope="module")
def asked(browser, tools):
    """A page whose worker is asked directly: asked(task, input, what of the answer)."""
    tab, wrong = opened(browser, tools)
    wait(tab)
    yield lambda task, question, what: tab.evaluate(
        f"([task, question]) => minibertModel.ask(task, question).then((answer) => ({what}))",
        [task, question],
    )
    tab.context.close()
    assert wrong == []


@pytest.fixture
def tab(browser, tools):
    """A fresh page, to be used as a reader would."""
    made, wrong = opened(browser, tools)
    wait(made)
    yield made
    made.context.close()
    assert wrong == []


# ---------------------------------------------------------------- the weights


def test_a_row_is_whole_numbers_and_one_scale():
    weight = torch.tensor([[1.0, -4.0, 0.5], [0.0, 0.0, 0.0], [-0.3, 0.2, 0.1]])
    scale, numbers, bits = minibert_model.quantise(
        "bert.encoder.layer.3.output.dense.weight", weight
    )
    assert bits == 8 and scale.tolist() == pytest.approx([4 / 127, 1, 0.3 / 127])
    assert numbers.tolist() == [[32, -127, 16], [0, 0, 0], [-127, 85, 42]]
    _, fine, bits = minibert_model.quantise("cls.predictions.transform.dense.weight", weight)
    assert bits == 16 and fine[0].tolist() == [8192, -32767, 4096]


def test_every_number_is_within_half_a_step_of_the_shipped_one(same):
    kept = model_page.decoded(model_page.page_files())
    shipped = minibert_model.page_tensors(
        model_page.from_pretrained(SMALL), model_page.open_summarizer(SMALL)[0]
    )
    assert kept.keys() == shipped.keys() and sum(tensor.numel() for tensor in kept.values()) == sum(
        tensor.numel() for tensor in shipped.values()
    )
    for name, tensor in shipped.items():
        step = (
            tensor.float().abs().amax(-1, keepdim=True) / 127
            if tensor.dim() == 2
            else torch.zeros(1)
        )
        assert ((kept[name] - tensor.float()).abs() <= 0.5001 * step).all(), name


def test_the_first_word_is_the_shipped_models():
    """On prose of this repository; the log of benchmarks/model_page.py has the same on held-out text, and what eight bits everywhere give."""
    kept = model_page.decoded(model_page.page_files())
    shares = [model_page.agreement(tuple(PROSE), kept, len(PROSE), seed) for seed in (1, 2, 3)]
    assert (
        len(PROSE) > 700 and sum(shares) / 3 >= 0.975
    )  # 2,900 masks: a standard error of a quarter of a point


def test_the_files_are_small_and_plain():
    files = model_page.page_files()
    own = [
        path.read_text(encoding="utf-8")
        for path in (ROOT / "book" / "_static" / "model").glob("*.*")
    ]
    assert (
        sum(
            len(text.encode())
            for text in [
                *files.values(),
                *own,
                *(path.read_text(encoding="utf-8") for path in (ROOT / "book" / "model").glob("*")),
            ]
        )
        < 8_000_000
    )
    assert all(text.isascii() for name, text in files.items() if name.startswith("weights"))
    assert not any(
        re.search(
            r"https?://(?!www\.w3\.org/2000/svg)|\bfetch\(|XMLHttpRequest|importScripts|\bimport\b[ (]|\bexport\b",
            text,
        )
        for text in [files["engine.js"], *own]
        if not text.startswith("/*")
    ), "a page from a file can fetch nothing"


def test_a_model_that_the_page_cannot_compute_is_refused(same):
    model, summarizer, _ = same
    minibert_model.check(model, summarizer)

    class Other:
        config = type("Config", (), {**vars(model.config), "hidden_act": "relu"})

    with pytest.raises(
        ValueError, match="cannot compute this model: hidden_act 'relu', not 'gelu'"
    ):
        minibert_model.check(Other, summarizer)


# ---------------------------------------------------------------- the program against the package


def masked_sentences() -> list[str]:
    """A hundred sentences with blanks: the prompts of a benchmark, odd ones, and sentences of this repository with one or two words hidden."""
    prompts = [
        prompt["text"]
        for prompt in tomllib.loads(
            (ROOT / "benchmarks" / "prompts.toml").read_text(encoding="utf-8")
        )["prompt"]
    ]
    draw, hidden = random.Random(0), []
    for sentence in draw.sample(
        [
            sentence
            for sentence in split_sentences(FERRY) + split_sentences(TOWN) + PROSE
            if 5 <= len(sentence.split()) <= 60
        ],
        54,
    ):
        words = sentence.split()
        for place in draw.sample(range(len(words)), draw.choice([1, 1, 1, 2])):
            words[place] = "[MASK]"
        hidden.append(" ".join(words))
    return prompts + ODD + hidden


def test_probabilities_are_the_packages(asked, same):
    model, _, tokenizer = same
    sentences, largest = masked_sentences(), 0
    assert len(sentences) == 100
    what = "answer.blanks.map(({ place, probabilities }) => [place, btoa(Array.from(new Uint8Array(probabilities.buffer), (byte) => String.fromCharCode(byte)).join(''))])"
    for sentence in sentences:
        batch = tokenizer(sentence)
        with torch.no_grad():
            expected = model(**batch).prediction_logits[0].softmax(-1).numpy()
        blanks = asked("fill", {"text": sentence}, what)
        assert [place for place, _ in blanks] == (
            batch["input_ids"][0] == tokenizer.mask_id
        ).nonzero().flatten().tolist(), sentence
        for place, found in blanks:
            largest = max(
                largest,
                np.abs(np.frombuffer(b64decode(found), dtype="<f4") - expected[place]).max(),
            )
    assert largest < 1e-4, largest  # wanted is 1e-3


def test_attention_is_the_packages(asked, same):
    model, _, tokenizer = same
    for sentence in (*ODD[:4], "The king and the [MASK] lived in a castle."):
        with torch.no_grad():
            expected = torch.stack(model(**tokenizer(sentence), output_attentions=True).attentions)[
                :, 0
            ]  # [L, A, S, S]
        found = torch.tensor(
            asked(
                "through",
                {"text": sentence, "off": []},
                "answer.attentions.map((heads) => heads.map((weights) => Array.from(weights)))",
            )
        )
        assert torch.allclose(found, expected.flatten(2), atol=1e-5), sentence


@pytest.mark.parametrize("norm_first", [False, True], ids=["post-norm", "pre-norm"])
def test_the_engine_computes_any_model_of_both_kinds(needs_chromium, browser, norm_first):
    """Random weights, ten times as large as fresh ones, on the rounded numbers that a page would hold."""
    model = draw_weights(BertForPreTraining(small_config(norm_first=norm_first))).eval()
    listed, stream = minibert_model.pack(model.state_dict())
    rounded = {
        name: tensor
        if tensor.dim() < 2
        else (lambda scale, numbers, _: scale[:, None] * numbers)(
            *minibert_model.quantise(name, tensor)
        )
        for name, tensor in model.state_dict().items()
    }
    model.load_state_dict(rounded)
    ids, segments = (
        torch.randint(1, 61, (1, 9), generator=torch.Generator().manual_seed(0)),
        torch.tensor([[0, 0, 0, 0, 1, 1, 1, 1, 1]]),
    )
    with torch.no_grad():
        expected = model(ids, token_type_ids=segments, output_attentions=True)
    about = minibert_model.shape(model.config) | {
        "tensors": listed,
        "vocabulary": "\n".join(f"w{n}" for n in range(61)),
    }
    tab = browser.new_page()
    found = tab.evaluate(
        """([program, about, text, ids, segments]) => {
      const { openModel, encode, wordProbabilities, followProbability } = new Function(`${program}; return { openModel, encode, wordProbabilities, followProbability };`)();
      const model = openModel(about, Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))), { hidden, attentions } = encode(model, ids, segments);
      return { words: ids.map((_, place) => Array.from(wordProbabilities(model, hidden, place))), follows: followProbability(model, hidden), attentions: attentions.map((heads) => heads.map((head) => Array.from(head))) };
    }""",
        [
            minibert_model.program(ROOT),
            about,
            b64encode(stream).decode(),
            ids[0].tolist(),
            segments[0].tolist(),
        ],
    )
    tab.close()
    assert torch.allclose(
        torch.tensor(found["words"]), expected.prediction_logits[0].softmax(-1), atol=1e-5
    )
    assert found["follows"] == pytest.approx(
        float(expected.seq_relationship_logits.softmax(-1)[0, 0]), abs=1e-5
    )
    assert torch.allclose(
        torch.tensor(found["attentions"]),
        torch.stack(expected.attentions)[:, 0].flatten(2),
        atol=1e-5,
    )


def test_next_sentence_is_the_packages(asked, same):
    model, _, tokenizer = same
    sentences = split_sentences(FERRY) + split_sentences(TOWN) + ODD[:4]
    other = "A triangle has three sides."
    for first, second in zip(sentences[::2], sentences[1::2]):
        with torch.no_grad():
            expected = [
                float(model(**tokenizer(*pair)).seq_relationship_logits.softmax(-1)[0, 0])
                for pair in ((first, second), (second, first), (first, other))
            ]
        assert asked(
            "pair",
            {"first": first, "second": second, "other": other},
            "[answer.follows, answer.swapped, answer.unrelated]",
        ) == pytest.approx(expected, abs=1e-4), first


@pytest.mark.parametrize(
    "text",
    [
        FERRY,
        TOWN,
        TOWN + "\n\n" + FERRY + "\n \t\n" + " ".join(PROSE[:25]),
        "One. Two two two three. " + "word " * 900 + ". The end of it.",
        "Only one sentence",
    ],
    ids=["ferry", "town", "three windows", "a sentence longer than a window", "one"],
)
def test_summaries_are_the_packages(asked, same, text):
    _, summarizer, tokenizer = same
    sentences = split_sentences(text)
    document = score_document(summarizer, tokenizer, sentences)
    for k, blocking in ((1, True), (3, True), (3, False), (10, True), (10, False)):
        paragraphs, scores, chosen, windows, tokens, cut = asked(
            "summary",
            {"text": text, "k": k, "blockTrigrams": blocking},
            "[answer.paragraphs, answer.scores, answer.chosen, answer.windows, answer.tokens, answer.cut]",
        )
        assert sum(paragraphs, []) == sentences and scores == pytest.approx(
            document.scores, abs=1e-4
        )
        assert chosen == select_sentences(document.scores, sentences, k, blocking)
        assert (windows, tokens, cut) == (document.windows, document.tokens, document.sentences_cut)


def test_sentences_are_cut_as_the_package_cuts_them(tab):
    draw = random.Random(1)
    pieces = [
        "Dr.",
        "e.g.",
        "U.S.",
        "No.",
        "5",
        "Inc.",
        "J.",
        "R.R.",
        "The",
        "the",
        "I",
        "(He",
        "\u201cShe",
        "end.",
        "end!",
        "so\u2026",
        "Well...",
        "why?\u201d",
        "[1]",
        "p.m.",
        "2.",
        "\u00c9t\u00e9.",
        "\u4e2d.",
        "\u00b2",
        "\n",
        "\n\n",
        "\n \x0b\n",
        "\xa0",
        "\u2003",
        "\x1c",
        "\ufeff",
        "St.",
        "fig.",
        "Jan.",
        "Ph.D.",
        "- A",
        "\u00df.",
        "In-",
        "_x.",
        "vol.",
        "\u0663",
        "etc.)",
        "\u00bfQu\u00e9",
    ]
    texts = [FERRY, TOWN, *(" ".join(draw.choices(pieces, k=30)) for _ in range(300))]
    found = tab.evaluate(
        "(texts) => { const split = new Function(`${minibertModel.engine}; return splitParagraphs;`)(); return texts.map((text) => split(text).flat()); }",
        texts,
    )
    for text, sentences in zip(texts, found):
        assert sentences == split_sentences(text), text


def test_equal_scores_go_to_the_earlier_sentence(tab):
    sentences = ["a b c d", "x y", "a b c e", "x y", "", "q r s t"]
    scores = [0.5, 0.9, 0.9, 0.9, 0.99, 0.1]
    for k in (1, 2, 3, 9):
        for blocking in (True, False):
            expected = select_sentences(
                [
                    score if sentence else float("-inf")
                    for score, sentence in zip(scores, sentences)
                ],
                sentences,
                k,
                blocking,
            )
            shown = [score if sentence else None for score, sentence in zip(scores, sentences)]
            choose = "(arguments) => new Function(`${minibertModel.engine}; return selectSentences;`)()(...arguments).chosen"
            assert tab.evaluate(choose, [shown, sentences, k, blocking]) == expected


# ---------------------------------------------------------------- the page in a reader's hands


def status(tab, tool):
    return tab.locator(f"[data-tool={tool}] .model-status")


def test_two_texts_are_swapped(tab):
    follows, swapped, unrelated = tab.locator("[data-tool=pair] td.model-guess").all_inner_texts()
    assert float(unrelated.rstrip("%")) < 25 < 75 < float(follows.rstrip("%")), "low beside high"
    tab.get_by_role("button", name="Swap the two").click()
    tab.wait_for_function(
        "value => document.querySelector('[data-tool=pair] td.model-guess').textContent === value",
        arg=swapped,
    )
    assert tab.locator("[data-tool=pair] td.model-guess").all_inner_texts()[:2] == [
        swapped,
        follows,
    ]
    tab.get_by_label("The second text").fill(" ")
    tab.wait_for_function("document.querySelector('[data-tool=pair] .model-error').textContent")
    assert (
        tab.locator("[data-tool=pair] .model-error").inner_text()
        == "The second text is empty. Type a sentence there."
    )
    assert not tab.locator("[data-tool=pair] table").is_visible()


def test_the_summary_is_marked_in_the_text(tab):
    marks = tab.locator(".model-document mark")
    assert marks.count() == 3 and all(
        mark in " ".join(TOWN.split()) for mark in marks.all_inner_texts()
    )
    tab.get_by_label("Sentences").focus()
    for _ in range(7):
        tab.keyboard.press("ArrowRight")
    tab.wait_for_function("document.querySelectorAll('.model-passed').length > 0")
    with_blocking = marks.count()
    tab.get_by_label("Never two").focus()
    tab.keyboard.press("Space")
    tab.wait_for_function("document.querySelectorAll('.model-passed').length === 0")
    assert marks.count() == 10 >= with_blocking
    tab.get_by_label("A text in English").fill("")
    tab.wait_for_function("document.querySelector('[data-tool=summary] .model-error').textContent")
    assert (
        tab.locator("[data-tool=summary] .model-error")
        .inner_text()
        .startswith("There is no text to read yet.")
    )


def test_a_tool_that_computes_says_so(tab):
    results = tab.locator("[data-tool=summary] [data-part=results]")
    assert results.get_attribute("aria-busy") is None
    tab.get_by_label("A text in English").fill(f"{TOWN}\n\n" * 12)
    tab.wait_for_function(
        "document.querySelector('[data-tool=summary] .model-status').textContent === 'The model is computing …'"
    )
    assert results.get_attribute("aria-busy") == "true"
    tab.evaluate(
        "() => { const { drop } = minibertModel; window.drops = 0; minibertModel.drop = () => { drops += 1; drop(); }; }"
    )
    tab.get_by_label("Sentences").press("ArrowRight")
    tab.get_by_label("Never two").press("Space")
    assert tab.evaluate("drops") == 0, "the text is still the same"
    tab.get_by_label("A text in English").fill("One sentence alone.")
    tab.wait_for_function(
        "document.querySelector('[data-tool=summary] .model-status').textContent.startsWith('It takes 1 of 1')"
    )
    assert tab.evaluate("drops") == 1 and results.get_attribute("aria-busy") is None


def test_a_text_that_is_not_wanted_any_more_is_not_read_to_its_end(tab):
    found = tab.evaluate(
        """async (text) => {
      const windows = [], read = (progress) => minibertModel.ask("summary", { text, k: 3, blockTrigrams: true }, progress);
      const message = await read((done, all) => { windows.push([done, all]); minibertModel.drop(); }).catch((error) => error.message);
      const again = await read();
      return { message, windows, chosen: again.chosen.length };
    }""",
        f"{TOWN}\n\n" * 4,
    )
    assert (
        "not read to its end" in found["message"]
        and len(found["windows"]) <= 2 < found["windows"][0][1]
        and found["chosen"] == 3
    )


def test_whoever_saves_data_is_asked_first(browser, tools):
    page = browser.new_page()
    page.add_init_script(
        "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })"
    )
    loads = []
    page.on("request", lambda request: loads.append(request.url))
    page.goto(tools)
    assert not page.locator(".model-loading").is_visible(), "nobody has touched anything"
    page.get_by_role("button", name="Swap the two").click()
    page.get_by_role("button", name="Load the model").focus()
    assert not any("weights" in url or "engine" in url for url in loads)
    said = status(page, "pair")
    expect(said).to_have_text("The answer comes once the model is loaded.")
    said.evaluate(
        "line => { window.heard = []; new MutationObserver(() => heard.push(line.textContent)).observe(line, { childList: true }); }"
    )
    page.keyboard.press("Enter")
    wait(page)
    assert page.evaluate("heard")[0] == "The model is computing …", (
        "it is loaded, and the first answers take a moment"
    )
    page.close()


def test_a_missing_file_is_said(browser, tmp_path):
    address = model_page.write_page(tmp_path / "page")
    (tmp_path / "page" / "_static" / "model" / "weights-3.js").unlink()
    page = browser.new_page()
    page.goto(address.as_uri())
    page.get_by_role("button", name="Swap the two").click()
    page.wait_for_function("document.querySelector('.model-loading.model-error')")
    assert "weights-3.js could not be loaded" in page.locator(".model-loading").inner_text()
    assert (
        status(page, "pair").inner_text() == "There is no answer: the model does not run."
        and not page.locator("[aria-busy]").count()
    )
    page.close()


def test_the_page_in_the_book(browser, site):
    """From a file, as the book is built: nothing is asked for elsewhere, a phone is wide enough, and without scripts the answers stand there as text."""
    address = (site / "book" / "model.html").as_uri()
    tab, wrong = opened(browser, address, viewport=PHONE)
    wait(tab)
    assert overflow(tab) == "" and wrong == []
    tab.context.close()
    tab, wrong = opened(browser, address, scripts=False)
    text = tab.locator(".bd-article").inner_text()
    assert (
        not tab.locator(".model-tool").first.is_visible()
        and "Scripts are off" in text
        and re.search(r"He was born \[MASK\] 1902 in Chicago\.\s+\S+ \d+%", text)
    )
    assert wrong == []
    tab.context.close()
