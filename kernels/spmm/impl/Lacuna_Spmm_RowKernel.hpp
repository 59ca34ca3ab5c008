// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMM_ROWKERNEL_HPP
#define LACUNA_SPMM_ROWKERNEL_HPP

#include <kernels/spmm/impl/Lacuna_Spmm_Arguments.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_RowPartition.hpp>
#include <kernels/spmm/impl/Lacuna_Spmm_RowShape.hpp>

#include <cstdint>
#include <limits>

/// \file
/// \brief C = alpha A B + beta C from CSR, without a matrix engine: for matrices whose rows share few columns.
///
/// A set of lanes stands along a row of C; every lane holds the sums of its columns in registers while the set walks
/// the nonzeros. Nonzeros are read in aligned packs of four, the next pack while the rows of B of this one are on their
/// way. Sets are as wide as N needs, so that a lane group holds several rows where N is small. Tiles of N are
/// outermost: what runs at the same time reads the same columns of B.
///
/// Bound: bytes of B from the second-level cache, one row for each nonzero.
///
/// Rows that are much longer than others are cut (`SpmmRowPartition`). Every lane of a piece leaves its partial sums;
/// the last to arrive for its columns adds them in the order of the pieces, so the result does not depend on the order
/// in which teams run. Without a partition, rows above `limit` are put aside and taken by whole teams.

namespace lacuna::Impl {

/// Stands for: no row is so long that it is treated apart.
inline constexpr std::int64_t spmm_no_limit = std::numeric_limits<std::int64_t>::max();

/// Reads what another team wrote in this launch, past a cache that may hold an older value.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real read_partial(const Real* source) {
  return *static_cast<const volatile Real*>(source);
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<Real> read_partial(const Kokkos::complex<Real>* source) {
  const auto* parts    = reinterpret_cast<const volatile Real*>(source);
  const Real real      = parts[0];
  const Real imaginary = parts[1];
  return Kokkos::complex<Real>(real, imaginary);
}

/// Four nonzeros. Pack q holds the nonzeros [4 q, 4 q + 4): aligned whatever the rows are.
template <class Arrays>
class NonzeroPacks {
 public:
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;

  static constexpr int width = 4;
  using Values               = Pack<Scalar, width>;
  using Columns              = Pack<Ordinal, width>;
  struct Nonzeros {
    Values value;
    Columns column;
  };

  explicit NonzeroPacks(const Arrays& A) : m_values(A.values), m_columns(A.entries), m_nonzeros(A.nonzeros) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(A.values) % alignof(Values) == 0 &&
                         reinterpret_cast<std::uintptr_t>(A.entries) % alignof(Columns) == 0;
    m_whole_packs = aligned ? static_cast<Offset>(A.nonzeros / width) : Offset(0);
  }

  /// In the last pack, which may be incomplete, and where the arrays are not aligned: one by one.
  KOKKOS_FORCEINLINE_FUNCTION void load(Offset pack, Nonzeros& result) const {
    if (pack < m_whole_packs) {
      result.value  = reinterpret_cast<const Values*>(m_values)[pack];
      result.column = reinterpret_cast<const Columns*>(m_columns)[pack];
    } else {
      for (int i = 0; i < width; ++i) {
        const Offset nonzero   = pack * width + i;
        const bool exists      = nonzero < m_nonzeros;
        result.value.value[i]  = exists ? m_values[nonzero] : Scalar(0);
        result.column.value[i] = exists ? m_columns[nonzero] : Ordinal(0);
      }
    }
  }

 private:
  const Scalar* m_values;
  const Ordinal* m_columns;
  Offset m_nonzeros;
  Offset m_whole_packs;
};

