// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PACKENGINETILES_HPP
#define LACUNA_PACKENGINETILES_HPP

#include <backends/Lacuna_Launch.hpp>
#include <backends/Lacuna_Mma.hpp>
#include <core/impl/matrix/Lacuna_Crs.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// \file
/// \brief A matrix as steps of a matrix engine: 16 rows times 16 of the columns that they use within a tile of columns.
///
/// The columns of a step form two groups of eight. `ldmatrix` reads eight rows of B at once if they lie in eight
/// different groups of banks, and rows of a tile lie an odd number of such groups apart. So the columns of an eight
/// should differ modulo 8. Slot r of eight i gets the i-th column with remainder r. Columns of frequent remainders that
/// are left over fill the free slots from the end, one of each remainder together, so that they cost one more pass for
/// all. This order is faster than the order of the columns.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

/// \brief 16 × 16 of A as an atom's operand, lane by lane, and the rows of the tile of B that its columns are. A slot
/// without a column has zeros, and one of the eight rows of zeros behind the tile, that of its own remainder.
template <class Element>
struct alignas(16) EngineStep {
  static constexpr int rows = 16, columns = 16;
  Element values[rows * columns];
  std::uint16_t positions[columns];

  /// Where element (row, slot) lies: a lane's eight elements side by side (`WarpLayout<16, 16, 2>`, read backwards).
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int index(int row, int slot) {
    const int lane = row % 8 * 4 + slot % 8 / 2, reg = slot % 2 + row / 8 * 2 + slot / 8 * 4;
    return lane * 8 + reg;
  }
};

/// How a matrix is cut: groups of 16 rows, tiles of columns.
struct EngineTileShape {
  static constexpr int group_rows = 16;
  static constexpr int classes    = 8;  ///< remainders of columns
  static constexpr int read_ahead = 8;  ///< steps, at most

  std::int64_t rows          = 0;
  std::int64_t columns       = 0;
  std::int64_t tile_columns  = 8;
  std::int64_t tiles_per_row = 1;
  std::int64_t groups        = 0;

  static EngineTileShape of(std::int64_t rows, std::int64_t columns, std::int64_t tile_columns) {
    return {rows, columns, tile_columns, std::max<std::int64_t>(1, ceiling_quotient(columns, tile_columns)),
            ceiling_quotient(rows, group_rows)};
  }
};

/// Tile j of group g has the steps [begins[s], begins[s + 1]), s = g * tiles_per_row + j.
template <class Element>
struct EngineTileArrays {
  std::int64_t rows                = 0;
  std::int64_t columns             = 0;
  std::int64_t tile_columns        = 8;
  std::int64_t tiles_per_row       = 1;
  std::int64_t groups              = 0;
  const std::int32_t* begins       = nullptr;
  const EngineStep<Element>* steps = nullptr;
};

/// \brief The columns that a group uses in a tile, in the team's scratch, and the slots that they get. Rows are sorted.
template <CrsMatrixType Matrix>
struct EngineTileColumns {
  using Ordinal = typename Matrix::non_const_ordinal_type;
  using Offset  = typename Matrix::non_const_size_type;

  static constexpr int classes    = EngineTileShape::classes;
  static constexpr int group_rows = EngineTileShape::group_rows;

  EngineTileShape shape;
  const Offset* row_map;
  const Ordinal* entries;

  /// What is in scratch of a tile.
  struct Tile {
    std::int64_t* begins;    ///< of the nonzeros of each row, then their ends
    std::uint32_t* used;     ///< a bit a column, those of one remainder side by side
    std::int32_t* before;    ///< used columns of the same remainder before each word
    std::int32_t* of_class;  ///< used columns of each remainder
    std::int64_t group, first_column;

    KOKKOS_FORCEINLINE_FUNCTION int steps() const {
      int sum = 0;
      for (int r = 0; r < classes; ++r) sum += of_class[r];
      return (sum + 15) / 16;
    }
  };

  KOKKOS_FORCEINLINE_FUNCTION int words() const { return static_cast<int>((shape.tile_columns / classes + 31) / 32); }

  static std::size_t scratch_bytes(const EngineTileShape& shape) {
    const auto words = static_cast<std::size_t>((shape.tile_columns / classes + 31) / 32);
    return 2 * group_rows * sizeof(std::int64_t) + classes * words * 8 + classes * 4 + 64;
  }

  template <class Team>
  KOKKOS_FUNCTION Tile inspect(const Team& team) const {
    const auto at = static_cast<std::int64_t>(team.league_rank());
    Tile tile;
    tile.begins       = team.template scratch<std::int64_t>(2 * group_rows);
    tile.used         = team.template scratch<std::uint32_t>(static_cast<std::size_t>(classes * words()));
    tile.before       = team.template scratch<std::int32_t>(static_cast<std::size_t>(classes * words()));
    tile.of_class     = team.template scratch<std::int32_t>(classes);
    tile.group        = at / shape.tiles_per_row;
    tile.first_column = at % shape.tiles_per_row * shape.tile_columns;
    for (int i = team.thread(); i < classes * words(); i += team.threads()) tile.used[i] = 0;
    for (int i = team.thread(); i < 2 * group_rows; i += team.threads()) tile.begins[i] = cut(tile, i);
    team.barrier();
    for_each_nonzero_of(team, tile, [&](int, std::int64_t k) {
      const int column = static_cast<int>(static_cast<std::int64_t>(entries[k]) - tile.first_column);
      Kokkos::atomic_or(tile.used + word(column), bit(column));
    });
    team.barrier();
    for (int r = team.thread(); r < classes; r += team.threads()) {
      int sum = 0;
      for (int w = r * words(); w < (r + 1) * words(); ++w) {
        tile.before[w] = sum;
        sum += Kokkos::Experimental::popcount_builtin(tile.used[w]);
      }
      tile.of_class[r] = sum;
    }
    team.barrier();
    return tile;
  }

