"""Words tied to boxes by attention, and by slots."""

from __future__ import annotations

import numpy as np

from limner.arrays import Singles
from limner.caption.attention_mentions import NounFinder, attention_mentions, slot_mentions
from limner.caption.word_joining import join_words
from limner.corpus.caption import Mention

TEXT = "a brown dog chases two cats"
STARTS = join_words(TEXT.split()).starts
IDS = (None, "d", "c1", "c2")


def weights(**by_word: list[float]) -> Singles:
    rows = np.full((6, 4), 0.25, dtype=np.float32)
    for word, row in by_word.items():
        rows[TEXT.split().index(word)] = row
    return rows


def mentions(attention: Singles, taken: tuple[Mention, ...] = ()) -> list[Mention]:
    phrases = NounFinder().find(TEXT, [])
    return list(attention_mentions(phrases, STARTS, attention, IDS, taken))


def test_a_noun_means_the_box_that_was_looked_at_as_it_was_said() -> None:
    dog, cats = mentions(weights(dog=[0.5, 0.4, 0.06, 0.04], cats=[0.1, 0.1, 0.5, 0.3]))
    assert TEXT[dog.start : dog.end] == "a brown dog"
    assert (dog.boxes, dog.origin) == (("d",), "attention")
    assert dog.probability is not None
    assert abs(dog.probability - 0.4) < 1e-6
    assert [candidate.box for candidate in dog.candidates] == ["d", "c1", "c2"]
    assert TEXT[cats.start : cats.end] == "two cats"
    assert cats.boxes == ("c1", "c2")


def test_of_several_only_boxes_that_were_looked_at_nearly_as_much() -> None:
    _, cats = mentions(weights(cats=[0.2, 0.1, 0.5, 0.2]))
    assert cats.boxes == ("c1",)


def test_a_demanded_word_keeps_its_boxes() -> None:
    demanded = Mention(TEXT.index("cats"), len(TEXT), ("c2",), origin="constraint")
    assert mentions(weights(), (demanded,))[1] == demanded


def test_without_boxes_nouns_are_ungrounded() -> None:
    phrases = NounFinder().find(TEXT, [])
    dog, _ = attention_mentions(phrases, STARTS, np.ones((6, 1), dtype=np.float32), (None,))
    assert (dog.boxes, dog.origin) == ((), "ungrounded")


def test_labels_of_boxes_are_nouns_too() -> None:
    assert not NounFinder().find("a wombat", [])
    finder = NounFinder()
    assert len(finder.find("a wombat", ["Wombat"])) == 1


def test_labels_of_other_images_are_no_nouns() -> None:
    finder = NounFinder()
    finder.find("a wombat", ["Wombat"])
    assert not finder.find("a wombat", [])
    assert not finder.find("a wombat", ["Quokka"])
    assert len(finder.find("a wombat and a quokka", ["Quokka", "Wombat"])) == 2


def test_words_that_are_joined_are_looked_up_by_where_they_begin() -> None:
    joined = join_words(["it", "is", "n't", "a", "dog", "'s", "ball"])
    attention = np.eye(7, dtype=np.float32)
    phrases = NounFinder().find(joined.text, [])
    dog, ball = attention_mentions(phrases, joined.starts, attention, [f"word {i}" for i in range(7)])
    assert [joined.text[m.start : m.end] for m in (dog, ball)] == ["a dog", "ball"]
    assert (dog.boxes, ball.boxes) == (("word 4",), ("word 6",))


def by_slots(rows: dict[str, list[float]], taken: tuple[Mention, ...] = ()) -> list[Mention]:
    """Mentions by slots, whose shares are 0 for all other words."""
    shares = np.zeros((7, 4), dtype=np.float32)
    for word, row in rows.items():
        shares[TEXT.split().index(word)] = row
    return list(slot_mentions(NounFinder().find(TEXT, []), join_words(TEXT.split()), shares, IDS, taken))


def test_a_word_that_a_slot_said_means_the_slots_box() -> None:
    dog, cats = by_slots({"dog": [0, 0.7, 0.2, 0], "cats": [0, 0.1, 0.5, 0.4]})
    assert TEXT[dog.start : dog.end] == "a brown dog"
    assert (dog.boxes, dog.origin, dog.probability) == (("d",), "slot", 0.7)
    assert [(candidate.box, candidate.score) for candidate in dog.candidates] == [("d", 0.7), ("c1", 0.2)]
    # In the plural it means all boxes with at least half of the best one's share.
    assert (cats.boxes, cats.probability) == (("c1", "c2"), 0.9)


def test_a_word_of_which_the_text_said_more_is_no_slots() -> None:
    assert by_slots({"dog": [0, 0.3, 0.1, 0]}) == []


def test_a_demanded_word_is_no_slots() -> None:
    demanded = Mention(TEXT.index("dog"), TEXT.index("dog") + 3, ("d",), origin="constraint")
    assert by_slots({"dog": [0, 1.0, 0, 0]}, (demanded,)) == []


def test_a_word_that_is_no_noun_phrase_is_a_mention_by_itself() -> None:
    (chases,) = by_slots({"chases": [0, 0, 1.0, 0]})
    assert (TEXT[chases.start : chases.end], chases.boxes) == ("chases", ("c1",))


def test_slots_of_what_is_no_box_of_the_image_are_no_mentions() -> None:
    assert by_slots({"dog": [1.0, 0, 0, 0]}) == []
