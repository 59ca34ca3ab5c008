// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPRODUCTMAP_HPP
#define LACUNA_SPGEMMPRODUCTMAP_HPP

#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmResult.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmArrangeLists.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmListProducts.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmSumProducts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace lacuna::Impl {

/// \brief `SpgemmOptions::keep_products`: the columns of C, and for each nonzero of C the list of products that it is
/// the sum of.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpgemmProductMap {
  using Arrays  = CrsArraysOf<Matrix>;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Arena   = Impl::Arena<typename ExecutionSpace::memory_space>;
  using Lists   = SpgemmListTarget<Ordinal, Offset>;

 public:
  using Entries = typename OwningCrs<Matrix>::index_type::non_const_type;

  /// \throws NotSupported where positions in A or B do not fit 32 bits.
  static void check(const Arrays& A, const Arrays& B) {
    check_positions("A", A.nonzeros);
    check_positions("B", B.nonzeros);
  }
  /// Makes the columns and the lists of what `check` lets through. `multiply(target)` computes the product as the plan
  /// does without lists. Waits. \throws OutOfMemory.
  template <class Context, class Multiply>
  void make(const Context& context, const Offset* row_map, std::int64_t nonzeros, const Multiply& multiply) {
    m_is_made = true;
    keep_columns(context, row_map, nonzeros, multiply);
    if (nonzeros > 0) keep_lists(context, row_map, nonzeros);
  }

  /// Writes the values of C. Does not fence, does not allocate.
  template <class Operands>
  void multiply(const ExecutionSpace& exec, const Operands& operands, Scalar* values) const {
    using Semiring = typename Operands::Semiring;
    using Sums     = SpgemmSumProducts<SpgemmOperands<Arrays, Semiring>>;  // the lists lack what a mask leaves out
    const Sums sums{{operands.A, operands.B, operands.alpha, operands.semiring}, m_lists, values};
    launch_teams<Sums::team, Sums::teams>(exec, "Lacuna::spgemm::kept_products", {m_windows, Sums::team},
                                          sums.scratch_bytes(), sums);
  }

  explicit operator bool() const { return m_is_made; }
  /// The columns of C.
  const Entries& entries() const { return m_entries; }
  std::size_t bytes() const { return bytes_of(m_entries) + m_window_arena.bytes() + m_list_arena.bytes(); }

  /// `products`, `nonzeros`: of the whole product. `weighed`: what was found, if lists were weighed.
  std::string describe(std::int64_t products, std::int64_t nonzeros, std::int64_t calls,
                       const std::string& weighed) const {
    const std::string reason = weighed.empty() ? "" : "  products    " + weighed + "\n";
    if (m_is_made)
      return "  products    " + std::to_string(m_products) +
             " kept, with the columns of C: " + bytes_text(static_cast<double>(bytes())) +
             "; calls gather their values\n" + reason;
    if (calls < 2 || !reason.empty()) return reason;
    const auto bytes = static_cast<double>(sizeof(SpgemmProduct)) * static_cast<double>(products) +
                       static_cast<double>(sizeof(SpgemmListRecord) + sizeof(Ordinal)) * static_cast<double>(nonzeros);
    return "  products    not kept; keep_products would take about " + bytes_text(bytes) + "\n";
  }

 private:
  static constexpr const char* who = "SpgemmPlan";
  static constexpr auto subject    = "products";

  /// Memory that is freed at the end of a scope, after a wait for the kernels that use it.
  struct Temporary {
    template <class Context>
    Temporary(const Context& context, std::size_t bytes) : exec(context.exec), budget(context.budget) {
      budget.take(subject, bytes);
      arena = Arena(who, exec, "Lacuna::spgemm::list_room", bytes);
    }
    Temporary(const Temporary&)            = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
      exec.fence("Lacuna::spgemm: products are listed");
      budget.give_back(arena.bytes());
    }
    const ExecutionSpace& exec;
    MemoryBudget& budget;
    Arena arena;
  };

  static void check_positions(const char* what, Offset nonzeros) {
    if (static_cast<std::uint64_t>(nonzeros) > std::numeric_limits<std::uint32_t>::max())
      raise<NotSupported>(who, "keep_products takes 32 bits for a position, ", what, " has ", nonzeros, " nonzeros");
  }

  template <class Context, class Multiply>
  void keep_columns(const Context& context, const Offset* row_map, std::int64_t nonzeros, const Multiply& multiply) {
    context.budget.take(subject, static_cast<std::size_t>(nonzeros) * sizeof(Ordinal));
    m_entries = allocate<Entries>(who, context.exec, "Lacuna::spgemm::entries", nonzeros);
    if (nonzeros == 0) return;
    Temporary temporary(context, Arena::template bytes_for<Scalar>(nonzeros));
    const auto values = temporary.arena.template take<Scalar>(nonzeros);
    multiply(SpgemmTarget<Scalar, Ordinal, Offset>{row_map, m_entries.data(), values.data(), nullptr});
  }

  template <class Context>
  void keep_lists(const Context& context, const Offset* row_map, std::int64_t nonzeros) {
    const ExecutionSpace& exec = context.exec;
    const auto long_rows       = count_long_rows(exec, context.A, longest_row);
    Temporary temporary(context,
                        Arena::template bytes_for<std::uint32_t, Counter, Ordinal>(nonzeros, nonzeros + 1, long_rows));
    const auto lengths = temporary.arena.template take<std::uint32_t>(nonzeros);
    const auto offsets = temporary.arena.template take<Counter>(nonzeros + 1);
    const auto rows    = temporary.arena.template take<Ordinal>(long_rows);
    list_long_rows(exec, context.A, longest_row, rows.data(), long_rows);
    Lists lists{row_map, m_entries.data(), lengths.data(), offsets.data()};
    Kokkos::deep_copy(exec, lengths, 0U);
    spgemm_list_products<false>(exec, context.A, context.B, lists, rows.data(), long_rows);
    m_products = scan_lengths(exec, "Lacuna::spgemm::first_products", nonzeros, offsets.data(),
                              StoredLength<std::uint32_t>{lengths.data()});
    m_way = SpgemmListPolicy::way(m_products, nonzeros, ExecutionTraits<ExecutionSpace>::lane_width, sizeof(Scalar),
                                  exec.concurrency() / SpgemmSumProducts<SpgemmOperands<Arrays>>::team);
    lists.longest_of_lane = m_way.longest_of_lane;
    m_lists.most_lists    = m_way.most_lists();
    cut_windows(context, nonzeros, offsets.data());
    lists.products = arrange(context, nonzeros, lists);
    spgemm_list_products<true>(exec, context.A, context.B, lists, rows.data(), long_rows);
  }

  template <class Context>
  void cut_windows(const Context& context, std::int64_t nonzeros, const Counter* before) {
    m_windows = m_way.windows(m_products, nonzeros);
    const std::size_t n =
        Arena::template bytes_for<std::int64_t, std::int64_t, SpgemmLongLists>(m_windows + 1, m_windows + 1, m_windows);
    context.budget.take(subject, n);
    m_window_arena    = Arena(who, context.exec, "Lacuna::spgemm::product_windows", n);
    m_first           = m_window_arena.template take<std::int64_t>(m_windows + 1).data();
    m_segment         = m_window_arena.template take<std::int64_t>(m_windows + 1).data();
    m_long_ones       = m_window_arena.template take<SpgemmLongLists>(m_windows).data();
    m_lists.first     = m_first;
    m_lists.segment   = m_segment;
    m_lists.long_ones = m_long_ones;
    for_each_index(context.exec, "Lacuna::spgemm::product_windows", m_windows + 1,
                   SpgemmFindWindows{m_way, before, nonzeros, m_first});
  }

  /// Finds where every list stands. Returns where products are to be listed.
  template <class Context>
  SpgemmProduct* arrange(const Context& context, std::int64_t nonzeros, const Lists& lists) {
    const ExecutionSpace& exec = context.exec;
    Temporary temporary(context, Arena::template bytes_for<std::int64_t, std::int64_t, std::int64_t>(
                                     m_windows, m_windows, m_windows + 1));
    const auto segments = temporary.arena.template take<std::int64_t>(m_windows);
    const auto products = temporary.arena.template take<std::int64_t>(m_windows);
    const auto first    = temporary.arena.template take<std::int64_t>(m_windows + 1);
    const SpgemmWindowSizes sizes{segments.data(), products.data()};
    run<false>(exec, lists, sizes, {});
    using Length           = StoredLength<std::int64_t>;
    const std::int64_t all = scan_lengths(exec, "Lacuna::spgemm::chunks", m_windows, m_segment, Length{sizes.segments});
    const std::int64_t with_gaps =
        scan_lengths(exec, "Lacuna::spgemm::chunks", m_windows, first.data(), Length{sizes.products});
    const std::size_t n =
        Arena::template bytes_for<SpgemmProduct, SpgemmListRecord, std::int64_t>(with_gaps, nonzeros, all + 1);
    context.budget.take(subject, n);
    m_list_arena               = Arena(who, exec, "Lacuna::spgemm::product_lists", n);
    const auto listed_products = m_list_arena.template take<SpgemmProduct>(with_gaps);
    const auto records         = m_list_arena.template take<SpgemmListRecord>(nonzeros);
    const auto begin           = m_list_arena.template take<std::int64_t>(all + 1);
    m_lists.products           = listed_products.data();
    m_lists.records            = records.data();
    m_lists.begin              = begin.data();
    run<true>(exec, lists, sizes, {m_segment, first.data(), m_windows, records.data(), begin.data(), lists.offsets});
    return listed_products.data();
  }

  template <bool Writes>
  void run(const ExecutionSpace& exec, const Lists& lists, const SpgemmWindowSizes& sizes,
           const SpgemmListOffsets& to) const {
    using Body = SpgemmArrangeLists<Writes>;
    const Body body{m_way, m_first, lists.lengths, m_long_ones, sizes, to};
    launch_teams<Body::team>(exec, "Lacuna::spgemm::arrange_lists", {m_windows, Body::team}, body.scratch_bytes(),
                             body);
  }

  static constexpr std::int64_t longest_row = SpgemmListProducts<true, true, Arrays>::longest;

  bool m_is_made         = false;
  std::int64_t m_windows = 0, m_products = 0;
  SpgemmListWay m_way{};
  Entries m_entries;
  Arena m_window_arena, m_list_arena;
  std::int64_t *m_first = nullptr, *m_segment = nullptr;
  SpgemmLongLists* m_long_ones = nullptr;
  SpgemmProductLists m_lists;
};

}  // namespace lacuna::Impl

#endif
