"""The one place where anything is imported late.

Light code names a heavy module with `lazy` and uses it as if it had been
imported; the library behind it is loaded at the first use. A package offers
what its modules define with `lazy_exports`, so that importing the package
costs nothing. `kernel` finds compiled code, which may not be there.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from limner.errors import MissingLibrary

# Modules and packages that import a large library at their top, and the extra that installs it.
HEAVY: Mapping[str, str] = {
    "limner.corpus.formats.parquet_pages": "parquet",
    "limner.corpus.formats.parquet_tables": "parquet",
    "limner.caption.models": "neural",
    "limner.caption.search": "neural",
    "limner.caption.training": "neural",
    "limner.caption.training.dependency_vectors": "ground",
    "limner.learn.torch": "neural",
    "limner.ground.clip_encoder": "neural",
    "limner.learn.approximate_search": "search",
    "limner.learn.transformers_folders": "neural",
    "limner.score.embedder": "neural",
    "limner.vision.hugging_face_detector": "neural",
    "limner.vision.opencv_proposals": "vision",
    "limner.vision.runtimes.litert_models": "vision",
    "limner.vision.runtimes.onnx_models": "vision",
    "limner.ray_connection": "ray",
    "limner.score.sharded.ray_engine": "ray",
    "limner.vision.features.hdf5_features": "vision",
    "limner.vision.features.hugging_face_backbone": "neural",
    "limner.vision.features.litert_backbone": "vision",
    "limner.vision.features.ray_features": "ray",
    "limner.look.plots": "plots",
    "limner.report.bench_plots": "plots",
    "limner.report.detector_plots": "plots",
    "limner.report.estimate_plots": "plots",
    "limner.report.experiment_plots": "plots",
    "limner.report.localisation_experiment_plots": "plots",
    "limner.report.localisation_plots": "plots",
    "limner.report.retrieval_plots": "plots",
    "limner.report.statistics_plots": "plots",
    "limner.report.training_plots": "plots",
    "limner.score.spice.spice_parser": "nlp",
    "limner.text.tagging": "nlp",
    "limner.describe.learned.selector_training": "train",
    "limner.ground.chainer_training": "train",
    "limner.ground.sentence_embedder": "neural",
    "limner.learn.blas_threads": "ground",
    "limner.learn.boosting": "train",
    "limner.learn.cca_solution": "ground",
    "limner.learn.pair_covariance": "ground",
    "limner.learn.svm_training": "ground",
    "limner.text.glove_package": "ground",
}


class LazyModule(ModuleType):
    """A module that is imported when something of it is first used."""

    def __getattr__(self, name: str) -> Any:
        return getattr(load(self.__name__), name)


def lazy(name: str) -> LazyModule:
    """The module of this dotted name, imported at its first use.

    Type checkers do not see through this. Import the module for them under
    `if TYPE_CHECKING:` and assign the lazy one in the `else` branch.
    """
    return LazyModule(name)


def load(name: str) -> ModuleType:
    """The module of this dotted name, imported now; an error names the extra that installs a missing library."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        extra = extra_of(name)
        if extra is None or library == "limner":
            raise
        raise MissingLibrary(library, extra) from error


def kernel(name: str) -> ModuleType | None:
    """The compiled module of this dotted name, None if it was not built: Python code does the same, slower.

    Also None if `LIMNER_PURE_PYTHON` is set to anything but 0, which disables
    compiled code. A module that was built but does not load raises an
    ImportError: otherwise nobody would notice more than slowness.
    """
    if os.environ.get("LIMNER_PURE_PYTHON", "") not in ("", "0"):
        return None
    return load(name) if find_spec(name) else None


def load_object(path: str) -> Any:
    """What `module:name` stands for."""
    module, _, name = path.partition(":")
    return getattr(load(module), name)


def extra_of(module: str) -> str | None:
    """The extra that installs what a heavy module needs, None for a light one."""
    while module:
        if module in HEAVY:
            return HEAVY[module]
        module = module.rpartition(".")[0]
    return None


def lazy_exports(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """A package's `__getattr__`, `__dir__` and `__all__`, from what it imports under `if TYPE_CHECKING:`.

    Type checkers read those imports, and so does this function, so the names
    stand in one place.
    """
    origins = _type_checking_imports(package)

    def get(name: str) -> Any:
        if name not in origins:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = load_object(origins[name])
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *origins})

    return get, names, sorted(origins)


def _type_checking_imports(package: str) -> dict[str, str]:
    """Where each name comes from, as `module:name`, that a package imports for type checkers alone."""
    loader: Any = sys.modules[package].__loader__
    path = loader.get_filename(package)
    if not path.endswith(".py"):
        raise ImportError(f"{package} needs its source file to know what it exports; install Limner with its .py files")
    source = loader.get_data(path)
    blocks = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    ]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: f"{node.module}:{alias.name}" for node in imports for alias in node.names}
