#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Checks the scripts beside it, on golden/old.json and on made-up runs; run by ctest."""

import contextlib
import copy
import fnmatch
import io
import json
import os
import pathlib
import re
import socket
import tempfile
import unittest
import unittest.mock

import compare
import efficiency
import fit_hrpb
import kokkos_kernels
import make_results
import report
import report_diagonal
import report_spgemm
import results
import summary
import tables
import tables_paper000

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

    def test_short_calls_are_compared_on_the_device(self):
        def change(document):
            for entry in document["benchmarks"]:
                if entry["name"].endswith("lacuna:automatic"):
                    entry.update(real_time=6, time_unit="us", graph_us=2)
                elif "/cusparse" in entry["name"]:
                    entry.update(real_time=5, time_unit="us", graph_us=4)

        found = results.read(self.written(change)).problems()
        cases = next(cases for cases in found.values() if "lacuna:automatic" in cases and summary.best_rival(cases))
        self.assertAlmostEqual(2e-6, cases["lacuna:automatic"].device_seconds)
        self.assertAlmostEqual(5 / 6, summary.ratio(cases, "lacuna:automatic"))
        self.assertAlmostEqual(2, summary.device_ratio(cases, "lacuna:automatic"))

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
             "2 ms", "2.00", "3.00", "-", "10"],
            [cell.strip() for cell in row.strip("|").split("|")])
        self.assertIn("- all: 2 matrices, geometric mean 1.00 x, worst 0.50 x (cora), best 2.00 x", text)
        self.assertIn("- at least 1,000,000 nonzeros: 1 matrices, geometric mean 2.00 x", text)
        self.assertIn("8 cases, 1 skipped, 0 wrong.", text)

    def test_products_in_diagonal_storage(self):
        def case(workload, implementation, time, **more):
            counters = {key: 1 for key in (*results.COUNTERS, *results.TIMED_COUNTERS)}
            return {"name": f"diagonal/{workload}/double/{implementation}", "real_time": time, "time_unit": "us",
                    **counters, **more}
        band, many = "band:n=1024,w=5", "diagonals:n=1000,a=9,b=5,span=250"
        path = self.folder / "diagonal.json"
        path.write_text(json.dumps({"context": {"device": "some device"}, "benchmarks": [
            case(band, "lacuna:automatic", 6.0), case(band, "cusparse:spgemm", 240.0), case(band, "openmp:hm", 24.0),
            case(many, "lacuna:automatic", 5.0), case(many, "cusparse:spgemm", 50.0),
            case(many, "openmp:hm", 1.0, error_message="did not fit")]}), encoding="utf-8")
        status, _, _ = self.run_quietly(report_diagonal.main, path, "--output", self.folder)
        self.assertEqual(0, status)
        text = (self.folder / "diagonal.md").read_text(encoding="utf-8")
        self.assertIn("| band:n=1024,w=5 | 6.0 | 240 | 24.0 |", text)
        self.assertIn(f"| {many} | 5.0 | 50.0 | - |", text)
        self.assertIn("- cuSPARSE SpGEMM: 20 × over 2 (10 to 40)", text)
        bands, others = report_diagonal.groups(report_diagonal.workloads([path])[0])
        self.assertEqual(([5], 1), (list(bands), len(others)))
        self.assertEqual(1, self.run_quietly(report_diagonal.main, GOLDEN, "--output", self.folder)[0])

    def test_products_of_sparse_matrices(self):
        def case(product, implementation, time, **more):
            counters = {key: 1 for key in (*results.COUNTERS, *results.TIMED_COUNTERS)}
            return {"name": f"spgemm/{product}/double/{implementation}", "real_time": time, "time_unit": "us",
                    "products": 4.2e6, "nnz_c": 1.5e6, **counters, **more}
        square, both, galerkin = "cfd1", "cfd1@cfd1^T", "rap-linear:mesh7:n=9"
        path = self.folder / "spgemm.json"
        path.write_text(json.dumps({"context": {"device": "some device"}, "benchmarks": [
            case(square, "lacuna:automatic", 10.0), case(square, "cusparse:alg1", 40.0), case(square, "kokkos-kernels", 30.0),
            case(square, "lacuna:automatic:reuse", 5.0, expected_us=10.0), case(square, "cusparse:reuse", 4.0), case(square, "lacuna:bins", 80.0),
            case(square, "lacuna:automatic:reuse:kept", 2.0), case(square, "lacuna:automatic:unsorted", 7.5),
            case(both, "lacuna:automatic", 20.0), case(both, "cusparse:alg1", 50.0), case(both, "mkl:sp2m:reuse", 6.0),
            case(both, "lacuna:automatic+given", 10.0), case(both, "cusparse:alg1+given", 35.0),
            case(both, "cusparse:alg2", 1.0, error_message="did not fit"),
            case(galerkin, "kokkos-kernels", 7.0)]}), encoding="utf-8")
        status, text, _ = self.run_quietly(report_spgemm.main, path)
        self.assertEqual(0, status)
        self.assertIn("| cfd1, double | 4.2 | 1.50 | 10 | kokkos-kernels | 30 | 3.00 | 80 |  | 5.0 | cusparse:reuse | 4.0 | 0.80 | 2.0 | 2.00 | 7.5 | 4.00 |", text)
        self.assertIn("- values alone, products kept: geometric mean 2.00 of 1, least 2.00.", text)
        self.assertIn("- expected over measured time of a call: 0 of 1 within a factor of 1.5, geometric mean 2.00, 2.00 to 2.00", text)
        self.assertIn("- whole call, rows of C in any order: geometric mean 4.00 of 1, least 4.00.", text)
        self.assertIn("| cfd1@cfd1^T, double | 4.2 | 1.50 | 20 | cusparse:alg1 | 50 | 2.50 |  |  |  | mkl:sp2m:reuse | 6.0 |  |", text)
        self.assertIn("| cfd1@cfd1^T, double, transposes given | 4.2 | 1.50 | 10 | cusparse:alg1 | 35 | 3.50 |", text)
        self.assertIn("- whole call: geometric mean 2.50 of 1, least 2.50.", text)
        self.assertIn("- whole call, transposes given: geometric mean 3.50 of 1, least 3.50.", text)
        self.assertNotIn("C = R A P", text)  # ours did not run
        self.assertEqual(list(report_spgemm.KINDS),
                         [report_spgemm.kind_of(name) for name in (square, "a@b", both, galerkin)])
        status, text, _ = self.run_quietly(report.main, path)
        self.assertIn("## C = A A, double", text)
        self.assertEqual(2, self.run_quietly(report_spgemm.main, self.folder / "none.json")[0])
        kept = self.folder / "spgemm-kept.json"
        kept.write_text(json.dumps({"context": {"device": "some device", "kept_memory": "on"}, "benchmarks": [
            case(square, "lacuna:automatic", 6.0), case(square, "cusparse:alg1", 24.0)]}), encoding="utf-8")
        status, text, _ = self.run_quietly(report_spgemm.main, path, kept)
        self.assertEqual(0, status)
        self.assertIn("| 2.0 | 2.00 | 7.5 | 4.00 | 6.0 | cusparse:alg1 | 24 | 4.00 |", text)
        self.assertIn("- whole call, memory kept: geometric mean 4.00 of 1, least 4.00.", text)
        self.assertNotIn("Memory was kept", text)
        for line in text.splitlines():
            if line.startswith("|"):
                self.assertIn(line.count("|"), (20, 22), line)
        self.assertIn("Memory was kept", self.run_quietly(report_spgemm.main, kept)[1])

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

    def run_of_ranks(self, ranks, matrix, rows, milliseconds):
        """The file of a run on so many ranks, with the time of each implementation."""
        path = self.folder / f"{ranks}-{matrix.replace(':', '-')}.json"
        benchmarks = [{"name": f"matmult/{matrix}/double/{name}", "real_time": time, "time_unit": "ms", "rows": rows,
                       "cols": rows, "nnz": 7 * rows, "flops": 14 * rows, "bytes": 84 * rows, "setup_ms": 0,
                       "temporary_bytes": 0, "persistent_bytes": 0, "rel_error": 0}
                      for name, time in milliseconds.items()]
        path.write_text(json.dumps({"context": {"ranks": [{"rank": rank} for rank in range(ranks)]},
                                    "benchmarks": benchmarks}), encoding="utf-8")
        return path

    def test_efficiency_is_the_rate_of_several_ranks_over_theirs_alone(self):
        files = [self.run_of_ranks(1, "mesh7:n=10", 1000, {"lacuna:automatic": 4, "petsc:aij": 5, "petsc:aijkokkos": 8}),
                 self.run_of_ranks(2, "mesh7:n=10", 1000, {"lacuna:automatic": 2.5, "petsc:aij": 4, "petsc:aijkokkos": 5}),
                 self.run_of_ranks(2, "mesh7:n=13", 2010, {"lacuna:automatic": 5, "petsc:aij": 5})]
        groups = efficiency.efficiencies(efficiency.read(files))
        strong = groups[("matmult", 0, "mesh7:n=10", "mesh7:n=10", 2, "strong")]
        self.assertAlmostEqual(4 / (2 * 2.5), strong["lacuna:automatic"][2])
        self.assertAlmostEqual(8 / (2 * 5), strong["petsc:aijkokkos"][2])
        weak = groups[("matmult", 0, "mesh7:n=10", "mesh7:n=13", 2, "weak")]
        self.assertAlmostEqual(4 / 5 * 2010 / 2000, weak["lacuna:automatic"][2])
        status, text, _ = self.run_quietly(efficiency.main, *files)
        self.assertEqual(0, status)
        self.assertIn("| matmult, strong | mesh7:n=10 | 2 | lacuna:automatic | 4 | 2.5 | 0.800 | 1.00 |", text)

    def test_efficiency_needs_runs_of_one_rank_and_of_several(self):
        one = self.run_of_ranks(1, "mesh7:n=10", 1000, {"petsc:aij": 5})
        status, _, error = self.run_quietly(efficiency.main, one)
        self.assertEqual(1, status)
        self.assertIn("on one rank and on several", error)
        status, _, error = self.run_quietly(efficiency.main, GOLDEN)
        self.assertEqual(2, status)
        self.assertIn("no ranks", error)

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
             "40 us", "4.00", "40.00", "-", "bricks", "8 us", "5.00", "-", "10.0", "3"],
            [cell.strip() for cell in row.strip("|").split("|")])
        if "matplotlib is not installed" not in err:
            self.assertTrue((self.folder / "out" / "speedup-spmm-float-n128.png").exists())

    def case(self, name, microseconds, nonzeros=200000.0):
        return {"name": name, "real_time": microseconds, "time_unit": "us", "label": "sell", "rows": 10000.0,
                "cols": 10000.0, "nnz": nonzeros, "flops": 4e5, "bytes": 1e6, "rpc": 2.0, "longest_row": 30.0,
                "setup_ms": 0.1, "temporary_bytes": 0.0, "persistent_bytes": 0.0, "rel_error": 1e-7}

    def spmv_run(self, times):
        """A run of {matrix: {implementation: microseconds}}."""
        benchmarks = [self.case(f"spmv/{matrix}/double/{name}", time)
                      for matrix, cases in times.items() for name, time in cases.items()]
        return self.written(lambda document: document.update(benchmarks=benchmarks))

    def index(self, **uses):
        path = self.folder / "INDEX.tsv"
        path.write_text("name\tfile\tuse\n" + "".join(f"{name}\t{name}.mtx\t{use}\n" for name, use in uses.items()),
                        encoding="utf-8")
        return path

    def test_kokkos_kernels_stands_at_its_best(self):
        cases = results.read(self.spmv_run({"web": {
            "lacuna:automatic": 10.0, "kokkos-kernels": 300.0, "kokkos-kernels:merge_path": 15.0,
            "cusparse:csr_alg1": 20.0, "cublas:fp64": 1.0}})).problems()["spmv", "web", "double", 0]
        self.assertEqual("kokkos-kernels:merge_path", summary.best_rival(cases).implementation)
        self.assertEqual(1.5, summary.ratio(cases, "lacuna:automatic"))
        self.assertEqual(1.5, summary.native_ratio(cases, "lacuna:automatic"))
        self.assertIsNone(summary.regret(cases, "lacuna:automatic"))

    def test_regret_is_against_what_could_have_been_chosen(self):
        times = {"lacuna:automatic": 6.0, "lacuna:automatic+tf32": 6.0, "lacuna:automatic+col": 9.0, "lacuna:one_shot": 7.0}

        def regret(name, **more):
            run = {**times, **{key.replace("__", "+"): value for key, value in more.items()}}
            cases = {f"lacuna:{key}" if ":" not in key else key: value for key, value in run.items()}
            problems = results.read(self.spmv_run({"m": cases})).problems()
            return summary.regret(problems["spmv", "m", "double", 0], name)

        self.assertIsNone(regret("lacuna:automatic"), "nothing was timed by name")
        self.assertIsNone(regret("lacuna:automatic", row_split=4.0, bricks__tf32=3.0), "one is not enough to tell")
        self.assertEqual(1.0, regret("lacuna:automatic", row_split=8.0, row_blocks=9.0))
        self.assertEqual(1.5, regret("lacuna:automatic", row_split=4.0, hrpb=9.0, bricks__tf32=3.0, bricks__col=2.0))
        self.assertEqual(2.0, regret("lacuna:automatic+tf32", row_split=4.0, bricks__tf32=3.0, bricks__fp16=1.0))
        self.assertEqual(4.5, regret("lacuna:automatic+col", row_split=1.0, bricks__col=2.0, hrpb__col=3.0))

    def test_means_by_use_and_origin(self):
        def run(ours, own, rival):
            return {"lacuna:automatic": ours, "lacuna:sell": own, "lacuna:coo": 99.0, "cusparse:csr_alg1": rival, "kokkos-kernels": 100.0}

        path = self.spmv_run({"a": run(10.0, 10.0, 20.0), "b": run(10.0, 8.0, 5.0), "c": run(10.0, 20.0, 80.0),
                              "mesh5:n=9": run(10.0, 10.0, 40.0), "d-surrogate": run(10.0, 10.0, 10.0)})
        status, text, _ = self.run_quietly(report.main, path, "--index", self.index(a="tune", b="check", c="check", e="tune"))
        self.assertEqual(0, status)
        for row in ("| lacuna:automatic | all | 5 | 2.00 | 0.50 | b | 10.00 | 10.00 | 1.046 | 1.25 | b |",
                    "| lacuna:automatic | real | 3 | 2.00 | 0.50 | b |",
                    "| lacuna:automatic | real, tune | 1 | 2.00 | 2.00 | a | 10.00 | 10.00 | 1.000 | 1.00 | a |",
                    "| lacuna:automatic | real, check | 2 | 2.00 | 0.50 | b | 10.00 | 10.00 | 1.118 | 1.25 | b |",
                    "| lacuna:automatic | generated | 2 | 2.00 | 1.00 | d-surrogate |"):
            self.assertIn(row, text)
        _, text, _ = self.run_quietly(report.main, path)
        self.assertNotIn("tune", text)
        self.assertIn("| lacuna:automatic | generated | 2 |", text)
        bad = self.folder / "bad.tsv"
        bad.write_text("name\tfile\na\ta.mtx\n", encoding="utf-8")
        status, _, err = self.run_quietly(report.main, path, "--index", bad)
        self.assertEqual(2, status)
        self.assertIn("no column use", err)

    def tables(self, document, *arguments, status=0):
        path = self.folder / "README.md"
        path.write_text(document, encoding="utf-8")
        found, out, err = self.run_quietly(tables.main, self.folder, path, *arguments)
        self.assertEqual(status, found, out + err)
        return path.read_text(encoding="utf-8"), out + err

    def test_tables_of_spmv(self):
        def run(ours, own, rival):
            return {"lacuna:automatic": ours, "lacuna:sell": own, "lacuna:coo": 99.0, "cusparse:csr_alg1": rival, "kokkos-kernels": 300.0}

        self.spmv_run({"a": run(10.0, 10.0, 20.0), "b": run(10.0, 8.0, 5.0), "mesh5:n=9": run(10.0, 10.0, 40.0)}).rename(
            self.folder / "spmv.json")
        document = "text\n<!-- begin spmv-targets -->\n<!-- end spmv-targets -->\nmore\n<!-- begin spmv-matrices -->\nold\n" \
                   "<!-- end spmv-matrices -->\n<!-- begin revision -->\n<!-- end revision -->\n"
        text, _ = self.tables(document, "--index", self.index(a="tune", b="check"))
        self.assertTrue(text.startswith("text\n<!-- begin spmv-targets -->\n| scalar |"))
        for line in ("| *target* |  |  | ≥ 1.25 | ≥ 0.9 | ≥ 1.5 |  | ≤ 1.03 | ≤ 1.15 |",
                     "| double | all | 3 | 1.59 | 0.50 (b) | 4.00 | 30.00 | 1.077 | 1.25 (b) |",
                     "| double | real | 2 | 1.00 | 0.50 (b) | - | 30.00 | 1.118 | 1.25 (b) |",
                     "| double | tune | 1 | 2.00 | 2.00 (a) | - | 30.00 | 1.000 | 1.00 (a) |",
                     "| double | check | 1 | 0.50 | 0.50 (b) | - | 30.00 | 1.250 | 1.25 (b) |",
                     "| double | generated | 1 | 4.00 | 4.00 (mesh5:n=9) | 4.00 | 30.00 | 1.000 | 1.00 (mesh5:n=9) |",
                     "| b | 200,000 | sell | - | - | - | - | 10.0 | 0.50 | 30 | 1.25 |",
                     "a device, revision 0123456789ab, Kokkos 4.5.1."):
            self.assertIn(line + "\n", text)
        self.assertLess(text.index("| b |"), text.index("| *generated* |"))
        self.assertLess(text.index("| *generated* |"), text.index("| mesh5:n=9 |"))
        self.assertNotIn("old", text)
        self.assertEqual(text, self.tables(text, "--index", self.index(a="tune", b="check"), "--check")[0])
        self.assertIn("out of date", self.tables(document, "--check", status=1)[1])
        self.assertIn("no table spmm-matrices",
                      self.tables("<!-- begin spmm-matrices -->\n<!-- end spmm-matrices -->\n", status=2)[1])
        self.assertIn("without", self.tables("<!-- begin revision -->\n", status=2)[1])

    def test_tables_of_spmm(self):
        def cases(matrix, rpc, scalar, columns, **microseconds):
            found = []
            for name, time in microseconds.items():
                name = {"full": "lacuna:automatic", "tf32": "lacuna:automatic+tf32", "vendor": "cusparse:csr_alg2",
                        "native": "kokkos-kernels+col"}[name]
                found.append({**self.case(f"spmm/{matrix}/{scalar}/n={columns}/{name}", time), "rpc": rpc})
            return found

        single = cases("fem", 4.5, "float", 128, full=10.0, tf32=8.0, vendor=40.0, native=100.0)
        single += cases("mesh27:n=9", 2.0, "float", 128, full=10.0, vendor=10.0)
        double = cases("fem", 4.5, "double", 128, full=10.0, vendor=5.0)
        self.written(lambda d: d.update(benchmarks=single)).rename(self.folder / "spmm.json")
        self.written(lambda d: d.update(benchmarks=double)).rename(self.folder / "spmm-double.json")
        text, _ = self.tables("<!-- begin spmm-targets -->\n<!-- end spmm-targets -->\n<!-- begin spmm-matrices -->\n"
                              "<!-- end spmm-matrices -->\n")
        for line in ("| full | all | 128 | ≥ 1.9 | 2.00 (2) | 4.00 (1) | 1.00 (1) | 1.00 (mesh27:n=9) |",
                     "| full | block/FEM | 128 | ≥ 3.0 | 4.00 (1) | 4.00 (1) | - | 4.00 (fem) |",
                     "| TF32 | all | 128 | ≥ 2.1 | 5.00 (1) | 5.00 (1) | - | 5.00 (fem) |",
                     "| double | block/FEM | 128 | ≥ 3.9 | 0.50 (1) | 0.50 (1) | - | 0.50 (fem) |",
                     "| fem | 200,000 | block/FEM | sell | 10.0 | - | 4.00 | - | - | 5.00 | - | - | 0.50 | - | 10 | - |"):
            self.assertIn(line + "\n", text)

    def test_tables_of_paper000(self):
        def cases(spec, columns, **microseconds):
            names = {"full": "lacuna:automatic", "tf32": "lacuna:automatic+tf32", "vendor": "cusparse:csr_alg2+col",
                     "ell": "cusparse:blocked_ell_alg1", "native": "kokkos-kernels", "fp32": "cublas:fp32"}
            return [self.case(f"spmm/{spec}/float/n={columns}/{names[name]}", time) for name, time in microseconds.items()]

        found = cases("uniform:rows=400,density=0.1", 400, full=20.0, vendor=10.0, ell=1.0, fp32=10.0)
        found += cases("uniform:rows=400,density=0.025", 400, full=5.0, tf32=4.0, vendor=20.0, native=1.0, fp32=10.0)
        found += cases("wang3-surrogate", 26064, full=5.0, vendor=20.0)
        self.written(lambda d: d.update(benchmarks=found)).rename(self.folder / "paper000.json")
        layers = cases("uniform:rows=4096,cols=11008,density=0.05", 64, full=5.0, native=15.0)
        half = "spmm/uniform:rows=4096,cols=11008,density=0.05/half/n=64/"
        layers += [self.case(half + name, time) for name, time in
                   (("lacuna:automatic", 2.0), ("cusparse:csr_alg2", 8.0), ("cusparse:blocked_ell_alg1", 5.0), ("cublas:fp16", 3.0))]
        self.written(lambda d: d.update(benchmarks=layers)).rename(self.folder / "paper000-layers.json")
        text, _ = self.tables("".join(f"<!-- begin {name} -->\n<!-- end {name} -->\n" for name in
                                      ("random-wins", "random-times", "random-crossovers", "layers-times", "revision")))
        for line in ("| full | 3 | 66.7 % | 2.83 | 2.00 | 0.50 (uniform:rows=400,density=0.1, N = 400) | 4.00 |",
                     "| TF32 | 1 | 100.0 % | 5.00 | 5.00 | 5.00 (uniform:rows=400,density=0.025, N = 400) | 5.00 |",
                     "| 400² | 400 | 90 | sell | 20.0 | 0.50 | - | - | 10.0 | - | - |",
                     "| 400² | 400 | 95.0 | > 97.5 | - | - | - | - |",
                     "| 4,096 × 11,008 | 64 | 95 | sell | 5.0 | 3.00 | - | - | - | - | - |",
                     "a device, revision 0123456789ab, Kokkos 4.5.1."):
            self.assertIn(line + "\n", text)
        text, _ = self.tables("".join(f"<!-- begin {name} -->\n<!-- end {name} -->\n" for name in
                                      ("random-histogram", "random-overhead", "layers-histogram", "layers-half-wins",
                                       "layers-half-times", "layers-half-crossovers")))
        for line in ("| full | 1 | 100.0 % | 2.50 | 2.50 | 2.50 (uniform:rows=4096,cols=11008,density=0.05, N = 64) | 2.50 |",
                     "| matrix | N | zeros, % | kernel | µs | × cuSPARSE | dense half, µs |",
                     "| 4,096 × 11,008 | 64 | 95 | sell | 2.0 | 2.50 | 3.0 |",
                     "| 4,096 × 11,008 | 64 | ≤ 95 | > 95 |",
                     "| full | 3 | 33.3 | . | . | . | . | . | . | . | . | . | . | . | . | 66.7 |",
                     "| 400 | 97.5 | 100.0 | 5.0 | 20.00 | 100.0 | 20.0 | 5.00 | 100.0 | 10.0 | 10.00 |"):
            self.assertIn(line + "\n", text)
        self.assertEqual([1, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2],
                         tables_paper000.bins_of([0.79, 0.8, 1.0, 1.0999, 1.99, 2.0, 50]))
        self.assertEqual("-", tables_paper000.crossover([]))
        self.assertEqual("≤ 80", tables_paper000.crossover([(90, 3), (80, 1)]))

    def test_report_of_paper000(self):
        found = []
        for zeros, density in ((80, "0.2"), (95, "0.05"), (99, "0.01")):
            for name, time in (("lacuna:automatic", 10.0), ("lacuna:automatic+fp16", 5.0), ("cusparse:csr_alg3", 12.0 + zeros),
                               ("cublas:fp32", 50.0)):
                found.append(self.case(f"spmm/uniform:rows=400,density={density}/float/n=400/{name}", time))
        path = self.written(lambda d: d.update(benchmarks=found))
        status, _, err = self.run_quietly(report.main, path, "--output", self.folder / "out")
        self.assertEqual(0, status)
        text = (self.folder / "out" / "report.md").read_text(encoding="utf-8")
        self.assertIn("| full | 3 | 100.0 % | 10.33 |", text)
        self.assertIn("| 400 | 99 | 100.0 | 10.0 | 10.00 | 100.0 | 111.0 | 0.90 |", text)
        pictures = sorted(picture.name for picture in (self.folder / "out").glob("*.png"))
        drawn = [] if "matplotlib is not installed" in err else ["overhead-float.png", "times-float.png", "wins-float.png"]
        self.assertEqual(drawn, pictures)
        for picture in drawn:
            self.assertIn(f"![{picture}]({picture})", text)

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


