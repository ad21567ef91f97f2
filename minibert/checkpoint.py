"""Models to disk and back: config.json, model.safetensors and vocab.txt, under the reference's own names.

`transformers` opens what is saved here, and what it saved opens here. Nothing is ever unpickled: the one program that reads a
pickle is `minibert convert-bertsum`, which runs nothing that the file names.
"""

import json
import os
import secrets
import shutil
import warnings
from pathlib import Path

import torch
from torch import Tensor

from minibert import heads, pre_norm
from minibert.config import PRE_NORM_TYPE, BertConfig
from minibert.hub import find_pretrained
from minibert.model import BertModel, BertPreTrainedModel
from minibert.sentence import BertForSentenceSimilarity
from minibert.summarization.model import BertSumExt
from minibert.weights import read_weights, write_weights

MODEL_CLASSES = {cls.__name__: cls for cls in (
    BertModel, heads.BertForPreTraining, heads.BertForMaskedLM, heads.BertForNextSentencePrediction,
    heads.BertForSequenceClassification, heads.BertForTokenClassification, heads.BertForQuestionAnswering,
    heads.BertForMultipleChoice, BertForSentenceSimilarity, BertSumExt)}

# Parts that stand on the encoder. A file without one of them leaves that part fresh, a model without one leaves it
# unread, each with a warning; half a part is an error. All other tensors must be there, and no others.
PARTS = ("bert.pooler.", "cls.predictions.", "cls.seq_relationship.", "classifier.", "qa_outputs.", "head.")

# Older files hold the tied tensors a second time.
TIED = {"cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias"}

TOKENIZER_FILES = ("vocab.txt", "tokenizer.json", "tokenizer_config.json")


class FreshWeightsWarning(UserWarning):
    """A part of the opened model was not in the file: it is random until you train it."""


def from_pretrained(folder_or_hub_id, model_class: type | None = None, **changes) -> BertPreTrainedModel:
    """Open a saved model, in evaluation mode and float32 (also where the file holds half precision).

    The class is the one that config.json's `architectures` names, BertModel where it names none, unless you give
    another: a head that the file lacks is then fresh, and a warning says so. `changes` are config fields to set,
    such as num_labels=3 for a fresh classifier. Names are looked up as `minibert.hub.find_pretrained` describes.

    Raises a ValueError that names the file, the tensor, what was found and what was wanted.
    """
    folder = find_pretrained(folder_or_hub_id)
    config, model_class = read_config(folder, model_class, **changes)
    model = model_class(config)
    tensors = canonical_names(read_weights(folder), folder)
    _fill(model, tensors, folder)
    model.source_folder = folder        # so that save_pretrained knows the vocabulary
    return model.eval()


