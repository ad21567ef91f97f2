"""Small models, runs and files for the table of hostile cases, and the ways in which a file is spoilt."""

import gzip
import json
import lzma
import os
import re
import shutil
from collections.abc import Callable
from itertools import starmap
from pathlib import Path

import torch
from forked_command import Forker
from safetensors.torch import load_file, save_file
from tiny_finetuning import (
    choices,
    questions,
    reviews,
    save_tiny,
    sentences,
    write_csv,
    write_lines,
)
from torch import Tensor

from minibert import BertForSequenceClassification, from_pretrained
from minibert.finetuning import make_task
from minibert.finetuning.model_io import save_finetuned
from minibert.tokenization import WordPieceTokenizer

# the runs `run` and `vectors`
PRETRAIN = (
    "pretrain --corpus corpus.txt --preset shape.json --vocab-size 200 --out run --steps 2 --batch-size 4 "
    "--micro-batch 4 --short-share 0 --long-share 0 --length 16 --checkpoint-every 1 --held-out none"
)
VECTORS = (
    "train-sentences --corpus corpus.txt --from model --teacher model --steps 2 --max-length 16 "
    "--no-start-from-bag --out vectors"
)
TEXT = (
    "The film was very good. Ada went to Paris. Who was in Rome? The play was bad, but not dull.\n"
)
PAGE = f"<html><head><title>A page</title></head><body><p>{TEXT}</p></body></html>\n"


def build(folder: Path, forker: Forker) -> None:
    """Write everything that the cases name."""
    save_tiny(folder / "model")
    _other_models(folder)
    corpus = "\n\n\n".join(f"{TEXT}Number {n} is another text. It ends here." for n in range(24))
    (folder / "corpus.txt").write_text(corpus)
    with gzip.open(folder / "corpus.txt.gz", "wt") as file:
        file.write(corpus)
    with lzma.open(folder / "corpus.txt.xz", "wt") as file:
        file.write(corpus)
    write_lines(folder / "corpus.jsonl", [{"text": TEXT * 3}] * 24)
    write_csv(folder / "reviews.csv", reviews())
    (folder / "reviews.tsv").write_text((folder / "reviews.csv").read_text().replace(",", "\t"))
    for opener, suffix in ((gzip.open, "gz"), (lzma.open, "xz")):
        with opener(folder / f"reviews.csv.{suffix}", "wb") as file:
            file.write((folder / "reviews.csv").read_bytes())
    write_lines(folder / "reviews.jsonl", reviews())
    write_lines(folder / "questions.jsonl", questions())
    write_lines(folder / "choices.jsonl", choices())
    words = [zip(row["tokens"], row["ner_tags"]) for row in sentences()]
    (folder / "tags.conll").write_text(
        "\n\n".join("\n".join(" ".join(pair) for pair in row) for row in words) + "\n"
    )
    (folder / "label.txt").write_text(
        "".join(f"{row['label']} {row['text']}\n" for row in reviews())
    )
    (folder / "pairs.tsv").write_text("the film\ta play\n" * 3)
    (folder / "judged.tsv").write_text("The film\tA play\t2.5\nAda\tParis\t1\nRome\tThe play\t3\n")
    (folder / "lines.txt").write_text("the film was good\na play was bad\n")
    for name, text in (
        ("page.txt", TEXT * 3),
        ("page.md", f"# Page\n\n{TEXT}"),
        ("page.html", PAGE),
    ):
        (folder / name).write_text(text)
    (folder / "notes").mkdir()
    (folder / "notes" / "page.txt").write_text(TEXT * 3)
    _write_blimp(folder / "blimp")
    _write_odd_files(folder)
    config = json.loads((folder / "model" / "config.json").read_text())
    (folder / "shape.json").write_text(json.dumps({**config, "architectures": None}))
    (folder / "huge.json").write_text(
        json.dumps({**config, "hidden_size": 10**8, "intermediate_size": 10**8})
    )
    for line in (PRETRAIN, VECTORS):
        done = forker.run(line.split(), folder, limit=120)
        assert done.status == 0, done.err
    _begun(folder / "vectors", folder / "begun")
    for path in folder.rglob("*"):  # for everybody to read
        path.chmod(0o755 if path.is_dir() else 0o644)
    (folder / "secret").mkdir(0)
    (folder / "closed").mkdir(0o555)


def _other_models(folder: Path) -> None:
    model = folder / "model"
    tokenizer = WordPieceTokenizer.from_pretrained(model)
    task = make_task("classification", ["neg", "pos"])
    tuned = from_pretrained(model, BertForSequenceClassification, id2label=task.id2label())
    save_finetuned(folder / "tuned", tuned, task, tokenizer, 20, {"text": "text", "label": "label"})
    for name in ("sharded", "one-file", "nan", "encoder"):
        shutil.copytree(model, folder / name)
    modules = [{"type": f"sentence_transformers.models.{n}"} for n in ("Transformer", "Pooling")]
    (folder / "encoder" / "modules.json").write_text(json.dumps(modules))
    (folder / "encoder" / "added_tokens.json").write_text(json.dumps({"[MASK]": 4}))
    (folder / "encoder" / "1_Pooling").mkdir()
    modes = json.dumps({"pooling_mode_mean_tokens": True})
    (folder / "encoder" / "1_Pooling" / "config.json").write_text(modes)
    (folder / "sharded" / "model.safetensors").rename(
        folder / "sharded" / "model-1-of-1.safetensors"
    )
    broken = load_file(folder / "nan" / "model.safetensors")
    broken["bert.encoder.layer.0.output.dense.weight"][0, 0] = torch.nan
    save_file(broken, folder / "nan" / "model.safetensors")
    weights = dict.fromkeys(broken, "model-1-of-1.safetensors")
    (folder / "sharded" / "model.safetensors.index.json").write_text(
        json.dumps({"weight_map": weights})
    )
    (folder / "one-file" / "vocab.txt").unlink()
    content = {
        "model": {"type": "WordPiece", "vocab": tokenizer.vocab},
        "normalizer": {"lowercase": True},
        "added_tokens": [{"id": 4, "content": "[MASK]"}],
    }
    (folder / "one-file" / "tokenizer.json").write_text(json.dumps(content))


