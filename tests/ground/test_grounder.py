"""A grounder of the playground's pictures, without a model: trained, written, read, and used."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from limner.corpus import Box, Caption, Image, Mention, open_corpus
from limner.corpus.geometry import iou, nms
from limner.corpus.reading import Reading
from limner.corpus.seen_images import Overlap
from limner.errors import BadInput, LimnerError
from limner.ground import localising
from limner.ground.colour_classifiers import ColourClassifiers
from limner.ground.grounder import CueTable, Grounder, ranked
from limner.ground.grounder_training import train_grounder
from limner.ground.localising import LocaliseSettings, LocaliseTally, gold_candidates, localise_corpus, without_boxes
from limner.ground.phrase_model import TYPES
from limner.ground.phrase_queries import make_query
from limner.ground.picture_regions import RegionRecipe
from limner.ground.region_cache import RegionCache, keep_regions
from limner.ground.systems import CUES, SYSTEMS
from limner.learn.cca import NormalisedCCA
from limner.learn.ranking_network import RankingSettings
from limner.learn.softmax_classifier import train_classifier
from limner.learn.svm_training import train_svm
from limner.playground import World, write_world
from limner.vision import read_image
from refusals import refusal

FAST = RankingSettings(n_hidden=16, n_passes=8)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve pictures of the playground, the last two of which are not learnt from."""
    folder = tmp_path_factory.mktemp("world")
    write_world(World(captions=(2, 2), size=(160, 120)), 12, str(folder / "world.jsonl"), pictures=True)
    return folder


@pytest.fixture(scope="module")
def images(world: Path) -> list[Image]:
    return list(open_corpus(world / "world.jsonl"))


@pytest.fixture(scope="module")
def grounder(world: Path, images: list[Image]) -> Grounder:
    return train_grounder(images[:10], world, settings=FAST)


def localised(grounder: Grounder, images: list[Image], world: Path, **settings: str) -> list[Image]:
    return list(localise_corpus(images, world, grounder, LocaliseSettings(**settings)))  # type: ignore[arg-type]


def test_answers_are_candidates_best_first_and_captions_keep_their_text(
    grounder: Grounder, images: list[Image], world: Path
) -> None:
    for before, after in zip(images[10:], localised(grounder, images[10:], world), strict=True):
        assert [caption.text for caption in after.captions] == [caption.text for caption in before.captions]
        assert 1 < len(after.boxes) <= 200
        assert after.boxes[0].corners == (0, 0, 160, 120)
        for (_, mention), (_, gold) in zip(after.mentions(), before.mentions(), strict=True):
            assert (mention.start, mention.end, mention.chain) == (gold.start, gold.end, gold.chain)
            assert mention.origin == "localised"
            assert mention.boxes == (mention.candidates[0].box,)
        assert after.provenance["candidates"] == "proposals"
        assert str(after.provenance["localiser"]).startswith("grounder:")


def test_boxes_of_the_corpus_are_not_read(grounder: Grounder, images: list[Image], world: Path) -> None:
    bare = [without_boxes(image) for image in images[10:]]
    assert not any(image.boxes or any(mention.boxes for _, mention in image.mentions()) for image in bare)
    assert localised(grounder, bare, world) == localised(grounder, images[10:], world)
    # Not even to see whether they are within the picture.
    outside = replace(images[10], width=None, height=None, boxes=(*images[10].boxes, Box("far", 0, 0, 9999, 9999)))
    assert localised(grounder, [outside], world) == localised(grounder, bare[:1], world)


def test_gold_candidates_are_marked_and_hold_every_merged_box(
    grounder: Grounder, images: list[Image], world: Path
) -> None:
    (result,) = localised(grounder, images[10:11], world, candidates="gold")
    assert result.provenance["candidates"] == "gold"
    assert "candidates:gold" in str(result.provenance["localiser"])
    assert {box.id for box in images[10].boxes} <= {box.id for box in result.boxes}
    two = Image(
        *("a", 100, 100, (Box("m0", 0, 0, 10, 10), Box("1", 50, 50, 60, 60))),
        (Caption("0", "two dogs", (Mention(0, 8, ("m0", "1")),)),),
    )
    assert [(box.id, box.corners) for box in gold_candidates(two)][2:] == [("m1", (0, 0, 60, 60))]


