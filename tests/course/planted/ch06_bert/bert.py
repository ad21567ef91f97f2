"""Answers to `Bert` on which its check is tried."""

from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn

from minibert.course.exercises.ch06_bert.bert import Bert
from minibert.course.exercises.mistakes.ch06_bert.bert import KNOWN
from minibert.course.exercises.mistakes.ch06_bert.bert_answers import (
    BertFirstState,
    BertGeluPooler,
    BertLastButOne,
    BertMaskUpsideDown,
    BertMeanOfLayers,
    BertMeanOfStates,
    BertPoolsEmbeddings,
    BertPoolsLastRealToken,
    BertPoolsLastToken,
    BertPoolsLayerBelow,
    BertPoolsMaximum,
    BertPoolsMean,
    BertPoolsRealMean,
    BertPoolsSum,
    BertPoolsTokenOne,
    BertRawCls,
    BertReluPooler,
    BertSigmoid,
    BertSoftmaxPooler,
    BertTanhFirst,
    BertTanhTwice,
    BertUnitPooler,
    BertWithoutMask,
    BertWithoutSegments,
    BertWithoutTanh,
    _Variant,
)
from minibert.model import BertOutputs
from planted import Answers, patterns


class BertUnpacked(Bert):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        hidden = self.embeddings(input_ids, token_type_ids=token_type_ids)
        for layer in self.encoder.layer:
            hidden, _ = layer(
                hidden, attention_mask.gt(0)[:, None, None] if attention_mask is not None else None
            )
        return BertOutputs(hidden, self.pooler(hidden.select(1, 0)))


class _Pooler(nn.Module):
    def __init__(self, dense):
        super().__init__()
        self.dense = dense

    def forward(self, states):
        return self.dense(states)[:, 0].tanh()


class BertOfParts(Bert):
    def __init__(self, config):
        super().__init__(config)
        self.pooler = _Pooler(self.pooler.dense)

    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        whole = (
            attention_mask.bool()[:, None, :].expand(-1, input_ids.size(1), -1)[:, None]
            if attention_mask is not None
            else None
        )
        *_, last = self.encoder(self.embeddings(input_ids, token_type_ids=token_type_ids), whole)[0]
        return BertOutputs(pooler_output=self.pooler(last), last_hidden_state=last)


class BertCallsDenseOnly(Bert):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        mask = None if attention_mask is None else attention_mask.bool()[:, None, None]
        embedded = self.embeddings(input_ids, token_type_ids=token_type_ids)
        last = self.encoder(embedded, mask)[0][-1]
        return BertOutputs(last, torch.tanh(self.pooler.dense(last[:, 0])))


class BertWithTanhOutside(BertOfParts):
    def __init__(self, config):
        super().__init__(config)
        self.pooler = nn.Sequential(OrderedDict(dense=self.pooler.dense))

    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        found = super().forward(input_ids, token_type_ids, attention_mask)
        return BertOutputs(found.last_hidden_state, found.pooler_output[:, 0].tanh())


class BertAllStates(_Variant):
    def last(self, states):
        return states


class BertPoolsFirstText(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1][0]).tanh()


class BertSwapsIds(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(token_type_ids, token_type_ids=input_ids)


class BertSegmentsByPosition(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(input_ids, token_type_ids)


class BertAlwaysSecondText(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(
            input_ids,
            token_type_ids=torch.ones_like(input_ids) if token_type_ids is None else token_type_ids,
        )

    def mask(self, attention_mask):
        return None if attention_mask is None else super().mask(attention_mask)


class BertKeepsAxis(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1][:, :1]).tanh()


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
        return self.pooler.dense(states[-1][:, 0].detach()).tanh()


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


class BertLooksTooFar(_Variant):
    def last(self, states):
        return states[len(states)]


class BertTakesOneText(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1][:, 0][0, :1]).tanh()


class BertMaskOfTheTokenizer(_Variant):
    def mask(self, attention_mask):
        return attention_mask


class BertGivesTensor(Bert):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        return super().forward(input_ids, token_type_ids, attention_mask).last_hidden_state


ANSWERS = Answers(
    right=(BertUnpacked, BertOfParts),
    wrong={
        BertWithoutSegments: "segments do not reach",
        BertWithoutMask: "influenced by its 2 padding",
        BertMaskUpsideDown: "upside down",
        BertAllStates: "is a list of 4",
        BertLastButOne: "output of the last layer but one",
        BertFirstState: "went \\*into\\*",
        BertWithoutTanh: "tanh is missing",
        BertRawCls: "as it is",
        BertPoolsMean: "mean of all tokens",
        BertPoolsLastToken: "takes the last token",
        BertPoolsLayerBelow: "reads the last layer but one",
        BertPoolsEmbeddings: "reads the embeddings",
        BertGivesTensor: "not Tensor",
        BertPoolsRealMean: "mean of the real tokens",
        BertPoolsMaximum: "largest value",
        BertPoolsTokenOne: "takes token 1",
        BertPoolsFirstText: "7 vectors for 2 texts",
        BertTanhFirst: "tanh comes before",
        BertSigmoid: "ends in a sigmoid",
        BertGeluPooler: "ends in GELU",
        BertReluPooler: "ends in ReLU",
        BertMeanOfStates: "mean of all 4 states",
        BertMeanOfLayers: "mean of all layers",
        BertSwapsIds: "Ids up to 1\\d are looked up in the segment table, which has 2",
        BertSegmentsByPosition: "take the ids by position .*write token_type_ids=",
        BertAlwaysSecondText: "With ids alone your model gives",
        **patterns(KNOWN[1:3] + KNOWN[5:7] + KNOWN[11:18]),
        BertPoolsSum: "takes the sum of all",
        BertPoolsLastRealToken: "last real token",
        BertTanhTwice: "tanh twice",
        BertSoftmaxPooler: "ends in a softmax",
        BertUnitPooler: "as long as 1",
        BertKeepsAxis: "\\[2, 12\\], but it has \\[2, 1, 12\\]",
        BertNoPooler: "is a NoneType",
        BertChangesPlaces: "changed places",
        BertNumbersAsMask: "does not take what you give it",
        BertNeedsMask: "With ids alone your model stops",
        BertWithoutGradient: "No gradient goes from last_hidden_state",
        BertPoolsDetached: "No gradient goes from pooler_output",
        BertDropsOut: "Two calls",
        BertWithoutPoolerWeights: "2 of its names are missing, pooler.dense.weight",
        BertOfOneLayer: "names are missing, encoder.layer.1",
        BertForgetsMask: "changes `attention_mask`",
        **patterns(KNOWN[-8:]),
        BertCallsDenseOnly: "never calls self.pooler",
        BertWithTanhOutside: "returns something else than pooler_output",
        BertLooksTooFar: "3 layers give back 4 states",
        BertTakesOneText: "The encoder has run",
        BertMaskOfTheTokenizer: "not take what you give it .*as chapter 4 did",
    },
)
