# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Xiang et al.: cuTeSpMM, sparse × dense on matrix engines from HRPB, and synergy."""

from .common import (REACH, UNKNOWN, Claim, Ratios, Run, best_rival, claim_table, correlation, digits3, gain, heading,
                     is_surrogate, judge, picture, plain, published, quantile, rank_correlation, rate, rows_of, section, table, text)

NAME, PICTURE = "paper004", "paper004-synergy.png"
HRPB, BRICKS = "lacuna:hrpb+tf32", "lacuna:bricks+tf32"
AUTOMATIC, FULL, ROWS = "lacuna:automatic+tf32", "lacuna:automatic", "lacuna:row_split"
KERNELS = ((HRPB, "`hrpb`, TF32"), (BRICKS, "`bricks`, TF32"), (AUTOMATIC, "`automatic`, TF32"), (FULL, "`automatic`, full"),
           (ROWS, "`row_split`, full"))
WIDTHS = {"table3": (32, 64, 128), "table4": (32, 128, 512)}
PAPERS, RIVAL, BEST = "cuTeSpMM", "TC-GNN", "Best-SC"
CLASSES = ("low", "medium", "high")
WIDE = 128


def synergy(alpha, bounds):
    """The class of a share of nonzeros in bricks, by the bounds of table 1."""
    return "low" if 100 * alpha < bounds["medium"] else "medium" if 100 * alpha < bounds["high"] else "high"


class Product:
    """A graph or matrix times N columns."""

    def __init__(self, problem, cases, bounds, source):
        _, self.name, _, self.columns = problem
        self.problem, self.cases, self.source = problem, cases, source
        counters = next(iter(cases.values())).counters
        self.alpha, self.beta, self.nonzeros = counters.get("alpha", 0), counters.get("beta", 0), counters["nnz"]
        self.kind, self.rival = synergy(self.alpha, bounds), best_rival(cases)

    def rate(self, name):
        return rate(self.cases.get(name))

    def over_rival(self, name=HRPB):
        case = self.cases.get(name)
        return self.rival.device_seconds / case.device_seconds if case and self.rival else None

    def products_of_setup(self, name=HRPB):
        """Preprocessing in products."""
        case = self.cases.get(name)
        return case.counters["setup_ms"] * 1e-3 / case.device_seconds if case else None


def products_of(run, numbers, source):
    if run is None:
        return []
    return [Product(problem, cases, numbers["table1"], source) for problem, cases in run.problems.items()
            if problem[0] == "spmm" and problem[2] == "float"]


def graphs_of(found, numbers, which):
    """[(graph, published row, {N: product})] of a published table."""
    by_name = {}
    for product in found:
        by_name.setdefault(plain(product.name), {})[product.columns] = product
    return [(graph, row, by_name.get(graph, {})) for graph, row in rows_of(numbers[which]).items()]


def published_ratios(numbers, columns, which=None):
    """Of cuTeSpMM over Best-SC, all graphs that a table has at this N."""
    which = which or ("table4" if columns == 512 else "table3")
    return Ratios([row[f"{PAPERS} {columns}"] / row[f"{BEST} {columns}"] for row in rows_of(numbers[which]).values()])


def rates_table(found, numbers, which, columns):
    head = ["graph", "nonzeros", f"paper: {PAPERS}", RIVAL, BEST, "ratio", *(title for _, title in KERNELS), "best rival", "its name",
            "`hrpb` / rival", "`automatic` TF32 / rival"]
    rows = []
    for graph, paper, products in graphs_of(found, numbers, which):
        theirs = [paper[f"{who} {columns}"] for who in (PAPERS, RIVAL, BEST)]
        cells = [f"{value:,}" for value in theirs] + [text(theirs[0] / theirs[2])]
        product = products.get(columns)
        if product is None:
            rows.append([graph, "-", *cells, *["-"] * (len(KERNELS) + 4)])
            continue
        rows.append([product.name, f"{product.nonzeros:,.0f}", *cells, *(digits3(product.rate(name)) for name, _ in KERNELS),
                     digits3(rate(product.rival)), product.rival.implementation if product.rival else "-", text(product.over_rival()),
                     text(product.over_rival(AUTOMATIC))])
    last = ["geometric mean", "", "", "", "", text(published_ratios(numbers, columns, which).mean)] + [""] * (len(KERNELS) + 2)
    own = [product for _, _, products in graphs_of(found, numbers, which) if (product := products.get(columns))]
    last += [text(Ratios([product.over_rival(name) for product in own]).mean) for name in (HRPB, AUTOMATIC)]
    return table(head, rows + [last], "lrrrrr" + "r" * len(KERNELS) + "rlr")


