// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVNONZEROSPLITSTORAGE_HPP
#define LACUNA_SPMVNONZEROSPLITSTORAGE_HPP

#include <kernels/spmv/algorithms/nonzero_split/Lacuna_SpmvNonzeroSplitKernel.hpp>
#include <kernels/spmv/algorithms/nonzero_split/Lacuna_SpmvPartition.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvStorage.hpp>

#include <cstddef>

namespace lacuna::Impl {

/// The work items of a GPU; nothing for a host, or where there is nothing to cut.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpmvNonzeroSplitStorage : public SpmvStorage {
  using Arrays    = CrsArraysOf<Matrix>;
  using Partition = SpmvPartition<Arrays, typename ExecutionSpace::memory_space>;

 public:
  static constexpr bool reads_values_of_A = true;

  template <class Context>
  void build(const Context& context) {
    take_request(context);
    if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) {
      const Arrays& A    = context.A.arrays();
      const auto longest = context.inspector.inspection().lengths.longest;
      const auto empty   = context.inspector.inspection().lengths.empty;
      if (A.nonzeros == 0) return;
      context.budget.take("the partition", spmv_partition_bytes(context.exec, A, empty, longest));
      m_partition = make_spmv_partition(context.exec, A, empty, longest);
    }
  }
  std::size_t bytes() const { return m_partition.bytes() - temporary_bytes(); }
  std::size_t temporary_bytes() const { return bytes_of(m_partition.partial, m_partition.arrived); }
  bool shareable() const { return m_partition.partial.extent(0) == 0; }

  void multiply(const ExecutionSpace& exec, const Arrays& A,
                const VectorArguments<typename Arrays::Scalar>& arguments) const {
    spmv_nonzero_split(exec, A, arguments, shape(), m_partition.items(), short_even_rows());
  }

 private:
  Partition m_partition;
};

}  // namespace lacuna::Impl

#endif
