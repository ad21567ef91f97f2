"""Exercises of chapter 6: the mask, the whole model, loading weights, and reading a stranger's checkpoint."""

from functools import cache

import torch
from torch import nn

from minibert.config import BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.encoder import BertEncoder
from minibert.exercises.base import Exercise, Mistake, expect_tensor, give_weights, known, recognise
from minibert.model import BertModel, BertOutputs

CHAPTER = "06_bert"


# -- warm-up: the mask -----------------------------------------------------------------------------------------------

def extend_mask(attention_mask):
    """1 = real token, 0 = padding, [B, S] -> boolean, True = may be looked at, for all heads and queries: [B, 1, 1, S]."""
    boolean = attention_mask.bool()             # blank: [B, S], True where the token is real
    return boolean[:, None, None, :]            # blank: [B, 1, 1, S], one axis for the heads, one for the queries


def check_extend_mask(answer):
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [0, 0, 0, 1, 1]])    # [B, S], padding may stand on either side
    found = answer(mask)
    if not isinstance(found, torch.Tensor):
        raise Mistake(f"Your mask should be a tensor, but it is a {type(found).__name__}.")
    shape = list(found.shape)
    if shape == [3, 1, 5, 1]:
        raise Mistake("Your mask is [B, 1, S, 1]: it hides what padding *asks*. What must be hidden is what is looked *at*, the last axis.")
    if shape == [3, 5]:
        raise Mistake("Your mask is still [B, S]: against scores of [B, A, S, S] its 3 texts would be read as queries. Add two axes.")
    if shape == [3, 1, 5]:
        raise Mistake("Your mask is [B, 1, S]: there are two axes to add, one for the heads and one for the queries.")
    if found.is_floating_point():
        raise Mistake(f"Your mask has the dtype {found.dtype}, as numbers to be added to the scores have; here a mask is boolean, True = may be looked at.")
    if found.dtype != torch.bool:
        raise Mistake(f"Your mask has the dtype {found.dtype}; a boolean one cannot be taken for numbers to add.")
    if shape == [3, 1, 5, 5]:
        raise Mistake("Your mask is [B, 1, S, S]: 25 truths a text where 5 say it all. Leave the axis of the queries at 1; it broadcasts.")
    if shape == [1, 1, 3, 5]:
        raise Mistake("Your mask is [1, 1, B, S]: its 3 texts stand where the queries belong. The batch comes first, the new axes between.")
    if shape == [3, 5, 1, 1]:
        raise Mistake("Your mask is [B, S, 1, 1]: its 5 tokens stand where the heads belong. The new axes go between B and S.")
    expect_tensor(found, [3, 1, 1, 5], "your mask")
    if torch.equal(found, ~mask.bool()[:, None, None, :]):
        raise Mistake("Your mask says True where there is padding. Here True means: may be looked at.")
    if not torch.equal(found, mask.bool()[:, None, None, :]):
        wrong = next(i for i in range(3) if not torch.equal(found[i, 0, 0], mask[i].bool()))
        raise Mistake(f"For text {wrong} of the batch, whose attention_mask is {mask[wrong].tolist()}, your mask is {found[wrong, 0, 0].tolist()}.")
    for other in (torch.tensor([[1, 1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0]]), torch.tensor([[1, 1]])):        # [B, S]
        want = other.bool()[:, None, None, :]                                                                   # [B, 1, 1, S]
        try:
            found = answer(other)
        except RuntimeError as error:
            raise Mistake(f"For 3 texts of 5 tokens you are right, but with {list(other.shape)} you stop ({error}): take the sizes from what comes in.") from None
        if found.shape != want.shape and found.shape == want.shape[:3] + (int(other.sum(1).max()),):
            raise Mistake(f"For {other.tolist()} your mask has {found.size(-1)} columns, as many as the longest text has real tokens; it needs one for each of the {other.size(1)} places.")
        if found.shape != want.shape or not torch.equal(found, want):
            raise Mistake(f"For 3 texts of 5 tokens you are right, but for {list(other.shape)} your mask should be {list(want.shape)} and is {list(found.shape)}: "
                          "take the sizes from what comes in.")


# -- build, and swapped in: the whole model --------------------------------------------------------------------------

