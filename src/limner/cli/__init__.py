"""The command line: thin, it parses, calls and prints."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import click

from limner import __version__
from limner.cli.click_classes import Entry, LazyGroup
from limner.cli.interrupts import Interrupts
from limner.cli.remedies import worded
from limner.cli.standard_streams import Answer, answer_alone
from limner.cli.terminal import show_usage, tell, terminal_progress
from limner.errors import FULL, BadInput, LimnerError, MissingLibrary, cannot, os_problem, os_remedy
from limner.written import departure_watchers, watchers

Noted = TypeVar("Noted", Path, str)

COMMANDS: dict[str, Entry] = {
    "demo": Entry("limner.cli.demo:command", "Show what Limner does, from nothing."),
    "convert": Entry("limner.cli.convert:convert", "Read corpora in one format and write them in another."),
    "link": Entry("limner.cli.link:command", "Tie captions to boxes by the names of the boxes' classes."),
    "chunk": Entry("limner.cli.chunk:command", "Find the noun phrases of captions, and their types."),
    "info": Entry("limner.cli.info:command", "Print the statistics of a corpus, or of two side by side."),
    "playground": Entry(
        "limner.cli.playground:command",
        "Make a clip-art world: scenes with boxes, captions and, if asked, pictures.",
    ),
    "detect": Entry("limner.cli.detect:command", "Detect things in pictures: a corpus with scored boxes."),
    "features": Entry("limner.cli.features:command", "Compute features of regions of pictures, and keep them."),
    "train": Entry(
        {
            "selector": Entry("limner.cli.train:selector", "Learn which boxes people mention, and how many."),
            "phrasebook": Entry("limner.cli.train:phrasebook", "Learn how people put boxes into words."),
            "phrases": Entry("limner.cli.train:phrases", "Learn where noun phrases are, and of which types."),
            "chains": Entry("limner.cli.train_chains:chains", "Learn which mentions are of the same thing."),
            "detector": Entry(
                "limner.cli.train_detector:detector", "Fit a simulated detector to the errors of a real one."
            ),
            "retriever": Entry("limner.cli.train_retriever:retriever", "Learn which pictures fit which sentences."),
            "grounder": Entry("limner.cli.train_grounder:grounder", "Learn to point at what phrases mean."),
            "language-model": Entry(
                "limner.cli.train_language_model:language_model", "Learn what captions sound like, for a captioner."
            ),
            "captioner": Entry("limner.cli.train_captioner:captioner", "Learn to caption images from their regions."),
        },
        "Learn from a corpus with captions.",
    ),
    "describe": Entry("limner.cli.describe:command", "Describe images from their labelled boxes."),
    "constraints": Entry(
        "limner.cli.constraints:command", "Choose from boxes what captions have to mention, and say why."
    ),
    "caption": Entry("limner.cli.caption:command", "Caption images by a captioner, freely or under constraints."),
    "index": Entry("limner.cli.index:command", "Index pictures, to find them by sentences."),
    "retrieve": Entry("limner.cli.retrieve:command", "Find pictures for a sentence, or captions for a picture."),
    "localise": Entry("limner.cli.localise:command", "Point at what each phrase of captions means in its picture."),
    "score": Entry(
        {
            "captions": Entry("limner.cli.score_captions:captions", "Score captions by BLEU, CIDEr, METEOR and more."),
            "content": Entry(
                "limner.cli.score_content:content",
                "Score which boxes captions mention, in what order and in which words, against people.",
            ),
            "phrases": Entry(
                "limner.cli.score_phrases:phrases", "Score which noun phrases were found, and their types."
            ),
            "chains": Entry(
                "limner.cli.score_chains:chains", "Score which mentions are of the same thing: MUC, B³ and CEAF-e."
            ),
            "detection": Entry(
                "limner.cli.score_detection:detection", "Score detections by COCO's AP and AR against gold boxes."
            ),
            "retrieval": Entry(
                "limner.cli.score_retrieval:retrieval",
                "Score pictures found for sentences, and sentences for pictures: Recall@K and more.",
            ),
            "localisation": Entry(
                "limner.cli.score_localisation:localisation",
                "Score boxes for the phrases of captions by Recall@1, 5 and 10.",
            ),
            "agreement": Entry(
                "limner.cli.score_agreement:agreement", "Measure how far raters agree: alpha, kappa and more."
            ),
        },
        "Score a system's results against gold.",
    ),
    "experiment": Entry(
        {
            "content-selection": Entry(
                "limner.cli.experiment_content_selection:content_selection",
                "Choose which boxes to mention: every system against people.",
            ),
            "labels": Entry(
                "limner.cli.experiment_labels:labels",
                "Measure what labels from the writers of the references are worth.",
            ),
            "judgement": Entry(
                "limner.cli.experiment_judgement:judgement", "Correlate metrics with what people judged."
            ),
            "references": Entry(
                "limner.cli.experiment_references:references", "How many references it takes to tell two systems apart."
            ),
            "people": Entry(
                "limner.cli.experiment_people:people",
                "Score held-out people against the rest, for one or more of them.",
            ),
            "frequencies": Entry(
                "limner.cli.experiment_frequencies:frequencies",
                "CIDEr by domain, with document frequencies of the domain and of all images.",
            ),
            "linkers": Entry(
                "limner.cli.experiment_linkers:linkers",
                "Rank selectors of boxes with each linker of captions to boxes.",
            ),
            "verbs": Entry(
                "limner.cli.experiment_verbs:verbs", "Count what captions speak of by a verb and not by a noun."
            ),
            "suppression": Entry(
                "limner.cli.experiment_suppression:suppression",
                "Constraints from boxes suppressed by ancestor, by height, or not at all.",
            ),
            "detector": Entry(
                "limner.cli.experiment_detector:detector", "Compare a simulated detector with the real one."
            ),
            "localisation": Entry(
                "limner.cli.experiment_localisation:localisation", "Point at what phrases mean: every system."
            ),
            "retrieval": Entry(
                "limner.cli.experiment_retrieval:retrieval",
                "Compare whole pictures with regions and phrases in retrieval.",
            ),
            "novel-objects": Entry(
                "limner.cli.experiment_novel_objects:novel_objects",
                "Caption objects that no training caption names: every table of nocaps.",
            ),
            "content-judgement": Entry(
                "limner.cli.experiment_content_judgement:content_judgement",
                "Correlate content selection with expert judgements, beside metrics of words.",
            ),
        },
        "Run a paper's experiment on corpora of your own.",
    ),
    "show": Entry("limner.cli.show:command", "Make a page of images with their boxes and captions, for a browser."),
    "bench": Entry(
        {
            "build": Entry("limner.cli.bench_build:build", "Choose images of many classes that occur evenly."),
            "domains": Entry("limner.cli.bench_domains:domains", "Tell images in, near and out of a domain."),
        },
        "Make a benchmark of novel objects from a corpus with boxes.",
    ),
    "schema": Entry("limner.cli.convert:schema", "Print the JSON Schema of Limner's own format."),
}


class ReaderGone(Exception):
    """Whoever read our output has seen enough."""


class Stopped(Exception):
    """Somebody pressed Ctrl-C."""


class MainGroup(LazyGroup):
    """All commands; a closed pipe is not a failure, and Ctrl-C is told in one line."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        # Here the help of the whole program is printed.
        with _not_by_click():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> object:
        with _not_by_click():
            return super().invoke(ctx)


