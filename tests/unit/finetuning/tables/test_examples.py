"""Labelled data from files and sets: what is read, which columns are found, and one line with file and place for every fault."""

import csv
import gzip
import io
import json
import random
import sys
from types import SimpleNamespace

import pytest

from minibert.config import InputError
from minibert.finetuning import (
    ChoiceExample,
    QuestionExample,
    TaggedExample,
    TextExample,
    read_examples,
)
from minibert.finetuning.tables import hub as tables
from minibert.finetuning.tables.examples import find_columns, make_examples
from minibert.finetuning.tables.files import read_table
from minibert.finetuning.tables.splitting import draw, hold_out


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def lines(*rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


# -- formats -----------------------------------------------------------------------------------------------------------

GOOD, BAD = TextExample("Good, they say.", None, "pos"), TextExample('It is "bad"', None, "neg")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'text,label\n"Good, they say.",pos\n"It is ""bad""",neg\n'),
        ("a.csv", 'label,n,text\npos,1,"Good, they say."\n\nneg,2,"It is ""bad"""'),
        ("a.csv.gz", 'text,label\r\n"Good, they say.",pos\r\n\r\n"It is ""bad""",neg\r\n'),
        ("a.tsv", 'text\tlabel\nGood, they say.\tpos\nIt is "bad"\tneg\n'),
        ("a.tsv.gz", '\ufeffText\tLabel\r\nGood, they say.\tpos\r\n  \r\nIt is "bad"\tneg'),
        ("a.TSV", 'text\tlabel\rGood, they say.\tpos\rIt is "bad"\tneg'),
        (
            "a.jsonl",
            '{"text": "Good, they say.", "label": "pos"}\n\n{"label": "neg", "text": "It is \\"bad\\""}\n',
        ),
        (
            "a.ndjson.gz",
            '{"text": "Good, they say.", "label": " pos "}\r\n{"label": "neg", "text": " It is \\"bad\\" "}\r\n',
        ),
        (
            "a.json",
            '[{"text": "Good, they say.", "label": "pos"},\n {"label": "neg", "text": "It is \\"bad\\""}]',
        ),
        ("a.tsv", 'text\tlabel\nGood, they say.\tpos\nIt is "bad"\tneg\n'.encode("utf-16")),
        ("a.tsv", 'text\tlabel\nGood, they say.\tpos\nIt is "bad"\tneg\n'.encode("utf-32")),
    ],
)
def test_one_text_in_every_format(name, content, write):
    assert read_examples("classification", write(content, name)) == [GOOD, BAD]


def test_labels_in_front(write):
    path = write('pos Good, they say.\n\nneg It is "bad"\r\n', "train.label")
    assert read_examples("classification", path, format="label-text") == [GOOD, BAD]


def test_quotes_mean_nothing_in_tsv_and_everything_in_csv(write):
    """SST-2 has texts with one quote: read with quoting, a reader swallows rows."""
    texts = ['" is it', 'a " b', "c", 'd "']
    path = write("sentence\tlabel\n" + "".join(f"{text}\t1\n" for text in texts), "a.tsv")
    assert [example.text for example in read_examples("classification", path)] == texts
    assert len(list(csv.reader(io.StringIO(path.read_text()), delimiter="\t"))) < 5, (
        "what the usual reader makes of it"
    )


def test_csv_as_the_library_writes_it(write):
    """Round trip of awkward texts: commas, quotes, line breaks, signs that some take for line ends."""
    draws = random.Random(0)
    texts = [
        "".join(draws.choice('ab,"\n\u2028\x85\t;é') for _ in range(12)).strip("\n\u2028\x85\t ")
        + "x"
        for _ in range(60)
    ]
    file = io.StringIO(newline="")
    csv.writer(file).writerows(
        [("text", "label"), *((text, n % 2) for n, text in enumerate(texts))]
    )
    examples = read_examples("classification", write(file.getvalue()))
    assert [example.text for example in examples] == texts and {
        example.label for example in examples
    } == {"0", "1"}


def test_the_place_of_a_row_over_several_lines(write):
    path = write('text,label\n"one\ntwo",a\n\n"three\nfour",b\n,c\n')
    assert [row.where.rsplit(" ", 1)[1] for row in read_table(path).rows] == ["2", "5", "7"]


@pytest.mark.parametrize(
    "content", ['text\ngood\n""\nbad\n', 'text\ngood\n""\n', "n,text\n1,good\n,\n2,bad\n"]
)
def test_an_empty_row_among_others_is_refused(content, write):
    """Left out, it would shift the answers after it against the rows."""
    table = read_table(write(content))
    with pytest.raises(InputError, match="line 3: 'text' is empty"):
        make_examples("classification", table, {"text": "text"}, labelled=False)


def test_an_empty_row_of_tsv_is_one_as_well(write):
    table = read_table(write("n\ttext\n1\tgood\n\t\n2\tbad\n", "a.tsv"))
    with pytest.raises(InputError, match="line 3: 'text' is empty"):
        make_examples("classification", table, {"text": "text"}, labelled=False)


