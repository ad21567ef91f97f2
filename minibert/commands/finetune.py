"""`minibert finetune`: labelled rows in, a model for a task out, and how good it is beside a guess."""

import argparse
import copy
import dataclasses
import json
import shlex
import shutil
import signal
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import torch
from tqdm.auto import tqdm

from minibert.checkpoint import read_config
from minibert.commands import device_kind
from minibert.commands.finetune_options import ROLES, add_options, flag, given_columns, given_header, make_options
from minibert.fast import keep_freed_memory
from minibert.finetuning import Epoch, FineTuning, Task, evaluate, finetune, model_for
from minibert.finetuning.guesses import guess
from minibert.finetuning.reading import find_columns, make_examples, reader_of
from minibert.finetuning.saved import SETTINGS, WITH_LABELS, make_task, save_finetuned, write_about
from minibert.finetuning.splitting import draw, hold_out
from minibert.finetuning.tables import Table, read_table
from minibert.hub import find_pretrained
from minibert.loop import Stop
from minibert.tokenization import WordPieceTokenizer

FOREIGN = 0.3           # share of unknown tokens from which on it is said
SHOWN = 10              # labels that are named, the commonest
FEW = 100               # rows of dev below which it is said how coarse its scores are


def add(commands) -> None:
    add_options(commands, run_finetune)


def run_finetune(arguments: argparse.Namespace) -> int:
    given = vars(arguments)
    _refuse_out(Path(arguments.out))
    if "threads" in given:
        torch.set_num_threads(given["threads"])
    keep_freed_memory()
    device = device_kind(given.get("device", "auto"))
    try:
        settings = _settings(given)
        name = given["model"]
        options = make_options(arguments.task, given, read_config(find_pretrained(name))[0])
        data = Data(given, options.seed)
        task = make_task(arguments.task, data.labels, **settings)
        tokenizer = WordPieceTokenizer.from_pretrained(name)
        run = FineTuning(model_for(task, name, options.seed).to(device), task, tokenizer, data.train, options)
        _say(run, name, data)
        return Session(run, data, given).run_to_its_end()
    except torch.OutOfMemoryError as error:
        raise ValueError(f"the memory of {device} is too small for this: a smaller --batch-size or --max-length needs less") from error


def _refuse_out(out: Path) -> None:
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise ValueError(f"--out {out} is there already, and nothing is overwritten: name another folder, or remove this one")


def _settings(given: dict) -> dict:
    """What the task itself is made with; an option of another task is an error."""
    task = given["task"]
    wrong = [name for names in SETTINGS.values() for name in (*names, "skip_bad_answers") if name in given and task != "questions"]
    wrong += [role for role in ROLES if role in given and role not in reader_of(task).roles]
    if wrong:
        raise ValueError(f"{flag(wrong[0])} means nothing for {task}, which reads {', '.join(map(flag, reader_of(task).roles))}")
    return {name: given[name] for name in SETTINGS.get(task, ()) if name in given}


class Data:
    """The rows of a run: what is learned from, what is judged by, what is tested once; said aloud while they are read."""

    def __init__(self, given: dict, seed: int):
        self.given, self.task = given, given["task"]
        table = self._table(given["train"], "train")
        self.columns = find_columns(self.task, table, given_columns(given))
        self.train, notes = make_examples(self.task, table, self.columns, skip=given.get("skip_bad_answers", False))
        how = ", ".join(f"{flag(role)} {','.join(names) if isinstance(names, tuple) else shlex.quote(names)}" for role, names in self.columns.items())
        self._tell("train", table, notes, f", read as {how}")
        self.labels = _labels(self.task, self.train, table.name)
        if "rows" in given:
            self.train = draw(self.train, given["rows"], seed)
            print(f"       {len(self.train):,} of them drawn (--rows, --seed {seed})")
        self.test = self._others("test", "test")
        if "dev" in given:
            self.dev = self._others("dev", "validation")
        else:
            self.train, self.dev = hold_out(self.train, seed)
            kind = "a tenth of the passages with their questions" if self.task == "questions" else "a tenth of the training rows"
            print(f"dev    {len(self.dev):,} rows: {kind}, drawn by --seed {seed}; {len(self.train):,} are left to learn from")
        if self.labels and self.task == "classification":
            counts = Counter({label: 0 for label in self.labels})
            counts.update(example.label for example in self.train)
            print(f"labels {len(counts)}: {', '.join(f'{label} ({count:,})' for label, count in counts.most_common(SHOWN))}{', …' * (len(counts) > SHOWN)}")
            if unseen := [label for label in self.labels if not counts[label]]:
                print(f"note   {len(unseen)} of them have no row left to learn from, such as {unseen[0]!r}: they will not be predicted")

    def _table(self, source: str, split: str) -> Table:
        given = self.given
        return read_table(source, split, format=given.get("format"), header=given_header(given), encoding=given.get("encoding"),
                          otherwise=reader_of(self.task).otherwise)

    def _others(self, name: str, split: str) -> list:
        """The rows of --dev or --test, in the columns of the training rows."""
        if name not in self.given:
            return []
        table = self._table(self.given[name], split)
        columns = find_columns(self.task, table, self.columns)
        examples, notes = make_examples(self.task, table, columns, labels=self.labels, skip=self.given.get("skip_bad_answers", False))
        self._tell(name, table, notes)
        return examples

    def _tell(self, name: str, table: Table, notes: list[str], more: str = "") -> None:
        print(f"{name:<6} {table.name} ({table.format}): {len(table.rows):,} rows{more}")
        for note in notes:
            print(f"       {note}")


