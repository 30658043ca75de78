"""The surface of captions: told from spoilt ones, whatever they speak of."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np
import pytest
from msgspec.structs import replace

from limner.corpus import Caption, Image, Mention
from limner.playground import playground
from limner.score.caption_evaluation import evaluate
from limner.score.content_evaluation import evaluate_content
from limner.score.corruption import (
    CORRUPTIONS,
    Corruption,
    break_agreement,
    drop_articles,
    exchange,
    shuffle,
    swap_nouns,
    swap_preposition,
)
from limner.score.leave_one_out import human_bound
from limner.score.run import Run
from limner.score.surface import SURFACE, SurfaceModel, surface_model, symbols
from limner.text.words import words


def run_of(images: list[Image], candidates: list[str] | None = None) -> Run:
    texts = [[caption.text for caption in image.captions] for image in images]
    said = candidates or [gold[0] for gold in texts]
    return Run([image.id for image in images], said, texts, images=images)


@pytest.fixture(scope="module")
def world() -> list[Image]:
    return list(playground(120, seed=5))


@pytest.mark.parametrize(
    ("corrupt", "before", "after"),
    [
        (drop_articles, "a man on the hill", "man on hill"),
        (break_agreement, "two dogs are here and one is there", "two dogs is here and one are there"),
        (break_agreement, "dogs run", "dogs run"),
        (swap_preposition, "dogs run", "dogs run"),
        (exchange, "dogs", "dogs"),
        (exchange, "dogs run", "run dogs"),
    ],
)
def test_captions_are_spoilt(corrupt: Corruption, before: str, after: str) -> None:
    assert corrupt(before.split(), Random(0)) == after.split()


def test_spoilt_captions_keep_their_other_words() -> None:
    said = ["a", "man", "sits", "on", "a", "bench", "near", "the", "river"]
    assert sorted(shuffle(said, Random(0))) == sorted(said)
    swapped = swap_preposition(said, Random(0))
    assert len(swapped) == len(said)
    assert sum(a != b for a, b in zip(said, swapped, strict=True)) == 1
    nouns = {"man": 3, "bench": 1, "dogs": 2}
    assert "dogs" not in swap_nouns(said, Random(0), nouns)
    assert len({word for seed in range(9) for word in swap_nouns(said, Random(seed), nouns)[1:2]}) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a man rides an elephant", "a <noun> rides a <noun>"),
        ("an old man and two elephants", "an old <noun> and two <nouns>"),
        ("", ""),
    ],
)
def test_nouns_are_any_noun(text: str, expected: str) -> None:
    assert symbols(text.split(), frozenset(["man", "elephant", "elephants"])) == expected.split()


def test_what_gold_captions_call_boxes_are_nouns() -> None:
    image = next(iter(playground(1, seed=1)))
    noun = words(image.captions[0].phrase(image.captions[0].mentions[0]))[-1]
    model = surface_model(run_of([image]))
    assert noun in model.nouns
    assert "on" not in model.nouns
    # COCO's words are nouns where no caption uses them, or none has mentions.
    assert "giraffes" in model.nouns
    plain = Run(["1", "2"], ["a dog", "a dog"], [["a dog runs"], ["a dog sits"]])
    assert "dog" in surface_model(plain).nouns


def accuracy(model: SurfaceModel, rows: list[tuple[str, list[str]]], corrupt: Corruption) -> float:
    """The share of captions that score above themselves spoilt."""
    random = Random(0)
    spoilt = [(id, said, corrupt(said, random)) for id, said in rows]
    ids = [id for id, said, after in spoilt if after != said]
    before, after = (model.scores([" ".join(row[k]) for row in spoilt if row[1] != row[2]], ids) for k in (1, 2))
    return float(((before > after) + 0.5 * (before == after)).mean())


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_spoilt_captions_of_the_playground_score_lower(world: list[Image], name: str) -> None:
    model = surface_model(run_of(world))
    rows = [(image.id, words(caption.text)) for image in world for caption in image.captions]
    assert accuracy(model, rows, CORRUPTIONS[name]) > 0.75


# Recorded from this measure, with what must be reached: see docs/score-content.md.
REACHED = {
    "shuffled": 0.99,
    "neighbours exchanged": 0.94,
    "articles dropped": 0.96,
    "agreement broken": 0.86,
    "preposition swapped": 0.88,
}


def test_spoilt_captions_of_people_score_lower_and_swapped_nouns_change_nothing(val: list[Image]) -> None:
    """Flickr30k Entities val: 5,000 captions."""
    model = surface_model(run_of(val))
    rows = [(image.id, words(caption.text)) for image in val for caption in image.captions]
    for name, corrupt in CORRUPTIONS.items():
        assert accuracy(model, rows, corrupt) > REACHED[name], name
    used = Counter(word for _, said in rows for word in said if word in model.nouns)
    swapped = [" ".join(swap_nouns(said, Random(0), used)) for _, said in rows[:500]]
    ids = [id for id, _ in rows[:500]]
    before = model.scores([" ".join(said) for _, said in rows[:500]], ids)
    assert model.scores(swapped, ids) == pytest.approx(before)


def test_a_noun_that_nobody_uses_is_one_where_a_mention_is_about_it(world: list[Image]) -> None:
    said = next(caption for caption in world[0].captions if caption.mentions)
    model = surface_model(run_of(world))
    noun = words(said.phrase(said.mentions[0]))[-1]
    assert noun in model.nouns
    odd = Caption("0", said.text.replace(noun, "wug"), (Mention(said.text.index(noun), said.text.index(noun) + 3),))
    usual, unheard, plain = model.scores([said, odd, odd.text], [world[0].id] * 3)
    assert plain < unheard == pytest.approx(usual)


def test_the_own_captions_of_an_image_do_not_count(world: list[Image]) -> None:
    odd = "So then is of the while on and a there quite ."
    images = [*world, Image("odd", captions=tuple(Caption(str(n), odd) for n in range(5)))]
    by_itself, by_another = surface_model(run_of(images)).scores([odd, odd], ["odd", world[0].id])
    assert by_itself < by_another - 2
    (unwritten,) = surface_model(run_of(world)).scores([odd], ["odd"])
    assert by_itself == pytest.approx(unwritten, abs=0.2)


def test_the_measure_has_a_human_bound_and_shares_its_model(world: list[Image]) -> None:
    run = run_of(world)
    of_all = SURFACE.measure(run)
    # A subset has the values of the whole run, rather than those of a model of its few images.
    assert not of_all.depends_on_run
    people = human_bound(SURFACE).measure(run)
    gold = [(image.id, caption.text) for image in world for caption in image.captions]
    scores = surface_model(run).scores([text for _, text in gold], [id for id, _ in gold])
    assert people.value() == pytest.approx(scores.reshape(-1, 5).mean(axis=1).mean())


def test_a_caption_without_words_has_no_value(world: list[Image]) -> None:
    run = run_of(world[:2], ["", "A man ."])
    values = SURFACE.measure(run).per_image[:, 0]
    assert np.isnan(values).tolist() == [True, False]
    assert SURFACE.measure(run).items is not None


def test_few_images_are_told_of(world: list[Image]) -> None:
    assert not SURFACE.measure(run_of(world)).warnings
    expected = "surface learns from the captions of 2 images; with fewer than 100 it is crude"
    assert SURFACE.measure(run_of(world[:2])).warnings == [expected]


def test_a_signature_tells_what_the_model_learnt_from(world: list[Image]) -> None:
    def signature(images: list[Image]) -> str:
        said = {image.id: image.captions[0].text for image in images}
        by = evaluate(said, images, metrics="surface", by="length", samples=0).by["length"]
        return by["up to 8 words"].signatures["surface"]

    # The same words in another order, in an image that is not in the subset but teaches the model that judges it.
    long = next(i for i, image in enumerate(world) if np.mean([len(words(c.text)) for c in image.captions]) > 12)
    backwards = Caption("backwards", " ".join(words(world[long].captions[-1].text)[::-1]))
    reordered = replace(world[long], captions=(*world[long].captions[:-1], backwards))
    first, again, other = map(signature, (world, world[::-1], [*world[:long], reordered, *world[long + 1 :]]))
    assert first == again
    assert first != other
    assert [choice.split(":")[0] for choice in set(first.split("|")) - set(other.split("|"))] == ["model_data"]


def test_captions_and_content_have_one_number_for_it(world: list[Image]) -> None:
    said = [
        Image(image.id, captions=(Caption("0", image.captions[1].text, source="system:s"),), chains=image.chains)
        for image in world
    ]
    surface = evaluate(said, world, metrics="surface", samples=0).scores["surface"]
    assert surface == pytest.approx(evaluate_content(said, world)["surface"]["score"])


def test_content_has_it_with_people_s_own(world: list[Image]) -> None:
    said = [
        Image(image.id, captions=(Caption("0", image.captions[0].text, source="system:s"),), chains=image.chains)
        for image in world
    ]
    scores = evaluate_content(said, world)
    surface = scores["surface"]
    assert surface["score"] == pytest.approx(float(SURFACE.measure(run_of(world)).value()[0]))
    assert surface["human"]["score"] == pytest.approx(float(human_bound(SURFACE).measure(run_of(world)).value()[0]))
    assert surface["n_images"] == len(world)
    assert surface["items"]["said"] == surface["items"]["judged"] > 5 * len(world)
    assert "|surface:trigrams of other images, Kneser-Ney|" in scores["signature"]
