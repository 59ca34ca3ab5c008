// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MATRIXIO_HPP
#define LACUNA_MATRIXIO_HPP

#include <core/impl/files/Lacuna_MatrixFile.hpp>
#include <core/impl/files/Lacuna_MatrixTransfer.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief Matrices from and to files: `auto A = read_matrix<Matrix>("cant.mtx.gz")`.
///
/// Read are
///   - Matrix Market (NIST): `matrix` and `vector` (one column); `coordinate` and `array`; `real`, `integer`, `complex`
///     and `pattern`; `general`, `symmetric`, `skew-symmetric` and `hermitian`. A pattern is general or symmetric; a
///     real Hermitian matrix is taken as symmetric.
///   - Rutherford-Boeing and Harwell-Boeing: real, complex, integer and pattern, of any symmetry, assembled.
/// Which one is decided by what the file holds; either may be compressed by gzip.
///
/// What the formats leave open is decided so:
///   - Rows come out sorted by column. Symmetric matrices are expanded; what the file stores is mirrored, in whichever
///     triangle it is, and diagonal entries are kept as they stand (of skew-symmetric ones too).
///   - Duplicate entries stay separate entries, in the order of the file: they add up in every product. `validate`
///     finds them.
///   - Zeros that a coordinate file stores are kept, zeros of an `array` are left out.
///   - An entry of a pattern has the value 1, or a random one (`pattern_values`).
///   - Comments and blank lines may stand anywhere, words may be of any case, lines may end as on Windows or an old
///     Mac. Blanks before the banner, its '%' alone, a '+' before a number, and the exponents of Fortran (1.0D+00) are
///     accepted; an integer file may hold reals.
///   - Refused are: an entry that is not alone on its line, more or fewer entries than promised, an index outside the
///     matrix, a value too large for its type (1e400; 1e40 into float; an integer of more than 64 bits).

namespace lacuna {

/// \brief The values that the entries of a pattern get.
enum class PatternValues {
  one,
  /// In (-1, 1), never 0, from the seed and the place of the entry; those of a symmetric pattern are symmetric.
  random
};

struct ReadMatrixOptions {
  PatternValues pattern_values = PatternValues::one;
  std::uint64_t seed           = 1;
  /// Bytes that the offsets of the rows may take on the host. They alone do not grow with the file, which may name any
  /// number of empty rows. 0: 256 MiB and 64 times the text of the file.
  std::size_t memory_limit = 0;
};

/// \brief Reads a matrix and copies it to the memory of `Matrix`, a KokkosSparse::CrsMatrix, through `exec`.
///
/// Waits for the copies. Host memory: a small multiple of the file's text. Files of some size are parsed by all threads
/// of the machine; the result does not depend on how many there are.
/// \throws InvalidArgument where there is no such file
/// \throws InvalidMatrix naming file, line and fact where the file is broken, or does not fit the indices or the scalar
/// \throws NotSupported where a complex file is read into a real matrix, or the kind of Rutherford-Boeing file is not
/// read \throws OutOfMemory where the rows take more than `memory_limit`, or memory is exhausted
template <class Matrix, class ExecutionSpace>
requires Kokkos::is_execution_space<ExecutionSpace>::value Matrix read_matrix(const ExecutionSpace& exec,
                                                                              const std::string& path,
                                                                              const ReadMatrixOptions& options = {}) {
  static_assert(Impl::CrsMatrixType<Matrix>, "lacuna::read_matrix: the result is a KokkosSparse::CrsMatrix");
  constexpr auto largest = std::numeric_limits<typename Matrix::non_const_ordinal_type>::max();
  const Impl::FileMatrix file =
      Impl::read_matrix_file(path, {.largest_index = largest, .memory = options.memory_limit});
  const bool random = options.pattern_values == PatternValues::random;
  return Matrix(Impl::to_device<Impl::OwningCrs<Matrix>>(exec, file, random, options.seed));
}

/// \brief The same on the default instance.
template <class Matrix>
Matrix read_matrix(const std::string& path, const ReadMatrixOptions& options = {}) {
  return read_matrix<Matrix>(typename Matrix::execution_space(), path, options);
}

/// \brief Writes a Matrix Market file: coordinate, general; real, complex or (where the scalar is one) integer;
/// compressed where the name ends in ".gz".
///
/// Every entry as it stands, row by row. Numbers are the shortest that read back as the same bits (a NaN as some NaN).
/// The file appears whole or not at all. Waits for the copies to the host.
/// \throws InvalidArgument where the file cannot be written
template <class ExecutionSpace, class Matrix>
requires(Kokkos::is_execution_space<ExecutionSpace>::value&& Impl::CrsMatrixType<Matrix>) void write_matrix(
    const ExecutionSpace& exec, const std::string& path, const Matrix& A) {
  Impl::to_file(exec, path, A);
}

/// \brief The same on the default instance.
template <class Matrix>
requires Impl::CrsMatrixType<Matrix>
void write_matrix(const std::string& path, const Matrix& A) {
  const typename Matrix::execution_space exec;
  exec.fence("Lacuna::write_matrix: before the matrix is copied");
  Impl::to_file(exec, path, A);
}

}  // namespace lacuna

#endif
