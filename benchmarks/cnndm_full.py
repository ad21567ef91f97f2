"""BertSumExt on all of CNN/DailyMail, trained as the paper trained it: for a machine with a network and a large GPU.

    python benchmarks/cnndm.py --full            # measure everything, write logs/cnndm_full.json
    python benchmarks/cnndm.py --full --check    # the same once more, compared with that log

The recipe (Liu 2019, section 4; nlpyang/BertSum, README and src/models/optimizers.py): BERT-base, [CLS] vectors, segments in turn,
two inter-sentence layers; 50,000 steps of about 36 articles; Adam with the learning rate 2e-3 min(step^-1/2, step 10000^-3/2);
every 1,000 steps a checkpoint, and the test scores are the means of the three best on the validation set. Articles are read
up to 512 tokens, summaries are three sentences with trigram blocking.

What differs from the paper: sentences are cut by rules of ours, not by CoreNLP, so that even LEAD-3 is not theirs to a tenth;
ROUGE is rouge-score, not the Perl script; and on a GPU the products are in bfloat16. Nobody has run this in full yet: it has no
committed log.
"""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

import cnndm
import log
import torch
from tqdm.auto import tqdm

from minibert import BertModel, WordPieceTokenizer, from_pretrained, save_pretrained
from minibert.data.wikipedia.cache import cache_folder
from minibert.summarization import (
    BertSumExt,
    EncodedDocument,
    collate,
    encode_document,
    select_sentences,
)
from minibert.summarization.published_sets import cnndm_examples

PUBLISHED = {
    "lead 3": (40.42, 17.62, 36.67),
    "oracle": (52.59, 31.24, 48.87),
    "BertSumExt": (43.25, 20.24, 39.63),
}  # table 1: ROUGE-1, -2, -L


@dataclass(frozen=True)
class Recipe:
    """The numbers of the paper's training; a test makes them small."""

    encoder: str = "google-bert/bert-base-uncased"
    head: str = "transformer"
    learning_rate: float = (
        2e-3  # of the formula above; the highest is 2e-5, at the end of the warm-up
    )
    warmup: int = 10_000  # steps
    steps: int = 50_000
    batch: int = 36  # articles of a step
    at_once: int = 12  # of them on the device together: 12 take some 20 GB
    checkpoint: int = 1_000  # steps between two
    averaged: int = 3  # checkpoints


RECIPE = Recipe()


@dataclass(frozen=True)
class Labelled:
    """The beginning of an article as token ids, with a label for each sentence in it."""

    document: EncodedDocument
    labels: list[int]  # [N]


def load(split: str) -> list[cnndm.Article]:
    """A split over the network: 'train', 'valid' or 'test'. Articles with fewer than three sentences are left out, as published."""
    rows = (
        cnndm.as_article(split, example.sentences, example.references[0])
        for example in tqdm(cnndm_examples(split=split), desc=f"Labels, {split}", mininterval=10)
    )
    return [article for article in rows if len(article.sentences) >= 3]


def learning_rate(step: int, recipe: Recipe) -> float:
    """Of step 1, 2, …; it rises in a line, then falls with the root of the step (Vaswani et al. 2017, section 5.3)."""
    return recipe.learning_rate * min(step**-0.5, step * recipe.warmup**-1.5)


def encode(article: cnndm.Article, tokenizer: WordPieceTokenizer) -> Labelled:
    document = encode_document(article.sentences, tokenizer, reference_quirks=True)
    return Labelled(document, [int(i in article.oracle) for i in document.sentences])


def train(
    model: BertSumExt,
    tokenizer: WordPieceTokenizer,
    train_set: list,
    valid_set: list,
    recipe: Recipe,
    seed: int,
) -> Iterator[tuple[float, dict]]:
    """Train, and give the validation loss and a copy of the weights at every checkpoint."""
    generator = random.Random(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0, betas=(0.9, 0.999), eps=1e-9)
    valid = [encode(article, tokenizer) for article in valid_set]
    queue = []
    for step in tqdm(range(1, recipe.steps + 1), desc="Training", unit="step", mininterval=10):
        model.train()
        if len(queue) < recipe.batch:
            queue += generator.sample(
                range(len(train_set)), len(train_set)
            )  # another pass, in another order
        batch, queue = (
            [encode(train_set[i], tokenizer) for i in queue[: recipe.batch]],
            queue[recipe.batch :],
        )
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, recipe)
        optimizer.zero_grad()
        for start in range(0, len(batch), recipe.at_once):
            (loss(model, batch[start : start + recipe.at_once], tokenizer) / len(batch)).backward()
        optimizer.step()
        if step % recipe.checkpoint == 0:
            yield (
                validate(model, valid, tokenizer, recipe),
                {name: tensor.cpu().clone() for name, tensor in model.state_dict().items()},
            )


