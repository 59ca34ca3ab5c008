# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""What lacuna-bench writes, read back: used by report.py, tables.py and compare.py."""

import csv
import json
import math
from dataclasses import dataclass, field

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
COUNTERS = ("rows", "cols", "nnz", "flops", "bytes")
# Of the pattern, or of a solve; not every operation has them.
FACTS = (
    "rpc", "longest_row", "alpha", "alpha_32", "beta", "blocks", "products", "nnz_c", "krylov_iterations", "coalesced", "uncoalesced",
    "expected_us", "predicted_seconds", "launch_seconds", "term_packed", "term_gather", "term_scratch", "term_memory", "term_brick", "term_block")
TIMED_COUNTERS = ("setup_ms", "temporary_bytes", "persistent_bytes", "rel_error")


class ResultError(Exception):
    """A file that is not what lacuna-bench writes; the message says where."""


def is_generated(matrix):
    """Whether a name is a generator's spec (mesh27:n=30) or a surrogate's."""
    return ":" in matrix or matrix.endswith("-surrogate")


@dataclass
class Case:
    """One benchmark, its name taken apart: <op>/<matrix>/<scalar>[/n=<N>]/<implementation>."""

    operation: str
    matrix: str
    scalar: str
    columns: int
    implementation: str
    seconds: float
    counters: dict
    label: str = ""
    error: str = ""
    graph_seconds: float = 0  # of a short call in a CUDA graph; 0: not measured

    @property
    def problem(self):
        return (self.operation, self.matrix, self.scalar, self.columns)

    @property
    def name(self):
        columns = [f"n={self.columns}"] if self.columns else []
        return "/".join([self.operation, self.matrix, self.scalar, *columns, self.implementation])

    @property
    def ours(self):
        return self.implementation.startswith("lacuna:")

    @property
    def generated(self):
        return is_generated(self.matrix)

    @property
    def device_seconds(self):
        """What the device needs: the time in a graph where the host sets the pace, else that of calls."""
        return self.graph_seconds or self.seconds


@dataclass
class Results:
    context: dict
    cases: list = field(default_factory=list)

    def problems(self):
        """The timed cases of each problem, by implementation, in the order of the file."""
        groups = {}
        for case in self.cases:
            if not case.error:
                groups.setdefault(case.problem, {})[case.implementation] = case
        return groups

    @property
    def copy_bandwidth(self):
        return float(self.context.get("copy_bandwidth") or 0)


def _case(entry, place):
    def need(key, kind):
        if not isinstance(entry.get(key), kind):
            raise ResultError(f"{place}: {key} is missing or not a {kind}")
        return entry[key]

    parts = need("name", str).split("/")
    columns = 0
    if len(parts) == 5 and parts[3].startswith("n="):
        columns = int(parts.pop(3)[2:])
    if len(parts) != 4 or not all(parts):
        raise ResultError(f"{place}: the name {entry['name']!r} is not <op>/<matrix>/<scalar>[/n=<N>]/<implementation>")
    error = entry.get("error_message", "") or ("error" if entry.get("error_occurred") else "")
    counters = {key: float(need(key, (int, float))) for key in COUNTERS}
    counters.update({key: float(need(key, (int, float))) for key in FACTS if key in entry})
    if not error:
        counters.update({key: float(need(key, (int, float))) for key in TIMED_COUNTERS})
    unit = need("time_unit", str)
    if unit not in SECONDS:
        raise ResultError(f"{place}: unknown time unit {unit!r}")
    seconds = need("real_time", (int, float)) * SECONDS[unit]
    if not error and not (seconds > 0 and math.isfinite(seconds)):
        raise ResultError(f"{place}: real_time is not positive")
    return Case(parts[0], parts[1], parts[2], columns, parts[3], seconds, counters, entry.get("label", ""), error,
                entry.get("graph_us", 0) * 1e-6)


def read(path):
    """Reads and checks one file."""
    try:
        with open(path, encoding="utf-8") as stream:
            document = json.load(stream)
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: {error}") from error
    context = document.get("context") if isinstance(document, dict) else None
    if not isinstance(context, dict) or not isinstance(document.get("benchmarks"), list):
        raise ResultError(f"{path}: no context and benchmarks in it")
    for key in ("host_name", "executable"):
        if key in context:
            raise ResultError(f"{path}: the context holds {key}, which results must not")
    entries = document["benchmarks"]
    cases = [_case(entry, f"{path}: benchmark {i + 1}") for i, entry in enumerate(entries)]
    return Results(context, cases)


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def read_index(path):
    """{name of a matrix: what it may be used for} from the columns `name` and `use` of an INDEX.tsv."""
    try:
        with open(path, encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t"))
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: {error}") from error
    for column in ("name", "use"):
        if not rows or column not in rows[0]:
            raise ResultError(f"{path}: no column {column}")
    return {row["name"]: row["use"] or "" for row in rows}