def _labels(task: str, examples: Sequence, name: str) -> list[str] | None:
    """The names of the classes or tags, in order; a ValueError where there is nothing to tell apart."""
    if task in ("questions", "choice"):
        return None
    found = {tag for example in examples for tag in example.tags} if task == "tagging" else {example.label for example in examples}
    if len(found) < 2:
        every = "every word has the tag" if task == "tagging" else "all rows have the label"
        raise ValueError(f"{name}: {every} {found.pop()!r}: there is nothing to tell apart")
    if task not in WITH_LABELS:
        return None
    # numbers by their size, tags of names by the names
    return sorted(found, key=lambda label: (label != "O", int(label) if label.isdecimal() else 0, label[2:] if task == "tagging" else "", label))


def _say(run: FineTuning, name: str, data: Data) -> None:
    """Tell what is about to happen, and what the model will not see."""
    options, config, on_gpu = run.options, run.model.config, run.device.type == "cuda"
    threads = torch.get_num_threads()
    parameters = sum(parameter.numel() for parameter in run.model.parameters())
    learned = sum(parameter.numel() for optimizer in run.optimizers for group in optimizer.param_groups for parameter in group["params"])
    print(f"model  {name}: {config.num_hidden_layers} layers, hidden size {config.hidden_size}, {parameters:,} parameters, of which {learned:,} learn")
    print(f"run    {options.epochs} epoch{'s' * (options.epochs > 1)} of {run.epoch_steps:,} steps, {options.batch_size} rows in each, at most {options.max_length} tokens in a row; "
          f"learning rate {options.learning_rate:g}")
    print(f"       on {torch.cuda.get_device_name(run.device) if on_gpu else f'{threads} processor thread' + 's' * (threads > 1)}, "
          f"in {str(run.precision).removeprefix('torch.')}")
    full = sum(feature.length == options.max_length for feature in run.features)
    if full and data.task not in ("tagging", "questions"):
        print(f"note   {full:,} of {len(run.features):,} rows fill all {options.max_length} tokens: what is longer loses its end (--max-length)")
    rows = [row for feature in run.features for row in (feature.input_ids if isinstance(feature.input_ids[0], list) else [feature.input_ids])]
    tokens = [token for row in rows for token in row]
    if (unknown := tokens.count(run.tokenizer.unk_id) / len(tokens)) >= FOREIGN:
        print(f"note   {name} does not know {unknown:.0%} of these tokens: for another language or script take another --model")
    print(flush=True)


