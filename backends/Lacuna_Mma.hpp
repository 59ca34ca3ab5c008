// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MMA_HPP
#define LACUNA_MMA_HPP

#include <backends/Lacuna_Backend.hpp>

#include <type_traits>

#include <backends/cuda/Lacuna_Cuda_Mma.hpp>
#include <backends/generic/Lacuna_Generic_Mma.hpp>
#include <backends/hip/Lacuna_HIP_Mma.hpp>

/// \file
/// \brief Matrix-engine atoms: D = A B + C by one warp, in one instruction.
///
/// An *atom* is a type named architecture_shape_types, accumulator first (`Sm80_16x8x8_f32_tf32`), with
///  - `m`, `n`, `k`, `lanes`; `a_registers`, `b_registers`, `c_registers`: elements a lane holds;
///  - `a_row(lane, reg)`, `a_column(lane, reg)` and the same for b and c: constexpr, who owns what;
///  - `element` (A and B in memory), `operand` (their format: `store` rounds, `read` is what the engine sees),
///    `accumulator`; `A`, `B`, `C`: the fragments;
///  - of 16 × 8 × 16: `RowsOfB::load(left, right, rows, offset)`, B of two products out of any 16 rows in scratch;
///  - `fma(d, a, b, c)`: every lane of the warp takes part, and none has left.
/// Atoms of every architecture can be named everywhere. A kernel takes `MmaFor<ExecutionSpace, Atom>`: the instruction
/// on a GPU, its emulation lane for lane on a host, where one thread stands for the whole warp. Written with
/// `for_each_lane`, `fill_a` … `drain_c`, one body serves both.
///
/// State: NVIDIA's atoms are tested on the GPU against a plain product. AMD's are compiled for gfx90a and gfx942, their
/// layouts checked against AMD's tables, not run.

namespace lacuna::Impl {

template <class ExecutionSpace, class Atom>
struct MmaChoice {
  using traits = ExecutionTraits<ExecutionSpace>;
  static_assert(!traits::is_gpu || traits::lane_width == Atom::lanes, "lacuna: an atom of another lane width");
  using type = std::conditional_t<traits::is_gpu, Atom, EmulatedMma<Atom>>;
};

/// The atom on a GPU, its emulation on a host.
template <class ExecutionSpace, class Atom>
using MmaFor = typename MmaChoice<ExecutionSpace, Atom>::type;

}  // namespace lacuna::Impl

#endif