def _begun(run: Path, folder: Path) -> None:
    """A run that was stopped after its texts and teacher's vectors, before their digests were written."""
    shutil.copytree(run, folder)
    for name in ("checkpoints", "model"):
        shutil.rmtree(folder / name)
    (folder / "log.jsonl").unlink()
    record = json.loads((folder / "run.json").read_text())
    record |= {"digests": {}, "sessions": []}
    (folder / "run.json").write_text(json.dumps(record))


def _write_odd_files(folder: Path) -> None:
    (folder / "long.txt").write_text("x" * 1_000_000 + "\n")
    (folder / "one.txt").write_text("\n".join([TEXT] * 24))  # one blank line ends no document
    rows = [{"text": f"the film was {n}", "label": 10.0**300 * (-1) ** n} for n in range(20)]
    write_csv(folder / "large.csv", rows)
    rows = [{"text1": f"film {n}", "text2": "a play", "score": 1e300} for n in range(20)]
    write_csv(folder / "large-pairs.csv", rows)


def _write_blimp(folder: Path) -> None:
    folder.mkdir()
    names = {"UID": "one", "linguistics_term": "agreement"}
    row = {"sentence_good": "the film was good", "sentence_bad": "the film good was", **names}
    write_lines(folder / "one.jsonl", [row] * 3)


def everything(folder: Path) -> set[tuple[str, int]]:
    """Every file in a folder with its size; links are not followed."""
    found = set()
    for parent, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(parent, name)
            size = path.lstat().st_size if path.is_file() and not path.is_symlink() else 0
            found.add((str(path.relative_to(folder)), size))
    return found


# -- spoiling --------------------------------------------------------------------------------------


# what is done to the name and the tensor of each tensor of a file
TENSORS: dict[str, Callable[[str, Tensor], tuple[str, Tensor]]] = {
    "other-names": lambda name, tensor: (f"x{name}", tensor),
    "other-shapes": lambda name, tensor: (name, tensor.reshape(1, -1)),
    "other-widths": lambda name, tensor: (name, torch.atleast_1d(tensor)[..., :1].contiguous()),
    "other-types": lambda name, tensor: (name, tensor.to(torch.int64)),
    "other-values": lambda name, tensor: (name, tensor + 1),
    "nan-values": lambda name, tensor: (name, tensor * torch.nan),
}


def spoil(path: Path, how: str) -> None:
    """Spoil a file, or put something else in its place."""
    data = path.read_bytes() if path.is_file() else b""
    if how == "unreadable":
        path.chmod(0)
        return
    if how in TENSORS:
        tensors = load_file(path)
        save_file(dict(starmap(TENSORS[how], tensors.items())), path)
        return
    if how == "link":  # to what lies elsewhere
        elsewhere = path.parents[1] / f"own-{path.name}"
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
        return
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    if how == "missing":
        return
    if how == "folder":
        path.mkdir()
        return
    if how == "pipe":  # to which nobody writes
        os.mkfifo(path)
        return
    path.write_bytes(
        {
            "empty": b"",
            "blank": b"\n\n  \n",
            "noise": bytes((n * n * 7 + n) % 256 for n in range(600)),
            "zero": b"the film\0 was good\n",
            "latin-1": b"the caf\xe9 was good\n" * 3,
            "utf-16": data.decode("utf-8", "replace").encode("utf-16"),
            "utf-32": data.decode("utf-8", "replace").encode("utf-32"),
            "mark": b"\xef\xbb\xbf" + data,
            "cut": data[: len(data) // 2],
            "cut-more": data[: len(data) // 50],
            "pickle": b"\x80\x04\x95" + bytes(60),
            "zip": b"PK\x03\x04" + bytes(60),
            "parquet": b"PAR1" + bytes(60),
            "pdf": b"%PDF-1.7\n" + bytes(60),
            "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
            "list": b"[1, 2, 3]",
            "number": b"7",
            "null": b"null",
            "text": b'"a text"',
            "deep": b"[" * 100_000,
            "deep-object": b'{"a":' * 100_000,
            "digits": b'{"text": "a", "label": ' + b"7" * 5_000 + b"}\n",
            "nan": b'{"vocab_size": NaN}',
            "null-seconds": re.sub(rb'("seconds": )[0-9.]+', rb"\1null", data),
            "html": b"<!doctype html><title>404</title><p>Not found</p>\n",
            "config": b'{"vocab_size": 10, "hidden_size": 8, "num_attention_heads": 2}',
            "null-values": _with_values(data, None),
            "text-values": _with_values(data, "seven"),
            "list-values": _with_values(data, [1]),
            "object-values": _with_values(data, {"a": 1}),
            "huge-values": _with_values(data, 10**200),
            "negative-values": _with_values(data, -1),
            "double": data + data,
            "tail": data + b"something else\n",
            "surrogate": data.replace(b"film", rb"\ud800film").replace(b"good", rb"\ud800"),
            "tabs": data.replace(b"\n", b"\tmore\n", 1),
            "backwards": data[::-1],
        }[how]
    )


def _with_values(data: bytes, value: object) -> bytes:
    """A JSON object with another value under each of its names, and in the objects inside."""
    try:
        return json.dumps(dict.fromkeys(json.loads(data), value)).encode()
    except (ValueError, TypeError):
        return b""
