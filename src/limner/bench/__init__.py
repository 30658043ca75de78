"""Benchmarks of novel objects: which images to choose, and how far each is from what captions speak of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.bench.benchmark import Benchmark as Benchmark
    from limner.bench.benchmark import build as build
    from limner.bench.benchmark import write_benchmark as write_benchmark
    from limner.bench.candidate_images import gather_candidates as gather_candidates
    from limner.bench.candidate_images import per_image as per_image
    from limner.bench.class_domains import CaptionedClass as CaptionedClass
    from limner.bench.class_domains import Domains as Domains
    from limner.bench.class_domains import find_domains as find_domains
    from limner.bench.class_domains import write_domains as write_domains
    from limner.bench.counted_classes import CountedClasses as CountedClasses

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "limner.bench.benchmark": ["Benchmark", "build", "write_benchmark"],
        "limner.bench.candidate_images": ["gather_candidates", "per_image"],
        "limner.bench.class_domains": ["CaptionedClass", "Domains", "find_domains", "write_domains"],
        "limner.bench.counted_classes": ["CountedClasses"],
    },
)
