// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_NONZEROSPLIT_HPP
#define LACUNA_SPMV_NONZEROSPLIT_HPP

#include <kernels/spmv/impl/Lacuna_Spmv_CrsStream.hpp>
#include <kernels/spmv/tuning/Lacuna_Spmv_Tuning.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief CSR cut into pieces of equal work: balanced whatever the rows are.
///
/// Row i starts at key row_map[i] + i, so that keys count nonzeros and rows alike (the merge path of Merrill and
/// Garland, SC'16). Piece p stands for the keys [p T, (p + 1) T). Its team owns the rows that *start* there and reads
/// them whole, so a row of at most T nonzeros is never shared: no carries, no atomics. A longer row is worked by every
/// team whose piece it crosses; each leaves a partial sum, and the last to finish adds them in the order of the pieces.
/// So the result does not depend on the order in which teams run.
///
/// Bound: bytes of the CSR arrays. A piece is streamed in packs of 16 bytes contiguous over the team, products go to
/// scratch, and rows are summed from there.

namespace lacuna::Impl {

/// The first row of every piece, and where the teams of a long row meet. A default object means that nothing was kept:
/// teams search for their rows and a long row is worked by one team.
template <class Arrays>
struct SpmvPieces {
  const typename Arrays::Ordinal* first_row = nullptr;
  typename Arrays::Scalar* partial          = nullptr;  // two a piece: of the row that goes on, of the row that starts
  int* arrived                              = nullptr;
};

template <class Arrays>
KOKKOS_FORCEINLINE_FUNCTION std::int64_t row_key(const Arrays& A, typename Arrays::Ordinal row) {
  return static_cast<std::int64_t>(A.row_map[row]) + static_cast<std::int64_t>(row);
}

/// The first row whose key is not below `key`; `rows` where none is. Found by the lanes of a group together, each step
/// cuts the rows into one part more than there are lanes.
template <class ExecutionSpace, class Arrays>
KOKKOS_INLINE_FUNCTION typename Arrays::Ordinal first_row_from(const Arrays& A, std::int64_t key, int lane) {
  using traits  = ExecutionTraits<ExecutionSpace>;
  using Ordinal = typename Arrays::Ordinal;
  Ordinal low = 0, high = A.rows;
  while (low < high) {
    const Ordinal step  = (high - low - 1) / (traits::lane_width + 1) + 1;
    const auto distance = static_cast<std::int64_t>(step) * (lane + 1) - 1;
    const bool inside   = distance < static_cast<std::int64_t>(high - low);
    const bool below    = inside && row_key(A, static_cast<Ordinal>(low + distance)) < key;
    const int count     = traits::lanes::count(below);
    const Ordinal next  = low + static_cast<Ordinal>(count) * step;
    // The probe behind the last that was below, where there is one, bounds the row from above.
    if (count < traits::lane_width && high - next >= step) high = next + step - 1;
    low = next;
  }
  return low;
}

/// Reads what another team wrote in this launch, past a cache that may hold an older value.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real read_shared(const Real* source) {
  return *static_cast<const volatile Real*>(source);
}
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Kokkos::complex<Real> read_shared(const Kokkos::complex<Real>* source) {
  const auto* parts    = reinterpret_cast<const volatile Real*>(source);
  const Real real      = parts[0];
  const Real imaginary = parts[1];
  return Kokkos::complex<Real>(real, imaginary);
}

/// Keys of a piece: a power of two, as many as scratch holds well, fewer where the device would not be filled. Hosts
/// take long pieces: a thread needs no balance finer than a few pieces.
template <class ExecutionSpace, class Scalar>
std::int64_t piece_size(const ExecutionSpace& exec, std::int64_t keys) {
  std::int64_t piece = static_cast<std::int64_t>(SpmvTuning::split_piece_bytes / sizeof(Scalar));
  if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) {
    const std::int64_t wanted = exec.concurrency() / SpmvTuning::split_teams;
    while (piece > SpmvTuning::split_least_piece && keys / piece < wanted) piece /= 2;
    return piece;
  } else {
    return std::max<std::int64_t>(piece, keys / (8 * std::max(1, exec.concurrency())));
  }
}

template <class ExecutionSpace, class Arrays>
struct SpmvNonzeroSplit {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Stream  = CrsStream<ExecutionSpace, Arrays>;
  using traits  = ExecutionTraits<ExecutionSpace>;