@contextmanager
def _not_by_click() -> Iterator[None]:
    """What Click would handle otherwise, as exceptions that it leaves alone."""
    try:
        yield
    except BrokenPipeError as error:
        # Click would make this an exit with 1, as if something had gone wrong.
        raise ReaderGone from error
    except KeyboardInterrupt as error:
        # Click would print an empty line first.
        raise Stopped from error


@click.group(cls=MainGroup, entries=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="limner %(version)s")
def limner() -> None:
    """Grounded image description: sentences about pictures whose words are tied to regions.

    Wherever a corpus is wanted, give a path, format:path, or - for standard
    input. Results go to standard output, messages to standard error.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line: 0 done, 1 an expected failure, 2 wrong usage, 130 stopped by Ctrl-C."""
    signal.signal(signal.SIGTERM, _stop)
    # Corpora make millions of objects and hardly ever a cycle: looking for one so often costs a fifth of the time.
    gc.set_threshold(100_000, 20, 20)
    with answer_alone() as answer:
        code = _run(list(sys.argv[1:] if arguments is None else arguments), answer)
    if code:
        sys.exit(code)


def _run(arguments: list[str], answer: Answer) -> int:
    """Run a command and say what prevented it, in one line; the exit code."""
    with _noting(watchers) as written, _noting(departure_watchers) as cut_short, Interrupts() as interrupts:
        try:
            limner.main(args=arguments, standalone_mode=False)
            sys.stdout.flush()
            for name in cut_short:
                tell(f"warning: {name}: its reader left before the end; the other outputs are whole")
            return 0
        except click.exceptions.Exit as stop:
            return stop.exit_code
        except (ReaderGone, BrokenPipeError):
            answer.drop()
            return 0
        except (Stopped, click.Abort, KeyboardInterrupt):
            return _stopped(answer, written)
        except click.ClickException as error:
            terminal_progress.clear()
            show_usage(error)
            return error.exit_code
        except (LimnerError, OSError) as error:
            if interrupts.any:
                return _stopped(answer, written)
            terminal_progress.clear()
            failure = _explained(error) if isinstance(error, OSError) else error
            tell(worded(failure, arguments, _offered(arguments)))
            return 1
        except Exception:
            # Compiled code may answer Ctrl-C with an error of its own.
            if interrupts.any:
                return _stopped(answer, written)
            raise


def _stopped(answer: Answer, written: list[Path]) -> int:
    terminal_progress.clear()
    if written:
        tell(f"stopped; written before: {', '.join(map(str, dict.fromkeys(written)))}")
    else:
        tell("stopped" if answer.has_begun() else "stopped; nothing was written")
    return 130


def _explained(error: OSError) -> LimnerError:
    """The error for a file system that says no, with the file at fault where it is known."""
    if error.filename == Answer.NAME:
        return cannot("write", Path(Answer.NAME), error)
    if error.filename is not None:
        return BadInput(str(error.filename), os_problem(error), os_remedy(error))
    try:
        Path.cwd()
    except OSError:
        return LimnerError("the working folder is not there any more; change to another")
    return LimnerError(f"{os_problem(error)}; {os_remedy(error)}" if error.errno in FULL else os_problem(error))


@contextmanager
def _noting(watchers: list[Callable[[Noted], None]]) -> Iterator[list[Noted]]:
    """A list that gets whatever the watchers are told within the block."""
    noted: list[Noted] = []
    watchers.append(noted.append)
    try:
        yield noted
    finally:
        watchers.remove(noted.append)


def _offered(arguments: Sequence[str]) -> set[str]:
    """The options of the command that the arguments name."""
    command: click.Command = limner
    for name in arguments:
        try:
            below = command.get_command(click.Context(command), name) if isinstance(command, click.Group) else None
        except MissingLibrary:
            # The error that is being told: the command cannot be loaded.
            break
        if below is None:
            break
        command = below
    return {name for parameter in command.params for name in parameter.opts}


def _stop(signum: int, frame: FrameType | None) -> None:
    sys.exit(128 + signum)
