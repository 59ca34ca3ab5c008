// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_MKL_HPP
#define LACUNA_BENCH_RIVAL_MKL_HPP

#include <Lacuna_Error.hpp>
#include <support/Bench_Timing.hpp>

#include <mkl_service.h>
#include <mkl_spblas.h>

#include <string>
#include <type_traits>

/// \file
/// \brief What every operation of oneMKL's inspector-executor interface needs: a matrix handle on our own CSR arrays.

namespace lacuna::bench {

/// \brief Whether oneMKL takes these types: float and double, and the 32-bit indices that it is linked for.
template <class Problem>
inline constexpr bool mkl_serves = std::conjunction_v<
    std::disjunction<std::is_same<typename Problem::Scalar, float>, std::is_same<typename Problem::Scalar, double>>,
    std::is_same<typename Problem::Ordinal, MKL_INT>, std::is_same<typename Problem::Offset, MKL_INT>>;

inline void check_mkl(sparse_status_t status, const char* call) {
  if (status == SPARSE_STATUS_SUCCESS) return;
  const std::string text = std::string(call) + ": status " + std::to_string(status);
  if (status == SPARSE_STATUS_ALLOC_FAILED) throw OutOfMemory(text);
  throw NotSupported(text);
}

/// \brief As many threads as we have, of the OpenMP that we use: the GNU one unless another compiler brings its own.
inline void share_threads_with_mkl(const ExecutionSpace& exec) {
#if defined(__GNUC__) && !defined(__clang__)
  mkl_set_threading_layer(MKL_THREADING_GNU);
#endif
  mkl_set_dynamic(0);
  mkl_set_num_threads(static_cast<int>(exec.concurrency()));
}

/// \brief A general matrix on the arrays of `A`, which must stay; destroyed with its owner.
class MklMatrix {
 public:
  MklMatrix() = default;
  ~MklMatrix() { clear(); }
  MklMatrix(const MklMatrix&)            = delete;
  MklMatrix& operator=(const MklMatrix&) = delete;

  template <class Matrix>
  void create(const Matrix& A) {
    using Scalar = typename Matrix::non_const_value_type;
    clear();
    // The interface takes pointers to what it does not change.
    auto* rows    = const_cast<MKL_INT*>(A.graph.row_map.data());
    auto* columns = const_cast<MKL_INT*>(A.graph.entries.data());
    auto* values  = const_cast<Scalar*>(A.values.data());
    if constexpr (std::is_same_v<Scalar, float>)
      check_mkl(mkl_sparse_s_create_csr(&m_handle, SPARSE_INDEX_BASE_ZERO, A.numRows(), A.numCols(), rows, rows + 1,
                                        columns, values),
                "mkl_sparse_s_create_csr");
    else
      check_mkl(mkl_sparse_d_create_csr(&m_handle, SPARSE_INDEX_BASE_ZERO, A.numRows(), A.numCols(), rows, rows + 1,
                                        columns, values),
                "mkl_sparse_d_create_csr");
  }
  void clear() {
    if (m_handle != nullptr) mkl_sparse_destroy(m_handle);
    m_handle = nullptr;
  }
  sparse_matrix_t handle() const { return m_handle; }
  static matrix_descr description() {
    matrix_descr description{};
    description.type = SPARSE_MATRIX_TYPE_GENERAL;
    return description;
  }

 private:
  sparse_matrix_t m_handle = nullptr;
};

}  // namespace lacuna::bench

#endif