  /// Calls body(row of the group, k) for the nonzeros of the tile.
  template <class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_nonzero_of(const Team& team, const Tile& tile, const Body& body) const {
    for (int row = 0; row < group_rows; ++row)
      for (std::int64_t k = tile.begins[row] + team.thread(); k < tile.begins[group_rows + row]; k += team.threads())
        body(row, k);
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_used(const Tile& tile, int column) const {
    return (tile.used[word(column)] & bit(column)) != 0;
  }

  /// The slot of a used column among those of the tile's steps.
  KOKKOS_FUNCTION int slot(const Tile& tile, int column) const {
    const int remainder = column % classes, eights = 2 * tile.steps();
    const int rank =
        tile.before[word(column)] + Kokkos::Experimental::popcount_builtin(tile.used[word(column)] & (bit(column) - 1));
    if (rank < eights) return rank * classes + remainder;
    // Left over: its number among those, by rank and then by remainder, is that of its free slot.
    int number = 0;
    for (int r = 0; r < classes; ++r) {
      const int more =
          (tile.of_class[r] < rank + (r < remainder ? 1 : 0) ? tile.of_class[r] : rank + (r < remainder ? 1 : 0)) -
          eights;
      number += more > 0 ? more : 0;
    }
    for (int eight = eights - 1; eight >= 0; --eight)
      for (int r = 0; r < classes; ++r)
        if (tile.of_class[r] <= eight && number-- == 0) return eight * classes + r;
    return 0;  // not reached: there are as many slots as columns
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int word(int column) const { return column % classes * words() + column / classes / 32; }
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t bit(int column) {
    return std::uint32_t(1) << (column / classes % 32);
  }

  /// Where the nonzeros of row i of the tile begin, i < group_rows, or end.
  KOKKOS_FUNCTION std::int64_t cut(const Tile& tile, int i) const {
    const std::int64_t row = tile.group * group_rows + i % group_rows;
    if (row >= shape.rows) return 0;
    return lower_bound(entries, static_cast<std::int64_t>(row_map[row]), static_cast<std::int64_t>(row_map[row + 1]),
                       tile.first_column + (i < group_rows ? 0 : shape.tile_columns));
  }
};

/// Steps of each tile.
template <CrsMatrixType Matrix>
struct CountEngineSteps {
  EngineTileColumns<Matrix> columns;
  std::int32_t* counts;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto tile = columns.inspect(team);
    if (team.thread() == 0) counts[team.league_rank()] = tile.steps();
  }
};

struct EngineStepCount {
  const std::int32_t* counts;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t tile) const { return counts[tile]; }
};

/// \brief Writes the steps of each tile. `source` tells where sorted nonzeros come from; nullptr where they stand so.
///
/// Entries of one position are added up, then rounded. Where A itself has the engine's elements, nothing may be
/// rounded: a sum that they do not hold becomes NaN, and the group is summed plainly.
template <CrsMatrixType Matrix, class Operand>
struct FillEngineSteps {
  using Scalar  = typename Matrix::non_const_value_type;
  using Offset  = typename Matrix::non_const_size_type;
  using Element = typename Operand::storage;
  using Step    = EngineStep<Element>;

  static constexpr bool is_exact = sizeof(Scalar) == sizeof(Element);

  EngineTileColumns<Matrix> columns;
  const Scalar* values;
  const Offset* source;
  const std::int32_t* begins;
  Step* steps;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto tile       = columns.inspect(team);
    const auto& shape     = columns.shape;
    Step* const own       = steps + begins[team.league_rank()];
    const int count       = tile.steps();
    constexpr int of_step = Step::rows * Step::columns;
    for (int i = team.thread(); i < count * of_step; i += team.threads())
      own[i / of_step].values[i % of_step] = Operand::store(0.0f);
    for (int i = team.thread(); i < count * Step::columns; i += team.threads())
      own[i / Step::columns].positions[i % Step::columns] =
          static_cast<std::uint16_t>(shape.tile_columns + i % EngineTileShape::classes);
    team.barrier();
    for (int column = team.thread(); column < shape.tile_columns; column += team.threads()) {
      if (!columns.is_used(tile, column)) continue;
      const int slot                                            = columns.slot(tile, column);
      own[slot / Step::columns].positions[slot % Step::columns] = static_cast<std::uint16_t>(column);
    }
    columns.for_each_nonzero_of(team, tile, [&](int row, std::int64_t k) {
      const auto entry = columns.entries[k];
      if (k > tile.begins[row] && columns.entries[k - 1] == entry) return;
      float sum = value(k);
      for (std::int64_t same = k + 1; same < tile.begins[columns.group_rows + row] && columns.entries[same] == entry;
           ++same)
        sum += value(same);
      const int slot  = columns.slot(tile, static_cast<int>(static_cast<std::int64_t>(entry) - tile.first_column));
      Element rounded = Operand::store(sum);
      if (is_exact && Operand::read(rounded) != sum) rounded = Operand::store(Kokkos::Experimental::quiet_NaN_v<float>);
      own[slot / Step::columns].values[Step::index(row, slot % Step::columns)] = rounded;
    });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION float value(std::int64_t k) const {
    return static_cast<float>(values[source != nullptr ? static_cast<std::int64_t>(source[k]) : k]);
  }
};

}  // namespace lacuna::Impl

#endif
