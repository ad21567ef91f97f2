"""Definitions that several exercises of this chapter share."""

CHAPTER = "08_pretraining"
