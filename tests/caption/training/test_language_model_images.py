"""Images that a captioner's language model has read of."""

from __future__ import annotations

from limner.caption.models.lstm_language_model import SeenSplit
from limner.caption.training.language_model_images import held_out_warnings, with_language_models_images
from limner.caption.training.training_images import CaptionedImage, seen_images
from limner.corpus import Caption, Image

IMAGES = [Image(str(i), captions=(Caption("0", f"Dog {i}."),)) for i in range(6)]
PAIRS = [CaptionedImage(image, [["dog", image.id]], image) for image in IMAGES]


def test_the_language_models_images_are_those_of_the_captioner_too() -> None:
    seen = SeenSplit(seen_images(PAIRS[1:3]), seen_images(PAIRS[3:4]))
    merged = with_language_models_images(seen_images(PAIRS[:2]), seen)
    assert [merged.find(pair.image) for pair in PAIRS] == ["seen"] * 4 + ["new"] * 2
    assert merged.to_json() == seen_images(PAIRS[:4]).to_json()
    assert with_language_models_images(seen_images(PAIRS[:2]), None) == seen_images(PAIRS[:2])


def test_held_out_images_that_the_language_model_has_learnt_from_are_warned_of() -> None:
    seen = SeenSplit(seen_images(PAIRS[:3]), seen_images(PAIRS[3:]))
    assert [*held_out_warnings(seen, PAIRS[3:])] == []
    (warning,) = held_out_warnings(seen, PAIRS[2:])
    assert warning.startswith("warning: the language model has learnt from 1 of the 4 images held out, such as 2, ")


def test_a_language_model_that_does_not_tell_is_warned_of() -> None:
    (warning,) = held_out_warnings(None, PAIRS)
    assert "does not tell its training images" in warning
