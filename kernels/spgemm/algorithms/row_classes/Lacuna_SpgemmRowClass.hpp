// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWCLASS_HPP
#define LACUNA_SPGEMMROWCLASS_HPP

#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowClassesPolicy.hpp>
#include <kernels/spgemm/analysis/Lacuna_SpgemmAnalysis.hpp>

/// \file
/// \brief What becomes of a row of C: which kernel takes it, and with how much scratch.

namespace lacuna::Impl {

enum class SpgemmRowKind {
  empty,            ///< no products
  search,           ///< columns of the mask are searched in rows of B
  inode_member,     ///< computed with the first row of its inode
  sort,             ///< products are sorted
  warp,             ///< a bitmap of a warp
  inode,            ///< the rows of an inode in one bitmap of a warp
  team,             ///< a bitmap of a team, values are added in C
  team_in_scratch,  ///< a bitmap of a team, values are added in scratch
  global,           ///< a bitmap of a team in memory
  sort_in_memory    ///< products are sorted by a team in memory
};

/// How many sizes a kind has.
constexpr int row_kind_sizes(SpgemmRowKind kind) {
  using Policy = SpgemmRowClassesPolicy;
  switch (kind) {
    case SpgemmRowKind::sort: return Policy::sorts;
    case SpgemmRowKind::warp:
    case SpgemmRowKind::inode: return Policy::warp_classes;
    case SpgemmRowKind::team: return Policy::team_classes;
    case SpgemmRowKind::team_in_scratch: return Policy::scratch_classes;
    default: return 1;
  }
}
/// The index of the first size of a kind.
constexpr int row_kind_begin(SpgemmRowKind kind) {
  int index = 0;
  for (int before = 0; before < static_cast<int>(kind); ++before)
    index += row_kind_sizes(static_cast<SpgemmRowKind>(before));
  return index;
}
/// The same as a constant, which devices can have: nvcc warns of a host's function in one of theirs.
template <SpgemmRowKind kind>
inline constexpr int first_of_kind = row_kind_begin(kind);

/// The index of the class of a kind and a size.
template <SpgemmRowKind kind>
KOKKOS_FORCEINLINE_FUNCTION constexpr int row_class_index(int size = 0) {
  return first_of_kind<kind> + size;
}

/// \brief A kind, and a size from 0 on: the number of the kind's limit of products or of scratch.
///
/// Classes are numbered, kinds in their order, sizes ascending, and rows are listed class by class: classes of one kind
/// that follow each other have one list. Kernels know a class by its index.
struct SpgemmRowClass {
  SpgemmRowKind kind;
  int size = 0;

  /// How many classes there are.
  static constexpr int count = row_kind_begin(SpgemmRowKind::sort_in_memory) + 1;
  static_assert(count <= most_row_classes);

  constexpr int index() const { return row_kind_begin(kind) + size; }
  static constexpr SpgemmRowClass at(int index) {
    int kind = static_cast<int>(SpgemmRowKind::sort_in_memory);
    while (row_kind_begin(static_cast<SpgemmRowKind>(kind)) > index) --kind;
    return {static_cast<SpgemmRowKind>(kind), index - row_kind_begin(static_cast<SpgemmRowKind>(kind))};
  }

  friend constexpr bool operator==(const SpgemmRowClass&, const SpgemmRowClass&) = default;
};

}  // namespace lacuna::Impl

#endif
