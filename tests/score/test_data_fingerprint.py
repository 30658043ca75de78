"""What was scored against, in a few letters."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import pytest

from limner.playground import playground
from limner.score.data_fingerprint import box_and_kind_numbers, data_fingerprint, image_numbers


@pytest.mark.parametrize("with_size", [None, [True, False] * 3])
def test_numbers_made_together_are_those_made_apart(with_size: list[bool] | None) -> None:
    images = list(playground(6, seed=4))
    ids, texts = [image.id for image in images], [[c.text for c in image.captions] for image in images]
    gold = [image.captions for image in images]
    of_boxes, of_kinds = box_and_kind_numbers(ids, texts, images, gold, with_size)
    assert of_boxes.tolist() == image_numbers(ids, texts, images, gold, with_size=with_size).tolist()
    assert of_kinds.tolist() == image_numbers(ids, texts, images, with_kinds=True).tolist()


def test_a_number_is_a_hash_of_parts_with_a_byte_between_that_no_text_has() -> None:
    (number,) = image_numbers(["a"], [["c", "b"]]).tolist()
    assert number.to_bytes(8, "little", signed=True) == blake2b(b"a\xffb\xffc\xff", digest_size=8).digest()
    assert data_fingerprint(np.array([2, 1])) == data_fingerprint(np.array([1, 2]))
