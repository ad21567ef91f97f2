"""The batches of a pretraining run: their sequences, masks and positions, shared out among processes."""

import dataclasses
import multiprocessing
import os
import subprocess
import sys

import pytest
import torch
from tiny_run import CONFIG, OPTIONS, TOKENIZER, make_run, write_corpus

from minibert.config import IGNORE
from minibert.data import TokenFile
from minibert.pretraining import batches as batches_module
from minibert.pretraining.batches import Batches, BatchesAhead
from minibert.pretraining.options import PretrainingOptions
from minibert.pretraining.trainer import Pretraining


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> TokenFile:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "text.tokens")


def whole_batch(run: Pretraining, step: int) -> dict[str, torch.Tensor]:
    micro_batches = [micro_batch for micro_batch, _ in run.batches.micro_batches(step)]
    return {
        name: torch.cat([micro_batch[name] for micro_batch in micro_batches])
        for name in micro_batches[0]
    }


def test_the_last_steps_have_long_rows_with_as_many_tokens(corpus):
    batches = Batches(
        corpus, TOKENIZER, PretrainingOptions(**OPTIONS)
    )  # 5 steps, two fifths of them long
    shapes = [
        tuple(
            torch.cat(
                [micro_batch["labels"] for micro_batch, _ in batches.micro_batches(step)]
            ).shape
        )
        for step in range(5)
    ]
    assert shapes == [(12, 16)] * 3 + [(6, 32)] * 2


def test_no_long_rows_where_their_share_is_zero(corpus):
    run = make_run(corpus, dataclasses.replace(CONFIG, max_position_embeddings=16), long_share=0.0)
    assert {
        micro_batch["labels"].shape[1]
        for step in range(5)
        for micro_batch, _ in run.batches.micro_batches(step)
    } == {16}


def test_hardly_a_row_comes_twice_in_an_epoch(corpus):
    """A run must not begin with the same rows in every step. Near a document's end two grid points may share a sentence."""
    batches = Batches(
        corpus, TOKENIZER, PretrainingOptions(**OPTIONS | {"long_share": 0.0, "mask_rate": 1e-9})
    )
    rows = torch.cat(
        [
            micro_batch["input_ids"]
            for step in range(5)
            for micro_batch, _ in batches.micro_batches(step)
        ]
    )
    assert len(rows) == 60 and len(rows.unique(dim=0)) >= 58


def test_masks_are_drawn_anew_and_at_the_rate(corpus):
    options = PretrainingOptions(**OPTIONS | {"steps": 300, "long_share": 0.0, "mask_rate": 0.3})
    micro_batches = [
        micro_batch
        for step in range(300)
        for micro_batch, _ in Batches(corpus, TOKENIZER, options).micro_batches(step)
    ]
    masked = torch.cat([micro_batch["labels"] != IGNORE for micro_batch in micro_batches])
    ordinary = sum(
        int(micro_batch["attention_mask"].sum()) - 3 * len(micro_batch["labels"])
        for micro_batch in micro_batches
    )
    assert int(masked.sum()) / ordinary == pytest.approx(0.3, abs=0.01)
    assert len(masked.unique(dim=0)) > 1000, "an epoch has some 200 rows"


@pytest.mark.parametrize("all_mask, shares", [(False, (0.8, 0.1)), (True, (1.0, 0.0))])
def test_what_becomes_of_the_words_to_predict(corpus, all_mask, shares):
    options = PretrainingOptions(
        **OPTIONS | {"steps": 300, "long_share": 0.0, "mask_rate": 0.3, "all_mask": all_mask}
    )
    micro_batches = [
        micro_batch
        for step in range(300)
        for micro_batch, _ in Batches(corpus, TOKENIZER, options).micro_batches(step)
    ]
    labels, ids = (
        torch.cat([micro_batch[name] for micro_batch in micro_batches])
        for name in ("labels", "input_ids")
    )
    chosen = labels != IGNORE
    assert float((ids == TOKENIZER.mask_id)[chosen].double().mean()) == pytest.approx(
        shares[0], abs=0.01
    )
    assert float(
        ((ids != TOKENIZER.mask_id) & (ids != labels))[chosen].double().mean()
    ) == pytest.approx(shares[1], abs=0.01)


def test_shifted_rows_begin_anywhere_up_to_the_long_length(corpus):
    """16 tokens within 32, half of the rows from another place than 0, evenly; the long rows at the end need none of it."""
    options = PretrainingOptions(**OPTIONS | {"steps": 300, "batch_size": 24, "shift_share": 0.5})
    batches = Batches(corpus, TOKENIZER, options)
    position = torch.cat(
        [
            micro_batch["position_ids"]
            for step in range(180)
            for micro_batch, _ in batches.micro_batches(step)
        ]
    )
    assert torch.equal(position - position[:, :1], torch.arange(16).repeat(len(position), 1))
    first = position[:, 0].bincount() / len(position)  # [17], 0 to 16
    assert (
        first[0] == pytest.approx(0.5 + 0.5 / 17, abs=0.03)
        and all(abs(share - 0.5 / 17) < 0.01 for share in first[1:])
        and len(first) == 17
    )
    assert all("position_ids" not in micro_batch for micro_batch, _ in batches.micro_batches(180))
    assert all(
        "position_ids" not in micro_batch
        for micro_batch, _ in Batches(
            corpus, TOKENIZER, PretrainingOptions(**OPTIONS)
        ).micro_batches(0)
    )


