"""Answers on which the exercises of chapter 6 are tried: right ones, and wrong ones with what the check must say."""

import torch
import torch.nn.functional as F

from minibert.exercises.ch06_bert import Bert, load_strictly, read_shapes
from minibert.exercises.planted import Answers, patterns
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


def mask_of_five(attention_mask):
    return attention_mask.bool().view(-1, 1, 1, 5)


def mask_of_the_longest(attention_mask):
    return attention_mask.bool()[:, None, None, :int(attention_mask.sum(1).max())]


def mask_for_heads(attention_mask):
    return attention_mask.bool()[:, None, None, :].expand(-1, 12, -1, -1)


def mask_turned(attention_mask):
    return attention_mask.bool().T[:, None, None, :]


def mask_in_place(attention_mask):
    return attention_mask.unsqueeze_(1).unsqueeze_(1).bool()


def mask_as_list(attention_mask):
    return [[[[bool(each) for each in row]]] for row in attention_mask]


def mask_backwards(attention_mask):
    return attention_mask.bool().flip(1)[:, None, None, :]


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


class BertZeroesPadding(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        found = super().forward(input_ids, token_type_ids, attention_mask)
        return BertOutputs(found.last_hidden_state * attention_mask[..., None], found.pooler_output)


class BertRunsTwice(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        mask = self.mask(attention_mask)
        states = self.encoder(self.encoder(self.embed(input_ids, token_type_ids), mask)[0][-1], mask)[0]
        return BertOutputs(states[-1], self.pool(states))


class BertFirstTextForAll(_Variant):
    def last(self, states):
        return states[-1][:1].expand_as(states[-1])


class BertSegmentsExchanged(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(input_ids, 1 - token_type_ids)


class BertSegmentsAsPositions(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(input_ids, None, token_type_ids)


class BertMasksQueries(_Variant):
    def mask(self, attention_mask):
        return attention_mask.bool()[:, None, :, None]


class BertAddsEmbeddings(_Variant):
    def last(self, states):
        return states[-1] + states[0]


class _ByLayers(_Variant):
    """The ways to walk through the layers by hand and to lose the way."""

    def order(self):
        return self.encoder.layer

    def mask_of(self, number, mask):
        return mask

    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        hidden = self.embed(input_ids, token_type_ids)
        for number, layer in enumerate(self.order()):
            hidden, _ = layer(hidden, self.mask_of(number, self.mask(attention_mask)))
        return BertOutputs(hidden, self.pool([hidden]))


class BertSkipsFirstLayer(_ByLayers):
    def order(self):
        return self.encoder.layer[1:]


class BertOneLayerThrice(_ByLayers):
    def order(self):
        return [self.encoder.layer[0]] * len(self.encoder.layer)


class BertLayersBackwards(_ByLayers):
    def order(self):
        return reversed(self.encoder.layer)


class BertMasksFirstLayerOnly(_ByLayers):
    def mask_of(self, number, mask):
        return None if number else mask


class BertPoolsLastRealToken(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        last = super().forward(input_ids, token_type_ids, attention_mask).last_hidden_state
        return BertOutputs(last, self.pooler["dense"](last[torch.arange(len(last)), attention_mask.sum(1) - 1]).tanh())


class BertPoolsSum(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1].sum(dim=1)).tanh()


class BertTanhTwice(_Variant):
    def pool(self, states):
        return super().pool(states).tanh()


class BertSoftmaxPooler(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1][:, 0]).softmax(dim=-1)


class BertUnitPooler(_Variant):
    def pool(self, states):
        return F.normalize(super().pool(states), dim=-1)


class BertKeepsAxis(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1][:, :1]).tanh()


class BertNoPooler(_Variant):
    def pool(self, states):
        return None


class BertChangesPlaces(Bert):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        found = super().forward(input_ids, token_type_ids, attention_mask)
        return BertOutputs(found.pooler_output, found.last_hidden_state)


class BertNumbersAsMask(_Variant):
    def mask(self, attention_mask):
        return attention_mask[:, None, None, :]


class BertNeedsMask(_Variant):
    """Its `mask` cannot do without one."""


class BertWithoutGradient(Bert):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        with torch.no_grad():
            return super().forward(input_ids, token_type_ids, attention_mask)


class BertPoolsDetached(_Variant):
    def mask(self, attention_mask):
        return None if attention_mask is None else super().mask(attention_mask)

    def pool(self, states):
        return self.pooler["dense"](states[-1][:, 0].detach()).tanh()


class BertDropsOut(Bert):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        found = super().forward(input_ids, token_type_ids, attention_mask)
        return BertOutputs(F.dropout(found.last_hidden_state, 0.1), found.pooler_output)


class BertWithoutPoolerWeights(Bert):
    def __init__(self, config):
        super().__init__(config)
        del self.pooler


class BertOfOneLayer(Bert):
    def __init__(self, config):
        super().__init__(config)
        self.encoder.layer = self.encoder.layer[:1]


class BertForgetsMask(Bert):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        if attention_mask is not None:
            attention_mask.fill_(1)
        return super().forward(input_ids, token_type_ids, attention_mask)


class BertMaskAsSegments(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        return super().forward(input_ids, attention_mask, attention_mask)


class BertMaskAsPositions(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        states, _ = self.encoder(self.embeddings(input_ids, token_type_ids, attention_mask), self.mask(attention_mask))
        return BertOutputs(self.last(states), self.pool(states))


class BertSumOfStates(_Variant):
    def last(self, states):
        return sum(states)


class BertFirstLayer(_Variant):
    def last(self, states):
        return states[1]


class BertSquashesLast(_Variant):
    def last(self, states):
        return states[-1].tanh()


class BertPoolsWithoutDense(_Variant):
    def pool(self, states):
        return states[-1][:, 0].tanh()


class BertPoolsTransposed(_Variant):
    def pool(self, states):
        return (states[-1][:, 0] @ self.pooler["dense"].weight).tanh()


class BertPoolsWithoutBias(_Variant):
    def pool(self, states):
        return (states[-1][:, 0] @ self.pooler["dense"].weight.T).tanh()


class BertLooksTooFar(_Variant):
    def last(self, states):
        return states[len(states)]


class BertTakesOneText(_Variant):
    def pool(self, states):
        return self.pooler["dense"](states[-1][:, 0][0, :1]).tanh()


class BertMaskOfTheTokenizer(_Variant):
    def mask(self, attention_mask):
        return attention_mask


BERT_MISTAKES = (
    (BertWithoutSegments, "The segments do not reach the embeddings: your model takes both texts for the first."),
    (BertSegmentsExchanged, "Your segments are exchanged: 0 is the first text, 1 the second, as they come in."),
    (BertSegmentsAsPositions, "Your segments are taken for positions: the embeddings take ids, token_type_ids, position_ids, in this order."),
    (BertWithoutMask, "The mask does not reach the encoder: the second text is influenced by its {padding} padding tokens."),
    (BertMaskUpsideDown, "Your mask is upside down: it hides the real tokens and shows the padding."),
    (BertMasksQueries, "Your mask hides what padding asks, [B, 1, S, 1]; what must be hidden is what is looked at, [B, 1, 1, S]."),
    (BertMasksFirstLayerOnly, "Your mask reaches the first layer only; every layer needs it."),
    (BertLastButOne, "last_hidden_state is the output of the last layer but one."),
    (BertFirstState, "last_hidden_state is what went *into* the encoder."),
    (BertMeanOfStates, "last_hidden_state is the mean of all {states} states; take the last."),
    (BertMeanOfLayers, "last_hidden_state is the mean of all layers; take the last."),
    (BertAddsEmbeddings, "last_hidden_state is the last state plus the embeddings; the residual connections are inside the layers already."),
    (BertZeroesPadding, "Your last_hidden_state is 0 at padding. The model leaves what stands there; whoever uses it has the mask."),
    (BertRunsTwice, "Your vectors go through the encoder twice."),
    (BertSkipsFirstLayer, "Your vectors do not go through the first layer."),
    (BertOneLayerThrice, "Your vectors go through the first layer again and again; every layer has weights of its own."),
    (BertLayersBackwards, "Your layers run from the last to the first."),
    (BertFirstTextForAll, "Every text of yours gets the vectors of the first one."),
    (BertWithoutTanh, "The pooler's tanh is missing."),
    (BertRawCls, "The pooler gives back the [CLS] vector as it is: it still has to go through `dense` and tanh."),
    (BertPoolsMean, "Your pooler takes the mean of all tokens; BERT's takes [CLS], the first."),
    (BertPoolsRealMean, "Your pooler takes the mean of the real tokens, as MiniLM's sentence vectors do; BERT's takes [CLS], the first."),
    (BertPoolsSum, "Your pooler takes the sum of all tokens; BERT's takes [CLS], the first."),
    (BertPoolsMaximum, "Your pooler takes the largest value of each number; BERT's takes [CLS], the first token."),
    (BertPoolsTokenOne, "Your pooler takes token 1; [CLS] is token 0."),
    (BertPoolsLastToken, "Your pooler takes the last token; [CLS] is the first."),
    (BertPoolsLastRealToken, "Your pooler takes the last real token, [SEP]; [CLS] is the first."),
    (BertTanhFirst, "Your tanh comes before the linear map; it comes after."),
    (BertTanhTwice, "Your pooler takes the tanh twice."),
    (BertSigmoid, "Your pooler ends in a sigmoid, from 0 to 1; BERT's ends in tanh, from -1 to 1."),
    (BertSoftmaxPooler, "Your pooler ends in a softmax; BERT's ends in tanh, and nothing sums to 1."),
    (BertUnitPooler, "Your pooler makes its vector as long as 1; BERT's ends in tanh, and leaves the length."),
    (BertGeluPooler, "Your pooler ends in GELU; BERT's ends in tanh."),
    (BertReluPooler, "Your pooler ends in ReLU; BERT's ends in tanh."),
    (BertPoolsLayerBelow, "Your pooler reads the last layer but one; it reads the last."),
    (BertPoolsEmbeddings, "Your pooler reads the embeddings; it reads the last layer."),
    (BertMaskAsSegments, "Your attention_mask is taken for the segments: the embeddings take ids, then token_type_ids."),
    (BertMaskAsPositions, "Your attention_mask is taken for positions: it belongs to the encoder; the embeddings know nothing of it."),
    (BertSumOfStates, "last_hidden_state is the sum of all {states} states; take the last. (The residual connections have added already.)"),
    (BertFirstLayer, "last_hidden_state is the output of the first layer; take the last state."),
    (BertSquashesLast, "last_hidden_state has gone through tanh; only the pooler's vector does."),
    (BertPoolsWithoutDense, "Your pooler is tanh of [CLS]: the linear map, `dense`, is missing."),
    (BertPoolsTransposed, "Your pooler multiplies by dense.weight the wrong way round, or leaves out its bias: call self.pooler[\"dense\"] as it is."),
    (BertPoolsWithoutBias, "Your pooler leaves out the bias of `dense`: call it as it is."),
)


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


def load_comparing_matrices(model, tensors):
    own = model.state_dict()
    if own.keys() != tensors.keys() or any(own[name].dim() > 1 and own[name].shape != tensors[name].shape for name in own):
        load_strictly(model, tensors)
    for name in own:
        own[name].copy_(tensors[name])


def load_with_names_swapped(model, tensors):
    own = model.state_dict()
    missing, unexpected = tensors.keys() - own.keys(), own.keys() - tensors.keys()
    if missing or unexpected:
        raise ValueError(f"missing: {sorted(missing)}, unexpected: {sorted(unexpected)}")
    load_strictly(model, tensors)


def load_by_assert(model, tensors):
    own = model.state_dict()
    assert own.keys() == tensors.keys()
    load_strictly(model, tensors)


def load_naming_all(model, tensors):
    own = model.state_dict()
    if own.keys() != tensors.keys() or any(own[name].shape != tensors[name].shape for name in own):
        raise ValueError(f"something does not fit among {[*own, *tensors]}")
    load_strictly(model, tensors)


def load_and_freeze(model, tensors):
    load_strictly(model, tensors)
    model.requires_grad_(False)


def load_using_up(model, tensors):
    load_strictly(model, tensors)
    tensors.clear()


def load_turned(model, tensors):
    load_strictly(model, tensors)
    model.state_dict()["2.weight"].copy_(tensors["2.weight"].T)


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


def read_as_text(shapes):
    return {name: value if value is None else str(value) for name, value in read_shapes(shapes).items()}


def read_another_prefix(shapes):
    return read_shapes(shapes) | {"vocab_size": shapes["bert.embeddings.word_embeddings.weight"][0]}


def read_whole_shape(shapes):
    return read_shapes(shapes) | {"vocab_size": shapes["embeddings.word_embeddings.weight"]}


def read_exchanged_tables(shapes):
    found = read_shapes(shapes)
    return found | {"type_vocab_size": found["max_position_embeddings"], "max_position_embeddings": found["type_vocab_size"]}


def read_nothing(shapes):
    return dict.fromkeys(read_shapes(shapes))


def read_by_heart(shapes):
    return {"vocab_size": 31, "hidden_size": 24, "num_hidden_layers": 14, "intermediate_size": 40, "max_position_embeddings": 17, "type_vocab_size": 16, "num_attention_heads": None}


def read_using_up(shapes):
    found = read_shapes(shapes)
    shapes.clear()
    return found


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
               read_other_name: "called 'max_length'", read_as_text: "'31', a str", read_another_prefix: "no tensor called 'bert", read_whole_shape: "\\(31, 24\\), a tuple",
               read_exchanged_tables: "max_position_embeddings 16 off a checkpoint of 17", read_nothing: "vocab_size is None", read_by_heart: "31 off a checkpoint of 50", read_using_up: "changes `shapes`"}),
    "extend_mask": Answers(
        right=(mask_by_view, mask_by_unsqueeze),
        wrong={mask_of_queries: "hides what padding \\*asks\\*", mask_inverted: "True where there is padding", mask_additive: "dtype torch.float32, as numbers to be added",
               mask_integers: "dtype torch.int64", mask_flat: "still \\[B, S\\]", mask_one_axis: "is \\[B, 1, S\\]",
               mask_square: "25 truths", mask_of_the_first_text: "For text 1 of the batch, .* \\[True, True, True, True, True\\]",
               mask_batch_last: "is \\[1, 1, B, S\\]", mask_axes_last: "is \\[B, S, 1, 1\\]",
               mask_of_five: "take the sizes", mask_of_the_longest: "as many as the longest text", mask_for_heads: "\\[3, 12, 1, 5\\]",
               mask_turned: "\\[5, 1, 1, 3\\]", mask_in_place: "changes `attention_mask`", mask_as_list: "is a list", mask_backwards: "For text 1 .* \\[False, False, False, True, True\\]",
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
               BertAlwaysSecondText: "With ids alone your model gives", **patterns(BERT_MISTAKES[1:3] + BERT_MISTAKES[5:7] + BERT_MISTAKES[11:18]), BertPoolsSum: "takes the sum of all",
               BertPoolsLastRealToken: "last real token", BertTanhTwice: "tanh twice", BertSoftmaxPooler: "ends in a softmax", BertUnitPooler: "as long as 1",
               BertKeepsAxis: "\\[2, 12\\], but it has \\[2, 1, 12\\]", BertNoPooler: "is a NoneType", BertChangesPlaces: "changed places", BertNumbersAsMask: "does not take what you give it",
               BertNeedsMask: "With ids alone your model stops", BertWithoutGradient: "No gradient goes from last_hidden_state", BertPoolsDetached: "No gradient goes from pooler_output",
               BertDropsOut: "Two calls", BertWithoutPoolerWeights: "2 of its names are missing, pooler.dense.weight", BertOfOneLayer: "names are missing, encoder.layer.1",
               BertForgetsMask: "changes `attention_mask`", **patterns(BERT_MISTAKES[-8:]),
               BertLooksTooFar: "3 layers give back 4 states", BertTakesOneText: "The encoder has run", BertMaskOfTheTokenizer: "not take what you give it .*under the name `mask`"},
        known=BERT_MISTAKES),
    "load_strictly": Answers(
        right=(load_by_pytorch, load_in_two_walks),
        wrong={load_loosely: "'model.' before every name \\(0.weight\\) is loaded without a word", load_strict_of_pytorch: "ends in RuntimeError",
               load_ignoring_extras: "a tensor too many \\(3.bias\\) is loaded", load_ignoring_missing: "a tensor missing \\(2.weight\\) is loaded without a word",
               load_without_shapes: "a wrong shape ends in RuntimeError", load_by_number_of_elements: "right number of numbers",
               load_while_looking: "refused too late", load_by_sharing: "shares its memory", load_nothing: "leaves 6 of 6 tensors",
               load_silent: "does not name 0.weight", load_in_order: "fits ends in RuntimeError",
               load_comparing_in_order: "its 6 names in another order", load_comparing_values: "Boolean value of Tensor",
               load_with_names_swapped: "calls 3.bias missing", load_by_assert: "ends in AssertionError", load_naming_all: "names 1.weight as well",
               load_comparing_matrices: "one number where a vector belongs", load_and_freeze: "requires_grad False", load_using_up: "changes `tensors`", load_turned: "leaves 1 of 6"}),
}
