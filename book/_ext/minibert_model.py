"""The model in the page: makes the files that let a browser run the package's own small BERT, from plain scripts.

Nothing of this is committed: at the end of a build the package's weights are written beside the pages, in `_static/model/`.

- `weights-1.js`, `weights-2.js`, …: all weights as whole numbers with one scale a row, as text. Classic scripts, because a page
  that was opened from a file may fetch nothing; several, so that the page can say how far it has come.
- `recorded.js`: what the pages show before the weights are here (`minibert_through.py`).
- `engine.js`: the program that computes with them (`book/_static/model/engine/` and the tokenizer of `minibert/course/figures/static/`) as one
  text, which the page hands to a worker; with the vocabulary and a list of what stands where in the weights.

A matrix W [rows, columns] becomes W ≈ scale[row] · q, symmetric: q are whole numbers from -127 to 127, the scale of a row is its largest
magnitude / 127. A row is a word in the table of words and an output in a linear map, so no output hears another one's rounding. A few
small matrices get sixteen bits: what they get wrong, every prediction gets wrong (`FINE`). Vectors stay float32.
"""

import base64
import json
import re
from pathlib import Path

import minibert_through
import torch
from torch import Tensor

import minibert
from minibert import BertConfig, BertForPreTraining, WordPieceTokenizer, from_pretrained
from minibert.hub.find_pretrained import SMALL
from minibert.summarization.head_store import open_summarizer
from minibert.summarization.model import BertSumExt

PACKAGE = Path(minibert.__file__).parent
TOKENIZER = PACKAGE / "course" / "figures" / "static" / "wordpiece.js"
ENGINE = (
    "tensors.js",
    "bert.js",
    "sentences.js",
    "summary.js",
    "trace.js",
    "worker.js",
)  # in this order, behind the tokenizer
PARTS = 8
# Averaged over many tokens, early, or in front of every answer: with 8 bits each of these alone changes the first word of up to
# one mask in a hundred.
FINE = re.compile(
    r"cls\.predictions\.transform\.dense|token_type_embeddings|layer\.[01]\.attention\.(self\.value|output\.dense)|seq_relationship|scorer"
)


def quantise(name: str, weight: Tensor) -> tuple[Tensor, Tensor, int]:
    """A matrix [rows, columns] as scales [rows], whole numbers [rows, columns] and their bits, 8 or 16; scale · number is what the page computes with."""
    bits = 16 if FINE.search(name) else 8
    largest = 2 ** (bits - 1) - 1
    scale = weight.float().abs().amax(dim=1) / largest  # [rows]
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)  # [rows]; a row of zeros
    return scale, (weight.float() / scale[:, None]).round().clamp(-largest, largest), bits


def kept(name: str, tensor: Tensor) -> Tensor:
    """A tensor as the page computes with it."""
    if tensor.dim() < 2:
        return tensor.float()
    scale, numbers, _ = quantise(name, tensor)
    return scale[:, None] * numbers


def page_tensors(model: BertForPreTraining, summarizer: BertSumExt) -> dict[str, Tensor]:
    """All that the page computes with, by name: the model's own tensors, and the sentence head's with `head.` before them."""
    return dict(model.state_dict()) | {
        f"head.{name}": tensor for name, tensor in summarizer.head.state_dict().items()
    }


def pack(tensors: dict[str, Tensor]) -> tuple[list[dict], bytes]:
    """What stands where, and the bytes: of each tensor its scales, then its whole numbers; each begins at a multiple of four."""
    listed, stream = [], bytearray()
    for name, tensor in tensors.items():
        entry = {
            "name": name,
            "rows": tensor.size(0) if tensor.dim() == 2 else 1,
            "columns": tensor.size(-1),
            "bits": 32,
            "start": len(stream),
        }
        if tensor.dim() == 2:
            scale, numbers, entry["bits"] = quantise(name, tensor)
            stream += (
                scale.numpy().astype("<f4").tobytes()
                + numbers.numpy().astype(f"<i{entry['bits'] // 8}").tobytes()
            )
        else:
            stream += tensor.float().numpy().astype("<f4").tobytes()
        stream += bytes(-len(stream) % 4)
        listed.append(entry)
    return listed, bytes(stream)


