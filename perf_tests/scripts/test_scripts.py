#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Checks report.py and compare.py on golden/old.json; run by ctest."""

import contextlib
import copy
import io
import json
import pathlib
import tempfile
import unittest

import compare
import report
import results

GOLDEN = pathlib.Path(__file__).parent / "golden" / "old.json"


class Scripts(unittest.TestCase):
    def setUp(self):
        self.document = json.loads(GOLDEN.read_text(encoding="utf-8"))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def written(self, change=None):
        document = copy.deepcopy(self.document)
        if change:
            change(document)
        path = self.folder / "new.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    def run_quietly(self, main, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([str(argument) for argument in arguments])
        return status, out.getvalue(), err.getvalue()

    def test_names_are_taken_apart(self):
        case = results.read(GOLDEN).cases[-1]
        self.assertEqual(("spmm", "cora", "float", 32), case.problem)
        self.assertEqual("lacuna:automatic+tf32", case.implementation)
        self.assertEqual("spmm/cora/float/n=32/lacuna:automatic+tf32", case.name)

    def test_times_are_in_seconds(self):
        cases = results.read(GOLDEN).cases
        for i, seconds in enumerate((1e-3, 4e-3, 2e-3, 3e-3)):
            self.assertAlmostEqual(seconds, cases[i].seconds, places=12)

    def test_report_compares_with_the_best_rival(self):
        status, text, _ = self.run_quietly(report.main, GOLDEN)
        self.assertEqual(0, status)
        row = next(line for line in text.splitlines() if line.startswith("| mesh27:n=30,b=3 |"))
        self.assertEqual(
            ["mesh27:n=30,b=3", "81,000", "6,133,248", "sell", "1 ms", "75.2", "75 %", "10.0", "cusparse:csr_alg1",
             "2 ms", "2.00", "10"],
            [cell.strip() for cell in row.strip("|").split("|")])
        self.assertIn("- all: 2 matrices, geometric mean 1.00 x, worst 0.50 x (cora), best 2.00 x", text)
        self.assertIn("- at least 1,000,000 nonzeros: 1 matrices, geometric mean 2.00 x", text)
        self.assertIn("8 cases, 1 skipped, 0 wrong.", text)

    def test_report_writes_a_folder(self):
        status, _, err = self.run_quietly(report.main, GOLDEN, "--output", self.folder / "out")
        self.assertEqual(0, status)
        text = (self.folder / "out" / "report.md").read_text(encoding="utf-8")
        pictures = sorted(path.name for path in (self.folder / "out").glob("*.png"))
        if "matplotlib is not installed" in err:
            self.assertEqual([], pictures)
        else:
            self.assertEqual(["roofline-spmv-double.png", "speedup-spmv-double.png"], pictures)
        for picture in pictures:
            self.assertIn(f"({picture})", text)

    def test_report_names_wrong_results(self):
        def change(document):
            document["benchmarks"][0].update(error_occurred=True, error_message="the result is wrong")

        _, text, _ = self.run_quietly(report.main, self.written(change))
        self.assertIn("- wrong: spmv/mesh27:n=30,b=3/double/lacuna:automatic", text)

    def test_equal_runs_compare_equal(self):
        status, text, _ = self.run_quietly(compare.main, GOLDEN, self.written())
        self.assertEqual(0, status)
        self.assertIn("7 cases in both, new time over old: geometric mean 1.000", text)

    def test_noise_is_let_through_and_a_slower_case_is_not(self):
        def scaled(factor):
            def change(document):
                document["benchmarks"][0]["real_time"] *= factor

            return self.written(change)

        self.assertEqual(0, self.run_quietly(compare.main, GOLDEN, scaled(1.04))[0])
        status, text, _ = self.run_quietly(compare.main, GOLDEN, scaled(1.06))
        self.assertEqual(1, status)
        self.assertIn("slower   spmv/mesh27:n=30,b=3/double/lacuna:automatic", text)
        self.assertEqual(0, self.run_quietly(compare.main, GOLDEN, scaled(1.06), "--threshold", "0.1")[0])
        self.assertEqual(0, self.run_quietly(compare.main, GOLDEN, scaled(1.06), "--only", "kokkos")[0])
        status, text, _ = self.run_quietly(compare.main, GOLDEN, scaled(0.5))
        self.assertEqual(0, status)
        self.assertIn("faster   spmv/mesh27", text)

    def test_lost_and_broken_cases_count(self):
        status, text, _ = self.run_quietly(compare.main, GOLDEN, self.written(lambda d: d["benchmarks"].pop(0)))
        self.assertEqual(1, status)
        self.assertIn("missing  spmv/mesh27:n=30,b=3/double/lacuna:automatic", text)

        def change(document):
            document["benchmarks"][0].update(error_occurred=True, error_message="the result is wrong")

        status, text, _ = self.run_quietly(compare.main, GOLDEN, self.written(change))
        self.assertEqual(1, status)
        self.assertIn("broken   spmv/mesh27", text)

    def test_what_is_not_a_result_is_refused(self):
        spoilers = (
            (lambda d: d["context"].update(host_name="somewhere"), "host_name"),
            (lambda d: d["context"].update(executable="somewhere"), "executable"),
            (lambda d: d["benchmarks"][0].pop("setup_ms"), "setup_ms"),
            (lambda d: d["benchmarks"][0].update(name="spmv/lacuna:automatic"), "the name"),
            (lambda d: d["benchmarks"][0].update(real_time=0), "real_time"),
            (lambda d: d["benchmarks"][0].update(time_unit="h"), "time unit"),
            (lambda d: d.pop("context"), "no context"),
        )
        for change, said in spoilers:
            with self.subTest(said):
                status, _, err = self.run_quietly(report.main, self.written(change))
                self.assertEqual(2, status)
                self.assertIn(said, err)
        (self.folder / "cut.json").write_text(GOLDEN.read_text(encoding="utf-8")[:200], encoding="utf-8")
        self.assertEqual(2, self.run_quietly(compare.main, GOLDEN, self.folder / "cut.json")[0])
        self.assertEqual(2, self.run_quietly(compare.main, GOLDEN, self.folder / "absent.json")[0])

    def spmm_run(self, cases):
        """A run of (matrix, rpc, longest row, N, implementation, microseconds)."""
        benchmarks = [
            {"name": f"spmm/{matrix}/float/n={columns}/{implementation}", "real_time": time, "time_unit": "us",
             "label": "bricks", "rows": 10000.0, "cols": 10000.0, "nnz": 200000.0, "flops": 4e5 * columns,
             "bytes": 1e6, "rpc": rpc, "longest_row": longest, "setup_ms": 0.1, "temporary_bytes": 0.0,
             "persistent_bytes": 0.0, "rel_error": 1e-7}
            for matrix, rpc, longest, columns, implementation, time in cases
        ]
        return self.written(lambda document: document.update(benchmarks=benchmarks))

    def test_report_of_spmm(self):
        path = self.spmm_run([
            ("fem", 4.5, 30, 128, "lacuna:automatic", 10.0),
            ("fem", 4.5, 30, 128, "lacuna:automatic+tf32", 8.0),
            ("fem", 4.5, 30, 128, "cusparse:csr_alg2", 50.0),
            ("fem", 4.5, 30, 128, "cusparse:csr_alg3+col", 40.0),
            ("fem", 4.5, 30, 128, "kokkos-kernels", 400.0),
            ("fem", 4.5, 30, 128, "cublas:tf32", 5.0),
            ("grid", 2.0, 30, 128, "lacuna:automatic", 10.0),
            ("grid", 2.0, 30, 128, "cusparse:csr_alg2", 20.0),
            ("web", 2.0, 900, 128, "lacuna:automatic", 10.0),
            ("web", 2.0, 900, 128, "cusparse:csr_alg2", 8.0),
        ])
        status, text, err = self.run_quietly(report.main, path, "--output", self.folder / "out")
        self.assertEqual(0, status)
        text = (self.folder / "out" / "report.md").read_text(encoding="utf-8")
        # The dense product is not what SpMM is compared with; the best of both layouts of cuSPARSE is.
        self.assertIn("| lacuna:automatic | 128 | 3 | 1.86 | 4.00 (1) | 2.00 (1) | 0.80 (1) | 0.80 | web |", text)
        self.assertIn("| lacuna:automatic+tf32 | 128 | 1 | 5.00 | 5.00 (1) | - | - | 5.00 | fem |", text)
        row = next(line for line in text.splitlines() if line.startswith("| fem |"))
        self.assertEqual(
            ["fem", "10,000", "200,000", "4.50", "block/FEM", "bricks", "10 us", "5,120", "cusparse:csr_alg3+col",
             "40 us", "4.00", "bricks", "8 us", "5.00", "10.0", "3"],
            [cell.strip() for cell in row.strip("|").split("|")])
        if "matplotlib is not installed" not in err:
            self.assertTrue((self.folder / "out" / "speedup-spmm-float-n128.png").exists())

    def test_curve_of_spmm(self):
        cases = []
        for columns in range(1, 41):
            time = 10.0 + (3.0 if columns % 4 else 0.0)
            cases += [("fem", 4.5, 30, columns, "lacuna:automatic", time),
                      ("fem", 4.5, 30, columns, "cusparse:csr_alg2", 20.0 + columns)]
        status, _, err = self.run_quietly(report.main, self.spmm_run(cases), "--output", self.folder / "out")
        self.assertEqual(0, status)
        text = (self.folder / "out" / "report.md").read_text(encoding="utf-8")
        self.assertIn("- fem, lacuna:automatic, N = 1 to 40: from N = 2 at least 1.69 x the best rival (N = 2); "
                      "N that is no multiple of 4 costs at most 1.30 of the next one that is (N = 39)", text)
        if "matplotlib is not installed" not in err:
            self.assertTrue((self.folder / "out" / "curve-spmm-float.png").exists())

    def test_compare_groups_by_columns(self):
        path = self.spmm_run([("fem", 4.5, 30, columns, "lacuna:automatic", 10.0) for columns in (32, 128)])
        old = self.folder / "old.json"
        old.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        new = self.spmm_run([("fem", 4.5, 30, columns, "lacuna:automatic", time)
                             for columns, time in ((32, 10.0), (128, 5.0))])
        status, text, _ = self.run_quietly(compare.main, old, new)
        self.assertEqual(0, status)
        self.assertIn("spmm, N = 32: 1 cases, geometric mean 1.000", text)
        self.assertIn("spmm, N = 128: 1 cases, geometric mean 0.500", text)


if __name__ == "__main__":
    unittest.main()
