"""Turn a finished pretraining run into the model inside the package, and keep its card true.

    python tools/ship.py RUN_FOLDER     # weights in half precision, their digest, the run's log and curves
    python benchmarks/shipped.py        # measure it
    python tools/ship.py --card         # the numbers of both logs into the card

    python tools/ship.py FIRST THEN     # two runs, the second of which began with what the first had learned (--from)

    python tools/ship.py RUN_FOLDER --log-only first-run    # of another run keep the log alone

A trained model is 11 MB that every clone carries for ever: commit one seldom.
"""

import argparse
import json
import re
import statistics
import sys
import warnings
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, from anywhere
from minibert import (
    BertConfig,
    BertForPreTraining,
    WordPieceTokenizer,
    from_pretrained,
    save_pretrained,
)
from minibert.hub.atomic_io import sha256
from minibert.hub.find_pretrained import PACKAGED, SMALL
from minibert.inference.fill_mask import fill_mask
from minibert.pretraining.log import read_log
from tools.environment import ROOT

LIMIT = 12_000_000  # bytes of the weights
POINTS = 50  # records of a run's log that are kept: means over many steps, for a step has few pairs
LOGS = Path("benchmarks", "logs")
RUN_LOG, MEASURED = LOGS / "minibert-small.json", LOGS / "shipped.json"
SENTENCES = (
    "The children went to the [MASK] in the morning.",
    "She opened the [MASK] and walked into the room.",
    "The president of the United [MASK] spoke to the nation.",
    "He was born [MASK] 1902 in Chicago.",
    "Paris is the capital of [MASK].",
    "A triangle has [MASK] sides.",
)
BLOCK = "<!-- {name}: made by tools/ship.py -->\n{text}\n<!-- end of {name} -->"


def ship(runs: list[Path], root: Path = ROOT) -> None:
    """Write the model of the last run into the package under `root`, its digest into hub.py, and the runs' log into benchmarks/logs.

    Raises a ValueError for a folder that is no finished run, another class of model, or weights that do not fit.
    """
    run = runs[-1]
    source = run / "model"
    if not (run / "run.json").is_file() or not source.is_dir():
        raise ValueError(
            f"{run} is no finished run: wanted are run.json, log.jsonl and the folder model/ in it"
        )
    model, tokenizer = from_pretrained(source), WordPieceTokenizer.from_pretrained(source)
    if type(model) is not BertForPreTraining:
        raise ValueError(f"{source} is a {type(model).__name__}; shipped is a BertForPreTraining")
    model.half()
    lost = [name for name, tensor in model.state_dict().items() if not tensor.isfinite().all()]
    if lost:
        raise ValueError(f"half precision cannot hold {lost[0]}")
    target = root / PACKAGED.relative_to(ROOT) / SMALL
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        try:
            save_pretrained(model, target, tokenizer)
        except UserWarning as warning:  # "only minibert computes a model with …"
            raise ValueError(
                f"shipped is what transformers can open as well; {warning}"
            ) from warning
    weights = target / "model.safetensors"
    if weights.stat().st_size > LIMIT:
        raise ValueError(
            f"{weights} has {weights.stat().st_size:,} bytes; at most {LIMIT:,} are shipped"
        )
    hub = root / "minibert" / "hub" / "find_pretrained.py"
    text, count = re.subn(
        r'(SMALL: )"[0-9a-f]*"', rf'\1"{sha256(weights)}"', hub.read_text(encoding="utf-8")
    )
    if count != 1:
        raise ValueError(f"{hub} has no line for the digest of {SMALL}")
    hub.write_text(text, encoding="utf-8")

    log = write_log(runs, root / RUN_LOG)
    draw(log, target / "curves.png")
    print(
        f"shipped: {weights.relative_to(root)}, {weights.stat().st_size:,} bytes, {sum(p.numel() for p in model.parameters()):,} parameters"
    )


def write_log(runs: list[Path], path: Path) -> dict:
    """Keep what runs were asked for and their curves as one file: the last one's, with those `before` it; gives back what it wrote."""
    *before, log = [read_run(run) for run in runs]
    log |= {"before": before, "tokens_in_all": sum(run["tokens_seen"] for run in (*before, log))}
    log = json.loads(without_folders(json.dumps(log)))
    path.write_text(json.dumps(log, indent=1) + "\n", encoding="utf-8")
    return log


def read_run(run: Path) -> dict:
    """What a run was asked for, how many tokens went through it, and its curve."""
    log = json.loads((run / "run.json").read_text(encoding="utf-8"))
    records = read_log(run / "log.jsonl")
    steps = [0, *(record["step"] for record in records)]
    tokens = sum(
        (step - last) * record["tokens"] for last, step, record in zip(steps, steps[1:], records)
    )  # some steps are not logged
    return log | {"tokens_seen": tokens, "curve": thinned(records)}


