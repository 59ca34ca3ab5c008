// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_DIAGONALWORKLOADS_HPP
#define LACUNA_BENCH_DIAGONALWORKLOADS_HPP

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// \brief What products in diagonal storage are measured on: pairs of matrices, by their diagonals.

namespace lacuna::bench {

/// \brief What is computed of A and B: A B, A' B, A B', A A' (`syrk`), A B' + B A' (`syr2k`).
enum class DiagonalProduct { ab, atb, abt, syrk, syr2k };

/// \brief `ab`, `atb`, `abt`, `syrk`, `syr2k`. \throws std::runtime_error for any other text.
DiagonalProduct parse_diagonal_product(const std::string& text);

/// \brief What cases are named by: `diagonal` for A B, else `diagonal_atb` and so on.
std::string diagonal_operation(DiagonalProduct product);

/// \brief A and B of n x n, full diagonals of random values.
struct DiagonalWorkload {
  DiagonalProduct product = DiagonalProduct::ab;
  std::string name;
  std::int64_t n = 0;
  std::vector<std::int64_t> a;  ///< offsets, ascending
  std::vector<std::int64_t> b;
};

/// \brief `band:n=N,w=W`: both with the diagonals -W to W. `diagonals:n=N,a=A,b=B[,span=S]`: A and B different random
/// offsets in (-S, S), S = n where it is not given. \throws std::runtime_error for anything else.
DiagonalWorkload parse_diagonal_workload(const std::string& text);

/// \brief Those of Haque, Parvez and Hossain, Algorithms 17(1):31 (2024): figures 6 and 7 (bands of 5, 10, 15 and 20 to
/// either side) and tables 1 and 2. The paper tells nonzeros, not offsets: its diagonals are 0.87 n long on average, so
/// they are drawn within n / 4 of the main diagonal.
std::vector<std::string> diagonal_paper_workloads();

}  // namespace lacuna::bench

#endif
