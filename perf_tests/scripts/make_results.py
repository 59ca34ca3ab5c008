#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Makes a folder of results at one clean revision, in one command that can be interrupted and started again.

    make_results.py build perf_tests/results/h200 [--matrices DIR] [--only NAME ...] [--stop-after SECONDS]

Runs every test program of the build, then compute-sanitizer over the list in results_list.json, then every table there,
one matrix at a time; matrices are found in --matrices, or else in LACUNA_MATRIX_DIR. Then the pages of the papers whose
tables are there (paper_pages.py). What ran stands in manifest.json: revision, command, exit code, seconds. A step that ran well at the same revision is not run again.

Exit status: 0 all ran and passed, 1 something failed, 2 not to be started like this, 3 --stop-after came first.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field

import paper_pages
import report
import results

LIST = pathlib.Path(__file__).parent / "results_list.json"
SANITIZER = "compute-sanitizer"
# Test programs have threads that do not wait busily, unless the caller says otherwise.
QUIET = {"OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive"}


class Refused(Exception):
    """Nothing was run; the message says why."""


@dataclass
class Step:
    """One command. `command` holds no path: programs by name, matrices by name, outputs relative to the folder."""

    name: str
    program: pathlib.Path
    command: list
    output: str
    limit: float = 3600
    defaults: dict = field(default_factory=dict)  # of the environment
    skipped: str = ""


@dataclass
class Build:
    """A build folder, and what lacuna-bench says of the revision and the machine that it was made for."""

    folder: pathlib.Path
    context: dict

    @property
    def bench(self):
        return self.folder / "perf_tests" / "lacuna-bench"

    @property
    def revision(self):
        return self.context["git_revision"]

    @property
    def space(self):
        return "cuda" if self.context.get("execution_space") == "Cuda" else "host"

    def programs(self):
        """Every test program, by name."""
        found = {}
        for path in [*self.folder.glob("unit_tests/**/test_*"), *self.folder.glob("perf_tests/tests/test_*")]:
            if path.is_file() and os.access(path, os.X_OK) and not path.suffix:
                found[path.name] = path
        return dict(sorted(found.items()))


def look_at(folder, output, allow_dirty):
    """The build, asked by a product of a moment. \\throws Refused where its revision is not a clean one."""
    bench = folder / "perf_tests" / "lacuna-bench"
    if not bench.is_file():
        raise Refused(f"{folder}: no perf_tests/lacuna-bench in it (LACUNA_ENABLE_PERF_TESTS)")
    said = output / "context.json"
    for scalar in ("double", "float"):  # whichever was compiled in
        run = subprocess.run([str(bench), "spmv", "mesh5:n=4", "--scalar", scalar, "--algorithm", "automatic", "--min-time",
                              "0.001", "--repeat", "1", "--copy-size", "0.01", "--json", str(said)],
                             capture_output=True, text=True)
        if run.returncode == 0:
            break
    else:
        raise Refused(f"lacuna-bench does not run here:\n{run.stdout}{run.stderr}")
    context = results.read(said).context
    said.unlink()
    if context.get("git_dirty") != "false" and not allow_dirty:
        raise Refused(f"lacuna-bench was built from revision {context.get('git_revision')} with changes "
                      f"(git_dirty {context.get('git_dirty')}): commit them and build again, or say --allow-dirty")
    return Build(folder, context)


class Manifest:
    """What ran, kept on disk after every step."""

    def __init__(self, folder):
        self.path = folder / "manifest.json"
        self.steps = {}
        if self.path.exists():
            self.steps = {step["name"]: step for step in json.loads(self.path.read_text(encoding="utf-8"))["steps"]}

    def is_done(self, step, revision):
        known = self.steps.get(step.name)
        return (known is not None and known["exit"] == 0 and known["revision"] == revision
                and known["command"] == step.command and (self.path.parent / step.output).exists())

    def note(self, step, revision, status, seconds, **more):
        self.steps[step.name] = {"name": step.name, "revision": revision, "command": step.command, "exit": status,
                                 "seconds": round(seconds, 1), "output": step.output, **more}
        self.write()

    def note_skipped(self, step, revision):
        self.steps[step.name] = {"name": step.name, "revision": revision, "command": step.command, "exit": None,
                                 "skipped": step.skipped}
        self.write()

    def write(self):
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps({"steps": list(self.steps.values())}, indent=1) + "\n", encoding="utf-8")
        part.replace(self.path)


