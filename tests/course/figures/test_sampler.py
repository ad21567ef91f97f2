"""The sampler of masks draws as minibert.data does: χ² between the two, all seeds fixed, and the same draw for the same number."""

import random
from collections import Counter

import numpy as np
import pytest
import torch
from figure_page import load, show, status
from scipy.stats import chi2_contingency, chisquare

from minibert.course.figures import mask_sampler
from minibert.data import create_masked_lm_predictions, mask_tokens

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LINE = "[CLS] a king ##fish ##er has dug its burr ##ow there . [SEP] ba ##ke it hot , and [UNK] : one loaf that crack ##les is done ! [SEP] [PAD]".split()
WORDS = [token for token in LINE if token not in SPECIAL]
VOCAB = SPECIAL + WORDS
DRAWS, RARE = 3000, 1e-3  # a test fails below this probability: with fixed seeds always or never
BERT = {
    "rate": 0.15,
    "masked": 0.8,
    "replaced": 0.1,
    "most": 20,
    "words": WORDS,
    "special": SPECIAL,
}
FORMS = {
    "pieces": {"form": "pieces", "whole": False},
    "words": {"form": "words", "whole": True},
    "each": {"form": "each", "whole": False},
}
MANY = "([tokens, settings, draws]) => Array.from({ length: draws }, (_, i) => drawMasks(tokens, settings, i + 1))"


@pytest.fixture(scope="module")
def functions(tab):
    load(tab, "mask_sampler.js")
    return tab


@pytest.fixture(scope="module")
def drawn(functions):
    """What the figure draws by each form: (tokens seen, places chosen) of every draw."""

    def pairs(form):
        return [
            (draw["seen"], [i for i, fate in enumerate(draw["fates"]) if fate])
            for draw in functions.evaluate(MANY, [LINE, BERT | FORMS[form], DRAWS])
        ]

    return {form: pairs(form) for form in FORMS}


@pytest.fixture(scope="module")
def expected():
    """The same by the package."""
    rng, made = random.Random(0), {}
    for form, whole in (("pieces", False), ("words", True)):
        made[form] = [
            create_masked_lm_predictions(
                LINE,
                masked_lm_prob=0.15,
                max_predictions_per_seq=20,
                vocab_words=VOCAB,
                rng=rng,
                whole_word_mask=whole,
            )[:2]
            for _ in range(DRAWS)
        ]
    ids = torch.tensor([[VOCAB.index(token) for token in LINE]] * DRAWS)
    seen, labels = mask_tokens(
        ids,
        mask_token_id=4,
        vocab_size=len(VOCAB),
        special_ids=range(5),
        generator=torch.Generator().manual_seed(1),
    )
    made["each"] = [
        ([VOCAB[i] for i in row], (label != -100).nonzero().flatten().tolist())
        for row, label in zip(seen.tolist(), labels)
    ]
    return made


def outcomes(draws):
    """How many of the chosen became [MASK], another word, stayed: [3]."""
    kinds = Counter(
        "mask" if seen[place] == "[MASK]" else "same" if seen[place] == LINE[place] else "other"
        for seen, places in draws
        for place in places
    )
    return np.array([kinds["mask"], kinds["other"], kinds["same"]])


@pytest.mark.parametrize("form", FORMS)
def test_what_becomes_of_the_chosen_is_as_the_package_has_it(drawn, expected, form):
    by_chance = 0.1 / len(WORDS)  # a random word may be the word itself
    found, wanted = outcomes(drawn[form]), outcomes(expected[form])
    assert (
        chisquare(found, np.array([0.8, 0.1 - by_chance, 0.1 + by_chance]) * found.sum()).pvalue
        > RARE
    )
    assert chi2_contingency([found, wanted]).pvalue > RARE
    assert chisquare(found, np.array([0.7, 0.15, 0.15]) * found.sum()).pvalue < 1e-9, (
        "other shares are told apart"
    )


@pytest.mark.parametrize("form", FORMS)
def test_which_places_are_chosen_is_as_the_package_has_it(drawn, expected, form):
    ordinary = [i for i, token in enumerate(LINE) if token not in SPECIAL]
    found, wanted = [
        np.bincount([place for _, places in draws for place in places], minlength=len(LINE))
        for draws in (drawn[form], expected[form])
    ]
    assert found.sum() == found[ordinary].sum(), "no special token is ever chosen"
    assert chi2_contingency([found[ordinary], wanted[ordinary]]).pvalue > RARE
    numbers = [
        Counter(len(places) for _, places in draws) for draws in (drawn[form], expected[form])
    ]
    kinds = sorted(set(numbers[0]) | set(numbers[1]))
    if len(kinds) > 1:
        often = [kind for kind in kinds if numbers[1][kind] > 20]
        assert (
            chi2_contingency([[number[kind] for kind in often] for number in numbers]).pvalue > RARE
        )
    assert form == "each" or kinds[-1] == 5, (
        "0.15 · 31, rounded; whole words may leave a place empty"
    )


