// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALOPERATION_HPP
#define LACUNA_DIAGONALOPERATION_HPP

#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBand.hpp>
#include <kernels/diagonal/algorithms/gather/Lacuna_DiagonalGather.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalStrips.hpp>
#include <kernels/diagonal/algorithms/window/Lacuna_DiagonalWindow.hpp>
#include <kernels/diagonal/published/entries/Lacuna_DiagonalEntries.hpp>
#include <kernels/diagonal/published/tiles/Lacuna_DiagonalTiles.hpp>

#include <kernels/diagonal/shared/Lacuna_DiagonalWork.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <string>

/// \file
/// \brief What products in diagonal storage are made of: the list of algorithms, and the choice among them.

namespace lacuna::Impl {

/// The last were published, and `automatic` does not take them.
using DiagonalAlgorithms = AlgorithmList<DiagonalGather, DiagonalWindow, DiagonalBand, DiagonalStrips, DiagonalTiles,
                                         DiagonalEntriesAlgorithm<false>, DiagonalEntriesAlgorithm<true>>;

/// What is to run; a pure function. \throws NotSupported where a named algorithm does not serve the product.
template <class List = DiagonalAlgorithms>
Choice<List::size> choose_diagonal(const char* function, const Device& device, const DiagonalRequest& request,
                                   std::size_t left) {
  Excluded<List::size> excluded{};
  std::string refused;
  bool exists = request.asks_for(DiagonalAlgorithm::automatic);
  List::for_each([&]<class Algorithm>(std::size_t i) {
    excluded[i] = !request.asks_for(DiagonalAlgorithm::automatic) && !request.asks_for(Algorithm::id);
    if (!request.asks_for(Algorithm::id)) return;
    exists  = true;
    refused = Algorithm::supports(device, request).why_not;
  });
  if (!exists) raise<NotSupported>(function, "algorithm ", name(request.algorithm), " does not exist");
  if (!refused.empty()) raise<NotSupported>(function, "algorithm ", name(request.algorithm), ": ", refused);
  Inspection nothing;
  nothing.rows      = request.rows;
  nothing.columns   = request.columns;
  const auto choice = choose<List>(device, nothing, request, left, excluded);
  if (choice.index != choice.none) return choice;
  std::size_t bytes = 0;
  for (const Candidate& candidate : choice.candidates)
    if (candidate.estimated) bytes = candidate.estimate.bytes;
  raise<OutOfMemory>(function, "algorithm ", name(request.algorithm), " needs ", bytes, " bytes, ", left,
                     " are left of memory_limit");
}

/// Its name.
template <class List = DiagonalAlgorithms>
DiagonalAlgorithm algorithm_of(const Choice<List::size>& choice) {
  DiagonalAlgorithm found = DiagonalAlgorithm::automatic;
  List::for_each([&]<class Algorithm>(std::size_t i) {
    if (i == choice.index) found = Algorithm::id;
  });
  return found;
}

/// What the algorithm at `index` needs before products.
template <class List = DiagonalAlgorithms, class ExecutionSpace, class Arguments, class Work>
void prepare_diagonals(const ExecutionSpace& exec, const Device& device, const DiagonalRequest& request,
                       std::size_t index, const Arguments& arguments, Work& work) {
  List::for_each([&]<class Algorithm>(std::size_t i) {
    if (i == index) Algorithm::prepare(exec, device, request, arguments, work);
  });
}

/// Runs the algorithm at `index`.
template <class List = DiagonalAlgorithms, class ExecutionSpace, class Arguments, class Work>
void multiply_diagonals(const char* function, const ExecutionSpace& exec, std::size_t index, const Arguments& arguments,
                        const Work& work) {
  List::for_each([&]<class Algorithm>(std::size_t i) {
    if (i != index) return;
    const Kokkos::Profiling::ScopedRegion region("Lacuna::" + std::string(function) + "[" +
                                                 std::string(name(Algorithm::id)) + ",full]");
    Algorithm::multiply(exec, arguments, work);
  });
}

}  // namespace lacuna::Impl

#endif
