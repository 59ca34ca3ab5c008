// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_GENERATORS_HPP
#define LACUNA_GENERATORS_HPP

#include <Lacuna_CrsOf.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/generators/Lacuna_Generate.hpp>
#include <core/impl/generators/Lacuna_GeneratorSpec.hpp>

#include <cstdint>
#include <string>

/// \file
/// \brief Matrices for tests and benchmarks, built on the device: `generate<Matrix>(exec, "mesh27:n=64,b=3")`.
///
/// `Generator` (core/impl/generators/Lacuna_Generator.hpp) describes every pattern and its specification.

namespace lacuna {

/// \brief Builds the matrix that `generator` describes.
///
/// The function waits once, for the number of nonzeros; kernels that fill the matrix may still run on `exec` when it
/// returns. The same generator gives the same matrix on every run and every backend.
///
/// \tparam Matrix the result, a `KokkosSparse::CrsMatrix`
/// \param[in] exec all work goes to this instance
/// \param[in] generator the pattern, its extents and the seed of the values
/// \throws InvalidArgument where rows, columns or nonzeros do not fit the index types of `Matrix`
/// \throws OutOfMemory where the matrix does not fit the memory
template <class Matrix, class ExecutionSpace>
Matrix generate(const ExecutionSpace& exec, const Generator& generator) {
  static_assert(Impl::CrsMatrixType<Matrix>, "lacuna::generate: the result is a KokkosSparse::CrsMatrix");
  return Impl::in_region("generate", [&] { return Matrix(Impl::build<CrsOf<Matrix>>(exec, generator.pattern())); });
}

/// \brief The same from a specification such as "banded:n=1000,half=3".
/// \throws InvalidArgument where `Generator::parse` refuses `spec`
template <class Matrix, class ExecutionSpace>
Matrix generate(const ExecutionSpace& exec, const std::string& spec) {
  return generate<Matrix>(exec, Generator::parse(spec));
}

/// \brief The same on the default instance, fenced after.
template <class Matrix>
Matrix generate(const std::string& spec) {
  const typename Matrix::execution_space exec;
  Matrix A = generate<Matrix>(exec, Generator::parse(spec));
  exec.fence("Lacuna::generate: done");
  return A;
}

}  // namespace lacuna

#endif
