# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Varaganti: SpGEMM of clSPARSE, 38 bins in five groups."""

import report_spgemm

from .common import (FAILS, HOLDS, PARTLY, REACH, UNKNOWN, Claim, Ratios, Run, claim_table, digits3, fastest, heading, is_surrogate,
                     judge, picture, plain, published, rank_correlation, rate, rows_of, section, table, text)

NAME, PICTURE = "paper001", "paper001-ratios.png"
BINS, SUBWARPS, AUTOMATIC = "lacuna:bins", "lacuna:bins_by_subwarps", "lacuna:automatic"
FEM = ("bcsstk32", "pkustk06", "pkustk01")  # real matrices with rows as long as those of the paper's FEM ones
LIKE_FEM = ("pdb1HYS", "rma10", "consph", "cant", "hood", "pwtk", "shipsec1")


class Square:
    """C = A A of one matrix of figure 1."""

    def __init__(self, name, cases, paper):
        self.name, self.cases = name, cases
        self.clsparse, self.cusparse = paper["clSPARSE"], paper["cuSPARSE"]
        self.real = paper["products"] / paper["nonzeros of C"]
        self.bins, self.automatic = cases.get(BINS), cases.get(AUTOMATIC)
        self.vendor = fastest(cases, "cusparse:", without=(":reuse",))
        rivals = [case for name, case in cases.items() if not case.ours and not name.endswith("reuse")]
        self.rival = min(rivals, key=lambda case: case.seconds, default=None)

    @property
    def paper(self):
        return self.clsparse / self.cusparse

    def ratio(self, fast, slow):
        return slow.seconds / fast.seconds if fast and slow else None

    @property
    def compression(self):
        return compression(next(iter(self.cases.values())))


def meet_as_often(found):
    """Whether the products of all matrices meet as often as those of the real ones, to a twentieth."""
    return all(square.compression and abs(square.compression / square.real - 1) <= 0.05 for square in found)


def compression(case):
    """Products over nonzeros of C."""
    counters = case.counters
    return counters["products"] / counters["nnz_c"] if counters.get("nnz_c") else None


def squares_of(run, numbers):
    """Those of figure 1, in its order."""
    timed = {plain(name): (name, cases) for name, cases in run.cases().items()}
    return [Square(*timed[name], paper) for name, paper in rows_of(numbers["figure1"]).items() if name in timed]


def real_compression(folder):
    """What products over nonzeros of C are for real FEM matrices of the same folder."""
    run = Run.of(folder, "spgemm")
    cases = run.cases(scalar="double") if run else {}
    return [f"{name} {text(compression(next(iter(cases[name].values()))), 1)}" for name in FEM if name in cases]


def ranks_of(found):
    pairs = [(square.paper, square.ratio(square.bins, square.vendor)) for square in found if square.bins and square.vendor]
    return rank_correlation(*zip(*pairs)) if pairs else None


def slow_part(found):
    """Where the time of `bins` goes on the matrix that takes longest."""
    known = [square for square in found if square.bins and f"{BINS}:symbolic" in square.cases]
    if not known:
        return ""
    worst = max(known, key=lambda square: square.bins.seconds)
    plan = worst.cases[f"{BINS}:symbolic"].seconds
    return (f"what is slow is stage 3, above all the merge of rows of more than 512 products: on {worst.name} stages 1 to 3 take "
            f"{plan * 1e3:.1f} of {worst.bins.seconds * 1e3:.1f} ms")


def peer_lines(found):
    """Ours and the best there is, beside the published algorithm."""
    rival = Ratios([square.ratio(square.bins, square.rival) for square in found])
    own = Ratios([square.ratio(square.automatic, square.rival) for square in found])
    return [f"- `bins` over the best rival (cuSPARSE, Kokkos Kernels): {rival}.", f"- Our own `automatic` over the best rival: {own}."]


