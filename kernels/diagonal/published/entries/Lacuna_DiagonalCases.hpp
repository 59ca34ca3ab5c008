// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALCASES_HPP
#define LACUNA_DIAGONALCASES_HPP

#include <kernels/diagonal/shared/Lacuna_DiagonalOperand.hpp>

/// \file
/// \brief The thirteen cases of 003, 6.2: element m of diagonal e of A meets diagonal f of B, and adds to diagonal
/// d = e + f of C. A case is the signs of e, f and d; it says which element of B that is, and which of C.

namespace lacuna::Impl {

/// Positions within the diagonals.
struct DiagonalMeeting {
  std::int64_t b;
  std::int64_t c;
};

/// Signs of e, f and d.
struct DiagonalCase {
  int e, f, d;
};

/// In the order of the paper: three for the main diagonal of C, five for superdiagonals, five for subdiagonals.
struct DiagonalCases {
  static constexpr int count = 13;
  static constexpr DiagonalCase list[count]{{0, 0, 0},    {1, -1, 0},  {-1, 1, 0},                            //
                                            {1, 1, 1},    {0, 1, 1},   {1, 0, 1},   {1, -1, 1},  {-1, 1, 1},  //
                                            {-1, -1, -1}, {0, -1, -1}, {-1, 0, -1}, {-1, 1, -1}, {1, -1, -1}};

  /// The cases of `threads` threads an element: thread g has those from first(g) to first(g + 1). Of three threads each
  /// has a category of the paper's, else all have about as many.
  KOKKOS_FORCEINLINE_FUNCTION static int first(int thread, int threads) {
    constexpr int categories[4]{0, 3, 8, count};
    return threads == 3 ? categories[thread] : count * thread / threads;
  }
};

/// Where the case says that the elements are.
template <int Case>
KOKKOS_FORCEINLINE_FUNCTION DiagonalMeeting meeting_in_case(std::int64_t e, std::int64_t m, std::int64_t f) {
  static_assert(Case >= 0 && Case < DiagonalCases::count);
  if constexpr (Case <= 1) return {m, m};
  if constexpr (Case == 2) return {m, m - e};
  if constexpr (Case == 3) return {e + m, m};
  if constexpr (Case == 4) return {m, m};
  if constexpr (Case == 5) return {e + m, m};
  if constexpr (Case == 6) return {e + m + f, m};
  if constexpr (Case == 7) return {m, m - e};
  if constexpr (Case == 8 || Case == 9) return {m + f, m + f};
  if constexpr (Case == 10) return {m, m};
  if constexpr (Case == 11) return {m, m + f};
  return {m + e + f, m + e + f};
}

/// The same by the nested branches of algorithm 2. "main", "super" and "sub" are the paper's words: d == 0, > 0, < 0.
KOKKOS_INLINE_FUNCTION DiagonalMeeting meeting_on_main(std::int64_t e, std::int64_t m, std::int64_t f) {
  if (e == 0) return meeting_in_case<0>(e, m, f);
  if (e > 0) return meeting_in_case<1>(e, m, f);
  return meeting_in_case<2>(e, m, f);
}
KOKKOS_INLINE_FUNCTION DiagonalMeeting meeting_on_super(std::int64_t e, std::int64_t m, std::int64_t f) {
  if (e > 0 && f > 0) return meeting_in_case<3>(e, m, f);
  if (e == 0) return meeting_in_case<4>(e, m, f);
  if (f == 0) return meeting_in_case<5>(e, m, f);
  if (e > 0) return meeting_in_case<6>(e, m, f);
  return meeting_in_case<7>(e, m, f);
}
KOKKOS_INLINE_FUNCTION DiagonalMeeting meeting_on_sub(std::int64_t e, std::int64_t m, std::int64_t f) {
  if (e < 0 && f < 0) return meeting_in_case<8>(e, m, f);
  if (e == 0) return meeting_in_case<9>(e, m, f);
  if (f == 0) return meeting_in_case<10>(e, m, f);
  if (e < 0) return meeting_in_case<11>(e, m, f);
  return meeting_in_case<12>(e, m, f);
}

}  // namespace lacuna::Impl

#endif
