"""Patients with bugs in training: weight decay, learning rate, and the normalisation of losses and
gradients. Chapter 8.
"""

from minibert.course.clinic.patient import Edit, Patient

PATIENTS = (
    Patient(
        id="M6",
        chapter="08_pretraining",
        title="hits divided by all positions",
        symptom=(
            "The loss falls as it should. The accuracy on masked words stays below 15%, whatever"
            " you do."
        ),
        disease=(
            "The masked words that were found are counted, and divided by the number of all tokens."
        ),
        cure="Divide by the number of masked words: a perfect predictor must score 1.",
        edits=(
            Edit(
                "pretraining/trainer.py",
                right='mlm_accuracy=total["mlm_correct"] / mlm_count,',
                wrong='mlm_accuracy=total["mlm_correct"] / tokens,',
            ),
        ),
        probe="accuracy_of_a_perfect_guesser",
        guard=(
            "tests/unit/pretraining/test_trainer.py::test_accuracies_are_shares_of_the_predictions"
        ),
    ),
    Patient(
        id="T4",
        chapter="08_pretraining",
        title="weight decay on everything",
        symptom=(
            "The longer the run, the smaller the factors of the norms: they creep from 1 towards 0."
        ),
        disease=(
            "The second group of parameters, biases and norms, has the weight decay of the first:"
            " its factors are pulled from 1 to 0."
        ),
        cure="Two groups: decay for matrices, none for biases and norms.",
        edits=(
            Edit(
                "training/optim.py",
                right='"weight_decay": weight_decay if decay else 0.0,',
                wrong='"weight_decay": weight_decay,',
            ),
        ),
        probe="decay_groups",
        guard="tests/unit/training/test_optim.py::test_weight_decay_spares_biases_and_norms_and_nothing_else",
    ),
    Patient(
        id="T5",
        chapter="08_pretraining",
        title="a constant learning rate, from the first step on",
        symptom=(
            "In the first steps the loss goes up where it should fall, sometimes for good; at the"
            " end it trembles where it should come to rest."
        ),
        disease=(
            "The schedule is missing: Adam's first steps, when its averages know next to nothing,"
            " are made at full rate, and so are the last."
        ),
        cure="Up in a line over the warm-up, then down in a line to 0.",
        edits=(
            Edit(
                "training/optim.py",
                right="""
                    if step < warmup:
                        return step / warmup
                    return min(1.0, (1 - step / steps) / decay_share)
                """,
                wrong="return 1.0",
            ),
        ),
        probe="course_of_the_rate",
        guard="tests/unit/training/test_optim.py::test_the_schedule_is_the_originals",
    ),
    Patient(
        id="R7",
        chapter="08_pretraining",
        title="names that never match",
        symptom=(
            "The program lists what weight decay shall spare, and it has two groups. The factors of"
            " the norms shrink all the same."
        ),
        disease=(
            "`name not in no_decay` compares whole names:"
            " 'bert.encoder.layer.0.output.LayerNorm.weight' is not in ['bias',"
            " 'LayerNorm.weight'], so hardly anything is spared."
        ),
        cure="Match the ending of the name, and look at the sizes of the groups.",
        edits=(
            Edit(
                "training/optim.py",
                right='return not (name.endswith("bias") or "norm" in name.lower())',
                wrong=(
                    'return name not in ["bias", "LayerNorm.bias", "LayerNorm.weight",'
                    ' "cls.predictions.bias"]'
                ),
            ),
        ),
        probe="decay_groups",
        guard="tests/unit/training/test_optim.py::test_the_groups_are_those_of_the_original",
    ),
    Patient(
        id="R17",
        chapter="08_pretraining",
        title="a schedule that knows better",
        symptom=(
            "You halve the learning rate, and the curve does not change by a hair. You double it:"
            " the same."
        ),
        disease=(
            "The schedule writes a rate of its own into the optimiser; what was asked for is"
            " overwritten at the first step, in silence."
        ),
        cure=(
            "One source: the schedule gives a factor, and it multiplies the rate that was asked"
            " for."
        ),
        edits=(
            Edit(
                "training/optim.py",
                right='group["lr"] = group["peak_lr"] * factor',
                wrong='group["lr"] = 768**-0.5 * factor',
            ),
        ),
        probe="rate_asked_for",
        guard="tests/unit/training/test_optim.py::test_one_factor_moves_all_groups_from_their_own_peaks",
    ),
    Patient(
        id="R10",
        chapter="08_pretraining",
        title="a mean of means",
        symptom=(
            "A batch in one piece and the same batch in three pieces take steps in slightly"
            " different directions."
        ),
        disease=(
            "Every piece is divided by its own number of predictions, and then their mean is taken:"
            " a word in a piece with few of them counts for more."
        ),
        cure="Add up the sums, and divide by the number of predictions in the whole batch.",
        edits=(
            Edit(
                "pretraining/trainer.py",
                right="""
                    sums.mlm_loss / mlm_count + options.nsp_weight * sums.nsp_loss / nsp_count
                """,
                wrong="""
                    (
                        sums.mlm_loss / sums.mlm_count.clamp(min=1)
                        + options.nsp_weight * sums.nsp_loss / sums.nsp_count.clamp(min=1)
                    )
                    / len(micro_batches)
                """,
            ),
        ),
        probe="batch_in_pieces",
        guard="tests/unit/pretraining/test_trainer.py::test_an_update_is_adamw_done_by_hand",
    ),
)
