"""Images whose captions are chunked."""

from __future__ import annotations

from limner.corpus import Box, Caption, Chain, Image, Mention
from limner.ground import chunk_corpus, chunk_image, retype_image

BOX = Box("b", 0, 0, 5, 5)
DOG = Mention(0, 5, ("b",), "c", ("other",))
IMAGE = Image(
    "1",
    boxes=(BOX,),
    captions=(Caption("0", "A dog runs.", (DOG,)), Caption("1", "A brown dog on the beach", source="system:x")),
    chains=(Chain("c", ("b",)),),
)


def test_captions_keep_their_mentions_and_others_get_some() -> None:
    chunked = chunk_image(IMAGE)
    assert chunked.captions[0] == IMAGE.captions[0]
    assert chunked.captions[1].mentions == (Mention(0, 11, types=("animals",)), Mention(15, 24, types=("scene",)))
    assert chunked.captions[1].source == "system:x"
    assert (chunked.chains, chunked.boxes) == (IMAGE.chains, IMAGE.boxes)
    assert chunked.provenance == {"mentions": "chunked in part"}
    assert chunk_image(chunked) is chunked


def test_again_replaces_mentions_and_drops_chains() -> None:
    chunked = chunk_image(IMAGE, again=True)
    assert chunked.captions[0].mentions == (Mention(0, 5, types=("animals",)),)
    assert chunked.chains == ()
    assert chunked.boxes == IMAGE.boxes
    assert chunked.provenance == {"mentions": "chunked"}


def test_retyping_changes_types_alone() -> None:
    retyped = retype_image(IMAGE)
    assert retyped.captions[0].mentions == (Mention(0, 5, ("b",), "c", ("animals",)),)
    assert retyped.captions[1] == IMAGE.captions[1]
    assert retyped.chains == IMAGE.chains


def test_a_corpus_is_chunked_image_by_image() -> None:
    empty = Image("2")
    assert list(chunk_corpus([IMAGE, empty])) == [chunk_image(IMAGE), empty]
    silent = Image("3", captions=(Caption("0", ""),))
    assert chunk_image(silent).captions == silent.captions
