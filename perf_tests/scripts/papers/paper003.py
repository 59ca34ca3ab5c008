# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Haque, Parvez and Hossain: products of matrices in diagonal storage, HM and CDM."""

import re

import report_diagonal
import results

from .common import (FAILS, HOLDS, PARTLY, UNKNOWN, Claim, Ratios, Run, claim_table, digits3, gain, heading, judge, picture, published,
                     section, small, table)

NAME, PICTURE = "paper003", "paper003-bands.png"
SHAPES, PRODUCTS = "paper003-shapes", "paper003-products"  # files of their own: T and k; transposes, SYRK, SYR2K
TILE_SIDES, THREADS = (4, 8, 16), range(2, 14)
TILES, ENTRIES, BY_CASE = "lacuna:tiles+cdm", "lacuna:entries", "lacuna:entries_by_case"
GATHER, AUTOMATIC = "lacuna:gather", "lacuna:automatic"
SEQUENTIAL = {"hm": "sequential:hm", "cdm": "sequential:cdm"}
OPENMP = ("openmp:hm", "openmp:cdm")
BAND = re.compile(r"band:n=(\d+),w=(\d+)$")
MANY = re.compile(r"diagonals:n=(\d+),a=(\d+),b=(\d+)")


def milliseconds(case):
    return case.seconds * 1e3 if case is not None else None


def over(cases, fast, slow):
    """Time of `slow` over that of `fast`, of calls: the host's times have no graph."""
    return cases[slow].seconds / cases[fast].seconds if fast in cases and slow in cases else None


def spoilt(cases, name):
    """Whether threads took longer than one core, or thrice as long as they took with the other storage: not to be believed."""
    case, other = cases.get(name), cases.get(OPENMP[name == OPENMP[0]])
    one = cases.get(name.replace("openmp", "sequential"))
    return case is not None and (one is not None and case.seconds > one.seconds
                                 or other is not None and case.seconds > 3 * other.seconds)


def bands_of(problems):
    """{w: {n: cases}}."""
    found = {}
    for workload, cases in problems.items():
        if band := BAND.match(workload):
            found.setdefault(int(band[2]), {})[int(band[1])] = cases
    return {w: dict(sorted(group.items())) for w, group in sorted(found.items())}


def many_of(problems):
    """{(n, diagonals of A, of B): cases}."""
    return {tuple(map(int, many.groups())): cases for workload, cases in problems.items() if (many := MANY.match(workload))}


def rows_of_table(problems, published_table, same_b=False):
    """[(published row, cases)]; `same_b` where B has as many diagonals as A whatever is printed."""
    many = many_of(problems)
    rows = []
    for n, a, nonzeros_a, b, nonzeros_b, nonzeros_c, cpu, cuda, ratio in published_table["rows"]:
        b = a if same_b else b
        rows.append(((n, a, b, nonzeros_c, cpu, cuda, ratio), many.get((n, a, b), {})))
    return rows


def structured_table(rows):
    head = ["n", "diagonals of A, B", "nonzeros of C (paper)", "sequential HM, ms", "`entries`, ms", "ratio", "`entries_by_case`, ms",
            "`gather`, ms", "`automatic`, ms", "ratio", "cuSPARSE SpGEMM, ms", "its numeric part", "DGEMM", "OpenMP HM"]
    lines = []
    for (n, a, b, nonzeros_c, cpu, cuda, ratio), cases in rows:
        one = SEQUENTIAL["hm"]
        any_case = next(iter(cases.values()), None)
        ours = f"{any_case.counters['nnz']:,.0f}" if any_case else "-"
        cells = [f"{n:,}", f"{a}, {b}", f"{ours} ({nonzeros_c:,})", f"{small(milliseconds(cases.get(one)))} ({cpu:,.2f})",
                 f"{small(milliseconds(cases.get(ENTRIES)))} ({cuda:,.2f})", f"{digits3(over(cases, ENTRIES, one))} ({ratio})"]
        cells += [small(milliseconds(cases.get(name))) for name in (BY_CASE, GATHER, AUTOMATIC)]
        cells.append(digits3(over(cases, AUTOMATIC, one)))
        cells += [small(milliseconds(cases.get(name))) for name in ("cusparse:spgemm", "cusparse:spgemm_reuse", "cublas:fp64")]
        lines.append(cells + [openmp_cell(cases, OPENMP[0])])
    return table(head, lines, "r")


