// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_KERNEL_CHECK_HPP
#define LACUNA_SPMV_KERNEL_CHECK_HPP

#include <kernels/spmv/impl/Lacuna_Spmv_Common.hpp>
#include <reference/Reference_Spmv.hpp>
#include <support/Test_Matrices.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// \brief Runs one SpMV kernel over matrices, factors, strides and shapes, and compares with the serial reference.
///
/// A kernel is described by a struct with
///   - `static constexpr const char* name`,
///   - `prepare(exec, A)`: what is made once of a CrsMatrix (for a CSR kernel the matrix itself),
///   - `run(exec, prepared, arguments, shape)`.

namespace lacuna::Test {

/// A rank-1 View of `n` elements that lie 1 or 3 apart. What lies between them holds a sentinel that must survive.
template <class Scalar, class ExecutionSpace>
class SpacedVector {
 public:
  SpacedVector(const std::vector<Scalar>& content, bool spaced)
      : m_spacing(spaced ? 3 : 1), m_storage("storage", content.size(), m_spacing) {
    const auto mirror = Kokkos::create_mirror_view(m_storage);
    for (std::size_t i = 0; i < content.size(); ++i)
      for (std::size_t j = 0; j < m_spacing; ++j) mirror(i, j) = j == m_spacing / 2 ? content[i] : sentinel();
    Kokkos::deep_copy(m_storage, mirror);
  }

  auto view() const { return Kokkos::subview(m_storage, Kokkos::ALL(), m_spacing / 2); }

  std::vector<Scalar> content() const {
    const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_storage);
    std::vector<Scalar> result(m_storage.extent(0));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = mirror(i, m_spacing / 2);
      for (std::size_t j = 0; j < m_spacing; ++j)
        if (j != m_spacing / 2) EXPECT_EQ(mirror(i, j), sentinel()) << "a store beside element " << i;
    }
    return result;
  }

 private:
  static Scalar sentinel() { return Scalar(12345); }

  std::size_t m_spacing;
  Kokkos::View<Scalar**, Kokkos::LayoutRight, typename ExecutionSpace::memory_space> m_storage;
};

template <class Scalar>
Scalar factor(double real, double imaginary) {
  if constexpr (is_complex<Scalar>) {
    using Real = typename RealOf<Scalar>::type;
    return Scalar(static_cast<Real>(real), static_cast<Real>(imaginary));
  } else {
    return static_cast<Scalar>(real);
  }
}

/// One instantiation of a kernel on the execution space, with scalar and indices given.
template <class Kernel, class ExecutionSpace, class Scalar, class Ordinal, class Offset>
class KernelCheck {
 public:
  using Matrix = KokkosSparse::CrsMatrix<Scalar, Ordinal, typename ExecutionSpace::device_type, void, Offset>;

  /// beta == 0 meets NaN in y, which must vanish.
  static void run(const NamedMatrix<Scalar>& named, Impl::SpmvShape shape, Scalar alpha, Scalar beta, bool spaced) {
    const ExecutionSpace exec;
    const Matrix A      = make_crs<Matrix>(named.matrix);
    const auto prepared = Kernel::prepare(exec, A);
    apply(exec, prepared, named, shape, alpha, beta, spaced);
  }

  /// Every pair of factors, contiguous and spaced.
  static void run_factors(const NamedMatrix<Scalar>& named, Impl::SpmvShape shape = {}) {
    const ExecutionSpace exec;
    const Matrix A      = make_crs<Matrix>(named.matrix);
    const auto prepared = Kernel::prepare(exec, A);
    const Scalar one(1), zero(0);
    apply(exec, prepared, named, shape, one, zero, false);
    apply(exec, prepared, named, shape, factor<Scalar>(-2.5, 0.5), zero, true);
    apply(exec, prepared, named, shape, one, one, true);
    apply(exec, prepared, named, shape, factor<Scalar>(-2.5, 0.5), factor<Scalar>(0.75, -1), false);
    apply(exec, prepared, named, shape, zero, factor<Scalar>(0.75, -1), false);
    apply(exec, prepared, named, shape, zero, zero, true);
  }

  static void run_samples(Impl::SpmvShape shape = {}) {
    for (const auto& named : sample_matrices<Scalar>()) run_factors(named, shape);
    for (const auto& named : messy_matrices<Scalar>())
      run(named, shape, factor<Scalar>(-2.5, 0.5), factor<Scalar>(0.75, -1), false);
  }