@pytest.mark.parametrize("end", ["\n", ",\n,\n", "  \n\n"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_empty_rows_at_the_end_are_left_out(end, name, write):
    content = f"\nn,text\n1,good\n\n2,bad\n{end}"
    path = write(content if name == "a.csv" else content.replace(",", "\t"), name)
    assert len(read_table(path).rows) == 2
    with pytest.raises(InputError, match="line 4: the line is blank"):
        read_table(path, refuse_blank=True)


@pytest.mark.parametrize("first", ["text,label", '"Text", label'])
def test_a_header_that_the_file_has(first, write):
    """Read as a row, the names would be a text and a class. Further down they may be one."""
    path = write(f"\n{first}\ngood,pos\n")
    with pytest.raises(InputError, match="line 2: this line has the names given in --header"):
        read_table(path, header=["text", " label"])
    assert len(read_table(write(f"good,pos\n{first}\n"), header=["text", "label"]).rows) == 2


def test_a_long_field(write):
    text = "word " * 40_000
    assert (
        read_examples("classification", write(f"text,label\n{text},a\nb,c\n"))[0].text
        == text.strip()
    )


CONLL = """-DOCSTART- -X- O O

# sent_id = 1
EU NNP B-NP B-ORG
rejects VBZ B-VP O

# O O O
"""


def test_conll(write):
    """The first field is the word, the last one its tag; a comment is no word, and '#' is one."""
    assert read_examples("tagging", write(CONLL, "a.conll")) == [
        TaggedExample(["EU", "rejects"], ["B-ORG", "O"]),
        TaggedExample(["#"], ["O"]),
    ]
    assert read_examples("tagging", write("new york\tB-place\r\nis\tO\r\n\r\n", "a.bio.gz")) == [
        TaggedExample(["new york", "is"], ["B-place", "O"])
    ]
    assert read_examples("tagging", write("a\tO\nb\tB-x\n", "no.suffix.known"))[0].tags == [
        "O",
        "B-x",
    ]
    for text in ("## O\nb O\n", "b O\n## O\n\n## O\n", "b\tO\n##\tO\n"):  # '##' is a word
        found = read_examples("tagging", write(text, "a.conll"))
        assert sum(example.words.count("##") for example in found) == text.count("##")
    assert read_examples("tagging", write("## a heading\n# id = 5\nb O\n", "a.conll")) == [
        TaggedExample(["b"], ["O"])
    ]
    table = read_table(write(CONLL, "a.conll"))
    assert [row.where.rsplit(" ", 1)[1] for row in table.rows] == ["4", "7"]
    assert read_examples("tagging", write("EU\nrejects\n", "words.conll"), labelled=False) == [
        TaggedExample(["EU", "rejects"])
    ]


SQUAD = {
    "version": "1.1",
    "data": [
        {
            "title": "t",
            "paragraphs": [
                {
                    "context": " Ada wrote it. Ada!",
                    "qas": [
                        {
                            "id": "a",
                            "question": "Who?",
                            "answers": [
                                {"text": "Ada", "answer_start": 15},
                                {"text": "Ada", "answer_start": 1},
                            ],
                        }
                    ],
                }
            ],
        }
    ],
}


def test_questions_in_every_form(write):
    wanted = [QuestionExample("Who?", " Ada wrote it. Ada!", ["Ada", "Ada"], [15, 1])]
    flat = {"question": "Who?", "context": " Ada wrote it. Ada!"}
    assert read_examples("questions", write(json.dumps(SQUAD, indent=1), "a.json")) == wanted
    assert read_examples("questions", write(json.dumps(SQUAD), "a.json.gz")) == wanted
    assert (
        read_examples(
            "questions",
            write(
                lines(flat | {"answers": {"text": ["Ada", "Ada"], "answer_start": [15, 1]}}),
                "a.jsonl",
            ),
        )
        == wanted
    )
    assert (
        read_examples(
            "questions",
            write(
                lines(
                    flat
                    | {
                        "answers": [
                            {"text": "Ada", "answer_start": 15},
                            {"text": "Ada", "answer_start": 1},
                        ]
                    }
                ),
                "a.jsonl",
            ),
        )
        == wanted
    )
    assert (
        read_examples(
            "questions",
            write(lines(flat | {"answer": ["Ada", "Ada"], "answer_start": [15, 1]}), "a.jsonl"),
        )
        == wanted
    )
    one = [QuestionExample("Who?", " Ada wrote it. Ada!", ["Ada"], [15])]
    assert (
        read_examples(
            "questions",
            write('question,context,answer,answer_start\nWho?," Ada wrote it. Ada!",Ada,15\n'),
        )
        == one
    )
    assert read_examples(
        "questions", write("q,p\nWho?,It was Ada.\n"), question="q", context="p", labelled=False
    ) == [QuestionExample("Who?", "It was Ada.")]


def test_choices_in_every_form(write):
    wanted = [ChoiceExample("It is", ["cold", "warm", "one"], 1)]
    ends = {"ending0": "cold", "ending1": "warm", "ending2": "one"}
    for right in (1, "1", "B", "ending1", "warm"):
        assert (
            read_examples(
                "choice", write(lines({"ctx": "It is", **ends, "label": right}), "a.jsonl")
            )
            == wanted
        ), right
    assert (
        read_examples(
            "choice",
            write(
                lines(
                    {
                        "question": "It is",
                        "choices": {"text": list(ends.values()), "label": ["A", "B", "C"]},
                        "answerKey": "B",
                    }
                ),
                "a.jsonl",
            ),
        )
        == wanted
    )
    assert (
        read_examples(
            "choice",
            write(
                lines(
                    {
                        "question": "It is",
                        "choices": {"text": list(ends.values()), "label": ["1", "2", "3"]},
                        "answerKey": "2",
                    }
                ),
                "a.jsonl",
            ),
        )
        == wanted
    )
    assert (
        read_examples(
            "choice",
            write(
                lines({"text": "It is", "endings": list(ends.values()), "label": "1"}), "a.jsonl"
            ),
        )
        == wanted
    )
    for choices, right, number in (
        ({"text": ["x", "y", "z"], "label": [1, 2, 3]}, 1, 0),  # the names are numbers
        (["1", "2", "3"], 1, 1),  # a JSON number counts from 0, whatever the choices are
        (["1", "2", "3"], 3, 2),  # unless there is no such number
        (["1", "2", "3"], "1", 0),
    ):
        rows = lines({"text": "It is", "choices": choices, "label": right})
        (found,) = read_examples("choice", write(rows, "a.jsonl"))
        assert found.label == number, (choices, right)
    path = write("stem,b,a,c,right\nIt is,warm,cold,one,b\n")
    assert (
        read_examples("choice", path, text="stem", choices=("a", "b", "c"), label="right") == wanted
    )
    assert read_examples("choice", path, text="stem", choices=("a", "b", "c"), labelled=False) == [
        ChoiceExample("It is", ["cold", "warm", "one"])
    ]


@pytest.mark.parametrize("name", ["ending{}", "Choice_{:02}", "option {}"])
def test_numbered_choices_are_in_the_order_of_their_numbers(name, write):
    ends = {name.format(number): f"end {number}" for number in (10, 2, 11, 1, *range(3, 10), 0)}
    path = write(lines({"text": "It is", **ends, "label": 10}), "a.jsonl")
    found = read_examples("choice", path)
    assert found == [ChoiceExample("It is", [f"end {number}" for number in range(12)], 10)]


def test_words_and_tags_as_lists_or_texts(write):
    wanted = [TaggedExample(["Ada", "left"], ["B-p", "O"])]
    assert (
        read_examples(
            "tagging",
            write(
                lines(
                    {"tokens": ["Ada", "left"], "ner_tags": ["B-p", "O"], "pos_tags": ["N", "V"]}
                ),
                "a.jsonl",
            ),
        )
        == wanted
    )
    assert read_examples("tagging", write("words,tags\nAda  left,B-p O\n")) == wanted
    assert read_examples("tagging", write("words,tags\nAda left,N V\n"))[0].tags == ["N", "V"]


# -- columns -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "columns", "found"),
    [
        ("classification", "idx sentence label", {"text": "sentence", "label": "label"}),
        ("classification", "Text Category", {"text": "Text", "label": "Category"}),
        (
            "classification",
            "premise hypothesis label",
            {"text": "premise", "pair": "hypothesis", "label": "label"},
        ),
        (
            "classification",
            "question sentence label",
            {"text": "question", "pair": "sentence", "label": "label"},
        ),
        (
            "regression",
            "sentence1 sentence2 score",
            {"text": "sentence1", "pair": "sentence2", "label": "score"},
        ),
        ("regression", "text rating", {"text": "text", "label": "rating"}),
        (
            "similarity",
            "sentence_A sentence_B relatedness_score",
            {"text": "sentence_A", "pair": "sentence_B", "label": "relatedness_score"},
        ),
        (
            "tagging",
            "id tokens pos_tags chunk_tags ner_tags",
            {"words": "tokens", "tags": "ner_tags"},
        ),
        (
            "questions",
            "id title context question answers",
            {"question": "question", "context": "context", "answer": "answers"},
        ),
        (
            "questions",
            "passage question answer answer_start",
            {
                "question": "question",
                "context": "passage",
                "answer": "answer",
                "answer_start": "answer_start",
            },
        ),
        (
            "choice",
            "startphrase ending0 ending1 ending2 ending3 label",
            {
                "text": "startphrase",
                "choices": ("ending0", "ending1", "ending2", "ending3"),
                "label": "label",
            },
        ),
        (
            "choice",
            "question choices answerKey",
            {"text": "question", "choices": ("choices",), "label": "answerKey"},
        ),
        (
            "choice",
            "premise choice1 choice2 label",
            {"text": "premise", "choices": ("choice1", "choice2"), "label": "label"},
        ),
        (
            "choice",
            "text option_a option_b answer",
            {"text": "text", "choices": ("option_a", "option_b"), "label": "answer"},
        ),
    ],
)
def test_usual_names_are_found(task, columns, found, write):
    table = read_table(
        write(columns.replace(" ", ",") + "\n" + ",".join("x" for _ in columns.split()))
    )
    assert find_columns(task, table, {}) == found


@pytest.mark.parametrize(
    ("task", "columns", "given", "complaint"),
    [
        (
            "classification",
            "text sentence label",
            {},
            "several columns could be meant for --text: text, sentence. Say which; there are 'text', 'sentence', 'label'",
        ),
        (
            "classification",
            "text label category",
            {},
            "several columns could be meant for --label: label, category",
        ),
        (
            "classification",
            "a b",
            {},
            "no column has a usual name for --text. Say which one it is; there are 'a', 'b'. If the file has no line with the names of its columns",
        ),
        (
            "classification",
            "sentence1 sentence2 premise hypothesis label",
            {},
            "--text: sentence1 + sentence2, premise + hypothesis",
        ),
        (
            "classification",
            "text label",
            {"label": "lable"},
            "has no column 'lable' (--label); it has 'text', 'label'; did you mean 'label'?",
        ),
        (
            "classification",
            "text label",
            {"words": "text"},
            "--words means nothing for classification, which reads --text, --pair, --label",
        ),
        (
            "classification",
            "Text text label",
            {},
            "several columns could be meant for --text: Text, text. Say which",
        ),
        (
            "classification",
            "text label LABEL",
            {},
            "several columns could be meant for --label: label, LABEL. Say which",
        ),
        (
            "classification",
            "premise hypothesis Hypothesis label",
            {},
            "for --text: premise + hypothesis, premise + Hypothesis. Say which",
        ),
        (
            "choice",
            "text ending0 ending1 Ending1 label",
            {},
            "for --choices: ending0 + ending1, ending0 + Ending1. Say which",
        ),
        (
            "classification",
            "text label",
            {"text": "text", "label": "text"},
            "the column 'text' is named twice, for --text and for --label",
        ),
        (
            "choice",
            "text a b label",
            {"choices": ("a", "b", "a")},
            "the column 'a' is named twice, for --choices and for --choices",
        ),
        (
            "classification",
            "text label",
            {"label": "text"},
            "no column has a usual name for --text",
        ),
        ("similarity", "text label", {}, "expected two texts to compare"),
        ("tagging", "text label", {}, "no column has a usual name for --words"),
        (
            "tagging",
            "tokens tags ner_tags",
            {},
            "several columns could be meant for --tags: tags, ner_tags",
        ),
        ("questions", "question context", {}, "no column has a usual name for --answer."),
        ("choice", "text label", {}, "no column has a usual name for --choices"),
        (
            "choice",
            "text choices endings label",
            {},
            "several columns could be meant for --choices: choices, endings",
        ),
        ("choice", "text a b label", {"choices": ("a", "c")}, "has no column 'c' (--choices)"),
    ],
)
def test_usual_names_that_are_not_unique_list_the_columns(task, columns, given, complaint, write):
    table = read_table(
        write(columns.replace(" ", ",") + "\n" + ",".join("x" for _ in columns.split()))
    )
    with pytest.raises(ValueError) as error:
        find_columns(task, table, given)
    assert complaint in str(error.value) and str(error.value).startswith((table.name, "--words"))


@pytest.mark.parametrize(
    "task, given",
    [
        ("classification", {"text": ["text"]}),
        ("classification", {"text": ("text",)}),
        ("classification", {"label": ["label"]}),
        ("classification", {"pair": []}),
        ("regression", {"label": 1}),
        ("tagging", {"words": ["text"]}),
        ("questions", {"answer_start": ["label"]}),
        ("choice", {"text": ["text"]}),
        ("choice", {"choices": ["text", 3]}),
        ("choice", {"choices": [["text"]]}),
        ("choice", {"choices": ()}),
        ("choice", {"choices": {"text"}}),
    ],
)
def test_a_column_is_named_by_a_text(task, given, write):
    """Only the choices may be in several columns."""
    ((role, names),) = given.items()
    with pytest.raises(InputError) as error:
        read_examples(task, write("text,label\nGood.,1\n"), **given)
    lists = ", or a list of such names" if role == "choices" else ""
    said = (
        f"--{role.replace('_', '-')}: expected the name of a column, a text{lists}, not {names!r}"
    )
    assert str(error.value) == said


def test_of_many_columns_twenty_are_listed(write):
    names = [f"c{number}" for number in range(21)]
    for count, end in ((20, "'c19'. If"), (21, "'c19', …. If")):
        table = read_table(write(",".join(names[:count]) + "\n" + ",".join("x" * count)))
        with pytest.raises(ValueError) as error:
            find_columns("classification", table, {})
        assert end in str(error.value)


def test_a_wide_table_takes_no_longer_than_its_columns(write):
    """Every name was compared with every other: 100,000 columns took minutes."""
    names = [f"c{number}" for number in range(100_000)]
    with pytest.raises(ValueError, match="expected 100000 fields .*'c19', …., found 1: "):
        read_table(write(",".join(names) + "\nx\n"))
    with pytest.raises(ValueError, match="two columns are named 'c7', among 'c0'.*'c19', …. If"):
        read_table(write(",".join([*names, "c7"]) + "\nx\n"))


def test_a_file_without_a_line_of_names(write):
    path = write("good\tpos\nbad\tneg\n", "a.tsv")
    with pytest.raises(ValueError, match="--header text,label"):
        read_examples("classification", path)
    assert read_examples("classification", path, header=["text", "label"]) == [
        TextExample("good", None, "pos"),
        TextExample("bad", None, "neg"),
    ]


def test_what_a_label_may_be(write):
    found = read_examples(
        "classification",
        write(
            lines(*({"text": "x", "label": label} for label in (0, 1.0, True, "a", " b "))),
            "a.jsonl",
        ),
    )
    assert [example.label for example in found] == ["0", "1", "true", "a", "b"]
    numbers = read_examples(
        "regression",
        write(lines(*({"text": "x", "label": label} for label in (0, 1.5, "-2e1"))), "a.jsonl"),
    )
    assert [example.label for example in numbers] == [0.0, 1.5, -20.0]


# -- faults ------------------------------------------------------------------------------------------------------------

FLAT = {"question": "Who?", "context": "Ada and Ada"}
FAULTS = {
    "no file": ("classification", "missing.csv", None, "there is no file"),
    "a folder": (
        "classification",
        "folder.csv",
        "folder",
        "is a folder; expected a file with rows",
    ),
    "empty": ("classification", "a.csv", "", "a.csv has no rows$"),
    "a header alone": (
        "classification",
        "a.csv",
        "text,label\n",
        "has no rows below the line that names its columns",
    ),
    "empty JSON": ("classification", "a.jsonl", "\n", "a.jsonl has no rows"),
    "an unknown suffix": (
        "classification",
        "a.data",
        "x",
        "cannot tell the format of .*--format, one of csv, tsv, json, conll, label-text",
    ),
    "cp1252": (
        "classification",
        "a.csv",
        "text,label\nx,a\ncafé,b\n".encode("cp1252"),
        "a.csv, line 3: not UTF-8 text .a byte is 0xe9.; name its encoding with --encoding",
    ),
    "UTF-16 without its mark": (
        "classification",
        "a.csv",
        "text".encode("utf-16-le"),
        "line 1: holds a zero byte.*--encoding utf-16-le",
    ),
    "a spreadsheet": ("classification", "a.csv", b"PK\x03\x04rest", "is a ZIP archive"),
    "no gzip": ("classification", "b.csv.gz", "raw", "the compressed file is damaged"),
    "too many fields": (
        "classification",
        "a.tsv",
        "text\tlabel\nx\ta\ny\tb\tc\n",
        r"a.tsv, line 3: expected 2 fields \('text', 'label'\), found 3: \['y', 'b', 'c'\]",
    ),
    "too few fields": (
        "classification",
        "a.csv",
        "text,label\nx\n",
        "a.csv, line 2: expected 2 fields",
    ),
    "doubled names": (
        "classification",
        "a.csv",
        "text,text\nx,y\n",
        "two columns are named 'text'",
    ),
    "a quote not closed": (
        "classification",
        "a.csv",
        'text,label\nx,a\n"y,b\nz,c\n',
        "in what begins on line 3: unexpected end of data",
    ),
    "letters after a quote": (
        "classification",
        "a.csv",
        'text,label\n"x"y,a\n',
        "in what begins on line 2",
    ),
    "an empty text": (
        "classification",
        "a.csv",
        'text,label\nx,a\n" ",b\n',
        "a.csv, line 3: 'text' is empty",
    ),
    "an empty pair": (
        "classification",
        "a.csv",
        "sentence1,sentence2,label\nx,,a\n",
        "a.csv, line 2: 'sentence2' is empty",
    ),
    "an empty label": (
        "classification",
        "a.csv",
        "text,label\nx,\n",
        "a.csv, line 2: has no label: 'label' is ''",
    ),
    "a list of labels": (
        "classification",
        "a.jsonl",
        lines({"text": "x", "label": ["a"]}),
        "line 1: 'label' is .*one for each row",
    ),
    "a fraction as a class": (
        "classification",
        "a.jsonl",
        lines({"text": "x", "label": 2.5}),
        "'label' is 2.5.*regression",
    ),
    "the wrong column": (
        "classification",
        "a.csv",
        "text,label\n" + "".join(f"x,{n}\n" for n in range(30)),
        "30 different labels in 30 rows.*--label",
    ),
    "a text that is a number": (
        "classification",
        "a.jsonl",
        lines({"text": 5, "label": "a"}),
        "line 1: 'text' must be a text, not 5",
    ),
    "a key missing": (
        "classification",
        "a.jsonl",
        lines({"text": "x", "label": "a"}, {"text": "y"}),
        "line 2: has no 'label'; it has 'text'",
    ),
    "no JSON": (
        "classification",
        "a.jsonl",
        '{"text": "x", "label": "a"}\n{"text": \n',
        "a.jsonl, line 2: not JSON",
    ),
    "no JSON over lines": (
        "classification",
        "a.json",
        '[\n{"text": "x"},\n{]',
        "a.json, line 3: not JSON",
    ),
    "a key twice": (
        "classification",
        "a.jsonl",
        '{"text": "x", "label": "a"}\n{"text": "y", "text": "z", "label": "b"}\n',
        "a.jsonl, line 2: not JSON .the key 'text' stands twice",
    ),
    "half a character in the first line": (
        "classification",
        "a.jsonl",
        '{"text": "\\ud800", "label": "a"}\n{"text": "y", "label": "b"}\n',
        "a.jsonl, line 1: not JSON .half of a surrogate pair",
    ),
    "no file of a known format": ("classification", "a.rows", None, "there is no file .*a.rows"),
    "no object": ("classification", "a.jsonl", "5\n", "line 1: expected an object such as"),
    "no label in front": ("classification", "a.txt", "pos good\nbad\n", "cannot tell the format"),
    "a number that no float holds": (
        "regression",
        "a.jsonl",
        '{"text": "x", "label": 1}\n{"text": "y", "label": 1%s}\n' % ("0" * 400),
        "a.jsonl, line 2: 'label' must be a number, such as 3.5, not 1000",
    ),
    "no number": (
        "regression",
        "a.csv",
        "text,label\nx,1\ny,high\n",
        "a.csv, line 3: 'label' must be a number, such as 3.5, not 'high'",
    ),
    "a number as Python writes it": (
        "regression",
        "a.csv",
        "text,label\nx,1_000\n",
        "a.csv, line 2: 'label' must be a number, such as 3.5, not '1_000'",
    ),
    "not a finite number": (
        "regression",
        "a.csv",
        "text,label\nx,nan\n",
        "must be a number, such as 3.5, not 'nan'",
    ),
    "a decimal comma": (
        "regression",
        "a.tsv",
        "text\tlabel\nx\t3,5\n",
        "a.tsv, line 2: .*must be a number",
    ),
    "ragged": (
        "tagging",
        "a.jsonl",
        lines({"tokens": ["a", "b"], "tags": ["O"]}),
        "line 1: 2 words but 1 tags",
    ),
    "an empty word": (
        "tagging",
        "a.jsonl",
        lines({"tokens": ["a", " "], "tags": ["O", "O"]}),
        "line 1: word 2 of 'tokens' must be a text that is not empty",
    ),
    "no words": (
        "tagging",
        "a.jsonl",
        lines({"tokens": [], "tags": []}),
        "line 1: 'tokens' must be a list of at least one word",
    ),
    "a tag missing": (
        "tagging",
        "a.jsonl",
        lines({"tokens": ["a"], "tags": [None]}),
        "line 1: the tag of word 1, 'a', is None",
    ),
    "not IOB": (
        "tagging",
        "a.conll",
        "a O\n\nb B-x\nc S-x\n",
        "a.conll, line 3: the tag of word 2, 'c', is 'S-x'; with tags such as B-person and I-person, every other tag must be O",
    ),
    "a tag without its type": (
        "tagging",
        "a.conll",
        "a O\n\nb B-x\nc B-\n",
        "a.conll, line 3: the tag of word 2, 'c', is 'B-'; with tags such as B-person",
    ),
    "a row of nothing": (
        "classification",
        "a.jsonl",
        lines({"text": "a", "label": 1}, {}),
        "line 2: has no 'text'; it has nothing",
    ),
    "rows of nothing": ("classification", "a.jsonl", "{}", "there are no columns"),
    "a start that is no number": (
        "questions",
        "a.jsonl",
        lines(
            {
                "question": "who",
                "context": "so so so so Ada",
                "answer": "Ada",
                "answer_start": "1_2",
            }
        ),
        "the position of an answer must be a whole number",
    ),
    "a word without a tag": (
        "tagging",
        "a.conll",
        "a O\nb\n",
        "a.conll, line 2: expected 2 fields",
    ),
    "a comment inside a sentence": (
        "tagging",
        "a.conll",
        "a O\n# id = 5\nb O\n",
        "a.conll, line 2: expected 2 fields",
    ),
    "an answer elsewhere": (
        "questions",
        "a.jsonl",
        lines(FLAT | {"answers": {"text": ["Bob"], "answer_start": [0]}}),
        "line 1: the answer 'Bob' is not in its passage. --skip-bad-answers",
    ),
    "an answer at two places": (
        "questions",
        "a.jsonl",
        lines(FLAT | {"answers": {"text": ["Ada"], "answer_start": [3]}}),
        "not at character 3 .*2 times elsewhere",
    ),
    "a place that is none": (
        "questions",
        "a.csv",
        "question,context,answer,answer_start\nWho?,Ada,Ada,here\n",
        "line 2: the position of an answer must be a whole number",
    ),
    "a place between two characters": (
        "questions",
        "a.jsonl",
        lines(FLAT | {"answers": {"text": ["Ada"], "answer_start": [15.9]}}),
        "line 1: the position of an answer must be a whole number.*not 15.9",
    ),
    "a place that is a truth value": (
        "questions",
        "a.jsonl",
        lines(FLAT | {"answers": {"text": ["Ada"], "answer_start": [True]}}),
        "line 1: the position of an answer must be a whole number.*not True",
    ),
    "a place without an end": (
        "questions",
        "a.jsonl",
        lines(FLAT | {"answers": {"text": ["Ada"], "answer_start": [float("inf")]}}),
        "line 1: the position of an answer must be a whole number",
    ),
    "places missing": (
        "questions",
        "a.jsonl",
        lines(FLAT | {"answers": {"text": ["Ada", "Ada"], "answer_start": [0]}}),
        "a position for each",
    ),
    "no answer at all": (
        "questions",
        "a.jsonl",
        lines(FLAT | {"answers": {"text": [], "answer_start": []}}),
        "has no row that can be used .1 questions have no answer, left out",
    ),
    "a broken SQuAD": (
        "questions",
        "a.json",
        json.dumps({"data": [{"paragraphs": [{"context": "x"}]}]}),
        'article 1, paragraph 1: expected an object with "qas"',
    ),
    "a choice that is none": (
        "choice",
        "a.csv",
        "text,choice1,choice2,label\nx,a,b,2\n",
        "line 2: the label must be the number of a choice, 0 to 1",
    ),
    "a label that is a number and a text": (
        "choice",
        "a.csv",
        "text,choice1,choice2,label\nx,5,7,0\ny,7,0,0\n",
        "line 3: the label '0' may mean the choices 0 and 1, by their texts or their numbers",
    ),
    "a label that is two texts": (
        "choice",
        "a.csv",
        "text,choice1,choice2,label\nx,same,same,same\n",
        "line 2: the label 'same' may mean the choices 0 and 1",
    ),
    "one choice": (
        "choice",
        "a.jsonl",
        lines({"text": "x", "choices": ["a"], "label": 0}),
        "line 1: 'choices' must be a list of at least two texts",
    ),
}


def test_one_row_with_a_column_named_data_is_no_squad(write):
    row = {"text": "x", "label": "a", "data": [1, 2]}
    found = read_examples("classification", write(lines(row), "a.jsonl"))
    assert [(example.text, example.label) for example in found] == [("x", "a")]


@pytest.mark.parametrize(
    ("task", "name", "content", "complaint"), list(FAULTS.values()), ids=list(FAULTS)
)
def test_errors_name_file_and_line(task, name, content, complaint, write, tmp_path):
    if content == "folder":
        (tmp_path / name).mkdir()
    elif content is not None:
        write(content, name) if name != "b.csv.gz" else (tmp_path / name).write_bytes(
            content.encode()
        )
    with pytest.raises(ValueError, match=complaint) as error:
        read_examples(task, tmp_path / name)
    assert name in str(error.value)


def test_options_that_cannot_be(write):
    path = write("text,label\nx,a\n")
    with pytest.raises(
        ValueError, match="format must be one of csv, tsv, json, conll, label-text, not 'xlsx'"
    ):
        read_examples("classification", path, format="xlsx")
    for encoding in ("klingon", 5):
        with pytest.raises(ValueError, match=f"Python knows no text encoding {encoding!r}"):
            read_examples("classification", path, encoding=encoding)
    half = write("text,label\nx,+3/8-\n")  # UTF-7 for U+DFFF
    with pytest.raises(ValueError, match="a.csv cannot be read as utf-7: .*surrogates not allowed"):
        read_examples("classification", half, encoding="utf-7")
    with pytest.raises(ValueError, match="--header names the columns of CSV and TSV files"):
        read_examples("classification", write("{}", "a.jsonl"), header=["text"])
    with pytest.raises(ValueError, match="task must be one of classification, .*not 'classify'"):
        read_examples("classify", path)


def test_unknown_labels_name_the_known_ones(write):
    table = read_table(write("text,label\nx,a\ny,c\n", "dev.csv"))
    with pytest.raises(
        ValueError, match="dev.csv, line 3: 'c' is not among the labels of the training rows: a, b"
    ):
        make_examples(
            "classification", table, {"text": "text", "label": "label"}, labels=["a", "b"]
        )
    table = read_table(write("x O\ny B-q\n", "dev.conll"))
    with pytest.raises(ValueError, match="dev.conll, line 1: 'B-q' is not among"):
        make_examples("tagging", table, {"words": "words", "tags": "tags"}, labels=["O", "B-p"])


def test_positions_are_corrected_where_the_answer_occurs_once(write):
    context = "In 1999 Ada met Bob. Bob left."
    rows = [
        {"question": "q", "context": context, "answer": answer, "answer_start": start}
        for answer, start in (
            ("Ada", 8),
            ("Ada", 9),
            ("Ada", -1),
            ("Bob", None),
            ("Bob", 20),
            ("Eve", 3),
            ("", None),
        )
    ]
    table = read_table(write(lines(*rows), "a.jsonl"))
    columns = find_columns("questions", table, {})
    with pytest.raises(ValueError, match="line 5: the answer 'Bob'"):
        make_examples("questions", table, columns)
    examples, notes = make_examples("questions", table, columns, skip=True)
    assert [(example.answers[0], example.starts[0]) for example in examples] == [
        ("Ada", 8),
        ("Ada", 8),
        ("Ada", 8),
        ("Bob", 16),
    ]
    assert notes == [
        "2 answers were not at the given position, but in their passage once: the position is corrected",
        "1 answers without answer_start occur in their passage more than once: the first occurrence is taken",
        "2 left out: the answer is not in the passage",
        "1 questions have no answer, left out",
    ]


# -- sets on the hub ---------------------------------------------------------------------------------------------------


class Stream(list):
    """What `load_dataset(..., streaming=True)` gives, as far as it is used."""

    def __init__(self, rows, features=None):
        super().__init__(rows)
        self.features = features


def stand_in(monkeypatch, stream, asked):
    def open_hub_set(what, path, split, instead, **options):
        asked.append((path, split, options))
        return stream

    monkeypatch.setattr(tables, "open_hub_set", open_hub_set)


def test_a_set_with_named_classes(monkeypatch):
    import datasets

    features = datasets.Features(
        {
            "sentence": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["negative", "positive"]),
        }
    )
    asked = []
    stand_in(
        monkeypatch,
        Stream([{"sentence": "a", "label": 1}, {"sentence": "b", "label": 0}], features),
        asked,
    )
    assert read_examples("classification", "nyu-mll/glue:sst2", "validation") == [
        TextExample("a", None, "positive"),
        TextExample("b", None, "negative"),
    ]
    read_examples("classification", "nyu-mll/glue:mnli:validation_matched", "validation")
    read_examples("classification", "dair-ai/emotion")
    assert asked == [
        ("nyu-mll/glue", "validation", {"name": "sst2"}),
        ("nyu-mll/glue", "validation_matched", {"name": "mnli"}),
        ("dair-ai/emotion", "train", {"name": None}),
    ]
    stand_in(monkeypatch, Stream([{"sentence": "a", "label": -1}], features), asked)
    with pytest.raises(
        ValueError, match="the dataset 'nyu-mll/glue:sst2', test, row 1: has no label"
    ):
        read_examples("classification", "nyu-mll/glue:sst2", "test")


