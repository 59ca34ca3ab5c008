// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmv/Spmv_Kernel_Check_Impl.hpp>

namespace lacuna::Test {

template class KernelDriver<Default, Kokkos::complex<float>, int, std::int64_t>;
template class KernelDriver<Default, Kokkos::complex<double>, std::int64_t, std::size_t>;

}  // namespace lacuna::Test
