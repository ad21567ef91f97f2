"""The options of `minibert pretrain`, and what they say about a run."""

import argparse
import dataclasses
import re

from minibert.commands import add_command
from minibert.config import PRESETS
from minibert.data.corpora import DEFAULT, HUB_SETS
from minibert.run_folder import VOCAB_SIZE, VOCAB_SIZES, Settings
from minibert.run_loop import Rhythm
from minibert.training import PretrainingOptions

STEPS = 1000
EVAL_ROWS = 512
EVAL_EVERY = 50             # steps, at least: an evaluation costs as much as some five of them
CHECKPOINT_EVERY = "10m"

# The recipe, in the words of --help, and what a switch is worth where a log says it; every field of PretrainingOptions is an option.
RECIPE = {
    "steps": "updates of the weights",
    "batch_size": "rows in an update; on as many rows, small world: 0.60 with 32, 0.83 with 64, 2.26 with 256",
    "micro_batch": "rows that go through the model at once: smaller needs less memory and changes nothing but rounding",
    "length": "tokens in a row",
    "short_length": "tokens in a row at the beginning: which words are neighbours is learned sooner among few tokens",
    "short_share": "share of the steps at that length, with as many tokens in more rows; 0: none",
    "long_length": "tokens in a row at the end, so that late positions are trained too",
    "long_share": "share of the steps at that length, with as many tokens in fewer rows; 0: none",
    "copy_positions": "where rows become longer, begin their new positions as copies of the trained ones; not with --from",
    "shift_share": "share of the shorter rows that begin at a later position than 0, drawn evenly, so that the positions of long rows are trained all along; small world, with four times "
                   "the places that a row needs: at 0.2 rows that begin late come to 3.03 instead of 4.71, all others to 1.01 instead of 0.81",
    "mask_rate": "share of the tokens to predict; small world: 1.38 at 0.05, 0.83 at 0.15, 0.72 at 0.25, 0.68 at 0.4, where the pairs suffer",
    "all_mask": "every token to predict becomes [MASK]; otherwise a tenth of them becomes another token and a tenth stays, from which a model "
                "learns to represent words that it sees; small world: of the words of clean text it names 0.52 instead of 0.87",
    "next_sentence": "train next-sentence prediction as well; small world: the words come to 0.83 with it, 0.81 without",
    "pair_weight": "of the loss of the pairs, beside 1 for that of the words; small world: at 0.2 the words come to 0.82 instead of 0.83, the pairs to 0.57 instead of 0.50",
    "pair_share": "share of the rows that are pairs of texts; the others are running text, for the words alone; small world: at 0.4 the words come to 0.84 "
                  "instead of 0.83, the pairs to 0.52 instead of 0.50",
    "optimizer": "muon on the matrices and adamw on the rest, or adamw on everything; small world: 0.83 and, at one rate, 1.49; "
                 "a step of muon takes 1.24 times as long (mini), 1.16 times (teaching)",
    "learning_rate": "peak of AdamW's",
    "matrix_learning_rate": "peak of Muon's",
    "warmup": "steps over which the learning rates rise; adamw with and without, small world: 1.49 and 1.97, six layers: 3.20 and 3.87",
    "decay": "share of the steps, the last ones, over which they fall to 0",
    "weight_decay": "pull towards 0 of all weights but biases and norms",
    "clip": "largest norm of the gradient; a longer one is shortened to it",
    "precision": "of the computation; auto: bfloat16 where the hardware has it, which is 1.91 times as fast there (mini), 1.78 times (teaching)",
    "seed": "of the first weights, the order of the text, the masks and dropout",
}
NORM_FIRST = ("pre-norm; equal times: the words come to 4.91 with it, to 4.87 without, which is within the seeds; transformers opens such a model as "
              "RobertaPreLayerNorm, without its next-sentence head")
CHOICES = {"optimizer": ("muon", "adamw"), "precision": ("auto", "bfloat16", "float32")}

