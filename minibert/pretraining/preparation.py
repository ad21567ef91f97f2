"""Before the first step: from the text of a run to a vocabulary and two files of token ids.

Each file of the text is hashed once per session, and read once more for every file that is made of
it. What is there already is used again.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from tqdm.auto import tqdm

from minibert.config import InputError
from minibert.data import TokenFile, write_tokens
from minibert.data.corpora import KNOWN, documents, held_out_in_errors, named_in_errors
from minibert.data.files import check_split, choose_files, find_files
from minibert.hub.atomic_io import sha256, sync
from minibert.hub.find_pretrained import expanded, weights_digest
from minibert.pretraining.run_dir import RunDir, RunFolder
from minibert.pretraining.settings import NO_HELD_OUT, VOCAB_SIZE, VOCAB_SIZES, Settings
from minibert.tokenization import WordPieceTokenizer

VOCABULARY, TRAINING, VALIDATION = "vocabulary", "train.tokens", "valid.tokens"
NO_TEXT = "the corpus holds no sentence: there is nothing to train on"
SENTENCES_FOR_VOCABULARY = 200_000  # more change little, and take longer


@dataclass(frozen=True)
class Sources:
    """The text of a run: the name of a known corpus, or the files that were found for it."""

    corpus: str | list[Path]
    held_out: str | list[Path] | None  # None: the validation part of `corpus`, or no validation

    @classmethod
    def find(cls, settings: Settings) -> "Sources":
        """Find the files. Raises an InputError for names that are neither a corpus nor a file."""
        given = settings.held_out
        if len(given) > 1 and NO_HELD_OUT[0] in given:
            raise InputError("--held-out none is no held-out text at all: give it alone")
        held_out = find_corpus(given) if given and given != NO_HELD_OUT else None
        corpus = find_corpus(settings.corpus)

        def family(name: str | list[Path] | None) -> object:
            """The WikiText corpora are parts of each other."""
            return name.partition("-")[0] if isinstance(name, str) else name

        if isinstance(corpus, list) and isinstance(held_out, list):
            _refuse_trained_on(choose_files(corpus, "train")[0], held_out)
        elif family(corpus) == family(held_out):
            raise InputError(
                f"--held-out {held_out} holds text of the corpus {corpus}: leave it out, and the "
                "validation part of the corpus is held out"
            )
        return cls(corpus, held_out)

    def files(self) -> list[Path]:
        """All files, none for a corpus that is known by a name."""
        parts = (self.corpus, self.held_out)
        return [path for part in parts if isinstance(part, list) for path in part]


@dataclass(frozen=True)
class PreparedText:
    """What a run trains on."""

    tokenizer: WordPieceTokenizer
    training: TokenFile
    validation: TokenFile | None  # None where no validation was asked for, or no text is left


def prepare(run_dir: RunDir, sources: Sources | None = None) -> PreparedText:
    """Make or check everything, in the one process that writes.

    `sources` is what was found for a new run; None where it goes on. Raises an InputError when
    something is not what the run began with.
    """
    if run_dir.record["sources"] is None:
        sources = sources or Sources.find(run_dir.settings)
        path = run_dir.path
        there = [name for name in (VOCABULARY, TRAINING, VALIDATION) if (path / name).exists()]
        if isinstance(sources.corpus, list) and not (
            run_dir.settings.held_out or VALIDATION in there
        ):
            with held_out_in_errors():  # by the names of the files: nothing is read
                check_split(sources.corpus, "valid")
        if run_dir.settings.start:
            run_dir.record["start"] = weights_digest(run_dir.settings.start)
        record_sources(run_dir, sources.files())
        if VOCABULARY not in there and there:
            raise InputError(f"{path} holds {there[0]}, but not the {VOCABULARY} of its token ids")
        settings = run_dir.settings
        refuse_other_vocabulary(run_dir, "--vocab", settings.vocab)
        refuse_other_vocabulary(run_dir, "--from", settings.start)
        if there:
            print(f"{path} holds {', '.join(there)} already: used, and not made anew")
    else:
        check_sources(run_dir)
    text = _Text(run_dir, sources)
    tokenizer = _vocabulary(run_dir, text)
    training = _tokens(run_dir, TRAINING, tokenizer, text.training())
    validation = None
    if run_dir.settings.held_out != NO_HELD_OUT:
        with held_out_in_errors():
            validation = _tokens(run_dir, VALIDATION, tokenizer, text.validation())
        if validation is None and (given := run_dir.settings.held_out):
            raise InputError(
                f"the held-out text {', '.join(given)} holds no sentence: name other text with "
                "--held-out, or none"
            )
    run_dir.write_record()
    if training is None:
        raise InputError(NO_TEXT)
    return PreparedText(tokenizer, training, validation)


def open_prepared(run_dir: RunDir) -> PreparedText:
    """What `prepare` made in another process, which has checked it."""
    path = run_dir.path
    tokenizer = WordPieceTokenizer.from_pretrained(path / VOCABULARY)
    validation = None
    if run_dir.settings.held_out != NO_HELD_OUT and (path / VALIDATION).is_file():
        validation = TokenFile(path / VALIDATION, check=False)
    return PreparedText(tokenizer, TokenFile(path / TRAINING, check=False), validation)


def load_vocabulary(name: str) -> WordPieceTokenizer:
    """The vocabulary in a vocab.txt, or of the model in a folder or of a name.

    The tokenizer_config.json beside a vocab.txt says whether it is cased; without one it is not.
    """
    path = expanded(name)
    if path.is_file() and path.name == "vocab.txt":
        return WordPieceTokenizer.from_pretrained(path.parent)
    if path.is_file() or path.suffix == ".txt":
        return WordPieceTokenizer.from_vocab_file(path)
    return WordPieceTokenizer.from_pretrained(name)


class _Text:
    """The documents of a run, with a progress bar; no file is opened before the first is read."""

    def __init__(self, run_dir: RunDir, sources: Sources | None) -> None:
        self._run_dir, self._settings, self._sources = run_dir, run_dir.settings, sources

    def training(self) -> Iterator[list[str]]:
        yield from self._documents(self._found().corpus, "train", "train")

    def validation(self) -> Iterator[list[str]]:
        sources = self._found()
        if sources.held_out is not None:
            yield from self._documents(sources.held_out, "all", "valid")
        else:
            yield from self._documents(sources.corpus, "valid", "valid")

    def _found(self) -> Sources:
        if self._sources is None:
            self._sources = Sources.find(self._settings)
            check_files(self._run_dir, self._sources.files())
        return self._sources

    def _documents(self, source: str | list[Path], split: str, shown: str) -> Iterator[list[str]]:
        found = documents(source, split, sentence_per_line=self._settings.sentence_per_line)
        text = f"reading the text ({shown})"
        yield from tqdm(found, desc=text, unit=" documents", disable=None, leave=False)


def find_corpus(names: tuple[str, ...]) -> str | list[Path]:
    """The name of a known corpus, or the files that paths and patterns mean.

    Raises an InputError for names that are neither.
    """
    if len(names) == 1 and names[0] in KNOWN:
        return names[0]
    known = [name for name in names if name in KNOWN and not Path(name).exists()]
    if known:
        raise InputError(f"the corpus {known[0]!r} is known by its name: give it alone")
    try:
        return find_files(list(names))
    except InputError as error:
        raise InputError(f"{error}; the corpora known by name are {', '.join(KNOWN)}") from error


def _refuse_trained_on(trained: list[Path], held_out: list[Path]) -> None:
    """Raise an InputError for a held-out file that is trained on, also as a copy."""
    by_size: dict[int, list[Path]] = {}
    for path in trained:
        by_size.setdefault(path.stat().st_size, []).append(path)
    for path in held_out:
        alike = by_size.get(path.stat().st_size, [])
        is_itself = any(map(path.samefile, alike))
        copies = [] if is_itself else [other for other in alike if sha256(other) == sha256(path)]
        if is_itself or copies:
            where = f", as its copy {copies[0]}," if copies else ""
            raise InputError(
                f"{path} is in the corpus{where} and in --held-out: what is trained on is not "
                "held out"
            )


def record_sources(run_dir: RunFolder, files: list[Path]) -> None:
    """Write the digests of the files of a new run's text to run.json."""
    unique = dict.fromkeys(path.resolve() for path in files)
    run_dir.record["sources"] = {str(path): sha256(path) for path in unique}
    run_dir.write_record()


