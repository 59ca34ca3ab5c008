# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Shi, Wang and Chu: GCOO, and sparse × dense from it."""

import math

import results
import tables_paper000
from tables_paper000 import DENSE, OURS, crossover

from . import grid000
from .common import (FAILS, HOLDS, PARTLY, REACH, UNKNOWN, Claim, Ratios, Run, best_rival, claim_table, digits3, heading,
                     is_surrogate, judge, picture, plain, published, rate, rows_of, section, small, table, text)

NAME, PICTURE = "paper000", "paper000-sparsity.png"
GCOO, AUTOMATIC = "lacuna:gcoo", "lacuna:automatic"
DENSE_FLOAT = "cublas:fp32"
KERNELS = (GCOO, "lacuna:row_split", "lacuna:row_blocks", "lacuna:tiled")
SMALL = 1500  # columns below which the paper finds the dense product ahead
SIZES = (4000, 14500)  # of figures 7 to 9 (14,000 there)


def products_of(run):
    return tables_paper000.products_of(run.data, "float") if run else []


def over_rival(product, name):
    """Time of cuSPARSE at its best over ours, on the device."""
    case = product.cases.get(name)
    return product.device_rival.device_seconds / case.device_seconds if case and product.device_rival else None


def over_dense(product, name):
    case, dense = product.cases.get(name), product.cases.get(DENSE_FLOAT)
    return dense.device_seconds / case.device_seconds if case and dense else None


def is_timed(found, name=GCOO):
    return any(name in product.cases for product in found)


def subject(found):
    """(the kernel of ours that stands in the tables, what it is called): GCOO where it was timed."""
    return (GCOO, "`gcoo`") if is_timed(found) else (AUTOMATIC, "`automatic`, not GCOO")


class Gcoo:
    """GCOO's kernel on the matrices of spmm.json, N = 32, 128, 512."""

    def __init__(self, run):
        self.problems = {problem: cases for problem, cases in run.problems.items() if problem[2] == "float"} if run else {}
        self.given_up = run.given_up(GCOO) if run else {}

    def seconds(self, problem):
        """Of the timed calls, or of the few before it was given up."""
        case = self.problems[problem].get(GCOO)
        return case.device_seconds if case else self.given_up.get(problem)

    def over_rival(self, problem):
        seconds, rival = self.seconds(problem), best_rival(self.problems[problem])
        return rival.device_seconds / seconds if seconds and rival else None

    @property
    def every(self):
        return Ratios([self.over_rival(problem) for problem in self.problems])

    @property
    def real(self):
        return Ratios([self.over_rival(problem) for problem in self.problems if not results.is_generated(problem[1])])

    @property
    def timed(self):
        return sum(GCOO in cases for cases in self.problems.values())

    def memory(self):
        """Bytes a nonzero beside those of Table I, of the timed ones: 3 words a nonzero are 12 in float."""
        return [cases[GCOO].counters["persistent_bytes"] / cases[GCOO].counters["nnz"] for cases in self.problems.values()
                if GCOO in cases]

    def table(self):
        rows = []
        for matrix in dict.fromkeys(problem[1] for problem in self.problems):
            own = {problem[3]: problem for problem in self.problems if problem[1] == matrix}
            cells = [matrix, f"{next(iter(self.problems[next(iter(own.values()))].values())).counters['nnz']:,.0f}"]
            for columns in (32, 128, 512):
                problem = own.get(columns)
                seconds = self.seconds(problem) if problem else None
                lost = "" if problem is None or GCOO in self.problems[problem] or seconds is None else " *"
                ours = self.problems[problem].get(AUTOMATIC) if problem else None
                rival = best_rival(self.problems[problem]) if problem else None
                cells += [small(seconds * 1e3 if seconds else None) + lost, small(ours.device_seconds * 1e3 if ours else None),
                          small(rival.device_seconds * 1e3 if rival else None), text(self.over_rival(problem) if problem else None) + lost]
            rows.append(cells)
        head = ["matrix", "nonzeros"] + [f"N = {columns}: {what}" for columns in (32, 128, 512)
                                         for what in ("`gcoo`, ms", "`automatic`", "best rival", "rival / `gcoo`")]
        return table(head, rows, "lr")


