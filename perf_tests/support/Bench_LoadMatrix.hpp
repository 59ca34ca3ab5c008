// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_LOADMATRIX_HPP
#define LACUNA_BENCH_LOADMATRIX_HPP

#include <support/Bench_MatrixSource.hpp>
#include <support/Bench_Random.hpp>

#include <Lacuna_Generators.hpp>
#if __has_include(<Lacuna_MatrixIO.hpp>)
#include <Lacuna_MatrixIO.hpp>
#endif

#include <limits>

/// \file
/// \brief A source becomes a matrix on the device.

namespace lacuna::bench {

template <class View>
struct CountNotOne {
  View values;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const {
    if (values(i) != typename View::non_const_value_type(1)) ++count;
  }
};

/// \brief Random values where all are 1, as they are where a file holds a pattern only: a product with ones would not
/// show that values were mixed up.
template <class ExecutionSpace, class Matrix>
void draw_missing_values(const ExecutionSpace& exec, Matrix& A) {
  using Policy     = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  const auto count = static_cast<std::int64_t>(A.values.extent(0));
  if (count == 0) return;
  std::int64_t others = 0;
  Kokkos::parallel_reduce("Lacuna::bench::count_not_one", Policy(exec, 0, count),
                          CountNotOne<typename Matrix::values_type>{A.values}, others);
  if (others == 0) fill_random(exec, A.values, 20090401);
}

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
#if __has_include(<Lacuna_MatrixIO.hpp>)
  Matrix A = read_matrix<Matrix>(source.location);
  draw_missing_values(exec, A);
  return A;
#else
  throw NotSupported("lacuna::bench: files cannot be read yet");
#endif
}

}  // namespace lacuna::bench

#endif