  /// What threads of a team tell each other.
  struct Board {
    TeamSums<ExecutionSpace, Scalar> sums;
    Ordinal first_row[2];
    int is_last;
    int uneven;  ///< rows in `row`
    int row[SpmvTuning::split_piece_bytes / sizeof(Scalar) * 2 / SpmvTuning::split_even_row + 1];
  };

  Arrays A;
  Stream stream;
  SpmvArguments<Scalar> arguments;
  SpmvPieces<Arrays> pieces;
  std::int64_t piece;  // keys of a piece
  std::int64_t tail;   // a last row of more nonzeros is streamed, not staged
  int staged;          // products that fit in scratch

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Board& board    = *team.template scratch<Board>(1);
    Scalar* product = traits::is_gpu ? team.template scratch<Scalar>(staged) : nullptr;
    Ordinal first, last;
    find_rows(team, board, first, last);

    const std::int64_t key = static_cast<std::int64_t>(team.league_rank()) * piece;
    if (pieces.partial != nullptr && first > 0 && row_key(A, first) > key && is_long(first - 1))
      if (const std::int64_t begin = key - (first - 1); begin < static_cast<std::int64_t>(A.row_map[first]))
        share_of_long_row(team, first - 1, static_cast<Offset>(begin), board);
    if (last > first && nonzeros_of(last - 1) > tail) {
      --last;
      share_of_long_row(team, last, A.row_map[last], board);
    }
    if (last > first) whole_rows(team, first, last, product, board);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t nonzeros_of(Ordinal row) const {
    return static_cast<std::int64_t>(A.row_map[row + 1] - A.row_map[row]);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_long(Ordinal row) const { return nonzeros_of(row) > piece; }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void find_rows(const Team& team, Board& board, Ordinal& first, Ordinal& last) const {
    if (pieces.first_row != nullptr) {
      first = pieces.first_row[team.league_rank()];
      last  = pieces.first_row[team.league_rank() + 1];
      return;
    }
    for (int end = team.group(); end < 2; end += team.groups()) {
      const Ordinal row = first_row_from<typename Team::execution_space>(
          A, (static_cast<std::int64_t>(team.league_rank()) + end) * piece, team.lane());
      if (team.lane() == 0) board.first_row[end] = row;
    }
    team.barrier();
    first = board.first_row[0];
    last  = board.first_row[1];
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void whole_rows(const Team& team, Ordinal first, Ordinal last, Scalar* product,
                                              Board& board) const {
    if constexpr (!traits::is_gpu) {
      for (Ordinal row = first; row < last; ++row) arguments.write(row, serial_row(row));
    } else {
      const Offset begin = A.row_map[first];
      const Offset end   = A.row_map[last];
      const Offset base  = begin / Stream::width;
      const Lane lane    = lane_of(team, static_cast<int>(last - first));
      Extent row         = extent(first, last, lane.row);
      if (team.thread() == 0) board.uneven = 0;
      if (begin < end)
        stream.template products<SpmvTuning::split_packs>(
            base + team.thread(), team.threads(), (end - 1) / Stream::width, arguments.x,
            [&](Offset pack, const typename Stream::Values& products) {
              reinterpret_cast<typename Stream::Values*>(product)[pack - base] = products;
            });
      team.barrier();
      sum_rows(team, first, last, base * Stream::width, product, lane, row, board);
    }
  }

  struct Extent {
    Offset begin, end;
  };
  KOKKOS_FORCEINLINE_FUNCTION Extent extent(Ordinal first, Ordinal last, int row) const {
    if (row >= static_cast<int>(last - first)) return {Offset(0), Offset(0)};
    return {A.row_map[first + row], A.row_map[first + row + 1]};
  }

  /// A thread's place among those that share a row: as many as the team has to spare.
  struct Lane {
    int row, place, lanes, side;
  };
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION static Lane lane_of(const Team& team, int rows) {
    int lanes = 1;
    while (lanes < Team::lane_width && 2 * lanes * rows <= team.threads()) lanes *= 2;
    return {team.thread() / lanes, team.thread() % lanes, lanes, team.threads() / lanes};
  }

  /// Rows summed from scratch; those that would keep their lanes longer than others are put aside and take a whole lane
  /// group each. The extents of the next row are loaded while one is summed, of the first while products are made.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sum_rows(const Team& team, Ordinal first, Ordinal last, Offset base,
                                            const Scalar* product, const Lane& lane, Extent row, Board& board) const {
    const int rows       = static_cast<int>(last - first);
    const int whole_runs = (rows + lane.side - 1) / lane.side * lane.side;  // every lane takes part in every shuffle
    for (int r = lane.row; r < whole_runs; r += lane.side) {
      const Extent next = extent(first, last, r + lane.side);
      const int begin   = static_cast<int>(row.begin - base);
      const int end     = static_cast<int>(row.end - base);
      bool mine         = lane.place == 0 && r < rows;
      Scalar sum(0);
      if (end - begin > lane.lanes * SpmvTuning::split_even_row) {
        if (mine) board.row[Kokkos::atomic_fetch_add(&board.uneven, 1)] = r;
        mine = false;
      } else {
        for (int i = begin + lane.place; i < end; i += lane.lanes) sum += product[i];
      }
      sum = Team::sum_lanes(sum, lane.lanes);
      if (mine) arguments.write(first + r, sum);
      row = next;
    }
    team.barrier();
    for (int i = team.group(); i < board.uneven; i += team.groups()) {
      const int r   = board.row[i];
      const int end = static_cast<int>(A.row_map[first + r + 1] - base);
      Scalar sum(0);
      for (int k = static_cast<int>(A.row_map[first + r] - base) + team.lane(); k < end; k += Team::lane_width)
        sum += product[k];
      sum = Team::sum_lanes(sum, Team::lane_width);
      if (team.lane() == 0) arguments.write(first + r, sum);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar serial_row(Ordinal row) const {
    Scalar sum(0);
    const Offset end = A.row_map[row + 1];
    for (Offset i = A.row_map[row]; i < end; ++i) sum += A.values[i] * arguments.x[A.entries[i]];
    return sum;
  }

  /// This team's part of a row: from nonzero `begin` to the end of the piece where the row is longer than one, else to
  /// the end of the row. Also for the last row of a piece where it is so long that staging it would cost much scratch.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void share_of_long_row(const Team& team, Ordinal row, Offset begin, Board& board) const {
    const bool shared            = pieces.partial != nullptr && is_long(row);
    const std::int64_t row_end   = static_cast<std::int64_t>(A.row_map[row + 1]);
    const std::int64_t piece_end = (static_cast<std::int64_t>(team.league_rank()) + 1) * piece - row;
    const auto end               = static_cast<Offset>(shared && piece_end < row_end ? piece_end : row_end);
    const Scalar share           = sum_team(
                  team, stream.template share<SpmvTuning::split_packs>(begin, end, team.thread(), team.threads(), arguments.x),
                  board.sums);
    if (shared)
      meet(team, row, share, board);
    else if (team.thread() == 0)
      arguments.write(row, share);
  }

  /// Leaves a partial sum; the last team of the row to arrive adds all of them in the order of the pieces. A piece can
  /// hold the end of one long row and the start of the next, so it has a place for each.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void meet(const Team& team, Ordinal row, const Scalar& share, Board& board) const {
    const std::int64_t last_key = static_cast<std::int64_t>(A.row_map[row + 1]) - 1 + row;
    const int first_piece       = static_cast<int>(row_key(A, row) / piece);
    const int count             = static_cast<int>(last_key / piece) - first_piece + 1;
    team.barrier();
    if (team.thread() == 0) {
      pieces.partial[2 * team.league_rank() + (team.league_rank() == first_piece ? 1 : 0)] = share;
      Kokkos::memory_fence();
      board.is_last = Kokkos::atomic_fetch_add(&pieces.arrived[first_piece], 1) == count - 1;
      Kokkos::memory_fence();
    }
    team.barrier();
    if (!board.is_last) return;
    Scalar sum(0);
    for (int i = team.thread(); i < count; i += team.threads())
      sum += read_shared(pieces.partial + 2 * (first_piece + i) + (i == 0 ? 1 : 0));
    const Scalar total = sum_team(team, sum, board.sums);
    if (team.thread() != 0) return;
    arguments.write(row, total);
    pieces.arrived[first_piece] = 0;  // ready for the next call
  }
};

/// What a plan keeps for nonzero_split.
template <class Arrays, class MemorySpace>
struct SpmvPartition {
  Kokkos::View<typename Arrays::Ordinal*, MemorySpace> first_row;
  Kokkos::View<typename Arrays::Scalar*, MemorySpace> partial;
  Kokkos::View<int*, MemorySpace> arrived;
  std::int64_t piece = 0;

