"""Models learnt from small corpora."""

from __future__ import annotations

from pathlib import Path

from limner.corpus import Caption, Image, Mention
from limner.errors import BadInput
from limner.ground import chunk_image, train_phrases
from limner.playground import playground
from limner.score import evaluate_phrases
from refusals import refusal


def test_phrases_of_a_playground_are_learnt() -> None:
    images = list(playground(60))
    model = train_phrases(images[:40])
    found = [chunk_image(image, model, again=True) for image in images[40:]]
    scores = evaluate_phrases(found, images[40:]).to_json(samples=0)
    assert scores["F"] > 0.9


def test_equal_seeds_give_equal_models(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        train_phrases(playground(5)).save(tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def image(*captions: Caption) -> Image:
    return Image("1", captions=captions)


def test_captions_without_mentions_or_of_systems_teach_nothing() -> None:
    with refusal(BadInput):
        train_phrases([image(Caption("0", "a dog"))], place="here")
    said = Caption("0", "a dog", (Mention(0, 5, types=("animals",)),), "system:mine")
    with refusal(BadInput):
        train_phrases([image(said)])


def test_mentions_without_a_known_type_are_refused() -> None:
    with refusal(BadInput):
        train_phrases([image(Caption("0", "a dog", (Mention(0, 5, types=("pets",)),)))])


def test_mentions_that_end_within_a_word_are_learnt_from_all_the_same() -> None:
    halves = Caption("0", "a doghouse", (Mention(0, 5, types=("animals",)), Mention(5, 10, types=("other",))))
    assert train_phrases([image(halves)]).record.trained_on.n_phrases == 2