def claims(found, numbers, folder):
    over = Ratios([square.ratio(square.bins, square.vendor) for square in found])
    paper = Ratios([row["clSPARSE"] / row["cuSPARSE"] for row in rows_of(numbers["figure1"]).values()])
    most, rho = max(over.values, default=None), ranks_of(found)
    real = real_compression(folder)
    surrogates = "another card, another cuSPARSE, surrogates" if meet_as_often(found) else (
        "another card, another cuSPARSE, and surrogates whose products rarely meet" + (
            f": {', '.join(f'{square.name} {text(square.compression, 1)}' for square in found if plain(square.name) in LIKE_FEM)} "
            f"products a nonzero of C, where real FEM matrices have {', '.join(real)}" if real else ""))
    return [
        Claim("clSPARSE on a W9100 is ahead of cuSPARSE on a K40 on all but very few matrices",
              f"{paper.wins} of {len(paper)} by its own rates, {paper.mean:.2f} ×", f"`bins` over cuSPARSE's best on the same card {over}",
              UNKNOWN if over.mean is None else HOLDS if over.mean >= paper.mean and over.wins >= paper.wins
              else PARTLY if over.mean >= 1 else FAILS, surrogates),
        Claim(f"up to more than {numbers['claims']['most']} ×", f"{max(paper.values):.2f} ×", f"{digits3(most)} ×",
              judge(most, numbers["claims"]["most"], 2), slow_part(found)),
        Claim("on which matrices it is ahead (order of the ratios)", "-", f"rank correlation with the paper's {text(rho)}",
              judge(rho, 0.7, 0.4), "cards and libraries are ten years younger" if meet_as_often(found) else
              "see above: what decides, how often products meet, the surrogates do not have"),
    ]


def figure_table(found):
    head = ["matrix", "nonzeros", "products, M", "products a nonzero of C", "of the real matrix", "paper: clSPARSE, W9100", "cuSPARSE, K40", "ratio",
            "here: `bins`", "cuSPARSE, best", "ratio", "best rival", "its rate", "bins / rival", "`bins_by_subwarps`", "`automatic`", "automatic / rival"]
    rows = []
    for square in found:
        counters = next(iter(square.cases.values())).counters
        rows.append([square.name, f"{counters['nnz']:,.0f}", text(counters.get("products", 0) * 1e-6, 1), text(square.compression, 1),
                     text(square.real, 1), text(square.clsparse, 3), text(square.cusparse, 3), text(square.paper), digits3(rate(square.bins)),
                     digits3(rate(square.vendor)), text(square.ratio(square.bins, square.vendor)),
                     square.rival.implementation if square.rival else "-", digits3(rate(square.rival)),
                     text(square.ratio(square.bins, square.rival)), digits3(rate(square.cases.get(SUBWARPS))),
                     digits3(rate(square.automatic)),
                     text(square.ratio(square.automatic, square.rival))])
    return table(head, rows, "lrrrrrrrrrrlr")


def stages_table(found):
    """What the plan and the rest of a call of `bins` take."""
    rows = []
    for square in found:
        plan, again = square.cases.get(f"{BINS}:symbolic"), square.cases.get(f"{BINS}:reuse")
        both = plan is not None and square.bins is not None

        def milliseconds(case):
            return text(case.seconds * 1e3 if case else None, 3)

        rows.append([square.name, plan.label if plan else "-", milliseconds(plan),
                     text((square.bins.seconds - plan.seconds) * 1e3 if both else None, 3), milliseconds(square.bins),
                     milliseconds(again)])
    return table(["matrix", "stages 1 and 2", "plan (1 to 3), ms", "C and copy (4), ms", "whole call, ms",
                  "values again, ms"], rows, "llr")


