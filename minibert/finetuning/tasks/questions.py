"""Questions whose answer is a span of a passage (Devlin et al. 2018, section 4.2, figure 4c)."""

import math
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.config import InputError
from minibert.finetuning.squad import answer_f1, exact_match
from minibert.finetuning.tasks.base import Baseline, Feature, Task
from minibert.finetuning.tasks.windows import best_windows, overlapping_windows
from minibert.heads import BertForQuestionAnswering
from minibert.tokenization import WordPieceTokenizer

MAX_QUESTION = 64  # tokens; a longer question loses its end (run_squad.py, `max_query_length`)


@dataclass(frozen=True)
class QuestionExample:
    """A question and the passage that answers it.

    Several annotators may have marked an answer: the model learns the first, and scoring counts
    them all. Where `starts` is left out, each answer is taken at its first occurrence.
    """

    question: str
    context: str
    answers: Sequence[str] = ()  # empty where they are not known
    starts: Sequence[int] = ()  # the character of the passage at which each begins

    def __post_init__(self) -> None:
        if isinstance(self.answers, str) or not isinstance(self.answers, Collection):
            raise InputError(f"answers must be a list of answers, not {self.answers!r}")
        if not isinstance(self.starts, Collection):
            raise InputError(f"starts must be a list of positions, not {self.starts!r}")
        for text in (self.question, self.context, *self.answers):
            if not isinstance(text, str):
                raise InputError(f"question, context and answers must be texts, not {text!r}")
        if len(self.starts) == 0:
            object.__setattr__(
                self, "starts", [self.context.find(answer) for answer in self.answers]
            )
        if len(self.starts) != len(self.answers):
            raise InputError(
                f"{len(self.answers)} answers but {len(self.starts)} starts: "
                "every answer needs its position"
            )
        for answer, start in zip(self.answers, self.starts, strict=True):
            if not answer.strip():
                raise InputError(f"the question {self.question!r} has an empty answer")
            if not _is_whole(start):
                raise InputError(f"starts must be whole numbers, not {start!r}")
            if start < 0:
                raise InputError(
                    f"the answer {answer!r} to {self.question!r} is not in its passage"
                )
            if not self.context.startswith(answer, start):
                raise InputError(
                    f"the answer {answer!r} to {self.question!r} is not at character {start} of "
                    f"its passage: {self.context[start : start + len(answer)]!r} is"
                )


@dataclass(frozen=True)
class AnswerPrediction:
    """A span of the passage."""

    text: str  # context[start:end]
    start: int
    end: int
    probability: float  # among all answers that could have been given


@dataclass(frozen=True)
class PassageWindow(Feature):
    """[CLS] question [SEP] a part of the passage [SEP]."""

    passage: range = range(0)  # the positions of the passage's tokens in the sequence
    # Of each token of the passage: its first character, and the one after its last.
    places: list[tuple[int, int]] = field(default_factory=list)
    # Of each token of the passage: whether an answer may begin there in this window.
    begins: list[bool] = field(default_factory=list)


