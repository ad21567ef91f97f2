"""Patients with bugs in the losses. Chapter 8."""

from minibert.course.clinic.patient import Edit, Patient

TOTAL = (
    "total = F.cross_entropy(logits.flatten(0, -2), labels.flatten().long(), ignore_index=IGNORE,"
    ' reduction="sum")'
)
MEAN = "return total / counted.sum().clamp(min=1)"

PATIENTS = (
    Patient(
        id="M5",
        chapter="08_pretraining",
        title="zeros for scores, and a loss over all places",
        symptom=(
            "The loss begins at ln V, as it should. A model that knows every hidden word would"
            " still lose more than half of that."
        ),
        disease=(
            "The scores of all places that are not predicted are set to 0, and then the loss is"
            " taken over all places: each of them adds ln V, for ever."
        ),
        cure="Cross-entropy at the masked places only.",
        edits=(
            Edit(
                "heads/base.py",
                right="""
                    total = F.cross_entropy(
                        logits.flatten(0, -2), labels.flatten().long(), ignore_index=IGNORE, reduction="sum"
                    )
                    return total / counted.sum().clamp(min=1)
                """,
                wrong="""
                    logits = logits * counted.unsqueeze(-1)  # [..., classes]
                    return F.cross_entropy(logits.flatten(0, -2), labels.flatten().clamp(min=0).long())
                """,
            ),
        ),
        probe="loss_when_sure_and_right",
        guard="tests/unit/test_heads.py::test_the_loss_is_the_mean_over_predicted_words_only",
    ),
    Patient(
        id="T3",
        chapter="08_pretraining",
        title="two yes-or-no questions for one choice of two",
        symptom=(
            "Next sentences are learned, a little more slowly. The loss of a model that knows"
            " nothing is not ln 2 once its scores have drifted."
        ),
        disease=(
            "The two scores go into a binary cross-entropy each, with the label as two floats. The"
            " softmax between them is gone: adding a number to both changes the loss."
        ),
        cure="Cross-entropy over the two classes; or one score and one binary cross-entropy.",
        edits=(
            Edit(
                "heads/pretraining.py",
                right="""
                    def logits(self, out: BertOutputs) -> Tensor:
                        return self.cls.seq_relationship(out.pooler_output)  # [B, 2]
                """,
                wrong="""
                    def logits(self, out: BertOutputs) -> Tensor:
                        return self.cls.seq_relationship(out.pooler_output)  # [B, 2]

                    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
                        both = F.one_hot(labels, 2).to(logits.dtype)  # [B, 2]
                        return F.binary_cross_entropy_with_logits(logits, both)
                """,
            ),
        ),
        probe="both_pair_scores_higher",
        guard="tests/unit/test_heads.py::test_every_head_its_loss_and_every_gradient_equal_the_reference",
    ),
    Patient(
        id="T6",
        chapter="08_pretraining",
        title="a softmax inside the model",
        symptom=(
            "The loss of masked words starts at ln V and never falls by as much as 1, whatever the"
            " rate, the size and the patience."
        ),
        disease=(
            "The model returns probabilities, and cross-entropy takes a softmax of them again: the"
            " loss cannot fall below ln(1 + (V - 1)/e)."
        ),
        cure="Return scores; cross-entropy does the rest.",
        edits=(
            Edit(
                "heads/pretraining.py",
                right=(
                    "return F.linear(self.transform(hidden), word_table, self.bias)  # [B, S, V] or"
                    " [M, V]"
                ),
                wrong=(
                    "return F.linear(self.transform(hidden), word_table, self.bias).softmax(dim=-1)"
                    "  # [B, S, V]"
                ),
            ),
        ),
        probe="loss_when_sure_and_right",
        guard="tests/unit/test_heads.py::test_a_fresh_model_loses_ln_v_and_a_little_more",
    ),
    Patient(
        id="R4",
        chapter="08_pretraining",
        title="one class that is padding",
        symptom=(
            "The next-sentence loss falls to 0 within a few steps, and the accuracy stays at 50%."
        ),
        disease=(
            "One loss object serves both tasks and ignores label 0, which is padding for words. For"
            " pairs 0 is a class: it is never trained, and always answering 1 costs nothing."
        ),
        cure=(
            "An index of its own for what is not predicted, such as -100, and no ignored class for"
            " pairs."
        ),
        edits=(
            Edit(
                "heads/base.py",
                right="""
                    check_classes(name, labels, logits.size(-1))
                """,
                wrong="""
                    check_classes(name, labels, logits.size(-1))
                    labels = labels.masked_fill(labels == 0, IGNORE)  # [...]
                """,
            ),
        ),
        probe="loss_of_class_0",
        guard="tests/unit/test_heads.py::test_word_0_is_a_label_like_any_other",
    ),
    Patient(
        id="R5",
        chapter="08_pretraining",
        title="weights that come after the mean",
        symptom=(
            "The loss of masked words depends on what the model says at places where nothing is"
            " hidden."
        ),
        disease=(
            "The criterion returns a mean over all places, one number. It is multiplied by the"
            " weights of the places afterwards, and they cancel."
        ),
        cure=(
            "One loss for each place, then the weights, then the sum divided by the sum of the"
            " weights."
        ),
        edits=(
            Edit(
                "heads/base.py",
                right="""
                    total = F.cross_entropy(
                        logits.flatten(0, -2), labels.flatten().long(), ignore_index=IGNORE, reduction="sum"
                    )
                    return total / counted.sum().clamp(min=1)
                """,
                wrong="""
                    mean = F.cross_entropy(logits.flatten(0, -2), labels.flatten().clamp(min=0).long())
                    return (mean * counted).sum() / counted.sum().clamp(min=1)
                """,
            ),
        ),
        probe="loss_by_hand",
        guard="tests/unit/test_heads.py::test_the_loss_is_the_mean_over_predicted_words_only",
    ),
    Patient(
        id="R6",
        chapter="08_pretraining",
        title="divided by all slots",
        symptom=(
            "A fresh model loses a small part of ln V, and batches with more padding have smaller"
            " losses and smaller steps."
        ),
        disease=(
            "The sum over the hidden words is divided by the number of all places, the empty ones"
            " included."
        ),
        cure="Divide by the number of real predictions.",
        edits=(
            Edit(
                "heads/base.py",
                right="return total / counted.sum().clamp(min=1)",
                wrong="return total / labels.numel()",
            ),
        ),
        probe="loss_with_more_padding",
        guard="tests/unit/test_heads.py::test_the_loss_is_the_mean_over_predicted_words_only",
    ),
)
