"""F1_all and F1_loc, against their definition written out and on boxes that overlap or not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image
from limner.errors import LimnerError
from limner.score.grounded_words import GroundedWords
from limner.score.run import Run
from refusals import refusal

BOXES = (
    Box("m", 0, 0, 10, 10, "man"),
    Box("n", 0, 0, 10, 9, "man"),  # IoU .9 with m
    Box("h", 0, 0, 10, 5, "half of m"),  # IoU .5 with m, which is not enough
    Box("d", 20, 20, 30, 30, "dog"),
    Box("e", 20, 20, 30, 28, "dog"),  # IoU .8 with d
)

Parse = Callable[..., Caption]


def run_of(parse: Parse, *rows: tuple[str, list[str]]) -> Run:
    """Captions as the tests write them, each with its gold captions."""
    said = [parse(text, source="system:s") for text, _ in rows]
    images = [
        Image(str(i), 100, 100, BOXES, tuple(parse(text, str(n)) for n, text in enumerate(gold)))
        for i, (_, gold) in enumerate(rows)
    ]
    references = [[one.text for one in image.captions] for image in images]
    return Run([image.id for image in images], [one.text for one in said], references, None, "", images, said)


@pytest.mark.parametrize(
    ("said", "gold", "expected"),
    [
        ("[A man]m .", ["[A man]m ."], (1, 1)),
        ("[Men]n .", ["[A man]m ."], (1, 1)),  # In the singular, and its box overlaps by .9.
        ("[A man]h .", ["[A man]m ."], (0, 0)),  # An overlap of a half is too little.
        ("[A man]d .", ["[A man]m ."], (0, 0)),
        ("[A man] .", ["[A man]m ."], (0, 0)),  # Named, but tied to nothing.
        ("[A man]d,n .", ["[A man]m ."], (1, 1)),  # One of its boxes is enough.
        ("[A boy]m .", ["[A man]m ."], (0, np.nan)),  # Another word: none is predicted correctly.
        ("Hm .", ["[A man]m ."], (0, np.nan)),
        ("[A man]m .", ["Hm ."], (np.nan, np.nan)),  # Nothing is groundable.
        # man: P 1, R 1; dog: no P, R 0. Macro: P 1/2, R 1/2. Of what was predicted correctly: man alone, over two.
        ("[A man]m .", ["[A man]m with [a dog]d ."], (0.5, 0.5)),
        # man: P 1, R 1; dog: hallucinated, but no groundable word of the run.
        ("[A man]m with [a dog]d .", ["[A man]m ."], (1, 1)),
        # Two gold captions: man P 1/1 + 1/1; dog P 1 of 2 (hallucinated against the first), R 1.
        ("[A man]m with [a dog]d .", ["[A man]m .", "[A man]m with [a dog]d ."], (2 * 0.75 / 1.75, 1)),
        # The first gold caption has a dog, though without a box: not judged.
        ("[A man]m with [a dog]d .", ["[A man]m by a dog .", "[A man]m with [a dog]d ."], (1, 1)),
        # The first of two mentions counts: of the caption for recall, of the gold caption for precision.
        ("[A man]m and [a man]d .", ["[A man]n ."], (2 * 0.5 / 1.5, 2 * 0.5 / 1.5)),
        ("[A man]m .", ["[A man]d and [a man]m ."], (0, 0)),
    ],
)
def test_words_count_where_they_are_found(
    caption: Parse, said: str, gold: list[str], expected: tuple[float, float]
) -> None:
    run = run_of(caption, (said, gold))
    found = GroundedWords().measure(run)
    assert found.value() == pytest.approx(expected, nan_ok=True)
    assert found.per_image[0] == pytest.approx(expected, nan_ok=True)


def test_each_word_is_averaged_by_itself_over_the_run(caption: Parse) -> None:
    rows = [("[A man]m .", ["[A man]m ."])] * 3 + [("[A dog]m .", ["[A dog]d ."])]
    found = GroundedWords().measure(run_of(caption, *rows))
    assert found.value() == pytest.approx([0.5, 0.5])
    assert found.depends_on_run


def test_the_nouns_may_be_given_or_be_the_most_frequent(caption: Parse) -> None:
    run = run_of(caption, ("[A man]m .", ["[A man]m and [a man]m with [a dog]d ."]))
    assert GroundedWords(n_words=1).measure(run).value() == pytest.approx([1, 1])
    given_nouns = GroundedWords(["dog", "unicorn"]).measure(run)
    assert given_nouns.value() == pytest.approx([0, np.nan], nan_ok=True)
    assert not given_nouns.depends_on_run


def test_a_system_may_have_boxes_of_its_own(caption: Parse) -> None:
    run = run_of(caption, ("[A man]own .", ["[A man]m ."]))
    with refusal(LimnerError):
        GroundedWords().measure(run)
    near, far = (GroundedWords(boxes={"0": [Box("own", x, 0, x + 10, 10)]}) for x in (1, 9))
    assert near.measure(run).value() == pytest.approx([1, 1])
    assert far.measure(run).value() == pytest.approx([0, 0])
    assert near.measure(run).choices["boxes"] == "own"


phrases = st.tuples(st.sampled_from(["man", "dog", "cat"]), st.sampled_from(["", "m", "n", "d", "e", "h,e", "m,d"]))
texts = st.lists(phrases, max_size=4).map(lambda pairs: " ".join(f"[a {noun}]{boxes} near" for noun, boxes in pairs))


@given(st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=3))
def test_values_are_those_of_the_definition(caption: Parse, rows: list[tuple[str, list[str]]]) -> None:
    run = run_of(caption, *rows)
    expected = [by_lists(run, "all"), by_lists(run, "loc")]
    assert GroundedWords().measure(run).value() == pytest.approx(expected, nan_ok=True)


def by_lists(run: Run, mode: str) -> float:
    """F1 with a list of hits for each word, as the paper's tool has it."""
    precision, recall = defaultdict(list), defaultdict(list)
    vocabulary = set()
    for image, said in zip(run.images or (), run.captions or (), strict=True):
        boxes = image.box_by_id()
        own = [(said.phrase(m).split()[-1], [boxes[b] for b in m.boxes]) for m in said.mentions]
        for one in image.captions:
            gold = [(one.phrase(m).split()[-1], [boxes[b] for b in m.boxes]) for m in one.mentions if m.boxes]
            if not gold:
                continue
            vocabulary |= {noun for noun, _ in gold}
            for noun, regions in own:
                match = next((there for word, there in gold if word == noun), None)
                if match is not None:
                    precision[noun].append(max((a.iou(b) for a in regions for b in match), default=0) > 0.5)
                elif noun not in one.text.split() and mode == "all":
                    precision[noun].append(False)
            for noun, regions in gold:
                match = next((there for word, there in own if word == noun), None)
                if match is not None:
                    recall[noun].append(max((a.iou(b) for a in regions for b in match), default=0) > 0.5)
                elif mode == "all":
                    recall[noun].append(False)
    if not vocabulary or not any(recall.values()):
        return float("nan")
    p, r = (sum(sum(hits) / len(hits) for hits in by.values()) / len(vocabulary) for by in (precision, recall))
    return 2 * p * r / (p + r) if p + r else 0.0


def test_people_agree_more_than_machines_do(val: list[Image]) -> None:
    """Flickr30k Entities val, each image's first caption against its others, recorded from this metric."""
    gold = [replace(image, captions=image.captions[1:]) for image in val]
    said = [replace(image.captions[0], source="system:first") for image in val]
    references = [[one.text for one in image.captions] for image in gold]
    run = Run([image.id for image in gold], [one.text for one in said], references, None, "", gold, said)
    found = GroundedWords().measure(run)
    assert found.rows.shape == (1000, 480 * 6)
    assert found.value() == pytest.approx([0.2803, 0.6577], abs=1e-4)
