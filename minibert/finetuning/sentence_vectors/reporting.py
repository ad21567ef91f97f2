"""What the training of a sentence encoder reports: log records, the progress line, the scores."""

import dataclasses
from typing import Any

from minibert.finetuning.sentence_vectors.validation import EncoderScores
from minibert.pretraining.session import Reporter


class SentenceReporter(Reporter):
    """What the training of a sentence encoder reports."""

    def values(self, metrics: Any) -> dict[str, Any]:
        """A step with its measures side by side."""
        values = dataclasses.asdict(metrics)
        measures = values.pop("measures")
        return {"step": values.pop("step"), "loss": values.pop("loss")} | measures | values

    def state(self) -> str:
        """The loss and the measures."""
        names = [name for name in ("cosine", "accuracy", "relational") if name in self.smooth]
        return f"loss {self.smooth['loss']:.4f}, " + ", ".join(
            f"{name} {self.smooth[name]:.{5 if name == 'relational' else 3}f}" for name in names
        )

    def score_line(self, scores: Any) -> str:
        """Spearman's correlation, and the cosine with held-out targets."""
        return score_line(scores)


def score_line(scores: EncoderScores) -> str:
    """The scores as text."""
    parts = []
    if scores.spearman is not None:
        parts.append(f"Spearman {scores.spearman:.4f}")
    if scores.cosine is not None:
        parts.append(f"held-out cosine {scores.cosine:.4f}")
    return ", ".join(parts)
