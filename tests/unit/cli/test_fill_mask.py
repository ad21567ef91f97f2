"""`minibert fill-mask`."""

import hashlib
import json

import pytest
from tiny_cli import VOCABULARY

from minibert import BertForMaskedLM, BertForPreTraining, BertModel
from minibert.hub import find_pretrained as hub


@pytest.mark.parametrize("model_class", [BertForMaskedLM, BertForPreTraining])
def test_fill_mask(model_class, run, saved):
    status, out, _ = run("fill-mask", "the [MASK] sat", "--model", saved(model_class), "--top", "3")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and [row[1] for row in rows[:2]] == ["sat", "cat"] and len(rows) == 3
    assert 1 > float(rows[0][0]) > float(rows[1][0]) > float(rows[2][0]) > 0


def test_fill_mask_with_two_masks(run, saved):
    status, out, _ = run(
        "fill-mask", "the [MASK] sat [MASK]", "--model", saved(BertForMaskedLM), "--top", "99"
    )
    assert (
        status == 0
        and out.count("[MASK] 1\n") == out.count("[MASK] 2\n") == 1
        and len(out.splitlines()) == 2 + 2 * len(VOCABULARY)
    )
    probabilities = [float(line.split("\t")[0]) for line in out.splitlines() if "\t" in line]
    assert sum(probabilities) == pytest.approx(2, abs=0.01)


def test_fill_mask_takes_the_model_of_the_package_unless_told_otherwise(run, saved, monkeypatch):
    folder = saved(BertForPreTraining)
    monkeypatch.setattr(hub, "PACKAGED", folder.parent)
    monkeypatch.setitem(hub.DIGESTS, hub.SMALL, hub.DIGESTS[hub.SMALL])
    folder.rename(folder.parent / hub.SMALL)
    hub.DIGESTS[hub.SMALL] = hashlib.sha256(
        (folder.parent / hub.SMALL / "model.safetensors").read_bytes()
    ).hexdigest()
    assert (
        run("fill-mask", "the [MASK] sat", "--top", "1")[:2]
        == run("fill-mask", "the [MASK] sat", "--top", "1", "--model", folder.parent / hub.SMALL)[
            :2
        ]
    )
    assert run("fill-mask", "the [MASK] sat", "--top", "1")[1].endswith("\tsat\n")


def test_fill_mask_never_answers_with_a_fresh_head(run, saved):
    folder = saved(BertModel)
    config = json.loads((folder / "config.json").read_text()) | {
        "architectures": ["BertForMaskedLM"]
    }
    (folder / "config.json").write_text(json.dumps(config))
    status, out, err = run("fill-mask", "the [MASK] sat", "--model", folder)
    assert status == 2 and not out and "has no cls.predictions" in err
