"""examples/bert_in_one_file.py: the package's BERT in one file, its data, its optimizer steps and its command line."""

import ast
import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import minibert
from minibert.heads import BertForPreTraining, class_loss
from minibert.training.optim import (
    learning_rate_schedule,
    make_optimizers,
    set_learning_rate,
    update,
)
from tools.shape_comments import read_source
from tools.shape_verdicts import judge
from tools.shapes import Watch

FILE = Path(__file__).resolve().parents[2] / "examples" / "bert_in_one_file.py"
SIZES = {"V": 73, "H": 24, "A": 3, "I": 40, "L": 2, "S": 16}
B, S = 5, 16


@pytest.fixture(scope="module")
def one():
    spec = importlib.util.spec_from_file_location("bert_in_one_file", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def pair(one):
    """The package's model and the one-file model, with the same weights; no dropout."""
    torch.manual_seed(0)
    config = minibert.BertConfig(
        vocab_size=73,
        hidden_size=24,
        num_attention_heads=3,
        intermediate_size=40,
        num_hidden_layers=2,
        max_position_embeddings=16,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    package = BertForPreTraining(config)
    for (
        parameter
    ) in package.parameters():  # biases and norms too: at 0 and 1 they would hide mistakes
        torch.nn.init.normal_(parameter, mean=float(parameter.dim() == 1), std=0.3)
    model = one.BertForPreTraining(one.Config(**SIZES, dropout=0.0))
    model.load_state_dict(package.state_dict(), strict=True)
    return package, model


def a_batch(one) -> list[torch.Tensor]:
    """As Corpus.batch makes them; two rows end in padding."""
    draw = torch.Generator().manual_seed(1)
    ids = torch.randint(4, 73, (B, S), generator=draw)
    ids[1, 9:], ids[3, 12:] = one.PAD, one.PAD
    segments = (torch.arange(S) > 6).long().expand(B, S) * (ids != one.PAD)
    chosen = (torch.rand(B, S, generator=draw) < 0.3) & (ids != one.PAD)
    seen = torch.where(chosen, one.MASK, ids)
    return [seen, segments, ids != one.PAD, chosen, ids[chosen], torch.tensor([0, 1, 1, 0, 1])]


def package_loss(package, batch) -> tuple[torch.Tensor, torch.Tensor]:
    seen, segments, mask, chosen, answers, is_random = batch
    labels = torch.full_like(seen, -100).masked_scatter(chosen, answers)
    out = package(
        seen,
        token_type_ids=segments,
        attention_mask=mask,
        labels=labels,
        next_sentence_label=is_random,
    )
    return out.loss, class_loss(out.prediction_logits, labels)


# ---------------------------------------------------------------- the model


def test_the_forward_pass_equals_the_package(one, pair):
    package, model = pair
    seen, segments, mask, chosen, *_ = a_batch(one)
    expected = package(
        seen, token_type_ids=segments, attention_mask=mask, output_hidden_states=True
    )
    hidden, _ = model.bert(seen, segments, mask)
    torch.testing.assert_close(hidden[mask], expected.hidden_states[-1][mask], atol=1e-5, rtol=1e-5)
    words, pairs = model(seen, segments, mask, chosen)
    torch.testing.assert_close(words, expected.prediction_logits[chosen], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(pairs, expected.seq_relationship_logits, atol=1e-5, rtol=1e-5)
    everywhere, _ = model(seen, segments, mask, mask)
    torch.testing.assert_close(everywhere, expected.prediction_logits[mask], atol=1e-5, rtol=1e-5)


def test_all_hidden_states_equal_the_package(one, pair):
    package, model = pair
    seen, segments, mask, *_ = a_batch(one)
    states = []
    for part in (model.bert.embeddings, *model.bert.encoder["layer"]):
        part.register_forward_hook(lambda _module, _inputs, output: states.append(output))
    model.bert(seen, segments, mask)
    expected = package.bert(
        seen, token_type_ids=segments, attention_mask=mask, output_hidden_states=True
    ).hidden_states
    assert len(states) == len(expected) == 3
    for ours, theirs in zip(states, expected):
        torch.testing.assert_close(ours[mask], theirs[mask], atol=1e-5, rtol=1e-5)


def test_what_is_in_the_padding_changes_nothing(one, pair):
    _, model = pair
    seen, segments, mask, chosen, *_ = a_batch(one)
    noise = torch.where(
        mask, seen, torch.randint(4, 73, (B, S), generator=torch.Generator().manual_seed(2))
    )
    for ours, theirs in zip(
        model(seen, segments, mask, chosen), model(noise, segments, mask, chosen)
    ):
        torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=1e-6)


def test_the_gradients_equal_the_package(one, pair):
    package, model = pair
    batch = a_batch(one)
    package_loss(package, batch)[0].backward()
    one.scores(model, batch)[:2].sum().backward()
    expected = {name: parameter.grad for name, parameter in package.named_parameters()}
    assert expected.keys() == {name for name, _ in model.named_parameters()}
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(
            parameter.grad,
            expected[name],
            atol=1e-5,
            rtol=1e-4,
            msg=lambda text, name=name: f"{name}: {text}",
        )
        if "key.bias" not in name:  # a constant added to all of a query's scores changes nothing
            assert parameter.grad.abs().max() > 1e-6, name


def test_the_package_loads_the_weights_strictly(one):
    torch.manual_seed(0)
    model = one.BertForPreTraining(one.Config(**SIZES))
    config = minibert.BertConfig(
        vocab_size=73,
        hidden_size=24,
        num_attention_heads=3,
        intermediate_size=40,
        num_hidden_layers=2,
        max_position_embeddings=16,
    )
    package = BertForPreTraining(config)
    package.load_state_dict(model.state_dict(), strict=True)
    assert "bert.embeddings.word_embeddings.weight" in model.state_dict()
    batch = a_batch(one)
    words, _ = model.eval()(*batch[:4])
    torch.testing.assert_close(
        package.eval()(
            batch[0], token_type_ids=batch[1], attention_mask=batch[2]
        ).prediction_logits[batch[3]],
        words,
        atol=1e-5,
        rtol=1e-5,
    )


def test_fresh_weights_guess_evenly(one):
    torch.manual_seed(0)
    model = one.BertForPreTraining(one.Config(V=6000)).eval()
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            assert parameter.eq(0).all(), name
        elif "LayerNorm" in name:
            assert parameter.eq(1).all(), name
    words, pairs, _ = one.scores(model, a_batch(one)).tolist()
    assert abs(words - np.log(6000)) < 1 and abs(pairs - np.log(2)) < 0.3


# ---------------------------------------------------------------- the training


def test_the_first_optimizer_steps_equal_the_package(one, pair):
    package, model = pair
    batch, rate = a_batch(one), 2e-3
    optimizers = make_optimizers(package, "adamw", rate, rate, 0.01)
    optimizer = one.make_optimizer(model)
    losses = []
    for step in range(6):
        factor = learning_rate_schedule(step, 100, 4)
        set_learning_rate(optimizers, factor)
        whole, words = package_loss(package, batch)
        whole.backward()
        update(optimizers, 1.0)
        ours = one.train_step(model, optimizer, batch, rate * factor)
        losses.append(ours)
        assert abs(ours - words.item()) < 1e-5, f"step {step}"
    assert losses[5] < losses[0] - 0.01
    assert losses[0] == losses[1], "the first step has the learning rate 0"


def test_it_learns(one):
    """A cycle of 30 tokens: with context every token is known, without it one in 30 is."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    model = one.BertForPreTraining(one.Config(V=34, H=32, A=2, I=64, L=2, S=16, dropout=0.0))
    optimizer = one.make_optimizer(model)
    losses = []
    for _ in range(400):
        ids = 4 + (rng.integers(30, size=(32, 1)) + np.arange(16)) % 30
        seen, chosen = one.mask_tokens(ids, 34, rng)
        arrays = (
            seen,
            np.zeros_like(ids),
            np.ones_like(ids),
            chosen,
            ids[chosen],
            rng.integers(2, size=32),
        )
        losses.append(
            one.train_step(model, optimizer, [torch.from_numpy(array) for array in arrays], 3e-3)
        )
    assert losses[0] > 3.3 and np.mean(losses[-20:]) < 0.8, np.mean(losses[-20:])


def test_weight_decay_spares_what_the_package_spares(one, pair):
    package, model = pair
    names = {id(parameter): name for some in pair for name, parameter in some.named_parameters()}

    def groups(optimizer):
        return {
            (
                group["weight_decay"],
                group["betas"],
                group["eps"],
                frozenset(names[id(p)] for p in group["params"]),
            )
            for group in optimizer.param_groups
        }

    assert groups(one.make_optimizer(model)) == groups(
        make_optimizers(package, "adamw", 1e-3, 1e-3, 0.01)[0]
    )


# ---------------------------------------------------------------- the data

TEXT = "The river runs past the old mill. A miller counts his sacks, and the water turns the wheel! Who would count the stars? "
STRANGE = [
    "Ωμέγα and 한국어 🙂",
    "x" * 100,
    "naïve café",
    "a##b [MASK] [SEP]",
    "\u200b",
    "don't re-enter 3.14",
]


@pytest.mark.parametrize("text", STRANGE)
def test_any_text_is_encoded_and_comes_back(one, text):
    tokenizer = one.Tokenizer(TEXT, 700)
    ids = tokenizer.encode(text)
    assert all(len(one.SPECIAL) <= number < len(tokenizer.pieces) for number in ids)
    assert tokenizer.decode(ids).replace(" ", "") == text.lower().replace(" ", "")


def test_frequent_words_are_whole_and_pieces_are_the_longest(one):
    tokenizer = one.Tokenizer(TEXT * 3 + "walking talking", 700)
    assert [tokenizer.pieces[number] for number in tokenizer.encode("The river")] == [
        "the",
        "river",
    ]
    pieces = [tokenizer.pieces[number] for number in tokenizer.encode("millers")]
    assert pieces[0] == "miller" and pieces[1:] == ["##s"]
    assert len(set(tokenizer.pieces)) == len(tokenizer.pieces) == len(tokenizer.ids)


def test_masking_is_80_10_10(one):
    rng = np.random.default_rng(0)
    ids = rng.integers(4, 1000, (500, 400))
    ids[:, 0], ids[:, -1] = one.CLS, one.SEP
    ids[:100, 300:] = one.PAD
    seen, chosen = one.mask_tokens(ids, 1000, rng)
    assert not chosen[ids < 4].any() and (seen[~chosen] == ids[~chosen]).all()
    ordinary = int((ids >= 4).sum())
    assert abs(chosen.sum() / ordinary - 0.15) < 5 * (0.15 * 0.85 / ordinary) ** 0.5
    total = int(chosen.sum())
    masked, same = (seen[chosen] == one.MASK).sum(), (seen[chosen] == ids[chosen]).sum()
    for share, found in ((0.8, masked), (0.1, same), (0.1, total - masked - same)):
        assert (
            abs(found / total - share) < 5 * (share * (1 - share) / total) ** 0.5 + 2e-4
        )  # one in a thousand of the random ones is the same
    other = seen[chosen & (seen != ids) & (seen != one.MASK)]
    assert other.min() == 4 and other.max() == 999


def test_pairs_follow_or_do_not(one, monkeypatch):
    words = iter(range(10**6))
    sentences = [
        " ".join(f"w{next(words)}" for _ in range(1 + number % 9)) for number in range(300)
    ]
    tokenizer = one.Tokenizer("\n".join(sentences * 2), 3000)
    corpus = one.Corpus(sentences, tokenizer, 24)
    assert (
        len(set(corpus.tokens))
        == len(corpus.tokens)
        == sum(1 + number % 9 for number in range(300))
    )
    where = {
        number: place for place, number in enumerate(corpus.tokens.tolist())
    }  # no word occurs twice
    starts = {where[tokenizer.encode(sentence)[0]] for sentence in sentences}
    monkeypatch.setattr(one, "mask_tokens", lambda ids, V, rng: (ids, np.zeros_like(ids, bool)))
    batch = corpus.batch(600, len(tokenizer.pieces), np.random.default_rng(0), "cpu")
    lengths = []
    for row, kind, real, _, is_random in zip(
        *(tensor.tolist() for tensor in batch[:4]), batch[5].tolist()
    ):
        length = sum(real)
        cut = row.index(one.SEP)
        assert real == [True] * length + [False] * (24 - length)
        assert (
            row[0] == one.CLS
            and row[length - 1] == one.SEP
            and row[length:] == [one.PAD] * (24 - length)
        )
        assert kind == [0] * (cut + 1) + [1] * (length - cut - 1) + [0] * (24 - length)
        a, b = (
            [where[number] for number in part] for part in (row[1:cut], row[cut + 1 : length - 1])
        )
        assert a == list(range(a[0], a[-1] + 1)) and b == list(range(b[0], b[-1] + 1))
        assert a[-1] + 1 in starts and b[0] in starts
        assert (b[0] == a[-1] + 1) == (not is_random)
        lengths.append(length)
    assert min(lengths) < 16 and max(lengths) == 24 and 0.84 < lengths.count(24) / 600 < 0.98
    assert 0.4 < batch[5].float().mean() < 0.6


# ---------------------------------------------------------------- the file


def test_the_file_is_short_and_imports_little():
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 300
    assert max(map(len, lines)) <= 100
    tree = ast.parse("\n".join(lines))
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module]
            ):
                assert name.split(".")[0] in {"torch", "numpy"} | sys.stdlib_module_names, name


def test_every_shape_comment_is_what_the_tensor_has(one):
    """And every line of the model and of the data that makes a tensor has one; those of main are not run here."""
    source = read_source(FILE.read_text(encoding="utf-8"))
    rng = np.random.default_rng(0)
    sentences = [
        " ".join(
            rng.choice("a river mill stone walking talking sleeps".split(), rng.integers(3, 9))
        )
        for _ in range(200)
    ]
    tokenizer = one.Tokenizer("\n".join(sentences), 700)
    config = one.Config(V=len(tokenizer.pieces), H=36, A=4, I=31, L=2, S=17)
    watch, before = (
        Watch(
            {one.__file__: source}, frozenset([one.__file__]), {**config._asdict(), "B": 5, "D": 9}
        ),
        sys.gettrace(),
    )
    corpus = one.Corpus(sentences, tokenizer, config.S)
    torch.manual_seed(0)
    sys.settrace(watch)
    try:
        model = one.BertForPreTraining(config)
        one.train_step(
            model, one.make_optimizer(model), corpus.batch(5, config.V, rng, "cpu"), 1e-3
        )
    finally:
        sys.settrace(before)
    verdict = judge(source, watch.recorded()[one.__file__])
    assert not verdict.wrong and not verdict.missing
    last = one.fill_blanks.__code__.co_firstlineno
    assert not [
        check.line
        for number, check in enumerate(source.checks)
        if number not in verdict.seen and check.line < last
    ]


def run(*arguments, **environment) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, FILE, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
    )


@pytest.fixture(scope="module")
def text(tmp_path_factory) -> Path:
    rng = np.random.default_rng(0)
    words = "the a river mill wheel turns runs old water stone and slowly past by grain miller sleeps".split()
    sentences = [
        " ".join(rng.choice(words, rng.integers(4, 11))).capitalize() + "." for _ in range(900)
    ]
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(sentences), encoding="utf-8")
    return path


def main(one, monkeypatch, capsys, *arguments) -> tuple[int, str, str]:
    """The command in this process, for importing torch takes a second: status, standard output, standard error."""
    monkeypatch.setattr(sys, "argv", ["bert_in_one_file.py", *map(str, arguments)])
    status = 0
    try:
        one.main()
    except SystemExit as error:
        status = error.code
    return status, *capsys.readouterr()


def without_seconds(output: str) -> str:
    return re.sub(r"\d+ s$", "", output, flags=re.MULTILINE)


def test_a_run_prints_what_is_expected(text):
    done = run(text, "--steps", 2)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    baseline = float(
        re.search(r"^Unigram baseline .* ([\d.]+)$", done.stdout, flags=re.MULTILINE)[1]
    )
    assert 2.5 < baseline < 3.2  # 18 kinds of token, some more frequent than others
    steps = re.findall(
        r"^step +(\d+): MLM loss ([\d.]+), held out ([\d.]+); NSP accuracy ([\d.]+)%; \d+ s$",
        done.stdout,
        flags=re.MULTILINE,
    )
    assert [int(step) for step, *_ in steps] == [1, 2]
    assert done.stdout.count("[MASK]") == done.stdout.count("hidden:") == 6


def test_the_seed_decides_the_output(one, text, monkeypatch, capsys):
    outputs = []
    for seed in (0, 0, 1):
        status, output, errors = main(one, monkeypatch, capsys, text, "--steps", 1, "--seed", seed)
        assert status == 0 and errors == ""
        outputs.append(without_seconds(output))
    assert outputs[0] == outputs[1] != outputs[2]


def test_without_a_file_and_without_minibert_it_says_what_to_do(one, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "minibert.data.corpora", None)
    status, output, errors = main(one, monkeypatch, capsys)
    assert (
        status == 2
        and output == ""
        and len(errors.splitlines()) == 1
        and "name a text file" in errors
    )


BAD = [
    (None, "No such file"),
    (b"", "0 sentences"),
    (b"\x80\x81\xff" * 99, "utf-8"),
    (bytes(9999), "sentences"),
    (b"Too short. By far.", "2 sentences"),
    (b"word " * 9999, "1 sentence"),
]


@pytest.mark.parametrize("content, said", BAD)
def test_bad_input_is_one_line_and_status_2(one, tmp_path, monkeypatch, capsys, content, said):
    path = tmp_path / "some.txt"
    if content is not None:
        path.write_bytes(content)
    status, output, errors = main(one, monkeypatch, capsys, path)
    assert status == 2 and output == ""
    assert len(errors.splitlines()) == 1 and said in errors and "some.txt" in errors, errors


@pytest.mark.parametrize(
    "options",
    [("--steps", "many"), ("--steps", 0), ("--seed", -1), ("--seed", 2**64), ("--speed", 3)],
)
def test_bad_options_are_one_line_and_status_2(one, text, monkeypatch, capsys, options):
    status, output, errors = main(one, monkeypatch, capsys, text, *options)
    assert status == 2 and output == "" and len(errors.splitlines()) == 1


def test_a_missing_file_has_status_2_in_a_process_of_its_own(tmp_path):
    done = run(tmp_path / "none.txt")
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1


def test_an_interrupt_ends_it_without_a_traceback(text):
    process = subprocess.Popen(
        [sys.executable, FILE, text, "--steps", "100000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline()  # it is training
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1 and errors.strip() == "stopped"
