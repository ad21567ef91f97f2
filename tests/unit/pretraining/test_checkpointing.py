"""Checkpoints: bit for bit back into a run; whole whatever happens while one is written; refused where they do not belong."""

import dataclasses
import errno
import json
import os
import shutil
from pathlib import Path

import pytest
import torch
from interruptions import at_operation
from tiny_run import CONFIG, TOKENIZER, equal, make_run, weights, write_corpus

from minibert import WordPieceTokenizer, from_pretrained
from minibert.data import TokenFile
from minibert.pretraining.checkpointing import (
    MODEL,
    OPTIMIZER,
    STATE,
    checkpoints,
    damage,
    load_checkpoint,
    optimizer_tensors,
    resume_newest,
    save_checkpoint,
)
from minibert.pretraining.trainer import Pretraining

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> TokenFile:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "text.tokens")


def trained(corpus: TokenFile, steps: int, **changes) -> Pretraining:
    run = make_run(corpus, **changes)
    for _ in range(steps):
        run.train_step()
    return run


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("step-"))


# -- back into the run -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        dict(),
        dict(optimizer="adamw"),
        dict(next_sentence=False),
        dict(precision="bfloat16"),
        dict(micro_batch=5),
        dict(
            config=dataclasses.replace(
                CONFIG, hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.3
            )
        ),
        dict(config=dataclasses.replace(CONFIG, norm_first=True)),
        dict(config=dataclasses.replace(CONFIG, position_embedding_type="sinusoidal")),
    ],
    ids=lambda changes: " ".join(changes) or "as it comes",
)
def test_a_resumed_run_goes_on_bit_for_bit(changes, corpus, tmp_path):
    """Stopped after every number of steps, also where the long rows begin."""
    steps, whole = [], make_run(corpus, **changes)
    for step in range(6):
        save_checkpoint(whole, tmp_path / str(step))
        if step < 5:
            steps.append(whole.train_step())
    for stopped in range(5):
        run = make_run(corpus, **changes)
        torch.manual_seed(12345 + stopped)  # another process, another state of torch's generator
        checkpoint, complaints = resume_newest(run, tmp_path / str(stopped))
        assert checkpoint.name == f"step-{stopped:08d}" and complaints == [] and run.step == stopped
        assert [run.train_step() for _ in range(5 - stopped)] == steps[stopped:]
        assert equal(weights(run), weights(whole)) and equal(
            optimizer_tensors(run), optimizer_tensors(whole)
        )


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_the_optimisers_come_back_as_pytorch_itself_would_bring_them(optimizer, corpus, tmp_path):
    run = trained(corpus, 3, optimizer=optimizer)
    load_checkpoint(
        resumed := make_run(corpus, optimizer=optimizer), save_checkpoint(run, tmp_path)
    )
    for mine, original in zip(resumed.optimizers, run.optimizers, strict=True):
        found, wanted = mine.state_dict()["state"], original.state_dict()["state"]
        assert found.keys() == wanted.keys()
        for index, state in wanted.items():
            assert found[index].keys() == state.keys()
            for name, value in state.items():
                other = found[index][name]
                assert torch.equal(other, value) and (
                    other.dtype,
                    other.shape,
                    other.device,
                    other.stride(),
                ) == (value.dtype, value.shape, value.device, value.stride())


def test_a_checkpoint_is_a_model_that_opens(corpus, tmp_path):
    run = trained(corpus, 1)
    checkpoint = save_checkpoint(run, tmp_path)
    assert equal(weights(run), from_pretrained(checkpoint).state_dict())
    assert WordPieceTokenizer.from_pretrained(checkpoint).vocab == TOKENIZER.vocab


def test_the_two_newest_are_kept(corpus, tmp_path):
    run = make_run(corpus)
    for _ in range(4):
        run.train_step()
        save_checkpoint(run, tmp_path)
    assert [path.name for path in checkpoints(tmp_path)] == [
        "step-00000003",
        "step-00000004",
    ] and leftovers(tmp_path) == []


def test_a_file_beside_the_checkpoints_is_none(corpus, tmp_path):
    save_checkpoint(make_run(corpus), tmp_path)
    (tmp_path / "step-00000009.txt").write_text("a note")
    assert [path.name for path in checkpoints(tmp_path)] == ["step-00000000"]


def test_an_old_checkpoint_that_cannot_be_deleted_stops_nothing(corpus, tmp_path, monkeypatch):
    """Somebody looks at it, and the system does not let go of the file. Its name is gone."""
    run = make_run(corpus)
    real = os.rmdir

    def refuse(path, **options):
        if "discarded" in str(path):
            raise PermissionError(errno.EACCES, "in use")
        real(path, **options)

    for _ in range(2):
        save_checkpoint(run, tmp_path)
        run.train_step()
    monkeypatch.setattr(os, "rmdir", refuse)
    save_checkpoint(run, tmp_path)
    assert [path.name for path in checkpoints(tmp_path)] == ["step-00000001", "step-00000002"]


