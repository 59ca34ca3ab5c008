// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTROWS_HPP
#define LACUNA_SPGEMMHOSTROWS_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/accumulate/Lacuna_SpgemmSearchRows.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostColumns.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostLookAhead.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostMarks.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPattern.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostPolicy.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostRanks.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostScratch.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostTable.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostTerms.hpp>

#include <algorithm>
#include <cstdint>

namespace lacuna::Impl {

/// Rows of C by host threads. A thread finds the columns of a row in a bitmap, then adds its products to a dense row
/// of sums, of which only the columns of the row are cleared and read. Where the window is too wide for that, columns
/// are counted by marks, if there is room for them; then few products are added in a table of columns, and more in C,
/// by a bitmap whose words are hashed where the window is wider still. Where columns may stand in any order, they are
/// listed as products come, by marks and tables. Threads take a few rows at a time in turns. A row is added in the
/// order of A: the same bits on every run, whichever way it took. The rows of an inode of A are added at once, each in
/// a lane of a vector.
/// Not `Numeric`: counts nonzeros and reads no values.
template <bool Numeric, class Operands>
struct SpgemmHostRows {
  using Arrays  = typename Operands::Arrays;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Scratch = SpgemmHostScratch<Operands>;
  using Dense   = typename Scratch::Dense;
  using Hashed  = typename Scratch::Hashed;
  using Ahead   = SpgemmHostLookAhead<Numeric, Arrays>;

  static constexpr std::int64_t rows_at_once = SpgemmHostPolicy::rows_at_once;

  Operands operands;
  SpgemmAddend<Arrays> addend;
  SpgemmHostAnalysis<Ordinal, Offset> analysis;
  Scratch scratch;
  SpgemmTarget<Scalar, Ordinal, Offset> target;
  SpgemmHostColumnList<Ordinal> list = {};       ///< where columns are listed while they are counted, or were
  const Ordinal* columns             = nullptr;  ///< of C, where they are known in its order

  void operator()(std::int64_t worker) const {
    const auto rows = static_cast<std::int64_t>(operands.A.rows);
    Windows windows{Dense(operands, addend, analysis, scratch.words, scratch.dense_window(worker)),
                    Hashed(operands, addend, analysis, scratch.slots, scratch.hashed_window(worker)),
                    scratch.sums(worker),
                    SpgemmHostMarks(scratch.marks(worker), scratch.marked * Dense::bits),
                    {},
                    {},
                    {},
                    {}};
    for (;;) {
      const auto first = static_cast<std::int64_t>(Kokkos::atomic_fetch_add(scratch.next, Counter(rows_at_once)));
      if (first >= rows) return;
      const std::int64_t last = first + rows_at_once < rows ? first + rows_at_once : rows;
      Ahead ahead(operands.A, operands.B, operands.A.row_map[first], operands.A.row_map[last]);
      for (std::int64_t row = first; row < last;) {
        if (analysis.looks_ahead) ahead.move_to(operands.A.row_map[row + 1]);
        if constexpr (Numeric)
          row += add(row, last, windows);
        else
          row += row > first && count_shifted(row, windows.part) ? 1 : count(row, last, windows);
      }
    }
  }

 private:
  /// What a thread works in.
  struct Windows {
    Dense dense;
    Hashed hashed;
    Scalar* sums;
    SpgemmHostMarks marks;
    SpgemmHostColumnPart<Ordinal> part;
    SpgemmHostTable<Ordinal> table;
    SpgemmHostRanks<Ordinal> ranks;
    Scalar sums_in_table[SpgemmHostRanks<Ordinal>::most];
  };

  SpgemmHostTerms<Operands> terms() const { return {operands, addend}; }

  bool is(std::int64_t row, unsigned char flag) const { return (analysis.flags[row] & flag) != 0; }

  std::int64_t inode_rows_from(std::int64_t row, std::int64_t last, std::int64_t most) const {
    std::int64_t inode_rows = 1;
    if (analysis.has_inodes)
      while (inode_rows < most && row + inode_rows < last && is(row + inode_rows, spgemm_host_repeats)) ++inode_rows;
    return inode_rows;
  }

  /// Whether the columns of a row are those of the row before, each one further. The thread has counted that row.
  bool count_shifted(std::int64_t row, SpgemmHostColumnPart<Ordinal>& part) const {
    if (!is(row, spgemm_host_shifts)) return false;
    const Ordinal nonzeros = target.counts[row - 1];
    if (list.columns != nullptr && has_sums(row)) {
      if (list.begin[row - 1] < 0) return false;
      const Ordinal* const before = list.columns + list.begin[row - 1];
      Ordinal* const to           = part.take(list, static_cast<std::int64_t>(nonzeros), 0);
      if (to != nullptr) {
        list.begin[row] = to - list.columns;
        std::transform(before, before + nonzeros, to, [](Ordinal column) { return static_cast<Ordinal>(column + 1); });
      }
    }
    target.counts[row] = nonzeros;
    return true;
  }