SOURCES = """

what a switch is worth was measured once, on one machine:
  small world   held-out loss of masked words after a short run, means of three seeds, in a world where 0.31 is the lowest
                loss that there can be and 3.83 what the words' frequencies give (benchmarks/logs/small_world.json)
  six layers    the same for a deeper model (benchmarks/logs/failures.json)
  equal times   the same after five minutes of one core, on real text (benchmarks/logs/equal_time.json)
  times         tokens per CPU-second (benchmarks/logs/speed.json)"""

# Options that may differ from session to session; the second kind is remembered from the one before.
OF_A_SESSION = ("time_limit", "device", "threads")
REMEMBERED = ("log_every", "eval_every", "eval_rows", "checkpoint_every", "tensorboard", "shard")


def add_options(commands, run) -> None:
    parser = add_command(commands, "pretrain", run, "train a BERT on a corpus, from nothing or from a saved model", [
        "minibert pretrain --out first                        # the default corpus, a small model",
        "minibert pretrain --corpus texts/ --preset teaching --steps 5000 --out run",
        "minibert pretrain --corpus 'texts/*.jsonl.xz' --vocab vocab.txt --batch-size 128 --out run --time-limit 55m",
        "minibert pretrain --out run --resume                 # after Ctrl-C, a time limit, a crash: bit for bit",
        "minibert pretrain --from run/model --corpus more/ --steps 500 --learning-rate 5e-4 --out further"])
    parser.epilog += SOURCES
    parser.argument_default = argparse.SUPPRESS         # so that --resume knows what was given
    parser.add_argument("--out", metavar="FOLDER", required=True, help="where the run lives: log, checkpoints and, in FOLDER/model, the finished model")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out; nothing else needs to be given again")

    text = parser.add_argument_group("text")
    text.add_argument("--corpus", nargs="+", metavar="NAME", help=f"{', '.join([DEFAULT, *HUB_SETS])}; or files, folders, patterns "
                      f"(.txt, .jsonl, also .gz, .xz) (default: {DEFAULT}, 97 Wikipedia articles, no network needed)")
    text.add_argument("--held-out", nargs="+", metavar="NAME", help="text for the evaluation, or 'none' (default: the corpus' own validation files, or every twelfth document)")
    text.add_argument("--sentence-per-line", action="store_true", help="each line of a .txt is a sentence, a blank line ends a document")
    text.add_argument("--vocab", metavar="FILE_OR_FOLDER", help="a vocab.txt, or a model's folder or name (default: one is trained on the corpus)")
    text.add_argument("--vocab-size", type=int, metavar="N", help="tokens in a vocabulary that is trained (default: "
                      f"{VOCAB_SIZE}; {', '.join(f'{size} for {name}' for name, size in VOCAB_SIZES.items())})")

    model = parser.add_argument_group("model")
    model.add_argument("--preset", metavar="NAME", help=f"{', '.join(PRESETS)}, or the path of a config.json (default: mini)")
    model.add_argument("--from", dest="start", metavar="MODEL", help="start from the weights and the vocabulary of a saved model: a folder, or minibert-small")
    model.add_argument("--dropout", type=float, metavar="P", help="probability of dropout while training (default: 0, or what the config.json says)")
    model.add_argument("--norm-first", action=argparse.BooleanOptionalAction, help=f"{NORM_FIRST} (default: no)")

    recipe = parser.add_argument_group("recipe")
    for field in dataclasses.fields(PretrainingOptions):
        default = STEPS if field.default is dataclasses.MISSING else field.default
        shown = {True: "yes", False: "no"}[default] if isinstance(default, bool) else default
        how = {"action": argparse.BooleanOptionalAction} if isinstance(default, bool) else {
            "type": type(default), "choices": CHOICES.get(field.name), "metavar": None if field.name in CHOICES else "N"}
        recipe.add_argument(_flag(field.name), help=f"{RECIPE[field.name]} (default: {shown})", **how)

    how_often = parser.add_argument_group("how often, and how long")
    how_often.add_argument("--time-limit", type=duration, metavar="TIME", help="stop cleanly after 90s, 55m, 1h30m … and leave a checkpoint; exit status 0")
    how_often.add_argument("--checkpoint-every", type=moment, metavar="WHEN", help=f"a number of steps, or a time such as 10m (default: {CHECKPOINT_EVERY})")
    how_often.add_argument("--eval-every", type=positive, metavar="N", help=f"steps between two held-out evaluations (default: a twentieth of all, at least {EVAL_EVERY})")
    how_often.add_argument("--eval-rows", type=positive, metavar="N", help=f"rows of held-out text, the same in each (default: {EVAL_ROWS})")
    how_often.add_argument("--log-every", type=positive, metavar="N", help="steps between two lines of FOLDER/log.jsonl (default: 10)")
    how_often.add_argument("--tensorboard", action="store_true", help="write FOLDER/tensorboard as well; needs the package tensorboard")

    machine = parser.add_argument_group("machine")
    machine.add_argument("--device", choices=("auto", "cpu", "cuda"), help="where to compute (default: auto, a GPU where there is one)")
    machine.add_argument("--threads", type=positive, metavar="N", help="processor threads (default: as PyTorch chooses)")
    machine.add_argument("--shard", action="store_true", help="under torchrun: every process keeps a part of the model only (FSDP), for one that does not fit; needs --optimizer adamw")


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def duration(text: str) -> float:
    """'90s', '55m', '1h30m' or '2h' in seconds."""
    match = re.fullmatch(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?", text)
    if not text or not match:
        raise argparse.ArgumentTypeError(f"wanted a time such as 90s, 55m or 1h30m, not {text!r}")
    hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"wanted a whole number of at least 1, not {text!r}")
    return int(text)


