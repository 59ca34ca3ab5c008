#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""The tables of `lacuna-bench paper000` for tables.py: random matrices and layers of pruned networks.

A folder holds paper000.json and paper000-layers.json, as far as they are there. The sparse rival is cuSPARSE at its best
in either layout; Blocked-ELL, which in float is a product in TF32, and dense products stand apart.
"""

import math
import re

import results
from summary import device_seconds, seconds, text

OURS = (("full", "lacuna:automatic"), ("TF32", "lacuna:automatic+tf32"), ("fp16", "lacuna:automatic+fp16"))
DENSE = (("fp32", "cublas:fp32"), ("TF32", "cublas:tf32"), ("half", "cublas:fp16"))
# What is compared with what where A, B and C are stored in half precision.
OURS_HALF, DENSE_HALF = OURS[:1], DENSE[2:]
# Ratios are counted in tenths, as the paper's figures 4 and 6 do.
BIN_NAMES = ["< 0.8", *(f"{tenth / 10:.1f}" for tenth in range(8, 20)), "≥ 2"]
FIRST_WIN = BIN_NAMES.index("1.0")
SPEC = re.compile(r"uniform:rows=(\d+)(?:,cols=(\d+))?,density=([0-9.e+-]+)$")


def row_of(cells):
    return "| " + " | ".join(cells) + " |"


def rival(cases, scalar, time=seconds):
    """The fastest of cuSPARSE; of what else there is where it did not run."""
    apart = () if scalar in ("half", "bhalf") else ("blocked_ell",)
    sparse = [case for name, case in cases.items()
              if not case.ours and not name.startswith("cublas:") and not any(word in name for word in apart)]
    found = [case for case in sparse if case.implementation.startswith("cusparse:")] or sparse
    return min(found, key=time, default=None)


def ratio(slow, fast, time=seconds):
    return time(slow) / time(fast) if slow is not None and fast is not None else None


class Product:
    """One product: rows, columns and share of zeros of a random matrix, N, and its timed cases."""

    def __init__(self, problem, cases):
        _, matrix, scalar, self.n = problem
        spec = SPEC.match(matrix)
        self.matrix, self.cases, self.rival = matrix, cases, rival(cases, scalar)
        self.device_rival = rival(cases, scalar, device_seconds)
        self.rows = int(spec[1]) if spec else 0
        self.columns = int(spec[2] or spec[1]) if spec else 0
        self.zeros = round(100 - 100 * float(spec[3]), 6) if spec else None

    @property
    def ours(self):
        return self.cases.get(OURS[0][1])

    @property
    def shape(self):
        return f"{self.rows:,}²" if self.rows == self.columns else f"{self.rows:,} × {self.columns:,}"


def products_of(data, scalar):
    return [Product(problem, cases) for problem, cases in data.problems().items()
            if problem[0] == "spmm" and problem[2] == scalar]


def products(folder, name, scalar="float"):
    """The products in one scalar type of one file, none where it is not there."""
    if not (folder / name).exists():
        return [], []
    data = results.read(folder / name)
    return [data.context], products_of(data, scalar)


def ratios_of(found, name, on_device=False):
    """{a product: time of the sparse rival over that of `name`}, of calls or `on_device` (results.Case)."""
    time = device_seconds if on_device else seconds
    return {f"{product.matrix}, N = {product.n}":
            ratio(product.device_rival if on_device else product.rival, product.cases[name], time)
            for product in found if name in product.cases and product.rival is not None}


def bins_of(ratios):
    """How many ratios there are in each of BIN_NAMES."""
    bins = [0] * len(BIN_NAMES)
    for value in ratios:
        bins[min(max(math.floor(10 * value + 1e-9) - 7, 0), len(bins) - 1)] += 1
    return bins


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
    """How often each precision of `automatic` beats the sparse rival, and by how much; on the device where that was
    measured."""
    lines, asked = [], [(title, ratios_of(found, name)) for title, name in OURS]
    if any(case.graph_seconds for product in found for case in product.cases.values()):
        asked += [(f"{title}, on the device", ratios_of(found, name, on_device=True)) for title, name in OURS]
    for title, ratios in asked:
        if not ratios:
            continue
        least = min(ratios, key=ratios.get)
        won = sum(value > 1 for value in ratios.values())
        lines.append(row_of([title, str(len(ratios)), f"{100 * won / len(ratios):.1f} %",
                             text(sum(ratios.values()) / len(ratios)), text(results.geometric_mean(ratios.values())),
                             f"{ratios[least]:.2f} ({least})", text(max(ratios.values()))]))
    return lines and ["| precision | products | wins | average | geomean | least | most |",
                      "|---|--:|--:|--:|--:|---|--:|", *lines]


def histogram(found):
    """Per cent of the products in each tenth of the ratio, from the number in the head on."""
    lines = []
    for title, name in OURS:
        ratios = ratios_of(found, name)
        if ratios:
            shares = [100 * count / len(ratios) for count in bins_of(ratios.values())]
            lines.append(row_of([title, str(len(ratios)), *(f"{share:.1f}" if share else "." for share in shares)]))
    return lines and [row_of(["precision", "products", *BIN_NAMES]), "|---|" + "--:|" * (len(BIN_NAMES) + 1), *lines]


def with_overhead(found):
    """What the paper's figure 13 shows: N = n, 95 to 99 % of zeros."""
    return [product for product in found if product.zeros is not None and 95 <= product.zeros <= 99
            and product.rows == product.columns == product.n and product.ours is not None]


