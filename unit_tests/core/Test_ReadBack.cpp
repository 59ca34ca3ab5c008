// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/memory/Lacuna_ReadBack.hpp>
#include <core/impl/passes/Lacuna_Passes.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include <tools/Tools_Recorder.hpp>

namespace lacuna::Impl {
namespace {

using Exec   = Kokkos::DefaultExecutionSpace;
using Values = Kokkos::View<std::int64_t*, Exec>;

struct Fill {
  std::int64_t* values;
  std::int64_t first;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values[i] = first + i; }
};
void fill(const Exec& exec, const Values& values, std::int64_t first) {
  for_each_index(exec, "Lacuna::Test::fill", static_cast<std::int64_t>(values.extent(0)), Fill{values.data(), first});
}
std::vector<std::int64_t> filled(std::int64_t count, std::int64_t first) {
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(first + i);
  return values;
}

constexpr std::int64_t most_in_slot = PinnedSlots::bytes / sizeof(std::int64_t);
constexpr std::int64_t counts[]     = {1, 2, 31, most_in_slot - 1, most_in_slot, most_in_slot + 1, 100000};

TEST(ReadBack, GivesAllValues) {
  const Exec exec = Kokkos::Experimental::partition_space(Exec(), 1)[0];
  for (const std::int64_t n : counts) {
    const Values values("values", static_cast<std::size_t>(n));
    fill(exec, values, 7);
    EXPECT_EQ(read_back(exec, "test", values), filled(n, 7)) << n;
  }
  EXPECT_TRUE(read_back(exec, "test", Values()).empty());
}

TEST(ReadBack, GivesValuesAsTheyWereWhenItWasMade) {
  const Exec exec;
  for (const std::int64_t n : counts) {
    const Values values("values", static_cast<std::size_t>(n));
    for (std::int64_t round = 0; round < 20; ++round) {
      fill(exec, values, round);
      ReadBack first(exec, values);
      fill(exec, values, -round);
      ReadBack second(exec, values);  // has memory of its own while the other waits
      fill(exec, values, 1000);
      const auto behind = second.wait("test"), in_front = first.wait("test");
      EXPECT_EQ(std::vector(in_front.begin(), in_front.end()), filled(n, round)) << n;
      EXPECT_EQ(std::vector(behind.begin(), behind.end()), filled(n, -round)) << n;
    }
  }
}

TEST(ReadBack, NobodyMayWaitForIt) {
  const Exec exec;
  const Values values("values", 100);
  for (std::int64_t round = 0; round < 50; ++round) {
    fill(exec, values, round);
    { const ReadBack unread(exec, values); }
    EXPECT_EQ(read_back(exec, "test", values), filled(100, round));
  }
}

TEST(ReadBack, IsAFenceForToolsAndNoAllocationAfterTheFirst) {
  const Exec exec;
  const Values values("values", 100);
  fill(exec, values, 3);
  read_back(exec, "test", values);
  lacuna::Test::Recorder recorder;
  read_back(exec, "Lacuna::Test::wait", values);
  recorder.stop();
  EXPECT_THAT(recorder.fence_labels(), testing::Contains("Lacuna::Test::wait"));
  EXPECT_THAT(recorder.allocations(), testing::IsEmpty());
}

}  // namespace
}  // namespace lacuna::Impl
