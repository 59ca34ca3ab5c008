# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""The parts of report.py that are about C = A B: tables and plots by number of columns and by class of matrix."""

import results
import summary
from summary import LEAST, best_rival, ratio

CLASSES = ("block/FEM", "mesh", "irregular")
CURVE = 8  # different numbers of columns that make a curve


def readable_time(seconds):
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size or unit == "us":
            return f"{seconds / size:.3g} {unit}"


def matrix_class(case):
    """By nonzeros per active column of a panel of 8 rows, and the longest row; as lacuna-bench has it."""
    rpc = case.counters.get("rpc", 0.0)
    mean = case.counters["nnz"] / max(case.counters["rows"], 1.0)
    if rpc >= 4:
        return "block/FEM"
    return "mesh" if rpc >= 1.2 and case.counters.get("longest_row", 0.0) <= 4 * mean else "irregular"


def problems(data, scalar):
    """{N: [(matrix, cases), ...] by nonzeros}."""
    found = {}
    for (operation, matrix, its_scalar, columns), cases in data.problems().items():
        if operation == "spmm" and its_scalar == scalar:
            found.setdefault(columns, []).append((matrix, cases))
    for group in found.values():
        group.sort(key=lambda item: next(iter(item[1].values())).counters["nnz"])
    return dict(sorted(found.items()))


def cell(value, text="{:.2f}"):
    return "-" if value is None else text.format(value)


def matrix_table(group):
    lines = [
        "| matrix | rows | nonzeros | nonzeros a panel column | class | automatic chose | time | GFLOP/s | best rival | time | ratio | × Kokkos Kernels | regret | TF32: chose | time | ratio | regret | set-up in calls | break-even calls |",
        "|---|--:|--:|--:|---|---|--:|--:|---|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|",
    ]
    for matrix, cases in group:
        ours, fast, rival = cases.get("lacuna:automatic"), cases.get("lacuna:automatic+tf32"), best_rival(cases)
        any_case = next(iter(cases.values()))
        row = [
            matrix,
            f"{any_case.counters['rows']:,.0f}",
            f"{any_case.counters['nnz']:,.0f}",
            cell(any_case.counters.get("rpc")),
            matrix_class(any_case),
        ]
        row += [ours.label or "-", readable_time(ours.seconds), f"{ours.counters['flops'] / ours.seconds * 1e-9:,.0f}"] if ours else ["-"] * 3
        row += [rival.implementation, readable_time(rival.seconds)] if rival else ["-"] * 2
        row += [cell(measure(cases, "lacuna:automatic")) for measure in (ratio, summary.native_ratio, summary.regret)]
        row += [fast.label or "-", readable_time(fast.seconds)] if fast else ["-"] * 2
        row += [cell(measure(cases, "lacuna:automatic+tf32")) for measure in (ratio, summary.regret)]
        if ours is None:
            row += ["-", "-"]
        else:
            setup = ours.counters["setup_ms"] * 1e-3
            gain = rival.seconds - ours.seconds if rival else 0
            row += [f"{setup / ours.seconds:.1f}", f"{setup / gain:.0f}" if gain > 0 else "never"]
        lines.append("| " + " | ".join(row) + " |")
    return lines


def mean_table(groups):
    """One line an implementation of ours and number of columns."""
    lines = [
        "| implementation | N | matrices | geometric mean | " + " | ".join(CLASSES) + " | worst | on |",
        "|---|--:|--:|--:|" + "--:|" * len(CLASSES) + "--:|---|",
    ]
    names = sorted({name for group in groups.values() for _, cases in group for name in cases if cases[name].ours},
                   key=lambda name: (not name.startswith("lacuna:automatic"), name))
    for name in names:
        for columns, group in groups.items():
            values = {
                matrix: (ratio(cases, name), matrix_class(cases[name]))
                for matrix, cases in group
                if name in cases and ratio(cases, name) is not None and cases[name].counters["nnz"] >= LEAST
            }
            if not values:
                continue
            worst = min(values, key=lambda matrix: values[matrix][0])
            row = [name, str(columns), str(len(values)),
                   f"{results.geometric_mean(value for value, _ in values.values()):.2f}"]
            for kind in CLASSES:
                of_kind = [value for value, its_kind in values.values() if its_kind == kind]
                row.append(f"{results.geometric_mean(of_kind):.2f} ({len(of_kind)})" if of_kind else "-")
            lines.append("| " + " | ".join(row + [f"{values[worst][0]:.2f}", worst]) + " |")
    return lines if len(lines) > 2 else []


def curves(groups):
    """{matrix: {implementation: {N: seconds}}} of the matrices with many numbers of columns; the best rival is one."""
    found = {}
    for columns, group in groups.items():
        for matrix, cases in group:
            curve = found.setdefault(matrix, {})
            for name in ("lacuna:automatic", "lacuna:automatic+tf32"):
                if name in cases:
                    curve.setdefault(name, {})[columns] = cases[name].seconds
            rival = best_rival(cases)
            if rival is not None:
                curve.setdefault("best rival", {})[columns] = rival.seconds
    return {matrix: curve for matrix, curve in found.items() if any(len(line) >= CURVE for line in curve.values())}


