"""Wrong answers to `adamw_step` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.mistakes import named


def _variant(
    name,
    beta1=0.9,
    beta2=0.999,
    eps=1e-6,
    correct=True,
    correct_by=lambda t: t,
    stored=False,
    square=lambda g: g**2,
    move=lambda m, v, eps: m / (v.sqrt() + eps),
    decay=lambda w, rate, weight_decay: rate * weight_decay * w,
    into_gradient=False,
    sign=-1,
    moved=True,
):
    """A step of AdamW that differs from equation 8.3 in what is given."""

    def step_wrongly(w, g, m, v, t, rate, weight_decay):
        if into_gradient:
            g = g + weight_decay * w
        m[...] = beta1 * m + (1 - beta1) * g
        v[...] = beta2 * v + (1 - beta2) * square(g)
        at, mean, size = correct_by(t), m.clone(), v.clone()
        if correct:
            mean, size = mean / (1 - beta1**at), size / (1 - beta2**at)
        if stored:
            m[...], v[...] = mean, size
        pull = 0.0 if into_gradient else decay(w, rate, weight_decay)
        if moved:
            w[...] = w + sign * (rate * move(mean, size, eps) + pull)

    return named(name, step_wrongly)


def step_with_plain_sums(w, g, m, v, t, rate, weight_decay):
    m[...] = 0.9 * m + g
    v[...] = 0.999 * v + g**2
    move = m / (1 - 0.9**t) / ((v / (1 - 0.999**t)).sqrt() + 1e-6)
    w[...] = w - rate * (move + weight_decay * w)


def step_with_the_means_of_before(w, g, m, v, t, rate, weight_decay):
    move = m / (1 - 0.9**t) / ((v / (1 - 0.999**t)).sqrt() + 1e-6)
    w[...] = w - rate * (move + weight_decay * w)
    m[...] = 0.9 * m + (1 - 0.9) * g
    v[...] = 0.999 * v + (1 - 0.999) * g**2


def step_not_in_place(w, g, m, v, t, rate, weight_decay):
    pass


KNOWN = (
    (
        _variant("step_uncorrected", correct=False),
        "The averages are not divided by 1 - 0.9**t and 1 - 0.999**t, so the first steps have the wrong length.",
    ),
    (
        _variant("step_stored", stored=True),
        "You store the corrected averages in `m` and `v`, so the next step corrects them again. Correct copies.",
    ),
    (
        _variant("step_decayed_by_gradient", into_gradient=True),
        "The weight decay goes through `m` and `v`. In AdamW it is added after the division.",
    ),
    (
        _variant("step_without_square", square=lambda g: g.abs()),
        "`v` averages the size of the gradient; it should average its square.",
    ),
    (
        _variant("step_without_root", move=lambda m, v, eps: m / (v + eps)),
        "You divide by `v` and not by its root.",
    ),
    (
        _variant("step_eps_in_root", move=lambda m, v, eps: m / (v + eps).sqrt()),
        "ε is added inside the root; equation 8.3 adds it to the root.",
    ),
    (
        _variant("step_without_eps", eps=0.0),
        "ε is missing, so a small gradient moves its weight too far.",
    ),
    (
        _variant("step_without_decay", decay=lambda w, rate, weight_decay: 0.0),
        "The weight decay is missing.",
    ),
    (
        _variant("step_decay_without_rate", decay=lambda w, rate, weight_decay: weight_decay * w),
        "The weight decay is not multiplied by the rate.",
    ),
    (
        _variant("step_upwards", sign=1),
        "The weights move in the direction of the gradient; they should move against it.",
    ),
    (
        _variant("step_with_turned_betas", beta1=0.999, beta2=0.9),
        "0.9 belongs to `m` and 0.999 to `v`.",
    ),
    (
        _variant("step_from_zero", correct_by=lambda t: t + 1),
        "t counts from 1 already: in the first step divide by 1 - 0.9 and 1 - 0.999.",
    ),
    (
        step_with_plain_sums,
        "The new gradient is not multiplied by 1 - 0.9 and 1 - 0.999, so `m` and `v` are sums and no averages.",
    ),
    (
        step_with_the_means_of_before,
        "You move the weights before you update the averages.",
    ),
    (
        _variant("step_without_w", moved=False),
        "`w` has not moved. Change it in place: `w[...] = …`.",
    ),
    (
        step_not_in_place,
        "None of the three tensors has changed. Change them in place: `m[...] = …`.",
    ),
)
