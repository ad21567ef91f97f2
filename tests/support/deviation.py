"""Marks a test as the proof of a place where papers, programs and minibert differ; book/deviations.md is made from these marks."""

from collections.abc import Callable


def deviation(
    title: str, *, here: str, why: str, paper: str = "", original: str = "", reference: str = ""
) -> Callable:
    """A decorator that leaves the test as it is: `tools/deviations.py` reads what it says from the source.

    paper       what the paper says
    original    what the authors' own program does (google-research/bert, nlpyang/BertSum)
    reference   what `transformers` does, or the library named in the text
    here, why   what minibert does, and the reason
    """
    return lambda test: test
