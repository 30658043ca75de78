"""The signature of a caption score: every choice that could change it, and which images and references it is of."""

from __future__ import annotations

import numpy as np

from limner import __version__
from limner.arrays import Floats, Integers
from limner.score.data_fingerprint import data_fingerprint
from limner.score.measure import WITHOUT_BOX
from limner.score.metric import Metric, Statistics
from limner.score.pairing import Missing
from limner.score.run import Run


def caption_signature(run: Run, metric: Metric, statistics: Statistics, n_images: int, missing: Missing) -> str:
    """The signature of a value of the metric that is made of `n_images` images of the run."""
    sizes = [len(references) for references in run.references] or [0]
    places = _images_with_gold(run, metric, statistics)
    numbers = run.numbers(with_boxes=metric.needs_images, with_mentions=metric.needs_mentions)
    of_places = None if len(places) == len(run) else places.tolist()
    caveats = run.caveats(of_people=metric.is_of_people, with_mentions=metric.needs_mentions, places=of_places)
    choices = {
        "metric": metric.name,
        **statistics.choices,
        "tok": run.tokeniser_name,
        "refs": f"{min(sizes)}-{max(sizes)}",
        "images": len(run),
        **({"scored": f"{n_images} images"} if 0 < n_images < len(run) else {}),
        **_captions_without_box(metric, statistics),
        "data": data_fingerprint(numbers[places]),
        "missing": missing,
        **caveats.to_json(),
        "limner": __version__,
    }
    return "|".join(f"{name}:{value}" for name, value in choices.items())


def _images_with_gold(run: Run, metric: Metric, statistics: Statistics) -> Integers:
    """The places of the images that a metric can score, whatever the system says; all of them if it has none.

    A metric that looks at mentions scores no image whose gold captions all refer to no box.
    """
    everywhere = np.arange(len(run))
    if (items := _items_of_mentions(metric, statistics)) is None:
        return everywhere
    n_references = np.fromiter(map(len, run.references), dtype=np.int64, count=len(run))
    places = np.flatnonzero(items[:, WITHOUT_BOX] < n_references)
    return places if len(places) else everywhere


def _captions_without_box(metric: Metric, statistics: Statistics) -> dict[str, str]:
    """How many gold captions had no say, where a metric counted them."""
    items = _items_of_mentions(metric, statistics)
    return {} if items is None else {"no_box": f"{items[:, WITHOUT_BOX].sum():.0f} captions left out"}


def _items_of_mentions(metric: Metric, statistics: Statistics) -> Floats | None:
    """What was counted of each image, where that says how many gold captions refer to no box."""
    items = statistics.items
    return items if metric.needs_mentions and items is not None and items.shape[1] > WITHOUT_BOX else None
