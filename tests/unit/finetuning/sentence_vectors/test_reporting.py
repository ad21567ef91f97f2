"""What a step and its scores look like in the log and on the screen."""

import pytest

from minibert.finetuning.sentence_vectors.reporting import SentenceReporter, score_line
from minibert.finetuning.sentence_vectors.trainer import SentenceStep
from minibert.finetuning.sentence_vectors.validation import EncoderScores


@pytest.mark.parametrize(
    "scores, text",
    [
        (EncoderScores(0.76543, None), "Spearman 0.7654"),
        (EncoderScores(None, -0.5), "held-out cosine -0.5000"),
        (EncoderScores(0.5, 0.25), "Spearman 0.5000, held-out cosine 0.2500"),
    ],
)
def test_scores(scores, text):
    assert score_line(scores) == text


def test_a_step():
    reporter = SentenceReporter.__new__(SentenceReporter)
    step = SentenceStep(3, 0.5, {"cosine": 0.6, "relational": 0.01}, 1e-3, 2.0, 99)
    found = reporter.values(step)
    assert list(found) == [
        "step",
        "loss",
        "cosine",
        "relational",
        "learning_rate",
        "gradient_norm",
        "tokens",
    ]
    reporter.smooth = found
    assert reporter.state() == "loss 0.5000, cosine 0.600, relational 0.01000"
