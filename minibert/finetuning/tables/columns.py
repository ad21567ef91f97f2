"""Find which column of a table holds what: the one that the user names, or a usual name."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product
from typing import TypeVar

from minibert.config import InputError, did_you_mean
from minibert.finetuning.tables.formats import listed, no_header
from minibert.finetuning.tables.rows import Table

Candidate = TypeVar("Candidate", str, tuple[str, ...])

# The usual names, in lowercase.
TEXTS = ("text", "sentence", "review", "document", "content", "comment", "tweet", "headline")
PAIRS = (
    ("sentence1", "sentence2"),
    ("sentence_a", "sentence_b"),
    ("premise", "hypothesis"),
    ("question1", "question2"),
    ("question", "sentence"),
    ("question", "text"),
    ("text1", "text2"),
    ("text_a", "text_b"),
    ("query", "passage"),
)
USUAL = {
    "label": ("label", "labels", "class", "category", "target", "sentiment", "gold_label"),
    "number": (
        "label",
        "labels",
        "score",
        "similarity_score",
        "similarity",
        "relatedness_score",
        "rating",
        "target",
        "value",
    ),
    "words": ("words", "tokens", "word", "token"),
    "tags": ("tags", "ner_tags", "ner", "tag"),
    "question": ("question", "query"),
    "context": ("context", "passage", "paragraph"),
    "answer": ("answer", "answers", "answer_text"),
    "answer_start": ("answer_start", "answer_starts"),
    "stem": (*TEXTS, "question", "premise", "context", "ctx", "startphrase"),
    "choices": ("choices", "endings", "options"),
    "right": ("label", "answerkey", "answer", "correct"),
}
NUMBERED = re.compile(r"(choice|ending|option|alternative|answer)s?[ _-]?([0-9]{1,4}|[a-h])")


class Columns:
    """The columns of a table; `found` maps a role, such as 'text', to a column or to several."""

    def __init__(self, table: Table, given: Mapping[str, str | Sequence[str]]):
        """`given` is what the user named.

        Raises an InputError for a column that is not there, and for one that is named twice.
        """
        self.table = table
        self.by_lower: dict[str, list[str]] = {}
        for column in table.columns:
            self.by_lower.setdefault(column.lower(), []).append(column)
        roles: dict[str, str] = {}  # of the columns that are given
        self.found: dict[str, str | tuple[str, ...]] = {}
        for role, names in given.items():
            several = role == "choices" and isinstance(names, list | tuple) and len(names) > 0
            if not isinstance(names, str) and not (
                several and all(isinstance(name, str) for name in names)
            ):
                raise InputError(
                    f"{flag(role)}: expected the name of a column, a text"
                    f"{', or a list of such names' * (role == 'choices')}, not {names!r:.60}"
                )
            for name in [names] if isinstance(names, str) else names:
                if name not in table.columns:
                    raise InputError(
                        f"{table.name} has no column {name!r} ({flag(role)}); it has "
                        f"{self.listed()}{did_you_mean(name, table.columns)}. "
                        f"{no_header(table.format)}"
                    )
                if name in roles:
                    raise InputError(
                        f"{table.name}: the column {name!r} is named twice, for "
                        f"{flag(roles[name])} and for {flag(role)}; expected a column for each"
                    )
                roles[name] = role
            self.found[role] = names if isinstance(names, str) else tuple(names)

    def find(self, role: str, usual: Sequence[str], needed: bool = True) -> None:
        """Take the one column with a usual name for `role`, unless the user named it.

        Raises an InputError where there are several, or none although it is `needed`.
        """
        if role in self.found:
            return
        candidates = self._free(usual)
        if candidates or needed:
            self.found[role] = self._only(role, candidates)

    def find_texts(self) -> None:
        """Take the one usual column for a text, or the usual two for a pair."""
        if "text" in self.found:
            return
        wanted = PAIRS if "pair" not in self.found else ()
        pairs = [
            pair for names in wanted for pair in product(*(self._free([name]) for name in names))
        ]
        singles = [
            (column,) for column in self._free(TEXTS) if column not in chain.from_iterable(pairs)
        ]
        candidates: list[tuple[str, ...]] = [*pairs, *singles]
        # not strict: a single text has no pair
        self.found |= dict(zip(("text", "pair"), self._only("text", candidates), strict=False))

    def find_choices(self) -> None:
        """Take the one usual column that holds lists, or several such as ending0 … ending3."""
        if "choices" in self.found:
            names = self.found["choices"]
            self.found["choices"] = (names,) if isinstance(names, str) else names
            return
        stems: dict[str, dict[str, list[str]]] = {}  # "ending" -> "0010" -> ["ending10"]
        for name in self.by_lower:
            match, free = NUMBERED.fullmatch(name), self._free([name])
            if match and free:
                stems.setdefault(match[1], {}).setdefault(match[2].zfill(4), []).extend(free)
        lists = [(column,) for column in self._free(USUAL["choices"])]
        several = [
            columns
            for places in stems.values()
            if len(places) > 1
            for columns in product(*(places[place] for place in sorted(places)))
        ]
        self.found["choices"] = self._only("choices", [*lists, *several])

    def _free(self, usual: Iterable[str]) -> list[str]:
        """The columns of these names, in whatever letters, that have no role yet."""
        taken = set(
            chain.from_iterable(
                [names] if isinstance(names, str) else names for names in self.found.values()
            )
        )
        columns = chain.from_iterable(self.by_lower.get(name, []) for name in usual)
        return [column for column in columns if column not in taken]

    def _only(self, role: str, candidates: list[Candidate]) -> Candidate:
        """The only candidate. Raises an InputError where there are several, or none."""
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            names = [one if isinstance(one, str) else " + ".join(one) for one in candidates]
            raise InputError(
                f"{self.table.name}: several columns could be meant for {flag(role)}: "
                f"{', '.join(names)}. Say which; there are {self.listed()}"
            )
        which = "columns they are" if role == "choices" else "one it is"
        raise InputError(
            f"{self.table.name}: no column has a usual name for {flag(role)}. Say which {which}; "
            f"there are {self.listed()}. {no_header(self.table.format)}"
        )

    def listed(self) -> str:
        """The first names of the table's columns, for messages."""
        return listed(self.table.columns) or "no columns"


def flag(role: str) -> str:
    """A role as an option: answer_start -> --answer-start."""
    return "--" + role.replace("_", "-")