@pytest.mark.parametrize("kind", ["sequence", "list"])
def test_a_set_with_named_tags(kind, monkeypatch):
    import datasets

    names = datasets.ClassLabel(names=["O", "B-PER"])
    tags = datasets.Sequence(names) if kind == "sequence" else [names]
    stand_in(
        monkeypatch,
        Stream(
            [{"tokens": ["a", "b"], "ner_tags": [0, 1]}],
            {"tokens": datasets.Sequence(datasets.Value("string")), "ner_tags": tags},
        ),
        [],
    )
    assert read_examples("tagging", "eriktks/conll2003") == [
        TaggedExample(["a", "b"], ["O", "B-PER"])
    ]


def test_a_real_stream_of_the_library(monkeypatch):
    """Not a stand-in of ours: a streamed set that `datasets` made."""
    import datasets

    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["neg", "pos"])}
    )
    made = datasets.Dataset.from_dict(
        {"text": ["a", "b"], "label": [1, 0]}, features=features
    ).to_iterable_dataset()
    stand_in(monkeypatch, made, [])
    assert [example.label for example in read_examples("classification", "some/set")] == [
        "pos",
        "neg",
    ]


def test_without_the_package_and_without_a_network(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(
        InputError,
        match="the dataset 'nyu-mll/glue:sst2', train needs the package datasets: pip install datasets .or give a file",
    ):
        read_examples("classification", "nyu-mll/glue:sst2")
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(HfApi=None))
    with pytest.raises(
        InputError, match="cannot read the dataset 'nyu-mll/glue:sst2', train .*check the network"
    ):
        read_examples("classification", "nyu-mll/glue:sst2")


