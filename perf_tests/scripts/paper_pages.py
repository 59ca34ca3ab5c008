#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Writes a page a paper into folders of results: what it claims, its tables beside ours, and whether it holds.

    paper_pages.py perf_tests/results/h100 perf_tests/results/h200     writes paper00X.md, and plots where there is matplotlib
    paper_pages.py perf_tests/results/h100 --check                     writes nothing, exits with 1 where a page is out of date

A page is made of the JSON of its folder alone, one card, and of the numbers that stand in the paper
(perf_tests/paper/published). A paper whose JSON is not there has no page.
"""

import argparse
import pathlib
import sys

import results
from papers import paper000, paper001, paper002, paper003, paper004

PAPERS = (paper000, paper001, paper002, paper003, paper004)


def draw(folder):
    """The names of the plots that were written, none where matplotlib is missing."""
    try:
        import matplotlib
    except ImportError:
        print("paper_pages.py: matplotlib is not installed, so plots stay as they are", file=sys.stderr)
        return []
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return [name for paper in PAPERS if (folder / f"{paper.NAME}.json").exists() for name in paper.draw(pyplot, folder)]


def warn_of_lone_files(folder):
    """What a page is made of beside its main file is on no page without that."""
    for paper in PAPERS:
        lone = sorted(path.name for path in folder.glob(f"{paper.NAME}-*.json"))
        if lone and not (folder / f"{paper.NAME}.json").exists():
            print(f"paper_pages.py: {', '.join(lone)}: on no page, for {folder / paper.NAME}.json is not there", file=sys.stderr)


def write(folder, check=False):
    """The names of the pages that are out of date; they are written unless `check` is asked for."""
    if not check:
        warn_of_lone_files(folder)
        draw(folder)
    old = []
    for paper in PAPERS:
        text, path = paper.page(folder), folder / f"{paper.NAME}.md"
        if text is None or path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        old.append(path.name)
        if not check:
            path.write_text(text, encoding="utf-8")
    return old


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path, help="folders of results, each of one card")
    parser.add_argument("--check", action="store_true", help="write nothing, tell what is out of date")
    options = parser.parse_args(arguments)
    status = 0
    for folder in options.folders:
        try:
            old = write(folder, options.check)
        except results.ResultError as error:
            print(f"paper_pages.py: {error}", file=sys.stderr)
            return 2
        for name in old:
            print(f"{folder / name} {'is out of date' if options.check else 'written'}")
        status |= bool(old and options.check)
    return status


if __name__ == "__main__":
    sys.exit(main())
