// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_EXAMPLE_HPP
#define LACUNA_EXAMPLE_HPP

#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

/// \file
/// \brief What all examples share: the types of their matrices, a clock, a table of times, sums over vectors.

namespace example {

using Execution = Kokkos::DefaultExecutionSpace;
using Device    = Execution::device_type;

/// Matrices are those of Kokkos Kernels, here with 32-bit columns and 32-bit row maps.
template <class Scalar>
using MatrixOf    = KokkosSparse::CrsMatrix<Scalar, int, Device, void, int>;
using Matrix      = MatrixOf<double>;
using FloatMatrix = MatrixOf<float>;

using Vector  = Kokkos::View<double*, Device>;
using Columns = Kokkos::View<int*, Device>;
/// Several vectors side by side. Row-major, as products of a sparse matrix with many vectors like them best.
template <class Scalar>
using BlockOf = Kokkos::View<Scalar**, Kokkos::LayoutRight, Device>;

inline std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// The first argument of the program, or `otherwise`.
inline int size_argument(int argc, char** argv, int otherwise) {
  const int given = argc > 1 ? std::atoi(argv[1]) : 0;
  return given > 0 ? given : otherwise;
}

/// Seconds that `work` takes on `exec`, which is waited for before and after.
template <class Work>
double seconds(const Execution& exec, const Work& work) {
  exec.fence("example: before");
  const Kokkos::Timer timer;
  work();
  exec.fence("example: after");
  return timer.seconds();
}

/// The least of `repeats` times: of what can be done again.
template <class Work>
double least_seconds(int repeats, const Execution& exec, const Work& work) {
  double least = seconds(exec, work);
  for (int k = 1; k < repeats; ++k) least = std::min(least, seconds(exec, work));
  return least;
}

inline void print_times_header() { std::printf("\n  %-46s %12s %16s\n", "milliseconds", "Lacuna", "Kokkos Kernels"); }
/// One line of the table. `theirs` < 0: there is no such step.
inline void print_times(const char* step, double ours, double theirs) {
  if (theirs < 0)
    std::printf("  %-46s %12.3f %16s\n", step, 1e3 * ours, "-");
  else
    std::printf("  %-46s %12.3f %16.3f\n", step, 1e3 * ours, 1e3 * theirs);
}

/// Prints whether what the example knows of its result holds, and returns it.
inline bool check(const char* what, bool holds) {
  std::printf("%s: %s\n", what, holds ? "right" : "WRONG");
  return holds;
}

inline double dot(const Execution& exec, const Vector& x, const Vector& y) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "dot", Kokkos::RangePolicy<Execution>(exec, 0, static_cast<int>(x.extent(0))),
      KOKKOS_LAMBDA(int i, double& part) { part += x(i) * y(i); }, sum);
  return sum;
}

/// y = alpha x + beta y
inline void axpby(const Execution& exec, double alpha, const Vector& x, double beta, const Vector& y) {
  Kokkos::parallel_for(
      "axpby", Kokkos::RangePolicy<Execution>(exec, 0, static_cast<int>(x.extent(0))),
      KOKKOS_LAMBDA(int i) { y(i) = alpha * x(i) + beta * y(i); });
}

}  // namespace example

#endif
