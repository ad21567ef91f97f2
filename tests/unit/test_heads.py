"""Task heads: equal to the reference with their losses; what the losses count; sizes; errors."""

import math

import pytest
import torch
import torch.nn.functional as F
from deviation import deviation
from reference import TOLERANCE, assert_parity, draw_weights, reference_twin, small_config

import minibert
from minibert import BertConfig, BertForMaskedLM
from minibert.heads import class_loss

B, S, V = 4, 9, 61
IDS = torch.randint(1, V, (B, S), generator=torch.Generator().manual_seed(0))
MASK = (torch.arange(S) < torch.tensor([[9], [5], [2], [7]])).long()
WORDS = IDS.masked_fill(IDS % 3 > 0, -100)  # labels of masked words; the last row has none
WORDS[3] = -100
CHOICES = dict(
    input_ids=(IDS[:, None] + torch.arange(3)[:, None]) % V,
    attention_mask=MASK[:, None].repeat(1, 3, 1),
)
YES_NO = torch.tensor([0, 1, 1, 0])

# name of the class -> changes of the config, labels, labels for the reference where they differ
HEADS = {
    "BertForPreTraining": ({}, dict(labels=WORDS, next_sentence_label=YES_NO), {}),
    "BertForMaskedLM": ({"hidden_act": "gelu_new"}, dict(labels=WORDS), {}),
    "BertForNextSentencePrediction": ({}, dict(labels=YES_NO), {}),
    "BertForSequenceClassification": (
        {"num_labels": 3},
        dict(labels=torch.tensor([2, -100, 0, 1])),
        {},
    ),
    "BertForSequenceClassification, regression": (
        {"num_labels": 1},
        dict(labels=torch.tensor([0.5, -2.0, 3.0, 5.0])),
        {},
    ),
    "BertForTokenClassification": (
        {"num_labels": 5},
        dict(labels=(IDS % 5).masked_fill(MASK == 0, -100)),
        {},
    ),
    "BertForQuestionAnswering": (
        {},
        dict(
            start_positions=torch.tensor([1, 0, -100, 3]),
            end_positions=torch.tensor([8, 4, -100, 3]),
        ),
        # the reference ignores the first index behind the text instead of -100
        dict(start_positions=torch.tensor([1, 0, S, 3]), end_positions=torch.tensor([8, 4, S, 3])),
    ),
    "BertForMultipleChoice": ({}, dict(CHOICES, labels=torch.tensor([2, 0, 1, 1])), {}),
}


def fresh_head(name, **more):
    changes = {**HEADS[name][0], **more}
    return getattr(minibert, name.split(",")[0])(
        BertConfig.from_dict({**small_config().to_dict(), **changes})
    )


def head(name, **more):
    return draw_weights(fresh_head(name, **more))


@deviation(
    "An answer outside the window",
    original="start and end are [CLS]",
    reference="positions beyond the row are cut to its length, and ignored there",
    here="a window without the answer is labelled [CLS] in fine-tuning, as in the original; the head itself also ignores -100, and every other position must lie in the row",
    why='-100 is the one way to say "not asked" for all heads, and a wrong position is an error',
)
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", HEADS)
def test_every_head_its_loss_and_every_gradient_equal_the_reference(name, dtype):
    model = head(name).to(dtype)
    _, labels, other_labels = HEADS[name]
    inputs = dict(
        input_ids=IDS,
        attention_mask=MASK,
        token_type_ids=None,
        output_hidden_states=True,
        output_attentions=True,
    )
    twin = reference_twin(model)
    forward, replaced = twin.forward, dict(other_labels)
    twin.forward = lambda **given: forward(**{**given, **replaced})
    labels = {
        key: value.to(dtype) if value.is_floating_point() else value
        for key, value in labels.items()
    }
    assert model(**{**inputs, **labels}).loss > 0.1
    assert_parity(model, twin, **{**inputs, **labels})
    inputs.update({key: value for key, value in labels.items() if key in CHOICES})
    replaced.clear()
    assert model(**inputs).loss is None
    assert_parity(model, twin, **inputs)


@pytest.mark.parametrize("name", HEADS)
def test_dropout_before_a_head_falls_where_it_falls_in_the_reference(name):
    model = head(
        name, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.2, classifier_dropout=0.4
    ).double()
    inputs = {"input_ids": IDS, "output_attentions": True, **(CHOICES if "Choice" in name else {})}
    results = []
    for network in (model.train(), reference_twin(model)):
        torch.manual_seed(0)
        out = network(**inputs)
        results.append({key: value for key, value in vars(out).items() if "logits" in key})
    assert results[0].keys() == results[1].keys() != set()
    for key, logits in results[0].items():
        torch.testing.assert_close(logits, results[1][key], rtol=0, atol=1e-10)


# What a loss counts


