// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SETUPCLOCK_HPP
#define LACUNA_SETUPCLOCK_HPP

#include <chrono>

namespace lacuna::Impl {

/// How long a plan took to make, for its report. Nothing is decided by it. Not a Kokkos::Timer: that of Kokkos 4.5
/// declares its copy constructor and assignment and defines neither, so that a plan that is moved would not link.
class SetupClock {
 public:
  template <class ExecutionSpace>
  void stop(const ExecutionSpace& exec, const char* label) {
    exec.fence(label);
    m_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
  }
  double seconds() const { return m_seconds; }

 private:
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
  double m_seconds                              = 0;
};

}  // namespace lacuna::Impl

#endif
