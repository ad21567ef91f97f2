"""What the model page and the landing page show before the model is loaded: recorded answers, computed when the book is built.

`book/_static/model/engine/trace.js` computes the same in the page, for any sentence; this is PyTorch on the same rounded weights, so
that no number changes when the model takes over. Only what is drawn is recorded: of each vector its first `CELLS` numbers.
"""

import torch
from torch import Tensor

from minibert import BertForPreTraining, WordPieceTokenizer

SENTENCE = "The queen said that [MASK] would return."
CHANGED = "queen"  # the word that the landing page lets one change, and into what
INTO = ("queen", "king", "girl", "soldiers")
CELLS, LISTED, DIGITS = 24, 8, 4


def rounded(values: Tensor, digits: int = DIGITS) -> list:
    return [round(value, digits) for value in values.flatten().tolist()]


def likeliest(tokenizer: WordPieceTokenizer, logits: Tensor) -> list[dict]:
    """The likeliest pieces of one row of logits [V]."""
    top = logits.softmax(dim=-1).topk(LISTED)
    return [
        {"word": tokenizer.id_to_token(number), "probability": round(probability, DIGITS)}
        for number, probability in zip(top.indices.tolist(), top.values.tolist())
    ]


@torch.no_grad()
def drawn(model: BertForPreTraining, tokenizer: WordPieceTokenizer, text: str) -> dict:
    """A sentence on its way through the model, as `drawn` of trace.js gives it."""
    batch, bert = tokenizer(text), model.bert
    states = []  # of the residual stream: the model's own hidden_states end with the final norm
    for layer in bert.encoder.layer:
        layer.register_forward_pre_hook(lambda _, inputs: states.append(inputs[0]))
    watch = bert.encoder.norm.register_forward_pre_hook(lambda _, inputs: states.append(inputs[0]))
    attentions = bert(**batch, output_attentions=True).attentions
    watch.remove()
    ids = batch["input_ids"][0]  # [S]
    tables = bert.embeddings
    addends = {
        "word": tables.word_embeddings.weight[ids],  # [S, H]
        "segment": tables.token_type_embeddings.weight[batch["token_type_ids"][0]],  # [S, H]
        "position": tables.position_embeddings.weight[: len(ids)],  # [S, H]
    }
    return {
        "text": text,
        "tokens": [
            {"piece": tokenizer.id_to_token(number), "id": number} for number in ids.tolist()
        ],
        "attentions": [[rounded(head) for head in layer[0]] for layer in attentions],
        "states": [rounded(state[0, :, :CELLS], 3) for state in states],
        "addends": {kind: rounded(x[:, :CELLS], 3) for kind, x in addends.items()},
        "says": [
            [
                likeliest(tokenizer, logits)
                for logits in model.cls.predictions(
                    bert.encoder.norm(state), tables.word_embeddings.weight
                )[0]
            ]
            for state in states
        ],
    }


@torch.no_grad()
def recorded(model: BertForPreTraining, tokenizer: WordPieceTokenizer) -> dict:
    """The sentence that the model page opens with, and the landing page's answers: word -> likeliest words in the blank."""
    changed = {}
    for word in INTO:
        batch = tokenizer(SENTENCE.replace(CHANGED, word))
        blank = batch["input_ids"][0].tolist().index(tokenizer.mask_id)
        changed[word] = likeliest(tokenizer, model(**batch).prediction_logits[0, blank])
    place = SENTENCE.split().index(CHANGED)
    return {"through": drawn(model, tokenizer, SENTENCE), "landing": changed, "place": place}
