"""How many threads numpy's matrix products take.

Products of small matrices gain nothing from a second thread. Where another job
has the second core, each product waits for it: training a grounder then took
more than six times the processor time.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Matrix products take one thread within the block, and as many as before after it."""
    with threadpool_limits(1, user_api="blas"):
        yield