def test_a_network_that_fails_on_the_way(monkeypatch):
    class Failing(Stream):
        def __iter__(self):
            yield {"text": "a", "label": "b"}
            raise ConnectionError("gone")

    stand_in(monkeypatch, Failing([]), [])
    with pytest.raises(
        ValueError,
        match="cannot read the dataset 'some/set', train, after row 1: ConnectionError: gone",
    ):
        read_examples("classification", "some/set")


def test_a_missing_file_is_not_looked_for_on_the_hub(monkeypatch):
    monkeypatch.setattr(tables, "open_hub_set", lambda *_, **__: pytest.fail("asked the hub"))
    for name in ("data/train.csv", "data/train.tsv.gz", "train", "../owner/name"):
        with pytest.raises(ValueError, match="there is no file|cannot tell the format"):
            read_examples("classification", name)


# -- splits ------------------------------------------------------------------------------------------------------------


def test_a_tenth_is_held_out():
    examples = [TextExample(f"text {n}", None, "a") for n in range(100)]
    train, dev = hold_out(examples, seed=0)
    assert len(dev) == 10 and sorted([*train, *dev], key=examples.index) == examples
    assert hold_out(examples, 0) == (train, dev) and hold_out(examples, 1) != (train, dev)
    assert len(hold_out(examples[:2], 0)[1]) == 1
    with pytest.raises(
        ValueError, match="all rows have the same text; give rows to evaluate on with --dev"
    ):
        hold_out([examples[0]] * 5, 0)
    with pytest.raises(ValueError, match="nothing to hold out: there is only one row"):
        hold_out(examples[:1], 0)


