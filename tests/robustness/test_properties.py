"""Whatever is in a file: what is read from it, or an InputError; no other exception."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minibert.config import BertConfig, InputError
from minibert.data.corpora import documents
from minibert.finetuning.tables.examples import find_columns, make_examples
from minibert.finetuning.tables.files import read_table
from minibert.finetuning.tasks.registry import task_names
from minibert.hub.safetensors_io import read_tensors
from minibert.hub.tokenizer_files import read_tokenizer_files
from minibert.pretraining.manifest import check_record
from minibert.pretraining.run_dir import RunDir
from minibert.summarization.documents.reading import decode, read_text

FIELDS = [
    *BertConfig.__dataclass_fields__,
    "num_labels",
    "architectures",
    "model_type",
    "minibert",
    "label2id",
]
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
)
QUICK = settings(
    max_examples=60,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
SENSIBLE = {
    "vocab_size": 10,
    "hidden_size": 8,
    "num_attention_heads": 2,
    "num_hidden_layers": 1,
    "intermediate_size": 8,
}
FRAGMENTS = st.lists(
    st.sampled_from(
        [
            "text",
            "label",
            ",",
            "\t",
            "\n",
            '"',
            "{",
            "}",
            "[",
            "]",
            ":",
            "a",
            "1",
            "-",
            "\\",
            "<p>",
            "</",
            "#",
            "`",
            "|",
            "é",
            "\ufeff",
            "\u2028",
            "\r",
        ]
    )
    | st.text(max_size=4),
    max_size=40,
).map("".join)


def allowed(read, *arguments):
    """The result of a reader, or None where it refused with one sentence that is not empty."""
    try:
        return read(*arguments)
    except InputError as error:
        assert str(error).strip()
        return None


@QUICK
@given(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4))
def test_a_config_is_refused_or_comes_back_from_its_file(values):
    config = allowed(BertConfig.from_dict, SENSIBLE | values)
    if config is not None:
        assert BertConfig.from_dict(json.loads(config.to_json_string())) == config


@QUICK
@given(
    st.dictionaries(
        st.sampled_from(["settings", "sessions", "sources", "given", "config", "digests"]), JSON
    )
)
def test_a_run_json_is_refused_or_has_its_types(tmp_path, record):
    allowed(check_record, record)
    (tmp_path / "run").mkdir(exist_ok=True)
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    allowed(RunDir.open, tmp_path / "run")


@QUICK
@given(JSON, st.sampled_from(["tokenizer.json", "tokenizer_config.json"]))
def test_files_of_a_tokenizer_are_refused_or_read(tmp_path, value, name):
    for path in tmp_path.iterdir():
        path.unlink()
    if name == "tokenizer_config.json":
        (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n")
    else:
        value = {"model": value, "normalizer": value}
    (tmp_path / name).write_text(json.dumps(value))
    allowed(read_tokenizer_files, tmp_path)


@pytest.mark.parametrize("task", task_names())
@pytest.mark.parametrize("format", ["csv", "tsv", "json", "conll", "label-text"])
@settings(QUICK, max_examples=12)
@given(text=FRAGMENTS)
def test_a_table_is_refused_or_read(tmp_path, task, format, text):
    (tmp_path / "rows").write_text(text, encoding="utf-8", errors="replace")
    table = allowed(lambda: read_table(tmp_path / "rows", format=format))
    if table is not None:
        columns = allowed(lambda: find_columns(task, table, {}))
        if columns is not None:
            allowed(lambda: make_examples(task, table, columns))


@pytest.mark.parametrize("task", task_names())
@settings(QUICK, max_examples=20)
@given(
    rows=st.lists(
        st.dictionaries(
            st.sampled_from(
                [
                    "text",
                    "pair",
                    "label",
                    "tokens",
                    "tags",
                    "question",
                    "context",
                    "answers",
                    "choices",
                    "a",
                ]
            ),
            JSON,
            max_size=4,
        ),
        max_size=3,
    )
)
def test_rows_of_json_are_refused_or_read(tmp_path, task, rows):
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = allowed(lambda: read_table(tmp_path / "rows.jsonl"))
    columns = table and allowed(lambda: find_columns(task, table, {}))
    if columns:
        allowed(lambda: make_examples(task, table, columns))


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.txt.gz", "a.jsonl.xz"])
@pytest.mark.parametrize("per_line", [False, True])
@QUICK
@given(data=st.binary(max_size=60) | FRAGMENTS.map(lambda text: text.encode("utf-8", "replace")))
def test_a_corpus_is_refused_or_read(tmp_path, name, per_line, data):
    (tmp_path / name).write_bytes(data)
    found = allowed(
        lambda: list(documents(tmp_path / name, split="all", sentence_per_line=per_line))
    )
    assert found is None or all(sentence.strip() for document in found for sentence in document)


@pytest.mark.parametrize("format", [None, "text", "markdown", "html"])
@QUICK
@given(data=st.binary(max_size=60) | FRAGMENTS.map(lambda text: text.encode("utf-8", "replace")))
def test_a_document_is_refused_or_its_sentences_are_in_its_text(format, data):
    text = allowed(lambda: decode(data, "it", format))
    document = allowed(lambda: read_text(text, format, "it")) if text is not None else None
    if document is not None:
        for sentence in document.sentences:
            assert document.text[sentence.start : sentence.end] == sentence.text


@QUICK
@given(st.binary(max_size=80), JSON)
def test_weights_are_refused_or_read(tmp_path, data, header):
    text = json.dumps(header).encode()
    for content in (data, len(text).to_bytes(8, "little") + text + data):
        (tmp_path / "model.safetensors").write_bytes(content)
        allowed(read_tensors, tmp_path / "model.safetensors")
