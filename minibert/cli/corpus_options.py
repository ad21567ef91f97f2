"""The options that name a corpus, for every command that reads one."""

import argparse

# the names in minibert.data.corpora, repeated here because that module imports torch
CORPORA = ("default", "wikitext-2", "wikitext-103", "wikipedia", "imdb")


def add_corpus_options(parser: "argparse._ActionsContainer") -> None:
    """Add --corpus and --sentence-per-line to a parser or a group of options."""
    parser.add_argument(
        "--corpus",
        nargs="+",
        action="extend",  # given twice, both count
        metavar="NAME",
        help=f"{', '.join(CORPORA)}; or files, folders or patterns (.txt, .jsonl, also .gz, .xz) "
        f"(default: {CORPORA[0]}, 97 Wikipedia articles, which need no network). Every twelfth "
        "document is kept for validation, unless the names of files name the parts",
    )
    parser.add_argument(
        "--sentence-per-line",
        action="store_true",
        help="each line of a .txt file is one sentence, and a blank line ends a document",
    )
