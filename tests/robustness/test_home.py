"""~ is the home folder in every name of a file or folder, whether that is read or written."""

import shlex
import shutil
import tempfile
from pathlib import Path

import pytest
from hostile_world import PRETRAIN, VECTORS

from minibert import WordPieceTokenizer, from_pretrained, save_pretrained
from minibert.config import InputError
from minibert.data import TokenFile, write_tokens
from minibert.finetuning import make_task
from minibert.finetuning.model_io import open_finetuned, save_finetuned

# each reads from the home folder as well
COMMANDS = {
    "embed": "embed --file ~/lines.txt --model ~/model --out ~/new.npy",
    "export": "export ~/model --out ~/new.onnx",
    "tokenizer": "tokenizer --corpus ~/corpus.txt --vocab-size 100 --out ~/new",
    "finetune": "finetune classification --train ~/reviews.csv --model ~/model --epochs 1 --out ~/new",
    "pretrain": PRETRAIN.replace("--out run", "--out ~/new")
    .replace("shape.json", "~/shape.json")
    .replace("corpus.txt", "~/corpus.txt")
    .replace("--vocab-size 200", "--vocab ~/model/vocab.txt"),
    "train-sentences": VECTORS.replace("--out vectors", "--out ~/new")
    .replace("corpus.txt", "~/corpus.txt")
    .replace("model", "~/model")
    + " --valid ~/judged.tsv --exclude ~/judged.tsv",
    "texts of": VECTORS.replace("--out vectors", "--out ~/new --texts-of ~/vectors"),
}


@pytest.fixture
def homes(forker):
    """A home folder with all of the world, and the folder in which a command runs."""
    folder = Path(tempfile.mkdtemp(prefix="home-", dir=forker.folder))
    home, here = folder / "home", folder / "here"
    here.mkdir()
    home.mkdir()
    for path in forker.world.iterdir():
        (home / path.name).symlink_to(path)
    yield home, here
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_writes_into_the_home_folder_and_reads_from_it(name, homes, forker):
    home, here = homes
    if name == "texts of":  # what a run takes over must have been asked for in the same words
        for path in ("corpus.txt", "model"):
            (here / path).symlink_to(forker.world / path)
    before = set(here.iterdir())
    env = {"HOME": str(home), "USERPROFILE": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    done = forker.run(shlex.split(COMMANDS[name]), here, limit=200, env=env)
    assert done.status == 0, done.err
    assert list(home.glob("new*")) and set(here.iterdir()) == before


def test_python_writes_and_reads_there_as_well(forker, homes, monkeypatch):
    home, here = homes
    monkeypatch.chdir(here)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    model, tokenizer = from_pretrained("~/model"), WordPieceTokenizer.from_pretrained("~/model")
    save_pretrained(model, "~/saved")
    from_pretrained(Path("~/saved"))
    model.save_pretrained("~/method")
    tokenizer.save("~/words")
    assert WordPieceTokenizer.from_vocab_file("~/words/vocab.txt").vocab == tokenizer.vocab
    write_tokens("~/own.tokens", [[[5, 6]]], 10)
    assert len(TokenFile("~/own.tokens").tokens) == 2
    tuned = open_finetuned("~/tuned")
    columns = {"text": "text", "label": "label"}
    task = make_task("classification", ["neg", "pos"])
    save_finetuned("~/tuned-again", tuned.model, task, tokenizer, 20, columns)
    assert open_finetuned("~/tuned-again").max_length == 20
    assert not list(here.iterdir())
    for write in (lambda: save_pretrained(model, ""), lambda: tokenizer.save("")):
        with pytest.raises(InputError, match="expected a name or a path, not an empty text"):
            write()
    with pytest.raises(InputError, match="there is no home folder for ~nosuch/x"):
        save_pretrained(model, "~nosuch/x")
    assert not list(here.iterdir())
