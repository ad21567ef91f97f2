"""Sentence embeddings by mean pooling, and the model that trains an encoder to produce them."""

import json
import warnings
from collections.abc import Iterable
from pathlib import Path
from reprlib import repr as shown  # a value in a message, shortened
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.config import BertConfig, InputError, read_json_file
from minibert.embeddings import check_device
from minibert.heads.base import HeadOutputs, check_label_shape, rows
from minibert.hub.find_pretrained import find_pretrained
from minibert.hub.pretrained_io import (
    FreshWeightsWarning,
    UnreadWeightsWarning,
    from_pretrained,
)
from minibert.hub.tokenizer_files import listed
from minibert.inference.checks import UnknownWordsWarning, check_finite, check_tokenizer
from minibert.inference.unpadded import UnpaddedBert, batches_by_tokens, is_plain, token_budget
from minibert.model import BertModel, BertPreTrainedModel, evaluating
from minibert.tokenization import Batch, WordPieceTokenizer

TOKENIZED = 4096  # texts that are tokenized at once
# Steps of a model of sentence-transformers that are those of `embed`.
KNOWN_STEPS = ("Transformer", "Pooling", "Normalize", "pooling_mode_mean_tokens", "mean")


def mean_pool(last_hidden_state: Tensor, attention_mask: Tensor) -> Tensor:
    """Mean over the real tokens (Reimers & Gurevych 2019, section 3, "MEAN-strategy").

    last_hidden_state [B, S, H], attention_mask [B, S] with 1 = a real token -> [B, H]. Padding
    counts neither in the sum nor in the number of tokens that divides it. Raises an InputError for
    other shapes.
    """
    if last_hidden_state.dim() != 3 or last_hidden_state.shape[:2] != attention_mask.shape:
        raise InputError(
            "last_hidden_state must be [batch, tokens, hidden] and attention_mask [batch, tokens], "
            f"not {list(last_hidden_state.shape)} and {list(attention_mask.shape)}"
        )
    check_device(last_hidden_state.device, attention_mask=attention_mask)
    real = attention_mask.unsqueeze(-1).to(last_hidden_state.dtype)  # [B, S, 1]
    return (last_hidden_state * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)  # [B, H]


def open_encoder(name_or_folder: str | Path) -> tuple[BertModel, WordPieceTokenizer]:
    """Open a saved model and its tokenizer for `embed`, which needs neither a head nor a pooler.

    Warns of a model of sentence-transformers that makes its vectors in another way. Raises an
    InputError as `from_pretrained` does.
    """
    folder = find_pretrained(name_or_folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreadWeightsWarning)
        warnings.simplefilter("ignore", FreshWeightsWarning)
        model = from_pretrained(folder, BertModel)
    if others := _other_steps(folder):
        warnings.warn(
            f"{name_or_folder} was trained for vectors that are made with {', '.join(others)}; "
            "these are the means of its token vectors instead",
            stacklevel=2,
        )
    return model, WordPieceTokenizer.from_pretrained(folder)


def _other_steps(folder: Path) -> list[str]:
    """What a model of sentence-transformers does for its vectors that `embed` does not."""
    path, pooling = folder / "modules.json", folder / "1_Pooling" / "config.json"
    if not path.is_file():
        return []
    try:
        modules = json.loads(path.read_text(encoding="utf-8-sig"))
        names = [module["type"].rpartition(".")[2] for module in modules]
    except (OSError, ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path} is not a list of modules with their 'type'") from error
    modes = read_json_file(pooling, "pooling") if pooling.is_file() else {}
    used = [key for key, value in modes.items() if key.startswith("pooling_mode_") and value]
    used += [modes["pooling_mode"]] if "pooling_mode" in modes else []
    return [str(name) for name in (*names, *used) if name not in KNOWN_STEPS]


