"""Patients whose pretraining data teaches something else: masks, pairs, labels. Chapter 7."""

from minibert.clinic.patient import Edit, Patient

CHOSEN = "chosen = (draw < rate) & ~special[input_ids]"
BECOMES = """
    corrupted = torch.where(chosen & (draw < rate * masked_share), mask_token_id, input_ids)
    replaced = chosen & (draw >= rate * masked_share) & (draw < rate * (masked_share + random_share))
"""

PATIENTS = (
    Patient(
        id="S2", chapter="07_pretraining_data", title="segments that change in the middle of the row",
        symptom="Next sentences are learned well below what others report, and best where both texts happen to be equally long.",
        disease="The first half of every row is segment 0, the second half segment 1, wherever the texts meet.",
        cure="0 up to and with the first [SEP], 1 up to and with the second, 0 on padding.",
        published="in a tutorial that builds segment ids from the length of the row alone",
        edits=(Edit("data/original.py",
                    right="segment_ids = [0] * (len(first) + 2) + [1] * (len(second) + 1)",
                    wrong="segment_ids = [0] * (len(tokens) // 2) + [1] * (len(tokens) - len(tokens) // 2)"),),
        probe="tokens_in_the_wrong_segment", guard="tests/test_data_original.py::test_every_instance_is_well_made"),
    Patient(
        id="M1", chapter="07_pretraining_data", title="label 0 where nothing is hidden",
        symptom="The loss of masked words falls to nearly 0 within minutes. Asked for a hidden word, the model says [PAD].",
        disease="Where nothing is to be predicted the label is 0. That is a word like any other for the loss, so [CLS] and all other places are scored, and the "
                "answer is nearly always 0.",
        cure="An index of its own, -100, for places without a prediction; or the masked places only.",
        published="in programs that pad lists of labels or of positions with zeros: then [CLS], at place 0, is scored as well",
        edits=(Edit("data/masking.py",
                    right="labels = torch.where(chosen, input_ids, IGNORE)",
                    wrong="labels = torch.where(chosen, input_ids, 0)                          # [B, S]"),),
        probe="share_that_is_predicted", guard="tests/test_data_statistics.py::test_no_special_token_is_ever_masked_in_pairs"),
    Patient(
        id="M2", chapter="07_pretraining_data", title="[SEP] in the middle of a sentence",
        symptom="Now and then a training text holds a [CLS], a [PAD] or a [SEP] among its words. With a small vocabulary it is often.",
        disease="The words that replace hidden ones are drawn from the whole vocabulary, special tokens included.",
        cure="Draw from the ordinary tokens, and state what the original does: it draws from all.",
        published="in the original program, and in nearly everything since",
        edits=(Edit("data/masking.py",
                    right="corrupted[replaced] = ordinary[torch.randint(len(ordinary), (count,), generator=generator)]",
                    wrong="corrupted[replaced] = torch.randint(vocab_size, (count,), generator=generator)"),),
        probe="special_replacements", guard="tests/test_data_statistics.py::test_the_replacements_are_ordinary_words_with_equal_chances"),
    Patient(
        id="M3", chapter="07_pretraining_data", title="one coin for a whole sequence",
        symptom="Over a corpus, 80% of the hidden words are [MASK], 10% another word and 10% unchanged. Some texts have no [MASK] at all.",
        disease="What becomes of a hidden word is drawn once for its sequence, not for the word: a text is all [MASK], all wrong words, or untouched.",
        cure="One draw for every chosen position.",
        published="in a tutorial that draws once for a sequence; others replace 10% of all words, not of the chosen ones",
        edits=(Edit("data/masking.py", right=BECOMES,
                    wrong="""
                        coin = torch.rand(len(input_ids), 1, generator=generator)           # [B, 1]
                        corrupted = torch.where(chosen & (coin < masked_share), mask_token_id, input_ids)           # [B, S]
                        replaced = chosen & (coin >= masked_share) & (coin < masked_share + random_share)           # [B, S]
                    """),),
        probe="masked_share_from_row_to_row", guard="tests/test_data_statistics.py::test_every_word_has_a_draw_of_its_own"),
    Patient(
        id="M4", chapter="07_pretraining_data", title="[CLS] to be guessed",
        symptom="The accuracy on masked words is better than it has a right to be, from the first hundred steps on.",
        disease="[CLS], [SEP] and [PAD] may be masked: their places give them away, and the model is praised for finding them.",
        cure="Special tokens are never chosen.",
        published="in tutorials that draw positions from the whole row",
        edits=(Edit("data/masking.py", right=CHOSEN, wrong="chosen = draw < rate                                                # [B, S]"),),
        probe="labels_at_special_tokens", guard="tests/test_data_statistics.py::test_no_special_token_is_ever_masked_in_pairs"),
    Patient(
        id="R8", chapter="07_pretraining_data", title="two coins for three outcomes",
        symptom="80, 10 and 10% are announced. A count over a million words says 81, 10 and 9, and no larger count brings it nearer.",
        disease="One coin decides whether a word becomes another, a second one whether it stays: 0.9 · 0.9 = 0.81 is left for [MASK].",
        cure="One draw, cut into three ranges.",
        published="in a from-scratch repository that wrote three outcomes as two ifs with a random number each",
        edits=(Edit("data/masking.py", right=BECOMES,
                    wrong="""
                        coins = torch.rand(2, *input_ids.shape, generator=generator) < random_share                 # [2, B, S]
                        corrupted = torch.where(chosen & ~coins[0] & ~coins[1], mask_token_id, input_ids)           # [B, S]
                        replaced = chosen & coins[0]                                                                # [B, S]
                    """),),
        probe="what_hidden_words_become", guard="tests/test_data_statistics.py::test_eighty_ten_ten"),
    Patient(
        id="D1", chapter="07_pretraining_data", title="a random text from the same document",
        symptom="In a corpus of few documents the accuracy on next sentences has a ceiling, however long you train.",
        disease="The random second text may come from the document of the first; it may even be its true continuation, labelled random.",
        cure="Always from another document.",
        published="in tutorials that draw two lines of a file and look only whether their numbers differ",
        edits=(Edit("data/original.py",
                    right="""
                        for _ in range(TRIES):
                            index = rng.randint(0, len(documents) - 1)
                            if index != own:
                                break
                        if index == own and not reference_quirks:
                            index = (own + rng.randint(1, len(documents) - 1)) % len(documents)
                    """,
                    wrong="index = rng.randint(0, len(documents) - 1)"),),
        probe="random_next_from_own_document", guard="tests/test_data_original.py::test_a_random_next_text_is_from_another_document"),
    Patient(
        id="D2", chapter="07_pretraining_data", title="until exactly half of the batch is random",
        symptom="The program stands still, at full load, at the last batch of the epoch. No message comes.",
        disease="Labels are drawn again until half of the batch is random. A batch of seven has no half: the loop never ends.",
        cure="Draw the label of each pair first, and take the half as it comes.",
        published="in a widely read blog post: its batch function counts positives and negatives up to half the batch size",
        edits=(Edit("data/rows.py",
                    right="is_random = is_random < 0.5",
                    wrong="""
                        is_random = is_random < 0.5                                                                 # [B]
                        again = np.random.default_rng([self.seed, first_row])
                        while 2 * is_random.sum() != len(is_random):
                            is_random = again.random(len(is_random)) < 0.5                                          # [B]
                    """),),
        probe="odd_batch", guard="tests/test_data_statistics.py::test_a_batch_may_have_any_size"),
    Patient(
        id="D3", chapter="07_pretraining_data", title="pairs that are longer than a row",
        symptom="Hours into the run, far from the data, something stops with an error about a negative size or an index out of range.",
        disease="Nothing shortens a pair of long texts: padding becomes negative, or rows of a batch have different lengths.",
        cure="Shorten the longer of the two, a token at a time, from its front or its back by a coin, before anything is built.",
        published="in tutorials whose toy sentences are all short",
        edits=(Edit("data/original.py", right="first, second = truncate_pair(first, second, room, rng)", wrong=""),),
        probe="longest_instance", guard="tests/test_data_original.py::test_every_instance_is_well_made"),
    Patient(
        id="D4", chapter="07_pretraining_data", title="the other label",
        symptom="A head for next sentences from a published checkpoint is wrong nearly every time, where a coin would be right in half of the cases.",
        disease="1 stands for 'follows' here. In the original 1 is 'random'.",
        cure="State which class is which, and keep the original's: 0 = it follows.",
        published="in codebases that differ from the original; the name `is_next` turns the meaning over without a word",
        edits=(Edit("data/rows.py",
                    right='return self._rows((first, cut), second) | {"next_sentence_label": torch.from_numpy(is_random.astype(np.int64))}',
                    wrong='return self._rows((first, cut), second) | {"next_sentence_label": torch.from_numpy((~is_random).astype(np.int64))}'),),
        probe="label_of_pairs_that_follow", guard="tests/test_data_statistics.py::test_rows_are_cls_a_sep_b_sep"),
    Patient(
        id="R11", chapter="07_pretraining_data", title="a word that reaches across [SEP]",
        symptom="With whole-word masking, a piece at the start of the second text is never hidden on its own.",
        disease="A piece ## joins the word before it, and for the first piece of text B that is the last word of text A, across [SEP].",
        cure="Words end at [SEP], for whole-word masking as for everybody.",
        published="in the original program",
        edits=(Edit("data/original.py",
                    right="if goes_on and (reference_quirks or words[-1][-1] == position - 1):",
                    wrong="if goes_on:"),),
        probe="piece_after_sep_hidden_alone", guard="tests/test_data_original.py::test_a_word_does_not_reach_across_sep"),
    Patient(
        id="R12", chapter="07_pretraining_data", title="a sentence alone is always random",
        symptom="Always answering 'random' is right in 60% of all cases; in a corpus of long sentences, more often still.",
        disease="A text of one sentence has no next one, so its pair is labelled random, every time: more than half of all labels are 1.",
        cure="Cut a long sentence in two and toss the coin all the same; or keep the original's way, and say so beside every accuracy.",
        published="in the original program: 54 to 62% of its pairs, all of them where documents have one sentence",
        edits=(Edit("data/rows.py",
                    right="is_random = is_random < 0.5",
                    wrong="is_random = (is_random < 0.5) | ~np.isin(cut, self.corpus.sentences)                        # [B]"),),
        probe="random_share_of_long_sentences", guard="tests/test_data_statistics.py::test_long_sentences_are_random_as_often_as_others"),
    Patient(
        id="R13", chapter="07_pretraining_data", title="after ten tries, the same document",
        symptom="A corpus of one document is accepted, and about half of its pairs are labelled random, though both of their texts are from it.",
        disease="Ten times another document is drawn for; then whatever came last is taken, the same document included, and still labelled random.",
        cure="At least two documents, else an error; and one draw among the others in the end.",
        published="in the original program",
        edits=(Edit("data/original.py",
                    right="""
                        if len(documents) == 1 and not reference_quirks:
                            raise ValueError("documents holds one document alone: a random next text must come from another, so give at least 2")
                    """,
                    wrong=""),
               Edit("data/original.py",
                    right="""
                        if index == own and not reference_quirks:
                            index = (own + rng.randint(1, len(documents) - 1)) % len(documents)
                    """,
                    wrong="")),
        probe="one_document_alone", guard="tests/test_data_original.py::test_errors_name_the_argument"),
)
