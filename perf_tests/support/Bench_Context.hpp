// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_CONTEXT_HPP
#define LACUNA_BENCH_CONTEXT_HPP

#include <ranks/Bench_Place.hpp>
#include <support/Bench_Session.hpp>

/// \file
/// \brief What a result has to say of the build and the machine. Neither host name nor path.

namespace lacuna::bench {

/// \brief Revision, compiler, versions, device, clocks, threads. Needs an initialised Kokkos.
Context describe_context();

/// \brief Where this process runs, its rank apart. Needs an initialised Kokkos; its threads have to be there, so that
/// their processors are seen.
Place describe_place();

/// \brief Bytes read and written a second by a deep_copy between two Views of the default memory space.
/// \param gigabytes bytes of one View in units of 1e9; 0: 2 GB on a GPU, 256 MB on a host
double measure_copy_bandwidth(double gigabytes);

}  // namespace lacuna::bench

#endif
