// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALFORMATS_HPP
#define LACUNA_DIAGONALFORMATS_HPP

#include <Lacuna_Convert.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

/// \file
/// \brief Makes HM and CDM matrices from a list of diagonals, and converts every format to HM, CDM and DIA.

namespace lacuna {

/// \brief Makes a matrix in HM with the given diagonals. All elements are 0: fill `list` as `HmMatrix` documents. Does
/// not fence.
///
/// \tparam Hm the result, an `HmMatrix`
/// \param[in] exec all work goes to this instance
/// \param[in] rows, columns the extents, from 0
/// \param[in] diagonals the offsets column - row, in any order
/// \param[in] options its `memory_limit` and `symmetric` count
/// \throws InvalidArgument where a diagonal occurs twice or lies outside of the matrix, or a symmetric matrix is not
///     square
/// \throws NotSupported where the offset type cannot count the elements
/// \throws OutOfMemory where `memory_limit` does not suffice or memory is exhausted
template <class Hm, Impl::ExecutionSpaceType ExecutionSpace>
Hm make_hm(const ExecutionSpace& exec, typename Hm::Ordinal rows, typename Hm::Ordinal columns,
           std::vector<std::int64_t> diagonals, const HmOptions& options = {}) {
  if (rows < 0 || columns < 0) Impl::raise<InvalidArgument>("make_hm", "extents ", Impl::shape_text(rows, columns));
  if (options.symmetric && rows != columns)
    Impl::raise<InvalidArgument>("make_hm", "a symmetric matrix of ", Impl::shape_text(rows, columns));
  std::sort(diagonals.begin(), diagonals.end());
  Impl::check_offsets("make_hm", diagonals, 1 - static_cast<std::int64_t>(rows),
                      static_cast<std::int64_t>(columns) - 1);
  if (options.symmetric) diagonals = Impl::with_opposites(std::move(diagonals));
  const Hm hm =
      Impl::new_hm<Hm>("make_hm", exec, rows, columns, diagonals, -1, options.memory_limit, options.symmetric);
  Kokkos::deep_copy(exec, hm.list, typename Hm::Scalar(0));
  return hm;
}

/// \brief Makes an n × n matrix in CDM with the given compact diagonals. All elements are 0. Does not fence.
///
/// \tparam Cdm the result, a `CdmMatrix`
/// \param[in] exec all work goes to this instance
/// \param[in] n the number of rows and columns, from 0
/// \param[in] diagonals indices of compact diagonals from 0 to n - 1, in any order
/// \param[in] options its `memory_limit` counts
/// \throws as `make_hm`
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

/// \brief Converts a matrix in any format to HM, by way of CSR: elements that are 0 are left out. `memory_limit` does
/// not count the CSR matrix. Fences.
/// \throws as `to_crs` and `to_hm` of CSR
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::FormatType Format>
HmOf<typename Format::Crs> to_hm(const ExecutionSpace& exec, const Format& matrix, const HmOptions& options = {}) {
  return to_hm(exec, to_crs(exec, matrix), options);
}

/// \brief Converts a matrix in any format to CDM, by way of CSR: elements that are 0 are left out. `memory_limit` does
/// not count the CSR matrix. Fences.
/// \throws as `to_crs` and `to_cdm` of CSR
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::FormatType Format>
CdmOf<typename Format::Crs> to_cdm(const ExecutionSpace& exec, const Format& matrix, const CdmOptions& options = {}) {
  return to_cdm(exec, to_crs(exec, matrix), options);
}

/// \brief Converts a matrix in any format to DIA, by way of CSR: elements that are 0 are left out. `memory_limit` does
/// not count the CSR matrix. Fences.
/// \throws as `to_crs` and `to_dia` of CSR
template <Impl::ExecutionSpaceType ExecutionSpace, Impl::FormatType Format>
DiaOf<typename Format::Crs> to_dia(const ExecutionSpace& exec, const Format& matrix, const DiaOptions& options = {}) {
  return to_dia(exec, to_crs(exec, matrix), options);
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::FormatType Format>
HmOf<typename Format::Crs> to_hm(const Format& matrix, const HmOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "to_hm", [&](const auto& exec) { return to_hm(exec, matrix, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::FormatType Format>
CdmOf<typename Format::Crs> to_cdm(const Format& matrix, const CdmOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "to_cdm", [&](const auto& exec) { return to_cdm(exec, matrix, options); });
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::FormatType Format>
DiaOf<typename Format::Crs> to_dia(const Format& matrix, const DiaOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "to_dia", [&](const auto& exec) { return to_dia(exec, matrix, options); });
}

}  // namespace lacuna

#endif
