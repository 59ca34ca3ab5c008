#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Checks the pages of papers: on made-up runs whose numbers are known, and that the committed pages are what the scripts
write; run by ctest."""

import contextlib
import difflib
import io
import json
import pathlib
import re
import tempfile
import unittest
import unittest.mock

import paper_pages
from papers import common, grid000, paper000, paper001, paper002, paper003, paper004

SCRIPTS = pathlib.Path(__file__).resolve().parent
RESULTS = SCRIPTS.parent / "results"
BENCH = SCRIPTS.parent / "paper"
CONTEXT = {"device": "a device", "git_revision": "0123456789ab", "date": "2026-01-02T03:04:05"}


def case(name, microseconds, nonzeros=1000.0, flops=2000.0, **more):
    """One benchmark as lacuna-bench writes it: 2000 operations in 2 µs are 1 GFLOP/s."""
    return {"name": name, "real_time": microseconds, "time_unit": "us", "rows": 10.0, "cols": 10.0, "nnz": nonzeros, "flops": flops,
            "bytes": 1.0, "setup_ms": 0.0, "temporary_bytes": 0.0, "persistent_bytes": 0.0, "rel_error": 0.0, **more}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, cases):
        text = json.dumps({"context": CONTEXT, "benchmarks": cases})
        (self.folder / f"{name}.json").write_text(text, encoding="utf-8")

    def page(self, paper):
        return paper.page(self.folder)

    def claim(self, paper, start):
        """The cells of the claim that begins so."""
        line = next(line for line in self.page(paper).splitlines() if line.startswith(f"| {start}"))
        return [cell.strip() for cell in line.strip("|").split("|")]

    def assert_lines(self, text, *lines):
        written = text.splitlines()
        for line in lines:
            if line not in written:
                self.fail(f"not there: {line}\nbut: {difflib.get_close_matches(line, written, 1, 0)}")


class Numbers(unittest.TestCase):
    def test_quantiles_and_correlations(self):
        self.assertEqual(2.5, common.quantile([4, 1, 3, 2], 0.5))
        self.assertEqual(1.75, common.quantile([4, 1, 3, 2], 0.25))
        self.assertEqual([1.5, 3, 1.5], common.ranks([2, 5, 2]))
        self.assertAlmostEqual(1, common.rank_correlation([1, 2, 3], [10, 100, 1000]))
        self.assertAlmostEqual(-1, common.rank_correlation([1, 2, 3], [3, 2, 1]))
        self.assertAlmostEqual(0.5, common.rank_correlation([1, 2, 3], [1, 3, 2]))
        self.assertIsNone(common.correlation([1, 2, 3], [4, 4, 4]))

    def test_ratios(self):
        ratios = common.Ratios([0.5, None, 2, 8])
        self.assertEqual("2.00 × (0.50 to 8.00), above 1 on 2 of 3", str(ratios))
        self.assertAlmostEqual(2 / 3, ratios.share)
        self.assertEqual("-", str(common.Ratios([None])))

    def test_verdicts(self):
        for value, verdict in ((None, common.UNKNOWN), (2, common.HOLDS), (1.5, common.PARTLY), (1, common.FAILS)):
            self.assertEqual(verdict, common.judge(value, 2, 1.2))
        held, lost = (common.Claim("c", "1", "2", verdict, "why") for verdict in (common.HOLDS, common.FAILS))
        self.assertEqual(["", "why"], [claim.cells()[-1] for claim in (held, lost)])

    def test_digits(self):
        self.assertEqual(["1,235", "12.3", "1.23", "0.00", "-"],
                         [common.digits3(value) for value in (1234.6, 12.34, 1.234, 0.001234, None)])
        self.assertEqual("0.00123", common.small(0.001234))
        self.assertEqual("12.0 (3.40)", common.beside(12, 3.4))


class Published(unittest.TestCase):
    """What was typed in, against what the bench has of the same paper, and within itself."""

    def rows(self, paper, pattern):
        return re.findall(pattern, (BENCH / f"Bench_{paper}.cpp").read_text(encoding="utf-8"))

    def test_table_2_of_002(self):
        rows = self.rows("Paper002", r'\{"([\w-]+)", (\d+), (\d+), (\d+), \w+\([^()]*\), ([\d., ]+)\},')
        typed = {row[0]: row[1:] for row in common.published("paper002")["table2"]["rows"]}
        self.assertEqual(19, len(rows))
        self.assertEqual({name: [int(rows), int(columns), int(nonzeros), *map(float, rates.split(", "))]
                          for name, rows, columns, nonzeros, rates in rows}, typed)

    def test_rates_of_001(self):
        rows = self.rows("Paper001", r'\{"([\w-]+)", (\d+), (\d+), .*, ([\d.]+), ([\d.]+), ([\d.]+), ([\d.]+)\},\n')
        self.assertEqual([[name, int(size), int(nonzeros), float(ours), float(theirs), float(products), float(of_c)]
                          for name, size, nonzeros, products, of_c, ours, theirs in rows],
                         common.published("paper001")["figure1"]["rows"])

    def test_tables_3_and_4_of_004(self):
        rows = self.rows("Paper004", r'\{"([\w-]+)", \d+, \d+, .*, \{([\d, ]+)\}, \{([\d, ]+)\}\},')
        numbers = common.published("paper004")
        table3, table4 = common.rows_of(numbers["table3"]), common.rows_of(numbers["table4"])
        self.assertEqual((14, 14, 13), (len(rows), len(table3), len(table4)))
        for name, engine, scalar in rows:
            for who, values in (("cuTeSpMM", engine), ("Best-SC", scalar)):
                *narrow, wide = map(int, values.split(", "))
                self.assertEqual(narrow, [table3[name][f"{who} {columns}"] for columns in (32, 64, 128)], name)
                self.assertEqual(wide, table4[name][f"{who} 512"] if name in table4 else 0, name)

    def test_tables_4_and_5_of_002_agree_with_table_2(self):
        numbers = common.published("paper002")
        table2 = common.rows_of(numbers["table2"])
        for name, row in common.rows_of(numbers["table5"]).items():
            self.assertEqual(table2[name]["aligned cached"], row["16"], name)
        for name, row in common.rows_of(numbers["table4"]).items():
            self.assertEqual(table2[name]["aligned cached"], row["cached 128"], name)

    def test_tables_of_003_hold_their_ratios(self):
        numbers = common.published("paper003")
        self.assertEqual((10, 5), tuple(len(numbers[name]["rows"]) for name in ("table1", "table2")))
        for name in ("table1", "table2"):
            for row in numbers[name]["rows"]:
                self.assertLess(abs(row[6] / row[7] - row[8]), 1, row)

    def test_every_row_has_its_columns(self):
        for path in common.PUBLISHED.glob("*.json"):
            for name, part in json.loads(path.read_text(encoding="utf-8")).items():
                for row in part.get("rows", []) if isinstance(part, dict) else []:
                    self.assertEqual(len(part["columns"]), len(row), f"{path.name} {name} {row}")


class Pages(Folder):
    """Pages of made-up runs."""

    def spmv(self, matrix, **microseconds):
        return [case(f"spmv/{matrix}/float/{'lacuna:' if ':' not in name else ''}{name}", time) for name, time in microseconds.items()]

    def spmv_run(self, aligned):
        cases = []
        for matrix in ("pwtk-surrogate", "orani678"):
            cases += self.spmv(matrix, naive=40, thread_mapped=10, aligned=aligned, cached=4, row_block=8, hyb=2, vector_csr=4, scan_flat=12,
                               scan_matrix=8, automatic=1, **{"cusparse:csr_alg1": 2, "kokkos-kernels:merge_path": 16})
        self.write("paper002", cases)

    def test_002(self):
        self.spmv_run(aligned=8)
        text = self.page(paper002)
        self.assert_lines(text, "# Baskaran and Bordawekar (2009): SpMV from CSR, 1 of 2 matrices are surrogates",
                          "| pwtk-surrogate | 0.05 | 0.20 (9.47) | 0.25 (12.1) | 0.50 (12.4) | - | 0.25 | 2.00 | 1.00 | 0.12 |",
                          "| orani678 | 2,529 | 2,529 | 90,158 | 0.50 (3.41) | 0.17 | 0.25 | 0.50 (2.98) | - | 1.00 (0.19) | - | - | - (2.40) | - (0.21) |",
                          "Our own `automatic` over the published `cached`: 4.00 × (4.00 to 4.00), above 1 on 2 of 2; over the best rival of the "
                          "run: 2.00 × (2.00 to 2.00), above 1 on 2 of 2.")
        self.assertEqual(["1.17 × (1.00 to 1.47), above 1 on 18 of 19", "1.25 × (1.25 to 1.25), above 1 on 2 of 2", "**holds**", ""],
                         self.claim(paper002, "reading from aligned")[1:])
        self.assertEqual("**does not hold today**", self.claim(paper002, "HYB is poor")[3])
        self.assertEqual("over the best of cuSPARSE 0.50 × (0.50 to 0.50), above 1 on 0 of 2; without rail4284, lp_osa_60, orani678 0.50 × (0.50 to "
                         "0.50), above 1 on 0 of 1", self.claim(paper002, "on a par")[2])
        self.assertNotIn("Table 1: coalesced", text)
        self.assertIn("**What has turned round since 2009:** ", text)
        self.assertIn("HYB is poor where rows differ much in length (rail4284, lp_osa_60, orani678): over HYB 0.50 × (0.50 to 0.50), since", text)
        self.spmv_run(aligned=12.5)
        self.assertEqual(["0.80 × (0.80 to 0.80), above 1 on 0 of 2", "**does not hold today**"], self.claim(paper002, "reading from aligned")[2:4])

    def test_002_counts_and_future_work(self):
        cases = [case(f"spmv/rma10-surrogate/float/lacuna:{name}", 4, coalesced=count, uncoalesced=10 * count)
                 for name, count in (("naive", 1), ("thread_mapped", 20), ("aligned", 3000))]
        times = {"cached": 4, "row_block": 8, "vector_csr:uncached": 2, "hyb:uncached": 1, "cached:order=by_length": 2,
                 "cached:order=by_columns": 8, "row_block:order=by_columns": 4, "row_block:least=64": 16}
        cases += [case(f"spmv/rma10-surrogate/float/lacuna:{name}", time) for name, time in times.items()]
        cases += [case(f"spmv/rma10-surrogate/float/lacuna:row_block:rows={rows}:columns={columns}", 2 if rows == 64 else 4)
                  for rows in (8, 16, 32, 64) for columns in (64, 256, 1024)]
        self.write("paper002", cases)
        self.assert_lines(self.page(paper002),
                          "| rma10-surrogate | 1 (414) | 20 (3,693) | 3,000 (48,289) | 10 (894,942) | 200 (847,676) | 30,000 (295,968) |",
                          "| rma10-surrogate | 0.50 | 1.00 | 0.25 | 0.25 | - | 0.50 | 0.12 | - |",
                          "- `cached:order=by_length` over `cached`: 2.00 × (2.00 to 2.00), above 1 on 1 of 1.",
                          "The best size over 16 × 256: 2.00 × (2.00 to 2.00), above 1 on 1 of 1.")
        self.assertIn("| - | 1.00 (5.97) | 2.00 (7.17) |", self.page(paper002))
        self.assertNotIn("Dense sub-blocks extracted, other sizes", self.page(paper002))

    def test_002_tuning(self):
        cases = []
        for team, time in ((64, 8), (128, 4), (256, 4), (512, 4)):
            cases += [case(f"spmv/rma10-surrogate/float/lacuna:{kind}:team={team}", time) for kind in ("aligned", "cached")]
        cases += [case(f"spmv/rma10-surrogate/float/lacuna:cached:lanes={lanes}", time) for lanes, time in ((16, 2), (32, 4), (64, 5))]
        cases.append(case("spmv/rma10-surrogate/float/lacuna:cached", 5))
        self.write("paper002", cases)
        self.assert_lines(self.page(paper002), "| rma10-surrogate | 1.00 (16.4) | 0.50 (10.0) | 0.40 (2.45) |",
                          "| rma10-surrogate | 0.25 (8.65) | 0.50 (8.94) | 0.50 (8.74) | 0.50 (8.71) | 0.25 (13.0) | 0.50 (16.4) | 0.50 (16.0) | "
                          "0.50 (15.4) |")
        self.assertEqual(["best over worst to 1.26 ×", "to 2.00 ×; from 128 threads on to 1.00 ×", "**partly**"],
                         self.claim(paper002, "threads a block")[1:4])
        self.assertIn("`cached` on rma10-surrogate took 2.5 times as long as the same kernel", self.page(paper002))

    def test_001(self):
        def square(matrix, bins, rival, automatic, products):
            more = {"flops": 2e6, "products": products, "nnz_c": 1e5}
            names = (("lacuna:bins", bins), ("cusparse:alg1", rival), ("cusparse:reuse", 1), ("lacuna:automatic", automatic),
                     ("lacuna:bins:symbolic", bins / 2))
            return [case(f"spgemm/{matrix}/float/{name}", time, **more) for name, time in names]

        self.write("paper001", square("cant-surrogate", 100, 50, 25, 3e5) + square("hood-surrogate", 100, 400, 25, 3e5)
                   + square("scircuit", 100, 100, 25, 1.2e5))
        text = self.page(paper001)
        self.assert_lines(text, "# Varaganti (2015): SpGEMM of clSPARSE, 2 of 3 matrices are surrogates",
                          "| cant-surrogate | 1,000 | 0.3 | 3.0 | 15.5 | 3.417 | 5.123 | 0.67 | 20.0 | 40.0 | 0.50 | cusparse:alg1 | 40.0 | 0.50 "
                          "| - | 80.0 | 2.00 |",
                          "| scircuit |  | 0.050 | 0.050 | 0.100 | - |",
                          "- `bins` over the best rival (cuSPARSE, Kokkos Kernels): 1.26 × (0.50 to 4.00), above 1 on 1 of 3.")
        self.assertEqual(["14 of 21 by its own rates, 1.41 ×", "`bins` over cuSPARSE's best on the same card 1.26 × (0.50 to 4.00), above 1 on 1 of 3",
                          "**partly**"], self.claim(paper001, "clSPARSE on a W9100")[1:4])
        self.assertEqual(["4.00 ×", "**holds**"], self.claim(paper001, "up to more than 3.8")[2:4])
        self.assertEqual("rank correlation with the paper's 1.00", self.claim(paper001, "on which matrices")[2])
        self.assertIn("say little about the real ones", text)
        self.assertIn("what ran as `bins` then", text)

    def test_001_as_published(self):
        names = {"lacuna:bins": 100, "lacuna:bins_by_subwarps": 40, "cusparse:alg1": 50}
        self.write("paper001", [case(f"spgemm/cant-surrogate/float/{name}", time, flops=2e6, products=1.5e6, nnz_c=1e5)
                                for name, time in names.items()])
        text = self.page(paper001)
        self.assert_lines(text, "| cant-surrogate | 1,000 | 1.5 | 15.0 | 15.5 | 3.417 | 5.123 | 0.67 | 20.0 | 40.0 | 0.50 | cusparse:alg1 | 40.0 | 0.50 "
                          "| 50.0 | - | - |")
        self.assertIn("its products and nonzeros of C to 5 %", text)
        self.assertNotIn("what ran as `bins` then", text)

    def diagonal(self, workload, **microseconds):
        return [case(f"diagonal/{workload}/double/{name.replace('__', ':')}", time) for name, time in microseconds.items()]

    def test_003(self):
        many = self.diagonal("diagonals:n=10000,a=200,b=200,span=2500", sequential__hm=400000, lacuna__entries=2000, lacuna__automatic=500,
                             lacuna__entries_by_case=3000, lacuna__gather=1000, openmp__hm=6000, openmp__cdm=1500, cusparse__spgemm_reuse=1000)
        many += self.diagonal("diagonals:n=10000,a=300,b=300,span=2500", sequential__hm=900000, lacuna__entries=5000)
        bands = []
        for n in (1024, 10240):
            bands += [case(f"diagonal/band:n={n},w=5/double/{name}", time) for name, time in
                      (("sequential:cdm", n / 10), ("lacuna:tiles+cdm", 8), ("lacuna:automatic", 4), ("openmp:hm", 9), ("openmp:cdm", 2000))]
        self.write("paper003", many + bands)
        text = self.page(paper003)
        self.assert_lines(text, "| 10,000 | 200, 200 | 1,000 (69,689,071) | 400 (4,812.40) | 2.00 (66.62) | 200 (72) | 3.00 | 1.00 | 0.5 | 800 | - | 1.00 "
                          "| - | 6.00 * |",
                          "| 10,240 | 5 | 1.02 | 0.008 | 128 | 0.004 | 256 | - | - | - | 2.00 * |",
                          "| 10,000 | 400, 400 | - (75,463,181) | - (19,733.96) | - (241.23) | - (82) | - | - | - | - | - | - | - | - |",
                          "- OpenMP HM: 2.25 × over 2 (2.25 to 2.25), 1 spoilt ones left out")
        self.assertIn("3 workloads of 4 have one", text)
        self.assertEqual(["200, 180, -, -, -", "**holds**"], self.claim(paper003, "up to 100 times")[2:4])
        self.assertEqual(["200 to 180", "**does not hold today**"], self.claim(paper003, "that gain grows")[2:4])
        self.assertEqual(["`entries_by_case` (k = 3) over `entries` 0.67 × (0.67 to 0.67), above 1 on 0 of 1", "**does not hold today**"],
                         self.claim(paper003, "k threads")[2:4])

    def test_003_shapes_and_products(self):
        band = "band:n=10240,w=5"
        self.write("paper003", self.diagonal(band, sequential__cdm=100))
        self.assertIn("not timed in this folder", self.page(paper003))
        self.assertIn("whose kind the file does not name", self.page(paper003))
        shapes = {"tiles+cdm": 8, "tiles:tile=4+cdm": 4, "tiles:tile=8+cdm": 2, "entries": 6, "entries_by_case": 4, "entries_by_case:threads=2": 3,
                  "entries_by_case:threads=13": 12}
        self.write("paper003-shapes", [case(f"diagonal/{band}/double/lacuna:{name}", time) for name, time in shapes.items()])
        products = {"diagonal": 4, "diagonal_atb": 5, "diagonal_syrk": 2}
        self.write("paper003-products", [case(f"{operation}/{band}/double/lacuna:automatic", time) for operation, time in products.items()])
        text = self.page(paper003)
        self.assert_lines(text, f"| {band} | 0.004 | 0.002 | 0.008 |",
                          f"| {band} | 0.006 | 0.003 | 0.004 | - | - | - | - | - | - | - | - | - | 0.012 |",
                          "`entries` over the best k: 2.00 × (2.00 to 2.00), above 1 on 1 of 1.",
                          f"| A Aᵀ (SYRK) | {band} | - | - | - | - | 0.002 | - | - | - | - |")
        self.assertIn("A B over a product with one transpose, `automatic`: 0.80 × (0.80 to 0.80), above 1 on 0 of 1.", text)
        self.assertNotIn("not timed in this folder", text)

    def spmm(self, matrix, columns, alpha, times, **more):
        return [case(f"spmm/{matrix}/float/n={columns}/{name}", time, alpha=alpha, beta=1.5, **more) for name, time in times.items()]

    def test_004(self):
        graphs = []
        for columns in (32, 128):
            graphs += self.spmm("pubmed", columns, 0.0625, {"lacuna:hrpb+tf32": 4, "lacuna:automatic+tf32": 1, "cusparse:csr_alg2": 2,
                                                            "cusparse:coo_alg4": 3}, setup_ms=0.4)
        self.write("paper004", graphs)
        slow = case("spmm/dense/float/n=512/lacuna:hrpb+tf32", 0, alpha=0.5, beta=1.0,
                    error_occurred=True, error_message="given up: 12.5 us a call, 6.2 times that of the best so far")
        self.write("spmm", self.spmm("dense", 128, 0.5, {"lacuna:hrpb+tf32": 1, "lacuna:bricks+tf32": 0.5, "cusparse:csr_alg2": 2})
                   + self.spmm("dense", 512, 0.5, {"lacuna:bricks+tf32": 0.5, "cusparse:csr_alg2": 2}) + [slow])
        text = self.page(paper004)
        self.assert_lines(text, "| pubmed | 1,000 | 269 | 43 | 233 | 1.15 | 0.50 | - | 2.00 | - | - | 1.00 | cusparse:csr_alg2 | 0.50 | 2.00 |",
                          "| pubmed | 1,000 | 528 | 131 | 581 | 0.91 | 0.50 | - | 2.00 | - | - | 1.00 | cusparse:csr_alg2 | 0.50 | 2.00 |",
                          "| pubmed | paper004 | 1,000 | 6.2 % | 32.0 | low | - | 1.50 | - | 0.40 | 100.0 | 0.50 | 0.50 | - |",
                          "| dense | spmm | 1,000 | 50.0 % | 256.0 | high | - | 1.50 | - | 0.00 | 0.0 | 2.00 | 2.00 | 4.00 |",
                          "| high | 512 | `hrpb`, TF32 | 0 | 1 | - | - | - | - | - | - |  |")
        self.assertEqual(["2.00 × (2.00 to 2.00), above 1 on 1 of 1; 1 given up as far too slow", "**holds**"],
                         self.claim(paper004, "high synergy")[2:4])
        self.assertEqual(["42 of 55; N = 32: 1.08 ×, N = 64: 1.27 ×, N = 128: 1.07 ×, N = 512: 1.08 ×",
                          "0 of 2; N = 32: 0.50 ×, N = 64: - ×, N = 128: 0.50 ×, N = 512: - ×", "**does not hold today**"],
                         self.claim(paper004, "ahead of the best scalar")[1:4])
        self.assertIn("6 of 13 at N = 512", self.claim(paper004, "faster than TC-GNN")[1])

    def test_004_without_new_counters(self):
        self.write("paper004", self.spmm("pubmed", 128, 0.0625, {"lacuna:hrpb+tf32": 4, "cusparse:csr_alg2": 2}, setup_ms=0.4))
        text = self.page(paper004)
        self.assertIn("no ablation", text)
        for absent in ("## Predicted and measured", "## Panels of 16 and of 32", "## Wave-aware", "synergy predicts", "chosen alpha"):
            self.assertNotIn(absent, text)
        self.assertEqual([paper004.PICTURE], self.drawn())

    def drawn(self):
        """What is drawn, by a plotter that writes nothing."""
        pyplot = unittest.mock.MagicMock()
        pyplot.subplots.return_value = (unittest.mock.MagicMock(), unittest.mock.MagicMock())
        return paper004.draw(pyplot, self.folder)

    def test_004_predictions_panels_and_balance(self):
        def products(alpha, hrpb, tall, off, average, predicted):
            times = {"lacuna:hrpb+tf32": hrpb, "lacuna:hrpb:panel=32+tf32": tall, "lacuna:hrpb:balance=off+tf32": off,
                     "lacuna:hrpb:balance=average+tf32": average, "lacuna:bricks+tf32": 2, "cusparse:csr_alg2": 3}
            return self.spmm(f"synergy:rows=64,alpha={alpha},per_row=8", 128, alpha, times, alpha_32=alpha / 2,
                             predicted_seconds=predicted * 1e-6)

        self.write("paper004", products(0.1, 4, 5, 4, 5, 6) + products(0.2, 3.5, 4, 4, 5, 3.5) + products(0.5, 2, 1.5, 8, 4, 4))
        text = self.page(paper004)
        self.assertIn("3 more matrices are generated with a chosen alpha", text)
        self.assertNotIn("no ablation", text)
        # OI is 512 alpha, and 512 * alpha / 2 * 1.5 in panels of 32 rows.
        self.assert_lines(text, "| synergy:rows=64,alpha=0.5,per_row=8 | paper004 | 1,000 | 50.0 % | 256.0 | high | 25.0 % | 1.50 | 192.0 | 0.00 | 0.0 "
                          "| 1.00 | 1.50 | 1.50 |",
                          "| synergy:rows=64,alpha=0.5,per_row=8 | 256.0 | 192.0 | 1.00 | 1.33 | 1.33 |",
                          "| low | 128 | 1 | 1.50 | 1.50 | 1.50 | 1 of 1 |", "| high | 128 | 1 | 2.00 | 2.00 | 2.00 | 0 of 1 |",
                          "| 128 | 3 | 1.66 × (1.00 to 4.00), above 1 on 2 of 3 | 1.53 × (1.25 to 2.00), above 1 on 3 of 3 | 1.09 × (0.80 to 2.00), above 1 "
                          "on 1 of 3 |",
                          "| synergy:rows=64,alpha=0.5,per_row=8 | high | 0.25 | 0.50 | 1.00 | 4.00 | 2.00 |")
        self.assertEqual(["predicted over measured 1.44 in the mean (1.00 to 2.00), 2 of 3 within a factor of 1.5", "**partly**"],
                         self.claim(paper004, "synergy predicts")[2:4])
        self.assertEqual(["TM = 32 is faster on 1 of 3 (N = 128); OI points to the faster on 2", "**partly**"],
                         self.claim(paper004, "OI with beta")[2:4])
        self.assertEqual("**holds**", self.claim(paper004, "wave-aware")[3])
        self.assertIn("it always wins from an alpha of 50.0 % on", self.claim(paper004, "synergy tells")[2])
        self.assertIn("(6 points, 3 of them with TM = 32, N = 128)", self.claim(paper004, "throughput follows")[2])
        self.assertEqual([paper004.PICTURE, paper004.PREDICTED], self.drawn())
        # Another run, other words: cuts that lose, predictions that fail.
        self.write("paper004", products(0.1, 4, 5, 3, 3, 20))
        self.assertEqual("**does not hold today**", self.claim(paper004, "wave-aware")[3])
        self.assertEqual("**does not hold today**", self.claim(paper004, "synergy predicts")[3])
        self.assertIn("no alpha from which it always wins", self.claim(paper004, "synergy tells")[2])

    def test_004_why_follows_from_the_numbers(self):
        def why(bricks):
            self.write("paper004", self.spmm("dense", 128, 0.5, {"lacuna:hrpb+tf32": 4, "lacuna:bricks+tf32": bricks, "cusparse:csr_alg2": 2}))
            return self.claim(paper004, "high synergy")[4]

        self.assertEqual("our bricks of 8 × 4, on the same engine, take 0.25 times as long as `hrpb` on these matrices: it is the kernel, not the engine",
                         why(1))
        self.assertEqual("our bricks of 8 × 4, on the same engine, take 2.00 times as long as `hrpb` on these matrices", why(8))

    def uniform(self, size, density, times, **more):
        return [case(f"spmm/uniform:rows={size},density={density}/float/n={size}/{name}", time, **more) for name, time in times.items()]

    def random_run(self, **more):
        cases = []
        for density, time in (("0.2", 100), ("0.02", 30), ("0.005", 10)):
            own = {"lacuna:automatic": time, "cusparse:csr_alg2": 2 * time, "cublas:fp32": 40, **{"lacuna:" + name: value for name, value in more.items()}}
            cases += self.uniform(4000, density, own, setup_ms=0.05)
        self.write("paper000", cases)

    def test_000_without_gcoo(self):
        self.random_run()
        self.write("paper000-matrices", [case("spmm/plbuckle-surrogate/float/n=1282/" + name, time) for name, time in
                                         (("lacuna:automatic", 4.0), ("cusparse:csr_alg3", 2.0), ("cusparse:blocked_ell_alg1", 1.0))])
        text = self.page(paper000)
        self.assertIn("The GCOO kernel itself is not in the files", text)
        self.assert_lines(text, "| here: `automatic`, full | 3 | 100.0 % | 2.00 | 2.00 | 2.00 | 2.00 |", "| paper: GCOO, Tesla P100 | 6,968 | 97.37 % | 1.57 | - | - | 8.1 |",
                          "| here, n = 4,000 | 96.5 | 98.8 |",
                          "| plbuckle-surrogate | 10 (1,282) | 1.00e+01 (9.71e-03) | below 1 | - | 0.004 | 0.50 | csr_alg3 | 1.00 | 0.50 | - | - | - | - "
                          "| - |")
        self.assertEqual(["**not measured**", "`gcoo` did not run here; of `automatic` it would hold"], self.claim(paper000, "GCOO is faster")[3:])
        self.assertEqual("`automatic`, not GCOO: plbuckle 0.50 ×", self.claim(paper000, "slower than cuSPARSE")[2])
        self.assertEqual(["n = 4,000: 98.8", "**does not hold today**"], self.claim(paper000, "cuSPARSE only from")[2:4])

    def test_000_with_gcoo(self):
        self.random_run(gcoo=40)
        text = self.page(paper000)
        self.assertNotIn("The GCOO kernel itself is not in the files", text)
        self.assert_lines(text, "| here: `gcoo` | 3 | 66.7 % | 2.33 | 1.55 | 0.50 | 5.00 |")
        self.assertEqual("**does not hold today**", self.claim(paper000, "GCOO is faster")[3])

    def test_000_says_what_the_grid_has_by_a_sample(self):
        self.random_run(gcoo=40)
        cases = []
        for size in (400, 500, 14500, 14400):
            for density, time in (("0.2", 10), ("0.1", 40), ("0.05", 10), ("0.01", 10), ("0.005", 5), ("0.0005", 5)):
                cases += self.uniform(size, density, {"lacuna:gcoo": time, "lacuna:tiled": 5, "cusparse:csr_alg3": 20})
        self.write("paper000-sample", cases)
        text = self.page(paper000)
        # Of two bands of sizes, 29 and 28 of them, three strata each: 20, 19 and 10 shares of zeros, where 2 of 2, 4 of 6 and
        # 4 of 4 win: (20 + 19 × 2/3 + 10) / 49. Variance of the second: 6/5 × 2/9 / 6 × (1 - 6 / (29 × 19)), weights 0.197 and 0.190.
        self.assert_lines(text, "| `gcoo` | 24 | 87.1 ± 5.7 % | 2.21 ± 0.09 | 2.00 | 0.50 | 4.00 |",
                          "| `tiled` | 24 | 100.0 ± 0.0 % | 4.00 ± 0.00 | 4.00 | 4.00 | 4.00 |")
        self.assertIn("; on the grid 87.1 ± 5.7 % (sample of 24)", self.claim(paper000, "GCOO is faster")[2])
        self.assertEqual("**partly**", self.claim(paper000, "GCOO is faster")[3])
        self.assertNotIn("The whole grid of 6,968", text)
        self.assertIn("row-major B and C: column-major ones are its fastest in none of the 3 products", text)

    def test_000_from_a_dense_matrix(self):
        self.random_run(gcoo=40)
        self.write("paper000-dense", self.uniform(4000, "0.02", {"lacuna:gcoo:from_dense": 100}, setup_ms=0.05)
                   + self.uniform(4000, "0.02", {"cusparse:csr_alg2:from_dense": 50}, setup_ms=0.06))
        self.assert_lines(self.page(paper000), "| 4,000 | 98 | 0.05 | 0.1 | 0.50 | 0.06 | 0.05 | 1.20 |")
        self.assertEqual(["EO over KC: GCOO 0.50 to 0.50, cuSPARSE 1.20 to 1.20; EO of cuSPARSE over GCOO's 1.20 to 1.20", "**partly**"],
                         self.claim(paper000, "converting a dense A")[2:4])
        self.assertIn("Set-up from CSR", self.page(paper000))

    def test_000_sparse_times_sparse(self):
        self.random_run(gcoo=40)
        times = {"lacuna:gcoo": 40, "lacuna:gcoo:to_crs": 20, "lacuna:automatic": 10, "cusparse:alg2": 30, "cusparse:alg1": 50}
        counters = {"products": 2e6, "nnz_c": 1e6}
        self.assertIn("sparse × sparse: not timed", self.page(paper000))
        self.write("paper000-sparse", [case(f"spgemm/mesh27:n=30/float/{name}", time, **counters) for name, time in times.items()])
        text = self.page(paper000)
        self.assert_lines(text, "| mesh27:n=30 | 2.0 | 1.0 | 0.04 | 0.02 | 0.01 | 0.03 | 0.50 |")
        self.assertIn("to_crs` and the product of CSR, both in every call: 0.50 ×", text)
        self.assertIn("That is why `spgemm` converts", text)
        self.assertNotIn("sparse × sparse: not timed", text)

    def test_000_shapes(self):
        self.random_run(gcoo=40)
        cases = []
        for size, times in ((1000, (4, 2, 8)), (4000, (1, 2, 4))):
            cases += self.uniform(size, "0.02", {"lacuna:gcoo:panel=2:team=64": times[0], "lacuna:gcoo:panel=4:team=128": times[1],
                                                 "lacuna:gcoo:panel=32:team=64": times[2], "cusparse:csr_alg2": 1})
        self.write("paper000-shapes", cases)
        self.assert_lines(self.page(paper000), "| 2 | 1.41 | - |", "| 4 | - | 1.41 |", "| 32 | 4.00 | - |",
                          "| 1,000 | 98 | p = 4, b = 128 | 2.00 | 2.00 |", "| 4,000 | 98 | p = 2, b = 64 | 1.00 | 2.00 |")

    def test_000_strata_are_those_of_the_bench(self):
        self.assertEqual(6958, len(grid000.grid()))
        source = (BENCH / "Bench_Paper000.cpp").read_text(encoding="utf-8")
        self.assertIn(f"size_bands = {grid000.SIZE_BANDS};", source)
        self.assertIn(f"last_of_band{{{', '.join(map(str, grid000.LAST_OF_BAND))}}};", source)
        self.assertEqual(set(range(15)), {grid000.stratum(*point) for point in grid000.grid()})

    def test_000_of_given_up_products(self):
        self.random_run()
        cases = [case(f"spmm/real/float/n={columns}/{name}", time, alpha=0.1, persistent_bytes=16000.0) for columns in (32, 128)
                 for name, time in (("lacuna:automatic", 1), ("cusparse:csr_alg2", 2))]
        cases.append(case("spmm/real/float/n=32/lacuna:gcoo", 4, persistent_bytes=16000.0))
        cases.append(case("spmm/real/float/n=128/lacuna:gcoo", 0, error_occurred=True,
                          error_message="given up: 8 us a call, 8.0 times that of the best so far"))
        self.write("spmm", cases)
        self.assert_lines(self.page(paper000), "| real | 1,000 | 0.004 | 0.001 | 0.002 | 0.50 | 0.008 * | 0.001 | 0.002 | 0.25 * | - | - | - | - |")
        self.assertIn("1 of 2 products were timed", self.page(paper000))
        self.assertIn("16.0 to 16.0 bytes a nonzero", self.page(paper000))
        self.assertEqual(["other matrices, the real ones of `spmm.json`, N = 32, 128, 512: `gcoo` over the best rival 0.35 × (0.25 to 0.50), above 1 on "
                          "0 of 2", "**does not hold today**"], self.claim(paper000, "and on most of")[2:4])

    def test_times_on_the_device_count(self):
        self.write("paper002", [case("spmv/pwtk/float/lacuna:aligned", 8, graph_us=2.0), case("spmv/pwtk/float/lacuna:thread_mapped", 4)])
        self.assert_lines(self.page(paper002), "| pwtk | - | 0.50 (9.47) | 1.00 (12.1) | - (12.4) | - | - | - | - | - |")

    def test_files_without_the_matrices_of_a_paper_do_no_harm(self):
        for paper in paper_pages.PAPERS:
            self.write(paper.NAME, [case("spmv/other/double/lacuna:automatic", 1)])
            self.assertIn("## Claims", self.page(paper))

    def test_written_checked_and_told(self):
        self.spmv_run(aligned=8)

        def main(*arguments):
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                return paper_pages.main([str(self.folder), *arguments]), out.getvalue()

        self.assertEqual((1, f"{self.folder / 'paper002.md'} is out of date\n"), main("--check"))
        self.assertEqual((0, f"{self.folder / 'paper002.md'} written\n"), main())
        self.assertEqual((0, ""), main("--check"))
        self.assertEqual(["paper002.md"], [path.name for path in self.folder.glob("*.md")])
        self.spmv_run(aligned=9)
        self.assertEqual(1, main("--check")[0])
        (self.folder / "paper002.json").write_text("{", encoding="utf-8")
        self.assertEqual(2, main()[0])


    def test_files_without_the_main_one_are_told(self):
        self.write("paper003-shapes", [])
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            self.assertEqual([], paper_pages.write(self.folder))
        self.assertIn("paper003-shapes.json: on no page", told.getvalue())


class Interrupted(unittest.TestCase):
    """Whatever a run came to before it was stopped, there is a page of it."""

    def pages(self, keep, *, others):
        """Pages of the committed runs, with the first `keep` of the cases of each file, and files beside the main one or not."""
        for folder in (folder for folder in sorted(RESULTS.iterdir()) if folder.is_dir()):
            for paper in paper_pages.PAPERS:
                if not (folder / f"{paper.NAME}.json").exists():
                    continue
                with tempfile.TemporaryDirectory() as made:
                    made = pathlib.Path(made)
                    for path in folder.glob(f"{paper.NAME}*.json"):
                        if others or path.stem == paper.NAME:
                            run = json.loads(path.read_text(encoding="utf-8"))
                            run["benchmarks"] = run["benchmarks"][:keep]
                            (made / path.name).write_text(json.dumps(run), encoding="utf-8")
                    yield f"{folder.name}/{paper.NAME}", paper.page(made)

    def test_few_cases_and_none(self):
        for keep in (0, 1, 7, 60):
            for name, text in self.pages(keep, others=True):
                self.assertIn("## What is not here", text or "", f"{name} of {keep} cases")

    def test_main_files_alone(self):
        said = {"paper000": ("gcoo:from_dense", "not timed in these files"), "paper003": ("paper003-shapes.json", "not timed in this folder")}
        for name, text in self.pages(None, others=False):
            with_file, without = said.get(name.split("/")[1], ("", ""))
            self.assertTrue(not with_file or with_file not in text and without in text, name)


class Committed(unittest.TestCase):
    def folders(self):
        found = [folder for folder in sorted(RESULTS.iterdir()) if any(folder.glob("paper00?.json"))]
        self.assertTrue(found)
        return found

    def test_pages_are_what_the_script_writes(self):
        for folder in self.folders():
            self.assertEqual([], paper_pages.write(folder, check=True), f"run paper_pages.py {folder.name}")

    def test_each_page_has_its_results_and_its_pictures(self):
        for folder in self.folders():
            self.assertEqual(sorted(path.stem for path in folder.glob("paper00?.json")), sorted(path.stem for path in folder.glob("paper00?.md")))
            for page in folder.glob("paper00?.md"):
                text = page.read_text(encoding="utf-8")
                for link in re.findall(r"\]\(([^)]+)\)", text):
                    self.assertTrue((folder / link).exists(), f"{page}: {link}")
            for paper in paper_pages.PAPERS:
                picture = folder / paper.PICTURE
                if (folder / f"{paper.NAME}.md").exists():
                    self.assertLessEqual(picture.stat().st_size, 60000, picture)

    def test_no_surrogate_stands_as_the_real_matrix(self):
        for folder in self.folders():
            for page in folder.glob("paper00?.md"):
                text = page.read_text(encoding="utf-8")
                names = set(re.findall(r"^\| ([\w-]+)-surrogate[ ,]", text, re.MULTILINE))
                self.assertEqual([], [name for name in names if re.search(rf"^\| {re.escape(name)} \|", text, re.MULTILINE)], page)
                if names:
                    self.assertIn("surrogates", text.splitlines()[0], page)


if __name__ == "__main__":
    unittest.main()
