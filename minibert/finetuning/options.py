"""The recipe of a fine-tuning run. Imports no torch: the command line makes its options of it."""

import math
from dataclasses import dataclass
from numbers import Real

from minibert.config import MOST, InputError


@dataclass(frozen=True)
class FineTuningOptions:
    """The recipe; the defaults follow Devlin et al. 2018, appendix A.3.

    Raises an InputError, which names the field, for a value that makes no sense.
    """

    epochs: int = 3
    batch_size: int = 32  # examples in an update
    learning_rate: float = 5e-5  # its peak
    head_learning_rate: float | None = None  # of the fresh head and the pooler; None: the same
    # How many of BERT's layers are trained, the last ones. None: all, and the embeddings; 0: only
    # the head.
    trained_layers: int | None = None
    warmup: float = 0.1  # share of the steps over which the rate rises; then it falls to 0
    weight_decay: float = 0.01
    # Dropout in BERT and before the head. None: as in the model's config; minibert-small has none.
    dropout: float | None = None
    clip: float = 1.0  # largest norm of all gradients together
    max_length: int = 128  # tokens in a sequence
    patience: int | None = None  # epochs without a better score before stopping; None: never stop
    precision: str = "auto"  # "bfloat16", "float32" or "auto": bfloat16 where the hardware has it
    seed: int = 0

    def __post_init__(self) -> None:
        least = {"epochs": 1, "batch_size": 1, "max_length": 8, "seed": 0}
        least |= {"patience": 1, "trained_layers": 0}
        for name, lowest in least.items():
            value = getattr(self, name)
            if value is None and name in ("patience", "trained_layers"):
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
                raise InputError(
                    f"{name} must be a whole number of at least {lowest}, not {value!r}"
                )
        if self.seed > MOST:
            raise InputError(f"seed must be at most {MOST:,}, not {self.seed}")
        for name in ("learning_rate", "head_learning_rate", "clip"):
            value = getattr(self, name)
            if value is None and name == "head_learning_rate":
                continue
            if not (_is_number(value) and 0 < value < math.inf):
                raise InputError(f"{name} must be a number above 0, not {value!r}")
        if not (_is_number(self.warmup) and 0 <= self.warmup <= 1):
            raise InputError(
                f"warmup is a share of the steps: it must be between 0 and 1, not {self.warmup!r}"
            )
        if self.dropout is not None and not (_is_number(self.dropout) and 0 <= self.dropout < 1):
            raise InputError(f"dropout must be a number from 0 to below 1, not {self.dropout!r}")
        if not (_is_number(self.weight_decay) and 0 <= self.weight_decay < math.inf):
            raise InputError(
                f"weight_decay must be a number of at least 0, not {self.weight_decay!r}"
            )
        if self.precision not in ("auto", "bfloat16", "float32"):
            raise InputError(
                f"precision must be one of auto, bfloat16, float32, not {self.precision!r}"
            )


def _is_number(value: object) -> bool:
    return isinstance(value, Real)
