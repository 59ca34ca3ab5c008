// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALFORMATS_HPP
#define LACUNA_DIAGONALFORMATS_HPP

#include <Lacuna_Convert.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

/// \file
/// \brief HM and CDM from named diagonals; HM, CDM and DIA from each other and every other format.

namespace lacuna {

/// \brief A matrix in HM with these diagonals (column - row, in any order), all elements 0: fill `list` as the format
/// says. Does not fence.
/// \throws InvalidArgument where a diagonal is named twice or lies outside, OutOfMemory, NotSupported (elements beyond
/// the offset type).
template <class Hm, Impl::ExecutionSpaceType ExecutionSpace>
Hm make_hm(const ExecutionSpace& exec, typename Hm::Ordinal rows, typename Hm::Ordinal columns,
           std::vector<std::int64_t> diagonals, const HmOptions& options = {}) {
  if (rows < 0 || columns < 0) Impl::raise<InvalidArgument>("make_hm", "extents ", Impl::shape_text(rows, columns));
  std::sort(diagonals.begin(), diagonals.end());
  Impl::check_offsets("make_hm", diagonals, 1 - static_cast<std::int64_t>(rows),
                      static_cast<std::int64_t>(columns) - 1);
  const Hm hm = Impl::new_hm<Hm>("make_hm", exec, rows, columns, diagonals, -1, options.memory_limit);
  Kokkos::deep_copy(exec, hm.list, typename Hm::Scalar(0));
  return hm;
}

/// \brief A matrix in CDM with these compact diagonals (indices from 0 to n - 1, in any order), all elements 0. Does
/// not fence. \throws as `make_hm`.
template <class Cdm, Impl::ExecutionSpaceType ExecutionSpace>
Cdm make_cdm(const ExecutionSpace& exec, typename Cdm::Ordinal n, std::vector<std::int64_t> diagonals,
             const CdmOptions& options = {}) {
  if (n < 0) Impl::raise<InvalidArgument>("make_cdm", "extents ", Impl::shape_text(n, n));
  std::sort(diagonals.begin(), diagonals.end());
  Impl::check_offsets("make_cdm", diagonals, 0, static_cast<std::int64_t>(n) - 1);
  const Cdm cdm = Impl::new_cdm<Cdm>("make_cdm", exec, n, diagonals, -1, options.memory_limit);
  Kokkos::deep_copy(exec, cdm.list, typename Cdm::Scalar(0));
  return cdm;
}

/// \brief A matrix in any format in HM, CDM or DIA: through CSR, which `memory_limit` does not count, so elements that
/// are 0 do not come along. Fences.
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::FormatType Format>
auto to_hm(const ExecutionSpace& exec, const Format& matrix, const HmOptions& options = {}) {
  return to_hm(exec, to_crs(exec, matrix), options);
}
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::FormatType Format>
auto to_cdm(const ExecutionSpace& exec, const Format& matrix, const CdmOptions& options = {}) {
  return to_cdm(exec, to_crs(exec, matrix), options);
}
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::FormatType Format>
auto to_dia(const ExecutionSpace& exec, const Format& matrix, const DiaOptions& options = {}) {
  return to_dia(exec, to_crs(exec, matrix), options);
}

template <Impl::FormatType Format>
auto to_hm(const Format& matrix, const HmOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "to_hm", [&](const auto& exec) { return to_hm(exec, matrix, options); });
}
template <Impl::FormatType Format>
auto to_cdm(const Format& matrix, const CdmOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "to_cdm", [&](const auto& exec) { return to_cdm(exec, matrix, options); });
}
template <Impl::FormatType Format>
auto to_dia(const Format& matrix, const DiaOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "to_dia", [&](const auto& exec) { return to_dia(exec, matrix, options); });
}

}  // namespace lacuna

#endif
