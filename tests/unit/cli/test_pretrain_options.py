"""The options of `minibert pretrain`: light to import, one source of words, old spellings."""

import argparse
import subprocess
import sys

import pytest

from minibert.cli.corpus_options import CORPORA
from minibert.cli.pretrain_options import OLD_FLAGS, add_options, make_settings
from minibert.cli.session_options import make_intervals, moment
from minibert.data.corpora import DEFAULT
from minibert.data.hub_sets import HUB_SETS


@pytest.fixture
def parse():
    parser = argparse.ArgumentParser()
    add_options(parser.add_subparsers(), lambda arguments: 0)
    return lambda *argv: vars(parser.parse_args(["pretrain", "--out", "run", *argv]))


def test_no_option_imports_torch():
    """So that --help and a wrong option answer at once."""
    command = (
        "import sys, minibert.cli.pretrain, minibert.cli.tokenizer;"
        "sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", command]).returncode == 0


def test_the_corpora_that_are_named_are_those_there_are():
    assert (DEFAULT, *HUB_SETS) == CORPORA


@pytest.mark.parametrize("name, value", [("nsp_weight", "0.25"), ("eval_sequences", "9")])
def test_old_spellings_work_and_are_not_shown(name, value, parse, capsys):
    new = "--" + name.replace("_", "-")
    assert parse(OLD_FLAGS[name], value)[name] == parse(new, value)[name] == float(value)
    with pytest.raises(SystemExit):
        parse("--help")
    text = capsys.readouterr().out
    assert new in text and OLD_FLAGS[name] not in text


def test_what_was_not_given_has_its_default(parse):
    given = parse()
    assert given.keys() <= {"out", "run"}
    settings = make_settings({})
    assert settings.options.steps == 1000 and settings.options.mask_rate == 0.15
    intervals = make_intervals({}, 4000)
    assert (intervals.log_every, intervals.eval_every) == (10, 200)
    assert (intervals.checkpoint_steps, intervals.checkpoint_seconds) == (None, 600.0)
    assert moment("0" * 50 + "7") == "7" and moment("10m") == "10m"


def test_a_tab_line_fits(parse, capsys):
    """--help stays short: two lines of words for an option at most."""
    with pytest.raises(SystemExit):
        parse("--help")
    recipe = capsys.readouterr().out.split("recipe:")[1].split("reports,")[0]
    assert len(recipe.splitlines()) < 70
