"""The three heads: equal to the original's formulas, blind to padding, and open to the original's
weights."""

import logging
import math

import pytest
import torch
import torch.nn.functional as F
from deviation import deviation
from original_bertsum import original_scores, original_state

from minibert.positions import sinusoidal_table
from minibert.summarization import (
    InterSentenceEncoder,
    SentenceClassifier,
    SentenceRNN,
    load_bertsum_head,
)
from minibert.summarization.heads import LayerNormLSTMCell
from minibert.summarization.losses import sentence_loss

H = 24
HEADS = {
    "transformer": lambda **more: InterSentenceEncoder(H, 40, 4, 2, dropout=0.0, **more),
    "transformer without positions": lambda: InterSentenceEncoder(
        H, 40, 4, 2, dropout=0.0, positions=False
    ),
    "classifier": lambda: SentenceClassifier(H),
    "classifier of two layers": lambda: SentenceClassifier(H, 10, dropout=0.0),
    "rnn": lambda: SentenceRNN(H, dropout=0.0),
    "rnn as published": lambda: SentenceRNN(H, dropout=0.0, reference_quirks=True),
}
MENDED = [name for name in HEADS if name != "rnn as published"]


def ragged(*lengths, hidden=H, dtype=torch.float32):
    """Random sentence vectors [B, N, H], rubbish at padding too, and the mask [B, N] of documents
    of these lengths."""
    mask = torch.arange(max(max(lengths), 1)) < torch.tensor(lengths)[:, None]
    return torch.randn(*mask.shape, hidden, dtype=dtype), mask


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# ---------------------------------------------------------------- the inter-sentence transformer,
# from the formulas


@deviation(
    "Where the norm stands between sentences",
    paper="post-norm (Liu 2019, equations 2 and 3)",
    original="pre-norm, the first layer without its first norm, one norm at the end",
    here="the original program",
    why="its released weights, and its numbers, come from the program",
)
@pytest.mark.parametrize("heads", [1, 4, 12])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_scores_equal_the_originals_on_ragged_documents(layers, heads):
    state = original_state(layers)
    head = load_bertsum_head(state, heads)
    assert not head.training
    for lengths in [(9, 4, 1), (1,), (30, 29)]:
        vectors, mask = ragged(*lengths)
        torch.testing.assert_close(
            head(vectors, mask), original_scores(state, heads, vectors, mask), rtol=0, atol=1e-6
        )


@pytest.mark.parametrize("layers, heads", [(1, 1), (2, 4), (3, 3)])
def test_gradients_equal_the_originals(layers, heads):
    state = {
        name: tensor.requires_grad_()
        for name, tensor in original_state(layers, dtype=torch.float64).items()
    }
    head = load_bertsum_head(state, heads).double()
    vectors, mask = ragged(7, 3, 1, dtype=torch.float64)
    ours, theirs = vectors.clone().requires_grad_(), vectors.clone().requires_grad_()
    weights = torch.randn(mask.shape, dtype=torch.float64)
    (head(ours, mask) * weights).sum().backward()
    (original_scores(state, heads, theirs, mask) * weights).sum().backward()
    torch.testing.assert_close(ours.grad, theirs.grad, rtol=0, atol=1e-6)
    pairs = [("scorer", "wo"), ("encoder.norm", "layer_norm")]
    for i in range(layers):
        pairs += [
            (f"encoder.layer.{i}.{mine}", f"transformer_inter.{i}.{other}")
            for mine, other in [
                ("attention.self.query", "self_attn.linear_query"),
                ("attention.self.key", "self_attn.linear_keys"),
                ("attention.self.value", "self_attn.linear_values"),
                ("attention.output.dense", "self_attn.final_linear"),
                ("intermediate.dense", "feed_forward.w_1"),
                ("output.dense", "feed_forward.w_2"),
                ("output.LayerNorm", "feed_forward.layer_norm"),
            ]
        ]
        pairs += (
            [(f"encoder.layer.{i}.attention.output.LayerNorm", f"transformer_inter.{i}.layer_norm")]
            if i
            else []
        )
    parameters = dict(head.named_parameters())
    assert len(parameters) == 2 * len(pairs)
    for mine, other in pairs:
        for kind in ("weight", "bias"):
            torch.testing.assert_close(
                parameters[f"{mine}.{kind}"].grad,
                state[f"{other}.{kind}"].grad,
                rtol=0,
                atol=1e-6,
                msg=mine,
            )
    assert state["transformer_inter.0.layer_norm.weight"].grad is None  # the dead norm


