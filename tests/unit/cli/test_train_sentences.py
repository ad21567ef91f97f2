"""`minibert train-sentences` as a user meets it: what it writes and says, stopped at any moment, and errors in one line."""

import json
import multiprocessing
import os
import re
import shutil
import signal
from functools import partial
from pathlib import Path

import pytest
import torch
import transformers
from interruptions import at_operation
from tiny_sentences import TEACHER, TOKENIZER, write_folders

from minibert import BertModel, WordPieceTokenizer, from_pretrained, save_pretrained
from minibert.cli import main as cli
from minibert.finetuning.sentence_vectors import teacher as teacher_module
from minibert.finetuning.sentence_vectors.trainer import SentenceTraining
from minibert.inference.sentence_embeddings import embed
from minibert.pretraining.checkpointing import checkpoints
from minibert.pretraining.environment import PACKAGE, deciding_files
from minibert.pretraining.log import read_log

OPTIONS = (
    "--epochs 3 --batch-size 16 --words 5 --phrases 9 --max-length 24 --warmup 3 --eval-every 10 "
    "--log-every 5 --checkpoint-every 7 --threads 1 --precision float32 --dropout 0.1 "
    "--no-start-from-bag"
).split()


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("given")
    write_folders(folder)
    return folder


@pytest.fixture(scope="module")
def given(folders) -> list[str]:
    """The options of a run that takes a second."""
    names = {"corpus": "texts", "teacher": "teacher", "from": "trunk", "valid": "pairs.tsv"}
    return [
        *(word for name, path in names.items() for word in (f"--{name}", str(folders / path))),
        *OPTIONS,
    ]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(teacher_module, "CHUNK", 50)


@pytest.fixture(scope="module")
def finished(given, tmp_path_factory) -> Path:
    """A run that nobody disturbed."""
    out = tmp_path_factory.mktemp("finished") / "run"
    chunk, teacher_module.CHUNK = teacher_module.CHUNK, 50
    assert cli.main(["train-sentences", *given, "--out", str(out)]) == 0
    teacher_module.CHUNK = chunk
    return out


@pytest.fixture
def run(capsys):
    """Run the command; returns its exit status, stdout and stderr."""

    def run(*argv):
        try:
            status = cli.main(["train-sentences", *map(str, argv)])
        except SystemExit as exit:
            status = exit.code
        return status, *capsys.readouterr()

    return run


def without_times(log: Path) -> list[dict]:
    times = ("seconds", "tokens_per_second")
    return [
        {name: value for name, value in record.items() if name not in times}
        for record in read_log(log)
    ]


def assert_same(out: Path, finished: Path) -> None:
    names = ["model/model.safetensors", "model/config.json", "model/vocab.txt", "texts.txt"]
    names += [f"teacher/{path.name}" for path in (finished / "teacher").iterdir()]
    for name in names:
        assert (out / name).read_bytes() == (finished / name).read_bytes(), name
    assert without_times(out / "log.jsonl") == without_times(finished / "log.jsonl")


def at_step(step: int, happens, monkeypatch) -> None:
    """Let something happen at the end of a step."""
    original = SentenceTraining.train_step

    def train_step(self):
        metrics = original(self)
        if self.step == step:
            happens()
        return metrics

    monkeypatch.setattr(SentenceTraining, "train_step", train_step)


# -- a run -------------------------------------------------------------------------------------------------------------


def test_what_a_run_leaves_behind(finished, folders):
    assert {path.name for path in finished.iterdir()} == {
        ".lock",
        "run.json",
        "vocabulary",
        "texts.txt",
        "teacher",
        "checkpoints",
        "log.jsonl",
        "model",
    }
    assert [path.name for path in checkpoints(finished / "checkpoints")] == [
        "step-00000028",
        "step-00000033",
    ]
    log = read_log(finished / "log.jsonl")
    assert [record["step"] for record in log] == [5, 10, 15, 20, 25, 30, 33]
    assert [record["step"] for record in log if "held_out" in record] == [10, 20, 30, 33]
    assert log[0].keys() == {
        "step",
        "loss",
        "cosine",
        "relational",
        "learning_rate",
        "gradient_norm",
        "tokens",
        "tokens_per_second",
        "seconds",
    }
    record = json.loads((finished / "run.json").read_text())
    assert record["settings"]["options"]["epochs"] == 3 and len(record["sessions"]) == 1
    names = {"vocabulary/vocab.txt", "texts.txt", "teacher/projection.safetensors"}
    assert names < record["digests"].keys()
    assert record["config"]["hidden_dropout_prob"] == 0.1
    assert len((finished / "texts.txt").read_text().splitlines()) == 184


