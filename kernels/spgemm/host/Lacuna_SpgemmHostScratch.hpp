// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMHOSTSCRATCH_HPP
#define LACUNA_SPGEMMHOSTSCRATCH_HPP

#include <kernels/spgemm/host/Lacuna_SpgemmHostPattern.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief What host threads write to beside C.

namespace lacuna::Impl {

/// \brief How large the scratch of a thread is, and where its arrays begin. Each thread has a block of its own, and no
/// cache line has parts of two blocks:
///
///     bits, touched, before    of dense windows
///     bits, touched, before    of hashed windows
///     sums                     `inode_rows` for each column of `dense` words
///     marks                    one for each column of `marked` words
///
/// Nothing is initialised: a thread clears what it uses first.
template <class Operands>
struct SpgemmHostScratch {
  using Scalar  = typename Operands::Arrays::Scalar;
  using Ordinal = typename Operands::Arrays::Ordinal;
  using Dense   = SpgemmHostPattern<Operands, SpgemmHostDenseWindow<Ordinal>>;
  using Hashed  = SpgemmHostPattern<Operands, SpgemmHostHashedWindow<Ordinal>>;

  /// Bytes between two arrays of different threads, at least: hosts fetch two lines of 64 bytes at once.
  static constexpr std::int64_t alignment = 256;

  Counter* next       = nullptr;  ///< the first row that no thread has taken
  unsigned char* data = nullptr;  ///< the blocks of the threads
  std::int64_t words  = 0;        ///< of the widest dense window
  std::int64_t slots  = 0;        ///< of the largest hashed window
  std::int64_t dense  = 0;        ///< words of the widest window that has a dense row of sums
  int inode_rows      = 1;        ///< rows of an inode that are added at once, at most
  std::int64_t marked = 0;        ///< words of the widest window that has marks

  /// Bytes of a thread.
  std::int64_t bytes() const { return begin_of_marks() + aligned<unsigned char>(marked * Dense::bits); }

  typename Dense::Memory dense_window(std::int64_t thread) const {
    return window<Dense>(data + thread * bytes(), words);
  }
  typename Hashed::Memory hashed_window(std::int64_t thread) const {
    return window<Hashed>(data + thread * bytes() + bytes_of_window<Dense>(words), slots);
  }
  Scalar* sums(std::int64_t thread) const {
    return reinterpret_cast<Scalar*>(data + thread * bytes() + begin_of_sums());
  }

  unsigned char* marks(std::int64_t thread) const { return data + thread * bytes() + begin_of_marks(); }

  /// The same memory for operands that are multiplied otherwise.
  template <class Other>
  SpgemmHostScratch<Other> as() const {
    return {next, data, words, slots, dense, inode_rows, marked};
  }

 private:
  template <class T>
  static std::int64_t aligned(std::int64_t count) {
    return (count * static_cast<std::int64_t>(sizeof(T)) + alignment - 1) / alignment * alignment;
  }
  template <class Pattern>
  static std::int64_t bytes_of_window(std::int64_t slots) {
    return aligned<std::uint64_t>(Pattern::length(slots)) + aligned<Ordinal>(slots + 1) + aligned<Ordinal>(slots);
  }
  template <class Pattern>
  static typename Pattern::Memory window(unsigned char* at, std::int64_t slots) {
    unsigned char* const touched = at + aligned<std::uint64_t>(Pattern::length(slots));
    return {reinterpret_cast<std::uint64_t*>(at), reinterpret_cast<Ordinal*>(touched),
            reinterpret_cast<Ordinal*>(touched + aligned<Ordinal>(slots + 1))};
  }
  std::int64_t begin_of_sums() const { return bytes_of_window<Dense>(words) + bytes_of_window<Hashed>(slots); }
  std::int64_t begin_of_marks() const { return begin_of_sums() + aligned<Scalar>(dense * Dense::bits * inode_rows); }
};

}  // namespace lacuna::Impl

#endif
