// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTRIALTIMER_HPP
#define LACUNA_SPMMTRIALTIMER_HPP

#include <core/impl/memory/Lacuna_Allocate.hpp>
#include <core/impl/memory/Lacuna_MemoryBudget.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>
#include <kernels/rows/Lacuna_BlockArguments.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

/// \file
/// \brief Measures a product of a plan on the device, with a B of ones.
/// Evidence: kernels/spmm/tuning.md.

namespace lacuna::Impl {

struct SpmmTimingPolicy {
  /// Time over the best one so far from which a shape is given up after two calls. If it is an algorithm's default
  /// shape, the other shapes of the algorithm are not tried.
  static constexpr double give_up = 2;
  /// The least time of these batches counts; each takes about `batch_seconds`. Not tuned.
  static constexpr int batches          = 3;
  static constexpr double batch_seconds = 0.5e-3;
  static constexpr int most_calls       = 50;  ///< of a batch: not tuned
};

/// Fills with ones.
template <class Scalar>
struct SpmmOnes {
  Scalar* values;
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const { values[i] = static_cast<Scalar>(1.0f); }
};

/// B and C of a request, and the clock. \throws OutOfMemory where memory does not hold them.
template <class Scalar, class Request, class ExecutionSpace>
class SpmmTrialTimer {
  using Memory     = Kokkos::View<Scalar*, typename ExecutionSpace::memory_space>;
  using Policy     = SpmmTimingPolicy;
  using Arithmetic = typename BlockArguments<Scalar>::Arithmetic;

 public:
  using Arguments = BlockArguments<Scalar, Scalar>;
  using Clock     = std::chrono::steady_clock;

  SpmmTrialTimer(const ExecutionSpace& exec, std::int64_t rows, std::int64_t columns, const Request& request,
                 MemoryBudget& budget)
      : m_exec(exec), m_B(allocate_block(columns, request, budget)), m_C(allocate_block(rows, request, budget)) {
    for_each_index(m_exec, "Lacuna::spmm::tuning_ones", static_cast<std::int64_t>(m_B.extent(0)),
                   SpmmOnes<Scalar>{m_B.data()});
    m_arguments.alpha = Arithmetic(1);
    m_arguments.beta  = Arithmetic(0);
    m_arguments.B     = block<const Scalar>(m_B, columns, request);
    m_arguments.C     = block<Scalar>(m_C, rows, request);
  }

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  /// Seconds of `multiply(arguments)`. Stops after two calls where they clearly take much longer than `best`.
  template <class Multiply>
  double seconds(const Multiply& multiply, double best) const {
    const auto batch = [&](int calls) {
      const auto start = Clock::now();
      for (int i = 0; i < calls; ++i) multiply(m_arguments);
      m_exec.fence("Lacuna::spmm::tuning: called");
      return seconds_since(start) / calls;
    };
    batch(1);
    double least = batch(1);
    if (least > Policy::give_up * best) return least;
    const int calls = static_cast<int>(std::clamp(Policy::batch_seconds / least, 1.0, 1.0 * Policy::most_calls));
    for (int i = 0; i < Policy::batches; ++i) least = std::min(least, batch(calls));
    return least;
  }

 private:
  Memory allocate_block(std::int64_t rows, const Request& request, MemoryBudget& budget) const {
    const std::int64_t count = checked_product("SpmmPlan", rows, request.columns);
    budget.take("B and C of a search", static_cast<std::size_t>(checked_product(
                                           "SpmmPlan", count, static_cast<std::int64_t>(sizeof(Scalar)))));
    return allocate<Memory>("SpmmPlan", m_exec, "Lacuna::spmm::tuning", count);
  }
  template <class Element>
  static DenseBlock<Element> block(const Memory& memory, std::int64_t rows, const Request& request) {
    const std::int64_t n = request.columns;
    const bool by_column = request.b_layout == DenseLayout::column_major;
    return {memory.data(), by_column ? 1 : n, by_column ? rows : 1, rows, n};
  }

  const ExecutionSpace& m_exec;
  Memory m_B, m_C;
  Arguments m_arguments{};
};

}  // namespace lacuna::Impl

#endif
