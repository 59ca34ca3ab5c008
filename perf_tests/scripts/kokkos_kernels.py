#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Runs the programs time_kokkos_kernels_* of a folder turn by turn, and prints how much faster each product is by ours.

    kokkos_kernels.py [--rounds N] [--seconds S] [--json FILE] FOLDER [MATRIX...]

Times are the least of the rounds' medians. Fails where a program fails, or two compute different products.
"""

import argparse
import json
import pathlib
import subprocess
import sys

OURS = "lacuna"
TOLERANCE = 1e-9


def run(program, seconds, matrices):
    done = subprocess.run([program, str(seconds), *matrices], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{program} failed:\n{done.stderr}")
    report = json.loads(done.stdout.splitlines()[-1])
    for matrix in report["matrices"]:  # results name no folders
        if pathlib.Path(matrix["matrix"]).exists():
            matrix["matrix"] = pathlib.Path(matrix["matrix"]).name
    return report


def rows_of(report):
    for matrix in report["matrices"]:
        for result in matrix["results"]:
            yield (matrix["matrix"], result["operation"]), result


def best_of(reports):
    """The least time of each product over the rounds of one program."""
    best = {}
    for report in reports:
        for key, result in rows_of(report):
            known = best.setdefault(key, dict(result))
            for time in ("seconds", "first_seconds"):
                known[time] = min(known[time], result[time])
    return best


def differences(best):
    """What two programs computed differently, a line each."""
    names = list(best)
    for key, result in best[names[0]].items():
        for name in names[1:]:
            other = best[name][key]
            if abs(other["checksum"] - result["checksum"]) > TOLERANCE * abs(result["checksum"]):
                yield f"{' '.join(key)}: {name} has {other['checksum']}, {names[0]} {result['checksum']}"


def table_of(best):
    rivals = [name for name in best if not name.endswith(OURS)]
    ours = [name for name in best if name.endswith(OURS)]
    yield "| matrix | product | " + " | ".join(f"{name}, µs" for name in best) + " | × best rival | first call |"
    yield "|---|---|" + "--:|" * (len(best) + 2)
    for key in best[ours[0]]:
        times = [best[name][key]["seconds"] for name in best]

        def gain(time):
            return min(best[name][key][time] for name in rivals) / min(best[name][key][time] for name in ours)

        yield (f"| {key[0]} | {key[1]} | " + " | ".join(f"{1e6 * time:.4g}" for time in times)
               + f" | {gain('seconds'):.2f} | {gain('first_seconds'):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("matrices", nargs="*", default=["mesh27:n=48"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each product and round")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    programs = sorted(path for path in arguments.folder.glob("time_kokkos_kernels_*") if path.is_file())
    if not any(path.name.endswith(OURS) for path in programs) or len(programs) < 2:
        raise SystemExit(f"{arguments.folder} has no programs to compare: build the target time_kokkos_kernels")
    reports = {path.name.removeprefix("time_kokkos_kernels_"): [] for path in programs}
    for _ in range(arguments.rounds):
        for path in programs:
            reports[path.name.removeprefix("time_kokkos_kernels_")].append(
                run(path, arguments.seconds, arguments.matrices))
    if arguments.json:
        arguments.json.write_text(json.dumps(reports, indent=1) + "\n", encoding="utf-8")
    best = {name: best_of(rounds) for name, rounds in reports.items()}
    print("\n".join(table_of(best)))
    wrong = list(differences(best))
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
