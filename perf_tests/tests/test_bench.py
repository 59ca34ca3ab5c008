#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Runs lacuna-bench on small matrices and checks what it prints, writes and returns.

    test_bench.py <lacuna-bench> <the scalars that it was compiled for, float among them: float,double>
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import results  # noqa: E402

BENCH = None
SCALARS = []
SHORT = []  # types of two bytes, of SpMM alone: none on hosts, where they are float by another name
QUICK = ("--min-time", "0.001", "--repeat", "3", "--copy-size", "0.01")
ALGORITHMS = (
    "automatic one_shot naive thread_mapped aligned cached vector_csr padded_rows row_block scan_flat scan_matrix coo "
    "ell hyb dia nonzero_split sell sliced_dia row_split vector_slices"
).split()


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.json = self.folder / "results.json"

    @property
    def scalar(self):
        """What spmv, run and inspect take where they may: double is their default."""
        return "double" if "double" in SCALARS else "float"

    @property
    def size(self):
        return 8 if self.scalar == "double" else 4

    def bench(self, *arguments, status=0, environment=None):
        takes_double = arguments[0] in ("spmv", "run", "inspect") and not {"--scalar", "--paper"} & set(arguments)
        if takes_double and "double" not in SCALARS:
            arguments += ("--scalar", "float")
        run = subprocess.run([BENCH, *map(str, arguments)], capture_output=True, text=True, timeout=300,
                             env={**os.environ, **(environment or {})})
        self.assertEqual(status, run.returncode, run.stdout + run.stderr)
        return run.stdout, run.stderr

    def write(self, name, *lines):
        path = self.folder / name
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def test_every_algorithm_and_rival_is_right_or_says_why_not(self):
        out, _ = self.bench("spmv", "mesh27:n=6,b=3", "power:rows=3000,nnz=20000,longest=900",
                            "empty_rows:n=500,per_row=5", "--scalar", ",".join(SCALARS), "--algorithm", "all",
                            "--rivals", "--check", "--json", self.json, *QUICK)
        data = results.read(self.json)
        self.assertEqual(3 * len(SCALARS), len(data.problems()))
        for problem, cases in data.problems().items():
            with self.subTest(problem):
                for name in ("lacuna:automatic", "lacuna:one_shot", "lacuna:nonzero_split", "lacuna:naive",
                             "lacuna:thread_mapped", "lacuna:aligned", "lacuna:cached", "lacuna:vector_csr",
                             "lacuna:scan_flat", "lacuna:scan_matrix", "lacuna:coo", "lacuna:hyb",
                             "lacuna:row_split", "kokkos-kernels"):
                    self.assertIn(name, cases)
                self.assertIn(cases["lacuna:automatic"].label, ALGORITHMS[2:])
        names = {case.implementation for case in data.cases}
        self.assertLessEqual({"lacuna:" + name for name in ALGORITHMS}, names)
        for case in data.cases:
            if not case.error:
                limit = 1e-5 if case.scalar == "float" else 1e-14
                self.assertLess(case.counters["rel_error"], limit, case.name)
            else:
                self.assertNotIn("wrong", case.error, case.name)
                self.assertGreater(len(case.error), 10, case.name)
                if case.implementation == "lacuna:sell":  # written for lanes
                    self.assertIn("written for GPUs, hosts have", case.error, case.name)
        mesh = next(case for case in data.cases if case.matrix == "mesh27:n=6,b=3" and case.scalar == self.scalar)
        self.assertEqual((648, 648, 16 ** 3 * 9), tuple(mesh.counters[key] for key in ("rows", "cols", "nnz")))
        self.assertEqual(2 * mesh.counters["nnz"], mesh.counters["flops"])
        self.assertEqual((self.size + 4) * mesh.counters["nnz"] + 4 * 649 + 2 * self.size * 648, mesh.counters["bytes"])
        self.assertIn("lacuna:automatic against the best rival of this run", out)
        self.assertRegex(out, r"cases, 0 of Lacuna's wrong")

    def test_the_context_says_all_but_where(self):
        self.bench("spmv", "mesh5:n=10", "--json", self.json, *QUICK)
        text = self.json.read_text(encoding="utf-8")
        context = json.loads(text)["context"]
        for key in ("git_revision", "git_dirty", "revision_from", "device", "compiler", "kokkos_version", "kokkos_kernels_version",
                    "execution_space", "google_benchmark_version", "copy_bandwidth", "date", "ordinal", "offset"):
            self.assertTrue(context.get(key), key)
        for key in ("host_name", "executable"):
            self.assertNotIn(key, context)
        if len(socket.gethostname()) > 3:
            self.assertNotIn(socket.gethostname(), text)
        self.assertNotIn(str(pathlib.Path(BENCH).parent), text)
        self.assertNotIn(str(self.folder), text)

    def test_files_are_named_by_their_stem_and_patterns_get_values(self):
        path = self.write("little.mtx", "%%MatrixMarket matrix coordinate pattern general", "3 4 4", "1 1", "1 2",
                          "3 3", "3 4")
        self.bench("spmv", path, "--check", "--json", self.json, *QUICK)
        case = results.read(self.json).cases[0]
        self.assertEqual(f"spmv/little/{self.scalar}/lacuna:automatic", case.name)
        self.assertEqual((3, 4, 4), tuple(case.counters[key] for key in ("rows", "cols", "nnz")))

    def test_folders(self):
        header = "%%MatrixMarket matrix coordinate real general"
        self.write("b.mtx", header, "2 2 1", "1 1 0.5")
        self.write("a.mtx", header, "2 3 1", "2 3 0.5")
        self.write("notes.txt", "not a matrix")
        self.bench("spmv", "--all-in", self.folder, "--algorithm", "automatic", "--json", self.json, *QUICK)
        self.assertEqual(["a", "b"], [case.matrix for case in results.read(self.json).cases])
        self.write("INDEX.tsv", "rows\tname\tfile", "2\tbee\tb.mtx")
        self.bench("spmv", "--all-in", self.folder, "--algorithm", "automatic", "--json", self.json, *QUICK)
        self.assertEqual(["bee"], [case.matrix for case in results.read(self.json).cases])
        self.bench("spmv", "bee", "--algorithm", "automatic", "--json", self.json, *QUICK,
                   environment={"LACUNA_MATRIX_DIR": str(self.folder)})
        self.assertEqual(["bee"], [case.matrix for case in results.read(self.json).cases])

    def test_a_bad_file_is_named_and_the_others_still_run(self):
        bad = self.write("bad.mtx", "%%MatrixMarket matrix coordinate real general", "2 2 1", "3 1 0.5")
        _, err = self.bench("spmv", bad, "mesh5:n=4", "--algorithm", "automatic", "--json", self.json, *QUICK, status=1)
        self.assertIn("bad", err)
        self.assertEqual(["mesh5:n=4"], [case.matrix for case in results.read(self.json).cases])

    def test_complex_files_are_skipped_where_the_scalar_is_real(self):
        path = self.write("c.mtx", "%%MatrixMarket matrix coordinate complex general", "1 1 1", "1 1 1 2")
        out, _ = self.bench("spmv", path, "--json", self.json, *QUICK)
        self.assertIn("c: skipped", out)
        self.assertEqual([], results.read(self.json).cases)

    def test_inspect_reads_complex_files(self):
        path = self.write("c.mtx", "%%MatrixMarket matrix coordinate complex general", "2 3 3", "1 1 1 2", "1 3 0 0",
                          "2 2 0 1")
        out, _ = self.bench("inspect", path)
        self.assertNotIn("skipped", out)
        self.assertRegex(out, r"2 *x *3")
        self.assertIn("1 stored zero", out)

    def test_contenders_and_regret(self):
        out, _ = self.bench("spmv", "mesh27:n=6,b=3", "power:rows=20000,nnz=60000,longest=19000", "--algorithm",
                            "contenders", "--rivals", "--check", "--json", self.json, *QUICK)
        self.assertRegex(out, r"lacuna:automatic chose \w+, regret [1-9]")
        self.assertRegex(out, r"regret against the best of ours: geometric mean [1-9][0-9.]* over 2 cases, worst")
        given_up = [case for case in results.read(self.json).cases if "given up" in case.error]
        self.assertTrue(all(case.ours for case in given_up))
        self.bench("spmm", "mesh27:n=6,b=3", "mesh5:n=40", "--algorithm", "contenders", "--n", "8", "--rivals", "--check",
                   "--json", self.json, *QUICK)
        names = {case.implementation for case in results.read(self.json).cases if not case.error}
        self.assertLessEqual({"kokkos-kernels", "kokkos-kernels+col", "lacuna:automatic"}, names)

    def test_run_is_the_main_job(self):
        out, _ = self.bench("run", "mesh27:n=4,b=3", *QUICK)
        for text in ("what the inspector sees", "lacuna:automatic", "kokkos-kernels", "GFLOP/s", "of copy",
                     f"spmm, mesh27:n=4,b=3, {self.scalar}, N = 128", "0 of Lacuna's wrong"):
            self.assertIn(text, out)

    def test_inspect(self):
        out, _ = self.bench("inspect", "banded:n=50,half=2")
        self.assertIn("banded:n=50,half=2", out)
        self.assertIn("50 x 50, 244 nonzeros", out)
        self.assertRegex(out, r"inspected    in [0-9.]+ [mu]?s")

    def test_cold_caches(self):
        self.bench("spmv", "mesh5:n=20", "--cold", "--algorithm", "automatic", "--rivals", "--check", "--json", self.json,
                   *QUICK)
        self.assertEqual("cold", results.read(self.json).context["caches"])

    def test_spmv_adds_what_was_in_the_result(self):
        self.bench("spmv", "mesh5:n=20", "--beta", "-0.5", "--algorithm", "all", "--rivals", "--check", "--json", self.json,
                   *QUICK)
        data = results.read(self.json)
        self.assertEqual("warm", data.context["caches"])
        self.assertEqual((self.size + 4) * 1920 + 4 * 401 + self.size * 400 * 3, data.cases[0].counters["bytes"])

    def test_the_paper(self):
        out, _ = self.bench("spmv", "--paper", "rdist1", "--check", "--json", self.json, *QUICK,
                            environment={"LACUNA_MATRIX_DIR": str(self.folder)})
        for title in ("Table 2", "Table 4", "Table 5", "Figure 2", "Figures 3 and 4"):
            self.assertIn(title, out)
        self.assertRegex(out, r"rdist1-surrogate +4,134 +4,134 +94,408 ")
        self.assertEqual({"float"}, {case.scalar for case in results.read(self.json).cases})

    def test_spmm(self):
        out, _ = self.bench("spmm", "mesh27:n=6,b=3", "power:rows=2000,nnz=15000,longest=700",
                            "empty_rows:n=500,per_row=5", "--n", "1,7,32", "--scalar", ",".join(SCALARS), "--algorithm",
                            "all", "--precision", "full,tf32", "--layout", "right,left", "--rivals", "--check", "--json",
                            self.json, *QUICK)
        data = results.read(self.json)
        self.assertEqual(3 * len(SCALARS) * 3, len(data.problems()))
        for problem, cases in data.problems().items():
            with self.subTest(problem):
                for name in ("lacuna:automatic", "lacuna:one_shot", "lacuna:row_split", "lacuna:automatic+col",
                             "kokkos-kernels"):
                    self.assertIn(name, cases)
                # The label is one of the algorithms that "--algorithm all" names, and one that serves the matrix.
                self.assertFalse(cases["lacuna:" + cases["lacuna:automatic"].label].error)
        names = {case.implementation for case in data.cases}
        self.assertLessEqual({"lacuna:bricks", "lacuna:bricks+tf32", "lacuna:hrpb+tf32+col"}, names)
        self.assertNotIn("lacuna:one_shot+tf32", names)
        for case in data.cases:
            if not case.error:
                limit = 1e-3 if "+tf32" in case.implementation else 1e-5 if case.scalar == "float" else 1e-14
                self.assertLess(case.counters["rel_error"], limit, case.name)
            else:
                self.assertNotIn("wrong", case.error, case.name)
                self.assertGreater(len(case.error), 10, case.name)
                if case.implementation == "lacuna:sell":  # written for lanes
                    self.assertIn("written for GPUs, hosts have", case.error, case.name)
        mesh = next(case for case in data.cases if case.problem == ("spmm", "mesh27:n=6,b=3", "float", 7))
        self.assertEqual(2 * 7 * mesh.counters["nnz"], mesh.counters["flops"])
        self.assertEqual(8 * mesh.counters["nnz"] + 4 * 649 + 2 * 7 * 4 * 648, mesh.counters["bytes"])
        self.assertGreater(mesh.counters["rpc"], 3)
        self.assertEqual(81, mesh.counters["longest_row"])
        self.assertIn("Time of the best rival", out)
        self.assertRegex(out, r"cases, 0 of Lacuna's wrong")

    def test_spmm_adds_what_was_in_the_result(self):
        self.bench("spmm", "mesh5:n=12", "--n", "5", "--beta", "-0.5", "--algorithm", "all", "--layout", "right,left",
                   "--rivals", "--check", "--json", self.json, *QUICK)
        case = results.read(self.json).cases[0]
        self.assertEqual("spmm/mesh5:n=12/float/n=5/lacuna:automatic", case.name)
        self.assertEqual(8 * 672 + 4 * 145 + 3 * 5 * 4 * 144, case.counters["bytes"])

    def test_spmm_in_short_types(self):
        scalars = SHORT or ["half", "bhalf"]
        out, _ = self.bench("spmm", "mesh27:n=6,b=3", "power:rows=2000,nnz=15000,longest=700", "--n", "1,7,32", "--scalar",
                            "float," + ",".join(scalars), "--algorithm", "all", "--precision", "full,fp16", "--layout",
                            "right,left", "--rivals", "--check", "--json", self.json, *QUICK)
        self.assertIn("0 of Lacuna's wrong", out)
        data = results.read(self.json)
        for scalar in scalars:
            said = f"lacuna-bench: scalar {scalar} is skipped: {scalar} is float on this backend"
            self.assertEqual(scalar not in SHORT, said in out, scalar)
        self.assertEqual({"float", *SHORT}, {case.scalar for case in data.cases})
        for case in data.cases:
            if case.scalar not in SHORT:
                continue
            self.assertNotIn("+fp16", case.implementation)
            self.assertNotIn("kokkos-kernels", case.implementation)
            if not case.error:
                self.assertLess(case.counters["rel_error"], 2e-3 if case.scalar == "half" else 1e-2, case.name)
        # Where there is nothing else to do, too; and other operations have no such types.
        self.bench("paper000", "--random", "--size", "60", "--zeros", "80", "--scalar", scalars[0], "--check", *QUICK)
        _, err = self.bench("spmv", "mesh5:n=4", "--scalar", scalars[0], *QUICK, status=2)
        self.assertIn("SpMM alone", err)

    def test_spmm_curve(self):
        self.bench("spmm", "mesh5:n=6", "--n", "1-6", "--json", self.json, *QUICK)
        self.assertEqual([1, 2, 3, 4, 5, 6], [case.columns for case in results.read(self.json).cases])

    def test_the_paper_on_gcoo(self):
        start = ("paper000", "--random", "--size", "60,90", "--algorithm", "automatic,row_split", "--check", "--json",
                 self.json, *QUICK)
        out, _ = self.bench(*start, "--zeros", "80,99")
        for title in ("IV-B", "figures 4 and 6", "Figure 13"):
            self.assertIn(title, out)
        self.assertIn("[4/4] uniform:rows=90,density=0.01, float, N = 90", out)
        data = results.read(self.json)
        self.assertEqual([60, 60, 90, 90], [problem[3] for problem in data.problems()])
        # Gone on with: what was measured stays as it is, the rest is added.
        out, _ = self.bench(*start, "--zeros", "80,95,99")
        self.assertEqual(2, out.count("nonzeros:"), out)
        more = results.read(self.json)
        self.assertEqual(data.cases, more.cases[:len(data.cases)])
        self.assertEqual(6, len(more.problems()))
        self.assertRegex(out, r"lacuna:automatic +6 +[0-9.]+ %")
        document = json.loads(self.json.read_text(encoding="utf-8"))
        document["context"]["device"] = "another one"
        self.json.write_text(json.dumps(document), encoding="utf-8")
        _, err = self.bench(*start, "--zeros", "80", status=2)
        self.assertIn("device was another one", err)

    def test_the_paper_on_gcoo_in_parts(self):
        start = ("paper000", "--layers", "--size", "1024", "--zeros", "98,99", "--tokens", "3", "--algorithm",
                 "automatic", "--precision", "full", "--json", self.json, *QUICK)
        out, _ = self.bench(*start, "--stop-after", "1e-9", status=3)
        self.assertIn("start it again", out)
        left = 0 if not self.json.exists() else len(results.read(self.json).problems())
        self.assertEqual(0, left)
        out, _ = self.bench(*start, "--rival", "kokkos-kernels+col")
        self.assertIn("Layers of pruned networks", out)
        data = results.read(self.json)
        self.assertEqual(2, len(data.problems()))
        self.assertEqual({"lacuna:automatic", "kokkos-kernels+col"}, {case.implementation for case in data.cases})

    def test_spgemm(self):
        names = "automatic,automatic:symbolic,automatic:reuse,automatic:deterministic,automatic:unsorted,automatic:reuse:kept,bins:reuse:deterministic"
        out, _ = self.bench("spgemm", "mesh27:n=5,b=3", "--scalar", SCALARS[0], "--algorithm", names, "--rivals",
                            "--check", "--json", self.json, *QUICK)
        self.assertIn("0 of Lacuna's wrong", out)
        data = results.read(self.json)
        found = {case.implementation for case in data.cases if not case.error}
        self.assertLessEqual({"lacuna:" + name for name in names.split(",")} | {"kokkos-kernels", "kokkos-kernels:reuse"}, found)
        self.assertFalse([name for name in found if name.endswith("+given")])
        self.assertEqual("off", data.context["kept_memory"])
        self.bench("spgemm", "mesh27:n=5", "--scalar", SCALARS[0], "--algorithm", "automatic:backwards", status=2)
        out, _ = self.bench("spgemm", "mesh27:n=5", "--scalar", SCALARS[0], "--rivals", "--kept-memory", "--check", "--json",
                            self.json, *QUICK)
        self.assertIn("0 of Lacuna's wrong", out)
        self.assertEqual("on", results.read(self.json).context["kept_memory"])

    def test_spgemm_of_other_products(self):
        header = "%%MatrixMarket matrix coordinate real general"
        a = self.write("a.mtx", header, "2 3 4", "1 1 1", "1 3 2", "2 2 3", "2 3 4")
        b = self.write("b.mtx", header, "3 5 3", "1 5 1", "2 1 2", "3 5 3")
        names = "automatic,automatic:symbolic,automatic:reuse,bins"
        out, _ = self.bench("spgemm", f"{a}@{b}", f"{a}@{a}^T", f"{a}^T@{a}@{b}", "rap-linear:mesh27:n=5,b=2",
                            "rap-aggregates:mesh7:n=6", "--scalar", SCALARS[0], "--algorithm", names, "--rivals",
                            "--check", "--json", self.json, *QUICK)
        self.assertRegex(out, r"cases, 0 of Lacuna's wrong\n")  # nor any of the rivals'
        problems = results.read(self.json).problems()
        self.assertEqual(["a@b", "a@a^T", "a^T@a@b", "rap-linear:mesh27:n=5,b=2", "rap-aggregates:mesh7:n=6"],
                         [matrix for _, matrix, _, _ in problems])
        for (_, matrix, _, _), cases in problems.items():
            endings = ("", "+given") if "^T" in matrix else ("",)
            wanted = {"lacuna:" + name + ending for name in names.split(",") for ending in endings}
            wanted |= {"kokkos-kernels" + ending for ending in endings} | {"kokkos-kernels:reuse" + endings[-1]}
            self.assertLessEqual(wanted, set(cases), matrix)
        counters = {matrix: cases["lacuna:automatic"].counters for (_, matrix, _, _), cases in problems.items()}
        # (a11 b15 + a13 b35, a22 b21, a23 b35); a aᵀ is full; 5³ nodes become 3³, 6³ become 2³.
        self.assertEqual((2, 5, 4, 3), tuple(counters["a@b"][key] for key in ("rows", "cols", "products", "nnz_c")))
        self.assertEqual((2, 2, 6, 4), tuple(counters["a@a^T"][key] for key in ("rows", "cols", "products", "nnz_c")))
        self.assertEqual((54, 54), tuple(counters["rap-linear:mesh27:n=5,b=2"][key] for key in ("rows", "cols")))
        self.assertEqual((8, 8), tuple(counters["rap-aggregates:mesh7:n=6"][key] for key in ("rows", "cols")))
        _, err = self.bench("spgemm", f"{b}@{a}", "--scalar", SCALARS[0], *QUICK, status=1)
        self.assertIn("has 5 columns, the next one 2 rows", err)
        for wrong, said in ((f"{a}@", "no name"), ("rap-linear:random:rows=9,per_row=2", "mesh27"), ("a@nowhere", "a: neither")):
            self.assertIn(said, self.bench("spgemm", wrong, "--scalar", SCALARS[0], *QUICK, status=2)[1])

    def test_the_paper_of_spgemm(self):
        out, _ = self.bench("spgemm", "--paper", "poisson3Da", "--scalar", SCALARS[0], "--rival", "cusparse:alg1,mkl:spmm",
                            "--check", "--json", self.json, *QUICK, environment={"LACUNA_MATRIX_DIR": str(self.folder)})
        self.assertIn("figure 1", out)
        self.assertIn("Stages of bins", out)
        self.assertRegex(out, r"poisson3Da-surrogate +\w+ +13,514 +352,762 +[\d,]+ +[\d.]+ \(1.027\)")
        self.assertEqual(1, len(results.read(self.json).problems()))

    def test_the_paper_of_spmm(self):
        out, _ = self.bench("spmm", "--paper", "citeseer", "mesh27:n=6,b=3", "--n", "32,512", "--check", "--json",
                            self.json, *QUICK, environment={"LACUNA_MATRIX_DIR": str(self.folder)})
        for title in ("Tables 3 and 4, N = 32", "Table 4, N = 512", "Figure 9"):
            self.assertIn(title, out)
        self.assertRegex(out, r"citeseer-surrogate +3,327 +9,464 ")
        # alpha, OI and class of panels of 16 rows; alpha, beta and OI of panels of 32.
        self.assertRegex(out, r"mesh27:n=6,b=3 +36,864 +[0-9.]+ % +[0-9.]+ +(medium|high) +[0-9.]+ % +1[0-9.]* +[0-9.]+")
        data = results.read(self.json)
        self.assertEqual({"float"}, {case.scalar for case in data.cases})
        self.assertEqual({32, 512}, {case.columns for case in data.cases})
        for case in data.cases:
            # Every block has a brick, and four at most.
            bricks = case.counters["nnz"] / (64 * case.counters["alpha"])
            self.assertTrue(bricks / 4 <= case.counters["blocks"] * 1.001 and case.counters["blocks"] <= bricks * 1.001, case.name)
            predicted = case.implementation.startswith("lacuna:hrpb")
            self.assertEqual(predicted, "predicted_seconds" in case.counters, case.name)
            if predicted:  # the model is a sum of its parts
                parts = [value for key, value in case.counters.items() if key.startswith("term_")]
                self.assertEqual(6, len(parts))
                self.assertGreater(case.counters["predicted_seconds"], case.counters["launch_seconds"])
        names = {case.implementation for case in data.cases}
        self.assertLessEqual({"lacuna:hrpb:balance=off+tf32", "lacuna:hrpb:balance=average+tf32", "lacuna:hrpb:panel=32+tf32"}, names)
        self.assertEqual({"citeseer-surrogate", "mesh27:n=6,b=3"}, {case.matrix for case in data.cases}, "named ones alone")

    def test_products_in_diagonal_storage(self):
        out, _ = self.bench("diagonal", "band:n=300,w=5", "diagonals:n=200,a=9,b=7,span=50", "--algorithm", "all",
                            "--rivals", "--check", "--json", self.json, *QUICK)
        self.assertIn("0 of Lacuna's wrong", out)
        data = results.read(self.json)
        self.assertEqual({"band:n=300,w=5", "diagonals:n=200,a=9,b=7,span=50"}, {case.matrix for case in data.cases})
        self.assertEqual({"double"}, {case.scalar for case in data.cases})
        right = {case.implementation for case in data.cases if not case.error}
        self.assertLessEqual({"lacuna:automatic", "lacuna:automatic+cdm", "lacuna:gather", "lacuna:gather+cdm",
                              "lacuna:entries", "lacuna:entries_by_case", "lacuna:tiles+cdm", "sequential:hm",
                              "sequential:cdm"}, right)
        for case in data.cases:
            if not case.error:
                self.assertLess(case.counters["rel_error"], 1e-11, case.name)

    def test_other_products_in_diagonal_storage(self):
        self.bench("diagonal", "band:n=90,w=5", "diagonals:n=80,a=9,b=7,span=50", "--product", "ab,atb,abt,syrk,syr2k", "--algorithm",
                   "automatic,tiles:tile=4,tiles:tile=8,entries_by_case:threads=2,entries_by_case:threads=13", "--rivals", "--check",
                   "--json", self.json, *QUICK)
        data = results.read(self.json)
        self.assertIn("processor", data.context)
        for product in ("diagonal", "diagonal_atb", "diagonal_abt", "diagonal_syrk", "diagonal_syr2k"):
            right = {case.implementation for case in data.cases if not case.error and case.operation == product}
            self.assertLessEqual({"lacuna:automatic", "lacuna:automatic+cdm", "lacuna:tiles:tile=4+cdm", "lacuna:tiles:tile=8+cdm",
                                  "lacuna:entries_by_case:threads=2", "lacuna:entries_by_case:threads=13", "sequential:hm",
                                  "sequential:cdm"}, right, product)
        for case in data.cases:
            if not case.error:
                self.assertLess(case.counters["rel_error"], 1e-11, case.name)

    def test_mistakes(self):
        for arguments, said in (
            (("spmv", "nowhere.mtx"), "nowhere.mtx"),
            (("spmv", "mesh27:n=4", "--algorithm", "fastest"), "nonzero_split"),
            (("spmv", "--paper", "cant"), "19"),
            (("spmm", "mesh5:n=4", "--n", "0"), "--n 0"),
            (("spmm", "mesh5:n=4", "--precision", "fp8"), "bf16"),
            (("spmm", "mesh5:n=4", "--algorithm", "fastest"), "row_split"),
            (("spmm", "--paper", "cant"), "cant"),
            (("diagonal", "band:n=10"), "band:n=N,w=W"),
            (("diagonal", "diagonals:n=10,a=30,b=3"), "not so many diagonals"),
            (("diagonal", "band:n=10,w=2", "--algorithm", "fastest"), "strips"),
            (("diagonal", "band:n=10,w=2", "--algorithm", "tiles:threads=4"), "tiles:tile=T"),
            (("diagonal", "band:n=10,w=2", "--algorithm", "tiles:tile="), "tiles:tile=T"),
            (("diagonal", "band:n=10,w=2", "--product", "ba"), "syr2k"),
        ):
            with self.subTest(arguments):
                self.assertIn(said, self.bench(*arguments, *QUICK, status=2)[1])
        for arguments in (("spmv", "--scalar", "int"), ("fly",), ("spmv", "--no-such-option"), ()):
            with self.subTest(arguments):
                run = subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=60)
                self.assertNotEqual(0, run.returncode)
                self.assertTrue(run.stderr)


if __name__ == "__main__":
    BENCH, SCALARS = sys.argv.pop(1), sys.argv.pop(1).split(",")
    SHORT = [scalar for scalar in SCALARS if scalar.endswith("half")]
    SCALARS = [scalar for scalar in SCALARS if scalar not in SHORT]
    unittest.main()