def openmp_cell(cases, name):
    return small(milliseconds(cases.get(name))) + (" *" if spoilt(cases, name) else "")


def bands_table(bands):
    head = ["n", "w", "sequential CDM, ms", "`tiles`, ms", "ratio", "`automatic`, ms", "ratio", "cuSPARSE SpGEMM, ms", "its numeric part",
            "DGEMM", "OpenMP CDM"]
    rows = []
    for w, group in bands.items():
        for n, cases in group.items():
            one = SEQUENTIAL["cdm"]
            rows.append([f"{n:,}", str(w), small(milliseconds(cases.get(one))), small(milliseconds(cases.get(TILES))),
                         digits3(over(cases, TILES, one)), small(milliseconds(cases.get(AUTOMATIC))), digits3(over(cases, AUTOMATIC, one)),
                         small(milliseconds(cases.get("cusparse:spgemm"))), small(milliseconds(cases.get("cusparse:spgemm_reuse"))),
                         small(milliseconds(cases.get("cublas:fp64"))), openmp_cell(cases, OPENMP[1])])
    return table(head, rows, "r")


def grows(values):
    """The share of steps on which a list rises; None of fewer than two."""
    values = [value for value in values if value is not None]
    return sum(b > a for a, b in zip(values, values[1:])) / (len(values) - 1) if len(values) > 1 else None


def band_claims(bands, numbers):
    one, size = SEQUENTIAL["cdm"], numbers["claims"]["size_of_figure7"]
    by_size = {w: [over(cases, TILES, one) for n, cases in group.items() if n != size] for w, group in bands.items()}
    by_size = {w: [value for value in values if value] for w, values in by_size.items()}
    by_size = {w: values for w, values in by_size.items() if values}
    risen = Ratios([values[-1] / values[0] for values in by_size.values()])
    figure7 = {w: over(group[size], TILES, one) for w, group in bands.items() if size in group}
    every = Ratios([over(cases, TILES, one) for group in bands.values() for cases in group.values()])
    return [
        Claim("banded: the GPU is far faster than one core, most at the largest n (figure 6)", "a picture, no numbers",
              f"`tiles` over one core {every}; from the least to the largest n " + ", ".join(
                  f"w = {w}: {values[0]:.0f} to {values[-1]:.0f} ×" for w, values in by_size.items()),
              UNKNOWN if not len(risen) else HOLDS if risen.share == 1 else PARTLY if risen.mean > 1 else FAILS),
        Claim(f"the gain grows with the bandwidth (figure 7, n = {size:,})", "a picture, no numbers",
              ", ".join(f"w = {w}: {digits3(value)} ×" for w, value in figure7.items()),
              judge(grows(figure7.values()), 0.6, 0.3), "one core's times are less even than those of `tiles`, which grow with the work"),
    ]


def peer_lines(bands, problems):
    """Ours and the best there is, beside the published algorithms."""
    every = [cases for group in bands.values() for cases in group.values()]
    many = list(many_of(problems).values())
    lines = []
    for what, published_name, group in (("bands, `tiles`", TILES, every), ("random diagonals, `entries`", ENTRIES, many)):
        for title, name in (("cuSPARSE's SpGEMM, the whole call", "cusparse:spgemm"), ("its numeric part alone", "cusparse:spgemm_reuse")):
            lines.append(f"- {what} over {title}: {Ratios([over(cases, published_name, name) for cases in group])}.")
        lines.append(f"- {what}: our `automatic` over it, on the device: {Ratios([gain(cases, AUTOMATIC, published_name) for cases in group])}.")
    return lines


def tile_name(side):
    return TILES if side == 16 else f"lacuna:tiles:tile={side}+cdm"