def crossings(found, pick):
    """From how many per cent of zeros on a sparse product passes the dense one, by n."""
    sizes = {}
    for product in found:
        if product.zeros is not None and product.n == product.rows:
            value = pick(product)
            if value is not None:
                sizes.setdefault(product.n, []).append((product.zeros, value))
    return {size: crossover(points) for size, points in sorted(sizes.items())}


def vendor_over_dense(product):
    dense = product.cases.get(DENSE_FLOAT)
    return dense.device_seconds / product.device_rival.device_seconds if dense and product.device_rival else None


def first_number(crossing):
    """97.5 of "97.5", "> 97.5" or "≤ 97.5"."""
    return float(crossing.split()[-1]) if crossing != "-" else None


def exponent(found, zeros, pick):
    """Of n, by which a time grows at this share of zeros: a straight line through the logarithms from n = 1,000 on."""
    points = [(math.log(product.n), math.log(case.device_seconds)) for product in found
              if product.zeros == zeros and product.n >= 1000 and (case := pick(product))]
    if len(points) < 2:
        return None
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else None


def of_gcoo(found, verdict, why=""):
    """(verdict, why) of a claim on GCOO: none where another kernel stands for it."""
    if is_timed(found):
        return verdict, why
    known = "" if verdict == UNKNOWN else f"; of `automatic` it {'would hold' if verdict == HOLDS else 'would hold in part' if verdict == PARTLY else 'would not hold'}"
    return UNKNOWN, "`gcoo` did not run here" + known


def of_grid(sample, name):
    """What the sample says of the grid, with its standard error."""
    won = sample.wins(name)
    return f"; on the grid {won.per_cent()} (sample of {won.count})" if won else ""


def column_major(found):
    """How often cuSPARSE is fastest with column-major B and C, where that was timed."""
    won = sum(product.device_rival is not None and product.device_rival.implementation.endswith("+col") for product in found)
    return f"column-major ones are its fastest in {won or 'none'} of the {len(found)} products of figure 6 above"


def win_claims(found, gcoo, sample, numbers):
    name, called = subject(found)
    won, on_grid = sample.wins(name), sample.average(name)
    ratios = Ratios([over_rival(product, name) for product in found])
    without = Ratios([over_rival(product, name) for product in found if product.n > 400])
    paper = numbers["random"]["rows"]
    rarely = "the p = 4 rows of a group seldom share a column, so that an element of B that was read is seldom used twice"
    average = sum(ratios.values) / len(ratios) if len(ratios) else None
    stands = (f"{called}: {100 * ratios.share:.1f} % of {len(ratios)}, {100 * without.share:.1f} % without n = 400" if len(ratios) and len(without)
              else "-") + of_grid(sample, name)
    share, mean = (won.mean, on_grid.mean) if won else (ratios.share, average)
    public = numbers["public"]
    return [
        Claim("GCOO is faster than cuSPARSE on nearly all random matrices", ", ".join(f"{row[1]} % ({row[0]})" for row in paper), stands,
              *of_gcoo(found, judge(share, 0.97, 0.75), rarely)),
        Claim("by this much: average (greatest)", ", ".join(f"{row[2]:.2f} ({row[3]}) ×" for row in paper),
              f"{called}: {text(average)} ({text(max(ratios.values, default=None))}) ×" + (f"; on the grid {on_grid} ×" if won else ""),
              *of_gcoo(found, judge(mean, 1.57, 1), rarely)),
        Claim(f"and on most of {public['matrices']:,} public ones, 1.7 × on average",
              ", ".join(f"{'>' if row[1] == 90 else 'about'} {row[1]} % ({row[0]})" for row in public["rows"]),
              f"other matrices, the real ones of `spmm.json`, N = 32, 128, 512: `gcoo` over the best rival {gcoo.real}",
              judge(gcoo.real.mean, 1.1, 0.95), rarely),
    ]


