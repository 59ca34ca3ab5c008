// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPARTITION_HPP
#define LACUNA_SPMVPARTITION_HPP

#include <core/impl/passes/Lacuna_CrsWorkItems.hpp>
#include <kernels/rows/Lacuna_VectorArguments.hpp>
#include <kernels/spmv/algorithms/nonzero_split/Lacuna_SpmvNonzeroSplitPolicy.hpp>

#include <cstdint>

/// \file
/// \brief What nonzero_split keeps in a plan: work items, and the position where the last arriver of a long row finds
/// their sums.

namespace lacuna::Impl {

template <class Arrays>
struct SpmvWorkItems : CrsWorkItems<Arrays> {
  typename Arrays::Scalar* partial = nullptr;  ///< two a work item: of the row that goes on, of the row that begins
  int* arrived                     = nullptr;
};

template <class ExecutionSpace, class Scalar>
CrsWorkItemSize spmv_item_size(const ExecutionSpace& exec, std::int64_t nonzeros) {
  std::int64_t item         = static_cast<std::int64_t>(SpmvNonzeroSplitPolicy::item_bytes / sizeof(Scalar));
  const std::int64_t least  = static_cast<std::int64_t>(SpmvNonzeroSplitPolicy::least_bytes / sizeof(Scalar));
  const std::int64_t wanted = exec.concurrency() / SpmvNonzeroSplitPolicy::threads;
  while (item > least && nonzeros / item < wanted) item /= 2;
  const auto longest = static_cast<std::int64_t>(SpmvNonzeroSplitPolicy::longest_bytes / sizeof(Scalar));
  return {item, longest > item ? longest : item};
}

template <class Arrays, class MemorySpace>
struct SpmvPartition {
  CrsWorkItemStorage<Arrays, MemorySpace> cut;
  Kokkos::View<typename Arrays::Scalar*, MemorySpace> partial;
  Kokkos::View<int*, MemorySpace> arrived;

  std::size_t bytes() const { return cut.bytes() + bytes_of(partial, arrived); }
  SpmvWorkItems<Arrays> items() const { return {cut.items(), partial.data(), arrived.data()}; }
};

/// Work items that may share a row.
inline std::int64_t spmv_arrivals(CrsWorkItemSize size, std::int64_t items, std::int64_t longest) {
  return longest > size.longest ? items : 0;
}

/// Bytes that `make_spmv_partition` would allocate.
template <class ExecutionSpace, class Arrays>
std::size_t spmv_partition_bytes(const ExecutionSpace& exec, const Arrays& A, std::int64_t empty_rows,
                                 std::int64_t longest) {
  using Scalar        = typename Arrays::Scalar;
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros);
  const auto size     = spmv_item_size<ExecutionSpace, Scalar>(exec, nonzeros);
  const CrsWorkItemExtents n(size, static_cast<std::int64_t>(A.rows), nonzeros, empty_rows);
  return n.bytes<Arrays>() +
         static_cast<std::size_t>(spmv_arrivals(size, n.items, longest)) * (2 * sizeof(Scalar) + sizeof(int));
}

/// Cuts a matrix with `empty_rows` rows without nonzeros and a longest row of `longest`. Does not fence.
template <class ExecutionSpace, class Arrays>
auto make_spmv_partition(const ExecutionSpace& exec, const Arrays& A, std::int64_t empty_rows, std::int64_t longest) {
  using Partition    = SpmvPartition<Arrays, typename ExecutionSpace::memory_space>;
  constexpr auto who = "SpmvPlan";
  const auto size =
      spmv_item_size<ExecutionSpace, typename Arrays::Scalar>(exec, static_cast<std::int64_t>(A.nonzeros));
  Partition partition;
  partition.cut = make_crs_items(exec, who, A, size, empty_rows);
  const std::int64_t arrivals =
      spmv_arrivals(size, static_cast<std::int64_t>(partition.cut.begin.extent(0)) - 1, longest);
  if (arrivals == 0) return partition;
  partition.partial = allocate<decltype(partition.partial)>(who, exec, "Lacuna::spmv::partial", 2 * arrivals);
  partition.arrived = allocate<decltype(partition.arrived)>(who, exec, "Lacuna::spmv::arrived", arrivals);
  Kokkos::deep_copy(exec, partition.arrived, 0);
  return partition;
}

}  // namespace lacuna::Impl

#endif
