"""The benchmark of BertSum's parts: no article on both sides, the two encoders of its own by hand, and the committed log."""

import json
import sys

import torch
import torch.nn.functional as F

from minibert.positions import sinusoidal_table
from tools.environment import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import bertsum as benchmark
import log


def test_no_article_is_on_both_sides():
    examples = benchmark.examples()
    learned, tested = (
        {example.name for part in parts for example in examples[part]}
        for parts in (("train",), ("sections", "articles"))
    )
    assert not learned & tested and len(learned) > 35 and len(tested) > 35
    assert all(
        sum(example.labels) == benchmark.K
        for part in ("train", "sections")
        for example in examples[part]
    )


def test_post_norm_is_equations_2_to_4_of_the_paper():
    torch.manual_seed(0)
    head, x = benchmark.PostNorm(16).eval(), torch.randn(1, 5, 16)  # [B, N, H]
    assert not hasattr(head.encoder, "norm")
    with torch.no_grad():
        h = x + sinusoidal_table(5, 16)  # [B, N, H]
        for layer in head.encoder.layer:
            attended = layer.attention.output.dense(layer.attention.self(h)[0])
            h = F.layer_norm(h + attended, (16,), eps=1e-6)
            h = F.layer_norm(h + layer.output.dense(layer.intermediate(h)), (16,), eps=1e-6)
        expected = torch.sigmoid(h @ head.scorer.weight[0] + head.scorer.bias)  # [B, N]
        torch.testing.assert_close(head(x, torch.ones(1, 5, dtype=torch.bool)), expected)


def test_without_a_layer_no_sentence_sees_another():
    torch.manual_seed(0)
    head, x = benchmark.PositionsOnly(16).eval(), torch.randn(1, 5, 16)  # [B, N, H]
    everyone, other = torch.ones(1, 5, dtype=torch.bool), x.clone()
    other[:, 1:] = torch.randn(1, 4, 16)
    with torch.no_grad():
        assert torch.equal(head(x, everyone)[0, 0], head(other, everyone)[0, 0])
        assert not torch.allclose(
            head(x, everyone)[0, 1], head(x[:, [1, 0, 2, 3, 4]], everyone)[0, 0]
        )  # it knows where it stands


def test_the_log_has_every_row():
    logged = json.loads((log.LOGS / "bertsum.json").read_text(encoding="utf-8"))
    assert [(row["variant"], row["seed"]) for row in logged["rows"]] == benchmark.ROWS
    assert logged["code"]["files"][0] == "benchmarks/bertsum.py"
