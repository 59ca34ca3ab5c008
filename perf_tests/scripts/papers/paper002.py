# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Lacuna authors
"""Baskaran and Bordawekar: SpMV from CSR, an optimisation at a time."""

from .common import (FAILS, HOLDS, PARTLY, REACH, UNKNOWN, Claim, Ratios, Run, beside, best_rival, claim_table, digits3, fastest,
                     gain, heading, is_surrogate, judge, picture, plain, published, rate, rows_of, section, table)

NAME, PICTURE = "paper002", "paper002-steps.png"
STEPS = (("naive", "naive"), ("thread mapping", "thread_mapped"), ("aligned", "aligned"), ("aligned, cached x", "cached"),
         ("rows padded to 16", "padded_rows"), ("blocks", "row_block"))
RIVALS = (("scan of a tree (CUDPP's)", "scan_flat"), ("scan by a matrix", "scan_matrix"), ("CSR, 32 lanes", "vector_csr"),
          ("ELL", "ell"), ("HYB", "hyb"), ("COO", "coo"), ("DIA", "dia"))
UNEVEN = ("rail4284", "lp_osa_60", "orani678")
TEAMS, LANES = (64, 128, 256, 512), (16, 32, 64)
COUNTED = (("naive", "naive"), ("thread mapping", "thread_mapped"), ("aligned", "aligned"))  # of table 1
BLOCK_ROWS, BLOCK_COLUMNS = (8, 16, 32, 64), (64, 256, 1024)
ORDERS = ("cached:order=by_length", "cached:order=by_columns", "row_block:order=by_length", "row_block:order=by_columns")
SPLITS = ("row_block:least=64", "row_block:least=512")


def ours(name):
    return f"lacuna:{name}"


class Matrix:
    """A matrix of table 2: its cases here, its numbers there."""

    def __init__(self, name, cases, paper):
        self.name, self.cases, self.paper = name, cases, paper

    def rate(self, algorithm):
        return rate(self.cases.get(ours(algorithm)))

    def gain(self, fast, slow):
        return gain(self.cases, ours(fast), ours(slow))

    def cell(self, algorithm, column=None):
        return beside(self.rate(algorithm), self.paper[column] if column else None)


def matrices_of(run, numbers):
    """Those of table 2, in its order."""
    timed = {plain(name): (name, cases) for name, cases in run.cases(scalar="float").items()}
    return [Matrix(*timed[name], paper) for name, paper in rows_of(numbers["table2"]).items() if name in timed]


def published_ratios(numbers, fast, slow):
    """Of table 2: one column over another."""
    return Ratios([row[fast] / row[slow] for row in rows_of(numbers["table2"]).values()])


def as_much(here, paper):
    """Whether nearly as many gain, and at least half as much as a power of the gain; partly where any gain is left."""
    if here.mean is None:
        return UNKNOWN
    if here.share >= 0.9 * paper.share and here.mean >= paper.mean ** 0.5:
        return HOLDS
    return PARTLY if here.share >= 0.5 and here.mean >= 0.995 else FAILS


def step_claims(found, numbers):
    mapped = Ratios([matrix.gain("thread_mapped", "naive") for matrix in found])
    aligned = Ratios([matrix.gain("aligned", "thread_mapped") for matrix in found])
    cached = Ratios([matrix.gain("cached", "aligned") for matrix in found])
    their_aligned = published_ratios(numbers, "aligned", "thread mapping")
    their_cached = published_ratios(numbers, "aligned cached", "aligned")
    padded = Ratios([matrix.gain("padded_rows", "aligned") for matrix in found])
    blocks = Ratios([matrix.gain("cached", "row_block") for matrix in found])
    return [
        Claim("16 threads a row beat a thread a row", "all that figure 2 shows", str(mapped),
              judge(mapped.share, 1, 0.8),
              "rows of four nonzeros (mc2depi) leave 12 of 16 lanes idle"),
        Claim("reading from aligned places on beats plain thread mapping", str(their_aligned), str(aligned),
              as_much(aligned, their_aligned),
              "the unaligned head is more work, and that reads straddle a segment costs nothing that shows"),
        Claim("x through the texture path beats x from global memory", str(their_cached), str(cached), as_much(cached, their_cached),
              "all reads go through the first-level cache today: there is no uncached path left to be slower"),
        Claim("rows padded to a multiple of 16 are as good as the aligned head", "said, no number",
              f"padded over aligned {padded}", UNKNOWN if padded.mean is None else HOLDS if 0.9 <= padded.mean <= 1.2 else PARTLY,
              "padding stores and reads more where rows are short"),
        Claim("blocks with x in shared memory lose to the cache on most", "figure 3, no number", f"cached over blocks {blocks}",
              judge(blocks.share, 0.75, 0.5)),
    ]


