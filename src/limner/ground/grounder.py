"""A trained grounder: it points at what the phrases of a sentence mean in a picture, and says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from limner.arrays import Floats, Singles
from limner.corpus.caption import Caption
from limner.corpus.geometry import iou
from limner.corpus.image import Image
from limner.corpus.seen_images import SeenImages
from limner.errors import BadInput, unknown
from limner.ground.colour_cue import ColourCue
from limner.ground.embedding_cues import CcaCue, MatchCue
from limner.ground.grounder_file import GrounderParts, read_grounder, write_grounder
from limner.ground.joint_grounding import Influence, pair_geometry, solve_together
from limner.ground.phrase_model import TYPES, built_in_phrases
from limner.ground.phrase_queries import PhraseQuery, make_query, read_queries
from limner.ground.phrase_relations import find_relations
from limner.ground.picture_regions import PictureRegions, RegionReader, RegionRecipe
from limner.ground.position_cue import PositionCue
from limner.ground.region_cues import Cue, DetectorCue, SceneCue, SizeCue
from limner.ground.systems import CUES, EITHER, JOINT, LARGEST, SYSTEMS
from limner.vision.protocols import Pixels

# IoU above which the lower of two ranked regions is dropped from a phrase's ranking.
RANKING_NMS = 0.5


class CuePoints(NamedTuple):
    """What a cue adds to a region's score: its own score, None if it was silent, its weight, and their product."""

    cue: str
    score: float | None
    weight: float
    points: float


class Answer(NamedTuple):
    """A phrase's ranking: regions by number, best first, none overlapping another by more than `RANKING_NMS`.

    `cues` and `others` are why the first is first: points of cues, and points
    that other phrases of the sentence gave.
    """

    query: PhraseQuery
    ranking: list[tuple[int, float]]
    cues: list[CuePoints]
    others: list[tuple[PhraseQuery, str, float]]

    @property
    def points(self) -> dict[str, float]:
        """The points of each cue that was not silent, and of `others`; they add up to the score of the first region."""
        points = {cue.cue: cue.points for cue in self.cues if cue.score is not None}
        return points | ({"others": sum(given for _, _, given in self.others)} if self.others else {})


@dataclass(frozen=True)
class CueTable:
    """Scores of cues, `[phrases, regions, cues]`, 0 where a cue is silent; and where it is, `[phrases, cues]`."""

    scores: Floats
    is_silent: Floats


