"""SciTLDR and CNN/DailyMail as examples for BertSum.

Neither set is part of this package. Each is read from your own files, or downloaded with the
package `datasets`.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from minibert.config import InputError
from minibert.data.files import json_lines, read_lines
from minibert.data.hub_sets import open_hub_set
from minibert.data.sentences import split_sentences
from minibert.data.wikipedia.splits import check_split
from minibert.hub.find_pretrained import expanded
from minibert.hub.json_text import parse_json
from minibert.summarization.examples import Example

SPLITS = ("train", "valid", "test")
SCITLDR = "allenai/scitldr"
CNN_DAILYMAIL = "abisee/cnn_dailymail"
SPACED_STOP = re.compile(r"\s+([.,;:!?])(?=\s|$)")


def scitldr_examples(split: str, folder: str | Path | None = None) -> list[Example]:
    """Abstracts of papers on machine learning, each with summaries of one sentence (Cachola et al.
    2020): 1,992 / 619 / 618.

    `split` is 'train', 'valid' or 'test'. `folder` holds the files of the original repository
    (SciTLDR-Data/SciTLDR-A: train.jsonl, dev.jsonl, test.jsonl, perhaps with .gz or .xz at the
    end); without it they come over the network. One sentence of each abstract has label 1: the one
    that shares most with a summary, by ROUGE as its makers computed it.

    The labels are used unchanged, although some are wrong: for 126 of the 3,229 abstracts the set
    has fewer ROUGE scores than sentences, because very short sentences were skipped, and the label
    is an index into that shorter list. Blank sentences are dropped along with their labels.

    Raises a ValueError that names the file and line of a malformed row, or what is missing.
    """
    check_split(split)
    if folder is None:
        # the hub can no longer run the script that makes this set; it keeps what the script made on
        # a branch of its own
        rows = open_hub_set(
            "SciTLDR",
            SCITLDR,
            {"valid": "validation"}.get(split, split),
            "give the folder that holds its files",
            data_dir="Abstract",
            revision="refs/convert/parquet",
        )
        return [
            _scitldr_example(row, f"{SCITLDR}, row {number}")
            for number, row in enumerate(rows, start=1)
        ]
    stem = {"valid": "dev"}.get(split, split)
    names = [f"{stem}.jsonl{suffix}" for suffix in ("", ".gz", ".xz")]
    path = next((path for name in names if (path := Path(folder, name)).is_file()), None)
    if path is None:
        raise InputError(f"the folder {folder} holds none of {', '.join(names)}")
    return [_scitldr_example(row, f"{path}, line {number}") for number, row in json_lines(path)]


def _scitldr_example(row: Any, where: str) -> Example:
    source, target, labels = _values(row, "source", "target", "source_labels")
    if not _all_strings(source) or not _all_strings(target):
        raise InputError(
            f'{where}: wanted "source" and "target", lists of at least one sentence each, found '
            f"{_start(row)}"
        )
    if (
        not isinstance(labels, list)
        or len(labels) != len(source)
        or not all(label in (0, 1) for label in labels)
    ):
        raise InputError(
            f'{where}: wanted "source_labels" with 0 or 1 for each of the {len(source)} '
            f"sentences, found {_start(labels)}"
        )
    kept = [
        (sentence, label)
        for text, label in zip(source, labels, strict=True)
        if (sentence := " ".join(text.split()))
    ]
    references = [[sentence] for text in target if (sentence := " ".join(text.split()))]
    if not kept or not references:
        raise InputError(f"{where}: an empty document or summary: {_start(row)}")
    return Example(
        str(row.get("paper_id", where)),
        [sentence for sentence, _ in kept],
        references,
        [label for _, label in kept],
    )


def cnndm_examples(path: str | Path | None = None, split: str = "test") -> list[Example]:
    """News articles, each with the three or four highlights that an editor wrote (Hermann et al.
    2015, See et al. 2017).

    `path` is one file:
    - .json: as BertSum's own preparation leaves it, a list of objects with "src" and "tgt",
      each a list of sentences, where a sentence is a list of tokens. Tokens are joined by spaces.
    - .csv or .jsonl, perhaps with .gz (or .jsonl.xz): rows with "article" and "highlights" (one a
      line), as on the hub. The article is cut into sentences here. The stops that this form of the
      set puts apart ('in Iceland .') are put back. Without it the `split` ('train', 'valid',
      'test': 287,113 / 13,368 / 11,490) comes over the network.

    An example has no labels: they are made from its highlights, by `greedy_oracle`. Lines such as
    'By. Associated Press.' at the head of an article are part of the set; BertSum leaves out what
    has five words or fewer. A row whose article or highlights are empty (the original has some) is
    left out.

    Raises a ValueError with file and line for a row of another form, or that says what is missing.
    """
    if path is None:
        check_split(split)
        rows = open_hub_set(
            "CNN/DailyMail",
            CNN_DAILYMAIL,
            {"valid": "validation"}.get(split, split),
            "give a file of it",
            name="3.0.0",
        )
        return _articles(
            (f"{CNN_DAILYMAIL}, row {number}", row) for number, row in enumerate(rows, start=1)
        )
    path = expanded(path)
    if path.suffix == ".json":
        return _bertsum_articles(path)
    if ".csv" in path.suffixes:
        return _articles(_csv_rows(path))
    if ".jsonl" in path.suffixes:
        return _articles((f"{path}, line {number}", row) for number, row in json_lines(path))
    raise InputError(
        f"cannot read {path}: its name must end in .json, .csv or .jsonl, the last two perhaps "
        "with .gz after it"
    )


def _articles(rows: Iterable[tuple[str, Any]]) -> list[Example]:
    examples = []
    for where, row in rows:
        article, highlights = _values(row, "article", "highlights")
        if not isinstance(article, str) or not isinstance(highlights, str):
            raise InputError(
                f'{where}: wanted the strings "article" and "highlights", found {_start(row)}'
            )
        sentences = split_sentences(SPACED_STOP.sub(r"\1", article))
        summary = [
            " ".join(SPACED_STOP.sub(r"\1", line).split())
            for line in highlights.splitlines()
            if line.strip()
        ]
        if sentences and summary:
            examples.append(Example(str(row.get("id", where)), sentences, [summary]))
    return examples


def _csv_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    reader = csv.DictReader(line + "\n" for line in read_lines(path))
    try:
        for row in reader:
            yield f"{path}, line {reader.line_num}", row
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}") from error


def _bertsum_articles(path: Path) -> list[Example]:
    try:
        records = parse_json("\n".join(read_lines(path)))
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error})") from error
    if not isinstance(records, list):
        raise InputError(f"{path}: wanted a list of articles, found {_start(records)}")
    examples = []
    for number, record in enumerate(records, start=1):
        source, target = _values(record, "src", "tgt")
        if not all(
            isinstance(sentences, list) and sentences and all(map(_all_strings, sentences))
            for sentences in (source, target)
        ):
            raise InputError(
                f'{path}, article {number}: wanted "src" and "tgt", lists of sentences that are '
                f"lists of tokens, found {_start(record)}"
            )
        examples.append(
            Example(
                f"{path.name}, article {number}",
                [" ".join(tokens) for tokens in source],
                [[" ".join(tokens) for tokens in target]],
            )
        )
    return examples


def _values(row: Any, *names: str) -> list[Any]:
    """Return the values of a row by name, None for each that is missing."""
    return [row.get(name) if isinstance(row, dict) else None for name in names]


def _all_strings(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _start(value: object) -> str:
    return repr(value)[:60]