def dense_claims(found, numbers):
    name, called = subject(found)
    ours = crossings(found, lambda product: over_dense(product, name))
    vendor = crossings(found, vendor_over_dense)
    bound = numbers["crossover"]
    large = [first_number(value) for size, value in ours.items() if size > SMALL and value != "-"]
    theirs = [first_number(value) for size, value in vendor.items() if size > SMALL and value != "-"]
    example = {product.zeros: vendor_over_dense(product) for product in found if product.n == numbers["example"]["n"]}
    known, second = numbers["example"], numbers["example"]["zeros of the second"]
    slow = known["dense, ms"] / known["cuSPARSE, ms"]
    at = {product.n: over_dense(product, name) for product in found if product.zeros == second}
    low = {size: value for size, value in at.items() if size < SMALL and value is not None}
    high = {size: value for size, value in at.items() if size > SMALL and value is not None}

    def listed(of):
        return ", ".join(f"n = {size:,}: {value}" for size, value in of.items()) or "-"

    return [
        Claim("GCOO passes the dense product (fp32) from 98 % of zeros on", f"from {bound['GCOO']} %", f"{called}: {listed(ours)}",
              *of_gcoo(found, UNKNOWN if not large else HOLDS if max(large) <= bound["GCOO"] else FAILS)),
        Claim("cuSPARSE only from 99.5 % on", f"from {bound['cuSPARSE']} %", listed(vendor),
              UNKNOWN if not theirs else HOLDS if min(theirs) >= 99 else FAILS,
              "cuSPARSE of today is many times as fast beside fp32's dense product as that of CUDA 8 was (next line); against TF32 and half "
              "the dense product stays ahead longer (table below)"),
        Claim(f"cuSPARSE at n = {known['n']:,}: far behind the dense product at {known['zeros']} % of zeros, ahead at {second} %",
              f"{slow:.2f} × and {known['cuSPARSE over dense there']} ×",
              f"{text(example.get(known['zeros']))} × and {text(example.get(second))} ×",
              UNKNOWN if not example.get(known["zeros"]) else HOLDS if example[known["zeros"]] < 0.5 else PARTLY if example[known["zeros"]] < 1
              else FAILS, "as above"),
        Claim(f"below n = 1,500 the dense product is ahead of GCOO (figures 10 to 12, {second} %)", "pictures",
              f"{called} over dense: " + listed({size: f"{value:.1f} ×" for size, value in low.items()}),
              *of_gcoo(found, UNKNOWN if not low else HOLDS if max(low.values()) < 1 else PARTLY if min(low.values()) < 1 else FAILS,
                       "a plan has converted A before, which is not in these times")),
        Claim(f"up to {numbers['figure12']['up to times the dense product at 99.5']} times the dense product at {second} %", "2 ×",
              f"{called}: up to {text(max(high.values(), default=None), 1)} × (dense fp32)",
              *of_gcoo(found, judge(max(high.values(), default=None), 2, 1))),
    ]


def overhead_claim(found, dense):
    """EO beside KC, figure 13."""
    claim = "converting a dense A (EO) is a small part of the time (KC), alike for GCOO and cuSPARSE (figure 13)"
    if dense.products:
        own, vendor = (dense.shares(name) for name in (grid000.GCOO_FROM_DENSE, grid000.CUSPARSE_FROM_DENSE))
        ratios = dense.ratios()
        alike = bool(ratios) and 0.5 <= min(ratios) and max(ratios) <= 2
        small_part = max([*own, *vendor]) <= 0.5
        stands = (f"EO over KC: GCOO {text(min(own))} to {text(max(own))}" + (
            f", cuSPARSE {text(min(vendor))} to {text(max(vendor))}; EO of cuSPARSE over GCOO's {text(min(ratios))} to {text(max(ratios))}"
            if ratios else ""))
        return Claim(claim, "pictures", stands, HOLDS if small_part and alike else PARTLY if small_part or alike else FAILS,
                     "products are faster today; a conversion still reads the whole dense matrix")
    overhead = tables_paper000.with_overhead(found)
    share = [product.ours.counters["setup_ms"] * 1e-3 / product.ours.seconds for product in overhead]
    vendor = [product.rival.counters["setup_ms"] * 1e-3 / product.rival.seconds for product in overhead if product.rival]
    return Claim(claim, "pictures",
                 f"another quantity: set-up of `automatic` from CSR over one product {text(min(share, default=None))} to "
                 f"{text(max(share, default=None), 0)}, cuSPARSE's {text(min(vendor, default=None))} to {text(max(vendor, default=None), 0)}",
                 UNKNOWN, "no dense matrix was converted in these files; ours includes the choice of the kernel, 0.4 to 1.4 ms, which only "
                 "large products pay back at once")


