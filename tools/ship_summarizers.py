"""Train the heads for sentences that are part of the package, measure them, and keep their card true.

    python tools/ship_summarizers.py            # all three, after minibert-small, the corpus or the recipe has changed
    python tools/ship_summarizers.py --heads    # train and write the heads alone (a minute)
    python tools/ship_summarizers.py --card     # the numbers of the log into the card

A head is trained on all articles that the benchmark has; what the card reports is measured on articles that a head of the same
recipe has not seen.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # run as a script, from anywhere
import wikipedia_summaries as benchmark

from minibert import BertModel, from_pretrained
from minibert.hub.find_pretrained import MINILM, SMALL
from minibert.summarization import BertSumExt, first_layers
from minibert.summarization.head_store import HEADS, TENSORS, save_head
from tools.ship import fill_card

SHIPPED = {
    SMALL: ("minibert-small", "mean", "two layers", "leads"),
    MINILM: ("MiniLM, 4 layers", "mean", "two layers", "leads"),
}
LOG = ROOT / "benchmarks" / "logs" / "wikipedia_summaries.json"
LIMIT = 500_000  # bytes of a head
LINES = (
    ("first sentences", "lead"),
    ("random sentences", "random"),
    ("longest sentences", "longest"),
    ("most words shared with the rest", "most shared words"),
    *(
        (
            f"nearest to the mean vector of {encoder}",
            f"{recipe[0].split(',')[0]}; mean; nearest to the mean",
        )
        for encoder, recipe in SHIPPED.items()
    ),
    *((f"**head on {encoder}**", "; ".join(recipe)) for encoder, recipe in SHIPPED.items()),
    ("oracle, which knows the lead", "oracle"),
)


def ship(folder: Path = HEADS) -> None:
    """Train a head on every encoder of SHIPPED and write it in half precision. Raises a ValueError for one that is too large, or (from `save_head`) that half precision cannot hold."""
    for encoder, (variant, vector, head, kind) in SHIPPED.items():
        _, layers, segments = benchmark.ENCODERS[variant]
        model = BertSumExt(
            first_layers(from_pretrained(encoder, BertModel), layers),
            benchmark.trained(variant, vector, head, kind, seed=0),
            vector,
            segments,
        )
        model.head.half()
        target = folder / encoder.rpartition("/")[2]
        save_head(model, target, encoder)
        size = (target / TENSORS).stat().st_size
        if size > LIMIT:
            raise ValueError(
                f"{target / TENSORS} has {size:,} bytes; at most {LIMIT:,} are shipped"
            )
        print(f"shipped: {target / TENSORS}, {size:,} bytes")


def card_blocks() -> dict[str, str]:
    """The table of the card, made of the benchmark's log: means over the seeds, and their lowest and highest where they differ."""
    by_variant = {}
    for row in json.loads(LOG.read_text(encoding="utf-8"))["rows"]:
        by_variant.setdefault(row["variant"], []).append(row)

    def cell(variant: str, name: str) -> str:
        values = [row[name] for row in by_variant[variant]]
        spread = (
            f" ({min(values):.1f} to {max(values):.1f})"
            if max(values) - min(values) >= 0.05
            else ""
        )
        return f"{statistics.fmean(values):.1f}{spread}"

    lines = [
        "| | ROUGE-1, 100 words | ROUGE-2, 100 words | ROUGE-1, three sentences | ROUGE-2, three sentences | their words |",
        "|---|---|---|---|---|---|",
    ]
    for what, variant in LINES:
        cells = [
            cell(variant, name)
            for name in ("rouge1_100_words", "rouge2_100_words", "rouge1", "rouge2")
        ]
        words = statistics.fmean(row["words"] for row in by_variant[variant])
        lines.append(f"| {what} | {' | '.join(cells)} | {words:.0f} |")
    return {"results": "\n".join(lines)}


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--heads", action="store_true", help="train and write the heads, and nothing else"
    )
    what.add_argument(
        "--card",
        action="store_true",
        help="put the numbers of the log into the card, and nothing else",
    )
    arguments = parser.parse_args(argv)
    torch.set_num_threads(1)
    try:
        if not arguments.card:
            ship()
        if not (arguments.card or arguments.heads) and (failed := benchmark.main([])):
            return failed
        if not arguments.heads:
            card = HEADS / "README.md"
            card.write_text(
                fill_card(card.read_text(encoding="utf-8"), card_blocks()), encoding="utf-8"
            )
    except (ValueError, OSError) as error:
        print(f"ship_summarizers.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
