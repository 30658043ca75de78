"""Benchmarks of novel objects: which images to choose, and how far each is from what captions speak of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.bench.benchmark import Benchmark, build, write_benchmark
    from limner.bench.candidate_images import gather_candidates, per_image
    from limner.bench.class_domains import CaptionedClass, Domains, find_domains, write_domains
    from limner.bench.counted_classes import CountedClasses

__getattr__, __dir__, __all__ = lazy_exports(__name__)
