"""One update of the weights, against arithmetic done by hand; the groups, the schedule, the rows; and that a model learns."""

import copy
import dataclasses
import functools
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from deviations import deviation

from minibert import BertForPreTraining, training
from minibert.data import TokenFile, write_tokens
from minibert.data.masking import IGNORE
from minibert.optim import decayed, make_optimizers, schedule, set_learning_rate
from minibert.training import Batches, Pretraining, PretrainingOptions, choose_precision
from tools.environment import ROOT
from tiny_run import CONFIG, OPTIONS, TOKENIZER, V, equal, make_run, weights, write_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> TokenFile:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "text.tokens")


@pytest.fixture
def double(monkeypatch):
    """Runs in double precision, so that nothing but a mistake can differ."""
    monkeypatch.setattr(training, "choose_precision", lambda wanted, device: torch.float64)
    def make(corpus, config=CONFIG, **changes):
        torch.manual_seed(1)
        return Pretraining(BertForPreTraining(config).double(), corpus, TOKENIZER, PretrainingOptions(**OPTIONS | changes))
    return make


def whole_batch(run: Pretraining, step: int) -> dict[str, torch.Tensor]:
    pieces = [piece for piece, _ in run.batches.pieces(step)]
    return {name: torch.cat([piece[name] for piece in pieces]) for name in pieces[0]}


# -- groups of parameters ----------------------------------------------------------------------------------------------

def groups_of(optimizers) -> dict[str, tuple[str, float]]:
    """Parameter name: its optimiser and its weight decay."""
    return {name: (type(optimizer).__name__, group["weight_decay"])
            for optimizer in optimizers for group in optimizer.param_groups for name in group["param_names"]}


@pytest.mark.parametrize("norm_first", [False, True])
def test_weight_decay_spares_biases_and_norms_and_nothing_else(norm_first):
    model = BertForPreTraining(dataclasses.replace(CONFIG, norm_first=norm_first))
    found = groups_of(make_optimizers(model, "adamw", 1e-3, 1e-3, 0.01))
    # independent of names: norms are the parameters of the LayerNorm modules, biases what is called so
    spared = {f"{place}.{name}" for place, module in model.named_modules() for name, _ in module.named_parameters(recurse=False)
              if isinstance(module, torch.nn.LayerNorm) or name == "bias"}
    assert found == {name: ("AdamW", 0.0 if name in spared else 0.01) for name, _ in model.named_parameters()}
    assert len(spared) > 20 and "cls.predictions.bias" in spared and "bert.embeddings.word_embeddings.weight" not in spared


@deviation("What weight decay spares",
           paper="\"L2 weight decay of 0.01\"",
           original="decoupled decay, on everything but biases and norms; on the word table too",
           reference="the same by convention",
           here="the same",
           why="decay on a norm pulls its factor from 1 to 0")
def test_the_groups_are_those_of_the_original():
    """google-research/bert leaves out what contains LayerNorm, layer_norm or bias: under its own names for the same parameters."""
    for name, _ in BertForPreTraining(CONFIG).named_parameters():
        original = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        assert decayed(name) == (not any(part in original for part in ("LayerNorm", "layer_norm", "bias")))


def test_muon_gets_the_matrices_inside_and_nothing_else():
    found = groups_of(make_optimizers(BertForPreTraining(CONFIG), "muon", 1e-3, 2e-3, 0.01))
    matrices = {f"bert.encoder.layer.{layer}.{part}.weight" for layer in (0, 1)
                for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
                             "intermediate.dense", "output.dense")} | {"bert.pooler.dense.weight", "cls.predictions.transform.dense.weight"}
    assert {name for name, (optimizer, _) in found.items() if optimizer == "Muon"} == matrices
    assert found.keys() == dict(BertForPreTraining(CONFIG).named_parameters()).keys(), "each parameter once"


def test_muon_decays_its_matrices_like_the_tables():
    found = groups_of(make_optimizers(BertForPreTraining(CONFIG), "muon", 1e-3, 1e-3, 0.03))
    assert {decay for name, (_, decay) in found.items() if decayed(name)} == {0.03} and {kind for kind, _ in found.values()} == {"AdamW", "Muon"}


