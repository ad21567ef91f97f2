"""Wrong answers to `attention_counts` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.ch04_attention.attention_counts import attention_counts
from minibert.course.exercises.mistakes import named


def counts_variant(name, which, change):
    """Returns `attention_counts` with `change` applied to one of its three numbers."""

    def answer(length, hidden, heads):
        numbers = list(attention_counts(length, hidden, heads))
        numbers[which] = change(length, hidden, heads)
        return tuple(numbers)

    return named(name, answer)


COUNT_MISTAKES = (
    (
        counts_variant("full_size_heads", 0, lambda s, h, a: a * 3 * (h * h + h)),
        "counts a full map from H to H for each of the {a} heads; the heads share H numbers: each is H / A = {d} wide",
    ),
    (
        counts_variant("no_bias", 0, lambda s, h, a: 3 * h * h),
        "leaves out the three biases of {h} numbers each",
    ),
    (
        counts_variant("one_map", 0, lambda s, h, a: h * h + h),
        "counts one linear map; queries, keys and values have one each",
    ),
    (
        counts_variant("one_bias", 0, lambda s, h, a: 3 * h * h + h),
        "has {h} biases; each of the three maps has {h} of its own",
    ),
    (
        counts_variant("times_length", 0, lambda s, h, a: s * 3 * (h * h + h)),
        "grows with the text; all {s} tokens go through the same three maps",
    ),
    (
        counts_variant("with_output", 0, lambda s, h, a: 4 * (h * h + h)),
        "counts a fourth map: the one after the heads is BertSelfOutput's, in chapter 5",
    ),
    (
        counts_variant("one_head", 1, lambda s, h, a: s * s),
        "counts one head; every one of the {a} heads has weights of its own",
    ),
    (
        counts_variant("linear_in_length", 1, lambda s, h, a: a * s),
        "has one weight for each head and token; every token looks at every token: {s} × {s}",
    ),
    (
        counts_variant("weights_by_size", 1, lambda s, h, a: s * s * h),
        "counts H numbers for each pair; a pair of tokens has one weight in each head",
    ),
    (
        counts_variant("half_the_pairs", 1, lambda s, h, a: a * s * (s - 1) // 2),
        "counts each pair once; who looks at whom matters, and a token may look at itself",
    ),
    (
        counts_variant("two_operations", 2, lambda s, h, a: 6 * s * h * h + 4 * s * s * h),
        "counts the additions too; only multiplications are asked for",
    ),
    (
        counts_variant("maps_once", 2, lambda s, h, a: 3 * h * h + 2 * s * s * h),
        "sends one token through the maps; there are {s}",
    ),
    (
        counts_variant("one_product", 2, lambda s, h, a: s * h * h + 2 * s * s * h),
        "has one linear map; queries, keys and values have one each",
    ),
    (
        counts_variant("maps_only", 2, lambda s, h, a: 3 * s * h * h),
        "leaves out scores and mixing, {s} × {s} × {h} each",
    ),
    (
        counts_variant("output_too", 2, lambda s, h, a: 4 * s * h * h + 2 * s * s * h),
        "counts a fourth map: the one after the heads is not asked for here",
    ),
    (
        counts_variant("no_maps", 2, lambda s, h, a: 2 * s * s * h),
        "leaves out the three linear maps: {s} tokens × {h} × {h}, three times",
    ),
    (
        counts_variant("no_mixing", 2, lambda s, h, a: 3 * s * h * h + s * s * h),
        "counts the scores or the mixing, not both; each costs {s} × {s} × {h}",
    ),
    (
        counts_variant("times_heads", 2, lambda s, h, a: 3 * s * h * h + 2 * s * s * h * a),
        "multiplies by the {a} heads although each head is only {d} wide: A × D = H",
    ),
)


KNOWN = COUNT_MISTAKES
