"""`limner caption`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from limner.caption.captioned import Captioned
from limner.caption.captioning import (
    AT_LEAST,
    BATCH,
    PIECES,
    Ask,
    CaptionSettings,
    CaptionTally,
    CorpusCaptioner,
    boxes_of,
    caption_corpus,
    nothing,
    silence,
)
from limner.caption.constraints.constraint_choice import ConstraintChooser
from limner.caption.constraints.constraint_files import GivenConstraints, read_choices
from limner.cli.click_classes import PATH
from limner.cli.corpora import (
    FormatName,
    Source,
    check_replaced,
    check_target,
    counted_images,
    from_option,
    is_stdio,
    lenient_option,
    source_path,
    tell_reading,
    tell_written,
    workers_option,
)
from limner.cli.terminal import progress, say, say_json, tell
from limner.corpus.formats import open_corpus, write_sound
from limner.corpus.image import Image
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap
from limner.errors import shown
from limner.lazy import lazy
from limner.written import outlast_readers

if TYPE_CHECKING:
    from limner.caption.models import caption_reasons, corpus_captioners
else:
    caption_reasons = lazy("limner.caption.models.caption_reasons")
    corpus_captioners = lazy("limner.caption.models.corpus_captioners")

BOXES = "boxes"


@click.command()
@click.argument("corpus", metavar="CORPUS", type=Source())
@click.option("--model", metavar="DIR", required=True, type=PATH, help="A captioner: Limner's or Hugging Face's.")
@click.option("-o", "--out", metavar="RESULTS", required=True, type=Source(), help="Where the captions go.")
@click.option(
    "--pictures",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where the pictures are, for a captioner that looks at them.",
)
@click.option("--constrain", metavar="boxes|FILE", help="What captions have to mention: boxes, or a file.")
@click.option(
    "--at-least",
    metavar="N",
    type=click.IntRange(min=1),
    default=AT_LEAST,
    show_default=True,
    help="Constraints that a caption has to meet.",
)
@click.option("--beam", metavar="N", type=click.IntRange(1, 1000), help="Width of the search; default: the model's.")
@click.option(
    "--max-len",
    metavar="N",
    type=click.IntRange(1, 1000),
    help=f"Words of a caption at most; default: the model's, {PIECES} pieces of words for Hugging Face's.",
)
@click.option(
    "--n-best", metavar="N", type=click.IntRange(1, 1000), default=1, show_default=True, help="Captions each."
)
@click.option("--search", type=click.Choice(["per_state", "banks"]), help="How; default: by the number of states.")
@click.option("--explain", is_flag=True, help="Print why each word is there.")
@click.option("--json", "as_json", is_flag=True, help="Print explanations as one JSON object a line.")
@click.option("--prompt", metavar="TEXT", help="What a model of Hugging Face's is asked, or continues.")
@click.option("--features", metavar="F", help="The store or model of features, if it is elsewhere than in training.")
@click.option("--words-from", metavar="PATH", type=PATH, help="Word vectors or language model, if they were moved.")
@click.option(
    "--batch", metavar="N", type=click.IntRange(1, 4096), default=BATCH, show_default=True, help="Images at a time."
)
@workers_option
@click.option("--to", type=FormatName(), help="Format to write (default: by the suffix of RESULTS).")
@from_option
@lenient_option
def command(
    corpus: str,
    model: Path,
    out: str,
    pictures: Path | None,
    constrain: str | None,
    at_least: int,
    beam: int | None,
    max_len: int | None,
    n_best: int,
    search: str | None,
    explain: bool,
    as_json: bool,
    prompt: str | None,
    features: str | None,
    words_from: Path | None,
    batch: int,
    workers: int,
    to: str | None,
    from_: str | None,
    lenient: bool,
) -> None:
    """Caption images by a captioner.

    The results are a corpus: image ids with a caption each, whose mentions
    name the boxes of CORPUS. Captions of CORPUS have no influence, and it
    needs none.
    """
    _check_options(out, explain, as_json, constrain)
    if beam is not None and beam < n_best:
        raise click.UsageError(f"--n-best {n_best} needs a beam at least as wide; --beam is {beam}")
    read = [corpus, *([constrain] if constrain not in (None, BOXES) else [])]
    check_target(out, read)
    check_replaced({"-o": source_path(out)}, read)
    opened, reading = open_corpus(corpus, from_, lenient=lenient), Reading(lenient=lenient)
    ask = _ask(constrain, reading)
    mode: Literal["per_state", "banks"] | None = None
    if search is not None:
        mode = "per_state" if search == "per_state" else "banks"
    settings = CaptionSettings(beam, max_len, n_best, at_least, mode, batch)
    captioner = corpus_captioners.open_captioner(
        model,
        pictures=pictures,
        features=features,
        prompt=prompt,
        words=words_from,
        workers=workers,
        reading=reading,
    )
    overlap, tally = Overlap.of(captioner.training_images), CaptionTally()
    explained = _Explainer(captioner, as_json).show if explain else silence
    captions = caption_corpus(
        opened,
        captioner,
        settings,
        ask=ask,
        overlap=overlap,
        tally=tally,
        explain=explained,
    )
    lost: Counter[str] = Counter()
    # Whoever looks at the first explanations only still wants all captions.
    with outlast_readers(source_path(out)):
        written = write_sound(captions if explain else progress(captions, "images"), out, to, lost=lost)
    tell_reading(opened, reading)
    for warning in overlap.warnings():
        tell(f"warning: {warning}")
    tell_written(written, out, lost)
    if tally.n_silent:
        tell(f"warning: the captioner said nothing of {counted_images(tally.n_silent)}")
    if isinstance(ask, GivenConstraints) and (unused := ask.unused()):
        images = counted_images(len(unused))
        tell(f"warning: {constrain}: {images} not in the corpus, such as {shown(unused[0])}")
    if constrain:
        tell(f"captions that meet enough constraints: {tally.n_met:,} of {tally.n_constrained:,}")


def _check_options(out: str, explain: bool, as_json: bool, constrain: str | None) -> None:
    if as_json and not explain:
        raise click.UsageError("--json is for explanations; pass --explain too")
    if explain and is_stdio(out):
        raise click.UsageError("--explain prints to standard output, which -o - takes; name a file")
    is_given = click.get_current_context().get_parameter_source("at_least") == ParameterSource.COMMANDLINE
    if is_given and constrain is None:
        raise click.UsageError("--at-least is for constraints; pass --constrain too")


def _ask(constrain: str | None, reading: Reading) -> Ask:
    """What captions have to mention."""
    if constrain is None:
        return nothing
    if constrain == BOXES:
        return boxes_of(ConstraintChooser())
    return read_choices(Path(constrain), reading)


class _Explainer:
    """Prints why the words of captions are there."""

    def __init__(self, captioner: CorpusCaptioner, as_json: bool) -> None:
        self._captioner, self._as_json = captioner, as_json

    def show(self, image: Image, captioned: Captioned) -> None:
        reasons = caption_reasons.caption_reasons(self._captioner, image, captioned)
        if self._as_json:
            say_json(reasons.to_json())
        else:
            say(reasons.text())
