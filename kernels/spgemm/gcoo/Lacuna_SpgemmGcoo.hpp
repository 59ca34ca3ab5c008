// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMGCOO_HPP
#define LACUNA_SPGEMMGCOO_HPP

#include <Lacuna_GcooMatrix.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_StableSort.hpp>
#include <formats/impl/gcoo/Lacuna_Convert_Gcoo.hpp>
#include <kernels/spgemm/gcoo/Lacuna_SpgemmGcooKernels.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

/// \file
/// \brief C = A B for A in groups of rows of GCOO, read as it stands, and sparse B, C in CSR: expand, sort, compress.
///
/// In a group the elements of A that share a column stand side by side, so a row of B is read once for all of them, as
/// Algorithm 2 of the paper reads an element of a dense B. Products are written to memory, sorted by column and by row
/// of C (stable: those of one sum keep the order of A's columns), and summed run by run.
///
/// Bound: bytes of memory. Each product is written once and moved once a digit of its column and of its row.

namespace lacuna::Impl {

template <class ExecutionSpace, class S, class O, class D, class F>
class SpgemmGcoo {
  using Crs      = typename GcooMatrix<S, O, D, F>::Crs;
  using Row      = std::int32_t;  ///< of a part, and the number of a product in it
  using Columns  = Kokkos::View<O*, D>;
  using Rows     = Kokkos::View<Row*, D>;
  using Values   = Kokkos::View<S*, D>;
  using Counts   = Kokkos::View<std::int64_t*, D>;
  using Expand   = ExpandGroups<S, O, F>;
  using Products = SortedProducts<S, O>;

  static constexpr const char* who = "spgemm";
  /// Products of a part at most, unless one group has more: 2 GiB of double and int.
  static constexpr std::int64_t most_products = std::int64_t{1} << 26;

 public:
  SpgemmGcoo(const ExecutionSpace& exec, const GcooMatrix<S, O, D, F>& A, const Crs& B, std::size_t memory_limit)
      : m_exec(exec), m_A(A), m_B(B), m_limit(memory_limit) {}

  /// Waits for the products of groups, then some times for each part.
  Crs product() {
    count_products();
    const auto rows = static_cast<std::int64_t>(m_A.numRows());
    m_counts        = allocate<Counts>(who, m_exec, "Lacuna::spgemm::gcoo_counts", rows);
    Kokkos::deep_copy(m_exec, m_counts, std::int64_t(0));
    for (std::int64_t first = 0; first < m_A.groups();) {
      const std::int64_t last = end_of_part(first);
      add_part(first, last);
      first = last;
    }
    return joined();
  }

 private:
  /// Rows of C that lie side by side: their nonzeros.
  struct Part {
    Columns columns;
    Values values;
  };

  /// While columns are sorted, or rows, whichever takes more.
  static constexpr std::size_t bytes_of_product =
      sizeof(S) + std::max(2 * sizeof(O) + 3 * sizeof(Row), sizeof(O) + 6 * sizeof(Row));

  void count_products() {
    const auto nonzeros = static_cast<std::int64_t>(m_A.nonzeros());
    m_starts            = allocate<Counts>(who, m_exec, "Lacuna::spgemm::gcoo_starts", nonzeros + 1);
    scan_lengths(m_exec, "Lacuna::spgemm::gcoo_starts", nonzeros, m_starts.data(),
                 LengthOfRowOfB<O, F>{m_A.cols.data(), m_B.graph.row_map.data()});
    const auto of_groups = allocate<Counts>(who, m_exec, "Lacuna::spgemm::gcoo_groups", m_A.groups() + 1);
    for_each_index(m_exec, "Lacuna::spgemm::gcoo_groups", m_A.groups() + 1,
                   StartOfGroup<F>{m_A.groups(), nonzeros, m_A.gIdxes.data(), m_starts.data(), of_groups.data()});
    m_first_of_group.resize(static_cast<std::size_t>(m_A.groups()) + 1);
    Kokkos::deep_copy(m_exec,
                      Kokkos::View<std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(m_first_of_group.data(),
                                                                                              m_first_of_group.size()),
                      of_groups);
    m_exec.fence("Lacuna::spgemm: the products of groups");
  }

