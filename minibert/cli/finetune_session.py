"""A fine-tuning run on the command line: training, progress, saving and scores."""

import copy
import dataclasses
import json
import shlex
import signal
import time
from pathlib import Path
from typing import Any

import torch
from tqdm.auto import tqdm

from minibert.cli.finetune_data import Data
from minibert.config import InputError
from minibert.finetuning.about_file import ABOUT, write_about
from minibert.finetuning.baselines import score_baseline
from minibert.finetuning.evaluation import evaluate
from minibert.finetuning.model_io import save_finetuned
from minibert.finetuning.tasks.base import Task
from minibert.finetuning.trainer import Epoch, FineTuning, finetune
from minibert.hub.atomic_io import refuse_link
from minibert.hub.find_pretrained import expanded
from minibert.hub.new_folder import new_folder
from minibert.hub.pretrained_io import MODEL_FILES
from minibert.training.loop import Stop

UNKNOWN = 0.3  # with at least this share of unknown tokens, a note is printed
FEW = 100  # with fewer dev examples than this, a note says how coarse the scores are
LOG = "log.jsonl"


class Session:
    """A run from its first step to its table of scores.

    After each epoch, the folder holds the weights of the best epoch so far.
    """

    def __init__(self, run: FineTuning, data: Data, given: dict[str, Any]):
        self.run, self.data, self.given, self.out = run, data, given, expanded(given["out"])
        self.epochs: list[Epoch] = []
        self.saving = False  # whether this run has begun to write files to the folder
        self.started = time.monotonic()

    def run_to_its_end(self) -> int:
        """Train, save and score the model; return the exit status."""
        # The folder is checked again, because reading took a while and a run that fails empties it;
        # and that it can be written is known now, not after the first epoch.
        with new_folder(self.out):
            return self._run()

    def _run(self) -> int:
        try:
            limit = self.run.options.max_length
            # bad test examples are reported now, not after the last epoch
            self.run.task.features(self.run.tokenizer, self.data.test, limit)
            with Stop(None).listening() as stop:
                finetune(
                    self.run, self.data.dev, on_epoch=self._after_epoch, stop=stop, progress=True
                )
            self._print_why_it_stopped(stop)
            if stop.status == 0:
                self._score()
            status: int = stop.status
            return status
        except InputError as error:  # training diverged, or the model could not be saved
            raise InputError(f"{error}. {self._what_is_kept()}") from error
        except OSError as error:  # for example, the disk is full or the folder is read-only
            raise InputError(
                f"{error.filename or self.out}: {error.strerror or error}. {self._what_is_kept()}"
            ) from error
        finally:
            if self.saving and not self.epochs:  # an epoch could not be saved
                for name in (*MODEL_FILES, ABOUT, LOG):
                    if (path := self.out / name).is_file():
                        path.unlink()

    def _after_epoch(self, epoch: Epoch) -> None:
        """Save the model if it is the best so far, then log and print the epoch."""
        self.saving = True
        self._check_links()
        if epoch.is_best:
            model, task = copy.deepcopy(self.run.model), copy.deepcopy(self.run.task)
            task.finish(model)
            limit = self.run.options.max_length
            save_finetuned(
                self.out,
                model.eval(),
                task,
                self.run.tokenizer,
                limit,
                self.data.columns,
                **self._about(epoch),
            )
        seconds = time.monotonic() - self.started
        with open(self.out / LOG, "a", encoding="utf-8") as log:
            print(json.dumps(dataclasses.asdict(epoch) | {"seconds": round(seconds, 1)}), file=log)
        self.epochs.append(epoch)
        scores = ", ".join(f"{name} {value:.3f}" for name, value in epoch.scores.items())
        tqdm.write(
            f"epoch {epoch.epoch} of {self.run.options.epochs}: loss {epoch.loss:.3f}; "
            f"dev {scores}; {seconds:.0f} s" + "   <- best on dev so far" * epoch.is_best
        )

    def _check_links(self) -> None:
        """Raise an InputError if somebody has put a link in the place of a file of the model."""
        for name in (*MODEL_FILES, ABOUT, LOG):
            refuse_link(self.out / name)

    def _about(self, epoch: Epoch, **scores: Any) -> dict[str, Any]:
        """The contents of finetuning.json besides the task, its columns and max_length."""
        examples = {"train": self.data.train, "dev": self.data.dev, "test": self.data.test}
        return {
            "base": self.given["model"],
            "epoch": epoch.epoch,
            "scores": {"dev": epoch.scores} | scores,
            "recipe": dataclasses.asdict(self.run.options),
            "data": {name: self.given[name] for name in examples if name in self.given},
            "rows": {name: len(rows) for name, rows in examples.items() if rows},
        }

    def _print_why_it_stopped(self, stop: Stop) -> None:
        if stop.status:
            name = "Ctrl-C" if stop.signal == signal.SIGINT else "SIGTERM"
            print(
                f"stopped by {name} in epoch {len(self.epochs) + 1} of {self.run.options.epochs}. "
                f"{self._what_is_kept()}"
            )
        elif len(self.epochs) < self.run.options.epochs:
            print(
                f"stopped early: no better score in {self.run.options.patience} epochs (--patience)"
            )

    def _what_is_kept(self) -> str:
        best = [epoch for epoch in self.epochs if epoch.is_best]
        if not best:
            return "No epoch was completed, so nothing was saved"
        return f"The best weights so far, from epoch {best[-1].epoch}, are in {self.out}"

    def _score(self) -> None:
        """Score the model on test, print all scores with baselines, and print how to use it."""
        run, best = self.run, [epoch for epoch in self.epochs if epoch.is_best][-1]
        scores: dict[str, Any] = {}
        lines: list[tuple[str, dict[str, float]]] = []
        for name, examples in (("dev", self.data.dev), ("test", self.data.test)):
            if not examples:
                continue
            found = best.scores
            if name == "test":
                limit, precision = run.options.max_length, run.precision
                found, _ = evaluate(
                    run.model, run.task, run.tokenizer, examples, limit, precision, progress=True
                )
            what, baseline = score_baseline(run.task, self.data.train, examples)
            scores |= {name: found, f"{name}_baseline": {"what": what} | baseline}
            lines += [
                (f"{name}, {len(examples):,} rows", found),
                (f"  baseline: {what}", baseline),
            ]
        self._check_links()
        write_about(
            self.out,
            run.task,
            run.options.max_length,
            self.data.columns,
            **self._about(best, **scores),
        )
        print("\n" + score_table(lines, run.task))
        self._print_advice(scores["dev"], scores["dev_baseline"])
        how = how_to_try_it(self.out, run.task, "pair" in self.data.columns)
        print(f"\nepoch {best.epoch} was best on dev and is in {self.out}. Try it: {how}")

    def _print_advice(self, scores: dict[str, float], baseline: dict[str, Any]) -> None:
        """Print a note if the scores are no better than the baseline or based on few examples."""
        metric, rows = self.run.task.metrics[0], len(self.data.dev)
        if scores[metric] <= baseline[metric]:
            print(
                f"\nThis is NOT better than the baseline on dev ({scores[metric]:.3f} against "
                f"{baseline[metric]:.3f}), so the model has not learned anything useful yet. "
                "Try more rows, more epochs or another learning rate, and check the labels"
            )
        if rows < FEW:
            countable = metric == "accuracy" and self.run.task.name != "tagging"
            one = f", so one prediction changes the score by {1 / rows:.3f}" if countable else ""
            print(
                f"\ndev has only {rows} row{'s' * (rows > 1)}{one}. Do not trust small differences"
            )


