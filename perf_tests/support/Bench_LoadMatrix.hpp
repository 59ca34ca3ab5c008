// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_LOADMATRIX_HPP
#define LACUNA_BENCH_LOADMATRIX_HPP

#include <support/Bench_MatrixSource.hpp>
#include <support/Bench_Random.hpp>
#include <support/Bench_Session.hpp>
#include <support/Bench_Timing.hpp>

#include <Lacuna_Generators.hpp>
#include <Lacuna_MatrixIO.hpp>

#include <limits>
#include <optional>

/// \file
/// \brief A source becomes a matrix on the device.

namespace lacuna::bench {

/// \brief Copies a pattern to the device and draws its values.
template <class Matrix, class ExecutionSpace>
Matrix matrix_of_pattern(const ExecutionSpace& exec, const HostPattern& pattern) {
  using Offset               = typename Matrix::non_const_size_type;
  using Ordinal              = typename Matrix::non_const_ordinal_type;
  const std::size_t nonzeros = pattern.entries.size();
  if (nonzeros > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max()) ||
      static_cast<std::uint64_t>(pattern.columns) > static_cast<std::uint64_t>(std::numeric_limits<Ordinal>::max()))
    throw NotSupported("lacuna::bench: the surrogate does not fit the index types");

  typename Matrix::row_map_type::non_const_type row_map("Lacuna::bench::row_map", pattern.row_map.size());
  typename Matrix::index_type::non_const_type entries("Lacuna::bench::entries", nonzeros);
  typename Matrix::values_type::non_const_type values("Lacuna::bench::values", nonzeros);
  const auto host_row_map = Kokkos::create_mirror_view(row_map);
  const auto host_entries = Kokkos::create_mirror_view(entries);
  for (std::size_t i = 0; i < pattern.row_map.size(); ++i) host_row_map(i) = static_cast<Offset>(pattern.row_map[i]);
  for (std::size_t i = 0; i < nonzeros; ++i) host_entries(i) = static_cast<Ordinal>(pattern.entries[i]);
  Kokkos::deep_copy(row_map, host_row_map);
  Kokkos::deep_copy(entries, host_entries);
  fill_random(exec, values, 20090401);
  return Matrix("surrogate", static_cast<Ordinal>(pattern.rows), static_cast<Ordinal>(pattern.columns),
                static_cast<Offset>(nonzeros), values, row_map, entries);
}

template <class Matrix, class ExecutionSpace>
Matrix load_matrix(const ExecutionSpace& exec, const MatrixSource& source) {
  switch (source.kind) {
    case MatrixSource::Kind::generator: return generate<Matrix>(exec, source.location);
    case MatrixSource::Kind::pattern: return matrix_of_pattern<Matrix>(exec, source.pattern());
    case MatrixSource::Kind::file: break;
  }
  // A product with ones would not show that values were mixed up. What integers are rounded to does not matter here.
  return read_matrix<Matrix>(exec, source.location, {.pattern_values = PatternValues::random, .round_integers = true});
}

/// \brief Magnitudes of complex values.
template <class Real, class Complex>
struct Magnitudes {
  Real real;
  Complex complex;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { real(i) = Kokkos::abs(complex(i)); }
};

/// \brief A matrix to look at, not to multiply with: a complex file becomes a real matrix of the magnitudes, so that
/// its pattern and its zeros stay.
template <class Matrix, class ExecutionSpace>
Matrix load_pattern(const ExecutionSpace& exec, const MatrixSource& source) {
  using Scalar = typename Matrix::non_const_value_type;
  if constexpr (!is_complex<Scalar>) {
    using Complex = KokkosSparse::CrsMatrix<Kokkos::complex<Scalar>, typename Matrix::non_const_ordinal_type,
                                            typename Matrix::device_type, void, typename Matrix::non_const_size_type>;
    try {
      return load_matrix<Matrix>(exec, source);
    } catch (const NotSupported&) {
      const auto A = load_matrix<Complex>(exec, source);
      const typename Matrix::values_type::non_const_type values("Lacuna::bench::magnitudes", A.values.extent(0));
      Kokkos::parallel_for("Lacuna::bench::magnitudes",
                           Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(
                               exec, 0, static_cast<std::int64_t>(values.extent(0))),
                           Magnitudes<decltype(values), decltype(A.values)>{values, A.values});
      return Matrix("magnitudes", A.numRows(), A.numCols(), A.nnz(), values, A.graph.row_map, A.graph.entries);
    }
  } else {
    return load_matrix<Matrix>(exec, source);
  }
}

/// \brief Values in another type.
template <class To, class From>
struct ConvertValues {
  To to;
  From from;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to(i) = static_cast<typename To::non_const_value_type>(from(i));
  }
};

/// \brief A matrix whose values are stored in half precision or bfloat16: it is read, or drawn, in float.
template <class Matrix, class ExecutionSpace>
Matrix load_rounded(const ExecutionSpace& exec, const MatrixSource& source) {
  using Float  = KokkosSparse::CrsMatrix<float, typename Matrix::non_const_ordinal_type, typename Matrix::device_type,
                                        void, typename Matrix::non_const_size_type>;
  const auto A = load_matrix<Float>(exec, source);
  const typename Matrix::values_type::non_const_type values("Lacuna::bench::rounded", A.values.extent(0));
  Kokkos::parallel_for("Lacuna::bench::rounded",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(
                           exec, 0, static_cast<std::int64_t>(values.extent(0))),
                       ConvertValues<decltype(values), decltype(A.values)>{values, A.values});
  return Matrix("rounded", A.numRows(), A.numCols(), A.nnz(), values, A.graph.row_map, A.graph.entries);
}

/// \brief The matrix that `load` gives, or none and why: a skipped matrix is said, a failure is the session's to know.
template <class Load>
auto try_loading(Session& session, const MatrixSource& source, const Load& load) -> std::optional<decltype(load())> {
  try {
    return load();
  } catch (const NotSupported& error) {  // a complex file and a real scalar: nobody's fault
    session.note_skip(source.name + ": skipped: " + error.what());
    return std::nullopt;
  } catch (const std::exception& error) {
    session.note_failure(source.name + ": " + error.what());
    return std::nullopt;
  }
}

template <class Matrix>
std::optional<Matrix> try_load(Session& session, const MatrixSource& source) {
  return try_loading(session, source, [&] {
    if constexpr (is_half<typename Matrix::non_const_value_type>)
      return load_rounded<Matrix>(ExecutionSpace(), source);
    else
      return load_matrix<Matrix>(ExecutionSpace(), source);
  });
}

/// \brief The same of `load_pattern`.
template <class Matrix>
std::optional<Matrix> try_load_pattern(Session& session, const MatrixSource& source) {
  return try_loading(session, source, [&] { return load_pattern<Matrix>(ExecutionSpace(), source); });
}

}  // namespace lacuna::bench

#endif
