"""`minibert info`: show a model's parameters, memory and floating-point operations."""

import argparse
import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minibert.cli.common import add_command, number, one_line, positive
from minibert.config import PRESETS, BertConfig, InputError
from minibert.hub.find_pretrained import MINILM

if TYPE_CHECKING:
    from minibert.cli.common import Commands
    from minibert.model import BertPreTrainedModel


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "info",
        run_info,
        "show what a model costs: parameters, memory, floating-point operations",
        [
            "minibert info base",
            "minibert info base --length 512 --batch 32",
            "minibert info base --train-tokens 3.3e9",
            f"minibert info {MINILM}",
            "minibert info path/to/a/saved/model --json",
        ],
    )
    parser.add_argument(
        "model",
        metavar="PRESET_OR_FOLDER",
        help=f"{', '.join(PRESETS)}, or the folder or hub name of a saved model",
    )
    parser.add_argument(
        "--length",
        type=positive,
        metavar="N",
        help="tokens in a sequence (default: 128, or as many as a smaller model takes)",
    )
    parser.add_argument(
        "--batch", type=positive, default=1, help="sequences in a batch (default: %(default)s)"
    )
    parser.add_argument(
        "--train-tokens",
        type=number,
        metavar="N",
        help="also show the GPU hours of pretraining on this many tokens, such as 3.3e9",
    )
    parser.add_argument(
        "--utilisation",
        type=number,
        default=0.2,
        metavar="SHARE",
        help="share of a GPU's peak performance that training reaches; 0.2 is usual, 0.4 is very "
        "good (default: %(default)s)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object instead of the table"
    )


def run_info(arguments: argparse.Namespace) -> None:
    """Print the cost of a preset or a saved model."""
    from minibert.inference.model_cost import gpu_hours  # imported late because torch is slow

    gpu_hours(0, 1, arguments.utilisation)  # refuses what is no share, also where it is not used
    config, model_class = _config_and_class(arguments.model)
    limited = config.position_embedding_type != "none"
    if arguments.length is None:
        arguments.length = min(128, config.max_position_embeddings) if limited else 128
    if arguments.length > config.max_position_embeddings and limited:
        raise InputError(
            f"--length {arguments.length} is more than the model's "
            f"{config.max_position_embeddings} positions"
        )
    costs = _costs(config, model_class, arguments)
    if arguments.json:
        print(json.dumps(costs, indent=2, allow_nan=False))
    else:
        _print_table(config, costs)


def _config_and_class(name: str) -> "tuple[BertConfig, type[BertPreTrainedModel]]":
    from minibert.hub.find_pretrained import find_pretrained
    from minibert.hub.pretrained_io import read_config  # imported late because torch is slow
    from minibert.model import BertModel

    if name in PRESETS:
        if Path(name).is_dir():
            warnings.warn(
                f"{name} is the preset, not the folder here: that is ./{name}", stacklevel=1
            )
        return BertConfig.preset(name), BertModel
    try:
        return read_config(find_pretrained(name))
    except InputError as error:
        raise InputError(f"{error} (or name a preset: {', '.join(PRESETS)})") from error


def _costs(
    config: BertConfig, model_class: "type[BertPreTrainedModel]", arguments: argparse.Namespace
) -> dict[str, Any]:
    """All numbers, in the form that --json prints."""
    # imported late because torch is slow
    from minibert.inference.model_cost import count_parameters, flops, memory

    parts = count_parameters(config, model_class)
    total = sum(parts.values())
    forward = sum(flops(config, arguments.batch, arguments.length).values())
    tokens = arguments.batch * arguments.length
    costs: dict[str, Any] = {
        "model": arguments.model,
        "class": model_class.__name__,
        "config": config.to_dict(),
        "parameters": parts | {"total": total},
        "memory_bytes": memory(total),
        "flops": {
            "batch": arguments.batch,
            "length": arguments.length,
            "forward": forward,
            "training_step": 3 * forward,
            "forward_per_token": forward / tokens,
            "training_step_per_token": 3 * forward / tokens,
        },
    }
    if arguments.train_tokens is not None:
        costs["training"] = _training_costs(
            config, arguments.train_tokens, arguments.length, arguments.utilisation
        )
    return costs


def _training_costs(
    config: BertConfig, tokens: float, length: int, utilisation: float
) -> dict[str, Any]:
    from minibert.inference.model_cost import GPUS, gpu_hours, training_flops

    operations = training_flops(config, tokens, length)
    return {
        "tokens": tokens,
        "operations": operations,
        "utilisation": utilisation,
        "gpu_hours": {gpu: gpu_hours(operations, peak, utilisation) for gpu, peak in GPUS.items()},
    }


def _print_table(config: BertConfig, costs: dict[str, Any]) -> None:
    from minibert.inference.model_cost import GPUS

    print(
        f"{one_line(costs['model'])}: a {costs['class']} of {config.num_hidden_layers} layers, "
        f"hidden size {config.hidden_size}, "
        f"{config.num_attention_heads} heads of {config.head_size}, "
        f"feed-forward {config.intermediate_size}, "
        f"{config.vocab_size:,} tokens in the vocabulary, "
        f"{config.max_position_embeddings} positions"
    )
    print("\nParameters")
    for part, count in costs["parameters"].items():
        print(f"  {part:<30}{count:>15,}{count / costs['parameters']['total']:>9.1%}")
    print("\nMemory (plus activations, which grow with batch and length)")
    for part, size in costs["memory_bytes"].items():
        print(f"  {part:<30}{size / 2**20:>15,.1f} MiB")
    batch, length = costs["flops"]["batch"], costs["flops"]["length"]
    print(f"\nFloating-point operations, {batch} x {length} tokens, without a head")
    for part in ("forward", "training_step"):
        count = costs["flops"][part]
        print(
            f"  {part.replace('_', ' '):<30}"
            f"{count / (batch * length) / 1e6:>15,.1f} million a token"
            f"{count / batch / 1e9:>12,.2f} billion a sequence{count / 1e9:>12,.2f} billion a batch"
        )
    if "training" not in costs:
        return
    training = costs["training"]
    print(
        f"\nPretraining on {training['tokens']:,.0f} tokens, 15% of them predicted: "
        f"{training['operations']:.2e} operations"
    )
    for gpu, hours in training["gpu_hours"].items():
        print(
            f"  {gpu:<30}{hours:>15,.2f} hours at {training['utilisation']:.0%} of "
            f"{GPUS[gpu] / 1e12:,.0f} trillion a second"
        )
