// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALBYCASEKERNEL_HPP
#define LACUNA_DIAGONALBYCASEKERNEL_HPP

#include <kernels/diagonal/published/entries/Lacuna_DiagonalEntriesKernel.hpp>

#include <utility>

/// \file
/// \brief 003, 6.2, last paragraph: k threads an element of A, 1 < k <= 13, each of which has some of the thirteen
/// cases to itself.
///
/// Neighbouring threads have the same cases. A case is a range of B's diagonals, since these are stored by sign and
/// ascending distance: a thread finds the ends of the range, where the matrices end among them, and its loop from one
/// to the other branches no more.

namespace lacuna::Impl {

template <class ArgumentsType>
struct DiagonalEntriesByCase {
  using Arguments = ArgumentsType;
  using Scalar    = typename Arguments::Scalar;

  static constexpr std::int64_t aligned = 1024;  ///< so that no team of threads has two groups of cases

  Arguments arguments;
  std::int64_t elements;  ///< of A
  std::int64_t padded;    ///< up to a multiple of `aligned`
  int threads;            ///< an element

  struct Element {
    std::int64_t e;       ///< its diagonal
    std::int64_t m;       ///< its position there
    std::int64_t column;  ///< is the row of B
    Scalar value;
  };

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto& A        = arguments.A;
    const std::int64_t x = index % padded;
    if (x >= elements) return;
    const auto thread           = static_cast<int>(index / padded);
    const std::int64_t position = upper_bound(A.starts, 0, A.dg, x) - 1;
    const std::int64_t e        = A.offset(position);
    const std::int64_t m        = x - static_cast<std::int64_t>(A.starts[position]);
    const Element element{e, m, m + (e > 0 ? e : 0), arguments.alpha * taken(A.list[x], A.conjugated)};
    const int end = DiagonalCases::first(thread + 1, threads);
    for (int which = DiagonalCases::first(thread, threads); which < end; ++which) run(which, element);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void run(int which, const Element& element) const {
    switch (which) {
      case 0: return walk<0>(element);
      case 1: return walk<1>(element);
      case 2: return walk<2>(element);
      case 3: return walk<3>(element);
      case 4: return walk<4>(element);
      case 5: return walk<5>(element);
      case 6: return walk<6>(element);
      case 7: return walk<7>(element);
      case 8: return walk<8>(element);
      case 9: return walk<9>(element);
      case 10: return walk<10>(element);
      case 11: return walk<11>(element);
      default: return walk<12>(element);
    }
  }

  template <int Case>
  KOKKOS_FORCEINLINE_FUNCTION void walk(const Element& element) const {
    constexpr DiagonalCase signs = DiagonalCases::list[Case];
    const auto& B                = arguments.B;
    const std::int64_t e = element.e, right = B.columns - 1 - element.column;  // columns of B right of its diagonal
    const bool applies = signs.e == 0 ? e == 0 : signs.e > 0 ? e > 0 : e < 0;
    if (!applies) return;
    if constexpr (signs.f == 0 || signs.d == 0) {
      const std::int64_t f = signs.f == 0 ? 0 : -e;
      const std::int64_t b = B.base(f);
      if (b != not_stored && f <= right) add<Case>(element, f, b + (f < 0 ? -f : 0));
    } else {
      const std::int64_t distance = e < 0 ? -e : e;
      std::int64_t least = 1, most = signs.f > 0 ? right : element.column;  // distances of B's diagonals
      if constexpr (signs.d == signs.f && signs.e == -signs.f) least = distance + 1;
      if constexpr (signs.f < 0) least = least > -right ? least : -right;  // where B is narrower than A is wide
      if constexpr (signs.d == signs.e && signs.e == -signs.f) most = most < distance ? most : distance - 1;
      const std::int64_t below = first_below();
      const bool behind = (signs.f > 0) == B.transposed;  // whether these stand behind the stored main diagonal's
      const std::int64_t first = behind ? below : 0, last = behind ? B.dg : below;
      const std::int64_t end = first_from(first, last, most + 1);
      for (std::int64_t q = first_from(first, last, least); q < end; ++q)
        add<Case>(element, B.offset(q), static_cast<std::int64_t>(B.starts[q]));
    }
  }

  /// The position of the first stored subdiagonal of B.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_below() const {
    std::int64_t first = 0, last = arguments.B.dg;
    while (first < last) {
      const std::int64_t middle = first + (last - first) / 2;
      if (arguments.B.Ds[middle] < 0)
        last = middle;
      else
        first = middle + 1;
    }
    return first;
  }
  /// The first of positions [first, last), ascending by distance, that is at least `distance` from the main diagonal.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_from(std::int64_t first, std::int64_t last,
                                                      std::int64_t distance) const {
    while (first < last) {
      const std::int64_t middle = first + (last - first) / 2;
      const auto offset         = static_cast<std::int64_t>(arguments.B.Ds[middle]);
      if ((offset < 0 ? -offset : offset) >= distance)
        last = middle;
      else
        first = middle + 1;
    }
    return first;
  }

  template <int Case>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Element& element, std::int64_t f, std::int64_t start) const {
    const auto& C            = arguments.C;
    const DiagonalMeeting at = meeting_in_case<Case>(element.e, element.m, f);
    const std::int64_t c     = C.start_of(element.e + f) + at.c;
    add_atomically(&C.list[c], element.value * taken(arguments.B.list[start + at.b], arguments.B.conjugated));
  }
};

/// C = alpha op(A) op(B) + beta C, HM. Does not fence.
template <class ExecutionSpace, class Arguments>
void diagonal_entries_by_case(const ExecutionSpace& exec, const Arguments& arguments, int threads) {
  using Kernel = DiagonalEntriesByCase<Arguments>;
  for_each_index(exec, "Lacuna::diagonal::scale", arguments.C.elements, ScaleResult<Arguments>{arguments});
  const std::int64_t elements = arguments.A.elements;
  const std::int64_t padded   = ceiling_quotient(elements, Kernel::aligned) * Kernel::aligned;
  for_each_index(exec, "Lacuna::diagonal::entries_by_case", padded * threads,
                 Kernel{arguments, elements, padded, threads});
}

}  // namespace lacuna::Impl

#endif
