# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Xiang et al.: cuTeSpMM, sparse × dense on matrix engines from HRPB, and synergy."""

import fit_hrpb

from .common import (REACH, UNKNOWN, Claim, Ratios, Run, best_rival, claim_table, correlation, digits3, gain, heading,
                     is_surrogate, judge, picture, plain, published, quantile, rank_correlation, rate, rows_of, section, table, text)

NAME, PICTURE, PREDICTED = "paper004", "paper004-synergy.png", "paper004-predicted.png"
OFF, AVERAGE = "lacuna:hrpb:balance=off+tf32", "lacuna:hrpb:balance=average+tf32"
TALL = "lacuna:hrpb:panel=32+tf32"
HRPB, BRICKS = "lacuna:hrpb+tf32", "lacuna:bricks+tf32"
AUTOMATIC, FULL, ROWS = "lacuna:automatic+tf32", "lacuna:automatic", "lacuna:row_split"
KERNELS = ((HRPB, "`hrpb`, TF32"), (BRICKS, "`bricks`, TF32"), (AUTOMATIC, "`automatic`, TF32"), (FULL, "`automatic`, full"),
           (ROWS, "`row_split`, full"))
WIDTHS = {"table3": (32, 64, 128), "table4": (32, 128, 512)}
PAPERS, RIVAL, BEST = "cuTeSpMM", "TC-GNN", "Best-SC"
CLASSES = ("low", "medium", "high")
COLOURS = {"low": "#777777", "medium": "#3b6ea8", "high": "#b04a4a"}
WIDE = 128
GENERATED = "synergy:"
WITHIN = 1.5


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
        self.alpha_32 = counters.get("alpha_32")
        self.intensity = 512 * self.alpha  # panels of 16 rows: beta is 1
        self.intensity_32 = 512 * self.alpha_32 * self.beta if self.alpha_32 else None
        self.kind, self.rival = synergy(self.alpha, bounds), best_rival(cases)

    def rate(self, name):
        return rate(self.cases.get(name))

    def over_rival(self, name=HRPB):
        case = self.cases.get(name)
        return self.rival.device_seconds / case.device_seconds if case and self.rival else None

    def predicted_over_measured(self, name=HRPB):
        """None where the file does not say what was expected."""
        case = self.cases.get(name)
        return case.counters["predicted_seconds"] / case.device_seconds if case and case.counters.get("predicted_seconds") else None

    def products_of_setup(self, name=HRPB):
        """Preprocessing in products."""
        case = self.cases.get(name)
        return case.counters["setup_ms"] * 1e-3 / case.device_seconds if case else None


def products_of(run, numbers, source):
    if run is None:
        return []
    return [Product(problem, cases, numbers["table1"], source) for problem, cases in run.problems.items()
            if problem[0] == "spmm" and problem[2] == "float"]


def field_of(run, folder):
    """spmm.json, where it is of the revision of `run`: another one's kernel would be in the same means."""
    field = Run.of(folder, "spmm")
    if field is None or run is None:
        return None
    return field if field.data.context.get("git_revision") == run.data.context.get("git_revision") else None


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


def once(found, least=WIDE):
    """The products with that N, by alpha, a matrix once."""
    seen, products = set(), []
    for product in sorted(found, key=lambda product: product.alpha):
        if product.columns == least and product.name not in seen:
            seen.add(product.name)
            products.append(product)
    return products


def matrices_table(found):
    """Alpha, OI, beta and class of every matrix, and what HRPB costs and gains at N = 128."""
    rows = [[product.name, product.source, f"{product.nonzeros:,.0f}", f"{100 * product.alpha:.1f} %", f"{product.intensity:.1f}", product.kind,
             f"{100 * product.alpha_32:.1f} %" if product.alpha_32 else "-", f"{product.beta:.2f}", text(product.intensity_32, 1),
             text(product.cases[HRPB].counters["setup_ms"] if HRPB in product.cases else None), text(product.products_of_setup(), 1),
             digits3(product.rate(HRPB)), text(product.over_rival()), text(product.over_rival(BRICKS))] for product in once(found)]
    return table(["matrix", "file", "nonzeros", "alpha", "OI = 512 alpha", "synergy", "alpha, TM = 32", "beta, TM = 32", "OI = 512 alpha beta, TM = 32",
                  "preprocessing, ms", "in products", "`hrpb`, GFLOP/s", "`hrpb` / rival", "`bricks` / rival"], rows, "llrrrlr")


