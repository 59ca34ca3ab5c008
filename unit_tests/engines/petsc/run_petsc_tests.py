#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Runs PETSc's own tests with the type aijlacuna, and with PETSc's type beside it.

    run_petsc_tests.py --petsc <prefix> --library <liblacuna_petsc.so> --work <folder> [--output <page.md>] [FOLDER ...]

A test of PETSc is a program with the arguments and the number of processes that its source names (TEST blocks, read by
PETSc's own parser). Each runs twice: with MATAIJ, and with the library loaded and every MATAIJ made an aijlacuna. What
they print must be the same: text by text, numbers to a tolerance, names of types but for "lacuna". (Where it is not, the run
with MATAIJ is repeated: some programs do not print the same twice.) Folders are those below share/petsc/examples/src
(default: mat/tests, ksp/ksp/tutorials).
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

OURS = ["-mat_type", "aijlacuna", "-mat_seqaij_type", "seqaijlacuna"]
PLAIN = re.compile(r"(?:seq|mpi)?aij")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# What a program prints of its run, not of its result.
NOISE = re.compile(r"Kokkos::|For best performance|For unit testing|In general|MPI detected|^\s*$|oversubscrib|Detected:|Requested:"
                   r"|Configure options|at /|on a .* named|Using Petsc|^#|unused database option|WARNING! There are options|WARNING! could be|^Option left")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--petsc", type=pathlib.Path, required=True, help="where PETSc is installed")
    parser.add_argument("--library", type=pathlib.Path, required=True, help="liblacuna_petsc.so")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for programs")
    parser.add_argument("--output", type=pathlib.Path, help="page for the summary (Markdown)")
    parser.add_argument("--jobs", type=int, default=1, help="programs at once")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--tolerance", type=float, default=1e-5, help="of numbers, relative")
    parser.add_argument("--again", type=int, default=10,
                        help="runs of a program with MATAIJ, to see whether it prints the same, where ours prints other things")
    parser.add_argument("--most-processes", type=int, default=4, help="leave out tests of more")
    parser.add_argument("--only", default="", help="a part of the names of tests")
    parser.add_argument("folders", nargs="*", default=["mat/tests", "ksp/ksp/tutorials"])
    return parser.parse_args()


def configuration(petsc):
    """What PETSc was built with: names as in `requires`."""
    text = (petsc / "include" / "petscconf.h").read_text(encoding="utf-8")
    has = {name.lower() for name in re.findall(r"define PETSC_HAVE_(\w+)", text)}
    has |= {"double", "!complex", "!single", "!__float128", "!__fp16", "!cuda", "!hip", "!sycl", "!datafilespath"}
    has.add("defined(petsc_use_64bit_indices)" if "PETSC_USE_64BIT_INDICES" in text else "!defined(petsc_use_64bit_indices)")
    has.add("define(petsc_use_info)")
    return has


def is_served(requires, has):
    for word in requires.lower().split():
        bare = word.lstrip("!")
        known = word in has or (bare in has and not word.startswith("!"))
        if word.startswith("!") and not known:
            known = bare not in has and not bare.startswith("define")
        if not known and bare.startswith("defined("):
            known = bare[8:-1].replace("petsc_have_", "") in has
        if not known:
            return False
    return True


def loops(arguments):
    """{{a b}} stands for a run with each."""
    match = re.search(r"\{\{(.*?)\}\}(?:separate output|shared output)?", arguments)
    if not match:
        return [arguments]
    return [run for value in match[1].split()
            for run in loops(arguments[:match.start()] + value.strip("'\"") + arguments[match.end():])]


def tests_of(source, parse, has):
    """(name, processes, arguments) of the tests that this PETSc can run; how many it cannot."""
    runs, left_out = [], 0
    try:
        parsed = parse(str(source), 0)
    except Exception:  # of PETSc's parser, on a file without tests
        return [], 0
    for tests in parsed.values():
        build = tests.get("build", {}).get("requires", "")
        for name, test in tests.items():
            if name == "build" or not isinstance(test, dict):
                continue
            for part in [test.get(sub) for sub in test.get("subtests", [])] or [{}]:
                def value(key):
                    return (str(test.get(key, "")) + " " + str(part.get(key, ""))).strip()
                requires = " ".join((build, value("requires")))
                if "TODO" in test or "SKIP" in test or "command" in test or "${" in value("args") or not is_served(requires, has):
                    left_out += 1
                    continue
                for number, arguments in enumerate(loops(value("args"))):
                    for processes in loops(str(part.get("nsize") or test.get("nsize") or 1)):
                        if not processes.isdigit():
                            left_out += 1
                            continue
                        suffix = value("suffix")
                        runs.append((f"{source.stem} {suffix}".strip() + (f" ({number + 1})" if number else ""),
                                     int(processes), shlex.split(arguments)))
    return runs, left_out


def with_our_type(arguments):
    """The same run with our type; None where it asks for another."""
    ours, skip = [], False
    for at, word in enumerate(arguments):
        if skip:
            skip = False
            continue
        if re.fullmatch(r"-(?:\w+_)?mat_type|-(?:\w+_)?mat_seqaij_type|-mat_seqaij_type", word):
            kind = arguments[at + 1] if at + 1 < len(arguments) else ""
            if not PLAIN.fullmatch(kind):
                return None
            ours += [word, kind + "lacuna"]
            skip = True
        else:
            ours.append(word)
    return OURS + ours


class Runner:
    def __init__(self, options):
        self.options = options
        variables = subprocess.run(["pkg-config", "--variable=ccompiler", "petsc"], capture_output=True, text=True, check=True,
                                   env=self.pkg_config()).stdout.strip()
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "petsc"], capture_output=True, text=True, check=True,
                               env=self.pkg_config()).stdout.split()
        self.compile_command = [variables, "-O0", "-w"]
        self.flags = flags + [f"-Wl,-rpath,{options.petsc}/lib", "-lm"]
        self.mpiexec = subprocess.run(["pkg-config", "--variable=mpiexec", "petsc"], capture_output=True, text=True, check=True,
                                      env=self.pkg_config()).stdout.split()
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", OMP_PROC_BIND="false", MPIR_CVAR_CH4_PROGRESS_THROTTLE="1",
                                MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT="16", PETSC_OPTIONS="")

    def pkg_config(self):
        return dict(os.environ, PKG_CONFIG_PATH=f"{self.options.petsc}/lib/pkgconfig")

    def build(self, source):
        program = self.options.work / (source.parent.name + "_" + source.parent.parent.name) / source.stem
        program.parent.mkdir(parents=True, exist_ok=True)
        if program.exists():
            return program
        done = subprocess.run(self.compile_command + [str(source), "-o", str(program), f"-I{source.parent}"] + self.flags,
                              capture_output=True, check=False)
        return program if done.returncode == 0 else None

    def run(self, program, folder, processes, arguments):
        command = self.mpiexec + ["-n", str(processes), str(program)] + arguments
        try:
            done = subprocess.run(command, cwd=folder, env=self.environment, capture_output=True, text=True, errors="replace",
                                  stdin=subprocess.DEVNULL, timeout=self.options.timeout, check=False)
        except subprocess.TimeoutExpired:
            return None, "", "time is up"
        return done.returncode, done.stdout, done.stderr

    def compare(self, program, folder, processes, arguments):
        """One word and, where it failed, why."""
        ours = with_our_type(arguments)
        if ours is None:
            return "another type", "", False
        # Programs whose matrices are of another type unless told are told here, too.
        code, expected, errors = self.run(program, folder, processes, ["-mat_type", "aij"] + arguments)
        if code != 0:
            return "fails without us", (errors.strip().splitlines() or [""])[0], False
        ours = ["-dll_prepend", str(self.options.library)] + ours
        is_used = "lacuna::" in self.run(program, folder, processes, ours + ["-mat_lacuna_report"])[1]
        code, printed, errors = self.run(program, folder, processes, ours)
        if code != 0:
            lines = [line for line in errors.splitlines() if "PETSC ERROR" in line and "---" not in line]
            return "error", " ".join(line.split("PETSC ERROR:")[-1].strip() for line in lines[:2]) or f"exit status {code}", is_used
        difference = first_difference(expected, printed, self.options.tolerance)
        if not difference:
            return "same", "", is_used
        # Some print what depends on the order of messages.
        for _ in range(self.options.again):
            _, other, _ = self.run(program, folder, processes, ["-mat_type", "aij"] + arguments)
            if first_difference(expected, other, self.options.tolerance):
                return "varies without us", difference, is_used
        return "other output", difference, is_used


