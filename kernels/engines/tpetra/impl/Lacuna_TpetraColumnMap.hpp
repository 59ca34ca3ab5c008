// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TPETRACOLUMNMAP_HPP
#define LACUNA_TPETRACOLUMNMAP_HPP

#include <Teuchos_RCP.hpp>
#include <Tpetra_Map.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace lacuna::Impl {

/// The map of these columns in the order that Tpetra gives column maps, by which messages of an Import are blocks:
/// first those of the rank in the order of the domain map, then those of others, rank by rank. Collective.
template <class LocalOrdinal, class GlobalOrdinal, class Node>
Teuchos::RCP<const Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>> tpetra_column_map(
    std::vector<GlobalOrdinal> columns,
    const Teuchos::RCP<const Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>>& domain) {
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const auto others = std::stable_partition(columns.begin(), columns.end(),
                                            [&](GlobalOrdinal column) { return domain->isNodeGlobalElement(column); });
  std::sort(columns.begin(), others, [&](GlobalOrdinal one, GlobalOrdinal other) {
    return domain->getLocalElement(one) < domain->getLocalElement(other);
  });

  const auto own = static_cast<std::size_t>(others - columns.begin()), rest = columns.size() - own;
  std::vector<int> ranks(rest);
  domain->getRemoteIndexList(Teuchos::ArrayView<const GlobalOrdinal>(columns.data() + own, static_cast<int>(rest)),
                             Teuchos::ArrayView<int>(ranks.data(), static_cast<int>(rest)));
  std::vector<std::pair<int, GlobalOrdinal>> by_rank;
  for (std::size_t k = 0; k < rest; ++k) by_rank.emplace_back(ranks[k], columns[own + k]);
  std::sort(by_rank.begin(), by_rank.end());
  for (std::size_t k = 0; k < rest; ++k) columns[own + k] = by_rank[k].second;

  return Teuchos::rcp(new Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>(
      Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), Teuchos::ArrayView<const GlobalOrdinal>(columns),
      domain->getIndexBase(), domain->getComm()));
}

}  // namespace lacuna::Impl

#endif
