"""Content selection beside metrics of words, against people's judgements."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau

from limner.cli.experiment_content_judgement import content_judgement
from limner.corpus import Caption, Image, write_corpus
from limner.corpus.box import Box
from limner.corpus.caption import Mention
from limner.errors import BadInput
from limner.experiments.content_judgement import Rated, content_judgement_experiment, partial_tau, together
from limner.experiments.experiment_files import Estimate
from limner.score.judgement.judged_captions import CAPTIONS_FILE, CROWD_FILE, EXPERT_FILE
from refusals import refusal

THINGS = ("dog", "ball", "bench")
CAPTIONS = ("A dog with a ball .", "A ball on a bench .", "A bench .", "A dog , a ball and a bench .", "Nothing here .")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eleven images of a dog, a ball and a bench; people mention the dog, or dog and ball. The last is not shared."""
    made = tmp_path_factory.mktemp("judged")
    own = {f"{i}_a.jpg#{n}": text for i in range(11) for n, text in enumerate(("A dog .", "A dog and a ball ."))}
    others = {f"99_a.jpg#{n}": text for n, text in enumerate(CAPTIONS)}
    (made / CAPTIONS_FILE).write_text("".join(f"{id}\t{text}\n" for id, text in {**own, **others}.items()))
    chance = np.random.default_rng(2)
    expert, crowd = [], []
    for i in range(11):
        for n, goodness in enumerate((4, 3, 1, 3, 1)):
            ratings = np.clip(goodness + chance.integers(-1, 2, 3), 1, 4)
            expert.append("\t".join([f"{i}_a.jpg", f"99_a.jpg#{n}", *map(str, ratings)]))
        crowd.append(f"{i}_a.jpg\t99_a.jpg#0\t1.0\t3\t0")
    (made / EXPERT_FILE).write_text("\n".join(expert) + "\n")
    (made / CROWD_FILE).write_text("\n".join(crowd) + "\n")
    write_corpus([grounded(str(i)) for i in range(10)], made / "corpus.jsonl")
    return made


def grounded(id: str) -> Image:
    boxes = tuple(Box(name, 10 * at, 0, 10 * at + 9, 9, name) for at, name in enumerate(THINGS))
    captions = (
        Caption("0", "A dog .", (Mention(0, 5, ("dog",)),)),
        Caption("1", "A dog and a ball .", (Mention(0, 5, ("dog",)), Mention(10, 16, ("ball",)))),
    )
    return Image(id, 40, 10, boxes, captions)


def ratings(folder: Path) -> tuple[list[int], list[int]]:
    """The caption's number and the rating of every rating of a shared image."""
    rows = [line.split("\t") for line in (folder / EXPERT_FILE).read_text().splitlines() if not line.startswith("10_")]
    return [int(row[1][-1]) for row in rows for _ in range(3)], [int(value) for row in rows for value in row[2:]]


def test_content_correlates_as_scores_by_hand_do(folder: Path) -> None:
    report = content_judgement_experiment(folder, str(folder / "corpus.jsonl"), metrics="rouge_l", samples=50)
    # Against {dog} and {dog, ball}: precision, recall.
    pairs = [(3 / 4, 1.0), (1 / 4, 1 / 4), (0.0, 0.0), (3 / 6, 1.0), (0.0, 0.0)]
    f = [2 * p * r / (p + r) if p + r else 0.0 for p, r in pairs]
    said, values = ratings(folder)
    tau = kendalltau([f[n] for n in said], values, variant="c").statistic
    rows = {row[0]: row for row in report.rows}
    for name in ("content_f", "content_f, classes"):
        estimate = rows[name][1]
        assert isinstance(estimate, Estimate)
        assert estimate.value == pytest.approx(tau)
    assert "50 of 55 judged pairs, of 10 of 11 images, 150 ratings" in report.notes[0]
    assert "30 captions refer to a box that somebody mentions" in report.notes[0]


def test_a_partial_correlation_is_made_of_three() -> None:
    chance = np.random.default_rng(5)
    z = chance.normal(size=60)
    x, y = z + chance.normal(size=60), z + chance.normal(size=60)
    xy, xz, yz = (kendalltau(*pair).statistic for pair in ((x, y), (x, z), (y, z)))
    by_hand = (xy - xz * yz) / ((1 - xz**2) * (1 - yz**2)) ** 0.5
    partial = partial_tau(x, y, z, np.arange(60), 100, 0)
    assert partial.value == pytest.approx(by_hand)
    assert partial.low is not None
    assert partial.high is not None
    assert partial.low < by_hand < partial.high


def test_ratings_of_an_image_have_no_part_in_its_scores() -> None:
    chance = np.random.default_rng(6)
    image = np.repeat(np.arange(30), 4)
    columns = [chance.normal(size=120), chance.normal(size=120)]
    value = columns[0] + columns[1] + chance.normal(size=120)
    before = together(columns, Rated(image, value, image), 0)
    changed = np.where(image == 7, -5.0, value)
    after = together(columns, Rated(image, changed, image), 0)
    assert (before[image == 7] == after[image == 7]).all()
    assert (before != after).any()
    # Both columns tell of the ratings, so that together they tell more than either.
    taus = [kendalltau(scores, value).statistic for scores in (*columns, before)]
    assert taus[2] > max(taus[:2])


def test_the_command_tells_what_content_adds_and_a_corpus_without_judged_images_is_refused(folder: Path) -> None:
    arguments = [str(folder), str(folder / "corpus.jsonl"), "--out", str(folder / "out"), "--metrics", "rouge_l,cider"]
    done = CliRunner().invoke(content_judgement, [*arguments, "--samples", "100"])
    assert done.exit_code == 0, done.output
    assert "all of these: τ-c " in done.stdout
    assert (folder / "out" / "content-judgement.html").exists()
    write_corpus([grounded("77")], folder / "other.jsonl")
    with refusal(BadInput):
        content_judgement_experiment(folder, str(folder / "other.jsonl"))