  std::size_t bytes() const {
    return first_row.span() * sizeof(typename Arrays::Ordinal) + partial.span() * sizeof(typename Arrays::Scalar) +
           arrived.span() * sizeof(int);
  }
  SpmvPieces<Arrays> pieces() const { return {first_row.data(), partial.data(), arrived.data()}; }
};

template <class Arrays, class MemorySpace>
struct FillFirstRows {
  Arrays A;
  std::int64_t piece;
  Kokkos::View<typename Arrays::Ordinal*, MemorySpace> first_row;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    first_row(i) = first_row_from<Kokkos::DefaultHostExecutionSpace>(A, i * piece, 0);  // by one thread, not by lanes
  }
};

/// Bytes that `make_spmv_partition` would allocate.
template <class ExecutionSpace, class Arrays>
std::size_t spmv_partition_bytes(const ExecutionSpace& exec, const Arrays& A, std::int64_t longest) {
  using Scalar             = typename Arrays::Scalar;
  const std::int64_t keys  = static_cast<std::int64_t>(A.nonzeros) + static_cast<std::int64_t>(A.rows);
  const std::int64_t piece = piece_size<ExecutionSpace, Scalar>(exec, keys);
  const std::size_t count  = static_cast<std::size_t>(keys / piece + 1);
  return (count + 1) * sizeof(typename Arrays::Ordinal) +
         (longest > piece ? count * (2 * sizeof(Scalar) + sizeof(int)) : 0);
}

