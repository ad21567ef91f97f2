"""The same seed gives the same bits in two processes with different hash seeds; another seed does not."""

import kills
import pytest
from forked_command import Forker

SEEDED = ("pretrain", "train-sentences", "finetune")


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


def result(killer: kills.Killer, name: str, line: str) -> str:
    folder = killer.folder()
    done = killer.run(line, folder)
    assert done.status == 0, done.err
    return kills.WORKS[name].fingerprint(folder, done)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SEEDED, "tokenizer"])
def test_hash_seeds_change_no_bit_and_seeds_do(two, name):
    line = kills.WORKS[name].line.replace("longer.txt", "corpus.txt")
    one, other = (result(killer, name, line) for killer in two)
    assert one == other
    if name in SEEDED:
        assert result(two[0], name, f"{line} --seed 7") != one
