"""Convert a checkpoint of the original BertSum or PreSumm (a .pt file) to a BertSumExt.

The checkpoint is a pickle, and unpickling can run arbitrary code. `restricted_pickle` reads it
without importing or calling anything that the file names.
"""

import re
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from minibert.config import BertConfig, InputError
from minibert.hub.find_pretrained import expanded
from minibert.model import BertModel
from minibert.summarization.convert.original import (
    build_from_original,
    count_layers,
    load_bertsum_head,
    replacing,
)
from minibert.summarization.convert.restricted_pickle import read_original
from minibert.summarization.heads import SentenceClassifier, SentenceHead, SentenceRNN
from minibert.summarization.model import BertSumExt

BERT, HEAD = (
    "bert.model.",
    ("encoder.", "ext_layer."),
)  # how names begin; the head's in BertSum and in PreSumm
PUBLISHED_HEADS = 8  # of the inter-sentence transformer
HEAD_SIZE = 64  # the size of an attention head in every published BERT
RNN_NAMES = (
    ("directions.0.", "rnn.hidden0.0."),
    ("directions.1.", "rnn.hidden1.0."),
    ("input_map.weight", "weight_ih"),
    ("input_map.bias", "bias_ih"),
    ("hidden_map.weight", "weight_hh"),
    ("hidden_map.bias", "bias_hh"),
    ("input_norm", "ln_ih"),
    ("hidden_norm", "ln_hh"),
    ("cell_norm", "ln_ho"),
    ("scorer", "wo"),
)


def convert_bertsum(path: str | Path, num_heads: int | None = None) -> BertSumExt:
    """Convert a checkpoint of BertSum or (extractive) PreSumm to a model in eval mode.

    The head may be any of the three; a recurrent head gets `reference_quirks` so that its output
    equals the original's. `num_heads` of the inter-sentence transformer defaults to the value in
    the file's options, or 8 if they have none. The model's `unused_keys` names the tensors that
    were left out: a pooler, and the norm that the original never uses.

    Raises a ValueError that says what is wrong with the file, or names the tensors that do not fit.
    """
    tensors, options = read_original(expanded(path))
    tensors = {
        re.sub(
            r"LayerNorm\.gamma$",
            "LayerNorm.weight",
            re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", name),
        ): tensor
        for name, tensor in tensors.items()
    }
    encoder = {name: tensor for name, tensor in tensors.items() if name.startswith(BERT)}
    prefix = next(
        (prefix for prefix in HEAD if any(name.startswith(prefix) for name in tensors)), "encoder."
    )
    head = {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
    if others := sorted(name for name in tensors if not name.startswith((BERT, prefix))):
        raise InputError(
            f"{path} is no extractive BertSum: tensors such as {others[0]} ({len(others)} in all) "
            f"are part of neither {BERT}* nor {prefix}*"
        )
    try:
        unused = [
            name
            for name in encoder
            if name.startswith(f"{BERT}pooler.") or name == f"{BERT}embeddings.position_ids"
        ]
        bert = _encoder(
            {name: tensor for name, tensor in encoder.items() if name not in unused}, options
        )
        if num_heads is None:
            num_heads = _number(options, "ext_heads", "heads") or PUBLISHED_HEADS
        model = BertSumExt(
            bert, _head(head, num_heads), segments=options.get("use_interval", True) is not False
        )
    except ValueError as error:
        raise InputError(f"{path}: {error}") from error
    model.unused_keys = unused + [prefix + name for name in getattr(model.head, "unused_keys", [])]
    return model.eval()


def _encoder(tensors: dict[str, Tensor], options: dict[str, Any]) -> BertModel:
    words, positions, types, wide = (
        tensors.get(f"{BERT}{name}.weight", torch.empty(0))
        for name in (
            "embeddings.word_embeddings",
            "embeddings.position_embeddings",
            "embeddings.token_type_embeddings",
            "encoder.layer.0.intermediate.dense",
        )
    )
    if not all(tensor.dim() == 2 for tensor in (words, positions, types, wide)):
        raise InputError(
            f"the file holds no BERT under {BERT}*: a table of words, positions or segments or "
            "the first layer is missing"
        )
    layers = count_layers(tensors, rf"{BERT}encoder\.layer\.")
    # 'baseline' is a transformer without pretraining, which has its own number of heads
    heads = (
        _number(options, "ext_heads") or PUBLISHED_HEADS
        if options.get("encoder") == "baseline"
        else max(words.size(1) // HEAD_SIZE, 1)
    )
    config = BertConfig(
        vocab_size=words.size(0),
        hidden_size=words.size(1),
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=wide.size(0),
        max_position_embeddings=positions.size(0),
        type_vocab_size=types.size(0),
    )
    return build_from_original(
        lambda: BertModel(config, add_pooling_layer=False), tensors, lambda name: BERT + name
    )


def _head(tensors: dict[str, Tensor], num_heads: int) -> SentenceHead:
    scorer = tensors.get("wo.weight", tensors.get("linear1.weight", torch.empty(0)))
    if scorer.dim() != 2:
        raise InputError(f"the file holds no head of BertSum, but {sorted(tensors)[:3]}")
    size = scorer.size(1)
    if "linear1.weight" in tensors:
        return build_from_original(
            lambda: SentenceClassifier(size),
            tensors,
            lambda name: name.replace("scorer", "linear1"),
        )
    if any(name.startswith("rnn.") for name in tensors):
        return build_from_original(
            lambda: SentenceRNN(size, reference_quirks=True), tensors, replacing(RNN_NAMES)
        )
    return load_bertsum_head(tensors, num_heads)


def _number(options: dict[str, Any], *names: str) -> int | None:
    return next((options[name] for name in names if type(options.get(name)) is int), None)
