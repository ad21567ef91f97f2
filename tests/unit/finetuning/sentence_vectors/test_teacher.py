"""The teacher's vectors: those of `embed`, in resumable chunks; the projection is the best one of its size."""

import json

import pytest
import torch
from planted_source import planted
from tiny_sentences import TEACHER, TOKENIZER, make_texts

from minibert import BertModel, save_pretrained
from minibert.finetuning.sentence_vectors import teacher as module
from minibert.finetuning.sentence_vectors.options import SentenceOptions, SentenceSettings
from minibert.finetuning.sentence_vectors.preparation import SentenceRunDir
from minibert.finetuning.sentence_vectors.teacher import Targets, fit_projection, make_targets
from minibert.inference.sentence_embeddings import embed

TEXTS = [item[0] for item in make_texts(23).items]


@pytest.fixture
def teacher(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 10)
    torch.manual_seed(0)
    save_pretrained(BertModel(TEACHER).eval(), tmp_path / "teacher", TOKENIZER)
    return BertModel.from_pretrained(tmp_path / "teacher")


def opened(path) -> SentenceRunDir:
    if (path / "run.json").is_file():
        return SentenceRunDir.open(path)
    return SentenceRunDir.create(path, SentenceSettings(SentenceOptions()), {})


def made(tmp_path, name="run", stopped=lambda: False, size=16) -> Targets | None:
    teacher = str(tmp_path / "teacher")
    return make_targets(opened(tmp_path / name), TEXTS, teacher, size, 20, "cpu", stopped)


def stops_after(chunks: int):
    asked = iter([False] * chunks)
    return lambda: next(asked, True)


def test_the_vectors_are_those_of_the_teacher_in_the_order_of_the_texts(teacher, tmp_path, capsys):
    targets = made(tmp_path)
    wanted = embed(teacher, TOKENIZER, TEXTS)
    assert targets.vectors.dtype == torch.float16
    assert torch.allclose(targets.vectors.float(), wanted, atol=1e-3)
    assert sorted(path.name for path in (tmp_path / "run" / "teacher").iterdir()) == [
        "projection.safetensors",
        *(f"vectors-0000{i}.safetensors" for i in range(3)),
    ]
    assert "teacher's vectors: 23 of 23 texts" in capsys.readouterr().out
    rows = targets.rows([3, 0])
    expected = (targets.vectors[[3, 0]].float() @ targets.projection) / (
        (targets.vectors[[3, 0]].float() @ targets.projection).norm(dim=-1, keepdim=True)
    )
    assert torch.allclose(rows, expected, atol=1e-6)
    reduced = torch.nn.functional.normalize(targets.reduced()[[3, 0]], dim=-1)
    assert torch.allclose(rows, reduced, atol=1e-6)


@pytest.mark.parametrize("chunks", [0, 1, 2])
def test_stopped_and_resumed_it_is_the_same_bit_for_bit(chunks, teacher, tmp_path):
    whole = made(tmp_path)
    assert made(tmp_path, "other", stops_after(chunks)) is None
    assert len(list((tmp_path / "other" / "teacher").iterdir())) == chunks
    (tmp_path / "other" / "teacher" / ".12345678-vectors-00002.safetensors").write_bytes(b"half")
    resumed = made(tmp_path, "other")
    assert torch.equal(resumed.vectors, whole.vectors)
    assert torch.equal(resumed.projection, whole.projection) and resumed.kept == whole.kept
    assert not list((tmp_path / "other" / "teacher").glob(".*"))


def test_what_is_there_needs_no_teacher(teacher, tmp_path, monkeypatch):
    whole = made(tmp_path)
    monkeypatch.setattr(module, "find_pretrained", None)
    assert torch.equal(made(tmp_path).vectors, whole.vectors)


def test_another_teacher_is_noticed(teacher, tmp_path):
    assert made(tmp_path, stopped=stops_after(2)) is None
    save_pretrained(BertModel(TEACHER), tmp_path / "teacher", TOKENIZER)
    with pytest.raises(ValueError, match="is not the teacher that this run began with"):
        made(tmp_path)


@pytest.mark.parametrize(
    "name, message",
    [
        ("vectors-00001", r"cut off.*\(delete it, and --resume makes it again\)"),
        ("projection", "cut off"),
    ],
)
def test_a_damaged_file_is_named(name, message, teacher, tmp_path):
    made(tmp_path)
    path = tmp_path / "run" / "teacher" / f"{name}.safetensors"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(ValueError, match=f"{name}.safetensors is .*{message}"):
        made(tmp_path)


def test_a_changed_file_is_noticed(teacher, tmp_path):
    made(tmp_path)
    folder = tmp_path / "run" / "teacher"
    (folder / "vectors-00000.safetensors").write_bytes(
        (folder / "vectors-00001.safetensors").read_bytes()
    )
    with pytest.raises(ValueError, match="vectors-00000.safetensors is not the one that this run"):
        made(tmp_path)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert len(record["digests"]) == 4


def test_a_chunk_of_another_length_is_named(teacher, tmp_path):
    made(tmp_path)
    folder = tmp_path / "run" / "teacher"
    (folder / "vectors-00000.safetensors").write_bytes(
        (folder / "vectors-00002.safetensors").read_bytes()
    )
    with pytest.raises(ValueError, match=r"of shape \[3, 20\], expected 10 × any \(delete it"):
        made(tmp_path)


# -- the projection ----------------------------------------------------------------------------------------------------


def points() -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(50, 6, generator=generator) * torch.arange(1, 7) + 2


def check_projection(module) -> None:
    """The first right singular vectors of the matrix as it is: no mean is subtracted."""
    projection, kept = module.fit_projection(points(), 3)
    _, values, directions = torch.linalg.svd(points().double(), full_matrices=False)
    for column, direction in zip(projection.T, directions):
        assert abs(float(column.double() @ direction)) == pytest.approx(1, abs=1e-5)
    assert kept == pytest.approx(float((values[:3] ** 2).sum() / (values**2).sum()))
    assert float((points() @ projection).square().sum() / points().square().sum()) == pytest.approx(
        kept
    )


def test_the_projection_keeps_most_of_the_squared_length():
    check_projection(module)


@pytest.mark.parametrize("size", [6, 9])
def test_a_size_that_is_large_enough_changes_no_cosine(size):
    projection, kept = fit_projection(points(), size)
    assert kept == 1 and projection.shape == (6, size)
    assert torch.allclose((points() @ projection)[:, :6], points())


def test_empty_columns():
    projection, kept = fit_projection(points(), 5, empty=2)
    whole, _ = fit_projection(points(), 3)
    assert torch.equal(projection[:, :3], whole) and not projection[:, 3:].any()
    assert kept == fit_projection(points(), 3)[1]


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("exact = vectors.double()", "exact = vectors.double() - vectors.double().mean(0)"),
        ("directions.flip(1)[:, :used]", "directions[:, :used]"),
        ("directions.flip(1)[:, :used]", "directions.flip(1).T[:, :used]"),
        ("values.flip(0)[:used].sum()", "values[:used].sum()"),
    ],
)
def test_a_mistake_in_the_projection_is_found(right, wrong):
    with pytest.raises(AssertionError):
        check_projection(planted(module, right, wrong))
