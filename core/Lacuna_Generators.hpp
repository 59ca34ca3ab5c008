// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERATORS_HPP
#define LACUNA_GENERATORS_HPP

#include <core/impl/generators/Lacuna_Generate.hpp>
#include <core/impl/generators/Lacuna_GeneratorSpec.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief Matrices for tests and benchmarks, built on the device: `generate<Matrix>(exec, "mesh27:n=64,b=3")`.

namespace lacuna {

/// \brief Builds the matrix on `exec`. Brings one number, the nonzeros, back to the host; the matrix itself may still
/// be in the making when the function returns. Deterministic. \throws InvalidArgument where rows, columns or nonzeros
/// do not fit the indices of `Matrix`.
template <class Matrix, class ExecutionSpace>
Matrix generate(const ExecutionSpace& exec, const Generator& generator) {
  static_assert(Impl::CrsMatrixType<Matrix>, "lacuna::generate: the result is a KokkosSparse::CrsMatrix");
  return Matrix(Impl::build<Impl::OwningCrs<Matrix>>(exec, generator.pattern()));
}

/// \brief The same from a specification, see Generator::parse.
template <class Matrix, class ExecutionSpace>
Matrix generate(const ExecutionSpace& exec, const std::string& spec) {
  return generate<Matrix>(exec, Generator::parse(spec));
}

/// \brief On the default instance of the matrix's execution space, and waits for it.
template <class Matrix>
Matrix generate(const std::string& spec) {
  const typename Matrix::execution_space exec;
  Matrix A = generate<Matrix>(exec, Generator::parse(spec));
  exec.fence("Lacuna::generate: done");
  return A;
}

}  // namespace lacuna

#endif
