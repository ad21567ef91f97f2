"""What tells sick from healthy: small measurements of the package as it is at the moment, one
module for each of its parts.
"""

from minibert.course.clinic.probes import (
    attention,
    data,
    embeddings,
    encoder,
    losses,
    summarization,
    training,
)  # they register their probes
from minibert.course.clinic.probes.base import (
    PROBES,
    NeverEnds,
    question,
    same,
    shown,
    with_patience,
)

__all__ = [
    "PROBES",
    "NeverEnds",
    "attention",
    "data",
    "embeddings",
    "encoder",
    "losses",
    "question",
    "same",
    "shown",
    "summarization",
    "training",
    "with_patience",
]
