"""`minibert export`: write a saved model as an ONNX file."""

import argparse
import importlib.util
import math
from pathlib import Path
from typing import TYPE_CHECKING

from minibert.cli.common import add_command
from minibert.config import InputError
from minibert.hub.atomic_io import replacing
from minibert.hub.find_pretrained import expanded

if TYPE_CHECKING:
    from torch import Tensor

    from minibert.cli.common import Commands
    from minibert.model import BertPreTrainedModel

PACKAGES = ("onnx", "onnxscript")  # torch.onnx.export needs these
TOLERANCE = 1e-5  # largest difference from PyTorch, relative to the largest output if above 1
INPUTS = ("input_ids", "token_type_ids", "attention_mask")
# The inputs of these are not (B × S): several texts per example, or the sentences' positions.
OTHER_INPUTS = ("BertForMultipleChoice", "BertForSentenceSimilarity", "BertSumExt")


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "export",
        run_export,
        "write a model as an ONNX file, for programs without PyTorch",
        [
            "minibert export minibert-small --out model.onnx",
            "minibert export path/to/a/fine-tuned/model --out classifier.onnx",
        ],
    )
    parser.description = (
        f"{parser.description}\n\n"
        f"Its inputs are {', '.join(INPUTS[:-1])} and {INPUTS[-1]}: integers of shape\n"
        "[B, S]. Both sizes are dynamic. This needs the packages onnx and onnxscript (the extra\n"
        "'onnx'). If onnxruntime is installed as well, the outputs are compared with PyTorch's,\n"
        f"with a tolerance of {TOLERANCE:g} of the largest output."
    )
    parser.add_argument(
        "model", metavar="MODEL", help="folder or hub name of a saved model, or minibert-small"
    )
    parser.add_argument(
        "--out", metavar="FILE", required=True, help="the file to write, such as model.onnx"
    )


def run_export(arguments: argparse.Namespace) -> None:
    """Export the model, compare it with PyTorch if possible, and print what was written."""
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError(
            f"export needs the packages {' and '.join(PACKAGES)}, but {' and '.join(missing)} "
            f"cannot be found: pip install {' '.join(missing)}"
        )
    out = expanded(arguments.out)
    if out.suffix != ".onnx":
        raise InputError(f"--out must end in .onnx, but it is {arguments.out!r}")
    if not out.parent.is_dir():
        raise InputError(f"--out {out}: there is no folder {str(out.parent)!r}")

    import warnings

    from minibert.hub.pretrained_io import (  # imported late because torch is slow
        FreshWeightsWarning,
        UnreadWeightsWarning,
        from_pretrained,
    )

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreadWeightsWarning)
        warnings.simplefilter("error", FreshWeightsWarning)
        try:
            model = from_pretrained(arguments.model)
        except FreshWeightsWarning as warning:
            raise InputError(f"{warning}") from warning
    kind = type(model).__name__
    if kind in OTHER_INPUTS:
        raise InputError(
            f"{arguments.model} is a {kind}, whose inputs are not one text for each example; "
            "such a model cannot be exported"
        )
    if model.config.max_position_embeddings < 2:
        raise InputError(
            f"{arguments.model} cannot be exported: its max_position_embeddings is 1, and must be "
            "at least 2 for the number of tokens to be dynamic"
        )
    try:
        with replacing(out) as writing:
            names = export_onnx(model, writing)
            compared = importlib.util.find_spec("onnxruntime") is not None
            difference = largest_difference(model, writing) if compared else 0.0
            if not difference <= TOLERANCE:  # also for NaN
                raise InputError(
                    f"the exported model differs from PyTorch by {difference:.1e}, more than "
                    f"{TOLERANCE:g}, so it was not written to {out}: another version of torch or "
                    "onnxruntime may help"
                )
    except OSError as error:
        raise InputError(f"--out {out} cannot be written: {error.strerror or error}") from error
    print(f"{out}: {kind}, {', '.join(INPUTS)} -> {', '.join(names)}; batch and tokens are dynamic")
    if compared:
        print(f"compared with PyTorch in onnxruntime: largest difference {difference:.1e}")
    else:
        print("not compared with PyTorch: that needs the package onnxruntime")


def export_onnx(model: "BertPreTrainedModel", path: Path) -> list[str]:
    """Write a model as ONNX with dynamic batch and token axes; return the names of its outputs."""
    import logging
    import warnings

    import torch

    example = example_batch(model, 2, min(8, model.config.max_position_embeddings))
    outputs = list(output_tensors(model, example))

    class TensorsOnly(torch.nn.Module):
        """The model with positional inputs and a tuple of tensors as output."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(
            self, input_ids: "Tensor", token_type_ids: "Tensor", attention_mask: "Tensor"
        ) -> tuple["Tensor", ...]:
            batch = dict(zip(INPUTS, (input_ids, token_type_ids, attention_mask), strict=True))
            return tuple(output_tensors(self.model, batch).values())

    axes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns about its own deprecated calls
        logging.disable(logging.CRITICAL)  # its log has nothing that its exceptions do not say
        try:
            torch.onnx.export(
                TensorsOnly().eval(),
                tuple(example.values()),
                str(path),
                dynamo=True,
                dynamic_shapes=(axes, axes, axes),
                input_names=list(INPUTS),
                output_names=outputs,
                external_data=False,
                verbose=False,
            )
        finally:
            logging.disable(logging.NOTSET)
    return outputs


def output_tensors(model: "BertPreTrainedModel", batch: dict[str, "Tensor"]) -> dict[str, "Tensor"]:
    """The tensors among a model's outputs, by name."""
    import torch

    return {
        name: value
        for name, value in vars(model(**batch)).items()
        if isinstance(value, torch.Tensor)
    }


def example_batch(model: "BertPreTrainedModel", batch: int, tokens: int) -> dict[str, "Tensor"]:
    """A batch of random token ids, of shape (B × S); the last position is padding."""
    import torch

    ids = torch.randint(
        0, model.config.vocab_size, (batch, tokens), generator=torch.Generator().manual_seed(0)
    )
    mask = torch.ones_like(ids)
    mask[-1, -1] = 0
    return dict(zip(INPUTS, (ids, torch.zeros_like(ids), mask), strict=True))


def largest_difference(model: "BertPreTrainedModel", path: Path) -> float:
    """The largest difference between the ONNX file in onnxruntime and the model in PyTorch.

    It is relative to the largest absolute value of each output if that is above 1. The two batches
    that are compared have other sizes than the example for the export. Padding counts as well.
    """
    import onnxruntime
    import torch

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    worst = 0.0
    longest = model.config.max_position_embeddings
    for batch, tokens in ((1, min(5, longest)), (3, min(11, longest))):
        inputs = example_batch(model, batch, tokens)
        with torch.no_grad():
            expected = output_tensors(model, inputs)
        found = session.run(None, {name: ids.numpy() for name, ids in inputs.items()})
        for one, other in zip(found, expected.values(), strict=True):
            scale = max(1.0, float(other.abs().max()))
            difference = float((torch.from_numpy(one) - other).abs().max()) / scale
            worst = max(worst, difference if math.isfinite(difference) else math.inf)
    return worst
