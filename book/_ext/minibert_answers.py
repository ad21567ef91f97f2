"""What the model answers on `book/model.md` and `book/intro.md`, in the page itself.

Marks such as `<!-- still: pair -->` become the answer to what stands in the fields there: for readers without scripts, e-books and
paper, and for everybody until the model in the page runs. The scripts draw their answers with the same classes.
"""

import re
from html import escape, unescape
from pathlib import Path

import minibert_through
import torch

from minibert import WordPieceTokenizer, from_pretrained
from minibert.data.sentences import split_sentences
from minibert.hub.find_pretrained import SMALL
from minibert.inference.fill_mask import fill_mask
from minibert.summarization.head_store import open_summarizer
from minibert.summarization.scoring import summarize

PAGES = ("book/model", "book/intro")
TIME = re.compile(r"\*\*Time\*\* · reading (\d+) min · exercises (\d+) min")
STILL = re.compile(r"<!-- still: (\w+) -->")
FIELD = re.compile(r'<textarea id="([\w-]+)"[^>]*>(.*?)</textarea>', re.DOTALL)
EXAMPLE = re.compile(r'data-part="(\w+)" data-example="([^"]*)"')
SENTENCES = (
    "She opened the [MASK] and walked into the room.",
    "He was born [MASK] 1902 in Chicago.",
)


def filled(sentences: tuple[str, ...]) -> str:
    """A table of sentences, and what the model puts into their blanks."""
    model, tokenizer = from_pretrained(SMALL).eval(), WordPieceTokenizer.from_pretrained(SMALL)
    rows = [
        f"| {sentence} | "
        + ", ".join(
            f"*{escape(word)}* {probability:.0%}"
            for word, probability in fill_mask(model, tokenizer, sentence, top=5)[0]
        )
        + " |"
        for sentence in sentences
    ]
    return "\n".join(["| sentence | the first five words |", "|---|---|", *rows])


def paired(fields: dict[str, str]) -> str:
    """Both orders of the two texts of the page, and the first with the text about something else."""
    model, tokenizer = from_pretrained(SMALL).eval(), WordPieceTokenizer.from_pretrained(SMALL)
    first, second = fields["model-first"], fields["model-second"]
    pairs = ((first, second), (second, first), (first, fields["other"]))
    with torch.no_grad():
        shares = [
            float(model(**tokenizer(*pair)).seq_relationship_logits.softmax(dim=-1)[0, 0])
            for pair in pairs
        ]
    rows = "".join(
        f'<tr><th scope="row">{order}</th><td class="pair-texts"><span>{escape(one)}</span>'
        f"<span>→ {escape(next_)}</span></td>"
        f'<td class="model-guess" style="--share: {share:.3f}">{share:.0%}</td></tr>'
        for order, (one, next_), share in zip(("as typed", "swapped", "triangles"), pairs, shares)
    )
    follows, swapped, unrelated = shares
    said = (
        "It says yes in both orders, {:.0%} and {:.0%}, and no to a text about triangles, {:.0%}."
        if min(follows, swapped) >= 0.5 > unrelated
        else "The second one gets {:.0%}, in the other order it is {:.0%}, and a text about triangles gets {:.0%}."
    )
    return raw(
        f'<p class="model-finding">The next text? {said.format(*shares)}</p>\n'
        '<table class="pair-answers"><thead><tr><th scope="col">order</th><th scope="col">two texts</th>'
        f'<th scope="col">comes next</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def summarized(fields: dict[str, str]) -> str:
    """What the summarizer chooses from the text of the page."""
    tokenizer, (summarizer, _) = WordPieceTokenizer.from_pretrained(SMALL), open_summarizer(SMALL)
    paragraphs = [split_sentences(part) for part in fields["model-document"].split("\n\n")]
    sentences = [sentence for part in paragraphs for sentence in part]
    chosen = summarize(summarizer, tokenizer, sentences).chosen
    best = {sentences[n] for n in chosen}
    shown = "".join(
        "<p>{}</p>".format(
            " ".join(f"<mark>{escape(one)}</mark>" if one in best else escape(one) for one in part)
        )
        for part in paragraphs
    )
    return raw(
        f'<p class="model-finding">It takes {len(chosen)} of {len(sentences)} sentences as the summary: '
        f"{', '.join(str(n + 1) for n in chosen)}.</p>\n"
        f'<div class="model-document">{shown}</div>'
    )


def raw(text: str) -> str:
    """HTML as a block of a MyST page."""
    return f"```{{raw}} html\n{text}\n```"


def hours(root: Path) -> str:
    """The times of all chapters together, as they state them themselves, in whole hours."""
    minutes = [
        TIME.search(path.read_text(encoding="utf-8")).groups()
        for path in sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    ]
    reading, exercises = (round(sum(map(int, column)) / 60) for column in zip(*minutes))
    return f"{reading} hours of reading and {exercises} of exercises"


def fill_page(app, docname, source):
    if docname not in PAGES:
        return
    root = Path(app.srcdir)
    fields = {
        name: unescape(text)
        for path in sorted((root / "book" / "model").glob("*.html"))
        for found in (FIELD, EXAMPLE)
        for name, text in found.findall(path.read_text(encoding="utf-8"))
    }
    changed = (
        minibert_through.SENTENCE.replace(minibert_through.CHANGED, word)
        for word in minibert_through.INTO
    )
    made = {
        "through": lambda: filled((minibert_through.SENTENCE, *SENTENCES)),
        "landing": lambda: filled(tuple(changed)),
        "pair": lambda: paired(fields),
        "summary": lambda: summarized(fields),
        "hours": lambda: hours(root),
    }
    source[0] = STILL.sub(lambda match: made[match[1]](), source[0])


def setup(app):
    """Sphinx calls this."""
    app.connect("source-read", fill_page)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
