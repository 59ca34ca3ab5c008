# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""What the cases of one problem come to, and what many problems come to: used by report.py and tables.py.

`cases` is always {implementation: case} of one problem: a matrix, a scalar type and, for SpMM, a number of columns.
"""

import results

LEAST = 1e5  # nonzeros, of the matrices that means are taken over
DENSE = "cublas:"  # products with A as a dense matrix: another algorithm, and no rival where sparse ones ran


def seconds(case):
    """What a caller waits for."""
    return case.seconds


def device_seconds(case):
    """What the device needs, see results.Case."""
    return case.device_seconds


def _fastest(cases, time=seconds):
    return min(cases, key=time, default=None)


def best_rival(cases, time=seconds):
    """The fastest of all rivals but dense products; of those where nothing else ran."""
    rivals = [case for case in cases.values() if not case.ours]
    sparse = [case for case in rivals if not case.implementation.startswith(DENSE)]
    return _fastest(sparse or rivals, time)


def best_of(cases, start):
    """The fastest of those whose names start so: `kokkos-kernels` at its best."""
    return _fastest([case for case in cases.values() if case.implementation.startswith(start)])


def _own_name(implementation):
    """lacuna:bricks+tf32+col is ("lacuna:bricks", "tf32", True)."""
    algorithm, *endings = implementation.split("+")
    return algorithm, "".join(ending for ending in endings if ending != "col"), "col" in endings


def best_own(cases, name, time=seconds):
    """The fastest of ours that a plan asked for `name` could have been: the same layout, and full precision or the one
    asked for. None where less than two algorithms of ours were timed by name: that would say little."""
    _, precision, column_major = _own_name(name)
    fitting = []
    for case in cases.values():
        algorithm, its_precision, its_layout = _own_name(case.implementation)
        if case.ours and its_layout == column_major and its_precision in ("", precision):
            fitting.append((algorithm, case))
    if sum(algorithm not in ("lacuna:automatic", "lacuna:one_shot") for algorithm, _ in fitting) < 2:
        return None
    return _fastest([case for _, case in fitting], time)


def ratio(cases, name, time=seconds):
    """Time of the best rival over ours."""
    ours, rival = cases.get(name), best_rival(cases, time)
    return time(rival) / time(ours) if ours and rival else None


def device_ratio(cases, name):
    """The same of the times on the device, where the host sets the pace of ours or of a rival; of calls elsewhere."""
    return ratio(cases, name, device_seconds)


def native_ratio(cases, name):
    """Time of Kokkos Kernels at its best over ours."""
    ours, native = cases.get(name), best_of(cases, "kokkos-kernels")
    return native.seconds / ours.seconds if ours and native else None


def regret(cases, name):
    """Time of `automatic` over that of the best of ours, on the device: what was chosen, not how the host felt."""
    ours, best = cases.get(name), best_own(cases, name, device_seconds)
    return ours.device_seconds / best.device_seconds if ours and best else None


def text(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def values_of(problems, measure, name):
    """{matrix: value} of the problems that have one."""
    found = {matrix: measure(cases, name) for matrix, cases in problems.items()}
    return {matrix: value for matrix, value in found.items() if value is not None}


def is_large(cases):
    return next(iter(cases.values())).counters["nnz"] >= LEAST


def groups(problems, index=None):
    """[(title, problems)] of {matrix: cases}: all; the real ones, by their use where an index says it; the generated
    ones. Groups without a matrix, and those that hold what the group before holds, are left out."""
    real = {matrix: cases for matrix, cases in problems.items() if not results.is_generated(matrix)}
    found = [("all", problems), ("real", real)]
    for use in sorted(set((index or {}).values()), reverse=True):
        of_use = {matrix: cases for matrix, cases in real.items() if index.get(matrix) == use}
        found.append((f"real, {use}" if use else "real, no use named", of_use))
    if index:
        found.append(("real, not in the index", {m: cases for m, cases in real.items() if m not in index}))
    found.append(("generated", {m: cases for m, cases in problems.items() if results.is_generated(m)}))
    kept = []
    for title, group in found:
        if group and (not kept or list(group) != list(kept[-1][1])):
            kept.append((title, group))
    return kept


WITHIN = 1.5  # a factor


def expected_lines(cases):
    """How far the times that plans expected are from those measured on the device: a line, nothing where none did."""
    ratios = [case.counters["expected_us"] * 1e-6 / case.device_seconds for case in cases if case.counters.get("expected_us")]
    if not ratios:
        return []
    near = sum(1 / WITHIN <= value <= WITHIN for value in ratios)
    return [f"- expected over measured time of a call: {near} of {len(ratios)} within a factor of {WITHIN}, geometric mean "
            f"{text(results.geometric_mean(ratios))}, {text(min(ratios))} to {text(max(ratios))}"]


HEAD = ("matrices", "× best rival", "least", "on", "× Kokkos Kernels", "least", "regret", "most", "on")
RULE = "--:|--:|--:|---|--:|--:|--:|--:|---|"


def cells(problems, name):
    """The cells under HEAD: geometric means and the worst of {matrix: cases}; None where no rival ran."""
    ratios = values_of(problems, ratio, name)
    if not ratios:
        return None
    natives, regrets = values_of(problems, native_ratio, name), values_of(problems, regret, name)
    worst = min(ratios, key=ratios.get)
    row = [str(len(ratios)), text(results.geometric_mean(ratios.values())), text(ratios[worst]), worst]
    row += [text(results.geometric_mean(natives.values())), text(min(natives.values()))] if natives else ["-", "-"]
    if not regrets:
        return row + ["-", "-", "-"]
    most = max(regrets, key=regrets.get)
    return row + [text(results.geometric_mean(regrets.values()), 3), text(regrets[most]), most]


def group_table(named, index=None, columns=False):
    """Markdown lines: for each (implementation, N, {matrix: cases}) one row a group; matrices of at least LEAST
    nonzeros, or all where none is so large."""
    lines = []
    for name, width, problems in named:
        large = {matrix: cases for matrix, cases in problems.items() if is_large(cases)}
        for title, group in groups(large or problems, index):
            row = cells(group, name)
            if row is not None:
                lines.append("| " + " | ".join([name, *([str(width)] if columns else []), title, *row]) + " |")
    if not lines:
        return []
    head = ["implementation", *(["N"] if columns else []), "group", *HEAD]
    return ["| " + " | ".join(head) + " |", "|---|" + ("--:|" if columns else "") + "---|" + RULE] + lines
