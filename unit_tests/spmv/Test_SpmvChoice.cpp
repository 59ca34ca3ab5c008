// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/plan/Lacuna_NotTakenText.hpp>
#include <kernels/spmv/impl/Lacuna_SpmvOperation.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

/// \file
/// \brief What `automatic` takes: a pure function of plain values, for devices that are not here.

namespace lacuna::Test {
namespace {

using Impl::Inspection;
using Impl::LengthStatistics;
using Impl::SpmvRequest;
using Impl::Stage;
using List = Impl::SpmvAlgorithms;

constexpr auto nonzero_split = SpmvAlgorithm::nonzero_split;
constexpr auto row_split = SpmvAlgorithm::row_split, sell = SpmvAlgorithm::sell;
constexpr auto sliced_dia = SpmvAlgorithm::sliced_dia, none = SpmvAlgorithm::automatic;

const SpmvRequest plain;
const Device h200 = Device::h200();

SpmvRequest with_scalar(std::size_t bytes) {
  SpmvRequest asked;
  asked.scalar = {bytes > 8 ? Impl::ScalarKind::complex : Impl::ScalarKind::real, bytes};
  return asked;
}
SpmvRequest with_calls(std::int64_t calls) {
  SpmvRequest asked;
  asked.expected_calls = calls;
  return asked;
}

/// Rows all of one length.
Inspection even_rows(std::int64_t rows, std::int64_t length) {
  Inspection A;
  A.rows = A.columns = rows;
  A.nonzeros         = rows * length;
  A.lengths.longest  = length;
  A.neighbours       = {32, 0, length};
  for (int c = 0; c < LengthStatistics::chunk_choices; ++c)
    for (int i = 0; i < LengthStatistics::segment_choices; ++i) {
      const int chunk = LengthStatistics::chunk(c);
      A.lengths.slice_widths[c][i] =
          ((length + chunk - 1) / chunk + (1 << i) - 1) / (1 << i) * chunk * (rows << i) / 32;
    }
  return A;
}

Inspection with_longest(Inspection A, std::int64_t longest) {
  A.lengths.longest = longest;
  A.neighbours      = {32, 32, A.neighbours.longest + 1};
  return A;
}

Inspection with_padding(Inspection A, double factor) {
  for (auto& widths : A.lengths.slice_widths)
    for (auto& width : widths) width = static_cast<std::int64_t>(factor * static_cast<double>(width));
  return A;
}

/// Slices counted: `factor` times as large as lengths say.
Inspection with_slices(Inspection A, const SpmvRequest& asked = plain, double factor = 1, const Device& device = h200) {
  const double bytes = Impl::spmv_slices(device, A, asked).bytes(A, asked) - Impl::spmv_vector_bytes(A, asked);
  const auto counted = static_cast<std::size_t>(factor * bytes);
  A.slices           = Impl::SliceStatistics{counted, counted};
  return A;
}

/// A sample of the diagonals: a share of `fill` of what they would store exists.
Inspection with_sample(Inspection A, double fill, int unknowns = 1) {
  A.diagonals = Impl::DiagonalStatistics{true, unknowns, fill, A.lengths.longest};
  return A;
}

/// And all of them counted.
Inspection with_diagonals(Inspection A, double fill, const SpmvRequest& asked = plain, int unknowns = 1) {
  A                   = with_sample(A, fill, unknowns);
  const double stored = static_cast<double>(A.nonzeros) / (32 * fill);
  Impl::DiagonalSliceStatistics found;
  found.bytes       = static_cast<std::size_t>(stored * static_cast<double>(32 * asked.scalar.bytes + 8));
  found.to_allocate = found.bytes;
  found.widest      = A.lengths.longest;
  A.diagonal_slices = found;
  return A;
}

auto choice_of(const Inspection& A, const SpmvRequest& asked = plain, const Device& device = h200,
               std::size_t left = unlimited) {
  return Impl::choose<List>(device, A, asked, left);
}

template <class Choice>
SpmvAlgorithm algorithm_of(const Choice& choice) {
  SpmvAlgorithm id = none;
  List::for_each([&]<class Algorithm>(std::size_t i) {
    if (i == choice.index) id = Algorithm::id;
  });
  return id;
}

SpmvAlgorithm chosen(const Inspection& A, const SpmvRequest& asked = plain, const Device& device = h200,
                     std::size_t left = unlimited) {
  return algorithm_of(choice_of(A, asked, device, left));
}

/// What the report says of an algorithm.
std::string said_of(SpmvAlgorithm id, const Inspection& A, const SpmvRequest& asked = plain,
                    const Device& device = h200) {
  const auto choice = choice_of(A, asked, device);
  std::string reason;
  List::for_each([&]<class Algorithm>(std::size_t i) {
    if (Algorithm::id == id) reason = choice.candidates[i].estimate.reason;
  });
  return reason;
}

bool worth_inspecting(Stage stage, const Inspection& A, const SpmvRequest& asked = plain, const Device& device = h200,
                      std::size_t left = unlimited) {
  return Impl::worth_inspecting<List>(stage, device, A, asked, left);
}

TEST(SpmvChoice, HostsWalkRows) {
  const Inspection mesh = with_diagonals(with_slices(even_rows(1000000, 27)), 0.97);
  Device host           = Device::host(16);
  for (const bool emulates : {false, true}) {
    host.has_lanes = emulates;
    EXPECT_EQ(chosen(mesh, plain, host), nonzero_split);
    EXPECT_EQ(chosen(mesh, with_calls(0), host), nonzero_split);
    for (const Stage stage : {Stage::diagonals, Stage::diagonal_slices, Stage::slices})
      EXPECT_FALSE(worth_inspecting(stage, even_rows(1000000, 27), plain, host));
  }
}

/// Steps of slices of 16 rows: so many an entry on diagonals and elsewhere.
Inspection with_steps(Inspection A, double on_diagonals, double elsewhere, bool is_wide = false) {
  const double steps = static_cast<double>(A.nonzeros) / 16;
  Impl::VectorSliceStatistics found;
  found.nonzeros     = A.nonzeros;
  found.on_diagonals = static_cast<std::int64_t>(on_diagonals * static_cast<double>(A.nonzeros));
  found.diagonals    = static_cast<std::int64_t>(on_diagonals * steps);
  found.gathers      = static_cast<std::int64_t>(elsewhere * steps);
  found.wide         = is_wide ? found.gathers : 0;
  A.vector_slices    = found;
  return A;
}

TEST(SpmvChoice, HostsTakeSlicesOfVectors) {
  const Device host      = Device::host(16, 64);
  constexpr auto slices  = SpmvAlgorithm::vector_slices;
  const Inspection mesh  = even_rows(1000000, 27);
  const SpmvRequest many = with_calls(1000);
  SpmvRequest complex    = with_scalar(16);
  complex.expected_calls = 1000;
  EXPECT_TRUE(worth_inspecting(Stage::vector_slices, mesh, many, host));
  EXPECT_FALSE(worth_inspecting(Stage::vector_slices, mesh, with_calls(1), host)) << "one call pays for nothing";
  EXPECT_FALSE(worth_inspecting(Stage::vector_slices, mesh, plain, h200));
  EXPECT_EQ(chosen(with_steps(mesh, 1, 0), many, host), slices);
  EXPECT_EQ(chosen(with_steps(mesh, 1, 0), with_calls(10), host), nonzero_split) << "the set-up takes longer";
  EXPECT_EQ(chosen(with_steps(mesh, 1, 0), complex, host), slices);
  EXPECT_EQ(chosen(with_steps(mesh, 1, 0), many, host, 1000), nonzero_split) << "memory";
  EXPECT_EQ(chosen(with_steps(mesh, 0, 1.5), many, host), nonzero_split) << "padding";
  const Inspection uneven = with_longest(even_rows(1000000, 6), 20);
  EXPECT_EQ(chosen(with_steps(uneven, 0, 1), many, host), slices) << "rows end often, and nobody knows where";
  EXPECT_EQ(chosen(with_steps(even_rows(65536, 6), 0, 1), many, host), nonzero_split) << "short rows of one length";
  EXPECT_EQ(chosen(with_steps(even_rows(1000000, 12), 0, 1, true), many, Device::host(16, 16)), nonzero_split)
      << "far columns";
  const Inspection longer   = with_steps(with_longest(even_rows(25000, 8), 20), 0, 1);
  const Inspection long_row = with_longest(longer, 23000);
  EXPECT_EQ(chosen(longer, many, host), slices);
  EXPECT_EQ(chosen(long_row, many, host), nonzero_split) << "one thread has the slice of the longest row";
  EXPECT_EQ(chosen(with_steps(mesh, 1, 0)), nonzero_split == chosen(mesh) ? nonzero_split : chosen(mesh))
      << "a GPU never takes them";
}

/// What products take depends on the registers that kernels were compiled for.
TEST(SpmvChoice, HostsChooseByTheirRegisters) {
  constexpr auto slices  = SpmvAlgorithm::vector_slices;
  const SpmvRequest many = with_calls(100000);
  const auto with        = [&](const Inspection& A, int vector_bytes) {
    return chosen(A, many, Device::host(2, vector_bytes));
  };
  const Inspection half = with_steps(even_rows(37000, 31), 0.5, 0.6);  // as finite elements have them
  EXPECT_EQ(with(half, 64), slices);
  EXPECT_EQ(with(half, 16), nonzero_split);
  const Inspection short_rows = with_steps(with_longest(even_rows(65536, 6), 17), 0, 1.05);
  EXPECT_EQ(with(short_rows, 64), slices);
  EXPECT_EQ(with(short_rows, 32), slices);
  const Inspection graph = with_steps(even_rows(37000, 10), 0, 1.5);
  for (const int vector_bytes : {16, 32, 64}) EXPECT_EQ(with(graph, vector_bytes), nonzero_split) << vector_bytes;
  const Inspection mesh7 = with_steps(even_rows(262144, 7), 1, 0);
  for (const int vector_bytes : {16, 32, 64}) EXPECT_EQ(with(mesh7, vector_bytes), slices) << vector_bytes;
  EXPECT_EQ(chosen(half, many, Device::host(2)), with(half, Impl::host_register_bytes))
      << "those of this translation unit where nobody says";
}

/// Where nobody says for how many products, a set-up on a host is no longer than ten.
TEST(SpmvChoice, HostsKeepCsrUnlessMoreIsAskedFor) {
  const Device host     = Device::host(2, 64);
  const Inspection mesh = even_rows(262144, 7);
  EXPECT_FALSE(worth_inspecting(Stage::vector_slices, mesh, plain, host));
  EXPECT_EQ(chosen(with_steps(mesh, 1, 0), plain, host), nonzero_split);
  EXPECT_EQ(choice_of(with_steps(mesh, 1, 0), plain, host).estimate().setup_seconds, 0);
  EXPECT_TRUE(worth_inspecting(Stage::vector_slices, mesh, with_calls(1000), host));
  EXPECT_EQ(chosen(with_steps(mesh, 1, 0), with_calls(1000), host), SpmvAlgorithm::vector_slices);
  EXPECT_THAT(said_of(SpmvAlgorithm::vector_slices, mesh, plain, host), testing::HasSubstr("expected_calls"));
  for (const int vector_bytes : {16, 32, 64})
    for (const std::int64_t length : {1, 2, 5, 27})
      EXPECT_EQ(chosen(with_steps(even_rows(1000000, length), 1, 0), plain, Device::host(2, vector_bytes)),
                nonzero_split)
          << vector_bytes << ", " << length;
  const Inspection slices = with_slices(even_rows(8000000, 27));
  EXPECT_EQ(chosen(slices, plain), chosen(slices, with_calls(1000))) << "a GPU reckons with a thousand";
}

TEST(SpmvChoice, AlgorithmsWithACopyAreLeftToOthersWhereItIsAskedFor) {
  SpmvRequest asked        = with_calls(1000);
  asked.reads_values_of_A  = true;
  const Inspection slices  = with_slices(even_rows(8000000, 27));
  const Inspection on_host = with_steps(even_rows(262144, 7), 1, 0);
  EXPECT_EQ(chosen(slices, with_calls(1000)), sell);
  EXPECT_EQ(chosen(slices, asked), row_split);
  EXPECT_FALSE(worth_inspecting(Stage::slices, even_rows(8000000, 27), asked));
  EXPECT_FALSE(worth_inspecting(Stage::diagonals, even_rows(8000000, 27), asked));
  EXPECT_EQ(chosen(on_host, asked, Device::host(2)), nonzero_split);
  EXPECT_FALSE(worth_inspecting(Stage::vector_slices, even_rows(262144, 7), asked, Device::host(2)));
  EXPECT_EQ(said_of(sell, slices, asked), "algorithm sell: keeps a copy of the values of A");
}

/// An estimate is no better than that.
TEST(SpmvChoice, HostsTakeNoGainThatIsTooSmallToCountOn) {
  const Device host     = Device::host(2, 16);
  const Inspection mesh = with_steps(even_rows(69120, 124), 0.87, 0.22);  // five unknowns a node
  SpmvRequest many      = with_scalar(8);
  many.expected_calls   = 100000;
  EXPECT_EQ(chosen(mesh, many, host), nonzero_split);
  EXPECT_THAT(said_of(SpmvAlgorithm::vector_slices, mesh, many, host),
              testing::HasSubstr("too little less to count on"));
}

/// Microseconds that were measured, double, two threads of a Zen 5; within a factor of 1.5.
TEST(SpmvChoice, HostsPredictTheirTimes) {
  struct Measured {
    std::int64_t rows, nonzeros;
    int vector_bytes;
    double microseconds;
  };
  for (const Measured& of :
       {Measured{12288, 876024, 16, 122}, Measured{12288, 876024, 64, 118}, Measured{70656, 1828364, 32, 297},
        Measured{62064, 4248286, 64, 972}, Measured{262144, 1810432, 16, 440}, Measured{1000000, 26463592, 64, 7900}}) {
    Inspection A;
    A.rows = A.columns   = of.rows;
    A.nonzeros           = of.nonzeros;
    const double seconds = Impl::spmv_host_rows_seconds(Device::host(2, of.vector_bytes), A, with_scalar(8));
    EXPECT_LT(seconds, 1.5e-6 * of.microseconds) << of.rows;
    EXPECT_GT(1.5 * seconds, 1e-6 * of.microseconds) << of.rows;
  }
}

TEST(SpmvChoice, MeshesTakeSlices) {
  const Inspection mesh = even_rows(8000000, 27);
  EXPECT_EQ(chosen(mesh), row_split) << "nobody has counted";
  EXPECT_TRUE(worth_inspecting(Stage::slices, mesh));
  const auto choice = choice_of(with_slices(mesh));
  EXPECT_EQ(algorithm_of(choice), sell);
  EXPECT_EQ(Impl::spmv_slices(h200, mesh, plain).segments(), 1);
  EXPECT_GT(choice.break_even, 0);
}

TEST(SpmvChoice, SmallMatricesTakeMoreSlotsARow) {
  EXPECT_GT(Impl::spmv_slices(h200, even_rows(20000, 60), plain).segments(), 1);
  EXPECT_GT(Impl::spmv_slices(h200.with_processors(264), even_rows(50000, 60), plain).segments(),
            Impl::spmv_slices(h200, even_rows(50000, 60), plain).segments() - 1);
}

TEST(SpmvChoice, ShortRowsTakeSmallChunks) {
  EXPECT_EQ(Impl::spmv_slices(h200, even_rows(2000000, 5), plain).chunk(), 2);
  EXPECT_EQ(Impl::spmv_slices(h200, even_rows(2000000, 8), plain).chunk(), 4);
}

TEST(SpmvChoice, SlicesAreCutAsTheyAreAskedFor) {
  const Inspection A = even_rows(2000000, 8);
  SpmvRequest asked;
  asked.lanes_per_row = 32;
  EXPECT_EQ(Impl::SpmvOperation::slice_shape(h200, A, asked).segments, 1) << "automatic cuts as is best";
  asked.algorithm = sell;
  EXPECT_EQ(Impl::SpmvOperation::slice_shape(h200, A, asked).segments, 16);
  asked.lanes_per_row = 4;
  EXPECT_EQ(Impl::SpmvOperation::slice_shape(h200, A, asked).segments, 4);
  EXPECT_EQ(Impl::SpmvOperation::slice_shape(h200, A, asked).chunk, 4);
}

TEST(SpmvChoice, FewCallsDoNotPayForSlices) {
  const Inspection mesh     = with_slices(even_rows(8000000, 27));
  const std::int64_t needed = choice_of(mesh).break_even;
  EXPECT_GT(needed, 10);
  EXPECT_LT(needed, 100);
  EXPECT_EQ(chosen(mesh, with_calls(needed)), sell);
  EXPECT_EQ(chosen(mesh, with_calls(needed - 1)), row_split);
  EXPECT_TRUE(worth_inspecting(Stage::slices, even_rows(8000000, 27), with_calls(needed)));
  EXPECT_FALSE(worth_inspecting(Stage::slices, even_rows(8000000, 27), with_calls(needed - 1)));
}

TEST(SpmvChoice, FewCallsDoNotPayForAPassOverUnevenRows) {
  const auto at            = [](const Inspection& A, std::int64_t calls) { return chosen(A, with_calls(calls)); };
  const std::int64_t least = Impl::SpmvRowSplitPolicy::calls;
  for (const std::int64_t calls : {least, least - 1, std::int64_t{1}})
    EXPECT_EQ(at(even_rows(100000, 27), calls), row_split) << "even rows stand as they are, " << calls << " calls";
  const Inspection skewed = with_longest(even_rows(30000, 12), 1000);
  EXPECT_EQ(at(skewed, least), row_split);
  EXPECT_EQ(at(skewed, least - 1), nonzero_split);
  EXPECT_EQ(at(skewed, 1), nonzero_split);
}

TEST(SpmvChoice, UnevenRowsAreSortedWhereTheyAreLongOrFew) {
  const auto at = [](std::int64_t rows, std::int64_t mean, std::int64_t longest) {
    return chosen(with_longest(even_rows(rows, mean), longest), with_scalar(4));
  };
  EXPECT_EQ(at(36000, 10, 1383), row_split) << "a graph of 0.4 M nonzeros";
  EXPECT_EQ(at(62000, 68, 8413), row_split) << "long rows";
  EXPECT_EQ(at(500000, 8, 10000), nonzero_split) << "many short rows";
  EXPECT_EQ(at(25000, 8, 200000), row_split) << "a row as long as all is cut";
  EXPECT_EQ(at(25000, 400, 9900000), nonzero_split) << "its pieces would outlast all others";
}

TEST(SpmvChoice, MemoryLimitForbidsSlices) {
  const Inspection mesh   = with_slices(even_rows(1000000, 27));
  const std::size_t bytes = choice_of(mesh).estimate().bytes;
  EXPECT_EQ(chosen(mesh, plain, h200, bytes), sell);
  EXPECT_EQ(chosen(mesh, plain, h200, bytes - 1), row_split);
  EXPECT_TRUE(worth_inspecting(Stage::slices, even_rows(1000000, 27)));
  EXPECT_FALSE(worth_inspecting(Stage::slices, even_rows(1000000, 27), plain, h200, 1000)) << "it cannot fit";
  EXPECT_FALSE(worth_inspecting(Stage::diagonals, even_rows(1000000, 27), plain, h200, 1000));
}

TEST(SpmvChoice, ALongRowSplitsNonzeros) {
  const Inspection A = with_longest(even_rows(500000, 8), 10000);
  EXPECT_EQ(chosen(with_slices(A)), nonzero_split);
  EXPECT_FALSE(worth_inspecting(Stage::slices, A));
  EXPECT_THAT(said_of(sell, A), testing::HasSubstr("the longest row (10000) would outlast all others"));
}

TEST(SpmvChoice, PaddingForbidsSlices) {
  const Inspection A = with_padding(even_rows(1000000, 27), 2);
  EXPECT_EQ(chosen(with_slices(A)), row_split);
  EXPECT_FALSE(worth_inspecting(Stage::slices, A));
  EXPECT_THAT(said_of(sell, A), testing::HasSubstr("of the bytes of CSR"));
}

TEST(SpmvChoice, LongRowsStayInCsrWhereCachesHoldThem) {
  const SpmvRequest asked = with_scalar(8);
  const Inspection small  = with_longest(even_rows(44000, 48), 216);  // bcsstk32
  EXPECT_EQ(chosen(with_slices(small, asked), asked), row_split);
  const Inspection large = even_rows(440000, 48);
  EXPECT_EQ(chosen(with_slices(large, asked), asked), sell);
  EXPECT_EQ(Impl::spmv_slices(h200, large, asked).chunk(), 4);
  EXPECT_EQ(chosen(with_slices(with_padding(large, 4.0 / 3), asked), asked), row_split);
}

TEST(SpmvChoice, EvenRowsTakeSlicesWhereCachesHoldThem) {
  for (const std::size_t scalar_bytes : {4u, 8u}) {
    const SpmvRequest asked = with_scalar(scalar_bytes);
    const auto rows         = [&](std::int64_t longest) {
      return with_slices(with_longest(with_padding(even_rows(37762, 31), 4.0 / 3), longest), asked);
    };
    EXPECT_EQ(chosen(rows(42), asked), sell) << "viscorocks";
    EXPECT_EQ(chosen(rows(50), asked), row_split);
  }
}

TEST(SpmvChoice, LargerSlicesThanExpectedAreNotTaken) {
  const Inspection A = even_rows(1000000, 27);
  EXPECT_EQ(chosen(with_slices(A, plain, 1)), sell);
  EXPECT_EQ(chosen(with_slices(A, plain, 2)), row_split);
  EXPECT_EQ(chosen(with_slices(A), plain, h200, 1 << 20), row_split);
}

TEST(SpmvChoice, SmallMatricesStayInCsr) {
  EXPECT_EQ(chosen(with_slices(even_rows(11948, 12))), row_split) << "bcsstk18";
  EXPECT_EQ(chosen(with_slices(even_rows(65536, 6))), row_split) << "delaunay_n16";
  for (const std::size_t scalar_bytes : {4u, 8u}) {
    const SpmvRequest asked = with_scalar(scalar_bytes);
    EXPECT_EQ(chosen(with_slices(even_rows(70656, 26), asked), asked), sell) << "cfd1";
  }
}

TEST(SpmvChoice, OneRowAsLongAsAllOthersIsCut) {
  EXPECT_EQ(chosen(with_longest(even_rows(25187, 8), 22767)), row_split)
      << "mult_dcop_02: sorted rows, the long one cut";
  EXPECT_EQ(chosen(with_longest(even_rows(500000, 8), 22767)), nonzero_split) << "so many short rows are not sorted";
  EXPECT_EQ(chosen(with_longest(even_rows(36692, 10), 1383)), row_split) << "email-Enron";
}

TEST(SpmvChoice, MeshesWithFullDiagonalsTakeThem) {
  for (const std::int64_t length : {5, 7, 21, 27, 81})
    for (const std::size_t scalar_bytes : {4u, 8u, 16u}) {
      const SpmvRequest asked = with_scalar(scalar_bytes);
      const Inspection mesh   = even_rows(4000000, length);
      EXPECT_TRUE(worth_inspecting(Stage::diagonals, mesh, asked));
      EXPECT_TRUE(worth_inspecting(Stage::diagonal_slices, with_sample(mesh, 0.97), asked));
      const Inspection A = with_slices(with_diagonals(mesh, 0.97, asked), asked);
      const auto choice  = choice_of(A, asked);
      EXPECT_EQ(algorithm_of(choice), sliced_dia) << length << " of " << scalar_bytes;
      EXPECT_GT(choice.break_even, 0);
      EXPECT_THAT(choice.estimate().reason, testing::HasSubstr("diagonals within slices"));
      EXPECT_FALSE(worth_inspecting(Stage::slices, with_diagonals(mesh, 0.97, asked), asked)) << "those are better";
    }
  const auto three = choice_of(with_diagonals(even_rows(648000, 81), 0.97, plain, 3));
  EXPECT_EQ(algorithm_of(three), sliced_dia);
  EXPECT_THAT(three.estimate().reason, testing::HasSubstr("3 rows a node"));
}

TEST(SpmvChoice, DiagonalsThatAreNotFullAreNotTaken) {
  const Inspection A = even_rows(4000000, 27);
  for (const double fill : {0.6, 0.2}) {
    EXPECT_FALSE(worth_inspecting(Stage::diagonal_slices, with_sample(A, fill)));
    EXPECT_EQ(chosen(with_slices(with_diagonals(A, fill))), sell);
  }
  EXPECT_FALSE(worth_inspecting(Stage::diagonal_slices, A)) << "there was no sample";
  Inspection messy          = with_sample(A, 0.97);
  messy.diagonals->possible = false;
  EXPECT_FALSE(worth_inspecting(Stage::diagonal_slices, messy));
  messy                           = with_slices(with_diagonals(A, 0.97));
  messy.diagonal_slices->possible = false;
  EXPECT_EQ(chosen(messy), sell);
}

TEST(SpmvChoice, FewCallsOrLittleMemoryDoNotAllowDiagonals) {
  const Inspection A = with_diagonals(even_rows(8000000, 27), 0.97);
  const auto needed  = choice_of(A).break_even;
  EXPECT_EQ(chosen(A, with_calls(needed)), sliced_dia);
  EXPECT_NE(chosen(A, with_calls(needed - 1)), sliced_dia);
  EXPECT_EQ(chosen(A, with_calls(1)), row_split);
  EXPECT_NE(chosen(A, plain, h200, 4 * 27 * 8000000), sliced_dia);
}

TEST(SpmvChoice, DiagonalsAreLookedForWhereTheyCouldPay) {
  const Inspection A = even_rows(1000000, 27);
  EXPECT_TRUE(worth_inspecting(Stage::diagonals, A));
  EXPECT_FALSE(worth_inspecting(Stage::diagonals, A, with_calls(1)));
  EXPECT_FALSE(worth_inspecting(Stage::diagonals, even_rows(100, 5)));
  EXPECT_FALSE(worth_inspecting(Stage::diagonals, even_rows(100, 0)));
  Inspection uneven = A;
  uneven.lengths.slice_widths[1][0] *= 2;
  EXPECT_FALSE(worth_inspecting(Stage::diagonals, uneven)) << "slices as wide as their longest row would be half void";
}

TEST(SpmvChoice, ALongRowForbidsDiagonals) {
  EXPECT_NE(chosen(with_diagonals(with_longest(even_rows(500000, 27), 10000), 0.97)), sliced_dia);
}

TEST(SpmvChoice, TheCountOfDiagonalsHasTheLastWord) {
  const Inspection A = with_slices(with_diagonals(even_rows(1000000, 27), 0.97));
  EXPECT_EQ(chosen(A), sliced_dia);
  Inspection larger = A;
  larger.diagonal_slices->bytes *= 2;
  EXPECT_EQ(chosen(larger), sell);
  Inspection uneven              = A;
  uneven.diagonal_slices->widest = 100000;
  EXPECT_EQ(chosen(uneven), sell);
}

TEST(SpmvChoice, WhatWasPublishedIsTakenByNameOnly) {
  Impl::Excluded<List::size> excluded{};
  const Inspection A = with_longest(even_rows(100000, 27), 5000);
  for (const SpmvAlgorithm expected : {row_split, nonzero_split}) {
    const auto choice = Impl::choose<List>(h200, A, plain, unlimited, excluded);
    EXPECT_EQ(algorithm_of(choice), expected);
    excluded[choice.index] = true;
  }
  EXPECT_THAT(said_of(SpmvAlgorithm::naive, A), testing::HasSubstr("by name only"));
}

TEST(SpmvChoice, OtherDevicesChooseByTheirOwnValues) {
  const Device amd      = Device::mi300x();
  const Inspection mesh = even_rows(8000000, 27);
  EXPECT_EQ(chosen(mesh, plain, amd), row_split);
  EXPECT_EQ(chosen(with_slices(mesh, plain, 1, amd), plain, amd), sell);
  EXPECT_EQ(chosen(with_diagonals(mesh, 0.97), plain, amd), sliced_dia);
  EXPECT_EQ(chosen(with_longest(even_rows(500000, 8), 10000), plain, amd), nonzero_split);
  const auto segments = [&](const Device& device) {
    return Impl::spmv_slices(device, even_rows(100000, 60), plain).segments();
  };
  EXPECT_GT(segments(amd), segments(h200)) << "it has more threads to fill";
}

TEST(SpmvChoice, HostsHaveNoLanes) {
  const Device host = Device::host(2);
  EXPECT_THAT(said_of(sell, even_rows(1000, 5), plain, host), testing::HasSubstr("sell: written for GPUs, hosts have"));
  for (const SpmvAlgorithm id : {sell, sliced_dia}) EXPECT_FALSE(Impl::spmv_needs_lanes(host, id));
  const auto choice = Impl::choose<List>(host, even_rows(1000, 5), plain, unlimited);
  EXPECT_THAT(Impl::not_taken_text<List>(choice, choice.index),
              testing::HasSubstr("not         sell, sliced_dia: written for GPUs, hosts have nonzero_split\n"));
}

TEST(SpmvChoice, ASampleOfDiagonalsTellsTheUnknownsANode) {
  Impl::SlicedDiaSample sample;
  sample.entries = 97 * 32;
  for (std::size_t c = 0; c < Impl::SlicedDiaSample::groups.size(); ++c)
    sample.diagonals[c] = Impl::SlicedDiaSample::groups[c] == 3 ? 100 : 200;
  EXPECT_EQ(sample.best_group(), 3);
  EXPECT_DOUBLE_EQ(sample.best_fill(), 0.97);
}

}  // namespace
}  // namespace lacuna::Test