def first_difference(expected, printed, tolerance):
    def lines(text):
        return [line.replace("lacuna", "") for line in text.splitlines() if not NOISE.search(line)]

    left, right = lines(expected), lines(printed)
    # Processes print in any order.
    if len(left) == len(right) and sorted(left) == sorted(right):
        return ""
    for one, other in zip(left, right):
        if one == other:
            continue
        if NUMBER.sub("#", one).split() != NUMBER.sub("#", other).split():
            return f"'{one.strip()}' became '{other.strip()}'"
        for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)):
            if abs(float(a) - float(b)) > tolerance * max(abs(float(a)), abs(float(b))) + 1e-9:
                return f"'{one.strip()}' became '{other.strip()}'"
    return "" if len(left) == len(right) else f"{len(left)} lines became {len(right)}"


def page(results, left_out, options):
    words = ["same", "other output", "error", "another type", "fails without us", "varies without us"]
    lines = ["| folder | " + " | ".join(words) + " | of `same`, plans were used | not for this PETSc |",
             "|---" * (len(words) + 3) + "|"]
    for folder in options.folders:
        mine = [result for result in results if result[0] == folder]
        count = collections.Counter(result[3] for result in mine)
        used = sum(1 for result in mine if result[3] == "same" and result[5])
        lines.append(f"| `{folder}` | " + " | ".join(str(count[word]) for word in words) + f" | {used} | {left_out[folder]} |")
    processes = collections.Counter(result[2] for result in results if result[3] == "same")
    lines += ["", "Processes of those that are the same: " +
              ", ".join(f"{count} with {number}" for number, count in sorted(processes.items())) + ".", ""]
    failed = [result for result in results if result[3] in ("other output", "error")]
    if failed:
        lines += ["| test | processes | | |", "|---|---|---|---|"]
        lines += [f"| `{folder}` {name} | {count} | {word} | {why.replace('|', '/')[:200]} |"
                  for folder, name, count, word, why, _ in failed]
    return "\n".join(lines) + "\n"


