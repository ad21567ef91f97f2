"""Exercises of chapter 8: accuracy, the two losses, batches in pieces, groups of parameters, the learning rate, a log."""

import math
from numbers import Real

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from minibert.exercises.base import Exercise, Mistake, also, draw, expect_tensor, known, recognise

CHAPTER = "08_pretraining"


# -- warm-up: accuracy over the right positions ----------------------------------------------------------------------

def word_accuracy(logits, labels):
    """The share of the masked words that are guessed: logits [B, S, V], labels [B, S] (-100 = not masked) -> a scalar."""
    chosen = labels != -100                         # blank: [B, S], True where a word was to be guessed
    hits = logits.argmax(dim=-1) == labels          # blank: [B, S], True where the highest score is the word's
    return hits[chosen].float().mean()              # blank: hits among the chosen


def check_word_accuracy(answer):
    labels = torch.full((2, 8), -100)                                           # [B, S]
    labels[0, [1, 2, 3, 5]], labels[1, [2, 4, 6]] = torch.tensor([5, 0, 2, 6]), torch.tensor([3, 1, 7])
    counted = labels != -100                                                    # [B, S]
    words = int(counted.sum())
    perfect = 5.5 * F.one_hot(labels.clamp(min=0), 8).float()                   # [B, S, V], S = V: a wrong axis does not show by its shape
    logits = torch.randn(2, 8, 8).where(~counted[..., None], perfect)           # [B, S, V]
    logits[0, 1] *= 0.2                                                         # found, with a probability below a half
    logits[0, 3], logits[1, 4, 6] = -logits[0, 3], 8.0                          # two of the seven are missed, one by far and one as the second best
    logits[0, [0, 4, 6], 0] = 9.0                                               # word 0 leads where nothing was asked
    logits[0, 0, 2] = logits[1, 3, 2] = logits[1, 1, 4] = 8.0                   # an argmax over positions finds three of them
    found = _number(answer(logits.clone(), labels.clone()), "word_accuracy")
    hits = logits.argmax(dim=-1) == labels                                      # [B, S]
    rows = [float(hits[i][counted[i]].float().mean()) for i in range(2)]
    numbers = dict(found=found, rows=rows, you=f"Your accuracy is {found:.2f}")
    suspects = [(torch.as_tensor(wrong(logits, labels)), sentence.format(**numbers)) for wrong, sentence in known(word_accuracy)]
    recognise(found, hits[counted].double().mean(), suspects, "your accuracy", tolerance=1e-5)
    again = float(answer(perfect, labels.clone()))
    if not math.isclose(again, 1, rel_tol=1e-6):
        raise Mistake(f"A perfect model scores {again:.2f} with you, where it must score 1; for another model you had {found:.2f}, which is right.")
    also(answer, word_accuracy, (draw(3, 4, 5), torch.tensor([[-100, 2, -100, 0], [4, -100, -100, -100], [-100, 1, 3, -100]])))     # [B, S, V], [B, S]


# -- build: the two losses -------------------------------------------------------------------------------------------

def pretraining_losses(word_logits, word_labels, pair_logits, pair_labels):
    """The mean loss of the masked words and the mean loss of the pairs, in nats: two scalars.

    word_logits [B, S, V], word_labels [B, S] (-100 = not masked); pair_logits [B, 2], pair_labels [B] (0 or 1).
    """
    chosen = word_labels != -100                                            # [B, S]
    logs = word_logits[chosen].log_softmax(dim=-1)                          # blank: [M, V], log-probabilities at the masked positions
    word_loss = -logs.gather(1, word_labels[chosen][:, None]).mean()        # blank: minus those of the true words, the mean over M
    pair_loss = F.cross_entropy(pair_logits, pair_labels)                   # blank: the same for two classes, in one call
    return word_loss, pair_loss


