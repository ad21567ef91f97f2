"""The recipe: what is refused, and which defaults belong to which objective."""

import dataclasses
import json
import subprocess
import sys

import pytest

from minibert.finetuning.sentence_vectors.options import (
    BY_OBJECTIVE,
    ONLY_FOR,
    SentenceOptions,
    SentenceSettings,
    make_sentence_settings,
)
from minibert.hub.find_pretrained import MINILM, SMALL


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(objective="contrast"), "objective must be one of distill, dropout, neighbours"),
        (dict(schedule="step"), "schedule must be one of linear, cosine"),
        (dict(precision="int8"), "precision must be one of auto"),
        (dict(batch_size=0), "batch_size must be a whole number of at least 1"),
        (dict(steps=0), "steps must be a whole number of at least 1"),
        (dict(layers=0), "layers must be a whole number of at least 1"),
        (dict(phrases=-1), "phrases must be a whole number of at least 0"),
        (dict(max_length=2), "max_length must be a whole number of at least 3"),
        (dict(epochs=0.0), "epochs must be above 0"),
        (dict(temperature=0.0), "temperature must be above 0"),
        (dict(learning_rate=float("nan")), "learning_rate must be above 0"),
        (dict(weight_decay=-0.1), "weight_decay must be at least 0"),
        (dict(relational_weight=-1.0), "relational_weight must be at least 0"),
        (dict(dropout=1.0), "dropout must be at least 0 and below 1"),
        (dict(min_words=9, max_words=8), "min_words 9 must not be above max_words 8"),
        (dict(objective="dropout"), "needs dropout above 0"),
        (
            dict(objective="dropout", dropout=0.1, batch_size=1),
            "needs a batch_size of at least 2",
        ),
        (dict(objective="dropout", dropout=0.1), "start_from_bag needs a teacher"),
        (dict(ridge=0.0), "ridge must be above 0"),
        (dict(ridge=1e30), "ridge must be at most 1e6"),
        (
            dict(objective="neighbours", words=0, start_from_bag=False),
            "phrases and words have no partner",
        ),
    ],
)
def test_impossible_values_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        SentenceOptions(**changes)


def test_every_objective_has_defaults_that_go_together():
    distill = make_sentence_settings({})
    assert distill.options == SentenceOptions() and distill.options.teacher == MINILM
    assert distill.start == SMALL
    for objective in ("dropout", "neighbours"):
        options = make_sentence_settings({"objective": objective}).options
        assert options.phrases == options.words == 0 and options.dropout == 0.1
    assert all(
        getattr(SentenceOptions(), name) == values[0] for name, values in BY_OBJECTIVE.items()
    )
    assert ONLY_FOR.keys() | BY_OBJECTIVE.keys() <= {
        field.name for field in dataclasses.fields(SentenceOptions)
    }


@pytest.mark.parametrize(
    "given, message",
    [
        (dict(temperature=0.1), "--temperature means nothing for the objective distill"),
        (
            dict(objective="dropout", relational_weight=1.0),
            "--relational-weight means nothing for the objective dropout: it is for distill",
        ),
        (dict(objective="neighbours", words=3), "--words means nothing for the objective neigh"),
        (dict(steps=3, epochs=1.0), "give --steps or --epochs, not both"),
    ],
)
def test_options_that_mean_nothing_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        make_sentence_settings(given)


def test_the_settings_come_back_from_json():
    settings = make_sentence_settings(
        {"corpus": ["a", "b"], "exclude": ["c"], "steps": 5, "start": "x", "valid": "v"}
    )
    values = json.loads(json.dumps(dataclasses.asdict(settings)))
    assert SentenceSettings.from_dict(values) == settings


def test_they_need_no_torch():
    code = (
        "import sys; import minibert.finetuning.sentence_vectors.options; "
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
