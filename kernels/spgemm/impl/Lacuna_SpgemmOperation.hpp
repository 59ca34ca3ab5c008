// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMOPERATION_HPP
#define LACUNA_SPGEMMOPERATION_HPP

#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClasses.hpp>
#include <kernels/spgemm/bins/Lacuna_SpgemmBins.hpp>
#include <kernels/spgemm/host/Lacuna_SpgemmHostStorage.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmRequest.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmStorage.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmReuse.hpp>

#include <cstddef>
#include <type_traits>

/// \file
/// \brief What SpGEMM is made of: its list of algorithms. One more is one more folder, one more entry here and in the
/// enum.

namespace lacuna::Impl {

/// The first two are `row_classes` on GPUs and on hosts: one of them serves. The others are a published one and a
/// variant of it; `automatic` does not take them.
using SpgemmAlgorithms = AlgorithmList<SpgemmRowsOnLanes, SpgemmRowsOnHosts, SpgemmBins, SpgemmBinsBySubwarps>;

/// \tparam List `SpgemmAlgorithms`; tests have others
template <class List>
struct SpgemmOperationOf {
  static constexpr const char* plan = "SpgemmPlan";
  using Options                     = SpgemmOptions;
  using Request                     = SpgemmRequest;
  using Algorithm                   = SpgemmAlgorithm;
  using Algorithms                  = List;
};
using SpgemmOperation = SpgemmOperationOf<SpgemmAlgorithms>;

/// What the algorithm at `index` needs whatever it finds.
template <class Storage, class Arrays>
std::size_t spgemm_least_bytes(std::size_t index, const Arrays& A, const Arrays& B) {
  std::size_t bytes = 0;
  visit_storage_type(std::type_identity<Storage>(), index, [&]<class Built>() { bytes = Built::least_bytes(A, B); });
  return bytes;
}

/// Whether the algorithm at `index` adds a D by itself. Kept products have one matrix A and one B.
template <class Storage>
bool spgemm_adds_d(std::size_t index, const SpgemmRequest& request) {
  if (may_keep_products(request)) return false;
  bool adds = false;
  visit_storage_type(std::type_identity<Storage>(), index, [&]<class Built>() { adds = SpgemmStorageAddsD<Built>; });
  return adds;
}

/// Bytes of an arena that the algorithm at `index` works in where the plan serves one call; 0 where it allocates what
/// it needs. A limit is kept by who allocates.
template <class Storage>
std::size_t spgemm_lent_bytes(std::size_t index, const SpgemmRequest& request, const SpgemmInspection& known) {
  std::size_t bytes = 0;
  if (request.memory_limit != unlimited || request.keep_products == KeepProducts::yes) return bytes;
  visit_storage_type(std::type_identity<Storage>(), index, [&]<class Built>() {
    if constexpr (Built::writes_row_map_later)
      bytes = Built::lent_bytes(known.rows, known.nonzeros_a, known.inner, known.nonzeros_b);
  });
  return bytes;
}

/// The same of what a plan with these options would choose.
template <CrsMatrixType Matrix, class ExecutionSpace>
std::size_t spgemm_lent_bytes(const ExecutionSpace& exec, const SpgemmOptions& options, const SpgemmInspection& known) {
  using Storage               = typename StorageVariant<SpgemmAlgorithms, Matrix, ExecutionSpace, SpgemmNoMask>::type;
  const SpgemmRequest request = spgemm_request<Matrix>(options);
  const auto choice           = choose<SpgemmAlgorithms>(device_of(exec), known, request, unlimited,
                                               others_than_asked<SpgemmAlgorithms>(request));
  return spgemm_lent_bytes<Storage>(choice.index, request, known);
}

}  // namespace lacuna::Impl

#endif