class Bert(nn.Module):
    """Embeddings, encoder, pooler: the whole of BERT, with the names of the published checkpoints."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = BertEmbeddings(config)
        self.encoder = BertEncoder(config)
        self.pooler = nn.ModuleDict({"dense": nn.Linear(config.hidden_size, config.hidden_size)})

    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        mask = None if attention_mask is None else attention_mask.bool()[:, None, None, :]      # [B, 1, 1, S]
        embedded = self.embeddings(input_ids, token_type_ids)           # blank: [B, S, H], from ids and segments
        states, _ = self.encoder(embedded, mask)                        # blank: L + 1 hidden states, and the weights (unused)
        last = states[-1]                                               # blank: [B, S, H], the last layer's output
        pooled = self.pooler["dense"](last[:, 0]).tanh()                # blank: [B, H], [CLS] through dense and tanh
        return BertOutputs(last_hidden_state=last, pooler_output=pooled)


@cache
def _sample():
    """A small model with its inputs, what is right for them, and what every known mistake makes of them."""
    config = BertConfig(vocab_size=19, hidden_size=12, num_hidden_layers=3, num_attention_heads=3, intermediate_size=20,
                        max_position_embeddings=9)
    generator = torch.Generator().manual_seed(0)
    reference = BertModel(config).double().eval()
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.normal_(std=0.5, generator=generator)         # large enough that no mistake hides behind small numbers
    ids = torch.randint(1, 19, (2, 7), generator=generator)                     # [B, S]
    segments = torch.tensor([[0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 0, 0]])     # [B, S]
    mask = torch.tensor([[1] * 7, [1] * 5 + [0] * 2])                           # [B, S]
    others = []
    for wrong, sentence in known(Bert):
        other = wrong(config).double().eval()
        other.load_state_dict(reference.state_dict())
        others.append((other(ids, segments, mask), sentence.format(padding=int((mask[1] == 0).sum()), states=config.num_hidden_layers + 1)))
    return config, reference, (ids, segments, mask), reference(ids, segments, mask), others


def check_bert(answer):
    config, reference, inputs, right, others = _sample()
    ids, segments, mask = (given.clone() for given in inputs)       # an answer may change what it is given
    give_weights(mine := answer(config), reference.state_dict(), "Your model")
    mine = mine.double().eval()
    mine.load_state_dict(reference.state_dict())
    found = _run(mine, ids, segments, mask)
    if not isinstance(found, BertOutputs):
        raise Mistake(f"forward should give back BertOutputs, as the stub does, not {type(found).__name__}.")
    if isinstance(found.last_hidden_state, list):
        raise Mistake(f"last_hidden_state is a list of {len(found.last_hidden_state)}: the encoder gives back all its states, take the last.")
    texts, tokens = ids.shape
    if list(getattr(found.pooler_output, "shape", [])) == [tokens, config.hidden_size]:
        raise Mistake(f"Your pooler gives {tokens} vectors for {texts} texts: `last[0]` is the first *text*; [CLS] of every text is `last[:, 0]`.")
    if list(getattr(found.last_hidden_state, "shape", [])) == [texts, config.hidden_size]:
        raise Mistake(f"Your last_hidden_state is [2, 12], a vector for each text: the two have changed places, or token 0 alone is in it. It has a vector for each token, {[*ids.shape, 12]}.")
    if not torch.equal(found.last_hidden_state, mine(ids, segments, mask).last_hidden_state):
        raise Mistake("Two calls with the same ids differ, in evaluation mode: something is drawn. Dropout is inside the parts already, and stops there.")
    recognise(found.last_hidden_state, right.last_hidden_state, [(other.last_hidden_state, sentence) for other, sentence in others], "last_hidden_state", tolerance=1e-8)
    recognise(found.pooler_output, right.pooler_output, [(other.pooler_output, sentence) for other, sentence in others], "pooler_output", tolerance=1e-8)
    _check_other_calls(mine, reference, ids)


def _run(mine, ids, segments, mask):
    """The answer's outputs, or the mistake by which it stops: told by which of its parts had been entered, and left, by then."""
    entered, left, hooks = [], [], []
    for name in ("embeddings", "encoder"):
        part = getattr(mine, name)
        hooks += [part.register_forward_pre_hook(lambda *_, name=name: entered.append(name)), part.register_forward_hook(lambda *_, name=name: left.append(name))]
    try:
        return mine(ids, token_type_ids=segments, attention_mask=mask)
    except IndexError:
        if "embeddings" not in left:
            raise Mistake(f"Ids up to {int(ids.max())} are looked up in the segment table, which has {mine.config.type_vocab_size} rows: "
                          "the embeddings take ids first, segments second.") from None
        if "encoder" not in left:
            raise
        raise Mistake(f"A state is looked up that is not there: {mine.config.num_hidden_layers} layers give back {mine.config.num_hidden_layers + 1} states, "
                      "counted from 0; the last one is states[-1].") from None
    except (RuntimeError, TypeError, ValueError) as error:
        if "encoder" in left:
            raise Mistake(f"The encoder has run, and what you make of its result does not fit ({error}). It gives back a list of states and the weights. One state is {[*ids.shape, 12]}; "
                          f"[CLS] of every text is last[:, 0], {[len(ids), 12]}, and that goes through self.pooler[\"dense\"].") from None
        if "encoder" in entered and "embeddings" in left:
            raise Mistake(f"The encoder does not take what you give it ({error}): it wants the vectors that come out of the embeddings, and a boolean mask [B, 1, 1, S], "
                          f"here {[len(ids), 1, 1, ids.size(1)]}: the stub has made it, under the name `mask`.") from None
        raise
    finally:
        for hook in hooks:
            hook.remove()


