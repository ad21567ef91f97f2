"""Probes: small measurements of the package in its current state, which detect the bugs of the
clinic. There is one module for each part of the package.
"""

from minibert.course.clinic.probes import (
    attention,
    data,
    embeddings,
    encoder,
    losses,
    summarization,
    training,
)  # imported because each module registers its probes
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
