// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_PLACE_HPP
#define LACUNA_BENCH_PLACE_HPP

#include <set>
#include <string>
#include <vector>

/// \file
/// \brief Where a rank runs: its process, its processors, its device.

namespace lacuna::bench {

/// \brief A process, so that others on the same host can see whether it is still there.
struct Process {
  std::string host;
  std::string space;  ///< of process numbers: containers have their own
  long number = 0;
  std::string start;  ///< numbers are used again

  bool operator==(const Process&) const = default;
};

Process this_process();

/// \brief Whether it is known to have ended; of a process on another host nothing is known.
bool has_ended(const Process& process);

/// \brief `0-3,8` as numbers. \throws std::runtime_error where it is no such list
std::set<int> parse_processors(const std::string& list);

/// \brief The processors that one thread or another of this process may run on, as `0-3,8`.
std::string processors_of_threads();

/// \brief What was said about the threads of OpenMP: `OMP_PROC_BIND=spread OMP_PLACES=cores`; empty: nothing.
std::string binding_of_threads();

/// \brief A rank, as the others see it.
struct Place {
  int rank = 0;
  Process process;
  std::string device;      ///< as results name it: `gpu 0000:3b:00.0`; empty: the host
  std::string device_key;  ///< two ranks of one host with the same have the same device
  std::string processors;
  std::string binding;

  /// \brief `gpu 0000:3b:00.0`, or `processors 0-3`.
  std::string what_it_measures() const { return device.empty() ? "processors " + processors : device; }
};

/// \brief Why times of these ranks are not clean: devices that several of them have, processors and the memory of a
/// host that they share. A sentence each, hosts by name.
std::vector<std::string> find_sharing(const std::vector<Place>& places);

}  // namespace lacuna::bench

#endif
