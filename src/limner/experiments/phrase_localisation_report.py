"""The tables and figures of the localisation experiment, with the paper's figures beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from limner.arrays import Booleans
from limner.corpus.reading import Reading
from limner.experiments.experiment_files import Cell, Estimate, ExperimentReport, FigureToDraw, Table
from limner.experiments.phrase_localisation import CHUNKED, LocalisationExperiment
from limner.ground.colour_confusion import ColourConfusions
from limner.ground.phrase_queries import make_query
from limner.ground.region_cues import DetectorCue
from limner.ground.systems import EITHER, JOINT, LARGEST
from limner.lazy import lazy
from limner.report import Pictures, write_localisation_page
from limner.score.localisation.localisation_evaluation import SystemScores
from limner.score.localisation.phrase_table import VALUES
from limner.score.paired import Comparison
from limner.score.resampling import FEWEST

if TYPE_CHECKING:
    from limner.report import estimate_plots, localisation_experiment_plots, localisation_plots
else:
    estimate_plots = lazy("limner.report.estimate_plots")
    localisation_experiment_plots = lazy("limner.report.localisation_experiment_plots")
    localisation_plots = lazy("limner.report.localisation_plots")

# R@1, 5 and 10 of Table 5, by our system that adds the same cue; the largest region's is from the text.
PAPER = {
    LARGEST: (0.24, nan, nan),
    "cca": (0.4177, 0.6452, 0.7077),
    "detector": (0.4384, 0.6583, 0.7175),
    "size": (0.4922, 0.6993, 0.7490),
    "colour": (0.5089, 0.7109, 0.7573),
    EITHER: (0.4258, 0.6526, 0.7128),
    "detector-and-colour": (0.4579, 0.6723, 0.7286),
}

# R@1 of Table 6 by type; the paper's last column, `other`, is not in our copy.
PAPER_TYPES = ("people", "clothing", "bodyparts", "animals", "vehicles", "instruments", "scene")
PAPER_BY_TYPE = {
    "detector": (0.6124, 0.3690, 0.1530, 0.6274, 0.5975, 0.3148, 0.3193),
    "size": (0.6473, 0.3920, 0.1549, 0.6409, 0.6775, 0.3765, 0.5133),
    "colour": (0.6473, 0.4688, 0.1721, 0.6583, 0.6875, 0.3765, 0.5139),
}
PAPER_BOUND = {
    "people": 0.9652,
    "clothing": 0.7736,
    "bodyparts": 0.5048,
    "animals": 0.9112,
    "vehicles": 0.9450,
    "instruments": 0.8086,
    "scene": 0.8301,
    "other": 0.7587,
}

# Phrases of a detector's class that has a row of its own, as in Figure 7.
FEWEST_PHRASES = 20

# The systems that figures show side by side.
SHOWN = (LARGEST, "cca", "full", JOINT)

# How often a noun was met in training: the first number of each band.
MET = (0, 1, 10, 100)

# A difference whose adjusted p is below this is not called chance.
SURE = 0.05

EXAMPLES = "examples.html"

*RECALLED, BOUND = VALUES


def localisation_report(experiment: LocalisationExperiment) -> ExperimentReport:
    """Tables 5 and 6 and Figures 7 to 10; beyond them other numbers of proposals, and rare and frequent nouns."""
    joint = experiment.system(JOINT)
    trained = experiment.grounder.parts.trained
    return ExperimentReport(
        "localisation",
        "Phrase localisation",
        "How often is the box that a system points at the one that the phrase means?",
        ("system", *RECALLED, *(f"gold_{name}" for name in RECALLED), f"paper_{RECALLED[0]}"),
        _rows(experiment),
        _findings(experiment),
        [
            f"{joint.counts['n_images']:,} pictures, {int(joint.is_scored.sum()):,} phrases; trained on "
            f"{trained.n_images:,} pictures, weights tuned on {trained.n_tuning_images:,}: {trained.tuned_on}",
            f"protocol {joint.settings['protocol']}, IoU of at least {joint.settings['iou']:g}, "
            f"NMS {joint.settings['nms']:g}; intervals of 95 % resample pictures",
            "from cca on, each system adds to the one before it, and has weights of its own; full adds the scene and "
            "the network; joint solves all phrases of a sentence together",
            "p is adjusted for all rows of tests.csv (Holm)",
            *([] if experiment.grounder.parts.class_names else ["there is no detector, and no system that needs one"]),
            "gold_…: among the boxes of the corpus instead of proposals",
            "paper_R@1: Plummer et al. (2016), of 1,000 other pictures, with training on 29,783 and other models",
            f"{CHUNKED}: phrases are found in the captions; those that are not found count as missed",
        ],
        {
            JOINT: joint.signature,
            "gold candidates": experiment.system(JOINT, "gold").signature,
            CHUNKED: experiment.chunked.signature,
            "grounder": experiment.grounder.signature,
        },
        lambda: estimate_plots.dots_figure(_dots(experiment), "share of the phrases"),
        warnings=list(dict.fromkeys(experiment.warnings)),
        readings=experiment.readings,
        others=list(_tables(experiment)),
        figures=_figures(experiment),
        links={"every phrase, its answer beside gold": EXAMPLES},
    )


def write_examples(experiment: LocalisationExperiment, folder: Path, pictures: Path, reading: Reading) -> Path:
    """Write the page of Figure 11, each phrase and its boxes in one colour, the answer beside gold; its path."""
    path = folder / EXAMPLES
    write_localisation_page(
        [experiment.system(JOINT), experiment.system("cca")],
        path,
        pictures=Pictures(pictures, path),
        title="Phrases and their boxes",
        explanations={JOINT: experiment.explanations},
        reading=reading,
    )
    return path


def _rows(experiment: LocalisationExperiment) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for system, among_gold in zip(experiment.proposals.systems, experiment.gold.systems, strict=True):
        rows.append((system.name, *_estimates(system), *_estimates(among_gold), PAPER.get(system.name, [nan])[0]))
    rows.append((CHUNKED, *_estimates(experiment.chunked), *[None] * 4))
    bounds = [_estimate(experiment.system(JOINT, candidates), BOUND) for candidates in ("proposals", "gold")]
    return [*rows, (BOUND, bounds[0], None, None, bounds[1], *[None] * 3)]


def _estimates(system: SystemScores) -> list[Estimate]:
    return [_estimate(system, name) for name in RECALLED]


def _estimate(system: SystemScores, value: str) -> Estimate:
    bounds = None if system.intervals is None else system.intervals[VALUES.index(value)]
    return Estimate.within(system.values[value], None if bounds is None else (bounds.low, bounds.high))


def _findings(experiment: LocalisationExperiment) -> list[str]:
    values = {system.name: system.values for system in experiment.proposals.systems}
    best, largest = values[JOINT]["R@1"], values[LARGEST]["R@1"]
    findings = [
        f"{JOINT}: R@1 {best:.3f}, {100 * (best - largest):+.1f} points above the largest region of the same proposals",
        f"{values[JOINT]['bound']:.3f} of the phrases have a right proposal",
        f"with phrases that are found in the captions R@1 is {experiment.chunked.values['R@1']:.3f}",
    ]
    findings += [_finding(test) for test in experiment.proposals.differences if test.column == "R@1" and not test.by]
    return findings


def _finding(test: Comparison) -> str:
    change = f"{test.first} against {test.second}: R@1 {100 * test.difference:+.1f} points"
    if isnan(test.p_adjusted):
        return f"{change}, not tested: fewer than {FEWEST} pictures"
    is_sure = test.p_adjusted < SURE
    return f"{change}, p {test.p:.4f}, adjusted {test.p_adjusted:.3f}{'' if is_sure else ': within chance'}"


def _tables(experiment: LocalisationExperiment) -> list[Table]:
    systems = experiment.proposals.systems
    joint = experiment.system(JOINT)
    types = list(joint.by("type"))
    frequent: list[tuple[Cell, ...]] = [
        (phrase["phrase"], phrase["n"], *(phrase[value] for value in VALUES))
        for phrase in joint.outcomes.frequent(joint.table, joint.is_scored)
    ]
    tables = [
        Table("types", ("system", *types), _by_type(systems, types)),
        Table("published", ("system", *RECALLED), [(name, *recalls) for name, recalls in PAPER.items()]),
        Table(
            "tests",
            ("value", "subset", "system", "other", "difference", "low", "high", "p", "p_adjusted"),
            [_test(test) for test in experiment.proposals.differences],
        ),
        Table(
            "detector_classes",
            ("class", "n_phrases", "cca", "cca_and_detector"),
            _by_class(experiment),
        ),
        Table(
            "met_in_training",
            ("times_met", "n_phrases", *(system.name for system in systems)),
            _by_times_met(experiment),
        ),
        Table("colours", ("classifier", "colour", *experiment.colours.colours), _colour_rows(experiment.colours)),
        Table("errors", ("system", *joint.errors), [(system.name, *system.errors.values()) for system in systems]),
        Table("confusions", ("type", "type_of_box", "n_phrases"), _confusions(joint)),
        Table("frequent_phrases", ("phrase", "n_phrases", *VALUES), frequent),
    ]
    if experiment.sweep:
        rows: list[tuple[Cell, ...]] = [
            (n, *(_estimate(scores, value) for value in VALUES)) for n, scores in experiment.sweep.items()
        ]
        tables.append(Table("proposals", ("most_proposals", *VALUES), rows))
    return tables


def _by_type(systems: Sequence[SystemScores], types: Sequence[str]) -> list[tuple[Cell, ...]]:
    """Table 6: R@1 by type, below the number of phrases; then the bound, and the paper's rows."""
    by_type = [(system.name, system.by("type")) for system in systems]
    first = by_type[0][1]
    rows: list[tuple[Cell, ...]] = [("phrases", *(first[name]["n_phrases"] for name in types))]
    for system, subsets in by_type:
        rows.append((system, *(_of_subset(subsets[name], "R@1") for name in types)))
    rows.append(("bound", *(_of_subset(first[name], "bound") for name in types)))
    for system, values in PAPER_BY_TYPE.items():
        published = dict(zip(PAPER_TYPES, values, strict=True))
        rows.append((f"paper, {system}", *(published.get(name, nan) for name in types)))
    return [*rows, ("paper, bound", *(PAPER_BOUND.get(name, nan) for name in types))]


