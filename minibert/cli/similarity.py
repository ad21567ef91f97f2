"""`minibert similarity`: show how similar texts are in meaning."""

import argparse
from itertools import combinations
from typing import TYPE_CHECKING

from minibert.cli.common import add_command, one_line, read_lines
from minibert.config import InputError
from minibert.hub.find_pretrained import MINILM, SENTENCES

if TYPE_CHECKING:
    from minibert.cli.common import Commands


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "similarity",
        run_similarity,
        "show how similar texts are in meaning: cosines from -1 to 1",
        [
            'minibert similarity "The cat sleeps." "A kitten is dozing."',
            'minibert similarity "first text" "second text" "third text"',
            "minibert similarity --pairs pairs.tsv        # two texts per line, with a tab between",
            "cut -f 2,3 table.tsv | minibert similarity --pairs -",
            f'minibert similarity "first text" "second text" --model {MINILM}',
        ],
    )
    parser.set_defaults(rest="texts")
    parser.add_argument(
        "texts",
        metavar="TEXT",
        nargs="*",
        help="two or more texts; all pairs are compared and printed, the most similar first; the "
        "end of a text that is longer than the model takes is not read, and a note says so",
    )
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="compare the two tab-separated texts on each line of a file, in the file's order; "
        "'-' means standard input",
    )
    parser.add_argument(
        "--model",
        default=SENTENCES,
        help="folder or hub name (default: %(default)s, which is part of the package)",
    )


def run_similarity(arguments: argparse.Namespace) -> None:
    """Print the cosine of every pair."""
    if bool(arguments.texts) == bool(arguments.pairs):
        raise InputError("give two or more texts, or --pairs FILE (not both)")
    if len(arguments.texts) == 1:
        raise InputError("there is only one text; give two or more to compare")
    pairs = (
        _read_pairs(arguments.pairs) if arguments.pairs else list(combinations(arguments.texts, 2))
    )
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    if any(not text.strip() for text in texts):
        raise InputError("a text is empty; every text needs at least one word")

    # imported late because torch is slow
    from minibert.inference.sentence_embeddings import embed, open_encoder

    model, tokenizer = open_encoder(arguments.model)
    vectors = embed(model, tokenizer, texts)
    index = {text: number for number, text in enumerate(texts)}
    results = [
        (float(vectors[index[one]] @ vectors[index[other]]), one, other) for one, other in pairs
    ]
    if arguments.texts:
        results.sort(key=lambda result: -result[0])
    for cosine, one, other in results:
        shown = f"{round(cosine, 3) + 0:.3f}"  # + 0 avoids "-0.000"
        print(f"{shown}\t{one_line(one)}\t{one_line(other)}")


def _read_pairs(name: str) -> list[tuple[str, str]]:
    pairs = []
    for number, line in enumerate(read_lines("--pairs", name), start=1):
        texts = line.split("\t")
        if len(texts) != 2:
            raise InputError(
                f"--pairs {name}, line {number}: expected two texts with one tab between them, "
                f"found {len(texts)} in {line[:60]!r}"
            )
        if not all(text.strip() for text in texts):
            raise InputError(f"--pairs {name}, line {number}: one of the two texts is empty")
        pairs.append((texts[0], texts[1]))
    return pairs
