"""The model inside the package: what it is, that others open it, that it is installed along, and that its card is true."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import replace

import pytest
import torch
import transformers

import minibert
import minibert.cli.main as cli
from minibert import (
    BertForMaskedLM,
    BertForPreTraining,
    WordPieceTokenizer,
    from_pretrained,
    save_pretrained,
)
from minibert.hub.find_pretrained import PACKAGED, SMALL
from minibert.hub.safetensors_io import read_weights
from minibert.inference.fill_mask import fill_mask
from tools import ship
from tools.environment import ROOT

FOLDER = PACKAGED / SMALL
TEXTS = [
    "The children went to the [MASK] in the morning.",
    "a [MASK]",
    "The [MASK] of the committee was not [MASK] at all, and nobody said why.",
]
PROMPTS = tomllib.loads((ROOT / "benchmarks" / "prompts.toml").read_text(encoding="utf-8"))[
    "prompt"
]


@pytest.fixture(scope="module")
def model():
    return from_pretrained(SMALL)


@pytest.fixture(scope="module")
def tokenizer():
    return WordPieceTokenizer.from_pretrained(SMALL)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def asked(*_, **__):
        raise AssertionError("the hub was asked")

    monkeypatch.setattr("huggingface_hub.snapshot_download", asked)


def test_it_opens_as_what_it_was_trained_as(model, tokenizer):
    assert type(model) is BertForPreTraining and not model.training
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert {tensor.dtype for tensor in read_weights(FOLDER).values()} == {torch.float16}
    assert (FOLDER / "model.safetensors").stat().st_size < 12_000_000
    config = model.config
    assert (
        config.num_hidden_layers,
        config.hidden_size,
        config.num_attention_heads,
        config.intermediate_size,
    ) == (4, 256, 4, 1024)
    assert (
        config.vocab_size == tokenizer.vocab_size == 8192
        and config.max_position_embeddings == 512
        and tokenizer.lowercase
    )
    assert config.position_embedding_type == "absolute"
    closing_norm = 2 * config.hidden_size if config.norm_first else 0
    assert sum(parameter.numel() for parameter in model.parameters()) == 5_529_090 + closing_norm


@pytest.mark.parametrize(
    "norm_first", [None, False, True], ids=["as it is shipped", "post-norm", "pre-norm"]
)
def test_the_reference_opens_the_same_folder_with_equal_outputs(
    norm_first, model, tokenizer, tmp_path
):
    """The shipped one; and one of its shape of either kind, for another may be shipped some day."""
    folder = FOLDER
    if norm_first is not None:
        torch.manual_seed(0)
        folder = tmp_path / "other"
        save_pretrained(
            BertForPreTraining(replace(model.config, norm_first=norm_first)).half(),
            folder,
            tokenizer,
        )
        model = from_pretrained(folder)
    kind = (
        transformers.RobertaPreLayerNormModel if model.config.norm_first else transformers.BertModel
    )
    words = transformers.AutoModelForMaskedLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    body = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    assert type(body) is kind
    their_batch = transformers.AutoTokenizer.from_pretrained(folder)(
        TEXTS, padding=True, return_tensors="pt"
    )
    batch = tokenizer(TEXTS)
    assert all(torch.equal(batch[name], their_batch[name]) for name in batch)
    with torch.no_grad():
        ours, their_words, their_body = (
            model(**batch),
            words(**their_batch).logits,
            body(**their_batch),
        )
        follows = model.cls.seq_relationship(
            their_body.pooler_output
        )  # of a pre-norm model the reference has no such head
        assert torch.allclose(
            from_pretrained(folder, BertForMaskedLM)(**batch).logits,
            ours.prediction_logits,
            atol=1e-4,
        )
    real = batch["attention_mask"].bool()
    assert torch.allclose(ours.prediction_logits[real], their_words[real], atol=1e-4)
    assert torch.allclose(ours.seq_relationship_logits, follows, atol=1e-4)
    if not model.config.norm_first:
        theirs = transformers.BertForPreTraining.from_pretrained(folder, dtype=torch.float32).eval()
        with torch.no_grad():
            assert torch.allclose(
                ours.seq_relationship_logits,
                theirs(**their_batch).seq_relationship_logits,
                atol=1e-4,
            )


def test_its_words_are_sensible_and_an_untrained_models_are_not(model, tokenizer):
    torch.manual_seed(0)
    untrained = BertForPreTraining(model.config).eval()

    def score(some_model):
        return sum(
            fill_mask(some_model, tokenizer, prompt["text"], top=1)[0][0][0] in prompt["accepted"]
            for prompt in PROMPTS
        )

    assert score(untrained) <= 1 < 18 <= score(model)


def test_fill_mask_answers_at_once(capsys):
    assert cli.main(["fill-mask", "The children went to the [MASK] in the morning."]) == 0
    words = [line.split("\t")[1] for line in capsys.readouterr().out.splitlines()]
    accepted = next(
        prompt["accepted"] for prompt in PROMPTS if prompt["text"].startswith("The children went")
    )
    assert len(words) == 5 and words[0] in accepted


# -- the prompts -------------------------------------------------------------------------------------------------------


def test_the_prompts_are_forty_and_a_guess_without_context_is_right_in_none():
    assert len(PROMPTS) == 40 and len({prompt["text"] for prompt in PROMPTS}) == 40
    assert {
        kind: sum(prompt["kind"] == kind for prompt in PROMPTS)
        for kind in ("grammar", "phrase", "story", "fact")
    } == dict.fromkeys(("grammar", "phrase", "story", "fact"), 10)
    for prompt in PROMPTS:
        assert prompt["text"].count("[MASK]") == 1
        assert prompt["accepted"] and all(
            re.fullmatch("[a-z]+|3", word) for word in prompt["accepted"]
        )
        assert not {"the", "of", "and", "to", "a"} & set(prompt["accepted"])


def test_every_prompt_can_be_answered(tokenizer):
    assert all(
        any(len(tokenizer.tokenize(word)) == 1 for word in prompt["accepted"]) for prompt in PROMPTS
    )


# -- what comes with it ------------------------------------------------------------------------------------------------


def test_the_card_says_what_the_logs_say():
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert ship.fill_card(card, ship.card_blocks()) == card


@pytest.mark.slow
def test_the_examples_of_the_card_are_the_models_words():
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert ship.fill_card(card, {"examples": ship.examples()}) == card


def test_credits_and_licence_are_there():
    card, credit = (
        (FOLDER / name).read_text(encoding="utf-8") for name in ("README.md", "CREDITS.md")
    )
    assert "license: cc-by-sa-4.0" in card and "Attribution-ShareAlike 4.0" in (
        FOLDER / "LICENSE"
    ).read_text(encoding="utf-8")
    for text in (card, credit):
        assert "OpenStax, Rice University" in text and re.search(
            "access for free at <https://openstax.org>", text, re.IGNORECASE
        )
    assert credit.count("openstax/osbooks-") == 29
    assert (FOLDER / "curves.png").stat().st_size < 100_000 and "](curves.png)" in card


def test_the_log_of_its_training_is_committed():
    log = json.loads((ROOT / ship.RUN_LOG).read_text(encoding="utf-8"))
    assert log["settings"]["options"]["steps"] == log["curve"][-1]["step"]
    held_out = [point["held_out"] for point in ship.joined(log) if "held_out" in point]
    assert (
        held_out[-1]["mlm_loss"]
        < 0.42 * held_out[-1]["unigram_loss"]
        < 0.9 * held_out[-1]["unigram_loss"]
        < held_out[0]["mlm_loss"]
    )


@pytest.mark.slow
def test_a_wheel_carries_all_of_it(tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--no-deps",
            "--no-build-isolation",
            "--disable-pip-version-check",
            "-q",
            "-w",
            tmp_path,
            ROOT,
        ],
        capture_output=True,
        text=True,
    )
    if "No module named 'setuptools'" in done.stderr or "Cannot import 'setuptools" in done.stderr:
        done = subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--no-deps", "-q", "-w", tmp_path, ROOT],
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    wanted = {f"minibert/hub/pretrained/{SMALL}/{path.name}" for path in FOLDER.iterdir()}
    assert {
        "model.safetensors",
        "config.json",
        "vocab.txt",
        "README.md",
        "LICENSE",
        "CREDITS.md",
    } <= {name.rsplit("/", 1)[1] for name in wanted}
    assert wanted <= names
    assert minibert.__version__ in next(tmp_path.glob("*.whl")).name
