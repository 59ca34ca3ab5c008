#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Runs lacuna-bench as the ranks of a launcher would, whose variables are set by hand, and looks at what they make together.

    test_ranks.py <lacuna-bench> <a scalar that it was compiled for>
"""

import contextlib
import io
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts"))
import report  # noqa: E402
import results  # noqa: E402

BENCH = None
SCALAR = None
ALONE = {}
QUICK = ("--repeat", "3", "--copy-size", "0.01")
MATRICES = ("mesh27:n=6,b=3", "mesh5:n=30", "power:rows=3000,nnz=20000,longest=900", "banded:n=50,half=2",
            "empty_rows:n=500,per_row=5", "mesh7:n=9")
LAUNCHERS = {
    "Open MPI": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"),
    "PMI": ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"),
    "Slurm": ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"),
}


def names_of(path):
    return [case.name for case in results.read(path).cases]


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.json = self.folder / "results.json"
        self.ranks = self.folder / "results.json.ranks"

    def start(self, arguments, rank=0, size=1, launcher="Open MPI"):
        # A thread each: ranks share what processors there are, with each other and with other tests.
        environment = {"OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive", **os.environ}
        if size > 1:
            environment.update(zip(LAUNCHERS[launcher], map(str, (rank, size, rank))))
        process = subprocess.Popen([BENCH, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=environment)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def finish(self, process, status=0):
        out, err = process.communicate(timeout=120)
        self.assertEqual(status, process.returncode, out + err)
        return out, err

    def command(self, *more, matrices=MATRICES, seconds=0.001, json=None):
        return ("spmv", *matrices, "--scalar", SCALAR, "--algorithm", "automatic,row_split", "--rivals", "--check",
                "--min-time", seconds, *QUICK, "--json", json or self.json, *more)

    def run_ranks(self, size, *arguments, status=0, launcher="Open MPI"):
        """What rank 0 prints; the others print nothing to the standard output."""
        others = [self.start(arguments, rank, size, launcher) for rank in range(1, size)]
        said = self.finish(self.start(arguments, 0, size, launcher), status)
        for other in others:
            self.assertEqual("", self.finish(other, 2 if status == 2 else 0)[0])
        return said

    def alone(self, matrices=MATRICES):
        """The names that one process measures."""
        if matrices not in ALONE:
            path = self.folder / "alone.json"
            self.finish(self.start(self.command(matrices=matrices, json=path)))
            ALONE[matrices] = names_of(path)
        return ALONE[matrices]

    def context(self):
        return json.loads(self.json.read_text(encoding="utf-8"))["context"]

    def test_ranks_make_the_file_of_one_process(self):
        wanted = self.alone()
        for size, launcher in ((1, "Open MPI"), (2, "Slurm"), (4, "PMI"), (2, "Open MPI")):
            with self.subTest(size=size, launcher=launcher):
                out, err = self.run_ranks(size, *self.command(), launcher=launcher)
                self.assertEqual(wanted, names_of(self.json))
                self.assertFalse(self.ranks.exists())
                self.assertIn(f"{len(wanted)} cases, 0 of Lacuna's wrong", out)
                self.assertIn("lacuna:automatic against the best rival of this run", out)
                self.assertEqual(len(MATRICES), out.count("compulsory"))
                if size == 1:
                    self.assertNotIn("ranks", self.context())
                    continue
                self.assertIn(f"[{len(MATRICES)}/{len(MATRICES)}] spmv/", out)
                context = self.context()
                self.assertEqual(launcher, context["launcher"])
                self.assertEqual(list(range(size)), [rank["rank"] for rank in context["ranks"]])
                self.assertEqual(len(wanted), sum(rank["cases"] for rank in context["ranks"]))
                for entry in json.loads(self.json.read_text(encoding="utf-8"))["benchmarks"]:
                    self.assertIn(entry["rank"], range(size))
                    self.assertEqual("host-0", entry["host"])
                    self.assertTrue(entry["device"].startswith(("processors ", "gpu ")), entry["device"])
        if len(socket.gethostname()) > 3:
            self.assertNotIn(socket.gethostname(), self.json.read_text(encoding="utf-8"))

    def test_scripts_read_what_ranks_made(self):
        self.run_ranks(2, *self.command("--host-names"))
        self.assertIn(socket.gethostname(), {rank["host"] for rank in self.context()["ranks"]})
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(0, report.main([str(self.json), "--output", str(self.folder / "report")]) or 0)
        self.assertTrue(any((self.folder / "report").iterdir()))

    def test_more_ranks_than_tasks_and_what_they_share(self):
        out, err = self.run_ranks(4, *self.command(matrices=MATRICES[:1]))
        self.assertIn("4 ranks (Open MPI) on 1 host, 1 of 1 tasks to do", out)
        self.assertIn("ranks 0, 1, 2 and 3 share", err)
        self.assertEqual(1, len(self.context()["shared"]))
        self.assertEqual(self.alone(matrices=MATRICES[:1]), names_of(self.json))

    def test_columns_are_gone_on_with_one_by_one(self):
        command = ("spmm", *MATRICES[:2], "--scalar", SCALAR, "--n", "1,4,8", "--min-time", 0.001, *QUICK, "--json", self.json)
        self.run_ranks(2, *command)
        whole = names_of(self.json)
        self.assertEqual(6, len(whole))
        document = json.loads(self.json.read_text(encoding="utf-8"))
        document["benchmarks"] = [entry for entry in document["benchmarks"] if "/n=4/" not in entry["name"]]
        self.json.write_text(json.dumps(document), encoding="utf-8")
        out, _ = self.run_ranks(2, *command, "--resume")
        self.assertIn("2 of 2 tasks to do", out)
        self.assertEqual(sorted(whole), sorted(names_of(self.json)))
        entries = json.loads(self.json.read_text(encoding="utf-8"))["benchmarks"]
        self.assertEqual({2}, {entry["run"] for entry in entries if "/n=4/" in entry["name"]})
        self.assertEqual({1}, {entry["run"] for entry in entries if "/n=4/" not in entry["name"]})
        out, _ = self.finish(self.start((*command, "--resume")))  # nothing left, by one process
        self.assertIn("2 of 2 tasks were measured before", out)
        self.assertEqual(sorted(whole), sorted(names_of(self.json)))
        self.assertEqual(4, len(self.context()["ranks"]))

    def claims_of(self, rank):
        return [path for path in self.ranks.glob("*/claim.*") if path.read_text().strip() == str(rank)]

    def wait_for(self, what):
        end = time.monotonic() + 60
        while not what():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def test_a_rank_that_dies_is_left_behind_and_its_work_done_later(self):
        command = self.command(seconds=0.05)
        other = self.start(command, 1, 2)
        first = self.start(command, 0, 2)
        self.wait_for(lambda: self.claims_of(1))
        other.kill()
        other.wait()
        out, err = self.finish(first, 3)
        self.assertIn("rank 1 on", err)
        self.assertIn("ended before its work was done", err)
        self.assertIn("start it again with --resume", out)
        wanted, there = self.alone(), names_of(self.json)
        self.assertLess(set(there), set(wanted))
        missing = len(self.context()["missing"])
        self.assertGreater(missing, 0)
        kept = {case.name: case.seconds for case in results.read(self.json).cases}
        out, _ = self.run_ranks(4, *self.command("--resume", seconds=0.05))
        self.assertIn(f"{missing} of {len(MATRICES)} tasks to do", out)
        self.assertEqual(wanted, names_of(self.json))
        self.assertNotIn("missing", self.context())
        now = {case.name: case.seconds for case in results.read(self.json).cases}
        self.assertEqual(kept, {name: now[name] for name in kept})

    def cut_short(self):
        """What is left where rank 0 died while another rank was at work, which did the rest."""
        command = self.command(seconds=0.05)
        other = self.start(command, 1, 2)
        first = self.start(command, 0, 2)
        self.wait_for(lambda: self.claims_of(1) and self.claims_of(0))
        first.kill()
        first.wait()
        self.finish(other)
        self.assertTrue(list(self.ranks.glob("*/part.1")))

    def test_what_is_left_of_an_interrupted_run_is_put_together(self):
        self.cut_short()
        _, err = self.run_ranks(2, *self.command(seconds=0.05), status=2)
        self.assertEqual(1, err.count("say --resume"))
        _, err = self.finish(self.start(self.command(seconds=0.05)), 2)
        self.assertIn("say --resume", err)
        self.assertFalse(self.json.exists())
        out, _ = self.finish(self.start(self.command("--resume", seconds=0.05)))
        self.assertRegex(out, rf"[1-5] of {len(MATRICES)} tasks were measured before")
        self.assertEqual(set(self.alone()), set(names_of(self.json)))
        self.assertEqual([1], [rank["rank"] for rank in self.context()["ranks"]])
        self.assertFalse(self.ranks.exists())

    def test_parts_of_another_revision_or_command_are_refused(self):
        self.cut_short()
        _, err = self.run_ranks(2, *self.command("--beta", "1", "--resume", seconds=0.05), status=2)
        self.assertIn("settings was spmv", err)
        for part in self.ranks.glob("*/part.*"):
            document = json.loads(part.read_text(encoding="utf-8"))
            document["context"]["git_revision"] = "0123456789ab"
            part.write_text(json.dumps(document), encoding="utf-8")
        _, err = self.run_ranks(2, *self.command("--resume", seconds=0.05), status=2)
        self.assertIn("git_revision was 0123456789ab", err)
        self.assertFalse(self.json.exists())

    def test_a_rank_that_does_not_come_is_not_waited_for_too_long(self):
        out, err = self.finish(self.start(self.command("--patience", 2), 0, 2))
        self.assertIn("rank 1 did not come within 2.00 s", err)
        self.assertEqual(self.alone(), names_of(self.json))
        _, err = self.finish(self.start(self.command("--patience", 1), 1, 2), 2)
        self.assertIn("rank 0 did not answer within 1 s", err)

    def test_what_older_runs_left_in_the_folder_harms_nobody(self):
        self.ranks.mkdir()
        for rank in range(3):
            (self.ranks / f"hello.{rank}").write_text('{"key": "0123456789abcdef", "process": {}}')
        (self.ranks / "run").write_text("{")
        (self.ranks / "0123456789abcdef").mkdir()
        (self.ranks / "0123456789abcdef" / "claim.0").write_text("1")
        self.run_ranks(3, *self.command())
        self.assertEqual(self.alone(), names_of(self.json))
        self.assertFalse(self.ranks.exists())

    def test_a_bad_file_is_said_once(self):
        bad = self.folder / "bad.mtx"
        bad.write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 0.5\n")
        out, err = self.run_ranks(2, *self.command(matrices=(bad, *MATRICES[:2])), status=1)
        self.assertEqual(1, err.count("bad: "), err)
        self.assertEqual(2, out.count("compulsory"))
        self.assertEqual(1, len(self.context()["failures"]))
        self.assertNotIn("missing", self.context())

    def test_time_that_runs_out(self):
        out, _ = self.run_ranks(2, *self.command("--stop-after", 1e-9), status=3)
        self.assertIn("start it again with --resume", out)
        left = len(self.context()["missing"])
        self.assertGreater(left, 0)
        self.run_ranks(2, *self.command("--resume"))
        self.assertEqual(self.alone(), names_of(self.json))

    def test_mistakes_are_said_once(self):
        _, err = self.run_ranks(2, "spmv", "mesh5:n=4", "--scalar", SCALAR, *QUICK, status=2)
        self.assertIn("2 ranks need --json FILE", err)
        _, err = self.run_ranks(2, *self.command(matrices=("nowhere.mtx",)), status=2)
        self.assertEqual(1, err.count("nowhere.mtx: neither"))
        other = self.start(self.command(matrices=MATRICES[:1]), 1, 2)
        _, err = self.finish(self.start(self.command(matrices=MATRICES[1:2]), 0, 2), 2)
        self.assertIn("finds other matrices than rank 0", err)
        self.finish(other, 2)

    def test_every_rank_for_itself(self):
        other = self.start(("spmv", "mesh5:n=4", "--scalar", SCALAR, *QUICK, "--ranks", "none"), 1, 2)
        self.assertIn("compulsory", self.finish(other)[0])

    @unittest.skipUnless(shutil.which("mpiexec"), "no mpiexec here")
    def test_a_real_launcher(self):
        run = subprocess.run(["mpiexec", "-n", "2", BENCH, *map(str, self.command())], capture_output=True, text=True,
                             timeout=120)
        self.assertEqual(0, run.returncode, run.stdout + run.stderr)
        self.assertEqual(2, len(self.context()["ranks"]))
        self.assertEqual(self.alone(), names_of(self.json))


if __name__ == "__main__":
    BENCH, SCALAR = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
