"""The page of caption scores as a file: whole, self-contained, safe to open."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Picture

from caption_evaluations import OURS, REFERENCES, THEIRS, evaluation
from limner.corpus import Box, Image
from limner.corpus.reading import Reading
from limner.errors import LimnerError
from limner.report import Pictures, Written, write_captions_page
from limner.score.caption_evaluation import Evaluation, compare_systems
from limner.score.metric import means
from limner.score.paired import Comparison
from limner.score.run import Run
from page_parts import Parts, data_of
from refusals import refusal

HOSTILE = "</script><!--<script>alert(1)</script><img src=x onerror=alert(1)>\u2028\x00'\"&amp;]]> 👩‍🚀"


def systems() -> tuple[list[Evaluation], list[Comparison]]:
    two = [evaluation("ours", OURS), evaluation("theirs", THEIRS)]
    return two, compare_systems(two, swaps=50)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def test_the_data_are_in_the_page(page: Path) -> None:
    two, compared = systems()
    assert write_captions_page(two, compared, str(page), title="Mine") == Written(4, 0)
    data = data_of(page)
    assert data["title"] == "Mine"
    assert [system["name"] for system in data["systems"]] == ["ours", "theirs"]
    assert [image["i"] for image in data["images"]] == list(REFERENCES)
    assert len(data["differences"]) == len(compared)
    assert data["labels"] == ["person", "horse", "dog"]
    assert data["objects"] is True


def test_one_system_will_do(page: Path) -> None:
    write_captions_page([evaluation("ours", OURS, images=None, by=None, metrics=[])], [], page)
    assert data_of(page)["differences"] == []
    assert data_of(page)["objects"] is False


def test_people_have_a_table_of_their_own(page: Path) -> None:
    two, compared = systems()
    human = [evaluation("human", THEIRS), evaluation("ours, matched", OURS)]
    write_captions_page(two, compared, page, people=human)
    data = data_of(page)
    assert [person["name"] for person in data["people"]] == ["human", "ours, matched"]
    assert data["peopleColumns"] == list(human[0].scores)
    assert data["people"][1]["values"] == data["values"][0]
    assert [system["name"] for system in data["systems"]] == ["ours", "theirs"]
    write_captions_page(two, compared, page)
    assert data_of(page)["people"] == []


def test_nothing_in_the_data_is_taken_for_html(page: Path) -> None:
    plain = page.with_name("plain.html")
    for path, word in ((plain, "x"), (page, HOSTILE)):
        write_captions_page(hostile(word), [], path, title=word)
    before, after = Parts(plain.read_text()), Parts(page.read_text())
    assert [tag for tag, _ in after.elements] == [tag for tag, _ in before.elements]
    (image,) = data_of(page)["images"]
    assert (image["i"], image["c"], image["r"]) == (HOSTILE, [HOSTILE], [HOSTILE])
    assert data_of(page)["systems"][0]["warnings"] == [HOSTILE]
    assert HOSTILE in data_of(page)["signatures"][0]["text"]


class Hostile:
    """A metric that is named, warns and chooses as it likes."""

    def __init__(self, word: str) -> None:
        self.name = word
        self.columns = (word,)

    def measure(self, run: Run) -> Any:
        found = means([0.5] * len(run), {self.name: self.name})
        object.__setattr__(found, "warnings", [self.name])
        return found


def hostile(word: str) -> list[Evaluation]:
    image = Image(word, 9, 9, (Box("0", 0, 0, 5, 5, word),), attributes={"domain": word})
    metrics: Sequence[Any] = [Hostile(word)]
    said, images = {word: word}, {word: image}
    return [evaluation(word, said, references={word: [word]}, images=images, metrics=metrics)]


def test_half_a_surrogate_pair_does_not_stop_the_page(page: Path) -> None:
    write_captions_page(hostile("\udc80"), [], page, title="\udc80")
    assert data_of(page)["images"][0]["c"] == ["\udc80"]


def test_the_policy_lets_run_what_the_page_brought_and_nothing_be_fetched(page: Path) -> None:
    write_captions_page(*systems(), page)
    parts = Parts(page.read_text())
    (policy,) = [
        found["content"] for found, _ in parts.of("meta") if found.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "http" not in policy
    (program,) = [text for found, text in parts.of("script") if "type" not in found]
    ((_, style),) = parts.of("style")
    for name, text in (("script", program), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not [name for _, found in parts.elements for name in found if name == "src" or name[:2] == "on"]
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page.read_text())


def test_the_program_of_the_page_evaluates_no_text(page: Path) -> None:
    write_captions_page(*systems(), page)
    (program,) = [text for found, text in Parts(page.read_text()).of("script") if "type" not in found]
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", program)


def test_pictures_are_in_the_page(page: Path) -> None:
    Picture.new("RGB", (200, 100), "red").save(page.parent / "a.png")
    Picture.new("RGB", (90, 10), "red").save(page.parent / "b.png")
    reading = Reading()
    two, compared = systems()
    found = write_captions_page(two, compared, page, pictures=Pictures(page.parent, page), reading=reading)
    assert found == Written(4, 2)
    assert [image.get("p") for image in data_of(page)["images"]] == [1, 1, None, None]
    kept = {found.get("id"): text for found, text in Parts(page.read_text()).of("script")}
    assert base64.b64decode(kept["picture-0"])[8:12] == b"WEBP"
    assert reading.warnings == {"picture whose shape is not the corpus'": 1}


def test_no_more_images_than_wanted_are_listed(page: Path) -> None:
    two, compared = systems()
    assert write_captions_page(two, compared, page, most_images=2).n_images == 2
    data = data_of(page)
    assert (data["n"], [image["i"] for image in data["images"]]) == (4, ["a", "b"])
    assert data["images"][0]["c"][0][-1] == ["dog", {"h": "dog"}]


def test_equal_evaluations_give_equal_pages(page: Path) -> None:
    again = page.with_name("again.html")
    for path in (page, again):
        write_captions_page(*systems(), path)
    assert page.read_bytes() == again.read_bytes()


def test_no_image_is_refused_and_a_failed_run_leaves_nothing(page: Path) -> None:
    with refusal(LimnerError):
        write_captions_page([evaluation("none", {}, by=None)], [], page)
    (page.parent / "a.png").write_bytes(b"no picture")
    with refusal(LimnerError):
        write_captions_page(*systems(), page, pictures=Pictures(page.parent, page))
    assert [path.name for path in page.parent.iterdir()] == ["a.png"]