def print_plan(run: FineTuning, name: str) -> None:
    """Print the model and the settings of the run, and notes about cut texts and unknown tokens."""
    options, config = run.options, run.model.config
    threads = torch.get_num_threads()
    parameters = sum(parameter.numel() for parameter in run.model.parameters())
    trained = sum(
        parameter.numel()
        for optimizer in run.optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    )
    where = f"{threads} processor thread" + "s" * (threads > 1)
    if run.device.type == "cuda":
        where = torch.cuda.get_device_name(run.device)
    print(
        f"model  {name}: {config.num_hidden_layers} layers, hidden size {config.hidden_size}, "
        f"{parameters:,} parameters, of which {trained:,} are trained"
    )
    print(
        f"run    {options.epochs} epoch{'s' * (options.epochs > 1)} of {run.epoch_steps:,} steps, "
        f"batch size {options.batch_size}, at most {options.max_length} tokens in a sequence; "
        f"learning rate {options.learning_rate:g}"
    )
    print(f"       on {where}, in {str(run.precision).removeprefix('torch.')}")
    cut = {feature.example for feature in run.features if feature.cut}
    if cut:
        print(
            f"note   {len(cut):,} of {run.features[-1].example + 1:,} rows have more than "
            f"{run.task.limit(options.max_length)}: the rest is not read (--max-length)"
        )
    unknown = _unknown_share(run)
    if unknown >= UNKNOWN:
        print(
            f"note   {unknown:.0%} of these tokens are not in the vocabulary of {name}: for "
            "another language or script, use another --model"
        )
    print(flush=True)


def _unknown_share(run: FineTuning) -> float:
    """The share of [UNK] among the training tokens."""
    tokens: list[int] = []
    for feature in run.features:
        several = isinstance(feature.input_ids[0], list)
        for sequence in feature.input_ids if several else [feature.input_ids]:
            tokens += sequence
    return tokens.count(run.tokenizer.unk_id) / len(tokens)


def score_table(lines: list[tuple[str, dict[str, float]]], task: Task) -> str:
    """Format named scores as a table, with a column for each of the task's metrics."""
    width = max(len(name) for name, _ in lines) + 2
    rows = [" " * width + "".join(f"{name:>{len(name) + 2}}" for name in task.metrics)]
    for name, scores in lines:
        values = "".join(f"{scores[metric]:>{len(metric) + 2}.3f}" for metric in task.metrics)
        rows.append(f"{name:<{width}}{values}")
    return "\n".join(rows)


def how_to_try_it(out: Path, task: Task, pairs: bool) -> str:
    """The command line that predicts with the new model."""
    words = {
        "questions": "--question 'Who …?' --context 'A passage that tells it.'",
        "choice": "'A text' --choices 'one ending' 'another ending'",
    }.get(task.name, "'A text' --pair 'Its second text'" if pairs else "'A text of yours'")
    return f"minibert predict {shlex.quote(str(out))} {words}"
