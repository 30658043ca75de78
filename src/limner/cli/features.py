"""`limner features`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from limner.caption.region_inputs import RegionSettings
from limner.cli.click_classes import PATH, SectionedCommand, choice_option
from limner.cli.corpora import Source, from_option, lenient_option, tell_reading
from limner.cli.terminal import tell, terminal_progress
from limner.corpus.corpus import Corpus
from limner.corpus.formats import open_corpus, split_source
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.files import STDIO
from limner.vision.features.backbone_features import BATCH
from limner.vision.features.feature_recipe import DESCRIPTORS, By, FeatureRecipe
from limner.vision.features.feature_run import Engine, FeatureRun, make_features
from limner.vision.features.feature_store import open_features
from limner.vision.features.foreign_features import import_features, is_feature_file
from limner.vision.features.region_source import KINDS, RegionSource
from limner.vision.features.store_files import DType
from limner.vision.picture_stream import find_pictures
from limner.vision.tensor_detector import SCALINGS

# Cells along each side of a grid, unless others are asked for: those of most networks' last map.
CELLS = 7

# Options for models, and for pictures, by the names of their parameters.
OF_MODELS = frozenset({"by", "layer", "size", "pixels", "batch"})
OF_PICTURES = frozenset({"pictures", "regions", "cache", "workers", "engine", "address"})

# Images left out that a message names.
MAX_NAMED = 3


class Regions(click.ParamType[RegionSource]):
    """Whose regions: corpus, whole, grid, grid:ROWSxCOLUMNS, a proposer, mixed, or mixed:BOXES:GRID."""

    name = "regions"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> RegionSource:
        if isinstance(value, RegionSource):
            return value
        match = re.fullmatch(r"grid(?::([1-9]\d{0,2})x([1-9]\d{0,2}))?", str(value))
        if match:
            return RegionSource("grid", int(match[1] or CELLS), int(match[2] or CELLS))
        if match := re.fullmatch(r"mixed(?::(\d{1,4}):(\d{1,2}))?", str(value)):
            return self._mixture(match, param, ctx)
        if value not in KINDS:
            self.fail(
                f"{value!r} is none of {', '.join(KINDS)}, nor a grid like grid:4x6, nor mixed:BOXES:GRID", param, ctx
            )
        return RegionSource(str(value))

    def _mixture(self, match: re.Match[str], param: click.Parameter | None, ctx: click.Context | None) -> RegionSource:
        if match[1] is None:
            return RegionSettings().source
        try:
            return RegionSettings(int(match[1]), int(match[2])).source
        except ValueError as error:
            self.fail(str(error), param, ctx)


SECTIONS = {
    "What is computed": ["model", "boxes", "by", "layer", "size", "pixels", "batch", "corpus"],
    "Where and how": ["out", "pictures", "dtype", "resume", "cache", "workers", "engine", "address"],
}


@click.command(cls=SectionedCommand, sections=SECTIONS)
@click.argument("source", metavar="PICTURES|CORPUS|FEATURES", type=Source())
@click.option("-o", "--out", metavar="STORE", required=True, type=PATH, help="The store: a folder.")
@click.option("--model", metavar="M", help="colour, shape, position, or a model: .tflite, .onnx, or a folder.")
@click.option(
    "--pictures",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the pictures of CORPUS are; otherwise beside it.",
)
@click.option(
    "--boxes",
    "regions",
    metavar="R",
    type=Regions(),
    help="Regions: corpus, whole, grid[:RxC], mixed[:B:G], or a proposer.",
)
@choice_option("--by", "pool", "crop", help="Pool regions from one map of the picture, or run the model on each.")
@click.option("--layer", metavar="NAME", help="The model's tensor to take; otherwise its last.")
@click.option("--size", metavar="PIXELS", type=click.IntRange(16, 4096), help="Side of what the model is given.")
@click.option("--pixels", type=click.Choice(list(SCALINGS)), help="How M wants pixels; default: as it says itself.")
@click.option(
    "--batch", metavar="N", type=click.IntRange(1, 1024), default=BATCH, show_default=True, help="Crops at a time."
)
@click.option("--corpus", metavar="CORPUS", type=Source(), help="Boxes for FEATURES that bring none.")
@choice_option("--dtype", "float16", "float32", help="How numbers are stored.")
@click.option("--resume", is_flag=True, help="Go on with a store whose run was stopped.")
@click.option(
    "--cache", metavar="DIR", type=PATH, help="Keep features by picture, boxes and model, and use those there."
)
@click.option("--workers", metavar="N", type=click.IntRange(1, 256), help="Pictures at a time; default: one a core.")
@choice_option("--engine", "threads", "ray", help="Threads of this process, or ray.")
@click.option("--address", metavar="A", help="A cluster of ray; otherwise ray is started here.")
@from_option
@lenient_option
def command(
    source: str,
    out: Path,
    model: str | None,
    pictures: Path | None,
    regions: RegionSource | None,
    by: By,
    layer: str | None,
    size: int | None,
    pixels: str | None,
    batch: int,
    corpus: str | None,
    dtype: DType,
    resume: bool,
    cache: Path | None,
    workers: int | None,
    engine: Engine,
    address: str | None,
    from_: str | None,
    lenient: bool,
) -> None:
    """Compute features of regions of pictures, and keep them in a store.

    PICTURES is a folder of pictures, CORPUS has the boxes, and FEATURES is a file
    that others made (bottom-up TSV, npz, HDF5), which needs no model.
    """
    path = split_source(source)[1]
    if model is None:
        if not is_feature_file(path):
            raise click.UsageError("Missing option '--model': colour, shape, position, or the path of a model.")
        _refuse(OF_MODELS | OF_PICTURES, "for features that are computed; FEATURES have been")
        given = None if corpus is None else open_corpus(corpus, from_, lenient=lenient)
        run = import_features(path, out, corpus=given, dtype=dtype, resume=resume, progress=terminal_progress)
        _tell(run, out)
        return
    _refuse({"corpus"}, "for FEATURES, and for those --model must not be given")
    if model in DESCRIPTORS:
        _refuse(OF_MODELS, f"for models, and {model} needs none")
    if Path(model).is_dir():
        _refuse({"layer"}, "for .tflite and .onnx files")
    if engine == "threads":
        _refuse({"address"}, "for ray; pass --engine ray too")
    recipe = FeatureRecipe(model, by, layer, size, pixels, batch)
    reading = Reading(lenient=lenient)
    listed = None if from_ or split_source(source)[0] else find_pictures(path, reading)
    if listed and pictures:
        raise click.UsageError("--pictures is for a corpus; PICTURES are where they are")
    corpus_of_boxes = None if listed else open_corpus(source, from_, lenient=lenient)
    images: Iterable[Image] = listed.images if listed else corpus_of_boxes or ()
    run = make_features(
        images,
        listed.folder if listed else pictures or (path if path.is_dir() else path.parent),
        out,
        recipe,
        regions=regions or RegionSource("whole" if listed else "corpus"),
        dtype=dtype,
        resume=resume,
        lenient=lenient,
        cache=cache,
        workers=workers,
        engine=engine,
        address=address,
        progress=terminal_progress,
        total=len(listed.images) if listed else None if path == STDIO else _count(corpus_of_boxes),
    )
    tell_reading(*([corpus_of_boxes] if corpus_of_boxes else []), reading)
    _tell(run, out)


def _refuse(names: Set[str], problem: str) -> None:
    """Wrong usage if one of these options was given."""
    context = click.get_current_context()
    given = [parameter for parameter in context.command.params if parameter.name in names]
    for parameter in given:
        if context.get_parameter_source(str(parameter.name)) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{parameter.opts[0]} is {problem}")


def _count(corpus: Corpus | None) -> int:
    """How many images there are; reading them twice takes seconds, and tells when a run will end."""
    return sum(1 for _ in corpus or ())


def _tell(run: FeatureRun, out: Path) -> None:
    terminal_progress.clear()
    if run.n_before:
        tell(f"{run.n_before:,} images were there before")
    if run.left_out:
        first = "; ".join(list(run.left_out.values())[:MAX_NAMED])
        tell(f"left out: {len(run.left_out):,} × image without features ({first})")
    store = open_features(out)
    tell(f"{run.n_rows:,} regions of {run.n_images:,} images written to {out}, {store.n_dims:,} numbers each")