def check_pretraining_losses(answer):
    word_labels = torch.full((2, 6), -100)                                      # [B, S]
    word_labels[0, [1, 3, 5]], word_labels[1, 2] = torch.tensor([4, 0, 2]), 3
    pair_labels = torch.tensor([0, 1])                                          # [B]
    word_logits = 2 * torch.randn(2, 6, 5, dtype=torch.float64)                 # [B, S, V]
    pair_logits = torch.tensor([[1.5, -0.5], [2.0, 0.7]], dtype=torch.float64)  # [B, 2]
    found = answer(word_logits.clone().requires_grad_(), word_labels.clone(), pair_logits.clone().requires_grad_(), pair_labels.clone())
    if not isinstance(found, tuple | list | torch.Tensor) or isinstance(found, torch.Tensor) and found.shape != (2,) or len(found) != 2:
        raise Mistake(f"pretraining_losses should give back two losses, the words' and the pairs', not a {type(found).__name__}"
                      f"{f' of shape {list(found.shape)}' if isinstance(found, torch.Tensor) else ''}.")
    word, pair = _number(found[0], "the word loss"), _number(found[1], "the pair loss")

    given = word_logits, word_labels, pair_logits, pair_labels
    words, pairs = pretraining_losses(*given)
    rows = [pretraining_losses(logits[None], labels[None], pair_logits, pair_labels)[0] for logits, labels in zip(word_logits, word_labels)]
    if torch.isclose(word, pairs) and torch.isclose(pair, words):
        raise Mistake(f"Your losses stand in the wrong order: {word:.2f} is the pairs' and comes second. That is how a log comes to say what is not so.")
    numbers = dict(word=word, pair=pair, words=words, pairs=pairs, rows=rows)
    suspects = [(wrong(*given), sentence.format(**numbers)) for wrong, sentence in known(pretraining_losses)]
    recognise(word, words, [(losses[0], sentence) for losses, sentence in suspects], "your word loss", tolerance=1e-5)
    recognise(pair, pairs, [(losses[1], sentence) for losses, sentence in suspects], "your pair loss", tolerance=1e-5)
    for loss, name, example in ((found[0], "word", words), (found[1], "pair", pairs)):
        if not getattr(loss, "requires_grad", False):
            raise Mistake(f"Your {name} loss, {example:.2f}, is right but a bare number: no gradient can go back through it. Leave it a tensor (no `.item()`, no `.detach()`).")
    also(answer, pretraining_losses, (draw(3, 4, 7), torch.tensor([[-100, 6, -100, 0], [-100, -100, 3, -100], [1, 2, -100, 5]]), draw(3, 2, seed=1), torch.tensor([1, 0, 1])))


# -- build: a batch in pieces ----------------------------------------------------------------------------------------

def backward_in_pieces(model, pieces):
    """Leave in the parameters the gradient of the mean loss over all masked words of all pieces; return that loss.

    Each piece is (inputs, labels); model(inputs) gives logits [B, S, V], labels are [B, S] (-100 = not masked).
    Only one piece's activations may be held at a time.
    """
    words = sum(int((labels != -100).sum()) for _, labels in pieces)            # blank: masked words in the whole batch
    total = 0.0
    for inputs, labels in pieces:
        logits = model(inputs)                                                  # [B, S, V]
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum") / words     # blank: this piece's share of the loss
        loss.backward()
        total += loss.item()
    return total


