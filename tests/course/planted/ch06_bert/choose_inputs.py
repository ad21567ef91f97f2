"""Answers to `choose_inputs` on which its check is tried."""

from minibert.course.exercises.ch06_bert.choose_inputs import choose_inputs
from planted import Answers


def choose_by_table(wanted, tokenizer):
    length = 200 if "C" in wanted else 3
    texts = ["a " * length] + ["a"] * ("B" in wanted)
    if "A" not in wanted:
        return tokenizer(texts)
    return tokenizer(texts, ["and the answer"] * len(texts))


def choose_long_seconds(wanted, tokenizer):
    first = ["yes no"] if "B" not in wanted else ["yes no", "yes"]
    if "A" in wanted:
        return tokenizer(first, ["word " * (70 if "C" in wanted else 1)] * len(first))
    return tokenizer(
        [text * (40 if "C" in wanted else 1) + "." for text in [t + " " for t in first]]
    )


def choose_one_text(wanted, tokenizer):
    return tokenizer(["the bank by the river"])


def choose_everything(wanted, tokenizer):
    return tokenizer(["the bank " * 50, "the bank"], ["the river", "the river"])


def choose_second_texts_of_two_lengths(wanted, tokenizer):
    texts = ["the bank " * (50 if "C" in wanted else 1)]
    if "A" in wanted:
        return tokenizer(2 * texts, ["the river", "the river and the sea"])
    return tokenizer(texts + ["the bank and the sea"] * ("B" in wanted))


def choose_equal_lengths(wanted, tokenizer):
    texts = ["the bank " * (50 if "C" in wanted else 1)] * (1 + ("B" in wanted))
    return tokenizer(texts, ["the river"] * len(texts) if "A" in wanted else None)


def choose_64_tokens(wanted, tokenizer):
    texts = ["a " * (62 if "C" in wanted else 3)] + ["a"] * ("B" in wanted)
    return tokenizer(texts, ["a"] * len(texts) if wanted == "A" else None)


def choose_a_long_and_a_short_text(wanted, tokenizer):
    texts = ["a " * 100, "a"] if "C" in wanted else ["a"] + ["a b"] * ("B" in wanted)
    return tokenizer(texts, ["a"] * len(texts) if "A" in wanted else None)


def choose_the_texts(wanted, tokenizer):
    return ["the bank by the river"]


def choose_by_the_whole_string(wanted, tokenizer):
    return choose_inputs(wanted if len(wanted) < 2 else "ABC", tokenizer)


ANSWERS = Answers(
    right=(choose_by_table, choose_long_seconds),
    wrong={
        choose_one_text: "For wanted = 'A'.*exposes none",
        choose_everything: "For wanted = ''.*exposes A and B and C",
        choose_second_texts_of_two_lengths: "For wanted = 'A'.*exposes A and B",
        choose_equal_lengths: "For wanted = 'B'.*exposes none",
        choose_64_tokens: r"For wanted = 'C'.*\[1, 64\] it exposes none",
        choose_a_long_and_a_short_text: "For wanted = 'C'.*exposes B and C",
        choose_the_texts: "returns a list",
        choose_by_the_whole_string: "For wanted = 'AB'.*exposes A and B and C",
    },
)
