// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_MATRIXSOURCE_HPP
#define LACUNA_BENCH_MATRIXSOURCE_HPP

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// \brief Where the matrices of a run come from.

namespace lacuna::bench {

/// \brief A pattern on the host; values are drawn when it becomes a matrix.
struct HostPattern {
  std::int64_t rows    = 0;
  std::int64_t columns = 0;
  std::vector<std::int64_t> row_map;
  std::vector<std::int64_t> entries;
};

struct MatrixSource {
  enum class Kind { file, generator, pattern };

  Kind kind = Kind::generator;
  std::string name;                      ///< as it stands in the name of a case
  std::string location;                  ///< path or generator spec
  std::function<HostPattern()> pattern;  ///< of a surrogate
  bool surrogate  = false;
  double nonzeros = 0;  ///< about, as far as that is known before it is read: by it work is dealt to ranks
};

/// \brief The name of a matrix file without folder and endings: `a/cant.mtx.gz` is `cant`.
std::string matrix_name(std::string_view path);

/// \brief The source that a command line argument means: a file, a generator spec, or the name of a matrix in the
/// folder LACUNA_MATRIX_DIR. \throws std::runtime_error where it is none of them.
MatrixSource find_matrix(const std::string& argument, const std::function<bool(const std::string&)>& is_spec);

/// \brief All matrices that `folder`/INDEX.tsv lists (columns `name` and `file`), else all matrix files in it by name.
std::vector<MatrixSource> matrices_of_folder(const std::string& folder);

}  // namespace lacuna::bench

#endif
