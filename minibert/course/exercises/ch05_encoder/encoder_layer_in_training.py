"""How `EncoderLayer` is checked in training: what is dropped, and where."""

import torch

from minibert.course.exercises.compare import Mistake


def check_dropout(layer, config):
    """Checks that a post-norm layer applies dropout to what each sublayer adds, and to nothing else, at the config's rate."""
    norm, down = layer.output["LayerNorm"], layer.output["dense"]
    first, rate = layer.attention.output.dense, config.hidden_dropout_prob
    x = torch.randn(8, 25, config.hidden_size, dtype=torch.float64)  # [B, S, H]
    held = [{n: v.clone() for n, v in part.state_dict().items()} for part in (first, down)]
    _adds_nothing(first)
    _adds_nothing(down)
    if _moves(layer, x) and not _moves(layer, x, with_dropout_of_attention=False):
        _check_first_half(layer, rate)
    down.load_state_dict(held[1])
    # whether the layer computes anything else in training than in evaluation
    moved = _moves(layer, x)
    # The second linear map now gives 1000 everywhere, so dropped numbers fall below the mean.
    with torch.no_grad():
        for vector, value in (
            (down.weight, 0.0),
            (down.bias, 1000.0),
            (norm.weight, 1.0),
            (norm.bias, 0.0),
        ):
            vector.fill_(value)
    out, _ = layer(x)  # [B, S, H]
    attended, _ = layer.attention(x)  # [B, S, H]
    if torch.allclose(out, norm(attended + 1000)):
        where = (
            "dropout stands before the second linear map; it belongs after it"
            if moved
            else f"nothing is dropped; the config asks for hidden_dropout_prob {rate} after the second linear map"
        )
        raise Mistake(f"In training {where}.")
    if (out == 0).any():
        raise Mistake(
            "In training some of the layer's outputs are zero: dropout stands after the LayerNorm; it belongs before the sum."
        )
    if _spread_of_dropped(out) < 1e-9:
        raise Mistake(
            "In training the sum is dropped, the residual with it; drop the feed-forward's result before you add."
        )
    # The second linear map now gives 0, so dropout after it must not change the result.
    with torch.no_grad():
        down.bias.zero_()
    if not torch.allclose(layer(x)[0], norm(attended)):
        raise Mistake(
            "In training a part of the residual is dropped: drop the feed-forward's result before the sum, never what came out of attention. (The first half has a dropout of its own, self.attention.output.dropout.)"
        )
    _check_share(out < 0, rate, "the feed-forward's result")
    # Attention's result is now 1 everywhere, and both linear maps treat each number separately.
    with torch.no_grad():
        layer.attention.output.LayerNorm.weight.zero_()
        layer.attention.output.LayerNorm.bias.fill_(1)
        layer.intermediate["dense"].weight.copy_(
            10 * torch.eye(*layer.intermediate["dense"].weight.shape)
        )
        layer.intermediate["dense"].bias.zero_()
        down.weight.copy_(100 * torch.eye(*down.weight.shape))
    _check_share(
        layer(x)[0] < 0,
        rate,
        "the numbers at the three places of the feed-forward (coming in, wide, going out) together",
        " Drop once, what goes out.",
    )

    first.load_state_dict(held[0])
    _check_first_half(layer, rate)


def _adds_nothing(dense):
    """Makes one half of a layer add 0, whichever module drops it."""
    with torch.no_grad():
        dense.weight.zero_()
        dense.bias.zero_()


def _moves(layer, x, with_dropout_of_attention=True):
    """Whether the layer computes anything else in training than in evaluation; leaves it in training."""
    still = layer.eval()(x)[0]  # [B, S, H]
    layer.train().attention.train(with_dropout_of_attention)
    moved = not torch.allclose(layer(x)[0], still)
    layer.train()
    return moved


