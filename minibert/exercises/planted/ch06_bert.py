"""Answers on which the exercises of chapter 6 are tried: right ones, and wrong ones with what the check must say."""

import torch
import torch.nn.functional as F

from minibert.exercises.ch06_bert import Bert, load_strictly, read_shapes
from minibert.exercises.planted import Answers
from minibert.model import BertOutputs
from minibert.sentence import mean_pool


# -- warm-up: the mask -----------------------------------------------------------------------------------------------

def mask_by_view(attention_mask):
    batch, length = attention_mask.shape
    return (attention_mask == 1).view(batch, 1, 1, length)


def mask_by_unsqueeze(attention_mask):
    return attention_mask.gt(0).unsqueeze(1).unsqueeze(1)


def mask_of_queries(attention_mask):
    return attention_mask.bool()[:, None, :, None]


def mask_inverted(attention_mask):
    return (attention_mask == 0)[:, None, None, :]


def mask_additive(attention_mask):
    return (1.0 - attention_mask[:, None, None, :]) * -10000.0


def mask_integers(attention_mask):
    return attention_mask[:, None, None, :]


def mask_flat(attention_mask):
    return attention_mask.bool()


def mask_one_axis(attention_mask):
    return attention_mask.bool()[:, None]


def mask_square(attention_mask):
    real = attention_mask.bool()
    return (real[:, None, :] & real[:, :, None])[:, None]


def mask_batch_last(attention_mask):
    return attention_mask.bool()[None, None]


def mask_axes_last(attention_mask):
    return attention_mask.bool()[:, :, None, None]


def mask_by_counting(attention_mask):
    length = attention_mask.size(1)
    return (torch.arange(length) < attention_mask.sum(dim=1, keepdim=True))[:, None, None, :]


def mask_of_the_first_text(attention_mask):
    return attention_mask.bool()[:1].expand_as(attention_mask)[:, None, None, :]


# -- build, and swapped in: the whole model --------------------------------------------------------------------------

class BertUnpacked(Bert):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        hidden = self.embeddings(input_ids, token_type_ids=token_type_ids)
        for layer in self.encoder.layer:
            hidden, _ = layer(hidden, attention_mask.gt(0)[:, None, None] if attention_mask is not None else None)
        return BertOutputs(hidden, torch.tanh(self.pooler["dense"](hidden.select(1, 0))))


class BertOfParts(Bert):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        whole = attention_mask.bool()[:, None, :].expand(-1, input_ids.size(1), -1)[:, None] if attention_mask is not None else None
        *_, last = self.encoder(self.embeddings(input_ids, token_type_ids), whole)[0]
        return BertOutputs(pooler_output=self.pooler["dense"](last)[:, 0].tanh(), last_hidden_state=last)


class _Variant(Bert):
    """The ways to get it wrong: each overrides one step."""

    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        states, _ = self.encoder(self.embed(input_ids, token_type_ids), self.mask(attention_mask))
        return BertOutputs(self.last(states), self.pool(states))

    def embed(self, input_ids, token_type_ids):
        return self.embeddings(input_ids, token_type_ids)

    def mask(self, attention_mask):
        return attention_mask.bool()[:, None, None, :]

    def last(self, states):
        return states[-1]

    def pool(self, states):
        return self.pooler["dense"](states[-1][:, 0]).tanh()


class BertWithoutSegments(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(input_ids)


class BertWithoutMask(_Variant):
    def mask(self, attention_mask):
        return None


class BertMaskUpsideDown(_Variant):
    def mask(self, attention_mask):
        return ~attention_mask.bool()[:, None, None, :]


class BertAllStates(_Variant):
    def last(self, states):
        return states


class BertLastButOne(_Variant):
    def last(self, states):
        return states[-2]


class BertFirstState(_Variant):
    def last(self, states):
        return states[0]


class BertWithoutTanh(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1][:, 0])


class BertRawCls(_Variant):
    def pool(self, states):
        return states[-1][:, 0]


