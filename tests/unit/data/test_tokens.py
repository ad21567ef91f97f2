"""The token file: what is written comes back, its bytes are what the module says, and what is no
token file is refused."""

import json
import struct
import zlib

import numpy as np
import pytest

from minibert.data import TokenFile, tokens, write_tokens
from minibert.data.tokens import shared_documents

DOCUMENTS = [[[5, 6, 7], [8]], [[9, 5]], [[6], [], [7, 7, 7]], [], [[]]]
KEPT = [[[5, 6, 7], [8]], [[9, 5]], [[6], [7, 7, 7]]]  # without what is empty


def read_back(corpus: TokenFile) -> list[list[list[int]]]:
    return [
        [
            corpus.tokens[corpus.sentences[place] : corpus.sentences[place + 1]].tolist()
            for place in range(first, last)
        ]
        for first, last in zip(corpus.documents, corpus.documents[1:])
    ]


@pytest.mark.parametrize(
    "vocab_size, dtype", [(10, "<u2"), (2**16, "<u2"), (2**16 + 1, "<u4"), (10**6, "<u4")]
)
def test_what_is_written_comes_back(tmp_path, vocab_size, dtype):
    write_tokens(tmp_path / "text", [*DOCUMENTS, [[0], [vocab_size - 1]]], vocab_size)
    corpus = TokenFile(tmp_path / "text")
    assert read_back(corpus) == [*KEPT, [[0], [vocab_size - 1]]]
    assert (
        corpus.vocab_size == vocab_size
        and corpus.tokens.dtype == dtype
        and corpus.sentences.dtype == corpus.documents.dtype == np.int64
    )
    assert corpus.document_bounds().tolist() == [0, 4, 6, 10, 12]
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


