// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_CUSPARSE_DESCRIPTORS_HPP
#define LACUNA_BENCH_RIVAL_CUSPARSE_DESCRIPTORS_HPP

#include <rivals/Rival_CuSparse.hpp>
#include <rivals/Rival_CuSparse_Formats.hpp>
#include <support/Bench_MemoryPool.hpp>

#include <core/impl/matrix/Lacuna_Crs.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

/// \file
/// \brief Handles and descriptors of cuSPARSE that free themselves, and a matrix in the storages that its operations
/// share.

namespace lacuna::bench {

template <class Raw, auto destroy>
class CuSparseObject {
 public:
  CuSparseObject() = default;
  ~CuSparseObject() { clear(); }
  CuSparseObject(const CuSparseObject&)            = delete;
  CuSparseObject& operator=(const CuSparseObject&) = delete;

  /// Where a function that creates one writes it.
  Raw* fresh() {
    clear();
    return &m_raw;
  }
  void clear() {
    if (m_raw != nullptr) destroy(std::exchange(m_raw, nullptr));
  }
  operator Raw() const { return m_raw; }

 private:
  Raw m_raw{};
};

using CuSparseMatrix = CuSparseObject<cusparseSpMatDescr_t, cusparseDestroySpMat>;
using CuSparseVector = CuSparseObject<cusparseDnVecDescr_t, cusparseDestroyDnVec>;
using CuSparseDense  = CuSparseObject<cusparseDnMatDescr_t, cusparseDestroyDnMat>;

class CuSparseHandle : public CuSparseObject<cusparseHandle_t, cusparseDestroy> {
 public:
  explicit CuSparseHandle(const ExecutionSpace& exec) {
    check_cusparse(cusparseCreate(fresh()), "cusparseCreate");
    check_cusparse(cusparseSetStream(*this, exec.cuda_stream()), "cusparseSetStream");
  }
};

inline DeviceArray<char> cusparse_buffer(const ExecutionSpace& exec, std::size_t bytes) {
  return rival_array<DeviceArray<char>>(exec, "Lacuna::bench::cusparse_buffer", bytes);
}

template <Impl::CrsMatrixType Matrix>
void describe_csr(const Matrix& matrix, CuSparseMatrix& description) {
  const auto A  = Impl::arrays_of(matrix);
  using Offset  = typename Matrix::non_const_size_type;
  using Ordinal = typename Matrix::non_const_ordinal_type;
  using Scalar  = typename Matrix::non_const_value_type;
  check_cusparse(cusparseCreateCsr(description.fresh(), A.rows, A.columns, A.nonzeros, const_cast<Offset*>(A.row_map),
                                   const_cast<Ordinal*>(A.entries), const_cast<Scalar*>(A.values), index_type<Offset>,
                                   index_type<Ordinal>, CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>()),
                 "cusparseCreateCsr");
}

template <class Problem>
void describe_csr(const Problem& problem, CuSparseMatrix& description) {
  describe_csr(problem.A, description);
}

/// `rows` becomes the row of each nonzero.
template <class Problem>
void describe_coo(const Problem& problem, DeviceArray<typename Problem::Ordinal>& rows, CuSparseMatrix& matrix) {
  const auto A  = Impl::arrays_of(problem.A);
  using Ordinal = typename Problem::Ordinal;
  using Scalar  = typename Problem::Scalar;
  rows = DeviceArray<Ordinal>(Kokkos::view_alloc(problem.exec, Kokkos::WithoutInitializing, "Lacuna::bench::coo_rows"),
                              A.nonzeros);
  Kokkos::parallel_for("Lacuna::bench::coo_rows", Rows(problem.exec, 0, A.nonzeros),
                       RowOfNonzero<std::remove_cv_t<decltype(A)>>{A, rows});
  check_cusparse(cusparseCreateCoo(matrix.fresh(), A.rows, A.columns, A.nonzeros, rows.data(),
                                   const_cast<Ordinal*>(A.entries), const_cast<Scalar*>(A.values), index_type<Ordinal>,
                                   CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>()),
                 "cusparseCreateCoo");
}

/// \param blocks the matrix as BSR, in row-major blocks
template <class Problem, class Blocks>
void describe_bsr(const Problem& problem, const Blocks& blocks, CuSparseMatrix& matrix) {
  const auto A = Impl::arrays_of(problem.A);
  check_cusparse(
      cusparseCreateBsr(matrix.fresh(), A.rows / blocks.size, A.columns / blocks.size, blocks.columns.extent(0),
                        blocks.size, blocks.size, blocks.row_map.data(), blocks.columns.data(), blocks.values.data(),
                        index_type<typename Problem::Offset>, index_type<typename Problem::Ordinal>,
                        CUSPARSE_INDEX_BASE_ZERO, cuda_type<typename Problem::Scalar>(), CUSPARSE_ORDER_ROW),
      "cusparseCreateBsr");
}

}  // namespace lacuna::bench

#endif