def _of_subset(subset: Mapping[str, object], value: str) -> Estimate:
    number = subset[value]
    bounds = subset.get("intervals")
    low, high = bounds[value] if isinstance(bounds, dict) else (None, None)
    return Estimate(number if isinstance(number, float) else nan, low, high)


def _test(test: Comparison) -> tuple[Cell, ...]:
    numbers = test.difference, test.low, test.high, test.p, test.p_adjusted
    return (test.column, test.subset or "all", test.first, test.second, *numbers)


def _by_class(experiment: LocalisationExperiment) -> list[tuple[str, int, float, float]]:
    """Figure 7: R@1 with and without the detector of phrases that name one of its classes, frequent ones first."""
    if not experiment.grounder.parts.class_names:
        return []
    cca, detector = experiment.system("cca"), experiment.system("detector")
    cue = DetectorCue(experiment.grounder.parts.class_names)
    members: dict[str, list[int]] = {}
    for at in np.flatnonzero(cca.is_scored).tolist():
        phrase = cca.table.phrases[at]
        for name in cue.classes(make_query(0, len(phrase.text), phrase.text, phrase.mention.types))[:1]:
            members.setdefault(name, []).append(at)
    frequent = sorted(members, key=lambda name: (-len(members[name]), name))
    rows = []
    for name in frequent:
        if len(members[name]) >= FEWEST_PHRASES:
            without, beside = (float(of.outcomes.values[members[name], 0].mean()) for of in (cca, detector))
            rows.append((name, len(members[name]), without, beside))
    return rows