def test_every_system_answers_and_the_largest_is_the_whole_picture(
    grounder: Grounder, images: list[Image], world: Path
) -> None:
    answers = {system: localised(grounder, images[10:11], world, system=system)[0] for system in SYSTEMS}
    assert {mention.boxes for _, mention in answers["largest"].mentions()} == {("p0",)}
    assert len({str(answers[system].provenance["localiser"]) for system in SYSTEMS}) == len(SYSTEMS)


def test_points_of_cues_and_of_other_phrases_add_up_to_the_score(
    grounder: Grounder, images: list[Image], world: Path
) -> None:
    why = io.BytesIO()
    list(localise_corpus(images[10:], world, grounder, why=why))
    reasons = [json.loads(line) for line in why.getvalue().splitlines()]
    assert list(dict.fromkeys(reason["image"] for reason in reasons)) == [image.id for image in images[10:]]
    for reason in reasons:
        points, scores, weights = reason["cues"], reason["cue_scores"], reason["cue_weights"]
        assert sum(filter(None, points.values())) == pytest.approx(reason["score"], abs=1e-2)
        assert set(scores) == set(weights) == set(points) - {"others"} <= set(CUES)
        for cue, score in scores.items():
            assert points[cue] == (None if score is None else pytest.approx(score * weights[cue], abs=1e-2))
        if reason["others"]:
            assert points["others"] == pytest.approx(sum(o["points"] for o in reason["others"]), abs=1e-2)


def test_a_grounder_is_the_same_when_it_is_read_again(
    grounder: Grounder, images: list[Image], world: Path, tmp_path: Path
) -> None:
    grounder.save(tmp_path / "a.grounder")
    again = Grounder.load(tmp_path / "a.grounder")
    assert again.signature == grounder.signature
    assert localised(again, images[10:], world) == localised(grounder, images[10:], world)
    again.save(tmp_path / "b.grounder")
    assert (tmp_path / "a.grounder").read_bytes() == (tmp_path / "b.grounder").read_bytes()


def test_training_images_are_marked(grounder: Grounder, images: list[Image], world: Path) -> None:
    overlap = Overlap.of(grounder.training_images)
    results = list(localise_corpus(images[8:], world, grounder, overlap=overlap))
    assert ["training" in result.provenance for result in results] == [True, True, False, False]
    assert overlap.n_seen == 2
    # With other captions they are known by their boxes, which the localiser does not look at.
    fewer = [replace(image, captions=image.captions[:1]) for image in images[8:]]
    results = list(localise_corpus(fewer, world, grounder, overlap=Overlap.of(grounder.training_images)))
    assert ["training" in result.provenance for result in results] == [True, True, False, False]


def doubled(image: Image) -> Image:
    """The image as if it had been annotated on a picture of twice the size."""
    boxes = tuple(replace(b, x0=2 * b.x0, y0=2 * b.y0, x1=2 * b.x1, y1=2 * b.y1) for b in image.boxes)
    return replace(image, width=2 * (image.width or 0), height=2 * (image.height or 0), boxes=boxes)


@pytest.mark.parametrize("candidates", ["proposals", "gold"])
def test_a_corpus_of_twice_the_size_gives_twice_the_boxes(
    grounder: Grounder, images: list[Image], world: Path, candidates: str
) -> None:
    plain = localised(grounder, images[10:], world, candidates=candidates)
    larger = localised(grounder, [*map(doubled, images[10:])], world, candidates=candidates)
    assert len(plain) == len(larger) == 2
    for small, large in zip(plain, larger, strict=True):
        assert [box.corners for box in large.boxes] == [tuple(2 * edge for edge in box.corners) for box in small.boxes]
        assert large.captions == small.captions
        assert any(mention.candidates for _, mention in large.mentions())