def test_the_encoder_opens_everywhere(finished, folders, capsys):
    texts = ["the cat sees a dog", "night"]
    ours = embed(from_pretrained(finished / "model"), TOKENIZER, texts)
    theirs = transformers.AutoModel.from_pretrained(finished / "model").eval()
    assert type(theirs).__name__ == "BertModel"
    batch = transformers.AutoTokenizer.from_pretrained(finished / "model")(
        texts, padding=True, return_tensors="pt"
    )
    with torch.no_grad():
        hidden = theirs(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1)
    pooled = (hidden * mask).sum(1) / mask.sum(1)
    assert torch.allclose(ours, torch.nn.functional.normalize(pooled, dim=-1), atol=1e-6)
    assert cli.main(["similarity", *texts, "--model", str(finished / "model")]) == 0
    out, err = capsys.readouterr()
    assert out == f"{float(ours[0] @ ours[1]):.3f}\t{texts[0]}\t{texts[1]}\n" and err == ""
    model = from_pretrained(finished / "model")
    before = from_pretrained(folders / "trunk")
    changed = {
        name.split(".")[0]
        for name, tensor in model.state_dict().items()
        if not torch.equal(tensor, before.state_dict()[name])
    }
    assert changed == {"embeddings", "encoder"}, "no vector comes from the pooler"


def test_the_spearman_of_the_log_is_that_of_the_saved_encoder(finished, folders):
    from scipy.stats import spearmanr

    rows = [line.split("\t") for line in (folders / "pairs.tsv").read_text().splitlines()]
    model = from_pretrained(finished / "model")
    one, other = (embed(model, TOKENIZER, [row[i] for row in rows]) for i in (0, 1))
    wanted = spearmanr((one * other).sum(-1), [float(row[2]) for row in rows]).statistic
    found = read_log(finished / "log.jsonl")[-1]["held_out"]["spearman"]
    assert found == pytest.approx(wanted, abs=1e-6)


SAID = r"""teacher's vectors: 184 of 184 texts, [\d,]+ texts/s, 00:00 left
computing on cpu \(PyTorch finds no GPU\), 1 thread \(--threads\), in float32 \(--precision\)
model: 2 layers, hidden size 16, 27 word pieces, 5,200 parameters
objective: distillation from .*/teacher; 20 dimensions reduced to 16, which keep \d\d\.\d%
text: 184 texts; 4 steps of 16 are 0\.4 epochs
step 0, the trunk: Spearman -?\d\.\d{4}, held-out cosine -?\d\.\d{4}
step 4 of 4: loss \d\.\d{4}, cosine -?\d\.\d{3}, relational \d\.\d{5}, [\d,]+ tokens/s, 00:00 left
step 4, validation: Spearman -?\d\.\d{4}, held-out cosine -?\d\.\d{4}
finished: the encoder is in .*/run/model\. Try it: minibert similarity '.*' '.*' --model .*/run/model
"""
CONTRASTIVE = r"""computing on cpu .*
model: 1 layer, hidden size 16, 27 word pieces, [\d,]+ parameters
objective: contrastive, {what}
text: {count} {kind}; 4 steps of 16 are 0\.\d epochs
step 0, the trunk: Spearman -?\d\.\d{{4}}
step 4 of 4: loss \d\.\d{{4}}, cosine \d\.\d{{3}}, accuracy \d\.\d{{3}}, [\d,]+ tokens/s, 00:00 left
step 4, validation: Spearman -?\d\.\d{{4}}
finished: .*
"""