def over_vendor(matrix):
    """`cached` over the best of cuSPARSE."""
    best, ours_case = fastest(matrix.cases, "cusparse:"), matrix.cases.get(ours("cached"))
    return best.device_seconds / ours_case.device_seconds if best and ours_case else None


def vendor_claims(found, numbers):
    scans = [Ratios([matrix.gain("cached", scan) for matrix in found]) for scan in ("scan_flat", "scan_matrix")]
    vector = Ratios([matrix.gain("cached", "vector_csr") for matrix in found])
    their_vector = published_ratios(numbers, "aligned cached", "CSR cached")
    library, even = (Ratios([over_vendor(matrix) for matrix in found if plain(matrix.name) not in without])
                     for without in ((), UNEVEN))
    formats = [row["aligned cached"] / max(row["CSR cached"], row["HYB cached"]) for row in rows_of(numbers["table2"]).values()]
    within = [value for scan in scans for value in scan.values]
    claim = numbers["claims"]["over_scans"]
    return [
        Claim("2 to 8 times as fast as CUDPP and the segmented scan",
              "; ".join(f"{card} {low} to {high} ×" for card, (low, high) in claim.items()),
              f"tree {scans[0]}; matrix {scans[1]}",
              judge(sum(value >= 2 for value in within) / len(within) if within else None, 0.9, 0.3),
              "a scan cannot be slowed down by long rows: on rail4284 and lp_osa_60 it is far ahead of 16 lanes a row"),
        Claim("beats the vendor's CSR kernel (32 threads a row, x cached)", str(their_vector), str(vector),
              as_much(vector, their_vector), "alignment costs, and 32 lanes add up by shuffles, without shared memory"),
        Claim("on a par with the vendor's library (the better of CSR and HYB), or up to 35 % faster",
              f"table 2 itself: {sum(value >= 1 for value in formats)} of {len(formats)} ahead, {min(formats):.2f} to "
              f"{max(formats):.2f} ×", f"over the best of cuSPARSE {library}; without " + ", ".join(UNEVEN) + f" {even}",
              judge(library.share, 0.5, 0.25),
              "cuSPARSE is another library today; 16 lanes a row are slow where rows are long and where they are short"),
    ]


def shape_claims(found, numbers):
    def paper_ratio(matrix):
        return matrix.paper["aligned cached"] / matrix.paper["HYB cached"]

    uneven = [matrix for matrix in found if plain(matrix.name) in UNEVEN]
    short = [matrix for matrix in found if matrix.paper["nonzeros"] < numbers["claims"]["few_nonzeros"] * matrix.paper["rows"]]
    over_hyb = Ratios([matrix.gain("cached", "hyb") for matrix in uneven])
    below_hyb = Ratios([matrix.gain("hyb", "cached") for matrix in short])
    teams, large = (team_spread(found, sizes) for sizes in (TEAMS, TEAMS[1:]))
    theirs = [max(row[start:start + 4]) / min(row[start:start + 4]) for row in numbers["table4"]["rows"] for start in (1, 5)]
    lanes = [[matrix.rate(f"cached:lanes={count}") for count in LANES] for matrix in found]
    lanes = [rates for rates in lanes if None not in rates]
    best = sum(rates[0] == max(rates) for rates in lanes)
    return [
        Claim("HYB is poor where rows differ much in length (" + ", ".join(UNEVEN) + ")",
              ", ".join(f"{paper_ratio(matrix):.1f} ×" for matrix in uneven) + " over HYB", f"over HYB {over_hyb}",
              judge(over_hyb.share, 0.9, 0.5),
              "the COO part of HYB is a scan of even pieces here, which long rows do not slow; 16 lanes walk the longest row alone"),
        Claim("HYB is ahead where rows have fewer than 16 nonzeros",
              ", ".join(f"{plain(matrix.name)} {1 / paper_ratio(matrix):.2f} ×" for matrix in short), f"HYB over cached {below_hyb}",
              judge(below_hyb.share, 0.9, 0.5)),
        Claim("threads a block matter little (table 4)", f"best over worst to {max(theirs):.2f} ×",
              f"to {teams:.2f} ×; from 128 threads on to {large:.2f} ×" if teams else "-",
              UNKNOWN if teams is None else HOLDS if teams <= max(theirs) else PARTLY if large <= max(theirs) else FAILS,
              "why teams of 64 are slow on some is not known; from 128 threads on it holds"),
        Claim("16 threads a row are better than 32 and 64 (table 5)", f"{len(numbers['table5']['rows'])} of "
              f"{len(numbers['table5']['rows'])}", f"{best} of {len(lanes)}" if lanes else "-",
              judge(best / len(lanes) if lanes else None, 0.8, 0.5), "rows of 119 nonzeros (pdb1HYS) have work for 32"),
    ]


