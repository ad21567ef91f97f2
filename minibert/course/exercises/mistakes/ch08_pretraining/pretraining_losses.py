"""Wrong answers to `pretraining_losses` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.mistakes.ch08_pretraining import pretraining_losses_answers as wrong

KNOWN = (
    (
        wrong.losses_over_all,
        "Your word loss, {word:.2f}, is divided by all 12 positions. Only 4 have a word to guess, and each of these costs {words:.2f}.",
    ),
    (
        wrong.losses_per_row,
        "Your word loss, {word:.2f}, is the sum divided by the 2 rows; divide by the 4 masked words.",
    ),
    (
        wrong.losses_summed,
        "Your word loss, {word:.2f}, is a sum: a batch with twice the words would have twice the loss. Divide by the 4 words.",
    ),
    (
        wrong.losses_of_rows,
        "Your word loss, {word:.2f}, is the mean of the rows' means {rows[0]:.2f} and {rows[1]:.2f}: the one word of the second row "
        "counts as much as the three of the first.",
    ),
    (
        wrong.losses_id_zero_ignored,
        "Your word loss, {word:.2f}, leaves out the masked word whose id is 0. To ignore an id is to lose a word; -100 is no word's.",
    ),
    (
        wrong.losses_of_zeroed_scores,
        "Your word loss, {word:.2f}, is a mean over all 12 positions with the scores of 8 set to 0. Each of those costs ln V "
        "= 1.61 for ever; leave them out instead.",
    ),
    (
        wrong.losses_weighted_too_late,
        "Your word loss, {word:.2f}, is a mean over all 12 positions, with word 0 as the answer where nothing was asked. "
        "Weights that come after the mean cannot mend it: they cancel.",
    ),
    (
        wrong.losses_softmax_twice,
        "Your word loss, {word:.2f}, takes the softmax twice: cross-entropy wants scores. Yours can never fall below ln(1 + (V-1)/e) = 0.90.",
    ),
    (
        wrong.losses_without_log,
        "Your word loss, {word:.2f}, is minus the mean probability. The logarithm is missing.",
    ),
    (
        wrong.losses_log_of_mean,
        "Your word loss, {word:.2f}, is the logarithm of a mean; wanted is the mean of the 4 logarithms, {words:.2f}.",
    ),
    (
        wrong.losses_negative,
        "Your word loss is {word:.2f}. The sign is wrong: minus the log-probability, so that better is lower.",
    ),
    (
        wrong.losses_in_bits,
        "Your word loss is in bits, {word:.2f}; in nats, with the natural logarithm, it is {words:.2f}.",
    ),
    (
        wrong.losses_of_raw_scores,
        "Your word loss, {word:.2f}, is minus the mean score. The softmax is missing, and scores alone can grow for ever.",
    ),
    (
        wrong.losses_added,
        "Your first loss, {word:.2f}, is the sum of both. Give them back one by one.",
    ),
    (
        wrong.losses_over_positions,
        "Your word loss, {word:.2f}, takes the softmax over the 6 positions; the words stand along the last axis.",
    ),
    (
        wrong.losses_over_rows_of_batch,
        "Your word loss, {word:.2f}, takes the softmax over the rows of the batch; the words stand along the last axis.",
    ),
    (
        wrong.losses_by_vocabulary,
        "Your word loss, {word:.2f}, is divided by the 5 words of the vocabulary as well: a one-hot table has M · V entries, and "
        "only M of them count.",
    ),
    (
        wrong.losses_of_every_word,
        "Your word loss, {word:.2f}, is the mean over every word of the vocabulary; of each row only the true word's log-probability counts.",
    ),
    (
        wrong.losses_indexed_crosswise,
        "Your word loss, {word:.2f}, takes from every row the log-probabilities of all 4 true words. Each row has one of its "
        "own: `gather(1, ids[:, None])`.",
    ),
    (
        wrong.losses_as_perplexity,
        "Your word loss, {word:.2f}, is e to the power of the loss (the perplexity); the loss is {words:.2f}.",
    ),
    (
        wrong.losses_to_base_ten,
        "Your word loss, {word:.2f}, has logarithms to the base 10; in nats, with the natural logarithm, it is {words:.2f}.",
    ),
    (
        wrong.losses_of_the_unasked,
        "Your word loss, {word:.2f}, is that of the 8 positions where nothing was asked. Turn the condition round.",
    ),
    (
        wrong.losses_of_all_by_words,
        "Your word loss, {word:.2f}, divides by the 4 masked words, but its sum has all 12 positions in it, with word 0 as the "
        "answer where nothing was asked.",
    ),
    (
        wrong.losses_of_zeroed_by_words,
        "Your word loss, {word:.2f}, divides by the 4 masked words, but its sum has all 12 positions in it: 8 with their "
        "scores set to 0, for ln V = 1.61 each.",
    ),
    (
        wrong.losses_out_of_step,
        "Your word loss, {word:.2f}, has scores and labels out of step: transpose and then reshape mixes the positions. "
        "`flatten(0, 1)` keeps them.",
    ),
    (
        wrong.losses_of_the_highest,
        "Your word loss, {word:.2f}, takes the highest log-probability of each row, whatever the word was.",
    ),
    (
        wrong.pairs_class_ignored,
        "Your pair loss, {pair:.2f}, ignores label 0: 'it follows' is never trained, and a model that always says 'random' has "
        "the loss 0. Two classes, none of them ignored.",
    ),
    (
        wrong.pairs_summed,
        "Your pair loss, {pair:.2f}, is a sum; the mean of the 2 pairs is {pairs:.2f}.",
    ),
    (
        wrong.pairs_as_two_questions,
        "Your pair loss, {pair:.2f}, asks two questions with yes or no (BCE on one-hot labels) where there is one question "
        "with two answers: {pairs:.2f}.",
    ),
    (
        wrong.pairs_softmax_twice,
        "Your pair loss, {pair:.2f}, takes the softmax twice; on the scores it is {pairs:.2f}.",
    ),
    (
        wrong.pairs_upside_down,
        "Your pair loss, {pair:.2f}, has the labels upside down: 0 says that B follows A.",
    ),
    (
        wrong.pairs_halved,
        "Your pair loss, {pair:.2f}, is divided by the two classes as well as by the two pairs.",
    ),
    (
        wrong.pairs_squared,
        "Your pair loss, {pair:.2f}, is a squared error of probabilities; the cross-entropy is {pairs:.2f}.",
    ),
    (
        wrong.pairs_of_two_questions_added,
        "Your pair loss, {pair:.2f}, adds up two questions with yes or no (BCE on one-hot labels) where there is one "
        "question with two answers: {pairs:.2f}.",
    ),
    (
        wrong.pairs_by_one_score,
        "Your pair loss, {pair:.2f}, looks at one of the two scores. What counts is how they differ.",
    ),
    (
        wrong.pairs_negative,
        "Your pair loss is {pair:.2f}. The sign is wrong: better must be lower.",
    ),
    (wrong.pairs_in_bits, "Your pair loss is in bits, {pair:.2f}; in nats it is {pairs:.2f}."),
    (
        wrong.pairs_of_raw_scores,
        "Your pair loss, {pair:.2f}, is minus the mean score; the softmax is missing.",
    ),
    (
        wrong.pairs_without_log,
        "Your pair loss, {pair:.2f}, is minus the mean probability; the logarithm is missing.",
    ),
    (
        wrong.pairs_log_of_mean,
        "Your pair loss, {pair:.2f}, is the logarithm of a mean; wanted is the mean of the logarithms, {pairs:.2f}.",
    ),
    (
        wrong.pairs_over_the_batch,
        "Your pair loss, {pair:.2f}, takes the softmax over the pairs of the batch; the two answers stand along the last axis.",
    ),
    (
        wrong.pairs_of_the_first,
        "Your pair loss, {pair:.2f}, is that of the first pair alone, the only one whose answer is 0.",
    ),
    (
        wrong.losses_over_masked_words,
        "Your word loss, {word:.2f}, takes the softmax over the masked positions (`dim=0`); the words of the vocabulary lie along the last axis.",
    ),
    (
        wrong.pairs_of_class_one,
        "Your pair loss, {pair:.2f}, takes class 1 as the answer of every pair; the label says which class it is.",
    ),
    (wrong.losses_of_words_twice, "Your pair loss, {pair:.2f}, is the words' loss once more."),
)
