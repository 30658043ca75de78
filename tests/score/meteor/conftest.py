"""Tables for METEOR: a handful of words written for these tests, and the real ones where they are installed."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from limner.lazy import kernel
from limner.score.meteor import Tables, load_tables, meteor_alignment, meteor_sentences
from limner.score.meteor.meteor_sources import JAR, PARAPHRASES, find_source

SMALL_JAR = {
    "function/english.words": "a\nthe\nis\non\nof\n'\ns\n",
    "nonbreaking/english.prefixes": "# abbreviations\nMr\n\nNo #NUMERIC_ONLY#\n",
    "synonym/english.synsets": "dog\n00000007 00000009\nhound\n00000009\nbig\n00000003\nlarge\n00000003 00000004\n"
    "great\n00000004\nride\n00000011\nmount\n00000011 00000012\ngoose\n00000013\n",
    "synonym/english.exceptions": "goose\ngeese\nride\nrode ridden\n",
}
SMALL_PARAPHRASES = [
    ("a big dog", "a large dog"),
    ("a big dog", "the hound"),
    ("a dog", "dogs"),
    ("big", "of size"),
    ("dog", "hound"),
    ("dog", "the dog"),
    ("doge", "big"),
    ("hound", "dog"),
    ("is riding", "rides"),
    ("on the", "on"),
    ("rides", "is on"),
    ("rides a", "is riding the"),
    ("the", "a"),
    ("the dog is", "a hound is"),
]
WORDS = [
    *("a", "a", "the", "the", "is", "on", "of", "dog", "dogs", "hound", "big", "large", "great", "ride", "rides"),
    *("riding", "rode", "geese", "goose", "size", "xyz"),
]


def write_small(folder: Path, *, with_paraphrases: bool = True, jar: dict[str, str] | None = None) -> Path:
    """A folder of tables as METEOR's are laid out."""
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / JAR, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in (SMALL_JAR if jar is None else jar).items():
            made.writestr(name, text)
    if with_paraphrases:
        text = "".join(f"0.25\n{one}\n{other}\n" for one, other in SMALL_PARAPHRASES)
        (folder / PARAPHRASES).write_bytes(gzip.compress(text.encode(), mtime=0))
    return folder


@pytest.fixture(scope="session")
def write_tables() -> Callable[..., Path]:
    return write_small


@pytest.fixture(scope="session")
def words() -> list[str]:
    """Words that match each other in many ways by the small tables."""
    return WORDS


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The small tables."""
    folder = tmp_path_factory.mktemp("meteor")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIMNER_CACHE", str(folder / "cache"))
        return load_tables(write_small(folder / "tables"))


@pytest.fixture(scope="session")
def real() -> Tables:
    """METEOR's own tables; where they are not in the cache yet, making them takes half a minute."""
    if find_source() is None:
        pytest.skip("METEOR's tables are not at hand (pycocoevalcap is not installed)")
    return load_tables()


@pytest.fixture(scope="session")
def jar() -> Path:
    """METEOR's own program, where it can be run."""
    source = find_source()
    if source is None or shutil.which("java") is None:
        pytest.skip("METEOR itself cannot be run (pycocoevalcap or java is not installed)")
    return source.jar


@pytest.fixture(scope="session")
def ask_jar(jar: Path) -> Iterator[Callable[[Sequence[tuple[str, Sequence[str]]]], list[list[int]]]]:
    """The statistics that METEOR 1.5 has for captions and their references, as pycocoevalcap runs it."""
    command = ["java", "-XX:+UseSerialGC", "-Xmx2G", "-jar", jar.name, "-", "-", "-stdio", "-l", "en", "-norm"]
    with subprocess.Popen(command, cwd=jar.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as tool:
        to, back = tool.stdin, tool.stdout
        assert to is not None
        assert back is not None

        def ask(caption: str, references: Sequence[str]) -> list[int]:
            to.write((" ||| ".join(["SCORE", *references, caption]) + "\n").encode())
            to.flush()
            return [int(float(number)) for number in back.readline().split()]

        yield lambda segments: [ask(*segment) for segment in segments]
        to.close()


@pytest.fixture(params=["compiled", "python"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the kernels, and without."""
    for module, name in ((meteor_alignment, "_align"), (meteor_sentences, "_trie")):
        found = kernel(f"limner.score.meteor.{name}")
        if request.param == "compiled" and found is None:
            pytest.skip(f"limner.score.meteor.{name} is not built")
        monkeypatch.setattr(module, "KERNEL", found if request.param == "compiled" else None)
    return str(request.param)
