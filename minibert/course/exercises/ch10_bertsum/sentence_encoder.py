"""Exercise `SentenceEncoder`: task, hints, solution and check."""

import torch
import torch.nn.functional as F
from torch import nn

from minibert.config import BertConfig
from minibert.course.exercises.base import Exercise
from minibert.course.exercises.ch10_bertsum.common import CHAPTER
from minibert.course.exercises.compare import (
    Mistake,
    expect_tensor,
    recognise,
)
from minibert.encoder import BertEncoder
from minibert.positions import sinusoidal_table
from minibert.summarization.heads import InterSentenceEncoder


class SentenceEncoder(nn.Module):
    """A second transformer, whose tokens are sentences; its parts have the names that the package gives them."""

    def __init__(self, hidden_size, feedforward_size=2048, num_heads=8, num_layers=2):
        super().__init__()
        config = BertConfig(
            vocab_size=1,
            hidden_size=hidden_size,
            intermediate_size=feedforward_size,
            num_attention_heads=num_heads,
            num_hidden_layers=num_layers,
            hidden_act="gelu_new",
            layer_norm_eps=1e-6,
            norm_first=True,
        )
        self.encoder = BertEncoder(config)  # chapter 5, with the norms inside
        self.encoder.layer[
            0
        ].attention.output.LayerNorm = nn.Identity()  # the first layer's attention sees x itself
        self.scorer = nn.Linear(hidden_size, 1)

    def logits(self, vectors, mask):
        """vectors [B, N, H] and mask [B, N], True = a sentence -> [B, N]."""
        table = sinusoidal_table(vectors.size(1), vectors.size(2)).to(vectors)  # [N, H]
        x = vectors * mask.unsqueeze(-1) + table  # blank: [B, N, H], 0 for padding, plus the positions as they are  # fmt: skip
        states, _ = self.encoder(x, mask[:, None, None, :])  # blank: all states [B, N, H]; no sentence looks at padding  # fmt: skip
        return self.scorer(states[-1]).squeeze(-1)  # blank: [B, N], from the last state

    def forward(self, vectors, mask):
        """Scores [B, N] from 0 to 1, exactly 0 at padding."""
        return self.logits(vectors, mask).sigmoid() * mask  # blank: [B, N]


def check_sentence_encoder(answer):
    head = InterSentenceEncoder(12, 20, 3, 2, dropout=0.0).double().eval()
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.normal_(std=0.4)  # large, so that every mistake changes the result
        vectors = torch.randn(2, 5, 12, dtype=torch.float64)  # [B, N, H], not 0 at padding
        mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])  # [B, N]
        head.scorer.bias.sub_(head.logits(vectors, mask)[mask].mean())  # logits of both signs
    mine = answer(12, 20, 3, 2)
    if not isinstance(mine, nn.Module):
        raise Mistake(
            f"{answer.__name__}(12, 20, 3, 2) should be an nn.Module, but it is a {type(mine).__name__}."
        )
    mine = mine.double().eval()
    try:
        mine.load_state_dict(head.state_dict())
    except RuntimeError as error:
        own, missing = (
            set(mine.state_dict()) - set(head.state_dict()),
            set(head.state_dict()) - set(mine.state_dict()),
        )
        if (
            own
            and not missing
            and all(name.startswith("encoder.layer.0.attention.output.LayerNorm") for name in own)
        ):
            raise Mistake(
                f"Your class has {len(own)} tensors too many, the first layer's first norm: the published encoder does not normalise there."
            ) from None
        raise Mistake(f"Your class cannot take the weights of the package's: {error}.") from None
    with torch.no_grad():
        _compare_with(head, mine, vectors, mask)
    vectors.requires_grad_()
    if (
        not (score := mine(vectors, mask)[0, 0]).requires_grad
        or torch.autograd.grad(score, vectors, allow_unused=True)[0] is None
    ):
        raise Mistake(
            "No gradient goes from your scores back to the vectors, so the model that makes them would never learn: no detach, no comparison."
        )
    small = answer(8, 12, 2, 1)
    if (found := {name: list(p.shape) for name, p in small.state_dict().items()}) != (
        wanted := {
            name: list(p.shape)
            for name, p in InterSentenceEncoder(8, 12, 2, 1).state_dict().items()
        }
    ):
        name = next(name for name in {**wanted, **found} if found.get(name) != wanted.get(name))
        raise Mistake(
            f"{answer.__name__}(12, 20, 3, 2) is right, but in {answer.__name__}(8, 12, 2, 1) {name} is {found.get(name)} where {wanted.get(name)} is right: use the sizes that are given."
        )


