"""Answers to `SentenceEncoder` on which its check is tried."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.config import BertConfig
from minibert.course.exercises.ch10_bertsum.sentence_encoder import SentenceEncoder
from minibert.encoder import BertEncoder
from minibert.positions import sinusoidal_table
from planted import Answers


class EncoderByHand(SentenceEncoder):
    def logits(self, vectors, mask):
        x = torch.where(mask[..., None], vectors, 0.0) + sinusoidal_table(*vectors.shape[1:]).to(
            vectors
        )
        for layer in self.encoder.layer:
            x, _ = layer(x, mask[:, None, None])
        return (self.encoder.norm(x) @ self.scorer.weight.T + self.scorer.bias)[..., 0]

    def forward(self, vectors, mask):
        return torch.sigmoid(self.logits(vectors, mask)).masked_fill(~mask, 0.0)


class EncoderOneByOne(SentenceEncoder):
    def logits(self, vectors, mask):
        rows = []
        for document, real in zip(vectors, mask):
            short = document[real][None]
            states, _ = self.encoder(short + sinusoidal_table(*short.shape[1:]).to(short))
            rows.append(F.pad(self.scorer(states[-1])[0, :, 0], (0, len(real) - int(real.sum()))))
        return torch.stack(rows)

    def forward(self, vectors, mask):
        return torch.where(mask, self.logits(vectors, mask).sigmoid(), torch.zeros(()).to(vectors))


class _Other(SentenceEncoder):
    """The ways to get it wrong: what goes in, who may look where, what is read off."""

    def before(self, vectors, mask):
        return vectors * mask.unsqueeze(-1) + sinusoidal_table(*vectors.shape[1:]).to(vectors)

    def keys(self, mask):
        return mask[:, None, None]

    state = -1

    def logits(self, vectors, mask):
        states, _ = self.encoder(self.before(vectors, mask), self.keys(mask))
        return self.scorer(states[self.state]).squeeze(-1)


class EncoderWithoutPositions(_Other):
    def before(self, vectors, mask):
        return vectors * mask.unsqueeze(-1)


class EncoderScaled(_Other):
    def before(self, vectors, mask):
        return vectors * mask.unsqueeze(-1) * vectors.size(2) ** 0.5 + sinusoidal_table(
            *vectors.shape[1:]
        ).to(vectors)


class EncoderBackwards(_Other):
    def before(self, vectors, mask):
        return vectors * mask.unsqueeze(-1) + sinusoidal_table(*vectors.shape[1:]).flip(0).to(
            vectors
        )


class EncoderWithoutMask(_Other):
    def keys(self, mask):
        return None


class EncoderMaskRound(_Other):
    def keys(self, mask):
        return ~mask[:, None, None]


class EncoderOneLayer(_Other):
    state = -2


class EncoderNoLayer(_Other):
    state = 0


class EncoderTwiceSigmoid(_Other):
    def logits(self, vectors, mask):
        return super().logits(vectors, mask).sigmoid()


class EncoderScoresPadding(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask).sigmoid()


class EncoderGivesLogits(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask) * mask


class EncoderSharesOne(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask).masked_fill(~mask, -torch.inf).softmax(dim=-1)


class EncoderHalfForPadding(SentenceEncoder):
    def forward(self, vectors, mask):
        return (self.logits(vectors, mask) * mask).sigmoid()


class EncoderWithDeadNorm(SentenceEncoder):
    def __init__(self, hidden_size, feedforward_size=2048, num_heads=8, num_layers=2):
        super().__init__(hidden_size, feedforward_size, num_heads, num_layers)
        self.encoder.layer[0].attention.output.LayerNorm = nn.LayerNorm(hidden_size, eps=1e-6)


class EncoderPostNorm(SentenceEncoder):
    def __init__(self, hidden_size, feedforward_size=2048, num_heads=8, num_layers=2):
        super().__init__(hidden_size, feedforward_size, num_heads, num_layers)
        self.encoder = BertEncoder(
            BertConfig(
                vocab_size=1,
                hidden_size=hidden_size,
                intermediate_size=feedforward_size,
                num_attention_heads=num_heads,
                num_hidden_layers=num_layers,
            )
        )


class EncoderThreeNumbers(SentenceEncoder):
    def logits(self, vectors, mask):
        return super().logits(vectors, mask).unsqueeze(-1)


class EncoderSqueezes(_Other):
    def logits(self, vectors, mask):
        states, _ = self.encoder(self.before(vectors, mask), self.keys(mask))
        return self.scorer(states[-1]).squeeze()


class EncoderOfPositions(_Other):
    def before(self, vectors, mask):
        return super().before(vectors * 0, mask)


class EncoderTimesPositions(_Other):
    def before(self, vectors, mask):
        return vectors * sinusoidal_table(*vectors.shape[1:]).to(vectors)


class EncoderBesidePositions(_Other):
    def before(self, vectors, mask):
        return torch.cat(
            [vectors, sinusoidal_table(*vectors.shape[1:]).to(vectors).expand_as(vectors)], dim=-1
        )


class EncoderMaskOfQueries(_Other):
    def keys(self, mask):
        return mask[:, None, :, None]


class EncoderMaskFlat(_Other):
    def keys(self, mask):
        return mask


class EncoderMaskOfNumbers(_Other):
    def keys(self, mask):
        return mask[:, None, None].float()


class EncoderWithoutScorer(_Other):
    def logits(self, vectors, mask):
        return self.encoder(self.before(vectors, mask), self.keys(mask))[0][-1][..., 0]


class EncoderOfMeans(_Other):
    def logits(self, vectors, mask):
        return self.encoder(self.before(vectors, mask), self.keys(mask))[0][-1].mean(dim=-1)


class EncoderNormedTwice(_Other):
    def logits(self, vectors, mask):
        last = self.encoder(self.before(vectors, mask), self.keys(mask))[0][-1]
        return self.scorer(F.layer_norm(last, last.shape[-1:])).squeeze(-1)


class EncoderScoresOnlyPadding(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask).sigmoid() * ~mask


class EncoderTanh(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask).tanh() * mask


class EncoderRelu(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.logits(vectors, mask).relu() * mask


class EncoderDecides(SentenceEncoder):
    def forward(self, vectors, mask):
        return (self.logits(vectors, mask).sigmoid() > 0.5) * mask


class EncoderScoresInputs(SentenceEncoder):
    def forward(self, vectors, mask):
        return self.scorer(vectors).squeeze(-1).sigmoid() * mask


class EncoderDetached(SentenceEncoder):
    def logits(self, vectors, mask):
        return super().logits(vectors.detach(), mask)


class EncoderOfTwelve(SentenceEncoder):
    def __init__(self, hidden_size, feedforward_size=2048, num_heads=8, num_layers=2):
        super().__init__(12, 20, 3, 2)


ANSWERS = Answers(
    right=(EncoderByHand, EncoderOneByOne),
    wrong={
        EncoderWithoutPositions: "know no positions",
        EncoderScaled: "scaled by √H = 3.46",
        EncoderBackwards: "from the end",
        EncoderWithoutMask: "look at 2 that are padding",
        EncoderMaskRound: "wrong way round",
        EncoderOneLayer: "first layer; two",
        EncoderNoLayer: "no sentence has seen another",
        EncoderTwiceSigmoid: "the sigmoid belongs into forward",
        EncoderScoresPadding: "in the race",
        EncoderGivesLogits: "Your scores are logits",
        EncoderSharesOne: "share out 1",
        EncoderHalfForPadding: "0.50, the sigmoid of 0",
        EncoderWithDeadNorm: "2 tensors too many",
        EncoderPostNorm: "cannot take the weights",
        EncoderThreeNumbers: "should have the shape \\[2, 5\\]",
        EncoderSqueezes: r"squeeze\(\) takes away every axis",
        EncoderOfPositions: "positions alone",
        EncoderTimesPositions: "\\*times\\* the table",
        EncoderBesidePositions: "is 24 wide",
        EncoderMaskOfQueries: r"\[B, 1, N, 1\]",
        EncoderMaskFlat: "somewhere it does not fit",
        EncoderMaskOfNumbers: "no longer boolean",
        EncoderWithoutScorer: "first number of each state",
        EncoderOfMeans: "means of the states",
        EncoderNormedTwice: "once too often",
        EncoderScoresOnlyPadding: "padding and nothing else",
        EncoderTanh: "a tanh",
        EncoderRelu: "positive logits",
        EncoderDecides: "a decision",
        EncoderScoresInputs: "as they went in",
        EncoderDetached: "No gradient",
        EncoderOfTwelve: r"SentenceEncoder\(8, 12, 2, 1\)",
    },
)
