"""The recipe of a pretraining run: its defaults, and the values that it refuses."""

import dataclasses
import json
import math

import pytest
from tiny_run import OPTIONS

from minibert.pretraining.options import PretrainingOptions
from tools.environment import ROOT


def test_the_defaults_are_those_that_were_measured(monkeypatch):
    """The README's first run gives five options, and its log was made with the defaults of the rest. What --help says of the
    switches is compared with the base of the small world. Long rows get the tenth that the original gives them."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from small_world import BASE

    defaults = dataclasses.asdict(PretrainingOptions(steps=800))
    first = json.loads(
        (ROOT / "benchmarks" / "logs" / "first-run.json").read_text(encoding="utf-8")
    )
    options, (session,) = first["settings"]["options"], first["sessions"]
    given = {name for name in options if f"--{name.replace('_', '-')} " in session["command"]}
    assert given == {"steps", "batch_size", "mask_rate", "short_share", "long_share"}
    options = {
        "shift_share": 0.0,
        "all_mask": False,
        "pair_share": 1.0,
        "nsp_weight": 1.0,
    } | options  # younger than the log
    assert {name: value for name, value in defaults.items() if name not in given} == {
        name: value for name, value in options.items() if name not in given
    }
    assert (defaults["batch_size"], defaults["mask_rate"], defaults["optimizer"]) == (
        BASE.batch_size,
        BASE.rate,
        BASE.optimizer,
    )
    assert defaults["long_share"] == 0.1


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(steps=0), "steps must be a whole number of at least 1, not 0"),
        (dict(batch_size=2.5), "batch_size must be a whole number of at least 1, not 2.5"),
        (dict(mask_rate=0.0), "mask_rate"),
        (dict(mask_rate=1.5), "mask_rate is a share: it must lie between 0 and 1, not 1.5"),
        (dict(decay=0.0), "decay"),
        (dict(pair_share=0.0), "pair_share must be above 0"),
        (dict(shift_share=1.2), "shift_share is a share"),
        (dict(learning_rate=-1.0), "learning_rate must be above 0, not -1.0"),
        (dict(learning_rate=math.inf), "learning_rate"),
        (dict(clip=math.nan), "clip"),
        (dict(optimizer="sgd"), "optimizer must be one of muon, adamw, not 'sgd'"),
        (
            dict(precision="float16"),
            "precision must be one of auto, bfloat16, float32, not 'float16'",
        ),
        (dict(weight_decay=-0.1), "weight_decay"),
        (dict(warmup=-1), "warmup must be a whole number of at least 0, not -1"),
        (
            dict(short_share=0.2, short_length=16),
            "short_length 16 must be below length 16; or set short_share to 0",
        ),
        (
            dict(short_share=0.7, short_length=8),
            "short_share 0.7 and long_share 0.4 are shares of one run: together at most 1",
        ),
        (dict(seed=-1), "seed must be a whole number of at least 0, not -1"),
    ],
)
def test_options_that_cannot_be(changes, message):
    with pytest.raises(ValueError, match=message):
        PretrainingOptions(**OPTIONS | changes)