def class_rows(found, given_up, columns):
    rows = []
    for kind in CLASSES:
        group = [product for product in found if product.kind == kind and product.columns == columns]
        for name, title in (*KERNELS, (None, "best rival")):
            rates = [product.rate(name) if name else rate(product.rival) for product in group]
            rates = [value for value in rates if value is not None]
            ratios = Ratios([product.over_rival(name) for product in group]) if name else Ratios([])
            lost = sum(product.problem in given_up.get(name, {}) for product in group)
            if not rates and not lost:
                continue
            rows.append([kind, str(columns), title, str(len(rates)), str(lost) if lost else "",
                         *(digits3(quantile(rates, q) if rates else None) for q in (0, 0.25, 0.5, 0.75, 1)),
                         text(ratios.mean), f"{ratios.wins} of {len(ratios)}" if len(ratios) else ""])
    return rows


def synergy_table(found, run, widths):
    given_up = {name: run.given_up(name) for name, _ in KERNELS} if run else {}
    rows = [row for columns in widths for row in class_rows(found, given_up, columns)]
    return table(["synergy", "N", "kernel", "matrices", "given up", "least", "25 %", "median", "75 %", "most", "× best rival, geometric mean",
                  "wins"], rows, "lrlr")


def matrices_table(found):
    """Alpha, OI, beta and class of every matrix, and what HRPB costs and gains at N = 128."""
    rows, seen = [], set()
    for product in sorted(found, key=lambda product: product.alpha):
        if product.columns != WIDE or product.name in seen:
            continue
        seen.add(product.name)
        rows.append([product.name, product.source, f"{product.nonzeros:,.0f}", f"{100 * product.alpha:.1f} %", f"{512 * product.alpha:.1f}",
                     f"{product.beta:.2f}", product.kind, text(product.cases[HRPB].counters["setup_ms"] if HRPB in product.cases else None),
                     text(product.products_of_setup(), 1), digits3(product.rate(HRPB)), text(product.over_rival()),
                     text(product.over_rival(BRICKS))])
    return table(["matrix", "file", "nonzeros", "alpha", "OI = 512 alpha", "beta", "synergy", "preprocessing, ms", "in products",
                  "`hrpb`, GFLOP/s", "`hrpb` / rival", "`bricks` / rival"], rows, "llrrrrlr")


def by_class(found, kind, name=HRPB, least_columns=0):
    return Ratios([product.over_rival(name) for product in found if product.kind == kind and product.columns >= least_columns])


def class_claims(both, given_up):
    def with_lost(kind, least_columns):
        lost = sum(product.problem in given_up and product.kind == kind and product.columns >= least_columns for product in both)
        ratios = by_class(both, kind, HRPB, least_columns)
        return ratios, f"{ratios}" + (f"; {lost} given up as far too slow" if lost else "")

    (high, high_text), (medium, medium_text), (low, low_text) = (
        with_lost(kind, least) for kind, least in (("high", 0), ("medium", WIDE), ("low", WIDE)))
    engine = Ratios([gain(product.cases, BRICKS, HRPB) for product in both if product.kind == "high"])
    return [
        Claim("high synergy: significantly faster than the best scalar kernel", "figure 9, a picture", high_text,
              judge(high.mean, 1.2, 1), "which part of the kernel is not known yet; it is not the engine: our bricks of 8 × 4 are "
              f"{text(engine.mean)} times as fast on the same matrices"),
        Claim("medium synergy: better median than the best scalar kernel, but for N = 32", "figure 9, a picture",
              f"N = 128, 512: {medium_text}", judge(medium.mean, 1, 0.8), "as above"),
        Claim("low synergy: better median too, or only slightly lower", "figure 9, a picture", f"N = 128, 512: {low_text}",
              judge(low.mean, 0.9, 0.75), "as above; and up to 15 of 16 places of a brick hold zeros, where rows one by one move less"),
    ]


