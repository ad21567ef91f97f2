"""The five sets that `finetuning.py` learns from, as examples; all from ../shared/data, beside the repository.

SST-2   sentences of film reviews, good or bad (Socher et al. 2013): 6,920 / 872 / 1,821. Whole sentences only: the published
        results that are above 0.93 also learn from 60,000 labelled parts of them.
TREC    questions, six kinds of answer (Li & Roth 2002): 5,452 / 500 to test; every tenth of the first is kept to choose by.
STS-B   pairs of sentences, how alike from 0 to 5 (Cer et al. 2017): 5,749 / 1,500 / 1,379. "STS-B" encodes the two sentences
        apart, "STS-B together" as one input, as Devlin et al. 2018 do.
WNUT17  names of six types in tweets and the like, most of them not in the training part (Derczynski et al. 2017): 3,394 / 1,009 / 1,287.
XQuAD   questions on paragraphs of Wikipedia (Artetxe et al. 2020, the English part, out of SQuAD): 1,190 in all, on 48 articles.
        Every tenth article is tested on, none is shared; nothing is kept to choose by, since there is so little.
"""

import gzip
import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import log

from minibert.finetuning import Classification, Regression, Similarity, Task
from minibert.finetuning.tables.examples import read_examples
from minibert.finetuning.tasks.questions import QuestionAnswering, QuestionExample
from minibert.finetuning.tasks.tagging import TaggedExample, Tagging

FOLDER = log.ROOT.parent / "shared" / "data"
SENTIMENTS = ["negative", "positive"]
TENTH = 10


@dataclass(frozen=True)
class Dataset:
    """The examples of one set."""

    train: list
    dev: list  # what the epoch is chosen by; empty where there is nothing to spare
    test: list
    labels: list[str] | None = None
    together: bool = False  # both sentences of a pair in one input

    def task(self) -> Task:
        """A new task for these examples, which has learned nothing of them."""
        match self.train[0]:
            case TaggedExample():
                return Tagging(self.labels)
            case QuestionExample():
                return QuestionAnswering()
        if self.labels:
            return Classification(self.labels)
        return Regression() if self.together else Similarity()


def found(path: str) -> Path:
    """A file of the developers' data. Raises a ValueError where that is not beside the repository."""
    if not (FOLDER / path).is_file():
        raise ValueError(
            f"there is no {Path(path).name} in ../shared/data/{Path(path).parent}: the data is on the developers' machines only"
        )
    return FOLDER / path


@cache
def dataset(name: str) -> Dataset:
    if name == "STS-B together":
        return replace(stsb(), together=True)
    if name == "XQuAD held out":
        return xquad(dev=(3, 8))
    return {"SST-2": sst2, "TREC": trec, "STS-B": stsb, "WNUT17": wnut17, "XQuAD": xquad}[name]()


def sst2() -> Dataset:
    """A line is a sentence, a tab, and 0 for a bad review or 1 for a good one."""
    splits = [
        read_examples("classification", found(f"sst2/{split}.tsv.gz"), header=["text", "label"])
        for split in ("train", "dev", "test")
    ]
    return Dataset(
        *(
            [replace(example, label=SENTIMENTS[int(example.label)]) for example in split]
            for split in splits
        ),
        SENTIMENTS,
    )


def trec() -> Dataset:
    """A line is KIND:FINER_KIND and the question; the finer kinds are not used."""
    splits = [
        read_examples(
            "classification",
            found(f"trec/TREC.{split}.gz"),
            format="label-text",
            encoding="latin-1",
        )
        for split in ("train", "test")
    ]
    several, test = (
        [replace(example, label=example.label.split(":")[0]) for example in split]
        for split in splits
    )
    train, dev = (
        [example for number, example in enumerate(several) if (number % TENTH == 0) == kept]
        for kept in (False, True)
    )
    return Dataset(train, dev, test, sorted({example.label for example in several}))


def stsb() -> Dataset:
    return Dataset(
        *(
            read_examples(
                "similarity",
                found(f"stsb_en/stsb-en-{split}.csv.gz"),
                header=["sentence1", "sentence2", "score"],
            )
            for split in ("train", "dev", "test")
        )
    )


def wnut17() -> Dataset:
    splits = [
        read_examples("tagging", found(f"wnut17/{file}.gz"), format="conll")
        for file in ("wnut17train.conll", "emerging.dev.conll", "emerging.test.annotated")
    ]
    return Dataset(
        *splits,
        sorted(
            {tag for example in splits[0] for tag in example.tags},
            key=lambda tag: (tag != "O", tag),
        ),
    )


def xquad(dev: tuple[int, ...] = ()) -> Dataset:
    """Every tenth article is for the test. `dev` lists the articles of each ten that are taken out of the training set."""
    articles = [
        [
            QuestionExample(
                question["question"],
                paragraph["context"],
                [answer["text"] for answer in question["answers"]],
                [answer["answer_start"] for answer in question["answers"]],
            )
            for paragraph in article["paragraphs"]
            for question in paragraph["qas"]
        ]
        for article in json.loads(gzip.decompress(found("xquad_en/xquad.en.json.gz").read_bytes()))[
            "data"
        ]
    ]
    parts = {"train": [], "dev": [], "test": []}
    for number, article in enumerate(articles):
        place = number % TENTH
        parts["test" if place == 0 else "dev" if place in dev else "train"].extend(article)
    return Dataset(**parts)