def _check_other_calls(mine, reference, ids):
    try:
        alone = mine(ids).last_hidden_state
    except AttributeError as error:
        raise Mistake(f"With ids alone your model stops ({error}): without an attention_mask nothing is hidden, and the encoder takes None for that.") from None
    if not torch.allclose(alone, reference(ids).last_hidden_state):
        raise Mistake("With ids alone your model gives something else than with segments 0 and nothing masked.")
    shorter = ids[:1, :3]                                                       # [1, 3]
    expect_tensor(mine(shorter).last_hidden_state, reference(shorter).last_hidden_state.shape, "last_hidden_state of one text of 3 tokens")
    for part, name in ((mine(ids).last_hidden_state.sum(), "last_hidden_state"), (mine(ids).pooler_output.sum(), "pooler_output")):
        weight = mine.embeddings.word_embeddings.weight
        if not part.requires_grad or torch.autograd.grad(part, weight, allow_unused=True)[0] is None:
            raise Mistake(f"No gradient goes from {name} back to the embeddings, so they would never learn: no torch.no_grad, no detach.")


# -- build: load weights that really fit -----------------------------------------------------------------------------

def load_strictly(model, tensors):
    """Copy a dict of name -> tensor into the model; a ValueError that names the tensor for anything that does not fit."""
    own = model.state_dict()
    missing = own.keys() - tensors.keys()           # blank: names that the model has and the file lacks
    unexpected = tensors.keys() - own.keys()        # blank: names that the file has and the model lacks
    if missing or unexpected:
        raise ValueError(f"missing: {sorted(missing)}, unexpected: {sorted(unexpected)}")
    wrong = [name for name in own if own[name].shape != tensors[name].shape]        # blank: names whose shapes differ
    if wrong:
        raise ValueError(f"wrong shape: {[(name, list(tensors[name].shape)) for name in wrong]}")
    with torch.no_grad():
        for name in own:
            own[name].copy_(tensors[name])          # state_dict holds the parameters' own memory


