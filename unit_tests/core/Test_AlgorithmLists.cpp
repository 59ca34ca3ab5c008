// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/diagonal/impl/Lacuna_DiagonalOperation.hpp>
#include <kernels/spmm/impl/Lacuna_SpmmOperation.hpp>
#include <kernels/spmv/impl/Lacuna_SpmvOperation.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

/// \file
/// \brief Every algorithm of an operation has its place in the enum, in the array of its enumerators and in `name`.

namespace lacuna::Test {
namespace {

template <class List, class Known>
void expect_every_algorithm(const Known& known) {
  using Algorithm = typename Known::value_type;
  std::vector<Algorithm> listed{Algorithm::automatic};
  List::for_each([&]<class Type>(std::size_t) { listed.push_back(Type::id); });
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(known));
  std::set<std::string> names;
  for (const Algorithm algorithm : known) {
    EXPECT_NE(name(algorithm), "unknown");
    names.emplace(name(algorithm));
  }
  EXPECT_EQ(names.size(), known.size());
}

TEST(AlgorithmLists, Spmv) { expect_every_algorithm<Impl::SpmvAlgorithms>(spmv_algorithms); }
TEST(AlgorithmLists, Spmm) { expect_every_algorithm<Impl::SpmmAlgorithms>(spmm_algorithms); }
TEST(AlgorithmLists, Diagonal) { expect_every_algorithm<Impl::DiagonalAlgorithms>(diagonal_algorithms); }

}  // namespace
}  // namespace lacuna::Test