def page(folder):
    """The Markdown of the folder's page, None where it has no results."""
    run = Run.of(folder, NAME)
    if run is None:
        return None
    numbers = published(NAME)
    found = squares_of(run, numbers)
    surrogates = sum(is_surrogate(square.name) for square in found)
    lines = heading(NAME, numbers, [run.line("spgemm --paper --rivals --check")],
                    f"SpGEMM of clSPARSE, {surrogates} of {len(found)} matrices are surrogates")
    lines += ["", "C = A A in single precision. The published algorithm is `lacuna:bins`: 38 bins, heap, bitonic sort and "
              "progressive merge. GFLOP/s count two operations a product and a whole call, which allocates and frees everything. "
              "A matrix with `-surrogate` in its name is generated: it has the rows and nonzeros of the paper's" + (
                  ", its longest row, its products and nonzeros of C to 5 %; where they stand is made up."
                  if meet_as_often(found) else " and its kind of pattern, "
                  "not its products a nonzero of C, by which SpGEMM is easy or hard; ratios of ours against rivals on them say little "
                  "about the real ones.")]
    lines += section("Claims", claim_table(claims(found, numbers, folder)), "Beside the published algorithm, on the same surrogates:",
                     peer_lines(found))
    unchecked = [plain(square.name) for square in found if plain(square.name) in numbers["real"]["unchecked"]]
    lines += section("Figure 1", f"All {len(found)} matrices are surrogates." if surrogates == len(found)
                     else f"Of {len(found)} matrices {surrogates} are surrogates.",
                     f"The figure shows ratios; the paper's rates are those of the tables in clSPARSE's repository "
                     f"(docs/performance, SpGEMM.csv). Products and nonzeros of C of the real matrices are quoted, at second hand, from "
                     f"{numbers['real']['source']}: {len(found) - len(unchecked)} agree with published logs of runs, those of "
                     f"{', '.join(unchecked)} were compared with nothing.", figure_table(found), picture(folder, PICTURE, "ratios, paper and here"))
    lines += section("Stages of `bins`", "Of the same surrogates. A plan is stages 1 to 3, the rest of a call stage 4; the time of stages 1 "
                     "and 2 is on the host's clock.", stages_table(found))
    lines += section("All parts of a call, ours and rivals'", "Of the same surrogates, in microseconds.",
                     report_spgemm.table([(matrix, scalar, cases) for (_, matrix, scalar, _), cases in run.problems.items()]))
    missing = ["- A W9100 and a K40: both sides ran on one card here; nothing was run on a card of AMD's."]
    if not any(SUBWARPS in square.cases for square in found):
        missing.append("- Group 4 with a wavefront a row in scratch, and stage 4 with the published widths: what ran as `bins` then is "
                       "`bins_by_subwarps` now; it gives a row 8 to 32 lanes, keeps keys in registers, and copies with 8 lanes a row "
                       "(a warp for group 5).")
    lines += section("What is not here", [*missing, f"- Real files: {REACH}."])
    return "\n".join(lines) + "\n"


def draw(pyplot, folder):
    """The paper's ratio against ours, a point a matrix."""
    run = Run.of(folder, NAME)
    if run is None:
        return []
    points = [(square.paper, square.ratio(square.bins, square.vendor), plain(square.name)) for square in squares_of(run, published(NAME))
              if square.bins and square.vendor]
    figure, axes = pyplot.subplots(figsize=(6, 4.2))
    axes.scatter([x for x, _, _ in points], [y for _, y, _ in points], c="#3b6ea8", s=16)
    for x, y, name in points:
        axes.annotate(name, (x, y), fontsize=6, xytext=(3, 2), textcoords="offset points")
    axes.axhline(1, color="black", linewidth=0.6)
    axes.axvline(1, color="black", linewidth=0.6)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("clSPARSE on a W9100 / cuSPARSE on a K40 (paper)")
    axes.set_ylabel("bins / cuSPARSE here, surrogates")
    figure.tight_layout()
    figure.savefig(folder / PICTURE, dpi=90)
    pyplot.close(figure)
    return [PICTURE]
