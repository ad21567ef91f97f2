"""Questions whose answer is a part of a passage (Devlin et al. 2018, section 4.2, figure 4c)."""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral

import torch
import torch.nn.functional as F
from torch import Tensor

from minibert.finetuning.squad import answer_f1, exact_match
from minibert.finetuning.task import Feature, Task
from minibert.finetuning.windows import best_windows, overlapping_windows
from minibert.heads import BertForQuestionAnswering
from minibert.tokenization import WordPieceTokenizer

MAX_QUESTION = 64       # tokens; a longer question loses its end (run_squad.py, `max_query_length`)


@dataclass(frozen=True)
class QuestionExample:
    """A question and the passage that answers it.

    Several people may have marked an answer; the first of them is what the model learns, all count in scoring. Where
    `starts` is left out, an answer is meant where it first stands in the passage.
    """

    question: str
    context: str
    answers: Sequence[str] = ()         # empty where they are not known
    starts: Sequence[int] = ()          # the character of the passage at which each begins

    def __post_init__(self):
        if isinstance(self.answers, str):
            raise ValueError(f"answers must be a list of answers, not {self.answers!r}")
        for text in (self.question, self.context, *self.answers):
            if not isinstance(text, str):
                raise ValueError(f"question, context and answers must be texts, not {text!r}")
        if len(self.starts) == 0:
            object.__setattr__(self, "starts", [self.context.find(answer) for answer in self.answers])
        if len(self.starts) != len(self.answers):
            raise ValueError(f"{len(self.answers)} answers but {len(self.starts)} starts: every answer needs its place")
        for answer, start in zip(self.answers, self.starts):
            if not answer.strip():
                raise ValueError(f"the question {self.question!r} has an empty answer")
            if not isinstance(start, Integral):
                raise ValueError(f"starts must be whole numbers, not {start!r}")
            if start < 0:
                raise ValueError(f"the answer {answer!r} to {self.question!r} is not in its passage")
            if not self.context.startswith(answer, start):
                raise ValueError(f"the answer {answer!r} to {self.question!r} is not at character {start} of its passage: "
                                 f"{self.context[start:start + len(answer)]!r} is")


@dataclass(frozen=True)
class AnswerPrediction:
    text: str                           # context[start:end]
    start: int
    end: int
    probability: float                  # among all answers that could have been given


@dataclass(frozen=True)
class PassageWindow(Feature):
    """[CLS] question [SEP] a part of the passage [SEP]."""

    passage: range = range(0)           # where in the row the passage stands
    places: list[tuple[int, int]] = field(default_factory=list)     # of its tokens: first character in the passage, and the one behind the last
    begins: list[bool] = field(default_factory=list)                # of its tokens: whether this is the window in which it may begin an answer