/// Finds the first row of every piece. `longest` is the length of the longest row, which says whether rows are shared.
template <class ExecutionSpace, class Arrays>
auto make_spmv_partition(const ExecutionSpace& exec, const Arrays& A, std::int64_t longest) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  SpmvPartition<Arrays, MemorySpace> partition;
  const std::int64_t keys = static_cast<std::int64_t>(A.nonzeros) + static_cast<std::int64_t>(A.rows);
  partition.piece         = piece_size<ExecutionSpace, typename Arrays::Scalar>(exec, keys);
  const std::size_t count = static_cast<std::size_t>(keys / partition.piece + 1);
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;
  partition.first_row = Kokkos::View<typename Arrays::Ordinal*, MemorySpace>(
      view_alloc(exec, WithoutInitializing, "Lacuna::spmv::first_row"), count + 1);
  if (longest > partition.piece) {
    partition.partial = Kokkos::View<typename Arrays::Scalar*, MemorySpace>(
        view_alloc(exec, WithoutInitializing, "Lacuna::spmv::partial"), 2 * count);
    partition.arrived = Kokkos::View<int*, MemorySpace>(view_alloc(exec, "Lacuna::spmv::arrived"), count);
  }
  Kokkos::parallel_for("Lacuna::spmv::partition",
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count + 1),
                       FillFirstRows<Arrays, MemorySpace>{A, partition.piece, partition.first_row});
  return partition;
}

/// Runs with the pieces of a plan, or with none. `longest` bounds the rows that are staged in scratch, where it is
/// known.
template <class ExecutionSpace, class Arrays>
void spmv_nonzero_split(const ExecutionSpace& exec, const Arrays& A,
                        const SpmvArguments<typename Arrays::Scalar>& arguments, SpmvShape shape,
                        const SpmvPieces<Arrays>& pieces = {},
                        std::int64_t longest             = std::numeric_limits<std::int64_t>::max()) {
  using Kernel = SpmvNonzeroSplit<ExecutionSpace, Arrays>;
  using Scalar = typename Arrays::Scalar;
  using traits = ExecutionTraits<ExecutionSpace>;
  if (A.rows == 0) return;
  const std::int64_t keys  = static_cast<std::int64_t>(A.nonzeros) + static_cast<std::int64_t>(A.rows);
  const std::int64_t piece = piece_size<ExecutionSpace, Scalar>(exec, keys);
  const std::int64_t teams = keys / piece + 1;
  const int threads = team_threads<ExecutionSpace>(shape.team_size > 0 ? shape.team_size : SpmvTuning::split_team);
  // Staging a long last row costs scratch, so teams; streaming it costs a second pass, which shows where all teams run
  // at once anyway.
  const bool one_wave     = teams * threads <= exec.concurrency();
  const std::int64_t tail = one_wave ? piece : piece / SpmvTuning::split_tail_share;
  // What is staged reaches behind the end of the piece by less than such a row; its first and last pack may reach out.
  const std::int64_t staged = piece + std::min(tail, longest) + 2 * Kernel::Stream::width;
  const std::size_t scratch = sizeof(typename Kernel::Board) + (traits::is_gpu ? staged : 0) * sizeof(Scalar) + 64;
  launch_teams(exec, "Lacuna::spmv::nonzero_split", {teams, threads}, scratch,
               Kernel{A, typename Kernel::Stream(A), arguments, pieces, piece, tail, static_cast<int>(staged)});
}

}  // namespace lacuna::Impl

#endif
