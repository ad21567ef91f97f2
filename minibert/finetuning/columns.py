"""Which column of a table holds what: as you say, or where one usual name is among them."""

import difflib
import re
from collections.abc import Mapping, Sequence

from minibert.finetuning.tables import Table, no_header

# The usual names, in small letters.
TEXTS = ("text", "sentence", "review", "document", "content", "comment", "tweet", "headline")
PAIRS = (("sentence1", "sentence2"), ("sentence_a", "sentence_b"), ("premise", "hypothesis"), ("question1", "question2"), ("question", "sentence"),
         ("question", "text"), ("text1", "text2"), ("text_a", "text_b"), ("query", "passage"))
USUAL = {
    "label": ("label", "labels", "class", "category", "target", "sentiment", "gold_label"),
    "number": ("label", "labels", "score", "similarity_score", "similarity", "relatedness_score", "rating", "target", "value"),
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
NUMBERED = re.compile(r"(choice|ending|option|alternative|answer)s?[ _-]?(\d+|[a-h])")


class Columns:
    """The columns of a table, and what they are taken for: `found` maps a role, such as 'text', to a column, or to several."""

    def __init__(self, table: Table, given: Mapping[str, str | Sequence[str]]):
        """`given` is what the user said. Raises a ValueError for a column that is not there, which names those that are."""
        self.table = table
        self.by_lower = {column.lower(): column for column in table.columns}
        self.found: dict[str, str | tuple[str, ...]] = {}
        for role, names in given.items():
            for name in [names] if isinstance(names, str) else names:
                if name not in table.columns:
                    raise ValueError(f"{table.name} has no column {name!r} ({flag(role)}); it has {self.listed()}{_nearest(name, table.columns)}. "
                                     f"{no_header(table.format)}")
            self.found[role] = names if isinstance(names, str) else tuple(names)

    def guess(self, role: str, usual: Sequence[str], needed: bool = True) -> None:
        """Take the one column with a usual name for `role`, unless the user said which. None is an error where it is `needed`."""
        if role not in self.found:
            self.take(role, [self.by_lower[name] for name in usual if name in self.by_lower and self.by_lower[name] not in self.found.values()], needed)

    def guess_texts(self) -> None:
        """Take the one usual column for a text, or the usual two for a pair."""
        if "text" in self.found:
            return
        pairs = [pair for pair in PAIRS if all(name in self.by_lower for name in pair)] if "pair" not in self.found else []
        singles = [(name,) for name in TEXTS if name in self.by_lower and self.by_lower[name] != self.found.get("pair") and not any(name in pair for pair in pairs)]
        names = self.take("text", [tuple(self.by_lower[name] for name in names) for names in [*pairs, *singles]])
        self.found |= dict(zip(("text", "pair"), names))

    def guess_choices(self) -> None:
        """Take the one usual column that holds lists, or those of one stem with numbers or letters, such as ending0 … ending3."""
        if "choices" in self.found:
            return
        stems: dict[str, list[str]] = {}
        for name, column in sorted(self.by_lower.items()):
            if match := NUMBERED.fullmatch(name):
                stems.setdefault(match[1], []).append(column)
        lists = [(self.by_lower[name],) for name in USUAL["choices"] if name in self.by_lower]
        self.found["choices"] = self.take("choices", [*lists, *(tuple(columns) for columns in stems.values() if len(columns) > 1)])

    def take(self, role: str, candidates: list, needed: bool = True):
        """The only candidate, which becomes the column of `role`."""
        if len(candidates) == 1:
            self.found[role] = candidates[0]
            return candidates[0]
        if candidates:
            names = [one if isinstance(one, str) else " + ".join(one) for one in candidates]
            raise ValueError(f"{self.table.name}: several columns could be meant for {flag(role)}: {', '.join(names)}. Say which; there are {self.listed()}")
        if needed:
            raise ValueError(f"{self.table.name}: no column has a usual name for {flag(role)}. Say which one it is; there are {self.listed()}. "
                             f"{no_header(self.table.format)}")

    def listed(self) -> str:
        return ", ".join(repr(column) for column in self.table.columns[:20]) + ", …" * (len(self.table.columns) > 20)


def flag(role: str) -> str:
    return "--" + role.replace("_", "-")


def _nearest(name: str, columns: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, columns, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
