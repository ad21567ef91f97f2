"""Wrong answers to `adamw_step` that its check recognises, each with the feedback for it."""

from minibert.course.exercises.mistakes import named


def _step(name, mean=None, square=None, move=None, change=None):
    """A wrong answer in which one of the four lines is another."""

    def step_wrongly(w, g, m, v, t, rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
        m.copy_(mean(m, g, beta1, beta2, w, decay) if mean else beta1 * m + (1 - beta1) * g)
        v.copy_(square(v, g, beta1, beta2, m) if square else beta2 * v + (1 - beta2) * g**2)
        one, two = 1 - beta1**t, 1 - beta2**t
        step = move(m, v, one, two, eps) if move else m / one / ((v / two).sqrt() + eps)
        w.copy_(change(w, step, rate, decay) if change else w - rate * (step + decay * w))

    return named(name, step_wrongly)


adamw_uncorrected = _step("adamw_uncorrected", move=lambda m, v, a, b, eps: m / (v.sqrt() + eps))
adamw_half_corrected = _step(
    "adamw_half_corrected", move=lambda m, v, a, b, eps: m / a / (v.sqrt() + eps)
)
adamw_second_corrected = _step(
    "adamw_second_corrected", move=lambda m, v, a, b, eps: m / ((v / b).sqrt() + eps)
)
adamw_multiplied = _step(
    "adamw_multiplied", move=lambda m, v, a, b, eps: m * a / ((v * b).sqrt() + eps)
)
adamw_without_root = _step("adamw_without_root", move=lambda m, v, a, b, eps: m / a / (v / b + eps))
adamw_eps_inside = _step(
    "adamw_eps_inside", move=lambda m, v, a, b, eps: m / a / (v / b + eps).sqrt()
)
adamw_without_eps = _step("adamw_without_eps", move=lambda m, v, a, b, eps: m / a / (v / b).sqrt())
adamw_sum = _step("adamw_sum", mean=lambda m, g, a, b, w, decay: a * m + g)
adamw_mean_turned = _step(
    "adamw_mean_turned", mean=lambda m, g, a, b, w, decay: (1 - a) * m + a * g
)
adamw_without_square = _step(
    "adamw_without_square", square=lambda v, g, a, b, m: b * v + (1 - b) * g.abs()
)
adamw_square_of_mean = _step(
    "adamw_square_of_mean", square=lambda v, g, a, b, m: b * v + (1 - b) * m**2
)
adamw_uphill = _step("adamw_uphill", change=lambda w, s, rate, decay: w + rate * (s - decay * w))
adamw_without_decay = _step("adamw_without_decay", change=lambda w, s, rate, decay: w - rate * s)
adamw_decay_without_rate = _step(
    "adamw_decay_without_rate", change=lambda w, s, rate, decay: w - rate * s - decay * w
)
adamw_growing = _step("adamw_growing", change=lambda w, s, rate, decay: w - rate * (s - decay * w))


def adam_with_l2(w, g, m, v, t, rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
    g = g + decay * w
    m.copy_(beta1 * m + (1 - beta1) * g)
    v.copy_(beta2 * v + (1 - beta2) * g**2)
    w -= rate * m / (1 - beta1**t) / ((v / (1 - beta2**t)).sqrt() + eps)


def adamw_stores_corrected(w, g, m, v, t, rate, decay, beta1=0.9, beta2=0.999, eps=1e-6):
    m.copy_((beta1 * m + (1 - beta1) * g) / (1 - beta1**t))
    v.copy_((beta2 * v + (1 - beta2) * g**2) / (1 - beta2**t))
    w -= rate * (m / (v.sqrt() + eps) + decay * w)


KNOWN = (
    (
        adamw_uncorrected,
        "The bias correction is missing: divide m by 1 - beta1**t and v by 1 - beta2**t.",
    ),
    (adamw_half_corrected, "You correct m only. v begins at 0, too: divide it by 1 - beta2**t."),
    (adamw_second_corrected, "You correct v only. m begins at 0, too: divide it by 1 - beta1**t."),
    (
        adamw_multiplied,
        "You multiply by 1 - beta**t. The means are too small at first, so divide by it.",
    ),
    (adamw_without_root, "You divide by v itself; the equation has its square root."),
    (adamw_eps_inside, "Your eps lies inside the square root; add it after the root."),
    (adamw_without_eps, "eps is missing: add it to the square root."),
    (adamw_sum, "You add the whole gradient to m. A running mean adds the share 1 - beta1 of it."),
    (adamw_mean_turned, "In m, beta1 and 1 - beta1 are exchanged: beta1 belongs to the old mean."),
    (adamw_without_square, "v is the mean of the squared gradients, and you do not square them."),
    (adamw_square_of_mean, "v is the mean of g squared; you take m squared."),
    (adamw_uphill, "You move along the gradient, so the loss would grow. The step is subtracted."),
    (adamw_without_decay, "The weight decay is missing."),
    (
        adamw_decay_without_rate,
        "You subtract decay * w without the rate; the rate multiplies the decay, too.",
    ),
    (adamw_growing, "Your decay makes the weights larger: it has the wrong sign."),
    (
        adam_with_l2,
        "You add the decay to the gradient. That is Adam with an L2 penalty: the decay is then divided by the root of v as well. In AdamW it is added outside the fraction.",
    ),
    (
        adamw_stores_corrected,
        "You store the corrected means, so the next step corrects them again. Keep m and v uncorrected, and correct a copy.",
    ),
)