def test_an_unknown_optimiser_is_not_taken_for_adamw():
    with pytest.raises(ValueError, match="optimizer must be one of muon, adamw, not 'sgd'"):
        make_optimizers(BertForPreTraining(CONFIG), "sgd", 1e-3, 1e-3, 0.01)


def test_muon_is_refused_where_pytorch_lacks_it(monkeypatch):
    monkeypatch.delattr(torch.optim, "Muon")
    with pytest.raises(ValueError, match="'muon' needs PyTorch 2.9 or later; this is .* Use optimizer 'adamw'"):
        make_optimizers(BertForPreTraining(CONFIG), "muon", 1e-3, 1e-3, 0.01)


def test_the_recipe_does_not_rest_on_the_defaults_of_pytorch(monkeypatch):
    """beta 0.9 and 0.999 are in the paper (Devlin et al. 2018, appendix A.2), epsilon 1e-6 in the original program."""
    strange = functools.partial(torch.optim.AdamW, betas=(0.5, 0.5), eps=0.5, weight_decay=0.5)
    monkeypatch.setattr(torch.optim, "AdamW", strange)
    monkeypatch.setattr(torch.optim, "Muon", functools.partial(torch.optim.Muon, momentum=0.5, weight_decay=0.5))
    adamw, muon = make_optimizers(BertForPreTraining(CONFIG), "muon", 1e-3, 1e-3, 0.01)
    assert all((group["betas"], group["eps"]) == ((0.9, 0.999), 1e-6) for group in adamw.param_groups)
    assert {group["weight_decay"] for group in adamw.param_groups} == {0.01, 0.0}
    assert [(group["momentum"], group["weight_decay"]) for group in muon.param_groups] == [(0.95, 0.01)]


def test_adamw_is_fused_where_pytorch_can():
    """The tokens a second in benchmarks/logs/speed.json were counted with the fused form; PyTorch has it for some devices only."""
    model = BertForPreTraining(CONFIG)
    assert all(group["fused"] for group in make_optimizers(model, "adamw", 1e-3, 1e-3, 0.01)[0].param_groups)
    model.bert.pooler.to("meta")
    assert not any(group["fused"] for group in make_optimizers(model, "adamw", 1e-3, 1e-3, 0.01)[0].param_groups)


# -- schedule ----------------------------------------------------------------------------------------------------------

@deviation("The learning rate after warm-up",
           paper="warm-up over 10,000 steps, then linear decay",
           original="the decay counts from step 0: at the end of the warm-up the rate drops a little",
           here="the same; with `decay` below 1 the peak is held first",
           why="the course of the rate is part of the recipe")
def test_the_schedule_is_the_originals():
    """1000 steps, 100 of warm-up: t / 100 below 100, then 1 - t / 1000, with its drop from 0.99 to 0.90 at the hand-over."""
    factors = [schedule(step, 1000, 100) for step in range(1000)]
    assert factors == [step / 100 if step < 100 else 1 - step / 1000 for step in range(1000)]
    assert factors[0] == 0.0 and factors[99:101] == [0.99, 0.9]


def test_a_late_decay_keeps_the_peak_before():
    factors = [schedule(step, 100, 10, decay_share=0.2) for step in range(100)]
    assert factors[10:81] == pytest.approx([1.0] * 71) and factors[90] == pytest.approx(0.5) and factors[99] == pytest.approx(0.05)


def test_no_warmup_begins_at_the_peak():
    assert schedule(0, 10, 0) == 1.0


def test_one_factor_moves_all_groups_from_their_own_peaks():
    optimizers = make_optimizers(BertForPreTraining(CONFIG), "muon", 1e-3, 4e-3, 0.01)
    for factor in (0.5, 0.25):                              # twice: the peak itself does not move
        set_learning_rate(optimizers, factor)
    assert [[group["lr"] for group in optimizer.param_groups] for optimizer in optimizers] == [[0.25e-3, 0.25e-3], [1e-3]]


# -- one update --------------------------------------------------------------------------------------------------------

