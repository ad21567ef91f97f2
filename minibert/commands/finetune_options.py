"""The options of `minibert finetune`, those that `minibert predict` shares, and what they say about a run."""

import argparse
import dataclasses

from minibert.commands import add_command
from minibert.commands.pretrain_options import positive
from minibert.config import BertConfig
from minibert.finetuning import FineTuningOptions
from minibert.finetuning.readers import READERS
from minibert.finetuning.tables import FORMATS
from minibert.hub import MINILM, SMALL

NARROW, NARROW_RATE = 512, 2e-4         # hidden size below which a model takes the larger learning rate
QUESTIONS_LENGTH = 384                  # google-research/bert, run_squad.py, `max_seq_length`
ROLES = tuple(dict.fromkeys(role for reader in READERS.values() for role in reader.roles))

TASKS = """
tasks (TASK), and the columns that each reads:
  classification  which of several classes a text, or a pair of texts, belongs to      --text [--pair] --label
  regression      which number a text, or a pair of texts, deserves                    --text [--pair] --label
  similarity      how alike two texts are, as the cosine of a vector for each: a
                  sentence encoder such as all-MiniLM-L6-v2 learns on                  --text --pair --label
  tagging         a tag for every word, such as names in IOB (B-person, I-person, O)   --words --tags
  questions       which part of a passage answers a question (SQuAD)                   --question --context --answer
  choice          which of several texts goes on with a text, or answers it            --text --choices --label
"""

COLUMNS = {
    "text": "the text; of a pair the first",
    "pair": "the second text of a pair",
    "label": "the class or the number; with 'choice' the right one: its number from 0, its column, its letter or its text",
    "words": "the words of a sentence: a list, or text with spaces between the words",
    "tags": "their tags, in the same form",
    "question": "the question",
    "context": "the passage that holds the answer",
    "answer": "the answer as it stands in the passage, or a list of answers; SQuAD's own column 'answers' as well",
    "answer_start": "the character of the passage, from 0, at which the answer begins (default: where it first stands)",
    "choices": "the columns of the choices, such as a,b,c,d; or one column that holds a list",
}

# Every field of FineTuningOptions is an option.
RECIPE = {
    "epochs": "times that all training rows are gone through; more, such as 10, where there are only some hundred",
    "batch_size": "rows in an update; smaller (8, 16) for few rows, or where the memory is short",
    "learning_rate": "its peak: try half and double of it where scores jump about, or hardly move",
    "head_learning_rate": "another peak for the new part on top of BERT, and the pooler",
    "trained_layers": "how many of BERT's layers learn, the last ones; 0: the new part alone, which is faster and needs less memory",
    "warmup": "share of the steps over which the rate rises, before it falls to 0",
    "weight_decay": "pull towards 0 of all weights but biases and norms",
    "clip": "largest norm of the gradient; a longer one is shortened to it",
    "max_length": "tokens in a row, about 0.7 English words each: longer texts lose their end; passages and sentences to tag are read in windows that overlap",
    "patience": "stop early, after so many epochs without a better score on dev",
    "precision": "of the computation; auto: bfloat16 where the hardware has it, else float32",
    "seed": "of the new part, of the order of the rows, of dropout, and of what is drawn for dev: try several before you trust a small difference",
}
DEFAULTS = {"learning_rate": f"5e-5; {NARROW_RATE:.0e}".replace("e-0", "e-") + f" for models narrower than {NARROW}, such as {SMALL}, but for similarity",
            "head_learning_rate": "the same", "trained_layers": "all, and the embeddings", "max_length": f"128; {QUESTIONS_LENGTH} for questions",
            "patience": "never"}
TYPES = {"head_learning_rate": float, "trained_layers": int, "patience": int}

AFTERWARDS = """

files:
  A CSV or TSV file begins with a line that names its columns (or name them: --header). JSON lines have an object on each line. Quotes mean
  something in CSV only. A CoNLL file has a word and its tag on each line, and a blank line between sentences. label-text is a label, a space,
  the text. All may end in .gz. A name such as nyu-mll/glue:sst2 is a set on the hub (owner/name:configuration): --train reads its split
  'train', --dev 'validation', --test 'test'; a third part names another, as in nyu-mll/glue:mnli:validation_matched. That needs a network
  and the package datasets (pip install datasets).

what is left in FOLDER:
  the weights of the epoch that was best on dev, from the end of the first epoch on, so that Ctrl-C or a crash loses little; log.jsonl, a line
  for each epoch; finetuning.json, with the task, its labels, the recipe and the scores. `minibert predict FOLDER` uses it; so does the
  library transformers (but for similarity). `--model FOLDER` learns on from it.

exit status: 0; 2 for a mistake in the options or the data, told in one line; 130 after Ctrl-C and 143 after SIGTERM (the best is kept)."""


