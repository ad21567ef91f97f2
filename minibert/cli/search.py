"""`minibert search`: the passages in a folder of files that are nearest to a question."""

import argparse
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from minibert.cli.common import (
    add_command,
    add_encoding,
    json_line,
    one_line,
    positive,
)
from minibert.cli.streams import complain
from minibert.hub.find_pretrained import MINILM, SENTENCES

if TYPE_CHECKING:  # torch takes seconds to import
    from minibert.cli.common import Commands
    from minibert.inference.passage_search import Found

WIDTH, INDENT = 100, "    "
SHOWN = 3  # files that were left out, by name


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "search",
        run_search,
        "find the passages in a folder of text files that are nearest in meaning to a question",
        [
            'minibert search notes/ "How do I renew my passport?"',
            'minibert search book/ "why are the scores divided?" --top 3',
            'minibert search notes/ "the trip to Rome" --json      # a JSON object on each line',
            f'minibert search notes/ "the trip to Rome" --model {MINILM}',
        ],
    )
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        help="text, Markdown and HTML files (.txt, .md, .html, …), here and in the folders inside; "
        "or one file",
    )
    parser.add_argument("question", metavar="QUESTION", help="a question, or words on its subject")
    parser.add_argument(
        "--top",
        type=positive,
        default=5,
        metavar="N",
        help="how many passages to print (default: %(default)s)",
    )
    parser.add_argument(
        "--model",
        default=SENTENCES,
        help="folder or hub name (default: %(default)s, which is part of the package)",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="print a JSON object on each line, with 'score' (a cosine), 'file', 'line', "
        "'end_line' and 'text'",
    )
    add_encoding(parser)
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="compute all vectors anew (default: keep them and the passages in "
        "$XDG_CACHE_HOME/minibert/search, or ~/.cache, for the next search)",
    )


def run_search(arguments: argparse.Namespace) -> None:
    """Print the best passages with file, lines and score."""
    from tqdm import tqdm  # late, as below: slow to import

    from minibert.hub.find_pretrained import find_pretrained
    from minibert.inference.passage_cache import PassageCache
    from minibert.inference.passage_search import search
    from minibert.inference.sentence_embeddings import open_encoder

    folder = find_pretrained(arguments.model)
    model, tokenizer = open_encoder(folder)
    with tqdm(desc="Reading", unit=" files", leave=False, disable=None) as bar:

        def progress(done: int, files: int) -> None:
            bar.total = files
            bar.update(done - bar.n)

        found = search(
            arguments.folder,
            arguments.question,
            model,
            tokenizer,
            arguments.top,
            None if arguments.no_cache else PassageCache(folder),
            progress,
            arguments.encoding,
        )
    if arguments.json:
        for hit in found.hits:
            about = {"score": round(hit.score, 4), "file": str(hit.path), **vars(hit.passage)}
            print(json_line(about))
    else:
        print("\n\n".join(_shown(found, number) for number in range(len(found.hits))))
    sys.stdout.flush()
    for note in _notes(found):
        complain(f"minibert search: {one_line(note)}")


def _shown(found: "Found", number: int) -> str:
    hit = found.hits[number]
    first, last = hit.passage.line, hit.passage.end_line
    name = one_line(str(hit.path))
    lines = f"{first}-{last}" if last > first else str(first)
    text = textwrap.fill(
        one_line(hit.passage.text), WIDTH, initial_indent=INDENT, subsequent_indent=INDENT
    )
    return f"{round(hit.score, 3) + 0:.3f}  {name}:{lines}\n{text}"  # + 0 avoids "-0.000"


def _notes(found: "Found") -> list[str]:
    """What was searched, and what was not."""
    files = f"{found.files:,} file{'s' * (found.files > 1)}"
    passages = f"{found.passages:,} passage{'s' * (found.passages > 1)}"
    notes = [f"{passages} in {files}, {found.embedded:,} of them read anew"]
    if found.left_out:
        names = ", ".join(Path(name).name for name in list(found.left_out)[:SHOWN])
        more = ", …" * (len(found.left_out) > SHOWN)
        why = next(iter(found.left_out.values()))
        notes.append(f"left out: {len(found.left_out):,} ({names}{more}); the first: {why}")
    return notes + found.notes