def readable_gradients(run: Pretraining, step: int) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Loss and gradients of a whole batch by BertForPreTraining itself, which knows no pieces and no sums."""
    model = copy.deepcopy(run.model)
    words, pairs = ({name: tensor for name, tensor in whole_batch(run, step).items() if name != left_out} for left_out in ("next_sentence_label", "labels"))
    loss = model(**words).loss + run.options.pair_weight * model(**pairs).loss
    loss.backward()
    return loss.detach(), {name: parameter.grad for name, parameter in model.named_parameters()}


@deviation("The correction of Adam",
           paper="Adam, which Kingma & Ba 2014 correct for its zero start",
           original="no correction",
           reference="with correction",
           here="with correction",
           why="without it the first steps are about three times as large")
@pytest.mark.parametrize("micro_batch, changes", [(12, {}), (5, {}), (1, {}), (5, {"pair_share": 0.6, "pair_weight": 0.3, "shift_share": 0.5, "all_mask": True})])
@pytest.mark.parametrize("clip", [1e9, 0.05])
def test_an_update_is_adamw_done_by_hand(corpus, double, micro_batch, changes, clip):
    """Three steps: mean losses over the whole batch whatever its pieces, clipping, moments, decay, schedule; Kingma & Ba 2014, algorithm 1."""
    run = double(corpus, optimizer="adamw", micro_batch=micro_batch, clip=clip, learning_rate=0.01, warmup=2, copy_positions=False, **changes)
    moments = {name: [torch.zeros_like(parameter), torch.zeros_like(parameter)] for name, parameter in run.model.named_parameters()}
    clipped = []
    for step in range(4):
        if micro_batch == 5:
            assert len({int((piece["labels"] != IGNORE).sum()) for piece, _ in run.batches.pieces(step)}) > 1, "unequal pieces, or a mean of means passes"
        before, (loss, gradients) = weights(run), readable_gradients(run, step)
        progress = run.train_step()
        assert progress.word_loss + run.options.pair_weight * progress.pair_loss == pytest.approx(float(loss), rel=1e-12)
        norm = math.sqrt(sum(float(gradient.square().sum()) for gradient in gradients.values()))
        assert progress.gradient_norm == pytest.approx(norm, rel=1e-12)
        clipped.append(norm > clip)
        rate = 0.01 * (step / 2 if step < 2 else 1 - step / 5)
        assert progress.learning_rate == pytest.approx(rate)
        for name, parameter in run.model.named_parameters():
            gradient = gradients[name] * min(1.0, clip / (norm + 1e-6))
            first, second = moments[name]
            first.mul_(0.9).add_(0.1 * gradient)
            second.mul_(0.999).add_(0.001 * gradient.square())
            update = first / (1 - 0.9 ** (step + 1)) / ((second / (1 - 0.999 ** (step + 1))).sqrt() + 1e-6)
            wanted = before[name] * (1 - rate * (0.01 if decayed(name) else 0.0)) - rate * update
            assert torch.allclose(parameter, wanted, rtol=0, atol=1e-12), name
    assert all(clipped) == (clip < 1) and any(clipped) == (clip < 1)


def test_accuracies_are_shares_of_the_predictions(corpus, double):      # M6
    run = double(corpus)
    batch = whole_batch(run, 0)
    with torch.no_grad():
        run.model.cls.predictions.bias[batch["labels"][batch["labels"] != IGNORE][0]] = 99.0       # one word is always said, and sometimes right
        out = run.model(**{name: value for name, value in batch.items() if name not in ("labels", "next_sentence_label")})
    masked = batch["labels"] != IGNORE
    progress = run.train_step()
    assert 0 < progress.word_accuracy == pytest.approx(float((out.prediction_logits.argmax(-1) == batch["labels"])[masked].double().mean()))
    assert progress.pair_accuracy == pytest.approx(float((out.seq_relationship_logits.argmax(-1) == batch["next_sentence_label"]).double().mean()))
    assert progress.tokens == int(batch["attention_mask"].sum()) and progress.step == run.step == 1


def test_all_parameters_move_but_not_in_the_first_step_of_a_warmup(corpus):
    run = make_run(corpus, warmup=2)
    start = weights(run)
    run.train_step()                                        # its learning rate is 0, as in the original
    assert all(torch.equal(tensor, start[name]) for name, tensor in run.model.state_dict().items())
    run.train_step()
    assert [name for name, tensor in run.model.state_dict().items() if torch.equal(tensor, start[name])] == []


def test_without_next_sentence_its_parts_stay_as_they_were(corpus):
    run = make_run(corpus, next_sentence=False, warmup=0)
    start = weights(run)
    progress = run.train_step()
    assert progress.pair_loss == progress.pair_accuracy == 0.0
    pieces = [piece for step in range(4) for piece, _ in run.batches.pieces(step)]
    assert not any(piece["token_type_ids"].any() for piece in pieces)           # running text: no second segment, and no foreign one
    unmoved = {name for name, tensor in run.model.state_dict().items() if torch.equal(tensor, start[name])}
    assert unmoved == {"bert.pooler.dense.weight", "bert.pooler.dense.bias", "cls.seq_relationship.weight", "cls.seq_relationship.bias"}


def test_a_share_of_the_rows_are_pairs_and_the_others_count_for_no_pair(corpus, double):
    run = double(corpus, pair_share=0.4)
    batch = whole_batch(run, 0)
    is_pair = batch["next_sentence_label"] != IGNORE
    assert is_pair.sum() == 4 and torch.equal(is_pair, batch["token_type_ids"].any(1))           # of 12
    out = run.model(**{name: value for name, value in batch.items() if name not in ("labels", "next_sentence_label")})
    log_p = out.seq_relationship_logits[is_pair].log_softmax(-1)
    progress, labels = run.train_step(), batch["next_sentence_label"][is_pair]
    assert progress.pair_loss == pytest.approx(-log_p[torch.arange(4), labels].mean().item())
    assert progress.pair_accuracy == pytest.approx(float((log_p.argmax(-1) == labels).double().mean()))


@pytest.mark.parametrize("mask_rate", [1e-9, 1.0])
def test_a_batch_without_any_masked_word_is_no_division_by_zero(corpus, mask_rate):
    run = make_run(corpus, mask_rate=mask_rate, warmup=0)
    for _ in range(2):
        progress = run.train_step()
        assert (progress.word_loss == progress.word_accuracy == 0.0) == (mask_rate < 1) and math.isfinite(progress.gradient_norm)
    assert all(tensor.isfinite().all() for tensor in run.model.state_dict().values())


def test_dropout_is_another_in_each_step_and_the_same_in_each_repetition(corpus):
    config = dataclasses.replace(CONFIG, hidden_dropout_prob=0.5)
    one, other, without = make_run(corpus, config), make_run(corpus, config), make_run(corpus)
    torch.manual_seed(99)                                   # what else used random numbers does not matter
    losses = [run.train_step().word_loss for run in (one, other, without)]
    assert losses[0] == losses[1] != losses[2]


# -- rows --------------------------------------------------------------------------------------------------------------

def test_the_last_steps_have_long_rows_with_as_many_tokens(corpus):
    batches = Batches(corpus, TOKENIZER, PretrainingOptions(**OPTIONS))         # 5 steps, two fifths of them long
    shapes = [tuple(torch.cat([piece["labels"] for piece, _ in batches.pieces(step)]).shape) for step in range(5)]
    assert shapes == [(12, 16)] * 3 + [(6, 32)] * 2


def test_no_long_rows_where_their_share_is_zero(corpus):
    run = make_run(corpus, dataclasses.replace(CONFIG, max_position_embeddings=16), long_share=0.0)
    assert {piece["labels"].shape[1] for step in range(5) for piece, _ in run.batches.pieces(step)} == {16}


def test_hardly_a_row_comes_twice_in_an_epoch(corpus):
    """A run must not begin with the same rows in every step. Near a document's end two grid points may share a sentence."""
    batches = Batches(corpus, TOKENIZER, PretrainingOptions(**OPTIONS | {"long_share": 0.0, "mask_rate": 1e-9}))
    rows = torch.cat([piece["input_ids"] for step in range(5) for piece, _ in batches.pieces(step)])
    assert len(rows) == 60 and len(rows.unique(dim=0)) >= 58


