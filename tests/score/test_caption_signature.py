"""What the signatures of caption scores say of the images that are scored."""

from __future__ import annotations

from msgspec.structs import replace

from limner.corpus.image import Image
from limner.playground import playground
from limner.score import evaluate
from limner.score.selection_scores import GoldSelections


def choices_of(signature: str) -> dict[str, str]:
    return dict(choice.split(":", 1) for choice in signature.split("|"))


def without_mentions(image: Image) -> Image:
    return replace(image, captions=tuple(replace(caption, mentions=()) for caption in image.captions), provenance={})


def test_content_is_of_the_images_whose_gold_refers_to_boxes_and_others_are_of_all() -> None:
    images = [replace(image, provenance={"mentions": "linked"}) for image in playground(6, seed=1)]
    gold = [without_mentions(images[0]), *images[1:]]
    results = [
        replace(image, captions=(replace(image.captions[0], source="system:mine"),), provenance={}) for image in gold
    ]
    signatures = evaluate(results, gold, metrics="bleu,content", samples=0).signatures
    content, bleu = choices_of(signatures["content_f"]), choices_of(signatures["bleu4"])
    assert content["data"] == GoldSelections(gold).fingerprint()
    assert (content["images"], content["scored"], content["mentions"]) == ("6", "5 images", "linked")
    fewer = choices_of(evaluate(results[1:], gold[1:], metrics="bleu,content", samples=0).signatures["bleu4"])
    assert bleu["data"] != fewer["data"]
