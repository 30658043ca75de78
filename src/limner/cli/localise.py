"""`limner localise`."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limner.cli.click_classes import PATH, choice_option
from limner.cli.corpora import (
    Source,
    cache_option,
    check_replaced,
    check_target,
    from_option,
    lenient_option,
    required_pictures_option,
    source_path,
    tell_reading,
    tell_written,
    workers_option,
)
from limner.cli.terminal import progress, tell
from limner.corpus.formats import open_corpus, write_sound
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap
from limner.files import write_bytes
from limner.lazy import lazy

if TYPE_CHECKING:
    from limner.ground import grounder as grounder_module
    from limner.ground import localising, picture_regions, region_cache
else:
    grounder_module = lazy("limner.ground.grounder")
    localising = lazy("limner.ground.localising")
    picture_regions = lazy("limner.ground.picture_regions")
    region_cache = lazy("limner.ground.region_cache")

SYSTEMS = (
    *("largest", "cca", "detector", "size", "colour", "position", "full", "joint"),
    *("cca-or-detector", "detector-and-colour"),
)


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@required_pictures_option
@click.option("--model", metavar="MODEL", required=True, type=PATH, help="A grounder of `limner train grounder`.")
@click.option("-o", "--out", metavar="RESULTS", required=True, type=Source(), help="Where the results go.")
@choice_option("--candidates", "proposals", "gold", help="Rank proposals, or the boxes of CORPUS.")
@click.option("--proposals", metavar="N", type=click.IntRange(1, 2000), help="Proposals of a picture.  [default: 200]")
@click.option(
    "--system",
    metavar="S",
    type=click.Choice(SYSTEMS),
    default="joint",
    show_default=True,
    help="Which cues take part: largest, cca, detector, size, colour, position, full, joint, …",
)
@click.option("--why", metavar="FILE", type=PATH, help="Write why each phrase got its box.")
@click.option("--features", metavar="M", help="The model of features of training, if it is elsewhere now.")
@click.option("--detector", metavar="M", type=PATH, help="The detector of training, if it is elsewhere now.")
@workers_option
@cache_option
@from_option
@lenient_option
def command(
    corpus: str,
    pictures: Path,
    model: Path,
    out: str,
    candidates: str,
    proposals: int | None,
    system: str,
    why: Path | None,
    features: str | None,
    detector: Path | None,
    workers: int,
    cache: Path | None,
    from_: str | None,
    lenient: bool,
) -> None:
    """Point at what each phrase means: a corpus of candidate boxes, and for each mention the best of them.

    The mentions of CORPUS are looked for in its pictures. Its boxes are not
    read, unless they are the candidates.
    """
    if proposals and candidates == "gold":
        raise click.UsageError("--proposals is for --candidates proposals; leave it out")
    check_target(out, [corpus])
    check_replaced(
        {"-o": source_path(out), "--why": why}, [corpus, *(str(path) for path in (model, features, detector) if path)]
    )
    opened, reading = open_corpus(corpus, from_, lenient=lenient), Reading(lenient=lenient)
    trained = grounder_module.Grounder.load(model)
    moved = picture_regions.RegionRecipe(features, str(detector) if detector else None)
    settings = localising.LocaliseSettings(
        "gold" if candidates == "gold" else "proposals", system, **({"n_proposals": proposals} if proposals else {})
    )
    readers = trained.open_readers(workers, trained.parts.recipe.elsewhere(moved), n_proposals=proposals)
    region_cache.keep_regions(readers, cache)
    overlap, tally = Overlap.of(trained.training_images), localising.LocaliseTally()
    lost: Counter[str] = Counter()
    with ExitStack() as stack:
        localised = localising.localise_corpus(
            opened,
            pictures,
            trained,
            settings,
            readers=readers,
            overlap=overlap,
            tally=tally,
            why=None if why is None else stack.enter_context(write_bytes(why)),
            reading=reading,
        )
        written = write_sound(progress(localised, "pictures"), out, lost=lost)
    tell_reading(opened, reading)
    for warning in overlap.warnings():
        tell(f"warning: {warning}")
    tell_written(written, out, lost)
    _tell(tally)


def _tell(tally: localising.LocaliseTally) -> None:
    n_localised = tally.n_mentions - tally.n_ungrounded
    tell(f"{n_localised:,} mentions localised")
    n_not_visual = tally.n_ungrounded - tally.n_without_candidate
    if n_not_visual:
        tell(f"left alone: {n_not_visual:,} mentions of what is not visual")
    if tally.n_without_candidate:
        tell(f"left alone: {tally.n_without_candidate:,} mentions in images without a candidate box")
    if tally.n_unknown:
        tell(f"{tally.n_unknown:,} mentions have no known word: only their type and number say where they are")
    for what, n in tally.without.items():
        tell(f"warning: {n:,} × {what}; find mentions with `limner chunk`")
