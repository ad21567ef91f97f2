"""The command `minibert`: info, similarity, fill-mask, and those in minibert.commands.

A command that did what it was asked returns the exit status 0; bad input ends with one line on stderr and status 2, Ctrl-C with 130.
"""

import argparse
import json
import os
import sys
import warnings
from itertools import combinations
from pathlib import Path

import torch

from minibert import __version__
from minibert.checkpoint import FreshWeightsWarning, from_pretrained, read_config
from minibert.commands import add_command, convert, finetune, predict, pretrain, summarize, tokenizer
from minibert.config import PRESETS, BertConfig
from minibert.filling import fill_mask
from minibert.heads import BertForMaskedLM, BertForPreTraining
from minibert.hub import MINILM, SMALL, find_pretrained
from minibert.inspection import GPUS, count_parameters, flops, gpu_hours, memory, training_flops
from minibert.model import BertModel
from minibert.sentence import embed
from minibert.tokenization import WordPieceTokenizer


def main(argv: list[str] | None = None) -> int:
    """Run one command line (`sys.argv` by default) and return its exit status."""
    try:
        arguments = _parse(argv)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)        # about parts that a command does not use
            status = arguments.run(arguments)
            sys.stdout.flush()
    except ValueError as error:
        print(f"minibert {arguments.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(file=sys.stderr)
        return 130
    except BrokenPipeError:
        # whoever read our output has gone (as `| head` does); without this Python complains once more at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status or 0


def _parse(argv: list[str] | None) -> argparse.Namespace:
    """The arguments. argparse takes texts in one place only; a command with `rest` takes them behind its options as well."""
    parser = _parser()
    arguments, rest = parser.parse_known_args(argv)
    if rest and (not hasattr(arguments, "rest") or any(word.startswith("-") for word in rest)):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest:
        getattr(arguments, arguments.rest).extend(rest)
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="minibert", description="BERT on the command line: what a model costs, what it makes of your text.",
        epilog="'minibert COMMAND --help' explains a command and shows examples.")
    parser.add_argument("--version", action="version", version=f"minibert {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    info = add_command(commands, "info", run_info, "what a model costs: parameters, memory, operations", [
        "minibert info base", "minibert info base --length 512 --batch 32", "minibert info base --train-tokens 3.3e9", f"minibert info {MINILM}",
        "minibert info path/to/a/saved/model --json"])
    info.add_argument("model", metavar="PRESET_OR_FOLDER",
                      help=f"{', '.join(PRESETS)}, or the folder or hub name of a saved model")
    info.add_argument("--length", type=int, default=128, help="tokens in a sequence (default: %(default)s)")
    info.add_argument("--batch", type=int, default=1, help="sequences in a batch (default: %(default)s)")
    info.add_argument("--train-tokens", type=float, metavar="N", help="tokens to pretrain on, such as 3.3e9: adds the hours that GPUs need for them")
    info.add_argument("--utilisation", type=float, default=0.2, metavar="SHARE",
                      help="of a GPU's peak that training uses; 0.2 is usual, 0.4 very good (default: %(default)s)")
    info.add_argument("--json", action="store_true", help="print one JSON object instead of the table")

    similarity = add_command(commands, "similarity", run_similarity, "how alike texts are in meaning: cosines from -1 to 1", [
        'minibert similarity "The cat sleeps." "A kitten is dozing."',
        'minibert similarity "first text" "second text" "third text"',
        "minibert similarity --pairs pairs.tsv        # two texts a line, a tab between them",
        "cut -f 2,3 table.tsv | minibert similarity --pairs -"])
    similarity.add_argument("texts", metavar="TEXT", nargs="*", help="two or more texts; every pair of them is compared, the closest first")
    similarity.add_argument("--pairs", metavar="FILE", help="compare the two tab-separated texts on each line of a file, in its order; '-' reads standard input")
    similarity.add_argument("--model", default=MINILM, help="folder or hub name (default: %(default)s)")

    fill = add_command(commands, "fill-mask", run_fill_mask, "the words that a model puts in the place of [MASK]", [
        'minibert fill-mask "The children went to the [MASK] in the morning."',
        'minibert fill-mask "Paris is the [MASK] of France." --model path/to/a/saved/model',
        'minibert fill-mask "The [MASK] barked at the [MASK]." --model google-bert/bert-base-uncased --top 3'])
    fill.add_argument("text", metavar="TEXT", help="a text that holds [MASK], in capitals, at least once")
    fill.add_argument("--model", default=SMALL, help="folder or hub name of a model with a masked-word head "
                      "(default: %(default)s, which is part of minibert)")
    fill.add_argument("--top", type=int, default=5, help="words for each mask (default: %(default)s)")
    pretrain.add(commands)
    finetune.add(commands)
    predict.add(commands)
    summarize.add(commands)
    tokenizer.add(commands)
    convert.add(commands)
    return parser


# -- info --------------------------------------------------------------------------------------------------------------

