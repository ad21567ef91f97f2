"""Answers to `entities_in` on which its check is tried."""

from planted import Answers, named


def entities_by_looking_ahead(tags):
    entities, place = [], 0
    while place < len(tags):
        end = place + 1
        if tags[place] != "O":
            kind = tags[place].split("-", 1)[1]
            while end < len(tags) and tags[end] == f"I-{kind}":
                end += 1
            entities.append((place, end, kind))
        place = end
    return entities


def entities_by_edges(tags):
    kinds = [None if tag == "O" else tag[2:] for tag in tags]
    begins = [
        i
        for i, kind in enumerate(kinds)
        if kind and (tags[i].startswith("B") or i == 0 or kinds[i - 1] != kind)
    ]
    edges = sorted({*begins, *(i for i, kind in enumerate(kinds) if kind is None), len(tags)})
    return [[i, next(edge for edge in edges if edge > i), kinds[i]] for i in begins]


def _entities(
    joins_b=False,
    joins_kinds=False,
    orphans=True,
    loses_last=False,
    each=False,
    change=lambda start, end, kind: (start, end, kind),
):
    """A planted wrong answer: the loop with one thing changed."""

    def wrong(tags):
        entities, start, kind = [], None, None
        for place, tag in enumerate(tags if loses_last else [*tags, "O"]):
            other = tag != "O" and tag[2:] != kind and not (joins_kinds and kind)
            begins = (
                other
                or (tag[0] == "B" and not (joins_b and kind == tag[2:]))
                or (each and tag != "O")
            )
            if kind is not None and (begins or tag == "O"):
                entities.append(change(start, place, kind))
                start, kind = None, None
            if begins and (orphans or tag[0] == "B"):
                start, kind = place, tag[2:]
        return entities

    return wrong


def entities_remembering(tags):
    entities, start, kind = [], None, None
    for place, tag in enumerate([*tags, "O"]):
        begins = tag[0] == "B" or (tag[0] == "I" and tag[2:] != kind)
        if start is not None and (begins or tag == "O"):
            entities.append((start, place, kind))
            start = None
        if begins:
            start, kind = place, tag[2:]
    return entities


entities_joined = named("entities_joined", _entities(joins_b=True))


entities_mixed = named("entities_mixed", _entities(joins_kinds=True))


entities_strict = named("entities_strict", _entities(orphans=False))


entities_open_end = named("entities_open_end", _entities(loses_last=True))


entities_every_word = named("entities_every_word", _entities(each=True))


entities_inclusive = named(
    "entities_inclusive", _entities(change=lambda start, end, kind: (start, end - 1, kind))
)


entities_from_one = named(
    "entities_from_one", _entities(change=lambda start, end, kind: (start + 1, end + 1, kind))
)


entities_without_kind = named(
    "entities_without_kind", _entities(change=lambda start, end, kind: (start, end))
)


entities_whole_tags = named(
    "entities_whole_tags", _entities(change=lambda start, end, kind: (start, end, f"B-{kind}"))
)


entities_cut_at_hyphen = named(
    "entities_cut_at_hyphen",
    _entities(change=lambda start, end, kind: (start, end, kind.split("-")[0])),
)


entities_one_word = named(
    "entities_one_word", _entities(change=lambda start, end, kind: (start, start + 1, kind))
)


ANSWERS = Answers(
    right=(entities_by_looking_ahead, entities_by_edges),
    wrong={
        entities_joined: "you join them",
        entities_mixed: "runs from 1 to 4",
        entities_strict: "'I-loc' right behind a person|no B before them",
        entities_open_end: "is lost",
        entities_every_word: "You have 5 entities",
        entities_inclusive: "end at their last word",
        entities_from_one: "count words from 1",
        entities_without_kind: "The kind is missing",
        entities_whole_tags: "whole tags",
        entities_one_word: "one word long",
        entities_cut_at_hyphen: "a hyphen of its own",
        entities_remembering: "forget its kind",
    },
)
