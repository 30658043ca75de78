"""Matrix products of one thread."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from limner.learn.blas_threads import one_blas_thread


def test_products_take_one_thread_within_the_block_alone() -> None:
    np.ones((2, 2)) @ np.ones((2, 2))
    with threadpool_limits(2, user_api="blas"):
        with one_blas_thread():
            assert _threads() == {1}
        assert _threads() == {2}


def _threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}
