"""Patients: typical mistakes, each described by a small diff of minibert's correct code."""

import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Edit:
    """One replacement of lines in a file of the package.

    Indentation and trailing comments are ignored when `right` is searched for. `wrong` is indented
    like the lines that it replaces; an empty `wrong` deletes them.
    """

    file: str  # relative to the package, such as "data/masking.py"
    right: str
    wrong: str


@dataclass(frozen=True)
class Patient:
    """One bug: its symptom, its cause, its fix, and the probe that detects it."""

    id: str
    chapter: str  # where the topic is taught: the notebook's stem, such as "04_attention"
    title: str
    symptom: str  # what one observes, without naming the cause
    disease: str
    cure: str
    edits: tuple[Edit, ...]
    probe: str  # name in `PROBES` of the probe that detects the bug
    guard: str  # a test that fails with the bug, such as "tests/unit/test_attention.py::test_x"

    def sources(self, lines: tuple[str, ...] | None = None) -> dict[str, str]:
        """The full text of every file that the bug changes, with the bug in it.

        `lines` replaces the faulty lines, one string for each edit. Raises ValueError if the number
        of `lines` is wrong, or if the correct lines do not occur exactly once in their file.
        """
        lines = tuple(edit.wrong for edit in self.edits) if lines is None else lines
        if len(lines) != len(self.edits):
            raise ValueError(
                f"patient {self.id} is cut open in {len(self.edits)} place(s): expected one string"
                f" of code for each, got {len(lines)}"
            )
        changed = {edit.file: healthy_source(edit.file) for edit in self.edits}
        for edit, new in zip(self.edits, lines):
            changed[edit.file] = self._replaced(changed[edit.file], edit, new)
        return changed

    def diff(self) -> str:
        """The bug as a unified diff against the current files, in the format of `git apply`."""
        return (
            "\n".join(
                line
                for file, sick in self.sources().items()
                for line in difflib.unified_diff(
                    healthy_source(file).splitlines(),
                    sick.splitlines(),
                    f"a/minibert/{file}",
                    f"b/minibert/{file}",
                    n=2,
                    lineterm="",
                )
            )
            + "\n"
        )

    def _replaced(self, source: str, edit: Edit, new: str) -> str:
        lines, wanted = source.splitlines(), _bare(edit.right.splitlines())
        found = [
            start
            for start in range(len(lines))
            if _bare(lines[start : start + len(wanted)]) == wanted
        ]
        if len(found) != 1:
            raise ValueError(
                f"found the lines of patient {self.id} {len(found)} times in minibert/{edit.file},"
                " expected once; the code has changed, so update the patient in"
                f" minibert.course.clinic: {edit.right.strip().splitlines()[0]!r} …"
            )
        start = found[0]
        margin = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
        lines[start : start + len(wanted)] = indent(dedent(new).strip("\n"), margin).splitlines()
        return "\n".join(lines) + "\n"


def healthy_source(file: str) -> str:
    """The text of a file of the package as it is on disk, without any bug."""
    return (PACKAGE / file).read_text(encoding="utf-8")


def _bare(lines: list[str]) -> list[str]:
    """The lines without their common indentation and without trailing comments."""
    return (
        dedent("\n".join(re.sub(r"\s+#.*$", "", line).rstrip() for line in lines))
        .strip("\n")
        .splitlines()
    )
