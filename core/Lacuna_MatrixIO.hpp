// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MATRIXIO_HPP
#define LACUNA_MATRIXIO_HPP

#include <Lacuna_CrsOf.hpp>
#include <core/base/impl/Lacuna_Region.hpp>
#include <core/impl/files/Lacuna_MatrixFile.hpp>
#include <core/impl/files/Lacuna_MatrixTransfer.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

/// \file
/// \brief Matrices from and to files: `auto A = read_matrix<Matrix>("cant.mtx.gz")`.
///
/// `read_matrix` reads these formats. The content of a file decides which one it is. Either may be compressed by gzip:
///   - Matrix Market (NIST): `matrix` and `vector` (one column); `coordinate` and `array`; `real`, `integer`, `complex`
///     and `pattern`; `general`, `symmetric`, `skew-symmetric` and `hermitian`. A pattern must be general or symmetric;
///     a real Hermitian matrix counts as symmetric.
///   - Rutherford-Boeing and Harwell-Boeing: real, complex, integer and pattern, of any symmetry, assembled. Fields are
///     read as Fortran reads them: scale factors (1P), points that a format implies (F12.4), X, T, /, groups, blanks in
///     numbers. A field that is blank is 0; one that its line does not reach is refused.
///
/// Numbers are never altered in silence:
///   - An integer scalar gets the integers of the file as they are, 64 bits with or without a sign, and reals that are
///     whole numbers (1.5E+01). It refuses everything else, also negatives of skew-symmetric matrices that it cannot
///     hold.
///   - A real scalar gets the nearest number to a real of the file; what is too small becomes 0. It refuses integers of
///     an integer file that it would have to round (`round_integers`), and what is too large for it (1e40 into float).
///   - A refusal names the line and quotes the file.
///
/// The formats leave some cases open. The reader decides them so:
///   - Rows come out sorted by column. Symmetric matrices are expanded: every stored entry off the diagonal is
///     mirrored, in whichever triangle it is. Diagonal entries stay as they are, also in skew-symmetric files.
///   - Duplicate entries stay separate entries, in the order of the file. Every product adds them. `validate` reports
///     them.
///   - Zeros that a coordinate file stores are kept. Zeros of an `array` are left out.
///   - An entry of a pattern gets the value 1 or a random one (`pattern_values`).
///   - Comments and blank lines may stand anywhere. Words may be in upper or lower case. Lines may end as on Windows or
///     an old Mac. The reader accepts blanks before the banner, a banner with one '%', a '+' before a number, and
///     exponents of Fortran (1.0D+00). An integer file may hold reals.
///   - The reader refuses an entry that is not alone on its line, more or fewer entries than the header promises, an
///     index outside the matrix, and an integer of more than 64 bits. It opens regular files only, and says what a file
///     is that is none of a matrix: UTF-16, an archive, a page of HTML, a pointer of Git LFS.

namespace lacuna {

/// \brief The values that the entries of a pattern file get.
enum class PatternValues {
  one,
  /// In (-1, 1), never 0 (1 or -1 for integers), from the seed, row and column of the entry. A symmetric pattern gets
  /// symmetric values.
  random
};

/// \brief Options of `read_matrix`.
struct ReadMatrixOptions {
  PatternValues pattern_values = PatternValues::one;
  std::uint64_t seed           = 1;  ///< of random values
  /// The most bytes that the row map may take on the host. A short file may name any number of empty rows, so the size
  /// of the file does not bound this array. 0 stands for 256 MiB plus 64 times the text of the file.
  std::size_t memory_limit = 0;
  /// Integers that a real scalar does not hold exactly (above 2^53 for double, 2^24 for float) become the nearest
  /// number that it holds. Otherwise they are refused.
  bool round_integers = false;
};

/// \brief Reads a matrix from a file and copies it to the memory of `Matrix`.
///
/// The function waits for the copies. On the host it needs a small multiple of the size of the file's text. All threads
/// of the machine parse larger files; the result does not depend on their number.
///
/// \tparam Matrix the result, a `KokkosSparse::CrsMatrix`
/// \param[in] exec all copies go through this instance
/// \param[in] path a Matrix Market or Rutherford-Boeing file, see above
/// \param[in] options values of patterns, a limit of host memory, whether integers may be rounded
/// \throws InvalidArgument where there is no such file, or a pattern is to get random values in an unsigned scalar
/// \throws InvalidMatrix where the file is broken or does not fit the index or scalar types; the message names file and
/// line, and quotes the number
/// \throws NotSupported where a complex file is read into a real or integer matrix, or the reader does not know this
/// kind of Rutherford-Boeing file
/// \throws OutOfMemory where the row map needs more than `memory_limit`, or memory is exhausted
template <class Matrix, class ExecutionSpace>
requires Kokkos::is_execution_space<ExecutionSpace>::value Matrix read_matrix(const ExecutionSpace& exec,
                                                                              const std::string& path,
                                                                              const ReadMatrixOptions& options = {}) {
  static_assert(Impl::CrsMatrixType<Matrix>, "lacuna::read_matrix: the result is a KokkosSparse::CrsMatrix");
  using Scalar           = typename Matrix::non_const_value_type;
  constexpr auto largest = std::numeric_limits<typename Matrix::non_const_ordinal_type>::max();
  return Impl::in_region("read_matrix", [&] {
    const Impl::FileMatrix file =
        Impl::read_matrix_file(path, {.largest_index = largest,
                                      .memory        = options.memory_limit,
                                      .numbers       = Impl::scalar_range<Scalar>(options.round_integers)});
    const bool random = options.pattern_values == PatternValues::random;
    return Matrix(Impl::to_device<CrsOf<Matrix>>(exec, file, random, options.seed));
  });
}

/// \brief The same on the default instance.
template <class Matrix>
Matrix read_matrix(const std::string& path, const ReadMatrixOptions& options = {}) {
  return read_matrix<Matrix>(typename Matrix::execution_space(), path, options);
}

/// \brief Writes a matrix to a Matrix Market file: coordinate, general; real, complex or, for an integer scalar (signed
/// or unsigned), integer. A path that ends in ".gz" is compressed.
///
/// The file holds every entry as the matrix stores it, row by row. Numbers have the fewest digits that read back as the
/// same bits (a NaN reads back as some NaN). The file appears whole or not at all. The function waits for the copies to
/// the host.
///
/// \param[in] exec all copies go through this instance
/// \param[in] path the file; an existing one is replaced
/// \param[in] A a `KokkosSparse::CrsMatrix`
/// \throws InvalidArgument where the file cannot be written
/// \throws OutOfMemory where memory for a copy on the host is exhausted
template <class ExecutionSpace, class Matrix>
requires(Kokkos::is_execution_space<ExecutionSpace>::value&& Impl::CrsMatrixType<Matrix>) void write_matrix(
    const ExecutionSpace& exec, const std::string& path, const Matrix& A) {
  Impl::in_region("write_matrix", [&] { Impl::to_file(exec, path, A); });
}

/// \brief The same on the default instance, fenced before.
template <class Matrix>
requires Impl::CrsMatrixType<Matrix>
void write_matrix(const std::string& path, const Matrix& A) {
  const typename Matrix::execution_space exec;
  exec.fence("Lacuna::write_matrix: before the matrix is copied");
  write_matrix(exec, path, A);
}

}  // namespace lacuna

#endif