@torch.no_grad()
def embed(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    texts: Iterable[str],
    batch_size: int | None = None,
    *,
    dtype: torch.dtype = torch.float32,
    progress: bool = False,
) -> Tensor:
    """Sentence embeddings of length 1 for texts, in their order: [N, H].

    The dot product of two embeddings is their cosine similarity. The model is a BertModel, or a
    model that has one as `.bert`. Texts are truncated to its max_position_embeddings, and a warning
    says how many. An UnknownWordsWarning tells of texts that have no word of the vocabulary.

    batch_size  how many texts may go through the model at once; by default as many as have about
                1,000 tokens together. Texts of similar length share a batch, and on a CPU padding
                is left out, so the embedding of a text depends on the others by rounding only
                (below 1e-6).
    dtype       torch.bfloat16 computes matrix products in that format. It changes the numbers of
                an embedding by less than 1e-3. It is faster on a GPU and on processors with AMX,
                and slower on other processors.
    progress    show a progress bar on stderr

    Raises an InputError if `texts` is not a list of strings, if one is empty or has no tokens, if
    batch_size is not a whole number of at least 1, for another dtype, if the tokenizer has more
    tokens than the model, or if a result is NaN or infinite.
    """
    texts = listed("texts", texts)
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(
                f"texts[{index}] must be a str, not {type(text).__name__}: {shown(text)}"
            )
        if not text.strip():
            raise InputError(f"texts[{index}] is empty; every text needs at least one word")
    if batch_size is not None and (type(batch_size) is not int or batch_size < 1):
        raise InputError(
            f"batch_size must be a whole number of at least 1, not {shown(batch_size)}"
        )
    if not isinstance(dtype, torch.dtype) or dtype not in (torch.float32, torch.bfloat16):
        raise InputError(f"dtype must be torch.float32 or torch.bfloat16, not {shown(dtype)}")
    if not isinstance(model, nn.Module):
        raise InputError(f"model must be a BertModel, not a {type(model).__name__}")
    bert: Any = getattr(model, "bert", model)  # it may also be a reader's own model
    check_tokenizer(tokenizer, bert)
    weight, longest = next(bert.parameters()), bert.config.max_position_embeddings
    if dtype == torch.bfloat16 and weight.dtype == torch.float16:
        raise InputError("dtype torch.bfloat16 needs a model in another format than torch.float16")
    vectors = weight.new_empty(len(texts), bert.config.hidden_size)  # [N, H]
    run = UnpaddedBert(bert) if is_plain(bert) else bert
    budget, truncated, unknown = token_budget(weight.device), 0, list[int]()
    from tqdm.auto import tqdm  # deferred: importing minibert needs few packages

    bar = tqdm(total=len(texts), desc="Embedding", unit=" texts", leave=False, disable=not progress)
    with evaluating(bert), bar, torch.autocast(weight.device.type, dtype, dtype != torch.float32):
        run.training = False
        for start in range(0, len(texts), TOKENIZED):
            tokens = tokenizer(texts[start : start + TOKENIZED], max_length=longest)
            ends = _ends(tokens["attention_mask"])  # [C], the texts of this chunk
            if (ends <= 2).any():  # [CLS] and [SEP]
                index = start + int(ends.argmin())
                raise InputError(f"texts[{index}] has no tokens: {shown(texts[index])}")
            unknown += [start + row for row in _unknown_only(tokens, tokenizer)]
            for row in (ends == longest).nonzero().flatten().tolist():
                whole = tokenizer([texts[start + row]], max_length=longest + 1)
                truncated += whole["input_ids"].size(1) > longest
            for rows_of_batch in batches_by_tokens(ends.tolist(), batch_size, budget):
                width = int(ends[rows_of_batch].max())
                cut = {name: tensor[rows_of_batch, :width] for name, tensor in tokens.items()}
                batch = Batch(cut).to(weight.device)
                hidden = run(**batch).last_hidden_state  # [B, S, H]
                hidden = hidden if dtype == torch.float32 else hidden.float()  # [B, S, H]
                pooled = mean_pool(hidden, batch["attention_mask"])  # [B, H]
                check_finite(pooled, bert)
                places = torch.tensor(rows_of_batch, device=weight.device) + start  # [B]
                vectors[places] = F.normalize(pooled, dim=-1).to(weight.dtype)  # [B, H]
                bar.update(len(rows_of_batch))
    if truncated:
        warnings.warn(
            f"only the first {longest} tokens of {truncated:,} of {len(texts):,} texts were read: "
            "the model takes no more",
            stacklevel=3,
        )
    if unknown:
        warnings.warn(
            f"{len(unknown):,} of {len(texts):,} texts consist of unknown words only, such as "
            f"{shown(texts[unknown[0]])}: the vocabulary has no word of them, so their vectors "
            "tell nothing about their meaning",
            UnknownWordsWarning,
            stacklevel=3,
        )
    return vectors


