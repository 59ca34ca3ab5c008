// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALENTRIESKERNEL_HPP
#define LACUNA_DIAGONALENTRIESKERNEL_HPP

#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/diagonal/published/entries/Lacuna_DiagonalCases.hpp>

/// \file
/// \brief Structured sparse times structured sparse in HM as published (003, 6.2, algorithm 2): a thread multiplies an
/// element of A with every diagonal of B that it meets, and adds to C by atomics. Which element of B, and which of C,
/// is one of thirteen cases in three groups: products for the main diagonal, for superdiagonals, for subdiagonals.

namespace lacuna::Impl {

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

template <class ArgumentsType>
struct DiagonalEntries {
  using Arguments = ArgumentsType;
  using Scalar    = typename Arguments::Scalar;

  Arguments arguments;

  KOKKOS_FUNCTION void operator()(std::int64_t x) const {
    const auto &A = arguments.A, &B = arguments.B;
    const auto& C               = arguments.C;
    const std::int64_t position = upper_bound(A.starts, 0, A.dg, x) - 1;
    const std::int64_t e        = A.offset(position);
    const std::int64_t m        = x - static_cast<std::int64_t>(A.starts[position]);
    const Scalar a              = arguments.alpha * taken(A.list[x], A.conjugated);
    for (std::int64_t q = 0; q < B.dg; ++q) {
      const std::int64_t f = B.offset(q);
      const std::int64_t d = e + f;
      if (d <= -C.rows || d >= C.columns) continue;
      DiagonalMeeting at{};
      if (d == 0)
        at = meeting_on_main(e, m, f);
      else if (d > 0)
        at = meeting_on_super(e, m, f);
      else
        at = meeting_on_sub(e, m, f);
      if (at.b < 0 || at.b >= diagonal_length(B.rows, B.columns, f)) continue;
      const std::int64_t b = static_cast<std::int64_t>(B.starts[q]) + at.b;
      const std::int64_t c = C.start_of(d) + at.c;
      add_atomically(&C.list[c], a * taken(B.list[b], B.conjugated));
    }
  }
};

/// C = alpha op(A) op(B) + beta C, HM. Does not fence.
template <class ExecutionSpace, class Arguments>
void diagonal_entries(const ExecutionSpace& exec, const Arguments& arguments) {
  for_each_index(exec, "Lacuna::diagonal::scale", arguments.C.elements, ScaleResult<Arguments>{arguments});
  for_each_index(exec, "Lacuna::diagonal::entries", arguments.A.elements, DiagonalEntries<Arguments>{arguments});
}

}  // namespace lacuna::Impl

#endif
