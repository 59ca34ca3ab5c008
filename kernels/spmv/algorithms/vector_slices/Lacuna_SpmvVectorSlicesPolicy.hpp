// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVVECTORSLICESPOLICY_HPP
#define LACUNA_SPMVVECTORSLICESPOLICY_HPP

namespace lacuna::Impl {

/// Measured on an AMD EPYC with AVX-512 (Zen 4), two threads, November 2026.
struct SpmvVectorSlicesPolicy {
  static constexpr int vector_bytes = 64;  ///< of a register; where they are narrower a compiler takes several
  static constexpr int items        = 16;  ///< of slices for each thread: untuned
};

}  // namespace lacuna::Impl

#endif
