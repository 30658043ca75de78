"""Old names of modules and of what they define: they still work, with a warning.

Both tables hold names that a documentation page once showed. A module that
moved whole stands in `MOVED`; a name that changed, or that left a module that
is still there, in `RENAMED`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from limner.lazy import load, load_object, warn_of_old_name

if TYPE_CHECKING:
    from importlib.abc import Loader

# The modules that now define what the module of an old name defined; submodules of a moved package move with it.
MOVED: dict[str, tuple[str, ...]] = {
    "limner.bench.build": ("limner.bench.benchmark",),
    "limner.bench.mentions": ("limner.corpus.classes.class_mentions",),
    "limner.bench.contents": ("limner.bench.candidate_images",),
    "limner.bench.counted": ("limner.bench.counted_classes",),
    "limner.bench.domains": ("limner.bench.class_domains",),
    "limner.caption.class_words": ("limner.corpus.classes.class_names",),
    "limner.caption.excluded_classes": ("limner.corpus.classes.class_tables",),
    "limner.caption.hugging_face": ("limner.caption.models.hugging_face",),
    "limner.caption.hugging_face_step": ("limner.caption.models.hugging_face_step",),
    "limner.caption.mentions": ("limner.caption.constraints.worded_constraints",),
    "limner.caption.wording": ("limner.caption.constraints.tokenizer_adapter",),
    "limner.corpus.class_hierarchy": ("limner.corpus.classes.class_hierarchy",),
    "limner.corpus.formats.open_images_classes": ("limner.corpus.classes.open_images_classes",),
    "limner.corpus.link": ("limner.corpus.linking",),
    "limner.text.forms": ("limner.text.noun_forms",),
    "limner.corpus.playground": ("limner.playground",),
    "limner.corpus.synonyms": ("limner.corpus.classes.class_words", "limner.corpus.classes.class_names"),
    "limner.describe.model_files": ("limner.learn.model_files",),
    "limner.report.captions_page": ("limner.report",),
    "limner.report.judgement_plots": ("limner.report.experiment_plots",),
    "limner.report.page": ("limner.report",),
    "limner.report.selection_plots": ("limner.report.experiment_plots",),
    "limner.describe.realise.fluent": ("limner.describe.realise.realisers",),
    "limner.describe.realise.paper": ("limner.describe.realise.realisers",),
    "limner.describe.selection": ("limner.describe.selectors",),
    "limner.report.plots": ("limner.look.plots",),
    "limner.report.tables": ("limner.look.tables",),
    "limner.score.judgement.files": ("limner.score.judgement.judgement_files",),
    "limner.score.judgement.ratings": ("limner.score.judgement.agreement",),
    "limner.score.judgement.scale": ("limner.score.judgement.judgements",),
    "limner.score.judgement.table": ("limner.score.judgement.judgement_table",),
    "limner.score.spice.original": ("limner.score.spice.original_spice",),
}

# What `old.module.name` is now, as `new.module:name`.
RENAMED: dict[str, str] = {
    "limner.report.bench_plots.ClassMentions": "limner.report.bench_plots:MentionCount",
    "limner.bench.contents.gather": "limner.bench.candidate_images:gather_candidates",
    "limner.score.judgement.agreement.agreement": "limner.score.judgement.agreement:measure_agreement",
    "limner.score.pairing.read_captions": "limner.score.given_captions:read_captions",
    "limner.score.pairing.read_references": "limner.score.given_captions:read_references",
    "limner.caption.wording.Wording": "limner.caption.constraints.tokenizer_adapter:TokenizerAdapter",
}


class MovedModule(ModuleType):
    """A module by its old name: each use of it warns and gives what the new modules define."""

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return [public for home in new_homes(self.__name__) for public in _public_names(load(home))]
        return moved_name(self.__name__, name, stacklevel=3)


def _public_names(module: ModuleType) -> list[str]:
    return list(getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]))


def moved_names(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that some names of `RENAMED` have left."""
    return lambda name: moved_name(module, name, stacklevel=3)


def moved_name(module: str, name: str, *, stacklevel: int) -> Any:
    """What a name of a module stands for today, with a warning that tells its new one."""
    new = RENAMED.get(f"{module}.{name}")
    if new is None and not name.startswith("__"):
        new = next(
            (f"{home}:{name}" for home in new_homes(module) if _exists(home) and hasattr(load(home), name)), None
        )
    if new is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    warn_of_old_name(f"{module}.{name} is now {new.replace(':', '.')}", stacklevel=stacklevel)
    return load_object(new)


class MovedFinder:
    """Finds and loads modules by their old names.

    The base classes of `importlib.abc` would only cost time at every start.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        homes = [home for home in new_homes(fullname) if _exists(home)]
        return ModuleSpec(fullname, cast("Loader", self), is_package=True) if homes else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return MovedModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run: every name is looked up when it is used."""


def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def new_homes(old: str) -> tuple[str, ...]:
    """The modules where the contents of a moved module are now; none if it did not move."""
    if old in MOVED:
        return MOVED[old]
    parent, _, child = old.rpartition(".")
    return tuple(f"{home}.{child}" for home in new_homes(parent)) if parent else ()


def install() -> None:
    """Let old names be imported; the real modules are always looked for first."""
    if not any(isinstance(finder, MovedFinder) for finder in sys.meta_path):
        sys.meta_path.append(MovedFinder())