# A program that behaves as lacuna-bench does: one case for its matrix, and a line in `calls` beside it.
FAKE_BENCH = """#!/usr/bin/env python3
import json, os, pathlib, sys
here = pathlib.Path(__file__).resolve().parent
arguments = sys.argv[1:]
matrix = "paper" if "--paper" in arguments else arguments[1]
with open(here / "calls", "a") as calls:
    calls.write(matrix + " " + os.environ.get("LACUNA_MATRIX_DIR", "") + "\\n")
if (here / "breaks").exists() and matrix == (here / "breaks").read_text():
    sys.exit("broken in " + str(here))
state = json.loads((here / "state").read_text())
case = {"name": arguments[0] + "/" + matrix + "/double/lacuna:automatic", "real_time": 5.0, "time_unit": "us",
        "label": "sell", "rows": 10.0, "cols": 10.0, "nnz": 20.0, "flops": 40.0, "bytes": 400.0, "setup_ms": 0.1,
        "temporary_bytes": 0.0, "persistent_bytes": 0.0, "rel_error": 1e-16}
document = {"context": {"execution_space": "OpenMP", "device": "a device", **state}, "benchmarks": [case]}
pathlib.Path(arguments[arguments.index("--json") + 1]).write_text(json.dumps(document))
print("table of", matrix)
"""


