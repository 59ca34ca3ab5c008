// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_EXECUTIONTRAITS_HPP
#define LACUNA_EXECUTIONTRAITS_HPP

/// \file
/// \brief Facts of an execution space that kernels are written against, in place of literals.
///
/// `ExecutionTraits<ExecutionSpace>` has these members. Its specialisations are in backends/, each with its backend.
///   - `is_gpu`: whether lanes run in lock step and loads must be coalesced;
///   - `lane_width`: threads that run in lock step (CUDA warp: 32; AMD wavefront: 64 or 32; host: 1);
///   - `max_team_size`: the most threads of one team;
///   - `scratch_bytes`: the scratch that `Kokkos::TeamPolicy` gives one team at level 0;
///   - `load_bytes`: the widest load of one thread;
///   - `has_gemm`: whether the build has a dense product for it, see backends/Lacuna_Gemm.hpp;
///   - `lanes`: the operations between lanes (shuffles, votes), see backends/.

#include <backends/Lacuna_Backend.hpp>

#endif