def _unknown_only(tokens: Any, tokenizer: Any) -> list[int]:
    """The rows that hold [UNK] and no other token than [CLS], [SEP] and padding."""
    unk = getattr(tokenizer, "unk_id", None)  # a reader's own tokenizer may have another name
    if unk is None:
        return []
    ids = tokens["input_ids"]
    around = ids.new_tensor([tokenizer.cls_id, tokenizer.sep_id])  # [2]
    other = tokens["attention_mask"].bool() & (ids != unk) & ~torch.isin(ids, around)  # [N, S]
    found: list[int] = (~other.any(dim=1)).nonzero().flatten().tolist()
    return found


def _ends(attention_mask: Tensor) -> Tensor:
    """How many columns each row needs, at least 1, wherever its padding is: [N, S] -> [N]."""
    columns = torch.arange(1, attention_mask.size(1) + 1, device=attention_mask.device)  # [S]
    return (attention_mask * columns).amax(dim=1).clamp(min=1)  # [N]


class BertForSentenceSimilarity(BertPreTrainedModel):
    """Predicts how similar two texts are: the cosine of their mean-pooled vectors.

    Reimers & Gurevych 2019, section 3. Each text goes through the same encoder separately, so a
    million texts need to be encoded only once, and comparing two of them costs one dot product.
    There is no head: training changes the encoder, whose sentence embeddings `embed` computes.
    """

    def __init__(self, config: BertConfig):
        super().__init__(config)
        self.bert = BertModel(config, add_pooling_layer=False)

    def forward(
        self,
        input_ids: Tensor | None = None,
        *,
        token_type_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        labels: Tensor | None = None,
    ) -> HeadOutputs:
        """As in BertModel, but for the two texts of each pair.

        Ids and attention_mask are (B × 2 × S), inputs_embeds (B × 2 × S × H). `labels` (B) are the
        expected cosines. Returns the predicted cosines as logits (B); the loss is their mean
        squared error (the paper's "regression objective function").
        """
        given = input_ids if input_ids is not None else inputs_embeds
        if isinstance(given, Tensor) and (given.dim() < 3 or given.size(1) != 2):
            raise InputError(
                f"input_ids must have the shape [batch, 2, tokens], not {list(given.shape)}"
            )
        hidden = self.bert(
            rows(input_ids, given),
            token_type_ids=rows(token_type_ids, given),
            attention_mask=rows(attention_mask, given),
            position_ids=rows(position_ids, given),
            inputs_embeds=rows(inputs_embeds, given),
        ).last_hidden_state  # [2 · B, S, H]
        mask = rows(attention_mask, given)  # [2 · B, S]
        if mask is None:
            mask = torch.ones_like(hidden[..., 0])  # [2 · B, S]
        pooled = mean_pool(hidden, mask)  # [2 · B, H]
        pooled = pooled.to(self.dtype)  # [2 · B, H], also under autocast
        cosines = F.cosine_similarity(pooled[::2], pooled[1::2])  # [B]
        if labels is not None:
            check_label_shape("labels", labels, cosines.shape)
            check_device(cosines.device, labels=labels)
        loss = F.mse_loss(cosines, labels.to(cosines.dtype)) if labels is not None else None
        return HeadOutputs(loss, cosines)
