"""The same seed gives the same bits in two processes with different hash seeds; another seed does not."""

import kills
import pytest
from forked_command import Forker

MODEL = ("new/model.safetensors", "new/config.json", "new/vocab.txt")
LINES = {
    "pretrain": kills.WORKS["pretrain"],
    "pretrain, two threads": kills.Work(
        f"{kills.RUN} --threads 2", files=("new/model/model.safetensors", "new/model/vocab.txt")
    ),
    "train-sentences": kills.WORKS["train-sentences"],
    "finetune classification": kills.WORKS["finetune"],
    **{
        f"finetune {task}": kills.Work(
            f"finetune {task} --train {table} --model model --out new", files=MODEL
        )
        for task, table in (
            ("questions", "questions.jsonl"),
            ("tagging", "tags.conll"),
            ("choice", "choices.jsonl"),
        )
    },
}


@pytest.fixture(scope="module")
def two(forker, tmp_path_factory):
    """Killers, which here kill nothing, with two seeds of Python's hashes."""
    made = []
    for number in ("1", "2"):
        folder = tmp_path_factory.mktemp("hashes")
        made.append(kills.Killer(Forker(folder, PYTHONHASHSEED=number), forker.world))
    yield made
    for killer in made:
        killer.forker.close()


def result(killer: kills.Killer, work: kills.Work, more: str = "") -> str:
    folder = killer.folder()
    done = killer.run(f"{work.line.replace('longer.txt', 'corpus.txt')}{more}", folder)
    assert done.status == 0, done.err
    return work.fingerprint(folder, done)


@pytest.mark.slow
@pytest.mark.parametrize("name", LINES)
def test_hash_seeds_change_no_bit_and_seeds_do(two, name):
    one, other = (result(killer, LINES[name]) for killer in two)
    assert one == other
    assert result(two[0], LINES[name], " --seed 7") != one


@pytest.mark.slow
def test_hash_seeds_change_no_vocabulary(two):
    """A tokenizer has no seed."""
    one, other = (result(killer, kills.WORKS["tokenizer"]) for killer in two)
    assert one == other
