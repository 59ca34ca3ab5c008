// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_COALESCING_HPP
#define LACUNA_BENCH_COALESCING_HPP

#include <Lacuna_SpmvOptions.hpp>

#include <cstdint>
#include <span>

/// \file
/// \brief Table 1 of paper 002 by a model: how its kernels would read a matrix on a GeForce 8800 GTX, whose counters
/// the paper read.

namespace lacuna::bench {

/// \brief Reads of global memory of half warps: transactions where the 16 threads' words are coalesced, single words
/// where they are not.
struct Coalescing {
  double coalesced   = 0;
  double uncoalesced = 0;
};

/// \brief Reads of the row map, the column indices, the values and x by `naive`, `thread_mapped` or `aligned` (16
/// threads a row) of CSR in single precision with 32-bit indices, arrays aligned to 64 bytes. The rule of section 4: a
/// half warp is coalesced where thread k reads word k of one segment of 16 words; threads may be idle. Writes do not
/// count.
/// \throws std::invalid_argument for another algorithm
Coalescing coalescing_of(SpmvAlgorithm algorithm, std::span<const std::int64_t> row_map,
                         std::span<const std::int64_t> entries);

}  // namespace lacuna::bench

#endif
