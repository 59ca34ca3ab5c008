# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""What the page on GCOO takes from files of their own: a sample of the paper's grid of random matrices, weighted by
strata; conversions of dense matrices (figure 13); the kernel in every shape, p rows by b columns; products of a GCOO
matrix and a sparse one."""

import re

import tables_paper000
from results import geometric_mean

from .common import Ratios, Run, digits3, fastest, gain, small, table, text

SAMPLE, FROM_DENSE, SHAPES, SPARSE = "paper000-sample", "paper000-dense", "paper000-shapes", "paper000-sparse"
FIRST_SIZE, LAST_SIZE, SIZE_STEP, SIZE_BANDS = 400, 14500, 100, 5
LAST_OF_BAND = (8950, 9900, 9995)  # hundredths of a per cent of zeros
SHAPE = re.compile(r"lacuna:gcoo:panel=(\d+):team=(\d+)$")


def grid():
    """(size, hundredths of a per cent of zeros) of the paper's random matrices."""
    shares = [*range(8000, 9950, 50), *range(9950, 9996, 5)]
    return [(size, share) for size in range(FIRST_SIZE, LAST_SIZE + 1, SIZE_STEP) for share in shares]


def stratum(size, share):
    """As lacuna-bench has it."""
    of_size = (size - FIRST_SIZE) * SIZE_BANDS // (LAST_SIZE - FIRST_SIZE + SIZE_STEP)
    return of_size * len(LAST_OF_BAND) + next(band for band, last in enumerate(LAST_OF_BAND) if share <= last)


class Estimate:
    """The mean of a number over the grid, from points drawn in each stratum without putting back: each stratum weighs as
    much as it has of the grid."""

    def __init__(self, values, of_point):
        """values: {(size, share): a point of the sample}; of_point: its number."""
        sizes, drawn = {}, {}
        for point in grid():
            sizes[stratum(*point)] = sizes.get(stratum(*point), 0) + 1
        for point, value in values.items():
            drawn.setdefault(stratum(*point), []).append(of_point(value))
        known = {h: numbers for h, numbers in drawn.items() if len(numbers) > 1}
        all_of_grid = sum(sizes[h] for h in known)
        self.count, self.mean, self.variance = sum(map(len, known.values())), 0.0, 0.0
        self.part = all_of_grid / len(grid())  # of the grid, that strata with two points or more make
        for h, numbers in known.items():
            weight, n = sizes[h] / all_of_grid, len(numbers)
            mean = sum(numbers) / n
            spread = sum((number - mean) ** 2 for number in numbers) / (n - 1)
            self.mean += weight * mean
            self.variance += weight * weight * spread / n * (1 - n / sizes[h])

    @property
    def error(self):
        """The standard error."""
        return self.variance ** 0.5

    def per_cent(self):
        return f"{100 * self.mean:.1f} ± {100 * self.error:.1f} %"

    def __str__(self):
        return f"{self.mean:.2f} ± {self.error:.2f}"


class Sample:
    """The products of the file, by kernel: {(size, share): the best of cuSPARSE over the kernel, on the device}."""

    def __init__(self, folder):
        self.run = Run.of(folder, SAMPLE)
        self.ratios = {}
        for product in tables_paper000.products_of(self.run.data, "float") if self.run else []:
            if product.zeros is None or product.device_rival is None:
                continue
            for name, case in product.cases.items():
                if case.ours:
                    point = product.rows, round(100 * product.zeros)
                    self.ratios.setdefault(name, {})[point] = product.device_rival.device_seconds / case.device_seconds

    def wins(self, name):
        values = self.ratios.get(name)
        estimate = Estimate(values, lambda ratio: ratio > 1) if values else None
        return estimate if estimate and estimate.count else None

    def average(self, name):
        values = self.ratios.get(name)
        return Estimate(values, lambda ratio: ratio) if values else None

    def bins(self, name):
        """The share of the grid, per cent, in each tenth of the ratio."""
        names = tables_paper000.BIN_NAMES

        def is_in(bin):
            return lambda ratio: tables_paper000.bins_of([ratio])[bin] > 0

        return [100 * Estimate(self.ratios[name], is_in(bin)).mean for bin in range(len(names))]

    def wins_table(self):
        rows = []
        for name in sorted(self.ratios):
            won = self.wins(name)
            if won:
                values = self.ratios[name].values()
                rows.append([f"`{name.removeprefix('lacuna:')}`", str(won.count), won.per_cent(), str(self.average(name)),
                             text(geometric_mean(values)), text(min(values)), text(max(values))])
        return table(["kernel", "products", "wins on the grid", "average on the grid", "geometric mean of the sample", "least", "most"],
                     rows, "lr")

    def histogram(self):
        rows = [[f"`{name.removeprefix('lacuna:')}`", *(f"{share:.1f}" if share else "." for share in self.bins(name))]
                for name in sorted(self.ratios) if self.wins(name)]
        return table(["kernel", *tables_paper000.BIN_NAMES], rows, "lr")


GCOO_FROM_DENSE, CUSPARSE_FROM_DENSE = "lacuna:gcoo:from_dense", "cusparse:csr_alg2:from_dense"


