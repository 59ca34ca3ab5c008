// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALGATHERPOLICY_HPP
#define LACUNA_DIAGONALGATHERPOLICY_HPP

#include <cstdint>

namespace lacuna::Impl {

struct DiagonalGatherPolicy {
  static constexpr int threads         = 256;   ///< of a team on a GPU
  static constexpr int rows_per_thread = 4;     ///< whose sums a thread keeps in registers
  static constexpr int host_rows       = 1024;  ///< of a team on a host, whose sums fit its first cache
};

}  // namespace lacuna::Impl

#endif
