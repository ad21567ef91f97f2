"""Patients with bugs in segment ids, masking or MLM labels. Chapter 7."""

from minibert.course.clinic.patient import Edit, Patient

PATIENTS = (
    Patient(
        id="S2",
        chapter="07_pretraining_data",
        title="segments that change in the middle of the row",
        symptom=(
            "Next sentences are learned well below what others report, and best where both texts"
            " happen to be equally long."
        ),
        disease=(
            "The first half of every row is segment 0, the second half segment 1, wherever the"
            " texts meet."
        ),
        cure="0 up to and with the first [SEP], 1 up to and with the second, 0 on padding.",
        edits=(
            Edit(
                "data/original.py",
                right="segment_ids = [0] * (len(first) + 2) + [1] * (len(second) + 1)",
                wrong=(
                    "segment_ids = [0] * (len(tokens) // 2) + [1] * (len(tokens) - len(tokens)"
                    " // 2)"
                ),
            ),
        ),
        probe="tokens_in_the_wrong_segment",
        guard="tests/unit/data/test_original.py::test_every_instance_is_well_made",
    ),
    Patient(
        id="M1",
        chapter="07_pretraining_data",
        title="label 0 where nothing is hidden",
        symptom=(
            "The loss of masked words falls to nearly 0 within minutes. Asked for a hidden word,"
            " the model says [PAD]."
        ),
        disease=(
            "Where nothing is to be predicted the label is 0. That is a word like any other for the"
            " loss, so [CLS] and all other places are scored, and the answer is nearly always 0."
        ),
        cure=(
            "An index of its own, -100, for places without a prediction; or the masked places only."
        ),
        edits=(
            Edit(
                "data/masking.py",
                right="labels = torch.where(chosen, input_ids, IGNORE)  # [B, S]",
                wrong="labels = torch.where(chosen, input_ids, 0)  # [B, S]",
            ),
        ),
        probe="share_that_is_predicted",
        guard="tests/unit/data/test_original_statistics.py::test_no_special_token_is_ever_masked_in_pairs",
    ),
    Patient(
        id="M2",
        chapter="07_pretraining_data",
        title="[SEP] in the middle of a sentence",
        symptom=(
            "Now and then a training text holds a [CLS], a [PAD] or a [SEP] among its words. With a"
            " small vocabulary it is often."
        ),
        disease=(
            "The words that replace hidden ones are drawn from the whole vocabulary, special tokens"
            " included."
        ),
        cure="Draw from the ordinary tokens, and state what the original does: it draws from all.",
        edits=(
            Edit(
                "data/masking.py",
                right=(
                    "corrupted[replaced] = ordinary[torch.randint(len(ordinary), (count,),"
                    " generator=generator)]"
                ),
                wrong=(
                    "corrupted[replaced] = torch.randint(vocab_size, (count,), generator=generator)"
                ),
            ),
        ),
        probe="special_replacements",
        guard="tests/unit/data/test_original_statistics.py::test_the_replacements_are_ordinary_words_with_equal_chances",
    ),
    Patient(
        id="M3",
        chapter="07_pretraining_data",
        title="one coin for a whole sequence",
        symptom=(
            "Over a corpus, 80% of the hidden words are [MASK], 10% another word and 10% unchanged."
            " Some texts have no [MASK] at all."
        ),
        disease=(
            "What becomes of a hidden word is drawn once for its sequence, not for the word: a text"
            " is all [MASK], all wrong words, or untouched."
        ),
        cure="One draw for every chosen position.",
        edits=(
            Edit(
                "data/masking.py",
                right="""
                    corrupted = torch.where(
                        chosen & (draw < rate * masked_share), mask_token_id, input_ids
                    )  # [B, S]
                    replaced = (
                        chosen & (draw >= rate * masked_share) & (draw < rate * (masked_share + random_share))
                    )  # [B, S]
                """,
                wrong="""
                    coin = torch.rand(len(input_ids), 1, generator=generator)  # [B, 1]
                    corrupted = torch.where(chosen & (coin < masked_share), mask_token_id, input_ids)  # [B, S]
                    replaced = chosen & (coin >= masked_share) & (coin < masked_share + random_share)  # [B, S]
                """,
            ),
        ),
        probe="masked_share_from_row_to_row",
        guard="tests/unit/data/test_original_statistics.py::test_every_word_has_a_draw_of_its_own",
    ),
    Patient(
        id="M4",
        chapter="07_pretraining_data",
        title="[CLS] to be guessed",
        symptom=(
            "The accuracy on masked words is better than it has a right to be, from the first"
            " hundred steps on."
        ),
        disease=(
            "[CLS], [SEP] and [PAD] may be masked: their places give them away, and the model is"
            " praised for finding them."
        ),
        cure="Special tokens are never chosen.",
        edits=(
            Edit(
                "data/masking.py",
                right="chosen = (draw < rate) & ~special[input_ids]  # [B, S]",
                wrong="chosen = draw < rate  # [B, S]",
            ),
        ),
        probe="labels_at_special_tokens",
        guard="tests/unit/data/test_original_statistics.py::test_no_special_token_is_ever_masked_in_pairs",
    ),
    Patient(
        id="R8",
        chapter="07_pretraining_data",
        title="two coins for three outcomes",
        symptom=(
            "80, 10 and 10% are announced. A count over a million words says 81, 10 and 9, and no"
            " larger count brings it nearer."
        ),
        disease=(
            "One coin decides whether a word becomes another, a second one whether it stays: 0.9 ·"
            " 0.9 = 0.81 is left for [MASK]."
        ),
        cure="One draw, cut into three ranges.",
        edits=(
            Edit(
                "data/masking.py",
                right="""
                    corrupted = torch.where(
                        chosen & (draw < rate * masked_share), mask_token_id, input_ids
                    )  # [B, S]
                    replaced = (
                        chosen & (draw >= rate * masked_share) & (draw < rate * (masked_share + random_share))
                    )  # [B, S]
                """,
                wrong="""
                    coins = torch.rand(2, *input_ids.shape, generator=generator) < random_share  # [2, B, S]
                    corrupted = torch.where(chosen & ~coins[0] & ~coins[1], mask_token_id, input_ids)  # [B, S]
                    replaced = chosen & coins[0]  # [B, S]
                """,
            ),
        ),
        probe="what_hidden_words_become",
        guard="tests/unit/data/test_original_statistics.py::test_eighty_ten_ten",
    ),
)
