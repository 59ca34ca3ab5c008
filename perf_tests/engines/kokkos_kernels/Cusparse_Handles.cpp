// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

/// \file
/// \brief What Kokkos Kernels has in its library where it is built with cuSPARSE: the handle of the program.

#include <KokkosKernels_config.h>

#include <Kokkos_Core.hpp>

#include <memory>

#include <KokkosKernels_tpl_handles_def.hpp>