def save_pretrained(model: BertPreTrainedModel, folder, tokenizer=None) -> None:
    """Write config.json and model.safetensors in the reference's names; vocab.txt where the tokenizer is given or known.

    Weights keep their precision. Everything is written aside first and then moved into place, so that a failure on
    the way leaves no half folder and an older save as it was. Sinusoidal positions are saved as their table, which
    `transformers` reads as learned positions with equal outputs. A pre-norm model is saved as the RobertaPreLayerNorm that
    it is there (`minibert.pre_norm`): equal outputs, but for the next-sentence head and the sentence head of a summarizer,
    which the reference leaves unread. For minibert only are a model without positions and, with norm_first, a masked-word
    head with another activation than "gelu": a warning and the config.json say so.

    Raises a ValueError when the tokenizer has more tokens than the model, or the folder cannot be written.
    """
    folder = Path(folder)
    size = len(tokenizer.vocab) if tokenizer is not None else 0
    if size > model.config.vocab_size:
        raise ValueError(f"the tokenizer has {size} tokens but the model's vocab_size is {model.config.vocab_size}")
    replaces = folder.is_dir()
    for leftover in folder.glob(".saving-*"):               # of a save that was killed
        shutil.rmtree(leftover, ignore_errors=True)
    staging = (folder if replaces else folder.parent) / f".saving-{secrets.token_hex(4)}"
    try:
        staging.mkdir(parents=True)
    except OSError as error:
        raise ValueError(f"cannot save to {folder}: {error.strerror}") from error
    try:
        values = _config_values(model)
        as_pre_norm = values["model_type"] == PRE_NORM_TYPE
        write_weights(pre_norm.to_reference(model) if as_pre_norm else model.state_dict(), staging / "model.safetensors")
        (staging / "config.json").write_text(json.dumps(values, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        _write_tokenizer(model, tokenizer, staging)
        if replaces:
            _move_into(staging, folder)
        else:
            os.rename(staging, folder)
    except OSError as error:
        raise ValueError(f"cannot save to {folder}: {error.strerror or error}") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


# -- config.json -------------------------------------------------------------------------------------------------------

def read_config(folder: Path, model_class: type | None = None, **changes) -> tuple[BertConfig, type]:
    """The config and the class of the model in a folder; `model_class` and `changes` as in `from_pretrained`."""
    path = folder / "config.json"
    config = BertConfig.from_json_file(path)            # every complaint about the file itself
    if _model_type(folder) not in ("bert", "minibert", PRE_NORM_TYPE):
        raise ValueError(f"{path}: model_type is {_model_type(folder)!r}; minibert opens 'bert' and {PRE_NORM_TYPE!r} only")
    if changes:
        fields = config.to_dict()
        if "num_labels" in changes:
            fields.pop("id2label", None)
        config = BertConfig.from_dict(fields | changes)
    return config, _choose_class(model_class, _values(folder).get("architectures") or [], path)


def _values(folder: Path) -> dict:
    return json.loads((folder / "config.json").read_bytes())


def _model_type(folder: Path) -> str:
    return _values(folder).get("model_type", "bert")


def _choose_class(model_class: type | None, architectures: list[str], path: Path) -> type:
    if model_class is not None:
        if not (isinstance(model_class, type) and issubclass(model_class, BertPreTrainedModel)):
            raise ValueError(f"model_class must be one of {', '.join(MODEL_CLASSES)} or a class made from them, "
                             f"not {model_class!r}")
        return model_class
    names = architectures or ["BertModel"]
    known = [name for name in names if name in MODEL_CLASSES] or [name.replace("RobertaPreLayerNorm", "Bert") for name in names]
    if known[0] not in MODEL_CLASSES:
        raise ValueError(f"{path}: architectures names {names[0]!r}, which minibert does not have; "
                         f"give model_class, one of {', '.join(MODEL_CLASSES)}")
    return MODEL_CLASSES[known[0]]


def _config_values(model: BertPreTrainedModel) -> dict:
    config = model.config
    values = config.to_dict() | {"architectures": [type(model).__name__], "model_type": "bert",
                                 "torch_dtype": str(next(model.parameters()).dtype).removeprefix("torch.")}
    if config.id2label is not None:
        values["label2id"] = {label: index for index, label in config.id2label.items()}
    if config.position_embedding_type == "sinusoidal":
        values["position_embedding_type"] = "absolute"          # the table is in the file, and others know no formula
        values["minibert"] = {"position_embedding_type": "sinusoidal"}
    special = "position_embedding_type='none'" if config.position_embedding_type == "none" else pre_norm.without_counterpart(model)
    if special:
        note = f"only minibert computes a model with {special}: other programs would open it and be wrong"
        warnings.warn(note, stacklevel=3)
        values |= {"model_type": "minibert", "_comment": note}
    elif config.norm_first:
        del values["norm_first"]                                # the model_type says it
        values |= pre_norm.reference_config(model)
    return values


# -- weights -----------------------------------------------------------------------------------------------------------

def canonical_names(tensors: dict[str, Tensor], folder: Path) -> dict[str, Tensor]:
    """The names of a model with a head, whatever the age or form of the file: `bert.` in front, LayerNorm.weight and .bias."""
    pre_norm_config = BertConfig.from_json_file(folder / "config.json") if _model_type(folder) == PRE_NORM_TYPE else None
    renamed = {}
    for key, tensor in tensors.items():
        name = key.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")
        if pre_norm_config is not None:
            name = pre_norm.our_name(name, pre_norm_config)
        elif name.startswith(("embeddings.", "encoder.", "pooler.")):
            name = "bert." + name
        if name == "bert.embeddings.position_ids":      # 0, 1, 2, …: older versions of the reference stored it
            continue
        if name in renamed:
            raise ValueError(f"{folder}: the tensor {name} is there twice, once as {key!r}")
        renamed[name] = tensor
    if pre_norm_config is not None and pre_norm.POSITIONS in renamed:
        renamed[pre_norm.POSITIONS] = pre_norm.our_positions(renamed[pre_norm.POSITIONS], pre_norm_config)
    return renamed


def _fill(model: BertPreTrainedModel, tensors: dict[str, Tensor], folder: Path) -> None:
    """Copy tensors into the model after every name, shape and type has been compared."""
    prefix = "bert." if isinstance(model, BertModel) else ""
    wanted = {prefix + key: tensor for key, tensor in model.state_dict().items()}
    _resolve_tied(tensors, wanted, folder)
    part_of = {key: next((part for part in PARTS if key.startswith(part)), None) for key in wanted | tensors}
    in_model, in_file = ({part_of[key] for key in keys} - {None} for keys in (wanted, tensors))
    fresh, unread = sorted(in_model - in_file), sorted(in_file - in_model)

    problems = []
    for key in sorted(part_of):
        if part_of[key] in fresh or part_of[key] in unread:
            continue
        if key not in tensors:
            problems.append(f"{key} is missing (wanted shape {list(wanted[key].shape)})")
        elif key not in wanted:
            problems.append(f"{key} of shape {list(tensors[key].shape)} has no place in the model")
        elif tensors[key].shape != wanted[key].shape:
            problems.append(f"{key} has the shape {list(tensors[key].shape)}, wanted {list(wanted[key].shape)}")
        elif tensors[key].dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
            problems.append(f"{key} holds {tensors[key].dtype}, wanted floating-point numbers")
    if problems:
        shown = "; ".join(problems[:5]) + (f"; and {len(problems) - 5} more" if len(problems) > 5 else "")
        raise ValueError(f"the weights in {folder} do not fit {type(model).__name__} as config.json describes it: {shown}")
    activation = _values(folder).get("hidden_act", "gelu")
    if _model_type(folder) == PRE_NORM_TYPE and activation != "gelu" and "cls.predictions." in in_model & in_file:
        raise ValueError(f"{folder}: hidden_act is {activation!r}, but the masked-word head of a RobertaPreLayerNorm has 'gelu' whatever that says, "
                         "and minibert has one activation for both. What to do: open the body alone, with model_class=BertModel")

    name = type(model).__name__
    if fresh:
        warnings.warn(f"{folder} has no {_listed(fresh)}: fresh random weights in this {name}, train it before use",
                      FreshWeightsWarning, stacklevel=3)
    if unread:
        warnings.warn(f"{folder} also holds {_listed(unread)}: not part of {name}, left unread", stacklevel=3)
    model.load_state_dict({key.removeprefix(prefix): tensors[key] for key in wanted if key in tensors}, strict=False)


def _resolve_tied(tensors: dict[str, Tensor], wanted: dict[str, Tensor], folder: Path) -> None:
    if "cls.predictions.bias" not in wanted:
        return
    for copy, original in TIED.items():
        if copy in tensors:
            tensor = tensors.pop(copy)
            if not torch.equal(tensors.setdefault(original, tensor), tensor):
                raise ValueError(f"{folder}: {copy} differs from {original}; minibert ties the two, as the original does")


def _listed(parts: list[str]) -> str:
    return ", ".join(part.rstrip(".") for part in parts)


# -- files -------------------------------------------------------------------------------------------------------------

def _write_tokenizer(model: BertPreTrainedModel, tokenizer, staging: Path) -> None:
    if tokenizer is not None:
        tokenizer.save(staging)
        return
    source = getattr(model, "source_folder", None)
    for name in TOKENIZER_FILES:
        if source is not None and (source / name).is_file():
            shutil.copyfile(source / name, staging / name)


def _move_into(staging: Path, folder: Path) -> None:
    """Replace file by file, the weights first (the likeliest to be in use), then drop what an older save left behind."""
    new = sorted(path.name for path in staging.iterdir())
    for name in sorted(new, key=lambda name: name != "model.safetensors"):
        os.replace(staging / name, folder / name)
    stale = [folder / "model.safetensors.index.json", *folder.glob("model-*-of-*.safetensors")]
    if "vocab.txt" in new and "tokenizer.json" not in new:
        stale.append(folder / "tokenizer.json")
    for path in stale:
        path.unlink(missing_ok=True)
