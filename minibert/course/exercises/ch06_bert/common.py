"""Definitions that several exercises of this chapter share."""

CHAPTER = "06_bert"
