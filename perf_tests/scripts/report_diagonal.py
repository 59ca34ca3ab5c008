#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Turns the JSON of `lacuna-bench diagonal` into a table and plots.

    report_diagonal.py paper003.json ... --output folder     writes folder/diagonal.md, folder/diagonal-bands.png,
                                                             folder/diagonal-many.png

Workloads of several files are put together; of one that occurs twice the last file's count.
"""

import argparse
import pathlib
import re
import sys

import results

COLUMNS = (
    ("lacuna:automatic", "automatic, HM"),
    ("lacuna:automatic+cdm", "automatic, CDM"),
    ("lacuna:tiles+cdm", "`tiles` (CDM)"),
    ("lacuna:entries", "`entries` (HM)"),
    ("lacuna:entries_by_case", "`entries_by_case` (HM)"),
    ("cusparse:spgemm", "cuSPARSE SpGEMM"),
    ("cusparse:spgemm_reuse", "its numeric part"),
    ("cublas:fp64", "DGEMM"),
    ("openmp:hm", "OpenMP HM"),
    ("openmp:cdm", "OpenMP CDM"),
    ("sequential:hm", "sequential HM"),
    ("sequential:cdm", "sequential CDM"),
)
STYLES = (
    ("lacuna:automatic", "#3b6ea8", "o"),
    ("lacuna:tiles+cdm", "#7aa6d1", "v"),
    ("lacuna:entries", "#9db8a0", "^"),
    ("cusparse:spgemm", "#b04a4a", "x"),
    ("cusparse:spgemm_reuse", "#d08c3a", "x"),
    ("cublas:fp64", "#777777", "s"),
    ("openmp:hm", "#5a8f5a", "d"),
    ("sequential:hm", "#444444", "."),
)
BAND = re.compile(r"band:n=(\d+),w=(\d+)$")
MANY = re.compile(r"diagonals:n=(\d+),a=(\d+),b=(\d+)")


def workloads(files):
    """({workload: {implementation: case}}, context of the last)."""
    found, context = {}, {}
    for path in files:
        data = results.read(path)
        context = data.context
        for (operation, workload, _, _), cases in data.problems().items():
            if operation == "diagonal":
                found[workload] = cases
    return found, context


def microseconds(cases, name):
    return cases[name].seconds * 1e6 if name in cases else None


def text(value):
    return "-" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def table(found):
    columns = [(name, title) for name, title in COLUMNS if any(name in cases for cases in found.values())]
    rivals = [(name, title) for name, title in columns if not name.startswith("lacuna:")]
    lines = ["| workload | " + " | ".join(title for _, title in columns) + " |", "|---|" + "--:|" * len(columns)]
    for workload, cases in found.items():
        lines.append(f"| {workload} | " + " | ".join(text(microseconds(cases, name)) for name, _ in columns) + " |")
    lines += ["", "Time of a rival over `lacuna:automatic` in HM, geometric mean (least to most):", ""]
    for name, title in rivals:
        ratios = [cases[name].seconds / cases["lacuna:automatic"].seconds for cases in found.values()
                  if name in cases and "lacuna:automatic" in cases]
        if ratios:
            mean = results.geometric_mean(ratios)
            lines.append(f"- {title}: {mean:.3g} × over {len(ratios)} ({min(ratios):.3g} to {max(ratios):.3g})")
    return lines


def groups(found):
    """{w: [(n, cases)]} of the bands, and [(label, cases)] of the rest."""
    bands, many = {}, []
    for workload, cases in found.items():
        band, other = BAND.match(workload), MANY.match(workload)
        if band:
            bands.setdefault(int(band[2]), []).append((int(band[1]), cases))
        elif other:
            many.append((f"n = {int(other[1]):,}\n{other[2]} × {other[3]}", cases))
    for group in bands.values():
        group.sort(key=lambda item: item[0])
    return dict(sorted(bands.items())), many


def lines_of(axes, places, group):
    for name, colour, marker in STYLES:
        points = [(place, microseconds(cases, name)) for place, (_, cases) in zip(places, group) if name in cases]
        if points:
            axes.plot(*zip(*points), color=colour, marker=marker, markersize=4, linewidth=1, label=name)
    axes.set_yscale("log")
    axes.set_ylabel("time, us")
    axes.grid(axis="y", linewidth=0.3)


def draw(pyplot, found, folder):
    """The plots' file names."""
    bands, many = groups(found)
    drawn = []
    curves = {w: group for w, group in bands.items() if len(group) > 1}
    if curves:
        figure, plots = pyplot.subplots(len(curves), 1, figsize=(8, 3.2 * len(curves)), squeeze=False)
        for axes, (w, group) in zip(plots[:, 0], curves.items()):
            lines_of(axes, [n for n, _ in group], group)
            if group[-1][0] > 50 * group[0][0]:
                axes.set_xscale("log")
            axes.set_title(f"banded, {w} diagonals to either side", fontsize=9)
            axes.set_xlabel("n")
        plots[0, 0].legend(fontsize=7, ncol=2)
        figure.tight_layout()
        figure.savefig(folder / "diagonal-bands.png", dpi=100)
        pyplot.close(figure)
        drawn.append("diagonal-bands.png")
    if many:
        figure, axes = pyplot.subplots(figsize=(9, 4))
        lines_of(axes, range(len(many)), many)
        axes.set_xticks(range(len(many)), [label for label, _ in many], fontsize=6)
        axes.set_title("random diagonals, those of A × those of B", fontsize=9)
        axes.legend(fontsize=7, ncol=2)
        figure.tight_layout()
        figure.savefig(folder / "diagonal-many.png", dpi=100)
        pyplot.close(figure)
        drawn.append("diagonal-many.png")
    return drawn


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Tables and plots of products in diagonal storage.")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    found, context = workloads(options.files)
    if not found:
        print("report_diagonal.py: no products in diagonal storage there", file=sys.stderr)
        return 1
    options.output.mkdir(parents=True, exist_ok=True)
    try:
        from matplotlib import pyplot
        drawn = draw(pyplot, found, options.output)
    except ImportError:
        print("report_diagonal.py: no matplotlib, no plots", file=sys.stderr)
        drawn = []
    described = [f"{key} {context[key]}" for key in ("device", "git_revision", "date") if key in context]
    lines = ["# Products in diagonal storage", "", "; ".join(described) + ". Times in microseconds.", "", *table(found)]
    lines += ["", *(f"![{name}]({name})" for name in drawn)]
    (options.output / "diagonal.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
