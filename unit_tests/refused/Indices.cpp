// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Transpose.hpp>

#include <cstdint>

// Must not compile: indices that no kernel has.

using Exec   = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, std::int8_t, Exec::device_type, void, int>;

void transposed(const Matrix& A) { lacuna::transpose(A); }
