// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/memory/Lacuna_Arena.hpp>
#include <core/impl/memory/Lacuna_PartOfMemory.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>

#include <tools/Tools_Recorder.hpp>

namespace lacuna::Impl {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

template <class Space>
class Arenas : public testing::Test {};
using Spaces = testing::Types<Exec::memory_space, Exec::device_type, Kokkos::HostSpace>;
TYPED_TEST_SUITE(Arenas, Spaces);

TYPED_TEST(Arenas, GiveAlignedArraysThatDoNotOverlap) {
  using Room = Arena<TypeParam>;
  struct Large {
    std::int64_t first, second, third;
  };
  const typename TypeParam::execution_space exec;
  for (const std::int64_t n : {1, 31, 32, 33, 63, 64, 65, 1000}) {
    Room arena("test", exec, "Lacuna::Test::arena", Room::template bytes_for<char, double, Large, int>(n, n, n, 1));
    const auto bytes = [](const auto& view) {
      const auto first = reinterpret_cast<std::uintptr_t>(view.data());
      return std::pair{first, first + view.extent(0) * sizeof(*view.data())};
    };
    const auto chars   = bytes(arena.template take<char>(n));
    const auto doubles = bytes(arena.template take<double>(n));
    const auto larges  = bytes(arena.template take<Large>(n));
    const auto ints    = bytes(arena.template take<int>(1));
    EXPECT_EQ(doubles.second - doubles.first, static_cast<std::size_t>(n) * sizeof(double));
    for (const auto& array : {chars, doubles, larges, ints}) EXPECT_EQ(array.first % Room::alignment, 0u) << n;
    EXPECT_LE(chars.second, doubles.first);
    EXPECT_LE(doubles.second, larges.first);
    EXPECT_LE(larges.second, ints.first);
    EXPECT_THROW(arena.template take<char>(257), OutOfMemory) << "no more room";
  }
}

TYPED_TEST(Arenas, AreOneAllocationThatCopiesShare) {
  using Room = Arena<TypeParam>;
  const typename TypeParam::execution_space exec;
  Room copy;
  Test::Recorder recorder;
  typename Room::template Array<int> numbers;
  {
    Room arena("test", exec, "Lacuna::Test::arena", Room::template bytes_for<int, int>(100, 7));
    numbers = arena.template take<int>(100);
    arena.template take<int>(7);
    copy = arena;
  }
  recorder.stop();
  EXPECT_THAT(recorder.allocations(), testing::ElementsAre("Lacuna::Test::arena"));
  EXPECT_EQ(copy.bytes(), (Room::template bytes_for<int, int>(100, 7)));
  Kokkos::deep_copy(exec, numbers, 5);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(host(i), 5);
}

TYPED_TEST(Arenas, AreCutFromOthers) {
  using Room = Arena<TypeParam>;
  const typename TypeParam::execution_space exec;
  Test::Recorder recorder;
  Room first, second, third;
  {
    Room whole("test", exec, "Lacuna::Test::whole", 2048 + Room::alignment);
    first  = arena_within(&whole, "test", exec, "Lacuna::Test::first", 1000);
    second = arena_within(&whole, "test", exec, "Lacuna::Test::second", 1024);
    EXPECT_LT(whole.left(), 512u);
    third = arena_within(&whole, "test", exec, "Lacuna::Test::third", 512);
  }
  const Room alone = arena_within<TypeParam>(nullptr, "test", exec, "Lacuna::Test::alone", 512);
  recorder.stop();
  EXPECT_THAT(recorder.allocations(),
              testing::ElementsAre("Lacuna::Test::whole", "Lacuna::Test::third", "Lacuna::Test::alone"));
  EXPECT_EQ(first.bytes(), 1000u);
  const auto numbers = first.template take<double>(96), more = second.template take<double>(128);
  EXPECT_GE(more.data(), numbers.data() + 96);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(more.data()) % Room::alignment, 0u);
  EXPECT_THROW(second.template take<double>(1), OutOfMemory);
}

TYPED_TEST(Arenas, LieInViewsWhosePartsShareThem) {
  using Room    = Arena<TypeParam>;
  using Memory  = typename Room::Memory;
  using Numbers = Kokkos::View<int*, TypeParam>;
  using Values  = Kokkos::View<double*, TypeParam>;
  static_assert(shares_allocation<Values, Memory> && shares_allocation<Numbers, Memory>);
  static_assert(!shares_allocation<int, Memory>);
  const typename TypeParam::execution_space exec;
  Memory memory(Kokkos::view_alloc("Lacuna::Test::memory", Kokkos::WithoutInitializing), 1000);
  Room arena(memory);
  const auto begin = [&](const auto& taken) {
    return static_cast<std::size_t>(reinterpret_cast<const unsigned char*>(taken.data()) - memory.data());
  };
  const std::size_t first = begin(arena.template take<int>(33)), second = begin(arena.template take<double>(40));
  arena = {};

  auto numbers = part_of_memory<Numbers>(memory, first, 33);
  auto values  = part_of_memory<Values>(memory, second, 40);
  EXPECT_EQ(numbers.extent(0), 33u);
  EXPECT_EQ(values.extent(0), 40u);
  EXPECT_EQ(memory.use_count(), 3);
  EXPECT_EQ(numbers.label(), "Lacuna::Test::memory");
  memory = {};
  EXPECT_EQ(values.use_count(), 2);
  Kokkos::deep_copy(exec, numbers, 7);
  Kokkos::deep_copy(exec, values, 2.5);
  exec.fence();

  {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers);
    for (std::size_t i = 0; i < 33; ++i) EXPECT_EQ(host(i), 7);
  }
  numbers = {};
  EXPECT_EQ(values.use_count(), 1) << "a part keeps all of it";
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(host(i), 2.5);
}

TEST(Arena, OfNothing) {
  using Room = Arena<Exec::memory_space>;
  Room empty;
  EXPECT_EQ(empty.bytes(), 0u);
  EXPECT_EQ(empty.take<int>(0).extent(0), 0u);
  EXPECT_THROW(empty.take<int>(1), OutOfMemory);
  EXPECT_EQ((Room::bytes_for<int, double>(0, 0)), Room::alignment);
  Room none("test", Exec(), "Lacuna::Test::arena", Room::bytes_for<double>(0));
  EXPECT_EQ(none.take<double>(0).extent(0), 0u);
}

TEST(Arena, SizesThatDoNotFit) {
  using Room             = Arena<Exec::memory_space>;
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(Room::bytes_for<double>(highest / 4), OutOfMemory);
  EXPECT_THROW((Room::bytes_for<char, double>(1, highest / 8)), OutOfMemory);
}

}  // namespace
}  // namespace lacuna::Impl
