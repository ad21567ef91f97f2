"""`minibert predict`: what a fine-tuned model says of new text, typed, piped or in a file."""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence

import torch

from minibert.commands import add_command, device_kind
from minibert.commands.finetune_options import add_column, add_file_options, add_machine_options, given_columns, given_header
from minibert.finetuning import ChoiceExample, QuestionExample, TaggedExample, TextExample, predict
from minibert.finetuning.reading import find_columns, make_examples, reader_of
from minibert.finetuning.saved import FineTuned, open_finetuned
from minibert.finetuning.tables import read_table

INPUTS = ("text", "pair", "words", "question", "context", "choices")
SHOWN = 3               # classes beside the text; --json has all
# A word as people who tag words part them: with its hyphens, apostrophes and the signs inside a name or an address; else a sign.
WORD = re.compile(r"[@#]?\w+(?:(?:://|[-'’.:/@_])\w+)*|[^\w\s]")

INPUT = """
what to give, by what the model was trained for:
  classification, regression   'a text' 'another text'      or, after training on pairs:  'a text' --pair 'its second text'
  similarity                   'a text' --pair 'another text'
  tagging                      'A sentence.' 'Another one.'  (words are parted at spaces and punctuation; in a file as they stand there)
  questions                    --question 'Who …?' --context 'A passage.'
  choice                       'a text' --choices 'one end' 'another end'
Or all of it on standard input, one on each line, with tabs between a text and its pair, a question and its passage, a text and its choices.

what comes out: a line for each text, with tabs between
  the label, its probability, the next ones, the text  (classification)     the number, the text  (regression; similarity: the cosine)
  the answer, its probability, its place, the question  (questions)         the choice, its probability, the text  (choice)
  word/tag word/tag …, and below it each name with its type  (tagging)
With --json an object on each line: the columns of the input, and the whole answer under "prediction" (which replaces a column of that name)."""


def add(commands) -> None:
    parser = add_command(commands, "predict", run_predict, "what a fine-tuned model says of new text", [
        "minibert predict sentiment 'What a waste of time.'",
        "minibert predict sentiment < lines.txt                          # a text on each line",
        "minibert predict sentiment --file new.csv --json > answers.jsonl",
        "minibert predict answers --question 'Who wrote it?' --context 'The book was written by Ada.'",
        "minibert predict names 'Angela Merkel met the mayor of Paris.'"])
    parser.set_defaults(rest="texts")
    parser.usage = "minibert predict FOLDER [TEXT ...] [options]"
    parser.description += "\n" + INPUT
    parser.add_argument("folder", metavar="FOLDER", help="what `minibert finetune` left; or a BERT that another program fine-tuned: a folder, or a name on the hub")
    parser.add_argument("texts", metavar="TEXT", nargs="*", help="texts, each for itself; '-' or none: standard input")
    parser.add_argument("--file", help="rows to predict, in the forms and with the columns of `minibert finetune`; labels are not looked at")
    data = parser.add_argument_group("what is given: the text itself, or with --file the name of its column (default: that of the training file, or a usual one)")
    for role in INPUTS:
        add_column(data, role)
    add_file_options(data)
    parser.add_argument("--json", action="store_true", help="an object on each line: the input and all of the answer")
    add_machine_options(parser)


def run_predict(arguments: argparse.Namespace) -> None:
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    tuned = open_finetuned(arguments.folder)
    inputs, examples = _from_file(arguments, tuned) if arguments.file else _from_words(arguments, tuned)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")        # a sign that the terminal does not know is no error
    tuned.model.to(device_kind(arguments.device or "auto"))
    predictions = predict(tuned.model, tuned.task, tuned.tokenizer, examples, tuned.max_length, progress=sys.stderr.isatty())
    for values, example, prediction in zip(inputs, examples, predictions):
        if arguments.json:
            ascii_only = (sys.stdout.encoding or "").lower() not in ("utf-8", "utf8")
            print(json.dumps(values | {"prediction": AS_JSON[tuned.task.name](prediction)}, ensure_ascii=ascii_only))
        else:
            for line in AS_LINES[tuned.task.name](example, prediction):
                print("\t".join(" ".join(str(field).split()) for field in line))


# -- input -------------------------------------------------------------------------------------------------------------

def _from_file(arguments: argparse.Namespace, tuned: FineTuned) -> tuple[list[Mapping], list]:
    """The rows of --file and their examples; the columns are those that were named, or those of the training file."""
    if arguments.texts:
        raise ValueError(f"give texts or --file {arguments.file}, not both")
    task = tuned.task.name
    table = read_table(arguments.file, format=arguments.format, header=given_header(vars(arguments)), encoding=arguments.encoding, otherwise=reader_of(task).otherwise)
    columns = given_columns(vars(arguments))
    remembered = {role: names for role, names in tuned.columns.items() if role in INPUTS}
    if not columns and all(name in table.columns for names in remembered.values() for name in ([names] if isinstance(names, str) else names)):
        columns = remembered
    examples, _ = make_examples(task, table, find_columns(task, table, columns, labelled=False), labelled=False)
    return [row.values for row in table.rows], examples


def _from_words(arguments: argparse.Namespace, tuned: FineTuned) -> tuple[list[Mapping], list]:
    """What was typed, or stands on standard input, one on each line; and the examples."""
    for option in ("format", "header", "encoding"):
        if getattr(arguments, option):
            raise ValueError(f"--{option} is about a file: give one with --file")
    typed = _typed(arguments, tuned.task.name)
    lines = typed is None
    parts = [line.rstrip("\r\n").split("\t") for line in _standard_input()] if lines else typed
    inputs = [_input(tuned, part, f"standard input, text {number}" if lines else "") for number, part in enumerate(parts, start=1)]
    return [values for values, _ in inputs], [example for _, example in inputs]