def test_whole_words_are_never_parted(drawn):
    for _, places in drawn["words"]:
        for place in places:
            if LINE[place].startswith("##"):
                assert place - 1 in places
            if place + 1 < len(LINE) and LINE[place + 1].startswith("##"):
                assert place + 1 in places
    long, short = (
        [LINE.index(piece) in places for _, places in drawn["words"]] for piece in ("king", "has")
    )
    assert sum(long) < 0.8 * sum(short), (
        "what the chapter says: long words are passed over more often"
    )


def test_random_words_have_equal_chances(drawn):
    counts = Counter(
        seen[place]
        for form in FORMS
        for seen, places in drawn[form]
        for place in places
        if seen[place] not in ("[MASK]", LINE[place])
    )
    assert set(counts) <= set(WORDS)
    different = sorted(set(WORDS))
    assert chisquare([counts[word] for word in different if word not in (".", "!")]).pvalue > RARE


def test_what_is_not_chosen_stays(drawn):
    for form in FORMS:
        assert all(
            seen[i] == LINE[i]
            for seen, places in drawn[form]
            for i in range(len(LINE))
            if i not in places
        )


@pytest.mark.parametrize(
    "rate, masked, replaced", [(0.4, 1.0, 0.0), (0.05, 0.0, 1.0), (0.6, 0.25, 0.5), (0.8, 0.0, 0.0)]
)
def test_other_rates_and_shares(functions, rate, masked, replaced):
    ids = torch.tensor([[VOCAB.index(token) for token in LINE]] * DRAWS)
    seen, labels = mask_tokens(
        ids,
        mask_token_id=4,
        vocab_size=len(VOCAB),
        special_ids=range(5),
        rate=rate,
        replace=(masked, replaced),
        generator=torch.Generator().manual_seed(2),
    )
    wanted = outcomes(
        [
            ([VOCAB[i] for i in row], (label != -100).nonzero().flatten().tolist())
            for row, label in zip(seen.tolist(), labels)
        ]
    )
    settings = BERT | FORMS["each"] | {"rate": rate, "masked": masked, "replaced": replaced}
    found = outcomes(
        [
            (draw["seen"], [i for i, fate in enumerate(draw["fates"]) if fate])
            for draw in functions.evaluate(MANY, [LINE, settings, DRAWS])
        ]
    )
    everything = DRAWS * len(WORDS)
    table = [[*counts, everything - counts.sum()] for counts in (found, wanted)]
    table = [[row[i] for i in range(4) if max(row[i] for row in table)] for row in table]
    assert chi2_contingency(table).pvalue > RARE


def test_how_many_and_which_belong_together(functions):
    cases = [
        [length, rate / 100, most]
        for length in range(1, 129, 3)
        for rate in (1, 5, 10, 15, 50, 80)
        for most in (1, 20)
    ]
    assert functions.evaluate(
        "cases => cases.map(([length, rate, most]) => howMany(length, rate, most))", cases
    ) == [min(most, max(1, round(length * rate))) for length, rate, most in cases]
    pair = [
        "[CLS]",
        "##s",
        "play",
        "##ing",
        "[SEP]",
        "##s",
        "dog",
        "##s",
        "##y",
        "[UNK]",
        "##s",
        "[SEP]",
    ]
    assert functions.evaluate(
        "([tokens, special]) => unitsOf(tokens, special, true)", [pair, SPECIAL]
    ) == [[1], [2, 3], [5], [6, 7, 8], [10]]
    assert functions.evaluate(
        "([tokens, special]) => unitsOf(tokens, special, false)", [pair, SPECIAL]
    ) == [[i] for i in (1, 2, 3, 5, 6, 7, 8, 10)]


def test_a_draw_follows_from_its_number_alone(functions):
    settings = BERT | FORMS["each"]
    first, again = (functions.evaluate(MANY, [LINE, settings, 200]) for _ in range(2))
    assert first == again and len({str(draw) for draw in first}) > 190
    counted = functions.evaluate(
        "([tokens, settings]) => countDraws(tokens, settings, 200)", [LINE, settings]
    )
    fates = Counter(fate for draw in first for fate in draw["fates"] if fate)
    assert (
        counted["counts"] == dict(fates)
        and counted["chosen"] == sum(fates.values())
        and counted["seen"] == first[-1]["seen"]
    )
    assert counted["course"][-1] == fates["other"] / sum(fates.values())
    assert counted["places"] == [
        sum(draw["fates"][i] is not None for draw in first) for i in range(len(LINE))
    ]


