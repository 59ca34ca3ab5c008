// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMROWCLASSES_HPP
#define LACUNA_SPGEMMROWCLASSES_HPP

#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowAnalysis.hpp>
#include <kernels/spgemm/algorithms/row_classes/Lacuna_SpgemmRowLaunches.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmRequest.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmStorage.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

/// \file
/// \brief `SpgemmAlgorithm::row_classes`: counts, then adds every row by the kernel that suits its products and
/// columns.

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
  using Rule     = typename Analysis::Rule;
  using Kind     = SpgemmRowKind;
  using Context  = SpgemmContext<Matrix, ExecutionSpace, Mask>;
  using Target   = SpgemmTarget<Scalar, Ordinal, Offset>;
  using Policy   = SpgemmRowClassesPolicy;

 public:
  /// Whether `build` may leave the row map to `write_row_map`.
  static constexpr bool writes_row_map_later = true;

  /// Waits twice.
  void build(const Context& context) {
    const ExecutionSpace& exec = context.exec;
    const Counting counting{.A = context.A, .B = context.B, .mask = context.mask};
    m_deterministic = context.deterministic;
    m_rule          = Rule::of_device(largest_scratch(exec));
    // An estimate of the products, with the mean length for every row of B.
    m_rule.warp_products = warp_products(
        exec, static_cast<std::int64_t>(static_cast<double>(context.A.nonzeros) * mean_length(context.B)), true);
    m_analysis.inspect(context, counting, m_rule);
    context.expect_products(m_analysis.products());
    take_bitmaps(context);
    take_sorted_columns(context);
    m_analysis.pack(context);
    run<false>(exec, counting, Target{nullptr, nullptr, nullptr, m_analysis.counts()});
    m_rule.warp_products = warp_products(exec, m_analysis.products(), rows_are_alike(context));
    if (mean_length(context.B) < Policy::short_rows_of_b) m_rule.always_sorted = Policy::always_sorted_of_short_rows;
    m_rule.subwarp_lanes = m_analysis.fuses_inodes_of_b(counting) ? 1 : ExecutionTraits<ExecutionSpace>::lane_width;
    m_nonzeros           = m_analysis.sort_again(exec, counting, m_rule);
    if (context.row_map != nullptr) write_row_map(exec, static_cast<std::int64_t>(context.A.rows), context.row_map);
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

  /// An estimate, after `build`. Waits.
  double call_seconds(const Device& device, const Context& context) const {
    const Counting counting{.A = context.A, .B = context.B, .mask = context.mask};
    const SpgemmCallCostSums cost = m_analysis.call_cost(context.exec, counting, m_rule);
    return device.launch_seconds + static_cast<double>(cost.bytes) / device.copy_rate +
           SpgemmCallCostPolicy::latency * static_cast<double>(cost.longest);
  }

  /// Bytes that are needed before anything is known about the rows.
  static std::size_t least_bytes(const Arrays& A, const Arrays& B) { return Analysis::Memory::least_bytes(A, B); }
  /// Bytes of an arena that a call lends, see `SpgemmRowsMemory`.
  static std::size_t lent_bytes(std::int64_t rows, std::int64_t nonzeros_a, std::int64_t rows_b,
                                std::int64_t nonzeros_b) {
    return Analysis::Memory::lent_bytes(rows, nonzeros_a, rows_b, nonzeros_b);
  }
  std::size_t bytes() const { return m_analysis.bytes(); }
  std::size_t temporary_bytes() const { return m_workspace.bytes() + m_sorted_arena.bytes(); }
  bool shareable() const { return false; }
  std::int64_t nonzeros() const { return m_nonzeros; }
  std::int64_t products() const { return m_analysis.products(); }

  std::string describe() const {
    const auto rows  = [&](auto... kinds) { return std::to_string((m_analysis.count(kinds) + ...)); };
    std::string text = "  rows        " + rows(Kind::empty) + " empty, " + rows(Kind::sort) + " sorted, " +
                       rows(Kind::warp) + " in bitmaps of a warp, " + rows(Kind::inode, Kind::inode_member) +
                       " in those of equal rows, " + rows(Kind::team, Kind::team_in_scratch) + " of a team, " +
                       rows(Kind::global) + " in memory, " + rows(Kind::sort_in_memory) + " sorted in memory";
    if (Counting::is_masked) text += ", " + rows(Kind::search) + " by search";
    return text + "\n";
  }

 private:
  static constexpr const char* who = "SpgemmPlan";

  /// Warps that half of the device holds.
  static std::int64_t warps_at_once(const ExecutionSpace& exec) {
    return std::max<std::int64_t>(1, exec.concurrency() / (2 * ExecutionTraits<ExecutionSpace>::lane_width));
  }
  /// Most products of a row that a warp takes: a share of all products, a smaller one where some rows have many more
  /// than others.
  static std::int64_t warp_products(const ExecutionSpace& exec, std::int64_t products, bool alike) {
    if constexpr (!ExecutionTraits<ExecutionSpace>::is_gpu) return Policy::warp_products;
    const auto kind = static_cast<std::size_t>(alike ? 0 : 1);
    return std::clamp(products / (Policy::warp_shares[kind] * warps_at_once(exec)), Policy::least_warp_products[kind],
                      Policy::warp_products);
  }
  /// Whether warps balance rows well: no row has many times the mean of products, and there are more rows than warps;
  /// or many rows are added in inodes, which teams do not do.
  bool rows_are_alike(const Context& context) const {
    const auto rows = static_cast<std::int64_t>(context.A.rows);
    if (Policy::inode_share * m_analysis.inode_members() > rows) return true;
    return rows > warps_at_once(context.exec) &&
           m_analysis.most_products() * rows <= Policy::alike * m_analysis.products();
  }

  /// Teams that get `elements` each: as many as the device has room for, as long as all of it is at most `per_product`
  /// elements for each product.
  std::int64_t teams_with_memory(const Context& context, std::int64_t elements, std::int64_t per_product) const {
    const auto most = std::min<std::int64_t>(static_cast<std::int64_t>(context.A.rows), 2 * processors(context.exec));
    return std::clamp<std::int64_t>(per_product * m_analysis.products() / elements, 1, most);
  }

  /// Takes the memory that kernels write to beside C: bitmaps that are too wide for scratch.
  void take_bitmaps(const Context& context) {
    m_bitmaps.length = m_analysis.widest() / 32 + 2;
    // The classes that add rows are not known yet. A bitmap that adds has words twice as large, and may not fit where
    // one that counts does.
    const bool may_be_wide = Rule::AddByTeam::bytes(m_bitmaps.length, 0) > m_rule.team_bytes[Policy::team_classes - 1];
    if (m_analysis.count(Kind::global) == 0 && !may_be_wide) return;
    const std::int64_t one = round_up(m_bitmaps.length * static_cast<std::int64_t>(sizeof(SpgemmWord)), 256);
    m_bitmaps.length       = one / static_cast<std::int64_t>(sizeof(SpgemmWord));
    m_bitmaps.teams        = teams_with_memory(context, m_bitmaps.length, Policy::bitmap_words_per_product);
    const auto words       = [&] { return m_bitmaps.teams * m_bitmaps.length; };
    // Fewer teams at once are slower, but suffice.
    while (m_bitmaps.teams > 1 && !context.budget.fits(Arena::template bytes_for<SpgemmWord>(words())))
      --m_bitmaps.teams;
    const std::size_t n = Arena::template bytes_for<SpgemmWord>(words());
    context.budget.take("bitmaps of wide rows", n);
    m_workspace     = Arena(who, context.exec, "Lacuna::spgemm::wide_rows", n);
    m_bitmaps.words = m_workspace.template take<SpgemmWord>(words()).data();
  }

  /// Takes memory for rows that are sorted there.
  void take_sorted_columns(const Context& context) {
    if (m_analysis.most_sorted() == 0) return;
    m_sorted.capacity  = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(m_analysis.most_sorted())));
    m_sorted.teams     = teams_with_memory(context, m_sorted.capacity, Policy::sorted_columns_per_product);
    const auto columns = [&] { return m_sorted.teams * m_sorted.capacity; };
    while (m_sorted.teams > 1 && !context.budget.fits(Arena::template bytes_for<Ordinal>(columns()))) --m_sorted.teams;
    const std::size_t n = Arena::template bytes_for<Ordinal>(columns());
    context.budget.take("columns of rows that are sorted in memory", n);
    m_sorted_arena   = Arena(who, context.exec, "Lacuna::spgemm::sorted_columns", n);
    m_sorted.columns = m_sorted_arena.template take<Ordinal>(columns()).data();
  }

  template <bool Numeric, class Operands>
  void run(const ExecutionSpace& exec, const Operands& operands, const Target& target) const {
    SpgemmRowLaunches<Numeric, Analysis, Operands, Target, ExecutionSpace>(exec, m_analysis, m_rule, m_bitmaps,
                                                                           m_sorted, m_deterministic, operands, target)
        .run();
  }

  Rule m_rule{};
  Analysis m_analysis;
  SpgemmWideBitmaps m_bitmaps;
  bool m_deterministic    = false;
  std::int64_t m_nonzeros = 0;
  Arena m_workspace, m_sorted_arena;
  SpgemmSortedColumns<Ordinal> m_sorted;
};

/// \brief Two passes over all rows, each by what suits its products and its columns. For lanes.
struct SpgemmRowsOnLanes {
  static constexpr SpgemmAlgorithm id = SpgemmAlgorithm::row_classes;

  static Support supports(const Device& device, const SpgemmRequest&) {
    if (!device.has_lanes) return {"written for GPUs, hosts take rows one by one"};
    return {};
  }
  static Estimate estimate(const Device& device, const SpgemmInspection& known, const SpgemmRequest& request) {
    return {.call_seconds = spgemm_seconds(device, known, request), .reason = "serves every matrix"};
  }

  template <CrsMatrixType Matrix, class ExecutionSpace, class Mask>
  using Storage =
      std::conditional_t<runs_lane_kernels<ExecutionSpace>, SpgemmRowClassesStorage<Matrix, ExecutionSpace, Mask>,
                         SpgemmNoStorage<SpgemmRowsOnLanes>>;
};

}  // namespace lacuna::Impl

#endif
