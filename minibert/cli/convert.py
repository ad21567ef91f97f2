"""`minibert convert-bertsum`: a checkpoint of the original BertSum in, a folder of safetensors
out."""

import argparse
from typing import TYPE_CHECKING

from minibert.cli.common import add_command, whole
from minibert.config import InputError
from minibert.hub.find_pretrained import expanded

if TYPE_CHECKING:
    from minibert.cli.common import Commands


def add(commands: "Commands") -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "convert-bertsum",
        run_convert,
        "turn a checkpoint of the original BertSum into a model that minibert opens",
        [
            "minibert convert-bertsum model_step_43000.pt --vocab vocab.txt --out bertsum",
            "minibert summarize article.txt --model bertsum       # use the result",
        ],
    )
    parser.description = (
        f"{parser.description}\n\n"
        "The file comes from BertSum's or PreSumm's extractive training. It is a pickle.\n"
        "minibert reads its tensors and options, and runs no code from it."
    )
    parser.add_argument("file", metavar="FILE.pt", help="the checkpoint")
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        required=True,
        help="where config.json, model.safetensors and the vocabulary go",
    )
    parser.add_argument(
        "--vocab",
        metavar="FILE",
        help="the vocab.txt that it was trained with; for the published checkpoints that of "
        "bert-base-uncased. Without it the model cannot read text",
    )
    parser.add_argument(
        "--num-heads",
        type=whole,
        metavar="A",
        help="heads of the inter-sentence transformer (default: from the options in the file, "
        "or 8)",
    )


def run_convert(arguments: argparse.Namespace) -> None:
    # imported late: torch takes seconds
    from minibert.hub.load_weights import refuse_not_finite
    from minibert.hub.new_folder import refuse_filled
    from minibert.hub.pretrained_io import save_pretrained
    from minibert.pretraining.preparation import load_vocabulary
    from minibert.summarization.convert.converter import convert_bertsum

    folder = expanded(arguments.out)
    refuse_filled(folder)
    tokenizer = load_vocabulary(arguments.vocab) if arguments.vocab else None
    model = convert_bertsum(arguments.file, arguments.num_heads)
    if tokenizer is not None and tokenizer.vocab_size != model.config.vocab_size:
        raise InputError(
            f"--vocab {arguments.vocab} has {tokenizer.vocab_size:,} tokens, but the model has "
            f"{model.config.vocab_size:,}"
        )
    kind = (model.config.sentence_head or {})["kind"]
    if arguments.num_heads is not None and kind == "classifier":
        raise InputError("--num-heads has no meaning for this checkpoint, whose head is linear")
    refuse_not_finite(model.state_dict(), arguments.file)
    save_pretrained(model, folder, tokenizer)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    print(f"{folder}: a BertSumExt with the head {kind!r}, {parameters:,} parameters")
    if tokenizer is None:
        print(
            "it has no vocabulary: put the vocab.txt that the model was trained with into the "
            "folder before you summarise with it"
        )
