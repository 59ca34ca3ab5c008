// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWCLASSES_HPP
#define LACUNA_SPGEMMROWCLASSES_HPP

#include <Lacuna_SpgemmOptions.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowAnalysis.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowLaunches.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// \brief `SpgemmAlgorithm::row_classes`: count, then add, every row by what suits its products and its columns.

namespace lacuna::Impl {

template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
class SpgemmRowClassesStorage {
  using Arrays   = CrsArraysOf<Matrix>;
  using Scalar   = typename Arrays::Scalar;
  using Ordinal  = typename Arrays::Ordinal;
  using Offset   = typename Arrays::Offset;
  using Space    = typename ExecutionSpace::memory_space;
  using Arena    = Impl::Arena<Space>;
  using Analysis = SpgemmRowAnalysis<Matrix, ExecutionSpace, Mask>;
  using Counting = typename Analysis::Counting;
  using Classes  = typename Analysis::Classes;
  using Context  = SpgemmContext<Matrix, ExecutionSpace, Mask>;
  using Target   = SpgemmTarget<Scalar, Ordinal, Offset>;
  using Policy   = SpgemmRowClassesPolicy;

 public:
  static constexpr SpgemmAlgorithm id = SpgemmAlgorithm::row_classes;

  /// Whether `build` can do without a row map, see there.
  static constexpr bool writes_row_map_later = true;

  /// Fills `row_map` (rows of A + 1), or leaves it to `write_row_map` where it is nullptr; the nonzeros of C. Waits
  /// twice.
  std::int64_t build(const Context& context, Offset* row_map) {
    const ExecutionSpace& exec = context.exec;
    const Counting counting{.A = context.A, .B = context.B, .mask = context.mask};
    m_deterministic = context.deterministic;
    m_classes       = Classes::of_device(largest_scratch(exec));
    // As many products as there were if all rows of B had the mean length.
    m_classes.warp_products = warp_products(
        exec, static_cast<std::int64_t>(static_cast<double>(context.A.nonzeros) * mean_length(context.B)), true);
    m_analysis.inspect(context, counting, m_classes);
    take_bitmaps(context);
    m_analysis.pack(context);
    run<false>(exec, counting, Target{nullptr, nullptr, nullptr, m_analysis.counts()});
    m_classes.warp_products = warp_products(exec, m_analysis.products(), rows_are_alike(context));
    if (mean_length(context.B) < Policy::short_rows_of_b) m_classes.always_sorted = Policy::always_sorted_of_short_rows;
    m_classes.subwarp_lanes = m_analysis.fuses_inodes_of_b(counting) ? 1 : ExecutionTraits<ExecutionSpace>::lane_width;
    const std::int64_t nonzeros = m_analysis.sort_again(exec, counting, m_classes);
    if (row_map != nullptr) write_row_map(exec, static_cast<std::int64_t>(context.A.rows), row_map);
    return nonzeros;
  }

  void write_row_map(const ExecutionSpace& exec, std::int64_t rows, Offset* row_map) const {
    m_analysis.write_row_map(exec, rows, row_map);
  }

  /// C = alpha A B. Does not fence, does not allocate.
  template <class Operands>
  void multiply(const ExecutionSpace& exec, const Operands& operands, const Target& target,
                bool /*values_of_plan*/) const {
    run<true>(exec, operands, target);
  }

  /// Bytes that are needed before anything is known of the rows.
  static std::size_t least_bytes(const Arrays& A, const Arrays& B) { return Analysis::Memory::least_bytes(A, B); }
  /// Bytes of an arena that a call lends, see SpgemmRowsMemory.
  static std::size_t lent_bytes(std::int64_t rows, std::int64_t nonzeros_a, std::int64_t rows_b,
                                std::int64_t nonzeros_b) {
    return Analysis::Memory::lent_bytes(rows, nonzeros_a, rows_b, nonzeros_b);
  }
  std::size_t bytes() const { return m_analysis.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes(); }
  std::int64_t products() const { return m_analysis.products(); }

