"""Wrong answers to `agreeing_noun`: its check names the token that gets the weight, and why."""

KNOWN = ()
