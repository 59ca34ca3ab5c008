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

#include <iostream>
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
  // A product with ones would not show that values were mixed up.
  return read_matrix<Matrix>(exec, source.location, {.pattern_values = PatternValues::random});
}

/// \brief The matrix, or none and why: a skipped matrix is said, a failure is the session's to know.
template <class Matrix>
std::optional<Matrix> try_load(Session& session, const MatrixSource& source) {
  try {
    return load_matrix<Matrix>(ExecutionSpace(), source);
  } catch (const NotSupported& error) {  // a complex file and a real scalar: nobody's fault
    std::cout << "\n" << source.name << ": skipped: " << error.what() << "\n";
    return std::nullopt;
  } catch (const std::exception& error) {
    session.note_failure(source.name + ": " + error.what());
    return std::nullopt;
  }
}

}  // namespace lacuna::bench

#endif