class Session:
    """A run from its first step to its table; the best weights are in the folder from the end of the first epoch on."""

    def __init__(self, run: FineTuning, data: Data, given: dict):
        self.run, self.data, self.given, self.out = run, data, given, Path(given["out"])
        self.epochs: list[Epoch] = []
        self.started = time.monotonic()

    def run_to_its_end(self) -> int:
        """Train, save, score. Returns the exit status."""
        _refuse_out(self.out)           # once more: reading takes a while, and what fails below removes the folder
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / "log.jsonl").touch()            # learn now, and not after an epoch, that it cannot be written
            with Stop(None).listening() as stop:
                finetune(self.run, self.data.dev, on_epoch=self._after_epoch, stop=stop, progress=True)
            self._say_why(stop)
            if stop.status == 0:
                self._finish()
            return stop.status
        except ValueError as error:                     # it diverged, or could not be saved
            raise ValueError(f"{error}. {self._what_is_left()}") from error
        except OSError as error:                        # a full disk, a folder that may not be written
            raise ValueError(f"{error.filename or self.out}: {error.strerror or error}. {self._what_is_left()}") from error
        finally:
            if not self.epochs:
                shutil.rmtree(self.out, ignore_errors=True)

    def _after_epoch(self, epoch: Epoch) -> None:
        """Save the model where it is the best so far, then log the epoch and tell about it."""
        if epoch.is_best:
            model, task = copy.deepcopy(self.run.model), copy.deepcopy(self.run.task)
            task.finish(model)
            save_finetuned(self.out, model.eval(), task, self.run.tokenizer, **self._about(epoch))
        seconds = time.monotonic() - self.started
        with open(self.out / "log.jsonl", "a", encoding="utf-8") as log:
            print(json.dumps(dataclasses.asdict(epoch) | {"seconds": round(seconds, 1)}), file=log)
        self.epochs.append(epoch)
        scores = ", ".join(f"{name} {value:.3f}" for name, value in epoch.scores.items())
        tqdm.write(f"epoch {epoch.epoch} of {self.run.options.epochs}: loss {epoch.loss:.3f}; dev {scores}; {seconds:.0f} s gone"
                   + "   <- the best so far" * epoch.is_best)

    def _about(self, epoch: Epoch, **scores) -> dict:
        """What finetuning.json says beside the task."""
        data = {name: self.given[name] for name in ("train", "dev", "test") if name in self.given}
        rows = {name: len(examples) for name, examples in (("train", self.data.train), ("dev", self.data.dev), ("test", self.data.test)) if examples}
        return {"max_length": self.run.options.max_length, "columns": self.data.columns, "base": self.given["model"], "epoch": epoch.epoch,
                "scores": {"dev": epoch.scores} | scores, "recipe": dataclasses.asdict(self.run.options), "data": data, "rows": rows}

    def _say_why(self, stop: Stop) -> None:
        if stop.status:
            name = "Ctrl-C" if stop.signal == signal.SIGINT else "SIGTERM"
            print(f"stopped by {name} in epoch {len(self.epochs) + 1} of {self.run.options.epochs}. {self._what_is_left()}")
        elif len(self.epochs) < self.run.options.epochs:
            print(f"stopped early: {self.run.options.patience} epochs without a better score (--patience)")

    def _what_is_left(self) -> str:
        best = next((epoch for epoch in reversed(self.epochs) if epoch.is_best), None)
        if best is None:
            return "No epoch was done: nothing is kept"
        return f"The best weights so far, of epoch {best.epoch}, are in {self.out}"

    def _finish(self) -> None:
        """Test once, put the scores beside those of a guess, and say how to go on."""
        run, best = self.run, [epoch for epoch in self.epochs if epoch.is_best][-1]
        task, scores, lines = run.task, {}, []
        for name, examples in (("dev", self.data.dev), ("test", self.data.test)):
            if examples:
                found = best.scores if name == "dev" else evaluate(run.model, task, run.tokenizer, examples, run.options.max_length, run.precision, progress=True)[0]
                what, control = guess(task, self.data.train, examples)
                scores |= {name: found, f"{name}_guess": {"what": what} | control}
                lines += [(f"{name}, {len(examples):,} rows", found), (f"  a guess: {what}", control)]
        write_about(self.out, task, **self._about(best, **scores))
        print("\n" + _table(lines, task))
        measure = task.metrics[0]
        if scores["dev"][measure] <= scores["dev_guess"][measure]:
            print(f"\nThis is NOT better than the guess on dev ({scores['dev'][measure]:.3f} and {scores['dev_guess'][measure]:.3f}): nothing is gained by it yet. "
                  "More rows, more epochs or another learning rate may help; look at the labels as well")
        if len(self.data.dev) < FEW:
            rows = len(self.data.dev)
            one = f": one row more or less right is {1 / rows:.3f}" if measure == "accuracy" and task.name != "tagging" else ", which is few"
            print(f"\ndev has {rows} row{'s' * (rows > 1)}{one}. Do not trust small differences")
        print(f"\nepoch {best.epoch} was the best on dev; it is in {self.out}. Try it: {_try_it(self.out, task, 'pair' in self.data.columns)}")


def _table(lines: list[tuple[str, dict]], task: Task) -> str:
    width = max(len(name) for name, _ in lines) + 2
    head = " " * width + "".join(f"{name:>{len(name) + 2}}" for name in task.metrics)
    return "\n".join([head, *(f"{name:<{width}}" + "".join(f"{scores[name]:>{len(name) + 2}.3f}" for name in task.metrics) for name, scores in lines)])


def _try_it(out: Path, task: Task, pairs: bool) -> str:
    words = {"questions": "--question 'Who …?' --context 'A passage that tells it.'",
             "choice": "'A text' --choices 'one end' 'another end'"}.get(task.name, "'A text' --pair 'Its second text'" if pairs else "'A text of yours'")
    return f"minibert predict {shlex.quote(str(out))} {words}"