def test_masks_are_drawn_anew_and_at_the_rate(corpus):
    options = PretrainingOptions(**OPTIONS | {"steps": 300, "long_share": 0.0, "mask_rate": 0.3})
    pieces = [piece for step in range(300) for piece, _ in Batches(corpus, TOKENIZER, options).pieces(step)]
    masked = torch.cat([piece["labels"] != IGNORE for piece in pieces])
    ordinary = sum(int(piece["attention_mask"].sum()) - 3 * len(piece["labels"]) for piece in pieces)
    assert int(masked.sum()) / ordinary == pytest.approx(0.3, abs=0.01)
    assert len(masked.unique(dim=0)) > 1000, "an epoch has some 200 rows"


@pytest.mark.parametrize("all_mask, shares", [(False, (0.8, 0.1)), (True, (1.0, 0.0))])
def test_what_becomes_of_the_words_to_predict(corpus, all_mask, shares):
    options = PretrainingOptions(**OPTIONS | {"steps": 300, "long_share": 0.0, "mask_rate": 0.3, "all_mask": all_mask})
    pieces = [piece for step in range(300) for piece, _ in Batches(corpus, TOKENIZER, options).pieces(step)]
    labels, ids = (torch.cat([piece[name] for piece in pieces]) for name in ("labels", "input_ids"))
    chosen = labels != IGNORE
    assert float((ids == TOKENIZER.mask_id)[chosen].double().mean()) == pytest.approx(shares[0], abs=0.01)
    assert float(((ids != TOKENIZER.mask_id) & (ids != labels))[chosen].double().mean()) == pytest.approx(shares[1], abs=0.01)


