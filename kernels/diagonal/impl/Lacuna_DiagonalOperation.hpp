// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_DIAGONALOPERATION_HPP
#define LACUNA_DIAGONALOPERATION_HPP

#include <core/base/impl/Lacuna_Region.hpp>
#include <kernels/diagonal/algorithms/band/Lacuna_DiagonalBand.hpp>
#include <kernels/diagonal/algorithms/gather/Lacuna_DiagonalGather.hpp>
#include <kernels/diagonal/algorithms/strips/Lacuna_DiagonalStrips.hpp>
#include <kernels/diagonal/algorithms/window/Lacuna_DiagonalWindow.hpp>
#include <kernels/diagonal/published/entries/Lacuna_DiagonalEntries.hpp>
#include <kernels/diagonal/published/tiles/Lacuna_DiagonalTiles.hpp>
#include <kernels/diagonal/shared/Lacuna_DiagonalStorage.hpp>
#include <kernels/plan/Lacuna_PlanBase.hpp>

#include <cstddef>
#include <string>
#include <variant>

/// \file
/// \brief What products in diagonal storage are made of: the list of algorithms, the choice among them, and the product
/// by what was chosen.

namespace lacuna::Impl {

/// The last were published, and `automatic` does not take them. Beside what PlanBase asks of an algorithm, one that
/// takes C diagonal by diagonal says so: `goes_by_diagonals_of_c`. Of a symmetric C it then computes half.
using DiagonalAlgorithms = AlgorithmList<DiagonalGather, DiagonalWindow, DiagonalBand, DiagonalStrips, DiagonalTiles,
                                         DiagonalEntriesAlgorithm, DiagonalEntriesByCaseAlgorithm>;

/// \tparam List `DiagonalAlgorithms`; tests have others
template <class List>
struct DiagonalOperationOf {
  static constexpr const char* plan = "DiagonalPlan";
  using Options                     = DiagonalOptions;
  using Request                     = DiagonalRequest;
  using Algorithm                   = DiagonalAlgorithm;
  using Algorithms                  = List;
};
using DiagonalOperation = DiagonalOperationOf<DiagonalAlgorithms>;

/// What is to run; a pure function. \throws NotSupported where a named algorithm does not serve the product.
template <class List = DiagonalAlgorithms>
Choice<List::size> choose_diagonal(const char* function, const Device& device, const DiagonalRequest& request,
                                   std::size_t left) {
  if (names_an_algorithm(request)) {
    const auto asked = asked_algorithm<List>(device, request);
    if (!asked.exists) raise<NotSupported>(function, "algorithm ", name(request.algorithm), " does not exist");
    if (!asked.support)
      raise<NotSupported>(function, "algorithm ", name(request.algorithm), ": ", asked.support.why_not);
  }
  const auto choice = choose<List>(device, NothingToInspect(), request, left, others_than_asked<List>(request));
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
  return algorithm_at<List, DiagonalAlgorithm>(choice.index);
}

/// A product in plain values, and what is to run for it.
struct ChosenDiagonal {
  Device device;
  DiagonalRequest request;
  Choice<DiagonalAlgorithms::size> choice;
  std::size_t left = 0;  ///< bytes that may be allocated

  ChosenDiagonal() = default;
  ChosenDiagonal(const char* function, const Device& on, const DiagonalRequest& product, std::size_t bytes)
      : device(on), request(product), choice(choose_diagonal(function, on, product, bytes)), left(bytes) {}
};

/// C = alpha op(A) op(B) + beta C by a storage of an algorithm of the list.
template <class List, class ExecutionSpace, class Storage, class Arguments>
void multiply_diagonals(const char* function, const ExecutionSpace& exec, const Storage& storage,
                        const Arguments& arguments) {
  const auto id = algorithm_at<List, DiagonalAlgorithm>(storage.index());
  const Region region([&] { return "Lacuna::" + std::string(function) + "[" + std::string(name(id)) + ",full]"; });
  std::visit([&](const auto& built) { built.multiply(exec, arguments); }, storage);
}

}  // namespace lacuna::Impl

#endif
