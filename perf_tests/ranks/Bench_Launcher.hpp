// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_LAUNCHER_HPP
#define LACUNA_BENCH_LAUNCHER_HPP

#include <functional>
#include <string>

/// \file
/// \brief Which of how many processes this one is: what `mpirun`, `mpiexec`, `srun` and `flux run` tell those they
/// start by their environment, so that nothing has to be linked with MPI.

namespace lacuna::bench {

struct Launcher {
  std::string name;  ///< empty: started by itself
  int rank       = 0;
  int size       = 1;
  int local_rank = -1;  ///< among those on its host; -1: not told

  bool has_ranks() const { return size > 1; }
};

/// \brief Reads the environment: of Open MPI, MVAPICH2, whoever speaks PMI (MPICH, Intel MPI, Cray PALS), Flux, Slurm,
/// in this order, since `mpirun` inside a job of Slurm leaves Slurm's variables as they are. Slurm's count only in a
/// step (`srun`), not in the script of a job, which is one process whatever the job has.
/// \param environment the value of a variable, or null: `std::getenv`
/// \throws std::runtime_error where a launcher's variables make no sense
Launcher find_launcher(const std::function<const char*(const char*)>& environment);

}  // namespace lacuna::bench

#endif
