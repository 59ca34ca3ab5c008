#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Compares two runs of lacuna-bench.

    compare.py old.json new.json [--threshold 0.05] [--only lacuna:]

Prints every case whose time changed by more than the threshold. The exit status is 1 where a case got slower by more,
became wrong or skipped, or is missing; 2 where a file cannot be read.
"""

import argparse
import sys

import results


def compare(old, new, threshold, only):
    """The changes: (kind, name, text). Kinds: slower, faster, broken, missing, added."""
    before = {case.name: case for case in old.cases if case.implementation.startswith(only)}
    after = {case.name: case for case in new.cases if case.implementation.startswith(only)}
    changes, logarithms = [], []
    for name, was in before.items():
        now = after.get(name)
        if now is None:
            changes.append(("missing", name, ""))
        elif was.error:
            continue
        elif now.error:
            changes.append(("broken", name, now.error))
        else:
            ratio = now.seconds / was.seconds
            logarithms.append(ratio)
            text = f"{was.seconds * 1e6:.2f} us -> {now.seconds * 1e6:.2f} us, {100 * (ratio - 1):+.1f} %"
            if ratio > 1 + threshold:
                changes.append(("slower", name, text))
            elif ratio < 1 / (1 + threshold):
                changes.append(("faster", name, text))
    changes += [("added", name, "") for name in after if name not in before]
    return changes, results.geometric_mean(logarithms), len(logarithms)


def by_width(old, new, only):
    """{(operation, N): new times over old}, of the operations that have numbers of columns."""
    before = {case.name: case for case in old.cases if not case.error and case.implementation.startswith(only)}
    groups = {}
    for case in new.cases:
        if case.columns and not case.error and case.name in before:
            groups.setdefault((case.operation, case.columns), []).append(case.seconds / before[case.name].seconds)
    return groups


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--threshold", type=float, default=0.05, help="change of time that is not noise (0.05: 5 %%)")
    parser.add_argument("--only", default="", help="implementations whose name starts so")
    options = parser.parse_args(arguments)
    try:
        old, new = results.read(options.old), results.read(options.new)
    except results.ResultError as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2
    changes, mean, count = compare(old, new, options.threshold, options.only)
    for kind, name, text in changes:
        print(f"{kind:8} {name}  {text}".rstrip())
    if old.context.get("device") != new.context.get("device"):
        print(f"note: the devices differ: {old.context.get('device')}, {new.context.get('device')}")
    for (operation, columns), ratios in sorted(by_width(old, new, options.only).items()):
        print(f"{operation}, N = {columns}: {len(ratios)} cases, geometric mean {results.geometric_mean(ratios):.3f}")
    if count:
        print(f"{count} cases in both, new time over old: geometric mean {mean:.3f}")
    return 1 if any(kind in ("slower", "broken", "missing") for kind, _, _ in changes) else 0


if __name__ == "__main__":
    sys.exit(main())
