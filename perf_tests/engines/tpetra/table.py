#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Prints runs of time_tpetra as a table of Markdown, a column each: table.py FILE.json ...

A cell is the time of Tpetra in ms, that of the other, and how many times as fast the other is."""

import json
import pathlib
import sys


def cells_of(run):
    for result in run["results"]:
        first = result["contenders"][0]
        for other in result["contenders"][1:]:
            before, after = 1e3 * first["median_seconds"], 1e3 * other["median_seconds"]
            what = f"{result['what']}: {other['name'].removeprefix('Tpetra, ')}"
            yield what, f"{before:.2f}, {after:.2f}: {before / after:.2f}"


def main():
    columns, rows = [], {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
        columns.append(f"`{pathlib.Path(path).stem}`")
        for what, cell in cells_of(run):
            rows.setdefault(what, []).append(cell)
    print("| | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for what, cells in rows.items():
        print(f"| {what} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
