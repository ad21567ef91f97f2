"""What a pretraining run reports of its steps."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from minibert.pretraining.session import PretrainingReporter
from minibert.pretraining.trainer import StepMetrics


def test_a_batch_without_pairs_counts_in_no_mean():
    """With a small --pair-share most batches of a run may have none; the log then says nothing of NSP."""
    reporter = PretrainingReporter.__new__(PretrainingReporter)
    reporter.run = SimpleNamespace(options=SimpleNamespace(next_sentence=True))
    reporter.smooth, reporter.seconds_before, reporter.started = {}, 0.0, 0.0
    metrics = StepMetrics(1, 5.0, 5.0, 0.25, 0.0, 0.0, 1e-4, 1.0, 100)
    assert not {"nsp_loss", "nsp_accuracy"} & reporter._record(metrics, 1.0, None).keys()
    assert reporter.state() == "MLM 5.000 (25.0%)"
    with_pairs = replace(metrics, loss=5.75, nsp_loss=0.75, nsp_accuracy=0.5)
    record = reporter._record(with_pairs, 1.0, None)
    assert (record["nsp_loss"], record["nsp_accuracy"]) == (0.75, 0.5)
    reporter._record(metrics, 1.0, None)
    assert reporter.state() == "MLM 5.000 (25.0%), NSP 0.750 (50.0%)"
    wrong = reporter._record(replace(with_pairs, nsp_accuracy=0.0), 1.0, None)
    assert wrong["nsp_accuracy"] == 0 and reporter.smooth["nsp_accuracy"] == pytest.approx(0.475)