def _fitting(part, vectors, mask):
    """Calls a part of the answer; raises Mistake with an explanation if shapes do not match."""
    try:
        return part(vectors, mask)
    except RuntimeError as error:  # includes NotImplementedError
        if "mat1" in str(error) and f"x{2 * vectors.size(2)} and" in str(error):
            raise Mistake(
                f"What you give to the encoder is {2 * vectors.size(2)} wide, its vectors are {vectors.size(2)}: the table is added to the sentences, not set beside them."
            ) from None
        if "bitwise" in str(error):
            raise Mistake(
                "The mask that you give to the encoder is no longer boolean; leave it as it is, and add two axes."
            ) from None
        if "size of tensor" in str(error):
            raise Mistake(
                f"The mask is {list(mask.shape)}, and somewhere it does not fit: beside the vectors {list(vectors.shape)} it needs one more axis at the end, mask.unsqueeze(-1); "
                "for the encoder two in the middle, [B, 1, 1, N]; beside the logits none."
            ) from None
        raise


def _compare_with(head, mine, vectors, mask):
    right, table = head.logits(vectors, mask), sinusoidal_table(5, 12).double()  # [B, N], [N, H]
    real = mask.double().unsqueeze(-1)  # [B, N, 1]
    found = _fitting(mine.logits, vectors, mask)
    expect_tensor(found, mask.shape, "what your logits give back")
    scores = _fitting(mine, vectors, mask)
    for documents, sentences in ((1, 5), (2, 1)):
        shape = list(
            mine.logits(vectors[:documents, :sentences], mask[:documents, :sentences]).shape
        )
        if shape != [documents, sentences]:
            raise Mistake(
                f"For {documents} documents of {sentences} sentences your logits have the shape {shape}, where [{documents}, {sentences}] is right: "
                "squeeze() takes away every axis of length 1; squeeze(-1) takes the last alone."
            )

    def run(x, key_mask, state=-1):
        return head.scorer(head.encoder(x, key_mask)[0][state]).squeeze(-1)  # [B, N]

    keys = mask[:, None, None, :]  # [B, 1, 1, N]
    x = vectors * real + table  # [B, N, H]
    what = "logits of a document of 5 sentences"
    whole, recognised = (
        slice(0, 1),
        [  # the first document has no padding, so these mistakes do not involve masks
            (
                run(vectors * real, keys),
                f"Your {what} know no positions: exchange two sentences and you exchange their scores.",
            ),
            (
                run(vectors * real * 12**0.5 + table, keys),
                f"Your {what} are those of vectors scaled by √H = 3.46. The module of the original can do that, but this encoder adds the table as it is.",
            ),
            (
                run(vectors * real + table.flip(0), keys),
                f"Your {what} count the positions from the end.",
            ),
            (run(x, keys, -2), f"Your {what} are read off the first layer; two are to be run."),
            (
                run(x, keys, 0),
                f"Your {what} are read off what goes into the encoder: no sentence has seen another.",
            ),
            (
                run(x, ~keys),
                f"Your {what} come from sentences that may look at nothing: the mask is the wrong way round. True means 'may be looked at'.",
            ),
            (
                right.sigmoid(),
                f"Your {what} lie between 0 and 1: the sigmoid belongs into forward, or it is taken twice.",
            ),
            (
                head.scorer(F.layer_norm(head.encoder(x, keys)[0][1], (12,))).squeeze(-1),
                f"Your {what} leave out the second layer.",
            ),
            (
                run(table.expand_as(vectors), keys),
                f"Your {what} come from the positions alone: the vectors of the sentences are not in your x.",
            ),
            (
                run(vectors * real * table, keys),
                f"Your {what} come from vectors *times* the table; positions are added.",
            ),
            (
                head.encoder(x, keys)[0][-1][..., 0],
                f"Your {what} are the first number of each state; the scorer makes one number of all {vectors.size(2)}.",
            ),
            (
                head.encoder(x, keys)[0][-1].mean(dim=-1),
                f"Your {what} are the means of the states; the scorer makes one number of each state.",
            ),
            (
                head.scorer(F.layer_norm(head.encoder(x, keys)[0][-1], (12,))).squeeze(-1),
                f"Your {what} are normalised once too often: the encoder ends in a norm of its own.",
            ),
        ],
    )
    recognise(
        found[whole],
        right[whole],
        [(value[whole], sentence) for value, sentence in recognised],
        "what your logits give for a document without padding",
        1e-7,
    )
    recognise(
        found[mask],
        right[mask],
        [
            (
                run(x, None)[mask],
                f"In a batch with a longer document your logits change: 3 sentences look at {int((~mask).sum())} that are padding. The encoder takes a mask [B, 1, 1, N].",
            ),
            (
                run(x, mask[:, None, :, None])[mask],
                "Your mask is [B, 1, N, 1]: it forbids padding to *look*. What is looked *at* is the last axis, [B, 1, 1, N].",
            ),
        ],
        "what your logits give for a document of 3 sentences and padding",
        1e-7,
    )
    recognise(
        scores,
        right.sigmoid() * mask,
        [
            (
                right.sigmoid(),
                f"Your score of padding is {right.sigmoid()[1, 4]:.2f}: padding would be in the race for a summary. Its score is exactly 0.",
            ),
            (
                right * mask,
                f"Your scores are logits, {right[0, 0]:.2f} for the first sentence; a score lies between 0 and 1.",
            ),
            (
                right.masked_fill(~mask, -torch.inf).softmax(dim=-1),
                "Your scores share out 1 among the sentences of a document (softmax). Each sentence is a question of its own: a sigmoid.",
            ),
            (
                (right * mask).sigmoid(),
                "Your score of padding is 0.50, the sigmoid of 0: multiply by the mask after the sigmoid.",
            ),
            (
                right.sigmoid() * ~mask,
                "You score the padding and nothing else: the mask is True where there is a sentence.",
            ),
            (
                right.tanh() * mask,
                "Your scores are a tanh, from -1 to 1; a score lies between 0 and 1, by a sigmoid.",
            ),
            (
                right.relu() * mask,
                "Your scores are the positive logits (ReLU); a score lies between 0 and 1, by a sigmoid.",
            ),
            (
                ((right > 0) & mask).double(),
                "Your scores are 0 or 1: a decision. A summary needs to know which sentence is ahead.",
            ),
            (
                head.scorer(vectors).squeeze(-1).sigmoid() * mask,
                "Your scores come from the vectors as they went in; forward begins with self.logits(vectors, mask).",
            ),
        ],
        "what your forward gives",
        1e-7,
    )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="A transformer whose tokens are sentences",
    solution=SentenceEncoder,
    check=check_sentence_encoder,
    task="Write the encoder over sentences: positions are added, the encoder of chapter 5 runs with a mask, a linear map gives a number for each sentence. "
    "The parts are made for you, with the names that the package gives them; your class will score real documents below.",
    hints=(
        "Padding becomes 0, then the table of positions is added as it is. The mask [B, N] hides *keys*, so the encoder wants it as [B, 1, 1, N].",
        "`self.encoder(x, mask[:, None, None, :])` gives a list of states and the weights. The last state is the result; `squeeze(-1)` takes away the axis of length 1.",
    ),
    paragraph="The second transformer, by hand",
)
