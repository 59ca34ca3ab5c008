// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMFORMATS_HPP
#define LACUNA_SPGEMMFORMATS_HPP

#include <Lacuna_Convert.hpp>
#include <Lacuna_Spgemm.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/spgemm/gcoo/Lacuna_SpgemmGcoo.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

namespace lacuna {

namespace Impl {

/// \throws NotSupported where something is asked for that only products in CSR have
template <class Format>
void check_read_as_gcoo(const Format& A, const SpgemmOptions& options) {
  const bool serves = A.grouping == GcooGrouping::rows && options.op_a == Op::none && options.op_b == Op::none &&
                      options.keep_products != KeepProducts::yes;
  if (!serves)
    raise<NotSupported>("spgemm", "algorithm gcoo reads groups of rows as they stand: not groups of columns, no ",
                        "transposes, and no products that are kept");
}

template <class ExecutionSpace, class S, class O, class D, class F>
auto spgemm_of_gcoo(const ExecutionSpace& exec, const GcooMatrix<S, O, D, F>& A,
                    const typename GcooMatrix<S, O, D, F>::Crs& B, std::size_t memory_limit) {
  const auto region = [] { return std::string("Lacuna::spgemm[gcoo]"); };
  return in_region("spgemm", region, [&] {
    check_spgemm("spgemm", Op::none, A, Op::none, B);
    return SpgemmGcoo<ExecutionSpace, S, O, D, F>(exec, A, B, memory_limit).product();
  });
}

}  // namespace Impl

/// \brief op(A) op(B) for a B in CSR and an A in another format.
///
/// A is converted by `to_crs` in every call, and `memory_limit` bounds the plan, not the conversion: for many products,
/// and for most speed, convert A once and keep a `SpgemmPlan`.
///
/// `SpgemmAlgorithm::gcoo` multiplies a `GcooMatrix` with groups of rows as it stands: a row of B is read once for all
/// elements of a group in one column; products are written, sorted by row and column of C and added in the order of A's
/// columns. It needs some 40 bytes of memory a product, of as many groups at a time as `memory_limit` allows beside C
/// and its parts, and waits for `exec` once a digit of what is sorted; so `automatic` never takes it. The same bits on
/// every run. B may have rows that are not sorted, and entries that occur more than once.
/// \throws as for two matrices in CSR; of `gcoo` NotSupported too where a group has 2^31 products or more, where groups
/// are of columns, and where transposes or kept products are asked for
template <class ExecutionSpace, Impl::FormatType Format>
requires Kokkos::is_execution_space_v<ExecutionSpace>
auto spgemm(const ExecutionSpace& exec, const Format& A, const typename Format::Crs& B,
            const SpgemmOptions& options = {}) {
  if constexpr (Impl::GcooMatrixType<Format>)
    if (options.algorithm == SpgemmAlgorithm::gcoo) {
      Impl::check_read_as_gcoo(A, options);
      return Impl::spgemm_of_gcoo(exec, A, B, options.memory_limit);
    }
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