def _bands(experiment: LocalisationExperiment) -> Iterator[tuple[str, Booleans]]:
    """Which phrases are of nouns that were met so often in training captions, for each band that has any."""
    first = experiment.proposals.systems[0]
    times = np.full(len(first.table.phrases), -1)
    for at in np.flatnonzero(first.is_scored).tolist():
        phrase = first.table.phrases[at]
        times[at] = experiment.n_met.get(make_query(0, len(phrase.text), phrase.text, phrase.mention.types).noun, 0)
    for low, high in zip(MET, (*MET[1:], None), strict=True):
        is_in = (times >= low) & ((times < high) if high else True)
        if is_in.any():
            yield f"{low}+" if high is None else str(low) if high == low + 1 else f"{low}-{high - 1}", is_in


def _by_times_met(experiment: LocalisationExperiment) -> list[tuple[Cell, ...]]:
    """R@1 of every system in each band."""
    systems = experiment.proposals.systems
    return [
        (name, int(is_in.sum()), *(float(system.outcomes.values[is_in, 0].mean()) for system in systems))
        for name, is_in in _bands(experiment)
    ]


def _colour_rows(colours: ColourConfusions) -> list[tuple[Cell, ...]]:
    """For each classifier and colour, how many regions of it were told to be of each."""
    return [
        (classifier, colour, *row)
        for classifier, counts in colours.counts.items()
        for colour, row in zip(colours.colours, counts.tolist(), strict=True)
    ]