def threads_name(threads):
    return BY_CASE if threads == 3 else f"{BY_CASE}:threads={threads}"


def shape_tables(folder):
    """Lines on T and on k; nothing where the folder has not their file."""
    run = Run.of(folder, SHAPES)
    if run is None:
        return []
    problems = run.cases(scalar="double")
    tiles = [[workload, *(small(milliseconds(cases.get(tile_name(side)))) for side in TILE_SIDES)]
             for workload, cases in problems.items() if tile_name(4) in cases]
    entries = [[workload, small(milliseconds(cases.get(ENTRIES))), *(small(milliseconds(cases.get(threads_name(k)))) for k in THREADS)]
               for workload, cases in problems.items() if threads_name(13) in cases]
    return (section("Algorithm 1: T of 4 to 16", run.line("diagonal"), table(["workload, ms", *(f"T = {side}" for side in TILE_SIDES)], tiles, "lr"))
            + section("Algorithm 2: k threads an entry", table(["workload, ms", "`entries`", *(f"k = {k}" for k in THREADS)], entries, "lr"),
                      f"`entries` over the best k: {best_threads(problems)}."))


def best_threads(problems):
    """`entries` over the best k."""
    gains = []
    for cases in problems.values():
        found = [cases[threads_name(k)].device_seconds for k in THREADS if threads_name(k) in cases]
        if found and ENTRIES in cases:
            gains.append(cases[ENTRIES].device_seconds / min(found))
    return Ratios(gains)


def product_tables(folder):
    """Lines on the products with transposes; nothing where the folder has not their file."""
    run = Run.of(folder, PRODUCTS)
    if run is None:
        return []
    head = ["product", "workload, ms", "one core, HM", "CDM", "`entries`", "`tiles`", "`automatic`, HM", "CDM", "cuSPARSE SpGEMM", "its numeric part",
            "DGEMM"]
    names = [SEQUENTIAL["hm"], SEQUENTIAL["cdm"], ENTRIES, TILES, AUTOMATIC, f"{AUTOMATIC}+cdm", "cusparse:spgemm", "cusparse:spgemm_reuse",
             "cublas:fp64"]
    titles = {"diagonal": "A B", "diagonal_atb": "Aᵀ B", "diagonal_abt": "A Bᵀ", "diagonal_syrk": "A Aᵀ (SYRK)", "diagonal_syr2k": "A Bᵀ + B Aᵀ (SYR2K)"}
    rows = [[titles[operation], workload, *(small(milliseconds(cases.get(name))) for name in names)]
            for (operation, workload, _, _), cases in run.problems.items() if operation in titles]
    return section("Transposes, SYRK and SYR2K (section 4)", "HM and CDM move no element for a transpose; matrices in CSR and dense ones were "
                   "transposed before. C has both triangles. " + transposed_text(run), table(head, rows, "llr"), run.line("diagonal --product"))


def transposed_text(run):
    """What a transpose costs: products with one over A B of the same workload."""
    plain = {workload: cases for (operation, workload, _, _), cases in run.problems.items() if operation == "diagonal"}
    gains = [over(cases | {"plain": plain[workload][AUTOMATIC]}, AUTOMATIC, "plain")
             for (operation, workload, _, _), cases in run.problems.items()
             if operation in ("diagonal_atb", "diagonal_abt") and workload in plain and AUTOMATIC in plain[workload]]
    found = Ratios(gains)
    return f"A B over a product with one transpose, `automatic`: {found}." if len(found) else ""


