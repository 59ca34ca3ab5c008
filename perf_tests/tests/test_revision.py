#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Which revision a build says that it is of: in a checkout, an archive, a copy.

    test_revision.py <cmake>
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "perf_tests" / "support" / "Bench_Revision.cmake"
CMAKE = "cmake"


def git(folder, *arguments):
    who = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True).stdout


@unittest.skipUnless(shutil.which("git"), "no git here")
class Revision(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.tree = self.folder / "checkout"
        (self.tree / "cmake").mkdir(parents=True)
        shutil.copy(ROOT / ".gitattributes", self.tree)
        # As the file is in a repository, also where this test runs in an archive.
        (self.tree / "cmake" / "revision.txt").write_text("$Format:%H$\n", encoding="utf-8")
        (self.tree / "code").write_text("1\n", encoding="utf-8")
        git(self.tree, "init", "-q")
        git(self.tree, "add", "-A")
        git(self.tree, "commit", "-q", "-m", "A commit")
        self.commit = git(self.tree, "rev-parse", "HEAD").decode().strip()[:12]

    def archive(self, name):
        target = self.folder / name
        target.mkdir(parents=True)
        subprocess.run(["tar", "x"], cwd=target, check=True, input=git(self.tree, "archive", "HEAD"))
        return target

    def revision(self, tree, stated=""):
        output = self.folder / "Bench_Revision.hpp"
        subprocess.run([CMAKE, f"-DSOURCE={tree}", f"-DSTATED={stated}", f"-DOUTPUT={output}", "-P", str(SCRIPT)], check=True,
                       capture_output=True)
        return tuple(re.findall(r'"(.*)"', output.read_text(encoding="utf-8")))

    def test_a_checkout_speaks_for_itself(self):
        self.assertEqual((self.commit, "false", "git"), self.revision(self.tree, "abcdef"))
        (self.tree / "code").write_text("2\n", encoding="utf-8")
        self.assertEqual((self.commit, "true", "git"), self.revision(self.tree))

    def test_an_archive_knows_its_commit(self):
        self.assertEqual((self.commit, "false", "archive"), self.revision(self.archive("archive"), "abcdef"))
        # The history around it is that of another project.
        self.assertEqual((self.commit, "false", "archive"), self.revision(self.archive("checkout/within")))

    def test_a_copy_is_what_it_is_said_to_be(self):
        copy = self.folder / "copy"
        shutil.copytree(self.tree, copy, ignore=shutil.ignore_patterns(".git"))
        self.assertEqual(("unknown", "unknown", "nobody"), self.revision(copy))
        self.assertEqual(("abcdef", "false", "LACUNA_REVISION"), self.revision(copy, "abcdef"))
        self.assertEqual(("v0.1.0-3-gabcdef", "true", "LACUNA_REVISION"), self.revision(copy, "v0.1.0-3-gabcdef-dirty"))
        self.assertEqual((self.commit, "false", "LACUNA_REVISION"), self.revision(copy, self.commit + 28 * "0"))
        # A worktree that was copied without the repository it belongs to.
        (copy / ".git").write_text("gitdir: /nowhere\n", encoding="utf-8")
        self.assertEqual(("abcdef", "false", "LACUNA_REVISION"), self.revision(copy, "abcdef"))

    def test_the_repository_has_what_archives_fill_in(self):
        self.assertIn("/cmake/revision.txt export-subst", (ROOT / ".gitattributes").read_text(encoding="utf-8"))
        self.assertRegex((ROOT / "cmake" / "revision.txt").read_text(encoding="utf-8"), r"^(\$Format:%H\$|[0-9a-f]{40})\n$")


if __name__ == "__main__":
    CMAKE = sys.argv.pop(1)
    unittest.main()