def team_spread(found, sizes):
    """The greatest ratio of the best to the worst of these sizes of teams, of any matrix."""
    spreads = []
    for matrix in found:
        for algorithm in ("aligned", "cached"):
            rates = [matrix.rate(f"{algorithm}:team={size}") for size in sizes]
            if None not in rates:
                spreads.append(max(rates) / min(rates))
    return max(spreads, default=None)


def steps_table(found):
    head = ["matrix", *(title for title, _ in STEPS), "automatic", "cuSPARSE, best", "Kokkos Kernels"]
    columns = {"thread_mapped": "thread mapping", "aligned": "aligned", "cached": "aligned cached"}
    rows = []
    for matrix in found:
        rows.append([matrix.name, *(matrix.cell(name, columns.get(name)) for _, name in STEPS),
                     digits3(matrix.rate("automatic")), digits3(rate(fastest(matrix.cases, "cusparse:"))),
                     digits3(rate(fastest(matrix.cases, "kokkos-kernels")))])
    return table(head, rows, "lr")


def rivals_table(found):
    head = ["matrix", "rows", "columns", "nonzeros", "aligned, cached x", *(title for title, _ in RIVALS),
            "CSR, 32 lanes, x not cached", "HYB, x not cached"]
    columns = {"vector_csr": "CSR cached", "hyb": "HYB cached"}
    rows = []
    for matrix in found:
        paper = matrix.paper
        rows.append([matrix.name, *(f"{paper[key]:,}" for key in ("rows", "columns", "nonzeros")),
                     matrix.cell("cached", "aligned cached"),
                     *(matrix.cell(name, columns.get(name)) for _, name in RIVALS),
                     matrix.cell("vector_csr:uncached", "CSR"), matrix.cell("hyb:uncached", "HYB")])
    return table(head, rows, "lr")


def mean_rows(found):
    """`cached` over each of the others, and what is best."""
    rows = []
    for title, name in (*STEPS, *RIVALS):
        if name != "cached":
            rows.append([title, f"`{name}`", str(Ratios([matrix.gain("cached", name) for matrix in found]))])
    own = Ratios([matrix.gain("automatic", "cached") for matrix in found])
    best = Ratios([rival.device_seconds / matrix.cases[ours("automatic")].device_seconds for matrix in found
                   if (rival := best_rival(matrix.cases)) and ours("automatic") in matrix.cases])
    lines = table(["over", "algorithm", "`cached`, geometric mean (least to most)"], rows, "lll")
    return lines + ["", f"Our own `automatic` over the published `cached`: {own}; over the best rival of the run: {best}."]


def tuning_table(found, published_table, names, heads):
    paper = rows_of(published_table)
    rows = []
    for matrix in found:
        if plain(matrix.name) in paper:
            values = list(paper[plain(matrix.name)].values())
            rows.append([matrix.name, *(beside(matrix.rate(name), value) for name, value in zip(names, values))])
    return table(["matrix", *heads], rows, "lr")