def test_the_loss_is_the_mean_over_predicted_words_only(loss=class_loss):  # M1, M5, R5, R6
    logits = torch.randn(B, S, V, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    surprise = [
        math.log(sum(math.exp(x) for x in logits[b, s].tolist())) - logits[b, s, WORDS[b, s]].item()
        for b, s in torch.cartesian_prod(torch.arange(B), torch.arange(S)).tolist()
        if WORDS[b, s] != -100
    ]
    assert math.isclose(loss(logits, WORDS).item(), sum(surprise) / len(surprise), rel_tol=1e-12)


def test_word_0_is_a_label_like_any_other(loss=class_loss):  # R4, M1
    logits = torch.tensor([[0.0, 4.0], [0.0, 4.0]])
    torch.testing.assert_close(
        loss(logits, torch.tensor([0, 0])), torch.tensor(4.0).exp().add(1).log()
    )


@pytest.mark.parametrize(
    "mistake, check",
    [
        (
            lambda x, y: F.cross_entropy(x.flatten(0, -2), y.flatten().clamp(min=0)),
            test_the_loss_is_the_mean_over_predicted_words_only,
        ),
        (
            lambda x, y: F.cross_entropy(x.flatten(0, -2), y.flatten(), reduction="none").mean(),
            test_the_loss_is_the_mean_over_predicted_words_only,
        ),
        (
            lambda x, y: class_loss(x.softmax(-1), y),
            test_the_loss_is_the_mean_over_predicted_words_only,
        ),
        (
            lambda x, y: F.cross_entropy(x, y, ignore_index=0, reduction="sum"),
            test_word_0_is_a_label_like_any_other,
        ),
    ],
    ids=["M1 padding scored", "R6 divided by all slots", "T6 softmax twice", "R4 class 0 ignored"],
)
def test_planted_mistakes_in_the_loss_are_caught(mistake, check):
    with pytest.raises(AssertionError):
        check(mistake)


@deviation(
    "A batch in which nothing is to be predicted",
    original="the sum divided by the count and 1e-5: 0",
    reference="the mean of nothing: NaN",
    here="loss 0 and gradient 0",
    why="one unlucky batch must not end a run",
)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.uint16, torch.int16, torch.uint32])
def test_a_label_counts_in_every_dtype_of_whole_numbers(dtype):
    """In eight bits without a sign -100 is 156."""
    logits = torch.randn(3, 200, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([0, 156, 199])
    assert torch.equal(class_loss(logits, labels.to(dtype)), class_loss(logits, labels))
    with pytest.raises(ValueError, match="labels must lie between 0 and 99, .* one is 156"):
        class_loss(logits[:, :100], torch.tensor([0, 156, 99]).to(dtype))
    with pytest.raises(ValueError, match="labels must be whole numbers, not torch.uint64"):
        class_loss(logits, torch.tensor([0, 156, 199], dtype=torch.uint64))


def test_a_batch_with_nothing_to_predict_has_loss_0_and_gradient_0():
    model = head("BertForMaskedLM")
    loss = model(IDS, labels=torch.full((B, S), -100)).loss
    loss.backward()
    assert loss == 0 and all(p.grad is None or (p.grad == 0).all() for p in model.parameters())


def test_the_pretraining_loss_is_the_sum_of_both():
    model = head("BertForPreTraining").double()
    words, follows, both = (
        model(IDS, **labels).loss
        for labels in (
            dict(labels=WORDS),
            dict(next_sentence_label=YES_NO),
            dict(labels=WORDS, next_sentence_label=YES_NO),
        )
    )
    torch.testing.assert_close(words + follows, both)


@pytest.mark.parametrize("hidden", [256, 64])
def test_a_fresh_model_loses_ln_v_and_a_little_more(hidden):
    """Tied logits have the variance H · 0.02², so the loss starts near ln V + H · 0.02² / 2."""
    torch.manual_seed(0)
    model = BertForMaskedLM(
        BertConfig.preset("tiny", vocab_size=8192, hidden_size=hidden, num_hidden_layers=1)
    ).eval()
    ids, hidden_words = torch.randint(1, 8192, (2, 16, 64))
    loss = model(ids, labels=hidden_words).loss.item()
    assert abs(loss - (math.log(8192) + hidden * 0.02**2 / 2)) < 0.02


# Weights


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm_first": True},
        {"position_embedding_type": "sinusoidal"},
        {"position_embedding_type": "none", "type_vocab_size": 1},
    ],
    ids=str,
)
def test_every_parameter_gets_a_gradient_from_the_pretraining_losses(changes):
    model = head("BertForPreTraining", **changes).double()
    model(IDS, attention_mask=MASK, labels=WORDS, next_sentence_label=YES_NO).loss.backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        nothing_to_learn = name.endswith("key.bias")  # see test_a_bias_on_the_keys_changes_nothing
        assert (parameter.grad.abs().max() < 1e-12) == nothing_to_learn, name


