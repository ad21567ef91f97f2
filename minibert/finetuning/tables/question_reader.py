"""Read questions with the passage that answers them, in SQuAD's forms and simpler ones."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from minibert.config import InputError
from minibert.finetuning.tables.columns import USUAL, Columns
from minibert.finetuning.tables.readers import BadRow, Reader
from minibert.finetuning.tables.rows import Row
from minibert.finetuning.tables.values import text_of, value_of
from minibert.finetuning.tasks.questions import QuestionExample


class QuestionReader(Reader):
    """Questions with the passage that answers them."""

    def find(self, columns: Columns, labelled: bool) -> None:
        """Find question, passage, answer and, where there is one, the answer's position."""
        columns.find("question", USUAL["question"])
        columns.find("context", USUAL["context"])
        if labelled:
            columns.find("answer", USUAL["answer"])
            columns.find("answer_start", USUAL["answer_start"], needed=False)

    def example(
        self, row: Row, columns: Mapping[str, Any], labelled: bool, notes: Counter[str]
    ) -> QuestionExample | None:
        """The question of a row; None where it has no answer."""
        question = text_of(row, columns["question"])
        text_of(row, columns["context"])  # must be a text
        context = value_of(row, columns["context"])  # unstripped: answers have positions in it
        if not labelled:
            return QuestionExample(question, context)
        answers = _answers(row, columns)
        if not answers:
            notes["questions have no answer, left out"] += 1
            return None
        starts = [_start(context, answer, start, notes) for answer, start in answers]
        return QuestionExample(question, context, [answer for answer, _ in answers], starts)


def _answers(row: Row, columns: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Each answer with its position, or with None where the row has no positions.

    The value is a text, a list of texts, or one of SQuAD's two forms:
    {"text": [...], "answer_start": [...]} and [{"text": ..., "answer_start": ...}, ...].
    """
    column = columns["answer"]
    value = value_of(row, column)
    starts = row.values.get(columns["answer_start"]) if "answer_start" in columns else None
    if isinstance(value, dict):
        starts = value.get("answer_start")
        value = value.get("text")
    elif isinstance(value, list) and all(isinstance(answer, dict) for answer in value):
        starts = [answer.get("answer_start") for answer in value]
        value = [answer.get("text") for answer in value]
    if value is None or value == "":
        return []
    answers = [value] if isinstance(value, str) else value
    if isinstance(answers, list) and all(
        isinstance(answer, str) and answer.strip() for answer in answers
    ):
        if starts in (None, ""):
            starts = [None] * len(answers)
        starts = starts if isinstance(starts, list) else [starts]
        if len(starts) == len(answers):
            return list(zip(answers, starts, strict=True))
    raise InputError(
        f"{column!r} must be an answer, or a list of answers with a position for each, "
        f"not {row.values[column]!r:.80}"
    )


def _start(context: str, answer: str, start: Any, notes: Counter[str]) -> int:
    """The position of an answer in its passage.

    A wrong one is corrected where the answer occurs once; otherwise it raises a BadRow.
    """
    count, first = context.count(answer), context.find(answer)
    if start in (None, ""):
        if not count:
            raise BadRow(f"the answer {answer!r:.60} is not in its passage")
        if count > 1:
            notes[
                "answers without answer_start occur in their passage more than once: "
                "the first occurrence is taken"
            ] += 1
        return first
    try:
        position = int(start)
        if (
            isinstance(start, bool)
            or "_" in str(start)
            or (isinstance(start, float) and position != start)
        ):
            raise ValueError
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            "the position of an answer must be a whole number, of the character at which it "
            f"begins, not {start!r:.60}"
        ) from error
    if position >= 0 and context.startswith(answer, position):
        return position
    if count == 1:
        notes[
            "answers were not at the given position, but in their passage once: "
            "the position is corrected"
        ] += 1
        return first
    if not count:
        raise BadRow(f"the answer {answer!r:.60} is not in its passage")
    raise BadRow(
        f"the answer {answer!r:.60} is not at character {position} of its passage, "
        f"and {count} times elsewhere in it"
    )


QUESTIONS = QuestionReader()