def test_the_same_state_again_leaves_the_checkpoint_as_it_is(corpus, tmp_path):
    run = trained(corpus, 2)
    before = os.stat(save_checkpoint(run, tmp_path) / MODEL)
    again = os.stat(save_checkpoint(run, tmp_path) / MODEL)
    assert (before.st_ino, before.st_mtime_ns) == (again.st_ino, again.st_mtime_ns) and leftovers(
        tmp_path
    ) == []


def test_another_state_of_the_same_step_replaces_it(corpus, tmp_path):
    save_checkpoint(trained(corpus, 2), tmp_path)
    other = trained(corpus, 2, seed=1)
    load_checkpoint(make_run(corpus, seed=1), save_checkpoint(other, tmp_path))
    assert len(checkpoints(tmp_path)) == 1 and leftovers(tmp_path) == []


# -- death, and a full disk, at every moment of the writing -------------------------------------------------------------


def in_child(work) -> int:
    """Do something in a forked process; its exit status."""
    child = os.fork()
    if child == 0:
        status = 99
        try:
            status = work() or 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def no_space() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@posix
@pytest.mark.slow
@pytest.mark.parametrize("situation", ["the first", "the fourth", "over a damaged one"])
@pytest.mark.parametrize("trouble", ["death", "full disk"])
def test_whatever_happens_while_a_checkpoint_is_written(trouble, situation, corpus, tmp_path):
    """Before every single operation on a file: what is there under its name is whole, the newest or the one before, and the next save cleans up."""
    run, known = make_run(corpus), {}
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    for _ in range({"the first": 0, "the fourth": 3, "over a damaged one": 2}[situation]):
        run.train_step()
        known[run.step] = weights(run)
        save_checkpoint(run, prepared)
    run.train_step()
    known[run.step] = weights(run)
    if situation == "over a damaged one":
        (save_checkpoint(run, prepared) / MODEL).write_bytes(b"no tensors")
    before = max((step for step in known if step < run.step), default=None)

    for number in range(1, 1000):
        folder = tmp_path / str(number)
        shutil.copytree(prepared, folder)

        def save() -> int:
            reached = at_operation(
                number, folder, (lambda: os._exit(9)) if trouble == "death" else no_space
            )
            try:
                save_checkpoint(run, folder)
                return 1 if reached() else 0
            except ValueError as error:
                return (
                    3
                    if str(error).startswith(
                        f"cannot write the checkpoint {folder / f'step-{run.step:08d}'}: "
                    )
                    else 4
                )

        status = in_child(save)
        assert status in ((0, 9) if trouble == "death" else (0, 1, 3)), (
            number,
            status,
        )  # 1: it did not matter
        after = make_run(corpus)
        if before is None and not checkpoints(folder):
            assert status in (3, 9)
        else:
            _checkpoint, complaints = resume_newest(after, folder)
            assert after.step == run.step if status < 2 else after.step in (before, run.step)
            assert equal(weights(after), known[after.step]) and (
                not complaints or situation == "over a damaged one"
            )
        assert trouble == "death" or not list(folder.glob(".writing-*"))
        save_checkpoint(run, folder)
        assert not [name for name in leftovers(folder) if not name.startswith("damaged-")], number
        assert (
            all(damage(path) is None for path in checkpoints(folder))
            and checkpoints(folder)[-1].name == f"step-{run.step:08d}"
        )
        shutil.rmtree(folder)
        if status == 0:
            break
    assert number > 25, f"only {number} operations were counted"


@posix
@pytest.mark.parametrize("size", [10, 700, 5000, 20000])
def test_a_disk_that_takes_no_more_bytes(size, corpus, tmp_path):
    """The system's own limit on the size of files, so that the writing inside the safetensors library fails too."""
    import resource

    run = trained(corpus, 1)
    good = save_checkpoint(run, tmp_path)
    run.train_step()

    def save() -> int:
        resource.setrlimit(
            resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1])
        )
        try:
            save_checkpoint(run, tmp_path)
        except ValueError as error:
            return 3 if "File too large" in str(error) else 4

    assert in_child(save) == 3
    assert (
        [damage(path) for path in checkpoints(tmp_path)] == [None]
        and checkpoints(tmp_path) == [good]
        and leftovers(tmp_path) == []
    )


