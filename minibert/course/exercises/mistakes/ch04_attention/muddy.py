"""Wrong answers to `muddy` that its check recognises, each with the feedback for it."""


def same_as_river():
    return (2, 0), (2, 2), (2, 0)


def same_as_by():
    return (0, 2), (0, 0), (0, 0)


def key_and_value_swapped():
    return (2, 0), (0, 2), (2, 0)


KNOWN = (
    (
        same_as_river,
        "These are the vectors of river. Then “the” takes muddy for a noun, and muddy looks for a topic instead of its noun.",
    ),
    (
        same_as_by,
        "These are the vectors of by: with the key (0, 0), muddy has nothing that the query of “bank” could find.",
    ),
    (
        key_and_value_swapped,
        "Your query looks for the topic and your key says noun. It is the other way round: muddy tells the topic and looks for a noun.",
    ),
)
