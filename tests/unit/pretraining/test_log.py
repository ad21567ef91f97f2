"""log.jsonl: what is read, what is cut, and the names of older versions."""

import json

import pytest

from minibert.pretraining.log import read_log, truncate_log


def test_a_log_of_an_older_version_is_read_by_the_present_names(tmp_path):
    old = {
        "step": 10,
        "word_loss": 5.0,
        "word_accuracy": 0.1,
        "pair_loss": 0.7,
        "pair_accuracy": 0.5,
        "held_out": {"word_loss": 5.1, "bits_per_word": 9.0},
    }
    (tmp_path / "log.jsonl").write_text(json.dumps(old) + "\n")
    assert read_log(tmp_path / "log.jsonl") == [
        {
            "step": 10,
            "mlm_loss": 5.0,
            "mlm_accuracy": 0.1,
            "nsp_loss": 0.7,
            "nsp_accuracy": 0.5,
            "held_out": {"mlm_loss": 5.1, "bits_per_word": 9.0},
        }
    ]


def test_what_came_after_a_step_and_half_a_line_are_cut(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"step": 5}\n{"step": 10, "seconds": 2.5}\n{"step": 15}\n{"step": 2')
    assert truncate_log(path, 10) == 2.5
    assert path.read_text() == '{"step": 5}\n{"step": 10, "seconds": 2.5}\n'
    assert truncate_log(tmp_path / "none", 3) == 0.0


@pytest.mark.parametrize(
    "seconds",
    ["", ', "seconds": null', ', "seconds": "x"', ', "seconds": -1']
    + [f', "seconds": {seconds}' for seconds in ("NaN", "Infinity", "[1]", "1" + "0" * 400)],
)
def test_a_record_without_a_time_counts_as_the_beginning(seconds, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(f'{{"step": 1{seconds}}}\n')
    assert truncate_log(path, 1) == 0.0