def overhead(found):
    """Set-up from CSR, allocations included (EO), and one product (KC), in microseconds; for cuBLAS to a dense matrix."""
    lines = []
    for product in with_overhead(found):
        cells = [f"{product.rows:,}", f"{product.zeros:g}"]
        for case in (product.ours, product.rival, product.cases.get(DENSE[0][1])):
            if case is None:
                cells += ["-", "-", "-"]
                continue
            extra = case.counters["setup_ms"] * 1e-3
            cells += [f"{extra * 1e6:,.1f}", f"{case.seconds * 1e6:,.1f}", text(extra / case.seconds)]
        lines.append(row_of(cells))
    heads = [f"{who} {what}" for who in ("ours", "cuSPARSE", "dense fp32") for what in ("EO", "KC", "EO / KC")]
    return lines and [row_of(["n", "zeros, %", *heads]), "|--:|--:|" + "--:|" * len(heads), *lines]


def times(found, own=OURS, dense=DENSE):
    """A line a product: microseconds and ratios."""
    lines = []
    for product in found:
        ours = product.cases.get(OURS[0][1])
        if ours is None or product.zeros is None:
            continue
        cells = [product.shape, f"{product.n:,}", f"{product.zeros:g}", ours.label or "-", f"{ours.seconds * 1e6:,.1f}"]
        cells += [text(ratio(product.rival, product.cases.get(name))) for _, name in own]
        for _, name in dense:
            cells.append(f"{product.cases[name].seconds * 1e6:,.1f}" if name in product.cases else "-")
        lines.append(row_of(cells))
    heads = ["× cuSPARSE", *(title for title, _ in own[1:]), f"dense {dense[0][0]}, µs", *(title for title, _ in dense[1:])]
    return lines and ["| matrix | N | zeros, % | kernel | µs | " + " | ".join(heads) + " |",
                      "|---|--:|--:|---|" + "--:|" * (len(heads) + 1), *lines]


def crossovers(found, own=OURS, dense=DENSE):
    """From how many zeros on each dense product is passed, by shape and N."""
    shapes = {}
    for product in found:
        if product.zeros is not None:
            shapes.setdefault((product.rows, product.columns, product.n), []).append(product)
    lines = []
    for key in sorted(shapes):
        cells = [shapes[key][0].shape, f"{key[2]:,}"]
        for (_, ours), (_, full) in zip(own, dense):
            for pick in (lambda product: product.cases.get(ours), lambda product: product.rival):
                points = [(product.zeros, ratio(product.cases.get(full), pick(product))) for product in shapes[key]]
                cells.append(crossover([point for point in points if point[1] is not None]))
        lines.append(row_of(cells))
    heads = [f"{who} / dense {title}" for title, _ in dense for who in ("ours", "cuSPARSE")]
    return lines and ["| matrix | N | " + " | ".join(heads) + " |", "|---|--:|" + "--:|" * len(heads), *lines]


def all_tables(folder):
    """(contexts, tables by name)."""
    contexts, tables = [], {}
    for prefix, name in (("random", "paper000.json"), ("layers", "paper000-layers.json")):
        context, found = products(folder, name)
        contexts += context
        tables[f"{prefix}-wins"], tables[f"{prefix}-times"] = wins(found), times(found)
        tables[f"{prefix}-crossovers"], tables[f"{prefix}-histogram"] = crossovers(found), histogram(found)
        tables[f"{prefix}-overhead"] = overhead(found)
    _, found = products(folder, "paper000-layers.json", "half")
    tables["layers-half-wins"], tables["layers-half-times"] = wins(found), times(found, OURS_HALF, DENSE_HALF)
    tables["layers-half-crossovers"] = crossovers(found, OURS_HALF, DENSE_HALF)
    return contexts, tables
