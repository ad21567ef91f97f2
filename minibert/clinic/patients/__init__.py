"""Everybody in the clinic: the patients of minibert by their ids, and the puzzles that stand in the chapter alone."""

from minibert.clinic.patients import attention, data, embeddings, encoder, losses, model, summarization, training

# Mistakes in a text, a log or an arithmetic: there is no code of ours to make sick.
PUZZLES = ("G2", "P2", "S3", "B1", "B4", "T1", "T2", "R15")

PATIENTS = {patient.id: patient for module in (embeddings, attention, encoder, model, data, losses, training, summarization) for patient in module.PATIENTS}
