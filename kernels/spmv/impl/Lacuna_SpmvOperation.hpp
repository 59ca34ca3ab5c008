// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVOPERATION_HPP
#define LACUNA_SPMVOPERATION_HPP

#include <kernels/spmv/algorithms/diagonals/Lacuna_SpmvDiagonals.hpp>
#include <kernels/spmv/algorithms/nonzero_split/Lacuna_SpmvNonzeroSplit.hpp>
#include <kernels/spmv/algorithms/row_split/Lacuna_SpmvRowSplit.hpp>
#include <kernels/spmv/algorithms/sell/Lacuna_SpmvSell.hpp>
#include <kernels/spmv/algorithms/sliced_dia/Lacuna_SpmvSlicedDia.hpp>
#include <kernels/spmv/algorithms/vector_slices/Lacuna_SpmvVectorSlices.hpp>
#include <kernels/spmv/published/Lacuna_SpmvPublished.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvRequest.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvSlices.hpp>

#include <algorithm>
#include <string>

/// \file
/// \brief What SpMV is made of: its list of algorithms. One more is one more folder, one more entry here and in the
/// enum.

namespace lacuna::Impl {

/// The first needs nothing; the last were published, and `automatic` does not take them.
using SpmvAlgorithms =
    AlgorithmList<SpmvNonzeroSplit, SpmvRowSplit, SpmvSell, SpmvSlicedDia, SpmvVectorSlices, SpmvNaive,
                  SpmvThreadMapped, SpmvAligned, SpmvCached, SpmvVectorCsr, SpmvPaddedRows, SpmvRowBlock, SpmvScanFlat,
                  SpmvScanMatrix, SpmvCoo, SpmvEll, SpmvHyb, SpmvDia, SpmvDiagonals>;

/// How the rows of slices are cut.
struct SliceShape {
  int segments;
  int chunk;
};

/// \tparam List `SpmvAlgorithms`; tests have others
template <class List>
struct SpmvOperationOf {
  static constexpr const char* name = "spmv";
  static constexpr const char* plan = "SpmvPlan";
  using Options                     = SpmvOptions;
  using Request                     = SpmvRequest;
  using Algorithm                   = SpmvAlgorithm;
  using Algorithms                  = List;

  static constexpr bool inspects(Stage stage) {
    return stage == Stage::diagonals || stage == Stage::diagonal_slices || stage == Stage::slices;
  }
  static constexpr bool hosts_inspect(Stage stage) { return stage == Stage::vector_slices; }

  template <CrsMatrixType Matrix>
  static SpmvRequest request(const SpmvOptions& options) {
    return {options, scalar_properties<typename Matrix::non_const_value_type>(),
            sizeof(typename Matrix::non_const_ordinal_type), sizeof(typename Matrix::non_const_size_type)};
  }
  static void check(const Device& device, const SpmvRequest& request) { check_request(device, request); }
  static std::string describe(const SpmvRequest&) { return {}; }

  /// What `Stage::slices` counts.
  static SliceShape slice_shape(const Device& device, const Inspection& A, const SpmvRequest& request) {
    const SpmvSlices best = spmv_slices(device, A, request);
    const bool is_told    = request.algorithm != SpmvAlgorithm::automatic && request.lanes_per_row > 0;
    return {is_told ? std::min(request.lanes_per_row, 16) : best.segments(), best.chunk()};
  }
};
using SpmvOperation = SpmvOperationOf<SpmvAlgorithms>;

}  // namespace lacuna::Impl

#endif
