"""`minibert tokenizer`: learn a WordPiece vocabulary from a corpus."""

import argparse
import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from minibert.cli.common import add_command, whole
from minibert.cli.corpus_options import CORPORA, add_corpus_options
from minibert.config import InputError
from minibert.hub.atomic_io import ctrl_c_afterwards
from minibert.hub.find_pretrained import expanded
from minibert.hub.new_folder import new_folder, refuse_filled

# about 4 million words; twice as many would take twice as long and hardly change 8,192 tokens
SENTENCES = 200_000


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "tokenizer",
        run_tokenizer,
        "learn a WordPiece vocabulary from a corpus",
        [
            "minibert tokenizer --out vocabulary                  # from the default corpus",
            "minibert tokenizer --corpus 'texts/*.txt' --vocab-size 16000 --out vocabulary",
            "minibert tokenizer --corpus texts/ --cased --out vocabulary",
        ],
    )
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        required=True,
        help="folder for vocab.txt and tokenizer_config.json",
    )
    add_corpus_options(parser)
    parser.add_argument(
        "--vocab-size",
        type=whole,
        default=8192,
        metavar="N",
        help="tokens in the vocabulary, including special tokens (default: %(default)s)",
    )
    parser.add_argument(
        "--cased",
        action="store_true",
        help="keep uppercase letters and accents (default: lowercase, without accents)",
    )
    parser.add_argument(
        "--sentences",
        type=whole,
        default=SENTENCES,
        metavar="N",
        help="learn from at most the first N sentences (default: %(default)s)",
    )


def run_tokenizer(arguments: argparse.Namespace) -> None:
    """Learn the vocabulary, save it, and print a summary."""
    if arguments.sentences < 1:
        raise InputError(f"--sentences must be at least 1, not {arguments.sentences}")
    folder = expanded(arguments.out)
    refuse_filled(folder)
    # before the folder is made, because a Ctrl-C while torch is imported ends the process at once
    from minibert.data.corpora import documents
    from minibert.pretraining.preparation import find_corpus

    names = tuple(dict.fromkeys(arguments.corpus or CORPORA[:1]))
    found = documents(find_corpus(names), sentence_per_line=arguments.sentence_per_line)
    with new_folder(folder):
        _learn(arguments, folder, names, found)


def _learn(
    arguments: argparse.Namespace,
    folder: Path,
    names: tuple[str, ...],
    found: Iterator[list[str]],
) -> None:
    from tqdm.auto import tqdm

    from minibert.data.corpora import named_in_errors
    from minibert.tokenization import WordPieceTokenizer

    sentences = list(
        tqdm(
            islice(chain.from_iterable(found), arguments.sentences),
            desc="Reading",
            unit=" sentences",
            disable=None,
        )
    )
    if not sentences:
        raise InputError(f"--corpus {' '.join(names)} has no sentence to learn from")
    with named_in_errors(names):
        tokenizer = WordPieceTokenizer.train(
            sentences,
            arguments.vocab_size,
            lowercase=not arguments.cased,
            show_progress=sys.stderr.isatty(),
        )
    try:
        with ctrl_c_afterwards():
            tokenizer.save(folder)
    except OSError as error:
        raise InputError(f"cannot write the vocabulary to {folder}: {error.strerror}") from error
    fewer = (
        ""
        if tokenizer.vocab_size == arguments.vocab_size
        else f" (not {arguments.vocab_size:,}: nothing else occurs twice)"
    )
    print(
        f"{folder / 'vocab.txt'}: {tokenizer.vocab_size:,} tokens{fewer}, "
        f"learned from {len(sentences):,} sentence{'s' * (len(sentences) > 1)}"
    )
