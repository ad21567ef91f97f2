"""Sentence encoders that train in a moment: a trunk and a teacher with random weights, a corpus, judged pairs."""

import json
from pathlib import Path

import numpy as np
import torch

from minibert import BertConfig, BertModel, WordPieceTokenizer, save_pretrained
from minibert.finetuning.sentence_vectors.options import SentenceOptions
from minibert.finetuning.sentence_vectors.preparation import Texts
from minibert.finetuning.sentence_vectors.teacher import Targets, fit_projection
from minibert.finetuning.sentence_vectors.trainer import SentenceTraining

WORDS = "the a cat dog bird house river tree runs sees eats sleeps near under over big small old red green day night".split()
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
TOKENIZER = WordPieceTokenizer({token: i for i, token in enumerate(VOCABULARY)})
SHAPE = dict(
    vocab_size=len(VOCABULARY),
    num_attention_heads=2,
    intermediate_size=24,
    max_position_embeddings=32,
    hidden_dropout_prob=0.1,
    attention_probs_dropout_prob=0.1,
)
TRUNK = BertConfig(hidden_size=16, num_hidden_layers=2, **SHAPE)
PRE_NORM = BertConfig(hidden_size=16, num_hidden_layers=2, norm_first=True, **SHAPE)
TEACHER = BertConfig(hidden_size=20, num_hidden_layers=1, **SHAPE)


def sentence(draw: np.random.Generator) -> str:
    return " ".join(draw.choice(WORDS, draw.integers(3, 9))).capitalize() + "."


def write_folders(folder: Path) -> None:
    """`trunk`, `pre-norm` (another trunk) and `teacher`, `texts/a.jsonl` with two sources, and `pairs.tsv`."""
    torch.manual_seed(0)
    save_pretrained(BertModel(TRUNK), folder / "trunk", TOKENIZER)
    save_pretrained(BertModel(TEACHER), folder / "teacher", TOKENIZER)
    save_pretrained(BertModel(PRE_NORM), folder / "pre-norm", TOKENIZER)
    draw = np.random.default_rng(0)
    (folder / "texts").mkdir()
    documents = [
        {
            "source": "large" if number % 4 else "small",
            "text": " ".join(sentence(draw) for _ in range(draw.integers(4, 9))),
        }
        for number in range(30)
    ]
    (folder / "texts" / "a.jsonl").write_text(
        "".join(json.dumps(document) + "\n" for document in documents)
    )
    pairs = [(sentence(draw), sentence(draw), draw.integers(0, 6)) for _ in range(8)]
    (folder / "pairs.tsv").write_text(
        "".join(f"{one}\t{other}\t{score}\n" for one, other, score in pairs)
    )


def make_texts(count: int = 23, neighbours: bool = False) -> Texts:
    draw = np.random.default_rng(1)
    items = [
        (sentence(draw), sentence(draw)) if neighbours else (sentence(draw),) for _ in range(count)
    ]
    return Texts(Path("texts.txt"), "checksum", items)


def make_targets(count: int = 23, size: int = 16) -> Targets:
    generator = torch.Generator().manual_seed(2)
    vectors = torch.nn.functional.normalize(torch.randn(count, 20, generator=generator), dim=-1)
    return Targets(vectors.half(), *fit_projection(vectors, size))


OPTIONS = dict(
    steps=7,
    batch_size=6,
    warmup=2,
    dropout=0.1,
    phrases=0,
    words=0,
    max_length=16,
    held_out=0,
    start_from_bag=False,
)


def make_run(objective: str = "distill", **changes) -> SentenceTraining:
    options = SentenceOptions(**OPTIONS | dict(objective=objective, precision="float32") | changes)
    torch.manual_seed(1)
    config = BertConfig.from_dict(
        (PRE_NORM if options.start_from_bag else TRUNK).to_dict()
        | dict(hidden_dropout_prob=options.dropout, attention_probs_dropout_prob=options.dropout)
    )
    targets = make_targets() if objective == "distill" else None
    texts = make_texts(neighbours=objective == "neighbours")
    return SentenceTraining(BertModel(config), texts, TOKENIZER, options, targets)
