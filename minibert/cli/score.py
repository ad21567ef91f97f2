"""`minibert score`: how probable a model finds sentences."""

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING

from minibert.cli.common import add_command, one_line, read_lines
from minibert.config import InputError

if TYPE_CHECKING:
    from minibert.cli.common import Commands


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "score",
        run_score,
        "show how probable a model finds sentences (pseudo-log-likelihood)",
        [
            'minibert score minibert-small "The cats sleep." "The cats sleeps."',
            "minibert score minibert-small sentences.txt         # a sentence on each line",
            "minibert score path/to/a/saved/model - --json < sentences.txt",
        ],
    )
    parser.set_defaults(rest="texts")
    parser.usage = "minibert score MODEL FILE | TEXT ... [options]"
    parser.description = (
        f"{parser.description}\n\n"
        "Each token is masked in turn, and the log-probabilities of the true tokens are added up.\n"
        "The output has a line for each sentence, with tabs between the fields: score in nats,\n"
        "number of tokens, score per token, sentence. Higher is more probable."
    )
    parser.add_argument(
        "model",
        metavar="MODEL",
        help="folder or hub name of a model with a masked-language-model head, or minibert-small",
    )
    parser.add_argument(
        "texts",
        metavar="TEXT_OR_FILE",
        nargs="+",
        help="a file with a sentence on each line ('-' reads standard input), or the sentences "
        "themselves, of more than one word each",
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
        help="print a JSON object on each line, with the log-probability of every token",
    )


def run_score(arguments: argparse.Namespace) -> None:
    """Print the score of every sentence."""
    texts = _sentences(arguments.texts)

    from minibert.inference.fill_mask import open_masked_lm  # late: torch is slow to import
    from minibert.inference.pseudo_likelihood import score_sentences

    model, tokenizer = open_masked_lm(arguments.model)
    scores = score_sentences(
        model, tokenizer, texts, within_word=arguments.within_word, progress=sys.stderr.isatty()
    )
    for text, score in zip(texts, scores, strict=True):
        if arguments.json:
            tokens = [
                {"token": token, "score": round(value, 6)}
                for token, value in zip(score.tokens, score.log_probabilities, strict=True)
            ]
            row = {"text": text, "score": round(score.total, 6)}
            row |= {"per_token": round(score.per_token, 6), "tokens": tokens}
            print(json.dumps(row))
        else:
            line = one_line(text)
            print(f"{score.total:.3f}\t{len(score.tokens)}\t{score.per_token:.3f}\t{line}")


def _sentences(given: list[str]) -> list[str]:
    """The sentences of a file, of standard input ('-'), or as they were typed."""
    if len(given) == 1 and (given[0] == "-" or _names_a_file(given[0])):
        return read_lines("FILE", given[0])
    for text in given:
        if len(text.split()) < 2:
            raise InputError(
                f"there is no file {text!r}, and a sentence has more than one word"
                if len(given) == 1 and text.strip()
                else f"expected one file, or sentences of more than one word, not {text!r}"
            )
    return given


def _names_a_file(text: str) -> bool:
    """Whether there is such a file, or may be one that this user may not see."""
    try:
        os.stat(text)
    except PermissionError:
        return True
    except (OSError, ValueError):  # no such file; longer than a name may be; a NUL character
        return False
    return True
