// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMDENSESTORAGE_HPP
#define LACUNA_SPMMDENSESTORAGE_HPP

#include <backends/Lacuna_Gemm.hpp>
#include <kernels/plan/Lacuna_PlanStorage.hpp>
#include <kernels/rows/Lacuna_RowsOneShot.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRepack.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace lacuna::Impl {

/// Makes a dense matrix zero: an index is 16 bytes of it.
template <class Word>
struct ClearDense {
  Word* words;
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const { words[i] = Word{}; }
};

/// Adds the nonzeros of a row to it, one after the other: duplicates count.
template <class Arrays>
struct ScatterToDense {
  using Scalar     = typename Arrays::Scalar;
  using Arithmetic = typename ArithmeticOf<Scalar>::type;

  Arrays A;
  Scalar* dense;
  std::int64_t stride;  // elements from one row to the next

  KOKKOS_FUNCTION void operator()(const std::int64_t row) const {
    Scalar* const elements = dense + row * stride;
    for (auto k = A.row_map[row]; k < A.row_map[row + 1]; ++k) {
      Scalar& element = elements[A.entries[k]];
      element         = static_cast<Scalar>(static_cast<Arithmetic>(element) + static_cast<Arithmetic>(A.values[k]));
    }
  }
};

/// How a block stands to BLAS, which has columns side by side, a stride apart.
struct BlasBlock {
  bool served          = false;
  bool row_major       = false;
  std::int64_t leading = 0;

  template <class Element>
  static BlasBlock of(const DenseBlock<Element>& block) {
    if (block.column_stride == 1 && block.row_stride >= std::max<std::int64_t>(1, block.columns))
      return {true, true, block.row_stride};
    if (block.row_stride == 1 && block.column_stride >= std::max<std::int64_t>(1, block.rows))
      return {true, false, block.column_stride};
    return {};
  }
};

/// op(A) row-major, in rows of a multiple of 32 bytes, and what the library needs.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmmDenseStorage {
  using Scalar = typename Matrix::non_const_value_type;
  using Arrays = CrsArraysOf<Matrix>;
  using Memory = typename ExecutionSpace::memory_space;
  using Gemm   = DeviceGemm<ExecutionSpace>;

 public:
  template <class Context>
  void build(const Context& context) {
    const Arrays& A          = context.A.arrays();
    m_precision              = context.request.precision;
    m_stride                 = packed_row(static_cast<std::int64_t>(A.columns), sizeof(Scalar));
    const std::int64_t count = checked_product("SpmmPlan", static_cast<std::int64_t>(A.rows), m_stride);
    const std::int64_t bytes = checked_product("SpmmPlan", count, sizeof(Scalar));
    context.budget.take("the dense copy", static_cast<std::size_t>(bytes));
    m_dense = allocate<decltype(m_dense)>("SpmmPlan", context.exec, "Lacuna::spmm::dense", count);
    fill(context.exec, A);
    m_gemm = Gemm(context.exec);
    if (Gemm::workspace_bytes == 0 || !context.budget.fits(Gemm::workspace_bytes)) return;
    context.budget.take("the workspace of the dense product", Gemm::workspace_bytes);
    m_workspace = allocate<decltype(m_workspace)>("SpmmPlan", context.exec, "Lacuna::spmm::dense_workspace",
                                                  static_cast<std::int64_t>(Gemm::workspace_bytes));
  }

  std::size_t bytes() const { return bytes_of(m_dense); }
  std::size_t temporary_bytes() const { return bytes_of(m_workspace); }
  /// The library is told one stream at a time.
  bool shareable() const { return !ExecutionTraits<ExecutionSpace>::is_gpu; }
  void update_values(const ExecutionSpace& exec, const Operand<Matrix>& A) const { fill(exec, A.arrays()); }
  std::string describe() const {
    return std::string("  dense       by ") + Gemm::library + ", rows of " + std::to_string(m_stride) + " elements\n";
  }

  /// A B or C with gaps along both directions is none that BLAS has; nor are more than 2^31 rows. Rows of CSR are taken
  /// one by one then.
  template <class Output>
  void multiply(const ExecutionSpace& exec, const Arrays& A, const BlockArguments<Scalar, Output>& arguments) const {
    const BlasBlock B = BlasBlock::of(arguments.B), C = BlasBlock::of(arguments.C);
    if (!B.served || !C.served) return spmm_one_shot(exec, A, arguments);
    GemmArguments<Scalar, Output, typename ArithmeticOf<Scalar>::type> gemm;
    gemm.alpha = arguments.alpha;
    gemm.beta  = arguments.beta;
    gemm.k     = arguments.B.rows;
    gemm.c     = arguments.C.data;
    gemm.ldc   = C.leading;
    // To BLAS what is row-major here is its transpose.
    if (C.row_major) {  // C^T = B^T A^T
      gemm.m            = arguments.C.columns;
      gemm.n            = arguments.C.rows;
      gemm.transposed_a = !B.row_major;
      set(gemm.a, gemm.lda, arguments.B.data, B.leading);
      set(gemm.b, gemm.ldb, m_dense.data(), m_stride);
    } else {
      gemm.m            = arguments.C.rows;
      gemm.n            = arguments.C.columns;
      gemm.transposed_a = true;
      gemm.transposed_b = B.row_major;
      set(gemm.a, gemm.lda, m_dense.data(), m_stride);
      set(gemm.b, gemm.ldb, arguments.B.data, B.leading);
    }
    if (!Gemm::serves(gemm)) return spmm_one_shot(exec, A, arguments);
    m_gemm.multiply(exec, "Lacuna::spmm::dense", m_precision, gemm, m_workspace.data(), bytes_of(m_workspace));
  }

 private:
  static void set(const Scalar*& data, std::int64_t& leading, const Scalar* from, std::int64_t stride) {
    data    = from;
    leading = stride;
  }

  void fill(const ExecutionSpace& exec, const Arrays& A) const {
    using Word       = Pack<Scalar, std::max<int>(1, 16 / static_cast<int>(sizeof(Scalar)))>;
    const auto bytes = static_cast<std::int64_t>(bytes_of(m_dense));
    for_each_index(exec, "Lacuna::spmm::dense_clear", bytes / static_cast<std::int64_t>(sizeof(Word)),
                   ClearDense<Word>{reinterpret_cast<Word*>(m_dense.data())});
    for_each_index(exec, "Lacuna::spmm::dense_fill", static_cast<std::int64_t>(A.rows),
                   ScatterToDense<Arrays>{A, m_dense.data(), m_stride});
  }

  Precision m_precision = Precision::full;
  std::int64_t m_stride = 0;
  Kokkos::View<Scalar*, Memory> m_dense;
  Kokkos::View<char*, Memory> m_workspace;
  Gemm m_gemm;
};

}  // namespace lacuna::Impl

#endif