def test_training_on_twice_the_size_is_the_same(grounder: Grounder, images: list[Image], world: Path) -> None:
    larger = train_grounder([*map(doubled, images[:10])], world, settings=FAST)
    for name, weights in grounder.parts.weights.items():
        assert np.array_equal(larger.parts.weights[name], weights)


def test_weights_of_a_phrase_of_two_types_are_their_mean(grounder: Grounder) -> None:
    by_type = np.arange(len(TYPES) * len(CUES), dtype=np.float64).reshape(len(TYPES), len(CUES)) ** 2
    known = Grounder(dataclasses.replace(grounder.parts, weights={**grounder.parts.weights, "full": by_type}))
    types = [("people", "clothing"), ("animals",)]
    queries = [make_query(0, 3, "dog", kinds) for kinds in types]
    # Two regions; of the second every cue says its number more than of the first.
    scores = np.stack([np.zeros((2, len(CUES))), np.tile(np.arange(1.0, len(CUES) + 1), (2, 1))], axis=1)
    table = CueTable(scores, np.zeros((2, len(CUES))))
    people, clothing, animals = (by_type[TYPES.index(name)] for name in ("people", "clothing", "animals"))
    mean = [(a + b) / 2 for a, b in zip(people, clothing, strict=True)]
    expected = [sum((n + 1) * w for n, w in enumerate(weights)) for weights in (mean, animals)]
    assert known.weights(table, queries, "full").tolist() == [mean, animals.tolist()]
    assert known.cue_scores(table, queries, "full").tolist() == [[0.0, expected[0]], [0.0, expected[1]]]


def test_readers_must_propose_what_the_settings_say(grounder: Grounder, images: list[Image], world: Path) -> None:
    readers = grounder.open_readers(n_proposals=20)
    with refusal(ValueError):
        list(localise_corpus(images[10:], world, grounder, readers=readers))
    fitting = LocaliseSettings(n_proposals=20)
    assert len(list(localise_corpus(images[10:], world, grounder, fitting, readers=readers))) == 2
    gold = LocaliseSettings("gold")
    assert len(list(localise_corpus(images[10:], world, grounder, gold, readers=readers))) == 2


def test_mentions_without_a_candidate_are_not_counted_as_not_visual(
    grounder: Grounder, images: list[Image], world: Path
) -> None:
    caption = Caption("0", "A dog in the air", (Mention(0, 5), Mention(9, 16, types=("notvisual",))))
    empty = replace(images[0], boxes=(), captions=(caption,), chains=())
    tally = LocaliseTally()
    (result,) = localise_corpus([empty], world, grounder, LocaliseSettings("gold"), tally=tally)
    assert not result.boxes
    assert (tally.n_mentions, tally.n_ungrounded, tally.n_without_candidate) == (2, 2, 1)


def test_mentions_may_name_boxes_of_another_file() -> None:
    image = Image("a", 100, 100, (), (Caption("0", "two dogs", (Mention(0, 8, ("1", "2")),)),))
    assert gold_candidates(image) == ()


def test_equal_seeds_give_equal_grounders_and_a_corpus_to_tune_on_is_named(
    grounder: Grounder, images: list[Image], world: Path
) -> None:
    assert train_grounder(images[:10], world, settings=FAST, workers=1).signature == grounder.signature
    tuned = train_grounder(images[:9], world, valid=images[9:10], valid_name="nine", settings=FAST)
    assert (tuned.parts.trained.n_images, tuned.parts.trained.tuned_on) == (9, "nine")
    assert tuned.signature != grounder.signature


def test_phrases_and_regions_meet_in_one_space(grounder: Grounder, images: list[Image], world: Path) -> None:
    seen = read_image(images[0], world)
    regions = grounder.region_vectors(seen.image, seen.pixels, seen.corners())
    phrases = grounder.phrase_vectors(["a dog", "", "the wuggish wug"])
    assert regions.shape == (len(images[0].boxes), phrases.shape[1])
    assert np.linalg.norm(regions, axis=1) == pytest.approx(np.ones(len(regions)), abs=1e-4)
    assert not phrases[1].any()
    assert grounder.image_vector(seen.image, seen.pixels).shape == (phrases.shape[1],)


