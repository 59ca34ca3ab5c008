#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Runs `lacuna-bench engine` on small matrices, on one process and on two.

    test_engine.py <lacuna-bench> <whether this build has PETSc: 0 or 1> <mpiexec of that PETSc, or nothing>
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import efficiency  # noqa: E402
import results  # noqa: E402

# Read before the classes: what is skipped is decided there.
BENCH, HAS_PETSC, MPIEXEC = (*sys.argv[1:4], "", "", "")[:3]
HAS_PETSC = HAS_PETSC == "1"
OPERATIONS = {"matptap", "matptap-again", "matmult", "matmulttranspose", "matmatmult", "kspmatsolve-jacobi",
              "kspmatsolve-gamg"}


class Engine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.json = pathlib.Path(folder.name) / "results.json"

    def engine(self, *arguments, processes=1, status=0, **environment):
        start = [MPIEXEC, "-n", str(processes)] if processes > 1 else []
        run = subprocess.run([*start, BENCH, "engine", *map(str, arguments)], capture_output=True, text=True, timeout=300,
                             env={**os.environ, **environment})
        self.assertEqual(status, run.returncode, run.stdout + run.stderr)
        return run.stdout, run.stderr

    def measure(self, *arguments, **options):
        return self.engine("--n", "3", "--min-time", "0.001", "--repeat", "3", "--check", "--json", self.json, *arguments,
                           **options)

    def look_at(self, problems, ranks):
        data = results.read(self.json)
        self.assertEqual(OPERATIONS, {case.operation for case in data.cases})
        self.assertEqual(problems, {case.matrix for case in data.cases})
        self.assertLessEqual({"lacuna:automatic", "petsc:aij"}, {case.implementation for case in data.cases})
        for case in data.cases:
            self.assertEqual("", case.error, case.name)
            self.assertLess(case.counters["rel_error"], 1e-3, case.name)
            self.assertEqual(3 if case.operation.startswith(("matmatmult", "kspmatsolve")) else 0, case.columns)
            # Three columns, and more than one iteration of each.
            if case.operation.startswith("kspmatsolve"):
                self.assertGreater(case.counters["krylov_iterations"], 3, case.name)
                self.assertLess(case.counters["krylov_iterations"], 300, case.name)
        self.assertEqual(list(range(ranks)), [rank["rank"] for rank in data.context["ranks"]])
        self.assertTrue(data.context["petsc_version"])
        document = json.loads(self.json.read_text(encoding="utf-8"))
        self.assertEqual({ranks}, {entry["ranks"] for entry in document["benchmarks"]})
        self.assertNotIn(str(self.json), self.json.read_text(encoding="utf-8"))

    @unittest.skipUnless(HAS_PETSC, "no PETSc in this build")
    def test_one_process(self):
        out, _ = self.measure("mesh27:n=7", "elasticity:n=4")
        self.look_at({"mesh27:n=7", "elasticity:n=4"}, 1)
        self.assertIn("matptap-again, elasticity:n=4", out)

    @unittest.skipUnless(HAS_PETSC and MPIEXEC, "no PETSc with an mpiexec in this build")
    def test_two_processes(self):
        out, _ = self.measure("elasticity:n=5", "--type", "aijlacuna,aij", "--", "-mat_lacuna_expected_calls", "10",
                              processes=2)
        self.look_at({"elasticity:n=5"}, 2)
        self.assertEqual(1, out.count("matptap, elasticity:n=5"))
        settings = results.read(self.json).context["settings"]
        self.assertTrue(settings.endswith("--type aijlacuna,aij -- -mat_lacuna_expected_calls 10"), settings)

    @unittest.skipUnless(HAS_PETSC, "no PETSc in this build")
    def test_a_type_with_our_plans_in_it(self):
        self.measure("mesh27:n=5", "--type", "aij+plans,aijlacuna,aij")
        names = {case.implementation for case in results.read(self.json).cases}
        self.assertEqual({"lacuna:automatic", "lacuna:aijlacuna", "petsc:aij"}, names)

    @unittest.skipUnless(HAS_PETSC and MPIEXEC, "no PETSc with an mpiexec in this build")
    def test_chosen_operations_on_one_process_and_on_two(self):
        files = []
        for processes in (1, 2):
            files.append(self.json.with_name(f"{processes}.json"))
            out, _ = self.measure("mesh7:n=8", "--operation", "matmult", "--type", "aijlacuna,aij", processes=processes)
            self.json.rename(files[-1])
            cases = results.read(files[-1]).cases
            self.assertEqual(["lacuna:automatic", "petsc:aij"], [case.implementation for case in cases])
            self.assertEqual({("matmult", 512.0, 512.0 * 7 - 6 * 64)},
                             {(case.operation, case.counters["rows"], case.counters["nnz"]) for case in cases})
            entries = json.loads(files[-1].read_text(encoding="utf-8"))["benchmarks"]
            self.assertTrue(all(entry["assembly_ms"] > 0 for entry in entries))
            ours = [entry for entry in entries if "/lacuna:" in entry["name"]]
            self.assertEqual(processes == 1, all(entry.get("spmv_us", 0) > 0 for entry in ours))
            self.assertFalse(any("spmv_us" in entry for entry in entries if entry not in ours))
            self.assertEqual(processes == 1, "above lacuna::spmv" in out)
            self.assertNotIn("matptap", out)
        groups = efficiency.efficiencies(efficiency.read(files))
        self.assertEqual([("matmult", 0, "mesh7:n=8", "mesh7:n=8", 2, "strong")], list(groups))

    @unittest.skipUnless(HAS_PETSC, "no PETSc in this build")
    def test_mistakes(self):
        self.assertIn("matsolve", self.engine("--operation", "matsolve", status=105)[1])
        for arguments, said in ((("cube:n=4",), "neither mesh7"), (("mesh27:n=0",), "neither mesh7"),
                                (("mesh27:n=4x",), "neither mesh7")):
            with self.subTest(arguments):
                self.assertIn(said, self.engine(*arguments, status=2)[1])
        _, _ = self.measure("mesh27:n=4", "--type", "aijnobody,aij")
        cases = results.read(self.json).cases
        self.assertTrue(all("aijnobody" in case.error for case in cases if case.implementation == "petsc:aijnobody"))
        self.assertTrue(all(not case.error for case in cases if case.implementation == "petsc:aij"))

    @unittest.skipUnless(HAS_PETSC and MPIEXEC, "no PETSc with an mpiexec in this build")
    def test_processes_of_slurm(self):
        # srun without the protocol of PETSc's MPI: each process would be alone, and write the same file.
        slurm = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_LOCALID": "0"}
        _, err = self.measure("mesh7:n=4", "--operation", "matmult", status=2, **slurm)
        self.assertIn("Slurm started 2 processes, but for PETSc's MPI there is 1", err)
        self.assertFalse(self.json.exists())
        # With it, and the same of Slurm's variables in both: those of MPI's launcher count.
        self.measure("mesh7:n=4", "--operation", "matmult", processes=2, **slurm)
        self.assertEqual([0, 1], [rank["rank"] for rank in results.read(self.json).context["ranks"]])

    @unittest.skipIf(HAS_PETSC, "this build has PETSc")
    def test_a_build_without_petsc_says_so(self):
        self.assertIn("LACUNA_ENABLE_PETSC", self.engine(status=2)[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
