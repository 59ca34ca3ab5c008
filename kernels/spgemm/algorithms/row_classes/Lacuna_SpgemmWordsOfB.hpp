// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMWORDSOFB_HPP
#define LACUNA_SPGEMMWORDSOFB_HPP

#include <core/impl/Lacuna_Passes.hpp>
#include <kernels/spgemm/shared/Lacuna_SpgemmAnalysis.hpp>

#include <cstdint>

/// \file
/// \brief The pattern of B as words of 32 columns, so that bitmaps are filled word by word: on meshes with several
/// unknowns a node one word stands for up to a dozen columns.

namespace lacuna::Impl {

/// Columns 32 * word … 32 * word + 31, those that are set in `mask`.
struct SpgemmPackedWord {
  std::uint32_t word;
  std::uint32_t mask;
};

/// Row i of B is words [begin[i], begin[i + 1]). Without words the columns of B are used themselves.
template <class Offset>
struct SpgemmPackedRows {
  const Offset* begin           = nullptr;
  const SpgemmPackedWord* words = nullptr;
};

/// begin = prefix sums of the words of each row; all of them to `total`.
template <class Ordinal, class Offset>
struct SpgemmScanWords {
  std::int64_t rows;
  const Ordinal* words;
  Offset* begin;
  Counter* total;
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& sum, bool final) const {
    if (final) {
      begin[row] = static_cast<Offset>(sum);
      if (row == rows) *total = static_cast<Counter>(sum);
    }
    if (row < rows) sum += static_cast<std::int64_t>(words[row]);
  }
};

/// Packs rows of B, `width` lanes each: a lane whose column begins a word gathers it.
template <class Arrays>
struct SpgemmPackWords {
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr ScratchNeed scratch_need = ScratchNeed::large;

  Arrays B;
  int width;
  const Offset* first_word;
  SpgemmPackedWord* words;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    using lanes            = typename Team::lanes;
    const int share        = width < Team::lane_width ? width : Team::lane_width;
    const std::int64_t row = (static_cast<std::int64_t>(team.league_rank()) * team.threads() + team.thread()) / share;
    const int rank         = team.thread() % share;
    const bool exists      = row < static_cast<std::int64_t>(B.rows);
    const Offset begin     = exists ? B.row_map[row] : Offset(0);
    const Offset end       = exists ? B.row_map[row + 1] : Offset(0);
    Offset to              = exists ? first_word[row] : Offset(0);
    for (Offset base = begin; lanes::any(base < end); base += static_cast<Offset>(share)) {
      const Offset k       = base + static_cast<Offset>(rank);
      const Ordinal column = k < end ? B.entries[k] : Ordinal(0);
      const bool is_head   = k < end && (k == begin || B.entries[k - 1] / 32 != column / 32);
      int sum              = is_head ? 1 : 0;
      for (int distance = 1; distance < share; distance *= 2) {
        const int before = lanes::shuffle_up(sum, distance, share);
        if (rank >= distance) sum += before;
      }
      if (is_head) {
        std::uint32_t mask = 0;
        for (Offset next = k; next < end && B.entries[next] / 32 == column / 32; ++next)
          mask |= std::uint32_t(1) << static_cast<std::uint32_t>(B.entries[next] % 32);
        words[to + static_cast<Offset>(sum - 1)] = {static_cast<std::uint32_t>(column / 32), mask};
      }
      to += static_cast<Offset>(lanes::shuffle(sum, share - 1, share));
    }
  }
};

}  // namespace lacuna::Impl

#endif
