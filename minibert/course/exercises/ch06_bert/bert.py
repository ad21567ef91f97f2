"""Exercise `Bert`: task, hints, solution and check."""

from collections import OrderedDict
from functools import cache

import torch
from torch import nn

from minibert.course.exercises.base import (
    Exercise,
    known,
)
from minibert.course.exercises.ch06_bert.common import CHAPTER, SMALL
from minibert.course.exercises.compare import (
    Mistake,
    expect_tensor,
    give_weights,
    recognise,
)
from minibert.embeddings import BertEmbeddings
from minibert.encoder import BertEncoder
from minibert.model import BertModel, BertOutputs


class Bert(nn.Module):
    """Embeddings, encoder and pooler, under the checkpoints' names.

    forward takes tensors B × S, the mask as the tokenizer returns
    it, and returns BertOutputs: last_hidden_state, B × S × H, and
    pooler_output, B × H.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embeddings = BertEmbeddings(config)
        self.encoder = BertEncoder(config)
        size = config.hidden_size
        self.pooler = nn.Sequential(
            OrderedDict(dense=nn.Linear(size, size), activation=nn.Tanh())
        )  # blank: with a part `dense`, tanh included

    def forward(
        self, input_ids, token_type_ids=None, attention_mask=None
    ):  # fmt: skip
        mask = (
            None if attention_mask is None
            else attention_mask.bool()[:, None, None, :]
        )  # blank: [B, 1, 1, S], boolean, or None  # fmt: skip
        hidden = self.embeddings(
            input_ids, token_type_ids=token_type_ids
        )  # fmt: skip
        states, _ = self.encoder(hidden, mask)  # [B, S, H], L + 1 times
        last = states[-1]  # blank: [B, S, H]
        pooled = self.pooler(last[:, 0])  # blank: [B, H]
        return BertOutputs(last_hidden_state=last, pooler_output=pooled)


@cache
def _sample():
    """The sample that answers are tested on.

    Returns the correct model, its inputs (ids, segments, mask), its outputs, and the
    outputs of all known mistakes with their feedback.
    """
    generator = torch.Generator().manual_seed(0)
    reference = BertModel(SMALL).double().eval()
    with torch.no_grad():
        for parameter in reference.parameters():
            # so large that every mistake changes the result visibly
            parameter.normal_(std=0.5, generator=generator)
    ids = torch.randint(1, 19, (2, 7), generator=generator)  # [B, S]
    segments = torch.tensor([[0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1, 0, 0]])  # [B, S]
    mask = torch.tensor([[1] * 7, [1] * 5 + [0] * 2])  # [B, S]
    others = []
    for wrong, sentence in known(Bert):
        other = wrong(SMALL).double().eval()
        other.load_state_dict(reference.state_dict())
        others.append(
            (
                other(ids, segments, mask),
                sentence.format(
                    padding=int((mask[1] == 0).sum()), states=SMALL.num_hidden_layers + 1
                ),
            )
        )
    return (
        reference,
        (ids, segments, mask),
        reference(ids, token_type_ids=segments, attention_mask=mask),
        others,
    )


def check_bert(answer):
    reference, inputs, right, others = _sample()
    ids, segments, mask = (given.clone() for given in inputs)  # the answer may change them
    give_weights(mine := answer(SMALL), reference.state_dict(), "Your model")
    mine = mine.double().eval()
    mine.load_state_dict(reference.state_dict())
    found = _run(mine, ids, segments, mask)
    if not isinstance(found, BertOutputs):
        raise Mistake(
            f"forward should return BertOutputs, as the docstring says, not {type(found).__name__}."
        )
    if isinstance(found.last_hidden_state, list):
        raise Mistake(
            f"last_hidden_state is a list of {len(found.last_hidden_state)}: the encoder gives back all its states, take the last."
        )
    texts, tokens = ids.shape
    if list(getattr(found.pooler_output, "shape", [])) == [tokens, SMALL.hidden_size]:
        raise Mistake(
            f"Your pooler gives {tokens} vectors for {texts} texts: `last[0]` is the first *text*; [CLS] of every text is `last[:, 0]`."
        )
    if list(getattr(found.last_hidden_state, "shape", [])) == [texts, SMALL.hidden_size]:
        raise Mistake(
            f"Your last_hidden_state is [2, 12], a vector for each text: the two have changed places, or token 0 alone is in it. It has a vector for each token, {[*ids.shape, 12]}."
        )
    if not torch.equal(
        found.last_hidden_state,
        mine(ids, token_type_ids=segments, attention_mask=mask).last_hidden_state,
    ):
        raise Mistake(
            "Two calls with the same ids differ, in evaluation mode: something is drawn. Dropout is inside the parts already, and stops there."
        )
    recognise(
        found.last_hidden_state,
        right.last_hidden_state,
        [(other.last_hidden_state, sentence) for other, sentence in others],
        "last_hidden_state",
        tolerance=1e-8,
    )
    recognise(
        found.pooler_output,
        right.pooler_output,
        [(other.pooler_output, sentence) for other, sentence in others],
        "pooler_output",
        tolerance=1e-8,
    )
    _check_other_calls(mine, reference, ids)
    _check_pooler_is_called(mine, ids)


def _run(mine, ids, segments, mask):
    """Runs the answer and returns its outputs.

    If it raises an exception, hooks on its submodules tell how far it came, and that determines the
    feedback of the Mistake.
    """
    entered, left, hooks = [], [], []
    for name in ("embeddings", "encoder"):
        part = getattr(mine, name)
        hooks += [
            part.register_forward_pre_hook(lambda *_, name=name: entered.append(name)),
            part.register_forward_hook(lambda *_, name=name: left.append(name)),
        ]
    try:
        return mine(ids, token_type_ids=segments, attention_mask=mask)
    except IndexError:
        if "embeddings" not in left:
            raise Mistake(
                f"Ids up to {int(ids.max())} are looked up in the segment table, which has {mine.config.type_vocab_size} rows: "
                "the embeddings take ids first, segments second."
            ) from None
        if "encoder" not in left:
            raise
        raise Mistake(
            f"A state is looked up that is not there: {mine.config.num_hidden_layers} layers give back {mine.config.num_hidden_layers + 1} states, "
            "counted from 0; the last one is states[-1]."
        ) from None
    except (RuntimeError, TypeError, ValueError) as error:
        if "positional" in str(error) and entered == ["embeddings"]:
            raise Mistake(
                f"The embeddings take the ids by position and everything else by name ({error}): write token_type_ids=… for the segments."
            ) from None
        if "encoder" in left:
            raise Mistake(
                f"The encoder has run, and what you make of its result does not fit ({error}). It gives back a list of states and the weights. One state is {[*ids.shape, 12]}; "
                f"[CLS] of every text is last[:, 0], {[len(ids), 12]}, and that goes through the pooler."
            ) from None
        if "encoder" in entered and "embeddings" in left:
            raise Mistake(
                f"The encoder does not take what you give it ({error}): it needs the vectors that come out of the embeddings, and a boolean mask [B, 1, 1, S], "
                f"here {[len(ids), 1, 1, ids.size(1)]}: make it from attention_mask, as chapter 4 did."
            ) from None
        raise
    finally:
        for hook in hooks:
            hook.remove()


def _check_other_calls(mine, reference, ids):
    try:
        alone = mine(ids).last_hidden_state
    except AttributeError as error:
        raise Mistake(
            f"With ids alone your model stops ({error}): without an attention_mask nothing is hidden, and the encoder takes None for that."
        ) from None
    if not torch.allclose(alone, reference(ids).last_hidden_state):
        raise Mistake(
            "With ids alone your model gives something else than with segments 0 and nothing masked."
        )
    shorter = ids[:1, :3]  # [1, 3]
    expect_tensor(
        mine(shorter).last_hidden_state,
        reference(shorter).last_hidden_state.shape,
        "last_hidden_state of one text of 3 tokens",
    )
    for part, name in (
        (mine(ids).last_hidden_state.sum(), "last_hidden_state"),
        (mine(ids).pooler_output.sum(), "pooler_output"),
    ):
        weight = mine.embeddings.word_embeddings.weight
        if (
            not part.requires_grad
            or torch.autograd.grad(part, weight, allow_unused=True)[0] is None
        ):
            raise Mistake(
                f"No gradient goes from {name} back to the embeddings, so they would never learn: no torch.no_grad, no detach."
            )


def _check_pooler_is_called(mine, ids):
    """A forward hook records a module only when it is called, and then what it returns."""
    recorded = []
    hook = mine.pooler.register_forward_hook(lambda *passed: recorded.append(passed[-1]))
    try:
        pooled = mine(ids).pooler_output
    finally:
        hook.remove()
    if not recorded:
        raise Mistake(
            "Your numbers are right, but forward never calls self.pooler, so a recording of all modules would miss it: put the tanh inside, and call the pooler itself."
        )
    if not (torch.is_tensor(recorded[0]) and torch.equal(recorded[0], pooled)):
        raise Mistake(
            "Your numbers are right, but self.pooler returns something else than pooler_output, so a recording of all modules would show a difference there."
        )


EXERCISE = Exercise(
    chapter=CHAPTER,
    size="build",
    minutes=15,
    title="BERT in one class",
    solution=Bert,
    check=check_bert,
    task="""Complete the class. `BertEmbeddings(config)` and `BertEncoder(config)` contain what you built in chapters 2 to 5.

- **Pooler**: its weights must be called `pooler.dense.weight` and `pooler.dense.bias`, as in the published checkpoints. Make it a module that returns the pooled vectors, tanh included. You will later record the outputs of all modules that are called.
- **Forward**: fill in the mask, the last hidden state and the pooled vectors. The tokenizer returns the mask as whole numbers `[B, S]`; the encoder takes a boolean one, `[B, 1, 1, S]`, as in chapter 4, or None. The encoder returns the list of all $L + 1$ hidden states first.""",
    hints=(
        "PyTorch builds the name of a weight from the attributes on the way to it. `nn.Sequential(OrderedDict(dense=…))` has a part called `dense`, and so has a small `nn.Module` of your own. Print the names in `state_dict()` as soon as `__init__` runs.",
        "Compare `[B, S]` with the shape that the encoder takes: where are the new axes? `mask[:, None]` adds one.",
    ),
    paragraph="The whole model",
)