def test_masks_are_drawn_for_a_thousand_tokens_at_once(corpus):
    """Of 16-token rows for 64: the seed is of their first row, so that a run goes on bit for bit with a later version."""
    run = make_run(corpus, batch_size=130, micro_batch=130, long_share=0.0, mask_rate=0.3)
    found = torch.cat([micro_batch["labels"] for micro_batch, _ in run.batches.micro_batches(2)])
    unmasked = run.batches.stages[0][1].batch(2 * 130, 130)["input_ids"]
    for first, last in ((0, 64), (64, 128), (128, 130)):
        _, labels = run.batches._mask(unmasked[first:last], run.batches._seed(2, 0, first))
        assert torch.equal(found[first:last], labels)


@pytest.mark.parametrize("micro_batch", [130, 20])
@pytest.mark.parametrize("changes", [{"long_share": 0.0}, {"pair_share": 0.3, "shift_share": 0.5}])
def test_processes_share_a_batch_out_whatever_is_masked_together(corpus, micro_batch, changes):
    run = make_run(corpus, batch_size=130, micro_batch=micro_batch, **changes)
    whole = whole_batch(run, 2)
    micro_batches = [list(run.batches.micro_batches(2, rank, 3)) for rank in range(3)]
    for name, tensor in whole.items():
        assert torch.equal(
            torch.cat(
                [micro_batch[name] for of_rank in micro_batches for micro_batch, _ in of_rank]
            ),
            tensor,
        )
    assert {len(of_rank) for of_rank in micro_batches} == {1 if micro_batch == 130 else 3} and len(
        {seed for of_rank in micro_batches for _, seed in of_rank}
    ) == sum(map(len, micro_batches))


def test_another_seed_cuts_other_rows(corpus):
    def texts(seed):
        batch = whole_batch(make_run(corpus, seed=seed), 0)
        return torch.where(batch["labels"] == IGNORE, batch["input_ids"], batch["labels"])

    assert torch.equal(texts(3), texts(3)) and not torch.equal(texts(3), texts(4))


@pytest.mark.parametrize("step", [0, 1, 3], ids=["short rows", "rows", "long rows"])
@pytest.mark.parametrize("micro_batch", [12, 5, 1])
def test_processes_and_micro_batches_change_no_sequence(corpus, step, micro_batch, monkeypatch):
    # four sequences of 16 tokens are masked together: a share may begin inside such a block
    monkeypatch.setattr(batches_module, "BLOCK", 64)
    options = OPTIONS | {"micro_batch": micro_batch, "short_length": 8, "short_share": 0.2}

    def gather(world, micro_batch):
        batches = Batches(
            corpus, TOKENIZER, PretrainingOptions(**options | {"micro_batch": micro_batch})
        )
        shares = [list(batches.micro_batches(step, rank, world)) for rank in range(world)]
        assert len({len(share) for share in shares}) == 1, (
            "FSDP needs as many passes in every process"
        )
        assert (
            max(len(micro_batch["labels"]) for share in shares for micro_batch, _ in share)
            <= batches._step(step)[3] + 1
        )
        return {
            name: torch.cat([micro_batch[name] for share in shares for micro_batch, _ in share])
            for name in shares[0][0][0]
        }

    whole_batch = gather(1, 12)
    for world in (1, 2, 3, 5):
        for name, rows in gather(world, micro_batch).items():
            assert torch.equal(rows, whole_batch[name]), (world, name)


# ---------------------------------------------------------------- batches that other processes make for a GPU


def equal(ones, others) -> bool:
    return len(ones) == len(others) and all(
        seed == other_seed
        and batch.keys() == other.keys()
        and all(torch.equal(batch[name], other[name]) for name in batch)
        for (batch, seed), (other, other_seed) in zip(ones, others, strict=True)
    )


@pytest.mark.parametrize("workers", [0, 2])
def test_other_processes_make_the_same_batches(corpus, monkeypatch, workers):
    monkeypatch.setattr(batches_module, "_workers", lambda: workers)
    run = make_run(corpus)
    ahead, before = BatchesAhead(run.batches, 1, 2), torch.get_rng_state()
    for step in (0, 1, 2, 4, 3):  # a step that does not follow begins anew
        expected = list(run.batches.micro_batches(step, 1, 2))
        assert equal(ahead.micro_batches(step), expected)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_run_takes_the_batches_that_are_made_ahead(corpus, monkeypatch):
    monkeypatch.setattr(batches_module, "_workers", lambda: 2)
    usual, ahead, before = make_run(corpus), make_run(corpus), multiprocessing.active_children()
    ahead._ahead = BatchesAhead(ahead.batches)
    for _ in range(2):
        assert dataclasses.asdict(usual.train_step()) == dataclasses.asdict(ahead.train_step())
    workers = [child for child in multiprocessing.active_children() if child not in before]
    assert len(workers) == 2, "the batches came from other processes"
    groups = {os.getpgid(worker.pid) for worker in workers}
    assert groups == {worker.pid for worker in workers}, "Ctrl-C must not reach them"


def test_a_run_that_stops_early_ends_its_workers_in_silence(corpus, tmp_path):
    script = f"""
import sys
sys.path[:0] = {sys.path!r}
from tiny_run import make_run
from minibert.data import TokenFile
from minibert.pretraining import batches
batches._workers = lambda: 2
run = make_run(TokenFile({str(corpus.path)!r}))
run._ahead = batches.BatchesAhead(run.batches)
run.train_step()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
