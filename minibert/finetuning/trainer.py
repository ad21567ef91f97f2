"""Fine-tuning: a pretrained BERT with a fresh head, trained on labelled examples of one task.

The loop and the optimiser are those of pretraining (`minibert.training`).
"""

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer
from tqdm.auto import tqdm

from minibert.attention import BertSelfAttention
from minibert.config import InputError
from minibert.finetuning.evaluation import (
    check_classes,
    check_kind,
    check_labels,
    check_length,
    evaluate,
    run_model,
)
from minibert.finetuning.options import FineTuningOptions
from minibert.finetuning.tasks.base import Task
from minibert.inference.checks import NotFinite, check_tokenizer
from minibert.model import BertModel, BertPreTrainedModel
from minibert.tokenization import WordPieceTokenizer
from minibert.training.distributed import ProcessGroup
from minibert.training.loop import Diverged, Stop, drive, random_batches
from minibert.training.optim import (
    learning_rate_schedule,
    make_optimizers,
    set_learning_rate,
    update,
)
from minibert.training.precision import choose_precision


@dataclass(frozen=True)
class Step:
    """What one update did."""

    step: int  # updates done
    loss: float  # mean of the batch, before the update
    learning_rate: float  # of BERT, in this update
    gradient_norm: float  # before clipping


@dataclass(frozen=True)
class Epoch:
    """What one pass through the examples did."""

    epoch: int  # from 1
    step: int  # updates done
    loss: float  # mean of the training batches
    scores: dict[str, float]  # "loss" and the task's metrics on dev; empty without dev examples
    is_best: bool  # best on dev so far; `finetune` leaves the best weights in the model


class FineTuning:
    """A run: the model, its task and examples, the optimizers, and how many steps are done.

    Raises an InputError where there is nothing to train on or to train, where the model does not
    fit the task, or where an example has no label.
    """

    def __init__(
        self,
        model: BertPreTrainedModel,
        task: Task,
        tokenizer: WordPieceTokenizer,
        examples: Sequence[Any],
        options: FineTuningOptions,
    ):
        check_kind(task, examples)
        if not examples:
            raise InputError("there are no examples to learn from")
        check_length(model, options.max_length)
        check_tokenizer(tokenizer, model)
        check_classes(model, task)
        depth = model.config.num_hidden_layers
        if options.trained_layers is not None and options.trained_layers > depth:
            raise InputError(
                f"trained_layers is {options.trained_layers}, but the model has {depth} layers"
            )
        self.model, self.task, self.tokenizer, self.options = model, task, tokenizer, options
        if options.dropout is not None:
            _set_dropout(model, options.dropout)
        task.prepare(examples, model)
        self.features = task.features(tokenizer, examples, options.max_length)
        check_labels(self.features, "to learn from")
        self.step, self.epoch_steps = 0, math.ceil(len(self.features) / options.batch_size)
        self.steps = options.epochs * self.epoch_steps
        self.device = next(model.parameters()).device
        self.precision = choose_precision(options.precision, self.device)
        self.optimizers = self._make_optimizers()
        model.zero_grad()  # gradients of earlier use
        self._order = torch.Generator().manual_seed(options.seed)
        self._batches: list[list[int]] = []
        self._random_state: Tensor | None = None  # of dropout, after the last step

    def _make_optimizers(self) -> list[Optimizer]:
        """One optimizer for BERT and one for the head.

        Modules that are not trained are left out, and stay in eval mode, without dropout.
        """
        options, bert, count = self.options, _encoder(self.model), self.options.trained_layers
        head = [module for name, module in self.model.named_children() if name != "bert"]
        if bert.pooler is not None:
            head.append(bert.pooler)  # only the head uses it, and many files have none
        body: list[nn.Module] = [bert.embeddings, bert.encoder]
        if count is not None:
            body = list(bert.encoder.layer)[len(bert.encoder.layer) - count :]
        if count and self.model.config.norm_first:
            body.append(bert.encoder.norm)  # after the last layer
        if not body + head:
            raise InputError(
                f"trained_layers is {count}, and a {type(self.model).__name__} has no head: "
                "nothing would be trained"
            )
        optimizers: list[Optimizer] = []
        for modules, rate in (
            (body, options.learning_rate),
            (head, options.head_learning_rate or options.learning_rate),
        ):
            self.model.requires_grad_(False)
            for module in modules:
                module.requires_grad_()
            if modules:
                optimizers += make_optimizers(self.model, "adamw", rate, rate, options.weight_decay)
        self.trained = [*body, *head]
        self.model.eval()
        for module in self.trained:
            module.requires_grad_()
        return optimizers

    @property
    def epoch(self) -> int:
        """Complete passes through the examples."""
        return self.step // self.epoch_steps

    def train_step(self) -> Step:
        """One update with the next batch; every pass goes through the examples in a new order."""
        options = self.options
        if not self._batches:
            self._batches = random_batches(
                [feature.length for feature in self.features], options.batch_size, self._order
            )
        features = [self.features[i] for i in self._batches.pop()]
        # the last step is never one of the warm-up, whose first has a rate of 0
        warmup = min(math.ceil(options.warmup * self.steps), self.steps - 1)
        factor = learning_rate_schedule(self.step, self.steps, warmup)
        set_learning_rate(self.optimizers, factor)
        for module in self.trained:
            module.train()
        with self._own_random_numbers():
            loss = run_model(self.model, self.task, self.tokenizer, features, self.precision).loss
            loss.backward()
        norm = update(self.optimizers, options.clip)
        self.step += 1
        return Step(self.step, loss.item(), factor * options.learning_rate, float(norm))

    @contextmanager
    def _own_random_numbers(self) -> Iterator[None]:
        """Within it dropout continues the run's own random numbers. Afterwards the global ones are
        as they were before.
        """
        on_gpu = self.device.type == "cuda"
        with torch.random.fork_rng([self.device] if on_gpu else []):
            generator = torch.cuda if on_gpu else torch.random
            if self._random_state is None:
                torch.manual_seed(self.options.seed)
            else:
                generator.set_rng_state(self._random_state)
            yield
            self._random_state = generator.get_rng_state()


