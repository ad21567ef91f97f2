"""Token files written in parts and joined: the same bytes as one that was written at once."""

import concurrent.futures
import multiprocessing

import numpy as np
import pytest

from minibert.data import PairSequences, TokenFile, join_tokens, write_tokens
from minibert.data.corpora import documents


def draw_documents(count: int, vocab_size: int) -> list[list[list[int]]]:
    draw = np.random.default_rng(count)
    return [
        [
            draw.integers(0, vocab_size, draw.integers(1, 9)).tolist()
            for _ in range(draw.integers(1, 6))
        ]
        for _ in range(count)
    ]


@pytest.mark.parametrize("vocab_size", [500, 100_000], ids=["two bytes", "four bytes"])
@pytest.mark.parametrize("chunk", [1 << 22, 7])
def test_joined_parts_are_the_file_written_at_once(tmp_path, vocab_size, chunk, monkeypatch):
    monkeypatch.setattr("minibert.data.tokens.CHUNK", chunk)
    text = draw_documents(41, vocab_size)
    write_tokens(tmp_path / "at once", text, vocab_size)
    bounds = [0, 1, 20, 41]
    for number, (start, stop) in enumerate(zip(bounds, bounds[1:])):
        write_tokens(tmp_path / str(number), text[start:stop], vocab_size)
    join_tokens(tmp_path / "joined", [TokenFile(tmp_path / str(number)) for number in range(3)])
    assert (tmp_path / "joined").read_bytes() == (tmp_path / "at once").read_bytes()
    batch = PairSequences(TokenFile(tmp_path / "joined"), 16, 1, 2, 0).batch(0, 8)
    assert batch["input_ids"].shape == (8, 16)


def test_parts_of_different_vocabularies_and_no_parts_are_refused(tmp_path):
    for size in (50, 60):
        write_tokens(tmp_path / str(size), draw_documents(3, 50), size)
    with pytest.raises(ValueError, match=r"with one vocab_size, but have \[50, 60\]"):
        join_tokens(tmp_path / "joined", [TokenFile(tmp_path / "50"), TokenFile(tmp_path / "60")])
    with pytest.raises(ValueError, match="but have none"):
        join_tokens(tmp_path / "joined", [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["50", "60"]


def write_shard(text, path, shard) -> None:
    write_tokens(
        path,
        (
            [[len(word) for word in sentence.split()] for sentence in document]
            for document in documents(text, shard=shard)
        ),
        50,
    )


def test_shards_written_by_several_processes_hold_every_document_once(tmp_path):
    (tmp_path / "text.txt").write_text(
        "\n\n\n".join(
            f"Here is document {'x' * (number % 30)}. It ends {'y' * (number % 7)}."
            for number in range(97)
        )
    )
    write_shard(tmp_path / "text.txt", tmp_path / "whole", (0, 1))
    paths = [tmp_path / str(index) for index in range(3)]
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        list(
            pool.map(
                write_shard, [tmp_path / "text.txt"] * 3, paths, [(index, 3) for index in range(3)]
            )
        )
    join_tokens(tmp_path / "joined", [TokenFile(path) for path in paths])

    def text_of(path):
        corpus = TokenFile(path)
        return sorted(
            tuple(part) for part in np.split(corpus.tokens, corpus.document_bounds()[1:-1])
        )

    assert text_of(tmp_path / "joined") == text_of(tmp_path / "whole")


def test_one_process_is_enough_to_check_a_large_file(tmp_path):
    write_tokens(tmp_path / "text", draw_documents(9, 50), 50)
    damaged = bytearray((tmp_path / "text").read_bytes())
    damaged[520] ^= 1
    (tmp_path / "text").write_bytes(damaged)
    with pytest.raises(ValueError, match="does not have the checksum"):
        TokenFile(tmp_path / "text")
    assert len(TokenFile(tmp_path / "text", check=False).documents) == 10
