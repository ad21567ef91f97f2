"""Figures of the book. Only this package imports plotting and notebook libraries."""

from minibert.figures.attention_head import attention_head
from minibert.figures.html import heat_table, show_source
from minibert.figures.flipbook import flipbook
from minibert.figures.logs import benchmark_log
from minibert.figures.moving import Moving, moving, rounded
from minibert.figures.style import COLORS, DIVERGING, SEQUENTIAL, use_style
