// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_MatrixFile.hpp>
#include <core/impl/files/Lacuna_TextFile.hpp>

#include <fast_matrix_market/fast_matrix_market.hpp>

#include <algorithm>
#include <complex>

namespace lacuna::Impl {

namespace {

namespace fmm = fast_matrix_market;

/// Hands out runs of rows with about as many nonzeros each, in the form that fast_matrix_market's writer asks for.
template <class Scalar>
class RowFormatter {
 public:
  RowFormatter(const fmm::matrix_market_header& header, const fmm::write_options& options, const FileMatrixView& matrix)
      : m_lines(header, options), m_matrix(matrix) {}

  bool has_next() const { return m_row < m_matrix.rows; }

  auto next_chunk(const fmm::write_options& options) {
    const std::int64_t begin = m_row;
    const std::int64_t stop  = offset(begin) + options.chunk_size_values;
    do ++m_row;
    while (m_row < m_matrix.rows && offset(m_row + 1) <= stop);
    return [lines = m_lines, &matrix = m_matrix, begin, end = m_row]() mutable {
      const auto* values = static_cast<const Scalar*>(matrix.values);
      std::string text;
      for (std::int64_t row = begin; row < end; ++row) {
        for (auto k = matrix.row_map[static_cast<std::size_t>(row)];
             k < matrix.row_map[static_cast<std::size_t>(row) + 1]; ++k)
          text += lines.coord_matrix(row, matrix.entries[static_cast<std::size_t>(k)], values[k]);
      }
      return text;
    };
  }

 private:
  std::int64_t offset(std::int64_t row) const { return m_matrix.row_map[static_cast<std::size_t>(row)]; }

  fmm::line_formatter<std::int64_t, Scalar> m_lines;
  const FileMatrixView& m_matrix;
  std::int64_t m_row = 0;
};

template <class Scalar>
void write(std::ostream& stream, const FileMatrixView& matrix) {
  fmm::matrix_market_header header(matrix.rows, matrix.columns);
  header.nnz   = static_cast<std::int64_t>(matrix.entries.size());
  header.field = fmm::get_field_type(static_cast<const Scalar*>(nullptr));
  fmm::write_options options;
  options.chunk_size_values = 1 << 15;
  options.parallel_ok       = header.nnz > options.chunk_size_values;
  fmm::write_header(stream, header, options);
  RowFormatter<Scalar> formatter(header, options, matrix);
  fmm::write_body(stream, formatter, options);
}

}  // namespace

void write_matrix_file(const std::string& path, const FileMatrixView& matrix) {
  OutputFile file(path);
  switch (matrix.scalar) {
    case FileScalar::int64: write<std::int64_t>(file.stream(), matrix); break;
    case FileScalar::uint64: write<std::uint64_t>(file.stream(), matrix); break;
    case FileScalar::float32: write<float>(file.stream(), matrix); break;
    case FileScalar::float64: write<double>(file.stream(), matrix); break;
    case FileScalar::complex64: write<std::complex<float>>(file.stream(), matrix); break;
    case FileScalar::complex128: write<std::complex<double>>(file.stream(), matrix); break;
  }
  file.commit();
}

}  // namespace lacuna::Impl
