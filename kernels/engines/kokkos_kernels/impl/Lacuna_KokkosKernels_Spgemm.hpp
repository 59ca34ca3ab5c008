// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_SPGEMM_HPP
#define LACUNA_KOKKOSKERNELS_SPGEMM_HPP

// The first of all: it decides how headers of Kokkos Kernels are read.
#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_Vendors.hpp>

#include <Lacuna_Spgemm.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_SpgemmDefault.hpp>
#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_SpgemmPlans.hpp>
#include <kernels/engines/kokkos_kernels/impl/Lacuna_KokkosKernels_Types.hpp>

#include <KokkosSparse_spgemm.hpp>

#include <stdexcept>
#include <string>
#include <type_traits>

/// \file
/// \brief Our SpGEMM below `KokkosSparse::spgemm_symbolic`, `spgemm_numeric` and `spgemm`.

namespace lacuna::Impl {

template <class KernelHandle>
concept SpgemmHandleWeStandInFor =
    stands_in_for<typename KernelHandle::HandleExecSpace, typename KernelHandle::nnz_scalar_t,
                  typename KernelHandle::nnz_lno_t, typename KernelHandle::size_type>;

template <class CMatrix, class AMatrix, class BMatrix>
constexpr bool stands_in_for_spgemm() {
  if constexpr (KokkosSparse::is_crs_matrix_v<AMatrix> && std::is_same_v<AMatrix, BMatrix>) {
    if constexpr (stands_in_for<typename AMatrix::execution_space, typename AMatrix::non_const_value_type,
                                typename AMatrix::non_const_ordinal_type, typename AMatrix::non_const_size_type>)
      return std::is_same_v<CMatrix, OwningCrs<AMatrix>>;
  }
  return false;
}
template <class CMatrix, class AMatrix, class BMatrix>
concept SpgemmWeStandInFor = stands_in_for_spgemm<CMatrix, AMatrix, BMatrix>();

/// \brief C = A B by a plan that belongs to a handle of Kokkos Kernels.
template <class KernelHandle>
class HandleSpgemm {
 public:
  using Exec    = typename KernelHandle::HandleExecSpace;
  using Scalar  = typename KernelHandle::nnz_scalar_t;
  using Ordinal = typename KernelHandle::nnz_lno_t;
  using Offset  = typename KernelHandle::size_type;
  using Device  = Kokkos::Device<Exec, typename KernelHandle::HandleTempMemorySpace>;
  using Matrix  = KokkosSparse::CrsMatrix<const Scalar, const Ordinal, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>,
                                         const Offset>;
  using Plan    = SpgemmPlan<Matrix, Exec>;
  using Handle  = typename KernelHandle::SPGEMMHandleType;

  /// A plan, and the extents that it was made for.
  struct Held {
    Held(const Exec& exec, const Matrix& A, const Matrix& B)
        : plan(exec, A, B, {.keep_products = KeepProducts::no}), a(A), b(B) {}
    bool is_of(const Matrix& A, const Matrix& B) const { return a.equals(A) && b.equals(B); }

    Plan plan;
    OperandExtents a, b;
  };

  /// `values` may be nullptr, where a plan is made.
  static Matrix matrix(Ordinal rows, Ordinal columns, const Offset* row_map, std::size_t nonzeros,
                       const Ordinal* entries, const Scalar* values) {
    using Traits = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    return Matrix("Lacuna::spgemm::given", rows, columns, static_cast<Offset>(nonzeros),
                  typename Matrix::values_type(values, nonzeros),
                  Kokkos::View<const Offset*, typename Matrix::row_map_type::array_layout, Device, Traits>(
                      row_map, static_cast<std::size_t>(rows) + 1),
                  typename Matrix::index_type(entries, nonzeros));
  }

  /// The plan of the handle if it can be for A and B, else a new one. Like Kokkos Kernels, which compares patterns in
  /// debug builds alone, it takes those of one shape for the same.
  static const Plan& plan(Handle& handle, const Exec& exec, const Matrix& A, const Matrix& B) {
    const Held* found = find_plan<Held>(handle);
    return found != nullptr && found->is_of(A, B) ? found->plan : make_plan<Held>(handle, exec, A, B).plan;
  }

  /// Writes the row map of C, and tells the handle how many nonzeros C has.
  static void symbolic(Handle& handle, const Matrix& A, const Matrix& B, Offset* row_map) {
    const Region region([] { return std::string("KokkosSparse::spgemm_symbolic[TPL_LACUNA]"); });
    const Exec exec;
    const Plan& made    = plan(handle, exec, A, B);
    const auto computed = made.row_map();
    Kokkos::deep_copy(exec,
                      Kokkos::View<Offset*, typename decltype(computed)::array_layout, Device,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>(row_map, computed.extent(0)),
                      computed);
    handle.set_c_nnz(static_cast<Offset>(made.nonzeros()));
  }

  /// Writes the columns and values of C.
  static void numeric(Handle& handle, const Matrix& A, const Matrix& B, std::size_t nonzeros, Ordinal* entries,
                      Scalar* values) {
    using C = typename Plan::result_type;
    const Region region([] { return std::string("KokkosSparse::spgemm_numeric[TPL_LACUNA]"); });
    const Exec exec;
    const Plan& made = plan(handle, exec, A, B);
    spgemm(exec, made, Scalar(1), A, B,
           C("C", A.numRows(), B.numCols(), static_cast<Offset>(nonzeros),
             typename C::values_type::non_const_type(values, nonzeros), made.row_map(),
             typename C::index_type::non_const_type(entries, nonzeros)));
  }
};

}  // namespace lacuna::Impl

