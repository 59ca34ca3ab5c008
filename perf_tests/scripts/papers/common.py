# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""What the pages of all papers share: published numbers, runs, claims and their verdicts, tables."""

import json
import pathlib
import re
from dataclasses import dataclass

import results
import summary

PUBLISHED = pathlib.Path(__file__).resolve().parents[2] / "paper" / "published"
SURROGATE = "-surrogate"
HOLDS, PARTLY, FAILS, UNKNOWN = "holds", "partly", "does not hold today", "not measured"
GIVEN_UP = re.compile(r"given up: ([0-9.]+) (ns|us|ms|s) a call")
REACH = ("the matrices of the public collections are out of reach here: nothing but generators, surrogates and the files "
         "that a few packages carry")


def published(paper):
    """The numbers that stand in the paper, from perf_tests/paper/published."""
    return json.loads((PUBLISHED / f"{paper}.json").read_text(encoding="utf-8"))


def rows_of(table):
    """{name in the first column: {column: number}} of a published table."""
    return {row[0]: dict(zip(table["columns"][1:], row[1:])) for row in table["rows"]}


def plain(matrix):
    return matrix.removesuffix(SURROGATE)


def is_surrogate(matrix):
    return matrix.endswith(SURROGATE)


class Run:
    """One file of a folder of results."""

    def __init__(self, folder, name):
        self.name = name
        self.data = results.read(folder / f"{name}.json")
        self.problems = self.data.problems()

    @classmethod
    def of(cls, folder, name):
        """None where the folder has no such file."""
        return cls(folder, name) if (folder / f"{name}.json").exists() else None

    @property
    def device(self):
        return self.data.context.get("device", "?")

    def line(self, command):
        """Where the numbers come from; `command` is what every revision's command begins with."""
        context = self.data.context
        said = [self.device, f"revision {context.get('git_revision', '?')}", str(context.get("date", ""))[:10],
                *(f"{title} {context[key]}" for key, title in (("cusparse_version", "cuSPARSE"), ("kokkos_version", "Kokkos"))
                  if context.get(key))]
        return (f"- [{self.name}.json]({self.name}.json): `lacuna-bench {command}`, in full the entry `{self.name}` of "
                f"`results_list.json`; {', '.join(word for word in said if word)}.")

    def cases(self, **wanted):
        """{matrix: cases} of the problems with this scalar and number of columns."""
        return {matrix: cases for (_, matrix, scalar, columns), cases in self.problems.items()
                if wanted.get("scalar", scalar) == scalar and wanted.get("columns", columns) == columns}

    def given_up(self, implementation):
        """{problem: seconds of the few calls that were made} where `implementation` was given up as far too slow."""
        found = {}
        for case in self.data.cases:
            slow = GIVEN_UP.match(case.error)
            if slow and case.implementation == implementation:
                found[case.problem] = float(slow[1]) * results.SECONDS[slow[2]]
        return found


def rate(case):
    """GFLOP/s on the device, None of no case."""
    return case.counters["flops"] / case.device_seconds * 1e-9 if case is not None else None


def fastest(cases, start, without=()):
    """The fastest on the device of those whose names start so."""
    return min((case for name, case in cases.items()
                if name.startswith(start) and not any(word in name for word in without)),
               key=summary.device_seconds, default=None)


def best_rival(cases):
    return summary.best_rival(cases, summary.device_seconds)


def gain(cases, fast, slow):
    """How many times as fast `fast` is as `slow`, both names; None where one was not timed."""
    if fast not in cases or slow not in cases:
        return None
    return cases[slow].device_seconds / cases[fast].device_seconds


# ---- numbers ---------------------------------------------------------------------------------------------------------


def text(value, digits=2):
    return "-" if value is None else f"{value:,.{digits}f}"


def digits3(value):
    """Three digits that say something."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def small(value):
    """The same, with three digits that say something below 1 too: milliseconds of short calls."""
    return f"{value:.3g}" if value is not None and value < 1 else digits3(value)


def beside(ours, paper, form=digits3):
    """`ours (paper)`."""
    return f"{form(ours)} ({form(paper)})" if paper is not None else form(ours)


def quantile(values, q):
    """The q-quantile, between two values in proportion."""
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def ranks(values):
    """1 for the least; equal values share the mean of their places."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def correlation(xs, ys):
    """Pearson's; None of fewer than three, or where one of both is constant."""
    if len(xs) < 3:
        return None
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread_x, spread_y = sum((x - mean_x) ** 2 for x in xs), sum((y - mean_y) ** 2 for y in ys)
    if spread_x == 0 or spread_y == 0:
        return None
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / (spread_x * spread_y) ** 0.5


def rank_correlation(xs, ys):
    """Spearman's."""
    return correlation(ranks(xs), ranks(ys))


@dataclass
class Ratios:
    """Ratios of many problems: those that exist."""

    values: list

    def __post_init__(self):
        self.values = [value for value in self.values if value is not None]

    def __len__(self):
        return len(self.values)

    @property
    def wins(self):
        return sum(value > 1 for value in self.values)

    @property
    def mean(self):
        return results.geometric_mean(self.values) if self.values else None

    @property
    def share(self):
        return self.wins / len(self.values) if self.values else None

    def __str__(self):
        if not self.values:
            return "-"
        return (f"{self.mean:.2f} × ({digits3(min(self.values))} to {digits3(max(self.values))}), above 1 on {self.wins} of "
                f"{len(self.values)}")


# ---- claims ----------------------------------------------------------------------------------------------------------


@dataclass
class Claim:
    """One claim of a paper: in our words, its numbers, ours, whether it holds, and why not where that is known."""

    words: str
    paper: str
    here: str
    verdict: str
    why: str = ""

    def cells(self):
        return [self.words, self.paper, self.here, f"**{self.verdict}**", "" if self.verdict == HOLDS else self.why]


def judge(value, holds, partly):
    """`holds` from the one bound on, `partly` from the other on."""
    if value is None:
        return UNKNOWN
    return HOLDS if value >= holds else PARTLY if value >= partly else FAILS


def claim_table(claims):
    return table(["claim", "paper", "here", "verdict", "why, where known"], [claim.cells() for claim in claims], "lllll")


# ---- Markdown --------------------------------------------------------------------------------------------------------


def table(head, rows, sides):
    """Markdown lines; `sides` is a letter a column, l or r, the last one for all that follow."""
    sides = sides + sides[-1] * (len(head) - len(sides))
    rule = "|" + "|".join("---" if side == "l" else "--:" for side in sides) + "|"
    return ["| " + " | ".join(head) + " |", rule, *("| " + " | ".join(row) + " |" for row in rows)]


def section(title, *parts):
    """A heading, and paragraphs or lists of lines with a blank line between."""
    lines = ["", f"## {title}"]
    for part in parts:
        if part:
            lines += ["", *([part] if isinstance(part, str) else part)]
    return lines


def picture(folder, name, words):
    """A line that shows the picture, where the folder has it."""
    return [f"![{words}]({name})"] if (folder / name).exists() else []


def heading(paper, numbers, sources, words):
    """The first lines of a page."""
    year = f" ({numbers['year']})" if "year" in numbers else ""
    return [f"# {numbers['authors']}{year}: {words}", "",
            f"*{numbers['title']}*. Made by `paper_pages.py` from the published numbers "
            f"([{paper}.json](../../paper/published/{paper}.json)) and these files, whose results were all checked:", "",
            *sources]
