"""Figures of the book. No other package of minibert imports plotting or notebook libraries."""

from minibert.course.figures.all_heads import all_heads
from minibert.course.figures.attention_head import attention_head
from minibert.course.figures.calculator import calculator
from minibert.course.figures.embedding_sum import embedding_sum
from minibert.course.figures.flipbook import flipbook
from minibert.course.figures.html import heat_table, marks, show_source
from minibert.course.figures.logs import benchmark_log
from minibert.course.figures.mask_sampler import mask_sampler
from minibert.course.figures.meaning_map import meaning_map
from minibert.course.figures.moving import Moving, moving, rounded
from minibert.course.figures.position_clocks import position_clocks
from minibert.course.figures.position_products import position_products
from minibert.course.figures.residual_stream import residual_stream
from minibert.course.figures.rollout_shares import rollout_shares
from minibert.course.figures.style import COLORS, DIVERGING, SEQUENTIAL, use_style
from minibert.course.figures.summary_choice import summary_choice
from minibert.course.figures.tolerance import tolerance
from minibert.course.figures.training_replay import training_replay
from minibert.course.figures.training_strip import training_strip
from minibert.course.figures.word_pieces import word_pieces

__all__ = [
    "COLORS",
    "DIVERGING",
    "SEQUENTIAL",
    "Moving",
    "all_heads",
    "attention_head",
    "benchmark_log",
    "calculator",
    "embedding_sum",
    "flipbook",
    "heat_table",
    "marks",
    "mask_sampler",
    "meaning_map",
    "moving",
    "position_clocks",
    "position_products",
    "residual_stream",
    "rollout_shares",
    "rounded",
    "show_source",
    "summary_choice",
    "tolerance",
    "training_replay",
    "training_strip",
    "use_style",
    "word_pieces",
]