def check_sources(run_dir: RunFolder) -> None:
    """Raise an InputError for a file that has changed; one that is gone is not needed any more."""
    for name, digest in run_dir.record["sources"].items():
        if Path(name).is_file() and sha256(Path(name)) != digest:
            raise InputError(
                f"{name} has changed since this run began: put the old text back, "
                "or begin a new run with another --out"
            )


def check_files(run_dir: RunFolder, files: list[Path]) -> None:
    """Raise an InputError where the text of a run has other files than it began with."""
    found, began = {str(path.resolve()) for path in files}, set(run_dir.record["sources"])
    for name in sorted(found ^ began):
        raise InputError(
            f"{name} {'is new' if name in found else 'is gone'} since this run began: put the text "
            "back as it was, or begin a new run with another --out"
        )


def _vocabulary(run_dir: RunDir, text: _Text) -> WordPieceTokenizer:
    """The vocabulary in the folder; where there is none, that of a model or file, or a new one."""
    settings = run_dir.settings

    def make() -> WordPieceTokenizer:
        if name := settings.start or settings.vocab:
            return load_vocabulary(name)
        size = settings.vocab_size or VOCAB_SIZES.get(settings.preset, VOCAB_SIZE)
        sentences = list(islice(chain.from_iterable(text.training()), SENTENCES_FOR_VOCABULARY))
        if not sentences:
            raise InputError(NO_TEXT)
        with named_in_errors(settings.corpus):
            return WordPieceTokenizer.train(sentences, size)

    return keep_vocabulary(run_dir, make)