  /// Threads a team and lanes a row, all of them, on matrices whose sizes lie on and beside both.
  static void run_shapes() {
    for (const std::int64_t n : {15, 16, 17, 63, 64, 65, 255, 256, 257, 1000})
      for (const int team_size : {64, 128, 256, 512}) check_lanes(n, team_size);
  }

 private:
  static void check_lanes(std::int64_t n, int team_size) {
    const NamedMatrix<Scalar> uneven{"uneven " + std::to_string(n), uneven_matrix<Scalar>(n, n, 70)};
    for (const int lanes : {1, 2, 4, 8, 16, 32, 64})
      run(uneven, {team_size, lanes}, factor<Scalar>(1.5, 1), Scalar(0), false);
  }

  template <class Prepared>
  static void apply(const ExecutionSpace& exec, const Prepared& prepared, const NamedMatrix<Scalar>& named,
                    Impl::SpmvShape shape, Scalar alpha, Scalar beta, bool spaced) {
    using Real = typename RealOf<Scalar>::type;
    SCOPED_TRACE(std::string(Kernel::name) + ", " + named.name + ", team " + std::to_string(shape.team_size) +
                 ", lanes " + std::to_string(shape.lanes_per_row) + (spaced ? ", spaced" : ""));
    const auto x_host = random_vector<Scalar>(named.matrix.columns, 5);
    auto y_host       = random_vector<Scalar>(named.matrix.rows, 6);
    if (beta == Scalar(0)) y_host.assign(y_host.size(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
    const SpacedVector<Scalar, ExecutionSpace> x(x_host, spaced), y(y_host, spaced);
    Kernel::run(exec, prepared,
                Impl::SpmvArguments<Scalar>{alpha, Impl::strided<const Scalar>("spmv", x.view()), beta,
                                            Impl::strided<Scalar>("spmv", y.view())},
                shape);
    exec.fence("Lacuna::Test: the result is read");
    EXPECT_TRUE(matches(reference_spmv<Scalar>(Op::none, alpha, named.matrix, x_host, beta, y_host), y.content()));
  }
};

/// Inf and NaN in x stay in the rows that use them, whatever padding, tile or thread they meet other rows in.
template <class Kernel>
void check_isolation() {
  using Exec      = Kokkos::DefaultExecutionSpace;
  using Matrix    = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, std::size_t>;
  const auto host = uneven_matrix<double>(900, 900, 12);
  std::vector<double> x_host(900, 1.0);
  x_host[450] = std::numeric_limits<double>::infinity();
  x_host[451] = std::numeric_limits<double>::quiet_NaN();
  x_host[0] = x_host[899] = -std::numeric_limits<double>::infinity();
  const Exec exec;
  const Matrix A      = make_crs<Matrix>(host);
  const auto prepared = Kernel::prepare(exec, A);
  const SpacedVector<double, Exec> x(x_host, false), y(std::vector<double>(900, 0.0), false);
  Kernel::run(exec, prepared,
              Impl::SpmvArguments<double>{1, Impl::strided<const double>("spmv", x.view()), 0,
                                          Impl::strided<double>("spmv", y.view())},
              Impl::SpmvShape());
  exec.fence("Lacuna::Test: the result is read");
  const auto result    = y.content();
  const auto reference = reference_spmv<double>(Op::none, 1, host, x_host, 0, {});
  int finite           = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    EXPECT_EQ(std::isfinite(result[i]), std::isfinite(reference.y[i])) << "row " << i;
    finite += std::isfinite(reference.y[i]) ? 1 : 0;
  }
  EXPECT_GT(finite, 800);
  EXPECT_LT(finite, 900);
}

/// The instantiations that together meet every scalar and every pair of indices.
template <class Kernel, class ExecutionSpace = Kokkos::DefaultExecutionSpace>
void check_every_type() {
  KernelCheck<Kernel, ExecutionSpace, double, int, std::size_t>::run_samples();
  KernelCheck<Kernel, ExecutionSpace, float, int, int>::run_samples();
  KernelCheck<Kernel, ExecutionSpace, double, std::int64_t, std::int64_t>::run_samples();
  KernelCheck<Kernel, ExecutionSpace, Kokkos::complex<float>, int, std::int64_t>::run_samples();
  KernelCheck<Kernel, ExecutionSpace, Kokkos::complex<double>, std::int64_t, std::size_t>::run_samples();
}

/// Serial, where it is not what `check_every_type` ran on.
template <class Kernel>
void check_serial() {
#if defined(KOKKOS_ENABLE_SERIAL)
  if constexpr (!std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::Serial>)
    KernelCheck<Kernel, Kokkos::Serial, double, int, std::size_t>::run_samples();
#endif
}

}  // namespace lacuna::Test

#endif
