// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/memory/Lacuna_MemoryPoolStore.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <tools/Tools_Recorder.hpp>

/// \file
/// \brief The store of kept memory itself, in the memory of any execution space, hosts among them.

namespace lacuna::Impl {
namespace {

using Exec    = Kokkos::DefaultExecutionSpace;
using Numbers = Kokkos::View<int*, Exec>;
using Device  = MemoryPool::Device;

constexpr std::size_t enough = std::size_t{1} << 20;  // elements: much more than what sizes may differ by

/// A store of so many bytes, and how often it had to allocate.
struct Store {
  explicit Store(std::size_t bytes) { views.set_bound(bytes); }
  template <class View = Numbers>
  View take(std::size_t count, Device device = {}) {
    return views.take<View>(device, count, [&] {
      ++allocations;
      return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Lacuna::Test::kept"), count);
    });
  }
  MemoryPool views;
  int allocations = 0;
};

int first_of(const Numbers& numbers) {
  int value = 0;
  Kokkos::deep_copy(value, Kokkos::subview(numbers, 0));
  return value;
}

TEST(MemoryPool, WhatNobodyUsesIsTakenAgain) {
  Store store(1 << 30);
  Numbers numbers         = store.take(enough);
  const int* const before = numbers.data();
  EXPECT_EQ(store.views.idle_bytes(), 0u);
  numbers = {};
  EXPECT_EQ(store.views.idle_bytes(), enough * sizeof(int));
  numbers = store.take(enough);
  EXPECT_EQ(numbers.data(), before);
  EXPECT_EQ(numbers.extent(0), enough);
  EXPECT_EQ(store.allocations, 1);
  EXPECT_EQ(store.views.idle_bytes(), 0u);
}

TEST(MemoryPool, WhatIsInUseIsNot) {
  Store store(1 << 30);
  const Numbers first = store.take(enough), second = store.take(enough);
  EXPECT_NE(first.data(), second.data());
  const Numbers copy = store.take(enough);
  EXPECT_EQ(store.allocations, 3);
  // A part of it is a use.
  Numbers whole   = store.take(enough);
  const auto part = Kokkos::subview(whole, std::pair{std::size_t{1}, std::size_t{2}});
  whole           = {};
  store.take(enough);
  EXPECT_EQ(store.allocations, 5);
}

TEST(MemoryPool, ServeWhatIsALittleSmaller) {
  Store store(1 << 30);
  const int* const memory = store.take(enough).data();
  Numbers smaller         = store.take(enough - enough / 16);
  EXPECT_EQ(smaller.data(), memory);
  EXPECT_EQ(smaller.extent(0), enough - enough / 16);
  smaller = {};
  // All of it is still there.
  EXPECT_EQ(store.take(enough).data(), memory);
  EXPECT_EQ(store.allocations, 1);
  store.take(enough + 1);
  store.take(enough / 2);
  EXPECT_EQ(store.allocations, 3) << "too small; a waste";
}

TEST(MemoryPool, OfOtherTypesAndDevicesAreOthers) {
  Store store(1 << 30);
  store.take(enough);
  store.take<Kokkos::View<float*, Exec>>(enough);
  store.take(enough, {1, 0});
  EXPECT_EQ(store.allocations, 3);
  store.take(enough, {1, 0});
  store.take(enough);
  EXPECT_EQ(store.allocations, 3);
}

TEST(MemoryPool, StayWithinTheBound) {
  const std::size_t one = enough * sizeof(int);
  Store store(3 * one);
  for (std::size_t i = 0; i < 5; ++i) {
    std::vector<Numbers> at_once;
    for (std::size_t k = 0; k <= i; ++k) at_once.push_back(store.take(enough));
    at_once.clear();
    EXPECT_EQ(store.views.idle_bytes(), std::min<std::size_t>(i + 1, 3) * one);
  }
  store.take(4 * enough);
  EXPECT_EQ(store.views.idle_bytes(), 3 * one) << "what is larger than the bound takes nobody's place";
  store.take(2 * enough);
  EXPECT_EQ(store.views.idle_bytes(), 3 * one) << "in place of the two that were used longest ago";
}

TEST(MemoryPool, LetGoOfWhatIsInUse) {
  Store store(2 * enough * sizeof(int));
  const Numbers old = store.take(enough);
  Kokkos::deep_copy(old, 7);
  for (int i = 0; i < 3; ++i) store.take(2 * enough);
  EXPECT_EQ(store.allocations, 2) << "what is in use does not count for ever";
  EXPECT_EQ(first_of(old), 7) << "it stays with its owner";
  EXPECT_EQ(old.use_count(), 1);
}

TEST(MemoryPool, AreFew) {
  Store store(1 << 30);
  {
    std::vector<Numbers> many;
    for (std::size_t i = 0; i < MemoryPool::most_views + 10; ++i) many.push_back(store.take(10));
  }
  EXPECT_EQ(store.views.idle_bytes(), MemoryPool::most_views * 10 * sizeof(int));
}

TEST(MemoryPool, AreNoneWhereTheBoundIsZero) {
  Store store(1 << 30);
  store.take(enough);
  store.views.set_bound(0);
  EXPECT_EQ(store.views.idle_bytes(), 0u);
  store.take(enough);
  EXPECT_EQ(store.views.idle_bytes(), 0u);
  EXPECT_EQ(store.allocations, 2);
  EXPECT_EQ(store.take(0).extent(0), 0u);
}

TEST(MemoryPool, TakeAShareOfTheDevice) {
  Store store(MemoryPool::share_of_device);
  const std::size_t one = enough * sizeof(int);
  store.take(enough, {0, 16 * one - 16});
  EXPECT_EQ(store.views.idle_bytes(), 0u);
  store.take(enough, {0, 16 * one});
  EXPECT_EQ(store.views.idle_bytes(), one);
}

TEST(MemoryPool, AreReleased) {
  Store store(1 << 30);
  const Numbers used = store.take(enough);
  store.take(2 * enough);
  EXPECT_EQ(store.views.release(), 2 * enough * sizeof(int)) << "idle ones are";
  EXPECT_EQ(store.views.idle_bytes(), 0u);
  EXPECT_EQ(used.use_count(), 1) << "others are left alone";
}

TEST(MemoryPool, WaitForTheDeviceOnceForAllThatAreIdle) {
  Store store(1 << 30);
  const auto fences = [&](const auto& work) {
    lacuna::Test::Recorder recorder;
    work();
    recorder.stop();
    const auto labels = recorder.fence_labels();
    return std::any_of(labels.begin(), labels.end(),
                       [](const std::string& label) { return label.starts_with("Lacuna::kept_memory"); });
  };
  const auto both = [&] { const Numbers first = store.take(enough), second = store.take(enough); };
  both();
  EXPECT_TRUE(fences(both));
  {
    const Numbers first = store.take(enough);
    Numbers second;
    EXPECT_FALSE(fences([&] { second = store.take(enough); })) << "was idle when the device was waited for";
  }
  EXPECT_TRUE(fences([&] { store.take(enough); })) << "has been in use since";
}

struct WriteSlowly {
  Numbers numbers;
  int value;
  KOKKOS_FUNCTION void operator()(int i) const {
    // The same element again and again, so that it takes a while.
    for (int k = 0; k < 20000; ++k) Kokkos::atomic_store(&numbers(i), value - 20000 + k + 1);
  }
};

TEST(MemoryPool, MayBeInUseOnAnotherInstance) {
  Store store(1 << 30);
  const auto instances    = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  constexpr int count     = 2000;
  const int* const memory = store.take(count).data();
  for (int round = 0; round < 5; ++round) {
    {
      const Numbers numbers = store.take(count);
      ASSERT_EQ(numbers.data(), memory);
      Kokkos::parallel_for("Lacuna::Test::slowly", Kokkos::RangePolicy<Exec>(instances[0], 0, count),
                           WriteSlowly{numbers, -1});
    }
    const Numbers numbers = store.take(count);
    ASSERT_EQ(numbers.data(), memory);
    Kokkos::deep_copy(instances[1], numbers, round);
    Kokkos::fence("Lacuna::Test: all instances");
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(host(i), round) << i;
  }
}

TEST(MemoryPool, GoToOneThreadAtATime) {
  using Memory = Kokkos::View<int*, Kokkos::HostSpace>;
  MemoryPool views;
  views.set_bound(1 << 20);
  std::mutex mutex;
  std::set<const int*> in_use;
  bool is_shared = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        Memory mine = views.take<Memory>({}, 100, [] { return Memory("Lacuna::Test::kept", 100); });
        {
          const std::lock_guard lock(mutex);
          is_shared = is_shared || !in_use.insert(mine.data()).second;
        }
        {
          const std::lock_guard lock(mutex);
          in_use.erase(mine.data());
        }
        mine = {};
        if (i % 100 == 99) views.release();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(is_shared);
}

}  // namespace
}  // namespace lacuna::Impl
