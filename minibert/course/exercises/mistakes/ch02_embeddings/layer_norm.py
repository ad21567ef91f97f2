"""Wrong answers to `layer_norm` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.mistakes.ch02_embeddings import layer_norm_answers as wrong

KNOWN = (
    (
        wrong.norm_mean_of_all,
        "your mean is one number for everything, x.mean(); every token has its own, over its {H} features.",
    ),
    (
        wrong.norm_mean_of_tokens,
        "your mean is taken over the {S} tokens; every token has its own, over its {H} features, dim=-1.",
    ),
    (
        wrong.norm_by_root_of_deviation,
        "you take the root twice: a standard deviation is the root of the variance already.",
    ),
    (
        wrong.norm_by_root_of_unbiased_deviation,
        "you take the root of x.std(), which is a root already, and divides by H - 1 = {less} besides; take the mean of the squared distances.",
    ),
    (
        wrong.norm_eps_behind,
        "you add eps to the quotient; it belongs under the root, to the variance: the brackets of the root go round both.",
    ),
    (wrong.norm_eps_squared, "you square eps; it is added to the variance as it is."),
    (
        wrong.norm_of_nothing,
        "gamma and beta are applied to x itself; they belong to what has been normalised.",
    ),
    (
        wrong.norm_variance_less_mean,
        "you subtract the mean from the mean of the squares; it is the *square* of the mean that is subtracted there.",
    ),
    (
        wrong.norm_divided_by_tokens,
        "you divide the sum of the squared distances by the {S} tokens; the mean over {H} features divides by {H}.",
    ),
    (
        wrong.norm_softmax,
        "that is a softmax, which makes numbers that sum to 1; LayerNorm makes mean 0 and variance 1.",
    ),
    (
        wrong.norm_variant(unbiased=True),
        "you divide the squared distances by H - 1 = {less}, the unbiased variance; LayerNorm divides by H = {H}.",
    ),
    (
        wrong.norm_variant(unbiased=True, eps_at="outside"),
        "you use the unbiased standard deviation and add eps outside the root; LayerNorm takes the root of (biased variance + eps).",
    ),
    (
        wrong.norm_variant(eps_at="outside"),
        "you add eps to the standard deviation, outside the root; it belongs to the variance, inside the root.",
    ),
    (
        wrong.norm_variant(eps_at="nowhere"),
        "eps is not used, or not the one asked for, {eps}; without any, a token whose {H} numbers are equal gives 0/0.",
    ),
    (
        wrong.norm_variant(unbiased="sum"),
        "you add the squared distances up; the variance is their mean, over {H} features.",
    ),
    (
        wrong.norm_variant(unbiased="of x"),
        "your variance is the mean of the squared numbers themselves; take their squared distances from the mean.",
    ),
    (
        wrong.norm_variant(unbiased="of x", centred=False),
        "the mean is not subtracted anywhere (as in RMSNorm); LayerNorm subtracts it before it squares and before it divides.",
    ),
    (
        wrong.norm_variant(over=(0, 1, 2)),
        "you take one mean and variance for everything; every token has its own, over its {H} features.",
    ),
    (
        wrong.norm_variant(eps_at="fixed"),
        "you use eps = 1e-5 whatever is asked for; here eps is {eps}.",
    ),
    (wrong.norm_variant(root=False), "you divide by the variance; divide by its square root."),
    (
        wrong.norm_without_root,
        "the root is missing: you divide by variance + eps; divide by its square root.",
    ),
    (
        wrong.norm_variant(centred=False),
        "you do not subtract the mean; every token must come out with mean 0 before gamma and beta.",
    ),
    (
        wrong.norm_variant(over=(0,)),
        "you take mean and variance over the {B} texts of the batch; a token must not depend on its neighbours in the batch: use the last dimension, its {H} features.",
    ),
    (
        wrong.norm_variant(over=(1,)),
        "you take mean and variance over the {S} tokens; use the last dimension, the {H} features of each token.",
    ),
    (
        wrong.norm_variant(over=(1, 2)),
        "you take one mean and variance for all {S} tokens of a text; every token has its own, over its {H} features.",
    ),
    (wrong.norm_variant(affine="none"), "gamma and beta are not used."),
    (wrong.norm_variant(affine="no gamma"), "gamma is not used."),
    (wrong.norm_variant(affine="no beta"), "beta is not used."),
    (
        wrong.norm_variant(affine="before"),
        "you add beta before you multiply by gamma; stretch first, then shift.",
    ),
    (
        wrong.norm_mean_of_distances,
        "you square the mean of the distances, which is 0; square each distance first, then take the mean.",
    ),
    (
        wrong.norm_by_distance,
        "you divide by the mean absolute distance; the standard deviation is the root of the mean *squared* distance.",
    ),
    (
        wrong.norm_by_length,
        "you divide by the length of the centred vector, the root of a sum; the variance is a mean, so a factor of √H = √{H} is missing.",
    ),
    (wrong.norm_by_median, "you subtract the median; it is the mean that is subtracted."),
    (
        wrong.norm_from_the_lowest,
        "you stretch every token from its lowest to its highest number; LayerNorm makes mean 0 and variance 1.",
    ),
    (wrong.norm_multiplied, "you multiply by the standard deviation; divide by it."),
    (wrong.norm_floor, "you take the larger of variance and eps; eps is added to the variance."),
    (wrong.norm_eps_twice, "you add eps twice."),
    (wrong.norm_scaled, "you multiply by √H = √{H}; after LayerNorm the variance of a token is 1."),
    (wrong.norm_gamma_twice, "you multiply by gamma twice."),
    (wrong.norm_beta_away, "you subtract beta; it is added."),
    (
        wrong.norm_gamma_plus_one,
        "you multiply by gamma + 1; gamma starts at 1 by itself, and is used as it is.",
    ),
    (
        wrong.norm_brackets,
        "the brackets are missing: you divide the mean alone by the standard deviation, not the distance from it.",
    ),
    (
        wrong.norm_of_features,
        "you take mean and variance over all tokens of all texts for each feature, as batch norm does; use the {H} features of each token.",
    ),
    (
        wrong.norm_variant(affine="swapped"),
        "gamma and beta have changed places: gamma multiplies, beta is added.",
    ),
)
