"""`limner show` in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PIL import Image as Picture

from command_line import Done, limner

LIMNER = [sys.executable, "-m", "limner"]
BOX = '{"id":"0","x0":0,"y0":0,"x1":5,"y1":5,"label":"dog"}'
GOLD = f'{{"limner":1,"id":"a","file":"a.jpg","width":8,"height":6,"boxes":[{BOX}]}}\n{{"limner":1,"id":"b"}}\n'
RESULT = '{"limner":1,"id":"a","captions":[{"id":"0","text":"A dog","source":"system:s"}]}\n'


def show(*arguments: object, given: str = "") -> Done:
    return limner("show", *arguments, given=given)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold.jsonl").write_text(GOLD)
    (tmp_path / "mine.jsonl").write_text(RESULT)
    (tmp_path / "pictures").mkdir()
    Picture.new("RGB", (8, 6)).save(tmp_path / "pictures" / "a.jpg")
    return tmp_path


def test_a_page_of_gold_and_results(folder: Path) -> None:
    page = folder / "page.html"
    done = show(folder / "gold.jsonl", folder / "mine.jsonl", "-o", page)
    assert done.returncode == 0
    note = f"no picture was found in {folder}, so layouts are shown; pass --pictures to name their folder"
    assert done.stderr == f"limner: {note}\nlimner: 2 images written to {page}\n"
    assert "<title>gold.jsonl</title>" in page.read_text()
    assert '"system:s"' in page.read_text()


def test_pictures_from_a_folder_and_how_many_are_lacking(folder: Path) -> None:
    done = show(folder / "gold.jsonl", "-o", folder / "page.html", "--pictures", folder / "pictures")
    assert done.stderr.splitlines()[0] == f"limner: 1 of 2 images have no picture in {folder / 'pictures'}: layouts"
    assert 'id="picture-0"' in (folder / "page.html").read_text()


def test_pictures_beside_the_corpus_are_found(folder: Path) -> None:
    (folder / "pictures" / "a.jpg").rename(folder / "a.jpg")
    assert show(folder / "gold.jsonl", "-o", folder / "page.html").returncode == 0
    assert 'id="picture-0"' in (folder / "page.html").read_text()


def test_linked_pictures(folder: Path) -> None:
    arguments = ["--pictures", folder / "pictures", "--link-pictures"]
    assert show(folder / "gold.jsonl", "-o", folder / "page.html", *arguments).returncode == 0
    assert '"p":"./pictures/a.jpg"' in (folder / "page.html").read_text()


def test_the_page_may_go_to_standard_output_and_gold_come_from_standard_input() -> None:
    done = show("-", "-o", "-", "--title", "Mine", given=GOLD)
    assert done.stdout.startswith("<!doctype html>")
    assert "<title>Mine</title>" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["gold.jsonl", "other.jsonl"],
            "there is no image 'z' in the corpus, which has 'a', nor any other of these results; name the corpus",
        ),
        (["gold.jsonl", "gone.jsonl"], "there is no such file or folder"),
        (["gold.jsonl", "--pictures", "gone"], "gone: there is no such folder of pictures"),
        (["gold.jsonl", "--from", "coco"], "gold.jsonl"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(folder)
    (folder / "other.jsonl").write_text(RESULT.replace('"a"', '"z"'))
    done = show(*arguments, "-o", "page.html")
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "page.html").exists()


def test_standard_input_is_read_only_once(folder: Path) -> None:
    done = show("-", "-", "-o", folder / "page.html", given=GOLD)
    assert done.returncode == 2
    assert "standard input (-) can be read only once" in done.stderr
    assert not (folder / "page.html").exists()


def test_lenient_results_for_unknown_images_are_counted(folder: Path) -> None:
    (folder / "other.jsonl").write_text(RESULT.replace('"a"', '"z"'))
    done = show(folder / "gold.jsonl", folder / "other.jsonl", "-o", folder / "page.html", "--lenient")
    assert done.returncode == 0
    assert "left out: 1 × result for an unknown image" in done.stderr


def test_swapped_arguments_are_refused(folder: Path) -> None:
    done = show(folder / "mine.jsonl", folder / "gold.jsonl", "-o", folder / "page.html")
    assert done.returncode == 1
    assert done.stderr == (
        f"limner: {folder}/gold.jsonl: it looks like a corpus, and the corpus like results; "
        "give the corpus first, then results\n"
    )
    assert not (folder / "page.html").exists()


def test_disjoint_ids_are_said_with_one_of_each_side(folder: Path) -> None:
    (folder / "mine.jsonl").write_text(RESULT.replace('"id":"a"', '"id":"x9"'))
    said = "there is no image 'x9' in the corpus, which has 'a', nor any other of these results"
    for options in ([], ["--lenient"], ["--limit", "1"]):
        done = show(folder / "gold.jsonl", folder / "mine.jsonl", "-o", folder / "page.html", *options)
        assert said in done.stderr
        assert done.returncode == ("--lenient" not in options)


def test_names_of_classes_are_coloured_by_domain(folder: Path) -> None:
    (folder / "classes.csv").write_text("class,domain\nDog,out-domain\n")
    page = folder / "page.html"
    done = show(folder / "gold.jsonl", folder / "mine.jsonl", "-o", page, "--domains", folder / "classes.csv")
    assert done.returncode == 0
    assert '["dog",{"d":2}]' in page.read_text()
    assert '"domains":[null,null,"out-domain"]' in page.read_text()


def test_results_alone_lack_the_boxes_that_they_name(tmp_path: Path) -> None:
    mentions = '"mentions":[{"start":0,"end":5,"boxes":["0"]}]'
    (tmp_path / "said.jsonl").write_text(RESULT.replace('"source"', f'{mentions},"source"'))
    done = show(tmp_path / "said.jsonl", "-o", tmp_path / "page.html")
    assert "warning: 1 of 1 images have captions of boxes that are not there; give the corpus" in done.stderr
