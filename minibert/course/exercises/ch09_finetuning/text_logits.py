"""Exercise `text_logits`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch09_finetuning.common import CHAPTER
from minibert.course.exercises.compare import (
    also,
    draw,
    recognise,
)


def text_logits(hidden, pooler_weight, pooler_bias, weight, bias):
    """The logits of K classes for each text of a batch.

    hidden [B, S, H], the last layer's vectors; the pooler's linear map, pooler_weight [H, H] and pooler_bias [H], with tanh; the
    classifier's, weight [K, H] and bias [K]. A weight has a row for each output, as in nn.Linear. -> [B, K]
    """
    first = hidden[:, 0]  # blank: [B, H], the vector of [CLS]
    pooled = torch.tanh(first @ pooler_weight.T + pooler_bias)  # blank: [B, H], through the pooler
    return pooled @ weight.T + bias  # blank: [B, K], logits


def check_text_logits(answer):
    hidden = torch.randn(2, 5, 4, dtype=torch.float64)  # [B, S, H]
    pooler_weight, pooler_bias = (
        torch.randn(4, 4, dtype=torch.float64),
        torch.randn(4, dtype=torch.float64),
    )  # [H, H], [H]
    weight, bias = (
        torch.randn(3, 4, dtype=torch.float64),
        torch.randn(3, dtype=torch.float64),
    )  # [K, H], [K]

    def logits(
        vector=hidden[:, 0], turn=torch.tanh, matrix=pooler_weight, shift=pooler_bias, last=bias
    ):
        return turn(vector @ matrix.T + shift) @ weight.T + last

    right = logits()
    recognise(
        answer(
            hidden.clone(), pooler_weight.clone(), pooler_bias.clone(), weight.clone(), bias.clone()
        ),
        right,
        [
            (
                logits(hidden.mean(1)),
                "You read the mean of all 5 tokens. This head reads one vector, that of [CLS], at place 0.",
            ),
            (
                logits(hidden[:, -1]),
                "You read the token at place 4, the last. [CLS] stands at place 0.",
            ),
            (
                logits(hidden[:, 1]),
                "You read the token at place 1, the first word. [CLS] stands before it, at place 0.",
            ),
            (
                hidden[:, 0] @ weight.T + bias,
                "The pooler is missing: you hand the vector of [CLS] to the classifier as it is.",
            ),
            (
                logits(turn=lambda x: x),
                "The tanh is missing: without it, pooler and classifier together are one linear map, and the pooler adds nothing.",
            ),
            (
                logits(turn=torch.sigmoid),
                "You have a sigmoid where the pooler has tanh: your pooled values lie between 0 and 1, its between -1 and 1.",
            ),
            (
                logits(turn=torch.relu),
                "You have a ReLU where the pooler has tanh: a value below 0 would be lost.",
            ),
            (
                logits(matrix=pooler_weight.T),
                "Your pooler's matrix lies on its side. It is square, [4, 4], so nothing complains: a weight has a row for each *output*, so transpose it.",
            ),
            (logits(shift=0.0), "The pooler's bias is missing."),
            (logits(last=0.0), "The classifier's bias is missing."),
            (
                right.softmax(-1),
                f"You give back probabilities, which sum to 1; wanted are logits, here {right[0, 0]:.2f} for the first class. Cross-entropy takes the softmax itself.",
            ),
            (
                right.log_softmax(-1),
                "You give back log-probabilities; wanted are logits. Cross-entropy takes the softmax itself.",
            ),
            (
                logits(hidden.amax(1)),
                "You read the largest of each number over all 5 tokens. This head reads one vector, that of [CLS], at place 0.",
            ),
            (
                logits(hidden.sum(1)),
                "You read the sum of all 5 tokens. This head reads one vector, that of [CLS], at place 0.",
            ),
            (logits(turn=torch.nn.functional.gelu), "You have a GELU where the pooler has tanh."),
            (
                right.sigmoid(),
                f"You give back a sigmoid, from 0 to 1; wanted are logits, here {right[0, 0]:.2f} for the first class.",
            ),
            (
                logits(torch.tanh(hidden[:, 0] @ pooler_weight.T + pooler_bias)),
                "The vector goes through the pooler twice.",
            ),
            (
                torch.tanh(right),
                "There is a tanh behind the classifier too: its logits could never leave -1 to 1.",
            ),
        ],
        "text_logits",
    )
    also(
        answer,
        text_logits,
        (
            draw(3, 2, 5).float(),
            *(
                draw(*shape, seed=n).float()
                for n, shape in enumerate(((5, 5), (5,), (2, 5), (2,)), 1)
            ),
        ),
        gradient=True,
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=6,
    title="From hidden states to the scores of a text",
    solution=text_logits,
    check=check_text_logits,
    task="Write the head for whole texts: the vector of [CLS], the pooler, the classifier. Give back logits, one for each class.",
    hints=(
        "Three steps, three lines. Which of the S vectors is [CLS]'s, and in which range do the pooled values lie?",
        "`hidden[:, 0]`; `torch.tanh(x @ weight.T + bias)`; and a linear map with nothing behind it.",
    ),
    paragraph="The head, by hand",
)
