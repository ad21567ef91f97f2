"""Wrong answers to `share_of_work` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.mistakes import named


def _layer(H, I, S):
    return 4 * S * H * H + 2 * S * S * H + 2 * S * H * I


def _head(H, V):
    return H * H + H * V


def _share(name, layer=_layer, head=_head, layers=lambda L: L):
    """A wrong answer with other costs of a layer or of the head."""

    def share_wrongly(H, L, I, V, S, M):
        stack, one = layers(L) * layer(H, I, S), head(H, V)
        return (stack + M * one) / (stack + S * one)

    return named(name, share_wrongly)


work_without_attention = _share(
    "work_without_attention", lambda H, I, S: 4 * S * H * H + 2 * S * H * I
)


work_of_scores_only = _share(
    "work_of_scores_only", lambda H, I, S: 4 * S * H * H + S * S * H + 2 * S * H * I
)


work_of_three_maps = _share(
    "work_of_three_maps", lambda H, I, S: 3 * S * H * H + 2 * S * S * H + 2 * S * H * I
)


work_of_one_feed_forward = _share(
    "work_of_one_feed_forward", lambda H, I, S: 4 * S * H * H + 2 * S * S * H + S * H * I
)


work_of_maps_for_one_position = _share(
    "work_of_maps_for_one_position", lambda H, I, S: 4 * H * H + 2 * S * S * H + 2 * H * I
)


work_of_one_layer = _share("work_of_one_layer", layers=lambda L: 1)


work_without_transform = _share("work_without_transform", head=lambda H, V: H * V)


work_of_one_position = _share(
    "work_of_one_position", lambda H, I, S: 4 * H * H + 2 * S * H + 2 * H * I
)


def work_upside_down(H, L, I, V, S, M):
    stack, one = L * _layer(H, I, S), _head(H, V)
    return (stack + S * one) / (stack + M * one)


def work_saved(H, L, I, V, S, M):
    return 1 - 1 / work_upside_down(H, L, I, V, S, M)


def work_of_the_head(H, L, I, V, S, M):
    return M / S


def work_of_masked_layers(H, L, I, V, S, M):
    stack, one = L * _layer(H, I, S), _head(H, V)
    return (L * _layer(H, I, M) + M * one) / (stack + S * one)


KNOWN = (
    (
        work_without_attention,
        "The attention scores and the weighted mean of the values are missing.",
    ),
    (
        work_of_scores_only,
        "You count one of the two products in attention: the scores, and the weighted mean of the values, cost S · S · H each.",
    ),
    (
        work_of_three_maps,
        "A layer has four H × H maps: after the heads there is one more, the output map.",
    ),
    (work_of_one_feed_forward, "There are two feed-forward maps, from H to I and back."),
    (
        work_of_maps_for_one_position,
        "You count the linear maps of a layer for one position. Each of the S positions goes through them, so they cost S times as much.",
    ),
    (work_of_one_layer, "There are L layers, and you count one."),
    (
        work_without_transform,
        "The MLM head has an H × H map before the product with the word table.",
    ),
    (
        work_of_one_position,
        "You count a layer for one position. All S positions go through every layer.",
    ),
    (
        work_upside_down,
        "That is the inverse: expected is the smaller number divided by the larger.",
    ),
    (work_saved, "That is the share that is saved. Expected is the share that is left."),
    (
        work_of_the_head,
        "That is the share for the head alone. The layers cost the same in both cases, and they count, too.",
    ),
    (
        work_of_masked_layers,
        "You send only the M masked positions through the layers. The layers read all S tokens, because the context is what the model predicts from.",
    ),
)
