"""Runs of the whole model on inputs whose sizes are all different, and different from every sum and product that a shape comment names.

A run that is watched with its `sizes` knows beforehand which number each letter is: no comment can choose.
"""

import tempfile
from pathlib import Path

import torch
from tiny_run import CONFIG, TOKENIZER, make_run, write_corpus

import minibert
from minibert.attention import attend, extended_mask, fused_attend
from minibert.course.clinic.probes import PROBES
from minibert.course.figures import (
    all_heads,
    attention_head,
    benchmark_log,
    embedding_sum,
    heat_table,
    meaning_map,
    residual_stream,
    rollout_shares,
    training_replay,
)
from minibert.data import MixedSequences, PackedSequences, PairSequences, TextSequences, mask_tokens
from minibert.data.small_world import SmallWorld
from minibert.inference.sentence_embeddings import BertForSentenceSimilarity, embed, mean_pool
from minibert.positions import sinusoidal_table
from minibert.pretraining.fused import pretraining_sums
from minibert.pretraining.validation import ValidationSet
from minibert.summarization import BertSumExt
from minibert.training.muon import orthogonalize

MODEL = {"H": 36, "A": 4, "D": 9, "I": 31, "V": 43, "L": 2}
TOKENS = {**MODEL, "B": 5, "S": 7, "M": 8, "N": 6, "K": 4, "R": 13}
SENTENCES = {
    **MODEL,
    "B": 5,
    "N": 6,
}  # a head of BertSum is an encoder whose tokens are sentences: S is their number there
PAIRS = {
    **MODEL,
    "S": 7,
}  # inside the model the batch is every pair or choice, and B is their number there


def config(**changes) -> minibert.BertConfig:
    sizes = {
        "vocab_size": 43,
        "hidden_size": 36,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "intermediate_size": 31,
        "max_position_embeddings": 29,
        "id2label": {n: str(n) for n in range(11)},
    }
    return minibert.BertConfig(**{**sizes, **changes})


def ids(*shape: int) -> torch.Tensor:
    return torch.randint(1, 43, shape, generator=torch.Generator().manual_seed(0))


def flat_mask(rows: int = 5, length: int = 7) -> torch.Tensor:
    mask = torch.ones(rows, length, dtype=torch.long)
    mask[1, 4:] = 0
    return mask


def labels() -> torch.Tensor:
    """M = 8 words are to be predicted, at most three in a row."""
    wanted = torch.full((5, 7), -100)
    wanted[[0, 0, 0, 1, 2, 3, 3, 4], [0, 3, 6, 2, 5, 1, 4, 0]] = 3
    return wanted


def attention():
    query, key, value = torch.randn(5, 4, 7, 9), torch.randn(5, 4, 13, 9), torch.randn(5, 4, 13, 9)
    for mask in (
        None,
        *[torch.rand(shape) < 0.7 for shape in ((5, 1, 7, 13), (5, 1, 1, 13), (1, 4, 7, 13))],
        torch.ones(1, 1, 1, 1, dtype=torch.bool),
    ):
        for dropout in (0.0, 0.5):
            attend(query, key, value, mask, dropout)
            fused_attend(query, key, value, mask, dropout)


