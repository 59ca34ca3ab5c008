#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""The tables of `lacuna-bench paper000` for tables.py: random matrices and layers of pruned networks.

A folder holds paper000.json and paper000-layers.json, as far as they are there. The sparse rival is cuSPARSE at its best
in either layout; Blocked-ELL, which is a product in TF32, and dense products stand apart.
"""

import math
import re

import results
from summary import text

OURS = (("full", "lacuna:automatic"), ("TF32", "lacuna:automatic+tf32"), ("fp16", "lacuna:automatic+fp16"))
DENSE = (("fp32", "cublas:fp32"), ("TF32", "cublas:tf32"), ("half", "cublas:fp16"))
SPEC = re.compile(r"uniform:rows=(\d+)(?:,cols=(\d+))?,density=([0-9.e+-]+)$")


def row_of(cells):
    return "| " + " | ".join(cells) + " |"


def rival(cases):
    """The fastest of cuSPARSE; of what else there is where it did not run."""
    sparse = [case for name, case in cases.items()
              if not case.ours and not name.startswith("cublas:") and "blocked_ell" not in name]
    found = [case for case in sparse if case.implementation.startswith("cusparse:")] or sparse
    return min(found, key=lambda case: case.seconds, default=None)


def ratio(slow, fast):
    return slow.seconds / fast.seconds if slow is not None and fast is not None else None


class Product:
    """One product: rows, columns and share of zeros of a random matrix, N, and its timed cases."""

    def __init__(self, problem, cases):
        _, matrix, _, self.n = problem
        spec = SPEC.match(matrix)
        self.matrix, self.cases, self.rival = matrix, cases, rival(cases)
        self.rows = int(spec[1]) if spec else 0
        self.columns = int(spec[2] or spec[1]) if spec else 0
        self.zeros = round(100 - 100 * float(spec[3]), 6) if spec else None

    @property
    def shape(self):
        return f"{self.rows:,}²" if self.rows == self.columns else f"{self.rows:,} × {self.columns:,}"


def products(folder, name):
    """The products in float of one file, none where it is not there."""
    if not (folder / name).exists():
        return [], []
    data = results.read(folder / name)
    found = [Product(problem, cases) for problem, cases in data.problems().items() if problem[2] == "float"]
    return [data.context], found


def crossover(points):
    """From how many per cent of zeros on the ratio is never below 1, given (zeros, ratio); as lacuna-bench has it."""
    points = sorted(points)
    if not points:
        return "-"
    first = len(points)
    while first > 0 and points[first - 1][1] >= 1:
        first -= 1
    if first == len(points):
        return f"> {points[-1][0]:g}"
    if first == 0:
        return f"≤ {points[0][0]:g}"
    (below, low), (above, high) = points[first - 1], points[first]
    portion = -math.log(low) / (math.log(high) - math.log(low))
    left, right = math.log(100 - below), math.log(max(100 - above, 1e-6))
    return f"{100 - math.exp(left + portion * (right - left)):.1f}"


def wins(found):
    """How often each precision of `automatic` beats the sparse rival, and by how much."""
    lines = []
    for title, name in OURS:
        ratios = {f"{product.matrix}, N = {product.n}": ratio(product.rival, product.cases[name])
                  for product in found if name in product.cases and product.rival is not None}
        if not ratios:
            continue
        least = min(ratios, key=ratios.get)
        won = sum(value > 1 for value in ratios.values())
        lines.append(row_of([title, str(len(ratios)), f"{100 * won / len(ratios):.1f} %",
                             text(sum(ratios.values()) / len(ratios)), text(results.geometric_mean(ratios.values())),
                             f"{ratios[least]:.2f} ({least})", text(max(ratios.values()))]))
    return lines and ["| precision | products | wins | average | geomean | least | most |",
                      "|---|--:|--:|--:|--:|---|--:|", *lines]


def times(found):
    """A line a product: microseconds and ratios."""
    lines = []
    for product in found:
        ours = product.cases.get(OURS[0][1])
        if ours is None or product.zeros is None:
            continue
        cells = [product.shape, f"{product.n:,}", f"{product.zeros:g}", ours.label or "-", f"{ours.seconds * 1e6:,.1f}"]
        cells += [text(ratio(product.rival, product.cases.get(name))) for _, name in OURS]
        for _, name in DENSE:
            cells.append(f"{product.cases[name].seconds * 1e6:,.1f}" if name in product.cases else "-")
        lines.append(row_of(cells))
    return lines and ["| matrix | N | zeros, % | kernel | µs | × cuSPARSE | TF32 | fp16 | dense fp32, µs | TF32 | half |",
                      "|---|--:|--:|---|" + "--:|" * 7, *lines]


def crossovers(found):
    """From how many zeros on each dense product is passed, by shape and N."""
    shapes = {}
    for product in found:
        if product.zeros is not None:
            shapes.setdefault((product.rows, product.columns, product.n), []).append(product)
    lines = []
    for key in sorted(shapes):
        cells = [shapes[key][0].shape, f"{key[2]:,}"]
        for (_, ours), (_, dense) in zip(OURS, DENSE):
            for pick in (lambda product: product.cases.get(ours), lambda product: product.rival):
                points = [(product.zeros, ratio(product.cases.get(dense), pick(product))) for product in shapes[key]]
                cells.append(crossover([point for point in points if point[1] is not None]))
        lines.append(row_of(cells))
    heads = [f"{who} / dense {title}" for title, _ in DENSE for who in ("ours", "cuSPARSE")]
    return lines and ["| matrix | N | " + " | ".join(heads) + " |", "|---|--:|" + "--:|" * len(heads), *lines]


def all_tables(folder):
    """(contexts, tables by name)."""
    contexts, tables = [], {}
    for prefix, name in (("gcoo", "paper000.json"), ("layers", "paper000-layers.json")):
        context, found = products(folder, name)
        contexts += context
        tables[f"{prefix}-wins"], tables[f"{prefix}-times"] = wins(found), times(found)
        tables[f"{prefix}-crossovers"] = crossovers(found)
    return contexts, tables