  std::string describe() const {
    const auto rows = [&](int first, int end) {
      std::int64_t sum = 0;
      for (int c = first; c < end; ++c) sum += m_analysis.count(c);
      return std::to_string(sum);
    };
    const std::int64_t members = m_analysis.count(Classes::inode_member);
    std::string text           = "  rows        " + rows(Classes::empty, Classes::empty + 1) + " empty, " +
                       rows(Classes::first_sort, Classes::first_warp) + " sorted, " +
                       rows(Classes::first_warp, Classes::first_inode) + " in bitmaps of a warp, ";
    std::int64_t firsts = 0;
    for (int c = Classes::first_inode; c < Classes::first_team; ++c) firsts += m_analysis.count(c);
    text += std::to_string(members + firsts) + " in those of equal rows, " +
            rows(Classes::first_team, Classes::global) + " of a team, " + rows(Classes::global, Classes::count) +
            " in memory";
    if (Counting::is_masked) text += ", " + rows(Classes::search, Classes::search + 1) + " by search";
    return text + "\n";
  }

 private:
  static constexpr const char* who = "SpgemmPlan";

  /// Warps on half of the device.
  static std::int64_t warps_at_once(const ExecutionSpace& exec) {
    return std::max<std::int64_t>(1, exec.concurrency() / (2 * ExecutionTraits<ExecutionSpace>::lane_width));
  }
  /// The most products of a row that a warp takes: its share, or less where some rows have many more.
  static std::int64_t warp_products(const ExecutionSpace& exec, std::int64_t products, bool alike) {
    if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu) return Policy::warp_products;
    const auto kind = static_cast<std::size_t>(alike ? 0 : 1);
    return std::clamp(products / (Policy::warp_shares[kind] * warps_at_once(exec)), Policy::least_warp_products[kind],
                      Policy::warp_products);
  }
  /// Whether warps take rows well: none has many times the products of the others, and there are enough of them;
  /// or equal rows are added together, which teams do not.
  bool rows_are_alike(const Context& context) const {
    const auto rows = static_cast<std::int64_t>(context.A.rows);
    if (Policy::inode_share * m_analysis.inode_members() > rows) return true;
    return rows > warps_at_once(context.exec) &&
           m_analysis.most_products() * rows <= Policy::alike * m_analysis.products();
  }

  /// What kernels write to beside C: bitmaps that are too wide for scratch.
  void take_bitmaps(const Context& context) {
    m_bitmaps.length = m_analysis.widest() / 32 + 2;
    // Numeric classes are not known yet, but a bitmap of two words where one did not fit is not new.
    const bool may_be_wide =
        Classes::TeamAdd::bytes(m_bitmaps.length, 0) > m_classes.team_bytes[Policy::team_classes - 1];
    if (m_analysis.count(Classes::global) == 0 && !may_be_wide) return;
    const std::int64_t one = round_up(m_bitmaps.length * static_cast<std::int64_t>(sizeof(SpgemmWord)), 256);
    m_bitmaps.length       = one / static_cast<std::int64_t>(sizeof(SpgemmWord));
    m_bitmaps.teams  = std::min<std::int64_t>(static_cast<std::int64_t>(context.A.rows), 2 * processors(context.exec));
    const auto words = [&] { return m_bitmaps.teams * m_bitmaps.length; };
    // Fewer teams at once are slower, and do.
    while (m_bitmaps.teams > 1 && !context.budget.fits(Arena::template bytes_for<SpgemmWord>(words())))
      --m_bitmaps.teams;
    const std::size_t n = Arena::template bytes_for<SpgemmWord>(words());
    context.budget.take("bitmaps of wide rows", n);
    m_workspace     = Arena(who, context.exec, "Lacuna::spgemm::wide_rows", n);
    m_bitmaps.words = m_workspace.template take<SpgemmWord>(words()).data();
  }

  template <bool Numeric, class Operands>
  void run(const ExecutionSpace& exec, const Operands& operands, const Target& target) const {
    SpgemmRowLaunches<Numeric, Analysis, Operands, Target, ExecutionSpace>(exec, m_analysis, m_classes, m_bitmaps,
                                                                           m_deterministic, operands, target)
        .run();
  }

  Classes m_classes{};
  Analysis m_analysis;
  SpgemmWideBitmaps m_bitmaps;
  bool m_deterministic = false;
  Arena m_workspace;
};

}  // namespace lacuna::Impl

#endif
