"""Describing corpora: boxes are selected, ordered and put into words, as results that never touch gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from limner.corpus.boxed_images import BoxCheck
from limner.corpus.caption import Caption
from limner.corpus.formats import write_corpus
from limner.corpus.formats.losses import listed
from limner.corpus.held_out_labels import visible
from limner.corpus.image import Image
from limner.corpus.provenance import LEAKING_LABELS, ProvenanceTally
from limner.corpus.seen_images import Overlap, SeenImages
from limner.describe import learned, realise
from limner.describe.realise.fluent_realiser import FluentRealiser
from limner.describe.realise.realisers import ChoosingRealiser, Realiser, StreamingRealiser, find_realiser
from limner.describe.selectors import (
    Concepts,
    Limited,
    ManySelector,
    OfferingSelector,
    Selection,
    Selector,
    find_selector,
    seen,
)
from limner.errors import BadInput
from limner.files import write_bytes
from limner.vision.features import open_features
from limner.written import outlast_readers

if TYPE_CHECKING:
    from limner.describe.learned import LearnedSelector
    from limner.describe.realise import Phrasebook
    from limner.describe.realise.caption_index import CaptionIndex

# Images that a selector for many at once is given together.
BATCH = 500

DEFAULT_SELECTOR = "size"
DEFAULT_K = 4


@dataclass(frozen=True, slots=True)
class DescribeSettings:
    """How `describe_corpus` selects boxes and puts them into words.

    With a `model`, the file of a trained selector, the selector is `learned`;
    otherwise it is `size` unless another is named. `k` is how many boxes are
    mentioned at most; the default is 4, but `all` and `learned` decide for
    themselves. `features` is a store of features of the boxes, for colours that the
    phrasebook has learnt. The rest are the options of the realiser.
    """

    selector: str | None = None
    k: int | None = None
    model: Path | None = None
    realiser: str = "fluent"
    phrasebook: Path | None = None
    detail: str = "medium"
    simple: bool = False
    focus: str | None = None
    words: str = "true"
    seed: int = 0
    features: Path | None = None

    def __post_init__(self) -> None:
        if self.selector == "learned" and self.model is None:
            raise ValueError("the selector 'learned' needs a model")
        if self.model is not None and self.selector not in (None, "learned"):
            raise ValueError(f"a model is for the selector 'learned', not for {self.selector!r}")


def describe_corpus(
    images: Iterable[Image],
    out: Path | str,
    settings: DescribeSettings | None = None,
    *,
    to: str | None = None,
    concepts: Concepts | None = None,
    captions: CaptionIndex | None = None,
    counted: SeenImages | None = None,
    reasons: Path | None = None,
    why: Path | None = None,
    place: str = "corpus",
    warn: Callable[[str], None] = lambda warning: None,
    realiser: Realiser | None = None,
    learnt_from: Sequence[SeenImages | None] = (),
) -> int:
    """Write a description of every image to `out`, in the format `to` or that of the suffix; returns their number.

    `concepts` are counts of what people mention, which `unigram` and `bigram`
    need, `captions` the training captions that `retrieval` needs; `counted` are
    the images of both. `reasons` is a file that tells why a trained selector
    chose each box, `why` one that tells why the fluent realiser says what it
    says, clause by clause. An image that any of the models was trained on is
    marked so in its result's provenance; `warn` is called with each thing to
    beware of, once all images are written. `place` names the corpus in errors. A corpus
    without a single box is an error: every description would be the same.

    `realiser` puts boxes into words in place of the one that the settings
    name; `learnt_from` are the images that it was trained on, None in it if
    nobody knows them.
    """
    settings = settings or DescribeSettings()
    if reasons and (settings.model is None or settings.k):
        raise ValueError("reasons are known only of a trained selector that decides how many boxes to choose")
    trained = learned.LearnedSelector.load(settings.model) if settings.model else None
    selector = _limited(
        settings, trained or find_selector(settings.selector or DEFAULT_SELECTOR, concepts, settings.seed)
    )
    book = realise.read_phrasebook(settings.phrasebook) if settings.phrasebook else None
    realiser = realiser or _realiser(settings, book, captions)
    if why and not isinstance(realiser, FluentRealiser):
        raise ValueError(f"only the fluent realiser tells why it says something, not {settings.realiser!r}")
    of_models = [*([trained.model.trained.seen] if trained else []), *([book.seen] if book else [])]
    overlap = Overlap.of(*of_models, *([counted] if counted else []), *learnt_from)
    provenance, boxes = ProvenanceTally(), BoxCheck(place)
    # A corpus whose boxes are all hidden has none; but what was seen in training is told by the whole image.
    images = provenance.watch(boxes.watch(map(visible, overlap.marked(images))))
    lost: Counter[str] = Counter()
    with outlast_readers(reasons, why), ExitStack() as stack:
        if reasons and trained:
            images = _explained(images, trained, stack.enter_context(write_bytes(reasons)))
        if why and isinstance(realiser, FluentRealiser):
            realiser = _Explaining(realiser, stack.enter_context(write_bytes(why)))
        written = write_corpus(describe(images, selector, realiser), str(out), to, lost=lost)
    warnings = [*boxes.warnings(), *overlap.warnings()]
    warnings += [LEAKING_LABELS] if provenance.has_leaking_labels else []
    warnings += [f"not written: {listed(lost)}"] if lost.total() else []
    for warning in warnings:
        warn(warning)
    return written


def _realiser(settings: DescribeSettings, book: Phrasebook | None, captions: CaptionIndex | None) -> Realiser:
    if settings.features and (book is None or book.colours is None):
        problem = "this phrasebook has learnt no colours, so features are of no use to it"
        raise BadInput(str(settings.phrasebook), problem, "train it with features", code="no-colours")
    return find_realiser(
        settings.realiser,
        book,
        seed=settings.seed,
        captions=captions,
        detail=settings.detail,
        simple=settings.simple,
        focus=settings.focus,
        words=settings.words,
        features=open_features(settings.features) if settings.features else None,
    )


class _Explaining:
    """A fluent realiser that writes why it says what it says: a line of JSON for each image."""

    def __init__(self, realiser: FluentRealiser, out: IO[bytes]) -> None:
        self._realiser, self._out = realiser, out

    def realise(self, image: Image, selected: Sequence[str]) -> Caption:
        return self.realise_any(image, [Selection(selected)])

    def realise_any(self, image: Image, selections: Sequence[Selection]) -> Caption:
        draft = self._realiser.best_draft(image, selections)
        caption = draft.caption if draft else self._realiser.realise(image, [])
        clauses = [reason.to_json() for reason in self._realiser.draft_reasons(image, draft)] if draft else []
        record: dict[str, object] = {"id": image.id, "caption": caption.text, "clauses": clauses}
        if draft and (n_compared := len(self._realiser.considered(selections))) > 1:
            boxes, promise = draft.selection
            record["selection"] = {"boxes": list(boxes), "promise": round(promise, 3), "of": n_compared}
        self._out.write(msgspec.json.encode(record) + b"\n")
        return caption


def describe(images: Iterable[Image], selector: Selector | ManySelector, realiser: Realiser) -> Iterator[Image]:
    """For every image a result: its id and one caption, whose mentions name the image's boxes.

    Where the selector offers several selections and the realiser can choose, content and wording are chosen
    together. A result tells where the boxes and labels are from, since its scores depend on that.
    """
    for view, caption in _captioned(map(seen, images), selector, realiser):
        yield Image(view.id, captions=(caption,), provenance=view.provenance)


def _captioned(
    views: Iterator[Image], selector: Selector | ManySelector, realiser: Realiser
) -> Iterator[tuple[Image, Caption]]:
    if isinstance(realiser, StreamingRealiser):
        yield from realiser.realise_each(_selected(views, selector))
        return
    if not (isinstance(selector, OfferingSelector) and isinstance(realiser, ChoosingRealiser)):
        for view, selected in _selected(views, selector):
            yield view, realiser.realise(view, selected)
        return
    while batch := list(islice(views, BATCH)):
        for view, selections in zip(batch, selector.offer_many(batch), strict=True):
            yield view, realiser.realise_any(view, selections)


def _selected(views: Iterator[Image], selector: Selector | ManySelector) -> Iterator[tuple[Image, list[str]]]:
    if not isinstance(selector, ManySelector):
        for view in views:
            yield view, selector.select(view)
        return
    while batch := list(islice(views, BATCH)):
        yield from zip(batch, selector.select_many(batch), strict=True)


def _limited(settings: DescribeSettings, selector: Selector | LearnedSelector) -> Selector | ManySelector:
    if settings.selector == "all" or (settings.model and settings.k is None):
        return selector
    return Limited(selector, DEFAULT_K if settings.k is None else settings.k)


def _explained(images: Iterable[Image], selector: LearnedSelector, out: IO[bytes]) -> Iterator[Image]:
    """The images as they come; why each box is chosen, or not, is written as they pass."""
    for image in images:
        out.write(f"{learned.render(selector.explain(seen(image)))}\n".encode())
        yield image
