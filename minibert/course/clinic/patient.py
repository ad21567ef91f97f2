"""A patient: a mistake that somebody published, as a small diff of the code that is right."""

import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

PACKAGE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Edit:
    """Lines of a file of the package, and what stands there in the sick one.

    Indentation and trailing comments play no part in finding `right`, and `wrong` gets the
    indentation of what it replaces; an empty `wrong` takes the lines away.
    """

    file: str  # inside the package, such as "data/masking.py"
    right: str
    wrong: str


@dataclass(frozen=True)
class Patient:
    """One mistake: what one sees of it, what it is, how it is mended, and what tells sick from
    healthy.
    """

    id: str
    chapter: str  # to reread: the notebook's stem, such as "04_attention"
    title: str
    symptom: str  # what one sees, without naming the disease
    disease: str
    cure: str
    published: str  # where such a mistake is found
    edits: tuple[Edit, ...]
    probe: str  # name in `PROBES` of what tells sick from healthy
    guard: str  # a test that the mistake turns red, such as "tests/unit/test_attention.py::test_x"

    def sources(self, lines: tuple[str, ...] | None = None) -> dict[str, str]:
        """The whole text of every file that the mistake changes, with the mistake in it; or with
        `lines`, one for each edit.

        Raises a ValueError for another number of `lines`, and where the right lines do not stand in
        their file exactly once.
        """
        lines = tuple(edit.wrong for edit in self.edits) if lines is None else lines
        if len(lines) != len(self.edits):
            raise ValueError(
                f"patient {self.id} is cut open in {len(self.edits)} place(s): give as many pieces"
                f" of code, not {len(lines)}"
            )
        changed = {edit.file: healthy_source(edit.file) for edit in self.edits}
        for edit, new in zip(self.edits, lines):
            changed[edit.file] = self._replaced(changed[edit.file], edit, new)
        return changed

    def diff(self) -> str:
        """From the right code to the sick one, as a unified diff of the files as they are now: what
        `git apply` takes.
        """
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
                f"the lines of patient {self.id} stand {len(found)} times in minibert/{edit.file},"
                " not once; the code has changed, so minibert.course.clinic has to:"
                f" {edit.right.strip().splitlines()[0]!r} …"
            )
        start = found[0]
        margin = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
        lines[start : start + len(wanted)] = indent(dedent(new).strip("\n"), margin).splitlines()
        return "\n".join(lines) + "\n"


def healthy_source(file: str) -> str:
    return (PACKAGE / file).read_text(encoding="utf-8")


def _bare(lines: list[str]) -> list[str]:
    """Lines without the margin that they share and without the comments behind them."""
    return (
        dedent("\n".join(re.sub(r"\s+#.*$", "", line).rstrip() for line in lines))
        .strip("\n")
        .splitlines()
    )
