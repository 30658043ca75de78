from __future__ import annotations

import re
from pathlib import Path
from typing import NoReturn

import msgspec
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from limner.cli.convert import convert
from limner.cli.describe import command
from limner.cli.remedies import worded
from limner.cli.train import phrasebook, selector
from limner.corpus import Box, Caption, Image, open_corpus, write_corpus
from limner.errors import LimnerError
from limner.playground import playground
from limner.score.content import mentioned


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("world") / "world.jsonl"
    write_corpus(playground(60, seed=3), path)
    return path


def describe(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_every_image_gets_one_sentence_about_its_own_boxes(world: Path, tmp_path: Path) -> None:
    done = describe(world, "-o", tmp_path / "said.jsonl", "--k", 3)
    assert done.exit_code == 0
    gold = open_corpus(world).index()
    for result in open_corpus(tmp_path / "said.jsonl"):
        (caption,) = result.captions
        largest = sorted(gold[result.id].boxes, key=lambda box: -box.area)[:3]
        assert mentioned(caption) == {box.id for box in largest}
        assert result.boxes == ()


@pytest.mark.parametrize(
    "options",
    [
        ["--realise", "paper"],
        ["--realise", "template"],
        ["--realise", "retrieval", "--train", "WORLD"],
        ["--realise", "retrieval", "--select", "bigram", "--train", "WORLD"],
        ["--select", "bigram+size", "--train", "WORLD"],
        ["--select", "all", "--simple"],
        ["--detail", "high", "--focus", "animals", "--words", "people's"],
        ["--seed", "7"],
    ],
)
def test_equal_commands_write_equal_files(world: Path, tmp_path: Path, options: list[str]) -> None:
    given = [str(world) if option == "WORLD" else option for option in options]
    for name in ("one.jsonl", "two.jsonl"):
        assert describe(world, "-o", tmp_path / name, *given).exit_code == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_captions_of_the_corpus_are_not_looked_at(world: Path, tmp_path: Path) -> None:
    corpus = open_corpus(world)
    bare = (Image(i.id, i.width, i.height, i.boxes, provenance=i.provenance) for i in corpus)
    write_corpus(bare, tmp_path / "bare.jsonl")
    for source, name in ((world, "one.jsonl"), (tmp_path / "bare.jsonl", "two.jsonl")):
        assert describe(source, "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_sentences_are_retrieved_from_the_training_captions(world: Path, tmp_path: Path) -> None:
    write_corpus(playground(20, seed=8), tmp_path / "new.jsonl")
    done = describe(tmp_path / "new.jsonl", "-o", tmp_path / "said.jsonl", "--realise", "retrieval", "--train", world)
    assert done.exit_code == 0
    texts = {caption.text for image in open_corpus(world) for caption in image.captions}
    assert {caption.text for image in open_corpus(tmp_path / "said.jsonl") for caption in image.captions} <= texts


def test_training_images_without_captions_are_refused(world: Path, tmp_path: Path) -> None:
    bare = (Image(i.id, i.width, i.height, i.boxes) for i in open_corpus(world))
    write_corpus(bare, tmp_path / "bare.jsonl")
    options = ["--realise", "retrieval", "--train", tmp_path / "bare.jsonl"]
    done = describe(world, "-o", tmp_path / "said.jsonl", *options)
    assert isinstance(done.exception, LimnerError)
    assert worded(done.exception) == (
        "no training image has both boxes and gold captions; pass a corpus with boxes and captions by --train"
    )
    assert not (tmp_path / "said.jsonl").exists()


def test_a_phrasebook_is_learnt_and_used(world: Path, tmp_path: Path) -> None:
    book = tmp_path / "book.json.gz"
    assert CliRunner().invoke(phrasebook, [str(world), "--out", str(book)]).exit_code == 0
    assert describe(world, "-o", tmp_path / "said.jsonl", "--phrasebook", book).exit_code == 0


def test_images_with_no_boxes_and_with_very_many_are_described(tmp_path: Path) -> None:
    many = tuple(Box(str(i), i % 90, i % 80, i % 90 + 9, i % 80 + 9, "sheep") for i in range(5000))
    write_corpus([Image("none", 100, 100), Image("many", 100, 100, many)], tmp_path / "odd.jsonl")
    done = describe(tmp_path / "odd.jsonl", "-o", tmp_path / "said.jsonl", "--select", "all")
    assert done.exit_code == 0
    none, much = open_corpus(tmp_path / "said.jsonl")
    assert mentioned(none.captions[0]) == frozenset()
    assert len(mentioned(much.captions[0])) == 5000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--select", "sise"], "did you mean 'size'?"),
        (["--select", "bigram"], "pass a corpus with captions by --train"),
        (["--realise", "retrieval"], "needs training captions; pass a corpus with boxes and captions by --train"),
        (["--phrasebook", "WORLD"], "phrasebook"),
    ],
)
def test_what_cannot_be_done_is_one_clear_error(world: Path, tmp_path: Path, options: list[str], said: str) -> None:
    given = [str(world) if option == "WORLD" else option for option in options]
    done = describe(world, "-o", tmp_path / "said.jsonl", *given)
    assert done.exit_code == 1
    assert isinstance(done.exception, LimnerError)
    assert said in worded(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_why_each_box_was_chosen_is_written_image_by_image(world: Path, tmp_path: Path) -> None:
    model, why = tmp_path / "model.json", tmp_path / "why.txt"
    assert CliRunner().invoke(selector, [str(world), "--out", str(model)]).exit_code == 0
    assert describe(world, "-o", tmp_path / "said.jsonl", "--model", model, "--explain", why).exit_code == 0
    chosen = {result.id: mentioned(result.captions[0]) for result in open_corpus(tmp_path / "said.jsonl")}
    told: dict[str, set[str]] = {}
    for line in why.read_text().splitlines():
        if not line.startswith("  "):
            image = line.partition(":")[0]
            told[image] = set()
        elif line.startswith("  + "):
            told[image].add(line.partition("(")[2].partition(")")[0])
    assert told == chosen


@pytest.mark.parametrize("options", [[], ["--model", "MODEL", "--k", "2"]])
def test_only_what_a_model_decided_by_itself_can_be_explained(world: Path, tmp_path: Path, options: list[str]) -> None:
    model = tmp_path / "model.json"
    assert CliRunner().invoke(selector, [str(world), "--out", str(model)]).exit_code == 0
    given = [str(model) if option == "MODEL" else option for option in options]
    done = describe(world, "-o", tmp_path / "said.jsonl", "--explain", tmp_path / "why.txt", *given)
    assert done.exit_code == 2
    assert "pass --model, and no --k" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_a_model_that_is_none_is_one_clear_error(world: Path, tmp_path: Path) -> None:
    done = describe(world, "-o", tmp_path / "said.jsonl", "--model", world, "--explain", tmp_path / "why.txt")
    assert done.exit_code == 1
    assert "selector" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_labels_of_captions_are_warned_of_and_told_in_the_results(tmp_path: Path) -> None:
    leaking = [msgspec.structs.replace(image, provenance={"labels": "captions"}) for image in playground(5)]
    write_corpus(leaking, tmp_path / "w.jsonl")
    done = describe(tmp_path / "w.jsonl", "-o", tmp_path / "said.jsonl")
    assert "warning: labels are nouns of the captions themselves" in done.stderr
    assert [image.provenance for image in open_corpus(tmp_path / "said.jsonl")] == [{"labels": "captions"}] * 5
    done = describe(tmp_path / "w.jsonl", "-o", tmp_path / "said.jsonl", "--labels-from", "2", "--seed", "7")
    assert "warning" not in done.stderr
    assert "labels from 2 of each image's captions, seed 7" in done.stderr
    told = {"labels": "captions", "labels_from": 2, "labels_seed": 7}
    assert [image.provenance for image in open_corpus(tmp_path / "said.jsonl")] == [told] * 5


def test_labels_from_captions_are_the_same_by_every_way(tmp_path: Path) -> None:
    write_corpus(playground(30), tmp_path / "w.jsonl")
    held_out = ["--labels-from", "2", "--seed", "3"]
    CliRunner().invoke(convert, [str(tmp_path / "w.jsonl"), str(tmp_path / "h.jsonl"), *held_out])
    assert describe(tmp_path / "w.jsonl", "-o", tmp_path / "a.jsonl", *held_out).exit_code == 0
    assert describe(tmp_path / "h.jsonl", "-o", tmp_path / "b.jsonl", "--seed", "3").exit_code == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    for source, out, options in (("w", "one", held_out), ("h", "two", [])):
        book = tmp_path / f"{out}.json"
        assert (
            CliRunner().invoke(phrasebook, [str(tmp_path / f"{source}.jsonl"), "--out", str(book), *options]).exit_code
            == 0
        )
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_images_that_a_model_was_trained_on_are_warned_of_and_marked(world: Path, tmp_path: Path) -> None:
    model, book = tmp_path / "model.json", tmp_path / "book.json"
    assert CliRunner().invoke(selector, [str(world), "--out", str(model)]).exit_code == 0
    assert CliRunner().invoke(phrasebook, [str(world), "--out", str(book)]).exit_code == 0
    write_corpus(playground(5, seed=8), tmp_path / "new.jsonl")
    retrieval = ["--realise", "retrieval", "--train", world]
    for options in (["--model", model], ["--phrasebook", book], ["--select", "unigram", "--train", world], retrieval):
        done = describe(world, "-o", tmp_path / "said.jsonl", *options)
        assert "warning: 60 of 60 images are training images" in done.stderr
        assert {image.provenance["training"] for image in open_corpus(tmp_path / "said.jsonl")} == {"yes"}
        done = describe(tmp_path / "new.jsonl", "-o", tmp_path / "said.jsonl", *options)
        assert "warning" not in done.stderr
        assert not [image for image in open_corpus(tmp_path / "said.jsonl") if "training" in image.provenance]


def test_a_model_of_before_says_that_its_training_images_are_unknown(world: Path, tmp_path: Path) -> None:
    model = tmp_path / "model.json"
    assert CliRunner().invoke(selector, [str(world), "--out", str(model)]).exit_code == 0
    record = msgspec.json.decode(model.read_bytes())
    del record["trained"]["hashes"]
    model.write_bytes(msgspec.json.encode(record))
    done = describe(world, "-o", tmp_path / "said.jsonl", "--model", model)
    assert "warning: training images: unknown" in done.stderr
    assert {image.provenance["training"] for image in open_corpus(tmp_path / "said.jsonl")} == {"unknown"}


def test_a_selector_is_validated_on_other_images_only(world: Path, tmp_path: Path) -> None:
    write_corpus(playground(20, seed=8), tmp_path / "new.jsonl")
    options = [str(world), "--out", str(tmp_path / "model.json"), "--valid"]
    done = CliRunner().invoke(selector, [*options, str(tmp_path / "new.jsonl")])
    assert done.exit_code == 0
    assert re.fullmatch(r"P 0\.\d{4}  R 0\.\d{4}  F 0\.\d{4} on 20 images of .*new.jsonl\n", done.stdout)
    (tmp_path / "model.json").unlink()
    done = CliRunner().invoke(selector, [*options, str(world)])
    assert isinstance(done.exception, LimnerError)
    assert "60 of 60 images are training images" in worded(done.exception)
    assert "--allow-overlap" in worded(done.exception)
    assert not (tmp_path / "model.json").exists()
    assert CliRunner().invoke(selector, [*options, str(world), "--allow-overlap"]).exit_code == 0


def test_images_to_validate_on_are_refused_before_anything_is_learnt(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def grow(*_: object) -> NoReturn:
        raise AssertionError("trees are grown")

    monkeypatch.setattr("limner.describe.learned.selector_training.grow", grow)
    done = CliRunner().invoke(selector, [str(world), "--out", str(tmp_path / "model.json"), "--valid", str(world)])
    assert isinstance(done.exception, LimnerError)
    assert "60 of 60 images are training images" in worded(done.exception)


def test_validation_tells_where_labels_and_mentions_are_from(world: Path, tmp_path: Path) -> None:
    facts = {"labels": "captions", "mentions": "linked"}
    write_corpus((replace(image, provenance=facts) for image in playground(20, seed=8)), tmp_path / "new.jsonl")
    options = [str(world), "--out", str(tmp_path / "model.json"), "--valid", str(tmp_path / "new.jsonl")]
    done = CliRunner().invoke(selector, options)
    assert "warning: labels are nouns of the captions themselves" in done.stderr
    assert "mentions were linked by the names of classes, not by people" in done.stderr


def test_images_under_another_id_are_warned_of_and_may_have_been_seen(world: Path, tmp_path: Path) -> None:
    renamed = (replace(image, id=f"renamed {image.id}") for image in open_corpus(world))
    write_corpus(renamed, tmp_path / "renamed.jsonl")
    done = describe(tmp_path / "renamed.jsonl", "-o", tmp_path / "said.jsonl", "--select", "unigram", "--train", world)
    assert "warning: 60 of 60 images have the captions or boxes of a training image, such as renamed" in done.stderr
    assert {image.provenance["training"] for image in open_corpus(tmp_path / "said.jsonl")} == {"unknown"}


def test_what_validation_leaves_out_is_counted(world: Path, tmp_path: Path) -> None:
    silent = Image("silent", 10, 10, captions=(Caption("0", "Hm ."), Caption("1", "Oh .")))
    write_corpus([*playground(5, seed=8), silent], tmp_path / "new.jsonl")
    options = [str(world), "--out", str(tmp_path / "model.json"), "--valid", str(tmp_path / "new.jsonl")]
    done = CliRunner().invoke(selector, options)
    assert "on 5 images of" in done.stdout
    assert "left out: 1 images, 2 gold captions that refer to no box" in done.stderr


def test_a_corpus_without_boxes_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    write_corpus([Image(str(i), captions=(Caption("0", "A dog ."),)) for i in range(3)], tmp_path / "texts.jsonl")
    done = describe(tmp_path / "texts.jsonl", "-o", tmp_path / "said.jsonl")
    assert isinstance(done.exception, LimnerError)
    assert worded(done.exception) == (
        f"{tmp_path / 'texts.jsonl'}: there are 3 images and none of them has a box; detect things in photographs with "
        "`limner detect`, or give a corpus with boxes, such as `limner convert CAPTIONS BOXES DST` makes"
    )
    assert not (tmp_path / "said.jsonl").exists()


def test_images_without_boxes_among_others_are_counted(tmp_path: Path) -> None:
    images = [Image("bare"), Image("dog", boxes=(Box("0", 0, 0, 5, 5, "dog"),)), Image("bare, too")]
    write_corpus(images, tmp_path / "some.jsonl")
    done = describe(tmp_path / "some.jsonl", "-o", tmp_path / "said.jsonl")
    assert done.exit_code == 0
    warning, written = done.stderr.splitlines()
    assert warning == "limner: warning: 2 of 3 images have no box: nothing can be said of them"
    assert written.startswith("limner: 3 images written")


def test_why_each_sentence_says_what_it_says_is_a_line_of_json_for_each_image(world: Path, tmp_path: Path) -> None:
    book, why = tmp_path / "book.json", tmp_path / "why.jsonl"
    assert CliRunner().invoke(phrasebook, [str(world), "--out", str(book)]).exit_code == 0
    options = ["--phrasebook", book, "--k", 3, "--why", why]
    assert describe(world, "-o", tmp_path / "said.jsonl", *options).exit_code == 0
    assert describe(world, "-o", tmp_path / "plain.jsonl", *options[:-2]).exit_code == 0
    assert (tmp_path / "said.jsonl").read_bytes() == (tmp_path / "plain.jsonl").read_bytes()
    records = [msgspec.json.decode(line) for line in why.read_bytes().splitlines()]
    results = list(open_corpus(tmp_path / "said.jsonl"))
    assert [(record["id"], record["caption"]) for record in records] == [(r.id, r.captions[0].text) for r in results]
    assert {tuple(record) for record in records} == {("id", "caption", "clauses")}
    clauses = [
        (clause, result) for record, result in zip(records, results, strict=True) for clause in record["clauses"]
    ]
    assert {clause["kind"] for clause, _ in clauses} <= {"relation", "act", "setting"}
    assert "relation" in {clause["kind"] for clause, _ in clauses}
    for clause, result in clauses:
        assert clause["words"]
        assert set(clause["boxes"]) <= mentioned(result.captions[0])
        assert clause["n_captions"] >= 0
        assert 0.0 < clause.get("probability", 1.0) <= 1.0


def test_without_a_phrasebook_the_layouts_are_the_reasons(world: Path, tmp_path: Path) -> None:
    assert describe(world, "-o", tmp_path / "said.jsonl", "--why", tmp_path / "why.jsonl").exit_code == 0
    records = [msgspec.json.decode(line) for line in (tmp_path / "why.jsonl").read_bytes().splitlines()]
    clauses = [clause for record in records for clause in record["clauses"]]
    assert len(records) == 60
    assert {(clause["kind"], clause["n_captions"], "probability" in clause) for clause in clauses} == {
        ("relation", 0, False)
    }


@pytest.mark.parametrize("realiser", ["paper", "template", "retrieval"])
def test_only_fluent_sentences_tell_why(world: Path, tmp_path: Path, realiser: str) -> None:
    done = describe(world, "-o", tmp_path / "said.jsonl", "--realise", realiser, "--why", tmp_path / "why.jsonl")
    assert done.exit_code == 2
    assert f"--why is for the fluent realiser; leave out --realise {realiser}" in done.output
    assert list(tmp_path.iterdir()) == []


def test_nothing_that_is_read_is_written_over_and_no_output_by_another(world: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "w.jsonl"
    corpus.write_bytes(world.read_bytes())
    (tmp_path / "link.jsonl").symlink_to(corpus)
    for arguments, problem in (
        ((corpus, "-o", corpus), "--out: .* is read as well"),
        ((corpus, "-o", tmp_path / "link.jsonl"), "--out: .* is read as well"),
        ((corpus, "-o", tmp_path / "r.jsonl", "--why", corpus), "--why: .* is read as well"),
        (
            (world, "-o", tmp_path / "r.jsonl", "--select", "bigram", "--train", corpus, "--why", corpus),
            "--why: .*read",
        ),
        ((corpus, "-o", tmp_path / "r.jsonl", "--why", tmp_path / "r.jsonl"), "--why and --out name the same file"),
        ((corpus, "-o", "-", "--to", "jsonl", "--why", "-"), "--why and --out name the same file"),
    ):
        done = describe(*arguments)
        assert done.exit_code == 2
        assert re.search(problem, done.output)
    for train in (phrasebook, selector):
        done = CliRunner().invoke(train, [str(corpus), "--out", str(corpus)])
        assert done.exit_code == 2
        assert "is read as well" in done.output
    assert corpus.read_bytes() == world.read_bytes()
    assert not (tmp_path / "r.jsonl").exists()


def test_pictures_are_to_be_detected_first(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "dog.jpg").touch()
    done = describe(tmp_path / "photos", "-o", tmp_path / "said.jsonl")
    assert isinstance(done.exception, LimnerError)
    assert worded(done.exception).endswith("detect things in them first, with `limner detect`")


def test_a_phrasebook_of_captions_that_refer_to_no_box_is_refused(tmp_path: Path) -> None:
    images = [Image("1", boxes=(Box("0", 0, 0, 5, 5, "dog"),), captions=(Caption("0", "A dog ."),))]
    write_corpus(images, tmp_path / "untied.jsonl")
    for train in (phrasebook, selector):
        done = CliRunner().invoke(train, [str(tmp_path / "untied.jsonl"), "--out", str(tmp_path / "book.json")])
        assert isinstance(done.exception, LimnerError)
        assert worded(done.exception) == (
            f"{tmp_path / 'untied.jsonl'}: no caption refers to a box, so there is nothing to learn from; "
            "tie captions to boxes with `limner link`"
        )
        assert not (tmp_path / "book.json").exists()