def other_claims(found, table3, dense, numbers):
    name, called = subject(found)
    growth = [exponent(found, 98, lambda product: product.cases.get(name)), exponent(found, 98, lambda product: product.device_rival)]
    losers = numbers["figure5"]["slower than cuSPARSE"]
    by_name = {plain(product.matrix): product for product in table3}
    third, third_called = subject(table3)
    lost = {loser: over_rival(by_name[loser], third) for loser in losers if loser in by_name}
    expected = numbers["figure15"]["exponent of n at 98"]
    return [
        overhead_claim(found, dense),
        Claim("slower than cuSPARSE on three of 14: " + ", ".join(losers) + " (figure 5)", "below 1",
              f"{third_called}: " + ", ".join(f"{loser} {text(value)} ×" for loser, value in lost.items()),
              UNKNOWN if third != GCOO or not lost else HOLDS if max(value or 0 for value in lost.values()) < 1 else PARTLY,
              "surrogates" if third == GCOO else "surrogates, and not by `gcoo`"),
        Claim("time grows as the square of n at 98 % of zeros (figure 15)", f"{expected}, both",
              f"exponents {text(growth[0])} ({called}) and {text(growth[1])} (cuSPARSE)",
              UNKNOWN if None in growth else HOLDS if max(growth) <= expected + 0.3 else FAILS,
              "operations grow as the cube of n; these are n = 1,000 to 14,500, on which the card is full"),
    ]


def wins_table(found, numbers):
    rows = [[f"paper: GCOO, {row[0]}", f"{numbers['random']['products']:,}", f"{row[1]} %", text(row[2]), "-", "-", str(row[3])]
            for row in numbers["random"]["rows"]]
    names = [(f"here: {'`gcoo`' if name == GCOO else '`' + name.removeprefix('lacuna:') + '`'}", name) for name in KERNELS]
    names += [(f"here: `automatic`, {title}", name) for title, name in OURS]
    for title, name in names:
        ratios = Ratios([over_rival(product, name) for product in found])
        if len(ratios):
            rows.append([title, str(len(ratios)), f"{100 * ratios.share:.1f} %", text(sum(ratios.values) / len(ratios)), text(ratios.mean),
                         text(min(ratios.values)), text(max(ratios.values))])
    return table(["kernel", "products", "wins", "average", "geometric mean", "least", "most"], rows, "lr")


def kernel_histogram(found):
    """Shares of the products, per cent, in each tenth of the ratio, on the device, for each kernel."""
    rows = []
    for name in KERNELS:
        ratios = [ratio for product in found if (ratio := over_rival(product, name)) is not None]
        if ratios:
            shares = [100 * count / len(ratios) for count in tables_paper000.bins_of(ratios)]
            rows.append([f"`{name.removeprefix('lacuna:')}`", str(len(ratios)), *(f"{share:.1f}" if share else "." for share in shares)])
    return table(["kernel", "products", *tables_paper000.BIN_NAMES], rows, "lr")


def kernel_times(found):
    """GCOO beside `tiled`, the best of cuSPARSE and the dense product: milliseconds on the device."""
    rows = []
    for product in found:
        if GCOO not in product.cases:
            continue
        times = [product.cases.get(name) for name in (GCOO, "lacuna:tiled")] + [product.device_rival, product.cases.get(DENSE_FLOAT)]
        rows.append([f"{product.rows:,}", f"{product.zeros:g}", *(small(case.device_seconds * 1e3 if case else None) for case in times),
                     *(text(over_rival(product, name)) for name in (GCOO, "lacuna:tiled")), text(over_dense(product, GCOO))])
    return table(["n", "zeros, %", "`gcoo`, ms", "`tiled`", "cuSPARSE, best", "dense fp32", "cuSPARSE / `gcoo`", "cuSPARSE / `tiled`",
                  "dense / `gcoo`"], rows, "r")


