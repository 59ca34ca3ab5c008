#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Puts tables made of a folder of results into Markdown, so that no number is copied by hand.

    tables.py perf_tests/results/h200 README.md ... [--index INDEX.tsv]
    tables.py perf_tests/results/h200                prints all tables
    tables.py perf_tests/results/h200 README.md --check   writes nothing, exits with 1 where a table is out of date

A table stands between the lines `<!-- begin NAME -->` and `<!-- end NAME -->`; NAME is one of those printed. The folder
holds spmv.json, spmm.json, spmm-double.json, paper000.json and paper000-layers.json, as far as they are there; targets are those of targets.json.
"""

import argparse
import json
import pathlib
import re
import sys

import results
import summary
import tables_paper000
from report_spmm import CLASSES, matrix_class
from summary import text

FILES = ("spmv.json", "spmm.json", "spmm-double.json")
TARGETS = json.loads((pathlib.Path(__file__).parent / "targets.json").read_text(encoding="utf-8"))
AUTOMATIC, FAST = "lacuna:automatic", "lacuna:automatic+tf32"
WIDTHS = (32, 128, 512)


class Results:
    """Problems of at least LEAST nonzeros: {(operation, scalar, N): {matrix: cases}}."""

    def __init__(self, folder):
        self.contexts, self.problems = [], {}
        for name in FILES:
            if not (folder / name).exists():
                continue
            data = results.read(folder / name)
            self.contexts.append(data.context)
            for (operation, matrix, scalar, columns), cases in data.problems().items():
                if summary.is_large(cases):
                    self.problems.setdefault((operation, scalar, columns), {})[matrix] = cases

    def of(self, operation, scalar, columns=0):
        return self.problems.get((operation, scalar, columns), {})

    def matrices(self, operation):
        """[(matrix, any of its cases)], real ones first, each by nonzeros."""
        found = {}
        for (its_operation, _, _), problems in self.problems.items():
            if its_operation == operation:
                for matrix, cases in problems.items():
                    found.setdefault(matrix, next(iter(cases.values())))
        return sorted(found.items(), key=lambda item: (item[1].generated, item[1].counters["nnz"]))


def row_of(cells):
    return "| " + " | ".join(cells) + " |"


def by_origin(matrices, row):
    """The rows of the real matrices, then those of the generated ones under a line that says so."""
    lines, generated = [], False
    for matrix, case in matrices:
        cells = row(matrix, case)
        if cells is None:
            continue
        if case.generated and not generated:
            generated = True
            lines.append(row_of(["*generated*"] + [""] * (len(cells) - 1)))
        lines.append(row_of(cells))
    return lines


def times(value):
    """A factor, with no more digits than say something."""
    return text(value, 0 if value is not None and value >= 10 else 2)


def kernels(all_cases, name=AUTOMATIC):
    """What was chosen: one word, or `a / b` where scalars differ."""
    labels = []
    for cases in all_cases:
        if name in cases and cases[name].label not in labels:
            labels.append(cases[name].label)
    return " / ".join(labels) or "-"


def in_graphs(all_cases):
    """Whether any was timed in a graph."""
    return any(case.graph_seconds for cases in all_cases for case in cases.values())


def spmv_matrices(data):
    graphs = in_graphs(cases for scalar in ("float", "double") for cases in data.of("spmv", scalar).values())
    measures = [summary.ratio, *([summary.device_ratio] if graphs else []), summary.native_ratio, summary.regret]

    def row(matrix, case):
        both = [data.of("spmv", scalar).get(matrix, {}) for scalar in ("float", "double")]
        if not any(AUTOMATIC in cases for cases in both):
            return None
        cells = [matrix, f"{case.counters['nnz']:,.0f}", kernels(both)]
        for cases in both:
            ours = cases.get(AUTOMATIC)
            cells.append(f"{ours.seconds * 1e6:.1f}" if ours else "-")
            if graphs:
                cells.append(f"{ours.device_seconds * 1e6:.1f}" if ours else "-")
            cells += [times(measure(cases, AUTOMATIC)) for measure in measures]
        return cells

    lines = by_origin(data.matrices("spmv"), row)
    each = [*(["on the device"] if graphs else []), "× best rival", *(["× on the device"] if graphs else []),
            "× Kokkos Kernels", "regret"]
    return lines and [row_of(["matrix", "nonzeros", "kernel", "float, µs", *each, "double, µs", *each]),
                      "|---|--:|---|" + "--:|" * (2 + 2 * len(each)), *lines]


def is_mesh(matrix):
    return matrix.startswith(("mesh", "banded:"))


def mean(values):
    return text(results.geometric_mean(values.values())) if values else "-"


def extreme(values, pick):
    """The least or the most, and where."""
    if not values:
        return "-"
    place = pick(values, key=values.get)
    return f"{values[place]:.2f} ({place})"


def selections(problems, index):
    """[(title, problems)] of all, real, the uses of real ones, generated; those that hold anything."""
    real = {matrix: cases for matrix, cases in problems.items() if not results.is_generated(matrix)}
    found = [("all", problems), ("real", real)]
    for use in ("tune", "check"):
        found.append((use, {matrix: cases for matrix, cases in real.items() if (index or {}).get(matrix) == use}))
    found.append(("generated", {matrix: cases for matrix, cases in problems.items() if results.is_generated(matrix)}))
    return [(title, group) for title, group in found if group]


def spmv_targets(data, index):
    target, lines = TARGETS["spmv"], []
    graphs = in_graphs(cases for scalar in ("float", "double") for cases in data.of("spmv", scalar).values())
    for scalar in ("float", "double"):
        for title, problems in selections(data.of("spmv", scalar), index):
            ratios = summary.values_of(problems, summary.ratio, AUTOMATIC)
            if not ratios:
                continue
            natives = summary.values_of(problems, summary.native_ratio, AUTOMATIC)
            regrets = summary.values_of(problems, summary.regret, AUTOMATIC)
            meshes = {matrix: value for matrix, value in ratios.items() if is_mesh(matrix)}
            on_device = summary.values_of(problems, summary.device_ratio, AUTOMATIC)
            lines.append(row_of([scalar, title, str(len(ratios)), mean(ratios), extreme(ratios, min),
                                 *([mean(on_device), extreme(on_device, min)] if graphs else []), mean(meshes), mean(natives),
                                 text(results.geometric_mean(regrets.values()), 3) if regrets else "-",
                                 extreme(regrets, max)]))
    wanted = [f"≥ {target['mean']}", f"≥ {target['least']}"]
    head = [row_of(["scalar", "matrices", "number", "× best rival", "least", *(["× on the device", "least"] if graphs else []),
                    "meshes and bands", "× Kokkos Kernels", "regret", "most"]),
            "|---|---|" + "--:|" * (9 if graphs else 7),
            row_of(["*target*", "", "", *wanted, *(wanted if graphs else []), f"≥ {target['meshes']}", "",
                    f"≤ {target['regret']}", f"≤ {target['most regret']}"])]
    return lines and head + lines


def spmm_matrices(data):
    def row(matrix, case):
        columns = [("float", AUTOMATIC), ("float", FAST), ("double", AUTOMATIC)]
        found = [(data.of("spmm", scalar, width).get(matrix, {}), name) for scalar, name in columns for width in WIDTHS]
        if not any(name in cases for cases, name in found):
            return None
        wide = data.of("spmm", "float", 128).get(matrix, {})
        ours = wide.get(AUTOMATIC)
        cells = [matrix, f"{case.counters['nnz']:,.0f}", matrix_class(case), kernels([wide]),
                 f"{ours.seconds * 1e6:.1f}" if ours else "-"]
        return cells + [text(summary.ratio(cases, name)) for cases, name in found] + [
            times(summary.native_ratio(wide, AUTOMATIC)), text(summary.regret(wide, AUTOMATIC))]

    lines = by_origin(data.matrices("spmm"), row)
    widths = [f"{kind}, {width}" for kind in ("full", "TF32", "double") for width in WIDTHS]
    return lines and [
        "| matrix | nonzeros | class | kernel | N = 128, µs | " + " | ".join(widths) + " | × Kokkos Kernels | regret |",
        "|---|--:|---|---|" + "--:|" * 12, *lines]


def spmm_target(kind, width, what):
    """What a class is held to at N = width in full precision, TF32 or double."""
    target = TARGETS["spmm"]
    if what == "double":
        return target["double"].get(kind)
    return target.get(kind, {}).get(str(width), (None, None))[what == "TF32"]


def of_class(problems, kind):
    return {matrix: cases for matrix, cases in problems.items()
            if kind == "all" or matrix_class(next(iter(cases.values()))) == kind}


def spmm_targets(data, index, kinds=("all", *CLASSES)):
    asked = (("full", "float", AUTOMATIC), ("TF32", "float", FAST), ("double", "double", AUTOMATIC))
    titles, lines = [], []
    for scalar in ("float", "double"):
        for width in WIDTHS:
            titles += [title for title, _ in selections(data.of("spmm", scalar, width), index) if title not in titles]
    graphs = in_graphs(cases for _, scalar, _ in asked for width in WIDTHS for cases in data.of("spmm", scalar, width).values())
    for what, scalar, name in asked:
        for kind in kinds:
            for width in WIDTHS:
                problems = of_class(data.of("spmm", scalar, width), kind)
                ratios = summary.values_of(problems, summary.ratio, name)
                if not ratios:
                    continue
                target = spmm_target(kind, width, what)
                row = [what, kind, str(width), f"≥ {target}" if target else "-"]
                groups = dict(selections(problems, index))
                for title in titles:
                    of_group = {matrix: ratios[matrix] for matrix in groups.get(title, {}) if matrix in ratios}
                    row.append(f"{mean(of_group)} ({len(of_group)})" if of_group else "-")
                on_device = summary.values_of(problems, summary.device_ratio, name)
                row += [extreme(ratios, min), *([mean(on_device), extreme(on_device, min)] if graphs else [])]
                lines.append(row_of(row))
    least = f"least (target ≥ {TARGETS['spmm']['least']})"
    heads = ["precision", "class", "N", "target", *titles, least, *(["all, on the device", "least"] if graphs else [])]
    return lines and [row_of(heads), "|---|---|--:|--:|" + "--:|" * (len(heads) - 4), *lines]


def revision(data):
    said = []
    for context in data.contexts:
        line = (f"{context.get('device')}, revision {context.get('git_revision')}"
                + (" with changes" if context.get("git_dirty") != "false" else "")
                + f", Kokkos {context.get('kokkos_version')}"
                + (f", cuSPARSE {context['cusparse_version']}" if context.get("cusparse_version") else "")
                + (f", {context['threads']} threads" if context.get("threads") else "") + ".")
        if line not in said:
            said.append(line)
    return said


def all_tables(folder, index):
    data = Results(folder)
    contexts, gcoo = tables_paper000.all_tables(folder)
    data.contexts += contexts
    return {"revision": revision(data), "spmv-targets": spmv_targets(data, index), "spmv-matrices": spmv_matrices(data),
            "spmm-means": spmm_targets(data, index, ("all",)),
            "spmm-targets": spmm_targets(data, index), "spmm-matrices": spmm_matrices(data), **gcoo}


def filled(document, tables, place):
    """The document with its tables. \\throws ResultError where a mark has no end or names no table."""
    marks = re.findall(r"<!-- begin ([\w-]+) -->", document)
    for name in marks:
        if not tables.get(name):
            raise results.ResultError(f"{place}: there is no table {name}; there are {', '.join(t for t in tables if tables[t])}")
        pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        document, count = pattern.subn(lambda match: match[1] + "\n".join(tables[name]) + "\n" + match[2], document)
        if count != marks.count(name):
            raise results.ResultError(f"{place}: <!-- begin {name} --> without <!-- end {name} -->")
    return document


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("documents", type=pathlib.Path, nargs="*")
    parser.add_argument("--index", type=pathlib.Path, help="INDEX.tsv with the columns name and use")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    stale = []
    try:
        tables = all_tables(options.folder, results.read_index(options.index) if options.index else None)
        for path in options.documents:
            document = path.read_text(encoding="utf-8")
            new = filled(document, tables, path)
            if new != document:
                stale.append(path)
                if not options.check:
                    path.write_text(new, encoding="utf-8")
    except (results.ResultError, OSError) as error:
        print(f"tables.py: {error}", file=sys.stderr)
        return 2
    if not options.documents:
        for name, lines in tables.items():
            if lines:
                print(f"<!-- begin {name} -->\n" + "\n".join(lines) + f"\n<!-- end {name} -->\n")
    for path in stale:
        print(f"{path}: {'is out of date' if options.check else 'written'}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
