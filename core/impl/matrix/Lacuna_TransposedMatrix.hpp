// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TRANSPOSEDMATRIX_HPP
#define LACUNA_TRANSPOSEDMATRIX_HPP

#include <Lacuna_Options.hpp>
#include <Lacuna_Transpose.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace lacuna::Impl {

template <class Scalar>
struct ConjugateInPlace {
  Scalar* values;
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const { values[i] = conjugate(values[i]); }
};

/// op(A) where a plan has to store it: Aᵀ or Aᴴ, and where every value came from. Empty where op is none. Its arrays
/// share an allocation unless they were sorted, since every allocation on a GPU takes time.
/// Evidence: core/tuning.md.
template <CrsMatrixType Matrix>
class TransposedMatrix {
 public:
  using Crs = OwningCrs<Matrix>;

  using Workspace = Arena<typename Matrix::memory_space>;

  /// The arrays of op(A), which take the place of allocations from `lent`, if that is given. \throws OutOfMemory.
  template <class ExecutionSpace>
  CrsArraysOf<Matrix> make(const ExecutionSpace& exec, const Matrix& A, Op op, std::size_t memory_limit,
                           Workspace* lent = nullptr) {
    m_conjugated = op == Op::conjugate_transpose;
    m_reordered.reset();
    m_shared = {};
    if (op == Op::none) return arrays_of(A);
    m_reordered.emplace(transpose_into(exec, A, memory_limit, &m_shared, lent));
    conjugate_values(exec);
    return arrays_of(matrix());
  }

  /// Takes over the values of `A`, which has the pattern of the matrix that this was made from. The arrays of op(A).
  template <class ExecutionSpace>
  CrsArraysOf<Matrix> update_values(const ExecutionSpace& exec, const Matrix& A) const {
    if (!m_reordered) return arrays_of(A);
    lacuna::update_values(exec, A, *m_reordered);
    conjugate_values(exec);
    return arrays_of(matrix());
  }

  /// The arrays of op(A), with the values that it has.
  CrsArraysOf<Matrix> arrays(const Matrix& A) const { return m_reordered ? arrays_of(matrix()) : arrays_of(A); }

  explicit operator bool() const { return m_reordered.has_value(); }
  const Crs& matrix() const { return m_reordered->matrix; }
  std::size_t bytes() const {
    if (!m_reordered || m_shared.bytes() > 0) return m_shared.bytes();
    const Crs& A = matrix();
    return bytes_of(A.graph.row_map, A.graph.entries, A.values, m_reordered->source);
  }

 private:
  template <class ExecutionSpace>
  void conjugate_values(const ExecutionSpace& exec) const {
    using Scalar = typename Crs::non_const_value_type;
    if constexpr (is_complex<Scalar>)
      if (m_conjugated)
        for_each_index(exec, "Lacuna::transpose::conjugate", static_cast<std::int64_t>(matrix().values.extent(0)),
                       ConjugateInPlace<Scalar>{matrix().values.data()});
  }

  Arena<typename Crs::memory_space> m_shared;  ///< outlives what is cut from it
  std::optional<ReorderedMatrix<Matrix>> m_reordered;
  bool m_conjugated = false;
};

}  // namespace lacuna::Impl

#endif
