// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_TOOLS_KEPTMEMORYOFF_HPP
#define LACUNA_TEST_TOOLS_KEPTMEMORYOFF_HPP

#include <Lacuna_KeptMemory.hpp>

#include <cstddef>

namespace lacuna::Test {

/// As long as it lives no memory is kept, so that tools see every allocation and its release.
class KeptMemoryOff {
 public:
  KeptMemoryOff() { set_kept_memory_bound(0); }
  ~KeptMemoryOff() { set_kept_memory_bound(m_before); }
  KeptMemoryOff(const KeptMemoryOff&)            = delete;
  KeptMemoryOff& operator=(const KeptMemoryOff&) = delete;

 private:
  std::size_t m_before = kept_memory_bound();
};

}  // namespace lacuna::Test

#endif