def models():
    packed = torch.ones(5, 7, 7, dtype=torch.bool).tril()
    heads = {
        minibert.BertForPreTraining: {
            "labels": labels(),
            "next_sentence_label": torch.tensor([0, 1, 0, 1, 1]),
        },
        minibert.BertForMaskedLM: {"labels": labels()},
        minibert.BertForNextSentencePrediction: {"labels": torch.tensor([0, 1, 0, 1, 1])},
        minibert.BertForSequenceClassification: {"labels": torch.arange(5)},
        minibert.BertForTokenClassification: {"labels": labels()},
        minibert.BertForQuestionAnswering: {
            "start_positions": torch.arange(5),
            "end_positions": torch.arange(5),
        },
    }
    for norm_first in (False, True):
        for model_class, wanted in heads.items():
            model = model_class(config(norm_first=norm_first))
            model(ids(5, 7), **wanted)
            model(inputs_embeds=torch.randn(5, 7, 36))
            model(
                ids(5, 7),
                token_type_ids=torch.zeros(5, 7, dtype=torch.long),
                attention_mask=flat_mask(),
                position_ids=torch.arange(7)[None],
                output_attentions=True,
                output_hidden_states=True,
            )
            model(
                ids(5, 7),
                attention_mask=packed,
                position_ids=torch.arange(7).expand(5, 7),
                output_attentions=True,
            )
    for kind in ("sinusoidal", "none"):
        minibert.BertModel(config(position_embedding_type=kind, max_position_embeddings=7))(
            ids(5, 7), position_ids=torch.arange(7).expand(5, 7)
        )
    minibert.BertModel(config(position_embedding_type="sinusoidal", max_position_embeddings=7))(
        ids(5, 7)
    )
    minibert.BertForSequenceClassification(config(id2label={0: "0"}))(
        ids(5, 7), labels=torch.rand(5)
    )
    with tempfile.TemporaryDirectory() as folder:
        minibert.save_pretrained(minibert.BertModel(config(norm_first=True)), folder)
        minibert.from_pretrained(folder)
    model = minibert.BertForMaskedLM(config())
    model.cls.predictions(torch.randn(8, 36), model.bert.embeddings.word_embeddings.weight)
    extended_mask(None, ids(5, 7))
    sinusoidal_table(7, 36)


def pairs_and_choices():
    mask = torch.stack([flat_mask(), flat_mask(), flat_mask()], dim=1)
    minibert.BertForMultipleChoice(config())(
        ids(5, 3, 7),
        token_type_ids=torch.zeros(5, 3, 7, dtype=torch.long),
        attention_mask=mask,
        position_ids=torch.arange(7).expand(5, 3, 7),
        output_attentions=True,
        output_hidden_states=True,
        labels=torch.tensor([0, 1, 2, 0, 1]),
    )
    minibert.BertForMultipleChoice(config())(
        ids(5, 3, 7), attention_mask=torch.ones(5, 3, 7, 7, dtype=torch.bool)
    )
    similarity = BertForSentenceSimilarity(config())
    similarity(ids(5, 2, 7), labels=torch.rand(5))
    similarity(inputs_embeds=torch.randn(5, 2, 7, 36))
    minibert.BertForMultipleChoice(config())(inputs_embeds=torch.randn(5, 3, 7, 36))
    similarity(
        ids(5, 2, 7),
        token_type_ids=torch.zeros(5, 2, 7, dtype=torch.long),
        attention_mask=mask[:, :2],
    )


def embedding():
    """A batch of B = N = 6 texts."""
    tokenizer = minibert.WordPieceTokenizer.from_pretrained("minibert-small")
    model = minibert.BertModel(config(vocab_size=tokenizer.vocab_size))
    embed(model, tokenizer, ["one text", "and one more text of 8", "another"] * 2)


def masking_and_pooling():
    mask_tokens(ids(5, 7), mask_token_id=2, vocab_size=43, special_ids=[0, 1, 2])
    mean_pool(torch.randn(5, 7, 36), flat_mask())


def summarizers(heads=("transformer", "classifier", "rnn")):
    positions = torch.arange(6).expand(5, 6)
    real = torch.ones(5, 6, dtype=torch.bool)
    real[1, 4:] = False
    for head in heads:
        sizes = (
            {"feedforward_size": 31, "num_heads": 4, "num_layers": 2}
            if head == "transformer"
            else {}
        )
        for sentence_vector in ("cls", "mean"):
            model = BertSumExt(
                minibert.BertModel(config()), head, sentence_vector=sentence_vector, **sizes
            )
            model(
                ids(5, 7),
                attention_mask=flat_mask(),
                sentence_positions=positions,
                sentence_mask=real,
                labels=torch.rand(5, 6),
            )
        model.head(torch.randn(5, 6, 36), real)
    return model


