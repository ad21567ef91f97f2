"""Exercise `muddy`: task, hints, solution and check."""

import torch

from minibert.course.exercises.base import Exercise, known
from minibert.course.exercises.ch04_attention.common import CHAPTER, masked_attention
from minibert.course.exercises.compare import Mistake

TEXT = ["the", "bank", "was", "muddy"]
OTHERS = {  # query, key and value
    "the": ((0, 2), (0, 0), (0, 0)),
    "bank": ((3, 0), (1, 2), (1, 1)),
    "was": ((0, 2), (0, 0), (0, 0)),
}


def muddy():
    """Query, key and value of the word "muddy", two numbers each."""
    query = (0, 2)  # blank: (tells the topic, is a noun)
    key = (2, 0)  # blank: (tells the topic, is a noun)
    value = (2, 0)  # blank: (water, money)
    return query, key, value


def attention_with(vectors):
    """Results [S, D] and weights [S, S] of the text, with these vectors for "muddy"."""
    words = {**OTHERS, "muddy": vectors}
    rows = torch.tensor([[list(each) for each in words[word]] for word in TEXT]).double()
    query, key, value = rows.unbind(dim=1)  # [S, D] each
    return masked_attention(query, key, value)


def check_muddy(answer):
    vectors = answer()
    if not isinstance(vectors, (tuple, list)) or len(vectors) != 3:
        raise Mistake("Return three vectors: query, key and value.")
    for name, each in zip(("query", "key", "value"), vectors):
        if not isinstance(each, (tuple, list)) or len(each) != 2:
            raise Mistake(f"The {name} should be two numbers, such as (2, 0).")
        if not all(isinstance(one, (int, float)) for one in each):
            raise Mistake(f"The {name} should be two numbers, such as (2, 0).")
        if not all(abs(one) <= 5 for one in each):
            raise Mistake(f"Keep the two numbers of the {name} between -5 and 5.")
    result, weights = attention_with(vectors)
    for wrong, sentence in known(muddy):
        if all(torch.equal(a, b) for a, b in zip(attention_with(wrong()), (result, weights))):
            raise Mistake(sentence)
    water, money = result[TEXT.index("bank")].tolist()
    to_noun = weights[:, TEXT.index("bank")]
    if to_noun[0] <= 0.8:
        raise Mistake(
            f"“the” gives “bank” a weight of only {to_noun[0]:.2f}: its query is (0, 2), so it also finds the second "
            "number of your key. Is muddy a noun?"
        )
    if round(water, 2) < 1.82 or round(money, 2) > 0.11:
        raise Mistake(
            f"“bank” takes ({water:.2f}, {money:.2f}), a weight of {weights[1, 3]:.2f} times your value and {weights[1, 1]:.2f} "
            "times its own. Expected is at least 1.82 of water and at most 0.11 of money."
        )
    if to_noun[3] <= 0.8:
        raise Mistake(
            f"“muddy” gives “bank” a weight of only {to_noun[3]:.2f}. Your query should match the key of “bank”, (1, 2), "
            "and not the key of “muddy” itself."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="warm-up",
    minutes=12,
    title="Three vectors for a new word",
    task="""
            Give *muddy* a query, a key and a value (numbers between -5 and 5; *was* has the vectors of *by*), so that in *the bank
            was muddy* three things hold. *bank* takes at least 1.82 of water and at most 0.11 of money, about as it did from *river*.
            *the* gives more than 0.8 of its attention to *bank*, and so does *muddy*. Work out the result of *bank* by hand
            first: compute the four scores, divide them by √2, take the softmax, and mix the values.
            """,
    hints=(
        "Treat the three conditions one by one, because each is about another vector. What *the* finds depends on the key, "
        "what *muddy* finds depends on its query, and what *bank* takes depends on key and value.",
        "As an adjective, *muddy* tells the topic and is not a noun. Its query should score high with (1, 2), and low with "
        "the key that you have chosen.",
    ),
    paragraph="Queries, keys and values",
    solution=muddy,
    check=check_muddy,
)
