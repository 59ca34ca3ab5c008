// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/spmv/published/scan_matrix/Lacuna_MatrixScanTile.hpp>
#include <spmv/Spmv_Scan_Kernels.hpp>

namespace {

using namespace lacuna;

struct ScanMatrix : lacuna::Test::ScanKernel {
  static constexpr const char* name = "scan_matrix";
  template <class ExecutionSpace, class Prepared, class Arguments>
  static void run(const ExecutionSpace& exec, const Prepared& prepared, const Arguments& arguments,
                  Impl::SpmvShape shape) {
    Impl::spmv_scan_matrix(exec, Impl::arrays_of(prepared.A), arguments, shape, prepared.workspace);
  }
};

TEST(SpmvScanMatrix, EveryTypeOnSamples) { lacuna::Test::check_every_type<ScanMatrix>(); }
TEST(SpmvScanMatrix, EveryTeamSize) { lacuna::Test::check_scan_team_sizes<ScanMatrix>(); }
TEST(SpmvScanMatrix, ThreeLevels) { lacuna::Test::check_scan_levels<ScanMatrix>(); }
TEST(SpmvScanMatrix, RowsDoNotLeakIntoEachOther) { lacuna::Test::driver<ScanMatrix>().run_isolation(); }
TEST(SpmvScanMatrix, Serial) { lacuna::Test::check_serial<ScanMatrix>(); }

}  // namespace
