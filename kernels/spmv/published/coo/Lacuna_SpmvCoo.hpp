// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVCOO_HPP
#define LACUNA_SPMVCOO_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/spmv/published/shared/Lacuna_CooTile.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvCooStorage.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// \brief 002, section 5.1: coordinate storage, segmented reduction over nonzeros.
struct SpmvCoo : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::coo;

  template <CrsMatrixType Matrix>
  using Format = FormatOf<CooMatrix, Matrix>;

  template <class ExecutionSpace, CrsMatrixType Matrix>
  static Format<Matrix> convert(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
    return to_coo(exec, A, {.memory_limit = memory_limit});
  }

  template <class Coo>
  static const Coo& coo_part(const Coo& A) {
    return A;
  }
  /// Nonzeros of the part in coordinates, as far as they are known before the conversion.
  static std::int64_t certainly_in_coo(std::int64_t nonzeros) { return nonzeros; }

  template <class ExecutionSpace, class Stored, class Workspace>
  static void multiply(const ExecutionSpace& exec, const Stored& A,
                       const VectorArguments<typename Stored::Scalar>& arguments, SpmvShape shape,
                       const Workspace& workspace) {
    spmv_coo(exec, A, arguments, shape, workspace);
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvCooStorage<SpmvCoo, Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
