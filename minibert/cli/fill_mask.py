"""`minibert fill-mask`: predict the tokens for each [MASK] of a text."""

import argparse
from reprlib import repr as shown  # a value in a message, shortened
from typing import TYPE_CHECKING

from minibert.cli.common import add_command, one_line, whole
from minibert.config import InputError
from minibert.hub.find_pretrained import SMALL

if TYPE_CHECKING:
    from minibert.cli.common import Commands


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "fill-mask",
        run_fill_mask,
        "predict the most probable tokens for each [MASK] of a text",
        [
            'minibert fill-mask "The children went to the [MASK] in the morning."',
            'minibert fill-mask "Paris is the [MASK] of France." --model path/to/a/saved/model',
            'minibert fill-mask "The [MASK] barked at the [MASK]." '
            "--model google-bert/bert-base-uncased --top 3",
        ],
    )
    parser.add_argument(
        "text", metavar="TEXT", help="a text that contains [MASK], in capitals, at least once"
    )
    parser.add_argument(
        "--model",
        default=SMALL,
        help="folder or hub name of a model with a masked-language-model head "
        "(default: %(default)s, which is part of minibert)",
    )
    parser.add_argument(
        "--top", type=whole, default=5, help="number of tokens for each mask (default: %(default)s)"
    )


def run_fill_mask(arguments: argparse.Namespace) -> None:
    """Print the best tokens for each mask, with their probabilities."""
    if arguments.top < 1:
        raise InputError(f"--top must be at least 1, not {arguments.top}")
    if "[MASK]" not in arguments.text:
        raise InputError(f"the text has no [MASK] (in capitals): {shown(arguments.text)}")

    from minibert.inference.fill_mask import fill_mask, open_masked_lm  # late because torch is slow

    model, tokenizer = open_masked_lm(arguments.model)
    filled = fill_mask(model, tokenizer, arguments.text, arguments.top)
    for number, tokens in enumerate(filled, start=1):
        if len(filled) > 1:
            print(f"[MASK] {number}")
        for token, probability in tokens:
            print(f"{probability:.3f}\t{one_line(token)}")
