// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CONVERT_HM_HPP
#define LACUNA_CONVERT_HM_HPP

#include <Lacuna_HmMatrix.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <formats/impl/dia/Lacuna_Convert_Dia.hpp>

#include <utility>
#include <vector>

namespace lacuna::Impl {

/// Adds the nonzeros of a row to the diagonals, by one thread in the order of the CSR, so that sums of duplicates are
/// the same on every run.
template <class Scalar, class Ordinal, class Offset>
struct AddRowToHm {
  CrsArrays<Scalar, Ordinal, Offset> crs;
  const Ordinal* Ds;
  const Offset* starts;
  const Offset* dense;
  std::int64_t dg;
  Scalar* list;
  bool above;  ///< what is below the main diagonal is left out
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (Offset k = crs.row_map[i]; k < crs.row_map[i + 1]; ++k) {
      const auto j = static_cast<std::int64_t>(crs.entries[k]);
      if (above && j < i) continue;
      const std::int64_t from = hm_start(Ds, starts, dense, dg, static_cast<std::int64_t>(crs.rows), j - i);
      list[from + (i < j ? i : j)] += crs.values[k];
    }
  }
};

/// The elements of a row that are not 0, by ascending column. Only diagonals that meet the row are visited, so that all
/// rows together take as long as there are elements.
template <class Scalar, class Ordinal, class Offset>
struct HmRow {
  std::int64_t columns;
  std::int64_t dg;
  std::int64_t subdiagonals;
  const Ordinal* Ds;
  const Offset* starts;
  const Scalar* list;

  template <class Visit>
  KOKKOS_FUNCTION void visit(std::int64_t i, const Visit& visit) const {
    for (std::int64_t position = first_from(-i); position < dg; ++position) {
      const std::int64_t d = hm_ascending(position, dg, subdiagonals);
      const std::int64_t j = i + static_cast<std::int64_t>(Ds[d]);
      if (j >= columns) return;
      const Scalar value = list[static_cast<std::int64_t>(starts[d]) + (i < j ? i : j)];
      if (value != Scalar(0)) visit(j, value);
    }
  }
  /// The ascending position of the first diagonal of at least this offset.
  KOKKOS_FUNCTION std::int64_t first_from(std::int64_t offset) const {
    std::int64_t first = 0, last = dg;
    while (first < last) {
      const std::int64_t middle = first + (last - first) / 2;
      if (static_cast<std::int64_t>(Ds[hm_ascending(middle, dg, subdiagonals)]) < offset)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
  /// Their number.
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t count = 0;
    visit(i, CountVisits{count});
    return count;
  }
  struct CountVisits {
    std::int64_t& count;
    KOKKOS_FUNCTION void operator()(std::int64_t, const Scalar&) const { ++count; }
  };
};

/// Writes the elements that `row` visits.
template <class Row, class Scalar, class Ordinal, class Offset>
struct CrsRowFromVisits {
  Row row;
  const Offset* row_map;
  Ordinal* entries;
  Scalar* values;
  struct Write {
    Ordinal* entries;
    Scalar* values;
    Offset& k;
    KOKKOS_FUNCTION void operator()(std::int64_t column, const Scalar& value) const {
      entries[k] = static_cast<Ordinal>(column);
      values[k]  = value;
      ++k;
    }
  };
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Offset k = row_map[i];
    row.visit(i, Write{entries, values, k});
  }
};

/// CSR of the elements that `row` visits.
template <class Format, class ExecutionSpace, class Row>
typename Format::Crs crs_from_visits(const ExecutionSpace& exec, const Format& matrix, const Row& row) {
  const auto crs = new_crs<typename Format::Crs>("to_crs", exec, matrix.rows, matrix.columns, row);
  for_each_index(exec, "Lacuna::to_crs::fill", static_cast<std::int64_t>(matrix.rows),
                 CrsRowFromVisits<Row, typename Format::Scalar, typename Format::Ordinal, typename Format::Offset>{
                     row, crs.row_map.data(), crs.entries.data(), crs.values.data()});
  return crs.matrix("Lacuna::to_crs");
}

/// The offsets of the diagonals that hold a nonzero, ascending, on the host; none where there are more than `most`.
/// Waits for `exec`.
template <class Device, class ExecutionSpace, class Scalar, class Ordinal, class Offset>
DiagonalList stored_diagonals(const char* function, const ExecutionSpace& exec,
                              const CrsArrays<Scalar, Ordinal, Offset>& crs, std::size_t memory_limit,
                              std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  const auto offsets      = occupied_diagonals<Kokkos::View<Ordinal*, Device>>(function, exec, crs, memory_limit, most);
  const std::string label = std::string("Lacuna::") + function;
  const auto found        = read_back(exec, label + ": which diagonals there are", offsets);
  return DiagonalList(found.begin(), found.end());
}

