// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_SPMMSUMMARY_HPP
#define LACUNA_BENCH_SPMMSUMMARY_HPP

#include <support/Bench_Session.hpp>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// \brief What many matrices and numbers of columns come to.

namespace lacuna::bench {

/// \brief What a pattern is like, as far as SpMM is concerned.
enum class MatrixClass { block, mesh, irregular };

constexpr std::string_view name(MatrixClass kind) {
  switch (kind) {
    case MatrixClass::block: return "block/FEM";
    case MatrixClass::mesh: return "mesh";
    case MatrixClass::irregular: return "irregular";
  }
  return "unknown";
}

/// \brief By `rpc`, nonzeros per active column of a panel of 8 rows: block/FEM from 4; a mesh from 1.2 where no row is
/// longer than four mean ones; irregular else. scripts/report.py has the same rule.
MatrixClass matrix_class(const Work& work);

/// \brief A statistic of the operands, 0 where it is not known.
double statistic(const Work& work, std::string_view name);

/// \brief The cases of one matrix, scalar type and number of columns that have a time.
struct SpmmGroup {
  std::string matrix;
  std::string scalar;
  std::int64_t columns = 0;
  Work work;
  std::map<std::string, const Record*> cases;  ///< by implementation

  const Record* find(const std::string& implementation) const;
  /// \brief The fastest of those whose names start so.
  const Record* best(std::string_view start) const;
  /// \brief What we compare with: the fastest of all rivals but dense products, or of those where nothing else ran.
  const Record* best_rival() const;
  /// \brief Time of this `automatic` over that of our best; 0 where our algorithms were not timed by name.
  double regret(const Record& automatic) const;
  /// \brief GFLOP/s; 0 where there is no such case.
  double rate(const Record* record) const;
};

/// \brief The groups in the order in which they were measured. The records have to stay.
std::vector<SpmmGroup> spmm_groups(const std::vector<Record>& records);

/// \brief The geometric mean; 0 for no values.
double geometric_mean(const std::vector<double>& values);

/// \brief For every implementation of Lacuna's and number of columns: the geometric mean of the ratio to the best rival
/// over all matrices with at least `least` nonzeros (all, where none has so many) and by class, the regret of
/// `automatic` (mean and most), and the worst ratio.
void print_spmm_summary(std::ostream& stream, const std::vector<Record>& records, std::int64_t least = 100000);

}  // namespace lacuna::bench

#endif
