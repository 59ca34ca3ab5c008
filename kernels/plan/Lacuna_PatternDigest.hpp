// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PATTERNDIGEST_HPP
#define LACUNA_PATTERNDIGEST_HPP

#include <Lacuna_Error.hpp>
#include <Lacuna_Options.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace lacuna::Impl {

/// Whether products are to compare patterns. The definition comes from the build, so that all units of a program, and
/// plans that are compiled apart, agree.
inline bool checks_patterns(PatternCheck check) {
#ifdef LACUNA_CHECK_PATTERNS
  if (check == PatternCheck::automatic) return true;
#endif
  return check == PatternCheck::on;
}

/// Adds up a number for each element of a row map and of its columns. The number mixes the element with its position
/// (splitmix64), and sums do not depend on the order.
template <class Arrays>
struct AddToPatternDigest {
  Arrays A;

  KOKKOS_FUNCTION static std::uint64_t mix(std::uint64_t position, std::uint64_t element) {
    std::uint64_t z = position * 0x9e3779b97f4a7c15U + element * 0xd1342543de82ef95U;
    z               = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z               = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  KOKKOS_FUNCTION void operator()(const std::int64_t i, std::uint64_t& sum) const {
    const auto position = static_cast<std::uint64_t>(i);
    if (i <= static_cast<std::int64_t>(A.rows)) sum += mix(2 * position, static_cast<std::uint64_t>(A.row_map[i]));
    if (i < static_cast<std::int64_t>(A.nonzeros))
      sum += mix(2 * position + 1, static_cast<std::uint64_t>(A.entries[i]));
  }
};

/// \brief What a plan remembers of a pattern where products are to compare it: eight bytes that two patterns share by
/// chance alone.
class PatternDigest {
 public:
  /// Waits for `exec`.
  template <class ExecutionSpace, class Arrays>
  void remember(const ExecutionSpace& exec, const Arrays& A) {
    m_digest = digest(exec, A);
  }
  /// Waits for `exec`; does nothing where nothing was remembered. \throws InvalidArgument where `A`, which `what`
  /// names, has another pattern.
  template <class ExecutionSpace, class Arrays>
  void check(const char* function, const char* what, const ExecutionSpace& exec, const Arrays& A) const {
    if (m_digest && *m_digest != digest(exec, A))
      raise<InvalidArgument>(function, "the pattern of ", what, ", ", shape_text(A.rows, A.columns), " with ",
                             A.nonzeros, " nonzeros, is not the one that the plan was made for");
  }

 private:
  template <class ExecutionSpace, class Arrays>
  static std::uint64_t digest(const ExecutionSpace& exec, const Arrays& A) {
    std::uint64_t sum = 0;
    if (A.rows == 0) return sum;  // it may come without a row map
    const auto rows = static_cast<std::int64_t>(A.rows), nonzeros = static_cast<std::int64_t>(A.nonzeros);
    Kokkos::parallel_reduce("Lacuna::plan::pattern", index_range(exec, std::max(rows + 1, nonzeros)),
                            AddToPatternDigest<Arrays>{A}, sum);
    return sum;
  }

  std::optional<std::uint64_t> m_digest;
};

}  // namespace lacuna::Impl

#endif
