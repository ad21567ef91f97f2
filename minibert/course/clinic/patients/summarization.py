"""Patients with bugs in BertSum: documents, summarization heads, oracle labels and sentence
selection. Chapter 10.
"""

from minibert.course.clinic.patient import Edit, Patient

PATIENTS = (
    Patient(
        id="E5",
        chapter="10_bertsum",
        title="a norm too many at the bottom",
        symptom=(
            "The published weights of a sentence head load but for one warning, and the scores"
            " differ from those of its makers."
        ),
        disease=(
            "Every layer normalises its input before attention, the first one too. BertSum's first"
            " layer takes it as it is."
        ),
        cure="The first layer skips its first norm, and one more norm closes the stack.",
        edits=(
            Edit(
                "summarization/heads.py",
                right="self.encoder.layer[0].attention.output.LayerNorm = nn.Identity()",
                wrong="",
            ),
        ),
        probe="norms_and_idle_parameters",
        guard="tests/unit/summarization/test_heads.py::test_attention_over_sentences_is_pytorchs_encoder_layer_with_the_norms_inside",
    ),
    Patient(
        id="R2",
        chapter="10_bertsum",
        title="a norm that nobody calls",
        symptom=(
            "Several processes train together, and the program stops: some parameters had no part"
            " in the loss. Alone it runs."
        ),
        disease=(
            "The first layer's norm is made, saved and loaded, and never used; its gradient is None"
            " for ever."
        ),
        cure="Leave it out, or use it.",
        edits=(
            Edit(
                "summarization/heads.py",
                right="self.encoder.layer[0].attention.output.LayerNorm = nn.Identity()",
                wrong="self.encoder.layer[0].attention.norm_first = False",
            ),
        ),
        probe="norms_and_idle_parameters",
        guard="tests/unit/summarization/test_heads.py::test_gradients_reach_every_parameter_and_every_sentence",
    ),
    Patient(
        id="R1",
        chapter="10_bertsum",
        title="one list, under many names",
        symptom=(
            "The recurrent head is no better than the plain classifier, however long it trains."
        ),
        disease=(
            "`[[None]] * length` is one inner list, length times: what the LSTM says of the last"
            " sentence is what it says of all."
        ),
        cure="One list for every step.",
        edits=(
            Edit(
                "summarization/heads.py",
                right="states = [None] * x.size(1)",
                wrong="states = [[None]] * x.size(1)",
            ),
            Edit(
                "summarization/heads.py",
                right="states[n] = hidden",
                wrong="states[n][0] = hidden",
            ),
            Edit(
                "summarization/heads.py",
                right="return states",
                wrong="return [inner[0] for inner in states]",
            ),
        ),
        probe="sentences_apart",
        guard="tests/unit/summarization/test_heads.py::test_the_mended_lstm_by_hand",
    ),
    Patient(
        id="Z1",
        chapter="10_bertsum",
        title="one [CLS] for the whole document",
        symptom="The head learns that the first sentence is good, and little else.",
        disease=(
            "Only the document has a [CLS]; the vectors that are read as those of the sentences"
            " belong to their first words."
        ),
        cure="A [CLS] before every sentence, a [SEP] after it, and segments 0 and 1 in turn.",
        edits=(
            Edit(
                "summarization/documents/windows.py",
                right="ids += [tokenizer.cls_id, *piece[:room], tokenizer.sep_id]",
                wrong="ids += [tokenizer.cls_id] * (not ids) + [*piece[:room], tokenizer.sep_id]",
            ),
        ),
        probe="cls_and_segments",
        guard="tests/unit/summarization/documents/test_windows.py::test_a_document_by_hand",
    ),
    Patient(
        id="Z2",
        chapter="10_bertsum",
        title="padding among the best three",
        symptom=(
            "A short document has a good summary when it comes alone. In a batch with a long one"
            " its summary has a sentence that is not there."
        ),
        disease=(
            "Scores of padding are not masked: sigmoid makes about a half of nothing, and that may"
            " be among the highest."
        ),
        cure="A score of 0 where there is no sentence, before anything is chosen.",
        edits=(
            Edit(
                "summarization/heads.py",
                right="""
                    return (
                        self.logits(sentence_vectors, sentence_mask).sigmoid().masked_fill(~sentence_mask, 0.0)
                    )  # [B, N]
                """,
                wrong="return self.logits(sentence_vectors, sentence_mask).sigmoid()  # [B, N]",
            ),
            Edit(
                "summarization/model.py",
                right=(
                    "return SummarizationOutputs(loss, logits,"
                    " logits.sigmoid().masked_fill(~sentence_mask, 0.0))"
                ),
                wrong="return SummarizationOutputs(loss, logits, logits.sigmoid())",
            ),
        ),
        probe="score_of_padding",
        guard="tests/unit/summarization/test_heads.py::test_scores_equal_the_originals_on_ragged_documents",
    ),
    Patient(
        id="Z3",
        chapter="10_bertsum",
        title="an oracle that counts letters, and a summary that repeats itself",
        symptom=(
            "The labels prefer long sentences whatever they say, and the best two sentences of a"
            " summary are often the same news twice."
        ),
        disease=(
            "The text is not split into words before it is compared: n-grams of letters are"
            " counted. And nothing passes a sentence over that repeats another."
        ),
        cure=(
            "Greedy selection by words and word pairs, and blocking of repeated trigrams as an"
            " option."
        ),
        edits=(
            Edit(
                "summarization/oracle.py",
                right='return NOT_COUNTED.sub("", " ".join(tokens)).split()',
                wrong='return NOT_COUNTED.sub("", " ".join(tokens))',
            ),
            Edit(
                "summarization/selection.py",
                right="if len(tokens[i]) == 0 or (block_trigrams and trigrams & taken):",
                wrong="if len(tokens[i]) == 0:",
            ),
        ),
        probe="oracle_and_choice",
        guard="tests/unit/summarization/test_oracle.py::test_golden_cases",
    ),
)