def loss(model: BertSumExt, batch: list[Labelled], tokenizer: WordPieceTokenizer) -> torch.Tensor:
    """The sum of the cross-entropies of all sentences, a scalar."""
    device = next(model.parameters()).device
    inputs = {
        name: tensor.to(device)
        for name, tensor in collate([row.document for row in batch], tokenizer.pad_id).items()
    }
    labels = torch.zeros(inputs["sentence_mask"].shape, device=device)  # [B, N]
    for row, one in zip(batch, labels):
        one[: len(row.labels)] = torch.tensor(row.labels, dtype=labels.dtype)
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        return model(**inputs, labels=labels).loss


@torch.no_grad()
def validate(
    model: BertSumExt, valid: list[Labelled], tokenizer: WordPieceTokenizer, recipe: Recipe
) -> float:
    """The mean loss of an article."""
    model.eval()
    return sum(
        loss(model, valid[start : start + recipe.at_once], tokenizer).item()
        for start in range(0, len(valid), recipe.at_once)
    ) / len(valid)


@torch.no_grad()
def choose(
    model: BertSumExt, tokenizer: WordPieceTokenizer, articles: list[cnndm.Article], recipe: Recipe
) -> list[list[int]]:
    """Three sentences of every article."""
    model.eval()
    device, chosen = next(model.parameters()).device, []
    for start in range(0, len(articles), recipe.at_once):
        part = articles[start : start + recipe.at_once]
        documents = [encode(article, tokenizer).document for article in part]
        scores = model(
            **{
                name: tensor.to(device)
                for name, tensor in collate(documents, tokenizer.pad_id).items()
            }
        ).scores  # [B, N]
        for article, document, row in zip(part, documents, scores.tolist()):
            of_article = [-math.inf] * len(article.sentences)
            for n, value in zip(document.sentences, row):
                of_article[n] = value
            chosen.append(select_sentences(of_article, article.sentences, 3))
    return chosen


def measure(variant: str, seed: int | None) -> dict:
    """ROUGE on the test set. The best model's weights stay in a folder of the cache, for `minibert summarize --model`."""
    test_set = load("test")
    if seed is None:
        return cnndm.judge(test_set, [cnndm.UNTRAINED[variant](article) for article in test_set])
    torch.manual_seed(seed)
    tokenizer = WordPieceTokenizer.from_pretrained(RECIPE.encoder)
    model = BertSumExt(from_pretrained(RECIPE.encoder, BertModel), RECIPE.head)
    model = model.to("cuda" if torch.cuda.is_available() else "cpu")
    best = []
    for found in train(model, tokenizer, load("train"), load("valid"), RECIPE, seed):
        best = sorted([*best, found], key=lambda one: one[0])[: RECIPE.averaged]
    if not best:
        raise ValueError(f"no checkpoint: {RECIPE.steps} steps, and one every {RECIPE.checkpoint}")
    tested = []
    for _, weights in reversed(best):  # the best one last: it stays in the model
        model.load_state_dict(weights)
        tested.append(cnndm.judge(test_set, choose(model, tokenizer, test_set, RECIPE)))
    save_pretrained(model.cpu(), cache_folder() / "bertsum-cnndm", tokenizer)
    return {name: cnndm.mean([row[name] for row in tested]) for name in tested[0]} | {
        "valid_loss": round(best[0][0], 4)
    }


ROWS = [
    ("lead 3", None),
    ("lead 3, blocking", None),
    ("oracle", None),
    ("oracle, blocking", None),
    ("BertSumExt", 0),
]


def main(argv: list[str] | None = None) -> int:
    return log.run(
        __file__,
        "CNN/DailyMail, test set: ROUGE F1 of three sentences, BertSumExt by the paper's recipe",
        measure,
        ROWS,
        {},
        tolerance=0.5,
        argv=argv,
        command="python benchmarks/cnndm.py --full",
    )
