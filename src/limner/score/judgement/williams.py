"""Whether one metric correlates better with the same judgements than another does: Williams' test.

Two correlations that share a column, and were taken on the same rows, are not
independent: the more the two metrics agree, the smaller a difference can be
told from chance (Williams 1959; Steiger 1980 recommends it over Hotelling's).
The test takes rows to be independent and correlations to be Pearson's.
"""

from __future__ import annotations

from math import exp, inf, isfinite, lgamma, log, log1p, sqrt
from typing import NamedTuple


class Williams(NamedTuple):
    """The test's t with its degrees of freedom, and the two-sided p."""

    t: float
    df: int
    p: float


def williams(first: float, second: float, between: float, n: int) -> Williams | None:
    """The test of two metrics' Pearson correlations with the judgements of n rows; `between` is that of the metrics.

    None where there is nothing to test: fewer than four rows, or metrics that
    are one another's multiples.
    """
    if n < 4 or not -1.0 < between < 1.0:
        return None
    determinant = 1.0 - first**2 - second**2 - between**2 + 2.0 * first * second * between
    spread = 2.0 * max(determinant, 0.0) * (n - 1) / (n - 3) + (first + second) ** 2 / 4.0 * (1.0 - between) ** 3
    if spread <= 0.0:
        return None
    t = (first - second) * sqrt((n - 1) * (1.0 + between) / spread)
    return Williams(t, n - 3, student_t_p(t, n - 3))


def student_t_p(t: float, df: float) -> float:
    """The two-sided p of Student's t: the chance of one as far from 0."""
    if not isfinite(t):
        return 0.0 if abs(t) == inf else t
    if t * t < 1.0:  # one less the other side: near 1 the fraction below would be rounded
        return 1.0 - incomplete_beta(0.5, df / 2.0, t * t / (df + t * t))
    return incomplete_beta(df / 2.0, 0.5, df / (df + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for a and b above 0 and x from 0 to 1."""
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    # The fraction converges fast on this side of the mean; on the other, I_x(a, b) = 1 − I_{1−x}(b, a).
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - incomplete_beta(b, a, 1.0 - x)
    front = a * log(x) + b * log1p(-x) - lgamma(a) - lgamma(b) + lgamma(a + b)
    return exp(front) / a * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    value, upper, lower = 1.0, 1.0, 0.0
    for step in range(1, MAX_TERMS):
        m = step // 2
        if step % 2:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        lower = 1.0 / (1.0 + term * lower)
        upper = 1.0 + term / upper
        value *= upper * lower
        if abs(upper * lower - 1.0) < 1e-15:
            break
    return 1.0 / value


MAX_TERMS = 100_000