def _typed(arguments: argparse.Namespace, task: str) -> list[list[str]] | None:
    """The parts of each thing that was given on the command line; None where standard input is meant."""
    texts = arguments.texts
    if task == "questions":
        texts = texts or ([arguments.question] if arguments.question else [])
        if arguments.context is not None and texts and texts != ["-"]:
            return [[text, arguments.context] for text in texts]
        if texts != ["-"] and (texts or arguments.context is not None):
            raise ValueError("this model answers questions from a passage: give both, --question 'Who …?' --context 'A passage.'")
    more = arguments.choices if task == "choice" else [arguments.pair] if arguments.pair is not None else None
    texts = texts or ([arguments.text] if arguments.text else [])
    if texts == ["-"] or not texts and not sys.stdin.isatty() and more is None:
        return None
    if not texts:
        raise ValueError("give a text, --file, or texts on standard input ('minibert predict --help' has examples)")
    if more is not None and len(texts) > 1:
        raise ValueError(f"give one text with its {'--choices' if task == 'choice' else '--pair'}, not {len(texts)}; many stand in a file (--file)")
    return [[text, *(more or [])] for text in texts]


def _standard_input() -> list[str]:
    try:
        lines = sys.stdin.buffer.read().decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"standard input is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}") from error
    if not any(line.strip() for line in lines):
        raise ValueError("standard input has no text")
    return [line for line in lines if line.strip()]


def _input(tuned: FineTuned, parts: Sequence[str], where: str) -> tuple[dict, object]:
    """What one thing is called in JSON, and its example, from its parts."""
    task, count = tuned.task.name, len(parts)
    place = f"{where}: " if where else ""
    if any(not part.strip() for part in parts):
        raise ValueError(f"{place}an empty text")
    if task == "tagging":
        words = WORD.findall(" ".join(parts))
        return {"text": " ".join(parts), "words": words}, TaggedExample(words)
    if task == "questions":
        if count != 2:
            raise ValueError(f"{place}wanted a question, a tab and its passage, found {count} part{'s' * (count > 1)}")
        return dict(zip(("question", "context"), parts)), QuestionExample(*parts)
    if task == "choice":
        if count < 3:
            raise ValueError(f"{place}this model chooses: wanted a text and at least two choices (--choices 'one end' 'another end', or tabs between them)")
        return {"text": parts[0], "choices": list(parts[1:])}, ChoiceExample(parts[0], parts[1:])
    pairs = "pair" in tuned.columns if tuned.columns else None          # None: nobody knows
    if pairs is False and where:
        parts, count = [" ".join(parts)], 1
    if pairs and count != 2:
        raise ValueError(f"{place}this model was trained on pairs of texts: give the second one as well (--pair, or a tab between them)")
    if pairs is False and count != 1 or count > 2:
        raise ValueError(f"{place}this model was trained on single texts, and here are {count} together")
    return dict(zip(("text", "pair"), parts)), TextExample(*parts)


# -- output ------------------------------------------------------------------------------------------------------------

def _sorted(probabilities: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(probabilities.items(), key=lambda pair: -pair[1])


def _class_lines(example, prediction):
    (label, probability), *others = _sorted(prediction.probabilities)
    yield label, f"{probability:.3f}", ", ".join(f"{other} {value:.3f}" for other, value in others[:SHOWN - 1]), *_texts(example)


def _tag_lines(example, prediction):
    yield [" ".join(f"{word}/{tag}" for word, tag in zip(prediction.words, prediction.tags))]
    for name in prediction.entities:
        yield "", name.type, " ".join(prediction.words[name.start:name.end])


def _texts(example) -> list[str]:
    return [example.text] if example.pair is None else [example.text, example.pair]


def _tags_json(prediction) -> dict:
    names = [{"type": name.type, "text": " ".join(prediction.words[name.start:name.end]), "start": name.start, "end": name.end} for name in prediction.entities]
    return {"words": prediction.words, "tags": prediction.tags, "probabilities": prediction.probabilities, "entities": names}


AS_LINES = {
    "classification": _class_lines,
    "regression": lambda example, prediction: [(f"{prediction.value:.3f}", *_texts(example))],
    "similarity": lambda example, prediction: [(f"{prediction.cosine:.3f}", *_texts(example))],
    "tagging": _tag_lines,
    "questions": lambda example, prediction: [(prediction.text, f"{prediction.probability:.3f}", f"{prediction.start}-{prediction.end}", example.question)],
    "choice": lambda example, prediction: [(prediction.text, f"{prediction.probabilities[prediction.choice]:.3f}", example.text)],
}
AS_JSON = {
    "classification": lambda prediction: {"label": prediction.label, "probabilities": dict(_sorted(prediction.probabilities))},
    "regression": lambda prediction: {"value": prediction.value},
    "similarity": lambda prediction: {"cosine": prediction.cosine},
    "tagging": _tags_json,
    "questions": lambda prediction: {"answer": prediction.text, "start": prediction.start, "end": prediction.end, "probability": prediction.probability},
    "choice": lambda prediction: {"choice": prediction.choice, "text": prediction.text, "probabilities": prediction.probabilities},
}