def add_options(commands, run) -> None:
    parser = add_command(commands, "finetune", run, "teach a pretrained BERT a task on your own labelled data", [
        "minibert finetune classification --train reviews.csv --out sentiment       # columns 'text' and 'label' are found",
        "minibert predict sentiment 'What a waste of time.'",
        "minibert finetune classification --train train.tsv.gz --dev dev.tsv.gz --header sentence,label --out sst2",
        f"minibert finetune regression --train pairs.csv --text first --pair second --label score --model {MINILM} --out alike",
        "minibert finetune tagging --train train.conll --test test.conll --epochs 5 --out names",
        "minibert finetune questions --train squad.json --out answers",
        "minibert finetune choice --train swag.csv --text startphrase --choices ending0,ending1,ending2,ending3 --out endings",
        "minibert finetune classification --train nyu-mll/glue:sst2 --dev nyu-mll/glue:sst2 --text sentence --out sst2",
        "minibert finetune classification --train big.jsonl --rows 2000 --epochs 1 --out trial      # a quick trial first"])
    parser.usage = "minibert finetune TASK --train FILE --out FOLDER [options]"
    parser.description += "\n" + TASKS
    parser.epilog += AFTERWARDS
    parser.argument_default = argparse.SUPPRESS         # so that it is known what was given
    parser.add_argument("task", metavar="TASK", choices=tuple(READERS), help=", ".join(READERS))
    parser.add_argument("--train", metavar="FILE", required=True, help="what to learn from: a file, or a set on the hub, see below")
    parser.add_argument("--dev", metavar="FILE", help="rows to choose the best epoch by (default: a tenth of the training rows, which are then "
                        "not learned from; of questions, a tenth of the passages)")
    parser.add_argument("--test", metavar="FILE", help="rows that are looked at once, at the end")
    parser.add_argument("--out", metavar="FOLDER", required=True, help="where the model goes; must not be there yet")
    parser.add_argument("--model", default=SMALL, metavar="MODEL", help=f"what to begin from: a folder or a name on the hub. {SMALL} (the default) is part of "
                        f"minibert and quick; {MINILM} is four times as large and mostly better; google-bert/bert-base-uncased larger still")

    data = parser.add_argument_group("data: which column holds what (default: a usual name, such as text, sentence1 + sentence2, label, tokens, ner_tags)")
    for role in ROLES:
        add_column(data, role)
    add_file_options(data)
    data.add_argument("--rows", type=positive, metavar="N", help="take only N of the training rows, drawn by --seed, for a quick trial (default: all)")
    data.add_argument("--skip-bad-answers", action="store_true", help="leave out questions whose answer is not in the passage, and count them (default: an error)")

    recipe = parser.add_argument_group("recipe")
    for field in dataclasses.fields(FineTuningOptions):
        choices = ("auto", "bfloat16", "float32") if field.name == "precision" else None
        recipe.add_argument(flag(field.name), type=TYPES.get(field.name, type(field.default)), choices=choices, metavar=None if choices else "N",
                            help=f"{RECIPE[field.name]} (default: {DEFAULTS.get(field.name, field.default)})")
    recipe.add_argument("--stride", type=positive, metavar="N", help="questions: tokens between the beginnings of two windows on a long passage (default: 128)")
    recipe.add_argument("--max-answer", type=positive, metavar="N", help="questions: tokens of the longest answer that is given (default: 30)")
    add_machine_options(parser)


def add_column(group, role: str) -> None:
    group.add_argument(flag(role), metavar="COLUMN", nargs="+" if role == "choices" else None, help=COLUMNS[role])


def add_file_options(group) -> None:
    group.add_argument("--format", choices=FORMATS, help="of the files (default: by their suffix; .jsonl and SQuAD's .json are json)")
    group.add_argument("--header", metavar="A,B,…", help="names of the columns, for CSV and TSV files whose first line is a row")
    group.add_argument("--encoding", metavar="NAME", help="of the files, such as cp1252 or euc-kr (default: UTF-8)")


def add_machine_options(parser) -> None:
    machine = parser.add_argument_group("machine")
    machine.add_argument("--device", choices=("auto", "cpu", "cuda"), help="where to compute (default: auto, a GPU where there is one)")
    machine.add_argument("--threads", type=positive, metavar="N", help="processor threads (default: as PyTorch chooses)")


def make_options(task: str, given: dict, config: BertConfig) -> FineTuningOptions:
    """The recipe from the options that were given, and for the rest what suits the task and the model."""
    names = {field.name for field in dataclasses.fields(FineTuningOptions)}
    longest = config.max_position_embeddings
    if given.get("max_length", 0) > longest and config.position_embedding_type != "none":
        raise ValueError(f"--max-length {given['max_length']} is beyond the model: it takes at most {longest} tokens")
    suited = {"max_length": min(longest, QUESTIONS_LENGTH if task == "questions" else FineTuningOptions.max_length)}
    if config.hidden_size < NARROW and task != "similarity":        # a sentence encoder has learned most of that already
        suited["learning_rate"] = NARROW_RATE
    return FineTuningOptions(**suited | {name: value for name, value in given.items() if name in names})


def given_columns(given: dict) -> dict[str, str | tuple[str, ...]]:
    """The columns that were named; those of the choices with commas or spaces between them."""
    columns = {role: given[role] for role in ROLES if given.get(role) is not None}
    if "choices" in columns:
        names = [name for part in columns["choices"] for name in part.split(",") if name]
        columns["choices"] = names[0] if len(names) == 1 else tuple(names)
    return columns


def given_header(given: dict) -> list[str] | None:
    return given["header"].split(",") if given.get("header") else None


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")
