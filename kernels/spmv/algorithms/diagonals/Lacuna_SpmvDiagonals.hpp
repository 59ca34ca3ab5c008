// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVDIAGONALS_HPP
#define LACUNA_SPMVDIAGONALS_HPP

#include <kernels/diagonal/block/Lacuna_DiagonalsOfCrs.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvCost.hpp>

#include <string>

namespace lacuna::Impl {

/// CSR as HM.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmvDiagonalsStorage : public DiagonalsOfCrs<Matrix, ExecutionSpace> {
 public:
  template <class Arrays>
  void multiply(const ExecutionSpace& exec, const Arrays& A,
                const VectorArguments<typename Arrays::Scalar>& arguments) const {
    this->multiply_block(exec, "Lacuna::spmv::diagonals", A,
                         as_block(arguments, static_cast<std::int64_t>(A.rows), static_cast<std::int64_t>(A.columns)));
  }
};

/// \brief Whole diagonals. Of CSR `automatic` does not take it: `sliced_dia` stores about the same bytes, and serves
/// matrices whose diagonals are not straight.
struct SpmvDiagonals {
  static constexpr SpmvAlgorithm id = SpmvAlgorithm::diagonals;
  static constexpr Stage needs      = Stage::lengths;

  static Support supports(const Device&, const SpmvRequest&) { return {}; }
  static Estimate estimate(const Device& device, const Inspection&, const SpmvRequest&) {
    return spmv_never(std::string("whole diagonals are for HmMatrix and CdmMatrix; of CSR ") +
                      (device.has_lanes ? "sliced_dia" : "vector_slices") + " finds them");
  }
  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmvRequest&, Stage) { return {}; }

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvDiagonalsStorage<Matrix, ExecutionSpace>;
};

}  // namespace lacuna::Impl

#endif