def _confusions(system: SystemScores) -> list[tuple[Cell, ...]]:
    counted = system.outcomes.confusions(system.table, system.is_scored)
    return [(name, other, n) for name, row in counted.items() for other, n in row.items()]


def _dots(experiment: LocalisationExperiment) -> dict[str, dict[str, dict[str, Estimate]]]:
    """The recalls of every system among either candidates, and the paper's R@1."""
    panels = {
        title: {value: {system.name: _estimate(system, value) for system in scores.systems} for value in RECALLED}
        for title, scores in (("proposals", experiment.proposals), ("gold candidates", experiment.gold))
    }
    panels["proposals"]["R@1, paper"] = {name: Estimate(recalls[0]) for name, recalls in PAPER.items()}
    return panels


def _figures(experiment: LocalisationExperiment) -> dict[str, FigureToDraw]:
    joint, plots = experiment.system(JOINT), localisation_experiment_plots
    shown = [experiment.system(name) for name in SHOWN]
    figures = {"types": FigureToDraw("By type (Table 6)", lambda: localisation_plots.types_figure(shown))}
    if classes := _by_class(experiment):
        names = [f"{name} ({n})" for name, n, _, _ in classes]
        shares = {"CCA": [row[2] for row in classes], "CCA + detector": [row[3] for row in classes]}
        title = f"classes of the detector with {FEWEST_PHRASES} phrases or more"
        figures["classes"] = FigureToDraw(
            "With and without the detector (Figure 7)", lambda: plots.shares_figure(names, shares, title)
        )
    if any(counts.any() for counts in experiment.colours.counts.values()):
        figures["colours"] = FigureToDraw(
            "What colours are taken for, % of a row (Figure 8)",
            lambda: plots.colours_figure(experiment.colours.colours, experiment.colours.counts),
        )
    figures["errors"] = FigureToDraw(
        "What the answers are on (Figure 9a)", lambda: localisation_plots.errors_figure(shown)
    )
    if joint.outcomes.confusions(joint.table, joint.is_scored):
        figures["confusions"] = FigureToDraw(
            "Whose box it is instead (Figure 9b)", lambda: localisation_plots.confusions_figure(joint)
        )
    figures["phrases"] = FigureToDraw("Frequent phrases (Figure 10)", lambda: localisation_plots.phrases_figure(joint))
    bands = list(_bands(experiment))
    by_system = {
        system.name: [float(system.outcomes.values[is_in, 0].mean()) for _, is_in in bands] for system in shown
    }
    figures["met"] = FigureToDraw(
        "Nouns by how often they were met in training",
        lambda: plots.shares_figure(
            [f"{name} ({int(is_in.sum())})" for name, is_in in bands],
            by_system,
            "times that the noun was met in training (phrases)",
        ),
    )
    if experiment.sweep:
        lines = {value: {n: _estimate(scores, value) for n, scores in experiment.sweep.items()} for value in VALUES}
        figures["sweep"] = FigureToDraw(
            "Fewer and more proposals", lambda: estimate_plots.lines_figure({JOINT: lines}, "proposals", "recall")
        )
    return figures