def test_the_chapter_opens_on_draws_that_wander_as_most_do(functions):
    line = "[CLS] the mole was be ##w ##itch ##ed , entrance ##d , fasc ##inated . [SEP] thus it had come to pass , that tells ##on ' s was the triumph ##ant perfect ##ion of inc ##on ##ven ##ience . [SEP]".split()
    found = functions.evaluate(
        "([line, settings]) => countDraws(line, settings, 1000)", [line, BERT | FORMS["pieces"]]
    )
    assert {"mask", "other", "kept"} <= set(found["fates"]), "draw 1,000 shows all three"
    bands = functions.evaluate("Array.from({ length: 1000 }, (_, i) => bandOf(0.1, 6 * (i + 1)))")
    inside = [low <= share <= high for share, (low, high) in zip(found["course"], bands)]
    assert sum(inside) > 950
    assert found["course"][19] > 0.125 and found["course"][-1] == pytest.approx(0.1, abs=0.005)


def test_nineteen_of_twenty_honest_counts_lie_in_the_band(functions):
    counts = np.random.default_rng(0).binomial(400, 0.1, 4000)
    low, high = functions.evaluate("bandOf(0.1, 400)")
    assert 0.94 < ((counts / 400 >= low) & (counts / 400 <= high)).mean() < 0.965
    assert functions.evaluate("[bandOf(0, 10), bandOf(1, 10), bandOf(0.5, 0)]") == [
        [0, 0],
        [1, 1],
        [0, 1],
    ]


# ---------------------------------------------------------------- the figure


@pytest.fixture
def figure(tab):
    return show(
        tab, mask_sampler({"kingfisher": LINE, "toy": ["[CLS]", "bank", "##s", "[SEP]"]}, VOCAB)
    )


def tallies(figure):
    """How often each token was chosen, as its tip says."""
    return figure.evaluate(
        "[...document.querySelectorAll('.mb-tokens li')].map(item => Number(item.dataset.tip.match(/chosen in (\\d+) of/)[1]))"
    )


def test_it_begins_with_all_draws_and_says_them(figure):
    assert tallies(figure)[0] == 0 and sum(tallies(figure)) == 5000, "five of them in each draw"
    said = (
        "5 of 26 tokens in every mask. Of 5,000 chosen tokens: 79.2% [MASK], 10.0% random tokens, 10.7% unchanged;"
        " all as chance allows."
    )
    assert status(figure) == said
    assert figure.locator(".mb-label").inner_text() == (
        "With 10% random tokens, 95% of counts show 4% to 16% in 100 chosen tokens and 9.2% to 10.8% in 5,000"
    )  # 10% ± 1.96 · √(0.09 / 100), and with 5,000
    marks = figure.locator(".mb-mark").evaluate_all("all => all.map((one) => one.textContent)")
    assert marks == ["100 tokens: 4% to 16%", "5,000 tokens: 9.2% to 10.8%"]


def test_the_text_is_one_draw_whose_random_words_the_line_counts(figure):
    for key in ("End", "Home", "ArrowRight"):
        figure.get_by_role("slider").press(key)
        random_words = figure.locator(".mb-tokens .mb-is-other").count()
        becomes = "becomes a random token" if random_words == 1 else "become random tokens"
        said = f"{random_words} of 5 tokens {becomes}"
        assert figure.locator(".mb-one b").inner_text() == said
        assert figure.locator(".mb-tokens li[class]:not([class=''])").count() == 5


