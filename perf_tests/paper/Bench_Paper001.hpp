// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_PAPER001_HPP
#define LACUNA_BENCH_PAPER001_HPP

#include <paper/Bench_Surrogate.hpp>
#include <support/Bench_Session.hpp>

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

/// \file
/// \brief The experiment of Varaganti, clSPARSE's SpGEMM (AMD, 2015): C = A A on 21 matrices in single precision,
/// against cuSPARSE; its figure 1.

namespace lacuna::bench {

/// \brief A bar of figure 1. The rates are those that clSPARSE 0.8 published beside it, GFLOP/s: its own on a FirePro
/// W9100, cuSPARSE 7.5 on a Tesla K40. Nonzeros are those of the file, explicit zeros included. Products and nonzeros
/// of C = A A, in millions, as they are quoted from Nagasaka, Matsuoka, Azad and Buluç, High-performance sparse
/// matrix-matrix products on Intel KNL and multicore architectures (ICPP Workshops, 2018), table 2. The paper was not
/// at hand: twelve agree with published logs of runs, those of cage12, filter3D, hood, m133-b3, majorbasis, mario002,
/// offshore, patents_main and poisson3Da were compared with nothing.
struct SpgemmPaperMatrix {
  const char* name;
  std::int64_t rows;
  std::int64_t nonzeros;
  PatternClass pattern;
  double products, nonzeros_c;
  double clsparse, cusparse;
};

std::span<const SpgemmPaperMatrix> spgemm_paper_matrices();

/// \brief The matrix from LACUNA_MATRIX_DIR, else a surrogate.
MatrixSource spgemm_paper_source(const SpgemmPaperMatrix& matrix);

/// \brief The algorithms whose times the table needs, as --algorithm takes them.
std::vector<std::string> spgemm_paper_algorithms();

/// \brief Prints figure 1 as a table beside the paper's numbers, and the times of the stages of `bins`.
void print_spgemm_paper(std::ostream& stream, const std::vector<Record>& records);

}  // namespace lacuna::bench

#endif
