"""All patients of the clinic by id, and the ids of the puzzles, which only the chapter contains."""

from minibert.course.clinic.patients import (
    attention,
    embeddings,
    encoder,
    losses,
    masking,
    model,
    sentence_pairs,
    summarization,
    training,
)

# Mistakes in a text, a log or a calculation, which cannot be planted in the code of the package.
PUZZLES = ("G2", "P2", "S3", "B1", "B4", "T1", "T2", "R15")

PATIENTS = {
    patient.id: patient
    for module in (
        embeddings,
        attention,
        encoder,
        model,
        masking,
        sentence_pairs,
        losses,
        training,
        summarization,
    )
    for patient in module.PATIENTS
}
