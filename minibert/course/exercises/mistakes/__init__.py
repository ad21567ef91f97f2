"""Wrong answers that the checks run, in order to recognise a reader's result and explain its cause.

There is one package per chapter, with a dict KNOWN: name of an exercise -> ((wrong answer,
feedback), …). `base.known` imports it. Wrong answers that only the tests use are in
tests/course/planted/.
"""

from collections.abc import Callable


def named(name: str, answer: Callable) -> Callable:
    """Sets the name of an answer that was made by a factory or a lambda, and returns it."""
    answer.__name__ = name
    return answer
