"""`minibert predict`: predict with a fine-tuned model, for typed text, stdin or a file."""

import argparse
import sys
from typing import TYPE_CHECKING

from minibert.cli.common import add_command, device_kind, json_line, one_line, use_threads
from minibert.cli.finetune_options import add_column, add_file_options, add_machine_options
from minibert.cli.streams import complain
from minibert.config import InputError
from minibert.hub.json_text import without_nan

if TYPE_CHECKING:
    from minibert.cli.common import Commands

INPUTS = ("text", "pair", "words", "question", "context", "choices")
INPUT_HELP = """
input, depending on the task that the model was trained for:
  classification, regression   'a text' 'another text'
                               or, after training on pairs: 'a text' --pair 'its second text'
  similarity                   'a text' --pair 'another text'
  tagging                      'A sentence.' 'Another one.'   (split into words at spaces and
                               punctuation; a file contains the words already split)
  questions                    --question 'Who …?' --context 'A passage.'
  choice                       'a text' --choices 'one ending' 'another ending'
Standard input works as well, with one input per line and tabs between a text and its pair, a
question and its passage, or a text and its choices.

output, one line for each text, with tabs between the fields:
  classification         label, probability, the next labels, text
  regression, similarity number (similarity: cosine), text
  questions              answer, probability, character positions in the passage, question
  choice                 choice, probability, text
  tagging                word/tag word/tag …, then a line for each entity with its type
With --json, one object per line: the columns of the input, and the full prediction as
"prediction", a name that no column of the input may have. What is not a number is null."""


def add(commands: "Commands") -> None:
    """Add the command's parser."""
    parser = add_command(
        commands,
        "predict",
        run_predict,
        "predict with a fine-tuned model",
        [
            "minibert predict sentiment 'What a waste of time.'",
            "minibert predict sentiment < lines.txt                  # one text per line",
            "minibert predict sentiment --file new.csv --json > answers.jsonl",
            "minibert predict answers --question 'Who wrote it?' "
            "--context 'The book was written by Ada.'",
            "minibert predict names 'Angela Merkel met the mayor of Paris.'",
        ],
    )
    parser.set_defaults(rest="texts")
    parser.usage = "minibert predict FOLDER [TEXT ...] [options]"
    parser.description = f"{parser.description}\n{INPUT_HELP}"
    parser.add_argument(
        "folder",
        metavar="FOLDER",
        help="the folder that `minibert finetune` wrote, or the folder or hub name of a BERT that "
        "another program fine-tuned",
    )
    parser.add_argument(
        "texts",
        metavar="TEXT",
        nargs="*",
        help="texts, with one prediction for each; '-' or none means standard input",
    )
    parser.add_argument(
        "--file",
        help="a file of rows to predict, with the formats and columns of `minibert finetune`; "
        "labels are ignored",
    )
    data = parser.add_argument_group(
        "input: the text itself, or with --file the name of its column (default: the name in the "
        "training file, or a common one)"
    )
    for role in INPUTS:
        add_column(data, role)
    add_file_options(data)
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object per line, with the input and the full prediction",
    )
    add_machine_options(parser)


def run_predict(arguments: argparse.Namespace) -> None:
    """Print a prediction for each input."""
    from tqdm import tqdm

    from minibert.cli.predict_input import read_input
    from minibert.finetuning.evaluation import stream_predictions
    from minibert.finetuning.model_io import open_finetuned

    if arguments.threads:
        use_threads(arguments.threads)
    tuned = open_finetuned(arguments.folder)
    inputs, examples = read_input(arguments, tuned)
    if arguments.json and any("prediction" in values for values in inputs):
        raise InputError(
            f"--file {arguments.file} has a column 'prediction', which is the name of what --json "
            "adds: rename that column"
        )
    tuned.model.to(device_kind(arguments.device or "auto"))
    predictions = stream_predictions(
        tuned.model,
        tuned.task,
        tuned.tokenizer,
        examples,
        tuned.max_length,
        progress=sys.stderr.isatty(),
    )
    show = tqdm.write if sys.stdout.isatty() else print  # beside a bar on the same terminal
    cut = empty = 0
    for values, example, prediction in zip(inputs, examples, predictions, strict=True):
        if arguments.json:
            answer = {**values, "prediction": tuned.task.prediction_json(prediction)}
            try:
                line = json_line(without_nan(answer))
            except RecursionError as error:
                raise InputError(
                    f"--file {arguments.file}: a column is nested too deeply"
                ) from error
            show(line)
        else:
            for fields in tuned.task.prediction_lines(example, prediction):
                show("\t".join(one_line(str(field)) for field in fields))
        sys.stdout.flush()  # a line is there as soon as it is known
        feature = tuned.task.features(tuned.tokenizer, [example], tuned.max_length)[0]
        cut += feature.cut
        several = isinstance(feature.input_ids[0], list)
        sequences = feature.input_ids if several else [feature.input_ids]
        around = {tuned.tokenizer.cls_id, tuned.tokenizer.sep_id}
        empty += any(around.issuperset(ids) for ids in sequences)
    if empty:
        complain(
            f"note: the tokenizer leaves nothing of {empty:,} of {len(inputs):,} inputs, so their "
            "predictions mean nothing"
        )
    if cut:
        complain(
            f"note: {cut:,} of {len(inputs):,} inputs have more than "
            f"{tuned.task.limit(tuned.max_length)}; the rest was not read"
        )
