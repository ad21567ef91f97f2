"""The order in which each epoch visits the positions of a corpus."""

import numpy as np


class Grid:
    """Points every `spacing` tokens over `total` tokens. Each epoch visits all of them, in a new
    random order and shifted by a new random offset."""

    def __init__(self, total: int, spacing: int, seed: int):
        self.total, self.spacing, self.seed = total, spacing, seed
        self.points_per_epoch = max(1, total // spacing)
        # the epoch last used, its order and its shift: cached because drawing them is slow
        self._drawn = (-1, np.zeros(0, np.int64), 0)

    def points(self, first: int, count: int) -> np.ndarray:
        """The points first … first + count - 1, numbered from 0 through all epochs:
        (count)."""
        if not count:
            return np.zeros(0, np.int64)
        numbers = np.arange(first, first + count)
        epochs, places = np.divmod(numbers, self.points_per_epoch)
        return np.concatenate(
            [self._of_epoch(epoch, places[epochs == epoch]) for epoch in np.unique(epochs)]
        )

    def _of_epoch(self, epoch: int, places: np.ndarray) -> np.ndarray:
        if self._drawn[0] != epoch:
            draw = np.random.default_rng([self.seed, epoch])
            self._drawn = (
                epoch,
                draw.permutation(self.points_per_epoch),
                int(draw.integers(self.spacing)),
            )
        _, order, shift = self._drawn
        return np.asarray((order[places] * self.spacing + shift) % self.total)
