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

/// \brief How products are computed. `full` is the scalar type's own accuracy: the error is at most twice that of plain
/// arithmetic in that type (of sums of at least 6 products where float is asked to run on a matrix engine). The rest
/// trade accuracy for speed and are never chosen unasked.
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