def thinned(records: list[dict]) -> list[dict]:
    """About POINTS records: those with a held-out evaluation, and means over the steps between two points."""
    every = max(1, len(records) // POINTS)
    kept = []
    for start in range(0, len(records), every):
        part = records[start : start + every]
        point = {
            name: round(statistics.fmean(record[name] for record in part), 4)
            for name in ("mlm_loss", "mlm_accuracy", "nsp_loss", "nsp_accuracy")
            if name in part[-1]
        }
        held_out = [record["held_out"] for record in part if "held_out" in record]
        point |= {name: part[-1][name] for name in ("step", "seconds") if name in part[-1]}
        if held_out:
            point["held_out"] = {name: round(value, 4) for name, value in held_out[-1].items()}
        kept.append(point)
    return kept


def without_folders(text: str) -> str:
    """What names one machine is cut down to the last part of each path."""
    return re.sub(r'(?<=["\s=])(?:/[\w.@+-]+)+/(?=[\w.@+-])', "", text)


def joined(log: dict) -> list[dict]:
    """The curves of all runs of a log as one, their steps and the tokens that went through counted on."""
    curve = []
    for run in (*log["before"], log):
        step, tokens = (curve[-1]["step"], curve[-1]["tokens"]) if curve else (0, 0)
        each = run["tokens_seen"] / run["curve"][-1]["step"]
        curve += [
            point | {"step": step + point["step"], "tokens": tokens + each * point["step"]}
            for point in run["curve"]
        ]
    return curve


def draw(log: dict, path: Path) -> None:
    """The two losses over the tokens read, in training and on held-out text; the next-sentence loss from where it was trained."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    from minibert.course.figures import COLORS, use_style

    use_style()
    figure, axes = plt.subplots(1, 2, figsize=(7, 3))
    curve = joined(log)
    held_out = [point for point in curve if "held_out" in point]
    for axis, name, title in (
        (axes[0], "mlm_loss", "masked words"),
        (axes[1], "nsp_loss", "next sentence"),
    ):
        for points, where, style in (
            (
                curve,
                lambda point: point,
                {"color": COLORS["control"], "linewidth": 1, "label": "training"},
            ),
            (
                held_out,
                lambda point: point["held_out"],
                {"color": COLORS["token"], "label": "held out"},
            ),
        ):
            known = [
                (point["tokens"] / 1e6, where(point)[name])
                for point in points
                if name in where(point)
            ]
            axis.plot(*zip(*known), **style)
        axis.set(title=title, xlabel="million tokens read", ylabel="loss, nats")
    if held_out:
        axes[0].axhline(
            held_out[-1]["held_out"]["unigram_loss"],
            color=COLORS["wrong"],
            linestyle=":",
            label="no context",
        )
    axes[1].axhline(0.6931, color=COLORS["wrong"], linestyle=":", label="a coin")
    for axis in axes:
        axis.legend()
    figure.savefig(path, dpi=100, metadata={"Software": None})
    plt.close(figure)


# -- the card ----------------------------------------------------------------------------------------------------------


def card_blocks(root: Path = ROOT) -> dict[str, str]:
    """The parts of the card that are made of the two logs and the config: name -> Markdown."""
    rows = json.loads((root / MEASURED).read_text(encoding="utf-8"))["rows"]
    by_variant = {}
    for row in rows:
        by_variant.setdefault(row["variant"], []).append(row)

    def band(variant: str, name: str, digits: int = 3) -> str:
        values = [row[name] for row in by_variant[variant]]
        low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
        return low if low == high else f"{low} to {high}"

    def line(what: str, variant: str, name: str = "top1", digits: int = 3) -> str:
        cells = [
            band(some, name, digits) if some in by_variant and name in by_variant[some][0] else ""
            for some in (
                variant,
                {"masked words": "unigram guess"}.get(variant, ""),
                f"untrained, {variant}",
            )
        ]
        return f"| {what} | {' | '.join(cells)} |"

    prompts = by_variant["prompts"][0]["prompts"]
    results = [
        "| | minibert-small | no context | untrained |",
        "|---|---|---|---|",
        line("masked pieces, all replaced by [MASK]: the very piece", "masked words"),
        line("… among the first five", "masked words", "top5"),
        line("… loss, nats", "masked words", "loss", 2),
        line("… bits per word", "masked words", "bits_per_word", 2),
        line("… 80/10/10: the very piece", "masked words, 80/10/10"),
        line(
            "… all replaced by [MASK], in rows of 512 tokens: the very piece",
            "masked words, rows of 512",
        ),
        line("whole words, every piece right", "whole words"),
        line("next sentence, or text from another document", "next sentence", "accuracy"),
        line("next sentence, or the two texts swapped", "next sentence", "order_accuracy"),
        line(f"prompts (of {prompts}) whose first word is sensible", "prompts", "first", 0),
        line(f"prompts (of {prompts}) with a sensible word among five", "prompts", "among five", 0),
    ]
    kinds = {
        name: value
        for name, value in by_variant["by kind of text"][0].items()
        if isinstance(value, float) and name != "seconds"
    }
    she = {
        name: value
        for name, value in by_variant["she or he"][0].items()
        if isinstance(value, float) and name != "seconds"
    }
    return {
        "elsewhere": elsewhere(
            BertConfig.from_json_file(root / PACKAGED.relative_to(ROOT) / SMALL / "config.json")
        ),
        "recipe": recipe(json.loads((root / RUN_LOG).read_text(encoding="utf-8"))),
        "results": "\n".join(results),
        "kinds of text": "\n".join(
            [
                "| " + " | ".join(kinds) + " |",
                "|" + "---|" * len(kinds),
                "| " + " | ".join(f"{value:.3f}" for value in kinds.values()) + " |",
            ]
        ),
        "professions": "\n".join(
            ["| profession | *she* | *he* |", "|---|---|---|"]
            + [
                f"| {name} | {value:.0%} | {1 - value:.0%} |"
                for name, value in sorted(she.items(), key=lambda item: -item[1])
            ]
        ),
    }


def elsewhere(config: BertConfig) -> str:
    """What `transformers` makes of the folder."""
    if not config.norm_first:
        return "The folder opens in `transformers` as well (`BertForPreTraining`, `BertForMaskedLM`, `BertTokenizer`), with equal outputs."
    return (
        "The folder opens in `transformers` as well, with equal outputs: `AutoModelForMaskedLM` and `AutoModel` make a `RobertaPreLayerNorm` of it, which is\n"
        "what a BERT with its norms before the sublayers is called there, and `AutoTokenizer` a `BertTokenizer`. The next-sentence head has no counterpart."
    )


def recipe(log: dict) -> str:
    """How each run was started, and every option of it that counts."""
    parts = []
    for run in (*log["before"], log):
        commands = [
            session["command"]
            for session in run["sessions"]
            if "--resume" not in session["command"]
        ]
        last, cores = (
            run["curve"][-1],
            run["sessions"][-1]["processes"] * run["sessions"][-1]["threads"],
        )
        parts += [
            "\n".join(f"    {command}" for command in commands),
            f"{last['step']:,} steps in {last['seconds'] / 60:,.0f} minutes on {'one core' if cores == 1 else f'{cores} cores'}; "
            f"about {run['tokens_seen'] / 1e6:.1f} million tokens went through it. Every option of the recipe: "
            + ", ".join(
                f"{name.replace('_', ' ')} {value:,}"
                if type(value) is int
                else f"{name.replace('_', ' ')} {value}"
                for name, value in run["settings"]["options"].items()
            )
            + ".",
        ]
    return "\n\n".join(parts)


def examples() -> str:
    """The model's first three words for some sentences, as a table."""
    model, tokenizer = from_pretrained(SMALL), WordPieceTokenizer.from_pretrained(SMALL)
    lines = ["| sentence | first three words |", "|---|---|"]
    for sentence in SENTENCES:
        words = ", ".join(
            f"*{word}*" for word, _ in fill_mask(model, tokenizer, sentence, top=3)[0]
        )
        lines.append(f"| {sentence} | {words} |")
    return "\n".join(lines)


def fill_card(text: str, blocks: dict[str, str]) -> str:
    """The card with its blocks replaced. Raises a ValueError for a block that the card has no place for."""
    for name, block in blocks.items():
        start, end = BLOCK.format(name=name, text="\0").split("\0")
        pattern = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
        if not pattern.search(text):
            raise ValueError(f"the card has no block {name!r}")
        text = pattern.sub(lambda _: start + block + end, text)
    return text


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "runs",
        nargs="*",
        default=[],
        type=Path,
        metavar="RUN_FOLDER",
        help="the folder of a finished run of `minibert pretrain`, after those of the runs that it goes on from",
    )
    what.add_argument("--card", action="store_true", help="put the measured numbers into the card")
    parser.add_argument(
        "--log-only", metavar="NAME", help="write benchmarks/logs/NAME.json and ship nothing"
    )
    arguments = parser.parse_args(argv)
    torch.manual_seed(0)
    try:
        if arguments.card:
            card = PACKAGED / SMALL / "README.md"
            card.write_text(
                fill_card(
                    card.read_text(encoding="utf-8"), card_blocks() | {"examples": examples()}
                ),
                encoding="utf-8",
            )
        elif arguments.log_only:
            write_log(arguments.runs, ROOT / LOGS / f"{arguments.log_only}.json")
        else:
            ship(arguments.runs)
    except (ValueError, OSError) as error:
        print(f"ship.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
