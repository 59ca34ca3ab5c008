#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Turns the JSON of `lacuna-bench spgemm --rivals` into a table: report_spgemm.py spgemm.json > spgemm.md"""

import json
import math
import sys

WHOLE_RIVALS = ("cusparse:alg1", "cusparse:alg2", "cusparse:alg3", "kokkos-kernels")


def read(path):
    """{(matrix, scalar): {implementation: case}}, in the order of the file."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    found = {}
    for case in document["benchmarks"]:
        operation, rest = case["name"].split("/", 1)
        matrix, scalar, implementation = rest.rsplit("/", 2)
        if operation == "spgemm" and not case.get("error_occurred"):
            found.setdefault((matrix, scalar), {})[implementation] = case
    return document["context"], found


def microseconds(case):
    scale = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[case["time_unit"]]
    return case["real_time"] * scale


def best(cases, names):
    served = [(microseconds(cases[name]), name) for name in names if name in cases]
    return min(served) if served else (None, "")


def text(time):
    return "" if time is None else f"{time:,.0f}" if time >= 10 else f"{time:.1f}"


def table(found):
    lines = [
        "| matrix | products, M | nonzeros of C, M | whole call, us | best rival | us | ratio | bins, us | symbolic, us "
        "| values alone, us | cuSPARSE's reuse, us |",
        "|---|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|",
    ]
    ratios = []
    for (matrix, scalar), cases in found.items():
        ours = microseconds(cases["lacuna:automatic"])
        rival, name = best(cases, WHOLE_RIVALS)
        if rival is not None:
            ratios.append(rival / ours)
        facts = cases["lacuna:automatic"]
        columns = [f"{matrix}, {scalar}", f"{facts['products'] / 1e6:.1f}", f"{facts['nnz_c'] / 1e6:.2f}", text(ours), name, text(rival)]
        columns.append("" if rival is None else f"{rival / ours:.2f}")
        for other in ("lacuna:bins", "lacuna:automatic:symbolic", "lacuna:automatic:reuse", "cusparse:reuse"):
            columns.append(text(microseconds(cases[other]) if other in cases else None))
        lines.append("| " + " | ".join(columns) + " |")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        lines += ["", f"Best rival over ours, whole call: geometric mean {mean:.2f} of {len(ratios)}, least {min(ratios):.2f}."]
    return "\n".join(lines)


def main(arguments):
    context, found = read(arguments[0])
    keys = ("device", "git_revision", "kokkos_version", "cusparse_version", "date")
    print("# C = A A\n")
    print("; ".join(f"{key} {context[key]}" for key in keys if key in context) + ".\n")
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
