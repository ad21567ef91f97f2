"""Sentences: a table of hard cases, what holds for any text, and a set of abstracts that others
have cut."""

import gzip
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minibert.data import sentences as splitter
from minibert.data.sentences import split_sentences
from tools.environment import ROOT

# '|' is where a sentence ends.
CASES = """
It rained. | We stayed in. | Did you? | Yes! | Well…
Mr. Smith and Mrs. Jones met Dr. No. | They talked.
J. R. R. Tolkien taught at Oxford. | C. S. Lewis did too. | J.-B. Say did not.
In 1862, Brig. Gen. A. P. Hill and Maj. Rathbone met Adm. Porter.
He lived in the U.S. Army's camp near Washington, D.C. until 1950.
He came to the U.S. | The war was over. | At 5 p.m. | He left.
Francis X. Bushman acted. | It was silent.
She took a B.Sc. Degree. | He has an M.Sc. | The end.
Pi is 3.14159. | It costs $2.50 or 1.5 million, i.e. Too much, e.g. For him.
See No. 5 and Fig. 3 on p. 12 of vol. 2. | No. | Never.
Smith et al. (2005) disagree with Jones et al. | The others do not.
It is made by Acme Inc. | The firm is old. | Acme Inc. Holdings is new.
World War I. | He was eight. | The vitamin is C. | It is sour.
Roe v. Wade was decided c. 1973. | Bach was b. 1685.
He lives on St. James St. | The house is near Mt. Everest.
"Stop!" he said. | "Why?" | She left.
"It is late. | Go home." | "Never!" cried John. | 'I will.' | 'So do.'
(It had rained.) | [It was over.] | He stayed (at home). | The end.
He left... | The door closed. | Well... I think so. | He ... left.
It ended.[3][12] | Then came peace.
1. The first. | 2. The second. | Born in 1999. | He died.
What?! | No way!! | Éva came. | Où? | She (Éva) said "no! été est venu."
Yes.No is no boundary, nor is example.com. or www.example.org.
$5 were lost. | 6 people came. | — And they left. | “Why?” | ¿Qué?
Dated Jan. 5, 1900, and Sept. 3. | On Tues. | The shop is shut.
"""


@pytest.mark.parametrize("line", CASES.strip().split("\n"))
def test_hard_cases(line):
    assert split_sentences(line.replace(" | ", " ")) == line.split(" | ")


def test_the_model_page_has_the_same_lists():
    """Whoever adds an abbreviation here adds it there as well."""
    script = (ROOT / "book/_static/model/engine/sentences.js").read_text(encoding="utf-8")
    for name in ("ALWAYS", "SOMETIMES", "NUMBERED", "STARTERS"):
        there = re.search(rf"const {name} = (?:new Set\()?`(.*?)`", script, re.DOTALL)
        assert set(there[1].split()) == getattr(splitter, name), name


def test_paragraphs_are_never_joined_and_lines_are():
    assert split_sentences("A title\n\nOne line\nand more. Two\n \t\nthree") == [
        "A title",
        "One line and more.",
        "Two",
        "three",
    ]
    assert split_sentences("") == split_sentences(" \n\n \t ") == []


PIECES = [
    "Mr",
    "U.S",
    "J",
    "The",
    "the",
    "I",
    "end",
    "5",
    "No",
    "...",
    "…",
    ".",
    "!",
    "?",
    ",",
    '"',
    "'",
    "”",
    "(",
    ")",
    "[3]",
    "—",
    " ",
    " ",
    "\n",
    "\n\n",
    "\u00a0",
    "É",
]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


@given(TEXTS)
def test_no_character_is_lost(text):
    sentences = split_sentences(text)
    assert " ".join(sentences).split() == text.split()
    assert all(sentence and sentence == " ".join(sentence.split()) for sentence in sentences)


@given(TEXTS, TEXTS)
def test_a_blank_line_separates_everything(one, other):
    assert split_sentences(f"{one}\n\n{other}") == split_sentences(one) + split_sentences(other)


def test_abstracts_are_cut_as_others_cut_them(needs_shared_data):
    """SciTLDR's abstracts come as sentences. Those cut at ends of lines or before a stop are faults
    of the set."""
    wanted, found = set(), set()
    with gzip.open(needs_shared_data / "scitldr" / "test.jsonl.gz", "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            gold = json.loads(line)["source"]
            if all(
                sentence.rstrip().endswith((".", "?", "!")) and not sentence.startswith(".")
                for sentence in gold
            ):
                wanted |= {(number, sentence) for sentence in gold}
                found |= {(number, sentence) for sentence in split_sentences(" ".join(gold))}
    wanted = {(number, " ".join(sentence.split())) for number, sentence in wanted}
    assert len(wanted) > 3000
    assert len(wanted & found) / len(wanted) > 0.98 and len(wanted & found) / len(found) > 0.98
