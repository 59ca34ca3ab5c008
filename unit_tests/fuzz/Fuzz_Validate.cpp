// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_ValidateFormats.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "Fuzz_FormatParts.hpp"
#include "Fuzz_Matrices.hpp"

/// \file
/// \brief Any arrays as a CSR matrix: `validate` says what a plain loop says. Any format with parts of it broken:
/// `validate` reads nothing out of bounds, and what it calls valid can be converted and given new values.

namespace {

using namespace lacuna;
using Fuzz::Arrays;
using Fuzz::Exec;
using Fuzz::Input;
using Fuzz::require;

/// A number on the edge of what is allowed, or far from it.
std::int64_t odd_number(Input& input, std::int64_t near) {
  switch (input.below(6)) {
    case 0: return near + input.below(5) - 2;
    case 1: return input.below(256);
    case 2: return -1 - input.below(64);
    case 3: return input.flag() ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int32_t>::min();
    case 4: return 0;
    default: return input.word();
  }
}

double odd_value(Input& input) {
  const double values[] = {1, 0, -2, std::nan(""), std::numeric_limits<double>::infinity()};
  return values[input.below(5)];
}

/// CSR arrays: a valid matrix, then some of its numbers changed, so that the row map may lie.
Arrays broken_arrays(Input& input) {
  Arrays A = Fuzz::valid_matrix(input, input.flag());
  for (int change = input.below(6); change > 0; --change) {
    const auto place = static_cast<std::size_t>(input.below(1 << 10));
    if (input.flag() && !A.entries.empty()) {
      A.entries[place % A.entries.size()] = odd_number(input, A.columns);
      A.values[place % A.values.size()]   = odd_value(input);
    } else {
      A.row_map[place % A.row_map.size()] = odd_number(input, static_cast<std::int64_t>(A.entries.size()));
    }
  }
  return A;
}

void require_finding(const Finding& finding, std::int64_t count, std::int64_t first, const std::string& what) {
  require(finding.count == count, what + ": " + std::to_string(finding.count) + ", not " + std::to_string(count));
  require(finding.first_row == first,
          what + ": first in " + std::to_string(finding.first_row) + ", not " + std::to_string(first));
}

struct Count {
  std::int64_t count = 0;
  std::int64_t first = -1;
  void add(std::int64_t row) {
    if (count++ == 0) first = row;
  }
};

template <class Offset>
void check_crs(Input& input) {
  const Arrays A      = broken_arrays(input);
  const auto matrix   = Fuzz::make_crs<Offset>(A);
  const auto report   = validate(Exec(), matrix);
  const auto nonzeros = static_cast<std::int64_t>(A.entries.size());
  const auto offset   = [&](std::int64_t row) {  // as the type holds it
    return static_cast<Offset>(A.row_map[static_cast<std::size_t>(row)]);
  };
  Count decreasing, out_of_range, unsorted, duplicates, not_finite;
  for (std::int64_t row = 0; row < A.rows; ++row)
    if (offset(row + 1) < offset(row)) decreasing.add(row);
  require_finding(report.decreasing_row_map, decreasing.count, decreasing.first, "decreasing row map");
  const auto end       = A.rows > 0 ? static_cast<std::int64_t>(offset(A.rows)) : 0;
  const bool map_right = decreasing.count == 0 && (A.rows == 0 || offset(0) == 0) && end == nonzeros;
  for (std::int64_t row = 0; row < (map_right ? A.rows : nonzeros); ++row) {  // or each entry by itself
    const std::int64_t first = map_right ? static_cast<std::int64_t>(offset(row)) : row;
    const std::int64_t last  = map_right ? static_cast<std::int64_t>(offset(row + 1)) : row + 1;
    std::vector<std::int64_t> columns(A.entries.begin() + first, A.entries.begin() + last);
    for (std::int64_t k = first; k < last; ++k) {
      if (A.entries[static_cast<std::size_t>(k)] < 0 || A.entries[static_cast<std::size_t>(k)] >= A.columns)
        out_of_range.add(map_right ? row : -1);
      if (!std::isfinite(A.values[static_cast<std::size_t>(k)])) not_finite.add(map_right ? row : -1);
    }
    if (!std::is_sorted(columns.begin(), columns.end())) unsorted.add(row);
    std::sort(columns.begin(), columns.end());
    for (std::size_t k = 1; k < columns.size(); ++k)
      if (columns[k] == columns[k - 1]) duplicates.add(row);
  }
  if (out_of_range.count > 0) duplicates = {};
  require_finding(report.columns_out_of_range, out_of_range.count, out_of_range.first, "columns out of range");
  require_finding(report.not_finite, not_finite.count, not_finite.first, "not finite");
  require_finding(report.unsorted_rows, unsorted.count, unsorted.first, "unsorted");
  require_finding(report.duplicates, duplicates.count, duplicates.first, "duplicates");
  require(report.valid == (map_right && out_of_range.count == 0), "valid");
  require(!report.text().empty(), "text");
}

/// One part of a format becomes another: a number, an element of an array, or the extent of an array.
struct BreakPart {
  Input& input;