  /// As many groups as memory is there for, one at least.
  std::int64_t end_of_part(std::int64_t first) const {
    const std::int64_t by_limit = static_cast<std::int64_t>(
        std::min<std::size_t>(m_limit / bytes_of_product, static_cast<std::size_t>(most_products)));
    const std::int64_t before = m_first_of_group[static_cast<std::size_t>(first)];
    const auto end = std::upper_bound(m_first_of_group.begin() + first + 1, m_first_of_group.end(), before + by_limit);
    const std::int64_t last = std::max<std::int64_t>(first + 1, end - m_first_of_group.begin() - 1);
    const std::int64_t all  = m_first_of_group[static_cast<std::size_t>(last)] - before;
    if (all > std::numeric_limits<Row>::max())
      raise<NotSupported>(who, "a group of ", m_A.group_size, " rows has ", all, " products, at most ",
                          std::numeric_limits<Row>::max(), " are served: use smaller groups, or to_crs");
    check_memory(who, static_cast<std::size_t>(all) * bytes_of_product, m_limit);
    return last;
  }

  void add_part(std::int64_t first, std::int64_t last) {
    const std::int64_t before = m_first_of_group[static_cast<std::size_t>(first)];
    const std::int64_t count  = m_first_of_group[static_cast<std::size_t>(last)] - before;
    if (count == 0) return;
    const std::int64_t first_row = first * m_A.group_size;
    const std::int64_t rows =
        std::min<std::int64_t>(last * m_A.group_size, static_cast<std::int64_t>(m_A.numRows())) - first_row;
    auto columns      = allocate<Columns>(who, m_exec, "Lacuna::spgemm::gcoo_columns", count);
    auto rows_of      = allocate<Rows>(who, m_exec, "Lacuna::spgemm::gcoo_rows", count);
    const auto values = allocate<Values>(who, m_exec, "Lacuna::spgemm::gcoo_values", count);
    launch_teams<Expand::threads>(m_exec, "Lacuna::spgemm::gcoo_expand", {last - first, Expand::threads}, 0,
                                  Expand{gcoo_arrays(m_A), arrays_of(m_B), m_starts.data(), first, before, first_row,
                                         columns.data(), rows_of.data(), values.data()});
    auto order = allocate<Rows>(who, m_exec, "Lacuna::spgemm::gcoo_order", count);
    stable_sort(who, m_exec, columns, order, static_cast<std::int64_t>(m_B.numCols()), true);
    auto sorted_rows = allocate<Rows>(who, m_exec, "Lacuna::spgemm::gcoo_sorted_rows", count);
    for_each_index(m_exec, "Lacuna::spgemm::gcoo_gather", count,
                   GatherRows{rows_of.data(), order.data(), sorted_rows.data()});
    auto positions = allocate<Rows>(who, m_exec, "Lacuna::spgemm::gcoo_places", count);
    stable_sort(who, m_exec, sorted_rows, positions, rows, true);
    compress(first_row, count, {columns.data(), sorted_rows.data(), order.data(), positions.data(), values.data()});
  }

  /// Sums runs of products of one row and column.
  void compress(std::int64_t first_row, std::int64_t count, const Products& products) {
    const auto heads    = allocate<Rows>(who, m_exec, "Lacuna::spgemm::gcoo_heads", count + 1);
    std::int64_t number = 0;
    Kokkos::parallel_scan("Lacuna::spgemm::gcoo_heads", index_range(m_exec, count + 1),
                          FindHeads<Products>{products, count, heads.data()}, number);
    m_parts.push_back({allocate<Columns>(who, m_exec, "Lacuna::spgemm::gcoo_part", number),
                       allocate<Values>(who, m_exec, "Lacuna::spgemm::gcoo_part", number)});
    for_each_index(m_exec, "Lacuna::spgemm::gcoo_sum", number,
                   SumRuns<Products>{products, heads.data(), m_parts.back().columns.data(),
                                     m_parts.back().values.data(), m_counts.data() + first_row});
    // The arrays of the part are freed by then.
    m_exec.fence("Lacuna::spgemm: a part of C");
  }

  Crs joined() {
    const auto C = new_crs<Crs>(who, m_exec, m_A.numRows(), m_B.numCols(), StoredLength<std::int64_t>{m_counts.data()});
    std::size_t begin = 0;
    for (const Part& part : m_parts) {
      const auto range = std::pair(begin, begin + part.columns.extent(0));
      Kokkos::deep_copy(m_exec, Kokkos::subview(C.entries, range), part.columns);
      Kokkos::deep_copy(m_exec, Kokkos::subview(C.values, range), part.values);
      begin = range.second;
    }
    m_exec.fence("Lacuna::spgemm: C is put together");
    return C.matrix("Lacuna::spgemm::C");
  }

  ExecutionSpace m_exec;
  const GcooMatrix<S, O, D, F>& m_A;
  const Crs& m_B;
  std::size_t m_limit;
  Counts m_starts, m_counts;
  std::vector<std::int64_t> m_first_of_group;
  std::vector<Part> m_parts;
};

}  // namespace lacuna::Impl

#endif
