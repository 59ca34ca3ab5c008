// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmv/published/scan_flat/Lacuna_TreeScanTile.hpp>
#include <spmv/Spmv_Scan_Kernels.hpp>

namespace {

using namespace lacuna;

struct ScanFlat : lacuna::Test::ScanKernel {
  static constexpr const char* name = "scan_flat";
  template <class ExecutionSpace, class Prepared, class Arguments>
  static void run(const ExecutionSpace& exec, const Prepared& prepared, const Arguments& arguments,
                  Impl::SpmvShape shape) {
    Impl::spmv_scan_flat(exec, Impl::arrays_of(prepared.A), arguments, shape, prepared.workspace);
  }
};

TEST(SpmvScanFlat, EveryTypeOnSamples) { lacuna::Test::check_every_type<ScanFlat>(); }
TEST(SpmvScanFlat, EveryTeamSize) { lacuna::Test::check_scan_team_sizes<ScanFlat>(); }
TEST(SpmvScanFlat, ThreeLevels) { lacuna::Test::check_scan_levels<ScanFlat>(); }
TEST(SpmvScanFlat, RowsDoNotLeakIntoEachOther) { lacuna::Test::driver<ScanFlat>().run_isolation(); }
TEST(SpmvScanFlat, Serial) { lacuna::Test::check_serial<ScanFlat>(); }

}  // namespace