def structured_claims(table1, table2, problems, numbers, walks_all):
    """`walks_all`: of a run before threads had ranges of diagonals to themselves."""
    one = SEQUENTIAL["hm"]
    first, second = ([over(cases, ENTRIES, one) for _, cases in rows] for rows in (table1, table2))
    first_known, second_known = ([value for value in values if value is not None] for values in (first, second))
    paper1, paper2 = ([row[-1] for row, _ in rows] for rows in (table1, table2))
    most1, most2 = numbers["claims"]["most_table1"], numbers["claims"]["most_table2"]
    missing = [f"{row[1]} × {row[2]}" for (row, _), value in zip(table2, second) if value is None]
    by_case = Ratios([over(cases, BY_CASE, ENTRIES) for cases in problems.values()])
    gather = Ratios([over(cases, GATHER, ENTRIES) for cases in many_of(problems).values()])
    slope = grows(second_known)
    return [
        Claim("random diagonals: up to 65 times one core, rising with n (table 1)", ", ".join(map(str, paper1)),
              ", ".join(digits3(value) for value in first), judge(max(first_known, default=None), most1, most1 / 2)),
        Claim("up to 100 times one core at n = 10,000 (table 2)", ", ".join(map(str, paper2)), ", ".join(digits3(value) for value in second),
              judge(max(second_known, default=None), most2, most2 / 2)),
        Claim("that gain grows with the number of diagonals (table 2)", f"{paper2[0]} to {paper2[-1]}",
              " to ".join(digits3(value) for value in (second_known[:1] + second_known[-1:])) or "-", judge(slope, 0.9, 0.6),
              "both times grow as the products do from 200 diagonals on" + (f"; {', '.join(missing)} has no sequential time in this file"
                                                                     if missing else "")),
        Claim("k threads an entry, one a group of cases, diverge less than one", "expected, not measured",
              f"`entries_by_case` (k = 3) over `entries` {by_case}", judge(by_case.mean, 1.05, 0.97),
              "each of the three walked all diagonals of B and skipped those of the others; since then each walks its own" if walks_all
              else "why is not known"),
        Claim("a thread an entry of A, with atomics, costs less than a thread an entry of C", "argued, not measured",
              f"`gather`, a thread an entry of C without atomics, over `entries` {gather}",
              judge(1 / gather.mean if gather.mean else None, 0.95, 0.7),
              "a sum in a register and one store cost less than an atomic addition into C for each product"),
    ]


def full_table(problems):
    """All columns of report_diagonal, microseconds."""
    columns = [(name, title) for name, title in report_diagonal.COLUMNS if any(name in cases for cases in problems.values())]
    rows = []
    for workload, cases in problems.items():
        rows.append([workload, *(report_diagonal.text(report_diagonal.microseconds(cases, name))
                                 + (" *" if name in OPENMP and spoilt(cases, name) else "") for name, _ in columns)])
    return table(["workload", *(title for _, title in columns)], rows, "lr")


def mean_lines(problems):
    lines = []
    for name, title in report_diagonal.COLUMNS:
        if name.startswith("lacuna:"):
            continue
        kept = [cases for cases in problems.values() if name not in OPENMP or not spoilt(cases, name)]
        ratios = [over(cases, AUTOMATIC, name) for cases in kept]
        ratios = [value for value in ratios if value is not None]
        if ratios:
            lines.append(f"- {title}: {results.geometric_mean(ratios):.3g} × over {len(ratios)} ({min(ratios):.3g} to {max(ratios):.3g})"
                         + (f", {len(problems) - len(kept)} spoilt ones left out" if name in OPENMP else ""))
    return lines


def core_of(run):
    """What one core is one of."""
    processor = run.data.context.get("processor")
    return f"an {processor}" if processor else "whose kind the file does not name"


