"""Checkpoints of the original BertSum and PreSumm, converted without running their pickles."""
