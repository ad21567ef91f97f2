"""Fine-tuning: a pretrained BERT, a fresh head, examples of one task; the same loop and the same optimiser as in pretraining."""

import dataclasses
import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from numbers import Real
from pathlib import Path

import torch
from torch import Tensor
from torch.optim import Optimizer
from tqdm.auto import tqdm

from minibert.checkpoint import from_pretrained, read_config
from minibert.config import BertConfig
from minibert.distributed import Processes
from minibert.finetuning.task import Feature, Task
from minibert.hub import find_pretrained
from minibert.loop import Stop, drive, random_batches
from minibert.model import BertModel, BertPreTrainedModel
from minibert.optim import make_optimizers, schedule, set_learning_rate, update
from minibert.tokenization import WordPieceTokenizer
from minibert.training import choose_precision

EVAL_BATCH = 64         # rows that go through the model at once where nothing is learned


@dataclass(frozen=True)
class FineTuningOptions:
    """The recipe; the defaults are those of Devlin et al. 2018, appendix A.3, and of minibert.optim."""

    epochs: int = 3
    batch_size: int = 32                        # rows in an update
    learning_rate: float = 5e-5                 # its peak
    head_learning_rate: float | None = None     # of the fresh head and the pooler; None: the same
    trained_layers: int | None = None           # of BERT, the last ones; None: all, and the embeddings; 0: the head alone learns
    warmup: float = 0.1                         # share of the steps over which the rate rises; then it falls to 0
    weight_decay: float = 0.01
    clip: float = 1.0                           # largest norm of all gradients together
    max_length: int = 128                       # tokens in a row
    patience: int | None = None                 # epochs without a better score after which to stop; None: never
    precision: str = "auto"                     # "bfloat16", "float32" or "auto": bfloat16 where the hardware has it
    seed: int = 0

    def __post_init__(self):
        least = {"epochs": 1, "batch_size": 1, "max_length": 8, "patience": 1, "trained_layers": 0, "seed": 0}
        for name, lowest in least.items():
            value = getattr(self, name)
            if value is None and name in ("patience", "trained_layers"):
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
                raise ValueError(f"{name} must be a whole number of at least {lowest}, not {value!r}")
        for name in ("learning_rate", "head_learning_rate", "clip"):
            value = getattr(self, name)
            if not (value is None and name == "head_learning_rate") and not (isinstance(value, Real) and 0 < value < math.inf):
                raise ValueError(f"{name} must be a number above 0, not {value!r}")
        if not (isinstance(self.warmup, Real) and 0 <= self.warmup <= 1):
            raise ValueError(f"warmup is a share of the steps: it must lie between 0 and 1, not {self.warmup!r}")
        if not (isinstance(self.weight_decay, Real) and 0 <= self.weight_decay < math.inf):
            raise ValueError(f"weight_decay must be a number of at least 0, not {self.weight_decay!r}")
        if self.precision not in ("auto", "bfloat16", "float32"):
            raise ValueError(f"precision must be one of auto, bfloat16, float32, not {self.precision!r}")


@dataclass(frozen=True)
class Step:
    """What one update did."""

    step: int                       # updates done
    loss: float                     # mean of the batch, before the update
    learning_rate: float            # of BERT, in this step
    gradient_norm: float            # before clipping


@dataclass(frozen=True)
class Epoch:
    """What one pass through the examples did."""

    epoch: int                      # from 1
    step: int                       # updates done
    loss: float                     # mean of the training batches
    scores: dict[str, float]        # on the examples to judge by: "loss" and the task's metrics; empty without any
    is_best: bool                   # whether these weights are the best so far: what `finetune` leaves in the model


def model_for(task: Task, name: str | Path | BertConfig, seed: int = 0) -> BertPreTrainedModel:
    """The encoder of a saved model under a fresh head for `task`; `name` is a folder or a hub name, or a BertConfig: random weights throughout.

    A model that was fine-tuned for a task of the same kind with the same labels keeps its head, so that it can learn on.
    """
    torch.manual_seed(seed)
    if isinstance(name, BertConfig):
        return task.model_class(_with_labels(name, task)).eval()
    folder = find_pretrained(name)
    config, saved_class = read_config(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)        # about heads that are left unread, and a pooler that is fresh
        if saved_class is task.model_class and config.id2label == task.id2label():
            return from_pretrained(folder)
        bert = from_pretrained(folder, BertModel)
    model = task.model_class(_with_labels(config, task))
    model.bert.load_state_dict(bert.state_dict(), strict=False)         # not all of it where the task has no pooler
    model.source_folder = folder
    return model.eval()


def _with_labels(config: BertConfig, task: Task) -> BertConfig:
    return dataclasses.replace(config, id2label=task.id2label(), sentence_head=None)


