"""What pretraining costs: the parts of the page are made from the logs, and its numbers are theirs or computed."""

import re
import sys

import pytest
from bs4 import BeautifulSoup

from minibert import BertConfig, from_pretrained
from minibert.inference.model_cost import GPUS, gpu_hours, memory, training_flops
from minibert.pretraining.options import PretrainingOptions
from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))

import minibert_costs as costs

PAGE = (ROOT / "book" / "what_pretraining_costs.md").read_text(encoding="utf-8")
TEXT = " ".join(PAGE.split())
RUN = costs.read(ROOT, "minibert-small")
SCALING = {row["variant"]: row for row in costs.read(ROOT, "scaling")["rows"]}
SPEED = {row["variant"]: row for row in costs.read(ROOT, "speed")["rows"]}


def test_the_page_has_every_part_once():
    assert sorted(costs.MARKER.findall(PAGE)) == sorted(costs.PARTS)
    assert "<!-- costs" not in costs.fill(PAGE, ROOT)


# ---------------------------------------------------------------- the table and the pictures


def test_a_change_is_the_difference_of_runs_with_the_same_seed():
    losses = {"base": (1.0, 2.0, 9.0), "changed": (0.5, 2.25)}
    log = {
        "rows": [
            {"variant": variant, "seed": seed, "mlm_loss": loss}
            for variant, found in losses.items()
            for seed, loss in enumerate(found)
        ]
    }
    assert costs.change(log, "changed", "base") == "−0.12 <small>(−0.50 to +0.25)</small>"
    log["rows"][-1]["seed"] = 7
    assert costs.change(log, "changed", "base") == "−0.50 (one seed)"


def test_the_table_has_a_row_for_each_choice_with_its_time():
    found = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in costs.choices(ROOT).splitlines()[2:]
    ]
    rows = [cells for cells in found if not cells[0].startswith("**")]
    assert {len(cells) for cells in found} == {3}
    assert len(rows) == sum(len(part) for _, part in costs.CHOICES) + 1 + len(costs.SMALL_WORLD)
    seconds = costs.read(ROOT, "equal_time")["rows"][0]
    both = next(cells for cells in rows if cells[0] == "both of these")
    assert both[2] == f"× {seconds['best, post-norm'] / seconds['peer, AdamW']:.2f}"
    assert all(re.match(r"[+−]\d\.\d\d", cells[1]) for cells in rows)


def test_the_pictures_draw_the_losses_to_scale():
    lines = [
        ("low 1.00", "red", "", [(0, [3.0]), (10, [1.0, 1.5])]),
        ("high", "blue", "", [(10, [1.4])]),
    ]
    source = costs.picture(
        lines,
        level=(2.0, "level"),
        across=(0, 10, (0, 10), "time"),
        up=(1.0, 3.0, (1, 3), "loss"),
        room=100,
        caption="What it is.",
    )
    drawing = BeautifulSoup(source, "html.parser").svg
    curve = next(line for line in drawing("polyline") if line["stroke"] == "red")["points"]
    bottom = costs.HEIGHT - costs.BOTTOM
    middle = bottom - (bottom - costs.TOP) * 0.25 / 2
    assert curve == f"{costs.LEFT}.0,{costs.TOP}.0 {costs.WIDTH - 100}.0,{middle:.1f}"
    [low, high] = [
        float(label["y"]) for label in drawing("text") if label.get_text() in ("low 1.00", "high")
    ]
    assert abs(low - high) >= costs.GAP, "labels do not cover each other"
    assert "What it is. At the end: low 1.00; high; level." in drawing["aria-label"]


@pytest.mark.parametrize("part", ["clock", "longer"])
def test_the_labels_of_the_pictures_fit(part):
    drawing = BeautifulSoup(costs.PARTS[part](ROOT), "html.parser").svg
    for text in drawing("text"):
        width = 0.58 * 13 * len(text.get_text())
        left = float(text["x"]) - {"end": width, "middle": width / 2}.get(
            text.get("text-anchor"), 0
        )
        assert left >= -1 and left + width <= costs.WIDTH + 1, text
        assert 0 < float(text["y"]) <= costs.HEIGHT


def test_the_built_page_shows_the_table_and_the_pictures(site):
    page = BeautifulSoup(
        (site / "book" / "what_pretraining_costs.html").read_text("utf-8"), "html.parser"
    )
    assert len(page.article.find_all("svg", attrs={"role": "img"})) == 2
    clock = costs.read(ROOT, "equal_time")
    shown = costs.change(clock, "best, post-norm", "peer, AdamW").split(" ")[0]
    assert shown in page.article.get_text()


# ---------------------------------------------------------------- the numbers in the prose


def test_the_hours_of_minibert_small():
    parts = [part["curve"][-1]["seconds"] / 3600 for part in (*RUN["before"], RUN)]
    assert round(sum(parts[:2]), 1) == 2.1 and round(sum(parts), 1) == 4.1
    assert {part["sessions"][0]["processes"] for part in (*RUN["before"], RUN)} == {2}
    assert TEXT.count("4.1 hours") == 4


def test_the_same_program_at_the_same_number_of_steps():
    rows = costs.read(ROOT, "equal_time")
    ours, peer = (
        costs.runs(rows, variant)[0] for variant in ("AdamW 0.002, the peer's steps", "peer, AdamW")
    )
    assert ours["steps"] == peer["steps"]
    assert (
        f"it ends at {ours['mlm_loss']:.3f}, where `transformers` ends at {peer['mlm_loss']:.3f}"
        in TEXT
    )