def check_backward_in_pieces(answer):
    def piece(rows, masked):
        labels = torch.full((rows, 6), -100)                                    # [B, S]
        labels.view(-1)[:masked] = torch.randint(5, (masked,))
        return torch.randn(rows, 6, 4, dtype=torch.float64), labels             # [B, S, 4], [B, S]

    pieces = [piece(3, 7), piece(2, 2), piece(3, 1)]
    counts = [int((labels != -100).sum()) for _, labels in pieces]
    model = nn.Linear(4, 5).double()

    def gradient(weights):
        """Of the weighted sum of the pieces' summed losses, and that sum: what each known mistake would leave."""
        losses = [F.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum") for x, y in pieces]
        total = sum(weight * loss for weight, loss in zip(weights, losses))
        return torch.autograd.grad(total, model.weight)[0], total.item()

    (right, value), words = gradient([1 / sum(counts)] * 3), sum(counts)
    before = model.weight.detach().clone()
    held, waiting, most_waiting = [], set(), []         # rows of each forward; which have not gone backward yet; how many, at each

    def remember(module, inputs, output):
        number = len(held)
        held.append(output.numel() // (6 * 5))
        if output.requires_grad:
            waiting.add(number)
            output.register_hook(lambda gradient: waiting.discard(number))
        most_waiting.append(len(waiting))

    handle = model.register_forward_hook(remember)
    try:
        found = answer(model, pieces)
    finally:
        handle.remove()
    if model.weight.grad is None:
        raise Mistake(f"After your {len(held)} forward passes the parameters have no gradient: `backward` is missing.")
    if max(held, default=0) > 3:
        raise Mistake(f"You run {max(held)} rows at once: all pieces in one. That is the big batch itself, which is what does not fit.")
    if not torch.equal(before, model.weight):
        raise Mistake(f"The weights have moved, by up to {(before - model.weight).abs().max():.3f}. Leave a gradient and nothing else; the optimiser steps once, after all {len(pieces)} pieces.")
    size = f"The norm of your gradient is {model.weight.grad.norm():.3f}, that of the big batch {right.norm():.3f}"
    recognise(model.weight.grad, right, [
        (gradient([1 / (3 * count) for count in counts])[0],
         f"{size}: you take the mean of the pieces' means, so the 1 masked word of the last piece weighs as much as the 7 of the first. Divide sums by the {words} words of all pieces."),
        (gradient([1 / count for count in counts])[0],
         f"{size}: you add up the pieces' means; it grows with the number of pieces ({len(pieces)}), and their words weigh unequally."),
        (gradient([1, 1, 1])[0], f"{size}: you add up sums and never divide by the {words} words."),
        (gradient([1 / 3] * 3)[0], f"{size}: you divide by the 3 pieces; divide by the {words} masked words."),
        (gradient([1 / 8] * 3)[0], f"{size}: you divide by the 8 rows; the loss is per masked word, and there are {words}."),
        (gradient([1 / 48] * 3)[0], f"{size}: you divide by all 48 positions; {words} of them have a word to guess."),
        (gradient([0, 0, 1 / words])[0], f"{size}: only the last piece is in it. The gradient is cleared on the way, or `backward` comes after the loop."),
        (gradient([1 / words, 0, 0])[0], f"{size}: only the first piece is in it; the loop ends too early."),
        (gradient([1 / 7, 1 / 9, 1 / 10])[0], f"{size}: you divide each piece by the words counted *so far*, 7, 9 and 10. Count all of them before the first piece."),
        (gradient([1 / (words * 3)] * 3)[0], f"{size}: you divide by the {words} words and then by the 3 pieces as well."),
        (gradient([3 / 56, 2 / 16, 3 / 8])[0], f"{size}: you weigh the pieces' means by their rows, 3, 2 and 3; their masked words are {', '.join(map(str, counts))}."),
        (gradient([count / words for count in counts])[0], f"{size}: you weigh the pieces' *sums* by their words; a sum has the weight of its words already. Divide by {words}."),
        (gradient([1 / words, 1 / words, 0])[0], f"{size}: the last piece is missing from it."),
        (-right, f"{size}, and they point in opposite directions: a minus too many."),
        (right * ((model.weight.grad * right).sum() / right.square().sum()),
         f"{size}: the direction is right, the length is not. You weigh all pieces alike, by the wrong number: divide by the {words} masked words of all pieces, once."),
    ], "your gradient", tolerance=1e-6)
    if max(most_waiting) > 1:
        raise Mistake(f"The gradient is right, but {max(most_waiting)} pieces wait for one `backward`, and so the activations of all of them are held: as much memory as the big batch. "
                      "Call `backward` for each piece before the next goes in.")
    if not isinstance(found, int | float | torch.Tensor) or abs(float(found) - value) > 1e-6:
        shown = f"{float(found):.3f}" if isinstance(found, int | float | torch.Tensor) else repr(found)
        raise Mistake(f"The gradient is right, but you return {shown}; the mean loss over the {words} words is {value:.3f}.")
    model.zero_grad()
    other = [piece(2, 3), piece(1, 4)]
    again = float(answer(model, other))
    wanted = F.cross_entropy(torch.cat([model(x).flatten(0, 1) for x, _ in other]), torch.cat([y.flatten() for _, y in other])).item()
    if abs(again - wanted) > 1e-6:
        raise Mistake(f"Three pieces with {words} words are right; for two pieces with 3 and 4 words you return {again:.3f}, where {wanted:.3f} is right. Count the words that are there.")


# -- build: what decays ----------------------------------------------------------------------------------------------

def parameter_groups(named_parameters, weight_decay):
    """Two groups for AdamW: {"params": [...], "weight_decay": ...}, what decays first, then biases and norms, which do not.

    named_parameters: pairs (name, parameter), the names as in BERT's checkpoints.
    """
    decayed, spared = [], []
    for name, parameter in named_parameters:
        spare = name.endswith("bias") or "LayerNorm" in name        # blank: True for a bias and for a norm's weight
        (spared if spare else decayed).append(parameter)
    groups = [{"params": decayed, "weight_decay": weight_decay}, {"params": spared, "weight_decay": 0.0}]     # blank: the two groups, each with its decay
    return groups


NAMES = ("bert.embeddings.word_embeddings.weight", "bert.embeddings.LayerNorm.weight", "bert.embeddings.LayerNorm.bias",
         "bert.encoder.layer.0.attention.self.query.weight", "bert.encoder.layer.0.attention.self.query.bias",
         "bert.encoder.layer.0.output.LayerNorm.weight", "bert.encoder.layer.0.output.LayerNorm.bias",
         "bert.pooler.dense.weight", "cls.predictions.bias", "cls.seq_relationship.weight")


def check_parameter_groups(answer):
    named = [(name, nn.Parameter(torch.zeros(3, 3) if name.endswith("weight") and "LayerNorm" not in name else torch.zeros(3))) for name in NAMES]
    groups = answer(iter(named), 0.05)
    if not isinstance(groups, list | tuple) or not all(isinstance(group, dict) and "params" in group for group in groups):
        raise Mistake(f"Wanted is a list of two dicts, each with its params and its weight_decay; yours is {_described(groups)}.")
    try:
        taken = torch.optim.AdamW([dict(group) for group in groups], lr=0.001, weight_decay=0.0123).param_groups
        decay_of_groups = [float(group["weight_decay"]) for group in taken]
    except (TypeError, ValueError, KeyError) as error:
        raise Mistake(f"AdamW does not take your groups: {type(error).__name__}: {error}.") from None
    if 0.0123 in decay_of_groups:
        raise Mistake(f"Group {decay_of_groups.index(0.0123)} has no weight_decay of its own, so AdamW gives it its default. Both groups must name one, under that key.")
    name_of = {parameter: name for name, parameter in named}
    decay = {name_of[parameter]: group["weight_decay"] for group in taken for parameter in group["params"]}
    sizes = [len(group["params"]) for group in taken]
    if len(sizes) == 2 and sizes[1] == 0 and len(decay) < len(NAMES):
        raise Mistake(f"Your second group is empty and the first has {sizes[0]} parameters: named_parameters may be walked through once only, so make a list of it, or sort in one walk.")
    if missing := [name for name in NAMES if name not in decay]:
        raise Mistake(f"{len(missing)} of the {len(NAMES)} parameters are in no group and would never be trained: {missing[0]} for one.")
    decays = {name for name in NAMES if decay[name]}
    wanted = {name for name in NAMES if not (name.endswith("bias") or "LayerNorm" in name)}
    norms, biases = ({name for name in NAMES if part in name} for part in ("LayerNorm.weight", "bias"))
    if decays == set(NAMES) and {name for name in NAMES if decay[name] == decay_of_groups[0]} == wanted:
        raise Mistake(f"You have sorted well, {sizes[0]} and {sizes[1]} parameters, but the second group decays too, by {decay_of_groups[1]}. What is spared has the decay 0.")
    if decays == set(NAMES):
        raise Mistake(f"All {len(NAMES)} parameters decay, biases and norms among them: your groups have {sizes} parameters. "
                      "A test for whole names (`name in [\"bias\", \"LayerNorm.weight\"]`) never fits; look at how the names end.")
    if not decays:
        raise Mistake(f"Nothing decays: your groups of {sizes} parameters all have the decay 0.")
    if decays == set(NAMES) - wanted:
        raise Mistake(f"Your groups are upside down: the {len(decays)} biases and norms decay, the matrices do not.")
    if decays == wanted | norms:
        raise Mistake(f"The {len(norms)} weights of LayerNorm decay: they are called weight, and still belong to a norm. Decay would pull them from 1 to 0.")
    if decays == wanted | biases - {name for name in biases if "LayerNorm" in name}:
        raise Mistake(f"The biases outside the norms decay, {sorted(decays & biases)[0]} for one; {len(decays & biases)} of them are in your first group.")
    if decays == wanted | biases:
        raise Mistake(f"All {len(biases)} biases decay, those of the norms too.")
    if decays == wanted | {"cls.predictions.bias"}:
        raise Mistake("cls.predictions.bias decays: a bias that stands in no layer, 1 of 4, and a bias all the same.")
    if decays == wanted - {NAMES[0]}:
        raise Mistake(f"The word table does not decay, the {len(decays)} other matrices do. In the original it does, like every matrix.")
    if decays != wanted:
        raise Mistake(f"{sorted(decays ^ wanted)[0]} is in the wrong group; your groups have {sizes} parameters.")
    if max(decay.values()) != 0.05:
        raise Mistake(f"What decays does so by {max(decay.values())}; weight_decay was 0.05.")
    if len(groups) != 2:
        raise Mistake(f"Wanted are two groups; yours are {len(groups)}, of {sizes} parameters.")
    if decay_of_groups[1]:
        raise Mistake(f"Your groups are right and in the wrong order: the one of {sizes[1]} parameters that decays comes first.")
    fewer = [("bert.embeddings.LayerNorm.weight", nn.Parameter(torch.ones(2))), ("bert.encoder.layer.11.output.dense.weight", nn.Parameter(torch.ones(2, 2)))]
    again = answer(iter(fewer), 0.2)
    if [len(group["params"]) for group in again] != [1, 1] or again[0]["params"][0] is not fewer[1][1] or again[0]["weight_decay"] != 0.2:
        raise Mistake(f"For the {len(NAMES)} parameters of one model you are right; for two others and a decay of 0.2 your first group has {len(again[0]['params'])} parameters "
                      f"and the decay {again[0]['weight_decay']}. Go by what is handed in.")


def _described(groups):
    kinds = [type(group).__name__ for group in groups] if isinstance(groups, list | tuple) else []
    return f"a {type(groups).__name__}" + (f" of {len(kinds)} ({kinds[0]} and so on)" if kinds else "")


# -- warm-up: the learning rate --------------------------------------------------------------------------------------

def set_rates(groups, step, steps, warmup):
    """Set group["lr"] of every group for a step counted from 0: group["peak_lr"] times the original's factor.

    Up in a line from 0 over `warmup` steps, then the line that falls from 1 at step 0 to 0 at `steps`.
    """
    factor = step / warmup if step < warmup else 1 - step / steps       # blank: between 0 and 1
    for group in groups:
        group["lr"] = group["peak_lr"] * factor                         # blank: this group's rate


def _rates(answer, groups, steps, warmup):
    """What an answer sets, step by step, beginning with groups that it keeps: [steps + 1, groups]."""
    seen = []
    for step in range(steps + 1):
        answer(groups, step, steps, warmup)
        seen.append([float(group["lr"]) for group in groups])
    return torch.tensor(seen, dtype=torch.float64)                              # [steps + 1, groups]


def check_set_rates(answer):
    steps, warmup, peaks = 80, 20, (0.002, 0.004)

    def fresh():
        return [{"peak_lr": peak, "lr": peak} for peak in peaks]

    found = _rates(answer, groups := fresh(), steps, warmup)                    # [steps + 1, 2]
    if [group["peak_lr"] for group in groups] != list(peaks):
        raise Mistake(f"You change peak_lr, from {peaks[0]} to {groups[0]['peak_lr']:.4f}: set lr, and leave the peak as it is.")
    if (found == torch.tensor(peaks, dtype=torch.float64)).all():
        raise Mistake(f"The groups are as they were, {peaks[0]} and {peaks[1]} at every step: set group[\"lr\"] in the dicts that you are given.")
    at = {f"at{step}": f"at step {step} your rate is {rate:.6f}" for step, rate in enumerate(found[:, 0])}
    suspects = [(_rates(wrong, fresh(), steps, warmup), sentence.format(found=found, **at)) for wrong, sentence in known(set_rates)]
    recognise(found, _rates(set_rates, fresh(), steps, warmup), suspects, "your rate at [step, group]", tolerance=1e-9)
    for step, steps, warmup in ((3, 10, 5), (5, 10, 5), (9, 12, 0)):
        mine, right = [{"peak_lr": 1.0, "lr": 0.0}], [{"peak_lr": 1.0, "lr": 0.0}]
        try:
            answer(mine, step, steps, warmup)
        except ZeroDivisionError:
            raise Mistake(f"With a warm-up of {warmup} steps you divide by {warmup}: where there is none, no step is smaller than it, and the falling line holds from step 0.") from None
        set_rates(right, step, steps, warmup)
        if not math.isclose(mine[0]["lr"], right[0]["lr"], rel_tol=1e-6, abs_tol=1e-12):
            raise Mistake(f"With 80 steps and a warm-up of 20 you are right; at step {step} of {steps} with a warm-up of {warmup} your factor is {mine[0]['lr']:.3f}, where {right[0]['lr']:.3f} is right.")


# -- think: a log that cannot be ---------------------------------------------------------------------------------------

def read_the_log(printed_pair_loss, printed_word_loss):
    """What a log really says whose program swaps the names of the losses and divides each by 10.

    Returns a dict: word_loss and pair_loss in nats; words, between how many equally likely ones the model wavers;
    and learnt, True if the model knows more about either task than a guess does.
    """
    word_loss = 10 * printed_pair_loss          # blank: from which number, and how?
    pair_loss = 10 * printed_word_loss          # blank: and this one?
    words = math.exp(word_loss)                 # blank: whose loss is ln of how many?
    return {"word_loss": word_loss, "pair_loss": pair_loss, "words": words, "learnt": False}    # blank: the four, and your verdict


def check_read_the_log(answer):
    found = answer(1.12, 0.07)
    if not isinstance(found, dict) or {"word_loss", "pair_loss", "words", "learnt"} - found.keys():
        raise Mistake(f"Wanted is a dict with word_loss, pair_loss, words and learnt, not {found!r}.")
    word, pair, words = (float(found[name]) for name in ("word_loss", "pair_loss", "words"))
    for pattern, message in (
        ((1.12, 0.07), f"You swap the names back and leave the division: {word:.2f} and {pair:.2f} are tenths. Each loss was divided by 10 before it was printed."),
        ((0.07, 1.12), f"You believe the names: a word loss of {word:.2f} with a pair loss of {pair:.2f}, worse than tossing a coin (0.69). The words, the harder task, learned first?"),
        ((0.7, 11.2), f"You undo the division and believe the names: a pair loss of {pair:.1f} would be worse than a coin (0.69) by far. The names are swapped."),
        ((0.112, 0.007), f"You divide once more, to {word:.3f} and {pair:.3f}; the program has divided already, so multiply."),
        ((0.007, 0.112), f"You divide by 10 again and keep the names: {word:.3f} and {pair:.3f}. Both steps go the other way."),
    ):
        if math.isclose(word, pattern[0], rel_tol=1e-6) and math.isclose(pair, pattern[1], rel_tol=1e-6):
            raise Mistake(message)
    for name, value, right in (("word_loss", word, 11.2), ("pair_loss", pair, 0.7)):
        if not math.isclose(value, right, rel_tol=1e-6):
            raise Mistake(f"Your {name} is {value:.3f}. Which printed number is it, and what had been done to it?")
    for value, message in (
        (2 ** 11.2, f"You take 2 to the power of the loss and get {words:,.0f} words; the loss is in nats, so the base is e."),
        (10 ** 11.2, f"You take 10 to the power of the loss: {words:,.0f} words are more than any language has. The base is e."),
        (math.exp(0.7), f"{words:.1f}: you took e to the power of the *pair* loss; the words are behind the other one."),
        (math.exp(1.12), f"{words:.1f}: you took e to the power of the printed number; undo the division first."),
        (math.exp(11.9), f"You count {words:,.0f} words from the sum of both losses; the word loss alone is their logarithm."),
        (11.2, "You give the loss itself as the number of words, 11.2: it is the logarithm of that number."),
    ):
        if math.isclose(words, value, rel_tol=1e-6):
            raise Mistake(message)
    if not math.isclose(words, math.exp(11.2), rel_tol=1e-4):       # a rounded number is right too
        raise Mistake(f"Your number of words is {words:,.0f}, whose logarithm is {math.log(max(words, 1e-9)):.1f}; a model that wavers between n words evenly has the loss ln n, and that is 11.2.")
    if found["learnt"] is None or isinstance(found["learnt"], str):
        raise Mistake(f"Your verdict is {found['learnt']!r}; wanted is True or False: does the model know more about either task than a guess does?")
    if found["learnt"]:
        raise Mistake(f"You say that something was learned: {words:,.0f} words in the running is a whole vocabulary, and a pair loss of {pair:.1f} is a coin's, ln 2 = 0.69.")
    again = answer(0.9, 0.06)
    for name, right in (("word_loss", 9.0), ("pair_loss", 0.6), ("words", math.exp(9))):
        if not math.isclose(float(again[name]), right, rel_tol=1e-4):
            raise Mistake(f"With other numbers in the log, 0.90 and 0.06, your {name} is {float(again[name]):,.1f}, where {right:,.1f} is right. Compute with what you are given.")


def _number(value, what):
    """A loss or an accuracy as a scalar of float64; a Mistake for anything that is not one number."""
    if isinstance(value, Real | np.ndarray) and np.ndim(value) == 0:
        value = torch.tensor(float(value))
    expect_tensor(value, [], what)
    return value.detach().double()


EXERCISES = [
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="The two losses",
        task="Write both losses of pretraining on the model's logits: the mean over the *masked words* and the mean over the *pairs*, each in nats. "
             "Neither may look at what was not asked, and none of the two answers to 'does B follow A?' may be left out.",
        hints=("Choose the masked positions first, `word_logits[chosen]`, and nothing that happens at the others can get into the loss.",
               "`log_softmax` turns scores into log-probabilities; `gather(1, ids[:, None])` takes from each row the entry with that id. "
               "For the pairs, `F.cross_entropy` does both and takes the mean."),
        paragraph="The loss, by hand",
        solution=pretraining_losses, check=check_pretraining_losses),
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=5, title="How many words were guessed?",
        task="Write the accuracy of the masked words: of those that were to be guessed, the share whose score is the highest. A perfect model must score 1.",
        hints=("Positions that were not masked have the label -100. They belong neither among the hits nor among what you divide by.",
               "`hits[chosen]` keeps the chosen ones only, as one flat list. Its mean, as floats, is the share."),
        paragraph="Accuracies, over the right positions",
        solution=word_accuracy, check=check_word_accuracy),
    Exercise(
        chapter=CHAPTER, size="build", minutes=15, title="A batch in pieces",
        task="A batch does not fit, so it goes through the model in pieces. Leave in the parameters exactly the gradient that the whole batch would have left, and return its loss. "
             "The pieces have different numbers of masked words.",
        hints=("`backward` adds to the gradients that are there. So the pieces' losses must be shares that add up to the loss of the whole.",
               "The loss of the whole is one sum over all masked words, divided by their number. Count them before the first piece; then each piece gives its own sum, divided by that number."),
        paragraph="Divide by the count of the whole batch",
        solution=backward_in_pieces, check=check_backward_in_pieces),
    Exercise(
        chapter=CHAPTER, size="build", minutes=10, title="What decays",
        task="Sort BERT's parameters into the two groups of the original: everything decays except biases and the weights of the norms.",
        hints=("The names are long: `bert.encoder.layer.0.attention.self.query.bias`. No name *is* `bias`; many end in it.",
               "A norm is recognised by `LayerNorm` somewhere in the name. AdamW takes a list of dicts, each with its `params` and its own `weight_decay`."),
        paragraph="What decays, and what does not",
        solution=parameter_groups, check=check_parameter_groups),
    Exercise(
        chapter=CHAPTER, size="warm-up", minutes=10, title="The learning rate of a step",
        task="Set the learning rate of every group as the original does: up in a line during the warm-up, and then along the line that falls from 1 *at step 0* to 0 at the end. "
             "Each group has its own peak.",
        hints=("At the hand-over the rate does not continue where the warm-up ended: it jumps onto a line that has been falling since step 0.",
               "With 100 steps and a warm-up of 10 the factors of steps 0, 5, 9, 10, 55 are 0, 0.5, 0.9, 0.9, 0.45. The factor is new each time; multiply the peak by it, never the last rate."),
        paragraph="Warm-up and decay",
        solution=set_rates, check=check_set_rates, may_change=("groups",)),
    Exercise(
        chapter=CHAPTER, size="think", minutes=10, title="A log that cannot be",
        task="A published tutorial prints `NSP 1.12, MLM 0.07` and is content. Its program adds each loss to the *other* one's running sum, and divides the sum of one step by 10. "
             "What were the losses? Between how many words did the model waver, and had it learned anything?",
        hints=("Undo both mistakes: swap the names back, multiply by 10. Then compare each loss with what a guess costs.",
               "A guess among n equally likely words costs ln n; so a loss of x is a guess among e to the power of x. For the pairs, n is 2."),
        paragraph="The last patient: a puzzle",
        solution=read_the_log, check=check_read_the_log),
]
