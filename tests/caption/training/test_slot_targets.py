"""Which words of captions are slots, and which regions are tied to them."""

from __future__ import annotations

import numpy as np
import pytest

from limner.caption.caption_vocabulary import caption_words
from limner.caption.class_map import ClassMap
from limner.caption.region_inputs import BoxInputs, Labels, RegionSettings
from limner.caption.slot_proposals import RegionSlots, SlotSettings
from limner.caption.slot_spans import SlotFinder, word_spans_in
from limner.caption.training.slot_targets import SlotTarget, SlottedCaption, SlottedCaptions, SlotTies, slotted_caption
from limner.corpus import Box, Caption, Image, Mention
from limner.learn.vocabulary import EOS, UNKNOWN, PhraseVocabulary, Vocabulary

LABELS = ["person", "dog", "tennis racket"]
BOXES = (
    Box("p", 0, 0, 40, 90, "person", 0.9),
    Box("q", 60, 0, 99, 90, "person", 0.8),
    Box("d", 40, 60, 60, 90, "dog", 0.7),
    Box("r", 30, 30, 45, 50, "Tennis racket", 0.6),
    Box("unsure", 0, 0, 20, 20, "dog", 0.2),
)
IMAGE = Image("a", 100, 100, BOXES)
TEXT = Vocabulary(["a", "man", "with", "and", "hits"])
VOCABULARY = PhraseVocabulary([*TEXT.words, "tennis racket", "dog", "men"])


def spans(text: str, *mentions: Mention) -> list[tuple[str, tuple[str, ...] | None]]:
    caption = Caption("0", text, mentions)
    (words,) = caption_words([text])
    return [(span.form, span.boxes) for span in SlotFinder(LABELS).spans(caption, words)]


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("A man, with a tennis racket.", ["man", "tennis racket"]),
        ("Two men and their dogs", ["men", "dogs"]),
        ("The man's dog isn't big", ["man", "dog"]),
        # Words that only describe another, or mean another class, name nothing.
        ("a hot dog", []),
        ("a dog house", []),
        ("A couch", []),
        ("", []),
    ],
)
def test_nouns_for_the_labels_are_found(text: str, forms: list[str]) -> None:
    assert [form for form, _ in spans(text)] == forms


def test_a_noun_is_a_mention_of_the_boxes_of_the_phrase_it_is_in() -> None:
    text = "A big man and a dog."
    tied = spans(text, Mention(0, 9, ("q",)), Mention(14, 19))
    assert tied == [("man", ("q",)), ("dog", ())]
    # If no mention of the caption has a box, nobody says.
    assert spans(text, Mention(0, 9)) == [("man", None), ("dog", None)]


def test_words_stand_where_they_were_written() -> None:
    text = "The man's dog (isn't) big"
    (words,) = caption_words([text])
    where = [text[slice(*span)].lower() if span else None for span in word_spans_in(text, words)]
    assert [word for word, found in zip(words, where, strict=True) if found != word] == [
        word for word in words if word.startswith("-")
    ]


def ties(image: Image = IMAGE) -> SlotTies:
    regions = BoxInputs(Labels([]), RegionSettings()).read(image)
    slots = RegionSlots(SlotSettings(), {"person": 1, "dog": 2, "tennis racket": 3})
    return SlotTies(ClassMap(LABELS), image, regions, slots.places(regions))


def tied_boxes(text: str, *mentions: Mention) -> dict[str, tuple[str | None, ...]]:
    (words,) = caption_words([text])
    ids = BoxInputs(Labels([]), RegionSettings()).read(IMAGE).box_ids
    found = SlotFinder(LABELS).spans(Caption("0", text, mentions), words)
    return {span.form: tuple(ids[at] for at in ties().regions(span)) for span in found}


def test_without_mentions_the_proposals_of_the_words_class_are_tied() -> None:
    assert tied_boxes("a man with a dog") == {"man": ("p", "q"), "dog": ("d",)}


def test_with_mentions_proposals_are_tied_that_overlap_with_their_boxes_whatever_the_class() -> None:
    tied = tied_boxes("a dog with a racket and a man", Mention(0, 5, ("q",)), Mention(24, 29, ("unsure",)))
    # The dog is a person's box to the detector; the box of the man is no proposal, nor is there one near it.
    assert tied == {"dog": ("q",), "racket": (), "man": ()}


def test_a_slot_is_one_word_and_other_words_are_the_texts() -> None:
    text = "A man hits a dog with a tennis racket"
    (words,) = caption_words([text])
    found = SlotFinder(LABELS).spans(Caption("0", text), words)
    regions = {"man": (1,), "tennis racket": (4,)}
    caption = slotted_caption(words, found, lambda span: regions.get(span.form, ()), TEXT, VOCABULARY)
    assert VOCABULARY.text(caption.numbers) == ["a", "man", "hits", "a", "unknown", "with", "a", "tennis racket"]
    # A dog that no region is tied to is a word of the text, which does not have it.
    assert caption.numbers[4] == UNKNOWN
    assert caption.slots == [SlotTarget(1, (1,)), SlotTarget(7, (4,))]


def test_batches_have_slots_by_their_place_among_all_words() -> None:
    captions = SlottedCaptions(
        [
            SlottedCaption([3, 4], [SlotTarget(1, (0, 2))]),
            SlottedCaption([5] * 40, [SlotTarget(0, (1,)), SlotTarget(35, (1,))]),
        ],
        np.array([0, 1]),
    )
    batch = captions.batch([1, 0], 3)
    n_words = batch.sentences.tokens.shape[1]
    # The second slot of the long caption is cut off.
    assert batch.at.tolist() == [0, n_words + 1]
    assert batch.tied.tolist() == [[False, True, False], [True, False, True]]
    assert batch.sentences.mask[1, :3].tolist() == [1.0, 0.0, 1.0]
    assert batch.sentences.targets[1, :3].tolist() == [3, 4, EOS]
    assert captions.n_slots == 3
    # Two ends, a word of the text, and 38 words that no slot says.
    assert captions.text_counts(6).tolist() == [0, 2, 0, 1, 0, 38]
    assert captions.digest != SlottedCaptions(captions.captions[:1], captions.images[:1]).digest


def test_captions_without_slots_make_a_batch_too() -> None:
    batch = SlottedCaptions([SlottedCaption([3], [])], np.array([0])).batch([0], 2)
    assert (tuple(batch.at.shape), tuple(batch.tied.shape)) == ((0,), (0, 2))
