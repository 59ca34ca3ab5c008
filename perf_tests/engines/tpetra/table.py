#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Prints the results of time_tpetra as a table of Markdown: table.py FILE.json ..."""

import json
import sys


def rows_of(path):
    with open(path, encoding="utf-8") as file:
        run = json.load(file)
    for result in run["results"]:
        first = result["contenders"][0]
        for other in result["contenders"][1:]:
            yield (run["ranks"], run["unknowns"], run["flags"].strip(), result["what"], first["name"],
                   f"{1e3 * first['median_seconds']:.2f}", other["name"], f"{1e3 * other['median_seconds']:.2f}",
                   f"{first['median_seconds'] / other['median_seconds']:.2f}")


def main():
    print("| ranks | unknowns | flags | what | first | ms | other | ms | times as fast |")
    print("|---|---|---|---|---|---|---|---|---|")
    for path in sys.argv[1:]:
        for row in rows_of(path):
            print("| " + " | ".join(map(str, row)) + " |")


if __name__ == "__main__":
    main()
