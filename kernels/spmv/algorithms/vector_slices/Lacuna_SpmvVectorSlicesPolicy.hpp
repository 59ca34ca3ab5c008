// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVVECTORSLICESPOLICY_HPP
#define LACUNA_SPMVVECTORSLICESPOLICY_HPP

#include <cstddef>

namespace lacuna::Impl {

/// Numbers of vector_slices.
/// Evidence: kernels/spmv/tuning.md.
struct SpmvVectorSlicesPolicy {
  static constexpr int items         = 16;    ///< work items of slices for each thread: not tuned
  static constexpr std::size_t ahead = 4096;  ///< bytes of values between what is asked for and what is multiplied
};

}  // namespace lacuna::Impl

#endif
