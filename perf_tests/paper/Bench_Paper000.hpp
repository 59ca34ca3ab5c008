// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_PAPER000_HPP
#define LACUNA_BENCH_PAPER000_HPP

#include <paper/Bench_Surrogate.hpp>
#include <support/Bench_Job.hpp>
#include <support/Bench_Options.hpp>
#include <support/Bench_Session.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief The experiments of Shi, Wang and Chu, Efficient Sparse-Dense Matrix-Matrix Multiplication on GPUs Using the
/// Customized Sparse Storage Format (GCOO): its random matrices (section IV-B, figures 6 to 13), the 14 matrices of
/// table III, and layers of pruned networks, which are what such products are wanted for now.
///
/// Zeros are counted in hundredths of a per cent: 9950 is s = 0.995.

namespace lacuna::bench {

/// \brief A line of table III: nonzeros are what its rows and its sparsity come to.
struct SpdmPaperMatrix {
  const char* name;
  std::int64_t rows;
  std::int64_t nonzeros;
  PatternClass pattern;
};

std::span<const SpdmPaperMatrix> spdm_paper_matrices();

/// \brief A matrix and the numbers of columns that it is multiplied with.
struct SpdmProblem {
  MatrixSource source;
  std::vector<std::int64_t> columns;
  double work = 0;  ///< multiplications of one column, about
};

/// \brief `uniform:rows=4096,cols=11008,density=0.05` for 9500 hundredths of a per cent.
std::string uniform_spec(std::int64_t rows, std::int64_t columns, int zeros);

/// \brief Which stratum of a sample a point of the paper's grid is in: bands of sizes times bands of shares of zeros;
/// -1 beside the grid.
int spdm_stratum(std::int64_t size, int zeros);

/// \brief (size, zeros) of at least `count` points of the paper's grid of 6,958, drawn at random in each stratum, the
/// same on every run: two or more of each, and more of those that take less time. A mean over the grid weighs each
/// stratum by its part of the grid. \throws std::runtime_error for a count that cannot be.
std::vector<std::pair<std::int64_t, int>> spdm_sample(int count);

/// \brief The problems of the sets that are asked for, in the order in which they run. \throws std::runtime_error where
/// a size or a share of zeros cannot be.
std::vector<SpdmProblem> spdm_problems(const Paper000Options& options);

/// \brief Which set a product was measured for.
enum class SpdmSet { random, matrix, layer };

/// \brief What the name of a matrix and a number of columns say.
struct SpdmCase {
  SpdmSet set          = SpdmSet::matrix;
  std::int64_t rows    = 0;  ///< of a random matrix or a layer
  std::int64_t columns = 0;
  int zeros            = 0;
};
SpdmCase spdm_case(const std::string& matrix);

/// \brief What makes a ratio of times: (share of zeros in per cent, time of the dense product over that of the sparse).
struct SpdmRatio {
  double zeros;
  double ratio;
};

/// \brief From which share of zeros on the sparse product is never the slower one, in proportion (of logarithms)
/// between two measured shares: `97.4`, `<= 80` from the first on, `> 99.95` not even at the last, `-` for none.
std::string crossover(std::vector<SpdmRatio> ratios);

/// \brief Win rates and histograms of the speed-ups over the best cuSPARSE (as figures 4 and 6), times by sparsity
/// beside the dense products (figures 7 to 12), crossovers, overhead and kernel apart (figure 13), table III, layers:
/// as far as they were measured.
void print_spdm_paper(std::ostream& stream, const std::vector<Record>& records);

/// \brief C = A B on these problems. \throws std::runtime_error where one cannot be.
std::unique_ptr<Job> paper000_job(const Options& options);

}  // namespace lacuna::bench

#endif