def test_shifted_rows_begin_anywhere_up_to_the_long_length(corpus):
    """16 tokens within 32, half of the rows from another place than 0, evenly; the long rows at the end need none of it."""
    options = PretrainingOptions(**OPTIONS | {"steps": 300, "batch_size": 24, "shift_share": 0.5})
    batches = Batches(corpus, TOKENIZER, options)
    position = torch.cat([piece["position_ids"] for step in range(180) for piece, _ in batches.pieces(step)])
    assert torch.equal(position - position[:, :1], torch.arange(16).repeat(len(position), 1))
    first = position[:, 0].bincount() / len(position)                                       # [17], 0 to 16
    assert first[0] == pytest.approx(0.5 + 0.5 / 17, abs=0.03) and all(abs(share - 0.5 / 17) < 0.01 for share in first[1:]) and len(first) == 17
    assert all("position_ids" not in piece for piece, _ in batches.pieces(180))
    assert all("position_ids" not in piece for piece, _ in Batches(corpus, TOKENIZER, PretrainingOptions(**OPTIONS)).pieces(0))


def test_masks_are_drawn_for_a_thousand_tokens_at_once(corpus):
    """Of 16-token rows for 64: the seed is of their first row, so that a run goes on bit for bit with a later version."""
    run = make_run(corpus, batch_size=130, micro_batch=130, long_share=0.0, mask_rate=0.3)
    found = torch.cat([piece["labels"] for piece, _ in run.batches.pieces(2)])
    unmasked = run.batches.stages[0][1].batch(2 * 130, 130)["input_ids"]
    for first, last in ((0, 64), (64, 128), (128, 130)):
        _, labels = run.batches._mask(unmasked[first:last], run.batches._seed(2, 0, first))
        assert torch.equal(found[first:last], labels)


@pytest.mark.parametrize("micro_batch", [130, 20])
@pytest.mark.parametrize("changes", [{"long_share": 0.0}, {"pair_share": 0.3, "shift_share": 0.5}])
def test_processes_share_a_batch_out_whatever_is_masked_together(corpus, micro_batch, changes):
    run = make_run(corpus, batch_size=130, micro_batch=micro_batch, **changes)
    whole = whole_batch(run, 2)
    pieces = [list(run.batches.pieces(2, rank, 3)) for rank in range(3)]
    for name, tensor in whole.items():
        assert torch.equal(torch.cat([piece[name] for of_rank in pieces for piece, _ in of_rank]), tensor)
    assert {len(of_rank) for of_rank in pieces} == {1 if micro_batch == 130 else 3} and len({seed for of_rank in pieces for _, seed in of_rank}) == sum(map(len, pieces))