def check(model: BertForPreTraining, summarizer: BertSumExt) -> None:
    """A ValueError for a model that the page's program would compute wrongly."""
    config, head = model.config, summarizer.config.sentence_head
    wrong = [
        f"{name} {value!r}, not {wanted!r}"
        for name, value, wanted in (
            ("hidden_act", config.hidden_act, "gelu"),
            ("position_embedding_type", config.position_embedding_type, "absolute"),
            ("norm_first", config.norm_first, True),
            ("sentence_head kind", head["kind"], "classifier"),
            ("sentence_head with an inner layer", bool(head["sizes"].get("inner_size")), True),
        )
        if value != wanted
    ]
    if wrong:
        raise ValueError(f"book/_static/model/engine cannot compute this model: {'; '.join(wrong)}")


def shape(config: BertConfig) -> dict:
    """What the page's program has to know of a config."""
    return {
        "hiddenSize": config.hidden_size,
        "numHeads": config.num_attention_heads,
        "numLayers": config.num_hidden_layers,
        "normFirst": config.norm_first,
        "layerNormEps": config.layer_norm_eps,
        "maxPositions": config.max_position_embeddings,
    }


def program(root: Path) -> str:
    """What computes in the page, as one text, without lines that are only a comment, and not indented."""
    sources = [
        TOKENIZER,
        *(root / "book" / "_static" / "model" / "engine" / name for name in ENGINE),
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    comment = r"/\*\*(?:(?!\*/)[\s\S])*\*/|//.*"
    return re.sub(rf"^[ \t]*(?:{comment})\n|^[ \t]+", "", text, flags=re.MULTILINE)


def compact(value: object) -> str:
    """As JSON, without spaces."""
    return json.dumps(value, separators=(",", ":"))


def files(root: Path) -> dict[str, str]:
    """The names and texts of the files that a build makes; `root` is the folder that holds book/."""
    model, tokenizer = from_pretrained(SMALL), WordPieceTokenizer.from_pretrained(SMALL)
    summarizer, _ = open_summarizer(SMALL)
    check(model, summarizer)
    head = summarizer.config.sentence_head
    listed, stream = pack(page_tensors(model, summarizer))
    size = -(-len(stream) // PARTS // 4) * 4
    about = {
        "name": SMALL,
        "parts": PARTS,
        "partBytes": size,
        "bytes": len(stream),
        "tensors": listed,
        "lowerCase": tokenizer.lowercase,
        "vocabulary": "\n".join(
            tokenizer.id_to_token(number) for number in range(tokenizer.vocab_size)
        ),
        **shape(model.config),
        "summarizer": {
            "layers": summarizer.config.num_hidden_layers,
            "vector": head["vector"],
            "segments": head["segments"],
        },
    }
    written = {
        "engine.js": f"minibertModel.about = {compact(about)};\nminibertModel.engine = {compact(program(root))};\n"
    }
    tensors = {name: kept(name, tensor) for name, tensor in model.state_dict().items()}
    model.load_state_dict(tensors)
    recorded = minibert_through.recorded(model.float().eval(), tokenizer)
    written["recorded.js"] = f"minibertModel.recorded = {compact(recorded)};\n"
    for number in range(PARTS):
        text = base64.b85encode(stream[number * size : (number + 1) * size]).decode(
            "ascii"
        )  # of its 85 signs none needs a backslash
        written[f"weights-{number + 1}.js"] = f'minibertModel.receive({number}, "{text}");\n'
    return written


def write_files(app, error):
    """Write what is missing or older than what it is made from."""
    if error or app.builder.name != "html":
        return
    root, target = Path(app.srcdir), Path(app.outdir) / "_static" / "model"
    made_from = [
        Path(__file__),
        Path(minibert_through.__file__),
        TOKENIZER,
        *(root / "book" / "_static" / "model" / "engine").glob("*.js"),
        *(PACKAGE / "hub" / "pretrained").rglob("*.*"),
    ]
    made = target / "engine.js"
    if made.is_file() and made.stat().st_mtime > max(path.stat().st_mtime for path in made_from):
        return
    target.mkdir(parents=True, exist_ok=True)
    for name, text in files(root).items():
        (target / name).write_text(text, encoding="utf-8")


def setup(app):
    """Sphinx calls this."""
    app.connect("build-finished", write_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