def test_the_number_of_heads_matters():
    state, (vectors, mask) = original_state(2), ragged(6, 3)
    assert (
        load_bertsum_head(state, 4)(vectors, mask) - load_bertsum_head(state, 2)(vectors, mask)
    ).abs().max() > 1e-3


def test_attention_over_sentences_is_pytorchs_encoder_layer_with_the_norms_inside():
    head = InterSentenceEncoder(H, 40, 4, 3, dropout=0.0).eval()
    vectors, mask = ragged(6, 2)
    x = vectors * mask[:, :, None] + sinusoidal_table(6, H)
    for i, layer in enumerate(head.encoder.layer):
        twin = torch.nn.TransformerEncoderLayer(
            H,
            4,
            40,
            0.0,
            lambda x: F.gelu(x, approximate="tanh"),
            1e-6,
            batch_first=True,
            norm_first=True,
        )
        own = layer.attention.self
        weights = {
            "self_attn.in_proj_weight": torch.cat(
                [own.query.weight, own.key.weight, own.value.weight]
            ),
            "self_attn.in_proj_bias": torch.cat([own.query.bias, own.key.bias, own.value.bias]),
        }
        for theirs, module in (
            ("self_attn.out_proj", layer.attention.output.dense),
            ("linear1", layer.intermediate.dense),
            ("linear2", layer.output.dense),
            ("norm1", layer.attention.output.LayerNorm if i else twin.norm1),
            ("norm2", layer.output.LayerNorm),
        ):
            weights |= {f"{theirs}.{name}": tensor for name, tensor in module.state_dict().items()}
        twin.load_state_dict(weights)
        if i == 0:
            twin.norm1 = torch.nn.Identity()
        x = twin(x, src_key_padding_mask=~mask)
    wanted = head.scorer(head.encoder.norm(x)).squeeze(-1).sigmoid()
    torch.testing.assert_close(head(vectors, mask)[mask], wanted[mask], rtol=0, atol=1e-6)


def test_published_size():
    with torch.device("meta"):
        head = InterSentenceEncoder(768)
    unused = 2 * 768  # the first norm, which the original makes for nothing
    assert sum(parameter.numel() for parameter in head.parameters()) == 11_030_273 - unused


def test_without_positions_the_order_of_the_sentences_is_not_seen():
    vectors, mask = ragged(5)
    order = torch.tensor([3, 0, 4, 1, 2])
    for positions, same in ((False, True), (True, False)):
        head = HEADS["transformer"](positions=positions).eval()
        assert (
            torch.allclose(head(vectors, mask)[:, order], head(vectors[:, order], mask), atol=1e-6)
            == same
        )


# ---------------------------------------------------------------- the original's files


def long_table(state):
    table = sinusoidal_table(5000, H)[None]
    return state | {
        "pos_emb.pe": table + 5e-4 * torch.randn(table.shape).clamp(-1, 1)
    }  # as far off as float32 is at 5,000


