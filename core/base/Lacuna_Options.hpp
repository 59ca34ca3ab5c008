// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_OPTIONS_HPP
#define LACUNA_OPTIONS_HPP

#include <cstddef>
#include <limits>
#include <string_view>

/// \file
/// \brief Types and values that the options of all operations share.

namespace lacuna {

/// \brief The form op(A) of a matrix A in a product: A, its transpose Aᵀ or its conjugate transpose Aᴴ.
///
/// There is no conjugate without a transpose ("C" of KokkosSparse). No kernel conjugates: a plan forms Aᴴ because it
/// forms Aᵀ, while it would have to keep a copy of the values for the conjugate alone, and calls without a plan, which
/// copy nothing, could not have it. From what there is: conj(A) x is the conjugate of A conj(x), and conj(A) B that of
/// A conj(B); for values that change seldom, a matrix that shares row map and columns with A and has conjugated values.
enum class Op { none, transpose, conjugate_transpose };

/// \brief How accurately products are computed.
///
/// `full`, the default, keeps the accuracy of the scalar type: the error of a sum of n products is at most twice the
/// bound of plain arithmetic in that type, 2 n u sum |a||b| (float: u = 2^-24). There is one exception: a matrix engine
/// adds float sums of fewer than 6 products with an error of up to 12 u sum |a||b|; `automatic` takes an engine only
/// where rows have at least 6 nonzeros on average.
///
/// `tf32`, `fp16` and `bf16` round the factors to these types and are faster. No function takes one of them unless the
/// caller asks for it.
enum class Precision { full, tf32, fp16, bf16 };

/// \brief Whether products compare the patterns of matrices with those that their plan was made for.
///
/// `on`: every product first makes a pass over row maps and columns, and waits for it; a pattern that is another one
/// now, with as many nonzeros, is an `InvalidArgument`. `off`: what such a product does is undefined, and
/// `update_values` looks at extents and the number of nonzeros alone. `automatic`: on
/// where CMake builds the configuration Debug, which defines LACUNA_CHECK_PATTERNS, off in others. Plans of diagonals
/// always compare their lists.
enum class PatternCheck { automatic, on, off };

/// \brief The value of `memory_limit` that sets no limit.
inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// \brief The name of the enumerator: "none", "transpose", "conjugate_transpose".
constexpr std::string_view name(Op op) {
  switch (op) {
    case Op::none: return "none";
    case Op::transpose: return "transpose";
    case Op::conjugate_transpose: return "conjugate_transpose";
  }
  return "unknown";
}

/// \brief The name of the enumerator: "full", "tf32", "fp16", "bf16".
constexpr std::string_view name(Precision precision) {
  switch (precision) {
    case Precision::full: return "full";
    case Precision::tf32: return "tf32";
    case Precision::fp16: return "fp16";
    case Precision::bf16: return "bf16";
  }
  return "unknown";
}

/// \brief The name of the enumerator: "automatic", "on", "off".
constexpr std::string_view name(PatternCheck check) {
  switch (check) {
    case PatternCheck::automatic: return "automatic";
    case PatternCheck::on: return "on";
    case PatternCheck::off: return "off";
  }
  return "unknown";
}

}  // namespace lacuna

#endif
