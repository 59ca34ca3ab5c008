// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_GRAPHTIME_HPP
#define LACUNA_BENCH_GRAPHTIME_HPP

#include <support/Bench_Timing.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

/// \file
/// \brief The time of a short call where the host is out of the way. Starting a kernel takes the host 3 to 4 us; calls
/// back to back that are shorter than that on the device show the host's pace, which changes from second to second.
/// In a CUDA graph many calls are started at once.

namespace lacuna::bench {

struct GraphTiming {
  static constexpr double short_call         = 20e-6;  ///< seconds; longer calls hide what the host does
  static constexpr std::int64_t graph_calls  = 100;
  static constexpr int most_batches          = 5;
  static constexpr double part_of_the_effort = 0.25;  ///< of the time that calls are measured for
};

#if defined(KOKKOS_ENABLE_CUDA)
/// \brief Calls that one graph holds. Empty where a call cannot be captured: it waits, or goes past its stream.
class CallGraph {
 public:
  template <class Call>
  CallGraph(const ExecutionSpace& exec, std::int64_t calls, const Call& call) : m_stream(exec.cuda_stream()) {
    exec.fence("Lacuna::bench: before a graph");
    if (cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeRelaxed) == cudaSuccess) {
      bool captured = true;
      try {
        for (std::int64_t i = 0; i < calls; ++i) call();
      } catch (const std::exception&) {
        captured = false;
      }
      cudaGraph_t graph{};
      std::size_t nodes = 0;
      captured          = cudaStreamEndCapture(m_stream, &graph) == cudaSuccess && captured &&
                 cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes >= static_cast<std::size_t>(calls);
      if (captured && cudaGraphInstantiate(&m_graph, graph, 0) != cudaSuccess) m_graph = nullptr;
      if (graph != nullptr) cudaGraphDestroy(graph);
    }
    (void)cudaGetLastError();  // that it cannot be captured is an answer, not an error
  }
  ~CallGraph() {
    if (m_graph != nullptr) cudaGraphExecDestroy(m_graph);
  }
  CallGraph(const CallGraph&)            = delete;
  CallGraph& operator=(const CallGraph&) = delete;

  explicit operator bool() const { return m_graph != nullptr; }
  void start() const { cudaGraphLaunch(m_graph, m_stream); }

 private:
  cudaStream_t m_stream;
  cudaGraphExec_t m_graph = nullptr;
};
#endif

/// \brief Seconds of a call of which `estimate` says about how long it takes, in a graph of many; 0 where the backend
/// has no graphs or the call cannot be captured.
template <class Call>
double graph_time([[maybe_unused]] const ExecutionSpace& exec, [[maybe_unused]] const TimingOptions& options,
                  [[maybe_unused]] const Call& call, [[maybe_unused]] double estimate) {
#if defined(KOKKOS_ENABLE_CUDA)
  const CallGraph graph(exec, GraphTiming::graph_calls, call);
  if (!graph) return 0;
  const int batches      = std::min(GraphTiming::most_batches, options.batches);
  const double per_batch = GraphTiming::part_of_the_effort * options.min_time / batches;
  const auto starts      = std::max<std::int64_t>(
      2, static_cast<std::int64_t>(per_batch / (std::max(estimate, 1e-7) * GraphTiming::graph_calls)));
  graph.start();  // the first brings it to the device
  Stopwatch watch(exec);
  std::vector<double> times;
  for (int batch = 0; batch < batches; ++batch) {
    watch.start();
    for (std::int64_t i = 0; i < starts; ++i) graph.start();
    times.push_back(watch.stop() / static_cast<double>(starts * GraphTiming::graph_calls));
  }
  return summarise(std::move(times), starts).seconds;
#else
  return 0;
#endif
}

}  // namespace lacuna::bench

#endif
