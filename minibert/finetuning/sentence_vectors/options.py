"""The recipe of a sentence encoder, and what its run was started with. Imports no torch."""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from minibert.config import InputError
from minibert.hub.find_pretrained import MINILM, SMALL
from minibert.pretraining.options import Recipe, option
from minibert.pretraining.settings import with_tuples

OBJECTIVES = ("distill", "dropout", "neighbours", "titles")
OF_PAIRS = ("neighbours", "titles")  # objectives whose items are two texts
CHOICES = {
    "objective": OBJECTIVES,
    "schedule": ("linear", "cosine"),
    "precision": ("auto", "bfloat16", "float32"),
}
# options that mean something for some objectives only
ONLY_FOR = {
    "temperature": ("dropout", *OF_PAIRS),
    "teacher": ("distill",),
    "relational_weight": ("distill",),
    "pca_texts": ("distill",),
    "start_from_bag": ("distill",),
    "ridge": ("distill",),
    "held_out": ("distill",),
    "phrases": ("distill", "dropout"),
    "words": ("distill", "dropout"),
    "made": ("distill", "dropout"),
}
# defaults that depend on the objective; the first is that of distill
BY_OBJECTIVE: dict[str, tuple[Any, Any]] = {
    "dropout": (0.0, 0.1),
    "phrases": (60_000, 0),
    "words": (25_000, 0),
    "learning_rate": (1e-3, 5e-5),
    "start_from_bag": (True, False),
    "epochs": (4.0, 1.0),
}


@dataclass(frozen=True)
class SentenceOptions(Recipe):
    """The recipe of a run; with the trunk and the corpus it decides every number of it.

    Every field is an option of `minibert train-sentences`. Raises an InputError for impossible
    values.
    """

    objective: str = option(
        "distill",
        "distill: towards a teacher's vectors; dropout: the same sentence twice with different "
        "dropout (SimCSE); neighbours: two sentences that follow each other; titles: a document's "
        'title and its first sentence (the corpus has to be .jsonl, each line with a "title")',
    )
    epochs: float = option(4.0, "passes through the texts")
    steps: int | None = option(None, "updates of the weights, instead of --epochs")
    batch_size: int = option(64, "texts (or pairs) in an update")
    learning_rate: float = option(1e-3, "peak learning rate")
    warmup: int = option(100, "steps over which the learning rate rises")
    schedule: str = option("linear", "how the learning rate falls to 0")
    weight_decay: float = option(0.01, "weight decay, on all weights but biases and norms")
    clip: float = option(1.0, "largest gradient norm; larger ones are scaled down to it")
    dropout: float = option(0.0, "probability of dropout")
    precision: str = option("auto", "dtype of the computation; auto: the faster one")
    seed: int = option(0, "seed of the choice of texts, their order, and dropout")
    layers: int | None = option(None, "keep the first layers of the trunk only")
    max_length: int = option(48, "tokens of a text; longer ones are cut")

    # the objectives
    temperature: float = option(0.05, "temperature of the contrastive loss")
    teacher: str = option(MINILM, "the model whose vectors the student learns")
    relational_weight: float = option(
        1.0, "weight of the mean squared difference of the batch's matrices of cosines"
    )
    pca_texts: int = option(50_000, "texts on which the teacher's vectors are reduced by PCA")
    start_from_bag: bool = option(
        True,
        "start from the bag of words that is closest to the teacher, with fresh layers; the trunk "
        "gives its shape and vocabulary only, and has to be pre-norm",
    )
    positions: bool = option(
        True,
        "learn vectors of positions; without them, a start from the bag of words gives an encoder "
        "that does not see the order of the words",
    )
    ridge: float = option(0.3, "strength of the ridge regression that finds the bag of words")

    # the texts
    sentences: int = option(
        220_000, "sentences (or pairs), in equal shares from the corpus' sources"
    )
    phrases: int = option(60_000, "shorter phrases cropped from sentences")
    words: int = option(25_000, "most frequent words, each as a text of its own")
    made: int = option(
        0,
        "short sentences that are put together at random from words of the corpus, such as 'A dog "
        "is carrying the stick.'",
    )
    sample: int | None = option(
        None, "use a random sample of so many of the chosen sentences, phrases and words"
    )
    held_out: int = option(
        2000,
        "texts, at most a tenth, that are not trained on: their mean cosine with the teacher's "
        "vectors is reported",
    )
    min_words: int = option(3, "words in the shortest sentence that is chosen")
    max_words: int = option(22, "words in the longest sentence that is chosen")

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            self.check_choice(name, choices)
        for name in ("batch_size", "sentences", "min_words", "max_words", "pca_texts"):
            self.check_whole(name, 1)
        for name in ("warmup", "seed", "phrases", "words", "made", "held_out"):
            self.check_whole(name, 0)
        for name in ("steps", "layers", "sample"):
            if getattr(self, name) is not None:
                self.check_whole(name, 1)
        self.check_whole("max_length", 3)
        for name in ("epochs", "learning_rate", "clip", "temperature", "ridge"):
            self.check_positive(name)
        if self.ridge > 1e6:  # every vector of a word would be about 0
            raise InputError(f"ridge must be at most 1e6, not {self.ridge!r}")
        self.check_weight_decay()
        if not 0 <= self.relational_weight < math.inf:
            raise InputError(f"relational_weight must be at least 0, not {self.relational_weight}")
        if not 0 <= self.dropout < 1:
            raise InputError(f"dropout must be at least 0 and below 1, not {self.dropout!r}")
        if self.min_words > self.max_words:
            raise InputError(
                f"min_words {self.min_words} must not be above max_words {self.max_words}"
            )
        if self.objective == "dropout" and self.dropout == 0:
            raise InputError(
                "the objective dropout needs dropout above 0: without it the two vectors of a "
                "sentence are equal"
            )
        if self.objective != "distill" and self.batch_size < 2:
            raise InputError(
                f"the objective {self.objective} needs a batch_size of at least 2: the other texts "
                "of the batch are the negatives"
            )
        if self.start_from_bag and self.objective != "distill":
            raise InputError(
                f"start_from_bag needs a teacher, which the objective {self.objective} has not"
            )
        if self.objective in OF_PAIRS and (self.phrases or self.words):
            raise InputError("phrases and words have no partner: set both to 0")