/// `vector` neighbouring columns a load, `chunks` loads a lane for each nonzero. `listed`: work comes from a partition.
template <class ExecutionSpace, class Arrays, class Output, int vector, int chunks, bool listed>
struct SpmmRowSplit {
  using Scalar     = typename Arrays::Scalar;
  using Ordinal    = typename Arrays::Ordinal;
  using Offset     = typename Arrays::Offset;
  using Arguments  = SpmmArguments<Scalar, Output>;
  using Arithmetic = typename Arguments::Arithmetic;
  using Packs      = NonzeroPacks<Arrays>;
  using traits     = ExecutionTraits<ExecutionSpace>;
  using Sums       = Arithmetic[chunks][vector];

  Arrays A;
  Packs packs;
  Arguments arguments;
  SpmmSegments<Arrays> segments;
  int lanes;  // of a set, along the columns
  int parts;  // of a set, along the nonzeros
  int sets;   // in a lane group
  int teams_per_tile;
  int columns;                // N
  const char* b_data;         // B, and in bytes the way
  std::int32_t column_bytes;  // from one column to the next,
  std::int32_t row_bytes;     // from one row to the next
  bool stores_vectors;        // rows of C take vectors of `vector` elements
  std::int64_t longest_here;  // a longer row is put aside for its whole team; not where work is listed

  /// A lane's place: its set in the lane group, its part and its lane in the set, the tile of N.
  struct Place {
    int set, part, lane, tile;
    int column;                 // the first of the lane
    const char* first[chunks];  // where its columns start in B
  };

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int within = team.lane() % (lanes * parts);
    Place place;
    place.set    = team.lane() / (lanes * parts);
    place.part   = within / lanes;
    place.lane   = within % lanes;
    place.tile   = team.league_rank() / teams_per_tile;
    place.column = place.tile * tile_columns() + place.lane * vector;
    for (int c = 0; c < chunks; ++c) {
      // A lane behind the last column reads the first one, and stores nothing. The shuffle changes nothing: it keeps
      // the compiler from computing the address anew for each nonzero, which cost more than the product.
      const int column = column_of(place, c);
      place.first[c] =
          traits::lanes::shuffle(b_data + static_cast<std::int64_t>(column < columns ? column : 0) * column_bytes,
                                 team.lane(), Team::lane_width);
    }
    const std::int64_t group =
        static_cast<std::int64_t>(team.league_rank() - place.tile * teams_per_tile) * team.groups() + team.group();
    const std::int64_t item = group * sets + place.set;