class QuestionAnswering(Task):
    """Which part of a passage answers a question: every token is scored as its start and as its end.

    stride      tokens between the beginnings of two windows on a long passage; at most half a window, so that each answer
                of up to half a window stands whole in one
    max_answer  tokens of the longest answer that is given

    As in the original program (google-research/bert, run_squad.py): in a window that does not hold the whole answer, the
    model learns to point at [CLS] with both; an answer is worth the sum of its start's and its end's logit; it may begin
    only in the window where its first token has most tokens around it. The best over all windows is taken. Its
    probability is the softmax of that sum over all parts of the passage that may be given.
    """

    name = "questions"
    model_class = BertForQuestionAnswering
    metrics = ("f1", "exact_match")
    unlabelled = {"answers": (), "starts": ()}

    def __init__(self, stride: int = 128, max_answer: int = 30):
        for name, value in (("stride", stride), ("max_answer", max_answer)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
        self.stride, self.max_answer = stride, max_answer

    def features(self, tokenizer: WordPieceTokenizer, examples: Sequence[QuestionExample], max_length: int) -> list[PassageWindow]:
        """One row for each window on the passage. A question gets at most 64 tokens, and never more than half the row."""
        if max_length < 5:
            raise ValueError(f"max_length={max_length} leaves no room for question and passage: at least 5 are needed")
        passages: dict[str, tuple[list[int], list[tuple[int, int]]]] = {}       # many questions ask about the same
        features = []
        for number, example in enumerate(examples):
            if example.context not in passages:
                passages[example.context] = _passage(tokenizer, example.context)
            ids, places = passages[example.context]
            if not ids:
                raise ValueError(f"the passage of the question {example.question!r} has no word in it: {example.context!r}")
            question = tokenizer.encode(example.question, add_special_tokens=False)[:min(MAX_QUESTION, (max_length - 3) // 2)]
            before = [tokenizer.cls_id, *question, tokenizer.sep_id]
            room = max_length - len(before) - 1
            windows = overlapping_windows(len(ids), room, min(self.stride, max(1, room // 2)))
            best = best_windows(windows)
            answer = _tokens_of(example, places) if len(example.answers) else None
            for w, window in enumerate(windows):
                labels = {} if answer is None else _labels(answer, window, len(before))
                features.append(PassageWindow(
                    number, [*before, *ids[window.start:window.stop], tokenizer.sep_id], [0] * len(before) + [1] * (len(window) + 1), labels,
                    passage=range(len(before), len(before) + len(window)),
                    places=places[window.start:window.stop], begins=[best[token] == w for token in window]))
        return features

    def rows(self, outputs) -> list[Tensor]:
        return list(torch.stack([outputs.start_logits, outputs.end_logits], 1))                     # B times [2, S]

    def predict(self, examples: Sequence[QuestionExample], features: Sequence[PassageWindow], rows: Sequence[Tensor]) -> list[AnswerPrediction]:
        best = [(-math.inf, 0, 0)] * len(examples)          # score, first character, the one behind the last
        totals = [[] for _ in examples]
        for feature, row in zip(features, rows, strict=True):
            start, end = row[:, feature.passage.start:feature.passage.stop].double()                # [P], [P] tokens of the passage
            start = start.masked_fill(~torch.tensor(feature.begins), -math.inf)                     # [P]
            ends = F.pad(end, (0, self.max_answer - 1), value=-math.inf).unfold(0, self.max_answer, 1)      # [P, answer's length - 1]
            scores = start[:, None] + ends                                                          # [P, answer's length - 1]
            totals[feature.example].append(scores.flatten().logsumexp(0))
            first, more = divmod(int(scores.argmax()), self.max_answer)
            if scores[first, more] > best[feature.example][0]:
                best[feature.example] = (float(scores[first, more]), feature.places[first][0], feature.places[first + more][1])
        return [AnswerPrediction(example.context[start:end], start, end, math.exp(score - torch.stack(total).logsumexp(0)))
                for example, total, (score, start, end) in zip(examples, totals, best)]

    def score(self, examples: Sequence[QuestionExample], predictions: Sequence[AnswerPrediction]) -> dict[str, float]:
        pairs = [(prediction.text, example.answers) for example, prediction in zip(examples, predictions, strict=True)]
        return {name: sum(measure(*pair) for pair in pairs) / len(pairs) for name, measure in (("f1", answer_f1), ("exact_match", exact_match))}


def _passage(tokenizer: WordPieceTokenizer, context: str) -> tuple[list[int], list[tuple[int, int]]]:
    """The tokens of a passage, and the characters each stands for.

    The tokenizer drops accents that are characters of their own, and counts them to no token; an answer needs them.
    """
    encoding = tokenizer.encoding(context)
    places = encoding.offsets[1:-1]                     # without [CLS] and [SEP]
    for token, (start, end) in enumerate(places):
        limit = places[token + 1][0] if token + 1 < len(places) else len(context)
        while end < limit and unicodedata.category(context[end]) == "Mn":
            end += 1
        places[token] = (start, end)
    return encoding.ids[1:-1], places


def _tokens_of(example: QuestionExample, places: list[tuple[int, int]]) -> tuple[int, int]:
    """The first and the last token of the passage that have a part in the first answer."""
    start, end = example.starts[0], example.starts[0] + len(example.answers[0])
    inside = [token for token, (first, behind) in enumerate(places) if first < end and start < behind]
    if not inside:
        raise ValueError(f"the tokenizer leaves nothing of the answer {example.answers[0]!r} to {example.question!r}")
    return inside[0], inside[-1]


def _labels(answer: tuple[int, int], window: range, offset: int) -> dict[str, int]:
    """Where the answer begins and ends in the row; both at [CLS] where the window does not hold all of it."""
    whole = answer[0] in window and answer[1] in window
    start, end = (token - window.start + offset if whole else 0 for token in answer)
    return {"start_positions": start, "end_positions": end}
