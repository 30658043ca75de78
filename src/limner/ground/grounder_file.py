"""The file of a grounder: a record and arrays, none of which is run, all of which are checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from limner.arrays import Floats
from limner.corpus.seen_images import SeenImages, is_hash
from limner.errors import BadInput, LimnerError, one_line, shown
from limner.files import is_regular_file
from limner.ground.colour_classifiers import CLASSIFIERS, ColourClassifiers
from limner.ground.joint_grounding import PAIR_FEATURES, RelationModel
from limner.ground.phrase_model import TYPES
from limner.ground.phrase_queries import PhraseEncoder
from limner.ground.phrase_relations import GROUPS
from limner.ground.picture_regions import RegionRecipe
from limner.ground.position_cue import N_BINS
from limner.ground.systems import CUES, FITTED, JOINT
from limner.learn.array_files import read_arrays, write_arrays
from limner.learn.cca import NormalisedCCA
from limner.learn.linear_svm import LinearSVM
from limner.learn.model_files import ModelKind
from limner.learn.principal_axes import PrincipalAxes
from limner.learn.ranking_network import RankingNetwork
from limner.learn.softmax_classifier import SoftmaxClassifier
from limner.text.text_embedders import AveragedWordVectors, TextEmbedder
from limner.text.word_vectors import open_word_vectors
from limner.vision.features.colour_table import NAMES
from limner.vision.fused_proposals import Filler

GROUNDER = ModelKind("grounder", 2, "limner.ground.train_grounder")

# Numbers beyond this are not those of any training, and would overflow.
LARGE = 1e6

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]

# What a grounder says of the images that its weights were tuned on, unless they were given.
TUNING_SHARE = 0.1
DRAWN_FOR_TUNING = f"about {TUNING_SHARE:.0%} of the training images"


class TrainedGrounder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a grounder was learnt from: images and phrases, those that its weights were tuned on, and the seed."""

    n_images: Count
    n_phrases: Count
    n_tuning_images: Count
    seed: int
    tuned_on: str


@dataclass(frozen=True)
class GrounderParts:
    """All that a grounder has learnt; `weights` are `[types, cues]` by system, `positions` log odds by bin.

    `vectors` is the file of word vectors, "" for those of the installed package.
    """

    recipe: RegionRecipe
    reader_signature: str
    class_names: tuple[str, ...]
    encoder: PhraseEncoder
    axes: PrincipalAxes
    cca: NormalisedCCA
    network: RankingNetwork
    colours: ColourClassifiers
    positions: Mapping[str, Floats]
    relations: RelationModel
    weights: Mapping[str, Floats]
    trained: TrainedGrounder
    images: SeenImages | None
    vectors: str = ""

    @property
    def fingerprint(self) -> str:
        """Twelve letters that are others for a grounder that has learnt something else.

        Where models and word vectors lie does not count: the signatures of their content do.
        """
        placeless = replace(_record(self), features=None, detector=None, vectors="")
        digest = sha256(msgspec.json.encode(placeless))
        for name, values in sorted(_arrays(self).items()):
            digest.update(name.encode() + np.ascontiguousarray(values).tobytes())
        return digest.hexdigest()[:12]


class GrounderRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a file says beside its arrays."""

    limner_model: str
    version: int
    features: str | None
    detector: str | None
    reader: str
    class_names: list[str]
    embedder: str | None
    words: list[str]
    nouns: list[str]
    positions: list[str]
    relations: list[str]
    strengths: dict[str, Annotated[float, msgspec.Meta(ge=0.0, le=100.0)]]
    sharing: dict[str, Annotated[float, msgspec.Meta(ge=-100.0, le=100.0)]]
    colour_classifier: str
    colour_accuracies: dict[str, Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]]
    trained: TrainedGrounder
    images: list[str] | None
    # Files of before these could be chosen do not have them.
    vectors: str = ""
    proposer: Filler = "edge-boxes"


def open_embedder(vectors: str | Path | None = None) -> TextEmbedder | None:
    """Means of the word vectors in a file; without one, those of the installed package, or None if there is none."""
    return AveragedWordVectors(open_word_vectors(vectors)) if vectors else default_embedder()


def default_embedder() -> TextEmbedder | None:
    """Means of the installed word vectors; None if there are none."""
    try:
        return AveragedWordVectors(open_word_vectors())
    except LimnerError as error:
        if error.code == "no-word-vectors":
            return None
        raise


def write_grounder(parts: GrounderParts, path: Path) -> None:
    """Write a grounder; a failed write leaves no file."""
    write_arrays(path, _record(parts), _arrays(parts))


def read_grounder(path: Path) -> GrounderParts:
    """The grounder in a file; what no training would have written is an error that names the file."""
    record, arrays = read_arrays(path, GROUNDER, GrounderRecord)
    embedder = _embedder(record, path)
    try:
        return _parts(record, arrays, embedder)
    except (ValueError, KeyError) as error:
        raise GROUNDER.error(path, f"is damaged ({error})") from error


def _embedder(record: GrounderRecord, path: Path) -> TextEmbedder | None:
    """The embedder of training; an error that names what to give or install if there is none, or another."""
    if record.embedder is None:
        return None
    # The whole path, or nobody could put the file there; a path is never longer than this.
    name = one_line(record.vectors, 4096) if record.vectors else "those of limner[ground]"
    # A file may name whatever it likes: a pipe would be waited for, a device read without end.
    is_there = not record.vectors or is_regular_file(record.vectors)
    embedder = open_embedder(record.vectors) if is_there else None
    if embedder is None:
        remedy = "put the file there" if record.vectors else "pip install 'limner[ground]'"
        raise BadInput(str(path), f"its word vectors, {name}, are not there", f"{remedy}, or train it anew")
    if embedder.signature != record.embedder:
        problem = f"was trained with other word vectors than {name}: {shown(record.embedder)}"
        raise BadInput(str(path), f"{problem}; here are {embedder.signature}", "give those, or train it anew")
    return embedder


def _record(parts: GrounderParts) -> GrounderRecord:
    encoder = parts.encoder
    return GrounderRecord(
        GROUNDER.name,
        GROUNDER.version,
        parts.recipe.features,
        parts.recipe.detector,
        parts.reader_signature,
        [*parts.class_names],
        None if encoder.embedder is None else encoder.embedder.signature,
        [*encoder.words],
        [*encoder.nouns],
        [*parts.positions],
        [*parts.relations.weights],
        dict(parts.relations.strengths),
        dict(parts.relations.sharing),
        parts.colours.used,
        dict(parts.colours.accuracies),
        parts.trained,
        None if parts.images is None else parts.images.to_json(),
        parts.vectors,
        parts.recipe.proposer,
    )


def _arrays(parts: GrounderParts) -> dict[str, NDArray[Any]]:
    models: dict[str, Mapping[str, NDArray[Any]]] = {
        "axes": parts.axes.to_arrays(),
        "cca": parts.cca.to_arrays(),
        "match": parts.network.to_arrays(),
        "colour": {} if parts.colours.network is None else parts.colours.network.to_arrays(),
        "colour_svm": {} if parts.colours.svm is None else parts.colours.svm.to_arrays(),
    }
    arrays = {f"{name}.{part}": values for name, named in models.items() for part, values in named.items()}
    arrays["positions"] = _stacked([*parts.positions.values()], N_BINS)
    arrays["relations"] = _stacked([*parts.relations.weights.values()], len(PAIR_FEATURES))
    arrays["weights"] = np.stack([parts.weights[name] for name in FITTED]).astype(np.float64)
    return arrays


def _stacked(rows: Sequence[Floats], n: int) -> Floats:
    return np.array(rows, dtype=np.float64).reshape(-1, n)


def _parts(record: GrounderRecord, arrays: Mapping[str, NDArray[Any]], embedder: TextEmbedder | None) -> GrounderParts:
    """The parts of a grounder; raises ValueError or KeyError where something does not fit."""
    _check_record(record)
    for name, values in arrays.items():
        if values.size and float(np.abs(values).max()) > LARGE:
            raise ValueError(f"{name} has numbers beyond {LARGE:g}")
    axes = PrincipalAxes.from_arrays(_named(arrays, "axes"))
    cca, network = NormalisedCCA.from_arrays(_named(arrays, "cca")), RankingNetwork.from_arrays(_named(arrays, "match"))
    colours = _colours(record, arrays, axes.axes.shape[1])
    encoder = PhraseEncoder(record.words, record.nouns, embedder)
    positions = _rows(arrays["positions"], record.positions, N_BINS)
    relations = _rows(arrays["relations"], record.relations, len(PAIR_FEATURES))
    weights = arrays["weights"]
    if weights.shape != (len(FITTED), len(TYPES), len(CUES)) or weights.dtype != np.float64:
        raise ValueError(f"weights are of shape {weights.shape}")
    if not set(TYPES) <= positions.keys():
        raise ValueError("positions: a type is not there")
    n_query = encoder.n_dims
    n_item = axes.axes.shape[1] + len(record.class_names) + _N_PLAIN
    if (network.n_item_dims, network.n_query_dims) != (n_item, n_query):
        raise ValueError("the network is of other features")
    if (len(cca.x_mean_), len(cca.y_mean_)) != (n_item, n_query):
        raise ValueError("the CCA is of other features")
    by_system = dict(zip(FITTED, weights, strict=True))
    return GrounderParts(
        RegionRecipe(record.features, record.detector, record.proposer),
        record.reader,
        tuple(record.class_names),
        encoder,
        axes,
        cca,
        network,
        colours,
        positions,
        RelationModel(relations, record.strengths, record.sharing),
        {**by_system, JOINT: by_system["full"]},
        record.trained,
        None if record.images is None else SeenImages(record.images),
        record.vectors,
    )


def _colours(record: GrounderRecord, arrays: Mapping[str, NDArray[Any]], n_axes: int) -> ColourClassifiers:
    of_network, of_svm = _named(arrays, "colour"), _named(arrays, "colour_svm")
    network = SoftmaxClassifier.from_arrays(of_network) if of_network else None
    svm = LinearSVM.from_arrays(of_svm) if of_svm else None
    if network is not None and (len(network.mean), network.n_classes) != (_N_COLOURS, len(NAMES)):
        raise ValueError("the network over colours is of other features")
    if svm is not None and (len(svm.mean), svm.n_classes) != (n_axes or _N_PLAIN, len(NAMES)):
        raise ValueError("the SVM of colours is of other features")
    classifiers = ColourClassifiers(network, svm, record.colour_classifier, record.colour_accuracies)
    if record.colour_classifier not in classifiers.names or not record.colour_accuracies.keys() <= set(CLASSIFIERS):
        raise ValueError(f"colour_classifier, colour_accuracies: expected {', '.join(CLASSIFIERS)}")
    return classifiers


# Numbers of colours, and of colours and shapes together.
_N_COLOURS = 81
_N_PLAIN = _N_COLOURS + 136


def _check_record(record: GrounderRecord) -> None:
    for name in ("words", "nouns", "positions", "relations"):
        values = getattr(record, name)
        if len(set(values)) < len(values):
            raise ValueError(f"{name}: a name is there twice")
    if not {*record.strengths, *record.sharing} <= set(GROUPS):
        raise ValueError(f"strengths, sharing: expected {', '.join(GROUPS)}")
    if record.images is not None and not all(map(is_hash, record.images)):
        raise ValueError("images: there is something else than hashes")


def _named(arrays: Mapping[str, NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    prefix = f"{name}."
    return {key.removeprefix(prefix): values for key, values in arrays.items() if key.startswith(prefix)}


def _rows(table: NDArray[Any], names: Sequence[str], n: int) -> dict[str, Floats]:
    if table.shape != (len(names), n) or table.dtype != np.float64:
        raise ValueError(f"an array of shape {table.shape} does not fit {len(names)} names")
    return dict(zip(names, table, strict=True))
