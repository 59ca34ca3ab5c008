// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPRODUCTMAP_HPP
#define LACUNA_SPGEMMPRODUCTMAP_HPP

#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <kernels/spgemm/impl/Lacuna_SpgemmResult.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmArrangeSums.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmCountProducts.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmFindRuns.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmPlaceProducts.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmProductRuns.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmSumProducts.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

namespace lacuna::Impl {

/// \brief `SpgemmOptions::keep_products`: the columns of C, and for every product the nonzero of C that it adds to.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpgemmProductMap {
  using Arrays  = CrsArraysOf<Matrix>;
  using Scalar  = typename Arrays::Scalar;
  using Ordinal = typename Arrays::Ordinal;
  using Offset  = typename Arrays::Offset;
  using Arena   = Impl::Arena<typename ExecutionSpace::memory_space>;
  using Counted = SpgemmCountedC<Ordinal, Offset>;

 public:
  using Entries = typename OwningCrs<Matrix>::index_type::non_const_type;

  /// \throws NotSupported where positions in A or B do not fit 32 bits.
  static void check(const Arrays& A, const Arrays& B) {
    check_positions("A", A.nonzeros);
    check_positions("B", B.nonzeros);
  }
  /// Makes the columns and the places of what `check` lets through. `multiply(target)` computes the product as the plan
  /// does without them. Waits. \throws OutOfMemory.
  template <class Context, class Multiply>
  void make(const Context& context, const Offset* row_map, std::int64_t nonzeros, const Multiply& multiply) {
    m_is_made = true;
    keep_columns(context, row_map, nonzeros, multiply);
    if (nonzeros > 0) keep_places(context, row_map, nonzeros);
  }

  /// Writes the values of C. Does not fence, does not allocate.
  template <class Operands>
  void multiply(const ExecutionSpace& exec, const Operands& operands, Scalar* values) const {
    using Semiring = typename Operands::Semiring;
    using Sums     = SpgemmSumProducts<SpgemmOperands<Arrays, Semiring>>;  // what a mask leaves out has no place
    const Sums sums{{operands.A, operands.B, operands.alpha, operands.semiring}, m_runs, values};
    launch_teams<Sums::team_size, Sums::teams>(exec, "Lacuna::spgemm::kept_products", {m_windows, Sums::team_size},
                                               sums.template scratch_bytes<ExecutionSpace>(), sums);
  }

  explicit operator bool() const { return m_is_made; }
  /// The columns of C.
  const Entries& entries() const { return m_entries; }
  std::size_t bytes() const { return bytes_of(m_entries) + m_arena.bytes(); }

  /// `products`, `nonzeros`: of the whole product. `weighed`: what was found, if that was weighed.
  std::string describe(std::int64_t products, std::int64_t nonzeros, std::int64_t calls,
                       const std::string& weighed) const {
    const std::string reason = weighed.empty() ? "" : "  products    " + weighed + "\n";
    if (m_is_made)
      return "  products    " + std::to_string(m_products) +
             " kept, with the columns of C: " + bytes_text(static_cast<double>(bytes())) + "; calls add them up\n" +
             reason;
    if (calls < 2 || !reason.empty()) return reason;
    constexpr std::size_t of_sum = ExecutionTraits<ExecutionSpace>::is_gpu ? sizeof(SpgemmSum) : 0;
    const auto bytes             = static_cast<double>(sizeof(SpgemmPlace)) * static_cast<double>(products) +
                       static_cast<double>(of_sum + sizeof(Ordinal)) * static_cast<double>(nonzeros);
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
      arena = Arena(who, exec, "Lacuna::spgemm::place_room", bytes);
    }
    Temporary(const Temporary&)            = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
      exec.fence("Lacuna::spgemm: products have their places");
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
  void keep_places(const Context& context, const Offset* row_map, std::int64_t nonzeros) {
    const ExecutionSpace& exec = context.exec;
    Temporary temporary(context, Arena::template bytes_for<std::uint32_t, Counter>(nonzeros, nonzeros + 1));
    const auto products = temporary.arena.template take<std::uint32_t>(nonzeros);
    const auto before   = temporary.arena.template take<Counter>(nonzeros + 1);
    count_products(context, row_map, products);
    m_products = scan_lengths(exec, "Lacuna::spgemm::products_before", nonzeros, before.data(),
                              StoredLength<std::uint32_t>{products.data()});
    const Counted C{
        static_cast<std::int64_t>(context.A.rows), nonzeros, row_map, m_entries.data(), products.data(), before.data()};
    m_window_cost = SpgemmWindowPolicy::cost(
        sizeof(Scalar), ExecutionTraits<ExecutionSpace>::is_gpu ? largest_scratch(exec) : std::size_t{1} << 20);
    m_windows = ceiling_quotient(m_products + nonzeros + static_cast<std::int64_t>(context.A.nonzeros), m_window_cost);
    const double mean_run = find_runs(context, C);
    if constexpr (ExecutionTraits<ExecutionSpace>::is_gpu) arrange_sums(exec, C);
    using Place = SpgemmPlaceProducts<Arrays>;
    launch_teams<Place::team>(exec, "Lacuna::spgemm::place_products", {m_windows, Place::team}, 0,
                              Place{context.A, context.B, C, m_runs.windows, m_runs.runs, m_kept.places,
                                    lanes_for(mean_run, ExecutionTraits<ExecutionSpace>::lane_width)});
  }

