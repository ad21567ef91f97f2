"""`minibert evaluate`: what a model has learned of English grammar, measured on minimal pairs."""

import argparse
import json
import sys
from collections import Counter
from typing import TYPE_CHECKING

from minibert.cli.common import add_command, device_kind, one_line, positive, use_threads, whole
from minibert.cli.finetune_options import add_machine_options

if TYPE_CHECKING:
    from minibert.cli.common import Commands
    from minibert.inference.minimal_pairs import PairScores


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "evaluate",
        run_evaluate,
        "measure how often a model prefers the grammatical sentence of a pair (BLiMP)",
        [
            "minibert evaluate minibert-small --blimp path/to/blimp --limit 50",
            "minibert evaluate path/to/a/saved/model --blimp path/to/blimp --json > scores.json",
        ],
    )
    parser.description = (
        f"{parser.description}\n\nSentences are scored as by `minibert score`. "
        "The total is the mean over the 67 paradigms\nof BLiMP (Warstadt et al. 2020); "
        "a random choice gets 0.5."
    )
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="folder or hub name of a model with a masked-language-model head, or minibert-small",
    )
    parser.add_argument(
        "--blimp",
        metavar="FOLDER",
        required=True,
        help="the pairs: a folder with blimp.jsonl.xz, or with the published .jsonl files, one for "
        "each paradigm (github.com/alexwarstadt/blimp)",
    )
    parser.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help="use N pairs of each paradigm, drawn at random (default: all)",
    )
    parser.add_argument(
        "--seed",
        type=whole,
        default=0,
        metavar="N",
        help="random seed for --limit (default: %(default)s)",
    )
    parser.add_argument(
        "--within-word",
        action="store_true",
        help="while a token is predicted, mask the later pieces of its word as well (PLL-word-l2r, "
        "Kauf & Ivanova 2023)",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object, with the accuracy of every paradigm as well",
    )
    add_machine_options(parser)


def run_evaluate(arguments: argparse.Namespace) -> None:
    """Print the accuracy of every phenomenon, and of all."""
    from minibert.inference.fill_mask import open_masked_lm
    from minibert.inference.minimal_pairs import evaluate_pairs, read_blimp, sample_pairs

    if arguments.threads:
        use_threads(arguments.threads)
    pairs = read_blimp(arguments.blimp)
    if arguments.limit:
        pairs = sample_pairs(pairs, arguments.limit, arguments.seed)
    model, tokenizer = open_masked_lm(arguments.model)
    model.to(device_kind(arguments.device or "auto"))
    scores = evaluate_pairs(
        model,
        tokenizer,
        pairs,
        within_word=arguments.within_word,
        progress=sys.stderr.isatty(),
    )
    if arguments.json:
        given = {name: getattr(arguments, name) for name in ("model", "limit", "seed")}
        print(json.dumps(given | {"within_word": arguments.within_word} | vars(scores), indent=2))
        return
    phenomenon = {pair.paradigm: pair.phenomenon for pair in pairs}
    _print_table(scores, Counter(phenomenon.values()))


def _print_table(scores: "PairScores", sizes: Counter[str]) -> None:
    shown = {name: one_line(name).replace("_", " ") for name in scores.phenomena}
    width = max(map(len, ("phenomenon", *shown.values()))) + 2
    print(f"{'phenomenon':{width}}paradigms  accuracy")
    for name, accuracy in scores.phenomena.items():
        print(f"{shown[name]:{width}}{sizes[name]:9}  {accuracy:8.3f}")
    print(f"{'all':{width}}{len(scores.paradigms):9}  {scores.accuracy:8.3f}")
    print(f"{scores.pairs:,} pairs; all is the mean over paradigms; a random choice gets 0.5")