def main():
    options = parse_arguments()
    options.petsc, options.library, options.work = (path.resolve() for path in (options.petsc, options.library, options.work))
    examples = options.petsc / "share" / "petsc" / "examples"
    os.environ.setdefault("PETSC_DIR", str(options.petsc))
    sys.path.insert(0, str(examples / "config"))
    sys.argv = sys.argv[:1]
    from testparse import parseTestFile  # PETSc's own
    has, runner = configuration(options.petsc), Runner(options)
    results, left_out, waiting = [], collections.Counter(), []

    def run_file(folder, source, runs):
        program = runner.build(source)
        if program is None:
            return [(folder, name, processes, "fails without us", "does not compile", False) for name, processes, _ in runs]
        return [(folder, name, processes) + runner.compare(program, source.parent, processes, arguments)
                for name, processes, arguments in runs]

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for folder in options.folders:
            for source in sorted((examples / "src" / folder).glob("*.c")):
                runs, cannot = tests_of(source, parseTestFile, has)
                left_out[folder] += cannot
                left_out[folder] += sum(1 for run in runs if run[1] > options.most_processes)
                runs = [run for run in runs if options.only in run[0] and run[1] <= options.most_processes]
                if runs:
                    waiting.append(pool.submit(run_file, folder, source, runs))
        for done in waiting:
            for result in done.result():
                results.append(result)
                print(f"{result[3]:17} {result[0]} {result[1]}, {result[2]} processes {result[4]}", flush=True)
    text = page(results, left_out, options)
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    return 1 if any(result[3] == "error" for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
