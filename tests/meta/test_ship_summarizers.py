"""The heads inside the package: small, in half precision, opened by name without a network; and how they and their card are made."""

import re

import pytest
import torch

from minibert.hub.find_pretrained import MINILM, SMALL
from minibert.hub.safetensors_io import read_tensors
from minibert.summarization import summarize
from minibert.summarization.head_store import HEADS, TENSORS, load_head, open_summarizer
from minibert.summarization.heads import SentenceClassifier
from tools import ship_summarizers
from tools.ship import fill_card
from tools.ship_summarizers import LIMIT, SHIPPED, card_blocks, ship

TEXT = [
    "My grandmother kept a jar on the windowsill.",
    "It smelled a little sour, and no one was allowed to touch it.",
    "Every evening she fed it with flour and water.",
    "A sourdough is a mixture of flour and water in which wild yeasts and bacteria live together.",
    "That is all.",
    "It rises.",
    "The yeasts feed on the sugars of the flour and give off carbon dioxide, which makes the dough rise.",
    "Pressed yeast always does the same.",
    "Rye flour starts faster than wheat flour, because more yeasts live on the bran of the grain.",
    "A kitchen scale helps.",
]


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def asked(*_, **__):
        raise AssertionError("the hub was asked")

    monkeypatch.setattr("huggingface_hub.snapshot_download", asked)


@pytest.mark.parametrize("encoder", SHIPPED)
def test_a_shipped_head(encoder, request):
    if encoder == MINILM:
        request.getfixturevalue("needs_minilm")
    folder = HEADS / encoder.rpartition("/")[2]
    assert (folder / TENSORS).stat().st_size < LIMIT and {
        tensor.dtype for tensor in read_tensors(folder / TENSORS).values()
    } == {torch.float16}
    model, tokenizer = open_summarizer(encoder)
    assert (
        {parameter.dtype for parameter in model.parameters()} == {torch.float32}
        and not model.training
        and model.sentence_vector == "mean"
    )
    chosen = summarize(model, tokenizer, TEXT, 3).chosen
    assert chosen != [0, 1, 2] and not {4, 5} & set(chosen), (
        "neither the first three nor the two that say nothing"
    )
    assert f"| {sum(parameter.numel() for parameter in model.head.parameters()):,} |" in (
        HEADS / "README.md"
    ).read_text(encoding="utf-8")


def test_shipping(tmp_path, monkeypatch, needs_minilm):
    """A head on its way into the package: as it was, but for the precision."""
    heads = {}

    def trained(encoder, sentence_vector, head, kind, seed):
        heads[encoder] = SentenceClassifier(
            256 if encoder == "minibert-small" else 384, inner_size=16
        )
        return heads[encoder]

    monkeypatch.setattr(ship_summarizers.benchmark, "trained", trained)
    ship(tmp_path)
    for encoder, (variant, *_) in SHIPPED.items():
        state = load_head(tmp_path / encoder.rpartition("/")[2]).head.state_dict()
        assert all(
            torch.equal(tensor, heads[variant].state_dict()[name].half().float())
            for name, tensor in state.items()
        )
    broken = SentenceClassifier(256)
    broken.scorer.weight.data.fill_(1e6)
    monkeypatch.setattr(ship_summarizers.benchmark, "trained", lambda *_, **__: broken)
    with pytest.raises(
        ValueError, match="head.scorer.weight holds numbers that are NaN or infinite"
    ):
        ship(tmp_path)


def test_the_card_says_what_the_log_says():
    card = (HEADS / "README.md").read_text(encoding="utf-8")
    assert fill_card(card, card_blocks()) == card, "run python tools/ship_summarizers.py --card"
    rows = re.findall(r"^\| (.*?) \| ([\d.]+)", card_blocks()["results"], re.MULTILINE)
    scores = {what: float(score) for what, score in rows}
    for encoder in (SMALL, MINILM):
        assert (
            scores["first sentences"] + 0.5
            < scores[f"**head on {encoder}**"]
            < scores["oracle, which knows the lead"]
        )


def test_a_fault_is_told(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(ship_summarizers, "LOG", tmp_path / "none.json")
    assert ship_summarizers.main(["--card"]) == 2
    assert "ship_summarizers.py: " in capsys.readouterr().err
