"""Documents with summaries, for training and testing BertSum: the default corpus, SciTLDR and CNN/DailyMail.

The default corpus needs no network: an encyclopaedia's articles begin with summaries of themselves. The other two are no part
of this package. Each is read from files that you have, or over the network with the package `datasets`.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from minibert.data.files import json_lines, read_lines
from minibert.data.hub_sets import open_hub_set
from minibert.data.sentences import split_sentences
from minibert.data.wikipedia import wikipedia_articles
from minibert.summarization.oracle import clean_words, greedy_oracle, ngrams, overlap_f1

SPLITS = ("train", "valid", "test")
SCITLDR = "allenai/scitldr"
CNN_DAILYMAIL = "abisee/cnn_dailymail"
LEAST_LEAD, BODY = 3, (8, 60)           # sentences of an article's lead, and of its body: at least, and where it is cut
SECTION = (8, 40)                       # sentences of a section: at least, at most
SPACED_STOP = re.compile(r"\s+([.,;:!?])(?=\s|$)")


@dataclass(frozen=True)
class Example:
    """A document, and what a summary of it should say.

    name        where it is from
    sentences   the N sentences of the document, in order
    references  one or more summaries, each a list of sentences
    labels      for each of the N sentences 1 where it belongs in the extract, else 0; None where nobody has labelled them
    """
    name: str
    sentences: list[str]
    references: list[list[str]]
    labels: list[int] | None = None


# -- the default corpus ------------------------------------------------------------------------------------------------

def lead_examples() -> list[Example]:
    """Articles of the default corpus (86): the first 60 sentences of the body, with the article's lead as the reference.

    The lead, what stands before the first heading, was written to sum up what follows; 11 sentences on average. The labels
    are those of `greedy_oracle` with three sentences. The name of an example is the title of its article.

    Raises a ValueError that says what to install where the corpus is missing.
    """
    examples = []
    for article in wikipedia_articles():
        lead, body = list(_sentences(article["sections"][:1])), list(islice(_sentences(article["sections"][1:]), BODY[1]))
        if len(lead) >= LEAST_LEAD and len(body) >= BODY[0]:
            chosen = greedy_oracle([sentence.lower().split() for sentence in body], [sentence.lower().split() for sentence in lead])
            examples.append(Example(article["title"], body, [lead], [int(i in chosen) for i in range(len(body))]))
    return examples


def section_examples(k: int = 3) -> list[Example]:
    """Sections of the default corpus (833, of 8 to 40 sentences, leads not among them), with labels that nobody had to write.

    Labelled are the `k` sentences that share most with the rest of their section, see `gap_sentences`; they are the reference
    as well. The name of an example is the title of its article, so that the sections of an article can be kept on
    one side of a split. Errors as `lead_examples`.
    """
    examples = []
    for article in wikipedia_articles():
        for section in article["sections"][1:]:
            sentences = list(_sentences([section]))
            if SECTION[0] <= len(sentences) <= SECTION[1]:
                chosen = gap_sentences(sentences, k)
                examples.append(Example(article["title"], sentences, [[sentences[i] for i in chosen]], [int(i in chosen) for i in range(len(sentences))]))
    return examples


def overlaps(example: Example) -> list[float]:
    """How good a summary each sentence of an example would be alone: N numbers from 0 to 2, to train on with loss "listwise".

    F1 of words + F1 of word pairs with the reference it shares most with: what `greedy_oracle` maximises.
    """
    def grams(sentences: list[str]) -> list[set]:
        words = clean_words(" ".join(sentences).lower().split())
        return [ngrams(words, 1), ngrams(words, 2)]

    references = [grams(reference) for reference in example.references]
    return [max(sum(map(overlap_f1, grams([sentence]), reference)) for reference in references) for sentence in example.sentences]


def _sentences(sections: Iterable[dict]) -> Iterator[str]:
    return (sentence for section in sections for paragraph in section["paragraphs"] for sentence in split_sentences(paragraph))


def gap_sentences(sentences: Sequence[str], k: int) -> list[int]:
    """The `k` sentences with the highest `shared_words`, in document order: the gap sentences of PEGASUS (Zhang et al. 2020).

    The rest of a section is far longer than a sentence, so that F1 is nearly all recall, and long sentences win: know this
    before you train on it.
    """
    scores = shared_words(sentences)
    return sorted(sorted(range(len(scores)), key=lambda i: -scores[i])[:k])


def shared_words(sentences: Sequence[str]) -> list[float]:
    """How well each sentence could stand for all others: N numbers from 0 to 1.

        s_i = ROUGE1-F1(x_i, D without x_i) = 2 |x_i and rest| / (|x_i| + |rest|)

    with |.| counting words, each as often as it occurs (Zhang et al. 2020, section 3.1: principal, independent, "Orig").
    """
    words = [Counter(clean_words(sentence.lower().split())) for sentence in sentences]
    everything = sum(words, Counter())
    return [2 * (own & (everything - own)).total() / max(everything.total(), 1) for own in words]


# -- SciTLDR -----------------------------------------------------------------------------------------------------------

def scitldr_examples(split: str, folder=None) -> list[Example]:
    """Abstracts of papers on machine learning, each with summaries of one sentence (Cachola et al. 2020): 1,992 / 619 / 618.

    `split` is 'train', 'valid' or 'test'. `folder` holds the files of the original repository (SciTLDR-Data/SciTLDR-A:
    train.jsonl, dev.jsonl, test.jsonl, perhaps with .gz or .xz at the end); without it they come over the network. One
    sentence of each abstract has label 1: the one that shares most with a summary, by ROUGE as its makers computed it.

    Their labels are read as they are, and some are wrong: for 126 of the 3,229 abstracts the set has fewer ROUGE scores
    than sentences, because very short ones were passed over, and the label counts the places in that shorter list.
    A sentence of nothing but blanks is left out, with its label.

    Raises a ValueError with file and line for a row of another form, or that says what is missing.
    """
    _check_split(split)
    if folder is None:
        # the hub can no longer run the script that makes this set; it keeps what the script made on a branch of its own
        rows = open_hub_set("SciTLDR", SCITLDR, {"valid": "validation"}.get(split, split), "give the folder that holds its files",
                            data_dir="Abstract", revision="refs/convert/parquet")
        return [_scitldr_example(row, f"{SCITLDR}, row {number}") for number, row in enumerate(rows, start=1)]
    stem = {"valid": "dev"}.get(split, split)
    names = [f"{stem}.jsonl{suffix}" for suffix in ("", ".gz", ".xz")]
    path = next((path for name in names if (path := Path(folder, name)).is_file()), None)
    if path is None:
        raise ValueError(f"the folder {folder} holds none of {', '.join(names)}")
    return [_scitldr_example(row, f"{path}, line {number}") for number, row in json_lines(path)]


def _scitldr_example(row, where: str) -> Example:
    source, target, labels = _values(row, "source", "target", "source_labels")
    if not _all_strings(source) or not _all_strings(target):
        raise ValueError(f'{where}: wanted "source" and "target", lists of at least one sentence each, found {_start(row)}')
    if not isinstance(labels, list) or len(labels) != len(source) or not all(label in (0, 1) for label in labels):
        raise ValueError(f'{where}: wanted "source_labels" with 0 or 1 for each of the {len(source)} sentences, found {_start(labels)}')
    kept = [(sentence, label) for text, label in zip(source, labels) if (sentence := " ".join(text.split()))]
    references = [[sentence] for text in target if (sentence := " ".join(text.split()))]
    if not kept or not references:
        raise ValueError(f"{where}: an empty document or summary: {_start(row)}")
    return Example(str(row.get("paper_id", where)), [sentence for sentence, _ in kept], references, [label for _, label in kept])


# -- CNN/DailyMail -----------------------------------------------------------------------------------------------------

def cnndm_examples(path=None, split: str = "test") -> list[Example]:
    """News articles, each with the three or four highlights that an editor wrote (Hermann et al. 2015, See et al. 2017).

    `path` is one file:
    - .json: as BertSum's own preparation leaves it, a list of {"src": [sentence, ...], "tgt": [sentence, ...]}, where a
      sentence is a list of tokens. Tokens are joined by spaces.
    - .csv or .jsonl, perhaps with .gz (or .jsonl.xz): rows with "article" and "highlights" (one a line), as on the hub. The
      article is cut into sentences here. The stops that this form of the set puts apart ('in Iceland .') are put back.
    Without it the `split` ('train', 'valid', 'test': 287,113 / 13,368 / 11,490) comes over the network.

    An example has no labels: they are made from its highlights, by `greedy_oracle`. Lines such as 'By. Associated Press.'
    at the head of an article are part of the set; BertSum leaves out what has five words or fewer. A row whose article or
    highlights are empty (the original has some) is left out.

    Raises a ValueError with file and line for a row of another form, or that says what is missing.
    """
    if path is None:
        _check_split(split)
        rows = open_hub_set("CNN/DailyMail", CNN_DAILYMAIL, {"valid": "validation"}.get(split, split), "give a file of it", name="3.0.0")
        return _articles((f"{CNN_DAILYMAIL}, row {number}", row) for number, row in enumerate(rows, start=1))
    path = Path(path).expanduser()
    if path.suffix == ".json":
        return _bertsum_articles(path)
    if ".csv" in path.suffixes:
        return _articles(_csv_rows(path))
    if ".jsonl" in path.suffixes:
        return _articles((f"{path}, line {number}", row) for number, row in json_lines(path))
    raise ValueError(f"cannot read {path}: its name must end in .json, .csv or .jsonl, the last two perhaps with .gz after it")


def _articles(rows: Iterable[tuple[str, object]]) -> list[Example]:
    examples = []
    for where, row in rows:
        article, highlights = _values(row, "article", "highlights")
        if not isinstance(article, str) or not isinstance(highlights, str):
            raise ValueError(f'{where}: wanted the strings "article" and "highlights", found {_start(row)}')
        sentences = split_sentences(SPACED_STOP.sub(r"\1", article))
        summary = [" ".join(SPACED_STOP.sub(r"\1", line).split()) for line in highlights.splitlines() if line.strip()]
        if sentences and summary:
            examples.append(Example(str(row.get("id", where)), sentences, [summary]))
    return examples


def _csv_rows(path: Path) -> Iterator[tuple[str, dict]]:
    reader = csv.DictReader(line + "\n" for line in read_lines(path))
    try:
        for row in reader:
            yield f"{path}, line {reader.line_num}", row
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}") from error


def _bertsum_articles(path: Path) -> list[Example]:
    try:
        records = json.loads("\n".join(read_lines(path)))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: not JSON ({error})") from error
    if not isinstance(records, list):
        raise ValueError(f"{path}: wanted a list of articles, found {_start(records)}")
    examples = []
    for number, record in enumerate(records, start=1):
        source, target = _values(record, "src", "tgt")
        if not all(isinstance(sentences, list) and sentences and all(map(_all_strings, sentences)) for sentences in (source, target)):
            raise ValueError(f'{path}, article {number}: wanted "src" and "tgt", lists of sentences that are lists of tokens, found {_start(record)}')
        examples.append(Example(f"{path.name}, article {number}", [" ".join(tokens) for tokens in source], [[" ".join(tokens) for tokens in target]]))
    return examples


# ----------------------------------------------------------------------------------------------------------------------

def _check_split(split: str) -> None:
    if split not in SPLITS:
        raise ValueError(f"split must be one of {', '.join(SPLITS)}, not {split!r}")


def _values(row, *names: str) -> list:
    """The values of a row by their names, None for each that it does not have."""
    return [row.get(name) if isinstance(row, dict) else None for name in names]


def _all_strings(value) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _start(value) -> str:
    return repr(value)[:60]