def test_what_a_run_says(given, run, tmp_path):
    options = [*given]
    del options[options.index("--epochs") : options.index("--epochs") + 2]
    status, out, err = run(*options, "--steps", "4", "--out", tmp_path / "run")
    assert status == 0 and err == "" and re.fullmatch(SAID, out), out


@pytest.mark.parametrize(
    "objective, what, count, kind",
    [
        ("dropout", "a sentence and itself under dropout 0.1", 170, "texts"),
        ("neighbours", "a sentence and its neighbour", 77, "pairs"),
    ],
)
def test_the_contrastive_objectives(objective, what, count, kind, folders, run, tmp_path):
    options = ["--corpus", folders / "texts", "--from", folders / "trunk", "--layers", "1"]
    options += ["--valid", folders / "pairs.tsv", "--steps", "4", "--batch-size", "16"]
    options += ["--max-length", "24", "--objective", objective]
    status, out, err = run(*options, "--out", tmp_path / "run")
    pattern = CONTRASTIVE.format(what=re.escape(what), count=count, kind=kind)
    assert status == 0 and err == "" and re.fullmatch(pattern, out), out
    assert from_pretrained(tmp_path / "run" / "model").config.num_hidden_layers == 1


def test_the_bag_of_words_is_the_start(given, folders, run, tmp_path):
    options = [option for option in given if option != "--no-start-from-bag"]
    options += ["--from", folders / "pre-norm"]
    at_start = ["--time-limit", "1000s"]
    status, out, err = run(*options, *at_start, "--out", tmp_path / "run")
    assert status == 0 and err == ""
    assert "20 dimensions reduced to 14, which keep" in out
    assert re.search(r"step 0, the bag of words: Spearman -?\d\.\d{4}", out), out
    start = from_pretrained(tmp_path / "run" / "model")
    assert start.config.norm_first and start.config.hidden_size == 16
    again = run(*options, "--out", tmp_path / "again")
    assert again[0] == 0
    assert_same(tmp_path / "again", tmp_path / "run")


def test_the_help(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = run("--help")
    assert status == 0
    for text in (
        r"--objective \{distill,dropout,neighbours,titles\}",
        r"--phrases N\s+for distill and dropout: shorter phrases cropped from\s+sentences "
        r"\(default: 60000 for distill, 0 for the\s+others\)",
        r"--teacher MODEL\s+for distill:",
        r"minibert train-sentences --out run --resume",
    ):
        assert re.search(text, out), text


# -- stopped and resumed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_waits_for_the_step_and_leaves_a_checkpoint(
    number, status, given, finished, run, tmp_path, monkeypatch
):
    at_step(17, lambda: signal.raise_signal(number), monkeypatch)
    found, out, _err = run(*given, "--out", tmp_path / "run")
    line = f"stopped at step 17 of 33; continue with: minibert train-sentences --out {tmp_path}/run"
    assert found == status and line in out
    found, out, _ = run("--out", tmp_path / "run", "--resume", "--threads", "1")
    assert found == 0 and "resuming from" in out and "note:" not in out
    assert_same(tmp_path / "run", finished)


def test_a_signal_among_the_teachers_vectors(given, finished, run, tmp_path, monkeypatch):
    original, done = teacher_module._write, []

    def write(path, tensors):
        original(path, tensors)
        done.append(path)
        if len(done) == 2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(teacher_module, "_write", write)
    status, out, err = run(*given, "--out", tmp_path / "run")
    assert status == 130 and err == ""
    assert (
        f"stopped among the teacher's vectors; continue with: minibert train-sentences --out {tmp_path}/run --resume"
        in out
    )
    assert len(list((tmp_path / "run" / "teacher").iterdir())) == 2
    assert run("--out", tmp_path / "run", "--resume", "--threads", "1")[0] == 0
    assert len(done) == 5, "four chunks and the projection, each once"
    assert_same(tmp_path / "run", finished)


