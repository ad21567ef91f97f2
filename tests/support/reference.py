"""The reference to compare with: `transformers`, built from the same config and given the same random weights."""

import math
import re

import torch
import transformers

from minibert import BertConfig

TOLERANCE = {torch.float32: 1e-5, torch.float64: 1e-10}


def small_config(**changes) -> BertConfig:
    """A BERT of a few thousand parameters, without dropout, whose sizes are all different."""
    sizes = dict(
        vocab_size=61,
        hidden_size=24,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=40,
        max_position_embeddings=20,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return BertConfig(**{**sizes, **changes})


def draw_weights(model, seed: int = 0):
    """Weights ten times as large as fresh ones, and no bias 0, no gamma 1, so that nothing hides behind a small number."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(
                0.2 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            )
            if name.lower().endswith("norm.weight"):
                parameter.add_(1)
    return model


def reference_twin(model):
    """The class of the same name in `transformers`, with the weights of `model`, in the same precision and mode."""
    known = model.config.to_dict()
    positions = known.pop("position_embedding_type")
    assert not known.pop("norm_first"), "the reference has no pre-norm"
    twin = getattr(transformers, type(model).__name__)
    options = {} if getattr(model, "pooler", True) is not None else {"add_pooling_layer": False}
    twin = twin(transformers.BertConfig(**known, attn_implementation="eager"), **options)
    if positions == "none":
        torch.nn.init.zeros_(twin.embeddings.position_embeddings.weight)
    missing, unexpected = twin.load_state_dict(model.state_dict(), strict=False)
    tied = {"cls.predictions.decoder.weight", "cls.predictions.decoder.bias"}
    assert set(missing) <= tied | (
        {"embeddings.position_embeddings.weight"} if positions == "none" else set()
    )
    assert not unexpected
    return twin.to(next(model.parameters()).dtype).train(model.training)


def differences(model, twin, **inputs) -> dict[str, float]:
    """Largest absolute difference of every output, and of every gradient relative to the gradient's largest entry.

    The gradients are those of the loss, where there is one, plus all other outputs weighted by random numbers.
    """
    mine, theirs = flat_outputs(model(**inputs)), flat_outputs(twin(**inputs))
    assert mine.keys() == theirs.keys()
    found = {name: (mine[name] - theirs[name]).abs().max().item() for name in mine}
    for network, outputs in ((model, mine), (twin, theirs)):
        generator = torch.Generator().manual_seed(1)
        network.zero_grad()
        sum(
            (
                out * torch.randn(out.shape, generator=generator, dtype=torch.float64).to(out.dtype)
            ).sum()
            for out in outputs.values()
        ).backward()
    wanted = {name: parameter.grad for name, parameter in twin.named_parameters()}
    for name, parameter in model.named_parameters():
        scale = wanted[name].abs().max()
        if (path := name.rpartition(".")[0]).endswith(("query", "key")):
            # a difference of large terms, which is rounding alone where they cancel: for the bias of the keys (see
            # test_a_bias_on_the_keys_changes_nothing), and for all of these in a text of one token
            scale = max(
                scale,
                wanted[f"{path}.weight"].abs().max(),
                wanted[re.sub("query$|key$", "value.weight", path)].abs().max() / 10,
            )
        apart = (
            (parameter.grad - wanted[name]).abs().max()
            if parameter.grad is not None
            else torch.tensor(math.inf)
        )
        found[f"gradient of {name}"] = (apart / scale).item() if apart else 0.0
    return found


def flat_outputs(outputs) -> dict[str, torch.Tensor]:
    """Every tensor in a model's outputs by name, those in lists numbered."""
    named = {}
    for name, value in vars(outputs).items():
        if isinstance(value, torch.Tensor):
            named[name] = value
        elif value is not None:
            named.update({f"{name}[{index}]": tensor for index, tensor in enumerate(value)})
    return named


def assert_parity(model, twin, **inputs) -> None:
    """All outputs and all gradients equal, to 1e-5 in float32 and 1e-10 in float64."""
    tolerance = TOLERANCE[next(model.parameters()).dtype]
    wrong = {
        name: value
        for name, value in differences(model, twin, **inputs).items()
        if not value <= tolerance
    }
    assert not wrong, f"more than {tolerance} apart: {wrong}"
