"""The inter-sentence transformer of the original BertSum, written down from its formulas, under the
original's names."""

import torch
import torch.nn.functional as F


def original_state(layers, hidden=24, feedforward=40, dtype=torch.float32):
    """Random weights under the original's names: biases not 0, gains not 1, and a first norm that
    nobody uses."""
    sizes = {"layer_norm": [hidden], "wo": [1, hidden]}
    for i in range(layers):
        at = f"transformer_inter.{i}."
        sizes |= {
            f"{at}self_attn.linear_{part}": [hidden, hidden] for part in ("keys", "values", "query")
        }
        sizes |= {
            f"{at}self_attn.final_linear": [hidden, hidden],
            f"{at}feed_forward.w_1": [feedforward, hidden],
            f"{at}feed_forward.w_2": [hidden, feedforward],
            f"{at}feed_forward.layer_norm": [hidden],
            f"{at}layer_norm": [hidden],
        }
    state = {}
    for name, size in sizes.items():
        norm = name.endswith("layer_norm")
        state[f"{name}.weight"] = (0.3 * torch.randn(size) + norm).to(dtype)
        state[f"{name}.bias"] = (0.3 * torch.randn(size[:1])).to(dtype)
    return state


def original_scores(state, heads, vectors, mask):
    """The formulas of the original program: [B, N, H] and [B, N] -> scores [B, N]."""

    def linear(x, name):
        return F.linear(x, state[f"{name}.weight"], state[f"{name}.bias"])

    def norm(x, name):
        return F.layer_norm(
            x, x.shape[-1:], state[f"{name}.weight"], state[f"{name}.bias"], eps=1e-6
        )

    def split(x):
        return x.unflatten(-1, (heads, -1)).transpose(1, 2)

    length, hidden = vectors.shape[1:]
    turns = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, hidden, 2) / hidden)
    x = vectors * mask[:, :, None] + torch.stack([turns.sin(), turns.cos()], dim=-1).flatten(1).to(
        vectors
    )
    for i in range(sum(name.endswith("w_1.bias") for name in state)):
        at = f"transformer_inter.{i}."
        n = norm(x, f"{at}layer_norm") if i > 0 else x
        query, keys, values = (
            split(linear(n, f"{at}self_attn.linear_{part}")) for part in ("query", "keys", "values")
        )
        mixed = F.scaled_dot_product_attention(
            query, keys, values, attn_mask=mask[:, None, None, :]
        )
        x = x + linear(mixed.transpose(1, 2).flatten(2), f"{at}self_attn.final_linear")
        wide = F.gelu(
            linear(norm(x, f"{at}feed_forward.layer_norm"), f"{at}feed_forward.w_1"),
            approximate="tanh",
        )
        x = x + linear(wide, f"{at}feed_forward.w_2")
    return linear(norm(x, "layer_norm"), "wo").squeeze(-1).sigmoid() * mask