def test_what_belongs_together_stays_on_one_side():
    asked = [QuestionExample(f"q{n}", f"passage {n // 5}") for n in range(100)]
    train, dev = hold_out(asked, 3)
    assert len(dev) == 10 and not {example.context for example in train} & {
        example.context for example in dev
    }
    twice = [TextExample(f"text {n // 2}", None, str(n)) for n in range(60)]
    train, dev = hold_out(twice, 3)
    assert len(dev) == 6 and not {example.text for example in train} & {
        example.text for example in dev
    }


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("equal", "others"), [(40, 1), (20, 20), (30, 10)])
def test_a_text_of_most_rows_is_trained_on(equal, others, seed):
    examples = [TextExample("the same", None, str(n % 2)) for n in range(equal)]
    examples += [TextExample(f"other {n}", None, "0") for n in range(others)]
    train, dev = hold_out(examples, seed)
    assert dev and len(train) >= len(examples) / 2


def test_draw():
    assert draw(range(10), 99, 0) == list(range(10))
    assert len(draw(range(10), 4, 0)) == 4 and draw(range(10), 4, 0) == sorted(
        draw(range(10), 4, 0)
    )
    assert draw(range(100), 4, 0) != draw(range(100), 4, 1)


# -- real files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "name", "options", "count"),
    [
        ("classification", "sst2/dev.tsv.gz", {"header": ["sentence", "label"]}, 872),
        (
            "classification",
            "trec/TREC.test.gz",
            {"format": "label-text", "encoding": "latin-1"},
            500,
        ),
        ("classification", "ko/klue/klue-nli-v1.1_dev.json.gz", {}, 3000),
        (
            "similarity",
            "stsb_en/stsb-en-test.csv.gz",
            {"header": ["sentence1", "sentence2", "score"]},
            1379,
        ),
        ("tagging", "wnut17/emerging.test.annotated.gz", {}, 1287),
        ("questions", "xquad_en/xquad.en.json.gz", {}, 1190),
    ],
)
def test_real_files(task, name, options, count, needs_shared_data):
    assert len(read_examples(task, needs_shared_data / name, **options)) == count


