"""Definitions that several exercises of this chapter share."""

CHAPTER = "12_bug_clinic"
