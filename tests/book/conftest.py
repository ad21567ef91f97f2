"""The built book, served and read in Chromium."""

import sys

import pytest

from tools.environment import ROOT
from tools.stills import browser as chromium

sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "benchmarks")]
import model_page
import pages

from minibert import WordPieceTokenizer
from minibert.hub.find_pretrained import SMALL


@pytest.fixture(scope="module")
def address(site):
    """Where the built book is served."""
    with pages.served(site) as where:
        yield where


@pytest.fixture(scope="module")
def browser(needs_chromium):
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def tools(needs_chromium, tmp_path_factory) -> str:
    """The address of the model page's tools alone, with weights made as a build makes them: a file."""
    return model_page.write_page(tmp_path_factory.mktemp("page")).as_uri()


@pytest.fixture(scope="session")
def same():
    """The package's two models with the weights that stand in the page's files, and their tokenizer."""
    return *model_page.with_tensors(
        model_page.decoded(model_page.page_files())
    ), WordPieceTokenizer.from_pretrained(SMALL)
