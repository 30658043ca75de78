"""What people score, by how many of them are held out."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from limner.cli.experiment_people import people
from limner.corpus import open_corpus, write_corpus
from limner.corpus.random_streams import random_stream
from limner.errors import BadInput
from limner.experiments.experiment_files import Estimate, ExperimentReport
from limner.experiments.held_out_people import people_experiment
from limner.playground import playground
from limner.score import evaluate
from limner.score.content import mentioned, score_selection
from refusals import refusal


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "corpus.jsonl"
    write_corpus(playground(40, seed=8), path)
    return path


@pytest.fixture(scope="module")
def report(corpus: Path) -> ExperimentReport:
    return people_experiment(str(corpus), metrics="rouge_l,cider,content", most=2, samples=100, seed=1)


def estimates(report: ExperimentReport, column: str) -> dict[int, tuple[Estimate, Estimate]]:
    return {row[1]: (row[3], row[5]) for row in report.rows if row[0] == column}  # type: ignore[misc]


def test_one_person_scores_as_a_system_that_says_the_same(corpus: Path, report: ExperimentReport) -> None:
    said, rest = {}, {}
    for image in open_corpus(corpus):
        texts = [caption.text for caption in image.captions]
        (at,) = random_stream("people", 1, image.id).sample(range(len(texts)), 1)
        said[image.id], rest[image.id] = texts[at], texts[:at] + texts[at + 1 :]
    scores = evaluate(said, rest, metrics="rouge_l,cider", samples=0).scores
    for column in ("rouge_l", "cider"):
        assert estimates(report, column)[1][0].value == pytest.approx(scores[column])


def test_content_of_two_people_is_the_mean_of_each_against_the_rest(corpus: Path, report: ExperimentReport) -> None:
    values = []
    for image in open_corpus(corpus):
        sets = [boxes for boxes in map(mentioned, image.captions) if boxes]
        held_out = random_stream("people", 1, image.id).sample(range(len(sets)), 2)
        rest = [boxes for at, boxes in enumerate(sets) if at not in held_out]
        values.append(fmean(score_selection(sets[at], rest).F for at in held_out))
    assert estimates(report, "content_f")[2][0].value == pytest.approx(fmean(values))


def test_with_the_most_people_held_out_the_rest_is_equally_many(report: ExperimentReport) -> None:
    for column in ("rouge_l", "cider", "content_f"):
        by_number = estimates(report, column)
        assert by_number[2][0] == by_number[2][1]
        assert by_number[1][0] != by_number[1][1]
        assert all(low <= value <= high for pair in by_number.values() for value, low, high in pair if low and high)
    assert "|references:1 held out, seed 1|" in report.signatures["cider, 1 held out, the rest"]


def test_images_with_too_few_captions_are_counted_and_a_corpus_of_them_is_refused(corpus: Path, tmp_path: Path) -> None:
    images = list(open_corpus(corpus))
    short = [replace(image, captions=image.captions[:2]) for image in images[:3]]
    write_corpus([*short, *images[3:]], tmp_path / "short.jsonl")
    report = people_experiment(str(tmp_path / "short.jsonl"), metrics="rouge_l", most=2, samples=0)
    assert "left out, since they have too few captions to hold out 2: 3 for rouge_l" in report.notes[0]
    assert "|images:37|" in report.signatures["rouge_l, 1 held out, the rest"]
    with refusal(BadInput):
        people_experiment(str(corpus), most=9, samples=0)


def test_the_command_takes_content_where_captions_refer_to_boxes(corpus: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(people, [str(corpus), "--out", str(tmp_path), "--most", "1", "--samples", "0"])
    assert done.exit_code == 0, done.output
    assert [line.split()[0] for line in done.stdout.splitlines()[2:6]] == ["bleu4", "rouge_l", "cider", "content_f"]
    assert (tmp_path / "people.html").exists()
