// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <ranks/Bench_Launcher.hpp>

#include <array>
#include <charconv>
#include <cstring>
#include <stdexcept>

namespace lacuna::bench {

namespace {

struct Variables {
  const char* launcher;
  const char* rank;
  const char* size;
  std::array<const char*, 4> local_ranks;  // the first that is there; null: no other
};

constexpr std::array<Variables, 5> known{{
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"OMPI_COMM_WORLD_LOCAL_RANK"}},
    {"MVAPICH2", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", {"MV2_COMM_WORLD_LOCAL_RANK"}},
    {"PMI", "PMI_RANK", "PMI_SIZE", {"MPI_LOCALRANKID", "PALS_LOCAL_RANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID"}},
    {"Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", {"FLUX_TASK_LOCAL_ID"}},
    {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", {"SLURM_LOCALID"}},
}};

int number_of(const char* variable, const char* text) {
  int number             = 0;
  const char* end        = text + std::strlen(text);
  const auto [rest, bad] = std::from_chars(text, end, number);
  if (bad != std::errc() || rest != end || number < 0)
    throw std::runtime_error("the launcher's " + std::string(variable) + " is '" + text + "', no number of a rank");
  return number;
}

}  // namespace

Launcher find_launcher(const std::function<const char*(const char*)>& environment) {
  for (const Variables& variables : known) {
    const char* rank = environment(variables.rank);
    const char* size = environment(variables.size);
    if (rank == nullptr || size == nullptr) continue;
    Launcher launcher{variables.launcher, number_of(variables.rank, rank), number_of(variables.size, size)};
    if (launcher.rank >= launcher.size)
      throw std::runtime_error("the launcher says " + std::string(variables.rank) + " = " + rank + ", but " +
                               variables.size + " = " + size);
    for (const char* local : variables.local_ranks) {
      const char* value = local == nullptr ? nullptr : environment(local);
      if (value == nullptr) continue;
      launcher.local_rank = number_of(local, value);
      break;
    }
    return launcher;
  }
  return {};
}

}  // namespace lacuna::bench
