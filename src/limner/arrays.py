"""The kinds of numpy arrays that signatures name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Floats of half the size, where there are many and a few digits are enough.
Singles = NDArray[np.float32]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
# Positions in another array, as numpy's own sorting and searching return them.
Indices = NDArray[np.intp]