def test_odd_captions_and_words_lose_nothing(grounder: Grounder, images: list[Image], world: Path) -> None:
    captions = (
        Caption("0", ""),
        Caption("1", "Qzxqj wvvkp in the air", (Mention(0, 11), Mention(15, 22, types=("notvisual",)))),
    )
    odd = replace(images[0], captions=captions, chains=())
    tally = LocaliseTally()
    (result,) = localise_corpus([odd], world, grounder, tally=tally)
    assert [caption.text for caption in result.captions] == [caption.text for caption in captions]
    unknown, nothing = result.captions[1].mentions
    assert unknown.boxes
    assert (nothing.origin, nothing.boxes) == ("ungrounded", ())
    assert (tally.n_mentions, tally.n_ungrounded, tally.n_unknown) == (2, 1, 1)


def test_a_missing_picture_is_an_error_or_counted(grounder: Grounder, images: list[Image], world: Path) -> None:
    lost = replace(images[0], id="lost", file="lost.png")
    with refusal(BadInput):
        list(localise_corpus([lost], world, grounder))
    reading = Reading(lenient=True)
    results = list(localise_corpus([lost, images[1]], world, grounder, reading=reading))
    assert [result.id for result in results] == [images[1].id]
    assert reading.skipped.total() == 1
    overlap = Overlap.of(grounder.training_images)
    list(localise_corpus([lost, images[1], images[11]], world, grounder, overlap=overlap, reading=reading))
    assert (overlap.n_images, overlap.first_seen, overlap.n_seen) == (2, images[1].id, 1)


def test_an_image_with_too_many_gold_candidates_is_an_error_or_counted(
    grounder: Grounder, images: list[Image], world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = sorted(images[:2], key=lambda image: len(gold_candidates(image)))
    monkeypatch.setattr(localising, "MOST_CANDIDATES", len(gold_candidates(many)) - 1)
    assert len(gold_candidates(few)) < len(gold_candidates(many))
    gold = LocaliseSettings("gold", n_proposals=1)
    with pytest.raises(BadInput) as refused:
        list(localise_corpus([many, few], world, grounder, gold))
    assert (refused.value.code, refused.value.place) == ("too-many-candidates", f"image {many.id!r}")
    reading = Reading(lenient=True)
    results = list(localise_corpus([many, few], world, grounder, gold, reading=reading))
    assert [result.id for result in results] == [few.id]
    assert reading.skipped.total() == 1


def test_what_cannot_be_learnt_from_is_refused(images: list[Image], world: Path) -> None:
    with refusal(BadInput):
        train_grounder([without_boxes(image) for image in images], world)
    with refusal(BadInput):
        train_grounder(images, world, RegionRecipe(detector="there-is-none.tflite"))


def test_what_was_seen_is_kept_and_damage_is_noticed(
    grounder: Grounder, images: list[Image], world: Path, tmp_path: Path
) -> None:
    readers = grounder.open_readers()
    keep_regions(readers, tmp_path)
    first = list(localise_corpus(images[10:], world, grounder, readers=readers))
    files = sorted(tmp_path.rglob("*.regions"))
    assert len(files) == 2
    assert list(localise_corpus(images[10:], world, grounder, readers=readers)) == first
    whole = files[0].read_bytes()
    for broken in (b"", whole[:-3], whole[:200] + b"\x00" + whole[201:]):
        files[0].write_bytes(broken)
        assert list(localise_corpus(images[10:], world, grounder, readers=readers)) == first
    assert RegionCache(tmp_path, "other").get("00" * 32) is None


def rewritten(path: Path, name: str, raw: bytes) -> None:
    """Replace a member of a zip."""
    with zipfile.ZipFile(path) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    members[name] = raw
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)


