"""Similarity: its rows, its labels' scale, and that it learns which texts are alike."""

import pytest
import torch
from deviation import deviation
from scipy.stats import pearsonr, spearmanr

from minibert import BertConfig, WordPieceTokenizer
from minibert.finetuning import (
    CosinePrediction,
    FineTuning,
    FineTuningOptions,
    Similarity,
    TextExample,
    evaluate,
    finetune,
    model_for,
    predict,
)
from minibert.finetuning.tasks.registry import task_entry

WORDS = ["cat", "dog", "fish", "red", "blue", "green"]
TOKENIZER = WordPieceTokenizer(
    {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
)
CONFIG = BertConfig(
    vocab_size=len(TOKENIZER),
    hidden_size=16,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=32,
    max_position_embeddings=16,
)
# alike are two animals, and two colours; the scale is that of no cosine
EXAMPLES = [
    TextExample(one, other, 5.0 if (i < 3) == (j < 3) else 1.0)
    for i, one in enumerate(WORDS)
    for j, other in enumerate(WORDS)
]


@deviation(
    "Labels of similarity",
    paper="Reimers & Gurevych 2019 divide the judgements of STS-B by 5",
    here="the lowest label of the training data becomes 0, the highest 1",
    why="the same on STS-B, and right for any other scale",
)
def test_rows_are_two_texts_apart_and_the_label_is_put_between_0_and_1():
    task = Similarity()
    task.prepare([TextExample("cat", "dog", 2.0), TextExample("cat", "red", -2.0)])
    features = task.features(
        TOKENIZER,
        [TextExample("cat", "red blue green", 1.0), TextExample("fish fish", "dog", 2.0)],
        max_length=4,
    )
    batch = task.collate(features, TOKENIZER.pad_id)
    assert batch["input_ids"].tolist() == [
        [[2, 5, 3, 0], [2, 8, 9, 3]],
        [[2, 7, 7, 3], [2, 6, 3, 0]],
    ]
    assert batch["attention_mask"].tolist() == [
        [[1, 1, 1, 0], [1, 1, 1, 1]],
        [[1, 1, 1, 1], [1, 1, 1, 0]],
    ]
    assert not batch["token_type_ids"].any() and batch["labels"].tolist() == [0.75, 1.0]
    assert [feature.length for feature in features] == [4, 4]


def test_labels_of_no_training_set_are_cosines_already():
    """A saved model is scored without `prepare`."""
    features = Similarity().features(
        TOKENIZER, [TextExample("cat", "dog", 0.25), TextExample("cat", "red", -1.0)], 8
    )
    assert [feature.labels["labels"] for feature in features] == [0.25, -1.0]


def test_the_task_is_known_by_its_name():
    assert task_entry(Similarity.name).load_task() is Similarity


def test_it_learns_which_texts_are_alike():
    task = Similarity()
    torch.manual_seed(0)
    model = model_for(task, CONFIG)
    run = FineTuning(
        model,
        task,
        TOKENIZER,
        EXAMPLES,
        FineTuningOptions(
            epochs=30, batch_size=12, learning_rate=3e-3, max_length=8, precision="float32"
        ),
    )
    finetune(run, EXAMPLES)
    scores, found = evaluate(model, task, TOKENIZER, EXAMPLES)
    assert scores["spearman"] > 0.8 and scores["loss"] < 0.02  # a guess of the mean has 0.25
    assert min(p.cosine for p, e in zip(found, EXAMPLES) if e.label == 5) > max(
        p.cosine for p, e in zip(found, EXAMPLES) if e.label == 1
    )
    assert predict(model, task, TOKENIZER, [TextExample("cat", "dog")]) == [
        p for p, e in zip(found, EXAMPLES) if (e.text, e.pair) == ("cat", "dog")
    ]


def test_scores_are_those_of_scipy():
    found, wanted = [0.1, 0.5, 0.5, -0.2, 0.9], [1.0, 3.0, 2.0, 2.0, 5.0]
    scores = Similarity().score(
        [TextExample("a", "b", value) for value in wanted],
        [CosinePrediction(value) for value in found],
    )
    assert scores == pytest.approx(
        {
            "spearman": spearmanr(found, wanted).statistic,
            "pearson": pearsonr(found, wanted).statistic,
        },
        abs=1e-12,
    )


def test_a_cosine_is_at_most_one():
    found = Similarity().predict([], [], torch.tensor([1.0000001, -1.0000001, 0.5]))
    assert [prediction.cosine for prediction in found] == [1.0, -1.0, 0.5]


def test_what_cannot_be_compared():
    task = Similarity()
    with pytest.raises(ValueError, match="example 1 has one text"):
        task.features(TOKENIZER, [TextExample("cat", "dog"), TextExample("cat")], 8)
    with pytest.raises(ValueError, match="all labels are 3.0"):
        task.prepare([TextExample("cat", "dog", 3.0)] * 2)
    with pytest.raises(
        ValueError, match="trained_layers is 0, and a BertForSentenceSimilarity has no head"
    ):
        FineTuning(
            model_for(task, CONFIG),
            task,
            TOKENIZER,
            EXAMPLES,
            FineTuningOptions(trained_layers=0, max_length=8),
        )
