"""The scores of chains: joining, mentions that are missed or spurious, views, intervals and confusions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from limner.corpus import Caption, Chain, Image, Mention
from limner.errors import BadInput, LimnerError
from limner.score import evaluate_chains
from limner.score.chain_evaluation import COLUMNS
from refusals import refusal

# "a" and so on are mentions of one letter each.
WORDS = "a b c d e f x y z"


def image(id: str, written: Sequence[str], types: str = "people", words: str = WORDS) -> Image:
    """An image whose only caption has letters for mentions; `~a` is a mention without a chain."""
    chain_of = {letter: chain for chain in written for letter in chain.strip("~")}
    mentions = [
        Mention(at, at + 1, chain=None if f"~{letter}" in written else chain_of[letter], types=(types,))
        for at, letter in enumerate(words)
        if letter in chain_of
    ]
    chains = tuple(Chain(chain) for chain in written if not chain.startswith("~"))
    return Image(id, captions=(Caption("0", words, tuple(mentions)),), chains=chains)


def scores(predicted: Sequence[Image], gold: Sequence[Image], **options: Any) -> dict[str, Any]:
    return evaluate_chains(predicted, gold, samples=0, **options)


def test_spurious_and_missed_mentions_count_as_in_the_reference_scorer() -> None:
    # Case A-4 of the reference scorer.
    values = scores([image("1", ["a", "bcx", "dy", "z"])], [image("1", ["a", "bc", "def"])])
    assert (values["muc"]["R"], values["muc"]["P"]) == pytest.approx((1 / 3, 1 / 3))
    assert (values["b_cubed"]["R"], values["b_cubed"]["P"]) == pytest.approx((5 / 9, 17 / 42))
    assert (values["ceaf_e"]["R"], values["ceaf_e"]["P"]) == pytest.approx((2.2 / 3, 2.2 / 4))
    assert values["mean"] == pytest.approx((1 / 3 + 0.4683 + 0.62857) / 3, abs=1e-4)
    assert values["mentions"]["gold"] == 6
    assert values["mentions"]["predicted"] == 7
    assert values["mentions"]["matched"] == 4


def test_numerators_and_denominators_are_summed_over_images() -> None:
    gold = [image("1", ["abc"]), image("2", ["ab", "cd"])]
    values = scores([image("1", ["ab", "c"]), image("2", ["ab", "cd"])], gold)
    # 2 links of 3 of gold's 4 are there: 1 + 2 of 2 + 2, not the mean of 1/2 and 1.
    assert values["muc"]["R"] == pytest.approx(3 / 4)
    assert values["muc"]["P"] == 1
    assert values["n_images"] == 2


def test_the_order_of_images_does_not_matter() -> None:
    gold = [image("1", ["abc"]), image("2", ["ab", "cd"])]
    predicted = [image("1", ["ab", "c"]), image("2", ["a", "b", "cd"])]
    forth, back = scores(predicted, gold), scores(predicted[::-1], gold[::-1])
    assert forth["mean"] == pytest.approx(back["mean"])
    assert (forth["confusions"], forth["signature"]) == (back["confusions"], back["signature"])


def test_mentions_that_are_not_visual_are_chains_of_their_own_and_can_be_left_out() -> None:
    gold = [image("1", ["ab", "~c", "~d"])]
    values = scores([image("1", ["ab", "cd"])], gold)
    assert values["muc"]["P"] == pytest.approx(1 / 2)
    assert values["visual"]["muc"]["P"] == 1
    assert values["visual"]["mean"] == 1
    assert values["mentions"]["gold_visual"] == 2


def test_without_singletons_only_chains_of_several_mentions_count() -> None:
    values = scores([image("1", ["ab", "c", "d"])], [image("1", ["ab", "c", "d"])])
    assert values["ceaf_e"]["F"] == values["without_singletons"]["ceaf_e"]["F"] == 1
    values = scores([image("1", ["a", "b", "c", "d"])], [image("1", ["ab", "c", "d"])])
    assert values["b_cubed"]["P"] == 1
    assert values["without_singletons"]["b_cubed"]["P"] == 0


def test_a_mention_without_a_predicted_chain_is_alone() -> None:
    assert scores([image("1", ["~a", "~b"])], [image("1", ["ab"])])["b_cubed"]["R"] == pytest.approx(1 / 2)


def test_confusions_tell_split_links_from_merged_ones() -> None:
    confusions = scores([image("1", ["ab", "cd"])], [image("1", ["abc", "d"])])["confusions"]
    assert confusions["links"] == {"right": 1, "split": 2, "merged": 1}
    assert confusions["types"] == [{"types": ["people", "people"], "right": 1, "split": 2, "merged": 1}]
    assert {"nouns": ["c", "d"], "n": 1} in confusions["merged_nouns"]
    assert {"nouns": ["a", "c"], "n": 1} in confusions["split_nouns"]


def test_captions_are_joined_by_their_text() -> None:
    gold = image("1", ["ab"])
    renamed = replace(gold, captions=(replace(gold.captions[0], id="other"),))
    assert scores([renamed], [gold])["mean"] == 1


def test_captions_of_one_text_are_joined_in_their_order() -> None:
    first, second = image("1", ["ab"]), image("1", ["ac"])
    captions = (first.captions[0], replace(second.captions[0], id="1"))
    both = Image("1", captions=captions, chains=(Chain("ab"), Chain("ac")))
    swapped = replace(both, captions=captions[::-1])
    assert scores([both], [both])["mean"] == 1
    assert scores([swapped], [both])["mean"] < 1


@pytest.mark.parametrize(("missing", "recall"), [("zero", 1 / 2), ("skip", 1.0)])
def test_a_missing_image_is_an_error_or_zero_or_skipped(missing: str, recall: float) -> None:
    gold = [image("1", ["ab"]), image("2", ["ab"])]
    with refusal(BadInput):
        scores(gold[:1], gold)
    values = scores(gold[:1], gold, missing=missing)
    assert values["muc"]["R"] == pytest.approx(recall)
    assert values["missing"]["images"] == 1


@pytest.mark.parametrize(("missing", "recall"), [("zero", 1 / 2), ("skip", 1.0)])
def test_a_missing_caption_is_an_error_or_zero_or_skipped(missing: str, recall: float) -> None:
    one, other = image("1", ["ab"]), image("1", ["cd"], words="c d")
    both = Image("1", captions=(*one.captions, replace(other.captions[0], id="1")), chains=(*one.chains, *other.chains))
    with refusal(BadInput):
        scores([one], [both])
    assert scores([one], [both], missing=missing)["muc"]["R"] == pytest.approx(recall)


def test_what_gold_does_not_have_is_refused() -> None:
    with refusal(BadInput):
        scores([image("1", ["ab"]), image("2", ["ab"])], [image("1", ["ab"])])
    with refusal(BadInput):
        scores([image("1", ["ab"], words="a b")], [image("1", ["ab"])])
    with refusal(BadInput):
        scores([image("1", ["ab"]), image("1", ["ab"])], [image("1", ["ab"])])


def test_an_image_of_very_many_mentions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limner.score.chain_evaluation.MAX_MENTIONS", 3)
    with refusal(LimnerError):
        scores([image("1", ["abcd"])], [image("1", ["abcd"])])


def test_the_signature_knows_gold_and_policy() -> None:
    gold = [image("1", ["ab", "c"])]
    same = scores(gold, gold)["signature"]
    assert "singletons:kept" in same
    assert "mentions:exact span" in same
    assert scores([image("1", ["a", "b", "c"])], gold)["signature"] == same
    assert scores(gold, gold, missing="zero")["signature"] != same
    other = [image("1", ["a", "bc"])]
    assert scores(other, other)["signature"] != same


def test_values_have_intervals_over_images(intervals_of_few: None) -> None:
    gold = [image(str(i), ["abc", "de"]) for i in range(12)]
    predicted = [image(str(i), ["abc", "de"] if i % 3 else ["a", "b", "c", "de"]) for i in range(12)]
    values = evaluate_chains(predicted, gold, samples=500)
    low, high = values["intervals"]["mean"]
    assert low < values["mean"] < high
    assert len(COLUMNS) == 10
