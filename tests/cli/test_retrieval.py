"""`limner train retriever`, `index`, `retrieve` and `score retrieval` on the playground, in processes of their own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from command_line import Done, limner
from limner.corpus import open_corpus
from limner.ground.retriever_training import train_retriever
from retrieval_world import make_world, train


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A world with its pictures, a retriever that was trained on it, and an index of both."""
    folder = tmp_path_factory.mktemp("world")
    train(make_world(folder, 16), folder).save(folder / "mine.model")
    done = run(folder, "index", "world.jsonl", "--model", "mine.model", "-o", "index", "--regions")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "limner: 16 images, 80 captions and 1,920 regions written to index\n"
    return folder


def run(folder: Path, *arguments: object) -> Done:
    return limner(*arguments, cwd=folder)


def test_a_sentence_finds_pictures(made: Path) -> None:
    done = run(made, "retrieve", "a dog in the snow", "index", "--k", 4, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["query"] == "a dog in the snow"
    assert [result["rank"] for result in answer["results"]] == [1, 2, 3, 4]
    scores = [result["score"] for result in answer["results"]]
    assert scores == sorted(scores, reverse=True)
    assert len(answer["results"][0]["captions"]) == 5
    plain = run(made, "retrieve", "a dog in the snow", "index", "--k", 4)
    assert [line.split()[2] for line in plain.stdout.splitlines()[1:]] == [r["id"] for r in answer["results"]]


def test_phrases_have_boxes_in_the_picture(made: Path) -> None:
    done = run(made, "retrieve", "a dog in the snow", "index", "--by", "phrases", "--json", "--k", 1)
    (result,) = json.loads(done.stdout)["results"]
    assert [phrase["phrase"] for phrase in result["phrases"]] == ["a dog", "the snow"]
    for phrase in result["phrases"]:
        x0, y0, x1, y1 = phrase["box"]
        assert 0 <= x0 < x1 <= 160
        assert 0 <= y0 < y1 <= 120


def test_a_page_shows_the_pictures(made: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = run(made, "retrieve", "a <b>dog</b> in the snow", "index", "--by", "mixture", "--html", page, "--k", 3)
    assert (done.returncode, done.stderr) == (0, "")
    html = page.read_text()
    assert html.count("data:image/webp;base64,") == 3
    assert html.count('class="card"') == 3
    assert 'class="box c0"' in html
    assert "&lt;b&gt;" in html
    assert "<b>dog" not in html
    assert "http://" not in html.replace("http://www.w3.org", "")


def test_a_page_without_pictures_says_so(made: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    done = run(made, "retrieve", "a dog", "index", "--html", tmp_path / "page.html", "--pictures", empty, "--k", 2)
    assert done.returncode == 0
    assert "warning: 2 of 2 pictures are not in" in done.stderr
    assert "no picture" in (tmp_path / "page.html").read_text()


def test_a_picture_finds_captions(made: Path, tmp_path: Path) -> None:
    picture = next((made / "world_pictures").iterdir())
    page = tmp_path / "page.html"
    done = run(made, "retrieve", "--picture", picture, "index", "--json", "--k", 5, "--html", page)
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)["results"]
    assert len(results) == 5
    assert results[0]["caption"]
    assert page.read_text().count('class="sentence"') == 5


def test_sentences_of_a_file_are_answered_in_lines(made: Path, tmp_path: Path) -> None:
    (tmp_path / "queries.txt").write_text("a dog\n\na woman in the snow\n")
    done = run(made, "retrieve", "--queries", tmp_path / "queries.txt", "index", "--k", 2, "--json")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["query"] for answer in answers] == ["a dog", "a woman in the snow"]
    single = run(made, "retrieve", "a dog", "index", "--by", "whole", "--k", 2, "--json")
    expected = [result["id"] for result in json.loads(single.stdout)["results"]]
    assert [result["id"] for result in answers[0]["results"]] == expected
    plain = run(made, "retrieve", "--queries", tmp_path / "queries.txt", "index", "--k", 1)
    assert plain.stdout.splitlines()[0].startswith("a dog\t")


def test_an_index_is_scored_by_its_aspects(made: Path) -> None:
    done = run(made, "score", "retrieval", "index", "--by", "whole,phrases,mixture", "--json")
    assert done.returncode == 0, done.stderr
    warning, *others = done.stderr.splitlines()
    assert warning.startswith("limner: warning: index: training images: 16 seen of 16 images; scores on images that")
    assert others == ["limner: no intervals: fewer than 30 images have texts"]
    report = json.loads(done.stdout)
    assert report["system"] == "index (whole)"
    assert "training:16 seen of 16 images" in report["signature"]
    assert set(report["compared"]) == {"index (phrases)", "index (mixture)"}
    assert 0 <= report["image_to_text"]["R@1"] <= report["image_to_text"]["R@10"] <= 1
    assert report["n_texts"] == 80
    table = run(made, "score", "retrieval", "index", "--samples", "0").stdout
    assert "text to image" in table
    assert "metric:retrieval|version:2" in table


def test_files_of_vectors_are_scored(made: Path, tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    images = random.standard_normal((40, 8)).astype(np.float32)
    texts = np.repeat(images, 5, axis=0) + random.standard_normal((200, 8)).astype(np.float32)
    np.savez(tmp_path / "mine.npz", image_vectors=images, text_vectors=texts)
    done = run(tmp_path, "score", "retrieval", "mine.npz", "--captions-each", 5, "--json", "--samples", 200)
    report = json.loads(done.stdout)
    low, high = report["intervals"]["text_to_image R@1"]
    assert low < report["text_to_image"]["R@1"] < high
    without = run(tmp_path, "score", "retrieval", "mine.npz")
    assert without.returncode == 1
    assert "or pass --captions-each" in without.stderr


def test_relevance_of_a_file_counts(made: Path, tmp_path: Path) -> None:
    ids = [json.loads(line)["id"] for line in (made / "world.jsonl").read_text().splitlines()]
    (tmp_path / "right.json").write_text(json.dumps({**dict.fromkeys(ids, ()), ids[0]: [f"{ids[0]}#0", f"{ids[1]}#3"]}))
    done = run(made, "score", "retrieval", "index", "--relevance", tmp_path / "right.json", "--json")
    report = json.loads(done.stdout)
    assert "relevance:right.json" in report["signature"]
    assert [report[name]["n_mAP_queries"] for name in ("image_to_text", "text_to_image")] == [1, 2]
    table = run(made, "score", "retrieval", "index", "--relevance", tmp_path / "right.json", "--samples", 0)
    assert "mAP@R is of 1 images and 2 texts that have a right answer" in table.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["retrieve", "xyzzy plugh", "index"], 1, "no word of 'xyzzy plugh' is known; use other words"),
        (["retrieve", "", "index"], 1, "the sentence is empty"),
        (["retrieve", "a dog", "absent"], 1, "there is no such index; make one with `limner index`"),
        (["retrieve", "a dog", "world_pictures"], 1, "is not an index"),
        (["retrieve", "index"], 2, "give a sentence, in quotation marks, and INDEX"),
        (["retrieve", "a", "dog", "index"], 2, "there are 3 arguments"),
        (["retrieve", "--picture", "absent.png", "index"], 1, "there is no such picture"),
        (["retrieve", "--picture", "world.jsonl", "index"], 1, "is text, not a picture"),
        (["retrieve", "a dog", "--picture", "x.png", "index"], 2, "give INDEX alone"),
        (["retrieve", "a dog", "index", "--k", "0"], 2, "0 is not in the range"),
        (["retrieve", "a dog", "index", "--html", "absent/page.html"], 1, "there is no such folder"),
        (["index", "world.jsonl", "--model", "world.jsonl", "-o", "new"], 1, "is not a model that encodes pictures"),
        (["index", "world.jsonl", "--model", "absent", "-o", "new"], 1, "there is no such model"),
        (["index", "world.jsonl", "--model", "mine.model", "-o", "index"], 1, "or pass --force to replace it"),
        (["index", "absent.jsonl", "--model", "mine.model", "-o", "new"], 1, "absent.jsonl"),
        (["score", "retrieval", "index", "--captions-each", "5"], 2, "--captions-each is for a file of vectors"),
        (["score", "retrieval", "index", "--by", "words"], 1, "unknown aspect 'words'"),
        (["score", "retrieval", "index", "index"], 2, "given twice"),
        (["score", "retrieval", "world.jsonl"], 1, "is not a file of vectors"),
        (["train", "retriever", "world.jsonl", "--out", "new", "--crops", "10"], 2, "--crops 10 needs a model"),
        (["train", "retriever", "world.jsonl", "--out", "new", "--valid", "world.jsonl"], 1, "are held out too, such"),
        (["retrieve", "a dog", "index", "--exact"], 2, "--exact is for --queries"),
        (["retrieve", "a dog", "index", "--pictures", "."], 2, "--pictures is for the page of --html"),
        (["train", "retriever", "world.jsonl", "--out", "world.jsonl"], 2, "is read as well"),
    ],
)
def test_bad_input_is_told_in_one_line(made: Path, arguments: list[str], code: int, message: str) -> None:
    done = run(made, *arguments)
    assert done.returncode == code
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not (made / "new").exists()