def npy(values: np.ndarray) -> bytes:
    handle = io.BytesIO()
    np.save(handle, values, allow_pickle=True)
    return handle.getvalue()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("weights.npy", np.zeros((2, 2))),
        ("weights.npy", np.full((6, 8, 7), np.nan)),
        ("weights.npy", np.full((6, 8, 7), 1e30)),
        ("match.hidden.npy", np.zeros((3, 16), dtype=np.float32)),
        ("positions.npy", np.zeros((1, 3))),
        ("axes.axes.npy", np.array([{"an": "object"}], dtype=object)),
        ("cca.x_mean.npy", np.zeros(5, dtype=np.float32)),
        ("colour_svm.bias.npy", np.zeros(3, dtype=np.float32)),
    ],
)
def test_hostile_files_are_refused(grounder: Grounder, tmp_path: Path, name: str, values: np.ndarray) -> None:
    path = tmp_path / "bad.grounder"
    grounder.save(path)
    rewritten(path, name, npy(values))
    with refusal(BadInput):
        Grounder.load(path)


def test_files_of_other_kinds_are_refused(grounder: Grounder, tmp_path: Path) -> None:
    path = tmp_path / "model"
    NormalisedCCA(1).fit(np.eye(3), np.eye(3)).save(path)
    with refusal(BadInput):
        Grounder.load(path)
    path.write_text("no model")
    with refusal(BadInput):
        Grounder.load(path)
    with pytest.raises(LimnerError):
        Grounder.load(tmp_path / "nowhere")
    grounder.save(path)
    with zipfile.ZipFile(path) as archive:
        record = json.loads(archive.read("model.json"))
    changes: list[dict[str, object]] = [
        {"words": ["a", "a"]},
        {"strengths": {"worn": -1.0}},
        {"embedder": "others"},
        {"colour_classifier": "svm"},
        {"colour_classifier": "nobody"},
        {"colour_accuracies": {"nobody": 0.5}},
        {"colour_accuracies": {"network": 1.5}},
        {"version": 99},
    ]
    assert grounder.parts.colours.svm is None
    for changed in changes:
        rewritten(path, "model.json", json.dumps({**record, **changed}).encode())
        with refusal(BadInput):
            Grounder.load(path)


def test_files_of_the_version_before_are_refused_with_a_remedy(grounder: Grounder, tmp_path: Path) -> None:
    path = tmp_path / "old.grounder"
    grounder.save(path)
    with zipfile.ZipFile(path) as archive:
        record = json.loads(archive.read("model.json"))
    old = {name: value for name, value in record.items() if not name.startswith("colour_")}
    rewritten(path, "model.json", json.dumps({**old, "version": 1}).encode())
    with refusal(BadInput):
        Grounder.load(path)


def test_a_grounder_keeps_both_classifiers_of_colours(grounder: Grounder, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 11, 80)
    colours = ColourClassifiers(
        train_classifier(rng.normal(size=(80, 81)), numbers, 11, n_passes=1),
        train_svm(rng.normal(size=(80, 217)), numbers, 11),
        "svm",
        {"svm": 0.5, "network": 0.25},
    )
    path = tmp_path / "both.grounder"
    Grounder(dataclasses.replace(grounder.parts, colours=colours)).save(path)
    again = Grounder.load(path).parts.colours
    assert (again.used, again.accuracies) == ("svm", {"svm": 0.5, "network": 0.25})
    assert again.svm is not None
    assert np.array_equal(again.svm.weights, colours.svm.weights if colours.svm else ())
    rewritten(path, "colour_svm.mean.npy", npy(np.zeros(9, dtype=np.float32)))
    with refusal(BadInput):
        Grounder.load(path)


def test_rankings_are_those_of_non_maximum_suppression() -> None:
    rng = np.random.default_rng(0)
    near = rng.uniform(0, 40, (60, 2))
    corners = np.hstack([near, near + rng.uniform(10, 60, (60, 2))])
    scores = rng.integers(0, 20, 60).astype(np.float64)
    assert ranked(scores, iou(corners, corners)) == nms(corners, scores, 0.5).tolist()
