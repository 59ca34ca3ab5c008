// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TILECOPIES_HPP
#define LACUNA_TILECOPIES_HPP

#include <backends/Lacuna_Backend.hpp>

/// \file
/// \brief Tiles of a dense block that a copy engine brings into scratch (TMA on Hopper and later): one lane asks for a
/// whole tile, and every lane can wait until it is there.
///
/// Where `has_engine` is true, `TileCopiesFor<ExecutionSpace>` has, in words of `Address`, positions in scratch as
/// Lacuna_Stages.hpp has them:
///  - `Map`, what the engine knows of a block in memory, and `map(label, data, rows, columns, row_stride, box_rows,
///    box_columns, swizzle)`, made on the host for one launch: it travels in the body (`stays_in_place`, see
///    Lacuna_Launch.hpp). With a swizzle of 128, rows of boxes have 128 bytes, boxes start at multiples of 1024 and
///    have multiples of 8 rows, and the 16 bytes i of row r lie where i XOR r mod 8 would; of 64, i XOR r / 2 mod 4;
///  - `box(to, map, row, column, barrier)`: `box_rows` x `box_columns` elements from there on, 128-byte aligned in
///    scratch; what lies outside the block is zeros;
///  - `bytes(to, source, count, barrier)`: `count` bytes, both ends and the count multiples of 16;
///  - `init(barrier, count)`, then `visible()` and a barrier of the team: a *barrier* is 8 bytes of scratch whose phase
///    ends when `count` threads arrived and the bytes that they told of have come;
///  - `arrive(barrier)`, `arrive_for(barrier, bytes)`; `wait(barrier, phase)`: until the phase of that parity, 0 for
///  the
///    first, has ended;
///  - `is_last(counter, count)`: whether `count` threads have asked so, of 4 bytes of scratch that are 0 then and
///  before.
///
/// A full and a free barrier a stage make a ring: the lane that copies waits for free, then arrives at full for the
/// bytes it asks for; the others wait for full, use the stage, and arrive at free. Or there is no lane that copies: who
/// `is_last` to leave a stage asks for its next tile.

namespace lacuna::Impl {

template <class ExecutionSpace>
using TileCopiesFor = typename TileCopiesOf<ExecutionSpace>::type;

}  // namespace lacuna::Impl

#endif