def test_a_time_limit(given, finished, run, tmp_path):
    status, out, _ = run(*given, "--out", tmp_path / "run", "--time-limit", "0s")
    assert status == 0 and "stopped among the teacher's vectors" in out
    status, out, _ = run("--out", tmp_path / "run", "--resume", "--threads", "1")
    assert status == 0 and "finished" in out
    assert_same(tmp_path / "run", finished)
    before = (tmp_path / "run" / "log.jsonl").read_bytes()
    status, out, _ = run("--out", tmp_path / "run", "--resume", "--time-limit", "0s")
    assert status == 0 and "finished" in out
    assert (tmp_path / "run" / "log.jsonl").read_bytes() == before


def test_a_finished_run_needs_neither_trunk_nor_teacher_nor_corpus(given, finished, run, tmp_path):
    shutil.copytree(finished, tmp_path / "run", ignore=shutil.ignore_patterns("model"))
    record = json.loads((finished / "run.json").read_text())
    record["settings"] |= {"start": "/gone", "corpus": ["/gone"]}
    record["settings"]["valid"] = None
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    assert run("--out", tmp_path / "run", "--resume")[0] == 0
    name = "model/model.safetensors"
    assert (tmp_path / "run" / name).read_bytes() == (finished / name).read_bytes()


def killed_at(number: int, folder: Path, argv: list[str]) -> None:
    teacher_module.CHUNK = 50
    torch.set_num_threads(1)
    at_operation(number, folder, partial(os._exit, 9))
    os._exit(cli.main(argv))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("number", [3, 20, 60, 90, 130, 200, 300])
def test_killed_at_any_moment(number, given, finished, run, tmp_path):
    """In the middle of writing: whatever is there then, the run goes on and ends the same."""
    out = tmp_path / "run"
    argv = ["train-sentences", *given, "--out", str(out)]
    process = multiprocessing.get_context("fork").Process(
        target=killed_at, args=(number, out, argv)
    )
    process.start()
    process.join()
    assert process.exitcode == 9, "it had come so far"
    if (out / "run.json").is_file():
        assert run("--out", out, "--resume", "--threads", "1")[0] == 0
    else:
        assert run(*given, "--out", out)[0] == 0
    assert_same(out, finished)


