"""Before the first step: the texts of a run and the student's vocabulary, in the run's folder.

run.json        what was asked for, and every session: see minibert.pretraining.run_dir
texts.txt       the texts, one on each line; a tab between two neighbours
teacher/        the teacher's vectors, see teacher; only for the objective distill
checkpoints/    see minibert.pretraining.checkpointing
log.jsonl       a JSON object for every logged step
model/          the finished encoder
"""

import shutil
from dataclasses import dataclass
from pathlib import Path

from tqdm.auto import tqdm

from minibert.config import InputError
from minibert.data.corpora import sourced_documents, titled_documents
from minibert.finetuning.sentence_vectors.options import OF_PAIRS, SentenceSettings
from minibert.finetuning.sentence_vectors.teacher import FOLDER
from minibert.finetuning.sentence_vectors.texts import Item, choose_texts, plain
from minibert.finetuning.sentence_vectors.validation import read_judged_pairs
from minibert.hub.atomic_io import replacing, sha256, write_atomically
from minibert.hub.find_pretrained import expanded
from minibert.pretraining.preparation import (
    check_files,
    check_sources,
    find_corpus,
    record_sources,
)
from minibert.pretraining.run_dir import RunFolder

TEXTS = "texts.txt"
# what two runs must have in common where one takes the texts of the other; the seed may differ
ALIKE = (
    *("corpus", "sentence_per_line", "valid", "exclude"),
    *(
        "objective",
        "teacher",
        "sentences",
        "phrases",
        "words",
        "made",
        "sample",
        "min_words",
        "max_words",
    ),
)


class SentenceRunDir(RunFolder):
    """The folder of a run that trains a sentence encoder."""

    settings: SentenceSettings
    settings_class = SentenceSettings
    command = "train-sentences"


@dataclass(frozen=True)
class Texts:
    """The texts of a run, and the checksum of the file that holds them."""

    path: Path
    checksum: str
    items: list[Item]


def judged_files(settings: SentenceSettings) -> list[str]:
    """The files whose texts are never trained on."""
    return [*([settings.valid] if settings.valid else []), *settings.exclude]


def prepare_texts(run_dir: SentenceRunDir, corpus: str | list[Path] | None = None) -> Texts:
    """Choose the texts and write them, or check those that are there.

    `corpus` is what `find_corpus` gave for a new run; None where it goes on. Raises an InputError
    when a file is not what the run began with, and where the corpus has no text of the right
    length.
    """
    settings, path = run_dir.settings, run_dir.path / TEXTS
    if run_dir.record["sources"] is None:
        corpus = corpus if corpus is not None else find_corpus(settings.corpus)
        record_sources(run_dir, _files(settings, corpus))
    else:
        check_sources(run_dir)
    if settings.texts_of is not None:
        _take_over(run_dir, expanded(settings.texts_of))
    if not path.is_file():
        if corpus is None:  # it goes on, and was stopped before the texts were chosen
            corpus = find_corpus(settings.corpus)
            check_files(run_dir, _files(settings, corpus))
        items = _choose(settings, corpus)
        text = "".join("\t".join(item) + "\n" for item in items)
        write_atomically(path, text, follow=False)
        run_dir.made.append(path)
    checksum = sha256(path)
    run_dir.check_digest(TEXTS, checksum)
    run_dir.write_record()
    return read_texts(path, checksum, 2 if settings.options.objective in OF_PAIRS else 1)


def _files(settings: SentenceSettings, corpus: str | list[Path]) -> list[Path]:
    return [
        *(corpus if isinstance(corpus, list) else []),
        *map(expanded, judged_files(settings)),
    ]


def _take_over(run_dir: SentenceRunDir, other: Path) -> None:
    """Copy the texts and the teacher's vectors of another run, but for what is there already.

    Raises an InputError where the other run was asked for other texts or another teacher, or read
    other contents of the files.
    """
    theirs = SentenceRunDir.open(other, writes=False)
    if not (other / TEXTS).is_file():
        raise InputError(f"the run in {other} has no {TEXTS} to take: it has chosen no texts yet")
    for name in ALIKE:
        asked, found = (
            getattr(settings if hasattr(settings, name) else settings.options, name)
            for settings in (run_dir.settings, theirs.settings)
        )
        if asked != found:
            raise InputError(
                f"the run in {other} has {name} {found!r}, and this one {asked!r}: only a run with "
                "the same texts and the same teacher can lend them"
            )
    read, they_read = run_dir.record["sources"], theirs.record["sources"] or {}
    if sorted(read.values()) != sorted(they_read.values()):
        name, _ = min(read.items() ^ they_read.items())
        raise InputError(
            f"{name} is not as the run in {other} read it: only a run with the same texts and the "
            "same judged pairs can lend its texts"
        )
    for path in (other / TEXTS, *sorted((other / FOLDER).glob("[!.]*"))):
        target = run_dir.path / path.relative_to(other)
        if target.exists():
            continue
        name = path.relative_to(other).as_posix()
        if theirs.record.get("digests", {}).get(name, digest := sha256(path)) != digest:
            raise InputError(f"{path} is not what the run in {other} wrote there")
        if not target.parent.exists():
            target.parent.mkdir()
            run_dir.made.append(target.parent)
        with replacing(target, follow=False) as writing:
            shutil.copyfile(path, writing)
        run_dir.made.append(target)
    if "teacher" in theirs.record:
        run_dir.remember("teacher", lambda: theirs.record["teacher"])


def read_texts(path: Path, checksum: str, width: int) -> Texts:
    """The items in a file that `prepare_texts` wrote, each of `width` texts.

    Raises an InputError where a line has another number of texts, or the last line does not end.
    """
    again = "delete it, and --resume chooses the texts again"
    try:
        *lines, rest = path.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text: {again}") from error
    items = [tuple(line.split("\t")) for line in lines]
    for number, item in enumerate(items, start=1):
        if len(item) != width or not all(map(str.strip, item)):
            what = "two texts with a tab between them" if width == 2 else "one text"
            raise InputError(f"{path}, line {number}: expected {what} ({again})")
    if rest or not items:
        raise InputError(f"{path} {'is cut short' if rest else 'is empty'}: {again}")
    return Texts(path, checksum, items)


def _choose(settings: SentenceSettings, corpus: str | list[Path]) -> list[Item]:
    excluded = {
        plain(text)
        for name in judged_files(settings)
        for pair in read_judged_pairs(name)
        for text in (pair.one, pair.other)
    }
    if settings.options.objective == "titles":
        documents = titled_documents(corpus, "train")
    else:
        documents = sourced_documents(corpus, "train", sentence_per_line=settings.sentence_per_line)
    shown = tqdm(documents, desc="reading the text", unit=" documents", disable=None, leave=False)
    items = choose_texts(shown, settings.options, excluded)
    for item in items:
        for text in item:
            if "\t" in text or "\n" in text:
                raise InputError(f"a sentence of the corpus holds a tab or a line end: {text!r}")
    return items