def graph_claims(graphs, numbers):
    graphs = [product for product in graphs if plain(product.name) in rows_of(numbers["table3"])]
    means = {columns: published_ratios(numbers, columns) for columns in (32, 64, 128, 512)}
    ours = {columns: Ratios([product.over_rival() for product in graphs if product.columns == columns]) for columns in means}
    every, theirs = (Ratios([value for ratios in of.values() for value in ratios.values]) for of in (ours, means))
    real = [product for product in graphs if product.columns == WIDE and not is_surrogate(product.name)]
    paper = rows_of(numbers["table3"])
    rates = [f"{product.name} {digits3(product.rate(HRPB))} ({paper[product.name][f'{PAPERS} {WIDE}']})" for product in real
             if product.name in paper]
    absolute = Ratios([product.rate(HRPB) / paper[product.name][f"{PAPERS} {WIDE}"] for product in real
                       if product.name in paper and product.rate(HRPB)])
    setup = Ratios([product.products_of_setup() for product in graphs if product.columns == WIDE])
    behind = [sum(row[f"{RIVAL} {columns}"] > row[f"{PAPERS} {columns}"] for row in rows_of(numbers["table4"]).values())
              for columns in WIDTHS["table4"]]
    hundred = numbers["claims"]["preprocessing_in_products"]
    return [
        Claim("ahead of the best scalar kernel on most of the graphs of tables 3 and 4",
              f"{theirs.wins} of {len(theirs)}; " + ", ".join(f"N = {columns}: {ratios.mean:.2f} ×" for columns, ratios in means.items()),
              f"{every.wins} of {len(every)}; " + ", ".join(f"N = {columns}: {text(ratios.mean)} ×" for columns, ratios in ours.items()),
              judge(every.mean, 1, 0.8), "all of them have low synergy, where rows one by one move less; and the kernel itself is slow (next line)"),
        Claim(f"GFLOP/s on an {numbers['card']} (the real graphs, N = {WIDE}; in brackets the paper's)", "table 3", ", ".join(rates) or "-",
              judge(absolute.mean, 1, 0.8), "not known yet: the card is faster than theirs"),
        Claim("faster than TC-GNN throughout", "its own table 4 has TC-GNN ahead on " + ", ".join(
            f"{count} of {len(numbers['table4']['rows'])} at N = {columns}" for count, columns in zip(behind, WIDTHS["table4"])), "-", UNKNOWN,
            "TC-GNN is not built here"),
        Claim(f"preprocessing takes about {hundred} products (N = {WIDE})", f"about {hundred}, on a CPU",
              f"{text(min(setup.values, default=None), 1)} to {text(max(setup.values, default=None), 1)}, on the device",
              judge(hundred / max(setup.values) if len(setup) else None, 1, 0.5)),
    ]


def model_claims(both):
    points = [(product.alpha, product.rate(HRPB), product.over_rival()) for product in both
              if product.columns == WIDE and product.rate(HRPB) and product.over_rival()]
    alphas, rates, gains = zip(*points) if points else ((), (), ())
    straight, ranked = correlation(alphas, rates), rank_correlation(alphas, rates)
    gain_ranked = rank_correlation(alphas, gains)
    high = Ratios([product.over_rival() for product in both if product.columns == WIDE and product.kind == "high"])
    return [
        Claim("throughput follows synergy (OI = 512 alpha, figure 7)", "a picture", f"correlation of alpha with GFLOP/s of `hrpb` "
              f"{text(straight)}, of ranks {text(ranked)} ({len(points)} matrices, N = {WIDE})", judge(straight, 0.7, 0.4)),
        Claim("synergy tells where the engine wins", "said, no number", f"rank correlation of alpha with `hrpb` / rival {text(gain_ranked)}; "
              f"`hrpb` wins {sum(value > 1 for value in gains)} of {len(gains)}, {high.wins} of {len(high)} of high synergy",
              judge(high.share, 0.8, 0.4),
              "there is no threshold above which `hrpb` wins; our `bricks` do follow it: they win " + ", ".join(
                  f"{ratios.wins} of {len(ratios)} ({kind})" for kind in CLASSES if len(ratios := by_class(both, kind, BRICKS, WIDE)))),
    ]