namespace KokkosSparse::Impl {

template <lacuna::Impl::SpgemmHandleWeStandInFor KernelHandle, class ARowMap, class AEntries, class BRowMap,
          class BEntries, class CRowMap>
struct spgemm_symbolic_tpl_spec_avail<KernelHandle, ARowMap, AEntries, BRowMap, BEntries, CRowMap> {
  enum : bool { value = true };
};

template <lacuna::Impl::SpgemmHandleWeStandInFor KernelHandle, class ARowMap, class AEntries, class AValues,
          class BRowMap, class BEntries, class BValues, class CRowMap, class CEntries, class CValues>
struct spgemm_numeric_tpl_spec_avail<KernelHandle, ARowMap, AEntries, AValues, BRowMap, BEntries, BValues, CRowMap,
                                     CEntries, CValues> {
  enum : bool { value = true };
};

template <class CMatrix, class AMatrix, class BMatrix>
requires lacuna::Impl::SpgemmWeStandInFor<CMatrix, AMatrix, BMatrix>
struct spgemm_noreuse_tpl_spec_avail<CMatrix, AMatrix, BMatrix> {
  enum : bool { value = true };
};

template <lacuna::Impl::SpgemmHandleWeStandInFor KernelHandle, class ARowMap, class AEntries, class BRowMap,
          class BEntries, class CRowMap, bool eti_spec_avail>
struct SPGEMM_SYMBOLIC<KernelHandle, ARowMap, AEntries, BRowMap, BEntries, CRowMap, true, eti_spec_avail> {
  using Ordinal = typename KernelHandle::nnz_lno_t;

  /// A is m x n, B n x k. Always fills the row map, asked for or not.
  static void spgemm_symbolic(KernelHandle* handle, Ordinal m, Ordinal n, Ordinal k, ARowMap row_mapA,
                              AEntries entriesA, bool /*transposeA*/, BRowMap row_mapB, BEntries entriesB,
                              bool /*transposeB*/, CRowMap row_mapC, bool /*computeRowptrs*/) {
    using Product = lacuna::Impl::HandleSpgemm<KernelHandle>;
    auto& sh      = *handle->get_spgemm_handle();
    if (m == 0 || n == 0 || k == 0 || entriesA.extent(0) == 0 || entriesB.extent(0) == 0) {
      Kokkos::deep_copy(typename KernelHandle::HandleExecSpace(), row_mapC, typename CRowMap::non_const_value_type(0));
      sh.set_c_nnz(0);
    } else {
      Product::symbolic(sh, Product::matrix(m, n, row_mapA.data(), entriesA.extent(0), entriesA.data(), nullptr),
                        Product::matrix(n, k, row_mapB.data(), entriesB.extent(0), entriesB.data(), nullptr),
                        row_mapC.data());
    }
    sh.set_call_symbolic();
    sh.set_computed_rowptrs();
  }
};

template <lacuna::Impl::SpgemmHandleWeStandInFor KernelHandle, class ARowMap, class AEntries, class AValues,
          class BRowMap, class BEntries, class BValues, class CRowMap, class CEntries, class CValues,
          bool eti_spec_avail>
struct SPGEMM_NUMERIC<KernelHandle, ARowMap, AEntries, AValues, BRowMap, BEntries, BValues, CRowMap, CEntries, CValues,
                      true, eti_spec_avail> {
  using Ordinal = typename KernelHandle::nnz_lno_t;

  static void spgemm_numeric(KernelHandle* handle, Ordinal m, Ordinal n, Ordinal k, ARowMap row_mapA, AEntries entriesA,
                             AValues valuesA, bool /*transposeA*/, BRowMap row_mapB, BEntries entriesB, BValues valuesB,
                             bool /*transposeB*/, CRowMap /*row_mapC*/, CEntries entriesC, CValues valuesC) {
    using Product = lacuna::Impl::HandleSpgemm<KernelHandle>;
    auto& sh      = *handle->get_spgemm_handle();
    if (!sh.is_symbolic_called())
      throw std::runtime_error("KokkosSparse::spgemm_numeric: call spgemm_symbolic with this handle first");
    if (m != 0 && n != 0 && k != 0 && entriesA.extent(0) != 0 && entriesB.extent(0) != 0)
      Product::numeric(sh, Product::matrix(m, n, row_mapA.data(), entriesA.extent(0), entriesA.data(), valuesA.data()),
                       Product::matrix(n, k, row_mapB.data(), entriesB.extent(0), entriesB.data(), valuesB.data()),
                       entriesC.extent(0), entriesC.data(), valuesC.data());
    sh.set_call_numeric();
    sh.set_computed_entries();
  }
};

template <class CMatrix, class AMatrix, class BMatrix, bool eti_spec_avail>
requires lacuna::Impl::SpgemmWeStandInFor<CMatrix, AMatrix, BMatrix>
struct SPGEMM_NOREUSE<CMatrix, AMatrix, BMatrix, true, eti_spec_avail> {
  static CMatrix spgemm_noreuse(const AMatrix& A, bool /*transA*/, const BMatrix& B, bool /*transB*/) {
    const lacuna::Impl::Region region([] { return std::string("KokkosSparse::spgemm[TPL_LACUNA]"); });
    return lacuna::spgemm(typename AMatrix::execution_space(), A, B);
  }
};

}  // namespace KokkosSparse::Impl

#endif