def test_the_line_ends_at_its_share_in_the_funnel(figure):
    figure.locator("summary").click()
    points = "name => document.querySelector(name).getAttribute('points').trim().split(' ').map((point) => point.split(',').map(Number))"
    funnel, course = (figure.evaluate(points, name) for name in (".mb-band", ".mb-course"))
    assert len(course) == 1000
    ten = float(figure.locator(".mb-expected").get_attribute("y1"))
    thirty = float(figure.locator(".mb-grid").last.get_attribute("y1"))
    share = 0.1 + (ten - course[-1][1]) / (ten - thirty) * 0.2
    random_words = figure.locator(".mb-numbers tbody td").nth(4).inner_text()
    assert share == pytest.approx(float(random_words.rstrip("%")) / 100, abs=0.001)
    heights = [low[1] - high[1] for high, low in zip(funnel, funnel[::-1])][: len(funnel) // 2]
    assert heights[0] > 5 * heights[-1] and heights[-1] > 0


def test_the_other_lines_are_counts_of_their_own_by_the_same_rule(figure):
    """Nineteen, no two alike; as chance has it, about one of them is outside the band, and none by a rule without chance."""
    lines = "all => all.map((one) => one.getAttribute('points').split(' ').map((point) => Number(point.split(',')[1])))"
    others = figure.locator(".mb-other").evaluate_all(lines)
    assert len(others) == 19 == len({str(line) for line in others})
    points = "all => all.map((one) => one.getAttribute('points').split(' '))"
    (own,) = figure.locator(".mb-course").evaluate_all(points)
    for other in figure.locator(".mb-other").evaluate_all(points):
        assert not {*other} <= {*own}
    (band,) = figure.locator(".mb-band").evaluate_all(lines)
    top, floor = band[len(band) // 2 - 1], band[len(band) // 2]  # at 1,000 draws, the last stop
    assert 15 <= sum(top <= line[-1] <= floor for line in others) <= 19
    spread = [max(line[i] for line in others) - min(line[i] for line in others) for i in (10, -1)]
    assert spread[0] > 3 * spread[1] > 0
    figure.get_by_role("combobox", name="Rule").select_option("100% [MASK]")
    flat = figure.locator(".mb-other").evaluate_all(lines)
    assert len({y for line in flat for y in line}) == 1


def test_a_press_draws_once_more_and_the_slider_goes_back(figure):
    hand = figure.get_by_role("slider")
    hand.press("Home")
    assert sum(tallies(figure)) == 5
    before = figure.locator(".mb-tokens").inner_text()
    hand.press("ArrowRight")
    said = status(figure)
    assert sum(tallies(figure)) == 10
    assert "Of 10 chosen tokens: " in said and said.endswith("; all as chance allows.")
    assert figure.locator(".mb-tokens").inner_text() != before
    hand.press("End")
    assert sum(tallies(figure)) == 5000


def test_a_count_outside_the_band_is_named(figure):
    said = set()
    for rule in ("the same, by whole words", "the same, each piece on its own"):
        figure.get_by_role("combobox", name="Rule").select_option(rule)
        figure.get_by_role("slider").press("Home")
        for _ in range(31):
            figure.get_by_role("slider").press("ArrowRight")
            said.add(status(figure).split("; ")[-1])
    assert "all as chance allows." in said and any("outside the 95%: " in one for one in said)


def test_it_plays_from_the_first_draw(figure):
    figure.get_by_role("button", name="Play").click()
    figure.wait_for_timeout(1300)
    figure.get_by_role("button", name="Pause").press("Enter")
    assert 10 <= sum(tallies(figure)) <= 30


def test_by_whole_words_the_pieces_of_a_word_count_alike(figure):
    rule = figure.get_by_role("combobox", name="Rule")
    rule.select_option("the same, by whole words")
    king, fish, er = tallies(figure)[2:5]
    assert king == fish == er > 0 and "never a part of a word" in status(figure)
    rule.select_option("the same, each piece on its own")
    assert "their number varies" in status(figure)


def test_other_shares_and_another_text(figure):
    rule = figure.get_by_role("combobox", name="Rule")
    for name, said in (
        ("100% [MASK]", "100.0% [MASK], 0.0% random tokens"),
        ("100% random tokens", "0.0% [MASK], 100.0% random tokens"),
        ("90% [MASK], no random tokens", " 0.0% random tokens"),
    ):
        rule.select_option(name)
        assert said in status(figure)
    figure.locator(".texts label").nth(1).click()
    assert figure.locator(".mb-true").all_inner_texts() == ["[CLS]", "bank", "##s", "[SEP]"]


def test_the_folded_table_is_the_counts(figure):
    figure.locator("summary").click()
    figure.wait_for_selector(".mb-numbers td")
    shares = [
        float(text.rstrip("%"))
        for text in figure.locator(".mb-numbers tbody td:nth-child(2)").all_inner_texts()
    ]
    times = [
        int(text) for text in figure.locator(".mb-numbers tbody td:last-child").all_inner_texts()
    ]
    assert sum(times) == 5000 and shares == pytest.approx([n / 50 for n in times], abs=0.06)


@pytest.mark.parametrize(
    "rows, vocabulary, sentence",
    [
        ({}, VOCAB, "rows is empty"),
        ({"a": ["[CLS]", "[SEP]"]}, VOCAB, r"rows\['a'\] is .*one of them not special"),
        ({"a": "the bank"}, VOCAB, r"rows\['a'\] is 'the bank'"),
        ({"a": ["bank"]}, SPECIAL, "vocabulary must contain an ordinary word"),
    ],
)
def test_what_cannot_be_drawn_is_refused(rows, vocabulary, sentence):
    with pytest.raises(ValueError, match=sentence):
        mask_sampler(rows, vocabulary)
