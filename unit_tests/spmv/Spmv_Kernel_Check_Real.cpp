// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmv/Spmv_Kernel_Check_Impl.hpp>

namespace lacuna::Test {

template class KernelDriver<Default, double, int, std::size_t>;
template class KernelDriver<Default, float, int, int>;
template class KernelDriver<Default, double, std::int64_t, std::int64_t>;
template class KernelDriver<ReferenceSpace, double, int, int>;

}  // namespace lacuna::Test
