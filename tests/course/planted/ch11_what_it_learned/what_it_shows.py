"""Answers to `what_it_shows` on which its check is tried."""

from planted import Answers, named


def credit_by_list(accuracy, majority, untrained, control, margin=0.05):
    for rival, name in ((majority, "nobody"), (control, "the probe"), (untrained, "the input")):
        if accuracy <= rival + margin:
            return name
    return "the training"


def credit_by_dict(accuracy, majority, untrained, control, margin=0.05):
    rivals = {"nobody": majority, "the probe": control, "the input": untrained}
    return next(
        (name for name, rival in rivals.items() if not accuracy - rival > margin), "the training"
    )


def _credit(order, margin_used=True):
    """A planted wrong answer: other rivals, or in another order."""

    def wrong(accuracy, majority, untrained, control, margin=0.05):
        rivals = {"nobody": majority, "the probe": control, "the input": untrained}
        for name in order:
            if not accuracy - rivals[name] > (margin if margin_used else 0):
                return name
        return "the training"

    return wrong


credit_no_majority = named("credit_no_majority", _credit(["the probe", "the input"]))


credit_no_control = named("credit_no_control", _credit(["nobody", "the input"]))


credit_no_twin = named("credit_no_twin", _credit(["nobody", "the probe"]))


credit_input_first = named("credit_input_first", _credit(["nobody", "the input", "the probe"]))


credit_probe_first = named("credit_probe_first", _credit(["the probe", "nobody", "the input"]))


credit_no_margin = named(
    "credit_no_margin", _credit(["nobody", "the probe", "the input"], margin_used=False)
)


credit_fixed_margin = named(
    "credit_fixed_margin",
    lambda accuracy, majority, untrained, control, margin=0.05: credit_by_list(
        accuracy, majority, untrained, control
    ),
)


def _credit_at_least(exempt):
    """A planted wrong answer: a lead of exactly the margin over one rival is enough."""

    def wrong(accuracy, majority, untrained, control, margin=0.05):
        rivals = {"nobody": majority, "the probe": control, "the input": untrained}
        for name, rival in rivals.items():
            lead = accuracy - rival
            if lead < margin or (lead == margin and name != exempt):
                return name
        return "the training"

    return wrong


credit_at_least_majority = named("credit_at_least_majority", _credit_at_least("nobody"))


credit_at_least_control = named("credit_at_least_control", _credit_at_least("the probe"))


credit_at_least_twin = named("credit_at_least_twin", _credit_at_least("the input"))


credit_always = named("credit_always", lambda *numbers, **more: "nobody")


credit_yes = named(
    "credit_yes", lambda accuracy, majority, untrained, control, margin=0.05: accuracy > majority
)


ANSWERS = Answers(
    right=(credit_by_list, credit_by_dict),
    wrong={
        credit_no_majority: r"commonest answer scores 0.62",
        credit_no_control: r"0.92 on labels that mean nothing",
        credit_no_twin: r"twin has 0.91",
        credit_input_first: r"asked first",
        credit_probe_first: r"whatever the others do",
        credit_no_margin: r"0.77, but not by more",
        credit_fixed_margin: r"margin that it is given",
        credit_always: r"credit to nobody",
        credit_yes: r"not to True",
        credit_at_least_majority: r"belongs to nobody\. Use >, not >=",
        credit_at_least_control: r"belongs to the probe\. Use >, not >=",
        credit_at_least_twin: r"belongs to the input\. Use >, not >=",
    },
)