@pytest.mark.parametrize(
    "change",
    [
        long_table,
        lambda state: state | {"pos_emb.pe": sinusoidal_table(3, H)},
        lambda state: {name: tensor.half() for name, tensor in long_table(state).items()},
        lambda state: {name: tensor.bfloat16() for name, tensor in long_table(state).items()},
    ],
    ids=["as released", "short", "float16", "bfloat16"],
)
def test_the_position_table_may_be_there(change):
    state = change(original_state(2))
    head = load_bertsum_head(state, 4)
    assert all(parameter.dtype == torch.float32 for parameter in head.parameters())
    vectors, mask = ragged(8, 5)
    wanted = original_scores(
        {name: tensor.float() for name, tensor in state.items()}, 4, vectors, mask
    )
    torch.testing.assert_close(head(vectors, mask), wanted, rtol=0, atol=1e-6)


@deviation(
    "A norm that is never used",
    original="the first layer has a first norm that nothing calls: it is saved, and gets no "
    "gradient",
    here="left out; loading says so",
    why="a parameter without a gradient stops training on several machines",
)
def test_the_dead_norm_is_left_out_and_said(caplog):
    state = original_state(2)
    with caplog.at_level(logging.WARNING):
        head = load_bertsum_head(state, 4)
    dead = ["transformer_inter.0.layer_norm.weight", "transformer_inter.0.layer_norm.bias"]
    assert head.unused_keys == dead
    assert [record.getMessage() for record in caplog.records] == [
        f"{', '.join(dead)}: in the file, but the original never uses it; left out"
    ]
    caplog.clear()
    without = load_bertsum_head(
        {name: tensor for name, tensor in state.items() if name not in dead}, 4
    )
    assert without.unused_keys == [] and not caplog.records
    vectors, mask = ragged(4, 2)
    assert torch.equal(head(vectors, mask), without(vectors, mask))


def test_names_in_a_file_do_not_command_the_terminal(caplog):
    state = original_state(2)
    state["transformer_inter.0.layer_norm.\x1b[31m\n\u202e"] = torch.zeros(1)
    with caplog.at_level(logging.WARNING):
        load_bertsum_head(state, 4)
    assert "layer_norm.\\x1b[31m\\n\\u202e" in caplog.text and "\x1b" not in caplog.text


def test_the_given_state_stays_as_it_was_and_is_not_shared():
    state = original_state(1)
    before = {name: tensor.clone() for name, tensor in state.items()}
    with torch.no_grad():
        load_bertsum_head(state, 4).scorer.weight.zero_()
    assert state.keys() == before.keys() and all(
        torch.equal(tensor, before[name]) for name, tensor in state.items()
    )


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda s: s.pop("wo.bias"), "wo.bias is missing"),
        (
            lambda s: s.pop("transformer_inter.1.layer_norm.weight"),
            "transformer_inter.1.layer_norm.weight is missing",
        ),
        (
            lambda s: [s.pop(name) for name in list(s) if ".1." in name and "w_1" not in name],
            "transformer_inter.1.self_attn.linear_query.weight is missing.*and 9 more",
        ),
        (lambda s: s.update({"wo.scale": torch.ones(1)}), "wo.scale has no place"),
        (
            lambda s: s.update({"scorer.weight": s.pop("wo.weight")}),
            "scorer.weight has no place; wo.weight is missing",
        ),  # our own name is no name of theirs
        (
            lambda s: s.update({"transformer_inter.0.layer_norm2.weight": torch.ones(H)}),
            "transformer_inter.0.layer_norm2.weight has no place",
        ),
        (
            lambda s: s.update({"transformer_inter.7.feed_forward.w_1.bias": torch.ones(40)}),
            "transformer_inter.7.feed_forward.w_1.bias has no place",
        ),
        (
            lambda s: s.update({"wo.weight": torch.ones(2, H)}),
            r"wo.weight has the shape \[2, 24\], wanted \[1, 24\]",
        ),
        (
            lambda s: s.update({"transformer_inter.1.feed_forward.w_2.bias": torch.ones(40)}),
            r"w_2.bias has the shape \[40\], wanted \[24\]",
        ),
        (
            lambda s: s.update({"layer_norm.bias": torch.ones(H, dtype=torch.int64)}),
            "layer_norm.bias holds torch.int64, wanted floating-point",
        ),
        (
            lambda s: s.update({"pos_emb.pe": torch.randn(1, 50, H)}),
            r"pos_emb.pe of shape \[1, 50, 24\] is not the table of sines",
        ),
        (
            lambda s: s.update({"pos_emb.pe": sinusoidal_table(50, 12)}),
            r"pos_emb.pe of shape \[50, 12\] is not the table of sines and cosines of 24",
        ),
        (
            lambda s: s.update({"pos_emb.pe": torch.zeros(H)}),
            r"pos_emb.pe of shape \[24\] is not the table",
        ),
        (
            lambda s: s.pop("transformer_inter.0.feed_forward.w_1.weight"),
            "is no inter-sentence transformer of "
            "BertSum.*'transformer_inter.0.feed_forward.w_1.weight'",
        ),
        (
            lambda s: s.update({"transformer_inter.0.feed_forward.w_1.weight": torch.ones(3)}),
            "is no inter-sentence transformer",
        ),
    ],
)
def test_states_that_do_not_fit_are_refused_by_name(change, said):
    state = original_state(2)
    change(state)
    with pytest.raises(ValueError, match=said):
        load_bertsum_head(state, 4)


