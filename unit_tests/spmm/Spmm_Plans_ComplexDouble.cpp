// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Spmm_Plans.hpp>

namespace lacuna {

template class Impl::CrsPlan<Impl::SpmmOperation, Test::SharedPlanMatrix<Kokkos::complex<double>>,
                             Test::SharedPlanSpace>;
template class SpmmPlan<Test::SharedPlanMatrix<Kokkos::complex<double>>>;
template void SpmmPlan<Test::SharedPlanMatrix<Kokkos::complex<double>>>::apply(
    const Test::SharedPlanSpace&, const Impl::BlockArguments<Kokkos::complex<double>>&) const;

}  // namespace lacuna