def refuse_other_vocabulary(run_dir: RunFolder, option: str, name: str | None) -> None:
    """Raise an InputError where the folder of a new run holds another vocabulary than is named."""
    folder = run_dir.path / VOCABULARY
    if not name or not folder.is_dir():
        return
    if load_vocabulary(name).vocab != WordPieceTokenizer.from_pretrained(folder).vocab:
        raise InputError(
            f"{folder} holds another vocabulary than {option} {name}: move that folder away, or "
            "name one without a vocabulary with --out"
        )


def keep_vocabulary(
    run_dir: RunFolder, make: Callable[[], WordPieceTokenizer]
) -> WordPieceTokenizer:
    """The vocabulary in the folder of a run; where there is none, a new one is written there."""
    folder = run_dir.path / VOCABULARY
    if not folder.is_dir():
        tokenizer = make()
        writing = run_dir.path / f".vocabulary-{secrets.token_hex(4)}"
        tokenizer.save(writing)
        for path in (*writing.iterdir(), writing):
            sync(path)
        os.rename(writing, folder)
        run_dir.made.append(folder)
        sync(run_dir.path)
    run_dir.check_digest("vocabulary/vocab.txt", sha256(folder / "vocab.txt"))
    return WordPieceTokenizer.from_pretrained(folder)


def _tokens(
    run_dir: RunDir, name: str, tokenizer: WordPieceTokenizer, text: Iterator[list[str]]
) -> TokenFile | None:
    """A token file, written if it is not there; None if there is no text.

    Only one that was there before is read through to compare its checksum.
    """
    path, is_new = run_dir.path / name, False
    if not path.is_file():
        first = next(text, None)
        if first is None:
            return None
        ids = (tokenizer.encode_texts(document) for document in chain([first], text))
        write_tokens(path, ids, tokenizer.vocab_size)
        run_dir.made.append(path)
        is_new = True
    try:
        tokens = TokenFile(path, check=not is_new)
    except InputError as error:
        raise InputError(f"{error} (delete it, and --resume makes it again)") from error
    run_dir.check_digest(name, tokens.checksum)
    return tokens
