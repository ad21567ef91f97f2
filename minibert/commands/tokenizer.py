"""`minibert tokenizer`: a corpus in, a WordPiece vocabulary out."""

import argparse
import os
import sys
import tempfile
from itertools import chain, islice
from pathlib import Path

from tqdm.auto import tqdm

from minibert.commands import add_command
from minibert.data.corpora import DEFAULT, HUB_SETS, documents
from minibert.files import sync
from minibert.tokenization import WordPieceTokenizer

SENTENCES = 200_000         # about 4 million words: twice as many change little in 8,192 pieces, and take twice as long


def add(commands) -> None:
    parser = add_command(commands, "tokenizer", run_tokenizer, "learn a WordPiece vocabulary from a corpus", [
        "minibert tokenizer --out vocabulary                  # from the default corpus",
        "minibert tokenizer --corpus 'texts/*.txt' --vocab-size 16000 --out vocabulary",
        "minibert tokenizer --corpus texts/ --cased --out vocabulary"])
    parser.add_argument("--out", metavar="FOLDER", required=True, help="where vocab.txt and tokenizer_config.json go")
    parser.add_argument("--corpus", nargs="+", metavar="NAME", default=[DEFAULT],
                        help=f"{', '.join([DEFAULT, *HUB_SETS])}; or files, folders, patterns (.txt, .jsonl, also .gz, .xz) "
                             f"(default: {DEFAULT}, 97 Wikipedia articles, no network needed)")
    parser.add_argument("--sentence-per-line", action="store_true",
                        help="each line of a .txt is a sentence, a blank line ends a document")
    parser.add_argument("--vocab-size", type=int, default=8192, metavar="N",
                        help="tokens in the vocabulary, the special ones included (default: %(default)s)")
    parser.add_argument("--cased", action="store_true", help="keep capitals and accents (default: lower-case, accents stripped)")
    parser.add_argument("--sentences", type=int, default=SENTENCES, metavar="N",
                        help="learn from the first N sentences at most (default: %(default)s)")


def run_tokenizer(arguments: argparse.Namespace) -> None:
    if arguments.sentences < 1:
        raise ValueError(f"--sentences must be at least 1, not {arguments.sentences}")
    folder = Path(arguments.out)
    for name in ("vocab.txt", "tokenizer.json", "config.json"):
        if (folder / name).exists():
            raise ValueError(f"{folder} holds a {name} already; name another folder with --out")
    corpus = arguments.corpus[0] if len(arguments.corpus) == 1 else arguments.corpus
    found = documents(corpus, sentence_per_line=arguments.sentence_per_line)
    sentences = list(tqdm(islice(chain.from_iterable(found), arguments.sentences), desc="Reading", unit=" sentences", disable=None))
    if not sentences:
        raise ValueError(f"--corpus {' '.join(arguments.corpus)} holds no sentence to learn from")
    tokenizer = WordPieceTokenizer.train(sentences, arguments.vocab_size, lowercase=not arguments.cased, show_progress=sys.stderr.isatty())
    try:
        _save(tokenizer, folder)
    except OSError as error:
        raise ValueError(f"cannot write the vocabulary to {folder}: {error.strerror}") from error
    fewer = "" if tokenizer.vocab_size == arguments.vocab_size else \
        f" (not {arguments.vocab_size:,}: nothing else occurs twice)"
    print(f"{folder / 'vocab.txt'}: {tokenizer.vocab_size:,} tokens{fewer}, learned from {len(sentences):,} sentences")


def _save(tokenizer: WordPieceTokenizer, folder: Path) -> None:
    """Whole or not at all: vocab.txt, which makes a folder a vocabulary, is moved into its place last."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".vocabulary-", dir=folder) as staging:
        tokenizer.save(staging)
        for name in ("tokenizer_config.json", "vocab.txt"):
            sync(Path(staging) / name)
            os.replace(Path(staging) / name, folder / name)
    sync(folder)
