// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_PAPER002_HPP
#define LACUNA_BENCH_PAPER002_HPP

#include <paper/Bench_Surrogate.hpp>
#include <spmv/Bench_SpmvAlgorithms.hpp>
#include <support/Bench_Session.hpp>

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

/// \file
/// \brief The experiments of Baskaran and Bordawekar, Optimizing Sparse Matrix-Vector Multiplication on GPUs (IBM
/// RC24704, 2009): its 19 matrices, its tables 2, 4 and 5, and the comparisons of its figures 2 to 4.

namespace lacuna::bench {

/// \brief A line of table 2. The rates are the paper's own, GFLOP/s on a GeForce GTX 280 in single precision.
struct PaperMatrix {
  const char* name;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t nonzeros;
  PatternClass pattern;
  double vendor_csr, vendor_hyb, thread_mapped, aligned;        ///< without cache
  double cached_vendor_csr, cached_vendor_hyb, cached_aligned;  ///< with cache
};

std::span<const PaperMatrix> paper_matrices();

/// \brief The matrix from LACUNA_MATRIX_DIR, if it is there with the rows and columns of the paper, else a surrogate.
MatrixSource paper_source(const PaperMatrix& matrix);

/// \brief All that the tables need of one matrix. The five of tables 4 and 5 are run in more shapes.
std::vector<SpmvRequest> paper_requests(const PaperMatrix& matrix);

/// \brief Prints tables 2, 4 and 5 and the figures' comparisons from what was measured.
void print_paper(std::ostream& stream, const std::vector<Record>& records);

}  // namespace lacuna::bench

#endif