def test_steps(build):
    return [Step(f"test/{name}", path, [name], f"logs/{name}.txt", defaults=QUIET)
            for name, path in build.programs().items()]


def sanitizer_steps(build, entries):
    """memcheck, racecheck and the like over single programs, where there are a tool and a device."""
    programs, tool = build.programs(), shutil.which(SANITIZER)
    missing = f"no {SANITIZER} here" if tool is None else "this build is not for CUDA" if build.space != "cuda" else ""
    steps = []
    for entry in entries:
        name, check, only = entry["program"], entry["tool"], entry.get("filter", "*")
        command = [SANITIZER, "--tool", check, "--error-exitcode", "9", name, f"--gtest_filter={only}"]
        step = Step(f"{check}/{name}/{only}", pathlib.Path(tool or SANITIZER), command,
                    f"logs/{check}-{name}-{re.sub('[^A-Za-z0-9]+', '_', only)}.txt", defaults=QUIET)
        step.skipped = missing or ("" if name in programs else "no such program in this build")
        steps.append(step)
    return steps


def matrices_of(table, folder):
    """The names that a table is made of: what it lists, and what the index holds from `index_least` nonzeros on; of
    `square` tables the square ones."""
    names = list(table.get("matrices", []))
    if "index_least" in table and folder is not None:
        with open(folder / "INDEX.tsv", encoding="utf-8", newline="") as stream:
            rows = csv.DictReader(stream, delimiter="\t")
            names += [row["name"] for row in rows
                      if int(row["nnz_full"]) >= table["index_least"] and row["field"] != "complex"
                      and (not table.get("square") or row["rows"] == row["cols"])]
    return names


def table_steps(build, tables, folder):
    """One step a matrix, or one for the table where it is marked `whole`: its terminal output is kept then."""
    steps = []
    for table in tables:
        if table.get("on", build.space) != build.space:
            continue
        name, arguments = table["name"], table["arguments"]
        if table.get("whole"):
            command = ["lacuna-bench", *arguments, "--json", f"{name}.json"]
            steps.append(Step(f"table/{name}", build.bench, command, f"{name}.json"))
            continue
        for matrix in matrices_of(table, folder):
            part = f"parts/{name}/{re.sub('[^A-Za-z0-9._-]+', '_', matrix)}.json"
            command = ["lacuna-bench", arguments[0], matrix, *arguments[1:], "--json", part]
            steps.append(Step(f"table/{name}/{matrix}", build.bench, command, part))
    return steps


def without_places(text, build, output):
    """Logs tell neither the machine nor its folders."""
    for place, word in ((build.folder.resolve(), "build"), (output.resolve(), "results"),
                        (pathlib.Path(__file__).resolve().parents[2], "lacuna"), (pathlib.Path.home(), "~")):
        text = text.replace(str(place), word)
    return text.replace(socket.gethostname(), "host")


def run_step(step, build, output):
    """(exit code, seconds, counts of tests). What is printed goes to a log, or to a text beside the JSON of a table."""
    arguments = step.command[1:]
    if step.program.name == SANITIZER:
        program = step.command[5]
        arguments = [str(build.programs()[program]) if word == program else word for word in arguments]
    (output / step.output).parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    try:
        run = subprocess.run([str(step.program.resolve()), *arguments], cwd=output, timeout=step.limit, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace",
                             env={**step.defaults, **os.environ})
        status, text = run.returncode, run.stdout
    except subprocess.TimeoutExpired:
        status, text = 124, f"stopped after {step.limit} s\n"
    seconds = time.monotonic() - start
    log = output / (step.output if step.output.startswith("logs/") else pathlib.Path(step.output).with_suffix(".txt"))
    log.write_text(without_places(text, build, output), encoding="utf-8")
    counts = {word.lower(): int(number) for word, number in re.findall(r"\[  (PASSED|FAILED|SKIPPED) +\] (\d+) test", text)}
    return status, seconds, {"tests": counts} if counts else {}


# What Google Benchmark writes of a case and no table reads: its name again, and its place in the run.
UNREAD = {"run_name", "run_type", "family_index", "per_family_instance_index", "repetition_index", "repetitions", "threads",
          "iterations", "cpu_time"}


def slim(case):
    """A case without what no table reads, and with 7 digits of its numbers: files stay below 2 MB."""
    return {key: float(f"{value:.7g}") if isinstance(value, float) else value for key, value in case.items() if key not in UNREAD}


