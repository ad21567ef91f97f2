"""A look inside a trained BERT: what its layers hold, where its heads look, what is lost without one, what a probe can read.

None of this changes a model, and all of it works on an untrained one: show what you find beside that control.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from minibert.model import BertModel, BertPreTrainedModel
from minibert.sentence import mean_pool
from minibert.tokenization import WordPieceTokenizer

BATCH = 32          # texts that go through the model at once
MOST_STEPS = 200    # of the search for a probe's weights


# -- hidden states and attention ---------------------------------------------------------------------------------------

@dataclass
class Capture:
    """What a model held while it read B texts, on the CPU; S is the longest of them, padding stands on the right."""

    tokens: list[list[str]]         # B lists, [CLS] and [SEP] among them, without padding
    hidden_states: Tensor           # [L + 1, B, S, H]: the embeddings, then every layer's output
    attentions: Tensor | None       # [L, B, A, S, S]: how much a token (row) takes from each (column); None where not asked for
    attention_mask: Tensor          # [B, S], 1 = a token, 0 = padding


@torch.no_grad()
def capture(model: BertPreTrainedModel, tokenizer: WordPieceTokenizer, texts: Sequence[str], pairs: Sequence[str] | None = None,
            attentions: bool = True) -> Capture:
    """Read texts, or pairs of them, with a BertModel or any model that has one as `.bert`, and keep what it held.

    Longer texts are cut at the model's max_position_embeddings. The model is put into eval mode and back. Attentions take
    4·L·B·A·S² bytes: leave them out for many texts.

    Errors: a ValueError for a text that is not in a list, an empty list, or another number of pairs.
    """
    if isinstance(texts, str):
        raise ValueError(f"texts must be a list of texts, not {texts!r}")
    bert = _encoder(model)
    batch = tokenizer(texts, pairs, max_length=bert.config.max_position_embeddings)
    device, was_training = next(bert.parameters()).device, model.training
    model.eval()
    states, weights = [], []
    for start in range(0, len(batch["input_ids"]), BATCH):
        part = {name: tensor[start:start + BATCH].to(device) for name, tensor in batch.items()}
        out = bert(**part, output_attentions=attentions, output_hidden_states=True)
        states.append(torch.stack(out.hidden_states).cpu())                                     # [L + 1, BATCH, S, H]
        if attentions:
            weights.append(torch.stack(out.attentions).cpu())                                   # [L, BATCH, A, S, S]
    model.train(was_training)
    tokens = [[tokenizer.id_to_token(i) for i in ids[mask.bool()].tolist()] for ids, mask in zip(batch["input_ids"], batch["attention_mask"])]
    return Capture(tokens, torch.cat(states, dim=1), torch.cat(weights, dim=1) if attentions else None, batch["attention_mask"])


def rollout(attentions: Tensor | Sequence[Tensor], attention_mask: Tensor | None = None, residual: float = 0.5) -> Tensor:
    """How much of every input token has flowed into each position by each layer, if attention were all that mixes them.

    Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", section 3 and equation 1, heads averaged:

        A_l = 0.5·W_l + 0.5·I        R_1 = A_1        R_l = A_l R_(l-1)

    The identity stands for the residual connection; `residual` is its share, 0.5 as published. It is a model of the
    model: values, norms and the feed-forward are left out.

    attentions [L, B, A, S, S] or L times [B, A, S, S]; attention_mask [B, S] with 1 = a token -> [L, B, S, S], the last
    of them is the whole encoder's. Rows of tokens sum to 1; rows and columns of padding are 0.

    Errors: a ValueError for other shapes, or a residual that is no share.
    """
    attentions = torch.stack(list(attentions)) if not isinstance(attentions, Tensor) else attentions
    if attentions.dim() != 5 or attentions.size(-1) != attentions.size(-2):
        raise ValueError(f"attentions must have the shape [layers, batch, heads, tokens, tokens], not {list(attentions.shape)}")
    if not 0 <= residual <= 1:
        raise ValueError(f"residual is the share of the residual connection: it must lie between 0 and 1, not {residual!r}")
    shape = [attentions.size(1), attentions.size(-1)]
    real = torch.ones(shape, dtype=torch.bool) if attention_mask is None else attention_mask.bool()         # [B, S]
    if list(real.shape) != shape:
        raise ValueError(f"attention_mask must have the shape {shape}, not {list(real.shape)}")
    both = (real[:, :, None] & real[:, None, :]).to(attentions)                                 # [B, S, S]
    mixed = (1 - residual) * attentions.mean(dim=2) + residual * torch.eye(shape[1]).to(attentions)         # [L, B, S, S]
    mixed = F.normalize(mixed * both, p=1, dim=-1)                                              # [L, B, S, S], rows sum to 1, or are 0
    rolled = [mixed[0]]
    for layer in mixed[1:]:
        rolled.append(layer @ rolled[-1])                                                       # [B, S, S]
    return torch.stack(rolled)                                                                  # [L, B, S, S]


# -- heads -------------------------------------------------------------------------------------------------------------

@contextmanager
def ablate_heads(model: BertPreTrainedModel, heads: Mapping[int, Sequence[int]], instead: Tensor | None = None):
    """Within it, what these heads found never reaches the rest of the model: `with ablate_heads(model, {0: [1, 2]}): …`

    A head's output, before the map that mixes the heads, is zero (Michel et al. 2019, "Are Sixteen Heads Really
    Better than One?": their mask ξ_h = 0), or its row of `instead` [L, A, D], such as `head_means` gives. Weights
    are not touched; after it, also after an exception, the model is what it was. May be nested.

    heads   numbers of heads for the number of their layer, both counted from 0
    Errors: a ValueError for a layer or head that is not there, or means of another shape.
    """
    bert = _encoder(model)
    layers, count, size = bert.config.num_hidden_layers, bert.config.num_attention_heads, bert.config.head_size
    for layer, chosen in heads.items():
        if layer not in range(layers):
            raise ValueError(f"there is no layer {layer!r}: the model's layers are 0 to {layers - 1}")
        if isinstance(chosen, int):
            raise ValueError(f"heads of layer {layer} must be a list of numbers, not {chosen!r}")
        if wrong := [head for head in chosen if head not in range(count)]:
            raise ValueError(f"there is no head {wrong[0]!r} in layer {layer}: its heads are 0 to {count - 1}")
    instead = torch.zeros(layers, count, size) if instead is None else instead                  # [L, A, D]
    if list(instead.shape) != [layers, count, size]:
        raise ValueError(f"instead must have the shape {[layers, count, size]}, not {list(instead.shape)}")
    with ExitStack() as stack:
        for layer, chosen in heads.items():
            gone = torch.zeros(count, 1, dtype=torch.bool)                                      # [A, 1]
            gone[list(chosen)] = True

            def replace(module: nn.Module, inputs: tuple[Tensor], gone: Tensor = gone, other: Tensor = instead[layer]) -> Tensor:
                mixed = inputs[0].unflatten(-1, (count, size))                                  # [B, S, A, D]
                return torch.where(gone.to(mixed.device), other.to(mixed), mixed).flatten(-2)   # [B, S, H]

            handle = bert.encoder.layer[layer].attention.output.dense.register_forward_pre_hook(replace)
            stack.callback(handle.remove)
        yield model


def head_means(model: BertPreTrainedModel, tokenizer: WordPieceTokenizer, texts: Sequence[str]) -> Tensor:
    """The mean output of every head over all tokens of some texts: [L, A, D], for `ablate_heads`.

    A zero may be an output that the next layer has never seen; the mean says nothing about the text, and is one that it has.
    """
    bert = _encoder(model)
    outputs = [[] for _ in bert.encoder.layer]
    with ExitStack() as stack:
        for found, layer in zip(outputs, bert.encoder.layer):
            handle = layer.attention.output.dense.register_forward_pre_hook(lambda module, inputs, found=found: found.append(inputs[0].cpu()))
            stack.callback(handle.remove)
        mask = capture(model, tokenizer, texts, attentions=False).attention_mask                # [B, S]
    mixed = torch.stack([torch.cat(found) for found in outputs])                                # [L, B, S, H]
    means = mean_pool(mixed.flatten(1, 2), mask.flatten().expand(len(mixed), -1))               # [L, H]
    return means.unflatten(-1, (bert.config.num_attention_heads, -1))                           # [L, A, D]


# -- probes ------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Probe:
    """A linear classifier on vectors: softmax((x - mean) / deviation · W + b)."""

    labels: list                    # the C classes, in order
    weight: Tensor                  # [H, C]
    bias: Tensor                    # [C]
    mean: Tensor                    # [H], of the training vectors
    deviation: Tensor               # [H], of the training vectors

    def predict(self, vectors: Tensor) -> list:
        """The likeliest label of each of the vectors [N, H]."""
        scores = _scaled(vectors, self.mean, self.deviation) @ self.weight + self.bias          # [N, C]
        return [self.labels[i] for i in scores.argmax(-1).tolist()]

    def accuracy(self, vectors: Tensor, labels: Sequence) -> float:
        """The share of vectors [N, H] whose label is found."""
        _check_labels(vectors, labels)
        return sum(found == wanted for found, wanted in zip(self.predict(vectors), labels)) / len(labels)


def train_probe(vectors: Tensor, labels: Sequence, penalty: float = 1.0) -> Probe:
    """Multinomial logistic regression on vectors [N, H] that stay as they are: what can be read off them by a linear map?

        min over W, b   - Σ_n log softmax(x_n W + b)_(y_n)  +  penalty / 2 · |W|²

    (Alain & Bengio 2016, "Understanding intermediate layers using linear classifier probes"). The problem is convex and
    L-BFGS goes to its one solution in float64: no seed, no learning rate. A regression on one-hot targets would need no
    search, but it hides classes that lie between others, such as the middle one of three positions in a row (Hastie et
    al. 2009, section 4.2). Every number of a vector is brought to mean 0 and deviation 1 first.

    Errors: a ValueError for other shapes, fewer than two classes, or a penalty that is not above 0.
    """
    _check_labels(vectors, labels)
    if not penalty > 0:
        raise ValueError(f"penalty must be above 0, not {penalty!r}")
    classes = sorted(set(labels))
    if len(classes) < 2:
        raise ValueError(f"a probe needs at least two different labels, not only {classes[0]!r}")
    mean, deviation = vectors.double().mean(0), vectors.double().std(0, correction=0)           # [H], [H]
    deviation = torch.where(deviation > 0, deviation, 1.0)                                      # [H]
    x, y = _scaled(vectors, mean, deviation), torch.tensor([classes.index(label) for label in labels])      # [N, H], [N]
    weight = torch.zeros(x.size(1), len(classes), dtype=x.dtype, requires_grad=True)            # [H, C]
    bias = torch.zeros(len(classes), dtype=x.dtype, requires_grad=True)                         # [C]
    search = torch.optim.LBFGS([weight, bias], max_iter=MOST_STEPS, tolerance_grad=1e-5, line_search_fn="strong_wolfe")

    def objective() -> Tensor:
        search.zero_grad()
        value = F.cross_entropy(x @ weight + bias, y) + penalty / (2 * len(x)) * weight.square().sum()
        value.backward()
        return value

    with torch.enable_grad():
        search.step(objective)
    return Probe(classes, weight.detach(), bias.detach(), mean, deviation)


def majority_accuracy(train_labels: Sequence, test_labels: Sequence) -> float:
    """What always answering with the most frequent label of the training set would score."""
    common = Counter(train_labels).most_common(1)[0][0]
    return sum(label == common for label in test_labels) / len(test_labels)


def control_task(words: Sequence[str], labels: Sequence, seed: int = 0) -> list:
    """Labels that say nothing: every word type gets one at random, as often as `labels` has it, and keeps it everywhere.

    Hewitt & Liang 2019, "Designing and Interpreting Probes with Control Tasks", section 2. Who finds these has learned the
    words by heart. A probe's selectivity is its accuracy on the real labels less its accuracy on these: a good probe is
    right because of what the vectors hold, and not because it is able to learn anything.

    Give the words of training and test together, and cut the result apart: a word has one label in both.
    """
    if len(words) != len(labels):
        raise ValueError(f"there are {len(words)} words, but {len(labels)} labels")
    types = sorted(set(words))
    chosen = dict(zip(types, random.Random(seed).choices(list(labels), k=len(types))))
    return [chosen[word] for word in words]


def _scaled(vectors: Tensor, mean: Tensor, deviation: Tensor) -> Tensor:
    return (vectors.double() - mean) / deviation                                                # [N, H]


def _check_labels(vectors: Tensor, labels: Sequence) -> None:
    if vectors.dim() != 2 or len(vectors) != len(labels) or not len(labels):
        raise ValueError(f"vectors must have the shape [labels, hidden], with at least one label: not {list(vectors.shape)} for {len(labels)} labels")


def _encoder(model: BertPreTrainedModel) -> BertModel:
    return model if isinstance(model, BertModel) else model.bert
