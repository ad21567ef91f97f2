"""The model page: how fast it answers in a browser, what it weighs, and how near its rounded weights stay to the shipped ones.

    python benchmarks/model_page.py            # measure everything, write logs/model_page.json
    python benchmarks/model_page.py --check    # measure each once more, fail outside the bands

Agreement: one piece of each sentence is hidden, in the held-out part of the developers' corpus; counted is how often the first word is the one
that the shipped weights, in half precision, give. The control is the same with eight bits for every matrix. The rest happens in a
browser, from a file: the seconds from the first touch until the model is ready, from there to its first answer, and of later answers.
Each is the least of several, for whatever else the machine does only adds to it.
"""

import base64
import json
import lzma
import re
import sys
import tempfile
from functools import cache
from itertools import islice
from pathlib import Path

import torch

sys.path[:0] = [
    str(Path(__file__).resolve().parent.parent),
    str(Path(__file__).resolve().parent),
    str(Path(__file__).resolve().parent.parent / "book" / "_ext"),
]

import log
import minibert_model

from minibert import BertForPreTraining, WordPieceTokenizer, from_pretrained
from minibert.data.sentences import split_sentences
from minibert.hub.find_pretrained import SMALL
from minibert.summarization.head_store import open_summarizer
from minibert.summarization.model import BertSumExt
from tools.stills import browser as chromium

HELD_OUT = log.ROOT.parent / "shared" / "corpus" / "valid.jsonl.xz"
MASKS = 1200  # of the seed
LENGTHS = (8, 60)  # tokens of a sentence
BATCH = 50
SEEDS = (0, 1, 2)
ROWS = [
    (variant, seed)
    for variant in ("agreement", "agreement, eight bits everywhere")
    for seed in SEEDS
] + [("files", None), ("browser", None)]
BANDS = {
    "agreement": {"first_word": (0.98, 1)},
    "files": {"bytes": (0, 8_000_000)},
    "browser": {"first_answer_seconds": (0, 1)},
}
TOLERANCE = {"first_word": 1e-9, "bytes": 50_000}


# ---------------------------------------------------------------- the page's files, and the model in them


@cache
def page_files() -> dict[str, str]:
    return minibert_model.files(log.ROOT)