def counted_table(found, numbers):
    """Table 1: lines, none where the file has no counts."""
    paper = rows_of(numbers["table1"])
    rows = []
    for matrix in found:
        cases = [matrix.cases.get(ours(name)) for _, name in COUNTED]
        if plain(matrix.name) not in paper or not all(case and "coalesced" in case.counters for case in cases):
            continue
        theirs = paper[plain(matrix.name)]
        rows.append([matrix.name, *(f"{case.counters['coalesced']:,.0f} ({theirs[f'coalesced {title}']:,})"
                                    for (title, _), case in zip(COUNTED, cases)),
                     *(f"{case.counters['uncoalesced']:,.0f} ({theirs[f'other {title}']:,})" for (title, _), case in zip(COUNTED, cases))])
    if not rows:
        return []
    head = ["matrix", *(f"coalesced, {title}" for title, _ in COUNTED), *(f"other, {title}" for title, _ in COUNTED)]
    return section("Table 1: coalesced accesses", "By a model, not by counters: a GeForce 8800 GTX reads 16 words at once where thread k of a half "
                   "warp wants word k of one segment of 64 bytes, else word by word. Reads of the row map, columns, values and x of the whole "
                   "matrix are counted here as our kernels make them; the paper's profiler (in brackets) saw one part of the card. Compare "
                   "what is beside what.", table(head, rows, "lr"))


def future_sections(found):
    """Orders of rows, extracted blocks, sizes of blocks: lines, none where the file has none of them."""
    rows = []
    for matrix in found:
        values = [matrix.rate(name) for name in (*ORDERS, *SPLITS)]
        if any(values):
            rows.append([matrix.name, digits3(matrix.rate("cached")), *map(digits3, values[:2]), digits3(matrix.rate("row_block")),
                         *map(digits3, values[2:])])
    if not rows:
        return []
    head = ["matrix", "`cached`", "by length", "by columns", "`row_block`", "by length", "by columns", "blocks of 64 nonzeros, rest CSR", "of 512"]
    gains = ["- " + f"`{name}` over `{name.split(':')[0]}`: {Ratios([matrix.gain(name, name.split(':')[0]) for matrix in found])}."
             for name in (*ORDERS, *SPLITS)]
    lines = section("Its future work: rows in another order, dense blocks extracted", "GFLOP/s. By length: longest rows first; by columns: rows that "
                    "share columns side by side (square matrices; others keep their order).", table(head, rows, "lr"), gains)
    sizes = [(height, width) for height in BLOCK_ROWS for width in BLOCK_COLUMNS]
    rows, best = [], []
    for matrix in found:
        rates = [matrix.rate(f"row_block:rows={height}:columns={width}") for height, width in sizes]
        if None in rates:
            continue
        rows.append([matrix.name, *map(digits3, rates)])
        best.append(max(rates) / rates[sizes.index((16, 256))])
    if rows:
        lines += section("Its future work: sizes of blocks", table(["matrix", *(f"{height} × {width}" for height, width in sizes)], rows, "lr"),
                         f"The best size over 16 × 256: {Ratios(best)}.")
    return lines


def reversals(claims):
    """A paragraph that names what does not hold."""
    lost = [claim for claim in claims if claim.verdict == FAILS]
    if not lost:
        return ""
    return ("**What has turned round since 2009:** " + "; ".join(f"{claim.words}: {claim.here.split(', above')[0]}, since {claim.why}" if claim.why
                                                                  else f"{claim.words}: {claim.here.split(', above')[0]}" for claim in lost) + ".")


def disturbed(found):
    """A sentence on cases that differ much from the same kernel, timed under the name of its shape."""
    said = []
    for matrix in found:
        ratio = matrix.gain("cached:lanes=16", "cached")
        if ratio is not None and ratio > 1.3:
            said.append(f"`cached` on {matrix.name} took {ratio:.1f} times as long as the same kernel asked for as "
                        f"`cached:lanes=16` a moment later ({matrix.rate('cached:lanes=16'):.0f} GFLOP/s): that case was disturbed.")
    return " ".join(said)