def test_a_resumed_run_may_not_change(finished, folders, run, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    for option, value, begun in (
        ("--epochs", "4", "3.0"),
        ("--seed", "1", "0"),
        ("--valid", "x", "'.*pairs.tsv'"),
        ("--teacher", "all-MiniLM-L6-v2", "'.*teacher'"),
    ):
        status, _, err = run("--out", tmp_path / "run", "--resume", option, value)
        assert status == 2
        assert re.search(f"{option} cannot change in the middle of a run .*{begun}", err), err
    teacher = folders / "teacher"
    assert run("--out", tmp_path / "run", "--resume", "--teacher", teacher)[0] == 0


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes, message",
    [
        (["--from", "./nowhere"], "there is no folder './nowhere'"),
        (["--teacher", "./nowhere"], "there is no folder './nowhere'"),
        (["--teacher", "./empty"], "config key 'vocab_size' is missing"),
        (["--corpus", "./pipe"], "cannot read pipe: it is neither an ordinary file nor a folder"),
        (["--corpus", "./nowhere"], "there is no file or folder 'nowhere'"),
        (["--valid", "./nowhere"], "cannot read nowhere: No such file"),
        (["--max-length", "33"], "max_length 33 is longer than the model's max_position_embed"),
        (["--layers", "3"], "layers is 3, but the trunk has 2 layers"),
        (["--min-words", "20"], "the corpus has no sentence of 20 to 22 words"),
        (["--temperature", "1"], "--temperature means nothing for the objective distill"),
        (["--steps", "5"], "give --steps or --epochs, not both"),
        (["--start-from-bag"], "start_from_bag needs a pre-norm trunk"),
        (["--dropout", "1"], "dropout must be at least 0 and below 1"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    changes, message, given, run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "config.json").write_text("{}")
    status, out, err = run(*given, *changes, "--out", tmp_path / "run")
    assert status == 2 and out == "" and message in err, err
    assert err.count("\n") == 1 and err.startswith("minibert train-sentences: ")
    left = list((tmp_path / "run").iterdir()) if (tmp_path / "run").exists() else []
    assert {path.name for path in left} <= {".lock"}
    assert run(*given, "--out", tmp_path / "run", "--time-limit", "0s")[0] == 0


def test_a_folder_that_holds_a_run_and_one_that_holds_none(given, finished, run, tmp_path):
    status, _, err = run(*given, "--out", finished)
    assert status == 2 and "already holds a run: continue it with --resume" in err
    status, _, err = run("--out", tmp_path, "--resume")
    assert status == 2 and "there is no run to resume in" in err


def test_a_run_of_pretraining_is_not_one_of_sentences(finished, run, tmp_path):
    shutil.copytree(finished, tmp_path / "run")
    record = json.loads((finished / "run.json").read_text())
    record["settings"]["options"]["mask_rate"] = 0.15
    (tmp_path / "run" / "run.json").write_text(json.dumps(record))
    status, _, err = run("--out", tmp_path / "run", "--resume")
    assert status == 2 and "is not what minibert wrote there" in err


def test_it_runs_in_one_process(given, run, tmp_path, monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.setenv(name, "0")
    status, _, err = run(*given, "--out", tmp_path / "run")
    assert status == 2 and "train-sentences runs in one process" in err


def test_a_loss_that_is_no_number(given, run, tmp_path, monkeypatch):
    def spoil():
        spoiled.model.embeddings.LayerNorm.weight.data.fill_(float("nan"))

    original = SentenceTraining.train_step

    def train_step(self):
        nonlocal spoiled
        spoiled = self
        metrics = original(self)
        if self.step == 9:
            spoil()
        return metrics

    spoiled = None
    monkeypatch.setattr(SentenceTraining, "train_step", train_step)
    status, _, err = run(*given, "--out", tmp_path / "run")
    assert status == 2
    assert re.search(r"step 10: the loss is nan, .* training has diverged.*of step 7", err), err


def test_a_teacher_that_changed_is_refused(given, run, folders, tmp_path):
    shutil.copytree(folders / "teacher", tmp_path / "teacher")
    options = [*given, "--teacher", tmp_path / "teacher", "--out", tmp_path / "run"]
    assert run(*options, "--time-limit", "0s")[0] == 0
    save_pretrained(BertModel(TEACHER), tmp_path / "teacher", TOKENIZER)
    status, _, err = run("--out", tmp_path / "run", "--resume")
    assert status == 2 and "is not the teacher that this run began with" in err


def test_a_vocabulary_in_the_folder_must_be_that_of_the_trunk(given, run, folders, tmp_path):
    """With its tokens in another order, the encoder would open and its vectors mean nothing."""
    out = tmp_path / "run"
    tokens = [*list(TOKENIZER.vocab)[:5], *reversed(list(TOKENIZER.vocab)[5:])]
    WordPieceTokenizer({token: n for n, token in enumerate(tokens)}).save(out / "vocabulary")
    status, _, err = run(*given, "--out", out)
    assert status == 2
    trunk = folders / "trunk"
    assert f"{out / 'vocabulary'} holds another vocabulary than --from {trunk}" in err
    assert sorted(set(os.listdir(out)) - {".lock"}) == ["vocabulary"]
    shutil.rmtree(out / "vocabulary")
    WordPieceTokenizer.from_pretrained(trunk).save(out / "vocabulary")
    assert run(*given, "--out", out, "--time-limit", "0s")[0] == 0


# -- what decides its numbers ------------------------------------------------------------------------------------------


def test_everything_that_a_run_imports_is_in_the_digest():
    """But for the readers of labelled examples and metrics, which compute nothing that is trained."""
    import ast

    from minibert.cli.train_sentences_run import DECIDING

    waiting = sorted((PACKAGE / "finetuning" / "sentence_vectors").glob("*.py"))
    seen = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("minibert."):
                place = PACKAGE.joinpath(*node.module.split(".")[1:])
                found = (place.with_suffix(".py"), place / "__init__.py")
                waiting += [file for file in found if file.is_file()]
    missing = {
        path.relative_to(PACKAGE).as_posix() for path in seen - set(deciding_files(also=DECIDING))
    }
    assert all(name.startswith(("finetuning/", "summarization/", "inference/")) for name in missing)
    assert not any("sentence" in name for name in missing), missing
