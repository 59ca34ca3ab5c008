// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_KOKKOSKERNELS_VENDORS_HPP
#define LACUNA_KOKKOSKERNELS_VENDORS_HPP

#include <KokkosKernels_config.h>

// What headers of Kokkos Kernels 4.5 for vendors' libraries use without including it.
#include <Kokkos_Core.hpp>

#include <memory>
#include <sstream>
#include <stdexcept>

/// \file
/// \brief Which Kokkos Kernels this is for, and how its products by vendors' libraries make way.
///
/// Kokkos Kernels calls a "third-party library" (TPL) where a specialisation of its layer `Impl` says that there is
/// one. Those of cuSPARSE, rocSPARSE and MKL are for the same types as ours: before version 5.2 they would be taken
/// silently, from then on they would be ambiguous with ours. So the files that hold them are read here as in a Kokkos
/// Kernels that was built without. All else, products of BSR matrices too, keeps its library.

#if KOKKOSKERNELS_VERSION < 40500 || KOKKOSKERNELS_VERSION >= 50300
#error "Lacuna_KokkosKernels.hpp knows Kokkos Kernels 4.5 to 5.2: without it, KokkosSparse:: runs its own kernels"
#endif

#if defined(KOKKOSKERNELS_ENABLE_TPL_CUSPARSE) || defined(KOKKOSKERNELS_ENABLE_TPL_ROCSPARSE) || \
    defined(KOKKOSKERNELS_ENABLE_TPL_MKL)
#if defined(KOKKOSPARSE_SPMV_TPL_SPEC_AVAIL_HPP_) || defined(KOKKOSPARSE_SPGEMM_SYMBOLIC_TPL_SPEC_AVAIL_HPP_)
#error \
    "include Lacuna_KokkosKernels.hpp before KokkosSparse_spmv.hpp and KokkosSparse_spgemm.hpp: this Kokkos Kernels \
has a vendor's products, which they declare"
#endif
#endif

// What these headers include must be as the library was built: read before they are.
#include <KokkosKernels_Controls.hpp>
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spmv_handle.hpp>

#pragma push_macro("KOKKOSKERNELS_ENABLE_TPL_CUSPARSE")
#pragma push_macro("KOKKOSKERNELS_ENABLE_TPL_ROCSPARSE")
#pragma push_macro("KOKKOSKERNELS_ENABLE_TPL_MKL")
#undef KOKKOSKERNELS_ENABLE_TPL_CUSPARSE
#undef KOKKOSKERNELS_ENABLE_TPL_ROCSPARSE
#undef KOKKOSKERNELS_ENABLE_TPL_MKL

#include <KokkosSparse_spgemm_noreuse_tpl_spec_avail.hpp>
#include <KokkosSparse_spgemm_noreuse_tpl_spec_decl.hpp>
#include <KokkosSparse_spgemm_numeric_tpl_spec_avail.hpp>
#include <KokkosSparse_spgemm_numeric_tpl_spec_decl.hpp>
#include <KokkosSparse_spgemm_symbolic_tpl_spec_avail.hpp>
#include <KokkosSparse_spgemm_symbolic_tpl_spec_decl.hpp>
#include <KokkosSparse_spmv_mv_tpl_spec_avail.hpp>
#include <KokkosSparse_spmv_mv_tpl_spec_decl.hpp>
#include <KokkosSparse_spmv_tpl_spec_avail.hpp>
#include <KokkosSparse_spmv_tpl_spec_decl.hpp>

#pragma pop_macro("KOKKOSKERNELS_ENABLE_TPL_MKL")
#pragma pop_macro("KOKKOSKERNELS_ENABLE_TPL_ROCSPARSE")
#pragma pop_macro("KOKKOSKERNELS_ENABLE_TPL_CUSPARSE")

#endif
