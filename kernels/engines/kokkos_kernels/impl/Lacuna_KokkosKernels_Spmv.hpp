// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_SPMV_HPP
#define LACUNA_KOKKOSKERNELS_SPMV_HPP

// The first of all: it decides how headers of Kokkos Kernels are read.
#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_Vendors.hpp>

#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_HandlePlan.hpp>
#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_Types.hpp>

#include <KokkosSparse_spmv.hpp>

#include <string>
#include <type_traits>

/// \file
/// \brief Our SpMV and SpMM below `KokkosSparse::spmv`.

namespace lacuna::Impl {

/// The algorithms that read the values of A where A has them: a handle learns of new values from nobody.
using HandleSpmvOperation = SpmvOperationOf<AlgorithmList<SpmvNonzeroSplit, SpmvRowSplit>>;
using HandleSpmmOperation = SpmmOperationOf<AlgorithmList<SpmmRowSplit, SpmmRowBlocks>>;

/// Whether op(A) is A.
template <class Scalar>
bool is_plain_mode(const char mode[]) {
  return mode[0] == KokkosSparse::NoTranspose[0] || (!is_complex<Scalar> && mode[0] == KokkosSparse::Conjugate[0]);
}

/// `native()` where our kernels do not serve: they say so before any work.
template <class Scalar, class Product, class Native>
void multiply_or(const char mode[], const Product& product, const Native& native) {
  if (!is_plain_mode<Scalar>(mode)) return native();
  try {
    const Region region([] { return std::string("KokkosSparse::spmv[TPL_LACUNA]"); });
    product();
  } catch (const NotSupported&) {
    native();
  }
}

/// The plan in `slot` of the handle; nullptr where the handle is for one call, or the slot another library's.
template <class Plan, class ExecutionSpace, class Handle, class Matrix, class Options>
const Plan* plan_of(const ExecutionSpace& exec, const Handle& handle,
                    KokkosSparse::Impl::TPL_SpMV_Data<ExecutionSpace>*& slot, const Matrix& A, const Options& options) {
  return handle.get_algorithm() == KokkosSparse::SPMV_FAST_SETUP ? nullptr
                                                                 : plan_in_handle<Plan>(exec, slot, A, options);
}

/// y = alpha A x + beta y.
template <class ExecutionSpace, class Handle, class Matrix, class X, class Y>
void spmv_of_handle(const ExecutionSpace& exec, Handle& handle, const typename Y::non_const_value_type& alpha,
                    const Matrix& A, const X& x, const typename Y::non_const_value_type& beta, const Y& y) {
  using Plan       = SpmvPlan<Matrix, ExecutionSpace, HandleSpmvOperation>;
  const auto* plan = plan_of<Plan>(exec, handle, handle.tpl_rank1, A, SpmvOptions{.reads_values_of_A = true});
  if (plan != nullptr)
    spmv(exec, *plan, alpha, x, beta, y);
  else
    spmv(exec, alpha, A, x, beta, y);
}

/// The layout of B that a View type has.
template <class View>
constexpr DenseLayout layout_of_view() {
  if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>) return DenseLayout::column_major;
  if constexpr (std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>) return DenseLayout::row_major;
  return DenseLayout::any;
}

/// The same for multivectors.
template <class ExecutionSpace, class Handle, class Matrix, class X, class Y>
void spmm_of_handle(const ExecutionSpace& exec, Handle& handle, const typename Y::non_const_value_type& alpha,
                    const Matrix& A, const X& x, const typename Y::non_const_value_type& beta, const Y& y) {
  using Plan = SpmmPlan<Matrix, ExecutionSpace, HandleSpmmOperation>;
  if (x.extent(1) == 0) return;
  const SpmmOptions options{
      .columns = static_cast<std::int64_t>(x.extent(1)), .b_layout = layout_of_view<X>(), .reads_values_of_A = true};
  const auto* plan = plan_of<Plan>(exec, handle, handle.tpl_rank2, A, options);
  if (plan != nullptr)
    spmm(exec, *plan, alpha, x, beta, y);
  else
    spmm(exec, alpha, A, x, beta, y);
}

}  // namespace lacuna::Impl

namespace KokkosSparse::Impl {

template <class ExecutionSpace, class Handle, class AMatrix, class XVector, class YVector>
requires lacuna::Impl::SpmvWeStandInFor<ExecutionSpace, AMatrix, XVector, YVector>
struct spmv_tpl_spec_avail<ExecutionSpace, Handle, AMatrix, XVector, YVector> {
  enum : bool {
    value = !lacuna::Impl::library_has_all_kernels ||
            spmv_eti_spec_avail<ExecutionSpace, Handle, AMatrix, XVector, YVector>::value
  };
};

template <class ExecutionSpace, class Handle, class AMatrix, class XVector, class YVector>
requires lacuna::Impl::SpmvWeStandInFor<ExecutionSpace, AMatrix, XVector, YVector>
struct spmv_mv_tpl_spec_avail<ExecutionSpace, Handle, AMatrix, XVector, YVector, false> {
  enum : bool {
    value = !lacuna::Impl::library_has_all_kernels ||
            spmv_mv_eti_spec_avail<ExecutionSpace, Handle, AMatrix, XVector, YVector>::value
  };
};

template <class ExecutionSpace, class Handle, class AMatrix, class XVector, class YVector, bool eti_spec_avail>
requires lacuna::Impl::SpmvWeStandInFor<ExecutionSpace, AMatrix, XVector, YVector>
struct SPMV<ExecutionSpace, Handle, AMatrix, XVector, YVector, true, eti_spec_avail> {
  using coefficient_type = typename YVector::non_const_value_type;

  static void spmv(const ExecutionSpace& space, Handle* handle, const char mode[], const coefficient_type& alpha,
                   const AMatrix& A, const XVector& x, const coefficient_type& beta, const YVector& y) {
    using Native = SPMV<ExecutionSpace, Handle, AMatrix, XVector, YVector, false, eti_spec_avail>;
    lacuna::Impl::multiply_or<coefficient_type>(
        mode, [&] { lacuna::Impl::spmv_of_handle(space, *handle, alpha, A, x, beta, y); },
        [&] { Native::spmv(space, handle, mode, alpha, A, x, beta, y); });
  }
};

template <class ExecutionSpace, class Handle, class AMatrix, class XVector, class YVector, bool eti_spec_avail>
requires lacuna::Impl::SpmvWeStandInFor<ExecutionSpace, AMatrix, XVector, YVector>
struct SPMV_MV<ExecutionSpace, Handle, AMatrix, XVector, YVector, false, true, eti_spec_avail> {
  using coefficient_type = typename YVector::non_const_value_type;

  static void spmv_mv(const ExecutionSpace& space, Handle* handle, const char mode[], const coefficient_type& alpha,
                      const AMatrix& A, const XVector& x, const coefficient_type& beta, const YVector& y) {
    using Native = SPMV_MV<ExecutionSpace, Handle, AMatrix, XVector, YVector, false, false, eti_spec_avail>;
    lacuna::Impl::multiply_or<coefficient_type>(
        mode, [&] { lacuna::Impl::spmm_of_handle(space, *handle, alpha, A, x, beta, y); },
        [&] { Native::spmv_mv(space, handle, mode, alpha, A, x, beta, y); });
  }
};

}  // namespace KokkosSparse::Impl

#endif