def moment(text: str) -> str:
    """A number of steps or a time; kept as it was written."""
    positive(text) if text.isdecimal() else duration(text)
    return text


def make_settings(given: dict) -> Settings:
    """The settings of a new run from the options that were given."""
    names = {field.name for field in dataclasses.fields(PretrainingOptions)}
    defaults = {"steps": STEPS, "copy_positions": "start" not in given}         # a saved model's positions are trained
    options = PretrainingOptions(**defaults | {name: value for name, value in given.items() if name in names})
    other = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items() if name not in names}
    for name in ("vocab", "vocab_size", "preset", "norm_first"):
        if "start" in other and name in other:
            raise ValueError(f"--from brings its own shape and vocabulary: leave out {_flag(name)}")
    if "vocab" in other and "vocab_size" in other:
        raise ValueError("--vocab-size is for a vocabulary that is trained: leave it out, or --vocab")
    settings = Settings(options, **other)
    settings.config(VOCAB_SIZE)         # complains about a wrong preset before anything is written
    return settings


def refuse_changes(settings: Settings, given: dict) -> None:
    """Raise a ValueError for an option that would make another run of it."""
    known = {field.name: getattr(settings, field.name) for field in dataclasses.fields(settings)} | dataclasses.asdict(settings.options)
    for name, value in given.items():
        value = tuple(value) if isinstance(value, list) else value
        if value != known[name]:
            flag = "--from" if name == "start" else _flag(name)
            before = " ".join(known[name]) if isinstance(known[name], tuple) else known[name]
            raise ValueError(f"{flag} cannot change in the middle of a run (it began with {before!r}). Leave it out, or begin a new run from "
                             "this one's weights with --from and another --out")


def make_rhythm(session: dict, steps: int) -> Rhythm:
    """How often a session does what, from its options."""
    when = session.get("checkpoint_every", CHECKPOINT_EVERY)
    by_steps = when.isdecimal()
    return Rhythm(session.get("log_every", 10), session.get("eval_every", max(EVAL_EVERY, steps // 20)),
                  int(when) if by_steps else None, None if by_steps else duration(when), session.get("time_limit"))
