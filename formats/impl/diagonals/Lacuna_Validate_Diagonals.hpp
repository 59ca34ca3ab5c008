// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_DIAGONALS_HPP
#define LACUNA_VALIDATE_DIAGONALS_HPP

#include <Lacuna_Convert.hpp>
#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <formats/impl/Lacuna_FormatDefects.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief The rules of HM and CDM: which diagonals there are, in which order, and where they begin.

namespace lacuna::Impl {

/// A small View on the host. Waits for `exec`.
template <class ExecutionSpace, class View>
std::vector<std::int64_t> numbers_of(const ExecutionSpace& exec, const View& view) {
  const auto findings = read_back(exec, "Lacuna::validate: lists of diagonals", view);
  return {findings.begin(), findings.end()};
}

template <class View>
bool is_same_list(const View& view, const std::vector<std::int64_t>& numbers) {
  if (view.extent(0) != numbers.size()) return false;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (static_cast<std::int64_t>(view(k)) != numbers[k]) return false;
  return true;
}

/// Counts the diagonals that `DiagDense` names.
template <class Offset>
struct CountNamed {
  const Offset* dense;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (static_cast<std::int64_t>(dense[k]) != -1) findings.add(0, k);
  }
};

/// Compares what it says of the stored ones.
template <class Ordinal, class Offset>
struct CheckNamed {
  const Ordinal* Ds;
  const Offset* starts;  // null: diagonals of `length`, one behind the other
  std::int64_t length;
  std::int64_t shift;
  const Offset* dense;
  FindingCounters findings;
  KOKKOS_FUNCTION void operator()(std::int64_t d) const {
    const std::int64_t start = starts != nullptr ? static_cast<std::int64_t>(starts[d]) : d * length;
    if (static_cast<std::int64_t>(dense[static_cast<std::int64_t>(Ds[d]) + shift]) != start) findings.add(1, d);
  }
};

/// `DiagDense` says of every diagonal where it begins, and of no other. The lists have been checked before.
template <class ExecutionSpace, class Format>
void check_dense(const ExecutionSpace& exec, const Format& matrix, const typename Format::Offset* starts,
                 std::int64_t length, std::int64_t shift, std::int64_t extent, Defects& defects) {
  using Offset  = typename Format::Offset;
  using Ordinal = typename Format::Ordinal;
  if (!has_extent("DiagDense", matrix.DiagDense, extent, defects)) return;
  const FindingStore<typename Format::Device> store("validate", exec, 2);
  for_each_index(exec, "Lacuna::validate::count_named", extent,
                 CountNamed<Offset>{matrix.DiagDense.data(), store.counters()});
  for_each_index(
      exec, "Lacuna::validate::check_named", matrix.dg(),
      CheckNamed<Ordinal, Offset>{matrix.Ds.data(), starts, length, shift, matrix.DiagDense.data(), store.counters()});
  const auto findings = store.read(exec);
  if (findings.count(0) != matrix.dg())
    defects.push_back("DiagDense names " + std::to_string(findings.count(0)) + " diagonals, not " +
                      std::to_string(matrix.dg()));
  if (findings.count(1) != 0)
    defects.push_back("DiagDense is wrong about " + std::to_string(findings.count(1)) +
                      " diagonals, the first of them at " + std::to_string(findings.first_row(1)));
}

/// Whether ascending offsets lie in [least, most], each once.
inline bool are_offsets(DiagonalList offsets, std::int64_t least, std::int64_t most, Defects& defects) {
  try {
    std::sort(offsets.begin(), offsets.end());
    check_offsets("validate", offsets, least, most);
    return true;
  } catch (const InvalidArgument& error) {
    defects.emplace_back(error.what());
    return false;
  }
}

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const HmMatrix<S, O, D, F>& hm, Defects& defects) {
  const auto m = static_cast<std::int64_t>(hm.rows), n = static_cast<std::int64_t>(hm.columns);
  if (!has_extent("StartDg", hm.StartDg, hm.dg(), defects)) return;
  const auto Ds = numbers_of(exec, hm.Ds), starts = numbers_of(exec, hm.StartDg);
  if (!is_same_list(hm.host_Ds, Ds)) defects.emplace_back("Ds and host_Ds differ");
  if (!are_offsets(Ds, 1 - m, n - 1, defects)) return;
  auto sorted = Ds;
  std::sort(sorted.begin(), sorted.end());
  if (hm_order(sorted) != Ds) defects.emplace_back("Ds is out of order");
  if (hm.symmetric && (m != n || sorted != with_opposites(sorted))) {
    defects.emplace_back("symmetric, but not square or with diagonals that have none across the main diagonal");
    return;
  }
  if (hm_order(sorted) != Ds) return;
  const DiagonalList expected = hm_starts(Ds, m, n, hm.symmetric);
  for (std::size_t d = 0; d < Ds.size(); ++d)
    if (starts[d] != expected[d]) {
      defects.push_back("diagonal " + std::to_string(Ds[d]) + " begins at " + std::to_string(starts[d]) + ", not at " +
                        std::to_string(expected[d]));
      return;
    }
  if (!has_extent("list", hm.list, expected.back(), defects)) return;
  if (hm.DiagDense.extent(0) == 0 && hm_dense_extent(m, n, static_cast<double>(expected.back())) == 0) return;
  check_dense(exec, hm, hm.StartDg.data(), 0, m - 1, m > 0 && n > 0 ? m + n - 1 : 0, defects);
}

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const CdmMatrix<S, O, D, F>& cdm, Defects& defects) {
  const auto n = static_cast<std::int64_t>(cdm.rows);
  if (cdm.rows != cdm.columns) {
    defects.push_back("compact diagonals of a matrix that is " + shape_text(cdm.rows, cdm.columns));
    return;
  }
  const auto Ds = numbers_of(exec, cdm.Ds);
  if (!is_same_list(cdm.host_Ds, Ds)) defects.emplace_back("Ds and host_Ds differ");
  if (!are_offsets(Ds, 0, n - 1, defects)) return;
  if (!std::is_sorted(Ds.begin(), Ds.end())) defects.emplace_back("Ds is out of order");
  if (!has_extent("list", cdm.list, cdm.dg() * n, defects)) return;
  check_dense(exec, cdm, static_cast<const F*>(nullptr), n, 0, n, defects);
}

}  // namespace lacuna::Impl

#endif