def test_a_picture_that_is_missing_is_an_error_or_left_out(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "world_pictures", tmp_path / "world_pictures")
    next((tmp_path / "world_pictures").iterdir()).unlink()
    arguments = ["index", made / "world.jsonl", "--model", made / "mine.model", "-o", "new", "--pictures", tmp_path]
    strict = run(tmp_path, *arguments)
    assert strict.returncode == 1
    assert "there is no picture of image" in strict.stderr
    assert not (tmp_path / "new").exists()
    lenient = run(tmp_path, *arguments, "--lenient", "--no-captions")
    assert lenient.returncode == 0
    assert "left out: 1 ×" in lenient.stderr
    assert "15 images, 0 captions" in lenient.stderr


def test_a_folder_of_pictures_is_indexed(made: Path, tmp_path: Path) -> None:
    done = run(made, "index", "world_pictures", "--model", "mine.model", "-o", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    found = run(made, "retrieve", "a dog", tmp_path / "new", "--k", 1)
    assert "score  image" in found.stdout


def test_a_retriever_is_trained(made: Path, tmp_path: Path) -> None:
    arguments = ["train", "retriever", "world.jsonl", "--out", tmp_path / "new.model", "--no-regions"]
    done = run(made, *arguments)
    assert done.returncode == 0, done.stderr
    assert "a retriever of 80 captions of 16 images written to" in done.stderr
    assert "held out (6 at most): whole" in done.stderr
    assert "limner: warning: settings are chosen on " in done.stderr
    assert "fewer than 30 tell little" in done.stderr


def test_a_sentence_of_unknown_words_is_left_out_of_a_file(made: Path, tmp_path: Path) -> None:
    (tmp_path / "queries.txt").write_text("a dog\nxyzzy plugh\na woman\n")
    done = run(made, "retrieve", "--queries", tmp_path / "queries.txt", "index", "--k", 1)
    assert done.returncode == 0, done.stderr
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["a dog", "a woman"]
    assert f"1 sentence was left out, of which no word is known, such as {tmp_path}/queries.txt:2" in done.stderr
    (tmp_path / "queries.txt").write_text("xyzzy\n")
    none = run(made, "retrieve", "--queries", tmp_path / "queries.txt", "index")
    assert (none.returncode, none.stdout) == (1, "")
    assert "queries.txt:1: no word of any sentence is known" in none.stderr


def test_word_vectors_that_moved_are_named(made: Path, tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("dog 1 0\nwoman 0 1\nsnow 1 1\n")
    images = list(open_corpus(made / "world.jsonl"))
    train_retriever(images, made, vectors=str(vectors), regions=False).save(tmp_path / "mine.model")
    vectors.rename(tmp_path / "moved.txt")
    index = ["index", "world.jsonl", "--model", tmp_path / "mine.model", "-o", tmp_path / "new"]
    lost = run(made, *index)
    assert lost.returncode == 1
    assert "are not there; pass --vectors to say where they are now" in lost.stderr
    moved = ["--vectors", tmp_path / "moved.txt"]
    assert run(made, *index, *moved).returncode == 0
    found = run(made, "retrieve", "a dog", tmp_path / "new", "--k", 1, *moved)
    assert found.returncode == 0, found.stderr
