"""Answers to `mend_program` on which its check is tried."""

from minibert.course.exercises.mistakes.ch13_bug_clinic.mend_program import KNOWN
from planted import Answers, patterns

NORM = "return self.gain * (x - mean) * (var + self.eps).rsqrt() + self.bias"


def mended_by_the_library(source):
    """Another right answer: PyTorch's norm, with the channels moved to the end and back."""
    return source.replace(
        NORM,
        "x = F.layer_norm(x.transpose(1, 2), x.shape[1:2], eps=self.eps)\n"
        "        return self.gain * x.transpose(1, 2) + self.bias",
    )


def mended_line_by_line(source):
    """Another right answer: axis -2 instead of 1, one line after the other."""
    lines = source.splitlines()
    return "\n".join(
        line.replace(".mean(-1,", ".mean(-2,") if "keepdim=True" in line else line for line in lines
    )


def not_there(source):
    return source.replace("x.mean(dim=-1)", "x.mean(dim=1)")


def minus_infinity(source):
    return source.replace(
        "score = score - 1e4 * pad[:, None, None].float()",
        "score = score.masked_fill(pad[:, None, None], -math.inf)",
    )


def no_text(source):
    return source.splitlines()


def broken(source):
    return source.replace(".mean(-1, keepdim=True)", ".mean(1, keepdim=True")


ANSWERS = Answers(
    right=(mended_by_the_library, mended_line_by_line),
    wrong=patterns(KNOWN)
    | {
        not_there: r"is the one that you got, all \d+ lines",
        minus_infinity: r"computes what it computed before",
        no_text: r"returns a list",
        broken: r"does not run: SyntaxError",
    },
)