def join_parts(table, names, output):
    """One file of the parts of a table, in their order. The parts are of one revision and device."""
    documents = [json.loads((output / name).read_text(encoding="utf-8")) for name in names]
    context = dict(documents[0]["context"])
    for document in documents[1:]:
        for key in ("git_revision", "git_dirty", "device", "execution_space", "threads"):
            if document["context"].get(key) != context.get(key):
                raise Refused(f"{table}: parts of different {key}: {context.get(key)}, {document['context'].get(key)}")
    cases = ",\n".join(json.dumps(slim(case), separators=(",", ":")) for document in documents for case in document["benchmarks"])  # a line each
    path = output / f"{table}.json"
    path.write_text(f'{{"context": {json.dumps(context, indent=1)},\n"benchmarks": [\n{cases}\n]}}\n', encoding="utf-8")
    return path


def write_tables(tables, steps, manifest, build, output, folder):
    """Joins and reports the tables that are complete. Those that are not are named."""
    index = ["--index", str(folder / "INDEX.tsv")] if folder is not None and (folder / "INDEX.tsv").exists() else []
    for table in tables:
        own = [step for step in steps if step.name.split("/")[:2] == ["table", table["name"]]]
        if not own:
            continue
        left = [step.name for step in own if not manifest.is_done(step, build.revision)]
        if left:
            print(f"{table['name']}: {len(left)} of {len(own)} commands have not run well, no table yet")
            continue
        path = output / f"{table['name']}.json"
        if not table.get("whole"):
            path = join_parts(table["name"], [step.output for step in own], output)
        folder_of_report = output / "reports" / table["name"]
        report.main([str(path), "--output", str(folder_of_report), *index])


def run_all(steps, manifest, build, output, deadline):
    """Runs what is not done yet. (failed, left) names."""
    failed, left = [], []
    for number, step in enumerate(steps, 1):
        place = f"[{number}/{len(steps)}] {step.name}"
        if step.skipped:
            print(f"{place}: skipped, {step.skipped}")
            manifest.note_skipped(step, build.revision)
        elif manifest.is_done(step, build.revision):
            print(f"{place}: done before")
        elif time.monotonic() > deadline:
            left.append(step.name)
        else:
            print(f"{place} ...", end="", flush=True)
            status, seconds, counts = run_step(step, build, output)
            print(f" exit {status}, {seconds:.1f} s", flush=True)
            manifest.note(step, build.revision, status, seconds, **counts)
            if status != 0:
                failed.append(step.name)
    return failed, left


def make(options):
    output = options.output
    output.mkdir(parents=True, exist_ok=True)
    build = look_at(options.build, output, options.allow_dirty)
    wanted = json.loads(options.list.read_text(encoding="utf-8"))
    if options.matrices is not None:
        os.environ["LACUNA_MATRIX_DIR"] = str(options.matrices)
    tables = table_steps(build, wanted["tables"], options.matrices)
    steps = test_steps(build) + sanitizer_steps(build, wanted["sanitizer"]) + tables
    if options.only:
        steps = [step for step in steps if any(step.name.startswith((start, f"table/{start}")) for start in options.only)]
    if options.dry_run:
        print("\n".join(" ".join(step.command) for step in steps))
        return 0
    manifest = Manifest(output)
    deadline = time.monotonic() + options.stop_after if options.stop_after else float("inf")
    failed, left = run_all(steps, manifest, build, output, deadline)
    write_tables(wanted["tables"], tables, manifest, build, output, options.matrices)
    paper_pages.write(output)
    for name in failed:
        print(f"FAILED: {name}")
    print(f"{len(steps)} steps at {build.revision}, {len(failed)} failed, {len(left)} left")
    return 1 if failed else 3 if left else 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder with test programs and lacuna-bench")
    parser.add_argument("output", type=pathlib.Path, help="folder of results")
    parser.add_argument("--matrices", type=pathlib.Path, default=os.environ.get("LACUNA_MATRIX_DIR"))
    parser.add_argument("--list", type=pathlib.Path, default=LIST, help="what to run (default: results_list.json)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="steps whose names start so: test/, spmv, table/spmv")
    parser.add_argument("--stop-after", type=float, metavar="SECONDS", help="start no step after so long")
    parser.add_argument("--allow-dirty", action="store_true", help="take a build with changes that are not committed")
    parser.add_argument("--dry-run", action="store_true", help="print the commands")
    options = parser.parse_args(arguments)
    options.matrices = pathlib.Path(options.matrices).resolve() if options.matrices else None
    try:
        return make(options)
    except (Refused, results.ResultError) as error:
        print(f"make_results.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