def test_a_space_behind_the_comma(write):
    """Such a file has it in its names too, or in its first row; there a quote behind it quotes."""
    for names in ("text, label", "\ntext, label", "text,label"):
        path = write(f'{names}\n"good, really", "pos"\nbad film, neg\n')
        found = list(read_examples("classification", path))
        assert [(each.text, each.label) for each in found] == [
            ("good, really", "pos"),
            ("bad film", "neg"),
        ]
    path = write('text,label\nbad film,neg\n"x"" y", "pos"\n')
    found = list(read_examples("classification", path))
    assert found[1].label == '"pos"', "only here, so it may be meant"


def test_a_new_document_of_conll_u_is_no_word(write):
    path = write("# newdoc\n# newpar id = 3\nBob B-PER\nran O\n\n# O\n", name="a.conll")
    found = list(read_examples("tagging", path))
    assert [each.words for each in found] == [["Bob", "ran"], ["#"]]


def test_a_list_that_was_printed_as_text_is_refused(write):
    """As pandas writes one into a CSV file: its brackets would become words, and its quotes tags."""
    path = write("words,tags\n\"['a', 'b']\",\"['O', 'B-x']\"\n")
    with pytest.raises(InputError, match="'words' is a list that was printed as text"):
        list(read_examples("tagging", path))
    for tags in ("[0, 2]", "[0 2]", "[ 0  12]"):
        path = write(f'words,tags\na b,"{tags}"\n')
        with pytest.raises(InputError, match="'tags' is a list that was printed as text"):
            list(read_examples("tagging", path))
    path = write("words,tags\n[ 'a' ] b,O O O O\n[ 1 ],0 1 0\n")
    assert len(list(read_examples("tagging", path))) == 2