def test_new_positions_begin_as_copies_of_the_trained_ones(corpus):
    """16 tokens, then 32: with no optimiser in that step, what is found afterwards is what it began with."""
    run = make_run(corpus)
    before = weights(run)["bert.embeddings.position_embeddings.weight"]
    for _ in range(3):
        run.train_step()
    trained = weights(run)["bert.embeddings.position_embeddings.weight"]
    assert not torch.equal(trained[:16], before[:16])
    run.optimizers = []
    run.train_step()
    extended = weights(run)["bert.embeddings.position_embeddings.weight"]
    assert torch.equal(extended, torch.cat([trained[:16], trained[:16]]))


@pytest.mark.parametrize("changes", [{"copy_positions": False}, {"length": 32, "short_length": 16, "short_share": 0.0, "long_length": 16}])
def test_positions_stay_where_they_are_trained_or_nothing_was_asked_for(corpus, changes):
    run = make_run(corpus, **changes)
    for _ in range(3):
        run.train_step()
    trained, run.optimizers = weights(run), []
    run.train_step()
    assert equal(weights(run), trained)


@pytest.mark.parametrize("positions", ["none", "sinusoidal"])
def test_positions_that_are_not_learned_need_no_copies(corpus, positions):
    run = make_run(corpus, dataclasses.replace(CONFIG, position_embedding_type=positions))
    assert [run.train_step().step for _ in range(5)] == [1, 2, 3, 4, 5]


# -- precision ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("has_it", [True, False])
def test_bfloat16_where_the_processor_has_it(has_it, monkeypatch):
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: has_it)
    cpu = torch.device("cpu")
    assert choose_precision("auto", cpu) == (torch.bfloat16 if has_it else torch.float32)
    assert choose_precision("float32", cpu) == torch.float32 and choose_precision("bfloat16", cpu) == torch.bfloat16


@pytest.mark.parametrize("has_it", [True, False])
def test_bfloat16_where_the_gpu_computes_in_it_and_does_not_only_imitate_it(has_it, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation=True: has_it or including_emulation)
    assert choose_precision("auto", torch.device("cuda")) == (torch.bfloat16 if has_it else torch.float32)


def test_bfloat16_leaves_the_weights_in_float32(corpus):
    run = make_run(corpus, precision="bfloat16")
    progress = run.train_step()
    assert run.precision == torch.bfloat16 and math.isfinite(progress.word_loss)
    assert {tensor.dtype for tensor in run.model.state_dict().values()} == {torch.float32}


# -- errors ------------------------------------------------------------------------------------------------------------

