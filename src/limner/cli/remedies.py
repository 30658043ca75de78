"""What to do about an error, as somebody at a command line would do it.

The library's errors carry a code and facts, and know nothing of options. Here
each code has the remedy that the command line offers in place of the
library's own.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import pairwise

from limner.errors import BadInput, LimnerError

# Remedies by the code of the error; `{name}` stands for a fact of that name, and ", or " is between alternatives.
REMEDIES: dict[str, str] = {
    "class-names-needed": "pass the file of class names with --names",
    "no-rotation": "pass --rotation any if the pictures are upright",
    "faulty": "correct it, or pass --lenient to leave it out",
    "outside-picture": "more than {edge:g} pixel outside is refused: correct it, or pass --lenient to leave it out",
    "folder-not-empty": "name another, or pass --force",
    "unknown-field": "`limner schema` lists the fields",
    "faulty-field": "`limner schema` shows what is allowed here",
    "small-sample": "ask for fewer images (--sample) or captions (--captions-each)",
    "has-mentions": "pass --force to replace them",
    "bad-picture": "repair or remove the file, or pass --lenient to do without",
    "model-without-names": "pass --labels to name their file, or a known list such as coco",
    "unusable-picture": "{advice}, or pass --lenient to leave it out",
    "no-picture": "pass --pictures to name their folder, or pass --lenient to leave it out",
    "unknown-image": "name the corpus that was described, or pass --lenient to leave the result out",
    "no-excluded-classes": "list one a line, or pass --exclude none",
    "bad-model": "train one with `limner train {kind}`",
    "no-concepts": "pass a corpus with captions by --train",
    "no-training-captions": "pass a corpus with boxes and captions by --train",
    "train-is-test": "name other images, or pass --allow-overlap",
    "no-boxes": "detect things in photographs with `limner detect`, or give a corpus with boxes, such as "
    "`limner convert CAPTIONS BOXES DST` makes",
    "no-format": "name it FORMAT:PATH; the formats are {choices}",
    "no-chains": "give a corpus with chains, such as Flickr30k Entities",
    "no-mentions": "tie captions to boxes with `limner link`",
    "empty-captions": "mend them, or pass --empty score to score them as they are",
    "extra-captions": "give references of the same images, or pass --extra skip",
    "missing-captions": "pass --missing zero to score them 0, --missing skip to leave them out",
    "missing-phrases": "pass --missing zero to score them 0, or pass --missing skip to leave them out, "
    "or pass --phrases found if they were found by `limner chunk`",
    "no-detections": "pass --missing zero to count them as images without a detection, or --missing skip",
    "no-captioner": "give a folder that `limner train captioner` made; if it was stopped, go on with its --resume",
    "no-captioner-words": "pass --words-from to say where they are now",
    "no-pictures": "pass --pictures to name their folder",
    "no-prompt": "leave --prompt out",
    "no-size": "give its width and height, or pass --lenient to leave it out",
    "no-word": "ask for other words, or pass --lenient to leave the constraint out",
    "no-novel": "pass --novel with classes or how many to draw",
    "no-test-class": "pass other classes by --novel, or more test images by --test",
    "all-novel": "pass fewer classes by --novel, or give more images",
    "same-ids": "pass other images by --test, or give them ids of their own",
    "not-empty": "name another, or pass --resume to go on with the run in it",
    "takes-no-features": "leave --features out",
    "takes-no-pictures": "leave --pictures out",
    "per_state-memory": "lower --batch, or lower --beam, or pass --search banks, or ask for fewer constraints",
    "banks-memory": "lower --batch, or lower --beam, or ask for fewer constraints",
    "takes-no-words": "leave --words-from out",
    "bad-features": "make them anew with `limner features`, or pass --lenient to leave the image out",
    "empty-caption": "remove it, or pass --lenient to leave it out",
    "has-checkpoint": "remove the file, or pass --resume to go on with its run",
    "image-without-regions": "make features with `limner features --boxes mixed`, or pass --lenient to leave it out",
    "other-threads": "leave --threads out",
    "other-regions": "make them as those of training were made, or pass --features to say where those are",
    "no-choices": "give a file that `limner constraints --json` wrote",
    "no-frequencies-file": "write one with --save-df, or DocumentFrequencies.save",
    "not-measured-anew": "leave it out, or pass --missing zero, or score on one machine, without --engine",
    "damaged-store": "copy the store anew, or make it anew with `limner features`",
    "no-colours": "train it with features: `limner train phrasebook --features`",
    "no-grounded-phrases": "give a corpus such as Flickr30k Entities, or tie captions to boxes with `limner link`",
    "no-region-model": "pass --features or --detector to say where it is now",
    "other-reader": "pass --features and --detector to name the models of training, or train anew",
    "no-features": "make them with `limner features`, or pass --features to name the store that has them",
    "no-foreign-boxes": "pass the corpus that has them by --corpus",
    "has-embedding-ids": "leave --captions-each out",
    "no-index": "make one with `limner index`",
    "damaged-index": "copy the index anew, or make it anew with `limner index`",
    "no-vectors": "pip install 'limner[ground]', or pass --vectors FILE",
    "no-vectors-file": "pass --vectors to say where they are now, or train it anew",
    "other-index-model": "rebuild it with `limner index`",
    "index-exists": "name another folder, or pass --force to replace it",
    "no-captions-indexed": "make it of a corpus with captions with `limner index`",
    "no-regions": "make one with `limner index --regions` and a model that has them, or leave --by out",
    "no-encoder": "give a model of `limner train retriever` or `limner train grounder`, or a folder such as CLIP's",
    "no-embedding-ids": "add arrays image_ids and text_image_ids, or pass --captions-each",
    "other-model": "give the same model with --features, or train it anew",
    "few-captions": "give a corpus with more images that have captions and pictures",
    "no-layer": "name the tensor to take with --layer",
    "no-map": "pass --by crop, or give a model that returns one",
    "no-scaling": "pass --pixels to say how it was trained",
    "no-store": "make one with `limner features`",
    "store-exists": "name another folder, or pass --resume to go on with it",
    "too-many-candidates": "leave some out, or pass --lenient to leave the image out",
    "too-many-mentions": "{advice}, or pass --lenient to leave its chains out",
    "too-large-for-half": "pass --dtype float32",
    "unfinished-store": "run `limner features` again with --resume",
    "no-words": "score on one machine, without --engine",
    "other-boxes": "make features of this corpus with `limner features`",
    "other-features": "make them with `limner features` and the --model that the phrasebook was learnt with",
    "only-gold": "give a system's results, or pass --source gold",
    "several-scales": "pass --scale to name one of them",
    "second-caption": "keep one of them, or give each its own source, or pass --duplicate first",
    "several-sources": "pass --source to name one of them",
    "whole-run": "leave it out, or score on one machine, without --engine",
}


def worded(error: LimnerError, given: Sequence[str] = (), offered: Container[str] | None = None) -> str:
    """The line that the command line prints for an error.

    Advice to pass an option is left out if it was `given` already, or is not
    among the options that the command has `offered`.
    """
    if error.code not in REMEDIES:
        return str(error)
    alternatives = REMEDIES[error.code].format(**error.facts).split(", or ")
    remedy = ", or ".join(text for text in alternatives if _is_open(text, given, offered))
    problem = _problem(error)
    return f"{problem}; {remedy}" if remedy else problem


def _problem(error: LimnerError) -> str:
    """The error without the library's remedy, which some messages end with; then the problem is a fact."""
    if isinstance(error, BadInput):
        return f"{error.place}: {error.problem}"
    return str(error.facts.get("problem", error))


def _is_open(advice: str, given: Sequence[str], offered: Container[str] | None) -> bool:
    """Whether somebody who gave these arguments could still follow the advice."""
    match = _PASS.search(advice)
    if match is None:
        return True
    verb, option, value = match.groups()
    if offered is not None and option not in offered:
        return False
    if verb == "lower":
        return True
    if value is None:
        return option not in given
    return f"{option}={value}" not in given and (option, value) not in pairwise(given)


# What was given can still be lower. A value is one of the option's choices; what follows a flag says what for.
_PASS = re.compile(r"\b(pass|lower) (--[a-z-]+)(?: (any|banks|first|found|gold|none|score|skip|zero)\b)?")