@pytest.mark.parametrize("heads", [0, 5, 2.0, True])
def test_a_number_of_heads_that_cannot_be(heads):
    with pytest.raises(ValueError, match="num_attention_heads"):
        load_bertsum_head(original_state(1), heads)


# ---------------------------------------------------------------- the recurrent head


def lstm_step(cell, x, h, c):
    """Ba et al. 2016, for one sentence, from the cell's own tensors: gates in, forget, out, new."""

    def norm(v, layer):
        return (v - v.mean()) / (v.var(unbiased=False) + 1e-5).sqrt() * layer.weight + layer.bias

    gates = norm(cell.input_map.weight @ x + cell.input_map.bias, cell.input_norm) + norm(
        cell.hidden_map.weight @ h + cell.hidden_map.bias, cell.hidden_norm
    )
    i, f, o, g = gates.split(len(h))
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(norm(c, cell.cell_norm)), c


def lstm_states(cell, sentences):
    """What one direction says after each of the sentences."""
    h = c = torch.zeros(H // 2, dtype=sentences[0].dtype)
    states = []
    for x in sentences:
        h, c = lstm_step(cell, x, h, c)
        states.append(h)
    return states


def random_rnn(**options):
    head = SentenceRNN(H, **options).double().eval()
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.normal_(std=0.5)
    return head


def test_the_mended_lstm_by_hand():
    head = random_rnn()
    vectors, mask = ragged(6, 1, 4, dtype=torch.float64)
    scores, recurrent = head(vectors, mask), head.recurrent(vectors * mask[:, :, None], mask)
    for row, length in enumerate((6, 1, 4)):
        sentences = list(vectors[row, :length])
        forwards, backwards = (
            lstm_states(head.directions[0], sentences),
            lstm_states(head.directions[1], sentences[::-1])[::-1],
        )
        for n in range(length):
            both = torch.cat([forwards[n], backwards[n]])
            torch.testing.assert_close(recurrent[row, n], both)
            torch.testing.assert_close(
                scores[row, n],
                torch.sigmoid(head.scorer.weight[0] @ (both + sentences[n]) + head.scorer.bias[0]),
            )


@deviation(
    "The LSTM over sentences",
    paper="an LSTM state for every sentence",
    original="one list is aliased for all steps: every sentence gets the states of the last",
    here="a state for every sentence; `reference_quirks=True` as published",
    why="what was published as an LSTM is a classifier with one vector for the whole document",
)
def test_as_published_every_sentence_gets_the_last_states():
    head = random_rnn(reference_quirks=True)
    vectors, mask = ragged(6, 6, dtype=torch.float64)
    recurrent = head.recurrent(vectors, mask)
    assert (recurrent == recurrent[:, :1]).all()
    for row in range(2):
        last = torch.cat(
            [
                lstm_states(head.directions[0], list(vectors[row]))[-1],
                lstm_states(head.directions[1], list(vectors[row].flip(0)))[-1],
            ]
        )
        torch.testing.assert_close(recurrent[row, 0], last)
        wanted = torch.sigmoid((last + vectors[row]) @ head.scorer.weight[0] + head.scorer.bias[0])
        torch.testing.assert_close(head(vectors, mask)[row], wanted)


@deviation(
    "Padding in the LSTM",
    original="runs through it: a score depends on the other documents of the batch",
    here="never counts",
    why="a document has one score, alone or in a batch",
)
def test_as_published_padding_runs_through_the_lstm_as_zeros():
    head = random_rnn(reference_quirks=True)
    vectors, mask = ragged(2, 5, dtype=torch.float64)
    sentences = list((vectors * mask[:, :, None])[0])
    last = torch.cat(
        [
            lstm_states(head.directions[0], sentences)[-1],
            lstm_states(head.directions[1], sentences[::-1])[-1],
        ]
    )
    wanted = torch.sigmoid((last + vectors[0, :2]) @ head.scorer.weight[0] + head.scorer.bias[0])
    torch.testing.assert_close(head(vectors, mask)[0, :2], wanted)
    assert (head(vectors, mask)[0, :2] - head(vectors[:1, :2], mask[:1, :2])[0]).abs().max() > 1e-3


def test_each_direction_of_the_mended_lstm_sees_its_side_only():
    head = random_rnn()
    vectors, mask = ragged(6, dtype=torch.float64)
    changed = vectors.clone()
    changed[0, 3] += 1
    moved = (
        (head.recurrent(vectors, mask) != head.recurrent(changed, mask))[0]
        .unflatten(-1, (2, -1))
        .any(dim=-1)
        .T.tolist()
    )
    assert moved == [[False] * 3 + [True] * 3, [True] * 4 + [False] * 2]


def test_the_cell_with_norms_switched_off_is_pytorchs():
    cell, twin = LayerNormLSTMCell(H, H // 2), torch.nn.LSTMCell(H, H // 2)
    cell.input_norm = cell.hidden_norm = cell.cell_norm = torch.nn.Identity()
    take, keep, new, give = range(4)  # PyTorch has the new value third and the output gate last
    order = torch.cat([torch.arange(H // 2) + H // 2 * part for part in (take, keep, give, new)])
    with torch.no_grad():
        for own, weight, bias in (
            (cell.input_map, twin.weight_ih, twin.bias_ih),
            (cell.hidden_map, twin.weight_hh, twin.bias_hh),
        ):
            own.weight.copy_(weight[order])
            own.bias.copy_(bias[order])
    x, h, c = torch.randn(3, H), torch.randn(3, H // 2), torch.randn(3, H // 2)
    for ours, theirs in zip(cell(x, h, c), twin(x, (h, c))):
        torch.testing.assert_close(ours, theirs)


# ---------------------------------------------------------------- the classifier


def test_the_classifier_by_hand():
    head = SentenceClassifier(H)
    weight, bias = head.scorer.weight[0].tolist(), head.scorer.bias.item()
    vectors, mask = ragged(3, 2)
    for row, length in enumerate((3, 2)):
        for n in range(length):
            logit = sum(w * x for w, x in zip(weight, vectors[row, n].tolist())) + bias
            assert head(vectors, mask)[row, n].item() == pytest.approx(
                1 / (1 + math.exp(-logit)), abs=1e-6
            )


def test_the_classifier_of_two_layers():
    head = SentenceClassifier(H, inner_size=10, dropout=0.0)
    norm, inner = head.inner[0], head.inner[2]
    vectors, mask = ragged(3, 2)
    hidden = F.gelu(F.layer_norm(vectors, [H]) @ inner.weight.T + inner.bias)
    assert (norm.weight == 1).all() and (norm.bias == 0).all() and hidden.shape[-1] == 10
    assert torch.allclose(
        head(vectors, mask)[mask],
        (hidden @ head.scorer.weight[0] + head.scorer.bias).sigmoid()[mask],
        atol=1e-6,
    )
    assert (
        SentenceClassifier(H, **head.sizes).inner[2].weight.shape == inner.weight.shape
        and SentenceClassifier(H).sizes == {}
    )


# ---------------------------------------------------------------- what holds for all of them


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("rubbish", [1e6, math.nan, math.inf, -math.inf])
def test_what_stands_at_padding_is_never_looked_at(name, rubbish):
    head = HEADS[name]()
    vectors, mask = ragged(5, 2, 0)
    spoiled = vectors.masked_fill(~mask[:, :, None], rubbish)
    results = []
    for given in (vectors, spoiled):
        head.zero_grad()
        scores = head(given, mask)
        sentence_loss(head.logits(given, mask), mask.float(), mask).backward()
        results.append([scores, *(parameter.grad for parameter in head.parameters())])
    for clean, spoilt in zip(*results):
        assert torch.equal(clean, spoilt) and clean.isfinite().all()
    assert (results[0][0][~mask] == 0).all() and (results[0][0][mask] > 0).all()


@pytest.mark.parametrize("name", MENDED)
def test_padding_changes_nothing(name):
    head = HEADS[name]().eval()
    vectors, mask = ragged(9, 4, 1)
    together = head(vectors, mask)
    for row, length in enumerate((9, 4, 1)):
        alone = head(vectors[row : row + 1, :length], mask[row : row + 1, :length])
        torch.testing.assert_close(together[row, :length], alone[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", HEADS)
def test_padded_slots_may_change_places(name):
    head = HEADS[name]().eval()
    vectors, mask = ragged(3, 8)
    swapped = vectors.clone()
    swapped[0, 3:] = vectors[0, 3:].flip(0)
    assert torch.equal(head(vectors, mask), head(swapped, mask))


@pytest.mark.parametrize("name", HEADS)
def test_one_sentence_and_none(name):
    head = HEADS[name]().eval()
    vectors, mask = ragged(1)
    assert head(vectors, mask).shape == (1, 1) and 0 < head(vectors, mask) < 1
    scores = head(*ragged(0, 0))
    assert scores.shape == (2, 1) and (scores == 0).all()
    assert head.logits(*ragged(0, 0)).isfinite().all()


@pytest.mark.parametrize("name", HEADS)
def test_gradients_reach_every_parameter_and_every_sentence(name):
    head = HEADS[name]()
    vectors, mask = ragged(6, 3)
    vectors.requires_grad_()
    sentence_loss(head.logits(vectors, mask), (torch.rand(2, 6) < 0.5).float(), mask).backward()
    for parameter_name, parameter in head.named_parameters():
        nothing_to_learn = parameter_name.endswith(
            "key.bias"
        )  # added to all keys alike, it moves all scores alike
        assert (parameter.grad.abs().max() < 1e-6) == nothing_to_learn, parameter_name
    assert ((vectors.grad.abs().sum(-1) > 0) == mask).all()


@pytest.mark.parametrize("name", HEADS)
def test_fresh_matrices_are_drawn_as_the_original_draws_them(name):
    head = HEADS[name]()
    for parameter in head.parameters():
        if parameter.dim() > 1:
            bound = math.sqrt(6 / sum(parameter.shape))  # Glorot & Bengio 2010, equation 16
            assert 0.75 * bound < parameter.abs().max() <= bound
    assert all(
        (module.weight == 1).all() and (module.bias == 0).all()
        for module in head.modules()
        if isinstance(module, torch.nn.LayerNorm)
    )


@pytest.mark.parametrize("name", ["transformer", "rnn"])
def test_dropout_is_for_training_only(name):
    make = {"transformer": InterSentenceEncoder, "rnn": SentenceRNN}[name]
    head = make(H, dropout=0.5)
    vectors, mask = ragged(6)
    assert not torch.equal(head(vectors, mask), head(vectors, mask))
    head.eval()
    assert torch.equal(head(vectors, mask), head(vectors, mask))


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize(
    "vectors, mask, said",
    [
        (
            torch.ones(2, H),
            torch.ones(2, dtype=bool),
            r"sentence_vectors must have the shape \[batch, sentences, 24\].* not \[2, 24\]",
        ),
        (
            torch.ones(1, 0, H),
            torch.ones(1, 0, dtype=bool),
            r"at least one sentence, not \[1, 0, 24\]",
        ),
        (
            torch.ones(1, 2, 12),
            torch.ones(1, 2, dtype=bool),
            r"shape \[batch, sentences, 24\].* not \[1, 2, 12\]",
        ),
        (
            torch.ones(1, 2, H),
            torch.ones(1, 3, dtype=bool),
            r"sentence_mask must be boolean with shape \[1, 2\], not torch.bool with shape \[1, 3\]",
        ),
        (
            torch.ones(1, 2, H),
            torch.ones(1, 2),
            r"sentence_mask must be boolean with shape \[1, 2\], not torch.float32 with shape \[1, 2\]",
        ),
    ],
)
def test_vectors_and_masks_that_do_not_fit(name, vectors, mask, said):
    for call in (HEADS[name](), HEADS[name]().logits):
        with pytest.raises(ValueError, match=said):
            call(vectors, mask)


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: SentenceRNN(7), "hidden_size must be even"),
        (lambda: InterSentenceEncoder(24, 40, 5), "num_attention_heads 5"),
        (lambda: InterSentenceEncoder(9, 40, 3), "hidden_size 9 is odd"),
        (lambda: InterSentenceEncoder(24, 40, 4, 0), "num_hidden_layers"),
    ],
)
def test_sizes_that_cannot_be(make, said):
    with pytest.raises(ValueError, match=said):
        make()


# ---------------------------------------------------------------- the loss


def test_the_loss_is_the_sum_over_real_sentences():
    logits, mask = torch.randn(2, 4), torch.tensor([[True] * 4, [True, True, False, False]])
    labels = torch.tensor([[1.0, 0.0, 0.25, 0.0], [0.0, 1.0, 7.0, -100.0]])
    surprise = [
        -y * math.log(1 / (1 + math.exp(-z))) - (1 - y) * math.log(1 / (1 + math.exp(z)))
        for z, y in zip(logits[mask].tolist(), labels[mask].tolist())
    ]
    assert sentence_loss(logits, labels, mask).item() == pytest.approx(sum(surprise), abs=1e-5)
    assert torch.equal(
        sentence_loss(logits, labels.round().long(), mask),
        sentence_loss(logits, labels.round(), mask),
    )
    spoiled = labels.masked_fill(~mask, math.nan)
    assert torch.equal(sentence_loss(logits, labels, mask), sentence_loss(logits, spoiled, mask))
    assert sentence_loss(logits, labels, torch.zeros_like(mask)) == 0


@pytest.mark.parametrize(
    "labels, said",
    [
        (torch.ones(2, 3), r"labels must have the shape \[2, 4\], not \[2, 3\]"),
        (torch.full((2, 4), 2), "but one is 2"),
        (torch.full((2, 4), -0.5), "but one is -0.5"),
        (torch.full((2, 4), math.nan), "but one is nan"),
    ],
)
def test_labels_that_cannot_be(labels, said):
    with pytest.raises(ValueError, match=said):
        sentence_loss(torch.randn(2, 4), labels, torch.ones(2, 4, dtype=bool))
