#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Prints the parallel efficiency of what `lacuna-bench engine` timed on one rank and on several.

    efficiency.py ONE.json TWO.json [MORE.json ...]

The efficiency of p ranks is their rate over p times the rate of one; a rate is nonzeros a second. So it is
time(1) / (p time(p)) where the matrix is the same (strong), and about time(1) / time(p) where p ranks have one of the
same kind that is p times as large (weak). The last column is ours over the most of PETSc's own types.
"""

import argparse
import sys

import results

CLOSE = 0.05  # rows a rank of weak pairs may differ by so much


class Measured:
    def __init__(self, case, ranks):
        self.case, self.ranks = case, ranks
        self.rate = case.counters["nnz"] / case.seconds

    @property
    def family(self):
        return self.case.matrix.split(":")[0]


def read(paths):
    """Every timed case, with the number of its ranks; the fastest where a file was made more than once."""
    best = {}
    for path in paths:
        data = results.read(path)
        ranks = len(data.context.get("ranks", []))
        if ranks == 0:
            raise results.ResultError(f"{path}: its context has no ranks (lacuna-bench engine makes such files)")
        for case in data.cases:
            if case.error:
                continue
            key = (case.name, ranks)
            if key not in best or case.seconds < best[key].case.seconds:
                best[key] = Measured(case, ranks)
    return list(best.values())


def runs_of_one(measured, several):
    """Each (kind, run of one rank) that a run of several is compared with."""
    same = [one for one in measured if one.ranks == 1 and one.case.implementation == several.case.implementation
            and one.case.operation == several.case.operation and one.case.columns == several.case.columns
            and one.case.scalar == several.case.scalar and one.family == several.family]
    for one in same:
        if one.case.matrix == several.case.matrix:
            yield "strong", one
        elif abs(one.case.counters["rows"] * several.ranks / several.case.counters["rows"] - 1) < CLOSE:
            yield "weak", one


def efficiencies(measured):
    """{(operation, columns, matrix of one, matrix of several, ranks, kind): {implementation: (one, several, value)}}"""
    groups = {}
    for several in measured:
        if several.ranks == 1:
            continue
        for kind, one in runs_of_one(measured, several):
            key = (several.case.operation, several.case.columns, one.case.matrix, several.case.matrix, several.ranks, kind)
            groups.setdefault(key, {})[several.case.implementation] = (
                one, several, several.rate / (several.ranks * one.rate))
    return groups


def table(groups):
    yield "| operation | matrix | ranks | implementation | one rank, ms | so many, ms | efficiency | over PETSc's most |"
    yield "|---|---|--:|---|--:|--:|--:|--:|"
    for (operation, columns, of_one, of_several, ranks, kind), group in groups.items():
        petsc = [value for name, (_, _, value) in group.items() if name.startswith("petsc:")]
        matrix = of_one if of_one == of_several else f"{of_one}, {of_several}"
        for name, (one, several, value) in group.items():
            ratio = f"{value / max(petsc):.2f}" if petsc and name.startswith("lacuna:") else ""
            label = several.case.label.split(",")[0] if several.case.label else ""
            shown = f"{name} ({label})" if name.startswith("lacuna:") and label else name
            yield (f"| {operation}{f', N = {columns}' if columns else ''}, {kind} | {matrix} | {ranks} | {shown} "
                   f"| {1e3 * one.case.seconds:.4g} | {1e3 * several.case.seconds:.4g} | {value:.3f} | {ratio} |")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE.json")
    options = parser.parse_args(arguments)
    try:
        groups = efficiencies(read(options.files))
    except results.ResultError as error:
        print(error, file=sys.stderr)
        return 2
    if not groups:
        print("no case was timed on one rank and on several", file=sys.stderr)
        return 1
    print("\n".join(table(groups)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