class QuestionAnswering(Task):
    """Which span of a passage answers a question: each token is scored as its start and its end.

    stride      tokens from the beginning of a window on a long passage to that of the next; at most
                half a window, so that one window holds all of an answer of up to half a window
    max_answer  tokens of the longest answer that is predicted

    As in the original program (google-research/bert, run_squad.py): in a window that does not hold
    the whole answer, the model learns to point at [CLS] with both start and end; a span's score is
    the sum of its start logit and its end logit; it may begin only in the window where its first
    token has the most context. The best span over all windows is predicted. Its probability is the
    softmax of that sum over all spans that may be predicted.
    """

    name = "questions"
    model_class = BertForQuestionAnswering
    example_class = QuestionExample
    metrics = ("f1", "exact_match")
    settings: ClassVar[tuple[str, ...]] = ("stride", "max_answer")
    unlabelled: ClassVar[dict[str, Any]] = {"answers": (), "starts": ()}

    def __init__(self, stride: int = 128, max_answer: int = 30):
        for name, value in (("stride", stride), ("max_answer", max_answer)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InputError(f"{name} must be a whole number of at least 1, not {value!r}")
        self.stride, self.max_answer = stride, max_answer

    def features(
        self, tokenizer: WordPieceTokenizer, examples: Sequence[QuestionExample], max_length: int
    ) -> list[PassageWindow]:
        """One sequence for each window on the passage.

        A question gets at most 64 tokens, and never more than half the sequence.
        """
        if max_length < 5:
            raise InputError(
                f"max_length={max_length} leaves no room for question and passage: "
                "it must be at least 5"
            )
        # Many questions share a passage: each is tokenized once.
        passages: dict[str, tuple[list[int], list[tuple[int, int]]]] = {}
        features = []
        for number, example in enumerate(examples):
            if example.context not in passages:
                passages[example.context] = _passage(tokenizer, example.context)
            ids, places = passages[example.context]
            if not ids:
                raise InputError(
                    f"the passage of the question {example.question!r} has no word in it: "
                    f"{example.context!r}"
                )
            question = tokenizer.encode(example.question, add_special_tokens=False)
            longest = _longest_question(max_length)
            before = [tokenizer.cls_id, *question[:longest], tokenizer.sep_id]
            room = max_length - len(before) - 1
            windows = overlapping_windows(len(ids), room, min(self.stride, max(1, room // 2)))
            best = best_windows(windows)
            answer = _tokens_of(example, places) if len(example.answers) else None
            for w, window in enumerate(windows):
                labels = {} if answer is None else _labels(answer, window, len(before))
                features.append(
                    PassageWindow(
                        number,
                        [*before, *ids[window.start : window.stop], tokenizer.sep_id],
                        [0] * len(before) + [1] * (len(window) + 1),
                        labels,
                        cut=len(question) > longest,
                        passage=range(len(before), len(before) + len(window)),
                        places=places[window.start : window.stop],
                        begins=[best[token] == w for token in window],
                    )
                )
        return features

    def limit(self, max_length: int) -> str:
        """The tokens of a question; passages are read to their end."""
        return f"{_longest_question(max_length)} tokens in a question"

    def rows(self, outputs: Any) -> list[Tensor]:
        """The start and the end logits of each sequence."""
        return list(torch.stack([outputs.start_logits, outputs.end_logits], 1))  # B times [2, S]

    def predict(
        self,
        examples: Sequence[QuestionExample],
        features: Sequence[PassageWindow],
        rows: Sequence[Tensor],
    ) -> list[AnswerPrediction]:
        """The best span of each passage."""
        best = [(-math.inf, 0, 0)] * len(examples)  # score, first character, the one after the last
        totals: list[list[Tensor]] = [[] for _ in examples]
        for feature, row in zip(features, rows, strict=True):
            passage = row[:, feature.passage.start : feature.passage.stop].double()
            start, end = passage  # [P], [P] tokens of the passage
            start = start.masked_fill(~torch.tensor(feature.begins), -math.inf)  # [P]
            longest = min(self.max_answer, len(end))  # no answer is longer than its window
            padded = F.pad(end, (0, longest - 1), value=-math.inf)
            ends = padded.unfold(0, longest, 1)  # [P, answer's length - 1]
            scores = start[:, None] + ends  # [P, answer's length - 1]
            totals[feature.example].append(scores.flatten().logsumexp(0))
            first, more = divmod(int(scores.argmax()), longest)
            if scores[first, more] > best[feature.example][0]:
                best[feature.example] = (
                    float(scores[first, more]),
                    feature.places[first][0],
                    feature.places[first + more][1],
                )
        return [
            AnswerPrediction(
                example.context[start:end],
                start,
                end,
                math.exp(score - torch.stack(total).logsumexp(0)),
            )
            for example, total, (score, start, end) in zip(examples, totals, best, strict=True)
        ]

    def score(
        self, examples: Sequence[QuestionExample], predictions: Sequence[AnswerPrediction]
    ) -> dict[str, float]:
        """F1 of words and exact match, as SQuAD's program computes them."""
        pairs = [
            (prediction.text, example.answers)
            for example, prediction in zip(examples, predictions, strict=True)
        ]
        return {
            name: sum(measure(*pair) for pair in pairs) / len(pairs)
            for name, measure in (("f1", answer_f1), ("exact_match", exact_match))
        }

    def baseline(self, training: Sequence[QuestionExample]) -> Baseline:
        """The whole passage."""

        def predict(example: QuestionExample) -> AnswerPrediction:
            return AnswerPrediction(example.context, 0, len(example.context), 1.0)

        return "the whole passage", predict

    def prediction_lines(
        self, example: QuestionExample, prediction: AnswerPrediction
    ) -> Iterable[Sequence[str]]:
        """The answer, its probability, its characters in the passage, the question."""
        span = f"{prediction.start}-{prediction.end}"
        yield prediction.text, f"{prediction.probability:.3f}", span, example.question

    def prediction_json(self, prediction: AnswerPrediction) -> dict[str, Any]:
        """The answer, its characters in the passage, and its probability."""
        return {
            "answer": prediction.text,
            "start": prediction.start,
            "end": prediction.end,
            "probability": prediction.probability,
        }


def _longest_question(max_length: int) -> int:
    """How many tokens of a question are read."""
    return min(MAX_QUESTION, (max_length - 3) // 2)


def _is_whole(number: object) -> bool:
    return isinstance(number, Integral)  # NumPy's whole numbers as well


def _passage(
    tokenizer: WordPieceTokenizer, context: str
) -> tuple[list[int], list[tuple[int, int]]]:
    """The tokens of a passage, and the characters that each covers.

    The tokenizer drops combining accents and assigns them to no token; an answer needs them.
    """
    encoding = tokenizer.encoding(context)
    places = encoding.offsets[1:-1]  # without [CLS] and [SEP]
    for token, (start, end) in enumerate(places):
        limit = places[token + 1][0] if token + 1 < len(places) else len(context)
        while end < limit and unicodedata.category(context[end]) == "Mn":
            end += 1
        places[token] = (start, end)
    return encoding.ids[1:-1], places


def _tokens_of(example: QuestionExample, places: list[tuple[int, int]]) -> tuple[int, int]:
    """The first and the last token of the passage that overlap the first answer."""
    start, end = example.starts[0], example.starts[0] + len(example.answers[0])
    inside = [
        token for token, (first, behind) in enumerate(places) if first < end and start < behind
    ]
    if not inside:
        raise InputError(
            f"the tokenizer leaves nothing of the answer {example.answers[0]!r} to "
            f"{example.question!r}"
        )
    return inside[0], inside[-1]


def _labels(answer: tuple[int, int], window: range, offset: int) -> dict[str, int]:
    """Start and end of the answer in the sequence; [CLS] where the window lacks part of it."""
    whole = answer[0] in window and answer[1] in window
    start, end = (token - window.start + offset if whole else 0 for token in answer)
    return {"start_positions": start, "end_positions": end}
