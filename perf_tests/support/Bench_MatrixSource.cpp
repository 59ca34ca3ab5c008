// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <support/Bench_MatrixSource.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lacuna::bench {

namespace {

namespace fs = std::filesystem;

// Matrix Market; Rutherford-Boeing and Harwell-Boeing by type (real, complex, pattern; general, symmetric, …).
constexpr std::array<std::string_view, 14> matrix_endings{".mtx", ".mm",  ".rb",  ".rua", ".rsa", ".rza", ".rra",
                                                          ".cua", ".csa", ".cha", ".cza", ".pua", ".psa", ".pra"};

// Bytes that a nonzero takes in a file, about.
constexpr double plain_bytes = 20, packed_bytes = 6;

std::string_view without_gz(std::string_view file) {
  return file.ends_with(".gz") ? file.substr(0, file.size() - 3) : file;
}

bool is_matrix_file(const fs::path& path) {
  const std::string file = path.filename().string();
  return std::any_of(matrix_endings.begin(), matrix_endings.end(),
                     [&](std::string_view ending) { return without_gz(file).ends_with(ending); });
}

MatrixSource file_source(const fs::path& path, std::string name) {
  MatrixSource source;
  source.kind     = MatrixSource::Kind::file;
  source.name     = std::move(name);
  source.location = path.string();
  std::error_code none;  // a file that is not there is for the reader to complain about
  const auto bytes = fs::file_size(path, none);
  if (!none) source.nonzeros = static_cast<double>(bytes) / (path.extension() == ".gz" ? packed_bytes : plain_bytes);
  return source;
}

std::vector<std::string> split_tabs(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
  if (!cells.empty() && cells.back().ends_with('\r')) cells.back().pop_back();
  return cells;
}

std::vector<MatrixSource> matrices_of_index(const fs::path& index) {
  std::ifstream stream(index);
  std::string line;
  std::getline(stream, line);
  const std::vector<std::string> head = split_tabs(line);
  const auto column                   = [&](const char* title) {
    const auto place = std::find(head.begin(), head.end(), title);
    if (place == head.end()) throw std::runtime_error(index.string() + ": line 1 has no column " + title);
    return static_cast<std::size_t>(place - head.begin());
  };
  const std::size_t name = column("name"), file = column("file");
  std::vector<MatrixSource> sources;
  while (std::getline(stream, line)) {
    const std::vector<std::string> cells = split_tabs(line);
    if (cells.size() > std::max(name, file))
      sources.push_back(file_source(index.parent_path() / cells[file], cells[name]));
  }
  return sources;
}

}  // namespace

std::string matrix_name(std::string_view path) {
  const std::string file(without_gz(path.substr(path.find_last_of('/') + 1)));
  for (std::string_view ending : matrix_endings)
    if (std::string_view(file).ends_with(ending)) return file.substr(0, file.size() - ending.size());
  return file;
}

MatrixSource find_matrix(const std::string& argument, const std::function<bool(const std::string&)>& is_spec) {
  if (fs::is_regular_file(argument)) return file_source(argument, matrix_name(argument));
  if (is_spec(argument)) {
    MatrixSource source;
    source.kind = MatrixSource::Kind::generator;
    source.name = source.location = argument;
    return source;
  }
  if (const char* folder = std::getenv("LACUNA_MATRIX_DIR"); folder != nullptr && fs::is_directory(folder))
    for (const MatrixSource& source : matrices_of_folder(folder))
      if (source.name == argument && fs::is_regular_file(source.location)) return source;
  throw std::runtime_error(argument + ": neither a file, nor a generator spec, nor a matrix in LACUNA_MATRIX_DIR");
}

std::vector<MatrixSource> matrices_of_folder(const std::string& folder) {
  const fs::path index = fs::path(folder) / "INDEX.tsv";
  if (fs::is_regular_file(index)) return matrices_of_index(index);
  std::vector<MatrixSource> sources;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && is_matrix_file(entry.path()))
      sources.push_back(file_source(entry.path(), matrix_name(entry.path().string())));
  std::sort(sources.begin(), sources.end(),
            [](const MatrixSource& left, const MatrixSource& right) { return left.name < right.name; });
  return sources;
}

}  // namespace lacuna::bench
