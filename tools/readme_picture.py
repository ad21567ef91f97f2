"""The picture in the README: a reader's attention inside a pretrained model. `python tools/readme_picture.py` draws it anew.

Its numbers are measured: the similarities of two pairs of sentences, with the package's attention, with the solution of
chapter 4's exercise in its place, and with the same solution after one typical mistake.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, from anywhere
from minibert import BertModel, WordPieceTokenizer, from_pretrained
from minibert.course.diagrams.drawing import Drawing
from minibert.course.exercises.base import exercises
from minibert.course.exercises.swap import SENTENCES, similarities, swap_in
from minibert.hub.find_pretrained import MINILM
from tools.environment import ROOT

PICTURE = ROOT / "book" / "_static" / "swap.svg"
WIDTH, HEIGHT = 900, 232
PAIRS = ((0, 1), (2, 3))
CODE = (
    ("class SelfAttention(nn.Module):", "ink"),
    ("  def forward(self, hidden, mask):", "ink"),
    ("    q = self.split(self.query(hidden))", "ink"),
    ("    k = self.split(self.key(hidden))", "ink"),
    ("    v = self.split(self.value(hidden))", "ink"),
    ("    scores = q @ k.mT / sqrt(D) + mask", "token"),
    ("    weights = scores.softmax(-1)", "token"),
    ("    return self.merge(weights @ v)", "token"),
)


def measure() -> dict:
    """The similarities of PAIRS and the largest difference from the package's, over all pairs."""
    model, tokenizer = (
        from_pretrained(MINILM, BertModel),
        WordPieceTokenizer.from_pretrained(MINILM),
    )
    solution = exercises()["SelfAttention"].solution

    class ScaledByLength(solution):
        """Divides the scores by √S in place of √D."""

        def forward(self, hidden, mask=None, output_attentions=False):
            wrong = hidden.shape[2] / self.num_heads / hidden.shape[1]  # D / S
            with_wrong_scale = self.split(self.query(hidden)) * math.sqrt(wrong)  # [B, A, S, D]
            key, value = self.split(self.key(hidden)), self.split(self.value(hidden))
            scores = with_wrong_scale @ key.mT / math.sqrt(key.shape[-1])  # [B, A, S, S]
            scores = scores if mask is None else scores.masked_fill(~mask, -math.inf)
            return self.merge(scores.softmax(-1) @ value), None

    expected, found = similarities(model, tokenizer), {}
    for name, cls in (("yours", solution), ("with a bug", ScaledByLength)):
        with_it = swap_in(
            model,
            "encoder.layer.*.attention.self",
            lambda old, cls=cls: cls(old.query.in_features, old.num_heads),
        )
        table = similarities(with_it, tokenizer)  # [N, N]
        found[name] = [float(table[pair]) for pair in PAIRS]
        found[name].append(float((table - expected).abs().max()))
    return {"package": [float(expected[pair]) for pair in PAIRS], **found}


def draw(measured: dict) -> str:
    """The picture as SVG."""
    d = Drawing(HEIGHT, "Your attention inside a pretrained model", WIDTH)
    d.parts.append('<g class="panel-1">')  # on a phone the page puts the three below each other
    _title(d, 12, "1", "You write a part of BERT")
    d.box(12, 44, 262, 158, "panel", "line", radius=6)
    for i, (line, colour) in enumerate(CODE):
        d.text(24, 66 + 17 * i, line.replace(" ", "\u00a0"), 10.5, colour, "start", family="mono")
    d.parts.append("</g>")
    d.arrow([(278, 123), (318, 123)], "token", 2)
    d.parts.append('<g class="panel-2">')
    _title(d, 314, "2", "It goes into a trained model")
    for layer in range(6):
        y = 178 - 27 * layer
        d.box(322, y, 104, 22, "token", "token", radius=4)
        d.text(374, y + 15, "your attention", 11.5, "paper", weight=600)
        d.box(432, y, 84, 22, "paper", "edge", radius=4)
        d.text(474, y + 15, "feed-forward", 11.5, "soft")
    d.text(419, 220, "MiniLM, a published BERT of six layers", 11, "soft")
    d.parts.append("</g>")
    d.arrow([(520, 123), (560, 123)], "edge", 2)
    d.parts.append('<g class="panel-3">')
    _title(d, 572, "3", "Its answers must stay the same")
    columns = (
        ("package", "before", 744, "ink"),
        ("yours", "yours", 800, "position"),
        ("with a bug", "a bug*", 862, "segment"),
    )
    d.text(568, 58, "cosine similarity of", 11, "soft", "start")
    for _, head, x, colour in columns:
        d.text(x, 58, head, 11, colour if colour != "ink" else "soft", weight=600)
    for i, pair in enumerate(PAIRS):
        y = 80 + 58 * i
        for j, line in enumerate(line for each in pair for line in halves(SENTENCES[each])):
            d.text(568, y + 11 * j + 3 * (j // 2), line, 9.6, "ink", "start", family="serif")
        for name, _, x, colour in columns:
            d.text(x, y + 20, f"{measured[name][i]:.3f}", 14, colour, weight=700, family="mono")
    d.line([(568, 184), (890, 184)], "line", 1)
    d.text(568, 204, "largest difference", 11, "soft", "start")
    d.text(800, 204, below(measured["yours"][2]), 12, "position", weight=700, family="mono")
    d.text(862, 204, f"{measured['with a bug'][2]:.3f}", 12, "segment", weight=700, family="mono")
    d.text(568, 220, "* with the scores divided by the wrong number", 10.5, "soft", "start")
    d.parts.append("</g>")
    drawn = d.finish(
        "You write a part of BERT, here self-attention. It replaces the package's in all six layers "
        "of a pretrained model, whose answers must stay the same: the similarities of two pairs of "
        "sentences do, and differ once the code has a bug."
    ).svg
    return drawn.replace("<svg", '<svg preserveAspectRatio="xMinYMin"', 1)


def _title(d: Drawing, x: float, number: str, line: str) -> None:
    d.circle(x + 10, 20, 10, "token", "token")
    d.text(x + 10, 24.5, number, 12.5, "paper", weight=700)
    d.text(x + 27, 24.5, line, 13.2, "ink", "start", 700)


def halves(sentence: str) -> tuple[str, str]:
    """A sentence in two lines of about the same length."""
    words = sentence.split()
    middle = (len(words) + 1) // 2
    return " ".join(words[:middle]), " ".join(words[middle:])


def below(value: float) -> str:
    """The power of ten below which a difference lies: its digits vary from machine to machine."""
    return f"< 1e{math.ceil(math.log10(max(value, 2e-7)))}"


if __name__ == "__main__":
    PICTURE.write_text(draw(measure()) + "\n", encoding="utf-8")
