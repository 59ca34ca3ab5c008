// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_Error.hpp>
#include <core/impl/files/Lacuna_MatrixFile.hpp>

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "Fuzz_Input.hpp"

/// \file
/// \brief Any bytes as a matrix file. What is accepted keeps the rules of CSR, is the same for every scalar that holds
/// it, and comes back as it was when it is written; the rest is refused by an error of the library that names the file.

namespace {

using namespace lacuna;
using Fuzz::fail;
using Fuzz::require;

/// Row maps of this size are enough, and keep the program small.
constexpr std::size_t memory = std::size_t{1} << 18;

const std::string& scratch(const char* ending) {
  static const std::string base =
      (std::filesystem::temp_directory_path() / ("lacuna_fuzz_" + std::to_string(getpid()))).string();
  static const std::string plain = base + ".mtx", compressed = base + ".gz", written = base + ".out.mtx";
  static const bool removed_at_exit = std::atexit([] {
                                        for (const auto* path : {&plain, &compressed, &written})
                                          std::remove(path->c_str());
                                      }) == 0;
  static_cast<void>(removed_at_exit);
  return ending[0] == 'g' ? compressed : ending[0] == 'o' ? written : plain;
}

void write_bytes(const std::string& path, std::string_view bytes) {
  std::remove(path.c_str());  // some file systems flush a file that is truncated and written again
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  require(file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fclose(file) == 0,
          "the scratch file cannot be written");
}

void compress(const std::string& path, std::string_view bytes) {
  std::remove(path.c_str());
  const gzFile file = gzopen(path.c_str(), "wb1");
  require(
      file != nullptr && gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) >= 0 && gzclose(file) == Z_OK,
      "the compressed scratch file cannot be written");
}

std::string content(const std::string& path) {
  std::string bytes(std::filesystem::file_size(path), '\0');
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  require(file != nullptr && std::fread(bytes.data(), 1, bytes.size(), file) == bytes.size(), "cannot read back");
  std::fclose(file);
  return bytes;
}

void check_rules(const Impl::FileMatrix& matrix, const Impl::FileLimits& limits) {
  require(matrix.rows >= 0 && matrix.columns >= 0, "negative extents");
  require(std::max(matrix.rows, matrix.columns) <= limits.largest_index, "extents above the index type");
  require(static_cast<std::int64_t>(matrix.row_map.size()) == matrix.rows + 1, "extent of the row map");
  require(matrix.row_map.front() == 0 && matrix.row_map.back() == static_cast<std::int64_t>(matrix.entries.size()),
          "ends of the row map");
  require(std::is_sorted(matrix.row_map.begin(), matrix.row_map.end()), "a decreasing row map");
  require(matrix.components >= 0 && matrix.components <= (limits.numbers.is_complex ? 2 : 1), "components");
  const auto numbers = limits.numbers.is_integer ? matrix.integers.size() : matrix.values.size();
  require(numbers == matrix.entries.size() * static_cast<std::size_t>(matrix.components), "the number of values");
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto begin = matrix.entries.begin() + matrix.row_map[static_cast<std::size_t>(row)];
    const auto end   = matrix.entries.begin() + matrix.row_map[static_cast<std::size_t>(row) + 1];
    require(std::is_sorted(begin, end), "a row that is not sorted");
    require(begin == end || (*begin >= 0 && *(end - 1) < matrix.columns), "a column out of range");
  }
  for (const std::int64_t value : matrix.integers)
    require(value >= limits.numbers.least && (value < 0 || static_cast<std::uint64_t>(value) <= limits.numbers.most),
            "an integer that the scalar does not hold");
}

std::optional<Impl::FileMatrix> read(const std::string& path, const Impl::FileLimits& limits) {
  try {
    Impl::FileMatrix matrix = Impl::read_matrix_file(path, limits);
    check_rules(matrix, limits);
    return matrix;
  } catch (const Error& error) {
    const std::string message = error.what();
    require(message.starts_with("lacuna::read_matrix: " + path + ":"), "a refusal that names no file: " + message);
    return {};
  }
}

