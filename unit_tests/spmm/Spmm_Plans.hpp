// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_SPMM_PLANS_HPP
#define LACUNA_TEST_SPMM_PLANS_HPP

#include <Lacuna_Spmm.hpp>

/// \file
/// \brief Plans that several tests make, with kernels for lanes on hosts too: compiled once, in a library of their own
/// (lacuna_share_spmm_plans).

namespace lacuna {

namespace Test {
using SharedPlanSpace = Kokkos::DefaultExecutionSpace;
template <class Scalar>
using SharedPlanMatrix = KokkosSparse::CrsMatrix<Scalar, int, SharedPlanSpace::device_type, void, int>;
}  // namespace Test

extern template class Impl::CrsPlan<Impl::SpmmOperation, Test::SharedPlanMatrix<float>, Test::SharedPlanSpace>;
extern template class SpmmPlan<Test::SharedPlanMatrix<float>>;
extern template void SpmmPlan<Test::SharedPlanMatrix<float>>::apply(const Test::SharedPlanSpace&,
                                                                    const Impl::BlockArguments<float>&) const;

extern template class Impl::CrsPlan<Impl::SpmmOperation, Test::SharedPlanMatrix<Kokkos::complex<double>>,
                                    Test::SharedPlanSpace>;
extern template class SpmmPlan<Test::SharedPlanMatrix<Kokkos::complex<double>>>;
extern template void SpmmPlan<Test::SharedPlanMatrix<Kokkos::complex<double>>>::apply(
    const Test::SharedPlanSpace&, const Impl::BlockArguments<Kokkos::complex<double>>&) const;

}  // namespace lacuna

#endif
