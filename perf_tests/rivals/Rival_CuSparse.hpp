// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_CUSPARSE_HPP
#define LACUNA_BENCH_RIVAL_CUSPARSE_HPP

#include <support/Bench_WorkModels.hpp>

#include <Lacuna_Error.hpp>

#include <cusparse.h>

#include <string>
#include <type_traits>

/// \file
/// \brief What every operation of cuSPARSE needs.

namespace lacuna::bench {

inline void check_cusparse(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  const std::string text = std::string(call) + ": " + cusparseGetErrorString(status);
  if (status == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES || status == CUSPARSE_STATUS_ALLOC_FAILED)
    throw OutOfMemory(text);
  throw NotSupported(text);
}

template <class Scalar>
constexpr cudaDataType cuda_type() {
  if constexpr (std::is_same_v<Scalar, Kokkos::Experimental::half_t>) return CUDA_R_16F;
  if constexpr (std::is_same_v<Scalar, Kokkos::Experimental::bhalf_t>) return CUDA_R_16BF;
  if constexpr (std::is_same_v<Scalar, float>) return CUDA_R_32F;
  if constexpr (std::is_same_v<Scalar, double>) return CUDA_R_64F;
  if constexpr (std::is_same_v<Scalar, Kokkos::complex<float>>) return CUDA_C_32F;
  if constexpr (std::is_same_v<Scalar, Kokkos::complex<double>>) return CUDA_C_64F;
}

template <class Index>
constexpr cusparseIndexType_t index_type = sizeof(Index) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;

/// \brief Bytes of a View of rank 1.
template <class View>
std::int64_t size_of(const View& view) {
  return static_cast<std::int64_t>(view.extent(0) * sizeof(typename View::value_type));
}

}  // namespace lacuna::bench

#endif