def finetune(
    run: FineTuning,
    dev: Sequence[Any] = (),
    *,
    on_epoch: Callable[[Epoch], None] | None = None,
    stop: Stop | None = None,
    progress: bool = False,
) -> list[Epoch]:
    """Train a run to its end, and leave the weights of the best epoch in its model, in eval mode.

    dev         examples that are scored after each epoch, to choose the best epoch and to stop
                early: by the task's first metric, then by the lower loss. Without any, the last
                epoch is the best
    on_epoch    called after each epoch, with the model in its state of that moment
    stop        ends the run after the current step when told to; the best epoch so far is kept

    Returns all epochs. Raises an InputError for a dev example without a label, and
    `minibert.training.loop.Diverged` where the loss becomes NaN or infinite.
    """
    check_kind(run.task, dev)
    if dev:  # bad dev examples are reported now, not after an epoch
        check_labels(run.task.features(run.tokenizer, dev, run.options.max_length), "to score")
    epochs: list[Epoch] = []
    losses: list[float] = []
    best: tuple[tuple[float, float], dict[str, Tensor]] | None = None  # rank and weights
    waited = 0
    bar = tqdm(
        total=run.steps,
        disable=None if progress else True,
        unit=" steps",
        desc="Fine-tuning",
        dynamic_ncols=True,
    )

    def after_step(step: Step, seconds: float) -> bool:
        nonlocal best, waited
        losses.append(step.loss)
        bar.update()
        if step.step % run.epoch_steps == 0:
            scores: dict[str, float] = {}
            rank = (0.0, float(len(epochs)))  # without dev examples the last epoch is the best
            if dev:
                limit, precision = run.options.max_length, run.precision
                try:
                    scores, _ = evaluate(run.model, run.task, run.tokenizer, dev, limit, precision)
                except NotFinite as error:
                    raise Diverged(
                        f"epoch {len(epochs) + 1}: a result on dev is NaN or infinite: training "
                        "has diverged. A lower learning_rate or a longer warmup may help"
                    ) from error
                # equal scores are common on few examples: the lower loss decides
                rank = (scores[run.task.metrics[0]], -scores["loss"])
            is_best = best is None or rank > best[0]
            epochs.append(
                Epoch(len(epochs) + 1, step.step, sum(losses) / len(losses), scores, is_best)
            )
            losses.clear()
            if is_best:
                best, waited = (rank, _weights(run.model)), 0
            else:
                waited += 1
            bar.set_postfix(
                {"loss": f"{epochs[-1].loss:.3f}"}
                | {name: f"{score:.3f}" for name, score in scores.items() if name != "loss"}
            )
            if on_epoch:
                on_epoch(epochs[-1])
        stopped = stop is not None and any(stop.agreed(ProcessGroup(), False))
        impatient = run.options.patience is not None and waited >= run.options.patience
        return not stopped and not impatient

    try:
        with bar:
            drive(run, after_step)
    finally:  # whatever ended the run, the best weights are kept
        if best is not None:
            run.model.load_state_dict(best[1])
        run.task.finish(run.model)
        run.model.eval().requires_grad_()
    return epochs


def _set_dropout(model: BertPreTrainedModel, rate: float) -> None:
    """Set every dropout of a model, and what its config says of them."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate
        elif isinstance(module, BertSelfAttention):
            module.dropout_prob = rate
        elif isinstance(module, BertPreTrainedModel):
            module.config = dataclasses.replace(
                module.config,
                hidden_dropout_prob=rate,
                attention_probs_dropout_prob=rate,
                classifier_dropout=None,
            )


def _encoder(model: BertPreTrainedModel) -> BertModel:
    bert = model.get_submodule("bert")
    assert isinstance(bert, BertModel)
    return bert


def _weights(model: BertPreTrainedModel) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