  template <class Part>
  void operator()(Part& part) const {
    if constexpr (std::is_arithmetic_v<Part>) {
      part = static_cast<Part>(odd_number(input, static_cast<std::int64_t>(part)));
    } else {
      using Value       = typename Part::non_const_value_type;
      const auto extent = part.extent(0);
      if (extent == 0 || input.below(8) == 0) {
        Part other("other", input.flag() ? extent + 1 : extent / 2);
        for (std::size_t i = 0; i < std::min(other.extent(0), extent); ++i) other(i) = part(i);
        part = other;
        return;
      }
      Value& element = part(static_cast<std::size_t>(input.below(1 << 12)) % extent);
      if constexpr (std::is_same_v<Value, double>) {
        element = odd_value(input);
      } else if constexpr (std::is_integral_v<Value>) {
        element = static_cast<Value>(odd_number(input, static_cast<std::int64_t>(element)));
      } else {  // a diagonal of a slice
        if (input.flag())
          element.offset = static_cast<decltype(element.offset)>(odd_number(input, element.offset));
        else
          element.mask = static_cast<decltype(element.mask)>(odd_number(input, element.mask));
      }
    }
  }
};

template <class Format>
Format copy_of(const Format& format) {
  Format copy = format;
  Fuzz::for_each_part(copy, [](auto& part) {
    if constexpr (!std::is_arithmetic_v<std::remove_reference_t<decltype(part)>>) {
      std::remove_reference_t<decltype(part)> fresh("copy", part.extent(0));
      for (std::size_t i = 0; i < part.extent(0); ++i) fresh(i) = part(i);
      part = fresh;
    }
  });
  return copy;
}

template <class Offset>
void check_format(Input& input) {
  const Exec exec;
  const Arrays A       = Fuzz::valid_matrix(input, input.flag());
  const auto crs       = Fuzz::make_crs<Offset>(A);
  const auto break_and = [&](const auto& sound) {
    auto format = copy_of(sound);
    int parts   = 0;
    Fuzz::for_each_part(format, [&](auto&) { ++parts; });
    for (int change = 1 + input.below(3); change > 0; --change) {
      int chosen = input.below(parts);
      Fuzz::for_each_part(format, [&](auto& part) {
        if (chosen-- == 0) BreakPart{input}(part);
      });
    }
    const auto report = validate(exec, format, {.memory_limit = std::size_t{1} << 24});
    require(!report.text().empty(), "text");
    if (!report.valid) return;
    const auto back = to_crs(exec, format);
    require(validate(exec, back).valid, "what was valid comes back invalid");
    // Its own pattern, but where zeros were left out or duplicates added.
    if (static_cast<std::int64_t>(format.nonzeros()) == static_cast<std::int64_t>(back.nnz()))
      update_values(exec, back, format);
  };
  try {
    Fuzz::with_conversion(input, crs, break_and);
  } catch (const Error& error) {
    require(std::string(error.what()).starts_with("lacuna::"), "a refusal without a name");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Kokkos::ScopeGuard kokkos;
  Input input(data, size);
  switch (input.below(6)) {
    case 0: check_crs<int>(input); break;
    case 1: check_crs<std::size_t>(input); break;
    case 2: check_format<std::size_t>(input); break;
    default: check_format<int>(input); break;
  }
  return 0;
}