class FineTuning:
    """A run: the model, its task and examples, the optimiser, and how many steps it has done."""

    def __init__(self, model: BertPreTrainedModel, task: Task, tokenizer: WordPieceTokenizer, examples: Sequence, options: FineTuningOptions):
        if not examples:
            raise ValueError("there are no examples to learn from")
        _check_kind(examples)
        check_length(model, options.max_length)
        _check_classes(model, task)
        depth = model.config.num_hidden_layers
        if options.trained_layers is not None and options.trained_layers > depth:
            raise ValueError(f"trained_layers is {options.trained_layers}, but the model has {depth} layers")
        self.model, self.task, self.tokenizer, self.options = model, task, tokenizer, options
        task.prepare(examples, model)
        self.features = task.features(tokenizer, examples, options.max_length)
        _check_labels(self.features, "to learn from")
        self.step, self.epoch_steps = 0, math.ceil(len(self.features) / options.batch_size)
        self.steps = options.epochs * self.epoch_steps
        self.device = next(model.parameters()).device
        self.precision = choose_precision(options.precision, self.device)
        self.optimizers = self._make_optimizers()
        model.zero_grad()                       # of what was done with it before
        self._order, self._batches = torch.Generator().manual_seed(options.seed), []

    def _make_optimizers(self) -> list[Optimizer]:
        """An optimiser for BERT and one for the head; what does not learn is left out, and stays in eval mode, without dropout."""
        options, bert, count = self.options, self.model.bert, self.options.trained_layers
        head = [module for name, module in self.model.named_children() if name != "bert"]
        if bert.pooler is not None:
            head.append(bert.pooler)            # it works for the head alone, and many a file has none
        body = [bert.embeddings, bert.encoder] if count is None else list(bert.encoder.layer[len(bert.encoder.layer) - count:])
        if count and self.model.config.norm_first:
            body.append(bert.encoder.norm)      # it stands behind the last layer
        if not body + head:
            raise ValueError(f"trained_layers is {count}, and a {type(self.model).__name__} has no head: nothing would learn")
        optimizers = []
        for modules, rate in ((body, options.learning_rate), (head, options.head_learning_rate or options.learning_rate)):
            self.model.requires_grad_(False)
            for module in modules:
                module.requires_grad_()
            if modules:
                optimizers += make_optimizers(self.model, "adamw", rate, rate, options.weight_decay)
        self.learning = [*body, *head]
        self.model.eval()
        for module in self.learning:
            module.requires_grad_()
        return optimizers

    @property
    def epoch(self) -> int:
        """Passes through the examples that are done."""
        return self.step // self.epoch_steps

    def train_step(self) -> Step:
        """One update with the next batch; every pass through the examples has an order of its own."""
        options = self.options
        if self.step == 0:
            torch.manual_seed(options.seed)     # of dropout
        if not self._batches:
            self._batches = random_batches([feature.length for feature in self.features], options.batch_size, self._order)
        features = [self.features[i] for i in self._batches.pop()]
        factor = schedule(self.step, self.steps, math.ceil(options.warmup * self.steps))
        set_learning_rate(self.optimizers, factor)
        for module in self.learning:
            module.train()
        loss = _forward(self.model, self.task, self.tokenizer, features, self.precision).loss
        loss.backward()
        norm = update(self.optimizers, options.clip)
        self.step += 1
        return Step(self.step, loss.item(), factor * options.learning_rate, float(norm))


def finetune(run: FineTuning, judge: Sequence = (), *, on_epoch: Callable[[Epoch], None] | None = None, stop: Stop | None = None,
             progress: bool = False) -> list[Epoch]:
    """Train a run to its end, and leave in its model the weights of the best epoch, in eval mode. Returns all epochs.

    judge       examples that are scored after each epoch, by the task's first metric (of equals the lower loss wins), to
                choose the best one and to stop early; without any, the last epoch is the best
    on_epoch    is called after each epoch, the model as it was then
    stop        ends the run after the step in which it was told to; what was the best so far is kept
    """
    if judge:           # what is wrong with them is to be known now, not after an epoch
        _check_labels(run.task.features(run.tokenizer, judge, run.options.max_length), "to score")
    epochs: list[Epoch] = []
    losses: list[float] = []
    best, waited = None, 0          # (rank, weights) of the best epoch
    bar = tqdm(total=run.steps, disable=None if progress else True, unit=" steps", desc="Fine-tuning", dynamic_ncols=True)

    def after_step(step: Step, seconds: float) -> bool:
        nonlocal best, waited
        losses.append(step.loss)
        bar.update()
        if step.step % run.epoch_steps == 0:
            scores = evaluate(run.model, run.task, run.tokenizer, judge, run.options.max_length, run.precision)[0] if judge else {}
            # of equal scores, which are common on few examples, the lower loss; without scores the last epoch
            rank = (scores[run.task.metrics[0]], -scores["loss"]) if judge else (0.0, float(len(epochs)))
            is_best = best is None or rank > best[0]
            epochs.append(Epoch(len(epochs) + 1, step.step, sum(losses) / len(losses), scores, is_best))
            losses.clear()
            best, waited = ((rank, _weights(run.model)), 0) if is_best else (best, waited + 1)
            bar.set_postfix({"loss": f"{epochs[-1].loss:.3f}"} | {name: f"{score:.3f}" for name, score in scores.items() if name != "loss"})
            if on_epoch:
                on_epoch(epochs[-1])
        return not (stop and any(stop.agreed(Processes(), False))) and not (run.options.patience and waited >= run.options.patience)

    try:
        with bar:
            drive(run, after_step)
    finally:                        # whatever ended it, the best is what is left
        if best is not None:
            run.model.load_state_dict(best[1])
        run.task.finish(run.model)
        run.model.eval().requires_grad_()
    return epochs


