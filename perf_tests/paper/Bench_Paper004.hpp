// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_PAPER004_HPP
#define LACUNA_BENCH_PAPER004_HPP

#include <paper/Bench_Surrogate.hpp>
#include <support/Bench_Session.hpp>

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// \file
/// \brief The experiments of Xiang, Asudeh, Sabin, Sukumaran-Rajam and Sadayappan, cuTeSpMM: Accelerating Sparse-Dense
/// Matrix Multiplication using GPU Tensor Cores: the graphs and the widths of its tables 3 and 4, and the comparison by
/// synergy of its section 6.4 and figure 9.

namespace lacuna::bench {

/// \brief The numbers of columns of tables 3 and 4.
inline constexpr std::array<std::int64_t, 4> spmm_paper_columns{32, 64, 128, 512};

/// \brief A line of tables 3 and 4: GFLOP/s on an A100, in the order of `spmm_paper_columns`; 0 where the paper has
/// none. Rows and nonzeros are those of Wang et al., TC-GNN (USENIX ATC 2023), table 4.
struct SpmmPaperGraph {
  const char* name;
  std::int64_t rows;
  std::int64_t nonzeros;
  PatternClass pattern;
  std::array<int, 4> tensor_cores;  ///< cuTeSpMM
  std::array<int, 4> scalar_cores;  ///< Best-SC: the best of cuSPARSE (CSR, COO), Sputnik and GE-SpMM
};

std::span<const SpmmPaperGraph> spmm_paper_graphs();

/// \brief Matrices of every class of synergy, five each, low ones first: the graphs have low synergy alone, and the
/// paper's matrices of the other classes are in public collections. Generator specifications.
std::vector<std::string> spmm_synergy_set();

/// \brief The graph or generated matrix of the paper's experiments of that name, if it is one.
std::optional<MatrixSource> find_spmm_paper_source(const std::string& name);

/// \brief All of them.
std::vector<MatrixSource> spmm_paper_sources();

/// \brief The algorithms whose times the tables need, as --algorithm takes them.
std::vector<std::string> spmm_paper_algorithms();

/// \brief Prints tables 3 and 4 beside the paper's numbers, and the synergy classes with their geometric means.
void print_spmm_paper(std::ostream& stream, const std::vector<Record>& records);

}  // namespace lacuna::bench

#endif
