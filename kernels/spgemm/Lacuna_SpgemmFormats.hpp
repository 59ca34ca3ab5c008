// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMFORMATS_HPP
#define LACUNA_SPGEMMFORMATS_HPP

#include <Lacuna_Convert.hpp>
#include <Lacuna_Spgemm.hpp>

#include <Kokkos_Core.hpp>

namespace lacuna {

/// \brief op(A) op(B) for a B in CSR and an A in another format, such as GCOO. Converts A by `to_crs` in every call:
/// for many products, convert A once and keep a `SpgemmPlan`. `memory_limit` bounds the plan, not the conversion.
/// Everything else as for two matrices in CSR.
template <class ExecutionSpace, Impl::FormatType Format>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Format& A, const typename Format::Crs& B,
            const SpgemmOptions& options = {}) {
  return spgemm(exec, to_crs(exec, A), B, options);
}

/// \brief The same on the default instance, fenced before and after.
template <Impl::FormatType Format>
auto spgemm(const Format& A, const typename Format::Crs& B, const SpgemmOptions& options = {}) {
  return Impl::with_default_instance<typename Format::execution_space>(
      "spgemm", [&](const auto& exec) { return spgemm(exec, A, B, options); });
}

}  // namespace lacuna

#endif
