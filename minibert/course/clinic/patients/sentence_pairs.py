"""Patients with bugs in how sentence pairs are built or labelled. Chapter 7."""

from minibert.course.clinic.patient import Edit, Patient

PATIENTS = (
    Patient(
        id="D1",
        chapter="07_pretraining_data",
        title="a random text from the same document",
        symptom=(
            "In a corpus of few documents the accuracy on next sentences has a ceiling, however"
            " long you train."
        ),
        disease=(
            "The random second text may come from the document of the first; it may even be its"
            " true continuation, labelled random."
        ),
        cure="Always from another document.",
        edits=(
            Edit(
                "data/original.py",
                right="""
                    for _ in range(TRIES):
                        index = rng.randint(0, len(documents) - 1)
                        if index != own:
                            break
                    if index == own and not reference_quirks:
                        index = (own + rng.randint(1, len(documents) - 1)) % len(
                            documents
                        )  # one of the others, for certain
                """,
                wrong="index = rng.randint(0, len(documents) - 1)",
            ),
        ),
        probe="random_next_from_own_document",
        guard="tests/unit/data/test_original.py::test_a_random_next_text_is_from_another_document",
    ),
    Patient(
        id="D2",
        chapter="07_pretraining_data",
        title="until exactly half of the batch is random",
        symptom=(
            "The program stands still, at full load, at the last batch of the epoch. No message"
            " comes."
        ),
        disease=(
            "Labels are drawn again until half of the batch is random. A batch of seven has no"
            " half: the loop never ends."
        ),
        cure="Draw the label of each pair first, and take the half as it comes.",
        edits=(
            Edit(
                "data/sequences.py",
                right="is_random = is_random < 0.5  # [B]",
                wrong="""
                    is_random = is_random < 0.5  # [B]
                    again = np.random.default_rng([self.seed, first_row])
                    while 2 * is_random.sum() != len(is_random):
                        is_random = again.random(len(is_random)) < 0.5  # [B]
                """,
            ),
        ),
        probe="odd_batch",
        guard="tests/unit/data/test_original_statistics.py::test_a_batch_may_have_any_size",
    ),
    Patient(
        id="D3",
        chapter="07_pretraining_data",
        title="pairs that are longer than a row",
        symptom=(
            "Hours into the run, far from the data, something stops with an error about a negative"
            " size or an index out of range."
        ),
        disease=(
            "Nothing shortens a pair of long texts: padding becomes negative, or rows of a batch"
            " have different lengths."
        ),
        cure=(
            "Shorten the longer of the two, a token at a time, from its front or its back by a"
            " coin, before anything is built."
        ),
        edits=(
            Edit(
                "data/original.py",
                right="first, second = truncate_pair(first, second, room, rng)",
                wrong="",
            ),
        ),
        probe="longest_instance",
        guard="tests/unit/data/test_original.py::test_every_instance_is_well_made",
    ),
    Patient(
        id="D4",
        chapter="07_pretraining_data",
        title="the other label",
        symptom=(
            "A head for next sentences from a published checkpoint is wrong nearly every time,"
            " where a coin would be right in half of the cases."
        ),
        disease="1 stands for 'follows' here. In the original 1 is 'random'.",
        cure="State which class is which, and keep the original's: 0 = it follows.",
        edits=(
            Edit(
                "data/sequences.py",
                right='"next_sentence_label": torch.from_numpy(is_random.astype(np.int64))',
                wrong='"next_sentence_label": torch.from_numpy((~is_random).astype(np.int64))',
            ),
        ),
        probe="label_of_pairs_that_follow",
        guard="tests/unit/data/test_original_statistics.py::test_rows_are_cls_a_sep_b_sep",
    ),
    Patient(
        id="R11",
        chapter="07_pretraining_data",
        title="a word that reaches across [SEP]",
        symptom=(
            "With whole-word masking, a piece at the start of the second text is never hidden on"
            " its own."
        ),
        disease=(
            "A piece ## joins the word before it, and for the first piece of text B that is the"
            " last word of text A, across [SEP]."
        ),
        cure="Words end at [SEP], for whole-word masking as for everybody.",
        edits=(
            Edit(
                "data/original.py",
                right="if goes_on and (reference_quirks or words[-1][-1] == position - 1):",
                wrong="if goes_on:",
            ),
        ),
        probe="piece_after_sep_hidden_alone",
        guard="tests/unit/data/test_original.py::test_a_word_does_not_reach_across_sep",
    ),
    Patient(
        id="R12",
        chapter="07_pretraining_data",
        title="a sentence alone is always random",
        symptom=(
            "Always answering 'random' is right in 60% of all cases; in a corpus of long sentences,"
            " more often still."
        ),
        disease=(
            "A text of one sentence has no next one, so its pair is labelled random, every time:"
            " more than half of all labels are 1."
        ),
        cure=(
            "Cut a long sentence in two and toss the coin all the same; or keep the original's way,"
            " and say so beside every accuracy."
        ),
        edits=(
            Edit(
                "data/sequences.py",
                right="is_random = is_random < 0.5  # [B]",
                wrong="is_random = (is_random < 0.5) | ~np.isin(cut, self.corpus.sentences)  # [B]",
            ),
        ),
        probe="random_share_of_long_sentences",
        guard=(
            "tests/unit/data/test_original_statistics.py::test_long_sentences_are_random_as_often_as_others"
        ),
    ),
    Patient(
        id="R13",
        chapter="07_pretraining_data",
        title="after ten tries, the same document",
        symptom=(
            "A corpus of one document is accepted, and about half of its pairs are labelled random,"
            " though both of their texts are from it."
        ),
        disease=(
            "Ten times another document is drawn for; then whatever came last is taken, the same"
            " document included, and still labelled random."
        ),
        cure="At least two documents, else an error; and one draw among the others in the end.",
        edits=(
            Edit(
                "data/original.py",
                right="""
                    if len(documents) == 1 and not reference_quirks:
                        raise InputError(
                            "documents holds one document alone: a random next text must come from another, so "
                            "give at least 2"
                        )
                """,
                wrong="",
            ),
            Edit(
                "data/original.py",
                right="""
                    if index == own and not reference_quirks:
                        index = (own + rng.randint(1, len(documents) - 1)) % len(
                            documents
                        )  # one of the others, for certain
                """,
                wrong="",
            ),
        ),
        probe="one_document_alone",
        guard="tests/unit/data/test_original.py::test_errors_name_the_argument",
    ),
)
