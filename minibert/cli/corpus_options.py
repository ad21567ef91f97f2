"""The options that name a text: the same in every command that reads a corpus."""

import argparse

# minibert.data.corpora knows these; they are repeated here because it imports torch
CORPORA = ("default", "wikitext-2", "wikitext-103", "wikipedia", "imdb")


def add_corpus_options(parser: "argparse._ActionsContainer") -> None:
    """Add --corpus and --sentence-per-line to a parser or a group of options."""
    parser.add_argument(
        "--corpus",
        nargs="+",
        metavar="NAME",
        help=f"{', '.join(CORPORA)}; or files, folders, patterns (.txt, .jsonl, also .gz, .xz) "
        f"(default: {CORPORA[0]}, 97 Wikipedia articles, no network needed)",
    )
    parser.add_argument(
        "--sentence-per-line",
        action="store_true",
        help="each line of a .txt is a sentence, a blank line ends a document",
    )