    Sums sum = {};
    if constexpr (listed) {
      const bool exists = place.set < sets && item < segments.count;
      auto segment      = segments.segments[exists ? item : 0];
      if (!exists) segment.end = segment.begin;
      add_products(segment.begin, segment.end, place, place.part, parts, sum);
      add_parts<Team>(sum);
      if (exists && place.part == 0 && place.column < columns)
        segment.slot < 0 ? write(segment.row, place, sum) : meet(segment.row, segment.slot, place, sum);
    } else {
      const bool exists  = place.set < sets && item < static_cast<std::int64_t>(A.rows);
      const Offset begin = exists ? A.row_map[item] : Offset(0);
      Offset end         = exists ? A.row_map[item + 1] : Offset(0);
      const bool waits   = static_cast<std::int64_t>(end - begin) > longest_here;
      if (waits) end = begin;
      add_products(begin, end, place, place.part, parts, sum);
      add_parts<Team>(sum);
      if (exists && !waits && place.part == 0 && place.column < columns) write(item, place, sum);
      if (longest_here < spmm_no_limit) whole_team_rows(team, place, waits ? item : -1);
    }
  }

  /// Scratch of a team that takes long rows together.
  std::size_t scratch_bytes(int threads) const {
    if (listed || longest_here == spmm_no_limit) return 0;
    const auto team_sets = static_cast<std::size_t>(threads / traits::lane_width * sets);
    return team_sets * (sizeof(std::int64_t) + static_cast<std::size_t>(tile_columns()) * sizeof(Arithmetic)) + 64;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION int tile_columns() const { return lanes * vector * chunks; }
  KOKKOS_FORCEINLINE_FUNCTION int column_of(const Place& place, int chunk) const {
    return place.column + chunk * lanes * vector;
  }
  /// Where the sum `element` (chunk, then place in the vector) of a lane stands among those of its tile: lanes are side
  /// by side.
  KOKKOS_FORCEINLINE_FUNCTION int place_of_sum(int element, int lane) const { return element * lanes + lane; }

  /// The walk of a lane over the nonzeros of a segment: packs `pack`, `pack` + stride, …
  struct Walk {
    Offset pack;
    Offset rest;  // nonzeros from the pack on, this pack's included
    int low;      // nonzeros of the pack that lie before the segment
  };

  /// Adds the products of the packs first + part, first + part + stride, … of the nonzeros [begin, end).
  KOKKOS_FORCEINLINE_FUNCTION void add_products(Offset begin, Offset end, const Place& place, int part, int stride,
                                                Sums& sum) const {
    constexpr int width = Packs::width;
    Walk walk;
    walk.pack = begin / width + part;
    walk.low  = part == 0 ? static_cast<int>(begin % width) : 0;
    if (begin >= end || walk.pack * width >= end) return;
    walk.rest = end - walk.pack * width;
    while (add_pack(walk, stride, place, sum)) continue;
  }

  /// Multiplies a pack and steps to the next; false where there is none.
  KOKKOS_FORCEINLINE_FUNCTION bool add_pack(Walk& walk, int stride, const Place& place, Sums& sum) const {
    constexpr int width = Packs::width;
    typename Packs::Nonzeros now;
    packs.load(walk.pack, now);
    // Nonzeros of the pack that are not of the segment are not multiplied, not even by zero.
    bool is_mine[width];
    for (int i = 0; i < width; ++i) is_mine[i] = i >= walk.low && static_cast<Offset>(i) < walk.rest;
    Pack<Scalar, vector> row[width][chunks];
    for (int i = 0; i < width; ++i)
      if (is_mine[i])
        for (int c = 0; c < chunks; ++c)
          row[i][c] = load_vector(place.first[c] + static_cast<std::int64_t>(now.column.value[i]) * row_bytes);
    for (int i = 0; i < width; ++i)
      if (is_mine[i])
        for (int c = 0; c < chunks; ++c)
          for (int v = 0; v < vector; ++v)
            sum[c][v] += static_cast<Arithmetic>(now.value.value[i]) * static_cast<Arithmetic>(row[i][c].value[v]);
    const bool goes_on = walk.rest > static_cast<Offset>(stride * width);
    walk.pack += stride;
    walk.rest -= static_cast<Offset>(stride * width);
    walk.low = 0;
    return goes_on;
  }

  KOKKOS_FORCEINLINE_FUNCTION static Pack<Scalar, vector> load_vector(const char* source) {
    if constexpr (vector == 1)
      return {*reinterpret_cast<const Scalar*>(source)};
    else
      return traits::lanes::load_cached(reinterpret_cast<const Pack<Scalar, vector>*>(source));
  }

  /// Adds the sums of the parts of a set; part 0 gets them. Every lane of the group takes part.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(Sums& sum) const {
    for (int distance = parts / 2; distance > 0; distance /= 2)
      for (int c = 0; c < chunks; ++c)
        for (int v = 0; v < vector; ++v)
          sum[c][v] += Team::lanes::shuffle_down(sum[c][v], distance * lanes, Team::lane_width);
  }

  KOKKOS_FORCEINLINE_FUNCTION void write(std::int64_t row, const Place& place, const Sums& sum) const {
    for (int c = 0; c < chunks; ++c) {
      const int column = column_of(place, c);
      if (stores_vectors) {
        if (column >= columns) continue;
        auto* target                = reinterpret_cast<Pack<Output, vector>*>(arguments.C.at(row, column));
        Pack<Output, vector> stored = {};
        if (arguments.beta != Arithmetic(0)) stored = *target;
        for (int v = 0; v < vector; ++v)
          stored.value[v] = static_cast<Output>(arguments.result(sum[c][v], stored.value[v]));
        *target = stored;
      } else {
        for (int v = 0; v < vector; ++v)
          if (column + v < columns) arguments.write(row, column + v, sum[c][v]);
      }
    }
  }

  /// Leaves the partial sums of a piece. The last lane to arrive for its columns adds all pieces of the row in order.
  KOKKOS_FORCEINLINE_FUNCTION void meet(std::int64_t row, int slot, const Place& place, Sums& sum) const {
    constexpr int batch        = 4;  // partial sums on their way at once
    const SpmmMeeting meeting  = segments.meetings[slot];
    const std::int64_t in_row  = static_cast<std::int64_t>(place.tile) * tile_columns();
    Arithmetic* const mine     = segments.partial + slot * segments.width + in_row;
    const Arithmetic* const at = segments.partial + meeting.first * segments.width + in_row;
    for (int c = 0; c < chunks; ++c)
      for (int v = 0; v < vector; ++v) mine[place_of_sum(c * vector + v, place.lane)] = sum[c][v];
    Kokkos::memory_fence();
    int* const arrived = segments.arrived + meeting.row * segments.width + place.tile * lanes + place.lane;
    if (Kokkos::atomic_fetch_add(arrived, 1) != meeting.count - 1) return;
    Kokkos::memory_fence();
    *arrived = 0;  // ready for the next call
    for (int c = 0; c < chunks; ++c)
      for (int v = 0; v < vector; ++v) sum[c][v] = Arithmetic(0);
    for (int piece = 0; piece < meeting.count; piece += batch) {
      Arithmetic part[batch][chunks][vector];
      for (int b = 0; b < batch; ++b)
        for (int c = 0; c < chunks; ++c)
          for (int v = 0; v < vector; ++v) {
            const int from = piece + b < meeting.count ? piece + b : piece;
            part[b][c][v]  = read_partial(at + from * segments.width + place_of_sum(c * vector + v, place.lane));
          }
      for (int b = 0; b < batch; ++b)
        if (piece + b < meeting.count)
          for (int c = 0; c < chunks; ++c)
            for (int v = 0; v < vector; ++v) sum[c][v] += part[b][c][v];
    }
    write(row, place, sum);
  }

  /// Rows that were put aside, one after the other by all sets of the team. `mine` is the row of the calling set, or
  /// -1.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void whole_team_rows(const Team& team, const Place& place, std::int64_t mine) const {
    const int team_sets   = team.groups() * sets;
    const int set         = team.group() * sets + place.set;
    std::int64_t* waiting = team.template scratch<std::int64_t>(team_sets);
    Arithmetic* partial   = team.template scratch<Arithmetic>(team_sets * tile_columns());
    const bool takes_part = place.set < sets;
    if (takes_part && place.part == 0 && place.lane == 0) waiting[set] = mine;
    team.barrier();
    for (int s = 0; s < team_sets; ++s) {
      const std::int64_t row = waiting[s];
      if (row < 0) continue;
      Sums sum = {};
      if (takes_part)
        add_products(A.row_map[row], A.row_map[row + 1], place, set * parts + place.part, team_sets * parts, sum);
      add_parts<Team>(sum);
      if (takes_part && place.part == 0)
        for (int c = 0; c < chunks; ++c)
          for (int v = 0; v < vector; ++v)
            partial[set * tile_columns() + place_of_sum(c * vector + v, place.lane)] = sum[c][v];
      team.barrier();
      for (int i = team.thread(); i < tile_columns(); i += team.threads()) {
        const int element = i / lanes, chunk = element / vector;
        const int column = place.tile * tile_columns() + (chunk * lanes + i % lanes) * vector + element % vector;
        Arithmetic total(0);
        for (int other = 0; other < team_sets; ++other) total += partial[other * tile_columns() + i];
        if (column < columns) arguments.write(row, column, total);
      }
      team.barrier();
    }
  }
};

}  // namespace lacuna::Impl

#endif
