"""Convert checkpoints of the original BertSum and PreSumm without running their pickles."""
