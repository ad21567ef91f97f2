"""Definitions that several exercises of this chapter share."""

CHAPTER = "07_pretraining_data"