  std::int64_t count(std::int64_t row, std::int64_t last, Windows& windows) const {
    const std::int64_t inode_rows = inode_rows_from(row, last, rows_at_once);
    std::int64_t nonzeros         = 0;
    if constexpr (Operands::is_masked)
      if (find_by_search(row)) return 1;
    if (is_marked(row))
      nonzeros = count_by_marks(row, windows.marks);
    else if (is(row, spgemm_host_few))
      nonzeros = count_in_table(row, windows.table);
    else if (is(row, spgemm_host_hashed))
      nonzeros = count_in(row, inode_rows, windows.hashed, windows.part);
    else if (analysis.ranges[row].width() > 0 && !count_in_any_order(row, inode_rows, windows, nonzeros))
      nonzeros = count_in(row, inode_rows, windows.dense, windows.part);
    for (std::int64_t i = 0; i < inode_rows; ++i) target.counts[row + i] = static_cast<Ordinal>(nonzeros);
    return inode_rows;
  }

  /// Whether a row without sums is counted by marks: its columns are not listed.
  bool is_marked(std::int64_t row) const {
    if constexpr (Operands::is_masked) return false;
    return !has_sums(row) && host_words(analysis.ranges[row]) <= scratch.marked;
  }
  std::int64_t count_by_marks(std::int64_t row, SpgemmHostMarks& marks) const {
    marks.open(static_cast<std::int64_t>(analysis.ranges[row].first));
    std::int64_t nonzeros = 0;
    terms().for_each_pattern(
        row, [&](const Ordinal* columns, std::int64_t length) { nonzeros += marks.count(columns, length); });
    return nonzeros;
  }

  /// Lists the columns of `inode_rows` equal rows as they come; false where they are to be sorted, or that is no
  /// slower, or there is no room.
  bool count_in_any_order(std::int64_t row, std::int64_t inode_rows, Windows& windows, std::int64_t& nonzeros) const {
    const ColumnRange<Ordinal> range = analysis.ranges[row];
    const std::int64_t words         = host_words(range);
    if (!analysis.any_order || analysis.packed != nullptr || list.columns == nullptr ||
        words <= SpgemmHostPolicy::narrow || words > std::min(scratch.dense, scratch.marked))
      return false;
    const std::int64_t most = std::min<std::int64_t>(host_products(operands, addend, row), range.width());
    Ordinal* const to       = windows.part.take(list, most, 1);
    if (to == nullptr) return false;
    windows.marks.open(static_cast<std::int64_t>(range.first));
    terms().for_each_pattern(row, [&](const Ordinal* columns, std::int64_t length) {
      nonzeros = windows.marks.list(columns, length, to, nonzeros);
    });
    windows.part.give_back(most - nonzeros);
    std::fill_n(list.begin + row, inode_rows, to - list.columns);
    return true;
  }

  /// No generic lambda: nvcc compiles the branches of an `if constexpr` there that are none.
  template <class Pattern>
  std::int64_t count_in(std::int64_t row, std::int64_t inode_rows, Pattern& pattern,
                        SpgemmHostColumnPart<Ordinal>& part) const {
    if constexpr (Operands::is_masked && !Pattern::is_hashed) {
      if (operands.mask.complemented)
        pattern.set(row);
      else
        pattern.set_within(row);
    } else {
      pattern.set(row);
    }
    const std::int64_t nonzeros = pattern.size();
    if (!list_columns(row, inode_rows, nonzeros, pattern, part)) pattern.clear();
    return nonzeros;
  }

  /// Whether rows of C have a dense row of sums; only their columns are listed.
  bool has_sums(std::int64_t row) const { return host_words(analysis.ranges[row]) <= scratch.dense; }

  /// Takes the columns of `pattern`, which `rows` rows have, where there is room; else false.
  template <class Pattern>
  bool list_columns(std::int64_t row, std::int64_t rows, std::int64_t nonzeros, Pattern& pattern,
                    SpgemmHostColumnPart<Ordinal>& part) const {
    if (Pattern::is_hashed || list.columns == nullptr || !has_sums(row)) return false;
    Ordinal* const to = part.take(list, nonzeros, Pattern::list_slack);
    if (to == nullptr) return false;
    std::fill_n(list.begin + row, rows, to - list.columns);
    pattern.list(to);
    return true;
  }

