"""Definitions that several exercises of this chapter share."""

from numbers import Real

import numpy as np
import torch

from minibert.course.exercises.compare import expect_tensor

CHAPTER = "08_pretraining"


def _number(value, what):
    """Converts a loss or an accuracy to a float64 scalar; raises Mistake if it is not one number."""
    if isinstance(value, Real | np.ndarray) and np.ndim(value) == 0:
        value = torch.tensor(float(value))
    expect_tensor(value, [], what)
    return value.detach().double()
