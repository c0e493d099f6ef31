# SPDX-License-Identifier: MIT
"""Rank statistics by the book: all averages and differences, and distributions by enumeration of
counts."""

import numpy as np


def walsh(x):
    """The averages of all pairs of values, each with itself too, in order."""
    i, j = np.triu_indices(len(x))
    return np.sort((np.asarray(x)[i] + np.asarray(x)[j]) / 2)


def signed_ranks(n):
    """P(T = t) for t = 0, 1, …, n (n + 1) / 2."""
    chances = np.ones(1)
    for rank in range(1, n + 1):
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    return chances


def rank_sums(n, m):
    """P(U = u) for u = 0, 1, …, n m."""
    counts = {(0, k): np.ones(1) for k in range(m + 1)} | {(k, 0): np.ones(1) for k in range(n + 1)}
    for a in range(1, n + 1):
        for b in range(1, m + 1):
            whole = np.zeros(a * b + 1)
            whole[b:] += counts[a - 1, b] * a / (a + b)
            whole[:a * (b - 1) + 1] += counts[a, b - 1] * b / (a + b)
            counts[a, b] = whole
    return counts[n, m]


def told(points, chances, level):
    """(estimate, low, high, p) of a shift, from its ordered points and the distribution of how many
    of them lie below it."""
    points = np.asarray(points)
    fewest = min((points <= 0).sum(), (points >= 0).sum())
    below = np.cumsum(chances)
    k = int((2 * below <= (1 - level) * (1 + 1e-12)).sum())
    ends = (points[k - 1], points[-k]) if k else (-np.inf, np.inf)
    return np.median(points), *ends, min(1, 2 * below[min(fewest, len(below) - 1)])


def paired(a, b, level=0.95):
    """Of the ratios a / b."""
    logs = np.log(np.asarray(a) / np.asarray(b))
    *ends, p = told(walsh(logs), signed_ranks(len(logs)), level)
    return (*np.exp(ends), p)


def independent(a, b, level=0.95):
    differences = np.sort(np.subtract.outer(np.log(a), np.log(b)).ravel())
    *ends, p = told(differences, rank_sums(len(a), len(b)), level)
    return (*np.exp(ends), p)


def estimate(ratios):
    return paired(ratios, np.ones(len(ratios)))[0]


def interval(ratios, level):
    """(low, high) of ratios by block; None twice where they are too few for the level."""
    _, low, high, _ = paired(ratios, np.ones(len(ratios)), level)
    return (low, high) if low else (None, None)