def ratios_of(found, fast, slow):
    return Ratios([gain(product.cases, fast, slow) for product in found])


def ablation(found):
    """Lines: what cutting panels gains; nothing where the file has no other scheme."""
    found = [product for product in found if OFF in product.cases and HRPB in product.cases]
    if not found:
        return []
    widths = sorted({product.columns for product in found})
    means = [[str(columns), str(len(group)), str(ratios_of(group, HRPB, OFF)), str(ratios_of(group, HRPB, AVERAGE)),
              str(ratios_of(group, AVERAGE, OFF))]
             for columns in widths if (group := [product for product in found if product.columns == columns])]
    rows = [[product.name, product.kind, *(digits3(product.rate(name)) for name in (OFF, AVERAGE, HRPB)),
             text(gain(product.cases, HRPB, OFF)), text(gain(product.cases, HRPB, AVERAGE))] for product in once(found)]
    return [*table(["N", "matrices", "waves over off", "waves over average", "average over off"], means, "rrlll"), "",
            *table(["matrix", "synergy", "off, GFLOP/s", "average", "waves", "waves / off", "waves / average"], rows, "llr")]


def prediction(found):
    """Lines: predicted over measured times by class and N; nothing where the file has no predictions."""
    rows = []
    for kind in CLASSES:
        for columns in sorted({product.columns for product in found}):
            factors = Ratios([product.predicted_over_measured() for product in found if product.kind == kind and product.columns == columns])
            if len(factors):
                rows.append([kind, str(columns), str(len(factors)), text(factors.mean), digits3(min(factors.values)),
                             digits3(max(factors.values)), f"{sum(is_near(value) for value in factors.values)} of {len(factors)}"])
    return table(["synergy", "N", "matrices", "predicted / measured, geometric mean", "least", "most", f"within a factor of {WITHIN}"], rows,
                 "lr") if rows else []


def fitted(run):
    """(points, costs) of the model fitted to the products of this file; (None, None) where they are too few."""
    points = fit_hrpb.points_of(run.data.cases, HRPB)
    return (points, fit_hrpb.fit(points)) if len(points) >= 2 * len(fit_hrpb.COSTS) else (None, None)


def fit_line(run):
    points, costs = fitted(run)
    if points is None:
        return []
    return [f"{len(points)} products, as this build predicted them: {fit_hrpb.errors_text(points, [point.predicted for point in points])}. The same "
            f"model with the costs that `fit_hrpb.py` finds in this file: {fit_hrpb.errors_text(points, [point.by(costs) for point in points])}."]


def is_near(factor):
    return 1 / WITHIN <= factor <= WITHIN


def panel_table(found):
    """Panels of 16 against panels of 32 rows; nothing where the file has the latter not."""
    rows = [[product.name, f"{product.intensity:.1f}", text(product.intensity_32, 1), digits3(product.rate(HRPB)), digits3(product.rate(TALL)),
             text(gain(product.cases, TALL, HRPB))] for product in once(found) if TALL in product.cases]
    return table(["matrix", "OI, TM = 16", "OI, TM = 32", "TM = 16, GFLOP/s", "TM = 32", "TM = 32 / TM = 16"], rows, "lr") if rows else []


def by_class(found, kind, name=HRPB, least_columns=0):
    return Ratios([product.over_rival(name) for product in found if product.kind == kind and product.columns >= least_columns])


