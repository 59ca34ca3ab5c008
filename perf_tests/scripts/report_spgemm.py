#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Turns the JSON of `lacuna-bench spgemm --rivals` into tables: report_spgemm.py spgemm.json [spgemm-kept.json] > spgemm.md

One table a kind of product. A rival's whole call is compared with ours, its values alone (`:reuse`) with ours; where
factors are transposed, calls that form the transposes with calls that do, those that are given them (`+given`) with
those that are. The second file is one of a run with `--kept-memory`, whose whole calls are put beside those of the
first, which allocate and free everything.
"""

import sys

import results
import summary

GIVEN = "+given"
AUTOMATIC = "lacuna:automatic"
KINDS = ("C = A A", "C = A B", "Products with transposes", "C = R A P")
HEAD = ["product", "products, M", "nonzeros of C, M", "whole call, us", "best rival", "us", "ratio", "bins, us", "symbolic, us",
        "values alone, us", "best rival's", "us", "ratio", "products kept, us", "ratio"]
HEAD_OF_ANY_ORDER = ["any order, us", "ratio"]
HEAD_OF_KEPT = ["memory kept, us", "best rival's", "us", "ratio"]


def kind_of(problem):
    """Which of KINDS the product of that name is."""
    if problem.startswith("rap-") or problem.count("@") > 1:
        return KINDS[3]
    return KINDS[2] if "^T" in problem else KINDS[1] if "@" in problem else KINDS[0]


def text(seconds):
    if seconds is None:
        return ""
    microseconds = round(seconds * 1e6, 1)
    return f"{microseconds:,.0f}" if microseconds >= 10 else f"{microseconds:.1f}"


def best_rival(cases, reuse, given):
    """The fastest of the rivals that do the same: a whole call or values alone, transposes formed or given."""
    return min((case for name, case in cases.items()
                if not case.ours and (":reuse" in name) == reuse and name.endswith(GIVEN) == given),
               key=lambda case: case.seconds, default=None)


def compare(cases, part, given):
    """(our time, the best rival's name, its time, the ratio), each None where there is none."""
    ours = cases.get(AUTOMATIC + part + (GIVEN if given else ""))
    rival = best_rival(cases, part.startswith(":reuse"), given)
    both = ours is not None and rival is not None
    return (ours and ours.seconds, rival and rival.implementation.removesuffix(GIVEN), rival and rival.seconds,
            rival.seconds / ours.seconds if both else None)


def row_of(title, cases, given, has_any_order, with_kept):
    """(cells, ratio of whole calls, of values alone, of those with products kept, of whole calls whose rows of C may have
    any order, of whole calls with memory kept); `with_kept`: the cases with memory kept, None where there is no column for them"""
    ending = GIVEN if given else ""
    whole, values = compare(cases, "", given), compare(cases, ":reuse", given)
    counters = cases[AUTOMATIC + ending].counters
    other = [cases.get(name + ending) for name in ("lacuna:bins", AUTOMATIC + ":symbolic")]

    def cells(ours, name, rival, ratio):
        return [text(ours), name or "", text(rival), "" if ratio is None else f"{ratio:.2f}"]

    kept, any_order = compare(cases, ":reuse:kept", given), compare(cases, ":unsorted", given)
    row = [title, f"{counters.get('products', 0) / 1e6:.1f}", f"{counters.get('nnz_c', 0) / 1e6:.2f}", *cells(*whole),
           *(text(case.seconds if case else None) for case in other), *cells(*values), *cells(*kept)[::3]]
    if has_any_order:
        row += cells(*any_order)[::3]
    if with_kept is None:
        return row, whole[3], values[3], kept[3], any_order[3], None
    whole_with_kept = compare(with_kept, "", given)
    return row + cells(*whole_with_kept), whole[3], values[3], kept[3], any_order[3], whole_with_kept[3]


def mean_line(what, ratios):
    ratios = [ratio for ratio in ratios if ratio is not None]
    if not ratios:
        return []
    return [f"- {what}: geometric mean {results.geometric_mean(ratios):.2f} of {len(ratios)}, least {min(ratios):.2f}."]


def table(found, kept=None):
    """Markdown of [(matrix, scalar, cases)]; nothing where none of them has been multiplied. `kept`: the cases of a run
    that kept memory, by matrix and scalar."""
    rows = []
    has_any_order = any(":unsorted" in name for _, _, cases in found for name in cases)
    for matrix, scalar, cases in found:
        for given in (False, True):
            if AUTOMATIC + (GIVEN if given else "") in cases:
                title = f"{matrix}, {scalar}" + (", transposes given" if given else "")
                with_kept = None if kept is None else kept.get((matrix, scalar), {})
                rows.append((row_of(title, cases, given, has_any_order, with_kept), given))
    if not rows:
        return []
    head = HEAD + (HEAD_OF_ANY_ORDER if has_any_order else []) + (HEAD_OF_KEPT if kept is not None else [])
    lines = ["| " + " | ".join(head) + " |",
             "|---|" + "--:|" * 3 + "---|" + "--:|" * 5 + "---|" + "--:|" * (6 if has_any_order else 4) + ("--:|---|--:|--:|" if kept is not None else "")]
    lines += ["| " + " | ".join(row) + " |" for (row, *_), _ in rows]
    means = []
    timed = [case for _, _, cases in found for name, case in cases.items() if name.startswith(AUTOMATIC + ":reuse")]
    for given, ending in ((False, ""), (True, ", transposes given")):
        of_kind = [row for row, its_given in rows if its_given == given]
        means += mean_line("whole call" + ending, [row[1] for row in of_kind])
        means += mean_line("whole call, rows of C in any order" + ending, [row[4] for row in of_kind])
        means += mean_line("whole call, memory kept" + ending, [row[5] for row in of_kind])
        means += mean_line("values alone" + ending, [row[2] for row in of_kind])
        means += mean_line("values alone, products kept" + ending, [row[3] for row in of_kind])
    expected = summary.expected_lines(timed)
    return lines + (["", "Best rival over ours:", "", *means] if means else []) + (["", *expected] if expected else [])


def section(data, scalar=None, kept=None):
    """Markdown of all products, or of those in one scalar type; `kept` is the data of a run that kept memory."""
    lines = []
    if kept is not None:
        kept = {(matrix, its_scalar): cases for (_, matrix, its_scalar, _), cases in kept.problems().items()}
    for kind in KINDS:
        own = table([(matrix, its_scalar, cases) for (operation, matrix, its_scalar, _), cases in data.problems().items()
                     if operation == "spgemm" and scalar in (None, its_scalar) and kind_of(matrix) == kind], kept)
        if own:
            lines += ["", f"## {kind}" + (f", {scalar}" if scalar else ""), "", *own]
    return lines


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        data = results.read(arguments[0])
        kept = results.read(arguments[1]) if len(arguments) > 1 else None
    except results.ResultError as error:
        print(f"report_spgemm.py: {error}", file=sys.stderr)
        return 2
    keys = ("device", "threads", "git_revision", "kokkos_version", "cusparse_version", "mkl_version", "date")
    print("# Sparse times sparse\n")
    print("; ".join(f"{key} {data.context[key]}" for key in keys if data.context.get(key)) + ".")
    if data.context.get("kept_memory") == "on":
        print("\nMemory was kept from call to call, rivals' too.")
    print("\n".join(section(data, kept=kept)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