def step_up(line):
    """The dearest N against the next multiple of 4: (ratio, N), None where there is no pair."""
    pairs = [(seconds / line[columns + -columns % 4], columns) for columns, seconds in line.items()
             if columns % 4 and columns + -columns % 4 in line]
    return max(pairs) if pairs else None


def curve_lines(groups):
    lines = []
    for matrix, curve in sorted(curves(groups).items()):
        for name in ("lacuna:automatic", "lacuna:automatic+tf32"):
            if name not in curve:
                continue
            line, rival = curve[name], curve.get("best rival", {})
            gains = {columns: rival[columns] / line[columns] for columns in line if columns in rival and columns > 1}
            text = f"- {matrix}, {name}, N = {min(line)} to {max(line)}"
            if gains:
                worst = min(gains, key=gains.get)
                text += f": from N = 2 at least {gains[worst]:.2f} x the best rival (N = {worst})"
            step = step_up(line)
            if step is not None:
                text += f"; N that is no multiple of 4 costs at most {step[0]:.2f} of the next one that is (N = {step[1]})"
            lines.append(text)
    return lines


def automatic_groups(groups):
    """(implementation, N, {matrix: cases}) of every `automatic`, for summary.group_table."""
    names = sorted({name for group in groups.values() for _, cases in group for name in cases
                    if name.split("+")[0] == "lacuna:automatic"})
    return [(name, columns, {matrix: cases for matrix, cases in group if name in cases})
            for name in names for columns, group in groups.items()]


def section(data, scalar, plots, index=None):
    """The Markdown lines of one scalar type."""
    groups = problems(data, scalar)
    wide = {columns: group for columns, group in groups.items() if columns >= 32} or groups
    means = mean_table(wide)
    lines = ["", f"## spmm, {scalar}", "",
             "Ratios are the time of the best sparse rival, in its better layout, over ours; regret is the time of "
             f"automatic over that of the best of ours. Means are over matrices with at least {LEAST:,.0f} nonzeros; classes: block/FEM from 4 "
             "nonzeros per active column of a panel of 8 rows; mesh from 1.2 where no row is longer than four mean ones."]
    if means:
        lines += [""] + means
        lines += [""] + summary.group_table(automatic_groups(wide), index, columns=True)
        expected = summary.expected_lines(case for group in groups.values() for _, cases in group for name, case in cases.items()
                                          if name.split("+")[0] == "lacuna:automatic")
        lines += ["", *expected] if expected else []
    lines += [""] + [f"![{path}]({path})" for path in plots]
    said = curve_lines(groups)
    if said:
        lines += [""] + said
    curved = curves(groups)
    for columns, group in groups.items():
        rest = [(matrix, cases) for matrix, cases in group if matrix not in curved or columns in (32, 64, 128, 256, 512)]
        if rest:
            lines += ["", f"### N = {columns}, {scalar}", ""] + matrix_table(rest)
    return lines


def draw_speedup(pyplot, group, scalar, columns, path):
    items = [(matrix, ratio(cases, "lacuna:automatic"), ratio(cases, "lacuna:automatic+tf32")) for matrix, cases in group]
    items = sorted((item for item in items if item[1] is not None or item[2] is not None),
                   key=lambda item: item[1] if item[1] is not None else item[2])
    if not items:
        return False
    figure, axes = pyplot.subplots(figsize=(8, 0.8 + 0.24 * len(items)))
    places = range(len(items))
    axes.barh([place - 0.2 for place in places], [item[1] or 0 for item in items], height=0.4, color="#3b6ea8",
              label="lacuna:automatic")
    if any(item[2] for item in items):
        axes.barh([place + 0.2 for place in places], [item[2] or 0 for item in items], height=0.4, color="#d08c3a",
                  label="lacuna:automatic+tf32")
    axes.set_yticks(list(places), [item[0] for item in items], fontsize=7)
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set_xlabel("time of the best rival / time of Lacuna")
    axes.set_title(f"spmm, {scalar}, N = {columns}")
    axes.legend(fontsize=8, loc="lower right")
    axes.margins(y=0.01)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return True


def draw_curves(pyplot, found, scalar, path):
    figure, plots = pyplot.subplots(len(found), 1, figsize=(8, 3.2 * len(found)), squeeze=False)
    for axes, (matrix, curve) in zip(plots[:, 0], sorted(found.items())):
        for name, colour, marker in (("lacuna:automatic", "#3b6ea8", "o"), ("lacuna:automatic+tf32", "#d08c3a", "s"),
                                     ("best rival", "#b04a4a", "x")):
            if name in curve:
                line = sorted(curve[name].items())
                axes.plot([columns for columns, _ in line], [seconds * 1e6 for _, seconds in line], color=colour,
                          marker=marker, markersize=3, linewidth=1, label=name)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("N")
        axes.set_ylabel("time, us")
        axes.set_title(f"spmm, {scalar}, {matrix}", fontsize=9)
        axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def draw(pyplot, data, scalar, folder):
    """The plots' file names."""
    groups, drawn = problems(data, scalar), []
    found = curves(groups)
    for columns, group in groups.items():
        name = f"speedup-spmm-{scalar}-n{columns}.png"
        if len(group) > 1 and draw_speedup(pyplot, group, scalar, columns, folder / name):
            drawn.append(name)
    if found:
        name = f"curve-spmm-{scalar}.png"
        draw_curves(pyplot, found, scalar, folder / name)
        drawn.append(name)
    return drawn
