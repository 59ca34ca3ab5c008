// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_REFRESHSTORAGE_HPP
#define LACUNA_REFRESHSTORAGE_HPP

#include <Lacuna_Convert.hpp>
#include <core/impl/Lacuna_TransposedMatrix.hpp>
#include <formats/impl/Lacuna_FormatTypes.hpp>

#include <variant>

namespace lacuna::Impl {

/// Takes the values of a matrix over into a format, or into the `matrix` of a format with its workspace. A struct: nvcc
/// cannot pass a generic lambda of a member function on to the host compiler.
template <class ExecutionSpace, class Matrix>
struct RefreshStorage {
  const ExecutionSpace& exec;
  const Matrix& from;

  template <class Stored>
  void operator()(const Stored& stored) const {
    if constexpr (requires { stored.matrix.bytes(); })
      lacuna::update_values(exec, from, stored.matrix);
    else if constexpr (FormatType<Stored>)
      lacuna::update_values(exec, from, stored);
  }
};

/// Takes the values of op(A) over into whatever storage a plan has.
template <class ExecutionSpace, CrsMatrixType Matrix, class Storage>
void refresh_storage(const ExecutionSpace& exec, const Matrix& A, const TransposedMatrix<Matrix>& transposed,
                     const Storage& storage) {
  if (transposed)
    std::visit(RefreshStorage{exec, transposed.matrix()}, storage);
  else
    std::visit(RefreshStorage{exec, A}, storage);
}

}  // namespace lacuna::Impl

#endif
