"""`minibert summarize`: what it prints, that it says what it read, and one line for everything that
it cannot read."""

import io
import json
import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from minibert import (
    BertConfig,
    BertModel,
    WordPieceTokenizer,
    from_pretrained,
    save_pretrained,
)
from minibert.cli import main as cli
from minibert.cli import marked_text
from minibert.cli import summarize as command
from minibert.hub.find_pretrained import MINILM
from minibert.summarization import BertSumExt, score_document, select_sentences
from minibert.summarization.documents import reading
from minibert.summarization.documents.reading import read_file, read_text
from tools.environment import ROOT

DOCUMENTS = ROOT / "tests" / "support" / "documents"
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,:\"'!?-()"
TOKENS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    *LETTERS,
    *(f"##{letter}" for letter in LETTERS),
]
WINDOW = 192  # tokens, here letters


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A saved BertSumExt of random weights that reads letters."""
    torch.manual_seed(0)
    bert = BertModel(
        BertConfig(
            vocab_size=len(TOKENS),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=WINDOW,
        )
    )
    model = BertSumExt(bert, "classifier", "mean")
    torch.nn.init.normal_(model.head.scorer.weight, std=3.0)  # scores that differ
    path = tmp_path_factory.mktemp("summarizer")
    save_pretrained(model.eval(), path, tokenizer())
    return path


def tokenizer():
    return WordPieceTokenizer({token: n for n, token in enumerate(TOKENS)})


@pytest.fixture
def run(capsys, folder):
    """Run `minibert summarize` with these arguments, and the saved model unless they name one; exit
    status, stdout, stderr."""

    def run(*argv):
        model = [] if "--model" in argv else ["--model", str(folder)]
        return cli.main(
            ["summarize", *(str(argument) for argument in argv), *model]
        ), *capsys.readouterr()

    return run


@pytest.fixture
def write(tmp_path):
    def write(text, name="a.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def expected(path, folder, k=3, **options):
    """Scores and choice, from the library."""
    texts = [sentence.text for sentence in read_file(path).sentences]
    model = from_pretrained(folder)
    scores = score_document(model, tokenizer(), texts, **options)
    return texts, scores, select_sentences(scores.scores, texts, k)


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("name", ["ferry.txt", "ferry.md", "ferry.html"])
def test_a_summary_is_what_the_library_chooses(name, k, run, folder):
    texts, scores, chosen = expected(DOCUMENTS / name, folder, k)
    assert scores.windows > 1 and len(set(scores.scores)) == len(texts)
    status, out, err = run(DOCUMENTS / name, "--sentences", k)
    assert status == 0 and out.splitlines() == [texts[n] for n in chosen] and len(chosen) == k
    assert (
        err.startswith(
            f"{DOCUMENTS / name} ({read_file(DOCUMENTS / name).format}): 14 sentences, "
            f"{scores.tokens:,} tokens, "
            f"all read in {scores.windows} windows. "
        )
        and "Left out: " in err
        and "headings (" in err
        and err.count("\n") == 1
    )


def test_standard_input_and_several_files(run, write, monkeypatch):
    one, other = write("It rains. It pours."), write("It snows.", "b.txt")
    alone = [run(path, "--sentences", 1)[1] for path in (one, other)]
    status, out, err = run(one, other, "--sentences", 1)
    assert (
        status == 0
        and out == f"==> {one} <==\n{alone[0]}\n==> {other} <==\n{alone[1]}"
        and err.count("\n") == 2
    )
    for argv in ((), ("-",)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(one.read_bytes())))
        status, out, err = run(*argv, "--sentences", 1)
        assert (
            status == 0
            and out == alone[0]
            and err.startswith("standard input (text): 2 sentences, ")
        )


def test_json(run, folder, write):
    path = DOCUMENTS / "ferry.md"
    texts, scores, chosen = expected(path, folder, 2)
    status, out, err = run(path, DOCUMENTS / "ferry.txt", "--json", "--sentences", 2)
    result, other = map(json.loads, out.splitlines())
    assert status == 0 and not err and other["format"] == "text"
    assert [result[key] for key in ("name", "format", "title", "model")] == [
        str(path),
        "markdown",
        "The last ferry",
        str(folder),
    ]
    assert [sentence["text"] for sentence in result["sentences"]] == texts and result[
        "summary"
    ] == [texts[n] for n in chosen]
    assert [sentence["score"] for sentence in result["sentences"]] == pytest.approx(
        scores.scores, abs=6e-5
    )
    assert [n for n, sentence in enumerate(result["sentences"]) if sentence["chosen"]] == chosen
    assert all(
        result["text"][sentence["start"] : sentence["end"]] == sentence["text"]
        for sentence in result["sentences"]
    )
    assert result["read"] == {
        "sentences": 14,
        "sentences_read": 14,
        "tokens": scores.tokens,
        "tokens_read": scores.tokens,
        "windows": scores.windows,
        "sentences_cut": [],
        "left_out": {"front matter": 1, "code blocks": 1, "tables": 1, "headings": 2},
    }
    result = json.loads(run(write("A 비. One!"), "--json", "--no-windows")[1])
    assert result["text"] == "A 비. One!" and result["title"] is None


def test_lead_is_the_first_sentences_without_any_model(run):
    status, out, err = run(
        DOCUMENTS / "ferry.txt", "--lead", "--sentences", 2, "--model", "nowhere"
    )
    assert status == 0 and out.splitlines() == [
        sentence.text for sentence in read_file(DOCUMENTS / "ferry.txt").sentences[:2]
    ]
    assert "14 sentences, none of them read by a model." in err
    result = json.loads(run(DOCUMENTS / "ferry.txt", "--lead", "--json")[1])
    assert [sentence["chosen"] for sentence in result["sentences"]] == [True] * 3 + [False] * 11
    assert {sentence["score"] for sentence in result["sentences"]} == {None} and result[
        "model"
    ] is None


# -- in their context
# --------------------------------------------------------------------------------------------------


class Terminal(io.TextIOWrapper):
    def isatty(self):
        return True


def shown_on_a_terminal(monkeypatch, *argv):
    screen = Terminal(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", screen)
    assert cli.main(["summarize", *argv]) == 0
    return screen.buffer.getvalue().decode()


def test_marks_where_the_output_is_piped(run, folder):
    texts, _, chosen = expected(DOCUMENTS / "ferry.md", folder)
    status, out, _ = run(DOCUMENTS / "ferry.md", "--context")
    text = read_file(DOCUMENTS / "ferry.md").text
    assert status == 0 and out.replace("»", "").replace("«", "") == text + "\n"
    assert [part.partition("«")[0] for part in out.split("»")[1:]] == [
        texts[n] for n in chosen
    ] and "\x1b" not in out


@pytest.mark.parametrize(
    "environment, coloured",
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_on_a_terminal(environment, coloured, folder, monkeypatch):
    for name, value in ({"TERM": "xterm", "COLUMNS": "60"} | environment).items():
        monkeypatch.setenv(name, value)
    if "NO_COLOR" not in environment:
        monkeypatch.delenv("NO_COLOR", raising=False)
    texts, _, chosen = expected(DOCUMENTS / "ferry.txt", folder)
    out = shown_on_a_terminal(
        monkeypatch, str(DOCUMENTS / "ferry.txt"), "--context", "--model", str(folder)
    )
    before, after = marked_text.COLOUR if coloured else marked_text.MARKS
    marked = [part.partition(after)[0] for part in out.split(before)[1:]]
    assert [" ".join(part.split()) for part in marked] == [texts[n] for n in chosen]
    bare = out.replace(before, "").replace(after, "")
    assert (
        max(map(len, bare.splitlines())) <= 60
        and bare.split() == read_file(DOCUMENTS / "ferry.txt").text.split()
    )


def test_a_terminal_that_does_not_know_the_letters(folder, monkeypatch, write):
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    assert cli.main(["summarize", str(write("Café 비.")), "--context", "--model", str(folder)]) == 0
    assert screen.buffer.getvalue() == b"?Caf? ?.?" + os.linesep.encode()
    assert cli.main(["summarize", str(write("Café 비.")), "--json", "--model", str(folder)]) == 0
    assert json.loads(screen.buffer.getvalue().splitlines()[-1])["text"] == "Café 비."


# -- how much was read
# -------------------------------------------------------------------------------------------------


def test_only_the_beginning_is_said(run, folder):
    _, scores, chosen = expected(DOCUMENTS / "ferry.txt", folder, windows=False)
    status, out, err = run(DOCUMENTS / "ferry.txt", "--no-windows")
    assert status == 0 and len(out.splitlines()) == len(chosen) and scores.sentences_read < 5
    assert (
        f"14 sentences, {scores.tokens:,} tokens, of which {scores.sentences_read} and {WINDOW} "
        "were read in 1 window. " in err
    )
    assert (
        f"A window of {WINDOW} tokens has no room for the end of sentence "
        f"{scores.sentences_read}: it was cut off." in err
    )
    assert (
        f"The last {14 - scores.sentences_read} sentences were not read: --no-windows reads the "
        f"first {WINDOW} tokens only." in err
    )
    result = json.loads(run(DOCUMENTS / "ferry.txt", "--no-windows", "--json")[1])
    assert [sentence["score"] is None for sentence in result["sentences"]] == [
        n >= scores.sentences_read for n in range(14)
    ]
    assert result["read"]["tokens_read"] == WINDOW and any(
        "were not read" in note for note in result["notes"]
    )


def test_a_sentence_longer_than_a_window_is_said(run, write):
    status, out, err = run(
        write("It rains. Abc " + "abc " * WINDOW + "end. It pours."), "--sentences", 9
    )
    assert status == 0 and len(out.splitlines()) == 3
    assert (
        f"A window of {WINDOW} tokens has no room for the end of sentence 2: it was cut off." in err
    )
    assert "Chosen: 3, not 9: it has no more." in err


def test_fewer_than_asked_for(run, write):
    path = write("One two three four. Then one two three four. So one two three four five.")
    _, out, err = run(path)
    assert (
        len(out.splitlines()) == 2
        and "Chosen: 2, not 3: the others share three words in a row with these (--no-blocking "
        "allows that)."
        in err
    )
    _, out, err = run(path, "--no-blocking")
    assert len(out.splitlines()) == 3 and "Chosen" not in err
    _, out, err = run(write("One."))
    assert (
        out == "One.\n"
        and "1 sentence, " in err
        and "1 window. Chosen: 1, not 3: it has no more." in err
    )


def test_what_the_model_cannot_judge_is_said(run, write, folder, monkeypatch):
    _, out, err = run(write("비가 온다. 우리는 집에 있다."))
    assert (
        len(out.splitlines()) == 2
        and f"Its scores say little here: {folder} does not know " in err
        and "not Latin" not in err
    )
    assert "say little" not in run(write("Grüße aus Café. It rains."))[2]
    monkeypatch.setattr(command, "SMALL", str(folder))  # as if it were the one that learned English
    _, _, err = run(write("비가 온다. 우리는 집에 있다."))
    assert (
        f"Its scores say little here: {folder} learned English, and 100% of these letters are "
        "not Latin." in err
    )


def test_ten_thousand_sentences(run, write):
    path = write(
        "".join(f"Now it is {n} o'clock.{' ' if n % 7 else chr(10) * 2}" for n in range(10_000))
    )
    status, out, err = run(path, "--sentences", 10, "--no-blocking")
    assert (
        status == 0
        and len(out.splitlines()) == 10
        and "10,000 sentences, " in err
        and ", all read in " in err
    )


# -- each thing once ---------------------------------------------------------------------------------


def test_a_document_is_read_and_tokenized_once(run, monkeypatch):
    opened, tokenized = [], []
    read_bytes, encode_texts = Path.read_bytes, WordPieceTokenizer.encode_texts
    monkeypatch.setattr(
        Path, "read_bytes", lambda self: opened.append(self.name) or read_bytes(self)
    )
    monkeypatch.setattr(
        WordPieceTokenizer,
        "encode_texts",
        lambda self, texts: tokenized.extend(texts) or encode_texts(self, texts),
    )
    assert run(DOCUMENTS / "ferry.txt")[0] == 0
    assert opened.count("ferry.txt") == 1
    assert tokenized == [sentence.text for sentence in read_file(DOCUMENTS / "ferry.txt").sentences]


def test_the_module_of_the_command_loads_no_torch():
    program = (
        "import sys, minibert.cli.summarize, minibert.cli.convert; print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_the_formats_are_those_of_the_reader():
    assert command.FORMATS == reading.FORMATS


# -- what cannot be read
# -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv, message",
    [
        (["nowhere.txt"], "cannot read nowhere.txt: No such file or directory"),
        (["."], "cannot read .: Is a directory"),
        (["empty.txt"], "empty.txt is empty: there is no text in it"),
        (["signs.txt"], "signs.txt holds no sentence, read as text"),
        (["headings.md"], "headings.md holds no sentence, read as markdown (headings: 1)"),
        (
            ["latin.txt"],
            "latin.txt is not UTF-8 text: byte 3 is 0xe9; name its encoding with --encoding",
        ),
        (["binary"], "binary is not text: byte 1 is 0x00"),
        (["good.txt", "empty.txt"], "empty.txt is empty"),
        (["good.txt", "--sentences", "0"], "--sentences must be at least 1, not 0"),
        (["good.txt", "--encoding", "klingon"], "Python knows no text encoding 'klingon'"),
        (["good.txt", "--model", "./nowhere"], "there is no folder './nowhere'"),
        (["-"], "standard input is empty"),
        (["-", "-"], "'-' is standard input, which can be read once"),
    ],
)
def test_bad_input_is_one_line_and_status_2(argv, message, run, write, tmp_path, monkeypatch):
    for name, data in {
        "empty.txt": b" \n",
        "signs.txt": b"?! ...",
        "headings.md": b"# One",
        "latin.txt": b"caf\xe9",
        "binary": b"a\x00",
        "good.txt": b"It rains.",
    }.items():
        write(data, name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    status, out, err = run(*argv)
    assert (
        status == 2
        and not out
        and err.count("\n") == 1
        and err.startswith("minibert summarize: ")
        and message in err
    )


def test_json_has_the_context_already(run, write, capsys):
    with pytest.raises(SystemExit, match="2"):
        run(write("It rains."), "--json", "--context")
    assert "argument --context: not allowed with argument --json" in capsys.readouterr().err


def test_a_model_without_a_head_is_refused(needs_minilm, run, tmp_path, write):
    save_pretrained(
        BertModel(
            BertConfig(
                vocab_size=len(TOKENS),
                hidden_size=16,
                num_hidden_layers=1,
                num_attention_heads=2,
                intermediate_size=16,
            )
        ),
        tmp_path / "bare",
        tokenizer(),
    )
    status, out, err = run(write("It rains."), "--model", tmp_path / "bare")
    assert status == 2 and not out and "without a sentence head" in err and err.count("\n") == 1


def test_nothing_given_at_a_terminal(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", Terminal(io.BytesIO()))
    status, out, err = run()
    assert status == 2 and not out and "give the name of a file, or a text on standard input" in err


# -- help ------------------------------------------------------------------------------------------


def test_the_examples_of_the_help_are_command_lines(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["summarize", "--help"])
    help = capsys.readouterr().out
    examples = [
        line.partition("minibert ")[2]
        for line in help.partition("examples:")[2].splitlines()
        if line.strip()
    ]
    assert end.value.code == 0 and len(examples) == 5 and MINILM in help
    for example in examples:
        assert (
            cli.build_parser().parse_args(shlex.split(example, comments=True)).run
            is command.run_summarize
        )


def test_wrapping_moves_nothing():
    text = read_text(
        "one two three four five\n\n- six seven eight nine ten eleven. " + "x" * 50 + " y."
    ).text
    wrapped = marked_text._wrap(text, 22)
    assert (
        len(wrapped) == len(text)
        and wrapped.split() == text.split()
        and wrapped.count("\n\n") == text.count("\n\n") == 1
    )
    assert [len(line) for line in wrapped.split("\n") if len(line) > 20] == [50]


def test_lines_are_as_full_as_they_may_be():
    """Two columns stay free for marks; a line ends only where the next word would not have
    fitted."""
    words = ["x" * (1 + n * n % 11 + n % 4) for n in range(400)]
    lines = marked_text._wrap(" ".join(words), 30).split("\n")
    assert " ".join(lines).split() == words and max(map(len, lines)) == 28
    assert all(
        len(line) + 1 + len(following.split()[0]) > 28 for line, following in zip(lines, lines[1:])
    )


# -- with the heads of the package
# -------------------------------------------------------------------------------------


@pytest.mark.parametrize("argv", [[], ["--model", MINILM]], ids=["minibert-small", "MiniLM"])
def test_the_shipped_heads_choose_without_a_network(argv, needs_minilm, capsys, monkeypatch):
    monkeypatch.setattr(socket, "socket", None)  # whoever asks for one fails
    assert cli.main(["summarize", str(DOCUMENTS / "ferry.html"), "--json", *argv]) == 0
    result = json.loads(capsys.readouterr().out)
    scores = [sentence["score"] for sentence in result["sentences"]]
    assert (
        len(set(scores)) == 14
        and all(0 < score < 1 for score in scores)
        and result["model"] == (argv or ["minibert-small"])[-1]
    )
    assert len(result["summary"]) == 3 and result["summary"] != [
        sentence["text"] for sentence in result["sentences"][:3]
    ]