def check_load_strictly(answer):
    def model():
        return nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 4))

    def refused(change, what, name, innocent=None):
        target = model()
        before = {key: tensor.clone() for key, tensor in target.state_dict().items()}
        tensors = {key: torch.randn_like(tensor) for key, tensor in before.items()}
        change(tensors)
        try:
            answer(target, tensors)
        except ValueError as error:
            if name not in str(error):
                raise Mistake(f"A file with {what} is refused, but the message does not name {name}: “{error}”.") from None
            if f"missing: ['{name}']" in str(error) and name not in before:
                raise Mistake(f"A file with {what} is refused, but your message calls {name} missing: it is in the file and not in the model.") from None
            if any(not torch.equal(before[key], tensor) for key, tensor in target.state_dict().items()):
                raise Mistake(f"A file with {what} is refused too late: half of it has been copied by then. Look first, copy after.") from None
            if innocent and innocent in str(error):
                raise Mistake(f"A file with {what} is refused, but your message names {innocent} as well, which fits: “{error}”.") from None
        except (KeyError, RuntimeError, AttributeError, AssertionError) as error:
            raise Mistake(f"A file with {what} ends in {type(error).__name__} ({' '.join(str(error).split())}); wanted is a ValueError that names {name}.") from None
        else:
            raise Mistake(f"A file with {what} ({name}) is loaded without a word.")

    target, tensors = model(), {key: torch.randn_like(tensor) for key, tensor in reversed(model().state_dict().items())}
    try:
        answer(target, tensors)
    except ValueError as error:
        raise Mistake(f"A file that fits, its {len(tensors)} names in another order than the model's, is refused: “{error}”.") from None
    except RuntimeError as error:
        raise Mistake(f"A file that fits ends in RuntimeError ({error}): compare shapes and copy by name, never whole tensors or by order.") from None
    loaded = target.state_dict()
    fresh = [key for key in tensors if not torch.equal(loaded[key], tensors[key])]
    if fresh:
        raise Mistake(f"A file that fits leaves {len(fresh)} of {len(tensors)} tensors as they were, {fresh[0]} among them.")
    if frozen := [name for name, parameter in target.named_parameters() if not parameter.requires_grad or parameter.dtype != torch.float32]:
        raise Mistake(f"A file that fits changes more than numbers: {frozen[0]} of your model is now {target.get_parameter(frozen[0]).dtype}, "
                      f"requires_grad {target.get_parameter(frozen[0]).requires_grad}; it was torch.float32, True.")
    tensors["0.bias"].add_(1)
    if torch.equal(target.state_dict()["0.bias"], tensors["0.bias"]):
        raise Mistake("Your model now shares its memory with the file's tensors: a change of one changes the other. Copy.")
    refused(lambda t: [t.update({f"model.{name}": t.pop(name)}) for name in list(t)], "'model.' before every name", "0.weight")
    refused(lambda t: t.pop("2.weight"), "a tensor missing", "2.weight")
    refused(lambda t: t.update({"3.bias": torch.zeros(4)}), "a tensor too many", "3.bias")
    refused(lambda t: t.update({"0.weight": torch.randn(4, 4)}), "a wrong shape", "0.weight", "1.weight")
    refused(lambda t: t.update({"0.bias": torch.randn(1)}), "one number where a vector belongs, which would broadcast", "0.bias")
    refused(lambda t: t.update({"2.weight": torch.randn(4)}), "a vector where a matrix belongs, which would broadcast", "2.weight")
    refused(lambda t: t.update({"2.weight": torch.randn(16)}), "the right number of numbers in a wrong shape", "2.weight")


# -- think: a stranger's checkpoint ----------------------------------------------------------------------------------

def read_shapes(shapes):
    """The config that can be read off a BERT checkpoint's shapes (name -> shape); None for what they do not tell."""
    vocab_size, hidden_size = shapes["embeddings.word_embeddings.weight"]
    layers = {name.split(".")[2] for name in shapes if name.startswith("encoder.layer.")}
    return {
        "vocab_size": vocab_size,
        "hidden_size": hidden_size,
        "num_hidden_layers": len(layers),
        "intermediate_size": shapes["encoder.layer.0.intermediate.dense.weight"][0],
        "max_position_embeddings": shapes["embeddings.position_embeddings.weight"][0],
        "type_vocab_size": shapes["embeddings.token_type_embeddings.weight"][0],
        "num_attention_heads": None,            # any number that divides H has the same matrices
    }                                           # blank: a dict of seven names, four shapes to look at


def check_read_shapes(answer):
    for sizes in ({"vocab_size": 31, "hidden_size": 24, "num_hidden_layers": 14, "intermediate_size": 40,
                   "max_position_embeddings": 17, "type_vocab_size": 16},
                  {"vocab_size": 50, "hidden_size": 128, "num_hidden_layers": 2, "intermediate_size": 512,
                   "max_position_embeddings": 512, "type_vocab_size": 2}):
        with torch.device("meta"):
            model = BertModel(BertConfig(**sizes, num_attention_heads=2))
        shapes = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
        try:
            found = answer(shapes)
        except KeyError as error:
            raise Mistake(f"The checkpoint has no tensor called {error}. A line `print(*shapes)` in your function shows the names that it has.") from None
        if not isinstance(found, dict):
            raise Mistake(f"Your answer should be a dict of the config's names, but it is a {type(found).__name__}.")
        unknown = [name for name in found if name not in sizes and name != "num_attention_heads"]
        if unknown:
            raise Mistake(f"No field of the config is called {unknown[0]!r}.")
        for name, right in sizes.items():
            if name not in found:
                raise Mistake(f"Your dict has no {name}; the shapes tell it: {right}.")
            if found[name] is None:
                raise Mistake(f"Your {name} is None, but the checkpoint tells it: here it is {right}.")
            if not isinstance(found[name], int):
                raise Mistake(f"Your {name} is {found[name]!r}, a {type(found[name]).__name__}; a config holds whole numbers.")
            if found[name] != right:
                raise Mistake(f"You read {name} {found[name]} off a checkpoint of {right}.{_reason(name, found[name], sizes)}")
        if found.get("num_attention_heads") is not None:
            raise Mistake(f"You say {found['num_attention_heads']} heads; a checkpoint with other heads has the very same shapes. This one is for config.json to tell.")
        if "num_attention_heads" not in found:
            raise Mistake("Your dict says nothing of num_attention_heads: put None there, since no shape tells it.")


