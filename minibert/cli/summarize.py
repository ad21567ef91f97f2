"""`minibert summarize`: a document in, its most telling sentences out, and how much of it was
read."""

import argparse
import math
import sys
from typing import TYPE_CHECKING

from minibert.cli.common import add_command, add_encoding, json_line, one_line, whole
from minibert.cli.marked_text import MARKS, in_context
from minibert.cli.streams import complain
from minibert.config import InputError
from minibert.hub.find_pretrained import MINILM, SMALL

if TYPE_CHECKING:  # torch takes seconds to import
    from minibert.cli.common import Commands
    from minibert.summarization.documents.reading import Document
    from minibert.summarization.model import BertSumExt
    from minibert.summarization.scoring import DocumentScores
    from minibert.tokenization import WordPieceTokenizer

FORMATS = ("text", "markdown", "html")  # those of minibert.summarization.documents.reading

LONG = 200  # sentences, from which on a bar is shown
# share of letters that are not Latin, and of unknown tokens, from which on scores say little
FOREIGN = 0.3


def add(commands: "Commands") -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "summarize",
        run_summarize,
        "choose the sentences that best summarize a document",
        [
            "minibert summarize article.txt                       # three sentences",
            "minibert summarize README.md --sentences 5 --context # the whole text, with the "
            "sentences marked",
            f"minibert summarize page.html --model {MINILM}",
            "man grep | minibert summarize                        # standard input",
            "minibert summarize chapters/*.txt --json             # scores; one JSON object a "
            "line for each file",
        ],
    )
    parser.set_defaults(rest="files")
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="text, Markdown or HTML files; '-' or none: standard input",
    )
    parser.add_argument(
        "--sentences",
        type=whole,
        default=3,
        metavar="K",
        help="how many to choose from each file (default: %(default)s)",
    )
    parser.add_argument(
        "--model",
        default=SMALL,
        help=f"{SMALL} (the default) or {MINILM} (larger), whose sentence heads are part of "
        "minibert; or the folder of a BertSumExt that you saved",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument(
        "--context",
        action="store_true",
        help="print the whole text with the chosen sentences marked: in colour on a terminal "
        f"(unless NO_COLOR is set), otherwise {MARKS[0]}like this{MARKS[1]}",
    )
    output.add_argument(
        "--json",
        action="store_true",
        help="print every sentence with its score and its position, and how much was read",
    )
    parser.add_argument(
        "--no-blocking",
        action="store_true",
        help="also choose a sentence that shares three words in a row with a better one",
    )
    parser.add_argument(
        "--no-windows",
        action="store_true",
        help="read only the beginning that fits into the model at once, as BertSum was published "
        "(default: the whole document, in windows that overlap)",
    )
    parser.add_argument(
        "--lead",
        action="store_true",
        help="choose the first K sentences, without a model: a baseline to compare a summary with "
        "(--model, --no-blocking and --no-windows have no effect then)",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        help="format of the files (default: from their suffix, or guessed from the text)",
    )
    add_encoding(parser)


def run_summarize(arguments: argparse.Namespace) -> None:
    from minibert.summarization.documents.reading import read_file  # late: slow to import
    from minibert.summarization.head_store import open_summarizer

    if arguments.sentences < 1:
        raise InputError(f"--sentences must be at least 1, not {arguments.sentences}")
    if not arguments.files and sys.stdin.isatty():
        raise InputError(
            "give the name of a file, or a text on standard input "
            "('minibert summarize --help' has examples)"
        )
    if arguments.files.count("-") > 1:
        raise InputError("'-' is standard input, which can be read once: it is given twice")
    documents = [
        read_file(name, arguments.format, arguments.encoding) for name in arguments.files or ["-"]
    ]
    opened = None if arguments.lead else open_summarizer(arguments.model)
    for number, document in enumerate(documents):
        texts = [sentence.text for sentence in document.sentences]
        scores, chosen, notes = None, list(range(min(arguments.sentences, len(texts)))), list[str]()
        if opened is not None:
            model, tokenizer = opened
            scores, chosen = _choose(model, tokenizer, texts, arguments)
            notes = _about_reading(scores, model.config.max_position_embeddings)
            notes += _about_script(texts, scores, arguments.model)
        if len(chosen) < arguments.sentences:
            everything = len(chosen) == (scores.sentences_read if scores else len(texts))
            why = (
                "it has no more"
                if everything
                else "the others share three words in a row with these (--no-blocking allows that)"
            )
            notes.append(f"chosen: {len(chosen)}, not {arguments.sentences}: {why}")
        if document.left_out:
            counts = [f"{what} ({count:,})" for what, count in document.left_out.items()]
            notes.append(f"left out: {', '.join(counts)}")
        if arguments.json:
            print(_as_json(document, scores, chosen, notes, arguments))
            continue
        if len(documents) > 1:
            print("\n" * (number > 0) + f"==> {one_line(document.name)} <==")
        print(
            in_context(document, chosen)
            if arguments.context
            else "\n".join(texts[n] for n in chosen)
        )
        sys.stdout.flush()  # before the last line, where both go to one place
        said = [_how_much(scores, len(texts)), *(note[0].upper() + note[1:] for note in notes)]
        about = f"{document.name} ({document.format}): {'. '.join(said)}."
        complain(one_line(about))


def _choose(
    model: "BertSumExt",
    tokenizer: "WordPieceTokenizer",
    texts: list[str],
    arguments: argparse.Namespace,
) -> "tuple[DocumentScores, list[int]]":
    """The scores of all sentences, and which sentences are chosen."""
    from minibert.summarization.scoring import summarize  # late: slow to import

    summary = summarize(
        model,
        tokenizer,
        texts,
        arguments.sentences,
        block_trigrams=not arguments.no_blocking,
        windows=not arguments.no_windows,
        progress=len(texts) > LONG and sys.stderr.isatty(),
    )
    return summary.document, summary.chosen


def _how_much(scores: "DocumentScores | None", sentences: int) -> str:
    whole = f"{sentences:,} sentence{'s' * (sentences > 1)}"
    if scores is None:
        return f"{whole}, none of them read by a model"
    windows = f"in {scores.windows:,} window{'s' * (scores.windows > 1)}"
    if scores.tokens_read == scores.tokens:
        return f"{whole}, {scores.tokens:,} tokens, all read {windows}"
    return (
        f"{whole}, {scores.tokens:,} tokens, of which {scores.sentences_read:,} and "
        f"{scores.tokens_read:,} were read {windows}"
    )


def _about_reading(scores: "DocumentScores", window: int) -> list[str]:
    """What was not read, and why."""
    notes, unread = [], scores.scores.count(-math.inf)
    if scores.sentences_cut:
        shown = ", ".join(str(n + 1) for n in scores.sentences_cut[:5])
        shown += ", …" * (len(scores.sentences_cut) > 5)
        notes.append(
            f"a window of {window} tokens has no room for the end of sentence {shown}: "
            "it was cut off"
        )
    if unread:
        notes.append(
            f"the last {unread:,} sentences were not read: --no-windows reads the first {window} "
            "tokens only"
        )
    return notes


def _about_script(texts: list[str], scores: "DocumentScores", name: str) -> list[str]:
    """Whether this is a text that the model can say anything about."""
    letters = [letter for text in texts for letter in text if letter.isalpha()]
    foreign = sum(letter > "\u024f" for letter in letters) / max(1, len(letters))
    unknown = scores.unknown / max(1, scores.tokens - 2 * len(texts))
    notes = []
    if name in (SMALL, MINILM) and foreign >= FOREIGN:
        notes.append(
            f"its scores say little here: {name} learned English, and {foreign:.0%} of these "
            "letters are not Latin"
        )
    if unknown >= FOREIGN:
        notes.append(
            f"its scores say little here: {name} does not know {unknown:.0%} of these tokens"
        )
    return notes


def _as_json(
    document: "Document",
    scores: "DocumentScores | None",
    chosen: list[int],
    notes: list[str],
    arguments: argparse.Namespace,
) -> str:
    values = (
        [
            None if scores is None or score == -math.inf else round(score, 4)
            for score in scores.scores
        ]
        if scores
        else [None] * len(document.sentences)
    )
    read = (
        {}
        if scores is None
        else {
            "sentences_read": scores.sentences_read,
            "tokens": scores.tokens,
            "tokens_read": scores.tokens_read,
            "windows": scores.windows,
            "sentences_cut": scores.sentences_cut,
        }
    )
    result = {
        "name": document.name,
        "format": document.format,
        "title": document.title,
        "model": None if arguments.lead else arguments.model,
        "read": {"sentences": len(values)} | read | {"left_out": document.left_out},
        "notes": notes,
        "summary": [document.sentences[n].text for n in chosen],
        "sentences": [
            {
                "text": sentence.text,
                "score": value,
                "chosen": n in chosen,
                "block": sentence.block,
                "start": sentence.start,
                "end": sentence.end,
            }
            for n, (sentence, value) in enumerate(zip(document.sentences, values, strict=True))
        ],
        "text": document.text,
    }
    return json_line(result)