def recurrent_as_the_original():
    BertSumExt(minibert.BertModel(config()), "rnn", reference_quirks=True).head(
        torch.randn(5, 6, 36), torch.ones(5, 6, dtype=torch.bool)
    )


def fast():
    packed = torch.ones(5, 7, 7, dtype=torch.bool).tril()
    packed[2, 3] = False  # a query that may look at nothing
    for norm_first in (False, True):
        model = minibert.BertForPreTraining(config(norm_first=norm_first))
        for mask in (None, flat_mask(), flat_mask() * (torch.arange(5) != 2)[:, None], packed):
            pretraining_sums(
                model,
                ids(5, 7),
                labels=labels(),
                attention_mask=mask,
                next_sentence_label=torch.tensor([0, 1, 0, 1, 1]),
            )


def data():
    with tempfile.TemporaryDirectory() as folder:
        corpus = write_corpus(Path(folder) / "corpus.bin")
        PairSequences(corpus, 17, 2, 3, 0).batch(0, 11)
        TextSequences(corpus, 17, 2, 3, 0).batch(0, 11)
        MixedSequences(corpus, 17, 2, 3, 0, pair_share=0.4).batch(0, 11, slice(2, 9))
        PackedSequences(corpus, 17, 2, 3).batch(0, 11)
        run = make_run(corpus, shift_share=0.5)
        for _ in range(4):  # the last one with longer rows
            run.train_step()
        ValidationSet(corpus, corpus, TOKENIZER, 17, 11)
    SmallWorld(seed=1).batch(0, 11)
    heat_table(torch.rand(2, 3))


def moving_figures():
    bert, control = (minibert.BertModel(CONFIG).eval() for _ in range(2))
    attention_head(bert, TOKENIZER, "w5 w7 w9", ["w8", "w6"], {1: "second", 0: "first"})
    maps = {name: torch.rand(3, 4, 7, 7).softmax(-1) for name in ("model", "control")}
    rollout_shares(maps, ["w5", "w7", "w9", "w8", "w6", "w10", "w5"], 5)
    all_heads(bert, TOKENIZER, ["w5 w7 w8", ("w5", "w9 w6 w7")], control)
    embedding_sum(bert, TOKENIZER, ["w5", "w7"], "w7", (2, 5), length=7)
    # the dots of the first meaning and the sentences of the projection differ in number
    meaning_map(
        bert,
        TOKENIZER,
        [control],
        "w7",
        {"a": {"one": "w5 w7 w8", "two": "w5 w7 w9"}, "b": {"three": "w5 w7 w6"}},
        {"a": ["w5 w7 w10", "w6 w7 w8"], "b": ["w5 w7 w11", "w6 w7 w9"]},
        "Tiny",
    )
    training_replay(benchmark_log("failures"), 3.85)
    residual_stream(
        bert,
        TOKENIZER,
        ["w5 w7 w8", "w5 w7 w9", "w5 w6 w8", "w5 w7 w6"],
        control,
        ["wet", "dry", None, "wet"],
    )


def optimizers():
    """Muon in float32, which `make_run` takes only where bfloat16 is slow."""
    orthogonalize(torch.rand(5, 7), (3.4, -4.8, 2.0), steps=2, eps=1e-7)


def probes():
    for probe in PROBES.values():
        probe()


RUNS = [
    (embedding, {"H": 36, "N": 6, "B": 6}),
    (attention, {**TOKENS, "T": 13}),
    (models, TOKENS),
    (masking_and_pooling, TOKENS),
    (fast, TOKENS),
    (pairs_and_choices, PAIRS),
    (lambda: summarizers(["classifier", "rnn"]), TOKENS),
    (lambda: summarizers(["transformer"]), SENTENCES),
    (recurrent_as_the_original, TOKENS),
    (data, {}),
    (moving_figures, {}),
    (optimizers, {}),
    (probes, {}),
]
