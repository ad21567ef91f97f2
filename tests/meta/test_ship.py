"""From a run's folder to the model inside the package, in a copy of the few files that shipping touches."""

import json
import re
from dataclasses import replace

import pytest
import torch
import transformers
from reference import draw_weights, small_config

from minibert import (
    BertForMaskedLM,
    BertForPreTraining,
    WordPieceTokenizer,
    from_pretrained,
    save_pretrained,
)
from minibert.hub.atomic_io import sha256
from minibert.hub.find_pretrained import SMALL
from tools import ship

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(56))]


@pytest.fixture
def root(tmp_path):
    (tmp_path / "minibert" / "hub").mkdir(parents=True)
    (tmp_path / "minibert" / "hub" / "find_pretrained.py").write_text(
        'DIGESTS = {MINILM: "53aa",\n           SMALL: ""}\n'
    )
    (tmp_path / "minibert" / "hub" / "pretrained" / SMALL).mkdir(parents=True)
    (tmp_path / "minibert" / "hub" / "pretrained" / SMALL / "README.md").write_text("the card")
    (tmp_path / "benchmarks" / "logs").mkdir(parents=True)
    return tmp_path


def run_folder(path, model):
    """A finished run as `minibert pretrain` leaves it."""
    save_pretrained(
        model,
        path / "model",
        WordPieceTokenizer({token: number for number, token in enumerate(VOCABULARY)}),
    )
    (path / "run.json").write_text(
        json.dumps(
            {
                "settings": {"corpus": ["/home/me/texts/corpus"], "options": {"steps": 1000}},
                "sources": {"/home/me/texts/corpus/train.jsonl": "ab"},
                "sessions": [
                    {
                        "command": "/usr/bin/minibert pretrain --corpus /home/me/texts/corpus",
                        "processes": 2,
                        "threads": 1,
                    }
                ],
            }
        )
    )
    scores = {"mlm_loss": 6.0, "unigram_loss": 6.9, "nsp_loss": 0.6, "nsp_accuracy": 0.7}
    records = [
        {
            "step": step,
            "seconds": 0.1 * step,
            "tokens": 100 + step % 2,
            "mlm_loss": 9 - step / 200,
            "nsp_loss": 0.7,
        }
        | ({"held_out": scores} if step % 100 == 0 else {})
        for step in range(1, 1001)
    ]
    (path / "log.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize("norm_first", [False, True], ids=["post-norm", "pre-norm"])
def test_a_run_becomes_the_packages_model(root, tmp_path, capsys, norm_first):
    model = draw_weights(BertForPreTraining(small_config(norm_first=norm_first))).eval()
    ship.ship([run_folder(tmp_path / "run", model)], root)
    target = root / "minibert" / "hub" / "pretrained" / SMALL
    assert {path.name for path in target.iterdir()} == {
        "README.md",
        "config.json",
        "model.safetensors",
        "vocab.txt",
        "tokenizer_config.json",
        "curves.png",
    }
    assert (target / "README.md").read_text() == "the card"
    assert (
        f'SMALL: "{sha256(target / "model.safetensors")}"'
        in (root / "minibert" / "hub" / "find_pretrained.py").read_text()
    )
    assert 'MINILM: "53aa"' in (root / "minibert" / "hub" / "find_pretrained.py").read_text()
    shipped = from_pretrained(target)
    assert type(shipped) is BertForPreTraining and shipped.config == model.config
    for name, tensor in shipped.state_dict().items():
        assert tensor.dtype == torch.float32 and torch.equal(
            tensor, model.state_dict()[name].half().float()
        )
    assert (
        2 * sum(p.numel() for p in model.parameters())
        < (target / "model.safetensors").stat().st_size
        < 3 * sum(p.numel() for p in model.parameters())
    )
    assert (
        "shipped: minibert/hub/pretrained/minibert-small/model.safetensors"
        in capsys.readouterr().out
    )

    log = json.loads((root / ship.RUN_LOG).read_text())
    assert log["sessions"][0]["command"] == "minibert pretrain --corpus corpus" and log[
        "sources"
    ] == {"train.jsonl": "ab"}
    curve = log["curve"]
    assert log["tokens_seen"] == 100_500
    assert (
        len(curve) == ship.POINTS
        and curve[-1]["step"] == 1000
        and sum("held_out" in point for point in curve) == 10
    )
    assert curve[0]["mlm_loss"] == pytest.approx(9 - 10.5 / 200, abs=1e-4), (
        "the mean of the steps 1 to 20"
    )


def test_shipping_again_replaces(root, tmp_path):
    for seed in (0, 1):
        ship.ship(
            [
                run_folder(
                    tmp_path / f"run{seed}", draw_weights(BertForPreTraining(small_config()), seed)
                )
            ],
            root,
        )
    weights = root / "minibert" / "hub" / "pretrained" / SMALL / "model.safetensors"
    assert (
        f'SMALL: "{sha256(weights)}"'
        in (root / "minibert" / "hub" / "find_pretrained.py").read_text()
    )


def test_two_runs_of_which_the_second_went_on(root, tmp_path):
    """The weights are the second one's; the log and the recipe have both, the curve counts on, with the pairs' loss where there is one."""
    first, then = (
        run_folder(tmp_path / name, draw_weights(BertForPreTraining(small_config()), seed))
        for seed, name in enumerate(("first", "then"))
    )
    record = json.loads((first / "run.json").read_text())
    record["sessions"][0]["command"] = "minibert pretrain --no-next-sentence"
    (first / "run.json").write_text(json.dumps(record))
    lines = [json.loads(line) for line in (first / "log.jsonl").read_text().splitlines()]
    for line in lines:
        del line["nsp_loss"]
        for name in ("nsp_loss", "nsp_accuracy"):
            line.get("held_out", {}).pop(name, None)
    (first / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[::10]))
    ship.ship([first, then], root)
    shipped = from_pretrained(root / "minibert" / "hub" / "pretrained" / SMALL)
    assert all(
        torch.equal(tensor, from_pretrained(then / "model").state_dict()[name].half().float())
        for name, tensor in shipped.state_dict().items()
    )
    log = json.loads((root / ship.RUN_LOG).read_text())
    assert log["tokens_seen"] == 100_500 and [
        run["curve"][-1]["step"] for run in log["before"]
    ] == [991]
    assert log["before"][0]["tokens_seen"] == 991 * 101, (
        "of the steps that were logged, each stands for those before it"
    )
    curve = ship.joined(log)
    assert (
        curve[len(log["before"][0]["curve"])]["step"] == 991 + log["curve"][0]["step"]
        and curve[-1]["step"] == 1991
    )
    assert (
        curve[-1]["tokens"] == pytest.approx(log["tokens_in_all"])
        and log["tokens_in_all"] == 991 * 101 + 100_500
    )
    card = ship.recipe(log)
    assert card.index(
        "    minibert pretrain --no-next-sentence\n\n991 steps in 2 minutes on 2 cores"
    ) < card.index("    minibert pretrain --corpus corpus\n\n1,000 steps")


