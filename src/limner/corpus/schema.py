"""The native format's JSON Schema: what a line of a corpus may say."""

from __future__ import annotations

from typing import Any

from limner.corpus.image import VERSION

_STRINGS = {"type": "array", "items": {"type": "string"}}
_SCALARS = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}
_PIXELS = {"type": "integer", "minimum": 1}


def _object(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Limner image",
    "description": "One line of a corpus: an image with its boxes, chains and captions.",
    **_object(
        ["limner", "id"],
        limner={"const": VERSION, "description": "The schema's version."},
        id={"type": "string", "minLength": 1, "description": "Unique in the corpus."},
        width={**_PIXELS, "description": "Pixels; given with height, or neither."},
        height=_PIXELS,
        file={"type": "string", "description": "The picture's name or path, relative to the corpus."},
        attributes={**_SCALARS, "description": "Facts about the picture: domain, split."},
        provenance={**_SCALARS, "description": "How the annotation came about where it is not plain annotation."},
        boxes={"type": "array", "items": {"$ref": "#/$defs/box"}},
        chains={"type": "array", "items": {"$ref": "#/$defs/chain"}},
        captions={"type": "array", "items": {"$ref": "#/$defs/caption"}},
    ),
    "$defs": {
        "box": _object(
            ["id", "x0", "y0", "x1", "y1"],
            id={"type": "string", "minLength": 1, "description": "Unique in the image."},
            x0={"type": "number", "description": "Left edge in pixels, inside."},
            y0={"type": "number", "description": "Top edge, inside."},
            x1={"type": "number", "description": "Right edge, outside."},
            y1={"type": "number", "description": "Bottom edge, outside."},
            label={"type": "string", "minLength": 1, "default": "object"},
            score={"type": "number", "minimum": 0, "maximum": 1, "default": 1},
            types={**_STRINGS, "description": "Coarse kinds: people, animals."},
            attributes={**_STRINGS, "description": "Words that hold of the thing: red, wooden."},
            flags={**_STRINGS, "description": "Remarks of the annotation: crowd, occluded."},
        ),
        "chain": _object(
            ["id"],
            id={"type": "string", "minLength": 1, "description": "Unique in the image."},
            boxes={**_STRINGS, "description": "Ids of the thing's boxes."},
            types=_STRINGS,
            flags={**_STRINGS, "description": "scene, nobox."},
        ),
        "caption": _object(
            ["id", "text"],
            id={"type": "string", "minLength": 1, "description": "Unique in the image."},
            text={"type": "string"},
            source={"type": "string", "pattern": "^(gold|person:.+|system:.+)$", "default": "gold"},
            mentions={"type": "array", "items": {"$ref": "#/$defs/mention"}},
        ),
        "mention": _object(
            ["start", "end"],
            start={"type": "integer", "minimum": 0, "description": "First character of the span, from 0."},
            end={"type": "integer", "minimum": 1, "description": "The character after the span."},
            boxes={**_STRINGS, "description": "Ids of the boxes it refers to."},
            chain={"type": "string", "description": "Id of its chain."},
            types=_STRINGS,
        ),
    },
}
