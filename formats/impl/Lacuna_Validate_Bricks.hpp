// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VALIDATE_BRICKS_HPP
#define LACUNA_VALIDATE_BRICKS_HPP

#include <Lacuna_Convert.hpp>
#include <formats/impl/Lacuna_Validate_Formats.hpp>

#include <cstdint>

/// \file
/// \brief The rules of formats in bricks beyond those of CSR.

namespace lacuna::Impl {

/// Every element of [0, n) is hit once: `add` on each, then `finish`.
template <class Device>
struct HitOnce {
  using Marks = Kokkos::View<std::uint32_t*, Device>;
  Marks marks;

  template <class ExecutionSpace>
  HitOnce(const ExecutionSpace& exec, std::int64_t n)
      : marks(allocate<Marks>("validate", exec, "Lacuna::validate::marks", (n + 31) / 32)) {
    Kokkos::deep_copy(exec, marks, 0u);
  }
};

/// Finding 0: index out of range, or hit for another time (which of the two is not said, since it is a matter of
/// chance).
template <class Index>
struct CheckHitOnce {
  const Index* indices;
  std::int64_t n;
  bool allows_none;  ///< -1 stands for nothing
  std::uint32_t* marks;
  FindingCounters found;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto index = static_cast<std::int64_t>(indices[i]);
    if (allows_none && index == -1) return;
    if (index < 0 || index >= n) return found.add(0, i);
    const std::uint32_t bit = std::uint32_t{1} << (index & 31);
    if ((Kokkos::atomic_fetch_or(&marks[index / 32], bit) & bit) != 0) found.add(0, -1);
  }
};

struct CountHits {
  const std::uint32_t* marks;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count) const { count += count_bits(marks[i]); }
};

/// That `indices` hold every number of [0, n) once, and -1 besides where that is allowed.
template <class ExecutionSpace, class View>
void check_permutation(const ExecutionSpace& exec, const char* name, const View& indices, std::int64_t n,
                       bool allows_none, Defects& defects) {
  using Device = typename View::device_type;
  const HitOnce<Device> hits(exec, n);
  const FindingStore<Device> store("validate", exec, 1);
  for_each_index(exec, "Lacuna::validate::permutation", static_cast<std::int64_t>(indices.extent(0)),
                 CheckHitOnce<typename View::non_const_value_type>{indices.data(), n, allows_none, hits.marks.data(),
                                                                   store.counters()});
  const std::string text = std::string("elements of ") + name + " out of range or there twice";
  list_findings<1>(exec, store, {text.c_str()}, defects);
  std::int64_t count = 0;
  if (n > 0)
    Kokkos::parallel_reduce("Lacuna::validate::count_hits", IndexRange<ExecutionSpace>(exec, 0, (n + 31) / 32),
                            CountHits{hits.marks.data()}, count);
  if (count != n) defects.push_back(std::string(name) + " holds " + std::to_string(count) + " of " + std::to_string(n));
}

/// The steps of a panel: 0 columns out of range or out of order, 1 active columns without a nonzero, 2 value_begin that
/// disagrees with the patterns, 3 bits where a panel has no row.
template <class Ordinal, class Offset>
struct CheckBrickPanel {
  PanelRows<Ordinal> rows;
  std::int64_t columns;
  const Offset* panel_begin;
  const Ordinal* step_columns;
  const std::uint32_t* patterns;
  const Offset* value_begin;
  FindingCounters found;

  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    const int groups      = rows.height / 8;
    const auto begin      = static_cast<std::int64_t>(panel_begin[panel]);
    const auto end        = static_cast<std::int64_t>(panel_begin[panel + 1]);
    std::int64_t previous = -1;
    bool padding          = false;
    for (std::int64_t step = begin; step < end; ++step) {
      std::int64_t values = 0;
      for (int i = 0; i < 2 * groups; ++i) values += count_bits(patterns[step * 2 * groups + i]);
      if (static_cast<std::int64_t>(value_begin[step + 1] - value_begin[step]) != values) found.add(2, panel);
      for (int place = 0; place < 8; ++place) {
        const auto column = static_cast<std::int64_t>(step_columns[step * 8 + place]);
        if (column < 0 || column >= columns || column < previous) found.add(0, panel);
        bool active = false;
        for (int i = 0; i < rows.height; ++i) {
          const std::uint32_t pattern = patterns[(step * groups + i / 8) * 2 + place / 4];
          if ((pattern >> (i % 8 * 4 + place % 4) & 1u) == 0) continue;
          active = true;
          if (rows.row(panel, i) < 0) found.add(3, panel);
        }
        // Columns without a nonzero fill the last step, and repeat the last that has one.
        padding = padding || !active;
        if (active ? padding : (step + 1 < end || place == 0 || column != previous)) found.add(1, panel);
        previous = column;
      }
    }
  }
};

template <class ExecutionSpace, class S, class O, class D, class F>
void check_structure(const ExecutionSpace& exec, const BrickMatrix<S, O, D, F>& bricks, Defects& defects) {
  const auto nonzeros = static_cast<std::int64_t>(bricks.nonzeros());
  if (bricks.panel_rows != 8 && bricks.panel_rows != 16) {
    defects.push_back("panels of " + std::to_string(bricks.panel_rows) + " rows");
    return;
  }
  const auto places = static_cast<std::int64_t>(bricks.row_list.extent(0));
  if (!has_extent("row_list", bricks.row_list, places / bricks.panel_rows * bricks.panel_rows, defects) ||
      !has_extent("step_columns", bricks.step_columns, bricks.steps() * bricks.step_width, defects) ||
      !has_extent("patterns", bricks.patterns, bricks.steps() * 2 * bricks.brick_rows(), defects) ||
      !has_extent("values", bricks.values, nonzeros + bricks.value_padding, defects) ||
      !has_extent("source", bricks.source, nonzeros, defects) ||
      !check_map(exec, "panel_begin", bricks.panel_begin, bricks.panels(), bricks.steps(), 1, defects) ||
      !check_map(exec, "value_begin", bricks.value_begin, bricks.steps(), nonzeros, 1, defects))
    return;
  if (places > 0)
    check_permutation(exec, "row_list", bricks.row_list, static_cast<std::int64_t>(bricks.rows), true, defects);
  check_permutation(exec, "source", bricks.source, nonzeros, false, defects);
  const PanelRows<O> rows{static_cast<std::int64_t>(bricks.rows), bricks.panels(), bricks.panel_rows,
                          places > 0 ? bricks.row_list.data() : nullptr, nullptr};
  const FindingStore<D> store("validate", exec, 4);
  for_each_index(exec, "Lacuna::validate::bricks", bricks.panels(),
                 CheckBrickPanel<O, F>{rows, static_cast<std::int64_t>(bricks.columns), bricks.panel_begin.data(),
                                       bricks.step_columns.data(), bricks.patterns.data(), bricks.value_begin.data(),
                                       store.counters()});
  list_findings<4>(exec, store,
                   {"step columns out of range or out of order", "step columns without a nonzero",
                    "steps whose values are not as many as their bits", "bits of rows that do not exist"},
                   defects);
}

}  // namespace lacuna::Impl

#endif