def _reason(name, value, sizes):
    if name == "num_hidden_layers":
        return {sizes[name] - 1: " The layers count from 0.", 12: " That is BERT-base's number; this checkpoint has its own.",
                9: " Mind numbers of two digits: as words, '9' comes after '10'.", 10: " Mind numbers of two digits: as words, '9' comes after '10'.",
                }.get(value, " Several tensors belong to one layer: count the different layer numbers." if value > sizes[name] else " Count the different layer numbers.")
    if name == "intermediate_size" and value == sizes["hidden_size"]:
        return " A Linear's weight is [out, in]; the way up ends in I."
    if name == "intermediate_size" and value not in (4 * sizes["hidden_size"], 3072):
        return " It is the number of rows of `intermediate.dense.weight`."
    if name == "intermediate_size":
        return " Four times the hidden size is a habit, not a law."
    if name in ("vocab_size", "hidden_size"):
        return " The word table is [V, H]."
    return " That is the usual number; this checkpoint has its own." if value in (2, 512) else " It is the number of rows of that table."


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="A stranger's checkpoint", solution=read_shapes, check=check_read_shapes,
        task="Someone hands you a file of weights and has lost the `config.json`. From the names and shapes alone, which numbers of the config can you "
             "recover? Return a dict with `vocab_size`, `hidden_size`, `num_hidden_layers`, `intermediate_size`, `max_position_embeddings`, "
             "`type_vocab_size` and `num_attention_heads`, with `None` for each number that the shapes do not tell. "
             "(The names are those of the parts that you have built; `print(*shapes)` inside the function shows them.)",
        hints=("Four shapes tell five numbers, the names of the layers a sixth. Which of the seven left no trace in any shape? Chapter 5 counted.",
               "`encoder.layer.0.intermediate.dense.weight` is `[I, H]`. Count the different layer numbers, not the tensors."),
        paragraph="A config that defends itself"),
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="A mask for every head and every query", solution=extend_mask, check=check_extend_mask,
        task="The tokenizer gives a mask of `[B, S]`, 1 for a real token and 0 for padding. Attention compares every query with "
             "every key in every head, `[B, A, S, S]`. Turn the one into a boolean mask that broadcasts onto the other, True = may be looked at.",
        hints=("Which of the four axes runs over what is looked *at*? The mask belongs there. The others are 1, or B.",
               "`attention_mask.bool()` and then two new axes in the middle: `[:, None, None, :]`."),
        paragraph="Hide the padding"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="The whole of BERT", solution=Bert, check=check_bert,
        task="All parts exist by now. Put them in order: ids and segments to vectors, vectors through the encoder under the mask, the last "
             "layer's [CLS] through the pooler. Your class will carry the weights of a real model below.",
        hints=("`self.embeddings` takes ids and segments; `self.encoder` takes vectors and the mask and gives back two things.",
               "`states, _ = self.encoder(embedded, mask)`, then `states[-1]`; the pooler is `dense` of token 0, then `.tanh()`."),
        paragraph="Put together by hand"),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="A loader that cannot be fooled", solution=load_strictly, check=check_load_strictly,
        task="Copy tensors into a model by name. Anything that does not fit, a name missing, a name too many, another shape, is a `ValueError` "
             "that names the tensor, raised *before* anything has been copied.",
        hints=("`model.state_dict()` gives you the model's own names and tensors. The keys of two dicts can be subtracted like sets.",
               "Compare shapes with `own[name].shape != tensors[name].shape`, for all names, before the first copy: `copy_` would broadcast."),
        paragraph="Weights that do not arrive"),
]
