"""Definitions that several exercises of this chapter share."""

CHAPTER = "05_encoder"
