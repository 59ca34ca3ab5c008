#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Turns lacuna-bench's JSON into a Markdown report and PNG plots.

    report.py results.json --output folder     writes folder/report.md, folder/speedup-*.png, folder/roofline-*.png,
                                               folder/curve-*.png; of paper000 those of report_paper000.py
    report.py results.json                     prints the Markdown
    report.py ... --index INDEX.tsv            tells means apart by the column `use` of the index: tune, check
"""

import argparse
import pathlib
import sys

import report_paper000
import report_spgemm
import report_spmm
import results
import summary
from report_spmm import readable_time


def comparisons(data, operation, scalar):
    """(problem, our automatic, best rival or None, all cases), by nonzeros."""
    found = []
    for problem, cases in data.problems().items():
        if problem[0] == operation and problem[2] == scalar and "lacuna:automatic" in cases:
            found.append((problem, cases["lacuna:automatic"], summary.best_rival(cases), cases))
    return sorted(found, key=lambda item: item[1].counters["nnz"])


def title_of(problem):
    return problem[1] + (f", N = {problem[3]}" if problem[3] else "")


def break_even(ours, rival):
    """Calls after which our set-up is paid back against the rival, whose own set-up is not counted against it."""
    gain = rival.seconds - ours.seconds
    setup = ours.counters["setup_ms"] * 1e-3
    return f"{max(setup, 0) / gain:.0f}" if gain > 0 else "never"


def comparison_table(data, found):
    lines = [
        "| matrix | rows | nonzeros | automatic chose | time | GB/s | of copy | set-up in calls | best rival | time | ratio | × Kokkos Kernels | regret | break-even calls |",
        "|---|--:|--:|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|",
    ]
    for problem, ours, rival, cases in found:
        rate = ours.counters["bytes"] / ours.seconds
        share = f"{100 * rate / data.copy_bandwidth:.0f} %" if data.copy_bandwidth else "-"
        setup = ours.counters["setup_ms"] * 1e-3 / ours.seconds
        row = [
            title_of(problem),
            f"{ours.counters['rows']:,.0f}",
            f"{ours.counters['nnz']:,.0f}",
            ours.label or "-",
            readable_time(ours.seconds),
            f"{rate * 1e-9:.1f}",
            share,
            f"{setup:.1f}",
        ]
        row += [rival.implementation, readable_time(rival.seconds)] if rival else ["-", "-"]
        name = ours.implementation
        row += [summary.text(measure(cases, name)) for measure in (summary.ratio, summary.native_ratio, summary.regret)]
        row.append(break_even(ours, rival) if rival else "-")
        lines.append("| " + " | ".join(row) + " |")
    return lines


def ratios(found, least=0):
    return {
        title_of(problem): rival.seconds / ours.seconds
        for problem, ours, rival, _ in found
        if rival is not None and ours.counters["nnz"] >= least
    }


def summary_lines(found):
    lines = []
    for least, what in ((0, "all"), (1e5, "at least 100,000 nonzeros"), (1e6, "at least 1,000,000 nonzeros")):
        values = ratios(found, least)
        if values:
            worst = min(values, key=values.get)
            lines.append(
                f"- {what}: {len(values)} matrices, geometric mean {results.geometric_mean(values.values()):.2f} x, "
                f"worst {values[worst]:.2f} x ({worst}), best {max(values.values()):.2f} x"
            )
    return lines


def implementation_table(found):
    """How far each implementation is from the fastest on each matrix."""
    total = {}
    for _, _, _, cases in found:
        fastest = min(case.seconds for case in cases.values())
        for name, case in cases.items():
            total.setdefault(name, []).append(case.seconds / fastest)
    lines = ["| implementation | matrices | time over the fastest, geometric mean | fastest on |", "|---|--:|--:|--:|"]
    for name, values in sorted(total.items(), key=lambda item: results.geometric_mean(item[1])):
        wins = sum(value <= 1.0 for value in values)
        lines.append(f"| {name} | {len(values)} | {results.geometric_mean(values):.2f} | {wins} |")
    return lines


def context_lines(context):
    keys = (
        "device",
        "threads",
        "git_revision",
        "git_dirty",
        "compiler",
        "kokkos_version",
        "kokkos_kernels_version",
        "cuda_runtime",
        "cusparse_version",
        "mkl_version",
        "ordinal",
        "offset",
        "caches",
        "date",
    )
    said = [f"{key} {context[key]}" for key in keys if context.get(key) not in (None, "")]
    if context.get("copy_bandwidth"):
        said.append(f"copy bandwidth {float(context['copy_bandwidth']) * 1e-9:.1f} GB/s")
    return ["; ".join(said) + "."]


def group_lines(found, index):
    problems = {problem[1]: cases for problem, _, _, cases in found}
    table = summary.group_table([("lacuna:automatic", 0, problems)], index)
    return ["", f"Geometric means over the matrices of at least {summary.LEAST:,.0f} nonzeros:", "", *table] if table else []


def markdown(data, plots, index=None):
    lines = ["# lacuna-bench", ""] + context_lines(data.context)
    kinds = sorted({(case.operation, case.scalar) for case in data.cases})
    for operation, scalar in kinds:
        if operation == "spmm" and report_paper000.of_scalar(data, scalar):
            lines += report_paper000.section(data, scalar, plots.get((operation, scalar), []))
            continue
        if operation == "spmm":
            lines += report_spmm.section(data, scalar, plots.get((operation, scalar), []), index)
            continue
        if operation == "spgemm":
            lines += report_spgemm.section(data, scalar)
            continue
        found = comparisons(data, operation, scalar)
        if not found:
            continue
        lines += ["", f"## {operation}, {scalar}", "", "`lacuna:automatic` against the best rival of the same run:", ""]
        lines += comparison_table(data, found) + [""] + summary_lines(found)
        lines += summary.expected_lines(ours for _, ours, _, _ in found) + group_lines(found, index)
        lines += [""] + [f"![{path}]({path})" for path in plots.get((operation, scalar), [])]
        lines += ["", "Every implementation:", ""] + implementation_table(found)
    failed = [case for case in data.cases if case.error]
    wrong = [case for case in failed if "wrong" in case.error]
    lines += ["", f"{len(data.cases)} cases, {len(failed) - len(wrong)} skipped, {len(wrong)} wrong."]
    lines += [f"- wrong: {case.name}: {case.error}" for case in wrong]
    return "\n".join(lines) + "\n"


def draw_speedup(pyplot, found, operation, scalar, path):
    values = sorted(ratios(found).items(), key=lambda item: item[1])
    if not values:
        return False
    figure, axes = pyplot.subplots(figsize=(8, 0.8 + 0.22 * len(values)))
    axes.barh([name for name, _ in values], [value for _, value in values],
              color=["#b04a4a" if value < 0.95 else "#3b6ea8" for _, value in values])
    if values[-1][1] > 10 * values[0][1]:  # one outlier must not flatten the others
        axes.set_xscale("log")
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xlabel("time of the best rival / time of lacuna:automatic")
    axes.set_title(f"{operation}, {scalar}: geometric mean {results.geometric_mean(v for _, v in values):.2f}")
    axes.tick_params(axis="y", labelsize=7)
    axes.margins(y=0.01)
    figure.tight_layout()
    figure.savefig(path, dpi=120, bbox_inches="tight")
    pyplot.close(figure)
    return True


def draw_roofline(pyplot, data, found, operation, scalar, path):
    if not data.copy_bandwidth:
        return False
    figure, axes = pyplot.subplots(figsize=(7, 5))
    for pick, colour, marker, text in (
        (lambda item: item[1], "#3b6ea8", "o", "lacuna:automatic"),
        (lambda item: item[2], "#b04a4a", "x", "best rival"),
    ):
        cases = [pick(item) for item in found if pick(item) is not None]
        axes.scatter([case.counters["flops"] / case.counters["bytes"] for case in cases],
                     [case.counters["flops"] / case.seconds * 1e-9 for case in cases],
                     c=colour, marker=marker, s=22, label=text)
    intensities = [item[1].counters["flops"] / item[1].counters["bytes"] for item in found]
    ends = [min(intensities) / 1.2, max(intensities) * 1.2]
    axes.plot(ends, [end * data.copy_bandwidth * 1e-9 for end in ends], color="black", linewidth=0.8,
              label=f"copy bandwidth, {data.copy_bandwidth * 1e-9:.0f} GB/s")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("flops / compulsory byte")
    axes.set_ylabel("GFLOP/s")
    axes.set_title(f"{operation}, {scalar} (above the line: served by a cache, or by fewer bytes than CSR's)")
    axes.title.set_fontsize(9)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120, bbox_inches="tight")
    pyplot.close(figure)
    return True


def draw(data, folder):
    """The plots' file names by (operation, scalar); none where matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        print("report.py: matplotlib is not installed, so there are tables and no plots", file=sys.stderr)
        return {}
    matplotlib.use("Agg")
    from matplotlib import pyplot

    plots = {}
    for operation, scalar in sorted({(case.operation, case.scalar) for case in data.cases}):
        if operation == "spmm" and report_paper000.of_scalar(data, scalar):
            plots[operation, scalar] = report_paper000.draw(pyplot, data, scalar, folder)
            continue
        if operation == "spmm":
            plots[operation, scalar] = report_spmm.draw(pyplot, data, scalar, folder)
            continue
        if operation == "spgemm":  # rivals of several kinds: tables alone
            continue
        found = comparisons(data, operation, scalar)
        if not found:
            continue
        speedup, roofline = f"speedup-{operation}-{scalar}.png", f"roofline-{operation}-{scalar}.png"
        drawn = []
        if draw_speedup(pyplot, found, operation, scalar, folder / speedup):
            drawn.append(speedup)
        if draw_roofline(pyplot, data, found, operation, scalar, folder / roofline):
            drawn.append(roofline)
        plots[operation, scalar] = drawn
    return plots


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path, help="folder for report.md and the plots")
    parser.add_argument("--index", type=pathlib.Path, help="INDEX.tsv with the columns name and use")
    options = parser.parse_args(arguments)
    try:
        data = results.read(options.results)
        index = results.read_index(options.index) if options.index else None
    except results.ResultError as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2
    if options.output is None:
        print(markdown(data, {}, index), end="")
        return 0
    options.output.mkdir(parents=True, exist_ok=True)
    text = markdown(data, draw(data, options.output), index)
    (options.output / "report.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