  template <class Context, class Products>
  void count_products(const Context& context, const Offset* row_map, const Products& products) {
    std::optional<Temporary> long_rows;
    Kokkos::deep_copy(context.exec, products, 0U);
    spgemm_count_products(context.exec, context.A, context.B, row_map, m_entries.data(), products.data(),
                          [&](std::int64_t count) {
                            long_rows.emplace(context, Arena::template bytes_for<Ordinal>(count));
                            return long_rows->arena.template take<Ordinal>(count).data();
                          });
  }

  /// Cuts windows and finds their runs. Leaves room for places. Returns the mean length of runs.
  template <class Context>
  double find_runs(const Context& context, const Counted& C) {
    const ExecutionSpace& exec = context.exec;
    const std::int64_t n       = m_windows + 1;
    Temporary temporary(
        context,
        Arena::template bytes_for<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>(n, n, n, n, n));
    const auto take           = [&] { return temporary.arena.template take<std::int64_t>(n).data(); };
    std::int64_t* const first = take();
    const SpgemmWindowSizes sizes{take(), take()};
    std::int64_t *const first_run = take(), *const first_place = take();
    for_each_index(exec, "Lacuna::spgemm::product_windows", n,
                   SpgemmFindWindows<Ordinal, Offset>{C, context.A.row_map, m_window_cost, first});
    std::int64_t descending = 0;
    Kokkos::parallel_reduce("Lacuna::spgemm::descending_rows",
                            index_range(exec, static_cast<std::int64_t>(context.B.rows)),
                            SpgemmCountDescending<Arrays>{context.B}, descending);
    const auto find = [&]<bool writes>(std::bool_constant<writes>, const SpgemmRunTarget& to) {
      using Find      = SpgemmFindRuns<writes, Arrays>;
      const int warps = team_threads<ExecutionSpace>(Find::team) / ExecutionTraits<ExecutionSpace>::lane_width;
      launch_teams<Find::team>(exec, "Lacuna::spgemm::find_runs", {ceiling_quotient(m_windows + 1, warps), Find::team},
                               0, Find{context.A, context.B, C, first, m_windows, descending == 0, sizes, to});
    };
    find(std::false_type{}, {});
    using Length            = StoredLength<std::int64_t>;
    const std::int64_t runs = scan_lengths(exec, "Lacuna::spgemm::runs", m_windows, first_run, Length{sizes.runs});
    const std::int64_t places =
        scan_lengths(exec, "Lacuna::spgemm::places", m_windows, first_place, Length{sizes.places});
    if (places > std::numeric_limits<int>::max()) check_places(exec, sizes.places);
    constexpr bool is_gpu    = ExecutionTraits<ExecutionSpace>::is_gpu;
    const std::int64_t warps = is_gpu ? places / ExecutionTraits<ExecutionSpace>::lane_width : 0;
    const std::int64_t sums  = is_gpu ? C.nonzeros : 0;
    const std::size_t bytes =
        Arena::template bytes_for<SpgemmProductWindow, SpgemmRun, SpgemmPlace, std::uint32_t, SpgemmSum>(
            n, runs, places, warps, sums);
    context.budget.take(subject, bytes);
    m_arena                 = Arena(who, exec, "Lacuna::spgemm::kept_products", bytes);
    m_kept.windows          = m_arena.template take<SpgemmProductWindow>(n).data();
    auto* const run         = m_arena.template take<SpgemmRun>(runs).data();
    m_kept.places           = m_arena.template take<SpgemmPlace>(places).data();
    auto* const run_of_warp = m_arena.template take<std::uint32_t>(warps).data();
    m_kept.sums             = m_arena.template take<SpgemmSum>(sums).data();
    find(std::true_type{}, {first_run, first_place, m_kept.windows, run, m_kept.places, run_of_warp});
    m_runs = {0, m_kept.windows, run, m_kept.places, run_of_warp, m_kept.sums};
    return runs > 0 ? static_cast<double>(places) / static_cast<double>(runs) : 0.0;
  }

  /// Of windows, where a mask leaves out nearly all products.
  void check_places(const ExecutionSpace& exec, const std::int64_t* places) const {
    std::int64_t most = 0;
    Kokkos::parallel_reduce("Lacuna::spgemm::most_places", index_range(exec, m_windows), SpgemmFindLargest{places},
                            Kokkos::Max<std::int64_t>(most));
    if (most > std::numeric_limits<int>::max())
      raise<NotSupported>(who, "keep_products: ", most, " products stand between a few that the mask wants");
  }

  void arrange_sums(const ExecutionSpace& exec, const Counted& C) {
    using Arrange = SpgemmArrangeSums<Ordinal, Offset>;
    const Arrange body{C, m_kept.windows, m_kept.sums, m_window_cost, Arrange::most_keys(m_window_cost)};
    launch_teams<Arrange::team>(exec, "Lacuna::spgemm::arrange_sums", {m_windows, Arrange::team}, body.scratch_bytes(),
                                body);
    std::int64_t most = 0;
    Kokkos::parallel_reduce("Lacuna::spgemm::scratch", index_range(exec, m_windows), SpgemmFindScratch{m_kept.windows},
                            Kokkos::Max<std::int64_t>(most));
    m_runs.scratch = static_cast<int>(most);
  }

  bool m_is_made         = false;
  std::int64_t m_windows = 0, m_window_cost = 0, m_products = 0;
  Entries m_entries;
  Arena m_arena;
  SpgemmProductRuns m_runs;
  /// What `m_runs` sees, while it is made.
  struct Kept {
    SpgemmProductWindow* windows = nullptr;
    SpgemmPlace* places          = nullptr;
    SpgemmSum* sums              = nullptr;
  } m_kept;
};

}  // namespace lacuna::Impl

#endif