def run_info(arguments) -> None:
    name = arguments.model
    if name in PRESETS:
        config, model_class = BertConfig.preset(name), BertModel
    else:
        try:
            config, model_class = read_config(find_pretrained(name))
        except ValueError as error:
            raise ValueError(f"{error} (or name a preset: {', '.join(PRESETS)})") from error
    if arguments.length > config.max_position_embeddings and config.position_embedding_type != "none":
        raise ValueError(f"--length {arguments.length} is beyond the model's {config.max_position_embeddings} positions")
    with torch.device("meta"):
        parts = count_parameters(model_class(config))
    total = sum(parts.values())
    forward = sum(flops(config, arguments.batch, arguments.length).values())
    tokens = arguments.batch * arguments.length
    training = _training(config, arguments) if arguments.train_tokens is not None else {}
    if arguments.json:
        print(json.dumps({
            "model": name, "class": model_class.__name__, "config": config.to_dict(),
            "parameters": parts | {"total": total}, "memory_bytes": memory(total),
            "flops": {"batch": arguments.batch, "length": arguments.length, "forward": forward, "training_step": 3 * forward,
                      "forward_per_token": forward / tokens, "training_step_per_token": 3 * forward / tokens}}
            | ({"training": training} if training else {}), indent=2))
        return

    print(f"{name}: a {model_class.__name__} of {config.num_hidden_layers} layers, hidden size {config.hidden_size}, "
          f"{config.num_attention_heads} heads of {config.head_size}, feed-forward {config.intermediate_size}, "
          f"{config.vocab_size:,} words, {config.max_position_embeddings} positions")
    print("\nParameters")
    for part, count in (parts | {"total": total}).items():
        print(f"  {part:<30}{count:>15,}{count / total:>9.1%}")
    print("\nMemory (activations come on top, and grow with batch and length)")
    for part, size in memory(total).items():
        print(f"  {part:<30}{size / 2 ** 20:>15,.1f} MiB")
    print(f"\nFloating-point operations, {arguments.batch} x {arguments.length} tokens, without a head")
    for part, count in (("forward pass", forward), ("training step", 3 * forward)):
        print(f"  {part:<30}{count / tokens / 1e6:>15,.1f} million a token{count / arguments.batch / 1e9:>12,.2f} billion a sequence"
              f"{count / 1e9:>12,.2f} billion a batch")
    if training:
        print(f"\nPretraining on {arguments.train_tokens:,.0f} tokens, 15% of them predicted: {training['operations']:.2e} operations")
        for gpu, hours in training["gpu_hours"].items():
            print(f"  {gpu:<30}{hours:>15,.2f} hours at {arguments.utilisation:.0%} of {GPUS[gpu] / 1e12:,.0f} trillion a second")


def _training(config: BertConfig, arguments) -> dict:
    operations = training_flops(config, arguments.train_tokens, arguments.length)
    return {"tokens": arguments.train_tokens, "operations": operations, "utilisation": arguments.utilisation,
            "gpu_hours": {gpu: gpu_hours(operations, peak, arguments.utilisation) for gpu, peak in GPUS.items()}}


# -- similarity --------------------------------------------------------------------------------------------------------

def run_similarity(arguments) -> None:
    if bool(arguments.texts) == bool(arguments.pairs):
        raise ValueError("give two or more texts, or --pairs FILE (not both)")
    if len(arguments.texts) == 1:
        raise ValueError("one text has nothing to be compared with; give two or more")
    pairs = _read_pairs(arguments.pairs) if arguments.pairs else list(combinations(arguments.texts, 2))
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    vectors = embed(from_pretrained(arguments.model, BertModel), WordPieceTokenizer.from_pretrained(arguments.model), texts)
    row = {text: index for index, text in enumerate(texts)}
    cosines = [float(vectors[row[one]] @ vectors[row[other]]) for one, other in pairs]
    results = list(zip(cosines, pairs))
    if arguments.texts:
        results.sort(key=lambda result: -result[0])
    for cosine, (one, other) in results:
        print(f"{round(cosine, 3) + 0:.3f}\t{one}\t{other}")       # + 0: no "-0.000"


def _read_pairs(name: str) -> list[list[str]]:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        lines = data.decode("utf-8-sig").splitlines()
    except OSError as error:
        raise ValueError(f"cannot read --pairs {name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"--pairs {name} is not UTF-8 text: byte {error.start} is {data[error.start]:#04x}") from error
    pairs = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            pairs.append(line.split("\t"))
            if len(pairs[-1]) != 2:
                raise ValueError(f"--pairs {name}, line {number}: wanted two texts with one tab between them, found {len(pairs[-1])} "
                                 f"in {line[:60]!r}")
    if not pairs:
        raise ValueError(f"--pairs {name} has no lines")
    return pairs


# -- fill-mask ---------------------------------------------------------------------------------------------------------

def run_fill_mask(arguments) -> None:
    if arguments.top < 1:
        raise ValueError(f"--top must be at least 1, not {arguments.top}")
    if "[MASK]" not in arguments.text:
        raise ValueError(f"the text has no [MASK] (in capitals): {arguments.text!r}")
    folder = find_pretrained(arguments.model)
    _, model_class = read_config(folder)
    if model_class not in (BertForMaskedLM, BertForPreTraining):
        raise ValueError(f"{arguments.model} is a {model_class.__name__}, which has no masked-word head; "
                         "wanted is a BertForMaskedLM or BertForPreTraining")
    with warnings.catch_warnings():
        warnings.simplefilter("error", FreshWeightsWarning)
        try:
            model = from_pretrained(folder, BertForMaskedLM)
        except FreshWeightsWarning as warning:
            raise ValueError(f"{warning}") from warning
    filled = fill_mask(model, WordPieceTokenizer.from_pretrained(folder), arguments.text, arguments.top)
    for number, words in enumerate(filled, start=1):
        if len(filled) > 1:
            print(f"[MASK] {number}")
        for word, probability in words:
            print(f"{probability:.3f}\t{word}")