  std::int64_t add(std::int64_t row, std::int64_t last, Windows& windows) const {
    if constexpr (Operands::is_masked)
      if (find_by_search(row)) return 1;
    if (is(row, spgemm_host_table)) {
      add_in_table(row, windows);
      return 1;
    }
    if (is(row, spgemm_host_hashed)) {
      add_by_rank(row, windows.hashed);
      return 1;
    }
    if constexpr (Operands::is_masked)
      if (add_within(row, windows)) return 1;
    const bool is_dense           = has_sums(row);
    const std::int64_t inode_rows = inode_rows_from(row, last, is_dense ? scratch.inode_rows : 1);
    if (analysis.ranges[row].width() == 0) return inode_rows;
    if (!is_dense)
      add_by_rank(row, windows.dense);
    else if (inode_rows == 1)
      add_inode<1>(row, 1, windows.dense, windows.sums);
    else if (inode_rows == 2)
      add_inode<2>(row, 2, windows.dense, windows.sums);
    else
      add_inode<4>(row, inode_rows, windows.dense, windows.sums);
    return inode_rows;
  }

  std::int64_t count_in_table(std::int64_t row, SpgemmHostTable<Ordinal>& table) const {
    table.open(host_products(operands, addend, row));
    terms().for_each_pattern(row, [&](const Ordinal* columns, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) table.number_of(columns[i]);
    });
    if constexpr (Operands::is_masked)
      return std::count_if(table.columns(), table.columns() + table.count(),
                           [&](Ordinal column) { return operands.mask.allows(static_cast<Ordinal>(row), column); });
    return table.count();
  }

  /// That come in a row: without a mask, those of C.
  std::int64_t most_columns(std::int64_t row) const {
    if constexpr (Operands::is_masked) return host_products(operands, addend, row);
    return static_cast<std::int64_t>(target.begin[row + 1] - target.begin[row]);
  }

  /// Each column has a sum, numbered as columns come: in C itself where it may stay there. The same bits as by dense
  /// sums: each starts from zero, in the order of A.
  void add_in_table(std::int64_t row, Windows& windows) const {
    SpgemmHostTable<Ordinal>& table = windows.table;
    const std::int64_t most         = most_columns(row);
    Ordinal* const entries          = target.entries + target.begin[row];
    Scalar* const values            = target.values + target.begin[row];
    Scalar* const sums              = analysis.any_order ? values : windows.sums_in_table;
    std::fill_n(sums, most, operands.zero());
    table.open(most);
    terms().for_each(row, [&](const Scalar& factor, const Arrays& X, Offset begin, Offset end, bool counts) {
      for (Offset x = begin; x < end; ++x) {
        const int number = table.number_of(X.entries[x]);
        if (counts) operands.add(sums[number], operands.product(factor, X.values[x]));
      }
    });
    if (analysis.any_order)
      std::copy_n(table.columns(), table.count(), entries);
    else
      write_sorted(row, windows, entries, values);
  }

  /// The columns of the table that the mask allows, and their sums.
  void write_sorted(std::int64_t row, Windows& windows, Ordinal* entries, Scalar* values) const {
    int count = windows.table.count();
    if constexpr (Operands::is_masked)
      count = windows.table.keep_if([&](Ordinal column, int from, int to) {
        windows.sums_in_table[to] = windows.sums_in_table[from];
        return operands.mask.allows(static_cast<Ordinal>(row), column);
      });
    windows.ranks.rank(analysis.ranges[row], windows.table.columns(), count);
    for (int i = 0; i < count; ++i) {
      entries[windows.ranks[i]] = windows.table.columns()[i];
      values[windows.ranks[i]]  = windows.sums_in_table[i];
    }
  }

  /// Adds in the row of C itself: the position of a product is the rank of its column.
  template <class Pattern>
  void add_by_rank(std::int64_t row, Pattern& pattern) const {
    Ordinal* const entries = target.entries + target.begin[row];
    Scalar* const values   = target.values + target.begin[row];
    pattern.set(row);
    const std::int64_t base = pattern.base();
    std::int64_t nonzeros   = 0;
    pattern.template take<true>(
        [&](std::int64_t column) { entries[nonzeros++] = static_cast<Ordinal>(column + base); });
    std::fill(values, values + nonzeros, operands.zero());
    terms().for_each(row, [&](const Scalar& factor, const Arrays& X, Offset begin, Offset end, bool counts) {
      for (Offset x = begin; counts && x < end; ++x) {
        const std::int64_t column = static_cast<std::int64_t>(X.entries[x]) - base;
        if constexpr (Operands::is_masked)
          if (!pattern.has(column)) continue;
        operands.add(values[pattern.rank(column)], operands.product(factor, X.values[x]));
      }
    });
    pattern.clear();
  }