def table3_table(found, numbers):
    """Effective GFLOP/s, 2 n² nnz / time as the paper has it: the operations of the nonzeros."""
    timed = {plain(product.matrix): product for product in found}
    name, called = subject(found)
    rows = []
    for matrix, paper in rows_of(numbers["table3"]).items():
        product = timed.get(matrix)
        worse = "below 1" if matrix in numbers["figure5"]["slower than cuSPARSE"] else "above 1"
        if product is None:
            rows.append([matrix, f"{paper['n']:,}", f"{paper['share of nonzeros']:.2e}", worse, *["-"] * 9])
            continue
        any_case = next(iter(product.cases.values()))
        share = any_case.counters["nnz"] / any_case.counters["rows"] ** 2
        case = product.cases.get(name)
        rows.append([product.matrix, f"{any_case.counters['rows']:,.0f} ({paper['n']:,})", f"{share:.2e} ({paper['share of nonzeros']:.2e})", worse,
                     case.label or "-" if case else "-", small(case.device_seconds * 1e3 if case else None), digits3(rate(case)),
                     product.device_rival.implementation.removeprefix("cusparse:") if product.device_rival else "-",
                     digits3(rate(product.device_rival)), *(text(over_rival(product, own)) for own in (name, *(full for _, full in OURS[1:]))),
                     *(small(product.cases[dense].seconds * 1e3 if dense in product.cases else None) for _, dense in DENSE)])
    return table(["matrix", "n (paper)", "share of nonzeros (paper)", "paper: cuSPARSE / GCOO", f"here: kernel of {called}", "ms", "GFLOP/s",
                  "best of cuSPARSE", "GFLOP/s", "ratio", "ratio, TF32", "ratio, fp16", "dense fp32, ms", "TF32", "half"], rows, "lrrllrrlr")


def crossings_table(found, numbers):
    bound, name = numbers["crossover"], subject(found)[0]
    ours = crossings(found, lambda product: over_dense(product, name))
    vendor = crossings(found, vendor_over_dense)
    rows = [["paper, n = 4,000 and 14,000", str(bound["GCOO"]), str(bound["cuSPARSE"])]]
    rows += [[f"here, n = {size:,}", ours.get(size, "-"), vendor[size]] for size in vendor]
    return table(["dense fp32 is passed from, % of zeros", subject(found)[1] if rows else "", "cuSPARSE"], rows, "lr")


