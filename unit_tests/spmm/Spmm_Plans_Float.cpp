// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmm/Spmm_Plans.hpp>

namespace lacuna {

template class Impl::CrsPlan<Impl::SpmmOperation, Test::SharedPlanMatrix<float>, Test::SharedPlanSpace>;
template class SpmmPlan<Test::SharedPlanMatrix<float>>;
template void SpmmPlan<Test::SharedPlanMatrix<float>>::apply(const Test::SharedPlanSpace&,
                                                             const Impl::BlockArguments<float>&) const;

}  // namespace lacuna
