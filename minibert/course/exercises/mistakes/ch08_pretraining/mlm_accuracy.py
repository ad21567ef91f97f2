"""Wrong answers to `mlm_accuracy` that its check recognises, each with the feedback for it."""

import torch


def accuracy_by_sums(logits, labels):
    return (logits.max(dim=-1).indices == labels).sum() / labels.ge(0).sum()


def accuracy_of_all_positions(logits, labels):
    return (logits.argmax(dim=-1) == labels).float().mean()


def accuracy_not_divided(logits, labels):
    return (logits.argmax(dim=-1) == labels).sum()


def accuracy_per_row(logits, labels):
    return (logits.argmax(dim=-1) == labels).sum() / len(labels)


def accuracy_of_rows(logits, labels):
    return torch.stack([accuracy_by_sums(x, y) for x, y in zip(logits, labels)]).mean()


def accuracy_without_id_zero(logits, labels):
    return (logits.argmax(dim=-1) == labels)[labels > 0].float().mean()


def accuracy_with_gifts(logits, labels):
    return ((logits.argmax(dim=-1) == labels) | (labels == -100)).float().mean()


def accuracy_of_errors(logits, labels):
    return (logits.argmax(dim=-1) != labels)[labels != -100].float().mean()


def accuracy_of_the_lowest(logits, labels):
    return (logits.argmin(dim=-1) == labels)[labels != -100].float().mean()


def accuracy_over_positions(logits, labels):
    return (logits.argmax(dim=1) == labels)[labels != -100].float().mean()


def accuracy_as_probability(logits, labels):
    return (
        logits.softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0][labels != -100].mean()
    )


def accuracy_of_five(logits, labels):
    return (logits.topk(5).indices == labels[..., None]).any(-1)[labels != -100].float().mean()


def accuracy_above_a_half(logits, labels):
    return (
        (logits.softmax(-1).gather(-1, labels.clamp(min=0)[..., None])[..., 0] > 0.5)[
            labels != -100
        ]
        .float()
        .mean()
    )


def accuracy_of_clamped_labels(logits, labels):
    return (logits.argmax(dim=-1) == labels.clamp(min=0)).sum() / (labels != -100).sum()


def accuracy_of_all_labels_but_zero(logits, labels):
    return (logits.argmax(dim=-1) == labels)[labels != 0].float().mean()


def accuracy_in_per_cent(logits, labels):
    return 100 * accuracy_by_sums(logits, labels)


def accuracy_of_the_unasked(logits, labels):
    return (logits.argmax(dim=-1) == labels)[labels == -100].float().mean()


def accuracy_rounded(logits, labels):
    return accuracy_by_sums(logits, labels).round()


def accuracy_of_clamped_by_all(logits, labels):
    return (logits.argmax(dim=-1) == labels.clamp(min=0)).float().mean()


ACCURACY_MISTAKES = (
    (
        accuracy_of_all_positions,
        "{you}: you divide by all 16 positions, where 7 words were to be guessed. A perfect model would score 0.44 with you.",
    ),
    (
        accuracy_not_divided,
        "You count the hits, {found:.0f} of them; an accuracy is a share of the 7 masked words.",
    ),
    (accuracy_per_row, "{you}, hits per row of the batch; divide by the 7 masked words."),
    (
        accuracy_of_rows,
        "{you}, the mean of the rows' {rows[0]:.2f} and {rows[1]:.2f}: the three words of the second row count as much as the four of the first.",
    ),
    (
        accuracy_without_id_zero,
        "{you}: you leave out the word with id 0. It is an id like any other; what is not to be guessed has the label -100.",
    ),
    (
        accuracy_of_all_labels_but_zero,
        "{you}: you take the label 0 for 'not asked'. It is a word's; what was not asked has the label -100.",
    ),
    (
        accuracy_with_gifts,
        "{you}, for a model that misses two words in seven: every position that was not masked counts as a hit.",
    ),
    (
        accuracy_of_clamped_labels,
        "{you}: hits at positions that were not asked are among yours. A label of -100 that becomes 0 is taken for word 0.",
    ),
    (
        accuracy_of_clamped_by_all,
        "{you}: you divide by all 16 positions, and the labels -100 have become word 0. Only 7 words were to be guessed.",
    ),
    (
        accuracy_rounded,
        "{you}, for a model that misses two words in seven. Is it rounded, or an `any`? Wanted is the mean of 7 hits and misses, as floats.",
    ),
    (accuracy_of_errors, "Your accuracy, {found:.2f}, is the share of wrong guesses."),
    (accuracy_in_per_cent, "{you}: that is per cent. A share lies between 0 and 1."),
    (accuracy_of_the_lowest, "{you}: you take the word with the lowest score (argmin)."),
    (
        accuracy_over_positions,
        "{you}: your argmax runs over the 8 positions. The scores of the words lie along the last axis.",
    ),
    (
        accuracy_of_five,
        "{you}: you count a word as guessed that is among the first few. Only the highest score counts.",
    ),
    (
        accuracy_above_a_half,
        "{you}: you ask for a probability above a half. A guess is the highest score, however low its probability.",
    ),
    (
        accuracy_as_probability,
        "{found:.2f} is the mean probability of the right words. Accuracy asks only whether their score is the highest.",
    ),
    (
        accuracy_of_the_unasked,
        "{you}: no hit of yours lies where a word was to be guessed. Compare the *place* of the highest score with the label, "
        "where the label is not -100.",
    ),
)


KNOWN = ACCURACY_MISTAKES