@dataclass(frozen=True)
class SentenceSettings:
    """Everything but the text itself that decides the numbers of a run; fixed once it has begun."""

    options: SentenceOptions
    corpus: tuple[str, ...] = ("default",)
    sentence_per_line: bool = False
    start: str = SMALL  # the trunk
    valid: str | None = None  # pairs with judgements, for reporting; never trained on
    exclude: tuple[str, ...] = ()  # more files of that form whose texts are never trained on
    texts_of: str | None = None  # the folder of a run whose texts and teacher's vectors are taken

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "SentenceSettings":
        """The settings in a run.json."""
        values = with_tuples(values)
        return cls(**values | {"options": SentenceOptions(**values["options"])})


def defaults_for(objective: str) -> dict[str, Any]:
    """The defaults of an objective, where they are not those of SentenceOptions."""
    return {
        name: values[0] if objective == "distill" else values[1]
        for name, values in BY_OBJECTIVE.items()
    }


def make_sentence_settings(given: dict[str, Any]) -> SentenceSettings:
    """The settings of a new run from the options that were given, by name.

    Raises an InputError for an option that means nothing for the objective.
    """
    objective = given.get("objective", "distill")
    for name, objectives in ONLY_FOR.items():
        if name in given and objective not in objectives:
            raise InputError(
                f"--{name.replace('_', '-')} means nothing for the objective {objective}: it is "
                f"for {' and '.join(objectives)}"
            )
    if objective == "titles" and "sentence_per_line" in given:
        raise InputError("--sentence-per-line is for .txt files, which hold no titles")
    if "steps" in given and "epochs" in given:
        raise InputError("give --steps or --epochs, not both")
    names = {field.name for field in dataclasses.fields(SentenceOptions)}
    options = defaults_for(objective)
    options |= {name: value for name, value in given.items() if name in names}
    other = with_tuples({name: value for name, value in given.items() if name not in names})
    return SentenceSettings(SentenceOptions(**options), **other)
