// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMV_NONZEROSPLIT_HPP
#define LACUNA_SPMV_NONZEROSPLIT_HPP

#include <kernels/spmv/impl/Lacuna_Spmv_CrsStream.hpp>
#include <kernels/spmv/tuning/Lacuna_Spmv_Tuning.hpp>

#include <algorithm>
#include <cstdint>

/// \file
/// \brief CSR cut into pieces of equally many nonzeros: balanced whatever the rows are.
///
/// Piece p stands for the nonzeros [p T, (p + 1) T). Its team owns the rows that *start* there and reads them whole, so
/// a row of at most T nonzeros is never shared: no carries, no atomics. A longer row is worked by every team whose
/// piece it crosses; each leaves a partial sum, and the last to finish adds them in the order of the pieces. So the
/// result does not depend on the order in which teams run.
///
/// Bound: bytes of the CSR arrays. A piece is streamed in packs of 16 bytes contiguous over the team, products go to
/// scratch, and rows are summed from there.

namespace lacuna::Impl {

/// The first row of every piece, and where the teams of a long row meet. A default object means that nothing was kept:
/// teams search for their rows and a long row is worked by one team.
template <class Arrays>
struct SpmvPieces {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;

  const Ordinal* first_row = nullptr;
  Scalar* partial          = nullptr;
  int* arrived             = nullptr;
};

/// The first row that starts at or behind nonzero `position`; `rows` where none does.
template <class Arrays>
KOKKOS_INLINE_FUNCTION typename Arrays::Ordinal first_row_from(const Arrays& A, typename Arrays::Offset position) {
  typename Arrays::Ordinal low = 0, high = A.rows;
  while (low < high) {
    const typename Arrays::Ordinal middle = low + (high - low) / 2;
    if (A.row_map[middle] < position)
      low = middle + 1;
    else
      high = middle;
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

/// Nonzeros of a piece. Hosts take long pieces: a thread needs no balance finer than a few pieces.
template <class ExecutionSpace, class Scalar>
std::int64_t piece_size(const ExecutionSpace& exec, std::int64_t nonzeros) {
  constexpr std::int64_t device = static_cast<std::int64_t>(SpmvTuning::split_piece_bytes / sizeof(Scalar));
  if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) return device;
  return std::max<std::int64_t>(device, nonzeros / (8 * std::max(1, exec.concurrency())));
}

template <class ExecutionSpace, class Arrays>
struct SpmvNonzeroSplit {
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Stream  = CrsStream<ExecutionSpace, Arrays>;

  static constexpr bool is_gpu = ExecutionTraits<ExecutionSpace>::is_gpu;

  Arrays A;
  Stream stream;
  SpmvArguments<Scalar> arguments;
  SpmvPieces<Arrays> pieces;
  Offset piece;  // nonzeros of a piece
  int staged;    // products that fit in scratch

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    Scalar* sums    = team.template scratch<Scalar>(ExecutionTraits<ExecutionSpace>::max_team_size / Team::lane_width);
    Scalar* product = is_gpu ? team.template scratch<Scalar>(staged) : nullptr;
    const Offset begin  = static_cast<Offset>(team.league_rank()) * piece;
    const Ordinal first = first_row(team, team.league_rank());
    Ordinal last        = first_row(team, team.league_rank() + 1);

    if (pieces.partial != nullptr && first > 0 && A.row_map[first] > begin && length(first - 1) > piece)
      share_of_long_row(team, first - 1, begin, sums);
    if (last > first && length(last - 1) > piece) {
      --last;
      share_of_long_row(team, last, A.row_map[last], sums);
    }
    if (last > first) whole_rows(team, first, last, product);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Offset length(Ordinal row) const { return A.row_map[row + 1] - A.row_map[row]; }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Ordinal first_row(const Team& team, int index) const {
    if (pieces.first_row != nullptr) return pieces.first_row[index];
    if (index == team.league_size()) return A.rows;
    return first_row_from(A, static_cast<Offset>(index) * piece);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void whole_rows(const Team& team, Ordinal first, Ordinal last, Scalar* product) const {
    const Offset begin = A.row_map[first];
    const Offset end   = A.row_map[last];
    if constexpr (!is_gpu) {
      for (Ordinal row = first; row < last; ++row) arguments.write(row, serial_row(row));
      return;
    } else {
      const Offset base = begin / Stream::width * Stream::width;
#pragma unroll 2
      for (Offset pack = begin / Stream::width + team.thread(); pack * Stream::width < end; pack += team.threads())
        stream.products(pack, begin, end, arguments.x,
                        [&](Offset nonzero, const Scalar& value) { product[nonzero - base] = value; });
      team.barrier();
      sum_rows(team, first, last, base, product);
    }
  }

  /// Rows summed from scratch, by as many lanes a row as the team has to spare.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void sum_rows(const Team& team, Ordinal first, Ordinal last, Offset base,
                                            const Scalar* product) const {
    const int rows = static_cast<int>(last - first);
    int lanes      = 1;
    while (lanes < Team::lane_width && 2 * lanes * rows <= team.threads()) lanes *= 2;
    const int lane       = team.thread() % lanes;
    const int side       = team.threads() / lanes;
    const int whole_runs = (rows + side - 1) / side * side;  // every lane takes part in every shuffle
    for (int r = team.thread() / lanes; r < whole_runs; r += side) {
      Scalar sum(0);
      if (r < rows) {
        const int end = static_cast<int>(A.row_map[first + r + 1] - base);
#pragma unroll 4
        for (int i = static_cast<int>(A.row_map[first + r] - base) + lane; i < end; i += lanes) sum += product[i];
      }
      sum = Team::sum_lanes(sum, lanes);
      if (lane == 0 && r < rows) arguments.write(first + r, sum);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar serial_row(Ordinal row) const {
    Scalar sum(0);
    const Offset end = A.row_map[row + 1];
    for (Offset i = A.row_map[row]; i < end; ++i) sum += A.values[i] * arguments.x[A.entries[i]];
    return sum;
  }

  /// This team's part of a row longer than a piece, from nonzero `begin` to the end of the piece or of the row.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void share_of_long_row(const Team& team, Ordinal row, Offset begin, Scalar* sums) const {
    const Offset row_end   = A.row_map[row + 1];
    const Offset piece_end = static_cast<Offset>(team.league_rank() + 1) * piece;
    const bool shared      = pieces.partial != nullptr;
    const Offset end       = shared && piece_end < row_end ? piece_end : row_end;
    const Scalar share     = team_sum(team, stream_sum(team, begin, end), sums);
    if (!shared) {
      if (team.thread() == 0) arguments.write(row, share);
    } else {
      meet(team, row, share, sums);
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Scalar stream_sum(const Team& team, Offset begin, Offset end) const {
    Scalar sum(0);
    for (Offset pack = begin / Stream::width + team.thread(); pack * Stream::width < end; pack += team.threads())
      stream.products(pack, begin, end, arguments.x, [&](Offset, const Scalar& value) { sum += value; });
    return sum;
  }

  /// Sum over all threads of the team, in a fixed order; every thread gets it.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION Scalar team_sum(const Team& team, Scalar sum, Scalar* sums) const {
    sum = Team::sum_lanes(sum, Team::lane_width);
    team.barrier();  // sums may still be read from the sum before
    if (team.lane() == 0) sums[team.group()] = sum;
    team.barrier();
    Scalar total(0);
    for (int group = 0; group < team.groups(); ++group) total += sums[group];
    return total;
  }

  /// Leaves a partial sum; the last team of the row to arrive adds all of them in the order of the pieces.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void meet(const Team& team, Ordinal row, const Scalar& share, Scalar* sums) const {
    const int first_piece = static_cast<int>(A.row_map[row] / piece);
    const int count       = static_cast<int>((A.row_map[row + 1] - 1) / piece) - first_piece + 1;
    int* last_flag        = reinterpret_cast<int*>(sums);
    team.barrier();
    if (team.thread() == 0) {
      pieces.partial[team.league_rank()] = share;
      Kokkos::memory_fence();
      const int before = Kokkos::atomic_fetch_add(&pieces.arrived[first_piece], 1);
      Kokkos::memory_fence();
      *last_flag = before == count - 1;
    }
    team.barrier();
    const bool is_last = *last_flag != 0;
    team.barrier();
    if (!is_last) return;
    Scalar sum(0);
    for (int i = team.thread(); i < count; i += team.threads()) sum += read_shared(pieces.partial + first_piece + i);
    const Scalar total = team_sum(team, sum, sums);
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
  typename Arrays::Offset piece;
  Kokkos::View<typename Arrays::Ordinal*, MemorySpace> first_row;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const bool is_end = i + 1 == static_cast<std::int64_t>(first_row.extent(0));
    first_row(i)      = is_end ? A.rows : first_row_from(A, static_cast<typename Arrays::Offset>(i) * piece);
  }
};

/// Finds the first row of every piece. `longest` is the length of the longest row, which says whether rows are shared.
template <class ExecutionSpace, class Arrays>
auto make_spmv_partition(const ExecutionSpace& exec, const Arrays& A, std::int64_t longest) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Offset      = typename Arrays::Offset;
  SpmvPartition<Arrays, MemorySpace> partition;
  partition.piece         = piece_size<ExecutionSpace, typename Arrays::Scalar>(exec, A.nonzeros);
  const std::size_t count = static_cast<std::size_t>(A.nonzeros / partition.piece + 1);
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;
  partition.first_row = Kokkos::View<typename Arrays::Ordinal*, MemorySpace>(
      view_alloc(exec, WithoutInitializing, "Lacuna::spmv::first_row"), count + 1);
  if (longest > partition.piece) {
    partition.partial = Kokkos::View<typename Arrays::Scalar*, MemorySpace>(
        view_alloc(exec, WithoutInitializing, "Lacuna::spmv::partial"), count);
    partition.arrived = Kokkos::View<int*, MemorySpace>(view_alloc(exec, "Lacuna::spmv::arrived"), count);
  }
  Kokkos::parallel_for(
      "Lacuna::spmv::partition",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count + 1),
      FillFirstRows<Arrays, MemorySpace>{A, static_cast<Offset>(partition.piece), partition.first_row});
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
  const std::int64_t piece = piece_size<ExecutionSpace, Scalar>(exec, A.nonzeros);
  const std::int64_t teams = static_cast<std::int64_t>(A.nonzeros) / piece + 1;
  const int threads = team_threads<ExecutionSpace>(shape.team_size > 0 ? shape.team_size : SpmvTuning::split_team);
  // A piece reaches at most one staged row, so at most a piece, behind its end; a pack may begin before its first row.
  const std::int64_t staged = piece + std::min(piece, longest) + Kernel::Stream::width;
  const std::size_t scratch =
      (traits::max_team_size / traits::lane_width + (traits::is_gpu ? staged : 0)) * sizeof(Scalar) + 64;
  launch_teams(exec, "Lacuna::spmv::nonzero_split", {teams, threads}, scratch,
               Kernel{A, typename Kernel::Stream(A), arguments, pieces, static_cast<typename Arrays::Offset>(piece),
                      static_cast<int>(staged)});
}

}  // namespace lacuna::Impl

#endif