@pytest.mark.parametrize("vocab_size, size", [(10, 2), (100_000, 4)])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7])
def test_the_bytes_are_those_that_the_module_describes(tmp_path, vocab_size, size, count):
    write_tokens(tmp_path / "text", [[[number] for number in range(count)]], vocab_size)
    data = (tmp_path / "text").read_bytes()
    header = json.loads(data[8:512])
    assert data[:8] == b"minibert" and data[:512].rstrip(b" ").endswith(b"}")
    assert header == {
        "version": 1,
        "dtype": f"<u{size}",
        "vocab_size": vocab_size,
        "tokens": count,
        "sentences": count,
        "documents": 1,
        "crc32": zlib.crc32(data[512:]),
    }
    after = 512 + count * size
    index = -(-after // 8) * 8
    assert list(struct.unpack(f"<{count}{'H' if size == 2 else 'I'}", data[512:after])) == list(
        range(count)
    )
    assert data[after:index] == bytes(index - after) and len(data) == index + 8 * (count + 1 + 2)
    assert struct.unpack(f"<{count + 3}Q", data[index:]) == (*range(count + 1), 0, count)


@pytest.mark.parametrize(
    "documents, said",
    [
        (
            [[[5, 10]]],
            r"documents contain the token id 10; ids go from 0 to 9 \(vocab_size is 10\)",
        ),
        ([[[5]], [[3], [-1, 99]]], "documents contain the token id -1; ids go from 0 to 9"),
        ([[[-1, 3]]], "documents contain the token id -1; ids go from 0 to 9"),
        ([[[1.5, 2.9]]], r"token ids must be whole numbers, but a document is \[\[1.5, 2.9\]\]"),
        ([[["a"]]], r"token ids must be whole numbers, but a document is \[\['a'\]\]"),
        ([["ab"]], r"token ids must be whole numbers, but a document is \['ab'\]"),
        ([[[[1], [2, 3]]]], "a document is a list of sentences, each a list of token ids"),
        ([[1, 2]], r"a document is a list of sentences, each a list of token ids, not \[1, 2\]"),
        ([[[1, None]]], "token ids must be whole numbers"),
        ([], "documents contain no sentence"),
        ([[[]], []], "documents contain no sentence"),
    ],
)
def test_what_cannot_be_written_leaves_no_file(tmp_path, documents, said):
    with pytest.raises(ValueError, match=said):
        write_tokens(tmp_path / "text", documents, 10)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("vocab_size", [5.5, 0, 2**32 + 1])
def test_the_size_of_a_vocabulary_is_whole_and_its_ids_have_at_most_four_bytes(
    vocab_size, tmp_path
):
    with pytest.raises(ValueError, match="vocab_size must be"):
        write_tokens(tmp_path / "text", DOCUMENTS, vocab_size)
    assert not list(tmp_path.iterdir())


def test_a_file_is_there_when_it_is_whole_and_not_before(tmp_path):
    write_tokens(tmp_path / "text", DOCUMENTS, 10)

    def documents():
        assert (
            len(list(tmp_path.iterdir())) == 2 and read_back(TokenFile(tmp_path / "text")) == KEPT
        )
        yield [[1, 2]]

    write_tokens(tmp_path / "text", documents(), 10)
    assert (
        read_back(TokenFile(tmp_path / "text")) == [[[1, 2]]] and len(list(tmp_path.iterdir())) == 1
    )


def changed_header(data: bytes, **changes) -> bytes:
    return (b"minibert" + json.dumps(json.loads(data[8:512]) | changes).encode()).ljust(512) + data[
        512:
    ]


@pytest.mark.parametrize(
    "change, said",
    [
        (
            lambda data: data[:-1],
            "has 581 bytes, but its header says 582: it was truncated or overwritten",
        ),
        (lambda data: data + b"\0", "has 583 bytes, but its header says 582"),
        (
            lambda data: b"m1nibert" + data[8:],
            "is not a token file of minibert: write one with minibert.data.write_tokens",
        ),
        (lambda data: b"", "is not a token file of minibert"),
        (
            lambda data: data[:20] + b"\xff" + data[21:],
            "the header of the token file .* is damaged: make it again",
        ),
        (
            lambda data: b"minibert" + b"[]".ljust(504) + data[512:],
            "the header of the token file .* is damaged",
        ),
        (
            lambda data: b"minibert" + b"{}".ljust(504) + data[512:],
            "the header of the token file .* is damaged",
        ),
        (
            lambda data: changed_header(data, crc32=None),
            "the header of the token file .* is damaged",
        ),
        (
            lambda data: changed_header(data, dtype="-1"),
            "the header of the token file .* is damaged",
        ),
        (
            lambda data: changed_header(data, version=2),
            "is a token file of version 2; this program reads version 1: make it again",
        ),
        (
            lambda data: data[:512] + bytes([data[512] ^ 1]) + data[513:],
            "does not have the checksum it was written with: make it again",
        ),
        (lambda data: data[:-1] + b"\1", "does not have the checksum it was written with"),
    ],
)
def test_what_is_no_whole_token_file_is_refused(tmp_path, change, said):
    write_tokens(tmp_path / "text", [[[1, 2, 3]]], 10)
    data = (tmp_path / "text").read_bytes()
    (tmp_path / "text").write_bytes(change(data))
    size = len(data)
    with pytest.raises(
        ValueError,
        match=said.replace("581", str(size - 1))
        .replace("582", str(size))
        .replace("583", str(size + 1)),
    ):
        TokenFile(tmp_path / "text")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(
        ValueError, match="cannot read the token file .*nowhere: No such file or directory"
    ):
        TokenFile(tmp_path / "nowhere")


@pytest.mark.parametrize("chunk", [1, 3, 8, 1 << 22])
def test_the_checksum_does_not_depend_on_the_pieces_it_is_read_in(tmp_path, monkeypatch, chunk):
    write_tokens(tmp_path / "text", DOCUMENTS, 10)
    monkeypatch.setattr(tokens, "CHUNK", chunk)
    assert read_back(TokenFile(tmp_path / "text")) == KEPT


def test_unchecked_a_change_goes_unseen(tmp_path):
    write_tokens(tmp_path / "text", [[[1, 2, 3]]], 10)
    data = bytearray((tmp_path / "text").read_bytes())
    data[512] = 7
    (tmp_path / "text").write_bytes(data)
    assert TokenFile(tmp_path / "text", check=False).tokens.tolist() == [7, 2, 3]


def test_documents_that_two_files_have_in_common_are_counted(tmp_path):
    """Each as often as the first file has it; the same tokens cut elsewhere are another document."""
    write_tokens(tmp_path / "one", [[[5, 6], [7]], [[8]], [[8]], [[9, 5]]], 10)
    write_tokens(tmp_path / "other", [[[8]], [[5], [6, 7]], [[9], [6]], [[5, 6, 7, 9, 5]]], 10)
    one, other = TokenFile(tmp_path / "one"), TokenFile(tmp_path / "other")
    assert shared_documents(one, other) == 3 and shared_documents(other, one) == 2
    assert shared_documents(one, one) == 4