def class_claims(both, given_up, numbers):
    def with_lost(kind, least_columns):
        lost = sum(product.problem in given_up and product.kind == kind and product.columns >= least_columns for product in both)
        ratios = by_class(both, kind, HRPB, least_columns)
        return ratios, f"{ratios}" + (f"; {lost} given up as far too slow" if lost else "")

    (high, high_text), (medium, medium_text), (low, low_text) = (
        with_lost(kind, least) for kind, least in (("high", 0), ("medium", WIDE), ("low", WIDE)))

    def why(kind):
        engine = Ratios([gain(product.cases, BRICKS, HRPB) for product in both if product.kind == kind])
        if not len(engine):
            return ""
        return (f"our bricks of 8 × 4, on the same engine, take {text(1 / engine.mean)} times as long as `hrpb` on these matrices"
                + (": it is the kernel, not the engine" if engine.mean > 1 else ""))

    return [
        Claim("high synergy: significantly faster than the best scalar kernel", "figure 9, a picture", high_text,
              judge(high.mean, 1.2, 1), why("high")),
        Claim("medium synergy: better median than the best scalar kernel, but for N = 32", "figure 9, a picture",
              f"N = 128, 512: {medium_text}", judge(medium.mean, 1, 0.8), why("medium")),
        Claim("low synergy: better median too, or only slightly lower", "figure 9, a picture; the graphs of tables 3 and 4: " + ", ".join(
            f"{published_ratios(numbers, columns).mean:.2f} × (N = {columns})" for columns in (128, 512)), f"N = 128, 512: {low_text}",
              judge(low.mean, 0.9, 0.75), why("low")),
    ]


def low_words(graphs):
    names = {product.name: product.kind for product in graphs}
    low = sum(kind == "low" for kind in names.values())
    return f"{low} of these {len(names)} graphs have low synergy here"


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
              judge(every.mean, 1, 0.8), low_words(graphs) + ("; the published kernel is slower here than in the paper (next line)"
                                                              if absolute.mean and absolute.mean < 1 else "")),
        Claim(f"GFLOP/s on an {numbers['card']} (the real graphs, N = {WIDE}; in brackets the paper's)", "table 3", ", ".join(rates) or "-",
              judge(absolute.mean, 1, 0.8), "not known"),
        Claim("faster than TC-GNN throughout", "its own table 4 has TC-GNN ahead on " + ", ".join(
            f"{count} of {len(numbers['table4']['rows'])} at N = {columns}" for count, columns in zip(behind, WIDTHS["table4"])), "-", UNKNOWN,
            "TC-GNN is not built here"),
        Claim(f"preprocessing takes about {hundred} products (N = {WIDE})", f"about {hundred}, on a CPU",
              f"{text(min(setup.values, default=None), 1)} to {text(max(setup.values, default=None), 1)}, on the device",
              judge(hundred / max(setup.values) if len(setup) else None, 1, 0.5)),
    ]


def threshold(points):
    """The least alpha from which every matrix gains; None where the one of most alpha does not."""
    least = None
    for alpha, value in sorted(points, reverse=True):
        if value <= 1:
            break
        least = alpha
    return least


def model_claims(both):
    wide = [product for product in both if product.columns == WIDE]
    points = [(product.alpha, product.rate(HRPB), product.over_rival()) for product in wide if product.rate(HRPB) and product.over_rival()]
    alphas, rates, gains = zip(*points) if points else ((), (), ())
    gain_ranked = rank_correlation(alphas, gains)
    high = Ratios([product.over_rival() for product in wide if product.kind == "high"])
    from_alpha = threshold(list(zip(alphas, gains)))
    # Each height of panels is a point of its own: beta tells them apart.
    modeled = [(intensity, product.rate(name)) for product in wide
               for name, intensity in ((HRPB, product.intensity), (TALL, product.intensity_32)) if product.rate(name) and intensity]
    straight, ranked = (of([x for x, _ in modeled], [y for _, y in modeled]) for of in (correlation, rank_correlation))
    tall = sum(product.rate(TALL) is not None and product.intensity_32 is not None for product in wide)
    claims = [
        Claim("throughput follows the modeled OI = 512 alpha beta (equation 1, figure 7)", "a picture", f"correlation of OI with GFLOP/s of `hrpb` "
              f"{text(straight)}, of ranks {text(ranked)} ({len(modeled)} points, {tall} of them with TM = 32, N = {WIDE})",
              judge(straight, 0.7, 0.4)),
        Claim("synergy tells where the engine wins", "said, no number", f"rank correlation of alpha with `hrpb` / rival {text(gain_ranked)}; "
              f"`hrpb` wins {sum(value > 1 for value in gains)} of {len(gains)}, {high.wins} of {len(high)} of high synergy; "
              + ("no alpha from which it always wins" if from_alpha is None else f"it always wins from an alpha of {100 * from_alpha:.1f} % on"),
              judge(high.share, 0.8, 0.4), "our `bricks` win " + ", ".join(
                  f"{ratios.wins} of {len(ratios)} ({kind})" for kind in CLASSES if len(ratios := by_class(both, kind, BRICKS, WIDE)))),
    ]
    factors = Ratios([product.predicted_over_measured() for product in both])
    if len(factors):
        near = sum(is_near(value) for value in factors.values)
        claims.append(Claim("synergy predicts the time (our model by alpha, OI with beta, blocks, waves and N)", "no model of the time",
                            f"predicted over measured {text(factors.mean)} in the mean ({digits3(min(factors.values))} to "
                            f"{digits3(max(factors.values))}), {near} of {len(factors)} within a factor of {WITHIN}",
                            judge(near / len(factors), 0.8, 0.5)))
    panels = [(product.intensity_32 > product.intensity, gain(product.cases, TALL, HRPB) > 1) for product in wide
              if product.intensity_32 and gain(product.cases, TALL, HRPB)]
    if panels:
        right = sum(more == faster for more, faster in panels)
        claims.append(Claim("OI with beta tells whether panels of 32 rows pay", "said: a large TM rarely does",
                            f"TM = 32 is faster on {sum(faster for _, faster in panels)} of {len(panels)} (N = {WIDE}); OI points to the faster on {right}",
                            judge(right / len(panels), 0.8, 0.6)))
    off, average = (Ratios([gain(product.cases, HRPB, name) for product in both]) for name in (OFF, AVERAGE))
    if len(off):
        claims.append(Claim("wave-aware balance pays (section 5)", "no number", f"over no cuts {off}; over cuts by the average {average}",
                            judge(min(of.mean for of in (off, average) if len(of)), 1, 0.97)))
    return claims


