from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from limner.score.meteor import Tables
from limner.score.meteor.stemmer import _STEP_2, _STEP_3, _STEP_4, stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        # From the sample vocabulary of the published description of the algorithm.
        *(("consign", "consign"), ("consigned", "consign"), ("consolation", "consol"), ("consolingly", "consol")),
        *(("conspiracy", "conspiraci"), ("constables", "constabl"), ("knaves", "knave"), ("knightly", "knight")),
        *(("knocking", "knock"), ("knots", "knot"), ("kneeling", "kneel"), ("kissed", "kiss")),
        # Steps, one by one, by the Stemmer of meteor-1.5.jar: java -cp meteor-1.5.jar Stemmer en.
        *(
            ("ties", "tie"),
            ("cries", "cri"),
            ("gas", "gas"),
            ("gaps", "gap"),
            ("kiwis", "kiwi"),
            ("caresses", "caress"),
        ),
        *(("luxuriating", "luxuri"), ("hopping", "hop"), ("hoping", "hope"), ("feed", "feed"), ("agreed", "agre")),
        *(("by", "by"), ("say", "say"), ("cry", "cri"), ("syzygy", "syzygi"), ("youth", "youth"), ("ayyed", "ayi")),
        *(
            ("sensational", "sensat"),
            ("realizations", "realiz"),
            ("generically", "generic"),
            ("communism", "communism"),
        ),
        *(("herring", "herring"), ("proceeds", "proceed"), ("dying", "die"), ("news", "news"), ("skies", "sky")),
        *(
            ("geology", "geolog"),
            ("adoption", "adopt"),
            ("abrasive", "abras"),
            ("rolls", "roll"),
            ("controlling", "control"),
        ),
        *(("man's", "man"), ("'tis", "tis"), ("s's'", "s"), ("is", "is"), ("", ""), ("été", "été"), ("😀ing", "😀ing")),
    ],
)
def test_the_stem_of_a_word(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_stems_are_those_of_the_reference_tool(jar: Path, real: Tables) -> None:
    starts, letters = real["word_starts"].tolist(), real["word_bytes"].tobytes()
    known = [letters[a:b].decode() for a, b in zip(starts[::40], starts[1::40], strict=False)]
    random = Random(5)
    endings = [*_STEP_2, *_STEP_3, *_STEP_4, "'", "'s", "'s'", "s", "es", "ed", "ing", "ingly", "edly", "eed", "eedly"]
    endings += ["ies", "ied", "y", "ly", "l", "e", "ll"]
    made = ["".join([*random.choices("aeiouyylstnrdbgmc'", k=4), *random.choices(endings, k=2)]) for _ in range(5_000)]
    words = [*known, *made]
    assert [(word, stem(word)) for word in words] == list(zip(words, stems_by_jar(jar, words), strict=True))


def stems_by_jar(jar: Path, words: Sequence[str]) -> list[str]:
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", str(jar), "Stemmer", "en"]
    text = "".join(word + "\n" for word in words)
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return [line.strip(" ") for line in done.stdout.decode().split("\n")[:-1]]
