"""The training replay shows what the films of the log hold, and nothing else."""

import copy
import math
import re

import pytest
from figure_page import menu, show, status

from minibert.course.figures import benchmark_log, training_replay
from minibert.course.figures.packed import unpacked

LOG = benchmark_log("failures")
FILMS = {row["variant"]: row["film"] for row in LOG["rows"] if "film" in row}
PERFECT = LOG["rows"][0]


@pytest.fixture(scope="module")
def replay():
    return training_replay(LOG, 3.85)


@pytest.fixture
def figure(tab, replay):
    tab.goto("about:blank")  # Chromium loses track of a pointer whose page was written anew
    return show(tab, replay)


def test_the_data_are_those_of_the_films(replay):
    data = replay.data
    assert set(data["runs"]) == set(FILMS)
    for name, run in data["runs"].items():
        film = FILMS[name]
        assert run["step"] == film["step"] and run["step"][0] == 0
        assert run["losses"] == {"words": film["mlm_loss"], "pairs": film["nsp_loss"]}
        for n, guesses in enumerate(film["guesses"]):
            for gap, perfect, kept in zip(
                data["gaps"], PERFECT["gaps"], unpacked(run["guesses"])[n]
            ):
                of_word = dict(zip(perfect["words"], guesses[data["gaps"].index(gap)]))
                assert kept.tolist() == pytest.approx(
                    [of_word[word] for word in gap["words"]], abs=1e-4
                )
    for gap, perfect in zip(data["gaps"], PERFECT["gaps"]):
        assert (
            dict(zip(gap["words"], gap["chances"])).items()
            <= dict(zip(perfect["words"], perfect["chances"])).items()
        )
        assert sum(gap["chances"]) == pytest.approx(1, abs=0.01), "what may fit is among the words"


def test_a_failed_run_lies_beside_the_healthy_one_of_its_recipe(replay):
    recipes = {row["variant"]: row["recipe"] for row in LOG["rows"] if "recipe" in row}
    assert {failed for failed, _, _ in replay.data["pairs"]} | {"live", "healthy"} == set(FILMS)
    for failed, healthy, kind in replay.data["pairs"]:
        for key in ("steps", "batch_size", "layers", "optimizer"):
            assert recipes[failed][key] == recipes[healthy][key]
        assert FILMS[failed]["step"] == FILMS[healthy]["step"], "they share one timeline"
        learned = abs(FILMS[failed]["mlm_loss"][-1] - FILMS[healthy]["mlm_loss"][-1]) < 0.1
        assert kind == ("pairs" if learned else "words"), "the loss that shows what failed"


def test_the_film_agrees_with_the_curves_of_the_same_run():
    for row in LOG["rows"]:
        if "film" in row:
            assert row["film"]["mlm_loss"][-1] == row["mlm_loss"]
            assert row["film"]["step"][-1] == row["curves"]["step"][-1]


def test_the_title_is_true(replay):
    word = PERFECT["gaps"][0]["words"].index("sister")
    chances = [frame[0][word] for frame in FILMS["live"]["guesses"]]
    step = int(replay.label.split()[2])
    at = FILMS["live"]["step"].index(step)
    assert min(chances[at:]) > 0.5 >= chances[at - 1] and replay.data["turn"] == at


def test_the_step_of_the_title_is_marked_in_both_curves(figure, replay):
    step, chance = re.findall(
        r"step (\d+): ([\d.]+)", figure.locator("svg.guess text.over.name").inner_html()
    )[0]
    at = replay.data["turn"]
    assert int(step) == FILMS["live"]["step"][at] == int(replay.label.split()[2])
    word = PERFECT["gaps"][0]["words"].index("sister")
    assert float(chance) == pytest.approx(FILMS["live"]["guesses"][at][0][word], abs=0.0051)
    lines = figure.locator("line.turn")
    assert lines.count() == 2 and len({line.get_attribute("x1") for line in lines.all()}) == 1
    menu(figure, "Run").select_option("failed: too slow")
    assert not figure.locator(".turn").count()


@pytest.mark.parametrize("failed", sorted(set(FILMS) - {"live", "healthy"}))
def test_the_title_of_a_failed_run_is_true(failed):
    label = training_replay(LOG, 3.85, failed).label
    word = PERFECT["gaps"][0]["words"].index("sister")
    wrong, right = (FILMS[name]["guesses"][-1][0][word] for name in (failed, "healthy"))
    healthy, said = map(float, re.findall(r"“sister” ([\d.]+), .* gives it ([\d.]+):", label)[0])
    assert f"the run “{failed}” gives" in label
    assert said == pytest.approx(wrong, abs=0.0051) and healthy == pytest.approx(right, abs=0.0051)
    assert label.endswith("has learned only word frequencies") == (failed == "too fast")
    if failed != "too fast":
        kind, *losses = re.findall(r"its (\w+) loss is ([\d.]+), not ([\d.]+)$", label)[0]
        key = {"MLM": "mlm_loss", "NSP": "nsp_loss"}[kind]
        assert losses == [f"{FILMS[name][key][-1]:.2f}" for name in (failed, "healthy")]