def page(folder):
    """The Markdown of the folder's page, None where it has no results."""
    run = Run.of(folder, NAME)
    if run is None:
        return None
    numbers, field_run = published(NAME), field_of(run, folder)
    graphs, field = products_of(run, numbers, NAME), products_of(field_run, numbers, "spmm")
    both, given_up = graphs + field, {problem for its_run in (run, field_run) if its_run for problem in its_run.given_up(HRPB)}
    names = {product.name for product in graphs if plain(product.name) in rows_of(numbers["table3"])}
    low = sum(product.kind == "low" for product in graphs if product.name in names and product.columns == WIDE)
    surrogates = sum(is_surrogate(name) for name in names)
    sources = [run.line("spmm --paper --rivals --check")]
    if field_run:
        sources.append(field_run.line("spmm … --n 32,128,512 --precision full,tf32 --rivals --check"))
    generated = len({product.name for product in graphs if product.name.startswith(GENERATED)})
    made = f"; {generated} more matrices are generated with a chosen alpha" if generated else ""
    lines = heading(NAME, numbers, sources, f"cuTeSpMM and HRPB, {surrogates} of {len(names)} graphs are surrogates")
    lines += ["", f"GFLOP/s on the device, float; the paper's on an {numbers['card']}. `hrpb` in TF32 is the published kernel, `bricks` and "
              "`automatic` are our own. The best rival is the fastest of cuSPARSE (CSR, COO, BSR, Blocked-ELL, either layout) and Kokkos "
              "Kernels; it is **not** the paper's Best-SC: Sputnik, the six variants of GE-SpMM and TC-GNN are not built here. A graph with "
              "`-surrogate` in its name is generated: it has the rows, nonzeros and kind of pattern of the paper's, so its synergy is a guess. "
              + " ".join(f"The real cora has {product.nonzeros:,.0f} nonzeros here, the copy of TC-GNN's authors 10,858."
                         for product in graphs if product.name == "cora" and product.columns == WIDE)]
    lines += section("Claims", claim_table(class_claims(both, given_up, numbers) + graph_claims(graphs, numbers) + model_claims(both)),
                     ("Classes are of the matrices of both files; " if field else "") + f"{low} of the {len(names)} graphs of the paper's tables are of low synergy here"
                     + (", so that the other two classes are matrices that the paper does not name" if low == len(names) else "") + made
                     + ". A kernel is given up where a call takes more than five times as long as the best of ours so far; what was given up is "
                     "in no mean, which flatters it.")
    for which, title in (("table3", "Table 3"), ("table4", "Table 4")):
        for columns in WIDTHS[which]:
            lines += section(f"{title}, N = {columns}", f"{surrogates} of {len(names)} graphs are surrogates.",
                             rates_table(graphs, numbers, which, columns))
    counts = numbers["table2"]
    lines += section("Figure 9: by synergy, the matrices of `paper004.json`", f"The paper has {counts['low']} matrices of low, {counts['medium']} of "
                     f"medium, {counts['high']} of high synergy (table 2); {surrogates} of these {len(names)} graphs are surrogates{made}.",
                     synergy_table(graphs, run, (32, 64, 128, 512)))
    if field:
        lines += section("Figure 9 again: the matrices of `spmm.json`", "Real files and generated meshes, none of them the paper's.",
                         synergy_table(field, field_run, (32, 128, 512)), picture(folder, PICTURE, "gain over the best rival by synergy"))
    lines += section(f"Synergy, and what preprocessing costs (N = {WIDE})", matrices_table(both))
    if predicted := prediction(both):
        lines += section("Predicted and measured", "The model of `hrpb` in TF32 (`Lacuna_SpmmHrpbModel.hpp`): packed blocks, rows of B for each block, transfers "
                         "by equation 1, bricks, waves of blocks, B and C; its costs are those of the revision above.", predicted, fit_line(run),
                         picture(folder, PREDICTED, "predicted against measured times by synergy"))
    if panels := panel_table(both):
        lines += section(f"Panels of 16 and of 32 rows, N = {WIDE}", panels)
    balance = ablation(both)
    if balance:
        lines += section("Wave-aware balance: off, by the average, by waves", "`hrpb` in TF32; a ratio above 1 is faster.", balance)
    lines += section("What is not here", [
        f"- The {numbers['claims']['matrices']:,} matrices of more than {numbers['claims']['least_rows']:,} rows (figures 2, 7, 9, 10): {REACH}.",
        "- Best-SC as the paper has it: Sputnik, GE-SpMM and TC-GNN (figure 2) are not built, for rivals here are libraries that are installed "
        "and kept up: the best rival is cuSPARSE or Kokkos Kernels, which may be slower than Best-SC would be, or faster.",
        f"- An {numbers['other_card']}: none here.",
        *([] if balance else ["- Wave-aware balance on and off: these files have no products without it; no ablation."]),
        "- AMD's engines: the same path is compiled and tested by emulation, never run on a card."])
    return "\n".join(lines) + "\n"


