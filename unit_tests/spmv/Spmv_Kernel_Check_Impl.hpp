// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_KERNEL_CHECK_IMPL_HPP
#define LACUNA_SPMV_KERNEL_CHECK_IMPL_HPP

#include <spmv/Spmv_Kernel_Check.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace lacuna::Test {

/// A rank-1 View whose elements lie 1 or 3 apart. What lies between them holds a sentinel that must survive.
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

  template <class T>
  Impl::StridedVector<T> strided() const {
    return Impl::strided<T>("spmv", Kokkos::subview(m_storage, Kokkos::ALL(), m_spacing / 2));
  }

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

template <class ExecutionSpace, class Scalar, class Ordinal, class Offset>
void KernelDriver<ExecutionSpace, Scalar, Ordinal, Offset>::apply(const ExecutionSpace& exec, const Apply& product,
                                                                  const NamedMatrix<Scalar>& named,
                                                                  Impl::SpmvShape shape, Scalar alpha, Scalar beta,
                                                                  bool spaced) const {
  using Real = typename RealOf<Scalar>::type;
  SCOPED_TRACE(m_name + ", " + named.name + ", team " + std::to_string(shape.team_size) + ", lanes " +
               std::to_string(shape.lanes_per_row) + (spaced ? ", spaced" : ""));
  const auto x_host = random_vector<Scalar>(named.matrix.columns, 5);
  auto y_host       = random_vector<Scalar>(named.matrix.rows, 6);
  if (beta == Scalar(0)) y_host.assign(y_host.size(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
  const SpacedVector<Scalar, ExecutionSpace> x(x_host, spaced), y(y_host, spaced);
  product({alpha, x.template strided<const Scalar>(), beta, y.template strided<Scalar>()}, shape);
  exec.fence("Lacuna::Test: the result is read");
  EXPECT_TRUE(matches(reference_spmv<Scalar>(Op::none, alpha, named.matrix, x_host, beta, y_host), y.content()));
}

template <class ExecutionSpace, class Scalar, class Ordinal, class Offset>
void KernelDriver<ExecutionSpace, Scalar, Ordinal, Offset>::run(const NamedMatrix<Scalar>& named, Impl::SpmvShape shape,
                                                                Scalar alpha, Scalar beta, bool spaced) const {
  const ExecutionSpace exec;
  apply(exec, m_prepare(exec, make_crs<Matrix>(named.matrix)), named, shape, alpha, beta, spaced);
}

template <class ExecutionSpace, class Scalar, class Ordinal, class Offset>
void KernelDriver<ExecutionSpace, Scalar, Ordinal, Offset>::run_factors(const NamedMatrix<Scalar>& named,
                                                                        Impl::SpmvShape shape) const {
  const ExecutionSpace exec;
  const Apply product = m_prepare(exec, make_crs<Matrix>(named.matrix));
  const Scalar zero(0), one(1), alpha = factor<Scalar>(-2.5, 0.5), beta = factor<Scalar>(0.75, -1);
  apply(exec, product, named, shape, one, zero, false);
  apply(exec, product, named, shape, alpha, zero, true);
  apply(exec, product, named, shape, one, one, true);
  apply(exec, product, named, shape, alpha, beta, false);
  apply(exec, product, named, shape, zero, beta, false);
  apply(exec, product, named, shape, zero, zero, true);
}

template <class ExecutionSpace, class Scalar, class Ordinal, class Offset>
void KernelDriver<ExecutionSpace, Scalar, Ordinal, Offset>::run_samples() const {
  for (const auto& named : sample_matrices<Scalar>()) run_factors(named);
  for (const auto& named : messy_matrices<Scalar>())
    run(named, {}, factor<Scalar>(-2.5, 0.5), factor<Scalar>(0.75, -1), false);
}

template <class ExecutionSpace, class Scalar, class Ordinal, class Offset>
void KernelDriver<ExecutionSpace, Scalar, Ordinal, Offset>::run_shapes() const {
  const ExecutionSpace exec;
  for (const std::int64_t n : {15, 16, 17, 63, 64, 65, 255, 256, 257, 1000}) {
    const NamedMatrix<Scalar> uneven{"uneven " + std::to_string(n), uneven_matrix<Scalar>(n, n, 70)};
    const Apply product = m_prepare(exec, make_crs<Matrix>(uneven.matrix));
    for (const int team_size : {64, 128, 256, 512})
      for (const int lanes : {1, 2, 4, 8, 16, 32, 64})
        apply(exec, product, uneven, {team_size, lanes}, factor<Scalar>(1.5, 1), Scalar(0), false);
  }
}

template <class ExecutionSpace, class Scalar, class Ordinal, class Offset>
void KernelDriver<ExecutionSpace, Scalar, Ordinal, Offset>::run_isolation() const {
  using Real         = typename RealOf<Scalar>::type;
  constexpr Real inf = std::numeric_limits<Real>::infinity();
  const auto host    = uneven_matrix<Scalar>(900, 900, 12);
  std::vector<Scalar> x_host(900, Scalar(1));
  x_host[450] = Scalar(inf);
  x_host[451] = Scalar(std::numeric_limits<Real>::quiet_NaN());
  x_host[0] = x_host[899] = Scalar(-inf);
  const ExecutionSpace exec;
  const SpacedVector<Scalar, ExecutionSpace> x(x_host, false), y(std::vector<Scalar>(900, Scalar(0)), false);
  m_prepare(exec, make_crs<Matrix>(host))(
      {Scalar(1), x.template strided<const Scalar>(), Scalar(0), y.template strided<Scalar>()}, Impl::SpmvShape());
  exec.fence("Lacuna::Test: the result is read");
  const auto result    = y.content();
  const auto reference = reference_spmv<Scalar>(Op::none, Scalar(1), host, x_host, Scalar(0), {});
  int finite           = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const bool expected = std::isfinite(std::abs(reference.y[i]));
    EXPECT_EQ(std::isfinite(std::abs(widen(result[i]))), expected) << m_name << ", row " << i;
    finite += expected ? 1 : 0;
  }
  EXPECT_GT(finite, 800);
  EXPECT_LT(finite, 900);
}

}  // namespace lacuna::Test

#endif
