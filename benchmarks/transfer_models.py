"""The models of `transfer.py`, and what they make of the sets: minibert-small, its shape untrained, both adapted."""

import tempfile
from functools import lru_cache
from pathlib import Path

import torch
from finetuning_data import dataset
from torch import Tensor

from minibert import BertForPreTraining, WordPieceTokenizer, from_pretrained
from minibert.cli.main import main as minibert_command
from minibert.finetuning.tasks.tagging import TaggedExample
from minibert.hub.find_pretrained import SMALL, find_pretrained
from minibert.hub.pretrained_io import read_config
from minibert.inference.sentence_embeddings import mean_pool
from minibert.training.precision import choose_precision

CACHE = (
    Path(tempfile.gettempdir()) / "minibert-transfer"
)  # the rows that are done, the adapted models
ADAPTED_ON = ("SST-2", "TREC", "STS-B", "WNUT17")
ADAPTATION = (
    "--sentence-per-line --held-out none --no-next-sentence --steps 200 --length 128 --short-share 0 --long-share 0 "
    "--mask-rate 0.2 --batch-size 64 --micro-batch 32 --learning-rate 1e-3 --matrix-learning-rate 2e-3 --warmup 20 "
    "--threads 1 --checkpoint-every 3m"
)
ADAPTED, UNTRAINED_ADAPTED = "adapted", "untrained, adapted"
STARTS = {
    ADAPTED: f"--from {SMALL}",
    UNTRAINED_ADAPTED: f"--preset mini --norm-first --vocab {SMALL}",
}
LAYERS = {"word layer": 0, "layer 2": 2, "last layer": -1}
BATCH = 64


def model_named(name: str, seed: int) -> BertForPreTraining:
    if name == "untrained":
        torch.manual_seed(seed)
        return BertForPreTraining(read_config(find_pretrained(SMALL))[0]).eval()
    return from_pretrained(adapted(name) if name in STARTS else SMALL, BertForPreTraining)


def adapted(name: str) -> Path:
    """The model of one of STARTS, made by the command line; resumed where it was stopped."""
    out, text = CACHE / name.replace(", ", "-"), CACHE / "sentences.txt"
    if not (out / "model").is_dir():
        CACHE.mkdir(exist_ok=True)
        text.write_text("\n\n".join(sentences()) + "\n", encoding="utf-8")
        start = f"{STARTS[name]} {ADAPTATION}".split()
        options = ["--resume"] if out.exists() else ["--corpus", str(text), *start]
        if minibert_command(["pretrain", "--out", str(out), *options]):
            raise ValueError(f"the adaptation in {out} was stopped")
    return out / "model"


def sentences() -> list[str]:
    """The training sentences of ADAPTED_ON, each once; none that is also a dev or test sentence."""
    train, held_out = dict[str, None](), set[str]()
    for name in ADAPTED_ON:
        data = dataset(name)
        train |= dict.fromkeys(texts_of(data.train))
        held_out |= {text.lower() for text in texts_of([*data.dev, *data.test])}
    return [text for text in train if text.lower() not in held_out]


def texts_of(examples: list) -> list[str]:
    several = [
        (" ".join(example.words),)
        if isinstance(example, TaggedExample)
        else (example.text, example.pair)
        for example in examples
    ]
    return [text.strip() for group in several for text in group if text]


@lru_cache(maxsize=2)
@torch.no_grad()
def vectors(name: str, model_name: str, seed: int) -> dict[str, dict[str, Tensor]]:
    """Of each split of a set, every reading [texts, H], float32; of pairs, the texts one after the other."""
    bert = model_named(model_name, seed).bert
    tokenizer, data = WordPieceTokenizer.from_pretrained(SMALL), dataset(name)
    precision, found = choose_precision("auto", torch.device("cpu")), {}
    for split in ("train", "dev", "test"):
        texts = texts_of(getattr(data, split))
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        parts: dict[str, list[Tensor]] = {reading: [] for reading in (*LAYERS, "[CLS]", "pooler")}
        for start in range(0, len(order), BATCH):
            batch = tokenizer([texts[i] for i in order[start : start + BATCH]], max_length=128)
            with torch.autocast("cpu", precision, precision != torch.float32):
                out = bert(**batch, output_hidden_states=True)
            for reading, layer in LAYERS.items():
                hidden = out.hidden_states[layer].float()  # [B, S, H]
                parts[reading].append(mean_pool(hidden, batch["attention_mask"]))
            parts["[CLS]"].append(out.last_hidden_state[:, 0].float())
            parts["pooler"].append(out.pooler_output.float())
        back = torch.tensor(order).argsort()
        found[split] = {reading: torch.cat(some)[back] for reading, some in parts.items()}
    return found
