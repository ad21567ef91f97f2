"""All patients of the clinic by id, in the order of their ids, and the ids of the puzzles, which only
the chapter contains.
"""

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
PUZZLES = ("B1", "B4", "G2", "P2", "R15", "S3", "T1", "T2")

PATIENTS = {
    patient.id: patient
    for patient in sorted(
        (
            *attention.PATIENTS,
            *embeddings.PATIENTS,
            *encoder.PATIENTS,
            *losses.PATIENTS,
            *masking.PATIENTS,
            *model.PATIENTS,
            *sentence_pairs.PATIENTS,
            *summarization.PATIENTS,
            *training.PATIENTS,
        ),
        key=lambda patient: (patient.id[0], int(patient.id[1:])),  # R2 comes before R10
    )
}
