// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_MemoryPool.hpp>
#include <Lacuna_Transpose.hpp>

#include <core/impl/memory/Lacuna_Arena.hpp>

#include <gmock/gmock.h>
#include <support/Test_Matrices.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

/// \file
/// \brief What the library does with kept memory, and its public face.

namespace lacuna::Impl {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Room = Arena<Exec::memory_space>;

constexpr bool keeps        = keeps_memory<Exec::memory_space>;
constexpr std::size_t bytes = std::size_t{1} << 22;

/// Starts and ends with nothing kept and the bound that users find.
class MemoryPoolCalls : public testing::Test {
 protected:
  MemoryPoolCalls() { set_memory_pool_bound(share_of_device); }
  ~MemoryPoolCalls() override { set_memory_pool_bound(share_of_device); }
};

TEST_F(MemoryPoolCalls, IsThatOfArenasOfADevice) {
  EXPECT_EQ(memory_pool_bound(), share_of_device);
  const Exec exec;
  { const Room room("test", exec, "Lacuna::Test::arena", bytes); }
  EXPECT_EQ(memory_pool_bytes(), keeps ? bytes : 0u) << "hosts keep nothing";
  Room room("test", exec, "Lacuna::Test::arena", bytes - 1000);
  EXPECT_EQ(memory_pool_bytes(), 0u);
  EXPECT_EQ(room.bytes(), bytes - 1000) << "what was asked for";
  EXPECT_THROW(room.take<char>(bytes - 1000 + 256), OutOfMemory);
  room = {};
  EXPECT_EQ(release_memory_pool(), keeps ? bytes : 0u);
  EXPECT_EQ(memory_pool_bytes(), 0u);
}

TEST_F(MemoryPoolCalls, IsSwitchedOff) {
  { const Room room("test", Exec(), "Lacuna::Test::arena", bytes); }
  set_memory_pool_bound(0);
  EXPECT_EQ(memory_pool_bytes(), 0u);
  { const Room room("test", Exec(), "Lacuna::Test::arena", bytes); }
  EXPECT_EQ(memory_pool_bytes(), 0u);
}

TEST_F(MemoryPoolCalls, SharesOneTypeForAllArenasOfASpace) {
  { const Room room("test", Exec(), "Lacuna::Test::arena", bytes); }
  const Arena<Exec::device_type> other("test", Exec(), "Lacuna::Test::arena", bytes);
  EXPECT_EQ(memory_pool_bytes(), 0u);
}

/// What was left in it is no matter: the same transposes out of memory that others had.
TEST_F(MemoryPoolCalls, LeavesNoTraces) {
  using Matrix = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, int>;
  const Exec exec;
  const auto A          = lacuna::Test::make_crs<Matrix>(lacuna::Test::banded_matrix<double>(3000, 2900, 9, 7));
  const auto B          = lacuna::Test::make_crs<Matrix>(lacuna::Test::banded_matrix<double>(2900, 3000, 9, 3));
  const auto transposed = [&](const Matrix& M) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), transpose(exec, M).matrix.values);
  };
  set_memory_pool_bound(0);
  const auto expected = transposed(A);
  set_memory_pool_bound(share_of_device);
  for (int i = 0; i < 3; ++i) {
    const auto found = transposed(A);
    ASSERT_EQ(found.extent(0), expected.extent(0));
    for (std::size_t k = 0; k < found.extent(0); ++k) ASSERT_EQ(found(k), expected(k)) << "value " << k;
    transposed(B);
  }
}

/// Fails as long as something is kept, or always.
template <bool always>
struct Reluctant {
  using value_type = int;
  Reluctant()      = default;
  template <class Properties>
  Reluctant(const Properties&, std::size_t) {
    ++attempts;
    if (always || memory_pool().idle_bytes() > 0) throw std::runtime_error("no memory");
  }
  static inline int attempts = 0;
};

/// Something that is idle, on hosts too.
void keep_something() {
  using Memory = Kokkos::View<char*, Exec>;
  memory_pool().take<Memory>({0, std::size_t{1} << 30}, 1000, [] { return Memory("Lacuna::Test::kept", 1000); });
  ASSERT_EQ(memory_pool_bytes(), 1000u);
}

TEST_F(MemoryPoolCalls, IsFreedWhereAnAllocationFails) {
  keep_something();
  EXPECT_NO_THROW(allocate<Reluctant<false>>("test", Exec(), "Lacuna::Test::reluctant", 10));
  EXPECT_EQ(Reluctant<false>::attempts, 2);
  EXPECT_EQ(memory_pool_bytes(), 0u);

  keep_something();
  EXPECT_THROW(allocate<Reluctant<true>>("test", Exec(), "Lacuna::Test::reluctant", 10), OutOfMemory);
  EXPECT_EQ(Reluctant<true>::attempts, 2) << "once more";
  EXPECT_EQ(memory_pool_bytes(), 0u) << "before it is given up";
  EXPECT_THROW(allocate<Reluctant<true>>("test", Exec(), "Lacuna::Test::reluctant", 10), OutOfMemory);
  EXPECT_EQ(Reluctant<true>::attempts, 3) << "there was nothing to free";
}

/// Twice more than half of the device.
TEST_F(MemoryPoolCalls, MakesWayOnADeviceThatIsFull) {
  const Exec exec;
  const std::size_t memory = DeviceLaunch<Exec>::memory_bytes(exec);
  if (memory == 0) GTEST_SKIP() << "not a device with memory of its own";
  set_memory_pool_bound(memory);
  const std::size_t most = memory / 8 * 5;
  { const Room room("test", exec, "Lacuna::Test::arena", most); }
  ASSERT_EQ(memory_pool_bytes(), most);
  EXPECT_NO_THROW(
      (allocate<Kokkos::View<char*, Exec>>("test", exec, "Lacuna::Test::other", static_cast<std::int64_t>(most))));
  EXPECT_EQ(memory_pool_bytes(), 0u);
  EXPECT_THROW(Room("test", exec, "Lacuna::Test::arena", 2 * memory), OutOfMemory);
}

}  // namespace
}  // namespace lacuna::Impl
