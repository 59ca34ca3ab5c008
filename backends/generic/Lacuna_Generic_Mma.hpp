// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERIC_MMA_HPP
#define LACUNA_GENERIC_MMA_HPP

#include <Kokkos_Core.hpp>

#include <cstring>

#include <backends/generic/Lacuna_Generic_Rounding.hpp>
#include <backends/generic/Lacuna_Mma_Layouts.hpp>

namespace lacuna::Impl {

/// \brief The registers of one operand: of one lane on a GPU (`LanesHeld` = 1), of all lanes on a host.
///
/// `fragment(lane, reg)` is the same expression on both; a GPU ignores `lane`, since it only has its own.
template <class T, int Registers, int LanesHeld>
struct Fragment {
  static constexpr int registers = Registers;

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(int lane, int reg) { return element[position(lane, reg)]; }
  KOKKOS_FORCEINLINE_FUNCTION const T& operator()(int lane, int reg) const { return element[position(lane, reg)]; }

  /// The i-th 32-bit register of a lane on a GPU.
  KOKKOS_FORCEINLINE_FUNCTION unsigned word(int i) const {
    unsigned result;
    memcpy(&result, reinterpret_cast<const char*>(element) + 4 * i, 4);
    return result;
  }

  alignas(sizeof(T) < 4 ? 4 : alignof(T)) T element[LanesHeld * Registers];

 private:
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int position([[maybe_unused]] int lane, int reg) {
    return (LanesHeld == 1 ? 0 : lane * Registers) + reg;
  }
};

/// \brief What every atom says of itself: layout, operand format, accumulator, and the types of its fragments.
template <class Layout, class Operand, class Accumulator, int LanesHeld = 1>
struct MmaShape : Layout {
  using layout                    = Layout;
  using operand                   = Operand;
  using element                   = typename Operand::storage;
  using accumulator               = Accumulator;
  static constexpr int lanes_held = LanesHeld;
  using A                         = Fragment<element, Layout::a_registers, LanesHeld>;
  using B                         = Fragment<element, Layout::b_registers, LanesHeld>;
  using C                         = Fragment<accumulator, Layout::c_registers, LanesHeld>;
};

/// \brief What an atom of 16 × 8 × 16 has as `RowsOfB` on a GPU, for all of its lanes: B of two atoms side by side,
/// where lane l gives the address of 8 columns of row l % 16, the left ones or, from lane 16 on, the right ones.
template <class Shape>
struct EmulatedRowsOfB {
  using Address = char*;

  template <class B>
  KOKKOS_FUNCTION static void load(B& left, B& right, const Fragment<Address, 1, Shape::lanes>& rows, int offset) {
    using Element = typename Shape::element;
    for (int lane = 0; lane < Shape::lanes; ++lane) {
      for (int reg = 0; reg < Shape::b_registers; ++reg) {
        const int row = Shape::b_row(lane, reg), at = Shape::b_column(lane, reg) * static_cast<int>(sizeof(Element));
        memcpy(&left(lane, reg), rows(row, 0) + offset + at, sizeof(Element));
        memcpy(&right(lane, reg), rows(16 + row, 0) + offset + at, sizeof(Element));
      }
    }
  }
};

/// \brief Any atom, lane for lane, by one thread: D = A B + C.
///
/// Operands are read as the engine reads them (TF32 truncated); products and sums are formed in double and rounded once
/// to the accumulator's type. Real engines round or truncate inside the sum in ways of their own, and the MI200 also
/// flushes 16-bit denormals: those differences are not imitated. `d` may be `c`.
template <class Atom>
struct EmulatedMma
    : MmaShape<typename Atom::layout, typename Atom::operand, typename Atom::accumulator, Atom::layout::lanes> {
  using Shape =
      MmaShape<typename Atom::layout, typename Atom::operand, typename Atom::accumulator, Atom::layout::lanes>;
  using typename Shape::A;
  using typename Shape::accumulator;
  using typename Shape::B;
  using typename Shape::C;
  using typename Shape::operand;
  using RowsOfB = EmulatedRowsOfB<Shape>;

  KOKKOS_FUNCTION static void fma(C& d, const A& a, const B& b, const C& c) {
    double left[Shape::m][Shape::k];
    double right[Shape::k][Shape::n];
    for (int lane = 0; lane < Shape::lanes; ++lane) {
      for (int reg = 0; reg < Shape::a_registers; ++reg)
        left[Shape::a_row(lane, reg)][Shape::a_column(lane, reg)] = operand::read(a(lane, reg));
      for (int reg = 0; reg < Shape::b_registers; ++reg)
        right[Shape::b_row(lane, reg)][Shape::b_column(lane, reg)] = operand::read(b(lane, reg));
    }
    for (int lane = 0; lane < Shape::lanes; ++lane) {
      for (int reg = 0; reg < Shape::c_registers; ++reg) {
        double sum = c(lane, reg);
        for (int inner = 0; inner < Shape::k; ++inner)
          sum += left[Shape::c_row(lane, reg)][inner] * right[inner][Shape::c_column(lane, reg)];
        d(lane, reg) = static_cast<accumulator>(sum);
      }
    }
  }
};

/// Runs `body(lane)` for each lane that this thread stands for: its own on a GPU, all of them on a host.
template <class Mma, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_lane(int lane, const Body& body) {
  if constexpr (Mma::lanes_held == 1) {
    body(lane);
  } else {
    for (int each = 0; each < Mma::lanes; ++each) body(each);
  }
}

/// \name Fill a fragment from `source(row, column)`.
/// @{
template <class Mma, class Source>
KOKKOS_FORCEINLINE_FUNCTION void fill_a(int own, typename Mma::A& a, const Source& source) {
  for_each_lane<Mma>(own, [&](int lane) {
    for (int reg = 0; reg < Mma::a_registers; ++reg)
      a(lane, reg) = source(Mma::a_row(lane, reg), Mma::a_column(lane, reg));
  });
}
template <class Mma, class Source>
KOKKOS_FORCEINLINE_FUNCTION void fill_b(int own, typename Mma::B& b, const Source& source) {
  for_each_lane<Mma>(own, [&](int lane) {
    for (int reg = 0; reg < Mma::b_registers; ++reg)
      b(lane, reg) = source(Mma::b_row(lane, reg), Mma::b_column(lane, reg));
  });
}
template <class Mma, class Source>
KOKKOS_FORCEINLINE_FUNCTION void fill_c(int own, typename Mma::C& c, const Source& source) {
  for_each_lane<Mma>(own, [&](int lane) {
    for (int reg = 0; reg < Mma::c_registers; ++reg)
      c(lane, reg) = source(Mma::c_row(lane, reg), Mma::c_column(lane, reg));
  });
}
/// @}

/// Hands each element of an accumulator to `sink(row, column, value)`.
template <class Mma, class Sink>
KOKKOS_FORCEINLINE_FUNCTION void drain_c(int own, const typename Mma::C& c, const Sink& sink) {
  for_each_lane<Mma>(own, [&](int lane) {
    for (int reg = 0; reg < Mma::c_registers; ++reg)
      sink(Mma::c_row(lane, reg), Mma::c_column(lane, reg), c(lane, reg));
  });
}

/// What an atom does where its instruction does not exist. Choosing an atom is the host's business, before the launch.
template <class... Operands>
KOKKOS_FUNCTION void mma_not_here(const Operands&...) {
  Kokkos::abort("lacuna: a matrix-engine instruction that the architecture compiled for does not have");
}

}  // namespace lacuna::Impl

#endif