@pytest.mark.parametrize("name", HEADS)
def test_fresh_heads_are_drawn_like_the_rest(name):
    torch.manual_seed(0)
    for module in fresh_head(name, initializer_range=0.5).modules():
        if isinstance(module, torch.nn.Linear):
            assert (module.bias == 0).all() and 0.25 < module.weight.std() < 0.75


@deviation(
    "The decoder of masked words",
    paper="does not say",
    original="the word table and a bias of its own",
    reference="two names for one tensor, which a save or a move can untie",
    here="the table is handed to the head: there is one tensor and nothing to untie",
    why="a file with two different tables is refused instead of half used",
)
def test_the_decoder_is_the_word_table():
    model = head("BertForMaskedLM")
    state = model.bert(IDS).last_hidden_state
    logits = (
        model.cls.predictions.transform(state) @ model.bert.embeddings.word_embeddings.weight.T
        + model.cls.predictions.bias
    )
    torch.testing.assert_close(model(IDS).logits, logits)


@deviation(
    "The row of [PAD], seen from the decoder",
    reference="the tied decoder does move it: [PAD] is one of the words that are scored",
    here="the same",
    why="it is one tensor, and the softmax runs over all words",
)
def test_the_tied_decoder_gives_the_padding_row_a_gradient():
    model = head("BertForMaskedLM")
    model(IDS, labels=WORDS).loss.backward()
    assert (model.bert.embeddings.word_embeddings.weight.grad[0] != 0).any()


@pytest.mark.parametrize(
    "name, preset, wanted",
    [
        ("BertForPreTraining", "base", 110_106_428),
        ("BertForMaskedLM", "base", 109_514_298),
        ("BertForPreTraining", "large", 336_226_108),
        ("BertForSequenceClassification", "base", 109_482_240 + 2 * 768 + 2),
    ],
)
def test_parameters_of_the_published_sizes(name, preset, wanted):
    with torch.device("meta"):
        model = getattr(minibert, name)(BertConfig.preset(preset))
    assert sum(parameter.numel() for parameter in model.parameters()) == wanted


def test_classifier_dropout_is_its_own():
    model = head("BertForTokenClassification", classifier_dropout=0.4, hidden_dropout_prob=0.1)
    assert model.dropout.p == 0.4 and model.bert.embeddings.dropout.p == 0.1
    assert (
        head(
            "BertForTokenClassification", classifier_dropout=0.0, hidden_dropout_prob=0.1
        ).dropout.p
        == 0.0
    )
    assert head("BertForTokenClassification", hidden_dropout_prob=0.1).dropout.p == 0.1


# Errors of the user


@pytest.mark.parametrize(
    "name, labels, said",
    [
        (
            "BertForMaskedLM",
            dict(labels=WORDS + 61),
            "labels must lie between 0 and 60, or be -100 .* but one is ",
        ),
        ("BertForMaskedLM", dict(labels=WORDS.clamp(min=-1)), "but one is -1"),
        (
            "BertForMaskedLM",
            dict(labels=WORDS[:, 1:]),
            r"labels must have the shape \[4, 9\], not \[4, 8\]",
        ),
        ("BertForPreTraining", dict(labels=WORDS + 61), "^labels must lie between 0 and 60"),
        (
            "BertForPreTraining",
            dict(next_sentence_label=YES_NO + 1),
            "next_sentence_label must lie between 0 and 1.* but one is 2",
        ),
        (
            "BertForSequenceClassification",
            dict(labels=torch.tensor([0, 1, 2, 3])),
            "labels must lie between 0 and 2.* but one is 3",
        ),
        (
            "BertForSequenceClassification",
            dict(labels=torch.rand(4)),
            "labels must be whole numbers, not torch.float32",
        ),
        (
            "BertForSequenceClassification",
            dict(labels=torch.zeros(4, dtype=torch.complex64)),
            "labels must be whole numbers, not torch.complex64",
        ),
        (
            "BertForSequenceClassification, regression",
            dict(labels=torch.rand(4, 1)),
            r"labels must have the shape \[4\], not \[4, 1\]",
        ),
        ("BertForQuestionAnswering", dict(start_positions=YES_NO), "give both or neither"),
        (
            "BertForQuestionAnswering",
            dict(start_positions=YES_NO, end_positions=YES_NO + 8),
            "end_positions must lie between 0 and 8.* one is 9",
        ),
        (
            "BertForMultipleChoice",
            dict(labels=YES_NO),
            r"input_ids must have the shape \[batch, choices, tokens\], not \[4, 9\]",
        ),
    ],
)
def test_wrong_labels_are_refused_with_their_numbers(name, labels, said):
    with pytest.raises(ValueError, match=said):
        head(name)(IDS, **labels)
