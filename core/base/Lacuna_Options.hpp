// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_OPTIONS_HPP
#define LACUNA_OPTIONS_HPP

#include <cstddef>
#include <limits>
#include <string_view>

/// \file
/// \brief Words that the options of every operation share.

namespace lacuna {

/// \brief What is done to a matrix before it is multiplied.
enum class Op { none, transpose, conjugate_transpose };

/// \brief How products are computed. `full` is the scalar type's own accuracy: the error of a sum of n products is at
/// most twice the bound of plain arithmetic in that type, so 2 n u sum |a||b| with u = 2^-24 for float. One exception:
/// on a matrix engine float sums of less than 6 products err by up to 12 u sum |a||b|. `automatic` takes an engine only
/// where rows have at least 6 nonzeros on average. The rest trade accuracy for speed and are never chosen unasked.
enum class Precision { full, tf32, fp16, bf16 };

/// \brief The value of `memory_limit` that sets no limit.
inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

constexpr std::string_view name(Op op) {
  switch (op) {
    case Op::none: return "none";
    case Op::transpose: return "transpose";
    case Op::conjugate_transpose: return "conjugate_transpose";
  }
  return "unknown";
}

constexpr std::string_view name(Precision precision) {
  switch (precision) {
    case Precision::full: return "full";
    case Precision::tf32: return "tf32";
    case Precision::fp16: return "fp16";
    case Precision::bf16: return "bf16";
  }
  return "unknown";
}

}  // namespace lacuna

#endif