def decoded(files: dict[str, str]) -> dict[str, torch.Tensor]:
    """The tensors that the page computes with, read out of its scripts: scale times whole number, float32."""
    about = json.loads(re.match(r"minibertModel\.about = (.*);", files["engine.js"])[1])
    parts = [
        re.fullmatch(
            rf'minibertModel\.receive\({part}, "(.*)"\);\n', files[f"weights-{part + 1}.js"]
        )[1]
        for part in range(about["parts"])
    ]
    stream = b"".join(map(base64.b85decode, parts))
    tensors = {}
    for entry in about["tensors"]:
        rows, columns, start = entry["rows"], entry["columns"], entry["start"]
        if entry["bits"] == 32:
            tensors[entry["name"]] = torch.frombuffer(
                bytearray(stream[start : start + 4 * columns]), dtype=torch.float32
            )  # [columns]
        else:
            scale = torch.frombuffer(
                bytearray(stream[start : start + 4 * rows]), dtype=torch.float32
            )  # [rows]
            kind, begin = {8: torch.int8, 16: torch.int16}[entry["bits"]], start + 4 * rows
            numbers = torch.frombuffer(
                bytearray(stream[begin : begin + rows * columns * entry["bits"] // 8]), dtype=kind
            )  # [rows · columns]
            tensors[entry["name"]] = (
                scale[:, None] * numbers.view(rows, columns).float()
            )  # [rows, columns]
    return tensors


def with_tensors(tensors: dict[str, torch.Tensor]) -> tuple[BertForPreTraining, BertSumExt]:
    """The package's models with other weights in them."""
    model, (summarizer, _) = from_pretrained(SMALL).eval(), open_summarizer(SMALL)
    model.load_state_dict({name: tensors[name] for name in model.state_dict()})
    summarizer.bert.load_state_dict(
        {name: tensors[f"bert.{name}"] for name in summarizer.bert.state_dict()}
    )
    summarizer.head.load_state_dict(
        {name: tensors[f"head.{name}"] for name in summarizer.head.state_dict()}
    )
    return model, summarizer.eval()


def eight_bits(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Every matrix with eight bits: the control. A name that is on no list gets no more."""

    def rounded(tensor):
        scale, numbers, _ = minibert_model.quantise("", tensor)  # [rows], [rows, columns]
        return scale[:, None] * numbers  # [rows, columns]

    return {
        name: rounded(tensor) if tensor.dim() == 2 else tensor.float()
        for name, tensor in tensors.items()
    }


# ---------------------------------------------------------------- agreement of first words


def hidden_pieces(
    sentences: list[str], tokenizer: WordPieceTokenizer, count: int, seed: int
) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """`count` sentences with one piece hidden in each: batches of input_ids and attention_mask [B, S] and the places [B]."""
    generator = torch.Generator().manual_seed(seed)
    drawn = (
        tokenizer.encode(sentences[i])
        for i in torch.randperm(len(sentences), generator=generator).tolist()
    )
    rows = list(islice((ids for ids in drawn if LENGTHS[0] <= len(ids) <= LENGTHS[1]), count))
    batches = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        places = torch.tensor(
            [1 + int(torch.randint(len(ids) - 2, (), generator=generator)) for ids in batch]
        )  # [B]
        ids = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(ids) for ids in batch], batch_first=True, padding_value=tokenizer.pad_id
        )  # [B, S]
        mask = (
            torch.arange(ids.size(1)) < torch.tensor([len(ids) for ids in batch])[:, None]
        )  # [B, S]
        ids[torch.arange(len(batch)), places] = tokenizer.mask_id
        batches.append((ids, mask, places))
    return batches


@torch.no_grad()
def first_words(model: BertForPreTraining, batches: list) -> torch.Tensor:
    """The likeliest piece at each hidden place: [all]."""
    found = []
    for ids, mask, places in batches:
        hidden = model.bert(ids, attention_mask=mask).last_hidden_state[
            torch.arange(len(places)), places
        ]  # [B, H]
        found.append(
            model.cls.predictions(hidden, model.bert.embeddings.word_embeddings.weight).argmax(
                dim=-1
            )
        )  # [B]
    return torch.cat(found)  # [all]


@cache
def shipped_words(sentences: tuple[str, ...], count: int, seed: int) -> tuple[list, torch.Tensor]:
    """The hidden pieces of a seed, and the first words of the shipped weights there."""
    batches = hidden_pieces(list(sentences), WordPieceTokenizer.from_pretrained(SMALL), count, seed)
    return batches, first_words(from_pretrained(SMALL).eval(), batches)


def agreement(
    sentences: tuple[str, ...], tensors: dict[str, torch.Tensor], count: int, seed: int
) -> float:
    """The share of hidden pieces at which other weights have the same first word as the shipped ones."""
    batches, words = shipped_words(sentences, count, seed)
    return float((words == first_words(with_tensors(tensors)[0], batches)).float().mean())


@cache
def held_out_sentences() -> tuple[str, ...]:
    with lzma.open(HELD_OUT, "rt", encoding="utf-8") as file:
        return tuple(
            sentence
            for i, line in enumerate(file)
            if i % 8 == 0
            for sentence in split_sentences(json.loads(line)["text"])
        )


# ---------------------------------------------------------------- in a browser


def write_page(folder: Path) -> Path:
    """The tools of the page without the book around them, with everything they load, in a folder; returns the page."""
    static = folder / "_static" / "model"
    static.mkdir(parents=True)
    for path in (log.ROOT / "book" / "_static" / "model").glob("*.*"):
        (static / path.name).write_bytes(path.read_bytes())
    for name, text in page_files().items():
        (static / name).write_text(text, encoding="utf-8")
    source = (log.ROOT / "book" / "model.md").read_text(encoding="utf-8")
    raw = re.findall(r"^```\{raw\} html\n(.*?)^```", source, re.DOTALL | re.MULTILINE)
    body = "".join(
        (log.ROOT / "book" / part.split()[1]).read_text(encoding="utf-8")
        if part.startswith(":file:")
        else part
        for part in raw
    )
    page = folder / "book" / "model.html"
    page.parent.mkdir()
    page.write_text(
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>page</title><main class="bd-article">{body}</main>',
        encoding="utf-8",
    )
    return page


def in_a_browser() -> dict:
    """Seconds of the page in Chromium, from a file: the quickest of five openings; of later answers, the quickest of ten."""
    seconds = {
        "load_seconds": [],
        "first_answer_seconds": [],
        "next_answer_seconds": [],
        "row_of_510_tokens_seconds": [],
    }
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        page = write_page(Path(folder))
        for _ in range(5):
            tab = browser.new_page()
            tab.goto(page.as_uri())
            touched = tab.evaluate("minibertModel.wake() || performance.now() / 1000")
            tab.wait_for_function(
                "performance.getEntriesByName('minibert-answer').length", timeout=60_000
            )
            marks = tab.evaluate(
                "Object.fromEntries(performance.getEntriesByType('mark').map(mark => [mark.name, mark.startTime / 1000]))"
            )
            seconds["load_seconds"].append(marks["minibert-ready"] - touched)
            seconds["first_answer_seconds"].append(
                tab.evaluate("performance.getEntriesByName('minibert-answer')[0].startTime / 1000")
                - marks["minibert-ready"]
            )
            tab.wait_for_function(
                "document.querySelector('[data-tool=summary] .model-status').textContent.startsWith('It takes')",
                timeout=60_000,
            )
            if len(seconds["load_seconds"]) == 5:
                timed = "async ([task, input]) => { const start = performance.now(); await minibertModel.ask(task, input); return (performance.now() - start) / 1000; }"
                for i in range(10):
                    seconds["next_answer_seconds"].append(
                        tab.evaluate(
                            timed,
                            [
                                "fill",
                                {
                                    "text": f"The children went to the [MASK] in the morning of day {i}."
                                },
                            ],
                        )
                    )
                    long = f"{i} " + "the sea was calm and the ship lay at anchor . " * 39
                    seconds["row_of_510_tokens_seconds"].append(
                        tab.evaluate(timed, ["fill", {"text": long}])
                    )
            tab.close()
    return {name: round(min(values), 3) for name, values in seconds.items()}


# ---------------------------------------------------------------- rows


def measure(variant: str, seed: int | None) -> dict:
    if variant == "files":
        own = list((log.ROOT / "book" / "_static" / "model").glob("*.*"))
        return {
            "bytes": sum(len(text.encode()) for text in page_files().values())
            + sum(path.stat().st_size for path in own),
            "files": len(page_files()) + len(own),
        }
    if variant == "browser":
        return in_a_browser()
    tensors = decoded(page_files())
    if variant != "agreement":
        tensors = eight_bits(
            minibert_model.page_tensors(from_pretrained(SMALL), open_summarizer(SMALL)[0])
        )
    return {
        "masks": MASKS,
        "first_word": round(agreement(held_out_sentences(), tensors, MASKS, seed), 4),
    }


def main(argv: list[str] | None = None) -> int:
    torch.set_num_threads(1)
    return log.run(
        __file__,
        "The model page: agreement of its rounded weights, size, and seconds in a browser",
        measure,
        ROWS,
        BANDS,
        TOLERANCE,
        argv,
    )


if __name__ == "__main__":
    sys.exit(main())