def page(folder):
    """The Markdown of the folder's page, None where it has no results."""
    run = Run.of(folder, NAME)
    if run is None:
        return None
    numbers = published(NAME)
    problems = run.cases(scalar="double")
    bands = bands_of(problems)
    table1, table2 = rows_of_table(problems, numbers["table1"]), rows_of_table(problems, numbers["table2"], same_b=True)
    lost = [workload for workload, cases in problems.items() if any(spoilt(cases, name) for name in OPENMP)]
    lines = heading(NAME, numbers, [run.line("diagonal --paper --algorithm all --check")],
                    "products in diagonal storage; all workloads are generated, as the paper's were")
    lines += ["", f"Times in milliseconds in double precision; in brackets the paper's, a {numbers['card']} and {numbers['other_card']}. "
              "`tiles` is its algorithm 1 (CDM, T = 16), `entries` its algorithm 2 (HM), `entries_by_case` the variant with k threads an "
              "entry (k = 3); `gather` and `automatic` are our own. Sequential times are of one core of the host beside the card, "
              f"{core_of(run)}: a greater ratio than the paper's says first that the card is newer. The paper gives bandwidths: w is read as w diagonals to either side. It gives nonzeros, not "
              "offsets: random diagonals are drawn within n / 4 of the main one."]
    if lost:
        lines += ["", f"**Spoilt columns.** OpenMP's times with a star were slower than one core, or thrice those with the other storage, most at "
                  f"6 ms whatever the size. {len(lost)} workloads of {len(problems)} have one; they count in no mean. The cause: a thread for each "
                  "core, and another program that runs. It holds one thread up for a time slice while the others wait busily, so a loop ends "
                  "when the slices do. Runs since then take as many threads as are fastest, which leaves a core free."]
    lines += section("Claims", claim_table(band_claims(bands, numbers) + structured_claims(table1, table2, problems, numbers, Run.of(folder, SHAPES) is None)),
                     "Beside the published algorithms:", peer_lines(bands, problems))
    lines += section("Table 1: random diagonals, n = 1,000 to 10,000", structured_table(table1))
    note = numbers["table2"]["note"]
    lines += section("Table 2: n = 10,000, 200 to 600 diagonals", structured_table(table2), f"In the paper {note}.")
    lines += section("Figures 6 and 7: bands", "Figure 7 is the rows of n = 10,240. The paper prints no numbers of either.",
                     bands_table(bands), picture(folder, PICTURE, "bands: one core, tiles, automatic, cuSPARSE"))
    lines += section("Everything, in microseconds", full_table(problems), "Time of a rival over `lacuna:automatic` in HM, geometric mean (least "
                     "to most):", mean_lines(problems),
                     [line for name, words in (("diagonal-bands.png", "bands"), ("diagonal-many.png", "random diagonals"))
                      for line in picture(folder, name, words)])
    shapes, products = shape_tables(folder), product_tables(folder)
    lines += shapes + products
    lines += section("What is not here", [
        *([] if products else ["- Transposes, AᵀB, ABᵀ, SYRK and SYR2K: built and tested, not timed in this folder."]),
        *([] if shapes else ["- k other than 3, T other than 16: built and tested, not timed in this folder."]),
        "- Symmetric matrices by half (`HmOptions::symmetric`): built and tested; the paper has no experiment with them.",
        "- A TITAN Xp and an i7-7700K: not ours; ratios to one core compare other pairs of machines."])
    return "\n".join(lines) + "\n"


def draw(pyplot, folder):
    """Figure 6: a panel a bandwidth."""
    run = Run.of(folder, NAME)
    bands = bands_of(run.cases(scalar="double")) if run else {}
    if not bands:
        return []
    styles = ((SEQUENTIAL["cdm"], "one core, CDM", "#444444"), ("cusparse:spgemm", "cuSPARSE SpGEMM", "#b04a4a"),
              (TILES, "tiles (algorithm 1)", "#7aa6d1"), (AUTOMATIC, "automatic", "#3b6ea8"))
    figure, panels = pyplot.subplots(1, len(bands), figsize=(2.4 * len(bands), 3), sharey=True, squeeze=False)
    for axes, (w, group) in zip(panels[0], bands.items()):
        for name, title, colour in styles:
            points = [(n, milliseconds(cases[name])) for n, cases in group.items() if name in cases]
            if points:
                axes.plot(*zip(*points), color=colour, linewidth=1, marker="o", markersize=2, label=title)
        axes.set_yscale("log")
        axes.set_title(f"w = {w}", fontsize=8)
        axes.tick_params(labelsize=7)
    panels[0][0].set_ylabel("ms", fontsize=8)
    figure.legend(*panels[0][-1].get_legend_handles_labels(), fontsize=7, ncol=len(styles), loc="upper center")
    figure.tight_layout(rect=(0, 0, 1, 0.92))
    figure.savefig(folder / PICTURE, dpi=90)
    pyplot.close(figure)
    return [PICTURE]