def test_it_opens_on_the_failed_run_that_is_named(tab):
    figure = show(tab, training_replay(LOG, 3.85, "too fast"))
    assert menu(figure, "Run").evaluate("one => one.selectedOptions[0].text") == "failed: too fast"
    assert figure.locator(".curve").count() == 4
    assert figure.locator(".key span").all_inner_texts() == [
        "healthy run",
        "failed: too fast",
        "exact probability",
    ]
    healthy, failed = (FILMS[name]["guesses"][-1][0] for name in ("healthy", "too fast"))
    word = PERFECT["gaps"][0]["words"].index("sister")
    ends = figure.eval_on_selector_all("svg.guess .end", "ends => ends.map(e => e.textContent)")
    assert ends == [f"healthy {healthy[word]:.2f}", f"failed {failed[word]:.2f}"], "the proof"
    color = "one => getComputedStyle(one)[one.tagName === 'SPAN' ? 'backgroundColor' : 'stroke']"
    for kind in ("healthy", "failed"):  # a run has one colour, in its curves and in its bars
        bar, curve = (figure.locator(f".{part}.{kind}").first for part in ("bar", "curve"))
        assert bar.evaluate(color) == curve.evaluate(color)
    with pytest.raises(ValueError, match="failed is 'live'; expected one of too slow, "):
        training_replay(LOG, 3.85, "live")


def order(figure):
    """The words of the first gap, from the highest bar down."""
    return figure.evaluate("""[...document.querySelector('.gap').querySelectorAll('.word')]
        .sort((a, b) => a.style.getPropertyValue('--place') - b.style.getPropertyValue('--place')).map((row) => row.firstChild.textContent)""")


def test_it_opens_at_the_end_and_scrubs_back(figure, replay):
    live = replay.data["runs"]["live"]
    assert status(figure).startswith("After 608 steps") and order(figure)[0] == "sister"
    hand = figure.get_by_role("slider")
    hand.press("Home")
    assert (
        status(figure)
        == f"After 0 steps, losses in nats: words {live['losses']['words'][0]:.2f}, pairs {live['losses']['pairs'][0]:.2f}."
    )
    words = replay.data["gaps"][0]["words"]
    for frame in (0, 10):
        hand.fill(str(frame))
        shares = dict(zip(words, unpacked(live["guesses"])[frame][0].tolist()))
        assert order(figure) == sorted(words, key=lambda word: -shares[word])
    hand.press("Home")
    hand.press("ArrowRight")
    assert status(figure).startswith(f"After {live['step'][1]} steps")
    window = "Number(document.querySelector('clipPath rect').getAttribute('width'))"
    before = figure.evaluate(window)
    hand.press("End")
    figure.wait_for_timeout(400)
    assert figure.evaluate(window) > before + 100, "the curve draws itself"


def test_it_plays_and_pauses(figure):
    figure.get_by_role("button", name="Play").click()
    figure.wait_for_function("Number(document.querySelector('input').value) >= 2", timeout=5000)
    figure.get_by_role("button", name="Pause").click()
    at = figure.get_by_role("slider").input_value()
    figure.wait_for_timeout(800)
    assert figure.get_by_role("slider").input_value() == at and 2 <= int(at) < 10


def test_a_broken_run_plays_beside_a_correct_one(figure, replay):
    menu(figure, "Run").select_option("failed: too slow")
    assert figure.locator(".curve").count() == 4
    sick, healthy = (
        replay.data["runs"][name]["losses"]["words"][-1] for name in ("too slow", "healthy")
    )
    assert f"healthy: words {healthy:.2f}" in status(
        figure
    ) and f"failed: words {sick:.2f}" in status(figure)
    menu(figure, "Run").select_option("the live run, 608 steps")
    assert figure.locator(".curve").count() == 2


def test_a_log_without_films_is_refused():
    bare = copy.deepcopy(LOG)
    for row in bare["rows"]:
        row.pop("film", None)
    with pytest.raises(ValueError, match="must contain films"):
        training_replay(bare, 3.85)
    with pytest.raises(ValueError, match="perfect reader"):
        training_replay({"rows": LOG["rows"][1:]}, math.log(50))
