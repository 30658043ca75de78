"""`limner experiment novel-objects`."""

from __future__ import annotations

from pathlib import Path

import click

from limner.cli.click_classes import PATH, NumberRange, SectionedCommand, listed, samples_option
from limner.cli.corpora import Source, check_sources, lenient_option
from limner.cli.experiment_command import out_option, run_experiment, seed_option
from limner.cli.terminal import tell, terminal_progress
from limner.experiments.detected_views import DetectorChoice
from limner.experiments.novel_object_images import TEST_SHARE
from limner.experiments.novel_object_scores import METRICS
from limner.experiments.novel_objects import CONFIG, NovelObjectExperiment
from limner.score.resampling import SAMPLES
from limner.vision.detections import DetectionSettings
from limner.vision.simulated_detector import BUILT_IN

SECTIONS = {
    "Images": ["novel", "test", "test-share"],
    "Boxes and features": [
        *("detector", "detections", "score", "false-positives", "pictures", "features", "hierarchy", "names"),
    ],
    "Captioners": ["config", "workers", "threads"],
    "What is measured": ["ablations", "metrics", "samples", "seed"],
    "What comes out": ["out", "cache", "lenient"],
}


@click.command("novel-objects", cls=SectionedCommand, sections=SECTIONS)
@click.argument("corpus", metavar="CORPUS...", nargs=-1, required=True, type=Source())
@out_option
@click.option("--novel", metavar="CLASSES|N", help="Classes that no training caption names: a,b,c, or how many.")
@click.option("--test", metavar="CORPUS", type=Source(), help="The test images; default: a share of CORPUS.")
@click.option(
    "--test-share",
    metavar="S",
    type=NumberRange(0, 1, min_open=True, max_open=True),
    help=f"The share of CORPUS that is for the test.  [default: {TEST_SHARE:g}]",
)
@click.option(
    "--detector",
    metavar="M",
    type=PATH,
    default=BUILT_IN,
    show_default=True,
    help="Whose boxes captioners see: simulated, a profile, or a model.",
)
@click.option(
    "--detections",
    metavar="CORPUS",
    multiple=True,
    type=Source(),
    help="A detector's boxes of the same images instead; again for more files of one corpus.",
)
@click.option(
    "--score",
    metavar="S",
    type=NumberRange(0, 1),
    default=DetectionSettings().score,
    show_default=True,
    help="Least score of a box.",
)
@click.option(
    "--false-positives",
    metavar="F",
    type=NumberRange(0, 1000),
    default=1.0,
    show_default=True,
    help="Multiplies a simulated detector's boxes on nothing; 0: none.",
)
@click.option(
    "--pictures",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Where the pictures are, for a model, and for the page of examples.",
)
@click.option("--features", metavar="F", default="boxes", show_default=True, help="As in `train captioner`.")
@click.option("--config", metavar="C", default=CONFIG, show_default=True, help="Captioners' config, or a file in TOML.")
@click.option("--hierarchy", metavar="JSON", type=PATH, help="Open Images' class hierarchy, for constraints.")
@click.option("--names", metavar="CSV", type=PATH, help="Names of the hierarchy's classes, by id.")
@click.option("--ablations", is_flag=True, help="Filters of constraints, and deciles by distance, too.")
@click.option("--metrics", metavar="M,…", help=f"What to measure.  [default: {','.join(METRICS)}]")
@click.option(
    "--cache", metavar="DIR", type=PATH, help="Where captioners and captions are kept.  [default: cache in --out]"
)
@click.option("--threads", metavar="N", type=click.IntRange(1, 256), default=1, show_default=True, help="Threads.")
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Captioners that are trained and used at a time.",
)
@samples_option(SAMPLES)
@seed_option
@lenient_option
def novel_objects(
    corpus: tuple[str, ...],
    out: Path,
    novel: str | None,
    test: str | None,
    test_share: float | None,
    detector: Path,
    detections: tuple[str, ...],
    score: float,
    false_positives: float,
    pictures: Path | None,
    features: str,
    config: str,
    hierarchy: Path | None,
    names: Path | None,
    ablations: bool,
    metrics: str | None,
    cache: Path | None,
    threads: int,
    workers: int,
    samples: int,
    seed: int,
    lenient: bool,
) -> None:
    """Caption objects that no training caption names: every table of nocaps on a corpus with boxes and captions.

    Trains captioners on CORPUS without the novel classes, captions its test
    images freely and under constraints of detected and gold boxes, and scores
    all by domain. A run that is stopped goes on when it is started again.
    Writes table.csv, domains.csv, mentions.csv, captioned.csv, tests.csv, novel.csv,
    table.md, novel-objects.json, novel-objects.html, figures and examples.html
    to DIR.
    """
    check_sources([source for source in (*corpus, test, *detections) if source])
    if test is not None and test_share is not None:
        raise click.UsageError("--test-share is for a corpus without --test; pass one of them")
    if names is not None and hierarchy is None:
        raise click.UsageError("--names is about the classes of --hierarchy; pass that too")
    experiment = NovelObjectExperiment(
        cache or out / "cache",
        None if novel is None else int(novel) if novel.isdecimal() else listed(novel),
        test,
        TEST_SHARE if test_share is None else test_share,
        DetectorChoice(detector, detections, pictures, score, false_positives),
        features,
        pictures,
        config,
        hierarchy,
        names,
        METRICS if metrics is None else listed(metrics),
        ablations,
        samples,
        seed,
        threads,
        workers,
        lenient,
        terminal_progress,
        _notice,
    )
    run_experiment(lambda: experiment.run(corpus), out)


def _notice(message: str) -> None:
    terminal_progress.clear()
    tell(message)