class BertPoolsMean(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1].mean(dim=1)).tanh()


class BertPoolsLastToken(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1][:, -1]).tanh()


class BertPoolsRealMean(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        last = super().forward(input_ids, token_type_ids, attention_mask).last_hidden_state
        return BertOutputs(last, self.pooler["dense"](mean_pool(last, attention_mask)).tanh())


class BertPoolsMaximum(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1].amax(dim=1)).tanh()


class BertPoolsTokenOne(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1][:, 1]).tanh()


class BertPoolsFirstText(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1][0]).tanh()


class BertTanhFirst(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1][:, 0].tanh())


class BertSigmoid(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1][:, 0]).sigmoid()


class BertGeluPooler(_Variant):
    def pool(self, states):
        return F.gelu(self.pooler["dense"](states[-1][:, 0]))


class BertReluPooler(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1][:, 0]).relu()


class BertMeanOfStates(_Variant):
    def last(self, states):
        return torch.stack(states).mean(dim=0)


class BertMeanOfLayers(_Variant):
    def last(self, states):
        return torch.stack(states[1:]).mean(dim=0)


class BertSwapsIds(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(token_type_ids, input_ids)


class BertAlwaysSecondText(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(input_ids, torch.ones_like(input_ids) if token_type_ids is None else token_type_ids)

    def mask(self, attention_mask):
        return None if attention_mask is None else super().mask(attention_mask)


class BertPoolsLayerBelow(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-2][:, 0]).tanh()


class BertPoolsEmbeddings(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[0][:, 0]).tanh()


class BertGivesTensor(Bert):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        return super().forward(input_ids, token_type_ids, attention_mask).last_hidden_state


# -- build: load weights that really fit -----------------------------------------------------------------------------

def load_by_pytorch(model, tensors):
    wanted, found = ({(name, tuple(t.shape)) for name, t in side.items()} for side in (model.state_dict(), tensors))
    if wanted != found:
        raise ValueError(f"wanted but not found: {wanted - found}; found but not wanted: {found - wanted}")
    model.load_state_dict(tensors)


def load_in_two_walks(model, tensors):
    named = dict(model.named_parameters())
    for name in {**named, **tensors}:
        if (name in named) != (name in tensors) or named[name].shape != tensors[name].shape:
            raise ValueError(f"{name} does not fit")
    for name, parameter in named.items():
        parameter.data = tensors[name].clone()


def load_loosely(model, tensors):
    model.load_state_dict(tensors, strict=False)


def load_strict_of_pytorch(model, tensors):
    model.load_state_dict(tensors)


def load_ignoring_extras(model, tensors):
    own = model.state_dict()
    load_strictly(model, {name: tensors[name] for name in tensors if name in own})


def load_ignoring_missing(model, tensors):
    load_strictly(model, {**model.state_dict(), **tensors})


def load_without_shapes(model, tensors):
    own = model.state_dict()
    if own.keys() != tensors.keys():
        raise ValueError(f"{own.keys() ^ tensors.keys()}")
    for name in own:
        own[name].copy_(tensors[name])


def load_by_number_of_elements(model, tensors):
    own = model.state_dict()
    if own.keys() != tensors.keys():
        raise ValueError(f"{own.keys() ^ tensors.keys()}")
    for name in own:
        if own[name].numel() != tensors[name].numel():
            raise ValueError(name)
    for name in own:
        own[name].copy_(tensors[name].reshape(own[name].shape))


def load_while_looking(model, tensors):
    own = model.state_dict()
    for name in {**own, **tensors}:
        if name not in own or name not in tensors or own[name].shape != tensors[name].shape:
            raise ValueError(name)
        own[name].copy_(tensors[name])


def load_by_sharing(model, tensors):
    load_strictly(model, tensors)
    for name, parameter in model.named_parameters():
        parameter.data = tensors[name]


def load_nothing(model, tensors):
    if model.state_dict().keys() != tensors.keys():
        raise ValueError(f"{model.state_dict().keys() ^ tensors.keys()}")


def load_in_order(model, tensors):
    if model.state_dict().keys() != tensors.keys():
        raise ValueError(f"{model.state_dict().keys() ^ tensors.keys()}")
    for own, tensor in zip(model.state_dict().values(), tensors.values()):
        own.copy_(tensor)


def load_comparing_in_order(model, tensors):
    own = model.state_dict()
    wrong = [name for name, one, other in zip(own, own.values(), tensors.values()) if one.shape != other.shape]
    if own.keys() != tensors.keys() or wrong:
        raise ValueError(f"{own.keys() ^ tensors.keys()}, {wrong}")
    model.load_state_dict(tensors)


def load_comparing_values(model, tensors):
    own = model.state_dict()
    wrong = [name for name in own if name not in tensors or own[name] != tensors[name]]
    if wrong:
        raise ValueError(f"{wrong}")
    model.load_state_dict(tensors)


def load_with_names_swapped(model, tensors):
    own = model.state_dict()
    missing, unexpected = tensors.keys() - own.keys(), own.keys() - tensors.keys()
    if missing or unexpected:
        raise ValueError(f"missing: {sorted(missing)}, unexpected: {sorted(unexpected)}")
    load_strictly(model, tensors)


def load_silent(model, tensors):
    try:
        load_strictly(model, tensors)
    except ValueError:
        raise ValueError("the checkpoint does not fit") from None


# -- think: a stranger's checkpoint ----------------------------------------------------------------------------------

def read_shapes_by_probing(shapes):
    def rows(name):
        return shapes[f"embeddings.{name}_embeddings.weight"][0]
    count = 0
    while f"encoder.layer.{count}.output.dense.bias" in shapes:
        count += 1
    return dict(vocab_size=rows("word"), hidden_size=shapes["pooler.dense.bias"][0], num_hidden_layers=count, num_attention_heads=None,
                intermediate_size=shapes["encoder.layer.0.output.dense.weight"][1], max_position_embeddings=rows("position"), type_vocab_size=rows("token_type"))


def read_shapes_by_regex(shapes):
    import re
    layers = max(int(m[1]) for m in (re.match(r"encoder\.layer\.(\d+)\.", name) for name in shapes) if m) + 1
    return read_shapes(shapes) | {"num_hidden_layers": layers}


def read_with_heads(shapes):
    return read_shapes(shapes) | {"num_attention_heads": max(1, shapes["pooler.dense.bias"][0] // 64)}


def read_without_heads(shapes):
    return {name: value for name, value in read_shapes(shapes).items() if value is not None}


def read_last_layer_number(shapes):
    return read_shapes(shapes) | {"num_hidden_layers": max(int(name.split(".")[2]) for name in shapes if "layer." in name)}


def read_last_layer_as_word(shapes):
    return read_shapes(shapes) | {"num_hidden_layers": int(max(name.split(".")[2] for name in shapes if "layer." in name)) + 1}


def read_tensors_as_layers(shapes):
    return read_shapes(shapes) | {"num_hidden_layers": sum("layer." in name for name in shapes)}


def read_twelve_layers(shapes):
    return read_shapes(shapes) | {"num_hidden_layers": 12}


def read_two_segments(shapes):
    return read_shapes(shapes) | {"type_vocab_size": 2}


def read_usual_heads(shapes):
    return read_shapes(shapes) | {"num_attention_heads": 12}


def read_other_name(shapes):
    found = read_shapes(shapes)
    return found | {"max_length": found.pop("max_position_embeddings")}


def read_wrong_axis(shapes):
    return read_shapes(shapes) | {"intermediate_size": shapes["encoder.layer.0.intermediate.dense.weight"][1]}


def read_four_times(shapes):
    return read_shapes(shapes) | {"intermediate_size": 4 * shapes["pooler.dense.bias"][0]}


def read_swapped(shapes):
    hidden, vocab = shapes["embeddings.word_embeddings.weight"]
    return read_shapes(shapes) | {"vocab_size": vocab, "hidden_size": hidden}


def read_usual_positions(shapes):
    return read_shapes(shapes) | {"max_position_embeddings": 512}


ANSWERS = {
    "read_shapes": Answers(
        right=(read_shapes_by_probing, read_shapes_by_regex),
        wrong={read_with_heads: "1 heads; a checkpoint with other heads", read_without_heads: "says nothing of num_attention_heads",
               read_last_layer_number: "count from 0", read_last_layer_as_word: "two digits", read_tensors_as_layers: "Several tensors belong to one layer",
               read_wrong_axis: "the way up ends in I", read_four_times: "a habit, not a law", read_swapped: "word table is",
               read_usual_positions: "512 off a checkpoint of 17. That is the usual number", read_twelve_layers: "BERT-base's number",
               read_two_segments: "type_vocab_size 2 off a checkpoint of 16", read_usual_heads: "12 heads; a checkpoint",
               read_other_name: "called 'max_length'"}),
    "extend_mask": Answers(
        right=(mask_by_view, mask_by_unsqueeze),
        wrong={mask_of_queries: "hides what padding \\*asks\\*", mask_inverted: "True where there is padding", mask_additive: "dtype torch.float32, as numbers to be added",
               mask_integers: "dtype torch.int64", mask_flat: "still \\[B, S\\]", mask_one_axis: "is \\[B, 1, S\\]",
               mask_square: "25 truths", mask_of_the_first_text: "For text 1 of the batch, .* \\[True, True, True, True, True\\]",
               mask_batch_last: "is \\[1, 1, B, S\\]", mask_axes_last: "is \\[B, S, 1, 1\\]",
               mask_by_counting: "For text 2 of the batch, .* \\[True, True, False, False, False\\]"}),
    "Bert": Answers(
        right=(BertUnpacked, BertOfParts),
        wrong={BertWithoutSegments: "segments do not reach", BertWithoutMask: "influenced by its 2 padding", BertMaskUpsideDown: "upside down",
               BertAllStates: "is a list of 4", BertLastButOne: "output of the last layer but one", BertFirstState: "went \\*into\\*",
               BertWithoutTanh: "tanh is missing", BertRawCls: "as it is", BertPoolsMean: "mean of all tokens", BertPoolsLastToken: "takes the last token",
               BertPoolsLayerBelow: "reads the last layer but one", BertPoolsEmbeddings: "reads the embeddings", BertGivesTensor: "not Tensor",
               BertPoolsRealMean: "mean of the real tokens", BertPoolsMaximum: "largest value", BertPoolsTokenOne: "takes token 1",
               BertPoolsFirstText: "7 vectors for 2 texts", BertTanhFirst: "tanh comes before", BertSigmoid: "ends in a sigmoid",
               BertGeluPooler: "ends in GELU", BertReluPooler: "ends in ReLU", BertMeanOfStates: "mean of all 4 states",
               BertMeanOfLayers: "mean of all layers", BertSwapsIds: "Ids up to 1\\d are looked up in the segment table, which has 2",
               BertAlwaysSecondText: "With ids alone"}),
    "load_strictly": Answers(
        right=(load_by_pytorch, load_in_two_walks),
        wrong={load_loosely: "'model.' before every name \\(0.weight\\) is loaded without a word", load_strict_of_pytorch: "ends in RuntimeError",
               load_ignoring_extras: "a tensor too many \\(3.bias\\) is loaded", load_ignoring_missing: "a tensor missing \\(2.weight\\) is loaded without a word",
               load_without_shapes: "a wrong shape ends in RuntimeError", load_by_number_of_elements: "right number of numbers",
               load_while_looking: "refused too late", load_by_sharing: "shares its memory", load_nothing: "leaves 6 of 6 tensors",
               load_silent: "does not name 0.weight", load_in_order: "fits ends in RuntimeError",
               load_comparing_in_order: "its 6 names in another order", load_comparing_values: "Boolean value of Tensor",
               load_with_names_swapped: "calls 3.bias missing"}),
}