def page(folder):
    """The Markdown of the folder's page, None where it has no results."""
    run = Run.of(folder, NAME)
    if run is None:
        return None
    numbers, field_run = published(NAME), Run.of(folder, "spmm")
    graphs, field = products_of(run, numbers, NAME), products_of(field_run, numbers, "spmm")
    both, given_up = graphs + field, {problem for its_run in (run, field_run) if its_run for problem in its_run.given_up(HRPB)}
    names = {product.name for product in graphs if plain(product.name) in rows_of(numbers["table3"])}
    low = sum(product.kind == "low" for product in graphs if product.name in names and product.columns == WIDE)
    surrogates = sum(is_surrogate(name) for name in names)
    sources = [run.line("spmm --paper --rivals --check")]
    if field_run:
        sources.append(field_run.line("spmm … --n 32,128,512 --precision full,tf32 --rivals --check"))
    lines = heading(NAME, numbers, sources, f"cuTeSpMM and HRPB, {surrogates} of {len(names)} graphs are surrogates")
    lines += ["", f"GFLOP/s on the device, float; the paper's on an {numbers['card']}. `hrpb` in TF32 is the published kernel, `bricks` and "
              "`automatic` are our own. The best rival is the fastest of cuSPARSE (CSR, COO, BSR, Blocked-ELL, either layout) and Kokkos "
              "Kernels; it is **not** the paper's Best-SC: Sputnik, the six variants of GE-SpMM and TC-GNN are not built here. A graph with "
              "`-surrogate` in its name is generated: it has the rows, nonzeros and kind of pattern of the paper's, so its synergy is a guess. "
              + " ".join(f"The real cora has {product.nonzeros:,.0f} nonzeros here, the copy of TC-GNN's authors 10,858."
                         for product in graphs if product.name == "cora" and product.columns == WIDE)]
    lines += section("Claims", claim_table(class_claims(both, given_up) + graph_claims(graphs, numbers) + model_claims(both)),
                     f"Classes are of the matrices of both files; {low} of the {len(names)} graphs of the paper's tables are of low synergy here, so "
                     "that the other two classes are matrices that the paper does not name. A kernel is given up where a call takes more than five times as long as the best of ours so far; what was given up is "
                     "in no mean, which flatters it.")
    for which, title in (("table3", "Table 3"), ("table4", "Table 4")):
        for columns in WIDTHS[which]:
            lines += section(f"{title}, N = {columns}", f"{surrogates} of {len(names)} graphs are surrogates.",
                             rates_table(graphs, numbers, which, columns))
    counts = numbers["table2"]
    lines += section("Figure 9: by synergy, the matrices of `paper004.json`", f"The paper has {counts['low']} matrices of low, {counts['medium']} of "
                     f"medium, {counts['high']} of high synergy (table 2); {surrogates} of these {len(names)} are surrogates.",
                     synergy_table(graphs, run, (32, 64, 128, 512)))
    if field:
        lines += section("Figure 9 again: the matrices of `spmm.json`", "Real files and generated meshes, none of them the paper's.",
                         synergy_table(field, field_run, (32, 128, 512)), picture(folder, PICTURE, "gain over the best rival by synergy"))
    lines += section(f"Synergy, and what preprocessing costs (N = {WIDE})", matrices_table(both))
    lines += section("What is not here", [
        f"- The {numbers['claims']['matrices']:,} matrices of more than {numbers['claims']['least_rows']:,} rows (figures 2, 7, 9, 10): {REACH}.",
        "- Best-SC as the paper has it: Sputnik and GE-SpMM are not built; TC-GNN (figure 2) neither.",
        f"- An {numbers['other_card']}: none here.",
        "- Wave-aware balance on and off: the bench has no such switch in these files; no ablation.",
        "- AMD's engines: the same path is compiled and tested by emulation, never run on a card."])
    return "\n".join(lines) + "\n"


def draw(pyplot, folder):
    """The gain of both kernels of the engine over the best rival, by alpha."""
    run, field_run = Run.of(folder, NAME), Run.of(folder, "spmm")
    if run is None:
        return []
    numbers = published(NAME)
    both = products_of(run, numbers, NAME) + products_of(field_run, numbers, "spmm")
    both = [product for product in both if product.columns == WIDE]
    figure, axes = pyplot.subplots(figsize=(6.4, 3.6))
    for name, title, colour, marker in ((HRPB, "hrpb, TF32 (published)", "#b04a4a", "x"), (BRICKS, "bricks, TF32 (ours)", "#3b6ea8", "o")):
        points = [(100 * product.alpha, product.over_rival(name)) for product in both if product.over_rival(name)]
        axes.scatter([x for x, _ in points], [y for _, y in points], c=colour, marker=marker, s=18, label=title)
    for bound in ("medium", "high"):
        axes.axvline(numbers["table1"][bound], color="#777777", linewidth=0.6, linestyle="--")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xlabel("alpha, per cent (dashed: medium, high synergy)")
    axes.set_ylabel(f"best rival / kernel, N = {WIDE}")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / PICTURE, dpi=90)
    pyplot.close(figure)
    return [PICTURE]
