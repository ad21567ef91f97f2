"""Turn a finished run of `minibert train-sentences` into the encoder inside the package, and keep its card true.

python tools/ship_sentences.py RUN_FOLDER     # weights in half precision, their digest, the run's log
python benchmarks/sentences.py                # measure it
python tools/ship_sentences.py --card         # the numbers of both logs into the card
"""

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, from anywhere
import minibert
from minibert import BertModel, WordPieceTokenizer, from_pretrained, save_pretrained
from minibert.hub.atomic_io import sha256
from minibert.hub.find_pretrained import PACKAGED, SENTENCES, SMALL
from minibert.pretraining.log import read_log
from tools.environment import ROOT
from tools.ship import LOGS, fill_card, without_folders

LIMIT = 11_000_000  # bytes of the weights
RUN_LOG, MEASURED = LOGS / "minibert-sentences.json", LOGS / "sentences.json"
PAIRS = (
    ("A man is playing a guitar.", "Somebody plays music on an instrument."),
    ("The children ran into the garden.", "The kids went outside to play."),
    ("The bank raised its interest rates.", "Borrowing money became more expensive."),
    ("She sat down by the river.", "They rested on the bank of the stream."),
    ("She sat down by the river.", "The bank raised its interest rates."),
    ("The dog bit the man.", "The man bit the dog."),
    ("The film was good.", "The film was not good."),
)
LINES = (
    ("**minibert-sentences**, as shipped (half precision, seed 0)", "minibert-sentences"),
    ("distilled from MiniLM, untrained start", "distilled, untrained start"),
    ("… start from the weights of minibert-small", "distilled"),
    ("… start from the closest bag of words, no positions", "distilled bag of words"),
    ("… the same, two layers and a tenth of the steps", "distilled, short"),
    ("… two layers with positions, a sixth of the steps", "distilled, short, with positions"),
    ("the bag of words closest to MiniLM", "closest bag of words"),
    ("contrastive, no teacher: dropout pairs", "dropout pairs"),
    ("contrastive, no teacher: neighbouring sentences", "neighbouring sentences"),
    ("contrastive, no teacher: titles and first sentences", "titles and first sentences"),
    ("whitened word vectors of minibert-small", "whitened word vectors"),
    ("mean vectors of minibert-small", "minibert-small"),
    ("mean vectors of its untrained control", "untrained"),
    ("bag of words", "bag of words"),
    ("MiniLM, the teacher", "MiniLM"),
)


def ship(run: Path, root: Path = ROOT) -> None:
    """Write the encoder of a run into the package under `root`, its digest into find_pretrained.py, its log into benchmarks/logs.

    Raises a ValueError for a folder that is no finished run, and for weights that do not fit.
    """
    source = run / "model"
    if not (run / "run.json").is_file() or not source.is_dir():
        raise ValueError(f"{run} is no finished run: expected run.json and the folder model/ in it")
    model, tokenizer = (
        from_pretrained(source, BertModel),
        WordPieceTokenizer.from_pretrained(source),
    )
    model.half()
    lost = [name for name, tensor in model.state_dict().items() if not tensor.isfinite().all()]
    if lost:
        raise ValueError(f"half precision cannot hold {lost[0]}")
    packaged = root / PACKAGED.relative_to(ROOT)
    save_pretrained(model, packaged / SENTENCES, tokenizer)
    for name in ("LICENSE", "CREDITS.md"):  # it learned from the same texts
        text = (packaged / SMALL / name).read_text(encoding="utf-8").replace(SMALL, SENTENCES)
        (packaged / SENTENCES / name).write_text(text, encoding="utf-8")
    weights = packaged / SENTENCES / "model.safetensors"
    size = weights.stat().st_size
    if size > LIMIT:
        raise ValueError(f"{weights} has {size:,} bytes; at most {LIMIT:,} are shipped")
    hub = root / "minibert" / "hub" / "find_pretrained.py"
    text, count = re.subn(
        r'(SENTENCES: )"[0-9a-f]*"', rf'\1"{sha256(weights)}"', hub.read_text(encoding="utf-8")
    )
    if count != 1:
        raise ValueError(f"{hub} has no line for the digest of {SENTENCES}")
    hub.write_text(text, encoding="utf-8")
    log = json.loads((run / "run.json").read_text(encoding="utf-8"))
    kept = {name: log[name] for name in ("settings", "sources", "sessions", "config")}
    kept["texts"] = (run / "texts.txt").read_text(encoding="utf-8").count("\n")
    kept["curve"] = [record for record in read_log(run / "log.jsonl") if "held_out" in record]
    kept = json.loads(without_folders(json.dumps(kept)))
    (root / RUN_LOG).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    parameters = sum(parameter.numel() for parameter in model.parameters())
    print(f"shipped: {weights.relative_to(root)}, {size:,} bytes, {parameters:,} parameters")


def card_blocks(root: Path = ROOT) -> dict[str, str]:
    """The parts of the card that are made of the two logs: name -> Markdown."""
    found: dict[str, list[float]] = {}
    for row in json.loads((root / MEASURED).read_text(encoding="utf-8"))["rows"]:
        found.setdefault(row["variant"], []).append(row["spearman"])
    lines = ["| | mean | lowest to highest | seeds |", "|---|---|---|---|"]
    for what, variant in LINES:
        if variant in found:
            scores = found[variant]
            spread = f"{min(scores):.3f} to {max(scores):.3f}" if len(scores) > 1 else ""
            lines.append(f"| {what} | {statistics.fmean(scores):.3f} | {spread} | {len(scores)} |")
    log = json.loads((root / RUN_LOG).read_text(encoding="utf-8"))
    options, last = log["settings"]["options"], log["curve"][-1]
    recipe = [
        *(
            f"    {session['command']}"
            for session in log["sessions"]
            if "--resume" not in session["command"]
        ),
        "",
        f"{last['step']:,} steps of {options['batch_size']} texts, drawn from {log['texts']:,}, on one core. At the end the mean cosine "
        f"with the teacher's vectors was {last['held_out']['cosine']:.3f} on {options['held_out']:,} texts that were held out.",
    ]
    return {"results": "\n".join(lines), "recipe": "\n".join(recipe)}


def examples() -> str:
    """The cosines of some pairs, as a table."""
    lines = ["| | | cosine |", "|---|---|---|"]
    for one, other in PAIRS:
        lines.append(f"| {one} | {other} | {minibert.similarity(one, other):.2f} |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "run",
        nargs="?",
        type=Path,
        metavar="RUN_FOLDER",
        help="the folder of a finished run of `minibert train-sentences`",
    )
    what.add_argument("--card", action="store_true", help="put the measured numbers into the card")
    arguments = parser.parse_args(argv)
    torch.set_num_threads(1)
    try:
        if arguments.card:
            card = PACKAGED / SENTENCES / "README.md"
            blocks = card_blocks() | {"examples": examples()}
            filled = fill_card(card.read_text(encoding="utf-8"), blocks)
            card.write_text(filled, encoding="utf-8")
        else:
            ship(arguments.run)
    except (ValueError, OSError) as error:
        print(f"ship_sentences.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