class KokkosKernels(unittest.TestCase):
    @staticmethod
    def report(seconds, checksum=2.0):
        return {"matrices": [{"matrix": "mesh", "results": [
            {"operation": "spmv", "first_seconds": 10 * seconds, "seconds": seconds, "checksum": checksum}]}]}

    def test_the_least_time_of_the_rounds_counts(self):
        best = {name: kokkos_kernels.best_of([self.report(2 * time), self.report(time)])
                for name, time in (("cusparse", 4e-6), ("lacuna", 2e-6), ("native", 8e-6))}
        self.assertEqual(list(kokkos_kernels.table_of(best))[-1], "| mesh | spmv | 4 | 2 | 8 | 2.00 | 2.00 |")
        self.assertEqual(list(kokkos_kernels.differences(best)), [])

    def test_another_product_is_told(self):
        best = {name: kokkos_kernels.best_of([self.report(1, checksum)])
                for name, checksum in (("lacuna", 2.0), ("native", 2.001))}
        self.assertEqual(len(list(kokkos_kernels.differences(best))), 1)


class FitHrpb(unittest.TestCase):
    """Products whose times are made of known costs."""

    costs = (2.0, 0.0, 1.5, 1.0, 3e-9, 0.0)

    def run_with(self, cases, *arguments):
        document = {"context": json.loads(GOLDEN.read_text(encoding="utf-8"))["context"], "benchmarks": cases}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.json"
            path.write_text(json.dumps(document), encoding="utf-8")
            out, err = io.StringIO(), io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = fit_hrpb.main([str(path), *arguments])
        return status, out.getvalue(), err.getvalue()

    def products(self, **more):
        cases = []
        for place in range(10):
            parts = [1e-5 * (1 + (place * (5 + i) + i * i) % 7) * (4e8 if i == 4 else 1) for i in range(6)]
            seconds = 3e-6 + sum(part * cost for part, cost in zip(parts, self.costs))
            terms = {f"term_{part}": value for (part, _), value in zip(fit_hrpb.COSTS, parts)}
            cases.append({"name": f"spmm/m{place}/float/n=128/lacuna:hrpb+tf32", "real_time": seconds * 1e6, "time_unit": "us",
                          "rows": 1.0, "cols": 1.0, "nnz": 1.0, "flops": 1.0, "bytes": 1.0, "setup_ms": 0.0, "temporary_bytes": 0.0,
                          "persistent_bytes": 0.0, "rel_error": 0.0, "predicted_seconds": 2 * seconds, "launch_seconds": 3e-6,
                          **terms, **more})
        return cases

    def test_known_costs_are_found(self):
        status, text, _ = self.run_with(self.products())
        self.assertEqual(0, status)
        self.assertIn("10 products. Before: within a factor of 2.00 in the mean, 2.00 at most;", text)
        self.assertIn("after: within a factor of 1.00 in the mean, 1.00 at most.", text)
        for name, cost in (("packed_cost", "2"), ("gather_cost", "0"), ("scratch_cost", "1.5"), ("memory_cost", "1"),
                           ("brick_seconds", "3e-09"), ("block_seconds", "0")):
            self.assertIn(f"static constexpr double {name} = {cost};", text)

    def test_a_cost_is_never_negative(self):
        cases = self.products()
        for case in cases:  # a part that would have to shorten times
            case["term_block"] = 1e-3 - case["real_time"] * 1e-6
        self.assertNotIn("= -", self.run_with(cases)[1])

    def test_times_on_the_device_count(self):
        text = self.run_with(self.products(graph_us=100.0), "--all")[1]
        self.assertIn("// m3, N = 128: measured 100.0 us, before ", text)

    def test_other_files_are_refused(self):
        status, _, error = self.run_with(self.products()[:5])
        self.assertEqual(1, status)
        self.assertIn("5 products of lacuna:hrpb+tf32 with their parts, 6 are needed", error)
        self.assertEqual(1, self.run_with(self.products(), "--implementation", "lacuna:hrpb")[0])


