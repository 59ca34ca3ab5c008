// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTPROBE_HPP
#define LACUNA_SPGEMMHOSTPROBE_HPP

#include <bit>
#include <cstdint>

/// \file
/// \brief Hash tables of a thread: a power of two of slots, linear probing. Plain host code.

namespace lacuna::Impl {

/// \brief Where keys of 0 and above may stand in a table, of which an empty slot holds `none`.
template <class Key>
class SpgemmHostProbe {
 public:
  static constexpr Key none = -1;

  SpgemmHostProbe() {}  // nothing is initialised before a table is opened

  /// Two slots for each of `keys`, at least one of them.
  static std::uint64_t slots_for(std::int64_t keys) { return std::bit_ceil(2 * static_cast<std::uint64_t>(keys)); }
  /// `slots`: a power of two, at least 2.
  void open(std::uint64_t slots) {
    m_mask  = slots - 1;
    m_shift = 64 - std::countr_zero(slots);
  }
  /// Where the key stands, or the first empty slot of those where it could.
  std::uint64_t slot_of(const Key* slots, Key key) const {
    // Fibonacci hashing: 2^64 over the golden ratio spreads consecutive keys.
    std::uint64_t slot = (static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15U) >> m_shift;
    while (slots[slot] != key && slots[slot] != none) slot = (slot + 1) & m_mask;
    return slot;
  }

 private:
  std::uint64_t m_mask;
  int m_shift;
};

}  // namespace lacuna::Impl

#endif
