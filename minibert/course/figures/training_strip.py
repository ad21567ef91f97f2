"""A training example as a strip: what the model sees, segments, labels, the label of the pair."""

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import wrap

from torch import Tensor

from minibert.config import IGNORE

BOX = (
    "display:inline-block;vertical-align:top;margin:0 3px 8px 0;padding:1px 5px 0;"
    "text-align:center;font-family:monospace;font-size:13px;line-height:1.45;border-radius:3px;"
)
SEGMENT = ("border-bottom:4px solid rgba(93,113,131,0.45)", "border-bottom:4px solid #c44e00")
PLAIN, CHOSEN = "background:rgba(93,113,131,0.12);", "background:rgba(255,176,0,0.40);"
KINDS = ("B follows A", "B is random")
TEXT_WIDTH = 72


class Strip:
    """Strips as a notebook shows them, and as text where no HTML is shown."""

    def __init__(self, html: str, text: str):
        self.html, self.text = html, text

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": self.html, "text/plain": self.text}


def training_strip(
    batch: Mapping[str, Tensor],
    names: Sequence[str],
    rows: Sequence[int] = (0,),
    covered: bool = False,
):
    """Shows rows of a batch of pretraining as strips, without padding.

    batch   input_ids, token_type_ids, attention_mask, labels and next_sentence_label
    names   the token of every id
    covered whether each label, and that of the pair, is covered until the reader opens it

    Each token has its segment as a line under it: grey for segment 0, orange for segment 1. A
    chosen token has a coloured ground, and under it its label. Every row also says the label of the
    pair. Returns an object that a notebook displays. As text, chosen tokens are in braces, and
    covered labels are left out.
    """
    strips, texts = [], []
    for row in rows:
        label = int(batch["next_sentence_label"][row])
        boxes = [
            _box(names, *position, covered)
            for *position, real in zip(
                *(batch[name][row].tolist() for name in ("input_ids", "token_type_ids", "labels")),
                batch["attention_mask"][row].tolist(),
            )
            if real
        ]
        kind = f"<b>{label}</b>, {KINDS[label]}"
        pair = f'<p style="margin:0 0 4px">next_sentence_label = {kind}</p>'
        if covered:
            summary = f"<summary>next_sentence_label</summary>{kind}"
            pair = f'<details style="margin:0 0 4px">{summary}</details>'
        strips.append(f'<div style="margin:0 0 10px">{pair}{" ".join(boxes)}</div>')
        texts.append(_text(batch, names, row, covered))
    return Strip("".join(strips), "\n\n".join(texts))


def _text(batch: Mapping[str, Tensor], names: Sequence[str], row: int, covered: bool) -> str:
    """A row without HTML: its tokens, chosen ones in braces, with their labels unless covered."""
    words = []
    for seen, label, real in zip(
        *(batch[name][row].tolist() for name in ("input_ids", "labels", "attention_mask"))
    ):
        if not real:
            continue
        if label == IGNORE:
            words.append(names[seen])
        else:
            words.append(f"{{{names[seen]}}}" if covered else f"{{{names[seen]} ← {names[label]}}}")
    label = int(batch["next_sentence_label"][row])
    pair = [] if covered else [f"next_sentence_label = {label}, {KINDS[label]}"]
    return "\n".join([*pair, *wrap(" ".join(words), TEXT_WIDTH)])


def _box(names: Sequence[str], seen: int, segment: int, label: int, covered: bool) -> str:
    chosen = label != IGNORE
    under = "<br>&nbsp;"
    if chosen:
        word = f"<b>{escape(names[label])}</b>"
        under = f"<details><summary>label</summary>{word}</details>" if covered else f"<br>{word}"
    return (
        f'<span style="{BOX}{CHOSEN if chosen else PLAIN}{SEGMENT[segment]}">'
        f"{escape(names[seen])}{under}</span>"
    )