@torch.no_grad()
def evaluate(model: BertPreTrainedModel, task: Task, tokenizer: WordPieceTokenizer, examples: Sequence, max_length: int | None = None,
             precision: torch.dtype = torch.float32, progress: bool = False) -> tuple[dict[str, float], list]:
    """The scores of a model on examples with labels, its mean "loss" of a row among them, and its predictions.

    max_length is in tokens; None: what the model takes. The model is put into eval mode and back.
    """
    if not examples:
        raise ValueError("there are no examples to score")
    _check_kind(examples)
    features = task.features(tokenizer, examples, check_length(model, max_length))
    _check_labels(features, "to score")
    rows, loss = _answers(model, task, tokenizer, features, precision, progress)
    predictions = task.predict(examples, features, rows)
    return {"loss": loss} | task.score(examples, predictions), predictions


@torch.no_grad()
def predict(model: BertPreTrainedModel, task: Task, tokenizer: WordPieceTokenizer, examples: Sequence, max_length: int | None = None,
            precision: torch.dtype = torch.float32, progress: bool = False) -> list:
    """A prediction for each example; labels, where there are any, are not looked at. The model is put into eval mode and back."""
    if not examples:
        return []
    _check_kind(examples)
    examples = [dataclasses.replace(example, **task.unlabelled) for example in examples]
    features = task.features(tokenizer, examples, check_length(model, max_length))
    rows, _ = _answers(model, task, tokenizer, features, precision, progress)
    return task.predict(examples, features, rows)


def _answers(model: BertPreTrainedModel, task: Task, tokenizer: WordPieceTokenizer, features: Sequence[Feature], precision: torch.dtype,
             progress: bool) -> tuple[list[Tensor], float]:
    """The model's answer to every row, float32 and on the CPU, and the mean loss (0 without labels)."""
    _check_classes(model, task)
    was_training = model.training
    model.eval()
    rows, total = [None] * len(features), 0.0
    by_length = sorted(range(len(features)), key=lambda i: features[i].length)
    for start in tqdm(range(0, len(features), EVAL_BATCH), disable=None if progress else True, desc="Predicting", unit=" batches", leave=False):
        chosen = by_length[start:start + EVAL_BATCH]
        outputs = _forward(model, task, tokenizer, [features[i] for i in chosen], precision)
        total += 0.0 if outputs.loss is None else outputs.loss.item() * len(chosen)
        for i, row in zip(chosen, task.rows(outputs)):
            rows[i] = row.float().cpu()
    model.train(was_training)
    return rows, total / len(features)


def _forward(model: BertPreTrainedModel, task: Task, tokenizer: WordPieceTokenizer, features: Sequence[Feature], precision: torch.dtype):
    device = next(model.parameters()).device
    batch = {name: tensor.to(device) for name, tensor in task.collate(features, tokenizer.pad_id).items()}
    with torch.autocast(device.type, precision) if precision != torch.float32 else nullcontext():
        return model(**batch)


def _check_kind(examples: Sequence) -> None:
    for example in examples:
        if not dataclasses.is_dataclass(example):
            raise ValueError(f"examples must be a list of what the task reads, such as TextExample(...), but one is {example!r}")


def check_length(model: BertPreTrainedModel, max_length: int | None) -> int:
    """`max_length`, or what the model takes where it is None; a ValueError where it is more than that."""
    positions = model.config.max_position_embeddings
    if max_length is not None and max_length > positions and model.config.position_embedding_type != "none":
        raise ValueError(f"max_length {max_length} is longer than the model's max_position_embeddings {positions}")
    return positions if max_length is None else max_length


def _check_classes(model: BertPreTrainedModel, task: Task) -> None:
    if task.labels is not None and model.config.num_labels != len(task.labels):
        raise ValueError(f"the model tells {model.config.num_labels} classes apart, the task has {len(task.labels)}: model_for makes a model for a task")


def _check_labels(features: Sequence[Feature], what_for: str) -> None:
    for feature in features:
        if not feature.labels:
            raise ValueError(f"example {feature.example} has no label: every example {what_for} needs one")


def _weights(model: BertPreTrainedModel) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
