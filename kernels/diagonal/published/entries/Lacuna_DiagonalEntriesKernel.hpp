// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALENTRIESKERNEL_HPP
#define LACUNA_DIAGONALENTRIESKERNEL_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalOperand.hpp>

/// \file
/// \brief Structured sparse times structured sparse in HM as published (003, 6.2, algorithm 2): a thread multiplies an
/// element of A with every diagonal of B that it meets, and adds to C by atomics. Which element of B, and which of C,
/// is one of thirteen cases in three groups: products for the main diagonal, for superdiagonals, for subdiagonals.
///
/// In the variant with several threads an element each group has a thread of its own, and neighbouring threads are of
/// the same group.

namespace lacuna::Impl {

/// Where an element A[e][m] meets diagonal f of B, and where the product goes: places within diagonals.
struct DiagonalMeeting {
  std::int64_t b;
  std::int64_t c;
};

/// The published cases. "main", "super" and "sub" are the paper's words: e + f == 0, > 0, < 0.
KOKKOS_INLINE_FUNCTION DiagonalMeeting meeting_on_main(std::int64_t e, std::int64_t m, std::int64_t) {
  if (e == 0) return {m, m};
  if (e > 0) return {m, m};
  return {m, m - e};
}
KOKKOS_INLINE_FUNCTION DiagonalMeeting meeting_on_super(std::int64_t e, std::int64_t m, std::int64_t f) {
  if (e > 0 && f > 0) return {e + m, m};
  if (e == 0) return {m, m};
  if (f == 0) return {e + m, m};
  if (e > 0) return {e + m + f, m};
  return {m, m - e};
}
KOKKOS_INLINE_FUNCTION DiagonalMeeting meeting_on_sub(std::int64_t e, std::int64_t m, std::int64_t f) {
  if (e < 0 && f < 0) return {m + f, m + f};
  if (e == 0) return {m + f, m + f};
  if (f == 0) return {m, m};
  if (e < 0) return {m, m + f};
  return {m + e + f, m + e + f};
}

template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void add_atomically(Scalar* to, const Scalar& value) {
  if constexpr (is_complex<Scalar>) {
    using Real        = typename RealOf<Scalar>::type;
    Real* const parts = reinterpret_cast<Real*>(to);
    Kokkos::atomic_add(&parts[0], value.real());
    Kokkos::atomic_add(&parts[1], value.imag());
  } else {
    Kokkos::atomic_add(to, value);
  }
}

template <class Arguments>
struct ScaleResult {
  Arguments arguments;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    using Scalar        = typename Arguments::Scalar;
    arguments.C.list[k] = arguments.beta == Scalar(0) ? Scalar(0) : arguments.beta * arguments.C.list[k];
  }
};

/// \tparam ByCase  a thread a group of cases: index / elements is the group
template <class ArgumentsType, bool ByCase>
struct DiagonalEntries {
  using Arguments = ArgumentsType;
  using Scalar    = typename Arguments::Scalar;

  Arguments arguments;
  std::int64_t elements;  ///< of A

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto &A = arguments.A, &B = arguments.B;
    const auto& C                             = arguments.C;
    const std::int64_t x                      = ByCase ? index % elements : index;
    [[maybe_unused]] const std::int64_t group = ByCase ? index / elements : 0;
    const std::int64_t place                  = upper_bound(A.starts, 0, A.dg, x) - 1;
    const std::int64_t e                      = A.offset(place);
    const std::int64_t m                      = x - static_cast<std::int64_t>(A.starts[place]);
    const Scalar a                            = arguments.alpha * taken(A.list[x], A.conjugated);
    for (std::int64_t q = 0; q < B.dg; ++q) {
      const std::int64_t f = B.offset(q);
      const std::int64_t d = e + f;
      if (d <= -C.rows || d >= C.columns) continue;
      DiagonalMeeting at{};
      if (d == 0) {
        if (ByCase && group != 0) continue;
        at = meeting_on_main(e, m, f);
      } else if (d > 0) {
        if (ByCase && group != 1) continue;
        at = meeting_on_super(e, m, f);
      } else {
        if (ByCase && group != 2) continue;
        at = meeting_on_sub(e, m, f);
      }
      if (at.b < 0 || at.b >= diagonal_length(B.rows, B.columns, f)) continue;
      const std::int64_t b = static_cast<std::int64_t>(B.starts[q]) + at.b;
      const std::int64_t c = static_cast<std::int64_t>(C.dense[d + C.rows - 1]) + at.c;
      add_atomically(&C.list[c], a * taken(B.list[b], B.conjugated));
    }
  }
};

/// C = alpha op(A) op(B) + beta C, HM. Does not fence.
template <bool ByCase, class ExecutionSpace, class Arguments>
void diagonal_entries(const ExecutionSpace& exec, const Arguments& arguments) {
  for_each_index(exec, "Lacuna::diagonal::scale", arguments.C.elements, ScaleResult<Arguments>{arguments});
  const std::int64_t elements = arguments.A.elements;
  for_each_index(exec, ByCase ? "Lacuna::diagonal::entries_by_case" : "Lacuna::diagonal::entries",
                 elements * (ByCase ? 3 : 1), DiagonalEntries<Arguments, ByCase>{arguments, elements});
}

}  // namespace lacuna::Impl

#endif
