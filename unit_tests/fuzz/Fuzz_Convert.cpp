// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_ValidateFormats.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "Fuzz_Matrices.hpp"

/// \file
/// \brief Any valid matrix to any format with any options, there and back, then with new values: the result is valid,
/// and has the elements of the matrix.

namespace {

using namespace lacuna;
using Fuzz::Arrays;
using Fuzz::Exec;
using Fuzz::Input;
using Fuzz::require;

using Elements = std::vector<std::pair<std::pair<std::int64_t, std::int64_t>, double>>;

/// The nonzeros, sorted by place and value.
Elements elements_of(const Arrays& A) {
  Elements elements;
  for (std::int64_t row = 0; row < A.rows; ++row)
    for (auto k = static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(A.row_map[static_cast<std::size_t>(row) + 1]); ++k)
      elements.push_back({{row, A.entries[k]}, A.values[k]});
  std::sort(elements.begin(), elements.end());
  return elements;
}

/// Duplicates added; zeros left out, where the format has no mark of what is stored.
Elements summed(const Elements& elements, bool with_zeros) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> sums;
  for (const auto& [place, value] : elements) sums[place] += value;
  Elements result;
  for (const auto& [place, value] : sums)
    if (with_zeros || value != 0) result.emplace_back(place, value);
  return result;
}

template <class Matrix>
Arrays arrays_of_crs(const Matrix& A) {
  Arrays arrays;
  arrays.rows    = A.numRows();
  arrays.columns = A.numCols();
  arrays.row_map.clear();
  for (std::size_t i = 0; i < A.graph.row_map.extent(0); ++i)
    arrays.row_map.push_back(static_cast<std::int64_t>(A.graph.row_map(i)));
  for (std::size_t k = 0; k < A.graph.entries.extent(0); ++k) arrays.entries.push_back(A.graph.entries(k));
  for (std::size_t k = 0; k < A.values.extent(0); ++k) arrays.values.push_back(A.values(k));
  return arrays;
}

template <class Format>
constexpr bool adds_duplicates = requires(const Format& format) {
  format.occupied;
}
|| requires(const Format& format) { format.DiagDense; };
template <class Format>
constexpr bool drops_zeros = requires(const Format& format) {
  format.DiagDense;
};

template <class Format>
Elements expected(const Arrays& A) {
  const Elements elements = elements_of(A);
  return adds_duplicates<Format> ? summed(elements, !drops_zeros<Format>) : elements;
}

template <class Format>
void check_back(const Exec& exec, const Format& format, const Arrays& A, const std::string& when) {
  const auto report = validate(exec, format);
  require(report.valid, when + ": the format is not valid: " + report.text());
  const auto back = to_crs(exec, format);
  exec.fence();
  require(back.numRows() == A.rows && back.numCols() == A.columns, when + ": extents");
  const auto report_of_back = validate(exec, back);
  require(report_of_back.valid, when + ": what comes back is not valid: " + report_of_back.text());
  require(elements_of(arrays_of_crs(back)) == expected<Format>(A), when + ": elements differ");
}

template <class Offset>
void convert(Input& input) {
  const Exec exec;
  Arrays A       = Fuzz::valid_matrix(input, input.flag());
  const auto crs = Fuzz::make_crs<Offset>(A);
  const auto use = [&](const auto& format) {
    check_back(exec, format, A, "converted");
    for (double& value : A.values) value = input.below(7) - 3;
    update_values(exec, Fuzz::make_crs<Offset>(A), format);
    check_back(exec, format, A, "with new values");
  };
  try {
    Fuzz::with_conversion(input, crs, use);
  } catch (const Error& error) {
    const std::string message = error.what();
    require(message.starts_with("lacuna::to_"), "a refusal that names no conversion: " + message);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Kokkos::ScopeGuard kokkos;
  Input input(data, size);
  if (input.flag())
    convert<int>(input);
  else
    convert<std::size_t>(input);
  return 0;
}
