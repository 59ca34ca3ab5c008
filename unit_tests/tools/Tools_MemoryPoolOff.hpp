// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_TOOLS_MEMORYPOOLOFF_HPP
#define LACUNA_TEST_TOOLS_MEMORYPOOLOFF_HPP

#include <Lacuna_MemoryPool.hpp>

#include <cstddef>

namespace lacuna::Test {

/// As long as it lives no memory is kept, so that tools see every allocation and its release.
class MemoryPoolOff {
 public:
  MemoryPoolOff() { set_memory_pool_bound(0); }
  ~MemoryPoolOff() { set_memory_pool_bound(m_before); }
  MemoryPoolOff(const MemoryPoolOff&)            = delete;
  MemoryPoolOff& operator=(const MemoryPoolOff&) = delete;

 private:
  std::size_t m_before = memory_pool_bound();
};

}  // namespace lacuna::Test

#endif