class FromDense:
    """Figure 13: EO, the conversion of a dense A with its allocations, and KC, one product."""

    def __init__(self, folder):
        self.run = Run.of(folder, FROM_DENSE)
        found = tables_paper000.products_of(self.run.data, "float") if self.run else []
        self.products = [product for product in found if product.zeros is not None and GCOO_FROM_DENSE in product.cases]

    @staticmethod
    def overhead(case):
        return case.counters["setup_ms"] * 1e-3 / case.seconds if case else None

    def shares(self, name):
        """EO over KC of every product."""
        return [self.overhead(product.cases[name]) for product in self.products if name in product.cases]

    def ratios(self):
        """EO of cuSPARSE over that of GCOO."""
        return [product.cases[CUSPARSE_FROM_DENSE].counters["setup_ms"] / product.cases[GCOO_FROM_DENSE].counters["setup_ms"]
                for product in self.products if CUSPARSE_FROM_DENSE in product.cases]

    def table(self):
        rows = []
        for product in self.products:
            cells = [f"{product.rows:,}", f"{product.zeros:g}"]
            for name in (GCOO_FROM_DENSE, CUSPARSE_FROM_DENSE):
                case = product.cases.get(name)
                cells += [small(case.counters["setup_ms"] if case else None), small(case.seconds * 1e3 if case else None),
                          text(self.overhead(case))]
            rows.append(cells)
        return table(["n", "zeros, %", *(f"{who}: {what}" for who in ("GCOO", "cuSPARSE CSR")
                                         for what in ("EO, ms", "KC, ms", "EO / KC"))], rows, "r")


class Shapes:
    """The kernel by p and b."""

    def __init__(self, folder):
        self.run = Run.of(folder, SHAPES)
        self.products = {}
        for product in tables_paper000.products_of(self.run.data, "float") if self.run else []:
            times = {(int(found[1]), int(found[2])): case for name, case in product.cases.items() if (found := SHAPE.match(name))}
            if times and product.zeros is not None:
                self.products[product.rows, product.zeros] = times

    def over_best(self, shape):
        """How many times as long as the best shape of each product it takes, geometric mean."""
        ratios = [times[shape].device_seconds / min(case.device_seconds for case in times.values())
                  for times in self.products.values() if shape in times]
        return geometric_mean(ratios) if ratios else None

    def shapes(self):
        return sorted({shape for times in self.products.values() for shape in times})

    def best(self):
        """(p, b) that lose least over all products."""
        return min(self.shapes(), key=self.over_best, default=None)

    def table(self):
        """A line a p, columns by b: times over the best shape; then the best of each product."""
        ps, bs = sorted({p for p, _ in self.shapes()}), sorted({b for _, b in self.shapes()})
        return table(["p \\ b", *map(str, bs)], [[str(p), *(text(self.over_best((p, b))) for b in bs)] for p in ps], "r")

    def best_table(self):
        rows = []
        for (size, zeros), times in sorted(self.products.items()):
            best = min(times, key=lambda shape: times[shape].device_seconds)
            default = times.get((4, 128))
            rows.append([f"{size:,}", f"{zeros:g}", f"p = {best[0]}, b = {best[1]}", digits3(times[best].device_seconds * 1e6),
                         digits3(default.device_seconds * 1e6 if default else None)])
        return table(["n", "zeros, %", "best shape", "µs", "default (p = 4, b = 128), µs"], rows, "rrlr")


GCOO, BY_CSR, OF_CSR = "lacuna:gcoo", "lacuna:gcoo:to_crs", "lacuna:automatic"


class Sparse:
    """C = A B of an A in GCOO and a sparse B: read as it stands, and by way of CSR in every call."""

    def __init__(self, folder):
        self.run = Run.of(folder, SPARSE)
        self.products = {matrix: cases for matrix, cases in (self.run.cases() if self.run else {}).items() if GCOO in cases}

    def over(self, slow):
        """How many times as fast as `slow` the product that reads GCOO is."""
        return Ratios([gain(cases, GCOO, slow) for cases in self.products.values()])

    def said(self):
        """What the table comes to, and what follows for who has a matrix in GCOO."""
        over = self.over(BY_CSR)
        advice = "" if over.mean is None or over.mean >= 1 else " That is why `spgemm` converts where `SpgemmAlgorithm::gcoo` is not asked for."
        return (f"Reading GCOO over `to_crs` and the product of CSR, both in every call: {over}; over the product of a CSR matrix that is "
                f"there: {self.over(OF_CSR)}.{advice}")

    def table(self):
        rows = []
        for matrix, cases in self.products.items():
            counters = cases[GCOO].counters
            shown = [cases[GCOO], cases.get(BY_CSR), cases.get(OF_CSR), fastest(cases, "cusparse:")]
            rows.append([matrix, text(counters.get("products", 0) * 1e-6, 1), text(counters.get("nnz_c", 0) * 1e-6, 1),
                         *(small(case.device_seconds * 1e3 if case else None) for case in shown), text(gain(cases, GCOO, BY_CSR))])
        return table(["A = B", "products, M", "nonzeros of C, M", "GCOO, ms", "`to_crs`, then CSR, ms", "CSR, ms", "cuSPARSE, best, ms",
                      "GCOO over `to_crs`"], rows, "lr")
