"""Wrong answers to `Bert`; the module `bert` has the feedback for each."""

import torch
import torch.nn.functional as F

from minibert.course.exercises.ch06_bert.bert import Bert
from minibert.inference.sentence_embeddings import mean_pool
from minibert.model import BertOutputs


class _Variant(Bert):
    """The solution split into small methods, so that each wrong answer overrides one of them."""

    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        states, _ = self.encoder(self.embed(input_ids, token_type_ids), self.mask(attention_mask))
        return BertOutputs(self.last(states), self.pool(states))

    def embed(self, input_ids, token_type_ids):
        return self.embeddings(input_ids, token_type_ids=token_type_ids)

    def mask(self, attention_mask):
        return attention_mask.bool()[:, None, None, :]

    def last(self, states):
        return states[-1]

    def pool(self, states):
        return self.pooler.dense(states[-1][:, 0]).tanh()


class BertWithoutSegments(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(input_ids)


class BertWithoutMask(_Variant):
    def mask(self, attention_mask):
        return None


class BertMaskUpsideDown(_Variant):
    def mask(self, attention_mask):
        return ~attention_mask.bool()[:, None, None, :]


class BertLastButOne(_Variant):
    def last(self, states):
        return states[-2]


class BertFirstState(_Variant):
    def last(self, states):
        return states[0]


class BertWithoutTanh(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1][:, 0])


class BertRawCls(_Variant):
    def pool(self, states):
        return states[-1][:, 0]


class BertPoolsMean(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1].mean(dim=1)).tanh()


class BertPoolsLastToken(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1][:, -1]).tanh()


class BertPoolsRealMean(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        last = super().forward(input_ids, token_type_ids, attention_mask).last_hidden_state
        return BertOutputs(last, self.pooler.dense(mean_pool(last, attention_mask)).tanh())


class BertPoolsMaximum(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1].amax(dim=1)).tanh()


class BertPoolsTokenOne(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1][:, 1]).tanh()


class BertTanhFirst(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1][:, 0].tanh())


class BertSigmoid(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1][:, 0]).sigmoid()


class BertGeluPooler(_Variant):
    def pool(self, states):
        return F.gelu(self.pooler.dense(states[-1][:, 0]))


class BertReluPooler(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1][:, 0]).relu()


class BertMeanOfStates(_Variant):
    def last(self, states):
        return torch.stack(states).mean(dim=0)


class BertMeanOfLayers(_Variant):
    def last(self, states):
        return torch.stack(states[1:]).mean(dim=0)


class BertPoolsLayerBelow(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-2][:, 0]).tanh()


class BertPoolsEmbeddings(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[0][:, 0]).tanh()


class BertZeroesPadding(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        found = super().forward(input_ids, token_type_ids, attention_mask)
        return BertOutputs(found.last_hidden_state * attention_mask[..., None], found.pooler_output)


class BertRunsTwice(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        mask = self.mask(attention_mask)
        states = self.encoder(
            self.encoder(self.embed(input_ids, token_type_ids), mask)[0][-1], mask
        )[0]
        return BertOutputs(states[-1], self.pool(states))


class BertFirstTextForAll(_Variant):
    def last(self, states):
        return states[-1][:1].expand_as(states[-1])


class BertSegmentsExchanged(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(input_ids, token_type_ids=1 - token_type_ids)


class BertSegmentsAsPositions(_Variant):
    def embed(self, input_ids, token_type_ids):
        return self.embeddings(input_ids, token_type_ids=None, position_ids=token_type_ids)


class BertMasksQueries(_Variant):
    def mask(self, attention_mask):
        return attention_mask.bool()[:, None, :, None]


class BertAddsEmbeddings(_Variant):
    def last(self, states):
        return states[-1] + states[0]


class _ByLayers(_Variant):
    """Base of the wrong answers that loop over the layers themselves."""

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
        return BertOutputs(
            last,
            self.pooler.dense(last[torch.arange(len(last)), attention_mask.sum(1) - 1]).tanh(),
        )


class BertPoolsSum(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1].sum(dim=1)).tanh()


class BertTanhTwice(_Variant):
    def pool(self, states):
        return super().pool(states).tanh()


class BertSoftmaxPooler(_Variant):
    def pool(self, states):
        return self.pooler.dense(states[-1][:, 0]).softmax(dim=-1)


class BertUnitPooler(_Variant):
    def pool(self, states):
        return F.normalize(super().pool(states), dim=-1)


class BertMaskAsSegments(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        return super().forward(input_ids, attention_mask, attention_mask)


class BertMaskAsPositions(_Variant):
    def forward(self, input_ids, token_type_ids=None, attention_mask=None):
        states, _ = self.encoder(
            self.embeddings(input_ids, token_type_ids=token_type_ids, position_ids=attention_mask),
            self.mask(attention_mask),
        )
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
        return (states[-1][:, 0] @ self.pooler.dense.weight).tanh()


class BertPoolsWithoutBias(_Variant):
    def pool(self, states):
        return (states[-1][:, 0] @ self.pooler.dense.weight.T).tanh()