def test_of_another_run_the_log_alone(root, tmp_path, monkeypatch):
    monkeypatch.setattr(ship, "ROOT", root)
    run = run_folder(tmp_path / "run", BertForPreTraining(small_config()))
    assert ship.main([str(run), "--log-only", "toy"]) == 0
    assert [path.name for path in (root / "benchmarks" / "logs").iterdir()] == ["toy.json"]
    assert [path.name for path in (root / "minibert" / "hub" / "pretrained" / SMALL).iterdir()] == [
        "README.md"
    ]


@pytest.mark.parametrize(
    "spoil, message",
    [
        (
            lambda model: BertForMaskedLM(model.config),
            "is a BertForMaskedLM; shipped is a BertForPreTraining",
        ),
        (
            lambda model: BertForPreTraining(replace(model.config, position_embedding_type="none")),
            "shipped is what transformers can open as well; only minibert computes",
        ),
        (
            lambda model: model.bert.pooler.dense.weight.data.fill_(1e5),
            "half precision cannot hold bert.pooler.dense.weight",
        ),
    ],
)
def test_what_cannot_be_shipped(spoil, message, root, tmp_path):
    model = BertForPreTraining(small_config())
    spoiled = spoil(model)
    model = spoiled if isinstance(spoiled, torch.nn.Module) else model
    with pytest.raises(ValueError, match=message):
        ship.ship([run_folder(tmp_path / "run", model)], root)
    assert not (root / "minibert" / "hub" / "pretrained" / SMALL / "model.safetensors").exists()


def test_a_folder_that_is_no_run(root, tmp_path, capsys):
    with pytest.raises(ValueError, match="is no finished run: wanted are run.json"):
        ship.ship([tmp_path], root)
    assert ship.main([str(tmp_path)]) == 2 and "is no finished run" in capsys.readouterr().err


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_card_names_classes_that_transformers_has(norm_first):
    named = re.findall(r"`([A-Z]\w+)`", ship.elsewhere(small_config(norm_first=norm_first)))
    assert all(
        hasattr(transformers, name) or hasattr(transformers, f"{name}Model") for name in named
    )
    assert ("RobertaPreLayerNorm" in named) == norm_first == ("BertForPreTraining" not in named)


def test_blocks_of_the_card_are_replaced_and_nothing_else():
    start, end = ship.BLOCK.format(name="results", text="\0").split("\0")
    card = f"before\n{start}old\nnumbers{end}\nafter\n"
    assert ship.fill_card(card, {"results": "| new |"}) == f"before\n{start}| new |{end}\nafter\n"
    with pytest.raises(ValueError, match="no block 'other'"):
        ship.fill_card(card, {"other": ""})
