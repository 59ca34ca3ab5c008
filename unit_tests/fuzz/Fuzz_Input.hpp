// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FUZZ_INPUT_HPP
#define LACUNA_FUZZ_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

/// \file
/// \brief What every fuzzing program has: its entry point, numbers out of bytes, and the end that a finding comes to.

/// The entry point that libFuzzer calls, and the replay of a corpus (Fuzz_Replay.cpp).
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lacuna::Fuzz {

/// A finding: says what, and ends the program, as the sanitizers do.
[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "FINDING: %s\n", what.c_str());
  std::abort();
}

inline void require(bool condition, const std::string& what) {
  if (!condition) fail(what);
}

/// Bytes one after the other, zeros behind the last.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : m_data(data), m_size(size) {}

  bool is_over() const { return m_at >= m_size; }
  int byte() { return is_over() ? 0 : m_data[m_at++]; }
  /// In [0, n), n at most 65536.
  int below(int n) {
    if (n <= 1) return 0;
    const int low = byte();
    return (n <= 256 ? low : low + 256 * byte()) % n;
  }
  bool flag() { return (byte() & 1) != 0; }
  std::int64_t word() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 4; ++i) bits |= static_cast<std::uint64_t>(byte()) << (8 * i);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  }

 private:
  const std::uint8_t* m_data;
  std::size_t m_size;
  std::size_t m_at = 0;
};

}  // namespace lacuna::Fuzz

#endif
