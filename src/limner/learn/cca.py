"""Normalised canonical correlation analysis: two views of the same things in one space, where cosines compare them.

After Gong et al. (2014), as Plummer et al. (2016, §4.1) use it: projections
are scaled by the correlations and have length 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from limner.arrays import Integers, Singles
from limner.errors import LimnerError, shown
from limner.lazy import lazy
from limner.learn.array_files import read_arrays, write_arrays
from limner.learn.model_files import ModelKind

if TYPE_CHECKING:
    from limner.learn import cca_solution, pair_covariance
else:
    # Projecting needs numpy alone, fitting needs scipy.
    cca_solution = lazy("limner.learn.cca_solution")
    pair_covariance = lazy("limner.learn.pair_covariance")

CCA_KIND = ModelKind("cca", 1, trained_by="limner.learn.NormalisedCCA")

# Numbers of a view that a model may have.
MAX_DIMS = 1 << 16

# Rows that are projected at a time.
_BLOCK_ROWS = 4096

_NAMES = ("x_mean", "y_mean", "x_weights", "y_weights", "correlations")


class NormalisedCCA:
    """Projections of two views that correlate best, scaled by their correlations, of length 1.

    `n_components` is the number of directions (default: as many as the smaller
    view has dimensions), `ridge` the share of a covariance's largest
    eigenvalue that is added to its diagonal, `power` the exponent of the
    correlations that projections are scaled by.

    After `fit`, or `partial_fit` on one batch after the other: `correlations_`,
    `x_mean_`, `y_mean_`, `x_weights_ [dx, k]` and `y_weights_ [dy, k]`. Numbers
    are of 32 bits.
    """

    _settings: tuple[int | None, float, float]
    x_mean_: Singles
    y_mean_: Singles
    x_weights_: Singles
    y_weights_: Singles
    correlations_: Singles

    def __init__(self, n_components: int | None = None, ridge: float = 1e-4, power: float = 1.0) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.power = power

    def __repr__(self) -> str:
        return f"NormalisedCCA(n_components={self.n_components}, ridge={self.ridge}, power={self.power})"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name, as scikit-learn asks for them."""
        return {"n_components": self.n_components, "ridge": self.ridge, "power": self.power}

    def set_params(self, **settings: Any) -> Self:
        """The same object with other settings, which count from the next fit on."""
        for name, value in settings.items():
            if name not in self.get_params():
                raise ValueError(f"NormalisedCCA has no setting {name!r}; choose from: {', '.join(self.get_params())}")
            setattr(self, name, value)
        return self

    def fit(
        self, x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None, *, y_index: ArrayLike | None = None
    ) -> Self:
        """Learn from rows, as `partial_fit` does, and from them alone."""
        self._forget()
        return self.partial_fit(x, y, weights, y_index=y_index)

    def partial_fit(
        self, x: ArrayLike, y: ArrayLike, weights: ArrayLike | None = None, *, y_index: ArrayLike | None = None
    ) -> Self:
        """Learn from more rows `x [n, dx]` and `y [n, dy]`; a row of weight 2 counts as if it were there twice.

        Where rows of y repeat, as phrases do, give each once: row i of x then
        belongs to `y[y_index[i]]`, and only distinct rows of y cost time. The
        order and size of batches make no difference, up to rounding.
        Directions are computed when they are first used. A model from a file
        has no sums of its rows to add to: it raises LimnerError.
        """
        if "correlations_" in self.__dict__ and "_covariance" not in self.__dict__:
            raise LimnerError("this NormalisedCCA is from a file and cannot learn from more rows; call fit instead")
        self._check_settings()
        x_rows, y_rows = _rows(x, "x"), _rows(y, "y")
        index = None if y_index is None else _index(y_index, len(x_rows), len(y_rows))
        if index is None and len(x_rows) != len(y_rows):
            raise ValueError(f"x has {len(x_rows):,} rows and y has {len(y_rows):,}; they must be of the same things")
        row_weights = None if weights is None else _weights(weights, len(x_rows))
        if not len(x_rows):
            return self
        dims = x_rows.shape[1], y_rows.shape[1]
        covariance = getattr(self, "_covariance", None)
        if covariance is None:
            covariance = pair_covariance.start_covariance(x_rows, y_rows, row_weights)
        elif covariance.n_dims != dims:
            raise ValueError(f"rows have {dims} dimensions, those before had {covariance.n_dims}")
        if index is None:
            covariance.add(x_rows, y_rows, row_weights)
        else:
            covariance.add_repeated(x_rows, y_rows, index, row_weights)
        self._forget()
        self._covariance = covariance
        self._settings = self.n_components, self.ridge, self.power
        self.n_features_in_ = dims[0]
        return self

    def transform(self, x: ArrayLike) -> Singles:
        """Rows of the first view in the common space, `[n, k]`, of length 1 (0 for a row that projects to 0)."""
        return self._projected(x, "x")

    def transform_y(self, y: ArrayLike) -> Singles:
        """Rows of the second view in the common space, likewise."""
        return self._projected(y, "y")

    def __getattr__(self, name: str) -> Any:
        # What is fitted is computed when it is first asked for.
        if name.removesuffix("_") in _NAMES and name.endswith("_") and "_covariance" in self.__dict__:
            self._solve()
            return self.__dict__[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _solve(self) -> None:
        covariance: pair_covariance.PairCovariance = self._covariance
        if covariance.n_rows < 2:
            raise LimnerError("CCA needs at least two rows")
        most = min(covariance.n_dims)
        wanted, ridge, _ = self._settings
        n_components = most if wanted is None else wanted
        if n_components > most:
            raise LimnerError(f"n_components is {n_components:,}, but the smaller view has {most:,} dimensions")
        self.x_mean_, self.y_mean_ = covariance.means()
        xx, yy, xy = covariance.covariances()
        solution = cca_solution.solve_cca(xx, yy, xy, n_components, ridge)
        # In the order of rows that a file gives them: some processors round products of columns differently.
        self.x_weights_ = np.ascontiguousarray(solution.x_weights)
        self.y_weights_ = np.ascontiguousarray(solution.y_weights)
        self.correlations_ = solution.correlations

    def _projected(self, rows: ArrayLike, view: str) -> Singles:
        mean, weights, correlations = self._side(view)
        values = _rows(rows, view)
        if values.shape[1] != len(mean):
            raise ValueError(f"rows of {view} have {values.shape[1]:,} dimensions, the model's have {len(mean):,}")
        scaled = weights * correlations ** np.float32(self._settings[2])
        projected = np.empty((len(values), scaled.shape[1]), dtype=np.float32)
        for start in range(0, len(values), _BLOCK_ROWS):
            block = slice(start, start + _BLOCK_ROWS)
            np.matmul(values[block] - mean, scaled, out=projected[block])
            projected[block] /= np.maximum(np.linalg.norm(projected[block], axis=1, keepdims=True), 1e-30)
        return projected

    def _side(self, view: str) -> tuple[Singles, Singles, Singles]:
        if "_covariance" not in self.__dict__ and "correlations_" not in self.__dict__:
            raise LimnerError("this NormalisedCCA has learnt nothing yet; call fit first")
        if view == "x":
            return self.x_mean_, self.x_weights_, self.correlations_
        return self.y_mean_, self.y_weights_, self.correlations_

    def _forget(self) -> None:
        for name in ("_covariance", "_settings", *(f"{name}_" for name in _NAMES)):
            self.__dict__.pop(name, None)

    def _check_settings(self) -> None:
        if self.n_components is not None and self.n_components < 1:
            raise ValueError(f"n_components must be at least 1, not {self.n_components}")
        if not 0 <= self.ridge < np.inf:
            raise ValueError(f"ridge must be a number of at least 0, not {self.ridge}")
        if not 0 <= self.power < np.inf:
            raise ValueError(f"power must be a number of at least 0, not {self.power}")

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The model as named arrays, which a larger model's file can hold."""
        self._side("x")
        arrays: dict[str, NDArray[Any]] = {name: getattr(self, f"{name}_") for name in _NAMES}
        n_components, ridge, power = self._settings
        arrays["settings"] = np.array([-1 if n_components is None else n_components, ridge, power], dtype=np.float64)
        return arrays

    @property
    def fingerprint(self) -> str:
        """Twelve letters that are others for a model that has learnt something else."""
        digest = blake2b(digest_size=6)
        for name, values in sorted(self.to_arrays().items()):
            digest.update(f"{name}{values.shape}".encode() + np.ascontiguousarray(values).tobytes())
        return digest.hexdigest()

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """The model of `to_arrays`; raises ValueError if the arrays do not fit each other."""
        _check_arrays(arrays)
        n_components, ridge, power = (float(number) for number in arrays["settings"])
        model = cls(None if n_components < 0 else int(n_components), ridge, power)
        model._check_settings()
        model._settings = model.n_components, ridge, power
        for name in _NAMES:
            setattr(model, f"{name}_", arrays[name])
        model.n_features_in_ = len(arrays["x_mean"])
        return model

    def save(self, path: str | Path) -> None:
        """Write the model to a file; a failed write leaves none."""
        write_arrays(Path(path), CCARecord(CCA_KIND.name, CCA_KIND.version), self.to_arrays())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The model in a file, which is checked; nothing in it is run."""
        _, arrays = read_arrays(Path(path), CCA_KIND, CCARecord)
        try:
            return cls.from_arrays(arrays)
        except ValueError as error:
            raise CCA_KIND.error(Path(path), f"is damaged ({error})") from error


class CCARecord(msgspec.Struct):
    """What a file of a CCA says it is; all else is arrays."""

    limner_model: str
    version: int


def _rows(values: ArrayLike, view: str) -> Singles:
    rows = np.ascontiguousarray(values, dtype=np.float32)
    if rows.ndim != 2 or not 1 <= rows.shape[1] <= MAX_DIMS:
        raise ValueError(f"{view} must be a table [rows, dimensions], not of shape {rows.shape}")
    # A sum is finite only if all numbers are, unless they are so large that they would overflow anyway.
    if not np.isfinite(rows.sum(dtype=np.float64)):
        raise ValueError(f"{view} has numbers that are not finite")
    return rows


def _weights(values: ArrayLike, n_rows: int) -> Singles:
    weights = np.asarray(values, dtype=np.float32)
    if weights.shape != (n_rows,):
        raise ValueError(f"weights must be {n_rows:,} numbers, not of shape {weights.shape}")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise ValueError("weights must be finite numbers of at least 0")
    return weights


def _index(values: ArrayLike, n_rows: int, n_y: int) -> Integers:
    index = np.asarray(values)
    if index.shape != (n_rows,) or index.dtype.kind not in "iu":
        raise ValueError(f"y_index must be {n_rows:,} whole numbers, not {index.dtype} of shape {index.shape}")
    if n_rows and not (index.min() >= 0 and index.max() < n_y):
        raise ValueError(f"y_index must be numbers of the {n_y:,} rows of y, from 0")
    return index.astype(np.int64)


def _check_arrays(arrays: Mapping[str, NDArray[Any]]) -> None:
    expected = {*_NAMES, "settings"}
    if arrays.keys() != expected:
        raise ValueError(f"its arrays are {shown(sorted(arrays))}, not {shown(sorted(expected))}")
    k = arrays["correlations"].shape[:1]
    shapes = {
        "x_weights": (*arrays["x_mean"].shape, *k),
        "y_weights": (*arrays["y_mean"].shape, *k),
        "settings": (3,),
    }
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has the shape {arrays[name].shape}, not {shape}")
    for name in ("x_mean", "y_mean", "correlations"):
        if arrays[name].ndim != 1 or not 1 <= len(arrays[name]) <= MAX_DIMS:
            raise ValueError(f"{name} has the shape {arrays[name].shape}")
    for name in _NAMES:
        if arrays[name].dtype != np.float32:
            raise ValueError(f"{name} holds {arrays[name].dtype}, not float32")
    correlations = arrays["correlations"]
    if not (np.isfinite(correlations).all() and (correlations >= 0).all() and (correlations <= 1).all()):
        raise ValueError("a correlation is not between 0 and 1")
