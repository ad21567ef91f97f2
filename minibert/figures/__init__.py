"""Figures of the book. Only this package imports plotting and notebook libraries."""

from minibert.figures.all_heads import all_heads
from minibert.figures.attention_head import attention_head
from minibert.figures.calculator import calculator
from minibert.figures.embedding_sum import embedding_sum
from minibert.figures.html import heat_table, show_source
from minibert.figures.flipbook import flipbook
from minibert.figures.logs import benchmark_log
from minibert.figures.mask_sampler import mask_sampler
from minibert.figures.moving import Moving, moving, rounded
from minibert.figures.word_pieces import word_pieces
from minibert.figures.summary_choice import summary_choice
from minibert.figures.training_curves import training_curves
from minibert.figures.residual_stream import residual_stream
from minibert.figures.position_clocks import position_clocks
from minibert.figures.position_products import position_products
from minibert.figures.style import COLORS, DIVERGING, SEQUENTIAL, use_style
