// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HOSTAHEAD_HPP
#define LACUNA_HOSTAHEAD_HPP

#include <backends/generic/Lacuna_Generic_Vectors.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>

#include <cstdint>

/// \file
/// \brief Nonzeros of A that are asked for before they are read, where caches do not hold A. A host that reads x out of
/// order loads less ahead by itself than memory could deliver. Host code only.

namespace lacuna::Impl {

template <class Arrays>
bool asks_for_nonzeros(const Arrays& A) {
  constexpr double bytes = sizeof(typename Arrays::Scalar) + sizeof(typename Arrays::Ordinal);
  return static_cast<double>(A.nonzeros) * bytes > RowsPolicy::host_ahead_bytes;
}

/// Asks for those that follow nonzero k at some distance; they need not exist.
template <class Arrays>
LACUNA_HOST_INLINE void ask_for_nonzeros(const Arrays& A, typename Arrays::Offset k) {
  prefetch_ahead(A.values + k, RowsPolicy::host_ahead * sizeof(typename Arrays::Scalar));
  prefetch_ahead(A.entries + k, RowsPolicy::host_ahead * sizeof(typename Arrays::Ordinal));
}

}  // namespace lacuna::Impl

#endif
