#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""The part of report.py on `lacuna-bench paper000`: tables, and the paper's figures for what was measured.

    wins-SCALAR.png       how often which ratio to cuSPARSE at its best occurs (figures 4 and 6)
    times-SCALAR.png      time by share of zeros beside the dense products, a panel a shape and N (figures 7 to 12)
    overhead-SCALAR.png   set-up (EO) on top of one product (KC), 95 to 99 % of zeros (figure 13)
"""

import tables_paper000 as tables

# What lines are drawn of: title, colour, marker, the case of a product.
LINES = [(f"Lacuna, {title}", colour, "o", lambda product, name=name: product.cases.get(name))
         for (title, name), colour in zip(tables.OURS, ("#3b6ea8", "#d08c3a", "#5a9a5a"))]
LINES += [("best of cuSPARSE", "#b04a4a", "x", lambda product: product.rival)]
LINES += [(f"cuBLAS, {title}", colour, None, lambda product, name=name: product.cases.get(name))
          for (title, name), colour in zip(tables.DENSE, ("#333333", "#777777", "#aaaaaa"))]
MOST_PANELS = 24


def of_scalar(data, scalar):
    """The products of uniform random matrices, none where this is another experiment."""
    return [product for product in tables.products_of(data, scalar) if product.zeros is not None]


def section(data, scalar, plots):
    """The Markdown lines of one scalar type."""
    found = of_scalar(data, scalar)
    lines = ["", f"## Random matrices, {scalar}", "",
             "Ratios are the time of cuSPARSE at its best, in either layout, over that of `lacuna:automatic`, by "
             "precision; Blocked-ELL, which is a product in TF32, and dense products stand apart."]
    for title, table in (("How often it wins", tables.wins(found)), ("How ratios are spread", tables.histogram(found)),
                         ("From how many per cent of zeros on the dense product is passed", tables.crossovers(found)),
                         ("Set-up (EO) and one product (KC)", tables.overhead(found)), ("Times", tables.times(found))):
        if table:
            lines += ["", f"### {title}", "", *table]
    return lines + [""] + [f"![{path}]({path})" for path in plots]


def draw_wins(pyplot, found, scalar, path):
    titles = [title for title, name in tables.OURS if tables.ratios_of(found, name)]
    if not titles:
        return False
    figure, axes = pyplot.subplots(figsize=(8, 4))
    width = 0.8 / len(titles)
    for place, title in enumerate(titles):
        ratios = list(tables.ratios_of(found, dict(tables.OURS)[title]).values())
        shares = [100 * count / len(ratios) for count in tables.bins_of(ratios)]
        won = 100 * sum(value > 1 for value in ratios) / len(ratios)
        colour = dict((line[0], line[1]) for line in LINES)[f"Lacuna, {title}"]
        axes.bar([bin + (place - (len(titles) - 1) / 2) * width for bin in range(len(shares))], shares, width=width,
                 color=colour, label=f"{title}: {len(ratios)} products, {won:.1f} % faster")
    axes.axvline(tables.FIRST_WIN - 0.5, color="black", linewidth=0.8)
    axes.set_xticks(range(len(tables.BIN_NAMES)), tables.BIN_NAMES, fontsize=7, rotation=45)
    axes.set_xlabel("time of the best of cuSPARSE / time of lacuna:automatic")
    axes.set_ylabel("% of products")
    axes.set_title(f"{scalar}, uniform random matrices")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return True


def shapes_of(found):
    """Products by (rows, columns, N), those of more than one share of zeros."""
    shapes = {}
    for product in found:
        shapes.setdefault((product.rows, product.columns, product.n), []).append(product)
    return {key: sorted(shapes[key], key=lambda product: product.zeros) for key in sorted(shapes) if len(shapes[key]) > 1}


def draw_times(pyplot, found, scalar, path):
    shapes = dict(list(shapes_of(found).items())[:MOST_PANELS])
    if not shapes:
        return False
    columns = min(3, len(shapes))
    rows = -(-len(shapes) // columns)
    figure, plots = pyplot.subplots(rows, columns, figsize=(4.2 * columns, 3.2 * rows), squeeze=False)
    for axes, products in zip(plots.flat, shapes.values()):
        for title, colour, marker, pick in LINES:
            points = [(100 - product.zeros, pick(product).seconds * 1e6) for product in products if pick(product)]
            if points:
                axes.plot(*zip(*points), color=colour, marker=marker, markersize=3, linewidth=1, label=title,
                          linestyle="-" if marker else "--")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.invert_xaxis()
        axes.set_xticks([100 - product.zeros for product in products],
                        [f"{product.zeros:g}" for product in products], fontsize=6, rotation=45)
        axes.minorticks_off()
        axes.set_title(f"{products[0].shape}, N = {products[0].n:,}", fontsize=9)
        axes.set_xlabel("zeros, %", fontsize=8)
        axes.set_ylabel("time, us", fontsize=8)
    for axes in list(plots.flat)[len(shapes):]:
        axes.set_visible(False)
    plots[0, 0].legend(fontsize=6)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return True


def draw_overhead(pyplot, found, scalar, path):
    products = sorted((product for product in tables.with_overhead(found)), key=lambda item: (item.zeros, item.rows))
    if not products:
        return False
    figure, axes = pyplot.subplots(figsize=(max(6, 0.45 * len(products)), 4))
    for place, product in enumerate(products):
        for shift, case, kernel, extra in ((-0.2, product.ours, "#3b6ea8", "#a9c4e0"),
                                           (0.2, product.rival, "#b04a4a", "#e0a9a9")):
            if case is None:
                continue
            total = case.seconds + case.counters["setup_ms"] * 1e-3
            first = place == 0
            name = "Lacuna" if case is product.ours else "cuSPARSE"
            axes.bar(place + shift, 100 * case.seconds / total, width=0.4, color=kernel,
                     label=f"{name}, product (KC)" if first else None)
            axes.bar(place + shift, 100 - 100 * case.seconds / total, bottom=100 * case.seconds / total, width=0.4,
                     color=extra, label=f"{name}, set-up (EO)" if first else None)
    axes.set_xticks(range(len(products)), [f"{product.rows}, {product.zeros:g} %" for product in products], fontsize=7,
                    rotation=60)
    axes.set_ylabel("% of set-up and one product")
    axes.set_title(f"{scalar}, n and share of zeros")
    axes.legend(fontsize=7, loc="lower left")
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return True


def draw(pyplot, data, scalar, folder):
    """The plots' file names."""
    found, drawn = of_scalar(data, scalar), []
    for name, plot in (("wins", draw_wins), ("times", draw_times), ("overhead", draw_overhead)):
        path = f"{name}-{scalar}.png"
        if plot(pyplot, found, scalar, folder / path):
            drawn.append(path)
    return drawn