  /// Sums of the columns of the mask alone, by their rank in the mask: one pass over the products. False where the mask
  /// is complemented, or longer than there are sums.
  bool add_within(std::int64_t row, Windows& windows) const {
    Dense& pattern            = windows.dense;
    Scalar* const sums        = windows.sums;
    const std::int64_t length = operands.mask.end(row) - operands.mask.begin(row);
    if (operands.mask.complemented || length > scratch.dense * Dense::bits) return false;
    if (analysis.ranges[row].width() == 0) return true;
    std::fill(sums, sums + pattern.admit(row), operands.zero());
    const std::int64_t base = pattern.base();
    terms().for_each(row, [&](const Scalar& factor, const Arrays& X, Offset begin, Offset end, bool counts) {
      for (Offset x = begin; x < end; ++x) {
        const std::int64_t rank = pattern.mark(static_cast<std::int64_t>(X.entries[x]) - base);
        if (counts && rank >= 0) operands.add(sums[rank], operands.product(factor, X.values[x]));
      }
    });
    Ordinal* entries = target.entries + target.begin[row];
    Scalar* values   = target.values + target.begin[row];
    pattern.take_marked([&](std::int64_t column, std::int64_t rank) {
      *entries++ = static_cast<Ordinal>(column + base);
      *values++  = sums[rank];
    });
    return true;
  }

  /// Those of a row with sums; nullptr where they have to be found.
  const Ordinal* known_columns(std::int64_t row) const {
    if (columns != nullptr) return columns + target.begin[row];
    return list.columns != nullptr && list.begin[row] >= 0 ? list.columns + list.begin[row] : nullptr;
  }

  /// Writes the columns of a row with sums and visits each; returns their number. `pattern` then has them if there is a
  /// mask.
  template <class Visit>
  std::int64_t write_columns(std::int64_t row, Ordinal* entries, Dense& pattern, const Visit& visit) const {
    if (const Ordinal* const known = known_columns(row)) {
      const auto nonzeros = static_cast<std::int64_t>(target.begin[row + 1] - target.begin[row]);
      for (std::int64_t i = 0; i < nonzeros; ++i) visit(static_cast<std::int64_t>(entries[i] = known[i]));
      return nonzeros;
    }
    pattern.set(row);
    const std::int64_t base = pattern.base();
    std::int64_t nonzeros   = 0;
    pattern.template take<Operands::is_masked>([&](std::int64_t column) {
      entries[nonzeros++] = static_cast<Ordinal>(column + base);
      visit(column + base);
    });
    return nonzeros;
  }

  template <int Lanes>
  void add_inode(std::int64_t row, std::int64_t inode_rows, Dense& pattern, Scalar* sums) const {
    Ordinal* const entries      = target.entries + target.begin[row];
    const std::int64_t base     = static_cast<std::int64_t>(analysis.ranges[row].first) / Dense::bits * Dense::bits;
    Scalar* const origin        = sums - base * Lanes;
    const Scalar zero           = operands.zero();
    const std::int64_t nonzeros = write_columns(row, entries, pattern, [&](std::int64_t column) {
      for (int l = 0; l < Lanes; ++l) origin[column * Lanes + l] = zero;
    });
    terms().template add_inode<Lanes>(row, inode_rows, origin, pattern);
    if constexpr (Operands::is_masked) pattern.clear();
    for (int l = 0; l < Lanes && l < inode_rows; ++l) {
      Scalar* const values = target.values + target.begin[row + l];
      for (std::int64_t i = 0; i < nonzeros; ++i) values[i] = origin[static_cast<std::int64_t>(entries[i]) * Lanes + l];
      if (l > 0) std::copy(entries, entries + nonzeros, target.entries + target.begin[row + l]);
    }
  }

  /// True where the row is computed by searching the columns of the mask in rows of B.
  bool find_by_search(std::int64_t row) const {
    const Arrays& A = operands.A;
    if (analysis.unsorted || analysis.has_duplicates || addend.is_there()) return false;
    if (analysis.ranges[row].width() == 0) return false;
    const auto factors = static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]);
    if (!operands.mask.searches(row, factors, host_products(operands, addend, row))) return false;
    const std::int64_t begin = operands.mask.begin(row);
    std::int64_t length      = 0;
    for (std::int64_t m = begin; m < operands.mask.end(row); ++m) {
      Ordinal column(0);
      Scalar sum{};
      if (!SpgemmSearchRows<Numeric, Operands>::find(operands, static_cast<Ordinal>(row), begin, m, column, sum))
        continue;
      if constexpr (Numeric) {
        const Offset to    = target.begin[row] + static_cast<Offset>(length);
        target.entries[to] = column;
        target.values[to]  = sum;
      }
      ++length;
    }
    if constexpr (!Numeric) target.counts[row] = static_cast<Ordinal>(length);
    return true;
  }
};

}  // namespace lacuna::Impl

#endif
