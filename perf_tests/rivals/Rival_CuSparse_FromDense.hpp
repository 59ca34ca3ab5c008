// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_CUSPARSE_FROMDENSE_HPP
#define LACUNA_BENCH_RIVAL_CUSPARSE_FROMDENSE_HPP

#include <rivals/Rival_CuSparse_Descriptors.hpp>

#include <cstdint>

namespace lacuna::bench {

/// Adds the nonzeros of a row to a dense, row-major matrix.
template <class Arrays>
struct AddRowToRowMajor {
  Arrays A;
  DeviceArray<typename Arrays::Scalar> dense;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k)
      dense(row * static_cast<std::int64_t>(A.columns) + A.entries[k]) += A.values[k];
  }
};

/// A dense matrix that cuSPARSE converts to CSR: what the paper on GCOO times as extra overhead.
template <class Problem>
class CuSparseFromDense {
  using Scalar                                 = typename Problem::Scalar;
  using Ordinal                                = typename Problem::Ordinal;
  using Offset                                 = typename Problem::Offset;
  static constexpr double largest_dense_matrix = 2.0 * 1024 * 1024 * 1024;  // bytes

 public:
  /// Makes the dense matrix, which stays through `clear`.
  void fill(const Problem& problem) {
    const auto A          = Impl::arrays_of(problem.A);
    const double elements = static_cast<double>(problem.c_rows()) * static_cast<double>(problem.b_rows());
    if (elements * sizeof(Scalar) > largest_dense_matrix)
      throw NotSupported("A would take more than 2 GiB as a dense matrix");
    m_dense = DeviceArray<Scalar>(Kokkos::view_alloc(problem.exec, "Lacuna::bench::dense_a"),
                                  problem.c_rows() * problem.b_rows());
    Kokkos::parallel_for("Lacuna::bench::dense_a", Rows(problem.exec, 0, problem.c_rows()),
                         AddRowToRowMajor<std::remove_cv_t<decltype(A)>>{A, m_dense});
  }

  /// Allocates and converts.
  void convert(const Problem& problem, const CuSparseHandle& handle, CuSparseMatrix& matrix) {
    const std::int64_t rows = problem.c_rows(), columns = problem.b_rows();
    CuSparseDense dense;
    check_cusparse(cusparseCreateDnMat(dense.fresh(), rows, columns, columns, m_dense.data(), cuda_type<Scalar>(),
                                       CUSPARSE_ORDER_ROW),
                   "cusparseCreateDnMat");
    m_row_map = rival_array<DeviceArray<Offset>>(problem.exec, "Lacuna::bench::row_map", rows + 1);
    check_cusparse(
        cusparseCreateCsr(matrix.fresh(), rows, columns, 0, m_row_map.data(), nullptr, nullptr, index_type<Offset>,
                          index_type<Ordinal>, CUSPARSE_INDEX_BASE_ZERO, cuda_type<Scalar>()),
        "cusparseCreateCsr");
    std::size_t bytes = 0;
    check_cusparse(cusparseDenseToSparse_bufferSize(handle, dense, matrix, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes),
                   "cusparseDenseToSparse_bufferSize");
    const auto buffer = cusparse_buffer(problem.exec, bytes);
    check_cusparse(
        cusparseDenseToSparse_analysis(handle, dense, matrix, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer.data()),
        "cusparseDenseToSparse_analysis");
    std::int64_t found_rows = 0, found_columns = 0, nonzeros = 0;
    check_cusparse(cusparseSpMatGetSize(matrix, &found_rows, &found_columns, &nonzeros), "cusparseSpMatGetSize");
    m_entries = rival_array<DeviceArray<Ordinal>>(problem.exec, "Lacuna::bench::entries", nonzeros);
    m_values  = rival_array<DeviceArray<Scalar>>(problem.exec, "Lacuna::bench::values", nonzeros);
    check_cusparse(cusparseCsrSetPointers(matrix, m_row_map.data(), m_entries.data(), m_values.data()),
                   "cusparseCsrSetPointers");
    check_cusparse(
        cusparseDenseToSparse_convert(handle, dense, matrix, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer.data()),
        "cusparseDenseToSparse_convert");
  }

  void clear() {
    m_row_map = {};
    m_entries = {};
    m_values  = {};
  }
  std::int64_t bytes() const { return size_of(m_row_map) + size_of(m_entries) + size_of(m_values); }

 private:
  DeviceArray<Scalar> m_dense, m_values;
  DeviceArray<Offset> m_row_map;
  DeviceArray<Ordinal> m_entries;
};

}  // namespace lacuna::bench

#endif
