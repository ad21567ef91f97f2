"""Definitions that several exercises of this chapter share."""

CHAPTER = "03_positions"
