"""The encoder of sentences inside the package: what it is, equal vectors in `transformers`, and the card's numbers."""

import json
import socket

import pytest
import torch
import transformers

import minibert
from minibert import BertModel, WordPieceTokenizer, from_pretrained
from minibert.cli import main as cli
from minibert.hub.find_pretrained import DIGESTS, PACKAGED, SENTENCES, find_pretrained
from minibert.hub.safetensors_io import read_weights
from minibert.inference.sentence_embeddings import embed
from tools import ship_sentences
from tools.environment import ROOT

FOLDER = PACKAGED / SENTENCES
TEXTS = ["A boat on the lake.", "The Café opens at nine; the bank doesn't.", "x"]


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_what_it_is(no_network):
    model, tokenizer = from_pretrained(SENTENCES), WordPieceTokenizer.from_pretrained(SENTENCES)
    assert type(model) is BertModel and find_pretrained(SENTENCES) == FOLDER
    assert model.config.hidden_size == 256 and model.config.norm_first
    assert model.config.vocab_size == tokenizer.vocab_size == 8192
    assert {tensor.dtype for tensor in read_weights(FOLDER).values()} == {torch.float16}
    assert (FOLDER / "model.safetensors").stat().st_size < ship_sentences.LIMIT
    assert {path.name for path in FOLDER.iterdir()} == {
        *("README.md", "CREDITS.md", "LICENSE", "config.json", "model.safetensors"),
        *("vocab.txt", "tokenizer_config.json"),
    }


def test_it_is_the_default_without_a_network(no_network, capsys):
    vectors = minibert.embed(TEXTS)
    assert vectors.shape == (3, 256)
    assert torch.equal(vectors, minibert.embed(TEXTS, model=FOLDER))
    assert minibert.similarity(*TEXTS[:2]) == pytest.approx(float(vectors[0] @ vectors[1]))
    assert cli.main(["similarity", *TEXTS[:2]]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{float(vectors[0] @ vectors[1]):.3f}\t") and err == ""
    assert cli.main(["embed", TEXTS[0], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["vector"]
    assert found == pytest.approx(vectors[0].tolist(), abs=1e-6)


def test_transformers_gives_equal_vectors():
    theirs = transformers.AutoModel.from_pretrained(FOLDER, dtype=torch.float32).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(FOLDER)
    batch = tokenizer(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = theirs(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1)
    wanted = torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)
    assert torch.allclose(minibert.embed(TEXTS), wanted, atol=1e-5)


def test_half_precision_changes_hardly_anything(no_network):
    """The teacher's vectors were reduced to 254 dimensions; the student's other two have learned to be nearly 0."""
    model, tokenizer = from_pretrained(SENTENCES), WordPieceTokenizer.from_pretrained(SENTENCES)
    vectors = embed(model, tokenizer, TEXTS)
    assert vectors[:, 254:].abs().max() < 1e-5 < vectors[:, :254].abs().min(dim=1).values.max()
    shorter = embed(model, tokenizer, TEXTS, dtype=torch.bfloat16)
    assert (vectors * shorter).sum(-1).min() > 0.999


def test_near_and_far(no_network):
    near = minibert.similarity("A cat sleeps.", "The kitten dozes.")
    assert near > 0.3 > 0.1 > minibert.similarity("A cat sleeps.", "Stocks fell sharply in Asia.")


def test_the_digest_is_that_of_the_file():
    from minibert.hub.atomic_io import sha256

    assert DIGESTS[SENTENCES] == sha256(FOLDER / "model.safetensors")


def test_the_card_has_the_numbers_of_the_logs():
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    blocks = ship_sentences.card_blocks() | {"examples": ship_sentences.examples()}
    assert ship_sentences.fill_card(card, blocks) == card
    log = json.loads((ROOT / ship_sentences.RUN_LOG).read_text(encoding="utf-8"))
    assert log["curve"][-1]["step"] == log["settings"]["options"]["steps"]
    assert "made by tools/ship.py -->\n<!--" not in card, "an empty block"
