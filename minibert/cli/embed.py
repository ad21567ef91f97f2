"""`minibert embed`: compute sentence embeddings of texts."""

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING

from minibert.cli.common import add_command, json_line, read_lines
from minibert.config import InputError
from minibert.hub.atomic_io import replacing
from minibert.hub.find_pretrained import SENTENCES, expanded

if TYPE_CHECKING:
    from minibert.cli.common import Commands


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "embed",
        run_embed,
        "compute sentence embeddings: one vector of length 1 for each text",
        [
            'minibert embed "The cat sleeps." "A kitten is dozing." --json',
            "minibert embed --file lines.txt --out vectors.npy     # one text per line",
            "minibert embed --file - --model path/to/a/saved/model < lines.txt",
        ],
    )
    parser.set_defaults(rest="texts")
    parser.usage = "minibert embed [TEXT ...] [options]"
    parser.add_argument(
        "texts",
        metavar="TEXT",
        nargs="*",
        help="the texts; the end of one that is longer than the model takes is not read, and a "
        "note says so",
    )
    parser.add_argument(
        "--file",
        help="read the texts from a file instead, one per line; '-' means standard input",
    )
    parser.add_argument(
        "--model",
        default=SENTENCES,
        help="folder or hub name (default: %(default)s, which is part of the package)",
    )
    parser.add_argument(
        "--dtype",
        choices=("float32", "bfloat16"),
        default="float32",
        help="number format of the matrix products: bfloat16 changes a vector's numbers by less "
        "than 0.001, and is faster on processors with AMX and slower on others (default: "
        "%(default)s)",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object per line, with 'text' and 'vector' (default: one vector per "
        "line, as numbers separated by spaces)",
    )
    output.add_argument(
        "--out",
        metavar="FILE",
        help="write a NumPy file instead, such as vectors.npy: float32, shape [texts, hidden "
        "size]; a link stays, and the file that it names is replaced",
    )


def run_embed(arguments: argparse.Namespace) -> None:
    """Print the vectors, or write them to --out."""
    if bool(arguments.texts) == bool(arguments.file):
        raise InputError("give texts, or --file FILE (not both)")
    texts = read_lines("--file", arguments.file) if arguments.file else arguments.texts
    if empty := [number for number, text in enumerate(texts, start=1) if not text.strip()]:
        raise InputError(f"text {empty[0]} is empty")
    if arguments.out and expanded(arguments.out).suffix != ".npy":
        raise InputError(f"--out must end in .npy, but it is {arguments.out!r}")
    if arguments.out and arguments.file not in (None, "-"):
        source, target = expanded(arguments.file), expanded(arguments.out)
        if os.path.exists(target) and os.path.samefile(source, target):
            raise InputError(f"--out {arguments.out} is the file of --file: name another one")

    import numpy  # imported late because it is slow, like torch
    import torch

    from minibert.inference.sentence_embeddings import embed, open_encoder

    model, tokenizer = open_encoder(arguments.model)
    vectors = embed(
        model,
        tokenizer,
        texts,
        dtype=getattr(torch, arguments.dtype),
        progress=sys.stderr.isatty(),
    )
    if arguments.out:
        try:
            content = io.BytesIO()  # into a file, numpy would not notice that the disk is full
            numpy.save(content, vectors.numpy())
            with replacing(expanded(arguments.out)) as writing:
                writing.write_bytes(content.getbuffer())
        except OSError as error:
            raise InputError(
                f"--out {arguments.out} cannot be written: {error.strerror or error}"
            ) from error
        print(
            f"{arguments.out}: {len(texts):,} vector{'s' * (len(texts) > 1)} of "
            f"{vectors.size(1)} numbers"
        )
        return
    for text, vector in zip(texts, vectors.tolist(), strict=True):
        if arguments.json:
            print(json_line({"text": text, "vector": [round(value, 7) for value in vector]}))
        else:
            print(" ".join(f"{value:.7f}" for value in vector))