def draw(pyplot, folder):
    """The gain of both kernels of the engine over the best rival, by alpha."""
    run = Run.of(folder, NAME)
    if run is None:
        return []
    numbers, field_run = published(NAME), field_of(run, folder)
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
    return [PICTURE, *draw_prediction(pyplot, folder, products_of(run, numbers, NAME) + products_of(field_run, numbers, "spmm"), run)]


def draw_prediction(pyplot, folder, found, run):
    """Predicted against measured times of `hrpb`, all N: by the build, and by costs fitted to the file."""
    found = [product for product in found if product.predicted_over_measured()]
    if not found:
        return []
    figure, axes = pyplot.subplots(figsize=(6.4, 4.2))
    for kind in CLASSES:
        group = [product.cases[HRPB] for product in found if product.kind == kind]
        axes.scatter([1e6 * case.device_seconds for case in group], [1e6 * case.counters["predicted_seconds"] for case in group],
                     c=COLOURS[kind], marker="x", s=18, label=f"{kind} synergy")
    points, costs = fitted(run)
    if points is not None:
        axes.scatter([1e6 * point.measured for point in points], [1e6 * point.by(costs) for point in points], facecolors="none",
                     edgecolors="#4a8a4a", marker="o", s=14, linewidths=0.7, label="costs fitted to this file")
    ends = [1e6 * of(product.cases[HRPB].device_seconds for product in found) for of in (min, max)]
    axes.plot(ends, ends, color="black", linewidth=0.8)
    for factor in (WITHIN, 1 / WITHIN):
        axes.plot(ends, [factor * end for end in ends], color="#777777", linewidth=0.6, linestyle="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(f"measured, µs (dashed: a factor of {WITHIN})")
    axes.set_ylabel("predicted, µs")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / PREDICTED, dpi=90)
    pyplot.close(figure)
    return [PREDICTED]