template <class ExecutionSpace, class Scalar, class Ordinal, class Device, class Offset>
void fill_hm(const ExecutionSpace& exec, const std::string& label, const CrsArrays<Scalar, Ordinal, Offset>& crs,
             const HmMatrix<Scalar, Ordinal, Device, Offset>& hm) {
  Kokkos::deep_copy(exec, hm.list, Scalar(0));
  for_each_index(exec, label, static_cast<std::int64_t>(crs.rows),
                 AddRowToHm<Scalar, Ordinal, Offset>{crs, hm.Ds.data(), hm.StartDg.data(), hm_dense(hm), hm.dg(),
                                                     hm.list.data(), hm.symmetric});
}

/// Counts elements of the superdiagonals that differ from those across the main diagonal.
template <class Scalar>
struct CountAsymmetric {
  const Scalar* list;
  std::int64_t main;   ///< elements of the main diagonal
  std::int64_t above;  ///< and of all above it
  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& count) const {
    if (!(list[main + k] == list[main + above + k])) ++count;
  }
};

/// A matrix with all of its diagonals in pairs as one that is stored by half. Waits for `exec`.
/// \throws InvalidArgument where it is not symmetric.
template <class ExecutionSpace, class Hm>
Hm halved_hm(const char* function, const ExecutionSpace& exec, const Hm& whole, const DiagonalList& diagonals,
             std::size_t memory_limit) {
  const Hm half       = new_hm<Hm>(function, exec, whole.rows, whole.columns, diagonals,
                             static_cast<std::int64_t>(whole.stored_nonzeros), memory_limit, true);
  const auto elements = static_cast<std::int64_t>(half.list.extent(0));
  const auto above    = static_cast<std::int64_t>(whole.list.extent(0)) - elements;
  std::int64_t differ = 0;
  Kokkos::parallel_reduce(std::string("Lacuna::") + function + "::compare", index_range(exec, above),
                          CountAsymmetric<typename Hm::Scalar>{whole.list.data(), elements - above, above}, differ);
  if (differ > 0)
    raise<InvalidArgument>(function, "A is not symmetric: ", differ,
                           " elements differ from those across the main diagonal");
  Kokkos::deep_copy(exec, half.list,
                    Kokkos::subview(whole.list, std::pair<std::size_t, std::size_t>(0, half.list.extent(0))));
  return half;
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix>
FormatOf<HmMatrix, Matrix> hm_from_crs(const ExecutionSpace& exec, const Matrix& A, const HmOptions& options) {
  using Format   = FormatOf<HmMatrix, Matrix>;
  const auto crs = arrays_of(A);
  if (options.symmetric && crs.rows != crs.columns)
    raise<InvalidArgument>("to_hm", "A is ", shape_text(crs.rows, crs.columns), ", not symmetric");
  auto diagonals = stored_diagonals<typename Format::Device>("to_hm", exec, crs, options.memory_limit);
  if (options.symmetric) diagonals = with_opposites(std::move(diagonals));
  double elements = 0;
  for (const std::int64_t offset : diagonals)
    elements += static_cast<double>(diagonal_length(crs.rows, crs.columns, offset));
  if (options.memory_limit == unlimited)  // else the error tells the bytes
    check_fill("to_hm", static_cast<std::int64_t>(std::min(elements, 9e18)), static_cast<std::int64_t>(crs.nonzeros),
               options.fill_limit);
  const auto hm = new_hm<Format>("to_hm", exec, crs.rows, crs.columns, diagonals,
                                 static_cast<std::int64_t>(crs.nonzeros), options.memory_limit);
  fill_hm(exec, "Lacuna::to_hm::fill", crs, hm);
  if (!options.symmetric) return hm;
  const std::size_t left = options.memory_limit == unlimited ? unlimited : options.memory_limit - hm.bytes();
  return halved_hm("to_hm", exec, hm, diagonals, left);
}

template <ExecutionSpaceType ExecutionSpace, CrsMatrixType Matrix, class S, class O, class D, class F>
void refresh(const ExecutionSpace& exec, const Matrix& A, const HmMatrix<S, O, D, F>& hm) {
  fill_hm(exec, "Lacuna::update_values::hm", arrays_of(A), hm);
}

template <class S, class O, class D, class F>
std::int64_t subdiagonals_of(const HmMatrix<S, O, D, F>& hm) {
  const O* const first = hm.host_Ds.data();
  const O* const last  = first + hm.host_Ds.extent(0);
  return std::count_if(first, last, [](O offset) { return offset < 0; });
}

template <ExecutionSpaceType ExecutionSpace, class S, class O, class D, class F>
typename HmMatrix<S, O, D, F>::Crs crs_from(const ExecutionSpace& exec, const HmMatrix<S, O, D, F>& hm) {
  return crs_from_visits(exec, hm,
                         HmRow<S, O, F>{static_cast<std::int64_t>(hm.columns), hm.dg(), subdiagonals_of(hm),
                                        hm.Ds.data(), hm.StartDg.data(), hm.list.data()});
}

}  // namespace lacuna::Impl

#endif
