"""The words that a model puts in the place of [MASK]."""

import torch

from minibert.heads import BertForMaskedLM, BertForPreTraining, HeadOutputs
from minibert.tokenization import WordPieceTokenizer


@torch.no_grad()
def fill_mask(model: BertForPreTraining | BertForMaskedLM, tokenizer: WordPieceTokenizer, text: str, top: int = 5) -> list[list[tuple[str, float]]]:
    """For every [MASK] of a text, from left to right: the `top` likeliest pieces with their probabilities, best first.

    Each mask is filled on its own, as if the others stayed hidden. Errors: a ValueError for a text without [MASK] (in
    capitals), `top` below 1, or a text longer than the model's positions.
    """
    if top < 1:
        raise ValueError(f"top must be at least 1, not {top}")
    if "[MASK]" not in text:
        raise ValueError(f"the text has no [MASK] (in capitals): {text!r}")
    batch = tokenizer(text)
    was_training = model.training
    outputs = model.eval()(**batch)
    model.train(was_training)
    logits = outputs.logits if isinstance(outputs, HeadOutputs) else outputs.prediction_logits     # [1, S, V]
    filled = []
    for scores in logits[batch["input_ids"] == tokenizer.mask_id]:                          # [V], for each of the M masks
        best = scores.softmax(dim=-1).topk(min(top, tokenizer.vocab_size))                  # [top or V] each
        filled.append([(tokenizer.id_to_token(token_id), probability) for probability, token_id in zip(best.values.tolist(), best.indices.tolist())])
    return filled
