// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMMTUNINGKEY_HPP
#define LACUNA_SPMMTUNINGKEY_HPP

#include <Lacuna_Device.hpp>
#include <Lacuna_Version.hpp>
#include <core/impl/files/Lacuna_TuningFile.hpp>
#include <core/impl/inspection/Lacuna_Inspection.hpp>
#include <kernels/spmm/shared/Lacuna_SpmmRequest.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

/// \file
/// \brief What makes two searches the same: a key of the tuning file, for a reader too.

namespace lacuna::Impl {

/// What the row lengths of a matrix come to, as 16 digits (FNV-1a).
inline std::string digest_of(const LengthStatistics& lengths) {
  std::uint64_t hash = 14695981039346656037ull;
  const auto add     = [&](std::int64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      hash ^= static_cast<std::uint64_t>(value) >> (8 * byte) & 0xff;
      hash *= 1099511628211ull;
    }
  };
  for (const std::int64_t value : {lengths.rows, lengths.nonzeros, lengths.longest, lengths.shortest, lengths.empty,
                                   lengths.squares, lengths.median, lengths.quantile_90, lengths.quantile_99})
    add(value);
  for (const std::int64_t count : lengths.octaves) add(count);
  for (const std::int64_t span : lengths.group_span) add(span);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

/// The device by its name, of hosts the processor and the threads.
template <class ExecutionSpace>
std::string device_name(const ExecutionSpace& exec) {
  const std::string name = DeviceLaunch<ExecutionSpace>::device_name(exec);
  return name.empty() ? processor_name() + ", " + std::to_string(exec.concurrency()) + " threads" : name;
}

/// `types`: scalar and indices.
template <class ExecutionSpace>
std::string spmm_tuning_key(const ExecutionSpace& exec, const Inspection& A, const SpmmRequest& request,
                            const std::string& types) {
  const auto number   = [](auto value) { return std::to_string(value); };
  const bool is_bound = request.memory_limit != unlimited;
  return TuningFile::clean(
      "spmm | " + device_name(exec) + " | Lacuna " + number(LACUNA_VERSION_MAJOR) + "." + number(LACUNA_VERSION_MINOR) +
      "." + number(LACUNA_VERSION_PATCH) + " | " + types + " | op " + std::string(name(request.op)) + " | " +
      std::string(name(request.precision)) + " | " + std::string(name(request.algorithm)) + " | B " +
      std::string(name(request.b_layout)) + " | rows " + std::string(name(request.row_order)) + " " +
      number(request.panel_rows) + " " + number(request.team_size) + (request.allow_dense ? " | dense too" : "") +
      (request.panel_balance == PanelBalance::waves ? "" : " | balance " + std::string(name(request.panel_balance))) +
      (request.reads_values_of_A ? " | values of A" : "") + " | " + number(expected_calls(request)) + " calls" +
      (is_bound ? " | " + number(request.memory_limit) + " bytes" : "") + " | " + number(A.rows) + "x" +
      number(A.columns) + " | " + number(A.nonzeros) + " nonzeros | N " + number(request.columns) + " | " +
      digest_of(A.lengths));
}

}  // namespace lacuna::Impl

#endif