def test_a_folder_that_cannot_be_written(corpus, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(
        ValueError,
        match="cannot write the checkpoint .*step-00000000: (Not a directory|File exists)",
    ):
        save_checkpoint(make_run(corpus), tmp_path / "file")


# -- damage ------------------------------------------------------------------------------------------------------------


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-len(data) // 3] ^= 4
    path.write_bytes(data)


@pytest.mark.parametrize(
    "name", [MODEL, OPTIMIZER, STATE, "config.json", "vocab.txt", "tokenizer_config.json"]
)
@pytest.mark.parametrize("harm", [cut, flip, Path.unlink])
def test_a_damaged_checkpoint_is_set_aside_for_the_one_before(name, harm, corpus, tmp_path):
    run = trained(corpus, 1)
    good = save_checkpoint(run, tmp_path)
    saved = weights(run)
    run.train_step()
    harm(save_checkpoint(run, tmp_path) / name)
    resumed = make_run(corpus)
    checkpoint, (complaint,) = resume_newest(resumed, tmp_path)
    assert checkpoint == good and equal(weights(resumed), saved) and resumed.step == 1
    assert "step-00000002 is damaged: " in complaint and name in complaint
    assert [name.startswith("damaged-step-00000002-") for name in leftovers(tmp_path)] == [True]
    resumed.train_step()
    save_checkpoint(resumed, tmp_path)  # the name is free again
    assert [path.name for path in checkpoints(tmp_path)] == ["step-00000001", "step-00000002"]


def test_copies_under_other_names_are_neither_read_nor_deleted(corpus, tmp_path):
    run = trained(corpus, 1)
    first = save_checkpoint(run, tmp_path)
    for name in ("step-old", "step-00000000.bak", "step-00000099"):
        shutil.copytree(first, tmp_path / name)
    for _ in range(3):
        run.train_step()
        assert save_checkpoint(run, tmp_path) in checkpoints(tmp_path), "the newest stays"
    assert (tmp_path / "step-old").is_dir() and (tmp_path / "step-00000000.bak").is_dir()
    checkpoint, (complaint,) = resume_newest(make_run(corpus), tmp_path)
    assert checkpoint.name == "step-00000004"
    assert "step-00000099 is damaged: its step is 1, not that of its name" in complaint


def test_where_nothing_is_left(corpus, tmp_path):
    with pytest.raises(ValueError, match=f"no checkpoint in {tmp_path} can be used$"):
        resume_newest(make_run(corpus), tmp_path)
    cut(save_checkpoint(make_run(corpus), tmp_path) / MODEL)
    with pytest.raises(
        ValueError,
        match="can be used; the checkpoint .* is damaged: model.safetensors is not as it was written",
    ):
        resume_newest(make_run(corpus), tmp_path)
    assert len(checkpoints(tmp_path)) == 1, "nothing was renamed"


@pytest.mark.parametrize("name", [MODEL, OPTIMIZER])
def test_a_checkpoint_from_before_there_were_digests(name, corpus, tmp_path):
    run = trained(corpus, 1)
    checkpoint = save_checkpoint(run, tmp_path)
    state = json.loads((checkpoint / STATE).read_text())
    del (
        state["files"],
        state["digest"],
        state["options"]["clip"],
    )  # an option that came later has its default
    (checkpoint / STATE).write_text(json.dumps(state))
    load_checkpoint(resumed := make_run(corpus), checkpoint)
    assert equal(weights(resumed), weights(run))
    cut(checkpoint / name)
    with pytest.raises(ValueError, match=f"is damaged: .*{name}"):
        load_checkpoint(resumed, checkpoint)


# -- another run -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, message",
    [
        (dict(learning_rate=0.1), "its option learning_rate is 0.002, this run's is 0.1"),
        (dict(steps=6), "its option steps is 5, this run's is 6"),
        (
            dict(config=dataclasses.replace(CONFIG, num_hidden_layers=1)),
            "its config field num_hidden_layers is 2, this run's is 1",
        ),
        (
            dict(config=dataclasses.replace(CONFIG, layer_norm_eps=1e-6)),
            "its config field layer_norm_eps is 1e-12, this run's is 1e-06",
        ),
        (
            dict(tokenizer=WordPieceTokenizer({**TOKENIZER.vocab, "w58": 59, "w59": 58})),
            "it has another vocabulary",
        ),
        (
            dict(tokenizer=WordPieceTokenizer(TOKENIZER.vocab, lowercase=False)),
            "it has another vocabulary",
        ),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(changes, message, corpus, tmp_path):
    run = trained(corpus, 1)
    save_checkpoint(run, tmp_path)
    run.train_step()
    save_checkpoint(run, tmp_path)
    names = sorted(os.listdir(tmp_path))
    other = make_run(corpus, **changes)
    before = weights(other)
    with pytest.raises(
        ValueError, match=f"the checkpoint .*step-00000002 is of another run: {message}"
    ):
        resume_newest(other, tmp_path)
    assert (
        equal(weights(other), before) and other.step == 0 and sorted(os.listdir(tmp_path)) == names
    )


def test_a_checkpoint_of_another_corpus_is_refused(corpus, tmp_path):
    save_checkpoint(trained(corpus, 1), tmp_path / "c")
    other = write_corpus(tmp_path / "other.tokens", seed=1)
    with pytest.raises(
        ValueError, match="is of another run: it was trained on another corpus than .*other.tokens"
    ):
        resume_newest(make_run(other), tmp_path / "c")
