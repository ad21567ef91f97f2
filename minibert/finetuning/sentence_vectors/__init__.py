"""Sentence encoders: a BERT whose mean vectors are trained on unlabelled texts.

options       the recipe, and what a run was started with
texts         which texts of a corpus are trained on
made          short sentences that are put together from words of the corpus
objectives    the losses: contrastive (SimCSE) and distillation
teacher       a teacher's vectors of all texts, and their reduction to the student's size
preparation   the texts and the teacher's vectors in the folder of a run
bag           the bag of words that is closest to the teacher: a control and a start
trainer       the run: one update after another
reporting     log records, the progress line, the scores
validation    Spearman's correlation on pairs that people judged, and the cosine on held-out texts
whitening     whitened vectors, the control that needs no training
"""
