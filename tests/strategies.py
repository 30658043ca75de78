"""Hypothesis strategies for the model: any image that Limner accepts."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from limner.corpus import Box, Candidate, Caption, Chain, Image, ImageLabel, Mention
from limner.corpus.caption import ORIGINS

words = st.sampled_from(["a", "man", "dog", "red", "Ünïcode", "[", "]", "x/y", "日本", "'s", ".", ","])
names = st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1, max_size=8)
sentences = st.lists(words, min_size=1, max_size=8).map(" ".join)


def coordinates(limit: int, *, whole: bool) -> st.SearchStrategy[float]:
    if whole:
        return st.integers(0, limit)
    return st.one_of(st.integers(0, limit), st.floats(0, limit, allow_nan=False))


@st.composite
def boxes(draw: st.DrawFn, id: str, width: int, height: int, *, whole: bool = False, **fixed: Any) -> Box:
    x0, x1 = sorted(draw(st.tuples(*[coordinates(width, whole=whole)] * 2)))
    y0, y1 = sorted(draw(st.tuples(*[coordinates(height, whole=whole)] * 2)))
    more: dict[str, Any] = {
        "label": draw(names),
        "score": draw(st.sampled_from([1.0, 0.5, 0.0])),
        "types": tuple(draw(st.lists(names, max_size=2))),
        "attributes": tuple(draw(st.lists(names, max_size=2))),
        "flags": tuple(draw(st.lists(names, max_size=1))),
        **fixed,
    }
    return Box(id, x0, y0, x1, y1, **more)


@st.composite
def origins(draw: st.DrawFn, box_ids: list[str]) -> dict[str, Any]:
    """How a mention may have got its boxes."""
    scores = st.floats(allow_nan=False, allow_infinity=False)
    ranked = draw(st.lists(st.sampled_from(box_ids), unique=True)) if box_ids else []
    ordered = sorted((draw(scores) for _ in ranked), reverse=True)
    origin = draw(st.sampled_from([None, *(origin for origin in ORIGINS if origin != "ungrounded")]))
    return {
        "candidates": tuple(Candidate(box, score) for box, score in zip(ranked, ordered, strict=True)),
        "origin": origin,
        "probability": draw(st.none() | st.floats(0, 1)) if origin else None,
    }


labels = st.lists(
    st.builds(ImageLabel, names, st.floats(0, 1), st.sampled_from(["", "verification", "machine"])),
    max_size=3,
    unique_by=lambda label: (label.label, label.source),
).map(tuple)


@st.composite
def captions(draw: st.DrawFn, id: str, box_ids: list[str], chain_ids: list[str]) -> Caption:
    text = draw(sentences)
    cuts = sorted(set(draw(st.lists(st.integers(0, len(text)), max_size=6))))
    mentions = []
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):
        mentions.append(
            Mention(
                start,
                end,
                tuple(draw(st.lists(st.sampled_from(box_ids), unique=True))) if box_ids else (),
                draw(st.sampled_from([None, *chain_ids])),
                tuple(draw(st.lists(names, max_size=2))),
                **draw(origins(box_ids)),
            )
        )
    return Caption(id, text, tuple(mentions), draw(st.sampled_from(["gold", "person:w1", "system:nbt"])))


@st.composite
def images(draw: st.DrawFn) -> Image:
    """An image with everything the model can say."""
    width, height = draw(st.integers(1, 1000)), draw(st.integers(1, 1000))
    box_ids = [str(i) for i in range(draw(st.integers(0, 4)))]
    chain_ids = [f"c{i}" for i in range(draw(st.integers(0, 3)))]
    some_boxes = st.lists(st.sampled_from(box_ids), unique=True).map(tuple) if box_ids else st.just(())
    sized = bool(box_ids) or draw(st.booleans())
    facts = st.dictionaries(names, st.one_of(names, st.integers(-5, 5), st.booleans(), st.just(0.5)), max_size=2)
    return Image(
        draw(names),
        width if sized else None,
        height if sized else None,
        tuple(draw(boxes(i, width, height)) for i in box_ids),
        tuple(draw(captions(str(i), box_ids, chain_ids)) for i in range(draw(st.integers(0, 3)))),
        tuple(Chain(c, draw(some_boxes), tuple(draw(st.lists(names, max_size=1)))) for c in chain_ids),
        draw(st.one_of(st.just(""), names)),
        draw(facts),
        draw(facts),
        draw(labels),
    )


def corpora(max_size: int = 4) -> st.SearchStrategy[list[Image]]:
    """A few images, each with its own id."""
    return st.lists(images(), max_size=max_size, unique_by=lambda image: image.id)
