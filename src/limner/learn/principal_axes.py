"""Principal axes: long vectors in fewer numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.arrays import Singles


@dataclass(frozen=True)
class PrincipalAxes:
    """The directions in which rows differ most: `mean [x]`, `axes [x, y]`."""

    mean: Singles
    axes: Singles

    @classmethod
    def fit(cls, rows: ArrayLike, n_axes: int) -> PrincipalAxes:
        """The first axes of rows `[n, x]`, scaled so that the first one has a variance of 1; at most x of them."""
        given = np.asarray(rows, dtype=np.float32)
        mean = given.mean(axis=0)
        centred = given - mean
        values, vectors = np.linalg.eigh((centred.T @ centred / max(len(given), 1)).astype(np.float64))
        largest = max(float(values[-1]), 1e-12) if len(values) else 1.0
        axes = vectors[:, ::-1][:, :n_axes]
        # The sign of an axis is a matter of the library: its largest number is positive.
        if axes.size:
            axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1.0, 1.0)
        return cls(mean.astype(np.float32), (axes / np.sqrt(largest)).astype(np.float32))

    def reduce(self, rows: ArrayLike) -> Singles:
        """The rows along the axes, `[n, y]`."""
        return np.asarray((np.asarray(rows, dtype=np.float32) - self.mean) @ self.axes, dtype=np.float32)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        return {"mean": self.mean, "axes": self.axes}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> PrincipalAxes:
        """The axes of `to_arrays`; raises ValueError if the arrays do not fit each other."""
        mean, axes = arrays.get("mean"), arrays.get("axes")
        if mean is None or axes is None or mean.dtype != np.float32 or axes.dtype != np.float32:
            raise ValueError("the principal axes are not there")
        if mean.ndim != 1 or axes.ndim != 2 or len(mean) != len(axes):
            raise ValueError(f"principal axes of shape {axes.shape} do not fit a mean of {mean.shape}")
        return cls(mean, axes)
