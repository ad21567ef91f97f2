"""Diagrams of the course: the model with one part lit, and close-ups of its parts."""

from minibert.course.diagrams.bertsum import bertsum
from minibert.course.diagrams.drawing import Diagram
from minibert.course.diagrams.failing_run import failing_run
from minibert.course.diagrams.five_heads import five_heads
from minibert.course.diagrams.head import head
from minibert.course.diagrams.layer import layer
from minibert.course.diagrams.model import model
from minibert.course.diagrams.one_query import one_query
from minibert.course.diagrams.pretraining_input import pretraining_input
from minibert.course.diagrams.sentence_pairs import sentence_pairs
from minibert.course.diagrams.tokenizer import tokenizer

__all__ = [
    "Diagram",
    "bertsum",
    "failing_run",
    "five_heads",
    "head",
    "layer",
    "model",
    "one_query",
    "pretraining_input",
    "sentence_pairs",
    "tokenizer",
]