def page(folder):
    """The Markdown of the folder's page, None where it has no results."""
    run = Run.of(folder, NAME)
    if run is None:
        return None
    numbers = published(NAME)
    found = matrices_of(run, numbers)
    surrogates = sum(is_surrogate(matrix.name) for matrix in found)
    lines = heading(NAME, numbers, [run.line("spmv --paper --rivals --check")],
                    f"SpMV from CSR, {surrogates} of {len(found)} matrices are surrogates")
    lines += ["", f"GFLOP/s in single precision on the device (in a CUDA graph where a call takes less than 20 µs); in brackets "
              f"the paper's, on a {numbers['card']}. A matrix with `-surrogate` in its name is generated: it has the rows, columns, "
              "nonzeros and kind of pattern of the paper's, not its entries, so compare what is beside what, not rate with rate."]
    note = disturbed(found)
    claims = step_claims(found, numbers) + vendor_claims(found, numbers) + shape_claims(found, numbers)
    lines += section("Claims", claim_table(claims), reversals(claims), note)
    counted, future = counted_table(found, numbers), future_sections(found)
    lines += counted
    lines += section("Figure 2: step by step", f"Of {len(found)} matrices {surrogates} are surrogates.", steps_table(found),
                     picture(folder, PICTURE, "gain of each step, paper and here"))
    lines += section("Table 2, figures 3 and 4: against others", f"Of {len(found)} matrices {surrogates} are surrogates. The scans, "
                     "CSR with 32 lanes, ELL, HYB, COO and DIA are our implementations of what the paper compared with; DIA and ELL "
                     "stand where they fit into memory.", rivals_table(found), mean_rows(found))
    lines += section("Table 4: threads a team", "Names tell which are surrogates.",
                     tuning_table(found, numbers["table4"], [f"{kind}:team={team}" for kind in ("aligned", "cached") for team in TEAMS],
                                  [f"{kind}, {team}" for kind in ("aligned", "cached") for team in TEAMS]))
    lines += section("Table 5: threads a row, cached x", "Names tell which are surrogates.",
                     tuning_table(found, numbers["table5"], [f"cached:lanes={count}" for count in LANES],
                                  [str(count) for count in LANES]))
    lines += future
    lines += section("What is not here", [
        "- Table 1's counters of a GeForce 8800 GTX" + (": a model stands for them." if counted else "; none were read here."),
        "- Figures 2 to 4 are pictures without numbers; what table 2 repeats of them is in brackets.",
        "- A fixed number of thread blocks (5.3): the paper tried and dropped it, without numbers; not built.",
        *([] if future else ["- Dense sub-blocks extracted, other sizes of blocks, rows in another order: built, not timed in this file; "
                             "`row_block` here has all nonzeros in blocks of 16 × 256."]),
        f"- Real files: {REACH}; of these {len(found)} there is "
        + (", ".join(matrix.name for matrix in found if not is_surrogate(matrix.name)) or "none") + "."])
    return "\n".join(lines) + "\n"


def draw(pyplot, folder):
    """Gain of each step over the one before, a point a matrix: theirs and ours."""
    run = Run.of(folder, NAME)
    if run is None:
        return []
    found = matrices_of(run, published(NAME))
    pairs = (("aligned over\nthread mapping", "aligned", "thread_mapped", "aligned", "thread mapping"),
             ("cached over\naligned", "cached", "aligned", "aligned cached", "aligned"),
             ("cached over\nCSR, 32 lanes", "cached", "vector_csr", "aligned cached", "CSR cached"),
             ("cached over\nHYB", "cached", "hyb", "aligned cached", "HYB cached"))
    figure, axes = pyplot.subplots(figsize=(7, 3.4))
    for place, (_, fast, slow, their_fast, their_slow) in enumerate(pairs):
        theirs = [matrix.paper[their_fast] / matrix.paper[their_slow] for matrix in found]
        here = Ratios([matrix.gain(fast, slow) for matrix in found]).values
        axes.scatter([place - 0.12] * len(theirs), theirs, c="#b04a4a", marker="x", s=18, label="paper, GTX 280" if not place else None)
        axes.scatter([place + 0.12] * len(here), here, c="#3b6ea8", s=14, label=run.device if not place else None)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xticks(range(len(pairs)), [pair[0] for pair in pairs], fontsize=8)
    axes.set_ylabel("times as fast")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / PICTURE, dpi=90)
    pyplot.close(figure)
    return [PICTURE]
