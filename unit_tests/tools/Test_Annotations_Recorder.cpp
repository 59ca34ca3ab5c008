// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <tools/Tools_Recorder.hpp>

#include <set>

namespace lacuna::Test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Exec = Kokkos::DefaultExecutionSpace;

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

// The checks of the other files can fail.
TEST(Recorder, SeesWhatBreaksTheRules) {
  const Exec exec;
  Recorder recorder;
  Kokkos::parallel_for("Lacuna::fine", Kokkos::RangePolicy<Exec>(exec, 0, 1), Nothing{});
  Kokkos::parallel_for("nameless", Kokkos::RangePolicy<Exec>(exec, 0, 1), Nothing{});
  Kokkos::View<int*, Exec> fine(Kokkos::view_alloc(exec, "Lacuna::fine"), 3);
  Kokkos::View<int*, Exec> other(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "other"), 3);
  Kokkos::deep_copy(exec, other, 1);
  Kokkos::deep_copy(exec, fine, other);
  exec.fence("Lacuna::fine");
  Kokkos::fence();
  recorder.stop();
  const auto broken = broken_rules(exec, recorder);  // a global fence is seen once a backend
  EXPECT_THAT(std::set<std::string>(broken.begin(), broken.end()),
              ElementsAre("allocation label \"other\"", "fence label \"Kokkos::fence: Unnamed Global Fence\"",
                          "kernel label \"nameless\""));
}

TEST(Recorder, SeesAnotherInstance) {
  const Exec exec       = another_instance<Exec>();
  const auto told_apart = [&](const auto& other) {
    return Kokkos::Tools::Experimental::device_id(exec) != Kokkos::Tools::Experimental::device_id(other);
  };
  Recorder recorder;
  Kokkos::parallel_for("Lacuna::default", Kokkos::RangePolicy<Exec>(Exec(), 0, 1), Nothing{});
  Kokkos::parallel_for("Lacuna::reference", Kokkos::RangePolicy<ReferenceSpace>(ReferenceSpace(), 0, 1), Nothing{});
  recorder.stop();
  EXPECT_THAT(broken_rules(exec, recorder),
              SizeIs((told_apart(Exec()) ? 1 : 0) + (told_apart(ReferenceSpace()) ? 1 : 0)));
  if (!std::is_same_v<Exec, ReferenceSpace>) EXPECT_TRUE(told_apart(ReferenceSpace()));
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  EXPECT_TRUE(told_apart(Exec()));
#endif
}

TEST(Recorder, SeesNothingAfterItsEnd) {
  Recorder recorder;
  recorder.stop();
  Kokkos::parallel_for("later", Kokkos::RangePolicy<Exec>(0, 1), Nothing{});
  EXPECT_THAT(recorder.kernels(), IsEmpty());
}

}  // namespace
}  // namespace lacuna::Test
