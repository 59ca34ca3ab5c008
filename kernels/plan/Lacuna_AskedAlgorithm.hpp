// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_ASKEDALGORITHM_HPP
#define LACUNA_ASKEDALGORITHM_HPP

#include <Lacuna_Device.hpp>
#include <core/impl/choice/Lacuna_Choice.hpp>

#include <cstddef>

/// \file
/// \brief The algorithm that a user asks for by name. Two of a list may share a name: then one of them serves hosts,
/// the other GPUs.

namespace lacuna::Impl {

/// Whether the request names an algorithm.
template <class Request>
bool names_an_algorithm(const Request& request) {
  return request.algorithm != decltype(request.algorithm)::automatic;
}

/// The algorithm of a list that a request names.
template <class List>
struct AskedAlgorithm {
  std::size_t index = List::size;  ///< of the first of that name that serves; List::size where none does
  bool exists       = false;
  Support support   = {};  ///< of the last of that name
};

template <class List, class Request>
AskedAlgorithm<List> asked_algorithm(const Device& device, const Request& request) {
  AskedAlgorithm<List> asked;
  List::for_each([&]<class Algorithm>(std::size_t i) {
    if (Algorithm::id != request.algorithm || asked.index != List::size) return;
    asked.exists  = true;
    asked.support = support_of<Algorithm>(device, request);
    if (asked.support) asked.index = i;
  });
  return asked;
}

/// The algorithms of a list that a request rules out: where it names one, those of other names.
template <class List, class Request>
Excluded<List::size> others_than_asked(const Request& request) {
  Excluded<List::size> excluded{};
  List::for_each([&]<class Algorithm>(std::size_t i) {
    excluded[i] = names_an_algorithm(request) && Algorithm::id != request.algorithm;
  });
  return excluded;
}

}  // namespace lacuna::Impl

#endif