def page(folder):
    """The Markdown of the folder's page, None where it has no results."""
    run = Run.of(folder, NAME)
    if run is None:
        return None
    numbers = published(NAME)
    matrices, field = Run.of(folder, "paper000-matrices"), Run.of(folder, "spmm")
    found, table3, gcoo = products_of(run), products_of(matrices), Gcoo(field)
    found = [product for product in found if product.zeros is not None]
    graphs = any(case.graph_seconds for product in found for case in product.cases.values())
    sources = [run.line("paper000 --random --check")]
    if matrices:
        sources.append(matrices.line("paper000 --matrices --check"))
    sample, dense, shapes, sparse = (kind(folder) for kind in (grid000.Sample, grid000.FromDense, grid000.Shapes, grid000.Sparse))
    sources += [part.run.line(command) for part, command in (
        (sample, "paper000 --random --sample 500 --check"), (dense, "paper000 --random --algorithm gcoo:from_dense --check"),
        (shapes, "paper000 --random --algorithm gcoo:panel=2:team=64,… --check"),
        (sparse, "spgemm … --algorithm automatic,gcoo,gcoo:to_crs --rivals --check")) if part.run]
    if field:
        sources.append(field.line("spmm … --n 32,128,512 --precision full,tf32 --rivals --check"))
    surrogates = sum(is_surrogate(product.matrix) for product in table3)
    lines = heading(NAME, numbers, sources, "GCOO and GCOOSpDM; random matrices are generated as the paper's were, "
                    f"{surrogates} of {len(table3)} named ones are surrogates")
    if not is_timed(found):
        lines += ["", "**The GCOO kernel itself is not in the files of random matrices and of table III yet.** Where the paper has GCOO, `automatic` "
                  "stands: our own choice among `row_split`, `row_blocks`, `tiled` and others. `gcoo` was timed on the matrices of `spmm.json` "
                  "alone (last table)."]
    lines += ["", f"The paper's cards: {', '.join(numbers['cards'])}, against {numbers['rival']}. C = A B in float, A square with n rows, B with "
              "N = n columns. The rival is cuSPARSE at its best (CSR and COO; either layout, unless the entry says right); Blocked-ELL, which in float is a product in TF32, and "
              "dense products stand apart. Ratios are of times on the device"
              + (", in CUDA graphs where calls are short." if graphs else "; this file has none in CUDA graphs, so that calls of less than 20 µs "
                 "include the host's start of a kernel.")]
    lines += section("Claims", claim_table(win_claims(found, gcoo, sample, numbers) + dense_claims(found, numbers)
                                           + other_claims(found, table3, dense, numbers)))
    grid = f"{len(found)} products of the paper's grid, 6 sizes and 8 shares of zeros, each with the same weight: n = 400 weighs a sixth."
    lines += section("Figure 6: how often which is ahead, random matrices", grid, wins_table(found, numbers),
                     "Shares of the products, per cent, in each tenth of the ratio from the number in the head on, by calls, `automatic`:",
                     tables_paper000.histogram(found))
    if is_timed(found):
        lines += section("Figure 6, kernel by kernel", "Shares of the products, per cent, as above, on the device:", kernel_histogram(found))
        lines += section("Figures 7 to 12: GCOO beside `tiled`", "Milliseconds on the device.", kernel_times(found))
    if sample.ratios:
        lines += section("Figure 6 on the whole grid: a sample", f"{max(map(len, sample.ratios.values()))} of the {len(grid000.grid()):,} "
                         "products, drawn at random in 15 strata of size and share of zeros, more where products take little time; each stratum "
                         "weighs as much as it has of the grid, and ± is the standard error of that. cuSPARSE here is the better of CSR 2 and 3, "
                         f"with row-major B and C: {column_major(found)}. The paper's 6,968 cannot be told from its description.", sample.wins_table(),
                         "Shares of the grid, per cent, in each tenth of the ratio from the number in the head on:", sample.histogram())
    lines += section("Figures 7 to 9: against the dense product", crossings_table(found, numbers),
                     "All dense products and precisions, by calls, `automatic`:",
                     tables_paper000.crossovers(found), picture(folder, PICTURE, "time by share of zeros"))
    lines += section("Figures 7 to 12: times", "By calls; `kernel` is what `automatic` chose.", tables_paper000.times(found),
                     [line for name, words in (("paper000-wins.png", "how often which ratio occurs"),
                                               ("paper000-times.png", "times beside dense products")) for line in picture(folder, name, words)])
    if dense.products:
        lines += section("Figure 13: overhead of a dense A", "EO is the conversion of a dense matrix that is on the device, allocations included, KC one "
                         "product; GCOO by `to_gcoo` and `spmm` without CSR between, cuSPARSE by cusparseDenseToSparse, with the preprocessing of its "
                         "product.", dense.table())
    lines += section("Set-up from CSR" if dense.products else "Figure 13: not as the paper has it",
                     "EO here is set-up from CSR, allocations and the choice of a kernel included, and not the "
                     "conversion of a dense matrix; KC is one product; microseconds.", tables_paper000.overhead(found),
                     picture(folder, "paper000-overhead.png", "set-up and product"))
    if shapes.products:
        best = shapes.best()
        lines += section("Tuned p and b (its future work)", "Time over that of the best shape of each product, geometric mean over "
                         f"{len(shapes.products)} products: p = {best[0]}, b = {best[1]} lose least.", shapes.table(), "The best of each:",
                         shapes.best_table())
    if sparse.products:
        lines += section("Sparse × sparse (its future work)", "C = A A, A in groups of 8 rows, in float: products are written, sorted by row and "
                         "column of C and added. All times are of whole calls that allocate C.", sparse.table(), sparse.said())
    if table3:
        lines += section("Table III and figure 5", f"{surrogates} of {len(table3)} are surrogates: generated, with the size, the nonzeros and the kind of "
                         "pattern. The paper's share of nonzeros stands in brackets; it calls the column sparsity. Figure 5 is a picture: the text "
                         "names the three on which GCOO is behind.", table3_table(table3, numbers), "Time of the best of cuSPARSE over ours:",
                         [f"- {title}: {Ratios([over_rival(product, name) for product in table3])}." for title, name in (("`gcoo`", GCOO), *OURS)
                          if is_timed(table3, name)])
    if gcoo.problems:
        lines += section("GCOO's kernel where it was timed: the matrices of `spmm.json`",
                         f"None of them is the paper's. {gcoo.timed} of {len(gcoo.problems)} products were timed; a star marks the others, given up after a "
                         "few calls that took more than five times as long as the best of ours so far. Over the best rival, those counted in: "
                         f"{gcoo.every}.", gcoo.table())
        memory = gcoo.memory()
        if memory:
            lines += ["", f"Table I: GCOO from a dense matrix keeps {numbers['table1']['GCOO']} words; made from CSR as here it keeps where each value "
                      f"came from as well: {min(memory):.1f} to {max(memory):.1f} bytes a nonzero, four words in float."]
    missing = [f"- The {numbers['public']['matrices']:,} public matrices (figure 4): {REACH}.",
               "- Figure 1 (roofline of cuBLAS) and figure 14 (instructions and transactions of a Titan X): counters of an old card; none were "
               "read here."]
    if not sample.ratios:
        missing.insert(0, f"- The whole grid of {numbers['random']['products']:,}, of which 6,958 can be told from its description: {len(found)} of "
                       "them were run.")
    if not dense.products:
        missing.append("- GCOO straight from a dense matrix, EO and KC of that: the conversion is built and tested, not timed in these files.")
    if not shapes.products:
        missing.append("- Its future work, tuned p and b: no table of p × b in these files.")
    if not sparse.products:
        missing.append("- Its future work, sparse × sparse: not timed in these files.")
    lines += section("What is not here", missing)
    return "\n".join(lines) + "\n"


