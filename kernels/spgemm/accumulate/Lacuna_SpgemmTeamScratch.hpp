// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMTEAMSCRATCH_HPP
#define LACUNA_SPGEMMTEAMSCRATCH_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmWords.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmOperands.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// \file
/// \brief The scratch of a team that computes a row of C: how many bytes it takes, and what lies where.

namespace lacuna::Impl {

/// Where a team adds.
enum class SpgemmTeamSums {
  in_place,   ///< in C itself: GPUs add doubles to memory by one instruction, to scratch by a loop
  in_scratch  ///< where most products come from long rows of B, which the team adds one by one without atomics
};

/// \brief The layout: `Shared`, then the scratch of the row, from the front
///
///     words   Word for each word of the window; in memory instead where they do not fit
///     sums    Scalar for each nonzero, from a multiple of 16 on (`in_scratch`)
template <bool Numeric, SpgemmTeamSums TeamSums, class Operands>
struct SpgemmTeamScratch {
  using Scalar = typename Operands::Arrays::Scalar;
  using Offset = typename Operands::Arrays::Offset;
  using Word   = std::conditional_t<Numeric || Operands::is_masked, SpgemmWord, std::uint32_t>;

  static constexpr bool in_scratch    = TeamSums == SpgemmTeamSums::in_scratch;
  static constexpr int most_long_rows = in_scratch ? 256 : 64;  ///< not tuned

  /// A long row of B, which the whole team adds.
  struct LongRow {
    Scalar factor;
    Offset begin;
    Offset end;
  };
  /// What the warps of a team tell each other.
  struct Shared {
    LongRow long_rows[most_long_rows];
    std::uint32_t totals[64];
    int long_count;
  };
  static constexpr std::size_t shared_bytes = sizeof(Shared) + 32;

  /// Bytes of a row whose window has `words` words, and of `nonzeros` nonzeros.
  KOKKOS_FORCEINLINE_FUNCTION static std::int64_t bytes(std::int64_t words, std::int64_t nonzeros) {
    const std::int64_t bitmap = words * static_cast<std::int64_t>(sizeof(Word));
    return Numeric ? (bitmap + 15) / 16 * 16 + nonzeros * static_cast<std::int64_t>(sizeof(Scalar)) : bitmap;
  }
  KOKKOS_FORCEINLINE_FUNCTION static Word* words(char* scratch) { return reinterpret_cast<Word*>(scratch); }
  KOKKOS_FORCEINLINE_FUNCTION static Scalar* sums(char* scratch, std::int64_t words) {
    return reinterpret_cast<Scalar*>(scratch + bytes(words, 0));
  }
};

}  // namespace lacuna::Impl

#endif
