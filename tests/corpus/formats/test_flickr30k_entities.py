from __future__ import annotations

import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limner.corpus import Box, Caption, Chain, Image, Mention, open_corpus, write_corpus
from limner.errors import BadInput, LimnerError
from memory import memory_below
from refusals import refusal

OBJECT = "<object>{names}<bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox></object>"
UNBOXED = "<object><name>{}</name><scene>{}</scene><nobndbox>{}</nobndbox></object>"


def boxed(*corners: int, names: str = "1") -> str:
    return OBJECT.format(*corners, names="".join(f"<name>{name}</name>" for name in names.split()))


def annotation(*objects: str, width: object = 100, height: object = 80) -> str:
    size = f"<size><width>{width}</width><height>{height}</height><depth>3</depth></size>"
    return f"<annotation><filename>7.jpg</filename>{size}{''.join(objects)}</annotation>"


def store(folder: Path, xml: str | bytes, sentences: str | bytes, id: str = "7") -> Path:
    for name, content in ((f"Annotations/{id}.xml", xml), (f"Sentences/{id}.txt", sentences)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def only(path: Path) -> Image:
    (image,) = open_corpus(path)
    return image


def test_an_image_says_what_its_two_files_say(tmp_path: Path) -> None:
    xml = annotation(
        boxed(51, 1, 100, 80, names="1 2"),
        boxed(1, 11, 20, 30, names="1"),
        UNBOXED.format("3", 1, 0),
        UNBOXED.format("4", 0, 1),
    )
    sentences = (
        "[/EN#1/people Two men] play in [/EN#3/scene the park] .\n"
        "[/EN#2/people/other A man] in [/EN#0/notvisual it] , [/EN#4/other fun] .\n"
    )
    image = only(store(tmp_path, xml, sentences))
    assert image == Image(
        "7",
        100,
        80,
        (
            Box("0", 0, 10, 20, 30, "man", types=("people",)),
            Box("1", 50, 0, 100, 80, "man", types=("people", "other")),
        ),
        (
            Caption(
                "0",
                "Two men play in the park .",
                (Mention(0, 7, ("0", "1"), "1", ("people",)), Mention(16, 24, (), "3", ("scene",))),
            ),
            Caption(
                "1",
                "A man in it , fun .",
                (
                    Mention(0, 5, ("1",), "2", ("people", "other")),
                    Mention(9, 11, (), None, ("notvisual",)),
                    Mention(14, 17, (), "4", ("other",)),
                ),
            ),
        ),
        (
            Chain("1", ("0", "1"), ("people",)),
            Chain("3", (), ("scene",), ("scene",)),
            Chain("2", ("1",), ("people", "other")),
            Chain("4", (), ("other",), ("nobox",)),
        ),
        "7.jpg",
        provenance={"labels": "captions"},
    )


def test_boxes_are_in_the_order_of_their_corners_whatever_the_files_say(tmp_path: Path) -> None:
    objects = [boxed(31, 1, 40, 9, names="1"), boxed(1, 5, 9, 9, names="2"), boxed(1, 1, 9, 9, names="3")]
    sentences = "[/EN#1/other a] [/EN#2/other b] [/EN#3/other c]\n"
    forward = only(store(tmp_path / "f", annotation(*objects), sentences))
    backward = only(store(tmp_path / "b", annotation(*reversed(objects)), sentences))
    assert forward == backward
    assert [box.corners for box in forward.boxes] == sorted(box.corners for box in forward.boxes)


@pytest.mark.parametrize(
    ("sentences", "label"),
    [
        ("[/EN#1/people A tall man] .\n[/EN#1/people A guy] .\n[/EN#1/people The man] .\n", "man"),
        ("[/EN#1/people Three women] .\n", "woman"),
        ("[/EN#1/people A zebra] .\n[/EN#1/people An ape] .\n", "ape"),
        ("Nobody said anything .\n", "object"),
        ("[/EN#2/people Some people] .\n", "person"),
        ("[/EN#2/people A group of men] .\n", "man"),
        ("[/EN#2/people Some people] .\n[/EN#2/people Some people] .\n[/EN#1/people a boxer] .\n", "boxer"),
        # What names nothing gives way to what does, of the same chain or another.
        ("[/EN#1/other the other] .\n[/EN#1/other one] .\n[/EN#1/other One of two dogs] .\n", "dog"),
        ("[/EN#2/people Two men] .\n[/EN#1/other one] .\n[/EN#1/other one] .\n", "man"),
        ("[/EN#1/scene a large body of water] .\n", "water"),
        ("[/EN#1/bodyparts his body] .\n", "body"),
        ("[/EN#1/other something] .\n[/EN#2/other others] .\n", "object"),
        ("[/EN#1/people the others] .\n", "person"),
        ("[/EN#1/other everyone] .\n", "person"),
        # A colour names nothing: somebody "in red" wears clothing, "one black" may be a dog.
        ("[/EN#1/clothing red] .\n", "clothing"),
        ("[/EN#1/clothing All black] .\n[/EN#1/clothing black and white] .\n", "clothing"),
        ("[/EN#1/clothing red] .\n[/EN#1/clothing red] .\n[/EN#1/clothing a red shirt] .\n", "shirt"),
        ("[/EN#2/people two men] .\n[/EN#1/clothing blue] .\n", "man"),
        ("[/EN#1/clothing one black] .\n", "object"),
        ("[/EN#1/other bright red] .\n", "object"),
    ],
)
def test_a_box_is_called_what_people_called_its_most_specific_chain(tmp_path: Path, sentences: str, label: str) -> None:
    xml = annotation(boxed(1, 1, 9, 9, names="2 1"), boxed(21, 1, 29, 9, names="2"))
    assert only(store(tmp_path, xml, sentences)).boxes[0].label == label


def test_brackets_that_are_no_mentions_are_text(tmp_path: Path) -> None:
    line = "A sign [sic] says [/EN#1/other stop], ]and[ [/EN#1/other it].\n"
    caption = only(store(tmp_path, annotation(boxed(1, 1, 9, 9)), line)).captions[0]
    assert caption.text == "A sign [sic] says stop, ]and[ it."
    assert [caption.phrase(m) for m in caption.mentions] == ["stop", "it"]


GOOD_XML = annotation(boxed(1, 1, 9, 9))
GOOD_LINE = "[/EN#1/other a sign] .\n"
BOMB = '<!DOCTYPE a [<!ENTITY b "{}">]><annotation>&b;</annotation>'.format("x" * 100)


@pytest.mark.parametrize(
    ("xml", "sentences", "place", "said"),
    [
        (GOOD_XML[:-20], GOOD_LINE, "Annotations/7.xml", "not well-formed XML"),
        ("", GOOD_LINE, "Annotations/7.xml", "not well-formed XML"),
        (BOMB, GOOD_LINE, "Annotations/7.xml", "has a document type"),
        (GOOD_XML.encode("utf-16"), GOOD_LINE, "Annotations/7.xml", "not UTF-8"),
        (annotation(boxed(9, 1, 1, 9)), GOOD_LINE, "Annotations/7.xml: object 1", "inverted"),
        (annotation(boxed(1, 1, 103, 9)), GOOD_LINE, "Annotations/7.xml: object 1", "out of the image"),
        (annotation(boxed(1, 1, 9, 9), width="NaN"), GOOD_LINE, "Annotations/7.xml", "width is 'NaN'"),
        (annotation(boxed(1, 1, 9, 9), width=0), GOOD_LINE, "Annotations/7.xml", ""),
        (annotation(boxed(1, 1, 9, 9, names="")), GOOD_LINE, "Annotations/7.xml: object 1", "no name"),
        (annotation("<object><name>1</name></object>"), GOOD_LINE, "Annotations/7.xml: object 1", "neither bndbox"),
        (annotation(), GOOD_LINE, "Sentences/7.txt:1", "chain '1' is named by no object"),
        (GOOD_XML, "fine\n[/EN#1/other a sign .\n", "Sentences/7.txt:2", "is not closed"),
        (GOOD_XML, "[/EN#x/other a sign] .\n", "Sentences/7.txt:1", "is not a mention"),
        (GOOD_XML, "[/EN#1/other] .\n", "Sentences/7.txt:1", "is not a mention"),
        (GOOD_XML, b"caf\xe9\n", "Sentences/7.txt", "not UTF-8"),
    ],
)
def test_faulty_files_are_named_and_left_out_when_lenient(
    tmp_path: Path, xml: str | bytes, sentences: str | bytes, place: str, said: str
) -> None:
    folder = store(tmp_path, xml, sentences)
    store(tmp_path, GOOD_XML, GOOD_LINE, id="8")
    with pytest.raises(BadInput) as caught:
        list(open_corpus(folder))
    assert str(caught.value).startswith(f"{folder}/{place}")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    corpus = open_corpus(folder, lenient=True)
    assert [image.id for image in corpus][-1] == "8"
    assert sum(corpus.reading.skipped.values()) >= 1


def test_a_file_without_its_partner_is_named(tmp_path: Path) -> None:
    store(tmp_path, GOOD_XML, GOOD_LINE)
    (tmp_path / "Annotations" / "7.xml").rename(tmp_path / "Annotations" / "6.xml")
    with refusal(BadInput):
        list(open_corpus(tmp_path))


def test_a_zip_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "annotations.zip"
    path.write_bytes(b"PK\x03\x04 this is no zip")
    with refusal(BadInput):
        list(open_corpus(path, "flickr30k-entities"))


def test_a_member_that_unpacks_without_end_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Annotations/7.xml", b" " * (50 << 20))
        archive.writestr("Sentences/7.txt", GOOD_LINE)
    with refusal(BadInput):
        list(open_corpus(path))


@pytest.mark.parametrize(
    "image",
    [
        Image("7"),
        Image("7", 9, 9, (Box("0", 0, 0, 5.5, 5),), (), (Chain("1", ("0",)),)),
        Image("7", 9, 9, captions=(Caption("0", "a\nb"),)),
        Image("7", 9, 9, captions=(Caption("0", "a]", (Mention(0, 2),)),)),
        Image("../7", 9, 9),
    ],
)
def test_what_the_format_cannot_say_is_not_written(tmp_path: Path, image: Image) -> None:
    with refusal(LimnerError):
        write_corpus([image], tmp_path / "out", "flickr30k-entities")
    assert list(tmp_path.iterdir()) == []


def test_boxes_in_no_chain_get_one_that_nobody_mentions(tmp_path: Path) -> None:
    boxes = (Box("a", 0, 0, 5, 5, "dog"), Box("b", 2, 2, 8, 8, "cat"), Box("c", 3, 3, 8, 8, "cow"))
    image = Image("7", 9, 9, boxes, (), (Chain("1", ("b",)), Chain("x")))
    write_corpus([image], tmp_path / "out", "flickr30k-entities")
    back = only(tmp_path / "out")
    assert [box.corners for box in back.boxes] == [box.corners for box in boxes]
    assert {chain.id: chain.boxes for chain in back.chains} == {"1": ("1",), "2": (), "3": ("0",), "4": ("2",)}


def test_mentions_in_no_chain_get_one_for_each_set_of_boxes(tmp_path: Path) -> None:
    tables = {
        "images": "image\twidth\theight\n7\t20\t20\n",
        "boxes": "image\tbox\tx0\ty0\tx1\ty1\tlabel\ttypes\n"
        "7\ta\t0\t0\t5\t5\tman\tpeople\n7\tb\t5\t5\t9\t9\twoman\tpeople\n7\tc\t6\t6\t8\t8\that\t\n",
        "sentences": "image\tsentence\n7\t[A man]a and [a woman]b .\n7\t[Two people]b,a in [hats]c at [dusk] .\n"
        "7\t[They]a,b and [he]a .\n",
    }
    for name, text in tables.items():
        (tmp_path / f"{name}.tsv").write_text(text)
    write_corpus(open_corpus(tmp_path, "tsv"), tmp_path / "out", "flickr30k-entities")
    assert (tmp_path / "out" / "Sentences" / "7.txt").read_text() == (
        "[/EN#1/people A man] and [/EN#2/people a woman] .\n"
        "[/EN#3/people Two people] in [/EN#4/other hats] at [/EN#0/notvisual dusk] .\n"
        "[/EN#3/people They] and [/EN#1/people he] .\n"
    )
    back = only(tmp_path / "out")
    assert {chain.id: chain.boxes for chain in back.chains} == {"1": ("0",), "2": ("1",), "3": ("0", "1"), "4": ("2",)}


def test_a_mention_in_no_chain_joins_the_chain_of_its_boxes(tmp_path: Path) -> None:
    boxes = (Box("a", 0, 0, 5, 5, "dog"), Box("b", 2, 2, 8, 8, "cat"))
    mentions = (Mention(0, 5, ("a",)), Mention(10, 15, ("b", "a")))
    image = Image("7", 9, 9, boxes, (Caption("0", "A dog and a cat .", mentions),), (Chain("1", ("a",)), Chain("2")))
    write_corpus([image], tmp_path / "out", "flickr30k-entities")
    back = only(tmp_path / "out")
    assert [mention.chain for _, mention in back.mentions()] == ["1", "3"]
    assert [mention.boxes for _, mention in back.mentions()] == [("0",), ("0", "1")]


phrases = st.lists(st.sampled_from(["a", "young", "man", "Dogs", "[", "ünd"]), min_size=1, max_size=3).map(" ".join)
kinds = st.lists(st.sampled_from(["people", "other", "scene"]), min_size=1, max_size=2, unique=True).map("/".join)


@st.composite
def entities(draw: st.DrawFn) -> tuple[str, str]:
    """An XML file and its sentences, as the dataset writes them."""
    names = draw(st.lists(st.integers(1, 99).map(str), min_size=1, max_size=4, unique=True))
    objects = []
    for name in names:
        if draw(st.booleans()):
            objects.append(UNBOXED.format(name, 0, 1))
        else:
            x, y, w, h = (draw(st.integers(1, 40)) for _ in range(4))
            objects.append(boxed(x, y, x + w, y + h, names=name))
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        words = [draw(phrases)]
        for name in draw(st.lists(st.sampled_from([*names, "0"]), max_size=3)):
            kind = draw(kinds) if name != "0" else "notvisual"
            words += [f"[/EN#{name}/{kind} {draw(phrases)}]", draw(phrases)]
        lines.append(" ".join(words) + " .\n")
    return annotation(*objects), "".join(lines)


@pytest.mark.parametrize("target", ["out", "out.zip"])
@given(files=entities())
def test_what_is_written_reads_back_equal_and_sentences_are_byte_equal(
    tmp_path: Path, target: str, files: tuple[str, str]
) -> None:
    images = list(open_corpus(store(tmp_path / "in", *files)))
    out = tmp_path / target
    write_corpus(images, out, "flickr30k-entities", replace=True)
    assert list(open_corpus(out)) == images
    if out.is_dir():
        assert (out / "Sentences" / "7.txt").read_bytes() == files[1].encode()


@pytest.fixture(scope="module")
def val(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The validation images of the real dataset, unpacked."""
    folder = tmp_path_factory.mktemp("val")
    ids = set((shared_data / "flickr30k_entities" / "val.txt").read_text().split())
    with zipfile.ZipFile(shared_data / "flickr30k_entities" / "annotations.zip") as archive:
        archive.extractall(folder, [name for name in archive.namelist() if Path(name).stem in ids])
    return folder


def test_the_validation_images_have_their_published_counts(val: Path) -> None:
    images = list(open_corpus(val))
    mentions = [mention for image in images for _, mention in image.mentions()]
    captions = [caption for image in images for caption in image.captions]
    assert len(images) == 1000
    assert sum(len(image.boxes) for image in images) == 8595
    assert sum(not any(m.boxes for m in caption.mentions) for caption in captions) == 14
    assert sum(bool(mention.boxes) for mention in mentions) == 14_433
    assert Counter(len(image.captions) for image in images) == {5: 1000}


def test_the_real_sentences_are_written_byte_for_byte(val: Path, tmp_path: Path) -> None:
    images = list(open_corpus(val))
    write_corpus(images, tmp_path / "out", "flickr30k-entities")
    assert list(open_corpus(tmp_path / "out")) == images
    for path in (val / "Sentences").iterdir():
        assert path.read_bytes() == (tmp_path / "out" / "Sentences" / path.name).read_bytes()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_that_cannot_be_unpacked_steadily_is_refused_with_the_remedy(tmp_path: Path, method: int) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("Annotations/7.xml", "<annotation/>")
        archive.writestr("Sentences/7.txt", GOOD_LINE)
    with refusal(BadInput):
        list(open_corpus(path))


def test_a_zip_of_very_many_members_is_refused_before_they_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Annotations/7.xml", "")
    raw = path.read_bytes()
    at = raw.index(b"PK\x01\x02")
    entry, end = raw[at : raw.index(b"PK\x05\x06")], bytearray(raw[raw.index(b"PK\x05\x06") :])
    n = (33 << 20) // len(entry)
    end[12:16] = (n * len(entry)).to_bytes(4, "little")
    path.write_bytes(raw[:at] + entry * n + end)
    with memory_below(100 << 20), refusal(BadInput):
        list(open_corpus(path, "flickr30k-entities"))


def packed(path: Path, *names: str) -> Path:
    """A zip of members with these names, a good image's unless they are other names."""
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            archive.writestr(name, annotation(boxed(1, 1, 9, 9)) if name.endswith(".xml") else GOOD_LINE)
    return path


def relisted(path: Path, change: Callable[[list[bytearray]], list[bytearray]]) -> Path:
    """The zip with its list of members changed; the end of the list stays as it is."""
    raw = path.read_bytes()
    at, end = raw.index(b"PK\x01\x02"), raw.index(b"PK\x05\x06")
    entries = [bytearray(b"PK\x01\x02" + entry) for entry in raw[at:end].split(b"PK\x01\x02")[1:]]
    path.write_bytes(raw[:at] + b"".join(change(entries)) + raw[end:])
    return path


def moved_to(entries: list[bytearray], i: int, offset: int) -> list[bytearray]:
    """The list in which the bytes of member i begin at an offset."""
    entries[i][42:46] = offset.to_bytes(4, "little")
    return entries


TWO_IMAGES = ("Annotations/7.xml", "Sentences/7.txt", "Annotations/8.xml", "Sentences/8.txt")


def test_a_zip_may_list_its_members_in_any_order(tmp_path: Path) -> None:
    path = relisted(packed(tmp_path / "a.zip", *TWO_IMAGES), lambda entries: entries[::-1])
    assert [image.id for image in open_corpus(path)] == ["8", "7"]


def test_a_zip_with_a_name_twice_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", *TWO_IMAGES, "Sentences/7.txt")
    with refusal(BadInput):
        list(open_corpus(path))


@pytest.mark.parametrize("step", [1, -1])
def test_a_zip_whose_members_share_bytes_is_refused_in_whatever_order_they_are_listed(
    tmp_path: Path, step: int
) -> None:
    path = relisted(packed(tmp_path / "a.zip", *TWO_IMAGES), lambda entries: moved_to(entries, 3, 60)[::step])
    with refusal(BadInput):
        list(open_corpus(path))


def test_a_zip_whose_members_touch_is_read_and_one_byte_less_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", *TWO_IMAGES)
    with zipfile.ZipFile(path) as archive:
        first, second, *_ = archive.infolist()
    end = first.header_offset + 30 + first.compress_size
    assert second.header_offset == end + len(first.filename)
    relisted(path, lambda entries: moved_to(entries, 1, end - 1))
    with refusal(BadInput):
        list(open_corpus(path))
    relisted(path, lambda entries: moved_to(entries, 1, end))
    # What is there is no member, but that is told when it is read.
    with refusal(BadInput):
        list(open_corpus(path))


def test_the_files_of_a_dataset_are_found_in_folders_and_those_of_macos_are_not(tmp_path: Path) -> None:
    names = ("flickr/Annotations/7.xml", "flickr/Sentences/7.txt", "__MACOSX/flickr/Annotations/7.xml")
    path = packed(tmp_path / "a.zip", *names, "Annotations/._7.xml", "Annotations/x/9.xml", "Annotations/9.xml.txt")
    assert [image.id for image in open_corpus(path)] == ["7"]


def test_a_zip_that_holds_an_image_in_two_folders_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", *TWO_IMAGES, "again/Annotations/7.xml")
    with refusal(BadInput):
        list(open_corpus(path))
