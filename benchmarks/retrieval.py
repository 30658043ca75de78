"""How long exact search in both directions takes beside its matrix products, and how an approximate index compares.

    python benchmarks/retrieval.py [--images N] [--sentences N] [--dims N] [--no-approximate] [--json]

Random vectors of unit length; a fifth of the sentences' vectors is that of
their picture, so that ranks of gold are not all chance. One run makes the
products alone, then searches: ranks of gold, the 10 best and medians, both
directions, from one pass over the same blocks. The approximate index
(`limner[search]`) finds the 10 best pictures of 2,000 sentences, among random
vectors and among clustered ones, which are more like those of real pictures.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

from limner.learn.cross_search import Products, best_of_rows, blocks_of, cross_search

QUERIES = 2_000
K = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=int, default=31_783)
    parser.add_argument("--sentences", type=int, default=158_915)
    parser.add_argument("--dims", type=int, default=512)
    parser.add_argument("--no-approximate", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    images, sentences, gold = made(options.images, options.sentences, options.dims)
    row = exact(images, sentences, gold)
    if not options.no_approximate and find_spec("faiss"):
        row["approximate"] = {
            "random": approximate(images, sentences[:QUERIES]),
            "clustered": approximate(*clustered(options.images, options.dims)),
        }
    if options.json:
        print(json.dumps(row, indent=2))
        return
    print(f"{options.images:,} pictures, {options.sentences:,} sentences, {options.dims} dimensions")
    print(f"products {row['gemm_s']:.1f} s, search {row['search_s']:.1f} s: {row['ratio_to_gemm']:.2f} times")
    print(f"processor time: {row['ratio_to_gemm_cpu']:.2f} times; at most {row['peak_mb']:,.0f} MB")
    for name, figures in row.get("approximate", {}).items():
        print(f"approximate, {name}: {', '.join(f'{key} {value:.4g}' for key, value in figures.items())}")


def made(n_images: int, n_sentences: int, n_dims: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    images = unit(random.standard_normal((n_images, n_dims), dtype=np.float32))
    gold = np.arange(n_sentences) * n_images // n_sentences
    sentences = random.standard_normal((n_sentences, n_dims), dtype=np.float32)
    sentences += np.float32(0.2 * n_dims**0.5) * images[gold]
    return images, unit(sentences), gold


def unit(vectors: np.ndarray) -> np.ndarray:
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def clustered(n: int, n_dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Pictures around 300 centres, with most of the variance in few directions, and queries of the same kind."""
    random = np.random.default_rng(1)
    directions = random.standard_normal((32, n_dims), dtype=np.float32)
    centres = random.standard_normal((300, 32), dtype=np.float32)

    def draw(n_rows: int) -> np.ndarray:
        within = centres[random.integers(300, size=n_rows)] + 0.7 * random.standard_normal(
            (n_rows, 32), dtype=np.float32
        )
        return unit(within @ directions + random.standard_normal((n_rows, n_dims), dtype=np.float32))

    return draw(n), draw(QUERIES)


def exact(images: np.ndarray, sentences: np.ndarray, gold: np.ndarray) -> dict[str, object]:
    products = Products(images, sentences)

    def multiply() -> None:
        for rows, columns in blocks_of(*products.shape):
            products.block(rows, columns)

    products.block(slice(0, 1020), slice(0, 2040))
    _, gemm_s, gemm_cpu = timed(multiply)
    found, search_s, search_cpu = timed(lambda: cross_search(products, gold, K))
    ranks = {"image_to_text": found.of_rows.ranks, "text_to_image": found.of_columns.ranks}
    return {
        "images": len(images),
        "sentences": len(sentences),
        "dims": images.shape[1],
        "gemm_s": gemm_s,
        "search_s": search_s,
        "ratio_to_gemm": search_s / gemm_s,
        "ratio_to_gemm_cpu": search_cpu / gemm_cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "median_rank": {name: float(np.median(of_queries)) for name, of_queries in ranks.items()},
        "R@10": {name: float((of_queries <= 10).mean()) for name, of_queries in ranks.items()},
    }


def approximate(images: np.ndarray, queries: np.ndarray) -> dict[str, float]:
    from limner.learn.approximate_search import ApproximateSearch, learn_lists

    lists, learning_s, _ = timed(lambda: learn_lists(images))
    searcher, adding_s, _ = timed(lambda: ApproximateSearch(images, lists))
    (items, _), approximate_s, _ = timed(lambda: searcher.search(queries, K))
    (nearest, _), exact_s, _ = timed(lambda: best_of_rows(queries @ images.T, K))
    shared = [len(set(a) & set(b)) / K for a, b in zip(items.tolist(), nearest.tolist(), strict=True)]
    return {
        "learning_s": learning_s,
        "adding_s": adding_s,
        "search_ms_a_query": 1000 * approximate_s / len(queries),
        "exact_ms_a_query": 1000 * exact_s / len(queries),
        "recall_at_10": float(np.mean(shared)),
    }


def timed(work: Callable[[], object]) -> tuple[object, float, float]:
    start, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - start, time.process_time() - cpu


if __name__ == "__main__":
    main()