def test_the_defaults_are_those_that_were_measured(monkeypatch):
    """The README's first run gives five options, and its log was made with the defaults of the rest. What --help says of the
    switches is compared with the base of the small world. Long rows get the tenth that the original gives them."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    from small_world import BASE
    defaults = dataclasses.asdict(PretrainingOptions(steps=800))
    first = json.loads((ROOT / "benchmarks" / "logs" / "first-run.json").read_text(encoding="utf-8"))
    options, (session,) = first["settings"]["options"], first["sessions"]
    given = {name for name in options if f"--{name.replace('_', '-')} " in session["command"]}
    assert given == {"steps", "batch_size", "mask_rate", "short_share", "long_share"}
    options = {"shift_share": 0.0, "all_mask": False, "pair_share": 1.0, "pair_weight": 1.0} | options         # younger than the log
    assert {name: value for name, value in defaults.items() if name not in given} == {name: value for name, value in options.items() if name not in given}
    assert (defaults["batch_size"], defaults["mask_rate"], defaults["optimizer"]) == (BASE.batch_size, BASE.rate, BASE.optimizer)
    assert defaults["long_share"] == 0.1


@pytest.mark.parametrize("changes, message", [
    (dict(steps=0), "steps must be a whole number of at least 1, not 0"),
    (dict(batch_size=2.5), "batch_size must be a whole number of at least 1, not 2.5"),
    (dict(mask_rate=0.0), "mask_rate"),
    (dict(mask_rate=1.5), "mask_rate is a share: it must lie between 0 and 1, not 1.5"),
    (dict(decay=0.0), "decay"),
    (dict(pair_share=0.0), "pair_share must be above 0"),
    (dict(shift_share=1.2), "shift_share is a share"),
    (dict(learning_rate=-1.0), "learning_rate must be above 0, not -1.0"),
    (dict(learning_rate=math.inf), "learning_rate"),
    (dict(clip=math.nan), "clip"),
    (dict(optimizer="sgd"), "optimizer must be one of muon, adamw, not 'sgd'"),
    (dict(precision="float16"), "precision must be one of auto, bfloat16, float32, not 'float16'"),
    (dict(weight_decay=-0.1), "weight_decay"),
    (dict(warmup=-1), "warmup must be a whole number of at least 0, not -1"),
    (dict(short_share=0.2, short_length=16), "short_length 16 must be below length 16; or set short_share to 0"),
    (dict(short_share=0.7, short_length=8), "short_share 0.7 and long_share 0.4 are shares of one run: together at most 1"),
    (dict(seed=-1), "seed must be a whole number of at least 0, not -1"),
])
def test_options_that_cannot_be(changes, message):
    with pytest.raises(ValueError, match=message):
        PretrainingOptions(**OPTIONS | changes)


def test_a_run_that_does_not_fit_together(corpus):
    with pytest.raises(ValueError, match="rows of 32 tokens are longer than max_position_embeddings 16"):
        make_run(corpus, dataclasses.replace(CONFIG, max_position_embeddings=16))
    with pytest.raises(ValueError, match="text.tokens was cut with a vocabulary of 60, the model has 61"):
        make_run(corpus, dataclasses.replace(CONFIG, vocab_size=61))


def test_muon_cannot_be_sharded(corpus):
    with pytest.raises(ValueError, match="a sharded model needs the optimizer adamw, not muon"):
        Pretraining(BertForPreTraining(CONFIG), corpus, TOKENIZER, PretrainingOptions(**OPTIONS | {"optimizer": "muon"}), shard=True)


def test_as_many_processes_as_rows_are_enough_and_all_must_have_the_same_run(corpus):
    options, alike = PretrainingOptions(**OPTIONS), {}
    most = Batches(corpus, TOKENIZER, options).most_processes()

    def run(world):
        processes = SimpleNamespace(world=world, rank=0, check_alike=alike.update, share_out=lambda model, shard, all_used: model)
        return Pretraining(BertForPreTraining(CONFIG), corpus, TOKENIZER, options, processes)
    assert len(list(run(most).batches.pieces(0, 0, most))) == 1
    assert alike == {"options": options, "config": CONFIG, "corpus": corpus.checksum, "vocabulary": TOKENIZER.vocab, "precision": alike["precision"]}
    with pytest.raises(ValueError, match=f"{most + 1} processes cannot share a batch of {most} rows"):
        run(most + 1)


def test_another_seed_cuts_other_rows(corpus):
    def texts(seed):
        batch = whole_batch(make_run(corpus, seed=seed), 0)
        return torch.where(batch["labels"] == IGNORE, batch["input_ids"], batch["labels"])
    assert torch.equal(texts(3), texts(3)) and not torch.equal(texts(3), texts(4))


# -- learning ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_a_tiny_model_learns_from_context(tmp_path, optimizer):
    """Sentences repeat one of sixteen words: context tells each of them, frequencies tell nothing."""
    draw = np.random.default_rng(0)
    def document():
        topic = draw.integers(4)
        return [[int(5 + 4 * topic + draw.integers(4))] * 5 for _ in range(8)]
    write_tokens(tmp_path / "t", (document() for _ in range(200)), V)
    run = make_run(TokenFile(tmp_path / "t"), steps=200, batch_size=32, micro_batch=32, long_share=0.0, warmup=20, optimizer=optimizer,
                   learning_rate=1e-2, matrix_learning_rate=1e-2)
    seen = [run.train_step() for _ in range(200)]
    assert seen[0].word_loss == pytest.approx(math.log(V), abs=0.1) and seen[0].pair_loss == pytest.approx(math.log(2), abs=0.02)
    assert np.mean([progress.word_loss for progress in seen[-20:]]) < math.log(16) - 0.3
