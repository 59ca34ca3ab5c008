// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_KERNEL_CHECK_HPP
#define LACUNA_SPMV_KERNEL_CHECK_HPP

#include <kernels/rows/Lacuna_VectorArguments.hpp>
#include <reference/Reference_Spmv.hpp>
#include <support/Reference_Space.hpp>
#include <support/Test_Matrices.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

/// \file
/// \brief Runs one SpMV kernel over matrices, factors, strides and shapes, and compares with the serial reference.
///
/// A kernel is described by a struct with
///   - `static constexpr const char* name`,
///   - `prepare(exec, A)`: what is made once of a CrsMatrix (for a CSR kernel the matrix itself),
///   - `run(exec, prepared, arguments, shape)`.
/// What does not depend on the kernel is compiled once, in Spmv_Kernel_Check_*.cpp.

namespace lacuna::Test {

/// The part of a check that knows the types but not the kernel.
template <class ExecutionSpace, class ScalarType, class Ordinal, class Offset>
class KernelDriver {
 public:
  using Scalar = ScalarType;
  using Matrix = KokkosSparse::CrsMatrix<Scalar, Ordinal, typename ExecutionSpace::device_type, void, Offset>;
  /// The product with a matrix that was prepared.
  using Apply   = std::function<void(const Impl::VectorArguments<Scalar>&, Impl::SpmvShape)>;
  using Prepare = std::function<Apply(const ExecutionSpace&, const Matrix&)>;

  KernelDriver(std::string name, Prepare prepare) : m_name(std::move(name)), m_prepare(std::move(prepare)) {}

  /// beta == 0 meets NaN in y, which must vanish. Where `spaced`, the elements of x and y lie 3 apart.
  void run(const NamedMatrix<Scalar>& named, Impl::SpmvShape shape, Scalar alpha, Scalar beta, bool spaced) const;
  /// Several pairs of factors, contiguous and spaced.
  void run_factors(const NamedMatrix<Scalar>& named, Impl::SpmvShape shape = {}) const;
  /// `sample_matrices` and `messy_matrices`.
  void run_samples() const;
  /// Threads a team and lanes a row, all of them, on matrices whose sizes lie on and beside both.
  void run_shapes() const;
  /// Inf and NaN in x stay in the rows that use them, whatever padding, tile or thread they meet other rows in.
  void run_isolation() const;

 private:
  void apply(const ExecutionSpace& exec, const Apply& product, const NamedMatrix<Scalar>& named, Impl::SpmvShape shape,
             Scalar alpha, Scalar beta, bool spaced) const;

  std::string m_name;
  Prepare m_prepare;
};

using Default = Kokkos::DefaultExecutionSpace;

// What the tests use: together every scalar and every pair of indices.
extern template class KernelDriver<Default, double, int, std::size_t>;
extern template class KernelDriver<Default, float, int, int>;
extern template class KernelDriver<Default, double, std::int64_t, std::int64_t>;
extern template class KernelDriver<Default, Kokkos::complex<float>, int, std::int64_t>;
extern template class KernelDriver<Default, Kokkos::complex<double>, std::int64_t, std::size_t>;
extern template class KernelDriver<ReferenceSpace, double, int, int>;

/// The driver of `Kernel`.
template <class Kernel, class ExecutionSpace, class Scalar, class Ordinal, class Offset>
KernelDriver<ExecutionSpace, Scalar, Ordinal, Offset> driver() {
  using Driver = KernelDriver<ExecutionSpace, Scalar, Ordinal, Offset>;
  return Driver(Kernel::name, [](const ExecutionSpace& exec, const typename Driver::Matrix& A) {
    using Prepared      = decltype(Kernel::prepare(exec, A));
    const auto prepared = std::make_shared<Prepared>(Kernel::prepare(exec, A));
    return
        typename Driver::Apply([exec, prepared](const Impl::VectorArguments<Scalar>& arguments, Impl::SpmvShape shape) {
          Kernel::run(exec, *prepared, arguments, shape);
        });
  });
}

/// The instantiation that cases of one type use.
template <class Kernel>
auto driver() {
  return driver<Kernel, Default, double, int, std::size_t>();
}

template <class Kernel>
void check_every_type() {
  driver<Kernel>().run_samples();
  driver<Kernel, Default, float, int, int>().run_samples();
  driver<Kernel, Default, double, std::int64_t, std::int64_t>().run_samples();
  driver<Kernel, Default, Kokkos::complex<float>, int, std::int64_t>().run_samples();
  driver<Kernel, Default, Kokkos::complex<double>, std::int64_t, std::size_t>().run_samples();
}

/// Serial too, beside the default.
template <class Kernel>
void check_serial() {
  if (!has_serial) GTEST_SKIP() << no_serial;
  driver<Kernel, ReferenceSpace, double, int, int>().run_samples();
}

}  // namespace lacuna::Test

#endif