class Grounder:
    """Points at what phrases mean: cues weighted by the phrase's type, then all phrases of a sentence together.

    `parts` are what was learnt. `systems` names which cues take part:
    `largest`, `cca`, `detector`, `size`, `colour`, `position`, `full`, `joint`, and more (see `SYSTEMS`).
    """

    def __init__(self, parts: GrounderParts) -> None:
        self.parts = parts
        self._own_reader: RegionReader | None = None
        self.cues: dict[str, Cue] = {
            cue.name: cue
            for cue in (
                CcaCue(parts.cca, parts.encoder),
                DetectorCue(parts.class_names),
                SizeCue(),
                ColourCue(parts.colours),
                PositionCue(parts.positions),
                SceneCue(),
                MatchCue(parts.network, parts.encoder),
            )
        }

    def __repr__(self) -> str:
        return f"Grounder(trained on {self.parts.trained.n_images:,} images)"

    @classmethod
    def load(cls, path: Path | str) -> Grounder:
        """The grounder in a file, which is checked; nothing in it is run."""
        return cls(read_grounder(Path(path)))

    def save(self, path: Path | str) -> None:
        """Write the grounder to a file; a failed write leaves none."""
        write_grounder(self.parts, Path(path))

    @property
    def signature(self) -> str:
        """What its answers depend on beside the picture: what it learnt, and what looks at pictures."""
        return f"grounder:{self.parts.fingerprint}|{self.parts.reader_signature}"

    @property
    def training_images(self) -> SeenImages | None:
        """The images that it learnt from; None if there were too many to keep."""
        return self.parts.images

    def open_readers(
        self, n: int = 1, recipe: RegionRecipe | None = None, *, n_proposals: int | None = None
    ) -> list[RegionReader]:
        """What looks at pictures, for n threads: the models of training, or the same ones at other paths.

        At most `n_proposals` regions are proposed (default: as many as in training).
        """
        chosen = recipe or self.parts.recipe
        readers = chosen.open(n)
        if readers[0].signature != self.parts.reader_signature:
            problem = "pictures would be seen otherwise than in training: another model, library or version"
            raise BadInput("the grounder", problem, "give the models that it was trained with", code="other-reader")
        return readers if n_proposals is None else [reader.proposing(n_proposals) for reader in readers]

    def reduced(self, regions: PictureRegions) -> PictureRegions:
        """Regions as they were read, with the appearance along the principal axes."""
        return regions.with_appearance(self.parts.axes.reduce(regions.appearance))

    def region_vectors(
        self, image: Image, pixels: Pixels, corners: Floats, reader: RegionReader | None = None
    ) -> Singles:
        """Regions of a picture, in its pixels, in the space of CCA: `[regions, components]`, of length 1.

        `reader` looks at the picture; each thread needs one of its own (`open_readers`).
        """
        regions = (reader or self._reader()).read(image, pixels, np.asarray(corners, dtype=np.float64).reshape(-1, 4))
        vectors: Singles = self.parts.cca.transform(self.reduced(regions).descriptors())
        return vectors

    def image_vector(self, image: Image, pixels: Pixels, reader: RegionReader | None = None) -> Singles:
        """The whole picture in the space of CCA."""
        whole = np.array([[0.0, 0.0, pixels.shape[1], pixels.shape[0]]])
        vector: Singles = self.region_vectors(image, pixels, whole, reader)[0]
        return vector

    def phrase_vectors(self, phrases: Sequence[str]) -> Singles:
        """Phrases in the space of CCA, `[phrases, components]`: the cosine with a region's vector is how well it fits.

        A phrase that is empty is a row of zeros.
        """
        types = [built_in_phrases().types(text, [(0, len(text))])[0] if text else () for text in phrases]
        queries = [make_query(0, len(t), t, kinds) for t, kinds in zip(phrases, types, strict=True)]
        vectors: Singles = self.parts.cca.transform_y(self.parts.encoder.encode(queries))
        vectors[[not text for text in phrases]] = 0.0
        return vectors

    def cue_table(self, queries: Sequence[PhraseQuery], regions: PictureRegions) -> CueTable:
        """What every cue says of reduced regions."""
        scores = np.zeros((len(queries), len(regions), len(CUES)))
        silent = np.ones((len(queries), len(CUES)))
        for column, name in enumerate(CUES):
            for row, given in enumerate(self.cues[name].scores(queries, regions)):
                if given is not None:
                    scores[row, :, column] = given
                    silent[row, column] = 0.0
        return CueTable(scores, silent)

    def cue_table_of(self, captions: Sequence[Caption], regions: PictureRegions) -> CueTable:
        """What every cue says of reduced regions for the visual mentions of captions, in their order."""
        queries = [query for said in visual_queries(captions) for query in said]
        if not queries or not len(regions):
            return CueTable(np.zeros((len(queries), len(regions), len(CUES))), np.ones((len(queries), len(CUES))))
        return self.cue_table(queries, regions)

    def weights(self, table: CueTable, queries: Sequence[PhraseQuery], system: str) -> Floats:
        """The weights of cues for each phrase, `[phrases, cues]`: the mean over its types."""
        if system not in SYSTEMS:
            raise unknown("system", system, SYSTEMS)
        if system == LARGEST:
            return np.tile([float(name == "size") for name in CUES], (len(queries), 1))
        if system == EITHER:
            weights = np.zeros((len(queries), len(CUES)))
            has_class = table.is_silent[:, CUES.index("detector")] == 0
            weights[np.arange(len(queries)), np.where(has_class, CUES.index("detector"), CUES.index("cca"))] = 1.0
            return weights
        by_type = self.parts.weights[system]
        return np.stack([by_type[[TYPES.index(name) for name in query.types]].mean(axis=0) for query in queries])

    def cue_scores(self, table: CueTable, queries: Sequence[PhraseQuery], system: str) -> Floats:
        """What the cues of a system say together, `[phrases, regions]`."""
        weights = self.weights(table, queries, system)
        return np.asarray(np.einsum("qrc,qc->qr", table.scores, weights), dtype=np.float64)

    def ground(
        self,
        captions: Sequence[Caption],
        regions: PictureRegions,
        system: str = JOINT,
        table: CueTable | None = None,
    ) -> list[list[Answer]]:
        """The answers for the visual mentions of each caption, given reduced regions; ties go to the earlier region.

        `table` is what cues say of the `visual_queries` of these captions, if that is known already.
        """
        by_caption = visual_queries(captions)
        queries = [query for said in by_caption for query in said]
        if not queries or not len(regions):
            return [[] for _ in captions]
        table = self.cue_table(queries, regions) if table is None else table
        weights = self.weights(table, queries, system)
        scores = self.cue_scores(table, queries, system)
        heard: list[list[Influence]] = [[] for _ in queries]
        starts = np.cumsum([0, *map(len, by_caption)])
        if system == JOINT:
            geometry = pair_geometry(regions.corners, regions.corners)
            for caption, said, start in zip(captions, by_caption, starts, strict=False):
                rows = slice(start, start + len(said))
                relations = find_relations(caption.text, said)
                if relations:
                    scores[rows], heard[rows] = solve_together(scores[rows], relations, geometry, self.parts.relations)
        overlaps = iou(regions.corners, regions.corners)
        return [
            [
                self._answer(said, number, scores[start + number], overlaps, table, weights, heard, start + number)
                for number in range(len(said))
            ]
            for said, start in zip(by_caption, starts, strict=False)
        ]

    def _answer(
        self,
        said: Sequence[PhraseQuery],
        number: int,
        scores: Floats,
        overlaps: Floats,
        table: CueTable,
        weights: Floats,
        heard: Sequence[Sequence[Influence]],
        row: int,
    ) -> Answer:
        """The answer for a phrase, by its number in its caption and its row among the phrases of all captions."""
        order = ranked(scores, overlaps)
        best = order[0]
        cues = []
        for column, name in enumerate(CUES):
            weight = float(weights[row, column])
            if weight == 0.0:
                continue
            score = None if table.is_silent[row, column] else float(table.scores[row, best, column])
            cues.append(CuePoints(name, score, weight, weight * (score or 0.0)))
        others = [(said[i.phrase], i.kind, float(i.points[best])) for i in heard[row]]
        return Answer(said[number], [(i, float(scores[i])) for i in order], cues, others)

    def _reader(self) -> RegionReader:
        if self._own_reader is None:
            (self._own_reader,) = self.open_readers()
        return self._own_reader


