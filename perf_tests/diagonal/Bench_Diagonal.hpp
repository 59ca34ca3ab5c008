// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_DIAGONAL_HPP
#define LACUNA_BENCH_DIAGONAL_HPP

#include <diagonal/Bench_DiagonalWorkloads.hpp>
#include <support/Bench_Job.hpp>
#include <support/Bench_Options.hpp>
#include <support/Bench_Session.hpp>

#include <memory>
#include <vector>

namespace lacuna::bench {

/// \brief Times C = A B, or another product of the workload, in HM and in CDM (`+cdm`), double precision, into a C
/// that is there, each algorithm that serves, and with `options.rivals` the sequential algorithms of paper 003 on one
/// core of the host and on as many threads as are fastest, cuSPARSE's SpGEMM of the same matrices in CSR, transposed
/// before (the whole call, and the numeric part alone; not for `syr2k`), and cuBLAS's DGEMM where three dense matrices
/// take less than 8 GB.
std::vector<Record> bench_diagonal(Session& session, const DiagonalWorkload& workload, const Options& options);

/// \brief Products in diagonal storage, of the workloads of the command line. \throws std::runtime_error where one is
/// none.
std::unique_ptr<Job> diagonal_job(const Options& options);

}  // namespace lacuna::bench

#endif