/// NaN is NaN.
bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void require_same(const Impl::FileMatrix& a, const Impl::FileMatrix& b, const std::string& what) {
  require(a.rows == b.rows && a.columns == b.columns && a.row_map == b.row_map && a.entries == b.entries,
          what + ": the pattern differs");
  require(a.components == b.components && a.values.size() == b.values.size() &&
              std::equal(a.values.begin(), a.values.end(), b.values.begin(), same_number),
          what + ": values differ");
}

void check_round_trip(const Impl::FileMatrix& matrix, const Impl::FileLimits& limits) {
  if (matrix.components == 0) return;
  const auto scalar = matrix.components == 2 ? Impl::FileScalar::complex128 : Impl::FileScalar::float64;
  Impl::write_matrix_file(scratch("out"),
                          {matrix.rows, matrix.columns, matrix.row_map, matrix.entries, scalar, matrix.values.data()});
  const auto back = read(scratch("out"), limits);
  require(back.has_value(), "what was written is refused");
  require_same(matrix, *back, "written and read");
}

/// Other scalars, of what a complex double holds.
void check_scalars(const Impl::FileMatrix& matrix, const std::string& path) {
  Impl::FileLimits limits{.largest_index = 2000000000, .memory = memory};
  limits.numbers.is_complex     = false;
  limits.numbers.round_integers = true;
  const auto real               = read(path, limits);
  require(real.has_value() == (matrix.components < 2), "a real scalar takes what is complex, or not what is real");
  if (real) require_same(matrix, *real, "as a real matrix");
  limits.numbers.digits = 24;
  if (const auto single = read(path, limits)) require(single->entries == matrix.entries, "float has another pattern");
  limits.numbers            = {};
  limits.numbers.is_complex = false;
  limits.numbers.is_integer = true;
  limits.numbers.least      = -128;
  limits.numbers.most       = 127;
  const auto whole          = read(path, limits);
  if (!whole) return;
  require(whole->row_map == matrix.row_map && whole->entries == matrix.entries, "integers have another pattern");
  for (std::size_t k = 0; k < whole->integers.size(); ++k)
    require(static_cast<double>(whole->integers[k]) == matrix.values[k], "an integer differs");
}

/// Compressed it is the same; with a byte changed or an end cut off it is the same or refused. `hash`: of the bytes.
void check_compressed(const std::optional<Impl::FileMatrix>& plain, std::string_view bytes, std::size_t hash,
                      const Impl::FileLimits& limits) {
  const std::string& path = scratch("gz");
  compress(path, bytes);
  const auto same = read(path, limits);
  require(same.has_value() == plain.has_value(), "compressed it is another matter");
  if (same) require_same(*plain, *same, "compressed");
  std::string packed      = content(path);
  const std::size_t place = hash % packed.size();
  if ((hash >> 8) % 3 == 0)
    packed.resize(place);
  else
    packed[place] = static_cast<char>(packed[place] ^ (1 << (hash >> 16) % 8));
  write_bytes(path, packed);
  if (place >= 10) {  // behind the header, whose flags may make it another file
    const auto broken = read(path, limits);
    if (broken && plain) require_same(*plain, *broken, "compressed and damaged");
    require(plain.has_value() || !broken, "damage mends a file");
  } else {
    read(path, limits);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string& path = scratch("mtx");
  write_bytes(path, bytes);
  const Impl::FileLimits limits{.largest_index = 2000000000, .memory = memory, .numbers = {.round_integers = true}};
  const auto matrix = read(path, limits);
  if (matrix) {
    check_round_trip(*matrix, limits);
    check_scalars(*matrix, path);
  }
  std::size_t hash = 17;
  for (const char c : bytes) hash = 31 * hash + static_cast<unsigned char>(c);
  const bool is_compressed = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
  // Of some, for it takes most of the time.
  if (size > 0 && !is_compressed && (hash >> 24) % 8 == 0) check_compressed(matrix, bytes, hash, limits);
  return 0;
}
