"""Adam (Kingma & Ba 2015) with decoupled decay of weights (Loshchilov & Hutter 2019), in numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limner.arrays import Singles

# The decay of means and of squares.
DECAY = (0.9, 0.999)


class Adam:
    """Steps down slopes; weights are changed in place, and drawn to 0 by `decay`."""

    def __init__(self, weights: Sequence[Singles], decay: float = 0.0) -> None:
        self.weights = [*weights]
        self._decay = decay
        self._means = [np.zeros_like(array) for array in self.weights]
        self._squares = [np.zeros_like(array) for array in self.weights]
        self._n = 0

    def step(self, slopes: Sequence[Singles], rate: float) -> None:
        """One step down slopes, in the order of the weights."""
        self._n += 1
        for weights, slope, mean, square in zip(self.weights, slopes, self._means, self._squares, strict=True):
            mean += (1 - DECAY[0]) * (slope - mean)
            square += (1 - DECAY[1]) * (slope * slope - square)
            size = rate / (1 - DECAY[0] ** self._n)
            weights -= size * mean / (np.sqrt(square / (1 - DECAY[1] ** self._n)) + 1e-8)
            weights -= rate * self._decay * weights