class MakeResults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.build, self.output, self.matrices = (self.folder / name for name in ("build", "out", "matrices"))
        self.matrices.mkdir()
        (self.matrices / "INDEX.tsv").write_text(
            "name\tfile\tnnz_full\tfield\tuse\nbig\tbig.mtx\t200000\treal\ttune\nsmall\tsmall.mtx\t10\treal\tcheck\n"
            "young\tyoung.mtx\t300000\tcomplex\ttune\n", encoding="utf-8")
        self.program("perf_tests/lacuna-bench", FAKE_BENCH)
        self.program("unit_tests/core/test_good", "#!/bin/sh\necho '[  PASSED  ] 3 tests.'\n")
        self.program("perf_tests/tests/test_other", "#!/bin/sh\necho '[  PASSED  ] 1 test.'\n")
        (self.build / "unit_tests/core/test_good.d").write_text("not a program", encoding="utf-8")
        self.state()
        self.list = self.folder / "list.json"
        self.list.write_text(json.dumps({
            "sanitizer": [{"tool": "memcheck", "program": "test_good"}],
            "tables": [{"name": "spmv", "index_least": 100000, "matrices": ["mesh5:n=4"], "arguments": ["spmv", "--check"]},
                       {"name": "paper", "whole": True, "arguments": ["spmv", "--paper"]},
                       {"name": "elsewhere", "on": "cuda", "matrices": ["mesh5:n=5"], "arguments": ["spmv"]}]}),
            encoding="utf-8")

    def program(self, name, text):
        path = self.build / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def state(self, revision="0123456789ab", dirty="false"):
        (self.build / "perf_tests/state").write_text(json.dumps({"git_revision": revision, "git_dirty": dirty}))

    def calls(self):
        """The matrices that were measured since the last time, without the first product of each start."""
        path = self.build / "perf_tests/calls"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [line.split()[0] for line in lines[1:]]

    def make(self, *arguments, status=0):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), \
                unittest.mock.patch.dict(os.environ, clear=False):
            found = make_results.main([str(self.build), str(self.output), "--matrices", str(self.matrices), "--list",
                                       str(self.list), *arguments])
        self.assertEqual(status, found, out.getvalue() + err.getvalue())
        return out.getvalue(), err.getvalue()

    def steps(self):
        manifest = json.loads((self.output / "manifest.json").read_text(encoding="utf-8"))
        return {step["name"]: step for step in manifest["steps"]}

    def test_everything_runs_once(self):
        self.make()
        self.assertEqual(["mesh5:n=4", "big", "paper"], self.calls())
        steps = self.steps()
        self.assertEqual(["test/test_good", "test/test_other", "memcheck/test_good/*", "table/spmv/mesh5:n=4",
                          "table/spmv/big", "table/paper"], list(steps))
        self.assertEqual({"passed": 3}, steps["test/test_good"]["tests"])
        self.assertIn("skipped", steps["memcheck/test_good/*"])
        for name, step in steps.items():
            self.assertEqual("0123456789ab", step["revision"])
            if name != "memcheck/test_good/*":
                self.assertEqual(0, step["exit"])
                self.assertGreaterEqual(step["seconds"], 0)
        self.assertEqual(["mesh5:n=4", "big"], [case.matrix for case in results.read(self.output / "spmv.json").cases])
        self.assertIn("| big |", (self.output / "reports/spmv/report.md").read_text(encoding="utf-8"))
        self.assertEqual("table of paper\n", (self.output / "paper.txt").read_text(encoding="utf-8"))
        for path in self.output.rglob("*"):
            if path.suffix in (".json", ".txt", ".md"):
                text = path.read_text(encoding="utf-8")
                self.assertNotIn(str(self.folder), text, path)
                if len(socket.gethostname()) > 3:
                    self.assertNotIn(socket.gethostname(), text, path)
        self.make()
        self.assertEqual([], self.calls(), "all is there")

    def test_papers_get_their_pages(self):
        wanted = json.loads(self.list.read_text(encoding="utf-8"))
        wanted["tables"].append({"name": "paper002", "whole": True, "arguments": ["spmv", "--paper"]})
        self.list.write_text(json.dumps(wanted), encoding="utf-8")
        self.make("--only", "spmv")
        self.assertFalse((self.output / "paper002.md").exists(), "it has no results")
        self.make("--only", "paper002")
        self.assertIn("revision 0123456789ab", (self.output / "paper002.md").read_text(encoding="utf-8"))

    def test_an_interruption_costs_no_more_than_a_step(self):
        self.make("--stop-after", "-1", status=3)
        self.assertEqual([], self.calls())
        self.make("--only", "spmv/mesh", status=0)
        self.assertEqual(["mesh5:n=4"], self.calls())
        self.assertFalse((self.output / "spmv.json").exists(), "not all of it")
        (self.output / "parts/spmv/big.json").write_text("{", encoding="utf-8")  # cut off
        self.make()
        self.assertEqual(["big", "paper"], self.calls())
        self.assertTrue((self.output / "spmv.json").exists())

    def test_what_failed_runs_again(self):
        breaks = self.build / "perf_tests/breaks"
        breaks.write_text("big", encoding="utf-8")
        self.program("unit_tests/core/test_good", "#!/bin/sh\necho '[  FAILED  ] 2 tests.'\nexit 1\n")
        out, _ = self.make(status=1)
        self.assertIn("FAILED: test/test_good", out)
        self.assertIn("FAILED: table/spmv/big", out)
        self.assertEqual({"failed": 2}, self.steps()["test/test_good"]["tests"])
        self.assertNotIn(str(self.folder), (self.output / "parts/spmv/big.txt").read_text(encoding="utf-8"))
        self.assertFalse((self.output / "spmv.json").exists())
        self.assertTrue((self.output / "paper.json").exists())
        self.calls()
        breaks.unlink()
        self.make(status=1)
        self.assertEqual(["big"], self.calls())

    def test_another_revision_runs_anew(self):
        self.make()
        self.calls()
        self.state("fedcba987654")
        self.make()
        self.assertEqual(["mesh5:n=4", "big", "paper"], self.calls())
        self.assertEqual({"fedcba987654"}, {step["revision"] for step in self.steps().values()})

    def test_changes_are_refused(self):
        for dirty in ("true", "unknown"):
            self.state(dirty=dirty)
            _, err = self.make(status=2)
            self.assertIn("--allow-dirty", err)
            self.assertFalse((self.output / "manifest.json").exists())
        self.make("--allow-dirty")
        (self.build / "perf_tests/lacuna-bench").unlink()
        self.assertIn("lacuna-bench", self.make(status=2)[1])

    @staticmethod
    def unit_tests():
        """Tests of the checkout that the scripts are in: suite.name."""
        sources = [path for path in (make_results.LIST.parents[2] / "unit_tests").rglob("*") if path.is_file()]
        named = re.compile(r"\b\w*TEST(?:_F|_P)?\(\s*([\w@]+),\s*(\w+)\s*\)")
        return [".".join(test) for path in sources for test in named.findall(path.read_text(encoding="utf-8"))]

    def test_the_list_is_sound(self):
        wanted = json.loads(make_results.LIST.read_text(encoding="utf-8"))
        tests = self.unit_tests()
        for space in ("cuda", "host"):
            names = [table["name"] for table in wanted["tables"] if table.get("on", space) == space]
            self.assertEqual(sorted(set(names)), sorted(names))
        for entry in wanted["sanitizer"]:
            self.assertIn(entry["tool"], ("memcheck", "racecheck", "synccheck", "initcheck"))
            self.assertTrue(entry["program"].startswith("test_"))
            # A filter that fits nothing runs nothing, and passes.
            for pattern in entry.get("filter", "*").lstrip("-").split(":"):
                self.assertTrue(fnmatch.filter(tests, pattern), entry)
        for table in wanted["tables"]:
            self.assertIn(table["arguments"][0], ("spmv", "spmm", "spgemm", "diagonal", "paper000"))
            self.assertIn("--check", table["arguments"])
            self.assertTrue(table.get("whole") or table["matrices"])


class JoinedParts(unittest.TestCase):
    """What a joined file keeps of its parts."""

    def test_it_is_slim_and_reads_the_same(self):
        case = {"name": "spmv/a/float/lacuna:rows", "run_name": "spmv/a/float/lacuna:rows", "repetitions": 1, "cpu_time": 2.5,
                "real_time": 1.23456789012, "time_unit": "ns", "nnz": 16777217, "label": "x"}
        self.assertEqual(make_results.slim(case), {"name": "spmv/a/float/lacuna:rows", "real_time": 1.234568, "time_unit": "ns",
                                                   "nnz": 16777217, "label": "x"})
        read = {*results.COUNTERS, *results.FACTS, *results.TIMED_COUNTERS, "name", "real_time", "time_unit", "label",
                "graph_us", "error_message", "error_occurred"}
        self.assertFalse(make_results.UNREAD & read)


if __name__ == "__main__":
    unittest.main()
