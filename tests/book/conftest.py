"""The built book, served and read in Chromium."""

import sys

import pytest

from tools.environment import ROOT
from tools.stills import browser as chromium

sys.path.insert(0, str(ROOT / "benchmarks"))
import pages


@pytest.fixture(scope="module")
def address(site):
    """Where the built book is served."""
    with pages.served(site) as where:
        yield where


@pytest.fixture(scope="module")
def browser(needs_chromium):
    with chromium() as started:
        yield started
