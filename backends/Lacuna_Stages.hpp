// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_STAGES_HPP
#define LACUNA_STAGES_HPP

#include <backends/Lacuna_Backend.hpp>

/// \file
/// \brief Copies from memory into scratch that go on while the lanes work: `cp.async` on CUDA, plain copies elsewhere.
///
/// A *stage* is a part of scratch that copies fill. Every thread starts its own and closes them into groups; groups
/// finish in the order of their `commit`. Of `S` stages in a ring, with one group a stage:
///
///     for (int s = 0; s < S - 1; ++s) { fill(s); stages::commit(); }
///     for (int s = 0; s < n; ++s) {
///       stages::template wait<S - 2>();   // this thread's copies into stage s have come …
///       team.warp_barrier();             // … and everybody's; and nobody reads stage s - 1 any more
///       if (s + S - 1 < n) fill(s + S - 1);
///       stages::commit();                 // also where nothing was started: groups are counted
///       use(s);
///     }
///
/// `StagesFor<ExecutionSpace>` (in a body `Team::stages`) has
///  - `Address`, `address(pointer)`: a position in scratch, made once and stepped by bytes (`address + 64`);
///  - `copy<Bytes>(address, source, valid)`: 4, 8 or 16 bytes, both ends aligned to that, of which the first `valid`
///    (at most `Bytes`) are read and the others are zeros; with `valid` == 0 nothing is read at all;
///  - `load<T>(address)`: what stands there, read here and now and in this order, as a compiler that would hold more
///    loads in flight than registers suffice for must not change;
///  - `store(address, value)`: a plain store;
///  - `commit()`, `wait<Pending>()`: until at most `Pending` of the thread's youngest groups are not complete.

namespace lacuna::Impl {

template <class ExecutionSpace>
using StagesFor = typename StagesOf<ExecutionSpace>::type;

/// \brief Starts to copy the first `valid` of 16 bytes and zeros for the others, by elements of `Size` bytes where it
/// is not all of them.
///
/// One copy with a smaller size would do the same, but memory checkers take it for a read of 16 bytes, and report it
/// where an array ends among them.
template <class Stages, int Size>
KOKKOS_FORCEINLINE_FUNCTION void copy_first(typename Stages::Address to, const char* source, int valid) {
  if (valid >= 16) {
    Stages::template copy<16>(to, source);
  } else {
    LACUNA_UNROLL
    for (int at = 0; at < 16; at += Size) Stages::template copy<Size>(to + at, source + at, at < valid ? Size : 0);
  }
}

}  // namespace lacuna::Impl

#endif
