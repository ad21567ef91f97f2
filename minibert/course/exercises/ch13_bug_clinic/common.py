"""Definitions that several exercises of this chapter share."""

CHAPTER = "13_bug_clinic"
