"""Makes book/deviations.md, the register of deviations, from the marks in the tests: python tools/deviations.py"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "book" / "deviations.md"
UNIT = "tests/unit"
CHAPTERS = {  # how the paths of its tests begin
    "Text to tokens": [f"{UNIT}/test_tokenization"],
    "Embeddings and positions": [f"{UNIT}/test_positions", f"{UNIT}/test_embeddings"],
    "Attention": [f"{UNIT}/test_attention"],
    "The encoder": [f"{UNIT}/test_encoder"],
    "The model and its heads": [f"{UNIT}/test_model", f"{UNIT}/test_heads", f"{UNIT}/hub/"],
    "Pretraining data": [f"{UNIT}/data/"],
    "Pretraining": [f"{UNIT}/pretraining/", f"{UNIT}/training/"],
    "Fine-tuning": [f"{UNIT}/finetuning/"],
    "BertSum": [f"{UNIT}/summarization/"],
}
SAYS = {
    "paper": "The paper",
    "original": "The original program",
    "reference": "The reference",
    "here": "Here",
    "why": "Why",
}
HEAD = """# Where paper, programs and this course differ

BERT is a paper, a program by its authors, and `transformers`, which everybody compares with. They do not always agree, and neither
do we. This is the register of those places: who does what, what `minibert` does and why, and the test that fails when it is no
longer so. *The original program* is google-research/bert, for BertSum nlpyang/BertSum; *the reference* is `transformers`.

The page is made from the tests themselves (`tools/deviations.py`), so it says nothing that no test proves.
"""


def read_marks(path: Path) -> list[tuple[str, str, dict[str, str]]]:
    """(test, title, what is said) for every test in a file that `deviation` marks, in the file's order."""
    marks = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        for call in getattr(node, "decorator_list", []):
            if isinstance(call, ast.Call) and getattr(call.func, "id", None) == "deviation":
                says = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
                test = f"{path.relative_to(ROOT).as_posix()}::{node.name}"
                marks.append((test, ast.literal_eval(call.args[0]), says))
    return marks


def page() -> str:
    """The register as Markdown."""
    parts, found = (
        [HEAD],
        {path: read_marks(path) for path in sorted((ROOT / "tests").rglob("test_*.py"))},
    )
    for chapter, names in CHAPTERS.items():
        parts.append(f"## {chapter}\n")
        for begins in names:
            for path in [
                path for path in found if path.relative_to(ROOT).as_posix().startswith(begins)
            ]:
                parts += [_entry(*mark) for mark in found.pop(path)]
    left_over = [mark[0] for marks in found.values() for mark in marks]
    if left_over:
        raise ValueError(
            f"no chapter of the register takes {', '.join(left_over)}: name one in {Path(__file__).name}"
        )
    return "\n".join(parts)


def _entry(test: str, title: str, says: dict[str, str]) -> str:
    lines = [f"**{SAYS[key]}** · {says[key]}." for key in SAYS if says.get(key)]
    return (
        f"### {title}\n\n"
        + "\n".join(f"- {line}" for line in lines)
        + f"\n- **Checked by** · `{test}`\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}")
