"""Wrong answers to `mask_works`: its check tells which broken attention each of them accepts."""

KNOWN = ()
