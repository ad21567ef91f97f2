"""`minibert tokenizer`: learn a WordPiece vocabulary from a corpus."""

import argparse
import os
import sys
import tempfile
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from minibert.cli.common import add_command, one_line, whole
from minibert.cli.corpus_options import CORPORA, add_corpus_options
from minibert.config import InputError
from minibert.hub.atomic_io import ctrl_c_afterwards, sync
from minibert.hub.find_pretrained import expanded
from minibert.hub.new_folder import new_folder, refuse_filled

if TYPE_CHECKING:
    from minibert.tokenization import WordPieceTokenizer

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
    parser.set_defaults(corpus=[CORPORA[0]])
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
    with new_folder(folder):
        _learn(arguments, folder)


def _learn(arguments: argparse.Namespace, folder: Path) -> None:
    from tqdm.auto import tqdm

    from minibert.data.corpora import documents
    from minibert.tokenization import WordPieceTokenizer

    corpus = arguments.corpus[0] if len(arguments.corpus) == 1 else arguments.corpus
    found = documents(corpus, sentence_per_line=arguments.sentence_per_line)
    sentences = list(
        tqdm(
            islice(chain.from_iterable(found), arguments.sentences),
            desc="Reading",
            unit=" sentences",
            disable=None,
        )
    )
    if not sentences:
        raise InputError(f"--corpus {' '.join(arguments.corpus)} has no sentence to learn from")
    tokenizer = WordPieceTokenizer.train(
        sentences,
        arguments.vocab_size,
        lowercase=not arguments.cased,
        show_progress=sys.stderr.isatty(),
    )
    try:
        _save(tokenizer, folder)
    except OSError as error:
        raise InputError(f"cannot write the vocabulary to {folder}: {error.strerror}") from error
    fewer = (
        ""
        if tokenizer.vocab_size == arguments.vocab_size
        else f" (not {arguments.vocab_size:,}: nothing else occurs twice)"
    )
    print(
        f"{one_line(str(folder / 'vocab.txt'))}: {tokenizer.vocab_size:,} tokens{fewer}, "
        f"learned from {len(sentences):,} sentences"
    )


def _save(tokenizer: "WordPieceTokenizer", folder: Path) -> None:
    """Save the tokenizer; vocab.txt is moved into the folder last, so it is never incomplete."""
    with (
        ctrl_c_afterwards(),
        tempfile.TemporaryDirectory(prefix=".vocabulary-", dir=folder) as staging,
    ):
        tokenizer.save(staging)
        for name in ("tokenizer_config.json", "vocab.txt"):
            sync(Path(staging) / name)
            os.replace(Path(staging) / name, folder / name)
    sync(folder)
