"""Wrong answers that the checks themselves run, to recognise a reader's result and name its cause.

One module a chapter, with a dict KNOWN: the name of an exercise -> (wrong answer, its sentence), ….
`base.known` asks for them. Other planted answers, on which only the tests try the checks, are in
tests/course/planted/.
"""

from collections.abc import Callable


def named(name: str, answer: Callable) -> Callable:
    """An answer made by a factory or a lambda, under a name of its own."""
    answer.__name__ = name
    return answer