def visual_queries(captions: Sequence[Caption]) -> list[list[PhraseQuery]]:
    """The mentions of each caption that are of something visual, as queries."""
    return [[query for query in read_queries(caption) if query.is_visual] for caption in captions]


def ranked(scores: Floats, overlaps: Floats) -> list[int]:
    """Regions by score, best first, without those that overlap a better one by an IoU above `RANKING_NMS`.

    Of equal scores the earlier region is the better. `overlaps` are the IoU of all regions, `[n, n]`.
    """
    alive = np.ones(len(scores), dtype=np.bool_)
    order = []
    for number in np.argsort(-scores, kind="stable").tolist():
        if alive[number]:
            order.append(number)
            alive &= overlaps[number] <= RANKING_NMS
    return order


def explained(answer: Answer, box: str) -> Mapping[str, object]:
    """Why a phrase got its box, as a record that can be written as JSON; `cues` are points, which add up to `score`."""
    points: dict[str, float | None] = {cue.cue: None for cue in answer.cues}
    points |= {name: round(given, 4) for name, given in answer.points.items()}
    return {
        "start": answer.query.start,
        "end": answer.query.end,
        "phrase": answer.query.text,
        "types": list(answer.query.types),
        "box": box,
        "score": round(answer.ranking[0][1], 4),
        "cues": points,
        "cue_scores": {cue.cue: None if cue.score is None else round(cue.score, 4) for cue in answer.cues},
        "cue_weights": {cue.cue: round(cue.weight, 4) for cue in answer.cues},
        "others": [
            {"phrase": query.text, "start": query.start, "relation": kind, "points": round(given, 4)}
            for query, kind, given in answer.others
        ],
    }