def test_the_estimates():
    model, tokens = from_pretrained("minibert-small"), RUN["tokens_in_all"]
    size, measured = (
        sum(each.numel() for each in model.parameters()),
        sum(part["curve"][-1]["seconds"] for part in (*RUN["before"], RUN)),
    )
    counted = training_flops(model.config, tokens)
    table = model.bert.embeddings.word_embeddings.weight.numel()
    base = training_flops(BertConfig.preset("base"), 1)
    rate, peak = SCALING["mini"]["tokens_per_cpu_second"], SCALING["mini"]["peak_gflops"] * 1e9
    hours = tokens / (2 * rate) / 3600
    with_muon = tokens / (2 * SPEED["mini: minibert, Muon"]["tokens_per_cpu_second"]) / 3600
    others = [row["predicted"] for row in SCALING.values() if "predicted" in row]
    said = [
        f"is {6 * size * tokens / 1e15:.1f} · 10¹⁵",
        f"finds {counted / 1e15:.1f} · 10¹⁵",
        f"the rule is {6 * size * tokens / counted - 1:.0%} too high",
        f"with {table / size:.0%} of the parameters",
        f"at {0.15:.0%} of the positions",
        f"For BERT-base the rule is {6 * 110_106_428 / base - 1:.0%} too high",
        f"{rate:,} tokens per CPU-second",
        f"which is {rate * counted / tokens / peak:.0%} of the peak",
        f"need {hours:.1f} hours",
        f"the estimate is {hours * 3600 / measured - 1:.0%} too high",
        f"the estimate is {with_muon:.1f} hours",
        f"between {min(others):.2f} and {max(others):.2f} of the measured time",
        f"says {counted / (2 * peak * 0.2) / 3600:.0f} hours for our two cores, four times",
    ]
    assert [sentence for sentence in said if sentence not in TEXT] == []


def test_the_table_of_machines():
    first = costs.read(ROOT, "first-run")
    computed = {
        name: [
            gpu_hours(training_flops(BertConfig.preset(name), 1.2e11), GPUS[gpu], 0.2)
            for gpu in ("L4", "A100", "H100")
        ]
        for name in ("mini", "base")
    }
    small, base = computed["mini"], computed["base"]
    published = training_flops(BertConfig.preset("base"), 3.67e10)
    careful, ours = SPEED["mini: transformers, careful"], SPEED["mini: minibert"]
    said = [
        f"{first['tokens_seen'] / 1e6:.1f} million | {first['curve'][-1]['seconds'] / 60:.0f} minutes on one core | measured",
        f"{RUN['tokens_in_all'] / 1e6:.0f} million | 4.1 hours on two cores | measured",
        f"{small[0]:.0f} hours of an L4, {small[1]:.1f} of an A100, {small[2]:.1f} of an H100 | computed",
        f"{base[0]:.0f} hours of an L4, {base[1]:.0f} of an A100, {base[2]:.0f} of an H100 | computed",
        f"{8 * 11.5:.0f} GPU hours of BERT-base amount to ({gpu_hours(published, GPUS['A100'], 1) / 92:.2f})",
        f"take {memory(1)['training with AdamW']} bytes for each parameter",
        f"which is {memory(5_529_602)['training with AdamW'] / 2**20:.0f} MiB",
        f"needs {ours['memory_mb']} MB",
        f"needs {careful['memory_mb']} MB",
    ]
    assert [sentence for sentence in said if sentence not in TEXT] == []


def test_the_numbers_of_the_gpu():
    log, run = costs.read(ROOT, "speed_gpu"), costs.read(ROOT, "gpu-run")
    rows = {row["variant"]: row for row in log["rows"]}
    peak = rows["matrix product"]["tflops"]
    said = [f"one {log['machine']['gpu']},", f"{peak:.0f} trillion operations per second"]
    shapes = {"base 512": "64 of 512", "base 128": "256 of 128", "mini 128": "1,024 of 128"}
    for size, shape in shapes.items():
        ours, theirs = rows[f"{size}: minibert"], rows[f"{size}: transformers, careful"]
        said.append(
            f"| {shape} | {round(ours['tokens_per_second'], -3 if size[0] == 'b' else -4):,} | "
            f"{ours['times']:.2f} | {ours['share_of_peak']:.0%} | "
            f"{ours['memory_mb'] / 1000:.1f} and {theirs['memory_mb'] / 1000:.1f} GB |"
        )
    padded = [row["times"] for name, row in rows.items() if "padding kept" in name]
    said.append(f"it is {min(padded):.2f} to {max(padded):.2f} times as fast")
    seconds, tokens = run["curve"][-1]["seconds"], run["tokens_in_all"]
    said += [
        f"{run['settings']['options']['steps']:,} steps of {run['settings']['options']['batch_size']}",
        f"In {seconds / 60:.1f} minutes it read {tokens / 1e6:.0f} million tokens",
        f"loss of {run['curve'][-1]['held_out']['mlm_loss']:.2f}, which",
        f"{tokens / RUN['tokens_in_all']:.1f} times as many tokens",
        f"{tokens / seconds / 1e6:.1f} million tokens per second, a quarter",
        f"{tokens / 1e6:.0f} million | {seconds / 60:.1f} minutes on one H200 | measured",
        *(
            f"{rows[f'{size}: minibert']['tflops_per_second'] * 1e12 / GPUS['H100']:.2f}"
            for size in ("base 512", "mini 128")
        ),
    ]
    assert round(RUN["curve"][-1]["held_out"]["mlm_loss"], 2) == 2.68
    assert round(tokens / seconds / rows["mini 128: minibert"]["tokens_per_second"], 2) == 0.23
    assert [sentence for sentence in said if sentence not in TEXT] == []


def test_muon_is_the_default():
    assert PretrainingOptions(steps=1).optimizer == "muon"