def _check_first_half(layer, rate):
    """The same for what attention adds; the second half now adds nothing."""
    half, down, norm2 = layer.attention.output, layer.output["dense"], layer.output["LayerNorm"]
    x = torch.randn(8, 25, half.dense.out_features, dtype=torch.float64)  # [B, S, H]
    with torch.no_grad():
        for norm in (half.LayerNorm, norm2):
            norm.weight.fill_(1)
            norm.bias.zero_()
    _adds_nothing(down)
    moved = _moves(layer, x)
    # The output matrix now gives 1000 everywhere, so dropped numbers fall below the mean.
    with torch.no_grad():
        half.dense.weight.zero_()
        half.dense.bias.fill_(1000)
    out, _ = layer(x)  # [B, S, H]
    if torch.allclose(out, norm2(half.LayerNorm(x + 1000))):
        where = (
            "dropout stands before `self.attention.output.dense`; it belongs after it"
            if moved
            else f"nothing is dropped; the config asks for hidden_dropout_prob {rate} on what `self.attention.output.dense` gives"
        )
        raise Mistake(f"In training, in the first half, {where}.")
    if _spread_of_dropped(out) < 1e-9:
        raise Mistake(
            "In training, in the first half, the sum is dropped, `hidden` with it; drop what `self.attention.output.dense` gives before you add."
        )
    with torch.no_grad():
        half.dense.bias.zero_()
    if not torch.allclose(layer(x)[0], norm2(half.LayerNorm(x))):
        raise Mistake(
            "In training, in the first half, a part of `hidden` is dropped; drop only what `self.attention.output.dense` gives."
        )
    _check_share(out < 0, rate, "attention's result")


def check_dropout_pre_norm(layer, config):
    """The same for a pre-norm layer, where what a half adds can be read off: the stream lies under it as it came in."""
    rate, half = config.hidden_dropout_prob, layer.attention.output
    x = torch.randn(8, 25, config.hidden_size, dtype=torch.float64)  # [B, S, H]
    both = (
        ("attention's result", half.dense, "`self.attention.output.dense`"),
        ("the feed-forward's result", layer.output["dense"], "the second linear map"),
    )
    begin = "With norm_first=True, in training"
    held = {name: value.clone() for name, value in layer.state_dict().items()}
    for _, dense, _ in both:
        _adds_nothing(dense)
    if not torch.allclose(layer.train()(x)[0], x):
        raise Mistake(
            f"{begin}, a part of the stream itself is dropped: drop what a sublayer gives, before you add it."
        )
    for what, _, after in both:
        layer.load_state_dict(held)
        for other, dense, _ in both:
            if other != what:
                _adds_nothing(dense)
        added = (layer.eval()(x)[0] - x).detach()  # [B, S, H]
        found = (layer.train()(x)[0] - x).detach()  # [B, S, H]
        dropped = found.abs() < 1e-9  # [B, S, H]
        kept = torch.isclose(found, added / (1 - rate))  # [B, S, H]
        if torch.allclose(found, added):
            raise Mistake(
                f"{begin}, nothing of {what} is dropped; the config asks for hidden_dropout_prob {rate} on what {after} gives."
            )
        if not (dropped | kept).all():
            raise Mistake(
                f"{begin}, something else than {what} is dropped: drop once, what {after} gives, and nothing before it."
            )
        _check_share(dropped, rate, what)


def _spread_of_dropped(out):
    """By how much the dropped numbers of a token differ (median); 0 if what they were added to was dropped as well."""
    spreads = [
        float((token[token < 0].max() - token[token < 0].min()).detach())
        for token in out.flatten(0, 1)
        if (token < 0).any()
    ]
    return sorted(spreads)[len(spreads) // 2]


def _check_share(dropped, rate, what, advice=""):
    share = float(dropped.double().mean())
    if abs(share - rate) > 0.05:
        raise Mistake(
            f"In training {share:.0%} of {what} is dropped; the config asks for hidden_dropout_prob {rate}.{advice}"
        )
