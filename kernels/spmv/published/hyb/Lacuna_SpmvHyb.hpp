// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVHYB_HPP
#define LACUNA_SPMVHYB_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/spmv/published/hyb/Lacuna_SpmvHybKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvCooStorage.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvPublished.hpp>

#include <cstddef>
#include <cstdint>

namespace lacuna::Impl {

/// \brief 002, section 5.1: ELLPACK, and coordinates for what rows have beyond its width.
struct SpmvHyb : SpmvPublished {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::hyb;

  template <CrsMatrixType Matrix>
  using Format = FormatOf<HybMatrix, Matrix>;

  template <class ExecutionSpace, CrsMatrixType Matrix>
  static Format<Matrix> convert(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
    return to_hyb(exec, A, {.memory_limit = memory_limit});
  }

  template <class Hyb>
  static const auto& coo_part(const Hyb& A) {
    return A.coo;
  }
  /// Nonzeros of the part in coordinates, as far as they are known before the conversion.
  static std::int64_t certainly_in_coo(std::int64_t) { return 0; }

  template <class ExecutionSpace, class Stored, class Workspace>
  static void multiply(const ExecutionSpace& exec, const Stored& A,
                       const VectorArguments<typename Stored::Scalar>& arguments, SpmvShape shape,
                       const Workspace& workspace) {
    spmv_hyb(exec, A, arguments, shape, workspace);
  }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvCooStorage<SpmvHyb, Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