def draw(pyplot, folder):
    """Figures 7 to 9: time by share of zeros at two sizes, cuSPARSE, ours, dense."""
    run = Run.of(folder, NAME)
    found = products_of(run)
    name, _ = subject(found)
    lines = (("cuSPARSE, best", "#b04a4a", lambda product: product.device_rival),
             (name.removeprefix("lacuna:"), "#3b6ea8", lambda product: product.cases.get(name)),
             ("dense fp32", "#444444", lambda product: product.cases.get(DENSE_FLOAT)),
             ("dense TF32", "#999999", lambda product: product.cases.get("cublas:tf32")))
    figure, panels = pyplot.subplots(1, len(SIZES), figsize=(7.4, 3.2))
    for axes, size in zip(panels, SIZES):
        for title, colour, pick in lines:
            points = sorted((100 - product.zeros, pick(product).device_seconds * 1e3) for product in found
                            if product.n == size and product.zeros is not None and pick(product))
            if points:
                axes.plot(*zip(*points), color=colour, marker="o", markersize=3, linewidth=1, label=title)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.invert_xaxis()
        axes.set_title(f"n = {size:,}", fontsize=8)
        axes.set_xlabel("nonzeros, per cent", fontsize=8)
        axes.tick_params(labelsize=7)
    panels[0].set_ylabel("ms", fontsize=8)
    panels[0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(folder / PICTURE, dpi=90)
    pyplot.close(figure)
    return [PICTURE]
