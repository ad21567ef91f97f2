"""What a model predicts for each [MASK] of a text."""

import warnings
from pathlib import Path
from reprlib import repr as shown  # a value in a message, shortened

import torch

from minibert.config import InputError, check_size
from minibert.heads import BertForMaskedLM, BertForPreTraining, HeadOutputs
from minibert.hub.pretrained_io import (
    FreshWeightsWarning,
    ModelFolder,
    UnreadWeightsWarning,
    from_pretrained,
)
from minibert.inference.checks import check_finite, check_tokenizer
from minibert.model import BertPreTrainedModel, evaluating
from minibert.tokenization import WordPieceTokenizer


@torch.no_grad()
def fill_mask(
    model: BertPreTrainedModel, tokenizer: WordPieceTokenizer, text: str, top: int = 5
) -> list[list[tuple[str, float]]]:
    """Return the `top` most probable tokens, with their probabilities, for every [MASK] of a text.

    The masks are in order from left to right, and the tokens from most to least probable. The model
    is a BertForMaskedLM or a BertForPreTraining. It predicts each mask independently: all the other
    masks stay masked. Raises an InputError for any other model, a text without [MASK] (in
    capitals), `top` below 1, a text longer than the model's positions, a tokenizer with more tokens
    than the model, or a result that is NaN or infinite.
    """
    check_size("top", top)
    if not isinstance(text, str):
        raise InputError(f"the text must be a str, not {text!r:.60}")
    if "[MASK]" not in text:
        raise InputError(f"the text has no [MASK] (in capitals): {shown(text)}")
    check_masked_lm(model)
    check_tokenizer(tokenizer, model)
    batch = tokenizer(text).to(model.device)
    with evaluating(model):
        outputs = model(**batch)
    has_one_head = isinstance(outputs, HeadOutputs)
    logits = outputs.logits if has_one_head else outputs.prediction_logits  # [1, S, V]
    filled = []
    for scores in logits[batch["input_ids"] == tokenizer.mask_id]:  # [V], for each of the M masks
        probabilities = scores.softmax(dim=-1)  # [V]
        words = probabilities[: tokenizer.vocab_size]  # a model may have more rows than tokens
        best = words.topk(min(top, len(words)))
        check_finite(best.values, model)
        tokens = map(tokenizer.id_to_token, best.indices.tolist())
        filled.append(list(zip(tokens, best.values.tolist(), strict=True)))
    return filled


def check_masked_lm(model: BertPreTrainedModel) -> BertForMaskedLM | BertForPreTraining:
    """Return the model. Raises an InputError if it has no masked-language-model head."""
    if not isinstance(model, (BertForMaskedLM, BertForPreTraining)):
        raise InputError(_no_head(type(model).__name__))
    return model


def open_masked_lm(name_or_folder: str | Path) -> tuple[BertForMaskedLM, WordPieceTokenizer]:
    """Open a saved model that has a masked-language-model head, and its tokenizer.

    Raises an InputError if the model was saved without that head, because the head would be random.
    """
    folder = ModelFolder.find(name_or_folder)
    saved = folder.model_class()
    if not issubclass(saved, (BertForMaskedLM, BertForPreTraining)):
        raise InputError(f"{name_or_folder}: {_no_head(saved.__name__)}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreadWeightsWarning)  # about the next-sentence head
        warnings.simplefilter("error", FreshWeightsWarning)
        try:
            model = from_pretrained(folder, BertForMaskedLM)
        except FreshWeightsWarning as warning:
            raise InputError(f"{warning}") from warning
    return model, WordPieceTokenizer.from_pretrained(folder.path)


def _no_head(kind: str) -> str:
    return (
        f"a {kind} has no masked-language-model head; "
        "expected a BertForMaskedLM or BertForPreTraining"
    )
