"""The training curves show what the log holds, and nothing else."""

import copy
import math
import re

import pytest
from figure_page import load, show, status

from minibert.course.figures import benchmark_log, training_curves
from minibert.course.figures.training_curves import QUANTITIES

LOG = benchmark_log("failures")
RUNS = {}
for row in LOG["rows"]:
    if not row["variant"].startswith("unseen"):
        RUNS.setdefault(row["variant"], []).append(row)
PERFECT = RUNS.pop("perfect reader")[0]
HEALTHY = ["live", "healthy"]


@pytest.fixture
def figure(tab):
    return show(tab, training_curves(LOG, 3.85))


def test_the_data_are_those_of_the_log():
    data = training_curves(LOG, 3.85).data
    assert set(data["runs"]) == set(RUNS)
    for name, run in data["runs"].items():
        assert (run["neighbour"] is None) == (name in HEALTHY) and run["neighbour"] in [
            None,
            *HEALTHY,
        ]
        for quantity in QUANTITIES:
            assert run["curves"][quantity] == [row["curves"][quantity] for row in RUNS[name]]
        assert all(row["curves"]["step"] == run["steps"] for row in RUNS[name]), (
            "the seeds of a run are logged at the same steps"
        )
        recipes = [RUNS[other][0]["recipe"] for other in (name, run["neighbour"] or name)]
        assert all(
            recipes[0][key] == recipes[1][key]
            for key in ("steps", "batch_size", "layers", "optimizer")
        ), "a patient lies beside a run of its own kind"
    assert data["lines"]["mlm_loss"] == [
        ["frequencies alone", 3.85],
        ["floor", PERFECT["mlm_loss"]],
    ]
    assert data["lines"]["nsp_loss"] == [["a coin", math.log(2)], ["floor", PERFECT["nsp_loss"]]]
    assert [height for _, height in data["lines"]["nsp_accuracy"]] == [PERFECT["nsp_accuracy"], 0.5]


def test_the_cursor_reads_the_last_logged_point(tab):
    load(tab, "training_curves.js")
    runs = training_curves(LOG, 3.85).data["runs"]
    steps = sorted(
        {step for run in runs.values() for step in (*run["steps"], 0, 1, run["steps"][-1] + 100)}
    )
    found = tab.evaluate(
        "([runs, quantities, steps]) => Object.values(runs).map(run => quantities.map(quantity => steps.map(step => readOut(run, quantity, step))))",
        [runs, list(QUANTITIES), steps],
    )
    for name, of_run in zip(runs, found):
        logged = RUNS[name][0]["curves"]["step"]
        for quantity, of_quantity in zip(QUANTITIES, of_run):
            for step, read in zip(steps, of_quantity):
                past = [i for i, each in enumerate(logged) if each <= step]
                if not past:
                    assert read is None
                    continue
                values = [row["curves"][quantity][past[-1]] for row in RUNS[name]]
                assert read == {
                    "step": logged[past[-1]],
                    "mean": pytest.approx(sum(values) / len(values)),
                    "low": min(values),
                    "high": max(values),
                }
    assert tab.evaluate("runs => stepsOf(runs)", list(runs.values())) == sorted(
        {step for run in runs.values() for step in run["steps"]}
    )


def table(figure):
    """The run's name -> its cells."""
    return {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts()
        for row in figure.locator("tbody tr").all()
    }


def test_it_begins_at_the_end_of_three_patients_and_says_so(figure):
    assert set(table(figure)) == {"healthy", "too slow", "too fast", "repeated lines"}
    for name, (mean, _) in table(figure).items():
        assert mean == f"{sum(row['mlm_loss'] for row in RUNS[name]) / 3:.2f}"
    assert (
        status(figure).startswith("Step 400, loss of the masked words: healthy 0.40")
        and "; frequencies alone" in status(figure)
        and "floor 0.27" in status(figure)
    )


def test_curves_lie_where_their_values_are(figure):
    """Every line is straight between logged points, and its height is one linear scale of the value."""
    lines = [
        [tuple(map(float, pair.split(","))) for pair in points.split()]
        for points in figure.locator("polyline").evaluate_all(
            "lines => lines.map(line => line.getAttribute('points'))"
        )
    ]
    drawn = [
        row["curves"]
        for name in ("healthy", "too slow", "too fast", "repeated lines")
        for row in RUNS[name]
    ]
    assert len(lines) == len(drawn)
    grid = figure.locator(".mb-grid").evaluate_all(
        "lines => lines.map(line => Number(line.getAttribute('y1')))"
    )
    places = sorted(point for line in lines for point in line)
    left, right = (place for place, _ in (places[0], places[-1]))
    wanted = [
        [
            (left + (step - 25) / 375 * (right - left), grid[0] + value * (grid[1] - grid[0]))
            for step, value in zip(curves["step"], curves["mlm_loss"])
        ]
        for curves in drawn
    ]
    for curve in wanted:
        assert any(
            all(math.dist(a, b) < 0.01 for a, b in zip(curve, line)) and len(curve) == len(line)
            for line in lines
        )


def test_a_sick_run_comes_with_its_own_healthy_neighbour(figure):
    for name in ("too slow", "too fast", "repeated lines"):
        figure.get_by_role("checkbox", name=name, exact=True).uncheck()
    assert set(table(figure)) == {"healthy"}
    figure.get_by_role("checkbox", name="too slow").check()
    assert set(table(figure)) == {"healthy", "too slow"} and "Step 400" in status(figure)
    figure.get_by_label("a longer healthy run (608 steps)").check()
    read = table(figure)  # the cursor was at the end and has stayed there
    assert (
        read["live"][0] == f"{sum(row['mlm_loss'] for row in RUNS['live']) / 3:.2f}"
        and "too slow (step 400)" in read
    )


def test_the_cursor_moves_by_key_and_by_pointer(figure):
    figure.get_by_role("slider", name="Step").press("ArrowLeft")
    assert (
        table(figure)["too fast"][0]
        == f"{sum(row['curves']['mlm_loss'][-2] for row in RUNS['too fast']) / 3:.2f}"
    )
    box = figure.locator(".mb-plot").bounding_box()
    figure.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.4 * box["height"])
    step = int(re.match(r"Step (\d+),", status(figure))[1])
    assert (
        175 <= step <= 225
        and table(figure)["too slow"][0]
        == f"{sum(row['curves']['mlm_loss'][step // 25 - 1] for row in RUNS['too slow']) / 3:.2f}"
    )


def test_what_is_printed_stands_beside_what_is_so(figure):
    figure.get_by_role("combobox").select_option("loss of the pairs")
    figure.get_by_label("and what the program prints").check()
    figure.get_by_role("checkbox", name="a class ignored").check()
    true, _, printed, _ = table(figure)["a class ignored"]
    assert float(printed) == 0 and float(true) > 4
    assert figure.locator("polyline[stroke-dasharray='2 3']").count() == 15, (
        "five runs of three seeds, as printed"
    )
    figure.get_by_role("combobox").select_option("pairs guessed")
    assert (
        len(table(figure)["a class ignored"]) == 2
        and "perfect reader" in figure.locator(".mb-plot").text_content()
    )


def test_a_log_without_the_runs_is_refused():
    log = copy.copy(LOG)
    log["rows"] = [row for row in LOG["rows"] if row["variant"] not in ("live", "perfect reader")]
    with pytest.raises(ValueError, match="has none called live, perfect reader"):
        training_curves(log, 3.85)
