#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Fits the costs of SpmmHrpbPolicy to results of `lacuna-bench spmm` with `hrpb` among the algorithms.

    fit_hrpb.py FILE.json ...

The time of a product is the launch and six parts, each times a cost (kernels/spmm/published/hrpb/Lacuna_SpmmHrpbModel.hpp);
results hold the parts (`term_...`). Prints the costs, at least 0, that leave the least sum of squares of relative errors,
and how far predictions were off before and are off after. Only `hrpb` in TF32 with its own balance counts, unless
--implementation names another."""

import argparse
import itertools
import math
import sys

import results

COSTS = (("packed", "packed_cost"), ("gather", "gather_cost"), ("scratch", "scratch_cost"), ("memory", "memory_cost"),
         ("brick", "brick_seconds"), ("block", "block_seconds"))


class Point:
    """A product that was measured."""

    def __init__(self, case):
        self.name = f"{case.matrix}, N = {case.columns}"
        self.measured = case.device_seconds
        self.predicted, self.launch = case.counters["predicted_seconds"], case.counters["launch_seconds"]
        self.parts = [case.counters[f"term_{part}"] for part, _ in COSTS]

    def by(self, costs):
        return self.launch + sum(part * cost for part, cost in zip(self.parts, costs))


def points_of(cases, implementation):
    return [Point(case) for case in cases
            if case.implementation == implementation and not case.error and "launch_seconds" in case.counters]


def solve(matrix, right):
    """Gauss with pivots; None of a matrix without an inverse."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    scale = max((abs(value) for row in matrix for value in row), default=0)
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda k: abs(rows[k][i]))
        if abs(rows[pivot][i]) <= 1e-13 * scale:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(len(rows)):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [row[-1] / row[i] for i, row in enumerate(rows)]


def fit(points):
    """Costs of least squares, none below 0: the best of all subsets that are solved without a bound."""
    shares = [[part / point.measured for part in point.parts] for point in points]
    wanted = [1 - point.launch / point.measured for point in points]
    norms = [math.sqrt(sum(row[i] ** 2 for row in shares)) or 1 for i in range(len(COSTS))]
    shares = [[value / norm for value, norm in zip(row, norms)] for row in shares]
    best, least = [0.0] * len(COSTS), sum(value ** 2 for value in wanted)
    for size in range(1, len(COSTS) + 1):
        for taken in itertools.combinations(range(len(COSTS)), size):
            normal = [[sum(row[i] * row[j] for row in shares) for j in taken] for i in taken]
            right = [sum(row[i] * value for row, value in zip(shares, wanted)) for i in taken]
            found = solve(normal, right)
            if found is None or min(found) < 0:
                continue
            rest = sum((sum(row[i] * cost for i, cost in zip(taken, found)) - value) ** 2
                       for row, value in zip(shares, wanted))
            if rest < least * (1 - 1e-9):
                least, best = rest, [0.0] * len(COSTS)
                for i, cost in zip(taken, found):
                    best[i] = cost / norms[i]
    return best


def errors_text(points, predicted):
    """How far off in the mean (of logarithms) and at most."""
    factors = [max(value / point.measured, point.measured / value) for point, value in zip(points, predicted)]
    mean = math.exp(sum(math.log(factor) for factor in factors) / len(factors))
    return f"within a factor of {mean:.2f} in the mean, {max(factors):.2f} at most"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--implementation", default="lacuna:hrpb+tf32")
    parser.add_argument("--all", action="store_true", help="a line for each product too")
    options = parser.parse_args(arguments)
    points = points_of([case for path in options.files for case in results.read(path).cases], options.implementation)
    if len(points) < len(COSTS):
        print(f"fit_hrpb.py: {len(points)} products of {options.implementation} with their parts, {len(COSTS)} are needed",
              file=sys.stderr)
        return 1
    costs = fit(points)
    print(f"// {len(points)} products. Before: {errors_text(points, [point.predicted for point in points])};")
    print(f"// after: {errors_text(points, [point.by(costs) for point in points])}.")
    for (_, name), cost in zip(COSTS, costs):
        print(f"static constexpr double {name} = {cost:.3g};")
    if options.all:
        for point in sorted(points, key=lambda point: point.by(costs) / point.measured):
            print(f"// {point.name}: measured {1e6 * point.measured:.1f} us, before {1e6 * point.predicted:.1f}, "
                  f"after {1e6 * point.by(costs):.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
